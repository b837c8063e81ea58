#!/usr/bin/env python3
"""Three servers and four workers over one PostgreSQL, of which something is ended every second, while clients upload, read and delete.

    chaos.py PROGRAM [SECONDS] [SEED] [TEST]

What is ended: a server or a worker, by SIGKILL or by SIGTERM; a worker is stopped for longer than its lease; all connections to the
database; the database itself, as by a loss of power. Each comes once, and then by chance. A process that ends is started again, as
what looks after it would. Then: every acknowledged upload is there and whole, every deleted one is gone, no answer was wrong, no file
is left that nobody needs. Further tests put the files into a bucket; the rows beside the files in a folder, which is asked for by its
name or comes in long runs; and fill the disk of the database and of the files, where a tmpfs can be mounted. Ends with "N passed, N
failed".
"""

import collections
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import over_s3  # noqa: E402
import postgres  # noqa: E402
import swift  # noqa: E402
from crowd import FAILURES, Crowd, content  # noqa: E402
from running import PATIENCE_S, bearer, equal, has, sha256, wait_until  # noqa: E402

CLIENTS = 4
# Answers that say to come again. Whatever else an answer says is compared with what it should say.
LATER = (429, 503)
# A worker that is stopped for so long has lost its job (TV_SITE_LEASE_S).
LEASE_S = 10
STOPPED_S = LEASE_S + 3
# The first worker that is stopped goes on before the end.
SECONDS = STOPPED_S + 1
# An answer that took longer is told at the end, with what was ended meanwhile.
SLOW_S = 3
# How long a gc goes on with what it took, and a while more (MOST_NS in src/store/gc.c).
GC_S = 70
# How long what a gc that was killed had taken is kept from everybody (TV_STORE_GOING_S).
DEAD_GC_S = 300
# What SIGTERM is given: a process that takes longer has failed.
STOP_S = 60


class Unanswered(Exception):
    """The connection broke, or the answer was to come again."""


class Record:
    """What has been acknowledged, and how long answers took. Any thread."""

    def __init__(self):
        self.lock = threading.Lock()
        self.kept, self.deleted, self.shown = {}, [], {}
        self.counts = collections.Counter()
        self.longest_s = self.longest_broken_s = 0.0
        self.slow = []

    def note(self, asked, ended, took_s):
        """How long an answer took, and, where that is long, what had been asked of whom."""
        with self.lock:
            if ended == "broke":
                self.longest_broken_s = max(self.longest_broken_s, took_s)
            else:
                self.longest_s = max(self.longest_s, took_s)
            if took_s > SLOW_S:
                self.slow.append((time.monotonic(), took_s, asked, ended))

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def any_kept(self, number):
        """One of those that this client has brought, which no other one deletes; None: there is none."""
        with self.lock:
            own = [id_ for id_, trace in self.kept.items() if trace["client"] == number]
        return random.choice(own) if own else None


