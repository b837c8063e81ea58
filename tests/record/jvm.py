#!/usr/bin/env python3
"""Records Java programs with libtraceview-jvm, and sees what readers make of the traces.

    jvm.py PROGRAM [--long]     the traceview of a build; the library is in the folder include beside it

The programs are those of tests/record/programs/java. Their traces must have no finding above a note, and as many calls of
each method as the program counted, in both modes, for traceview and for dmtracedump. --long records the Java compiler,
too. Ends with "N passed, N failed".
"""

import glob
import json
import math
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
import traces
from on_terminal import OnTerminal
from traces import counted, expect

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = os.path.join(ROOT, "tests", "record", "programs", "java")
JACOCO = "/usr/share/java/org.jacoco.agent.jar"
SOURCES_21 = os.path.join(ROOT, "tests", "record", "programs", "java21")
MODES = ("events", "rewrite")
# What begins and compiles with less of the processor's time: for javac, and for programs beside other agents, whose code is most of what
# would be compiled.
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# The methods that Known does not count, and how often they are called.
AS_NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
UNCOUNTED = {"Known.main": 1, "Known.all": 1, "Known.print": 1, "Known.<clinit>": 1, "Known.lambda$all$1": 3,
             "Known.lambda$all$2": 1, "Known.lambda$work$0": 50, "Known$Bridge.<init>": 2, "Known$Closed.<init>": 1,
             "Known$Foreign.count": 4, "Known$Foreign.lambda$count$0": 2}


