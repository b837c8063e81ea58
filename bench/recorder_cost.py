"""What the recorder costs the program that it lives in: bench/recorder.c, and the files that it leaves; and a program that
was compiled with -finstrument-functions, bench/instrumented.c, beside uftrace, in turns. SQLite under bench/sqlite_load.c is
the realistic program; its source comes from npm when the benchmark runs.

The budgets are for an enter and an exit together. Threads that record without a pause stream into a file; what the file
lacks of their records was lost.
"""

import json
import os
import shutil
import subprocess

import judge
import known_costs

THREADS = (1, 4, 16)
PAIRS = 2_000_000
FIB_CALLS = 150_049    # of fib(24): 2 F(25) - 1
FIB_INSTRUMENTED = 25
FORMATS = {"v3": 0, "packets": 2}
SQLITE_PACKAGE = "better-sqlite3@12.2.0"    # its source distribution has SQLite's own source in one file
SQLITE_ROWS = "2000"


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


def build_sqlite(bench):
    """SQLite with every function instrumented; None where its source cannot be had. Both stay for the next run."""
    program = os.path.join(bench.work, "sqlite_load")
    source = os.path.join(bench.work, "package", "deps", "sqlite3")
    if os.path.exists(program):
        return program
    if not os.path.exists(source):
        packed = subprocess.run(["npm", "pack", "--silent", SQLITE_PACKAGE], cwd=bench.work, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, check=False) if shutil.which("npm") else None
        if packed is None or packed.returncode != 0:
            print("skipped: SQLite under the recorder: npm has no %s" % SQLITE_PACKAGE)
            return None
        subprocess.run(["tar", "xzf", packed.stdout.split()[-1], "package/deps/sqlite3"], cwd=bench.work, check=True)
    subprocess.run(["gcc", "-O2", "-finstrument-functions", "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION", "-I", source,
                    os.path.join(os.path.dirname(os.path.abspath(__file__)), "sqlite_load.c"),
                    os.path.join(source, "sqlite3.c"), "-o", program, "-lm"], check=True)
    return program


def measure_sqlite(bench, rounds):
    """A realistic program: how many times longer it takes than without a recorder, beside uftrace."""
    program = build_sqlite(bench)
    if program is None:
        return {}
    base = os.path.join(bench.work, "sqlite.trace")
    ways = {"alone": [], "both": [bench.traceview, "record", "-o", base, "--"],
            "wall": [bench.traceview, "record", "-o", base, "--clock", "wall", "--"]}
    if shutil.which("uftrace"):
        ways["uftrace"] = ["uftrace", "record", "-d", os.path.join(bench.work, "uftrace.data")]
    ns, sums = {name: [] for name in ways}, set()
    for _ in range(rounds):
        for name, words in ways.items():
            done = subprocess.run([*words, program, SQLITE_ROWS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  cwd=bench.work, check=True)
            run = json.loads(next(line for line in done.stdout.splitlines() if line.startswith(b"{")))
            ns[name].append(run["ns"])
            sums.add(run["sum"])
    if len(sums) != 1:
        raise RuntimeError("sqlite_load computes different things: %s" % sums)
    measures = {"recorder: SQLite, both clocks / alone": judge.ratio(ns["both"], ns["alone"]),
                "recorder: SQLite, wall alone / alone": judge.ratio(ns["wall"], ns["alone"])}
    if "uftrace" in ns:
        measures["recorder: SQLite, uftrace / alone"] = judge.ratio(ns["uftrace"], ns["alone"])
    os.unlink(base)
    return measures


def measure_recorder(bench, rounds, is_tiny):
    bench.compile(["recorder", "instrumented", "known_costs"])
    measures = measure_calls(bench, rounds)
    more, facts = measure_threads(bench, rounds, PAIRS // 100 if is_tiny else PAIRS)
    measures.update(more)
    measures.update(measure_sizes(bench))
    measures.update(measure_instrumented(bench, rounds))
    measures.update(measure_truth(bench, rounds))
    measures["recorder: known times held"] = known_costs.measure_held(bench, rounds, [bench.program("known_costs")])
    if not is_tiny:
        measures.update(measure_sqlite(bench, rounds))
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
