#!/usr/bin/env python3
"""Checks lines of root in documents against what Debian's packages have, since no test runs them.

    told_packages.py

A line that installs ./NAME_*.deb names all packages of this source that those depend on; a path below /usr/share/traceview or
/usr/share/doc/traceview*, wherever a page or a recipe of packaging/site tells it, is one that a package has (packaging/debian). Ends with "N passed, N failed".
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEBIAN = os.path.join(ROOT, "packaging", "debian")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def dependencies(control):
    """Of each package those of this source that it cannot be installed without."""
    found = {}
    for part in control.split("\n\n"):
        name = re.search(r"^Package: (.*)", part, re.M)
        if name:
            found[name[1]] = re.search(r"^Depends: (.*(?:\n .*)*)", part, re.M)[1]
    return {name: {other for other in found if re.search(r"(^|[\s,])%s($|[\s,(])" % re.escape(other), needed)} for name, needed in found.items()}


def installed_files():
    """Paths that packages have, as far as lists of packaging/debian name them."""
    for path in glob.glob(os.path.join(DEBIAN, "*.install")):
        yield from ("/" + line.split()[0] for line in read(path).splitlines())
    for path in glob.glob(os.path.join(DEBIAN, "*.examples")):
        folder = "/usr/share/doc/%s/examples" % os.path.basename(path).removesuffix(".examples")
        yield folder
        for line in read(path).splitlines():
            if os.path.exists(os.path.join(ROOT, line)):
                yield "%s/%s" % (folder, os.path.basename(line))


def faults_of(name, text, needed, has):
    """(how many lines were looked at, faults)"""
    count, faults = 0, []
    for line in re.findall(r"apt(?:-get)? install [^`]*?\.deb[^`#]*", text):
        given = set(re.findall(r"/([a-z0-9-]+)_\*\.deb", line))
        # A paragraph goes on to speak of other things; a block has one command a line.
        given = given or set(needed)
        count += 1
        lacking = set().union(*(needed.get(one, {"unknown package " + one}) for one in given)) - given
        if lacking:
            faults.append("%s: %s: not without %s" % (name, " ".join(line.split())[:100], ", ".join(sorted(lacking))))
    for path in re.findall(r"/usr/share/(?:traceview|doc/traceview[\w-]*)(?:/[\w.*-]+)*\w", text):
        count += 1
        if path not in has:
            faults.append("%s: %s: no package has it" % (name, path))
    return count, faults


def main():
    needed, has = dependencies(read(os.path.join(DEBIAN, "control"))), set(installed_files())
    pages = [os.path.join(where, name) for where, _, names in os.walk(os.path.join(ROOT, "docs")) for name in names if name.endswith(".md")]
    recipes = [path for path in glob.glob(os.path.join(ROOT, "packaging", "site", "*")) if os.path.isfile(path)]
    count, faults = 0, []
    for path in [os.path.join(ROOT, "README.md"), *sorted(pages), *sorted(recipes)]:
        more, found = faults_of(os.path.relpath(path, ROOT), read(path), needed, has)
        count += more
        faults += found
    print("\n".join(faults), end="\n" if faults else "")
    print("%d passed, %d failed" % (count - len(faults), len(faults)))
    sys.exit(bool(faults) or count == 0)


if __name__ == "__main__":
    main()
