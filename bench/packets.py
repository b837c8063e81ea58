#!/usr/bin/env python3
"""What the same calls cost to read as packets, beside version 3.

    bench/packets.py [--rounds N] [--program FILE]... [TRACE]

TRACE (the large real one of TRACEVIEW_SHARED, else the bundled example) is converted to version 3 and to packets of both
layouts. `traceview info` reads each of them without a saved index, in turns, by each PROGRAM (build/release/traceview), so
that one run compares layouts, and two versions of the program. Prints the processor time of each, the least and the median,
how much of the median the kernel takes, and the ratio to version 3, in all and without the kernel, as medians of the rounds.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

import tools

LARGE = os.path.join(os.environ.get("TRACEVIEW_SHARED", os.path.join(tools.ROOT, "..", "shared")), "traces", "large",
                     "javac.trace.zst")
EXAMPLE = os.path.join(tools.ROOT, "tests", "data", "recipes.trace.zst")
FORMS = {"v3": ["--as", "v3"], "packets, layout D": ["--as", "packets", "--layout", "d"],
         "packets, layout E": ["--as", "packets"]}


def processor_time(program, path):
    """Of the program itself, and of the kernel for it; s."""
    process = subprocess.Popen([program, "info", "--no-cache", path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit("packets: %s cannot read %s" % (program, path))
    return used.ru_utime, used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--program", action="append")
    parser.add_argument("trace", nargs="?", default=LARGE if os.path.exists(LARGE) else EXAMPLE)
    options = parser.parse_args()
    programs = options.program or [os.path.join(tools.ROOT, "build", "release", "traceview")]
    with tempfile.TemporaryDirectory() as folder:
        files = {name: os.path.join(folder, "%d.trace" % i) for i, name in enumerate(FORMS)}
        for name, path in files.items():
            subprocess.run([programs[0], "convert", *FORMS[name], options.trace, path], check=True,
                           stderr=subprocess.DEVNULL)
        times = {(program, name): [] for program in programs for name in files}
        for _ in range(options.rounds):
            for program, name in times:
                times[program, name].append(processor_time(program, files[name]))
        print("load %.1f" % os.getloadavg()[0])
        for (program, name), took in times.items():
            plain = times[program, "v3"]
            ratio = statistics.median(sum(one) / sum(other) for one, other in zip(took, plain))
            own_ratio = statistics.median(one[0] / other[0] for one, other in zip(took, plain))
            print("%-18s %6.1f MB  least %.3f s  median %.3f s, kernel %.3f s  %.2fx, without kernel %.2fx  %s" % (
                name, os.path.getsize(files[name]) / 1e6, min(map(sum, took)), statistics.median(map(sum, took)),
                statistics.median(one[1] for one in took), ratio, own_ratio, program))


if __name__ == "__main__":
    main()
