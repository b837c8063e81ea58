#!/usr/bin/env python3
"""Uploads to a site that misbehaves, and fetches from it: pushing.py PROGRAM [TEST ...].

The site is that of fake_site.py, which cuts connections, forgets, refuses and lies as a test
wants it. Ends with "N passed, N failed".
"""

import contextlib
import json
import os
import random
import re
import shutil
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse

from fake_site import ID, Site, TOKEN, reply

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
PIECE = 8 << 20


def always(status, headers=None, body=b""):
    return lambda site, asked, given: reply(status, headers, body)


class Home:
    """A folder for what the program keeps, and a file to upload."""

    def __init__(self, program, length=100000):
        self.program = program
        self.folder = tempfile.mkdtemp()
        self.bytes = random.Random(length).randbytes(length)
        self.file = os.path.join(self.folder, "some app.trace")
        with open(self.file, "wb") as file:
            file.write(self.bytes)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def environment(self, **more):
        return dict(os.environ, XDG_DATA_HOME=self.folder, XDG_CACHE_HOME=self.folder, XDG_CONFIG_HOME=self.folder,
                    XDG_STATE_HOME=self.folder, LC_ALL="C.UTF-8", no_proxy="*", **more)

    def run(self, *words, stdin=None, timeout=90, **more):
        return subprocess.run([self.program, *words], input=stdin, capture_output=True, timeout=timeout, check=False,
                              env=self.environment(**more))

    def tokens(self):
        path = os.path.join(self.folder, "traceview", "owner-tokens")
        return open(path, encoding="utf-8").read() if os.path.exists(path) else ""


def equal(got, expected):
    assert got == expected, "got %r, expected %r" % (got, expected)


def says(run, status, text):
    assert run.returncode == status and text in run.stderr.decode(), (run.returncode, run.stdout, run.stderr)


def what_is_pushed_arrives_whole(program):
    for length in (1, PIECE - 1, PIECE, 2 * PIECE + 12345):
        with Home(program, length) as home, Site() as site:
            run = home.run("push", "--to", site.url + "/", "--title", "A & B", "--label", "app=caf\u00e9", "--label",
                           "build=4=2", "--expires", "30d", "--share-file", home.file)
            equal((run.returncode, run.stdout.decode()), (0, "%s/trace/%s/\n" % (site.url, ID)))
            assert site.kept == home.bytes and site.is_complete, len(site.kept)
            equal(site.query, {"name": "some app.trace", "bytes": str(length), "title": "A & B", "expires": "30d",
                               "label_app": "caf\u00e9", "label_build": "4=2", "raw_shared": "1"})
            equal(home.tokens(), "%s/trace/%s/ %s\n" % (site.url, ID, TOKEN))
            kept = os.path.join(home.folder, "traceview", "owner-tokens")
            equal(stat.S_IMODE(os.stat(kept).st_mode), 0o600)
            assert kept in run.stderr.decode() and TOKEN not in run.stderr.decode(), run.stderr


def each_of_many_pushes_at_once_keeps_its_token(program):
    with Home(program) as home, contextlib.ExitStack() as stack:
        sites = [stack.enter_context(Site()) for _ in range(10)]
        runs = [subprocess.Popen([program, "push", "--to", site.url, home.file], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env=home.environment()) for site in sites]
        equal([run.wait(timeout=90) for run in runs], [0] * len(runs))
        equal(sorted(home.tokens().splitlines()), sorted("%s/trace/%s/ %s" % (site.url, ID, TOKEN) for site in sites))


def a_pipe_is_pushed_like_a_file(program):
    with Home(program, PIECE + 5) as home, Site() as site:
        run = home.run("push", "-", "--json", stdin=home.bytes, TRACEVIEW_SITE=site.url)
        equal(json.loads(run.stdout), {"file": "-", "link": "%s/trace/%s/" % (site.url, ID), "id": ID,
                                       "bytes": len(home.bytes)})
        assert site.kept == home.bytes and "bytes" not in site.query


