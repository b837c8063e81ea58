"""Tests of sited.py: the webhook, which tells of builds that are worse."""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

from running import ROOT, Site, equal, has, read, wait_until
from sited_fleet import calls_of, many, put_build
from sited_manners import fails
from sited_projects import PROJECTS
from sited_users import ADMINS, of
from sited_users import OPTIONS as USERS

sys.path.insert(0, os.path.join(ROOT, "tests", "support"))

import ports  # noqa: E402  pylint: disable=wrong-import-position

SECRET = "Holunder-4b91e07c"
RULES = "calls growth <= 5 %\nwarn no calls of shop.Cart.pay\n"


class Receiver:
    """Takes requests, and answers each as the next of `answers` says, the last one for ever: a status, with a location or with a
    body without an end; None: nothing at all."""

    def __init__(self, *answers):
        self.requests, self.answers, self.is_over = [], list(answers), threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((self.path, dict(self.headers), body))
                answer = receiver.answers.pop(0) if len(receiver.answers) > 1 else receiver.answers[0]
                if answer is None:
                    receiver.is_over.wait(30)
                    return
                status, rest = answer if isinstance(answer, tuple) else (answer, None)
                self.send_response(status)
                if isinstance(rest, str):
                    self.send_header("Location", rest)
                self.end_headers()
                with contextlib.suppress(OSError):
                    while rest == b"":
                        self.wfile.write(b"x" * 65536)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def files(rules=RULES):
    """The options that name a secret and rules."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("secret", SECRET + "\n"), ("rules", rules)):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        yield ("--webhook-secret-file", os.path.join(folder, "secret"), "--webhook-rules", os.path.join(folder, "rules"))


@contextlib.contextmanager
def hooked(program, url, *options, rules=RULES, **others):
    with files(rules) as named, Site(program, "--rows", "asked", "--webhook", url, *named, *options, **others) as site:
        yield site


def put_worse(site, count=5, headers=None, **fields):
    put_build(site, "417", calls_of(4, 2000), 3, headers, **fields)
    put_build(site, "418", calls_of(9, 2000), count, headers, **fields)


def told(site, headers=None):
    answer = site.ask("/api/v1/webhook", headers=headers)
    equal((answer.status, answer.text if answer.status != 200 else ""), (200, ""))
    return answer.json["deliveries"]


def counted(site, name):
    """The number of a metric."""
    return int(re.search(r"\ntraceview_%s (\d+)\n" % re.escape(name), site.ask("/metrics").text)[1])


def is_signed(headers, body):
    text = headers["X-Traceview-Timestamp"].encode() + b"." + body
    wanted = "sha256=" + hmac.new(SECRET.encode(), text, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, headers["X-Traceview-Signature"])


def worse_build_is_told_once(program):
    """With what broke, and a link to both builds; not again when more traces come."""
    with Receiver(204) as receiver:
        with hooked(program, "http://127.0.0.1:%d/in?key=k1" % receiver.port, "--webhook-to", "127.0.0.1", "--public-url", "http://localhost") as site:
            put_worse(site, 4)
            time.sleep(8)
            equal(receiver.requests, [])    # four traces are too few
            put_build(site, "418", {**calls_of(9, 2000), ("shop.New", "n", "()V"): (1, 2100)}, 1)
            wait_until(lambda: receiver.requests)
            path, headers, body = receiver.requests[0]
            assert is_signed(headers, body)
            equal((path, headers["Content-Type"]), ("/in?key=k1", "application/json"))
            said = json.loads(body)
            equal((said["event"], said["id"], said["app"], said["device"]), ("build.worse", headers["X-Traceview-Delivery"], "shop", "pixel"))
            equal((said["old"], said["new"]), ({"build": "417", "compared": 3, "cut": 0}, {"build": "418", "compared": 5, "cut": 0}))
            equal([(rule["rule"], rule["level"]) for rule in said["rules"]],
                  [("calls growth <= 5 %", "error"), ("no calls of shop.Cart.pay", "warning")])
            equal((said["rules"][1]["method"], said["broken"]), ("shop.Cart.pay ()V", 2))
            has(said["rules"][1]["why"], "9 calls in new recording 1")
            equal(said["page"], "http://localhost/apps/diff?app=shop&old=417&new=418&device=pixel")
            wait_until(lambda: told(site)[0]["state"] == "delivered")
            row = told(site)[0]
            equal((row["app"], row["build"], row["tries"], row["status"]), ("shop", "418", 1, 204))
            put_build(site, "418", calls_of(10, 2000), 5)
            time.sleep(8)
            equal((len(receiver.requests), len(told(site))), (1, 1))
            # Rows may be made twice, by the worker and by a pass over all.
            wait_until(lambda: counted(site, 'site_traces_total{outcome="rows_made"}') >= 13)
            metrics = site.ask("/metrics").text
            has(metrics, '\ntraceview_site_webhook_deliveries{state="delivered"} 1\n')
            has(metrics, '\ntraceview_site_traces_total{outcome="indexed"} 13\n')
            assert counted(site, "site_rows_total") > 13 * 27
            assert "k1" not in site.read_log() and SECRET not in site.read_log()


def build_that_is_no_worse_is_not_told(program):
    with Receiver(204) as receiver:
        with hooked(program, "http://127.0.0.1:%d/" % receiver.port, "--webhook-to", "127.0.0.1", "--webhook-traces", "2") as site:
            put_build(site, "417", calls_of(9, 2000), 2)
            put_build(site, "418", calls_of(4, 2500), 2)
            time.sleep(9)
            equal((receiver.requests, told(site)), ([], []))


def methods_without_a_row_are_no_growth(program):
    """Of more methods than rows are kept of, those that were cut are called all the same."""
    with Receiver(204) as receiver:
        rules = "calls growth <= 5 %\nno calls of many.C.nobody\ncalls of many.C.hot in 1..9999\n"
        with hooked(program, "http://127.0.0.1:%d/" % receiver.port, "--webhook-to", "127.0.0.1", "--webhook-traces", "1", rules=rules) as site:
            put_build(site, "417", many(0), 1)
            put_build(site, "418", many(2), 1)
            time.sleep(9)
            equal((receiver.requests, told(site)), ([], []))
            put_build(site, "419", {**many(2), ("many.C", "new", "()V"): (2000, 3)}, 1)
            wait_until(lambda: receiver.requests)
            said = json.loads(receiver.requests[0][2])
            equal((said["old"], said["new"]), ({"build": "418", "compared": 1, "cut": 1}, {"build": "419", "compared": 1, "cut": 1}))
            equal([rule["rule"] for rule in said["rules"]], ["calls growth <= 5 %"])
            has(said["rules"][0]["why"], "23,005 calls became 25,005")


def names_are_cut_where_they_are_long(program):
    """Names are anybody's: with all of them a delivery would be longer than one may be."""
    long = {("a%d.%s" % (at, "c" * 3800), "n", "()V"): (9, 2000) for at in range(20)}
    rules = "".join("no calls of a%d.*\n" % at for at in range(20))
    with Receiver(204) as receiver:
        with hooked(program, "http://127.0.0.1:%d/" % receiver.port, "--webhook-to", "127.0.0.1", "--webhook-traces", "1", rules=rules) as site:
            put_build(site, "417", calls_of(4, 2000), 1)
            put_build(site, "418", {**calls_of(4, 2000), **long}, 1)
            wait_until(lambda: receiver.requests)
            said = json.loads(receiver.requests[0][2])
            equal((len(said["rules"]), said["broken"]), (20, 20))
            for rule in said["rules"]:
                has(rule["method"], " bytes)")
                assert len(rule["method"]) < 450


