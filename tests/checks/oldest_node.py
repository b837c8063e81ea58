#!/usr/bin/env python3
"""Checks that the page is built and tested with the oldest node that it allows. Ends with "N passed, N failed".

A newer node has functions that the older one lacks, so a machine with a newer one would not see that they are used.
"""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("web", os.path.join("tests", "readers"))


def package(folder):
    with open(os.path.join(ROOT, folder, "package.json"), encoding="utf-8") as file:
        return json.load(file)


def main():
    allowed = {folder: package(folder)["engines"]["node"] for folder in FOLDERS}
    oldest = re.fullmatch(r">=(\d+)", allowed["web"])
    installed = package(os.path.join("tests", "oldest_node"))["optionalDependencies"]
    checks = {
        "every folder allows the same nodes: %s" % allowed: oldest is not None and len(set(allowed.values())) == 1,
        "tests/oldest_node installs that one: %s" % installed:
            oldest is not None and {version.split(".")[0] for version in installed.values()} == {oldest.group(1)},
    }
    version = subprocess.run(["node", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if oldest and version.split(".")[0] != "v" + oldest.group(1):
        print("skipped: the page with node %s: node is %s" % (oldest.group(1), version))
    for what, holds in checks.items():
        if not holds:
            print("FAILED: " + what)
    failed = sum(not holds for holds in checks.values())
    print("%d passed, %d failed" % (len(checks) - failed, failed))
    sys.exit(failed != 0)


main()
