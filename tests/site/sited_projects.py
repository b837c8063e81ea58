"""Tests of sited.py: projects, which say who reads and uploads what, for how long, and how much."""

import contextlib
import os
import sqlite3
import subprocess
import tempfile
import time

from running import DATA, FORM, SMALL, Site, bearer, equal, has, place, read, wait_until
from sited_manners import fails
from sited_programs import by, made
from sited_push import verb
from sited_users import ADMINS, OPTIONS, of, own

PROJECTS = """# of three kinds
shop.read = members
shop.upload = members
shop.members = ana, group:shop
shop.expires = 2d
shop.listed = yes
lab.read = users
lab.upload = users
free.quota = %d
"""


@contextlib.contextmanager
def projects(program, *options, text=PROJECTS % (len(read(SMALL)) + 10)):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "projects")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        with Site(program, *OPTIONS, *ADMINS, "--list", "--projects", path, *options) as site:
            yield site


def write_to(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def put(site, headers, project, **fields):
    query = "".join("&%s=%s" % field for field in fields.items())
    return site.ask("/api/v1/traces?name=a.trace&label_project=%s%s" % (project, query), "PUT", headers, read(SMALL))


def members_alone_see_what_is_theirs(program):
    """For others there is no such trace, in whatever way they ask."""
    with projects(program) as site:
        answer = put(site, of("ana"), "shop")
        equal(answer.status, 201)
        trace = site.ready(answer.json)
        page, api = "/trace/%s" % trace["id"], "/api/v1/traces/%s" % trace["id"]
        asks = [page + "/", page + "/owner", page + "/flame", page + "/api/first", page + "/api/info", page + "/api/export?format=csv",
                api, api + "/view/top", api + "/export/csv", api + "/raw"]
        others = site.ready(site.put(read(SMALL), headers=of("bob"), name="b.trace"))
        asks += ["/compare?old=%s&new=%s" % (others["id"], trace["id"]), "/api/v1/traces/%s/view/diff?old=%s" % (others["id"], trace["id"])]
        for headers in ({}, of("bob"), of("bob", "shopping", "sho"), of("Ana")):
            for path in asks:
                equal((headers, path, site.ask(path, headers=headers).status), (headers, path, 404))
            equal((headers, site.ask(api, "DELETE", headers).status), (headers, 404))
            equal((headers, trace["id"] in site.ask("/list", headers=headers).text), (headers, False))
        for headers in (of("ana"), of("eve", "dev", "shop"), of("root"), bearer(trace)):
            equal((headers, site.ask(api, headers=headers).status), (headers, 200))
        for headers in (of("eve", "shop"), of("root")):
            equal(site.ask(api + "/raw", headers=headers).status, 200 if headers == of("root") else 403)
            # Listed, since its project says so; in the list of those who may see it.
            equal([row["id"] for row in site.ask("/api/v1/traces", headers={}).json["traces"]], [])
            has(site.ask("/list?q=project:shop", headers=headers).text, trace["id"])
        lab = put(site, of("bob"), "lab").json
        equal([site.ask("/api/v1/traces/" + lab["id"], headers=headers).status for headers in ({}, of("eve"))], [404, 200])


def what_is_not_for_the_client_is_told_as_what_is_not_there(program):
    """By the sum of its bytes, in comparisons, and by the names of projects in pages."""
    html = {"Accept": "text/html"}
    with projects(program) as site:
        trace = site.ready(put(site, of("ana"), "shop").json)
        md5, nothing = trace["md5"], "0123456789abcdef" * 2
        told = lambda headers, path: (lambda answer: (answer.status, answer.headers.get("Location"), answer.text.replace(trace["id"], "ID").replace(nothing, "ID")))(
            site.ask(path, headers=headers))
        own_trace = site.ready(site.put(read(os.path.join(DATA, "made", "odd-duplicate-thread.trace")), headers=of("bob"), name="b.trace"))
        for headers in ({}, of("bob")):
            equal(told(headers, "/trace/" + md5), told(headers, "/trace/" + "0" * 32))
            equal(told(headers, "/trace/" + trace["id"]), told(headers, "/trace/" + nothing))
            for path in ("/compare?old=%s&new={}" % own_trace["id"], "/compare?new=%s&old={}" % own_trace["id"], "/compare?trace=%s&trace={}" % own_trace["id"],
                         "/api/v1/traces/%s/view/diff?old={}" % own_trace["id"], "/trace/%s/api/diff?old={}" % own_trace["id"],
                         "/trace/%s/api/diff?runs={}~%s" % (own_trace["id"], own_trace["id"]), "/api/v1/traces/{}", "/api/v1/traces/{}/raw", "/trace/{}/",
                         "/trace/{}/owner", "/api/v1/mappings/{}", "/api/v1/uploads/{}"):
                for accept in ({}, html):
                    got = [told(dict(headers, **accept), path.format(one)) for one in (trace["id"], nothing)]
                    equal((path, got[0]), (path, got[1]))
        for headers in (of("ana"), of("eve", "shop"), of("root"), bearer(trace)):
            equal((headers, told(headers, "/trace/" + md5)[:2]), (headers, (302, "/trace/%s/" % trace["id"])))
        # Of the same bytes the link leads everybody to the oldest that is for them; of one second that would be any.
        wait_until(lambda: time.time() >= trace["created_s"] + 1)
        again = site.put(read(SMALL), headers=of("bob"), name="a.trace")
        for headers in ({}, of("bob")):
            equal((headers, told(headers, "/trace/" + md5)[:2]), (headers, (302, "/trace/%s/" % again["id"])))
        equal(told(of("ana"), "/trace/" + md5)[1], "/trace/%s/" % trace["id"])
        # Projects are named to whoever reads them, or puts traces into them.
        for headers, names in (({}, ["free"]), (of("bob"), ["free", "lab"]), (of("ana"), ["free", "lab", "shop"]), (of("root"), ["free", "lab", "shop"])):
            for path, form in (("/", '<option value="%s"></option>'), ("/list", 'q=project:%s"')):
                page = site.ask(path, headers=dict(headers, **html)).text
                equal((headers, path, [name for name in ("free", "lab", "shop") if form % name in page]), (headers, path, names))


def names_of_projects_are_not_told_by_uploads(program):
    """Of a project that others alone read, an upload into it says what one into none says; of one that is read it says why."""
    text = PROJECTS % 10 + "wall.read = users\nwall.upload = members\nwall.members = ana\n"
    with projects(program, text=text) as site:
        trace = site.put(read(SMALL), headers=of("bob"))

        def told(headers, project):
            answers = [put(site, headers, project), site.ask("/api/v1/uploads?name=a.trace&label_project=" + project, "POST", headers)]
            if headers:
                answers.append(site.ask("/api/v1/traces/" + trace["id"], "PATCH", dict(headers, **FORM), "label_project=" + project))
            return [(answer.status, answer.text.replace(project, "NAME")) for answer in answers]

        for headers in ({}, of("bob")):
            equal(told(headers, "shop"), told(headers, "shopping"))
        has(told(of("bob"), "wall")[0][1], "you may put no trace into the project NAME")
        equal(told({}, "wall"), told({}, "walls"))


def uploads_into_projects_are_for_whom_they_say(program):
    with projects(program) as site:
        for headers, project, status in ((of("ana"), "shop", 201), (of("eve", "shop"), "shop", 201), (of("root"), "shop", 201), (of("bob"), "shop", 400),
                                         ({}, "shop", 400), ({}, "lab", 400), (of("bob"), "lab", 201), ({}, "free", 201), ({}, "nothing", 400),
                                         (of("ana"), "shop%20", 400), (of("ana"), "", 201)):
            equal((headers, project, put(site, headers, project).status), (headers, project, status))
        begin = lambda headers: site.ask("/api/v1/uploads?name=a.trace&label_project=shop", "POST", headers).status
        equal([begin(headers) for headers in (of("bob"), of("ana"))], [400, 201])
        # A trace is not moved into a project either.
        trace = site.put(read(SMALL), headers=of("bob"))
        path = "/api/v1/traces/" + trace["id"]
        equal([site.ask(path, "PATCH", dict(of("bob"), **FORM), "label_project=" + name).status for name in ("shop", "lab", "none")], [400, 200, 400])
        equal(site.ask(path, "PATCH", dict(of("bob"), **FORM), "title=T").status, 200)
        equal(site.ask(path, "PATCH", dict(of("bob"), **FORM), "label_project=").status, 200)
        # What is in a project stays there when its owner, who is no member, changes the rest.
        moved = put(site, of("eve", "shop"), "shop").json
        move = lambda fields: site.ask("/api/v1/traces/" + moved["id"], "PATCH", dict(bearer(moved), **FORM), fields).status
        equal([move("title=T&label_project=shop"), move("label_project=lab"), move("label_project="), move("label_project=shop")], [200, 400, 200, 400])
        # The form of the start page names the projects, that of the owner the one that it is in.
        html = {"Accept": "text/html"}
        page = site.ask("/", headers=dict(of("ana"), **html)).text
        has(page, '<option value="lab"></option>')
        own_page = site.ask("/trace/%s/owner" % put(site, of("ana"), "shop").json["id"], headers=dict(of("ana"), **html)).text
        has(own_page, 'name="label_project" list="projects" maxlength="64" autocomplete="off" value="shop"')
        has(site.ask("/list", headers=dict(of("ana"), **html)).text, 'href="/list?q=project:shop"')
        # By a token of a program, in the name of a member.
        equal([put(site, by(made(site, user, "upload")), "shop").status for user in ("ana", "bob")], [201, 400])


def nobody_keeps_a_trace_for_longer_by_asking_again(program):
    """The site looks at the clock, so the trace is made older."""
    with projects(program) as site:
        trace = put(site, of("ana"), "shop").json
        path = "/api/v1/traces/" + trace["id"]

        def older(seconds):
            with contextlib.closing(sqlite3.connect(os.path.join(site.store, "store.sqlite"), timeout=20)) as db, db:
                db.execute("UPDATE traces SET created=created-?1, expires=expires-?1", (seconds,))

        def left(user, expires):
            row = site.ask(path, "PATCH", dict(of(user), **FORM), "expires=" + expires).json
            return round((row["expires_s"] - row["created_s"]) / 3600)

        older(86400 + 12 * 3600)
        equal([left("ana", expires) for expires in ("2d", "never", "1h")], [48, 48, 37])
        equal(left("ana", "2d"), 48)
        older(86400)
        answer = site.ask(path, "PATCH", dict(of("ana"), **FORM), "expires=2d")
        equal(answer.status, 400)
        has(answer.text, "the trace was kept for as long as it may be here, 2 d: an administrator may keep it longer")
        equal(left("root", "2d"), 60 + 48)
        equal((left("ana", "1d"), left("ana", "2d")), (60 + 24, 60 + 24))


def projects_have_a_life_and_a_quota(program):
    content = read(SMALL)
    with projects(program) as site:
        for fields, days in (({}, 2), ({"expires": "30d"}, 2), ({"expires": "1d"}, 1), ({"expires": "never"}, 2)):
            trace = put(site, of("ana"), "shop", **fields).json
            equal((fields, round((trace["expires_s"] - trace["created_s"]) / 86400)), (fields, days))
            equal(trace["listed"], True)
        # One that comes later stays no longer either, and one that ends before keeps its end.
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        for life, days in (("never", 2), ("1d", 1)):
            trace = site.put(content, headers=of("ana"), expires=life)
            moved = site.ask("/api/v1/traces/" + trace["id"], "PATCH", dict(of("ana"), **form), "label_project=shop").json
            equal((life, round((moved["expires_s"] - moved["created_s"]) / 86400)), (life, days))
        equal(put(site, of("ana"), "shop", listed=0).json["listed"], False)
        free = put(site, {}, "free").json
        equal((round((free["expires_s"] - free["created_s"]) / 86400), free["listed"]), (90, False))
        answer = put(site, {}, "free")
        equal(answer.status, 429)
        has(answer.text, "over the quota of this project free, which is %d bytes: delete some, or ask an administrator" % (len(content) + 10))
        upload = site.ask("/api/v1/uploads?name=a.trace&label_project=free&bytes=%d" % len(content), "POST")
        equal(upload.status, 429)
        upload = site.ask("/api/v1/uploads?name=a.trace&label_project=free", "POST").json
        equal(site.ask(upload["url"], "PATCH", dict(bearer(upload), **{"Upload-Offset": "0"}), content).status, 429)
        # One that comes later needs room, too, and stays as it was where there is none.
        trace = site.put(content)
        move = lambda fields: site.ask("/api/v1/traces/" + trace["id"], "PATCH", dict(bearer(trace), **form), fields)
        answer = move("title=T&label_project=free")
        equal(answer.status, 429)
        has(answer.text, "the quota of this project")
        equal([site.ask("/api/v1/traces/" + trace["id"]).json[key] for key in ("title", "labels")], [trace["title"], {}])
        equal(site.ask("/api/v1/traces/" + free["id"], "PATCH", dict(bearer(free), **form), "label_a=b").status, 200)
        equal(site.ask("/api/v1/traces/" + free["id"], "DELETE", bearer(free)).status, 204)
        equal([move("label_project=free").status, move("label_project=").status], [200, 200])
        equal(put(site, {}, "free").status, 201)


def push_names_a_project(program):
    with projects(program) as site, tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, "token")
        with open(path, "w", encoding="utf-8") as file:
            file.write(made(site, "ana", "upload")["token"])
        push = lambda *words: verb(program, home, "push", "--to", "http://127.0.0.1:%d" % site.port, *words, SMALL)
        run = push("--project", "shop", "--token-file", path)
        equal((run.returncode, run.stdout.count("/trace/")), (0, 1))
        equal(len(own(site, of("ana"), "?q=project:shop")), 1)
        refused = push("--project", "shop")
        equal((refused.returncode, refused.stdout), (1, ""))
        has(refused.stderr, 'this site has no project "shop" into which you may put traces')


