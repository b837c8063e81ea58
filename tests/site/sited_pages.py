"""The pages: what a browser without script gets."""

import contextlib
import os
import json
import re
import socket
import sqlite3
import time
import urllib.parse

from running import FORM, PATIENCE_S, SMALL, Site, bearer, equal, has, read, wait_until

HTML = {"Accept": "text/html,*/*;q=0.8"}


def pages_have_their_headers(program):
    with Site(program, "--list") as site:
        trace = site.ready(site.put(read(SMALL)))
        for path in ("/", "/list", "/stored", "/trace/%s/owner" % trace["id"], "/trace/%s/flame" % trace["id"], "/nothing",
                     "/trace/" + "0" * 32 + "/"):
            answer = site.ask(path, headers=HTML)
            has(answer.headers["Content-Type"], "text/html")
            has(answer.headers["Content-Security-Policy"], "default-src 'none'")
            equal(answer.headers["X-Content-Type-Options"], "nosniff")
            equal(answer.headers["Referrer-Policy"], "same-origin")
            equal(answer.headers["Cache-Control"], "no-store")
            equal(len(answer.headers.get_all("Content-Security-Policy")), 1)


def failures_are_pages_to_browsers_and_text_to_scripts(program):
    with Site(program) as site:
        for path, status in (("/nothing", 404), ("/list", 404), ("/trace/" + "0" * 32, 404)):
            page, text = site.ask(path, headers=HTML), site.ask(path)
            equal((page.status, text.status), (status, status))
            has(page.text, "<h1")
            assert "<" not in text.text, text.text
        equal(site.ask("/api/v1/traces/" + "0" * 32, headers=HTML).headers["Content-Type"], "application/json")
        equal(site.ask("/trace/%s/api/info" % ("0" * 32), headers=HTML).headers["Content-Type"], "application/json")


def trace_page_leads_from_waiting_to_the_viewer(program):
    with Site(program) as site:
        trace = site.put(read(SMALL))
        states = set()

        def is_viewer():
            answer = site.ask("/trace/%s/" % trace["id"], headers=HTML)
            states.add(answer.status)
            return answer.status == 503 or "http-equiv=\"refresh\"" not in answer.text

        wait_until(is_viewer)
        assert states <= {200, 503}, states
        if 503 in states:
            print("skipped: the viewer's page on a site: built without its page")
            return
        answer = site.ask("/trace/%s/" % trace["id"], headers=HTML)
        equal(answer.headers["Cache-Control"], "no-cache")
        equal(len(answer.headers.get_all("Content-Security-Policy")), 1)
        again = site.ask("/trace/%s/" % trace["id"], headers={"If-None-Match": answer.headers["ETag"]})
        equal((again.status, again.body), (304, b""))


def events_tell_when_a_trace_is_ready(program):
    with Site(program) as site:
        trace = site.put(read(SMALL))
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as stream:
            stream.sendall(("GET /trace/%s/api/events HTTP/1.1\r\nHost: localhost\r\n\r\n" % trace["id"]).encode())
            text = b""
            while b"0\r\n\r\n" not in text:
                piece = stream.recv(4096)
                assert piece, text
                text += piece
        has(text, b"text/event-stream")
        has(text, b"event: ready\ndata: {\"trace\":1}\n\n")
        broken = site.put(b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"not deflated at all", name="a.trace.gz")
        has(site.ask("/trace/%s/api/events" % broken["id"]).text, 'event: failed\ndata: {"error":')
        equal(site.ask("/trace/%s/api/events" % ("0" * 32)).status, 404)


def owner_changes_and_deletes_without_script(program):
    form = dict(HTML, **FORM)
    with Site(program) as site:
        trace = site.put(read(SMALL), title="Old")
        path = "/trace/%s/owner" % trace["id"]
        has(site.ask(path, headers=HTML).text, "owner_token")
        wrong = site.ask(path, "POST", form, "action=save&title=New&owner_token=" + "0" * 32)
        equal((wrong.status, site.trace(trace)["title"]), (403, "Old"))
        saved = site.ask(path, "POST", form, "action=save&title=New&owner_token=" + trace["owner_token"])
        equal((saved.status, saved.headers["Location"]), (303, "/trace/%s/" % trace["id"]))
        equal(site.trace(trace)["title"], "New")
        equal(site.ask(path, "POST", form, "action=eat&owner_token=" + trace["owner_token"]).status, 400)
        gone = site.ask(path, "POST", form, "action=delete&owner_token=" + trace["owner_token"])
        equal((gone.status, gone.headers["Location"]), (303, "/"))
        equal(site.ask("/trace/%s/" % trace["id"]).status, 404)


