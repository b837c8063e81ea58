"""Tests of sited.py: tokens by which programs ask in the name of the users who made them."""

import contextlib
import json
import os
import re
import sqlite3
import tempfile

from running import FORM, SMALL, Site, bearer, equal, has, read, viewer_status, wait_until
from sited_push import verb
from sited_users import ADMINS, OPTIONS, of, own, put


def made(site, user, scopes, **fields):
    body = "&".join(["name=CI", *("%s=1" % scope for scope in scopes.split()), *("%s=%s" % field for field in fields.items())])
    answer = site.ask("/api/v1/tokens", "POST", dict(of(user), **FORM), body)
    assert answer.status == 201, (answer.status, answer.text)
    return answer.json


def by(token):
    """As a program asks: by no proxy's name."""
    return {"X-Forwarded-For": "192.0.2.9", "Authorization": "Bearer " + token["token"]}


def program_does_what_its_token_is_for(program):
    content = read(SMALL)
    with Site(program, *OPTIONS, "--uploads", "proxy") as site:
        tokens = {scope: made(site, "ana", scope) for scope in ("upload", "read", "delete")}
        assert re.match(r"^tvp_[0-9a-f]{32}$", tokens["upload"]["token"])
        traces = {}
        for scope, token in tokens.items():
            answer = site.ask("/api/v1/traces?name=a.trace", "PUT", by(token), content)
            equal((scope, answer.status), (scope, 201 if scope == "upload" else 403))
            traces[scope] = answer.json
        trace = site.ready(dict(traces["upload"]))
        path = "/api/v1/traces/" + trace["id"]
        equal(own(site, of("ana")), [trace["id"]])
        for scope, token in tokens.items():
            headers = by(token)
            reads = scope == "read"
            equal((scope, site.ask(path, headers=headers).json["owner"]), (scope, reads))
            equal((scope, site.ask(path + "/raw", headers=headers).status), (scope, 200 if reads else 403))
            equal((scope, own(site, headers)), (scope, [trace["id"]] if reads else []))
            equal((scope, site.ask(path, "PATCH", dict(headers, **FORM), "title=T").status), (scope, 204 if scope == "upload" else 403))
            equal((scope, site.ask("/trace/%s/owner" % trace["id"], "POST", dict(headers, **FORM), "action=delete").status), (scope, 403))
            # The link is enough to look, whatever the token is for.
            equal((scope, site.ask(path + "/view/info", headers=headers).status), (scope, 200))
        other = put(site, "bob")
        for method in ("PATCH", "DELETE"):
            equal(site.ask("/api/v1/traces/" + other["id"], method, dict(by(tokens["delete" if method == "DELETE" else "upload"]), **FORM),
                           "title=T" if method == "PATCH" else None).status, 403)
        equal([site.ask(path, "DELETE", by(tokens[scope])).status for scope in ("read", "upload", "delete")], [403, 403, 204])
        lines = [json.loads(line) for line in site.read_log().splitlines() if '"right":"program"' in line]
        equal({(line["method"], line["user"], line["route"]) for line in lines},
              {("PATCH", "ana", "/api/v1/traces/{id}"), ("DELETE", "ana", "/api/v1/traces/{id}")})
        for token in tokens.values():
            assert token["token"] not in site.read_log()


def what_has_expired_is_brought_back_by_who_may_change_it(program):
    with Site(program, *OPTIONS, *ADMINS) as site:
        path = lambda trace: "/api/v1/traces/" + trace["id"]
        patch = lambda trace, headers, fields="expires=9d": site.ask(path(trace), "PATCH", dict(headers, **FORM), fields).status
        for number, headers in enumerate(("ana", "root", None, "program")):
            trace = site.ready(put(site, "ana", title="T%d" % number))
            headers = bearer(trace) if headers is None else by(made(site, "ana", "upload read")) if headers == "program" else of(headers)
            equal(patch(trace, of("ana"), "expires=1s"), 200)
            wait_until(lambda: site.ask(path(trace), headers=of("ana")).status == 404)
            for others in ({}, of("bob"), {"Authorization": "Bearer " + "0" * 32}):
                equal((number, patch(trace, others)), (number, 404))
            equal((number, patch(trace, headers, "title=X"), patch(trace, headers, "expires=x"), site.ask(path(trace), headers=headers).status), (number, 404, 400, 404))
            equal((number, site.ask(path(trace), "DELETE", headers).status), (number, 403 if number == 3 else 404))
            equal((number, patch(trace, headers)), (number, 200))
            again = site.ready(trace)
            equal((again["title"], again["state"], round((again["expires_s"] - again["created_s"]) / 86400)), ("T%d" % number, "ready", 9))
            equal(site.ask("/trace/%s/" % trace["id"]).status, viewer_status(program))
            equal(site.ask(path(trace), "DELETE", of("ana")).status, 204)
            equal(patch(trace, of("ana")), 404)


