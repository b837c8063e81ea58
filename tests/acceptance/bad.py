"""Inputs that are not traces, or lie, or are extreme: a clear line or a finding, never a crash, bounded memory.

docs/numbers.md and traceview(1): one line on stderr, `traceview: FILE: what is wrong (offset N): what to do`,
status 1; memory at most 64 times the input and 64 MiB.
"""

import glob
import gzip
import io
import json
import os
import re
import struct
import subprocess
import tempfile
import zipfile

import harness
from drawn import drawn

VERBS = [["info", "--json"], ["top", "--json", "-n", "0"], ["-r"], ["tree"], ["top"]]
ENTER, EXIT = 0, 1
LARGE_TREE_LEVELS = 5
# Levels that no stack has room for where one frame is used for each, and no time where each is compared with each.
DEEP, DEEPEST = 250_000, 1_000_000


def memory_limit(size):
    return 64 * size + 64 * harness.MIB


def text(version=3, clock=b"dual", threads=b"1\tmain\n", methods=b"0x4\ta.B\tfoo\t()V\tB.java\n", options=b"", end=b"*end\n"):
    head = b"*version\n%s\nclock=%s\n%s" % (str(version).encode(), clock, options)
    return head + b"*threads\n" + threads + b"*methods\n" + methods + end


def header(version=3, offset=32, size=14):
    fields = b"SLOW" + struct.pack("<HHQH", version, offset, 1, size)
    return fields + bytes(32 - len(fields))


def records(triples):
    """(thread, word, time) with both clocks alike."""
    pack = struct.Struct("<HIII").pack
    return b"".join([pack(thread, word, time, time) for thread, word, time in triples])


def run(report, tool, options):
    if ["check"] not in VERBS and re.search(rb"^ +check ", tool.run("--help").out, re.M):
        VERBS.append(["check"])
    with tempfile.TemporaryDirectory() as folder:
        check_refused(report, tool, folder)
        check_not_found(report, tool, folder)
        check_survived(report, tool, folder, harness.one_of(options), DEEPEST if options.all else DEEP)
        check_names(report, tool, folder)
        check_large_tree(report, tool, folder)
        check_usage(report, tool, folder)
    check_bad_real(report, tool)


# Refused

ANR = b"""Subject: Input dispatching timed out (com.example.app/.Main is not responding)

--- CriticalEventLog ---
capacity: 20

----- pid 4711 at 2024-05-01 10:00:00.123456789+0200 -----
Cmd line: com.example.app
Build fingerprint: 'x/y/z'
suspend all histogram: Sum: 1us 99% C.I. 1us-1us Avg: 1us Max: 1us

DALVIK THREADS (24):
"main" prio=5 tid=1 Native
"""


def packed():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("app.trace", text())
    return data.getvalue()


