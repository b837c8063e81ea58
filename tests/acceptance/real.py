"""Real traces, and what older tools printed for them (expected/), where their rules and ours coincide.

A method is compared with another tool only on threads where none of its calls was open at the end or began
before the trace: there the tools differ on purpose (docs/history/readers.md, "Odd records").
"""

import csv
import glob
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

import harness
import laws
import seeds

import reference


def run(report, tool, options):
    traces = os.path.join(harness.shared_folder(), "traces")
    if not os.path.isdir(traces):
        report.skip("real traces", "no folder %s" % traces)
        return
    old_outputs = os.path.join(traces, "expected")
    for path in sorted(glob.glob(os.path.join(traces, "*.trace")) + glob.glob(os.path.join(traces, "*.trace.gz"))):
        name = re.sub(r"\.trace(\.gz)?$", "", os.path.basename(path))
        if not name.startswith("bad-"):
            check_trace(report, tool, path, name, old_outputs)
    check_dumps(report, tool, traces, old_outputs)


# Each trace against the reference, the laws, and other tools


class Known:
    """A trace read by the reference, and which numbers other tools cannot know."""

    def __init__(self, path):
        self.data = harness.read_maybe_gz(path[:-3] if path.endswith(".gz") else path)
        self.trace, roots = reference.reckon(self.data)
        self.truth = reference.answer_of(self.trace, roots)
        self.opened = set()  # (thread, method): a call of it is open at the end
        self.adopted = set()  # ... or began before the trace
        self.mark()

    def mark(self):
        stacks = {}
        for record in self.trace.records:
            stack = stacks.setdefault(record.thread, [])
            if record.action == reference.ENTER:
                stack.append(record.method)
            elif stack:
                if stack[-1] == record.method:
                    stack.pop()
            else:
                self.adopted.add((record.thread, record.method))
        for thread, stack in stacks.items():
            self.opened.update((thread, method) for method in stack)
        kinds = self.truth["findings"]
        self.is_well_formed = not {"exit_closed_others", "exit_not_on_stack", "reserved_action"} & set(kinds)
        self.has_odd_clock = bool({"clock_backwards", "cpu_clock_backwards", "clock_wrapped"} & set(kinds))


def check_trace(report, tool, path, name, old_outputs):
    known = None
    with report.case("real " + name) as case:
        known = Known(path)
        info = tool.run("info", "--json", path).json()
        top = tool.run("top", "--json", "-n", "0", path).json()
        seeds.check(case, info, top, known.truth)
        laws.check(case, tool, path, info, top)
        laws.check_parts(case, tool, path, info, top)
    if known is None or not known.is_well_formed or known.has_odd_clock:
        return
    threads = ThreadTops(tool, path)
    for suffix, check in (("perflib.txt", check_perflib), ("aflame-folded.txt", check_aflame)):
        for prefix in ("", "conv-"):
            text = harness.read_maybe_gz(os.path.join(old_outputs, "%s.%s%s" % (name, prefix, suffix)))
            if text is not None:
                with report.case("real %s against %s" % (name, suffix.split(".")[0])) as case:
                    check(case, known, threads, text.decode("utf-8", "replace"))
    for prefix in ("", "conv-"):
        text = harness.read_maybe_gz(os.path.join(old_outputs, "%s.%sdmtracedump-o.txt" % (name, prefix)))
        if text is not None:
            with report.case("real %s against dmtracedump -o" % name) as case:
                records = re.findall(rb"^ *\d+ (?:ent|xit|unr|\?\?\?)", text, re.M)
                case.equal("records", known.truth["records"], len(records))
    check_dmtracedump(report, tool, path, name, known)


class ThreadTops:
    """`top --thread ID`, asked once for each thread."""

    def __init__(self, tool, path):
        self.tool = tool
        self.path = path
        self.kept, self.kept_by_id = {}, {}

    def methods(self, thread):
        if thread not in self.kept:
            self.kept[thread] = laws.top_of(self.tool, self.path, "--thread", str(thread))["methods"]
        return self.kept[thread]

    def methods_of_id(self, thread, number):
        if thread not in self.kept_by_id:
            by_id = self.kept_by_id[thread] = {}
            for method in self.methods(thread):
                by_id.setdefault(int(method["id"], 16), []).append(method)
        return self.kept_by_id[thread].get(number, [])


def check_perflib(case, known, threads, text):
    """Rows: thread, calls, inclusive and exclusive thread time, the same globally, is recursive, 0xID name."""
    rows = {}
    for line in text.splitlines():
        fields = line.split("\t")
        if len(fields) != 8 or not fields[0].isdigit():
            continue
        thread, method = int(fields[0]), int(fields[7].split()[0], 16)
        times = [int(field) * 1000 for field in fields[2:6]]
        rows[thread, method] = {"calls": int(fields[1]), "cpu": times[:2], "wall": times[2:]}
    compared = 0
    for (thread, method), row in sorted(rows.items()):
        if method >= 1 << 62 or (thread, method) in known.opened | known.adopted:
            continue  # a pseudo method for the thread, or a call without one of its ends
        ours = threads.methods_of_id(thread, method)
        if not case.equal("method 0x%x on thread %d" % (method, thread), len(ours), 1):
            return
        compared += 1
        calls = ours[0]["calls"] + ours[0]["recursive_calls"]
        case.equal("calls of %s on thread %d" % (ours[0]["method"], thread), calls, row["calls"])
        for clock in known.truth["clocks"]:
            key = clock + "_ns"
            got = (ours[0]["inclusive"][key], ours[0]["exclusive"][key])
            case.equal("%s of %s on thread %d" % (key, ours[0]["method"], thread), got, tuple(row[clock]))
    has_any = any((t, m) not in known.opened | known.adopted for t, m in rows if m < 1 << 62)
    case.true("something was compared", compared or not has_any)


