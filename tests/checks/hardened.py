#!/usr/bin/env python3
"""What the hardening of a release must have left in the binary and in the recorder's libraries: hardened.py PROGRAM. Ends
with "N passed, N failed".

The linker takes such things away without a word: one object without the note of -fcf-protection is enough. What leaves no
mark in an object is looked for in the commands that compiled it.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

# What must be found by which listing of readelf, in the program and in the libraries.
EVERYWHERE = (
    ("its address is chosen by the system (PIE)", "-h", r"Type:\s+DYN"),
    ("library calls know the sizes of their buffers", "--dyn-syms", r"\b__\w+_chk@"),
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


# What each source is compiled with, where the compiler knows it.
SWITCHES = ("-D_FORTIFY_SOURCE=3", "-fstack-protector-strong", "-fstack-clash-protection", "-ftrivial-auto-var-init=zero")


def knows(compiler, switch):
    return subprocess.run([compiler, "-Werror", "-O2", switch, "-x", "c", "-c", "-o", os.devnull, "-"], input="int x;", text=True,
                          capture_output=True, check=False).returncode == 0


def problems_of_commands(folder):
    """(what, whether it is so) of the switches of all sources that are compiled for this machine."""
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        commands = [(one["file"], one["command"].split()) for one in json.load(file)]
    commands = [(name, words) for name, words in commands if name.endswith(".c") and "--target=wasm32-wasi" not in words]
    assert commands, "nothing is compiled in %s" % folder
    compiler = next(word for word in commands[0][1] if os.path.basename(word) != "ccache")
    for switch in SWITCHES:
        if knows(compiler, switch):
            lacking = sorted(name for name, words in commands if switch not in words)
            yield "%s%s" % (switch, ": not %s" % ", ".join(lacking[:3]) if lacking else ""), not lacking
        else:
            print("skipped: %s has no %s" % (compiler, switch))


def libraries_of(folder):
    """Those of the recorder, which live in other programs."""
    place = os.path.join(folder, "include")
    found = [os.path.join(place, name) for name in sorted(os.listdir(place)) if re.search(r"\.so(\.1)?$", name)]
    assert found, "no library of the recorder beside the program"
    return found


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
    folder = os.path.dirname(program)
    results = [("%s: %s" % (os.path.basename(path), what), bool(re.search(pattern, listing_of(readelf, listing, path))))
               for path in [program, *libraries_of(folder)] for what, listing, pattern in EVERYWHERE]
    results += problems_of_commands(folder)
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