def flame_page_has_a_picture_of_each_thread(program):
    with Site(program) as site:
        trace = site.ready(site.put(read(SMALL)))
        page = site.ask("/trace/%s/flame" % trace["id"], headers=HTML)
        pictures = set(re.findall(r"(\d+)\.svg", page.text))
        assert pictures, page.text
        for thread in pictures:
            picture = site.ask("/trace/%s/%s.svg" % (trace["id"], thread))
            equal((picture.status, picture.headers["Content-Type"].split(";")[0]), (200, "image/svg+xml"))
            has(picture.text, "<svg")
            has(picture.headers["Content-Security-Policy"], "default-src 'none'")
        equal(site.ask("/trace/%s/4294967296.svg" % trace["id"]).status, 404)
        equal(site.ask("/trace/%s/99999.svg" % trace["id"]).status, 404)


def samples_are_no_calls_on_the_flame_page(program):
    """Of a sampled trace a count is one of runs, in the list of threads and in each picture."""
    with Site(program) as site:
        sampled = read(SMALL.replace("stream-f1-wall", "v3-dual")).replace(b"\nvm=", b"\nsampling-interval-usec=1000\nvm=", 1)
        trace = site.ready(site.put(sampled))
        page = site.ask("/trace/%s/flame" % trace["id"], headers=HTML).text
        assert re.search(r">[0-9,]+ runs?</span>", page), page
        assert not re.search(r">[0-9,]+ calls?</span>", page), page
        picture = site.ask("/trace/%s/%s.svg" % (trace["id"], re.search(r"(\d+)\.svg", page)[1])).text
        assert re.search(r"[0-9,]+ runs?\)</title>", picture) and not re.search(r"[0-9,]+ calls?\)</title>", picture)


def two_traces_are_compared(program):
    with Site(program) as site:
        a = site.ready(site.put(read(SMALL), title="before <b>"))
        wait_until(lambda: time.time() > a["created_s"] + 1.2)  # the server's seconds may begin a tick later
        b = site.ready(site.put(read(SMALL), title="after"))
        # A list has the newest first, and so does its form.
        for first, second in ((a, b), (b, a)):
            answer = site.ask("/compare?trace=%s&trace=%s" % (first["id"], second["id"]), headers=HTML)
            equal(answer.status, 302)
            equal(answer.headers["Location"], "/trace/%s/#tab=changes&against=%s" % (b["id"], a["id"]))
        for old, new in ((a, b), (b, a)):
            answer = site.ask("/compare?old=%s&new=%s" % (old["id"], new["id"]), headers=HTML)
            equal((answer.status, answer.headers["Location"]),
                  (302, "/trace/%s/#tab=changes&against=%s" % (new["id"], old["id"])))
        for query in ("", "?old=%s" % a["id"], "?trace=%s" % a["id"], "?" + "&".join(["trace=" + a["id"]] * 3)):
            answer = site.ask("/compare" + query)
            equal(answer.status, 400)
            has(answer.text, "two traces are wanted")
        for query in ("old=%s&new=%s", "trace=%s&trace=%s"):
            equal(site.ask("/compare?" + query % (a["id"], "0" * 32)).status, 404)
        equal(site.ask("/compare?trace=%s&trace=%s" % (a["id"], "%0d%0aX-Evil:1")).status, 400)
        # By links, as people have them, and by a form that a trace's page leads to.
        links = [urllib.parse.quote("https://traces.example.org/traces/trace/%s" % trace["id"], safe="") for trace in (a, b)]
        answer = site.ask("/compare?old=%s&new=+%s%%2F+" % tuple(links), headers=HTML)
        equal((answer.status, answer.headers["Location"]), (302, "/trace/%s/#tab=changes&against=%s" % (b["id"], a["id"])))
        equal(site.ask("/compare?old=%s&new=x%s" % (links[0], b["id"])).status, 400)
        for query, value in (("", 0), ("?old=", 0), ("?old=" + a["id"], 1), ("?old=" + links[0], 1)):
            form = site.ask("/compare" + query, headers=HTML)
            equal((form.status, form.text.count('value="http://127.0.0.1:%d/trace/%s/"' % (site.port, a["id"]))), (200, value))
        equal(site.ask("/compare?old=%3Cscript%3E", headers=HTML).status, 400)


