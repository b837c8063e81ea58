#!/usr/bin/env python3
"""Runs the command on terminals of chosen sizes, and looks at what a person sees.

    terminal.py PROGRAM

Each case opens a pseudo-terminal. Widths of characters come from Python's own Unicode tables. Ends with "N passed,
N failed".
"""

import fcntl
import gzip
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
MADE = os.path.join(ROOT, "tests", "data", "made")
STYLE = re.compile(r"\033\[[0-9;]*m")
WIDTHS = (12, 20, 40, 60, 80, 100, 132, 200)
PATIENCE_S = 240  # on a busy machine; only a failure takes that long
LARGE_PARTS = 40  # of 1 MB each
# A program that is slowed down runs for so long, and rests for so long, in turns.
RUNS_S, RESTS_S = 0.03, 0.12

# Names that are wide, have accents, or look like what a terminal obeys; and a stack of many levels.
DEEP = 90
ODD_METHODS = ["日本.図書館.検索$内部\t漢字を読む\t(Ljava/lang/String;)V", "org.cafe\u0301.E\u0301te\u0301\tre\u0301sume\u0301\t()V",
               "a.B\tevil\u202e\u001b[31m\t()V", "x" * 300 + ".Y\tz\t()V", "p.Q\tr\t(Lno/end)V"]


def odd_trace(path):
    """Writes a trace in which each odd method calls the next, again and again."""
    text = "*version\n2\nclock=wall\n*threads\n1\tmain\n2\tdie Fäden\n*methods\n"
    text += "".join("0x%x\t%s\tF.java\n" % (4 * (i + 1), columns) for i, columns in enumerate(ODD_METHODS))
    text += "*end\n"
    records = []
    for step in range(DEEP):
        records.append((4 * (step % len(ODD_METHODS) + 1), 10 * step))
    for step in reversed(range(DEEP)):
        records.append((4 * (step % len(ODD_METHODS) + 1) + 1, 20 * DEEP - 10 * step))
    head = struct.pack("<IHHQ", 0x574F4C53, 2, 32, 0) + b"\0" * 16
    with open(path, "wb") as file:
        file.write(text.encode() + head + b"".join(struct.pack("<HII", 1, *record) for record in records))


class Screen:
    """What a program wrote to a terminal, and its status."""

    def __init__(self, data, status):
        self.raw = data.decode("utf-8", "replace").replace("\r\n", "\n")
        # A machine with other work shows progress, each line over the one before.
        self.text = re.sub("\r[^\r\n]*\033\\[K", "", self.raw)
        self.status = status
        self.plain = STYLE.sub("", self.text)

    def widest(self):
        return max(((width_of(line), line) for line in self.plain.splitlines()), default=(0, ""))


def width_of(line):
    width = 0
    for character in line:
        if unicodedata.combining(character):
            continue
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return width


def environment(folder, changes):
    """A plain terminal that shows colours and UTF-8. None takes a variable away."""
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR", "LESS",
                                                                             "LC_CTYPE", "LANG", "PAGER")}
    env.update(TERM="xterm-256color", LC_ALL="C.UTF-8", PAGER="cat", XDG_CACHE_HOME=folder, XDG_STATE_HOME=folder,
               XDG_CONFIG_HOME=folder)
    env.update(changes)
    return {name: value for name, value in env.items() if value is not None}


