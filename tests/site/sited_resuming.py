"""Resumable uploads: pieces, offsets, breaks, and what is kept of them."""

import base64
import concurrent.futures
import hashlib
import os
import socket
import sqlite3

from running import FORM, ID, PATIENCE_S, SMALL, Site, bearer, equal, has, read, sha256, wait_until

CONTENT = read(SMALL) + bytes(200000)


def begin(site, **fields):
    query = "&".join("%s=%s" % field for field in fields.items())
    answer = site.ask("/api/v1/uploads?" + query, "POST")
    equal(answer.status, 201)
    return answer.json


def piece(site, upload, offset, content, headers=None):
    own = dict(bearer(upload), **{"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"})
    return site.ask("/api/v1/uploads/" + upload["id"], "PATCH", dict(own, **(headers or {})), content)


def offset_of(site, upload):
    return int(site.ask("/api/v1/uploads/" + upload["id"], "HEAD", bearer(upload)).headers["Upload-Offset"])


def complete(site, upload, headers=None):
    return site.ask("/api/v1/uploads/%s/complete" % upload["id"], "POST", dict(bearer(upload), **(headers or {})))


def upload_comes_in_pieces(program):
    with Site(program) as site:
        answer = site.ask("/api/v1/uploads?name=x.trace&bytes=%d&title=In+pieces" % len(CONTENT), "POST")
        upload = answer.json
        equal(answer.headers["Location"], upload["url"])
        equal((upload["offset"], upload["bytes"]), (0, len(CONTENT)))
        assert ID.match(upload["id"]) and ID.match(upload["owner_token"])
        for start in range(0, len(CONTENT), 70000):
            answer = piece(site, upload, start, CONTENT[start:start + 70000])
            equal((answer.status, answer.headers["Upload-Offset"]), (204, str(min(start + 70000, len(CONTENT)))))
        told = site.ask("/api/v1/uploads/" + upload["id"], headers=bearer(upload))
        equal((told.json["offset"], told.headers["Upload-Length"]), (len(CONTENT), str(len(CONTENT))))
        assert "owner_token" not in told.json
        done = complete(site, upload)
        equal((done.status, done.json["title"], done.json["sha256"]), (201, "In pieces", sha256(CONTENT)))
        equal(site.ready(dict(done.json, owner_token=upload["owner_token"]))["md5"], hashlib.md5(CONTENT).hexdigest().upper())
        equal(done.json["owner_token"], upload["owner_token"])
        again = complete(site, upload)
        equal((again.status, again.json["id"]), (200, done.json["id"]))
        raw = site.ask("/api/v1/traces/%s/raw" % done.json["id"], headers=bearer(upload))
        equal(raw.body, CONTENT)


def form_begins_an_upload_too(program):
    with Site(program) as site:
        answer = site.ask("/api/v1/uploads", "POST", FORM, b"name=x.trace&label_app=shop")
        equal((answer.status, answer.json["bytes"]), (201, None))
        equal(site.ask("/api/v1/uploads?bytes=0", "POST").status, 400)
        equal(site.ask("/api/v1/uploads?bytes=99999999999999", "POST").status, 413)
        equal(site.ask("/api/v1/uploads?what=1", "POST").status, 400)


def wrong_offset_is_told_the_right_one(program):
    with Site(program) as site:
        upload = begin(site, bytes=len(CONTENT))
        equal(piece(site, upload, 0, CONTENT[:70000]).status, 204)
        for offset in (0, 69999, 70001, len(CONTENT)):
            answer = piece(site, upload, offset, CONTENT[:1000])
            equal((answer.status, answer.headers["Upload-Offset"], answer.json["offset"]), (409, "70000", 70000))
        for offset in ("", "-1", "x", "0x0", "99999999999999999999999"):
            equal(piece(site, upload, offset, b"x").status, 400)
        equal(offset_of(site, upload), 70000)


