#!/usr/bin/env python3
"""Rows of all traces in ClickHouse: over_clickhouse.py PROGRAM [UNIT_TEST]

The same SQL on ClickHouse of today (chdb from npm, tests/clickhouse) and on Debian's of 2018 (clickhouse-server), as far as
these are installed: what the conformance tests of tests/fleet/test_rows_db.c ask where UNIT_TEST, that program, is named; the
questions of sited_fleet.py; and a ClickHouse that is away. Ends with "N passed, N failed".
"""

import contextlib
import glob
import http.server
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "support")]

# pylint: disable=wrong-import-position
import sited_fleet
from crowd import NO_LIMITS
from running import Site, bearer, equal, has, wait_until
from sited_manners import memory_of

CHDB = os.path.join(TESTS, "clickhouse")
CONFIG = """<?xml version="1.0"?>
<yandex>
 <logger><level>error</level><console>1</console></logger>
 <http_port>%(port)d</http_port><listen_host>127.0.0.1</listen_host>
 <path>%(folder)s/</path><tmp_path>%(folder)s/tmp/</tmp_path><users_config>%(folder)s/users.xml</users_config>
 <mark_cache_size>67108864</mark_cache_size><default_profile>default</default_profile><default_database>default</default_database>
</yandex>
"""
USERS = """<?xml version="1.0"?>
<yandex>
 <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
 <users>
  <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
  <keeper><password>%s</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></keeper>
 </users>
 <quotas><default></default></quotas>
</yandex>
"""
PASSWORD = "Heidelbeer-91c4"


class Server:
    """One that can be stopped, and started again at the same port with what it kept."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="traceview-ch-")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.start()

    def command(self):
        raise NotImplementedError

    def start(self):
        with open(os.path.join(self.folder, "log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, cwd=self.folder)

        def answers():
            assert self.process.poll() is None, "it does not start: " + self.log()
            try:
                return self.ask("SELECT 1 FORMAT RowBinary") == b"\1"
            except OSError:
                return False
        wait_until(answers)

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-2000:]

    def ask(self, statement):
        with urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:%d/" % self.port, statement.encode()), timeout=30) as answer:
            return answer.read()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def end(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database="traceview", user=""):
        return "http://%s127.0.0.1:%d/%s" % (user, self.port, database)


class Chdb(Server):
    name = "ClickHouse of today (chdb)"

    @staticmethod
    def missing():
        return None if glob.glob(CHDB + "/node_modules/@chdb/lib-*/libchdb.so") else "chdb is not installed (make check-all does)"

    def command(self):
        return ["node", CHDB + "/chdb_server.mjs", self.folder, str(self.port)]


class Debians(Server):
    name = "Debian's ClickHouse"

    @staticmethod
    def program():
        return os.environ.get("TRACEVIEW_CLICKHOUSE_SERVER") or shutil.which("clickhouse-server") or "/usr/sbin/clickhouse-server"

    @classmethod
    def missing(cls):
        return None if os.path.exists(cls.program()) else "clickhouse-server is not installed"

    def command(self):
        os.makedirs(self.folder + "/tmp", exist_ok=True)
        for name, text in (("config.xml", CONFIG % {"port": self.port, "folder": self.folder}), ("users.xml", USERS % PASSWORD)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        return [self.program(), "--config-file=%s/config.xml" % self.folder]


def engine_keeps_its_word(_, server, unit):
    if not unit:
        return
    run = subprocess.run([unit, "rows_db"], env=dict(os.environ, TRACEVIEW_TEST_CLICKHOUSE=server.url("unit")), capture_output=True, text=True,
                         check=False)
    equal((run.returncode, run.stdout[-2000:] if run.returncode else ""), (0, ""))


@contextlib.contextmanager
def sites_over(server):
    """Sites of sited_fleet.py have their rows in ClickHouse, each in a database of its own."""
    before, count = sited_fleet.Site, iter(range(1000))
    sited_fleet.Site = lambda program, *options: Site(program, "--clickhouse", server.url("test%d" % next(count)), *options)
    try:
        yield
    finally:
        sited_fleet.Site = before


def all_traces_are_asked(program, server, _):
    """What is answered from SQLite is answered from ClickHouse."""
    for test in (sited_fleet.builds_are_compared, sited_fleet.a_method_without_a_row_may_be_called, sited_fleet.cpu_time_that_may_be_more_is_told,
                 sited_fleet.builds_have_an_order, sited_fleet.method_has_a_history,
                 sited_fleet.pages_lead_from_builds_to_calls):
        with sites_over(server):
            test(program)


def rows(program, site, url, *words):
    run = subprocess.run([program, "store", "rows", "--json", site.store, "--clickhouse", url, *words], capture_output=True, text=True, check=False)
    return json.loads(run.stdout) if run.returncode == 0 else run.stderr


def database_of(server, name):
    """The database of the rows: its version is in its name."""
    told = server.ask("SELECT name FROM system.databases WHERE name LIKE '%s_rows_%%' FORMAT RowBinary" % name)
    equal(told[0], len(told) - 1)
    return told[1:].decode()


def each_version_has_its_own(program, server, _):
    """Whoever makes one drops those before it, and nobody else's."""
    url = server.url("kept")
    with Site(program, "--rows", "asked", "--clickhouse", url) as site:
        sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=1)
        sited_fleet.wait_for_rows(site, 1)
        mine = database_of(server, "kept")
        tables, indexes = (int(number) for number in mine[len("kept_rows_"):].split("_"))
        stay = ["kept_rows_%d_%d" % (tables, indexes + 1), "kept_rows_%d_1" % (tables + 1), "kept_rows_of_mine", "kept_rows_1_of_mine", "other_rows_1"]
        for name in stay + ["kept_rows_%d" % tables, "kept_rows_%d_%d" % (tables, indexes - 1), "kept_rows_%d_99" % (tables - 1)]:
            server.ask("CREATE DATABASE " + name)
        server.ask("DROP DATABASE " + mine)
        equal(rows(program, site, url)["made"], 1)
        told, names = server.ask("SELECT name FROM system.databases WHERE name LIKE '%_rows_%' ORDER BY name FORMAT RowBinary"), []
        while told:
            names.append(told[1:1 + told[0]].decode())
            told = told[1 + told[0]:]
        equal([name for name in names if name.startswith(("kept", "other"))], sorted(stay + [mine]))


