"""Tests of sited.py: what `traceview store` does with the traces of a site that runs."""

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import tempfile

from running import DATA, FORM, ROOT, SMALL, Site, bearer, equal, has, read, viewer_status, wait_until
from sited_push import verb
from sited_users import OPTIONS, of, own, put


def administrator_lists_deletes_and_gives_traces(program):
    with Site(program, *OPTIONS) as site, tempfile.TemporaryDirectory() as home:
        def store(*words, status=0):
            run = verb(program, home, "store", *words)
            equal((words, run.returncode, run.stderr if status == 0 else ""), (words, status, ""))
            return run.stdout if status == 0 else run.stderr
        traces = [put(site, "ana", title="A cold start\x1b[31m", label_app="shop"), site.put(read(SMALL), name="b.trace"), put(site, "bob")]
        lines = store("list", site.store).splitlines()
        equal({line.split("  ")[0] for line in lines}, {trace["id"] for trace in traces})
        assert all(re.match(r"^[0-9a-f]{32}  [0-9-]{10} [0-9:]{5}  \S", line) for line in lines), lines
        assert "\x1b" not in "".join(lines)
        found = json.loads(store("list", "--json", site.store, "SHOP cold"))["traces"]
        equal([(row["id"], row["user"], row["labels"]) for row in found], [(traces[0]["id"], "ana", {"app": "shop"})])
        equal(json.loads(store("list", "--json", site.store, "nothing")), {"traces": []})
        # A trace without a user becomes somebody's, one of somebody another one's.
        for trace in traces[:2]:
            equal(store("own", site.store, trace["id"], "eve"), "its user: eve\n")
        equal(sorted(own(site, of("eve"))), sorted(trace["id"] for trace in traces[:2]))
        equal(own(site, of("ana")), [])
        equal(site.ask("/api/v1/traces/" + traces[0]["id"], "PATCH", of("ana"), "title=x").status, 403)
        # Whoever has the token of before is not the owner any more.
        for trace in traces[:2]:
            equal(site.ask("/api/v1/traces/" + trace["id"], "PATCH", bearer(trace), "title=x").status, 403)
            equal(site.ask("/api/v1/traces/" + trace["id"], headers=bearer(trace)).json["owner"], False)
            equal(own(site, bearer(trace)), [])
        for nobody in ("", "0" * 32):
            equal(site.ask("/api/v1/traces/" + traces[0]["id"], "DELETE", bearer({"owner_token": nobody})).status, 401 if not nobody else 403)
        # A new token is told, and the one before is void.
        token = json.loads(store("own", "--json", site.store, "http://127.0.0.1/traces/trace/%s/" % traces[1]["id"]))["owner_token"]
        path = "/api/v1/traces/" + traces[1]["id"]
        equal(site.ask(path, "DELETE", bearer(traces[1])).status, 403)
        equal(site.ask(path, "PATCH", bearer({"owner_token": token}), "title=x").status, 200)
        equal(store("delete", site.store, traces[1]["id"]), "deleted: %s\n" % traces[1]["id"])
        equal(site.ask(path).status, 404)
        for words in (("delete", site.store, traces[1]["id"]), ("own", site.store, traces[1]["id"], "eve"), ("delete", site.store, "a"),
                      ("delete", site.store, "x" + traces[0]["id"])):
            has(store(*words, status=1), "traceview: ")
        equal(store("check", site.store).splitlines()[-1], "faults: 0")


def lists_tell_figures(program):
    """Length, threads, worst frame and start-up, as `info` and `frames` tell them; nothing of a trace whose index an earlier program made."""
    app = os.path.join(ROOT, "tests", "cli", "cases", "frames", "app.trace")
    def told(verb_name, path):
        return json.loads(subprocess.run([program, verb_name, "--json", path], capture_output=True, check=True).stdout)
    def figures_of(trace):
        return site.ask("/api/v1/traces/" + trace["id"]).json["figures"]
    with Site(program, "--list", "--role", "server") as site:
        equal(figures_of(site.put(read(SMALL), listed=1)), None)
        assert "Length ms" not in site.ask("/list").text
    with Site(program, "--list") as site, tempfile.TemporaryDirectory() as home:
        framed, plain = (site.ready(site.put(read(path), name="a.trace", listed=1)) for path in (app, SMALL))
        lanes = told("frames", app)
        phases = lanes["phases"]["items"]
        frame = max(item["end_ns"] - item["start_ns"] for item in lanes["frames"]["items"])
        started = phases[-1]["end_ns"] - phases[0]["start_ns"]
        figures = figures_of(framed)
        equal((figures["threads"], figures["worst_frame_ns"], figures["startup_ns"]), (1, frame, started))
        equal(figures_of(plain)["worst_frame_ns"], None)
        equal(figures_of(plain)["threads"], sum(thread["calls"] > 0 for thread in told("info", SMALL)["threads"]))
        equal({trace["id"]: trace["figures"] for trace in site.ask("/api/v1/traces").json["traces"]},
              {trace["id"]: figures_of(trace) for trace in (framed, plain)})
        page = site.ask("/list").text
        for text in ("Length ms", "Threads", "Worst frame ms", "Start-up ms", ">30.800<", ">53.840<", ">81.420<"):
            has(page, text)
        has(verb(program, home, "store", "list", site.store).stdout, "  1 thread, 81.420 ms, worst frame 30.800 ms, start-up 53.840 ms\n")
        rows = json.loads(verb(program, home, "store", "list", "--json", site.store).stdout)["traces"]
        equal({row["id"]: row["figures"] for row in rows}, {trace["id"]: figures_of(trace) for trace in (framed, plain)})
        with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"))) as database, database:
            database.execute("UPDATE build_figures SET build='1.2-0a1b2c3d'")
        equal((figures_of(framed), "Length ms" in site.ask("/list").text), (None, False))


