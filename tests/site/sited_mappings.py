"""Tests of sited.py: mappings of names, which the site keeps and finds for the traces of their owner."""

import gzip
import json
import os
import struct
import tempfile

from running import FORM, SMALL, Site, bearer, equal, has, read, wait_until
from sited_push import verb
from sited_users import OPTIONS, of


def trace_of(methods, file="SourceFile"):
    """A trace that calls each of these (class, name, signature) once, in a row."""
    lines = ["*version", "2", "data-file-overflow=false", "clock=wall", "*threads", "1\tmain", "*methods"]
    lines += ["0x%x\t%s\t%s\t%s\t%s\t1" % (4 * (at + 1), *method, file) for at, method in enumerate(methods)]
    records = b""
    for at in range(len(methods)):
        for action in (0, 1):
            records += struct.pack("<HII", 1, 4 * (at + 1) | action, 100 * (2 * at + action))
    head = b"SLOW" + struct.pack("<HHQH", 2, 32, 5, 10) + bytes(14)
    return ("\n".join(lines) + "\n*end\n").encode() + head + records


METHODS = (("a.a", "a", "()V"), ("a.a", "a", "(I)V"), ("a.b", "a", "(La/a;)V"), ("java.lang.Object", "wait", "()V"))
MAPPING = b"""# compiler: R8
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
# pg_map_id: %s
# pg_map_hash: SHA-256 %s
shop.Cart -> a.a:
    void pay() -> a
    void pay(int) -> a
shop.Till -> a.b:
    void take(shop.Cart) -> a
"""
IDS = (b"7d4b2c1", b"7d4b2c1" + b"0" * 57)
SOURCE = ["shop.Cart.pay ()V", "shop.Cart.pay (I)V", "shop.Till.take (Lshop/Cart;)V"]


def mapping_of(ids=IDS):
    text = MAPPING % ids
    return text if ids[0] else b"\n".join(line for line in text.split(b"\n") if b"pg_map" not in line)


def put_mapping(site, content, headers=None, status=201, **fields):
    query = "&".join("%s=%s" % field for field in dict({"name": "mapping.txt"}, **fields).items())
    answer = site.ask("/api/v1/mappings?" + query, "PUT", headers, content)
    equal((answer.status, answer.text if answer.status != status else ""), (status, ""))
    return answer.json


def token(kept):
    return {"X-Owner-Token": kept["owner_token"]}


def names(site, trace):
    """The methods of a trace as the site shows them."""
    rows = site.ask("/api/v1/traces/%s/view/top?n=9" % trace["id"]).json["methods"]
    return sorted(row["method"] for row in rows if "java.lang" not in row["method"])


def shown(site, trace, named):
    """Waits until the trace is ready with these names, or without any; returns what is said of them."""
    wait_until(lambda: site.trace(trace)["state"] == "ready" and bool(site.trace(trace)["names"]) == named)
    return site.trace(trace)["names"]


def mapping_names_traces_by_id(program):
    """Those that come later, and those that are there; the file itself stays as it was uploaded."""
    content = trace_of(METHODS, "r8-map-id-" + IDS[0].decode())
    with Site(program) as site:
        before = site.put(content)
        equal(site.ready(before)["names"], None)
        mapping = put_mapping(site, mapping_of(), token(before))
        equal((mapping["map_id"], mapping["map_hash"]), tuple(text.decode() for text in IDS))
        said = shown(site, before, True)
        equal({key: said[key] for key in ("by", "renamed", "asked", "known")}, {"by": "id", "renamed": 3, "asked": 3, "known": 3})
        equal(said["mapping_sha256"], mapping["sha256"])
        after = site.put(content, token(mapping), name="later.trace")
        shown(site, after, True)
        for trace in (before, after):
            equal(names(site, trace), SOURCE)
            path = "/api/v1/traces/" + trace["id"]
            equal(site.ask(path + "/raw", headers=bearer(before)).body, content)
            has(site.ask(path + "/export/folded").text, "shop.Cart.pay")
            has(site.ask(path + "/view/top?n=9").text, '"written":"a.b.a')
            equal(site.ask(path + "/view/info").json["renamed"], 3)
            first = site.ask("/trace/%s/api/first" % trace["id"]).json
            equal((first["state"]["names"]["by_id"], first["state"]["names"]["known"]), (True, 3))
            equal("mapping_sha256" in site.ask(path).json["names"], False)
        equal(site.ask(mapping["url"], "DELETE", bearer(mapping)).status, 204)
        shown(site, before, False)
        has(json.dumps(names(site, before)), "a.b.a")


def mapping_of_another_build_names_nothing(program):
    content = trace_of(METHODS, "r8-map-id-ffffff1")
    with Site(program) as site:
        mapping = put_mapping(site, mapping_of())
        trace = site.ready(site.put(content, token(mapping)))
        wait_until(lambda: site.trace(trace)["state"] == "ready" and "a.b.a" in json.dumps(names(site, trace)))
        equal(site.trace(trace)["names"], None)


