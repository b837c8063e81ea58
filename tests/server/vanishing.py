#!/usr/bin/env python3
"""Files that become shorter while they are read: vanishing.py PROGRAM [ROUNDS].

A trace, the tables beside it and a saved index are cut at many moments while verbs and the viewer read them. An answer
is that of the whole file or of the cut one, or there is none and one line says why; the viewer lives, and shows what it
showed. Ends with "N passed, N failed".
"""

import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

from changing import Events, beginning_of, info, is_sanitized, put, records_of, trace_of, until
from served import Viewer, equal

ROUNDS = 12
VERBS = (("top", "--cut", "0"), ("check",), ("info", "--json"), ("tree",), ("-r",))


def large_trace(records, methods=3):
    return beginning_of(methods) + records_of(methods, records)


def records_for(program):
    """What takes some tens of milliseconds to read."""
    return 300000 if is_sanitized(program) else 1500000


class Cutting:
    """A thread that cuts a file at a moment of its own choice, once."""

    def __init__(self, path, length, within_s):
        self.thread = threading.Thread(target=self.cut, args=(path, length, random.random() * within_s))
        self.thread.start()

    def cut(self, path, length, delay_s):
        time.sleep(delay_s)
        os.truncate(path, length)

    def wait(self):
        self.thread.join()


def environment_of(folder):
    return dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"), XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder,
                TERM="dumb", ASAN_OPTIONS="detect_leaks=0")  # a reader that is stopped releases nothing


def run(program, folder, *words):
    return subprocess.run([program, *words], capture_output=True, env=environment_of(folder), timeout=240, check=False)


def outcome(result):
    return result.returncode, result.stdout


def check_failure(result, *words):
    """One line that says why, and no answer."""
    lines = result.stderr.decode().splitlines()
    equal((result.returncode, len(lines)), (1, 1))
    assert any(word in lines[0] for word in words), lines[0]


def lengths_of(whole):
    """Where a file is cut: at its beginning, near its end, at and beside the border of a page, somewhere."""
    page = random.randrange(len(whole) // 4096) * 4096
    return random.choice((0, len(whole) - 1, len(whole) - 5000, page, page + 1, random.randrange(len(whole))))


def verbs_tell_of_a_cut_trace(program, rounds):
    whole = large_trace(records_for(program))
    told = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        for verb in VERBS:
            words = (verb[0], *verb[1:], path) if verb[0] == "-r" else (*verb, "--no-cache", path)
            with open(path, "wb") as file:
                file.write(whole)
            begun = time.monotonic()
            expected = outcome(run(program, folder, *words))
            duration_s = time.monotonic() - begun
            for _ in range(rounds):
                length = lengths_of(whole)
                with open(path, "wb") as file:
                    file.write(whole)
                cutting = Cutting(path, length, duration_s)
                result = run(program, folder, *words)
                cutting.wait()
                if outcome(result) == expected or outcome(result) == outcome(run(program, folder, *words)):
                    continue
                told += 1
                if verb[0] == "-r":  # its answer is written as it is made
                    equal(result.returncode, 1)
                    assert b"while it was read" in result.stderr, result.stderr
                else:
                    check_failure(result, "while it was read", "is empty")
    print("%d of %d runs met the cut" % (told, rounds * len(VERBS)))
    assert told, "no run met the cut"


def convert_leaves_no_part_of_a_cut_trace(program, rounds):
    whole = large_trace(records_for(program))
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "a.trace"), os.path.join(folder, "out", "b.trace")
        os.mkdir(os.path.dirname(out))
        with open(path, "wb") as file:
            file.write(whole)
        begun = time.monotonic()
        equal(run(program, folder, "convert", path, out).returncode, 0)
        duration_s = time.monotonic() - begun
        with open(out, "rb") as file:
            of_whole = file.read()
        for _ in range(rounds):
            with open(path, "wb") as file:
                file.write(whole)
            if os.path.exists(out):
                os.remove(out)
            cutting = Cutting(path, lengths_of(whole), duration_s)
            result = run(program, folder, "convert", path, out)
            cutting.wait()
            if result.returncode:
                equal(os.listdir(os.path.dirname(out)), [])
                assert b"while it was read" in result.stderr or b"is empty" in result.stderr, result.stderr
                continue
            with open(out, "rb") as file:
                written = file.read()
            if written != of_whole:
                equal(run(program, folder, "convert", path, out).returncode, 0)
                with open(out, "rb") as file:
                    equal(written == file.read(), True)


