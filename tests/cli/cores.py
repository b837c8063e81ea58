#!/usr/bin/env python3
"""One core and all cores give the same answers: cores.py PROGRAM.

Traces that are large enough for several chunks, with ids and times at the edges of their ranges in records where chunks
meet: made ones, and mutants of the bundled example. `check --json`, `top --json` and their statuses are compared. Ends
with "N passed, N failed".
"""

import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
QUESTIONS = (["check", "--json"], ["top", "--json"])

RECORD = struct.Struct("<HIII")  # thread, method and action, CPU time, wall time
ENTER, EXIT, UNWIND = 0, 1, 2
TEXT = (b"*version\n3\ndata-file-overflow=false\nclock=dual\n*threads\n1\tmain\n65535\tlast\n*methods\n"
        b"0x4\ta.A\tb\t()V\tA.java\n0x8\ta.A\tc\t()V\tA.java\n0xfffffffc\ta.A\td\t()V\tA.java\n*end\n")
HEADER = struct.pack("<IHHQH", 0x574F4C53, 3, 32, 5, 14) + bytes(14)

# Records of a made trace: chunks of two cores have 2^18 each.
PAIRS = 330000
METHODS = (0, 4, 0x7FFFFFFC, 0x80000000, 0xFFFFFFF8, 0xFFFFFFFC)
TIMES = (0, 1, 0x7FFFFFFF, 0x80000000, *range(0xFFFFFFFB, 0x100000000))
THREADS = (0, 1, 0x7FFF, 0x8000, 0xFFFB, 0xFFFF)


def record(word, usec=1, thread=1):
    return RECORD.pack(thread, word, usec, usec)


def made(*odd, around=4):
    """A call around many short ones; the records `odd` stand in the last chunk of two cores."""
    pair = record(8 | ENTER) + record(8 | EXIT)
    body = record(around | ENTER) + pair * PAIRS + b"".join(odd) + pair * 1000
    return TEXT + HEADER + body + record(around | EXIT)


def made_traces():
    """Name, bytes."""
    for method in METHODS:
        for action in (ENTER, EXIT, UNWIND):
            yield "method %#x, action %d" % (method, action), made(record(method | action))
    yield "the last method around all", made(around=0xFFFFFFFC)
    yield "an exit of the last method alone", TEXT + HEADER + (record(8) + record(9)) * PAIRS + record(0xFFFFFFFD)
    for thread in THREADS:
        yield "thread %d" % thread, made(record(8, 1, thread), record(9, 1, thread))
    for usec in TIMES:
        yield "time %#x" % usec, made(record(8, usec), record(9, usec))


def mutants(plain):
    """Name, bytes: the example with edges in every 70,001st record."""
    begin = plain.index(b"\n*end\n") + len(b"\n*end\n") + len(HEADER)
    for field, at, form, edges in (("methods", 2, "<I", METHODS), ("threads", 0, "<H", THREADS), ("times", 10, "<I", TIMES)):
        bytes_ = bytearray(plain)
        for i, off in enumerate(range(begin, len(plain) - RECORD.size, 70001 * RECORD.size)):
            action = bytes_[off + at] & 3 if field == "methods" else 0
            struct.pack_into(form, bytes_, off + at, edges[i % len(edges)] | action)
        yield "the example, edges in its " + field, bytes(bytes_)


def answer(program, question, path, cores):
    done = subprocess.run([program, *question, "--no-cache", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    return done.returncode, done.stdout, done.stderr


def is_same(program, path, what, cores):
    one = {min(cores)}
    for question in QUESTIONS:
        answers = [answer(program, question, path, part) for part in (one, cores)]
        if answers[0] != answers[1] or answers[0][0] not in (0, 3):
            print("failed: %s, %s: status %d on one core, %d on %d\n%s\n%s" % (
                what, question[0], answers[0][0], answers[1][0], len(cores), answers[0][1][:1000], answers[1][1][:1000]))
            return False
    return True


def main():
    program = os.path.abspath(sys.argv[1])
    cores = os.sched_getaffinity(0)
    if len(cores) < 2:
        print("skipped: the same answers on any number of cores: needs a machine with two cores")
        print("0 passed, 0 failed")
        return
    results = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "made.trace")
        plain = os.path.join(folder, "plain.trace")
        subprocess.run([program, "convert", EXAMPLE, plain], check=True, stdin=subprocess.DEVNULL)
        with open(plain, "rb") as file:
            example = file.read()
        for traces in (made_traces(), mutants(example)):
            for what, bytes_ in traces:
                with open(path, "wb") as file:
                    file.write(bytes_)
                results.append(is_same(program, path, what, cores))
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    sys.exit(not all(results))


main()
