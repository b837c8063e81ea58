#!/usr/bin/env python3
"""Compares `traceview dmtracedump` with Debian's dmtracedump, and looks at its graphs and pages.

    dmtracedump.py PROGRAM

For traces whose numbers do not differ for one of the reasons of docs/dmtracedump.md, the reports must have the same
lines, and the dump of records too. Pages are read by tidy, graphs by graphviz; their numbers are those of `top --json`.
Ends with "N passed, N failed".
"""

import html
import html.parser
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "acceptance"))

import harness  # noqa: E402

DATA = os.path.join(ROOT, "tests", "data")
# Version 1 to 3, every exit fits, and no wall clock alone with calls that are open at the end.
SAME = ["odd-missing-records", "odd-thread-zero", "odd-unknown-thread", "v1-global", "v1-thread-cpu", "v2-thread-cpu",
        "v3-clock-backwards", "v3-dual", "v3-dual-wide-records", "v3-idle-40-min", "v3-per-thread-runs", "v3-recursive",
        "v3-runs-of-50-min", "v3-wrapped"]
PATIENCE_S = 240  # on a busy machine; only a failure takes that long
LONGEST_S = 20
TOP = 20


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE_S, check=False, **more)


def lines_of(text):
    """Lines as both tools would print them: class names as Java has them, no source file that the old tool takes for a
    part of the signature, and no numbers of methods without any time, which it counts from another one."""
    text = re.sub(rb"\t.*", b"", text).replace(b"/", b".")
    text = re.sub(rb"^( +(?:0\.0%)? +)\[\d+\] *( \d+\.\d+ +0 )", rb"\1[] \2", text, flags=re.M)
    return re.sub(rb"^( +0 +0 .*?)\[\d+\]", rb"\1[]", text, flags=re.M).splitlines()


def compare_texts(report, program, path, name):
    for options in ([], ["-o"]):
        with report.case("%s %s" % (name, " ".join(options) or "reports")) as checked:
            old = run(["dmtracedump", *options, path])
            ours = run([program, "dmtracedump", *options, path])
            checked.equal("status", ours.returncode, 0)
            wanted, got = lines_of(old.stdout), lines_of(ours.stdout)
            checked.true("there are lines", len(wanted) > 5)
            checked.equal("count of lines", len(got), len(wanted))
            for a, b in zip(got, wanted):
                if not checked.equal("line", a, b):
                    break


def compare_graphs(report, program, path, folder):
    """The old tool names the root "(toplevel).(null)" and has record shapes; else both texts have the same lines."""
    with report.case("graphs") as checked:
        graphs = []
        for word, command in (("old", ["dmtracedump"]), ("ours", [program, "dmtracedump"])):
            out = os.path.join(folder, word + ".png")
            done = run([*command, "-k", "-t", "35", "-g", out, path])
            checked.equal("status of " + word, done.returncode, 0)
            with open(out, "rb") as picture:
                checked.equal("picture of " + word, picture.read(8), b"\x89PNG\r\n\x1a\n")
            with open(out + ".dot", encoding="utf-8") as text:
                graphs.append({re.sub(r"\.\(null\)|shape = \w+", "", line) for line in text.read().splitlines()} - {"}"})
        checked.equal("lines of one alone", sorted(graphs[0] ^ graphs[1])[:4], [])


def old_pairs(text):
    """Rows of dmtracedump -d: {name: [(run 1, run 2, calls 1, calls 2)]} of the exclusive table, then of the other."""
    rows = re.findall(r"^(\S+) (\d+) (\d+) \d+ [\d.]+\n(\d+)\n(\d+)$", text, re.M)
    half = len(rows) // 2
    return [sorted((name, *map(int, numbers)) for name, *numbers in part) for part in (rows[:half], rows[half:])]


def our_pairs(text):
    tables = []
    for title in ("Exclusive", "Inclusive"):
        table = text.split("\n%s\n" % title)[1].split("\n\n")[0]
        rows = []
        for row in table.splitlines()[1:]:
            before, after, difference, _, calls, calls_2, name = row.split(None, 6)
            assert int(difference) == int(after) - int(before), row
            rows.append((name.split(" ")[0], int(before), int(after), int(calls), int(calls_2)))
        tables.append(sorted(rows))
    return tables


