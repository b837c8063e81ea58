#!/usr/bin/env python3
"""Sites whose files are in a bucket: what they keep, and what they do when the store of it has a bad day.

    over_s3.py PROGRAM [TEST ...]

OpenStack Swift is started for it (tests/support/swift.py), with a proxy before it that misbehaves (s3_proxy.py). The rows are
in SQLite, and in one test in PostgreSQL where it is installed. Ends with "N passed, N failed".
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse
import uuid

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import postgres  # noqa: E402
import s3_proxy  # noqa: E402
import sigv4  # noqa: E402
import swift  # noqa: E402
from crowd import NO_LIMITS, content  # noqa: E402
from sited_resuming import begin, complete, piece  # noqa: E402
from running import PATIENCE_S, Site, bearer, equal, has, is_loading, sha256, wait_until  # noqa: E402

# A request is answered within so many seconds, whatever the store does. The machine may be busy.
LONGEST_S = 5.0
# Longer than what is sent at once.
LARGE = 70 << 20
# Names that a list of S3 has at most.
LIST_MOST = 1000


class World:
    """A prefix of its own in the bucket, a folder for rows, and one for the cache."""

    swift = None

    def __init__(self, endpoint=None, style="path"):
        self.temporary = tempfile.TemporaryDirectory(prefix="traceview-over-s3-")
        self.prefix = uuid.uuid4().hex
        self.rows = self.temporary.name + "/rows"
        self.cache = self.temporary.name + "/cache"
        self.keys = self.temporary.name + "/keys"
        with open(self.keys, "w", encoding="utf-8") as file:
            file.write("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n" % (swift.KEY, swift.SECRET))
        self.proxy = None
        if endpoint is None:
            self.proxy = s3_proxy.Proxy(self.swift.port("proxy"))
            endpoint = "http://127.0.0.1:%d" % self.proxy.port
        self.files = "s3://traces/%s?endpoint=%s&keys=%s&style=%s" % (self.prefix, endpoint, self.keys, style)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.proxy:
            self.proxy.end()
        self.temporary.cleanup()

    def site(self, program, *options, cache=None, **others):
        return Site(program, "--files", self.files, "--files-cache", cache or self.cache, *NO_LIMITS[:-2], *options,
                    **dict({"store": self.rows}, **others))

    def command(self, program, action, *words, store=None, environment=None):
        done = subprocess.run([program, "store", action, store or self.rows, *words], capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False,
                              env=dict(os.environ, XDG_CACHE_HOME=self.temporary.name + "/other", **(environment or {})))
        return done.returncode, done.stdout + done.stderr

    def names(self):
        """The files in the bucket, by another client; a list has a thousand at most."""
        names, page = [], LIST_MOST * [""]
        while len(page) == LIST_MOST:
            after = "&start-after=" + urllib.parse.quote(self.prefix + "/" + names[-1], safe="") if names else ""
            listed = self.swift.curl("/traces?list-type=2&max-keys=%d&prefix=%s%s" % (LIST_MOST, self.prefix, after), "-H",
                                     "x-amz-content-sha256: " + swift.NO_BYTES).decode()
            page = sorted(part.split("<")[0][len(self.prefix) + 1:] for part in listed.split("<Key>")[1:])
            names += page
        return [name for name in names if name != "owner"]


def upload_view_download_delete(program, world, **others):
    with world.site(program, "--list", **others) as site:
        trace = site.ready(site.put(content(1), title="one"))
        raw = "/api/v1/traces/%s/raw" % trace["id"]
        equal((trace["state"], trace["sha256"]), ("ready", sha256(content(1))))
        assert sha256(content(1)) in world.names()
        equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
        for _ in range(2):
            equal(site.ask(raw, headers=bearer(trace)).body, content(1))
            answer = site.ask(raw, headers=dict(bearer(trace), Range="bytes=10-19"))
            equal((answer.status, answer.body), (206, content(1)[10:20]))
            equal(site.ask(raw, "HEAD", bearer(trace)).status, 200)
            # The second time its bytes are on no disk of this machine.
            shutil.rmtree(world.cache)
        equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
        equal(site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
        equal(site.ask(raw, headers=bearer(trace)).status, 404)
        wait_until(lambda: not world.names())


def traces_are_kept_shown_and_deleted(program):
    with World() as world:
        upload_view_download_delete(program, world)
        equal(sorted(os.listdir(world.rows))[:2], ["files", "store.sqlite"])


def what_is_deleted_goes_from_other_machines(program):
    """A worker of another machine removes the files; a server that has copies of them gives way to nobody, since nothing else comes."""
    with World() as world:
        others = world.temporary.name + "/others"

        def copies(cache):
            return sorted(part + name for part in os.listdir(cache) if len(part) == 2 for name in os.listdir(os.path.join(cache, part)))

        with world.site(program, "--role", "server") as site:
            worker = subprocess.Popen([program, "serve", "--role", "worker", "--store", world.rows, "--files", world.files, "--files-cache", others],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                kept, gone = (site.ready(site.put(content(number))) for number in (40, 41))
                for trace in (kept, gone):
                    equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
                equal(len(copies(world.cache)), 4)
                equal(site.ask("/api/v1/traces/" + gone["id"], "DELETE", bearer(gone)).status, 204)
                wait_until(lambda: len(copies(world.cache)) == 2 and len(copies(others)) == 2)
                has(" ".join(copies(world.cache)), sha256(content(40)))
            finally:
                worker.kill()
                worker.wait()


def rows_may_be_in_postgresql(program):
    if not postgres.folder_of_programs():
        print("skipped: rows in PostgreSQL and files in S3: PostgreSQL is not installed")
        return
    cluster = postgres.Cluster()
    try:
        with World() as world:
            store = cluster.make("both")
            upload_view_download_delete(program, world, store=store)
            status, said = world.command(program, "check", "--files", world.files, store=store)
            equal(status, 0)
            has(said, "faults: 0")
    finally:
        cluster.end()


def a_second_database_beside_the_files_is_refused(program):
    """A copy of the folder on another machine, as for staging, whose gc would remove what came since."""
    with World() as world:
        copy = world.temporary.name + "/copy"
        with world.site(program) as site:
            trace = site.ready(site.put(content(7)))
        shutil.copytree(world.rows, copy)
        with world.site(program) as site:    # the same database again
            late = site.ready(site.put(content(8)))
            status, said = world.command(program, "gc", "--now", store=copy)
            equal((status, said.count("\n")), (1, 1))
            has(said, "the files are of the database sqlite ")
            for action in ("stats", "list", "check"):
                has((0, 3), world.command(program, action, store=copy)[0])
            equal(site.ask("/api/v1/traces/%s/raw" % late["id"], headers=bearer(late)).body, content(8))
        equal(world.command(program, "take", store=copy)[0], 0)
        equal(world.command(program, "gc")[0], 1)
        with world.site(program, store=copy) as site:
            equal(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body, content(7))


def commands_work_on_it(program):
    with World() as world:
        with world.site(program) as site:
            trace = site.ready(site.put(content(2)))
            equal(trace["state"], "ready")
        # The folder of the rows says where the files are.
        status, said = world.command(program, "stats")
        equal((status, "traces: 1," in said), (0, True))
        status, said = world.command(program, "check")
        equal((status, "faults: 0" in said, "files compared with their names: 2," in said), (0, True, True))
        status, said = world.command(program, "backup", world.temporary.name + "/copy")
        equal((status, "files brought: 2," in said), (0, True))
        status, said = world.command(program, "check", store=world.temporary.name + "/copy")
        equal((status, "faults: 0" in said), (0, True))
        world.swift.curl("/traces/%s/%s" % (world.prefix, sha256(content(2))), "-X", "DELETE", "-H",
                         "x-amz-content-sha256: " + swift.NO_BYTES)
        status, said = world.command(program, "check")
        equal((status, "it is missing" in said), (3, True))
        status, said = world.command(program, "delete", trace["id"])
        equal(status, 0)
        status, said = world.command(program, "gc", "--now")
        equal((status, world.names()), (0, []))
        status, said = world.command(program, "check", "--files", "s3://elsewhere?keys=" + world.keys)
        equal(status, 1)
        has(said, "the files of this store are in s3://traces/" + world.prefix)


def lists_that_are_late_lose_nothing(program):
    """A list that does not have a name yet: check asks for the object itself, and gc removes nothing that is needed."""
    with World() as world:
        with world.site(program) as site:
            trace = site.ready(site.put(content(6)))
        world.proxy.rule(lambda method, _, query: ("without", trace["sha256"]) if method == "GET" and "list-type" in query else None)
        begun = len(world.proxy.seen)
        status, said = world.command(program, "check")
        equal((status, "faults: 0" in said), (0, True))
        assert requests_of(world, begun, "GET", "list-type"), world.proxy.seen[begun:]
        equal(world.command(program, "gc", "--now")[0], 0)
        world.proxy.pass_all()
        assert trace["sha256"] in world.names()
        equal(world.command(program, "check")[0], 0)


def objects_of_others_are_passed_over(program):
    """Names that are long, or that are not written in a list as they are, and that stand between those of the store."""
    others = ["0" * 400 + "a", "0" * 400 + "b", "8" * 400, "8" * 401, "%26%3Cx%3E", "%C3%A4", "%22", "-", "7%09a", "7%09b", "f" * 64 + "f"]
    with World() as world:
        with world.site(program) as site:
            trace = site.ready(site.put(content(5)))
            equal(trace["state"], "ready")
            equal(len(world.names()), 2)
        for other in others:
            world.swift.curl("/traces/%s/%s" % (world.prefix, other), "-X", "PUT", "--data-binary", "", "-H",
                             "x-amz-content-sha256: " + swift.NO_BYTES)
        equal(len(world.names()), 2 + len(others))
        status, said = world.command(program, "check")
        equal((status, "faults: 0" in said, "files compared with their names: 2," in said), (0, True, True))
        equal(world.command(program, "delete", trace["id"])[0], 0)
        status, said = world.command(program, "gc", "--now")
        equal((status, "files removed: 2," in said, len(world.names())), (0, True, len(others)))


def a_store_moves_into_a_bucket_and_back(program):
    """From a folder into rows in SQLite with files in a bucket, and back into a folder without one."""
    with World() as world:
        folder, back = world.temporary.name + "/laptop", world.temporary.name + "/back"
        with Site(program, *NO_LIMITS[:-2], store=folder) as site:
            kept = [(number, site.put(content(number))) for number in range(5)]
        status, said = world.command(program, "copy", world.rows, "--json", "--to-files", world.files, store=folder)
        equal(status, 0)
        has(said, '{"traces":5,"mappings":0,"tokens":0,"files":5,')
        assert {sha256(content(number)) for number, _ in kept} <= set(world.names())
        status, said = world.command(program, "copy", world.rows, "--json", "--to-files", world.files, store=folder)
        has(said, '{"traces":0,"mappings":0,"tokens":0,"files":0,')
        with world.site(program) as site:
            for number, trace in kept:
                equal(sha256(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body), sha256(content(number)))
        status, said = world.command(program, "copy", back, "--json")
        equal(status, 0)
        has(said, '{"traces":5,"mappings":0,"tokens":0,"files":5,')
        # Two databases over one bucket would each remove what the other one needs.
        status, said = world.command(program, "copy", back + "2", "--files", world.files, "--to-files", world.files)
        equal(status, 1)
        has(said, "there are files")
        with Site(program, *NO_LIMITS[:-2], store=back) as site:
            for number, trace in kept:
                equal(sha256(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body), sha256(content(number)))


def folder_with_files_takes_no_bucket(program):
    with World() as world:
        with Site(program, *NO_LIMITS, store=world.rows) as site:
            site.ready(site.put(content(3)))
        status, said = world.command(program, "stats", "--files", world.files)
        equal(status, 1)
        has(said, "has the files of this store")


def uploads_in_pieces_are_joined(program):
    with World() as world, world.site(program) as site:
        whole = content(300000)
        upload = begin(site, name="x.trace", bytes=len(whole))
        for offset in range(0, len(whole), 100000):
            if offset:
                shutil.rmtree(world.cache)    # as if another server had taken the piece before
            equal(piece(site, upload, offset, whole[offset:offset + 100000]).status, 204)
        done = complete(site, upload)
        equal((done.status, done.json["sha256"]), (201, sha256(whole)))
        equal(site.ready(dict(done.json, owner_token=upload["owner_token"]))["state"], "ready")
        assert sha256(whole) in world.names()


def send_pieces(site, world, whole, length):
    """As if another server had taken each piece, but for those that the cache has when `world` is None."""
    upload = begin(site, name="x.trace", bytes=len(whole))
    for offset in range(0, len(whole), length):
        equal(piece(site, upload, offset, whole[offset:offset + length]).status, 204)
        if world:
            shutil.rmtree(world.cache)
    return upload


def requests_of(world, since, method, word):
    return [query for which, _, query in world.proxy.seen[since:] if which == method and word in query]


def long_pieces_are_joined_by_the_bucket(program):
    """Not one of their bytes comes here, whether the pieces are in the cache or not."""
    length, whole = 30 << 20, content(LARGE)
    with World() as world, world.site(program, "--role", "server") as site:
        for others in (world, None):
            upload = send_pieces(site, others, whole + bytes([others is None]), length)
            begun = len(world.proxy.seen)
            done = complete(site, upload)
            equal((done.status, done.json["sha256"]), (201, sha256(whole + bytes([others is None]))))
            equal(len(requests_of(world, begun, "PUT", "partNumber=")), 3)
            assert not [path for method, path, _ in world.proxy.seen[begun:] if method == "GET"], world.proxy.seen[begun:]
            # What is brought is compared with its name.
            equal(os.path.exists("%s/%s/%s" % (world.cache, done.json["sha256"][:2], done.json["sha256"][2:])), others is None)
            raw = site.ask("/api/v1/traces/%s/raw" % done.json["id"], headers=bearer(upload)).body
            equal(sha256(raw), done.json["sha256"])


def copies_of_pieces_may_fail(program):
    """An error inside a success, a busy server and a lost answer are tried again. A store that copies no parts is sent them."""
    whole, rules = content(LARGE), []

    def next_rule(method, _, query):
        return rules.pop() if rules and method == "PUT" and "partNumber=" in query else None

    with World() as world, world.site(program, "--role", "server") as site:
        for number, meets in enumerate([[("inside", "InternalError"), ("status", 503, "SlowDown"), ("lost",)],
                                        [("status", 501, "NotImplemented"), ("inside", "AccessDenied"), ("status", 501, "NotImplemented")],
                                        3 * [("status", 404, "NoSuchKey")]]):
            upload = send_pieces(site, world, whole + bytes([number]), 30 << 20)
            rules[:] = meets
            world.proxy.rule(next_rule)
            begun = len(world.proxy.seen)
            done = complete(site, upload)
            equal((done.status, done.json["sha256"]), (201, sha256(whole + bytes([number]))))
            # Three copies, each tried again; or three that are refused, and five parts of 16 MiB.
            equal((rules, len(requests_of(world, begun, "PUT", "partNumber="))), ([], (6, 8, 8)[number]))
            shutil.rmtree(world.cache, ignore_errors=True)
            raw = site.ask("/api/v1/traces/%s/raw" % done.json["id"], headers=bearer(upload))
            equal(sha256(raw.body), done.json["sha256"])


def requests_are_signed_as_amazon_describes_it(program):
    """Of each kind, by a computation of its own, which Amazon's examples hold."""
    for *request, wanted in sigv4.EXAMPLES:
        equal(sigv4.example(*request), wanted)
    with World() as world:
        with world.site(program) as site:
            trace = site.ready(site.put(content(1)))
            upload = send_pieces(site, world, content(LARGE), 30 << 20)
            equal(complete(site, upload).status, 201)
            equal(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=dict(bearer(trace), Range="bytes=10-19")).status, 206)
            equal(site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
            wait_until(lambda: "DELETE" in [method for method, _, _ in world.proxy.seen])
        equal(world.command(program, "check")[0], 0)
        kinds = set()
        for request, (headers, body) in zip(world.proxy.seen, world.proxy.told):
            if body is not None:
                equal((sigv4.faults_of(swift.SECRET, request, headers, body), request), ("", request))
                kinds.add((request[0], request[2].split("=")[0], "x-amz-copy-source" in headers))
        assert kinds >= {("HEAD", "", False), ("PUT", "", False), ("GET", "", False), ("DELETE", "", False), ("POST", "uploads", False),
                         ("PUT", "partNumber", True), ("POST", "uploadId", False), ("GET", "list-type", False)}, kinds


def large_files_go_and_come_in_parts(program):
    with World() as world, world.site(program) as site:
        trace = site.put(content(LARGE))
        parts = [query for method, _, query in world.proxy.seen if method == "PUT" and "partNumber=" in query]
        equal(len(parts), 5)
        shutil.rmtree(world.cache)
        equal(sha256(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body), sha256(content(LARGE)))
        equal(site.ready(trace)["state"], "ready")


def each_third(*rules):
    """Every third request meets the next of the rules; but no HEAD meets a 400, which says by a body alone that it passes."""
    count = [0]

    def rule(method, *_):
        count[0] += 1
        if count[0] % 3:
            return None
        found = rules[count[0] // 3 % len(rules)]
        return None if method == "HEAD" and found[:2] == ("status", 400) else found
    return rule


def bad_days_are_survived(program):
    rules = [("status", 503, "SlowDown"), ("cut",), ("status", 500, "InternalError"), ("lost",), ("torn", 100), ("short", 50),
             ("status", 400, "RequestTimeout"), ("status", 429, "Throttling"), ("late", 0.2)]
    with World() as world, world.site(program) as site:
        world.proxy.rule(each_third(*rules))
        traces = [site.ready(site.put(content(10 + number))) for number in range(6)]
        equal([trace["state"] for trace in traces], ["ready"] * 6)
        for number, trace in enumerate(traces):
            shutil.rmtree(world.cache)
            equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
            equal(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body, content(10 + number))
            equal(site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
        wait_until(lambda: not world.names())
        world.proxy.pass_all()
        assert site.process.poll() is None


def parts_that_fail_are_sent_again(program):
    """An error inside a success, a success that was not heard of, parts that are refused or lost."""
    with World() as world, world.site(program, "--role", "server") as site:
        for number, rule in enumerate((("inside", "InternalError"), ("done", "InternalError"), ("lost",))):
            met = set()

            def once(method, _, query, rule=rule, met=met):
                kind = "join" if method == "POST" and "uploadId=" in query else "part" if "partNumber=" in query else ""
                if not kind or kind in met:
                    return None
                met.add(kind)
                return rule if kind == "join" else ("status", 503, "SlowDown") if number % 2 else ("lost",)

            world.proxy.rule(once)
            trace = site.put(content(LARGE + number))
            equal((rule, met, trace["sha256"]), (rule, {"join", "part"}, sha256(content(LARGE + number))))
        world.proxy.pass_all()
        status, said = world.command(program, "check")
        equal((status, "faults: 0" in said), (0, True))


def parts_that_cannot_be_joined_are_no_trace(program):
    with World() as world, world.site(program) as site:
        world.proxy.rule(lambda method, path, query:
                         ("inside", "InvalidPart") if method == "POST" and "uploadId=" in query else None)
        answer = site.ask("/api/v1/traces?name=a.trace", "PUT", {}, content(LARGE))
        equal((answer.status, answer.headers["Retry-After"] is not None, world.names()), (503, True, []))
        given_up = [query for method, _, query in world.proxy.seen if method == "DELETE" and "uploadId=" in query]
        equal(len(given_up), 1)
        world.proxy.pass_all()
        site.put(content(LARGE))


def damage_is_told(program):
    with World() as world:
        with world.site(program) as site:
            trace = site.ready(site.put(content(21)))
        shutil.rmtree(world.cache)
        with world.site(program) as site:
            world.proxy.rule(lambda method, path, query: ("changed",) if method == "GET" and not query else None)
            ask = b"GET /api/v1/traces/%s/view/info HTTP/1.0\r\nHost: 127.0.0.1:%d\r\n\r\n" % (trace["id"].encode(), site.port)
            wait_until(lambda: " 500 " in site.send(ask).decode())    # once it was brought
            answer = site.send(ask).decode()
            has(answer, "the bytes of a file in S3 are not those that it was kept with")
            equal([name for _, _, names in os.walk(world.cache) for name in names], [])
            world.proxy.pass_all()
            equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)


def a_store_that_is_away_is_answered_in_seconds(program):
    with World() as world, world.site(program) as site:
        trace = site.ready(site.put(content(22)))
        shutil.rmtree(world.cache)
        for rule in (("late", 60), ("status", 503, "SlowDown"), ("cut",)):
            world.proxy.rule(lambda method, path, query, rule=rule: rule)
            begun = time.monotonic()
            answer = site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace))
            took = time.monotonic() - begun
            equal((rule, answer.status, answer.headers["Retry-After"] is not None), (rule, 503, True))
            assert took < LONGEST_S + 1, (rule, took)
            equal(site.ask("/api/v1/traces/" + trace["id"], headers=bearer(trace)).status, 200)    # of rows alone
            has(site.ask("/readyz").text, "the files of the store cannot be reached")
            equal(site.ask("/healthz").status, 200)
            answer = site.ask("/api/v1/traces?name=a.trace", "PUT", {}, content(23))
            equal((rule, answer.status, answer.headers["Retry-After"] is not None), (rule, 503, True))
        world.proxy.pass_all()
        equal(site.ask("/readyz").status, 200)
        equal(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body, content(22))


