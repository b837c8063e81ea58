"""Servers and workers of one store, each a process of the real program, which tests kill as they like."""

import http.client
import os
import random
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse
import uuid

from running import PATIENCE_S, SMALL, Site, place, read, sha256

# What stands in the way of many uploads from one address.
NO_LIMITS = ("--upload-rate", "0", "--request-rate", "0", "--uploads-at-once", "0", "--uploads-at-once-per-address", "0",
             "--connections-per-address", "0", "--log", "none")
CONTENT = read(SMALL)
# What a client meets whose server is killed.
FAILURES = (OSError, http.client.HTTPException)


def content(number):
    """A trace that no other number has: readers leave zeros behind the records out."""
    return CONTENT + bytes(1 + number)


class Worker:
    def __init__(self, program, store, log, *options):
        self.process = subprocess.Popen([program, "serve", "--role", "worker", *place(store), *NO_LIMITS, *options],
                                        stdout=subprocess.DEVNULL, stderr=log)


class Crowd:
    """`servers` servers and `workers` workers on one store; ended on leaving. With a cluster of PostgreSQL the rows are there,
    and `folder` has the files, or the bucket whose address is given."""

    def __init__(self, program, servers, workers, *options, cluster=None, folder=None, bucket=None):
        self.program = program
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="traceview-crowd-")
        self.store = self.files = folder or os.path.join(self.folder.name, "store")
        self.place = ()
        if cluster:
            self.store, self.place = cluster.make("crowd"), ("--files", bucket or self.files)
        if bucket:
            self.options = ("--files-cache", os.path.join(self.folder.name, "cache"), *options)
        self.log = open(os.path.join(self.folder.name, "log"), "w+", encoding="utf-8")
        self.lock = threading.Lock()
        self.servers = [self.start_server() for _ in range(servers)]
        self.workers = [self.start_worker() for _ in range(workers)]
        self.killed = {"servers": 0, "workers": 0}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.__exit__()
        for worker in self.workers:
            worker.process.kill()
            worker.process.wait()
        self.log.close()
        self.folder.cleanup()

    def start_server(self):
        server = Site(self.program, "--role", "server", *NO_LIMITS, *self.place, *self.options, store=self.store)
        server.is_killed = False
        return server

    def start_worker(self):
        return Worker(self.program, self.store, self.log, *self.place, *self.options)

    def any_server(self):
        with self.lock:
            return random.choice(self.servers)

    def expect_alive(self):
        """No process ends but those that were killed."""
        with self.lock:
            for server in self.servers:
                assert server.is_killed or server.process.poll() is None, (
                    "a server ended by itself: %d, %s" % (server.process.poll(), server.read_log()))

    def kill_worker(self, kind=signal.SIGKILL):
        """Ends one of the workers, and starts another in its place."""
        place = random.randrange(len(self.workers))
        self.workers[place].process.send_signal(kind)
        self.workers[place].process.wait(timeout=PATIENCE_S)
        self.workers[place] = self.start_worker()
        self.killed["workers"] += 1

    def kill_server(self, kind=signal.SIGKILL):
        place = random.randrange(len(self.servers))
        former = self.servers[place]
        former.is_killed = True
        former.process.send_signal(kind)
        former.process.wait(timeout=PATIENCE_S)
        started = self.start_server()
        with self.lock:
            self.servers[place] = started
        former.__exit__()
        self.killed["servers"] += 1

    def command(self, *words):
        """`traceview store` at its work; returns its status and what it said."""
        _, store, *options = place(self.store)
        done = subprocess.run([self.program, "store", *words[:1], store, *words[1:], *options, *self.place], capture_output=True,
                              text=True, timeout=PATIENCE_S, env=dict(os.environ, XDG_CACHE_HOME=self.folder.name + "/others"))
        return done.returncode, done.stdout + done.stderr


def put(site, number):
    body = content(number)
    query = urllib.parse.urlencode({"name": "%s.trace" % uuid.uuid4()})
    answer = site.ask("/api/v1/traces?" + query, "PUT", body=body)
    assert answer.status == 201, (answer.status, answer.text)
    return answer.json, sha256(body)


def resume(crowd, number):
    """Uploads in pieces, each by any server, and goes on wherever the server says after a failure."""
    body = content(number)
    upload = retry(crowd, lambda site: site.ask("/api/v1/uploads?name=x.trace&bytes=%d" % len(body), "POST"), 201).json
    own = {"Authorization": "Bearer " + upload["owner_token"]}
    path = "/api/v1/uploads/" + upload["id"]
    offset = 0
    while offset < len(body):
        head = dict(own, **{"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"})
        try:
            answer = crowd.any_server().ask(path, "PATCH", head, body[offset:offset + 2000])
            told = answer.headers["Upload-Offset"]
        except FAILURES:
            crowd.expect_alive()
            told = retry(crowd, lambda site: site.ask(path, "HEAD", own), 200).headers["Upload-Offset"]
        offset = int(told)
    done = retry(crowd, lambda site: site.ask(path + "/complete", "POST", own), 200, 201).json
    return dict(done, owner_token=upload["owner_token"]), sha256(body)


def retry(crowd, ask, *statuses):
    """Asks any server until one answers, since servers are killed meanwhile."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            answer = ask(crowd.any_server())
            if answer.status in statuses:
                return answer
            assert answer.status in (429, 500, 503, 507), (answer.status, answer.text)
        except FAILURES:
            crowd.expect_alive()
        assert time.monotonic() < end, "no server answers"
        time.sleep(0.05)
