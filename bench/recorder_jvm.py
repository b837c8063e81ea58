"""What the recorder costs Java programs: recursive Fibonacci, and the Java compiler compiling the Java of this project, in each of
the agent's ways and without it, in turns.

A call of fib is recorded into memory, and told by the program's own clock. The compiler streams into a file, and its time is
the whole process's.
"""

import glob
import json
import os
import subprocess
import time

import judge
import known_costs
import tools

# fib(n) is 2 F(n + 1) - 1 calls; 32 bytes of the buffer for each.
FIB, TINY_FIB = 30, 15
BUFFER = "128m"
WAYS = {"none": None, "rewrite": "mode=rewrite", "events": "mode=events", "sampling": "sample=1ms"}


def agent(bench):
    return os.path.join(bench.build, "include", "libtraceview-jvm.so")


def is_there(bench):
    return os.path.exists(os.path.join(bench.build, "include", "traceview-jvm.jar"))


def calls_of(n):
    before, after = 1, 1
    for _ in range(n):
        before, after = after, before + after
    return 2 * before - 1


def fib_ns(bench, way, trace, n):
    words = [] if way is None else ["-agentpath:%s=start=%s,buffer=%s,%s" % (agent(bench), trace, BUFFER, way)]
    done = subprocess.run(["java", *words, "-cp", bench.work, "Fib", str(n)], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["ns"] / calls_of(n)


def sources_of_ours():
    """What the compiler compiles: the Java of this project, and where the library is that it needs."""
    folders = [os.path.join(tools.ROOT, name) for name in ("src/jvm/java/traceview", "src/jvm/java/traceview/jvm",
                                                           "tests/record/programs/java", "bench")]
    paths = [path for folder in folders for path in sorted(glob.glob(os.path.join(folder, "*.java")))]
    return ["-cp", ":".join(sorted(glob.glob("/usr/share/java/asm*.jar"))), *paths]


def javac_s(bench, way, trace, sources):
    words = [] if way is None else ["-J-agentpath:%s=stream=%s,buffer=64m,%s" % (agent(bench), trace, way)]
    begin = time.monotonic()
    subprocess.run(["javac", *words, "-d", bench.work, *sources], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def measure_jvm(bench, rounds, is_tiny):
    trace = os.path.join(bench.work, "jvm.trace")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Fib.java")
    subprocess.run(["javac", "-d", bench.work, source], check=True)
    sources = ["-version"] if is_tiny else sources_of_ours()
    fib = {name: [] for name in WAYS}
    javac = {name: [] for name in WAYS}
    for _ in range(rounds):
        for name, way in WAYS.items():
            fib[name].append(fib_ns(bench, way, trace, TINY_FIB if is_tiny else FIB))
            javac[name].append(javac_s(bench, way, trace, sources))
    os.unlink(trace)
    measures = {"jvm: call": judge.measure([ns / 1e9 for ns in fib["rewrite"]], "time"),
                "jvm: call, events": judge.measure([ns / 1e9 for ns in fib["events"]], "time"),
                "jvm: call, not recorded": judge.measure([ns / 1e9 for ns in fib["none"]], "time"),
                "jvm: call, sampled": judge.measure([ns / 1e9 for ns in fib["sampling"]], "time"),
                "jvm: events / rewritten call": judge.ratio(fib["events"], fib["rewrite"], higher=True)}
    if not is_tiny:
        measures["jvm: known times held"] = known_costs.measure_held(bench, rounds, known_costs.java_program(bench))
    for name in list(WAYS)[1:]:
        measures["jvm: javac, %s / not recorded" % name] = judge.ratio(javac[name], javac["none"])
    return measures, {"calls": calls_of(TINY_FIB if is_tiny else FIB)}


def words(run):
    measures = run["measures"]
    return "A call of fib(%d) in Java takes %s." % (FIB, ", ".join(
        "%s %s" % (judge.show(measures["jvm: call" + how]["value"], "s"), name)
        for how, name in (("", "rewritten"), (", events", "by events"), (", sampled", "sampled"),
                          (", not recorded", "not recorded"))))
