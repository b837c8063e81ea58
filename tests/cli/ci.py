#!/usr/bin/env python3
"""Traces of runs of continuous integration, and what is told of them where: ci.py PROGRAM.

The examples of docs/ci are run in a shell as the machines would run them. Names of benchmarks are hostile in each place that
they are told in. Ends with "N passed, N failed".
"""

import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from compare_formats import END, PAYLOADS, Page, expect, nested_stream, stream_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CALM = [b"Same", b"Other"]
TAGS = {"table", "tr", "th", "td", "p", "b", "br", "code", "details", "summary", "h4"}


class Folder:
    """A folder of its own, in which the program runs."""

    def __init__(self, program):
        self.program, self.path = os.path.abspath(program), tempfile.mkdtemp()
        self.variables = {name: value for name, value in os.environ.items() if name != "GITHUB_STEP_SUMMARY"}
        self.variables.update(XDG_CACHE_HOME=self.path + "/cache", XDG_CONFIG_HOME=self.path + "/config")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def at(self, *names):
        return os.path.join(self.path, *names)

    def write(self, name, data):
        path = os.path.join(os.fsencode(self.path), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def read(self, name):
        with open(self.at(name), encoding="utf-8") as file:
            return file.read()

    def ci(self, *words, status=0, **variables):
        done = subprocess.run([self.program, "ci", *words], capture_output=True, check=False, cwd=self.path,
                              env={**self.variables, **variables})
        expect(done.returncode == status, (words, done.returncode, done.stdout, done.stderr))
        return done.stdout.decode("utf-8")

    def states(self, *words, status=0):
        told = json.loads(self.ci("--json", *words, status=status))
        expect(told["status"] == status, told["status"])
        return {one["name"]: (one["state"], len(one["old"]), len(one["new"])) for one in told["benchmarks"]}


def made_trace(name):
    with open(os.path.join(ROOT, "tests/data/made", name), "rb") as file:
        return file.read()


def data_of(*benchmarks):
    return json.dumps({"context": {}, "benchmarks": [
        {"className": of, "name": name, "profilerOutputs": [{"type": kind, "label": "x", "filename": file}
                                                            for kind, file in outputs]} for of, name, outputs in benchmarks]}).encode()


def benchmarks_are_known_by_their_json_or_their_names(program):
    with Folder(program) as folder:
        for side, day in (("last", "23"), ("now", "24")):
            trace = "StartBenchmark_start-methodTracing-2026-11-%s-12-00-00.trace" % day
            folder.write("%s/out/Pixel 6/%s" % (side, trace), stream_of(CALM))
            folder.write("%s/out/Pixel 6/com.example-benchmarkData.json" % side,
                         data_of(("com.example.StartBenchmark", "start", [("PerfettoTrace", "x.perfetto-trace"), ("MethodTrace", trace)]),
                                 ("com.example.StartBenchmark", "without", [("MethodTrace", "../../../etc/passwd")])))
            for run in range(3):
                folder.write("%s/scroll-%d.trace" % (side, run), stream_of(CALM))
        folder.write("last/away.trace", stream_of(CALM))
        folder.write("now/fresh.trace", stream_of(CALM))
        expect(folder.states("--against", "last", "now") == {
            "out/Pixel 6/com.example.StartBenchmark.start": ("undecided", 1, 1), "scroll": ("the same", 3, 3),
            "away": ("gone", 1, 0), "fresh": ("new", 0, 1)}, "benchmarks")
        folder.ci("--against", "last", "--junit", "j.xml", "now")
        gone = xml.etree.ElementTree.fromstring(folder.read("j.xml")).find("testsuite[@name='away: recordings']")
        expect((gone.get("tests"), gone.get("errors"), gone.get("skipped")) == ("1", "0", "1"), "gone")
        expect(gone.find("testcase/skipped").get("message") == "gone: the last run alone has recordings of it", "gone")
        # JSON that is none is told, and names are taken.
        folder.write("now/out/Pixel 6/com.example-benchmarkData.json", b"{\"benchmarks\":")
        names = folder.states("now")
        expect("out/Pixel 6/StartBenchmark_start" in names, names)


def a_packed_copy_is_no_second_recording(program):
    """Two files of one recording would be tested as if they were two runs that agree."""
    with Folder(program) as folder:
        for side, tick in (("last", 20000), ("now", 26000)):
            folder.write(side + "/start.trace", stream_of(CALM, tick))
            folder.write(side + "/start.trace.gz", gzip.compress(stream_of(CALM, tick)))
        expect(folder.states("--against", "last", "now") == {"start": ("undecided", 1, 1)}, "one a side")
        done = subprocess.run([folder.program, "ci", "now"], capture_output=True, check=False, cwd=folder.path, env=folder.variables)
        expect(done.stderr.startswith(b"traceview: now: start.trace.gz is left out: it is a packed copy of now/start.trace by its name\n"), done.stderr)
        done = subprocess.run([folder.program, "diff", "last", "now"], capture_output=True, check=False, cwd=folder.path,
                              env=folder.variables)
        expect(b"one sample" in done.stdout and b"start.trace.gz is left out" in done.stderr, done)
        os.remove(folder.at("now/start.trace"))
        expect(folder.states("--against", "last", "now") == {"start": ("undecided", 1, 1)}, "a packed one alone")


def copies_of_a_recording_are_told(program):
    """Three copies of one recording are tested as three runs that agree, so they are told; links to one file are a failure."""
    with Folder(program) as folder:
        for side, tick in (("last", 20000), ("now", 26000)):
            folder.write(side + "/scroll.trace", stream_of(CALM, tick))
            for run in range(3):
                folder.write("%s/start-%d.trace" % (side, run), stream_of(CALM, tick))
        told = subprocess.run([folder.program, "ci", "--against", "last", "now"], capture_output=True, check=True, cwd=folder.path,
                              env=folder.variables).stderr.decode()
        for side in ("last", "now"):
            expect("traceview: %s/start-1.trace: has the same bytes as %s/start-0.trace, and is the first of 2 such copies: each counts "
                   "as a recording of its own\n" % (side, side) in told, told)
        expect("scroll" not in told and len(told.splitlines()) == 2, told)
        expect(folder.states("--against", "last", "now")["start"][1:] == (3, 3), "none is left out")
        # Of two files the words are those of two, and a file of the same length is no copy.
        folder.write("now/start-2.trace", stream_of(CALM, 26001))
        folder.write("rules", b"no calls of none\n")
        told = subprocess.run([folder.program, "check", "--rules", "rules", *(folder.at("now/start-%d.trace" % run) for run in range(3))],
                              capture_output=True, check=False, cwd=folder.path, env=folder.variables).stderr.decode()
        expect(told.count("they are one recording, and count as two") == 1 and told.count("\n") == 1, told)


def one_file_by_two_names_is_a_failure_that_says_so(program):
    with Folder(program) as folder:
        for side in ("last", "now"):
            folder.write(side + "/start-0.trace", stream_of(CALM))
            folder.write(side + "/scroll.trace", stream_of(CALM))
        os.link(folder.at("now/start-0.trace"), folder.at("now/start-1.trace"))
        expect(folder.states("--against", "last", "--junit", "j.xml", "now", status=1) ==
               {"start": ("one file twice", 1, 2), "scroll": ("undecided", 1, 1)}, "links of the new side")
        expect("cannot be read" not in folder.read("j.xml") and "one file stands for two recordings" in folder.read("j.xml"), "JUnit")
        folder.write("app.rules", b"calls of Nothing.Nothing in 1\n")
        text = folder.ci("--against", "last", "--rules", "app.rules", "now", status=1)
        expect("1 with one file twice." in text and "no benchmark has" not in text, text)
        # A benchmark that did not run, and whose recording is that of the last run.
        os.remove(folder.at("now/start-1.trace"))
        os.remove(folder.at("now/start-0.trace"))
        os.link(folder.at("last/start-0.trace"), folder.at("now/start-0.trace"))
        expect(folder.states("--against", "last", "now", status=1)["start"] == ("one file twice", 1, 1), "a link to the last run")
        # What the last run has twice is no fault of this one.
        folder.write("now/start-2.trace", stream_of(CALM))
        os.remove(folder.at("now/start-0.trace"))
        os.link(folder.at("last/start-0.trace"), folder.at("last/start-1.trace"))
        expect(folder.states("--against", "last", "now")["start"] == ("undecided", 1, 1), "links of the last run")
        done = subprocess.run([folder.program, "ci", "--against", "now", folder.at("now")], capture_output=True, check=False,
                              cwd=folder.path, env=folder.variables)
        expect(done.returncode == 2 and b"is this run and, by --against, the last one" in done.stderr, done)


def runs_are_in_the_order_of_their_numbers(program):
    with Folder(program) as folder:
        for run in range(1, 43):
            folder.write("now/start-%d.trace" % run, stream_of([b"Same"] if run < 3 else CALM, 20000 + run))
        told = json.loads(folder.ci("--json", "now"))["benchmarks"][0]["new"]
        expect(told == ["now/start-%d.trace" % run for run in range(3, 43)], told)
        done = subprocess.run([folder.program, "trend", "--json", "now"], capture_output=True, check=False, cwd=folder.path,
                              env=folder.variables)
        expect([point["file"] for point in json.loads(done.stdout)["points"]] == ["start-%d.trace" % run for run in range(1, 43)], done.stdout)


def the_other_run_in_the_folder_is_no_benchmark_of_it(program):
    with Folder(program) as folder:
        for name in ("now/start.trace", "now/last/start.trace", "now/lasting/start.trace", "now/last/lasting/start.trace"):
            folder.write(name, stream_of(CALM))
        folder.write("now/last/x-benchmarkData.json", b"no JSON")
        both = {"start": ("undecided", 1, 1), "lasting/start": ("undecided", 1, 1)}
        for last, now in (("now/last", "now"), (folder.at("now/last/"), "./now/"), ("now/lasting/../last", folder.at("now"))):
            expect(folder.states("--against", last, now) == both, (last, now))
        expect(folder.states("--against", "now", "now/last") == both, "the new run in the folder of the last one")
        expect(len(folder.states("now")) == 4, "without a last run all of it is new")


def sizes_of_a_benchmark_are_apart(program):
    with Folder(program) as folder:
        for side in ("last", "now"):
            for size in (10, 1000):
                folder.write("%s/Bench_sort_%d-methodTracing-2026-11-24-12-00-00.trace" % (side, size), stream_of(CALM))
        expect(folder.states("--against", "last", "now") ==
               {"Bench_sort_10": ("undecided", 1, 1), "Bench_sort_1000": ("undecided", 1, 1)}, "sizes")


def one_mapping_of_two_builds_is_told(program):
    with Folder(program) as folder:
        for side in ("last", "now"):
            folder.write(side + "/a.trace", stream_of([b"a.b"]))
        folder.write("maps/app.map", b"com.example.Foo -> a.b:\n    void load() -> a.b\n")
        of_folder = ("--mappings", "maps", "--against", "last")
        for words, is_told in ((("--mapping", "maps/app.map", "--against", "last"), True), (("--mapping", "maps/app.map"), False),
                               (of_folder, True), (of_folder, True), (("--mappings", "maps"), False)):
            done = subprocess.run([folder.program, "ci", *words, "now"], capture_output=True, check=False, cwd=folder.path,
                                  env=folder.variables)
            expect((b"names the methods of the last run, too" in done.stderr) == is_told, (words, done))
            expect((b"maps: its mapping app.map names" in done.stderr) == (is_told and words == of_folder), (words, done))
        # So it does beside another one, that fits none; and diff and trend tell it, too.
        folder.write("maps/other.map", b"com.example.Red -> r.a:\n    void red() -> a\n")
        for words in (("ci", *of_folder, "now"), ("diff", "--mappings", "maps", "last/a.trace", "now/a.trace"),
                      ("trend", "--mapping", "maps/app.map", "last/a.trace", "now/a.trace")):
            done = subprocess.run([folder.program, *words], capture_output=True, check=True, cwd=folder.path, env=folder.variables)
            expect(b"names the methods of the " in done.stderr and done.stderr.count(b"names the methods") == 1, (words, done))
        os.remove(folder.at("maps/other.map"))
        # Another mapping is of the last run's build.
        for side in ("last", "now"):
            folder.write(side + "/a.trace", stream_of([b"a.%s" % side.encode()]))
            folder.write("maps/%s.map" % side, b"com.example.Foo -> a.%s:\n    void load() -> a.b\n" % side.encode())
        os.remove(folder.at("maps/app.map"))
        done = subprocess.run([folder.program, "ci", *of_folder, "now"], capture_output=True, check=False, cwd=folder.path,
                              env=folder.variables)
        expect(b"names the methods" not in done.stderr, done)
        # Traces that say the id of their mapping are of its build.
        for side in ("last", "now"):
            os.remove(folder.at("maps/%s.map" % side))
            folder.write(side + "/a.trace", stream_of([b"a.b"], source=b"r8-map-id-abc"))
        folder.write("maps/app.map", b"# pg_map_id: abc\ncom.example.Foo -> a.b:\n    void load() -> a.b\n")
        done = subprocess.run([folder.program, "ci", *of_folder, "now"], capture_output=True, check=False, cwd=folder.path,
                              env=folder.variables)
        expect(b"whose id the trace has" in done.stderr and b"names the methods" not in done.stderr, done)


def write_two_builds(folder):
    """The last run is of build abc, whose names are other ones in build def: its a.a is a.b there. Three recordings a side."""
    for side, build, name in (("last", b"abc", b"a.a"), ("now", b"def", b"a.b")):
        for run in range(3):
            folder.write("%s/start-%d.trace" % (side, run), stream_of([name, b"a.c"], 20000 + run, b"r8-map-id-" + build, b"()V"))
        folder.write("%s.map" % side, b"# pg_map_id: " + build + b"\ncom.ex.Foo -> " + name + b":\n    void load() -> " + name +
                     b"\ncom.ex.Bar -> a.c:\n    void save() -> a.c\n")
    folder.write("app.rules", b"error time of com.ex.* grows <= 10 % and 1 ms\n")


def a_mapping_of_another_build_fails(program):
    with Folder(program) as folder:
        write_two_builds(folder)
        words = ("--mapping", "now.map", "--against", "last")
        for rules in ((), ("--rules", "app.rules")):
            text = folder.ci(*words, *rules, "--junit", "j.xml", "now", status=1)
            expect("1 of another build than the mapping." in text and "== start: another build, 3 recordings\n" in text, text)
            errors = xml.etree.ElementTree.fromstring(folder.read("j.xml")).findall(".//error")
            expect([one.get("type") for one in errors] == ["other build"], folder.read("j.xml"))
        done = subprocess.run([folder.program, "ci", *words, "now"], capture_output=True, check=False, cwd=folder.path, env=folder.variables)
        expect(b"is of another build" in done.stderr and b"cannot be read" not in done.stderr, done)
        expect(folder.states("--mapping", "last.map", "now", status=1)["start"] == ("another build", 0, 3), "the new side")


def traces_that_are_kept_with_their_names_need_no_mapping(program):
    with Folder(program) as folder:
        write_two_builds(folder)
        for run in range(3):
            at = folder.at("last/start-%d.trace" % run)
            subprocess.run([program, "export", "--to", "trace", "--mapping", folder.at("last.map"), "-o", at + ".named", at], check=True,
                           env=folder.variables, stderr=subprocess.DEVNULL)
            os.replace(at + ".named", at)
        for words in (("--mapping", "now.map"), ("--mapping", "now.map"), ("--mappings", ".")):
            told = json.loads(folder.ci("--json", *words, "--rules", "app.rules", "--against", "last", "now"))
            expect(told["benchmarks"][0]["state"] == "the same", told)
        # What the mapping of this build says is said of its own methods alone.
        folder.write("now.map", b"# pg_map_id: def\ncom.ex.Foo -> a.b:\n    void load() -> a.b\ncom.ex.Bar -> a.c:\n    void save() -> a.c\n"
                     b"com.ex.Else -> com.ex.Foo:\n    void other() -> load\n")
        told = json.loads(folder.ci("--json", "--mapping", "now.map", "--rules", "app.rules", "--against", "last", "now"))
        expect(told["benchmarks"][0]["state"] == "the same", told)


def short_names_of_two_builds_are_not_compared(program):
    with Folder(program) as folder:
        write_two_builds(folder)
        why = "short names of build def, and another one short names of build abc"
        folder.write("app.rules", b"error calls growth <= 1 %\nerror time of a.* grows <= 10 % and 1 ms\n")
        text = folder.ci("--against", "last", "--junit", "j.xml", "--summary", "summary", "now")
        expect(why in text and "== start: undecided: calls are not compared" in text and "changed by" not in text, text)
        expect("undecided: calls are not compared" in folder.read("summary"), folder.read("summary"))
        report = xml.etree.ElementTree.fromstring(folder.read("j.xml"))
        expect(not report.findall(".//failure") and why in report.find(".//skipped").get("message"), folder.read("j.xml"))
        for more in ((), ("--mappings", "one")):
            folder.write("one/now.map", b"# pg_map_id: def\ncom.ex.Foo -> a.b:\n    void load() -> a.b\n")
            told = json.loads(folder.ci("--json", *more, "--against", "last", "--rules", "app.rules", "now", status=3))["benchmarks"][0]
            expect(told["state"] == "undecided" and "of build abc" in told["diff"]["no_counts"] and "of build abc" in told["diff"]["no_times"], told)
            expect(told["diff"]["calls"] == [] and told["diff"]["times"] == [], told)
            expect("short names of several builds" in told["rules"][0]["why"], told)
        done = subprocess.run([folder.program, "trend", "--json"] + [folder.at("%s/start-%d.trace" % (side, run)) for side in ("last", "now")
                              for run in range(3)], capture_output=True, check=True, cwd=folder.path, env=folder.variables)
        told = json.loads(done.stdout)
        expect(told["calls"] == told["times"] == [] and "of build abc" in told["no_counts"], told)
        # With the mappings of both it is the same program.
        expect(folder.states("--mappings", ".", "--against", "last", "now")["start"][0] == "the same", "named")


def the_old_side_may_have_a_mapping_of_its_own(program):
    """Two builds whose methods say no id, and have the same short names: the mapping of the one would name both."""
    with Folder(program) as folder:
        for side, name in (("last", b"a.a"), ("now", b"a.b")):
            folder.write("%s.trace" % side, stream_of([name], 20000, b"S.java", b"()V"))
        folder.write("last.map", b"com.ex.Foo -> a.a:\n    void load() -> a.a\ncom.ex.Bar -> a.b:\n    void save() -> a.b\n")
        folder.write("now.map", b"com.ex.Foo -> a.b:\n    void load() -> a.b\ncom.ex.Bar -> a.a:\n    void save() -> a.a\n")
        def run(*words, status=0):
            done = subprocess.run([folder.program, *words], capture_output=True, check=False, cwd=folder.path, env=folder.variables)
            expect(done.returncode == status, done)
            return done.stdout + done.stderr
        def changes(*words):
            told = json.loads(run("diff", "--json", "--mapping", "now.map", *words, "last.trace", "now.trace").splitlines()[0])
            return sorted(one["method"] for one in told["calls"])
        expect(changes("--old-mapping", "last.map") == [], changes("--old-mapping", "last.map"))
        expect(changes() == ["com.ex.Bar.save ()V", "com.ex.Foo.load ()V"], changes())
        for more in ((), ("--tables",)):
            for mapping, is_there in (("last.map", False), ("now.map", True)):
                run("report", *more, "--mapping", "now.map", "--old-mapping", mapping, "--against", "last.trace", "now.trace", "-o", "page.html")
                expect(("com.ex.Bar" in folder.read("page.html")) == is_there, (more, mapping))
        expect(b"is for --against" in run("report", "--old-mapping", "last.map", "now.trace", "-o", "page.html", status=2), "one trace")
        expect(b"gone.map" in run("diff", "--old-mapping", "gone.map", "last.trace", "now.trace", status=1), "no such file")


def a_trend_tells_what_was_inlined_apart(program):
    """save() of the old builds runs inside load() of the new ones, as the mapping of these says."""
    with Folder(program) as folder:
        for run in range(6):
            names, build = ([b"a.a", b"a.c"], b"abc") if run < 3 else ([b"a.b"], b"def")
            folder.write("start-%d.trace" % run, stream_of(names, 20000 + run, b"r8-map-id-" + build, b"()V"))
        folder.write("old.map", b"# pg_map_id: abc\ncom.ex.Foo -> a.a:\n    void load() -> a.a\ncom.ex.Bar -> a.c:\n    void save() -> a.c\n")
        for inlined, steps in ((b"    1:1:void com.ex.Bar.save():3:3 -> a.b\n    1:1:void load():9 -> a.b\n", ([], [["com.ex.Bar.save ()V", 4]])),
                               (b"    1:1:void load():9:9 -> a.b\n", ([["com.ex.Bar.save ()V", 4]], []))):
            folder.write("new.map", b"# pg_map_id: def\ncom.ex.Foo -> a.b:\n" + inlined)
            words = [folder.program, "trend", "--mappings", "."] + ["start-%d.trace" % run for run in range(6)]
            done = subprocess.run(words + ["--json"], capture_output=True, check=True, cwd=folder.path, env=folder.variables)
            told = json.loads(done.stdout)
            found = tuple([[step["method"], step["point"]] for step in told.get(key, [])] for key in ("calls", "inlined"))
            expect(found == steps, told)
            text = subprocess.run(words, capture_output=True, check=True, cwd=folder.path, env=folder.variables).stdout
            expect((b"inlined where they have fewer calls: 1 step." in text) == (not steps[0]), text)
            report = subprocess.run([folder.program, "diff", "--mappings", ".", "--as", "junit", "--old", *words[4:7], "--new", *words[7:]],
                                    capture_output=True, check=True, cwd=folder.path, env=folder.variables).stdout
            cases = [one for one in xml.etree.ElementTree.fromstring(report).iter("testcase") if "Bar.save" in one.get("name") and one.get("classname") == "calls"]
            expect([cases[0].find("skipped") is None, "inlined" in cases[0][0].get("message")] == ([True, False] if steps[0] else [False, True]), report)


def the_log_of_a_job_has_no_command(program):
    """Runners take lines that begin with :: for commands, and ##[...] anywhere: what a stranger's method or file is called is none."""
    with Folder(program) as folder:
        names = [b"##[set-output name=verdict;]ok", b"::error::x", b"##vso[task.setvariable]y"]
        for side, cost in (("last", 20000), ("now", 90000)):
            for run in range(3):
                folder.write("%s/::error::start-%d.trace" % (side, run), stream_of(names, cost + run))
        folder.write("app.rules", b"no calls of *\n")
        one, old = "now/::error::start-0.trace", "last/::error::start-0.trace"
        asked = [("ci", "--rules", "app.rules", "--against", "last", "now"), ("ci", "--against", "last", "now"), ("diff", old, one), ("top", one), ("tree", one), ("check", one),
                 ("check", "--rules", "app.rules", one), ("callers", one, "error"), ("info", one), ("insights", one), ("trend", old, one), ("check", "::error::gone"), ("top", one, "--method", "##[x]")]
        variables = {name: value for name, value in folder.variables.items() if name not in ("GITHUB_ACTIONS", "TF_BUILD")}
        for words in asked + [(*words, "--json") for words in asked]:
            done, *logs = (subprocess.run([folder.program, *words], capture_output=True, check=False, cwd=folder.path, env={**variables, **more})
                           for more in ({}, {"GITHUB_ACTIONS": "true"}, {"TF_BUILD": "True"}))
            expect(words[0] not in ("diff", "tree") or names[0] in done.stdout, done)
            for log in logs:
                expect(not re.search(rb"^\s*::|##\w*\[", log.stdout + log.stderr, re.M), log)
                expect((log.returncode, len(log.stdout.splitlines())) == (done.returncode, len(done.stdout.splitlines())), log)
                expect(not done.stdout or "--json" not in words or json.loads(log.stdout) == json.loads(done.stdout), log)


def the_first_run_has_no_last_one(program):
    with Folder(program) as folder:
        folder.write("now/a.trace", stream_of(CALM))
        text = folder.ci("--against", "last", "--junit", "j.xml", "now")
        expect("There is no last run at last, so nothing is compared." in text, text)
        skipped = xml.etree.ElementTree.fromstring(folder.read("j.xml")).findall(".//skipped")
        expect([one.get("message") for one in skipped] == ["there is none, so nothing is compared"], skipped)
        folder.ci("--against", "last", "nothing", status=1)
        os.mkdir(folder.at("empty"))
        folder.ci("empty", status=1)
        folder.ci("--least", "0", "now", status=2)
        folder.write("now/a.trace", b"no trace")
        folder.ci("now", "--rules", "no.rules", status=1)


def a_last_run_that_cannot_be_read_fails(program):
    """Nothing compared would look as if nothing had changed; what is no folder cannot be read by root either."""
    with Folder(program) as folder:
        folder.write("now/a.trace", stream_of(CALM))
        folder.write("last", b"")
        done = subprocess.run([folder.program, "ci", "--against", "last", "now"], capture_output=True, check=False, cwd=folder.path,
                              env=folder.variables)
        expect((done.returncode, done.stdout) == (1, b""), (done.returncode, done.stdout))
        expect(done.stderr == b"traceview: last: the folder cannot be read: Not a directory\n", done.stderr)


def what_is_not_decided_is_not_the_same(program):
    """The same is said of calls that are the same and of times that were tested: of all else why not."""
    with Folder(program) as folder:
        for run in range(3):
            folder.write("last/steady-%d.trace" % run, stream_of(CALM, 20000 + run))
            folder.write("now/steady-%d.trace" % run, stream_of(CALM, 20010 + run))
            folder.write("last/wild-%d.trace" % run, stream_of(CALM, 20000 + 9000 * run))
            folder.write("now/wild-%d.trace" % run, stream_of(CALM, 26000 + 9000 * run))
            # All work goes from one thread to another: methods and their calls stay.
            folder.write("last/moved-%d.trace" % run, nested_stream(b"Pool") + b"")
            folder.write("now/moved-%d.trace" % run, nested_stream(b"Pool").replace(b"\4\0Pool", b"\4\0Work", 1))
            # Each of many methods takes a fifth more.
            many = [b"Method%c" % (65 + i) for i in range(24)]
            folder.write("last/all-%d.trace" % run, stream_of(many, 20000 + run))
            folder.write("now/all-%d.trace" % run, stream_of(many, 24000 + run))
        folder.write("last/one.trace", stream_of(CALM, 100))
        folder.write("now/one.trace", stream_of(CALM, 200))
        folder.write("last/cut.trace", stream_of(CALM))
        folder.write("now/cut.trace", stream_of(CALM)[:-3])
        states = {name: state for name, (state, _, _) in folder.states("--against", "last", "now").items()}
        expect(states == {"steady": "the same", "wild": "undecided", "moved": "changed", "all": "undecided", "one": "undecided",
                          "cut": "undecided"}, states)
        text = folder.ci("--against", "last", "--summary", "s.text", "--junit", "j.xml", "now")
        cases = {(case.get("classname"), case.get("name")): [one.tag for one in case]
                 for case in xml.etree.ElementTree.fromstring(folder.read("j.xml")).iter("testcase")}
        expect(cases["moved: calls", "all methods"] == ["system-out"] and cases["moved: threads", "all threads"] == ["failure"], cases)
        expect(cases["all: time", "the median method"] == ["skipped"] and ("steady: time", "the median method") not in cases, cases)
        for suite in xml.etree.ElementTree.fromstring(folder.read("j.xml")):
            expect([suite.get(name) for name in ("tests", "failures", "skipped")] ==
                   [str(len(suite.findall(what))) for what in ("testcase", ".//failure", ".//skipped")], suite.attrib)
        expect("6 benchmarks, 6 of them compared with the last run: 1 changed, 4 undecided." in text, text)
        summary = folder.read("s.text")
        for name, why in (("wild", "calls are the same, times differ from run to run"), ("all", "calls are the same, the median method +20.0 %"),
                          ("one", "calls are the same, times are one sample a side"), ("cut", "calls are not compared")):
            expect("== %s: undecided: %s, " % (name, why) in text, (name, text))
            expect("<code>%s</code></td><td>undecided: %s</td>" % (name, why) in summary, (name, summary))
        one = re.search("== one: .*\n(.*)\n(.*)\n(.*)\n", text)
        expect([re.search(what, line) is not None for what, line in zip((r"^All threads together: \+100\.0 % CPU time", "2 the same", "decides nothing"),
                                                                        one.groups())] == [True] * 3, one[0])


def another_caller_is_a_failure(program):
    """As many calls of each method, of which one is called by another one."""
    with Folder(program) as folder:
        # Callee begins when Pool has ended, at 100 us, and not at 10 in it.
        ends = [struct.pack("<HIII", 1, method, at, at) for method, at in ((8, 10), (9, 60), (5, 100), (8, 100), (9, 150))]
        was = nested_stream(b"Pool")
        folder.write("last/a.trace", was)
        folder.write("now/a.trace", was.replace(b"".join(ends[:3]), b"".join(ends[2:])))
        folder.ci("--against", "last", "--junit", "j.xml", "now")
        suites = {suite.get("name"): suite for suite in xml.etree.ElementTree.fromstring(folder.read("j.xml"))}
        expect(suites["a: calls"].get("failures") == "0" and suites["a: callers"].get("failures") == "1", folder.read("j.xml"))


def recordings_that_cannot_be_read_fail_alone(program):
    """Those of the last run are in the way of no other one, or the next runs would all fail."""
    with Folder(program) as folder:
        folder.write("now/bad.trace", bytes(3000))
        folder.write("now/good.trace", stream_of(CALM))
        folder.write("a.rules", b"calls of Nobody.Nobody in 1\n")
        for words in ((), ("--rules", "a.rules")):
            expect(folder.states("--junit", "j.xml", *words, "now", status=1) == {"bad": ("not read", 0, 1), "good": ("new", 0, 1)}, words)
            errors = [suite for suite in xml.etree.ElementTree.fromstring(folder.read("j.xml")) if suite.get("errors") == "1"]
            expect([suite.get("name") for suite in errors] == ["bad: recordings"], errors)
        text = folder.ci("now", status=1)
        expect("1 that cannot be read." in text and "== bad: not read, 1 recording\n" in text, text)
        os.rename(folder.at("now"), folder.at("last"))
        for name in ("bad", "good"):
            folder.write("now/%s.trace" % name, stream_of(CALM))
        expect(folder.states("--against", "last", "now") == {"bad": ("not compared", 1, 1), "good": ("undecided", 1, 1)}, "the next run")
        # Rules judge the new recordings; what grew is not known, as of a new benchmark.
        folder.write("a.rules", b"calls of Same.Same in 1\ncalls growth <= 2 %\n")
        told = json.loads(folder.ci("--json", "--against", "last", "--rules", "a.rules", "now"))["benchmarks"]
        expect([[rule["state"] for rule in one["rules"]] for one in told] == [["kept", "left out"], ["kept", "kept"]], told)
        folder.write("a.rules", b"calls of Same.Same in 2\n")
        folder.states("--against", "last", "--rules", "a.rules", "now", status=3)


def a_last_run_that_lost_data_is_followed_by_others(program):
    """Its growths would have no data, the run would fail and not be kept, and so would each that follows."""
    with Folder(program) as folder:
        folder.write("a.rules", b"calls of Same.Same in 1\ncalls growth <= 2 %\n")
        for run in "12":
            folder.write("last/one-%s.trace" % run, stream_of(CALM)[:-len(END) if run == "1" else None])
            folder.write("now/one-%s.trace" % run, stream_of(CALM))
        told = json.loads(folder.ci("--json", "--against", "last", "--rules", "a.rules", "now"))["benchmarks"][0]
        expect([told["state"], *[rule["state"] for rule in told["rules"]]] == ["not compared", "kept", "left out"], told)
        expect(folder.states("--against", "last", "now") == {"one": ("undecided", 2, 2)}, "without rules nothing fails")
        folder.write("now/one-2.trace", stream_of(CALM)[:-len(END)])  # what new ones lack is theirs
        expect(folder.states("--against", "last", "--rules", "a.rules", "now", status=3) == {"one": ("undecided", 2, 2)}, "both")


def one_bad_recording_of_the_last_run_is_left_out_alone(program):
    """Four of five are enough to compare with; what is left out is told, and the rules are judged."""
    with Folder(program) as folder:
        folder.write("a.rules", b"calls growth <= 2 %\n")
        for run in "12345":
            folder.write("last/one-%s.trace" % run, stream_of(CALM, 1000 + int(run)))
            folder.write("now/one-%s.trace" % run, stream_of([*CALM, b"More"], 1000 + int(run)))
        whole = json.loads(folder.ci("--json", "--against", "last", "--rules", "a.rules", "now", status=3))["benchmarks"][0]
        expect("left_out" not in whole and len(whole["old"]) == 5, whole)
        for bad in (b"", bytes(3000), stream_of(CALM)[:-len(END)]):
            folder.write("last/one-3.trace", bad)
            words = ["--against", "last", "--rules", "a.rules", "--junit", "j.xml", "--summary", "s.text", "now"]
            told = json.loads(folder.ci("--json", *words, status=3))["benchmarks"][0]
            expect([told["state"], told["rules"][0]["state"], told["left_out"]] == ["changed", "broken", ["last/one-3.trace"]], told)
            expect(len(told["old"]) == 4 and "last/one-3.trace" not in told["old"], told)
            os.remove(folder.at("s.text"))
            text = folder.ci(*words, status=3)
            expect("== one: changed, 5 recordings beside 4, 1 of the last run left out\n" in text, text)
            expect("4 and 5, 1 left out" in folder.read("s.text"), folder.read("s.text"))
        # Where less than two are left, growths of time would have no data in each run that follows.
        for run in "1245":
            folder.write("last/one-%s.trace" % run, bytes(3000) if run != "5" else stream_of(CALM))
        expect(folder.states("--against", "last", "--rules", "a.rules", "now") == {"one": ("not compared", 5, 5)}, "too few")


def waiting(was_us, name=b"Wait"):
    """A trace of both clocks in which a method of 2 ms of CPU time waits so long."""
    text = (b"*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=%d\nnum-method-calls=2\nclock-call-overhead-nsec=0\nvm=dalvik\n"
            b"*threads\n1\tmain\n*methods\n0x4\tcom.ex.Main\trun\t()V\tMain.java\t1\n0x8\tcom.ex.%s\tawait\t()V\tWait.java\t1\n*end\n"
            % (was_us + 9000, name))
    steps = [(4, 0, 0), (8, 3000, 3000), (9, 5000, 5000 + was_us), (5, 8000, 8000 + was_us)]
    return text + struct.pack("<IHHQHxxxxxxxxxxxxxx", 0x574f4c53, 3, 32, 0, 14) + b"".join(
        struct.pack("<HIII", 1, method, cpu, wall) for method, cpu, wall in steps)


def a_longer_wait_is_no_same(program):
    """CPU times are the same, and the user waits a hundred times as long."""
    with Folder(program) as folder:
        for run in range(3):
            folder.write("last/start-%d.trace" % run, waiting(5000 + run))
            folder.write("now/start-%d.trace" % run, waiting(700000 + run))
            folder.write("again/start-%d.trace" % run, waiting(5001 + run))
        expect(folder.states("--against", "last", "again") == {"start": ("the same", 3, 3)}, "the same")
        expect(folder.states("--against", "last", "now") == {"start": ("changed", 3, 3)}, "the wait")
        expect(folder.states("--clock", "cpu", "--against", "last", "now") == {"start": ("the same", 3, 3)}, "who asks for CPU time has it")
        text = folder.ci("--against", "last", "--summary", "s.text", "now")
        line = "Wall time of 2 methods changed, most of all from 13.001 to 708.001 ms: com.ex.Main.run ()V"
        expect("== start: changed: wall time alone, 3 recordings beside 3\n" + line in text, text)
        expect("<p>" + line.replace("com.ex.Main.run ()V", "<code>com.ex.Main.run ()V</code></p>") in folder.read("s.text"), folder.read("s.text"))
        told = json.loads(folder.ci("--json", "--against", "last", "now"))["benchmarks"][0]["wall"]
        expect(told == {"changed": 2, "method": "com.ex.Main.run ()V", "old_ns": 13001000, "new_ns": 708001000}, told)


def a_time_that_creeps_is_seen_beside_a_release(program):
    """Each of five builds waits 4 % longer than the one before, with which it keeps the rule: docs/compare.md says to compare with a release, too."""
    with Folder(program) as folder:
        folder.write("app.rules", b"error wall of com.ex.Wait.await grows <= 5 % and 5 ms\n")
        for build in range(6):
            for run in range(5):
                folder.write("build-%d/start-%d.trace" % (build, run), waiting(round(100000 * 1.04 ** build) + 10 * run))
        for build in range(1, 6):
            folder.ci("--against", "build-%d" % (build - 1), "--rules", "app.rules", "build-%d" % build)
        text = folder.ci("--against", "build-0", "--rules", "app.rules", "build-5", status=3)
        expect("102.020 ms became 123.685 ms of wall time: com.ex.Wait.await ()V" in text, text)


def growths_that_are_not_judged_are_told(program):
    with Folder(program) as folder:
        folder.write("a.rules", b"calls of Same.Same in 1\ntime of Same.* grows <= 5 % and 5 ms\ncalls growth <= 2 %\noff calls growth <= 9 %\n")
        folder.write("last/Pixel 13/start.trace", stream_of(CALM))
        folder.write("last/scroll.trace", stream_of(CALM))
        folder.write("now/Pixel 14/start.trace", stream_of(CALM))
        folder.write("now/scroll.trace", stream_of(CALM, 1001))
        words = ["--rules", "a.rules", "--junit", "j.xml", "--summary", "s.text", "now"]
        folder.write("g.rules", b"calls growth <= 2 %\n")
        text = folder.ci(*words)
        expect(text.count("1 kept, 0 broken, 0 without data, 2 not judged for want of a last run") == 2, text)
        expect(folder.read("s.text").count("<td>1 kept, 2 not judged</td>") == 2, folder.read("s.text"))
        suites = {suite.get("name"): suite for suite in xml.etree.ElementTree.fromstring(folder.read("j.xml"))}
        suite = suites["scroll: rules"]
        expect([suite.get(key) for key in ("tests", "failures", "skipped")] == ["3", "0", "2"], folder.read("j.xml"))
        skipped = [one.get("message") for one in suite.iter("skipped")]
        expect(skipped == ["not judged: there is no last run of it to compare with"] * 2, skipped)
        told = json.loads(folder.ci("--json", *words))["benchmarks"][0]["rules"]
        expect(["why" in rule for rule in told] == [False, True, True], told)
        # A benchmark that was renamed beside one that was not is new: the other is judged.
        text = folder.ci("--against", "last", "--rules", "g.rules", "now")
        expect("1 gone" in text and "All benchmarks are new" not in text and "Rules: none is judged: 1 compare" in text, text)
        # Where all are, nothing would be judged, and the run would be kept as the next one to compare with.
        os.remove(folder.at("last/scroll.trace"))
        words = ["--against", "last", *words]
        text = folder.ci(*words, status=3)
        expect("All benchmarks are new, and the last run has others" in text, text)
        expect("All benchmarks are new" in folder.read("s.text"), folder.read("s.text"))
        expect(json.loads(folder.ci("--json", *words, status=3))["all_new"] is True, "all new")
        root = xml.etree.ElementTree.fromstring(folder.read("j.xml"))
        expect([root[0].get(key) for key in ("name", "failures")] == ["last run", "1"], folder.read("j.xml"))
        folder.ci("--all-new", *words)
        expect(xml.etree.ElementTree.fromstring(folder.read("j.xml"))[0].get("failures") == "0", folder.read("j.xml"))
        folder.write("a.rules", b"calls of Same.Same in 1\n")
        folder.ci(*words)  # without growths nothing is left out


def a_rule_is_judged_where_its_names_are(program):
    with Folder(program) as folder:
        folder.write("now/a.trace", stream_of([b"Same"]))
        folder.write("now/b.trace", stream_of([b"Same", b"Other"]))
        folder.write("app.rules", b"calls of Same.Same in 1\nno calls of Nobody.*\ncalls of Other.Other in 1\n")
        text = folder.ci("--rules", "app.rules", "now")
        expect("2 kept, 0 broken, 0 without data, 1 about names that are not here" in text and "3 kept" in text, text)
        folder.write("app.rules", b"calls of Typo.Typo in 1\nwarn calls of Typo.Other in 1\ncalls of Same.Same in 1\n")
        text = folder.ci("--rules", "app.rules", "--junit", "j.xml", "now", status=3)
        expect(text.count("no benchmark has a method or a thread of this name") == 2, text)
        root = xml.etree.ElementTree.fromstring(folder.read("j.xml"))
        expect([(suite.get("name"), suite.get("failures"), suite.get("skipped")) for suite in root]
               == [("a: rules", "0", "0"), ("b: rules", "0", "0"), ("rules", "1", "0"), ("rules", "0", "1")], "suites")
        told = json.loads(folder.ci("--rules", "app.rules", "--json", "now", status=3))
        expect([(one["line"], one["level"], one["why"][:13]) for one in told["absent"]]
               == [(1, "error", "no benchmark "), (2, "warn", "no benchmark ")], told)
        folder.write("app.rules", b"calls of Other.Other in 7\n")
        text = folder.ci("--rules", "app.rules", "now", status=3)
        expect("app.rules:1: error, broken" in text and "traceview callers now/b.trace" in text, text)
        folder.write("app.rules", b"# none\n")
        folder.ci("--rules", "app.rules", "now", status=3)
        folder.write("app.rules", b"what is this\n")
        folder.ci("--rules", "app.rules", "now", status=1)


def a_method_that_other_threads_call_is_no_misspelt_name(program):
    with Folder(program) as folder:
        main = struct.pack("<HBHH", 0, 2, 2, 4) + b"main" + struct.pack("<HIII", 2, 4, 100, 100) + struct.pack("<HIII", 2, 5, 200, 200)
        folder.write("now/a.trace", nested_stream(b"Pool")[:-len(END)] + main + END)
        folder.write("now/b.trace", stream_of([b"Same"]))
        folder.write("app.rules", b"calls of Callee.Callee in 1 on thread main\ncalls of Callee.Nothing in 1 on thread main\n")
        words = "other threads call such a method, and none of this name does in any benchmark"
        text = folder.ci("--rules", "app.rules", "--junit", "j.xml", "now", status=3)
        expect("line 1 of the rules, error: " + words in text and "line 2 of the rules, error: no benchmark has a method" in text, text)
        expect(words in folder.read("j.xml"), "JUnit")
        told = json.loads(folder.ci("--rules", "app.rules", "--json", "now", status=3))["absent"]
        expect([one["why"] for one in told] == [words, "no benchmark has a method or a thread of this name"], told)


def a_misspelt_rule_fails_beside_any_other_benchmark(program):
    """A growth that is left out, as a benchmark is new, and a benchmark of wall time say nothing of a name."""
    with Folder(program) as folder:
        for run in range(2):
            for name in ("last/a", "now/a", "now/new"):
                folder.write("%s-%d.trace" % (name, run), stream_of([b"Same"], 2000 + run))
        folder.write("app.rules", b"time of Typo.Typo grows <= 5 % and 5 ms\ncalls of Same.Same in 1\n")
        text = folder.ci("--rules", "app.rules", "--against", "last", "now", status=3)
        expect("line 1 of the rules, error: no benchmark has a method" in text, text)
        text = folder.ci("--rules", "app.rules", "now", status=3)
        expect("line 1 of the rules, error: no benchmark has a method" in text, text)
        folder.write("app.rules", b"time of Same.Same grows <= 5 % and 5 ms\n")
        folder.ci("--rules", "app.rules", "now")
        # A rule of time is an error with CPU time and a warning with wall time: it is an error of the run if of any.
        folder.write("now/z.trace", made_trace("v2-wall.trace"))
        folder.write("app.rules", b"time of Typo.Typo <= 5 ms\n")
        text = folder.ci("--rules", "app.rules", "now", status=3)
        expect("line 1 of the rules, error: no benchmark has a method" in text, text)


def no_calls_of_asks_each_benchmark(program):
    """Samples do not tell that a method was not called, and neither do too few recordings."""
    with Folder(program) as folder:
        folder.write("now/sampled.trace", made_trace("v3-dual.trace").replace(b"\nvm=", b"\nsampling-interval-usec=1000\nvm=", 1))
        folder.write("now/exact.trace", stream_of([b"Same"]))
        folder.write("app.rules", b"no calls of Nobody.*\n")
        text = folder.ci("--rules", "app.rules", "now", status=3)
        expect("no data: no calls of Nobody" in text and "1 kept" in text and "no benchmark has" not in text, text)
        os.remove(folder.at("now/sampled.trace"))
        folder.ci("--rules", "app.rules", "now")
        folder.write("app.rules", b"no calls of Nobody.* over 2 runs\n")
        text = folder.ci("--rules", "app.rules", "now", status=3)
        expect("it asks for more recordings than there are" in text and "no benchmark has" not in text, text)
        folder.write("app.rules", b"no calls of Same.* on thread other\n")
        text = folder.ci("--rules", "app.rules", "now", status=3)
        expect("no benchmark has a method or a thread of this name" in text, text)


def a_file_without_a_rule_is_told(program):
    with Folder(program) as folder:
        folder.write("now/a.trace", stream_of([b"Same"]))
        folder.write("app.rules", b"# none\n")
        why = "the file says no rule, so nothing was checked"
        text = folder.ci("--rules", "app.rules", "--junit", "j.xml", "--summary", "s.text", "now", status=3)
        expect("== app.rules: error: " + why in text, text)
        expect("<code>app.rules</code>: error: " + why in folder.read("s.text"), folder.read("s.text"))
        failures = xml.etree.ElementTree.fromstring(folder.read("j.xml")).findall(".//failure")
        expect([one.get("message") for one in failures] == [why], failures)
        told = json.loads(folder.ci("--rules", "app.rules", "--json", "now", status=3))
        expect(told["no_rule"] is True, told)


def the_clock_that_is_asked_for_is_taken(program):
    """With and without a last run; what the new recordings lack is no fault of the last run."""
    with Folder(program) as folder:
        folder.write("now/new.trace", made_trace("v3-dual.trace"))
        folder.write("wall.rules", b"error time of com.example.* <= 3 ms\n")
        folder.ci("--rules", "wall.rules", "now")
        text = folder.ci("--clock", "wall", "--rules", "wall.rules", "now", status=3)
        expect("of wall time" in text and "of CPU time" not in text, text)
        # Of one side the old one lacks CPU time, of the other the new one.
        for benchmark, old, new in (("was", "v2-wall", "v3-dual"), ("is", "v3-dual", "v2-wall")):
            for side, name in (("last", old), ("now", new)):
                folder.write("%s/%s.trace" % (side, benchmark), made_trace(name + ".trace"))
        words = ("--clock", "cpu", "--against", "last")
        want = {"is": ("without the clock", 1, 1), "new": ("new", 0, 1), "was": ("not compared", 1, 1)}
        expect(folder.states(*words, "now", status=1) == want, "states")
        folder.write("growth.rules", b"time of com.example.* grows <= 5 % and 5 ms\n")
        folder.write("limit.rules", b"time of com.example.* <= 9 s\n")
        text = folder.ci(*words, "--rules", "growth.rules", "--junit", "j.xml", "now", status=1)
        expect("1 that cannot be compared, 1 without the clock that is asked for" in text, text)
        errors = xml.etree.ElementTree.fromstring(folder.read("j.xml")).findall(".//testcase/error")
        expect([one.get("type") for one in errors] == ["no clock"], errors)
        text = folder.ci(*words, "--rules", "limit.rules", "now", status=1)
        expect("a recording has no CPU clock" in text and text.count("1 kept") == 2, text)
        os.remove(folder.at("now/is.trace"))
        folder.ci(*words, "--rules", "limit.rules", "now")


def what_lost_data_or_has_none_keeps_no_rule(program):
    """A rule may be about just what was lost, so it is not left to other benchmarks either."""
    with Folder(program) as folder:
        folder.write("app.rules", b"no calls of Other.Other\ntime of Other.Other <= 9 s\n")
        folder.write("now/a.trace", stream_of([b"Same"]))
        folder.write("now/b.trace", stream_of([b"Same", b"Not"]))
        for names, cut, why in (([b"Same", b"Other"], 60, b"has lost data"), ([], 0, b"has no records")):
            stream = stream_of(names)
            folder.write("now/c.trace", stream[:len(stream) - cut - (len(END) if cut else 0)])
            text = folder.ci("--rules", "app.rules", "now", status=3)
            expect("== c: " in text and "0 kept, 0 broken, 2 without data" in text, text)
            done = subprocess.run([folder.program, "check", "--rules", "app.rules", "now/c.trace"], capture_output=True, check=False,
                                  cwd=folder.path, env=folder.variables)
            expect(done.returncode == 3 and why in done.stdout, done.stdout)


def the_summary_is_added_to_a_file(program):
    with Folder(program) as folder:
        folder.write("last/a.trace", stream_of([b"Same"]))
        folder.write("now/a.trace", stream_of([b"Same", b"Other"]))
        folder.write("step.text", b"what was there\n")
        folder.ci("--against", "last", "now", GITHUB_STEP_SUMMARY=folder.at("step.text"))
        text = folder.read("step.text")
        expect(text.startswith("what was there\n### Benchmarks\n") and "1 changed" in text and "Other.Other" in text, text)
        folder.ci("--against", "last", "--summary", "own.text", "now", GITHUB_STEP_SUMMARY=folder.at("step.text"))
        expect(folder.read("step.text") == text and folder.read("own.text") in text, "two files")
        folder.ci("--summary", "no/such/folder.text", "now", status=1)
        folder.ci("--summary", "/dev/full", "--junit", "j.xml", "now", status=1)
        xml.etree.ElementTree.fromstring(folder.read("j.xml"))
        folder.ci("--junit", "/dev/full", "now", status=1)


def no_file_that_is_read_is_written(program):
    with Folder(program) as folder:
        trace = stream_of([b"Same"])
        folder.write("last/a.trace", trace)
        folder.write("now/a.trace", trace)
        folder.write("app.rules", b"no calls of a.B\n")
        os.link(folder.at("now/a.trace"), folder.at("other"))
        for path in ("now/a.trace", "last/a.trace", "app.rules", "other"):
            for option in ("--junit", "--summary"):
                expect(not folder.ci("--against", "last", "--rules", "app.rules", option, path, "now", status=2), (option, path))
        folder.ci("--against", "last", "now", status=2, GITHUB_STEP_SUMMARY=folder.at("now/a.trace"))
        folder.ci("--junit", "app.rules", "now")
        for name in ("last/a.trace", "now/a.trace"):
            with open(folder.at(name), "rb") as file:
                expect(file.read() == trace, name)


def a_summary_has_an_end(program):
    """Of many benchmarks that changed, details end before the room does."""
    with Folder(program) as folder:
        many = [b"Method%d.%s" % (i, b"x" * 200) for i in range(100)]
        for i in range(60):
            folder.write("last/b%c.trace" % (48 + i), stream_of([b"Same"]))
            folder.write("now/b%c.trace" % (48 + i), stream_of([b"Same", *many]))
        folder.ci("-n", "0", "--against", "last", "--summary", "s.text", "now")
        text = folder.read("s.text")
        expect(500000 < len(text) < 1 << 20 and re.search("<p>and [0-9]+ more, for which a summary has no room</p>", text), len(text))


def names_are_hostile_everywhere(program):
    with Folder(program) as folder:
        names = [name for name in PAYLOADS if b"/" not in name and b"\0" not in name]
        for i, name in enumerate(names):
            folder.write(b"last/%c/%s.trace" % (65 + i, name), stream_of([b"Same"]))
            folder.write(b"now/%c/%s.trace" % (65 + i, name), stream_of([b"Same", b"Other"]))
        texts = [name.decode("utf-8", "replace") for name in PAYLOADS]
        for i, text in enumerate(texts):
            file = "json%d.trace" % i
            for side in ("last", "now"):
                folder.write("%s/json%d/%s" % (side, i, file), stream_of([b"Same"] if side == "last" else [b"Same", b"Other"]))
                folder.write("%s/json%d/x-benchmarkData.json" % (side, i), data_of((text, text, [("MethodTrace", file)])))
        folder.write("a.rules", b"no calls of Other.*\n")
        count = len(names) + len(texts)
        for words, status in (((), 0), (("--rules", "a.rules"), 3)):
            for name in ("s.text", "j.xml"):
                if os.path.exists(folder.at(name)):
                    os.remove(folder.at(name))
            text = folder.ci("--against", "last", "--summary", "s.text", "--junit", "j.xml", *words, "now", status=status)
            expect(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text), "a control character")
            expect(len(re.findall("^== ", text, re.M)) == count, "%d headings" % len(re.findall("^== ", text, re.M)))
            expect(not re.search("^(::|##)", text, re.M), "a command of the machine")
            root = xml.etree.ElementTree.fromstring(folder.read("j.xml"))
            expect(len(root) == count * (1 if words else 2), "%d suites" % len(root))
            expect({element.tag for element in root.iter()} <= {"testsuites", "testsuite", "testcase", "failure", "skipped", "system-out"},
                   "tags")
            expect(not any(case.get("name") == "forged" for case in root.iter("testcase")), "forged")
            page = Page()
            page.feed(folder.read("s.text"))
            page.close()
            expect(page.tags <= TAGS, page.tags)
            for line in folder.read("s.text").splitlines():
                expect(line == "" or line.startswith("<") or line == "### Benchmarks", "a line %r" % line)
            told = json.loads(folder.ci("--json", "--against", "last", *words, "now", status=status))
            expect(len(told["benchmarks"]) == count and all(one["state"] == "changed" for one in told["benchmarks"]), "json")


