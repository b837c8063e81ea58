#!/usr/bin/env python3
"""What top, tree and callers say in words, beside the numbers that they say it of.

    notes.py PROGRAM

Asks many questions as text and as JSON: hidden and dropped packages, ranges, chosen threads, recursion, each clock,
sampled and damaged traces. Every line that is no row of a table must fit a row of NOTES, whose function works out from
the JSON what it has to say; every heading must be in HEADINGS. A line that fits none fails, and so does a row of NOTES
that no question reached: a new sentence needs its row. Ends with "N passed, N failed".
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "support"))
from booked import booked_trace

DATA = os.path.join(ROOT, "tests", "data")
TIME = r"([\d.]+ (?:ns|µs|ms|s))"
NS_A_UNIT = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}


def ms(time_ns):
    """As src/base/numbers/shown_number.h has it."""
    if 0 < time_ns < 100_000:
        for places in range(4, 7):
            value = (time_ns * 10**places * 2 + 10**6) // (2 * 10**6)
            if value >= 100 or places == 6:
                text = "0.%0*d" % (places, value)
                while text.endswith("0") and len(text) > 5:
                    text = text[:-1]
                return text
    return "{:,}.{:03}".format(*divmod((time_ns + 500) // 1000, 1000))


def percent(part, whole):
    if not whole:
        return "-"
    tenths = int(1000 * part / whole + 0.5)
    return "<0.1" if part and not tenths else "%d.%d" % divmod(tenths, 10)


def ns_of(text):
    number, unit = text.split(" ")
    whole, _, part = number.partition(".")
    return int(whole) * NS_A_UNIT[unit] + int((part or "0").ljust(9, "0")) * NS_A_UNIT[unit] // 10**9


ANSWERS = {}


class Question:
    """A verb with its options, answered both ways."""

    def __init__(self, program, verb, options, path):
        self.program, self.verb, self.options, self.path = program, verb, options, path
        self.done = self.run(verb, options)
        self.answer = self.ask(verb, options)

    def run(self, verb, options):
        options = [re.sub(r"^%s$" % TIME, lambda time: time[1].replace(" ", ""), word) for word in options]
        words = [self.program, verb, *options, self.path]
        if verb == "callers":
            words = [self.program, verb, *options[1:], self.path, options[0]]
        return subprocess.run(words, capture_output=True, text=True, check=False,
                              env=dict(os.environ, LC_ALL="C.UTF-8", TERM="dumb"))

    def ask(self, verb, options):
        asked = (verb, *options, self.path)
        if asked not in ANSWERS:
            ANSWERS[asked] = self.ask_anew(verb, options)
        return ANSWERS[asked]

    def ask_anew(self, verb, options):
        done = self.run(verb, [*options, "--json"])
        return json.loads(done.stdout) if done.stdout.startswith("{") else None

    def value(self, option, default=None):
        return self.options[self.options.index(option) + 1] if option in self.options else default

    def without(self, *names):
        """The options but for these and their values."""
        kept = []
        rest = iter(self.options)
        for word in rest:
            if word in names:
                next(rest)
            else:
                kept.append(word)
        return kept

    @property
    def measure(self):
        return self.value("--clock", self.answer["clock"])

    def time(self, times):
        if self.measure == "wait":
            return max(0, times["wall_ns"] - times["cpu_ns"])
        return times[self.measure + "_ns"]

    def row_time(self, row, kind):
        return row["wait"][kind + "_ns"] if self.measure == "wait" else self.time(row[kind])

    @property
    def total(self):
        return self.time(self.answer["total"])

    def all_rows(self):
        """Of top, without a limit."""
        return self.ask("top", [*self.without("-n", "--percent-limit"), "-n", "0"])["methods"]

    @property
    def is_sampled(self):
        return self.answer["sampled"]

    def info(self):
        return self.ask("info", [])


def scope_of(question):
    """The options that say which part of the trace and which clock is asked about."""
    scope = []
    for option in ("--clock", "--thread", "--from", "--to"):
        if option in question.options:
            scope += [option, question.value(option)]
    return scope


def no_whole(question, why):
    """Why nothing is 100 %."""
    total = question.answer["total"]
    whole_ns = total["wall_ns"] - total["cpu_ns"] if question.measure == "wait" else question.total
    told = ("there is none" if question.measure != "wait" else "CPU time is as long as wall time" if whole_ns == 0
            else "CPU time is %s ms longer than wall time" % ms(-whole_ns))
    assert whole_ns <= 0 and why == told, "%d ns: %s" % (whole_ns, told)


def caption(question, found):
    clock, never_moves, begin, end, total, why, threads = found.groups()
    assert clock.lower() == question.measure, "clock %s" % question.measure
    if why:
        no_whole(question, why)
    else:
        assert total == ms(question.total), "100 %% is %d ns" % question.total
    assert bool(never_moves) == (question.path.endswith("idle-cpu.trace")), "the CPU clock"
    is_range = "--from" in question.options or "--to" in question.options
    assert bool(begin) == is_range, "a range"
    if is_range:
        wanted = ns_of(question.value("--from", "0 ns")), question.value("--to")
        assert ns_of(begin) == wanted[0], "from %d ns" % wanted[0]
        assert not wanted[1] or ns_of(end) == ns_of(wanted[1]), "to %s" % wanted[1]
    known = [thread["id"] for thread in question.info()["threads"]]
    chosen = [number for number in known if str(number) == question.value("--thread")]
    if chosen:
        assert threads == "%d thread%s" % (len(chosen), "" if len(chosen) == 1 else "s"), "threads %s" % chosen
    elif question.measure != "wait":
        assert threads == "all threads", "all threads"
    question.threads = (threads, len(known))
    # The roots of the threads have this time together.
    roots = question.ask("tree", [*scope_of(question), "--depth", "1", "--cut", "0", "-n", "0"])
    named = "--match" in question.options or "--focus" in question.options or "--root" in question.options
    if question.measure != "wait":
        found_ns = sum(question.time(node["inclusive"]) for node in roots["nodes"])
        assert found_ns == question.total or named, "root calls have %d ns" % found_ns


def idle(question, found):
    count, names = int(found[1]), found[2]
    threads, known = question.threads
    assert threads == "%d thread%s" % (known - count, "" if known - count == 1 else "s"), "%d idle of %d" % (count, known)
    told = [name for name in names.split(", ") if not name.endswith("and others")]
    assert (count > 3) == names.endswith("and others")
    for name, time in (re.fullmatch(r"(.*) ([\d,.]+) ms( and others)?", text).group(1, 2) for text in told):
        waits = [question.time(question.ask("top", [*scope_of(question), "--thread", str(thread["id"])])["total"])
                 for thread in question.info()["threads"] if thread["name"] == name]
        assert time in [ms(wait) for wait in waits], "%s waited %s" % (name, waits)


def unrecorded(question, found):
    """What came after the last records of threads with open calls, in part of the trace."""
    threads = question.info()["threads"]
    end = max(thread["last_ns"] for thread in threads)
    chosen = question.value("--thread")
    end = min(end, ns_of(question.value("--to"))) if question.value("--to") else end
    begin = ns_of(question.value("--from", "0 ns"))
    rests = [max(0, end - max(begin, thread["last_ns"])) for thread in threads if chosen in (None, str(thread["id"]))]
    assert question.measure == "wait" and 0 < ns_of(found[1].replace(",", "") + " ms") <= sum(rests), "%s of %s" % (found[1], rests)


def unrecorded_of_idle(question, found):
    """What came after the last records of threads that are left out."""
    waits = [(thread["wait_ns"], thread.get("unrecorded_ns", 0)) for thread in question.answer["idle"]]
    sums = [sum(column) for column in zip(*waits)]
    assert found[1] == ms(sums[1]) and sums[1] >= sums[0] / 100, "%s of %s" % (found[1], waits)


def nothing(question, found):
    assert (found[0] == "no runs") == question.is_sampled
    assert not question.answer["methods" if question.verb == "top" else "nodes"], "there are some"


def hidden(question, found):
    shown = sum(question.row_time(row, "exclusive") for row in
                question.ask("top", [*question.without("-n", "--match", "--drop", "--percent-limit"), "-n", "0"])["methods"])
    rest = question.total - shown
    assert found.groups() == (ms(rest), percent(rest, question.total)), "%d ns" % rest


def set_of_all(question, found):
    rows = [row for row in question.all_rows() if not is_small(question, row)]
    calls = sum(row["calls"] + row["recursive_calls"] for row in rows)
    outer = sum(row["calls"] for row in rows)
    exclusive = sum(question.row_time(row, "exclusive") for row in rows)
    if question.measure == "wait":  # two clocks tick apart, so waits need not add up
        exclusive = question.row_time(question.answer["set"], "exclusive")
    inclusive = question.row_time(question.answer["set"], "inclusive")
    largest = max(question.row_time(row, "inclusive") for row in rows)
    word = "runs" if question.is_sampled else "calls"
    assert int(found[1].replace(",", "")) == len(rows), "%d rows" % len(rows)
    assert found[2] == "{:,}".format(calls), "%d calls, %d outermost" % (calls, outer)
    assert (found[3], found[8]) == (word, word), word
    assert (found[4], found[5]) == (ms(exclusive), percent(exclusive, question.total)), "exclusive %d ns" % exclusive
    assert (found[6], found[7]) == (ms(inclusive), percent(inclusive, question.total)), "inclusive %d ns" % inclusive
    assert largest <= inclusive <= min(sum(question.row_time(row, "inclusive") for row in rows), question.total)


def more_rows(question, found):
    rows = [row for row in question.all_rows() if not is_small(question, row)]
    rest = len(rows) - int(question.value("-n", "20"))
    assert found[1] == "{:,}".format(rest), "%d more" % rest


def is_small(question, row):
    share = float(question.value("--percent-limit", "0")) / 100
    kind = "inclusive" if question.value("--sort") == "inclusive" else "exclusive"
    return question.row_time(row, kind) < share * question.total


def small_rows(question, found):
    count = sum(is_small(question, row) for row in question.all_rows())
    assert found[1] == "{:,}".format(count), "%d are small" % count


def record_cost(question, found):
    rows = question.answer["methods"]
    assert found[1] == "50.0" and found[2], "clock-call-overhead-nsec=50"
    assert found[3], "there are short leaf calls"
    ratio = float(found[3]) / float(found[1])
    assert any(abs(row["overhead_most_ns"] / row["overhead_ns"] / ratio - 1) < 0.001 for row in rows), "margin %f" % ratio


def parted_record_cost(question, found):
    """A row's tracing is so much for each of its calls and so much for each that they made, unless that is more than its time."""
    leaf, calling = int(found[1]), int(found[2])
    assert (leaf, calling) == (30, 8), "the file's parts"
    for row in question.answer["methods"]:
        rest = row["overhead_ns"] - leaf * (row["calls"] + row["recursive_calls"])
        assert row["overhead_ns"] == row["exclusive"]["cpu_ns"] or (rest >= 0 and rest % calling == 0), row


