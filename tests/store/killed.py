#!/usr/bin/env python3
"""Kills what works on a store, at every step and at random, and looks at what is left.

    killed.py BUILD PROGRAM [--long] [--postgres]     BUILD has tests/beside/store-driver and tests/beside/libstore-faults.so

The judge is no part of the program: it reads the database with Python's sqlite3, or psql where the rows are in PostgreSQL, and hashes the files itself. What was
acknowledged must be there and whole, and what was not must be gone after `gc`; nothing else may be left.

* Each operation, from a new store to a backup, runs with its n-th system call that changes the disk not happening, for
  every n (without --long: for some): the process is killed before it, or in the middle of the write; or the call fails
  once (EIO); or from then on nothing has room (ENOSPC, EDQUOT). Then the operation runs again and must succeed.
* Processes with two threads each work on one store at random, on bytes that they have in common, and are all killed at a
  random moment, many times, with the clock jumping between rounds.

Ends with "N passed, N failed".
"""

import contextlib
import copy
import hashlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import postgres  # noqa: E402

T0 = 1_700_000_000
DAY = 86400
# Memory: what is tested is what is there when a process ends, not the disk's speed.
FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Failed(Exception):
    pass


def expect(is_true, what):
    if not is_true:
        raise Failed(what)


def content(length, seed):
    """The bytes that the driver makes: xorshift64."""
    state = seed * 2 + 1
    made = bytearray()
    for _ in range(length):
        state ^= state << 13 & 0xffffffffffffffff
        state ^= state >> 7
        state ^= state << 17 & 0xffffffffffffffff
        made.append(state >> 24 & 0xff)
    return bytes(made)


def hash_of(data):
    return hashlib.sha256(data).hexdigest()


def name_of(number):
    return "%032x" % number


class Told:
    """What was acknowledged."""

    def __init__(self):
        self.traces = {}      # id -> (hash, bytes), or None where the parts tell
        self.dropped = set()  # id
        self.going = set()    # id: perhaps dropped
        self.parts = {}       # id -> bytes that have arrived at least
        self.indexes = set()  # hash of the raw file

    def take(self, lines):
        for line in lines:
            word, *rest = line.split(" ")
            if word == "trace":
                self.traces[rest[0]] = (rest[1], int(rest[2]))
            elif word == "finished":
                self.traces[rest[0]] = None
            elif word == "part":
                self.parts[rest[0]] = int(rest[1])
            elif word == "dropping":
                self.going.add(rest[0])
            elif word == "dropped":
                self.dropped.add(rest[0])
            elif word == "index":
                self.indexes.add(rest[0])


class Databases:
    """A database for each folder of a store, in a cluster of its own; its name is that of the folder's path."""

    cluster = None  # the rows are in SQLite

    @classmethod
    def name(cls, path):
        return "s" + hash_of(path.encode())[:20]

    @classmethod
    def settle(cls, path):
        """Until the server has ended what a process that was killed had begun."""
        while cls.cluster.ask("SELECT 1 FROM pg_stat_activity WHERE datname='%s' AND pid<>pg_backend_pid()" % cls.name(path)).strip():
            time.sleep(0.005)

    @classmethod
    def begin(cls, path, before=None):
        """An empty one, or one as that of another folder is."""
        cls.cluster.ask('DROP DATABASE IF EXISTS "%s" WITH (FORCE)' % cls.name(path))
        cls.cluster.ask('CREATE DATABASE "%s"%s' % (cls.name(path), ' TEMPLATE "%s"' % cls.name(before) if before else ""))

    @classmethod
    def rows(cls, path, text):
        number = lambda cell: int(cell) if cell.isdigit() and len(cell) < 19 else cell or None
        return [tuple(map(number, line.split("|"))) for line in cls.cluster.ask("SET search_path=traceview; " + text, cls.name(path)).splitlines()]


def is_draft_of_owner(path):
    """What a process that was killed left of the line which says whose the files are; it goes a day later."""
    with open(path, "rb") as file:
        text = file.read(8)
    return os.path.basename(path).startswith("new.") and b"postgres".startswith(text)