def token_for_uploads_neither_shows_nor_ends_a_trace(program):
    """What others see more of is for a token that may read, an earlier end for one that may delete; what is taken back is for any."""
    with projects(program, "--rows", "asked") as site:
        patch = lambda token, trace, fields: site.ask("/api/v1/traces/" + trace["id"], "PATCH", dict(by(token), **FORM), fields)
        upload, reader, deleter, both = (made(site, "ana", scopes) for scopes in ("upload", "upload read", "upload delete", "upload read delete"))
        trace = site.put(read(SMALL), headers=of("ana"), label_project="shop", listed=0)
        for fields, needs in (("raw_shared=1", "reading"), ("listed=1", "reading"), ("rows=1", "reading"), ("label_project=", "reading"),
                              ("label_project=lab", "reading"), ("raw_shared=1&title=T", "reading"), ("expires=1s", "deleting"), ("expires=1h", "deleting")):
            for token in (upload, deleter if needs == "reading" else reader):
                answer = patch(token, trace, fields)
                equal((fields, answer.status), (fields, 403))
                has(answer.text, "for " + needs)
        now = site.trace(trace)
        equal([now[key] for key in ("raw_shared", "listed", "rows", "labels", "title", "expires_s")],
              [False, False, None, {"project": "shop"}, trace["title"], trace["expires_s"]])
        for fields in ("raw_shared=0", "listed=0", "rows=0", "label_project=shop&label_a=b", "title=T&note=N", "expires=never"):
            answer = patch(upload, trace, fields)
            equal((fields, answer.status, answer.body), (fields, 204, b""))
        for token, fields in ((reader, "raw_shared=1"), (reader, "listed=1"), (deleter, "expires=1h"), (both, "label_project=lab"), (reader, "label_project=")):
            equal((fields, patch(token, trace, fields).status), (fields, 204 if token is deleter else 200))
        # What is so already may be said again.
        equal(patch(upload, trace, "raw_shared=1&listed=1").status, 204)
        # One that comes into a project that keeps it for less time ends earlier, too.
        trace = site.put(read(SMALL), headers=of("ana"))
        equal([patch(token, trace, "label_project=shop").status for token in (reader, deleter)], [403, 204])


