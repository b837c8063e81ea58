"""Which of many cases a run takes that differ in data alone: a seed, a file, the request that fails, where a file is cut.

A case is drawn by its name, so every run takes the same ones, on any machine, and a new case moves none of the others; `make
check-all` takes them all. What is drawn, and what is not, is told in the head of scripts/check.
"""

import zlib


def is_drawn(name, one_of):
    """Whether the case of this name is one of those that stand for `one_of` times as many."""
    return zlib.crc32(name.encode()) % one_of == 0


def is_dealt(name, files, file):
    """Whether the case of this name is run on this file, where each is run on one of the files."""
    return zlib.crc32(name.encode()) % len(files) == files.index(file)


def drawn(cases, one_of, name_of):
    """Those of the cases that are drawn; where none is, the first, so that no file goes without any."""
    cases = list(cases)
    return [case for case in cases if is_drawn(name_of(case), one_of)] or cases[:1]
