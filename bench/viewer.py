"""Asks what the page asks: windows at every zoom, and every tab for ranges.

Once inside one process (bench/query.c), which the budgets are about, and once of the real program over its own port:
from sending a request to having its answer whole, loopback and sockets included, one after the other.
"""

import contextlib
import copy
import glob
import http.client
import json
import os
import random
import re
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.parse

import judge
import tools

WIDTH = 1600
# What a timeline of 900 px has room for.
ROWS = 40
PLACES = 5
REPEATS = 5
SHARES = (1.0, 0.5, 0.1, 0.01)
LENS_SHARES = (1.0, 0.5, 0.1)
# Questions of either kind that are asked twice as often, as they may be the slowest.
LIKELY = 3
# Traces that a viewer keeps open: src/server/eviction.h.
OPEN_MOST = 8


@contextlib.contextmanager
def viewer(bench, *paths, saves=False):
    """Who asks `traceview --no-browser PATH...`, with settings and caches of its own; bench/run has no index saved. Of two
    paths the last one is asked, and the first one is its old side."""
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, XDG_CONFIG_HOME=home, XDG_CACHE_HOME=home)
        if saves:
            environment.pop("TRACEVIEW_CACHE_SIZE", None)
        process = subprocess.Popen([bench.traceview, *paths, "--no-browser"], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
        try:
            found = None
            while not found:
                line = process.stdout.readline()
                if not line:
                    raise RuntimeError("the program gave no address")
                found = re.search(r"https?://\S+", line)
            yield Asker(found.group(0).rstrip(".,"), process.pid, home)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


class Asker:
    def __init__(self, url, pid, home):
        self.pid, self.home = pid, home
        parts = urllib.parse.urlsplit(url)
        self.base = parts.path.rstrip("/") + "/api/"
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)

    def ask(self, route, **query):
        """(seconds, body). Like a browser, over one connection that stays."""
        words = urllib.parse.urlencode(query, safe=",:")
        begin = time.perf_counter()
        self.connection.request("GET", self.base + route + ("?" + words if words else ""))
        answer = self.connection.getresponse()
        body = answer.read()
        taken = time.perf_counter() - begin
        if answer.status != 200:
            raise RuntimeError("%s: status %d: %s" % (route, answer.status, body[:200]))
        return taken, body

    def open(self, path, name):
        """Gives a trace to the program, as a page does with a dropped file; who asks for its address."""
        with open(path, "rb") as file:
            self.connection.request("PUT", self.base + "open?name=" + name, body=file.read())
        answer = self.connection.getresponse()
        told = json.loads(answer.read())
        if answer.status != 202:
            raise RuntimeError("%s: status %d" % (name, answer.status))
        other = copy.copy(self)
        other.base = told["page"] + "api/"
        return other

    def beside(self, count):
        """Who asks the other traces that the program was begun with."""
        others = [copy.copy(self) for _ in range(count - 1)]
        for number, other in enumerate(others, 2):
            other.base = self.base[: -len("api/")] + "t/%d/api/" % number
        return others

    def ask_until_open(self, route, **query):
        """Seconds from the first of the same questions to one that is answered."""
        begin = time.perf_counter()
        while True:
            try:
                self.ask(route, **query)
                return time.perf_counter() - begin
            except RuntimeError:
                time.sleep(0.001)

    def wait_until_saved(self, most_s=60):
        """The index of the trace is written behind the first answers."""
        deadline = time.monotonic() + most_s
        while not glob.glob(os.path.join(self.home, "**", "*.index"), recursive=True):
            if time.monotonic() > deadline:
                raise RuntimeError("no saved index after %d s" % most_s)
            time.sleep(0.02)

    def wait_until_whole(self, most_s=120):
        deadline = time.monotonic() + most_s
        while time.monotonic() < deadline:
            try:
                info = json.loads(self.ask("info")[1])
                if info.get("complete", True):
                    return info
            except (RuntimeError, ConnectionError, http.client.HTTPException):
                self.connection.close()
            time.sleep(0.02)
        raise RuntimeError("no whole index after %d s" % most_s)


