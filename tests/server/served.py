#!/usr/bin/env python3
"""Asks the real program over a real socket: served.py PROGRAM [TEST ...]. Ends with "N passed, N failed"."""

import base64
import ctypes
import gzip
import hashlib
import http.client
import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from ports import Port

EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
# The version of the kernel's Landlock is what landlock_create_ruleset (444) tells.
HAS_LANDLOCK = ctypes.CDLL(None).syscall(444, None, 0, 1) >= 1
PATIENCE_S = 240  # a sanitizer on a busy machine takes its time; only a failure takes that long


def own_folders(folder):
    """The environment of a program that keeps what it remembers in this folder."""
    return dict(os.environ, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder, XDG_CACHE_HOME=folder)


class Viewer:
    """The program with its address; ended on leaving."""

    def __init__(self, program, *options, file=EXAMPLE, browser=None, variables=None, stdin=None):
        self.config = tempfile.TemporaryDirectory()
        environment = dict(own_folders(self.config.name), **(variables or {}))
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
            environment.pop(name, None)
        if browser:
            environment["BROWSER"] = browser
        words = [program, *options] + ([file] if file else [])
        self.process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=environment)
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.split(":")[2].split("/")[0])
        self.token = self.url.split("/")[3]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        said = self.process.communicate()[1] or ""
        self.config.cleanup()
        # A race is told and the program runs on: whoever does not read what it said has not seen it.
        assert "Sanitizer" not in said and "runtime error:" not in said, said

    def ask(self, path, method="GET", headers=None, body=None, token=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request(method, "/%s/%s" % (token or self.token, path), body=body, headers=headers or {})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response, content

    def wait_until_ready(self):
        end = time.monotonic() + PATIENCE_S
        while self.ask("api/info")[0].status == 503:
            assert time.monotonic() < end, "still loading"
            time.sleep(0.01)

    def events(self, at="", headers=""):
        """An open event stream of the trace whose address is `at` below the viewer's: the socket."""
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)
        stream.sendall(("GET /%s/%sapi/events HTTP/1.1\r\nHost: localhost\r\n%s\r\n" % (self.token, at, headers)).encode())
        return stream

    def web_socket(self, at="", origin="http://localhost"):
        """The same as a WebSocket, as a browser asks for it."""
        return self.events(at, "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: %s\r\n" % origin)


def read_until(stream, wanted):
    text = b""
    end = time.monotonic() + PATIENCE_S  # pings come for ever
    while wanted not in text:
        assert time.monotonic() < end, "no %r in %r" % (wanted, text)
        piece = stream.recv(4096)
        assert piece, "the stream ended after %r" % text
        text += piece
    return text


def read_line(file, wanted):
    for line in file:
        if wanted in line:
            return line
    raise AssertionError("no line with %r" % wanted)


def wait_until(holds):
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


def equal(got, expected):
    assert got == expected, "got %.500r, expected %.500r" % (got, expected)


def answers_page_and_api(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        response, body = viewer.ask("api/info")
        equal(response.status, 200)
        equal(json.loads(body)["file"], "recipes.trace.zst")
        by_verb = subprocess.run([program, "info", "--json", EXAMPLE], capture_output=True, check=True).stdout
        equal(body, by_verb)
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        equal(viewer.ask("api/top?n=5&sort=inclusive")[0].status, 200)
        equal(viewer.ask("api/top?n=x")[0].status, 400)
        equal(viewer.ask("api/nothing")[0].status, 404)
        equal(viewer.ask("nothing")[0].status, 404)


def traces_are_compared_as_by_the_command(program):
    """Traces of two addresses, an answer of which is that of the command; one that is closed is opened again."""
    small = os.path.join(ROOT, "tests", "data", "made", "v3-dual.trace")
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        with open(small, "rb") as file:
            response, _ = viewer.ask("api/open?name=v3-dual.trace", "PUT", {"Content-Type": "application/octet-stream"}, file.read())
        equal(response.status, 202)
        wait_until(lambda: viewer.ask("t/2/api/info")[0].status == 200)
        by_verb = subprocess.run([program, "diff", "--json", EXAMPLE, small], capture_output=True, check=True).stdout
        equal(viewer.ask("t/2/api/diff?old=1")[1], by_verb)
        equal(viewer.ask("api/diff?old=1&new=2")[1], by_verb)
        equal(viewer.ask("t/2/api/diff?old=2")[0].status, 400)
        for verb, route, query in (("check", "checkdiff", ""), ("insights", "insightsdiff", ""), ("frames", "lanesdiff", "&budget=8333333")):
            options = ["--budget", "8.3"] if query else []
            run = subprocess.run([program, verb, *options, "--json", "--against", EXAMPLE, small], capture_output=True, check=False)
            equal((verb, viewer.ask("t/2/api/%s?old=1%s" % (route, query))[1]), (verb, run.stdout))
            equal([viewer.ask("t/2/api/%s%s" % (route, query))[0].status for query in ("?moon=1", "?old=2", "?old=3", "?old=1&new=2", "?old=1,3")],
                  [400, 400, 404, 400, 400])
        lock = subprocess.run([program, "counts", "--mine", "com.", EXAMPLE], capture_output=True, check=True).stdout
        equal(json.loads(viewer.ask("api/counts?mine=com.")[1])["lock"].encode(), lock)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "app.counts")
            subprocess.run([program, "counts", "-o", path, EXAMPLE], check=True)
            run = subprocess.run([program, "counts", "--check", path, "--json", small], capture_output=True, check=False)
            equal(viewer.ask("t/2/api/counts?old=1")[1], run.stdout.replace(b'"app.counts"', b'"recipes.trace.zst"'))
            rules = "no calls of com.*\nmax of * <= 1 us\nwarn calls of *.main in 1\n"
            path = os.path.join(folder, "app.rules")
            with open(path, "w", encoding="utf-8") as file:
                file.write(rules)
            run = subprocess.run([program, "check", "--rules", path, "--json", small], capture_output=True, check=False)
            by_verb = json.loads(run.stdout)
            for rule in by_verb["rules"]:
                rule.pop("command", None)  # of files
            equal(json.loads(viewer.ask("t/2/api/rules?text=" + urllib.parse.quote(rules))[1]), by_verb)
            run = subprocess.run([program, "diff", "--rules", path, "--json", EXAMPLE, small], capture_output=True, check=False)
            by_verb = json.loads(run.stdout)["rules"]
            for rule in by_verb:
                rule.pop("command", None)
            equal(json.loads(viewer.ask("t/2/api/rules?old=1&text=" + urllib.parse.quote(rules))[1])["rules"], by_verb)
        run = subprocess.run([program, "trend", "--json", EXAMPLE, small], capture_output=True, check=True)
        equal(viewer.ask("t/2/api/trend?old=1&n=20")[1], run.stdout)
        equal(viewer.ask("t/2/api/lanesdiff?old=1&budget=0")[0].status, 400)
        response, body = viewer.ask("t/2/api/flamediff?old=1&width=300")
        equal((response.status, body[:4]), (200, b"TVD1"))
        before = json.loads(viewer.ask("t/2/api/before?old=1&ranks=0")[1])
        equal((before["file"], before["methods"]), (os.path.basename(EXAMPLE), []))
        equal(viewer.ask("t/2/api/before?old=3&ranks=0")[0].status, 404)
        equal(viewer.ask("t/2/api/flamediff?old=2&width=300")[0].status, 400)
        equal(viewer.ask("t/2/api/flamediff?old=3&width=300")[0].status, 404)
        for old in ("3", "0", "x", "2/../1", "%00"):
            equal(viewer.ask("api/diff?old=" + old)[0].status, 404)
        equal(viewer.ask("api/diff")[0].status, 400)
        equal(viewer.ask("api/diff?old=%")[0].status, 400)


