"""`convert` keeps the profile: each trace written in each version, against a plain reading of the original.

What a version cannot hold is reckoned in: one clock, microseconds by truncation. Methods are compared by name,
since their ids may be new. Debian's dmtracedump reads as many records of what is written as there are.
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

FORMATS = ("v1", "v2", "v3", "stream", "packets")
SEEDS = range(50_000, 50_060)
WRAP_NS = (1 << 32) * 1000
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
        self.latest = max((max(r.time.values(), default=0) for r in trace.records), default=0)
        self.has_odd_methods = any(
            r.action == reference.RESERVED or r.method not in trace.methods for r in trace.records
        )

    def clocks(self, name):
        """Which clocks the version takes of it."""
        if name not in ("v1", "v2") or len(self.trace.clocks) < 2:
            return self.trace.clocks
        return ("cpu",) if name == "v1" else ("wall",)

    def profile(self, name):
        """What `top` must say of it in another version."""
        trace = self.trace
        unit = 1 if name == "packets" else 1000
        clocks = self.clocks(name)
        kept = [(record, record.time) for record in trace.records]
        old = trace.clocks, trace.unit_ns, trace.format, dict(trace.findings)
        trace.clocks, trace.unit_ns = clocks, unit
        trace.format = "v1" if name == "v1" else "converted"
        for record, time in kept:
            record.time = {clock: time[clock] // unit for clock in clocks}
        rows = reference.answer_of(trace, reference.build_calls(trace))["methods"]
        trace.clocks, trace.unit_ns, trace.format, trace.findings = old
        for record, time in kept:
            record.time = time
        return rows

    def is_told_back(self, name):
        """Whether the version can say all this at all (docs/formats/writing.md)."""
        if name == "packets":
            return not self.has_odd_methods
        is_v1_of_many = name == "v1" and len({record.thread for record in self.trace.records}) > 256
        # Beyond a wrap it is the elapsed time that tells threads' turns apart, and falls of a minute look like one.
        return self.latest < WRAP_NS and not is_v1_of_many


def by_name(rows):
    return harness.by_name([{key: row[key] for key in NUMBERS} for row in rows])


def is_named_alike(rows, wanted):
    """Methods without a line are named by their id, which may be new."""
    return [row for row in rows if not row["method"].startswith("(")], [
        row for row in wanted if not row["method"].startswith("(")
    ]


def check(case, tool, source, path, out, name):
    done = tool.run("convert", path, out, "--as", name)
    if not case.equal("status of --as %s" % name, (done.status, done.out), (0, b"")):
        return
    if not source.is_told_back(name):
        tool.run("info", "--json", out).json()
        return
    info = tool.run("info", "--json", out).json()
    case.equal("records as " + name, info["records"], len(source.trace.records))
    case.equal("clocks as " + name, set(info["clocks"]), set(source.clocks(name)))
    got = by_name(tool.run("top", "--json", "-n", "0", out).json()["methods"])
    wanted = by_name(source.profile(name))
    case.equal("number of methods as " + name, len(got), len(wanted))
    got, wanted = is_named_alike(got, wanted)
    for row, truth in zip(got, wanted):
        if not case.equal("%s as %s" % (truth["method"], name), row, truth):
            return


def check_dmtracedump(case, source, out, name):
    program = shutil.which("dmtracedump")
    most = max((record.thread for record in source.trace.records), default=0)
    if program is None or name not in ("v1", "v2", "v3") or most > DMTRACEDUMP_THREADS or not source.trace.records:
        return
    done = subprocess.run([program, "-o", out], capture_output=True, timeout=60, check=False)
    records = re.findall(rb"^ *\d+ (?:ent|xit|unr|\?\?\?)", done.stdout, re.M)
    case.equal("records that dmtracedump reads as " + name, len(records), len(source.trace.records))


def check_all(report, tool, folder, title, data):
    path, out = os.path.join(folder, "in.trace"), os.path.join(folder, "out.trace")
    with open(path, "wb") as file:
        file.write(data)
    with report.case("convert " + title) as case:
        source = Source(data)
        if not source.trace.clocks:
            done = tool.run("convert", path, out)
            case.equal("status of what has no times", (done.status, done.err.count(b"\n")), (1, 1))
            return
        for name in FORMATS:
            check(case, tool, source, path, out, name)
            check_dmtracedump(case, source, out, name)


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
            check_all(report, tool, folder, name, data)
        for seed in SEEDS:
            data = make_random.make(seed)
            try:
                reference.read(data)
            except reference.Refused:
                continue
            check_all(report, tool, folder, "seed %d" % seed, data)
