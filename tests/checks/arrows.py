#!/usr/bin/env python3
"""Checks what the compiler does not: which folder includes which, and words that stand in one place only.

    arrows.py           checks src/
    arrows.py FOLDER    checks another tree of the same form (tests/checks/test_arrows.py plants wrong files)

The arrows between folders and between rooms (folders inside a folder) come from meson.build in the tree's root, so
there is one table, and rooms do not use each other in a circle. Every file is checked, however deep it lies. A folder
holds at most 25 sources of its own, which are the *.c files: what has more is divided into rooms. Headers stand beside their
sources and are not counted. Ends with "N passed, N failed".
"""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Headers of the C library that a pure folder may not even see. Atomics are instructions, and ask nothing of a system.
SYSTEM_HEADERS = re.compile(
    r"<(unistd|fcntl|pthread|signal|time|sys/.*|locale|errno|threads|netinet/.*|arpa/.*)\.h>")
# vsnprintf and snprintf write to memory only.
PRINTING = re.compile(r"\b(f?printf|puts|putchar|fputs|fputc|fopen|fread|fwrite|stdout|stderr|stdin)\b")
ALLOCATION = re.compile(r"\b(malloc|calloc|realloc|free|strdup|strndup|aligned_alloc)\s*\(")
# A block resized to nothing: its pointer stays, and the next release takes the block twice.
RELEASE = re.compile(r"\bresize\s*\([^;{}]*,\s*0[uUlL]*\s*\)")
BANNED = re.compile(r"\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|alloca|setjmp|longjmp)\s*\(")
INCLUDE = re.compile(r'\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')

ALLOCATOR = "base/alloc.c"    # the one file that asks the C library for memory
C_LIBRARY = "os/wasi/library.c"    # stands in for a part of the C library, and grows a buffer of its
ALLOCATORS = {ALLOCATOR, "os/memory/alloc.c"}    # what resizes blocks to nothing itself
# Headers of libraries that one folder alone knows, and words that lead to them through a header of that folder.
OWNED_HEADERS = {"microhttpd.h": "http", "sqlite3.h": "sqlite"}
OWNED_WORDS = {re.compile(r"\bsqlite3(_\w+)?\b"): "sqlite"}
MOST_SOURCES = 25
JUMPS = "record/instrumented/jumps.c"    # stands in for longjmp in recorded programs
PRINTF_CHECK = "base/compiler.h"    # names printf in an attribute


def strip_comments(text):
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)


class House:
    """The table of folders and rooms of one source tree."""

    def __init__(self, source):
        text = open(os.path.join(source, "meson.build")).read()
        self.folders = {m[1]: set(re.findall(r"'(\w+)'", m[2])) | {m[1]}
                        for m in re.finditer(r"^  \['(\w+)', \[([^\]]*)\], ", text, re.M)}
        self.pure = self._names(text, "pure_folders")
        table = re.search(r"^header_arrows = \[(.*?)^\]", text, re.M | re.S)
        self.headers = {m[1]: set(re.findall(r"'([\w/.]+)'", m[2]))
                        for m in re.finditer(r"\['(\w+)', \[([^\]]*)\]\]", table[1] if table else "")}
        table = re.search(r"^rooms = \[(.*?)^\]", text, re.M | re.S)[1]
        self.rooms = {}
        self.open_headers = set()
        for m in re.finditer(r"\['([\w/]+)', \[([^\]]*)\], \[([^\]]*)\]\]", table):
            self.rooms[m[1]] = set(re.findall(r"'([\w/]+)'", m[2]))
            self.open_headers |= {m[1] + "/" + name for name in re.findall(r"'([\w.]+)'", m[3])}

    @staticmethod
    def _names(text, variable):
        return set(re.findall(r"'(\w+)'", re.search(r"^%s = \[(.*?)\]" % variable, text, re.M | re.S)[1]))

    def place_fault(self, folder):
        """What is wrong with a file standing in this folder, or None."""
        if "/" not in folder:
            return None if folder in self.folders else "the folder %s has no row in the table of arrows" % folder
        return None if folder in self.rooms else "the room %s has no row in the table of rooms" % folder

    def fault(self, name, used):
        """What is wrong with file `name` including file `used`, both below the tree's root, or None."""
        here, there = os.path.dirname(name), os.path.dirname(used)
        if not there:
            return "include by folder: %s" % used
        if here.split("/")[0] != there.split("/")[0]:
            return self._fault_between_folders(here.split("/")[0], there, used)
        if here == there or here.startswith(there + "/"):
            return None    # its own room, or the root that the room stands in
        if there.startswith(here + "/"):
            stem = os.path.splitext(os.path.basename(name))[0]
            is_door = stem == here.split("/")[-1]
            return None if is_door else "%s may not look into %s: only %s's door may" % (name, there, here)
        if any(there == room for room in self.rooms.get(here, ())):
            return None
        return "%s may not include %s" % (here, there)

    def circle(self):
        """Rooms of which each uses the next and the last one the first, or None."""
        done = set()

        def follow(room, path):
            if room in path:
                return path[path.index(room):] + [room]
            if room in done:
                return None
            done.add(room)
            return next(filter(None, (follow(used, path + [room]) for used in sorted(self.rooms.get(room, ())))), None)

        return next(filter(None, (follow(room, []) for room in sorted(self.rooms))), None)

    def _fault_between_folders(self, folder, there, used):
        if used in self.headers.get(folder, ()):
            return None
        if there.split("/")[0] not in self.folders.get(folder, ()):
            return "%s may not include %s" % (folder, there)
        if "/" in there and used not in self.open_headers:
            return "%s is private to %s" % (used, there.split("/")[0])
        return None