def two_files_are_two_traces(program):
    """OLD and NEW on the command line: NEW is the page's, and OLD is compared with it, or it is said why not."""
    small = os.path.join(ROOT, "tests", "data", "made", "v3-dual.trace")
    by_verb = subprocess.run([program, "diff", "--json", small, EXAMPLE], capture_output=True, check=True).stdout
    with Viewer(program, "--no-browser", small) as viewer:
        equal(viewer.url.partition("#")[2], "tab=changes&against=2")
        viewer.wait_until_ready()
        # While it is read, the answer is that it is loading, and no other.
        answers = []
        wait_until(lambda: answers.append(viewer.ask("api/diff?old=2")) or answers[-1][0].status != 503)
        equal((answers[-1][0].status, answers[-1][1]), (200, by_verb))
        for response, body in answers[:-1]:
            equal((response.status, json.loads(body)["error"]), (503, "loading"))
    with Viewer(program, "--no-browser", small, EXAMPLE, file="#tab=flame") as viewer:
        equal(viewer.url.partition("#")[2], "tab=flame&against=2")
    with tempfile.TemporaryDirectory() as folder:
        bad = os.path.join(folder, "bad.trace.zst")
        with open(bad, "wb") as file:
            file.write(b"\x28\xb5\x2f\xfd" + bytes(40))
        with Viewer(program, "--no-browser", bad) as viewer:
            viewer.wait_until_ready()
            wait_until(lambda: viewer.ask("api/diff?old=2")[0].status != 503)
            response, body = viewer.ask("api/diff?old=2")
            equal(response.status, 500)
            assert b"the packed data ends" in body, body
        for words, status, said in (([os.path.join(folder, "nothing"), EXAMPLE], 1, b"no such file"),
                                    (["-", EXAMPLE], 2, b"cannot be standard input"),
                                    ([small, EXAMPLE, "#a", "b"], 2, b"'b' is too much")):
            done = subprocess.run([program, "view", "--no-browser", *words], capture_output=True, check=False, stdin=subprocess.DEVNULL)
            equal(done.returncode, status)
            assert said in done.stderr, done.stderr


def page_has_etag_and_gzip(program):
    with Viewer(program, "--no-browser") as viewer:
        if viewer.ask("")[0].status == 503:
            print("skipped: page_has_etag_and_gzip: built without its page")
            return
        response, packed = viewer.ask("", headers={"Accept-Encoding": "gzip"})
        equal(response.headers["Content-Encoding"], "gzip")
        equal(viewer.ask("")[1], gzip.decompress(packed))
        again, body = viewer.ask("", headers={"If-None-Match": response.headers["ETag"]})
        equal((again.status, body), (304, b""))
        head, body = viewer.ask("", method="HEAD")
        equal((head.status, body), (200, b""))


def only_the_scripts_and_styles_of_the_page_may_run(program):
    with Viewer(program, "--no-browser") as viewer:
        response, body = viewer.ask("")
        if response.status == 503:
            print("skipped: only_the_scripts_and_styles_of_the_page_may_run: built without its page")
            return
        policy = dict(part.strip().split(" ", 1) for part in response.headers["Content-Security-Policy"].split(";"))
        digests = {kind: ["'sha256-%s'" % base64.b64encode(hashlib.sha256(text).digest()).decode()
                          for text in re.findall(b"<%s>(.*?)</%s>" % (kind, kind), body, re.S)]
                   for kind in (b"script", b"style")}
        equal(policy["script-src"].split(), digests[b"script"])
        equal(policy["style-src"].split(), digests[b"style"])
        equal(len(digests[b"script"]), 1)


