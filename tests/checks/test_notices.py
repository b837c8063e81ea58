#!/usr/bin/env python3
"""Checks that scripts/make_notices lists the versions of what is linked in, and not those that this machine has installed.

    test_notices.py

Ends with "N passed, N failed".
"""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def listed(folder, beside):
    """The version in the list for programs, and whether the one for people has it; nothing where there is no list."""
    for name, text in beside.items():
        write(os.path.join(folder, "library", name), text)
    write(os.path.join(folder, "LICENSE"), "The licence.")
    text, spdx = os.path.join(folder, "notices.txt"), os.path.join(folder, "list.json")
    done = subprocess.run([os.path.join(ROOT, "scripts", "make_notices"), "1", os.path.join(folder, "LICENSE"), text, spdx, "--debian",
                           "base-files", os.path.join(folder, "library", "copyright"), "what it does"], check=False, capture_output=True)
    if done.returncode:
        return None
    with open(spdx, encoding="utf-8") as file:
        version = json.load(file)["packages"][1]["versionInfo"]
    with open(text, encoding="utf-8") as file:
        return version, "base-files %s: what it does" % version in file.read()


CASES = (
    ("of a source", {"copyright": "c", "changelog": "base-files (1:2.3-4+deb12u5) bookworm-security; urgency=high\n"}, ("1:2.3-4+deb12u5", True)),
    ("of a package", {"copyright": "c", "version": "1:2.3-4\n"}, ("1:2.3-4", True)),
    ("of neither: not guessed", {"copyright": "c"}, None),
)


def main():
    failed = 0
    for what, beside, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            told = listed(folder, beside)
        if told != expected:
            failed += 1
            print("FAILED: %s: %s" % (what, told))
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
