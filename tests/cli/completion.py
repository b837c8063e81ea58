#!/usr/bin/env python3
"""Completes command lines in real shells: bash and zsh on a terminal, with the Tab key, and fish by its own command.

    completion.py PROGRAM

A shell that is not installed is skipped aloud. Ends with "N passed, N failed".
"""

import os
import pty
import re
import resource
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
PATIENCE_S = 240  # on a busy machine; only a failure takes that long
# What a person does not notice as waiting; in CPU time, since the machine may have other work.
AT_ONCE_S = 0.1

# What is typed before Tab, and what the line is then. Quotes and backslashes do not count: each shell has its own.
LINES = [
    ("traceview inf", "traceview info "),
    ("traceview conv", "traceview convert "),
    ("traceview top --ord", "traceview top --order "),
    ("traceview top --no-ca", "traceview top --no-cache "),
    ("traceview top --clock wal", "traceview top --clock wall "),
    ("traceview top --sort=inc", "traceview top --sort=inclusive "),
    ("traceview top --color=al", "traceview top --color=always "),
    ("traceview recip", "traceview recipes.trace.zst "),
    ("traceview info recip", "traceview info recipes.trace.zst "),
    ("traceview info sub", "traceview info sub/"),
    ("traceview info sub/deep", "traceview info sub/deeper.trace "),
    ("traceview info no", "traceview info no"),
    ("traceview diff recip", "traceview diff recipes.trace.zst "),
    ("traceview recipes.trace.zst recip", "traceview recipes.trace.zst recipes.trace.zst "),
    ("traceview check --against recip", "traceview check --against recipes.trace.zst "),
    ("traceview check --rules no", "traceview check --rules notes.txt "),
    ("traceview top --mapping=no", "traceview top --mapping=notes.txt "),
    ("traceview serve --config no", "traceview serve --config notes.txt "),
    ("traceview diff --old recip", "traceview diff --old recipes.trace.zst "),
    ("traceview ci su", "traceview ci sub/"),
    ("traceview ci no", "traceview ci no"),
    ("traceview store check su", "traceview store check sub/"),
    ("traceview join old.", "traceview join old.key "),
    ("traceview join old.key old.", "traceview join old.key old.data "),
    ("traceview join -o no", "traceview join -o notes.txt "),
    ("traceview join --output=no", "traceview join --output=notes.txt "),
    ("traceview top recipes.trace.zst --thread Im", "traceview top recipes.trace.zst --thread ImageWorker "),
    ("traceview top recipes.trace.zst --thread=Im", "traceview top recipes.trace.zst --thread=ImageWorker "),
    ("traceview top recipes.trace.zst --hide java.ut", "traceview top recipes.trace.zst --hide java.util."),
    ("traceview top recipes.trace.zst --hide=com.,java.ut", "traceview top recipes.trace.zst --hide=com.,java.util."),
    ("traceview callers recipes.trace.zst java.util.Random.nextI",
     "traceview callers recipes.trace.zst java.util.Random.nextInt "),
    ("traceview callers recipes.trace.zst jav", "traceview callers recipes.trace.zst java."),
    ("traceview callers recipes.trace.zst com.example.recipes.RecipeApp\\$Im",
     "traceview callers recipes.trace.zst com.example.recipes.RecipeApp$ImageDecoder."),
    ("traceview callers recipes.trace.zst Random.nextI", "traceview callers recipes.trace.zst Random.nextInt "),
    ("traceview callers recipes.trace.zst nextI", "traceview callers recipes.trace.zst nextInt "),
]


class Cases:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.passed = self.failed = 0
        self.shown = os.path.join(folder, "line that the shell has")
        place = os.path.join(folder, "bin")
        os.mkdir(place)
        os.symlink(program, os.path.join(place, "traceview"))
        self.env = dict(os.environ, PATH=place + ":" + os.environ["PATH"], XDG_CACHE_HOME=os.path.join(folder, "cache"),
                        XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, HOME=folder, TERM="xterm", LC_ALL="C.UTF-8",
                        SHOWN=self.shown, LINES="50", COLUMNS="200")
        self.work = os.path.join(folder, "work")
        os.makedirs(os.path.join(self.work, "sub"))
        shutil.copy(EXAMPLE, self.work)
        for name in ("notes.txt", "old.key", "old.data", "sub/deeper.trace", "sub/notes.txt"):
            open(os.path.join(self.work, name), "w").close()

    def true(self, name, condition, shown=""):
        self.passed += bool(condition)
        self.failed += not condition
        if not condition:
            print("FAILED: %s: %s" % (name, shown), flush=True)

    def complete(self, *words):
        """What the program itself answers: the first line, and the words below it."""
        run = subprocess.run([self.program, "--complete", *words], cwd=self.work, env=self.env, capture_output=True,
                             timeout=PATIENCE_S, check=True)
        lines = run.stdout.decode("utf-8", "backslashreplace").split("\n")[:-1]
        return lines[0], [line.split("\t")[0] for line in lines[1:]]


