"""Ten programs of others, recorded: whether they do the same, whether the calls are all there, whose the CPU time is, and what it costs.

    python3 bench/programs.py [--work FOLDER] [NAME...]

Prints a table in Markdown, for docs/record.md. Sources of sqlite, zstd, lua and redis are Debian's (apt-get source) and built
with -O2 -finstrument-functions; ant, hsqldb and jython are Debian's packages, closure-compiler is npm's. What is missing is said
in its row.

Counts of C programs are held against a library that only counts, those of Python against its own cProfile. CPU time by samples
is held against perf's in C, and against the JDK's Flight Recorder in Java: each runs the program again and again until it does
some hundred times the work.
"""

import argparse
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


def source(name, folder, flags):
    """A folder of Debian's source of a package, of its own for each flags that it is compiled with."""
    found = [path for path in glob.glob(os.path.join(folder, name + "-*")) if os.path.isdir(path)]
    if not found:
        sh("printf 'deb-src %s bookworm main\\n' \"$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | "
           "grep -m 1 '/debian/\\?$')\" > list; mkdir -p lists/partial; o=\"-o Dir::Etc::sourcelist=$PWD/list "
           "-o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/lists -o APT::Sandbox::User=root\"; "
           "apt-get -q $o update && apt-get -q $o source " + name, folder)
        found = [path for path in glob.glob(os.path.join(folder, name + "-*")) if os.path.isdir(path)]
    if not found:
        raise Missing("no source of " + name)
    mine = os.path.join(folder, "hooks" if flags == HOOKS else "plain", os.path.basename(found[0]))
    if not os.path.exists(mine):
        shutil.copytree(found[0], mine, symlinks=True)
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


def python(work, times=1):
    del times
    write(work, "work.py", PYTHON)
    return [sys.executable if sys.executable.startswith("/usr/bin") else "/usr/bin/python3", "work.py"]


# Name, how it is made, what it does, and how many times the work takes some seconds of CPU time.
PROGRAMS = [("sqlite", sqlite, "a table of 8,000 rows, an index, a join", 600), ("zstd", zstd, "1.5 MB at level 9", 4000),
            ("lua", lua, "calls, a sort, strings", 80), ("redis", redis, "5,000 each of `set` and `get`", 200),
            ("javac", javac, "a small class", 1000), ("ant", ant, "copies and a zip", 600), ("hsqldb", hsqldb, "3,000 inserts and a group", 1000),
            ("jython", jython, "a sum", 500), ("closure-compiler", closure, "two lines", 1500), ("python", python, "calls and JSON", 1)]
IN_C = {"sqlite", "zstd", "lua", "redis"}
IN_JAVA = {"javac", "ant", "hsqldb", "jython", "closure-compiler"}
JFR = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0"><event name="jdk.ExecutionSample"><setting name="enabled">true</setting><setting name="period">2 ms</setting>
</event></configuration>
"""
FEW = 300  # samples; the error of a share of 10 % among them is 1.7 points


def counted(work, command):
    library = os.path.join(work, "counter.so")
    if not os.path.exists(library):
        write(work, "counter.c", COUNTER)
        sh("cc -O2 -shared -fPIC -o counter.so counter.c", work)
    told = os.path.join(work, "counted")
    run(command, work, env=dict(os.environ, LD_PRELOAD=library, COUNTED=told))
    with open(told, encoding="ascii") as file:
        return int(file.read())


def rows_of(bench, work, trace):
    told = subprocess.run([bench.traceview, "top", trace, "--json", "-n", "0"], cwd=work, capture_output=True, check=True).stdout
    return json.loads(told)["methods"]


def own(row):
    """Whether it is a row of the recorder itself, as its writing of blocks: no call of the program."""
    return row["class"] == "traceview"


def sampled(bench, work, command, key, *options):
    """{function: share of the CPU time of all that `key` names}, by samples."""
    run([bench.traceview, "record", "--sample", "1ms", *options, "-o", "sampled.trace", "--", *command], work)
    shares = {}
    for row in rows_of(bench, work, "sampled.trace"):
        name = key(row)
        if name:
            shares[name] = shares.get(name, 0) + row["exclusive"]["cpu_ns"]
    os.unlink(os.path.join(work, "sampled.trace"))
    return in_percent(shares)


def in_percent(shares):
    whole = sum(shares.values()) or 1
    return {name: 100 * share / whole for name, share in shares.items()}


def apart(theirs, ours, count):
    """What is told of two measures of the same functions: those above 5 % by `theirs`."""
    if count < FEW:
        return "too short, %d samples" % count
    large = {name: share for name, share in theirs.items() if share >= 5}
    if not large:
        return "none of theirs above 5 %%, of ours at most %.1f; %d samples" % (max(ours.values(), default=0), count)
    worst = max(large, key=lambda name: abs(large[name] - ours.get(name, 0)))
    return "%d above 5 %%, at most %.1f points apart (`%s`: %.1f for %.1f); %d samples" % (
        len(large), abs(large[worst] - ours.get(worst, 0)), worst, ours.get(worst, 0), large[worst], count)


def plain(name):
    """The name of a function of several names: the C library's have some for the same code."""
    name = re.sub(r"^_+(GI_+)?(libc_)?", "", name.split("(")[0].split(".")[0].split("@")[0])
    return "memmove" if re.match("mem(cpy|move)_", name) else name


