#!/usr/bin/env python3
"""What the viewer shows changes: files dropped, reloaded, cancelled, remembered.

    changing.py PROGRAM [TEST...]

Ends with "N passed, N failed".
"""

import contextlib
import functools
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from served import EXAMPLE, PATIENCE_S, Viewer, equal


class Events:
    """An event stream of the trace of that address, which is read piece by piece."""

    def __init__(self, viewer, at=""):
        self.stream = viewer.events(at)
        self.text = b""

    def until(self, wanted):
        """What came up to the wanted text; what came behind it waits for the next question."""
        end = time.monotonic() + PATIENCE_S  # pings come for ever
        while wanted not in self.text:
            assert time.monotonic() < end, "no %r in %r" % (wanted, self.text[-500:])
            piece = self.stream.recv(4096)
            assert piece, "the stream ended after %r" % self.text[-500:]
            self.text += piece
        before, _, self.text = self.text.partition(wanted)
        return before + wanted


RECORD_LEN = 9


def beginning_of(methods):
    """What stands before the records of a v1 text trace of one thread."""
    head = "*version\n1\nclock=global\n*threads\n1\tmain\n*methods\n"
    head += "".join("0x%x\tA\tm%d\t()V\tA.java\n" % (4 * (i + 1), i) for i in range(methods)) + "*end\n"
    return head.encode() + b"SLOW" + (1).to_bytes(2, "little") + (16).to_bytes(2, "little") + bytes(8)


