"""The API: what it tells, changes, lists, and how it is described. Each request of each test is held against the
description, too (described.py)."""

import os
import re
import subprocess
import tempfile
import urllib.parse

import described
from running import DATA, FORM, ROOT, SMALL, Site, bearer, equal, has, read


def description_is_that_of_the_sources(program):
    if not described.jsonschema:
        print("skipped: the API's schemas: python3-jsonschema is missing")
    with Site(program) as site:
        answer = site.ask("/api/v1/openapi.json")
        equal(answer.body, read(os.path.join(ROOT, "src", "site", "answer", "openapi.json")))
        equal(answer.json["openapi"], "3.1.0")
        if described.jsonschema:
            for schema in answer.json["components"]["schemas"].values():
                described.jsonschema.Draft202012Validator.check_schema(schema)
        names = [operation["operationId"] for path in answer.json["paths"].values() for operation in path.values()]
        equal(len(names), len(set(names)))


def parameters_of(route):
    """Those that a route of comparisons takes, by its source in src/api/comparisons."""
    api = os.path.join(ROOT, "src", "api")
    sources = {path: read(path).decode() for folder, _, names in os.walk(api) for path in (os.path.join(folder, name) for name in names)
               if path.endswith((".c", ".h"))}
    lists = dict(re.findall(r"#define (TV_\w+_PARAMS)[ \\\n]+(.*)", "\n".join(sources.values())))
    text, = [source for source in sources.values() if "tv_route tv_route_%s =" % route in source]
    words = re.search(r"params\[\] = \{(.*?)\};", text, re.S)[1]
    return set(re.findall(r'"(\w+)"', re.sub(r"TV_\w+_PARAMS", lambda name: lists[name[0]], words)))


def each_parameter_of_a_comparison_is_described(program):
    for path, operations in described.DOCUMENT["paths"].items():
        route = re.fullmatch(r"(?:/trace/\{id\}/api|/api/v1/traces/\{id\}/view)/(\w*diff|before|rules|trend|counts)", path)
        if route:
            names = {parameter["name"] for parameter in map(described.resolve, operations["get"]["parameters"]) if parameter["in"] == "query"}
            equal((path, names), (path, parameters_of(route[1])))
    with Site(program) as site:
        trace = site.ready(site.put(read(SMALL)))["id"]
        top = site.ask("/api/v1/traces/%s/view/info" % trace).json["threads"][0]["id"]
        answer = site.ask("/api/v1/traces/%s/view/flamediff?width=300&old_call=%d.0.0&new_call=%d.1.0" % (trace, top, top))
        equal((answer.status, answer.body[:4]), (200, b"TVD1"))


def every_described_operation_is_there(program):
    values = {"id": "0" * 32, "thread": "1", "route": "info", "format": "csv", "file": "site.css", "name": "a.trace"}
    methods = {"GET", "PUT", "POST", "PATCH", "DELETE"}
    with Site(program) as site:
        for path, operations in described.DOCUMENT["paths"].items():
            target = re.sub(r"\{(\w+)\}", lambda name: values[name[1]], path)
            for method in methods:
                answer = site.ask(target, method, {"Content-Length": "0"} if method != "GET" else None)
                is_there = method.lower() in operations
                if not is_there and "{name}" in path:  # where a file is sent to is no page
                    equal(answer.status, 404)
                    continue
                assert (answer.status == 405) != is_there, (method, path, answer.status)
                if not is_there:
                    allowed = set(answer.headers["Allow"].split(", ")) - {"HEAD"}
                    equal(allowed, {name.upper() for name in operations})
            for method in ("OPTIONS", "TRACE", "BREW"):
                equal(site.ask(target, method).status, 404 if "{name}" in path else 405)


def trace_is_told_changed_and_deleted(program):
    with Site(program) as site:
        trace = site.put(read(SMALL), title="Old", note="stays", label_app="shop", label_build="1")
        path = "/api/v1/traces/" + trace["id"]
        answer = site.ask(path, "PATCH", dict(bearer(trace), **FORM),
                          "title=New+title&label_build=&label_device=Pixel%206&expires=2w&raw_shared=1")
        equal(answer.status, 200)
        changed = answer.json
        equal((changed["title"], changed["note"]), ("New title", "stays"))
        equal(changed["labels"], {"app": "shop", "device": "Pixel 6"})
        equal(changed["raw_shared"], True)
        assert abs(changed["expires_s"] - changed["created_s"] - 14 * 86400) < 600
        stranger = site.ask(path).json
        equal((stranger["owner"], stranger["title"]), (False, "New title"))
        assert "sha256" not in stranger and "owner_token" not in stranger
        equal(site.ask(path + "/raw").body, read(SMALL))
        for bad in ("title=%zz", "what=1", "expires=never,", "raw_shared=maybe", "title=a&title=b", "label_A=1", "name=b.trace",
                    "owner_token=" + "0" * 32):
            equal(site.ask(path, "PATCH", dict(bearer(trace), **FORM), bad).status, 400)
        equal(site.ask(path, "PATCH", dict(bearer(trace), **FORM), "note=" + "x" * 70000).status, 413)
        equal(site.trace(trace)["title"], "New title")
        equal(site.ask(path, "DELETE", bearer(trace)).status, 204)
        for gone in (path, path + "/raw", "/trace/%s/" % trace["id"], "/trace/" + trace["id"]):
            equal(site.ask(gone, headers=bearer(trace)).status, 404)
        equal(site.ask(path, "DELETE", bearer(trace)).status, 404)


