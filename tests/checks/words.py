#!/usr/bin/env python3
"""Checks that help and manual agree, and that every manual page is well formed.

    words.py PROGRAM

Each verb has a page man/traceview-<verb>.1 that lists exactly the options of its --help; traceview.1 lists
exactly the verbs, and every variable of the environment that the program reads. Ends with "N passed, N failed".
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def words_of(program, *arguments):
    """What a shell completes: verbs, or behind a verb its options."""
    typed = ["0", ""] if not arguments else ["1", *arguments, "-"]
    run = subprocess.run([program, "--complete", *typed], capture_output=True, text=True, check=True)
    return [line.split("\t")[0] for line in run.stdout.splitlines()[1:]]


def options_in_help(program, verb):
    """Words of the lines "  -o, --output OUT  what it is"."""
    run = subprocess.run([program, verb, "--help"], capture_output=True, text=True, check=True)
    found = re.findall(r"^  (-\w)?(?:, )?(--[\w-]+)?", run.stdout, re.M)
    return {word for words in found for word in words if word}


def verbs_of(program):
    """The first words that are no options: -r alone is a verb that looks like one."""
    return [word for word in words_of(program) if not word.startswith("-") or word == "-r"]


def page_of(verb):
    name = "traceview.1" if verb is None else "traceview-%s.1" % ("regression" if verb == "-r" else verb)
    path = os.path.join(ROOT, "man", name)
    return open(path).read() if os.path.exists(path) else None


def options_in(page):
    """Words of the .It Fl lines: ".It Fl -sort Ar KEY" is --sort, ".It Fl n Ar COUNT" is -n."""
    return {"-" + m for m in re.findall(r"^\.It Fl (\S+)", page, re.M)}


def variables_in(page):
    """Words of the .It Ev lines: ".It Ev DISPLAY , WAYLAND_DISPLAY" are two."""
    return {word for line in re.findall(r"^\.It Ev (.+)", page, re.M) for word in line.split() if word != ","}


def variables_read():
    """Names of variables in the sources that read any: as strings, in a macro too, and where a shell gets them."""
    found = set()
    for place, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                text = file.read()
            found |= set(re.findall(r'_VARIABLE "([A-Z_]+)"', text))
            if "getenv" in text:
                found |= set(re.findall(r'(?<!\.argument = )"([A-Z][A-Z0-9_]{3,})"', text))
                found |= set(re.findall(r"\b([A-Z_]+)=\$\{", text))
    return found


def problems_of(program, verb):
    page = page_of(verb)
    if page is None:
        return ["no manual page"]
    lint = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", "-"], input=page, text=True,
                          capture_output=True, env=dict(os.environ, LC_ALL="C.UTF-8"), check=False)
    problems = [line for line in lint.stderr.splitlines() if line.strip()]
    if verb is None:
        told = {"-" + v[1:] if v.startswith("-") else v for v in re.findall(r"^\.It Cm (\S+)", page, re.M)}
        there = set(verbs_of(program))
        kind = "verbs"
        if variables_in(page) != variables_read():
            problems.append("variables in the manual alone %s, in the program alone %s"
                            % (sorted(variables_in(page) - variables_read()), sorted(variables_read() - variables_in(page))))
    else:
        told = options_in(page)
        there = set(words_of(program, verb))
        if there != options_in_help(program, verb):
            problems.append("a shell completes %s, and --help has %s"
                            % (sorted(there), sorted(options_in_help(program, verb))))
        kind = "options"
    if told != there:
        problems.append("%s in the manual %s, in the program %s" % (kind, sorted(told - there), sorted(there - told)))
    return problems


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: words.py PROGRAM")
    program = sys.argv[1]
    verbs = verbs_of(program)
    passed = failed = 0
    for verb in [None] + verbs:
        problems = problems_of(program, verb)
        for problem in problems:
            print("manual of %s: %s" % (verb or "traceview", problem))
        help_text = subprocess.run([program] + ([verb] if verb else []) + ["--help"], capture_output=True, text=True,
                                   check=False)
        if help_text.returncode or help_text.stderr or not help_text.stdout:
            problems.append("--help fails")
        passed += not problems
        failed += bool(problems)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
