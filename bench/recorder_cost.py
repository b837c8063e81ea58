"""What the recorder costs the program that it lives in: bench/recorder.c, and the files that it leaves; and a program that
was compiled with -finstrument-functions, bench/instrumented.c, beside uftrace, in turns.

The budgets are for an enter and an exit together. Threads that record without a pause stream into a file; what the file
lacks of their records was lost.
"""

import json
import os
import shutil
import subprocess

import judge

THREADS = (1, 4, 16)
PAIRS = 2_000_000
FIB_CALLS = 150_049    # of fib(24): 2 F(25) - 1
FIB_INSTRUMENTED = 25
FORMATS = {"v3": 0, "packets": 2}


def told(bench, path):
    """Records of a trace, and whether it says that it lacks some."""
    done = subprocess.run([bench.traceview, "info", path, "--json"], stdout=subprocess.PIPE, check=True)
    info = json.loads(done.stdout)
    return info["records"], info["overflow"]


def measure_calls(bench, rounds):
    base = os.path.join(bench.work, "recorder")
    ns = bench.ask("recorder", "calls", base, rounds)
    return {
        "recorder: call": judge.measure([one / 1e9 for one in ns["both"]], "time"),
        "recorder: call, wall alone": judge.measure([one / 1e9 for one in ns["wall"]], "time"),
        "recorder: stopped": judge.measure([one / 1e9 for one in ns["stopped"]], "time"),
        "recorder: clock_gettime / call": judge.ratio(ns["clock_gettime"], ns["both"], higher=True),
    }


def measure_threads(bench, rounds, pairs):
    """Records a second, and the most that were lost without the file saying so."""
    base = os.path.join(bench.work, "recorder")
    speeds, lost, untold = {}, {}, 0
    for count in THREADS:
        speeds[count] = []
        for _ in range(rounds):
            run = bench.ask("recorder", "threads", base, count, pairs)
            records, is_told = told(bench, base + ".trace")
            speeds[count].append(run["records"] / run["seconds"])
            lost[count] = run["records"] - records
            untold += 0 if is_told else lost[count]
    facts = {"records_per_s": {count: judge.measure(values, "time")["value"] for count, values in speeds.items()},
             "lost": lost}
    return {"recorder: lost and untold": judge.measure([untold], "size")}, facts


def measure_sizes(bench):
    base = os.path.join(bench.work, "recorder")
    measures = {}
    for name, flags in FORMATS.items():
        bench.output("recorder", "fib", base, flags)
        size = os.path.getsize(base + ".trace")
        measures["recorder: bytes a call, %s" % name] = judge.measure([round(size / FIB_CALLS, 2)], "size")
    return measures


def run_instrumented(bench, before):
    """What the program tells of itself when it is run by these words."""
    program = [bench.program("instrumented"), str(FIB_INSTRUMENTED)]
    done = subprocess.run([*before, *program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=bench.work, check=True)
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith(b"{")))


def ns_of_calls(bench, before):
    """What a call takes by the program's own clock, in the fastest of its stretches."""
    run = run_instrumented(bench, before)
    return min(run["ns"]) / run["calls"]


def measure_truth(bench, rounds):
    """What the file says that a call cost, and what the program lost to recording: it is run without, and with."""
    path = os.path.join(bench.work, "instrumented.trace")
    told, true = [], []
    for _ in range(rounds):
        alone = run_instrumented(bench, [])
        recorded = run_instrumented(bench, [bench.traceview, "record", "-o", path, "--"])
        done = subprocess.run([bench.traceview, "info", path, "--json"], stdout=subprocess.PIPE, check=True)
        told.append(int(json.loads(done.stdout)["properties"]["record-call-overhead-nsec"]))
        true.append((sum(recorded["ns"]) - sum(alone["ns"])) / (len(alone["ns"]) * alone["calls"]))
    return {"recorder: told / true cost": judge.ratio(told, true)}


def measure_instrumented(bench, rounds):
    """Ours records both clocks, uftrace the wall clock alone."""
    base = os.path.join(bench.work, "instrumented.trace")
    ways = {"alone": [], "both": [bench.traceview, "record", "-o", base, "--"],
            "wall": [bench.traceview, "record", "-o", base, "--clock", "wall", "--"]}
    if shutil.which("uftrace"):
        ways["uftrace"] = ["uftrace", "record", "-d", os.path.join(bench.work, "uftrace.data")]
    ns = {name: [] for name in ways}
    for _ in range(rounds):
        for name, words in ways.items():
            ns[name].append(ns_of_calls(bench, words))
    measures = {"recorder: instrumented call": judge.measure([one / 1e9 for one in ns["both"]], "time"),
                "recorder: instrumented call, wall alone": judge.measure([one / 1e9 for one in ns["wall"]], "time"),
                "recorder: instrumented call, stopped": judge.measure([one / 1e9 for one in ns["alone"]], "time")}
    if "uftrace" in ns:
        measures["recorder: uftrace / instrumented call"] = judge.ratio(ns["uftrace"], ns["both"], higher=True)
        measures["recorder: uftrace / instrumented call, wall alone"] = judge.ratio(ns["uftrace"], ns["wall"], higher=True)
    return measures


def measure_recorder(bench, rounds, is_tiny):
    bench.compile(["recorder", "instrumented"])
    measures = measure_calls(bench, rounds)
    more, facts = measure_threads(bench, rounds, PAIRS // 100 if is_tiny else PAIRS)
    measures.update(more)
    measures.update(measure_sizes(bench))
    measures.update(measure_instrumented(bench, rounds))
    measures.update(measure_truth(bench, rounds))
    os.unlink(os.path.join(bench.work, "recorder.trace"))
    return measures, facts


def words(run):
    """A sentence about one run's facts and measures."""
    facts, measures = run["facts"]["recorder"], run["measures"]
    instrumented = ", ".join("%s %s" % (judge.show(measures["recorder: instrumented call" + how]["value"], "s"), name)
                             for how, name in (("", "with both clocks"), (", wall alone", "with one"),
                                               (", stopped", "not recorded")))
    return "The recorder, streaming: %s. A call takes %s in a file. Of a program as it is: %s; the file says %s of that cost." % (
        ", ".join("%.0f M records/s with %s thread%s (%d lost)" % (
            speed / 1e6, count, "" if str(count) == "1" else "s", facts["lost"][count])
            for count, speed in facts["records_per_s"].items()),
        ", ".join("%.1f bytes as %s" % (measures["recorder: bytes a call, %s" % name]["value"], name) for name in FORMATS),
        instrumented, "%.0f %%" % (100 * measures["recorder: told / true cost"]["value"]))
