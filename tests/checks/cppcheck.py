#!/usr/bin/env python3
"""Reads all C of src with cppcheck, by its errors, warnings and findings of performance and portability.

What it says that is not so stands in the table below, with why. An entry that cppcheck says no longer fails, too. Ends with
"N passed, N failed".
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORDS = ["cppcheck", "--enable=warning,performance,portability", "--quiet", "--std=c11", "-I", "src", "-I", "include",
         "-D_POSIX_C_SOURCE=200809L", "--suppress=missingIncludeSystem", "--template={file}: {id}", "-j", str(os.cpu_count()), "src"]

# File and kind -> why it is no fault.
NOT_SO = {
    ("src/analysis/calls/percentiles.c", "uninitvar"): "a percentile is of one duration at least, as its header says",
    ("src/analysis/selection/method_by_name.c", "uninitvar"): "its address is taken, and it is set through that",
    ("src/cli/compare/report_format.c", "nullPointer"): "a NULL that ends a list is in its initializer",
    ("src/cli/verb/verb_view.c", "uninitvar"): "its address is taken, and it is set through that",
    ("src/fleet/rows_values.h", "uninitvar"): "a loop sets 1 to 7, or to 10, before they are read",
    ("src/site/stored/stored.c", "uninitvar"): "their addresses are taken by a call through a table, which sets them",
    ("src/cli/wasi/contents.c", "comparePointers"): "both are ends of one block, which the linker places",
    ("src/site/answer/openapi.c", "comparePointers"): "the same",
    ("src/compare/trend.c", "uninitvar"): "a range is of one run at least, and the calls of each are set",
    ("src/export/flame/flame_svg.c", "zerodivcond"): "the loop ends where its divisor is 0",
    ("src/index/build/layout.c", "nullPointerRedundantCheck"): "a thread that the trace does not list has records",
    ("src/record/methods.c", "identicalInnerCondition"): "it asks for a place in a table, and then whether that is taken",
    ("src/server/traces.c", "uninitStructMember"): "it is set where adding went well, and read only then",
    ("src/cli/options.c", "returnDanglingLifetime"): "what is returned lies in the table that the list points to",
}


def main():
    said = subprocess.run(WORDS, cwd=ROOT, capture_output=True, text=True, check=False)
    if said.returncode:
        sys.exit("cppcheck: %s" % (said.stdout + said.stderr))
    found = {tuple(line.split(": ", 1)) for line in said.stderr.splitlines() if re.match(r"^src/\S+\.[ch]: \w+$", line)}
    failures = ["%s: %s" % entry for entry in sorted(found - set(NOT_SO))]
    failures += ["%s: cppcheck says nothing of %s: take it out of the table" % entry for entry in sorted(set(NOT_SO) - found)]
    for failure in failures:
        print("FAILED: " + failure)
    files = int(subprocess.run(["bash", "-c", "git ls-files 'src/*.c' | wc -l"], cwd=ROOT, capture_output=True, text=True,
                               check=True).stdout)
    print("%d passed, %d failed" % (files - len(failures), len(failures)))
    sys.exit(bool(failures))


main()
