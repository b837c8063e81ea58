#!/usr/bin/env python3
"""Checks that help and manual agree, and that every manual page is well formed.

    words.py PROGRAM

Each verb has a page man/traceview-<verb>.1 that lists exactly the options of its --help; traceview.1 lists
exactly the verbs, and every variable of the environment that the program reads. docs/site.md has the settings of a site. Help fits 80 columns and ends with
two examples, which the page has, too; every example of a page is run. A page tells every key of JSON answers, every column of `top` and every
format of an export; docs/export.md has the formats, too. Ends with "N passed, N failed".
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "cli"))
from fake_site import Site

sys.path.append(os.path.join(ROOT, "tests", "support"))
from booked import booked_trace

sys.path.append(os.path.join(ROOT, "tests", "adb"))
import adb_server
import fake_android
import fake_device


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
    return {word for line in re.findall(r"^\.It Ev (.+?)(?: Ns .*)?$", page, re.M) for word in line.split() if word != ","}


def variables_read():
    """Names of variables in the sources that read any: as strings, in a macro too, and where a shell gets them."""
    found = set()
    for place, _, names in os.walk(os.path.join(ROOT, "src")):
        if os.path.basename(place) == "wasi":    # whose variables its launcher sets
            continue
        for name in names:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                text = file.read()
            found |= set(re.findall(r'_VARIABLE "([A-Z_]+)"', text))
            if "getenv" in text:
                found |= set(re.findall(r'(?<!\.argument = )(?<!\.arguments = )"([A-Z][A-Z0-9_]{3,})"', text))
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


# Questions whose answers have all keys between them, for all traces of the tests; "0" is the method of rank 0.
JSON_QUESTIONS = {
    "info": [[]],
    "top": [["--per-call", "--overhead"], ["--hide", "com.,java."], ["--clock", "wait"]],
    "tree": [[], ["--hide", "com.,java."], ["--inverted"], ["--clock", "wait"]],
    "callers": [["0"], ["0", "--clock", "wait"]],
    "check": [[], ["--against", os.path.join(ROOT, "tests", "data", "made", "v3-dual.trace")]],
}


def keys_in(value):
    """All keys of an answer; those of `properties` are the file's own."""
    if isinstance(value, list):
        return set().union(*map(keys_in, value))
    if not isinstance(value, dict):
        return set()
    return set(value).union(*(keys_in(each) for key, each in value.items() if key != "properties"))


def problems_of_json(program, verb):
    """The section JSON of a page has the keys that answers have, and no others."""
    data = os.path.join(ROOT, "tests", "data")
    made = os.path.join(data, "made")
    traces = [os.path.join(made, name) for name in sorted(os.listdir(made)) if name.endswith(".trace")]
    traces.append(os.path.join(data, "tracing-cost.trace.zst"))
    questions = [[verb, trace, *more] for trace in traces for more in JSON_QUESTIONS[verb]]
    there = set()
    with tempfile.NamedTemporaryFile(suffix=".trace") as full, tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(made, "v2-wall.trace"), "rb") as file:
            full.write(file.read().replace(b"overflow=false", b"overflow=true").replace(b"usec=6831", b"usec=9999"))
        full.flush()
        questions.append([verb, full.name, *JSON_QUESTIONS[verb][0]])
        booked = os.path.join(folder, "booked.trace")
        with open(booked, "wb") as file:
            file.write(booked_trace())
        questions.append([verb, booked, *JSON_QUESTIONS[verb][0]])
        counted = os.path.join(folder, "counted.trace")
        with open(os.path.join(made, "v2-wall.trace"), "rb") as file, open(counted, "wb") as to:
            to.write(file.read().replace(b"*threads\n", b"allocated-bytes=65536;0x4:1:2\n*threads\n", 1))
        questions.append([verb, counted, *JSON_QUESTIONS[verb][0]])
        if verb == "check":
            questions.append([verb, full.name, os.path.join(data, "no such file")])
        for question in questions:
            run = subprocess.run([program, *question, "--json"], capture_output=True, text=True, check=False)
            there |= keys_in(json.loads(run.stdout)) if run.stdout else set()
    section = page_of(verb).partition(".Sh JSON\n")[2].partition("\n.Sh ")[0]
    told = {word for line in re.findall(r"^\.(?:It )?Va (.+)", section, re.M) for word in re.findall(r"\w+", line)}
    return [] if told == there else ["keys of JSON in the manual alone %s, in answers alone %s"
                                     % (sorted(told - there), sorted(there - told))]