def check_aflame(case, known, threads, text):
    """Folded stacks of wall self time; overloads share a name there."""
    if "wall" not in known.truth["clocks"]:
        return
    trace = known.trace
    def label(method):
        class_name, name = (trace.text(part) for part in trace.methods.get(method, [b"?", b"?"])[:2])
        return "%s#%s" % (reference.java_class(class_name), name)

    unknown = {(t, label(m)) for t, m in known.opened | known.adopted}
    wanted, thread = {}, None
    for line in text.splitlines():
        if line.startswith("# thread "):
            thread = int(line.split()[2])
        elif line:
            stack, value = line.rsplit(";", 1)
            class_name, _, name = stack.split(";")[-1].partition("#")
            leaf = (thread, "%s#%s" % (reference.java_class(class_name), name))
            wanted[leaf] = wanted.get(leaf, 0) + int(value) * 1000
    got = {}
    for thread in {thread for thread, _ in wanted}:
        for method in threads.methods(thread):
            leaf = (thread, "%s#%s" % (method["class"], method["name"]))
            got[leaf] = got.get(leaf, 0) + method["exclusive"]["wall_ns"]
    for leaf in sorted(wanted):
        if leaf not in unknown and "?" not in leaf[1]:
            case.equal("wall self time of %s on thread %d" % (leaf[1], leaf[0]), got.get(leaf), wanted[leaf])


# Debian's own dmtracedump beside us


def check_dmtracedump(report, tool, path, name, known):
    program = shutil.which("dmtracedump")
    if program is None:
        if not any(what == "dmtracedump" for what, _ in report.skipped):
            report.skip("dmtracedump", "dmtracedump is not installed")
        return
    if known.data[:4] == b"SLOW" or known.truth["records"] == 0:
        return  # it reads no streams
    with report.case("real %s against dmtracedump" % name) as case, tempfile.NamedTemporaryFile() as file:
        file.write(known.data)
        file.flush()
        done = subprocess.run([program, file.name], capture_output=True, timeout=120, check=False)
        text = done.stdout.decode("utf-8", "replace")
        check_profile(case, laws.top_of(tool, path)["methods"], text, known)


def check_profile(case, methods, text, known):
    """Its first clock is CPU in dual traces; (toplevel) and adopted calls follow other rules there."""
    clock = "cpu_ns" if "cpu" in known.truth["clocks"] else "wall_ns"
    sections = text.split("=" * 70)
    exclusive, inclusive = {}, {}
    for line in sections[1].splitlines():
        match = re.match(r" *(\d+) +[\d.]+ +[\d.]+ +\[\d+\] (.*)", line)
        if match:
            add(exclusive, java_name(match.group(2)), int(match.group(1)))
    for line in sections[2].splitlines():
        match = re.match(r"\[\d+\] +[\d.]+% +(\d+)\+(\d+) +(\d+) (.*)", line)
        if match:
            add(inclusive, java_name(match.group(4)), int(match.group(3)))
    adopted = {reference.method_name(known.trace, method) for _, method in known.adopted}
    ours = {}
    for method in methods:
        row = ours.setdefault(method["method"], [0, 0])
        row[0] += method["exclusive"][clock] // 1000
        row[1] += method["inclusive"][clock] // 1000
    for table, column, what in ((exclusive, 0, "exclusive"), (inclusive, 1, "inclusive")):
        for name in sorted(table):
            if name in adopted or name.startswith("(") or not name:
                continue
            case.equal("%s %s of %s" % (what, clock, name), ours.get(name, [None, None])[column], table[name])


def java_name(name):
    """As we name a method: dmtracedump writes the class as the file does."""
    head, space, signature = name.partition(" ")
    class_name, dot, method = head.rpartition(".")
    return reference.java_class(class_name) + dot + method + space + signature


def add(table, name, value):
    # Lines of five columns leave the file's name behind the signature.
    name = name.split("\t")[0].rstrip()
    table[name] = table.get(name, 0) + value


# -r against the old viewer's own output


def check_dumps(report, tool, traces, old_outputs):
    with open(os.path.join(old_outputs, "INDEX.tsv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for row in rows:
        if not row["oracle"].endswith("traceview-r"):
            continue
        with report.case("real %s -r" % row["name"]) as case:
            path = harness.find_maybe_gz(os.path.join(traces, row["name"] + ".trace"))
            done = tool.run("-r", path)
            case.equal("status", done.status, 0)
            case.equal("notes", done.err, b"")
            case.equal("bytes", len(done.out), int(row["bytes"]))
            if hashlib.sha256(done.out).hexdigest() != row["sha256 of the full output"]:
                check_kept(case, done.out, os.path.join(old_outputs, row["name"] + "." + row["oracle"]))


def check_kept(case, out, base):
    """What is kept of the old output, where the whole differs: lines of Thread Times may be in any order."""
    kept = harness.read_maybe_gz(base + ".txt")
    if kept is None:
        with gzip.open(base + ".threads-and-methods.txt.gz", "rb") as file:
            kept = file.read()
    for title in (b"Thread Times", b"Call Times", b"Method Stats", b"Time Records"):
        wanted, got = section(kept, title), section(out, title)
        if wanted is not None:
            is_free = title == b"Thread Times"
            case.equal(title.decode(), sorted(got) if is_free else got, sorted(wanted) if is_free else wanted)


def section(text, title):
    lines = text.split(b"\n")
    if title not in lines:
        return None
    begin = lines.index(title)
    end = begin
    while end < len(lines) and lines[end] != b"":
        end += 1
    return lines[begin:end]
