#!/usr/bin/env python3
"""What must hold for every format of `export`, whatever the trace and whatever goes wrong: exports.py PROGRAM [--long].

The list of formats is what the program says they are, so a new format is tested without a line here. Each either writes
a whole file, or says why not in one line and leaves nothing behind. --long nests a million calls. Ends with "N passed,
N failed".
"""

import gzip
import json
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "acceptance"))

import harness  # noqa: E402

MADE = os.path.join(ROOT, "tests", "data", "made")
DUAL = os.path.join(MADE, "v3-dual.trace")
# Calls inside each other, usually and with --long, and what exporting them may take: the index alone takes 340 MiB for
# a million levels.
LEVELS, LEVELS_LONG = 100000, 1000000
MOST_S, MOST_MIB = 30, 640


class Done:
    """A run of the program: its status, what it said, and what it cost."""

    def __init__(self, status, out, err, usage, seconds):
        self.status = status
        self.out = out
        self.err = err.decode("utf-8", "replace").replace("\r", "")
        self.lines = [line for line in self.err.splitlines() if line]
        self.mib = usage.ru_maxrss / 1024
        self.seconds = seconds


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def run(self, *words, out=subprocess.PIPE, limit=None):
        def restrict():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        begin = time.monotonic()
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TRACEVIEW_CACHE_SIZE": "0"}
        with tempfile.TemporaryFile() as err:
            with subprocess.Popen([self.path, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                  preexec_fn=restrict, env=environment) as process:
                told = process.stdout.read() if process.stdout else b""
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            return Done(process.returncode, told, err.read(), usage, time.monotonic() - begin)

    def export(self, trace, form, *words, **options):
        return self.run("export", trace, "--as", form, *words, **options)

    def formats(self):
        """The names that the program lists when it does not know one."""
        listed = self.run("export", DUAL, "--as", "nosuch")
        return listed.status, re.findall(r"^ {4}(\S+) +\S", listed.err, re.M), listed


# Traces that need no file


def trace_of(methods, threads, records, clock="dual"):
    """A text trace of version 3, or 2: records are (thread, method, action, time)."""
    head = "*version\n%d\ndata-file-overflow=false\nclock=%s\nelapsed-time-usec=%d\nnum-method-calls=%d\n*threads\n" % (
        3 if clock == "dual" else 2, clock, records[-1][3] + 1 if records else 1, len(records))
    text = head.encode() + b"".join(b"%d\t%s\n" % thread for thread in threads) + b"*methods\n"
    text += b"".join(b"0x%x\t%s\n" % (4 * i + 4, b"\t".join(method)) for i, method in enumerate(methods)) + b"*end\n"
    size = 14 if clock == "dual" else 10
    if clock == "dual":
        packed = b"".join(struct.pack("<HIII", thread, 4 * method + 4 | action, at, at)
                          for thread, method, action, at in records)
        data = struct.pack("<4sHHQH", b"SLOW", 3, 32, 0, size).ljust(32, b"\0")
    else:
        packed = b"".join(struct.pack("<HII", thread, 4 * method + 4 | action, at)
                          for thread, method, action, at in records)
        data = struct.pack("<4sHHQ", b"SLOW", 2, 32, 0).ljust(32, b"\0")
    return text + data + packed


# A dump of all methods: a call of a method inside a call of another one, of which nothing but addresses is told.
NO_CLOCK = bytes.fromhex("02d204000004000080a0808080e01f100100")
RUN = (b"com.app.Main", b"run", b"()V", b"Main.java", b"7")
PLAIN = ([RUN], [(1, b"main")])


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def deep_trace(depth):
    """One method that calls itself, and returns."""
    enters = [(1, 0, 0, at) for at in range(depth)]
    return trace_of(*PLAIN, enters + [(1, 0, 1, depth + at) for at in range(depth)])


def crowded_trace(count):
    """Threads with one call each."""
    threads = [(i + 1, b"thread %d" % i) for i in range(count)]
    records = [(i + 1, 0, action, 10 * i + action) for i in range(count) for action in (0, 1)]
    return trace_of([RUN], threads, records)


HOSTILE = [b"\xff\xfe\x80", b"<script>alert(1)</script>", b"a;b,c\"d'e|f", b"\x1b[31mred\x1b[0m", b"\xe2\x80\xaetfel",
           b"\xed\xa0\xbd\xed\xb8\x80", b"\xc0\x80", b"=1+1", b"]]>-->", b"\\\"},{\\n", b"%s%n", b"&amp;", b"*/"]


def hostile_trace():
    methods = [(b"com.app." + name, b"m" + name, b"(" + name + b")V", name + b".java", b"1") for name in HOSTILE]
    records = []
    for i in range(len(methods)):
        records += [(1, i, 0, 20 * i), (1, i, 1, 20 * i + 9)]
    return trace_of(methods, [(1, b"main" + b"".join(HOSTILE)), (2, b"\xff")], records)


def long_names_trace():
    names = [bytes([97 + i]) * 60000 for i in range(3)] + [b"\xff" * 60000, b"<" * 60000]
    methods = [(name, name, b"()V", name, b"1") for name in names]
    return trace_of(methods, [(1, b"t" * 60000)], [(1, i, 0, i) for i in range(len(methods))])


# What is asked of each format


def is_whole(form, content):
    """Why a file that the program calls written is not whole; None: nothing is known against it."""
    if form.startswith("pprof"):
        content = gzip.decompress(content)
    try:
        if form in ("speedscope", "firefox", "chrome"):
            json.loads(content.decode("utf-8"))
        elif form == "jsonl":
            for line in content.decode("utf-8").splitlines():
                json.loads(line)
        elif form in ("folded", "csv", "callgrind", "dot", "html"):
            content.decode("utf-8")
    except ValueError as error:
        return str(error)
    return None


class Formats:
    def __init__(self, program, folder, report, levels):
        self.levels = levels
        self.program = program
        self.folder = folder
        self.report = report
        _, self.names, _ = program.formats()

    def each(self, name):
        for form in self.names:
            with self.report.case("%s: %s" % (form, name)) as checked:
                yield form, checked

    def refused(self, checked, done, *words, status=1):
        """One line says why."""
        checked.equal("status", done.status, status)
        told = [line for line in done.lines if "numbers affected" not in line and not line.startswith("traceview: note")]
        checked.true("one line that says why", len(told) == 1 and all(word in told[0] for word in words), done.err)

    def written(self, checked, form, done, statuses=(0,)):
        checked.true("status", done.status in statuses, "%s: %s" % (done.status, done.err))
        if done.status in statuses:
            problem = is_whole(form, done.out)
            checked.true("a whole file", problem is None, problem)
        if done.status == 3:
            checked.true("why numbers changed", "numbers affected" in done.err, done.err)


def formats_are_listed(formats):
    with formats.report.case("an unknown format") as checked:
        status, names, done = formats.program.formats()
        checked.equal("status", status, 2)
        checked.true("the formats are listed", len(names) >= 3 and "folded" in names, done.err)
        checked.equal("nothing is written", done.out, b"")


def full_disks(formats):
    for form, checked in formats.each("a full disk"):
        formats.refused(checked, formats.program.export(DUAL, form, "-o", "/dev/full"), "No space left")
        with open("/dev/full", "wb") as full:
            formats.refused(checked, formats.program.export(DUAL, form, out=full), "No space left")


def limited_files(formats):
    for form, checked in formats.each("a file that may not grow"):
        with tempfile.TemporaryDirectory(dir=formats.folder) as folder:
            done = formats.program.export(DUAL, form, "-o", os.path.join(folder, "out"), limit=128)
            formats.refused(checked, done)
            checked.equal("files that are left", os.listdir(folder), [])


def closed_pipes(formats):
    for form, checked in formats.each("a closed pipe"):
        reading, writing = os.pipe()
        os.close(reading)
        done = formats.program.export(DUAL, form, out=writing)
        os.close(writing)
        checked.true("status, as of a program whose reader went away", done.status in (1, -13), done.status)
        checked.true("no more than a line", len(done.lines) <= 1, done.err)


def bad_outputs(formats):
    for form, checked in formats.each("outputs that cannot be"):
        with tempfile.TemporaryDirectory(dir=formats.folder) as folder:
            there = write(folder, "there", b"kept")
            for out in (os.path.join(folder, "no", "out"), os.path.join(there, "out"), folder):
                formats.refused(checked, formats.program.export(DUAL, form, "-o", out))
            checked.equal("files", sorted(os.listdir(folder)), ["there"])


def outputs_that_are_the_input(formats):
    with open(DUAL, "rb") as file:
        content = file.read()
    for form, checked in formats.each("an output that is the trace"):
        with tempfile.TemporaryDirectory(dir=formats.folder) as folder:
            trace = write(folder, "a.trace", content)
            os.symlink(trace, os.path.join(folder, "soft"))
            os.link(trace, os.path.join(folder, "hard"))
            for name in ("a.trace", "soft", "hard"):
                done = formats.program.export(trace, form, "-o", os.path.join(folder, name))
                formats.refused(checked, done, "the output is the file itself", status=2)
            with open(trace, "rb") as file:
                checked.true("the trace is as it was", file.read() == content)


def parts(formats):
    """Ranges without calls, and ranges at the very edges of calls."""
    trace = write(formats.folder, "edges.trace",
                  trace_of(*PLAIN, [(1, 0, 0, 10), (1, 0, 1, 20), (1, 0, 0, 20), (1, 0, 1, 30), (1, 0, 0, 90),
                                    (1, 0, 1, 90)]))
    for form, checked in formats.each("parts of a trace"):
        for part in (("0us", "10us"), ("40us", "50us"), ("10us", "20us"), ("20us", "20500ns"), ("15us", "95us"),
                     ("89us", "90us"), ("9us", "11us")):
            done = formats.program.export(trace, form, "--from", part[0], "--to", part[1])
            formats.written(checked, form, done)
        for part in (("20us", "10us"), ("20us", "20us"), ("90us", "91us"), ("2s", "3s")):
            done = formats.program.export(trace, form, "--from", part[0], "--to", part[1])
            formats.refused(checked, done, status=2)
        formats.written(checked, form, formats.program.export(trace, form, "--match", "nothing has this name"))
        formats.written(checked, form, formats.program.export(trace, form, "--hide", "com"))


def odd_traces(formats):
    """Traces that lack something. Each format writes a whole file, or says in one line what it lacks."""
    made = {
        "no CPU clock": trace_of(*PLAIN, [(1, 0, 0, 10), (1, 0, 1, 20)], "wall"),
        "CPU clock only": trace_of(*PLAIN, [(1, 0, 0, 10), (1, 0, 1, 20)], "thread-cpu"),
        "no calls": trace_of(*PLAIN, []),
        "no threads": trace_of([RUN], [], []),
        "no methods": trace_of([], [(1, b"main")], [(1, 0, 0, 10), (1, 0, 1, 20)]),
        "an exit alone": trace_of(*PLAIN, [(1, 0, 1, 10)]),
        "calls that stay open": trace_of(*PLAIN, [(1, 0, 0, 10), (1, 0, 0, 20)]),
        "calls of one moment": trace_of(*PLAIN, [(1, 0, action, 7) for action in (0, 0, 1, 0, 1, 1, 0, 1)]),
        "hostile names": hostile_trace(),
        "names of 60,000 bytes": long_names_trace(),
    }
    for name, content in made.items():
        trace = write(formats.folder, "odd.trace", content)
        for form, checked in formats.each(name):
            formats.written(checked, form, formats.program.export(trace, form), statuses=(0, 3))
    trace = write(formats.folder, "odd.trace", NO_CLOCK)
    for form, checked in formats.each("no clock at all"):
        done = formats.program.export(trace, form)
        if done.status == 0:
            formats.written(checked, form, done)
        else:
            formats.refused(checked, done, "no times", status=2)


def large_traces(formats):
    crowded = write(formats.folder, "crowded.trace", crowded_trace(10000))
    for form, checked in formats.each("10,000 threads"):
        done = formats.program.export(crowded, form)
        formats.written(checked, form, done)
        checked.true("memory", done.mib < 200, "%.0f MiB" % done.mib)
        checked.true("time", done.seconds < 20, "%.1f s" % done.seconds)
    deep = write(formats.folder, "deep.trace", deep_trace(formats.levels))
    for form, checked in formats.each("%d levels" % formats.levels):
        with open(os.devnull, "wb") as nowhere:
            done = formats.program.export(deep, form, out=nowhere)
        checked.true("status", done.status in (0, 3), "%s: %s" % (done.status, done.err))
        checked.true("what is cut is told", done.status == 0 or re.search(r"\d+ calls are left out", done.err), done.err)
        checked.true("memory", done.mib < MOST_MIB, "%.0f MiB" % done.mib)
        checked.true("time", done.seconds < MOST_S, "%.1f s" % done.seconds)


def main():
    report = harness.Report()
    with tempfile.TemporaryDirectory() as folder:
        levels = LEVELS_LONG if "--long" in sys.argv[2:] else LEVELS
        formats = Formats(Program(sys.argv[1]), folder, report, levels)
        for test in (formats_are_listed, full_disks, limited_files, closed_pipes, bad_outputs,
                     outputs_that_are_the_input, parts, odd_traces, large_traces):
            test(formats)
    print("%d passed, %d failed" % (report.passed, report.failed))
    sys.exit(report.failed > 0)


if __name__ == "__main__":
    main()
