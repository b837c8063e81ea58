#!/usr/bin/env python3
"""Tests of what bench/run and bench/growth do with their numbers, and a tiny run of every program, untimed.

    test_bench.py [BUILD [--all]]

Ends with "N passed, N failed". Without BUILD (a folder with a built program) only the arithmetic is tested; without --all every
program is compiled and run, but bench/run itself is not.
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

import fit
import hostile
import judge
import plot
import tools

MACHINE = {"processor": "A", "cores": 2}


def run_of(value, kind="ratio", noise=0.0, machine=None, records=7, yardstick_s=1.0, **more):
    return {"machine": machine or MACHINE, "inputs": {"made": records}, "yardstick_s": yardstick_s,
            "measures": {"made: it": {"value": value, "noise": noise, "kind": kind, **more}}}


class Measures(unittest.TestCase):
    def test_one_outlier_is_no_noise(self):
        one = judge.measure([1.0, 1.01, 1.02, 1.03, 9.0], "ratio")
        self.assertEqual(one["value"], 1.02)
        self.assertFalse(judge.is_noisy(one))
        self.assertTrue(judge.is_noisy(judge.measure([1.0, 1.01, 1.02, 1.3, 9.0], "ratio")))

    def test_too_few_times_are_noisy_and_sizes_are_not(self):
        self.assertTrue(judge.is_noisy(judge.measure([1.0, 1.0], "time")))
        self.assertFalse(judge.is_noisy(judge.measure([1.0], "size")))

    def test_ratios_are_of_each_round(self):
        one = judge.ratio([2.0, 8.0, 4.0], [1.0, 4.0, 2.0])
        self.assertEqual((one["value"], one["noise"]), (2.0, 0.0))


class Losses(unittest.TestCase):
    def words(self, before, now):
        return [word for _, word, _, _ in judge.compare(before, now)]

    def test_fifteen_percent_is_still_fine(self):
        self.assertEqual(self.words(run_of(100), run_of(115)), [])
        self.assertEqual(self.words(run_of(100), run_of(116)), ["worse"])
        self.assertEqual(self.words(run_of(100), run_of(50)), [])

    def test_more_times_faster_is_better(self):
        self.assertEqual(self.words(run_of(12, higher=True), run_of(20, higher=True)), [])
        self.assertEqual(self.words(run_of(12, higher=True), run_of(10, higher=True)), ["worse"])

    def test_what_noise_on_either_side_explains_is_not_judged(self):
        self.assertEqual(self.words(run_of(1), run_of(1.3, noise=0.2)), ["not judged: noisy"])
        self.assertEqual(self.words(run_of(1, noise=0.2), run_of(1.3)), ["not judged: noisy"])
        self.assertEqual(self.words(run_of(1, noise=0.2), run_of(1.5, noise=0.2)), ["not judged: noisy"])
        self.assertEqual(self.words(run_of(1), run_of(9, noise=None)), ["not judged: noisy"])

    def test_what_noise_does_not_explain_is_a_loss(self):
        self.assertEqual(self.words(run_of(1), run_of(1.4, noise=0.2)), ["worse"])
        self.assertEqual(self.words(run_of(1, noise=0.2), run_of(1.4)), ["worse"])
        self.assertEqual(self.words(run_of(1, noise=0.2), run_of(1.6, noise=0.2)), ["worse"])

    def test_another_machine_tells_of_sizes_alone(self):
        other = {"processor": "B", "cores": 8}
        self.assertEqual(self.words(run_of(1), run_of(2, machine=other)), ["not judged: recorded on another machine"])
        self.assertEqual(self.words(run_of(1, kind="size"), run_of(2, kind="size", machine=other)), ["worse"])

    def test_another_input_is_not_judged(self):
        self.assertEqual(self.words(run_of(1), run_of(2, records=8)), ["not judged: another input"])

    def test_times_count_in_yardsticks(self):
        before = run_of(1.0, kind="time", yardstick_s=1.0)
        self.assertEqual(self.words(before, run_of(2.0, kind="time", yardstick_s=2.0)), [])
        self.assertEqual(self.words(before, run_of(2.0, kind="time", yardstick_s=1.0)), ["worse"])
        self.assertEqual(self.words(before, run_of(2.0, kind="time", yardstick_s=None)), ["not judged: no yardstick"])

    def test_frames_and_new_measures_are_not_compared(self):
        self.assertEqual(self.words(run_of(1, kind="frame"), run_of(2, kind="frame")), [])
        new = run_of(1)
        new["measures"] = {"made: new": {"value": 1, "noise": 0, "kind": "ratio"}}
        self.assertEqual(self.words(run_of(1), new), [])
        self.assertFalse(judge.has_common(run_of(1), new))
        self.assertFalse(judge.has_common(run_of(1, kind="frame"), run_of(2, kind="frame")))
        self.assertTrue(judge.has_common(run_of(1), run_of(2)))


class Table(unittest.TestCase):
    def row(self, measures, key, why_not=None):
        lines = judge.table(measures, why_not or {}).splitlines()
        words = next(words for known, words, _, _ in judge.BUDGETS if known == key)
        return next(line for line in lines if line.startswith("| %s |" % words))

    def test_verdicts(self):
        key = "javac: index / limit"
        self.assertIn("| ≤ 6x | 5.99x | met |",
                      self.row({key: judge.measure([5.99] * 5, "ratio")}, key))
        self.assertIn("| **missed** |", self.row({key: judge.measure([6.01] * 5, "ratio")}, key))
        key = "javac: dmtracedump / index"
        self.assertIn("| ≥ 12x | 12.50x | met |", self.row({key: judge.measure([12.5] * 5, "ratio", True)}, key))
        self.assertIn("| **missed** |", self.row({key: judge.measure([11] * 5, "ratio", True)}, key))

    def test_what_is_missing_says_why(self):
        self.assertIn("not measured: no browser", self.row({}, "calls: frame typical", {"calls: frame typical": "no browser"}))

    def test_what_nobody_asked_for_has_no_row(self):
        self.assertNotIn("binary", judge.table({}, {"binary: bytes": ""}))
        self.assertIn("binary", judge.table({}, {}))

    def test_units(self):
        self.assertEqual([judge.show(*pair) for pair in ((0.0042, "s"), (60e-9, "s"), (411888, "bytes"), (3_000_000, "bytes"),
                                                          (3218, "boxes"))],
                         ["4.2 ms", "60 ns", "402 KiB", "3.00 MB", "3,218"])


class Growth(unittest.TestCase):
    def axis(self, power):
        return {"fixed": "all else", "points": [
            {"x": 10**n, "user_s": 1e-5 * 10 ** (power * n), "wall_s": 1e-5 * 10 ** (power * n),
             "peak_bytes": 100 * 10**n, "bytes": 50 * 10**n} for n in range(1, 7)]}

    def test_exponents(self):
        straight, square = fit.rows({"a": self.axis(1), "b": self.axis(2)}, ["a", "b"])
        self.assertAlmostEqual(straight["user_s"], 1)
        self.assertFalse(straight["is_steep"])
        self.assertAlmostEqual(square["user_s"], 2)
        self.assertTrue(square["is_steep"])

    def test_a_late_rise_is_seen(self):
        axis = self.axis(0)
        for point in axis["points"]:
            point["user_s"] = 1.0 + 1e-10 * point["x"] ** 2
        self.assertLess(fit.rows({"a": axis}, ["a"])[0]["user_s"], 0.5)
        self.assertGreater(fit.rows({"a": axis}, ["a"])[0]["user_s_end"], 0.9)

    def test_a_step_on_the_way_is_no_growth(self):
        axis = self.axis(1)
        for point in axis["points"][3:]:
            point["user_s"] *= 1.6
        self.assertFalse(fit.rows({"a": axis}, ["a"])[0]["is_steep"])

    def test_counts_read_well(self):
        self.assertEqual([fit.power_of_ten(n) for n in (1, 1000, 30_000, 10**6, 5 * 10**8, 31_600_000)],
                         ["1", "1,000", "3 × 10⁴", "10⁶", "5 × 10⁸", "31,600,000"])

    def test_the_picture_is_whole(self):
        root = xml.etree.ElementTree.fromstring(plot.figure("records", self.axis(1)))
        self.assertEqual(len([node for node in root.iter() if node.tag.endswith("circle")]), 12)


class Pages(unittest.TestCase):
    def test_only_what_is_between_marks_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write("before\n<!-- t: begin -->\nold\n<!-- t: end -->\nafter\n")
            self.assertTrue(tools.replace_between(path, "t", "new"))
            self.assertFalse(tools.replace_between(path, "other", "new"))
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "before\n<!-- t: begin -->\n\nnew\n\n<!-- t: end -->\nafter\n")


class Sections(unittest.TestCase):
    """What goes wrong in one section of bench/run costs that section alone."""

    def setUp(self):
        path = os.path.join(tools.ROOT, "bench", "run")
        loader = importlib.machinery.SourceFileLoader("bench_run", path)
        self.module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_run", loader))
        loader.exec_module(self.module)
        self.told = {"measures": {}, "facts": {}, "left_out": {}, "inputs": {}, "sections": ["binary"], "has_failed": False}

    def take(self, function):
        self.module.SECTIONS["binary"] = (function, ["binary: bytes"])
        with contextlib.redirect_stdout(io.StringIO()):
            self.module.run_section(None, None, self.told, "binary")
        return self.told["left_out"].get("binary")

    def test_what_is_missing_is_no_failure(self):
        def lack(bench, options):
            raise self.module.Missing("no such tool")
        self.assertEqual(self.take(lack), "no such tool")
        self.assertFalse(self.told["has_failed"])
        self.assertEqual(self.module.why_missing(self.told)["binary: bytes"], "no such tool")

    def test_a_failure_is_told(self):
        self.assertEqual(self.take(lambda bench, options: 1 / 0), "failed: division by zero")
        self.assertTrue(self.told["has_failed"])

    def test_what_hangs_is_given_up(self):
        self.module.USUAL_LONGEST_S = 1
        self.assertEqual(self.take(lambda bench, options: time.sleep(20)), "failed: took longer than 1 s")

    def test_what_was_measured_is_kept(self):
        self.assertIsNone(self.take(lambda bench, options: ({"binary: bytes": judge.measure([7], "size")}, {"calls": 3})))
        self.assertEqual((self.told["measures"]["binary: bytes"]["value"], self.told["inputs"]["binary"]), (7, 3))


class Programs(unittest.TestCase):
    """Everything compiles and runs, on a trace of 2000 records; no time is looked at."""

    build = None

    def setUp(self):
        if self.build is None:
            self.skipTest("no build named")
        self.bench = tools.Bench(self.build)
        self.bench.work = self.enterContext(tempfile.TemporaryDirectory())

    if not hasattr(unittest.TestCase, "enterContext"):
        def enterContext(self, context):
            self.addCleanup(context.__exit__, None, None, None)
            return context.__enter__()

    def test_programs_agree_about_a_tiny_trace(self):
        self.bench.compile()
        path = self.bench.generate(os.path.join(self.bench.work, "tiny.trace"), records=2000)
        limit, index = self.bench.ask("limit", path, 1), self.bench.ask("index", path, 1)
        self.assertEqual((limit["records"], index["records"]), (2000, 2000))
        self.assertEqual(index["leaked_bytes"], 0)

    def test_answers_are_told_with_what_they_took(self):
        self.bench.compile(["generate", "answers"])
        path = self.bench.generate(os.path.join(self.bench.work, "tiny.trace"), records=2000)
        answers = hostile.answers_about(self.bench, path)
        self.assertGreater(len(answers), 10)
        self.assertEqual({answer["status"] for answer in answers}, {200})
        self.assertTrue(all(0 < answer["bytes"] <= answer["peak_bytes"] * 64 for answer in answers))

    def test_chosen_ids_share_a_bucket_and_can_be_read(self):
        ids = hostile.chosen_ids(500)
        self.assertEqual(len(set(ids)), 500)
        self.assertEqual({number % 4 for number in ids} | {hostile.mixed(number) & 0xffffffff for number in ids}, {0})
        self.assertEqual(len(set(hostile.ids_for_seeds(1000))), 1000)
        self.bench.compile(["index"])
        self.assertEqual(set(hostile.flood_ratios(self.bench, count=2000, rounds=1)), set(hostile.FLOODS))

    def test_a_star_has_the_fan_out_that_was_asked_for(self):
        self.bench.compile(["generate", "index"])
        path = self.bench.generate(os.path.join(self.bench.work, "star.trace"), records=4001, star=1, threads=1,
                                   fan_out=7, methods=8)
        self.assertEqual(self.bench.ask("index", path, 1)["nodes"], 1 + 7)

    def test_threads_alike_all_have_records(self):
        self.bench.compile(["generate", "index"])
        path = self.bench.generate(os.path.join(self.bench.work, "many.trace"), records=4000, threads=20, bursts=8,
                                   main_percent=0)
        self.assertEqual(self.bench.ask("index", path, 1)["threads"], 20)

    def test_claims_are_counted_and_a_planted_call_is_found(self):
        self.bench.compile(["generate"])
        folder = os.path.join(self.bench.work, "sets")
        scripts = os.path.join(tools.ROOT, "bench")
        same = self.bench.generate(os.path.join(self.bench.work, "same.trace"), records=2000)

        def run(script, *words):
            done = subprocess.run([sys.executable, os.path.join(scripts, script), *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        run("record_sets.py", self.bench.traceview, folder, "--runs", "4", "--turns", "100000")
        os.mkdir(os.path.join(folder, "made"))
        for i in range(4):
            shutil.copy(same, os.path.join(folder, "made", "%d.trace" % i))
        lines = run("compare_claims.py", folder, "--runs", "2", "--pairs", "20", "--build", self.build).splitlines()
        made = next(line for line in lines if line.startswith("| made |"))
        self.assertEqual(made.count("0.0 % (0.00)"), 6, made)
        one_call = next(line for line in lines if line.startswith("| planted-calls |"))
        self.assertTrue(one_call.startswith("| planted-calls | 100.0 % |"), one_call)

    def test_statistics_are_timed(self):
        self.bench.compile(["significance"])
        told = self.bench.ask("significance", 50, 6, 1)
        self.assertEqual((told["methods"], told["runs"], told["rules"]), (50, 6, 1000))
        self.assertGreater(min(told["test_ns"], told["rules_ns"]), 0)

    def test_a_tiny_run_ends_well(self):
        command = [os.path.join(tools.ROOT, "bench", "run"), "--build", self.build, "--work", self.bench.work, "--tiny"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout.decode("utf-8", "replace"))
        with open(os.path.join(self.bench.work, "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        for section in result["sections"]:
            if section in result["left_out"]:
                print("skipped: bench/run, %s: %s" % (section, result["left_out"][section]))
            else:
                self.assertIn(section, result["facts"])
        self.assertIn("made: index / limit", result["measures"])


WHOLE = "test_a_tiny_run_ends_well"  # fifty seconds


def all_tests(suite):
    for test in suite:
        yield from all_tests(test) if isinstance(test, unittest.TestSuite) else [test]


def main():
    if len(sys.argv) > 1:
        Programs.build = os.path.abspath(sys.argv[1])
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    if "--all" not in sys.argv[2:]:
        suite = unittest.TestSuite(test for test in all_tests(suite) if not test.id().endswith(WHOLE))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    failed = len(result.failures) + len(result.errors)
    for test, why in result.skipped:
        print("skipped: %s: %s" % (test.id(), why))
    print("%d passed, %d failed" % (result.testsRun - failed - len(result.skipped), failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
