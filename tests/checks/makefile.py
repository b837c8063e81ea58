#!/usr/bin/env python3
"""Checks that make says in one line what to run where Meson or Ninja is missing. Ends with "N passed, N failed"."""

import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE = shutil.which("make")

# Word, programs that are there, what make says.
CASES = [
    ("build", [], "meson is missing: run scripts/install build"),
    ("install", [], "meson is missing: run scripts/install build"),
    ("bench", [], "meson is missing: run scripts/install build"),
    ("build", ["meson"], "ninja is missing: run scripts/install build"),
]


def told_by_make(word, programs):
    """Status and output of make with nothing else in PATH, where nothing has been built yet."""
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            path = os.path.join(folder, program)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n")
            os.chmod(path, 0o755)
        release = "RELEASE=" + os.path.join(folder, "release")
        run = subprocess.run([MAKE, "--no-print-directory", word, release], cwd=ROOT, env={"PATH": folder}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return run.returncode, run.stdout


def main():
    failed = 0
    for word, programs, wanted in CASES:
        status, told = told_by_make(word, programs)
        is_good = status != 0 and wanted in told and told.count("\n") == 1
        if not is_good:
            print("make %s with %s: status %d\n%s" % (word, programs or "nothing", status, told))
        failed += not is_good
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    sys.exit(failed > 0)


main()
