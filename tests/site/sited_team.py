"""Tests of sited.py: people who sign in at a provider, by the recipe of packaging/site and the commands of docs/site-team.md."""

import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

from running import DATA, ROOT, SMALL, equal, has, read
from sited_proxied import NGINX, BASE, Proxied

PEOPLE = {"ana": ("ana@example.org", ""), "bob": ("bob@example.org", "dev"), "eve": ("eve@example.org", "perf,dev")}


class Login(http.server.BaseHTTPRequestHandler):
    """What of oauth2-proxy and a provider is asked: /authorize is the provider's, where the person is the one that the
    request names; all below /oauth2/ is oauth2-proxy's, whose sessions are the names themselves."""

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    def answer(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):
        path, _, query = self.path.partition("?")
        fields = dict(urllib.parse.parse_qsl(query))
        session = re.search(r"_oauth2_proxy=(\w+)", self.headers.get("Cookie") or "")
        if path == "/oauth2/auth" and session and session[1] in PEOPLE:
            email, groups = PEOPLE[session[1]]
            self.answer(202, X_Auth_Request_User=session[1], X_Auth_Request_Email=email, **({"X_Auth_Request_Groups": groups} if groups else {}))
        elif path == "/oauth2/auth":
            self.answer(401)
        elif path == "/oauth2/start":
            self.answer(302, Location="/authorize?redirect_uri=/oauth2/callback&state=" + urllib.parse.quote(fields["rd"]))
        elif path == "/authorize":
            self.answer(302, Location="%s?code=%s&state=%s" % (fields["redirect_uri"], fields["login"], urllib.parse.quote(fields["state"])))
        elif path == "/oauth2/callback" and fields["code"] in PEOPLE:
            self.answer(302, Location=fields["state"], Set_Cookie="_oauth2_proxy=%s; Path=/; HttpOnly" % fields["code"])
        else:
            self.answer(403)


class SignedIn:
    """A site with nginx before it, whose people sign in."""

    def __init__(self, program, *options):
        self.login = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Login)
        threading.Thread(target=self.login.serve_forever, daemon=True).start()
        self.proxied = Proxied(program, *options, name="nginx-oauth2.conf", login_port=self.login.server_address[1])

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.proxied.__exit__(*problem)
        self.login.shutdown()
        self.login.server_close()

    def ask(self, path, *headers, **more):
        return self.proxied.ask(BASE + path, *headers, **more)


def cookie(name):
    return "Cookie: _oauth2_proxy=" + name


USERS = ("--users", "proxy", "--uploads", "proxy", "--admins", "group:perf", "--list")


