"""`convert` keeps the profile: each trace written in each version, against a plain reading of the original.

What a version cannot hold is reckoned in: one clock, microseconds by truncation. What else the command changes it
says on stderr, with counts that must add up; where it says that numbers changed, its status is 3. Methods are compared
by name, since their ids may be new. Debian's dmtracedump reads as many records of what is written as there are.
"""

import os
import re
import shutil
import subprocess
import tempfile

import harness
import made

import make_random
import reference
from drawn import drawn

FORMATS = ("v1", "v2", "v3", "stream", "packets", "packets-d")
SEEDS = range(50_000, 50_060)
NUMBERS = ("method", "calls", "recursive_calls", "inclusive", "exclusive")
DMTRACEDUMP_THREADS = 32767


class Source:
    """A trace with its clocks repaired, in nanoseconds."""

    def __init__(self, data):
        trace = reference.read(data)
        reference.drop_empty(trace)
        reference.repair_clocks(trace)
        self.trace = trace
        for record in trace.records:
            record.time = {clock: value * trace.unit_ns for clock, value in record.time.items()}

    def clocks(self, name):
        """Which clocks the version takes of it."""
        if name not in ("v1", "v2") or len(self.trace.clocks) < 2:
            return self.trace.clocks
        return ("cpu",) if name == "v1" else ("wall",)

    def profile(self, name):
        """What `top` must say of it in another version."""
        trace = self.trace
        unit = 1 if name.startswith("packets") else 1000
        clocks = self.clocks(name)
        kept = [(record, record.time) for record in trace.records]
        old = trace.clocks, trace.unit_ns, trace.format, dict(trace.findings)
        trace.clocks, trace.unit_ns = clocks, unit
        for record, time in kept:
            record.time = {clock: time[clock] // unit for clock in clocks}
        rows = reference.answer_of(trace, reference.build_calls(trace))["methods"]
        trace.clocks, trace.unit_ns, trace.format, trace.findings = old
        for record, time in kept:
            record.time = time
        return rows

    def is_written(self, name):
        """Whether the version has room for all threads that have records."""
        return name != "v1" or len({record.thread for record in self.trace.records}) <= 255


def by_name(rows):
    return harness.by_name([{key: row[key] for key in NUMBERS} for row in rows])


def is_named_alike(rows, wanted):
    """Methods without a line are named by their id, which may be new."""
    return [row for row in rows if not row["method"].startswith("(")], [
        row for row in wanted if not row["method"].startswith("(")
    ]


LEFT_OUT = (b"exits are left out", b"records with the reserved action 3")
ADDED = (b"calls that never end get an exit", b"calls that began before tracing get an enter",
         b"calls that the exit of an outer call closes get exits")


def told(done, name, words):
    """How many of these the command says that it changed."""
    found = re.findall(rb": (note|numbers affected|data lost), as %s: (\d+) ([^\n]+)" % name.encode(), done.err)
    return sum(int(count) for _, count, text in found if text.startswith(words))


def check(case, tool, source, path, out, name):
    done = tool.run("convert", path, out, "--as", *name.replace("-d", " --layout d").split())
    if not source.is_written(name):
        case.equal("status of --as %s" % name, (done.status, done.out), (1, b""))
        return None
    is_affected = (b"numbers affected, as %s" % name.encode()) in done.err
    if not case.equal("status of --as %s" % name, (done.status, done.out), (3 if is_affected else 0, b"")):
        return None
    if told(done, name, (b"records, in layout d",)):
        return None
    info = tool.run("info", "--json", out).json()
    records = len(source.trace.records) - told(done, name, LEFT_OUT) + told(done, name, ADDED)
    case.equal("records as " + name, info["records"], records)
    case.equal("clocks as " + name, set(info["clocks"]), set(source.clocks(name)))
    check_profile(case, tool, source, out, name, done, is_affected)
    return records


def check_profile(case, tool, source, out, name, done, is_affected):
    if is_affected or told(done, name, (b"names change",)):
        return
    got = by_name(tool.run("top", "--json", "-n", "0", out).json()["methods"])
    wanted = by_name(source.profile(name))
    case.equal("number of methods as " + name, len(got), len(wanted))
    got, wanted = is_named_alike(got, wanted)
    for row, truth in zip(got, wanted):
        if not case.equal("%s as %s" % (truth["method"], name), row, truth):
            return


def check_dmtracedump(case, source, out, name, records):
    program = shutil.which("dmtracedump")
    most = max((record.thread for record in source.trace.records), default=0)
    if program is None or name not in ("v1", "v2", "v3") or most > DMTRACEDUMP_THREADS or not records:
        return
    done = subprocess.run([program, "-o", out], capture_output=True, timeout=240, check=False)
    found = re.findall(rb"^ *\d+ (?:ent|xit|unr|\?\?\?)", done.stdout, re.M)
    case.equal("records that dmtracedump reads as " + name, len(found), records)


def check_all(report, tool, folder, title, data, one_of):
    path, out = os.path.join(folder, "in.trace"), os.path.join(folder, "out.trace")
    with open(path, "wb") as file:
        file.write(data)
    with report.case("convert " + title) as case:
        source = Source(data)
        if not source.trace.clocks:
            done = tool.run("convert", path, out)
            case.equal("status of what has no times", (done.status, done.err.count(b"\n")), (1, 1))
            return
        for name in drawn(FORMATS, one_of, lambda name: "%s as %s" % (title, name)):
            records = check(case, tool, source, path, out, name)
            check_dmtracedump(case, source, out, name, records)


def made_traces():
    place = made.folder()
    for name in sorted(os.listdir(place)) if place else []:
        if name.endswith(".trace"):
            with open(os.path.join(place, name), "rb") as file:
                yield name, file.read()


def run(report, tool, options):
    if shutil.which("dmtracedump") is None:
        report.skip("dmtracedump on what was converted", "dmtracedump is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for name, data in made_traces():
            try:
                reference.read(data)
            except reference.Refused as reason:
                report.skip("convert " + name, "the independent reader does not read it: %s" % reason)
                continue
            check_all(report, tool, folder, name, data, harness.one_of(options))
        for seed in SEEDS:
            data = make_random.make(seed)
            try:
                reference.read(data)
            except reference.Refused:
                continue
            check_all(report, tool, folder, "seed %d" % seed, data, harness.one_of(options))
