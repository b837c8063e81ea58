"""Tests of sited.py: questions over all traces of a site."""

import contextlib
import glob
import json
import os
import re
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree

from running import DATA, FORM, ROOT, Site, bearer, equal, has, place, read, viewer_status, wait_until
from sited_programs import made
from sited_projects import projects
from sited_push import verb
from sited_users import of

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "readers"))

import duck  # noqa: E402  pylint: disable=wrong-import-position

OPTIONS = ("--rows", "asked")


def trace_of(calls, run=0, is_full=False, falls=False, file="A.java"):
    """A trace of the main thread that makes these calls in a row: {(class, name, signature): (how many, microseconds of each)};
    the number of the run makes the times of each run a little longer. A clock that falls does so by 20 ms before the second method.
    R8 writes the id of its mapping where the source file would stand."""
    lines = ["*version", "2", "data-file-overflow=%s" % str(is_full).lower(), "clock=wall", "*threads", "1\tmain", "*methods"]
    lines += ["0x%x\t%s\t%s\t%s\t%s\t1" % (4 * (at + 1), *method, file) for at, method in enumerate(calls)]
    records, now = [], 20000 * falls
    for at, (count, length) in enumerate(calls.values()):
        now -= 20000 * (falls and at == 1)
        for _ in range(count):
            for action in (0, 1):
                records.append(struct.pack("<HII", 1, 4 * (at + 1) | action, now))
                now += (length + run) * (1 - action) + 10 * action
    head = b"SLOW" + struct.pack("<HHQH", 2, 32, 5, 10) + bytes(14)
    return ("\n".join(lines) + "\n*end\n").encode() + head + b"".join(records)


PAY, SHOW = ("shop.Cart", "pay", "()V"), ("shop.Cart", "show", "(I)V")
FILL = {("fill.Fill", "f%d" % at, "()V"): (1, 2000) for at in range(25)}


def calls_of(pays, pay_us, show_us=3000):
    return {PAY: (pays, pay_us), SHOW: (2, show_us), **FILL}


def put_build(site, build, calls, runs=3, headers=None, device="pixel", is_full=False, falls=False, file="A.java", **fields):
    """Uploads so many traces of a build of the app `shop`; waits until they are ready."""
    labels = {"label_app": "shop", "label_build": build, "label_device": device, "rows": "1", **fields}
    kept = [site.put(trace_of(calls, run, is_full, falls, file), headers, **labels) for run in range(runs)]
    return [site.ready(trace) for trace in kept]


def ask(site, path, headers=None, status=200, **parameters):
    answer = site.ask("/api/v1/apps%s?%s" % (path, urllib.parse.urlencode(parameters)), headers=headers)
    equal((answer.status, answer.text if answer.status != status else ""), (status, ""))
    return answer.json


def wait_for_rows(site, count, headers=None):
    """Rows come right behind the index; who asks in between sees how many are missing."""
    def is_there():
        apps = ask(site, "", headers)
        return (apps["traces"], apps["without_rows"]) == (count, 0)
    wait_until(is_there)


def builds_are_compared(program):
    """Counts first, then times by the test of diff; each row with a trace of each build, opened at the longest call."""
    with Site(program, *OPTIONS) as site:
        put_build(site, "9", calls_of(4, 5000))
        put_build(site, "10", calls_of(6, 5000, 9000))
        wait_for_rows(site, 6)
        equal(ask(site, "")["apps"][0], dict(ask(site, "")["apps"][0], app="shop", traces=6, builds=2, last_build="10"))
        diff = ask(site, "/diff", app="shop")
        equal({side: told["build"] for side, told in diff["builds"].items()}, {"old": "9", "new": "10"})
        equal([row["method"] for row in diff["calls"]], ["shop.Cart.pay ()V"])
        row = diff["calls"][0]
        equal((row["old"]["calls"], row["new"]["calls"], row["traces"]), ([4, 4], [6, 6], {"old": 3, "new": 3}))
        equal([row["method"] for row in diff["times"] if row["time_verdict"] == "changed"],
              ["shop.Cart.show (I)V", "shop.Cart.pay ()V"])
        shown = row["examples"]["new"]
        has(shown["url"], "/trace/%s/#view=" % shown["trace"])
        # The second run: its calls of `pay` took 5001 us, and the last of them is no longer than the first.
        equal((shown["slowest_ns"], shown["at_ns"]), (5001000, 0))
        equal(ask(site, "/diff", app="shop", old="10", new="9")["calls"][0]["new"]["calls"], [4, 4])
        has(ask(site, "/diff", status=404, app="shop", old="8")["error"], "of the build 8")
        has(ask(site, "/diff", status=404, app="shop", new="9")["error"], "no build is before 9")
        has(ask(site, "/diff", status=404, app="other")["error"], "app:other")


def builds_that_lost_data_have_no_verdict(program):
    """A buffer that filled makes a build look faster. The page and the command say why in place of a test."""
    with tempfile.TemporaryDirectory() as home, Site(program, *OPTIONS) as site:
        put_build(site, "1", calls_of(4, 5000))
        put_build(site, "2", calls_of(2, 6000), is_full=True)
        wait_for_rows(site, 6)
        diff = ask(site, "/diff", app="shop")
        why = "has lost data (overflow), so its times are not those of the program"
        equal((diff["no_times"], "time_verdicts" in diff, "calls_verdicts" in diff), (why, False, False))
        equal({row["verdict"] for row in diff["times"]}, {"undecided"})
        page = site.ask("/apps/diff?app=shop", headers={"Accept": "text/html"})
        has(page.text, "Times are not compared: a trace %s." % why)
        run = verb(program, home, "fleet", "--site", "http://127.0.0.1:%d" % site.port, "diff", "shop")
        equal((run.returncode, run.stderr), (0, ""))
        has(run.stdout, "\ntimes are not compared: a trace %s\n" % why)
        asked = {"app": "shop", "class": "shop.Cart", "name": "pay", "signature": "()V"}
        told = ask(site, "/method", **asked)
        equal((told["clock"], told["at_least"], told["no_counts"]), ("wall", 3, 3))
        equal([(build["at_least"], build["no_counts"]) for build in told["builds"]], [(0, 0), (3, 3)])
        page = site.ask("/apps/method?" + urllib.parse.urlencode(asked), headers={"Accept": "text/html"}).text
        has(page, "In 3 traces it may have taken more")
        has(page, "In 3 traces calls are not those of the program.")


