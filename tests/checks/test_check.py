#!/usr/bin/env python3
"""Checks what scripts/check says of skipped and failed tests, and counts with --no-skips. Ends with "N passed, N failed"."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOADER = importlib.machinery.SourceFileLoader("check", os.path.join(ROOT, "scripts", "check"))
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", LOADER))
LOADER.exec_module(check)
ALL_STEPS, LONG_STEPS, RELEASE = check.STEPS, check.LONG_STEPS, check.RELEASE  # before cases put their own in its place

NO_PEER = "skipped: a peer: peer is not installed"
NO_TRACES = "skipped: real traces: no %s" % check.SHARED
NO_PAGE = "skipped: the page: built without its page"
UNIT_TESTS = """[ RUN      ] is_run\n[       OK ] is_run
[ RUN      ] for_root\nskipped: needs root, who may\n[  SKIPPED ] for_root
[ RUN      ] silent\n[  SKIPPED ] silent
[ RUN      ] in_part\nskipped: this kernel has no walls\n[       OK ] in_part
"""


def step(name, needs, *lines):
    return (name, needs, "printf '%s\\n'" + "".join(" '%s'" % line for line in lines))


def told(steps, *words, builds=None, logs=None):
    """Status and output of scripts/check over these steps, with builds that do nothing."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        check.LOGS, check.STEPS, check.LONG_STEPS = logs or folder, steps, []
        check.BUILDS = builds or {"release": ("build", "true"), "asan": ("build with ASan", "true")}
        sys.argv = ["check", *words]
        status = 0
        try:
            check.main()
        except SystemExit as end:
            status = end.code
    return int(status), out.getvalue()


def last_lines(text):
    return text[text.index("Skipped: "):].splitlines()


def nothing_skipped_is_said():
    status, text = told([step("one", None, "3 passed, 0 failed")])
    return status == 0 and last_lines(text) == ["Skipped: nothing", "3 passed, 0 failed"]


def what_is_skipped_stands_before_the_sum_once():
    status, text = told([step("one", None, NO_TRACES, "3 passed, 0 failed"), step("two", None, NO_TRACES)])
    return status == 0 and last_lines(text) == [
        "Skipped: 1", "    real traces: no %s (one; two)" % check.SHARED, "4 passed, 0 failed"]


def a_needless_skip_fails_where_none_may_be():
    steps = [step("one", None, NO_PEER, "3 passed, 0 failed")]
    advised = ["Skipped: 1", "    a peer: peer is not installed (one): run scripts/install build page tests"]
    here, there = told(steps), told(steps, "--no-skips")
    return (here[0], last_lines(here[1])) == (0, [*advised, "3 passed, 0 failed"]) and \
        (there[0], last_lines(there[1])) == (1, [*advised, "3 passed, 1 failed"])


def what_failed_is_said_once_more_before_the_sum():
    status, text = told([step("one", None, "FAILED: first", "# ", "said", "failed: second", "3 passed, 2 failed"),
                         step("two", "asan", "3 passed, 0 failed"), ("three", None, "echo broken; false")])
    return status == 1 and last_lines(text) == [
        "Skipped: nothing", "Failed: one", "    FAILED: first", "    said", "    failed: second", "Failed: three", "    broken",
        "7 passed, 3 failed"]


def step_that_fails_at_first(name, folder):
    mark = os.path.join(folder, "mark")
    return (name, "release", "[ -e %s ] && echo '3 passed, 0 failed' || { touch %s; echo 'not ok - late'; echo '2 passed, 1 failed'; }"
            % (mark, mark))


def what_fails_beside_others_alone_is_run_once_more_and_told():
    with tempfile.TemporaryDirectory() as folder:
        status, text = told([step_that_fails_at_first(check.RUN_AGAIN[0], folder), step("two", "asan", "3 passed, 0 failed")])
    return status == 0 and "Once more, alone: " + check.RUN_AGAIN[0] in text and last_lines(text) == [
        "Skipped: nothing", "Passed alone: " + check.RUN_AGAIN[0], "    not ok - late", "8 passed, 0 failed"]


