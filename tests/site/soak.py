#!/usr/bin/env python3
"""A site under random kills of its servers and workers: what was acknowledged is there and whole, and what is
there was acknowledged.

    soak.py PROGRAM [MINUTES]

Two servers and three workers share a store. Clients upload by PUT and in pieces, and delete; meanwhile a process is
killed (SIGKILL, now and then SIGTERM) every second or so, and another one started in its place. At the end everything is started anew
and counted: each trace whose upload was acknowledged is there with its bytes and has its index, each whose delete was
acknowledged is gone, the store's check finds no fault, and after gc no file is left that nothing needs. MINUTES is
0.5 unless it is given. Ends with "N passed, N failed".
"""

import itertools
import os
import random
import signal
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from crowd import FAILURES, Crowd, content, put, resume  # noqa: E402
from running import bearer, sha256, wait_until  # noqa: E402

UPLOADERS = 3
# Of 100 things that a client does.
RESUMES, DELETES = 25, 15


class Kept:
    """What servers have acknowledged. A request that broke off may have been done or not."""

    def __init__(self):
        self.lock = threading.Lock()
        self.traces = {}        # id: (the trace with its owner token, SHA-256)
        self.deleted = {}
        self.maybe_deleted = {}
        self.broken = 0         # uploads without an answer
        self.numbers = itertools.count()
        self.faults = []


def delete_one(crowd, kept):
    with kept.lock:
        if not kept.traces:
            return
        name = random.choice(list(kept.traces))
        known = kept.traces.pop(name)
        kept.maybe_deleted[name] = known
    try:
        answer = crowd.any_server().ask("/api/v1/traces/" + name, "DELETE", bearer(known[0]))
    except FAILURES:
        return
    with kept.lock:
        if answer.status == 204:
            kept.deleted[name] = kept.maybe_deleted.pop(name)
        else:
            kept.faults.append("a delete was answered with %d" % answer.status)


def upload_one(crowd, kept):
    number = next(kept.numbers)
    try:
        if random.randrange(100) < RESUMES:
            trace, digest = resume(crowd, number)
        else:
            trace, digest = put(crowd.any_server(), number)
    except FAILURES:
        kept.broken += 1
        return
    with kept.lock:
        kept.traces[trace["id"]] = (trace, digest)


def use(crowd, kept, stop):
    while not stop.is_set():
        try:
            if random.randrange(100) < DELETES:
                delete_one(crowd, kept)
            else:
                upload_one(crowd, kept)
        except AssertionError as fault:
            kept.faults.append(str(fault))
            return
        time.sleep(0.02)


def kill_some(crowd, stop):
    while not stop.wait(random.uniform(0.2, 1.5)):
        kind = signal.SIGTERM if random.randrange(4) == 0 else signal.SIGKILL
        if random.randrange(3) == 0:
            crowd.kill_server(kind)
        else:
            crowd.kill_worker(kind)


def count(crowd, kept):
    """Looks for all that was acknowledged; returns the faults."""
    site = crowd.servers[0]
    faults = list(kept.faults)
    for name, (trace, digest) in kept.traces.items():
        told = site.ready(trace)
        raw = site.ask("/api/v1/traces/%s/raw" % name, headers=bearer(trace))
        if told["state"] != "ready":
            faults.append("%s: %s, %s" % (name, told["state"], told.get("reason")))
        if raw.status != 200 or sha256(raw.body) != digest:
            faults.append("%s: its bytes are lost (%d)" % (name, raw.status))
    for name in kept.deleted:
        if site.ask("/api/v1/traces/" + name).status != 404:
            faults.append("%s: it was deleted, and is there" % name)
    for name, (trace, digest) in kept.maybe_deleted.items():
        answer = site.ask("/api/v1/traces/%s/raw" % name, headers=bearer(trace))
        if answer.status != 404 and (answer.status != 200 or sha256(answer.body) != digest):
            faults.append("%s: it is neither there nor gone (%d)" % (name, answer.status))
    return faults


def no_job_is_open(crowd):
    status, said = crowd.command("stats", "--json")
    return status == 0 and '"jobs_queued":0' in said and '"jobs_taken":0' in said


def check_store(crowd):
    faults = []
    wait_until(lambda: no_job_is_open(crowd))
    for words in (("check",), ("gc", "--now"), ("check",)):
        status, said = crowd.command(*words)
        if status:
            faults.append("store %s: %s" % (" ".join(words), said))
    if "files without a row, which do no harm: 0\n" not in said:
        faults.append("after gc: %s" % said)
    return faults


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    seconds = 60 * float(sys.argv[2]) if len(sys.argv) == 3 else 30
    kept, stop = Kept(), threading.Event()
    with Crowd(os.path.abspath(sys.argv[1]), 2, 3, "--stop-patience", "1s") as crowd:
        users = [threading.Thread(target=use, args=(crowd, kept, stop)) for _ in range(UPLOADERS)]
        killer = threading.Thread(target=kill_some, args=(crowd, stop))
        for thread in (*users, killer):
            thread.start()
        time.sleep(seconds)
        stop.set()
        for thread in (*users, killer):
            thread.join()
        for _ in range(len(crowd.servers)):
            crowd.kill_server()
        faults = count(crowd, kept) + check_store(crowd)
        print("# %.0f s: %d servers and %d workers killed; uploads: %d acknowledged, %d broken off; deletes: %d acknowledged, "
              "%d broken off" % (seconds, crowd.killed["servers"], crowd.killed["workers"],
                                 len(kept.traces) + len(kept.deleted) + len(kept.maybe_deleted), kept.broken,
                                 len(kept.deleted), len(kept.maybe_deleted)))
    for fault in faults:
        print("FAILED: " + fault)
    print("%d passed, %d failed" % (0 if faults else 1, 1 if faults else 0))
    sys.exit(bool(faults))


main()
