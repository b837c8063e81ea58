"""Readers of what `export` writes call by call: trace events, speedscope's format, and both and folded stacks as
speedscope itself reads them, in Chromium (speedscope.mjs)."""

import atexit
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def ns_of(text_us):
    """Microseconds as they stand in the file, exactly."""
    whole, _, fraction = str(text_us).partition(".")
    return int(whole) * 1000 + int(fraction.ljust(3, "0") if fraction else 0)


class Thread:
    """Adds up enters and exits of one thread."""

    def __init__(self, clocks):
        self.clocks = clocks
        self.methods = {}
        self.open = []  # [name, start, time of callees], outermost first
        self.last = None

    def numbers(self, name):
        if name not in self.methods:
            kinds = ["%s_%s_ns" % (kind, clock) for clock in self.clocks for kind in ("inclusive", "exclusive")]
            self.methods[name] = dict.fromkeys(["calls", "recursive_calls", *kinds], 0)
        return self.methods[name]

    def take_time(self, time):
        if self.last is not None and any(now < before for now, before in zip(time, self.last)):
            raise ValueError("time falls: %s after %s" % (time, self.last))
        self.last = time

    def enter(self, name, time):
        self.take_time(time)
        self.open.append([name, time, [0] * len(time)])

    def leave(self, name, time):
        self.take_time(time)
        opened, start, callees = self.open.pop()
        if opened != name:
            raise ValueError("%s is left inside %s" % (name, opened))
        is_recursive = any(other[0] == name for other in self.open)
        numbers = self.numbers(name)
        numbers["recursive_calls" if is_recursive else "calls"] += 1
        for i, clock in enumerate(self.clocks):
            took = time[i] - start[i]
            numbers["exclusive_%s_ns" % clock] += took - callees[i]
            if not is_recursive:
                numbers["inclusive_%s_ns" % clock] += took
            if self.open:
                self.open[-1][2][i] += took

    def end(self):
        if self.open:
            raise ValueError("%d calls are not left" % len(self.open))
        return self.methods