def redacted_traces_leave_without_their_names(program):
    with Home(program) as home, Site() as site:
        run = home.run("push", "--to", site.url, "--redact", EXAMPLE)
        equal(run.returncode, 0)
        assert b"*version\n3" in site.kept[:20] and b"Recipe" not in site.kept, site.kept[:200]
        equal(site.query["name"], "redacted.trace")


def a_cut_upload_goes_on_where_the_site_has_it(program):
    draw = random.Random(7)
    for _ in range(3):
        with Home(program, 2 * PIECE + 999) as home, Site() as site:
            site.cuts = [draw.randrange(PIECE) for _ in range(2)]
            equal(home.run("push", "--to", site.url, home.file).returncode, 0)
            assert site.kept == home.bytes, len(site.kept)


def what_came_without_an_answer_is_not_sent_twice(program):
    def lose(site, headers, body):
        if len(site.kept) or site.is_complete:
            return None
        site.kept += body    # the site has it, and its answer is lost
        return b""

    def forget_half(site, headers, body):
        if site.kept:
            return None
        site.kept += body[:1000]    # as a site that keeps what came of a piece
        return b""

    for own in (lose, forget_half):
        with Home(program) as home, Site({"PATCH .*": own}) as site:
            equal(home.run("push", "--to", site.url, home.file).returncode, 0)
            assert site.kept == home.bytes, len(site.kept)


def a_site_that_starts_anew_is_waited_for(program):
    with Home(program, PIECE + 1) as home:
        state = {"busy": 2}

        def busy(site, headers, body):
            state["busy"] -= 1
            return reply(503, {"Retry-After": "0"}) if state["busy"] >= 0 else None

        with Site({"PATCH .*": busy, "POST .*/complete": busy}) as site:
            equal(home.run("push", "--to", site.url, home.file).returncode, 0)
            assert site.kept == home.bytes
        state["busy"] = 10**9
        with Site({"PATCH .*": busy}) as site:
            begun = time.monotonic()
            says(home.run("push", "--to", site.url, home.file), 1, "status 503")
            assert time.monotonic() - begun < 30


def a_site_that_lost_bytes_is_not_believed(program):
    for offset in ("0", str(10**12), "18446744073709551616", "-1", "x", ""):
        def cut(site, headers, body):
            return b"" if len(site.kept) else None

        with Home(program, 2 * PIECE) as home, Site({"PATCH .*": cut,
                                                     "HEAD .*": always(200, {"Upload-Offset": offset})}) as site:
            says(home.run("push", "--to", site.url, home.file), 1, "lost a part")


def refusals_are_told_with_their_reason(program):
    for status in (400, 401, 403, 413, 415, 429, 507):
        body = json.dumps({"error": "no \"%d\" \x1b[31m here" % status}, ensure_ascii=False).encode()
        with Home(program) as home:
            headers = {"Retry-After": "0"}
            with Site({"POST /api/v1/uploads": always(status, headers, body)}) as site:
                run = home.run("push", "--to", site.url, home.file)
                says(run, 1, "(status %d): no \"%d\"" % (status, status))
                assert b"\x1b" not in run.stderr, run.stderr
            with Site({"PATCH .*": always(status, headers, body)}) as site:
                says(home.run("push", "--to", site.url, home.file), 1, "(status %d)" % status)
                if status != 429:    # it may be given later on
                    equal(home.tokens(), "")
                    equal(site.asked[-1][0], "DELETE")


