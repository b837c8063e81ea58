#!/usr/bin/env python3
"""Records Python programs with libtraceview-python, and sees what readers make of the traces.

    python.py PROGRAM     the traceview of a build; the library is in the folder include beside it

The program is tests/record/programs/python/known.py, which counts its own calls. TRACEVIEW_PYTHONS names further
interpreters, with colons between them, that all cases are run with, too. Ends with "N passed, N failed".
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
import traces
from traces import counted, expect

KNOWN = os.path.join(HERE, "programs", "python", "known.py")


class World(traces.Readers):
    def __init__(self, program, folder, python):
        super().__init__(program, folder)
        self.python = python
        told = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], stdout=subprocess.PIPE, text=True, check=True)
        self.version = tuple(int(part) for part in told.stdout.split())
        self.package = os.path.join(os.path.dirname(program), "include", "python")

    def run(self, *words, status=0, **variables):
        """What a program prints, on standard output and standard error."""
        done = subprocess.run(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=100, check=False, env=dict(os.environ, **variables))
        expect(done.returncode == status, "%s: status %d\n%s%s" % (" ".join(words), done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
        return done.stdout, done.stderr

    def record(self, *words, status=0, **variables):
        return self.run(self.program, "record", "-o", "a.trace", *words, status=status, **variables)

    def itself(self, *words, status=0):
        """The program by the package alone."""
        return self.run(self.python, "-m", "traceview", "-o", "a.trace", *words, status=status, PYTHONPATH=self.package)

    def own_counts(self, *options):
        """Calls of the program's functions; before 3.11 code does not know its class, and a lambda's scope is dropped."""
        counts = {}
        for name, calls in self.counts("a.trace", *options).items():
            if name.startswith("__main__."):
                short = name[len("__main__."):]
                counts[short] = counts.get(short, 0) + calls
        return counts


def expected(world, said):
    counts = {}
    for name, calls in counted(said).items():
        short = name if world.version >= (3, 11) else name.split(".")[-1]
        counts[short] = counts.get(short, 0) + calls
    return counts


def agrees(world, said, *options):
    world.ask("check", "a.trace")
    truth, seen = expected(world, said), world.own_counts(*options)
    expect({name: seen.get(name) for name in truth} == truth, "%s, not %s" % (seen, truth))
    return seen


def every_call_is_recorded(world):
    for record in (world.itself, lambda *words: world.record("--", world.python, *words)):
        said, told = record(KNOWN)
        seen = agrees(world, said)
        expect("traceview" not in told or "none lost" in told, told)
        # A generator is entered for each of its items and once more for its end.
        expect(seen["numbers"] == 6 and seen["<module>"] == seen["work"] == 1, seen)
        expect(not [name for name in world.counts("a.trace") if name.startswith("traceview.")], world.counts("a.trace"))
        expect(world.counts("a.trace")["builtins.abs"] == 7, world.counts("a.trace"))
        names = [thread["name"] for thread in world.info("a.trace")["threads"]]
        expect(sorted(names) == ["main", "worker 0", "worker 1", "worker 2"], names)
        expect(world.own_counts("--thread", "worker 1")["double"] == 10, world.own_counts("--thread", "worker 1"))
        fails = next(row for row in json.loads(world.ask("top", "a.trace", "-n", "0", "--json"))["methods"] if row["name"] == "fails")
        expect((fails["file"], fails["signature"]) == ("known.py", "()") and fails["line"] > 1, fails)
        # What an exception has left is marked so. Python 3.12 tells hooks no difference.
        dumped = subprocess.run(["dmtracedump", "-o", world.path("a.trace")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                text=True, check=False)
        if dumped.returncode == 0 and dumped.stdout:
            unwound = [line for line in dumped.stdout.splitlines() if " unr" in line and ".fails" in line]
            expect(len(unwound) == (0 if world.version == (3, 12) else 7), unwound)


def options_choose(world):
    said, _ = world.itself("--no-builtins", "--clock", "wall", KNOWN)
    agrees(world, said)
    expect("builtins.abs" not in world.counts("a.trace"), world.counts("a.trace"))
    expect(world.info("a.trace")["clocks"] == ["wall"], world.info("a.trace")["clocks"])
    world.itself("--depth", "1", "-c", "def f():\n  pass\nf()")
    expect(world.own_counts() == {"<module>": 1}, world.own_counts())
    world.itself("-m", "json.tool", "--help")
    expect(world.own_counts()["main"] == 1, world.own_counts())
    said, _ = world.itself(KNOWN, "leaves", status=3)
    agrees(world, said)
    for words, why in ((["--fast", KNOWN], "there is no option: '--fast'"), (["--depth", "x", KNOWN], "--depth needs a number: 'x'"),
                       ([], "a program is missing"), (["nothere.py"], "nothere.py: No such file or directory"),
                       (["-m", "not.there"], "-m not.there: "), (["--clock", "cpu", KNOWN], "clock is dual or wall")):
        _, told = world.itself(*words, status=2)
        expect(told.startswith("traceview: " + why) and told.count("\n") == 1, told)
    _, told = world.run(world.python, "-m", "traceview", "-o", "/nowhere/a.trace", KNOWN, status=2, PYTHONPATH=world.package)
    expect(told == "traceview: /nowhere/a.trace: Unable to open trace file\n", told)


def whatever_starts_it_is_recorded(world):
    said, told = world.record("--", "sh", "-c", "%s %s fork" % (world.python, KNOWN))
    expect("3 processes" in told, told)
    seen = world.own_counts()
    expect(seen["child"] >= 4 and seen["fork"] == 3, seen)    # open in each child
    # Another sitecustomize is imported as ever.
    os.makedirs(world.path("site"), exist_ok=True)
    with open(world.path("site/sitecustomize.py"), "w", encoding="utf-8") as file:
        file.write("import sys\nsys.customized = True\n")
    said, _ = world.record("--", world.python, "-c", "import sys; print(sys.customized, [p for p in sys.path if 'startup' in p])",
                           PYTHONPATH=world.path("site"))
    expect(said == "True []\n", said)


def another_profiler_has_the_hook_for_a_while(world):
    """What is called meanwhile is lost, and told as such; afterwards it is recorded again, and calls that are open are one each."""
    text = ("import sys, threading\ndef before(): pass\ndef during(): pass\ndef after(): pass\n"
            "def middle():\n    %s\n    after()\nbefore()\nmiddle()\nafter()\n")
    own = "sys.setprofile(lambda *_: None); during(); sys.setprofile(%s)"
    for line, lost in (("kept = sys.getprofile(); " + own % "kept", 1), (own % None, 1), ("sys.setprofile(None)", 0),
                       ("import cProfile; p = cProfile.Profile(); p.enable(); during(); p.disable()", 0 if world.version >= (3, 12) else 1),
                       ("import profile; profile.Profile().runcall(during)", 1)):
        _, told = world.record("--", world.python, "-c", text % line)
        seen = {name: count for name, count in world.own_counts().items() if name in ("before", "middle", "during", "after")}
        expect(seen == {"before": 1, "middle": 1, "after": 2, **({} if lost or "during" not in line else {"during": 1})}, (line, seen))
        properties = world.info("a.trace")["properties"]
        expect(int(properties.get("records-lost", 0)) == lost and ("another profiler took" in told) == bool(lost), (line, told))
    # In a thread that is not the first: a hook of C is not seen to be given back, and open calls end where it was taken.
    text = ("import sys, threading\ndef during(): pass\ndef after(): pass\ndef run():\n    %s\n    after()\n"
            "def go():\n    thread = threading.Thread(target=run)\n    thread.start()\n    thread.join()\ngo()\n")
    world.record("--", world.python, "-c", text % (own % None))
    expect((world.own_counts()["run"], world.own_counts()["after"]) == (1, 1), world.own_counts())
    if world.version < (3, 12):
        world.record("--", world.python, "-c", text % "import cProfile; cProfile.Profile().enable(); during()")
        open_at_end = [row for row in world.info("a.trace")["findings"] if row["kind"] == "open_at_end"]
        expect(world.own_counts()["run"] == 1 and "after" not in world.own_counts() and not open_at_end, open_at_end)
    # New threads are recorded as long as the program has nothing else for them.
    _, told = world.record("--", world.python, "-c", text % "pass" + "threading.setprofile(lambda *_: None)\ngo()\nthreading.setprofile(None)\ngo()\n")
    expect(world.own_counts()["run"] == 2 and "1 lost" in told, told)


def ends_lose_nothing(world):
    _, told = world.record("--duration", "2s", "--", world.python, KNOWN, "spin", status=0)
    world.ask("check", "a.trace")
    expect("none lost" in told and world.own_counts()["double"] > 100, told)
    # The call in which it ends has its time.
    world.record("--duration", "2s", "--", world.python, "-c", "def hot():\n    while True: pass\nhot()", status=0)
    row, = [row for row in json.loads(world.ask("top", "a.trace", "--json"))["methods"] if row["name"] == "hot"]
    expect(row["inclusive"]["wall_ns"] > 0.5 * world.info("a.trace")["elapsed_ns"] and row["inclusive"]["cpu_ns"] > 1e6, row)
    # And the program goes on when it is stopped alone: what it does then is not there.
    said, told = world.record("--duration", "300ms", "--then", "keep", "--", world.python, "-c",
                              "import time\ndef f(): time.sleep(0.001)\nfor _ in range(1500): f()\nprint('went on')")
    expect(said == "went on\n" and "Error" not in told and 0 < world.own_counts()["f"] < 1400, said + told)
    # What a crash ends is whole, too, but by SIGKILL; a handler that the program has for a signal is called as ever.
    with open(world.path("dies.py"), "w", encoding="utf-8") as file:
        file.write("import os, signal, sys\ndef f(): pass\nfor _ in range(50): f()\nsignal.signal(signal.SIGUSR1, lambda *_: print('handled', flush=True))\n"
                   "assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL\n"
                   "os.kill(os.getpid(), signal.SIGUSR1)\nf()\nos.kill(os.getpid(), int(sys.argv[1]))\n")
    for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGALRM):
        said, told = world.record("--", world.python, "dies.py", str(int(number)), status=128 + number)
        world.ask("check", "a.trace")
        expect("none lost" in told and "handled" in said and world.own_counts()["f"] == 51, said + told)
    # Nor does the recorder take from the interpreter what it finds at its start: Ctrl-C is an exception, unless it is ignored, as it is
    # in what a shell starts in the background.
    with open(world.path("waits.py"), "w", encoding="utf-8") as file:
        file.write("import time\ndef f(): pass\ntry:\n    f()\n    print('begun', flush=True)\n    for _ in range(600): time.sleep(0.1)\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\n")
    command = subprocess.Popen([world.program, "record", "-o", "a.trace", "--", world.python, "waits.py"], cwd=world.folder, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(command.stdout.readline() == "begun\n", "it does not begin")
    os.killpg(command.pid, signal.SIGINT)    # as a terminal does
    said, told = command.communicate(timeout=240)
    expect(said == "interrupted\n" and command.returncode == 0 and "none lost" in told and world.own_counts()["f"] == 1, said + told)
    _, told = world.record("--ring", "64k", "--", world.python, KNOWN)
    expect("room for the last part" in told, told)
    world.ask("check", "a.trace")
    with open(world.path("slow.py"), "w", encoding="utf-8") as file:
        file.write("import time\ndef slow(n):\n    time.sleep(n)\nfor i in range(50): slow(0)\nslow(0.1)\ntime.sleep(0.5)\n")
    _, told = world.record("--ring", "1m", "--slower-than", "50ms", "--slow-method", "slow", "--", world.python, "slow.py")
    expect("s: __main__.slow took 1" in told and world.counts("a-1.trace")["__main__.slow"] == 51, told)


def a_part_is_recorded(world):
    with open(world.path("part.py"), "w", encoding="utf-8") as file:
        file.write("import traceview\ndef f(): pass\ndef main():\n    f()\n    traceview.start('a.trace')\n    f()\n"
                   "    traceview.stop()\n    traceview.stop()\n    f()\n    traceview.start('b.trace')\n    f(); f()\nmain()\n")
    world.run(world.python, "part.py", PYTHONPATH=world.package)
    expect(world.own_counts() == {"<module>": 1, "main": 1, "f": 1}, world.own_counts())
    expect(world.counts("b.trace")["__main__.f"] == 2, world.counts("b.trace"))
    own = [name for trace in ("a.trace", "b.trace") for name in world.counts(trace) if name.startswith(("ctypes", "builtins"))]
    expect(own == [], "calls by which the recording ends: %s" % own)


CASES = [every_call_is_recorded, options_choose, whatever_starts_it_is_recorded, another_profiler_has_the_hook_for_a_while, ends_lose_nothing, a_part_is_recorded]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    failed = False
    for python in [sys.executable] + [one for one in os.environ.get("TRACEVIEW_PYTHONS", "").split(":") if one]:
        with tempfile.TemporaryDirectory() as folder:
            failed |= traces.run(CASES, World(program, folder, python))
    sys.exit(failed)


main()
