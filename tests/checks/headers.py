#!/usr/bin/env python3
"""Checks that each header compiles alone: public ones in C17 and in C++, ours in C17. Ends with "N passed, N failed"."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILERS = {"c": ["gcc", "-std=c17", "-x", "c"], "c++": ["g++", "-std=c++17", "-x", "c++"]}


def compiles(language, include):
    command = COMPILERS[language] + ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-D_GNU_SOURCE",
                                     "-I", os.path.join(ROOT, "include"), "-I", os.path.join(ROOT, "src"), "-"]
    run = subprocess.run(command, input="#include %s\n#include %s\nint used;\n" % (include, include), text=True,
                         capture_output=True, check=False)
    if run.returncode:
        print("%s does not compile alone in %s:\n%s" % (include, language, run.stderr))
    return run.returncode == 0


def headers_below(folder):
    for where, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(names):
            if name.endswith(".h"):
                yield os.path.relpath(os.path.join(where, name), os.path.join(ROOT, folder))


def main():
    results = []
    for name in headers_below("include"):
        results += [compiles(language, "<%s>" % name) for language in COMPILERS]
    for name in headers_below("src"):
        results.append(compiles("c", '"%s"' % name))
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    sys.exit(not all(results))


main()