def what_was_deleted_is_gone_from_the_disk(program):
    """Title, note and label, in seconds, without anything else happening; nothing of them is left in the database or beside it."""
    if os.environ.get("TRACEVIEW_TEST_CLUSTER"):
        return    # PostgreSQL's own affair
    words = (b"Unsaid-title-7", b"Unsaid-note-7", b"unsaid-label-7")
    with Site(program) as site:
        kept = site.put(read(SMALL), title="Kept-title-7")
        trace = site.ready(site.put(read(os.path.join(DATA, "made", "odd-duplicate-thread.trace")), title="Unsaid-title-7", note="Unsaid-note-7", label_a="unsaid-label-7"))
        paths = lambda: [os.path.join(folder, name) for folder, _, names in os.walk(site.store) for name in names]
        content = lambda: b"".join(read(path) for path in paths() if os.path.exists(path))
        assert all(word in content() for word in words)
        equal(site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
        wait_until(lambda: not any(word in content() for word in words), 30)
        assert b"Kept-title-7" in content()
        equal(site.ask("/api/v1/traces/" + kept["id"]).status, 200)


def store_that_takes_no_writes_is_an_archive(program):
    """A copy of a store without write permissions; as root nothing is refused by these, so what is there is compared."""
    with tempfile.TemporaryDirectory() as home:
        copy = os.path.join(home, "a copy ?#%41")
        with Site(program, "--list") as site:
            trace = site.ready(site.put(read(SMALL), listed=1))
            refused = verb(program, home, "serve", "--archive", "--listen", "127.0.0.1:0", "--store", site.store)
            equal(refused.returncode, 1)
            has(refused.stderr, "is in use, or was not closed")
            equal(verb(program, home, "store", "backup", site.store, copy).returncode, 0)
        with contextlib.closing(sqlite3.connect(os.path.join(copy, "store.sqlite"))) as database, database:
            database.execute("PRAGMA journal_mode=DELETE")
        files = lambda: sorted((path, os.path.getsize(path), os.stat(path).st_mtime_ns) for folder, _, names in os.walk(copy)
                               for path in [os.path.join(folder, name) for name in names])
        for folder, _, _ in os.walk(copy):
            os.chmod(folder, 0o500)
        before = files()
        with Site(program, "--archive", "--list", store=copy) as site:
            path = "/api/v1/traces/" + trace["id"]
            equal(site.ask("/readyz").status, 200)
            equal([site.ask(where).status for where in ("/", "/trace/%s/" % trace["id"], path, path + "/view/info", path + "/export/csv", "/list", "/metrics")],
                  [200, viewer_status(program)] + [200] * 5)
            has(site.ask("/list").text, trace["id"])
            for method, where, body in (("PUT", "/api/v1/traces?name=a", read(SMALL)), ("PUT", "/a.trace", read(SMALL)), ("POST", "/api/v1/uploads", b""),
                                        ("PATCH", path, b"title=T"), ("DELETE", path, None), ("POST", "/trace/%s/owner" % trace["id"], b"action=delete")):
                answer = site.ask(where, method, dict(bearer(trace), **(FORM if body and len(body) < 99 else {})), body)
                equal((method, where, answer.status), (method, where, 403))
                has(answer.text, "archive")
            equal(site.stop(), 0)
        equal(files(), before)
        for folder, _, _ in os.walk(copy):
            os.chmod(folder, 0o700)
        with contextlib.closing(sqlite3.connect(os.path.join(copy, "store.sqlite"))) as database, database:
            database.execute("UPDATE jobs SET build = 'other'")
        with Site(program, "--archive", store=copy) as site:
            told = site.ask(path).json
            equal(told["state"], "failed")
            has(told["reason"], "this archive has no index of it")
            has(told["reason"], "a site that is started on a copy of it does")
            database = sqlite3.connect(os.path.join(copy, "store.sqlite"))
            database.execute("PRAGMA user_version=2")
            database.close()
        refused = verb(program, home, "serve", "--archive", "--listen", "127.0.0.1:0", "--store", copy)
        has(refused.stderr, "of an earlier version of traceview")


TESTS = [lists_tell_figures, what_was_deleted_is_gone_from_the_disk, store_that_takes_no_writes_is_an_archive, administrator_lists_deletes_and_gives_traces]