def hostile_answers_end_soon(program):
    endless = b"HTTP/1.1 201 Created\r\n\r\n" + b"x" * (1 << 20)
    answers = {
        "long header": b"HTTP/1.1 201 Created\r\nX: " + b"y" * (3 << 20) + b"\r\n\r\n",
        "many headers": b"HTTP/1.1 201 Created\r\n" + b"X: y\r\n" * (1 << 19) + b"\r\n",
        "endless body": endless,
        "no HTTP": b"\0\1\2\3" * 1000,
        "no upload": reply(201),
        "odd id": reply(201, {"Location": "/api/v1/uploads/../../../etc/passwd/0123456789abcdef",
                              "X-Owner-Token": TOKEN}),
        "odd token": reply(201, {"Location": "/api/v1/uploads/" + ID, "X-Owner-Token": "x y\tz"}),
        "redirect to a file": reply(302, {"Location": "file:///etc/passwd"}),
        "redirect to another": reply(307, {"Location": "http://127.0.0.1:1/"}),
    }
    for name, answer in answers.items():
        with Home(program) as home, Site({"POST .*": lambda *_, answer=answer: answer}) as site:
            begun = time.monotonic()
            run = home.run("push", "--to", site.url, home.file)
            assert run.returncode == 1 and run.stdout == b"" and len(run.stderr) < 1000, (name, run)
            assert b"root:" not in run.stderr and time.monotonic() - begun < 20, (name, run)
            equal(home.tokens(), "")


def certificates_are_checked(program):
    with Home(program) as home:
        names = [os.path.join(home.folder, name) for name in ("cert.pem", "key.pem")]
        if not shutil.which("openssl"):
            print("skipped: certificates_are_checked: openssl is not installed")
            return
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-out", names[0], "-keyout",
                        names[1]], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*names)
        with Site(context=context) as site:
            begun = time.monotonic()
            says(home.run("push", "--to", site.url, home.file), 1, "certificate")
            assert time.monotonic() - begun < 10 and not site.asked
            equal(home.run("push", "--to", site.url, home.file, SSL_CERT_FILE=names[0]).returncode, 0)
            assert site.kept == home.bytes


def the_secret_goes_as_a_header(program):
    with Home(program) as home, Site() as site:
        path = os.path.join(home.folder, "secret")
        with open(path, "w", encoding="utf-8") as file:
            file.write("open sesame\n")
        equal(home.run("push", "--to", site.url, "--secret-file", path, home.file).returncode, 0)
        equal(site.asked[0][2]["x-upload-secret"], "open sesame")
        assert all("x-upload-secret" not in headers for _, _, headers in site.asked[1:])
        with open(path, "w", encoding="utf-8") as file:
            file.write("a\nX: b\n")
        equal(home.run("push", "--to", site.url, "--secret-file", path, home.file).returncode, 2)


def what_is_no_address_or_file_is_refused(program):
    with Home(program) as home:
        for url in ("", "traces.example", "file:///etc", "ftp://x/", "http://", "https:///", "http://a b/",
                    "http://x/?a=b", "http://x/#a", "http://ann:word@x", "https://ann@x/traces", "javascript:alert(1)", "http://" + "x" * 2000):
            equal(home.run("push", "--to", url, home.file).returncode, 2)
        for link in ("http://x/", "http://x/trace/1/", "http://x/trace/" + ID.upper(), "http://x/trace/%s0" % ID,
                     "file:///trace/" + ID, "http://ann:word@x/trace/" + ID, "/trace/" + ID):
            equal(home.run("open", link).returncode, 2)
            equal(home.run("push", "--delete", link).returncode, 2)
        says(home.run("push", "--to", "http://127.0.0.1:9", home.folder), 1, "is not a file")
        says(home.run("push", "--to", "http://127.0.0.1:9", home.file + "x"), 1, "No such file")
        equal(home.run("push", "--to", "http://127.0.0.1:9", "--label", "app", home.file).returncode, 2)


def only_what_is_ours_is_deleted(program):
    with Home(program) as home, Site() as site:
        link = "%s/trace/%s/" % (site.url, ID)
        says(home.run("push", "--delete", link), 1, "no owner token")
        assert not site.asked
        home.run("push", "--to", site.url, home.file)
        equal(home.run("push", "--delete", link + "#view").returncode, 0)
        equal(site.asked[-1][:2], ("DELETE", "/api/v1/traces/" + ID))
        equal(home.tokens(), "")