def no_record_cost(question, found):
    assert found and not any("overhead_ns" in row for row in question.answer["methods"]), "a row has it"


def nodes_of(nodes, level=0):
    for node in nodes:
        yield level, node
        yield from nodes_of(node.get("children", ()), level + 1)


def largest_nodes(question, found):
    count = int(question.value("-n", "1000"))
    assert found[1] == "{:,}".format(count)
    rows = [line for line in table_of(question.done.stdout, "Method") if not line.strip().startswith("(")]
    assert len(rows) == count, "%d rows" % len(rows)


def deeper(question, found):
    assert found[1] == ("more callers" if "--inverted" in question.options else "deeper calls")
    depth = int(question.value("--depth", "12"))
    assert any(level + 1 == depth and node["has_children"] for level, node in nodes_of(question.answer["nodes"]))


def whole_of_method(question, found):
    inclusive = question.row_time(question.answer["method"], "inclusive")
    assert found[1] == ms(inclusive), "%d ns" % inclusive


def no_whole_of_method(question, _):
    inclusive = question.row_time(question.answer["method"], "inclusive")
    assert inclusive == 0, "%d ns" % inclusive


def left_out_nodes(question, found):
    """The rows of a tree that tell how many siblings are left out: all of them together."""
    if getattr(question, "has_told_nodes", False):
        return
    question.has_told_nodes = True
    told = sum(int(number) for number in re.findall(r"\((?:(\d+) more)", question.done.stdout))
    dropped = sum(int(number) for number in re.findall(r"(\d+) left out by --drop\)", question.done.stdout))
    by_json = [node.get("more", 0) for _, node in nodes_of(question.answer["nodes"])]
    assert told + dropped >= 1 and found[0]
    is_limited = "largest nodes" in question.done.stdout
    assert (" below the cut" in found[0]) == (not is_limited and " more" in found[0]), "by which limit"
    assert told + dropped == sum(by_json) + question.answer.get("more", 0), "%d in JSON" % sum(by_json)


