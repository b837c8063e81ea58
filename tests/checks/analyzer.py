#!/usr/bin/env python3
"""Compiles all C of src with gcc's analyzer (-fanalyzer), which follows the ways through a function and what it calls.

What it says that is not so stands in the table below, with why. An entry that it says no longer fails, too. Some minutes of each
core; ends with "N passed, N failed".
"""

import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLACE = os.path.join(ROOT, "build", "analyzer")
OPTIONS = ["-Dtests=false", "-Dpage=disabled", "-Dengine=disabled", "-Djvm=disabled", "-Dwerror=false", "-Dc_args=-fanalyzer"]
# One that has no line of its own stands at the file that is compiled: cc1.
WARNING = re.compile(r"^(?:\.\./\.\./)?(src/\S+?|cc1):(?:\d+:\d+:)? warning: .* \[-W(analyzer-[\w-]+)\]$")

SET_BY_CALL = "a call that was handed its address has set it, where the code is TV_OK"
# File and kind -> why it is no fault.
NOT_SO = {
    ("src/analysis/lean/lean.c", "analyzer-use-of-uninitialized-value"): SET_BY_CALL,
    ("src/base/memory/arena.c", "analyzer-use-of-uninitialized-value"): SET_BY_CALL,
    ("src/base/memory/buffer.c", "analyzer-use-of-uninitialized-value"): SET_BY_CALL,
    ("src/analysis/selection/names.c", "analyzer-null-argument"): "a text of no address has no length, which ends the loop before",
    ("src/base/bytes/gather.h", "analyzer-shift-count-overflow"): "the shift is of words of 16 bits, by 7 at most",
    ("src/compare/trend.c", "analyzer-use-of-uninitialized-value"): "a range is of one run at least, and the calls of each are set",
    ("src/index/build/chunks/chunk_scan.c", "analyzer-use-of-uninitialized-value"): "a loop over all four sets them before they are read",
    ("src/cli/record/record_debug.c", "analyzer-null-dereference"): "waiting ends well with a file alone",
    ("src/cli/verb/verb_push.c", "analyzer-null-argument"): "a file that is sent has a name, of the command's words",
    ("cc1", "analyzer-use-of-uninitialized-value"): "of route_call.c: a function returns the place, and sets all of it",
    ("src/os/file/digest.c", "analyzer-null-dereference"): "it is asked for where there is a place for it",
}


def main():
    shutil.rmtree(PLACE, ignore_errors=True)
    environment = dict(os.environ, CC="gcc", CCACHE_DISABLE="1")
    for command in (["meson", "setup", PLACE, *OPTIONS], ["ninja", "-k", "0", "-C", PLACE]):
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            sys.exit("analyzer: %s\n%s" % (" ".join(command), done.stdout[-3000:]))
    found = {match.groups() for match in map(WARNING.match, done.stdout.splitlines()) if match}
    failures = ["%s: %s" % entry for entry in sorted(found - set(NOT_SO))]
    failures += ["%s: gcc says nothing of %s: take it out of the table" % entry for entry in sorted(set(NOT_SO) - found)]
    for failure in failures:
        print("FAILED: " + failure)
    files = done.stdout.count("Compiling C object src/")
    print("%d passed, %d failed" % (files - len(failures), len(failures)))
    sys.exit(bool(failures))


main()