def receiver_that_fails_is_asked_again(program):
    """A failure, a redirect, nothing at all; then it takes it, with an answer that has no end."""
    with Receiver(500, (302, "http://127.0.0.1:1/"), None, (200, b"")) as receiver:
        with hooked(program, "http://127.0.0.1:%d/" % receiver.port, "--webhook-to", "127.0.0.0/8") as site:
            put_worse(site)
            wait_until(lambda: receiver.requests)
            wait_until(lambda: told(site)[0]["reason"] == "the answer was 500")
            wait_until(lambda: told(site)[0]["reason"] == "the answer was 302: redirects are not followed")
            wait_until(lambda: told(site)[0]["tries"] == 3 and told(site)[0]["reason"].lower().startswith("timeout"))
            wait_until(lambda: told(site)[0]["state"] == "delivered")
            equal((len(receiver.requests), told(site)[0]["tries"], told(site)[0]["status"]), (4, 4, 200))
            assert all(is_signed(headers, body) for _, headers, body in receiver.requests)
            equal(len({body for _, _, body in receiver.requests}), 1)
            has(site.ask("/metrics").text, "\ntraceview_site_webhook_failed_tries_total 3\n")
            has(site.read_log(), "telling the webhook")


def receiver_that_never_takes_it_is_given_up(program):
    with Receiver(503) as receiver, Receiver(410) as gone:
        with hooked(program, "http://127.0.0.1:%d/" % receiver.port, "--webhook-to", "127.0.0.1", "--webhook-patience", "4s") as site:
            put_worse(site)
            wait_until(lambda: told(site) and told(site)[0]["state"] == "given_up")
            has(site.ask("/metrics").text, '\ntraceview_site_webhook_deliveries{state="given_up"} 1\n')
            count = len(receiver.requests)
            time.sleep(5)
            equal(len(receiver.requests), count)
        with hooked(program, "http://127.0.0.1:%d/" % gone.port, "--webhook-to", "127.0.0.1") as site:
            put_worse(site)
            wait_until(lambda: told(site) and told(site)[0]["state"] == "given_up")
            equal(len(gone.requests), 1)