def refusal(program, *arguments):
    """What the program says to a word that is none of a list."""
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False).stderr


def problems_of_columns(program):
    """The columns that `top` takes are those that its page names below --columns, and those of its --help."""
    words = r"[\w%-]+"
    there = set(re.findall(words, refusal(program, "top", "--columns", "?", "FILE").partition("must be one of ")[2]))
    section = page_of("top").partition("\n.It Fl -columns ")[2].partition("\n.It Fl ")[0]
    told = {"the manual": set(re.findall(r"^\.Cm (\S+)", section, re.M)),
            "--help": set(re.findall(words, help_of(program, "top").partition("\nColumns: ")[2].partition(".\n")[0]))}
    return ["columns in %s alone %s, in the program alone %s" % (where, sorted(names - there), sorted(there - names))
            for where, names in told.items() if not there or names != there]


def problems_of_formats(program):
    """The formats that `export` writes are those of its page and of the first table of docs/export.md."""
    there = set(re.findall(r"^    (\w+) ", refusal(program, "export", "FILE", "--to", "?"), re.M))
    with open(os.path.join(ROOT, "docs", "export.md"), encoding="utf-8") as file:
        table = re.search(r"^\|(?:.+\n)+", file.read(), re.M)[0]
    lines = re.findall(r"^\.It Cm (.+)", page_of("export").partition("\n.El\n")[0], re.M)
    told = {"the manual": set(re.findall(r"\w+", " ".join(lines))), "docs/export.md": set(re.findall(r"^\| `(\w+)`", table, re.M))}
    return ["formats in %s alone %s, in the program alone %s" % (where, sorted(names - there), sorted(there - names))
            for where, names in told.items() if not there or names != there]


# What a page lists besides options and keys.
LISTS = {"top": problems_of_columns, "export": problems_of_formats}