class Client:
    """Asks any of the servers, again and again, and compares what they say."""

    def __init__(self, crowd, record, number):
        self.crowd, self.record, self.number = crowd, record, number

    def ask(self, *words, **others):
        begun, server, ended = time.monotonic(), self.crowd.any_server(), "broke"
        try:
            answer = server.ask(*words, **others)
            ended = answer.status
        except AssertionError as failure:
            raise AssertionError("%s\nThe server's log: %s" % (failure, server.read_log()[-1000:])) from failure
        except FAILURES as failure:
            self.crowd.expect_alive()
            self.record.count("broke")
            raise Unanswered() from failure
        finally:
            self.record.note("%s of the server at %d%s" % (" ".join(map(str, words[:2])), server.port, ", which ends" if server.is_killed else ""),
                             ended, time.monotonic() - begun)
        if answer.status in LATER:
            assert int(answer.headers["Retry-After"]) > 0, answer.headers
            self.record.count("later")
            raise Unanswered()
        self.record.count("answers")
        return answer

    def insist(self, *words, **others):
        """Until there is an answer; tells whether one before may have done it unheard."""
        end = time.monotonic() + PATIENCE_S + DEAD_GC_S
        is_repeated = False
        while True:
            try:
                return self.ask(*words, **others), is_repeated
            except Unanswered:
                assert time.monotonic() < end, "no server answers"
                is_repeated = True
                time.sleep(0.05)

    def keep(self, trace, body):
        equal(trace["sha256"], sha256(body))
        with self.record.lock:
            self.record.kept[trace["id"]] = dict(trace, client=self.number, body=sha256(body))

    def upload(self, body):
        answer = self.ask("/api/v1/traces?name=a.trace", "PUT", body=body)
        equal(answer.status, 201)
        self.keep(answer.json, body)

    def upload_in_pieces(self, body):
        """Each piece by whichever server comes; where an answer is lost, another server tells how far it is. Pieces of two traces
        have other bytes: those that a gc has taken which was ended cannot come again for five minutes."""
        length = 1000 + len(body) - len(content(0))
        upload = self.insist("/api/v1/uploads?name=x.trace&bytes=%d" % len(body), "POST")[0]
        equal(upload.status, 201)
        upload, path = upload.json, "/api/v1/uploads/" + upload.json["id"]
        offset = 0
        while offset < len(body):
            head = dict(bearer(upload), **{"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"})
            try:
                answer = self.ask(path, "PATCH", head, body[offset:offset + length])
                # 409: what a server that was killed had heard came after all.
                assert answer.status in (204, 409), (answer.status, answer.text)
                offset = int(answer.headers["Upload-Offset"])
            except Unanswered:
                told = self.insist(path, "HEAD", bearer(upload))[0]
                equal(told.status, 200)
                offset = int(told.headers["Upload-Offset"])
        done = self.insist(path + "/complete", "POST", bearer(upload))[0]
        assert done.status in (200, 201), (done.status, done.text)
        self.keep(dict(done.json, owner_token=upload["owner_token"]), body)

    def read(self, id_):
        trace = self.record.kept[id_]
        answer = self.ask("/api/v1/traces/" + id_, headers=bearer(trace))
        equal((answer.status, answer.json["sha256"]), (200, trace["body"]))
        state = answer.json["state"]
        assert state != "failed", answer.json
        answer = self.ask("/api/v1/traces/%s/raw" % id_, headers=bearer(trace))
        equal((answer.status, sha256(answer.body)), (200, trace["body"]))
        if state == "ready":
            answer = self.ask("/api/v1/traces/%s/view/info" % id_)
            equal(answer.status, 200)
            equal(answer.body, self.record.shown.setdefault(id_, answer.body))

    def delete(self, id_):
        trace = self.record.kept.pop(id_)
        answer, is_repeated = self.insist("/api/v1/traces/" + id_, "DELETE", bearer(trace))
        assert answer.status == 204 or (is_repeated and answer.status == 404), (answer.status, answer.text)
        with self.record.lock:
            self.record.deleted.append(id_)
        equal(self.insist("/api/v1/traces/" + id_)[0].status, 404)

    def step(self, turn):
        """Bytes that were deleted come again where one answer is asked for; what is insisted on has bytes of its own, since a gc that was
        killed keeps those that it had taken from everybody for five minutes."""
        try:
            if turn % 4 == 3:
                self.upload_in_pieces(content(4000 + self.number + CLIENTS * turn))
            else:
                self.upload(content(1000 + self.number * 300 + turn % 60))
        except Unanswered:
            pass
        id_ = self.record.any_kept(self.number)
        try:
            if id_:
                self.read(id_)
        except Unanswered:
            pass
        if id_ and turn % 3 == 2:
            self.delete(id_)

    def run(self, chaos, failures):
        turn = 0
        try:
            while not chaos.is_over and not failures:
                self.step(turn)
                turn += 1
        except Exception:  # pylint: disable=broad-except
            failures.append(traceback.format_exc())


class Embedded:
    """The database of a store in a folder, asked as a cluster of PostgreSQL is."""

    def __init__(self):
        self.path = None

    def ask(self, statement, _):
        database = sqlite3.connect(self.path, timeout=PATIENCE_S)
        try:
            with database:
                found = database.execute(statement.replace("traceview.", "")).fetchall()
            return "\n".join("|".join(map(str, row)) for row in found)
        finally:
            database.close()


