#!/usr/bin/env python3
"""Writes reports, and looks into them: the trace in a page is the part that was asked for, what is shown without a script is
of that trace, the size is the one that was told, and nothing that a user or a trace names ends a block.

    reports.py PROGRAM

Ends with "N passed, N failed".
"""

import array
import gzip
import hashlib
import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
# A part of it where the length does not matter: to pack the whole trace takes seconds of the processor.
PART = ("--from", "100ms", "--to", "150ms")
SMALL = os.path.join(ROOT, "tests", "data", "made", "packets-5-E.trace")
OTHER = os.path.join(ROOT, "tests", "data", "made", "packets-5-D.trace")


class Failed(Exception):
    pass


def expect(is_true, what):
    if not is_true:
        raise Failed(what)


def bits_of_pairs():
    """The bits of each pair of letters, the lowest first, by the number that two bytes are."""
    digits = {letter: letter - (33 if letter < 60 else 34) for letter in range(33, 127) if letter != 60}
    bits = [""] * 65536
    for (low, first), (high, second) in itertools.product(digits.items(), repeat=2):
        pair = first + 93 * second
        count = 14 if pair % 8192 < 93 * 93 - 8192 else 13
        bits[low | high << 8] = "{:0{}b}".format(pair & (1 << count) - 1, count)[::-1]
    return bits


BITS = bits_of_pairs()