def owner_lists_their_own_and_others_what_is_listed(program):
    with Site(program, "--list") as site:
        mine = [site.put(read(SMALL), title="Cold start %d" % n, label_app="shop") for n in range(3)]
        other = site.put(read(SMALL), title="Scroll", label_app="mail", listed="1")
        own = site.ask("/api/v1/traces", headers=bearer(mine[0])).json["traces"]
        equal([trace["id"] for trace in own], [mine[0]["id"]])
        tokens = ", ".join(trace["owner_token"] for trace in mine)
        own = site.ask("/api/v1/traces", headers=dict(bearer(other), **{"X-Owner-Token": tokens})).json["traces"]
        equal({trace["id"] for trace in own}, {trace["id"] for trace in mine + [other]})
        assert all(trace["owner"] for trace in own if trace["id"] == other["id"])
        listed = site.ask("/api/v1/traces").json["traces"]
        equal([trace["id"] for trace in listed], [other["id"]])
        for search, count in (("scroll", 1), ("SCR", 1), ("app:mail", 1), ("app:shop", 0), ("app:mail scroll", 1),
                              ("nothing", 0), ("%25", 0), ("_", 0)):
            equal(len(site.ask("/api/v1/traces?q=" + search.replace(" ", "+")).json["traces"]), count)
        equal(site.ask("/api/v1/traces?from=x").status, 400)
        equal(site.ask("/api/v1/traces?label=x").status, 400)
        # Every word and label is looked for, or the question is refused.
        for search, status, what in (("scroll " * 16, 200, 1), ("scroll " * 17, 400, "a search has at most 16 words"), ("app:mail " * 32, 200, 1),
                                     ("app:mail " * 33, 400, "a search has at most 32 labels"), ("x" * 10001, 200, 0), ("%" * 20000, 200, 0)):
            answer = site.ask("/api/v1/traces?q=" + urllib.parse.quote_plus(search.strip()))
            equal((search[:9], answer.status, len(answer.json["traces"]) if status == 200 else answer.json["error"]), (search[:9], status, what))
        equal(site.ask("/list?q=" + "scroll+" * 17, headers={"Accept": "text/html"}).status, 400)


def labels_with_blanks_are_found(program):
    """In quotes, or by a parameter; the list leads to them, and its next page asks the same."""
    with Site(program, "--list") as site:
        odd = 'Tab 10" "x"'
        pixel, tab = [site.ready(site.put(read(SMALL), listed="1", label_device=device, label_from="2026-11-22"))["id"] for device in ("Pixel 8", odd)]
        site.ready(site.put(read(SMALL), listed="1", label_device="Pixel"))

        def found(**asked):
            return [row["id"] for row in site.ask("/api/v1/traces?" + urllib.parse.urlencode(asked)).json["traces"]]
        for search, ids in (('device:"Pixel 8"', [pixel]), ('device:"Tab 10"" ""x"""', [tab]), ('device:"Pixel 8" device:"Pixel 8"', [pixel]),
                            ('device:"Pixel 8" from:"2026-11-22"', [pixel]), ('trace device:"Pixel 8"', [pixel]), ('device:"Pixel 8" nothing', []),
                            ('device:"Pixel 8', []), ('device:"Pixel 8"x', [])):
            equal((search, found(q=search)), (search, ids))
        equal((found(label_device="Pixel 8"), found(label_device=odd), found(label_device="Pixel 8", label_from="2026-11-22")), ([pixel], [tab], [pixel]))
        equal((found(label_device="Pixel 8", q="from:2999-01-01"), found(q="from:2999-01-01 from:2001-01-01"), found(q="until:2001-01-01 until:2999-01-01")), ([], [], []))
        page = site.ask("/list", headers={"Accept": "text/html"}).text
        has(page, '<a href="/list?label_device=Pixel%208">Pixel 8</a>')
        page = site.ask("/list?label_device=Pixel%208", headers={"Accept": "text/html"}).text
        has(page, 'value="device:&quot;Pixel 8&quot;"')
        assert pixel in page and tab not in page
        answer = site.ask("/compare?" + urllib.parse.urlencode({"old": 'device:"Pixel 8"', "new": "device:Pixel"}), headers={"Accept": "text/html"})
        equal(answer.status, 302)
        equal(site.ask("/api/v1/traces?what=x").status, 400)


