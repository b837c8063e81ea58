"""Every kind of finding, by a trace made for it: severity, exact count, first offset, a sentence, and statuses.

The kinds are those of src/base/finding.h; one without a trace here fails the group.
"""

import gzip
import os
import re
import struct
import tempfile

import harness

from bad import header, records, text

NOTE, AFFECTED, LOST = "note", "numbers affected", "data lost"
MINUTE = 60_000_000
FOO, ENTER, EXIT = 4, 0, 1


class Made:
    """The bytes, and where what was named while making them begins."""

    def __init__(self, data=b""):
        self.data = data
        self.places = {}

    def add(self, more, name=None):
        if name is not None:
            self.places.setdefault(name, len(self.data))
        self.data += more
        return self


def plain(**options):
    """A text section and a header; records of 14 bytes follow."""
    return Made(text(**options)).add(header())


def call(thread=1, start=0, end=9):
    return records([(thread, FOO, start), (thread, FOO | EXIT, end)])


def line_of(made, line):
    made.places["odd"] = made.data.index(line)
    return made


def packed_cut():
    """All but the end of the packed data, which holds its checksum."""
    made = plain().add(call())
    made.places["odd"] = len(made.data)
    made.data = gzip.compress(made.data, mtime=0)[:-8]
    return made, 1


def truncated_record():
    return plain().add(call()).add(records([(1, FOO, 20)])[:5], "odd"), 1


def trailing_bytes():
    return plain().add(call()).add(b"\r\n\0", "odd"), 1


def another_trace():
    made = plain(options=b"num-method-calls=2\n").add(call())
    return made.add(plain().add(call()).data, "odd"), 1


def missing_records():
    made = plain(options=b"num-method-calls=7\n").add(call())
    return line_of(made, b"num-method-calls"), 5


def overflow():
    made = plain(options=b"data-file-overflow=true\n").add(call())
    return line_of(made, b"data-file-overflow"), 1


def size_limit():
    made = plain(options=b"data-file-overflow=true\nfile-limit=4096\n").add(call())
    return line_of(made, b"data-file-overflow"), 1


def recording_cut():
    made = plain(options=b"data-file-overflow=true\nrecording-cut=true\n").add(call())
    return line_of(made, b"data-file-overflow"), 1


def records_lost():
    made = plain(options=b"records-lost=796\n").add(call())
    return line_of(made, b"records-lost"), 796


def missing_end():
    return Made(text(end=b"")).add(header() + call(), "odd"), 1


def stream(*packets, size=14):
    made = Made(header(0xF3, size=size))
    made.add(struct.pack("<HBHH", 0, 2, 1, 4) + b"main")
    line = b"0x4\ta.B\tfoo\t()V\tB.java\n"
    made.add(struct.pack("<HBH", 0, 1, len(line)) + line)
    return made.add(call())


def no_summary():
    return stream().add(b"", "odd"), 1


def source_lost():
    return plain(options=b"source-findings=packed_cut:1;no_summary:1\n").add(call()), 2


def version_mismatch():
    made = Made(text(version=2)).add(header() + call())
    return line_of(made, b"2\nclock"), 1


def unit_suspect():
    step = lambda action, wall, cpu: struct.pack("<HIII", 1, FOO | action, cpu, wall)
    return plain().add(step(ENTER, 0, 0) + step(EXIT, 9000, 30_000)), 1


def cpu_clock_idle():
    step = lambda action, wall: struct.pack("<HIII", 1, FOO | action, 7, wall)
    return plain().add(step(ENTER, 0) + step(EXIT, 90)), 1


def bad_line():
    made = plain(methods=b"0x4\ta.B\tfoo\t()V\tB.java\nwhat\nis this\n").add(call())
    return line_of(made, b"what"), 2


def duplicate_thread():
    made = plain(threads=b"1\tmain\n1\tagain\n1\tand again\n").add(call())
    return line_of(made, b"1\tagain"), 1


def unknown_thread():
    return plain().add(call()).add(call(9), "odd").add(call(9, 10, 12)).add(call(8)), 2


def cut_thread_id():
    return plain(threads=b"70001\tmain\n70002\tworker\n70003\tidle\n").add(call(70001 & 0xFFFF), "odd").add(call(70002 & 0xFFFF)), 2