def short_names_of_two_builds_are_not_compared(program):
    """A short name of R8 is another method in the next build: what diff refuses of recordings, the site refuses of builds."""
    with tempfile.TemporaryDirectory() as home, Site(program, *OPTIONS) as site:
        put_build(site, "1", calls_of(4, 1500), file="r8-map-id-" + "a" * 64)
        put_build(site, "2", calls_of(2, 13000), file="r8-map-id-" + "b" * 64)
        wait_for_rows(site, 6)
        diff = ask(site, "/diff", app="shop")
        why = ("has short names of build %s, and another one short names of build %s: their methods are matched by the mappings of both alone (--mappings FOLDER)"
               % ("b" * 23, "a" * 23))
        equal((diff["no_counts"], diff["no_times"], diff["calls"], diff["times"]), (why, why, [], []))
        page = site.ask("/apps/diff?app=shop", headers={"Accept": "text/html"})
        has(page.text, "Times are not compared: a trace %s." % why)
        url = "http://127.0.0.1:%d" % site.port
        run = verb(program, home, "fleet", "--site", url, "diff", "shop")
        equal((run.returncode, run.stderr), (0, ""))
        has(run.stdout, "\ncalls are not compared: a trace %s\n" % why)
        asked = {"app": "shop", "class": "shop.Cart", "name": "pay", "signature": "()V"}
        told = ask(site, "/method", **asked)
        equal((told["looked_at"], told["other_builds"], [build["build"] for build in told["builds"]]), (3, 3, ["2"]))
        has(site.ask("/apps/method?" + urllib.parse.urlencode(asked), headers={"Accept": "text/html"}).text, "3 other traces are left out")
        run = verb(program, home, "fleet", "--site", url, "method", "shop", "shop.Cart.pay ()V")
        has(run.stdout, "3 traces of other builds are left out")
        put_build(site, "3", calls_of(4, 1500), file="r8-map-id-" + "b" * 64)
        wait_for_rows(site, 9)
        equal([row["verdict"] for row in ask(site, "/diff", app="shop")["calls"]][:1], ["changed"])


def wall_times_that_fell_are_not_believed(program):
    """What diff refuses of recordings, the site refuses of builds: they would be faster by what their clock fell."""
    with tempfile.TemporaryDirectory() as home, Site(program, *OPTIONS) as site:
        put_build(site, "1", calls_of(4, 5000))
        put_build(site, "2", calls_of(4, 5000), falls=True)
        wait_for_rows(site, 6)
        diff = ask(site, "/diff", app="shop")
        equal((diff["no_times"], "time_verdicts" in diff),
              ("has wall times that are less than they were (clock_backwards)", False))
        equal(diff["calls_verdicts"]["changed"], 0)
        builds = ask(site, "/builds", app="shop")["builds"]
        equal([(build["odd_wall"], build["duration_ns"] is None, build["worst_of"]) for build in builds], [(0, False, 3), (3, True, 0)])
        out = os.path.join(home, "parquet")
        equal(verb(program, home, "store", "rows", site.store, "--parquet", out).returncode, 0)
        equal([{row["odd_wall"] for row in rows} for rows in read_parquet([os.path.join(out, "shop/%s.parquet" % build) for build in "12"])], [{0}, {1}])
        has(site.ask("/apps?app=shop", headers={"Accept": "text/html"}).text, "Wall times of 3 traces are less than they were")
        told = ask(site, "/method", **{"app": "shop", "class": "shop.Cart", "name": "pay", "signature": "()V"})
        equal([(build["at_least"], build["no_counts"]) for build in told["builds"]], [(0, 0), (3, 0)])
        run = verb(program, home, "fleet", "--site", "http://127.0.0.1:%d" % site.port, "builds", "shop")
        equal((run.returncode, run.stderr), (0, ""))
        has(run.stdout, "Odd clock")


def many(hot_us):
    """More methods than a trace has rows of: all but three take 5 ms, `hot` and `cold` at most so long."""
    calls = {("many.C", "m%05d" % at, "()V"): (1, 5000) for at in range(20003)}
    return {("many.C", "hot", "()V"): (3000, hot_us), ("many.C", "cold", "()V"): (2, 0), **calls}


def a_method_without_a_row_may_be_called(program):
    """Where a trace has more methods than rows, what has no row is neither gone nor new, and no number of calls."""
    with tempfile.TemporaryDirectory() as folder, Site(program, *OPTIONS) as site:
        put_build(site, "1", many(0), runs=1)
        put_build(site, "2", many(2), runs=1)
        wait_for_rows(site, 2)
        diff = ask(site, "/diff", app="shop", n=1000)
        equal((diff["calls"], diff["calls_verdicts"]["changed"], diff["gone"], diff["added"]), ([], 0, 0, 0))
        equal((diff["old"]["calls"], diff["new"]["calls"]), (23005, 23005))
        equal([diff["builds"][side]["cut"] for side in ("old", "new")], [1, 1])
        assert "hot" not in [row["name"] for row in diff["times"]]
        page = site.ask("/apps/diff?app=shop", headers={"Accept": "text/html"}).text
        has(page, "2 traces have more methods than rows are kept of: a method without a row in one of them is undecided.")
        asked = {"app": "shop", "class": "many.C", "name": "hot", "signature": "()V"}
        told = ask(site, "/method", **asked)
        equal((told["looked_at"], told["unknown"]), (2, 1))
        equal([(build["traces"], build["having"], build["unknown"], build["calls"]) for build in told["builds"]], [(1, 0, 1, [0, 0]), (1, 1, 0, [3000, 3000])])
        equal((told["devices"][0]["calls"], told["devices"][0]["median_calls"]), ([3000, 3000], 3000))
        page = site.ask("/apps/method?" + urllib.parse.urlencode(asked), headers={"Accept": "text/html"}).text
        has(page, "1 trace has more methods than rows are kept of: they have no row of this one, and are not counted below.")
        run = verb(program, folder, "fleet", "--site", "http://127.0.0.1:%d" % site.port, "diff", "shop")
        has(run.stdout, "old: 1, 1 of 1 traces, with more methods than rows are kept of: 1\nnew: 2, 1 of")
        error = ask(site, "/method", status=404, **dict(asked, name="cold"))["error"]
        has(error, "2 of them have more methods than rows are kept of, and may call it")