def list_has_pages(program):
    with Site(program, "--list", "--upload-rate", "0") as site:
        ids = {site.put(read(SMALL), listed="1")["id"] for _ in range(53)}
        first = site.ask("/api/v1/traces").json
        second = site.ask("/api/v1/traces?from=" + first["next"]).json
        equal((len(first["traces"]), len(second["traces"]), second["next"]), (50, 3, None))
        equal({trace["id"] for trace in first["traces"] + second["traces"]}, ids)


def comparisons_are_those_of_the_command(program):
    """A secret trace is compared by whoever knows its id, as its own page is."""
    other = os.path.join(DATA, "made", "v3-dual.trace")
    with Site(program) as site:
        old = site.ready(site.put(read(SMALL), name=os.path.basename(SMALL)))
        new = site.ready(site.put(read(other), name="v3-dual.trace"))
        by_verb = subprocess.run([program, "diff", "--json", SMALL, other], capture_output=True, check=True).stdout
        for path in ("/api/v1/traces/%s/view/diff?old=%s", "/trace/%s/api/diff?old=%s"):
            answer = site.ask(path % (new["id"], old["id"]))
            equal((answer.status, answer.body), (200, by_verb))
            equal(answer.headers["Cache-Control"], "no-store")
        path = "/api/v1/traces/%s/view/diff" % old["id"]
        equal(site.ask(path + "?old=%s&new=%s" % (old["id"], new["id"])).body, by_verb)
        for query, status in (("", 400), ("?old=" + old["id"], 400), ("?old=%s&n=x" % new["id"], 400), ("?old=" + "0" * 32, 404),
                              ("?old=../x", 404), ("?old=" + new["id"] + "&old=1", 400)):
            equal((query, site.ask(path + query).status), (query, status))
        for verb, route in (("check", "checkdiff"), ("insights", "insightsdiff"), ("frames", "lanesdiff")):
            run = subprocess.run([program, verb, "--json", "--against", SMALL, other], capture_output=True, check=False)
            for path in ("/api/v1/traces/%s/view/%s?old=%s", "/trace/%s/api/%s?old=%s"):
                equal((verb, site.ask(path % (new["id"], route, old["id"])).body), (verb, run.stdout))
        for query, key, value in (("counts?mine=com.", "runs", 1), ("counts?old=" + old["id"], "lock", os.path.basename(SMALL)),
                                  ("trend?old=" + old["id"], "clock", "wall"),
                                  ("rules?text=calls+of+*+in+0", "status", 3)):
            answer = site.ask("/api/v1/traces/%s/view/%s" % (new["id"], query))
            equal((answer.status, answer.json.get(key)), (200, value))
        refused = site.ask("/api/v1/traces/%s/view/counts?mine=a." % new["id"])
        equal((refused.status, "mine is 'a.'" in refused.json["error"]), (400, True))
        before = site.ask("/api/v1/traces/%s/view/before?ranks=0&old=%s" % (new["id"], old["id"]))
        equal((before.status, before.json["file"]), (200, os.path.basename(SMALL)))
        graphs = [site.ask(path % (new["id"], old["id"])) for path in ("/api/v1/traces/%s/view/flamediff?width=300&old=%s",
                                                                      "/trace/%s/api/flamediff?width=300&old=%s")]
        equal([(graph.status, graph.body[:4], graph.headers["Cache-Control"]) for graph in graphs], [(200, b"TVD1", "no-store")] * 2)
        equal(site.ask("/api/v1/traces/%s" % new["id"], "DELETE", bearer(new)).status, 204)
        equal(site.ask(path + "?old=" + new["id"]).status, 404)
        equal(site.ask("/api/v1/traces/%s/view/flamediff?width=300&old=%s" % (old["id"], new["id"])).status, 404)


def views_are_those_of_the_command(program):
    with Site(program) as site:
        trace = site.ready(site.put(read(SMALL), name="stream-f1-wall.trace"))
        for route in ("info", "top", "check"):
            by_verb = subprocess.run([program, route, "--json", SMALL], capture_output=True, check=True).stdout
            for path in ("/api/v1/traces/%s/view/%s", "/trace/%s/api/%s"):
                answer = site.ask(path % (trace["id"], route))
                equal((answer.status, answer.json), (200, described.json.loads(by_verb)))
        equal(site.ask("/api/v1/traces/%s/view/nothing" % trace["id"]).status, 404)
        equal(site.ask("/api/v1/traces/%s/view/top?n=x" % trace["id"]).status, 400)
        first = site.ask("/trace/%s/api/first" % trace["id"]).json
        equal((first["site"]["id"], first["site"]["base"], first["info"]["file"]),
              (trace["id"], "", "stream-f1-wall.trace"))


