"""Tests of sited.py: a site behind a real nginx, with the recipe of packaging/site. Skipped aloud where nginx is missing."""

import hashlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from ports import Port
from running import PATIENCE_S, ROOT, SMALL, Site, equal, has, read, wait_until

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
BASE = "/traces"


def recipe(name, port, site_port, login_port, folder):
    """The recipe without certificates, between these ports."""
    text = read(os.path.join(ROOT, "packaging", "site", name)).decode("utf-8")
    text, count = re.subn(r"listen 443 ssl http2;", "listen 127.0.0.1:%d;" % port, text)
    equal(count, 1)
    text, count = re.subn(r" *ssl_certificate.*\n", "", text)
    equal(count, 2)
    text, count = re.subn(r"/var/log/nginx/traceview\.log", folder + "/nginx.log", text)
    equal(count, 1)
    text, count = re.subn(r"http://127\.0\.0\.1:8192", "http://127.0.0.1:%d" % site_port, text)
    equal(count, 1)
    text = text.replace("http://127.0.0.1:4180", "http://127.0.0.1:%d" % login_port)
    return text


class Proxied:
    """A site with nginx before it."""

    def __init__(self, program, *options, name="nginx.conf", login_port=0):
        self.folder = tempfile.TemporaryDirectory(prefix="traceview-nginx-")
        self.held = Port()
        self.port = self.held.number
        self.host = "127.0.0.1:%d" % self.port
        self.log = os.path.join(self.folder.name, "access.log")
        self.site = Site(program, "--base-path", BASE, "--trusted-proxies", "127.0.0.1", "--public-url",
                         "http://" + self.host, "--log", self.log, *options)
        paths = "".join("%s_temp_path %s/%s;\n" % (kind, self.folder.name, kind)
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        conf = os.path.join(self.folder.name, "nginx.conf")
        with open(conf, "w", encoding="utf-8") as file:
            file.write("daemon off;\nmaster_process off;\npid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n%s%s}\n"
                       % (self.folder.name, paths, recipe(name, self.port, self.site.port, login_port, self.folder.name)))
        self.nginx = subprocess.Popen([NGINX, "-c", conf, "-p", self.folder.name], stderr=subprocess.PIPE)
        wait_until(self.is_up)

    def is_up(self):
        assert self.nginx.poll() is None, self.nginx.stderr.read()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.nginx.terminate()
        self.nginx.communicate()
        self.held.close()
        self.site.__exit__(*problem)
        self.folder.cleanup()

    def connect(self, client="127.0.0.2"):
        """A connection of a client that is no trusted proxy."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S, source_address=(client, 0))

    def ask(self, path, *headers, method="GET", body=b""):
        """The whole answer, head and body."""
        lines = ["%s %s HTTP/1.1" % (method, path), "Host: " + self.host, "Connection: close", *headers]
        if body:
            lines.append("Content-Length: %d" % len(body))
        with self.connect() as connection:
            connection.sendall("\r\n".join(lines + ["", ""]).encode() + body)
            answer = b""
            while True:
                piece = connection.recv(65536)
                if not piece:
                    return answer
                answer += piece

    def logged(self, route):
        wait_until(lambda: os.path.exists(self.log) and any(json.loads(line)["route"] == route for line in read(self.log).splitlines()))
        return [line for line in map(json.loads, read(self.log).splitlines()) if line["route"] == route][-1]


def site_below_a_path_of_nginx(program):
    with Proxied(program, "--list") as proxied:
        has(proxied.ask(BASE + "/"), b"HTTP/1.1 200 ")
        has(proxied.ask("/"), b"HTTP/1.1 404 ")
        answer = proxied.ask(BASE + "/api/v1/traces?name=a.trace", "Origin: http://" + proxied.host, method="PUT", body=read(SMALL))
        has(answer, b"HTTP/1.1 201 ")
        trace = json.loads(answer.partition(b"\r\n\r\n")[2])
        equal(trace["url"], "%s/trace/%s/" % (BASE, trace["id"]))
        has(proxied.ask("%s/trace/%s" % (BASE, trace["id"])), ("Location: %s/trace/%s/\r\n" % (BASE, trace["id"])).encode())
        has(proxied.ask(BASE + "/api/v1/traces?name=a.trace", "Origin: https://evil.example.org", method="PUT", body=read(SMALL)),
            b"HTTP/1.1 403 ")


def clients_behind_nginx_cannot_hide(program):
    with Proxied(program, "--request-rate", "3/h") as proxied:
        for forged in ("6.6.6.6", "127.0.0.1", "unknown"):
            has(proxied.ask(BASE + "/stored", "X-Forwarded-For: " + forged, "X-Forwarded-User: root",
                            "X-Forwarded-Host: evil.example.org", "X-Forwarded-Proto: gopher", "Forwarded: for=6.6.6.6"),
                b"HTTP/1.1 200 ")
            equal(proxied.logged("/stored")["client"], "127.0.0.2")
        has(proxied.ask(BASE + "/stored", "X-Forwarded-For: 6.6.6.7"), b"HTTP/1.1 429 ")


def forged_users_are_nobody(program):
    with Proxied(program, "--uploads", "proxy") as proxied:
        answer = proxied.ask(BASE + "/api/v1/traces?name=a.trace", "X-Forwarded-User: root", method="PUT", body=read(SMALL))
        has(answer, b"HTTP/1.1 401 ")


def length_that_is_none_does_not_pass_nginx(program):
    with Proxied(program) as proxied:
        for length in ("x", "-1", "9" * 30):
            answer = proxied.ask(BASE + "/a.trace", "Content-Length: " + length, method="PUT")
            assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 413 ")) and answer.count(b"HTTP/1.1") == 1, (length, answer)
            has(answer, b"Server: nginx")


def bytes_below(folder):
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names
               if not name.startswith("store.sqlite"))


def upload_passes_nginx_while_it_comes(program):
    """What was sent of an upload is in the store before the rest is sent, and nothing is on nginx's disk."""
    size = 64 << 20
    head = read(SMALL)
    with Proxied(program) as proxied, proxied.connect() as connection:
        connection.sendall(("PUT %s/api/v1/traces?name=a.trace HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n"
                            % (BASE, proxied.host, size)).encode())
        connection.sendall(head + b"\0" * (size // 2 - len(head)))
        wait_until(lambda: draft_bytes(proxied.site) > size // 4)
        equal(bytes_below(os.path.join(proxied.folder.name, "client_body")), 0)
        connection.sendall(b"\0" * (size // 2))
        answer = connection.recv(65536)
        has(answer, b"HTTP/1.1 201 ")


def draft_bytes(site):
    """Bytes of the files that the site has open for writing: drafts may have no name."""
    total = 0
    folder = "/proc/%d/fd" % site.process.pid
    for name in os.listdir(folder):
        try:
            if os.path.realpath(site.store) in os.readlink(os.path.join(folder, name)):
                total += os.stat(os.path.join(folder, name)).st_size
        except OSError:
            pass
    return total


def events_pass_nginx_at_once(program):
    with Proxied(program) as proxied:
        trace = proxied.site.put(read(SMALL))
        with proxied.connect() as connection:
            connection.sendall(("GET %s/trace/%s/api/events HTTP/1.1\r\nHost: %s\r\n\r\n"
                                % (BASE, trace["id"], proxied.host)).encode())
            text = b""
            begun = time.monotonic()
            while b"event:" not in text and b"data:" not in text:
                piece = connection.recv(4096)
                assert piece, "the stream ended after %r" % text
                text += piece
            has(text, b"text/event-stream")
            assert time.monotonic() - begun < 60


def log_of_nginx_has_no_address_of_a_trace(program):
    with Proxied(program, "--list") as proxied:
        trace = json.loads(proxied.ask(BASE + "/api/v1/traces?name=a.trace&title=a-title", method="PUT", body=read(SMALL))
                           .partition(b"\r\n\r\n")[2])
        own, token = trace["id"], trace["owner_token"]
        md5 = hashlib.md5(read(SMALL)).hexdigest()
        link = "http://%s%s" % (proxied.host, trace["url"])
        proxied.ask(trace["url"], "Referer: " + link)
        proxied.ask("%s/trace/%s/owner?owner_token=%s" % (BASE, own, token))
        proxied.ask("%s/trace/%s?x" % (BASE, md5))
        proxied.ask("%s/api/v1/traces/%s/view/top?n=3" % (BASE, own), "Authorization: Bearer " + token)
        proxied.ask("%s/api/v1/traces/%s" % (BASE, own), "Authorization: Bearer " + token, method="DELETE")
        proxied.ask("%s/api/v1/uploads/%s" % (BASE, own))
        proxied.ask("%s/list?q=a-query" % BASE)
        text = lambda: read(os.path.join(proxied.folder.name, "nginx.log")).decode("utf-8")
        wait_until(lambda: len(text().splitlines()) == 8)
        for never in (own, own.upper(), token, md5, "a-query", "a-title", "Referer", link, "?"):
            assert never not in text(), "%r is in the log: %s" % (never, text())
        has(text(), '"GET /traces/trace/%s.../owner HTTP/1.1"' % own[:2])
        has(text(), '"GET /traces/trace/%s.../ HTTP/1.1" 200' % own[:2])
        has(text(), '"GET /traces/list HTTP/1.1" 200')


TESTS = [
    log_of_nginx_has_no_address_of_a_trace,
    site_below_a_path_of_nginx,
    clients_behind_nginx_cannot_hide,
    forged_users_are_nobody,
    upload_passes_nginx_while_it_comes,
    events_pass_nginx_at_once,
    length_that_is_none_does_not_pass_nginx,
]
if not NGINX:
    print("skipped: nginx is not there, so no site is tested behind it", file=sys.stderr)
    TESTS = []
