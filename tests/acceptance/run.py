#!/usr/bin/env python3
"""The acceptance suite: the program's answers against known truths.

    run.py [--seeds N] [--first-seed N] [--only GROUP] [--all] [--every-prefix] [-v]

TRACEVIEW is the program (default build/release/traceview), TRACEVIEW_SHARED the folder with traces that
are not part of the project (default ../shared); what needs them is skipped aloud where they are missing.
Without --all a part is drawn of questions, prefixes and versions that many traces are tried with (tests/support/drawn.py).
Ends with "N passed, N failed"; the status is 1 when anything failed.
"""

import argparse
import gc
import os
import sys

import harness

import bad
import convert
import copied
import cut
import findings
import made
import prefixes
import real
import redact
import saved
import seeds

GROUPS = {"made": made, "real": real, "findings": findings, "bad": bad, "saved": saved, "prefixes": prefixes, "copied": copied, "convert": convert, "cut": cut, "redact": redact, "seeds": seeds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=60, help="random traces (default 60)")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--only", choices=sorted(GROUPS), action="append", help="these groups alone")
    parser.add_argument("--all", action="store_true", help="nothing is drawn")
    parser.add_argument("--every-prefix", action="store_true", help="not some of them")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the cases that pass, too")
    options = parser.parse_args()

    program = os.environ.get("TRACEVIEW", os.path.join(harness.ROOT, "build", "release", "traceview"))
    if not os.access(program, os.X_OK):
        sys.exit("run.py: %s: no such program: build it, or name it in TRACEVIEW" % program)
    # What the slow reading makes of a trace, millions of objects, has no cycles: looking for some takes a tenth of Python's time.
    gc.disable()
    tool = harness.Tool(program)
    report = harness.Report(options.verbose)
    for name, group in GROUPS.items():
        if not options.only or name in options.only:
            group.run(report, tool, options)
    if report.skipped:
        print("%d skipped" % len(report.skipped))
    print("%d passed, %d failed" % (report.passed, report.failed))
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
