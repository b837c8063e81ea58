#!/usr/bin/env python3
"""Checks that each header compiles alone in C17. Ends with "N passed, N failed"."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = ["gcc", "-std=c17", "-x", "c", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-D_GNU_SOURCE",
           "-I", os.path.join(ROOT, "src"), "-"]


def compiles(include):
    run = subprocess.run(COMMAND, input="#include %s\n#include %s\nint used;\n" % (include, include), text=True,
                         capture_output=True, check=False)
    if run.returncode:
        print("%s does not compile alone:\n%s" % (include, run.stderr))
    return run.returncode == 0


def headers_below(folder):
    for where, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(names):
            if name.endswith(".h"):
                yield os.path.relpath(os.path.join(where, name), os.path.join(ROOT, folder))


def main():
    results = [compiles('"%s"' % name) for name in headers_below("src")]
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    sys.exit(not all(results))


main()
