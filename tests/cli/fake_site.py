"""A small server with the protocol by which `push` uploads and `open` fetches, for tests that want it to misbehave."""

import hashlib
import re
import socket
import threading
import urllib.parse

ID = "0123456789abcdef0123456789abcdef"
TOKEN = "fedcba9876543210fedcba9876543210"
REASONS = {200: "OK", 201: "Created", 204: "No Content"}


class Site:
    """One upload and one trace. `on` maps "METHOD path" to a function that may answer in the site's place."""

    def __init__(self, on=None, context=None):
        self.on = on or {}
        self.kept = b""
        self.query = {}
        self.asked = []    # method, path, headers
        self.is_complete = False
        self.cuts = []    # after so many bytes of a body, cut the connection
        self.context = context
        self.is_shared = False    # whoever asks gets the file
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "%s://127.0.0.1:%d" % ("https" if context else "http", self.listener.getsockname()[1])
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        self.thread.join()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self.context:
                    connection = self.context.wrap_socket(connection, server_side=True)
                while self.answer(connection):
                    pass
            except OSError:
                pass
            finally:
                connection.close()

    def answer(self, connection):
        text = b""
        while b"\r\n\r\n" not in text:
            piece = connection.recv(65536)
            if not piece:
                return False
            text += piece
        head, _, body = text.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        path, _, query = target.partition("?")
        self.asked.append((method, path, headers))
        cut = self.cuts.pop(0) if method == "PATCH" and self.cuts else None
        while len(body) < length:
            if cut is not None and len(body) >= cut:
                self.keep(headers, body[:cut], length)
                return False
            piece = connection.recv(1 << 20)
            if not piece:
                return False
            body += piece
        for pattern, own in self.on.items():
            if re.fullmatch(pattern, method + " " + path):
                answer = own(self, headers, body)
                if answer is not None:
                    connection.sendall(answer)
                    return False
        connection.sendall(self.made(method, path, query, headers, body))
        return True

    def keep(self, headers, body, length):
        """A piece that is cut is kept as far as it came where it has no checksum."""
        if len(body) == length or "x-checksum-sha256" not in headers:
            self.kept += body

    def made(self, method, path, query, headers, body):
        if path == "/api/v1/uploads":
            self.query = dict(urllib.parse.parse_qsl(query))
            return reply(201, {"Location": "/api/v1/uploads/" + ID, "X-Owner-Token": TOKEN}, b"{}\n")
        if path.startswith("/api/v1/apps"):
            return reply(200, {"Content-Type": "application/json"}, b'{"apps":[],"builds":[],"devices":[],"calls":[],"times":[]}\n')
        if headers.get("authorization") != "Bearer " + TOKEN and not (self.is_shared and method == "GET"):
            return reply(404, {}, b'{"error":"nothing is here"}\n')
        if path == "/api/v1/uploads/%s/complete" % ID:
            self.is_complete = True
            return reply(201, {"Location": "/trace/%s/" % ID}, b"{}\n")
        if method == "DELETE":
            self.kept = b""
            return reply(204)
        if method == "HEAD":
            return reply(200, {"Upload-Offset": str(len(self.kept))})
        if method == "GET":
            return reply(200, {"Content-Type": "application/octet-stream"}, self.kept)
        if int(headers["upload-offset"]) != len(self.kept):
            return reply(409, {"Upload-Offset": str(len(self.kept))}, b'{"error":"another offset"}\n')
        if hashlib.sha256(body).hexdigest() != headers["x-checksum-sha256"]:
            return reply(422, {}, b'{"error":"the checksum differs"}\n')
        self.kept += body
        return reply(204, {"Upload-Offset": str(len(self.kept))})


def reply(status, headers=None, body=b""):
    head = ["HTTP/1.1 %d %s" % (status, REASONS.get(status, "Odd"))]
    head += ["%s: %s" % pair for pair in (headers or {}).items()]
    if status != 204 and "Content-Length" not in (headers or {}):
        head.append("Content-Length: %d" % len(body))
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body