def only_the_files_that_failed_are_run_once_more():
    """By the words that the first run tells; what passed in the other files is counted by it."""
    first = "echo not ok - late; echo \"# once more: --only=b.mjs --passed=3\"; echo 4 passed, 1 failed; false"
    command = "sh -c 'if [ $# = 0 ]; then %s; else echo $*; echo 5 passed, 0 failed; fi' run" % first
    with tempfile.TemporaryDirectory() as logs:
        status, text = told([(check.RUN_AGAIN[0], "release", command)], logs=logs)
        with open(os.path.join(logs, re.sub(r"\W+", "-", check.RUN_AGAIN[0]) + ".log"), encoding="utf-8") as log:
            said = log.read()
    return status == 0 and said.startswith("--only=b.mjs --passed=3\n") and last_lines(text)[-1] == "6 passed, 0 failed"


def what_fails_twice_has_failed():
    status, text = told([step(check.RUN_AGAIN[0], "release", "not ok - wrong", "2 passed, 1 failed")])
    return status == 1 and last_lines(text) == ["Skipped: nothing", "Failed: " + check.RUN_AGAIN[0], "    not ok - wrong",
                                                "3 passed, 1 failed"]


def other_steps_have_no_second_run():
    with tempfile.TemporaryDirectory() as folder:
        status, text = told([step_that_fails_at_first("unit tests", folder)])
    return status == 1 and "Once more" not in text


def a_sanitizers_report_is_not_taken_back():
    reports = ["WARNING: ThreadSanitizer: data race (pid=1)", "==1==ERROR: AddressSanitizer: heap-use-after-free",
               "a.c:1:2: runtime error: shift exponent 64 is too large"]
    for report in reports:
        with tempfile.TemporaryDirectory() as folder:
            name, needs, command = step_that_fails_at_first(check.RUN_AGAIN[0], folder)
            status, text = told([(name, needs, "echo '%s'; %s" % (report, command))])
        if status != 1 or "Once more" in text:
            return False
    return True


def nothing_is_run_again_when_much_failed():
    with tempfile.TemporaryDirectory() as folder:
        steps = [step("step %d" % i, None, "not ok - a", "0 passed, 1 failed") for i in range(check.MOST_RUN_AGAIN)]
        steps.append(step_that_fails_at_first(check.RUN_AGAIN[0], folder))
        status, text = told(steps)
    return status == 1 and "Once more" not in text


def a_program_that_took_too_long_is_named():
    """Its cases may all have passed, as where it was ended while it cleaned up: meson's line alone tells of it."""
    step_of = step("one", None, " 3/9 traceview:unit+store / store_db    TIMEOUT       120.02s   killed by signal 15 SIGTERM",
                   "9 passed, 1 failed")
    _, text = told([step_of])
    return "Failed: one" in text and "store_db    TIMEOUT" in text.split("Failed: one")[1]


def steps_that_are_run_again_exist():
    return set(check.RUN_AGAIN) <= {name for name, _, _ in ALL_STEPS}


def script_of(command):
    """The script of tests or of benchmarks that a command is."""
    found = re.search(r"(?:python3|node) ((?:tests|bench)/\S+)", command)
    return found and ("web/" if "cd web" in command else "") + found[1]


# A script that takes a part of its cases has an option for all of them.
PART = re.compile(r'DRAWN_OF|from drawn import|drawn\.mjs|is_all|"--(all|long)"( in | not in |, action)|includes\("--(all|long)"\)')


def what_is_drawn_is_whole_in_check_all():
    """Each step that takes a part stands in LONG_STEPS once more, with the option that takes all."""
    whole = {re.sub(" --(all|long)\\b", "", command) for _, _, command in LONG_STEPS if re.search(" --(all|long)\\b", command)}
    parts = {}
    for _, _, command in ALL_STEPS:
        script = script_of(command)
        if script and not script.startswith("tests/checks/"):
            with open(os.path.join(ROOT, script), encoding="utf-8") as file:
                if PART.search(file.read()):
                    parts.setdefault(script, []).append(command)
    known = {"tests/acceptance/run.py", "tests/cli/failing.py", "tests/cli/bombs.py", "tests/cli/exports.py", "tests/readers/run.py",
             "tests/record/recorded.py", "tests/record/jvm.py", "tests/store/killed.py", "tests/engine/answers.mjs", "web/tests/all.mjs",
             "bench/test_bench.py", "tests/cli/hints.py"}
    return known <= set(parts) and {command for commands in parts.values() for command in commands} <= whole