class Chaos:
    """What ends servers, workers and the database, where that is a server, one each second, and starts them again."""

    def __init__(self, crowd, cluster):
        self.crowd, self.cluster = crowd, cluster
        self.acts_of = {"servers killed": (5, lambda: self.end_server(signal.SIGKILL)),
                        "servers told to end": (2, lambda: self.end_server(signal.SIGTERM)),
                        "workers killed": (5, lambda: self.end_worker(signal.SIGKILL)),
                        "workers told to end": (2, lambda: self.end_worker(signal.SIGTERM)),
                        "workers stopped": (1, self.stop_worker)}
        if not isinstance(cluster, Embedded):
            self.acts_of["connections cut"] = (2, self.cut)
            self.acts_of["databases killed"] = (2, lambda: cluster.restart("immediate"))
        # Those that have not come yet, the next one last: a worker that is stopped goes on late.
        self.first = random.sample(sorted(self.acts_of), len(self.acts_of))
        self.first.remove("workers stopped")
        self.first.append("workers stopped")
        self.is_over = False
        self.counts = collections.Counter()
        self.stopped = []    # workers that are to go on, and when
        self.acts = []       # when each began, and ended

    def start_again(self, start):
        """A process that begins while the database is away ends with its reason, and is started once more."""
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return start()
            except AssertionError as failure:
                assert "is away" in str(failure) and time.monotonic() < end, failure
                time.sleep(0.2)

    def end_server(self, kind):
        crowd = self.crowd
        place = random.randrange(len(crowd.servers))
        former = crowd.servers[place]
        former.is_killed = True
        former.process.send_signal(kind)
        status = former.process.wait(timeout=STOP_S)
        equal(status, 0 if kind == signal.SIGTERM else -signal.SIGKILL)
        started = self.start_again(crowd.start_server)
        with crowd.lock:
            crowd.servers[place] = started
        former.__exit__()

    def end_worker(self, kind):
        crowd = self.crowd
        stopped = {process.pid for _, process in self.stopped}
        place = random.choice([place for place, worker in enumerate(crowd.workers) if worker.process.pid not in stopped])
        process = crowd.workers[place].process
        process.send_signal(kind)
        status = process.wait(timeout=STOP_S)
        # One that was to stop before the database was back has status 1, as one that never began.
        assert status in (0, 1, -signal.SIGTERM) if kind == signal.SIGTERM else status in (-signal.SIGKILL, 1), status
        crowd.workers[place] = crowd.start_worker()

    def stop_worker(self):
        """One of those that work; the last one of them goes on."""
        stopped = {process.pid for _, process in self.stopped}
        working = [worker.process for worker in self.crowd.workers if worker.process.pid not in stopped]
        if len(working) > 1:
            process = random.choice(working)
            process.send_signal(signal.SIGSTOP)
            # By itself: who starts a server may wait for what the stopped one holds.
            threading.Timer(STOPPED_S, process.send_signal, [signal.SIGCONT]).start()
            self.stopped.append((time.monotonic() + STOPPED_S, process))

    def look_after(self):
        """Workers that found no database when they began are started again; those that were stopped go on."""
        for place, worker in enumerate(self.crowd.workers):
            status = worker.process.poll()
            if status is not None:
                equal(status, 1)
                self.crowd.workers[place] = self.crowd.start_worker()
        for when, process in list(self.stopped):
            if when <= time.monotonic():
                process.send_signal(signal.SIGCONT)
                self.stopped.remove((when, process))

    def go_on(self):
        for _, process in self.stopped:
            process.send_signal(signal.SIGCONT)
        self.stopped = []
        self.look_after()

    def cut(self):
        self.cluster.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name='traceview'")

    def once(self):
        if self.first:
            name = self.first.pop()
        else:
            name = random.choices(list(self.acts_of), [weight for weight, _ in self.acts_of.values()])[0]
        begun = time.monotonic()
        self.acts_of[name][1]()
        self.acts.append((begun, time.monotonic(), name))
        self.counts[name] += 1

    def around(self, begun, ended):
        """What was ended in that time, and how long it took to be there again."""
        return ", ".join("%s (%.1f s before, %.1f s)" % (name, ended - from_s, to_s - from_s)
                         for from_s, to_s, name in self.acts if to_s > begun - 1 and from_s < ended)

    def run(self, seconds, failures):
        """For so long, and until each has come; every one of them ends, or fails."""
        until = time.monotonic() + seconds
        try:
            while (time.monotonic() < until or self.first) and not failures:
                next_s = time.monotonic() + 1
                self.once()
                self.look_after()
                time.sleep(max(0, next_s - time.monotonic()))
        except Exception:  # pylint: disable=broad-except
            failures.append(traceback.format_exc())
        self.is_over = True