def take(asker, route, **query):
    """A measure of the same request asked again and again, and the length of its answer."""
    taken = [asker.ask(route, **query) for _ in range(REPEATS)]
    return judge.measure([seconds for seconds, _ in taken], "time"), len(taken[0][1])


def windows(asker, info):
    """[(zoom, measure, bytes)]: the busiest thread unfolded, the others folded, at places of each zoom."""
    threads = sorted(info["threads"], key=lambda thread: -thread["calls"])
    rows = ["%d:0-%d" % (threads[0]["id"], ROWS - len(threads[1:9]) - 1)] + ["%d:f" % thread["id"] for thread in threads[1:9]]
    chance = random.Random(1)
    made = []
    zoom = 1
    while info["span_ns"] / zoom >= WIDTH:
        length = info["span_ns"] // zoom
        for _ in range(PLACES if zoom > 1 else 1):
            begin = chance.randrange(info["span_ns"] - length + 1)
            query = {"from": begin, "to": begin + length, "width": WIDTH, "rows": ",".join(rows)}
            made.append((zoom, *take(asker, "window", **query)))
        zoom *= 4
    return made


def busiest_methods(asker, count):
    return json.loads(asker.ask("top", sort="calls", n=count)[1])["methods"]


def tab_questions(busiest):
    """{tab: (route, query)}, by the rank of the method that they are about."""
    return {
        "profile": ("top", {"n": 60, "per_call": 1}),
        "profile, relations": ("callers", {"method": busiest}),
        "flame": ("flame", {"width": WIDTH}),
        "flame, inverted": ("flame", {"width": WIDTH, "inverted": 1}),
        "tree": ("tree", {"n": 60}),
        "callers": ("tree", {"n": 60, "inverted": 1}),
        "calls": ("calls", {"method": busiest, "n": 60}),
    }


def tabs(asker, info):
    """[(tab, share of the trace, measure)]"""
    chance = random.Random(2)
    asked = tab_questions(busiest_methods(asker, 1)[0]["rank"])
    made = []
    for share in SHARES:
        length = int(info["span_ns"] * share)
        begin = chance.randrange(info["span_ns"] - length + 1)
        for tab, (route, query) in asked.items():
            made.append((tab, share, take(asker, route, **{"from": begin, "to": begin + length}, **query)[0]))
    return made


def call_sets(methods):
    """{words: a set of calls as the page asks for it}, of the methods with most calls."""
    ranks = [method["rank"] for method in methods]
    word = re.split(r"[.( ]", methods[0]["name"].split("(")[0].strip())[-1]
    return {
        "a method": "methods:%d" % ranks[0],
        "three methods": "methods:" + ".".join(map(str, ranks[:3])),
        "a search": "search:" + word,
        "a search that much fits": "search:o",
        "durations": "methods:%d:wall=1000-5000000" % ranks[0],
        "a set within a set": "methods:%d;methods:%d" % (ranks[0], ranks[1]),
    }


def lens(asker, info):
    """[(set of calls, tab, share of the trace, seconds of the first time, measure of the next ones)]"""
    chance = random.Random(3)
    methods = busiest_methods(asker, 3)
    made = []
    for words, calls in call_sets(methods).items():
        for share in LENS_SHARES:
            length = int(info["span_ns"] * share)
            begin = chance.randrange(info["span_ns"] - length + 1)
            part = {} if share == 1 else {"from": begin, "to": begin + length}
            for tab, (route, query) in tab_questions(methods[0]["rank"]).items():
                question = {"calls": calls, **part, **query}
                first = asker.ask(route, **question)[0]
                made.append((words, tab, share, first, take(asker, route, **question)[0]))
    return made


def middle(measures):
    """That of places that differ: the median of their values, and of what each varied by."""
    return {"value": statistics.median(one["value"] for one in measures),
            "noise": statistics.median(one["noise"] for one in measures), "kind": "time"}


