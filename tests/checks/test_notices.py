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


FORMAT = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
LICENCES = (
    ("Files: *\nCopyright: a\n b\nLicense: LGPL-3+ or GPL-2+\n\nFiles: x.c\nCopyright: b\nLicense: Expat\n\nFiles: debian/*\nLicense: GPL-3+\n",
     "(LGPL-3.0-or-later OR GPL-2.0-or-later) AND MIT"),
    ("Files: *\nLicense: Zlib\n\nFiles: x.c\nLicense: of its own\n", "NOASSERTION"),
)


def licence_of(text):
    with tempfile.TemporaryDirectory() as folder:
        listed(folder, {"copyright": FORMAT + text, "version": "1"})
        with open(os.path.join(folder, "list.json"), encoding="utf-8") as file:
            return json.load(file)["packages"][1]["licenseDeclared"]


def main():
    failed = 0
    for text, expected in LICENCES:
        if licence_of(text) != expected:
            failed += 1
            print("FAILED: %s: %s" % (expected, licence_of(text)))
    for what, beside, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            told = listed(folder, beside)
        if told != expected:
            failed += 1
            print("FAILED: %s: %s" % (what, told))
    print("%d passed, %d failed" % (len(CASES) + len(LICENCES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