def rows(cluster, statement):
    return cluster.ask(statement, "crowd").strip()


def look_at_the_end(crowd, cluster, record):
    """All that was acknowledged, by each server in turns, and what the store says of itself."""
    begun = time.monotonic()

    def all_are_done():
        """What a gc that was killed had taken, such as the index of a job, another one takes five minutes later, which are over here; one
        that is alive gives up after one minute."""
        rows(cluster, "UPDATE traceview.files SET going=going-1000 WHERE going<%d" % (time.time() - GC_S))
        return rows(cluster, "SELECT count(*) FROM traceview.jobs WHERE state<2") == "0"

    wait_until(all_are_done, patience=PATIENCE_S + 2 * GC_S)
    bad = rows(cluster, "SELECT raw, tries, reason FROM traceview.jobs WHERE state=3")
    assert not bad, bad
    waited_s = time.monotonic() - begun
    for place, (id_, trace) in enumerate(record.kept.items()):
        server = crowd.servers[place % len(crowd.servers)]
        answer = server.ask("/api/v1/traces/" + id_, headers=bearer(trace))
        equal((id_, answer.status, answer.json["sha256"], answer.json["state"]), (id_, 200, trace["body"], "ready"))
        answer = server.ask("/api/v1/traces/%s/raw" % id_, headers=bearer(trace))
        equal((id_, answer.status, sha256(answer.body)), (id_, 200, trace["body"]))
        answer = server.ask("/api/v1/traces/%s/view/info" % id_)
        equal((id_, answer.status), (id_, 200))
        equal(answer.body, record.shown.get(id_, answer.body))
    for place, id_ in enumerate(record.deleted):
        equal((id_, crowd.servers[place % len(crowd.servers)].ask("/api/v1/traces/" + id_).status), (id_, 404))
    status, said = crowd.command("check")
    has(said, "faults: 0\n")
    equal(status, 0)
    return waited_s


def files_in_folder(crowd):
    return sum(len(names) for _, _, names in os.walk(os.path.join(crowd.files, "files")))


def look_for_waste(crowd, cluster, count_files):
    """After gc nothing is left that no row needs. Workers and servers tidy up by themselves beside it. What a gc that was killed had
    taken another one takes five minutes later, which are over here."""
    rows(cluster, "UPDATE traceview.files SET going=going-1000 WHERE going IS NOT NULL")
    equal(crowd.command("gc", "--now")[0], 0)
    left = rows(cluster, "SELECT count(*) FROM traceview.files WHERE name NOT IN (SELECT raw FROM traceview.traces WHERE raw IS NOT NULL"
                         " UNION SELECT file FROM traceview.parts UNION SELECT result FROM traceview.jobs WHERE result IS NOT NULL)")
    equal(left, "0")
    equal(str(count_files(crowd)), rows(cluster, "SELECT count(*) FROM traceview.files"))