def one_of_two_pieces_at_one_offset_is_kept(program):
    with Site(program, "--uploads-at-once-per-address", "0") as site:
        upload = begin(site)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda n: piece(site, upload, 0, CONTENT[:70000 + n]), range(6)))
        statuses = sorted(answer.status for answer in answers)
        equal(statuses, [204] + 5 * [409])
        kept = [70000 + n for n, answer in enumerate(answers) if answer.status == 204][0]
        equal(offset_of(site, upload), kept)


def checksum_of_a_piece_and_of_all_is_compared(program):
    with Site(program) as site:
        upload = begin(site)
        right = base64.b64encode(hashlib.sha256(CONTENT).digest()).decode()
        wrong = {"X-Checksum-Sha256": sha256(b"other")}
        equal(piece(site, upload, 0, CONTENT, wrong).status, 422)
        equal(offset_of(site, upload), 0)
        equal(piece(site, upload, 0, CONTENT, {"Content-Digest": "sha-256=:%s:" % right}).status, 204)
        equal(complete(site, upload, wrong).status, 422)
        equal(offset_of(site, upload), len(CONTENT))
        equal(complete(site, upload, {"Repr-Digest": "sha-256=:%s:" % right}).status, 201)
        equal(complete(site, upload, wrong).status, 422)
        equal(complete(site, upload, {"Repr-Digest": "sha-256=:%s:" % right}).status, 200)


def bytes_that_came_before_a_break_are_kept(program):
    head = "PATCH /api/v1/uploads/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nUpload-Offset: 0\r\n" \
        "Content-Length: %d\r\n%s\r\n"
    for more, least in (("", 1), ("X-Checksum-Sha256: %s\r\n" % sha256(CONTENT), 0)):
        with Site(program) as site:
            upload = begin(site, bytes=len(CONTENT))
            with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
                text = head % (upload["id"], upload["owner_token"], len(CONTENT), more)
                connection.sendall(text.encode() + CONTENT[:150000])
            if not least:
                wait_until(lambda: site.ask("/metrics").status == 200)
                equal(offset_of(site, upload), 0)
                continue
            wait_until(lambda: offset_of(site, upload) > 0)
            offset = offset_of(site, upload)
            assert offset <= 150000, offset
            equal(piece(site, upload, offset, CONTENT[offset:]).status, 204)
            equal(complete(site, upload).json["sha256"], sha256(CONTENT))


def cut_pieces_of_a_locked_store_hold_nobody_up(program):
    """Keeping a cut piece waits for whoever writes into the store; the threads that every connection needs do not."""
    head = "PATCH /api/v1/uploads/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nUpload-Offset: 0\r\n" \
        "Content-Length: %d\r\n\r\n"
    with Site(program, "--uploads-at-once-per-address", "0") as site:
        uploads = [begin(site, bytes=len(CONTENT)) for _ in range(8)]
        locked = sqlite3.connect(os.path.join(site.store, "store.sqlite"), isolation_level=None, timeout=PATIENCE_S)
        locked.execute("BEGIN IMMEDIATE")
        for upload in uploads:
            with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as connection:
                connection.sendall((head % (upload["id"], upload["owner_token"], len(CONTENT))).encode() + CONTENT[:150000])
        wait_until(lambda: 'http_requests_total{code="cut"} %d' % len(uploads) in site.ask("/metrics").text)
        for _ in range(20):
            equal(site.ask("/healthz").status, 200)
            equal(site.ask("/").status, 200)
        equal([offset_of(site, upload) for upload in uploads], len(uploads) * [0])
        locked.execute("ROLLBACK")
        locked.close()
        for upload in uploads:
            wait_until(lambda: offset_of(site, upload) > 0)


def foreign_file_is_refused_at_its_first_piece(program):
    with Site(program) as site:
        upload = begin(site, bytes=10000000)
        answer = piece(site, upload, 0, b"PK\x03\x04" + bytes(100000))
        equal(answer.status, 415)
        has(answer.json["error"], "zip")
        equal(site.ask("/api/v1/uploads/" + upload["id"], headers=bearer(upload)).status, 404)


