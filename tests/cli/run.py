#!/usr/bin/env python3
"""Runs the command by files: a case is a folder, and a new case needs no code.

    run.py PROGRAM [CASE...]     --update writes what the program said as what is expected

In a case: `args` (one argument a line; {DATA} is tests/data, {CASE} the case's folder, {SHARED} the folder of
TRACEVIEW_SHARED) or `script` (a line for sh, the program is $TRACEVIEW), and what is expected: `stdout`, `stderr`
(both: missing means empty), `status` (missing means 0). `stdout.grep` and `stderr.grep` instead are regular
expressions, one a line, that must all be found. `stdin` is given on standard input. Cases that need {SHARED}
are skipped aloud where it is missing. Ends with "N passed, N failed".
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = os.path.join(HERE, "cases")
SHARED = os.path.abspath(os.environ.get("TRACEVIEW_SHARED", os.path.join(ROOT, "..", "shared")))


def read(case, name):
    path = os.path.join(CASES, case, name)
    return open(path, encoding="utf-8", errors="surrogateescape").read() if os.path.exists(path) else None


def command_of(case, program):
    places = {"DATA": os.path.join(ROOT, "tests", "data"), "CASE": os.path.join(CASES, case), "SHARED": SHARED}
    script = read(case, "script")
    text = script if script is not None else read(case, "args")
    text = re.sub(r"\{(DATA|CASE|SHARED)\}", lambda m: places[m[1]], text)
    return ["sh", "-c", text] if script is not None else [program] + text.splitlines()


def run(case, program):
    stdin = os.path.join(CASES, case, "stdin")
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, TRACEVIEW=program, TERM="dumb", LC_ALL="C.UTF-8", XDG_CONFIG_HOME=empty,
                           XDG_STATE_HOME=empty, XDG_CACHE_HOME=empty)
        with open(stdin if os.path.exists(stdin) else os.devnull, "rb") as given:
            return subprocess.run(command_of(case, program), stdin=given, capture_output=True, cwd=empty,
                                  env=environment, timeout=60, check=False)


def differences(expected, got, name):
    return list(difflib.unified_diff(expected.splitlines(), got.splitlines(), "expected " + name, "got " + name,
                                     lineterm=""))


def told_of(result, name):
    text = getattr(result, name).decode("utf-8", "surrogateescape")
    return text.replace(ROOT, "{ROOT}").replace(SHARED, "{SHARED}")


def problems_of(case, result):
    problems = []
    for name in ("stdout", "stderr"):
        got = told_of(result, name)
        patterns = read(case, name + ".grep")
        if patterns is None:
            problems += differences(read(case, name) or "", got, name)
            continue
        problems += ["%s has no /%s/ in:\n%s" % (name, pattern, got) for pattern in patterns.splitlines()
                     if not re.search(pattern, got, re.M)]
    status = int(read(case, "status") or 0)
    if result.returncode != status:
        problems.append("status %d, expected %d" % (result.returncode, status))
    return problems


def update(case, result):
    for name in ("stdout", "stderr"):
        path = os.path.join(CASES, case, name)
        text = told_of(result, name)
        if text and not os.path.exists(path + ".grep"):
            open(path, "w", encoding="utf-8", errors="surrogateescape").write(text)
    if result.returncode:
        open(os.path.join(CASES, case, "status"), "w").write("%d\n" % result.returncode)


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    program = os.path.abspath(words[0])
    chosen = words[1:] or sorted(os.listdir(CASES))
    passed = failed = 0
    for case in chosen:
        needs_shared = "{SHARED}" in ((read(case, "args") or "") + (read(case, "script") or ""))
        if needs_shared and not os.path.isdir(SHARED):
            print("skipped: %s (no %s)" % (case, SHARED))
            continue
        result = run(case, program)
        if "--update" in sys.argv:
            update(case, result)
        problems = problems_of(case, result)
        passed += not problems
        failed += bool(problems)
        if problems:
            print("FAILED: %s\n    %s" % (case, "\n    ".join(problems)))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