def refused_files():
    """name -> (bytes, a word that the message must have)"""
    zero_size = text() + header(size=0) + records([(1, 4, 0)])
    return {
        "empty": (b"", "empty"),
        "one-byte": (b"*", ""),
        "png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(40), "png|image"),
        "zip": (packed(), "zip.*: unpack it"),
        "html": (b"<!DOCTYPE html>\n<html><body>404</body></html>\n", "web page.*: download it again"),
        "lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n", "Git LFS.*: run git lfs pull"),
        "hprof": (b"JAVA PROFILE 1.0.2\0" + bytes(40), "heap dump.*: a heap analyser opens it"),
        "simpleperf": (b"SIMPLEPERF\x01\0" + bytes(40), "simpleperf.*: open it in Android Studio, at ui.perfetto.dev"),
        "perf-data": (b"PERFILE2" + bytes(200), "perf.*: open it with perf report, simpleperf report"),
        "perfetto": (b"\x0a\x32\x40\x01\x52\x2e" + bytes(46) + b"\x0a\x10" + bytes(16), "perfetto.*: open it at ui.perfetto.dev"),
        "elf": (b"\x7fELF\x02\x01\x01" + bytes(60), ""),
        "anr": (ANR, "ANR.*: read it as text"),
        "instruments": (b"bplist00\xd4\1\2\3\4" + bytes(60), "Instruments.*Xcode"),
        "instruments-xml": (b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN">\n', "Xcode"),
        "systrace": (b"# tracer: nop\n#\n# entries-in-buffer/entries-written: 9/9\n", "ui.perfetto.dev"),
        "chrome": (b'{"traceEvents":[{"name":"a","ph":"B","pid":1,"tid":1,"ts":1}]}', "ui.perfetto.dev"),
        "utf-16": (b"\xff\xfe" + "*version\n3\n".encode("utf-16-le"), "copy the file in binary"),
        "text-alone": (b"just some words\nand more\n", ""),
        "noise": (bytes((i * 7919 + 13) % 251 for i in range(5000)), ""),
        "zeros": (bytes(4096), ""),
        "key-alone": (text(), ""),
        "no-end": (text(end=b""), "end"),
        "no-end-cut-in-a-line": (text(end=b"")[:-9], "end"),
        "unknown-version": (text(9) + header(9), "version"),
        "unknown-stream-version": (header(0xF9), "version"),
        "data-alone": (header(3) + records([(1, 4, 0)]), "key"),
        "record-size-0": (zero_size, "size"),
        "record-size-13": (text() + header(size=13) + records([(1, 4, 0)]), "size"),
        "stream-record-size-0": (header(0xF3, size=0), "size"),
        "no-magic": (text() + b"FAST" + header()[4:], ""),
        "gzip-of-png": (gzip.compress(b"\x89PNG\r\n\x1a\n" + bytes(40)), "png|image"),
        "gzip-of-noise": (b"\x1f\x8b\x08\0" + bytes(range(200)), ""),
        "gzip-cut": (gzip.compress(text() + header() + bytes(5000))[:60], ""),
        "zstd-of-noise": (b"\x28\xb5\x2f\xfd" + bytes(range(200)), ""),
    }


def check_refused(report, tool, folder):
    for name, (data, word) in refused_files().items():
        path = os.path.join(folder, name + ".trace")
        with open(path, "wb") as file:
            file.write(data)
        with report.case("refused " + name) as case:
            for verb in VERBS:
                done = tool.run(*verb, path, data_limit=4 * memory_limit(len(data)))
                check_error(case, " ".join(verb), done, path, word)


def check_error(case, what, done, path, word=""):
    case.equal("status of " + what, done.status, 1)
    case.equal("answer of " + what, done.out, b"")
    line = done.err.decode("utf-8", "replace")
    case.true("one line from " + what, line.count("\n") == 1 and line.endswith("\n"), line)
    case.true("the name from " + what, line.startswith("traceview: ") and os.path.basename(path) in line, line)
    case.true("says %s" % word, re.search(word, line.replace(path, ""), re.I), line)
    case.true("no source line", not re.search(r"\.[ch]:\d", line), line)


def check_not_found(report, tool, folder):
    with report.case("refused: no such file") as case:
        path = os.path.join(folder, "nowhere")
        check_error(case, "info", tool.run("info", path), path)
    with report.case("refused: a directory") as case:
        check_error(case, "info", tool.run("info", folder), folder)
    with report.case("refused: a file that may not be read") as case:
        path = os.path.join(folder, "locked.trace")
        with open(path, "wb") as file:
            file.write(text() + header())
        os.chmod(path, 0)
        if os.geteuid() != 0:
            check_error(case, "info", tool.run("info", path), path)
    with report.case("standard input") as case, tempfile.TemporaryFile() as file:
        file.write(text() + header() + records([(1, 4, 0), (1, 5, 9)]))
        file.seek(0)
        case.equal("calls", tool.run("info", "--json", "-", stdin=file).json()["calls"], 1)