def dual_trace_of(records):
    """A trace of two clocks: thread, 0 to enter and 1 to leave `pay`, CPU and wall time in microseconds."""
    head = b"SLOW" + struct.pack("<HHQH", 3, 32, 5, 14) + bytes(14)
    text = b"*version\n3\nclock=dual\n*threads\n1\tmain\n2\tother\n*methods\n4\tshop.Cart\tpay\t()V\tA.java\t1\n8\tshop.Cart\tshow\t()V\tA.java\t1\n*end\n"
    return text + head + b"".join(struct.pack("<HIII", thread, key, cpu, wall) for thread, key, cpu, wall in records)


def put_three(site):
    """One trace whose times are known, one that ends in a call, and one whose CPU clock falls."""
    known = [(1, 4, 0, 0), (1, 5, 4000, 5000)]
    traces = [known, [(1, 4, 0, 0), (2, 8, 0, 3000), (2, 9, 2000, 5000)], known + [(2, 8, 3000, 5100), (2, 9, 2000, 5200)]]
    for records in traces:
        site.ready(site.put(dual_trace_of(records), None, label_app="shop", label_build="1", label_device="pixel", rows="1"))
    wait_for_rows(site, 3)


def cpu_time_that_may_be_more_is_told(program):
    """A call that was open at the end, and a clock that fell, may have taken more CPU time than rows have."""
    with Site(program, *OPTIONS) as site:
        put_three(site)
        asked = {"app": "shop", "class": "shop.Cart", "name": "pay", "signature": "()V"}
        told = ask(site, "/method", **asked)
        equal((told["clock"], told["looked_at"], told["at_least"]), ("cpu", 3, 2))
        equal((told["builds"][0]["at_least"], told["devices"][0]["at_least"]), (2, 2))
        page = site.ask("/apps/method?" + urllib.parse.urlencode(asked), headers={"Accept": "text/html"}).text
        has(page, "In 2 traces it may have taken more: it was still open when the trace ended, a clock went backwards or counted otherwise, or the trace has not all of what ran.")
        equal(ask(site, "/method", **dict(asked, name="show"))["at_least"], 1)


def a_file_of_rows_tells_what_is_not_recorded(program):
    with tempfile.TemporaryDirectory() as folder, Site(program, *OPTIONS) as site:
        put_three(site)
        out = os.path.join(folder, "out")
        equal(verb(program, folder, "store", "rows", site.store, "--parquet", out).returncode, 0)
        rows = read_parquet([os.path.join(out, "shop/1.parquet")])[0]
        equal(sorted((row["inclusive_unrecorded_ns"], row["exclusive_unrecorded_ns"], row["fell_back"]) for row in rows if row["method"] == "pay"),
              [(0, 0, 0), (0, 0, 1), (5000000, 5000000, 0)])


def a_file_of_rows_tells_what_was_cut(program):
    with tempfile.TemporaryDirectory() as folder, Site(program, *OPTIONS) as site:
        put_build(site, "1", many(0), runs=1)
        wait_for_rows(site, 1)
        out = os.path.join(folder, "out")
        run = verb(program, folder, "store", "rows", site.store, "--parquet", out)
        equal((run.returncode, run.stderr), (0, ""))
        equal({row["cut_calls"] for row in read_parquet([os.path.join(out, "shop/1.parquet")])[0]}, {3005})


def rows_of_two_builds_alone_are_looked_for(program):
    """What another build lacks is not in the answer; what these two lack is, where fewer than are compared have rows."""
    with Site(program, *OPTIONS, "--role", "server") as site:
        worker = subprocess.Popen([program, "serve", "--role", "worker", *place(site.store), *OPTIONS, "--log", "none"])
        try:
            for build, calls in (("1", calls_of(4, 5000)), ("2", calls_of(6, 5000)), ("3", calls_of(8, 5000))):
                put_build(site, build, calls, runs=2)
            wait_for_rows(site, 6)
            hidden = [trace for build, runs in (("2", 1), ("3", 2))
                      for trace in put_build(site, build, calls_of(9, 6000 + int(build)), runs=runs, rows="0")]
        finally:    # so nobody makes the rows of those
            worker.kill()
            worker.wait()
        for trace in hidden:
            site.ask("/api/v1/traces/" + trace["id"], "PATCH", {**bearer(trace), **FORM}, "rows=1")
        equal(ask(site, "")["without_rows"], 3)
        for old, new, traces, missing in (("1", "2", (2, 3), 1), ("2", "1", (3, 2), 1), ("2", "3", (3, 4), 3), ("1", "1", (2, 2), 0), ("2", "2", (3, 3), 1)):
            diff = ask(site, "/diff", app="shop", old=old, new=new)
            equal((diff["traces"], diff["without_rows"]), (9, missing))
            equal([(diff["builds"][side]["traces"], diff["builds"][side]["compared"]) for side in ("old", "new")], [(count, 2) for count in traces])
        equal([diff["calls"], ask(site, "/diff", app="shop", old="1", new="2")["calls"][0]["new"]["calls"]], [[], [6, 6]])