def verbs_tell_of_a_cut_index(program, rounds):
    whole = large_trace(records_for(program), methods=20000)  # an answer takes longer than opening the index
    told = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        with open(path, "wb") as file:
            file.write(whole)
        for verb in (("top", "--json"), ("tree", "--cut", "0"), ("check",)):
            index = run(program, folder, "index", path).stdout.decode().strip()
            begun = time.monotonic()
            expected = outcome(run(program, folder, *verb, path))
            duration_s = time.monotonic() - begun
            for _ in range(rounds):
                equal(run(program, folder, "index", path).returncode, 0)
                length = random.randrange(os.path.getsize(index))
                cutting = Cutting(index, length, duration_s)
                result = run(program, folder, *verb, path)
                cutting.wait()
                if outcome(result) != expected:
                    told += 1
                    check_failure(result, "saved index became shorter")
                if os.path.exists(index):
                    os.remove(index)
    print("%d runs met the cut" % told)


def index_check_tells_of_a_cut_index(program, rounds):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        with open(path, "wb") as file:
            file.write(large_trace(4 * records_for(program)))
        for _ in range(rounds):
            index = run(program, folder, "index", path).stdout.decode().strip()
            begun = time.monotonic()
            equal(run(program, folder, "index", "--check", path).returncode, 0)
            cutting = Cutting(index, random.randrange(os.path.getsize(index)), time.monotonic() - begun)
            result = run(program, folder, "index", "--check", path)
            cutting.wait()
            if result.returncode:
                check_failure(result, "saved index", "no index of it is saved")
            if os.path.exists(index):
                os.remove(index)


def viewer_in(folder, program, path):
    return Viewer(program, "--no-browser", file=path,
                  variables={key: value for key, value in environment_of(folder).items()
                             if key.startswith("XDG_") or key == "ASAN_OPTIONS"})


