"""The saved index: with it and without it the answers are the same, and no state of the cache spoils one."""

import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import harness
from drawn import drawn
from harness import ROOT, shared_folder

MADE = os.path.join(ROOT, "tests", "data", "made")
EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
LONG_AGO = 1_000_000_000

QUESTIONS = [
    ["info"],
    ["info", "--json"],
    ["top", "-n", "0"],
    ["top", "-n", "0", "--json", "--per-call"],
    ["top", "--from", "1us", "--to", "9ms", "--json"],
    ["tree", "--depth", "20"],
    ["tree", "--inverted", "--json"],
    ["check"],
    ["check", "--json", "--strict"],
]


class Cache:
    """A cache of its own, and the program with it."""

    def __init__(self, tool):
        self.tool = tool
        self.home = tempfile.mkdtemp(prefix="traceview-cache-")
        self.folder = os.path.join(self.home, "traceview")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, *words, **more):
        return self.tool.run(*words, cache=self.home, **more)

    def save(self, trace, **more):
        """Saves, and gives the path of the index."""
        done = self.run("index", trace, **more)
        if done.status != 0:
            raise ValueError("index: %s" % done.err.decode())
        return done.out.decode().strip()

    def entries(self):
        return sorted(glob.glob(os.path.join(self.folder, "*.index")))

    def files(self):
        return sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else []


def told(done):
    return done.status, done.out, done.err


def was_used(entry):
    return os.stat(entry).st_mtime > LONG_AGO + 1


def compare_answers(case, cache, trace, questions, one_of=1):
    """Each answer with the saved index, which must have been used, and without."""
    entry = cache.save(trace)
    for words in drawn(questions, one_of, lambda words: "%s of %s" % (" ".join(words), os.path.basename(trace))):
        os.utime(entry, (LONG_AGO, LONG_AGO))
        case.equal(" ".join(words), told(cache.run(words[0], trace, *words[1:])),
                   told(cache.run(words[0], trace, *words[1:], "--no-cache")))
        case.true("%s used the saved index" % " ".join(words), was_used(entry))


def same_answers(report, tool, path, one_of):
    with report.case("saved: %s" % os.path.basename(path)) as case, Cache(tool) as cache:
        methods = tool.run("top", path, "-n", "3", "--json")
        names = [row["id"] for row in methods.json()["methods"]] if methods.status == 0 else []
        compare_answers(case, cache, path, QUESTIONS + [["callers", name, "--json"] for name in names], one_of)


def all_same_answers(report, tool, one_of):
    real = sorted(glob.glob(os.path.join(shared_folder(), "traces", "*.trace")), key=os.path.getsize)
    for path in sorted(glob.glob(os.path.join(MADE, "*.trace"))) + [EXAMPLE] + real[:8]:
        info = tool.run("info", path, "--json")
        if info.status == 0 and info.json()["clocks"]:
            same_answers(report, tool, path, one_of)


def copy_of(cache, name, source=os.path.join(MADE, "v3-dual.trace")):
    path = os.path.join(cache.home, name)
    shutil.copyfile(source, path)
    return path


def changed_files_are_read(report, tool):
    with report.case("saved: what was changed is read anew") as case, Cache(tool) as cache:
        trace = copy_of(cache, "a.trace")
        entry = cache.save(trace)
        with open(trace, "ab") as file:
            file.write(b"\n")
        case.equal("appended", told(cache.run("info", trace)), told(cache.run("info", trace, "--no-cache")))
        other = cache.save(trace)
        case.true("its index is another", other != entry, other)
        shutil.copyfile(os.path.join(MADE, "v3-wall-10-byte.trace"), trace)
        case.equal("replaced", told(cache.run("info", trace)), told(cache.run("info", trace, "--no-cache")))
        case.equal("indexes", cache.entries(), sorted([entry, other]))


def renamed_files_are_known(report, tool):
    with report.case("saved: a renamed file, and a copy with its time, are known") as case, Cache(tool) as cache:
        trace = copy_of(cache, "a.trace")
        entry = cache.save(trace)
        moved = os.path.join(cache.home, "b.trace")
        shutil.copy2(trace, moved)
        case.equal("copy", cache.save(moved), entry)
        os.unlink(moved)
        os.rename(trace, moved)
        case.equal("renamed", cache.save(moved), entry)
        case.equal("by its stem", cache.save(os.path.join(cache.home, "b")), entry)
        os.utime(moved)
        case.true("touched", cache.save(moved) != entry)