class Store:
    """A store as it lies on the disk."""

    def __init__(self, path):
        self.path = path

    def is_there(self):
        if Databases.cluster:
            return bool(Databases.rows(self.path, "SELECT 1 FROM pg_tables WHERE schemaname='traceview' AND tablename='program_tokens'"))
        return os.path.exists(os.path.join(self.path, "store.sqlite")) and bool(self.rows("SELECT 1 FROM sqlite_master LIMIT 1"))

    def rows(self, text):
        if Databases.cluster:
            return Databases.rows(self.path, text)
        database = sqlite3.connect(os.path.join(self.path, "store.sqlite"), timeout=30)
        try:
            return database.execute(text).fetchall()
        finally:
            database.close()

    def files(self):
        """name -> length; what has no name of a file is told apart."""
        found, others = {}, []
        top = os.path.join(self.path, "files")
        for place, _, names in os.walk(top):
            for name in names:
                whole = os.path.relpath(os.path.join(place, name), top).replace("/", "")
                if len(whole) == 64:
                    found[whole] = os.path.join(place, name)
                elif whole != "owner" and not is_draft_of_owner(os.path.join(place, name)):
                    others.append(whole)
        return found, others

    def check_whole(self, told):
        """What was acknowledged is there, and each file is what its name says."""
        if not Databases.cluster:
            expect(self.rows("PRAGMA integrity_check") == [("ok",)], "the database is damaged")
            expect(not self.rows("PRAGMA foreign_key_check"), "a row names what is not there")
        found, _ = self.files()
        for name, path in found.items():
            with open(path, "rb") as file:
                expect(hash_of(file.read()) == name, "%s is not whole" % name)
        traces = {row[0]: row[1:] for row in self.rows("SELECT id, raw, bytes FROM traces WHERE raw IS NOT NULL")}
        for id_, (raw, length) in traces.items():
            expect(raw in found and os.path.getsize(found[raw]) == length, "the raw file of %s is lost" % id_)
        for id_, acknowledged in told.traces.items():
            if id_ in told.going:
                continue
            expect(id_ in traces, "the trace %s is lost" % id_)
            expect(acknowledged in (None, traces[id_]), "the trace %s is another" % id_)
        for id_ in told.dropped:
            expect(id_ not in traces, "the trace %s was dropped and is there" % id_)
        arrived = dict(self.rows("SELECT trace, sum(bytes) FROM parts GROUP BY trace"))
        for id_, length in told.parts.items():
            expect(id_ in traces or arrived.get(id_, 0) >= length, "a part of %s is lost" % id_)
        for (name,) in self.rows("SELECT file FROM parts UNION SELECT result FROM jobs WHERE result IS NOT NULL"):
            expect(name in found, "the file %s is lost" % name)
        for raw in told.indexes:
            states = self.rows("SELECT state FROM jobs WHERE raw='%s'" % raw)
            has_trace = any(raw == trace[0] for trace in traces.values())
            expect(not has_trace or not states or states[0][0] == 2 or told.going, "the index of %s is lost" % raw)

    def check_tidy(self):
        """Right after gc: just the files that a row needs, each with its row."""
        found, others = self.files()
        needed = {name for (name,) in self.rows("SELECT raw FROM traces WHERE raw IS NOT NULL UNION SELECT file FROM parts"
                                                " UNION SELECT result FROM jobs WHERE result IS NOT NULL")}
        expect(not others, "left behind: %s" % others)
        expect(set(found) == needed, "%d files that nothing needs are left, %d are missing"
               % (len(set(found) - needed), len(needed - set(found))))
        rows = {name for (name,) in self.rows("SELECT name FROM files")}
        expect(rows == needed, "%d rows of files that nothing needs are left" % len(rows - needed))


