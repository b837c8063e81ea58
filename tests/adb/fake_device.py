#!/usr/bin/env python3
"""A device for tests: the device's side of adb over TCP, behind the real adb server of this machine.

    fake_device.py [--android 14] [--set NAME=VALUE]...     runs one until its input ends, and prints how to reach it

It speaks the transport (CNXN, AUTH, OPEN, OKAY, WRTE, CLSE), shell v1 and v2, exec, sync v1 and v2, jdwp, track-jdwp and
track-app, each as far as the Android of that version announces it; fake_android.py answers the commands. What a device
can do wrong is an attribute of `Device`, to be set before or while it runs: see the list there. Protocol: docs of adb's
source (protocol.txt, SYNC.TXT, SERVICES.TXT).
"""

import argparse
import itertools
import os
import socket
import struct
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
import fake_android
from ports import Port

CNXN, AUTH, OPEN, OKAY, WRTE, CLSE = (int.from_bytes(name, "little") for name in
                                      (b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"WRTE", b"CLSE"))
AUTH_TOKEN = 1
CHECKSUM_FREE = 0x01000001  # A_VERSION_SKIP_CHECKSUM: from here on nobody looks at it
SYNC_CHUNK = 64 << 10
REGULAR, FOLDER = 0o100660, 0o040771
NOT_THERE, NOT_PERMITTED = 2, 13  # errno as the device has it
SHELL_IN, SHELL_OUT, SHELL_ERR, SHELL_EXIT, SHELL_CLOSE_IN = range(5)
PATIENCE_S = 60


class Gone(Exception):
    """The other side has closed, or the cable is pulled."""


class Stream:
    """One OPEN: bytes both ways, one WRTE under way at a time, as the protocol wants it."""

    def __init__(self, link, mine, theirs):
        self.link, self.mine, self.theirs = link, mine, theirs
        self.came, self.may_write, self.is_closed = b"", True, False
        self.changed = threading.Condition()

    def feed(self, data):
        with self.changed:
            self.came += data
            self.changed.notify_all()

    def okay(self):
        with self.changed:
            self.may_write = True
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()

    def write(self, data):
        for at in range(0, len(data), self.link.most):
            with self.changed:
                while not self.may_write and not self.is_closed:
                    self.changed.wait(PATIENCE_S)
                if self.is_closed:
                    raise Gone
                self.may_write = False
            self.link.send(WRTE, self.mine, self.theirs, data[at: at + self.link.most])

    def read(self, count):
        with self.changed:
            while len(self.came) < count and not self.is_closed:
                self.changed.wait(PATIENCE_S)
            if len(self.came) < count:
                raise Gone
            data, self.came = self.came[:count], self.came[count:]
            return data

    def close(self):
        if not self.is_closed:
            self.end()
            self.link.send(CLSE, self.mine, self.theirs)