def check_usage(report, tool, folder):
    path = os.path.join(folder, "fine.trace")
    with open(path, "wb") as file:
        file.write(text() + header() + records([(1, 4, 0), (1, 5, 9)]))
    for args in (["info"], ["top", "--nonsense", path], ["top", "-n", "many", path], ["info", path, "extra"], ["tpo", path]):
        with report.case("misuse: %s" % " ".join(os.path.basename(arg) for arg in args)) as case:
            done = tool.run(*args)
            case.equal("status", done.status, 2)
            case.equal("answer", done.out, b"")
            case.true("a line", 1 <= done.err.count(b"\n") <= 3, done.err)
    with report.case("a full disk is a failure") as case:
        if os.path.exists("/dev/full"):
            for verb in (["info"], ["top", "--json"], ["-r"]):
                status = run_to_full_disk(tool, [*verb, path])
                case.equal("status of " + verb[0], status, 1)


def run_to_full_disk(tool, args):
    with open("/dev/full", "wb") as full:
        return subprocess.run([tool.path, *args], stdout=full, stderr=subprocess.DEVNULL, check=False).returncode


def check_bad_real(report, tool):
    folder = os.path.join(harness.shared_folder(), "traces")
    paths = sorted(glob.glob(os.path.join(folder, "bad-*.trace")))
    if not paths:
        report.skip("bad-*.trace", "none in %s" % folder)
    for path in paths:
        with report.case("refused " + os.path.basename(path)) as case:
            for verb in VERBS:
                done = tool.run(*verb, path)
                check_error(case, " ".join(verb), done, path, r"\(offset \d+\)")


# Survived


def nest(count, method=4):
    return records((1, method, i) for i in range(count))