def private_addresses_are_not_reached(program):
    """However they are written, and whatever proxy the environment names."""
    with Receiver(204) as receiver:
        port = receiver.port
        for host, shown in (("localhost", "1 may not"), ("2130706433", "127.0.0.1 may not"), ("[::ffff:127.0.0.1]", "127.0.0.1 may not"),
                            ("169.254.169.254", "169.254.169.254 may not"), ("[fd00::1]", "fd00::1 may not"), ("0.0.0.0", "0.0.0.0 may not")):
            with hooked(program, "http://%s:%d/" % (host, port), "--webhook-to", "10.0.0.0/8", "--webhook-traces", "1",
                        variables={"http_proxy": "http://127.0.0.1:%d" % port, "ALL_PROXY": "http://127.0.0.1:%d" % port}) as site:
                put_build(site, "417", calls_of(4, 2000), 1)
                put_build(site, "418", calls_of(9, 2000), 1)
                wait_until(lambda: told(site) and told(site)[0]["reason"])
                has(told(site)[0]["reason"], shown)
                has(told(site)[0]["reason"], "it is not public")
                equal((host, receiver.requests), (host, []))


def several_processes_tell_it_once(program):
    with Receiver(204) as receiver, tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        url = "http://127.0.0.1:%d/" % receiver.port
        with hooked(program, url, "--webhook-to", "127.0.0.1", store=store) as site, \
                hooked(program, url, "--webhook-to", "127.0.0.1", store=store):
            put_worse(site)
            wait_until(lambda: receiver.requests)
            time.sleep(8)
            equal((len(receiver.requests), told(site)[0]["tries"]), (1, 1))


def what_members_alone_read_is_not_told(program):
    with Receiver(204) as receiver, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "projects")
        with open(path, "w", encoding="utf-8") as file:
            file.write(PROJECTS % 10 ** 9)
        with hooked(program, "http://127.0.0.1:%d/" % receiver.port, "--webhook-to", "127.0.0.1", "--projects", path, *USERS, *ADMINS) as site:
            put_worse(site, 5, of("ana"), label_project="shop")
            time.sleep(9)
            equal(receiver.requests, [])
            equal(site.ask("/api/v1/webhook", headers=of("ana")).status, 403)
            equal(told(site, of("root")), [])


def what_cannot_be_is_told_at_the_start(program):
    with tempfile.TemporaryDirectory() as folder:
        secret, rules = (os.path.join(folder, name) for name in ("secret", "rules"))
        for path, text in ((secret, SECRET), (rules, RULES)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        own = ("--store", os.path.join(folder, "store"), "--rows", "asked", "--webhook-secret-file", secret, "--webhook-rules", rules)
        has(fails(program, *own, "--webhook", "ftp://example.org/", status=2), "https://")
        has(fails(program, *own, "--webhook", "https://a:b@example.org/", status=2), "no user")
        has(fails(program, *own[:4], "--webhook", "https://example.org/", status=2), "webhook-secret-file")
        has(fails(program, *own[:2], *own[4:], "--webhook", "https://example.org/", status=2), "rows")
        for text, said in (("time of a.B grows <= 5\n", "line 1"), ("time of a.B <= 5 ms on thread main\n", "line 1 is about threads"),
                           ("calls of a.B in 1\nmax of a.B <= 5 ms\n", "line 2 is about threads")):
            with open(rules, "w", encoding="utf-8") as file:
                file.write(text)
            has(fails(program, *own, "--webhook", "https://example.org/", status=2), said)


def receiver_of_the_document_verifies(program):
    """The example of docs/webhook.md, as it stands there."""
    text = read(os.path.join(ROOT, "docs", "webhook.md")).decode()
    example = re.search(r"```python receiver\.py\n(.*?)```", text, re.S)[1]
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("receiver.py", example), ("secret", SECRET + "\n"), ("wrong", SECRET + "x\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        for secret, state in (("secret", "delivered"), ("wrong", "waiting")):
            port = ports.Port()
            with subprocess.Popen([sys.executable, "receiver.py", secret, str(port.number)], cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) as receiver:
                try:
                    with hooked(program, "http://127.0.0.1:%d/" % port.number, "--webhook-to", "127.0.0.1") as site:
                        put_worse(site)
                        wait_until(lambda: told(site) and told(site)[0]["status"])
                        equal((secret, told(site)[0]["state"]), (secret, state))
                        equal(told(site)[0]["status"], 204 if secret == "secret" else 401)
                finally:
                    receiver.kill()
                    port.close()
                said = receiver.stdout.read()
            equal((secret, "shop 418" in said), (secret, secret == "secret"))


TESTS = [worse_build_is_told_once, build_that_is_no_worse_is_not_told, methods_without_a_row_are_no_growth,
         names_are_cut_where_they_are_long, receiver_that_fails_is_asked_again,
         receiver_that_never_takes_it_is_given_up, private_addresses_are_not_reached, several_processes_tell_it_once,
         what_members_alone_read_is_not_told, what_cannot_be_is_told_at_the_start, receiver_of_the_document_verifies]