def bytes_of(text):
    """What a block of data stands for: docs/report.md."""
    letters = text.encode("ascii")
    pairs = array.array("H", letters[:len(letters) // 2 * 2])
    if sys.byteorder == "big":
        pairs.byteswap()
    bits = "".join(map(BITS.__getitem__, pairs))
    if len(letters) % 2:
        bits += "{:08b}".format(letters[-1] - (33 if letters[-1] < 60 else 34))[::-1]
    bits = bits[:len(bits) // 8 * 8]
    return int(bits[::-1] or "0", 2).to_bytes(len(bits) // 8, "little")


class Reports:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.whole = None  # page of the whole example, and what was told of its size

    def run(self, *words):
        return subprocess.run([self.program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def write(self, *words, status=0):
        """The page, and what was told of its size."""
        path = os.path.join(self.folder, "out.html")
        run = self.run("report", *words, "-o", path)
        expect(run.returncode == status, "status %d: %s" % (run.returncode, run.stderr))
        with open(path, encoding="utf-8") as file:
            return file.read(), run.stdout

    def trace_in(self, page, row="tv-trace"):
        """Path of the trace that a page has in it, or of the one in another row."""
        path = os.path.join(self.folder, row + ".trace")
        with open(path, "wb") as file:
            packed = trace_of(page, row)
            file.write(subprocess.run(["zstd", "-dqc"], input=packed, stdout=subprocess.PIPE, check=True).stdout)
        return path

    def answer(self, verb, path, *words):
        run = self.run(verb, path, "--json", "--no-cache", *words)
        expect(run.returncode in (0, 3), run.stderr)
        answer = json.loads(run.stdout)
        answer.pop("file", None)
        return answer


def block(page, name):
    found = re.findall(r'<script type="[a-z/]+" id="%s"[^>]*>(.*?)</script>' % name, page, re.S)
    expect(len(found) == 1, "%d blocks %s" % (len(found), name))
    return found[0]


def texts_of_trace(page, row="tv-trace"):
    found = re.findall(r'<div id="%s" hidden>\n(.*?)</div>\n' % row, page, re.S)
    expect(len(found) == 1, "%d traces" % len(found))
    return re.findall(r'<script type="text/plain">([^<]*)</script>\n', found[0])


def trace_of(page, row="tv-trace"):
    return b"".join(bytes_of(text) for text in texts_of_trace(page, row))


def page_of_all(reports):
    if reports.whole is None:
        words = ("--title", "Slow start", "--note", "one\ntwo", "--link", "http://x/#clock=wall&tab=flame")
        reports.whole = reports.write(EXAMPLE, *words)
    return reports.whole


def whole_trace(reports):
    page, told = page_of_all(reports)
    inside, outside = reports.trace_in(page), EXAMPLE
    for key in ("count", "total"):
        expect(reports.answer("top", inside)[key] == reports.answer("top", outside)[key], "other numbers: %s" % key)
    expect(gzip.decompress(bytes_of(block(page, "tv-engine")))[:4] == b"\0asm", "no module")
    expect('id="tv-zstd"' not in page, "a decoder where none is wanted")
    packed = trace_of(page)
    expect(about(page) == {"title": "Slow start", "note": "one\ntwo", "link": "clock=wall&tab=flame", "name": "recipes.trace.zst",
                           "sha256": hashlib.sha256(packed).hexdigest()}, about(page))
    expect("<title>Slow start</title>" in page and "<pre>one\ntwo</pre>" in page, "title or note")
    sizes = re.search(r"out.html: a page of ([\d.]+) (k|M)B, of which the trace is ([\d.]+) (k|M)B$", told.strip())
    expect(sizes, told)
    for size, unit, text in zip(sizes.groups()[::2], sizes.groups()[1::2], (page, "".join(texts_of_trace(page)))):
        expect(float(size) == round(len(text.encode()) / {"k": 1e3, "M": 1e6}[unit], 1), told)


def what_is_shown_without_a_script(reports):
    page, _ = page_of_all(reports)
    rows = re.findall(r"<tr><td>[\d.]+</td><td>([\d,.]+)</td>.*?<td>([^<]*)</td></tr>", page)
    top = reports.answer("top", EXAMPLE, "--sort", "exclusive", "--clock", "cpu")["methods"][:5]
    expected = [(row["exclusive"]["cpu_ns"] if "exclusive" in row else None) for row in top]
    shown = [round(float(time.replace(",", "")) * 1e6) for time, _ in rows[:5]]
    expect(shown == expected, "%s is shown, %s is right" % (shown, expected))
    expect(page.count("<rect ") > 100, "no flame graph")


def part_of_a_trace(reports):
    page, _ = reports.write(EXAMPLE, "--from", "100ms", "--to", "150ms", "--thread", "main")
    path = os.path.join(reports.folder, "part.trace")
    run = reports.run("export", EXAMPLE, "--from", "100ms", "--to", "150ms", "--thread", "main", "--as", "packets", "-o", path)
    expect(run.returncode in (0, 3), run.stderr)
    with open(path, "rb") as part, open(reports.trace_in(page), "rb") as inside:
        expect(part.read() == inside.read(), "another part is in the page")


def redacted(reports):
    page, _ = reports.write(EXAMPLE, *PART, "--redact")
    inside = reports.trace_in(page)
    with open(inside, "rb") as file:
        expect(b"RecipeApp" not in file.read(), "a name is in the trace")
    expect("RecipeApp" not in page and "recipes.trace" not in page, "a name is in the page")


def about(page):
    return json.loads(block(page, "tv-report"))


def a_link_has_the_keys_that_the_page_reads(reports):
    page = ""
    for name in ("url-state.ts", "lens-link.ts"):
        with open(os.path.join(ROOT, "web/src/model/page", name), encoding="utf-8") as file:
            page += file.read()
    read = set(re.findall(r'params\s*\.(?:get|getAll|has)\("(\w+)"\)', page)) | {"selected", "along", "upwards"}
    read |= set(re.findall(r'"(\w+)"', re.search(r"LENS_KEYS = \[(.*?)\]", page, re.DOTALL)[1]))
    done = subprocess.run([reports.program, "report", SMALL, "-o", "-", "--link", "foo=bar"], capture_output=True, text=True, check=False)
    told = done.stderr.strip().split(": ")
    expect(done.returncode == 2 and told[3] == "'foo' is in no link of the viewer", done)
    expect(set(told[4].split()) == read, (set(told[4].split()) ^ read))


def link_and_marks_fit_the_part(reports):
    part = ("--from", "100ms", "--to", "300ms")
    link = "http://x/#tab=tree&range=150-400ms&call=1:main|3|a.b.C.d()V&mark=90-110ms|first&search=Recipe"
    page, _ = reports.write(EXAMPLE, *part, "--link", link, "--mark", "0.2s-250ms=50 %, <b>", "--mark", "400ms-500ms")
    expect(about(page)["link"] == "tab=tree&range=50-200ms&method=a.b.C.d()V&mark=0-10ms|first&search=Recipe"
           "&mark=100-150ms|50%20%2525%252C%20%3Cb%3E", about(page)["link"])
    expect("<li>0 – 10 ms first</li>\n<li>100 – 150 ms 50 %, &lt;b&gt;</li>" in page, "no marks where no script runs")
    page, _ = reports.write(EXAMPLE, *part, "--link", link, "--mark", "200ms-250ms=Recipe", "--redact")
    expect(about(page)["link"] == "tab=tree&range=50-200ms&mark=0-10ms|&mark=100-150ms|", about(page)["link"])
    expect("Recipe" not in page, "a name is in the page")


def both_traces(reports):
    old, new = (os.path.join(reports.folder, name) for name in ("old.trace", "new.trace"))
    for path, end in ((old, "160ms"), (new, "190ms")):
        run = reports.run("export", EXAMPLE, "--to", end, "--as", "packets", "-o", path)
        expect(run.returncode == 0, run.stderr)
    page, told = reports.write("--against", old, new, "--title", "A <pull>")
    for row, outside in (("tv-old", old), ("tv-trace", new)):
        inside = reports.trace_in(page, row)
        for key in ("count", "total"):
            expect(reports.answer("top", inside)[key] == reports.answer("top", outside)[key], "other numbers: %s" % key)
    said = about(page)
    expect(said["link"] == "tab=changes&against=1" and said["name"] == "new.trace", said)
    expect(said["old"] == {"name": "old.trace", "sha256": hashlib.sha256(trace_of(page, "tv-old")).hexdigest()}, said)
    length = sum(len(text) for row in ("tv-old", "tv-trace") for text in texts_of_trace(page, row))
    expect(told.strip().endswith("of which the traces are %.1f kB" % (length / 1e3)), told)
    # What is shown without a script are the tables of diff, and pictures, without a style.
    tables = reports.run("diff", "--as", "markdown", old, new).stdout
    first = re.search(r"<code>com.example.recipes[^<]*</code>", tables).group()
    still = page[page.index("<h1>"):page.index('id="tv-packed"')]
    expect(first in still and "Where the time went" in still and "A &lt;pull>" not in still, "no tables")
    expect("style" not in still and len(still) < 1.5e5, "%d bytes" % len(still))


def parts_of_both(reports):
    old = os.path.join(reports.folder, "old.trace")
    part = ("--from", "100ms", "--to", "150ms", "--thread", "main")
    page, _ = reports.write("--against", old, EXAMPLE, *part)
    path = os.path.join(reports.folder, "part.trace")
    run = reports.run("export", EXAMPLE, *part, "--as", "packets", "-o", path)
    expect(run.returncode in (0, 3), run.stderr)
    for row in ("tv-trace", "tv-old"):
        expect(reports.answer("top", path)["total"] == reports.answer("top", reports.trace_in(page, row))["total"], row)
    expect("What is compared, together" in page and "All threads together" not in page, "a part is told as all")
    page, _ = reports.write("--against", old, EXAMPLE, *PART, "--redact", "--mark", "0.1s-150ms=Recipe")
    for row in ("tv-trace", "tv-old"):
        with open(reports.trace_in(page, row), "rb") as file:
            expect(b"RecipeApp" not in file.read(), "a name is in the trace")
    expect("RecipeApp" not in page and "recipes.trace" not in page and "old.trace<" not in page.replace("redacted-old", ""), "a name")
    expect(about(page)["old"]["name"] == "redacted-old.trace", about(page))
    run = reports.run("report", "--against", EXAMPLE, os.path.join(reports.folder, ".", "..", os.path.basename(reports.folder), "x"), "-o", "-")
    expect(run.returncode == 1 and "no such file" in run.stderr, run.stderr)


def long_trace(reports):
    """One of more than 16 MiB: by zstd, with libzstd's decoder beside it."""
    path = os.path.join(reports.folder, "long.trace")
    text = "*version\n3\nclock=dual\n*threads\n1\tmain\n*methods\n0x4\tA\tb\t()V\tA.java\n*end\n"
    calls = 1_800_000
    times = array.array("I", itertools.accumulate(itertools.islice(itertools.cycle((700, 1500, 900, 1300, 1100, 800)), 2 * calls))).tobytes()
    records = bytearray((struct.pack("<HI8x", 1, 4) + struct.pack("<HI8x", 1, 5)) * calls)
    for place in range(4):
        records[6 + place::14] = records[10 + place::14] = times[place::4]
    with open(path, "wb") as file:
        file.write(text.encode() + b"SLOW" + struct.pack("<HHQH14x", 3, 32, 0, 14) + records)
    page, _ = reports.write(path)
    expect(gzip.decompress(bytes_of(block(page, "tv-zstd")))[:4] == b"\0asm", "no decoder")
    packed = trace_of(page)
    expect(packed[:4] == b"\x28\xb5\x2f\xfd", "not by zstd")
    unpacked = os.path.getsize(reports.trace_in(page))
    said = about(page)
    expect((said["packed"], said["unpacked"]) == (len(packed), unpacked) and unpacked > 16 << 20, said)
    expect(reports.answer("top", reports.trace_in(page))["methods"][0]["calls"] == calls, "other calls")
    # The page of a short trace that is compared with it has the decoder, too.
    both, _ = reports.write("--against", path, SMALL)
    expect('id="tv-zstd"' in both, "no decoder")


def wrong_marks(reports):
    for mark in ("", "1s", "1s-", "2s-1s", "1s-1s", "a-b", "-1s", "1s-2s3", "1" * 40 + "-2s"):
        run = reports.run("report", SMALL, "-o", "x.html", "--mark=" + mark)
        expect(run.returncode == 2 and "a mark is FROM-TO, or FROM-TO=TEXT" in run.stderr, (mark, run.stderr))


def script_in_names(reports):
    evil = "</script><script>alert(1)</script><!--tv:data-->"
    path = os.path.join(reports.folder, evil.replace("/", "_") + ".trace")
    with open(SMALL, "rb") as small, open(path, "wb") as file:
        file.write(small.read())
    page, _ = reports.write(path, "--title", evil, "--note", evil, "--link", "#search=" + evil)
    expect("<script>alert" not in page, "a script of a name")
    both, _ = reports.write("--against", OTHER, path, "--title", evil, "--note", evil)
    expect("<script>alert" not in both, "a script of a name")
    both, _ = reports.write("--against", path, OTHER)
    expect("<script>alert" not in both and about(both)["old"]["name"] == os.path.basename(path), "a script of the old name")
    expect(json.loads(block(page, "tv-report"))["title"] == evil, "another title")


def misuse(reports):
    run = reports.run("report", SMALL)
    expect(run.returncode == 2 and "-o OUT.html" in run.stderr, run.stderr)
    run = reports.run("report", SMALL, "-o", "x.html", "--keep", "java.")
    expect(run.returncode == 2 and "--keep is for --redact" in run.stderr, run.stderr)
    run = reports.run("report", SMALL, "-o", SMALL)
    expect(run.returncode == 2 and "the output is the file itself" in run.stderr, run.stderr)
    path = os.path.join(reports.folder, "none", "x.html")
    run = reports.run("report", SMALL, "-o", path)
    expect(run.returncode == 1 and not os.path.exists(path), run.stderr)


TESTS = [whole_trace, what_is_shown_without_a_script, part_of_a_trace, redacted, a_link_has_the_keys_that_the_page_reads, link_and_marks_fit_the_part, both_traces, parts_of_both, long_trace, wrong_marks,
         script_in_names, misuse]


def main():
    program = os.path.abspath(sys.argv[1])
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="traceview-reports-") as folder:
        reports = Reports(program, folder)
        if "built without the page" in reports.run("report", SMALL, "-o", os.path.join(folder, "x.html")).stderr:
            print("skipped: reports: %s is built without its page" % program)
            print("1 passed, 0 failed")
            return
        for test in TESTS:
            try:
                test(reports)
                passed += 1
            except Failed as problem:
                failed += 1
                print("%s: %s" % (test.__name__, str(problem)[:2000]))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