def foreign_piece_costs_nothing_that_came_meanwhile(program):
    """Of two clients at one upload one sends what is no trace, and is done when the other one has completed it."""
    with Site(program) as site:
        upload = begin(site)
        foreign = b"PK\x03\x04" + bytes(20000)
        head = "PATCH /api/v1/uploads/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nUpload-Offset: 0\r\n" \
            "Content-Length: %d\r\nExpect: 100-continue\r\n\r\n" % (upload["id"], upload["owner_token"], len(foreign))
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as late:
            late.sendall(head.encode())
            has(late.recv(65536).decode(), " 100 ")
            equal(piece(site, upload, 0, CONTENT).status, 204)
            equal(complete(site, upload).status, 201)
            late.sendall(foreign)
            has(late.recv(65536).decode(), " 415 ")
        equal(site.trace(upload)["sha256"], sha256(CONTENT))


def limits_hold_for_pieces(program):
    with Site(program, "--max-piece", "64K", "--max-upload", "150K") as site:
        upload = begin(site)
        equal(upload["piece_most"], 65536)
        equal(piece(site, upload, 0, CONTENT[:65537]).status, 413)
        equal(piece(site, upload, 0, CONTENT[:65536]).status, 204)
        equal(piece(site, upload, 65536, CONTENT[65536:131072]).status, 204)
        equal(piece(site, upload, 131072, CONTENT[131072:131072 + 30000]).status, 413)
        equal(piece(site, upload, 131072, b"").status, 400)
        short = begin(site, bytes=1000)
        equal(piece(site, short, 0, CONTENT[:1001]).status, 413)
        equal(piece(site, short, 0, CONTENT[:999]).status, 204)
        equal(complete(site, short).status, 409)
        equal(complete(site, begin(site)).status, 409)


def upload_is_its_owners_alone(program):
    with Site(program) as site:
        upload = begin(site)
        other = dict(upload, owner_token="0" * 32)
        path = "/api/v1/uploads/" + upload["id"]
        for method, where in (("GET", path), ("PATCH", path), ("DELETE", path), ("POST", path + "/complete")):
            equal(site.ask(where, method, {"Upload-Offset": "0"}, b"").status, 401)
            equal(site.ask(where, method, dict(bearer(other), **{"Upload-Offset": "0"}), b"").status, 404)
        equal(site.ask("/trace/" + upload["id"]).status, 404)
        equal(site.ask("/api/v1/traces/" + upload["id"], headers=bearer(upload)).status, 404)
        equal(site.ask(path, "DELETE", bearer(upload)).status, 204)
        equal(site.ask(path, headers=bearer(upload)).status, 404)


def upload_goes_on_after_the_server_ended(program):
    with Site(program) as folder:
        store = os.path.join(folder.folder.name, "other")
        with Site(program, store=store) as site:
            upload = begin(site, bytes=len(CONTENT))
            equal(piece(site, upload, 0, CONTENT[:100000]).status, 204)
            site.process.kill()
        with Site(program, store=store) as site:
            equal(offset_of(site, upload), 100000)
            equal(piece(site, upload, 100000, CONTENT[100000:]).status, 204)
            equal(complete(site, upload).json["sha256"], sha256(CONTENT))


TESTS = [upload_comes_in_pieces, form_begins_an_upload_too, wrong_offset_is_told_the_right_one,
         one_of_two_pieces_at_one_offset_is_kept, checksum_of_a_piece_and_of_all_is_compared,
         bytes_that_came_before_a_break_are_kept, cut_pieces_of_a_locked_store_hold_nobody_up, foreign_file_is_refused_at_its_first_piece,
         foreign_piece_costs_nothing_that_came_meanwhile, limits_hold_for_pieces,
         upload_is_its_owners_alone, upload_goes_on_after_the_server_ended]
