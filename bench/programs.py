"""Ten programs of others, recorded: whether they do the same, whether the calls are all there, and what it costs.

    python3 bench/programs.py [--work FOLDER] [NAME...]

Prints a table in Markdown, for docs/record.md. Sources of sqlite, zstd, lua and redis are Debian's (apt-get source) and built
with -O2 -finstrument-functions; ant, hsqldb, jython and closure-compiler are Debian's packages. What is missing is said in its
row. Counts of C programs are held against a library that only counts; CPU time by samples is held against perf's where there is one.
"""

import argparse
import glob
import json
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
HOOKS = "-O2 -g -finstrument-functions"
SQL = """create table t(a integer primary key, b text, c integer);
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
  for (int i = 0; i < 3000; i++) { p.setInt(1, i); p.setString(2, "row " + i); p.setInt(3, i % 17); p.execute(); }
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


def source(name, folder):
    """The folder of Debian's source of a package."""
    found = [path for path in glob.glob(os.path.join(folder, name + "-*")) if os.path.isdir(path)]
    if not found:
        sh("printf 'deb-src %s bookworm main\\n' \"$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | "
           "grep -m 1 '/debian/\\?$')\" > list; mkdir -p lists/partial; o=\"-o Dir::Etc::sourcelist=$PWD/list "
           "-o Dir::Etc::sourceparts=- -o Dir::State::lists=$PWD/lists -o APT::Sandbox::User=root\"; "
           "apt-get -q $o update && apt-get -q $o source " + name, folder)
        found = [path for path in glob.glob(os.path.join(folder, name + "-*")) if os.path.isdir(path)]
    if not found:
        raise Missing("no source of " + name)
    return found[0]


def sqlite(work):
    at = source("sqlite3", work)
    if not os.path.exists(os.path.join(at, "sqlite3.c")):
        sh("./configure --disable-tcl --disable-readline && make sqlite3.c shell.c", at)
    sh("cc %s -o sqlite sqlite3.c shell.c -I. -lpthread -lm -ldl" % HOOKS, at)
    write(work, "work.sql", SQL)
    return [os.path.join(at, "sqlite"), "-batch", ":memory:", ".read work.sql"]


def zstd(work):
    at = source("libzstd", work)
    sh("make -C programs zstd MOREFLAGS='%s' HAVE_THREAD=0 HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 BACKTRACE=0 ZSTD_NO_ASM=1 -j2" % HOOKS, at)
    with open(os.path.join(tools.ROOT, "docs", "words.md"), "rb") as file:
        text = file.read()
    with open(os.path.join(work, "work.txt"), "wb") as file:
        file.write((text * 60)[:1_500_000])
    return [os.path.join(at, "programs", "zstd"), "-q", "-9", "-c", "work.txt"]


def lua(work):
    at = source("lua5.4", work)
    write(os.path.join(at, "src"), "lua5.4-deb-multiarch.h", '#define DEB_HOST_MULTIARCH "none"\n')  # what the package's build makes
    sh("cc %s -DLUA_USE_POSIX -o lua $(ls src/*.c | grep -v luac.c) -Isrc -lm" % HOOKS, at)
    write(work, "work.lua", LUA)
    return [os.path.join(at, "lua"), "work.lua"]


def redis(work):
    at = source("redis", work)
    sh("make -C deps hiredis linenoise lua hdr_histogram && make -C src redis-server redis-benchmark redis-cli MALLOC=libc OPTIMIZATION='%s' -j2"
       % HOOKS, at)
    write(work, "work.sh", 'set -e\n%s/src/redis-server --port 0 --unixsocket "$PWD/redis.sock" --save "" --daemonize no >/dev/null &\n'
          'until [ -S redis.sock ]; do sleep 0.1; done\nenv -u LD_PRELOAD -u TRACEVIEW_RECORD %s/src/redis-benchmark -s redis.sock '
          '-q -n 5000 -t set,get >/dev/null\n%s/src/redis-cli -s redis.sock shutdown nosave\nwait\n' % (at, at, at))
    return ["sh", "work.sh"]


def javac(work):
    shutil.copy(os.path.join(tools.ROOT, "bench", "Fib.java"), work)
    return ["javac", "-d", "classes", "Fib.java"]


def need(*paths):
    for path in paths:
        if not os.path.exists(path):
            raise Missing("%s is not installed" % path)


def ant(work):
    need("/usr/bin/ant")
    os.makedirs(os.path.join(work, "in"), exist_ok=True)
    for i in range(40):
        write(os.path.join(work, "in"), "%d.txt" % i, "text %d\n" % i * 200)
    write(work, "build.xml", BUILD)
    return ["sh", "-c", "rm -rf out out.zip; exec ant -q -S"]


def hsqldb(work):
    need("/usr/share/java/hsqldb.jar")
    write(work, "Hsql.java", HSQL)
    sh("javac Hsql.java", work)
    return ["java", "-cp", "/usr/share/java/hsqldb.jar:.", "Hsql"]


def jython(work):
    need("/usr/bin/jython")
    return ["jython", "-c", "print(sum(i * i for i in range(20000)))"]


