"""Tests of sited.py: people whom a trusted proxy names. The test is the proxy, since it asks from this machine."""

import json

from running import FORM, SMALL, Site, equal, has, read, wait_until

OPTIONS = ("--trusted-proxies", "127.0.0.1", "--users", "proxy")
ADMINS = ("--admins", "root, group:perf")


def of(user, *groups):
    headers = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-User": user}
    return dict(headers, **{"X-Forwarded-Groups": ",".join(groups)}) if groups else headers


def put(site, user, **fields):
    return site.put(read(SMALL), headers=of(user), **fields)


def own(site, headers, query=""):
    return [trace["id"] for trace in site.ask("/api/v1/traces" + query, headers=headers).json["traces"]]


def user_owns_what_they_uploaded(program):
    """Without a token: they change, fetch and delete it, and others do not."""
    with Site(program, *OPTIONS) as site:
        trace = put(site, "ana")
        path = "/api/v1/traces/" + trace["id"]
        equal([site.ask(path, headers=of(user)).json["owner"] for user in ("ana", "bob")], [True, False])
        equal(site.ask(path).json["owner"], False)
        equal([site.ask(path, "PATCH", of(user), "title=T").status for user in ("bob", "ana")], [403, 200])
        equal(site.ask(path, "PATCH", body="title=U").status, 401)
        equal([site.ask(path + "/raw", headers=of(user)).status for user in ("bob", "ana")], [403, 200])
        equal((own(site, of("ana")), own(site, of("bob"))), ([trace["id"]], []))
        equal([site.ask(path, "DELETE", of(user)).status for user in ("bob", "ana")], [403, 204])


def upload_in_pieces_goes_on_by_its_user(program):
    content = read(SMALL)
    with Site(program, *OPTIONS) as site:
        upload = site.ask("/api/v1/uploads?name=a.trace", "POST", of("ana")).json
        piece = lambda user: site.ask(upload["url"], "PATCH", dict(of(user), **{"Upload-Offset": "0"}), content).status
        equal([piece(user) for user in ("bob", "ana")], [404, 204])
        for _ in range(2):  # a client that heard no answer asks again
            answer = site.ask(upload["url"] + "/complete", "POST", of("ana"))
            assert answer.status in (200, 201), (answer.status, answer.text)
            assert "owner_token" not in answer.json, answer.json
        equal(own(site, of("ana")), [upload["id"]])


def nobody_has_a_name_unless_it_is_wanted(program):
    """As before: the header of users means nothing, whatever else is believed of the proxy."""
    with Site(program, "--trusted-proxies", "127.0.0.1") as site:
        trace = put(site, "ana")
        equal(site.ask("/api/v1/traces/" + trace["id"], headers=of("ana")).json["owner"], False)
    with Site(program, "--trusted-proxies", "192.0.2.1", "--users", "proxy") as site:
        trace = put(site, "ana")
        equal(site.ask("/api/v1/traces/" + trace["id"], headers=of("ana")).json["owner"], False)


def who_asks_much_is_no_harm_to_others_behind_the_same_address(program):
    """Rates are by user where the proxy names one, and by address for those without a name and before a token was looked up."""
    content = read(SMALL)
    statuses = lambda site, headers, count, **how: [site.ask("/stored", headers=headers, **how).status for _ in range(count)]
    nobody = {"X-Forwarded-For": "192.0.2.7"}
    with Site(program, *OPTIONS, "--request-rate", "5/min") as site:
        equal(statuses(site, of("eve"), 6), [200] * 5 + [429])
        refused = site.ask("/stored", headers=of("eve"))
        has(refused.text, "too many requests of this user (request-rate = 5/min): try again in ")
        assert 0 < int(refused.headers["Retry-After"]) <= 12
        equal(statuses(site, of("bob"), 5), [200] * 5)
        equal(statuses(site, nobody, 6), [200] * 5 + [429])
        has(site.ask("/stored", headers=nobody).text, "too many requests from this address (request-rate = 5/min)")
        equal(statuses(site, of("ana"), 5), [200] * 5)
        # A new address is no new user, and the token that nobody has looked up yet is no user.
        equal(statuses(site, dict(of("eve"), **{"X-Forwarded-For": "192.0.2.8"}), 1), [429])
        equal(statuses(site, dict(nobody, Authorization="Bearer tvp_" + "0" * 32), 1), [429])
    with Site(program, *OPTIONS, "--uploads", "proxy", "--upload-rate", "2/h") as site:
        upload = lambda headers: site.ask("/api/v1/traces?name=a.trace", "PUT", headers, content).status
        tokens = [site.ask("/api/v1/tokens", "POST", dict(of(user), **FORM), "name=CI&upload=1").json["token"] for user in ("eve", "bob")]
        by = [dict(nobody, Authorization="Bearer " + token) for token in tokens]
        equal([upload(headers) for headers in (of("eve"), by[0], by[0], of("eve"))], [201, 201, 429, 429])
        has(site.ask("/api/v1/uploads", "POST", by[0]).text, "too many uploads of this user (upload-rate = 2/h)")
        equal([upload(headers) for headers in (by[1], of("bob"), by[1])], [201, 201, 429])


