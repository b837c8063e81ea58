#!/usr/bin/env python3
"""Which faults scripts/mutate puts into a function, and which lines it leaves alone. Ends with "N passed, N failed"."""

import importlib.machinery
import importlib.util
import os
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOADER = importlib.machinery.SourceFileLoader("mutate", os.path.join(ROOT, "scripts", "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", LOADER))
LOADER.exec_module(mutate)

SOURCE = """\
#define LIMIT 4 /* a < b */
static const int table[] = {1, 2};

static int count(const char *text, int most)
{
    int found = 0; /* 7 + 8 */
    tv_assert(most > 5);
    if (text[found] != 'x' && most < LIMIT)
        TV_PREFETCH(text + 64);
    say("1 < 2",
        -most);
    while (most - 1 > found)
        found += most;
    return found;
}

static void prefetch_all(int most)
{
    use(most + 1);
}
"""

# kind, line, what stands there then
WANTED = {
    ("constant", 6, "int found = 1; /* 7 + 8 */"),
    ("drop", 10, ";"),
    ("arithmetic", 12, "while (most + 1 > found)"),
    ("constant", 12, "while (most - 0 > found)"),
    ("constant", 12, "while (most - 2 > found)"),
    ("boundary", 12, "while (most - 1 >= found)"),
    ("comparison", 12, "while (most - 1 < found)"),
    ("negation", 12, "while (!(most - 1 > found))"),
    ("arithmetic", 13, "found -= most;"),
    ("drop", 13, ";"),
}


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        mutate.TREE = folder
        with open(os.path.join(folder, "count.c"), "w", encoding="utf-8") as file:
            file.write(SOURCE)
        found = list(mutate.mutants_of("count.c"))
    got = {(mutant.kind, mutant.line, mutant.new_lines[mutant.line - 1].strip()) for mutant in found}
    failures += ["missing: %s" % (wanted,) for wanted in sorted(WANTED - got)]
    failures += ["not wanted: %s" % (other,) for other in sorted(got - WANTED)]
    mutate.TREE = ROOT
    folders = {name for name in os.listdir(os.path.join(ROOT, "src")) if os.path.isdir(os.path.join(ROOT, "src", name))}
    failures += ["src/%s is left out" % name for name in sorted(folders - set(mutate.all_folders()))]
    for folder, paths in mutate.PROGRAM_TESTS.items():
        failures += ["there is no src/%s to test" % folder] if not os.path.isdir(os.path.join(ROOT, "src", folder)) else []
        failures += ["there is no tests/%s" % path for path in paths if not os.path.exists(os.path.join(ROOT, "tests", path))]
    lines = len(SOURCE.splitlines())
    failures += ["%s moves the lines behind it" % (mutant.kind,) for mutant in found if len(mutant.new_lines) != lines]
    for failure in failures:
        print(failure)
    print("%d passed, %d failed" % (len(WANTED & got), len(failures)))
    sys.exit(1 if failures else 0)


main()
