#!/usr/bin/env python3
"""Records programs with libtraceview-record, and sees what readers make of the traces.

    recorded.py PROGRAM      the traceview of a build; the library is in the folder include beside it

The programs are those of tests/record/programs. Their traces must have no finding above a note, and as many calls of each
method as the program counted, for traceview and, where it reads the format, for dmtracedump. Ends with "N passed, N
failed".
"""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "tests", "record", "programs")
INCLUDE = os.path.join(ROOT, "include")

# The library's symbols for others; one that goes, or changes its meaning, needs another version of the library.
SYMBOLS = {
    "tv_method_enter_traced", "tv_method_exit_traced", "tv_method_tracing_active", "tv_method_tracing_is_on",
    "tv_method_unwind_traced", "tv_name_thread", "tv_start_method_tracing",
    "tv_start_method_tracing_sampling", "tv_stop_method_tracing",
    "tv_trace_status_text",
}

WALL, CPU, PACKETS, STREAMING = 0x10, 0x100, 2, 0x10000
# Flags, and the format that traceview tells.
FORMATS = [
    (0, "v3"), (WALL, "v2"), (CPU, "v2"), (WALL | CPU, "v3"), (PACKETS, "packets5"), (PACKETS | WALL, "packets4"),
    (PACKETS | CPU, "packets4"), (STREAMING, "stream3"), (STREAMING | WALL, "stream2"), (STREAMING | PACKETS, "packets5"),
]


class Failed(Exception):
    pass


def expect(is_true, what):
    if not is_true:
        raise Failed(what)


