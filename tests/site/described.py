"""Holds requests and answers against the description of the API that the site serves (src/site/answer/openapi.json)."""

import json
import os
import re
import sys
import urllib.parse

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's modules, where another python3 comes first
try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(ROOT, "src", "site", "answer", "openapi.json"), encoding="utf-8") as file:
    DOCUMENT = json.load(file)

# A route of the table matches before one with a word in braces, as in src/site/answer/routes.c.
PATHS = sorted(DOCUMENT["paths"], key=lambda path: ("{" in path.rsplit("/", 1)[1], path))
KINDS = {"id": "[0-9A-Fa-f]{32}", "thread": "[0-9]+", "name": "[\\w%~-][\\w.%~-]*"}


def resolve(node):
    """What a reference names."""
    while "$ref" in node:
        place, node = node["$ref"], DOCUMENT
        for part in place[2:].split("/"):
            node = node[part]
    return node


def pattern_of(path):
    parts = re.split(r"\{(\w+)\}", path)
    for at in range(1, len(parts), 2):
        parts[at] = "(%s)" % KINDS.get(parts[at], "[A-Za-z0-9_-][A-Za-z0-9_.-]*")
    parts[0::2] = [re.escape(text) for text in parts[0::2]]
    return re.compile("^%s$" % "".join(parts))


PATTERNS = [(path, pattern_of(path)) for path in PATHS]


def operation_of(method, target):
    """The path of the description and its operation; None where there is none. The first path that fits decides, as in
    the table of routes."""
    method = "get" if method == "HEAD" else method.lower()
    for path, pattern in PATTERNS:
        if pattern.match(target):
            return path, DOCUMENT["paths"][path].get(method)
    return None, None


def check_value(value, schema, what):
    if not jsonschema:
        return
    own = {"$schema": "https://json-schema.org/draft/2020-12/schema", "components": DOCUMENT["components"], "allOf": [schema]}
    errors = list(jsonschema.Draft202012Validator(own).iter_errors(value))
    assert not errors, "%s: %s" % (what, "; ".join(error.message for error in errors))


def check_request(path, operation, query, headers, body):
    """What a request that was answered well has must be described."""
    parameters = [resolve(parameter) for parameter in operation.get("parameters", [])]
    names = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
    takes_any = re.search(r"\{(route|format)\}$|/api/export(ing)?$", path)
    for name, _ in urllib.parse.parse_qsl(query, keep_blank_values=True):
        assert name in names or name.startswith("label_") or takes_any, "%s: undescribed parameter %r" % (path, name)
    given = {name.lower(): value for name, value in headers.items()}
    for parameter in parameters:
        if parameter["in"] != "header":
            continue
        value = given.get(parameter["name"].lower())
        assert value is not None or not parameter["required"], "%s: no header %s" % (path, parameter["name"])
        if value is not None:
            check_value(value, parameter["schema"], parameter["name"])
    kind = given.get("content-type", "").split(";")[0]
    content = operation.get("requestBody", {}).get("content", {})
    if kind and body:
        assert kind in content, "%s: undescribed body %s" % (path, kind)
    if kind == "application/x-www-form-urlencoded":
        text = body if isinstance(body, str) else body.decode()
        check_value(dict(urllib.parse.parse_qsl(text, keep_blank_values=True)), content[kind]["schema"], path)


def check_answer(path, method, operation, answer):
    what = "%s %s, %d" % (method, path, answer.status)
    assert str(answer.status) in operation["responses"], what + " is not described: " + answer.text[:300]
    response = resolve(operation["responses"][str(answer.status)])
    for name, header in response.get("headers", {}).items():
        value = answer.headers.get(name)
        if answer.status < 400:
            assert value is not None, "%s: no header %s" % (what, name)
            check_value(value, header["schema"], "%s, %s" % (what, name))
    kind = (answer.headers.get("Content-Type") or "").split(";")[0]
    if method == "HEAD" or answer.status in (204, 302, 303, 304):
        return
    content = response.get("content", {})
    assert kind in content or "*/*" in content, "%s: undescribed answer %s" % (what, kind)
    if kind == "application/json" and kind in content:
        check_value(answer.json, content[kind]["schema"], what)


def check(method, target, headers, body, answer):
    """Fails where a request and its answer are not as the description says."""
    names = [name.lower() for name in answer.headers.keys()]
    assert len(names) == len(set(names)), "%s %s: a header stands twice: %r" % (method, target, sorted(names))
    target, _, query = target.partition("?")
    path, operation = operation_of(method, target)
    if not operation:
        assert answer.status in (400, 404, 405, 421, 429), "%s %s is not described: %d" % (method, target, answer.status)
        return
    if answer.status == 405:
        raise AssertionError("%s %s is described, but not there" % (method, path))
    check_answer(path, method, operation, answer)
    if answer.status < 400:
        check_request(path, operation, query, headers, body)
