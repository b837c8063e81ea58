"""What samples cost a busy program, with one thread and with a thousand: its CPU time, user's and the kernel's, alone, with
`traceview record --sample 1ms` and with `perf record -g` at as many samples, in turns; and what the command itself takes besides.

    python3 bench/sampling_cost.py [--java] [--rounds N] [--units N] [THREADS...]

bench/sampled.c does the same work each time. The three ways follow each other within a round, in an order that changes from round
to round, and the cost is the median of the rounds' own ratios: what slows the machine down for longer than a round is in all three. "Noise"
is the same of a second run alone in each round, which costs nothing: a cost that is no larger is not told from it.

With --java bench/Sampled.java does so, beside the JDK's Flight Recorder with its settings "profile"; all that samples there is in the
program's own process, and counts as its CPU time.
"""

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import time

import recorder_jvm
import tools


def cpu_ms(used):
    return 1e3 * (used.ru_utime + used.ru_stime)


def run(bench, before, threads, units):
    """The program's user and system time, and the CPU time of what stands before it."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*before, bench.program("sampled"), str(threads), str(units)], cwd=bench.work, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    told = json.loads(next(line for line in done.stdout.splitlines() if line.startswith(b"{")))
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = told["user_ms"] + told["sys_ms"]
    return {"begin": told["begin_ms"], "user": told["user_ms"], "sys": told["sys_ms"], "all": own, "beside": cpu_ms(end) - cpu_ms(start) - own}


def quartiles(values):
    cut = statistics.quantiles(values, n=4)
    return "%.1f (%.1f to %.1f)" % (statistics.median(values), cut[0], cut[2])


def in_turns(ways, rounds, run_one):
    """What run_one() says of each way in each round, in an order of chance."""
    took = {name: [] for name in ways}
    for _ in range(rounds):
        for name in random.sample(sorted(ways), len(ways)):
            took[name].append(run_one(ways[name]))
    return took


def measure(bench, threads, units, rounds, what=""):
    ways = {"alone": [], "again": [], "samples": [bench.traceview, "record", "--sample", "1ms", "-o", "sampled.trace", "--"]}
    if shutil.which("perf"):
        ways["perf"] = ["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", "1000", "-o", "perf.data", "--"]
    took = in_turns(ways, rounds, lambda way: run(bench, way, threads, units))
    for name in ways:
        of = {part: statistics.median(one[part] for one in took[name]) for part in ("begin", "user", "sys", "beside")}
        both = list(zip(took[name], took["alone"]))
        cost = [100 * (one["all"] / alone["all"] - 1) for one, alone in both]
        working = [100 * ((one["all"] - one["begin"]) / (alone["all"] - alone["begin"]) - 1) for one, alone in both]
        print("| %d%s | %s | %.0f | %.0f + %.0f | %s | %s | %.0f |" % (
            threads, what, {"again": "alone, again: noise"}.get(name, name), of["begin"], of["user"], of["sys"],
            "" if name == "alone" else quartiles(cost), "" if name == "alone" else quartiles(working), 0 if name in ("alone", "again") else of["beside"]), flush=True)


def run_java(bench, options, threads, units):
    done = subprocess.run(["java", *options, "-cp", bench.work, "Sampled", str(threads), str(units)], cwd=bench.work, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(next(line for line in done.stdout.splitlines() if line.startswith(b"{")))["cpu_ms"]


def measure_java(bench, threads, units, rounds):
    ways = {"alone": [], "again": [], "samples": ["-agentpath:%s=start=sampled.trace,buffer=128m,sample=1ms" % recorder_jvm.agent(bench)],
            "Flight Recorder": ["-XX:StartFlightRecording:filename=sampled.jfr,settings=profile", "-Xlog:jfr*=off"]}
    took = in_turns(ways, rounds, lambda way: run_java(bench, way, threads, units))
    for name in ways:
        cost = [100 * (one / alone - 1) for one, alone in zip(took[name], took["alone"])]
        print("| %d | %s | %.0f | %s |" % (threads, {"again": "alone, again: noise"}.get(name, name), statistics.median(took[name]),
                                        "" if name == "alone" else quartiles(cost)), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--units", type=int, default=50000, help="of work, some 20 us each")
    parser.add_argument("--java", action="store_true")
    parser.add_argument("threads", nargs="*", type=int)
    options = parser.parse_args()
    bench = tools.Bench()
    if options.java:
        subprocess.run(["javac", "-d", bench.work, os.path.join(tools.ROOT, "bench", "Sampled.java")], check=True)
        print("%s, load %.0f, %d rounds\n" % (time.strftime("%Y-%m-%d"), os.getloadavg()[0], options.rounds))
        print("| threads | | CPU time, ms | cost in %, median (half of the rounds) |\n| --- | --- | --- | --- |")
        for threads in options.threads or (1, 50):
            measure_java(bench, threads, options.units, options.rounds)
        return
    bench.compile(["sampled"])
    print("%s, load %.0f, %d rounds\n" % (time.strftime("%Y-%m-%d"), os.getloadavg()[0], options.rounds))
    print("| threads | | begin of threads, ms | user + sys, ms | cost in %, median (half of the rounds) | without the begin | the command, ms |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    for threads in options.threads or (1, 1000):
        measure(bench, threads, options.units, options.rounds)
    if not options.threads:
        # Part of what threads cost is for each, however short it is.
        measure(bench, 1000, options.units // 2, options.rounds, ", half as long")


if __name__ == "__main__":
    main()