def the_end_of_an_upload_tells_no_token_of_a_program(program):
    with Site(program, *OPTIONS, "--uploads", "proxy") as site:
        headers = by(made(site, "ana", "upload"))
        upload = site.ask("/api/v1/uploads?name=a.trace", "POST", headers).json
        equal(site.ask(upload["url"], "PATCH", dict(headers, **{"Upload-Offset": "0"}), read(SMALL)).status, 204)
        for status in (201, 200):
            answer = site.ask(upload["url"] + "/complete", "POST", headers)
            equal((answer.status, "owner_token" in answer.json), (status, False))


def tokens_are_revoked_and_expire(program):
    with Site(program, *OPTIONS, *ADMINS, "--tokens-expire", "30d") as site:
        token = made(site, "ana", "upload read", expires="7d")
        equal(token["expires_s"] - token["created_s"], 7 * 86400)
        usual = made(site, "ana", "read")
        equal(usual["expires_s"] - usual["created_s"], 30 * 86400)
        asks = lambda which: site.ask("/api/v1/traces", headers=by(which)).status
        equal((asks(token), asks(usual)), (200, 200))
        with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"))) as database, database:
            rows = database.execute("SELECT * FROM program_tokens").fetchall()
            assert token["token"] not in str(rows) and token["token"][4:] not in str(rows)
            database.execute("UPDATE program_tokens SET expires = 1000 WHERE id = ?", (usual["id"],))
        equal((asks(token), asks(usual)), (200, 401))
        listed = site.ask("/api/v1/tokens", headers=of("ana")).json["tokens"]
        equal({row["id"]: row["expired"] for row in listed}, {token["id"]: False, usual["id"]: True})
        assert not any("token" in row for row in listed)
        equal(site.ask("/api/v1/tokens", headers=of("bob")).json["tokens"], [])
        # Others cannot revoke it, an administrator can.
        revoke = lambda user, which: site.ask("/api/v1/tokens/" + which["id"], "DELETE", of(user)).status
        equal([revoke(user, token) for user in ("bob", "root", "ana")], [404, 204, 404])
        equal(asks(token), 401)
        # What it is asked for does not matter, nor that the link would be enough.
        trace = put(site, "ana")
        equal(site.ask("/trace/%s/" % trace["id"], headers=by(token)).status, 401)
        equal(site.ask("/api/v1/traces?name=a.trace", "PUT", by(token), read(SMALL)).status, 401)
        for path in ("/", "/stored", "/static/site.css", "/healthz", "/api/v1/openapi.json"):
            equal((path, site.ask(path, headers=by(token)).status), (path, 401))
            equal((path, site.ask(path, headers=by(made(site, "ana", "upload"))).status == 200), (path, site.ask(path).status == 200))