def an_app_has_the_same_traces_however_it_is_asked_about(program):
    """The same bytes of two apps count in both, and of one app once."""
    with Site(program, *OPTIONS) as site:
        for app, build in (("one", "1"), ("two", "1"), ("two", "2"), ("one", "1")):
            site.ready(site.put(trace_of(calls_of(4, 5000)), label_app=app, label_build=build, rows="1"))
        wait_for_rows(site, 2)
        equal([(app["app"], app["traces"], app["builds"]) for app in ask(site, "")["apps"]], [("one", 1, 1), ("two", 1, 1)])
        for app, build in (("one", "1"), ("two", "2")):
            told = ask(site, "/builds", app=app)
            equal((told["traces"], [row["build"] for row in told["builds"]]), (1, [build]))
        site.ready(site.put(trace_of(calls_of(5, 5000)), label_app="", rows="1"))
        wait_for_rows(site, 3)


def what_cannot_be_read_counts_nowhere(program):
    """And an archive, which makes no rows, does not say that they come."""
    with tempfile.TemporaryDirectory() as home, Site(program, *OPTIONS) as site:
        put_build(site, "1", calls_of(4, 5000), runs=2)
        bad = site.ready(site.put(b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"not deflated at all", name="a.trace.gz", label_app="shop", label_build="1",
                                  label_device="other", rows="1"))
        equal(bad["state"], "failed")
        wait_for_rows(site, 2)
        told = ask(site, "/builds", app="shop")
        equal((told["traces"], told["without_rows"], [(row["traces"], row["devices"]) for row in told["builds"]]), (2, 0, [(2, 1)]))
        assert "not counted in" not in site.ask("/apps?app=shop", headers={"Accept": "text/html"}).text
        copy = os.path.join(home, "copy")
        equal(verb(program, home, "store", "backup", site.store, copy).returncode, 0)
        with contextlib.closing(sqlite3.connect(os.path.join(copy, "store.sqlite"))) as database, database:
            database.execute("UPDATE jobs SET state = 0, created = 1, result = NULL, build = 'other'")
        with Site(program, "--archive", *OPTIONS, store=copy) as archive:
            has(archive.ask("/apps?app=shop", headers={"Accept": "text/html"}).text, "3 traces have no rows, and get none in an archive.")
            assert "no worker" not in archive.ask("/readyz").text


def builds_have_an_order(program):
    """By number where all are numbers, else by the first upload; an app with one build has nothing beside it."""
    with Site(program, *OPTIONS) as site:
        for at, build in enumerate(("100", "99", "9.5")):
            put_build(site, build, calls_of(1, 2100 + at), runs=1)
        wait_for_rows(site, 3)
        told = ask(site, "/builds", app="shop")
        equal(([row["build"] for row in told["builds"]], told["order"]), (["9.5", "99", "100"], "number"))
        equal(told["builds"][0]["worst"][0]["class"], "shop.Cart")
        put_build(site, "main-7", calls_of(1, 7000), runs=1)
        wait_for_rows(site, 4)
        equal(ask(site, "/builds", app="shop")["order"], "first_upload")
        put_build(site, "1", calls_of(1, 8000), runs=1, label_app="lone")
        wait_for_rows(site, 5)
        has(ask(site, "/diff", status=404, app="lone")["error"], "one build")


def method_has_a_history(program):
    with Site(program, *OPTIONS) as site:
        put_build(site, "1", calls_of(4, 5000), runs=2)
        put_build(site, "2", calls_of(4, 7000), runs=2, device="old phone")
        wait_for_rows(site, 4)
        told = ask(site, "/method", app="shop", **dict(zip(("class", "name", "signature"), PAY)))
        equal([(row["build"], row["traces"], row["having"], row["calls"], row["inclusive_ns"]) for row in told["builds"]],
              [("1", 2, 2, [4, 4], 4 * 5000500), ("2", 2, 2, [4, 4], 4 * 7000500)])
        equal([row["device"] for row in told["devices"]], ["old phone", "pixel"])
        equal(told["devices"][0]["slowest"]["slowest_ns"], 7001000)
        has(ask(site, "/method", status=404, app="shop", name="nothing")["error"], "method")


def who_may_not_see_a_trace_learns_nothing_of_it(program):
    """A trace of a project counts for those who read it; no number and no name of it is in the answers of others."""
    secret = lambda length: {("secret.Plan", "launch", "()V"): (1, length), **FILL}
    with projects(program, "--rows", "listed") as site:
        put_build(site, "1", calls_of(4, 5000), runs=1, headers=of("eve"))
        put_build(site, "2", secret(80000), runs=1, headers=of("ana"), label_project="shop", label_app="hidden app")
        put_build(site, "2", secret(90000), runs=1, headers=of("ana"), label_project="shop", device="prototype")
        wait_for_rows(site, 3, of("ana"))
        for headers in (None, of("eve")):
            told = site.ask("/api/v1/apps", headers=headers)
            equal([(row["app"], row["builds"]) for row in told.json["apps"]], [("shop", 1)])
            assert "hidden" not in told.text, told.text
            equal([row["build"] for row in ask(site, "/builds", headers, app="shop")["builds"]], ["1"])
            ask(site, "/diff", headers, 404, app="shop", old="1", new="2")
            told = site.ask("/api/v1/apps/method?app=shop&class=secret.Plan&name=launch&signature=()V", headers=headers)
            equal(told.status, 404)
            # Nor whether there is such a method at all.
            nothing = site.ask("/api/v1/apps/method?app=shop&class=secret.Plan&name=nothing&signature=()V", headers=headers)
            equal((nothing.status, nothing.text), (told.status, told.text))
        equal([row["app"] for row in ask(site, "", of("ana"))["apps"]], ["hidden app", "shop"])
        equal([row["method"] for row in ask(site, "/diff", of("ana"), app="shop")["calls"]][:1], ["secret.Plan.launch ()V"])
        listed = site.ready(site.put(trace_of(calls_of(7, 100)), of("eve"), label_app="shop", label_build="3", listed="1"))
        wait_for_rows(site, 4, of("ana"))
        equal(ask(site, "/builds", app="shop")["builds"][-1]["build"], "3")
        site.ask("/api/v1/traces/" + listed["id"], "PATCH", {**of("eve"), **FORM}, "rows=0")
        equal(ask(site, "/builds", app="shop")["builds"][-1]["build"], "1")