def left_out_relations(question, found):
    every = question.ask("callers", question.without("--match", "--drop", "--percent-limit"))
    for group, title in (("callers", "Callers"), ("callees", "Callees")):
        rows = table_of(question.done.stdout, title)
        shown = [row for row in rows if "left out)" not in row and not row.endswith("(self)")]
        told = sum(int(number) for row in rows for number in re.findall(r"\((\d+) left out\)", row))
        if rows:
            assert len(shown) + told == len(every[group]), "%d %s" % (len(every[group]), group)


def finding(question, found):
    kinds = {row["kind"]: row["count"] for row in question.ask("check", [])["findings"]}
    assert kinds.get(found[1]) == int(found[2]), kinds


def overflow(question, found):
    assert question.path.endswith("full.trace")
    assert found.groups() == ("50.0", "1"), "half of the run"


def sampled(question, found):
    assert question.is_sampled and found[0]
    assert bool(found[1]) == question.answer.get("cpu_is_of_before", False)


def stayed(question, found):
    rows = question.all_rows()
    sum_ns = sum(row["stayed_ns"] for row in rows)
    assert all(row["stayed_ns"] <= row["exclusive"]["cpu_ns"] for row in rows), "more than there is"
    assert found.groups() == (ms(sum_ns), ms(question.total), percent(sum_ns, question.total)), "%d ns" % sum_ns
    assert sum_ns, "nothing to tell"