def traces_are_taken_while_it_is_away(program, server, _):
    """And seen; questions are told to come again, and rows follow when it is back."""
    url = server.url("away")
    with Site(program, "--rows", "asked", "--clickhouse", url) as site:
        first = sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=1)[0]
        sited_fleet.wait_for_rows(site, 1)
        server.stop()
        begun = time.monotonic()
        second = sited_fleet.put_build(site, "2", sited_fleet.calls_of(6, 5000), runs=1)[0]
        equal(site.ask("/api/v1/traces/%s/view/info" % second["id"], headers=bearer(second)).status, 200)
        answer = site.ask("/api/v1/apps")
        equal((answer.status, int(answer.headers["Retry-After"]) > 0), (503, True))
        assert time.monotonic() - begun < 30, time.monotonic() - begun
        has(rows(program, site, url), "ClickHouse is away")
        server.start()
        wait_until(lambda: site.ask("/api/v1/apps").status == 200)
        equal(rows(program, site, url)["made"] <= 1, True)    # the site's own worker may have been first
        equal([row["builds"] for row in sited_fleet.ask(site, "")["apps"]], [2])
        equal(sited_fleet.ask(site, "")["without_rows"], 0)
        for trace in (first, second):
            site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace))
        rows(program, site, url)
        database = database_of(server, "away")
        for table in ("runs", "methods", "method_rows", "context_rows"):
            wait_until(lambda: server.ask("SELECT count() FROM %s.%s FORMAT RowBinary" % (database, table)) == bytes(8))  # pylint: disable=cell-var-from-loop


# That come while ClickHouse is away.
MANY = 120


def many_traces_wait_for_it(program, server, _):
    """It is away for long, while many traces come: all of them are taken and seen at once, and when it is back each has its rows
    once, whatever the order in which they are made. What waits is in the store alone, so the site needs no memory for it."""
    url, count = server.url("long"), MANY
    with Site(program, "--rows", "asked", "--clickhouse", url, *NO_LIMITS[:-2]) as site:
        sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=1)
        sited_fleet.wait_for_rows(site, 1)
        server.stop()
        before, longest_s, away = memory_of(site.process), 0.0, time.monotonic()
        for number in range(count):
            begun = time.monotonic()
            trace = site.put(sited_fleet.trace_of(sited_fleet.calls_of(4, 6000 + number)), rows="1", label_app="shop", label_build="2")
            longest_s = max(longest_s, time.monotonic() - begun)
        equal(site.ready(trace)["state"], "ready")
        equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
        grown_kib = (memory_of(site.process) - before) // 1024
        # Its workers note once a minute that they are behind, and not once a trace.
        lines = site.read_log().count("ClickHouse is away")
        assert lines <= 1 + (time.monotonic() - away) / 60, lines
        server.start()
        begun = time.monotonic()
        # The site's own worker looks once a minute; this does the same at once, beside it.
        rows(program, site, url)
        wait_until(lambda: site.ask("/api/v1/apps").status == 200 and sited_fleet.ask(site, "")["without_rows"] == 0)
        took_s = time.monotonic() - begun
        database = database_of(server, "long")
        runs = struct.unpack("<2q", server.ask("SELECT toInt64(count()), toInt64(uniqExact(raw)) FROM %s.runs FORMAT RowBinary" % database))
        print("# %s: %d traces came while it was away, the longest upload took %.2f s; rows of all %.1f s after its return; memory grew by %d KiB; %d lines of the log"
              % (server.name, count, longest_s, took_s, grown_kib, lines))
        assert runs[1] == count + 1 and grown_kib < 64 << 10 and longest_s < 5, (runs, grown_kib, longest_s)
        # Two processes may have made those of one trace at once; what is left of that goes with the next look.
        rows(program, site, url)
        wait_until(lambda: struct.unpack("<q", server.ask("SELECT toInt64(count()) FROM %s.runs FORMAT RowBinary" % database))[0] == count + 1)


