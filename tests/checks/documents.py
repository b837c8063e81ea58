#!/usr/bin/env python3
"""Checks what the documents of the project say about the project, so that nobody is sent to what is not there.

    documents.py [FOLDER]      of the project, which is where this file is in, or of another folder

* Links of Markdown pages lead to files, and to headings in them.
* Every *.md that a file names is there: as a path from the top, from docs/ or from the file's own folder. A heading
  that stands behind it, docs/numbers.md, "Calls", is a heading of that page.
* A page begins with whom it is for.
* Paths of sources that a page names in backquotes are there.
* Comments in C name files and tv_ names that are there.
* Comments in C, TypeScript and Java say which number they mean: "so many", "so much", "so long" and "so often" stand only
  before "as" or "that".
* docs/numbers.md lists the findings that finding.h has, with their severities.
* docs/viewer.md lists the keys and gestures that the page's key table has.
* Each row of docs/security.md about a wall names tests that are there.
* docs/architecture.md names the folders, rooms and arrows of src/meson.build.
* docs/words.md has every word in the name of a source of src, include and web/src.
* README.md leads to every page of docs/.
* Quantities in README.md are those of the recorded run in docs/performance.md, or of the source below; its table of what was
  tried is held by scripts/trust.

Ends with "N passed, N failed".
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Pages that are not the project's: one that a test writes, and one beside traces that are not part of the project.
NOT_OURS = {"page.md", "PERFETTO.md"}
# The test of this check, which is full of wrong names.
PLANTS = "tests/checks/test_documents.py"
# Where this project's pages used to be read from; a clone has no such folder.
OUTSIDE = re.compile(r"\.\./shared/" + "docs")
# Of README.md, beside the recorded run: the quantity, the file that has it, and how it stands there.
CONSTANTS = {"512 MiB": ("first_part.c", r"LONG_LEN \(\(uint64_t\)512 << 20\)")}

FENCED = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PAGE = re.compile(r"(?<![\w./*{-])(?:\.\./|\./)*\w[\w./-]*\.md\b")
CITED = re.compile(r"([\w./-]+\.md), ((?:\"[^\"]+\"(?:,| and)? ?)+)")
SOURCE = re.compile(r"`((?:src|web|tests|fuzz|bench|scripts|man|docs|packaging)/[\w./-]+)`")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
COMMENTED = re.compile(r".*\.(?:c|h|ts|tsx|mjs|java)")
ANY_COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|(?<=[ \t])//[^\n]*", re.S | re.M)
BARE_AMOUNT = re.compile(r"\bso (?:many|much|long|often)\b(?!(?: [^\s.,;:]+){0,12}? (?:as|that)\b)", re.I)
C_FILE = re.compile(r"\b[\w/]+\.[ch]\b")
C_NAME = re.compile(r"\b(?:tv|TV)_\w*[a-zA-Z0-9]\b(?![*_])")
QUANTITY = re.compile(r"\b(\d[\d.,]*)(?:-| )(ms|s|KiB|MiB|GiB|KB|MB|GB|million records)\b")


def files_of(folder):
    if os.path.isdir(os.path.join(folder, ".git")) or os.path.isfile(os.path.join(folder, ".git")):
        said = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=folder, capture_output=True,
                              text=True, check=True).stdout.splitlines()
        return [name for name in said if os.path.isfile(os.path.join(folder, name))]
    return [os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names]


def text_of(folder, name):
    """None for what is no text."""
    with open(os.path.join(folder, name), "rb") as file:
        data = file.read()
    try:
        return None if b"\0" in data else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def anchors_of(page):
    """What the headings of a page are called in links, and the headings."""
    names, headings = set(), set()
    for heading in re.findall(r"^#+ (.*?) *$", FENCED.sub("", page), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        headings.add(plain)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = 0
        while name + ("-%d" % count if count else "") in names:
            count += 1
        names.add(name + ("-%d" % count if count else ""))
    return names, headings


class Project:
    def __init__(self, folder):
        self.folder = folder
        self.names = set(files_of(folder))
        self.texts = {name: text for name in sorted(self.names) if (text := text_of(folder, name)) is not None}
        self.anchors = {name: anchors_of(text) for name, text in self.texts.items() if name.endswith(".md")}

        self.files = {os.path.basename(name) for name in self.names}
        self.c_names = set()
        for name, text in self.texts.items():
            if name.endswith((".c", ".h")):
                self.c_names |= set(re.findall(r"\b\w+\b", COMMENT.sub("", text)))

    def page(self, name, said):
        """The page that a file names; None when there is none."""
        for base in ("", "docs", os.path.dirname(name)):
            path = os.path.normpath(os.path.join(base, said))
            if path in self.anchors:
                return path
        return None

    def only(self, last):
        """The file of that name, wherever it is."""
        found = [name for name in self.texts if os.path.basename(name) == last]
        return found[0] if len(found) == 1 else None


def check_links(project, name, text):
    for target in LINK.findall(FENCED.sub("", text)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        where = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if where not in project.names and not os.path.isdir(os.path.join(project.folder, where)):
            yield "the link %s leads nowhere" % target
        elif anchor and anchor not in project.anchors.get(where, ((), ()))[0]:
            yield "the link %s names no heading" % target


def check_pages(project, name, text):
    """Pages and their headings that a file names, in comments that go on from line to line."""
    joined = re.sub(r"\s*\n[ \t]*(?:\*(?!/)|//|#)?[ \t]*", " ", text)
    for said in sorted(set(PAGE.findall(joined))):
        if os.path.basename(said) not in NOT_OURS and project.page(name, said) is None:
            yield "there is no %s" % said
    for said, quoted in CITED.findall(joined):
        page = project.page(name, said)
        for heading in re.findall(r'"([^"]+)"', quoted) if page else ():
            if heading not in project.anchors[page][1]:
                yield "%s has no heading \"%s\"" % (page, heading)


def check_sources(project, name, text):
    for path in sorted(set(SOURCE.findall(text))):
        if not os.path.exists(os.path.join(project.folder, path)):
            yield "there is no %s" % path


def check_comments(project, text):
    """Files and names that comments in C name."""
    comments = " ".join(COMMENT.findall(text))
    for path in sorted(set(C_FILE.findall(comments))):
        if os.path.basename(path) not in project.files:
            yield "a comment names %s, which is not there" % path
    for used in sorted(set(C_NAME.findall(comments)) - project.c_names):
        yield "a comment names %s, which is not there" % used


def check_amounts(text):
    """A reader of "a ring of so many bytes" has to look for the parameter; "a ring of `len` bytes" names it."""
    for comment in ANY_COMMENT.findall(text):
        words = re.sub(r"\s*\n[ \t]*(?:\*(?!/)|//)?[ \t]*", " ", comment)
        for amount in BARE_AMOUNT.finditer(words):
            yield "a comment says \"%s\" without the number: \"...%s...\"" % (
                amount[0].lower(), words[max(amount.start() - 20, 0):amount.end() + 20].strip())


def check_file(project, name, text):
    if OUTSIDE.search(text):
        yield "names a folder that a clone does not have"
    yield from check_pages(project, name, text)
    if name.endswith((".c", ".h")):
        yield from check_comments(project, text)
    if COMMENTED.fullmatch(name):
        yield from check_amounts(text)
    if name.endswith(".md"):
        yield from check_links(project, name, text)
        yield from check_sources(project, name, text)
    if re.fullmatch(r"(README|CONTRIBUTING|SECURITY|CHANGELOG|fuzz/README|docs/.*)\.md", name):
        yield from check_reader(name, text)


def check_reader(name, text):
    """A page begins with whom it is for. Its title is the first line that is not empty."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not re.match(r"For who(ever)? ", lines[1] if len(lines) > 1 else ""):
        yield "does not begin with whom it is for"