def names_of_a_mapping_are_its_owners(program):
    """Who uploads the bytes of somebody else's trace sees nothing of the names that the other's mapping gives."""
    obfuscated = trace_of({("a.A", "a", "()V"): (2, 5000), **FILL})
    mapping = b"secret.Plan -> a.A:\n    void launch() -> a\n"
    with projects(program, "--rows", "asked") as site:
        def named(who, **parameters):
            told = ask(site, "/builds", of(who), app="shop", **parameters)
            return {(row["worst"][0]["class"], row["worst"][0]["name"]) for row in told["builds"] if row["worst"]}
        equal(site.ask("/api/v1/mappings?name=m.txt&label_build=7", "PUT", of("ana"), mapping).status, 201)
        labels = {"label_app": "shop", "label_build": "7", "rows": "1"}

        def rows_are_there(who):
            wait_until(lambda: (lambda told: (told["traces"], told["without_rows"]) == (1, 0))(ask(site, "", of(who))))
        site.ready(site.put(obfuscated, of("eve"), **labels))
        rows_are_there("eve")
        equal(named("eve"), {("a.A", "a")})
        # Of the same bytes the newest trace counts; of one second, either may be the newest.
        second = int(time.time())
        wait_until(lambda: int(time.time()) > second)
        # An index with the names is made of the same bytes, whether its trace counts or does not.
        hidden = site.ready(site.put(obfuscated, of("ana"), label_project="shop", **{**labels, "rows": "0"}))
        rows_are_there("eve")
        equal(named("eve"), {("a.A", "a")})
        site.ask("/api/v1/traces/" + hidden["id"], "PATCH", {**of("ana"), **FORM}, "rows=1")
        rows_are_there("ana")
        wait_until(lambda: named("ana") == {("secret.Plan", "launch")})
        equal(named("eve"), {("a.A", "a")})


def a_site_without_rows_has_no_such_questions(program):
    with Site(program) as site:
        put_build(site, "1", calls_of(1, 2000), runs=1)
        has(ask(site, "", status=404)["error"], "rows = no")


def rows_of(store):
    """The database of the rows: its version is in its name."""
    path, = glob.glob(os.path.join(store, "rows_*_*.sqlite"))
    return path


def count_rows(site):
    with contextlib.closing(sqlite3.connect("file:%s?mode=ro" % rows_of(site.store), uri=True)) as db:
        return [db.execute("SELECT count(*) FROM " + table).fetchone()[0] for table in ("runs", "methods", "method_rows", "context_rows")]


def rows_go_with_their_trace(program):
    """And come where the owner changes their mind; what was made can be made again."""
    with Site(program, *OPTIONS) as site, tempfile.TemporaryDirectory() as home:
        def rows(*words):
            run = verb(program, home, "store", "rows", "--json", site.store, *words)
            equal((run.returncode, run.stderr), (0, ""))
            return json.loads(run.stdout)
        hidden = put_build(site, "1", calls_of(4, 5000), runs=1, rows="0")[0]
        unsaid = site.ready(site.put(trace_of(calls_of(5, 5000)), label_app="shop", listed="1"))
        equal((hidden["rows"], unsaid["rows"]), (False, None))
        equal(ask(site, "")["traces"], 0)
        equal(rows()["made"], 0)
        site.ask("/api/v1/traces/" + hidden["id"], "PATCH", {**bearer(hidden), **FORM}, "rows=1")
        equal((ask(site, "")["traces"], ask(site, "")["without_rows"]), (1, 1))
        equal(rows(), {"runs": 1, "made": 1, "dropped": 0, "waiting": 0, "bad": 0})
        equal(count_rows(site), [1, 27, 27, 27])
        equal([rows("--again")["made"], rows("--listed")["made"], rows()["dropped"]], [1, 1, 1])
        wait_for_rows(site, 1)
        equal(count_rows(site), [1, 27, 27, 27])
        site.ask("/api/v1/traces/" + hidden["id"], "DELETE", bearer(hidden))
        equal(ask(site, "")["traces"], 0)
        wait_until(lambda: count_rows(site) == [0, 0, 0, 0])
        has(site.ask("/metrics").text, "traceview_rowed_traces_total 0")
        for words in (("--now", "rows"), ("--again", "stats"), ("--listed", "gc")):
            equal(verb(program, home, "store", words[1], words[0], site.store).returncode, 2)