def clock_wrapped():
    made = plain(options=b"elapsed-time-usec=%d\n" % (2**32 + MINUTE))
    made.add(records([(1, FOO, 2**32 - 5)])).add(records([(1, FOO | EXIT, 7)]), "odd")
    return made, 1


def clock_backwards():
    return falling(lambda thread, word, time, falls: struct.pack("<HIII", thread, word, time, falls))


def cpu_clock_backwards():
    return falling(lambda thread, word, time, falls: struct.pack("<HIII", thread, word, falls, time))


def falling(record):
    """One clock of both threads falls, of the first one twice; the other one does not."""
    made = plain(threads=b"1\tmain\n2\tworker\n").add(record(1, FOO, 100, 100) + record(1, FOO | EXIT, 200, 200))
    made.add(record(1, FOO, 210, 150), "odd").add(record(1, FOO | EXIT, 220, 140))
    return made.add(record(2, FOO, 100, 100) + record(2, FOO | EXIT, 100, 90)), 2


def clock_too_far():
    """Packets of three threads, of which two leave their calls after 2^63 - 1 ns."""
    line, summary = b"a\tb\t()V\tA.java\n", b"*version\n4\nclock=wall\nelapsed-time-nsec=9\n*end\n"
    most = b"\xff" * 8 + b"\x7f"
    enter, leave = b"\x80\x20\0", b"\1"  # of the method 0x1000, at 0; its exit
    made = Made(b"SLOW" + struct.pack("<HQQQH", 4, 5, 0, 0, 0) + b"\1" + struct.pack("<QH", 0x1000, len(line)) + line)
    for thread, name, later in ((1, b"main", b"\x09"), (2, b"2nd", most), (3, b"3rd", most)):
        made.add(b"\0" + struct.pack("<IH", thread, len(name)) + name)
        made.add(b"\2" + struct.pack("<IHBI", thread, 2, 0, len(enter + leave + later)) + enter)
        made.add(leave + later, "odd" if later == most else "fine")
    return made.add(b"\3" + struct.pack("<H", len(summary)) + summary), 2


def duplicate_method():
    made = plain(methods=b"0x4\ta.B\tfoo\t()V\tB.java\n0x4\tc.D\tbar\t()V\tD.java\n").add(call())
    return line_of(made, b"0x4\tc.D"), 1


def unknown_method():
    made = plain().add(call()).add(records([(1, 8, 10)]), "odd").add(records([(1, 9, 11), (1, 12, 12), (1, 13, 13)]))
    return made, 2


def exit_closed_others():
    made = plain(methods=b"0x4\ta\tb\t()V\n0x8\ta\tc\t()V\n")
    made.add(records([(1, 4, 0), (1, 8, 1), (1, 8, 2)])).add(records([(1, 5, 3)]), "odd")
    return made, 1


def exit_without_enter():
    return plain().add(records([(1, FOO | EXIT, 5)]), "odd").add(records([(1, FOO | EXIT, 8)])), 2


def exit_not_on_stack():
    made = plain(methods=b"0x4\ta\tb\t()V\n0x8\ta\tc\t()V\n")
    made.add(records([(1, 4, 0)])).add(records([(1, 9, 1)]), "odd").add(records([(1, 9, 2), (1, 5, 3)]))
    return made, 2


def open_at_end():
    return plain().add(call()).add(records([(1, FOO, 10)]), "odd").add(records([(1, FOO, 11)])), 2


def reserved_action():
    return plain().add(call()).add(records([(1, FOO | 3, 10)]), "odd").add(records([(1, FOO | 3, 11)])), 2


def thread_zero():
    return plain(threads=b"1\tmain\n0\tzero\n").add(call()).add(call(0, 10, 11), "odd"), 2


def empty_record():
    return plain().add(call()).add(bytes(14), "odd").add(bytes(14)).add(call(1, 10, 11)), 2


