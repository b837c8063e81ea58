"""Ten programs of others, recorded: whether they do the same, whether the calls are all there, whose the CPU time is, and what it costs.

    python3 bench/programs.py [--work FOLDER] [--samples] [NAME...]

Prints a table in Markdown, for docs/record.md. Sources of sqlite, zstd, lua and redis are Debian's (apt-get source) and built
with -O2 -finstrument-functions; ant, hsqldb and jython are Debian's packages, closure-compiler is npm's. What is missing is said
in its row.

Counts of C programs are held against a library that only counts, those of Python against its own cProfile. CPU time by samples
is held against perf's in C, and against the JDK's Flight Recorder in Java, both at once in the same process, which does some
hundred times the work.
"""

import argparse
import collections
import glob
import json
import math
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

import tools

# Counts enters, and tells them when the process ends.
COUNTER = """
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#define OUT __attribute__((no_instrument_function))
static atomic_ullong calls;
OUT void __cyg_profile_func_enter(void *f, void *c) { (void)f; (void)c; atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed); }
OUT void __cyg_profile_func_exit(void *f, void *c) { (void)f; (void)c; }
OUT __attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("COUNTED");
    FILE *out = path ? fopen(path, "w") : 0;
    if (out) { fprintf(out, "%llu\\n", (unsigned long long)calls); fclose(out); }
}
"""
HOOKS = "-O2 -g -finstrument-functions"  # recorded and counted
AS_IT_IS = "-O2 -g"  # looked at by samples
SQL = """drop table if exists t; create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i+1 from n where i<8000) insert into t select i, 'row '||i, i*7919%1000 from n;
create index ic on t(c); select count(*), sum(x.a) from t x join t y on x.c = y.c where x.a < 400;
"""
LUA = """local function f(n) return n < 2 and n or f(n-1) + f(n-2) end
local t = {} for i = 1, 20000 do t[i] = (i * 7919) % 20011 end table.sort(t)
print(f(22), t[1], #table.concat(t, ","), ("x"):rep(100):gsub("x", "yy"))
"""
BUILD = """<project default="all"><target name="all"><mkdir dir="out"/><copy todir="out"><fileset dir="in"/></copy>
<zip destfile="out.zip" basedir="out"/></target></project>
"""
HSQL = """import java.sql.*;
public class Hsql { public static void main(String[] a) throws Exception {
  Connection c = DriverManager.getConnection("jdbc:hsqldb:mem:x", "SA", ""); Statement s = c.createStatement();
  s.execute("create table t(a integer primary key, b varchar(20), c integer)");
  PreparedStatement p = c.prepareStatement("insert into t values(?,?,?)");
  for (int i = 0; i < 3000 * Integer.parseInt(a[0]); i++) { p.setInt(1, i); p.setString(2, "row " + i); p.setInt(3, i % 17); p.execute(); }
  ResultSet r = s.executeQuery("select c, count(*), sum(a) from t group by c order by c");
  while (r.next()) System.out.println(r.getInt(1) + " " + r.getInt(2) + " " + r.getLong(3)); } }
"""
PYTHON = """import json
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(20), len(json.dumps([{"a": i, "b": str(i)} for i in range(20000)])))
"""


class Missing(Exception):
    """What a program lacks, in words."""


def run(command, cwd, **more):
    """Status, standard output, and CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=900, **more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sh(line, cwd):
    done = subprocess.run(["sh", "-c", line], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing("%s: %s" % (line.split()[0], next((row for row in done.stderr.splitlines() if "error" in row.lower()), "failed")))
    return done.stdout


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def unpacked(name, folder):
    return next(filter(os.path.isdir, glob.glob(os.path.join(folder, name + "-*"))), None)


def source(name, folder, flags):
    """A folder of Debian's source of a package, of its own for each flags that it is compiled with."""
    if not unpacked(name, folder):
        sh("printf 'deb-src %s bookworm main\\n' \"$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | "
           "grep -m 1 '/debian/\\?$')\" > list; mkdir -p lists/partial; o=\"-o Dir::Etc::sourcelist=$PWD/list "
           "-o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/lists -o APT::Sandbox::User=root\"; "
           "apt-get -q $o update && apt-get -q $o source " + name, folder)
    found = unpacked(name, folder)
    if not found:
        raise Missing("no source of " + name)
    mine = os.path.join(folder, "hooks" if flags == HOOKS else "plain", os.path.basename(found))
    if not os.path.exists(mine):
        shutil.copytree(found, mine, symlinks=True)
    return mine