def without_projects_all_is_as_it_was(program):
    with Site(program, "--list") as site:
        trace = site.put(read(SMALL), label_project="shop", listed=1)
        equal(site.ask("/api/v1/traces/" + trace["id"]).status, 200)
        has(site.ask("/list").text, trace["id"])


def a_project_that_the_file_has_no_longer_is_for_nobody(program):
    """Its traces are for their owners and administrators, in lists and in questions over all traces, too; it is said at the start and by
    --check-config, also of a site that runs."""
    with tempfile.TemporaryDirectory() as folder:
        path, store, config = (os.path.join(folder, name) for name in ("projects", "store", "config"))
        options = [*OPTIONS, *ADMINS, "--list", "--rows", "listed", "--projects", path]
        write_to(path, PROJECTS % 0)
        write_to(config, "".join("%s = %s\n" % (name[2:], value) for name, value in
                                 (("--store", store), ("--users", "proxy"), ("--trusted-proxies", "127.0.0.1"), ("--projects", path))))
        check = lambda: subprocess.run([program, "serve", "--config", config, *place(store), "--check-config"], capture_output=True, text=True, check=True)
        equal(check().stderr, "")    # there is no store yet
        with Site(program, *options, store=store) as site:
            trace = site.ready(put(site, of("ana"), "shop", label_app="deck", rows=1).json)
            free = site.ready(put(site, of("ana"), "free", label_app="deck", listed=1, rows=1).json)
            equal("projects" in site.read_log(), False)
            equal(check().stderr, "")
        for text in ((PROJECTS % 0).replace("shop.", "shopp."), "", "# shop.read = members\n"):
            others = "free, shop" if "free" not in text else "shop"
            number = "2 traces are of projects" if "free" not in text else "1 trace is of a project"
            write_to(path, text)
            with Site(program, *options, store=store) as site:
                for run in (check().stderr, site.read_log()):
                    run = " ".join(run.split())
                    has(run, number)
                    has(run, "administrators alone: " + others)
                for headers in ({}, of("bob"), of("eve", "shop")):
                    seen = [] if "free" not in text else [free["id"]]
                    equal((headers, site.ask("/trace/%s/" % trace["id"], headers=headers).status), (headers, 404))
                    equal((headers, site.ask("/api/v1/traces/%s" % trace["id"], headers=headers).status), (headers, 404))
                    page = site.ask("/list", headers=headers).text
                    equal((headers, trace["id"] in page, free["id"] in page), (headers, False, bool(seen)))
                    apps = site.ask("/api/v1/apps", headers=headers).json["apps"]
                    equal((headers, [app["traces"] for app in apps]), (headers, [1] if seen else []))
                for headers in (of("ana"), of("root"), bearer(trace)):
                    equal((headers, site.ask("/api/v1/traces/%s" % trace["id"], headers=headers).status), (headers, 200))
                for headers in (of("ana"), of("root")):
                    has(site.ask("/list", headers=headers).text, trace["id"])
                equal(put(site, of("ana"), "shop").status, 400)
                # Whose trace it is takes it out.
                equal(site.ask("/api/v1/traces/" + trace["id"], "PATCH", dict(bearer(trace), **FORM), "title=T").status, 200)


def projects_that_cannot_be_are_told(program):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "projects")
        start = lambda status=2: fails(program, "--store", os.path.join(folder, "store"), "--projects", path, status=status)
        has(start(1), "projects: ")
        with open(path, "w", encoding="utf-8") as file:
            file.write("shop.read = link\nshop.upload = wish\n")
        has(start(), "line 2: upload is link, users or members")
        with open(path, "w", encoding="utf-8") as file:
            file.write("shop.read = link\nlab.read = link\nshop.read = users\n")
        has(start(), "line 3: shop.read is in line 1 already")
        with open(path, "w", encoding="utf-8") as file:
            file.write("shop.read = users\n")
        has(start(), "it needs users = proxy")


TESTS = [members_alone_see_what_is_theirs, what_is_not_for_the_client_is_told_as_what_is_not_there, a_project_that_the_file_has_no_longer_is_for_nobody, names_of_projects_are_not_told_by_uploads, uploads_into_projects_are_for_whom_they_say, projects_have_a_life_and_a_quota,
         nobody_keeps_a_trace_for_longer_by_asking_again,
         push_names_a_project, token_for_uploads_neither_shows_nor_ends_a_trace,
         without_projects_all_is_as_it_was, projects_that_cannot_be_are_told]
