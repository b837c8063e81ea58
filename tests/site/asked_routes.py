"""Every request that the local viewer and a site answer, made from the tables in the sources: a route that is added there
is asked here, and the test fails where its request needs something that is not known here."""

import os
import re
import time
import urllib.parse

from running import DATA, ROOT, SMALL, multipart, read

EXAMPLE = os.path.join(DATA, "recipes.trace.zst")
# What routes of a trace need, besides what has a default.
QUERIES = {"call": "method=0&ordinal=0", "calldiff": "old=1.0.0&new=1.0.0", "callers": "method=0", "calls": "method=0", "curve": "thread=1",
           "detail": "method=0",
           "flame": "width=500", "methods": "ranks=0,1,2", "rules": "text=calls+growth+%3C%3D+1+%25%0Ap95+of+*+on+thread+main+%3C%3D+1+us", "search": "q=a", "window": "rows=1:0-20&width=300",
           "overview": "rows=1&width=100"}
# What those that name another trace need besides that.
BESIDE = {"before": "&ranks=0", "checkdiff": "", "counts": "&mine=com.,a.", "diff": "", "flamediff": "&width=300", "insightsdiff": "", "lanesdiff": "",
          "rules": "&text=calls+growth+%3C%3D+1+%25%0Ap95+of+*+on+thread+main+%3C%3D+1+us", "trend": ""}
FLEET = {"": "", "/feed": "", "/builds": "app=shop", "/diff": "app=shop&old=1&new=2", "/method": "app=shop&class=java.lang.String&name=charAt&signature=(I)C"}
MAPPING = b"org.kitchen.Cook -> com.example.recipes.RecipeApp$Looper:\n    void heat() -> loop\n"
# So few that one client cancels what another one waits for.
EXPORT_IDS = 3


def source(*path):
    with open(os.path.join(ROOT, "src", *path), encoding="utf-8") as file:
        return file.read()


def api_routes():
    return re.findall(r"^\s*X\((\w+)\)", source("api", "route.h"), re.M)


def viewer_routes():
    """The methods of each route: those of the api, and those that the viewer answers beside them."""
    methods = {route: ["GET"] for route in api_routes()}
    for method, route in re.findall(r'\{TV_HTTP_(\w+), "api/(\w+)", TV_ROUTE_', source("server", "routes.c")):
        methods.setdefault(route, []).append(method)
    return methods


def site_routes():
    """(method, pattern of the path, how the body is taken)."""
    return re.findall(r'\{TV_HTTP_(\w+), "([^"]+)", TV_ROUTE_(\w+),', source("site", "answer", "routes.c"))


def formats():
    return re.findall(r"&tv_export_(\w+)", source("export", "format_table.c"))