def sqlite(work, times=1, flags=HOOKS):
    at = source("sqlite3", work, flags)
    if not os.path.exists(os.path.join(at, "sqlite3.c")):
        sh("./configure --disable-tcl --disable-readline && make sqlite3.c shell.c", at)
    sh("cc %s -o sqlite sqlite3.c shell.c -I. -lpthread -lm -ldl" % flags, at)
    write(work, "work.sql", SQL * times)
    return [os.path.join(at, "sqlite"), "-batch", ":memory:", ".read work.sql"]


def zstd(work, times=1, flags=HOOKS):
    at = source("libzstd", work, flags)
    sh("make -C programs zstd MOREFLAGS='%s' HAVE_THREAD=0 HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 BACKTRACE=0 ZSTD_NO_ASM=1 -j2" % flags, at)
    with open(os.path.join(tools.ROOT, "docs", "words.md"), "rb") as file:
        text = file.read()
    with open(os.path.join(work, "work.txt"), "wb") as file:
        file.write((text * 60)[:1_500_000])
    return [os.path.join(at, "programs", "zstd"), "-q", "-9", "-c"] + ["work.txt"] * times


def lua(work, times=1, flags=HOOKS):
    at = source("lua5.4", work, flags)
    write(os.path.join(at, "src"), "lua5.4-deb-multiarch.h", '#define DEB_HOST_MULTIARCH "none"\n')  # what the package's build makes
    sh("cc %s -DLUA_USE_POSIX -o lua $(ls src/*.c | grep -v luac.c) -Isrc -lm" % flags, at)
    write(work, "work.lua", "for i = 1, %d do\n%send\n" % (times, LUA))
    return [os.path.join(at, "lua"), "work.lua"]


def redis(work, times=1, flags=HOOKS):
    at = source("redis", work, flags)
    sh("make -C deps hiredis linenoise lua hdr_histogram && make -C src redis-server redis-benchmark redis-cli MALLOC=libc OPTIMIZATION='%s' -j2"
       % flags, at)
    # The shell becomes the server, so that a sampler of one process looks at it; the client is not recorded.
    write(work, "work.sh", '(unset LD_PRELOAD TRACEVIEW_RECORD; until [ -S redis.sock ]; do sleep 0.1; done; %s/src/redis-benchmark '
          '-s redis.sock -q -n %d -t set,get; %s/src/redis-cli -s redis.sock shutdown nosave) >/dev/null 2>&1 &\n'
          'exec %s/src/redis-server --port 0 --unixsocket "$PWD/redis.sock" --save "" --daemonize no >/dev/null\n'
          % (at, 5000 * times, at, at))
    return ["sh", "work.sh"]


def javac(work, times=1):
    with open(os.path.join(tools.ROOT, "bench", "Fib.java"), encoding="utf-8") as file:
        text = file.read()
    for i in range(times):
        write(work, "Fib%d.java" % i, re.sub(r"\bFib\b", "Fib%d" % i, text))
    return ["javac", "-d", "classes"] + ["Fib%d.java" % i for i in range(times)]


def need(*paths):
    for path in paths:
        if not os.path.exists(path):
            raise Missing("%s is not installed" % path)


def ant(work, times=1):
    need("/usr/bin/ant")
    shutil.rmtree(os.path.join(work, "in"), ignore_errors=True)
    os.makedirs(os.path.join(work, "in"))
    for i in range(40 * times):
        write(os.path.join(work, "in"), "%d.txt" % i, "text %d\n" % i * 200)
    write(work, "build.xml", BUILD)
    return ["sh", "-c", "rm -rf out out.zip; exec ant -q -S"]


