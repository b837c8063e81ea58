"""Other tools that a user may have, timed on the same file as whole processes, beside ours.

A tool that is not there, or does not manage the file, is skipped with a word. The Firefox Profiler reads method traces
in a page, its command line in a daemon that would stay, and speedscope reads none: none of them is a process that could
be timed as it is. --peer NAME=COMMAND times any other, with {} for the file.
"""

import os
import shlex
import shutil
import statistics

import judge
import measure

OURS = "traceview top"
ROUNDS = 3
MOST_S = 90
# Name, program, and its command for (program, file, folder for scratch files).
KNOWN = [
    ("dmtracedump -h", "dmtracedump", lambda program, path, work: [program, "-h", path]),
    ("trace_processor_shell", "trace_processor_shell",
     lambda program, path, work: [program, "-q", write_query(work), path]),
]


def write_query(work):
    path = os.path.join(work, "query.sql")
    with open(path, "w", encoding="utf-8") as file:
        file.write("select name, sum(dur) from slice group by name order by 2 desc limit 10;\n")
    return path


def commands(path, work, more):
    """[(name, command or None)]; more are NAME=COMMAND."""
    known = []
    for name, program, command_of in KNOWN:
        found = shutil.which(program)
        known.append((name, command_of(found, path, work) if found else None))
    for text in more:
        name, _, command = text.partition("=")
        words = [word.replace("{}", path) for word in shlex.split(command)]
        known.append((name, words if words and shutil.which(words[0]) else None))
    return known


def times_of(command, rounds):
    runs = []
    for _ in range(rounds):
        run = measure.time_command(command, MOST_S)
        if run is None:
            return None
        runs.append(run)
    return {"wall_s": round(statistics.median(run["wall_s"] for run in runs), 4),
            "cpu_s": round(statistics.median(run["cpu_s"] for run in runs), 4),
            "resident_bytes": max(run["resident_bytes"] for run in runs), "runs": [run["wall_s"] for run in runs]}


def measure_peers(bench, name, path, rounds, more=()):
    ours = times_of([bench.traceview, "top", path], min(rounds, ROUNDS))
    if ours is None:
        raise RuntimeError("traceview top failed")
    facts = {OURS: ours}
    measures = {}
    for peer, command in commands(path, bench.work, more):
        theirs = times_of(command, min(rounds, ROUNDS)) if command else None
        if theirs is None:
            print("skipped: %s: %s" % (peer, "not installed" if command is None else "did not manage %s" % name))
            continue
        facts[peer] = theirs
        measures["%s: %s / %s" % (name, peer, OURS)] = judge.ratio(theirs["runs"], ours["runs"], higher=True)
    return measures, facts


def table(facts):
    """Whole processes on one file, as Markdown."""
    ours = facts[OURS]
    lines = ["| | wall | CPU | memory, resident | wall over ours |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, told in facts.items():
        lines.append("| `%s` | %s | %s | %.0f MB | %s |" % (
            name, judge.show(told["wall_s"], "s"), judge.show(told["cpu_s"], "s"), told["resident_bytes"] / 1e6,
            "" if name == OURS else "%.1fx" % (told["wall_s"] / ours["wall_s"])))
    return "\n".join(lines)
