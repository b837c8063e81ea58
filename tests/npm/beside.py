#!/usr/bin/env python3
"""Runs the command for npm beside the program: what both say and write is to be the same, byte for byte.

    beside.py PROGRAM COMMAND [--long]

PROGRAM is the program, COMMAND traceview.mjs of the unpacked package (scripts/npm). Compared are all cases of tests/cli/cases, each
row of a table alone, and every verb with its options on traces of every family, with the files that they write. With --long, also
the traces of TRACEVIEW_SHARED. What differs and why stands in the tables below; what is listed there and does not differ any more
fails, too. Ends with "N passed, N failed".
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
import run as cases  # noqa: E402

# A script of a case starts node up to a hundred times.
cases.PATIENCE_S = 900

LINUX = "only the program has the verb"
HELP = "the help of a command with fewer verbs"
SQLITE = "no SQLite"
FULL = "the C library tells a full disk at another write, and then without its reason"
# Cases, or (case, what its row has in it) -> why both differ.
DIFFERENT = {
    "closed_outputs": "node opens what is closed as /dev/null before anything of ours runs",
    "complete_first": LINUX,
    "complete_of_a_file": "view has fewer options",
    ("dmtracedump", "PATH=none"): "node itself is found by PATH",
    ("dmtracedump", "for format in"): FULL,
    ("export_protobuf", "/dev/full"): FULL,
    ("export_tables", "--to sqlite |"): SQLITE,
    ("export_tables", "-o t.sqlite"): SQLITE,
    "full_disk": FULL,
    "full_disk_every_verb": FULL,
    "help": HELP,
    "help_word": HELP,
    ("hints", "view --index"): LINUX,
    ("hints", "index --no-cache"): LINUX,
    ("hints", "traceview ''"): "view takes FILE alone",
    ("hints", "'#tab=flame' b.trace"): "view takes FILE alone",
    ("hints", "traceview a.trace b.trace"): "view takes one FILE",
    ("hints", "traceview a.trace '#tab=flame b'"): "view takes one FILE",
    ("hints", "serve a.trace"): LINUX,
    "index_and_reopen": LINUX,
    "index_check_damaged": LINUX,
    "index_check_no_file": LINUX,
    "index_check_none": LINUX,
    "index_mapping": LINUX,
    "index_no_cache": LINUX,
    "index_no_file": LINUX,
    "index_stdin": LINUX,
    "index_too_large": LINUX,
    "version": "other parts",
    "packed_cut_is_lost_data": LINUX,
    ("query", "v2-wall.trace '"): SQLITE,
    ("query", "v2-wall.trace --json \""): SQLITE,
    ("query", "v2-wall.trace --csv \""): SQLITE,
    ("query", "v2-wall.trace \""): SQLITE,
    ("query", "echo 'SELECT"): SQLITE,
    ("query", "query - 'SELECT"): SQLITE,
    ("query", "--from 1ms"): SQLITE,
    ("query", "--hide"): SQLITE,
    ("query", "--schema |"): SQLITE,
    ("query", "--schema --csv"): SQLITE,
    ("query", "odd-thread-name"): SQLITE,
    ("query", "v3-dual.trace --thread main --csv"): SQLITE,
    ("record_apps_refused", "traceview record"): LINUX,
    ("record_apps_refused", "traceview pull"): LINUX,
    ("record_programs_refused", "traceview record"): LINUX,
    ("store", "traceview"): LINUX,
    ("values_refused", "--port"): "view has no port",
    ("values_refused", "index"): LINUX,
}

MADE = os.path.join(ROOT, "tests", "data", "made")
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
# Questions to every trace; OUT is a file in an empty folder, whose bytes are compared.
QUESTIONS = ["info", "info --json", "top", "top --json", "top --wall -n 0", "tree", "tree --json", "tree --inverted", "insights",
             "insights --json", "frames", "frames --json", "check", "check --json", "flame -o OUT.svg", "report -o OUT.html", "counts"]
FORMATS = ["trace", "perfetto", "chrome", "speedscope", "firefox", "pprof", "callgrind", "folded", "csv", "jsonl", "parquet", "arrow"]
ONCE = ["callers {} Database --json", "callers {} serialize", "diff {} {}", "diff {} {} --json", "diff {} {} --as markdown",
        "diff {} {} --as sarif", "top --match 'RecipeApp.*(?=on)' {}", "top {} --from 100ms --to 300ms --thread main",
        "export {} --to csv -o OUT.csv.gz", "export {} --to jsonl -o OUT.jsonl.zst", "export {} --redact -o OUT.trace",
        "flame {} -o OUT.svg --inverted", "flame {} --diff {} -o OUT.svg", "report {} --from 100ms --to 200ms -o OUT.html",
        "convert {} OUT.trace", "dmtracedump {}", "-r {}"]


def say(program, words):
    """Status, both outputs and the files that come of the words."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, TERM="dumb", LC_ALL="C.UTF-8", XDG_CACHE_HOME=folder + "/cache", XDG_CONFIG_HOME=folder + "/c")
        told = subprocess.run(["sh", "-c", 'traceview() { "%s" "$@"; }\ntraceview %s' % (program, words.replace("OUT", "out"))], cwd=folder,
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        files = {}
        for name in sorted(os.listdir(folder)):
            if os.path.isfile(os.path.join(folder, name)):
                with open(os.path.join(folder, name), "rb") as file:
                    files[name] = file.read()
        return told.returncode, told.stdout, told.stderr, files


def questions(is_long):
    traces = sorted(os.path.join(MADE, name) for name in os.listdir(MADE) if re.search(r"\.(trace|trace\.gz|trace\.zst)$", name))
    if is_long:
        shared = os.path.join(cases.SHARED, "traces")
        if os.path.isdir(shared):
            traces += sorted(os.path.join(shared, name) for name in os.listdir(shared) if re.search(r"\.trace(\.gz)?$", name))
        else:
            print("skipped: traces of others: no %s" % cases.SHARED)
    chosen = traces if is_long else traces[::max(1, len(traces) // 8)]
    for i, trace in enumerate(chosen + [EXAMPLE]):
        # A short run asks each trace a third of the questions, all of them in turn.
        for k, question in enumerate(QUESTIONS + ["export --to %s -o OUT" % name for name in FORMATS]):
            if is_long or trace == EXAMPLE or (i + k) % 3 == 0:
                verb, _, rest = question.partition(" ")
                yield "%s '%s' %s" % (verb, trace, rest)
    for question in ONCE:
        yield question.replace("{}", "'%s'" % EXAMPLE)


def ask(program, command, words):
    expected, got = say(program, words), say(command, words)
    if expected == got:
        return None
    parts = [name for name, a, b in zip(("status", "stdout", "stderr", "files"), expected, got) if a != b]
    return "FAILED: traceview %s: %s differ: %r, %r" % (words.replace(ROOT + "/", ""), ", ".join(parts), expected[2][:200], got[2][:200])


def rows_of(case):
    table = cases.read(case, "table")
    if table is None:
        return [None]
    return [row.split("\n")[0] for row in re.split(r"^\$ ", table, flags=re.M)[1:]]


def run_case(program, command, case, row):
    def told(one):
        if row is not None:
            return cases.run_row(case, one, row)
        result = cases.run(case, one, cases.command_of(case, one))
        return result.returncode, cases.told_of(result, "stdout").replace(one, "{PROGRAM}"), cases.told_of(result, "stderr")
    why = next((why for key, why in DIFFERENT.items()
                if key == case or isinstance(key, tuple) and key[0] == case and row and key[1] in row), None)
    is_same = told(program) == told(command)
    if is_same == (why is None):
        return None
    return "FAILED: %s: %s: %s" % (case, row or "", "is the same now, and was listed: " + why if is_same else "differs")


def problem_of(job):
    """What the job says; one that took too long fails, and the others go on."""
    try:
        return job.result()
    except subprocess.TimeoutExpired as error:
        return "FAILED: took longer than %d s: %.300r" % (error.timeout, error.cmd)


def main():
    program, command = (os.path.abspath(word) for word in sys.argv[1:3])
    is_long = "--long" in sys.argv
    jobs = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in sorted(os.listdir(cases.CASES)):
            if any("{SHARED}" in (cases.read(case, name) or "") for name in ("args", "script", "table")) and not os.path.isdir(cases.SHARED):
                print("skipped: %s: no %s" % (case, cases.SHARED))
                continue
            jobs += [pool.submit(run_case, program, command, case, row) for row in rows_of(case)]
        jobs += [pool.submit(ask, program, command, words) for words in questions(is_long)]
        problems = [problem for problem in map(problem_of, jobs) if problem]
    for problem in problems:
        print(problem)
    print("%d passed, %d failed" % (len(jobs) - len(problems), len(problems)))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
