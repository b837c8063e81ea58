#!/usr/bin/env python3
"""Builds and asks a trace that is large enough for several chunks, with a program that was built for finding races.

    races.py PROGRAM

The bundled trace as it is, as a stream and as packets. A race ends the program with a status of its own.
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TRACE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
QUESTIONS = (
    ["info"],
    ["check"],
    ["top", "--from", "50ms", "--to", "600ms", "--per-call", "--json"],
    ["tree", "--from", "1ms", "--match", "String"],
    ["callers"],
)
METHOD = "java.lang.String.charAt"



def run(program, *args):
    """Whether the program ended without an error of its own or a race."""
    environment = dict(os.environ, TSAN_OPTIONS="exitcode=66 halt_on_error=1")
    done = subprocess.run([program, *args], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode == 0 and b"ThreadSanitizer" not in done.stderr:
        return True
    print("%s: status %d\n%s" % (" ".join(args), done.returncode, done.stderr.decode("utf-8", "replace")[:2000]))
    return False


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        versions = (["stream"], ["packets"], ["packets", "--layout", "d"])
        others = [os.path.join(folder, "%d.trace" % i) for i in range(len(versions))]
        results = [run(program, "convert", "--as", *version, TRACE, other)
                   for version, other in zip(versions, others)]
        for trace in (TRACE, *others):
            for verb, *options in QUESTIONS:
                more = [METHOD] if verb == "callers" else []
                results.append(run(program, verb, "--no-cache", *options, trace, *more))
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    sys.exit(not all(results))


main()