def tokens_are_made_by_people_alone(program):
    with Site(program, *OPTIONS, *ADMINS) as site:
        token = made(site, "root", "upload read delete")
        for method, path in (("GET", "/api/v1/tokens"), ("POST", "/api/v1/tokens"), ("DELETE", "/api/v1/tokens/" + token["id"]),
                             ("GET", "/tokens"), ("POST", "/tokens")):
            body = "name=a&read=1" if method == "POST" else None
            equal((path, site.ask(path, method, dict(by(token), **FORM), body).status), (path, 403))
            equal((path, site.ask(path, method, FORM, body).status), (path, 401))
        # A token of an administrator sees no more than is its user's.
        put(site, "ana")
        equal(own(site, by(token)), [])
        equal(site.ask("/api/v1/traces?of=all", headers=by(token)).status, 400)
        # Another name beside it changes nothing.
        equal(site.ask("/api/v1/traces?of=all", headers=dict(of("root"), **by(token))).status, 400)
        for body in ("name=a", "name=&read=1", "name=a&read=2", "name=a&read=1&expires=never", "name=a&read=1&expires=366d", "name=a&read=1&x=1"):
            equal((body, site.ask("/api/v1/tokens", "POST", dict(of("ana"), **FORM), body).status), (body, 400))
        equal(site.ask("/api/v1/tokens", "POST", dict(of("ana"), Origin="https://evil.example", **FORM), "name=a&read=1").status, 403)
        for _ in range(99):
            made(site, "root", "read")
        equal(site.ask("/api/v1/tokens", "POST", dict(of("root"), **FORM), "name=a&read=1").status, 429)
        made(site, "ana", "read")
    with Site(program, "--trusted-proxies", "127.0.0.1") as site:
        equal(site.ask("/tokens", headers=of("ana")).status, 404)
        equal(site.ask("/api/v1/traces/" + "0" * 32, headers=by(token)).status, 401)


def page_makes_and_revokes_tokens(program):
    html = {"Accept": "text/html"}
    with Site(program, *OPTIONS) as site:
        has(site.ask("/", headers=dict(of("ana"), **html)).text, 'href="/tokens"')
        assert 'href="/tokens"' not in site.ask("/", headers=html).text
        answer = site.ask("/tokens", "POST", dict(of("ana"), **html, **FORM), "action=make&name=Nightly+%3Cb%3E&upload=1&read=0&delete=0&expires=")
        equal(answer.status, 201)
        token = {"token": re.search(r"tvp_[0-9a-f]{32}", answer.text)[0]}
        has(answer.text, "Nightly &lt;b&gt;")
        # It is not seen over a shoulder until it is asked for.
        has(answer.text.replace("\n", ""), '<details class="secret"><summary class="button">Show the token</summary><p class="copied"><code>' + token["token"])
        page = site.ask("/tokens", headers=dict(of("ana"), **html)).text
        assert token["token"] not in page
        equal(site.ask("/api/v1/traces", headers=by(token)).status, 200)
        bad = site.ask("/tokens", "POST", dict(of("ana"), **html, **FORM), "action=make&name=&upload=1")
        equal(bad.status, 400)
        has(bad.text, 'role="alert"')
        own_id = re.search(r'name="id" value="([0-9a-f]{32})"', page)[1]
        equal(site.ask("/tokens", "POST", dict(of("ana"), **html, **FORM), "action=revoke&id=" + own_id).status, 303)
        equal(site.ask("/api/v1/traces", headers=by(token)).status, 401)


def push_uploads_in_the_name_of_a_user(program):
    with Site(program, *OPTIONS, "--uploads", "proxy", "--list") as site, tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, "token")
        with open(path, "w", encoding="utf-8") as file:
            file.write(made(site, "ana", "upload")["token"] + "\n")
        url = "http://127.0.0.1:%d" % site.port
        equal(verb(program, home, "push", "--to", url, SMALL).returncode, 1)
        run = verb(program, home, "push", "--to", url, "--token-file", path, "--listed", SMALL)
        equal((run.returncode, run.stdout.count("/trace/")), (0, 1))
        trace = run.stdout.strip().rstrip("/").rsplit("/", 1)[1]
        equal(own(site, of("ana")), [trace])
        equal([row["id"] for row in site.ask("/api/v1/traces").json["traces"]], [trace])
        # The owner token is kept all the same.
        equal(verb(program, home, "push", "--delete", run.stdout.strip()).returncode, 0)
        wait_until(lambda: not own(site, of("ana")))
        run = verb(program, home, "push", "--to", url, "--token-file", path + "-not", SMALL)
        equal((run.returncode, run.stdout), (2, ""))


TESTS = [program_does_what_its_token_is_for, what_has_expired_is_brought_back_by_who_may_change_it,
         the_end_of_an_upload_tells_no_token_of_a_program, tokens_are_revoked_and_expire, tokens_are_made_by_people_alone,
         page_makes_and_revokes_tokens, push_uploads_in_the_name_of_a_user]
