#!/usr/bin/env python3
"""Clients that disconnect at random moments: disconnects.py PROGRAM [SECONDS [SEED]].

On every route of the viewer and of a site, twelve clients at a time send requests, whole or cut, and leave before the answer, at its first bytes or in the middle of
it; some stay. Meanwhile the servers are ended as by Ctrl-C and started anew. A program that was built with a sanitizer and
with the Meson option random_sleeps shows so what its threads do in a wrong order: the first report fails the test, which
says after how many seconds it came. At the end each route answers a client that stays. Ends with "N passed, N failed".
"""

import contextlib
import glob
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(os.path.dirname(HERE), "server")]

# pylint: disable=wrong-import-position
from asked_routes import SiteRoutes, ViewerRoutes
from crowd import FAILURES, NO_LIMITS
from running import PATIENCE_S, Site
from served import Viewer

SECONDS = 20
CLIENTS = 6  # at a time, of each server
LIVES_S = (3, 9)  # a server is ended after so many seconds
# What two threads hold for a while is asked more often; what asks helper processes, which holds up all else, less often.
OFTEN = ("export", "events", "raw", "svg", "report", "PATCH", "open", "exporting")
SELDOM = ("devices", "processes")
LONGEST_ANSWER = 4 << 20
LONGEST_STAY_S = 1  # an event stream has no end
LONGEST_ANSWER_S = 10


def reset(stream):
    """Closes by a reset, which the server sees at once."""
    with contextlib.suppress(OSError):
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.close()


def read_some(stream, most, longest_s):
    """Reads so many bytes, or to the end."""
    text, end = b"", time.monotonic() + longest_s
    while len(text) < most and time.monotonic() < end:
        piece = stream.recv(65536)
        if not piece:
            break
        text += piece
    return text