def exports_are_those_of_the_command(program):
    with Site(program) as site, tempfile.TemporaryDirectory() as folder:
        trace = site.ready(site.put(read(SMALL), name="stream-f1-wall.trace"))
        formats = subprocess.run([program, "export", "--help"], capture_output=True, check=True, text=True).stdout
        for name in ("chrome", "folded", "speedscope", "csv", "html"):
            has(formats, name)
            out = os.path.join(folder, name)
            subprocess.run([program, "export", SMALL, "--as", name, "-o", out], capture_output=True, check=True)
            answer = site.ask("/api/v1/traces/%s/export/%s" % (trace["id"], name))
            equal((answer.status, answer.body), (200, read(out)))
            has(answer.headers["Content-Disposition"], "attachment")
        equal(site.ask("/api/v1/traces/%s/export/nothing" % trace["id"]).status, 404)


def trace_that_cannot_be_read_says_why(program):
    cut = read(os.path.join(DATA, "made", "pair-v1.data"))
    with Site(program) as site:
        answer = site.ask("/api/v1/traces", "PUT", None, cut)
        equal(answer.status, 415)
        has(answer.json["error"], ".key")
        broken = site.ready(site.put(b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"not deflated at all", name="a.trace.gz"))
        equal(broken["state"], "failed")
        assert broken["reason"]
        answer = site.ask("/api/v1/traces/%s/view/info" % broken["id"])
        equal((answer.status, answer.json["error"]), (422, broken["reason"]))
        page = site.ask("/trace/%s/" % broken["id"], headers={"Accept": "text/html"})
        equal(page.status, 200)
        equal(site.ask("/api/v1/traces/%s/raw" % broken["id"], headers=bearer(broken)).status, 200)


def base_path_is_before_everything(program):
    with Site(program, "--base-path", "/traces") as site:
        answer = site.form(("trace_file", "a.trace", read(SMALL)))
        equal(answer.status, 302)
        assert answer.headers["Location"].startswith("/traces/trace/")
        trace = site.put(read(SMALL))
        equal(trace["url"], "/traces/trace/%s/" % trace["id"])
        equal(site.ask("/").status, 200)
        equal(site.ask("/trace/" + trace["id"]).headers["Location"], trace["url"])
        equal(site.send(b"GET /traces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")[9:12], b"302")
        for path in (b"/", b"/api/v1/openapi.json", b"/trace/" + trace["id"].encode(), b"/tracesx/"):
            text = b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path
            equal(site.send(text)[9:12], b"404")


def examples_of_the_documents_work(program):
    """The commands in docs/site-api.md, as they stand there: each block of sh that has curl in it, in one shell."""
    text = read(os.path.join(ROOT, "docs", "site-api.md")).decode()
    blocks = [block for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) if "curl" in block]
    assert blocks, "docs/site-api.md has no example"
    with Site(program) as site, tempfile.TemporaryDirectory() as folder:
        script = "set -eu\n" + "".join(blocks)
        script = script.replace("http://127.0.0.1:8192", "http://127.0.0.1:%d" % site.port)
        script = script.replace("app.trace", SMALL)
        done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        has(done.stdout, '"state":"ready"')


def example_of_settings_is_read(program):
    """The lines of docs/site.md for a site behind a proxy, as they stand there."""
    text = read(os.path.join(ROOT, "docs", "site.md")).decode()
    lines = re.search(r"^```\n(base-path = .*?)^```", text, re.M | re.S).group(1)
    with tempfile.NamedTemporaryFile("w", suffix=".conf", encoding="utf-8") as file:
        file.write(lines)
        file.flush()
        done = subprocess.run([program, "serve", "--check-config", "--config", file.name], capture_output=True, text=True,
                              check=False)
    assert done.returncode == 0, done.stderr
    has(done.stdout, "base-path = /traces ")


TESTS = [description_is_that_of_the_sources, each_parameter_of_a_comparison_is_described, every_described_operation_is_there, trace_is_told_changed_and_deleted,
         owner_lists_their_own_and_others_what_is_listed, labels_with_blanks_are_found, list_has_pages, views_are_those_of_the_command,
         comparisons_are_those_of_the_command,
         exports_are_those_of_the_command, trace_that_cannot_be_read_says_why, base_path_is_before_everything,
         examples_of_the_documents_work, example_of_settings_is_read]