class World:
    """A folder with the compiled programs, and what reads their traces."""

    def __init__(self, program, folder):
        self.program = program
        self.library = os.path.join(os.path.dirname(program), "include")
        self.folder = folder
        self.compile("calls", "gcc", ["calls.c"], self.shared())
        self.compile("throws", "g++", ["throws.cpp"], self.shared() + ["-ldl"])
        self.compile("plugin.so", "gcc", ["plugin.c"], ["-shared", "-fPIC"] + self.shared())
        self.compile("whole.so", "gcc", ["plugin.c", "start.c"],
                     ["-shared", "-fPIC", os.path.join(self.library, "libtraceview-record.a")])
        self.compile("host", "gcc", ["host.c"], ["-ldl"])

    def shared(self):
        return ["-L" + self.library, "-ltraceview-record", "-Wl,-rpath," + self.library]

    def path(self, name):
        return os.path.join(self.folder, name)

    def compile(self, name, compiler, sources, arguments):
        command = [compiler, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", INCLUDE]
        sources = [os.path.join(SOURCES, source) for source in sources]
        subprocess.run(command + sources + ["-o", self.path(name)] + arguments, check=True)

    def run(self, name, *arguments, status=0):
        done = subprocess.run([self.path(name), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        expect(done.returncode == status and not done.stderr, "%s %s: status %d\n%s%s"
               % (name, " ".join(arguments), done.returncode, done.stdout, done.stderr))
        return dict((line.split()[0], int(line.split()[1])) for line in done.stdout.splitlines())

    def ask(self, *arguments):
        environment = dict(os.environ, TRACEVIEW_CACHE_SIZE="0")
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        expect(done.returncode == 0, "%s: status %d\n%s%s" % (arguments, done.returncode, done.stdout, done.stderr))
        return done.stdout

    def info(self, trace):
        return json.loads(self.ask("info", trace, "--json"))

    def counts(self, trace):
        """Calls of each method, by "class.name"."""
        answer = json.loads(self.ask("top", trace, "-n", "0", "--json"))
        return {row["class"].replace("::", ".") + "." + row["name"]: row["calls"] + row["recursive_calls"]
                for row in answer["methods"]}

    def dumped_counts(self, trace):
        """The same by dmtracedump, from its list of records."""
        done = subprocess.run(["dmtracedump", "-o", self.path(trace)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        expect(done.returncode == 0, "dmtracedump: %s" % done.stdout[-500:])
        counts = {}
        for found in re.finditer(r"^ *\d+ ent.*[ .](\S+)\.([\w~]+) \(?", done.stdout, re.M):
            name = found[1].lstrip(".").replace("::", ".") + "." + found[2]
            counts[name] = counts.get(name, 0) + 1
        return counts

    def agrees(self, trace, counted):
        self.ask("check", trace)    # its status is 0 up to notes
        counts = self.counts(trace)
        expect(counts == counted, "%s: traceview counts %s, the program %s" % (trace, counts, counted))

    def dump_agrees(self, trace, counted):
        counts = self.dumped_counts(trace)
        expect(counts == counted, "%s: dmtracedump counts %s, the program %s" % (trace, counts, counted))


def every_format_has_every_call(world):
    for number, (flags, name) in enumerate(FORMATS):
        trace = "calls%d.trace" % number
        counted = world.run("calls", "calls%d" % number, hex(flags))
        world.agrees(trace, counted)
        info = world.info(trace)
        expect(info["format"] == name, "%#x gives %s" % (flags, info["format"]))
        expect([thread["name"] for thread in info["threads"]] == ["worker %d" % i for i in range(4)], info["threads"])
        expect("record-call-overhead-nsec" in info["properties"], info["properties"])
        if name in ("v2", "v3"):
            world.dump_agrees(trace, counted)


def exceptions_threads_and_unloaded_libraries(world):
    counted = world.run("throws", "throws", world.path("plugin.so"))
    world.agrees("throws.trace", counted)
    world.dump_agrees("throws.trace", counted)
    done = subprocess.run(["dmtracedump", "-o", world.path("throws.trace")], stdout=subprocess.PIPE, text=True, check=True)
    unwound = len(re.findall(r"^ *\d+ unr", done.stdout, re.M))
    expect(unwound == counted["throws.descend"], "%d calls are left by an exception" % unwound)


def the_recorder_itself_is_unloaded(world):
    counted = world.run("host", "host", world.path("whole.so"))
    world.agrees("host.trace", counted)


def a_program_that_exits_leaves_its_trace(world):
    world.run("calls", "exits", "0", "exit", status=3)
    expect(world.counts("exits.trace")["tree.leaf"] == 4000, world.counts("exits.trace"))


def a_program_that_dies_leaves_the_stream_but_its_last_blocks(world):
    for manner, status in (("_exit", 3), ("abort", -6), ("kill", -9), ("exec", 0)):
        world.run("calls", manner, hex(STREAMING), manner, status=status)
        counts = world.counts(manner + ".trace")
        # The ended threads are whole; of the main thread, what filled its blocks.
        expect(3000 <= counts["tree.leaf"] <= 4000, "%s: %s" % (manner, counts))


def a_child_does_not_touch_the_file(world):
    for flags in (0, STREAMING, PACKETS):
        counted = world.run("calls", "forks", hex(flags), "fork")
        world.agrees("forks.trace", counted)


def the_library_shows_its_symbols_and_needs_the_c_library_alone(world):
    path = os.path.join(world.library, "libtraceview-record.so")
    told = subprocess.run(["nm", "-D", "--defined-only", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    shown = {line.split()[2] for line in told.splitlines() if " A " not in line}
    expect(shown == {name + "@@TRACEVIEW_RECORD_1" for name in SYMBOLS}, shown)
    told = subprocess.run(["readelf", "-d", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", told))
    expect(needed == {"libc.so.6"}, needed)


CASES = [every_format_has_every_call, exceptions_threads_and_unloaded_libraries, the_recorder_itself_is_unloaded,
         a_program_that_exits_leaves_its_trace, a_program_that_dies_leaves_the_stream_but_its_last_blocks,
         a_child_does_not_touch_the_file, the_library_shows_its_symbols_and_needs_the_c_library_alone]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        world = World(os.path.abspath(sys.argv[1]), folder)
        for case in CASES:
            try:
                case(world)
            except Failed as failure:
                failed += 1
                print("FAILED: %s: %s" % (case.__name__, failure))
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    sys.exit(failed > 0)


main()