def run_together(crowd, cluster, seconds):
    record, chaos, failures = Record(), Chaos(crowd, cluster), []
    threads = [threading.Thread(target=Client(crowd, record, number).run, args=(chaos, failures)) for number in range(CLIENTS)]
    threads.append(threading.Thread(target=chaos.run, args=(seconds, failures)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    chaos.go_on()
    assert not failures, failures[0]
    return record, chaos


def something_ends_every_second(program, seconds):
    cluster = postgres.Cluster()
    try:
        something_ends(program, cluster, seconds)
    finally:
        cluster.end()


def something_ends_every_second_over_a_folder(program, seconds):
    """The same with all of the store in a folder."""
    something_ends(program, Embedded(), seconds)


def something_ends_every_second_over_s3(program, seconds):
    """The same with the files in a bucket, of OpenStack Swift."""
    if not swift.is_installed():
        print("skipped: servers and workers over S3, of which one ends every second: Swift is not installed (scripts/install check)")
        return
    cluster, store = postgres.Cluster(), over_s3.World
    store.swift = swift.Swift()
    try:
        store.swift.make("traces")
        with store(endpoint="http://127.0.0.1:%d" % store.swift.port("proxy")) as world:
            something_ends(program, cluster, seconds, lambda _: len(world.names()), bucket=world.files)
    finally:
        store.swift.end()
        cluster.end()


def something_ends(program, cluster, seconds, count_files=files_in_folder, **place):
    is_embedded = isinstance(cluster, Embedded)
    with Crowd(program, 3, 4, cluster=None if is_embedded else cluster, **place) as crowd:
        if is_embedded:
            cluster.path = os.path.join(crowd.store, "store.sqlite")
        record, chaos = run_together(crowd, cluster, seconds)
        counts = record.counts
        print("# %d s: %s" % (seconds, ", ".join("%d %s" % (count, name) for name, count in sorted(chaos.counts.items()))))
        print("# %d answers, %d told to come again, %d connections broke; the longest answer took %.2f s, the longest until one broke %.2f s"
              % (counts["answers"], counts["later"], counts["broke"], record.longest_s, record.longest_broken_s))
        for ended, took_s, asked, how in record.slow:
            print("#   %.2f s: %s: %s, beside: %s" % (took_s, asked, how, chaos.around(ended - took_s, ended)), flush=True)
        waited_s = look_at_the_end(crowd, cluster, record)
        look_for_waste(crowd, cluster, count_files)
        print("# %d traces kept, all there and whole; %d deleted, all gone; the last one was ready %.1f s later"
              % (len(record.kept), len(record.deleted), waited_s))
        assert len(record.kept) + len(record.deleted) >= seconds // 4, (record.kept, record.deleted)
        assert len(chaos.counts) == len(chaos.acts_of), chaos.counts


class Disk:
    """A tmpfs of so many MiB; None: this user cannot mount one."""

    def __init__(self, size):
        self.path = tempfile.mkdtemp(prefix="traceview-disk-")
        self.ballast = self.path + "/ballast"
        os.chmod(self.path, 0o755)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dm" % size, "none", self.path], check=True)

    def fill(self):
        with open(self.ballast, "wb", buffering=0) as file:
            for length in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(bytes(length))
                except OSError:
                    pass

    def empty(self):
        os.unlink(self.ballast)

    def end(self):
        subprocess.run(["umount", "-l", self.path], check=True)
        os.rmdir(self.path)


def can_mount():
    if os.getuid() != 0 or not shutil.which("mount"):
        return False
    try:
        Disk(1).end()
    except subprocess.CalledProcessError:
        return False
    return True


def uploads_while_full(site, seconds, allowed):
    """What uploads are answered, each within seconds; those that are taken."""
    end, number, kept, statuses = time.monotonic() + seconds, 0, [], collections.Counter()
    longest_s = 0.0
    while time.monotonic() < end:
        number += 1
        begun = time.monotonic()
        answer = site.ask("/api/v1/traces?name=a.trace", "PUT", body=content(5000 + number))
        longest_s = max(longest_s, time.monotonic() - begun)
        statuses[answer.status] += 1
        assert answer.status in allowed, (answer.status, answer.text)
        if answer.status == 201:
            kept.append((number, answer.json))
        if answer.status == 503:
            assert int(answer.headers["Retry-After"]) > 0, answer.headers
    return kept, statuses, longest_s


def look_at_kept(site, kept):
    for number, trace in kept:
        equal(sha256(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body), sha256(content(5000 + number)))


def a_full_disk_of_the_database_recovers(program, _):
    """PostgreSQL ends itself where its log of changes finds no room; what looks after it starts it again."""
    disk = Disk(160)
    former, tempfile.tempdir = tempfile.tempdir, disk.path
    try:
        cluster = postgres.Cluster("max_wal_size = 32MB", "min_wal_size = 32MB")
        tempfile.tempdir = former
        with Crowd(program, 1, 1, cluster=cluster) as crowd:
            site = crowd.servers[0]
            before, _, _ = uploads_while_full(site, 1, (201,))
            disk.fill()
            during, statuses, longest_s = uploads_while_full(site, 6, (201, 503, 507))
            # PostgreSQL writes into files that it has until it needs another one.
            cluster_is_up = cluster.is_up()
            equal(site.ask("/healthz").status, 200)
            disk.empty()
            if not cluster_is_up:
                cluster.start()
            begun = time.monotonic()
            wait_until(lambda: site.ask("/readyz").status == 200)
            back_s = time.monotonic() - begun
            after, _, _ = uploads_while_full(site, 1, (201,))
            look_at_kept(site, before + during + after)
            equal(crowd.command("check")[0], 0)
            print("# uploads while the disk of the database was full: %s, the longest took %.2f s; PostgreSQL was %s; %.2f s after there was "
                  "room all was well" % (dict(statuses), longest_s, "up" if cluster_is_up else "down", back_s))
            assert set(statuses) - {201}, statuses
        cluster.end()
    finally:
        tempfile.tempdir = former
        disk.end()


def a_full_disk_of_the_files_recovers(program, _):
    disk = Disk(200)    # a worker waits where less than 64 MiB are free
    cluster = postgres.Cluster()
    try:
        with Crowd(program, 1, 1, "--keep-free", "0", cluster=cluster, folder=disk.path + "/files") as crowd:
            site = crowd.servers[0]
            before, _, _ = uploads_while_full(site, 1, (201,))
            disk.fill()
            during, statuses, longest_s = uploads_while_full(site, 3, (201, 503, 507))
            look_at_kept(site, before + during)
            disk.empty()
            wait_until(lambda: site.ask("/readyz").status == 200)
            after, _, _ = uploads_while_full(site, 1, (201,))
            look_at_kept(site, before + during + after)
            wait_until(lambda: rows(cluster, "SELECT count(*) FROM traceview.jobs WHERE state<2") == "0")
            equal(rows(cluster, "SELECT count(*) FROM traceview.jobs WHERE state=3"), "0")
            equal(crowd.command("check")[0], 0)
            print("# uploads while the disk of the files was full: %s, the longest took %.2f s" % (dict(statuses), longest_s))
            assert statuses[507], statuses
    finally:
        cluster.end()
        disk.end()


def two_versions_of_the_schema_live_beside_each_other(program, _):
    """A later program has brought the store up, by steps that this one need not know."""
    cluster = postgres.Cluster()
    try:
        with Crowd(program, 2, 1, cluster=cluster) as crowd:
            before = [crowd.servers[0].put(content(number)) for number in range(3)]
            rows(cluster, "ALTER TABLE traceview.traces ADD COLUMN later text; CREATE TABLE traceview.later(a bigint);"
                          " UPDATE traceview.schema_version SET version=99")
            after = [crowd.servers[1].put(content(10 + number)) for number in range(3)]
            for _ in range(3):    # and others of this version begin
                crowd.kill_server(signal.SIGTERM)
                crowd.kill_worker(signal.SIGTERM)
            for trace in before + after:
                equal(crowd.servers[0].ready(trace)["state"], "ready")
                equal(crowd.servers[1].ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
            equal(crowd.command("stats")[0], 0)
            equal(rows(cluster, "SELECT version FROM traceview.schema_version"), "99")
            rows(cluster, "UPDATE traceview.schema_version SET least=99")
            status, said = crowd.command("stats")
            equal(status, 1)
            has(said, "written by a later version of traceview: its schema is 99, which programs from 99 on may use")
    finally:
        cluster.end()


MOUNTING = [a_full_disk_of_the_database_recovers, a_full_disk_of_the_files_recovers]
# Those that take only long runs.
LONG = [something_ends_every_second_over_a_folder]
TESTS = [something_ends_every_second, *LONG, something_ends_every_second_over_s3, two_versions_of_the_schema_live_beside_each_other, *MOUNTING]


def main():
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    random.seed(seed)
    if sys.argv[4:] != [something_ends_every_second_over_a_folder.__name__] and not postgres.folder_of_programs():
        print("skipped: servers and workers of which something ends every second: PostgreSQL is not installed (Debian: postgresql-15)")
        print("0 passed, 0 failed")
        return
    mounts = can_mount()
    if not mounts:
        print("skipped: full disks: only root can mount a small one")
    names = sys.argv[4:] or [test.__name__ for test in TESTS if seconds > SECONDS or test not in LONG]
    tests = [test for test in TESTS if (mounts or test not in MOUNTING) and test.__name__ in names]
    failed = 0
    for test in tests:
        try:
            test(program, seconds)
        except Exception:  # whatever a test raises is its failure
            failed += 1
            print("failed: %s, with the seed %d\n%s" % (test.__name__, seed, traceback.format_exc()))
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