def rows_of_another_version_are_not_told(program):
    """As a program of before made them: neither its numbers are told nor are its rows dropped, since it may run beside this one."""
    with Site(program, *OPTIONS) as site:
        traces = put_build(site, "1", calls_of(4, 5000), runs=2)
        wait_for_rows(site, 2)
        told = ask(site, "/builds", app="shop")["builds"]
        site.stop()
        mine = rows_of(site.store)
        tables, indexes = (int(number) for number in os.path.basename(mine)[len("rows_"):-len(".sqlite")].split("_"))
        others = [os.path.join(site.store, name) for name in ("rows.sqlite", "rows_%d_%d.sqlite" % (tables, indexes - 1),
                                                              "rows_%d_%d.sqlite" % (tables + 1, indexes))]
        with contextlib.closing(sqlite3.connect(mine)) as db:
            db.execute("UPDATE method_rows SET exclusive_wall_ns=1000*exclusive_wall_ns, inclusive_wall_ns=1000*inclusive_wall_ns")
            db.commit()
        for other in others:
            shutil.copy(mine, other)
        os.remove(mine)
        kept = [read(other) for other in others]
        with Site(program, *OPTIONS, store=site.store) as after:
            wait_for_rows(after, 2)
            equal(ask(after, "/builds", app="shop")["builds"], told)
            equal([read(other) for other in others], kept)
            # A day after they were last written they go with the next pass.
            day = time.time() - 25 * 3600
            for other in others:
                os.utime(other, (day, day))
            after.ask("/api/v1/traces/" + traces[0]["id"], "DELETE", bearer(traces[0]))
            wait_until(lambda: glob.glob(os.path.join(site.store, "rows*.sqlite")) == [mine])


READERS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "readers")


def read_parquet(paths):
    """What hyparquet reads of each."""
    lines = "".join(json.dumps(["parquet", "rows", path]) + "\n" for path in paths)
    run = subprocess.run(["node", os.path.join(READERS, "tables.mjs")], input=lines, capture_output=True, text=True, check=False)
    equal((run.returncode, run.stderr), (0, ""))
    return [json.loads(line) for line in run.stdout.splitlines()]


def rows_become_parquet(program):
    """A file for each build of each app, whatever their names are; what two readers of others read is what was counted."""
    hostile, long = "../..", "%" * 200
    odd = {("a\u202e'b", "f'\";--", "()V"): (3, 700), **FILL}
    with Site(program, *OPTIONS) as site, tempfile.TemporaryDirectory() as home:
        put_build(site, "1", calls_of(4, 5000), runs=2)
        put_build(site, "2", calls_of(6, 5000), runs=1)
        put_build(site, "3", odd, runs=1, label_app=hostile)
        put_build(site, "4", calls_of(7, 5000), runs=1, label_app=long)
        put_build(site, "", calls_of(8, 5000), runs=1, label_app="")
        wait_until(lambda: count_rows(site)[0] == 6)
        out = os.path.join(home, "out")

        def rows(*words, status=0):
            run = verb(program, home, "store", "rows", "--json", site.store, "--parquet", *words)
            equal((run.returncode, run.stderr if status == 0 else ""), (status, ""))
            return json.loads(run.stdout) if status == 0 else run.stderr
        told = rows(out)
        equal({key: told[key] for key in told if key.startswith("parquet")},
              {"parquet_files": 5, "parquet_runs": 6, "parquet_rows": 6 * 27 - 1})
        files = sorted(os.path.relpath(os.path.join(folder, name), out) for folder, _, names in os.walk(out) for name in names)
        cut = next(name for name in files if name.startswith("%25"))
        equal(len(os.path.dirname(cut)), 200)
        equal(sorted(set(files) - {cut}), ["%2E.%2F../3.parquet", "%none/%none.parquet", "shop/1.parquet", "shop/2.parquet"])
        first, third = read_parquet([os.path.join(out, "shop/1.parquet"), os.path.join(out, "%2E.%2F../3.parquet")])
        pays = [row for row in first if row["method"] == "pay"]
        equal([(row["class"], row["signature"], row["thread_kind"], row["calls"], row["app"], row["build"], row["device"]) for row in pays],
              [("shop.Cart", "()V", "main", 4, "shop", "1", "pixel")] * 2)
        equal(sorted(row["inclusive_wall_ns"] for row in pays), [4 * 5000000, 4 * 5001000])
        equal(({row["inclusive_cpu_ns"] for row in first}, {row["cut_calls"] for row in first}), ({None}, {0}))
        equal({row["odd_wall"] for row in first}, {0})
        equal([(row["class"], row["calls"], row["app"]) for row in third if row["method"] == "f'\";--"], [("a\u202e'b", 3, hostile)])
        has(rows(out, status=1), "is not empty")
        equal(verb(program, home, "store", "stats", "--parquet", out, site.store).returncode, 2)
        if duck.missing():
            return
        asked = "FROM read_parquet('%s/*/*.parquet')" % out
        equal(duck.ask("SELECT count(*) " + asked), str(6 * 27 - 1))
        equal(duck.ask("SELECT to_json(list(calls ORDER BY calls)) FROM (SELECT sum(calls) AS calls %s WHERE method='pay' GROUP BY app, build)" % asked),
              "[6,7,8,8]")
        equal(duck.ask("SELECT sum(exclusive_wall_ns) %s WHERE app='shop' AND build='1'" % asked),
              str(sum(row["exclusive_wall_ns"] for row in first)))


def damaged_rows_are_told_by_name(program):
    """Who reads the log, or makes rows, learns which file it is: the one that may be deleted."""
    with Site(program, *OPTIONS) as site, tempfile.TemporaryDirectory() as home:
        put_build(site, "1", calls_of(1, 2000), runs=1)
        wait_for_rows(site, 1)
        site.stop()
        rows = rows_of(site.store)
        for end in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(rows + end)
        with open(rows, "wb") as file:
            file.write(b"no database" * 1000)
        run = verb(program, home, "store", "rows", site.store)
        equal(run.returncode, 1)
        has(run.stderr, "SQLite cannot use %s of the store: file is not a database" % os.path.basename(rows))
        os.remove(rows)
        equal(json.loads(verb(program, home, "store", "rows", "--json", site.store).stdout)["made"], 1)


HOSTILE = "</td><script>alert(1)</script>\"' & # %2F ?é"


