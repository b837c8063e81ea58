#!/usr/bin/env python3
"""How long questions over all traces take: fleet.py PROGRAM [TRACES [METHODS [BUILDS]]] [--clickhouse URL]

Makes a store of so many traces (10,000) of one app in so many builds (20), with rows of so many methods each (2,000), and
asks a site over it: each question five times, the median, and the longest. The traces themselves are not there: questions
over all traces ask rows alone. Rows are made by a dice with a seed; a method of two hundred takes another time in the
last build, and one of a thousand has other calls. Needs 50 bytes of disk for each row, in $TMPDIR.

With --clickhouse the rows are made in that ClickHouse, in the database `bench_rows_2`, by itself; it is dropped at the end. `debian`
and `chdb` in place of a URL start Debian's, or ClickHouse of today as tests have it, with what it keeps in $TMPDIR; the processor's time
that it takes is told, too. 100,000 traces of 2,000 methods take 6 GB there, and half an hour to make:

    fleet.py build/release/traceview 100000 --clickhouse debian
"""

import hashlib
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "tests", part) for part in ("site", "support")]

# pylint: disable=wrong-import-position
import over_clickhouse
import sited_fleet
from running import Site, cpu_of

DEVICES = ("Pixel 6", "Pixel 8", "Galaxy S23", "Moto G")
TIMES = 5


def columns(db, table):
    return [row[1] for row in db.execute("PRAGMA table_info(%s)" % table)]


def insert(db, table, rows, names):
    db.executemany("INSERT INTO %s(%s) VALUES(%s)" % (table, ", ".join(names), ", ".join("?" * len(names))), rows)