def addresses_that_cannot_be_are_refused(program, server, _):
    with tempfile.TemporaryDirectory() as folder:
        for url in ("http://", "http://a:b@127.0.0.1/x", "ftp://127.0.0.1/", "http://127.0.0.1/a-b", "http://127.0.0.1/a?x", "http://x'@127.0.0.1/"):
            run = subprocess.run([program, "serve", "--store", folder + "/s", "--listen", "127.0.0.1:0", "--rows", "asked", "--clickhouse", url],
                                 capture_output=True, text=True, timeout=240, check=False)
            assert run.returncode in (1, 2), (url, run)
            has(run.stderr, "http://USER@HOST:8123/DATABASE")
        if not isinstance(server, Debians):
            return
        # A password comes from a file, and is never shown.
        with open(folder + "/password", "w", encoding="utf-8") as file:
            file.write(PASSWORD + "\n")
        url = server.url("named", "keeper@")
        with Site(program, "--rows", "asked", "--clickhouse", url, "--clickhouse-password-file", file.name) as site:
            sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=1)
            sited_fleet.wait_for_rows(site, 1)
            assert PASSWORD not in site.read_log()
            with open(file.name, "w", encoding="utf-8") as file:
                file.write("wrong\n")
            told = rows(program, site, url, "--clickhouse-password-file", file.name)
            has(told, "ClickHouse cannot use the rows")
            assert PASSWORD not in told


class Statements(http.server.BaseHTTPRequestHandler):
    """What looks like a ClickHouse with 20 traces, of each of which 1000 runs were left. It hangs where `hangs` says so of a statement,
    until `is_over`."""
    asked = []
    hangs = None
    is_over = threading.Event()

    def do_POST(self):  # pylint: disable=invalid-name
        text = self.rfile.read(int(self.headers["Content-Length"])).decode(errors="replace")
        self.asked.append(text)
        if Statements.hangs and Statements.hangs(text):  # pylint: disable=not-callable
            self.is_over.wait(60)
            self.close_connection = True
            return
        cell = lambda value: bytes([len(value)]) + value.encode()
        body = b""
        if "system.tables" in text or "system.mutations" in text:
            body = struct.pack("<q", "system.tables" in text)
        elif text.startswith("SELECT id FROM runs"):
            body = b"".join(struct.pack("<q", 2**62 + at) for at in range(1000)) * text.count(",'')")
        elif text.startswith("SELECT"):
            body = b"".join(struct.pack("<q", at + 1) + cell("%064x" % at) + cell("a") + bytes(6 * 8) + cell("") + cell("") + cell("") + bytes(2 * 8) + cell("")
                            for at in range(20))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def many_runs_are_dropped_by_several_statements(program):
    """ClickHouse refuses a statement of more than 256 KiB (max_query_size)."""
    with tempfile.TemporaryDirectory() as folder, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Statements) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        equal(subprocess.run([program, "store", "make", folder + "/s"], capture_output=True, check=False).returncode, 0)
        run = subprocess.run([program, "store", "rows", "--json", folder + "/s", "--clickhouse", "http://127.0.0.1:%d/x" % server.server_port],
                             capture_output=True, text=True, check=False)
        server.shutdown()
    equal((run.returncode, run.stderr, json.loads(run.stdout or "{}").get("dropped")), (0, "", 20))
    drops = [text for text in Statements.asked if text.startswith("ALTER TABLE runs DELETE")]
    equal(sum(text.count(",") + 1 for text in drops), 20 * 1000)
    equal(sum(text.startswith("SELECT id FROM runs") for text in Statements.asked), 1)
    assert len(drops) > 1 and max(map(len, drops)) < 256 * 1024, [len(text) for text in drops]