def check_findings(project):
    header = project.only("finding.h")
    there = {(kind, severity.lower().replace("_", " "))
             for kind, severity in re.findall(r'X\(\w+, "(\w+)", (\w+),', project.texts[header])}
    told = set(re.findall(r"^\| `(\w+)` \| ([a-z ]+) \|", project.texts["docs/numbers.md"], re.M))
    for kind, severity in sorted(there ^ told):
        yield "the finding %s, %s, is only in %s" % (kind, severity, header if (kind, severity) in there else "the page")


def rows_of_keys(text):
    """The rows that a page must have for the page's key table, without their first cell."""
    binding = r'binding\(\s*"\w+",\s*"[\w-]+",\s*"([^"]*)"((?:,\s*"[^"]*")*),?\s*\)'
    for label, keys in re.findall(binding, text):
        cells = ["`%s`" % key if len(key) < 14 else key for key in re.findall(r'"([^"]*)"', keys)]
        yield "| %s | %s |" % (", ".join(cells) or "command palette", label)
    gestures = re.search(r"GESTURES[^=]*= \[\n(.*?)\n\];", text, re.S)
    for gesture, meaning in re.findall(r'\["([^"]*)",\s*"([^"]*)"\]', gestures[1] if gestures else ""):
        yield "| %s | %s |" % (gesture, meaning)


def check_keys(project):
    page = project.texts["docs/viewer.md"]
    rows = list(rows_of_keys(project.texts[project.only("keys.ts")]))
    for row in rows:
        if row not in page:
            yield "there is no row %s" % row
    if not rows:
        yield "the key table cannot be read"