def fill_store(store, traces, builds):
    """What the store knows of the traces; one trace that was uploaded is the example of each."""
    db = sqlite3.connect(os.path.join(store, "store.sqlite"))
    names = columns(db, "traces")
    like = dict(zip(names, db.execute("SELECT * FROM traces").fetchone()))
    ids = ["%032x" % (at + 1) for at in range(traces)]
    raws = ["%064x" % (at + 1) for at in range(traces)]
    insert(db, "files", ((raw, 1, like["created"]) for raw in raws), ("name", "bytes", "claimed"))
    insert(db, "traces", ([dict(like, id=ids[at], raw=raws[at], created=like["created"] - traces + at)[name] for name in names]
                          for at in range(traces)), names)
    labels = lambda at: (("app", "shop"), ("build", str(400 + at * builds // traces)), ("device", DEVICES[at % len(DEVICES)]))
    insert(db, "labels", ((ids[at], key, value) for at in range(traces) for key, value in labels(at)), ("trace", "key", "value"))
    insert(db, "figures", ((raw, 10**9, 9, 10**7, 5 * 10**8) for raw in raws),
           ("raw", "duration_ns", "threads", "worst_frame_ns", "startup_ns"))
    db.commit()
    db.close()
    return raws


def fill_rows(store, raws, methods, builds):
    dice = random.Random(37)
    db = sqlite3.connect(os.path.join(store, "rows.sqlite"))
    db.execute("PRAGMA synchronous=OFF")
    usual = [(1 + int(dice.paretovariate(0.7)) % 5000, int(2e6 * dice.paretovariate(0.9)) % 10**9) for _ in range(methods)]
    insert(db, "methods", ((at + 10**6, "com.example.shop.part%d.Class%d" % (at % 40, at), "method%d" % at, "(I)V", len(raws))
                           for at in range(methods)), ("id", "class", "name", "signature", "runs"))
    insert(db, "runs", ((at + 10**6, raw, "", "0" * 64, 10**6, 10**10, 10**10, 0, 0, 0, "arm", "") for at, raw in enumerate(raws)),
           ("id", "raw", "trace", "file", "calls", "wall_ns", "cpu_ns", "lacks_wall", "lacks_cpu", "has_idle_cpu", "processor", "no_counts"))
    names = columns(db, "method_rows")
    for at in range(len(raws)):
        is_last = at * builds // len(raws) == builds - 1
        machine = dice.lognormvariate(0, 0.05)
        rows = []
        for method, (calls, length) in enumerate(usual):
            ns = int(length * machine * (0.95 + 0.1 * dice.random()) * (1.5 if is_last and method % 200 == 0 else 1))
            made = calls + (3 if is_last and method % 1000 == 1 else 0)
            rows.append((at + 10**6, method + 10**6, method % 5 and 4, made, 0, 2 * ns, ns, ns + ns // 2, ns // 2, ns // made, 1000))
        insert(db, "method_rows", rows, names)
        if at % 500 == 499:
            db.commit()
    db.commit()
    db.close()


def tell(url, statement, database="bench_rows_2"):
    address = "%s/?%s" % (url, urllib.parse.urlencode({"database": database}))
    with urllib.request.urlopen(urllib.request.Request(address, statement.encode())) as answer:
        return answer.read().decode()


def id_of(parts):
    """Of a method, as the program makes it (fleet/rows_remote.c)."""
    key = b"".join(len(part).to_bytes(4, "little") + part.encode() for part in parts)
    return int.from_bytes(hashlib.sha256(key).digest()[:8], "little") >> 1


# How many runs one INSERT has: ClickHouse sorts it in memory.
RUNS_AT_ONCE = 1000


def fill_clickhouse(url, raws, methods, builds):
    """The same kinds of numbers, by ClickHouse's own dice."""
    dice = random.Random(37)
    usual = [(1 + int(dice.paretovariate(0.7)) % 5000, int(2e6 * dice.paretovariate(0.9)) % 10**9) for _ in range(methods)]
    tell(url, "CREATE TABLE usual(method Int64, calls Int64, length Int64, id Int64) ENGINE = Memory")
    names = [("com.example.shop.part%d.Class%d" % (at % 40, at), "method%d" % at, "(I)V") for at in range(methods)]
    tell(url, "INSERT INTO usual VALUES " + ",".join("(%d,%d,%d,%d)" % (at, *one, id_of(names[at])) for at, one in enumerate(usual)))
    tell(url, "INSERT INTO methods VALUES " + ",".join("(%d,'%s','%s','%s',1)" % (id_of(parts), *parts) for parts in names))
    for first in range(0, len(raws), RUNS_AT_ONCE):
        count = min(RUNS_AT_ONCE, len(raws) - first)
        # Ids are hashes, as those that the program gives: runs of a build lie anywhere.
        tell(url, "INSERT INTO method_rows SELECT toInt64(intHash64(at) %% 9000000000000000000) + 1 AS run, id,"
             " if(method %% 5 = 0, 0, 4) AS kind, calls + if(at >= %(last)d AND method %% 1000 = 1, 3, 0) AS made, 0 AS recursive, 2 * ns AS inclusive, ns,"
             " ns + intDiv(ns, 2) AS cpu, intDiv(ns, 2) AS own, intDiv(ns, made) AS slowest, 1000 AS slowest_at FROM"
             " (SELECT at, method, id, calls, toInt64(length * (0.93 + (intHash32(at) %% 1000) / 7000.0) *"
             " (0.95 + (intHash64(at * 100003 + method) %% 1000) / 10000.0) * if(at >= %(last)d AND method %% 200 = 0, 1.5, 1)) AS ns"
             " FROM usual ARRAY JOIN arrayMap(x -> toUInt64(x + %(first)d), range(%(count)d)) AS at)" %
             {"first": first, "count": count, "last": len(raws) - len(raws) // builds})
    digits = "lower(hex(toUInt32(number + 1)))"
    tell(url, "INSERT INTO runs SELECT toInt64(intHash64(toUInt64(number)) %% 9000000000000000000) + 1, concat(substring('%s', 1, 64 - length(%s)), %s), '', '%s',"
         " 1000000, 10000000000, 10000000000, 0, 0, 0, 'arm', '' FROM (SELECT number FROM system.numbers LIMIT %d)" %
         ("0" * 64, digits, digits, "0" * 64, len(raws)))


def wait_for_merges(url):
    """ClickHouse joins parts for minutes after rows came, which takes processors from the questions: what they take without that is asked."""
    quiet = 0
    while quiet < 5:
        quiet = 0 if int(tell(url, "SELECT count() FROM system.merges")) else quiet + 1
        time.sleep(1)


def make(program, store, traces, methods, builds, clickhouse):
    options = (*sited_fleet.OPTIONS, *(("--clickhouse", clickhouse + "/bench") if clickhouse else ()))
    with Site(program, *options, store=store) as site:
        site.ready(site.put(sited_fleet.trace_of(sited_fleet.calls_of(1, 5000)), rows="1", label_app="other", expires="never"))
        sited_fleet.wait_for_rows(site, 1)
        site.stop()
    begun = time.monotonic()
    raws = fill_store(store, traces, builds)
    if clickhouse:
        fill_clickhouse(clickhouse, raws, methods, builds)
        wait_for_merges(clickhouse)
        size = int(tell(clickhouse, "SELECT sum(bytes) FROM system.parts WHERE database='bench_rows_2' AND active"))
    else:
        fill_rows(store, raws, methods, builds)
        size = os.path.getsize(os.path.join(store, "rows.sqlite"))
    print("%d traces x %d methods = %d rows in %d builds: %.2f GB, made in %.0f s" %
          (traces, methods, traces * methods, builds, size / 1e9, time.monotonic() - begun), flush=True)
    return options


def ask(site, what, path, server=None, **parameters):
    taken, before, before_there = [], site.cpu_s(), cpu_of(server) if server else 0
    for _ in range(TIMES):
        begun = time.monotonic()
        answer = site.ask("%s?%s" % (path, urllib.parse.urlencode(parameters)))
        taken.append(time.monotonic() - begun)
        assert answer.status == 200, (answer.status, answer.text)
    there = ", %.2f s of ClickHouse's" % ((cpu_of(server) - before_there) / TIMES) if server else ""
    print("%-30s median %6.2f s, longest %6.2f s, %.2f s of a processor%s, %d bytes" %
          (what, statistics.median(taken), max(taken), (site.cpu_s() - before) / TIMES, there, len(answer.body)), flush=True)
    return answer


def ask_all(site, builds, server=None):
    print("load %.1f" % os.getloadavg()[0])
    ask(site, "apps", "/api/v1/apps", server)
    ask(site, "builds", "/api/v1/apps/builds", server, app="shop")
    last = 399 + builds
    told = ask(site, "build against build", "/api/v1/apps/diff", server, app="shop", old=last - 1, new=last).json
    print("    %d and %d traces; calls of %d methods changed" %
          (told["builds"]["old"]["compared"], told["builds"]["new"]["compared"], len(told["calls"])))
    told = ask(site, "build against build, one device", "/api/v1/apps/diff", server, app="shop", old=last - 1, new=last, device=DEVICES[0]).json
    print("    %d and %d traces; times of %d methods changed" %
          (told["builds"]["old"]["compared"], told["builds"]["new"]["compared"], told["time_verdicts"]["changed"]))
    ask(site, "one method", "/api/v1/apps/method", server, app="shop", **{"class": "com.example.shop.part0.Class0"}, name="method0",
        signature="(I)V")
    print("load %.1f" % os.getloadavg()[0])


def main():
    words = sys.argv[1:]
    clickhouse = words.pop(words.index("--clickhouse") + 1) if "--clickhouse" in words else None
    words = [word for word in words if word != "--clickhouse"]
    kinds = {"debian": over_clickhouse.Debians, "chdb": over_clickhouse.Chdb}
    if clickhouse not in kinds:
        run(words, clickhouse)
        return
    server = kinds[clickhouse]()
    try:
        run(words, "http://127.0.0.1:%d" % server.port, server.process.pid)
    finally:
        server.end()


def run(words, clickhouse, server=None):
    """`server` is the process of ClickHouse, where its time is to be told."""
    program = os.path.abspath(words[0])
    traces, methods, builds = (int(word) for word in words[1:4] + ["10000", "2000", "20"][len(words) - 1:])
    with tempfile.TemporaryDirectory(prefix="traceview-fleet-") as folder:
        store = os.path.join(folder, "store")
        try:
            options = make(program, store, traces, methods, builds, clickhouse)
            # A process that only answers: one with workers would find that the files are missing, and drop their rows.
            with Site(program, *options, "--role", "server", store=store) as site:
                ask_all(site, builds, server)
        finally:
            if clickhouse:
                tell(clickhouse, "DROP DATABASE IF EXISTS bench_rows_2", "default")


if __name__ == "__main__":
    main()
