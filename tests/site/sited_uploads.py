"""Uploads: each way in, what is refused, and what the uploader is told."""

import base64
import concurrent.futures
import hashlib
import os
import socket

from running import ID, PATIENCE_S, SMALL, Site, bearer, equal, has, multipart, read, sha256


def aflame_form_is_kept_and_redirected(program):
    content = read(SMALL)
    with Site(program) as site:
        answer = site.form(("trace_file", "recipes.trace.zst", content))
        equal(answer.status, 302)
        kind, trace_id = answer.headers["Location"].split("/")[1:]
        equal(kind, "trace")
        assert ID.match(trace_id), trace_id
        assert ID.match(answer.headers["X-Owner-Token"])
        link = site.ask("/trace/" + trace_id)
        equal((link.status, link.headers["Location"]), (302, "/trace/%s/" % trace_id))
        alias = site.ask("/trace/" + hashlib.md5(content).hexdigest().upper())
        equal((alias.status, alias.headers["Location"]), (302, "/trace/%s/" % trace_id))
        trace = site.ask("/api/v1/traces/" + trace_id).json
        equal((trace["file"], trace["bytes"]), ("recipes.trace.zst", len(content)))


def md5_comes_with_the_worker(program):
    """Of a form it is there at once, since AFlame's scripts use its link; of the bytes as a body a worker computes it, of what cannot
    be read, too, and the next upload of the same bytes has it."""
    content, bad = read(SMALL), b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"not deflated at all"
    with Site(program, "--role", "server") as site:
        trace = site.put(content)
        equal((trace["md5"], site.ask("/trace/" + hashlib.md5(content).hexdigest()).status), (None, 404))
        site.form(("trace_file", "a.trace", content))
        equal(site.ask("/trace/" + hashlib.md5(content).hexdigest()).status, 302)
    with Site(program) as site:
        for body in (content, bad):
            md5 = hashlib.md5(body).hexdigest().upper()
            traces = [site.ready(site.put(body)), site.put(body)]
            equal([site.trace(trace)["md5"] for trace in traces], [md5, md5])
            assert site.ask("/trace/" + md5).headers["Location"] in ["/trace/%s/" % trace["id"] for trace in traces]


def browser_form_is_answered_with_the_owner_token(program):
    with Site(program) as site:
        answer = site.form(("title", "Cold start"), ("label_app", "shop"), ("page", "1"),
                           ("trace_file", "a.trace", read(SMALL)))
        equal(answer.status, 201)
        has(answer.text, answer.headers["X-Owner-Token"])
        has(answer.headers["Content-Type"], "text/html")


def each_way_in_keeps_the_same_bytes(program):
    content = read(SMALL)
    with Site(program) as site:
        traces = [site.put(content),
                  site.ask("/api/v1/traces?name=b.trace", "POST", None, content).json,
                  site.form(("file", "c.trace", content), path="/api/v1/traces").json,
                  site.form(("trace_file", "d.trace", content), ("title", "after the file"),
                            path="/api/v1/traces").json]
        equal(traces[3]["title"], "after the file")
        equal([trace["file"] for trace in traces], ["a.trace.zst", "b.trace", "c.trace", "d.trace"])
        for trace in traces:
            raw = site.ask("/api/v1/traces/%s/raw" % trace["id"], headers=bearer(trace))
            equal((raw.status, raw.body), (200, content))
        files = [name for _, _, names in os.walk(os.path.join(site.store, "files")) for name in names]
        assert files.count(sha256(content)) + sum(sha256(content).endswith(name) for name in files) >= 1, files
        equal(len({trace["sha256"] for trace in traces}), 1)


def metadata_is_kept(program):
    with Site(program) as site:
        trace = site.put(read(SMALL), name="x.trace", title="Cold start", note="a\nb", label_app="shop",
                         label_device="Pixel", expires="30d", raw_shared="1", listed="1")
        equal((trace["file"], trace["title"], trace["note"]), ("x.trace", "Cold start", "a\nb"))
        equal(trace["labels"], {"app": "shop", "device": "Pixel"})
        equal(trace["expires_s"] - trace["created_s"], 30 * 86400)
        equal((trace["raw_shared"], trace["listed"], trace["owner"]), (True, True, True))
        for_ever = site.put(read(SMALL), expires="never")
        equal(for_ever["expires_s"], None)


