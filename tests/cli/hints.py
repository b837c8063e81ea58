#!/usr/bin/env python3
"""Runs what hints propose: no command and no option that the program proposes may be refused.

    hints.py PROGRAM [--all]

Every verb is given options that another verb has, and all words of other tools that src/cli/command/hints.c knows; answers
that tell of an option for more rows are asked with that option. Without --all a verb is given one of DRAWN_OF options of others,
drawn by the names of both: it is refused by one table, whatever the option is called. Ends with "N passed, N failed".
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
from drawn import drawn

DATA = os.path.join(ROOT, "tests", "data")
PATIENCE_S = 240  # on a busy machine; only a failure takes that long
DRAWN_OF = 8
# These wait for somebody, or for a device: that they begin to is enough.
WAITING = {"view", "serve", "open", "record", "push", "devices", "processes", "pull"}
WAITS_S = 0.5
# What is wrong is what the line had: a value, a word that is in the names of several methods, one file where two are
# compared, or an option without the one that it goes with, or a verb without its mapping or its question.
OWN_WORD = "'app.trace': must be|give a whole name|: add the |diff needs OLD and NEW|trend needs 2 to 100|names: needs a mapping|--then comes between|--json is for --check|fleet asks for"


class Cases:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.passed = self.failed = 0
        self.env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        self.env.update(XDG_CACHE_HOME=folder, XDG_STATE_HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder,
                        TRACEVIEW_SITE="http://127.0.0.1:9", BROWSER="true", PATH="/usr/bin:/bin", TERM="dumb")

    def run(self, words, patience_s=PATIENCE_S):
        """(status, what it told); the status is 0 where it still waits."""
        try:
            run = subprocess.run([self.program, *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=patience_s, check=False)
        except subprocess.TimeoutExpired:
            return 0, ""
        return run.returncode, (run.stdout + run.stderr).decode("utf-8", "replace")

    def true(self, name, condition, shown):
        self.passed += bool(condition)
        self.failed += not condition
        if not condition:
            print("FAILED: %s: %s" % (name, shown), flush=True)


def proposal_in(told):
    """The command that a message proposes; NONE: it proposes none, or only an option."""
    found = re.search(r"did you mean(?:: (traceview .*)$| '(traceview [^']*)'\?$)", told, re.M)
    command = found and (found[1] or found[2])
    return None if not command or command.endswith(" ...") else shlex.split(command)[1:]


def proposals_run(cases, own, foreign, one_of):
    """`own`: the options of each verb; `foreign`: words of other tools."""
    verbs = sorted(own)
    options = sorted(set().union(*own.values()) - set(foreign))
    words = options + foreign
    asked = set()
    told_of = []
    for verb in verbs:  # those that wait do so for each option that they have
        if verb in WAITING:
            continue
        others = drawn([word for word in options if word not in own[verb]], one_of, lambda word, verb=verb: "%s %s" % (verb, word))
        others += [word for word in foreign if word not in own[verb] and (word.startswith("-") or verb == "callers")]
        told_of += [[verb, word, "app.trace"] for word in others]
    told_of += [[word, "app.trace"] for word in words] + [["app.trace", word] for word in words]
    told_of += [[option, verb, "app.trace"] for verb in verbs for option in ("--json", "--sort=calls", "--full")]
    told_of += [[verb + "x", option, "app.trace"] for verb in verbs for option in ("--json", "-n", "--full")]
    for line in told_of:
        # What the program takes need not be run here.
        if line[0] in WAITING and line[1].lstrip("-") not in ("json", "sort"):
            continue
        status, told = cases.run(line, WAITS_S)
        command = proposal_in(told) if status == 2 else None
        if command is None or tuple(command) in asked:
            continue
        asked.add(tuple(command))
        status, told = cases.run(command, WAITS_S if command[0] in WAITING else PATIENCE_S)
        cases.true("traceview %s proposes traceview %s" % (" ".join(line), " ".join(command)),
                   status != 2 or re.search(OWN_WORD, told), told[:300])
    cases.true("there are proposals", len(asked) > 30, sorted(asked))


def more_rows(cases):
    """What an answer says of an option for more rows is so."""
    for words in (["top", "app.trace"], ["tree", "app.trace"], ["tree", "--depth", "1", "app.trace"],
                  ["tree", "-n", "3", "app.trace"], ["frames", "--worst", "1", "frames.trace"], ["top", "--group", "class",
                  "app.trace"], ["top", "--clock", "wait", "app.trace"]):
        status, told = cases.run(words)
        options = re.findall(r"((?:--?[a-z]+(?: 0)?)) (?:shows|counts)(?: \w+)*", told)
        for option in options:
            more = words[:1] + [word for word in words[1:] if word.endswith(".trace")] + option.split()
            more += ["1"] if option == "--depth" else []
            status, answer = cases.run(more)
            cases.true("%s: %s" % (" ".join(words), option), status == 0, answer[:300])
        cases.true("%s tells of more" % " ".join(words), options or "wait" in words, told[-300:])


def told_measure(line):
    """What a sentence of insights is about, where a command follows."""
    return "wait" if re.match(r" *[\d.]+ \S+ +wait +\S+ waited ", line) else "wall" if " of wall time at " in line else None


def closer_looks_run(cases):
    """The commands that insights and frames end with can be pasted, whatever the file is called."""
    for name, trace, verbs in (("my app's.trace", "app.trace", ("insights", "info")), ("-new.trace", "frames.trace", ("frames",)),
                               ("frames.trace", "frames.trace", ("frames",))):
        path = os.path.join(cases.folder, name)
        if name != trace:
            shutil.copy(os.path.join(cases.folder, trace), path)
        for verb in verbs:
            told = cases.run([verb, "--", name])[1]
            commands = re.findall(r"^    (traceview [a-z]+ .*)$", told, re.M)
            cases.true("%s %s has commands" % (verb, name), commands, told)
            by = [told_measure(line) for line in told.splitlines() if told_measure(line)] if verb == "insights" else []
            for measure, command in zip(by, commands):
                cases.true("%s is by the measure of its sentence, %s" % (command, measure), "--clock %s " % measure in command, told)
            for command in commands:
                run = subprocess.run(["sh", "-c", 'traceview() { "$PROGRAM" "$@"; }\n' + command], cwd=cases.folder,
                                     env=dict(cases.env, PROGRAM=cases.program), capture_output=True, check=False)
                rows = re.findall(r"^ +[0-9.,]+ +[0-9.]+ .*$", run.stdout.decode(), re.M)
                cases.true(command, run.returncode == 0 and (rows or " tree " not in command), (run.stdout + run.stderr).decode()[:300])


def main():
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--all"]):
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(program, folder)
        shutil.copy(os.path.join(HERE, "cases", "frames", "app.trace"), os.path.join(folder, "frames.trace"))
        # Whatever is proposed, a small trace does.
        shutil.copy(os.path.join(folder, "frames.trace"), os.path.join(folder, "app.trace"))
        listed = cases.run(["--help"])[1]
        verbs = sorted(set(re.findall(r"^  ([a-z]+) ", listed, re.M)) - {"traceview"})
        source = open(os.path.join(ROOT, "src", "cli", "command", "hints.c"), encoding="utf-8").read()
        words = re.findall(r'\{"([a-z-]+)", +"', source)
        own = {verb: set(re.findall(r"^  +(?:-[a-zA-Z], )?(--[a-z-]+|-[a-zA-Z]) ?", cases.run([verb, "--help"])[1], re.M))
               for verb in verbs}
        proposals_run(cases, own, sorted({"--" + word for word in words}) + sorted(words), 1 if sys.argv[2:] else DRAWN_OF)
        shutil.copy(os.path.join(DATA, "recipes.trace.zst"), os.path.join(folder, "app.trace"))
        more_rows(cases)
        closer_looks_run(cases)
    print("%d passed, %d failed" % (cases.passed, cases.failed))
    sys.exit(cases.failed > 0)


main()