class Opened:
    """`open` with its viewer's address, ended on leaving."""

    def __init__(self, home, *words):
        self.process = subprocess.Popen([home.program, "open", "--no-browser", *words], env=home.environment(),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=240)


def files_in(folder):
    return [name for _, _, names in os.walk(folder) for name in names]


def a_link_opens_in_the_viewer_and_leaves_nothing(program):
    with Home(program) as home, Site() as site:
        with open(EXAMPLE, "rb") as file:
            site.kept = file.read()
        home.run("push", "--to", site.url, home.file, EXAMPLE)    # the token is ours from here on
        with open(EXAMPLE, "rb") as file:
            site.kept = file.read()
        with Opened(home, "%s/trace/%s/#tab=top" % (site.url, ID)) as opened:
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/#tab=top", opened.url), opened.url
            equal(site.asked[-1][2]["authorization"], "Bearer " + TOKEN)
            url = urllib.parse.urlsplit(opened.url)
            with socket.create_connection((url.hostname, url.port)) as stream:
                stream.sendall(("GET %sapi/first HTTP/1.0\r\nHost: localhost\r\n\r\n" % url.path).encode())
                answer = b"".join(iter(lambda: stream.recv(65536), b""))
            assert b"\"info\":" in answer, answer[:500]
        assert not [name for name in files_in(home.folder) if name.startswith(ID)], files_in(home.folder)


def what_is_no_trace_or_too_long_is_not_fetched(program):
    with Home(program) as home, Site() as site:
        link = "%s/trace/%s/" % (site.url, ID)
        says(home.run("open", link), 1, "nothing is here")
        raw = "GET .*/raw"
        site.on = {raw: always(200, {}, b"PK\3\4" + b"x" * 100000)}
        assert home.run("open", "--no-browser", link).returncode == 1
        site.on = {raw: always(200, {}, b"\x28\xb5\x2f\xfd" + b"x" * 2000000)}
        says(home.run("open", "--most", "1", link), 1, "longer than 1000000 bytes")
        site.on = {raw: always(200, {"Content-Length": "100000"}, b"*version\n")}
        assert home.run("open", "--no-browser", link).returncode == 1
        site.on = {raw: always(302, {"Location": "file:///etc/passwd"})}
        says(home.run("open", link), 1, "sends elsewhere")
        site.on = {raw: always(403, {}, b"{}")}
        says(home.run("open", link), 1, "shares the view and not the file")
        assert not [name for name in files_in(home.folder) if name.startswith(ID)], files_in(home.folder)


TESTS = [what_is_pushed_arrives_whole, each_of_many_pushes_at_once_keeps_its_token, a_pipe_is_pushed_like_a_file,
         redacted_traces_leave_without_their_names,
         a_cut_upload_goes_on_where_the_site_has_it, what_came_without_an_answer_is_not_sent_twice,
         a_site_that_starts_anew_is_waited_for, a_site_that_lost_bytes_is_not_believed,
         refusals_are_told_with_their_reason, hostile_answers_end_soon, certificates_are_checked,
         the_secret_goes_as_a_header, what_is_no_address_or_file_is_refused, only_what_is_ours_is_deleted,
         a_link_opens_in_the_viewer_and_leaves_nothing, what_is_no_trace_or_too_long_is_not_fetched]


def main():
    program = os.path.abspath(sys.argv[1])
    failed = 0
    tests = [test for test in TESTS if not sys.argv[2:] or test.__name__ in sys.argv[2:]]
    for test in tests:
        try:
            test(program)
        except Exception as failure:    # whatever it is, the others are run
            failed += 1
            print("FAILED: %s: %s %s" % (test.__name__, type(failure).__name__, failure))
            if os.environ.get("TRACEVIEW_TRACEBACK"):
                traceback.print_exc()
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    sys.exit(failed > 0)


main()
