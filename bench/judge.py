"""What the numbers of bench/run mean: medians, noise, the budgets, and losses since numbers were recorded. Pure.

A measure is {"value", "noise", "kind"}. Kinds: "ratio" of two times of one run; "size", a ratio of bytes or bytes,
which the same input gives anywhere; "time" in seconds, which counts only against a yardstick of the same run;
"frame", a time that the screen's rhythm rounds, told and held to its budget but not compared.
Smaller is better in all but those that say "higher": True.
"""

import json
import os
import statistics

# From here on a change is a loss, and a measure that varies so much in one run cannot tell.
WORST_LOSS = 0.15
# Of fewer values nobody knows how noisy they are.
FEWEST = 3

# The one list of sizes that are allowed, in bytes: tests/engine/limits.mjs and tests/checks/sizes.py read it, too.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "size_limits.json"), encoding="utf-8") as file:
    SIZE_LIMITS = json.load(file)

# Key of the measure, what it is, the budget, and its unit.
BUDGETS = [
    ("javac: index / limit", "full index, large real trace, over the word-sum limit", 6, "x"),
    ("made: index / limit", "full index, made trace, over the word-sum limit", 10, "x"),
    ("javac: dmtracedump / index", "faster than `dmtracedump -h`, large real trace", 12, "x"),
    ("made: dmtracedump / index", "faster than `dmtracedump -h`, made trace", 12, "x"),
    ("javac: first picture", "exec to first picture in a running browser", 1.0, "s"),
    ("javac: reopened picture", "the same, reopening with a saved index", 0.2, "s"),
    ("javac: peak / file", "memory beyond the file at the peak, large real trace", 1.0, "x"),
    ("example: peak / file", "memory beyond the file at the peak, bundled example", 1.3, "x"),
    ("javac: saved / file", "saved index, large real trace", 0.8, "x"),
    ("example: saved / file", "saved index, bundled example", 1.0, "x"),
    ("hostile: peak / allowed", "peak over 64 n + 64 MiB, worst hostile input", 1.0, "x"),
    ("calls: window", "window of 1600 px on 10⁷ calls, worst zoom", 0.005, "s"),
    ("calls: window, hidden", "the same with half of its packages hidden", 0.005, "s"),
    ("calls: window bytes", "its answer, largest", 256 * 1024, "bytes"),
    ("calls: range", "any tab for a range on 10⁷ calls, slowest", 0.1, "s"),
    ("calls: set of calls", "any tab of a set of calls on 10⁷ calls, slowest", 0.15, "s"),
    ("calls: boxes", "boxes drawn while zooming and panning, most", 10_000, "boxes"),
    ("calls: frame typical", "frame while zooming and panning, median", 0.020, "s"),
    ("calls: frame longest", "frame while zooming and panning, longest", 0.050, "s"),
    ("javac: tree of a range", "the Tree tab of a range, large real trace", 0.15, "s"),
    ("javac: calls of a method", "the Calls tab of its most called method", 0.15, "s"),
    ("engine: bytes", "engine of pages, by gzip", SIZE_LIMITS["engine: bytes"], "bytes"),
    ("engine of files: bytes", "engine that makes files, too, which reports have in them, by gzip", SIZE_LIMITS["engine of files: bytes"], "bytes"),
    ("example: engine / one core", "index in a page's engine, bundled example, over one core natively", 2, "x"),
    ("javac: engine / one core", "the same, large real trace", 2, "x"),
    ("alone: first picture", "page alone, file of 30 MB chosen to first picture, engine warm", 0.6, "s"),
    ("report: first picture", "a report of 50 MB, from its address to the first picture", 3, "s"),
    ("javac: first picture of two / one", "two traces of 233 MB, first picture, over that of one", 1.3, "x"),
    ("compared: any tab", "any tab of two traces of 10⁷ calls each, slowest", 0.15, "s"),
    ("growth: worst", "exponent of time or memory, worst axis (1 is linear)", 1.1, ""),
    ("javac: export folded / top", "folded stacks of the large real trace, over `traceview top`", 2, "x"),
    ("javac: export pprof / top", "pprof of the large real trace, over `traceview top`", 2, "x"),
    ("recorder: call", "recorder, one enter and exit with both clocks", 40e-9, "s"),
    ("recorder: stopped", "recorder, the same while stopped", 5e-9, "s"),
    ("recorder: lost and untold", "records that are lost without the file saying so", 0, "records"),
    ("jvm: call", "recorder, a call in Java with both clocks, rewritten", 80e-9, "s"),
    ("jvm: javac, rewrite / not recorded", "the Java compiler, recorded, over not recorded", 3, "x"),
    ("devices: adb pull / pull, 8 MiB", "`adb pull` over `traceview pull`, whole commands, 8 MiB", 0.9, "x"),
    ("devices: adb pull / pull, 64 MiB", "the same, 64 MiB", 0.9, "x"),
    ("devices: adb pull / pull, 256 MiB", "the same, 256 MiB", 0.9, "x"),
    ("binary: bytes", "binary, stripped, page included", SIZE_LIMITS["binary: bytes"], "bytes"),
]


