"""Tests of sited.py: how a site treats who is slow, greedy or forged, what it tells its owner, and how it starts and ends."""

import contextlib
import ctypes
import hashlib
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

from running import PATIENCE_S, ROOT, SMALL, Site, bearer, equal, has, read, wait_until

SECRET = "correct-horse-battery-staple"


def skip(what):
    print("skipped: " + what, file=sys.stderr)


def fails(program, *options, status=1, variables=None):
    """Starts a site that cannot start; its one line."""
    run = subprocess.run([program, "serve", *options], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                         env=dict(os.environ, **(variables or {})))
    equal(run.returncode, status)
    equal(run.stdout, "")
    lines = run.stderr.splitlines()
    equal(len(lines), 1)
    return lines[0]


# --- the log ---

def log_has_no_secret(program):
    with tempfile.TemporaryDirectory() as folder:
        secret_file, log = os.path.join(folder, "secret"), os.path.join(folder, "log")
        with open(secret_file, "w", encoding="utf-8") as file:
            file.write(SECRET + "\n")
        with Site(program, "--uploads", "secret", "--upload-secret-file", secret_file, "--log", log, "--list") as site:
            secret = {"X-Upload-Secret": SECRET}
            trace = site.ready(site.put(read(SMALL), secret, title="A-title", label_app="a-label"))
            site.form(("secret", SECRET), ("trace_file", "b.trace", read(SMALL)))
            token = trace["owner_token"]
            page = site.ask("/trace/%s/" % trace["id"])
            site.ask("/trace/%s/api/top?match=a-query&n=3" % trace["id"])
            site.ask("/trace/" + trace["md5"])
            site.ask("/list?q=a-query")
            site.ask("/nowhere/%s?token=%s" % (trace["id"], token))
            site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace))
            site.ask("/trace/%s/raw" % trace["id"], headers=dict(bearer(trace), Referer="http://a/a-referrer", Cookie="a-cookie"))
            wait_until(lambda: len(read(log).splitlines()) >= 9)
            text = read(log).decode("utf-8")
        for never in (SECRET, token, trace["id"], trace["md5"], trace["md5"].lower(), "A-title", "a-label", "a-query",
                      "a-referrer", "a-cookie", "nowhere", "?"):
            assert never not in text, "%r is in the log: %s" % (never, text)
        lines = [json.loads(line) for line in text.splitlines()]
        viewed = [line for line in lines if line["route"] == "/trace/{id}/"][0]
        equal(viewed["id"], hashlib.sha256(trace["id"].encode()).hexdigest()[:8])
        equal((viewed["method"], viewed["status"], viewed["client"], viewed["whole"]), ("GET", page.status, "127.0.0.1", True))
        added = [line for line in lines if line["route"] == "/api/v1/traces"][0]
        equal((added["method"], added["status"], added["received"]), ("PUT", 201, os.path.getsize(SMALL)))
        equal([line["status"] for line in lines if not line["route"]], [404])