def allocated(question, found):
    assert found and all(row["allocated_bytes"] <= row["allocated_bytes_with_callees"] for row in question.all_rows())
    assert any(row["allocated_bytes"] for row in question.all_rows()), "nothing to tell"


def not_allocated(question, found):
    assert found and not any("allocated_bytes" in row for row in question.answer["methods"]), "a row has it"


def not_stayed(question, found):
    assert found and not any("stayed_ns" in row for row in question.answer["methods"]), "a row has it"


def letter_case(question, found):
    assert not question.answer["methods"] and found[1] == question.value("--match")
    folded = question.ask("top", ["--match", found[1].lower(), "-n", "0"])
    assert int(found[2]) == len(folded["methods"])


NOTES = [
    (r"(Wall|CPU|Wait) time( \(the CPU clock of this trace never moves\))?(?: from %s to %s)?; "
     r"(?:100 %% is ([\d,.]+) ms,|no percentages, since (.*) in) the root calls of (all threads|\d+ threads?)" % (TIME, TIME), caption),
    (r"without (\d+) that only waited: (.*); --idle counts them", idle),
    (r"([\d,.]+) ms of theirs after their last records, where nothing tells work from waiting", unrecorded_of_idle),
    (r"([\d,.]+) ms of that after the last records of threads, where nothing tells work from waiting", unrecorded),
    (r"no (?:calls|runs)", nothing),
    (r"and ([\d,.]+) ms \(([\d.<]+) %\) in hidden methods that no shown method called", hidden),
    (r"all ([\d,]+) methods: ([\d,]+) (calls|runs), exclusive ([\d,.]+) ms \((\S+) %\), inclusive ([\d,.]+) ms \((\S+) %\), "
     r"(calls|runs) inside one another counted once", set_of_all),
    (r"and ([\d,]+) more: -n 0 shows all", more_rows),
    (r"and ([\d,]+) below the limit", small_rows),
    (r"Tracing is an estimate: ([\d.]+) ns a record by the file(, for reading the clocks alone)?"
     r"(?:; the shortest leaf calls take ([\d.]+) ns)?", record_cost),
    (r"Tracing is an estimate: (\d+) ns a call and (\d+) ns a call that it makes by the file", parted_record_cost),
    (r"the file does not say what a record of a call cost", no_record_cost),
    (r"the ([\d,]+) largest nodes: -n 0 shows all", largest_nodes),
    (r"and (more callers|deeper calls): --depth shows more levels, --depth 0 all", deeper),
    (r"100 % below is the method's inclusive time, ([\d,.]+) ms", whole_of_method),
    (r"No percentages below, since the method's inclusive time is 0", no_whole_of_method),
    (r" *\(\d+ more(?: below the cut)?(?:, \d+ left out by --drop)?\)| *\(\d+ left out by --drop\)", left_out_nodes),
    (r" *[\d,.]+ +(?:\S+ +)?[\d,]+ +\(\d+ left out\)", left_out_relations),
    (r"traceview: \S+: (?:note|numbers affected|data lost|\w[\w ]*) \((\w+), (\d+)\): .*", finding),
    (r"traceview: \S+: ([\d.]+) % of the run is missing; at its average rate until then, a buffer of (\d+) MiB would have held it", overflow),
    (r"traceview: \S+: looks sampled: call counts are runs of samples, not calls(; CPU time is booked to what ran before, wall time is not)?", sampled),
    (r"Stayed: ([\d,.]+) of ([\d,.]+) ms of CPU time \((\S+) %\) are of stacks that stayed from look to look; the rest may be of the "
     r"method that came next\. --clock wall is true to a look", stayed),
    (r"kB are of the whole recording, by a sample of what was allocated", allocated),
    (r"the file does not say what methods allocated: record --alloc", not_allocated),
    (r"What CPU time stayed is told of whole sampled traces of other recorders alone: without --from, --to and --hide",
     not_stayed),
    (r"traceview: \S+: no method has '(.*)' in its name, but (\d+) would without regard to case: a capital letter makes "
     r"case count", letter_case),
]
HEADINGS = {"Alloc kB", "Incl alloc kB", "Excl ms", "Incl ms", "%", "Incl wall ms", "Calls", "Runs", "Method", "Method, below it its callers",
            "Mean ms", "Min ms", "p50 ms", "p95 ms", "Max ms", "Tracing ms", "Margin ms", "Net ms", "Stayed ms", "Cum %", "Calls/of",
            "Runs/of", "Callers", "Callees", "Callers while recursive", "Callees while recursive"}


