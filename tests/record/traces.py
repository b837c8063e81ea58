"""What the tests of recorders ask of the traces that they recorded."""

import json
import os
import re
import subprocess


class Failed(Exception):
    pass


def expect(is_true, what):
    if not is_true:
        raise Failed(what)


def begin_waits(folder, *words):
    """java with these words, which start Waits: it runs until something comes in, and has begun."""
    program = subprocess.Popen(["java", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    expect(program.stdout.readline() == "ready\n", "Waits did not begin")
    return program


def told_status(told):
    """The status of a recorded program as a shell has it, by what the command tells of its end."""
    by = re.search(r": ended (?:with status (?P<status>\d+)|by signal (?P<signal>\d+))", told)
    return 0 if by is None else int(by["status"]) if by["status"] else 128 + int(by["signal"])


WRITING = "traceview.writing"    # the recorder's own method


def counted(text):
    """What a program said of its calls."""
    return dict((line.split()[0], int(line.split()[1])) for line in text.splitlines())


class Readers:
    """A folder with traces, and what reads them."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def ask(self, *arguments):
        environment = dict(os.environ, TRACEVIEW_CACHE_SIZE="0")
        done = subprocess.run([self.program, *arguments], cwd=self.folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        expect(done.returncode == 0, "%s: status %d\n%s%s" % (arguments, done.returncode, done.stdout, done.stderr))
        return done.stdout

    def info(self, trace):
        return json.loads(self.ask("info", trace, "--json"))

    def all_counts(self, trace, *options):
        """Calls of each method, by "class.name"; `options` of `traceview top` choose them."""
        answer = json.loads(self.ask("top", trace, "-n", "0", "--json", *options))
        counts = {}
        for row in answer["methods"]:
            name = row["class"].replace("::", ".") + "." + row["name"]
            counts[name] = counts.get(name, 0) + row["calls"] + row["recursive_calls"]
        return counts

    def counts(self, trace, *options):
        """Those of the program alone."""
        counts = self.all_counts(trace, *options)
        counts.pop(WRITING, None)
        return counts

    def writings(self, trace):
        """How often the recorder wrote a full block, each of which is a call of its own."""
        return self.all_counts(trace).get(WRITING, 0)

    def records(self, trace):
        """Those of the program's calls."""
        return self.info(trace)["records"] - 2 * self.writings(trace)

    def dumped(self, trace):
        """How often each method is entered ("ent"), left ("xit"), and left by something thrown ("unr"), from dmtracedump's list of
        records."""
        done = subprocess.run(["dmtracedump", "-o", self.path(trace)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        expect(done.returncode == 0, "dmtracedump: %s" % done.stdout[-500:])
        # So many dots are before a method as it is deep, which may be thousands: what tells its name sees each method once.
        lines = {}
        for found in re.finditer(rb"^ *\d+ (ent|xit|unr) +\d+[ +]\.*(.*)$", done.stdout, re.M):
            lines[found.groups()] = lines.get(found.groups(), 0) + 1
        counts = {"ent": {}, "xit": {}, "unr": {}}
        for (action, method), count in lines.items():
            found = re.match(r"(?:.*[ .])?(\S+)\.([\w~$<>]+) ", method.decode())
            if found:
                name = found[1].replace("::", ".") + "." + found[2]
                of = counts[action.decode()]
                of[name] = of.get(name, 0) + count
        for of in counts.values():
            of.pop(WRITING, None)
        return counts

    def dumped_counts(self, trace):
        """Calls of each method by dmtracedump."""
        return self.dumped(trace)["ent"]

    def agrees(self, trace, counted):
        self.ask("check", trace)    # its status is 0 up to notes
        counts = self.counts(trace)
        expect(counts == counted, "%s: traceview counts %s, the program %s" % (trace, counts, counted))

    def dump_agrees(self, trace, counted):
        counts = self.dumped_counts(trace)
        expect(counts == counted, "%s: dmtracedump counts %s, the program %s" % (trace, counts, counted))


def run(cases, world, words=None):
    """Runs each case with the world, and says the sum. Returns whether one failed. With words of a command line, where cases failed, says
    those with which scripts/check runs them alone, and takes them: --only=CASE,... --passed=N."""
    given = dict(word[2:].split("=", 1) for word in words or [])
    only = given["only"].split(",") if "only" in given else [case.__name__ for case in cases]
    failed = []
    for case in cases:
        if case.__name__ not in only:
            continue
        try:
            case(world)
        except Failed as failure:
            failed.append(case.__name__)
            print("FAILED: %s: %s" % (case.__name__, failure))
    passed = len(only) - len(failed) + int(given.get("passed", 0))
    if words is not None and failed and passed:
        print("# once more: --only=%s --passed=%d" % (",".join(failed), passed))
    print("%d passed, %d failed" % (passed, len(failed)))
    return bool(failed)
