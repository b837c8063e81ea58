#!/usr/bin/env python3
"""Plants wrong files in a tree of their own, and sees that arrows.py refuses each, and no right one.

Ends with "N passed, N failed".
"""

import os
import subprocess
import sys
import tempfile

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrows.py")

TABLE = """
arrows = [
  ['base', [], [], []],
  ['os', ['base'], ['threads'], []],
  ['index', ['base'], [], []],
  ['analysis', ['base', 'index'], [], []],
]
rooms = [
  ['os/memory', [], []],
  ['index/build', [], ['build.h']],
  ['index/build/chunks', [], []],
  ['analysis/low', [], []],
  ['analysis/egg', ['analysis/hen'], []],
  ['analysis/hen', ['analysis/egg'], []],
  ['analysis/high', ['analysis/low'], ['answer.h']],
]
header_arrows = [
  ['os', ['index/wire.h']],
]
pure_folders = ['base', 'index', 'analysis']
"""

# name, text, what the check says of it (None: nothing)
FILES = [
    ("base/text.h", "", None),
    ("os/file.h", "#include <unistd.h>\n#include \"base/text.h\"\n", None),
    ("index/index.h", "#include \"base/text.h\"\n", None),
    ("index/build/build.h", "#include \"index/index.h\"\n", None),
    # The door of a room uses the rooms inside it, and a room the root that it stands in.
    ("index/build/build.c", "#include \"index/build/chunks/scan.h\"\n", None),
    ("index/build/chunks/scan.h", "#include \"index/build/build.h\"\n", None),
    ("analysis/low/range.h", "#include \"index/index.h\"\n", None),
    ("analysis/high/answer.h", "#include \"analysis/low/range.h\"\n", None),
    ("analysis/ask.c", "void say(const char *text); /* free(text) */ char s[] = \"malloc(\";\n", None),

    ("os/memory/alloc.c", "void f(void) { (void)libc->resize(libc->ctx, block, len, 0); }\n", None),
    ("index/grow.c", "void f(void) { p = a->resize(a->ctx, NULL, 0, len); q = a->resize(a->ctx, p, 0, 10); }\n", None),
    ("analysis/low/let_go.c", "void f(void) { tv_alloc_release(a, &p, len, 1); }\n", None),

    ("os/record.c", "#include \"index/wire.h\"\n", None),

    ("os/more.c", "#include \"index/rows.h\"\n", "os may not include index"),
    ("analysis/high/gone.c", "void f(void)\n{\n    (void)a->resize(a->ctx, thread->stack,\n              len, 0);\n}\n",
     "gone.c:3: a release that leaves the pointer"),
    ("index/rows.c", "#include \"analysis/high/answer.h\"\n", "index may not include analysis/high"),
    ("index/build/chunks/deep.c", "#include \"os/file.h\"\n", "index may not include os"),
    ("index/build/chunks/memory.c", "void *p = malloc(1);\n", "memory comes from struct tv_alloc"),
    ("index/build/chunks/clock.c", "#include <time.h>\n", "a pure folder includes #include <time.h>"),
    ("index/build/chunks/print.c", "int x = printf(\"%d\", 1);\n", "a pure folder prints"),
    ("analysis/low/up.c", "#include \"analysis/high/answer.h\"\n", "analysis/low may not include analysis/high"),
    ("analysis/high/private.c", "#include \"index/build/chunks/scan.h\"\n",
     "index/build/chunks/scan.h is private to index"),
    ("index/build/tree.c", "#include \"index/build/chunks/scan.h\"\n",
     "index/build/tree.c may not look into index/build/chunks: only index/build's door may"),
    ("analysis/new/room.c", "\n", "the room analysis/new has no row in the table of rooms"),
    ("analysis/low/near.c", "#include \"range.h\"\n", "include by folder: range.h"),
    ("os/copy.c", "void f(char *d, char *s) { strcpy(d, s); }\n", "banned: "),
    ("os/listen.c", "#include <microhttpd.h>\n", "only the folder http includes microhttpd.h"),
    ("os/store.c", "#include <sqlite3.h>\n", "only the folder sqlite includes sqlite3.h"),
    ("os/rows.c", "void f(void *rows) { sqlite3_reset(rows); }\n", "only the folder sqlite knows sqlite3_reset"),
    ("os/mention.c", "/* sqlite3_reset */ char s[] = \"sqlite3_reset\"; struct sqlite3x *x;\n", None),
]

# A folder with a source too many, one that is just full (with build.c and tree.c), and headers, which are not counted.
FILES += [("base/crowd%d.c" % i, "", None) for i in range(26)]
FILES += [("index/build/full%d.c" % i, "", None) for i in range(23)] + [("index/build/full.h", "", None)]
# What is said of folders and rooms.
OF_FOLDERS = ["rooms in a circle: analysis/egg > analysis/hen > analysis/egg", "/base holds 26 sources, more than 25"]


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)


def is_as_expected(said, name, fault):
    """Whether the check said the fault of this file, and nothing else of it."""
    lines = [line for line in said if "/" + name + ":" in line]
    return not lines if fault is None else len(lines) == 1 and fault in lines[0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "meson.build", TABLE)
        for name, text, _ in FILES:
            write(folder, name, text)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
    said = run.stdout.splitlines()
    of_folders = [line for line in said if " holds " in line or line.startswith("rooms ")]
    if len(of_folders) != len(OF_FOLDERS) or not all(map(str.__contains__, of_folders, OF_FOLDERS)):
        print("of folders and rooms it was said:\n" + "\n".join(of_folders))
        sys.exit(1)
    wrong = [name for name, _, fault in FILES if not is_as_expected(said, name, fault)]
    for name in wrong:
        print("%s: the check did not say what it should:\n%s" % (name, run.stdout + run.stderr))
    failed = len(wrong) + (run.returncode != 1)
    print("%d passed, %d failed" % (len(FILES) + 1 - failed, failed))
    sys.exit(failed > 0)


main()
