#!/usr/bin/env python3
"""Checks that each header compiles alone in C17, and the public ones as the oldest C and C++ that they promise, without a
warning. A source that begins by including its header is compiled with more warnings by every build, which says so of that header;
it is looked at here whether the source does, and whether the header has a guard of its own. The others are compiled alone, twice in
one source. Ends with "N passed, N failed"."""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
COMMENT = re.compile(r"/\*.*?\*/", re.S)
CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|endif)\b")
# Sources that only the command for npm is made of, which no build of each change compiles.
WASI = re.compile(r"(^|/)wasi/")
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


def read(name):
    with open(os.path.join(ROOT, "src", name), encoding="utf-8") as file:
        return file.read()


def is_guarded(name):
    """Whether all of a header stands between its guard and the last #endif."""
    lines = COMMENT.sub("", read(name)).strip().split("\n")
    guard = "TV_%s" % re.sub(r"[/.]", "_", name).upper()
    depth = 0
    for number, line in enumerate(lines):
        found = CONDITION.match(line)
        depth += 0 if not found else -1 if found[1] == "endif" else 1
        if depth == 0:
            return lines[:2] == ["#ifndef " + guard, "#define " + guard] and number == len(lines) - 1
    return False


def is_first_of_its_source(name):
    source = name[:-len(".h")] + ".c"
    if WASI.search(name) or not os.path.exists(os.path.join(ROOT, "src", source)):
        return False
    code = COMMENT.sub("", read(source)).lstrip()
    return code.startswith('#include "%s"\n' % name) and is_guarded(name)


def is_possible(name):
    """Whether what the header is about is installed, a JDK or libpq."""
    text = read(name)
    return (JDK or not JVMTI.search(text)) and (PQ or not LIBPQ.search(text))


def headers_below(folder):
    for where, _, names in sorted(os.walk(os.path.join(ROOT, folder))):
        for name in sorted(names):
            if name.endswith((".h", ".hpp")):
                yield os.path.relpath(os.path.join(where, name), os.path.join(ROOT, folder))


def main():
    names = list(headers_below("src"))
    possible = [name for name in names if is_possible(name)]
    if possible != names:
        print("skipped: %d headers of the agent for Java or of PostgreSQL: no JDK (openjdk-17-jdk-headless), or no libpq-dev"
              % (len(names) - len(possible)))
    command = C17 + ["-isystem%s" % folder for where in JDK for folder in (where, where + "/linux")] + ["-isystem" + folder for folder in PQ]
    results = [is_first_of_its_source(name) or compiles('"%s"' % name, command) for name in possible]
    for name in headers_below("include"):
        languages = [C99, C17, CXX11, CXX20] if name.endswith(".h") else [CXX11, CXX20]
        results += [compiles("<%s>" % name, language) for language in languages]
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    sys.exit(False in results)


main()
