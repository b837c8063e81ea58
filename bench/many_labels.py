#!/usr/bin/env python3
"""A store of very many labels and waiting jobs: many_labels.py PROGRAM [TRACES [LABELS]]

Makes a store of so many traces (100,000) with so many labels each (10, of which six have values that no other trace has, of
hostile letters), and a job that waits for each of them; in SQLite, and in PostgreSQL where it is installed. Then a site over it
is asked, each question five times: median, longest, and the processor's time of the site.
"""

import os
import sqlite3
import statistics
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "tests", part) for part in ("site", "support")]

# pylint: disable=wrong-import-position
import fleet
import postgres
import sited_fleet
from crowd import NO_LIMITS, content
from running import Site

TIMES = 5
OPTIONS = (*NO_LIMITS, "--list", "--rows", "listed")
HOSTILE = "../%d\u202e'\";--<b>"
# Those that many traces share.
KEYS = ("app", "build", "device", "android")


def labels_of(number, count):
    own = [("k%d" % at, HOSTILE % (number * 10 + at)) for at in range(count - len(KEYS))]
    return [("app", "app%d" % (number % 50)), ("build", str(number // 500)), ("device", "d%d" % (number % 7)), ("android", str(number % 5))] + own


def fill_sqlite(store, traces, labels):
    db = sqlite3.connect(os.path.join(store, "store.sqlite"))
    names = fleet.columns(db, "traces")
    like = dict(zip(names, db.execute("SELECT * FROM traces").fetchone()))
    job_names = fleet.columns(db, "jobs")
    job = dict(zip(job_names, db.execute("SELECT * FROM jobs").fetchone()))
    numbers = range(1, traces + 1)
    fleet.insert(db, "files", (("%064x" % at, 1000, like["created"]) for at in numbers), ("name", "bytes", "claimed"))
    fleet.insert(db, "traces", ([dict(like, id="%032x" % at, raw="%064x" % at, created=like["created"] - traces + at)[name] for name in names]
                                for at in numbers), names)
    fleet.insert(db, "labels", (("%032x" % at, *label) for at in numbers for label in labels_of(at, labels)), ("trace", "key", "value"))
    fleet.insert(db, "jobs", ([dict(job, raw="%064x" % at, state=0, result=None, created=like["created"] - traces + at,
                                    deadline=like["created"] - traces + at)[name] for name in job_names] for at in numbers), job_names)
    db.commit()
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def fill_postgres(cluster, traces, labels):
    ask = lambda text: cluster.ask("SET search_path=traceview; " + text, "many")
    like = "FROM traces t, generate_series(1, %d) n" % traces
    names = "lpad(to_hex(n), 32, '0')", "lpad(to_hex(n), 64, '0')"
    # The trigger changes one row for each file, which takes long within one transaction.
    ask("ALTER TABLE files DISABLE TRIGGER files_come_and_go; INSERT INTO files(name, bytes, claimed) SELECT %s, 1000, 1 FROM"
        " generate_series(1, %d) n; UPDATE totals SET files=files+%d, bytes=bytes+1000::bigint*%d; ALTER TABLE files ENABLE TRIGGER files_come_and_go"
        % (names[1], traces, traces, traces))
    ask("INSERT INTO traces SELECT (jsonb_populate_record(t, jsonb_build_object('id', %s, 'raw', %s, 'created', t.created-%d+n))).* %s"
        % (*names, traces, like))
    ask("ALTER TABLE labels DISABLE TRIGGER labels_come")
    shared = "('app', 'app'||n%50), ('build', (n/500)::text), ('device', 'd'||n%7), ('android', (n%5)::text)"
    ask("INSERT INTO labels SELECT %s, l.k, l.v FROM generate_series(1, %d) n, LATERAL (VALUES %s) AS l(k, v)" % (names[0], traces, shared))
    ask("INSERT INTO labels SELECT %s, 'k'||m, replace(%s, '%%d', (n::bigint*10+m)::text) FROM generate_series(1, %d) n, generate_series(0, %d) m"
        % (names[0], "'%s'" % HOSTILE.replace("'", "''"), traces, labels - len(KEYS) - 1))
    # The texts that searches look in, which triggers keep, are made at once.
    ask("UPDATE traces SET label_text=found.text FROM (SELECT trace, string_agg(value, ' ') AS text FROM labels GROUP BY trace) AS found"
        " WHERE id=found.trace; ALTER TABLE labels ENABLE TRIGGER labels_come")
    ask("INSERT INTO jobs SELECT (jsonb_populate_record(j, jsonb_build_object('raw', %s, 'state', 0, 'result', NULL, 'created', j.created-%d+n,"
        " 'deadline', j.created-%d+n))).* FROM jobs j, generate_series(1, %d) n" % (names[1], traces, traces, traces))
    ask("ANALYZE")


def measure(site, what, ask):
    taken, before = [], site.cpu_s()
    for _ in range(TIMES):
        begun = time.monotonic()
        answer = ask()
        taken.append(time.monotonic() - begun)
        if answer.status == 503:    # longer than a request may ask the database
            print("  %-44s 503 after %.1f s" % (what, taken[-1]), flush=True)
            return
        assert answer.status in (200, 201), (what, answer.status, answer.text)
    print("  %-44s median %8.1f ms, longest %8.1f ms, %7.1f ms of a processor, %d bytes" %
          (what, 1000 * statistics.median(taken), 1000 * max(taken), 1000 * (site.cpu_s() - before) / TIMES, len(answer.body)), flush=True)


def ask_all(site, labels):
    print("  load %.1f" % os.getloadavg()[0])
    rare = "k0:" + labels_of(77, labels)[len(KEYS)][1]
    number = iter(range(10**6))
    for what, path in (("a list of 100 of all", "/api/v1/traces"), ("those of an app", "/api/v1/traces?q=app:app7"),
                       ("by a label that one trace has", "/api/v1/traces?q=" + urllib.parse.quote(rare)),
                       ("by a word that none has", "/api/v1/traces?q=nowhere"),
                       ("by two words that none has together", "/api/v1/traces?q=app7+app8"), ("by a word of many labels", "/api/v1/traces?q=app7"),
                       ("the page of the list", "/list"),
                       ("whether it is ready", "/readyz"), ("apps", "/api/v1/apps"), ("builds of an app", "/api/v1/apps/builds?app=app7"), ("the page of the apps", "/apps")):
        measure(site, what, lambda path=path: site.ask(path))
    measure(site, "an upload with ten labels", lambda: site.ask(
        "/api/v1/traces?name=a.trace&" + "&".join("label_x%d=%d" % (at, at) for at in range(10)), "PUT", body=content(next(number))))


def run(program, make_place, fill, labels):
    place = make_place()
    with Site(program, *OPTIONS, *place[1:], store=place[0]) as site:
        site.ready(site.put(sited_fleet.trace_of(sited_fleet.calls_of(1, 5000)), listed="1", label_app="other", expires="never"))
        site.stop()
    begun = time.monotonic()
    fill()
    print("  made in %.0f s" % (time.monotonic() - begun), flush=True)
    with Site(program, *OPTIONS, *place[1:], "--role", "server", store=place[0]) as site:
        ask_all(site, labels)


def main():
    program = os.path.abspath(sys.argv[1])
    traces, labels = (int(word) for word in sys.argv[2:4] + ["100000", "10"][len(sys.argv) - 2:])
    print("%d traces with %d labels each, as many jobs that wait" % (traces, labels))
    with tempfile.TemporaryDirectory(prefix="traceview-labels-") as folder:
        print("SQLite")
        run(program, lambda: (folder + "/store",), lambda: fill_sqlite(folder + "/store", traces, labels), labels)
        if not postgres.folder_of_programs():
            return
        print("PostgreSQL")
        cluster = postgres.Cluster()
        try:
            run(program, lambda: (cluster.make("many"), "--files", folder + "/files"), lambda: fill_postgres(cluster, traces, labels), labels)
        finally:
            cluster.end()


if __name__ == "__main__":
    main()