def measure_viewer(bench, path):
    """The slowest question about a set of calls; all else is facts, since the budgets are of what happens inside the server."""
    with viewer(bench, path) as asker:
        info = asker.wait_until_whole()
        seen = windows(asker, info)
        ranges = tabs(asker, info)
        sets = lens(asker, info)
    by_zoom = {zoom: middle([one for known, one, _ in seen if known == zoom])["value"] for zoom, _, _ in seen}
    by_tab = {known: max(one["value"] for other, _, one in ranges if other == known) for known, _, _ in ranges}
    slowest = max(sets, key=lambda one: one[4]["value"])
    first = max(sets, key=lambda one: one[3])
    told = {"slowest": "%s, %s, %g of the trace" % slowest[:3], "first": "%s, %s, %g of the trace" % first[:3], "first_s": first[3]}
    measures = {"calls: set of calls": slowest[4]}
    return measures, {"lens": told, "calls": info["calls"], "windows": {zoom: round(seconds, 5) for zoom, seconds in by_zoom.items()},
            "tabs": {known: round(seconds, 5) for known, seconds in by_tab.items()}}


def memory_of(asker):
    """Bytes of the program that are in memory now."""
    with open("/proc/%d/statm" % asker.pid, encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def measure_several(bench, path, small, rounds, is_large):
    """A viewer with one large trace and as many small ones as are kept open beside it: what the large one's window takes
    while it is open, and after it was closed in favour of the others and comes back from its saved index."""
    held, back, first = [], [], []
    with viewer(bench, path, saves=True) as asker:
        whole = asker.wait_until_whole()
        span = whole["span_ns"]
        question = {"from": 0, "to": span, "width": WIDTH, "rows": "%d:f" % whole["threads"][0]["id"]}
        asker.ask("window", **question)
        if is_large:  # else no index is saved
            asker.wait_until_saved()
        alone = memory_of(asker)
        others = [asker.open(small, "small%d" % i) for i in range(OPEN_MOST)]
        for _ in range(rounds):
            for other in others:
                other.ask_until_open("info")
            back.append(asker.ask_until_open("window", **question))
            held.append(asker.ask("window", **question)[0])
        after = memory_of(asker)
    for _ in range(rounds):
        begin = time.perf_counter()
        with viewer(bench, path) as asker:
            asker.ask_until_open("window", **question)
            first.append(time.perf_counter() - begin)
    return ({"several: a closed trace comes back / is opened": judge.ratio(back, first)},
            {"held_s": held, "back_s": back, "first_s": first, "alone_bytes": alone, "after_bytes": after})


# What two indexes take has been used a moment ago (as in bench/first_picture.mjs).
WARM_MIB = 2048


def opening(bench, *paths):
    """Seconds from the start of the program until each of its traces is read whole, and those of the processor, of user and kernel."""
    tools.warm_memory(WARM_MIB)
    begin = time.perf_counter()
    with viewer(bench, *paths) as asker:
        for asked in (asker, *asker.beside(len(paths))):
            asked.wait_until_whole()
        wall = time.perf_counter() - begin
        tick = 1 / os.sysconf("SC_CLK_TCK")  # at least, so that there are ratios
        return wall, [max(tick, seconds) for seconds in tools.processor_seconds(asker.pid)]


def measure_opening(bench, old, new, rounds):
    """Both are read on all cores, the old one behind the new one, so the ratio of the program's own time, which is that of user, is the
    least that the wall may be; the kernel's is for memory, and is the machine's."""
    one, both = [], []
    for _ in range(rounds):
        one.append(opening(bench, new))
        both.append(opening(bench, old, new))
    wall, used = ([[told[part] for told in side] for side in (one, both)] for part in (0, 1))
    return {"compared: both are read whole / one": judge.ratio(wall[1], wall[0]),
            "compared: both are read whole / one, program's own": judge.ratio([user for user, _ in used[1]], [user for user, _ in used[0]])}, {
        "both_s": wall[1], "one_s": wall[0], "both_processor_s": used[1], "one_processor_s": used[0]}


# What the tabs of a comparison ask: of both traces in one question, or of the old one by itself.
OF_CHANGES = {"changes": ("diff", {"n": 2000}), "flame of the change": ("flamediff", {"width": WIDTH}),
              "profile": ("before", {"ranks": ",".join(map(str, range(100)))}), "roots of the tree": ("before", {"ranks": "0", "path": ""}),
              "callers": ("before", {"ranks": ",".join(map(str, range(100))), "path": "0", "inverted": 1}),
              "frames": ("lanesdiff", {}), "insights": ("insightsdiff", {})}
# Routes that take no range.
OF_WHOLE = ("lanesdiff", "insightsdiff")


def measure_tabs_compared(bench, old, new, rounds):
    """The questions of the tabs, of two whole traces and of the middle half of them."""
    asked = {}
    with viewer(bench, old, new) as asker:
        info = asker.wait_until_whole()
        beside = asker.beside(2)[0]
        beside.wait_until_whole()
        part = {"from": info["span_ns"] // 4, "to": info["span_ns"] * 3 // 4}
        for _ in range(max(rounds, REPEATS)):
            for name, (route, query) in OF_CHANGES.items():
                for words, more in (("", {}), (", half", part))[: 1 if route in OF_WHOLE else 2]:
                    asked.setdefault(name + words, []).append(asker.ask(route, old=2, **query, **more)[0])
            for words, more in (("", {}), (", half", part)):
                asked.setdefault("old calls" + words, []).append(beside.ask("calls", method=0, n=1, **more)[0])
        memory = memory_of(asker)
    measures = {"compared: " + name: judge.measure(times, "time") for name, times in asked.items()}
    slowest = max(measures, key=lambda name: measures[name]["value"])
    return {**measures, "compared: any tab": measures[slowest]}, {
        "slowest": slowest.removeprefix("compared: "), "asked_s": asked, "bytes": memory, "calls": info["calls"]}


def kind_of(question):
    first = question.split()[0]
    return first if first in ("window", "hidden", "hiding") else "range"


def ask_rounds(bench, path, rounds, asked, *question):
    """Adds what bench/query.c told to asked: {(question, part of the trace, place): [told]}"""
    for _ in range(rounds):
        for told in map(json.loads, bench.output("query", path, 1, 0, *question).splitlines()):
            asked.setdefault((told["question"], told["part"], told["place"]), []).append(told)


def first_times(asked):
    return {key: judge.measure([told["cold_ns"] / 1e9 for told in runs], "time") for key, runs in asked.items()}


def slowest_of(times, kind, most):
    """The keys that took longest, no two of one question."""
    found = {}
    for key in sorted(times, key=lambda key: -times[key]["value"]):
        if kind_of(key[0]) == kind:
            found.setdefault(key[0], key)
    return list(found.values())[:most]


def measure_questions(bench, path, rounds):
    """bench/query.c: what the page asks, in one process. What is new to the program counts, not what it kept."""
    bench.compile(["query"])
    asked = {}
    ask_rounds(bench, path, rounds, asked)
    # Of so many, some come out slow by chance: what did is asked as often again.
    for kind in ("window", "hidden", "range"):
        for question, _, _ in slowest_of(first_times(asked), kind, LIKELY):
            ask_rounds(bench, path, rounds, asked, question)
    first = first_times(asked)
    again = {key: statistics.median(told["ns"] / 1e9 for told in runs) for key, runs in asked.items()}
    slowest = {kind: slowest_of(first, kind, 1)[0] for kind in ("window", "hidden", "range")}
    # The same window with nothing hidden, of the same rounds.
    beside = ("window " + slowest["hidden"][0].split()[1], *slowest["hidden"][1:])
    cold = {key: [told["cold_ns"] / 1e9 for told in asked[key]] for key in (slowest["hidden"], beside)}
    hiding = first[("hiding", 1, 0)]["value"]
    sizes = [told["bytes"] for key, runs in asked.items() for told in runs if key[0].startswith("window")]
    measures = {"calls: window": first[slowest["window"]], "calls: range": first[slowest["range"]],
                "calls: window, hidden": first[slowest["hidden"]],
                "calls: window, hidden / all": judge.ratio(cold[slowest["hidden"]], cold[beside]),
                "calls: window bytes": judge.measure([max(sizes)], "size")}
    return measures, {"hiding_s": hiding, "slowest": {kind: "%s, %g of the trace" % key[:2] for kind, key in slowest.items()},
                      "first_s": {"%s, %g at %d" % key: round(one["value"], 6) for key, one in first.items()},
                      "again_s": {"%s, %g at %d" % key: round(seconds, 6) for key, seconds in again.items()}}
