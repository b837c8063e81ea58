"""A part of a trace, exported as a trace, has the profile that `top` gives for the part.

Packets keep every nanosecond. In v3 times are whole microseconds: of traces in microseconds the wall times are exact, and
CPU times, which lie between microseconds at the edges of a range, are off by less than one at either edge; of traces
in nanoseconds every record may be. Debian's dmtracedump reads as many enters and exits from v3 as are in it.
"""

import os
import random
import re
import shutil
import subprocess
import tempfile

import harness
import made
from drawn import drawn

KEYS = ("method", "calls", "recursive_calls", "inclusive", "exclusive")
FORMATS = ("trace", "packets")


def profile(tool, path, part=()):
    """Rows of methods with calls, by name. Methods without a line are named by their id, which may be new."""
    rows = tool.run("top", "--json", "-n", "0", path, *part).json()["methods"]
    rows = [{key: row[key] for key in KEYS} for row in rows if row["calls"] or row["recursive_calls"]]
    named = [row for row in rows if not row["method"].startswith("(")]
    return sorted(named, key=lambda row: (row["method"], row["calls"], row["recursive_calls"])), len(rows)


def parts_of(info, seed):
    """All of it, and a range in whole microseconds."""
    latest = max([thread.get("last_ns") or 0 for thread in info["threads"]] + [0]) // 1000
    dice = random.Random(seed)
    yield ()
    if latest > 10:
        begin = dice.randrange(latest - 5)
        yield ("--from", "%dus" % begin, "--to", "%dus" % (begin + 1 + dice.randrange(latest - begin)))


def most_apart(row, name, clock, is_fine, part):
    """How far times may be apart, in nanoseconds."""
    if name == "packets" or (clock == "wall_ns" and not is_fine) or (not part and not is_fine):
        return 0
    return 4000 + 4000 * (row["calls"] + row["recursive_calls"])


def check_rows(case, title, got, wanted, name, is_fine, part):
    case.equal("methods of " + title, len(got), len(wanted))
    for row, truth in zip(got, wanted):
        same = [row[key] == truth[key] for key in KEYS[:3]]
        apart = [
            abs(row[sum_of][clock] - truth[sum_of][clock]) - most_apart(truth, name, clock, is_fine, part)
            for sum_of in KEYS[3:]
            for clock in truth[sum_of]
        ]
        if not case.true("%s of %s" % (truth["method"], title), all(same) and max(apart + [0]) <= 0, (row, truth)):
            return


def check_dmtracedump(case, title, tool, out):
    program = shutil.which("dmtracedump")
    if program is None:
        return
    info = tool.run("info", "--json", out).json()
    done = subprocess.run([program, "-o", out], capture_output=True, timeout=240, check=False)
    found = re.findall(rb"^ *\d+ (ent|xit)", done.stdout, re.M)
    adopted = sum(finding["count"] for finding in info["findings"] if finding["kind"] == "exit_without_enter")
    case.equal("records that dmtracedump reads of " + title, len(found), info["records"])
    case.equal("enters that it reads of " + title, found.count(b"ent") + adopted, info["calls"])


def check(case, tool, folder, name, one_of):
    path = os.path.join(made.folder(), name)
    info = tool.run("info", "--json", path).json()
    is_fine = name.startswith(("packets", "low", "perfetto"))
    exports = [(to, part) for to in FORMATS for part in parts_of(info, name)]
    for to, part in drawn(exports, one_of, lambda one: "%s of %s" % (" ".join((one[0],) + one[1]), name)):
        out = os.path.join(folder, "cut.trace")
        title = " ".join((to,) + part)
        done = tool.run("export", path, "--to", to, "-o", out, *part)
        if b"no times" in done.err:
            case.equal("status of what has no times", done.status, 2)
            continue
        if not case.equal("status of " + title, done.status, 0):
            continue
        wanted, wanted_count = profile(tool, path, part)
        got, got_count = profile(tool, out)
        case.equal("all methods of " + title, got_count, wanted_count)
        check_rows(case, title, got, wanted, to, is_fine, part)
        if to == "trace" and got_count:
            check_dmtracedump(case, title, tool, out)


def run(report, tool, options):
    if shutil.which("dmtracedump") is None:
        report.skip("what dmtracedump reads of a part", "it is not installed")
    if made.folder() is None:
        report.skip("parts of made traces", "there are none")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in sorted(os.listdir(made.folder())):
            if name.endswith(".trace"):
                with report.case("cut " + name) as case:
                    check(case, tool, folder, name, harness.one_of(options))
