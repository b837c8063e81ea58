#!/usr/bin/env python3
"""Opens exports with the readers that they are for, and compares what these read with `traceview top --json`.

    run.py PROGRAM [--only NAME]... [--long]

Of each case (a trace, a range, threads) and each thread, the 20 top methods must have the same numbers in every export.
`FORMATS` names the exports and how each is read; a reader is a function

    totals(file) -> {thread id: {whole name of a method: {number: value}}}

which may give any of the numbers of `numbers_of` below. What it does not give is not compared, so it gives all that the
format holds. Where a format does not tell threads apart, the only thread id is None. One of three cases of a format is
run (tests/support/drawn.py); --long runs all, and the readers that take long to install or to run, too. Ends with
"N passed, N failed".
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "acceptance"))
sys.path.append(os.path.join(ROOT, "tests", "support"))

import harness  # noqa: E402
from drawn import drawn  # noqa: E402
import formats  # noqa: E402
import protobuf  # noqa: E402
import tables  # noqa: E402

TOP = 20
# Of the cases of a format so many stand for one that is run, but with --long.
ONE_OF = 3
MADE = "tests/data/made/"


class Case:
    """A trace, and what of it is exported: options that `export` and `top` have both."""

    def __init__(self, path, *options):
        self.path = os.path.join(ROOT, path)
        self.options = list(options)
        self.name = " ".join([os.path.basename(path)] + self.options)


# The first one is the largest.
CASES = [
    Case("tests/data/recipes.trace.zst"),
    Case("tests/data/recipes.trace.zst", "--from", "100ms", "--to", "333ms", "--thread", "ImageWorker"),
    Case("tests/data/recipes.trace.zst", "--from", "701.5ms", "--hide", "java.util"),
    Case(MADE + "v3-deep-exits.trace"),
    Case(MADE + "v2-wall.trace"),
    Case(MADE + "v2-thread-cpu.trace"),
    Case(MADE + "packets-5-D.trace"),
    Case(MADE + "v1-global.trace"),
]


def numbers_of(row):
    """The numbers of a row of `top --json`, by the names that readers use."""
    numbers = {"calls": row["calls"], "recursive_calls": row["recursive_calls"],
               "all_calls": row["calls"] + row["recursive_calls"]}
    for kind in ("inclusive", "exclusive"):
        for clock, value in row[kind].items():
            numbers["%s_%s" % (kind, clock)] = value
    return numbers


def ask(program, verb, case, *options):
    command = [program, verb, case.path, *case.options, *options]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                     timeout=240).stdout)


def selected_threads(program, case):
    """{id: name} of the threads of the case; --thread takes an id or a glob of names, here a name."""
    threads = json.loads(subprocess.run([program, "info", case.path, "--json"], check=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, timeout=240).stdout)["threads"]
    wanted = case.options[case.options.index("--thread") + 1] if "--thread" in case.options else None
    return {thread["id"]: thread["name"] for thread in threads if wanted in (None, thread["name"])}


def without_threads(options):
    """The options without --thread and its value."""
    at = options.index("--thread") if "--thread" in options else len(options)
    return options[:at] + options[at + 2:]


def rows_of(answer):
    return [(row["method"], numbers_of(row)) for row in answer["methods"] if row["calls"] + row["recursive_calls"]]


def expected(program, case):
    """{thread id: [(method, its numbers)], the top ones first}, and under None those of all threads of the case."""
    alone = Case(os.path.relpath(case.path, ROOT), *without_threads(case.options))
    told = {None: rows_of(ask(program, "top", case, "--json", "-n", "0"))}
    for thread in selected_threads(program, case):
        told[thread] = rows_of(ask(program, "top", alone, "--json", "--thread", str(thread), "-n", "0"))
    return told


def sums_of(rows):
    """What numbers add up to over methods: exclusive times and counts do."""
    sums = {}
    for numbers in rows:
        for key, value in numbers.items():
            if not key.startswith("inclusive"):
                sums[key] = sums.get(key, 0) + value
    return sums


def compare(checked, wanted, got):
    wanted = {thread: rows for thread, rows in wanted.items() if (thread is None) == (None in got)}
    for thread, rows in wanted.items():
        methods = got.get(thread, {})
        for name, numbers in rows[:TOP]:
            found = methods.get(name)
            if checked.true("thread %s: %s is there" % (thread, name), found is not None):
                checked.equal("thread %s: %s" % (thread, name), found,
                              {key: numbers.get(key) for key in found})
        known = {key for numbers in methods.values() for key in numbers}
        all_wanted = sums_of({key: value for key, value in numbers.items() if key in known} for _, numbers in rows)
        checked.equal("thread %s: all its methods" % thread, sums_of(methods.values()), all_wanted)
    checked.equal("threads with calls", {thread for thread, methods in got.items() if methods},
                  {thread for thread, rows in wanted.items() if rows})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("--only", action="append", choices=sorted(formats.FORMATS))
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    report = harness.Report()
    wanted = {case: expected(options.program, case) for case in CASES}
    for name, form in formats.FORMATS.items():
        if options.only and name not in options.only or form.is_long and not (options.long or options.only):
            continue
        if form.missing:
            report.skip(name, form.missing)
            continue
        taken = [case for case in CASES if form.takes(case)]
        for case in drawn(taken, 1 if options.long or options.only else ONE_OF, lambda case: "%s of %s" % (name, case.name)):
            with tempfile.TemporaryDirectory() as folder, report.case("%s: %s" % (name, case.name)) as checked:
                out = os.path.join(folder, "out")
                command = [options.program, "export", case.path, *case.options, *form.options, "-o", out]
                done = subprocess.run(command, stderr=subprocess.PIPE, timeout=240, check=False, text=True)
                if checked.equal("status of export", done.returncode, 0):
                    held = wanted[case]
                    if form.as_held:
                        held = form.as_held(held, selected_threads(options.program, case))
                    compare(checked, held, form.totals(out))
                else:
                    checked.true("what it said", False, done.stderr)
    if not options.only or any(name in options.only for name in tables.FORMS):
        tables.check(options.program, report)
    if options.long:
        protobuf.check_go(options.program, report)
    print("%d passed, %d failed" % (report.passed, report.failed))
    sys.exit(report.failed > 0)


if __name__ == "__main__":
    main()