def help_of(program, verb):
    run = subprocess.run([program] + ([verb] if verb else []) + ["--help"], capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 and not run.stderr else ""


def examples_in_page(page):
    section = page.partition(".Sh EXAMPLES\n")[2].partition("\n.Sh ")[0]
    return [line.replace("\\&", "") for line in re.findall(r"^\.Dl \$ (.+)", section, re.M)]


def broken_early(lines):
    """Lines of the text below the options to which two words more of the next line would fit: what the source breaks by itself and
    is then broken once more."""
    for line, after in zip(lines, lines[1:]):
        if re.match(r"\S", line) and re.match(r"\S", after) and line[-1] not in ".:" and not line.startswith("Usage"):
            if len(line) + 1 + len(" ".join(after.split()[:2])) <= 60:
                yield line


def problems_of_help(program, verb):
    text = help_of(program, verb)
    if not text:
        return ["--help fails"]
    problems = ["--help is wider than 80 columns: %s" % line for line in text.splitlines() if len(line) > 80]
    problems += ["--help breaks a line early: %s" % line for line in broken_early(text.splitlines())]
    examples = re.findall(r"^  (traceview .+)\n      \S", text.partition("\nExamples:\n")[2], re.M)
    if len(examples) != 2:
        problems.append("--help has %d examples" % len(examples))
    missing = set(examples) - set(examples_in_page(page_of(verb)))
    if missing:
        problems.append("examples of --help that the page has not: %s" % sorted(missing))
    return problems


def place_traces(folder):
    """The files that examples name; a packed trace may have any name."""
    data = os.path.join(ROOT, "tests", "data")
    for name in ("app.trace", "old.trace", "new.trace", "app.trace.gz", "huge.trace.zst"):
        shutil.copy(os.path.join(data, "recipes.trace.zst"), os.path.join(folder, name))
    with open(os.path.join(folder, "mapping.txt"), "w", encoding="utf-8") as mapping:
        mapping.write("com.example.Store -> a.b:\n    void save(int) -> c\n")
    shutil.copy(os.path.join(data, "made", "stream-f3.trace"), os.path.join(folder, "streamed.trace"))
    for kind in ("key", "data"):
        shutil.copy(os.path.join(data, "made", "pair-v1." + kind), os.path.join(folder, "app." + kind))


def place_store(folder):
    """An empty store: a database without tables gets those of this version."""
    os.makedirs(os.path.join(folder, "store", "files"))
    with open(os.path.join(folder, "store", "store.sqlite"), "w"):
        pass


# What a verb may say besides its answer.
NOTES = r"(traceview: .*(/owner-tokens: has the owner tokens, |: remembered for traces that it fits ).*\n)?"
RECORDED = r"(traceview: .*: [\d.]+ [kM]B, \d+ records, none lost; recording took some .*\n)?"


def place_program(folder):
    """The program that examples record."""
    subprocess.run(["gcc", "-x", "c", "-finstrument-functions", "-", "-o", os.path.join(folder, "app")], text=True,
                   input="int main(void) { return 0; }\n", check=True)


# Examples that ask devices.
OF_DEVICES = re.compile(r"traceview (devices|processes|pull|record .*com\.example)\b")
DEVICE_NOTES = r"(traceview: .*\n)*"


def problem_of_example(program, command):
    """Runs an example of a page as a person would; with a device, where it asks for one."""
    if not OF_DEVICES.match(command):
        return run_example(program, command, {}, RECORDED + NOTES)
    if not shutil.which("adb"):
        print("skipped: example \"%s\": adb is missing" % command)
        return ""
    with adb_server.Server() as server:
        device = server.connect(fake_device.Device("14"))
        device.android.put("/data/local/tmp/com.example.app-2026.trace", fake_android.made("v3-dual.trace"))
        variables = {name: value for name, value in server.environment.items() if name.startswith(("ANDROID", "ADB"))}
        problem = run_example(program, command.replace("emulator-5554", device.serial), variables, DEVICE_NOTES)
        device.close()
    return problem


def run_example(program, command, variables, notes):
    """Runs an example in a shell, with the traces where they are, and the site that it names. A viewer ends once it
    has told its address."""
    with tempfile.TemporaryDirectory() as folder, Site() as site:
        with open(os.path.join(ROOT, "tests", "data", "recipes.trace.zst"), "rb") as file:
            site.kept = b"" if " push " in command else file.read()
        site.is_shared = True
        command = command.replace("https://traces.example", site.url)
        place_traces(folder)
        if command.startswith("traceview frames "):  # the recipes are a command line's: they draw no frames
            shutil.copy(os.path.join(ROOT, "tests", "cli", "cases", "frames", "app.trace"), folder)
        if command.startswith("traceview report "):  # packing a trace as tightly as a report does takes seconds, if it is of megabytes
            for name in ("app.trace", "old.trace", "new.trace"):
                shutil.copy(os.path.join(ROOT, "tests", "data", "made", "v3-dual.trace"), os.path.join(folder, name))
        if re.match("traceview (counts|rules|trend) ", command):  # recordings of one side, which differ: copies are told
            with open(os.path.join(ROOT, "tests", "data", "made", "v3-dual.trace"), "rb") as file:
                trace = file.read()
            for name, pid in (("old.trace", b"pid=4711"), ("new.trace", b"pid=4712"), ("app.trace", b"pid=4713")):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(trace.replace(b"pid=4711", pid))
        if command.startswith("traceview ci "):
            for side in ("last", "traces"):
                os.mkdir(os.path.join(folder, side))
                shutil.copy(os.path.join(folder, "app.trace"), os.path.join(folder, side, "start-1.trace"))
        if "./app" in command:
            place_program(folder)
        place_store(folder)
        place = os.path.join(folder, "bin")
        os.mkdir(place)
        os.symlink(os.path.abspath(program), os.path.join(place, "traceview"))
        env = dict(os.environ, PATH=place + ":" + os.environ["PATH"], XDG_CACHE_HOME=folder, XDG_STATE_HOME=folder,
                   XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, BROWSER="true", TRACEVIEW_SITE=site.url, no_proxy="*",
                   TRACEVIEW_SITE_LISTEN="127.0.0.1:0", **variables)
        is_viewer = re.fullmatch(r"traceview( view)?( --[\w-]+| -)*( (old\.trace new|app)\.trace)?|traceview open .*|traceview serve --list"
                                 r"|traceview record .*com\.example\.app", command)
        if "--check" in command:
            subprocess.run([os.path.abspath(program), "index", "huge.trace.zst"], cwd=folder, env=env, capture_output=True, check=True)
        run = subprocess.Popen(["sh", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
        if "--watch" in command:  # it ends when it is told to
            line = run.stdout.readline()
            os.killpg(run.pid, signal.SIGTERM)
            run.communicate(timeout=240)
            return "" if line else "example \"%s\" says nothing" % command
        if is_viewer:
            address = run.stdout.readline()
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGTERM)
            run.communicate(timeout=240)
            return "" if address.startswith(b"http://127.0.0.1:") else "example \"%s\" tells no address" % command
        _, errors = run.communicate(timeout=240)
        is_fine = run.returncode == 0 and re.fullmatch(notes, errors.decode())
        return "" if is_fine else "example \"%s\": status %d, %s" % (command, run.returncode, errors.decode())


def problems_of_settings(program):
    """The table of settings in docs/site.md has the names and defaults that the program has, which takes all of them as options."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("TRACEVIEW_SITE_")}
    variables["XDG_DATA_HOME"] = "/XDG_DATA_HOME"
    shown = subprocess.run([program, "serve", "--check-config"], capture_output=True, text=True, check=True, env=variables).stdout
    there = re.findall(r"^([\w-]+) = (.*?) *; default$", shown.replace("/XDG_DATA_HOME", "$XDG_DATA_HOME"), re.M)
    with open(os.path.join(ROOT, "docs", "site.md"), encoding="utf-8") as file:
        told = re.findall(r"^\| `([a-z0-9-]+)` \| (?:`(.*?)`)? ?\|", file.read().partition("## Settings\n")[2].partition("\n## ")[0], re.M)
    problems = [] if told == there else ["settings in docs/site.md alone %s, in the program alone %s"
                                         % (sorted(set(told) - set(there)), sorted(set(there) - set(told)))]
    # All of them at once, with the values that they have anyway.
    words = ["--%s=%s" % setting for setting in there]
    taken = subprocess.run([program, "serve", "--check-config", *words], capture_output=True, text=True, check=False, env=variables)
    if taken.returncode != 0 or taken.stdout.count("; --") < len(there):
        problems.append("all settings as options: status %d, %s%s" % (taken.returncode, taken.stdout, taken.stderr))
    return problems


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: words.py PROGRAM")
    program = sys.argv[1]
    verbs = verbs_of(program)
    passed = failed = 0
    for verb in [None] + verbs:
        problems = problems_of(program, verb) + problems_of_help(program, verb)
        problems += problems_of_json(program, verb) if verb in JSON_QUESTIONS else []
        problems += problems_of_settings(program) if verb == "serve" else []
        problems += LISTS[verb](program) if verb in LISTS else []
        problems += [problem for problem in (problem_of_example(program, command)
                                             for command in examples_in_page(page_of(verb))) if problem]
        for problem in problems:
            print("manual of %s: %s" % (verb or "traceview", problem))
        passed += not problems
        failed += bool(problems)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
