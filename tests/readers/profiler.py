#!/usr/bin/env python3
"""What the Firefox Profiler and speedscope show first of an export, by their own code.

    profiler.py PROGRAM

profiler-cli is the Firefox Profiler without a page: it loads a profile as the page does, and method traces by its own
importer. A made trace has one method of each category, each of another length; both readings of it must give each
category the same time, the plain trace in samples of 0.1 ms and the export exactly. Of traces whose main thread is not
the first one, the thread that is chosen must be the first of `traceview info` in the profiler, and main in speedscope.
Ends with "N passed, N failed".
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "acceptance"))

import harness  # noqa: E402
import events  # noqa: E402

CLI = os.path.join(HERE, "node_modules", "@firefox-devtools", "profiler-cli", "dist", "profiler-cli.js")
# Class and method; the n-th takes 2^(n + 2) ms.
METHODS = [
    ("android.os.MessageQueue", "nativePollOnce"), ("java.lang.Object", "wait"), ("android.view.View", "draw"),
    ("com.android.internal.os.ZygoteInit", "main"), ("java.lang.Thread", "run"), ("kotlinx.coroutines.Job", "start"),
    ("androidx.core.view.ViewCompat", "a"), ("com.example.app.Main", "run"), ("org.example.Lib", "go"),
    ("javax.swing.Box", "fill"),
]
# profiler-cli finds no header in files of less than 8 KiB, whose bytes it has in the middle of a buffer.
UNUSED = [("java.lang.Unused%d" % i, "m") for i in range(400)]
TICK_MS = 0.1


def trace_of(threads, calls):
    """A trace of version 3 with both clocks. threads: [(id, name)]. calls: [(thread id, number of a method, from, to)],
    in microseconds."""
    text = "*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=9999999\nnum-method-calls=%d\n" \
           "clock-call-overhead-nsec=0\npid=%d\n*threads\n" % (2 * len(calls), threads[0][0])
    text += "".join("%d\t%s\n" % thread for thread in threads) + "*methods\n"
    text += "".join("0x%x\t%s\t%s\t()V\tA.java\n" % (4 * (i + 1), *method)
                    for i, method in enumerate(METHODS + UNUSED)) + "*end\n"
    records = sorted((at, thread, 4 * (method + 1) | is_exit) for thread, method, start, end in calls
                     for at, is_exit in ((start, 0), (end, 1)))
    return text.encode() + struct.pack("<IHHQH14x", 0x574f4c53, 3, 32, 5000000, 14) + b"".join(
        struct.pack("<HIII", thread, word, at, at) for at, thread, word in records)


class Cli:
    """One session of profiler-cli with one file. Its server is a child of this program and not started by `load`, which
    gives up after half a second: a busy machine needs longer. It is asked nothing before it has written that it listens:
    a client that finds no session deletes the session's files, also of a server that is writing them. A client that does so all
    the same, since the server did not answer in time, leaves a server whom nobody finds: another one is started then."""

    SECONDS_MOST = 240

    def __init__(self, folder, path):
        self.environment = dict(os.environ, HOME=folder, PROFILER_CLI_SESSION_DIR=os.path.join(folder, "sessions"))
        self.session = os.path.basename(path).replace(".", "-")
        os.makedirs(self.environment["PROFILER_CLI_SESSION_DIR"], exist_ok=True)
        self.path = path
        self.written = os.path.join(self.environment["PROFILER_CLI_SESSION_DIR"], self.session + ".json")
        self.start()
        deadline = time.monotonic() + self.SECONDS_MOST
        while not self.is_ready() and time.monotonic() < deadline:
            if self.server.poll() is not None:
                raise ValueError("profiler-cli's server ended by itself: %d" % self.server.returncode)
            time.sleep(0.1)

    def start(self):
        self.server = subprocess.Popen(["node", CLI, "--daemon", self.path, "--session", self.session],
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_ready(self):
        if not os.path.exists(self.written) or not os.path.getsize(self.written):
            return False
        done = self.run("profile", "meta")
        if not done.returncode or "load failed" in done.stderr:
            return True
        if not os.path.exists(self.written):
            self.__exit__(None, None, None)
            self.start()
        return False

    def run(self, *words):
        return subprocess.run(["node", CLI, *words, "--session", self.session], check=False, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=self.SECONDS_MOST, text=True)

    def ask(self, *words):
        done = self.run(*words, "--json")
        if done.returncode:
            raise ValueError("profiler-cli %s: %s" % (" ".join(words), done.stderr))
        return json.loads(done.stdout)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.server.kill()
        self.server.wait()


def categories(answer, unit_ms):
    return {row["name"]: row["samples"] * unit_ms for row in answer["categoryBreakdown"]["categories"]}


def export(program, path, form, folder):
    out = os.path.join(folder, "out." + form)
    subprocess.run([program, "export", path, "--to", form, "-o", out], check=True, stderr=subprocess.DEVNULL, timeout=240)
    return out


def check_categories(checked, program, folder):
    path = os.path.join(folder, "made.trace")
    # Short calls first: by these the importer tells that the trace is not sampled.
    at, calls = 1000, [(7, 4, 10 * i, 10 * i + 9) for i in range(100)]
    for method in range(len(METHODS)):
        calls.append((7, method, at, at + 4000 * 2 ** method))
        at += 4000 * 2 ** method
    with open(path, "wb") as file:
        file.write(trace_of([(7, "main")], calls))
    told = {}
    for name, file, unit in (("plain", path, TICK_MS), ("export", export(program, path, "firefox", folder), 1)):
        with Cli(folder, file) as cli:
            told[name] = categories(cli.ask("thread", "samples"), unit)
    checked.equal("categories", sorted(told["export"]), sorted(told["plain"]))
    for name, took in told["export"].items():
        checked.true("%s: %s ms, by its own importer %s" % (name, took, told["plain"].get(name)),
                     abs(took - told["plain"].get(name, 0)) <= 1)
    checked.equal("of the app", told["export"].get("Example"), 2 ** 9 + 2 ** 10)


# Threads of the second trace: main has fewer records and less time than one, and is not the first in the file.
WORKER_IS_BUSY = [(9, 4, 0, 900000), (7, 7, 1000, 400000), (7, 7, 400000, 500000), (8, 5, 5, 10)]
WORKER_THREADS = [(7, "main"), (8, "idle"), (9, "worker")]


def check_first_thread(checked, program, folder):
    path = os.path.join(folder, "busy.trace")
    with open(path, "wb") as file:
        file.write(trace_of(WORKER_THREADS, WORKER_IS_BUSY))
    with Cli(folder, export(program, path, "firefox", folder)) as cli:
        info = cli.ask("profile", "info", "--all")
        checked.equal("chosen", cli.ask("thread", "info")["name"], "worker")
        checked.equal("name of the process", info["processes"][0]["name"], "busy.trace")
        checked.equal("its number", info["processes"][0]["pid"], "7")


def check_speedscope(checked, program, folder):
    path = os.path.join(folder, "busy.trace")
    profiles = events.Speedscope.open(export(program, path, "speedscope", folder))
    checked.equal("profiles, the busiest thread's first", [profile["name"].split(" ")[0] for profile in profiles][:3],
                  ["worker", "main", "idle"])
    checked.equal("opened", [profile["name"].split(",")[0] for profile in profiles if profile["is_shown"]],
                  ["main (tid 7)"])


def main():
    program = os.path.abspath(sys.argv[1])
    report = harness.Report()
    with tempfile.TemporaryDirectory() as folder:
        for name, check in (("categories in the Firefox Profiler", check_categories),
                            ("first thread in the Firefox Profiler", check_first_thread)):
            if not os.path.exists(CLI):
                report.skip(name, "the readers' npm packages are not installed")
                continue
            with report.case(name) as checked:
                check(checked, program, folder)
        missing = events.without_speedscope() or not os.path.exists(CLI) and "the readers' npm packages are not installed"
        if missing:
            report.skip("first profile in speedscope", missing)
        else:
            with report.case("first profile in speedscope") as checked:
                check_speedscope(checked, program, folder)
    print("%d passed, %d failed" % (report.passed, report.failed))
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