def other_files_count(report, tool):
    with report.case("saved: the table beside a stream and both files of a pair count") as case, Cache(tool) as cache:
        stream = copy_of(cache, "s.trace", os.path.join(MADE, "stream-f2-wall.trace"))
        entry = cache.save(stream)
        with open(stream + ".sec", "wb") as side:
            side.write(b"*version\n3\n*threads\n1\tother\n*methods\n*end\n")
        case.true("with a table", cache.save(stream) != entry)
        case.equal("answer", told(cache.run("info", stream)), told(cache.run("info", stream, "--no-cache")))
        for ending in ("key", "data"):
            shutil.copy2(os.path.join(MADE, "pair-v1." + ending), os.path.join(cache.home, "p." + ending))
        pair = os.path.join(cache.home, "p")
        entry = cache.save(pair)
        case.equal("named by its half", cache.save(pair + ".key"), entry)
        compare_answers(case, cache, pair, QUESTIONS[:3])
        os.utime(pair + ".data")
        case.true("with another half", cache.save(pair) != entry)


def least_recently_used_goes(report, tool):
    with report.case("saved: bounded, and the least recently used goes first") as case, Cache(tool) as cache:
        traces = [copy_of(cache, "%d.trace" % i) for i in range(4)]
        for i, trace in enumerate(traces):
            os.utime(trace, (i, i))
        entries = [cache.save(trace) for trace in traces[:3]]
        room = sum(map(os.path.getsize, entries)) + 100
        for i, entry in enumerate(entries):
            os.utime(entry, (LONG_AGO + i, LONG_AGO + i))
        case.equal("used", cache.run("info", traces[0]).status, 0)
        entries.append(cache.save(traces[3], TRACEVIEW_CACHE_SIZE=str(room)))
        case.equal("indexes", cache.entries(), sorted([entries[0], entries[2], entries[3]]))
        done = cache.run("index", traces[1], TRACEVIEW_CACHE_SIZE="9000")
        case.equal("too large", (done.status, cache.entries()), (1, sorted([entries[0], entries[2], entries[3]])))
        case.equal("no cache", cache.run("info", traces[0], TRACEVIEW_CACHE_SIZE="0").status, 0)


def spoil(path, off, data):
    with open(path, "r+b") as file:
        file.seek(off)
        file.write(data)


def damaged_indexes_are_made_anew(report, tool):
    def emptied(path):
        os.truncate(path, 0)

    def cut(path):
        os.truncate(path, os.path.getsize(path) - 8)

    def garbage(path):
        with open(path, "wb") as file:
            file.write(os.urandom(20000))

    spoilers = {"another version of the file": lambda path: spoil(path, 8, b"\xff"),
                "another version of the block": lambda path: spoil(path, 4096 + 8, b"\xff"),
                "a damaged column": lambda path: spoil(path, 4096 + 400, b"\xff\xff"),
                "a damaged end": lambda path: spoil(path, os.path.getsize(path) - 1, b"\xff"),
                "cut": cut, "emptied": emptied, "garbage": garbage}
    with report.case("saved: what is damaged is removed and made anew") as case, Cache(tool) as cache:
        trace = os.path.join(MADE, "v3-dual.trace")
        wanted = told(cache.run("top", trace, "--no-cache", "--json"))
        whole = open(cache.save(trace), "rb").read()
        for name, spoiler in spoilers.items():
            entry = cache.save(trace)
            spoiler(entry)
            case.equal(name, told(cache.run("top", trace, "--json")), wanted)
            case.equal("%s: left behind" % name, cache.files(), [])
            cache.save(trace)
            case.true("%s: made anew" % name, open(entry, "rb").read() == whole)


def other_programs_make_their_own(report, tool):
    with report.case("saved: another program reads the trace itself") as case, Cache(tool) as cache:
        trace = copy_of(cache, "a.trace")
        entry = cache.save(trace)
        copy = os.path.join(cache.home, "traceview-next")
        shutil.copy2(tool.path, copy)
        cache.tool = harness.Tool(copy)
        case.equal("a copy of the program is the same", cache.save(trace), entry)
        with open(copy, "ab") as file:
            file.write(b"a mended mistake")
        case.true("its index is another", cache.save(trace) != entry, entry)


