"""No name that redaction removes is in what is written: in every format of `export` and every version of `convert`.

The formats are those that the program lists, so a new one is held to it without a word here. What is packed in an output
(gzip as a whole, zstd frames anywhere) is unpacked and looked through, too. The names are those of the example and of
made traces; a word that a format writes whatever the names are, such as "thread", is known by an output without them.
"""

import gzip
import os
import re
import subprocess
import tempfile

import harness
import made

SHORTEST = 5
# Letters, digits and what else classes, methods and signatures are written with; whatever else there is ends it.
NAME_LIKE = rb"[\w$./;()<>\[-]{5,}"
MOST_NAMES = 250
KEPT = "java.,jdk."
TABLES = ("calls", "nodes", "methods", "threads")
ZSTD = b"\x28\xb5\x2f\xfd"
EXAMPLE = os.path.join(harness.ROOT, "tests", "data", "recipes.trace.zst")


def ways_of(tool):
    """Every way to write: the words of the command, without the files."""
    listed = tool.run("export", EXAMPLE, "--to", "?").err.decode()
    for name in re.findall(r"^ {4}(\S+) +\S", listed, re.M):
        yield ("export", "--to", name)
        if tool.run("export", EXAMPLE, "--to", name, "--table", "threads", "--to", "1us").status == 0:
            for table in TABLES[1:]:
                yield ("export", "--to", name, "--table", table)
    choices = re.search(r"--as FORMAT +((?:[^\n]|\n {20,})*)", tool.run("convert", "--help").out.decode()).group(1)
    for name in re.findall(r"\b(v\d|stream|packets)\b", choices):
        yield ("convert", "--as", name)
    yield ("convert", "--as", "packets", "--layout", "d")


def written(tool, way, path, out, part, redacted):
    words = (way[0], path) + ((out,) if way[0] == "convert" else ("-o", out) + part) + way[1:]
    return tool.run(*words, *redacted)


def unpacked(data):
    """All bytes that a reader may come to see, separated by line ends."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    pieces = [data]
    at = data.find(ZSTD)
    while at >= 0:
        done = subprocess.run(["zstd", "-dcq"], input=data[at:], capture_output=True, check=False)
        pieces.append(done.stdout)
        at = data.find(ZSTD, at + 4)
    return b"\n".join(pieces)


def is_kept(name):
    return any(name.startswith(package) for package in KEPT.split(","))


def parts_of_name(name):
    return re.split(r"[./;$()\[\]<> ]+", name)


def removed_names(tool, path):
    """Classes, methods, parts of both, threads and properties that must not be in any output."""
    names, kept = set(), set()
    for row in tool.run("top", "--json", "-n", "0", path).json()["methods"]:
        types = re.findall(r"L([^;]+);", row.get("signature", ""))
        for class_name in [row["class"]] + [name.replace("/", ".") for name in types]:
            of_class = {class_name, class_name.replace(".", "/"), *parts_of_name(class_name)}
            (kept if is_kept(class_name) else names).update(of_class)
        (kept if is_kept(row["class"]) else names).update({row["name"], *parts_of_name(row["name"])})
    info = tool.run("info", "--json", path).json()
    names.update(thread["name"] for thread in info["threads"] if thread["name"] != "main")
    names.update(value for key, value in info["properties"].items() if key in ("vm", "pid"))
    names.add(os.path.basename(path))
    all_kept = "\n".join(kept)
    # Ids stay, also as the names of methods without a line; and a kept name may have another inside it.
    chosen = sorted(name for name in names if len(name) >= SHORTEST and not re.match(r"\(?0x|\d+$", name) and name not in all_kept)
    return chosen[:: 1 + len(chosen) // MOST_NAMES]


class Seen:
    """Bytes that are searched for many names: what could be a name of most of them, once each, is less than records of many calls."""

    def __init__(self, data):
        self.data = data
        self.texts = b"\n".join(set(re.findall(NAME_LIKE, data)))


def is_in(name, seen):
    name = name.encode()
    return name in (seen.texts if re.fullmatch(NAME_LIKE, name) else seen.data)


def check(case, tool, folder, path, part, way, baseline, names):
    out = os.path.join(folder, "out")
    keep = ("--redact", "--keep", KEPT)
    done = written(tool, way, path, out, part, keep)
    title = " ".join(way)
    if not case.true("status of " + title, done.status in (0, 3), (done.status, done.err)):
        return 0
    with open(out, "rb") as file:
        seen = Seen(unpacked(file.read()))
    found = [name for name in names if is_in(name, seen) and not is_in(name, baseline)]
    case.equal("names in %s" % title, found, [])
    return len(names)


def check_plain(case, tool, folder, path, way, names):
    """The same search finds names where none were removed."""
    out = os.path.join(folder, "plain")
    written(tool, way, path, out, (), ())
    with open(out, "rb") as file:
        seen = Seen(unpacked(file.read()))
    case.true("names in %s without --redact" % " ".join(way), any(is_in(name, seen) for name in names))


def baseline_of(tool, folder, way):
    """What the way of writing says of a trace with other names."""
    out = os.path.join(folder, "baseline")
    written(tool, way, os.path.join(made.folder(), "v3-dual.trace"), out, (), ("--redact",))
    with open(out, "rb") as file:
        return Seen(unpacked(file.read()))


def run(report, tool, options):
    traces = [(EXAMPLE, ("--from", "300ms", "--to", "302ms"))]
    traces += [(os.path.join(made.folder(), name), ()) for name in ("v3-odd-names.trace", "packets-5-E.trace",
                                                                    "perfetto-two-processes.trace")]
    names_of = {path: removed_names(tool, path) for path, _ in traces}
    with tempfile.TemporaryDirectory() as folder:
        for way in ways_of(tool):
            with report.case("redact " + " ".join(way)) as case:
                baseline = baseline_of(tool, folder, way)
                count = sum(check(case, tool, folder, path, part, way, baseline, names_of[path])
                            for path, part in traces)
                case.true("there were names to look for", count > 100, count)
                check_plain(case, tool, folder, traces[1][0], way, names_of[traces[1][0]])