# What else is found in such a trace, which is no matter here, and whether the kind has a place.
CASES = {
    "packed_cut": (packed_cut, LOST),
    "truncated_record": (truncated_record, LOST),
    "trailing_bytes": (trailing_bytes, NOTE),
    "another_trace": (another_trace, LOST),
    "missing_records": (missing_records, LOST),
    "overflow": (overflow, LOST),
    "size_limit": (size_limit, LOST),
    "recording_cut": (recording_cut, LOST),
    "records_lost": (records_lost, LOST),
    "missing_end": (missing_end, AFFECTED),
    "no_summary": (no_summary, LOST),
    "source_lost": (source_lost, LOST),
    "version_mismatch": (version_mismatch, NOTE),
    "unit_suspect": (unit_suspect, AFFECTED),
    "cpu_clock_idle": (cpu_clock_idle, NOTE),
    "bad_line": (bad_line, NOTE),
    "duplicate_thread": (duplicate_thread, NOTE),
    "unknown_thread": (unknown_thread, NOTE),
    "cut_thread_id": (cut_thread_id, NOTE),
    "clock_wrapped": (clock_wrapped, NOTE),
    "clock_backwards": (clock_backwards, AFFECTED),
    "cpu_clock_backwards": (cpu_clock_backwards, AFFECTED),
    "clock_too_far": (clock_too_far, AFFECTED),
    "duplicate_method": (duplicate_method, NOTE),
    "unknown_method": (unknown_method, NOTE),
    "exit_closed_others": (exit_closed_others, AFFECTED),
    "exit_without_enter": (exit_without_enter, NOTE),
    "exit_not_on_stack": (exit_not_on_stack, AFFECTED),
    "open_at_end": (open_at_end, NOTE),
    "reserved_action": (reserved_action, AFFECTED),
    "thread_zero": (thread_zero, AFFECTED),
    "empty_record": (empty_record, LOST),
}


# Kinds that no trace has by itself: they come of a mapping of names (tests/cli/cases/mapping).
BY_OTHER_FILES = {"ambiguous_name", "guessed_name", "mapping_line"}


def kinds_of_header():
    with open(os.path.join(harness.ROOT, "src", "base", "finding.h"), encoding="utf-8") as file:
        return set(re.findall(r"X\([A-Z_]+, \"(\w+)\"", file.read()))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def check_kind(case, tool, path, kind, sentences):
    make, severity = CASES[kind]
    made, count = make()
    write(path, made.data)
    done = tool.run("check", "--json", path)
    answer = harness.Done(0, done.out, done.err, 0, 0).json()
    found = {finding["kind"]: finding for finding in answer["findings"]}
    if not case.true("is found", kind in found, sorted(found)):
        return
    case.equal("findings", sorted(found), [kind])
    finding = found[kind]
    case.equal("severity", finding["severity"], severity)
    case.equal("the worst", answer["severity"], severity)
    case.equal("count", finding["count"], count)
    case.equal("offset", finding["offset"], made.places.get("odd"))
    case.true("a sentence", re.fullmatch(r"[A-Z][^.]*\.", finding["text"].replace("*end", "").replace(".sec", "")), finding["text"])
    sentences.append(finding["text"])
    is_fine = severity == NOTE
    case.equal("status of check --json", done.status, 0 if is_fine else 3)
    in_words = tool.run("check", path)
    case.equal("status of check", in_words.status, 0 if is_fine else 3)
    case.equal("status of check --strict", tool.run("check", "--strict", path).status, 3)
    case.true("in words", b"%s: %s, %d" % (severity.encode(), kind.encode(), count) in in_words.out, in_words.out)
    case.equal("stderr of check", in_words.err, b"")
    told = tool.run("top", path).err
    wanted = b"" if is_fine else b"traceview: %s: %s (%s, %d): %s\n" % (
        path.encode(), severity.encode(), kind.encode(), count, finding["text"].encode())
    case.true("told by every verb", told.startswith(wanted) and bool(told) != is_fine, told)


def run(report, tool, options):
    sentences = []
    with report.case("every kind of finding has a trace") as case:
        case.equal("kinds", sorted(CASES), sorted(kinds_of_header() - BY_OTHER_FILES))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "odd.trace")
        for kind in CASES:
            with report.case("finding " + kind) as case:
                check_kind(case, tool, path, kind, sentences)
        with report.case("nothing odd, and nothing readable") as case:
            write(path, plain().add(call()).data)
            for strict in ([], ["--strict"]):
                case.equal("status of check", tool.run("check", *strict, path).status, 0)
            case.equal("severity", tool.run("check", "--json", path).json()["severity"], None)
            write(path, text() + b"FAST")
            for strict in ([], ["--strict"], ["--json"]):
                case.equal("status of what cannot be read", tool.run("check", *strict, path).status, 1)
    with report.case("every kind has its own sentence") as case:
        case.equal("sentences", len(set(sentences)), len(CASES))
