#!/usr/bin/env python3
"""Builds the engine of pages a second time, in another folder and from a copy of the source in another place: the same bytes
must come out.

    twice.py ENGINE.WASM

Ends with "N passed, N failed".
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What the engine is made from.
SOURCE = ["meson.build", "meson_options.txt", "LICENSE", "scripts", "src", "include", "man", "packaging", "tests/data", "web/meson.build",
          "web/src/views/css", "web/src/site/css"]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def copy_source(place):
    for name in SOURCE:
        target = os.path.join(place, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(os.path.join(ROOT, name)):
            shutil.copytree(os.path.join(ROOT, name), target)
        else:
            shutil.copy2(os.path.join(ROOT, name), target)


def build(place):
    folder = os.path.join(place, "another folder")
    subprocess.run(["meson", "setup", folder, "-Dpage=disabled", "-Dengine=enabled", "-Dtests=false", "-Djvm=disabled"],
                   cwd=place, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    subprocess.run(["ninja", "-C", folder, "src/engine/engine.wasm"], check=True, stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT)
    return os.path.join(folder, "src", "engine", "engine.wasm")


def main():
    with tempfile.TemporaryDirectory(prefix="traceview-twice-") as place:
        copy_source(place)
        try:
            second = digest(build(place))
        except subprocess.CalledProcessError as problem:
            sys.exit("%s\n0 passed, 1 failed" % problem.output.decode(errors="replace")[-3000:])
    first = digest(sys.argv[1])
    if first != second:
        print("two builds of the engine differ: %s and %s" % (first, second))
    print("%d passed, %d failed" % (first == second, first != second))
    sys.exit(first != second)


main()
