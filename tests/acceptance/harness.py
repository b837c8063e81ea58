"""What the groups of cases share: running the program, counting what passed, small conversions."""

import gzip
import json
import os
import resource
import select
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "reference"))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))

MIB = 1 << 20
DRAWN_OF = 3  # one of so many cases that differ in data alone
LONGEST_SHOWN = 400


def shared_folder():
    return os.path.abspath(os.environ.get("TRACEVIEW_SHARED", os.path.join(ROOT, "..", "shared")))


def one_of(options):
    return 1 if options.all else DRAWN_OF


def short(value):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "... (%d)" % len(text)


class Report:
    """Counts cases. A case passes when nothing in it differs."""

    def __init__(self, is_verbose=False):
        self.passed = 0
        self.failed = 0
        self.skipped = []
        self.is_verbose = is_verbose

    def skip(self, what, why):
        self.skipped.append((what, why))
        print("skipped: %s: %s" % (what, why), flush=True)

    def case(self, name):
        return Case(self, name)


class Case:
    def __init__(self, report, name):
        self.report = report
        self.name = name
        self.differences = []

    def __enter__(self):
        return self

    def equal(self, what, got, wanted):
        if got != wanted:
            self.differences.append("%s\n      got    %s\n      wanted %s" % (what, short(got), short(wanted)))
        return got == wanted

    def true(self, what, condition, got=""):
        if not condition:
            self.differences.append("%s\n      got    %s" % (what, short(got)))
        return condition

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, Exception):
            self.differences.append("%s: %s" % (kind.__name__, error))
        if self.differences:
            self.report.failed += 1
            print("FAILED: %s" % self.name)
            for difference in self.differences[:8]:
                print("   %s" % difference)
            if len(self.differences) > 8:
                print("   and %d more" % (len(self.differences) - 8))
            sys.stdout.flush()
        else:
            self.report.passed += 1
            if self.report.is_verbose:
                print("passed: %s" % self.name, flush=True)
        return kind is None or issubclass(kind, Exception)


class Done:
    """A finished run of the program."""

    def __init__(self, status, out, err, seconds, peak):
        self.status = status
        self.out = out
        self.err = err
        self.seconds = seconds
        self.peak = peak  # bytes resident

    def json(self):
        if self.status != 0:
            raise ValueError("status %d: %s" % (self.status, self.err.decode("utf-8", "replace")))
        return json.loads(self.out.decode("utf-8"))


class Tool:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open(self.path, "rb") as file:
            self.is_sanitized = b"__asan_init" in file.read()

    def run(self, *args, stdin=None, timeout=240, data_limit=None, cache=None, **more):
        """Runs the program to its end; a time-out has the status None. `more` are environment variables."""

        def limit():
            resource.setrlimit(resource.RLIMIT_DATA, (data_limit, data_limit))

        begin = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                [self.path, *args],
                stdin=stdin or subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                # A function to call forks the slow way.
                preexec_fn=limit if data_limit and not self.is_sanitized else None,
                env=dict(os.environ, LC_ALL="C.UTF-8", NO_COLOR="1", XDG_CACHE_HOME=cache or "/nowhere", **more),
            )
            status, peak = wait_for(process, begin + timeout, bool(data_limit))
            seconds = time.monotonic() - begin
            out.seek(0)
            err.seek(0)
            return Done(status, out.read(), err.read(), seconds, peak)


def wait_for(process, deadline, is_measured):
    """The status and, where it is measured, the peak of resident memory.

    What wait4 tells includes what the child had of ours before it became the program, so the kernel's
    mark is read while it runs; it only rises, so what is missed is the growth of the last moment.
    """
    peak, begun = 0, time.monotonic()
    if not is_measured and hasattr(os, "pidfd_open"):
        wait_to_end(process, deadline)
    while True:
        if is_measured:
            peak = resident_peak(process) or peak
        if process.poll() is not None:
            return process.returncode, peak
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            return None, 0
        # Often at first; of a long run, no more than its last fiftieth is missed.
        time.sleep(max(0.0005, (time.monotonic() - begun) / 50))


def wait_to_end(process, deadline):
    """Sleeps until the process ends, or the deadline."""
    handle = os.pidfd_open(process.pid)
    try:
        select.select([handle], [], [], max(0, deadline - time.monotonic()))
    finally:
        os.close(handle)


def resident_peak(process):
    try:
        with open("/proc/%d/status" % process.pid, encoding="utf-8") as file:
            lines = dict(line.split(":", 1) for line in file)
    except OSError:
        return 0
    is_program = lines["Name"].strip() == os.path.basename(process.args[0])[:15]
    return int(lines["VmHWM"].split()[0]) * 1024 if is_program and "VmHWM" in lines else 0


def read_maybe_gz(path):
    """The bytes of `path` or of `path`.gz; None when there is neither."""
    if os.path.exists(path):
        with open(path, "rb") as file:
            return file.read()
    if os.path.exists(path + ".gz"):
        with gzip.open(path + ".gz", "rb") as file:
            return file.read()
    return None


def find_maybe_gz(path):
    for candidate in (path, path + ".gz"):
        if os.path.exists(candidate):
            return candidate
    return None


def finding_counts(info):
    return {finding["kind"]: finding["count"] for finding in info["findings"]}


def active(threads):
    """The threads that have records."""
    return [thread for thread in threads if thread["records"] > 0]


def pick(rows, keys):
    return [{key: row.get(key) for key in keys} for row in rows]


def by_name(rows):
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True))
