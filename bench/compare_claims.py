#!/usr/bin/env python3
"""What diff and a lockfile claim of recordings between which nothing changed, and whether they find what was planted.

    compare_claims.py FOLDER [--pairs 1000] [--runs 5] [--build BUILD]

FOLDER is what bench/record_sets.py has recorded. Of each set so many pairs of sides are drawn at random, with --runs
recordings each; every change that is claimed is false. Beside it stands what others would have claimed of the same times:
benchstat's rule (a rank test of each method at 0.05), a rank test adjusted for the number of methods, and medians that differ
by 10 %. Of the planted sets it tells how often the change is found: by all methods (diff), and by a rule that names the one
function, or it and nineteen others. bench/claims.c counts.
"""

import argparse
import json
import os
import subprocess

import tools

RULES = (("diff", "`diff`"), ("benchstat", "benchstat's rule"), ("rank_adjusted", "rank test, adjusted"), ("tenth", "medians by 10 %"))


def traces(folder, name):
    path = os.path.join(folder, name)
    return sorted(os.path.join(path, each) for each in os.listdir(path) if each.endswith(".trace"))


def claims(bench, options, *words):
    done = subprocess.run([bench.program("claims"), str(options.pairs), str(options.runs), *words], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def share(count, pairs):
    return "%.1f %%" % (100 * count / pairs)


def tell_unchanged(bench, options, names):
    print("| nothing changed | methods tested | calls | lines of lockfiles | %s |" % " | ".join(word for _, word in RULES))
    print("| --- |%s" % (" ---: |" * (3 + len(RULES))))
    for name in names:
        told = claims(bench, options, *traces(options.folder, name))
        pairs = told["pairs"]
        cells = [share(told[key]["pairs"], pairs) + " (%.2f)" % (told[key]["claims"] / pairs)
                 for key in ("calls", "lock_lines", *(key for key, _ in RULES))]
        print("| %s | %.0f | %s |" % (name, told["tested"], " | ".join(cells)), flush=True)


def tell_planted(bench, options, names):
    print("\n| planted | one more call | %s | named alone | named with nineteen | false ones in `diff`, benchstat's |"
          % " | ".join(word for _, word in RULES))
    print("| --- |%s" % (" ---: |" * (4 + len(RULES))))
    for name in names:
        told = claims(bench, options, *traces(options.folder, "planted"), "--", *traces(options.folder, name))
        pairs = told["pairs"]
        keys = ("calls", *(key for key, _ in RULES), "named_alone", "named_of_twenty")
        cells = [share(told[key]["found"], pairs) for key in keys]
        print("| %s | %s | %s, %s |" % (name, " | ".join(cells), share(told["diff"]["pairs"], pairs),
                                        share(told["benchstat"]["pairs"], pairs)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--build", default=tools.RELEASE)
    options = parser.parse_args()
    bench = tools.Bench(options.build)
    bench.compile(["claims"])
    names = sorted(name for name in os.listdir(options.folder) if name != "planted.bin")
    tell_unchanged(bench, options, [name for name in names if not name.startswith("planted-")])
    tell_planted(bench, options, [name for name in names if name.startswith("planted-")])


main()
