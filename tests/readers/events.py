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
