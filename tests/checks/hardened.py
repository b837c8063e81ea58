#!/usr/bin/env python3
"""What the hardening of a release must have left in the binary: hardened.py PROGRAM. Ends with "N passed, N failed".

The linker takes such things away without a word: one object without the note of -fcf-protection is enough.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

# What must be found by which listing of readelf.
EVERYWHERE = (
    ("its address is chosen by the system (PIE)", "-h", r"Type:\s+DYN"),
    ("tables of the linker are read only (RELRO)", "-l", r"GNU_RELRO"),
    ("all functions are bound at the start", "-d", r"\bNOW\b"),
    ("the stack is not executed", "-l", r"GNU_STACK\s+(0x[0-9a-f]+\s+){5}RW\s"),
)
# What a processor checks at jumps and returns, as -fcf-protection prepares it: on x86.
CHECKED = r"x86 feature:.*\bIBT\b.*\bSHSTK\b"


def listing_of(readelf, option, path):
    return subprocess.run([readelf, "-W", option, path], capture_output=True, text=True, check=True).stdout


def system_is_prepared(readelf, folder):
    """Whether the objects of the C library that stand in every program are; those of Debian 12 are not."""
    empty = os.path.join(folder, "empty")
    made = subprocess.run(["cc", "-fcf-protection", "-x", "c", "-o", empty, "-"], input="int main(void){return 0;}",
                          text=True, check=False)
    return made.returncode == 0 and re.search(CHECKED, listing_of(readelf, "-n", empty)) is not None


def own_objects(program):
    """What the build made of src for this machine, the page among it: the engine of pages is for none."""
    return [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(os.path.dirname(program), "src"))
            for name in names if name.endswith(".o") and not name.endswith(".wasm.o") and "engine.wasm" not in folder]


def main():
    program = os.path.abspath(sys.argv[1])
    readelf = shutil.which("readelf")
    if not readelf:
        print("skipped: there is no readelf\n0 passed, 0 failed")
        return 0
    results = [(what, bool(re.search(pattern, listing_of(readelf, listing, program))))
               for what, listing, pattern in EVERYWHERE]
    if platform.machine() == "x86_64":
        objects = own_objects(program)
        assert objects, "no objects beside %s" % program
        results += [("jumps and returns of %s are checked" % os.path.basename(path),
                     bool(re.search(CHECKED, listing_of(readelf, "-n", path)))) for path in objects]
        with tempfile.TemporaryDirectory() as folder:
            if system_is_prepared(readelf, folder):
                results.append(("jumps and returns of the program are checked",
                                bool(re.search(CHECKED, listing_of(readelf, "-n", program)))))
            else:
                print("skipped: the C library's own objects are not prepared for -fcf-protection, so no program is")
    for what, is_so in results:
        if not is_so:
            print("FAILED: " + what)
    passed = sum(is_so for _, is_so in results)
    print("%d passed, %d failed" % (passed, len(results) - passed))
    return 0 if passed == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