def is_heading(line):
    return all(cell in HEADINGS for cell in re.split(r"  +", line.strip()))


def table_of(text, last_heading):
    """The rows below the heading that ends so."""
    rows = []
    is_in = False
    for line in text.split("\n"):
        if is_heading(line) and line.strip():
            is_in = re.split(r"  +", line.strip())[-1].startswith(last_heading)
            is_in = is_in and (last_heading == "Method" or line.endswith(last_heading))
        elif not line:
            is_in = False
        elif is_in:
            rows.append(line)
    return rows


def check_rows(question):
    """What stands below each heading of top and callers."""
    lines = question.done.stdout.split("\n")
    headings = next((re.split(r"  +", line.strip()) for line in lines if line.strip() and is_heading(line)), None)
    if question.verb == "tree" or not headings:
        return
    rows = question.answer["methods"] if question.verb == "top" else [question.answer["method"]]
    word = "Runs" if question.is_sampled else "Calls"
    assert word in headings or "--columns" in question.options, "no %s" % word
    for line, row in zip(table_of(question.done.stdout, "Method"), rows, strict=True):
        cells = dict(zip(headings, re.split(r"  +", line.strip())))
        inclusive, exclusive = (question.row_time(row, kind) for kind in ("inclusive", "exclusive"))
        calls = row["calls"] + row["recursive_calls"]
        wanted = {"Excl ms": ms(exclusive), "Incl ms": ms(inclusive), "Incl wall ms": ms(row["inclusive"].get("wall_ns", 0)),
                  word: "{:,}".format(row["calls"]) + ("+{:,}".format(row["recursive_calls"]) if row["recursive_calls"] else "")}
        for heading, value in wanted.items():
            assert cells.get(heading, value) == value, "%s is %s of %s" % (heading, value, row)
        shares = [cell for heading, cell in zip(headings, re.split(r"  +", line.strip())) if heading == "%"]
        if len(shares) == 2:
            assert shares == [percent(exclusive, question.total), percent(inclusive, question.total)], row
        assert calls or inclusive or exclusive or question.verb == "callers", row


