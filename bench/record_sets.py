#!/usr/bin/env python3
"""Records sets of unchanged runs for bench/claims: each program as often as the others, in turns, so that what the machine
does meanwhile meets all of them.

    record_sets.py PROGRAM FOLDER [--runs 40] [--turns 4000000] NAME=COMMAND...

FOLDER gets one folder for each NAME, with as many traces. Beside the programs that are named there are four sets of
bench/planted.c: `planted`, `planted-25` and `planted-50` (so many percent more in one of forty functions, and one
more call of another), and `planted-calls` (that call alone).
"""

import argparse
import os
import shlex
import subprocess
import sys

PLANTED = {"planted": ("0", "0"), "planted-25": ("25", "1"), "planted-50": ("50", "1"), "planted-calls": ("0", "1")}


def build_planted(folder, turns):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted.c")
    binary = os.path.join(folder, "planted.bin", "planted")
    os.makedirs(os.path.dirname(binary), exist_ok=True)
    subprocess.run(["cc", "-O1", "-g", "-finstrument-functions", source, "-o", binary], check=True)
    return {name: [binary, str(turns), *words] for name, words in PLANTED.items()}


def record(program, path, command):
    done = subprocess.run([program, "record", "-o", path, "--", *command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit("%s: %s" % (shlex.join(command), done.stderr))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("commands", nargs="*", metavar="NAME=COMMAND")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--turns", type=int, default=4000000, help="work of each planted function; so many take some 5 ms")
    options = parser.parse_intermixed_args()
    os.makedirs(options.folder, exist_ok=True)
    sets = build_planted(options.folder, options.turns)
    for each in options.commands:
        name, _, command = each.partition("=")
        sets[name] = shlex.split(command)
    for name in sets:
        os.makedirs(os.path.join(options.folder, name), exist_ok=True)
    load = []
    for run in range(options.runs):
        load.append(os.getloadavg()[0])
        for name, command in sets.items():
            record(options.program, os.path.join(options.folder, name, "%02d.trace" % run), command)
    print("%d runs of %s, at a load of %.1f to %.1f" % (options.runs, ", ".join(sets), min(load), max(load)))


main()