def one_that_hangs_is_told_in_seconds(program):
    """However many ask, and whatever it hangs at; traces are read meanwhile as ever, and it is asked again by itself."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Statements) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = "http://127.0.0.1:%d/x" % server.server_port
        with Site(program, "--rows", "asked", "--clickhouse", url, *NO_LIMITS[:-2]) as site:
            sited_fleet.put_build(site, "1", sited_fleet.calls_of(4, 5000), runs=1)
            wait_until(lambda: site.ask("/api/v1/apps").status == 200)
            for name, hangs in (("all", lambda _: True), ("what is behind the first look", lambda text: "system.tables" not in text)):
                answers = []

                def ask(answers=answers):
                    begun = time.monotonic()
                    answer = site.ask("/api/v1/apps")
                    answers.append((time.monotonic() - begun, answer.status, int(answer.headers.get("Retry-After", "0")) > 0))

                Statements.hangs = hangs
                askers = [threading.Thread(target=ask) for _ in range(24)]
                for asker in askers:
                    asker.start()
                begun = time.monotonic()
                body = lambda number: sited_fleet.trace_of(sited_fleet.calls_of(4, number))
                traces = [site.put(body(7000 + 100 * len(name) + number), rows="1", label_app="shop", label_build="2") for number in range(12)]
                for trace in traces:
                    equal(site.ready(trace)["state"], "ready")
                read_s = time.monotonic() - begun
                for asker in askers:
                    asker.join()
                longest_s = max(took_s for took_s, _, _ in answers)
                print("# a ClickHouse that hangs at %s: %d questions at once were answered in %.2f s, 12 traces read in %.2f s"
                      % (name, len(answers), longest_s, read_s))
                equal({(status, is_told) for _, status, is_told in answers}, {(503, True)})
                assert longest_s < 5 and read_s < 30, (longest_s, read_s)
                Statements.hangs = None
                wait_until(lambda: site.ask("/api/v1/apps").status == 200)
        Statements.is_over.set()
        server.shutdown()


class Locked(Statements):
    """The same for whoever knows the password; the statuses and words of two versions."""
    password = "one"
    refused = ()

    def do_POST(self):  # pylint: disable=invalid-name
        if self.headers["X-ClickHouse-Key"] == self.password:
            Statements.do_POST(self)
            return
        self.rfile.read(int(self.headers["Content-Length"]))
        status, body = self.refused
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def a_password_that_was_changed_is_read_anew(program):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Locked) as server, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url, path = "http://keeper@127.0.0.1:%d/x" % server.server_port, folder + "/password"

        def change(password):
            with open(path, "w", encoding="utf-8") as file:
                file.write(password + "\n")

        change(Locked.password)
        with Site(program, "--rows", "asked", "--clickhouse", url, "--clickhouse-password-file", path, *NO_LIMITS[:-2]) as site:
            wait_until(lambda: site.ask("/api/v1/apps").status == 200)
            for password, refused in (("two", (403, b"Code: 516. DB::Exception: keeper: Authentication failed")),
                                      ("three", (500, b"Code: 193, e.displayText() = DB::Exception: Wrong password for user keeper"))):
                Locked.password, Locked.refused = password, refused
                change(password)
                equal(site.ask("/api/v1/apps").status, 200)
                assert password not in site.read_log(), site.read_log()
        server.shutdown()


def main():
    program = os.path.abspath(sys.argv[1])
    unit = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
    passed = failed = 0
    for test in (many_runs_are_dropped_by_several_statements, a_password_that_was_changed_is_read_anew, one_that_hangs_is_told_in_seconds):
        try:
            test(program)
            passed += 1
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print("failed: %s\n%s" % (test.__name__, traceback.format_exc()))
    for kind in (Chdb, Debians):
        if kind.missing():
            print("skipped: rows in %s: %s" % (kind.name, kind.missing()))
            continue
        server = kind()
        try:
            for test in (engine_keeps_its_word, all_traces_are_asked, each_version_has_its_own, traces_are_taken_while_it_is_away, many_traces_wait_for_it, addresses_that_cannot_be_are_refused):
                try:
                    test(program, server, unit)
                    passed += 1
                except Exception:  # pylint: disable=broad-except
                    failed += 1
                    print("failed: %s, %s\n%s" % (kind.name, test.__name__, traceback.format_exc()))
        finally:
            server.end()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
