#!/usr/bin/env python3
"""What one trace costs a site: site_costs.py PROGRAM [TRACE] [--traces N] [--answers N]

Uploads so many copies (20) of a trace (the bundled example), which differ in a zero at their end, and measures the processor's time of
each stage apart, user and system, with all of its processes, and the bytes that it leaves: a server that takes uploads; a worker
that makes indexes; `traceview store rows` into SQLite, PostgreSQL and ClickHouse, as far as these are installed, with the time of
the database; a server that answers for random ranges of the timeline, cold (an index that no process has open) and open. Prints a table in
Markdown, which docs/growth.md has. Processor time hardly depends on what else runs; the clock on the wall does, and is not told.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(os.path.dirname(HERE), "tests")
sys.path[:0] = [os.path.join(TESTS, part) for part in ("site", "support")]

# pylint: disable=wrong-import-position
import over_clickhouse
import postgres
from crowd import NO_LIMITS
from running import Site, read, wait_until

EXAMPLE = os.path.join(TESTS, "data", "recipes.trace.zst")
TICKS_S = os.sysconf("SC_CLK_TCK")
LABELS = {"rows": "1", "label_app": "shop", "label_build": "417", "label_device": "pixel"}


def unpacked(path):
    return subprocess.run(["zstd", "-dqc", path], stdout=subprocess.PIPE, check=True).stdout if path.endswith(".zst") else read(path)


def stat(pid):
    """The fields of /proc/PID/stat from the third on: state, parent, ..."""
    with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()


def cpu_s(pid):
    """Of a process with those of its children that have ended, and of those that run."""
    total = sum(int(field) for field in stat(pid)[11:15])
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = stat(int(other))
        except OSError:
            continue
        if int(fields[1]) == pid:
            total += sum(int(field) for field in fields[11:15])
    return total / TICKS_S


def bytes_in(folder):
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(where, name)).st_blocks * 512
            except OSError:
                pass    # a database removes files while they are counted
    return total


def database_bytes(store):
    """Of the rows in store.sqlite and of its indexes, without what is free in their pages."""
    with contextlib.closing(sqlite3.connect(os.path.join(store, "store.sqlite"))) as db:
        return db.execute("SELECT sum(payload) FROM dbstat").fetchone()[0]


class Costs:
    """Rows of the table: what, processor's seconds, bytes on the disk; of one trace."""

    def __init__(self, count):
        self.count, self.rows = count, []

    def add(self, what, seconds, size=None, of=None):
        of = of or self.count
        self.rows.append((what, seconds / of, None if size is None else size / of))
        print("%s: %.4f s, %s bytes" % (what, seconds / of, "-" if size is None else round(size / of)), file=sys.stderr)

    def print(self):
        print("| stage | processor | disk |\n| --- | ---: | ---: |")
        for what, seconds, size in self.rows:
            print("| %s | %s | %s |" % (what, "%.2g s" % seconds if seconds >= 1 else "%.3g ms" % (1000 * seconds),
                                        "" if size is None else "%.3g MB" % (size / 1e6) if size >= 1e5 else "%.3g kB" % (size / 1e3)))


def idle(site):
    """Waits until the process does nothing any more, and returns its processor's time."""
    last = -1.0
    while cpu_s(site.process.pid) > last:
        last = cpu_s(site.process.pid)
        time.sleep(1.5)
    return last


def upload_all(program, store, content, costs):
    with Site(program, *NO_LIMITS, "--role", "server", "--rows", "asked", store=store) as site:
        before, size = idle(site), bytes_in(store)
        kept = [site.put(content + bytes(at + 1), **LABELS) for at in range(costs.count)]
        costs.add("upload: received, hashed, on the disk", idle(site) - before, bytes_in(store) - size)
    return kept


def index_all(program, store, kept, costs):
    """The worker has no rows to make, so that these are measured apart."""
    with Site(program, *NO_LIMITS, "--role", "server", store=store) as site:
        size = bytes_in(store)
        with subprocess.Popen([program, "serve", "--role", "worker", "--store", store, "--log", "none"], stdout=subprocess.DEVNULL) as worker:
            try:
                for trace in kept:
                    site.ready(trace)
                time.sleep(1)
                costs.add("index: made by a worker in its sandbox", cpu_s(worker.pid), bytes_in(store) - size)
            finally:
                worker.terminate()


def make_rows(program, words, pid=None):
    """The processor's time of `store rows`, and of a database beside it."""
    before = cpu_s(pid) if pid else 0
    usage = os.times()
    done = subprocess.run([program, "store", "rows", "--json", *words], capture_output=True, text=True, check=True)
    after = os.times()
    time.sleep(3 if pid else 0)
    own = after.children_user + after.children_system - usage.children_user - usage.children_system
    return own, cpu_s(pid) - before if pid else 0, json.loads(done.stdout)