class Shell:
    """An interactive shell on a terminal, in which Ctrl-G writes the line that is being typed to a file."""

    def __init__(self, cases, words, setup):
        self.cases = cases
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cases.work)
            os.execvpe(words[0], words, cases.env)
        self.read(0.5)
        for line in setup:
            os.write(self.fd, line.encode() + b"\n")
            self.read(0.3)

    def read(self, silence_s):
        """What it prints, until it prints nothing for so long."""
        data = b""
        while select.select([self.fd], [], [], silence_s)[0]:
            try:
                piece = os.read(self.fd, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            data += piece
        return data.decode("utf-8", "replace")

    def line_after(self, typed):
        """The line after Tab."""
        if os.path.exists(self.cases.shown):
            os.remove(self.cases.shown)
        os.write(self.fd, b"\x15" + typed.encode() + b"\t")
        self.read(0.5)
        os.write(self.fd, b"\x07")
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and not (os.path.exists(self.cases.shown) and os.path.getsize(self.cases.shown)):
            self.read(0.1)
        with open(self.cases.shown, encoding="utf-8") as file:
            return file.read()

    def list_after(self, typed):
        """What two Tabs show."""
        os.write(self.fd, b"\x15" + typed.encode() + b"\t\t")
        return self.read(0.7)

    def end(self):
        os.write(self.fd, b"\x15exit\n")
        self.read(0.3)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def bare(line):
    """Without what shells quote by."""
    return re.sub(r"[\\'\"]", "", line)


def begin_bash(cases):
    return Shell(cases, ["bash", "--noprofile", "--norc", "-i"],
                 ["PS1='> '; source %s/packaging/traceview.bash" % ROOT,
                  r"""bind -x '"\C-g": printf %s "$READLINE_LINE" > "$SHOWN"'; bind 'set bell-style none'"""])


def begin_zsh(cases):
    return Shell(cases, ["zsh", "-f", "-i"],
                 ["PS1='> '; fpath=(%s/packaging $fpath); autoload -U compinit; compinit -u -D" % ROOT,
                  "show() { print -rn -- $BUFFER > $SHOWN }; zle -N show; bindkey '^G' show; bindkey '^U' kill-whole-line"])


def in_a_terminal(cases, name, begin):
    if not shutil.which(name):
        print("skipped: completion in %s, which is not installed" % name)
        return
    shell = begin(cases)
    for typed, wanted in LINES:
        got = shell.line_after(typed)
        cases.true("%s: %r" % (name, typed), bare(got) == bare(wanted), "got %r, wanted %r" % (got, wanted))
    shown = shell.list_after("traceview top --s")
    shown += shell.list_after("traceview ")
    cases.true(name + " lists options and verbs", all(word in shown for word in ("info", "callers", "recipes.trace.zst")),
               shown)
    shell.end()


def in_fish(cases):
    if not shutil.which("fish"):
        print("skipped: completion in fish, which is not installed")
        return
    for typed, wanted in LINES:
        script = "source %s/packaging/traceview.fish; complete -C '%s'" % (ROOT, typed.replace("\\", "\\\\"))
        run = subprocess.run(["fish", "--no-config", "-c", script], cwd=cases.work, env=cases.env, capture_output=True,
                             text=True, timeout=PATIENCE_S, check=False)
        # fish answers words in place of the last one, and adds the blank itself.
        words = [line.split("\t")[0] for line in run.stdout.splitlines()]
        before = typed.rpartition(" ")[0]
        lines = [before + " " + word for word in words] if words else [typed]
        common = os.path.commonprefix(lines)
        cases.true("fish: %r" % typed, bare(common) == bare(wanted).rstrip(" "),
                   "got %r, wanted %r; %s" % (lines, wanted, run.stderr))


def from_the_program(cases):
    """What the scripts cannot show: where an answer comes from, and how long it takes."""
    example = "recipes.trace.zst"
    for words in (["2", "callers", example, "java."], ["3", "top", example, "--thread", ""]):
        cases.true("without a saved index there are no names: %s" % words, cases.complete(*words) == ("none", []))
    cases.true("no index is built for a shell", not os.path.exists(cases.env["XDG_CACHE_HOME"]))
    subprocess.run([cases.program, "index", example], cwd=cases.work, env=cases.env, stdout=subprocess.DEVNULL, check=True)
    files, names = cases.complete("2", "callers", example, "java.util.concurrent.locks.")
    cases.true("names go on step by step", files == "none" and names and all(
        re.fullmatch(r"java\.util\.concurrent\.locks\.[^.]+\.?", name) for name in names), names)
    cases.true("names are in order, each once", names == sorted(set(names)), names)
    cases.true("a method behind the word counts",
               cases.complete("1", "callers", "--thread=Imag", example)[1] == ["--thread=ImageWorker"])
    processes = os.path.join(ROOT, "tests", "data", "made", "perfetto-two-processes.trace")
    subprocess.run([cases.program, "index", processes], env=cases.env, stdout=subprocess.DEVNULL, check=True)
    cases.true("processes of the trace", cases.complete("2", "top", "--process", "", processes) ==
               ("none", ["com.app", "system_server"]))
    cases.true("a process behind the word counts",
               cases.complete("1", "top", "--process=sys", processes)[1] == ["--process=system_server"])
    mapping = os.path.join(cases.work, "m.txt")
    with open(mapping, "w", encoding="utf-8") as file:
        file.write("org.kitchen.Cook -> com.example.recipes.RecipeApp$Looper:\n    void heat() -> loop\n    void fry() -> dispatchMessage\n")
    subprocess.run([cases.program, "index", "--mapping", mapping, example], cwd=cases.work, env=cases.env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    for words in (["4", "callers", example, "--mapping", mapping, "org"], ["3", "callers", "--mapping=" + mapping, example, "org"],
                  ["2", "callers", example, "org", "--mapping", mapping], ["3", "tree", example, "--root", "org", "--mapping=" + mapping]):
        cases.true("names of the mapping on the line: %s" % words, "org.kitchen.Cook.heat" in cases.complete(*words)[1], cases.complete(*words))
    words = ["5", "top", example, "--mapping", mapping, "--hide", "org"]
    cases.true("packages of the mapping", cases.complete(*words)[1] == ["org.kitchen."], cases.complete(*words))
    cases.true("none of the build's", not cases.complete("4", "callers", example, "--mapping", mapping, "com.example.recipes.RecipeApp$Looper.")[1])
    cases.true("nor without the mapping", not cases.complete("2", "callers", example, "org")[1])
    cases.true("threads have one name", cases.complete("5", "top", example, "--mapping", os.devnull, "--thread", "Imag")[1] == ["ImageWorker"])
    home = dict(cases.env, HOME=cases.work)
    run = subprocess.run([cases.program, "--complete", "2", "callers", "~/" + example, "java.uti"], cwd="/", env=home,
                         capture_output=True, text=True, check=True)
    cases.true("~ is the home folder", "java.util." in run.stdout, run.stdout)
    # A class and a thread each, and one of both that can be shown.
    odd = ["\x1b[2J".encode(), "\x9b2J".encode(), "\u202e".encode(), "\u200b".encode(), b"\x9b2J", b"good"]
    with open(os.path.join(cases.work, "odd.trace"), "wb") as file:
        file.write(b"*version\n1\nclock=global\n*threads\n%s*methods\n%s*end\n" % (
            b"".join(b"%d\ta%s\n" % (i + 1, name) for i, name in enumerate(odd)),
            b"".join(b"0x%x\ta%s\tm\t()V\tA.java\n" % (4 * i + 4, name) for i, name in enumerate(odd))))
        file.write(struct.pack("<4sHHQ16x", b"SLOW", 1, 32, 0) + b"".join(
            struct.pack("<BII", i + 1, 4 * i + 4 | closes, 10 * i + closes) for i in range(len(odd)) for closes in (0, 1)))
    subprocess.run([cases.program, "index", "odd.trace"], cwd=cases.work, env=cases.env, stdout=subprocess.DEVNULL, check=True)
    for words, wanted in ((["2", "callers", "odd.trace", ""], ["agood.m"]),
                          (["3", "top", "odd.trace", "--thread", ""], ["agood"])):
        got = cases.complete(*words)[1]
        cases.true("names that a terminal obeys or hides are left out: %s" % words, got == wanted, got)
    for words in (["0"], [], ["5", "top"], ["x", "top"]):
        run = subprocess.run([cases.program, "--complete", *words], capture_output=True, text=True, check=False)
        cases.true("no such word: %s" % words, run.returncode == 2 and not run.stdout, run.stdout)
    for words in (["2", "callers", example, ""], ["2", "callers", example, "zzz"], ["3", "top", example, "--thread", ""]):
        spent = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            cases.complete(*words)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        cases.true("at once: %s" % words, sorted(spent)[2] < AT_ONCE_S, "%.3f s of CPU" % sorted(spent)[2])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(os.path.abspath(sys.argv[1]), folder)
        from_the_program(cases)
        in_a_terminal(cases, "bash", begin_bash)
        in_a_terminal(cases, "zsh", begin_zsh)
        in_fish(cases)
    print("%d passed, %d failed" % (cases.passed, cases.failed))
    sys.exit(cases.failed > 0)


main()
