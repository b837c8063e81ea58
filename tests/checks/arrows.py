#!/usr/bin/env python3
"""Checks what the compiler does not: which folder includes which, and words that stand in one place only.

The arrows come from src/meson.build, so there is one table. Ends with "N passed, N failed".
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = os.path.join(ROOT, "src")

# Headers of the C library that a pure folder may not even see. Atomics are instructions, and ask nothing of a system.
SYSTEM_HEADERS = re.compile(
    r"<(unistd|fcntl|pthread|signal|time|sys/.*|stdio|locale|errno|threads|netinet/.*|arpa/.*)\.h>")
# vsnprintf and snprintf write to memory only.
PRINTING = re.compile(r"\b(f?printf|puts|putchar|fputs|fputc|fopen|fread|fwrite|stdout|stderr|stdin)\b")
ALLOCATION = re.compile(r"\b(malloc|calloc|realloc|free|strdup|strndup|aligned_alloc)\s*\(")
BANNED = re.compile(r"\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|alloca|setjmp|longjmp)\s*\(")


def strip_comments(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


def read_arrows():
    text = open(os.path.join(SOURCE, "meson.build")).read()
    arrows = {m[1]: set(re.findall(r"'(\w+)'", m[2])) | {m[1]}
              for m in re.finditer(r"^  \['(\w+)', \[([^\]]*)\]", text, re.M)}
    pure = set(re.findall(r"'(\w+)'", re.search(r"^pure_folders = \[(.*?)\]", text, re.M | re.S)[1]))
    return arrows, pure


def check_file(folder, name, arrows, pure):
    path = os.path.join(SOURCE, folder, name)
    raw = open(path).read()
    text = strip_comments(raw)
    allowed = set(arrows[folder])
    # An index is built from a trace: its header shows the format's, to whoever sees the index.
    for used in list(allowed):
        allowed |= {"format"} if used == "index" else set()
    problems = []
    for number, line in enumerate(raw.split("\n"), 1):
        found = re.match(r'\s*#\s*include\s+"(\w+)/', line)
        if found and found[1] not in allowed:
            problems.append((number, "%s may not include %s" % (folder, found[1])))
        if re.match(r'\s*#\s*include\s+"(?!\w+/)', line):
            problems.append((number, "include by folder: %s" % line.strip()))
        if re.match(r"\s*#\s*include", line) and "microhttpd" in line and (folder, name) != ("server", "httpd.c"):
            problems.append((number, "only server/httpd.c includes microhttpd.h"))
        if folder in pure and re.match(r"\s*#\s*include", line) and SYSTEM_HEADERS.search(line) \
                and "stdio" not in line:
            problems.append((number, "a pure folder includes %s" % line.strip()))
    for number, line in enumerate(text.split("\n"), 1):
        if ALLOCATION.search(line) and (folder, name) != ("base", "alloc.c"):
            problems.append((number, "memory comes from struct tv_alloc: %s" % line.strip()))
        if BANNED.search(line):
            problems.append((number, "banned: %s" % line.strip()))
        if folder in pure and name != "compiler.h" and PRINTING.search(line):
            problems.append((number, "a pure folder prints: %s" % line.strip()))
    return ["%s:%d: %s" % (os.path.relpath(path, ROOT), number, problem) for number, problem in problems]


def main():
    arrows, pure = read_arrows()
    passed = failed = 0
    for folder in sorted(arrows):
        for name in sorted(os.listdir(os.path.join(SOURCE, folder))):
            if not name.endswith((".c", ".h")):
                continue
            problems = check_file(folder, name, arrows, pure)
            print("\n".join(problems), end="\n" if problems else "")
            passed += not problems
            failed += bool(problems)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