class World(traces.Readers):
    """A folder with the compiled programs."""

    def __init__(self, program, folder):
        super().__init__(program, folder)
        library = os.path.join(os.path.dirname(program), "include")
        self.agent = os.path.join(library, "libtraceview-jvm.so")
        self.jar = os.path.join(library, "traceview.jar")
        sources = [os.path.join(SOURCES, name) for name in sorted(os.listdir(SOURCES))]
        # No other program of this machine is called so.
        self.waits = "waits-%d.jar" % os.getpid()
        self.carried = None    # the java that runs Carried, once that is compiled
        self.compile("javac", "-g", *sources)
        with zipfile.ZipFile(self.path(self.waits), "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMain-Class: Waits\r\n\r\n")
            jar.write(self.path("Waits.class"), "Waits.class")

    def compile(self, javac, *words):
        subprocess.run([javac, *("-J" + word for word in QUICK), "-cp", self.jar, "-d", self.folder, *words], check=True)

    def run(self, *words, status=0):
        """What a program prints, on standard output and standard error."""
        done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100, check=False)
        expected = traces.told_status(done.stderr) if status is None else status
        expect(done.returncode == expected, "%s: status %d\n%s%s"
               % (" ".join(words), done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
        return done.stdout, done.stderr

    def java(self, options, *words, status=0):
        """The same of a program with the agent."""
        return self.run("java", "-agentpath:%s=%s" % (self.agent, options), "-cp", self.folder, *words, status=status)

    def record(self, *words, status=None):
        """What `traceview record` and its program print. The status is that of the program, unless another is expected."""
        return self.run(self.program, "record", *words, status=status)

    def start(self, *words):
        """Waits, which runs until something comes in, once it has begun."""
        return traces.begin_waits(self.folder, *words, "-jar", self.waits)

    def program_of_others(self):
        """A copy of the program and its libraries that every user may run: a build below /root is root's alone."""
        folder = self.path("everybody")
        if not os.path.exists(folder):
            os.chmod(self.folder, 0o755)
            os.mkdir(folder, 0o755)
            shutil.copy(self.program, folder)
            os.mkdir(os.path.join(folder, "include"), 0o755)
            for name in ("libtraceview-jvm.so", "traceview.jar", "traceview-jvm.jar"):
                shutil.copy(os.path.join(os.path.dirname(self.agent), name), os.path.join(folder, "include"))
        return os.path.join(folder, os.path.basename(self.program))

    def methods(self, trace):
        return json.loads(self.ask("top", trace, "-n", "0", "--json"))["methods"]


def threads_of(world, trace):
    return [thread["name"] for thread in world.info(trace)["threads"]]


def collections_left_out(counts):
    return {name: count for name, count in counts.items() if not name.startswith("JVM.")}


def new_jdk():
    """The folder of a JDK that has virtual threads; None where there is none."""
    told = os.environ.get("TRACEVIEW_JDK21")
    for folder in [told] if told else sorted(glob.glob("/usr/lib/jvm/*-2[1-9]-*")):
        if os.path.exists(os.path.join(folder, "bin", "javac")):
            return folder
    expect(not told, "TRACEVIEW_JDK21: %s has no bin/javac" % told)
    return None


def first_line_of_fib():
    with open(os.path.join(SOURCES, "Known.java"), encoding="utf-8") as file:
        return 1 + [line.strip() for line in file].index("COUNTS.incrementAndGet(FIB);")


def both_modes_have_every_call(world):
    unwound = {}
    for mode in MODES:
        trace = mode + ".trace"
        said, told = world.java("start=%s,buffer=64m,mode=%s" % (mode, mode), "Known", "leaves", status=3)
        expect(not told, told)
        truth = dict(counted(said), **UNCOUNTED)
        world.ask("check", trace)
        cost_ns = int(world.info(trace)["properties"]["record-call-overhead-nsec"])
        expect(1 < cost_ns < 100_000, "%s: a call costs %d ns" % (mode, cost_ns))
        counts = collections_left_out(world.counts(trace))
        expect(counts == truth, "%s: %s, not %s" % (mode, counts, truth))
        names = threads_of(world, trace)
        expect(set(names) - {"VM Thread"} == {"main", "deep"} | {"a worker with a long name %d" % i for i in range(3)}, names)
        said_of = world.dumped(trace)
        dumped = collections_left_out(said_of["ent"])
        expect(dumped == truth, "%s: dmtracedump has %s, not %s" % (mode, dumped, truth))
        unwound[mode] = said_of["unr"]
        del unwound[mode]["Known.deep"]    # as deep as the stack was
        fib = next(row for row in world.methods(trace) if row["name"] == "fib")
        expect((fib["file"], fib["line"], fib["signature"]) == ("Known.java", first_line_of_fib(), "(I)I"), fib)
    # Each round of work throws through rethrow, catcher and two frames below, and half of them in a constructor.
    expect(unwound["events"] == unwound["rewrite"], unwound)
    expect(unwound["events"]["Known.rethrow"] == 50 and unwound["events"]["Known$Failing.<init>"] == 25, unwound)


def a_call_has_its_caller_where_something_was_thrown(world):
    """What follows a catch is called by who caught, and by nothing that the exception has left."""
    trees = []
    for mode in MODES:
        world.java("start=callers,buffer=64m,mode=" + mode, "Known")
        methods = {row["rank"]: row["class"] + "." + row["name"] for row in world.methods("callers.trace")}
        answer = json.loads(world.ask("callers", "callers.trace", "Known.square", "--json"))
        trees.append({methods[row["rank"]]: row["calls"] for row in answer["callers"]})
    expect(trees[0] == trees[1], trees)
    # By the method reference, and behind what locked, Failing and rethrow throw.
    expect(trees[0]["Known.work"] == 50 + 19 + 25 + 50, trees)


def unnamed_threads_keep_their_names(world):
    for options in ("start=unnamed", "start=unnamed,mode=events"):
        said, _ = world.java(options, "Unnamed")
        expect(said == "Thread-0\n", (options, said))


def classes_are_chosen(world):
    for mode in MODES:
        world.java("start=only,mode=%s,only=Known$Lazy:Known$Shape.*,skip=Known$Shape" % mode, "Known")
        counts = collections_left_out(world.counts("only.trace"))
        expect(counts == {"Known$Lazy.<clinit>": 1, "Known$Lazy.touch": 1}, counts)
        world.java("start=boot,buffer=256m,mode=%s,boot=yes,only=java.util.concurrent.atomic" % mode, "Pauses")
        world.ask("check", "boot.trace")


def pauses_of_the_collector_are_calls(world):
    world.java("start=pauses", "Pauses", "halt", status=3)
    expect("VM Thread" in threads_of(world, "pauses.trace"), threads_of(world, "pauses.trace"))
    counts = world.counts("pauses.trace")
    expect(counts.pop("JVM.garbageCollection") >= 3 and counts == {"Pauses.main": 1}, counts)


def waits_tell_who_has_what(world):
    """Locks waits five times for each kind of lock, of which main is the owner, and once by Object.wait."""
    for mode in MODES:
        world.record("-o", "locks.trace", "--waits", "--mode", mode, "--", "java", "Locks")
        world.ask("check", "locks.trace")
        by_class = {"Locks.class held by main": 5, "java.lang.Object.wait": 1}
        counts = world.counts("locks.trace")
        # On a busy machine main may have left a lock before the thread that waits for it asks who has it.
        for name in [name for name in counts if name.endswith("free again")]:
            held = name.replace("free again", "held by main")
            counts[held] = counts.get(held, 0) + counts.pop(name)
        # The thread that wakes main may have to wait for the monitor until main waits.
        held = counts.pop("java.lang.Object.held by main")
        expect(held in (5, 6), held)
        # A thread that ends may have to wait for its own monitor, which main has when it joins the thread.
        expect(counts.pop("java.lang.Thread.held by main", 0) <= 25, counts)
        if mode == "rewrite":
            by_class.update({"java.util.concurrent.locks.ReentrantLock$NonfairSync.held by main": 5, "JVM.park": 15,
                             "java.util.concurrent.CountDownLatch$Sync.park": 5})
        seen = {name: calls for name, calls in counts.items() if name in by_class or "held by" in name or "park" in name}
        expect(seen == by_class, "%s: %s" % (mode, counts))
        expect(counts["JVM.waitForMonitor"] >= held + 5, counts)    # the virtual machine has monitors of its own
        # Each lock is held for 20 ms more once the other thread waits.
        waits = {row["name"]: row["inclusive"]["wall_ns"] for row in world.methods("locks.trace") if row["class"] == "JVM"}
        expect(waits["waitForMonitor"] > 150e6 and (mode == "events" or waits["park"] > 200e6), waits)
    world.record("-o", "silent.trace", "--", "java", "Locks")
    expect(not [name for name in world.counts("silent.trace") if name.startswith("JVM.") and "ollect" not in name],
           world.counts("silent.trace"))
    # A slow call of one method has a ring written; another method is as slow.
    _, told = world.record("-o", "slow.trace", "--ring", "1m", "--slower-than", "15ms", "--slow-method", "Locks.begin", "--", "java", "Locks")
    expect(5 <= told.count("s: Locks.begin took ") <= 25, told)
    world.ask("check", "slow-1.trace")
    _, told = world.record("--waits", "--sample", "1ms", "--", "java", "Locks", status=2)
    expect("--waits and --alloc have no use for --sample" in told, told)


def other_agents_are_no_hindrance(world):
    """JFR and a debugger's agent in the same virtual machine: the counts are the same, and stacks are looked at."""
    others = [*QUICK, "-XX:StartFlightRecording=settings=profile,filename=%s" % world.path("beside.jfr"),
              "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"]
    for mode in MODES:
        said, _ = world.java("start=beside,buffer=64m,only=Known,mode=" + mode, *others, "Known")
        world.ask("check", "beside.trace")
        said = "\n".join(line for line in said.splitlines() if re.fullmatch(r"\S+ \d+", line))
        counts = collections_left_out(world.counts("beside.trace"))
        expect(counts == dict(counted(said), **UNCOUNTED), "%s: %s" % (mode, counts))
    world.java("start=beside,sample=1ms,buffer=64m", *others, "Shares", "200")
    world.ask("check", "beside.trace")
    expect({"Shares.counted", "Shares.other"} <= set(world.counts("beside.trace")), world.counts("beside.trace"))
    expect(os.path.getsize(world.path("beside.jfr")) > 0, "JFR recorded nothing")


def the_classes_of_another_agent_are_no_part_of_the_program(world):
    """JaCoCo's agent, before this one and after it: it covers the program, and has no rows."""
    if not os.path.exists(JACOCO):
        print("skipped: recording beside JaCoCo's agent: it is not installed (scripts/install tests)")
        return
    with zipfile.ZipFile(JACOCO) as jar:
        jar.extract("jacocoagent.jar", world.folder)
    agent = "-javaagent:%s=destfile=%s" % (world.path("jacocoagent.jar"), world.path("jacoco.exec"))
    for mode in MODES:
        for words, variables in (([agent], []), ([], ["JAVA_TOOL_OPTIONS=" + agent])):
            said, _ = world.run("env", *variables, world.program, "record", "-o", "covered.trace", "--mode", mode, "--", "java", *QUICK, *words, "Known")
            world.ask("check", "covered.trace")
            expect(os.path.getsize(world.path("jacoco.exec")) > 100, "JaCoCo noted nothing")
            os.unlink(world.path("jacoco.exec"))
            counts = collections_left_out(world.counts("covered.trace"))
            counts = {name: count for name, count in counts.items() if not name.endswith(".$jacocoInit")}
            said = "\n".join(line for line in said.splitlines() if re.fullmatch(r"\S+ \d+", line))
            expect(counts == dict(counted(said), **UNCOUNTED), "%s: %s" % (mode, counts))
    world.record("-o", "asked.trace", "--classes", "org.jacoco.agent.rt", "--", "java", *QUICK, agent, "Known")
    expect(any("jacoco" in name for name in world.counts("asked.trace")), "its classes are not recorded where they are asked for")


def allocated_bytes_are_told(world):
    """Within a sixth of what Allocates allocates: 64 MB in some 1,000 samples, and 32 MB in objects that all are sampled."""
    for mode in MODES:
        world.record("-o", "bytes.trace", "--alloc", "--mode", mode, "--", "java", "Allocates")
        world.ask("check", "bytes.trace")
        rows = {row["name"]: row for row in world.methods("bytes.trace")}
        own = {name: row["allocated_bytes"] / 1e6 for name, row in rows.items()}
        expect(53 < own["small"] < 75 and 31 < own["large"] < 33 and own["both"] < 1, own)
        below = {name: row["allocated_bytes_with_callees"] / 1e6 for name, row in rows.items()}
        expect(abs(below["both"] - own["small"] - own["large"]) < 2 and below["main"] >= below["both"], below)
    expect("Alloc kB" in world.ask("top", "bytes.trace"), "the column is missing")
    expect(json.loads(world.ask("info", "bytes.trace", "--json"))["allocated"], "the page is not told that there are columns")
    world.record("-o", "plain.trace", "--", "java", "Allocates")
    expect("Alloc kB" not in world.ask("top", "plain.trace"), "the column is there without numbers")


def carried_runner(world):
    """A function that runs Carried with the agent's options; None where no JDK has virtual threads."""
    jdk = new_jdk()
    if not jdk:
        print("skipped: virtual threads: no JDK of Java 21 or later is in /usr/lib/jvm, and TRACEVIEW_JDK21 names none")
        return None
    if not world.carried:
        world.compile(os.path.join(jdk, "bin", "javac"), os.path.join(SOURCES_21, "Carried.java"))
        world.carried = os.path.join(jdk, "bin", "java")

    def carried(options, *words):
        # Two carriers, so that threads move.
        world.run(world.carried, "-agentpath:%s=%s" % (world.agent, options), "-cp",
                  world.folder + ":" + world.jar, "-Djdk.virtualThreadScheduler.parallelism=2", "Carried", *words)
    return carried


def virtual_threads_have_rows(world):
    carried = carried_runner(world)
    if not carried:
        return
    for mode in MODES:
        carried("start=carried,only=Carried,mode=" + mode)
        world.ask("check", "carried.trace")
        rows = {row["name"]: row for row in world.info("carried.trace")["threads"]}
        unnamed = [name for name in rows if re.fullmatch(r"VirtualThread #\d+", name)]
        wanderers = ["wanders %d" % i for i in range(1, 8)] + unnamed
        expect(len(unnamed) == 1 and set(rows) - {"VM Thread"} == set(wanderers) | {"main", "rests"}, sorted(rows))
        for i, name in enumerate(wanderers):
            counts = thread_counts(world, "carried.trace", name)
            # Compilers number lambdas as they like.
            lambdas = {lambda_: counts.pop(lambda_) for lambda_ in list(counts) if ".lambda$" in lambda_}
            expect(list(lambdas.values()) == [1, 1], lambdas)
            own = {"Carried.wander": 20, "Carried.fail": 60}
            if name in unnamed or i % 2:    # those that burn
                own["Carried.burn"] = 20
            expect(counts == own, "%s, %s: %s" % (mode, name, counts))
            expect(rows[name]["records"] == 2 * sum(own.values()) + 4, "calls of %s are open: %s" % (name, rows[name]))
        # The time of the carriers, while they carried: most is burnt.
        burns = sum(rows[name]["cpu_ns"] for i, name in enumerate(wanderers) if name in unnamed or i % 2)
        rests = sum(rows[name]["cpu_ns"] for i, name in enumerate(wanderers) if not (name in unnamed or i % 2))
        expect(burns > 2 * rests, "%s: %d ns for those that burn, %d for the others" % (mode, burns, rests))
        expect(rows["rests"]["calls"] == 3 and rows["rests"]["cpu_ns"] < rows["rests"]["wall_ns"], rows["rests"])
        # Four times as many as have rows of their own.
        carried("stream=many.trace,buffer=1m,only=Carried,mode=" + mode, "4000")
        world.ask("check", "many.trace")
        counts = collections_left_out(world.counts("many.trace"))
        expect(counts["Carried.leaf"] == counts["Carried.small"] == 4000, counts)
        names = threads_of(world, "many.trace")
        shared = [name for name in names if name.startswith("virtual threads ")]
        expect(len(names) - len(shared) <= 1002 and 0 < len(shared) < 1000, "%d rows, %d shared" % (len(names), len(shared)))
    carried("", "late")
    names = threads_of(world, "late.trace")
    expect(thread_counts(world, "late.trace", "ticks")["Carried.tick"] >= 100 and len(names) <= 3, names)


def stacks_of_virtual_threads_are_looked_at(world):
    carried = carried_runner(world)
    if not carried:
        return
    carried("stream=looked.trace,buffer=1m,sample=1ms,only=Carried", "20000")
    world.ask("check", "looked.trace")
    expect(threads_of(world, "looked.trace"), "no thread was seen")
    carried("", "watched")
    world.ask("check", "watched.trace")
    rows = {row["name"]: row for row in world.info("watched.trace")["threads"]}
    # "ticks" waits for nothing, so it was not seen to be carried; unless the machine says otherwise some time.
    expect(set(rows) - {"ticks"} == {"main", "burns", "rests"}, sorted(rows))
    expect("Carried.burnFor" in thread_counts(world, "watched.trace", "burns") and
           0 < rows["burns"]["cpu_ns"] <= rows["burns"]["wall_ns"], rows["burns"])
    expect(set(thread_counts(world, "watched.trace", "rests")) >= {"Carried.rest"} and
           rows["rests"]["cpu_ns"] < rows["rests"]["wall_ns"] / 2, rows["rests"])


def thread_counts(world, trace, thread):
    return world.counts(trace, "--thread", thread)


def threads_of_the_machine_are_seen(world):
    """Known is long enough for a method to be compiled; Pauses asks for collections."""
    world.java("start=machine,buffer=64m,machine=yes,only=Known", "-XX:+UseParallelGC", "Known")
    world.ask("check", "machine.trace")
    rows = {row["name"]: row for row in world.info("machine.trace")["threads"]}
    compilers = [name for name in rows if name in ("C1 CompilerThread", "C2 CompilerThread")]
    expect(compilers, sorted(rows))
    for name in compilers:
        expect(set(thread_counts(world, "machine.trace", name)) == {"JVM.compiling"}, name)
        expect(0 < rows[name]["cpu_ns"] <= rows[name]["wall_ns"], rows[name])
    _, told = world.record("-o", "pauses2.trace", "--machine", "--", "java", "-XX:+UseParallelGC", "-XX:ParallelGCThreads=2", "Pauses")
    collectors = ("GC Thread#", "ParGC Thread#", "GC task thread")    # of Java 17, 11 and 8
    expect(any(name.startswith(collectors) for name in threads_of(world, "pauses2.trace")), told)
    expect(world.counts("pauses2.trace")["JVM.collecting"] > 0, told)


def pauses_at_safepoints_have_a_row(world):
    """Its calls are those of the log that the program itself was told to write, one for one, and as long."""
    for how in (["--machine"], ["--machine", "--sample", "1ms"]):
        log = world.path("safepoints.log")
        _, told = world.record("-o", "safepoints.trace", *how, "--", "java", "-Xlog:safepoint=info:file=%s:tn" % log, "Pauses")
        logged = [(reason, int(ns)) for reason, ns in
                  re.findall(r'Safepoint "(\w+)".* Total: (\d+) ns', open(log, encoding="utf-8").read())]
        expect(len(logged) > 2, logged)
        if "does not log safepoints" in told:    # Java 13 and older
            expect("Safepoints" not in threads_of(world, "safepoints.trace"), told)
            continue
        world.ask("check", "safepoints.trace")
        counts = thread_counts(world, "safepoints.trace", "Safepoints")
        # The first ones are before the recording, the last one may be after it.
        for reason in {reason for reason, _ in logged}:
            there = sum(one == reason for one, _ in logged)
            expect(there - 2 <= counts.get("JVM.safepoint." + reason, 0) <= there, (reason, there, counts))
        expect(counts["JVM.reachingSafepoint"] <= counts["JVM.safepoint"] <= len(logged), counts)
        row = next(row for row in world.info("safepoints.trace")["threads"] if row["name"] == "Safepoints")
        count = counts["JVM.safepoint"]
        sums = [sum(ns for _, ns in logged[i:i + count]) for i in range(len(logged) - count + 1)]
        expect(min(abs(row["wall_ns"] - ns) for ns in sums) < 0.02 * row["wall_ns"] + 1e6, (row, logged))
        expect(row["cpu_ns"] == 0, row)


def jni_is_used_as_it_should_be(world):
    """-Xcheck:jni warns of a recorded program as often as of one that is not recorded."""
    said = [world.run("java", *words, "-Xcheck:jni", "-cp", world.folder, "Known$Lazy", status=1)
            for words in ([], ["-agentpath:%s=start=checked" % world.agent])]
    warnings = ["".join(one).count("WARNING") for one in said]
    expect(warnings[0] == warnings[1], said[1])


def stacks_are_looked_at(world):
    world.java("start=stacks,sample=1ms", "Known")
    world.ask("check", "stacks.trace")
    info = world.info("stacks.trace")
    expect("main" in threads_of(world, "stacks.trace") and info["records"] > 10, info)
    expect("Known.main" in world.counts("stacks.trace"), world.counts("stacks.trace"))


def lines_of_stacks_are_told(world):
    """A loop takes three times as long as another; each has its line's time, that of its condition with it."""
    world.record("-o", "lines.trace", "--sample", "1ms", "--lines", "--", "java", "Lines", "25")
    world.ask("check", "lines.trace")
    rows = {row["name"]: row for row in world.methods("lines.trace")}
    cpu_ns = {name: row["exclusive"]["cpu_ns"] for name, row in rows.items()}
    whole_ns = rows["work"]["inclusive"]["cpu_ns"]
    first, second = (sum(cpu_ns.get("work:%d" % line, 0) for line in lines) / whole_ns for lines in ((6, 7), (9, 10)))
    expect(abs(first - 0.25) < 0.2 and abs(second - 0.75) < 0.2 and first + second > 0.95, (first, second, cpu_ns))
    expect((rows["work:10"]["file"], rows["work:10"]["line"], rows["work:10"]["signature"]) == ("Lines.java", 10, "(I)V"), rows["work:10"])
    world.java("start=whole,sample=1ms,lines=no", "Lines", "5")
    expect("Lines.work" in world.counts("whole.trace"), world.counts("whole.trace"))
    expect(not any(":" in name for name in world.counts("whole.trace")), world.counts("whole.trace"))


def sampled_cpu_time_is_of_what_ran(world):
    """A loop without a safepoint in it has its own time, not its caller's, and a wait has none."""
    said, told = world.java("start=shares,sample=1ms,buffer=64m", "Shares", "800")
    expect("safepoints" not in told, told)
    truth = {line.split()[0]: float(line.split()[1]) for line in said.splitlines()}
    whole = truth.pop("all")
    world.ask("check", "shares.trace")
    rows = json.loads(world.ask("top", "shares.trace", "-n", "0", "--clock", "cpu", "--thread", "main", "--json"))["methods"]
    seen = {row["class"] + "." + row["name"]: row["exclusive"]["cpu_ns"] / 1e6 for row in rows}
    total = sum(seen.values())
    expect(abs(total - whole) < 0.2 * whole, "%f of %f" % (total, whole))
    for name, ms in truth.items():
        share = ms / whole
        # The kernel looks at timers a hundred times a second, or more often.
        most = 0.02 + 4 * math.sqrt(share * (1 - share) / (whole / 10))
        expect(abs(seen.get(name, 0) / total - share) < most, "%s has %.3f: %s" % (name, share, seen))
    expect(seen.get("Shares.main", 0) + seen.get("Shares.nap", 0) < 0.15 * total, seen)
    # How exact that is: looks at running threads come at the kernel's ticks.
    properties = world.info("shares.trace")["properties"]
    each_ms = int(properties.get("sampling-tick-usec", 1000)) / 1000
    running = int(properties["sampled-running-stacks"])
    expect(0.5 * whole < running * each_ms < 1.5 * whole + 100 and running < int(properties["sampled-stacks"]), (properties, whole))


def looks_are_fewer_while_nothing_waits(world):
    """Looks come further apart while threads run, and lose nothing of their CPU time; waits beside them keep their share of the time."""
    world.java("start=alone,sample=1ms,buffer=64m", "Naps", "7000", "alone")  # on a busy machine the first thousand looks take seconds
    properties = world.info("alone.trace")["properties"]
    expect(1000 < int(properties["sampling-apart-usec"]) <= 8000, properties)
    said, _ = world.java("start=naps,sample=1ms,buffer=64m", "Naps", "3000")
    world.ask("check", "naps.trace")
    for line in said.splitlines():
        name, least, most = line.split()
        rows = json.loads(world.ask("top", "naps.trace", "-n", "0", "--clock", "wall", "--thread", name, "--json"))["methods"]
        wall_ns = {row["name"]: row["inclusive"]["wall_ns"] for row in rows}
        share = 100 * wall_ns["nap"] / max(wall_ns.values())
        expect(float(least) - 20 < share < float(most) + 20, (name, share, line))  # few waits, and looks come late on a busy machine


def threads_that_end_have_their_whole_time(world):
    """A thread tells itself what it used; of one that no look has met in time the CPU time is told to be missing."""
    for count, ms in ((20, 27), (80, 4)):
        said, told = world.java("start=ends,sample=1ms,buffer=64m", "Ends", str(count), str(ms))
        whole = float(said.split()[1])
        rows = [row for row in world.info("ends.trace")["threads"] if row["name"] == "worker" and row["records"]]
        seen = sum(row["cpu_ns"] for row in rows) / 1e6
        missing = re.search(r"([\d.]+) ms of CPU time are missing: (\d+) thread", told)
        missed, missed_ms = (int(missing[2]), float(missing[1])) if missing else (0, 0)
        # What a thread does before it reads its clock last, and behind it, is of the virtual machine.
        expect(abs(seen + missed_ms - whole) < 0.02 * whole + 0.2 * count, (count, seen, missed_ms, whole, told))
        # A row has no records where its only look found it in no method that is recorded.
        expect(0.95 * count < len(rows) + missed <= count + 2 and len(rows) > count / 2, (count, len(rows), told))
        expect(all(row["wall_ns"] > 0 for row in rows), [row for row in rows if not row["wall_ns"]])


def threads_that_follow_each_other_have_timers(world):
    """As many threads as before are other ones, and each looks at itself: its loop has its time, where a safepoint would find the caller.
    A thread has the CPU time that it used, though its successor has its place in memory, and ends when it ends."""
    _, told = world.java("start=relay,sample=1ms,buffer=64m", "Relay", "600")
    expect("timer" not in told and "safepoints" not in told, told)
    expect("open_at_end" not in world.ask("check", "relay.trace"), world.ask("check", "relay.trace"))
    for number in range(1, 9):
        rows = json.loads(world.ask("top", "relay.trace", "-n", "0", "--clock", "cpu", "--thread", "runner %d" % number, "--json"))["methods"]
        seen = {row["name"]: row["exclusive"]["cpu_ns"] / 1e6 for row in rows}
        total = sum(seen.values())
        expect(abs(total - 600) < 90 and seen.get("counted", 0) > 0.75 * total, (number, seen))


def without_timers_the_stacks_are_those_of_safepoints(world):
    """Where the system gives no timers, CPU time is told by safepoints, and that is said; none is lost."""
    if not shutil.which("prlimit"):
        return
    said, told = world.run("prlimit", "--sigpending=0", "java", "-agentpath:%s=start=untimed,sample=1ms,buffer=64m" % world.agent,
                           "-cp", world.folder, "Shares", "700")
    expect(told.count("the system gives no timers on the CPU time of threads: stacks are those of safepoints") == 1, told)
    whole = float(re.search(r"^all (.*)", said, re.M)[1])
    world.ask("check", "untimed.trace")
    rows = json.loads(world.ask("top", "untimed.trace", "-n", "0", "--clock", "cpu", "--thread", "main", "--json"))["methods"]
    total = sum(row["exclusive"]["cpu_ns"] for row in rows) / 1e6
    expect(abs(total - whole) < 0.2 * whole, "%f of %f" % (total, whole))


def a_program_traces_itself(world):
    said, told = world.run("java", "-cp", world.jar + ":" + world.folder, "-Dtraceview.options=only=Traced", "Traced")
    truth = counted(said)
    expect(told.splitlines() == ["traceview: Trace already in progress, ignoring this request",
                                 "traceview: Trace stop requested, but no trace currently running",
                                 "traceview: the trace buffer (65536 bytes) is full: tracing stopped"], told)
    expect(any("Unable_to_open_trace_file" in line for line in truth), truth)
    for name, depths in (("first", (5, 2)), ("second", (6,))):
        world.ask("check", name + ".trace")
        calls = {"Traced.leaf": truth[name], "Traced.tree": sum(2 ** (depth + 1) - 1 for depth in depths)}
        expect(world.counts(name + ".trace") == calls, world.counts(name + ".trace"))
    expect(world.info("second.trace")["clocks"] == ["wall"], "the clocks")
    expect(not os.path.exists(world.path("nested.trace")), "a trace within a trace")
    expect(world.info("dmtrace.trace")["overflow"], "a full buffer")
    world.ask("check", "third.trace")
    expect("Traced.spin" in world.counts("third.trace"), world.counts("third.trace"))


def each_virtual_machine_writes_a_file_of_its_number(world):
    """By hand, as JAVA_TOOL_OPTIONS has it, without `traceview record` that waits for the files."""
    world.run("env", "JAVA_TOOL_OPTIONS=-agentpath:%s=each=%s" % (world.agent, world.path("each")), "java", "-cp", world.folder, "Known")
    made = [name for name in os.listdir(world.folder) if re.fullmatch(r"each\.[0-9]+", name)]
    expect(len(made) == 1, made)
    world.ask("check", made[0])
    world.java("stream=exact,only=Known", "Known")
    expect(os.path.exists(world.path("exact")) and not os.path.exists(world.path("exact.trace")), "the name of a stream")


def wrong_options_are_told_and_the_program_runs(world):
    for options, why in (("strat=a", "agent: there is no option: 'strat': the program runs without being recorded"),
                         ("start=a,mode=fast", "agent: mode= is events or rewrite: 'fast': the program runs without being recorded"),
                         ("start=/nowhere/a", "/nowhere/a: Unable to open trace file: No such file or directory")):
        said, told = world.java(options, "Pauses")
        expect((said, told) == ("", "traceview: %s\n" % why), told)
    for options, why in (("start=unused,slower=1ms", "slower= needs ring="), ("start=unused,most=1k", "most= needs stream= or each=, and no ring="),
                         ("start=unused,lines=yes", "lines= needs sample=")):
        _, told = world.java(options, "Pauses")
        expect(told == "traceview: agent: %s: the program runs without being recorded\n" % why, told)
    expect(not os.path.exists(world.path("unused.trace")), "recorded without what is needed")
    _, told = world.java("start=one", "-agentpath:%s=start=two" % world.agent, "Pauses")
    expect(told == "traceview: agent: it is named twice: what the second time asks for is ignored: start=two\n", told)
    expect(os.path.exists(world.path("one.trace")) and not os.path.exists(world.path("two.trace")), "the first is not recorded")


def a_stream_survives_a_kill(world):
    program = world.start("-agentpath:%s=stream=kill.trace,buffer=1m,only=Waits" % world.agent)
    end = time.monotonic() + 30
    while os.path.getsize(world.path("kill.trace")) < 100000 and time.monotonic() < end:
        time.sleep(0.05)
    program.kill()
    program.communicate()
    info = world.info("kill.trace")
    expect(info["format"] == "stream3" and info["records"] > 5000, info)


def without_its_jar_the_agent_uses_events(world):
    lone = world.path("libtraceview-jvm.so")
    shutil.copy(world.agent, lone)
    world.run("java", "-agentpath:%s=start=lone,only=Known$Lazy" % lone, "-cp", world.folder, "Known")
    expect(collections_left_out(world.counts("lone.trace")) == {"Known$Lazy.<clinit>": 1, "Known$Lazy.touch": 1}, "events")
    # Said in the file, and what it costs: many times what a record does.
    properties = world.info("lone.trace")["properties"]
    expect(properties["recorded-by-events"] == "1" and int(properties["record-call-overhead-nsec"]) > 70, properties)
    _, told = world.run("java", "-agentpath:%s=start=lone,mode=rewrite" % lone, "-cp", world.folder, "Pauses")
    expect(told == "traceview: lone: traceview-jvm.jar is not beside the agent's library\n", told)


def without_asm_the_copy_inside_of_the_machine_does(world):
    """What a build without ASM makes: classes are rewritten all the same where the virtual machine is of Java 15 to 23."""
    release = re.match(r"javac (\d+)", "".join(world.run("javac", "-version")))
    if not release or not 15 <= int(release[1]) <= 23:
        print("skipped: rewriting without ASM: this JDK has no copy that is new enough")
        return
    os.makedirs(world.path("inside"), exist_ok=True)
    lone = world.path("inside/libtraceview-jvm.so")
    shutil.copy(world.agent, lone)
    subprocess.run([os.path.join(ROOT, "scripts", "make_jar"), "javac", world.path("inside/traceview-jvm-inside.jar"), "--inside",
                    os.path.join(ROOT, "src/jvm/java/traceview/jvm/Rewriter.java")], check=True)
    said, told = world.run("java", "-agentpath:%s=start=inside,buffer=64m" % lone, "-cp", world.folder, "Known")
    expect(not told, told)
    world.ask("check", "inside.trace")
    counts = collections_left_out(world.counts("inside.trace"))
    expect(counts == dict(counted(said), **UNCOUNTED), counts)
    expect("recorded-by-events" not in world.info("inside.trace")["properties"], "events")
    jdk = new_jdk()
    if jdk:    # Java 24 and later have no copy: events do
        world.run(os.path.join(jdk, "bin", "java"), "-agentpath:%s=start=newer" % lone, "-cp", world.folder, "Pauses")
        expect(world.info("newer.trace")["properties"].get("recorded-by-events", "0" if "-21-" in jdk else "") != "", jdk)


def trivial_methods_are_skipped_when_that_is_asked_for(world):
    """What returns or sets a field, or a constant, is; what calls, loops, locks, makes or throws something is not."""
    kept = {"Trivial." + name: 1000 for name in ("sum", "locked", "make", "called", "fail")}
    kept.update({"Trivial.main": 1, "Trivial.<init>": 1})
    _, told = world.record("-o", "all.trace", "--classes", "Trivial", "--", "java", "Trivial")
    expect("trivial methods" not in told, told)
    expect(collections_left_out(world.counts("all.trace")) == dict(
        kept, **{"Trivial." + name: calls for name, calls in (("size", 2000), ("isEmpty", 1000), ("resize", 1000), ("one", 1000))}),
        world.counts("all.trace"))
    _, told = world.record("-o", "less.trace", "--classes", "Trivial", "--skip-trivial", "--", "java", "Trivial")
    expect("less.trace: 4 trivial methods are left out\n" in told, told)
    expect(collections_left_out(world.counts("less.trace")) == kept, world.counts("less.trace"))
    expect(world.info("less.trace")["properties"]["methods-skipped"] == "4", world.info("less.trace")["properties"])
    world.ask("check", "less.trace")
    # So they are of several virtual machines.
    _, told = world.record("-o", "less.trace", "--classes", "Trivial", "--skip-trivial", "--", "sh", "-c", "java Trivial; java Trivial")
    expect("less.trace: 8 trivial methods are left out\n" in told and "2 processes" in told, told)
    properties = world.info("less.trace")["properties"]
    expect(properties["methods-skipped"] == "8" and properties["classes-left-out"] == "boot, chosen", properties)
    for options in (["--sample", "1ms"], ["--mode", "events"]):
        _, told = world.record("--skip-trivial", *options, "--", "java", "Trivial", status=2)
        expect("no use for" in told, told)


def what_cannot_be_recorded_is_told(world):
    """A method that would be too large, alone of its class, and hidden classes but for those of lambdas."""
    with open(world.path("Large.java"), "w", encoding="utf-8") as file:
        file.write("public class Large {\n    static int sum;\n    static void small() { sum++; }\n    static void large(int more) {\n%s    }\n"
                   "    public static void main(String[] words) { for (int i = 0; i < 3; i++) { small(); large(i); } }\n}\n"
                   % "".join("        sum += more * %d; if (sum == %d) return;\n" % (i, i) for i in range(200, 3150)))
    with open(world.path("Hides.java"), "w", encoding="utf-8") as file:
        file.write("import java.lang.invoke.MethodHandles;\npublic class Hides {\n"
                   "    public static class Plug { public void go() { inner(); } void inner() { } }\n"
                   "    public static void main(String[] words) throws Exception {\n        Runnable lambda = () -> { };\n        lambda.run();\n"
                   "        if (words.length == 0)\n            return;\n"
                   "        byte[] bytes = Hides.class.getResourceAsStream(\"Hides$Plug.class\").readAllBytes();\n"
                   "        Class<?> hidden = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();\n"
                   "        hidden.getMethod(\"go\").invoke(hidden.getConstructor().newInstance());\n    }\n}\n")
    world.compile("javac", "-g", world.path("Large.java"), world.path("Hides.java"))
    _, told = world.record("-o", "large.trace", "--", "java", "Large")
    expect("Large.large: the method would be too large: it is not recorded\n" in told, told)
    counts = collections_left_out(world.counts("large.trace"))
    expect(counts == {"Large.main": 1, "Large.small": 3}, counts)
    expect(world.info("large.trace")["properties"]["classes-left-out"] == "boot, failed", world.info("large.trace")["properties"])
    for mode in MODES:
        for words, left_out in (([], "boot"), (["plug"], "boot, hidden")):
            world.record("-o", "hidden.trace", "--mode", mode, "--", "java", "Hides", *words)
            expect(world.info("hidden.trace")["properties"]["classes-left-out"] == left_out, (mode, world.info("hidden.trace")["properties"]))


def the_command_adds_the_agent(world):
    said, told = world.record("-o", "added.trace", "--", "java", "Known")
    world.ask("check", "added.trace")
    counts = collections_left_out(world.counts("added.trace"))
    expect(counts == dict(counted(said), **UNCOUNTED), counts)
    expect(re.search(r"added\.trace: [\d.]+ [kM]B, \d+ records, none lost; .* ns a call, by rewritten methods\)", told), told)
    expect(not os.path.exists(world.path("added.trace.recording")), "the stream is left")
    said, told = world.record("-o", "some, with\\commas.trace", "--classes", "Known$Lazy:Known$Closed", "--mode", "events", "--depth", "1",
                           "--", "java", "Known", "leaves")
    expect("java: ended with status 3" in told and "ns a call, told by the virtual machine's events)" in told, told)
    counts = collections_left_out(world.counts("some, with\\commas.trace"))
    expect(counts == {"Known$Lazy.<clinit>": 1, "Known$Lazy.touch": 1, "Known$Closed.<init>": 1,
                       "Known$Closed.findClass": counted(said)["Known$Closed.findClass"]}, counts)
    _, told = world.record("-o", "sized.trace", "--max-size", "1k", "--buffer", "64k", "--", "java", "Known")
    expect("what ran after --max-size was reached is missing" in told, told)
    expect(world.info("sized.trace")["properties"]["file-limit"] == "1024", world.info("sized.trace")["properties"])
    _, told = world.record("-o", "ring.trace", "--ring", "64k", "--", "java", "Known")
    expect("room for the last part" in told, told)
    world.ask("check", "ring.trace")
    expect(0 < sum(world.counts("ring.trace").values()) < sum(counted(said).values()), world.counts("ring.trace"))
    _, told = world.record("-o", "ring.trace", "--sample", "1ms", "--ring", "64m", "--", "java", "Known")
    expect("room for all" in told and "sampled every 1000 us" in told, told)
    expect(re.search(r" [1-9]\d* stacks?, \d+ of them of running threads, \d+ records; sampled every 1000 us", told), told)
    world.ask("check", "ring.trace")
    expect("Known.main" in world.counts("ring.trace"), world.counts("ring.trace"))
    world.record("-o", "only.trace", "--only", "Known.fib", "--", "java", "Known")
    expect(world.counts("only.trace") == {"Known.fib": 1973}, world.counts("only.trace"))
    world.record("-o", "tool.trace", "--sample", "1ms", "--", "javac", "-version")
    world.ask("check", "tool.trace")
    _, told = world.record("-o", "none.trace", "--classes", "nothing", "--", "java", "Known", status=125)
    expect(told == "traceview: java: no method was called of --classes nothing: check the name\n"
           "traceview: java: it recorded no call\n", told)
    _, told = world.record("-o", "half.trace", "--classes", "Known.*:Knwon$Lazy", "--", "java", "Known")
    expect(re.findall("no method was called of --classes (.*): check", told) == ["Knwon$Lazy"], told)
    _, told = world.record("-o", "none.trace", "--", "java", "-jar", "nothere.jar", status=1)
    world.record("-o", "status.trace", "--status", "recorder", "--", "java", "Known", "leaves", status=0)
    expect(told.endswith("traceview: java: it took no agent: does it start, and has it no other?\n"), told)
    _, told = world.record("--mode", "events", "--", "./nothere", status=2)
    expect("--mode, --classes, --boot, --machine, --waits, --alloc and --skip-trivial are for Java programs" in told, told)


def whatever_starts_java_is_recorded(world):
    """By a shell, a script, env, nice; several at once; and what a program in C starts, where that is asked for."""
    with open(world.path("launch"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\njava -cp %s Known\n" % world.folder)
    os.chmod(world.path("launch"), 0o755)
    # By its default nice would have the program wait for all others: on a machine with 25 of them it took more than 100 s.
    for words in (["sh", "-c", "java Known; exit 3"], ["env", "java", "Known"], ["nice", "-n", "0", "java", "Known"], ["./launch"]):
        said, told = world.record("-o", "launched.trace", "--", *words)
        world.ask("check", "launched.trace")
        counts = collections_left_out(world.counts("launched.trace"))
        expect(counts == dict(counted(said), **UNCOUNTED), counts)
        expect("none lost" in told and "by rewritten methods" in told and "processes" not in told, told)
        expect(glob.glob(world.path("launched.trace*")) == [world.path("launched.trace")], "files are left")
    expect(world.info("launched.trace")["properties"]["java-program"] == "Known", world.info("launched.trace")["properties"])

    # The same methods of two processes are one, and their threads are told apart.
    said, told = world.record("-o", "pair.trace", "--", "sh", "-c", "java Known >one & java Known leaves; wait; cat one", status=0)
    world.ask("check", "pair.trace")
    counts = collections_left_out(world.counts("pair.trace"))
    expect(counts["Known.fib"] == 2 * 1973 and counts["Known.main"] == 2, counts)
    expect("pair.trace: 2 processes: the names of threads begin with theirs" in told, told)
    mains = [name for name in threads_of(world, "pair.trace") if re.fullmatch(r"Known \d+: main", name)]
    expect(len(set(mains)) == 2, threads_of(world, "pair.trace"))
    rows = [row for row in world.methods("pair.trace") if row["name"] == "fib"]
    expect(len(rows) == 1, rows)
    spans = [(thread["first_ns"], thread["last_ns"]) for thread in world.info("pair.trace")["threads"]
             if thread["name"] in mains]
    expect(max(first for first, _ in spans) < min(last for _, last in spans), "they did not run at the same time: %s" % spans)

    with open(world.path("spins.c"), "w", encoding="utf-8") as file:
        file.write("#include <time.h>\nstatic volatile long sum;\n__attribute__((noinline)) static void spin(void) { while (clock() < CLOCKS_PER_SEC / 5) sum++; }\n"
                   "int main(void) { spin(); sum++; return 0; }\n")
    subprocess.run(["gcc", "-g", world.path("spins.c"), "-o", world.path("spins")], check=True)
    _, told = world.record("-o", "chosen.trace", "--classes", "Known$Lazy", "--", "sh", "-c", "java Known")
    expect(world.counts("chosen.trace") == {"Known$Lazy.<clinit>": 1, "Known$Lazy.touch": 1}, world.counts("chosen.trace"))
    # Java looks at itself, and what is not Java is looked at beside it.
    for options, words, others in ((["--children"], ["sh", "-c", "java Known"], set()), ([], ["sh", "-c", "java Known; ./spins"], {"spins N: main"}),
                                   ([], ["sh", "-c", "exec java Known"], set())):
        _, told = world.record("-o", "looked.trace", "--sample", "1ms", *options, "--", *words)
        expect("sampled every 1000 us" in told and world.info("looked.trace")["sampled"], told)
        world.ask("check", "looked.trace")
        names = {re.sub(r"\d+", "N", name) for name in threads_of(world, "looked.trace")}
        expect(others <= names and ("Known N: main" in names or "main" in names), names)
        counts = world.counts("looked.trace")
        expect("Known.main" in counts and bool(others) == ("spins.spin" in counts), counts)
    # One that is not told to is looked at as any other program.
    _, told = world.record("-o", "looked.trace", "--sample", "1ms", "--", "env", "-u", "JAVA_TOOL_OPTIONS", "java", "Known")
    expect(len(threads_of(world, "looked.trace")) > 3 and "Picked up" not in told and "did not get JAVA_TOOL_OPTIONS" in told, (threads_of(world, "looked.trace"), told))
    said, told = world.run("env", "JAVA_TOOL_OPTIONS=-Dof.user=kept", world.program, "record", "-o", "kept.trace", "--",
                           "sh", "-c", "java -XshowSettings:properties Known")
    expect("of.user = kept" in told and "none lost" in told, told)

    with open(world.path("starts.c"), "w", encoding="utf-8") as file:
        file.write("#include <stdlib.h>\nint main(void) { return system(\"java Known >/dev/null\") != 0; }\n")
    subprocess.run(["gcc", "-finstrument-functions", world.path("starts.c"), "-o", world.path("starts")], check=True)
    _, told = world.record("-o", "starts.trace", "--", "./starts")
    expect("Picked up" not in told and "2 records, none lost" in told, told)
    _, told = world.record("-o", "starts.trace", "--children", "--", "./starts")
    expect("2 processes" in told and world.counts("starts.trace")["Known.fib"] == 1973, told)
    names = threads_of(world, "starts.trace")
    expect(any(re.fullmatch(r"starts [1-9]\d*: main", name) for name in names) and
           any(re.fullmatch(r"Known \d+: main", name) for name in names), names)
    world.record("-o", "starts.trace", "--", "sh", "-c", "true", status=125)


def what_a_launcher_started_ends_with_the_recording(world):
    begun = time.monotonic()
    world.start().communicate("\n")
    duration_s = 2 + 4 * (time.monotonic() - begun)
    program = subprocess.Popen([world.program, "record", "-o", "ended.trace", "--duration", "%dms" % (1000 * duration_s), "--",
                                "sh", "-c", "java Waits; true"], cwd=world.folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(program.stdout.readline() == "ready\n", "Waits did not begin")
    told = program.communicate(timeout=240)[1]
    expect(program.returncode == 0 and "none lost" in told, told)
    expect(world.counts("ended.trace")["Waits.step"] > 0, told)


def a_duration_ends_the_recording(world):
    # A busy machine takes seconds to start a JVM; the time counts from two seconds later at the latest.
    begun = time.monotonic()
    world.start().communicate("\n")
    duration_s = 2 + 4 * (time.monotonic() - begun)
    program = subprocess.Popen([world.program, "record", "-o", "lasts.trace", "--duration", "%dms" % (1000 * duration_s),
                                "--then", "keep", "--", "java", "Waits"], cwd=world.folder, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(program.stdout.readline() == "ready\n", "Waits did not begin")
    # The file grows with each of its steps, until the time is over.
    size, before, end = 0, -1, time.monotonic() + duration_s + 60
    while (size == 0 or size != before) and time.monotonic() < end:
        time.sleep(1)
        before, size = size, os.path.getsize(world.path("lasts.trace.recording"))
    said, told = program.communicate("\n", timeout=240)
    expect(program.returncode == 0 and "none lost" in told, told)
    steps = int(said.split()[-1])
    expect(0 < world.counts("lasts.trace")["Waits.step"] < steps, "%d steps: %s" % (steps, world.info("lasts.trace")))


def a_program_that_runs_is_recorded(world):
    program = world.start()
    try:
        for number, process in enumerate((str(program.pid), world.waits)):
            trace = "attached%d.trace" % number
            _, told = world.record("-o", trace, "--jvm", process, "--duration", "500ms")
            world.ask("check", trace)
            counts = collections_left_out(world.counts(trace))
            # A step under way at the beginning or the end has not both of its halves in the trace.
            expect(abs(counts["Waits.half"] - 2 * counts["Waits.step"]) <= 2 and counts["Waits.step"] > 0, counts)
            expect("none lost" in told, told)
        world.record("-o", "looked.trace", "--jvm", world.waits, "--duration", "300ms", "--sample", "1ms")
        expect("Waits.main" in world.counts("looked.trace"), world.counts("looked.trace"))
        # What goes on when the recording ends has the time until then.
        row, = [row for row in json.loads(world.ask("top", "looked.trace", "-n", "0", "--json"))["methods"] if row["name"] == "main"]
        expect(row["inclusive"]["wall_ns"] > 0.5 * world.info("looked.trace")["elapsed_ns"], row)
        _, told = world.record("--jvm", world.waits, "-o", "/nowhere/a.trace", "--duration", "1s", status=1)
        expect(told == "traceview: process %d: it cannot write there\n" % program.pid, told)
        _, told = world.record("--jvm", world.waits, "--mode", "events", "--duration", "1s", status=1)
        expect(told == "traceview: process %d: its methods cannot be seen: it said why on its standard error\n" % program.pid, told)
        recording = subprocess.Popen([world.program, "record", "-o", "ends.trace", "--jvm", world.waits, "--progress=json"],
                                     cwd=world.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect(any(json.loads(line).get("bytes") for line in recording.stdout), "nothing was recorded")
    finally:
        said, told = program.communicate("\n", timeout=240)
    expect(program.returncode == 0 and int(said) > 0, told)
    expect(len(told.splitlines()) == 2 and "mode=events has to be told" in told, told)
    told = recording.communicate(timeout=240)[1]
    expect(recording.returncode == 0 and "none lost" in told, told)
    world.ask("check", "ends.trace")


def a_recorder_that_was_killed_is_in_nobodys_way(world):
    """What it began ends by itself, or when another begins, also one of the same name."""
    program = world.start()
    try:
        for name in ("first.trace", "second.trace"):
            recorder = subprocess.Popen([world.program, "record", "-o", "first.trace", "--jvm", world.waits], cwd=world.folder,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            stream = world.path("first.trace.recording")
            while not os.path.exists(stream) or not os.path.getsize(stream):
                expect(recorder.poll() is None, "it is not recorded")
                time.sleep(0.05)
            recorder.kill()
            recorder.communicate(timeout=240)
            _, told = world.record("-o", name, "--jvm", world.waits, "--duration", "500ms")
            expect("none lost" in told and world.counts(name)["Waits.step"] > 0, told)
    finally:
        said, told = program.communicate("\n", timeout=240)
    expect(program.returncode == 0, told)


def a_terminal_shows_how_far_it_is(world):
    program = world.start()
    try:
        terminal = OnTerminal([world.program, "record", "-o", "shown.trace", "--jvm", world.waits], world.folder, os.environ)
        terminal.read(rb" s, [\d.]+ [kM]B, [1-9][\d,]* calls; Ctrl-C ends it")
        terminal.type(b"\x03")
        status, text = terminal.end()
        expect(status == 0 and "none lost" in text, text)
        shown = [int(found.replace(",", "")) for found in re.findall(r"B, ([\d,]+) calls?;", text)]
        expect(OnTerminal.live_lines(text)[0].startswith("traceview: %s  0." % world.waits), text)
        # As in the trace, the recorder's own calls are among them.
        expect(shown == sorted(shown) and shown[-1] <= world.info("shown.trace")["calls"], text)
        terminal = OnTerminal([world.program, "record", "-o", "shown.trace", "--jvm", world.waits, "--sample", "1ms"],
                              world.folder, os.environ)
        terminal.read(rb" s, [\d.]+ ([kM]B|bytes); Ctrl-C ends it")  # samples tell of no calls
        terminal.type(b"\x03")
        expect(terminal.end()[0] == 0, terminal.said)
    finally:
        program.communicate("\n", timeout=240)


def listed(world, program, *traceview):
    """The row of a program in `processes --jvm`, and what is said beside the list."""
    said, told = world.run(*(traceview or [world.program]), "processes", "--jvm", "--json")
    answer = json.loads(said)
    expect((answer["recorder"], answer["advice"], told) == (True, "", ""), answer)
    rows = [row for row in answer["processes"] if row["pid"] == program.pid]
    expect(len(rows) == 1, "%d rows of process %d: %s" % (len(rows), program.pid, answer))
    return rows[0]


def programs_that_run_are_listed(world):
    version = re.search(r'version "([^"]+)"', world.run("java", "-version")[1])[1]
    user = pwd.getpwuid(os.geteuid()).pw_name
    plain, closed, silent = world.start(), world.start("-XX:+DisableAttachMechanism"), world.start("-XX:-UsePerfData")
    # Counters that nobody vouches for.
    counters = "/tmp/hsperfdata_%s/%d" % (user, silent.pid)
    try:
        row = listed(world, plain)
        expect(row.pop("uptime_s") < 600, row)
        expect(row == {"pid": plain.pid, "name": world.waits, "user": user, "java": version, "ready": True, "advice": ""}, row)
        row = listed(world, closed)
        expect((row["ready"], row["advice"]) ==
               (False, "process %d was started with -XX:+DisableAttachMechanism" % closed.pid), row)
        for content in (None, b"", b"\xca\xfe\xc0\xc0" + b"\xff" * 60000, b"\xca\xfe\xc0\xc0\1\2" + b"\0" * 2000000):
            if content is not None:
                with open(counters, "wb") as file:
                    file.write(content)
            row = listed(world, silent)
            expect((row["name"], row["java"], row["ready"]) == (world.waits, "", True), row)
        said, told = world.run(world.program, "processes", "--jvm")
        expect(re.search(r"^ *PID +JAVA +USER +UP +PROGRAM$", said, re.M), said)
        expect(re.search(r"^ *%d +%s +%s +\d+m \d\ds +%s$" % (plain.pid, re.escape(version), user, world.waits), said, re.M), said)
        expect("traceview: %s: process %d was started with -XX:+Dis" % (world.waits, closed.pid) in told, told)
        if os.geteuid() == 0:
            row = listed(world, plain, *AS_NOBODY, world.program_of_others())
            expect((row["name"], row["java"], row["ready"], row["advice"]) ==
                   (world.waits, "", False, "process %d is another user's" % plain.pid), row)
    finally:
        for program in (plain, closed, silent):
            program.communicate("\n", timeout=240)
        if os.path.exists(counters):
            os.remove(counters)


def how_far_it_is_is_told(world):
    program = world.start()
    try:
        said, told = world.record("-o", "told.trace", "--jvm", str(program.pid), "--duration", "1s", "--progress", "json")
        steps = [json.loads(line) for line in said.splitlines()]
        expect([steps[0]["phase"], steps[-1]["phase"]] == ["starting", "writing"], said)
        counted_steps = [step for step in steps if step["phase"] == "recording"]
        expect(len(counted_steps) == len(steps) - 2 and all(step["ms"] >= 200 for step in counted_steps), said)
        expect([step["ms"] for step in counted_steps] == sorted(step["ms"] for step in counted_steps), said)
        expect(counted_steps[-1]["bytes"] > 0 and "none lost" in told, said + told)
    finally:
        program.communicate("\n", timeout=240)
    _, told = world.record("--progress", "json", "--", "java", "Known", status=2)
    expect("--progress is for apps on Android devices, and --jvm" in told, told)


def a_security_manager_is_no_hindrance(world):
    if world.run("java", "-Djava.security.manager", "-version")[1].find("Error") >= 0:
        print("skipped: a security manager: this Java has none any more")
        return
    program = world.start("-Djava.security.manager")
    try:
        _, told = world.record("-o", "secure.trace", "--jvm", str(program.pid), "--duration", "500ms")
        expect("none lost" in told, told)
        expect(world.counts("secure.trace")["Waits.step"] > 100, world.counts("secure.trace"))
    finally:
        told = program.communicate("\n", timeout=240)[1]
    expect("Exception" not in told, told)


def what_is_no_virtual_machine_is_left_alone(world):
    other = subprocess.Popen(["sleep", "60"])
    closed = world.start("-XX:+DisableAttachMechanism")
    quiet = world.start("-Xrs")
    held = world.start()
    try:
        for process, why in ((str(other.pid), "is no Java virtual machine"), ("999999999", "is not there"),
                             (str(closed.pid), "was started with -XX:+DisableAttachMechanism"),
                             (str(quiet.pid), "lets no tool in: it was started with -Xrs, or begins or ends just now")):
            _, told = world.record("--jvm", process, status=1)
            expect(told == "traceview: process %s %s\n" % (process, why), told)
        _, told = world.record("--jvm", world.waits, status=1)
        expect(told == "traceview: %s: 3 Java programs are called so: tell the process number\n" % world.waits, told)
        _, told = world.record("--jvm", "Nowhere", status=1)
        expect(told == "traceview: Nowhere: no Java program of this user is called so\n", told)
        expect(other.poll() is None, "the other program was ended")
        held.send_signal(signal.SIGSTOP)
        os.waitpid(held.pid, os.WUNTRACED)
        _, told = world.record("--jvm", str(held.pid), status=1)
        expect(told == "traceview: process %d is stopped: let it go on first (kill -CONT)\n" % held.pid, told)
        held.send_signal(signal.SIGCONT)
        if os.geteuid() == 0:
            done = subprocess.run([*AS_NOBODY, world.program_of_others(), "record", "-o", "/tmp/nobody.trace", "--jvm",
                                   str(closed.pid)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            expect(done.stdout == "traceview: process %d is another user's\n" % closed.pid, done.stdout)
    finally:
        other.kill()
        other.wait()
        for program in (closed, quiet, held):
            program.communicate("\n", timeout=240)


def older_machines_do_the_same(world):
    """All cases with the JDKs of other versions that variables name."""
    path = os.environ["PATH"]
    for variable in OTHER_JDKS:
        jdk = os.environ.get(variable)
        if not jdk:
            print("skipped: recording with another version of Java: %s names no JDK of Java %s" % (variable, variable[len("TRACEVIEW_JDK"):]))
            continue
        expect(os.path.exists(os.path.join(jdk, "bin", "javac")), "%s: %s has no bin/javac" % (variable, jdk))
        os.environ["PATH"] = os.path.join(jdk, "bin") + os.pathsep + path
        try:
            with tempfile.TemporaryDirectory() as folder:
                expect(not traces.run(CASES, World(world.program, folder)), "cases fail with %s" % variable)
        finally:
            os.environ["PATH"] = path


def the_compiler_is_recorded(world):
    """Two runs of one mode already differ in a few methods of its name table."""
    counts = {}
    for mode in MODES:
        shutil.rmtree(world.path("out"), ignore_errors=True)
        os.mkdir(world.path("out"))
        world.run("javac", "-J-agentpath:%s=stream=javac.trace,mode=%s" % (world.agent, mode), "-cp", "out", "-d", "out",
                  os.path.join(SOURCES, "Pauses.java"))
        world.ask("check", "javac.trace")
        counts[mode] = collections_left_out(world.counts("javac.trace"))
        world.ask("convert", "--as", "v3", world.path("javac.trace"), world.path("plain.trace"))
        dumped = collections_left_out(world.dumped_counts("plain.trace"))
        expect(sum(dumped.values()) == sum(counts[mode].values()), "dmtracedump has %d calls, traceview %d"
               % (sum(dumped.values()), sum(counts[mode].values())))
    expect(set(counts["events"]) == set(counts["rewrite"]), set(counts["events"]) ^ set(counts["rewrite"]))
    differ = [name for name in counts["events"] if counts["events"][name] != counts["rewrite"][name]]
    expect(sum(counts["events"].values()) > 100000 and len(differ) <= 5, differ)


CASES = [unnamed_threads_keep_their_names, waits_tell_who_has_what, other_agents_are_no_hindrance, the_classes_of_another_agent_are_no_part_of_the_program, allocated_bytes_are_told, whatever_starts_java_is_recorded, what_a_launcher_started_ends_with_the_recording, both_modes_have_every_call, a_call_has_its_caller_where_something_was_thrown, classes_are_chosen,
         pauses_of_the_collector_are_calls, virtual_threads_have_rows, stacks_of_virtual_threads_are_looked_at,
         threads_of_the_machine_are_seen, pauses_at_safepoints_have_a_row, jni_is_used_as_it_should_be, stacks_are_looked_at, lines_of_stacks_are_told, sampled_cpu_time_is_of_what_ran, looks_are_fewer_while_nothing_waits, threads_that_end_have_their_whole_time, threads_that_follow_each_other_have_timers, without_timers_the_stacks_are_those_of_safepoints, a_program_traces_itself,
         each_virtual_machine_writes_a_file_of_its_number, wrong_options_are_told_and_the_program_runs, a_stream_survives_a_kill, without_its_jar_the_agent_uses_events,
         without_asm_the_copy_inside_of_the_machine_does,
         trivial_methods_are_skipped_when_that_is_asked_for, what_cannot_be_recorded_is_told, the_command_adds_the_agent, a_duration_ends_the_recording, a_program_that_runs_is_recorded, a_recorder_that_was_killed_is_in_nobodys_way,
         a_terminal_shows_how_far_it_is,
         programs_that_run_are_listed, how_far_it_is_is_told,
         a_security_manager_is_no_hindrance, what_is_no_virtual_machine_is_left_alone]
# Each takes as long as all cases do.
OTHER_JDKS = ("TRACEVIEW_JDK8", "TRACEVIEW_JDK11")
LONG_CASES = [the_compiler_is_recorded]


def main():
    words = [word for word in sys.argv[1:] if word != "--long"]
    if len(words) != 1:
        sys.exit(__doc__)
    program = os.path.abspath(words[0])
    if not os.path.exists(os.path.join(os.path.dirname(program), "include", "traceview-jvm.jar")):
        print("skipped: recording of Java programs: built without a JDK (openjdk-17-jdk-headless) or without ASM (libasm-java)")
        print("1 passed, 0 failed")
        return
    with tempfile.TemporaryDirectory() as folder:
        world = World(program, folder)
        sys.exit(traces.run(CASES + [older_machines_do_the_same] + (LONG_CASES if "--long" in sys.argv else []), world))


main()
