#!/usr/bin/env python3
"""Files of up to a few megabytes that are made to become gigabytes: every verb and every format over each.

    bombs.py PROGRAM [--all]

Asserts that each run ends by itself, is resident with at most 1 GiB, and writes no more than 100 times the file or
256 MiB; the same of what a viewer answers. Time is told, and with --all held to 5 s of CPU. Without --all a few bombs
are made here, and two of bench/hostile.py asked a part; each command of the largest ones is run on one of them. Two whose index may be
built, and leaves an answer little, are asked over a saved one. With it, all of
these and of TRACEVIEW_SHARED join. A trace as programs write it is exported in each format, so that the bounds refuse no such
thing. Ends with "N passed, N failed".

With --all most commands open an index that was saved, since building it anew for each takes most of the time. A
run that might exceed a bound with what building takes on top is done again without the saved one, and that counts.
"""

import glob
import gzip
import http.client
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from drawn import is_dealt

SHARED = os.path.abspath(os.environ.get("TRACEVIEW_SHARED", os.path.join(ROOT, "..", "shared")))
MIB = 1 << 20
MEMORY_MOST = 1024 * MIB
CPU_MOST_S = 5
PATIENCE_S = 600
# What a file of n bytes may become: src/base/bounded_sink.c.
BYTES_A_BYTE, BYTES_OF_ANY = 100, 256 * MIB


