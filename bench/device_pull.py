#!/usr/bin/env python3
"""Times `traceview pull` beside `adb pull`: the same file of the same fake device, behind the same adb server, in turns.

    device_pull.py PROGRAM [--mib 64] [--rounds 7]

Prints the median of each in MiB/s, and the median of the ratios of the rounds: from the first byte to the last one, until all
bytes are here, and until the command has ended. `traceview pull` first sees for 0.2 s that the file is at rest, and reads the trace
in the end. The device is Python, and gives less than a fast cable.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests", "adb"))
import fake_android
import fake_device

FILE = "/data/local/tmp/com.example.app-bench.trace"
RECORD_LEN = 14
MOST_S = 300
LOOK_S = 0.004


def length_of(folder):
    """Of the longest file there: a pull has another name until it is whole."""
    return max((entry.stat().st_size for entry in os.scandir(folder)), default=0)


def timed(command, environment, wanted_len, folder):
    """Seconds from the first byte to the last one, until the last one, and until the end."""
    for entry in os.scandir(folder):
        os.unlink(entry.path)
    begun = time.monotonic()
    first = here = None
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        while process.poll() is None and time.monotonic() - begun < MOST_S:
            length = length_of(folder)
            if first is None and length:
                first = time.monotonic() - begun
            if here is None and length == wanted_len:
                here = time.monotonic() - begun
            time.sleep(LOOK_S)
        passed = time.monotonic() - begun
        if process.poll() != 0 or length_of(folder) != wanted_len:
            process.kill()
            sys.exit("device_pull.py: %s: %s" % (" ".join(command), process.stderr.read().decode("utf-8", "replace")))
    here = here or passed
    return here - (first or 0), here, passed


def report(what, column, times, mib):
    print(what)
    for name, all_s in times.items():
        taken = [pair[column] for pair in all_s]
        print("  %-15s %6.1f MiB/s, median of %d (%.1f to %.1f)"
              % (name, mib / statistics.median(taken), len(taken), mib / max(taken), mib / min(taken)))
    ratios = [theirs[column] / ours[column] for theirs, ours in zip(times["adb pull"], times["traceview pull"])]
    print("  %.2f times adb's speed, median of the rounds (%.2f to %.2f)"
          % (statistics.median(ratios), min(ratios), max(ratios)))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("program")
    options.add_argument("--mib", type=int, default=64)
    options.add_argument("--rounds", type=int, default=7)
    given = options.parse_args()
    if not shutil.which("adb"):
        sys.exit("device_pull.py: adb is missing")
    trace = fake_android.long_trace((given.mib << 20) // RECORD_LEN)
    device = fake_device.Device("14")
    device.android.put(FILE, trace)
    times = {"adb pull": [], "traceview pull": []}
    with fake_device.Server() as server, tempfile.TemporaryDirectory() as folder:
        server.connect(device)
        path = os.path.join(folder, "pulled.trace")
        commands = {"adb pull": ["adb", "-s", device.serial, "pull", FILE, path],
                    "traceview pull": [os.path.abspath(given.program), "pull", "-s", device.serial, "-o", path, FILE]}
        for turn in range(given.rounds + 1):
            for name, command in commands.items():
                passed = timed(command, server.environment, len(trace), folder)
                if turn:  # the first round warms up
                    times[name].append(passed)
        device.close()
    mib = len(trace) / (1 << 20)
    report("from the first byte to the last one", 0, times, mib)
    report("until the bytes are here", 1, times, mib)
    report("until the command has ended", 2, times, mib)


if __name__ == "__main__":
    main()
