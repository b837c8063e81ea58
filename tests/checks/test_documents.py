#!/usr/bin/env python3
"""Plants wrong references in a project of its own, and sees that documents.py tells each, and no right one.

Ends with "N passed, N failed".
"""

import os
import subprocess
import sys
import tempfile

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "documents.py")

RUN = """# Fast

<!-- budgets: begin -->
| javac | 233 MB | 16,591,461 | 294 ms |
<!-- budgets: end -->
"""
FINDINGS = 'X(OVERFLOW, "overflow", DATA_LOST, "...")\nX(BAD_LINE, "bad_line", NOTE, "...")\n'
KEYS = """binding("Move", "zoom-in", "Zoom in", "W", "+"),
  binding(
    "View",
    "theme",
    "Next theme",
  ),
export const GESTURES: readonly (readonly [string, string])[] = [
  ["Drag", "select a range"],
];
const BY_CODE = new Map([["KeyW", "zoom-in"]]);
"""

# name, text, what the check says of it (none: nothing)
FILES = [
    ("docs/numbers.md", "# Numbers\n\n## Two `words`, here\n\n| `overflow` | data lost | 1 |\n| `bad_line` | note | lines |\n",
     []),
    ("docs/formats/text.md", "see [numbers](../numbers.md#two-words-here), [here](#text), `src/a.c`, [a](b/c.md)\n\n# Text\n",
     ["the link b/c.md leads nowhere", "there is no b/c.md"]),
    ("docs/performance.md", RUN, []),
    ("docs/viewer.md", "| `W`, `+` | Zoom in |\n| command palette | Next theme |\n| Drag | select a range |\n", []),
    ("docs/security.md", "| what they try | the wall | the test |\n| --- | --- | --- |\n"
     "| this | that | `tests/t.c`: `holds`; `tests/t.c` |\n| none | none | |\n"
     "| gone | that | `tests/t.c`: `holds`, `fell`; `tests/gone.c` |\n",
     ["the wall against \"none\" has no test file ", "tests/t.c has no test fell",
      "the wall against \"gone\" has no test file tests/gone.c", "there is no tests/gone.c"]),
    ("tests/t.c", "static void holds(void)\n", []),
    ("src/base/finding.h", FINDINGS, []),
    ("web/keys.ts", KEYS, []),
    ("docs/architecture.md", "| folder | what | rooms | uses |\n| `src/base` | | | |\n| `src/os` | | `low` | base |\n"
     "| `src/cli` | | | all |\n| `src/wrong` | | `in` | base |\n",
     ["src/wrong uses base os", "src/wrong has a room `inner`", "src/gone has no row", "there is no src/cli",
      "there is no src/os", "there is no src/wrong"]),
    ("src/meson.build", "arrows = [\n  ['base', [], []],\n  ['os', ['base'], []],\n  ['cli', ['base', 'os'], []],\n"
     "  ['wrong', ['base', 'os'], []],\n  ['gone', ['base'], []],\n]\n"
     "rooms = [\n  ['os/low', [], []],\n  ['wrong/in/inner', [], []],\n]\n", []),
    ("docs/words.md", "a and `b`, findings, heading, name, outside\n",
     ["farewell is a word of src/gone_farewell.c", "gone is a word of src/gone.h"]),
    ("src/gone_farewell.c", "", []),
    ("web/src/outside.test.ts", "", []),
    ("README.md", "[a](docs/numbers.md), [b](docs/performance.md#fast), [c](docs/viewer.md), [d](docs/security.md), "
     "[e](docs/anchor.md), [f](docs/picture.md), [g](docs/words.md), [h](docs/nobody.md)\n"
     "233 MB and 16.6 million records in 294 ms, and 295 ms, 94 ms\n```\n1.5 ms\n```\n",
     ["295 ms is not in the recorded run", "94 ms is not in the recorded run", "no link leads to docs/architecture.md",
      "no link leads to docs/source.md"]),
    ("src/a.c", "/* docs/numbers.md, \"Two words,\n * here\" and numbers.md, and formats/text.md */\n", []),

    ("docs/anchor.md", "[no](numbers.md#nowhere)\n", ["the link numbers.md#nowhere names no heading"]),
    ("docs/nobody.md", "# Nobody\n\nIt is about nothing.\n", ["does not begin with whom it is for"]),
    ("docs/picture.md", "![a picture](pictures/none.svg)\n", ["the link pictures/none.svg leads nowhere"]),
    ("docs/source.md", "in `src/gone.c`\n", ["there is no src/gone.c"]),
    ("src/gone.h", "/* as design.md says */\n", ["there is no design.md"]),
    ("src/heading.h", "/* docs/numbers.md, \"Three words\" */\n", ["docs/numbers.md has no heading \"Three words\""]),
    ("src/names.h", "/* tv_there, b.c and tv_gone_*, but tv_gone and gone_too.h */\nint tv_there;\n",
     ["a comment names b.c, which is not there", "a comment names gone_too.h, which is not there",
      "a comment names tv_gone, which is not there"]),
    ("src/a.h", "/* Takes so\n * many bytes. */\nint a; /* after so long, as a rule */\n/* So many of them, and no more than that. */\n",
     ["a comment says \"so many\" without", "a comment says \"so long\" without", "a comment says \"so many\" without"]),
    ("src/base/a.h", "/* So many bytes that it is full, so often as not, and so long as it lasts. */\nconst char *a = \"so many\";\n", []),
    ("web/a.mjs", "// Looks\n// so often.\nconst a = 1; // so much\nconst b = \"http://so.much so much\";\n",
     ["a comment says \"so often\" without", "a comment says \"so much\" without"]),
    ("web/outside.ts", "// ../shared/" + "docs has more\n", ["names a folder that a clone does not have"]),
]
# What the check says of the tables once something is taken out of a page.
TABLES = [
    ("docs/numbers.md", "| `overflow` | data lost | 1 |\n", "the finding overflow, data lost, is only in src/base/finding.h"),
    ("docs/viewer.md", "| command palette | Next theme |\n", "there is no row | command palette | Next theme |"),
    ("docs/viewer.md", "| Drag | select a range |\n", "there is no row | Drag | select a range |"),
    ("docs/architecture.md", "| `src/", "the table of folders cannot be read"),
    ("docs/security.md", "| the test |", "the tables of walls cannot be read"),
]


# Pages begin with whom they are for; this one does not.
NOBODYS = "docs/nobody.md"
READER = "# Page\n\nFor whoever tests.\n\n"


def write(folder, name, text):
    if name.endswith(".md") and name != NOBODYS:
        text = READER + text
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def say(folder):
    run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
    if run.stderr:
        sys.exit(run.stderr)
    return run.stdout.splitlines()


def faults_of(said, name):
    return [line[len(name) + 2:] for line in said if line.startswith(name + ": ")]


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text, _ in FILES:
            write(folder, name, text)
        said = say(folder)
        for name, _, faults in FILES:
            told = faults_of(said, name)
            if len(told) != len(faults) or not all(fault in line for fault, line in zip(sorted(faults), sorted(told))):
                wrong.append("%s: expected %s, the check says %s" % (name, faults, told))
        for name, row, fault in TABLES:
            text = {file: content for file, content, _ in FILES}[name]
            write(folder, name, text.replace(row, ""))
            if fault not in faults_of(say(folder), name):
                wrong.append("%s without %s: the check does not say %s" % (name, row.strip(), fault))
            write(folder, name, text)
    print("\n".join(wrong), end="\n" if wrong else "")
    print("%d passed, %d failed" % (len(FILES) + len(TABLES) - len(wrong), len(wrong)))
    sys.exit(bool(wrong))


main()