@functools.lru_cache(maxsize=8)
def records_of(methods, count):
    """So many records, which enter and leave each method in turn: thread, method and action, microseconds."""
    turn = b"".join((4 * (i // 2 + 1) + i % 2).to_bytes(4, "little") for i in range(2 * methods))
    words = turn * (count // (2 * methods) + 1)
    times = struct.pack("<%dI" % count, *range(0, 10 * count, 10))
    records = bytearray(RECORD_LEN * count)
    records[0::RECORD_LEN] = b"\1" * count
    for byte in range(4):
        records[1 + byte::RECORD_LEN] = words[byte:4 * count:4]
        records[5 + byte::RECORD_LEN] = times[byte::4]
    return bytes(records)


def trace_of(methods, records=1000):
    return beginning_of(methods) + records_of(methods, records)


def write_large(path, records):
    """A trace of so many million records, whose clock begins anew with each million; packed, if it is named so."""
    million = records_of(3, 1000000)
    pieces = [beginning_of(3)] + [million] * records
    if path.endswith(".gz"):  # each piece is a member, and is packed once
        packed = {piece: gzip.compress(piece, compresslevel=1) for piece in set(pieces)}
        pieces = [packed[piece] for piece in pieces]
    with open(path, "wb") as file:
        file.writelines(pieces)


def is_sanitized(program):
    with open(program, "rb") as file:
        return re.search(b"__[at]san_init", file.read()) is not None


def millions_for(program, records):
    """A sanitizer makes the program so slow that an eighth takes as long."""
    return max(1, records // 8) if is_sanitized(program) else records


def info(viewer, at=""):
    """What is told of the trace whose address is `at` below the viewer's."""
    response, body = viewer.ask(at + "api/info")
    return json.loads(body) if response.status == 200 else {"status": response.status, **json.loads(body)}


def until(is_so):
    """Asks again and again; who waits for what never comes, waits longer than a busy machine makes anyone wait."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, "after %d s it is still not so" % PATIENCE_S
        time.sleep(0.01)


def wait_for(viewer, what, at=""):
    until(lambda: what(info(viewer, at)))


def put(viewer, path, body=b"", at=""):
    response, answer = viewer.ask(at + "api/" + path, "PUT", body=body)
    return response.status, json.loads(answer)


def open_at(viewer, path, body=b"", at=""):
    """Opens a trace on the page of that address; gives the address of the page that shows it."""
    status, answer = put(viewer, "open?" + path, body, at)
    equal(status, 202)
    whole = "/%s/" % viewer.token
    assert answer["page"].startswith(whole), answer
    return answer["page"][len(whole):]


def opens_without_a_file(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        equal(info(viewer), {"status": 404, "error": "no trace"})
        events = Events(viewer)
        events.until(b'event: ready\ndata: {"trace":0}')
        equal(open_at(viewer, "example=1"), "")
        events.until(b'event: ready\ndata: {"trace":1}')
        equal(info(viewer)["file"], "recipes.trace.zst")


def a_dropped_file_is_shown(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        for name, body in (("plain.trace", trace_of(3)), ("packed.gz", gzip.compress(trace_of(5))),
                           ("example", open(EXAMPLE, "rb").read())):
            at = open_at(viewer, "name=" + name, body)
            wait_for(viewer, lambda now, name=name: now.get("file") == name, at)
        equal(info(viewer, at)["calls"] > 400000, True)


def a_dropped_file_may_come_in_chunks(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        bytes_left = trace_of(7, 200000)
        pieces = (bytes_left[i:i + 5000] for i in range(0, len(bytes_left), 5000))
        connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=PATIENCE_S)
        connection.request("PUT", "/%s/api/open?name=chunks.trace" % viewer.token, body=pieces, encode_chunked=True,
                           headers={"Transfer-Encoding": "chunked"})
        equal(connection.getresponse().status, 202)
        wait_for(viewer, lambda now: now.get("records") == 200000)


def longest_file_of(process):
    """Bytes of the longest file that the program has open, in its folder or without a name."""
    folder = "/proc/%d/fd" % process.pid
    lengths = [0]
    for descriptor in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):
            lengths.append(os.stat(os.path.join(folder, descriptor)).st_size)
    return max(lengths)


def memory_of(process):
    with open("/proc/%d/status" % process.pid) as status:
        return sum(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))


def an_upload_is_not_kept_in_memory(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        before = memory_of(viewer.process)
        length = 200 << 20
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
            stream.sendall(("PUT /%s/api/open?name=big HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                            % (viewer.token, length)).encode())
            piece = b"x" * (1 << 20)
            for _ in range(199):
                stream.sendall(piece)
            until(lambda: longest_file_of(viewer.process) > 198 << 20)
            equal(memory_of(viewer.process) - before < (40 << 10), True)
            stream.sendall(piece)
            assert b" 202 " in stream.recv(4096)
        wait_for(viewer, lambda now: now.get("status") == 500)


def an_upload_that_breaks_off_changes_nothing(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        descriptors = "/proc/%d/fd" % viewer.process.pid
        before = len(os.listdir(descriptors))
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
                stream.sendall(("PUT /%s/api/open?name=half HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\n"
                                "\r\n" % viewer.token).encode() + b"x" * 100000)
        until(lambda: len(os.listdir(descriptors)) <= before + 1)
        equal(info(viewer)["file"], "recipes.trace.zst")


def uploads_at_once_get_an_address_each(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        answers = []

        def send(count):
            answers.append((count, open_at(viewer, "name=of%d" % count, trace_of(count, 100000))))

        threads = [threading.Thread(target=send, args=(count,)) for count in (2, 3, 4, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(sorted(at for _, at in answers), ["", "t/2/", "t/3/", "t/4/"])
        for count, at in answers:
            wait_for(viewer, lambda now: "file" in now, at)
            equal((info(viewer, at)["file"], info(viewer, at)["methods"]), ("of%d" % count, count))


def one_that_cannot_be_read_leaves_the_former(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        events = Events(viewer)
        events.until(b'event: ready\ndata: {"trace":1}')
        odd = open_at(viewer, "name=odd.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
        wait_for(viewer, lambda now: now.get("status") == 500, odd)
        equal(info(viewer)["file"], "recipes.trace.zst")
        events = Events(viewer, odd)
        events.until(b"event: ready")
        equal(open_at(viewer, "name=empty", at=odd), odd)  # nothing is there, so it is tried there
        text = events.until(b'event: ready\ndata: {"trace":0}')
        assert b'event: failed\ndata: {"file":"empty","error":"' in text and b"is empty" in text, text
        equal(info(viewer)["file"], "recipes.trace.zst")


def half_of_a_pair_says_what_is_missing(program):
    whole = trace_of(3)
    cut = whole.index(b"SLOW")
    with Viewer(program, "--no-browser", file=None) as viewer:
        events = Events(viewer)
        events.until(b"event: ready")
        for name, body in (("old.key", whole[:cut]), ("old.data", whole[cut:])):
            equal(put(viewer, "open?name=" + name, body)[0], 202)
            text = events.until(b"event: failed")
            text += events.until(b"event: ready")
            other = b".data" if name == "old.key" else b".key"
            assert other in text, text


def the_disk_may_be_full(program):
    with Viewer(program, "--no-browser", file=None, variables={"TMPDIR": "/nowhere/at/all"}) as viewer:
        status, answer = put(viewer, "open?name=a", b"x" * 300000)
        equal(status, 500)
        assert "/nowhere/at/all" in answer["error"], answer
    with Viewer(program, "--no-browser", file=None) as viewer:
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE_S) as stream:
            stream.sendall(("PUT /%s/api/open?name=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                            % (viewer.token, 1 << 60)).encode())
        equal(viewer.ask("api/settings")[0].status, 200)


def a_limit_on_the_length_of_files_is_a_full_disk(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        with open(path, "wb") as file:
            file.write(trace_of(3, 1500000))  # large enough for its index to be saved
        limited = os.path.join(folder, "limited")
        with open(limited, "w") as file:
            file.write('#!/bin/sh\nulimit -f 16; exec "%s" "$@"\n' % program)
        os.chmod(limited, 0o755)
        with Viewer(limited, "--no-browser", file=path, variables={"XDG_CACHE_HOME": folder}) as viewer:
            viewer.wait_until_ready()
            status, answer = put(viewer, "open?name=a", b"x" * 300000)
            equal(status, 507)
            assert "no room" in answer["error"], answer
            equal(put(viewer, "settings", b'{"a":1}'), (200, {"a": 1}))
            response, body = viewer.ask("api/settings", "PUT", body=b'{"a":"%s"}' % (b"x" * 20000))
            assert response.status == 500 and b"File too large" in body, body
            equal(json.loads(viewer.ask("api/settings")[1]), {"a": 1})
            equal(info(viewer)["methods"], 3)
            equal(end(viewer.process)[0], 0)
        equal([path for path in saved_indexes(folder) if os.path.getsize(path)], [])
        result = subprocess.run([limited, "index", path], capture_output=True, text=True, check=False,
                                env=dict(os.environ, XDG_CACHE_HOME=folder))
        equal((result.returncode, result.stdout, len(result.stderr.splitlines())), (1, "", 1))
        assert "File too large" in result.stderr, result.stderr
        equal(saved_indexes(folder), [])


def odd_names_are_refused(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        for name in ("", "a/b", "%2e%2e%2fx", "a%00b", "%0d%0a", "x" * 10000):
            equal(put(viewer, "open?name=" + name, trace_of(2))[0], 400)
        equal(info(viewer)["error"], "no trace")


def a_file_recorded_anew_is_told_and_read(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "app.trace")
        with open(path, "wb") as file:
            file.write(trace_of(2))
        with Viewer(program, "--no-browser", file=path) as viewer:
            viewer.wait_until_ready()
            equal(info(viewer)["methods"], 2)
            events = Events(viewer)
            events.until(b"event: ready")
            with open(path + ".new", "wb") as file:
                file.write(trace_of(6))
            os.rename(path + ".new", path)
            text = events.until(b"event: reload")
            equal(text.count(b"event: reload"), 1)
            equal(info(viewer)["methods"], 2)  # only told
            equal(put(viewer, "reload"), (202, {}))
            events.until(b'event: ready\ndata: {"trace":2}')
            equal(info(viewer)["methods"], 6)
            os.remove(path)
            # Time for what must not happen: the file is looked at every 0.2 s, and has to rest for 1 s.
            time.sleep(1.6)
            equal(put(viewer, "reload"), (202, {}))
            text = events.until(b"event: failed")
            assert b"event: reload" not in text, text
            equal(info(viewer)["methods"], 6)


def a_pipe_in_place_of_the_file_is_not_waited_for(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.trace")
        with open(path, "wb") as file:
            file.write(trace_of(3))
        with Viewer(program, "--no-browser", file=path) as viewer:
            viewer.wait_until_ready()
            events = Events(viewer)
            events.until(b"event: ready")
            os.remove(path)
            os.mkfifo(path)
            equal(put(viewer, "reload"), (202, {}))
            events.until(b"no such file any more")
            events.until(b"event: ready")
            equal(info(viewer)["methods"], 3)
            os.remove(path)
            with open(path, "wb") as file:
                file.write(trace_of(5))
            equal(put(viewer, "reload"), (202, {}))
            wait_for(viewer, lambda now: now["methods"] == 5)


def what_came_from_no_file_cannot_be_reloaded(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        equal(put(viewer, "reload")[0], 404)
        equal(put(viewer, "open?name=a", trace_of(2))[0], 202)
        wait_for(viewer, lambda now: now.get("file") == "a")
        equal(put(viewer, "reload")[0], 409)


def files_are_remembered(program):
    with tempfile.TemporaryDirectory() as folder:
        state = {"XDG_STATE_HOME": os.path.join(folder, "state"), "HOME": folder}
        names = ["a.trace", "b c.trace"]
        for name in names:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(trace_of(len(name)))
            with Viewer(program, "--no-browser", file=os.path.join(folder, name), variables=state) as viewer:
                viewer.wait_until_ready()
                at = open_at(viewer, "name=dropped", trace_of(2))
                wait_for(viewer, lambda now: now.get("file") == "dropped", at)
                at = open_at(viewer, "example=1")
                wait_for(viewer, lambda now: now.get("file") == "recipes.trace.zst", at)
        with Viewer(program, "--no-browser", file=None, variables=state) as viewer:
            answer = json.loads(viewer.ask("api/recent")[1])
            equal([file["name"] for file in answer["recent"]], ["b c.trace", "a.trace"])
            equal([file["folder"] for file in answer["recent"]], ["~", "~"])
            equal(answer["recent"][0]["bytes"], os.path.getsize(os.path.join(folder, names[1])))
            assert abs(answer["recent"][0]["opened_s"] - time.time()) < 60
            equal(answer["example"]["name"], "recipes.trace.zst")
            equal(open_at(viewer, "recent=" + answer["recent"][1]["id"]), "")
            wait_for(viewer, lambda now: now.get("file") == "a.trace")
            equal(info(viewer)["methods"], len("a.trace"))
            second = open_at(viewer, "recent=" + answer["recent"][0]["id"])
            wait_for(viewer, lambda now: now.get("file") == "b c.trace", second)
            # What is open already is where it is, from whatever page it is asked for.
            for at in ("", second):
                equal(open_at(viewer, "recent=" + answer["recent"][0]["id"], at=at), second)
                equal(open_at(viewer, "recent=" + answer["recent"][1]["id"], at=at), "")
            os.remove(os.path.join(folder, "b c.trace"))
            equal(put(viewer, "open?recent=" + answer["recent"][0]["id"])[0], 404)
            equal([file["name"] for file in json.loads(viewer.ask("api/recent")[1])["recent"]], ["a.trace"])


def other_verbs_remember_nothing(program):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "info", EXAMPLE], env=dict(os.environ, XDG_STATE_HOME=folder), check=True,
                       capture_output=True)
        equal(os.listdir(folder), [])


def loading_can_be_cancelled(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.gz")
        write_large(path, 40)
        with Viewer(program, "--no-browser", file=path) as viewer:
            events = Events(viewer)
            events.until(b'"step":"unpacking"')  # the page is there before all is unpacked
            equal(put(viewer, "cancel"), (202, {}))
            events.until(b'event: ready\ndata: {"trace":0}')
            equal(info(viewer)["error"], "no trace")
            equal(put(viewer, "open?example=1")[0], 202)
            wait_for(viewer, lambda now: now.get("file") == "recipes.trace.zst")
            with open(path, "rb") as file:
                at = open_at(viewer, "name=large.gz", file)
            equal(put(viewer, "cancel")[0], 202)  # of the other address: it stops nothing here
            equal(info(viewer, at)["error"], "loading")
            equal(put(viewer, "cancel", at=at)[0], 202)
            Events(viewer, at).until(b'event: ready\ndata: {"trace":0}')
            equal(info(viewer, at)["error"], "no trace")
            equal(info(viewer)["file"], "recipes.trace.zst")


def can_be_cancelled_now(viewer, shown=None):
    """What is under way is cancelled, what was shown stays, and the next file is read."""
    equal(put(viewer, "cancel"), (202, {}))
    equal(info(viewer).get("file"), shown)
    at = open_at(viewer, "example=1")
    equal(at, "t/2/" if shown else "")
    wait_for(viewer, lambda now: now.get("file") == "recipes.trace.zst", at)


def every_state_of_the_loader_can_be_cancelled(program):
    with tempfile.TemporaryDirectory() as folder:
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        # Nobody writes; somebody is there and writes nothing; somebody has written a part.
        for part in (None, b"", trace_of(3)[:500]):
            with Viewer(program, "--no-browser", file=pipe) as viewer:
                writer = None if part is None else os.open(pipe, os.O_RDWR)
                if part:
                    os.write(writer, part)
                equal(info(viewer)["error"], "loading")
                can_be_cancelled_now(viewer)
                if writer:
                    os.close(writer)
        with subprocess.Popen(["sleep", "600"], stdout=subprocess.PIPE) as silent:
            with Viewer(program, "--no-browser", file="-", stdin=silent.stdout) as viewer:
                can_be_cancelled_now(viewer)
            silent.kill()
        for name, step in (("large.gz", b"unpacking"), ("large.trace", b"reading")):
            path = os.path.join(folder, name)
            write_large(path, 40)
            with Viewer(program, "--no-browser", "--no-cache", file=path) as viewer:
                Events(viewer).until(b'"step":"%s"' % step)
                can_be_cancelled_now(viewer)
        # Saving: what is shown stays.
        with Viewer(program, "--no-browser", file=os.path.join(folder, "large.trace")) as viewer:
            viewer.wait_until_ready()
            can_be_cancelled_now(viewer, "large.trace")


def tables_that_have_no_end_are_not_waited_for(program):
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.trace")
        with open(text, "wb") as file:
            file.write(trace_of(3))
        stream = os.path.join(folder, "a.trace")
        subprocess.run([program, "convert", "--as", "stream", text, stream], check=True)
        with open(stream, "r+b") as file:  # without its summary, so that the tables beside it are looked for
            file.truncate(os.path.getsize(stream) - 100)
        for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path), lambda path: os.symlink("/proc/kmsg", path)):
            make(stream + ".sec")
            with Viewer(program, "--no-browser", file=stream) as viewer:
                viewer.wait_until_ready()
                equal(info(viewer)["records"] > 900, True)
                equal(put(viewer, "reload")[0], 202)
                Events(viewer).until(b'event: ready\ndata: {"trace":2}')
            os.remove(stream + ".sec")


def cpu_seconds_of(process):
    with open("/proc/%d/stat" % process.pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def end(process):
    """Sends SIGINT; gives the status, and the seconds of CPU from then on, which count alike on a busy machine."""
    before = cpu_seconds_of(process)
    process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime - before


def a_signal_ends_it_while_it_loads(program):
    with tempfile.TemporaryDirectory() as folder:
        for name, step in (("large.gz", "unpacking"), ("large.trace", "reading"), ("large.trace", None)):
            path = os.path.join(folder, name)
            if not os.path.exists(path):
                write_large(path, 40)
            with Viewer(program, "--no-browser", "--no-cache", file=path) as viewer:
                if step:
                    Events(viewer).until(b'"step":"%s"' % step.encode())
                status, seconds = end(viewer.process)
                equal(status, 0)
                assert seconds < 1, "it went on for %.2f s" % seconds


def answers_are_whole_while_traces_change(program):
    with Viewer(program, "--no-browser") as viewer:
        viewer.wait_until_ready()
        wrong = []
        addresses = [""]
        is_over = threading.Event()
        has_asked = threading.Semaphore(0)

        def ask_often():
            while not is_over.is_set():
                has_asked.release()
                for at in addresses[-3:] + addresses[:1]:
                    now = info(viewer, at)
                    known = ("of%d" % now.get("methods", 0), "recipes.trace.zst")
                    if now.get("status") != 503 and now.get("file") not in known:
                        wrong.append(now)
                    viewer.ask(at + "api/top?n=20")
                    viewer.ask(at + "api/window?width=500&rows=1:f")

        threads = [threading.Thread(target=ask_often) for _ in range(4)]
        for thread in threads:
            thread.start()
        for count in list(range(2, 14)) * 2:
            addresses.append(open_at(viewer, "name=of%d" % count, trace_of(count, 20000)))
            has_asked.acquire()
        is_over.set()
        for thread in threads:
            thread.join()
        equal(wrong, [])


def answers_at(viewer, at):
    """What a page of that address asks, once its trace is open."""
    wait_for(viewer, lambda now: "file" in now, at)
    answers = []
    for question in ("api/info", "api/top?n=50", "api/tree?depth=3", "api/window?width=500&rows=1:f"):
        response, body = viewer.ask(at + question)
        while response.status == 503:  # it was closed once more in between
            response, body = viewer.ask(at + question)
        equal(response.status, 200)
        answers.append(body)
    return answers


OPEN_MOST = 8  # traces that are open at a time: src/server/eviction.h


def each_trace_has_an_address_and_keeps_it(program):
    with Viewer(program, "--no-browser") as viewer:
        first = answers_at(viewer, "")
        second = open_at(viewer, "name=second", trace_of(5))
        third = open_at(viewer, "name=third", trace_of(9), at=second)
        equal((second, third), ("t/2/", "t/3/"))
        tabs = [Events(viewer, at) for at in ("", second, third)]
        for tab in tabs:
            tab.until(b'event: ready\ndata: {"trace":1}')
        equal((info(viewer, second)["methods"], info(viewer, third)["methods"]), (5, 9))
        equal(answers_at(viewer, "t/1/"), first)
        equal(answers_at(viewer, ""), first)
        response, _ = viewer.ask("t/2")
        equal((response.status, response.headers["Location"]), (301, "/%s/t/2/" % viewer.token))
        for wrong in ("t/", "t/0/", "t/02/", "t/x/", "t/4/", "t/99999999999999999999/"):
            equal((viewer.ask(wrong)[0].status, viewer.ask(wrong + "api/info")[0].status), (404, 404))


def closed_traces_answer_as_before(program):
    with tempfile.TemporaryDirectory() as folder:
        state = {"XDG_STATE_HOME": os.path.join(folder, "state"), "XDG_CACHE_HOME": os.path.join(folder, "cache")}
        path = os.path.join(folder, "large.trace")
        with open(path, "wb") as file:
            file.write(trace_of(3, 1500000))  # large enough for its index to be saved
        with Viewer(program, "--no-browser", file=path, variables=state) as viewer:
            answers = {"": answers_at(viewer, "")}
            until(lambda: [os.path.splitext(name)[1] for name in saved_indexes(state["XDG_CACHE_HOME"])] == [".index"])
            tab = Events(viewer)
            tab.until(b'event: ready\ndata: {"trace":1}')
            for count in range(2, OPEN_MOST + 4):
                at = open_at(viewer, "name=of%d" % count, trace_of(count, 50000))
                answers[at] = answers_at(viewer, at)
            # What each of them was told is told again, also of those that are closed by the questions before.
            for _ in range(2):
                for at, told in answers.items():
                    equal(answers_at(viewer, at), told)
            # An open page did not have to ask anew: its trace is the same.
            Events(viewer).until(b'event: ready\ndata: {"trace":1}')
            # A file that is another one by now is read, and its page is told.
            for at in list(answers)[1:]:
                answers_at(viewer, at)
            with open(path + ".new", "wb") as file:
                file.write(trace_of(7, 1500000))
            os.rename(path + ".new", path)
            equal(info_when_open(viewer)["methods"], 7)
            tab.until(b'event: ready\ndata: {"trace":2}')
            # One that is gone says so, and does not end the viewer.
            for at in list(answers)[1:]:
                answers_at(viewer, at)
            os.remove(path)
            wait_for(viewer, lambda now: now.get("status") == 500)
            assert "no such file any more" in info(viewer)["error"], info(viewer)
            equal(answers_at(viewer, "t/2/"), answers["t/2/"])


def info_when_open(viewer, at=""):
    wait_for(viewer, lambda now: "file" in now, at)
    return info(viewer, at)


def threads_of(process):
    return len(os.listdir("/proc/%d/task" % process.pid))


def memory_and_threads_stay_flat(program):
    """Fifty traces are opened. The indexes of those that are not open would take four times of what is allowed here."""
    if is_sanitized(program):  # memory that was given back stays with a sanitizer for a while
        return
    body = trace_of(3, 400000)
    with Viewer(program, "--no-browser", file=None) as viewer:
        begun = None
        for count in range(50):
            answers_at(viewer, open_at(viewer, "name=%d" % count, body))
            if count == OPEN_MOST + 2:
                begun = memory_of(viewer.process), threads_of(viewer.process)
        grown = memory_of(viewer.process) - begun[0]
        assert grown < 16 << 10, "%d KiB of memory more after fifty opens" % grown
        assert threads_of(viewer.process) <= begun[1], (threads_of(viewer.process), begun)


ADDRESSES_MOST = 64  # src/server/traces.h


def a_storm_of_opens_keeps_within_bounds(program):
    with Viewer(program, "--no-browser", file=None) as viewer:
        tab = Events(viewer)
        tab.until(b"event: ready")
        kept = open_at(viewer, "name=kept", trace_of(4))
        wait_for(viewer, lambda now: now.get("file") == "kept")  # threads begin with the first trace
        opened, refused = [], []

        def send(number):
            for count in range(20):
                status, answer = put(viewer, "open?name=of%d" % (number + 3), trace_of(number + 3))
                (opened if status == 202 else refused).append((number + 3, answer))

        threads = [threading.Thread(target=send, args=(number,)) for number in range(6)]
        before = threads_of(viewer.process)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # Each of the two threads that load has one more while it reads, behind its wall.
        assert threads_of(viewer.process) <= before + 2, (threads_of(viewer.process), before)
        equal([answer for _, answer in refused if "close the page" not in answer["error"]], [])
        assert len(opened) >= ADDRESSES_MOST - 2, len(opened)
        # The address whose page is open stays; of the others those that were opened first are forgotten.
        wait_for(viewer, lambda now: now.get("file") == "kept")
        equal(kept, "")
        last = max((int(answer["page"].split("/")[3]), count) for count, answer in opened)
        at = "t/%d/" % last[0]
        equal(info_when_open(viewer, at)["methods"], last[1])
        if len(opened) > ADDRESSES_MOST:
            equal(viewer.ask("t/2/")[0].status, 404)


def packed_flag(viewer, path):
    response, body = viewer.ask("api/" + path)
    equal(response.status, 200)
    return body[4] & 1


def first_part_of(viewer):
    """Stops reading at the first part, so that there is time to look at it; gives what is told of it."""
    Events(viewer).until(b"event: ready")
    equal(put(viewer, "cancel")[0], 202)
    now = info(viewer)
    assert "part" in now, "the whole was there at once: the trace is too small for this machine"
    return now


def a_large_trace_is_shown_before_it_is_read(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "large.trace")
        records = millions_for(program, 16)
        write_large(path, records)
        variables = {"TRACEVIEW_FIRST_PART": str(1 << 20)}
        with Viewer(program, "--no-browser", "--no-cache", file=path, variables=variables) as viewer:
            now = first_part_of(viewer)
            equal((now["complete"], now["part"]["of"]), (False, os.path.getsize(path)))
            equal(packed_flag(viewer, "window?width=500&rows=1:f"), 0)
            assert 0 < now["part"]["read"] <= 1 << 20
            equal(now["records"], (now["part"]["read"] - len(beginning_of(3))) // RECORD_LEN)
            equal([f["kind"] for f in now["findings"] if f["severity"] != "note"], [])
            equal(json.loads(viewer.ask("api/top?n=1")[1])["complete"], False)
            response, body = viewer.ask("api/export?format=folded")  # half a trace would look like a whole one
            equal(response.status, 503)
            assert "only the beginning" in json.loads(body)["error"], body
            events = Events(viewer)
            events.until(b'event: ready\ndata: {"trace":1}')
            equal(put(viewer, "reload")[0], 202)
            events.until(b'event: ready\ndata: {"trace":3}')  # the second is the first part again
            now = info(viewer)
            equal(("complete" in now, now["records"]), (False, records * 1000000))
            equal(packed_flag(viewer, "window?width=500&rows=1:f"), 1)


def what_is_told_at_the_end_is_true_of_the_beginning(program):
    """Of streams and packets, which say at their end what their clock is, and whether times are in nanoseconds."""
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.trace")
        records = 1000000 * millions_for(program, 6)
        with open(text, "wb") as file:
            file.write(trace_of(3, records))
        for kind in (["stream"], ["packets", "--layout", "d"]):
            path = os.path.join(folder, kind[0] + ".trace")
            subprocess.run([program, "convert", "--as", *kind, text, path], check=True)
            part = {"TRACEVIEW_FIRST_PART": str(1 << 20)}
            with Viewer(program, "--no-browser", "--no-cache", file=path, variables=part) as viewer:
                first = first_part_of(viewer)
                equal(put(viewer, "reload")[0], 202)
                wait_for(viewer, lambda now: "part" not in now)
                whole = info(viewer)
            equal((first["complete"], first["part"]["of"]), (False, os.path.getsize(path)))
            assert 0 < first["part"]["read"] <= 1 << 20
            assert 0 < first["records"] < whole["records"] == records
            equal(*([now["clocks"], now["properties"], now["threads"][0]["name"]] for now in (first, whole)))
            equal([f["kind"] for f in first["findings"] if f["severity"] != "note"], [])


def saved_indexes(folder):
    folder = os.path.join(folder, "traceview")
    return [os.path.join(folder, name) for name in os.listdir(folder)] if os.path.isdir(folder) else []


def save(program, cache):
    """Opens the example until its index is saved; gives what is in the cache and what was answered."""
    with Viewer(program, "--no-browser", variables={"XDG_CACHE_HOME": cache}) as viewer:
        viewer.wait_until_ready()
        answers = first_answers(viewer)
        # Drafts are gone then: a viewer that is killed may leave one behind.
        until(lambda: [os.path.splitext(path)[1] for path in saved_indexes(cache)] == [".index"])
    return saved_indexes(cache), answers


def first_answers(viewer):
    """What the page's first picture is made of, and a table."""
    first = json.loads(viewer.ask("api/first")[1])
    window = "api/window?from=0&to=1000000&width=100&rows=%d:f" % first["info"]["threads"][0]["id"]
    return first["info"], viewer.ask(window)[1], viewer.ask("api/top")[1]


def a_saved_index_gives_the_same_answers(program):
    with tempfile.TemporaryDirectory() as cache:
        paths, answers = save(program, cache)
        equal(len(paths), 1)
        used = os.stat(paths[0]).st_mtime_ns
        with Viewer(program, "--no-browser", variables={"XDG_CACHE_HOME": cache}) as viewer:
            viewer.wait_until_ready()
            equal(first_answers(viewer), answers)
        equal(saved_indexes(cache), paths)
        assert os.stat(paths[0]).st_mtime_ns > used, "the saved index was not opened"


def a_damaged_index_is_made_anew(program):
    with tempfile.TemporaryDirectory() as cache:
        paths, answers = save(program, cache)
        whole = open(paths[0], "rb").read()
        with open(paths[0], "r+b") as file:
            file.seek(len(whole) // 2)
            file.write(bytes([whole[len(whole) // 2] ^ 1]))
        with Viewer(program, "--no-browser", variables={"XDG_CACHE_HOME": cache}) as viewer:
            viewer.wait_until_ready()
            equal(first_answers(viewer), answers)
            until(lambda: saved_indexes(cache) == paths and open(paths[0], "rb").read() == whole)
        equal(save(program, cache), (paths, answers))


TESTS = [opens_without_a_file, a_dropped_file_is_shown, a_dropped_file_may_come_in_chunks, an_upload_is_not_kept_in_memory,
         an_upload_that_breaks_off_changes_nothing, one_that_cannot_be_read_leaves_the_former,
         half_of_a_pair_says_what_is_missing, the_disk_may_be_full, a_limit_on_the_length_of_files_is_a_full_disk,
         odd_names_are_refused, a_pipe_in_place_of_the_file_is_not_waited_for, what_came_from_no_file_cannot_be_reloaded,
         files_are_remembered, other_verbs_remember_nothing, tables_that_have_no_end_are_not_waited_for,
         memory_and_threads_stay_flat, what_is_told_at_the_end_is_true_of_the_beginning, a_saved_index_gives_the_same_answers,
         a_damaged_index_is_made_anew, uploads_at_once_get_an_address_each, a_file_recorded_anew_is_told_and_read,
         loading_can_be_cancelled, every_state_of_the_loader_can_be_cancelled, a_signal_ends_it_while_it_loads,
         answers_are_whole_while_traces_change, each_trace_has_an_address_and_keeps_it, closed_traces_answer_as_before,
         a_storm_of_opens_keeps_within_bounds, a_large_trace_is_shown_before_it_is_read]


def main():
    program = os.path.abspath(sys.argv[1])
    failed = []
    names = sys.argv[2:]
    chosen = [test for test in TESTS if not names or test.__name__ in names]
    for test in chosen:
        try:
            test(program)
        except Exception as failure:  # whatever it was, the test did not pass
            failed.append(test)
            print("FAILED: %s: %s %s" % (test.__name__, type(failure).__name__, failure), flush=True)
    print("%d passed, %d failed" % (len(chosen) - len(failed), len(failed)))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
