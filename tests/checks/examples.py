#!/usr/bin/env python3
"""Runs the examples of README.md and docs/, and sees that the program says what the pages say.

    examples.py PROGRAM [--update]      --update writes into the pages what the program says

A block of a page that begins with ```trace NAME is a part of NAME.trace: lines of text, in which an arrow is a tab,
or a dump of bytes, OFFSET  HH HH ...  remark. The parts of one name stand one behind the other. A block that begins
with ```file NAME is that file. In a block that begins with ```console each line "$ traceview ...", "$ gcc ...",
"$ g++ ...", "$ javac ...", "$ java ..." and "$ ./..." is run where these files and the bundled example are, as if the program and its library were
installed, and what follows is what it prints; of a program that was just recorded, any time will do, and of a saved page any size.
Other blocks without a language, or of sh, are not run here. Of their lines that begin with traceview the verb and its options are
those that the program has.

Ends with "N passed, N failed".
"""

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
BLOCK = re.compile(r"^```(trace (\w[\w-]*)|file (\w[\w.-]*)|console)\n(.*?)^```$", re.M | re.S)
RUN = re.compile(r"\$ (traceview|gcc|g\+\+|javac|java|\./[\w-]+)( |$)")
JAVA = re.compile(r"^\$ javac ", re.M)
DUMPED = re.compile(r"([0-9a-f]{4})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?$")


# A program that is recorded.
MEASURED = re.compile(r"^\$ (\./|java |traceview record)", re.M)
TIME = re.compile(r"\b\d[\d,.]* (ns|µs|ms|s)\b")
# A page that is saved is as large as the page that it is made of, and a recording has the name of the processor in it.
REPORT = re.compile(r"^\$ traceview report", re.M)
SIZE = re.compile(r"\b\d[\d.]* (kB|MB)\b")


OTHER = re.compile(r"^```(?:sh)?\n(.*?)^```$", re.M | re.S)


@functools.cache
def help_of(program, verb):
    return subprocess.run([program, "help", verb], capture_output=True, text=True, check=False)


def unknown_options(program, text):
    """Options in blocks that are not run which the program does not have."""
    for block in OTHER.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if not line.startswith("traceview ") or re.match(r"traceview \w+ \d+$", line):
                continue  # or the first line of a lockfile
            words = re.split(r" -- |[#|>&;]", line)[0].split()
            verb = words[1] if not words[1].startswith("-") and "." not in words[1] else "view"
            run = help_of(program, verb)
            if run.returncode:
                yield "%s: no such verb" % line
            known = set(re.findall(r"--[a-z][\w-]*", run.stdout))
            yield from ("%s: %s has no %s" % (line, verb, word) for word in
                        (word.split("=")[0] for word in words if re.match(r"--[a-z]", word)) if word not in known)


def bytes_of(block):
    """The bytes of a part, and whether its offsets are true."""
    lines = block.splitlines()
    if not DUMPED.match(lines[0]):
        return block.replace("→", "\t").encode(), True
    data = b""
    for line in lines:
        found = DUMPED.match(line)
        if not found or int(found[1], 16) != len(data):
            return data, False
        data += bytes.fromhex(found[2])
    return data, True


def said_by(program, block, folder):
    """The block with what the program prints under each of its commands."""
    said = ""
    library = os.path.join(os.path.dirname(program), "include")
    plain = dict(os.environ, TRACEVIEW_CACHE_SIZE="0", NO_COLOR="1", CPATH=os.path.join(ROOT, "include"),
                 LIBRARY_PATH=library, LD_LIBRARY_PATH=library, CLASSPATH=os.path.join(library, "traceview.jar") + ":.")
    for line in block.splitlines():
        if RUN.match(line):
            command = shlex.split(line)[1:]
            command[0] = program if command[0] == "traceview" else command[0]
            if command[0] == "javac":    # two small files are compiled before what compiles them is worth being compiled
                command[1:1] = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]
            run = subprocess.run(command, cwd=folder, env=plain, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 check=False)
            said += line + "\n" + run.stdout.decode("utf-8", "replace")
    return said


def without_times(block):
    """What is compared of a block."""
    block = SIZE.sub("0 MB", block) if REPORT.search(block) or MEASURED.search(block) else block
    return TIME.sub("0 ms", block) if MEASURED.search(block) else block


def has_agent(program):
    """Whether Java programs can be recorded."""
    return os.path.exists(os.path.join(os.path.dirname(program), "include", "traceview-jvm.jar"))


def check_page(path, program, folder, is_update):
    """(problems, how many blocks) of one page."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    name = os.path.relpath(path, ROOT)
    problems, count, traces, made = [], 0, {}, page
    for block in BLOCK.finditer(page):
        count += 1
        if block[2]:
            data, is_true = bytes_of(block[4])
            traces[block[2]] = traces.get(block[2], b"") + data
            with open(os.path.join(folder, block[2] + ".trace"), "wb") as file:
                file.write(traces[block[2]])
            if not is_true:
                problems.append("%s: a dump of %s has a wrong offset at %#x" % (name, block[2], len(data)))
        elif block[3]:
            with open(os.path.join(folder, block[3]), "w", encoding="utf-8") as file:
                file.write(block[4])
        elif JAVA.search(block[4]) and not has_agent(program):
            print("skipped: an example in Java: built without a JDK (openjdk-17-jdk-headless) or without ASM (libasm-java)")
        elif RUN.search(block[4]):
            said = said_by(program, block[4], folder)
            if without_times(said) != without_times(block[4]):
                problems.append("%s: the program says\n%s" % (name, said))
                made = made.replace(block[0], "```console\n%s```" % said)
    if is_update and made != page:
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
    return problems, count


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    pages = [os.path.join(where, name) for where, _, names in os.walk(os.path.join(ROOT, "docs")) for name in names]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(EXAMPLE, folder)
        for path in [os.path.join(ROOT, "README.md")] + sorted(path for path in pages if path.endswith(".md")):
            problems, count = check_page(path, os.path.abspath(arguments[0]), folder, "--update" in sys.argv)
            with open(path, encoding="utf-8") as file:
                unknown = list(unknown_options(os.path.abspath(arguments[0]), file.read()))
            problems += ["%s: %s" % (os.path.relpath(path, ROOT), problem) for problem in unknown]
            count += 1 + max(0, len(unknown) - 1)
            print("\n".join(problems), end="\n" if problems else "")
            passed += count - len(problems)
            failed += len(problems)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)


main()
