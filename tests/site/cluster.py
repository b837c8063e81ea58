#!/usr/bin/env python3
"""Two servers and three workers on one store behave as one, also while they are killed.

    cluster.py PROGRAM

Ends with "N passed, N failed".
"""

import faulthandler
import os
import signal
import socket
import sys
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from crowd import Crowd, content, put, resume  # noqa: E402
from running import PATIENCE_S, bearer, equal, has, sha256, wait_until  # noqa: E402


def what_one_server_keeps_the_other_has(program):
    with Crowd(program, 2, 3, "--list") as crowd:
        one, other = crowd.servers
        trace, digest = put(one, 1)
        equal(other.ready(trace)["state"], "ready")
        equal(other.trace(trace), one.trace(trace))
        equal(other.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body, content(1))
        equal(digest, sha256(content(1)))
        for route in ("info", "top", "tree"):
            path = "/api/v1/traces/%s/view/%s" % (trace["id"], route)
            equal(one.ask(path).body, other.ask(path).body)
            tag = one.ask(path).headers["ETag"]
            equal(other.ask(path, headers={"If-None-Match": tag}).status, 304)
        answer = other.ask("/api/v1/traces/" + trace["id"], "PATCH",
                           dict(bearer(trace), **{"Content-Type": "application/x-www-form-urlencoded"}), b"title=Renamed")
        equal((answer.status, one.trace(trace)["title"]), (200, "Renamed"))
        equal(other.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
        equal(one.ask("/api/v1/traces/" + trace["id"]).status, 404)


def pieces_may_go_to_either_server(program):
    with Crowd(program, 2, 1) as crowd:
        trace, digest = resume(crowd, 2)
        equal(trace["sha256"], digest)
        equal(crowd.servers[1].ready(trace)["state"], "ready")


def same_bytes_at_once_are_kept_once(program):
    with Crowd(program, 2, 3) as crowd:
        traces = [None] * 8

        def upload(place):
            traces[place] = put(crowd.servers[place % 2], 3)[0]

        threads = [threading.Thread(target=upload, args=(place,)) for place in range(len(traces))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(len({trace["id"] for trace in traces}), len(traces))
        for trace in traces:
            equal(crowd.servers[0].ready(trace)["state"], "ready")
        status, said = crowd.command("stats", "--json")
        equal(status, 0)
        has(said, '"files":2')    # one raw file, one index


def killed_workers_lose_no_job(program):
    with Crowd(program, 2, 3) as crowd:
        kept = []
        for number in range(30):
            kept.append(put(crowd.servers[number % 2], 100 + number)[0])
            if number % 4 == 3:
                crowd.kill_worker()
        for trace in kept:
            equal(crowd.servers[1].ready(trace)["state"], "ready")
        status, said = crowd.command("check")
        equal((status, crowd.killed["workers"]), (0, 7))
        has(said, "faults: 0\n")


def a_stop_leaves_what_can_be_resumed(program):
    body = content(4)
    with Crowd(program, 2, 1, "--stop-patience", "1s") as crowd:
        one, other = crowd.servers
        upload = one.ask("/api/v1/uploads?name=x.trace&bytes=%d" % len(body), "POST").json
        path = "/api/v1/uploads/" + upload["id"]
        head = ("PATCH %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nUpload-Offset: 0\r\n"
                "Content-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n\r\n"
                % (path, upload["owner_token"], len(body))).encode()
        with socket.create_connection(("127.0.0.1", one.port), timeout=PATIENCE_S) as connection:
            connection.sendall(head + body[:3000])
            time.sleep(0.3)    # a moment for the server to take them
            equal(one.stop(), 0)
        told = other.ask(path, "HEAD", bearer(upload))
        equal(told.status, 200)
        offset = int(told.headers["Upload-Offset"])
        assert offset <= 3000, offset
        rest = other.ask(path, "PATCH", dict(bearer(upload), **{
            "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}), body[offset:])
        equal(rest.status, 204)
        done = other.ask(path + "/complete", "POST", bearer(upload))
        equal((done.status, done.json["sha256"]), (201, sha256(body)))
        print("# the server that was stopped had kept %d of 3000 bytes" % offset)


def a_stop_gives_jobs_back_at_once(program):
    with Crowd(program, 1, 1) as crowd:
        traces = [put(crowd.servers[0], 200 + number)[0] for number in range(5)]
        crowd.kill_worker(signal.SIGTERM)
        begun = time.monotonic()
        wait_until(lambda: all(crowd.servers[0].trace(trace)["state"] == "ready" for trace in traces))
        print("# %.1f s after a stop all jobs are done" % (time.monotonic() - begun))


TESTS = [
    what_one_server_keeps_the_other_has,
    pieces_may_go_to_either_server,
    same_bytes_at_once_are_kept_once,
    killed_workers_lose_no_job,
    a_stop_leaves_what_can_be_resumed,
    a_stop_gives_jobs_back_at_once,
]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    faulthandler.register(signal.SIGUSR1)
    failed = 0
    for test in TESTS:
        try:
            test(os.path.abspath(sys.argv[1]))
        except Exception:    # whatever a test raises is its failure
            failed += 1
            print("FAILED: %s\n%s" % (test.__name__, traceback.format_exc()))
    print("%d passed, %d failed" % (len(TESTS) - failed, failed))
    sys.exit(failed > 0)


main()
