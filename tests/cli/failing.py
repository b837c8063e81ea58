#!/usr/bin/env python3
"""Runs every verb with its allocations failing one at a time.

    failing.py PROGRAM [--all]

PROGRAM is traceview-failing (failing.c), best of a build with ASan and UBSan. Without --all few requests of each
command fail: half a minute of CPU under a sanitizer. The first trace is run with every option of every
verb; the others, a small one of each family and layout, with none and with --json. Those of TRACEVIEW_SHARED join where
it is there. Ends with "N passed, N failed".
"""

import glob
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.abspath(os.environ.get("TRACEVIEW_SHARED", os.path.join(ROOT, "..", "shared")))
MADE = os.path.join(ROOT, "tests", "data", "made")
# Its threads have calls on both clocks, broken and recursive ones; every verb succeeds with every option.
FIRST = "v3-lost-exits"
FEW = ["v1-global", "v3-odd-names", "v3-many-threads", "v3-unwinds-late", "stream-f3", "packets-5-D", "low-overhead-f6"]
# Requests that fail of each command, of plain commands four times as many.
RUNS, ALL_RUNS = 1, 200
PATIENCE_S = 240  # on a busy machine; only a failure takes that long


def traces(is_all):
    names = [FIRST] + FEW
    if is_all:
        names += sorted({os.path.basename(path)[:-len(".trace")] for path in glob.glob(os.path.join(MADE, "*.trace"))}
                        - set(names))
    paths = [os.path.join(MADE, name + ".trace") for name in names]
    shared = glob.glob(os.path.join(SHARED, "traces", "attacks", "*.trace"))
    if is_all:
        shared += glob.glob(os.path.join(SHARED, "traces", "*.trace"))
    if not shared:
        print("skipped: traces of %s" % SHARED)
    return paths + sorted(path for path in shared if os.path.getsize(path) < 1 << 16 and opens(path))


def opens(path):
    """Of other traces, those that are refused have nothing to fail in."""
    return not os.path.basename(path).startswith("bad-")


def ask(url, route, method="GET"):
    """The status of an answer, which must be JSON; None where the program gives none."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url + route, method=method), timeout=PATIENCE_S) as answer:
            status, body = answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        status, body = refused.code, refused.read()
    except (OSError, http.client.HTTPException):
        return None
    json.loads(body)
    return status


def use_viewer(url):
    """What a page does, until it is shown a trace or told that there is none; then the file is read once more."""
    end = time.monotonic() + PATIENCE_S
    for change in (None, "reload"):
        if change:
            ask(url, "api/" + change, "PUT")
        while ask(url, "api/info") == 503 and time.monotonic() < end:
            time.sleep(0.005)
        for route in ("first", "top", "tree?depth=3", "call?method=0&ordinal=0", "recent"):
            ask(url, "api/" + route)


def fault_of_viewer(program, request, folder, environment):
    """(what is wrong with the viewer whose n-th request is refused, or None; whether anything was refused)."""
    environment = dict(environment, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder, XDG_CACHE_HOME=folder)
    trace = os.path.join(MADE, FIRST + ".trace")
    viewer = subprocess.Popen([program, "--one", str(request), "view", "--no-browser", "--port", "0", trace],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    url = viewer.stdout.readline().strip()
    try:
        if url:
            use_viewer(url)
        viewer.send_signal(signal.SIGINT)
        _, said = viewer.communicate(timeout=PATIENCE_S)
    except (ValueError, subprocess.TimeoutExpired) as problem:
        viewer.kill()
        return "%s, %s" % (problem, viewer.communicate()[1]), True
    is_refused = "nothing was refused" not in said
    # A viewer that ends by itself, since it could not read the file, may meet the signal when it no longer waits for it.
    if viewer.returncode not in (0, 1, -signal.SIGINT) or "runtime error" in said:
        return "status %d, %s" % (viewer.returncode, said), is_refused
    if viewer.returncode == 1 and not said.startswith("traceview: "):
        return "does not say why it ends: %s" % said, is_refused
    return None, is_refused


def try_viewer(program, step, environment):
    """The viewer with every `step`-th of its requests refused, until it makes no more: (runs, faults)."""
    faults = []
    request = 0
    is_refused = True
    while is_refused:
        with tempfile.TemporaryDirectory() as folder:
            fault, is_refused = fault_of_viewer(program, request, folder, environment)
        if fault:
            faults.append("view, request %d refused: %s" % (request, fault))
        request += step
    return request // step, faults


def main():
    program = os.path.abspath(sys.argv[1])
    is_all = "--all" in sys.argv[2:]
    environment = dict(os.environ, ASAN_OPTIONS="exitcode=99:detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=4",
                       UBSAN_OPTIONS="halt_on_error=1:exitcode=99")
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run([program, scratch, str(ALL_RUNS if is_all else RUNS), *traces(is_all), "--",
                               os.path.join(MADE, "pair-v1.key"), os.path.join(MADE, "pair-v1.data")],
                              env=environment, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode not in (0, 1):
        sys.exit(done.returncode)
    runs, faults = try_viewer(program, 7 if is_all else 41, environment)
    print("view: %d runs" % runs)
    print("\n".join("FAILED: " + fault for fault in faults), end="\n" if faults else "")
    passed, failed = (int(word) for word in re.findall(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)[0])
    print("%d passed, %d failed" % (passed + runs - len(faults), failed + len(faults)))
    sys.exit(failed + len(faults) > 0)


main()