def log_that_nobody_reads_holds_nobody_up(program):
    """Standard error is a pipe of 64 KiB whose reader reads nothing, as behind `| less`."""
    reader, writer = os.pipe()
    with tempfile.TemporaryDirectory(prefix="traceview-sited-") as folder:
        store = os.path.join(folder, "store")
        with subprocess.Popen([program, "serve", "--store", store, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                              stderr=writer, text=True, env=dict(os.environ, XDG_DATA_HOME=folder)) as site:
            try:
                port = int(site.stdout.readline().split(":")[2].split("/")[0])
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
                for _ in range(1500):
                    connection.request("GET", "/healthz")
                    response = connection.getresponse()
                    response.read()
                    equal(response.status, 200)
                connection.close()
                site.send_signal(signal.SIGTERM)
                equal(site.wait(PATIENCE_S), 0)
            finally:
                site.kill()
                os.close(writer)
                os.close(reader)


def log_that_was_moved_is_opened_anew(program):
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        with Site(program, "--log", log) as site:
            site.ask("/healthz")
            wait_until(lambda: read(log))
            os.rename(log, log + ".1")
            site.process.send_signal(signal.SIGHUP)
            wait_until(lambda: os.path.exists(log))
            site.ask("/readyz")
            wait_until(lambda: read(log))
            equal(json.loads(read(log))["route"], "/readyz")
            equal(json.loads(read(log + ".1"))["route"], "/healthz")


# --- metrics and health ---

def metric(text, name):
    return float(re.search(r"^%s (\S+)$" % re.escape(name), text, re.M).group(1))


def metrics_are_what_prometheus_takes(program):
    with Site(program, "--metrics-from", "127.0.0.1") as site:
        trace = site.ready(site.put(read(SMALL)))
        site.ask("/trace/%s/" % trace["id"])
        site.ask("/nowhere")
        site.ask("/api/v1/traces?name=a.zip", "PUT", None, b"PK\3\4" + b"\0" * 100)
        wait_until(lambda: metric(site.ask("/metrics").text, "traceview_uploads_refused_total") == 1)
        answer = site.ask("/metrics")
    equal(answer.status, 200)
    equal(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
    for name, value in (("traceview_uploads_total", 1), ("traceview_uploaded_bytes_total", os.path.getsize(SMALL)),
                        ("traceview_traces", 1), ("traceview_jobs_done_total", 1),
                        ('traceview_http_requests_total{code="404"}', 1)):
        equal((name, metric(answer.text, name)), (name, value))
    assert metric(answer.text, "traceview_store_free_bytes") > 0 and metric(answer.text, "process_open_fds") > 3
    told = set(re.findall(r"`((?:traceview|process)_[a-z_]+)`", read(os.path.join(ROOT, "docs", "site.md")).decode("utf-8")))
    equal(told, set(re.findall(r"^# TYPE (\S+)", answer.text, re.M)))
    try:
        checked = subprocess.run(["promtool", "check", "metrics"], input=answer.body, capture_output=True, check=False)
    except FileNotFoundError:
        skip("promtool, of Debian's prometheus, is not there to check the metrics")
        return
    equal((checked.returncode, checked.stdout + checked.stderr), (0, b""))


def metrics_are_for_those_whom_the_owner_names(program):
    with Site(program, "--trusted-proxies", "127.0.0.1") as site:
        equal(site.ask("/metrics").status, 200)
        equal(site.ask("/metrics", headers={"X-Forwarded-For": "192.0.2.7"}).status, 403)
    with Site(program, "--metrics-from", "10.0.0.0/8") as site:
        equal(site.ask("/metrics").status, 403)
        equal(site.ask("/metrics", headers={"X-Forwarded-For": "10.0.0.1"}).status, 403)


READY = "ready\nwaiting answers: 0\noldest wait: 0 ms\n"


def site_is_ready_while_its_store_takes_bytes(program):
    with Site(program) as site:
        equal((site.ask("/healthz").text, site.ask("/readyz").text), ("ok\n", READY))
        # As on a full disk, no file may become longer than it is.
        before = resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        answer = site.ask("/readyz")
        equal((answer.status, answer.text), (503, "the store takes no bytes\n"))
        equal(site.ask("/healthz").status, 200)
        equal(site.ask("/api/v1/traces?name=a.trace", "PUT", None, read(SMALL)).status, 507)
        assert metric(site.ask("/metrics").text, "traceview_errors_total") > 0
        resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, before)
        equal(site.ask("/readyz").status, 200)
        equal(site.ask("/api/v1/traces?name=a.trace", "PUT", None, read(SMALL)).status, 201)


def store_that_cannot_be_tidied_is_told(program):
    """A file that cannot be removed, since a folder has its name: in /readyz, in the log, and as a metric, until it can be."""
    with Site(program) as site:
        trace = site.ready(site.put(read(SMALL)))
        name = os.path.join(site.store, "files", trace["sha256"][:2], trace["sha256"][2:])
        os.unlink(name)
        os.mkdir(name)
        equal(site.ask("/api/v1/traces/" + trace["id"], "DELETE", bearer(trace)).status, 204)
        wait_until(lambda: "the store could not be tidied" in site.ask("/readyz").text)
        assert metric(site.ask("/metrics").text, "traceview_tidying_failed_total") > 0
        wait_until(lambda: '"while":"tidying the store"' in site.read_log())
        os.rmdir(name)
        wait_until(lambda: "tidied" not in site.ask("/readyz").text)


def traces_that_no_worker_takes_are_told(program):
    """As where server and workers are of different builds: in /readyz, in the log, and as a metric."""
    with Site(program, "--role", "server") as site:
        trace = site.put(read(SMALL))
        equal((site.ask("/readyz").text, metric(site.ask("/metrics").text, "traceview_unserved_jobs")), (READY, 0))
        with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"))) as database, database:
            database.execute("UPDATE jobs SET created = created - 100")
        has(site.ask("/readyz").text, " takes its traces: 1 wait, the oldest for 10")
        equal(metric(site.ask("/metrics").text, "traceview_unserved_jobs"), 1)
        wait_until(lambda: "waiting for a worker" in site.read_log())
        worker = subprocess.Popen([program, "serve", "--role", "worker", "--store", site.store, "--log", "none"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            equal(site.ready(trace)["state"], "ready")
        finally:
            worker.kill()
            worker.wait()
        equal((site.ask("/readyz").text, site.read_log().count("waiting for a worker")), (READY, 1))


def probes_need_no_name_of_the_site(program):
    with Site(program, "--public-url", "https://traces.example.org") as site:
        for path, status in (("/healthz", 200), ("/readyz", 200), ("/", 421)):
            equal((path, site.ask(path, headers={"Host": "10.1.2.3:8192"}).status), (path, status))


# --- limits ---

def requests_of_an_address_are_limited(program):
    with Site(program, "--request-rate", "5/min", "--trusted-proxies", "127.0.0.1") as site:
        def ask(client, **more):
            return site.ask("/stored", headers=dict({"X-Forwarded-For": client}, **more))
        for _ in range(5):
            equal(ask("192.0.2.7").status, 200)
        answer = ask("192.0.2.7")
        equal(answer.status, 429)
        assert 1 <= int(answer.headers["Retry-After"]) <= 12
        equal(ask("6.6.6.6, 192.0.2.7").status, 429)
        equal(ask("192.0.2.8").status, 200)
        for last in range(5):
            equal(ask("2001:db8::%d" % last).status, 200)
        equal(ask("2001:db8::ffff").status, 429)
        equal(ask("2001:db8:0:1::").status, 200)
    with Site(program, "--request-rate", "5/min") as site:
        equal([site.ask("/stored", headers={"X-Forwarded-For": "192.0.2.%d" % i}).status for i in range(6)], [200] * 5 + [429])


def what_a_trusted_proxy_cannot_have_said_is_refused(program):
    with Site(program, "--trusted-proxies", "127.0.0.1") as site:
        for name, value in (("X-Forwarded-For", "unknown"), ("X-Forwarded-For", "<script>"), ("X-Forwarded-Proto", "gopher"),
                            ("X-Forwarded-Host", "a\"b")):
            answer = site.ask("/stored", headers={name: value})
            equal((name, answer.status), (name, 400))
            assert value not in answer.text
    with Site(program) as site:
        equal(site.ask("/stored", headers={"X-Forwarded-For": "unknown"}).status, 200)


CROWD = 10000
CROWD_S = 4


def take_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        skip("%d connections need as many open files, and the system allows %d" % (CROWD, hard))
        return False
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))
    return True


def connect_from(number, port):
    """A connection of an address of its own: a limit for each address alone would not hold it back."""
    connection = socket.socket()
    connection.setblocking(False)
    connection.bind(("127.%d.%d.%d" % (1 + number // 60000, number // 250 % 240, 1 + number % 250), 0))
    connection.connect_ex(("127.0.0.1", port))
    return connection


def trickle(connections):
    """A byte on each of them that is still open."""
    for connection in connections:
        try:
            connection.send(b"G")
        except OSError:
            pass


def memory_of(process):
    with open("/proc/%d/statm" % process.pid, encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def a_crowd_that_trickles_keeps_nobody_out(program):
    """10,000 connections, each of which sends a byte a second: others are answered meanwhile."""
    if not take_descriptors(CROWD + 500):
        return
    with Site(program, "--log", "none") as site:
        before = memory_of(site.process)
        connections = [connect_from(number, site.port) for number in range(CROWD)]
        try:
            longest = 0
            end = time.monotonic() + CROWD_S
            while time.monotonic() < end:
                begun = time.monotonic()
                trickle(connections)
                equal(site.ask("/stored").status, 200)
                asked = time.monotonic()
                equal(site.ask("/healthz").status, 200)
                longest = max(longest, time.monotonic() - asked)
                equal(site.ask("/api/v1/traces?name=a.trace", "PUT", None, read(SMALL)).status, 201)
                time.sleep(max(0, begun + 1 - time.monotonic()))
            grown = memory_of(site.process) - before
            # A sanitizer keeps what was released for a while.
            assert grown < 200 << 20 or b"__asan_init" in read(program), "the site grew by %d MiB" % (grown >> 20)
            assert len(os.listdir("/proc/%d/fd" % site.process.pid)) < 1500
            assert longest < 5, "an answer took %.1f s" % longest
        finally:
            for connection in connections:
                connection.close()
        equal(site.stop(), 0)


def is_over(connection):
    """Whether the server has said something, or has gone; otherwise one more byte is sent."""
    try:
        connection.recv(1)
        return True
    except TimeoutError:
        connection.send(b"x")
        return False
    except ConnectionError:
        return True


def upload_that_trickles_is_cut(program):
    """Of an upload that brings less than slowest-upload, nothing is left."""
    with Site(program, "--slowest-upload", "100K", "--idle-time", "5min") as site:
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
            connection.sendall(b"PUT /api/v1/traces?name=a.trace HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
            connection.sendall(read(SMALL)[:100])
            begun = time.monotonic()
            connection.settimeout(0.5)
            while not is_over(connection):
                assert time.monotonic() - begun < 60, "the upload still trickles"
        wait_until(lambda: metric(site.ask("/metrics").text, "traceview_uploads_refused_total") == 1)
        equal(metric(site.ask("/metrics").text, "traceview_store_files"), 0)


# --- start and end ---

def second_server_of_a_port_is_refused(program):
    with Site(program) as site, tempfile.TemporaryDirectory() as folder:
        line = fails(program, "--store", os.path.join(folder, "store"), "--listen", "127.0.0.1:%d" % site.port)
        has(line, str(site.port))
        equal(site.ask("/healthz").status, 200)


def store_that_cannot_be_is_told(program):
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "file")
        with open(name, "w", encoding="utf-8"):
            pass
        for store in (name, os.path.join(name, "store")):
            has(fails(program, "--listen", "127.0.0.1:0", "--store", store), name)


def store_of_a_later_version_is_left_alone(program):
    with tempfile.TemporaryDirectory() as folder:
        with Site(program, store=folder) as site:
            site.put(read(SMALL))
            equal(site.stop(), 0)
        name = os.path.join(folder, "store.sqlite")
        with sqlite3.connect(name) as database:
            database.execute("PRAGMA user_version = 999")
        database.close()
        before = read(name)
        has(fails(program, "--listen", "127.0.0.1:0", "--store", folder), "version")
        equal(read(name), before)


def settings_that_are_wrong_start_nothing(program):
    with tempfile.TemporaryDirectory() as folder:
        conf, store = os.path.join(folder, "site.conf"), os.path.join(folder, "store")
        with open(conf, "w", encoding="utf-8") as file:
            file.write("# ours\nlisten = 127.0.0.1:0\nmax-upload = much\n")
        line = fails(program, "--config", conf, "--store", store, status=2)
        equal(line, "traceview: serve: %s: line 3: max-upload 'much': must be a size, as 64K, 100M or 2G, of at least 1" % conf)
        has(fails(program, "--store", store, status=2, variables={"TRACEVIEW_SITE_LISTEN": "8192"}), "TRACEVIEW_SITE_LISTEN '8192'")
        if os.geteuid() == 0:
            has(fails(program, "--store", store, "--worker-user", "nobody-has-this-name", "--listen", "127.0.0.1:0"),
                "nobody-has-this-name")
        else:
            skip("a worker's user who is not there: only root starts workers as another user")
        assert not os.path.exists(store) or os.listdir(store)


def upload_under_way_is_finished_at_the_end(program):
    content = read(SMALL)
    with Site(program) as site:
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
            connection.sendall(b"PUT /api/v1/traces?name=a.trace HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                               % len(content) + content[:1000])
            time.sleep(0.3)
            site.process.terminate()
            time.sleep(0.5)
            assert site.process.poll() is None
            try:
                socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S).close()
                raise AssertionError("a connection was taken at the end")
            except ConnectionRefusedError:
                pass
            connection.sendall(content[1000:])
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += connection.recv(4096)
        has(answer, b" 201 ")
        equal(site.process.wait(timeout=PATIENCE_S), 0)


def site_does_not_wait_for_ever_at_the_end(program):
    with Site(program, "--stop-patience", "1s") as site:
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
            connection.sendall(b"PUT /api/v1/traces?name=a.trace HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx")
            time.sleep(0.3)
            begun = time.monotonic()
            equal(site.stop(), 0)
            assert time.monotonic() - begun < 30


def example_is_kept_once(program):
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            with Site(program, "--sample", "--list", store=folder) as site:
                found = re.findall(r"/trace/([0-9a-f]{32})", site.ask("/").text)
                assert found, "the start page does not show the example"
                equal(site.ask("/trace/%s/" % found[0]).status, 200)
                equal(metric(site.ask("/metrics").text, "traceview_traces"), 1)


def threads_that_answer_are_in_landlock(program):
    """They start no program and write only into the store; the main thread alone is behind no wall."""
    if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:
        skip("a kernel without Landlock has no walls")
        return
    with Site(program, "--role", "server") as site:
        site.put(read(SMALL))
        folder = "/proc/%d/task" % site.process.pid
        threads = {thread: read("%s/%s/status" % (folder, thread)) for thread in os.listdir(folder)}
        free = [thread for thread, status in threads.items() if b"NoNewPrivs:\t0\n" in status]
        sanitizer = b"__tsan_init" in read(program)
        equal((str(site.process.pid) in free, len(free)), (True, 2 if sanitizer else 1))
        assert len(threads) > 3


# --- packaging ---

def packaged_settings_are_taken(program):
    conf = os.path.join(ROOT, "packaging", "site", "site.conf")
    run = subprocess.run([program, "serve", "--config", conf, "--check-config"], capture_output=True, text=True, check=True)
    has(run.stdout, "site.conf, line ")


def service_has_the_exposure_that_is_told(_program):
    """What systemd thinks of the service's walls, and what docs/site.md says of it."""
    if not shutil.which("systemd-analyze"):
        skip("systemd-analyze is not there to judge the service")
        return
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "traceview-site.service")
        text = read(os.path.join(ROOT, "packaging", "site", "traceview-site.service")).decode("utf-8")
        with open(name, "w", encoding="utf-8") as file:
            file.write(text.replace("@bindir@", "/usr/bin"))
        run = subprocess.run(["systemd-analyze", "security", "--offline=true", name], capture_output=True, text=True, check=False)
    found = re.search(r"Overall exposure level for traceview-site.service: (\S+) ", run.stdout)
    assert found, run.stdout + run.stderr
    # Versions of systemd look at different things.
    told = re.search(r"gives it (\S+) \(0 is the best", read(os.path.join(ROOT, "docs", "site.md")).decode("utf-8"))
    assert abs(float(found.group(1)) - float(told.group(1))) <= 0.3, "%s, and docs/site.md says %s" % (found.group(1), told.group(1))


def site_without_any_rights_works(program):
    """As the service runs: another user, no capabilities, no new privileges. Workers have their sandbox all the same."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        skip("only root can try a user without any rights, by setpriv")
        return
    walls = ("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "--no-new-privs", "--bounding-set=-all",
             "--inh-caps=-all")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = shutil.copy(program, os.path.join(folder, "traceview"))
        store = os.path.join(folder, "store")
        os.mkdir(store)
        os.chown(store, 54321, 54321)
        with Site(copy, store=store, prefix=walls) as site:
            equal(site.ready(site.put(read(SMALL)))["state"], "ready")
            equal(site.ask("/readyz").status, 200)


TESTS = [
    store_that_cannot_be_tidied_is_told,
    log_has_no_secret,
    log_that_nobody_reads_holds_nobody_up, log_that_was_moved_is_opened_anew,
    metrics_are_what_prometheus_takes,
    metrics_are_for_those_whom_the_owner_names,
    site_is_ready_while_its_store_takes_bytes,
    traces_that_no_worker_takes_are_told,
    probes_need_no_name_of_the_site,
    requests_of_an_address_are_limited,
    what_a_trusted_proxy_cannot_have_said_is_refused,
    a_crowd_that_trickles_keeps_nobody_out,
    upload_that_trickles_is_cut,
    second_server_of_a_port_is_refused,
    store_that_cannot_be_is_told,
    store_of_a_later_version_is_left_alone,
    settings_that_are_wrong_start_nothing,
    upload_under_way_is_finished_at_the_end,
    site_does_not_wait_for_ever_at_the_end,
    example_is_kept_once,
    threads_that_answer_are_in_landlock,
    packaged_settings_are_taken,
    service_has_the_exposure_that_is_told,
    site_without_any_rights_works,
]
