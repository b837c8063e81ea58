#!/usr/bin/env python3
"""The draw of cases that differ in data alone: what it has to keep, and that a fault that is put into it, or into the name by which
a script draws, is found. Ends with "N passed, N failed"."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import types

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
for folder in ("tests/support", "tests/acceptance", "tests/cli"):
    sys.path.insert(0, os.path.join(ROOT, folder))
DRAWN = "tests/support/drawn.py"
DRAWN_OF = 3
NAMES = ["case %d" % number for number in range(3000)]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def module_of(path, text, drawn=None):
    """The script as a module, with this text; what it draws with is the module `drawn`."""
    module = types.ModuleType(os.path.basename(path)[:-3])
    module.__file__ = os.path.join(ROOT, path)
    before = sys.modules.get("drawn")
    if drawn is not None:
        sys.modules["drawn"] = drawn
    try:
        exec(compile(text, module.__file__, "exec"), module.__dict__)  # pylint: disable=exec-used
    finally:
        sys.modules.pop("drawn", None)
        if before is not None:
            sys.modules["drawn"] = before
    return module


# What a draw keeps. Each takes the module drawn.

def a_part_of_all_is_drawn(drawn):
    """One of three, more or less, and all where nothing is drawn."""
    some = drawn.drawn(NAMES, DRAWN_OF, str)
    return 0.8 < len(some) * DRAWN_OF / len(NAMES) < 1.25 and drawn.drawn(NAMES, 1, str) == NAMES


def a_new_case_moves_no_other(drawn):
    some = drawn.drawn(NAMES, DRAWN_OF, str)
    return all([name for name in drawn.drawn(NAMES[:place] + ["new"] + NAMES[place:], DRAWN_OF, str) if name != "new"] == some
               for place in (0, 1, 2, 1500, 3000))


def the_order_of_the_cases_is_of_no_matter(drawn):
    return set(drawn.drawn(NAMES, DRAWN_OF, str)) == set(drawn.drawn(NAMES[::-1], DRAWN_OF, str))


def a_case_is_drawn_by_its_name_alone(drawn):
    """Each is drawn among others as it is alone."""
    some = set(drawn.drawn(NAMES, DRAWN_OF, str))
    return all(drawn.is_drawn(name, DRAWN_OF) == (name in some) for name in NAMES)


def no_file_goes_without(drawn):
    """Of few cases one is run, too, whatever their names are: the first."""
    groups = [["%s of %d" % (verb, number) for verb in ("info", "top")] for number in range(200)]
    return all(drawn.drawn(group, DRAWN_OF, str) == ([name for name in group if drawn.is_drawn(name, DRAWN_OF)] or group[:1])
               for group in groups)


def each_file_has_a_part_of_its_own(drawn):
    parts = {tuple(drawn.drawn(range(8), DRAWN_OF, lambda case, number=number: "%d of %d" % (case, number))) for number in range(100)}
    return len(parts) > 30


def every_run_draws_the_same(drawn):
    """As on any machine: the sums of the names decide, as zlib has them everywhere."""
    return [name for name in NAMES[:20] if drawn.is_drawn(name, DRAWN_OF)] == \
        [name for name in NAMES[:20] if crc32_of(name) % DRAWN_OF == 0]


def crc32_of(name):
    """As its definition has it, bit by bit."""
    value = 0xffffffff
    for byte in name.encode():
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xedb88320 if value & 1 else 0)
    return value ^ 0xffffffff


def each_case_is_dealt_to_one_file(drawn):
    files = ["a", "b", "c", "d"]
    dealt = {name: [file for file in files if drawn.is_dealt(name, files, file)] for name in NAMES}
    counts = [sum(dealt[name] == [file] for name in NAMES) for file in files]
    return sum(counts) == len(NAMES) and min(counts) > len(NAMES) / len(files) / 2


# What scripts draw, of their own lists: who takes what is asked of the scripts, which run nothing meanwhile.

def nothing(*_args, **_more):
    return None


@contextlib.contextmanager
def empty_case(_name):
    yield types.SimpleNamespace(equal=nothing, true=nothing)


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


REPORT = types.SimpleNamespace(case=empty_case)


def drawn_of_bad(drawn, text):
    """The verbs that each damaged file is shown to."""
    bad = module_of("tests/acceptance/bad.py", text, drawn)
    taken = {}
    bad.survived_files = lambda _many=0, names=tuple(bad.survived_files()): dict.fromkeys(names, lambda: b"")

    def write(path, data):
        with open(path, "wb") as file:
            return file.write(data)

    bad.write_and_measure = write
    bad.check_one = lambda _case, _tool, what, _verb, path, _size: taken.setdefault(name_of(path), set()).add(what)
    with tempfile.TemporaryDirectory() as folder:
        bad.check_survived(REPORT, None, folder, DRAWN_OF)
    return taken, set(bad.survived_files()), {" ".join(verb) for verb in bad.VERBS}


def drawn_of_convert(drawn, text):
    """The formats that each made trace becomes."""
    convert = module_of("tests/acceptance/convert.py", text, drawn)
    taken = {}
    title = ""
    convert.Source = lambda _data: types.SimpleNamespace(trace=types.SimpleNamespace(clocks=("wall",)))
    convert.check = lambda _case, _tool, _source, _path, _out, name: taken.setdefault(title, set()).add(name)
    convert.check_dmtracedump = nothing
    titles = [name for name, _ in convert.made_traces()] + ["seed %d" % seed for seed in convert.SEEDS]
    with tempfile.TemporaryDirectory() as folder:
        for title in titles:
            convert.check_all(REPORT, None, folder, title, b"", DRAWN_OF)
    return taken, set(titles), set(convert.FORMATS)


def drawn_of_bombs(drawn, text):
    """The commands that are run on each of the files which share them."""
    bombs = module_of("tests/cli/bombs.py", text, drawn)
    taken = {file: {" ".join(words) for words in all_words if bombs.is_taken(words, file)} for file, all_words in bombs.PARTS.items()}
    return taken, set(bombs.PARTS), {" ".join(words) for all_words in bombs.PARTS.values() for words in all_words}


SCRIPTS = {"tests/acceptance/bad.py": drawn_of_bad, "tests/acceptance/convert.py": drawn_of_convert, "tests/cli/bombs.py": drawn_of_bombs}


def loses_nothing(path, drawn, text):
    """Each file, and each verb or format, has a case; and not each file has all."""
    taken, files, kinds = SCRIPTS[path](drawn, text)
    return set(taken) == files and all(taken.values()) and set().union(*taken.values()) == kinds and \
        sum(map(len, taken.values())) < len(files) * len(kinds) / 2


KEPT = [a_part_of_all_is_drawn, a_new_case_moves_no_other, the_order_of_the_cases_is_of_no_matter, a_case_is_drawn_by_its_name_alone,
        no_file_goes_without, each_file_has_a_part_of_its_own, every_run_draws_the_same, each_case_is_dealt_to_one_file]


def is_sound(path, text):
    """Whether all that a draw keeps is kept, with this text of one of the files."""
    drawn = module_of(DRAWN, text if path == DRAWN else read(DRAWN))
    try:
        return all(case(drawn) for case in KEPT) and \
            all(loses_nothing(script, drawn, text if script == path else read(script)) for script in SCRIPTS)
    except (ValueError, IndexError, TypeError, ZeroDivisionError):
        return False


LIST = "[case for case in cases if is_drawn(name_of(case), one_of)] or cases[:1]"
PART = "zlib.crc32(name.encode()) % one_of == 0"
DEALT = "zlib.crc32(name.encode()) % len(files) == files.index(file)"
# File, what stands there, what stands there with the fault, the fault in words.
FAULTS = [
    (DRAWN, LIST, "[]", "nothing is drawn"),
    (DRAWN, LIST, "cases[:1]", "only the first case is drawn"),
    (DRAWN, LIST, LIST.replace(" or cases[:1]", ""), "a file may go without any"),
    (DRAWN, LIST, "cases[:(len(cases) + one_of - 1) // one_of]", "always the first part is drawn"),
    (DRAWN, LIST, "cases[::one_of]", "a case is drawn by its place"),
    (DRAWN, LIST, "cases", "all is drawn"),
    (DRAWN, LIST, LIST.replace("one_of)", "len(cases))"), "how many there are decides"),
    (DRAWN, LIST, LIST.replace("cases[:1]", "cases"), "a file of which none is drawn has all"),
    (DRAWN, PART, "False", "no case is drawn by its name"),
    (DRAWN, PART, "True", "every case is drawn"),
    (DRAWN, PART, PART.replace("== 0", "!= 0"), "the others are drawn"),
    (DRAWN, PART, PART.replace("== 0", "== 1"), "another part is drawn, and nothing of all"),
    (DRAWN, PART, PART.replace("zlib.crc32(name.encode())", "hash(name)"), "each run draws others"),
    (DRAWN, PART, PART.replace("name.encode()", "name[:4].encode()"), "the beginning of a name decides"),
    (DRAWN, DEALT, "files.index(file) == 0", "one file has all that is dealt"),
    (DRAWN, DEALT, DEALT.replace("==", "!="), "a case is dealt to all files but one"),
    (DRAWN, DEALT, DEALT + " + 1", "a case may be dealt to no file"),
    ("tests/acceptance/bad.py", '"%s of %s" % (" ".join(verb), name)', '" ".join(verb)', "a verb is shown to no damaged file"),
    ("tests/acceptance/bad.py", "drawn(VERBS, one_of", "drawn(VERBS[1:], one_of", "a verb is forgotten"),
    ("tests/acceptance/bad.py", "drawn(VERBS, one_of", "drawn(VERBS, 1", "damaged files are shown to all verbs"),
    ("tests/acceptance/convert.py", '"%s as %s" % (title, name)', "name", "a format is made of no trace"),
    ("tests/acceptance/convert.py", "drawn(FORMATS, one_of", "drawn(FORMATS[:-1], one_of", "a format is forgotten"),
    ("tests/cli/bombs.py", "return words in PARTS[file] and is_dealt", 'return words != ["dmtracedump", "-o"] and is_dealt',
     "a command is run on no file"),
    ("tests/cli/bombs.py", "[name for name in PARTS if words in PARTS[name]], file)", "list(PARTS), file)",
     "a command is dealt to a file that it is not for"),
]

# What scripts of node draw with, as the page's tests and the engine's do; and the seeds, of each folder of which one is taken.
NODE = r"""
import { readFileSync } from "node:fs";
import path from "node:path";
const { drawnByName, drawnInTurn, drawnOfEach } = await import(process.argv[1]);
const names = Array.from({ length: 3000 }, (_, ix) => `case ${ix}`);
const draw = (cases) => drawnByName(cases, (name) => name);
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const isOneOfThree = (count, all) => count * 3 > all * 0.8 && count * 3 < all * 1.25;
const some = draw(names);
const turn = (cases) => cases.filter(drawnInTurn());
const groups = Array.from({ length: 200 }, (_, ix) => ["light", "dark"].map((theme) => `${theme} ${ix}`));
const seeds = JSON.parse(readFileSync(process.argv[2], "utf8"));
const kindOf = (seed) => path.dirname(seed);
const kinds = (list) => [...new Set(list.map(kindOf))].sort();
const whole = process.argv.push("--all") && [draw(names), turn(names)];
process.argv.pop();
const kept = {
  "one of three": isOneOfThree(some.length, names.length),
  "a new case moves no other": [0, 1, 2, 1500].every((at) =>
    isSame(draw([...names.slice(0, at), "new", ...names.slice(at)]).filter((name) => name !== "new"), some)),
  "no file goes without": groups.every((group) => draw(group).length > 0 && turn(group).length > 0),
  "the first, in turn": turn(names)[0] === names[0] && turn(names.slice(1))[0] === names[1],
  "one of three, in turn": isOneOfThree(turn(names).length, names.length),
  "in turn by the name": isSame(turn(["first", ...names]).slice(1), some),
  "all": whole.every((list) => isSame(list, names)),
  "each folder of seeds": isSame(kinds(drawnOfEach(seeds, (seed) => seed, kindOf)), kinds(seeds)),
};
for (const [what, is] of Object.entries(kept)) if (!is) console.log(what);
"""
NODE_DRAWN = "tests/support/drawn.mjs"
NODE_FAULTS = [
    ("some.length > 0 ? some : cases.slice(0, 1)", "some", "a file may go without any"),
    ("some.length > 0 ? some : cases.slice(0, 1)", "cases.slice(0, 1)", "only the first case is drawn"),
    ("some.length > 0 ? some : cases.slice(0, 1)", "cases.filter((_, ix) => isAll() || ix % DRAWN_OF === 0)", "a case is drawn by its place"),
    ("hash.readUInt32LE(0) % DRAWN_OF === 0", "false", "no case is drawn by its name"),
    ("hash.readUInt32LE(0) % DRAWN_OF === 0", "true", "every case is drawn"),
    ("hash.readUInt32LE(0) % DRAWN_OF === 0", "Math.random() * DRAWN_OF < 1", "each run draws others"),
    ('process.argv.includes("--all")', "false", "--all takes a part"),
    ("flatMap((some) => drawnByName(some, nameOf))", "flatMap((some) => some.filter((one) => isDrawn(nameOf(one))))",
     "a folder of seeds may go without any"),
    ("count === 1 || isAll()", "isAll()", "in turn, a file may go without any"),
    ("isAll() || isDrawn(name)", "isAll()", "in turn, only the first is drawn"),
    ("isAll() || isDrawn(name)", "isAll() || count % DRAWN_OF === 0", "in turn, a case is drawn by its place"),
]


def lost_in_node(text):
    """What a draw with this text of drawn.mjs does not keep, a line each; what went wrong is one, too."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "drawn.mjs")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        listed = os.path.join(folder, "seeds.json")
        with open(listed, "w", encoding="utf-8") as file:
            json.dump(sorted(os.path.relpath(os.path.join(place, name), ROOT)
                             for place, _, names in os.walk(os.path.join(ROOT, "fuzz", "seeds")) for name in names), file)
        done = subprocess.run(["node", "--input-type=module", "-e", NODE, path, listed], cwd=ROOT, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr[-300:] if done.returncode else done.stdout).splitlines()


def changed(path, old, new):
    text = read(path)
    if text.count(old) != 1:
        raise SystemExit("test_drawn: %s stands %d times in %s" % (old, text.count(old), path))
    return text.replace(old, new)


def main():
    whole = module_of(DRAWN, read(DRAWN))
    results = [(case.__name__, case(whole)) for case in KEPT]
    results += [("what %s draws loses nothing" % script, loses_nothing(script, whole, read(script))) for script in SCRIPTS]
    results += [("%s: %s" % (os.path.basename(path), what), not is_sound(path, changed(path, old, new))) for path, old, new, what in FAULTS]
    lost = lost_in_node(read(NODE_DRAWN))
    results.append(("drawn.mjs loses nothing: %s" % "; ".join(lost), not lost))
    results += [("drawn.mjs: %s" % what, bool(lost_in_node(changed(NODE_DRAWN, old, new)))) for old, new, what in NODE_FAULTS]
    for name, is_fine in results:
        if not is_fine:
            print("FAILED: %s" % name)
    failed = sum(not is_fine for _, is_fine in results)
    print("%d passed, %d failed" % (len(results) - failed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
