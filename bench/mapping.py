#!/usr/bin/env python3
"""What a mapping of names costs: an answer with and without it, in turns.

    mapping.py PROGRAM TRACE [--rounds N]

The mapping has the classes and methods that the trace has, each with another name in the source, and classes of ten
methods besides, up to 100,000 methods. Prints the medians of `traceview top` without a saved index, and their quotient:
of the time and of the CPU time, which a busy machine disturbs less.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time

METHODS = 100000


def write_mapping(program, trace, path):
    """Returns how many methods the mapping has."""
    told = subprocess.run([program, "top", "--json", "-n", "0", "--no-cache", trace], capture_output=True, check=True).stdout
    classes = {}
    for row in json.loads(told)["methods"]:
        whole = row["method"].split(" ")[0]
        if "." in whole and "<" not in whole and ":" not in whole:
            classes.setdefault(whole.rsplit(".", 1)[0], set()).add(whole.rsplit(".", 1)[1])
    count = sum(len(names) for names in classes.values())
    for i in range(max(0, METHODS - count) // 10):
        classes["r8.c%d" % i] = {"m%d" % j for j in range(10)}
    with open(path, "w", encoding="utf-8") as file:
        for i, (name, methods) in enumerate(classes.items()):
            file.write("org.source.package%d.Class%d -> %s:\n" % (i % 100, i, name))
            for method in sorted(methods):
                file.write("    1:5:void someMethod_%s(int,java.lang.String):20:24 -> %s\n" % (method, method))
    return sum(len(names) for names in classes.values())


def cpu_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("trace")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mapping = os.path.join(folder, "mapping.txt")
        count = write_mapping(options.program, options.trace, mapping)
        sides = {"without a mapping": [], "with a mapping": ["--mapping", mapping]}
        times = {side: [] for side in sides}
        for _ in range(options.rounds):
            for side, words in sides.items():
                begin, cpu_begin = time.monotonic(), cpu_time()
                subprocess.run([options.program, "top", "-n", "1", "--no-cache", *words, options.trace], capture_output=True, check=True)
                times[side].append((time.monotonic() - begin, cpu_time() - cpu_begin))
        print("mapping: %d methods, %.1f MB; %d rounds" % (count, os.path.getsize(mapping) / 1e6, options.rounds))
        for kind, clock in enumerate(("time", "CPU time")):
            without, mapped = (statistics.median(one[kind] for one in times[side]) for side in sides)
            print("%-8s  %.0f ms without, %.0f ms with: %.2f" % (clock, 1000 * without, 1000 * mapped, mapped / without))


main()
