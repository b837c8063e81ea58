"""Tests of sited.py: servers and workers of different builds, whose indexes have a version of their own.

    sited_versions.py PROGRAM     writes index_sums.json anew, after TV_INDEX_VERSION was raised
"""

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys

from running import DATA, SMALL, Site, equal, read

SUMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "index_sums.json")
# One of each family of files, and the ways in which a file can be odd.
FILES = ["recipes.trace.zst", "spellings.trace", "idle-cpu.trace", "made/low-overhead-f6.trace", "made/odd-missing-records.trace",
         "made/odd-thread-zero.trace", "made/packets-5-D-continued.trace", "made/packets-4-E-wall.trace",
         "made/perfetto-two-processes.trace", "made/stream-f1-wall.trace", "made/stream-f2-cut.trace"]


def rows_of(site, statement):
    with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"))) as database:
        return database.execute(statement).fetchall()


def sums_of(program):
    """The version of indexes, and the SHA-256 of that of each file."""
    with Site(program) as site:
        for name in FILES:
            trace = site.ready(site.put(read(os.path.join(DATA, name)), name=os.path.basename(name)))
            equal((name, trace["state"]), (name, "ready"))
        rows = dict(rows_of(site, "SELECT file_name, result FROM jobs JOIN traces USING(raw)"))
        version, = rows_of(site, "SELECT DISTINCT build FROM jobs")
        return {"version": version[0], "sums": {name: rows[os.path.basename(name)] for name in FILES}}


def indexes_are_those_of_their_version(program):
    """What a build makes of a file changes with the version alone: sites keep indexes of earlier builds of the same version."""
    with open(SUMS, encoding="utf-8") as file:
        told = json.load(file)
    made = sums_of(program)
    hint = "raise TV_INDEX_VERSION (src/index/saved/saved.h), then: python3 tests/site/sited_versions.py PROGRAM"
    assert made["version"] != told["version"] or made["sums"] == told["sums"], "indexes are others in version %s: %s" % (made["version"], hint)
    assert made == told, "index_sums.json is of version %s, and the program's is %s: %s" % (told["version"], made["version"], hint)


def worker_of_another_build_serves(program):
    """A program whose file has another sum, as after a compiler was changed: its indexes have the same version."""
    with Site(program, "--role", "server") as site:
        other = os.path.join(site.folder.name, "other")
        shutil.copy(program, other)
        with open(other, "ab") as file:
            file.write(b"\0")
        trace = site.put(read(SMALL))
        with subprocess.Popen([other, "serve", "--role", "worker", "--store", site.store, "--log", "none"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as worker:
            try:
                equal(site.ready(trace)["state"], "ready")
            finally:
                worker.kill()
        # Its server reads it, and shows it at once.
        with Site(other, "--role", "server", store=site.store) as second:
            equal(second.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
        equal(len(rows_of(site, "SELECT * FROM jobs")), 1)


TESTS = [indexes_are_those_of_their_version, worker_of_another_build_serves]

if __name__ == "__main__":
    with open(SUMS, "w", encoding="utf-8") as sums:
        sums.write(json.dumps(sums_of(os.path.abspath(sys.argv[1])), indent=1) + "\n")