class Programs:
    def __init__(self, build, program):
        self.traceview = program
        self.driver = os.path.join(build, "tests", "beside", "store-driver")
        self.faults = os.path.join(build, "tests", "beside", "libstore-faults.so")

    def start(self, path, now, words, **faults):
        environment = dict(os.environ)
        if Databases.cluster:
            environment["STORE_ROWS"] = Databases.cluster.url(Databases.name(path))
        if faults:
            environment.update({"LD_PRELOAD": self.faults})
            environment.update({"STORE_" + name.upper(): str(value) for name, value in faults.items()})
        return subprocess.Popen([self.driver, path, str(now), *map(str, words)], env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def act(self, path, now, words, **faults):
        """The lines that it said, and its status."""
        run = self.start(path, now, words, **faults)
        out, errors = run.communicate(timeout=240)
        expect(not errors, "the driver says: %s" % errors.decode(errors="replace")[:500])
        if Databases.cluster:
            Databases.settle(path)
        expect(run.returncode in (0, 1, -signal.SIGKILL), "status %d" % run.returncode)
        return out.decode().splitlines(), run.returncode

    def succeed(self, path, now, words):
        lines, status = self.act(path, now, words)
        expect(status == 0 and not any(line.startswith("failed") for line in lines),
               "%s again: %s" % (words[0], lines))
        return lines

    def tidy_up(self, path, now):
        """gc as it comes to be: what was taken by one that died is taken again after a while."""
        for later in (0, 1000):
            self.succeed(path, now + later, ["gc", 0])


# Name; what makes the store that the operation finds; the operation; what each run does before it, where anything.
RAW = hash_of(content(9000, 1))
OPERATIONS = [
    ("a new store", [], ["upload", name_of(1), 9000, 1]),
    ("an upload", [["upload", name_of(9), 100, 9]], ["upload", name_of(1), 9000, 1]),
    ("an upload of the same bytes", [["upload", name_of(9), 9000, 1]], ["upload", name_of(1), 9000, 1]),
    ("a first part", [["upload", name_of(9), 100, 9]], ["part", name_of(1), 0, 5000, 2]),
    ("a second part", [["part", name_of(1), 0, 5000, 2]], ["part", name_of(1), 5000, 5000, 3]),
    ("the end of an upload", [["part", name_of(1), 0, 5000, 2], ["part", name_of(1), 5000, 5000, 3]],
     ["finish", name_of(1)]),
    # The driver has the hash of the whole computed while parts come where the id is odd.
    ("the end of an upload of before", [["part", name_of(4), 0, 5000, 2], ["part", name_of(4), 5000, 5000, 3]], ["finish", name_of(4)]),
    ("an index", [["upload", name_of(1), 9000, 1]], ["index"]),
    ("a delete", [["upload", name_of(1), 9000, 1], ["upload", name_of(9), 100, 9]], ["drop", name_of(1)]),
    ("gc", [["upload", name_of(1), 9000, 1], ["index"], ["upload", name_of(9), 100, 9], ["drop", name_of(1)]],
     ["gc", 0]),
    ("a backup", [["upload", name_of(1), 9000, 1], ["upload", name_of(9), 100, 9]], ["backup", "{TO}"]),
    ("a backup that is renewed", [["upload", name_of(1), 9000, 1], ["upload", name_of(9), 100, 9]], ["backup", "{TO}"],
     [["backup", "{TO}"], ["upload", name_of(3), 9000, 3], ["drop", name_of(9)]]),
]


class Scene:
    """A store before an operation, from which each run begins anew."""

    def __init__(self, programs, folder, before, first=()):
        self.programs = programs
        self.before = os.path.join(folder, "before")
        self.path = os.path.join(folder, "store")
        self.copy = os.path.join(folder, "copy")
        self.told = []
        self.first = first
        self.earlier = None    # what a copy has that is there before the operation
        if Databases.cluster and before:
            Databases.begin(self.before)
        for words in before:
            self.told += programs.succeed(self.before, T0, words)

    def begin(self):
        for path in (self.path, self.copy):
            shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(self.before):
            shutil.copytree(self.before, self.path)
            # Rows in PostgreSQL are copied into another database, whose the files are not yet.
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.path, "files", "owner"))
        if Databases.cluster:
            Databases.begin(self.path, self.before if os.path.exists(self.before) else None)
        told = Told()
        told.take(self.told)
        for words in self.first:
            if words[0] == "backup":
                self.earlier = Told()
                self.earlier.__dict__.update(copy.deepcopy(told.__dict__))
            told.take(self.programs.succeed(self.path, T0, self.words(words)))
            told.dropped |= {words[1]} if words[0] == "drop" else set()
        return told

    def check_copy(self, told):
        """A copy that has taken its name is whole: as it shall be, or as it was before."""
        try:
            Store(self.copy).check_whole(told)
        except Failed:
            if not self.earlier:
                raise
            Store(self.copy).check_whole(self.earlier)

    def words(self, operation):
        return [self.copy if word == "{TO}" else word for word in operation]


