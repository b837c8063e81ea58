#!/usr/bin/env python3
"""What `diff` writes for other programs, of names that would be something else there.

    compare_formats.py PROGRAM

Each payload is the name of a class, a method and a signature that are new. No name may make a row, a tag, a test case, a
result or a line, and each stands in the answer once. Ends with "N passed, N failed".
"""

import html.parser
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

PAYLOADS = [
    b"a | b \\| c", b"`code` ```", b"<script>alert(1)</script>", b"]]>", b"--><b>", b"line\nend", b"line\r\n\r\n# heading",
    b"\n::error file=a::b", b"@team a@b.example", b"</code></td></tr></table>", b"</testcase><testcase name=\"forged\">",
    b"\"/><failure message=\"forged\"", b"\x1b[31mred\x1b[0m", b"\xc2\x9b2J", b"\xff\xfe not text", b"\xed\xa0\x80",
    b"\xe2\x80\xaereversed", b"\xef\xbf\xbe", b"&amp;&#10;&lt;", b"{0}[link](1)", b"\", \"forged\": \"", b"\\", b"'", b"***", b"~~~",
    b"</details>", b"\x00nul", b"http://a.example/",
]


class Failed(Exception):
    pass


def expect(is_true, what):
    if not is_true:
        raise Failed(what)


SUMMARY = b"*version\n3\nclock=dual\n*threads\n*methods\n*end\n"
END = struct.pack("<HBI", 0, 3, len(SUMMARY)) + SUMMARY  # of a stream that was finished


def stream_of(names, cost=100, source=b"A.java", signature=None):
    """A stream in which the main thread calls a method of each name, of that source, once; docs/formats/stream.md."""
    out = struct.pack("<4sHHQH", b"SLOW", 0xF3, 32, 0, 14).ljust(32, b"\0") + struct.pack("<HBHH", 0, 2, 1, 4) + b"main"
    at = 0
    for i, name in enumerate(names):
        line = b"0x%x\t%s\t%s\t%s\t%s\n" % (4 * i + 4, name, name, signature or b"(%s)V" % name, source)
        out += struct.pack("<HBH", 0, 1, len(line)) + line
        out += struct.pack("<HIII", 1, 4 * i + 4, at, at) + struct.pack("<HIII", 1, 4 * i + 5, at + cost, at + cost)
        at += cost
    return out + END


def nested_stream(name):
    """A thread of that name, on which a method of that name calls Callee."""
    out = struct.pack("<4sHHQH", b"SLOW", 0xF3, 32, 0, 14).ljust(32, b"\0")
    out += struct.pack("<HBHH", 0, 2, 1, len(name)) + name
    for i, one in enumerate((name, b"Callee")):
        line = b"0x%x\t%s\t%s\t()V\tA.java\n" % (4 * i + 4, one, one)
        out += struct.pack("<HBH", 0, 1, len(line)) + line
    for method, at in ((4, 0), (8, 10), (9, 60), (5, 100)):
        out += struct.pack("<HIII", 1, method, at, at)
    return out + END


def slow_stream(name, last_us):
    """A thread and a method of that name, which is called fourteen times, 2 ms each but for the last."""
    out = struct.pack("<4sHHQH", b"SLOW", 0xF3, 32, 0, 14).ljust(32, b"\0")
    out += struct.pack("<HBHH", 0, 2, 1, len(name)) + name
    line = b"0x4\t%s\t%s\t()V\tA.java\n" % (name, name)
    out += struct.pack("<HBH", 0, 1, len(line)) + line
    at = 0
    for took in [2000] * 13 + [last_us]:
        out += struct.pack("<HIII", 1, 4, at, at) + struct.pack("<HIII", 1, 5, at + took, at + took)
        at += took + 10
    return out + END


def tree_stream(calls, name=b"app"):
    """A stream of nested calls, [method, [calls...]]; each class and each method has the name in its own."""
    out = struct.pack("<4sHHQH", b"SLOW", 0xF3, 32, 0, 14).ljust(32, b"\0") + struct.pack("<HBHH", 0, 2, 1, 4) + b"main"
    ids, records, at = {}, [], 0

    def write(method, inner):
        nonlocal at
        if method not in ids:
            ids[method] = 4 * len(ids) + 4
            line = b"0x%x\t%s.%s\t%s%s\t()V\tA.java\n" % (ids[method], name, method, method, name)
            records.append(struct.pack("<HBH", 0, 1, len(line)) + line)
        records.append(struct.pack("<HIII", 1, ids[method], at, at))
        for call in inner:
            write(*call)
        at += 1000
        records.append(struct.pack("<HIII", 1, ids[method] + 1, at, at))

    for call in calls:
        write(*call)
    return out + b"".join(records) + END