def rows_of_all(program, store, folder, costs):
    own, _, told = make_rows(program, [store])
    assert told["made"] == costs.count, told
    costs.add("rows in SQLite", own, os.stat(os.path.join(store, "rows.sqlite")).st_size)
    if postgres.folder_of_programs():
        cluster = postgres.Cluster()
        try:
            rows_in_postgres(program, store, folder, cluster, costs)
        finally:
            cluster.end()
    for kind in (over_clickhouse.Chdb, over_clickhouse.Debians):
        if kind.missing():
            continue
        server = kind()
        try:
            size = bytes_in(server.folder)
            own, theirs, _ = make_rows(program, [store, "--again", "--clickhouse", server.url("costs")], server.process.pid)
            costs.add("rows in %s: site" % kind.name, own)
            costs.add("rows in %s: its own" % kind.name, theirs, bytes_in(server.folder) - size)
        finally:
            server.end()


def rows_in_postgres(program, store, folder, cluster, costs):
    url, files = cluster.make("costs"), os.path.join(folder, "files")
    os.mkdir(files)
    subprocess.run([program, "store", "make", url, "--files", files], check=True, stdout=subprocess.DEVNULL)
    empty = int(cluster.ask("SELECT pg_database_size('costs')"))
    subprocess.run([program, "store", "copy", store, url, "--files", files], check=True, stdout=subprocess.DEVNULL)
    with open(cluster.data + "/postmaster.pid", encoding="ascii") as file:
        pid = int(file.readline())
    costs.add("row of the store in PostgreSQL", 0, int(cluster.ask("SELECT pg_database_size('costs')")) - empty)
    # A copy has no indexes: a worker makes them, and rows are made behind that.
    with subprocess.Popen([program, "serve", "--role", "worker", "--store", url, "--files", files, "--log", "none"], stdout=subprocess.DEVNULL) as worker:
        try:
            with Site(program, *NO_LIMITS, "--role", "server", "--files", files, store=url) as site:
                for trace in site.ask("/api/v1/traces?of=all").json.get("traces", []):
                    site.ready(trace)
                wait_until(lambda: cluster.ask("SELECT count(*) FROM traceview.jobs WHERE state=2", "costs").strip() == str(costs.count))
        finally:
            worker.terminate()
    size = int(cluster.ask("SELECT pg_database_size('costs')"))
    own, theirs, told = make_rows(program, [url, "--files", files], pid)
    assert told["made"] == costs.count, told
    costs.add("rows in PostgreSQL: site", own)
    costs.add("rows in PostgreSQL: its own", theirs, int(cluster.ask("SELECT pg_database_size('costs')")) - size)
    shutil.rmtree(files)


def answer_all(program, store, kept, costs, answers):
    some = random.Random(1)
    with Site(program, *NO_LIMITS, "--role", "server", store=store) as site:
        before = idle(site)
        ends = [site.ask("/api/v1/traces/%s/view/info" % trace["id"]).json["span_ns"] for trace in kept]
        costs.add("first answer, of an index that nobody had open", idle(site) - before)
        before = idle(site)
        for _ in range(answers):
            at = some.randrange(len(kept))
            first, last = sorted(some.randrange(ends[at]) for _ in "ab")
            answer = site.ask("/api/v1/traces/%s/view/window?from=%d&to=%d&rows=1:0-20&width=1200" % (kept[at]["id"], first, last + 1))
            assert answer.status == 200, answer.text
        costs.add("range of the timeline", idle(site) - before, of=answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("trace", nargs="?", default=EXAMPLE)
    parser.add_argument("--traces", type=int, default=20)
    parser.add_argument("--answers", type=int, default=2000)
    options = parser.parse_args()
    program, content, costs = os.path.abspath(options.program), unpacked(options.trace), Costs(options.traces)
    with tempfile.TemporaryDirectory(prefix="traceview-costs-") as folder:
        store = os.path.join(folder, "store")
        with Site(program, "--role", "server", store=store):
            pass
        empty = database_bytes(store)
        kept = upload_all(program, store, content, costs)
        index_all(program, store, kept, costs)
        costs.add("row of the store in SQLite", 0, database_bytes(store) - empty)
        answer_all(program, store, kept, costs, options.answers)
        rows_of_all(program, store, folder, costs)
    print("%s, %d bytes, %d of them; load %.1f\n" % (os.path.basename(options.trace), len(content), options.traces, os.getloadavg()[0]))
    costs.print()


if __name__ == "__main__":
    main()
