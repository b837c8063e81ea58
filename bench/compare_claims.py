#!/usr/bin/env python3
"""What diff and counts claim of recordings between which nothing changed.

    compare_claims.py PROGRAM FOLDER...     each folder has recordings of one program: at least twice --runs

For each folder, so many times (--splits): recordings are drawn at random into an old and a new side of --runs each. Every
change that is claimed is false. A lockfile of the old side is checked with each recording of the new one. Beside it stands
what simpler rules would have claimed of the same times: medians that differ by 10 %, and a rank test without correction.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile


def say(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit("%s: %s" % (" ".join(words), done.stderr))
    return done


def claims(program, old, new):
    """False claims by (calls, times), and of the simpler rules, in one comparison."""
    told = json.loads(say(program, "diff", "--json", "-n", "0", "--old", *old, "--new", *new).stdout)
    tested = told["times"] + told["undecided"]
    medians = sum(abs(row["new"]["time_ns"] / max(1, row["old"]["time_ns"]) - 1) > 0.1 for row in tested)
    ranks = sum(row.get("p_rank_ppm", 1000000) < 50000 for row in tested)
    return told["calls_verdicts"]["changed"], told["time_verdicts"]["changed"], medians, ranks, sum(told["time_verdicts"].values())


def lines(program, old, new, folder):
    """Lines of a lockfile of the old side that differ in any recording of the new one."""
    lock = os.path.join(folder, "app.counts")
    say(program, "counts", "-o", lock, *old)
    return sum(json.loads(say(program, "counts", "--json", "--check", lock, one).stdout)["differ"] for one in new)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as room:
        os.environ["XDG_CACHE_HOME"] = room  # for indexes, which make a recording open at once
        for folder in options.folders:
            recordings = sorted(os.path.join(folder, name) for name in os.listdir(folder))
            for one in recordings:
                say(options.program, "index", one)
            sums = [0] * 6
            any_time = any_calls = 0
            for _ in range(options.splits):
                drawn = dice.sample(recordings, 2 * options.runs)
                old, new = drawn[:options.runs], drawn[options.runs:]
                found = [*claims(options.program, old, new), lines(options.program, old, new, room)]
                any_calls += found[0] > 0
                any_time += found[1] > 0
                sums = [a + b for a, b in zip(sums, found)]
            calls, times, medians, ranks, tested, differ = (each / options.splits for each in sums)
            print("%s: %d recordings, %d times %d against %d, %.0f methods tested; false claims a comparison: calls %.2f "
                  "(in %d), time %.2f (in %d), lines of lockfiles %.2f; medians that differ by 10 %%: %.1f, rank test: %.1f"
                  % (os.path.basename(folder.rstrip("/")), len(recordings), options.splits, options.runs, options.runs, tested,
                     calls, any_calls, times, any_time, differ, medians, ranks), flush=True)


main()
