#!/usr/bin/env python3
"""What a mapping of names costs: an answer with and without it, in turns, and reading it alone.

    mapping.py PROGRAM TRACE [--rounds N] [--megabytes N]

The mapping has the classes and methods that the trace has, each with another name in the source, and classes of six
methods besides, up to its length; each method has the lines that R8 writes: three ranges with a method that was inlined
into each, and a residual signature. Prints the medians of `traceview top` without a saved index, and that of the quotients of
the turns: of the time, and of the time in the program itself (user time), which a busy machine disturbs less. `traceview names` then looks for a name that no class
has, and for one of a class that every class mentions, so that all members are read: the CPU time, as megabytes a second,
and the peak of memory as a multiple of the file.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time


def classes_of(program, trace):
    told = subprocess.run([program, "top", "--json", "-n", "0", "--no-cache", trace], capture_output=True, check=True).stdout
    classes = {}
    for row in json.loads(told)["methods"]:
        if row["class"] and "<" not in row["name"] and row["signature"].startswith("("):
            classes.setdefault(row["class"], set()).add((row["name"], row["signature"]))
    return classes


def lines_of(ordinal, name, methods):
    yield "org.source.package%d.Class%d -> %s:" % (ordinal % 100, ordinal, name)
    yield '# {"id":"sourceFile","fileName":"Class%d.kt"}' % ordinal
    for method, signature in sorted(methods):
        for at in range(3):
            span = "%d:%d" % (5 * at + 1, 5 * at + 5)
            yield "    %s:void org.source.Other.inlined%d(int,java.lang.String):%d:%d -> %s" % (span, at, at, at + 4, method)
            yield "    %s:void someMethod_%s(int,java.lang.String):%d -> %s" % (span, method, 20 + at, method)
            if at == 0:
                yield '      # {"id":"com.android.tools.r8.residualsignature","signature":"%s"}' % signature


def write_mapping(program, trace, path, least):
    """Returns how many methods the mapping has."""
    classes = list(classes_of(program, trace).items())
    ordinal = methods = 0
    with open(path, "w", encoding="utf-8") as file:
        while classes or file.tell() < least:
            name, names = classes.pop() if classes else ("r8.c%d" % ordinal, {("m%d" % i, "(ILa/b;)V") for i in range(6)})
            file.write("\n".join(lines_of(ordinal, name, names)) + "\n")
            ordinal += 1
            methods += len(names)
    return methods


def read_alone(program, mapping, name):
    """CPU time in seconds and the peak of memory in bytes."""
    child = subprocess.Popen([program, "names", "--mapping", mapping, name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(child.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def cpu_time():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("trace")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--megabytes", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        mapping = os.path.join(folder, "mapping.txt")
        count = write_mapping(options.program, options.trace, mapping, options.megabytes * 1000000)
        sides = {"without a mapping": [], "with a mapping": ["--mapping", mapping]}
        times = {side: [] for side in sides}
        for _ in range(options.rounds):
            for side, words in sides.items():
                begin, cpu_begin = time.monotonic(), cpu_time()
                subprocess.run([options.program, "top", "-n", "1", "--no-cache", *words, options.trace], capture_output=True, check=True)
                times[side].append((time.monotonic() - begin, cpu_time() - cpu_begin))
        print("mapping: %d methods, %.1f MB; %d rounds" % (count, os.path.getsize(mapping) / 1e6, options.rounds))
        for kind, clock in enumerate(("time", "user time")):
            turns = [[one[kind] for one in times[side]] for side in sides]
            medians = [1000 * statistics.median(side) for side in turns]
            quotient = statistics.median(mapped / without for without, mapped in zip(*turns))
            print("%-9s  %.0f ms without, %.0f ms with: %.2f" % (clock, *medians, quotient))
        size = os.path.getsize(mapping)
        for what, name in (("classes alone", "none"), ("all members", "java.lang.String.none")):
            spent, most = zip(*(read_alone(options.program, mapping, name) for _ in range(options.rounds)))
            print("%-13s  %.0f MB/s, memory %.2f of the file" % (what, size / 1e6 / statistics.median(spent), statistics.median(most) / size))


main()
