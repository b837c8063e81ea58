"""A proxy in front of a server that speaks S3, which does what real ones do on a bad day.

`rule(method, path, query)` is asked for each request, and answers None (it is passed on) or one of

    ("status", 503, "SlowDown")   an answer of that status and word; the server is not asked
    ("inside", "InternalError")   a success with an error inside
    ("done", "InternalError")     the same after the server did what was asked
    ("cut",)                      the connection ends without an answer; the server is not asked
    ("lost",)                     the same after the server did what was asked
    ("torn", 1000)                the answer breaks off after so many bytes of its body
    ("short", 1000)               the answer has so many bytes of its body, and says that these are all
    ("changed",)                  the first byte of the body is another one
    ("late", 0.5)                 it is passed on so many seconds later
    ("without", "0123...")        a list that does not have that name yet
"""

import http.client
import http.server
import re
import ssl
import threading
import time
import urllib.parse

# Bodies that are longer are not kept.
KEPT_MOST = 1 << 20
ERROR = "<?xml version='1.0' encoding='UTF-8'?><Error><Code>%s</Code><Message>-</Message></Error>"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def pass_on(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=240)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("expect", "connection"):
                    connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            connection.close()

    def answer(self, status, headers, body, told=None, sent=None):
        self.send_response_only(status)
        has_length = False
        for name, value in headers:
            if name.lower() in ("transfer-encoding", "connection"):
                continue
            if name.lower() == "content-length":
                has_length = True
                value = value if self.command == "HEAD" else str(len(body) if told is None else told)
            self.send_header(name, value)
        if not has_length:
            self.send_header("Content-Length", str(len(body) if told is None else told))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body if sent is None else body[:sent])
            self.wfile.flush()

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        split = urllib.parse.urlsplit(self.path)
        with self.server.lock:
            self.server.seen.append((self.command, split.path, split.query))
            self.server.told.append((dict(self.headers), body if len(body) < KEPT_MOST else None))
            rule = self.server.rule(self.command, split.path, split.query)
        kind = rule[0] if rule else ""
        if kind == "late":
            time.sleep(rule[1])
        if kind == "cut":
            return self.end()
        if kind == "status":
            return self.answer(rule[1], [("Content-Type", "application/xml")], (ERROR % rule[2]).encode())
        if kind == "inside":
            return self.answer(200, [("Content-Type", "application/xml")], (ERROR % rule[1]).encode())
        status, headers, answer = self.pass_on(body)
        if kind == "lost":
            return self.end()
        if kind == "done":
            return self.answer(200, [("Content-Type", "application/xml")], (ERROR % rule[1]).encode())
        if kind == "changed" and answer:
            answer = bytes([answer[0] ^ 1]) + answer[1:]
        if kind == "without":
            answer = re.sub(rb"<Contents>(?:(?!</Contents>).)*%s(?:(?!</Contents>).)*</Contents>" % rule[1].encode(), b"", answer)
        if kind == "short":
            return self.answer(status, headers, answer[:rule[1]])
        if kind == "torn":
            self.answer(status, headers, answer, sent=rule[1])
            return self.end()
        return self.answer(status, headers, answer)

    def end(self):
        self.close_connection = True

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


class Proxy:
    """`seen` are the requests that came: method, path, query; `told` their headers and bodies."""

    def __init__(self, behind, certificate=None):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.behind, self.server.seen, self.server.told, self.server.lock = behind, [], [], threading.Lock()
        self.pass_all()
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def pass_all(self):
        self.server.rule = lambda method, path, query: None

    def rule(self, rule):
        """Asked with the lock: a rule may count."""
        self.server.rule = rule

    @property
    def seen(self):
        return list(self.server.seen)

    @property
    def told(self):
        return list(self.server.told)

    def end(self):
        self.server.shutdown()
        self.server.server_close()