def people_sign_in_and_programs_pass_by_their_tokens(program):
    with SignedIn(program, *USERS) as team:
        html = "Accept: text/html"
        answer = team.ask("/list", html)
        has(answer, b"HTTP/1.1 302 ")
        has(answer, b"/oauth2/start?rd=/traces/list\r\n")
        for headers in ((), ("X-Forwarded-User: root", "X-Forwarded-Groups: perf"), ("Authorization: Bearer " + "0" * 32,), (cookie("mallory"),),
                        ("Authorization: Bearer tvp_" + "0" * 32,), ("Authorization: Bearer tvp_",)):
            has(team.ask("/list", *headers), b"HTTP/1.1 401 ")
            has(team.ask("/api/v1/traces?name=a.trace", *headers, method="PUT", body=read(SMALL)), b"HTTP/1.1 401 ")
        # The way of a browser: to the provider, and back.
        host = team.login.server_address
        steps = subprocess.run(["curl", "-sS", "-D", "-", "http://127.0.0.1:%d/oauth2/start?rd=/traces/list" % host[1]], capture_output=True, check=True)
        has(steps.stdout, b"/authorize?")
        steps = subprocess.run(["curl", "-sS", "-D", "-", "http://127.0.0.1:%d/authorize?redirect_uri=/oauth2/callback&state=/traces/list&login=ana" % host[1]],
                               capture_output=True, check=True)
        has(steps.stdout, b"/oauth2/callback?code=ana")
        steps = team.proxied.ask("/oauth2/callback?code=ana&state=/traces/list")
        has(steps, b"_oauth2_proxy=ana")
        # What they bring is theirs, by the name that the provider has.
        trace = team.ask("/api/v1/traces?name=a.trace", cookie("ana"), method="PUT", body=read(SMALL))
        has(trace, b"HTTP/1.1 201 ")
        own = re.search(rb'"id":"([0-9a-f]{32})"', trace)[1].decode()
        path = "/api/v1/traces/" + own
        for name, status in (("bob", b"403"), ("eve", b"200"), ("ana", b"200")):
            has(team.ask(path, cookie(name), "Content-Type: application/x-www-form-urlencoded", method="PATCH", body=b"title=T"), b"HTTP/1.1 %s " % status)
        has(team.ask(path, cookie("bob"), "X-Forwarded-Groups: perf", method="DELETE"), b"HTTP/1.1 403 ")
        has(team.ask("/list?of=all", cookie("eve"), html), own.encode())
        # A token of a program has no session.
        made = team.ask("/api/v1/tokens", cookie("ana"), "Content-Type: application/x-www-form-urlencoded", method="POST", body=b"name=CI&upload=1&read=1")
        token = re.search(rb"tvp_[0-9a-f]{32}", made)[0].decode()
        by = "Authorization: Bearer " + token
        has(team.ask("/api/v1/traces?name=a.trace", by, method="PUT", body=read(SMALL)), b"HTTP/1.1 201 ")
        has(team.ask("/api/v1/traces", by, "X-Forwarded-User: eve@example.org"), own.encode())
        has(team.ask("/api/v1/tokens", by), b"HTTP/1.1 403 ")
        log = read(os.path.join(team.proxied.folder.name, "nginx.log")).decode("utf-8")
        assert own not in log and token not in log, log
        has(log, " - ana@example.org [")


def files_of(page):
    return dict(re.findall(r"^```ini (\S+)\n(.*?)^```$", page, re.M | re.S))


def commands_of_the_page_do_what_it_says(program):
    """Each block of sh, one behind the other, in one shell that ends at the first command that fails."""
    page = read(os.path.join(ROOT, "docs", "site-team.md")).decode("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        here = lambda text: text.replace("/etc/traceview", folder).replace("/var/backups", folder)
        for name, content in files_of(page).items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                # The address is the one that the test has; settings of options are stronger.
                file.write(here(content))
        with SignedIn(program, "--config", os.path.join(folder, "site.conf")) as team:
            site = team.proxied.site
            os.mkdir(os.path.join(folder, "bin"))
            os.symlink(program, os.path.join(folder, "bin", "traceview"))
            shutil.copy(os.path.join(DATA, "recipes.trace.zst"), os.path.join(folder, "app.trace"))
            script = "set -eu -o pipefail\n" + "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S))
            # Every night is more than the first one.
            nightly = re.search(r"^```sh\n(traceview store backup .*?)^```$", page, re.M | re.S)[1]
            assert script.count(nightly) == 1, nightly
            script = script.replace(nightly, nightly * 2)
            script = script.replace("/usr/share/doc/traceview-site/examples", os.path.join(ROOT, "packaging", "site"))
            script = here(script).replace("https://traces.example.org", "http://" + team.proxied.host)
            script = script.replace("127.0.0.1:8192", "127.0.0.1:%d" % site.port).replace("/var/lib/traceview", site.store)
            if not shutil.which("promtool"):
                print("skipped: promtool, of Debian's prometheus, is not there to check the rules", file=sys.stderr)
                script = re.sub(r"^promtool .*\n", "", script, flags=re.M)
            assert script.count("\n") > 20
            environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"], COOKIE="_oauth2_proxy=ana", XDG_DATA_HOME=os.path.join(folder, "data"), no_proxy="*")
            run = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=240)
            equal((run.returncode, run.stderr if run.returncode else ""), (0, ""))
            for said in ("users = proxy", "ready\n", '"build":"418"', "methods that are called more or less often: 0", "faults: 0", "its user: eve@example.org", "deleted: "):
                has(run.stdout, said)


TESTS = [people_sign_in_and_programs_pass_by_their_tokens, commands_of_the_page_do_what_it_says]
if not NGINX:
    print("skipped: nginx is not there, so nobody signs in before a site", file=sys.stderr)
    TESTS = []