def mapping_names_traces_by_build_else_by_names(program):
    content = trace_of(METHODS)
    with Site(program) as site:
        mapping = put_mapping(site, mapping_of((b"", b"")), label_build="7", label_app="shop")
        equal((mapping["map_id"], mapping["labels"]), ("", {"build": "7", "app": "shop"}))
        for labels, by in (({"label_build": "7"}, "build"), ({"label_build": "7", "label_app": "shop"}, "build"), ({}, "names"),
                           ({"label_build": "8"}, None), ({"label_app": "other"}, None)):
            trace = site.put(content, token(mapping), **labels)
            said = shown(site, trace, bool(by))
            equal((labels, said and said["by"]), (labels, by))
        # A mapping that knows none of the names is tried, and says so.
        other = put_mapping(site, b"org.other.A -> z.a:\n    void b() -> a\n")
        said = shown(site, site.put(content, token(other)), True)
        equal((said["by"], said["renamed"]), ("none", 0))


def mapping_is_for_its_owner_alone(program):
    content = trace_of(METHODS)
    with Site(program) as site:
        mapping = put_mapping(site, mapping_of())
        equal(site.ready(site.put(content))["names"], None)
        for method, path in (("GET", ""), ("GET", "/raw"), ("DELETE", "")):
            equal([site.ask(mapping["url"] + path, method, headers).status for headers in
                   ({}, {"Authorization": "Bearer " + "0" * 32})], [401, 404])
        # What is no trace has no page of one, and no answers.
        for path in ("/trace/%s/", "/api/v1/traces/%s", "/api/v1/traces/%s/view/top", "/api/v1/traces/%s/raw"):
            equal(site.ask(path % mapping["id"], headers=bearer(mapping)).status, 404)
        equal(site.ask("/api/v1/mappings").status, 401)
        found = site.ask("/api/v1/mappings", headers=bearer(mapping)).json["mappings"]
        equal([row["id"] for row in found], [mapping["id"]])
        equal(site.ask("/api/v1/traces", headers=bearer(mapping)).json["traces"], [])
        equal(site.ask(mapping["url"] + "/raw", headers=bearer(mapping)).body, mapping_of())
        equal(put_mapping(site, mapping_of(), status=400, for_all="1")["error"].startswith("for_all: "), True)


def mapping_of_a_user_is_for_all_where_they_say_so(program):
    content = trace_of(METHODS, "r8-map-id-" + IDS[0].decode())
    with Site(program, *OPTIONS) as site:
        own = put_mapping(site, mapping_of(), of("ana"))
        traces = {user: site.put(content, of(user)) for user in ("ana", "bob")}
        shown(site, traces["ana"], True)
        equal(site.ready(traces["bob"])["names"], None)
        equal([site.ask(own["url"], headers=of(user)).status for user in ("bob", "ana")], [404, 200])
        put_mapping(site, mapping_of(), of("ana"), for_all="1")
        equal(shown(site, traces["bob"], True)["by"], "id")
        # By names alone nobody's mapping renames traces of others.
        plain = site.put(trace_of(METHODS), of("bob"))
        equal(site.ready(plain)["names"], None)


def owner_keeps_names_of_the_file(program):
    content = trace_of(METHODS)
    with Site(program) as site:
        mapping = put_mapping(site, mapping_of())
        trace = site.put(content, token(mapping), names="file")
        equal(site.ready(trace)["names"], None)
        path = "/api/v1/traces/" + trace["id"]
        form = dict(bearer(mapping), **FORM)
        equal(site.ask(path, "PATCH", form, "names=mapping").status, 200)
        equal(shown(site, trace, True)["by"], "names")
        equal(site.ask(path, "PATCH", form, "names=file").status, 200)
        shown(site, trace, False)
        equal([site.ask(path, "PATCH", form, body).status for body in ("names=x", "for_all=1", "kind=mapping")], [400] * 3)


def push_keeps_a_mapping_and_names_what_comes_later(program):
    """All that one user pushes to a site has the owner token of the mapping, so that it names them."""
    content = trace_of(METHODS)
    with Site(program) as site, tempfile.TemporaryDirectory() as home:
        url = "http://127.0.0.1:%d" % site.port
        for name, text in (("app.trace", content), ("mapping.txt", mapping_of((b"", b"")))):
            with open(os.path.join(home, name), "wb") as file:
                file.write(text)
        run = lambda *words, status=0: pushed(program, home, url, *words, status=status)
        mapping, = run("--mapping", "mapping.txt", "--label", "app=shop")
        assert mapping.startswith(url + "/api/v1/mappings/"), mapping
        trace, = run("app.trace")
        with open(os.path.join(home, "traceview", "owner-tokens"), encoding="utf-8") as file:
            tokens = dict(line.split() for line in file)
        equal(len(set(tokens.values())), 1)
        kept = {"id": trace.split("/")[-2], "owner_token": tokens[trace]}
        equal(shown(site, kept, True)["by"], "names")
        both = run("--mapping", "mapping.txt", "app.trace", "--file-names")
        equal([link.split("/")[-2] for link in both], ["mappings", both[1].split("/")[-2]])
        equal(site.ready({"id": both[1].split("/")[-2], "owner_token": tokens[trace]})["names"], None)
        run("--delete", mapping)
        run("--delete", both[0])
        shown(site, kept, False)
        for words in (("--mapping", "mapping.txt", "--redact", "app.trace"), ("--for-all", "app.trace"), ()):
            run(*words, status=2)
        run("--mapping", "app.trace", status=1)
        opened = verb(program, home, "open", mapping)
        equal(opened.returncode, 2)
        has(opened.stderr, "is a mapping of names")


