"""Files that went through a conversion of text: each is refused with what happened and how to copy it, and no other is.

A conversion that leaves the records of a file as they are leaves nothing to tell.
"""

import glob
import gzip
import os
import re
import tempfile

import harness
import made

SAID = "copied as .*text|damaged as by a copy as text"


def to_utf8(data):
    return data.decode("utf-8", "replace").encode()


def from_latin1(data):
    return data.decode("latin-1").encode()


def to_crlf(data):
    return data.replace(b"\n", b"\r\n")


def to_crlf_twice(data):
    return data.replace(b"\n", b"\r\r\n")


def to_lf(data):
    return data.replace(b"\r\n", b"\n")


CONVERSIONS = {"utf-8": to_utf8, "latin-1": from_latin1, "crlf": to_crlf, "crlf-twice": to_crlf_twice}
# These few bytes of records, or fewer, that change may be what the records are.
CHANGED_LEAST = {"utf-8": 1, "latin-1": 1, "crlf": 2, "crlf-twice": 2}


def records_of(data):
    """What is not text: all of a file but its text section, or the lists of a dump of 2024."""
    if data.startswith(b"TMOL"):
        return data.split(b"\n*threads")[0]
    at = data.find(b"\n*end\nSLOW")
    return data if at < 0 else data[at + len(b"\n*end\n") :]


def changed(convert, data):
    """How many bytes of records a conversion adds."""
    return len(convert(records_of(data))) - len(records_of(data))


def traces():
    """name -> bytes: the made traces, and one dump of each kind."""
    place = made.folder()
    seeds = os.path.join(harness.ROOT, "fuzz", "seeds", "low_overhead")
    paths = sorted(glob.glob(os.path.join(place, "*.trace"))) if place else []
    paths += [os.path.join(seeds, name) for name in ("long", "headed", "summary-first", "all-one", "old-blocks")]
    for path in paths:
        with open(path, "rb") as file:
            yield os.path.basename(path), file.read()


def check(tool, folder, data, name="converted.trace"):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return tool.run("check", path)


def expect_told(case, what, done):
    line = done.err.decode("utf-8", "replace")
    case.equal("status of " + what, done.status, 1)
    case.equal("answer of " + what, done.out, b"")
    case.true("one line for " + what, line.count("\n") == 1, line)
    case.true("told of " + what, re.search(SAID, line), line)
    case.true("how to copy " + what, "adb pull" in line and "adb exec-out" in line, line)


def check_conversions(report, tool, folder):
    told = dict.fromkeys(CONVERSIONS, 0)
    for name, data in traces():
        with report.case("converted " + name) as case:
            for kind, convert in CONVERSIONS.items():
                if changed(convert, data) < CHANGED_LEAST[kind]:
                    continue
                expect_told(case, kind, check(tool, folder, convert(data)))
                told[kind] += 1
            done = check(tool, folder, data)
            case.true("not told as it is", b"adb pull" not in done.err + done.out, done.err)
    with report.case("conversions that were seen") as case:
        for kind, count in told.items():
            case.true("%s: %d files" % (kind, count), count >= 40, "fewer than 40")


def stream_of(records):
    """Version 3 with this many records of random times, whose words have any bytes."""
    text = b"*version\n3\nclock=dual\n*threads\n1\tmain\n2\tworker\n*methods\n0x4\ta.B\tfoo\t()V\tB.java\n*end\n"
    out, state = bytearray(text + b"SLOW\3\0\x20\0" + bytes(8) + b"\x0e\0" + bytes(14)), 1
    for i in range(records):
        state = (state * 1103515245 + 12345) % (1 << 31)
        out += bytes([1 + i % 2, 0]) + (4 * (state >> 8 & 0xFFFF)).to_bytes(4, "little")
        out += (17 * i).to_bytes(4, "little") + (3343 * i % (1 << 31)).to_bytes(4, "little")
    return bytes(out)


def check_dropped(report, tool, folder):
    """A 0d that is lost shows in what is read behind it."""
    with report.case("dropped carriage returns") as case:
        data = stream_of(60000)
        case.true("there are some", data.count(b"\r\n") > 3, data.count(b"\r\n"))
        expect_told(case, "dropped", check(tool, folder, to_lf(data)))
        cut = check(tool, folder, data[:-5])
        case.true("a cut file is cut", b"adb pull" not in cut.err + cut.out, cut.err)


def check_packed(report, tool, folder):
    with report.case("converted packed files") as case:
        with open(os.path.join(harness.ROOT, "tests", "data", "recipes.trace.zst"), "rb") as file:
            packed = {"zst": file.read()}
        packed["gz"] = gzip.compress(stream_of(60000), mtime=0)
        for kind, data in packed.items():
            for how, convert in list(CONVERSIONS.items()) + [("lf", to_lf)]:
                if how == "lf" and kind == "gz":
                    continue    # too few bytes for a lack to show
                expect_told(case, kind + " " + how, check(tool, folder, convert(data), "app.trace." + kind))


def check_hand_made_ends(report, tool, folder):
    """A text section with CRLF in front of good records, as an editor of key files leaves it."""
    with report.case("CRLF in the text section alone") as case:
        data = stream_of(2000)
        at = len(data) - len(records_of(data))
        done = check(tool, folder, to_crlf(data[:at]) + data[at:])
        case.true("opens", b"2,000 records" in done.out, done.out + done.err)


def run(report, tool, options):
    with tempfile.TemporaryDirectory() as folder:
        check_conversions(report, tool, folder)
        check_dropped(report, tool, folder)
        check_packed(report, tool, folder)
        check_hand_made_ends(report, tool, folder)