def compare_differences(report, program, folder):
    """A trace, and the same without its last fifth of records, whose open calls end with the last record left."""
    with report.case("differences") as checked:
        path = os.path.join(DATA, "made", "v3-dual.trace")
        other = os.path.join(folder, "cut.trace")
        with open(path, "rb") as file:
            whole = file.read()
        records = whole[whole.index(b"SLOW") + 32:]
        with open(other, "wb") as file:
            file.write(whole[:len(whole) - len(records) // 14 // 5 * 14])
        old = html.unescape(run(["dmtracedump", "-d", other, path]).stdout.decode())
        old = old.replace("(toplevel).(null)", "(toplevel)")
        ours = run([program, "dmtracedump", "-d", other, path])
        checked.equal("status", ours.returncode, 0)
        wanted = [[row for row in table if row[0] != "(unknown).(null)"] for table in old_pairs(old)]
        checked.true("there are rows", len(wanted[0]) > 20)
        checked.equal("rows", our_pairs(ours.stdout.decode()), wanted)
        checked.true("signs", re.search(r" -\d+ ", ours.stdout.decode()) or re.search(r" \+\d+ ", ours.stdout.decode()))


class Page(html.parser.HTMLParser):
    """Where a page leads, what it loads, and the rows of its first table."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loads, self.rows = [], [], [], []
        self.tables = 0

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.links.append(given["href"])
        self.loads += [value for name, value in attrs if name in ("src", "srcset", "data", "action") or
                       (name == "href" and tag != "a")]
        self.tables += tag == "table"
        if self.tables == 1 and tag == "tr":
            self.rows.append([])
        if self.tables == 1 and tag == "td":
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.tables == 1 and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n")

    def handle_endtag(self, tag):
        self.tables += tag == "table"


def look_at_page(checked, page):
    told = run(["tidy", "-q", "-e"], input=page)
    checked.equal("what tidy says", told.stderr.decode()[:300], "")
    read = Page()
    read.feed(page.decode())
    checked.equal("ids that are there twice", [name for name in set(read.ids) if read.ids.count(name) > 1], [])
    checked.equal("what is loaded", read.loads + re.findall(rb"url\(|@import|https?://", page), [])
    checked.equal("links that lead nowhere", sorted(set(read.links) - {"#" + name for name in read.ids})[:4], [])
    return read


def top_of(program, path, sort):
    answer = json.loads(run([program, "top", path, "--json", "-n", str(TOP), "--sort", sort]).stdout)
    return answer["methods"]


def compare_pages(report, program, path):
    with report.case("the page") as checked:
        read = look_at_page(checked, run([program, "export", path, "--to", "html"]).stdout)
        for row, wanted in zip(read.rows[1:], top_of(program, path, "exclusive")):
            times = [int(cell.replace(",", "").replace(".", "")) * 1000 for cell in row[2:4]]
            checked.equal(row[5], times, [wanted["exclusive"]["cpu_ns"], wanted["exclusive"]["wall_ns"]])
            checked.true(row[5] + " is " + wanted["method"], row[5].endswith(wanted["method"]))
    with report.case("pages of dmtracedump") as checked:
        look_at_page(checked, run([program, "dmtracedump", "-h", path]).stdout)
        other = os.path.join(DATA, "made", "v3-odd-names.trace")
        look_at_page(checked, run([program, "dmtracedump", "-hd", other, path]).stdout)
        look_at_page(checked, run([program, "dmtracedump", "-hd", path, other]).stdout)


def compare_dot(report, program, path):
    with report.case("the graph") as checked:
        graph = run([program, "export", path, "--to", "dot", "--clock", "wall"]).stdout
        drawn = run(["dot", "-Tsvg"], input=graph)
        checked.equal("graphviz", (drawn.returncode, drawn.stderr.decode()[:300]), (0, ""))
        labels = re.findall(r"\] (\S+)\\n([\d.]+) ms, ([\d.]+) ms exclusive, (\d+) calls?\"", graph.decode())
        nodes = {(name, round(1000 * float(inclusive)), round(1000 * float(exclusive)), int(calls))
                 for name, inclusive, exclusive, calls in labels}
        wanted = [(row["class"] + "." + row["name"], round(row["inclusive"]["wall_ns"] / 10**3),
                   round(row["exclusive"]["wall_ns"] / 10**3), row["calls"]) for row in top_of(program, path, "inclusive")]
        checked.equal("top methods without a node", [row for row in wanted if row not in nodes], [])


def try_bad_graphviz(report, program, path, folder):
    with report.case("a graphviz that fails") as checked:
        place = os.path.join(folder, "bin")
        os.mkdir(place)
        with open(os.path.join(place, "dot"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho half of a picture\nexit 1\n")
        os.chmod(os.path.join(place, "dot"), 0o755)
        out = os.path.join(folder, "bad.png")
        done = run([program, "dmtracedump", "-g", out, path], env=dict(os.environ, PATH=place + ":/bin:/usr/bin"))
        checked.equal("status", done.returncode, 1)
        checked.true("says so", done.stderr.endswith(b": dot failed\n"))
        checked.equal("nothing is left", os.path.exists(out), False)


def write_trace(path, threads, methods, records):
    """Version 3 with the CPU clock. records: (thread, method number from 1, 0 or 1, microseconds)"""
    with open(path, "wb") as file:
        file.write(b"*version\n3\nclock=thread-cpu\n*threads\n")
        file.write(b"".join(b"%d\tthread %d\n" % (thread, thread) for thread in threads))
        file.write(b"*methods\n")
        file.write(b"".join(b"0x%x\t%s\tm%d\t()V\tA.java\t1\n" % (4 * (i + 1), name, i) for i, name in enumerate(methods)))
        file.write(b"*end\nSLOW\x03\x00\x20\x00" + bytes(8) + struct.pack("<H", 10) + bytes(14))
        pack = struct.Struct("<HII").pack
        file.write(b"".join(pack(thread, 4 * method + action, usec) for thread, method, action, usec in records))


def hostile(folder):
    """(what it has, its path, whether -o is asked of it)"""
    deep = 250_000  # more than a stack has room for where one frame is used for each
    made = {
        "250,000 calls within each other": ([1], [b"A"] * 1000, [(1, i % 1000 + 1, 0, i) for i in range(deep)]
                                              + [(1, i % 1000 + 1, 1, 2 * deep - i) for i in reversed(range(deep))]),
        "10,000 threads": (range(1, 10001), [b"A"], [(i // 2 + 1, 1, i % 2, i) for i in range(20000)]),
        "long names, and no UTF-8": ([1], [b"\xff" * 60000 + b"%d" % i for i in range(40)],
                                     [(1, i % 40 + 1, 0, i) for i in range(40)]),
    }
    for i, (what, (threads, methods, records)) in enumerate(made.items()):
        path = os.path.join(folder, "hostile-%d.trace" % i)
        write_trace(path, threads, methods, records)
        yield what, path


def try_hostile(report, program, folder):
    for what, path in hostile(folder):
        with report.case(what) as checked:
            for command in (["export", path, "--to", "callgrind"], ["export", path, "--to", "html"],
                            ["export", path, "--to", "dot"], ["dmtracedump", path], ["dmtracedump", "-h", path]):
                begun = time.monotonic()
                done = run([program, *command])
                checked.equal("status of %s" % command, done.returncode, 0)
                checked.true("%s ends soon" % command, time.monotonic() - begun < LONGEST_S)
                # An invalid byte of a name is written as the three bytes of U+FFFD.
                checked.true("%s is not much longer than the trace" % command,
                             len(done.stdout) < 3 * os.path.getsize(path) + 2**20)
                if "html" in command:
                    look_at_page(checked, done.stdout)
            graph = run([program, "export", path, "--to", "dot"]).stdout
            checked.equal("graphviz reads the graph", run(["dot", "-Tcanon"], input=graph).returncode, 0)


def main():
    program = os.path.abspath(sys.argv[1])
    report = harness.Report()
    missing = [name for name in ("dmtracedump", "dot", "tidy") if not shutil.which(name)]
    for name in missing:
        report.skip("dmtracedump", "%s is not installed" % name)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        recipes = os.path.join(folder, "recipes.trace")
        with open(recipes, "wb") as file:
            subprocess.run(["zstd", "-dcq", os.path.join(DATA, "recipes.trace.zst")], check=True, stdout=file)
        if not missing:
            compare_texts(report, program, recipes, "recipes")
            for name in SAME:
                compare_texts(report, program, os.path.join(DATA, "made", name + ".trace"), name)
            compare_graphs(report, program, recipes, folder)
            compare_differences(report, program, folder)
            compare_pages(report, program, recipes)
            compare_dot(report, program, recipes)
            try_bad_graphviz(report, program, recipes, folder)
            try_hostile(report, program, folder)
    print("%d passed, %d failed" % (report.passed, report.failed))
    sys.exit(report.failed > 0)


main()
