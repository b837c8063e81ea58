#!/usr/bin/env python3
"""Compares flame graphs with the tools that they are known from.

    flame.py PROGRAM

flamegraph.pl (Debian's libdevel-nytprof-perl) draws the same folded stacks: each box must be as wide as ours, to the
tenth of a pixel that it writes. AFlame's recorded stacks must have the numbers of `flame --folded --aflame`. Every
picture must be well-formed XML that refers to nothing, whatever the names in it. Ends with "N passed, N failed".
"""

import collections
import glob
import gzip
import os
import re
import subprocess
import sys
import tempfile
import xml.parsers.expat

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "acceptance"))

import harness  # noqa: E402

PEER = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
MADE = os.path.join(ROOT, "tests", "data", "made")
PART = ["--from", "610ms", "--to", "625ms"]

# Stacks that try what is odd in the format: siblings whose names begin alike, recursion, a stack that is the beginning of
# another, decimals, a bad line.
ODD_STACKS = """a;b;c 100
a;b 50
a;b;c;b;c 25
a;b2;c 10.5
a;b 7
a 3
no number
e;f 0.25
b 30
"""


class Box:
    def __init__(self, name, x, y, width):
        self.name = name
        self.x = float(x)
        self.y = float(y)
        self.width = float(width)


class Reading:
    """The boxes of a picture, ours or theirs: an element with a <title> and a <rect>."""

    def __init__(self, text):
        self.boxes = []
        self.title = None
        self.is_in_box = False
        self.references = []
        parser = xml.parsers.expat.ParserCreate()
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.Parse(text, True)

    def start(self, name, attributes):
        self.references += [value for key, value in attributes.items() if key in ("href", "xlink:href", "src")]
        if name == "g":
            self.is_in_box = attributes.get("id") != "boxes"
        elif name == "title":
            self.title = ""
        elif name == "rect" and self.is_in_box:
            self.boxes.append(Box(self.title[:self.title.rindex(" (")], attributes["x"], attributes["y"],
                                  attributes["width"]))

    def end(self, name):
        self.is_in_box = self.is_in_box and name != "g"

    def characters(self, text):
        if self.title is not None:
            self.title += text


def nearest(boxes, box):
    """Of the boxes of a row the one that the box stands on: its middle is in it, or is nearest to it."""
    middle = box.x + box.width / 2
    return min(boxes, key=lambda below: max(below.x - middle, middle - below.x - below.width, 0))


def widths(text):
    """{path of names: width of its boxes together}, by where the boxes stand."""
    rows = collections.defaultdict(list)
    for box in Reading(text).boxes:
        box.name = box.name.replace("<", "(").replace(">", ")")  # so flamegraph.pl of 2014 writes them
        rows[box.y].append(box)
    order = sorted(rows, reverse=True)
    if len(rows[order[0]]) != 1:
        order.reverse()
    paths, found = {}, collections.Counter()
    for below, row in zip([None] + order, order):
        for box in rows[row]:
            paths[box] = (paths[nearest(rows[below], box)] + ";" if below is not None else "") + box.name
            found[paths[box]] += box.width
    return found


def run(*command, stdin=None):
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120,
                          check=True).stdout


def compare(checked, ours, theirs):
    ours, theirs = widths(ours), widths(theirs)
    checked.true("there are boxes", len(ours) > 3)
    checked.equal("boxes that only one has", sorted(ours.keys() ^ theirs.keys())[:5], [])
    apart = [(path, round(ours[path], 1), round(theirs[path], 1)) for path in ours.keys() & theirs.keys()
             if abs(ours[path] - theirs[path]) > 0.11]
    checked.equal("boxes of another width: ours, theirs", sorted(apart)[:5], [])


def check_peer(program, report):
    if not os.path.exists(PEER):
        report.skip("flamegraph.pl", "install libdevel-nytprof-perl")
        return
    traces = [(EXAMPLE, [*PART, "--clock", "wall"]), (os.path.join(MADE, "v3-deep-exits.trace"), []),
              (os.path.join(MADE, "v3-recursive.trace"), ["--clock", "cpu"])]
    with tempfile.TemporaryDirectory() as folder:
        for path, part in traces:
            folded = run(program, "flame", path, *part, "--folded")
            theirs = run("perl", PEER, stdin=folded)
            what = "%s %s" % (os.path.basename(path), " ".join(part))
            with report.case("flamegraph.pl of " + what) as checked:
                compare(checked, run(program, "flame", "-", stdin=folded), theirs)
            with report.case("flamegraph.pl, by thread, of " + what) as checked:
                compare(checked, run(program, "flame", path, *part, "--by-thread"), theirs)
        stacks = os.path.join(folder, "odd.folded")
        with open(stacks, "w", encoding="utf-8") as file:
            file.write(ODD_STACKS)
        for ours, theirs in (([], []), (["--icicle"], ["--inverted"]), (["--inverted"], ["--reverse"]),
                             (["--width", "700", "--minwidth", "5"], ["--width", "700", "--minwidth", "5"])):
            with report.case("flamegraph.pl of odd stacks " + " ".join(theirs)) as checked:
                compare(checked, run(program, "flame", stacks, *ours), run("perl", PEER, *theirs, stacks))