def what_is_no_trace_is_refused_by_its_name(program):
    html = b"<!DOCTYPE html><html><head><title>Not found</title></head><body></body></html>"
    with Site(program) as site:
        for content, told in ((b"PK\x03\x04" + bytes(100), "zip"), (html, "web page"), (b"hello, world\n" * 9000, "trace"),
                              (b"\x7fELF" + bytes(200000), "trace"), (b"", "empty")):
            answer = site.ask("/api/v1/traces", "PUT", None, content)
            equal(answer.status, 415)
            has(answer.json["error"], told)
            answer = site.form(("trace_file", "a.trace", content))
            equal(answer.status, 415)
            has(answer.text, told)
            page = site.form(("trace_file", "a.trace", content), headers={"Accept": "text/html"})
            equal(page.status, 415)
            has(page.headers["Content-Type"], "text/html")
        equal(count_files(site), 0)


def count_files(site):
    return sum(len(names) for _, _, names in os.walk(os.path.join(site.store, "files")))


def forms_that_are_none_are_refused(program):
    content = read(SMALL)
    with Site(program) as site:
        cut = site.form(("trace_file", "a.trace", content), is_cut=True)
        equal(cut.status, 400)
        has(cut.text, "cut")
        equal(site.form(("other_file", "a.trace", content)).status, 400)
        equal(site.form(("title", "no file")).status, 400)
        equal(site.form(("trace_file", "", b"")).status, 400)
        equal(site.form(("trace_file", "as a text")).status, 400)
        equal(site.form(("trace_file", "a.trace", content), ("trace_file", "b.trace", content)).status, 400)
        equal(site.form(("title", "x" * 300), ("trace_file", "a.trace", content)).status, 400)
        equal(site.form(("note", "x" * 100000), ("trace_file", "a.trace", content)).status, 400)
        equal(site.ask("/upload_trace", "POST", {"Content-Type": "text/plain"}, b"hello").status, 415)
        for boundary in ("", '"', '"x', "x" * 71, "a\x01b"):
            headers = {"Content-Type": "multipart/form-data; boundary=" + boundary}
            equal(site.ask("/upload_trace", "POST", headers, b"--x\r\n\r\n").status, 400)
        equal(site.ask("/upload_trace", "POST", {"Content-Type": "multipart/form-data"}, b"x").status, 400)
        headers, body = multipart([("trace_file", "a.trace", content)])
        for behind in ("; charset=utf-8", ";"):
            answer = site.ask("/upload_trace", "POST", {"Content-Type": headers["Content-Type"] + behind}, body)
            equal(answer.status, 400)
            has(answer.text, "must be the end")
        headers, body = multipart([("trace_file", "a.trace", content)], boundary="x")
        answer = site.ask("/upload_trace", "POST", headers, body)
        equal(answer.status, 400)
        has(answer.text, "too short")
        equal(count_files(site), 0)
        equal(site.form(("unknown", "is skipped"), ("trace_file", "a.trace", content)).status, 302)


def form_may_come_byte_by_byte(program):
    """Boundaries fall between pieces, and the file has what looks like one."""
    content = b"*version\n3\nclock=dual\n" + b"\r\n--fr0ntie\r\n--\r\n-" * 50
    headers, body = multipart([("title", "slow"), ("trace_file", "a.trace", content)])
    with Site(program) as site:
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head = "POST /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n" \
                "Connection: close\r\n\r\n" % (headers["Content-Type"], len(body))
            connection.sendall(head.encode())
            for start in range(len(body)):
                connection.sendall(body[start:start + 1])
            answer = b""
            while True:
                piece = connection.recv(65536)
                if not piece:
                    break
                answer += piece
        has(answer, b"201 Created")
        has(answer, sha256(content).encode())
        has(answer, b'"title":"slow"')