def moved_sides(name=b"app"):
    """Old and new: of five calls of Load, which calls Parse, three go from Show to Fill, and Log is called once more."""
    load = [b"Load", [[b"Parse", []]]]
    return [tree_stream([[b"Run", [[b"Show", [load] * show], [b"Fill", [load] * (5 - show)]] + [[b"Log", []]] * logs]], name)
            for show, logs in ((4, 1), (1, 2))]


class Page(html.parser.HTMLParser):
    """The tags and the texts of <code> of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.codes, self.rows, self.is_code = set(), [], 0, False

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        expect(not attrs or attrs == [("align", "right")], "attributes %r" % attrs)
        self.rows += tag == "tr"
        self.is_code = tag == "code"
        if self.is_code:
            self.codes.append("")

    def handle_endtag(self, tag):
        self.is_code = False

    def handle_data(self, data):
        if self.is_code:
            self.codes[-1] += data

    def handle_comment(self, data):
        raise Failed("a comment")

    handle_decl = handle_pi = unknown_decl = handle_comment


class Report(html.parser.HTMLParser):
    """The tags and the attributes of a page, how many pictures it has, and the boxes in them that the other side lacks."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.pictures, self.boxes = set(), set(), 0, 0

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.pictures += tag == "svg"
        self.boxes += dict(attrs).get("class") in ("added", "lost")

    def handle_comment(self, data):
        raise Failed("a comment")