def text_trace(names, calls):
    """A trace of version 2 whose calls go round the names, nested two deep."""
    lines = b"".join(b"0x%x\t%s\n" % (4 * (i + 1), name) for i, name in enumerate(names))
    head = (b"*version\n2\ndata-file-overflow=false\nclock=wall\nelapsed-time-usec=1000000\n*threads\n1\tmain\n*methods\n"
            + lines + b"*end\n")
    records = [struct.pack("<HII", 1, 4 * (i // 2 % len(names) + 1) | i % 2, i) for i in range(2 * calls)]
    return head + b"SLOW" + struct.pack("<HHQ", 2, 16, 0) + b"".join(records)


def gzipped(data):
    return gzip.compress(data, 1)


def zstd_packed(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout


def packets_deep(calls, pack=gzipped):
    """Packed packets: each call is two bytes, which packing makes nothing of, and lies in the one before."""
    line = b"c.A\tm\t()V\tf\n"
    options = b"*version\n4\nclock=wall\n*end\n"
    return pack(
        b"SLOW" + struct.pack("<HQQQH", 4, 5, 0, 0, 0) + b"\1" + struct.pack("<QH", 0x1000, len(line)) + line
        + b"\2" + struct.pack("<IHBI", 1, calls & 0xffff, 0, 2 * calls + 1) + b"\x80\x20\1" + b"\0\1" * (calls - 1)
        + b"\3" + struct.pack("<H", len(options)) + options)


BOMBS = {
    "deep.trace.gz": lambda: packets_deep(12_000_000),
    # So few packed bytes that its records in another version are more than it may become.
    "many.trace.zst": lambda: packets_deep(21_000_000, zstd_packed),
    # Its index is nearly as large as it may be, so an answer has little.
    "deep-fits.trace.gz": lambda: packets_deep(7_000_000),
    "long-class.trace": lambda: text_trace([b"c.%s\tm\t()V\tA.java" % (b"N" * 28_000)], 40_000),
    "long-signature.trace": lambda: text_trace([b"c.A\tm\t(%s)V\tA.java" % (b"Lc/X;" * 5_000)], 40_000),
    "controls.trace": lambda: text_trace([b"c.%s%d\tm\t()V\tA.java" % (b"\x1b" * 2_000, i) for i in range(100)], 40_000),
    "bad-utf8.trace": lambda: text_trace([b"c.%s%d\tm\t()V\tA.java" % (b"\xff" * 2_000, i) for i in range(100)], 40_000),
    "arrays.trace": lambda: text_trace([b"%sI\tm\t()V\tA.java" % (b"[" * 28_000)], 40_000),
}
# Folded stacks of one deep stack, whose frames are two bytes each before they are packed.
FOLDED_FRAMES = 25_000_000
# Without an index nothing is answered: where it is refused, some commands stand for all.
OF_DEEP = (["info"], ["flame", "--flamechart"], ["-r"], ["dmtracedump", "-o"], ["export", "--as", "csv"])
OF_REFUSED = OF_DEEP + (["dmtracedump"], ["export", "--as", "trace"], ["export", "--as", "packets"], ["convert"])
OF_DEEP_FITS = (["info"], ["tree", "--cut", "0", "-n", "0", "--depth", "0"], ["flame", "--flamechart"], ["report"],
                ["export", "--as", "chrome"], ["export", "--as", "csv"], ["export", "--as", "csv", "--table", "nodes"])
# Those of bench/hostile.py that were not packed, and once took more than a gigabyte: an index that may not be built, and
# one that leaves an answer little.
OF_EXITS = (["info"], ["tree", "--inverted", "--cut", "0", "-n", "0", "--depth", "0"], ["dmtracedump"], ["dmtracedump", "-o"],
            ["export", "--as", "sqlite"], ["export", "--as", "html"])
# These are asked over a saved index, which building anew each time takes most of the time.
OF_SAVED = {"deep-fits.trace.gz", "exits-without-enters.trace"}
PARTS = {"deep.trace.gz": OF_DEEP, "many.trace.zst": (["convert", "--as", "v3"],),
         "deep-fits.trace.gz": OF_DEEP_FITS, "every-packet-a-thread.trace": OF_DEEP,
         "exits-without-enters.trace": OF_EXITS}
# Names of one kind of trouble take all commands in every run; with --all, the other kinds do, too.
OF_ALL = ("long-signature.trace", "bad-utf8.trace", "arrays.trace")
# With --all: built anew for these, and for what might exceed a bound.
FRESH = (["top"], ["tree", "--cut", "0", "-n", "0", "--depth", "0"])
# As programs write them: no bound may refuse what is made of it.
USUAL = text_trace([b"com.example.feature%d.presentation.ItemListViewModel\tonItemsLoaded%d\t(Ljava/util/List;I)V\t"
                    b"ItemListViewModel.kt" % (i % 30, i) for i in range(3_000)], 300_000)


def hostile_bombs(folder, is_wanted):
    """Paths of what the benchmark of hostile inputs makes; each is there until the next one is asked for."""
    sys.path.insert(0, os.path.join(ROOT, "bench"))
    sys.path.insert(0, os.path.join(ROOT, "tests", "acceptance"))
    import bad
    import hostile
    for name, make in {**bad.survived_files(), **hostile.dear_files(bad)}.items():
        path = os.path.join(folder, re.sub(r"\W+", "-", name) + ".trace")
        if not is_wanted(path):
            continue
        with open(path, "wb") as file:
            file.write(make())
        yield path
        os.unlink(path)


def attacks():
    found = sorted(glob.glob(os.path.join(SHARED, "traces", "attacks", "*.trace*")))
    if not found:
        print("skipped: the attacks of %s" % SHARED)
    return found


def formats_of(program):
    """The names of all formats, which the program lists where none is given."""
    done = subprocess.run([program, "export", "--as", "nothing", "x"], capture_output=True, text=True, check=False)
    names = re.findall(r"^ +(\w[\w-]*) ", done.stderr, re.MULTILINE)
    if len(names) < 10:
        raise SystemExit("bombs: export lists no formats: %s" % done.stderr)
    return names


def begins_with_any(words, parts):
    return any(words[:len(begin)] == begin for begin in parts)


def without_output(words, out):
    """The command without where its output goes. An option more is another command, which building the same index makes dear."""
    return words[:-2] if words[-2:] in (["-o", "-"], ["-o", out], ["FILE", out]) else words


def commands(formats, out):
    yield from (["info"], ["info", "--json"], ["check"], ["insights"], ["frames"], ["top"], ["top", "-n", "0"],
                ["top", "--json"], ["top", "--group", "class"], ["tree", "--cut", "0", "-n", "0", "--depth", "0"],
                ["tree", "--inverted", "--cut", "0", "-n", "0", "--depth", "0"],
                ["tree", "--json", "--cut", "0", "--depth", "64"], ["callers", "FILE", "0x4"], ["flame"],
                ["flame", "--flamechart"], ["flame", "--inverted"], ["-r"], ["dmtracedump"], ["dmtracedump", "-o"],
                ["dmtracedump", "-h"], ["report", "-o", out], ["index"])
    for name in formats:
        yield ["export", "--as", name, "-o", "-"]
    for name in ("csv", "jsonl", "chrome"):
        yield ["export", "--as", name, "--redact", "-o", "-"]
        if name != "chrome":
            yield ["export", "--as", name, "--table", "nodes", "-o", "-"]
    for version in ("v3", "stream", "packets"):
        yield ["convert", "--as", version, "FILE", out]


class Run:
    """What a command took, and gave."""

    def __init__(self, program, words, path, environment, out):
        words = [path if word == "FILE" else word for word in words] + ([] if "FILE" in words else [path])
        with tempfile.TemporaryFile() as said:
            child = subprocess.Popen([program] + words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said,
                                     env=environment)
            self.bytes = 0
            while piece := os.read(child.stdout.fileno(), MIB):
                self.bytes += len(piece)
            child.stdout.close()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            self.said = said.read(100_000).decode("utf-8", "replace").strip()
        self.status = child.returncode
        if os.path.exists(out):
            self.bytes += os.path.getsize(out)
            os.unlink(out)
        self.memory = usage.ru_maxrss * 1024
        self.cpu_s = usage.ru_utime + usage.ru_stime

    def fault(self, input_len, is_timed):
        most = max(BYTES_OF_ANY, BYTES_A_BYTE * input_len)
        if self.status < 0 or self.status > 3:
            return "status %d, %s" % (self.status, self.said[-300:])
        if self.status == 1 and not self.said:
            return "says nothing"
        if self.memory > MEMORY_MOST:
            return "%d MiB of memory" % (self.memory // MIB)
        if self.bytes > most:
            return "%d MB of output, at most %d are allowed" % (self.bytes // 10**6, most // 10**6)
        if is_timed and self.cpu_s > CPU_MOST_S:
            return "%.1f s of CPU" % self.cpu_s
        return None


ROUTES = ("info", "check", "insights", "top?n=1000", "tree?depth=12&cut=0", "tree?depth=12&cut=0&inverted=1", "lanes",
          "overview?width=2000", "methods?ranks=0", "flame?width=2000", "search?q=c")


def answers(program, path, formats, environment):
    """(what a viewer was asked, bytes of the answer or what is wrong), then ("memory", its peak)."""
    viewer = subprocess.Popen([program, "view", "--no-browser", "--port", "0", path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env=environment)
    url = viewer.stdout.readline().strip()
    base = urllib.parse.urldefrag(url)[0]
    headers = {"Accept-Encoding": "identity"}
    try:
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        opener.open(url, timeout=PATIENCE_S).close()
        end = time.monotonic() + PATIENCE_S
        for what in [*ROUTES, *("export?format=" + name for name in formats)]:
            while True:
                length = 0
                try:
                    with opener.open(urllib.request.Request(base + "api/" + what, headers=headers),
                                     timeout=PATIENCE_S) as answer:
                        while piece := answer.read(MIB):
                            length += len(piece)
                        break
                except urllib.error.HTTPError as refused:
                    said = refused.read()
                    is_meant = refused.code == 400 and (what.startswith("export") or b"memory" in said)
                    length = len(said) if is_meant else "%d, %s" % (refused.code, said)
                    if refused.code != 503 or time.monotonic() > end:
                        break
                    time.sleep(0.1)
                except (OSError, http.client.HTTPException) as broken:
                    if not what.startswith("export"):  # which may be stopped
                        length = repr(broken)
                    break
            yield what, length
        with open("/proc/%d/status" % viewer.pid, encoding="ascii") as file:
            yield "memory", 1024 * int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
    finally:
        viewer.send_signal(signal.SIGINT)
        viewer.communicate(timeout=PATIENCE_S)


class Report:
    def __init__(self):
        self.passed = self.failed = 0
        self.slowest = (0, "")
        self.largest = (0, "")

    def add(self, what, fault):
        self.passed += fault is None
        self.failed += fault is not None
        if fault:
            print("FAILED: %s: %s" % (what, fault), flush=True)


def packing_of(path):
    """What the first bytes say: a packed trace may have any name."""
    with open(path, "rb") as file:
        head = file.read(4)
    return "gzip" if head[:2] == b"\x1f\x8b" else "zstd" if head == b"\x28\xb5\x2f\xfd" else None


def unpacked_len(path):
    if packing_of(path) == "gzip":
        with gzip.open(path) as file:
            return sum(len(piece) for piece in iter(lambda: file.read(MIB), b""))
    if packing_of(path) == "zstd":
        return len(subprocess.run(["zstd", "-dqc", path], stdout=subprocess.PIPE, check=True).stdout)
    return os.path.getsize(path)


def bounded_len(path):
    """What the bound counts: of a packed file no more than traces unpack to."""
    length = unpacked_len(path)
    return min(length, 100 * os.path.getsize(path)) if packing_of(path) else length


class Saved:
    """The index that most commands open with --all, and what building it took."""

    def __init__(self, program, path, environment, out):
        self.cache = environment["XDG_CACHE_HOME"]
        self.run = Run(program, ["index"], path, environment, out)
        self.bytes = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(self.cache) for name in names)

    def might_hide(self, run):
        """Whether a run that built the index itself could exceed what this one did not."""
        return run.cpu_s + self.run.cpu_s > CPU_MOST_S or run.memory + self.bytes > MEMORY_MOST

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)


def runs(program, path, formats, environment, folder):
    """(words, run) of all commands; most with a saved index."""
    out = os.path.join(folder, "out")
    opened = Run(program, ["info"], path, environment, out)
    yield ["info"], opened
    todo = [words for words in commands(formats, out) if words not in (["info"], ["index"])
            and (opened.status != 1 or begins_with_any(words, OF_REFUSED))]
    for words in [words for words in todo if words in FRESH]:
        yield words, Run(program, words, path, environment, out)
        shutil.rmtree(environment["XDG_CACHE_HOME"], ignore_errors=True)
    saved = Saved(program, path, environment, out)
    yield ["index"], saved.run
    for words in [words for words in todo if words not in FRESH]:
        run = Run(program, words, path, environment, out)
        if saved.bytes and saved.might_hide(run):
            run = Run(program, words, path, {**environment, "XDG_CACHE_HOME": os.path.join(folder, "none")}, out)
        yield words, run
    saved.forget()


def is_taken(words, file):
    """Whether a command is run on the file. What several files with a part could be asked is dealt out between them."""
    if file not in PARTS:
        return True
    return words in PARTS[file] and is_dealt(" ".join(words), [name for name in PARTS if words in PARTS[name]], file)


def runs_of_part(program, path, formats, environment, folder):
    """Over a saved index, the one that took most memory is run once more, without it."""
    out = os.path.join(folder, "out")
    todo = [words for words in commands(formats, out) if is_taken(without_output(words, out), os.path.basename(path))]
    if os.path.basename(path) not in OF_SAVED:
        for words in todo:
            yield words, Run(program, words, path, environment, out)
        return
    saved = Saved(program, path, environment, out)
    yield ["index"], saved.run
    done = [(words, Run(program, words, path, environment, out)) for words in todo]
    saved.forget()
    yield from done
    words, _ = max(done, key=lambda each: each[1].memory)
    yield words, Run(program, words, path, environment, out)


def try_commands(report, program, path, formats, environment, folder, is_all):
    length = bounded_len(path)
    choice = runs if is_all else runs_of_part
    for words, run in choice(program, path, formats, environment, folder):
        what = "%s of %s" % (" ".join(words).replace(folder, ""), os.path.basename(path))
        fault = run.fault(length, is_all)
        # A method that is not there, and threads for which a format has no numbers, are refused for that.
        has_reason = "0x4" in words or "can name no more than" in run.said
        is_bounded = os.path.basename(path) in PARTS and run.status == 1 and not has_reason
        if not fault and is_bounded and "--unpack-all" not in run.said:
            fault = "what lifts the limit is not named: %s" % run.said
        report.add(what, fault)
        report.slowest = max(report.slowest, (run.cpu_s, what))
        report.largest = max(report.largest, (run.memory, what))


def try_viewer(report, program, path, formats, environment):
    most = max(BYTES_OF_ANY, BYTES_A_BYTE * bounded_len(path))
    for what, got in answers(program, path, formats, environment):
        bound = MEMORY_MOST if what == "memory" else most if what.startswith("export") else 64 * MIB
        fault = got if isinstance(got, str) else "%d bytes" % got if got > bound else None
        report.add("viewer of %s: %s" % (os.path.basename(path), what), fault)


def try_usual(report, program, formats, environment, folder):
    path = os.path.join(folder, "usual.trace")
    out = os.path.join(folder, "out")
    with open(path, "wb") as file:
        file.write(USUAL)
    for words in [["-r"], ["dmtracedump", "-o"], *(["export", "--as", name, "-o", "-"] for name in formats)]:
        run = Run(program, words, path, environment, out)
        report.add("%s of a trace as programs write it" % " ".join(words),
                   None if run.status in (0, 3) and run.bytes else "status %d, %s" % (run.status, run.said))


def try_saved(report, program, environment, folder):
    """An index that was saved with --unpack-all, and is larger than others may be, is not used without it."""
    path = os.path.join(folder, "saved.trace.gz")
    out = os.path.join(folder, "out")
    with open(path, "wb") as file:
        file.write(packets_deep(9_000_000))  # 8 million are refused already
    saved = Run(program, ["index", "--unpack-all"], path, environment, out)
    trusted = Run(program, ["info", "--unpack-all"], path, environment, out)
    other = Run(program, ["info"], path, environment, out)
    is_fine = (saved.status, trusted.status, other.status) == (0, 0, 1) and "--unpack-all" in other.said
    report.add("a saved index of a file that is trusted no more",
               None if is_fine else "%s, %s, %s" % (saved.said, trusted.said, other.said))
    os.unlink(path)


def try_folded(report, program, environment, folder):
    path = os.path.join(folder, "deep.folded.gz")
    with open(path, "wb") as file:
        file.write(gzip.compress(b"a;" * FOLDED_FRAMES + b"a 1\n", 1))
    run = Run(program, ["flame"], path, environment, os.path.join(folder, "out"))
    fault = run.fault(2 * FOLDED_FRAMES, False)
    if not fault and (run.status != 1 or "--unpack-all" not in run.said):
        fault = "status %d, %s" % (run.status, run.said)
    report.add("flame of packed folded stacks", fault)
    os.unlink(path)


def main():
    program = os.path.abspath(sys.argv[1])
    is_all = "--all" in sys.argv[2:]
    report = Report()
    formats = formats_of(program)
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TERM="dumb", LC_ALL="C.UTF-8", XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder,
                           XDG_CACHE_HOME=os.path.join(folder, "cache"))
        try_usual(report, program, formats, environment, folder)
        try_folded(report, program, environment, folder)
        try_saved(report, program, environment, folder)
        for name, make in BOMBS.items():
            if name in OF_ALL and not is_all:
                continue
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(make())
            try_commands(report, program, path, formats, environment, folder, is_all)
            if name not in PARTS:
                try_viewer(report, program, path, formats, environment)
            os.unlink(path)
        for path in hostile_bombs(folder, lambda path: is_all or os.path.basename(path) in PARTS):
            try_commands(report, program, path, formats, environment, folder, is_all)
        for path in attacks() if is_all else ():
            try_commands(report, program, path, formats, environment, folder, is_all)
    print("slowest: %.1f s of CPU, %s" % report.slowest)
    print("largest: %d MiB, %s" % (report.largest[0] // MIB, report.largest[1]))
    print("%d passed, %d failed" % (report.passed, report.failed))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
