"""Reads exports in callgrind's format with callgrind_annotate. It does not tell threads apart: all are thread None."""

import re
import shutil
import subprocess


def missing():
    return None if shutil.which("callgrind_annotate") else "callgrind_annotate (valgrind) is not installed"


EVENTS = {"Wall_ns": "wall_ns", "CPU_ns": "cpu_ns"}


def functions(file, *options):
    """[(numbers in the order of the events, "<" before a caller and "*" before its callee, name, calls or None)], events"""
    told = subprocess.run(["callgrind_annotate", "--threshold=100", "--show-percs=no", *options, file], check=True,
                          stdout=subprocess.PIPE, timeout=240, text=True, errors="replace").stdout
    events = re.search(r"^Events shown: +(.*)$", told, re.M)[1].split()
    line = re.compile(r"^ *((?:[\d,.]+ +){%d})([<*] +)?(?:\?\?\?|[^:]*):(.*)$" % len(events))
    rows = []
    for found in filter(None, map(line.match, told.splitlines())):
        numbers = [int(word.replace(",", "")) if word != "." else 0 for word in found[1].split()]
        mark = (found[2] or " ")[0]
        calls = re.search(r" \(([\d,]+)x\)(?: \[.*\])?$", found[3]) if mark == "<" else None
        name = re.sub(r" \[.*\]$", "", found[3]) if mark == "*" and found[3].endswith(" []") else found[3]
        rows.append((numbers, mark, name[:calls.start()] if calls else name, int(calls[1].replace(",", "")) if calls else None))
    return rows, [EVENTS[event] for event in events]


def totals(file):
    """What callgrind_annotate says of each function. Threads are functions, too: they took no time themselves."""
    methods = {}
    for kind, options in (("exclusive", ["--inclusive=no"]), ("inclusive", ["--inclusive=yes"])):
        rows, events = functions(file, *options)
        for numbers, _, name, _ in rows:
            if not name.startswith("thread "):
                methods.setdefault(name, {}).update({"%s_%s" % (kind, event): number
                                                     for event, number in zip(events, numbers)})
    calls = 0
    for _, mark, name, count in functions(file, "--inclusive=yes", "--tree=caller")[0]:
        calls += count or 0
        if mark == "*":
            if name in methods:
                methods[name]["all_calls"] = calls
            calls = 0
    return {None: methods}