def chrome_totals(path):
    """Trace events as they are meant: a thread's in the order of the file."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=str, parse_int=str)
    threads = {}
    named = set()
    for event in trace["traceEvents"]:
        thread_id = int(event["tid"])
        if event["ph"] == "M":
            named.add((event["name"], thread_id))
            continue
        clocks = [trace["metadata"]["clock"]] + (["cpu"] if "tts" in event else [])
        thread = threads.setdefault(thread_id, Thread(clocks))
        time = [ns_of(event[key]) for key in ("ts", "tts") if key in event]
        (thread.enter if event["ph"] == "B" else thread.leave)(event["name"], time)
    for thread_id in threads:
        if ("thread_name", thread_id) not in named:
            raise ValueError("thread %d has no name" % thread_id)
    return {thread_id: thread.end() for thread_id, thread in threads.items()}


# What each table of a processed profile has, and of which table a column holds rows (None: anything). A column of rows
# may hold `null` too.
FIREFOX_TABLES = {
    "frameTable": {"func": "funcTable", "address": None, "lib": None, "inlineDepth": None, "category": None,
                   "subcategory": None, "nativeSymbol": None, "innerWindowID": None, "line": None, "column": None,
                   "originalLocation": None},
    "funcTable": {"name": "stringArray", "isJS": None, "relevantForJS": None, "resource": None, "source": "sources",
                  "lineNumber": None, "columnNumber": None, "originalLocation": None},
    "resourceTable": {"name": "stringArray", "host": None, "type": None},
    "nativeSymbols": {"libIndex": None, "address": None, "name": "stringArray", "functionSize": None},
    "stackTable": {"frame": "frameTable", "prefixOffset": None},
    "sources": {"id": None, "filename": "stringArray", "startLine": None, "startColumn": None, "sourceMapURL": None,
                "content": None},
    "sourceLocationTable": {"source": "sources", "line": None, "column": None},
}
FIREFOX_THREAD = {"processType", "processStartupTime", "processShutdownTime", "registerTime", "unregisterTime",
                  "pausedRanges", "name", "isMainThread", "pid", "tid", "samples", "markers"}
FIREFOX_MARKERS = {"data": None, "name": "stringArray", "startTime": None, "endTime": None, "phase": None,
                   "category": None}
FIREFOX_MARKERS_MOST = 256


def rows_of_table(shared, name):
    return len(shared[name]) if name == "stringArray" else shared[name]["length"]


def check_table(shared, what, table, columns):
    if set(table) != set(columns) | {"length"}:
        raise ValueError("%s has the columns %s" % (what, sorted(table)))
    for column, of_table in columns.items():
        if len(table[column]) != table["length"]:
            raise ValueError("%s.%s has %d rows" % (what, column, len(table[column])))
        most = rows_of_table(shared, of_table) if of_table else None
        if of_table and any(row is not None and not 0 <= row < most for row in table[column]):
            raise ValueError("%s.%s leads behind %s" % (what, column, of_table))


def check_profile(profile):
    """That all of a processed profile of version 70 is there, and leads somewhere."""
    meta, shared = profile["meta"], profile["shared"]
    if meta["preprocessedProfileVersion"] != 70 or meta["sampleUnits"]["threadCPUDelta"] != "ns":
        raise ValueError("another version, or unit")
    for key in ("interval", "startTime", "processType", "product", "stackwalk", "version", "categories",
                "markerSchema"):
        if key not in meta:
            raise ValueError("meta has no %s" % key)
    for name, columns in FIREFOX_TABLES.items():
        check_table(shared, name, shared[name], columns)
    if any(not 0 <= offset <= row for row, offset in enumerate(shared["stackTable"]["prefixOffset"])):
        raise ValueError("a stack stands before its caller")
    for thread in profile["threads"]:
        if FIREFOX_THREAD - set(thread) or not isinstance(thread["pid"], str):
            raise ValueError("a thread has %s" % sorted(thread))
        markers = thread["markers"]
        check_table(shared, "markers", markers, FIREFOX_MARKERS)
        times = [(ms_of(start), ms_of(end)) for start, end in zip(markers["startTime"], markers["endTime"])]
        if len(times) > FIREFOX_MARKERS_MOST or any(start > end for start, end in times) or \
                [start for start, _ in times] != sorted(start for start, _ in times):
            raise ValueError("markers are not in order")


def ms_of(text):
    """Milliseconds as they stand in the file, in nanoseconds, exactly."""
    whole, _, fraction = str(text).partition(".")
    return int(whole) * 1000000 + int(fraction.ljust(6, "0") if fraction else 0)


def add_samples(shared, clock, lengths, stacks, methods):
    """Adds the time of samples to the methods of their stacks, to each once."""
    frames, offsets = shared["stackTable"]["frame"], shared["stackTable"]["prefixOffset"]
    names = [shared["stringArray"][row] for row in shared["funcTable"]["name"]]
    below = {}
    for stack, length in zip(stacks, lengths):
        if stack is not None:
            below[stack] = below.get(stack, 0) + length
    for stack, length in below.items():
        methods[names[frames[stack]]]["exclusive_%s_ns" % clock] += length
        on_stack = {frames[stack]}
        while offsets[stack]:
            stack -= offsets[stack]
            on_stack.add(frames[stack])
        for frame in on_stack:
            methods[names[frame]]["inclusive_%s_ns" % clock] += length


def firefox_totals(path):
    """What the samples of a profile add up to: their weights, and the CPU time up to the next one."""
    with open(path, encoding="utf-8") as file:
        profile = json.load(file, parse_float=str)
    check_profile(profile)
    totals = {}
    for thread in profile["threads"]:
        samples = thread["samples"]
        columns = {"stack", "timeDeltas", "weight"} | ({"threadCPUDelta"} & set(samples))
        check_table(profile["shared"], "samples",
                    {key: value for key, value in samples.items() if key != "weightType"}, dict.fromkeys(columns))
        weights = [ms_of(weight) for weight in samples["weight"]]
        # A sample lasts until the next one begins.
        if weights and weights != [ms_of(delta) for delta in samples["timeDeltas"][1:]] + [0]:
            raise ValueError("samples do not follow each other")
        lengths = {profile["meta"]["extra"][0]["entries"][0]["value"]: weights}
        if "threadCPUDelta" in samples:
            lengths["cpu"] = samples["threadCPUDelta"][1:] + [0]
        keys = ["%s_%s_ns" % (kind, clock) for clock in lengths for kind in ("inclusive", "exclusive")]
        methods = {profile["shared"]["stringArray"][row]: dict.fromkeys(keys, 0)
                   for row in profile["shared"]["funcTable"]["name"]}
        for clock, of_samples in lengths.items():
            add_samples(profile["shared"], clock, of_samples, samples["stack"], methods)
        totals[thread["tid"]] = methods if samples["length"] else {}
    return totals


class Speedscope:
    """The one browser of a run."""

    process = None

    @classmethod
    def open(cls, path):
        if cls.process is None:
            # Ended by the end of its input.
            cls.process = subprocess.Popen(["node", os.path.join(HERE, "speedscope.mjs")], text=True,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            atexit.register(cls.process.communicate)
        cls.process.stdin.write(os.path.abspath(path) + "\n")
        cls.process.stdin.flush()
        told = json.loads(cls.process.stdout.readline())
        if isinstance(told, dict):
            raise ValueError("speedscope: %s" % told["error"])
        return told


def without_speedscope():
    needed = ((os.path.join(HERE, "node_modules", "speedscope"), "the readers' npm packages are not installed"),
              (os.path.join(HERE, "../../web/node_modules/playwright-core"), "the page's npm packages are not installed"),
              (os.environ.get("CHROMIUM", "/usr/bin/chromium"), "Chromium is not installed"))
    return next((why for path, why in needed if not os.path.exists(path)), None)


def speedscope_totals(path):
    totals = {}
    for profile in Speedscope.open(path):
        if profile["name"] == "no calls":
            continue
        thread_id, clock = re.search(r"\(tid (\d+)\), (wall|CPU)$", profile["name"]).groups()
        methods = totals.setdefault(int(thread_id), {})
        for name, inclusive, exclusive in profile["frames"]:
            numbers = methods.setdefault(name, {})
            numbers["inclusive_%s_ns" % clock.lower()] = inclusive
            numbers["exclusive_%s_ns" % clock.lower()] = exclusive
    return totals


def chrome_in_speedscope(path):
    """On the axis clock alone, in microseconds."""
    with open(path, encoding="utf-8") as file:
        clock = re.search(r'"clock":"(\w+)"', file.read(4096)).group(1)
    totals = {}
    for profile in Speedscope.open(path):
        thread_id = int(re.search(r"tid (\d+)\)$", profile["name"]).group(1))
        totals[thread_id] = {name: {"inclusive_%s_ns" % clock: round(inclusive * 1000),
                                    "exclusive_%s_ns" % clock: round(exclusive * 1000)}
                             for name, inclusive, exclusive in profile["frames"]}
    return totals


def folded_in_speedscope(path):
    """Folded stacks have the threads' names where others have roots, methods without signatures, and one clock."""
    return {thread: {name: {"exclusive": exclusive} for name, _, exclusive in methods}
            for thread, methods in Speedscope.open(path)[0]["roots"]}


def as_folded(wanted, names):
    """What is wanted of threads, as folded stacks hold it: threads and overloads of one name are one."""
    held = {}
    for thread_id, thread_name in names.items():
        methods = held.setdefault(thread_name, {})
        for name, numbers in wanted[thread_id]:
            exclusive = numbers.get("exclusive_cpu_ns", numbers.get("exclusive_wall_ns"))
            if exclusive:
                one = methods.setdefault(name.split(" ")[0], {"exclusive": 0})
                one["exclusive"] += exclusive
    return {thread: sorted(methods.items(), key=lambda method: -method[1]["exclusive"])
            for thread, methods in held.items()}