def begin(words, columns, rows, env):
    """Starts a program on a terminal of this size; returns its number and our end of the terminal."""
    begun, release = os.pipe()
    pid, fd = pty.fork()
    if pid == 0:
        os.close(release)
        os.read(begun, 1)  # until the terminal has its size
        os.execvpe(words[0], words, env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.close(begun)
    os.close(release)
    return pid, fd


def read_all(fd, slowed=None):
    """What comes until the terminal's end. slowed: the program, where it is to take several times as long."""
    data = b""
    end = time.monotonic() + PATIENCE_S
    rests, turn = False, time.monotonic() + RUNS_S
    while time.monotonic() < end:
        if slowed and time.monotonic() >= turn:
            rests = not rests
            os.kill(slowed, signal.SIGSTOP if rests else signal.SIGCONT)
            turn = time.monotonic() + (RESTS_S if rests else RUNS_S)
        if not select.select([fd], [], [], 0.01 if slowed else 1)[0]:
            continue
        try:
            piece = os.read(fd, 1 << 16)
        except OSError:  # what Linux says at the end of a terminal
            break
        if not piece:
            break
        data += piece
    if slowed:
        os.kill(slowed, signal.SIGCONT)
    return data


class Cases:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.passed = self.failed = 0
        self.odd = os.path.join(folder, "odd.trace")
        odd_trace(self.odd)
        # Most of what is shown is of this trace: it is read once. That answers by a saved index are the same is
        # tests/acceptance/saved.py's.
        subprocess.run([program, "index", EXAMPLE], stdout=subprocess.DEVNULL, env=environment(folder, {}), check=True)

    def show(self, *words, columns=80, rows=1000, is_slowed=False, **changes):
        """What the program shows on a terminal."""
        pid, fd = begin([self.program, *words], columns, rows, environment(self.folder, changes))
        data = read_all(fd, pid if is_slowed else None)
        os.close(fd)
        return Screen(data, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

    def pipe(self, *words, **changes):
        """What it writes to a pipe, as text."""
        run = subprocess.run([self.program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env=environment(self.folder, changes), timeout=PATIENCE_S, check=False)
        return run.stdout.decode("utf-8", "replace")

    def case(self, name, problem):
        """Counts a case; `problem` is empty where all is well."""
        self.passed += not problem
        self.failed += bool(problem)
        if problem:
            print("FAILED: %s: %s" % (name, problem), flush=True)

    def true(self, name, condition, shown=""):
        self.case(name, "" if condition else "not so; shown was:\n" + str(shown))


def rows_fit(cases):
    """No line is wider than the terminal, for every verb that prints tables, at every width."""
    questions = [["top"], ["top", "-n", "0"], ["tree"], ["tree", "--inverted"], ["tree", "--cut", "0"], ["info"], ["check"],
                 ["top", "--full"]]
    traces = [EXAMPLE, cases.odd, os.path.join(MADE, "v3-recursive.trace"), os.path.join(MADE, "v1-global.trace")]
    for trace in traces:
        methods = {EXAMPLE: "java.util.Random.nextInt", cases.odd: "0x4"}
        for question in questions + [["callers", methods.get(trace, "0")]]:
            if trace == EXAMPLE and "0" in question:
                continue
            words = [question[0], trace] + question[1:]
            for columns in WIDTHS:
                screen = cases.show(*words, columns=columns)
                widest, line = screen.widest()
                # One word, such as the name of a file, may be wider than a very narrow terminal.
                is_word = columns < 80 and " " not in line.strip()
                problem = "" if widest <= columns or is_word else "%d columns: %r" % (widest, line)
                cases.case("%s at %d columns" % (" ".join(words), columns), problem or
                           ("" if screen.status == 0 else "status %d" % screen.status))


def names_of(text, header):
    """The last cells of the rows under each header that ends with this word, and where they begin."""
    names, column = [], None
    for line in text.splitlines():
        begin = re.search(r"(?:^|  )(%s)(?:…|, below it its.*)?$" % header, line)
        if begin:
            column = begin.start(1)
        elif not line.strip() or line.startswith("("):
            column = None
        elif column is not None:
            name = re.sub(r"^[ │├└─]*([0-9]+ )?", "", line[column:])
            names += [] if re.match(r"\([0-9]+ (more|left out)", name) else [name]
    return names


def key_of(name, header):
    """What a row is recognised by: the method itself, of a class or a file the end, of a thread the beginning."""
    if header in ("Class", "Package", "File"):
        return re.split(r"[./$]", name)[-2 if header == "File" else -1]
    if header in ("Method", "Message", "Callers", "Callees"):
        return name.split("(")[0].split(" ")[0].split(".")[-1] or name
    return name


def rows_have_names(cases):
    """Names before numbers: each row of each table can be recognised, at every width."""
    frames = os.path.join(HERE, "cases", "frames", "app.trace")
    files = [EXAMPLE, frames, os.path.join(MADE, "odd-missing-records.trace"), os.path.join(MADE, "v3-dual.trace")]
    for words, headers in (
            (["info", EXAMPLE], ["Thread", "Method"]), (["info", frames], ["Thread", "Method"]),
            (["info", os.path.join(MADE, "perfetto-two-processes.trace")], ["Process"]),
            (["check", *files], ["File"]),
            (["frames", frames], ["Thread", "Message", "Phase"]),
            (["top", EXAMPLE], ["Method"]), (["top", EXAMPLE, "--overhead"], ["Method"]),
            (["top", EXAMPLE, "--per-call"], ["Method"]), (["top", EXAMPLE, "--overhead", "--per-call"], ["Method"]),
            (["top", EXAMPLE, "--sort", "inclusive"], ["Method"]), (["top", EXAMPLE, "--sort", "calls"], ["Method"]),
            (["top", EXAMPLE, "--columns", "+cum%,file,id,rank,margin"], ["Method"]),
            (["top", EXAMPLE, "--group", "class"], ["Class"]), (["top", EXAMPLE, "--group", "package"], ["Package"]),
            (["tree", EXAMPLE], ["Method"]), (["tree", EXAMPLE, "--inverted"], ["Method"]),
            (["callers", EXAMPLE, "java.util.Random.next"], ["Method", "Callers", "Callees"]),
            (["callers", EXAMPLE, "HashMap.get"], ["Method", "Callers", "Callees"]),
            (["export", EXAMPLE, "--to", "csv", "--redact", "--preview"], ["Package"])):
        whole = cases.pipe(*words)
        for columns in (40, 60, 80, 120):
            shown = cases.show(*words, columns=columns)
            for header in headers:
                if header == "Package" and words[0] == "export":
                    continue  # the name is not the last column: only widths are measured
                expected, got = names_of(whole, header), names_of(shown.plain, header)
                lost = [(name, cell) for name, cell in zip(expected, got)
                        if key_of(name, header)[-8:] not in cell and name[:10] not in cell]
                cases.true("%s at %d columns: %s" % (" ".join(words[:1] + words[2:]), columns, header),
                           expected and len(expected) == len(got) and not lost,
                           "%d and %d rows, lost: %s\n%s" % (len(expected), len(got), lost, shown.plain))
            widest, line = shown.widest()
            cases.true("%s fits %d columns" % (" ".join(words[:1] + words[2:]), columns),
                       widest <= columns or " " not in line.strip(), line)  # a path may be one long word
    lambdas = [cases.show("tree", EXAMPLE, "-n", "20", columns=columns).plain for columns in (60, 80, 120, 200)]
    cases.true("a lambda keeps its class", all("RecipeApp$$Lambda$7" in text for text in lambdas), lambdas[0])
    cases.true("a share tells what it is of where its column stands alone",
               "Incl %" in cases.show("top", EXAMPLE, columns=40).plain)


def notes_are_broken_between_words(cases):
    """What stands on stderr has the words that it has in a file, none of them broken."""
    folder = os.path.join(cases.folder, "some folder")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(MADE):
        if not name.endswith(".json"):
            os.symlink(os.path.join(MADE, name), os.path.join(folder, name))
    commands = [["top", name] for name in sorted(os.listdir(folder)) if name.endswith(".trace")]
    commands += [["top", "no-such-file.trace"], ["topp", "v3-dual.trace"], ["top", "--fron", "1", "v3-dual.trace"],
                 ["callers", "v3-dual.trace", "run"], ["export", "v3-dual.trace"], ["top", "--columns", "x", "v3-dual.trace"],
                 ["serve", "x"], ["record"], ["push", "v3-dual.trace"], ["check", "v3-dual.trace", "nothing.trace"],
                 ["convert", "v3-lost-exits.trace", "out.trace", "--layout", "x"]]
    for words in commands:
        env = environment(cases.folder, {"TRACEVIEW_SITE": None})
        run = subprocess.run([cases.program, *words], cwd=folder, env=env, capture_output=True, check=False)
        expected = run.stderr.decode().split()
        for columns in (40, 60, 80, 120):
            pid, fd = begin(["sh", "-c", 'cd "$0"; exec "$@" >/dev/null', folder, cases.program, *words], columns, 100, env)
            shown = Screen(read_all(fd), 0)
            os.close(fd)
            os.waitpid(pid, 0)
            wide = [line for line in shown.plain.splitlines() if width_of(line) > columns and " " in line.strip()]
            cases.true("notes of %s at %d columns" % (" ".join(words), columns),
                       shown.plain.split() == expected and not wide, "%s\n%s" % (shown.plain, expected))


def names_can_be_pasted(cases):
    """A name as a table shows it, cut or not, is taken by callers: it is the method, or among those to choose from."""
    whole = names_of(cases.pipe("top", EXAMPLE, "-n", "150"), "Method")
    wholes = names_of(cases.pipe("top", EXAMPLE, "-n", "150", "--full"), "Method")
    for columns, more in ((40, []), (60, []), (80, []), (60, ["--full"])):
        for locale in ("C.UTF-8", "C"):
            table = cases.show("top", EXAMPLE, "-n", "150", *more, columns=columns, LC_ALL=locale).plain
            found, wrong = 0, []
            for shown, java, raw in list(zip(names_of(table, "Method"), whole, wholes))[::7]:
                run = subprocess.run([cases.program, "callers", EXAMPLE, shown, "--full"], capture_output=True, check=False,
                                     env=environment(cases.folder, {}))
                out, err = run.stdout.decode(), run.stderr.decode()
                is_choice = run.returncode == 2 and (raw in err or re.search(r" ([6-9]|[0-9]{2,}) methods", err))
                is_found = run.returncode == 0 and raw in out.split("Callers")[0]
                found += is_found
                wrong += [] if is_found or is_choice else [(shown, java, out[:300], err)]
            cases.true("names of %d columns%s are taken (%s)" % (columns, "".join(more), locale), not wrong and found >= (3 if more else 10),
                       (found, wrong))


def what_is_cut(cases):
    screen = cases.show("top", EXAMPLE, "-n", "12", columns=80)
    cases.true("signatures are Java's", "String.charAt(int)" in screen.plain, screen.plain)
    cases.true("packages are cut from the left", "…asm.ByteVector.putUTF8(String)" in screen.plain, screen.plain)
    wide = cases.show("top", EXAMPLE, "-n", "12", columns=200)
    cases.true("a wide terminal has whole names",
               "jdk.internal.org.objectweb.asm.ByteVector.putUTF8(String)" in wide.plain, wide.plain)
    cases.true("columns without room are named", "(no room for Incl wall ms, Calls)"
               in cases.show("top", EXAMPLE, columns=60).plain)
    cases.true("a wide terminal has all columns", "Incl wall ms" in wide.plain and "no room" not in wide.plain, wide.plain)
    full = cases.show("top", EXAMPLE, "-n", "12", "--full", columns=200)
    cases.true("--full shows raw names", "java.lang.String.charAt (I)C" in full.plain, full.plain)
    cases.true("COLUMNS comes before the terminal", cases.show("top", EXAMPLE, columns=200, COLUMNS="60").widest()[0] <= 60)
    cases.true("a foolish COLUMNS is not used", cases.show("top", EXAMPLE, columns=60, COLUMNS="x").widest()[0] <= 60)
    odd = cases.show("tree", cases.odd, "--cut", "0", columns=60)
    cases.true("no name moves the terminal", "\033[31m" not in odd.text and "\u202e" not in odd.text, odd.text)


def without_a_terminal(cases):
    for words in (["top"], ["tree"], ["tree", "--cut", "0"], ["callers", "0"], ["info"]):
        for trace in (EXAMPLE, cases.odd):
            if trace == EXAMPLE and "0" in words[1:]:
                continue
            words_of_it = [words[0], trace] + words[1:]
            text = cases.pipe(*words_of_it)
            name = "%s into a pipe" % " ".join(words_of_it)
            cases.true(name + " is the same at any width",
                       text and text == cases.pipe(*words_of_it, COLUMNS="20", TERM="dumb", LC_ALL="C", PAGER="false"))
            cases.true(name + " has no styles, branches and cuts", not re.search("[\033…│├█]", text), text[:400])
    text = cases.pipe("top", EXAMPLE, "-n", "0")
    cases.true("grep finds whole names", "\n" in text and
               "jdk.internal.org.objectweb.asm.ByteVector.putUTF8(String)\n" in text, text[:400])


def colours(cases):
    for name, words, changes, wanted in (
            ("a terminal has colours", [], {}, True),
            ("NO_COLOR is obeyed", [], {"NO_COLOR": "1"}, False),
            ("an empty NO_COLOR says nothing", [], {"NO_COLOR": ""}, True),
            ("TERM=dumb is obeyed", [], {"TERM": "dumb"}, False),
            ("no TERM is a dumb one", [], {"TERM": None}, False),
            ("--color never", ["--color", "never"], {}, False),
            ("--color=always beats NO_COLOR", ["--color=always"], {"NO_COLOR": "1"}, True),
            ("--color auto", ["--color", "auto"], {"NO_COLOR": "1"}, False)):
        for verb in ("top", "tree"):
            screen = cases.show(verb, EXAMPLE, *words, **changes)
            cases.true("%s: %s" % (verb, name), bool(STYLE.search(screen.text)) == wanted, screen.text[:400])
    cases.true("--color always colours a pipe", "\033[" in cases.pipe("top", EXAMPLE, "--color", "always"))
    cases.true("colours change nothing else", STYLE.sub("", cases.pipe("tree", EXAMPLE, "--color", "always")) ==
               cases.pipe("tree", EXAMPLE))
    screen = cases.show("top", EXAMPLE)
    cases.true("every style ends in its line", all(line.rfind("\033[0m") >= line.rfind("\033[")
                                                   for line in screen.text.splitlines()), screen.text)
    hot = cases.show("tree", EXAMPLE)
    cases.true("a hot share is red, a small one faint", "\033[1;31m86.3" in hot.text and "\033[2m<0.1" in hot.text,
               hot.text[:2000])
    # Yellow cannot be read on white.
    cases.true("a warm share can be read on every background", "\033[35m" in hot.text and "\033[33m" not in hot.text, hot.text[:2000])


def insights_have_columns(cases):
    """Time, kind and sentence stand below each other, a blank line between two, and sentences go on in their column."""
    whole = [line for line in cases.pipe("insights", EXAMPLE).splitlines() if line and not line.startswith("    traceview")]
    begins = re.compile(r" *[\d.]+ (?:µs|ms|s)  [a-z]+ *  (?=\S)")
    leads = [begins.match(line) for line in whole]
    cases.true("each insight has what is at stake and its kind", all(leads) and len({lead.end() for lead in leads}) == 1, "\n".join(whole))
    for columns in (60, 80, 120):
        blocks = cases.show("insights", EXAMPLE, columns=columns).plain.rstrip("\n").split("\n\n")
        told = []
        for block in blocks:
            sentence = re.split(r"\n    traceview ", block)[0].splitlines()
            indent = begins.match(block).end()
            told.append(" ".join([sentence[0]] + [line[indent:] for line in sentence[1:]]))
            cases.true("insights at %d columns" % columns, all(line.startswith(" " * indent) and line[indent] != " "
                                                               for line in sentence[1:]), block)
        cases.true("insights at %d columns lose no word" % columns, told == whole, "%s\n%s" % (told, whole))


def drawing(cases):
    screen = cases.show("tree", EXAMPLE)
    cases.true("a tree has branches and bars", all(sign in screen.text for sign in "├└│█▏"), screen.text[:2000])
    # main takes most with all it calls, and works least of the three itself.
    words = ("-n", "3", "--sort")
    for verb, more in (("top", ()), ("tree", ("--inverted", "--depth", "1"))):
        by_inclusive = cases.show(verb, EXAMPLE, *more, *words, "method-inclusive" if more else "inclusive").plain
        by_exclusive = cases.show(verb, EXAMPLE, *more, *words, "inclusive" if more else "exclusive").plain
        cases.true("%s: the bar is of the time that sorts" % verb,
                   all(re.search("^ .*█{6}", text, re.M) for text in (by_inclusive, by_exclusive)) and
                   re.search(r"█{6} +\S*RecipeApp\.main", by_inclusive), by_inclusive + by_exclusive)
    for locale in ("C", "de_DE.ISO-8859-1"):
        screen = cases.show("tree", EXAMPLE, LC_ALL=locale)
        cases.true("without UTF-8 (%s) all is ASCII" % locale,
                   screen.text.isascii() and "|-" in screen.text and "##" in screen.text, screen.text[:2000])


def pagers(cases):
    mark = {"PAGER": "sed 's/^/pager: /'", "rows": 24}
    long = ("tree", EXAMPLE)
    cases.true("a long answer goes to the pager", cases.show(*long, **mark).text.startswith("pager: "))
    cases.true("a short one does not", "pager: " not in cases.show("top", EXAMPLE, "-n", "3", **mark).text)
    cases.true("JSON is paged like git's long lines", "pager: " in cases.show("top", EXAMPLE, "--json", **mark).text)
    cases.true("--no-pager", "pager: " not in cases.show(*long, "--no-pager", **mark).text)
    cases.true("no pager on a dumb terminal", "pager: " not in cases.show(*long, TERM="dumb", **mark).text)
    for none in ("", "cat"):
        screen = cases.show(*long, PAGER=none, rows=24)
        cases.true("PAGER=%r is none" % none, "RecipeApp" in screen.text and screen.status == 0)
    screen = cases.show(*long, PAGER="no-such-pager-here", rows=24)
    cases.true("without the pager the answer is there", "RecipeApp.main(" in screen.plain and screen.status == 0, screen.text)
    screen = cases.show(*long, PAGER="head -n 1", rows=24)
    cases.true("a pager that is left early is no failure",
               screen.status == 0 and len(screen.plain.splitlines()) == 1, screen.text)
    cases.true("less gets FRX", cases.show(*long, PAGER="cat >/dev/null; echo LESS=$LESS LV=$LV", rows=24).text ==
               "LESS=FRX LV=-c\n")
    cases.true("unless the user has set it", "LESS=S " in cases.show(*long, PAGER="cat >/dev/null; echo LESS=$LESS $LV",
                                                                    LESS="S", rows=24).text)
    damaged = os.path.join(MADE, "odd-missing-records.trace")
    for pager in ("cat", "sed p", "head -n 1"):
        cases.true("the status is the verb's (PAGER=%s)" % pager,
                   cases.show("check", damaged, PAGER=pager, rows=2).status == 3)
    cases.true("a pager's status is its own", cases.show(*long, PAGER="cat >/dev/null; false", rows=24).status == 0)


def binary(cases):
    """A trace is written to a file or a pipe, never to a terminal."""
    wall = os.path.join(MADE, "v2-wall.trace")
    pair = [os.path.join(MADE, "pair-v1.key"), os.path.join(MADE, "pair-v1.data")]
    for words in (["convert", wall, "-"], ["convert", wall, "/dev/tty"], ["convert", wall, "/dev/stdout"], ["join", *pair],
                  ["join", *pair, "--output=-"]):
        screen = cases.show(*words, columns=4000)  # the path may be long
        name = "%s to a terminal" % " ".join(words[:1] + words[-1:])
        cases.true(name, screen.status == 1 and "a trace is not written to a terminal: " in screen.text and
                   len(screen.text.splitlines()) == 1, screen.text)
    for words in (["convert", wall, "-"], ["join", *pair]):
        run = subprocess.run([cases.program, *words], capture_output=True, check=False)
        cases.true("%s to a pipe" % words[0], run.returncode == 0 and run.stdout.startswith(b"*version"), run.stderr)
    cases.true("a dump for people is no trace", "totalCpuTime" in cases.show("-r", os.path.join(MADE, "v3-dual.trace")).text)


# ESC [ and CSI begin what a terminal obeys, CR goes back over what was there, BEL rings, U+202E turns text around.
CONTROLS = "\u001b[2J\u009b31m\rover\u0007\u202e\u007f\u0000"
# What only a terminal's owner may send it.
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def escaped(text):
    text = text.replace("\r\n", "\n")  # the end of a line of CSV
    return OBEYED.sub(lambda found: ("\\x%02x" if found[0] < "\u0100" else "\\u%04x") % ord(found[0]), text)


def controls_trace(path):
    """Writes a trace of many methods, whose names have controls and wide characters at all offsets of a piece of output."""
    names = ["図" * (i % 7) + CONTROLS.replace("\0", "") + "名%d" % i for i in range(900)]
    head = "*version\n2\nclock=wall\n*threads\n1\tmain%s\n*methods\n" % CONTROLS.replace("\0", "")
    methods = "".join("0x%x\ta.%s\t%s\t()V\t%s.java\n" % (4 * (i + 1), name, name, name) for i, name in enumerate(names))
    records = [(4 * (i + 1) + is_exit, 10 * i + 5 * is_exit) for i in range(len(names)) for is_exit in (0, 1)]
    data = struct.pack("<IHHQ", 0x574F4C53, 2, 32, 0) + b"\0" * 16 + b"".join(struct.pack("<HII", 1, *record) for record in records)
    with open(path, "wb") as file:
        file.write((head + methods + "*end\n").encode() + data)


def controls(cases):
    """No name reaches a terminal as something that it obeys, in any format; in a pipe formats of other tools have it as it is."""
    trace = os.path.join(cases.folder, "controls.trace")
    controls_trace(trace)
    formats = re.findall(r"^    (\w+) +.*\(\.", subprocess.run([cases.program, "export", trace], capture_output=True, text=True,
                                                               check=False).stderr, re.M)
    cases.true("formats are listed", len(formats) > 10, formats)
    raw = 0
    for words in [["export", "--to", name, trace] for name in formats] + \
            [["export", "--to", name, trace, "-o", "/dev/tty"] for name in ("csv", "callgrind")] + \
            [["export", "--to", "csv", "--table", table, trace] for table in ("nodes", "methods", "threads")] + \
            [["-r", trace], ["dmtracedump", trace], ["dmtracedump", "-h", trace], ["flame", trace], ["flame", "--folded", trace],
             ["report", trace], ["top", "--json", trace], ["top", trace], ["tree", trace], ["info", trace], ["check", trace]]:
        name = " ".join(words).replace(trace, "FILE")
        screen = cases.show(*words, columns=4000, rows=60000, NO_COLOR="1")
        if screen.status and "is not written to a terminal" in screen.text:
            continue
        obeyed = OBEYED.search(screen.text)
        cases.true(name + " has no controls", not obeyed, obeyed and screen.text[max(0, obeyed.start() - 40):][:90].encode())
        piped = cases.pipe(*[word for word in words if word not in ("-o", "/dev/tty")])
        raw += bool(OBEYED.search(piped))
        if words[0] == "export":
            shown = re.sub(r"^traceview: .*\n", "", screen.text, flags=re.M)
            cases.true(name + " is the same with escapes", shown == escaped(piped), (shown[:300], escaped(piped)[:300]))
    cases.true("some formats have names as they are in a pipe", raw >= 3, raw)


def large_trace(path):
    """Writes a packed trace that takes a while to unpack and to read: a random part many times over. A part is
    longer than what gzip looks back, so it does not pack better the second time."""
    chosen = random.Random(1)
    methods = "".join("0x%x\ta.B\tm%d\t()V\tB.java\n" % (4 * (i + 1), i) for i in range(1000))
    text = "*version\n2\nclock=wall\n*threads\n1\tmain\n*methods\n%s*end\n" % methods
    ids = [4 * chosen.randint(1, 1000) for _ in range(50000)]
    part = b"".join(struct.pack("<HIIHII", 1, method, 0, 1, method + 1, 0) for method in ids)
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(text.encode() + struct.pack("<IHHQ", 0x574F4C53, 2, 32, 0) + b"\0" * 16)
        for _ in range(LARGE_PARTS):
            file.write(part)


def progress(cases):
    """One line, one phase after the other, a percentage that never falls; nothing is left of it."""
    folder = os.path.join(cases.folder, "a folder with a very long name, as projects have them, " + "x" * 100)
    os.mkdir(folder)
    trace = os.path.join(folder, "large.trace.gz")
    large_trace(trace)
    for columns in (10, 30, 80, 200):
        # Progress is for who waits: a fast machine is done before it is shown.
        screen = cases.show("info", trace, columns=columns, is_slowed=True, TRACEVIEW_CACHE_SIZE="0")
        told, _, rest = screen.raw.rpartition("\r\033[K")
        lines = [line for line in re.split("\r|\033\\[K", told) if line]
        name = "progress on %d columns: " % columns
        cases.true(name + "is shown", lines, screen.raw[:400])
        cases.true(name + "is one line", "\n" not in told and all(width_of(line) < columns for line in lines), told)
        percents = [int(re.search(r"(\d+) %$", line)[1]) for line in lines]
        cases.true(name + "never falls", percents == sorted(percents) and max(percents, default=101) <= 100, percents)
        cases.true(name + "goes away", rest.startswith("File"), rest[:400])
        if columns < 30:
            continue
        phases = [re.match(r"traceview: (\w+) ", line)[1] for line in lines]
        cases.true(name + "has its phases in order", phases == sorted(phases, reverse=True), phases)
        cases.true(name + "has the end of the name", all("arge.trace.gz" in line for line in lines) or columns < 60, lines)
    cases.true("no progress on a dumb terminal", "%" not in cases.show("info", trace, TERM="dumb").raw.split("File")[0])
    unpacked = cases.pipe("info", trace)
    cases.true("no progress in a pipe", unpacked.startswith("File"), unpacked[:100])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(os.path.abspath(sys.argv[1]), folder)
        for group in (rows_fit, rows_have_names, names_can_be_pasted, notes_are_broken_between_words, what_is_cut, without_a_terminal, colours, insights_have_columns, drawing, pagers, binary, controls, progress):
            group(cases)
    print("%d passed, %d failed" % (cases.passed, cases.failed))
    sys.exit(cases.failed > 0)


main()
