#!/usr/bin/env python3
"""One client must not stop the others: fair.py PROGRAM [SECONDS [TRACE]]. Ends with "N passed, N failed".

Each attack goes on for SECONDS, 1 by default, against a site of its own, while an innocent client asks for windows of the
timeline, one after the other. None of its questions is refused or fails; how long they took is printed, and not judged:
that says something on a quiet machine alone. What must hold on any machine is judged by order, and by time of the
processor. TRACE is what dear questions are asked of; by default a made one of a random call tree.
"""

import http.client
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

# pylint: disable=wrong-import-position
from running import PATIENCE_S, SMALL, Answer, Site, read, wait_until

INNOCENT = "127.0.0.9"
ATTACKERS = ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5")
DEAR = "tree?inverted=1&depth=31&n=%d"
DEAR_COUNT = 8
# What would stop the attacks for another reason than the one that they are about.
OPTIONS = ("--request-rate", "0", "--upload-rate", "0", "--log", "none")
SECONDS = 1.0
SMALL_TRACE = read(SMALL)
TRACE = None


def random_trace(calls=80000, methods=40, deepest=40):
    """A trace of version 1, whose contexts are nearly all different ones."""
    dice = random.Random(35)
    head = "*version\n1\nclock=global\n*threads\n1\tmain\n*methods\n"
    head += "".join("0x%x\tA\tm%d\t()V\tA.java\n" % (4 * i, i) for i in range(1, methods + 1)) + "*end\n"
    records, stack, now = [], [], 0
    while calls or stack:
        now += dice.randrange(1, 9)
        if calls and len(stack) < deepest and (len(stack) < 10 or dice.random() < 0.5):
            calls -= 1
            stack.append(4 * dice.randrange(1, methods + 1))
            records.append(struct.pack("<BII", 1, stack[-1], now))
        else:
            records.append(struct.pack("<BII", 1, stack.pop() | 1, now))
    return head.encode() + b"SLOW" + struct.pack("<HHQ", 1, 16, 0) + b"".join(records)


def connect(site, source):
    return http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S, source_address=(source, 0))


def ask(site, source, path, method="GET", body=None, headers=None):
    connection = connect(site, source)
    connection.request(method, path, body=body, headers=headers or {})
    response = connection.getresponse()
    answer = Answer(response, response.read())
    connection.close()
    return answer