def hsqldb(work, times=1):
    need("/usr/share/java/hsqldb.jar")
    write(work, "Hsql.java", HSQL)
    sh("javac Hsql.java", work)
    return ["java", "-cp", "/usr/share/java/hsqldb.jar:.", "Hsql", str(times)]


def jython(work, times=1):
    need("/usr/bin/jython")
    return ["jython", "-c", "print(sum(i * i for i in range(%d)))" % (20000 * times)]


def closure(work, times=1):
    sh("[ -e package/package.json ] || tar xzf \"$(npm pack --silent google-closure-compiler-java@20240317.0.0)\"", work)
    write(work, "work.js", "".join("function a%d(b) { return b + 1; }\nalert(a%d(2));\n" % (i, i) for i in range(times)))
    return ["java", "-jar", "package/compiler.jar", "--js", "work.js"]


def python(work):
    write(work, "work.py", PYTHON)
    return [sys.executable if sys.executable.startswith("/usr/bin") else "/usr/bin/python3", "work.py"]


JFR = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0"><event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">2 ms</setting>
</event></configuration>
"""
FEW = 300  # samples; the error of a share of 10 % among them is 1.7 points


def rows_of(bench, work, trace):
    told = subprocess.run([bench.traceview, "top", trace, "--json", "-n", "0"], cwd=work, capture_output=True, check=True).stdout
    return json.loads(told)["methods"]


def own(row):
    """Whether it is a row of the recorder itself, as its writing of blocks: no call of the program."""
    return row["class"] == "traceview"


def recorded(bench, *options):
    """The words that sample a program, whose words follow."""
    return [bench.traceview, "record", "--sample", "1ms", *options, "-o", "sampled.trace", "--"]


def sampled(bench, work, key):
    """{function: CPU time} of all that `key` names, of the samples that were recorded last."""
    spent = collections.Counter()
    for row in rows_of(bench, work, "sampled.trace"):
        name = key(row)
        if name:
            spent[name] += row["exclusive"]["cpu_ns"]
    os.unlink(os.path.join(work, "sampled.trace"))
    return spent


def in_percent(shares):
    """{function: share}, of times or of counts of samples."""
    whole = sum(shares.values()) or 1
    return {name: 100 * share / whole for name, share in shares.items()}


def large_ones(samples):
    """{function: share}, of those above 5 %."""
    return {name: share for name, share in in_percent(samples).items() if share >= 5}


def apart(samples, spent, part=1.0):
    """What is told of two measures of the same functions: those that are large by either. Its margin is that of two standard errors,
    by the other tool's samples alone. `part`: how much of what the other tool looks at the functions of `spent` have."""
    count, theirs = sum(samples.values()), in_percent(samples)
    ours = {name: part * share for name, share in in_percent(spent).items()}
    large = {name for shares in (ours, theirs) for name, share in shares.items() if share >= 5}
    if count < FEW:
        return "too short, %d samples" % count
    if not large:
        return "none above 5 %%, at most %.1f; %d samples" % (max(ours.values(), default=0), count)
    worst = max(large, key=lambda name: abs(theirs.get(name, 0) - ours.get(name, 0)))
    share = theirs.get(worst, 0)
    return "%d above 5 %%, at most %.1f points apart (`%s`: %.1f for %.1f, give or take %.1f); %d samples" % (
        len(large), abs(share - ours.get(worst, 0)), worst, ours.get(worst, 0), share, 2 * math.sqrt(share * (100 - share) / count), count)


def name_in_c(name):
    """The name of a function of several names: the C library's have some for the same code."""
    name = re.sub(r"^_+(GI_+)?(libc_)?", "", name.split("(")[0].split(".")[0].split("@")[0])
    return "memmove" if re.match("mem(cpy|move)_", name) else name


