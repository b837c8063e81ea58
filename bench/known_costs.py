"""Whether the margin of `top --overhead` holds what is known: of bench/known_costs.c and bench/KnownCosts.java, ten methods each
whose own times are told by the program. A case is held when its own time lies between its exclusive time less the most, and
less the least, that tracing may have taken of it.

By itself, python3 bench/known_costs.py, it prints each case of each round.
"""

import json
import os
import subprocess
import sys

import judge
import tools


def java_program(bench):
    subprocess.run(["javac", "-d", bench.work, os.path.join(tools.ROOT, "bench", "KnownCosts.java")], check=True)
    return ["java", "-cp", bench.work, "KnownCosts"]


def cases_of(bench, program):
    """One recording: for each case its method, and nanoseconds of a call: its own, exclusive, the ends of its margin, and what
    is estimated to be its own."""
    trace = os.path.join(bench.work, "known.trace")
    done = subprocess.run([bench.traceview, "record", "-o", trace, "--", *program], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True)
    answer = json.loads(subprocess.run([bench.traceview, "top", trace, "--overhead", "--json", "-n", "0"], stdout=subprocess.PIPE,
                                       check=True).stdout)
    rows = {row["name"]: row for row in answer["methods"]}
    cases = []
    for case in json.loads(done.stdout):
        row, calls = rows[case["method"]], case["calls"]
        if row["calls"] + row["recursive_calls"] != calls:
            raise RuntimeError("%s was called %d times, and recorded %d times" % (case["method"], calls, row["calls"]))
        exclusive = row["exclusive"]["cpu_ns"]
        cases.append((case["method"], *(ns / calls for ns in (case["own_ns"], exclusive, exclusive - row["overhead_most_ns"],
                                                             exclusive - row["overhead_least_ns"], exclusive - row["overhead_ns"]))))
    os.unlink(trace)
    return cases


def is_held(case):
    _, own, _, least, most, _ = case
    return least <= own <= most


def measure_held(bench, rounds, program):
    """Of the cases of each round, how many are held."""
    shares = []
    for _ in range(rounds):
        cases = cases_of(bench, program)
        shares.append(sum(is_held(case) for case in cases) / len(cases))
    return judge.measure(shares, "frame", higher=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    bench = tools.Bench()
    bench.compile(["known_costs"])
    for program in ([bench.program("known_costs")], java_program(bench)):
        for _ in range(rounds):
            cases = cases_of(bench, program)
            for case in cases:
                print("%-12s own %7.1f ns a call, exclusive %7.1f, by the margin %7.1f to %7.1f, estimate %7.1f%s" % (
                    *case, "" if is_held(case) else ": not held"))
            print("%d of %d held\n" % (sum(is_held(case) for case in cases), len(cases)))


if __name__ == "__main__":
    main()