def pages_lead_from_builds_to_calls(program):
    """Whatever names and labels are; a page of the viewer opens at the longest call."""
    method = ("a.<b>&'\"", "x</a>;#%", "(I)V")
    with Site(program, *OPTIONS) as site:
        for build, length in (("1 <i>", 4000), ("2\"", 9000)):
            put_build(site, build, {method: (2, length), **FILL}, runs=2, label_app=HOSTILE, device=HOSTILE)
        wait_for_rows(site, 4)
        html = {"Accept": "text/html"}

        def follow(page, part):
            links = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]*)"', page.text)]
            link = next(link for link in links if part in link)
            answer = site.ask(link.partition("#")[0], headers=html)
            equal((link, answer.status), (link, viewer_status(program) if link.startswith("/trace/") else 200))
            assert "<script>alert" not in answer.text and "<i>" not in answer.text, answer.text
            return answer, link
        builds, _ = follow(site.ask("/apps", headers=html), "/apps?app=")
        diff, _ = follow(builds, "/apps/diff")
        has(diff.text, "2 traces of build 1 &lt;i&gt; beside 2 traces of build 2")
        has(diff.text, "Methods by their time, tested against a change of 5 %: 1 changed")
        history, _ = follow(diff, "/apps/method")
        has(history.text, "In " + HOSTILE.split("<")[0])
        _, link = follow(diff, "#view=")
        assert re.search(r"#view=0\.000000-4\.00[01]000ms&method=", link), link
        _, link = follow(history, "#view=")
        equal(site.ask("/apps/method?app=x", headers=html).status, 400)
        equal(site.ask("/apps/diff?app=nothing", headers=html).status, 404)
        has(site.ask("/apps?app=nothing", headers=html).text, "app:nothing")


def weeks_become_a_feed(program):
    """An entry for each week that is over and had traces; whatever a label is, the feed is XML."""
    atom, week = "{http://www.w3.org/2005/Atom}", 7 * 86400
    with Site(program, *OPTIONS) as site:
        for build, pays in (("1", 4), ("2", 3)):
            put_build(site, build, calls_of(pays, 5000), runs=2)
        put_build(site, "]]><x>", calls_of(5, 5000), runs=1, label_app=HOSTILE)
        put_build(site, "3", calls_of(6, 5000), runs=1)
        monday = (int(time.time()) - 4 * 86400) // week * week + 4 * 86400
        with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"))) as db:
            # Build 3 of this week is told when the week is over.
            for build, days in (("1", 14), ("2", 7), ("]]>%", 7)):
                db.execute("UPDATE traces SET created=? WHERE id IN (SELECT trace FROM labels WHERE key='build' AND value LIKE ?)",
                           (monday - days * 86400 + 3600, build))
            db.commit()

        def entries(**parameters):
            answer = site.ask("/api/v1/apps/feed?" + urllib.parse.urlencode(parameters))
            equal((answer.status, answer.headers["Content-Type"]), (200, "application/atom+xml; charset=utf-8"))
            equal(answer.headers["Cache-Control"], "no-store")  # it is by the rights of whoever asks
            feed = xml.etree.ElementTree.fromstring(answer.body)
            ids = [one.text for one in feed.iter(atom + "id")]
            equal(len(set(ids)), len(ids))
            return feed.findall(atom + "entry")
        day = lambda time_s: time.strftime("%Y-%m-%d", time.gmtime(time_s))
        both = entries()
        equal([entry.find(atom + "title").text for entry in both],
              ["Week from %s: 3 traces" % day(monday - week), "Week from %s: 2 traces" % day(monday - 2 * week)])
        equal(both[0].find(atom + "updated").text, day(monday) + "T00:00:00Z")
        rows = [[(cell.text or cell[0].text) for cell in row] for row in both[0].iter("{http://www.w3.org/1999/xhtml}tr")][1:]
        equal(rows, [["shop", "2", "2", "1", "\u2013", "\u2013", "\u2013", "\u2013"],
                     [HOSTILE, "]]><x>", "1", "\u2013", "\u2013", "\u2013", "\u2013", "\u2013"]])
        has(next(both[0].iter("{http://www.w3.org/1999/xhtml}a")).get("href"), "/apps/diff?app=shop&old=1&new=2")
        equal([entry.find(atom + "title").text[-8:] for entry in entries(app="shop")], ["2 traces"] * 2)
        # Neither a build that comes between two others, nor one that makes the order another, nor another app, changes what was so.
        told = [xml.etree.ElementTree.tostring(entry) for entry in both]
        for app, build in (("shop", "1.5"), ("shop", "main"), ("other", "1")):
            put_build(site, build, calls_of(9, 5000), runs=1, label_app=app)
        equal([xml.etree.ElementTree.tostring(entry) for entry in entries()], told)
        equal(site.ask("/api/v1/apps/feed?app=nothing").status, 200)
        has(site.ask("/apps", headers={"Accept": "text/html"}).text, "/api/v1/apps/feed")


def more_traces_than_are_counted_are_told(program):
    """Wherever their numbers stand, for people; programs have is_cut."""
    with Site(program, *OPTIONS) as site:
        for build, pays in (("1", 4), ("2", 3)):
            old = put_build(site, build, calls_of(pays, 5000), runs=1)[0]["id"]
        wait_for_rows(site, 2)
        method = urllib.parse.urlencode(dict(zip(("class", "name", "signature"), PAY)))
        places = ("/apps", "/apps?app=shop", "/apps/diff?app=shop", "/apps/method?app=shop&" + method, "/api/v1/apps/feed")

        def clone(count):
            with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"), timeout=20)) as db:
                names = [row[1] for row in db.execute("PRAGMA table_info(traces)")]
                values = [{"id": "printf('%032x', at)", "created": "created - 60 * 86400"}.get(name, name) for name in names]
                numbers = "WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < %d) " % count
                db.execute("UPDATE traces SET created=created - 14 * 86400")
                db.execute("INSERT INTO traces(%s) %s SELECT %s FROM traces, n WHERE id=?" %
                           (", ".join(names), numbers, ", ".join(values)), (old,))
                db.execute("INSERT INTO labels(trace, key, value) %s SELECT printf('%%032x', at), key, value FROM labels, n"
                           " WHERE trace=?" % numbers, (old,))
                db.commit()

        def told():
            answers = [site.ask(place, headers={"Accept": "text/html"}) for place in places]
            equal([answer.status for answer in answers], [200] * len(places))
            return [" Of more than %d traces only the newest are counted.</p>" % (5000 if "feed" in place else 20000) in answer.text
                    for place, answer in zip(places, answers)]
        equal((told(), ask(site, "")["is_cut"]), ([False] * len(places), False))
        clone(20000)
        equal(ask(site, "")["is_cut"], True)
        equal(told(), [True] * len(places))


