#!/usr/bin/env python3
"""Records programs with libtraceview-record and by `traceview record`, and sees what readers make of the traces.

    recorded.py PROGRAM [--all] [--only=CASE,... --passed=N]    the traceview of a build; the library is in the folder include beside it; --all
                                   records a million functions, too

The programs are those of tests/record/programs. Their traces must have no finding above a note, and as many calls of each
method as the program counted, for traceview and, where it reads the format, for dmtracedump. Ends with "N passed, N
failed".
"""

import ctypes
import errno
import itertools
import json
import math
import os
import platform
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
import traces
from on_terminal import OnTerminal
from traces import counted, expect

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

DEBUGGING_FILES = "/usr/lib/debug"
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000    # of sched.h and sys/mount.h

WALL, CPU, PACKETS, STREAMING = 0x10, 0x100, 2, 0x10000
# Flags, and the format that traceview tells.
FORMATS = [
    (0, "v3"), (WALL, "v2"), (CPU, "v2"), (WALL | CPU, "v3"), (PACKETS, "packets5"), (PACKETS | WALL, "packets4"),
    (PACKETS | CPU, "packets4"), (STREAMING, "stream3"), (STREAMING | WALL, "stream2"), (STREAMING | PACKETS, "packets5"),
]


class World(traces.Readers):
    """A folder with the compiled programs, and what reads their traces."""

    def __init__(self, program, folder, is_all):
        self.is_all = is_all
        super().__init__(program, folder)
        self.library = os.path.join(os.path.dirname(program), "include")
        self.compile("calls", "gcc", ["calls.c"], self.shared())
        self.compile("throws", "g++", ["throws.cpp"], self.shared() + ["-ldl"])
        self.compile("plugin.so", "gcc", ["plugin.c"], ["-shared", "-fPIC"] + self.shared())
        self.compile("whole.so", "gcc", ["plugin.c", "start.c"],
                     ["-shared", "-fPIC", os.path.join(self.library, "libtraceview-record.a")])
        self.compile("host", "gcc", ["host.c"], ["-ldl"])
        hooks = ["-finstrument-functions"]
        self.compile("instrumented", "gcc", ["instrumented.c"], hooks)
        self.compile("fixed", "gcc", ["instrumented.c"], hooks + ["-no-pie", "-fno-pie"])
        self.compile("instrumented++", "g++", ["instrumented.cpp"],
                     hooks + ["-finstrument-functions-exclude-file-list=/usr", "-ldl"])
        self.compile("loaded.so", "gcc", ["loaded.c"], hooks + ["-shared", "-fPIC"])
        self.compile("other.so", "gcc", ["loaded.c"], hooks + ["-shared", "-fPIC", "-Dloaded=other"])
        self.compile("waits.so", "gcc", ["waits.c"], hooks + ["-shared", "-fPIC"])
        self.compile("hard", "gcc", ["hard.c"], hooks + ["-Wno-infinite-recursion", "-ldl"])
        self.compile("both", "gcc", ["both.c"], hooks + self.shared())
        self.compile("both++", "g++", ["-xc++", "both.c"], hooks + self.shared())
        self.compile("calling", "gcc", [os.path.join(ROOT, "bench", "instrumented.c")], hooks)
        self.compile("static_hooked", "gcc", ["loaded.c", "instrumented.c"],
                     hooks + ["-static", "-L" + self.library, "-l:libtraceview-instrument.a"])
        self.compile("confined", "gcc", ["confined.c"], hooks)
        self.compile("slow", "gcc", ["slow.c"], hooks + ["-rdynamic"])
        self.compile("ends", "gcc", ["ends.c"], hooks)
        self.compile("busy", "gcc", ["busy.c"], [])
        self.compile("shares", "gcc", ["shares.c"], [])
        self.compile("children", "gcc", ["children.c"], [])
        self.compile("answers", "gcc", ["answers.c"], [])
        self.compile("answers_framed", "gcc", ["answers.c"], ["-fno-omit-frame-pointer"])
        self.compile("busy_static", "gcc", ["busy.c"], ["-static"])
        self.compile("static", "gcc", ["loaded.c", "instrumented.c"], hooks + ["-static"])

    def shared(self):
        return ["-L" + self.library, "-ltraceview-record", "-Wl,-rpath," + self.library]

    def compile(self, name, compiler, sources, arguments, cwd=None):
        command = [compiler, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I", INCLUDE]
        sources = [source if source[0] == "-" else os.path.join(SOURCES, source) for source in sources]
        subprocess.run(command + sources + ["-o", self.path(name)] + arguments, cwd=cwd, check=True)

    def run(self, name, *arguments, status=0):
        done = subprocess.run([self.path(name), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, check=False)
        expect(done.returncode == status and not done.stderr, "%s %s: status %d\n%s%s"
               % (name, " ".join(arguments), done.returncode, done.stdout, done.stderr))
        return counted(done.stdout)

    def record(self, *arguments, status=None, before=None):
        """What `traceview record` and its program print, on standard output and standard error. The status is that of
        the program, which the command tells, unless another is expected. `before` is called in the command's process, before it begins."""
        done = subprocess.run([self.program, "record", *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, check=False, preexec_fn=before)
        expected = traces.told_status(done.stderr) if status is None else status
        expect(done.returncode == expected, "record %s: status %d\n%s%s"
               % (" ".join(arguments), done.returncode, done.stdout, done.stderr))
        return done.stdout, done.stderr


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


def has_names(world):
    """Whether this build looks up names; without, the trace has addresses."""
    _, told = world.record("-o", "names.trace", "--", "./instrumented")
    return "functions have addresses for names" not in told


def programs_as_they_are(world):
    """PIE and not, C and C++: the names and calls of all functions, those included that are left by a jump."""
    if not has_names(world):
        print("skipped: names of recorded functions: built without libdw")
        return
    for name in ("./instrumented", "./fixed"):
        said, told = world.record("-o", "asis.trace", "--", name)
        world.agrees("asis.trace", counted(said))
        world.dump_agrees("asis.trace", counted(said))
        expect(re.search(r"asis\.trace: [\d.]+ [kM]B, \d+ records, none lost; recording took some [\d.]+ ms \(\d+ ns a call\)$",
                         told, re.M), told)
        expect(os.path.exists(world.path("asis.trace.recording")) is False, "the stream is left")
    rows = json.loads(world.ask("top", "asis.trace", "-n", "0", "--json"))["methods"]
    fib = next(row for row in rows if row["name"] == "fib")
    expect((fib["file"], fib["line"]) == ("instrumented.c", 15), fib)
    said, _ = world.record("-o", "cxx.trace", "--", "./instrumented++", world.path("loaded.so"))
    world.agrees("cxx.trace", counted(said))


def jumps_close_the_calls_that_they_leave(world):
    """Each longjmp leaves six calls of dive, and the leaf that follows is called by jump."""
    world.record("-o", "jumps.trace", "--", "./instrumented")
    done = subprocess.run(["dmtracedump", "-o", world.path("jumps.trace")], stdout=subprocess.PIPE, text=True, check=True)
    expect(len(re.findall(r"^ *\d+ unr", done.stdout, re.M)) == 120, "unwound calls")
    if has_names(world):
        answer = json.loads(world.ask("callers", "jumps.trace", "instrumented.leaf", "--json"))
        names = {row["rank"]: row["name"] for row in json.loads(world.ask("top", "jumps.trace", "-n", "0", "--json"))["methods"]}
        callers = {names[row["rank"]]: row["calls"] for row in answer["callers"]}
        expect(callers == {"jump": 20, "work": 200}, callers)


def signals_at_every_instruction_of_the_hooks(world):
    """Some 7,000 handlers that return, and as many that jump away: no record is lost, nor put twice or into a wrong place. Of
    the functions that the program calls, those have no body whose hook the jump left: they may be in the trace, unwound."""
    world.compile("stepped", "gcc", ["stepped.c"], ["-finstrument-functions", "-Wno-pedantic"])
    for manner in ("returns", "jumps"):
        done = subprocess.run([world.program, "record", "-o", "stepped.trace", "--", "./stepped", manner], cwd=world.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
        if done.returncode == 77:
            print("skipped: signals at every instruction: ptrace is forbidden")
            return
        expect(done.returncode == 0 and "none lost" in done.stderr, "%d: %s" % (done.returncode, done.stderr))
        expect("nothing odd" in world.ask("check", "stepped.trace"), "odd records")
        if not has_names(world):
            continue
        bodies, calls = counted(done.stdout), world.counts("stepped.trace")
        calls = {name.split(".")[1]: count for name, count in calls.items()}
        expect(bodies["on_signal"] > 3000 and calls.pop("main") == 1, bodies)
        most = bodies["landed"]
        for name in ("leaf", "middle"):
            expect(bodies[name] <= calls[name] <= bodies[name] + most, "%s: %s, %s" % (manner, bodies, calls))
            del bodies[name], calls[name]
        expect({name: count for name, count in bodies.items() if count} == calls, "%s: %s, %s" % (manner, bodies, calls))
        answer = json.loads(world.ask("callers", "stepped.trace", "stepped.landed", "--json")) if most else {"callers": []}
        expect(sum(row["calls"] for row in answer["callers"]) == most and len(answer["callers"]) <= 1, answer)


def a_program_as_it_is_that_dies_leaves_all_its_calls(world):
    whole = 2 * (1973 + 220 + 120 + 20 + 2)
    for manner, told in (("_exit", "ended with status 3"), ("quick_exit", "ended with status 3"),
                         ("cleared", "ended with status 3"), ("alarm", "ended by signal 14"),
                         ("trap", "ended by signal 5"), ("abort", "ended by signal 6"), ("segv", "ended by signal 11"),
                         ("interrupt", "ended by signal 2"), ("closes", None), ("fork", None), ("daemon", None)):
        _, said = world.record("-o", "dies.trace", "--", "./instrumented", manner)
        expect(told is None or told in said, said)
        world.ask("check", "dies.trace")
        records = world.records("dies.trace")
        # and main and end, which a program that dies leaves open; the child's calls are not there
        expect(whole + 2 <= records <= whole + 4, "%s: %d records" % (manner, records))


def a_signal_that_is_ignored_stays_ignored(world):
    """As nohup has it: what would end the program does not, and its trace has all calls."""
    run = subprocess.run([world.program, "record", "-o", "ignores.trace", "--", "./instrumented", "hangup"], cwd=world.folder,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                         timeout=120, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    expect(run.returncode == 0 and "instrumented.fib 1973" in run.stdout, "%d: %s" % (run.returncode, run.stderr))
    if has_names(world):
        world.agrees("ignores.trace", counted(run.stdout))


def recording_ends_and_the_program_goes_on_or_not(world):
    said, _ = world.record("-o", "keeps.trace", "--then", "keep", "--", "./instrumented", "interrupt")
    expect("instrumented.fib 1973" in said, "Ctrl-C ended the program")
    begin = time.monotonic()
    _, told = world.record("-o", "lasts.trace", "--duration", "1s", "--", "./instrumented", "spin", status=0)
    expect("ended by signal 15" in told and time.monotonic() - begin < 60, told)
    elapsed_ns = world.info("lasts.trace")["elapsed_ns"]
    expect(0 < elapsed_ns < 60e9, elapsed_ns)
    # A signal that comes now and then does not begin the time anew.
    command = subprocess.Popen([world.program, "record", "-o", "lasts.trace", "--duration", "1s", "--", "./instrumented", "spin"],
                               cwd=world.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while command.poll() is None:
        time.sleep(0.3)
        command.send_signal(signal.SIGQUIT)
        expect(time.monotonic() - begin < 60, "signals put off the end")


def calls_that_nothing_ends_have_their_time(world):
    """Those in which the recording ends, and those of threads that pthread_exit() or a cancellation ends."""
    _, told = world.record("-o", "hot.trace", "--duration", "1s", "--", "./ends", "hot", status=0)
    expect("2 records, none lost" in told, told)
    if not has_names(world):
        return
    info = world.info("hot.trace")
    expect([each["count"] for each in info["findings"] if each["kind"] == "open_at_end"] == [2], info["findings"])
    row, = [row for row in json.loads(world.ask("top", "hot.trace", "--json"))["methods"] if row["name"] == "hot"]
    expect(row["calls"] == 1 and row["inclusive"]["wall_ns"] > 0.9 * info["elapsed_ns"], row)
    expect(row["inclusive"]["cpu_ns"] > 0.05 * info["elapsed_ns"], row)
    # So it is in a part of several, and in other versions.
    world.record("-o", "hot.trace", "--duration", "1s", "--", "sh", "-c", "./ends exit; ./ends hot", status=0)
    world.ask("convert", "hot.trace", "hot5.trace", "--as", "packets")
    world.ask("export", "hot.trace", "-o", "hot3.trace", "--to", "trace")
    for trace in ("hot.trace", "hot5.trace", "hot3.trace"):
        row, = [row for row in json.loads(world.ask("top", trace, "--json"))["methods"] if row["name"] == "hot"]
        expect(row["inclusive"]["cpu_ns"] > 5e6 and row["inclusive"]["wall_ns"] >= row["inclusive"]["cpu_ns"], "%s: %s" % (trace, row))
    world.ask("convert", "hot.trace", "hot1.trace", "--as", "v1")    # which has one clock, and no property of it
    row, = [row for row in json.loads(world.ask("top", "hot1.trace", "--json"))["methods"] if row["name"] == "hot"]
    expect(row["inclusive"]["cpu_ns"] > 5e6, row)
    for manner in ("exit", "cancel"):
        said, told = world.record("-o", "ends.trace", "--", "./ends", manner)
        expect("none lost" in told, told)
        world.agrees("ends.trace", counted(said))
        expect("open_at_end" not in world.ask("info", "ends.trace", "--json"), "calls of threads that ended are open")
        for row in json.loads(world.ask("top", "ends.trace", "--clock", "wall", "--json"))["methods"]:
            expect(row["name"] == "end_calls" or row["inclusive"]["wall_ns"] < 10 * 250e6, "%s: %s" % (manner, row))


def handlers_of_the_recorder_are_not_seen(world):
    """A program finds the defaults, and where it restores one it ends by that, with all its calls."""
    said, told = world.record("-o", "chain.trace", "--", "./ends", "chain")
    expect("ended by signal %d " % signal.SIGUSR1 in told and "none lost" in told, told)
    expect(counted(said) == {"ends.chain": 1, "ends.hand_on": 2, "ends.rest": 1}, said)
    if has_names(world):
        world.agrees("chain.trace", counted(said))


def the_recorder_runs_from_any_folder(world):
    """LD_PRELOAD has no word with a blank or a colon: the loader said so for each process, and nothing was recorded."""
    for name in ("my tools", "col:on"):
        folder = world.path(name)
        os.mkdir(folder)
        shutil.copy(world.program, folder)
        shutil.copytree(world.library, os.path.join(folder, "include"), symlinks=True)

        def record(cache):
            environment = dict(os.environ, XDG_CACHE_HOME=world.path(cache))
            done = subprocess.run([os.path.join(folder, "traceview"), "record", "-o", "moved.trace", "--", "sh", "-c", "echo it runs; ./ends calls"],
                                  cwd=world.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=120, check=False, env=environment)
            return done.returncode, done.stdout, done.stderr

        for _ in range(2):
            status, _, told = record("cache")
            expect(status == 0 and "none lost" in told and "ld.so" not in told, told)
        if has_names(world):
            expect(world.counts("moved.trace")["ends.rest"] == 1000, world.counts("moved.trace"))
        status, said, told = record("my cache")
        expect(status == 125 and not said and "libtraceview-instrument.so.1 cannot be preloaded, since its path has a blank or a colon" in told, told)
    links = [each for each in os.listdir(world.path("cache/traceview")) if each.startswith("libraries-")]
    expect(len(links) == 2, links)


def libraries_in_the_folder_of_the_program_are_found(world):
    """As who copies the program has them, without the folders of a build or an installation."""
    folder = world.path("together")
    shutil.copytree(world.library, folder, symlinks=True, ignore=shutil.ignore_patterns("*.p"))
    shutil.copy(world.program, folder)
    done = subprocess.run([os.path.join(folder, "traceview"), "record", "-o", "together.trace", "--", "./ends", "calls"], cwd=world.folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    expect(done.returncode == 0 and "none lost" in done.stderr, done.stderr)


def what_outlives_the_program_is_recorded_no_more(world):
    """It is stopped, and has its records; and what begins later is not recorded."""
    if not has_names(world):
        return
    said, told = world.record("-o", "outlived.trace", "--", "sh", "-c", "cd /; %s spin >/dev/null 2>&1 & echo $!; sleep 1" % world.path("instrumented"))
    pid = int(said)
    try:
        expect("1 process runs on, and is recorded no more" in told and "none lost" in told, told)
        expect(world.counts("outlived.trace")["instrumented.spin"] == 1, world.counts("outlived.trace"))
        expect(world.counts("outlived.trace")["instrumented.leaf"] > 10, world.counts("outlived.trace"))
        there = [os.readlink("/proc/%d/fd/%s" % (pid, each)) for each in os.listdir("/proc/%d/fd" % pid)]
        expect(not [each for each in there if "recording" in each], there)
    finally:
        os.kill(pid, signal.SIGKILL)
    world.record("-o", "outlived.trace", "--", "sh", "-c", "(sleep 1; exec ./ends calls) >/dev/null 2>&1 & ./ends calls")
    time.sleep(2)
    left = [each for each in os.listdir(world.folder) if each.startswith("outlived.trace.")]
    expect(not left, "files are left: %s" % left)
    # A file that nobody can find any more takes no further records.
    command = subprocess.Popen([world.program, "record", "-o", "outlived.trace", "--", "./calling", "45"], cwd=world.folder,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not os.path.exists(world.path("outlived.trace.recording")):
        time.sleep(0.01)
    os.remove(world.path("outlived.trace.recording"))
    time.sleep(0.5)
    children = subprocess.run(["pgrep", "-P", str(command.pid)], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    for each in children:
        os.kill(int(each), signal.SIGKILL)
    expect("No such file or directory: tracing stopped" in command.communicate(timeout=60)[1], "it goes on into a file without a name")


def what_a_stranger_puts_into_a_shared_folder_is_not_written_to(world):
    """A link, a file and a pipe where the records would go, and what looks like the file of a process."""
    if os.geteuid() != 0:
        print("skipped: files of another user in a folder for all: only root makes them")
        return
    folder, private = world.path("for_all"), world.path("private")
    os.mkdir(folder)
    os.chmod(folder, 0o1777)
    STRANGER = 65534

    def put(name, make):
        path = os.path.join(folder, name)
        make(path)
        os.lchown(path, STRANGER, STRANGER)
        return path

    def record(*words):
        return subprocess.run([world.program, "record", *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              check=False)

    def write(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("PRIVATE\n")

    def all_may_read(path):
        write(path)
        os.chmod(path, 0o666)

    write(private)
    for make in (lambda path: os.symlink(private, path), all_may_read, os.mkfifo):
        path = put("dmtrace.trace.recording", make)
        done = record("--", world.path("ends"), "calls")
        expect(done.returncode == 2 and not done.stdout and
               "dmtrace.trace.recording is another user's: name another file with -o, in a folder of your own" in done.stderr, done)
        expect(os.listdir(folder) == ["dmtrace.trace.recording"] and open(private, encoding="utf-8").read() == "PRIVATE\n", os.listdir(folder))
        os.remove(path)
    # The library itself, which a program may use without the command.
    path = put("own.trace", lambda path: os.symlink(private, path))
    done = subprocess.run([world.path("host"), "own.trace", os.path.join(world.folder, "whole.so")], cwd=folder, capture_output=True, text=True,
                          timeout=120, check=False)
    expect(done.returncode == 1 and open(private, encoding="utf-8").read() == "PRIVATE\n", done)
    os.remove(path)
    os.mkfifo(os.path.join(folder, "dmtrace.trace.recording"))
    done = record("--", world.path("ends"), "calls")
    expect(done.returncode == 2 and "dmtrace.trace.recording is not a file: remove it, or name another file with -o" in done.stderr, done)
    os.remove(os.path.join(folder, "dmtrace.trace.recording"))
    # A part that is no process's comes while the program runs.
    for make in (all_may_read, os.mkfifo):
        put("plant", make)
        done = record("--children", "-o", "x.trace", "--", "sh", "-c",
                      "mv plant $(ls x.trace.recording.* | grep -v lock | head -1 | grep -oE '^x.trace.recording.[0-9]+').77; " + world.path("ends") + " calls")
        expect(done.returncode == 0 and "1 file of that beginning is another user's, or no file, and left out" in done.stderr and
               "some lost" in done.stderr, done)
        expect(world.counts("for_all/x.trace").get("ends.main", 1) == 1, "the program's calls")
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))


def recordings_at_once_have_different_files(world):
    """Each of two in a folder has its calls, whatever file they are asked for; and what a killed recorder left is kept."""
    folder = world.path("at_once")
    os.mkdir(folder)

    def begin(*options):
        command = subprocess.Popen([world.program, "record", *options, "--", world.path("instrumented"), "spin"], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(command.stdout.readline() == "spins\n", "it does not spin")
        while not os.path.exists(os.path.join(folder, "dmtrace.trace.recording")):
            time.sleep(0.01)
        return command

    def record(*options):
        done = subprocess.run([world.program, "record", *options, "--", world.path("ends"), "calls"], cwd=folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
        return done.returncode, done.stderr

    first = begin()
    for number in (2, 3):
        status, told = record()
        expect(status == 0 and "dmtrace.%d.trace: the trace goes here, since process %d records into dmtrace.trace" % (number, first.pid) in told and
               "none lost" in told, "%d: %s" % (status, told))
    status, told = record("-o", "dmtrace.trace")
    expect(status == 2 and "dmtrace.trace is being recorded into already, by process %d: name another file with -o" % first.pid in told, told)
    if has_names(world):
        status, told = record("--sample", "1ms")
        expect(status in (0, 125) and "dmtrace.4.trace: the trace goes here" in told, told)
    first.send_signal(signal.SIGTERM)
    told = first.communicate(timeout=120)[1]
    expect("none lost" in told, told)
    if has_names(world):
        expect(world.counts("at_once/dmtrace.trace")["instrumented.spin"] == 1, "the first one's trace")
        expect(world.counts("at_once/dmtrace.2.trace").get("instrumented.spin") is None, "the second one's trace")
    expect(not [each for each in os.listdir(folder) if "recording" in each], os.listdir(folder))

    killed = begin("-o", "dmtrace.trace")
    stream = os.path.join(folder, "dmtrace.trace.recording")
    while os.path.getsize(stream) < 100000:
        time.sleep(0.01)
    children = subprocess.run(["pgrep", "-P", str(killed.pid)], stdout=subprocess.PIPE, text=True, check=False).stdout.split()
    for each in [killed.pid] + [int(child) for child in children]:
        os.kill(each, signal.SIGKILL)
    killed.communicate(timeout=60)
    status, told = record()
    expect(status == 0 and "dmtrace.trace.recording-1: " in told and "none lost" in told, told)
    expect(world.info("at_once/dmtrace.trace.recording-1")["records"] > 1000, "what was left")
    expect(not os.path.exists(stream) and not os.path.exists(stream + ".lock"), os.listdir(folder))


def a_recorder_that_is_killed_ends_the_recording(world):
    """A second later nothing is written any more; the program goes on, and the next recording tells of what was left."""
    with open(world.path("serves.c"), "w", encoding="utf-8") as file:
        file.write("#include <unistd.h>\nstatic volatile unsigned sum;\nstatic void leaf(void) { sum++; }\n"
                   "int main(void)\n{\n    for (;;) {\n        for (int i = 0; i < 200; i++)\n            leaf();\n        usleep(10000);\n    }\n}\n")
    world.compile("serves", "gcc", [world.path("serves.c")], ["-finstrument-functions"])
    with open(world.path("serves.py"), "w", encoding="utf-8") as file:
        file.write("import time\ndef leaf(): pass\nwhile True:\n    for _ in range(200): leaf()\n    time.sleep(0.01)\n")
    for words, parts in ((["./serves"], False), (["sh", "-c", "./serves; true"], True), ([sys.executable, "serves.py"], True)):
        recorder = subprocess.Popen([world.program, "record", "-o", "left.trace", "--buffer", "64k", "--", *words], cwd=world.folder,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

        def files(number=recorder.pid, of_parts=parts):
            begin = "left.trace.recording" + (".%d." % number if of_parts else "")
            return [name for name in os.listdir(world.folder) if name.startswith(begin) and (of_parts or name == begin)]

        deadline = time.monotonic() + 120
        while not files() or os.path.getsize(world.path(files()[0])) < 200000:
            expect(time.monotonic() < deadline, "%s writes nothing" % words)
            time.sleep(0.05)
        stream, = files()
        recorder.kill()
        recorder.wait(timeout=60)
        size, since = 0, time.monotonic()
        while time.monotonic() - since < 3:    # on a busy machine the second may be long
            expect(time.monotonic() < deadline, "%s is recorded on" % words)
            if os.path.getsize(world.path(stream)) != size:
                size, since = os.path.getsize(world.path(stream)), time.monotonic()
            time.sleep(0.1)
        expect(subprocess.run(["pgrep", "-g", str(recorder.pid)], stdout=subprocess.DEVNULL, check=False).returncode == 0, "the program ended")
        _, told = world.record("-o", "left.trace", "--", "./instrumented")
        what = ("left.trace.recording: %.1f MB of 1 process of earlier recordings that did not come to their end are kept here" % (size / 1e6)
                if parts else "left.trace.recording-1: %.1f MB of an earlier recording that did not come to its end" % (size / 1e6))
        expect(what in told and "0.0 MB" not in told and "none lost" in told, told)
        os.killpg(recorder.pid, signal.SIGKILL)
        for name in os.listdir(world.folder):
            if name.startswith("left.trace.recording"):
                os.remove(world.path(name))


def a_duration_ends_what_begins_then(world):
    """The time counts from the first record on; what has not begun when it is over is not recorded."""
    for _ in range(5):
        _, told = world.record("-o", "short.trace", "--duration", "10ms", "--then", "keep", "--", "./ends", "calls")
        expect(world.counts("short.trace").get("ends.rest", 0) < 900, "%s: the stop was lost" % told)
    _, told = world.record("-o", "short.trace", "--duration", "100ms", "--then", "keep", "--", "./ends", "late", status=125)
    expect("it recorded no call in the time of --duration" in told, told)
    if not has_names(world):
        return
    world.record("-o", "short.trace", "--duration", "300ms", "--then", "keep", "--", "sh", "-c", "./ends calls; ./ends calls; ./ends calls")
    expect(10 < world.counts("short.trace")["ends.rest"] < 1000, world.counts("short.trace"))


def asked_to_end(world):
    """What asks the command to end is the program's, and the trace is written; also where ends of children are ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        for options in ([], ["--sample", "1ms"]):
            command = subprocess.Popen([world.program, "record", "-o", "asked.trace", *options, "--", "./instrumented", "spin"],
                                       cwd=world.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            expect(command.stdout.readline() == "spins\n", "it does not spin")
            time.sleep(0.7)  # it is looked at
            command.send_signal(number)
            said = command.communicate(timeout=120)[1]
            expect(command.returncode == 128 + number and "ended by signal %d" % number in said, "%d: %s" % (command.returncode, said))
            world.ask("check", "asked.trace")
    # What is sampled has to run for a while: a program that ends before the first look has no trace.
    for options, program in (([], "./instrumented"), (["--sample", "1ms"], "./busy")):
        subprocess.run([world.program, "record", "-o", "asked.trace", "--status", "recorder", *options, "--", program], cwd=world.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=120,
                       preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))


def the_status_is_that_of_the_program(world):
    for options in ([], ["--sample", "1ms"]):
        if options and not has_names(world):
            continue
        for manner, status in (("exit 0", 0), ("exit 1", 1), ("exit 3", 3), ("exit 125", 125), ("exit 255", 255), ("kill -TERM $$", 143),
                               ("kill -KILL $$", 137), ("kill -INT $$", 130)):
            words = ["--", "sh", "-c", "./instrumented > /dev/null; sleep 0.3; " + manner]
            _, told = world.record("-o", "status.trace", *options, *words, status=status)
            expect(status == 0 or "sh: ended" in told, told)
            # How a sampled program ended is found in another way, but what is made of it is the same.
            if not options or manner in ("exit 0", "exit 3", "kill -TERM $$"):
                world.record("-o", "status.trace", *options, "--status", "program", *words, status=status)
                world.record("-o", "status.trace", *options, "--status", "recorder", *words, status=0)
    # Nothing that was started has recorded a call, so there is no trace.
    for manner, status in (("exit 0", 125), ("exit 3", 3), ("kill -TERM $$", 143)):
        world.record("-o", "status.trace", "--", "sh", "-c", "true; " + manner, status=status)
        world.record("-o", "status.trace", "--status", "recorder", "--", "sh", "-c", "true; " + manner, status=1)
    # The recorder itself fails: no trace, and no status of a program that anybody could take for a recording.
    for options in ([], ["--sample", "1ms"])[:1 + has_names(world)]:
        for whose, manner, status in (("program", "_exit", 3), ("recorder", "_exit", 1), ("program", "rest", 125), ("recorder", "rest", 1)):
            world.record("-o", "/nowhere/a.trace", *options, "--status", whose, "--", "./instrumented", manner, status=status)
    for words, status in ((["--", "./nothere"], 1), (["--", "./instrumented", "_exit"], 0), (["--duration", "1s", "--", "./instrumented", "spin"], 0)):
        world.record("-o", "status.trace", "--status", "recorder", *words, status=status)
    _, told = world.record("--jvm", "1", "--status", "program", status=2)
    expect("--status is for a program that is started here" in told, told)
    _, told = world.record("--status", "program", "com.example.app", status=2)
    expect("--status is for programs on this machine" in told, told)
    _, told = world.record("--status", "mine", "--", "./instrumented", status=2)
    expect("must be one of program, recorder" in told, told)


def pairs_are_recorded_in_turns_and_compared(world):
    """The second program calls fib more; the one that goes first changes from pair to pair, and all traces are there."""
    said, told = world.record("--pairs", "2", "-o", "in_turns", "--", "./calling", "12", "--", "./calling", "13", status=0)
    turns = re.findall(r"pair (\d) of 2, (\w+)", told)
    expect(turns == [("1", "old"), ("1", "new"), ("2", "new"), ("2", "old")], turns)
    expect(sorted(os.listdir(world.path("in_turns"))) == ["new-1.trace", "new-2.trace", "old-1.trace", "old-2.trace"], "traces")
    expect("old-1.trace and 1 more" in said and "new-1.trace and 1 more" in said, said)
    calls = [world.info("in_turns/%s-1.trace" % side)["calls"] for side in ("old", "new")]
    expect(calls[0] < calls[1], calls)
    expect("no sources" not in told, told)
    # Without sources the class of a function is the program's name.
    for new, is_told in (("calling-new", True), ("in/calling-old", False)):
        os.makedirs(world.path("in"), exist_ok=True)
        for name in ("calling-old", new):
            subprocess.run(["objcopy", "--strip-debug", world.path("calling"), world.path(name)], check=True)
        _, told = world.record("--pairs", "1", "-o", world.path("in-%d" % is_told), "--", "./calling-old", "12", "--", "./" + new, "12", status=0)
        expect(("calling-old and calling-new have no sources (-g)" in told) == is_told, told)
    _, told = world.record("--pairs", "1", "-o", "in_turns", "--", "./calling", "1", "--", "./calling", "1", status=2)
    expect("in_turns is there already" in told, told)
    _, told = world.record("--pairs", "1", "--", "./calling", status=2)
    expect("--pairs needs two programs" in told, told)
    _, told = world.record("--pairs", "1", "--view", "--", "./calling", "--", "./calling", status=2)
    expect("no use for --view" in told, told)
    _, told = world.record("--pairs", "3", "-o", "fails", "--", "./instrumented", "--", "./nothing", status=127)
    expect("nothing is compared" in told, told)


def hard_programs(world):
    """Libraries at one address one after the other, one that waits while it is loaded, many threads, little memory."""
    for arguments in (["load", world.path("waits.so")], ["threads"],
                      ["churn", world.path("loaded.so"), world.path("other.so")], ["replace", world.path("loaded.so"), world.path("other.so")]):
        said, told = world.record("-o", "hard.trace", "--", "./hard", *arguments)
        expect("ended" not in told, told)
        if has_names(world):
            world.agrees("hard.trace", counted(said))
    _, told = world.record("-o", "hard.trace", "--", "./hard", "limit")
    expect("no memory for the calls of a thread" in told and "ended" not in told, told)
    expect(" records, 4 lost; " in told, told)    # two calls of the thread
    info = world.info("hard.trace")
    expect(info["properties"]["records-lost"] == "4" and ("records_lost", "data lost", 4) in
           [(finding["kind"], finding["severity"], finding["count"]) for finding in info["findings"]], info)
    _, told = world.record("-o", "hard.trace", "--", "./hard", "closed", status=125)
    expect(told.count("hard.trace.recording: Bad file descriptor: tracing stopped") == 1 and "ended" not in told, told)
    _, told = world.record("-o", "hard.trace", "--", "./hard", "overflow")
    expect("ended by signal 11" in told and "none lost" in told, told)
    expect(world.info("hard.trace")["threads"][0]["max_depth"] > 7000, "the calls of a full stack")


def programs_in_trouble(world):
    """One that changes its root and its user, one that crashes at once, one without symbols."""
    if os.geteuid() == 0:
        os.makedirs(world.path("empty"), exist_ok=True)
        _, told = world.record("-o", "user.trace", "--", "./hard", "user", world.path("empty"))
        expect("none lost" in told and "ended" not in told, told)
        expect(world.records("user.trace") == 2 * (100 * 21891 + 15 + 1), told)
    else:
        print("skipped: a program that changes its root and its user: needs root")
    for name, text in (("crash", "int main(void) { *(volatile int *)0 = 0; }"),
                       ("before", "__attribute__((constructor)) static void begin(void) { __builtin_trap(); } "
                                  "int main(void) { return 0; }")):
        with open(world.path(name + ".c"), "w", encoding="utf-8") as file:
            file.write(text)
        world.compile(name, "gcc", [world.path(name + ".c")], ["-finstrument-functions", "-Wno-array-bounds"])
        _, told = world.record("-o", "crash.trace", "--", world.path(name))
        expect("ended by signal" in told and "1 records, none lost" in told, told)
        world.ask("check", "crash.trace")
    with open(world.path("killed.c"), "w", encoding="utf-8") as file:
        file.write("#include <signal.h>\nint main(void) { return raise(SIGKILL); }")
    world.compile("killed", "gcc", [world.path("killed.c")], ["-finstrument-functions"])
    _, told = world.record("-o", "lost.trace", "--", "./killed", status=128 + 9)
    expect("traceview: ./killed: it recorded no call, or lost all: SIGKILL and exec() lose each thread's last ones\n" in told, told)
    subprocess.run(["strip", "-s", "-o", world.path("stripped"), world.path("instrumented")], check=True)
    said, told = world.record("-o", "stripped.trace", "--", "./stripped")
    expect(sum(world.counts("stripped.trace").values()) == sum(counted(said).values()), told)
    if has_names(world):
        expect("7 functions have no symbol" in told, told)
        expect(all(name.startswith("stripped.0x") for name in world.counts("stripped.trace")), world.counts("stripped.trace"))


def many_functions(world):
    """Each is looked up once: what took minutes for 100,000 when a search was as long as the table."""
    for count in (20000, 1000000)[:1 + world.is_all]:
        subprocess.run(["as", "--defsym", "COUNT=%d" % count, os.path.join(SOURCES, "many.s"), "-o", world.path("many.o")], check=True)
        world.compile("many", "gcc", ["many.c"], ["-finstrument-functions", world.path("many.o")])
        _, told = world.record("-o", "many.trace", "--", "./many")
        writings = world.writings("many.trace")
        expect("%d records, none lost" % (2 * (count + writings) + 2) in told, told)
        info = world.info("many.trace")
        expect(info["calls"] == count + writings + 1 and info["ranked"] == count + 2, info["calls"])
        if has_names(world):
            rows = json.loads(world.ask("top", "many.trace", "--match", "/\\.f%d /" % (count - 1), "--json"))["methods"]
            expect([row["name"] for row in rows] == ["f%d" % (count - 1)], rows)


def programs_of_the_sanitizers(world):
    for sanitizer in ("address", "undefined", "thread"):
        world.compile("sane", "gcc", ["instrumented.c"], ["-finstrument-functions", "-fsanitize=" + sanitizer])
        world.compile("sane++", "g++", ["instrumented.cpp"],
                      ["-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr", "-fsanitize=" + sanitizer, "-ldl"])
        for words in (["./sane"], ["./sane++", world.path("loaded.so")]):
            said, told = world.record("-o", "sane.trace", "--", *words)
            expect("none lost" in told, told)
            if has_names(world):
                world.agrees("sane.trace", counted(said))


def findings_of(world, trace):
    """The kinds above a note."""
    return {finding["kind"] for finding in world.info(trace)["findings"] if finding["severity"] != "note"}


def what_is_lost_is_told(world):
    """A process that is killed before its first block is full leaves an empty file, and one whose file may not grow stops in the
    middle: neither is whole, and the trace of the latter says so."""
    with open(world.path("lossy.c"), "w", encoding="utf-8") as file:
        file.write("#include <signal.h>\n#include <stdlib.h>\n#include <sys/resource.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                   "static void leaf(void) {}\n"
                   "int main(int count, char **words)\n{\n    if (count > 1) {\n"
                   "        const struct rlimit limit = {1000000, 1000000};\n        setrlimit(RLIMIT_FSIZE, &limit);\n"
                   "        for (int i = 0; i < atoi(words[count - 1]); i++)\n            leaf();\n"
                   "        if (count > 2)\n            raise(SIGKILL);\n        return 0;\n    }\n"
                   "    if (!fork()) {\n        leaf();\n        raise(SIGKILL);\n    }\n    wait(NULL);\n"
                   "    if (!fork()) {\n        leaf();\n        return 0;\n    }\n    wait(NULL);\n    return 0;\n}\n")
    world.compile("lossy", "gcc", [world.path("lossy.c")], ["-finstrument-functions"])
    _, told = world.record("-o", "lossy.trace", "--children", "--", "./lossy")
    expect("1 further processes went on, or were killed, before their first records were written: all are lost" in told, told)
    expect("records, some lost" in told and "none lost" not in told, told)
    expect(findings_of(world, "lossy.trace") == {"recording_cut"}, world.info("lossy.trace")["findings"])
    _, told = world.record("-o", "lossy.trace", "--", "./lossy", "1000000")
    expect("tracing stopped" in told and "the last ones of each thread are lost, or all since tracing stopped" in told, told)
    expect(not world.info("lossy.trace")["overflow"], "a disk without room is told as a full buffer")
    expect("recording_cut" in findings_of(world, "lossy.trace"), world.info("lossy.trace")["findings"])
    # What ran on, and ended well, does not hide what was killed before.
    _, told = world.record("-o", "lossy.trace", "--", "sh", "-c", "./lossy kill 10000; ./lossy 30000")
    expect("1 of the processes went on, or were killed" in told and "records, some lost" in told, told)
    expect("recording_cut" in findings_of(world, "lossy.trace"), world.info("lossy.trace")["findings"])
    with open(world.path("killed.c"), "w", encoding="utf-8") as file:
        file.write("#include <signal.h>\nint main(void) { raise(SIGKILL); return 0; }\n")
    world.compile("killed", "gcc", [world.path("killed.c")], ["-finstrument-functions"])
    _, told = world.record("-o", "lossy.trace", "--", "sh", "-c", "./killed; true", status=125)
    expect("it recorded no call, and what it started lost all: SIGKILL" in told and "compile it" not in told, told)


def a_stream_without_memory_is_told_as_a_full_buffer(world):
    """The library's summary says that it stopped, without a limit of the file; traceview record was there to the end."""
    with open(world.path("fill.py"), "w", encoding="utf-8") as file:
        file.write("import glob\nfor path in glob.glob('full.trace.recording*'):\n    bytes = open(path, 'rb').read()\n"
                   "    parts = bytes.split(b'data-file-overflow=false\\nclock=dual\\nelapsed-time-usec=')\n    if len(parts) == 2:\n"
                   "        open(path, 'wb').write(b'data-file-overflow=true\\nclock=dual\\nelapsed-time-usec=0'.join(parts))\n")
    _, told = world.record("-o", "full.trace", "--", "sh", "-c", "./hard limited; env -i python3 fill.py")
    expect("or all since tracing stopped" in told and "none lost" not in told, told)
    expect(findings_of(world, "full.trace") == {"overflow"} and world.info("full.trace")["overflow"], world.info("full.trace")["findings"])


def an_exec_loses_nothing(world):
    """By each function of the C library: both records of 21,891 calls of fib(), and the enters of main() and become()."""
    for manner in ("execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "fexecve"):
        for program in ("/bin/true", world.path("instrumented"))[:2 if manner == "execv" else 1]:
            _, told = world.record("-o", "exec.trace", "--", "./hard", "exec", program, manner)
            expect("none lost" in told, manner + ": " + told)
            world.ask("check", "exec.trace")
            expect(world.records("exec.trace") == 2 * 21891 + 2, (manner, world.records("exec.trace")))
    _, told = world.record("-o", "exec.trace", "--", "./hard", "exec", "/no/such/program", "execv", status=7)
    expect("none lost" in told and "exec failed" not in told, told)
    expect(world.counts("exec.trace")["hard.fib"] == 21891 + 177, world.counts("exec.trace"))
    world.record("-o", "exec.trace", "--", "sh", "-c", "exec ./instrumented")
    expect(world.info("exec.trace")["records"] > 4000, "a program behind a shell")


def a_size_ends_the_recording_and_the_program_goes_on(world):
    said, told = world.record("-o", "sized.trace", "--max-size", "200k", "--buffer", "64k", "--", "./hard", "limited")
    expect(said == "" and "sized.trace.recording: it has" in told and "what ran after --max-size was reached is missing" in told, told)
    size = os.path.getsize(world.path("sized.trace"))
    expect(200 * 1024 <= size <= 400 * 1024, size)
    info = world.info("sized.trace")
    expect(info["properties"]["file-limit"] == str(200 * 1024) and not info["overflow"], info["properties"])
    expect([finding["kind"] for finding in info["findings"] if finding["severity"] == "data lost"] == ["size_limit"], info["findings"])
    expect(info["records"] < 2 * 21891, info["records"])
    world.record("-o", "sized.trace", "--max-size", "100m", "--", "./hard", "limited")
    expect("file-limit" not in world.info("sized.trace")["properties"], "a limit that was not reached is told")


def a_ring_keeps_what_came_last(world):
    """The calls that are open where the trace begins are there; each dump while the program runs is a trace of its own."""
    calls = 3 * 1219
    for name, size, is_full in (("small", "64k", True), ("large", "64m", False)):
        _, told = world.record("-o", name + ".trace", "--ring", size, "--", "./calling", "14")
        expect("none lost" in told and ("room for the last part" if is_full else "room for all") in told, told)
        expect("nothing odd" in world.ask("check", name + ".trace"), "odd records")
        info = world.info(name + ".trace")
        expect(info["properties"]["ring-is-full"] == ("true" if is_full else "false"), info["properties"])
        expect(info["calls"] == calls + 1 if not is_full else calls / 4 < info["calls"] < calls, info["calls"])
        expect(info["threads"][0]["max_depth"] == 15 and info["elapsed_ns"] < 60e9, info)
    _, told = world.record("-o", "threads.trace", "--ring", "64k", "--", "./hard", "threads")
    expect("nothing odd" in world.ask("check", "threads.trace"), "odd records of threads that ended")
    command = subprocess.Popen([world.program, "record", "-o", "s.trace", "--ring", "1m", "--", "./instrumented", "spin"],
                               cwd=world.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(command.stdout.readline() == "spins\n", "it does not spin")
    for number in (1, 2):
        time.sleep(0.3)
        if number == 1:
            command.send_signal(signal.SIGUSR2)
        else:    # to the program itself, whose child this is not
            children = "/proc/%d/task/%d/children" % (command.pid, command.pid)
            with open(children, encoding="ascii") as file:
                os.kill(int(file.read()), signal.SIGRTMAX - 3)
        told = command.stderr.readline()
        expect(re.fullmatch(r"traceview: s-%d\.trace: \d+ records, of the last [\d.]+ s\n" % number, told), told)
        expect(command.poll() is None, "the program ended")
    command.send_signal(signal.SIGTERM)
    told = command.communicate(timeout=240)[1]
    expect("ended by signal 15" in told and "none lost" in told, told)
    calls = []
    for name in ("s-1.trace", "s-2.trace", "s.trace"):
        world.ask("check", name)
        calls.append(world.info(name)["calls"])
    expect(calls[0] < calls[1] < calls[2], calls)
    expect([name for name in os.listdir(world.folder) if "s.trace." in name] == [], os.listdir(world.folder))
    for options, told in ((["--buffer", "1m"], "instead of --buffer"), (["--max-size", "1m"], "instead of --buffer and --max-size"),
                          (["--sample", "1ms", "--slower-than", "1ms"], "which sees no call begin or end"), ([], "64k or more")):
        _, said = world.record("-o", "a.trace", "--ring", "1m" if options else "1k", *options, "--", "./instrumented", status=2)
        expect(told in said, said)


def code_that_a_program_makes_has_names(world):
    """By the map that it writes for perf, which may have any lines; Node.js writes one."""
    script = ("printf 'zz\\n\\n1\\n1 2\\n1 2 \\n 3 4 x\\nffffffffffffffff ffffffffffffffff x\\n0 10 \\377\\t\\n' > /tmp/perf-$$.map; "
              "echo $$; exec ./busy")
    said, told = world.record("-o", "map.trace", "--sample", "1ms", "--", "sh", "-c", script, status=5)
    os.remove("/tmp/perf-%s.map" % said.split()[0])
    expect("records; sampled every" in told, told)
    world.ask("check", "map.trace", "--strict")
    if not shutil.which("node"):
        print("skipped: names of code that a program makes: no Node.js")
        return
    with open(world.path("warm.js"), "w", encoding="utf-8") as file:
        file.write("function fib(n) {\n  return n < 2 ? n : fib(n - 1) + fib(n - 2);\n}\n"
                   "let sum = 0;\nwhile (process.cpuUsage().user < 800000) sum += fib(24);\nconsole.log(process.pid);\n")
    said, told = world.record("-o", "warm.trace", "--sample", "1ms", "--", "node", "--perf-basic-prof", "warm.js")
    os.remove("/tmp/perf-%s.map" % said.strip())
    rows = json.loads(world.ask("top", "warm.trace", "-n", "0", "--clock", "wall", "--json"))["methods"]
    fib = [row for row in rows if (row["class"], row["name"]) == ("warm", "fib")]
    expect(len(fib) == 1 and (fib[0]["file"], fib[0]["line"]) == ("warm.js", 1), [row["method"] for row in rows[:5]])
    expect(fib[0]["exclusive"]["wall_ns"] > 300e6, fib)


def programs_that_are_confined_end_as_ever(world):
    """By seccomp: what came before is there, and what is missing is said. With another user's rights: nothing is, and that is said."""
    for words, end in (([], None), (["dies"], "ended by signal 31")):
        said, told = world.record("-o", "confined.trace", "--", "./confined", *words, status=None)
        expect(said == "confined\n" and (not end or end in told) and "the last ones of each thread are lost" in told, told)
        expect("recording_cut" in findings_of(world, "confined.trace"), "the end is missing")
        expect(900 < world.counts("confined.trace")["confined.leaf"] < 6000, world.counts("confined.trace"))
    if os.geteuid():
        print("skipped: a set-user-ID program: not root")
        return
    shutil.copy(world.path("instrumented"), world.path("setuid"))
    os.chmod(world.folder, 0o755)
    os.chown(world.path("setuid"), 65534, 65534)
    os.chmod(world.path("setuid"), 0o4755)
    said, told = world.record("-o", "setuid.trace", "--", "./setuid", status=125)
    expect("it took no recorder: is it set-user-ID" in told and said, told)


def a_set_user_id_program_that_is_looked_at_lacks_its_rights(world):
    """The kernel gives a program that an ordinary user traces no other user's rights: that is told, of such programs alone."""
    if not has_names(world) or os.geteuid() or not shutil.which("setpriv"):
        print("skipped: a set-user-ID program that is looked at: not root, or no setpriv")
        return
    os.chmod(world.folder, 0o755)
    folder = world.path("everybody")
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    shutil.copy(world.program, os.path.join(folder, "traceview"))
    shutil.copy(world.path("busy"), os.path.join(folder, "ours"))
    shutil.copy(world.path("busy"), os.path.join(folder, "others"))
    os.chmod(os.path.join(folder, "others"), 0o4755)
    for words, is_told in ((["./ours"], False), (["./others"], True), (["sh", "-c", "./others; exit 5"], True),
                           (["--alone", "--", "sh", "-c", "./others; exit 5"], False)):
        done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "./traceview", "record", "--sample", "1ms",
                               "-o", "rights.trace"] + ([] if "--" in words else ["--"]) + words, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
        expect(done.returncode == 5 and ("traceview: others: it is set-user-ID or set-group-ID, and ran without those rights" in done.stderr) == is_told, done.stderr)
        expect(json.loads(world.ask("info", os.path.join(folder, "rights.trace"), "--json"))["sampled"], "a trace")


def what_a_sampled_program_starts_is_sampled(world):
    """All that it forks and starts, each process by its own kernel's figures, however it begins and ends."""
    if not has_names(world):
        return
    said, told = world.record("-o", "kin.trace", "--sample", "1ms", "--", "./children")
    world.ask("check", "kin.trace", "--strict")
    truth = {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}
    rows = json.loads(world.ask("top", "kin.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]
    seen = {row["name"]: row["inclusive"]["cpu_ns"] / 1e6 for row in rows}
    whole = truth.pop("all")
    expect(abs(sum(row["exclusive"]["cpu_ns"] for row in rows) / 1e6 - whole) < 0.05 * whole, "%s of %f" % (seen, whole))
    for name, ms in truth.items():    # the loader's time and that of the system's calls is beside it
        expect(abs(seen.get(name, 0) - ms) < 0.1 * ms + 10, "%s: %f of %f: %s" % (name, seen.get(name, 0), ms, told))
    expect("kin.trace: 8 processes: the names of threads begin with theirs" in told, told)
    names = {re.sub(r"\d+", "N", row["name"]) for row in world.info("kin.trace")["threads"]}
    expect(names == {"children N: main", "children N: children"}, names)

    said, told = world.record("-o", "kin.trace", "--sample", "1ms", "--", "sh", "-c", "nice -n 0 ./busy; exit 7", status=7)
    names = {re.sub(r"\d+", "N", row["name"]) for row in world.info("kin.trace")["threads"]}
    expect(names == {"sh N: main", "busy N: main", "busy N: busy"} and "kin.trace: 2 processes" in told, names)
    rows = {row["name"]: row for row in json.loads(world.ask("top", "kin.trace", "-n", "0", "--json"))["methods"]}
    expect(rows["work_hard"]["inclusive"]["cpu_ns"] > 0, rows["work_hard"])
    _, told = world.record("-o", "kin.trace", "--sample", "1ms", "--alone", "--", "sh", "-c", "./busy; exit 7", status=7)
    expect("work_hard" not in world.counts("kin.trace") and "processes" not in told, told)
    expect([row["name"] for row in world.info("kin.trace")["threads"]] == ["main"], "other rows")
    _, told = world.record("-o", "kin.trace", "--sample", "1ms", "--", "sh", "-c", "n=0; while [ $n -lt 40 ]; do n=$((n + 1)); true | true; done")
    missed = re.search(r"([\d.]+) ms of CPU time are missing: (\d+) threads ended before a look\n", told)
    expect(missed and float(missed[1]) > 1, told)


def what_a_sampled_program_starts_ends_as_ever(world):
    """What goes on when the program ends is let go; a time that is over ends all; Ctrl-C ends the looking of all or all of them."""
    if not has_names(world):
        return
    _, told = world.record("-o", "kin.trace", "--sample", "1ms", "--", "sh", "-c", "(./busy; echo $? >went_on) >/dev/null & sleep 0.1")
    expect(re.search(r"kin\.trace: [12] of the processes went on, and are in it until sh ended\n", told), told)
    end = time.monotonic() + 60
    while not os.path.exists(world.path("went_on")) or not os.path.getsize(world.path("went_on")):
        expect(time.monotonic() < end, "what went on does not end")
        time.sleep(0.05)
    with open(world.path("went_on"), encoding="ascii") as file:
        expect(file.read() == "5\n", "it ended otherwise")

    said, told = world.record("-o", "kin.trace", "--sample", "1ms", "--duration", "300ms", "--", "sh", "-c", "echo $$; sleep 60; echo after", status=0)
    expect(said.count("\n") == 1 and "ended by signal 15" in told, said + told)
    for then, status, ending in (("keep", 0, "after\n"), ("stop", 130, "")):
        script = "trap 'exit 130' INT; sleep 1 && ./busy; echo after"
        command = subprocess.Popen([world.program, "record", "-o", "kin.trace", "--sample", "1ms", "--then", then, "--", "sh", "-c",
                                    "echo begun; " + (script if then == "stop" else script.split("; ", 1)[1])], cwd=world.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        expect(command.stdout.readline() == "begun\n", "it does not begin")
        time.sleep(0.2)
        os.killpg(command.pid, signal.SIGINT)    # as a terminal does
        said, told = command.communicate(timeout=240)
        expect(said.endswith(ending) and ("1\n" in said) == (then == "keep") and command.returncode == status, (then, said, told))
        world.ask("check", "kin.trace", "--strict")


def samples_need_ptrace_but_for_java(world):
    """With --children, Java programs are looked at where nothing else can be."""
    if not has_names(world) or platform.machine() != "x86_64" or not os.path.exists(os.path.join(world.library, "libtraceview-jvm.so")):
        return
    done = subprocess.run([world.program, "record", "-o", "none.trace", "--sample", "1ms", "--children", "--", "sh", "-c", "true"], cwd=world.folder,
                          capture_output=True, text=True, timeout=240, check=False, preexec_fn=forbidding(101))
    expect(done.returncode == 125 and done.stderr == "traceview: sh: Java programs alone are looked at: Operation not permitted\n"
           "traceview: sh: no Java program was begun, and no other could be looked at\n", done.stderr)
    for options, told in ((["--alone"], "--alone is for --sample"), (["--alone", "--sample", "1ms", "--children"], "instead of --children"),
                          (["--children", "--sample", "1ms", "--depth", "3"], "no use for --depth")):
        _, said = world.record("-o", "none.trace", *options, "--", "sh", "-c", "true", status=2)
        expect(told in said, said)


def a_disk_needs_room_for_the_trace_alone(world):
    """Of 12 MB of calls, which are recorded into a stream and then written as a trace: not twice that."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("skipped: a disk that is filled: only root mounts a small one, with unshare")
        return
    calls = 3 * 150049    # of fib(24)
    for size, is_whole in (("64m", True), ("14m", True), ("6m", False)):
        with tempfile.TemporaryDirectory() as disk:
            script = ('mount -t tmpfs -o size=%s none "$1" && "$2" record -o "$1/a.trace" -- ./calling 24 >&2 && ls "$1" >&2 && '
                      '{ "$2" check "$1/a.trace" >&2; test $? = %d; } && "$2" top -n 0 --json "$1/a.trace"' % (size, 0 if is_whole else 3))
            done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", disk, world.program], cwd=world.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            expect(done.returncode == 0 and "\na.trace\n" in done.stderr and "recording\n" not in done.stderr, done.stderr)
            counted_here = sum(row["calls"] + row["recursive_calls"] for row in json.loads(done.stdout)["methods"]
                               if row["name"] != "writing")
            expect(counted_here == calls + 1 if is_whole else calls / 4 < counted_here < calls, (size, counted_here, done.stderr))
            expect(("none lost" if is_whole else "tracing stopped") in done.stderr, done.stderr)
    if not has_names(world):
        return
    # The stream goes as the trace is written, so that is not begun where names, which the stream has not, make it larger.
    with open(world.path("names.c"), "w", encoding="utf-8") as file:
        names = ["f_%d_%s" % (number, "n" * 200) for number in range(2000)]
        file.write("".join("static void %s(void) {}\n" % name for name in names))
        file.write("int main(void) {\n%s    return 0;\n}\n" % "".join("    %s();\n" % name for name in names))
    world.compile("names", "gcc", [world.path("names.c")], ["-finstrument-functions", "-O0", "-g0"])
    with tempfile.TemporaryDirectory() as disk:
        script = ('mount -t tmpfs -o size=280k none "$1" && "$2" record -o "$1/a.trace" -- ./names; echo $? >&2; ls "$1" >&2; '
                  '"$2" top -n 0 --json "$1/a.trace.recording"')
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", disk, world.program], cwd=world.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        expect(done.returncode == 0 and "a.trace.recording: the calls are kept here\n" in done.stderr and
               re.search(r"a\.trace: the disk has no room for it: with names it has [\d.]+ kB, for which [1-9][\d.]* kB are missing\n125\na\.trace\.recording\n", done.stderr),
               done.stderr)
        expect(sum(row["calls"] for row in json.loads(done.stdout)["methods"] if row["name"] != "writing") == 2001, "calls")


def samples_are_counted_while_they_are_taken(world):
    """On a terminal that the program does not write to."""
    terminal = OnTerminal(["sh", "-c", "exec '%s' record -o live.trace --sample 1ms -- sleep 1 >/dev/null" % world.program],
                          world.folder, os.environ)
    status, text = terminal.end()
    expect(status == 0, text)
    expect(re.search(r"traceview: sleep  0\.[2-9] s, \d+ stacks?; Ctrl-C ends it", text), text)
    terminal.live_lines(text)


def samples_have_a_size(world):
    """The looking ends with it, and the program goes on; of what it does then there is nothing."""
    if not has_names(world):
        return
    _, told = world.record("-o", "part.trace", "--sample", "1ms", "--max-size", "8k", "--", "./shares", "bursts", "700")
    expect("./shares: its samples take 8192 bytes, as many as they may: it is looked at no more\n" in told and
           "what ran after --max-size was reached is missing: a longer time for --sample takes less" in told, told)
    info = world.info("part.trace")
    expect(info["properties"]["file-limit"] == "8192" and not info["overflow"] and 14 * info["records"] <= 8192 + 4096 * 14, info)
    _, told = world.record("-o", "whole.trace", "--sample", "1ms", "--max-size", "100m", "--", "./shares", "bursts", "700")
    whole = world.info("whole.trace")
    expect("file-limit" not in whole["properties"] and not whole["overflow"] and "missing: a longer" not in told, told)
    expect(info["records"] < whole["records"] and info["elapsed_ns"] < whole["elapsed_ns"], (info, whole))
    # A time that is over ends the program as ever, when its samples have reached their size before.
    _, told = world.record("-o", "part.trace", "--sample", "1ms", "--max-size", "1k", "--duration", "1s", "--", "sh", "-c",
                           "./shares bursts 100; ./shares bursts 100; sleep 60", status=0)
    expect("looked at no more" in told and "ended by signal 15" in told, told)


def samples_have_a_ring(world):
    """What came last is kept, of each thread from the same moment on; more traces are written when they are asked for."""
    if not has_names(world):
        return
    for size, is_full, ms in (("64k", True, "1500"), ("64m", False, "200")):
        _, told = world.record("-o", "ring.trace", "--sample", "1ms", "--ring", size, "--", "./shares", "bursts", ms)
        expect(("room for the last part" if is_full else "room for all") in told, told)
        world.ask("check", "ring.trace", "--strict")
        info = world.info("ring.trace")
        expect(info["properties"]["ring-is-full"] == ("true" if is_full else "false") and not info["overflow"], info["properties"])
        rows = json.loads(world.ask("top", "ring.trace", "-n", "0", "--json"))["methods"]
        whole = [row["inclusive"] for row in rows if row["name"] == "main"]
        expect(len(whole) == 1 and whole[0]["cpu_ns"] <= whole[0]["wall_ns"] <= info["elapsed_ns"], (whole, info))
        kept = 14 * info["records"]
        expect(kept < 128 * 1024 if is_full else kept > 0, kept)
    command = subprocess.Popen([world.program, "record", "-o", "s.trace", "--sample", "1ms", "--ring", "1m", "--", "./instrumented", "spin"],
                               cwd=world.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(command.stdout.readline() == "spins\n", "it does not spin")
    for number in (1, 2):
        time.sleep(0.5)
        command.send_signal(signal.SIGUSR2)
        told = command.stderr.readline()
        expect(re.fullmatch(r"traceview: s-%d\.trace: \d+ records, of the last [\d.]+ s\n" % number, told), told)
        expect(command.poll() is None, "the program ended")
    command.send_signal(signal.SIGTERM)
    told = command.communicate(timeout=240)[1]
    expect("ended by signal 15" in told and "room for all" in told, told)
    elapsed = []
    for name in ("s-1.trace", "s-2.trace", "s.trace"):
        world.ask("check", name)
        elapsed.append(world.info(name)["elapsed_ns"])
    expect(elapsed[0] < elapsed[1] < elapsed[2], elapsed)


def a_slow_call_has_the_ring_written(world):
    """Each of three slow requests does, and by any call what is idle does, too."""
    for options, names in (([], {"slow.wait_ms": 4}), (["--slow-method", "handle"], {"slow.handle": 3})):
        _, told = world.record("-o", "w.trace", "--ring", "1m", "--slower-than", "30ms", *options, "--", "./slow")
        seen = {}
        for number, name in re.findall(r"w-(\d)\.trace: \d+ records, of the last [\d.]+ s: (\S+) took [\d.]+ ms\n", told):
            seen[name] = seen.get(name, 0) + 1
            expect(int(number) == sum(seen.values()), told)
            world.ask("check", "w-%s.trace" % number)
        # A machine with much to do makes other calls slow.
        expect(all(seen.get(name, 0) >= count - 1 for name, count in names.items()) and (not options or set(seen) == set(names)), told)
        calls = [world.counts("w-%d.trace" % number)["slow.handle"] for number in (1, 2, 3)]
        expect(calls[0] <= calls[1] <= calls[2] and calls[0] < calls[2] and (not options or calls[0] >= 51), calls)
    _, told = world.record("-o", "w.trace", "--ring", "1m", "--slower-than", "30ms", "--slow-method", "wait_ms", "--", "./slow")
    expect("no method of --slow-method wait_ms was called: check the name; a program in C" in told, told)
    # A call that a jump leaves has ended.
    with open(world.path("jumps.c"), "w", encoding="utf-8") as file:
        file.write("#include <setjmp.h>\n#include <unistd.h>\nstatic jmp_buf place;\n"
                   "void jumper(void)\n{\n    usleep(70000);\n    longjmp(place, 1);\n}\n"
                   "int main(void)\n{\n    for (volatile int i = 0; i < 2; i++) {\n        if (!setjmp(place))\n            jumper();\n"
                   "        usleep(60000);\n    }\n    return 0;\n}\n")
    world.compile("jumps", "gcc", [world.path("jumps.c")], ["-finstrument-functions", "-rdynamic"])
    _, told = world.record("-o", "w.trace", "--ring", "1m", "--slower-than", "50ms", "--slow-method", "jumper", "--", "./jumps")
    expect(len(re.findall(r"s: (?:jumps\.)?jumper took [\d.]+ ms\n", told)) == 2, told)
    for options, why in ((["--slower-than", "1ms"], "--slower-than is for --ring"), (["--ring", "1m", "--slow-method", "a"], "--slow-method for"),
                         (["--ring", "1m", "--slower-than", "1ns"], "below 1us")):
        _, told = world.record("-o", "a.trace", *options, "--", "./slow", status=2)
        expect(why in told, told)


def stacks_that_a_program_changes_between_have_rows(world):
    """Five contexts in each of two threads take turns, with calls open; one of each five ends, four are left where they were."""
    world.compile("contexts", "gcc", ["contexts.c"], ["-finstrument-functions"])
    turns = 7
    _, told = world.record("-o", "contexts.trace", "--", "./contexts", str(turns))
    expect("none lost" in told, told)
    world.ask("check", "contexts.trace")
    rows = world.info("contexts.trace")["threads"]
    names = [row["name"] for row in rows]
    expect(len(rows) == 12 and {"main"} | {"context %d" % n for n in range(1, 11)} <= set(names), names)
    if not has_names(world):
        return
    for row in rows:
        counts = world.counts("contexts.trace", "--thread", str(row["id"]))
        number = row["name"].startswith("context ") and (int(row["name"].split()[1]) - 1) % 5 + 1
        if number:
            # The last time only the first context is gone on with: the others are in their last turn.
            expect(counts == {"contexts.body": 1, "contexts.deep": number * turns, "contexts.go": turns,
                              "contexts.leaf": 2 * turns - (number > 1)}, (row["name"], counts))
        else:
            play = {"contexts.play": 1, "contexts.make": 5, "contexts.leaf": turns + 1}
            expect(counts == (dict(play, **{"contexts.main": 1}) if row["name"] == "main" else play), (row["name"], counts))


def what_a_program_starts_is_recorded(world):
    """Children of a fork, that go on by themselves or exec another program; programs that a shell starts."""
    if not has_names(world):
        return
    with open(world.path("forks.c"), "w", encoding="utf-8") as file:
        file.write("#include <sys/wait.h>\n#include <unistd.h>\nstatic void leaf(void) {}\n"
                   "static void child(int n) { for (int i = 0; i < n; i++) leaf(); }\n"
                   "int main(void)\n{\n    leaf();\n    for (int n = 1; n <= 3; n++) {\n        if (!fork()) {\n            child(10 * n);\n"
                   "            if (n == 3) {\n                execl(\"./hard\", \"hard\", \"limited\", (char *)0);\n            }\n"
                   "            _exit(0);\n        }\n    }\n    while (wait(0) > 0) {\n    }\n    return 0;\n}\n")
    world.compile("forks", "gcc", [world.path("forks.c")], ["-finstrument-functions"])
    _, told = world.record("-o", "forked.trace", "--", "./forks")
    world.agrees("forked.trace", {"forks.main": 1, "forks.leaf": 1})
    processor = world.info("forked.trace")["properties"].get("processor")
    expect(platform.machine() != "x86_64" or processor, "a recording tells its processor")
    all_of_it = {"forks.main": 1, "forks.leaf": 61, "forks.child": 3, "hard.main": 1, "hard.fib": 21891}
    for words, name, count in ((["--children", "--", "./forks"], "forks", 5), (["--", "sh", "-c", "./forks; true"], "forks", 5)):
        _, told = world.record("-o", "forked.trace", *words)
        expect("forked.trace: %d processes" % count in told and "none lost" in told, told)
        world.agrees("forked.trace", all_of_it)
        expect(world.info("forked.trace")["properties"].get("processor") == processor, "and so does one of several processes")
        names = sorted(row["name"] for row in world.info("forked.trace")["threads"])
        expect([re.sub(r"\d+", "N", each) for each in names] == ["forks N: main"] * 4 + ["hard N: main"], names)
        expect(not [each for each in os.listdir(world.folder) if each.startswith("forked.trace.")], "files are left")
    # A fork without handlers, of glibc 2.34 and later.
    with open(world.path("alone.c"), "w", encoding="utf-8") as file:
        file.write("#include <sys/wait.h>\n#include <unistd.h>\npid_t _Fork(void) __attribute__((weak));\nstatic void leaf(void) {}\n"
                   "int main(void)\n{\n    leaf();\n    if (!_Fork) return 3;\n    if (!_Fork()) {\n"
                   "        for (int i = 0; i < 10; i++) leaf();\n        _exit(0);\n    }\n    return wait(0) < 0;\n}\n")
    world.compile("alone", "gcc", [world.path("alone.c")], ["-finstrument-functions", "-Wno-misleading-indentation"])
    if platform.libc_ver()[1].split(".") >= ["2", "34"]:
        _, told = world.record("-o", "forked.trace", "--children", "--", "./alone")
        expect("2 processes" in told and "none lost" in told, told)
        world.agrees("forked.trace", {"alone.main": 1, "alone.leaf": 11})
    # What of a call's cost is whose is told of all processes or not at all: the library of one may be from before it was.
    for change, keys in (("", {"call", "leaf", "calling"}), ("sed -i s/record-leaf-/record-l.af-/ forked.trace.*.*.*; ", {"call"})):
        world.record("-o", "forked.trace", "--", "sh", "-c", "./hard limited; %s./hard limited" % change)
        properties = world.info("forked.trace")["properties"]
        costs = {name: int(value) for name, value in properties.items() if re.fullmatch("record-.*-overhead-nsec", name)}
        expect(costs.keys() == {"record-%s-overhead-nsec" % key for key in keys} and costs["record-call-overhead-nsec"] > 0, costs)
    # What is missing of one process is missing of the whole.
    for options, key, value, line in ((["--ring", "64k"], "ring-is-full", "true", "a ring of 64 KiB had room for the last part"),
                                      (["--depth", "3"], "depth-limit", "3", "2 processes")):
        _, told = world.record("-o", "forked.trace", *options, "--", "sh", "-c", "./hard limited; ./hard limited")
        expect(line in told and world.info("forked.trace")["properties"].get(key) == value, (told, world.info("forked.trace")["properties"]))
        refused = subprocess.run([world.program, "counts", "forked.trace"], cwd=world.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, check=False)
        expect(refused.returncode == 1 and "so its counts are not those of the program" in refused.stderr, refused)
    _, told = world.record("-o", "forked.trace", "--", "sh", "-c", "./hard limited")
    world.agrees("forked.trace", {"hard.main": 1, "hard.fib": 21891})
    expect("processes" not in told, told)


def processes_of_several_namespaces_have_a_file_each(world):
    """All of one number, and at the same time."""
    if not has_names(world):
        return
    if os.geteuid() != 0 or subprocess.run(["unshare", "-pf", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("skipped: processes of one number: only root makes namespaces, with unshare")
        return
    each = "unshare -pf ./ends calls >/dev/null & "
    _, told = world.record("-o", "spaces.trace", "--", "sh", "-c", 3 * each + "wait")
    expect("spaces.trace: 3 processes" in told and "none lost" in told, told)
    world.agrees("spaces.trace", {"ends.rest": 3 * 1000, "ends.rest_often": 3})
    # So it is in Python, where a file is made before the first call.
    each = "unshare -pf '%s' -c 'import time\ndef f(): pass\nfor _ in range(50): f()\ntime.sleep(0.5)' & " % sys.executable
    _, told = world.record("-o", "spaces.trace", "--", "sh", "-c", 3 * each + "wait")
    expect(world.counts("spaces.trace")["__main__.f"] == 150, told)
    expect(not [name for name in os.listdir(world.folder) if name.startswith("spaces.trace.")], "files are left")


def a_program_of_the_search_path_has_names(world):
    if not has_names(world):
        return
    os.makedirs(world.path("bin"), exist_ok=True)
    os.replace(world.path("instrumented"), world.path("bin/found"))
    environment = dict(os.environ, PATH=world.path("bin") + ":" + os.environ["PATH"])
    done = subprocess.run([world.program, "record", "-o", "found.trace", "--", "found"], cwd=world.folder, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, check=True)
    os.replace(world.path("bin/found"), world.path("instrumented"))
    world.agrees("found.trace", counted(done.stdout))


def what_cannot_become_a_trace_is_kept(world):
    _, said = world.record("-o", "folder.trace", "--", "sh", "-c", "mkdir folder.trace; ./instrumented", status=125)
    expect("folder.trace.recording: the calls are kept here" in said, said)
    expect(world.info("folder.trace.recording")["records"] > 4000, "the calls")


def a_program_without_a_recorder_keeps_running(world):
    _, said = world.record("--duration", "100ms", "--then", "keep", "-o", "static.trace", "--", "./static", "rest", status=125)
    expect(said.strip() == "traceview: ./static: it took no recorder: is it set-user-ID, of another C library "
                            "than glibc, or linked statically, but not with "
                            "libtraceview-instrument.a?", said)


def a_program_of_another_c_library_runs_on(world):
    """musl's loader ends a program that something is preloaded to which needs glibc; here it is glibc's, by that name."""
    loader = re.search(r"interpreter: (\S+)\]", subprocess.run(["readelf", "-l", world.path("calls")], stdout=subprocess.PIPE,
                                                              text=True, check=True).stdout)[1]
    os.symlink(loader, world.path("ld-musl-none.so.1"))
    world.compile("foreign", "gcc", ["instrumented.c"], ["-finstrument-functions", "-Wl,--dynamic-linker=" + world.path("ld-musl-none.so.1")])
    said, told = world.record("-o", "foreign.trace", "--", "./foreign", status=125)
    expect("instrumented.fib 1973" in said and "of another C library than glibc" in told, said + told)


def scopes_of_an_instrumented_program_are_calls_as_well(world):
    if not has_names(world):
        return
    for name in ("./both", "./both++"):
        said, _ = world.record("-o", "both.trace", "--", name)
        world.agrees("both.trace", counted(said))


def told_cost(world):
    """What a recording says that a call cost itself and its caller, fib's row by the program, and the whole cost's share of fib's CPU
    time."""
    world.record("-o", "cost.trace", "--", "./calling", "22")
    rows = json.loads(world.ask("top", "cost.trace", "--overhead", "--json"))["methods"]
    properties = world.info("cost.trace")["properties"]
    cost_ns, leaf_ns, calling_ns = (int(properties["record-%s-overhead-nsec" % part]) for part in ("call", "leaf", "calling"))
    expect(0 < leaf_ns <= cost_ns and calling_ns <= cost_ns, properties)
    fib = max(rows, key=lambda row: row["calls"] + row["recursive_calls"])
    return leaf_ns, calling_ns, fib, (fib["calls"] + fib["recursive_calls"]) * cost_ns / fib["exclusive"]["cpu_ns"]


def what_tracing_costs_is_told(world):
    """A program that does little but call: by the file most of its CPU time is tracing, and not more than all of it.

    The cost is measured when the program begins. Where others have the processor then and not later, it is another: one
    of some recordings must be without that."""
    shares = []
    while not shares or not 0.3 < shares[-1] < 1.5:
        expect(len(shares) < 20, "shares of all that calls cost: %s" % shares)
        leaf_ns, calling_ns, fib, share = told_cost(world)
        shares.append(share)
        calls = fib["calls"] + fib["recursive_calls"]
        expect(calls == 3 * 57313, "fib(22) three times: %d calls" % calls)
        # Nearly all calls of the recorder's own method are made in fib.
        least, most = (min(calls * leaf_ns + (calls - 3 + more) * calling_ns, fib["exclusive"]["cpu_ns"])
                       for more in (0, world.writings("cost.trace")))
        expect(least <= fib["overhead_ns"] <= most, fib)


def cpu_records(path):
    """The records of a trace of one thread, version 3: the word of each (method and action), and its CPU time in microseconds."""
    with open(path, "rb") as file:
        data = file.read()
    begin = data.index(b"\n*end\n") + len(b"\n*end\n") + 32
    return [(word, cpu) for _, word, cpu, _ in struct.iter_unpack("<HIII", data[begin:])]


def what_writing_took_is_no_time_of_the_program(world):
    """A full block is written by the thread that filled it: that is a call of the recorder's own, below the call that was open.

    A loop of 400,000 empty calls writes some 400 blocks, each of which takes tens of microseconds. Where these were time of the
    empty calls, each would be a slow one; other calls are interrupted now and then."""
    with open(world.path("empties.c"), "w", encoding="utf-8") as file:
        file.write("static volatile int sum;\n__attribute__((noinline)) static void empty(void) { sum++; }\n"
                   "int main(void) { for (int i = 0; i < 400000; i++) empty(); return 0; }\n")
    world.compile("empties", "gcc", [world.path("empties.c")], ["-finstrument-functions"])
    _, told = world.record("-o", "empties.trace", "--", "./empties")
    rows = {row["name"]: row for row in json.loads(world.ask("top", "empties.trace", "--overhead", "--json"))["methods"]}
    writing = rows["writing"]
    expect(writing["class"] == "traceview" and 300 < writing["calls"] < 600, writing)
    expect(writing["overhead_ns"] == writing["exclusive"]["cpu_ns"] and writing["mostly_overhead"], writing)
    properties = world.info("empties.trace")["properties"]
    share = writing["exclusive"]["cpu_ns"] / int(properties["record-writing-nsec"])
    expect(0.8 < share < 1.2, "of record-writing-nsec its calls have %s" % share)
    cost_ms = (int(properties["record-call-overhead-nsec"]) * 400000 + int(properties["record-writing-nsec"])) / 1e6
    said = float(re.search(r"recording took some ([\d.]+) ms", told)[1])
    expect(0.97 < said / cost_ms < 1.03, "%s ms by the properties: %s" % (cost_ms, told))
    slow, is_writing = 0, False
    for before, now in itertools.pairwise(cpu_records(world.path("empties.trace"))):
        is_writing = before[0] == int(writing["id"], 16)
        slow += not is_writing and now[1] - before[1] >= 10
    expect(slow < writing["calls"] / 3, "%d slow calls, %d blocks" % (slow, writing["calls"]))
    expect("writing" not in world.ask("counts", "empties.trace"), "a lockfile names the recorder's method")


def a_recording_that_costs_much_says_so(world):
    """A loop of empty calls is mostly recording; the same number of calls with work between them is not."""
    for name, work, is_told in (("only_calls", "0", True), ("mostly_works", "5000", False)):
        with open(world.path(name + ".c"), "w", encoding="utf-8") as file:
            file.write("static volatile int sum;\n__attribute__((noinline)) static void call(void) { sum++; }\n"
                       "int main(void) { for (int i = 0; i < %s; i++) { call();\n"
                       "for (int j = 0; j < %s; j++) sum += j; } return 0; }\n" % ("500000" if is_told else "5000", work))
        world.compile(name, "gcc", [world.path(name + ".c")], ["-finstrument-functions"])
        _, told = world.record("-o", "costs.trace", "--", "./" + name)
        expect(bool(re.search(r"costs\.trace: recording took \d+ % of the CPU time, and makes short methods look large: --sample 1ms", told))
               == is_told, told)


def patterns_and_a_duration_leave_out_whole_calls(world):
    if has_names(world):
        said, told = world.record("-o", "left.trace", "--skip", "instrumented.fib", "--skip", "/dive|jump/", "--", "./instrumented")
        left = {name: calls for name, calls in counted(said).items() if not re.search("fib|dive|jump", name)}
        world.agrees("left.trace", left)
        world.dump_agrees("left.trace", left)
        skipped = sum(counted(said).values()) - sum(left.values())
        expect("left.trace: %d calls are left out" % skipped in told, told)
        expect(world.info("left.trace")["properties"]["calls-left-out"] == str(skipped), "the property")
        # What they cost is in the time of the others, and a call costs as much as where all are kept.
        expect("Tracing is not told: %d calls were left out" % skipped in world.ask("top", "left.trace", "--overhead"), "a net time")
        answer = json.loads(world.ask("top", "left.trace", "--overhead", "--json"))
        expect(not any("overhead_ns" in row for row in answer["methods"]), answer)
        _, told = world.record("-o", "left.trace", "--only", "instrumented.main", "--", "./instrumented")
        properties = world.info("left.trace")["properties"]
        written_ns = int(properties.get("record-writing-nsec", 0)) / int(properties["calls-left-out"])
        of_call_ns = int(re.search(r"\((\d+) ns a call", told)[1])
        expect(of_call_ns <= int(properties["record-call-overhead-nsec"]) + written_ns + 1, told)
        said, _ = world.record("-o", "left.trace", "--only", "fib", "--skip", "leaf", "--", "./instrumented")
        world.agrees("left.trace", {"instrumented.fib": 1973})
        _, told = world.record("-o", "left.trace", "--only", "no such function", "--", "./instrumented", status=125)
        expect("./instrumented: all of its calls are left out" in told, told)
        said, _ = world.record("-o", "left.trace", "--skip", "shapes::square", "--", "./instrumented++", world.path("loaded.so"))
        world.agrees("left.trace", {name: calls for name, calls in counted(said).items() if "shapes.square" not in name})
    world.record("-o", "left.trace", "--min-duration", "100us", "--", "./instrumented")
    world.ask("check", "left.trace")
    rows = json.loads(world.ask("top", "left.trace", "-n", "0", "--clock", "wall", "--per-call", "--json"))["methods"]
    expect(rows and min(row["per_call"]["wall_ns"]["min"] for row in rows) >= 100000, rows)
    properties = world.info("left.trace")["properties"]
    expect(int(properties["short-calls-left-out"]) == int(properties["calls-left-out"]) > 0, properties)
    _, told = world.record("-o", "left.trace", "--only", "(", "--only", "/(/", "--", "./instrumented", status=2)
    expect(told.startswith("traceview: record: the regular expression is wrong"), told)


def lines_of_samples_are_told(world):
    """One more frame has the line of the innermost function; without --lines there is none. Where nothing tells lines, neither."""
    if not has_names(world):
        return
    world.compile("lines", "gcc", ["lines.c"], [])
    shutil.copy(world.path("lines"), world.path("lines_stripped"))
    subprocess.run(["strip", "-g", world.path("lines_stripped")], check=True)
    said, _ = world.record("-o", "lines.trace", "--sample", "1ms", "--lines", "--", "./lines", "60", before=show_debugging_files)
    world.ask("check", "lines.trace")
    rows = {row["name"]: row for row in json.loads(world.ask("top", "lines.trace", "-n", "0", "--json"))["methods"]}
    cpu_ns = {name: row["exclusive"]["cpu_ns"] for name, row in rows.items()}
    whole_ns = rows["work"]["inclusive"]["cpu_ns"]
    # A loop's line has its condition's time, too, by how the compiler made it: so both are added.
    first, second = (sum(cpu_ns.get("work:%d" % line, 0) for line in lines) / whole_ns for lines in ((24, 25), (27, 28)))
    share = float(said)
    expect(abs(first - share) < 0.12 and abs(second - (1 - share)) < 0.12 and not cpu_ns["work"], (share, first, second, cpu_ns))
    expect(rows["work:28"]["line"] == 28 and rows["work:28"]["file"] == "lines.c", rows["work:28"])
    expect(rows["of_inlined:lines.h:9"]["line"] == 9 and rows["of_inlined:lines.h:9"]["file"] == "lines.h", sorted(rows))
    callers = world.ask("callers", "lines.trace", "lines.work:28", "--json")
    expect('"lines.work ()"' in callers, callers)
    for options, name in (([], "./lines"), (["--lines"], "./lines_stripped")):
        world.record("-o", "whole.trace", "--sample", "1ms", *options, "--", name, "10")
        names = {method.split(".")[-1] for method in world.counts("whole.trace")}
        # A look at the C library, which may have its lines on this machine, tells them.
        expect("work" in names and not any(one.startswith(("work:", "main:", "of_inlined:")) for one in names), names)


def functions_are_of_the_file_that_declares_them(world):
    """Also where a function begins with another one that is inlined, and where the compiler writes no .debug_aranges."""
    if not has_names(world):
        return
    with open(world.path("within.h"), "w", encoding="utf-8") as file:
        file.write("static volatile long sum;\n"
                   "static inline __attribute__((always_inline, no_instrument_function)) void within(void)\n"
                   "{ for (int i = 0; i < 30000000; i++) sum++; }\n")
    with open(world.path("around.c"), "w", encoding="utf-8") as file:
        file.write('#include "within.h"\n\n__attribute__((noinline)) void around(void) { within(); }\n\nint main(void) { around(); return 0; }\n')
    for compiler in ("gcc", "clang"):
        for options in ([], ["-gsplit-dwarf"]):
            if not shutil.which(compiler):
                continue
            world.compile("around", compiler, [world.path("around.c")], options, world.folder)  # where clang puts around.dwo
            world.record("-o", "around.trace", "--sample", "1ms", "--", "./around")
            rows = json.loads(world.ask("top", "around.trace", "-n", "0", "--json"))["methods"]
            places = [(row["class"], row["file"], row.get("line")) for row in rows if row["name"] == "around"]
            expect(places == [("around", "around.c", 3)], (compiler, options, places))
            world.record("-o", "around.trace", "--sample", "1ms", "--lines", "--", "./around")
            rows = json.loads(world.ask("top", "around.trace", "-n", "0", "--json"))["methods"]
            expect(any(row["name"] == "around:within.h:3" for row in rows), (compiler, options, [row["name"] for row in rows]))
            world.compile("around", compiler, [world.path("around.c")], options + ["-finstrument-functions"], world.folder)
            world.record("-o", "around.trace", "--", "./around")
            rows = json.loads(world.ask("top", "around.trace", "-n", "0", "--json"))["methods"]
            places = {row["name"]: (row["class"], row["file"], row.get("line")) for row in rows}
            expect(places == {"around": ("around", "around.c", 3), "main": ("around", "around.c", 5)}, (compiler, options, places))


def names_of_rust_are_readable(world):
    """In C, with the names that a Rust compiler gives: of version 0, and of the older way."""
    if not has_names(world):
        return
    with open(world.path("rusty.c"), "w", encoding="utf-8") as file:
        file.write('void go(void) __asm__("_RNvXC1aINtB2_1GmENtB2_1T2go");\nvoid go(void) {}\n'
                   'void of(void) __asm__("_ZN58_$LT$a..deep..G$LT$X$GT$$u20$as$u20$core..clone..Clone$GT$2of17h0123456789abcdefE");\nvoid of(void) {}\n'
                   "int main(void) { go(); of(); return 0; }\n")
    world.compile("rusty", "gcc", [world.path("rusty.c")], ["-finstrument-functions"])
    world.record("-o", "rusty.trace", "--", "./rusty")
    rows = json.loads(world.ask("top", "rusty.trace", "-n", "0", "--json"))["methods"]
    names = {(row["class"], row["name"]) for row in rows}
    expect(names == {("<a::G<u32> as a::T>", "go"), ("<a::deep::G<X> as core::clone::Clone>", "of"), ("rusty", "main")}, names)


def programs_that_are_not_instrumented_are_sampled(world):
    if not has_names(world):
        _, told = world.record("-o", "busy.trace", "--sample", "1ms", "--", "./busy", status=125)
        expect("--sample: " in told, told)
        return
    for program in ("./busy", "./busy_static"):
        # What is seen of the thread and of main is some of what they did: the first looks take long, and on a machine
        # that is busy with other things few follow. A look at the next run is another chance.
        for chances_left in reversed(range(6)):
            said, told = world.record("-o", "busy.trace", "--sample", "1ms", "--", program)
            expect(said == "1\n" and "ended with status 5" in told and "sampled every 1000 us" in told, said + told)
            world.ask("check", "busy.trace", "--strict")
            info = world.info("busy.trace")
            expect(info["sampled"] and info["properties"]["sampling-interval-usec"] == "1000" and len(info["threads"]) == 2, info)
            expect(platform.machine() != "x86_64" or info["properties"].get("processor"), "samples tell the processor")
            rows = json.loads(world.ask("top", "busy.trace", "-n", "0", "--clock", "wall", "--json"))["methods"]
            ms = {row["name"]: row["inclusive"]["wall_ns"] / 1e6 for row in rows}
            if ms.get("main", 0) > 100 and ms.get("take_a_rest", 0) > 150 and ms.get("work_hard", 0) > 100:
                break
            expect(chances_left, ms)
        callers = json.loads(world.ask("callers", "busy.trace", "take_a_rest", "--json"))["callers"]
        names = {row["rank"]: row["name"] for row in rows}
        expect([names[row["rank"]] for row in callers] == ["main"], callers)
    _, told = world.record("-o", "busy.trace", "--sample", "1ms", "--duration", "100ms", "--", "sleep", "20", status=0)
    expect("ended by signal 15" in told, told)
    said, told = world.record("-o", "busy.trace", "--sample", "1ms", "--then", "keep", "--", "sh", "-c",
                              "sleep 0.3; kill -INT $$; echo goes on")
    expect(said == "goes on\n" and "ended" not in told, said + told)
    _, told = world.record("-o", "no.trace", "--sample", "1ms", "--", "./nothere", status=127)
    expect(told == "traceview: ./nothere: No such file or directory\n", told)
    _, told = world.record("-o", "no.trace", "--sample", "1ms", "--depth", "3", "--", "./busy", status=2)
    expect("--sample has no use for --depth" in told, told)
    expect(not os.path.exists(world.path("no.trace")), "a trace of nothing")


def the_code_of_the_kernel_has_names(world):
    """What a program calls to know the time, which is in no file."""
    if not has_names(world):
        return
    with open(world.path("asks.c"), "w", encoding="utf-8") as file:
        file.write("#include <time.h>\nint main(void)\n{\n    struct timespec now;\n    while (clock() < CLOCKS_PER_SEC / 4)\n"
                   "        for (int i = 0; i < 1000; i++)\n            clock_gettime(CLOCK_MONOTONIC, &now);\n    return 0;\n}\n")
    world.compile("asks", "gcc", [world.path("asks.c")], [])
    world.record("-o", "asks.trace", "--sample", "1ms", "--", "./asks")
    rows = json.loads(world.ask("top", "asks.trace", "-n", "0", "--json"))["methods"]
    names = {row["name"] for row in rows if row["class"] == "[vdso]"}
    # A kernel whose clock is no such code has none of it; helpers of it have no names.
    expect(not names or any("clock_gettime" in name for name in names), names)


def a_library_in_the_place_of_another_has_its_own_names(world):
    """One that is loaded at the addresses of one that was closed before; each works for as long."""
    if not has_names(world):
        return
    for name in ("first", "second"):
        with open(world.path("%s.c" % name), "w", encoding="utf-8") as file:
            file.write("#include <time.h>\nstatic volatile long sum;\nvoid work_of_%s(clock_t end) { while (clock() < end) sum++; }\n" % name)
        world.compile("%s.so" % name, "gcc", [world.path("%s.c" % name)], ["-shared", "-fPIC"])
    with open(world.path("takes_turns.c"), "w", encoding="utf-8") as file:
        file.write("#include <dlfcn.h>\n#include <time.h>\n"
                   "static void have(const char *library, const char *function, int part)\n{\n    void *handle = dlopen(library, RTLD_NOW);\n"
                   "    void (*work)(clock_t) = (void (*)(clock_t))dlsym(handle, function);\n    work(part * CLOCKS_PER_SEC / 4);\n    dlclose(handle);\n}\n"
                   "int main(void)\n{\n    have(\"./first.so\", \"work_of_first\", 1);\n    have(\"./second.so\", \"work_of_second\", 2);\n    return 0;\n}\n")
    world.compile("takes_turns", "gcc", [world.path("takes_turns.c")], ["-ldl"])
    world.record("-o", "turns.trace", "--sample", "1ms", "--", "./takes_turns")
    rows = json.loads(world.ask("top", "turns.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]
    ms = {row["name"]: row["inclusive"]["cpu_ns"] / 1e6 for row in rows if row["name"].startswith("work_of")}
    expect(set(ms) == {"work_of_first", "work_of_second"} and min(ms.values()) > 150, ms)
    # They take turns of 20 and of 10 ms; where the kernel copies stacks, it also tells of code that is mapped.
    with open(world.path("takes_turns.c"), encoding="utf-8") as file:
        text = file.read()
    with open(world.path("short_turns.c"), "w", encoding="utf-8") as file:
        file.write(text.replace("work(part * CLOCKS_PER_SEC / 4)", "work(clock() + part * CLOCKS_PER_SEC / 100)")
                   .replace("int main(void)\n{\n", "int main(void)\n{\n  for (int i = 0; i < 30; i++) {\n")
                   .replace('"work_of_first", 1', '"work_of_first", 2').replace('"work_of_second", 2);', '"work_of_second", 1);\n  }'))
    world.compile("short_turns", "gcc", [world.path("short_turns.c")], ["-ldl"])
    _, told = world.record("-o", "turns.trace", "--sample", "1ms", "--", "./short_turns")
    rows = json.loads(world.ask("top", "turns.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]
    ms = {row["name"]: row["inclusive"]["cpu_ns"] / 1e6 for row in rows if row["name"].startswith("work_of")}
    if "no timers on CPU time" not in told:
        expect(0.63 < ms["work_of_first"] / sum(ms.values()) < 0.70, ms)


def build_ids(is_there):
    return ["-Wl,--build-id=" + ("sha1" if is_there else "none")]


def files_that_are_replaced_leave_no_names_of_others(world):
    """A linker, an installer or a plug-in's author gives a program's or library's path to another file while the program
    runs: what is called has no name then, rather than that of a function of the other file."""
    hooks = ["-finstrument-functions", "-ldl"]
    for has_ids in (True, False) if has_names(world) else ():
        for name, new in (("old", []), ("new", ["-DIS_NEW"])):
            arguments = new + build_ids(has_ids)
            world.compile("replaced." + name, "gcc", ["replaced.c"], hooks + arguments)
            world.compile("swapped." + name, "gcc", ["swapped.c"], hooks + arguments + ["-shared", "-fPIC"])
        os.rename(world.path("replaced.old"), world.path("replaced"))
        _, told = world.record("-o", "replaced.trace", "--", "./replaced", "replaced.new", "swapped.old", "swapped.new")
        counts = world.counts("replaced.trace")
        # The old program's functions, and the old library's two.
        expect("/replaced: it was replaced while it ran: %d functions have no names" % (len(counts) - 2) in told, told)
        expect(counts.get("swapped.entry") == 1 and counts.get("swapped.new_helper") == 2, counts)
        nameless = [name for name in counts if re.fullmatch(r"(replaced|swapped\.so)\.0x[0-9a-f]+", name)]
        expect(len(nameless) == len(counts) - 2 and sum("swapped.so" in name for name in nameless) == 2, counts)
        world.compile("replaced", "gcc", ["replaced.c"], ["-ldl"] + build_ids(has_ids))
        world.compile("replaced.new", "gcc", ["replaced.c"], ["-ldl", "-DIS_NEW"] + build_ids(has_ids))
        _, told = world.record("--sample", "1ms", "-o", "replaced.trace", "--", "./replaced", "replaced.new")
        expect("/replaced: it was replaced while it ran: " in told, told)
        names = {name for name in world.counts("replaced.trace") if name.startswith("replaced.")}
        expect(names == {"replaced.(no symbol)"}, names)


def waits_of_code_with_frame_pointers_have_their_callers(world):
    """Of a thread that waits and is not stopped two registers are known, and its frame pointer is not among them."""
    if not has_names(world):
        return
    with open(world.path("waiting.c"), "w", encoding="utf-8") as file:
        file.write("#include <poll.h>\nstatic volatile int sum;\n#define APART __attribute__((noinline)) static\n"
                   "APART void inner(int ms) { poll(0, 0, ms); sum++; }\nAPART void middle(int ms) { inner(ms); sum++; }\n"
                   "APART void first(void) { middle(20); sum++; }\nAPART void second(void) { middle(10); sum++; }\n"
                   "int main(void)\n{\n    for (int i = 0; i < 20; i++) {\n        first();\n        second();\n    }\n    return 0;\n}\n")
    for flags in (["-O0"], ["-O1", "-fno-omit-frame-pointer"], ["-O1", "-fomit-frame-pointer"]):
        world.compile("waiting", "gcc", [world.path("waiting.c")], flags)
        # Where others keep the command from a processor for long, its looks do not tell when a wait began: the next run is another chance.
        for chances_left in reversed(range(4)):
            world.record("-o", "waiting.trace", "--sample", "1ms", "--", "./waiting")
            rows = json.loads(world.ask("top", "waiting.trace", "-n", "0", "--clock", "wall", "--json"))["methods"]
            ms = {row["name"]: row["inclusive"]["wall_ns"] / 1e6 for row in rows}
            both = ms.get("first", 0) + ms.get("second", 0)
            if both and 0.55 < ms.get("first", 0) / both < 0.72 and ms["main"] - both < 0.05 * both:
                break
            expect(chances_left, "%s: %s" % (flags, ms))


def few_files_are_enough_for_many_threads(world):
    """What the kernel tells of a thread is in files, of which a user may have fewer than a program has threads."""
    if not has_names(world):
        return
    with open(world.path("crowd.c"), "w", encoding="utf-8") as file:
        file.write("#include <pthread.h>\n#include <stdio.h>\n#include <time.h>\n#define COUNT 150\nstatic pthread_barrier_t all;\n"
                   "static double used(clockid_t clock)\n{\n    struct timespec at;\n    clock_gettime(clock, &at);\n"
                   "    return at.tv_sec * 1e3 + at.tv_nsec / 1e6;\n}\n"
                   "static void *work(void *of)\n{\n    pthread_barrier_wait(&all);\n    while (used(CLOCK_THREAD_CPUTIME_ID) < 5)\n        continue;\n"
                   "    return of;\n}\n"
                   "int main(void)\n{\n    pthread_t threads[COUNT];\n    pthread_barrier_init(&all, 0, COUNT);\n"
                   "    for (int i = 0; i < COUNT; i++)\n        pthread_create(&threads[i], 0, work, 0);\n"
                   "    for (int i = 0; i < COUNT; i++)\n        pthread_join(threads[i], 0);\n"
                   "    printf(\"%f\\n\", used(CLOCK_PROCESS_CPUTIME_ID));\n    return 0;\n}\n")
    world.compile("crowd", "gcc", [world.path("crowd.c")], ["-O1", "-pthread"])
    few = lambda count: lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
    said, told = world.record("-o", "crowd.trace", "--sample", "1ms", "--", "./crowd", before=few(128))
    threads = world.info("crowd.trace")["threads"]
    missing = re.search(r"([\d.]+) ms of CPU time are missing", told)
    seen = sum(thread["cpu_ns"] for thread in threads) / 1e6 + (float(missing[1]) if missing else 0)
    # Each thread begins and ends with a part of a millisecond that is no call's.
    expect(abs(seen - float(said)) < 0.05 * float(said) + 0.3 * 150, (seen, said, told))
    _, told = world.record("-o", "crowd.trace", "--sample", "1ms", "--", "./crowd", before=few(20), status=125)
    expect("takes 64 open files, and this user may have 20 (ulimit -n); it was not run" in told, told)


def a_program_that_hides_its_memory_has_its_time(world):
    """As ssh-agent does: an ordinary user's tool may not read its files or its stack, and what was seen of it before is not what runs."""
    if not has_names(world):
        return
    if os.getuid() != 0:
        print("skipped: a program that hides its memory: needs root, to be another user")
        return
    with open(world.path("hidden.c"), "w", encoding="utf-8") as file:
        file.write("#include <sys/prctl.h>\n#include <time.h>\nint main(void)\n{\n    volatile int sum = 0;\n    prctl(PR_SET_DUMPABLE, 0);\n"
                   "    while (clock() < CLOCKS_PER_SEC * 3 / 10)\n        sum++;\n    return 0;\n}\n")
    folder = tempfile.mkdtemp()
    try:
        os.chmod(folder, 0o777)
        subprocess.run(["gcc", "-O1", "-o", os.path.join(folder, "hidden"), world.path("hidden.c")], check=True)
        program = shutil.copy(world.program, folder)
        trace = os.path.join(folder, "hidden.trace")
        done = subprocess.run([program, "record", "--sample", "1ms", "-o", trace, "--", "./hidden"], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "HOME": folder}, preexec_fn=lambda: (show_debugging_files(), os.setuid(65534)), check=False)
        expect(done.returncode == 0, done.stderr)
        rows = json.loads(world.ask("top", trace, "-n", "0", "--clock", "cpu", "--json"))["methods"]
        ms = {row["name"]: row["exclusive"]["cpu_ns"] / 1e6 for row in rows}
        expect(sum(ms.values()) > 280 and ms.get("(no symbol)", 0) > 0.9 * sum(ms.values()), (ms, done.stderr))
    finally:
        shutil.rmtree(folder)


def timers_of_a_sampled_program_are_as_coarse_as_ever(world):
    """What the kernel may wait longer than a program asks for (timer slack) goes over to what a program starts."""
    with open("/proc/self/timerslack_ns", encoding="utf-8") as file:
        ours = file.read()
    said, _ = world.record("-o", "slack.trace", "--sample", "1ms", "--", "sh", "-c", "cat /proc/self/timerslack_ns; sleep 0.1")
    expect(said == ours, (said, ours))


def sampled_cpu_time_is_of_what_ran(world):
    """A program that reads its CPU clock around each function is told the same by samples, whether it works without a
    pause, in bursts between waits, in the kernel, or in threads; the thread's whole time is the kernel's own. The kernel copies stacks
    while the program runs on, or where it does not, a timer on its CPU time stops it."""
    if not has_names(world):
        return
    for manner, before in itertools.product(("steady", "bursts", "short", "kernel", "threads"), (None, forbidding_copies())):
        said, told = world.record("-o", "shares.trace", "--sample", "1ms", "--", "./shares", manner, "150" if manner == "threads" else "400",
                                  before=before)
        truth = {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}
        whole = truth.pop("all")
        looks = int(re.search(r"([\d]+) of them of running threads", told)[1])
        rows = json.loads(world.ask("top", "shares.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]
        seen = {row["name"]: row["inclusive"]["cpu_ns"] / 1e6 for row in rows}
        # The program ends some hundred microseconds behind its last reading, in each thread.
        expect(abs(sum(row["exclusive"]["cpu_ns"] for row in rows) / 1e6 - whole) < 5, "%s: %s of %f" % (manner, rows, whole))
        main = next(row for row in rows if row["name"] == "main")["inclusive"]
        expect(main["wall_ns"] > main["cpu_ns"] - 5e6, "%s: main has less wall time than CPU time: %s" % (manner, main))
        if "no timers on CPU time" in told:
            continue
        for name, ms in truth.items():
            share = ms / whole
            most = 0.02 + 4 * math.sqrt(share * (1 - share) / looks)
            expect(looks > 100 and abs(seen.get(name, 0) / whole - share) < most,
                   "%s: %s has %.3f, and %.3f by %d looks" % (manner, name, share, seen.get(name, 0) / whole, looks))


def waits_are_looked_at_without_ending_them(world):
    """A server that waits for each of 3,000 bytes is taken out of its waits by the timer on its CPU time alone: the looks at its
    waits end no call by EINTR, nor do they take it off a processor, whether its stacks need a frame pointer or not. What
    the waits took is about what the program says."""
    if not has_names(world) or platform.machine() != "x86_64":
        return
    for name, manner in (("answers", "epoll_wait"), ("answers_framed", "epoll_wait"), ("answers", "ppoll"), ("answers_framed", "read")):
        said, told = world.record("-o", "answers.trace", "--sample", "1ms", "--alone", "--", "./" + name, manner, "3000")
        truth = {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}
        stacks, looks = (int(number) for number in re.search(r"(\d+) stacks, (\d+) of them of running threads", told).groups())
        by_timer = "no timers on CPU time" not in told
        expect(truth["switches"] < 3000 + 1.1 * looks + 0.25 * (stacks - looks) and truth["interrupted"] <= 20 + looks / 10,
               "%s %s: %s, %d looks at waits, %d others" % (name, manner, truth, stacks - looks, looks))
        rows = json.loads(world.ask("top", "answers.trace", "-n", "0", "--json"))["methods"]
        of = {row["name"]: row for row in rows}
        whole = sum(row["exclusive"]["cpu_ns"] for row in rows)
        wall = sum(row["exclusive"]["wall_ns"] for row in rows)
        waited = of["await" if manner != "read" else "__read"]["inclusive"]["wall_ns"] / wall
        # On a busy machine a thread that has its byte waits for a processor, in the wait or behind it.
        expect(abs(waited - truth["waits_wall"] / truth["wall"]) < 0.2, "%s %s: waits have %.3f of the time: %s" % (name, manner, waited, truth))
        share = truth["waits"] / truth["all"]
        seen = 1 - of["serve"]["inclusive"]["cpu_ns"] / whole
        # A wait ends 75 us before the next begins, and a timer may come 100 us late on a busy virtual machine: more is not asked here.
        expect(not by_timer or abs(seen - share) < 0.15 + 4 * math.sqrt(share * (1 - share) / looks),
               "%s %s: waits have %.3f of the CPU time, and %.3f by %d looks" % (name, manner, share, seen, looks))


def waits_end_where_processors_are_busy(world):
    """A thread that wakes has a look only when it has used an interval of CPU time, which takes several times as long beside
    others. Its wait has ended when a look found it ready, and had not begun when one did."""
    if not has_names(world) or not shutil.which("taskset"):
        return
    with open(world.path("naps.c"), "w", encoding="utf-8") as file:
        file.write("#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\nstatic volatile long sum;\n"
                   "static double wall_s(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }\n"
                   "__attribute__((noinline)) static void work(clock_t ends) { while (clock() < ends) sum++; }\n"
                   "__attribute__((noinline)) static void nap(void) { usleep(20000); sum++; }\n"
                   "int main(void)\n{\n    double naps_s = 0;\n    for (int i = 0; i < 15; i++) {\n"
                   "        work(clock() + CLOCKS_PER_SEC / 66);\n        double begin_s = wall_s();\n        nap();\n        naps_s += wall_s() - begin_s;\n    }\n"
                   "    printf(\"naps %d\\n\", (int)(naps_s * 1000));\n    return 0;\n}\n")
    world.compile("naps", "gcc", [world.path("naps.c")], [])
    processor = str(min(os.sched_getaffinity(0)))
    others = [subprocess.Popen(["taskset", "-c", processor, "sh", "-c", "while :; do :; done"]) for _ in range(3)]
    try:
        said, _ = world.record("-o", "naps.trace", "--sample", "10ms", "--", "taskset", "-c", processor, "./naps")
    finally:
        for other in others:
            other.kill()
            other.wait()
    rows = json.loads(world.ask("top", "naps.trace", "-n", "0", "--clock", "wall", "--json"))["methods"]
    told_ms = next(row["inclusive"]["wall_ns"] for row in rows if row["name"] == "nap") / 1e6
    expect(0.5 < told_ms / counted(said)["naps"] < 1.6, "%s, told %d ms" % (said.strip(), told_ms))


def forbidding(call, argument=0, but=None, only=None, error=errno.EPERM):
    """Makes a system call fail, as a container's filter does, in what is started with it before: `but` where one of its arguments has
    this value, or `only` there."""
    def forbid():
        libc = ctypes.CDLL(None, use_errno=True)
        # Load the number; where it is that one, and the argument such a one, the error; else go on.
        where = (0x15, 1, 0, but) if only is None else (0x15, 0, 1, only)
        of_argument = () if but is None and only is None else ((0x20, 0, 0, 16 + 8 * argument), where)
        lines = ((0x20, 0, 0, 0), (0x15, 0, 1 + len(of_argument), call), *of_argument, (0x06, 0, 0, 0x50000 + error), (0x06, 0, 0, 0x7fff0000))
        program = b"".join(struct.pack("=HBBI", *line) for line in lines)
        buffer = ctypes.create_string_buffer(program)
        filter_of = ctypes.create_string_buffer(struct.pack("=H6xQ", len(lines), ctypes.addressof(buffer)))
        if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter_of, 0, 0):
            raise OSError(ctypes.get_errno(), "no filter")
    return forbid


def forbidding_copies():
    """Samples into the ring of one processor (perf_event_open); timers, which are on any processor, are allowed."""
    return forbidding(298, 2, 0xffffffff) if platform.machine() == "x86_64" else None


def what_a_container_forbids_is_done_without(world):
    """Timers on CPU time (perf_event_open) and other processes' memory by process_vm_readv: stacks are whole, and what is less exact is
    said. Without ptrace there are no samples, which is said, too; exact recording needs none of them."""
    if not has_names(world) or platform.machine() != "x86_64":
        return
    # Without timers some times: a thread that begins another one just when it is to stop for a look is looked at all the same.
    for number, has_samples, line in (*[(298, True, "no timers on CPU time stopped it")] * 4, (310, True, None),
                                      (101, False, "./busy cannot be looked at: ptrace: Operation not permitted; it was not run")):
        done = subprocess.run([world.program, "record", "-o", "forbidden.trace", "--sample", "1ms", "--", "./busy"], cwd=world.folder,
                              capture_output=True, text=True, timeout=240, check=False, preexec_fn=forbidding(number))
        expect(done.returncode == (5 if has_samples else 125) and (not line or line in done.stderr), done.stderr)
        if has_samples:
            rows = {row["name"]: row for row in json.loads(world.ask("top", "forbidden.trace", "-n", "0", "--clock", "wall", "--json"))["methods"]}
            expect("take_a_rest" in rows, sorted(rows))
            expect(rows["main"]["inclusive"]["wall_ns"] > rows["take_a_rest"]["inclusive"]["wall_ns"] > 0, sorted(rows))
        exact = subprocess.run([world.program, "record", "-o", "forbidden.trace", "--", "./instrumented"], cwd=world.folder,
                               capture_output=True, text=True, timeout=240, check=False, preexec_fn=forbidding(number))
        expect("none lost" in exact.stderr, exact.stderr)


def a_program_that_blocks_all_signals_is_looked_at(world):
    """It needs none where the kernel copies stacks. Of timers it blocks the signal: then it is asked to stop at each look, and not at one of 32."""
    with open(world.path("blocks.c"), "w", encoding="utf-8") as file:
        file.write("#include <signal.h>\n#include <time.h>\nstatic volatile long sum;\n"
                   "int main(void) {\n    sigset_t all;\n    sigfillset(&all);\n    sigprocmask(SIG_BLOCK, &all, NULL);\n"
                   "    while (clock() < CLOCKS_PER_SEC / 2)\n        sum++;\n    return 0;\n}\n")
    world.compile("blocks", "gcc", [world.path("blocks.c")], [])
    for before in (None, forbidding_copies()):
        _, told = world.record("-o", "blocks.trace", "--sample", "1ms", "--", "./blocks", before=before)
        looks = int(re.search(r"([\d]+) of them of running threads", told)[1])
        if before or platform.machine() != "x86_64":
            expect(looks > 60 and "or it blocks SIGURG" in told, told)
        elif "no timers on CPU time" not in told:
            expect(looks > 250, told)


def a_processor_that_comes_later_is_looked_at(world):
    """The kernel copies nothing of what runs on a processor that was not there at first: it is stopped, as where there are no timers."""
    if not has_names(world) or platform.machine() != "x86_64":
        return
    last = max(os.sched_getaffinity(0))
    _, told = world.record("-o", "late.trace", "--sample", "1ms", "--", "taskset", "-c", str(last), "./busy",
                           before=forbidding(298, 2, only=last, error=errno.ENODEV), status=5)
    looks = int(re.search(r"([\d]+) of them of running threads", told)[1])
    expect(looks > 60 or "no timers on CPU time" in told, told)


def deep_stacks_are_whole(world):
    """Of a stack the kernel copies 32 KiB. A thread that has more is stopped by a timer from then on, so that what calls the deep part is
    what called it then: of two functions that take turns, none is below the other."""
    if not has_names(world):
        return
    with open(world.path("deep.c"), "w", encoding="utf-8") as file:
        file.write("#include <stdlib.h>\n#include <time.h>\n"
                   "__attribute__((noinline)) static int work(volatile int *of) {\n    const clock_t end = clock() + CLOCKS_PER_SEC / 1000;\n"
                   "    while (clock() < end) *of += 1;\n    return *of;\n}\n"
                   "#define DOWN(name) __attribute__((noinline)) static int name(int left) {\\\n    volatile int here[64] = {left};\\\n"
                   "    return (left ? name(left - 1) : work(here)) + here[0];\\\n}\n"
                   "DOWN(even)\nDOWN(odd)\n"
                   "int main(int count, char **words) {\n    int sum = 0;\n"
                   "    for (int i = 0; i < 500; i++)\n        sum += i % 2 ? odd(atoi(words[count - 1])) : even(atoi(words[count - 1]));\n"
                   "    return sum == 0;\n}\n")
    for flags in (["-O1"], ["-O1", "-fno-omit-frame-pointer"]):
        world.compile("deep", "gcc", [world.path("deep.c")], flags)
        for levels in (20, 200):  # some 6 and 60 KiB
            _, told = world.record("-o", "deep.trace", "--sample", "1ms", "--", "./deep", str(levels))
            looks = int(re.search(r"([\d]+) of them of running threads", told)[1])
            rows = {row["name"]: row for row in json.loads(world.ask("top", "deep.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]}
            whole = sum(row["exclusive"]["cpu_ns"] for row in rows.values())
            share = {name: rows[name]["inclusive"]["cpu_ns"] / whole for name in ("main", "even", "odd")}
            expect(looks > 60 and share["main"] > 0.9, "%s, %d: %s" % (flags, levels, told))
            if "no timers on CPU time" not in told:
                expect(share["even"] + share["odd"] < 1.05, "%s, %d: %s" % (flags, levels, share))
            depth = max(thread["max_depth"] for thread in world.info("deep.trace")["threads"])
            expect(levels + 2 < depth < levels + 16, "%d levels are %d calls deep" % (levels, depth))


def threads_go_on_without_the_first(world):
    """Where a program's first thread has ended, the kernel tells nothing of the program's files by that."""
    if not has_names(world):
        return
    with open(world.path("first.c"), "w", encoding="utf-8") as file:
        file.write("#include <pthread.h>\n#include <time.h>\nstatic volatile long sum;\n"
                   "__attribute__((noinline)) static void work(double part) {\n    const clock_t end = clock() + (clock_t)(CLOCKS_PER_SEC * part);\n"
                   "    while (clock() < end) sum++;\n}\n"
                   "static void *go_on(void *of) {\n    work(0.2);\n    return of;\n}\n"
                   "int main(int count, char **words) {\n    pthread_t thread;\n    (void)words;\n    if (count > 1)\n        work(0.1);\n"
                   "    pthread_create(&thread, 0, go_on, 0);\n    pthread_exit(0);\n}\n")
    world.compile("first", "gcc", [world.path("first.c")], ["-pthread"])
    for words, before in (([], None), (["later"], None), (["later"], forbidding_copies())):
        _, told = world.record("-o", "first.trace", "--sample", "1ms", "--", "./first", *words, before=before, status=0)
        rows = {row["name"]: row for row in json.loads(world.ask("top", "first.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]}
        expect(rows["go_on"]["inclusive"]["cpu_ns"] > 125e6, "%s: %s" % (told, rows))


def a_program_that_becomes_another_has_the_stacks_of_both(world):
    """What was copied before an exec is followed by the files of the program that it is of. Executing itself, it is at other addresses
    each time. A program of another user is sampled on, too, which needs a user who may."""
    if not has_names(world):
        return
    with open(world.path("turns.c"), "w", encoding="utf-8") as file:
        file.write("#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n#include <unistd.h>\nstatic volatile long sum;\n"
                   "__attribute__((noinline)) static void work(void) {\n    const clock_t end = clock() + CLOCKS_PER_SEC / 100;\n"
                   "    while (clock() < end) sum++;\n}\n"
                   "int main(int count, char **words) {\n    char left[16];\n    work();\n    if (count < 2 || atoi(words[1]) == 0)\n        return 0;\n"
                   "    snprintf(left, sizeof(left), \"%d\", atoi(words[1]) - 1);\n    execl(words[0], words[0], left, (char *)0);\n    return 1;\n}\n")
    world.compile("turns", "gcc", [world.path("turns.c")], ["-fpie", "-pie"])
    _, told = world.record("-o", "turns.trace", "--sample", "1ms", "--", "./turns", "30")
    rows = {row["name"]: row for row in json.loads(world.ask("top", "turns.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]}
    whole = sum(row["exclusive"]["cpu_ns"] for row in rows.values())
    expect(rows["work"]["inclusive"]["cpu_ns"] > 0.75 * whole, "%s: %s" % (told, rows))
    if os.getuid() == 0 and "no timers on CPU time" not in told:
        shutil.copy(world.path("turns"), world.path("of_another"))
        os.chown(world.path("of_another"), 65534, 65534)
        os.chmod(world.path("of_another"), 0o4711)
        _, told = world.record("-o", "turns.trace", "--sample", "1ms", "--", "./of_another", "9")
        expect("no timers on CPU time" not in told, told)


def wait_for_child(command, is_so):
    """Waits until something is so of the state of a process's only child, as /proc has it, and of its CPU time in seconds. Returns that."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with open("/proc/%d/task/%d/children" % (command.pid, command.pid), encoding="ascii") as file:
            children = file.read().split()
        if children:
            with open("/proc/%s/stat" % children[0], encoding="ascii") as file:
                words = file.read().rsplit(")", 1)[1].split()
            used_s = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
            if is_so(words[0], used_s):
                return used_s
        time.sleep(0.05)
    raise traces.Failed("process %d has no such child" % command.pid)


def stacks_that_are_not_read_in_time_are_told(world):
    """The command is stopped while its program runs on, to its end in the second case: the kernel's ring is full then. The CPU time is
    whole all the same."""
    if not has_names(world) or platform.machine() != "x86_64" or tuple(int(part) for part in platform.release().split(".")[:2]) < (6, 0):
        return
    for ms, missed_s in ((1200, 0.6), (700, 1)):
        command = subprocess.Popen([world.program, "record", "-o", "late.trace", "--sample", "1ms", "--", "./shares", "steady", str(ms)], cwd=world.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        before_s = wait_for_child(command, lambda state, used_s: used_s > 0.2)
        command.send_signal(signal.SIGSTOP)
        # Its end has to wait for the command.
        wait_for_child(command, lambda state, used_s: state in "tZ" or used_s > before_s + missed_s)
        command.send_signal(signal.SIGCONT)
        said, told = command.communicate(timeout=240)
        if "no timers on CPU time" in told:
            return
        lost = re.search(r"(\d+) more stacks were lost, since this command had no turn", told)
        expect(lost and 50 < int(lost[1]) < ms, told)
        whole = next(float(line.split()[1]) for line in said.splitlines() if line.startswith("all "))
        rows = json.loads(world.ask("top", "late.trace", "-n", "0", "--clock", "cpu", "--json"))["methods"]
        expect(abs(sum(row["exclusive"]["cpu_ns"] for row in rows) / 1e6 - whole) < 5, "%s of %f" % (rows, whole))


def a_static_program_is_linked_with_the_hooks(world):
    """Without a recorder it runs as ever; a jump is closed when a function below ends."""
    plain = world.run("static_hooked")
    said, told = world.record("-o", "linked.trace", "--", "./static_hooked")
    expect(counted(said) == plain and "none lost" in told, told)
    if has_names(world):
        world.agrees("linked.trace", counted(said))
        world.dump_agrees("linked.trace", counted(said))
    for manner in ("_exit", "abort", "segv"):
        _, told = world.record("-o", "linked.trace", "--", "./static_hooked", manner)
        expect("none lost" in told, told)
    # With the linker's help a jump closes what it leaves at once, as in other programs: what follows does not stand below it.
    if platform.machine() != "x86_64":
        return
    with open(world.path("leaps.c"), "w", encoding="utf-8") as file:
        file.write("#include <setjmp.h>\n#include <pthread.h>\nstatic jmp_buf place;\nstatic void leap(void) { longjmp(place, 1); }\n"
                   "static void after(void) {}\nstatic void request(void)\n{\n    if (!setjmp(place))\n        leap();\n    after();\n}\n"
                   "static void *run(void *ctx) { request(); return ctx; }\n"
                   "int main(void)\n{\n    pthread_t thread;\n    request();\n    pthread_create(&thread, 0, run, 0);\n"
                   "    pthread_join(thread, 0);\n    return 0;\n}\n")
    names = ("_setjmp", "setjmp", "__sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "__longjmp_chk")
    wraps = "-Wl," + ",".join("--wrap=" + name for name in names)
    for words, depth in (([], 4), ([wraps], 3), ([wraps, "-D_FORTIFY_SOURCE=2", "-O2", "-fno-inline"], 3)):
        world.compile("leaps", "gcc", [world.path("leaps.c")],
                      words + ["-finstrument-functions", "-static", "-L" + world.library, "-l:libtraceview-instrument.a"])
        _, told = world.record("-o", "linked.trace", "--", "./leaps")
        expect("none lost" in told and [row["max_depth"] for row in world.info("linked.trace")["threads"]] == [depth, depth],
               world.info("linked.trace")["threads"])


def a_depth_leaves_out_deeper_calls(world):
    world.record("-o", "depth.trace", "--depth", "2", "--clock", "wall", "--", "./instrumented")
    info = world.info("depth.trace")
    deepest = max(thread["max_depth"] for thread in info["threads"])
    expect(info["clocks"] == ["wall"] and 2 <= deepest <= 2 + (world.writings("depth.trace") > 0), info)
    world.ask("check", "depth.trace")
    expect(info["properties"]["depth-limit"] == "2", info)
    counted_calls = subprocess.run([world.program, "counts", "depth.trace"], cwd=world.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, check=False)
    expect(counted_calls.returncode == 1 and "deep ones are left out" in counted_calls.stderr, counted_calls.stderr)


def what_cannot_be_recorded_is_told(world):
    for name in ("kept.trace", "nothere.c"):
        with open(world.path(name), "w", encoding="utf-8") as file:
            file.write("as it was")
    for words, status, told in (
            (["./nothere"], 127, "traceview: ./nothere: No such file or directory"),
            (["./nothere.c"], 126, "traceview: ./nothere.c: Permission denied"),
            (["true"], 125, "traceview: true: it recorded no call, nor did a program that it started: compile it with -finstrument-functions (not -pg -mfentry, nor "
             "-fpatchable-function-entry) and leave it its environment (no env -i), or give --sample 1ms")):
        _, said = world.record("-o", "kept.trace", "--", *words, status=status)
        expect(said.strip() == told, said)
    with open(world.path("kept.trace"), encoding="utf-8") as file:
        expect(file.read() == "as it was", "a trace was replaced by nothing")
    for options, told in ((["-o", "-"], "name a file with -o"), (["-o", "instrumented"], "which the trace would replace"),
                          (["-o", "a.trace", "--duration", "0s"], "no use for a time of 0"), (["-o", ""], "-o names no file"), (["-o", "."], "-o names a folder"),
                          (["-o", "a.trace", "--sample", "999ns"], "no use for a time below 1us")):
        _, said = world.record(*options, "--", "./instrumented", status=2)
        expect(told in said, said)
    expect(os.path.getsize(world.path("instrumented")) > 1000, "the program was replaced")
    with open(world.path("script.sh"), "w", encoding="utf-8") as file:
        file.write("./instrumented\n")
    _, said = world.record("-o", "./script.sh", "--", "sh", "-e", "script.sh", status=2)
    expect("which the trace would replace" in said and os.path.getsize(world.path("script.sh")) == 15, said)
    for options in (["-o", "/nowhere/a.trace"], ["-o", "kept.trace", "--buffer", "9000000000000000000"]):
        _, said = world.record(*options, "--", "./instrumented", status=125)
        expect(re.fullmatch("traceview: .*: the program runs without being recorded\n"
                            "traceview: ./instrumented: it was not recorded\n", said), said)
        expect(not os.path.exists(world.path(options[1] + ".recording")), "an empty file is left")


CASES = [programs_as_they_are, jumps_close_the_calls_that_they_leave, signals_at_every_instruction_of_the_hooks, a_program_as_it_is_that_dies_leaves_all_its_calls,
         recording_ends_and_the_program_goes_on_or_not, calls_that_nothing_ends_have_their_time, handlers_of_the_recorder_are_not_seen, the_recorder_runs_from_any_folder, libraries_in_the_folder_of_the_program_are_found, what_outlives_the_program_is_recorded_no_more, recordings_at_once_have_different_files, what_a_stranger_puts_into_a_shared_folder_is_not_written_to, a_recorder_that_is_killed_ends_the_recording, a_duration_ends_what_begins_then, asked_to_end,
         the_status_is_that_of_the_program, pairs_are_recorded_in_turns_and_compared, hard_programs, programs_in_trouble, many_functions,
         programs_of_the_sanitizers, what_is_lost_is_told, a_stream_without_memory_is_told_as_a_full_buffer, an_exec_loses_nothing, a_size_ends_the_recording_and_the_program_goes_on, a_ring_keeps_what_came_last, a_slow_call_has_the_ring_written, samples_are_counted_while_they_are_taken, samples_have_a_size, samples_have_a_ring,
         code_that_a_program_makes_has_names, programs_that_are_confined_end_as_ever, a_set_user_id_program_that_is_looked_at_lacks_its_rights, what_a_sampled_program_starts_is_sampled, what_a_sampled_program_starts_ends_as_ever,
         samples_need_ptrace_but_for_java, a_disk_needs_room_for_the_trace_alone,
         stacks_that_a_program_changes_between_have_rows, what_a_program_starts_is_recorded, processes_of_several_namespaces_have_a_file_each,
         a_program_of_the_search_path_has_names, what_cannot_become_a_trace_is_kept,
         a_program_without_a_recorder_keeps_running, a_program_of_another_c_library_runs_on,
         scopes_of_an_instrumented_program_are_calls_as_well, what_tracing_costs_is_told, what_writing_took_is_no_time_of_the_program, a_recording_that_costs_much_says_so, patterns_and_a_duration_leave_out_whole_calls,
         lines_of_samples_are_told, functions_are_of_the_file_that_declares_them, names_of_rust_are_readable, programs_that_are_not_instrumented_are_sampled, the_code_of_the_kernel_has_names, a_library_in_the_place_of_another_has_its_own_names, files_that_are_replaced_leave_no_names_of_others, waits_of_code_with_frame_pointers_have_their_callers, timers_of_a_sampled_program_are_as_coarse_as_ever, few_files_are_enough_for_many_threads, a_program_that_hides_its_memory_has_its_time, sampled_cpu_time_is_of_what_ran, waits_are_looked_at_without_ending_them, waits_end_where_processors_are_busy, what_a_container_forbids_is_done_without, a_program_that_blocks_all_signals_is_looked_at, a_processor_that_comes_later_is_looked_at, deep_stacks_are_whole, threads_go_on_without_the_first, a_program_that_becomes_another_has_the_stacks_of_both, stacks_that_are_not_read_in_time_are_told, a_static_program_is_linked_with_the_hooks, a_depth_leaves_out_deeper_calls, what_cannot_be_recorded_is_told,
         every_format_has_every_call, exceptions_threads_and_unloaded_libraries, the_recorder_itself_is_unloaded,
         a_signal_that_is_ignored_stays_ignored, a_program_that_exits_leaves_its_trace, a_program_that_dies_leaves_the_stream_but_its_last_blocks,
         a_child_does_not_touch_the_file, the_library_shows_its_symbols_and_needs_the_c_library_alone]


def hide_debugging_files():
    """Valgrind brings the C library's, which every sampled program would unpack for 0.2 s of the processor's time. Where this user may,
    they are hidden from what is started here; lines_of_samples_are_told and a_program_that_hides_its_memory_has_its_time see them."""
    libc = ctypes.CDLL(None)
    if os.geteuid() == 0 and os.path.isdir(DEBUGGING_FILES) and libc.unshare(CLONE_NEWNS) == 0:
        if libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) == 0:
            libc.mount(None, DEBUGGING_FILES.encode(), b"tmpfs", 0, None)


def show_debugging_files():
    """What is started with this before sees what is installed."""
    libc = ctypes.CDLL(None)
    if os.geteuid() == 0 and libc.unshare(CLONE_NEWNS) == 0:
        libc.umount2(DEBUGGING_FILES.encode(), 0)


def main():
    words = [word for word in sys.argv[2:] if word != "--all"]
    if len(sys.argv) < 2 or any(not re.match("--(only|passed)=", word) for word in words):
        sys.exit(__doc__)
    # Where the tests run in the background Ctrl-C is ignored, and so it would be in what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
    hide_debugging_files()
    with tempfile.TemporaryDirectory() as folder:
        world = World(os.path.abspath(sys.argv[1]), folder, "--all" in sys.argv)
        sys.exit(traces.run(CASES, world, words))


main()