def include_faults(house, name, raw):
    folder = name.split("/")[0]
    for number, line in enumerate(raw.split("\n"), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        if found[1]:
            fault = house.fault(name, found[1])
            if fault:
                yield number, fault
        owner = OWNED_HEADERS.get(found[2])
        if owner and folder != owner:
            yield number, "only the folder %s includes %s" % (owner, found[2])
        if folder in house.pure and SYSTEM_HEADERS.search(line):
            yield number, "a pure folder includes %s" % line.strip()


def word_faults(house, name, raw):
    folder = name.split("/")[0]
    for number, line in enumerate(strip_comments(raw).split("\n"), 1):
        for words, owner in OWNED_WORDS.items():
            word = words.search(line)
            if word and folder != owner and not INCLUDE.match(line):
                yield number, "only the folder %s knows %s" % (owner, word[0])
        if ALLOCATION.search(line) and name not in (ALLOCATOR, C_LIBRARY):
            yield number, "memory comes from struct tv_alloc: %s" % line.strip()
        if BANNED.search(line) and name != JUMPS:
            yield number, "banned: %s" % line.strip()
        if folder in house.pure and name != PRINTF_CHECK and PRINTING.search(line):
            yield number, "a pure folder prints: %s" % line.strip()


def release_faults(name, raw):
    """Releases other than tv_alloc_release, which clears the pointer. A call may be longer than a line."""
    text = strip_comments(raw)
    for found in RELEASE.finditer(text) if name not in ALLOCATORS else ():
        yield text.count("\n", 0, found.start()) + 1, "a release that leaves the pointer: use tv_alloc_release"


def check_file(house, source, name):
    """The faults of one file, a line each."""
    raw = open(os.path.join(source, name)).read()
    place = house.place_fault(os.path.dirname(name))
    faults = [(1, place)] if place else []
    faults += list(include_faults(house, name, raw)) + list(word_faults(house, name, raw))
    faults += release_faults(name, raw)
    return ["%s:%d: %s" % (os.path.join(source, name), number, fault) for number, fault in faults]


def crowded_folders(source):
    """What is said of each folder with too many sources of its own."""
    for where, _, names in sorted(os.walk(source)):
        count = sum(name.endswith(".c") for name in names)
        if count > MOST_SOURCES:
            yield "%s holds %d sources, more than %d: divide it into rooms" % (where, count, MOST_SOURCES)


def files_below(source):
    for where, _, names in sorted(os.walk(source)):
        for name in sorted(names):
            if name.endswith((".c", ".h", ".S", ".inc")):
                yield os.path.relpath(os.path.join(where, name), source)


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "src")
    house = House(source)
    circle = house.circle()
    faults = ["rooms in a circle: " + " > ".join(circle)] if circle else []
    faults += crowded_folders(source)
    print("\n".join(faults), end="\n" if faults else "")
    passed, failed = 0, len(faults)
    for name in files_below(source):
        faults = check_file(house, source, name)
        print("\n".join(faults), end="\n" if faults else "")
        passed += not faults
        failed += bool(faults)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
