"""`traceview pull` beside `adb pull`: the same file of the same fake device, behind the same adb server, in turns.

Whole commands are timed, from their start to their end. `traceview pull` also finds the device by itself, sees that the
file is not being written, and reads the trace. The device is Python, and the server is adb's own.
"""

import os
import statistics
import sys
import tempfile

import judge
import measure
import tools

sys.path.insert(0, os.path.join(tools.ROOT, "tests", "adb"))
import adb_server
import fake_device

FILE = "/data/local/tmp/com.example.app-bench.trace"
RECORD_LEN = 14
SIZES_MIB, TINY_SIZES_MIB = (8, 64, 256), (1,)
LONGEST_S = 120
# A short file is pulled often, so that its median is one.
MOST_ROUNDS, MIB_A_SIZE = 15, 512


def rounds_of(mib, rounds):
    return max(rounds, min(MOST_ROUNDS, MIB_A_SIZE // mib)) if rounds > 1 else 1


def timed(command, environment, path, wanted_len):
    if os.path.exists(path):
        os.unlink(path)
    taken = measure.time_command(command, LONGEST_S, environment)
    if not taken or os.path.getsize(path) != wanted_len:
        raise RuntimeError("%s failed" % " ".join(command[:2]))
    return taken["wall_s"]


def take_rounds(commands, rounds, run):
    """Seconds of each command; who is first alternates, and the first round warms up."""
    taken = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name in sorted(commands, reverse=turn % 2 == 1):
            seconds = run(commands[name])
            if turn:
                taken[name].append(seconds)
    return taken


def measure_size(bench, server, mib, rounds):
    made = bench.generate(os.path.join(bench.work, "pulled-%d.trace" % mib), records=(mib << 20) // RECORD_LEN)
    with open(made, "rb") as file:
        trace = file.read()
    os.unlink(made)
    device = fake_device.Device("14")
    device.android.put(FILE, trace)
    server.connect(device)
    try:
        with tempfile.TemporaryDirectory(dir=bench.work) as folder:
            path = os.path.join(folder, "pulled.trace")
            commands = {"adb": ["adb", "-s", device.serial, "pull", FILE, path],
                        "ours": [bench.traceview, "pull", "-s", device.serial, "-o", path, FILE]}
            return take_rounds(commands, rounds_of(mib, rounds),
                               lambda command: timed(command, server.environment, path, len(trace)))
    finally:
        server.run("disconnect", device.serial)
        device.close()


def measure_pull(bench, rounds, is_tiny):
    measures, facts = {}, {"load": os.getloadavg()[0], "sizes": {}}
    with adb_server.Server() as server:
        for mib in TINY_SIZES_MIB if is_tiny else SIZES_MIB:
            taken = measure_size(bench, server, mib, rounds)
            measures["devices: adb pull / pull, %d MiB" % mib] = judge.ratio(taken["adb"], taken["ours"], higher=True)
            facts["sizes"][mib] = {**taken, "rounds": len(taken["adb"])}
    return measures, facts


def table(facts):
    lines = ["| file | rounds | `adb pull` | `traceview pull` | median of the ratios |", "| ---: | ---: | ---: | ---: | ---: |"]
    for mib, told in facts["sizes"].items():
        ratios = [theirs / ours for theirs, ours in zip(told["adb"], told["ours"])]
        lines.append("| %d MiB | %d | %s | %s | %.2f |" % (
            mib, told["rounds"], *(judge.show(statistics.median(told[name]), "s") for name in ("adb", "ours")),
            statistics.median(ratios)))
    return "\n".join(lines)


def words(facts):
    return "Whole commands that pull a file of a fake device; the load was %.1f at the beginning:\n\n%s" % (
        facts["load"], table(facts))
