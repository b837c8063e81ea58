"""The verbs `push` and `open` against a site, also through a connection that breaks, and while the site starts anew."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

from running import DATA, SMALL, Site, equal, has, read

EXAMPLE = os.path.join(DATA, "recipes.trace.zst")


def verb(program, home, *words, **more):
    environment = dict(os.environ, XDG_DATA_HOME=home, XDG_CACHE_HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home,
                       no_proxy="*")
    return subprocess.run([program, *words], env=environment, capture_output=True, text=True, check=False, timeout=240,
                          **more)


class Relay:
    """Passes connections on to a site, and cuts each of the first ones after so many bytes of the client's. Before that it calls
    on_rest() once, where the first has brought `rest` bytes."""

    def __init__(self, site, cuts=(), rest=None, on_rest=None):
        self.site = site
        self.cuts = list(cuts)
        self.passed = 0
        self.rest, self.on_rest = rest, on_rest
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.on_cut = lambda: None
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                self.passed += 1
                server = socket.create_connection(("127.0.0.1", self.site.port))
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.pass_on, args=(server, client, None), daemon=True).start()
            self.pass_on(client, server, self.cuts.pop(0) if self.cuts else None, is_client=True)

    def pass_on(self, source, target, cut, is_client=False):
        try:
            while True:
                piece = source.recv(65536 if cut is None else min(65536, max(cut, 1)))
                if not piece:
                    break
                target.sendall(piece)
                if is_client and self.rest is not None:
                    self.rest -= len(piece)
                    if self.rest <= 0:
                        self.rest = None
                        self.on_rest()
                if cut is not None:
                    cut -= len(piece)
                    if cut <= 0:
                        break
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if cut is not None:
            self.on_cut()


def id_of(link):
    return re.fullmatch(r"http://127\.0\.0\.1:\d+/trace/([0-9a-f]{32})/\n", link)[1]


def pushed_trace_is_there_and_can_be_deleted(program):
    with Site(program) as site, tempfile.TemporaryDirectory() as home:
        url = "http://127.0.0.1:%d" % site.port
        run = verb(program, home, "push", "--to", url, "--title", "A & B", "--label", "app=shop", "--expires", "2d", EXAMPLE)
        equal(run.returncode, 0)
        trace = {"id": id_of(run.stdout)}
        told = site.trace(dict(trace, owner_token="0" * 32))
        equal((told["title"], told["labels"], told["bytes"]), ("A & B", {"app": "shop"}, os.path.getsize(EXAMPLE)))
        assert site.ask("/api/v1/traces/%s/raw" % trace["id"]).status in (401, 403, 404)
        equal(verb(program, home, "push", "--delete", run.stdout.strip()).returncode, 0)
        equal(site.ask("/api/v1/traces/" + trace["id"]).status, 404)


def cut_pushes_arrive_whole(program):
    draw = random.Random(5)
    size = os.path.getsize(EXAMPLE)
    with Site(program) as site, tempfile.TemporaryDirectory() as home:
        for _ in range(3):
            cuts = [draw.randrange(1, size) for _ in range(3)]
            with Relay(site, cuts) as relay:
                run = verb(program, home, "push", "--to", relay.url, "--share-file", EXAMPLE)
                assert run.returncode == 0, (cuts, run)
                equal(site.ask("/api/v1/traces/%s/raw" % id_of(run.stdout)).body, read(EXAMPLE))
                assert relay.passed > 3, relay.passed


def push_goes_on_when_the_site_starts_anew(program):
    with Site(program) as first, tempfile.TemporaryDirectory() as home:
        with Relay(first, [600000]) as relay:
            def start_anew():
                first.process.send_signal(signal.SIGKILL)
                first.process.wait()
                relay.site = Site(program, store=first.store)
            relay.on_cut = start_anew
            run = verb(program, home, "push", "--to", relay.url, "--share-file", EXAMPLE)
            with relay.site as second:
                assert second is not first and run.returncode == 0, run
                equal(second.ask("/api/v1/traces/%s/raw" % id_of(run.stdout)).body, read(EXAMPLE))


def pushes_sleep_and_go_on(program):
    """A laptop sleeps in mid-upload until the site has given its connection up; then the site's own machine does. Either push
    arrives whole."""
    with Site(program, "--idle-time", "1s") as site, tempfile.TemporaryDirectory() as home:
        for sleeper in ("client", "site"):
            pushes = []

            def sleep():
                pid = (pushes[0] if sleeper == "client" else site.process).pid
                os.kill(pid, signal.SIGSTOP)
                time.sleep(4)
                os.kill(pid, signal.SIGCONT)

            with Relay(site, rest=600000, on_rest=sleep) as relay:
                environment = dict(os.environ, XDG_DATA_HOME=home, XDG_CACHE_HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home,
                                   no_proxy="*")
                pushes.append(subprocess.Popen([program, "push", "--to", relay.url, "--share-file", EXAMPLE], env=environment,
                                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
                link, said = pushes[0].communicate(timeout=240)
                assert pushes[0].returncode == 0, (sleeper, said)
                equal((sleeper, relay.rest), (sleeper, None))
                equal(site.ask("/api/v1/traces/%s/raw" % id_of(link)).body, read(EXAMPLE))
                assert sleeper == "site" or relay.passed > 3, relay.passed


def refused_pushes_say_why(program):
    with Site(program, "--max-upload", "1M", "--uploads", "open") as site, tempfile.TemporaryDirectory() as home:
        url = "http://127.0.0.1:%d" % site.port
        run = verb(program, home, "push", "--to", url, EXAMPLE)
        equal(run.returncode, 1)
        has(run.stderr, "status 413")
        run = verb(program, home, "push", "--to", url, os.path.abspath(__file__))
        equal(run.returncode, 1)
        has(run.stderr, "status 415")
        assert "trace/" not in run.stdout
        for content, reason in ((b"a few words", "status 415"), (b"", "is empty")):
            small = os.path.join(home, "small")
            with open(small, "wb") as file:
                file.write(content)
            run = verb(program, home, "push", "--to", url, small)
            equal((run.returncode, run.stdout), (1, ""))
            has(run.stderr, reason)


def shared_trace_opens_in_a_viewer(program):
    with Site(program) as site, tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as other:
        url = "http://127.0.0.1:%d" % site.port
        link = verb(program, home, "push", "--to", url, SMALL).stdout.strip()
        run = verb(program, other, "open", "--no-browser", link)
        equal(run.returncode, 1)
        shared = verb(program, home, "push", "--to", url, "--share-file", SMALL).stdout.strip()
        for place, address in ((home, link), (other, shared)):    # ours, and one that is shared
            process = subprocess.Popen([program, "open", "--no-browser", address], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True,
                                       env=dict(os.environ, XDG_DATA_HOME=place, XDG_CACHE_HOME=place, no_proxy="*"))
            has(process.stdout.readline(), "http://127.0.0.1:")
            process.terminate()
            process.communicate(timeout=240)


def push_compares_with_a_trace_of_the_site(program):
    """As a build does: the difference, a link to all of it, and a status."""
    with Site(program) as site, tempfile.TemporaryDirectory() as home:
        url = "http://127.0.0.1:%d" % site.port
        push = lambda *words: verb(program, home, "push", "--to", url, *words)
        old = push(EXAMPLE).stdout.strip()
        same = push("--against", old, EXAMPLE)
        equal((same.returncode, same.stdout.splitlines()[2]), (0, "methods that are called more or less often: 0"))
        run = push("--against", old, os.path.join(DATA, "spellings.trace"))
        lines = run.stdout.splitlines()
        equal((run.returncode, lines[1][:22]), (3, "all threads together: "))
        count = int(re.match(r"methods that are called more or less often: ([0-9,]+)$", lines[2])[1].replace(",", ""))
        assert count > 0 and re.match(r"^  [0-9,]+ -> [0-9,]+  \S", lines[3]), lines
        new_id = lines[0].rstrip("/").rsplit("/", 1)[1]
        old_id = old.rstrip("/").rsplit("/", 1)[1]
        equal(lines[-1], "all of it: %s/compare?old=%s&new=%s" % (url, old_id, new_id))
        equal(site.ask(lines[-1].partition(url)[2]).status, 302)
        told = push("--json", "--against", old, os.path.join(DATA, "spellings.trace"))
        diff = json.loads(told.stdout.splitlines()[1])
        equal((told.returncode, diff["calls_verdicts"]["changed"]), (3, count))
        for link in ("http://127.0.0.1:1/trace/%s/" % old_id, "nothing"):
            wrong = push("--against", link, EXAMPLE)
            equal((wrong.returncode, wrong.stdout), (2, ""))
        gone = push("--against", url + "/trace/" + "0" * 32, EXAMPLE)
        equal((gone.returncode, len(gone.stdout.splitlines())), (1, 1))
        bad = os.path.join(home, "bad.trace")
        with open(bad, "wb") as file:
            file.write(b"SLOW\3\0" + bytes(26) + b"\xff" * 100)
        equal(push("--against", old, bad).returncode, 1)


TESTS = [push_compares_with_a_trace_of_the_site, pushed_trace_is_there_and_can_be_deleted, cut_pushes_arrive_whole, pushes_sleep_and_go_on, push_goes_on_when_the_site_starts_anew,
         refused_pushes_say_why, shared_trace_opens_in_a_viewer]
