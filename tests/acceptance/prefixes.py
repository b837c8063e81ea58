"""Any prefix of any trace opens, or is refused in one line: with exactly the records that are whole in it.

Every prefix of a small trace of each layout (without --every-prefix every third, each layout beginning at another, of which
one of three is drawn without --all), and some of larger ones, against the slow reading of the same bytes. That the slow
reading itself is right about prefixes is a law of its own: what it finds in a prefix are the first records of the whole.
"""

import glob
import os
import random
import tempfile

import harness
import seeds

import make_random
import reference
from drawn import is_drawn

LAYOUTS = ["v1", "v2", "v3", "f1", "f2", "f3", "D4", "D5", "C5", "E4", "E5", *make_random.LOW_OVERHEAD]
FIRST_SEED = 40_000
LEAST_RECORDS, MOST_LEN = 8, 480
TEXT_STEP = 9  # before the records, one prefix of so many
RECORD_STEP = 3  # from the records on, unless every one is asked for
LARGE_PREFIXES = 2
LARGE_MOST = 150_000  # bytes that the slow reading takes


def small_trace(layout):
    """The first trace of the layout that is small and has a few records."""
    for seed in range(FIRST_SEED, FIRST_SEED + 400):
        data = make_random.make(seed, layout)
        if len(data) > MOST_LEN:
            continue
        trace = reference.read(data)
        is_whole = not {"no_summary", "missing_end", "truncated_record"} & set(trace.findings)
        if is_whole and len(trace.records) >= LEAST_RECORDS and trace.methods:
            return data, trace
    raise ValueError("no small trace of layout " + layout)


def first_record(trace):
    return min((record.offset for record in trace.records), default=0)


def lengths(data, step, first):
    """Lengths around the records, each `step` bytes from the `first`, and some before; and the whole."""
    begin = 0 if data[:1] != b"*" else data.find(b"SLOW") - 2
    return list(range(0, begin, TEXT_STEP)) + list(range(begin + first, len(data), step)) + [len(data)]


def is_beginning(whole, part):
    """Whether the records of a prefix are the first of the whole, apart from what only the end tells."""
    key = lambda record: (record.thread, record.action, record.offset)
    return [key(record) for record in part.records] == [key(record) for record in whole.records[: len(part.records)]]


class Prefixes:
    """Prefixes of one trace, from short to long; the profile is asked for where it changes."""

    def __init__(self, tool, path):
        self.tool = tool
        self.path = path
        self.methods = None

    def check(self, case, data):
        """The records of the slow reading; None for what both refuse."""
        try:
            trace, roots = reference.reckon(data)
        except reference.Refused as refused:
            self.write(data)
            done = self.tool.run("info", "--json", self.path)
            case.equal("status of what the reference refuses (%s)" % refused, done.status, 1)
            case.equal("lines about it", done.err.count(b"\n"), 1)
            return None
        self.write(data)
        truth = reference.answer_of(trace, roots)
        seeds.check_info(case, self.tool.run("info", "--json", self.path).json(), truth)
        if truth["methods"] != self.methods:
            self.methods = truth["methods"]
            top = self.tool.run("top", "--json", "-n", "0", self.path).json()
            seeds.check_methods(case, top["methods"], truth["methods"])
        return trace

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)


def check_small(report, tool, layout, path, step, one_of):
    data, whole = small_trace(layout)
    prefixes = Prefixes(tool, path)
    with report.case("prefixes of %s" % layout) as case:
        most = 0
        for length in lengths(data, step, LAYOUTS.index(layout) % step):
            if length != len(data) and not is_drawn("%s, %d" % (layout, length), one_of):
                continue
            inner = harness.Case(report, "")
            part = prefixes.check(inner, data[:length])
            if inner.differences:
                case.differences.append("the first %d of %d bytes: %s" % (length, len(data), inner.differences[0]))
            if part is None:
                continue
            if data[:1] != b"*" or length >= first_record(whole):
                case.true("the first %d bytes hold the first records" % length, is_beginning(whole, part))
            case.true("no fewer records in %d bytes" % length, len(part.records) >= most)
            most = max(most, len(part.records))
        case.equal("records of the whole", most, len(whole.records))


def check_large(report, tool, path, target):
    data = harness.read_maybe_gz(path[:-3] if path.endswith(".gz") else path)
    rng = random.Random(len(data))
    low = min(data.find(b"*end\n") + 40, len(data)) if data[:1] == b"*" else 32
    with report.case("prefixes of real %s" % os.path.basename(path)) as case:
        for _ in range(LARGE_PREFIXES):
            length = rng.randrange(low, min(len(data), low + LARGE_MOST) + 1)
            inner = harness.Case(report, "")
            seeds.check_bytes(inner, tool, target, data[:length], False)
            if inner.differences:
                case.differences.append("the first %d of %d bytes: %s" % (length, len(data), inner.differences[0]))


def run(report, tool, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "prefix.trace")
        for layout in LAYOUTS:
            step, one_of = (1, 1) if options.every_prefix else (RECORD_STEP, harness.one_of(options))
            check_small(report, tool, layout, path, step, one_of)
        real = sorted(glob.glob(os.path.join(harness.shared_folder(), "traces", "*.trace*")))
        if not real:
            report.skip("prefixes of real traces", "none in %s" % harness.shared_folder())
        for trace in real:
            if not os.path.basename(trace).startswith("bad-"):
                check_large(report, tool, trace, path)