def an_index_that_is_far_holds_no_thread(program):
    """It takes long to bring eight of them, and this site has four threads that answer. Who asks for one is told soon that it
    is brought, others are answered as ever, and a moment later all are here, each of them brought once."""
    with World() as world:
        with world.site(program) as site:
            traces = [site.ready(site.put(content(60 + number))) for number in range(9)]
        shutil.rmtree(world.cache)
        with world.site(program, "--answer-threads", "2", "--role", "server") as site:
            last = "/api/v1/traces/%s/view/info" % traces[8]["id"]
            near = site.ask(last)
            equal(near.status, 200)
            world.proxy.rule(lambda method, path, query: ("late", 3) if method == "GET" and not query else None)
            told, asking, begun = [], [], time.monotonic()

            def ask(trace):
                asked = time.monotonic()
                answer = site.ask_once("/api/v1/traces/%s/view/info" % trace["id"])
                told.append((answer.status, answer.headers["Retry-After"], is_loading(answer), time.monotonic() - asked))

            for trace in traces[:8] * 2:
                asking.append(threading.Thread(target=ask, args=(trace,)))
                asking[-1].start()
            others = []
            while time.monotonic() < begun + 2.5:
                asked = time.monotonic()
                for path in ("/api/v1/traces/" + traces[0]["id"], last, "/healthz"):
                    equal(site.ask_once(path).status, 200)
                others.append((time.monotonic() - asked) / 3)
            for thread in asking:
                thread.join()
            equal([answer[:3] for answer in told], [(503, "1", True)] * 16)
            print("# while 8 indexes were brought for 6 s, four at a time: told after %.2f s at most, %d others were answered in %.3f s, %.2f s at most"
                  % (max(answer[3] for answer in told), 3 * len(others), sorted(others)[len(others) // 2], max(others)))
            assert max(answer[3] for answer in told) < LONGEST_S and max(others) < 2, (told, others)
            world.proxy.pass_all()
            for trace in traces[:8]:
                equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
            with world.proxy.server.lock:
                brought = [path for method, path, query in world.proxy.server.seen if method == "GET" and not query and not path.endswith("/owner")]
            equal(len(brought), len(set(brought)))


def a_name_that_nobody_knows_is_asked_for_again(program):
    """Each try asks for the name: a thread whose name was not found works when it is."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, "store", "stats", "postgres://nobody@127.0.0.1:1/x", "--files", "s3://traces?endpoint=http://nowhere.invalid"],
                             env=dict(os.environ, AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", XDG_CACHE_HOME=folder),
                             capture_output=True, text=True, timeout=240, check=False)
    has(run.stderr, "S3 does not answer")
    assert "initialization" not in run.stderr, run.stderr


def keys_are_checked_and_never_shown(program):
    with World() as world:
        with open(world.keys, "w", encoding="utf-8") as file:
            file.write("aws_access_key_id = test:tester\naws_secret_access_key = Brombeer-19e4\n")
        done = subprocess.run([program, "serve", "--listen", "127.0.0.1:0", "--store", world.rows, "--files", world.files,
                               "--files-cache", world.cache], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        said = done.stdout + done.stderr
        equal((done.returncode, "Brombeer" in said, "tester" in said), (1, False, False))
        has(said, "SignatureDoesNotMatch")
        os.unlink(world.keys)
        done = subprocess.run([program, "serve", "--listen", "127.0.0.1:0", "--store", world.rows, "--files", world.files,
                               "--files-cache", world.cache], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        has(done.stderr, world.keys)


def keys_come_from_the_environment_or_a_profile(program):
    with World() as world:
        other = world.temporary.name + "/credentials"
        os.rename(world.keys, other)
        with open(other, "a", encoding="utf-8") as file:
            file.write("[wrong]\naws_access_key_id = x\naws_secret_access_key = y\n")
        files = world.files.replace("&keys=" + world.keys, "")
        for environment, status in (
                ({"AWS_ACCESS_KEY_ID": swift.KEY, "AWS_SECRET_ACCESS_KEY": swift.SECRET}, 0),
                ({"AWS_SHARED_CREDENTIALS_FILE": other}, 0),
                ({"AWS_SHARED_CREDENTIALS_FILE": other, "AWS_PROFILE": "wrong"}, 1),
                ({"AWS_SHARED_CREDENTIALS_FILE": world.keys}, 1)):
            site = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--store", world.rows, "--files", files,
                                     "--files-cache", world.cache, *NO_LIMITS], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    text=True, env=dict(os.environ, **environment))
            line = site.stdout.readline()
            if line:
                site.terminate()
            said = site.communicate(timeout=PATIENCE_S)[1]
            equal((environment, bool(line), swift.SECRET in said), (environment, status == 0, False))


def a_key_that_expires_is_read_anew(program):
    with World() as world, world.site(program) as site:
        with open(world.keys, "a", encoding="utf-8") as file:
            file.write("aws_session_token = next\n")
        expired = [True]

        def rule(*_):
            return ("status", 403, "ExpiredToken") if expired and expired.pop() else None

        world.proxy.rule(rule)
        equal(site.ready(site.put(content(24)))["state"], "ready")
        assert not expired


def memory_is_in_no_core_file(program):
    with World() as world, world.site(program) as site:
        with open("/proc/%d/limits" % site.process.pid, encoding="ascii") as file:
            cores = [line.split() for line in file if line.startswith("Max core file size")]
        equal(cores[0][4:6], ["0", "0"])
        site.process.send_signal(signal.SIGABRT)
        site.process.wait(timeout=PATIENCE_S)
        # The kernel tells a core file by another bit of the status, of which Python shows the sign alone: so no file is where it would be.
        equal([name for name in os.listdir(os.getcwd()) if name.startswith("core") and os.path.isfile(name)], [])


def an_archive_is_read(program):
    with World() as world:
        with world.site(program) as site:
            trace = site.ready(site.put(content(25), listed="1"))
            equal(site.stop(), 0)
        before = world.names()
        shutil.rmtree(world.cache)
        with world.site(program, "--archive") as site:
            equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
        equal(world.names(), before)


def clocks_that_differ_are_told(program):
    with World() as world:
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumping_clock.c")
        library, shift = world.temporary.name + "/clock.so", world.temporary.name + "/shift"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        with open(shift, "w", encoding="utf-8") as file:
            file.write("7200")
        done = subprocess.run([program, "serve", "--listen", "127.0.0.1:0", "--store", world.rows, "--files", world.files,
                               "--files-cache", world.cache], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                              env=dict(os.environ, LD_PRELOAD=library, TRACEVIEW_TEST_SHIFT=shift))
        has(done.stderr, "this machine's clock is 720")
        has(done.stderr, "s ahead of that of the server")
        # Less than what S3 refuses.
        with world.site(program) as site:
            assert "clock" not in site.ask("/readyz").text
        with open(shift, "w", encoding="utf-8") as file:
            file.write("-60")
        with world.site(program, variables={"LD_PRELOAD": library, "TRACEVIEW_TEST_SHIFT": shift}) as site:
            answer = site.ask("/readyz")
            equal(answer.status, 200)
            assert re.search(r"(?m)^the clock of this machine is (59|60|61) s behind that of the bucket's server$", answer.text), answer.text


def tls_is_used_and_checked(program):
    with World("-") as world:
        pem = world.temporary.name + "/server.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", pem,
                        "-out", pem + ".crt"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(pem, "a", encoding="utf-8") as file, open(pem + ".crt", encoding="utf-8") as certificate:
            file.write(certificate.read())
        world.proxy = s3_proxy.Proxy(world.swift.port("proxy"), pem)
        world.files = world.files.replace("endpoint=-", "endpoint=https://127.0.0.1:%d" % world.proxy.port)
        done = subprocess.run([program, "serve", "--listen", "127.0.0.1:0", "--store", world.rows, "--files", world.files,
                               "--files-cache", world.cache], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        equal((done.returncode, "certificate" in done.stderr), (1, True))
        with world.site(program, variables={"SSL_CERT_FILE": pem + ".crt"}) as site:
            trace = site.ready(site.put(content(23)))
            equal(trace["state"], "ready")


def the_cache_may_go_at_any_moment(program):
    with World() as world, world.site(program) as site:
        traces = [site.ready(site.put(content(30 + number))) for number in range(3)]
        is_over = threading.Event()

        def remove():
            while not is_over.is_set():
                shutil.rmtree(world.cache, ignore_errors=True)

        thread = threading.Thread(target=remove)
        thread.start()
        try:
            for turn in range(5):
                for number, trace in enumerate(traces):
                    answer = site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace))
                    equal((answer.status, sha256(answer.body)), (200, sha256(content(30 + number))))
                equal(site.ready(site.put(content(40 + turn)))["state"], "ready")
        finally:
            is_over.set()
            thread.join()


def the_cache_is_bounded(program):
    with World() as world, world.site(program, "--files-cache-size", "64M", "--role", "server") as site:
        for number in range(6):
            site.put(content((15 << 20) + number))
        held = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(world.cache) for name in names)
        assert 0 < held <= 64 << 20, held


def a_lost_bucket_is_told(program):
    with World() as world:
        done = subprocess.run([program, "serve", "--listen", "127.0.0.1:0", "--store", world.rows, "--files",
                               world.files.replace("//traces/", "//nowhere/"), "--files-cache", world.cache],
                              capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        equal(done.returncode, 1)
        has(done.stderr, "S3 has no bucket nowhere")


TESTS = [
    traces_are_kept_shown_and_deleted,
    what_is_deleted_goes_from_other_machines,
    rows_may_be_in_postgresql,
    a_second_database_beside_the_files_is_refused,
    commands_work_on_it,
    lists_that_are_late_lose_nothing,
    objects_of_others_are_passed_over,
    a_store_moves_into_a_bucket_and_back,
    folder_with_files_takes_no_bucket,
    uploads_in_pieces_are_joined,
    long_pieces_are_joined_by_the_bucket,
    copies_of_pieces_may_fail,
    requests_are_signed_as_amazon_describes_it,
    large_files_go_and_come_in_parts,
    bad_days_are_survived,
    parts_that_fail_are_sent_again,
    parts_that_cannot_be_joined_are_no_trace,
    damage_is_told,
    a_store_that_is_away_is_answered_in_seconds,
    an_index_that_is_far_holds_no_thread,
    a_name_that_nobody_knows_is_asked_for_again,
    keys_are_checked_and_never_shown,
    keys_come_from_the_environment_or_a_profile,
    a_key_that_expires_is_read_anew,
    memory_is_in_no_core_file,
    an_archive_is_read,
    clocks_that_differ_are_told,
    tls_is_used_and_checked,
    the_cache_may_go_at_any_moment,
    the_cache_is_bounded,
    a_lost_bucket_is_told,
]


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    tests = [test for test in TESTS if not names or test.__name__ in names]
    if not swift.is_installed():
        print("skipped: sites whose files are in S3: Swift is not installed (scripts/install check)")
        print("0 passed, 0 failed")
        return
    failed = 0
    World.swift = swift.Swift()
    try:
        World.swift.make("traces")
        for test in tests:
            begun = time.monotonic()
            try:
                test(program)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print("failed: %s\n%s" % (test.__name__, traceback.format_exc()))
            if "TRACEVIEW_TEST_TIMES" in os.environ:
                print("%5.1f s %s" % (time.monotonic() - begun, test.__name__))
    finally:
        World.swift.end()
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    sys.exit(1 if failed or not tests else 0)


if __name__ == "__main__":
    main()