def the_viewer_keeps_what_it_shows(program, rounds):
    """A trace is recorded anew, reloaded, and cut meanwhile. With TRACEVIEW_FIRST_PART its beginning is shown first."""
    whole = large_trace(records_for(program))
    failed = 0
    for variables in ({}, {"TRACEVIEW_FIRST_PART": str(len(whole) // 10)}):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.trace")
            with open(path, "wb") as file:
                file.write(trace_of(5))
            with Viewer(program, "--no-browser", "--no-cache", file=path, variables=variables) as viewer:
                viewer.wait_until_ready()
                equal(info(viewer)["methods"], 5)
                longest_s = 0
                for i in range(1 + rounds):
                    with open(path + ".new", "wb") as file:
                        file.write(whole)
                    os.rename(path + ".new", path)
                    shown = info(viewer)
                    events = Events(viewer)
                    events.until(b"event: ready")
                    begun = time.monotonic()
                    equal(put(viewer, "reload"), (202, {}))
                    cutting = Cutting(path, lengths_of(whole), longest_s) if i else None  # the first tells how long it takes
                    text = events.until(b"event: ready")
                    while "part" in info(viewer):
                        text += events.until(b"event: ready")
                    longest_s = max(longest_s, time.monotonic() - begun)
                    if cutting:
                        cutting.wait()
                    now = info(viewer)
                    if b"event: failed" in text:
                        failed += 1
                        assert b"while it was read" in text or b"is empty" in text, text
                        equal(now, shown)
                    equal(viewer.process.poll(), None)
                    equal(viewer.ask("api/top?n=3")[0].status, 200)
    print("%d loads met the cut" % failed)
    assert failed, "no load met the cut"


def is_mapped(viewer):
    with open("/proc/%d/maps" % viewer.process.pid) as maps:
        return ".index" in maps.read()


QUESTIONS = ("api/info", "api/top?n=50", "api/tree?depth=9", "api/window?width=900&rows=1:f", "api/flame",
             "api/calls?method=1&n=100", "api/callers?method=1")


def whole_answer(viewer, question):
    response, body = viewer.ask(question)
    return response.status, body


def the_viewer_outlives_its_saved_index(program, rounds):
    whole = large_trace(records_for(program) * 2)
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        with open(path, "wb") as file:
            file.write(whole)
        index = run(program, folder, "index", path).stdout.decode().strip()
        with viewer_in(folder, program, path) as viewer:
            viewer.wait_until_ready()
            assert is_mapped(viewer), "the saved index is not used"
            expected = {question: whole_answer(viewer, question) for question in QUESTIONS}
        for _ in range(rounds):
            equal(run(program, folder, "index", path).returncode, 0)
            with viewer_in(folder, program, path) as viewer:
                viewer.wait_until_ready()
                is_over = threading.Event()
                answers = []

                def ask_often():
                    while not is_over.is_set():
                        question = random.choice(QUESTIONS)
                        answers.append((question, whole_answer(viewer, question)))

                threads = [threading.Thread(target=ask_often) for _ in range(3)]
                for thread in threads:
                    thread.start()
                time.sleep(random.random() * 0.2)
                os.truncate(index, random.choice((0, random.randrange(os.path.getsize(index)))))
                until(lambda: not is_mapped(viewer))  # the trace was read anew
                is_over.set()
                for thread in threads:
                    thread.join()
                for question, answer in answers:
                    if answer[0] == 500:
                        refused += 1
                        assert b"saved index became shorter" in answer[1], answer
                    else:
                        equal((question, answer == expected[question]), (question, True))
                for question in QUESTIONS:
                    equal((question, whole_answer(viewer, question) == expected[question]), (question, True))
                equal(viewer.process.poll(), None)
    print("%d answers were refused" % refused)


def a_download_of_a_cut_index_is_never_whole(program, rounds):
    """Unless nothing of it was missed."""
    whole = large_trace(records_for(program) // 2)
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        with open(path, "wb") as file:
            file.write(whole)
        for i in range(max(4, rounds // 2)):
            index = run(program, folder, "index", path).stdout.decode().strip()
            with viewer_in(folder, program, path) as viewer:
                viewer.wait_until_ready()
                question = "api/export?format=" + ("chrome", "jsonl")[i % 2]
                expected = viewer.ask(question)[1]
                cutting = Cutting(index, random.randrange(os.path.getsize(index)), 0.1)
                try:
                    response, body = viewer.ask(question)
                    is_whole = response.status == 200
                    assert not is_whole or body == expected, "%d bytes look whole" % len(body)
                    assert is_whole or b"saved index became shorter" in body, body
                except (http.client.HTTPException, ConnectionError):  # cut off
                    is_whole = False
                broken += not is_whole
                cutting.wait()
                until(lambda: not is_mapped(viewer))  # the trace was read anew
                equal(viewer.ask(question)[1] == expected, True)
    print("%d downloads were refused or broke off" % broken)
    assert broken, "no download met the cut"


def without_trace_and_index_the_viewer_says_so(program, _):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        with open(path, "wb") as file:
            file.write(large_trace(records_for(program)))
        index = run(program, folder, "index", path).stdout.decode().strip()
        with viewer_in(folder, program, path) as viewer:
            viewer.wait_until_ready()
            events = Events(viewer)
            events.until(b"event: ready")
            os.remove(path)
            os.truncate(index, 0)
            events.until(b"no such file any more")
            response, body = viewer.ask("api/top?n=50")
            equal(response.status, 500)
            assert "saved index became shorter" in json.loads(body)["error"], body
            with open(path, "wb") as file:
                file.write(trace_of(4))
            equal(put(viewer, "reload"), (202, {}))
            until(lambda: info(viewer).get("methods") == 4)


TESTS = (verbs_tell_of_a_cut_trace, convert_leaves_no_part_of_a_cut_trace, verbs_tell_of_a_cut_index,
         index_check_tells_of_a_cut_index, the_viewer_keeps_what_it_shows, the_viewer_outlives_its_saved_index,
         a_download_of_a_cut_index_is_never_whole, without_trace_and_index_the_viewer_says_so)


def main():
    program = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    failed = 0
    for test in TESTS:
        try:
            test(program, rounds)
        except Exception as problem:  # a test must not take the others with it
            failed += 1
            print("%s: %s: %s" % (test.__name__, type(problem).__name__, problem), flush=True)
    print("%d passed, %d failed" % (len(TESTS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
