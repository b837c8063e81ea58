#!/usr/bin/env python3
"""Checks on the objects that the pure folders ask nothing of the system.

    symbols.py BUILD

Whatever an object of a pure folder leaves undefined must be ours or on the short list of functions that only
compute. Ends with "N passed, N failed".
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPUTING = re.compile(
    r"^(mem(cpy|set|move|cmp|chr|rchr|mem)|str(len|nlen|cmp|ncmp|chr|rchr|spn|cspn|pbrk)"
    r"|v?snprintf|bsearch"
    r"|(floor|ceil|round|rint|lrint|llrint|log|log2|log10|exp|exp2|pow|fabs|fmin|fmax|fmod|sqrt|ldexp|frexp|modf|trunc)f?"
    r"|pcre2_\w+_8"
    r"|__(mem(cpy|set|move)|v?snprintf)_chk|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_"
    r"|__(asan|ubsan|tsan|sanitizer)_.*|__\w*(div|mod|mul)[td]i\d)$")
ALLOCATING = {"malloc", "calloc", "realloc", "free"}


def symbols_of(library):
    """(object, symbol) for each symbol that is undefined, and for each that the library defines."""
    lines = subprocess.run(["nm", "-A", library], capture_output=True, text=True, check=True).stdout
    undefined, defined = [], []
    for line in lines.splitlines():
        found = re.match(r"\S*?:(\S+?\.o):\s*\S*\s+([A-Za-z])\s+(\S+)$", line)
        if found and found[2] == "U":
            undefined.append((os.path.basename(found[1]), found[3]))
        elif found:
            defined.append((os.path.basename(found[1]), found[3]))
    return undefined, defined


def main():
    build = sys.argv[1]
    text = open(os.path.join(ROOT, "src", "meson.build")).read()
    pure = re.findall(r"'(\w+)'", re.search(r"^pure_folders = \[(.*?)\]", text, re.M | re.S)[1])
    passed = failed = 0
    for folder in pure:
        library = os.path.join(build, "src", "libtv-%s.a" % folder)
        if not os.path.exists(library):
            continue
        undefined, defined = symbols_of(library)
        defined = {symbol for _, symbol in defined}
        problems = sorted({"%s: %s asks for %s" % (folder, where, name) for where, name in undefined
                           if not name.startswith("tv_") and name not in defined and not COMPUTING.match(name)
                           and not (where.endswith("base_alloc.c.o") and name in ALLOCATING)})
        print("\n".join(problems), end="\n" if problems else "")
        passed += not problems
        failed += bool(problems)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