RECIPES = "recipes.trace.zst"
PARTS = ([], ["--clock", "wall"], ["--clock", "wait"], ["--thread", "1"], ["--from", "300 ms", "--to", "500.0004 ms"],
         ["--hide", "java."], ["--hide", "com.", "--clock", "wall"], ["--thread", "1", "--from", "500 us"],
         ["--drop", "java.,sun.,jdk."], ["--hide", "java.lang.", "--thread", "1", "--from", "100 ms", "--to", "200 ms"])
OF_TOP = ([], ["-n", "3"], ["--match", "RecipeApp", "-n", "0"], ["--percent-limit", "2"], ["--overhead", "-n", "5"],
          ["--sort", "inclusive", "--percent-limit", "5", "-n", "2"], ["--per-call", "-n", "2"], ["--match", "reCIPE"])
OF_TREE = ([], ["--depth", "3", "--cut", "0"], ["--inverted", "--depth", "2"], ["-n", "20", "--depth", "3"])
OF_CALLERS = (["RecipeApp.fib"], ["Looper.loop"], ["String.charAt", "--match", "Recipe"],
              ["String.charAt", "--percent-limit", "5"])


def full_trace():
    """A buffer that was full after half of the run."""
    head = (b"*version\n2\ndata-file-overflow=true\nclock=wall\nelapsed-time-usec=1000000\n*threads\n1\tmain\n*methods\n"
            b"0x4\ta.B\tfoo\t()V\tB.java\n*end\n")
    records = [struct.pack("<HII", 1, 4 | i % 2, i * 500_000 // 99) for i in range(100)]
    return head + b"SLOW" + struct.pack("<HHQ", 2, 16, 0) + b"".join(records)


def questions(folder):
    for part in PARTS:
        yield from (("top", [*part, *more], RECIPES) for more in OF_TOP if not ("wait" in part and set(more) & {
            "--per-call", "--overhead"}))
        yield from (("tree", [*part, *more], RECIPES) for more in OF_TREE)
        yield from (("callers", [more[0], *part, *more[1:]], RECIPES) for more in OF_CALLERS)
    yield "top", ["--clock", "wait", "--idle"], RECIPES
    yield "callers", ["Object.wait", "--clock", "wait", "--idle"], RECIPES
    full = os.path.join(folder, "full.trace")
    with open(full, "wb") as file:
        file.write(full_trace())
    yield "top", ["--overhead"], full
    parted = os.path.join(folder, "parted.trace")
    with open(os.path.join(DATA, "made", "v3-dual.trace"), "rb") as dual, open(parted, "wb") as file:
        file.write(dual.read().replace(b"vm=", b"record-call-overhead-nsec=40\nrecord-leaf-overhead-nsec=30\n"
                                       b"record-calling-overhead-nsec=8\nvm=", 1))
    yield "top", ["--overhead", "-n", "0"], parted
    sampled_trace = os.path.join(folder, "sampled.trace")
    with open(os.path.join(DATA, "made", "v3-dual.trace"), "rb") as dual, open(sampled_trace, "wb") as file:
        file.write(dual.read().replace(b"vm=", b"sampling-interval-usec=1000\nvm=", 1))
    for part in ([], ["--match", "C4"], ["--from", "0.1 us", "--to", "0.2 us"], ["--match", "no.such.method"]):
        yield "top", part, sampled_trace
        yield "tree", part, sampled_trace
    yield "callers", ["C4.run19"], sampled_trace
    counted = os.path.join(folder, "counted.trace")
    with open(os.path.join(DATA, "made", "v3-dual.trace"), "rb") as dual, open(counted, "wb") as file:
        file.write(dual.read().replace(b"*threads\n", b"allocated-bytes=65536;0x4:1000:2000;0x8:1:1\n*threads\n", 1))
    for part in ([], ["--clock", "wall", "-n", "3"], ["--columns", "calls,alloc"]):
        yield "top", part, counted
    yield "top", ["--columns", "+alloc", "-n", "1"], os.path.join("made", "v3-dual.trace")
    booked = os.path.join(folder, "booked.trace")
    with open(booked, "wb") as file:
        file.write(booked_trace())
    for part in ([], ["-n", "1"], ["--clock", "wall"], ["--from", "1 ms", "--columns", "excl,stayed"],
                 ["--columns", "stayed", "--hide", "a."]):
        yield "top", part, booked
    yield "tree", [], booked
    for part in ([], ["-n", "3"], ["--clock", "wall"]):
        yield "top", part, "idle-cpu.trace"
        yield "tree", part, "idle-cpu.trace"
    yield "top", ["--from", "0.1 us", "--to", "0.2 us"], RECIPES
    yield "tree", ["--from", "0.1 us", "--to", "0.2 us"], RECIPES
    for name in sorted(os.listdir(os.path.join(DATA, "made"))):
        if name.endswith(".trace"):
            yield "top", ["-n", "2"], os.path.join("made", name)
            yield "tree", ["--depth", "2"], os.path.join("made", name)


def check(question, reached):
    """Faults of all lines of an answer."""
    if question.done.returncode not in (0, 3) or question.answer is None:
        return [] if question.done.returncode == 1 and question.done.stderr.count("\n") == 1 else [question.done.stderr]
    faults = []
    is_table = False
    for line in question.done.stdout.split("\n") + question.done.stderr.split("\n"):
        if line and is_heading(line):
            is_table = True
            continue
        is_table = is_table and bool(line)
        note = next(((pattern, say) for pattern, say in NOTES if re.fullmatch(pattern, line)), None)
        if line and not note and not is_table:
            faults.append("no row of NOTES has: %s" % line)
        if not note:
            continue
        reached.add(note[0])
        try:
            note[1](question, re.fullmatch(note[0], line))
        except (AssertionError, KeyError, TypeError, ValueError) as fault:
            faults.append("%s: %r" % (line, fault))
    try:
        check_rows(question)
    except (AssertionError, ValueError) as fault:
        faults.append("a row: %r" % fault)
    return faults


def main():
    program = os.path.abspath(sys.argv[1])
    reached = set()
    with tempfile.TemporaryDirectory() as folder:
        # Most questions are about this trace: it is read once. That answers by a saved index are the same is tests/acceptance/saved.py's.
        os.environ["XDG_CACHE_HOME"] = folder
        subprocess.run([program, "index", os.path.join(DATA, RECIPES)], stdout=subprocess.DEVNULL, check=True)
        passed, failed = ask_all(program, folder, reached)
    for pattern, _ in NOTES:
        passed, failed = passed + (pattern in reached), failed + (pattern not in reached)
        if pattern not in reached:
            print("FAILED: no question reached %s" % pattern)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


def ask_all(program, folder, reached):
    passed = failed = 0
    for verb, options, name in questions(folder):
        question = Question(program, verb, options, os.path.join(DATA, name))
        faults = check(question, reached)
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults:
            print("FAILED: %s %s of %s: %s" % (verb, " ".join(options), name, fault))
    return passed, failed


if __name__ == "__main__":
    sys.exit(main())