class Innocent:
    """Asks for windows until the attack is over, and says how long that took."""

    def __init__(self, site, trace):
        self.site, self.trace = site, trace
        info = site.ask("/trace/%s/api/info" % trace).json
        self.span, self.thread = info["span_ns"], info["threads"][0]["id"]
        self.took, self.refused, self.is_over = [], [], False
        self.worker = threading.Thread(target=self.go_on)

    def window(self, number):
        begin = number * 7919 % 97 * self.span // 100
        return "/trace/%s/api/window?from=%d&to=%d&width=1600&rows=%d:f" % (
            self.trace, begin, begin + self.span // 50 + 1, self.thread)

    def go_on(self):
        number = 0
        while not self.is_over:
            number += 1
            begun = time.monotonic()
            try:
                status = ask(self.site, INNOCENT, self.window(number)).status
            except (OSError, http.client.HTTPException) as why:
                status = repr(why)
            self.took.append(time.monotonic() - begun)
            if status != 200:
                self.refused.append(status)
            time.sleep(0.02)

    def __enter__(self):
        self.worker.start()
        return self

    def __exit__(self, kind, *_):
        self.is_over = True
        self.worker.join()
        self.took.sort()
        if kind or not self.took:
            return
        at = [self.took[min(len(self.took) - 1, int(len(self.took) * share))] * 1000 for share in (0.5, 0.99)]
        print("    %d windows: p50 %.1f ms, p99 %.1f ms, longest %.1f ms; %d refused" %
              (len(self.took), *at, self.took[-1] * 1000, len(self.refused)))
        assert not self.refused, self.refused[:5]


class Attacked(Site):
    """A site in whose log no sanitizer has a word."""

    def __exit__(self, kind, *rest):
        log = self.read_log()
        super().__exit__(kind, *rest)
        assert kind or "Sanitizer" not in log, log


def attacked_site(program, *options):
    """A site with the trace, whose index is open."""
    site = Attacked(program, *OPTIONS, *options)
    trace = site.ready(site.put(TRACE, name="attacked.trace"))
    assert trace["state"] == "ready", trace
    site.ask("/trace/%s/api/info" % trace["id"])
    return site, trace["id"]


def in_threads(count, run):
    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    return threads


def a_question_does_not_wait_for_dear_ones(program):
    """Those that came before it, of two addresses, are mostly not answered when it is."""
    site, trace = attacked_site(program)
    with site:
        answered = []

        def dear(number):
            path = "/trace/%s/api/" % trace + DEAR % (1000 + number)
            answered.append(ask(site, ATTACKERS[number % 2], path).status)

        threads = in_threads(DEAR_COUNT, dear)
        innocent = Innocent(site, trace)
        time.sleep(0.3)
        answer = ask(site, INNOCENT, innocent.window(1))
        before = len(answered)
        assert answer.status == 200, answer.text
        assert before <= DEAR_COUNT // 2, "it waited for %d of %d" % (before, DEAR_COUNT)
        for thread in threads:
            thread.join()
        assert set(answered) <= {200, 400, 503}, answered


def dear_questions_keep_nobody_waiting(program):
    site, trace = attacked_site(program)
    with site, Innocent(site, trace):
        end = time.monotonic() + SECONDS

        def attack(number):
            while time.monotonic() < end:
                number += 100
                ask(site, ATTACKERS[number % 4], "/trace/%s/api/" % trace + DEAR % number)

        for thread in in_threads(max(8, 2 * (os.cpu_count() or 1)), attack):
            thread.join()


def nobody_works_for_clients_that_hung_up(program):
    """What eight dear questions cost whose clients have gone is less than half of what they would cost."""
    site, trace = attacked_site(program)
    with site, Innocent(site, trace):
        begun = site.cpu_s()
        ask(site, ATTACKERS[0], "/trace/%s/api/" % trace + DEAR % 999)
        cost = site.cpu_s() - begun
        end = time.monotonic() + SECONDS
        begun, rounds = site.cpu_s(), 0
        while rounds == 0 or time.monotonic() < end:
            rounds += 1
            for number in range(DEAR_COUNT):
                connection = connect(site, ATTACKERS[number % 4])
                connection.request("GET", "/trace/%s/api/" % trace + DEAR % (2000 + number))
                time.sleep(0.01)
                connection.close()
            wait_until(lambda: ask(site, INNOCENT, "/readyz").text.split("\n")[1:2] in (["waiting answers: 0"], [""]))
        spent = site.cpu_s() - begun
        print("    %.2f s of the processor for %d questions of nobody, %.2f s for one that was answered" %
              (spent, rounds * DEAR_COUNT, cost))
        assert spent < rounds * DEAR_COUNT * cost / 2 + 0.2, (spent, rounds, cost)


def an_answer_has_a_deadline(program):
    """A question that cannot be answered in time is refused, and told when to come again. An answer in time is the whole
    one, also where it was cut in between so that others came first."""
    site, trace = attacked_site(program, "--answer-time", "1s", "--answer-threads", "1")
    with site:
        path = "/trace/%s/api/" % trace + DEAR
        statuses = []

        def dear(number):
            answer = ask(site, ATTACKERS[0], path % (3000 + number))
            statuses.append(answer.status)
            assert answer.status != 503 or answer.headers["Retry-After"], answer.headers

        for thread in in_threads(12, dear):
            thread.join()
        assert 503 in statuses, statuses
        assert set(statuses) <= {200, 400, 503}, statuses
        assert int(site.ask("/metrics").text.split("\ntraceview_late_answers ")[1].split("\n")[0]) > 0
        assert ask(site, INNOCENT, "/readyz").text.startswith("ready\nwaiting answers: ")


def pieces_that_are_cut_keep_nobody_waiting(program):
    site, trace = attacked_site(program)
    with site, Innocent(site, trace):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            upload = ask(site, ATTACKERS[0], "/api/v1/uploads?name=x.trace", "POST").json
            connection = connect(site, ATTACKERS[0])
            connection.putrequest("PATCH", upload["url"])
            for name, value in (("Authorization", "Bearer " + upload["owner_token"]), ("Upload-Offset", "0"),
                                ("Content-Length", str(len(TRACE)))):
                connection.putheader(name, value)
            connection.endheaders()
            connection.send(TRACE[:len(TRACE) // 2])
            connection.close()


def trickle(site, source):
    """An upload that brings its beginning, and then a little at a time."""
    connection = connect(site, source)
    connection.putrequest("PUT", "/api/v1/traces?name=slow.trace")
    connection.putheader("Content-Length", "100000000")
    connection.endheaders()
    connection.send(TRACE[:4000])
    return connection


def slow_uploads_give_way(program):
    """Sixteen of four addresses have all places: after a while one of them ends when somebody else comes."""
    site, trace = attacked_site(program)
    with site, Innocent(site, trace):
        slow = [trickle(site, ATTACKERS[number // 4]) for number in range(16)]
        begun = time.monotonic()
        number = 0
        while time.monotonic() - begun < max(SECONDS, 7):
            number += 1
            for connection in slow:
                try:
                    connection.send(b"a" * 400)
                except OSError:
                    pass
            if time.monotonic() - begun > 6:
                answer = ask(site, INNOCENT, "/api/v1/traces?name=%d.trace" % number, "PUT", SMALL_TRACE)
                assert answer.status == 201, (answer.status, answer.text)
            time.sleep(0.2)
        assert ask(site, ATTACKERS[0], "/api/v1/traces?name=x.trace", "PUT", SMALL_TRACE).status in (201, 429)


def slow_readers_of_exports_give_way(program):
    """Nobody has more than two exports, and who takes too little gives way."""
    site, trace = attacked_site(program)
    with site, Innocent(site, trace):
        path = "/api/v1/traces/%s/export/csv" % trace
        readers = []
        for source in ATTACKERS[:2]:
            for number in range(3):
                connection = socket.create_connection(("127.0.0.1", site.port), PATIENCE_S, (source, 0))
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % path).encode())
                begin = connection.recv(64)
                assert begin.startswith(b"HTTP/1.1 200" if number < 2 else b"HTTP/1.1 503"), begin
                readers.append(connection)
        time.sleep(max(SECONDS, 12))
        for _ in range(2):
            answer = ask(site, INNOCENT, path)
            assert answer.status == 200, (answer.status, answer.text)
        for connection in readers:
            connection.close()


def readers_of_files_keep_nobody_waiting(program):
    """Files are fetched by many who hardly read, and by others who leave in the middle."""
    site, _ = attacked_site(program)
    with site:
        trace = site.ready(site.put(TRACE, name="shared.trace", raw_shared=1))["id"]
        request = ("GET /api/v1/traces/%s/raw HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % trace).encode()
        def fetch(source):
            connection = socket.create_connection(("127.0.0.1", site.port), PATIENCE_S, (source, 0))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request)
            assert connection.recv(64).startswith(b"HTTP/1.1 200")
            return connection
        with Innocent(site, trace):
            slow = [fetch(source) for source in ATTACKERS for _ in range(30)]
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                fetch(ATTACKERS[0]).close()
            assert site.ask("/api/v1/traces/%s/raw" % trace).body == TRACE
        for connection in slow:
            connection.close()


def small_traces_go_before_large_ones(program):
    """Six large traces of one address wait for the only worker; a small one of another address that came later is ready
    before the last of them is begun."""
    content = random_trace(calls=400000)
    with Attacked(program, *OPTIONS, "--role", "server") as site:
        large = [ask(site, ATTACKERS[0], "/api/v1/traces?name=%d.trace" % number, "PUT", content + bytes(1 + number)).json["id"]
                 for number in range(6)]
        small = ask(site, INNOCENT, "/api/v1/traces?name=small.trace", "PUT", SMALL_TRACE).json["id"]
        worker = subprocess.Popen([program, "serve", "--role", "worker", "--store", site.store, "--log", "none"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            state = lambda trace: ask(site, INNOCENT, "/api/v1/traces/" + trace).json["state"]
            wait_until(lambda: state(small) == "ready")
            assert "queued" in [state(trace) for trace in large]
        finally:
            worker.kill()
            worker.wait()


def who_uploads_and_deletes_does_not_fill_the_site(program):
    """What was deleted makes room within seconds where the quota is nearly taken."""
    with Attacked(program, *OPTIONS, "--quota", str(5 * len(TRACE))) as site:
        status = 201
        for number in range(20):
            answer = ask(site, ATTACKERS[0], "/api/v1/traces?name=x.trace", "PUT", TRACE + bytes(1 + number))
            status = answer.status
            if status != 201:
                break
            trace = answer.json
            ask(site, ATTACKERS[0], "/api/v1/traces/" + trace["id"], "DELETE",
                headers={"Authorization": "Bearer " + trace["owner_token"]})
        assert status == 507, status
        wait_until(lambda: ask(site, INNOCENT, "/api/v1/traces?name=y.trace", "PUT", TRACE).status == 201)


def who_deletes_stays_within_their_own_quota(program):
    """Bytes are charged to who brought them until they are gone, and those that a quota refused are gone in seconds, too."""
    with Attacked(program, *OPTIONS, "--quota-per-address", str(2 * len(TRACE)), "--role", "server") as site:
        put = lambda source, number: ask(site, source, "/api/v1/traces?name=x.trace", "PUT", TRACE + bytes(number))
        trace = put(ATTACKERS[0], 0).json
        deleted = ask(site, ATTACKERS[0], "/api/v1/traces/" + trace["id"], "DELETE",
                      headers={"Authorization": "Bearer " + trace["owner_token"]})
        assert deleted.status == 204, deleted.status
        assert put(ATTACKERS[0], 1).status == 429
        assert put(INNOCENT, 2).status == 201
        files = lambda: sum(len(names) for _, _, names in os.walk(os.path.join(site.store, "files")))
        assert files() == 3, files()
        worker = subprocess.Popen([program, "serve", "--role", "worker", "--store", site.store, "--log", "none"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: files() == 2)  # of the innocent client: the trace and its index
            assert put(ATTACKERS[0], 3).status == 201
        finally:
            worker.kill()
            worker.wait()


def what_was_acknowledged_becomes_a_trace(program):
    """On a disk that uploads fill, each that was acknowledged gets its index: room for it was left."""
    script = 'mount -t tmpfs -o size=24m none "$1" && shift && exec "$@"'
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        print("skipped: a disk that is filled: only root mounts a small one, with unshare")
        return
    with tempfile.TemporaryDirectory() as disk:
        prefix = ("unshare", "-m", "sh", "-c", script, "sh", disk)
        with Attacked(program, *OPTIONS, "--keep-free", "4M", store=os.path.join(disk, "store"), prefix=prefix) as site:
            kept = []
            while True:
                answer = ask(site, ATTACKERS[0], "/api/v1/traces?name=x.trace", "PUT", TRACE + bytes(1 + len(kept)))
                if answer.status != 201:
                    break
                kept.append(answer.json)
            assert answer.status == 507 and "nearly full" in answer.text and kept, (answer.status, answer.text)
            for trace in kept:
                assert site.ready(trace)["state"] == "ready", site.read_log()
            print("    %d traces of %d bytes were taken" % (len(kept), len(TRACE)))


TESTS = [
    a_question_does_not_wait_for_dear_ones,
    dear_questions_keep_nobody_waiting,
    nobody_works_for_clients_that_hung_up,
    an_answer_has_a_deadline,
    pieces_that_are_cut_keep_nobody_waiting,
    slow_uploads_give_way,
    readers_of_files_keep_nobody_waiting,
    slow_readers_of_exports_give_way,
    small_traces_go_before_large_ones,
    who_uploads_and_deletes_does_not_fill_the_site,
    who_deletes_stays_within_their_own_quota,
    what_was_acknowledged_becomes_a_trace,
]




def main():
    global SECONDS, TRACE  # pylint: disable=global-statement
    program, names = os.path.abspath(sys.argv[1]), [word for word in sys.argv[2:] if not word[:1].isdigit()]
    SECONDS = next((float(word) for word in sys.argv[2:] if word[:1].isdigit()), SECONDS)
    files = [name for name in names if os.path.exists(name)]
    TRACE = read(files[0]) if files else random_trace()
    tests = [test for test in TESTS if test.__name__ in names] or TESTS
    failed = 0
    for test in tests:
        print("%s:" % test.__name__, flush=True)
        try:
            test(program)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print("failed: %s\n%s" % (test.__name__, traceback.format_exc()))
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    sys.exit(1 if failed else 0)


main()