def calls_of(scene, operation, folder):
    """How many system calls of the operation change the disk."""
    scene.begin()
    count = os.path.join(folder, "count")
    scene.programs.act(scene.path, T0, scene.words(operation), fault_count=count)
    with open(count, encoding="ascii") as file:
        return int(file.read())


def look_after_fault(scene, operation, told):
    """What must hold whatever happened, and that the same again succeeds. A job that a dead worker holds is free when its
    lease has lapsed; a gc that died is followed by another; a copy that was cut off is no store, or the earlier one."""
    words = scene.words(operation)
    later = T0 + 1000 if words[0] in ("index", "gc") else T0
    store = Store(scene.path)
    if store.is_there():
        store.check_whole(told)
    if os.path.exists(os.path.join(scene.copy, "store.sqlite")):
        scene.check_copy(told)
    lines, _ = scene.programs.act(scene.path, later, words)
    failed = [line for line in lines if line.startswith("failed")]
    was_done = [line for line in failed if words[0] == "drop" and "TV_ERR_NOT_FOUND" in line]
    expect(len(failed) == len(was_done), "%s again: %s" % (words[0], failed))
    told.take(lines)
    told.dropped |= {words[1]} if words[0] == "drop" else set()
    store.check_whole(told)
    if words[0] == "backup":
        copied = Store(scene.copy)
        copied.check_whole(told)
    scene.programs.tidy_up(scene.path, later if words[0] != "part" else T0)
    if words[0] == "part":
        told.parts.clear()  # the second gc is so late that the upload has lapsed
    store.check_tidy()


def run_with_fault(scene, operation, fault, call):
    told = scene.begin()
    told.take(scene.programs.act(scene.path, T0, scene.words(operation), fault=fault, fault_at=call)[0])
    look_after_fault(scene, operation, told)


def each_step(programs, is_long):
    """Yields a name and what failed, for each operation and fault."""
    for name, before, operation, *first in OPERATIONS:
        if Databases.cluster and operation[0] == "backup":
            continue    # the tools of PostgreSQL do that
        with tempfile.TemporaryDirectory(dir=FAST) as folder:
            scene = Scene(programs, folder, before, *first)
            calls = calls_of(scene, operation, folder)
            for fault in ("kill", "half", "EIO", "ENOSPC", "EDQUOT"):
                if is_long:
                    chosen = range(1, calls + 1)
                else:
                    chosen = sorted(random.sample(range(1, calls + 1), min(calls, 2)))
                failed = []
                for call in chosen:
                    try:
                        run_with_fault(scene, operation, fault, call)
                    except Failed as error:
                        failed.append("call %d of %d: %s" % (call, calls, error))
                yield "%s, %s at %d of %d calls" % (name, fault, len(chosen), calls), failed