def several_runs_a_side_are_compared(program):
    """By lists of links, and by labels, which find what the list shows."""
    with Site(program, "--list") as site:
        old = [site.ready(site.put(read(SMALL), listed=1, label_build=417))["id"] for _ in range(2)]
        new = [site.ready(site.put(read(SMALL), listed=1, label_build=418))["id"] for _ in range(3)]
        leads = lambda query: site.ask("/compare?" + query, headers=HTML)
        answer = leads("old=%s&new=%s" % (",".join(old), ",".join(new)))
        equal((answer.status, answer.headers["Location"]),
              (302, "/trace/%s/#tab=changes&runs=%s~%s" % (new[0], ",".join(old), ",".join(new))))
        answer = leads("old=build:417&new=build:418")
        equal(answer.status, 302)
        sides = answer.headers["Location"].partition("runs=")[2].split("~")
        equal([sorted(side.split(",")) for side in sides], [sorted(old), sorted(new)])
        # One trace a side is compared as two traces are.
        answer = leads("old=%s&new=build:418" % old[0])
        equal(answer.headers["Location"].partition("runs=")[2].split("~")[0], old[0])
        for query, status, says in (
                ("old=build:417&new=build:999", 404, "no trace with build:999"),
                ("old=build:417&new=build:417", 400, "stands twice"),
                ("old=%s,%s&new=%s" % (old[0], old[0], new[0]), 400, "stands twice"),
                ("old=build&new=build:418", 400, "two traces are wanted"),
                ("old=http://x/&new=build:418", 400, "two traces are wanted"),
                ("old=%s,&new=%s" % (old[0], new[0]), 400, "two traces are wanted"),
                ("old=%s&new=%s" % (old[0], ",".join("%032x" % n for n in range(32))), 400, "more than 32 traces")):
            answer = site.ask("/compare?" + query)
            equal((query, answer.status), (query, status))
            has(answer.text, says)
        answer = site.ask("/api/v1/traces/%s/view/diff?old=%s&new=%s&n=1" % (new[0], ",".join(old), ",".join(new)))
        sides = json.loads(answer.text)
        equal((sides["old"]["runs"], sides["new"]["runs"], sides["new"]["typical"]), (2, 3, 1))
    with Site(program) as site:
        equal(site.ask("/compare?old=build:1&new=build:2").status, 404)


def traces_of_one_second_are_in_order(program):
    """As they came: the list has the last one first, and of two that are ticked the one below is the old one."""
    with Site(program, "--list", "--upload-rate", "0") as site:
        kept = [site.put(read(SMALL), listed=1) for _ in range(24)]
        ids = [trace["id"] for trace in kept]
        equal([row["id"] for row in site.ask("/api/v1/traces").json["traces"]], ids[::-1])
        for trace in kept:
            site.ready(trace)
        for old, new in zip(ids, ids[1:]):
            answer = site.ask("/compare?trace=%s&trace=%s" % (new, old), headers=HTML)
            equal(answer.headers["Location"], "/trace/%s/#tab=changes&against=%s" % (new, old))


def list_is_filtered_by_user_and_day(program):
    people = ("--trusted-proxies", "127.0.0.1", "--users", "proxy", "--list")
    of = lambda user: {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-User": user}
    with Site(program, *people) as site:
        ids = [site.put(read(SMALL), headers=of(user), listed=1, title="T", label_app="shop")["id"] for user in ("ana", "ana", "bob")]
        with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"))) as database, database:
            for at, made in enumerate((1795305600, 1795392000, 1795391999)):  # 2026-11-22, the next midnight, a second before it
                database.execute("UPDATE traces SET created = ? WHERE id = ?", (made, ids[at]))
        def found(query, headers=None):
            answer = site.ask("/api/v1/traces?q=" + urllib.parse.quote(query), headers=headers)
            return {ids.index(row["id"]) for row in answer.json["traces"]}
        for query, which in (("", {0, 1, 2}), ("from:2026-11-23", {1}), ("until:2026-11-23", {0, 2}), ("from:2026-11-22 until:2026-11-23 T", {0, 2}),
                             ("from:2026-11-24", set()), ("until:2026-11-22", set()), ("app:shop from:2026-11-23", {1}),
                             ("from:2026-13-01", set()), ("from:0000-01-01", set()), ("until:9999-12-31", {0, 1, 2}), ("from:yesterday", set())):
            equal((query, found(query)), (query, which))
        equal((found("user:ana", of("ana")), found("user:bob", of("ana")), found("user:ana until:2026-11-23", of("ana"))), ({0, 1}, set(), {0}))
        equal((found("user:ana user:bob", of("bob")), found("user:bob user:bob", of("bob"))), (set(), {2}))
        # Who has no name sees no names of others, so the word is that of a label.
        equal(found("user:ana"), set())


def raw_file_comes_in_ranges(program):
    with Site(program) as site:
        trace = site.put(read(SMALL), name="\u00e4 b.trace")
        path = "/api/v1/traces/%s/raw" % trace["id"]
        whole = site.ask(path, headers=bearer(trace))
        has(whole.headers["Content-Disposition"], "attachment")
        part = site.ask(path, headers=dict(bearer(trace), Range="bytes=10-19"))
        equal((part.status, part.body), (206, read(SMALL)[10:20]))
        equal(part.headers["Content-Range"], "bytes 10-19/%d" % len(read(SMALL)))
        equal(site.ask(path, headers=dict(bearer(trace), Range="bytes=99999999-")).status, 416)
        again = site.ask(path, headers=dict(bearer(trace), **{"If-None-Match": whole.headers["ETag"]}))
        equal((again.status, again.body), (304, b""))


TESTS = [pages_have_their_headers, failures_are_pages_to_browsers_and_text_to_scripts,
         trace_page_leads_from_waiting_to_the_viewer, events_tell_when_a_trace_is_ready,
         owner_changes_and_deletes_without_script, flame_page_has_a_picture_of_each_thread,
         samples_are_no_calls_on_the_flame_page, two_traces_are_compared, several_runs_a_side_are_compared, traces_of_one_second_are_in_order, list_is_filtered_by_user_and_day,
         raw_file_comes_in_ranges]
