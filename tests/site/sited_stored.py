"""Tests of sited.py: what `traceview store` does with the traces of a site that runs."""

import json
import re
import tempfile

from running import SMALL, Site, bearer, equal, has, read
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


TESTS = [administrator_lists_deletes_and_gives_traces]
