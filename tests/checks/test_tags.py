#!/usr/bin/env python3
"""Checks that tests/checks/tags.py finds tags that are defined twice, in trees that are made for it."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tags

HEADER = "struct tv_row {\n    int at;\n};\n"


def told(files, twice=None):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return list(tags.faults(tags.definitions(root), twice or {}))


def once_is_fine():
    return told({"src/a/a.h": HEADER, "src/a/a.c": "struct tv_row;\nstatic struct tv_row *row;\n"}) == []


def twice_in_two_folders():
    return told({"src/a/a.h": HEADER, "src/b/b.c": HEADER}) == ["tv_row is defined in src/a/a.h and src/b/b.c"]


def in_a_public_header_too():
    return told({"include/traceview/a.h": HEADER, "src/b/b.h": HEADER}) == [
        "tv_row is defined in include/traceview/a.h and src/b/b.h"]


def of_two_kinds():
    return len(told({"src/a/a.h": HEADER, "src/b/b.h": "enum tv_row { TV_A };\n"})) == 1


def brace_on_the_next_line():
    return len(told({"src/a/a.h": HEADER, "src/b/b.h": "union tv_row\n{\n    int at;\n};\n"})) == 1


def twice_in_one_file():
    return len(told({"src/a/a.c": HEADER + HEADER})) == 1


def without_our_prefix():
    return told({"src/a/a.c": "struct row { int at; };\n", "src/b/b.c": "struct row { int at; };\n"}) == []


def in_comments_and_texts():
    return told({"src/a/a.h": HEADER, "src/b/b.c": '/* struct tv_row { */\n// struct tv_row {\nint a = "struct tv_row {"[0];\n'}
                ) == []


def what_may_be_twice():
    files = {"src/a/a.c": HEADER, "src/b/b.c": HEADER}
    return told(files, {"tv_row": ["src/a/a.c", "src/b/b.c"]}) == []


def a_third_of_what_may_be_twice():
    files = {"src/a/a.c": HEADER, "src/b/b.c": HEADER, "src/c/c.c": HEADER}
    return len(told(files, {"tv_row": ["src/a/a.c", "src/b/b.c"]})) == 2


def what_may_be_twice_and_is_not():
    return len(told({"src/a/a.c": HEADER}, {"tv_row": ["src/a/a.c", "src/b/b.c"]})) == 1


CASES = (once_is_fine, twice_in_two_folders, in_a_public_header_too, of_two_kinds, brace_on_the_next_line,
         twice_in_one_file, without_our_prefix, in_comments_and_texts, what_may_be_twice, a_third_of_what_may_be_twice,
         what_may_be_twice_and_is_not)


def main():
    failed = [case.__name__ for case in CASES if not case()]
    for name in failed:
        print("FAILED: %s" % name)
    print("%d passed, %d failed" % (len(CASES) - len(failed), len(failed)))
    sys.exit(bool(failed))


main()