def lines_of(path, start):
    """The lines of shell that an example has."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    if start == "run":
        return [line for block in re.findall(r"run: \|\n((?: {10}.*\n)+)", text) for line in block.splitlines()]
    return [line.strip()[2:] for line in re.search(r"script:\n((?: {4}- .*\n)+)", text)[1].splitlines()]


def example_works(program, path, start, variables, told):
    """The first run has nothing to compare with; the second one is the same; the third calls once more, and fails."""
    lines = lines_of(path, start)
    expect(any("traceview ci" in line for line in lines), lines)
    with Folder(program) as folder:
        os.mkdir(folder.at("bin"))
        os.symlink(folder.program, folder.at("bin", "traceview"))
        folder.write("app.rules", b"calls growth <= 2 %\ncalls of Same.Same in 1\n")
        for number, (extra, status) in enumerate((([], 0), ([], 0), ([b"More"], 3))):
            folder.write("bench.trace", stream_of([b"Same", b"Other", *extra]))
            folder.write("run-benchmarks", b"#!/bin/sh\nmkdir -p \"$1\" && cp bench.trace \"$1/start-1.trace\"\n")
            os.chmod(folder.at("run-benchmarks"), 0o755)
            done = subprocess.run(["sh", "-ec", "\n".join(lines)], cwd=folder.path, capture_output=True, check=False,
                                  env={**folder.variables, "PATH": folder.at("bin") + ":" + os.environ["PATH"],
                                       **{name: value.replace("@", folder.path) for name, value in variables.items()}})
            expect(done.returncode == status, (number, done.returncode, done.stdout, done.stderr))
            expect(os.path.isdir(folder.at("last-traces")), "nothing is kept")
            expect(os.path.isdir(folder.at("traces")) == (status != 0), "a failed run is not the last one")
        expect(re.search(told[1], folder.read(told[0])), folder.read(told[0]))


def the_example_for_github_works(program):
    example_works(program, "docs/ci/github-actions.yml", "run", {"GITHUB_STEP_SUMMARY": "@/step.text"},
                  ("step.text", "(?s)no last run.*undecided: calls are the same.*changed.*calls growth.*2 calls became 3"))


def the_example_for_gitlab_works(program):
    """Branches that are not protected see the traces of the main branch, which is, and do not overwrite them."""
    with open(os.path.join(ROOT, "docs/ci/gitlab-ci.yml"), encoding="utf-8") as file:
        text = file.read()
    for line in ("    unprotect: true\n", "    policy: $POLICY\n", "  variables:\n    POLICY: pull\n",
                 "    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n      variables:\n        POLICY: pull-push\n"):
        expect(line in text, line)
    example_works(program, "docs/ci/gitlab-ci.yml", "script", {"CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main"},
                  ("traces.xml", "(?s)<testsuite name=\"start: rules\" tests=\"2\" failures=\"1\".*type=\"broken\""))


TESTS = [benchmarks_are_known_by_their_json_or_their_names, a_packed_copy_is_no_second_recording, copies_of_a_recording_are_told,
         one_file_by_two_names_is_a_failure_that_says_so, runs_are_in_the_order_of_their_numbers,
         the_other_run_in_the_folder_is_no_benchmark_of_it, sizes_of_a_benchmark_are_apart, one_mapping_of_two_builds_is_told,
         a_mapping_of_another_build_fails, traces_that_are_kept_with_their_names_need_no_mapping, short_names_of_two_builds_are_not_compared, the_old_side_may_have_a_mapping_of_its_own, a_trend_tells_what_was_inlined_apart, the_log_of_a_job_has_no_command, the_first_run_has_no_last_one, a_last_run_that_cannot_be_read_fails,
         what_is_not_decided_is_not_the_same, another_caller_is_a_failure, recordings_that_cannot_be_read_fail_alone,
         one_bad_recording_of_the_last_run_is_left_out_alone, growths_that_are_not_judged_are_told, a_longer_wait_is_no_same, a_time_that_creeps_is_seen_beside_a_release, a_last_run_that_lost_data_is_followed_by_others,
         a_rule_is_judged_where_its_names_are, a_method_that_other_threads_call_is_no_misspelt_name,
         a_misspelt_rule_fails_beside_any_other_benchmark,
         no_calls_of_asks_each_benchmark, the_clock_that_is_asked_for_is_taken, a_file_without_a_rule_is_told, what_lost_data_or_has_none_keeps_no_rule, the_summary_is_added_to_a_file, no_file_that_is_read_is_written, a_summary_has_an_end,
         names_are_hostile_everywhere,
         the_example_for_github_works, the_example_for_gitlab_works]


def main():
    passed = failed = 0
    for test in TESTS:
        try:
            test(sys.argv[1])
            passed += 1
        except Exception as error:
            failed += 1
            print("FAILED %s: %s: %.2000s" % (test.__name__, type(error).__name__, error))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
