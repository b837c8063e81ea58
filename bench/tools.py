"""What bench/run and bench/growth share: where things are, the programs they compile, and the machine's name.

Everything made goes below the build folder: programs and traces into <build>/bench.
"""

import glob
import json
import mmap
import os
import platform
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RELEASE = os.path.join(ROOT, "build", "release")
LIBRARIES = ("site", "api", "export", "compare", "analysis", "index", "format", "retrace", "os", "base")
SYSTEM_LIBRARIES = ("-lz", "-lzstd", "-lpcre2-8", "-lpthread", "-lm",
                    *(["-lseccomp"] if os.path.exists("/usr/include/seccomp.h") else []))
# Programs that link nothing of ours.
ALONE = ("generate", "limit", "instrumented", "known_costs", "sampled")
# Programs that are compiled for the recorder, and run under it.
HOOKED = ("instrumented", "known_costs")
# Programs that link the recorder's library alone, as those of others do.
RECORDING = ("recorder",)


class Bench:
    """A release build and the programs compiled against its libraries."""

    def __init__(self, build=RELEASE, work=None):
        self.build = os.path.abspath(build)
        self.work = os.path.abspath(work) if work else os.path.join(self.build, "bench")
        self.traceview = os.path.join(self.build, "traceview")

    def compile(self, names=None):
        """Compiles bench/<name>.c; without names all there are."""
        os.makedirs(self.work, exist_ok=True)
        if not os.path.exists(self.traceview):
            sys.exit("bench: %s is missing: run make build first" % os.path.relpath(self.traceview, ROOT))
        archives = [os.path.join(self.build, "src", "libtv-%s.a" % name) for name in LIBRARIES]
        archives = [archive for archive in archives if os.path.exists(archive)]
        links = ["-Wl,--start-group", *archives, "-Wl,--end-group", *SYSTEM_LIBRARIES]
        library = os.path.join(self.build, "include")
        recorder = ["-L" + library, "-Wl,-rpath," + library, "-ltraceview-record"]
        flags = ["-std=c17", "-O2", "-D_GNU_SOURCE", "-I" + os.path.join(ROOT, "src"), "-I" + os.path.join(ROOT, "include")]
        for name in names or self.sources():
            source = os.path.join(ROOT, "bench", name + ".c")
            hooks = ["-finstrument-functions"] if name in HOOKED else []
            subprocess.run([*os.environ.get("CC", "cc").split(), *flags, *hooks, source, "-o", self.program(name),
                            *([] if name in ALONE else recorder if name in RECORDING else links)], check=True)

    @staticmethod
    def sources():
        """Those of programs that need nothing but this project."""
        paths = glob.glob(os.path.join(ROOT, "bench", "*.c"))
        names = sorted(os.path.splitext(os.path.basename(path))[0] for path in paths)
        return [name for name in names if name != "sqlite_load"]

    def program(self, name):
        return os.path.join(self.work, name)

    def output(self, name, *args):
        return subprocess.run([self.program(name), *map(str, args)], stdout=subprocess.PIPE, check=True).stdout

    def ask(self, name, *args):
        """The JSON object that a program printed."""
        return json.loads(self.output(name, *args))

    def generate(self, path, **options):
        """Makes a trace, whole or not at all; min_depth=3 means --min-depth 3."""
        words = [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), str(value))]
        try:
            subprocess.run([self.program("generate"), *words, "--out", path + ".part"], check=True)
            with open(path + ".part", "rb") as file:
                os.fsync(file.fileno())  # else it is written out while something is measured
            os.rename(path + ".part", path)
        finally:
            if os.path.exists(path + ".part"):
                os.unlink(path + ".part")
        return path


def warm_memory(mib=512):
    """Touches memory and lets go of it at once, so that what is started now gets pages that the machine has. A virtual
    machine may give memory that was free for some seconds back to its host, and then waits thirty times as long for a
    page as the kernel takes to clear it; that would be measured instead of the program."""
    child = os.fork()  # what is started afterwards would be told to have had this memory itself
    if child:
        os.waitpid(child, 0)
        return
    with mmap.mmap(-1, mib << 20) as block:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            block.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, mib << 20, mmap.PAGESIZE):
            block[at] = 1
    os._exit(0)


def processor_seconds(pid):
    """Of user and kernel, of a process that runs."""
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return [int(ticks) / os.sysconf("SC_CLK_TCK") for ticks in fields[11:13]]


def machine():
    """What a number must not be read without."""
    model = platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        model = names[0] if names else model
    except OSError:
        pass
    return {"processor": model, "cores": len(os.sched_getaffinity(0)), "memory_gib": round(memory / 2**30),
            "system": "%s %s" % (platform.system(), platform.release().split("-")[0])}


def now():
    """Which tree a number is of, and of what day."""
    told = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return {"day": time.strftime("%d %B %Y").lstrip("0"), "commit": told.stdout.strip() or "unknown"}


def machine_words(known):
    return "%d cores of %s, %d GiB of memory, %s" % (
        known["cores"], known["processor"], known["memory_gib"], known["system"])


def replace_between(path, mark, text):
    """Puts text between <!-- mark: begin --> and <!-- mark: end --> of a page; a page without them stays as it is."""
    begin, end = "<!-- %s: begin -->" % mark, "<!-- %s: end -->" % mark
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        page = file.read()
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        return False
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write("%s%s\n\n%s\n\n%s%s" % (before, begin, text.strip("\n"), end, after))
    os.rename(path + ".part", path)
    return True