def beside_perf(bench, work, prepare, times):
    """Of all of the process's CPU time, in one run: a run of its own meets another load, and a server then waits differently. What the
    kernel does is its caller's, as it is here. The intervals of both are no multiples of each other: else perf would always look
    at the same distance behind the stop by the other's timer. Of redis, the client is a process beside it, which is left out by both."""
    command = prepare(work, times, AS_IT_IS)
    if not shutil.which("perf"):
        return "perf is not installed"
    run(["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", "1370", "-o", "perf.data", "--", *recorded(bench, "--alone"), *command], work)
    program = os.path.basename(command[0]) if command[0] != "sh" else "redis-server"
    told = sh("perf script -i perf.data --comm %s -F ip,sym,dso 2>/dev/null" % shlex.quote(program[:15]), work)
    os.unlink(os.path.join(work, "perf.data"))
    samples = collections.Counter()
    for sample in told.split("\n\n"):
        frames = re.findall(r"^\s*[0-9a-f]+ (\S+) \((\S+)\)", sample, re.M)
        if frames:
            samples[next((name_in_c(name) for name, file in frames if "kernel" not in file and file != "[unknown]"), "(kernel alone)")] += 1
    return apart(samples, sampled(bench, work, lambda row: name_in_c(row["name"])))


def method_of(name):
    """A method without the package of its class."""
    return ".".join(name.split(".")[-2:])


def beside_both(bench, work, command):
    """{method: samples of JFR} and {method: CPU time}, of one virtual machine: the compiler inlines differently in each run."""
    sh("rm -rf jfr; mkdir jfr", work)
    write(work, "samples.jfc", JFR)
    jfr = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:StartFlightRecording=filename=%s/jfr/,settings=%s/samples.jfc" % (
        work, work)
    options = ["--boot"] + (["--children"] if command[0] in ("sh", "jython") else [])  # scripts that start java
    run(recorded(bench, *options) + command, work, env=dict(os.environ, JDK_JAVA_OPTIONS="", JAVA_TOOL_OPTIONS=jfr))
    samples = collections.Counter()
    for path in glob.glob(os.path.join(work, "jfr", "*.jfr")):
        told = sh("jfr print --stack-depth 1 --events jdk.ExecutionSample %s" % shlex.quote(path), work)
        samples.update(method_of(top.strip()) for top in re.findall(r"stackTrace = \[\s*([^\n(]+)\(", told))
    return samples, sampled(bench, work, lambda row: row["class"] and method_of("%s.%s" % (row["class"], row["name"])))


def beside_jfr(bench, work, prepare, times):
    """Of methods that Flight Recorder has found running, since it looks at threads in Java's own code alone: what classes took
    to be loaded, native methods, and its own start are no part of its shares. Where thousands of methods have a little each, many are
    those that it would have found had it gone on: their part is that of its samples of methods that it found once (Good and Turing)."""
    command = prepare(work, times)
    runs = [beside_both(bench, work, command) for _ in range(2)]
    both, ours = runs[0][0] + runs[1][0], runs[0][1] + runs[1][1]
    shares = [in_percent(samples) for samples, _ in runs]
    itself = max((abs(shares[0].get(name, 0) - shares[1].get(name, 0)) for name in large_ones(both)), default=0)
    known = collections.Counter({name: spent for name, spent in ours.items() if both[name]})
    found = 1 - sum(count == 1 for count in both.values()) / max(1, sum(both.values()))
    return "%s of JFR, whose two runs are up to %.1f apart; it found %.0f %% of our CPU time, and methods with some %.0f %% of its own" % (
        apart(both, known, found), itself, 100 * sum(known.values()) / max(1, sum(ours.values())), 100 * found)


def calls_of(rows):
    return sum(row["calls"] + row["recursive_calls"] for row in rows)


def as_odd(odd, *_):
    """Where nothing else counts the calls: what was odd in the trace."""
    return "not compared; " + odd


def beside_counter(odd, work, command, rows):
    """By a library that only counts."""
    library, told = os.path.join(work, "counter.so"), os.path.join(work, "counted")
    if not os.path.exists(library):
        write(work, "counter.c", COUNTER)
        sh("cc -O2 -shared -fPIC -o counter.so counter.c", work)
    run(command, work, env=dict(os.environ, LD_PRELOAD=library, COUNTED=told))
    with open(told, encoding="ascii") as file:
        truth = int(file.read())
    more = calls_of(rows) - truth
    return "%+d of the counter's %d; %s" % (more, truth, odd) if more else "equal to the counter's"


