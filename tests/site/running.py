"""A running site for the tests of it: a server of the real program on a free port, with a store of its own."""

import hashlib
import http.client
import json
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.parse

import described

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "tests", "data")
SMALL = os.path.join(DATA, "made", "stream-f1-wall.trace")
PATIENCE_S = 240  # a sanitizer on a busy machine takes its time; only a failure takes that long
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ID = re.compile(r"^[0-9a-f]{32}$")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def equal(got, expected):
    assert got == expected, "got %.500r, expected %.500r" % (got, expected)


def viewer_status(program):
    """What the address of a trace's page answers: a build for sanitizers has no page."""
    told = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    return 503 if b"without  the viewer in a browser" in told else 200


def has(text, part):
    assert part in text, "no %r in %.1000r" % (part, text)


def cpu_of(pid):
    """The time that the processors have worked for a process."""
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(holds, patience=PATIENCE_S):
    """Asks again and again, the seldomer the longer it has waited: a question costs the site and the test some of the processor's time."""
    begun = time.monotonic()
    while not holds():
        waited = time.monotonic() - begun
        assert waited < patience, "it never came"
        time.sleep(min(max(0.02, waited / 20), 0.25))


def multipart(parts, boundary="fr0ntier", is_cut=False):
    """A form: (name, value) or (name, file name, bytes) each. Returns its headers and its body."""
    body = b""
    for name, *rest in parts:
        head = 'Content-Disposition: form-data; name="%s"' % name
        if len(rest) == 2:
            head += '; filename="%s"\r\nContent-Type: application/octet-stream' % rest[0]
        value = rest[-1].encode() if isinstance(rest[-1], str) else rest[-1]
        body += ("--%s\r\n%s\r\n\r\n" % (boundary, head)).encode() + value + b"\r\n"
    if not is_cut:
        body += ("--%s--\r\n" % boundary).encode()
    return {"Content-Type": "multipart/form-data; boundary=" + boundary}, body


def place(store):
    """The options by which a site or worker finds a store. Where a cluster of PostgreSQL is given, the rows of a folder's
    store are in a database of its own there."""
    cluster = os.environ.get("TRACEVIEW_TEST_CLUSTER")
    if not cluster:
        return ("--store", store)
    return ("--store", database_of(cluster, store), "--files", store)


def database_of(cluster, store):
    """The address of a folder's database, which is made where it is not there."""
    name = hashlib.sha256(store.encode()).hexdigest()[:20]
    url = "postgres://postgres@/%s?host=%s"
    subprocess.run(["psql", "-qX", url % ("postgres", cluster), "-c", 'CREATE DATABASE "%s"' % name],
                   stderr=subprocess.DEVNULL, check=False)
    return url % (name, cluster)


class Answer:
    def __init__(self, response, body):
        self.status, self.headers, self.body = response.status, response.headers, body

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.body)


def is_loading(answer):
    return answer.status == 503 and answer.body.strip() == b'{"error":"loading"}'


class Site:
    """The program with its address; ended on leaving."""

    def __init__(self, program, *options, store=None, variables=None, prefix=()):
        self.folder = tempfile.TemporaryDirectory(prefix="traceview-sited-")
        self.store = store or os.path.join(self.folder.name, "store")
        self.base = options[options.index("--base-path") + 1] if "--base-path" in options else ""
        listen = () if "--listen" in options else ("--listen", "127.0.0.1:0")
        words = [*prefix, program, "serve", *place(self.store), *listen, *options]
        environment = dict(os.environ, XDG_DATA_HOME=self.folder.name, **(variables or {}))
        self.log = open(os.path.join(self.folder.name, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment)
        line = self.process.stdout.readline().strip()
        assert re.match(r"http://(127\.0\.0\.1|0\.0\.0\.0):", line), "serve said %r, and %r" % (line, self.read_log())
        self.port = int(line.split(":")[2].split("/")[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.log.close()
        self.folder.cleanup()

    def read_log(self):
        return read(self.log.name).decode("utf-8")

    def cpu_s(self):
        return cpu_of(self.process.pid)

    def ask(self, path, method="GET", headers=None, body=None):
        """As a browser's page does, it asks again while what it needs is brought from an object store."""
        end = time.monotonic() + PATIENCE_S
        while True:
            answer = self.ask_once(path, method, headers, body)
            if not is_loading(answer) or time.monotonic() > end:
                return answer
            time.sleep(0.1)

    def ask_once(self, path, method="GET", headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request(method, self.base + path, body=body, headers=headers or {})
        response = connection.getresponse()
        answer = Answer(response, response.read())
        connection.close()
        described.check(method, path, headers or {}, body, answer)
        return answer

    def send(self, text):
        """Sends these bytes as they are, and returns all that comes back until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
            connection.sendall(text)
            answer = b""
            while True:
                piece = connection.recv(65536)
                if not piece:
                    return answer
                answer += piece

    def form(self, *parts, path="/upload_trace", headers=None, **options):
        own, body = multipart(parts, **options)
        return self.ask(path, "POST", dict(own, **(headers or {})), body)

    def put(self, content, headers=None, **fields):
        """Uploads by PUT, and returns the trace."""
        query = urllib.parse.urlencode(dict({"name": "a.trace.zst"}, **fields))
        answer = self.ask("/api/v1/traces?" + query, "PUT", headers, content)
        assert answer.status == 201, (answer.status, answer.text)
        return answer.json

    def trace(self, trace):
        return self.ask("/api/v1/traces/" + trace["id"], headers=bearer(trace)).json

    def ready(self, trace):
        """The trace once a worker is done with it."""
        wait_until(lambda: self.trace(trace)["state"] in ("ready", "failed"))
        return dict(self.trace(trace), owner_token=trace["owner_token"])

    def stop(self):
        """Ends it as an administrator would, and returns its status."""
        self.process.terminate()
        return self.process.wait(timeout=PATIENCE_S)


def bearer(trace):
    return {"Authorization": "Bearer " + trace["owner_token"]}


def sha256(content):
    return hashlib.sha256(content).hexdigest()