def stay(port, request, longest_s):
    """Sends a request and gives the beginning of its answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=longest_s) as stream:
        stream.sendall(request.bytes.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
        return read_some(stream, LONGEST_ANSWER, LONGEST_STAY_S)


def leave(port, request, some):
    """Sends a request and leaves in some way."""
    content = request.bytes
    with socket.create_connection(("127.0.0.1", port), timeout=LONGEST_STAY_S) as stream:
        way = some.randrange(6)
        if way == 0:
            content = content[:some.randrange(1, len(content))]
        stream.sendall(content)
        if way == 1:
            stream.shutdown(socket.SHUT_WR)
        if way >= 2:
            time.sleep(some.choice((0, 0.001, 0.03, 0.2)) * some.random())
        if way in (1, 4):
            read_some(stream, some.choice((1, 1000, 300000)), LONGEST_STAY_S)
        if way != 5:
            reset(stream)


def is_answered(answer):
    """Whether the route did its work, or said why it cannot now: what came from no file cannot be read again, and a build
    for sanitizers has no page."""
    status = answer[9:12]
    return status[:1] in (b"2", b"3") or status == b"409" or b" was built without " in answer


def named(report, program):
    """With the names of functions: behind its wall the program cannot start what finds them."""
    offsets = sorted(set(re.findall(r"\((?:[^()]*/)?%s\+(0x[0-9a-f]+)\)" % re.escape(os.path.basename(program)), report)))
    found = subprocess.run(["addr2line", "-sfe", program, *offsets], capture_output=True, text=True, check=False)
    lines = iter(found.stdout.splitlines())
    for offset, function, place in zip(offsets, lines, lines):
        report = report.replace("+%s)" % offset, "+%s %s %s)" % (offset, function, place))
    return report


class Storm:
    """What both servers share: when it ends, and the first failure."""

    def __init__(self, program, seconds, seed, folder):
        self.program, self.seed, self.folder = program, seed, folder
        self.begun = time.monotonic()
        self.end = self.begun + seconds
        self.failure = None
        self.asked = self.lives = 0
        self.lock = threading.Lock()
        # Behind their walls servers may write where temporary files are. A viewer that is ended deep in a large file leaves its
        # threads to the system.
        self.variables = {"TMPDIR": folder}
        options = "log_path=%s/report:halt_on_error=1:print_stacktrace=1:symbolize=0:report_thread_leaks=0:" % folder
        self.variables |= {name + "_OPTIONS": options + os.environ.get(name + "_OPTIONS", "") for name in ("ASAN", "TSAN", "UBSAN", "LSAN")}

    def reports(self):
        return sorted(path for path in glob.glob(os.path.join(self.folder, "report*")) if os.path.getsize(path))

    def fail(self, text):
        with self.lock:
            if not self.failure:
                self.failure = "after %.1f s (seed %s): %s" % (time.monotonic() - self.begun, self.seed, text)

    def goes_on(self):
        if self.reports() and not self.failure:
            time.sleep(0.5)  # for the rest of it
            with open(self.reports()[0], encoding="utf-8", errors="replace") as report:
                self.fail("a sanitizer's report\n" + named(report.read()[:20000], self.program))
        return not self.failure and time.monotonic() < self.end


class Life:
    """A server from its start to its end, and the clients that it has meanwhile."""

    def __init__(self, storm, some):
        self.storm, self.some = storm, some
        self.is_over = False

    def clients(self, port, routes, number):
        """Asks until the server is ended; that it ends under a client is no failure."""
        some = random.Random("%s %d" % (self.some.random(), number))
        often = [route for route in routes.routes if any(word in route for word in OFTEN)]
        while not self.is_over:
            route = some.choice(often if some.random() < 0.6 else routes.routes)
            if route in SELDOM and some.random() < 0.9:
                continue
            with contextlib.suppress(*FAILURES):
                request = routes.request(route, some)
                if some.random() < 0.05:
                    request.method = "POST"  # which most routes refuse
                self.storm.asked += 1
                if some.random() < 0.1:
                    stay(port, request, LONGEST_ANSWER_S)
                else:
                    leave(port, request, some)

    def guarded(self, *arguments):
        try:
            self.clients(*arguments)
        except Exception:  # pylint: disable=broad-except
            if not self.is_over:  # an answer that broke off because of the end is none
                self.storm.fail(traceback.format_exc())

    def run(self, server, routes, number):
        threads = [threading.Thread(target=self.guarded, args=(server.port, routes, i)) for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        end = min(time.monotonic() + self.some.uniform(*LIVES_S), self.storm.end)
        while self.storm.goes_on() and time.monotonic() < end and server.process.poll() is None:
            time.sleep(0.05)
            if number == 1 and self.some.random() < 0.02:
                with contextlib.suppress(*FAILURES):
                    routes.wait_for_one()
        if server.process.poll() is not None:
            self.is_over = True
            self.storm.goes_on()
            self.storm.fail("the server ended by itself: %d" % server.process.returncode)
        elif self.storm.goes_on():
            self.stop(server)
        self.is_over = True
        for thread in threads:
            thread.join()
        self.storm.lives += 1

    def stop(self, server):
        server.process.send_signal(self.some.choice((signal.SIGINT, signal.SIGTERM)))
        self.is_over = self.some.random() < 0.5  # else clients come while it ends
        status = server.process.wait(timeout=PATIENCE_S)
        self.is_over = True
        self.storm.goes_on()
        if status:
            self.storm.fail("the server ended with status %d" % status)


def answer_all(server, routes, some, storm):
    """Every route answers a client that stays."""
    unanswered = dict.fromkeys(routes.routes)
    end = time.monotonic() + PATIENCE_S
    while unanswered and time.monotonic() < end and not storm.failure:
        routes.make_ready()
        for route in sorted(unanswered):
            request = routes.request(route, some)
            answer = stay(server.port, request, PATIENCE_S)
            unanswered[route] = "%s %s: %r ... %r" % (request.method, request.path, answer[:30], answer[-100:])
            if is_answered(answer):
                del unanswered[route]
        storm.goes_on()
    if unanswered:
        storm.fail("routes without an answer:\n" + "\n".join(unanswered.values()))


def start_viewer(storm):
    viewer = Viewer(storm.program, "--no-browser", variables=storm.variables)
    return viewer, lambda: ViewerRoutes(viewer)


def webhook_of(storm):
    """A webhook that nobody takes; what it was told is asked by the user `root`."""
    options = ["--admins", "root", "--webhook", "http://127.0.0.1:9/", "--webhook-traces", "1"]
    for name, text in (("webhook-secret-file", "0123456789abcdef"), ("webhook-rules", "calls growth <= 1 %\n")):
        path = os.path.join(storm.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        options += ["--" + name, path]
    return options


def start_site(storm):
    site = Site(storm.program, *NO_LIMITS, "--list", "--users", "proxy", "--trusted-proxies", "127.0.0.1", "--stop-patience", "1s", "--threads", "2", "--rows", "asked",
                *webhook_of(storm),
                store=os.path.join(storm.folder, "store"), variables=storm.variables)
    return site, lambda: SiteRoutes(site)


def weather(storm, number, start):
    """The lives of one kind of server."""
    some = random.Random("%s %d" % (storm.seed, number))
    try:
        while storm.goes_on():
            server, routes_of = start(storm)
            with server:
                Life(storm, some).run(server, routes_of(), number)
        if not storm.failure:
            server, routes_of = start(storm)
            with server:
                answer_all(server, routes_of(), some, storm)
    except Exception:  # pylint: disable=broad-except
        storm.goes_on()
        storm.fail(traceback.format_exc())


def main():
    program = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    seed = sys.argv[3] if len(sys.argv) > 3 else str(random.randrange(1 << 32))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="traceview-disconnects-") as folder:
        storm = Storm(program, seconds, seed, folder)
        threads = [threading.Thread(target=weather, args=(storm, i, start))
                   for i, start in enumerate((start_viewer, start_site))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        failed = bool(storm.failure)
        if failed:
            print("failed: " + storm.failure)
        print("%d requests to %d servers, of which most left early, in %.0f s"
              % (storm.asked, storm.lives, time.monotonic() - storm.begun))
    print("%d passed, %d failed" % (2 * (not failed), failed))
    sys.exit(failed)


main()