def beside_cprofile(_, work, command, rows):
    """Calls of the functions of the program and of json, by the profiler of Python itself."""
    sh("%s -m cProfile -o cprofile %s" % (command[0], command[1]), work)
    told = sh("%s -c 'import pstats; print(sum(row[1] for key, row in pstats.Stats(\"cprofile\").stats.items() "
              "if \"work.py\" in key[0] or \"/json/\" in key[0]))'" % command[0], work)
    of_these = calls_of(row for row in rows if re.match(r"(__main__|json)\b", row["class"]))
    return "%d of the program and of json, cProfile has %d" % (of_these, int(told))


# How a program is made, what it does, and beside what its counts stand; what its CPU time by samples stands beside, and how many
# times the work takes some seconds of it.
PROGRAMS = {
    "sqlite": (sqlite, "a table of 8,000 rows, an index, a join", beside_counter, beside_perf, 600),
    "zstd": (zstd, "1.5 MB at level 9", beside_counter, beside_perf, 4000),
    "lua": (lua, "calls, a sort, strings", beside_counter, beside_perf, 80),
    "redis": (redis, "5,000 each of `set` and `get`", as_odd, beside_perf, 200),
    "javac": (javac, "a small class", as_odd, beside_jfr, 1000),
    "ant": (ant, "copies and a zip", as_odd, beside_jfr, 600),
    "hsqldb": (hsqldb, "3,000 inserts and a group", as_odd, beside_jfr, 1000),
    "jython": (jython, "a sum", as_odd, beside_jfr, 500),
    "closure-compiler": (closure, "two lines", as_odd, beside_jfr, 1500),
    "python": (python, "calls and JSON", beside_cprofile, None, 0),
}


def row_of(bench, name, work):
    prepare, what, beside_counts, beside_samples, times = PROGRAMS[name]
    command = prepare(work)
    alone, cpu = run(command, work)
    trace = os.path.join(work, name + ".trace")
    recorded, with_cpu = run([bench.traceview, "record", "-o", trace, "--", *command], work)
    info = json.loads(subprocess.run([bench.traceview, "info", trace, "--json"], capture_output=True, check=True).stdout)
    same = "the same" if (alone.returncode, alone.stdout) == (recorded.returncode, recorded.stdout) else \
        "the same status" if alone.returncode == recorded.returncode else "status %d for %d" % (recorded.returncode, alone.returncode)
    rows = [row for row in rows_of(bench, work, trace) if not own(row)]
    odd = ", ".join("%s %d" % (finding["kind"], finding["count"]) for finding in info["findings"]) or "nothing odd"
    counts = beside_counts(odd, work, command, rows)
    os.unlink(trace)
    samples = beside_samples(bench, work, prepare, times) if beside_samples else "not compared"
    return "| %s | %s | %s | %s | %s | %s | %.1f |" % (
        name, what, "{:,}".format(calls_of(rows)), same, counts, samples, with_cpu / max(cpu, 0.001))


def samples_of(bench, name, work):
    prepare, _, _, beside_samples, times = PROGRAMS[name]
    return "| %s | %s |" % (name, beside_samples(bench, work, prepare, times) if beside_samples else "not compared")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", default=os.path.join(tools.RELEASE, "bench", "programs"))
    parser.add_argument("--samples", action="store_true", help="nothing but whose the CPU time is by samples")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    bench = tools.Bench()
    print("%s, load %.0f\n" % (time.strftime("%Y-%m-%d"), os.getloadavg()[0]))
    heads = ["program", "CPU by samples, against perf or JFR"] if options.samples else [
        "program", "what it did", "calls", "exit status and output", "counts", "CPU by samples, against perf or JFR", "cost"]
    print("| %s |\n|%s" % (" | ".join(heads), " --- |" * len(heads)))
    for name, (_, what, *_) in PROGRAMS.items():
        if options.names and name not in options.names:
            continue
        try:
            print((samples_of if options.samples else row_of)(bench, name, os.path.abspath(options.work)), flush=True)
        except (Missing, OSError, subprocess.SubprocessError, KeyError, ValueError) as missing:
            print("| %s | %s | not run: %s | | | | |" % (name, what, str(missing).replace("|", "/")[:200]), flush=True)


if __name__ == "__main__":
    main()