class Formats:
    def __init__(self, program, folder):
        self.program, self.folder = os.path.abspath(program), folder
        self.names = [b"Same", *PAYLOADS]
        self.old = [self.write("old%d.trace" % i, [b"Same"]) for i in range(2)]
        self.new = [self.write("new%d.trace" % i, self.names) for i in range(2)]

    def write(self, name, names, cost=100):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(stream_of(names, cost))
        return path

    def diff(self, form, *words, status=0):
        done = subprocess.run([self.program, "diff", "--as", form, "-n", "0", *words], capture_output=True, check=False,
                              env={**os.environ, "TRACEVIEW_CACHE_SIZE": "0"})
        expect(done.returncode == status, (done.returncode, done.stderr))
        text = done.stdout.decode("utf-8")  # which fails where it is no UTF-8
        expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), "a control character")
        return text

    def methods(self):
        """The names of the methods of the new side, as JSON has them: the truth that formats are compared with."""
        told = json.loads(self.diff("json", self.old[0], self.new[0]))
        names = [row["method"] for row in told["calls"]]
        expect(len(names) == len(PAYLOADS), "%d of %d methods are there: %r" % (len(names), len(PAYLOADS), names))
        return names

    def test_every_name_of_markdown_is_a_cell(self):
        text = self.diff("markdown", self.old[0], self.new[0])
        page = Page()
        page.feed(text)
        page.close()
        expect(page.tags <= {"table", "tr", "th", "td", "p", "b", "code", "details", "summary"}, page.tags)
        # A head and a row for each method, in two tables a list; and the sides. The only thread is not told.
        expect(page.rows == 3 + 2 * (2 + len(PAYLOADS)), "%d rows" % page.rows)
        # Two files, and each method in both lists.
        expect(len(page.codes) == 2 + 2 * len(PAYLOADS), "%d names" % len(page.codes))
        for line in text.splitlines():
            expect(line == "" or line.startswith("<") or line == "### What changed", "a line %r" % line)
        for code in page.codes[2:]:
            expect("\n" not in code, code)
        inside = False
        for line in text.splitlines():
            inside = (inside or line.startswith(("<table", "<details"))) and line not in ("</table>", "</details>")
            expect(line or not inside, "an empty line ends a table")

    def test_five_rows_stand_open_and_the_rest_is_folded(self):
        text = self.diff("markdown", self.old[0], self.new[0])
        first = text.index("<details>")
        expect(text[text.index("Calls: "):first].count("<tr><td") == 5, "not five")
        expect("<summary>%d more</summary>" % (len(PAYLOADS) - 5) in text, "no rest")

    def test_every_name_of_junit_is_an_attribute(self):
        text = self.diff("junit", self.old[0], self.new[0])
        root = xml.etree.ElementTree.fromstring(text.encode())
        expect(root.tag == "testsuites" and [suite.get("name") for suite in root] == ["calls", "time"], "suites")
        for suite in root:
            cases = suite.findall("testcase")
            expect(len(cases) == int(suite.get("tests")), "%s cases" % suite.get("tests"))
            for key, tag in (("failures", "failure"), ("skipped", "skipped"), ("errors", "error")):
                expect(len(suite.findall("*/" + tag)) == int(suite.get(key)), key)
        calls = root[0].findall("testcase")
        expect(len(calls) == len(PAYLOADS) + 1 and root[0].get("failures") == str(len(PAYLOADS)), "a case for each")
        expect(all(case.get("name") != "forged" and set(case.attrib) == {"classname", "name"} for case in calls), "forged")
        expect({element.tag for element in root.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "skipped",
                                                            "system-out"}, "tags")
        expect([case.get("name") for case in calls[1:]].count("all methods") == 0, "the summary is forged")
        # One sample decides nothing, so no time is a failure.
        expect(root[1].get("failures") == "0" and root[1].get("skipped") == "1", "samples")
        expect(all(line.startswith(("<", " ")) and line.strip().startswith("<") for line in text.splitlines()), "lines")

    def test_every_name_of_sarif_is_a_location(self):
        """Required by SARIF 2.1.0: version and runs (3.13), tool (3.14.6), driver (3.18.2), name (3.19.8), id of a rule
        (3.49.3), message of a result (3.27.11) with a text or an id (3.11.2), executionSuccessful of an invocation (3.20.14),
        message of a notification (3.58.5). Asked for: ruleIndex within the rules (3.27.6); a level other than none only with
        the kind fail (3.27.10)."""
        names = self.methods()
        text = self.diff("sarif", self.old[0], self.new[0])
        log = json.loads(text)
        expect(text.count("\n") == 1, "lines")
        expect(log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json"), "version")
        expect(len(log["runs"]) == 1, "runs")
        run = log["runs"][0]
        rules = run["tool"]["driver"]["rules"]
        expect(run["tool"]["driver"]["name"] and all(rule["id"] for rule in rules), "tool")
        for one in run["invocations"]:
            expect(one["executionSuccessful"] is True, "invocation")
            expect(all(note["message"]["text"] for note in one["toolExecutionNotifications"]), "notes")
        for result in run["results"]:
            expect(set(result) == {"ruleId", "ruleIndex", "kind", "level", "message", "locations"}, result)
            expect(rules[result["ruleIndex"]]["id"] == result["ruleId"], "ruleIndex")
            expect((result["kind"] == "fail") == (result["level"] != "none"), "level")
            expect(set(result["message"]) == {"text"} and "[" not in result["message"]["text"], "a link in a message")
        places = [result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] for result in run["results"]]
        expect(places == names, "names")

    def test_json_is_the_same_by_both_options(self):
        done = subprocess.run([self.program, "diff", "--json", "-n", "0", self.old[0], self.new[0]], capture_output=True, check=True)
        expect(done.stdout.decode() == self.diff("json", self.old[0], self.new[0]), "json")

    def test_what_was_tested_fails_or_is_skipped(self):
        slow = [self.write("slow%d.trace" % i, [b"Same", b"Other"], 8000 + 10 * i) for i in range(3)]
        fast = [self.write("fast%d.trace" % i, [b"Same", b"Other"], 2000 + 10 * i) for i in range(3)]
        shaky = [self.write("shaky%d.trace" % i, [b"Same", b"Other"], 1500 + 1500 * i) for i in range(3)]
        root = xml.etree.ElementTree.fromstring(self.diff("junit", "--old", *fast, "--new", *slow))
        expect([root[1].get(key) for key in ("tests", "failures", "skipped")] == ["3", "2", "0"], root[1].attrib)
        expect("became" in root[1].find("*/failure").get("message"), "message")
        log = json.loads(self.diff("sarif", "--old", *fast, "--new", *slow))
        expect([one["ruleId"] for one in log["runs"][0]["results"]] == ["time-changed"] * 2, "results")
        root = xml.etree.ElementTree.fromstring(self.diff("junit", "--old", *fast, "--new", *shaky))
        expect([root[1].get(key) for key in ("tests", "failures", "skipped")] == ["3", "0", "2"], root[1].attrib)
        log = json.loads(self.diff("sarif", "--old", *fast, "--new", *shaky))
        expect([(one["ruleId"], one["kind"], one["level"]) for one in log["runs"][0]["results"]]
               == [("time-undecided", "open", "none")] * 2, "open")
        page = self.diff("markdown", "--old", *fast, "--new", *shaky)
        expect("Undecided, those" in page and "Runs to decide" in page, "undecided")

    def test_times_of_different_processors_decide_nothing(self):
        """They are listed, no format has a failure of them, and a growth has no data; counts and limits are judged."""
        def of(name, cost, processor):
            path = self.write(name, [b"Same", b"Other"], cost)
            with open(path, "rb") as file:
                content = file.read()
            text = b"*version\n3\nclock=dual\n" + (b"processor=%s\n" % processor if processor else b"") + b"*end\n"
            with open(path, "wb") as file:
                file.write(content[:-len(END)] + struct.pack("<HBI", 0, 3, len(text)) + text)
            return path
        fast = [of("fast%d.trace" % i, 2000 + 10 * i, b"A <b>@team") for i in range(2)]
        slow = [of("slow%d.trace" % i, 8000 + 10 * i, b"B") for i in range(2)]
        same = [of("same%d.trace" % i, 8000 + 10 * i, b"A <b>@team") for i in range(2)]
        mute = [of("mute%d.trace" % i, 8000 + 10 * i, b"") for i in range(2)]
        rules = os.path.join(self.folder, "growth.rules")
        with open(rules, "w", encoding="utf-8") as file:
            file.write("time of Same.Same grows <= 10 % and 1 ms\ncalls of Same.Same in 1\ntime of Same.Same <= 9 ms\n")
        sides = ["--old", *fast, "--new"]
        told = json.loads(self.diff("json", *sides, *slow))
        expect(told["other_processors"] and "time_verdicts" not in told and "one_sample" not in told, told)
        expect([row["verdict"] for row in told["times"]] == ["undecided"] * 2, told["times"])
        expect("Inclusive time is of different processors, and decides nothing" in self.text(*sides, *slow), "text")
        root = xml.etree.ElementTree.fromstring(self.diff("junit", *sides, *slow))
        expect([root[1].get(key) for key in ("failures", "skipped")] == ["0", "1"], root[1].attrib)
        judged = json.loads(self.diff("json", "--rules", rules, *sides, *slow, status=3))["rules"]
        expect([rule["state"] for rule in judged] == ["no data", "kept", "kept"] and "different processors" in judged[0]["why"], judged)
        for words in (["--across-machines", *sides, *slow], [*sides, *same], [*sides, *mute]):
            told = json.loads(self.diff("json", *words))
            expect(told["time_verdicts"]["changed"] == 2 and "other_processors" not in told, words)
        for files, is_told in (([*fast, *slow], True), ([*fast, *same], False)):
            run = lambda *words: subprocess.run([self.program, "trend", *words, *files], capture_output=True, check=True).stdout.decode()
            expect(("other_processors" in json.loads(run("--json"))) == is_told, files)
            expect(("different processors: steps of time may be theirs" in run()) == is_told, run())
        one = json.loads(self.diff("json", fast[0], slow[0]))
        expect(one["one_sample"] and one["other_processors"], one)

    def test_times_of_what_lost_data_decide_nothing(self):
        """They are listed, no format has a failure of them; of rules only a limit that is broken all the same is judged."""
        def of(name, cost, cut=0):
            path = self.write(name, [b"Same", b"Other"], cost)
            with open(path, "rb") as file:
                content = file.read()
            with open(path, "wb") as file:
                file.write(content[:len(content) - len(END) - cut] if cut else content)
            return path
        whole = [of("whole%d.trace" % i, 2000 + 10 * i) for i in range(2)]
        slow = [of("slow%d.trace" % i, 8000 + 10 * i) for i in range(2)]
        lost = [of("lost%d.trace" % i, 8000 + 10 * i, 3 * i) for i in range(2)]
        rules = os.path.join(self.folder, "lost.rules")
        with open(rules, "w", encoding="utf-8") as file:
            file.write("time of Same.Same <= 9 ms\ntime of Same.Same <= 1 ms\ntime of Same.Same grows <= 900 % and 1 ms\n"
                       "time of Same.Same grows <= 10 % and 1 ms\np95 of Same.Same <= 1 ms\n")
        why = "has lost data (truncated_record), so its times are not those of the program"
        for old, new, states in ((whole, slow, ["kept", "broken", "kept", "broken", "broken"]),
                                 (whole, lost, ["no data", "broken", "no data", "broken", "no data"]),
                                 (lost, whole, ["kept", "broken", "no data", "no data", "broken"])):
            is_lost = lost in (old, new)
            sides = ["--old", *old, "--new", *new]
            told = json.loads(self.diff("json", *sides))
            expect((told.get("no_times"), "time_verdicts" in told) == (why if is_lost else None, not is_lost), told)
            expect({row["verdict"] for row in told["times"]} == ({"undecided"} if is_lost else {"changed"}), told["times"])
            sentence = "Inclusive time is not compared: a recording %s." % why
            for words in (self.text(*sides), self.diff("markdown", *sides), self.diff("junit", *sides), self.diff("sarif", *sides)):
                expect((sentence in words) == is_lost, words)
            root = xml.etree.ElementTree.fromstring(self.diff("junit", *sides))
            expect([root[1].get(key) for key in ("failures", "skipped")] == (["0", "1"] if is_lost else ["2", "0"]), root[1].attrib)
            log = json.loads(self.diff("sarif", *sides))
            expect(("time-changed" in {one["ruleId"] for one in log["runs"][0]["results"]}) != is_lost, log)
            judged = json.loads(self.diff("json", "--rules", rules, *sides, status=3))["rules"]
            expect([rule["state"] for rule in judged] == states, judged)
            run = lambda *words: subprocess.run([self.program, "trend", *words, *old, *new], capture_output=True, check=True).stdout.decode()
            trend = json.loads(run("--json"))
            expect((trend.get("no_times"), trend["tested"] > 0) == (why if is_lost else None, not is_lost), trend)
            expect(("Times are not compared: lost1.trace %s." % why in run()) == is_lost, run())
        done = subprocess.run([self.program, "check", "--rules", rules, lost[1]], capture_output=True, check=False)
        expect(done.returncode == 3 and b"Rules: 0 kept, 1 broken, 2 without data, 2 left to diff" in done.stdout, done.stdout)

    def test_rules_are_the_cases_and_their_texts_are_hostile(self):
        path = os.path.join(self.folder, "<i>`@team.rules")
        patterns = [re.sub(rb"[\r\n]", b" ", payload) for payload in PAYLOADS if payload.strip()]
        with open(path, "wb") as file:
            file.write(b"".join(b"calls of %s* in 77\n" % pattern for pattern in patterns) + b"warn calls of Same.Same in 2\nno calls of a.b\n")
        words = ["--rules", path, self.old[0], self.new[0]]
        rules = json.loads(self.diff("json", *words, status=3))["rules"]
        expect([rule["line"] for rule in rules] == list(range(1, len(patterns) + 3)), "lines")
        expect({rule["state"] for rule in rules[:-1]} <= {"broken", "no data"} and rules[-1]["state"] == "kept", rules)
        expect([rule["level"] for rule in rules[-2:]] == ["warn", "error"], "levels")
        root = xml.etree.ElementTree.fromstring(self.diff("junit", *words, status=3))
        expect([root[0].get(key) for key in ("name", "tests", "failures", "skipped")]
               == ["rules", str(len(patterns) + 2), str(len(patterns)), "1"], root[0].attrib)
        expect(len(root[0].findall("testcase")) == len(patterns) + 2 and len(root) == 1, "cases")
        expect(len(root[0].findall("*/failure")) == len(patterns) and len(root[0].findall("*/skipped")) == 1, "outcomes")
        results = json.loads(self.diff("sarif", *words, status=3))["runs"][0]["results"]
        expect([result["level"] for result in results] == ["error"] * len(patterns) + ["warning"], "results")
        expect(all("[" not in result["message"]["text"] for result in results), "a link in a message")
        page = Page()
        text = self.diff("markdown", *words, status=3)
        page.feed(text)
        expect(page.tags <= {"table", "tr", "th", "td", "p", "b", "br", "code", "details", "summary"}, page.tags)
        expect(text.count("<td>broken</td>") + text.count("<td>no data</td>") == len(patterns) + 1, "rows")

    def test_every_name_of_a_picture_is_a_text(self):
        """Changes as flame graphs, either way round: a box for each name, and none that a name made."""
        for words in ((self.old[0], self.new[0]), (self.new[0], self.old[0], "--width-of", "old"),
                      (self.new[0], self.old[0], "--gone"), (self.old[0], self.new[0], "--share")):
            done = subprocess.run([self.program, "flame", "--diff", *words, "--minwidth", "0"], capture_output=True, check=True)
            text = done.stdout.decode("utf-8")
            text = text[:text.index("<script>")] + "</svg>" if "<script>" in text else text
            expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), "a control character")
            root = xml.etree.ElementTree.fromstring(text)
            tags = {element.tag.split("}")[1] for element in root.iter()}
            expect(tags <= {"svg", "title", "style", "linearGradient", "stop", "rect", "text", "g"}, tags)
            boxes = next(group for group in root if group.get("id") == "boxes")
            titles = [box[0].text for box in boxes]
            kept = 1 + ("--gone" not in words)  # all, and Same
            expect(len(titles) == len(PAYLOADS) + kept, "%d boxes" % len(titles))
            expect(all(re.search(r" \([^()]*\)$", title) for title in titles), "a name ends a tooltip")
            lost = [box for box in boxes if box[1].get("class") in ("added", "lost")]
            expect(len(lost) == len(PAYLOADS), "%d with a broken line" % len(lost))

    def test_calls_that_broke_a_rule_are_hostile_too(self):
        """A thread, a caller and a file whose names are hostile, in what a broken rule tells."""
        path = os.path.join(self.folder, "calls.rules")
        with open(path, "wb") as file:
            file.write(b"no calls of Callee.Callee\n")
        for number, name in enumerate(PAYLOADS):
            trace = os.path.join(self.folder, "n%d ::error file=a::b'<b>`$(x).trace" % number)
            with open(trace, "wb") as file:
                file.write(nested_stream(name))
            words = ["--rules", path, self.old[0], trace]
            rule = json.loads(self.diff("json", *words, status=3))["rules"][0]
            call = rule["calls"][0]
            expect(rule["command"] and all(line.startswith("traceview ") for line in rule["command"]), rule)
            root = xml.etree.ElementTree.fromstring(self.diff("junit", *words, status=3))
            failure = root[0].find("*/failure")
            expect(len(list(root.iter())) == 4, "elements")
            lines = failure.text.split("\n")
            expect(len(lines) == 2 + 1 + len(rule["command"]) and all(line.startswith("    ") for line in lines[1:-1]), lines)
            result = json.loads(self.diff("sarif", *words, status=3))["runs"][0]["results"][0]
            expect(result["properties"] == {"calls": rule["calls"], "command": rule["command"]}, result)
            expect("[" not in result["message"]["text"], "a link in a message")
            page = Page()
            text = self.diff("markdown", *words, status=3)
            page.feed(text)
            expect(page.tags <= {"table", "tr", "th", "td", "p", "b", "br", "code", "details", "summary"}, page.tags)
            expect(all(line == "" or line[0] == "<" or line == "### What changed" for line in text.splitlines()), "a line")
            expect(any(code.startswith("traceview ") for code in page.codes), page.codes)
            expect("caller" in call and call["thread_name"] and call["time_ns"] == 50000, call)

    def test_every_name_of_a_page_of_changes_is_a_text(self):
        """report --tables: no name makes a tag, an attribute or a script; the policy forbids what runs or is fetched."""
        for words, count in (((self.old[0], self.new[0]), len(PAYLOADS)), ((self.new[0], self.old[0]), 2 * len(PAYLOADS))):
            title = "<script>'\"&@team\n-->"
            done = subprocess.run([self.program, "report", "--tables", "--against", *words, "-o", "-", "--title", title, "--note", title],
                                  capture_output=True, check=True)
            text = done.stdout.decode("utf-8")
            expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), "a control character")
            page = Report()
            page.feed(text)
            page.close()
            expect(page.tags <= {"html", "head", "meta", "style", "title", "body", "h1", "h2", "p", "b", "code", "table", "tr", "th",
                                 "td", "details", "summary", "div", "svg", "lineargradient", "stop", "rect", "text", "g"}, page.tags)
            expect(not {name for name in page.attributes if name.startswith("on") or name in ("href", "src", "action", "style")},
                   page.attributes)
            expect("default-src 'none'; style-src 'unsafe-inline'" in text and page.pictures == 1 + (count > len(PAYLOADS)), "pictures")
            expect(page.boxes >= len(PAYLOADS), "%d boxes" % page.boxes)

    def against(self, verb, old, new, *words):
        done = subprocess.run([self.program, verb, "--against", old, new, *words], capture_output=True, check=False)
        expect(done.returncode in (0, 3) and not done.stderr.startswith(b"traceview: " + verb.encode()), (verb, done.stderr))
        text = done.stdout.decode("utf-8")
        expect(text and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), "a control character")
        return text

    def test_no_name_makes_a_line_of_what_is_new_and_gone(self):
        """insights, check and frames --against: as many lines as with a plain name, and JSON with as many rows."""
        def pair(number, name):
            paths = [os.path.join(self.folder, "%s%d.trace" % (side, number)) for side in ("was", "is")]
            for path, last_us in zip(paths, (2000, 200_000)):
                with open(path, "wb") as file:
                    file.write(slow_stream(name, last_us))
            return paths
        plain = pair(len(PAYLOADS), b"Plain")
        for verb in ("insights", "check", "frames"):
            lines = self.against(verb, *plain).count("\n")
            keys = sorted(json.loads(self.against(verb, *plain, "--json")))
            for number, name in enumerate(PAYLOADS):
                for old, new in (pair(number, name), pair(number, name)[::-1]):
                    told = self.against(verb, old, new)
                    is_later = os.path.basename(new).startswith("is")
                    expect(not is_later or told.count("\n") == lines, "%s: %r makes lines: %s" % (verb, name, told))
                    expect(sorted(json.loads(self.against(verb, old, new, "--json"))) == keys, "%s: keys" % verb)
        new = json.loads(self.against("insights", *plain, "--json"))
        expect("Plain" in json.dumps(new), "the slow call is told")

    def moved(self, number, name=b"app"):
        paths = [os.path.join(self.folder, "%s%d.trace" % (side, number)) for side in ("from", "to")]
        for path, content in zip(paths, moved_sides(name)):
            with open(path, "wb") as file:
                file.write(content)
        return paths

    def test_calls_that_moved_are_told(self):
        """The sentences have the numbers of the JSON, and Parse, which only went along, is in none."""
        old, new = self.moved(100)
        told = json.loads(self.diff("json", old, new))
        expect(told["contexts"] == {"in_both": 8, "gone": 0, "added": 0, "changed": 3, "moved": 1}, told["contexts"])
        expect([row["method"] for row in told["calls"]] == ["app.Log.Logapp ()V"], told["calls"])
        moved = told["moved"][0]
        ends = [(end["path"], end["above"], end["old"]["calls"], end["new"]["calls"]) for end in (moved["from"], moved["to"])]
        run, show, fill, load = ("app.%s.%sapp ()V" % (name, name) for name in ("Run", "Show", "Fill", "Load"))
        expect((moved["method"], moved["calls"], moved["fewer_in"], moved["more_in"]) == (load, 3, 1, 1), moved)
        expect(ends == [([run, show, load], 0, [4, 4], [1, 1]), ([run, fill, load], 0, [1, 1], [4, 4])], ends)
        expect([row["path"][-1].split(".")[1] for row in told["paths"]] == ["Load", "Load", "Log"], told["paths"])
        expect([row["new"]["time_ns"] - row["old"]["time_ns"] for row in told["paths"]] == [-6000000, 6000000, 1000000], "times")
        summary = "Callers: on 3 paths the calls of a method of both sides changed, and not only as its caller's did; calls of 1 method moved to other callers."
        sentence = "3 calls of %s moved: below %s > %s 4 became 1, below %s > %s 1 became 4." % (load, run, show, run, fill)
        text = self.text(old, new)
        expect(summary + "\n\n" + sentence + "\n\n" in text, text)
        expect("%s > %s > %s\n" % (run, show, load) in text and text.count("Parse") == 0, text)
        page = html.unescape(re.sub("<[^>]*>", "", self.diff("markdown", old, new)))
        expect(summary in page and sentence in page, page)
        # Of several runs a side the number is the least.
        text = self.text("--old", old, self.moved(101)[0], "--new", new, self.moved(102)[1])
        expect("at least " + sentence in text, text)
        # The other way round they come back, and nothing moves between equal trees.
        expect("3 calls of %s moved: below %s > %s 4 became 1, below" % (load, run, fill) in self.text(new, old), "back")
        expect("no method of both sides has other calls below callers that have the same." in self.text(old, self.moved(101)[0]), "equal")

    def test_no_name_makes_a_line_of_what_moved(self):
        plain = self.moved(100)
        lines = self.text(*plain).count("\n")
        codes = self.diff("markdown", *plain).count("<code>")
        for number, name in enumerate(PAYLOADS):
            pair = self.moved(number, name)
            text = self.text(*pair)
            expect(text.count("\n") == lines, "%r makes lines: %s" % (name, text))
            page = Page()
            markdown = self.diff("markdown", *pair)
            page.feed(markdown)
            page.close()
            expect(page.tags <= {"table", "tr", "th", "td", "p", "b", "code"} and len(page.codes) == codes, (name, page.tags))
            expect(all(line == "" or line[0] == "<" or line == "### What changed" for line in markdown.splitlines()), "a line")
            told = json.loads(self.diff("json", *pair))
            expect([len(told[key]) for key in ("moved", "paths")] == [1, 3], told["contexts"])
            expect(len(told["moved"][0]["from"]["path"]) == 3, told["moved"])

    def test_threads_that_differ_are_told_and_hostile(self):
        """The main thread is that of both sides; numbers of names are *, and no name makes a line or a tag."""
        def of(number, name):
            trace = os.path.join(self.folder, "thread%d.trace" % number)
            with open(trace, "wb") as file:
                file.write(nested_stream(name))
            return trace
        plain = of(100, b"Plain")
        numbered = [of(101 + i, b"pool-%d-thread-%d" % (i, 30 - i)) for i in range(2)]
        told = json.loads(self.diff("json", *numbered))
        expect(told["threads"] == [], told["threads"])
        told = json.loads(self.diff("json", plain, numbered[0]))["threads"]
        expect([(row["name"], row["old"]["calls"], row["new"]["calls"]) for row in told]
               == [("Plain", [2, 2], [0, 0]), ("pool-*-thread-*", [0, 0], [2, 2])], told)
        expect(told[0]["old"] == {"threads": [1, 1], "calls": [2, 2], "time_ns": 100000}, told)
        text = self.text(plain, numbered[0])
        expect("Threads: 2 names have other calls (1 new, 1 gone) of 2.\n" in text, text)
        for number, name in enumerate(PAYLOADS):
            other = of(number, name)
            expect(self.text(plain, other).count("\n") == text.count("\n"), name)
            page = Page()
            page.feed(self.diff("markdown", plain, other))
            page.close()
            expect(page.tags <= {"table", "tr", "th", "td", "p", "b", "code"} and len(page.codes) == 8, (page.tags, page.codes))
            expect(len(json.loads(self.diff("json", plain, other))["threads"]) == 2, name)

    def text(self, *words):
        done = subprocess.run([self.program, "diff", *words], capture_output=True, check=True)
        text = done.stdout.decode("utf-8")
        expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), "a control character")
        return text

    def test_a_file_name_is_hostile_too(self):
        path = self.write("<script>`|`\n\n@team.trace", [b"Same"])
        page = Page()
        page.feed(self.diff("markdown", path, self.new[0]))
        expect("script" not in page.tags and page.codes[0].startswith("<script>") and "\n" not in page.codes[0], page.codes[0])
        done = subprocess.run([self.program, "flame", "--diff", path, self.new[0]], capture_output=True, check=True)
        line = re.search("<text id=\"subtitle\".*", done.stdout.decode())[0]
        expect("&lt;script&gt;`|`" in line and "<script" not in line, line)


def main():
    program = sys.argv[1]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tests = Formats(program, folder)
        for name in [name for name in dir(tests) if name.startswith("test_")]:
            try:
                getattr(tests, name)()
                passed += 1
            except Exception as error:
                failed += 1
                print("FAILED %s: %s: %s" % (name, type(error).__name__, error))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