def check_walls(project):
    """The last cell of such a row: `file`, or `file`: `test`, `test`; several files stand behind semicolons."""
    tables = re.findall(r"^\|[^\n]*\| the test \|\n\|[ |-]*\n((?:\|.*\n)*)", project.texts["docs/security.md"], re.M)
    rows = [row for table in tables for row in table.splitlines()]
    for row in rows:
        told = row.split(" | ")[-1].strip("| ")
        for part in told.split("; "):
            file, *names = re.findall(r"`([^`]+)`", part) or [""]
            text = project.texts.get(file)
            if text is None:
                yield "the wall against \"%s\" has no test file %s" % (row.split(" | ")[0].strip("| "), file)
            for name in names if text is not None else ():
                if not re.search(r"\b%s\b" % re.escape(name), text):
                    yield "%s has no test %s" % (file, name)
    if not rows:
        yield "the tables of walls cannot be read"


TRUST = re.compile(r"<!-- scripts/trust writes this table -->.*?<!-- to here -->", re.S)


def is_in_run(run, number, unit):
    if unit == "million records":
        counts = (int(count.replace(",", "")) for count in re.findall(r"\b\d{1,3}(?:,\d{3})+\b", run))
        return any("%.1f" % (count / 1e6) == number for count in counts)
    return re.search(r"(?<![\d.,])%s %s\b" % (re.escape(number), unit), run) is not None


def check_quantities(project):
    run = re.search(r"<!-- budgets: begin -->(.*?)<!-- budgets: end -->", project.texts["docs/performance.md"], re.S)[1]
    own = TRUST.sub("", FENCED.sub("", project.texts["README.md"]))
    for number, unit in QUANTITY.findall(own):
        name, words = CONSTANTS.get("%s %s" % (number, unit), (None, None))
        if name and re.search(words, project.texts[project.only(name)]):
            continue
        if not is_in_run(run, number, unit):
            yield "%s %s is not in the recorded run of docs/performance.md" % (number, unit)


def check_map(project):
    """The table of folders in docs/architecture.md against those of src/meson.build."""
    build = project.texts["src/meson.build"]
    table = {name: re.search(r"^%s = \[\n(.*?)^\]" % name, build, re.M | re.S)[1] for name in ("arrows", "rooms")}
    rows = {re.sub(r"\W*src/(\w+)\W*", r"\1", cells[1]): cells for cells in
            (row.split("|") for row in re.findall(r"^\| `src/.*", project.texts["docs/architecture.md"], re.M))}
    for folder, used in re.findall(r"^  \['(\w+)', \[([^\]]*)\]", table["arrows"], re.M):
        used = set(re.findall(r"\w+", used))
        told = rows[folder][-2].split() if folder in rows else None
        if told is None:
            yield "src/%s has no row" % folder
        elif told != ["all"] and set(told) != used and used | set(told) <= set(rows):
            yield "src/%s uses %s" % (folder, " ".join(sorted(used)) or "nothing")
    for folder, room in re.findall(r"^  \['(\w+)/([\w/]+)',", table["rooms"], re.M):
        if folder in rows and "`%s`" % room.split("/")[-1] not in rows[folder][3]:
            yield "src/%s has a room `%s`" % (folder, room.split("/")[-1])
    if not rows:
        yield "the table of folders cannot be read"


def check_file_words(project):
    """Every word in a source's name stands in docs/words.md, with the endings that words have."""
    text = re.sub(r"`[^`]*`", "", project.texts["docs/words.md"]).lower()
    words = {}
    for name in project.texts:
        found = re.fullmatch(r"(?:src|include|web/src)/(?:.*/)?([\w-]+?)(?:\.test)?\.(?:c|h|S|ts|tsx)", name)
        for word in re.split("[_-]", found[1]) if found else []:
            words.setdefault(word, name)
    for word, name in sorted(words.items()):
        stem = re.escape(re.sub(r"(?<=\w\w\w)(?:ies|y|es|s|e)$", "", word.lower()))
        if not re.search(r"\b(?:%s|%s(?:ies|y|es|e?s|ed?|ing)?)\b" % (re.escape(word.lower()), stem), text):
            yield "%s is a word of %s" % (word, name)


def check_pages_led_to(project):
    """README.md leads to every page of docs/, or to the README.md of a folder of pages."""
    pages = {name for name in project.texts if re.fullmatch(r"docs/[^/]+\.md", name)}
    for page in sorted(pages - set(re.findall(r"\]\((docs/[^)#]+)", project.texts["README.md"]))):
        yield "no link leads to %s" % page


# Of pages that are there: what they are held against.
TABLES = [
    ("docs/numbers.md", check_findings),
    ("docs/viewer.md", check_keys),
    ("docs/security.md", check_walls),
    ("docs/architecture.md", check_map),
    ("docs/words.md", check_file_words),
    ("README.md", check_quantities),
    ("README.md", check_pages_led_to),
]


def main():
    project = Project(os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    checks = [(name, check_file(project, name, text)) for name, text in project.texts.items() if name != PLANTS]
    checks += [(name, check(project)) for name, check in TABLES if name in project.texts]
    passed = failed = 0
    for name, problems in checks:
        told = ["%s: %s" % (name, problem) for problem in problems]
        print("\n".join(told), end="\n" if told else "")
        passed += not told
        failed += bool(told)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0)


main()