def no_step_is_there_twice():
    """Neither a name nor, in other words or in another order of them, a command."""
    steps = ALL_STEPS + LONG_STEPS
    return len({name for name, _, _ in steps}) == len(steps) == len({(needs, *sorted(command.split())) for _, needs, command in steps})


def no_script_runs_in_two_builds():
    """In STEPS a script runs in one build."""
    twice = {}
    for _, needs, command in ALL_STEPS:
        twice.setdefault(script_of(command), set()).add(needs)
    twice = {script for script, builds in twice.items() if script and len(builds) > 1}
    return twice == set()


def only_builds_that_leave_the_page_out_may_lack_it():
    return told([step("one", "asan", NO_PAGE)], "--no-skips")[0] == 0 and \
        told([step("one", "release", NO_PAGE)], "--no-skips")[0] == 1


def unit_tests_that_skip_themselves_are_named():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.json")
        with open(log, "w", encoding="utf-8") as file:
            test = {"name": "os-cache", "result": "OK", "stdout": UNIT_TESTS, "stderr": ""}
            file.write(json.dumps(test) + "\n")
        text = subprocess.run(["python3", os.path.join(ROOT, "scripts", "count_unit_tests"), log], stdout=subprocess.PIPE, text=True,
                              check=False).stdout
    return text.splitlines() == ["skipped: os-cache, for_root: needs root, who may",
                                 "skipped: os-cache, silent: it does not say why",
                                 "skipped: os-cache, in_part: this kernel has no walls", "2 passed, 0 failed"]


def a_step_waits_for_all_its_builds():
    with tempfile.TemporaryDirectory() as folder:
        marks = [os.path.join(folder, name) for name in ("release", "asan")]
        both = ("both", "release asan", "[ -e %s ] && [ -e %s ]" % tuple(marks))
        builds = {name: ("build of " + name, "sleep 0.2; touch " + mark) for name, mark in zip(("release", "asan"), marks)}
        fine = told([both], builds=builds)
        broken = told([both], builds={**builds, "asan": ("build of asan", "false")})
    return fine[0] == 0 and broken[0] == 1 and 'not run: "build of asan" failed' in broken[1]


def a_warning_of_the_release_is_a_failure():
    with tempfile.TemporaryDirectory() as folder:
        statuses = []
        for said, status in (("Built it", 0), ("a.c:1:2: warning: unused", 0), ("Built it", 1)):
            with open(os.path.join(folder, "make"), "w", encoding="utf-8") as make:
                make.write("#!/bin/sh\necho '%s'; exit %d\n" % (said, status))
            os.chmod(make.name, 0o755)
            done = subprocess.run(["bash", "-c", RELEASE], cwd=folder, stdout=subprocess.DEVNULL, check=False,
                                  env=dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"]))
            statuses.append(done.returncode != 0)
    return statuses == [False, True, True]


CASES = [nothing_skipped_is_said, what_is_skipped_stands_before_the_sum_once, a_needless_skip_fails_where_none_may_be,
         what_failed_is_said_once_more_before_the_sum, what_fails_beside_others_alone_is_run_once_more_and_told,
         only_the_files_that_failed_are_run_once_more, what_fails_twice_has_failed, other_steps_have_no_second_run,
         nothing_is_run_again_when_much_failed, a_program_that_took_too_long_is_named,
         what_is_drawn_is_whole_in_check_all, no_step_is_there_twice, no_script_runs_in_two_builds,
         steps_that_are_run_again_exist, a_sanitizers_report_is_not_taken_back, only_builds_that_leave_the_page_out_may_lack_it,
         unit_tests_that_skip_themselves_are_named, a_step_waits_for_all_its_builds, a_warning_of_the_release_is_a_failure]


def main():
    failed = 0
    for case in CASES:
        if not case():
            failed += 1
            print("FAILED: %s" % case.__name__)
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