def two_names_or_lists_of_groups_are_refused(program):
    with Site(program, *OPTIONS, *ADMINS) as site:
        for name in ("X-Forwarded-User", "X-Forwarded-Groups"):
            head = "GET /stored HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nX-Forwarded-User: ana\r\n"
            has(site.send((head + "%s: a\r\n%s: b\r\n\r\n" % (name, name)).encode()), b"HTTP/1.1 400 ")


def admin_changes_everything_and_the_log_tells(program):
    """By name or by group; an administrator has no more rights than others where no name says so."""
    with Site(program, *OPTIONS, *ADMINS) as site:
        traces = [put(site, user) for user in ("ana", "bob")]
        path = "/api/v1/traces/" + traces[0]["id"]
        for headers, status in ((of("eve"), 400), (of("eve", "perfect", "per"), 400), (of("group:perf"), 400),
                                (of("eve", "dev", "perf"), 200), (of("root"), 200)):
            equal((headers, site.ask("/api/v1/traces?of=all", headers=headers).status), (headers, status))
        equal(sorted(own(site, of("root"), "?of=all")), sorted(trace["id"] for trace in traces))
        equal(own(site, of("root"), "?of=mine"), [])
        equal([site.ask(path, "PATCH", headers, "label_team=perf").status for headers in (of("eve", "dev"), of("eve", "perf"))],
              [403, 200])
        equal(site.ask(path, "DELETE", of("root")).status, 204)
        lines = lambda: [json.loads(line) for line in site.read_log().splitlines() if line.startswith("{")]
        changes = lambda: [line for line in lines() if line.get("right") == "admin"]
        wait_until(lambda: len(changes()) == 2)
        equal([(line["method"], line["user"]) for line in changes()], [("PATCH", "eve"), ("DELETE", "root")])


def list_page_has_mine_and_all(program):
    html = {"Accept": "text/html"}
    with Site(program, *OPTIONS, *ADMINS) as site:
        trace = put(site, "ana", title="A cold start")
        page = lambda path, headers: site.ask(path, headers=dict(headers, **html))
        equal(page("/list", {}).status, 404)
        has(page("/list", of("ana")).text, "A cold start")
        assert "A cold start" not in page("/list?of=mine", of("bob")).text
        equal(page("/list?of=all", of("bob")).status, 400)
        everything = page("/list?of=all", of("root")).text
        has(everything, "A cold start")
        has(everything, "<td>ana</td>")
        # The owner's page asks whom the proxy knows for no token, and does what it says.
        owner = "/trace/%s/owner" % trace["id"]
        asks = lambda headers: 'name="owner_token"' in page(owner, headers).text
        equal((asks(of("ana")), asks(of("bob"))), (False, True))
        change = lambda headers: site.ask(owner, "POST", dict(headers, **FORM), "action=save&title=Warm").status
        equal(change(of("bob")), 403)
        equal(change(dict(of("ana"), Origin="https://evil.example.org")), 403)
        equal(change(dict(of("ana"), **{"Sec-Fetch-Site": "cross-site"})), 403)
        equal(change(of("ana")), 303)
        equal(site.ask("/api/v1/traces/" + trace["id"]).json["title"], "Warm")


TESTS = [
    user_owns_what_they_uploaded,
    upload_in_pieces_goes_on_by_its_user,
    nobody_has_a_name_unless_it_is_wanted,
    who_asks_much_is_no_harm_to_others_behind_the_same_address,
    two_names_or_lists_of_groups_are_refused,
    admin_changes_everything_and_the_log_tells,
    list_page_has_mine_and_all,
]