def upload_that_is_too_long_is_refused_before_it_is_sent(program):
    content = read(SMALL)
    with Site(program, "--max-upload", "64K") as site:
        answer = site.ask("/api/v1/traces", "PUT", None, b"*version\n" + bytes(70000))
        equal(answer.status, 413)
        head = "PUT /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n"
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
            connection.sendall(head.encode())
            has(connection.recv(65536), b" 413 ")
        form = site.form(("trace_file", "a.trace", b"*version\n" + bytes(70000)))
        equal(form.status, 413)
        chunked = b"PUT /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + \
            b"8000\r\n" + b"*version\n" + bytes(0x8000 - 9) + b"\r\n" + (b"8000\r\n" + bytes(0x8000) + b"\r\n") * 3 + \
            b"0\r\n\r\n"
        has(site.send(chunked), b" 413 ")
        equal(site.ask("/api/v1/traces", "PUT", None, content).status, 201)


def checksum_is_compared(program):
    content = read(SMALL)
    right, wrong = hashlib.sha256(content), hashlib.sha256(b"other")
    with Site(program) as site:
        for headers, status in (({"X-Checksum-Sha256": right.hexdigest()}, 201),
                                ({"X-Checksum-Sha256": wrong.hexdigest()}, 422),
                                ({"Repr-Digest": "sha-256=:%s:" % base64.b64encode(right.digest()).decode()}, 201),
                                ({"Content-Digest": "sha-256=:%s:" % base64.b64encode(wrong.digest()).decode()}, 422),
                                ({"Content-Digest": "sha-256=:x:"}, 400), ({"X-Checksum-Sha256": "12"}, 400)):
            equal(site.ask("/api/v1/traces", "PUT", headers, content).status, status)
        equal(len(site.ask("/api/v1/traces", headers={"Authorization": "Bearer " + "0" * 32}).json["traces"]), 0)


def same_bytes_at_once_are_two_traces_and_one_file(program):
    content = read(SMALL)
    with Site(program, "--uploads-at-once-per-address", "0") as site:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            traces = list(pool.map(lambda _: site.put(content), range(8)))
        equal(len({trace["id"] for trace in traces}), 8)
        equal(len({trace["owner_token"] for trace in traces}), 8)
        raw = [name for _, _, names in os.walk(os.path.join(site.store, "files")) for name in names
               if sha256(content).endswith(name)]
        equal(len(raw), 1)
        for trace in traces:
            equal(site.ready(trace)["state"], "ready")
        site.ask("/api/v1/traces/" + traces[0]["id"], "DELETE", bearer(traces[0]))
        equal(site.ask("/api/v1/traces/%s/raw" % traces[1]["id"], headers=bearer(traces[1])).body, content)


def one_token_may_own_many(program):
    content = read(SMALL)
    with Site(program) as site:
        first = site.put(content)
        second = site.put(content, headers={"X-Owner-Token": first["owner_token"]})
        equal(second["owner_token"], first["owner_token"])
        own = site.ask("/api/v1/traces", headers=bearer(first)).json["traces"]
        equal({trace["id"] for trace in own}, {first["id"], second["id"]})
        equal(site.ask("/api/v1/traces", "PUT", {"X-Owner-Token": "short"}, content).status, 400)


def uploads_need_the_secret_where_there_is_one(program):
    content = read(SMALL)
    with Site(program) as folder:
        secret = os.path.join(folder.folder.name, "secret")
        with open(secret, "w", encoding="utf-8") as file:
            file.write("correct-horse-battery\n")
        with Site(program, "--uploads", "secret", "--upload-secret-file", secret) as site:
            equal(site.ask("/api/v1/traces", "PUT", None, content).status, 401)
            equal(site.ask("/api/v1/traces", "PUT", {"X-Upload-Secret": "correct-horse-batter"}, content).status, 401)
            equal(site.ask("/api/v1/traces", "PUT", {"X-Upload-Secret": "correct-horse-battery"}, content).status, 201)
            equal(site.ask("/api/v1/traces", "PUT", {"Authorization": "Bearer correct-horse-battery"}, content).status, 201)
            equal(site.ask("/api/v1/uploads", "POST").status, 401)
            equal(site.form(("secret", "correct-horse-battery"), ("trace_file", "a.trace", content)).status, 302)
            equal(site.form(("trace_file", "a.trace", content), ("secret", "correct-horse-battery")).status, 401)
            equal(site.form(("secret", "wrong"), ("trace_file", "a.trace", content)).status, 401)
            assert "correct-horse-battery" not in site.read_log()