def unusable_folders_are_no_matter(report, tool):
    with report.case("saved: a folder that cannot be used is no matter") as case, Cache(tool) as cache:
        trace = os.path.join(MADE, "v3-dual.trace")
        wanted = told(cache.run("info", trace, "--no-cache"))
        with open(cache.folder, "w", encoding="utf-8"):
            pass
        case.equal("a file in its place", told(cache.run("info", trace)), wanted)
        done = cache.run("index", trace)
        case.equal("saving fails", (done.status, len(done.err.splitlines())), (1, 1))
        os.unlink(cache.folder)
        os.mkdir(cache.folder, 0o777)
        os.chmod(cache.folder, 0o777)
        done = cache.run("index", trace)
        case.true("others may write into it", done.status == 1 and b"others may write" in done.err, done.err)
        case.equal("answer", told(cache.run("info", trace)), wanted)
        os.chmod(cache.folder, 0o500)
        if os.geteuid() != 0:
            case.equal("read only", cache.run("index", trace).status, 1)
        os.chmod(cache.folder, 0o700)
        case.equal("left behind", [name for name in cache.files() if name.startswith(".draft")], [])


def many_at_once(report, tool):
    with report.case("saved: many processes at once") as case, Cache(tool) as cache:
        wanted = told(cache.run("info", EXAMPLE, "--no-cache"))
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            jobs = [pool.submit(cache.run, *(["index", EXAMPLE] if i % 3 == 0 else ["info", EXAMPLE]))
                    for i in range(18)]
            for i, job in enumerate(jobs):
                done = job.result()
                case.equal("run %d" % i, done.status, 0)
                if i % 3:
                    case.equal("answer %d" % i, told(done), wanted)
        case.equal("files", len(cache.files()), 1)


def packed_and_cut(report, tool):
    with report.case("saved: a packed file that ends early says so again") as case, Cache(tool) as cache:
        trace = copy_of(cache, "cut.trace.zst", EXAMPLE)
        os.truncate(trace, os.path.getsize(trace) - 1000)
        compare_answers(case, cache, trace, QUESTIONS[:2])
        done = cache.run("info", trace)
        case.true("the finding", b"data lost: packed_cut" in done.out, done.out)


def view(cache, trace, *options, is_saved=False):
    """What the api of a viewer says, and the indexes: once there is one, or after half a second with none."""
    state = os.path.join(cache.home, "state")
    environment = dict(os.environ, XDG_CACHE_HOME=cache.home, XDG_CONFIG_HOME=state, XDG_STATE_HOME=state)
    process = subprocess.Popen([cache.tool.path, "--no-browser", *options, trace], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        url = re.search(r"http\S+", process.stdout.readline()).group(0)
        for _ in range(600):
            try:
                with urllib.request.urlopen(url + "api/info", timeout=240) as answer:
                    body = answer.read()
                break
            except urllib.error.HTTPError:
                time.sleep(0.02)
        end = time.monotonic() + (120 if is_saved else 0.5)
        while time.monotonic() < end and not cache.entries():
            time.sleep(0.02)
        return body, cache.entries()
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


def viewer_keeps(report, tool):
    with report.case("saved: the viewer keeps the index of a large trace alone") as case, Cache(tool) as cache:
        wanted = tool.run("info", EXAMPLE, "--json").out
        case.equal("small", view(cache, os.path.join(MADE, "v3-dual.trace"))[1], [])
        case.equal("not wanted", view(cache, EXAMPLE, "--no-cache"), (wanted, []))
        case.equal("looked at by a verb", (cache.run("top", EXAMPLE).status, cache.files()), (0, []))
        body, entries = view(cache, EXAMPLE, is_saved=True)
        case.equal("answer", body, wanted)
        case.equal("indexes", len(entries), 1)
        os.utime(entries[0], (LONG_AGO, LONG_AGO))
        case.equal("again", view(cache, EXAMPLE), (wanted, entries))
        case.true("used", was_used(entries[0]))
        case.equal("files", cache.files(), [os.path.basename(entries[0])])


def run(report, tool, options):
    all_same_answers(report, tool, harness.one_of(options))
    changed_files_are_read(report, tool)
    renamed_files_are_known(report, tool)
    other_files_count(report, tool)
    least_recently_used_goes(report, tool)
    damaged_indexes_are_made_anew(report, tool)
    other_programs_make_their_own(report, tool)
    unusable_folders_are_no_matter(report, tool)
    many_at_once(report, tool)
    packed_and_cut(report, tool)
    viewer_keeps(report, tool)