def quartiles(values):
    """Of five the second and the fourth."""
    ordered = sorted(values)
    aside = len(ordered) // 4
    return ordered[aside], ordered[-1 - aside]


def measure(values, kind, higher=False):
    """The median, and how far apart the quartiles are beside it: one outlier among five is no noise."""
    values = list(values)
    median = statistics.median(values)
    low, high = quartiles(values)
    made = {"value": median, "noise": round((high - low) / median, 4) if median else 0.0, "kind": kind}
    if kind in ("ratio", "time") and len(values) < FEWEST:
        made["noise"] = None
    return {**made, "higher": True} if higher else made


def ratio(over, under, higher=False):
    """Of times taken in turns: the ratio of each round, so that what slows a round slows both."""
    return measure([a / b for a, b in zip(over, under)], "ratio", higher)


def is_noisy(one):
    return one["noise"] is None or one["noise"] > WORST_LOSS


def could_be_noise(lost, *measures):
    """Whether a loss is one that noisy measures have by themselves; a larger one is a loss all the same."""
    if any(one["noise"] is None for one in measures):
        return True
    return any(map(is_noisy, measures)) and lost <= WORST_LOSS + sum(one["noise"] for one in measures)


def verdict(one, budget):
    is_met = one["value"] >= budget if one.get("higher") else one["value"] <= budget
    return ("met" if is_met else "**missed**") + (", noisy" if is_noisy(one) else "")


def show(value, unit):
    if unit == "bytes":
        return "%.0f KiB" % (value / 1024) if value < 10**6 else "%.2f MB" % (value / 1e6)
    if unit == "s":
        for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
            if value >= scale:
                return "%.3g %s" % (value / scale, name)
        return "%.2g ns" % (value / 1e-9) if value else "0 s"
    number = format(value, ",") if isinstance(value, int) else "%.2f" % value
    return number + ("x" if unit == "x" else "")


def table(measures, why_not):
    """The budgets of one run as a Markdown table; why_not says of a measure that is not there what it lacks, and ""
    of one that nobody asked for."""
    lines = ["| what | budget | measured | verdict |", "| --- | ---: | ---: | --- |"]
    for key, words, budget, unit in BUDGETS:
        one = measures.get(key)
        if one is None and why_not.get(key) == "":
            continue
        sign = "≥" if one and one.get("higher") or "faster" in words else "≤"
        cells = (words, "%s %s" % (sign, show(budget, unit)))
        if one is None:
            lines.append("| %s | %s | | not measured: %s |" % (*cells, why_not.get(key, "nothing measures it yet")))
        else:
            lines.append("| %s | %s | %s | %s |" % (*cells, show(one["value"], unit), verdict(one, budget)))
    return "\n".join(lines)


def loss(before, now, scale):
    """By what share a measure got worse; times count in units of each run's yardstick."""
    old, new = before["value"], now["value"]
    if now["kind"] == "time":
        old, new = old * scale, new
    if old <= 0 or new <= 0:
        return 0.0
    return (old / new if now.get("higher") else new / old) - 1


def has_common(recorded, run):
    """Whether there is any measure that both have: without one, nothing can have got worse."""
    return any(key in recorded["measures"] and now["kind"] != "frame" for key, now in run["measures"].items())


def compare(recorded, run):
    """(key, "worse" or "not judged: why", before, now) of each measure that lost more than it may."""
    found = []
    is_same_machine = recorded["machine"] == run["machine"]
    has_yardstick = bool(recorded.get("yardstick_s") and run.get("yardstick_s"))
    scale = run["yardstick_s"] / recorded["yardstick_s"] if has_yardstick else 1.0
    for key, now in sorted(run["measures"].items()):
        before = recorded["measures"].get(key)
        if before is None or now["kind"] == "frame":
            continue
        lost = loss(before, now, scale)
        if lost <= WORST_LOSS:
            continue
        word = "worse"
        name = key.split(":")[0]
        if recorded["inputs"].get(name) != run["inputs"].get(name):
            word = "not judged: another input"
        elif now["kind"] != "size" and not is_same_machine:
            word = "not judged: recorded on another machine"
        elif now["kind"] == "time" and not has_yardstick:
            word = "not judged: no yardstick"
        elif could_be_noise(lost, before, now):
            word = "not judged: noisy"
        found.append((key, word, before["value"], now["value"]))
    return found