def headers_of_the_stream_come_alone(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
            stream.sendall(("HEAD /%s/api/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            % viewer.token).encode())
            text = b""
            while piece := stream.recv(4096):
                text += piece
        assert text.startswith(b"HTTP/1.1 200"), text
        assert b"text/event-stream" in text, text
        assert text.endswith(b"\r\n\r\n") and text.count(b"\r\n\r\n") == 1, text


def strangers_stay_out(program):
    with Viewer(program, "--no-browser") as viewer:
        equal(viewer.ask("api/info", headers={"Host": "evil.example"})[0].status, 403)
        equal(viewer.ask("api/info", headers={"Host": "localhost:99"})[0].status in (200, 503), True)
        equal(viewer.ask("api/info", headers={"Origin": "http://evil.example"})[0].status, 403)
        equal(viewer.ask("api/info", token="0" * 32)[0].status, 404)
        equal(viewer.ask("api/info", method="POST", body=b"x")[0].status, 405)
        equal(viewer.ask("../../etc/passwd")[0].status, 404)


def settings_last(program):
    with Viewer(program, "--no-browser") as viewer:
        equal(viewer.ask("api/settings")[1], b"{}\n")
        equal(viewer.ask("api/settings", "PUT", body=b'{"theme":"dark"}')[0].status, 200)
        equal(viewer.ask("api/settings")[1], b'{"theme":"dark"}')
        equal(viewer.ask("api/settings", "PUT", body=b"[]")[0].status, 400)
        equal(viewer.ask("api/settings", "PUT", body=b'{"a":"' + b"x" * 70000 + b'"}')[0].status, 413)
        equal(viewer.ask("api/settings")[1], b'{"theme":"dark"}')


def long_requests_are_refused(program):
    with Viewer(program, "--no-browser") as viewer:
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
            stream.sendall(b"GET /" + b"x" * 200000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
            status = stream.recv(4096).split(b" ")[1]
            assert status in (b"414", b"431", b"413", b"400"), status
        equal(viewer.ask("api/settings")[0].status, 200)


def longest_query_is_answered_and_a_longer_one_refused(program):
    """With what a browser and proxies send, too; what the server's library refuses has no words of ours."""
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        rest = {"User-Agent": "Mozilla/5.0 " + "x" * 200, "Cookie": "y" * 4000}
        for length, status in ((65535, 200), (65536, 200), (65537, 400), (70000, 400)):
            text = "text=%23"
            answer, body = viewer.ask("api/rules?" + text + "x" * (length - len(text)), headers=rest)
            equal((length, answer.status, body[:8] == b'{"error"'), (length, status, status == 400))


def garbage_does_no_harm(program):
    with Viewer(program, "--no-browser") as viewer:
        for garbage in (b"\0" * 1000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 100, os.urandom(5000),
                        b"PUT /%s/api/settings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nx"
                        % viewer.token.encode()):
            with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
                stream.sendall(garbage)
        equal(viewer.ask("api/settings")[0].status, 200)


def ends_while_it_is_asked(program):
    """Ctrl-C while six connections ask without a pause: requests that come when the workers have gone are refused."""
    for round_no in range(8):
        with Viewer(program, "--no-browser") as viewer:
            viewer.wait_until_ready()

            def ask_until_refused():
                connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=PATIENCE_S)
                try:
                    while True:
                        connection.request("GET", "/%s/api/search?q=a" % viewer.token)
                        connection.getresponse().read()
                except (OSError, http.client.HTTPException):
                    connection.close()

            askers = [threading.Thread(target=ask_until_refused) for _ in range(6)]
            for asker in askers:
                asker.start()
            time.sleep(0.02 * (round_no + 1))
            viewer.process.send_signal(signal.SIGINT)
            status = viewer.process.wait(PATIENCE_S)
            for asker in askers:
                asker.join()
            assert status == 0, (status, viewer.process.stderr.read())


def events_come_and_the_end_is_clean(program):
    with Viewer(program, "--no-browser") as viewer:
        stream = viewer.events()
        read_until(stream, b"event: ready")
        read_until(stream, b"event: ping")
        viewer.process.send_signal(signal.SIGINT)
        equal(viewer.process.wait(PATIENCE_S), 0)
        stream.close()


def many_ask_at_once(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        expected = viewer.ask("api/top?n=50&from=1000000&to=300000000")[1]
        wrong = []

        def ask_often():
            for _ in range(10):
                if viewer.ask("api/top?n=50&from=1000000&to=300000000")[1] != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=ask_often) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(wrong, [])


def half_sent_requests_keep_nobody_out_for_long(program):
    with Viewer(program, "--no-browser") as viewer:
        kept = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=PATIENCE_S)
        kept.request("GET", "/%s/api/settings" % viewer.token)
        equal(kept.getresponse().read(), b"{}\n")
        held = [socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) for _ in range(250)]
        for stream in held[:125]:
            stream.sendall(b"GET / HT")
        for stream in held[125:]:  # whole ones, but of a stranger
            stream.sendall(b"GET /" + b"0" * 32 + b"/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        begun = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=PATIENCE_S)
        connection.request("GET", "/%s/api/settings" % viewer.token)
        equal(connection.getresponse().status, 200)
        assert time.monotonic() - begun < PROMPT_S, "after %.1f s" % (time.monotonic() - begun)
        kept.request("GET", "/%s/api/settings" % viewer.token)  # who has the token may be silent for longer
        equal(kept.getresponse().status, 200)
        for stream in held:
            stream.close()


class Strangers:
    """More connections than there is room for, each opened again when it is closed, until the end."""

    def __init__(self, port, opening, trickle, count=600):
        self.port = port
        self.opening = opening
        self.trickle = trickle
        self.count = count
        self.opened = 0
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.press)

    def __enter__(self):
        self.thread.start()
        wait_until(lambda: self.opened >= self.count)
        return self

    def __exit__(self, *_):
        assert self.thread.is_alive(), "the strangers have given up"
        self.is_over.set()
        self.thread.join()

    def open(self):
        stream = socket.socket()
        stream.setblocking(False)
        stream.connect_ex(("127.0.0.1", self.port))
        self.opened += 1
        return stream

    def press(self):
        """Half a second a turn: whoever was closed comes again, and all others send some bytes more."""
        streams = []
        while not self.is_over.wait(0.5):
            streams += [[self.open(), self.opening] for _ in range(self.count - len(streams))]
            for one in list(streams):
                stream, unsent = one
                try:
                    one[1] = unsent[stream.send(unsent or self.trickle):] if unsent else unsent
                    if not unsent and self.trickle:
                        stream.send(self.trickle)
                    if stream.recv(4096):
                        continue
                except BlockingIOError:
                    continue
                except OSError:
                    pass
                stream.close()
                streams.remove(one)
        for stream, _ in streams:
            stream.close()


STRANGE = "0" * 32
PRESSES = {
    "half a request, a byte at a time": (b"G", b"E"),
    "a header that does not end": (b"GET / HTTP/1.1\r\nHost: localhost\r\nA: ", b"a"),
    "a whole request, and the connection held": (b"GET /%s/ HTTP/1.1\r\nHost: localhost\r\n\r\n" % STRANGE.encode(),
                                                 b""),
    "a slow body": (b"PUT /%s/api/settings HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{"
                    % STRANGE.encode(), b"1"),
    "nothing at all": (b"", b""),
}
PROMPT_S = 20  # an answer takes a millisecond, but seconds on a busy machine under a sanitizer


def strangers_never_keep_the_page_out(program):
    for name, (opening, trickle) in PRESSES.items():
        with Viewer(program, "--no-browser") as viewer:
            viewer.wait_until_ready()
            kept = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=PATIENCE_S)
            stream = viewer.events()
            with Strangers(viewer.port, opening, trickle):
                for turn in range(8):
                    for ask in (lambda: viewer.ask("api/settings")[0].status, lambda: ask_on(kept, viewer)):
                        begun = time.monotonic()
                        equal(ask(), 200)
                        taken = time.monotonic() - begun
                        assert taken < PROMPT_S, "an answer after %.1f s, against %s, turn %d" % (taken, name, turn)
                    time.sleep(0.3)
                read_until(stream, b"event: ping")
            stream.close()