class Request:
    """One request; `route` is its line in the table."""

    def __init__(self, route, method, path, headers=(), body=b""):
        self.route, self.method, self.path, self.headers, self.body = route, method, path, dict(headers), body

    @property
    def bytes(self):
        headers = dict({"Host": "localhost"}, **self.headers)
        if self.body or self.method not in ("GET", "HEAD", "DELETE"):
            headers["Content-Length"] = len(self.body)
        lines = ["%s %s HTTP/1.1" % (self.method, self.path), *("%s: %s" % line for line in headers.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + self.body


def query_of(route, some):
    if route == "export":
        return "format=%s&id=%d%s" % (some.choice(formats()), some.randint(1, EXPORT_IDS),
                                      some.choice(("", "", "&check=1")))
    if route == "exporting":
        return "id=%d" % some.randint(1, EXPORT_IDS)
    return QUERIES.get(route, "")


class ViewerRoutes:
    """The requests of one running viewer."""

    def __init__(self, viewer):
        self.viewer = viewer
        self.prefix = "/%s/" % viewer.token
        self.methods = dict(viewer_routes(), page=["GET"])
        self.routes = sorted(self.methods)
        self.other = "2"  # the number of another trace

    def make_ready(self):
        """A trace is shown, and another one is open beside it."""
        _, body = self.viewer.ask("api/open?example=1", "PUT")
        found = re.search(rb"/t/(\d+)/", body)
        self.other = found[1].decode() if found else self.other
        self.viewer.wait_until_ready()
        end = time.monotonic() + 30
        while self.viewer.ask("t/%s/api/info" % self.other)[0].status == 503 and time.monotonic() < end:
            time.sleep(0.01)
        for number in range(1, EXPORT_IDS + 1):  # so that each is known, however long ago a client chose it
            self.viewer.ask("api/export?format=csv&id=%d" % number)

    def request(self, route, some):
        method = some.choice(self.methods[route])
        if route == "page":
            return Request(route, "GET", some.choice((self.prefix, self.prefix[:-1], "/nothing")))
        query, body = query_of(route, some), b""
        if route == "open":
            method = "PUT"
            query = some.choice(("example=1", "name=a.trace", "name=b.trace"))
            body = b"" if query == "example=1" else read(some.choice((SMALL, EXAMPLE)))
        elif route in BESIDE:
            method, query = "GET", "old=%s%s" % (self.other, BESIDE[route])
        elif route == "mapping":
            method, query = "PUT", some.choice(("none=1", "name=m.txt&force=1"))
            body = b"" if query == "none=1" else MAPPING
        elif route == "settings" and method == "PUT":
            body = b'{"a": %d}' % some.randint(1, 9)
        return Request(route, method, "%sapi/%s?%s" % (self.prefix, route, query), body=body)


class SiteRoutes:
    """The requests of one running site, which gets traces and uploads for them."""

    def __init__(self, site):
        self.site = site
        self.routes = [" ".join(route[:2]) for route in site_routes()]
        self.rows = dict(zip(self.routes, site_routes()))
        # Two builds of an app, for questions over all traces.
        labels = {"label_app": "shop", "rows": "1"}
        self.kept = [site.ready(site.put(read(path), label_build=str(build), **labels)) for build, path in enumerate((SMALL, EXAMPLE), 1)]
        self.files = sorted(set(re.findall(r"static/([\w.-]+)", site.ask("/").text)))
        self.made = 0
        self.waiting = self.kept[0]

    def make_ready(self):
        """Its traces are ready from the start. Each export is known, however long ago a client chose it."""
        for trace in self.kept:
            for number in range(1, EXPORT_IDS + 1):
                self.site.ask("/trace/%s/api/export?format=csv&id=%d" % (trace["id"], number))

    def new_trace(self):
        """One that a client may delete; its bytes are known, so no index is made."""
        return self.site.put(read(SMALL))

    def wait_for_one(self):
        """A trace whose index is not made yet: readers leave zeros behind the records out."""
        self.made += 1
        self.waiting = self.site.put(read(SMALL) + bytes(self.made))

    def new_upload(self, pieces):
        """An upload of so many pieces that have arrived already, of one."""
        content = read(SMALL)
        upload = self.site.ask("/api/v1/uploads?name=x.trace&bytes=%d" % len(content), "POST").json
        headers = {"Authorization": "Bearer " + upload["owner_token"], "Upload-Offset": "0",
                   "Content-Type": "application/offset+octet-stream"}
        if pieces:
            self.site.ask("/api/v1/uploads/" + upload["id"], "PATCH", headers, content)
        return upload["id"], headers, content

    def new_mapping(self):
        """One that a client may delete, of the owner of the traces that are kept."""
        token = {"X-Owner-Token": self.kept[0]["owner_token"]}
        return dict(self.site.ask("/api/v1/mappings?name=m.txt", "PUT", token, MAPPING).json)

    def mapping_request(self, route, method, pattern, some):
        headers, path, content = {}, pattern, b""
        if method in ("PUT", "POST"):
            path, content = pattern + "?name=m.txt&label_build=%d" % some.randint(1, 9), MAPPING
            headers["X-Owner-Token"] = some.choice(self.kept)["owner_token"]
        else:
            mapping = self.new_mapping() if "{id}" in pattern else {}
            path = pattern.replace("{id}", mapping.get("id", ""))
            headers["Authorization"] = "Bearer " + mapping.get("owner_token", self.kept[0]["owner_token"])
        return Request(route, method, path, headers, content)

    def fill(self, pattern, trace, some):
        route = some.choice(api_routes())
        texts = {"id": trace["id"], "thread": "1", "format": some.choice(formats()), "route": route,
                 "file": some.choice(self.files), "name": "x.trace"}
        path = re.sub(r"\{(\w+)\}", lambda part: texts[part[1]], pattern)  # a part that is new here is a KeyError
        name = path.rpartition("/")[2]
        return path + "?" + query_of(name if "/api/" in pattern and "{format}" not in pattern else "", some)

    def token_request(self, route, method, pattern, some):
        """Of a user whom the proxy names, who is this machine; one of so many that none has too many tokens."""
        headers = {"X-Forwarded-User": "user%d" % some.randint(1, 1000), "Content-Type": "application/x-www-form-urlencoded"}
        fields = "name=a&read=1"
        if "{id}" in pattern:
            pattern = pattern.replace("{id}", self.site.ask("/api/v1/tokens", "POST", headers, fields).json["id"])
        return Request(route, method, pattern, headers, fields.encode() if method == "POST" else b"")

    def request(self, route, some):
        method, pattern, body = self.rows[route]
        if pattern.startswith("/api/v1/mappings"):
            return self.mapping_request(route, method, pattern, some)
        if pattern.endswith("/webhook"):
            return Request(route, method, pattern, {"X-Forwarded-User": "root"})
        if "/tokens" in pattern:
            return self.token_request(route, method, pattern, some)
        if pattern.startswith("/api/v1/uploads/"):
            return self.upload_request(route, method, pattern)
        is_change = "{id}" in pattern and method in ("POST", "PATCH", "DELETE")
        trace = self.new_trace() if is_change else some.choice(self.kept)
        if pattern.endswith("/events"):
            trace = some.choice((self.waiting, trace))
        path = self.fill(pattern, trace, some)
        headers = {"Accept": some.choice(("text/html", "*/*"))}
        if "{id}" in pattern:
            headers["Authorization"] = "Bearer " + trace["owner_token"]
        name = path.partition("?")[0].rpartition("/")[2]
        if pattern.endswith("/{route}") and name in BESIDE:
            other = next(other["id"] for other in self.kept if other["id"] != trace["id"])
            path = "%s?old=%s%s" % (path.partition("?")[0], other, BESIDE[name])
        if pattern.startswith(("/apps", "/api/v1/apps")):
            path = "%s?%s" % (path.partition("?")[0], FLEET[pattern.rpartition("apps")[2]])
        if pattern == "/compare":
            path += "old=%s&new=%s" % tuple(trace["id"] for trace in self.kept)
        content = b""
        if body == "TRACE" and (some.random() < 0.5 or pattern == "/upload_trace"):
            form, content = multipart([("title", "x"), ("trace_file", "a.trace", read(some.choice((SMALL, EXAMPLE))))])
            headers.update(form)
        elif body == "TRACE":
            path, content = path + "name=a.trace", read(some.choice((SMALL, EXAMPLE)))
        elif body == "FORM":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            fields = {"title": "y", "name": "a.trace"}
            if pattern.endswith("/owner"):
                fields = {"action": some.choice(("save", "delete")), "title": "y", "owner_token": trace["owner_token"]}
            elif is_change:
                fields = {"title": "y"}
            content = urllib.parse.urlencode(fields).encode()
        return Request(route, method, path, headers, content)

    def upload_request(self, route, method, pattern):
        upload, headers, content = self.new_upload(pieces=1 if pattern.endswith("/complete") else 0)
        return Request(route, method, pattern.replace("{id}", upload), headers, content if method == "PATCH" else b"")