class Link:
    """One connection of the adb server to the device."""

    def __init__(self, device, connection):
        self.device, self.connection = device, connection
        self.most = device.persona.max_payload
        self.streams, self.ids = {}, itertools.count(1)
        self.sending = threading.Lock()

    def send(self, command, first, second, data=b""):
        checksum = sum(data) & 0xffffffff if self.device.persona.protocol < CHECKSUM_FREE else 0
        head = struct.pack("<6I", command, first, second, len(data), checksum, command ^ 0xffffffff)
        try:
            with self.sending:
                self.connection.sendall(head + data)
        except OSError as error:
            raise Gone from error

    def receive(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.connection.recv(count - len(data))
            if not part:
                raise Gone
            data += part
        return bytes(data)

    def run(self):
        try:
            while True:
                command, first, second, count, _, _ = struct.unpack("<6I", self.receive(24))
                self.take(command, first, second, self.receive(count))
        except (Gone, OSError):
            pass
        for stream in list(self.streams.values()):
            stream.end()
        self.connection.close()

    def take(self, command, first, second, data):
        device = self.device
        if command == CNXN and device.is_offline:
            return
        if command == CNXN and device.is_unauthorised or command == AUTH:
            if not device.is_unauthorised:
                self.greet(second)
            else:  # the dialog stays open: nobody has said yes
                self.send(AUTH, AUTH_TOKEN, 0, b"\x5a" * 20)
                time.sleep(0.05)
        elif command == CNXN:
            self.greet(second)
        elif command == OPEN:
            self.open(first, data.rstrip(b"\0").decode())
        elif command in (OKAY, WRTE, CLSE) and second in self.streams:
            stream = self.streams[second]
            if command == OKAY:
                stream.okay()
            elif command == WRTE:
                stream.feed(data)
                self.send(OKAY, stream.mine, stream.theirs)
            else:
                stream.end()
                self.streams.pop(second, None)

    def greet(self, their_most):
        self.most = min(self.most, their_most or self.most)
        self.send(CNXN, self.device.persona.protocol, self.device.persona.max_payload, self.device.banner())

    def open(self, theirs, service):
        if self.device.garbles == "packets":
            self.connection.sendall(b"\xde\xad\xbe\xef" * 30)
            return
        stream = Stream(self, next(self.ids), theirs)
        self.streams[stream.mine] = stream
        self.device.note(service)
        work = self.device.service(service)
        if not work:
            self.send(CLSE, 0, theirs)
            return
        self.send(OKAY, stream.mine, theirs)
        threading.Thread(target=self.serve, args=(stream, work), daemon=True).start()

    def serve(self, stream, work):
        try:
            work(stream)
            stream.close()
        except (Gone, OSError):
            pass


class Device:
    """A device that listens on a port of its own. Settings, all of which may be changed while it runs:

    is_unauthorised     it asks its user, who has not answered
    is_offline          it is connected and says nothing
    garbles             "packets", "shell" or "sync": what is answered with bytes that mean nothing
    is_silent           commands never end
    cut_pull_at         a share of a file, 0 to 1: the cable is pulled there, once
    back_after_s        so long after that it is there again; None: never
    android             what its Android is like, and what goes wrong there (fake_android.py)
    """

    def __init__(self, android="14", **settings):
        self.persona = fake_android.PERSONAS[str(android)]
        self.is_unauthorised = self.is_offline = self.is_silent = False
        self.garbles, self.cut_pull_at, self.back_after_s = "", None, None
        self.pull_bytes_s = None  # no faster than this; None: as fast as it goes
        self.services = []  # that were opened, in order: for tests to look at
        self.android = fake_android.Android(self.persona, **{name: value for name, value in settings.items()
                                                             if not hasattr(self, name)})
        for name, value in settings.items():
            if hasattr(self, name):
                setattr(self, name, value)
        self.links, self.is_out, self.listener, self.port = [], False, None, Port()
        self.plug_in()

    def plug_in(self):
        self.listener = socket.create_server(("127.0.0.1", self.port.number), backlog=8)
        self.is_out = False
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def pull_out(self):
        """As a cable that is pulled: every connection ends, and new ones are refused."""
        self.is_out = True
        for sock in [self.listener] + [link.connection for link in self.links]:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            sock.close()
        self.links.clear()

    def accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = Link(self, connection)
            self.links.append(link)
            threading.Thread(target=link.run, daemon=True).start()

    @property
    def serial(self):
        return "127.0.0.1:%d" % self.port.number

    def banner(self):
        persona = self.persona
        text = "device::ro.product.name=%s;ro.product.model=%s;ro.product.device=%s;" % (
            persona.name, persona.model, persona.board)
        if persona.features:
            text += "features=" + ",".join(persona.features)
        return text.encode()

    def note(self, service):
        self.services.append(service)

    def service(self, name):
        """What serves it, or None where this Android has no such service."""
        kind, _, rest = name.partition(":")
        words = kind.split(",")
        features = self.persona.features
        if words[0] == "shell" and "v2" in words[1:] and "shell_v2" in features:
            return lambda stream: self.shell(stream, rest, True)
        if words[0] in ("shell", "exec"):
            return lambda stream: self.shell(stream, rest, False, has_terminal=words[0] == "shell" and not features)
        if kind == "sync":
            return self.sync
        if name == "jdwp":
            return lambda stream: stream.write(self.android.debuggable_list())
        if name == "track-jdwp":
            return lambda stream: self.track(stream, self.android.debuggable_list)
        if name == "track-app" and "track_app" in features:
            return lambda stream: self.track(stream, self.android.app_list)
        return None

    def track(self, stream, answer):
        last = None
        while not stream.is_closed:
            now = answer()
            if now != last:
                stream.write(b"%04x" % len(now) + now)
                last = now
            time.sleep(0.05)

    def shell(self, stream, command, is_v2, has_terminal=False):
        def write(kind, data):
            if self.garbles == "shell":
                stream.write(b"\xff\x00\xfe" * 21)
                raise Gone
            if is_v2:
                for at in range(0, len(data), 4096):
                    part = data[at: at + 4096]
                    stream.write(struct.pack("<BI", kind, len(part)) + part)
            else:
                stream.write(data.replace(b"\n", b"\r\n") if has_terminal else data)
        while self.is_silent and not stream.is_closed:
            time.sleep(0.05)
        status = self.android.run(command, lambda data: write(SHELL_OUT, data), lambda data: write(SHELL_ERR, data),
                                  lambda: stream.is_closed)
        if is_v2:
            stream.write(struct.pack("<BIB", SHELL_EXIT, 1, status & 255))
        if self.garbles == "shell":
            stream.close()

    def sync(self, stream):
        while True:
            head = stream.read(8)
            name, count = head[:4], struct.unpack("<I", head[4:])[0]
            if name == b"QUIT":
                return
            path = stream.read(count).decode()
            if self.garbles == "sync":
                stream.write(b"JUNKJUNKJUNKJUNK" * 8)
                return
            if name in (b"STAT", b"STA2", b"LST2"):
                stream.write(self.stat_answer(name, path))
            elif name in (b"LIST", b"LIS2"):
                self.list(stream, name, path)
            elif name in (b"RECV", b"RCV2"):
                if name == b"RCV2":
                    stream.read(8)  # the second packet: flags, here always none
                self.send_file(stream, path)
            else:
                self.fail(stream, "unknown command %r" % name)

    def fail(self, stream, text):
        stream.write(b"FAIL" + struct.pack("<I", len(text)) + text.encode())

    def v2_stat(self, name, path):
        mode, size, changed = self.android.stat(path)
        error = 0 if mode else NOT_THERE
        return name + struct.pack("<IQQIIIIQqqq", error, 64768 if mode else 0, 1 if mode else 0, mode,
                                  1 if mode else 0, 2000 if mode else 0, 2000 if mode else 0, size, changed, changed,
                                  changed)

    def stat_answer(self, name, path):
        if name != b"STAT":
            return self.v2_stat(name, path)
        mode, size, changed = self.android.stat(path)
        return b"STAT" + struct.pack("<III", mode, size & 0xffffffff, changed)

    def list(self, stream, name, path):
        for entry in self.android.entries(path):
            whole = path.rstrip("/") + "/" + entry
            if name == b"LIS2":
                stream.write(self.v2_stat(b"DNT2", whole) + struct.pack("<I", len(entry)) + entry.encode())
            else:
                mode, size, changed = self.android.stat(whole)
                stream.write(b"DENT" + struct.pack("<IIII", mode, size & 0xffffffff, changed, len(entry)) + entry.encode())
        stream.write(b"DONE" + b"\0" * 72 if name == b"LIS2" else b"DONE" + b"\0" * 16)

    def send_file(self, stream, path):
        content = self.android.read(path)
        if content is None:
            self.fail(stream, "open failed: %s" % self.android.why_not_read(path))
            return
        cut = None if self.cut_pull_at is None else int(len(content) * self.cut_pull_at)
        begun = time.monotonic()
        for at in range(0, len(content), SYNC_CHUNK):
            if cut is not None and at + SYNC_CHUNK > cut:
                part = content[at:cut]
                if part:
                    stream.write(b"DATA" + struct.pack("<I", len(part)) + part)
                self.cut_now()
            part = content[at: at + SYNC_CHUNK]
            stream.write(b"DATA" + struct.pack("<I", len(part)) + part)
            if self.pull_bytes_s:
                time.sleep(max(0, (at + len(part)) / self.pull_bytes_s - (time.monotonic() - begun)))
        stream.write(b"DONE" + struct.pack("<I", 0))

    def cut_now(self):
        self.cut_pull_at = None
        time.sleep(0.05)  # what was written is on its way
        self.pull_out()
        if self.back_after_s is not None:
            threading.Timer(self.back_after_s, self.plug_in).start()
        raise Gone

    def close(self):
        self.pull_out()
        self.port.close()


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--android", default="14", choices=sorted(fake_android.PERSONAS, key=int))
    options.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    given = options.parse_args()
    settings = dict(pair.split("=", 1) for pair in given.set)
    typed = {name: float(value) if value.replace(".", "", 1).isdigit() else value for name, value in settings.items()}
    device = Device(given.android, **typed)
    print("adb connect " + device.serial, flush=True)
    sys.stdin.read()
    device.close()


if __name__ == "__main__":
    main()