def beside_perf(bench, work, command):
    """Of all of the process's CPU time. What the kernel does is its caller's, as it is here."""
    if not shutil.which("perf"):
        return "perf is not installed"
    run(["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", "1000", "-o", "perf.data", "--", *command], work)
    program = os.path.basename(command[0]) if command[0] != "sh" else "redis-server"
    told = sh("perf script -i perf.data --comm %s -F ip,sym,dso 2>/dev/null" % shlex.quote(program[:15]), work)
    os.unlink(os.path.join(work, "perf.data"))
    counts = {}
    for sample in told.split("\n\n"):
        frames = re.findall(r"^\s*[0-9a-f]+ (\S+) \((\S+)\)", sample, re.M)
        name = next((plain(name) for name, file in frames if "kernel" not in file and file != "[unknown]"), "(kernel alone)")
        counts[name] = counts.get(name, 0) + bool(frames)
    return apart(in_percent(counts), sampled(bench, work, command, lambda row: plain(row["name"])), sum(counts.values()))


def by_jfr(work, command, method):
    """{method: samples}"""
    sh("rm -rf jfr; mkdir jfr", work)
    write(work, "samples.jfc", JFR)
    options = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -XX:StartFlightRecording=filename=%s/jfr/,settings=%s/samples.jfc" % (
        work, work)
    run(command, work, env=dict(os.environ, JDK_JAVA_OPTIONS="", JAVA_TOOL_OPTIONS=options))
    counts = {}
    for path in glob.glob(os.path.join(work, "jfr", "*.jfr")):
        told = sh("jfr print --stack-depth 1 --events jdk.ExecutionSample %s" % shlex.quote(path), work)
        for top in re.findall(r"stackTrace = \[\s*([^\n(]+)\(", told):
            name = method(top.strip())
            counts[name] = counts.get(name, 0) + 1
    return counts


def beside_jfr(bench, work, command):
    """Of methods that are Java's own code alone: Flight Recorder looks at threads that run in it, and at no others."""
    def method(name):
        return ".".join(name.split(".")[-2:])
    runs = [by_jfr(work, command, method) for _ in range(2)]
    counts = {name: sum(run.get(name, 0) for run in runs) for run in runs for name in run}
    shares = [in_percent(run) for run in runs]
    itself = max((abs(shares[0].get(name, 0) - shares[1].get(name, 0)) for name, share in in_percent(counts).items() if share >= 5), default=0)
    options = ["--boot"] + (["--children"] if command[0] in ("sh", "jython") else [])  # scripts that start java
    ours = sampled(bench, work, command, lambda row: row["class"] and method("%s.%s" % (row["class"], row["name"])), *options)
    return "%s of JFR, whose two runs are up to %.1f apart" % (apart(in_percent(counts), ours, sum(counts.values())), itself)


def counts_of_python(work, command):
    """Calls of the functions of the program and of json, by the profiler of Python itself."""
    sh("%s -m cProfile -o cprofile %s" % (command[0], command[1]), work)
    told = sh("%s -c 'import pstats; print(sum(row[1] for key, row in pstats.Stats(\"cprofile\").stats.items() "
              "if \"work.py\" in key[0] or \"/json/\" in key[0]))'" % command[0], work)
    return int(told)


def counts(work, name, command, rows, findings):
    calls = sum(row["calls"] + row["recursive_calls"] for row in rows if not own(row))
    odd = ", ".join("%s %d" % (finding["kind"], finding["count"]) for finding in findings) or "nothing odd"
    if name in IN_C and name != "redis":
        truth = counted(work, command)
    elif name == "python":
        of_these = sum(row["calls"] + row["recursive_calls"] for row in rows if re.match(r"(__main__|json)\b", row["class"]))
        truth = counts_of_python(work, command)
        return calls, "%d of the program and of json, cProfile has %d" % (of_these, truth)
    else:
        return calls, "not compared; " + odd
    return calls, "equal to the counter's" if truth == calls else "%+d of the counter's %d; %s" % (calls - truth, truth, odd)


def row_of(bench, name, prepare, what, times, work):
    command = prepare(work)
    plain, cpu = run(command, work)
    trace = os.path.join(work, name + ".trace")
    recorded, with_cpu = run([bench.traceview, "record", "-o", trace, "--", *command], work)
    info = json.loads(subprocess.run([bench.traceview, "info", trace, "--json"], capture_output=True, check=True).stdout)
    same = "the same" if (plain.returncode, plain.stdout) == (recorded.returncode, recorded.stdout) else \
        "the same status" if plain.returncode == recorded.returncode else "status %d for %d" % (recorded.returncode, plain.returncode)
    calls, told = counts(work, name, command, rows_of(bench, work, trace), info["findings"])
    os.unlink(trace)
    cpu_right = "not compared"
    if name in IN_C:
        cpu_right = beside_perf(bench, work, prepare(work, times, AS_IT_IS))
    elif name in IN_JAVA:
        cpu_right = beside_jfr(bench, work, prepare(work, times))
    return "| %s | %s | %s | %s | %s | %s | %.1f |" % (name, what, "{:,}".format(calls), same, told, cpu_right, with_cpu / max(cpu, 0.001))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", default=os.path.join(tools.RELEASE, "bench", "programs"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    bench = tools.Bench()
    print("%s, load %.0f\n" % (time.strftime("%Y-%m-%d"), os.getloadavg()[0]))
    print("| program | what it did | calls | exit status and output | counts | CPU by samples, against perf or JFR | cost |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, prepare, what, times in PROGRAMS:
        if options.names and name not in options.names:
            continue
        try:
            print(row_of(bench, name, prepare, what, times, os.path.abspath(options.work)), flush=True)
        except (Missing, OSError, subprocess.SubprocessError, KeyError, ValueError) as missing:
            print("| %s | %s | not run: %s | | | | |" % (name, what, str(missing).replace("|", "/")[:200]), flush=True)


if __name__ == "__main__":
    main()
