#!/usr/bin/env python3
"""Checks that each header compiles alone in C17, and the public ones as the oldest C and C++ that they promise, without a
warning. Ends with "N passed, N failed"."""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
C17 = ["gcc", "-std=c17", "-x", "c", "-D_GNU_SOURCE", "-I", os.path.join(ROOT, "src"), "-I", os.path.join(ROOT, "include")]
# Of a JDK, for the headers of its agent.
JVMTI = re.compile(r"#include (<jvmti\.h>|\"jvm/agent\.h\")")
JDK = sorted(glob.glob("/usr/lib/jvm/*/include"))[:1]
# Of PostgreSQL's client library, for the headers of what loads it.
LIBPQ = re.compile(r"#include (<libpq-fe\.h>|\"postgres/|\"store/postgres/(calls|schema)\.h\")")
PQ = [folder for folder in ("/usr/include/postgresql",) if os.path.exists(folder + "/libpq-fe.h")]
PUBLIC = ["-I", os.path.join(ROOT, "include"), "-Wconversion", "-Wshadow"]
C99 = ["gcc", "-std=c99", "-x", "c", *PUBLIC]
CXX11 = ["g++", "-std=c++11", "-x", "c++", *PUBLIC]
CXX20 = ["g++", "-std=c++20", "-x", "c++", *PUBLIC]


def compiles(include, command):
    run = subprocess.run(command + WARNINGS + ["-"], input="#include %s\n#include %s\nint used;\n" % (include, include),
                         text=True, capture_output=True, check=False)
    if run.returncode:
        print("%s does not compile alone by %s:\n%s" % (include, " ".join(command[:2]), run.stderr))
    return run.returncode == 0


def of_source(name):
    """Whether a header of the program compiles; None for one that a JDK or libpq is needed for, where there is none."""
    with open(os.path.join(ROOT, "src", name), encoding="utf-8") as file:
        text = file.read()
    if (JVMTI.search(text) and not JDK) or (LIBPQ.search(text) and not PQ):
        return None
    return compiles('"%s"' % name, C17 + ["-isystem%s" % folder for where in JDK for folder in (where, where + "/linux")]
                    + ["-isystem" + folder for folder in PQ])


def headers_below(folder):
    for where, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(names):
            if name.endswith((".h", ".hpp")):
                yield os.path.relpath(os.path.join(where, name), os.path.join(ROOT, folder))


def main():
    results = [of_source(name) for name in headers_below("src")]
    if None in results:
        print("skipped: %d headers of the agent for Java or of PostgreSQL: no JDK (openjdk-17-jdk-headless), or no libpq-dev"
              % results.count(None))
    for name in headers_below("include"):
        languages = [C99, C17, CXX11, CXX20] if name.endswith(".h") else [CXX11, CXX20]
        results += [compiles("<%s>" % name, language) for language in languages]
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    sys.exit(False in results)


main()
