"""Times `traceview export` in every format that the program has, on one file as whole processes, beside `traceview top`
of the same round; the text of `traceview dmtracedump` beside that of Debian's dmtracedump; and `traceview flame`, of
a trace and of its folded stacks, beside flamegraph.pl of the same stacks.

A format is taken with the calls of the whole trace, in its usual table. Output goes to /dev/null; how long it is, is
counted in a run of its own.
"""

import os
import re
import shutil
import statistics
import subprocess

import judge
import measure

ROUNDS = 3
MOST_S = 120
# Less than this share of `top` is no time that a rate could be made of.
LEAST_SHARE = 0.05
# Debian's, of libdevel-nytprof-perl.
FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"


def formats_of(program, path):
    """Names of the formats, from what the program says of one that it does not have."""
    told = subprocess.run([program, "export", path, "--to", "?", "-o", "/dev/null"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False).stderr
    return re.findall(r"^    (\S+)", told, re.M)


def length_of(command):
    """Bytes on the standard output of a command."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        return sum(map(len, iter(lambda: process.stdout.read(1 << 20), b"")))


def time_in_turns(commands, rounds):
    """{name: [run]} of commands that all succeed in every round, and the names of the others."""
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            if name in runs:
                run = measure.time_command(command, MOST_S)
                if run is None:
                    del runs[name]
                else:
                    runs[name].append(run)
    return runs, [name for name in commands if name not in runs]


def walls(runs):
    return [run["wall_s"] for run in runs]


def measure_flame(bench, name, path, rounds):
    """How many times as long flamegraph.pl takes for the folded stacks of a trace, of which all draw the same boxes: a
    frame for each thread stands below its stacks."""
    if not os.path.exists(FLAMEGRAPH) or not shutil.which("perl"):
        print("skipped: flamegraph.pl: install libdevel-nytprof-perl")
        return {}
    folded = os.path.join(bench.work, "exports.folded")
    subprocess.run([bench.traceview, "export", path, "--to", "folded", "-o", folded], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=MOST_S, check=True)
    runs, failed = time_in_turns({"trace": [bench.traceview, "flame", path, "--by-thread", "-o", "/dev/null"],
                                  "folded": [bench.traceview, "flame", folded, "-o", "/dev/null"],
                                  "peer": ["perl", FLAMEGRAPH, folded]}, min(rounds, ROUNDS))
    for lost in failed:
        print("skipped: a flame graph of the %s failed" % lost)
    return {"%s: flamegraph.pl / traceview flame of the %s" % (name, what): judge.ratio(
        walls(runs["peer"]), walls(runs[what]), higher=True) for what in ("trace", "folded") if {"peer", what} <= set(runs)}


def measure_exports(bench, name, path, rounds):
    program = bench.traceview
    known = formats_of(program, path)
    commands = {"top": [program, "top", path], "dmtracedump, ours": [program, "dmtracedump", path]}
    commands.update({form: [program, "export", path, "--to", form, "-o", "/dev/null"] for form in known})
    if shutil.which("dmtracedump"):
        commands["dmtracedump, Debian's"] = ["dmtracedump", path]
    runs, failed = time_in_turns(commands, min(rounds, ROUNDS))
    for lost in failed:
        print("skipped: %s failed" % lost)
    measures = {"%s: export %s / top" % (name, form): judge.ratio(walls(runs[form]), walls(runs["top"]))
                for form in known if form in runs}
    if "dmtracedump, Debian's" in runs:
        measures["%s: dmtracedump / traceview dmtracedump" % name] = judge.ratio(
            walls(runs["dmtracedump, Debian's"]), walls(runs["dmtracedump, ours"]), higher=True)
    facts = {"rows": {what: {"wall_s": round(statistics.median(walls(taken)), 4),
                             "resident_bytes": max(run["resident_bytes"] for run in taken),
                             "bytes": length_of([*commands[what][:-2], "-o", "-"]) if what in known else None}
                      for what, taken in runs.items()},
             "exported calls": bench.ask("index", path, 1)["calls"]}
    return measures, facts


def table(facts):
    """As Markdown. What is beyond `top` is the making of the output: both read the trace and index it."""
    rows = facts["rows"]
    lines = ["| | wall | over `top` | output | MB/s | calls/s | resident |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    for what, told in rows.items():
        own_s = told["wall_s"] - rows["top"]["wall_s"]
        size = told["bytes"]
        has_rate = size and own_s > rows["top"]["wall_s"] * LEAST_SHARE
        lines.append("| %s | %s | %.1fx | %s | %s | %s | %.0f MB |" % (
            what, judge.show(told["wall_s"], "s"), told["wall_s"] / rows["top"]["wall_s"],
            "%.1f MB" % (size / 1e6) if size else "", "%.0f" % (size / own_s / 1e6) if has_rate else "",
            "%.1f M" % (facts["exported calls"] / own_s / 1e6) if has_rate else "", told["resident_bytes"] / 1e6))
    return "\n".join(lines)
