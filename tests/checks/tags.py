#!/usr/bin/env python3
"""Checks that a tag of ours (struct, union or enum tv_...) is defined once in src and include.

Two structs of one name do no harm while no file includes both, but whoever searches for the name reads the wrong one.
Tags without the prefix belong to the .c file that they stand in. Ends with "N passed, N failed".
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
DEFINITION = re.compile(r"\b(?:struct|union|enum)\s+(tv_\w+)\s*\{")

# One interface with an implementation for programs and one for browsers; no program links both.
TWICE = {"tv_regex": ["src/analysis/selection/regex.c", "src/engine/regex_host.c"]}


def definitions(root):
    """The files that define each tag, one entry for each definition."""
    found = {}
    for top in ("include", "src"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        text = NOT_CODE.sub(lambda part: "\n" * part[0].count("\n"), file.read())
                    for tag in DEFINITION.findall(text):
                        found.setdefault(tag, []).append(os.path.relpath(path, root))
    return found


def faults(found, twice):
    for tag, files in sorted(found.items()):
        if len(files) > 1 and files != twice.get(tag):
            yield "%s is defined in %s" % (tag, " and ".join(files))
    for tag, files in sorted(twice.items()):
        if found.get(tag) != files:
            yield "%s is said to be defined in %s, and is not" % (tag, " and ".join(files))


def main():
    found = definitions(ROOT)
    problems = list(faults(found, TWICE))
    print("".join(problem + "\n" for problem in problems) + "%d passed, %d failed"
          % (max(len(found) - len(problems), 0), len(problems)))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