def pushed(program, home, url, *words, status):
    done = verb(program, home, "push", "--to", url, *words, cwd=home)
    equal((done.returncode, done.stderr if done.returncode != status else ""), (status, ""))
    return done.stdout.split()


def what_is_no_mapping_is_refused(program):
    with Site(program) as site:
        for content, part in ((b"\xff\xfea\0 \0-\0>\0", "UTF-16"), (read(SMALL), "no mapping"), (b"hello\n", "no mapping"),
                              (gzip.compress(mapping_of()), "unpacked"), (b"# {" + b'"a":{' * 90000, "no mapping")):
            error = put_mapping(site, content, status=415)["error"]
            has(error, part)
        equal(site.ask("/api/v1/mappings", "PUT", body=b"").status, 415)
        equal(site.ask("/api/v1/mappings", "PUT", body=mapping_of()).json["file"], "mapping.txt")
        answer = site.form(("trace_file", "m.txt", mapping_of()), path="/api/v1/mappings")
        equal(answer.status, 415)
        # A mapping is no trace.
        equal(site.ask("/api/v1/traces?name=m.txt", "PUT", body=mapping_of()).status, 415)


def odd_mapping_harms_no_trace(program):
    """Comments that nest without end, lines that are cut, a class twice: the child reads them, and the trace is shown."""
    content = trace_of(METHODS)
    bomb = b"    # {" + b'"a":{' * 200000 + b"\n"
    with Site(program, "--worker-time", "60s") as site:
        odd = mapping_of((b"", b"")).replace(b"shop.Till", bomb + b"shop.Till") + b"shop.Twice -> a.a:\n    void x() -> a\n    void cu"
        mapping = put_mapping(site, odd)
        said = shown(site, site.put(content, token(mapping)), True)
        equal((said["by"], said["known"]), ("names", 3))


def mapping_that_is_too_much_is_gone_without(program):
    """No child has the memory to read it; the trace has the names of its file, and says why."""
    if b"__asan_init" in read(program):
        print("skipped: mapping_that_is_too_much_is_gone_without: under a sanitizer memory has no limit")
        return
    content = trace_of(METHODS)
    with Site(program, "--worker-memory", "256M") as site:
        line = b"shop.Cart%08d" + b"s" * 200 + b" -> a.a%08d:\n    void pay() -> a\n"
        large = mapping_of((b"", b"")) + b"".join(line % (at, at) for at in range(600000))
        mapping = put_mapping(site, large)
        said = shown(site, site.put(content, token(mapping)), True)
        equal(said["by"], "failed")


def mapping_arrives_in_pieces(program):
    content = mapping_of()
    with Site(program) as site:
        upload = site.ask("/api/v1/uploads?name=m.txt&kind=mapping&label_build=7", "POST").json
        for at in range(0, len(content), 100):
            piece = dict(bearer(upload), **{"Upload-Offset": str(at)})
            equal(site.ask(upload["url"], "PATCH", piece, content[at:at + 100]).status, 204)
        for status in (201, 200):
            answer = site.ask(upload["url"] + "/complete", "POST", bearer(upload))
            equal((answer.status, answer.json["map_id"], answer.json["labels"]), (status, IDS[0].decode(), {"build": "7"}))
        equal(site.ask(answer.json["url"] + "/raw", headers=bearer(upload)).body, content)
        upload = site.ask("/api/v1/uploads?name=m.txt&kind=mapping", "POST").json
        piece = dict(bearer(upload), **{"Upload-Offset": "0"})
        equal(site.ask(upload["url"], "PATCH", piece, b"no mapping\n").status, 204)
        equal(site.ask(upload["url"] + "/complete", "POST", bearer(upload)).status, 415)


TESTS = [mapping_names_traces_by_id, mapping_of_another_build_names_nothing, mapping_names_traces_by_build_else_by_names,
         mapping_is_for_its_owner_alone, mapping_of_a_user_is_for_all_where_they_say_so, owner_keeps_names_of_the_file,
         what_is_no_mapping_is_refused, odd_mapping_harms_no_trace, mapping_that_is_too_much_is_gone_without,
         mapping_arrives_in_pieces, push_keeps_a_mapping_and_names_what_comes_later]