def stacks_of(text, is_recorded):
    """{(thread, stack): microseconds}. Frames that AFlame could not name have no names, so only their number counts."""
    found = collections.Counter()
    thread = None
    for line in text.splitlines():
        if is_recorded and line.startswith("# thread "):
            thread = line.split(" ", 3)[3]
            continue
        stack, value = line.rsplit(" ", 1)
        if not is_recorded:
            thread, stack = stack.split(";", 1)
        if int(value):
            found[(thread, stack.rstrip(";").replace("/", "."))] += int(value)
    return found


def without_names(found):
    return collections.Counter((thread, stack.count(";"), value) for (thread, stack), value in found.items())


def check_aflame(program, report):
    folder = os.path.join(harness.shared_folder(), "traces")
    recorded = sorted(glob.glob(os.path.join(folder, "expected", "*aflame-folded.txt*")))
    if not recorded:
        report.skip("AFlame", "no recorded stacks in %s" % folder)
    for path in recorded:
        name = os.path.basename(path).split(".")[0]
        trace = glob.glob(os.path.join(folder, name + ".trace*"))[0]
        opened = gzip.open if path.endswith(".gz") else open
        with opened(path, "rt", encoding="utf-8", errors="surrogateescape") as file:
            wanted = stacks_of(file.read(), True)
        got = stacks_of(run(program, "flame", trace, "--folded", "--aflame").decode("utf-8", "surrogateescape"), False)
        threads = {thread for thread, _ in wanted}
        with report.case("AFlame of " + name) as checked:
            # It drops threads that the file does not list.
            got = collections.Counter({key: value for key, value in got.items()
                                       if key[0] in threads or not key[0].startswith("thread ")})
            if any("?Class" in stack for _, stack in wanted):
                wanted, got = without_names(wanted), without_names(got)
            checked.equal("stacks that differ", sorted((wanted - got) + (got - wanted))[:3], [])


def check_xml(program, report):
    """Pictures of odd names, read by a strict reader."""
    names = [b"</title><script>x</script>", b"\"'<>&", b"]]>", b"\x01\x02\x1b[0m\x7f", b"\xff\xfe\xc0\x80\xed\xa0\x80",
             b"\xef\xbf\xbe\xef\xbf\xbf", b"n" * 60000, "\u202e\u200b\U000e0041é\u4e2d".encode(), b"a (b) (1, 2%)"]
    folded = b"".join(b"%s;%s %d\n" % (name, name, ix + 1) for ix, name in enumerate(names))
    pictures = {"folded stacks": run(program, "flame", "-", stdin=folded)}
    for name in ("v3-odd-names", "odd-thread-name-with-newline", "stream-f3"):
        for option in ("--by-thread", "--flamechart", "--inverted"):
            pictures["%s %s" % (name, option)] = run(program, "flame", os.path.join(MADE, name + ".trace"), option)
    pictures["packages"] = run(program, "flame", EXAMPLE, *PART, "--colors", "package", "--flamechart")
    for name, text in pictures.items():
        with report.case("XML of " + name) as checked:
            reading = Reading(text)
            checked.true("there are boxes", len(reading.boxes) > 2)
            checked.equal("references", reading.references, [])
            checked.equal("addresses", re.findall(rb"\b(?:https?|data|javascript):[^\"<\s]+", text.split(b"<script>")[0]),
                          [b"http://www.w3.org/2000/svg"])
    with report.case("XML of a redacted picture") as checked:
        told = run(program, "flame", EXAMPLE, *PART, "--redact", "--flamechart")
        for word in (b"Looper", b"recipes", b"java.util", b"ImageWorker"):
            checked.true("%s is not there" % word.decode(), word not in told)


def main():
    report = harness.Report()
    check_peer(sys.argv[1], report)
    check_aflame(sys.argv[1], report)
    check_xml(sys.argv[1], report)
    print("%d passed, %d failed" % (report.passed, report.failed))
    sys.exit(report.failed > 0)


main()