def ask_on(connection, viewer):
    connection.request("GET", "/%s/api/settings" % viewer.token)
    response = connection.getresponse()
    response.read()
    return response.status


def a_slow_upload_is_taken_while_strangers_press(program):
    with open(EXAMPLE, "rb") as file, Viewer(program, "--no-browser", file=None) as viewer:
        content = file.read()
        with Strangers(viewer.port, b"G", b"E"), \
                socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
            stream.sendall(("PUT /%s/api/open?name=a.trace.zst HTTP/1.1\r\nHost: localhost\r\n"
                            "Content-Length: %d\r\n\r\n" % (viewer.token, len(content))).encode())
            for part in range(3):
                time.sleep(4)  # longer than a stranger may stay in all
                stream.sendall(content[len(content) * part // 3:len(content) * (part + 1) // 3])
            assert stream.recv(4096).startswith(b"HTTP/1.1 202"), "the upload was not taken"
            viewer.wait_until_ready()


def a_strangers_body_is_not_waited_for(program):
    with Viewer(program, "--no-browser") as viewer, \
            socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
        stream.sendall(PRESSES["a slow body"][0])
        text = b""
        while piece := stream.recv(4096):  # to the end: the connection is closed
            text += piece
        assert text.startswith(b"HTTP/1.1 404"), text


def slow_clients_do_not_block(program):
    with Viewer(program, "--no-browser") as viewer:
        for _ in range(20):
            held = [socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) for _ in range(60)]
            for stream in held:
                stream.sendall(b"GET / HT")
            equal(viewer.ask("api/settings")[0].status, 200)
            looked_at = select.poll()  # select() takes no descriptor above 1023
            for stream in held:
                looked_at.register(stream, select.POLLIN)
            ended = looked_at.poll(0)
            for stream in held:
                stream.close()
            if not ended:
                return
        raise AssertionError("an answer comes only when the slow ones have been sent away")


RANGE = ("from=1000000&to=5000000&threads=1", ["--from", "1ms", "--to", "5ms", "--thread", "1"])
PARTS = [
    ("", []),
    ("match=String&clock=wall", ["--match", "String", "--clock", "wall"]),
    ("hide=java.&depth=5", ["--hide", "java.", "--depth", "5"]),
    ("redact=1&keep=java.&depth=9", ["--redact", "--keep", "java.", "--depth", "9"]),
]


def exported(program, folder, trace, words):
    path = os.path.join(folder, "out")
    with open(path, "wb") as file:
        subprocess.run([program, "export", trace, *words], stdout=file, stderr=subprocess.DEVNULL, check=True)
    with open(path, "rb") as file:
        return file.read()


def exports_are_those_of_the_command(program):
    with tempfile.TemporaryDirectory() as folder:
        small = os.path.join(folder, "small.trace")  # a file of each format is made twice
        subprocess.run([program, "export", EXAMPLE, "--to", "trace", "--from", "100ms", "--to", "110ms", "-o", small],
                       stderr=subprocess.DEVNULL, check=True)
        compare_exports(program, folder, small)


def compare_exports(program, folder, trace):
    with Viewer(program, "--no-browser", file=trace) as viewer:
        viewer.wait_until_ready()
        names = [one["name"] for one in json.loads(viewer.ask("api/exports")[1])["formats"]]
        assert {"folded", "chrome"} <= set(names), names
        for name, (query, words) in [(name, RANGE) for name in names] + [("folded", part) for part in PARTS]:
            response, body = viewer.ask("api/export?format=%s&%s" % (name, query))
            equal(response.status, 200)
            expected = exported(program, folder, trace, ["--to", name, *words])
            assert body == expected, "%s of %r differs from the command's" % (name, query)
            assert len(body) > 100, body
        body = viewer.ask("api/export?format=csv&table=methods")[1]
        equal(body, exported(program, folder, trace, ["--to", "csv", "--table", "methods"]))
        path = os.path.join(folder, "out.folded.gz")
        subprocess.run([program, "export", trace, "-o", path], check=True)
        response, body = viewer.ask("api/export?format=folded&gzip=1")
        equal((response.headers["Content-Type"], response.headers["Content-Encoding"]), ("application/gzip", None))
        with open(path, "rb") as file:
            equal(body, file.read())


def exports_have_a_name_and_refusals_a_reason(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        query = "api/export?format=folded&threads=1&from=1500000&to=20000000&gzip=1"
        for method in ("HEAD", "GET"):
            response, body = viewer.ask(query, method=method)
            equal(response.status, 200)
            equal(response.headers["Content-Disposition"],
                  'attachment; filename="recipes-main-1.5-20ms.folded.gz"; '
                  "filename*=UTF-8''recipes-main-1.5-20ms.folded.gz")
            equal(len(body) > 0, method == "GET")
        equal(json.loads(viewer.ask(query + "&check=1")[1]), {"name": "recipes-main-1.5-20ms.folded.gz"})
        for query, status, word in (("", 400, "format"), ("format=nothing", 404, "nothing"),
                                    ("format=folded&from=5&to=1", 400, "from"), ("format=folded&x=1", 400, "x"),
                                    ("format=folded&threads=77", 404, "77"), ("format=folded&gzip=yes", 400, "gzip"),
                                    ("format=folded&id=0", 400, "id"), ("format=folded&depth=x", 400, "depth")):
            for method, more in (("HEAD", ""), ("GET", "&check=1"), ("GET", "")):
                response, body = viewer.ask("api/export?" + query + more, method=method)
                equal((query, response.status), (query, status))
            assert word in json.loads(body)["error"], (query, body)
        equal(viewer.ask("api/export?format=folded", method="PUT", body=b"x")[0].status, 405)
        equal(viewer.ask("api/export?format=folded", token="0" * 32)[0].status, 404)
        equal(viewer.ask("api/export?format=folded", headers={"Origin": "http://evil.example"})[0].status, 403)
        equal(viewer.ask("api/export?format=folded", headers={"Host": "evil.example"})[0].status, 403)
        equal(viewer.ask("api/exporting?id=3")[0].status, 404)
        equal(viewer.ask("api/exporting")[0].status, 400)
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
            stream.sendall(b"GET /%s/api/export?format=folded HTTP/1.0\r\nHost: localhost\r\n\r\n"
                           % viewer.token.encode())
            assert stream.recv(4096).split(b" ")[1] == b"505", "a file whose end cannot be told"


class SlowReader:
    """A download whose reader has taken the headers and some bytes, and then nothing more."""

    def __init__(self, viewer, query="format=chrome"):
        self.stream = socket.socket()
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        self.stream.settimeout(PATIENCE_S)
        self.stream.connect(("127.0.0.1", viewer.port))
        self.stream.sendall(("GET /%s/api/export?%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                             % (viewer.token, query)).encode())
        self.begun = self.stream.recv(4096)
        self.status = int(self.begun.split(b" ")[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()

    def rest(self):
        pieces = [self.begun]
        self.stream.shutdown(socket.SHUT_WR)
        try:
            while piece := self.stream.recv(1 << 20):
                pieces.append(piece)
        except ConnectionResetError:
            pass
        return b"".join(pieces)


def status_field(viewer, name):
    with open("/proc/%d/status" % viewer.process.pid, encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))


def descriptors(viewer):
    return len(os.listdir("/proc/%d/fd" % viewer.process.pid))


def readers_that_leave_leave_nothing_behind(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        viewer.ask("api/top?n=1")
        before = status_field(viewer, "Threads"), descriptors(viewer)

        def is_taken_and_left():
            with SlowReader(viewer, "format=chrome&id=7") as reader:
                if reader.status == 503:  # the threads of former ones have not ended yet
                    return False
                equal(json.loads(viewer.ask("api/exporting?id=7")[1])["state"], "running")
            wait_until(lambda: json.loads(viewer.ask("api/exporting?id=7")[1])["state"] == "cancelled")
            return True

        for _ in range(12):
            wait_until(is_taken_and_left)
        wait_until(lambda: status_field(viewer, "Threads") <= before[0])
        wait_until(lambda: descriptors(viewer) <= before[1])


def slow_readers_cost_no_memory_and_the_next_one_waits(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        part = "format=chrome&to=%d" % (200000000 if has_sanitizer(program) else 800000000)
        whole = viewer.ask("api/export?" + part)[1]
        before = status_field(viewer, "VmRSS")
        readers = [SlowReader(viewer, "%s&id=%d" % (part, id_ + 1)) for id_ in range(20)]
        equal(sorted(reader.status for reader in readers), [200] * 4 + [503] * 16)
        refused = next(reader for reader in readers if reader.status == 503)
        assert b"4 exports are under way" in refused.begun and b"Retry-After" in refused.begun, refused.begun
        time.sleep(0.5)  # long enough to make all of the file
        grown = status_field(viewer, "VmRSS") - before
        assert has_sanitizer(program) or grown * 1024 < len(whole), "%d KiB for four readers of %d" % (grown, len(whole))
        assert len(whole) > 8 << 20, len(whole)
        if HAS_LANDLOCK:  # the threads of exports are behind walls, too
            equal(threads_without_wall(viewer), own_threads_without_wall(program))
        taken = [reader for reader in readers if reader.status == 200]
        equal(json.loads(viewer.ask("api/exporting?id=1", "PUT")[1])["state"], "cancelled")
        rests = []
        threads = [threading.Thread(target=lambda reader=reader: rests.append(reader.rest())) for reader in taken]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # The one that was cancelled has no last chunk, and is shorter; the others are whole.
        equal(sorted(rest.endswith(b"\r\n0\r\n\r\n") for rest in rests), [False, True, True, True])
        equal(sorted(len(rest) > len(whole) for rest in rests), [False, True, True, True])
        states = [json.loads(viewer.ask("api/exporting?id=%d" % id_)[1]) for id_ in range(1, 5)]
        equal([state["state"] for state in states], ["cancelled", "done", "done", "done"])
        equal({state["bytes"] for state in states[1:]}, {len(whole)})
        for reader in readers:
            reader.stream.close()
        equal(viewer.ask("api/export?" + part)[1] == whole, True)


def ends_while_it_exports(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        with SlowReader(viewer) as reader, SlowReader(viewer, "format=folded"):
            viewer.process.send_signal(signal.SIGINT)
            equal(viewer.process.wait(PATIENCE_S), 0)
            equal(reader.rest().endswith(b"\r\n0\r\n\r\n"), False)


def stays_while_a_file_is_taken(program):
    with Viewer(program, browser="/bin/true") as viewer:
        first = viewer.events()
        read_until(first, b"event: ready")
        with SlowReader(viewer) as reader:
            first.close()
            time.sleep(7)  # without the download it would have ended after 5 s and a moment
            equal(viewer.process.poll(), None)
            equal(reader.rest().endswith(b"\r\n0\r\n\r\n"), True)
        equal(viewer.process.wait(PATIENCE_S), 0)


def ends_when_the_page_is_closed_and_not_on_reload(program):
    with Viewer(program, browser="/bin/true") as viewer:
        first = viewer.events()
        read_until(first, b"event: ready")
        first.close()
        time.sleep(1)  # a slow reload; the program ends 5 s after it has noticed that nobody is there
        second = viewer.events()
        read_until(second, b"event: ready")
        time.sleep(5)  # it must not end of the first one's leaving
        equal(viewer.process.poll(), None)
        begun = time.monotonic()
        second.close()
        equal(viewer.process.wait(PATIENCE_S), 0)
        assert time.monotonic() - begun > 3, "ended after %.1f s" % (time.monotonic() - begun)


def web_sockets_say_what_streams_say(program):
    """To the pages of this viewer alone: a page of another site may open one to any address."""
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        sockets = [viewer.web_socket(at) for at in ["", "t/1/"] * 20]
        for stream in sockets:
            text = read_until(stream, b"event: ready\ndata: {\"trace\":1}\n\n")
            equal(text.startswith(b"HTTP/1.1 101 "), True)
            equal(text.count(b"\x81\x20event: ready\n"), 1)
        for stream in sockets:
            read_until(stream, b"\x81\x16event: ping\ndata: {}\n\n")
        equal(read_until(viewer.web_socket(origin="http://example.org"), b"own page only")[:13], b"HTTP/1.1 403 ")
        viewer.process.send_signal(signal.SIGINT)
        equal(viewer.process.wait(PATIENCE_S), 0)


def ends_when_the_last_web_socket_is_closed(program):
    with Viewer(program, browser="/bin/true") as viewer:
        first, halted = viewer.web_socket(), viewer.web_socket()
        read_until(first, b"event: ready")
        first.sendall(b"\x88\x80mask")  # as a page that is closed
        equal(first.recv(1) in (b"\x81", b""), True)
        time.sleep(7)  # of a page that is halted nothing comes; it is there
        equal(viewer.process.poll(), None)
        halted.close()
        equal(viewer.process.wait(PATIENCE_S), 0)


def stays_without_a_browser(program):
    with Viewer(program, "--no-browser") as viewer:
        stream = viewer.events()
        read_until(stream, b"event: ready")
        stream.close()
        time.sleep(8)  # it must not end: with a browser it would after 5 s and a moment
        equal(viewer.process.poll(), None)


def started_browser(folder):
    """A browser that writes the words that it was started with to a file, and stays."""
    path = os.path.join(folder, "browser")
    with open(path, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/cmdline > %s/words.part\nmv %s/words.part %s/words\n"
                   "sleep 30\n" % (folder, folder, folder))
    os.chmod(path, 0o755)
    return path


def words_of(folder):
    path = os.path.join(folder, "words")
    wait_until(lambda: os.path.exists(path))
    with open(path, encoding="ascii") as file:
        return file.read().split("\n")


def every_command_line():
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % process, "rb") as file:
                yield file.read()
        except OSError:
            pass  # it has ended


def get(address, user=None):
    """The status and the place that a redirect leads to; asked by a program of its own."""
    said = subprocess.run([sys.executable, "-c", GET, address, str(user or os.geteuid())], capture_output=True,
                          text=True, check=False)
    assert said.returncode == 0, said.stderr
    status, place = said.stdout.split(" ", 1)
    return int(status), place.strip()


NOBODY = 65534
GET = """
import encodings.idna, http.client, os, sys
os.setuid(int(sys.argv[2]))
place, path = sys.argv[1][len("http://"):].split("/", 1)
connection = http.client.HTTPConnection(place, timeout=%d)
connection.request("GET", "/" + path)
response = connection.getresponse()
print(response.status, response.headers["Location"])
""" % PATIENCE_S


def no_command_line_tells_how_to_get_in(program):
    with tempfile.TemporaryDirectory() as folder, Viewer(program, browser=started_browser(folder)) as viewer:
        if viewer.ask("")[0].status == 503:
            print("skipped: no_command_line_tells_how_to_get_in: built without its page")
            return
        entry = next(word for word in words_of(folder) if word.startswith("http://"))
        lines = list(every_command_line())
        assert any(entry.encode() in line for line in lines), "the browser has ended"
        assert not any(viewer.token.encode() in line for line in lines), "the session token stands in a command line"
        for path in ("/", "/api/info", "/api/settings"):
            equal(get(entry + path)[0], 404)
        if os.geteuid() == 0:
            equal(get(entry, user=NOBODY), (403, "None"))
        else:
            print("skipped: the entry address, asked by another user: needs root")
        equal(get(entry), (303, "/%s/" % viewer.token))
        equal(get(entry), (410, "None"))
        equal(viewer.ask("")[0].status, 200)  # the printed address, as often as one likes
        equal(viewer.ask("")[0].status, 200)


def a_view_stands_behind_both_addresses(program):
    """What is behind the # stays in the browser, over the redirect too, and none of it is asked for."""
    view = "#tab=flame&picked=1.5-2ms&method=a.b.C.%3Cinit%3E"
    with tempfile.TemporaryDirectory() as folder, \
            Viewer(program, EXAMPLE, file=view, browser=started_browser(folder)) as viewer:
        assert viewer.url.endswith("/" + view), viewer.url
        if viewer.ask("")[0].status == 503:
            print("skipped: a_view_stands_behind_both_addresses: built without its page")
            return
        assert any(word.startswith("http://") and word.endswith(view) for word in words_of(folder))


def threads_without_wall(viewer):
    """How many threads have given up nothing."""
    folder = "/proc/%d/task" % viewer.process.pid
    count = 0
    for thread in os.listdir(folder):
        with open("%s/%s/status" % (folder, thread), encoding="ascii") as file:
            count += "NoNewPrivs:\t0\n" in file.read()
    return count


def own_threads_without_wall(program):
    """The first thread, the one that starts helpers, those that start readers, and the thread of a sanitizer."""
    return 5 if has_thread_sanitizer(program) else 4


def has_thread_sanitizer(program):
    with open(program, "rb") as file:
        return b"__tsan_init" in file.read()


def has_sanitizer(program):
    """Whether its memory is not what it asks for alone."""
    with open(program, "rb") as file:
        return has_thread_sanitizer(program) or b"__asan_init" in file.read()


def its_threads_write_only_what_the_viewer_keeps(program):
    with tempfile.TemporaryDirectory() as elsewhere, Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        is_in_landlock = json.loads(viewer.ask("api/first")[1])["state"]["landlock"]
        equal(is_in_landlock, HAS_LANDLOCK)
        if not HAS_LANDLOCK:
            print("skipped: its_threads_write_only_what_the_viewer_keeps: a kernel without Landlock")
            return
        equal(threads_without_wall(viewer), own_threads_without_wall(program))
        equal(viewer.ask("api/settings", "PUT", body=b'{"a":1}')[0].status, 200)
        kept = os.path.join(viewer.config.name, "traceview")
        os.rename(kept, kept + ".old")
        os.symlink(elsewhere, kept)  # as who has taken a thread over would write elsewhere
        equal(viewer.ask("api/settings", "PUT", body=b'{"a":2}')[0].status, 500)
        equal(os.listdir(elsewhere), [])
        os.remove(kept)
        os.rename(kept + ".old", kept)
        equal(viewer.ask("api/settings", "PUT", body=b'{"a":3}')[0].status, 200)


def it_listens_on_loopback_alone(program):
    with Viewer(program, "--no-browser") as viewer:
        listening = []
        for name in ("tcp", "tcp6"):
            with open("/proc/net/" + name, encoding="ascii") as file:
                rows = [line.split() for line in file.readlines()[1:]]
            listening += [row[1] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == viewer.port]
        loopback = int.from_bytes(socket.inet_aton("127.0.0.1"), sys.byteorder)
        equal(listening, ["%08X:%04X" % (loopback, viewer.port)])


def goes_on_when_nobody_reads_its_messages(program):
    damaged = os.path.join(ROOT, "fuzz", "seeds", "text", "v3-cut")  # what is wrong with it is told on stderr
    with open(damaged, "rb") as file, Viewer(program, "--no-browser", file=None) as viewer:
        viewer.process.stderr.close()
        viewer.process.stderr = None
        equal(viewer.ask("api/open?name=damaged.trace", "PUT", body=file.read())[0].status, 202)
        read_until(viewer.events(), b'"trace":1')
        time.sleep(1)  # the message comes within a fifth of a second
        equal(viewer.ask("api/info")[0].status, 200)
        viewer.process.send_signal(signal.SIGTERM)
        equal(viewer.process.wait(PATIENCE_S), 0)


def goes_on_when_nobody_reads_its_address(program):
    held = Port()
    port = held.number
    reader, writer = os.pipe()
    os.close(reader)
    with tempfile.TemporaryDirectory() as folder:
        # Without a file: a signal in the middle of a load ends the program with status 0.
        process = subprocess.Popen([program, "--no-browser", "--port", str(port)], stdout=writer,
                                   stderr=subprocess.PIPE, text=True, env=own_folders(folder))
        os.close(writer)
        read_line(process.stderr, "ends on Ctrl-C")  # it listens
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", "/")
        equal(connection.getresponse().status, 404)
        process.send_signal(signal.SIGTERM)
        _, text = process.communicate(timeout=PATIENCE_S)
    held.close()
    assert "standard output" in text, text
    equal(process.returncode, 1)


def says_how_to_reach_it(program):
    with Viewer(program) as viewer:
        viewer.process.send_signal(signal.SIGTERM)
        _, text = viewer.process.communicate(timeout=PATIENCE_S)
        if "without its page" in text:
            print("skipped: says_how_to_reach_it: built without its page")
            return
        assert "ssh -L %d:127.0.0.1:%d" % (viewer.port, viewer.port) in text, text


def port_can_be_chosen_and_may_be_taken(program):
    with Viewer(program, "--no-browser") as viewer:
        run = subprocess.run([program, "--no-browser", "--port", str(viewer.port), EXAMPLE], capture_output=True,
                             text=True, timeout=PATIENCE_S, check=False)
        equal(run.returncode, 1)
        assert "is taken: choose another port" in run.stderr, run.stderr
        equal(run.stdout, "")


LOOPER = "com.example.recipes.RecipeApp$Looper"
MAPPING = "org.kitchen.Cook -> %s:\n    void heat() -> loop\n    void fry() -> dispatchMessage\n" % LOOPER
OF_ANOTHER = "org.kitchen.Other -> %s:\n    void never() -> nowhere\n" % LOOPER


def a_name_of_two_builds_is_one_method_in_all_traces_or_is_refused(program):
    """By the mappings of both traces, `loop` of the file is heat in one and fry in the other."""
    other = "org.kitchen.Cook -> %s:\n    void fry() -> loop\n    void heat() -> dispatchMessage\n" % LOOPER
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        with open(EXAMPLE, "rb") as file:
            equal(viewer.ask("api/open?name=new.trace", "PUT", {"Content-Type": "application/octet-stream"}, file.read())[0].status, 202)
        wait_until(lambda: viewer.ask("t/2/api/info")[0].status == 200)
        for place, mapping in ((1, MAPPING), (2, other)):
            path = "t/%d/api/" % place
            wait_until(lambda: viewer.ask(path + "mapping?name=m.txt", "PUT", body=mapping)[0].status == 202)
            wait_until(lambda: b"org.kitchen" in viewer.ask(path + "top?match=loop&n=0")[1])
        loop = LOOPER + ".loop"
        for question in ("diff?old=1&new=2&root=", "diff?old=1&new=2&until=org.kitchen.Cook.fry&first=", "counts?old=1&new=2&per="):
            response, content = viewer.ask("api/" + question + urllib.parse.quote(loop))
            equal((question, response.status), (question, 400))
            assert ("'%s' is org.kitchen.Cook." % loop).encode() in content, content
            assert b"give a name that is of one method in all" in content, content
        equal([viewer.ask("api/" + question + "org.kitchen.Cook.heat")[0].status for question in ("diff?old=1&new=2&root=", "counts?old=1&new=2&per=")], [200, 200])
        lock = json.loads(viewer.ask("t/2/api/counts?per=" + urllib.parse.quote(loop))[1])["lock"]
        assert "\nper org.kitchen.Cook.fry ()V\n" in lock, lock


def a_mapping_of_the_page_renames_the_trace_and_is_judged(program):
    with tempfile.TemporaryDirectory() as folder:
        large = os.path.join(folder, "large.trace")  # long enough for its index to be saved
        subprocess.run([program, "convert", EXAMPLE, large], check=True, capture_output=True)
        for trace in (EXAMPLE, large):
            with Viewer(program, "--no-browser", file=trace) as viewer:
                viewer.wait_until_ready()
                loads = [1]

                def give(query, text):
                    """Gives a mapping; the state of the first answer when the trace was read by it, or not."""
                    stream = viewer.events()
                    read_until(stream, b"event: ready")
                    # A trace is shown a moment before its reading is over.
                    wait_until(lambda: viewer.ask("api/mapping?" + query, "PUT", body=text)[0].status == 202)
                    read_until(stream, b"event: ready" if loads[0] else b"event: failed")
                    stream.close()
                    # The end of the reading before tells the same, so what is shown has to be of this mapping.
                    name = dict(urllib.parse.parse_qsl(query)).get("name")
                    wait_until(lambda: viewer.ask("api/info")[0].status == 200 and is_of(name))
                    return shown()

                def is_of(name):
                    """Whether what is shown has come of the mapping of this name, or without it of none."""
                    return (shown().get("names", {}).get("mapping") == name if loads[0]
                            else shown().get("error", "").startswith(name))

                def shown():
                    return json.loads(viewer.ask("api/first")[1])["state"]

                def has(name):
                    return name in viewer.ask("api/top?match=loop&n=0")[1].decode()

                known = {"mapping": "m.txt", "given": True, "by_id": False, "renamed": 4, "asked": 3, "known": 2}
                equal(give("name=m.txt", MAPPING)["names"], known)
                assert has("org.kitchen.Cook") and has(LOOPER)  # the name of the file stands beside it
                loads[0] = 0
                state = give("name=old.txt", OF_ANOTHER)
                assert "old.txt is of another build: it knows 0 of the 3" in state["error"], state
                assert "--force" not in state["error"], state
                equal(state["names"], known)
                assert "no.txt: no mapping of names" in give("name=no.txt", "nothing")["error"]
                loads[0] = 1
                equal(give("name=old.txt&force=1", OF_ANOTHER)["names"]["known"], 0)
                equal(give("name=m.txt", MAPPING)["names"], known)  # once more, where its index was saved
                assert "names" not in give("none=1", "")
                assert not has("org.kitchen")


def files_of_others_are_read_by_a_process_of_their_own(program):
    """The answers are the same; what a process of its own cannot read is told; and a file that is none is refused in the same words."""
    answers = []
    for which in ("always", "others", "never"):
        with Viewer(program, "--no-browser", "--no-cache", "--sandbox", which) as viewer:
            viewer.wait_until_ready()
            answers.append([viewer.ask("api/" + route)[1] for route in ("top?n=9", "info", "calls?limit=9")])
    equal(answers[0], answers[2])
    equal(answers[1], answers[2])
    with tempfile.TemporaryDirectory() as folder:
        reasons = []
        for which in ("others", "never"):
            with Viewer(program, "--no-browser", "--sandbox=" + which, file=None) as viewer:
                equal(viewer.ask("api/open?name=bad.trace", "PUT", body=gzip.compress(b"no trace at all"))[0].status, 202)
                wait_until(lambda: "error" in json.loads(viewer.ask("api/first")[1])["state"])
                reasons.append(json.loads(viewer.ask("api/first")[1])["state"]["error"])
        equal(reasons[0], reasons[1])
        pipe = os.path.join(folder, "pipe.trace")
        os.mkfifo(pipe)
        threading.Thread(target=lambda: feed(pipe), daemon=True).start()
        with Viewer(program, "--no-browser", "--sandbox=always", file=pipe) as viewer:
            viewer.wait_until_ready()
            viewer.process.terminate()
            assert "is read in this process" in viewer.process.communicate()[1]


def feed(pipe):
    with open(EXAMPLE, "rb") as trace, open(pipe, "wb") as file:
        file.write(trace.read())


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # all tests run at once, and some hold many connections
    program = os.path.abspath(sys.argv[1])
    tests = [answers_page_and_api, traces_are_compared_as_by_the_command, two_files_are_two_traces, page_has_etag_and_gzip,
             only_the_scripts_and_styles_of_the_page_may_run,
             headers_of_the_stream_come_alone,
             strangers_stay_out, settings_last, long_requests_are_refused, longest_query_is_answered_and_a_longer_one_refused, garbage_does_no_harm,
             events_come_and_the_end_is_clean, ends_while_it_is_asked, many_ask_at_once,
             slow_clients_do_not_block, half_sent_requests_keep_nobody_out_for_long,
             strangers_never_keep_the_page_out, a_slow_upload_is_taken_while_strangers_press,
             a_strangers_body_is_not_waited_for,
             exports_are_those_of_the_command, exports_have_a_name_and_refusals_a_reason,
             readers_that_leave_leave_nothing_behind, slow_readers_cost_no_memory_and_the_next_one_waits,
             ends_while_it_exports, stays_while_a_file_is_taken,
             ends_when_the_page_is_closed_and_not_on_reload,
             web_sockets_say_what_streams_say, ends_when_the_last_web_socket_is_closed, stays_without_a_browser,
             it_listens_on_loopback_alone, no_command_line_tells_how_to_get_in, a_view_stands_behind_both_addresses,
             its_threads_write_only_what_the_viewer_keeps, files_of_others_are_read_by_a_process_of_their_own, a_mapping_of_the_page_renames_the_trace_and_is_judged,
             a_name_of_two_builds_is_one_method_in_all_traces_or_is_refused,
             goes_on_when_nobody_reads_its_messages, goes_on_when_nobody_reads_its_address,
             says_how_to_reach_it, port_can_be_chosen_and_may_be_taken]
    tests = [test for test in tests if len(sys.argv) == 2 or test.__name__ in sys.argv[2:]]
    failed = []

    def run(test):
        try:
            test(program)
        except Exception as failure:  # whatever it was, the test did not pass
            failed.append(test)
            print("FAILED: %s: %s %s" % (test.__name__, type(failure).__name__, failure))

    threads = [threading.Thread(target=run, args=(test,)) for test in tests]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("%d passed, %d failed" % (len(tests) - len(failed), len(failed)))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
