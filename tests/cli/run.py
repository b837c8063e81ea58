#!/usr/bin/env python3
"""Runs the command by files: a case is a folder, and a new case needs no code.

    run.py PROGRAM [CASE...]     --update writes what the program said as what is expected

In a case: `args` (one argument a line; {DATA} is tests/data, {CASE} the case's folder, {SHARED} the folder of
TRACEVIEW_SHARED) or `script` (a line for sh, the program is $TRACEVIEW), and what is expected: `stdout`, `stderr`
(both: missing means empty), `status` (missing means 0). `stdout.grep` and `stderr.grep` instead are regular
expressions, one a line, that must all be found. `stdin` is given on standard input.

Or a case has a `table`, for what takes one line: rows as in a console, "$ traceview ..." for sh, then what it says on
either output, then "[N]" where the status N is not 0. Each row is a test.

Cases that need {SHARED} are skipped aloud where it is missing, and rows that make a report where the program was built without
its page. Ends with "N passed, N failed".
"""

import difflib
import os
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = os.path.join(HERE, "cases")
SHARED = os.path.abspath(os.environ.get("TRACEVIEW_SHARED", os.path.join(ROOT, "..", "shared")))
NO_PAGE = "without  reports and Save as one page"
PATIENCE_S = 300  # of a case, on a machine with twenty other things to do; who runs a slower program gives it more


def read(case, name):
    path = os.path.join(CASES, case, name)
    return open(path, encoding="utf-8", errors="surrogateescape").read() if os.path.exists(path) else None


def with_places(case, text):
    places = {"DATA": os.path.join(ROOT, "tests", "data"), "CASE": os.path.join(CASES, case), "SHARED": SHARED}
    return re.sub(r"\{(DATA|CASE|SHARED)\}", lambda m: places[m[1]], text)


def command_of(case, program):
    script = read(case, "script")
    if script is not None:
        return ["sh", "-c", with_places(case, script)]
    return [program] + with_places(case, read(case, "args")).splitlines()


def run(case, program, command):
    stdin = os.path.join(CASES, case, "stdin")
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, TRACEVIEW=program, TERM="dumb", LC_ALL="C.UTF-8", XDG_CONFIG_HOME=empty,
                           XDG_STATE_HOME=empty, XDG_CACHE_HOME=empty)
        with open(stdin if os.path.exists(stdin) else os.devnull, "rb") as given:
            try:
                return subprocess.run(command, stdin=given, capture_output=True, cwd=empty, env=environment,
                                      timeout=PATIENCE_S, check=False)
            except subprocess.TimeoutExpired as late:
                told = (late.stderr or b"") + b"stopped by the test after %d s\n" % PATIENCE_S
                return subprocess.CompletedProcess(command, -signal.SIGKILL, late.stdout or b"", told)


def differences(expected, got, name):
    return list(difflib.unified_diff(expected.splitlines(), got.splitlines(), "expected " + name, "got " + name,
                                     lineterm=""))


def told_of(result, name):
    return shown(getattr(result, name).decode("utf-8", "surrogateescape"))


def shown(text):
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


def run_row(case, program, command):
    """What a row of a table says now: the command, both outputs, and the status."""
    told = run(case, program, ["sh", "-c", 'exec 2>&1\ntraceview() { "$TRACEVIEW" "$@"; }\n' + with_places(case, command)])
    return "$ %s\n%s%s" % (command, told_of(told, "stdout"), "[%d]\n" % told.returncode if told.returncode else "")


def lacks_page(program):
    """A build for sanitizers has no page, and writes no report."""
    return NO_PAGE in subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout


def run_table(case, program, is_update):
    """(passed, failed) of the rows of a table."""
    rows = ["$ " + row for row in re.split(r"^\$ ", read(case, "table"), flags=re.M)[1:]]
    now = [run_row(case, program, row[2:].split("\n")[0]) for row in rows]
    if is_update:
        open(os.path.join(CASES, case, "table"), "w", encoding="utf-8", errors="surrogateescape").write("".join(now))
        rows = now
    passed = failed = 0
    for expected, got in zip(rows, now):
        if expected != got and "traceview report" in expected and lacks_page(program):
            print("skipped: %s: built without its page" % case)
        elif expected != got:
            print("FAILED: %s\n    %s" % (case, "\n    ".join(differences(expected, got, "row"))))
            failed += 1
        else:
            passed += 1
    return passed, failed


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    program = os.path.abspath(words[0])
    chosen = words[1:] or sorted(os.listdir(CASES))
    passed = failed = 0
    for case in chosen:
        needs_shared = any("{SHARED}" in (read(case, name) or "") for name in ("args", "script", "table"))
        if needs_shared and not os.path.isdir(SHARED):
            print("skipped: %s: no %s" % (case, SHARED))
            continue
        if read(case, "table") is not None:
            row_passed, row_failed = run_table(case, program, "--update" in sys.argv)
            passed += row_passed
            failed += row_failed
            continue
        result = run(case, program, command_of(case, program))
        if "--update" in sys.argv:
            update(case, result)
        problems = problems_of(case, result)
        passed += not problems
        failed += bool(problems)
        if problems:
            print("FAILED: %s\n    %s" % (case, "\n    ".join(problems)))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