def closure(work):
    need("/usr/share/java/closure-compiler.jar")
    write(work, "work.js", "function a(b) { return b + 1; }\nalert(a(2));\n")
    return ["java", "-jar", "/usr/share/java/closure-compiler.jar", "--js", "work.js"]


def python(work):
    write(work, "work.py", PYTHON)
    return [sys.executable if sys.executable.startswith("/usr/bin") else "/usr/bin/python3", "work.py"]


PROGRAMS = [("sqlite", sqlite, "a table of 8,000 rows, an index, a join"), ("zstd", zstd, "1.5 MB at level 9"),
            ("lua", lua, "calls, a sort, strings"), ("redis", redis, "5,000 each of `set` and `get`"),
            ("javac", javac, "a small class"), ("ant", ant, "copies and a zip"), ("hsqldb", hsqldb, "3,000 inserts and a group"),
            ("jython", jython, "a sum"), ("closure-compiler", closure, "two lines"), ("python", python, "calls and JSON")]
IN_C = {"sqlite", "zstd", "lua"}


def counted(work, command):
    library = os.path.join(work, "counter.so")
    if not os.path.exists(library):
        write(work, "counter.c", COUNTER)
        sh("cc -O2 -shared -fPIC -o counter.so counter.c", work)
    told = os.path.join(work, "counted")
    run(command, work, env=dict(os.environ, LD_PRELOAD=library, COUNTED=told))
    with open(told, encoding="ascii") as file:
        return int(file.read())


def shares(bench, work, command):
    """Of the functions above 5 % by perf: the greatest difference from traceview's samples, in points."""
    run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "1000", "-o", "perf.data", "--", *command], work)
    samples = len(subprocess.run(["perf", "script", "-i", "perf.data", "-F", "time"], cwd=work, capture_output=True, text=True,
                                 check=False).stdout.splitlines())
    if samples < 1000:
        return "too short, %d samples" % samples
    told = subprocess.run(["perf", "report", "-i", "perf.data", "--stdio", "--no-children", "-F", "overhead,sym", "-g", "none"], cwd=work,
                          capture_output=True, text=True, check=False).stdout
    by_perf = {name: float(share) for share, name in re.findall(r"^ +([\d.]+)% +\[\.\] (\S+)", told, re.M) if float(share) >= 5}
    run([bench.traceview, "record", "--sample", "1ms", "-o", "sampled.trace", "--", *command], work)
    rows = json.loads(subprocess.run([bench.traceview, "top", "sampled.trace", "--json", "-n", "0"], cwd=work, capture_output=True,
                                     check=True).stdout)
    whole = sum(row["exclusive"]["cpu_ns"] for row in rows["methods"]) or 1
    ours = {}
    for row in rows["methods"]:
        name = re.split(r"[.:]", row["name"])[-1].split(" ")[0].split("(")[0]
        ours[name] = ours.get(name, 0) + 100 * row["exclusive"]["cpu_ns"] / whole
    if not by_perf:
        return "perf names none"
    return "%d above 5 %%, at most %.1f points apart" % (
        len(by_perf), max(abs(share - ours.get(name.split(".")[0], 0)) for name, share in by_perf.items()))


def row_of(bench, name, prepare, what, work):
    command = prepare(work)
    plain, cpu = run(command, work)
    trace = os.path.join(work, name + ".trace")
    recorded, with_cpu = run([bench.traceview, "record", "-o", trace, "--", *command], work)
    info = json.loads(subprocess.run([bench.traceview, "info", trace, "--json"], capture_output=True, check=True).stdout)
    same = "the same" if (plain.returncode, plain.stdout) == (recorded.returncode, recorded.stdout) else \
        "the same status" if plain.returncode == recorded.returncode else "status %d for %d" % (recorded.returncode, plain.returncode)
    odd = ", ".join("%s %d" % (finding["kind"], finding["count"]) for finding in info["findings"]) or "nothing odd"
    calls = info["calls"]
    if name in IN_C:
        truth = counted(work, command)
        odd = "equal to the counter's" if truth == calls else "%+d of the counter's %d; %s" % (calls - truth, truth, odd)
    cpu_right = ""
    if name in IN_C and shutil.which("perf"):
        cpu_right = shares(bench, work, command)
    os.unlink(trace)
    return "| %s | %s | %s | %s | %s | %s | %.1f |" % (name, what, "{:,}".format(calls), same, odd, cpu_right, with_cpu / max(cpu, 0.001))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--work", default=os.path.join(tools.RELEASE, "bench", "programs"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    bench = tools.Bench()
    print("%s, load %.0f\n" % (time.strftime("%Y-%m-%d"), os.getloadavg()[0]))
    print("| program | what it did | calls | exit status and output | counts | CPU by samples, against perf | cost |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, prepare, what in PROGRAMS:
        if options.names and name not in options.names:
            continue
        try:
            print(row_of(bench, name, prepare, what, os.path.abspath(options.work)), flush=True)
        except (Missing, OSError, subprocess.SubprocessError, KeyError, ValueError) as missing:
            print("| %s | %s | not run: %s | | | | |" % (name, what, str(missing).replace("|", "/")[:200]), flush=True)


if __name__ == "__main__":
    main()
