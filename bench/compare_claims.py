#!/usr/bin/env python3
"""What diff and counts claim of recordings between which nothing changed, and whether they find what was planted.

    compare_claims.py PROGRAM FOLDER...             each folder has recordings of one program: at least twice --runs
    compare_claims.py PROGRAM --plant PERCENT       records bench/planted.c itself, --recordings of it a side

For each folder, so many times (--splits): recordings are drawn at random into an old and a new side of --runs each. Every
change that is claimed is false. A lockfile of the old side is checked with each recording of the new one. Beside it stands
what simpler rules would have claimed of the same times: medians that differ by 10 %, and a rank test without correction.

With --plant one function of the new side works so many percent longer, and another is called once more. Told is how often
each is found, and how often another function is claimed.
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


def record(program, folder, side, count, words):
    """Recordings of the planted program, with these words."""
    paths = [os.path.join(folder, "%s%d.trace" % (side, i)) for i in range(count)]
    for path in paths:
        say(program, "record", "-o", path, "--", os.path.join(folder, "planted"), *words)
    return paths


def function_of(row):
    """part_07 of "planted.part_07 ()"."""
    return row["method"].split()[0].rsplit(".", 1)[-1]


def power(options, dice, room):
    """Whether what was planted is found. The sides are recorded in turns, as the documents advise."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "planted.c")
    subprocess.run(["cc", "-O1", "-g", "-finstrument-functions", source, "-o", os.path.join(room, "planted")], check=True)
    old, new = [], []
    turns = str(options.turns)
    for i in range(options.recordings):
        old += record(options.program, room, "old%d-" % i, 1, [turns, "0", "0"])
        new += record(options.program, room, "new%d-" % i, 1, [turns, str(options.plant), "1"])
    found = calls = false_times = false_calls = ranks = 0
    for _ in range(options.splits):
        sides = ["--old", *dice.sample(old, options.runs), "--new", *dice.sample(new, options.runs)]
        told = json.loads(say(options.program, "diff", "--json", "-n", "0", "--by", "exclusive", *sides).stdout)
        changed = {function_of(row) for row in told["times"] if row["time_verdict"] == "changed"}
        counted = {function_of(row) for row in told["calls"] if row["calls_verdict"] == "changed"}
        ranks += any(function_of(row) == "part_07" and row.get("p_rank_ppm", 1000000) * 40 < 50000
                     for row in told["times"] + told["undecided"])
        found += "part_07" in changed
        calls += "part_11" in counted
        false_times += len(changed - {"part_07"})
        false_calls += len(counted - {"part_11"})
    print("planted +%d %% of one function in forty, %d times %d against %d of %d recordings a side: found in %d, a rank test with "
          "correction in %d; one call more found in %d; false claims: time %d, calls %d"
          % (options.plant, options.splits, options.runs, options.runs, options.recordings, found, ranks, calls, false_times,
             false_calls), flush=True)


def false_claims(options, dice, room, folder):
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", type=int, metavar="PERCENT")
    parser.add_argument("--turns", type=int, default=15000000, help="work of each planted function; so many take some 20 ms")
    parser.add_argument("--recordings", type=int, default=12)
    options = parser.parse_intermixed_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as room:
        os.environ["XDG_CACHE_HOME"] = room  # for indexes, which make a recording open at once
        for folder in options.folders:
            false_claims(options, dice, room, folder)
        if options.plant is not None:
            power(options, dice, room)


main()