def random_kills(programs, rounds, is_long):
    """Two processes with two threads each, killed at a random moment, over and over on one store."""
    told = Told()
    acknowledged = 0
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        path = os.path.join(folder, "store")
        now = T0
        if Databases.cluster:
            Databases.begin(path)
        programs.succeed(path, now, ["gc", 0])
        for number in range(rounds):
            # The clock goes on, or jumps back by up to an hour.
            now += random.choice((5, 70, 700, 4000, -3600))
            seeds = [random.randrange(1, 1 << 30) for _ in range(2)]
            # In every second round each step takes a moment, so that others come in between.
            slow = {"fault": "slow", "fault_at": 1} if number % 2 else {}
            runs = [programs.start(path, now, ["loop", seed], **slow) for seed in seeds]
            time.sleep(random.uniform(0.02, 0.5 if is_long else 0.25))
            for run in runs:
                run.send_signal(signal.SIGKILL)
            for run in runs:
                out, errors = run.communicate(timeout=240)
                expect(not errors, errors.decode(errors="replace")[:300])
                lines = out.decode().splitlines()
                bad = [line for line in lines if line.startswith("failed") and "TV_ERR_CONFLICT" not in line]
                expect(not bad, "round %d, seeds %s: %s" % (number, seeds, bad[:2]))
                acknowledged += len(lines)
                told.take(lines)
            if Databases.cluster:
                Databases.settle(path)
            lapsed = Told()
            lapsed.__dict__.update(told.__dict__, parts={})
            Store(path).check_whole(lapsed)
            if number % 5 == 4:
                now = max(now, T0) + 5000
                programs.tidy_up(path, now)
                Store(path).check_whole(lapsed)
                Store(path).check_tidy()
        place = [Databases.cluster.url(Databases.name(path)), "--files", path] if Databases.cluster else [path]
        done = subprocess.run([programs.traceview, "store", "check", *place], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, "store check: %s" % done.stdout)
    return acknowledged


def without_nameless_files(programs):
    """A file system that has no files without a name: copies take their place, and nothing of them stays."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        path = os.path.join(folder, "store")
        told = Told()
        if Databases.cluster:
            Databases.begin(path)
        for words in (["upload", name_of(1), 9000, 1], ["part", name_of(2), 0, 5000, 2], ["finish", name_of(2)], ["index"]):
            lines, status = programs.act(path, T0, words, fault="nameless", fault_at=1)
            expect(status == 0 and not any(line.startswith("failed") for line in lines), str(lines))
            told.take(lines)
        Store(path).check_whole(told)
        programs.tidy_up(path, T0 + 1000)
        Store(path).check_tidy()


def without_locks(programs):
    """A file system without locks, as over a network: a store is refused at once, with what to do, and nothing of the trial stays."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        path = os.path.join(folder, "store")
        refused = subprocess.run([programs.traceview, "store", "make", path], capture_output=True, text=True, check=False, timeout=20,
                                 env=dict(os.environ, LD_PRELOAD=programs.faults, STORE_FAULT="lockless"))
        expect(refused.returncode == 1 and "store.sqlite cannot be locked: its file system has no locks" in refused.stderr, str(refused))
        expect(not [name for name in os.listdir(path) if "lock" in name], str(os.listdir(path)))


def main():
    is_long = "--long" in sys.argv
    words = [word for word in sys.argv[1:] if word[:2] != "--"]
    if len(words) != 2:
        sys.exit("usage: killed.py BUILD PROGRAM [--long] [--postgres]")
    if "--postgres" not in sys.argv:
        sys.exit(kill(words, is_long))
    if not postgres.folder_of_programs():
        print("skipped: a store in PostgreSQL whose processes are killed: PostgreSQL is not installed (Debian: postgresql-15)")
        print("0 passed, 0 failed")
        return
    Databases.cluster = postgres.Cluster()
    try:
        failed = kill(words, is_long)
    finally:
        Databases.cluster.end()
    sys.exit(failed)


def kill(words, is_long):
    """Whether something failed."""
    programs = Programs(*words)
    seed = int(os.environ.get("KILLED_SEED", random.randrange(1 << 30)))
    random.seed(seed)
    passed = failed = 0
    for name, faults in each_step(programs, is_long):
        for fault in faults:
            print("%s: %s" % (name, fault))
        passed += not faults
        failed += bool(faults)
    for name, test in (("killed at random", lambda: random_kills(programs, 200 if is_long else 10, is_long)),
                       ("no files without a name", lambda: without_nameless_files(programs)),
                       ("no locks", lambda: None if Databases.cluster else without_locks(programs))):
        try:
            count = test()
            if count:
                print("%s: %d acknowledged" % (name, count))
            passed += 1
        except Failed as error:
            print("%s: %s" % (name, error))
            failed += 1
    if failed:
        print("KILLED_SEED=%d repeats it" % seed)
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


main()
