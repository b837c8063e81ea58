"""What people do who mean no good: other sites' pages, guesses, markup in names, forged headers, bombs, wrong clocks."""

import gzip
import json
import os
import re
import socket
import struct
import subprocess
import tempfile

from running import SMALL, Site, bearer, equal, has, read, wait_until

MARKUP = "\"><script>alert('1')</script><svg onload=alert(1)>&amp;</title>"


def other_sites_pages_change_nothing(program):
    content = read(SMALL)
    with Site(program) as site:
        own = "http://127.0.0.1:%d" % site.port
        trace = site.put(content)
        path = "/api/v1/traces/" + trace["id"]
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                        {"Sec-Fetch-Site": "same-site"}, {"Origin": own + ".evil.example"},
                        {"Origin": "http://evil.example#" + own}, {"Origin": own, "Sec-Fetch-Site": "cross-site"}):
            equal(site.ask("/api/v1/traces", "PUT", headers, content).status, 403)
            equal(site.form(("trace_file", "a.trace", content), headers=headers).status, 403)
            equal(site.ask("/api/v1/uploads", "POST", headers).status, 403)
            equal(site.ask(path, "PATCH", dict(bearer(trace), **headers), b"title=x").status, 403)
            equal(site.ask(path, "DELETE", dict(bearer(trace), **headers)).status, 403)
            equal(site.ask("/trace/%s/owner" % trace["id"], "POST", headers,
                           ("action=delete&owner_token=" + trace["owner_token"]).encode()).status, 403)
        equal(site.trace(trace)["title"], "")
        for headers in ({"Origin": own}, {"Origin": own, "Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}):
            equal(site.ask("/api/v1/traces", "PUT", headers, content).status, 201)
        answer = site.ask("/api/v1/traces", headers={"Origin": "https://evil.example"})
        assert "Access-Control-Allow-Origin" not in answer.headers
        equal(site.ask("/api/v1/traces", "OPTIONS", {"Origin": "https://evil.example"}).status, 405)
        assert "Set-Cookie" not in site.ask("/").headers


def changes_need_the_token_itself(program):
    with Site(program) as site:
        trace, other = site.put(read(SMALL)), site.put(read(SMALL))
        path = "/api/v1/traces/" + trace["id"]
        wrong = [{}, {"Cookie": "owner_token=" + trace["owner_token"]}, {"Authorization": "Bearer"},
                 {"Authorization": "Basic " + trace["owner_token"]}]
        refused = [bearer(other), {"Authorization": "Bearer " + trace["owner_token"][:-1]},
                   {"Authorization": "Bearer " + trace["owner_token"].upper() + "0"},
                   {"Authorization": "Bearer " + trace["owner_token"] + " "[:0] + "0"}]
        for method, body in (("PATCH", b"title=x"), ("DELETE", None)):
            for headers in wrong:
                equal(site.ask(path, method, headers, body).status, 401)
            for headers in refused:
                equal(site.ask(path, method, headers, body).status, 403)
        form = "/trace/%s/owner" % trace["id"]
        equal(site.ask(form, "POST", None, b"action=delete").status, 403)
        equal(site.ask(form, "POST", None, ("action=delete&owner_token=" + other["owner_token"]).encode()).status, 403)
        equal(site.ask(path + "/raw").status, 403)
        equal(site.ask(path + "/raw", headers=bearer(other)).status, 403)
        equal(site.trace(trace)["title"], "")


def guessed_ids_lead_nowhere(program):
    with Site(program, "--md5-links=no") as site:
        trace = site.ready(site.put(read(SMALL)))
        near = [trace["id"][:-1] + digit for digit in "0123456789abcdef" if digit != trace["id"][-1]]
        for guess in near + ["0" * 32, "f" * 32, trace["id"].upper() + "", trace["md5"], trace["md5"].lower()]:
            if guess == trace["id"]:
                continue
            for path in ("/trace/%s", "/trace/%s/", "/trace/%s/api/info", "/trace/%s/raw", "/api/v1/traces/%s",
                         "/api/v1/uploads/%s"):
                answer = site.ask(path % guess, headers={"Authorization": "Bearer " + "0" * 32})
                equal(answer.status, 404)
                assert trace["id"] not in answer.text
        equal(site.ask("/list").status, 404)
        equal(site.ask("/api/v1/traces").status, 401)
    with Site(program, "--request-rate", "20/min") as site:
        statuses = [site.ask("/api/v1/traces/%032x" % number).status for number in range(25)]
        equal((statuses[0], statuses[-1]), (404, 429))


def whoever_has_no_token_is_shown_no_hidden_trace(program):
    """Authorization that is no owner token, such as a password that a proxy asked for, makes nobody an owner."""
    for options, status, count in (((), 401, None), (("--list",), 200, 1)):
        with Site(program, *options) as site:
            site.put(read(SMALL), title="hidden")
            site.put(read(SMALL), title="shown", listed="1")
            for value in ("Basic YTpi", "Bearer", "Bearer ", "", ",", "Bearer, x"):
                for headers in ({"Authorization": value}, {"Authorization": value, "X-Owner-Token": ","}):
                    answer = site.ask("/api/v1/traces", headers=headers)
                    equal(answer.status, status)
                    if count is not None:
                        equal([trace["title"] for trace in answer.json["traces"]], ["shown"])


def names_full_of_markup_stay_text(program):
    with Site(program, "--list") as site:
        name = MARKUP.replace("/", "") + "\r\nX-Evil: 1"
        answer = site.form(("title", MARKUP), ("note", MARKUP), ("label_app", MARKUP), ("listed", "1"),
                           ("trace_file", MARKUP.replace('"', "%22"), read(SMALL)), path="/api/v1/traces")
        equal(answer.status, 201)
        trace = answer.json
        equal((trace["title"], trace["labels"]["app"]), (MARKUP, MARKUP))
        named = site.ask("/api/v1/traces?raw_shared=1&listed=1&name=" + re.sub(r"[^a-z]", lambda c: "%%%02x" % ord(c[0]), name),
                         "PUT", None, read(SMALL)).json
        assert "\n" not in named["file"] and "\r" not in named["file"], named["file"]
        for one in (trace, named):
            site.ready(one)
            base = "/trace/%s" % one["id"]
            for path in (base + "/", base + "/owner", base + "/flame", "/list", "/list?q=%3Cscript%3E"):
                page = site.ask(path, headers={"Accept": "text/html"})
                if page.status == 503:
                    continue  # built without the viewer's page
                equal(page.status, 200)
                for text in ("<script>alert", "<svg onload", "&amp;</title>"):
                    assert text not in page.text, (path, text)
                policy = page.headers["Content-Security-Policy"]
                has(policy, "default-src 'none'")
                assert "unsafe-inline" not in policy or "sandbox" in policy, policy
            raw = site.ask(base + "/raw", headers=bearer(one))
            assert "X-Evil" not in raw.headers
            has(raw.headers["Content-Disposition"], "attachment")
        wait_until(lambda: "/api/v1/traces" in site.read_log())
        for line in site.read_log().splitlines():
            if line.startswith("{"):
                json.loads(line)
                assert "<script>" not in line and trace["id"] not in line and trace["owner_token"] not in line, line


def paths_in_names_and_addresses_open_nothing(program):
    with Site(program) as site:
        trace = site.form(("trace_file", "../../../../etc/passwd", read(SMALL)), path="/api/v1/traces").json
        equal(trace["file"], "passwd")
        assert not os.path.exists(os.path.join(site.store, "..", "etc"))
        for path in ("/static/../../etc/passwd", "/static/..%2f..%2fetc%2fpasswd", "/../etc/passwd", "//etc/passwd",
                     "/trace/../../etc/passwd", "/trace/%s/../../store.sqlite" % trace["id"], "/static/%00", "/%2e%2e/",
                     "/trace/" + trace["id"] + "%00", "/trace/" + trace["id"] + "/%2e%2e/", "/static/.", "/static/.."):
            equal(site.ask(path).status, 404)
        equal(site.send(b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")[:12],
              b"HTTP/1.1 404")


def forged_hosts_and_proxies_are_not_believed(program):
    content = read(SMALL)
    with Site(program, "--upload-rate", "2/h") as site:
        for host in ("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example"):
            equal(site.ask("/", headers={"Host": host}).status, 421)
            equal(site.ask("/metrics", headers={"Host": host}).status, 421)
            equal(site.ask("/healthz", headers={"Host": host}).status, 200)
        for host in ("localhost", "127.0.0.1:1", "[::1]:8192", "LOCALHOST:9"):
            equal(site.ask("/", headers={"Host": host}).status, 200)
        for number in range(2):
            equal(site.ask("/api/v1/traces", "PUT", {"X-Forwarded-For": "192.0.2.%d" % number}, content).status, 201)
        equal(site.ask("/api/v1/traces", "PUT", {"X-Forwarded-For": "192.0.2.9"}, content).status, 429)
        answer = site.ask("/trace/" + "0" * 32, headers={"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"})
        assert "evil.example" not in answer.text + str(answer.headers)
        equal(site.ask("/", headers={"Host": "evil.example", "X-Forwarded-Host": "localhost"}).status, 421)
    with Site(program, "--uploads", "proxy", "--trusted-proxies", "192.0.2.1") as site:
        headers = {"X-Forwarded-User": "root", "X-Forwarded-For": "192.0.2.1"}
        equal(site.ask("/api/v1/traces", "PUT", headers, content).status, 401)
    with Site(program, "--uploads", "proxy", "--trusted-proxies", "127.0.0.1") as site:
        equal(site.ask("/api/v1/traces", "PUT", None, content).status, 401)
        headers = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-User": "ann"}
        equal(site.ask("/api/v1/traces", "PUT", headers, content).status, 201)


def bombs_fail_and_cost_nothing_else(program):
    beginning = b"*version\n3\nclock=dual\n"
    with Site(program, "--worker-memory", "1G") as site, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bomb")
        with open(path, "wb") as file:
            file.write(beginning)
            for _ in range(200):
                file.write(bytes(1 << 20))
        packed = {"a.trace.gz": gzip.compress(read(path), 9),
                  "a.trace.zst": subprocess.run(["zstd", "-q", "-c", path], capture_output=True, check=True).stdout}
        for name, bomb in packed.items():
            assert len(bomb) < 1 << 20, len(bomb)
            trace = site.ready(site.put(bomb, name=name))
            equal(trace["state"], "failed")
            assert trace["reason"], trace
            equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 422)
            page = site.ask("/trace/%s/" % trace["id"])
            equal(page.status, 200)
            has(page.text, "&#" if "'" in trace["reason"] else trace["reason"][:20])
        good = site.put(read(SMALL))
        equal(site.ready(good)["state"], "ready")


def index_beyond_its_bound_is_refused_with_a_way_out(program):
    """Packets of which each is a thread of its own: the index takes 80 bytes for each byte."""
    options = b"*version\n4\nclock=wall\n*end\n"
    count = 1_000_000
    packet = struct.pack("<BIHBI", 2, 0, 1, 0, 3) + b"\x80\x20\1"
    threads = bytearray(packet * count)
    numbers = struct.pack("<%dI" % count, *range(1, count + 1))
    for byte in range(4):    # the number of the thread
        threads[1 + byte::len(packet)] = numbers[byte::4]
    dump = (b"SLOW" + struct.pack("<HQQQH", 4, 5, 0, 0, 0) + b"\1" + struct.pack("<QH", 0x1000, 4) + b"a\tb\n" + threads
            + b"\3" + struct.pack("<H", len(options)) + options)
    with Site(program) as site:
        trace = site.ready(site.put(dump, name="threads.trace"))
        equal(trace["state"], "failed")
        has(trace["reason"], "the local viewer opens it with --unpack-all")


def clock_that_jumps_costs_nothing(program):
    """A library that is loaded before the others adds what a file says to the time."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumping_clock.c")
    with Site(program) as folder:
        store = os.path.join(folder.folder.name, "other")
        library = os.path.join(folder.folder.name, "jumping_clock.so")
        shift = os.path.join(folder.folder.name, "shift")
        if subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=False).returncode != 0:
            print("skipped: clock_that_jumps_costs_nothing: no compiler")
            return

        def jump(seconds):
            with open(shift, "w", encoding="utf-8") as file:
                file.write(str(seconds))

        jump(0)
        variables = {"LD_PRELOAD": library, "TRACEVIEW_TEST_SHIFT": shift}
        if os.path.exists(os.path.join(os.path.dirname(program), "meson-private")) and "asan" in program:
            print("skipped: clock_that_jumps_costs_nothing: under a sanitizer no other library is loaded first")
            return
        with Site(program, "--expires", "10d", store=store, variables=variables) as site:
            trace = site.ready(site.put(read(SMALL)))
            for seconds in (-86400 * 365, 86400 * 5, 0):
                jump(seconds)
                equal(site.trace(trace)["state"], "ready")
                equal(site.ask("/api/v1/traces/%s/view/info" % trace["id"]).status, 200)
                again = site.put(read(SMALL))
                equal(site.ready(again)["state"], "ready")
            jump(86400 * 11)
            equal(site.ask("/api/v1/traces/" + trace["id"]).status, 404)
            jump(0)  # the clock was ahead: the trace is there again, and its file too
            equal(site.trace(trace)["state"], "ready")
            equal(site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace)).body, read(SMALL))


def site_of_all_addresses_answers_to_no_name_of_others(program):
    """As in a container. A page whose name resolves to this address bears its own name (DNS rebinding)."""
    everywhere = ("--listen", "0.0.0.0:0")
    with Site(program, *everywhere) as site:
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::1].evil.example", "1.2.3", "[evil]", ""):
            answer = site.ask("/", headers={"Host": host})
            equal((host, answer.status), (host, 421))
            has(answer.text, "public-url")
            equal(site.ask("/healthz", headers={"Host": host}).status, 200)
        for host in ("localhost:1", "127.0.0.1", "192.0.2.7:8192", "[2001:db8::7]:8192", socket.gethostname(), socket.gethostname().upper() + ":8192"):
            equal((host, site.ask("/", headers={"Host": host}).status), (host, 200))
    with Site(program, *everywhere, "--public-url", "https://traces.example.org") as site:
        for host, status in (("traces.example.org", 200), ("192.0.2.7:8192", 421), ("localhost", 421), (socket.gethostname(), 421)):
            equal((host, site.ask("/", headers={"Host": host}).status), (host, status))
        equal(site.ask("/metrics", headers={"Host": "192.0.2.7:8192"}).status, 200)
        equal(site.ask("/metrics", headers={"Host": "evil.example"}).status, 421)


def headers_that_a_proxy_could_read_otherwise_are_refused_once(program):
    with Site(program) as site:
        host = "Host: 127.0.0.1\r\n"
        for head in ("Host : 127.0.0.1\r\n", host + "Content-Length : 3\r\n", host + "Transfer-Encoding\t: chunked\r\n",
                     host + "X-Forwarded-User: root\0x\r\n", "X-A: b\n" + host, "X-A: b\r\n"):
            answer = site.send(("GET /healthz HTTP/1.1\r\n%sConnection: close\r\n\r\n" % head).encode())
            assert answer.startswith(b"HTTP/1.1 400 "), (head, answer)
            equal(answer.count(b"HTTP/1.1"), 1)
        for head in (host, host + "X-Empty:\r\n", host + "X-Blank: a b \r\n"):
            has(site.send(("GET /healthz HTTP/1.1\r\n%sConnection: close\r\n\r\n" % head).encode()), b"HTTP/1.1 200 ")
        has(site.send(b"GET /healthz HTTP/1.0\r\n\r\n"), b" 200 ")


def length_that_is_none_ends_the_connection(program):
    """The library refuses it before the site sees it, with a head that is there twice: so what matters is that nothing follows."""
    with Site(program) as site:
        for length, status in (("x", b"400"), ("-1", b"400"), ("1 2", b"400"), ("9" * 30, b"413"), ("", b"400")):
            answer = site.send(("PUT /a.trace HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %s\r\n\r\n"
                                "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % length).encode())
            head = answer.split(b"\r\n\r\n")[0]
            assert head.startswith(b"HTTP/1.1 %s " % status), (length, answer)
            has(head, b"Connection: close")
            assert b" 200 " not in answer, (length, answer)
        equal(site.ask("/api/v1/traces", headers=bearer({"owner_token": "0" * 32})).json["traces"], [])


TESTS = [length_that_is_none_ends_the_connection, site_of_all_addresses_answers_to_no_name_of_others, headers_that_a_proxy_could_read_otherwise_are_refused_once, other_sites_pages_change_nothing, changes_need_the_token_itself, guessed_ids_lead_nowhere,
         whoever_has_no_token_is_shown_no_hidden_trace, names_full_of_markup_stay_text,
         paths_in_names_and_addresses_open_nothing, forged_hosts_and_proxies_are_not_believed,
         bombs_fail_and_cost_nothing_else, index_beyond_its_bound_is_refused_with_a_way_out,
         clock_that_jumps_costs_nothing]