def survived_files(many=DEEPEST):
    """name -> what makes the bytes; each opens, or is refused with one line, in time and in memory."""
    distinct = b"".join(b"0x%x\ta.B%d\tfoo\t()V\tB.java\n" % (4 * i, i) for i in range(50_000))
    one_stream_method = struct.pack("<HBH", 0, 1, 4) + b"0x4\t"
    block = struct.pack("<BI", 2, 1) + b"\x05\0\0" + struct.pack("<I", 0xFFFFFFFF)
    return {
        "claims-2^32-records": lambda: text(options=b"num-method-calls=4294967296\n") + header() + nest(3),
        "claims-2^64-records": lambda: text(options=b"num-method-calls=18446744073709551615\n") + header() + nest(3),
        "elapsed-2^64": lambda: text(options=b"elapsed-time-usec=18446744073709551615\n") + header() + nest(3),
        "elapsed-negative": lambda: text(options=b"elapsed-time-usec=-5\n") + header() + nest(3),
        "odd-options": lambda: text(options=b"=\nx\nclock\npid=nine\nvm=\nclock=later\n") + header() + nest(3),
        "data-offset-past-the-end": lambda: text() + header(offset=65535) + nest(3),
        "record-size-65535": lambda: text() + header(size=65535) + nest(3),
        "odd-ids": lambda: text(methods=b"99999999999999999999\ta\tb\n-4\ta\tb\n(nil)\ta\tb\n0x\ta\tb\n\t\t\n") + header() + nest(3),
        "odd-threads": lambda: text(threads=b"4294967296\tx\n-1\ty\n7\n\t\n\n") + header() + nest(3),
        "odd-lines": lambda: text(methods=b"0x4\ta.B\tfoo\t()V\tB.java\t99999999999999999999\n") + header() + nest(3),
        "deep-open": lambda: text() + header() + nest(many),
        "deep-closed": lambda: text() + header() + nest(many) + nest(many, 5),
        "deep-one-exit": lambda: text(methods=b"0x4\ta\tb\t()V\n0x8\ta\tc\t()V\n")
        + header() + records([(1, 8, 0)]) + nest(many) + records([(1, 9, many)]),
        "exits-on-nothing": lambda: text() + header() + nest(many, 5),
        "exits-not-on-stack": lambda: text() + header() + records([(1, 8, 0)]) + nest(many, 5),
        "deep-and-distinct": lambda: text(methods=distinct) + header() + records((1, 4 * i, i) for i in range(50_000)),
        "wide-and-distinct": lambda: text(methods=distinct) + header()
        + records((1, 4 * (i // 2) | i % 2, i) for i in range(1, 100_000)),
        "many-threads": lambda: text() + header() + records((i % 65536, 4, i) for i in range(200_000)),
        "all-methods-unknown": lambda: text() + header() + records((1, 4 * i, i) for i in range(200_000)),
        "every-record-falls": lambda: text() + header() + records((1, 4, 10**6 - i) for i in range(100_000)),
        "every-record-wraps": lambda: text() + header() + records((1, 4, i * 0x80000000 % 2**32) for i in range(100_000)),
        "summary-of-4-GiB": lambda: header(0xF3) + struct.pack("<HBI", 0, 3, 0xFFFFFFFF) + b"*version\n3\n",
        "stream-of-cut-packets": lambda: header(0xF3) + one_stream_method * 1000 + struct.pack("<HBH", 0, 1, 65535),
        "stream-of-opcodes": lambda: header(0xF3) + struct.pack("<HB", 0, 77) * 100,
        "stream-of-empty-threads": lambda: header(0xF3) + b"".join(struct.pack("<HBHH", 0, 2, i, 0) for i in range(65536)),
        "block-of-4-GiB": lambda: b"SLOW" + struct.pack("<HQ", 5, 1) + bytes(18) + block + bytes(100),
        "endless-leb": lambda: b"SLOW" + struct.pack("<HQ", 5, 1) + bytes(18)
        + struct.pack("<BI", 2, 1) + b"\x05\0\0" + struct.pack("<I", 1000) + b"\xff" * 1000,
        "old-dump-of-empty-blocks": lambda: b"TMOL\1\0" + b"\2\1\0\0\0\0\0\0" * 400_000,
        "old-dump-that-claims": lambda: b"TMOL\1\0\2\1\0\0\0\xff\xff\xff" + b"\1" + b"\0" * 100_000,
        "lines-of-threads": lambda: b"Thread:1\n" * 300_000,
        "lines-that-change-threads": lambda: b"".join(b"Thread:%d\n->0x4 %d\n" % (i, i) for i in range(20_000)),
        "base64-of-blocks": lambda: b"AgEAAAABAAABAAAA" * 200_000,
        "gzip-bomb": lambda: gzip.compress(text() + header() + bytes(50_000_000), 1),
        "long-line": lambda: text(methods=b"0x4\t" + b"x" * 20_000_000 + b"\n") + header() + nest(3),
        "many-empty-lines": lambda: text(methods=b"\n" * 1_000_000) + header() + nest(3),
        "many-options": lambda: text(options=b"a=b\n" * 200_000) + header() + nest(3),
    }


def check_survived(report, tool, folder, one_of, many=DEEPEST):
    for name, make in survived_files(many).items():
        path = os.path.join(folder, name + ".trace")
        unpacked = write_and_measure(path, make())
        with report.case("survived " + name) as case:
            for verb in drawn(VERBS, one_of, lambda verb: "%s of %s" % (" ".join(verb), name)):
                check_one(case, tool, " ".join(verb), verb, path, unpacked)
        os.unlink(path)


def write_and_measure(path, data):
    """The unpacked size. The bytes are gone afterwards: a child's peak of memory begins with ours."""
    with open(path, "wb") as file:
        file.write(data)
    return len(gzip.decompress(data)) if data[:2] == b"\x1f\x8b" else len(data)


def check_one(case, tool, what, verb, path, size):
    limit = memory_limit(size)
    done = tool.run(*verb, path, timeout=30 if not tool.is_sanitized else 300, data_limit=4 * limit)
    # `check` answers 3 from "numbers affected" on.
    fine = (0, 1, 3) if verb[0] == "check" else (0, 1)
    case.true("status of " + what, done.status in fine, (done.status, done.err))
    if not tool.is_sanitized:
        peak = done.peak - min(size, done.peak)  # the mapped file is resident, too
        case.true("memory of %s, %d bytes in" % (what, size), peak <= limit, "%d MiB" % (done.peak // harness.MIB))
    if done.status == 1:
        check_error(case, what, done, path)
    elif "--json" in verb and done.status == 0:
        json.loads(done.out.decode("utf-8"))


def check_names(report, tool, folder):
    names = [
        b"\x1b[31mred\x07", b"a\x00b", b"a\rb", b"<script>alert(1)</script>", b"\"quoted\\", b"'; DROP TABLE x", b"\xff\xfe\x80",
        b"\xed\xa0\xbd\xed\xb8\x80", b"\xc0\x80", b"\xe2\x80\xae rtl", b"%s%n%d", b"x" * 60_000, b"*", b" ",
    ]  # fmt: skip
    methods = b"".join(b"0x%x\t%s\t%s\t()V\t%s\n" % (4 * i + 4, name, name, name) for i, name in enumerate(names))
    threads = b"".join(b"%d\t%s\n" % (i + 1, name) for i, name in enumerate(names))
    steps = [(i + 1, 4 * i + 4 | action, i * 10 + action * 5) for i in range(len(names)) for action in (ENTER, EXIT)]
    data = text(threads=threads, methods=methods) + header() + records(steps)
    path = os.path.join(folder, "names.trace")
    with open(path, "wb") as file:
        file.write(data)
    with report.case("odd names") as case:
        for verb in VERBS:
            check_one(case, tool, " ".join(verb), verb, path, len(data))
        info = tool.run("info", "--json", path)
        top = tool.run("top", "--json", "-n", "0", path)
        case.true("no control characters in JSON", not re.search(rb"[\x00-\x09\x0b-\x1f]", info.out + top.out))
        rows = top.json()["methods"]
        case.equal("methods", len(rows), len(names))
        classes = {row["class"] for row in rows}
        case.true("markup is kept as it is", "<script>alert(1)</script>" in classes, sorted(classes)[:5])
        case.true("a surrogate pair is one character", "\U0001f600" in classes, sorted(classes)[-5:])
        case.true("a long name is whole", "x" * 60_000 in classes)


def check_large_tree(report, tool, folder):
    """Eight methods that call each other along every path of five: every node is shown or counted."""
    level = b""
    for _ in range(LARGE_TREE_LEVELS):
        level = b"".join([struct.pack("<HII", 1, 4 * i, 5) + level + struct.pack("<HII", 1, 4 * i | EXIT, 5) for i in range(8)])
    data = text(version=2, clock=b"wall") + header(version=2, size=10) + level
    path = os.path.join(folder, "large-tree.trace")
    with open(path, "wb") as file:
        file.write(data)
    count_nodes = lambda nodes: len(nodes) + sum(count_nodes(node.get("children", [])) for node in nodes)
    with report.case("tree of many nodes") as case:
        asked = ("tree", "--json", "--cut", "0", "--depth", str(LARGE_TREE_LEVELS))
        whole = tool.run(*asked, "-n", "0", path).json()
        every = sum(8**level for level in range(1, LARGE_TREE_LEVELS + 1))
        case.equal("nodes", count_nodes(whole["nodes"]) + whole.get("left_out", 0), every)
        case.equal("nodes unless asked for", count_nodes(tool.run(*asked, path).json()["nodes"]), 1000)
        case.equal("nodes of -n 7", count_nodes(tool.run(*asked, "-n", "7", path).json()["nodes"]), 7)
