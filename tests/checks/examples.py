#!/usr/bin/env python3
"""Runs the examples of README.md and docs/, and sees that the program says what the pages say.

    examples.py PROGRAM [--update]      --update writes into the pages what the program says

A block of a page that begins with ```trace NAME is a part of NAME.trace: lines of text, in which an arrow is a tab,
or a dump of bytes, OFFSET  HH HH ...  remark. The parts of one name stand one behind the other. In a block that
begins with ```console each line "$ traceview ..." is run where these traces and the bundled example are, and what
follows is what it prints.
Ends with "N passed, N failed".
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
BLOCK = re.compile(r"^```(trace (\w[\w-]*)|console)\n(.*?)^```$", re.M | re.S)
DUMPED = re.compile(r"([0-9a-f]{4})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?$")


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
    plain = dict(os.environ, TRACEVIEW_CACHE_SIZE="0", NO_COLOR="1")
    for line in block.splitlines():
        if line.startswith("$ traceview "):
            run = subprocess.run([program] + shlex.split(line)[2:], cwd=folder, env=plain, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, check=False)
            said += line + "\n" + run.stdout.decode("utf-8", "replace")
    return said


def check_page(path, program, folder, is_update):
    """(problems, how many blocks) of one page."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    name = os.path.relpath(path, ROOT)
    problems, count, traces, made = [], 0, {}, page
    for block in BLOCK.finditer(page):
        count += 1
        if block[2]:
            data, is_true = bytes_of(block[3])
            traces[block[2]] = traces.get(block[2], b"") + data
            with open(os.path.join(folder, block[2] + ".trace"), "wb") as file:
                file.write(traces[block[2]])
            if not is_true:
                problems.append("%s: a dump of %s has a wrong offset at %#x" % (name, block[2], len(data)))
        elif "$ traceview" in block[3]:
            said = said_by(program, block[3], folder)
            made = made.replace(block[0], "```console\n%s```" % said)
            if said != block[3]:
                problems.append("%s: the program says\n%s" % (name, said))
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
            print("\n".join(problems), end="\n" if problems else "")
            passed += count - len(problems)
            failed += len(problems)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)


main()