def nobody_uploads_where_nobody_may(program):
    with Site(program, "--uploads", "nobody") as site:
        equal(site.ask("/api/v1/traces", "PUT", None, read(SMALL)).status, 403)
        equal(site.form(("trace_file", "a.trace", read(SMALL))).status, 403)
        equal(site.ask("/api/v1/uploads", "POST").status, 403)


def uploads_of_an_address_are_limited(program):
    content = read(SMALL)
    with Site(program, "--upload-rate", "3/h") as site:
        equal([site.ask("/api/v1/traces", "PUT", None, content).status for _ in range(4)], [201, 201, 201, 429])
        assert int(site.ask("/api/v1/traces", "PUT", None, content).headers["Retry-After"]) > 0
        equal(site.ask("/api/v1/uploads", "POST").status, 429)
    with Site(program, "--upload-rate", "3/h") as site:
        equal([site.ask("/api/v1/uploads", "POST").status for _ in range(4)], [201, 201, 201, 429])
        equal(site.ask("/api/v1/traces", "PUT", None, content).status, 429)
    with Site(program, "--quota-per-address", str(len(content) + 10)) as site:
        equal(site.ask("/api/v1/traces", "PUT", None, content).status, 201)
        equal(site.ask("/api/v1/traces", "PUT", None, content).status, 429)
    with Site(program, "--quota", str(len(content) - 10)) as site:
        equal(site.ask("/api/v1/traces", "PUT", None, content).status, 507)


def uploads_at_once_are_limited(program):
    content = read(SMALL)
    head = "PUT /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(content)
    with Site(program, "--uploads-at-once", "1") as site:
        statuses = None
        while statuses != (429, b"201"):  # as long as the second was there before the first
            with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as slow:
                slow.sendall(head.encode() + content[:100])
                second = site.ask("/api/v1/traces", "PUT", None, content).status
                slow.sendall(content[100:])
                statuses = (second, slow.recv(65536)[9:12])
                assert statuses in ((429, b"201"), (201, b"201"), (201, b"429")), statuses
        # Who has an answer has no place any more: the next upload may come at once, each time.
        statuses = [site.ask("/api/v1/traces", "PUT", None, content).status for _ in range(50)]
        equal(statuses, [201] * len(statuses))


def upload_that_breaks_off_leaves_nothing(program):
    content = read(SMALL)
    head = "PUT /api/v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (len(content) + 1)
    with Site(program) as site:
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
            connection.sendall(head.encode() + content)
        equal(site.put(content)["bytes"], len(content))
        metrics = site.ask("/metrics").text
        has(metrics, "uploads_refused_total 1")


def address_may_name_the_file(program):
    """As `curl -T app.trace SITE/` sends it."""
    content = read(SMALL)
    with Site(program) as site:
        for path in ("/", "/api/v1/traces/"):
            for address, name in (("app.trace", "app.trace"), ("a%20b%2Bc.trace", "a b+c.trace"), ("%2e%2e%2Fx", "x"), ("a%zz", "a%zz")):
                answer = site.ask(path + address, "PUT", None, content)
                equal((answer.status, answer.json["file"]), (201, name))
            equal(site.ask(path + "a.trace?name=b.trace&title=T", "PUT", None, content).json["file"], "b.trace")
            for method in ("GET", "POST", "DELETE"):
                equal(site.ask(path + "app.trace", method).status, 404)
        equal(site.ask("/list", "PUT", None, content).status, 405)
        equal(site.ask("/a/b", "PUT", None, content).status, 404)


TESTS = [md5_comes_with_the_worker, address_may_name_the_file, aflame_form_is_kept_and_redirected, browser_form_is_answered_with_the_owner_token,
         each_way_in_keeps_the_same_bytes, metadata_is_kept, what_is_no_trace_is_refused_by_its_name,
         forms_that_are_none_are_refused, form_may_come_byte_by_byte,
         upload_that_is_too_long_is_refused_before_it_is_sent, checksum_is_compared,
         same_bytes_at_once_are_two_traces_and_one_file, one_token_may_own_many,
         uploads_need_the_secret_where_there_is_one, nobody_uploads_where_nobody_may, uploads_of_an_address_are_limited,
         uploads_at_once_are_limited, upload_that_breaks_off_leaves_nothing]
