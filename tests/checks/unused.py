#!/usr/bin/env python3
"""Finds what the program never uses: functions and tables with external linkage, inline functions and macros of headers.

    unused.py BUILD

BUILD keeps each function in a section of its own and inlines none by itself; its objects are linked again;
the linker tells the sections that nothing reaches from main(); of the recorder, those that nothing reaches from what
its library shows. What only tests use is unused, too: it is kept only where
KEPT says why. At the end the check plants a function, a table, an inline function and a macro that nobody uses, and must
find each. Ends with "N passed, N failed".
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = os.path.join(ROOT, "src")
# Folders of the recorder, and what its libraries show.
RECORDER = (os.path.join(SOURCE, "record"), os.path.join(SOURCE, "jvm"), os.path.join(SOURCE, "python"))
RECORDER_MAPS = [os.path.join(ROOT, "include", "traceview-%s.map" % name) for name in ("instrument", "jvm", "python")]

# What the program does not use and keeps all the same: name, and why.
KEPT = {
    "tv_adb_trouble_word": "a recording of a device pulls by it",
    "tv_sandbox_probe": "tests skip by it what the kernel cannot do",
    "tv_template_check": "the test of the templates holds each of them against the names of its page",
    "tv_code_name": "tests and fuzzers say by it which failure they met",
    **dict.fromkeys(["tv_engine_init", "tv_engine_release", "tv_engine_reserve", "tv_engine_load", "tv_engine_ask",
                     "tv_engine_export", "tv_engine_report_cut", "tv_engine_report_reserve", "tv_engine_take_mapping",
                     "tv_engine_report_write",
                     "tv_engine_report_release", "tv_engine_need_index"], "the module of pages without a server calls it (src/engine/wasm.c)"),
    "tv_wasm_print": "the functions of modules that stand for the C library's printf call it (src/engine/wasm_print.c)",
    "tv_write_format_name": "tests and fuzzers go through all versions that `convert` writes",
}

REMOVED = re.compile(r"removing unused section '\.(?:text|rodata|data\.rel\.ro\.local|data\.rel\.ro|data|bss)\.(\w+)'"
                     r" in file '(.*?)'")
INLINE = re.compile(r"^TV_INLINE\b[^;{]*?\b(\w+)\(", re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.M)

PLANTED_C = """
#include "planted.h"
const int tv_planted_table[] = {1, 2};
int tv_planted_function(void) { return 1; }
"""
PLANTED_H = """
#ifndef TV_PLANTED_H
#define TV_PLANTED_H
#define TV_PLANTED_MACRO 1
TV_INLINE int tv_planted_inline(int a)
{
    return a;
}
#endif
"""
PLANTED = ["tv_planted_function", "tv_planted_table", "tv_planted_inline", "TV_PLANTED_MACRO"]


def strip_comments(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def compile_one(entry, number, folder, is_anew):
    """The object of a file, section by section: the build's own where it has one of that kind, else or when wanted anew one
    that is compiled as the build does, and not optimized. The step before makes only some of the objects, so one of another
    day may be of an older source."""
    words = shlex.split(entry["command"])
    made = os.path.join(entry["directory"], entry["output"])
    source = os.path.join(entry["directory"], entry["file"])
    is_made = os.path.exists(made) and os.path.getmtime(made) >= os.path.getmtime(source)
    if "-ffunction-sections" in words and "-fdata-sections" in words and is_made and not is_anew:
        return made
    taken = []
    skip = False
    for word in words:
        if skip or word in ("-MD", "-c") or re.match(r"-O|-g$|-W|-f(?!visibility|PIE|PIC|common|no-common)", word):
            skip = False
        elif word in ("-MQ", "-MF", "-o"):
            skip = True
        else:
            taken.append(word)
    out = os.path.join(folder, "%03d.o" % number)
    subprocess.run(taken + ["-fno-sanitize=all", "-w", "-O0", "-ffunction-sections", "-fdata-sections", "-c", "-o", out],
                   cwd=entry["directory"], check=True)
    return out


def compile_all(build, folder, anew):
    """The objects of the program and those of the recorder, each with its source; these sources are compiled anew."""
    paths = {}
    for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
        path = os.path.realpath(os.path.join(entry["directory"], entry["file"]))
        if path.startswith(SOURCE + os.sep):
            paths.setdefault(path, entry)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda one: compile_one(paths[one[1]], one[0], folder, one[1] in anew), enumerate(paths)))
    of_recorder = tuple(name + os.sep for name in RECORDER)
    recorder = {made: path for path, made in zip(paths, objects) if path.startswith(of_recorder)}
    return {made: path for path, made in zip(paths, objects) if made not in recorder}, recorder


def external_names(objects):
    """Names that are defined for other files to use."""
    lines = subprocess.run(["nm", "-g", "--defined-only"] + objects, capture_output=True, text=True, check=True).stdout
    return {line.split()[2] for line in lines.splitlines() if len(line.split()) == 3}


def unreached(objects, folder, *how):
    """Functions and tables that the linker drops, each with its object. The libraries of others are not needed to know that."""
    link = ["cc", *how, "-Wl,--gc-sections", "-Wl,--print-gc-sections", "-Wl,--unresolved-symbols=ignore-all",
            "-o", os.path.join(folder, "program")] + objects
    told = subprocess.run(link, capture_output=True, text=True, check=True).stderr
    dropped = {found[1]: found[2] for found in REMOVED.finditer(told) if found[2] in set(objects)}
    return {name: dropped[name] for name in dropped.keys() & external_names(objects)}


def unreached_in_all(build, folder, anew=()):
    """Names that the program does not reach, and the recorder from no library of its own, each with its source."""
    objects, recorder = compile_all(build, folder, anew)
    unused = unreached([*objects, plant(folder)], folder, "-pie")
    shown = [unreached(list(recorder), folder, "-shared", "-Wl,--version-script=" + shown) for shown in RECORDER_MAPS]
    # What a library has only for itself is reached from there.
    unused.update({name: shown[0][name] for name in set.intersection(*map(set, shown))})
    return {name: {**objects, **recorder}.get(made) for name, made in unused.items()}


def unused_in_headers(folders):
    """Inline functions and macros whose names occur once: where they are defined."""
    texts = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                if name.endswith((".c", ".h")):
                    texts[os.path.join(place, name)] = strip_comments(open(os.path.join(place, name)).read())
    counts = {}
    for text in texts.values():
        for word in re.findall(r"\w+", text):
            counts[word] = counts.get(word, 0) + 1
    unused = set()
    for path, text in texts.items():
        if path.endswith(".h"):
            names = set(INLINE.findall(text)) | {name for name in MACRO.findall(text) if not name.endswith("_H")}
            unused |= {name for name in names if counts[name] == 1}
    return unused


def plant(folder):
    """A C file and a header that nobody uses, and the object."""
    for name, text in (("planted.h", PLANTED_H), ("planted.c", PLANTED_C)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    out = os.path.join(folder, "planted.o")
    subprocess.run(["cc", "-DTV_INLINE=static inline", "-O0", "-fPIE", "-ffunction-sections", "-fdata-sections", "-c",
                    "-o", out, os.path.join(folder, "planted.c")], check=True)
    return out


def main():
    with tempfile.TemporaryDirectory() as folder:
        seeming = unreached_in_all(sys.argv[1], folder)
        # An optimizer drops calls of what only gives a constant: where something new seems unused, its files are looked at
        # once more as they are written.
        anew = {source for name, source in seeming.items() if name not in KEPT and name not in PLANTED}
        unused = set(unreached_in_all(sys.argv[1], folder, anew) if anew else seeming)
        unused |= unused_in_headers([SOURCE, folder])
    problems = ["%s is not used by the program" % name for name in sorted(unused - set(KEPT) - set(PLANTED))]
    problems += ["%s is used, or gone: take it off the list in tests/checks/unused.py" % name
                 for name in sorted(set(KEPT) - unused)]
    missed = ["%s was planted, and not found" % name for name in PLANTED if name not in unused]
    print("\n".join(problems + missed), end="\n" if problems or missed else "")
    failed = len(problems) + len(missed)
    print("%d passed, %d failed" % (len(PLANTED) - len(missed) + (not problems), failed))
    sys.exit(failed > 0)


main()