def terminal_asks_by_a_token(program):
    """What the user may see counts by a token that may read, and by no other one."""
    with projects(program, "--rows", "asked") as site, tempfile.TemporaryDirectory() as home:
        url = "http://127.0.0.1:%d" % site.port
        for build, pays in (("1", 4), ("2", 6)):
            put_build(site, build, calls_of(pays, 5000), runs=2, headers=of("ana"), label_project="shop")
        wait_for_rows(site, 4, of("ana"))
        tokens = {}
        for scope in ("read", "upload"):
            tokens[scope] = os.path.join(home, scope)
            with open(tokens[scope], "w", encoding="utf-8") as file:
                file.write(made(site, "ana", scope)["token"] + "\n")

        def fleet(*words, scope="read", status=0):
            more = ("--token-file", tokens[scope]) if scope else ()
            run = verb(program, home, "fleet", "--site", url, *words, *more)
            equal((words, run.returncode, run.stderr if status == 0 else ""), (words, status, ""))
            return run.stdout if status == 0 else run.stderr
        equal(fleet("apps").splitlines()[1].split(), ["4", "2", "2", "shop"])
        equal(fleet("apps", scope=None), "no trace with the label app counts for you\n")
        equal(fleet("apps", scope="upload"), fleet("apps", scope=None))
        told = fleet("diff", "shop")
        has(told, "old: 1, 2 of 2 traces\nnew: 2, 2 of 2 traces\n\nmethods that are called more or less often: 1\n")
        has(told, "        4          6           2           2  shop.Cart.pay ()V\n")
        has(told, "\nTime ")
        put_build(site, "3", calls_of(6, 5100), runs=1, headers=of("ana"), device="other", label_project="shop")
        wait_for_rows(site, 5, of("ana"))
        has(fleet("diff", "shop", "2", "3"), "decides nothing\nOld ms ")
        equal(json.loads(fleet("diff", "shop", "1", "2", "--json"))["calls"][0]["examples"]["new"]["slowest_ns"] // 1000 in (5000, 5001), True)
        has(fleet("builds", "shop"), "Build\n     2        1")
        has(fleet("method", "shop", "shop.Cart.pay ()V"), "5.001  2\n")
        has(fleet("diff", "shop", "4", status=1), "of the build 4")
        for words in (("apps", "shop"), ("diff",), ("method", "shop"), ("what",)):
            fleet(*words, status=2)
        pushed = verb(program, home, "push", "--rows", "--to", url, "--label", "app=pushed", os.path.join(home, "none"))
        equal(pushed.returncode, 1)
        equal(verb(program, home, "push", "--rows", "--no-rows", "--to", url, "x").returncode, 2)
        trace = os.path.join(home, "a.trace")
        with open(trace, "wb") as file:
            file.write(trace_of(calls_of(3, 100)))
        equal(verb(program, home, "push", "--rows", "--to", url, "--label", "app=pushed", trace).returncode, 0)
        wait_until(lambda: "pushed" in fleet("apps", scope=None))


def commands_of_the_page_do_what_it_says(program):
    """The first block of sh of docs/fleet.md as it stands there; only the port is another one. The trace is waited for before it is asked about."""
    page = read(os.path.join(ROOT, "docs", "fleet.md")).decode("utf-8")
    lines = re.search(r"^```sh\n(.*?)^```$", page, re.M | re.S)[1].splitlines()
    assert len(lines) > 2, lines
    with Site(program, *OPTIONS) as site, tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(DATA, "recipes.trace.zst"), os.path.join(folder, "app.trace"))
        for line in lines:
            words = shlex.split(line.replace("127.0.0.1:8192", "127.0.0.1:%d" % site.port))
            equal(words[0], "traceview")
            said = lambda words=words: subprocess.run([program, *words[1:]], cwd=folder, env=dict(os.environ, XDG_DATA_HOME=folder), capture_output=True, text=True, check=False, timeout=60)
            if words[1] == "push":
                done = said()
                equal((done.returncode, done.stderr if done.returncode else ""), (0, ""))
            else:
                wait_until(lambda said=said, words=words: said().returncode == 0 and ("417" if words[-1] == "shop" else "shop") in said().stdout)


TESTS = [commands_of_the_page_do_what_it_says, builds_are_compared, builds_that_lost_data_have_no_verdict, short_names_of_two_builds_are_not_compared, wall_times_that_fell_are_not_believed, rows_of_two_builds_alone_are_looked_for, a_method_without_a_row_may_be_called,
         a_file_of_rows_tells_what_was_cut, cpu_time_that_may_be_more_is_told, a_file_of_rows_tells_what_is_not_recorded,
         an_app_has_the_same_traces_however_it_is_asked_about, what_cannot_be_read_counts_nowhere, builds_have_an_order, method_has_a_history, who_may_not_see_a_trace_learns_nothing_of_it,
         names_of_a_mapping_are_its_owners, a_site_without_rows_has_no_such_questions, rows_go_with_their_trace, rows_of_another_version_are_not_told,
         rows_become_parquet,
         weeks_become_a_feed, more_traces_than_are_counted_are_told,
         damaged_rows_are_told_by_name, pages_lead_from_builds_to_calls, terminal_asks_by_a_token]
