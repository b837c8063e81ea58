"""Reading exported protobuf: Perfetto traces and pprof profiles as `protoc` decodes them, against the .proto files here,
which state the field numbers; profiles by pprof-format and `go tool pprof`, too."""

import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile

import events

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CLEARED, NEEDS_STATE = 1, 2  # sequence flags
PLAIN_ESCAPES = {"n": 10, "r": 13, "t": 9, '"': 34, "'": 39, "\\": 92}


def no_protoc():
    return None if shutil.which("protoc") else "protoc is not installed"


def no_pprof_format():
    there = os.path.exists(os.path.join(HERE, "node_modules", "pprof-format"))
    return None if there else "the readers' npm packages are not installed"


def protoc(message, schema, data, encode=False):
    command = ["protoc", "--encode" if encode else "--decode", message, "--proto_path", HERE, schema]
    return subprocess.run([command[0], "%s=%s" % (command[1], message), *command[3:]], input=data, check=True,
                          stdout=subprocess.PIPE, timeout=120).stdout


def text_of(quoted):
    """A string as protoc prints it: C escapes, octal for all that is not ASCII."""
    data = re.sub(rb"\\(?:([0-7]{3})|(.))",
                  lambda m: bytes([int(m[1], 8) if m[1] else PLAIN_ESCAPES[m[2].decode()]]), quoted[1:-1].encode())
    return data.decode("utf-8")


def value_of(text):
    if text.startswith('"'):
        return text_of(text)
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def parse(text):
    """What protoc printed, as {field: [values]}; a message is such a dictionary. It prints a field that the schema does
    not have by its number."""
    top = {}
    open_messages = [top]
    for line in text.split("\n"):
        line = line.strip()
        if line == "}":
            open_messages.pop()
        elif line.endswith(" {"):
            message = {}
            open_messages[-1].setdefault(line[:-2], []).append(message)
            open_messages.append(message)
        elif line:
            field, value = line.split(": ", 1)
            open_messages[-1].setdefault(field, []).append(value_of(value))
        if line[:1].isdigit():
            raise ValueError("a field that is not in the schema: " + line)
    return top


def one(message, field, otherwise=None):
    """The value of a field that is there once at most."""
    values = message.get(field, [otherwise])
    if len(values) != 1:
        raise ValueError("%s is there %d times" % (field, len(values)))
    return values[0]


def add(totals, thread, method, numbers):
    of_method = totals.setdefault(thread, {}).setdefault(method, {"calls": 0, "recursive_calls": 0})
    for key, value in numbers.items():
        of_method[key] = of_method.get(key, 0) + value


# Perfetto


class Slice:
    """A slice that is open."""

    def __init__(self, method, times, cpu_ns):
        self.method = method
        self.times = times
        self.cpu_ns = cpu_ns  # as its annotation says
        self.inside = dict.fromkeys(times, 0)


class Sequence:
    """Packets of one sequence: a thread, what it interned, its stack."""

    def __init__(self, tracks, packet):
        defaults = one(one(packet, "trace_packet_defaults"), "track_event_defaults")
        self.track = tracks[one(defaults, "track_uuid")]
        counters = defaults.get("extra_counter_track_uuids", [])
        for uuid in counters:  # the only one is the CPU clock of this thread
            demand(one(one(tracks[uuid], "counter"), "type") == "COUNTER_THREAD_TIME_NS", "what a counter counts")
            demand(one(tracks[uuid], "parent_uuid") == one(self.track, "uuid"), "whose counter it is")
        self.clocks = ["wall", "cpu"] if counters else ["cpu" if "description" in self.track else "wall"]
        self.thread = one(one(self.track, "thread"), "tid")
        demand("process" in tracks[one(self.track, "parent_uuid")], "a process around each thread")
        self.names, self.annotations, self.sources = {}, {}, {}
        self.stack = []
        self.last_ns = 0

    def intern(self, data):
        for field, known in (("event_names", self.names), ("debug_annotation_names", self.annotations),
                             ("source_locations", self.sources)):
            for entry in data.get(field, []):
                demand(one(entry, "iid") not in known, "an id is interned once")
                known[one(entry, "iid")] = entry

    def begin(self, times, event):
        told = {one(self.annotations[one(entry, "name_iid")], "name"): entry
                for entry in event.get("debug_annotations", [])}
        if "source_location_iid" in event:
            demand(one(event, "source_location_iid") in self.sources, "a source location is interned")
        cpu_ns = one(told["cpu_ns"], "uint_value") if "cpu_ns" in told else None
        self.stack.append(Slice(one(self.names[one(event, "name_iid")], "name"), times, cpu_ns))

    def end(self, totals, times):
        ended = self.stack.pop()
        lasted = {clock: times[clock] - ended.times[clock] for clock in times}
        demand(ended.cpu_ns in (None, lasted["cpu"] if "cpu" in lasted else None), "cpu_ns is the counter's difference")
        is_recursive = any(around.method == ended.method for around in self.stack)
        add(totals, self.thread, ended.method, {"recursive_calls" if is_recursive else "calls": 1})
        for clock, value in lasted.items():
            add(totals, self.thread, ended.method, {"exclusive_%s_ns" % clock: value - ended.inside[clock],
                                                    "inclusive_%s_ns" % clock: 0 if is_recursive else value})
            if self.stack:
                self.stack[-1].inside[clock] += value

    def take(self, totals, packet):
        event = one(packet, "track_event")
        demand(one(packet, "sequence_flags") == NEEDS_STATE, "events need what their sequence interned")
        demand(one(packet, "timestamp") >= self.last_ns, "events of a sequence are in order")
        self.last_ns = one(packet, "timestamp")
        self.intern(one(packet, "interned_data", {}))
        times = dict(zip(self.clocks, [self.last_ns] + event.get("extra_counter_values", [])))
        demand(len(times) == len(self.clocks), "a value for each clock")
        if one(event, "type") == "TYPE_SLICE_BEGIN":
            self.begin(times, event)
        else:
            self.end(totals, times)


def demand(condition, what):
    if not condition:
        raise ValueError("not so: " + what)


def perfetto_totals(path):
    """Walks over the events as the trace processor does."""
    with open(path, "rb") as file:
        data = file.read()
    text = protoc("perfetto.Trace", "perfetto.proto", data)
    demand(protoc("perfetto.Trace", "perfetto.proto", text, encode=True) == data, "protoc writes the same bytes")
    packets = parse(text.decode("ascii")).get("packet", [])
    tracks, sequences, totals = {}, {}, {}
    for packet in packets:
        for track in packet.get("track_descriptor", []):
            demand(one(track, "uuid") not in tracks, "a track is described once")
            tracks[one(track, "uuid")] = track
    for packet in packets:
        sequence_id = one(packet, "trusted_packet_sequence_id")
        if one(packet, "sequence_flags", 0) & CLEARED:
            demand("first_packet_on_sequence" in packet and sequence_id not in sequences, "the first of a sequence")
            sequences[sequence_id] = Sequence(tracks, packet)
            sequences[sequence_id].intern(one(packet, "interned_data"))
        elif "track_event" in packet:
            sequences[sequence_id].take(totals, packet)
    demand(not any(sequence.stack for sequence in sequences.values()), "every slice ends")
    return totals


# pprof


def profile_of(path):
    with gzip.open(path) as file:
        return parse(protoc("perftools.profiles.Profile", "profile.proto", file.read()).decode("ascii"))


def pprof_totals(path):
    profile = profile_of(path)
    strings = profile["string_table"]
    demand(strings[0] == "", "the first string is the empty one")
    types = [strings[one(kind, "type")] for kind in profile["sample_type"]]
    functions = {one(entry, "id"): strings[one(entry, "system_name")] for entry in profile.get("function", [])}
    methods = {one(entry, "id"): functions[one(one(entry, "line"), "function_id")]
               for entry in profile.get("location", [])}
    totals = {}
    for sample in profile.get("sample", []):
        labels = {strings[one(label, "key")]: one(label, "num") for label in sample["label"]}
        stack = [methods[location] for location in sample["location_id"]]
        for kind, value in zip(types, sample["value"], strict=True):
            if kind == "calls":
                add(totals, labels["tid"], stack[0], {"recursive_calls" if stack[0] in stack[1:] else "calls": value})
                continue
            add(totals, labels["tid"], stack[0], {"exclusive_%s_ns" % kind: value})
            for method in set(stack):
                add(totals, labels["tid"], method, {"inclusive_%s_ns" % kind: value})
    return totals


def pprof_format_totals(path):
    told = subprocess.run(["node", os.path.join(HERE, "pprof.mjs"), path], check=True, stdout=subprocess.PIPE,
                          timeout=120).stdout
    totals = {}
    for thread, method, numbers in json.loads(told):
        totals.setdefault(thread, {})[method] = numbers
    return totals


def pprof_in_speedscope(path):
    """All threads in one, in the sample type that is shown first."""
    methods = {}
    for name, _, exclusive in events.Speedscope.open(path)[0]["frames"]:
        methods.setdefault(name, {"exclusive": 0})["exclusive"] += exclusive
    return {None: methods}


def as_speedscope(wanted, _names):
    """What is wanted, as speedscope shows profiles: overloads have one name, and no method is without time."""
    methods = {}
    for name, numbers in wanted[None]:
        exclusive = numbers.get("exclusive_cpu_ns", numbers.get("exclusive_wall_ns"))
        methods.setdefault(name.split(" ")[0], {"exclusive": 0})["exclusive"] += exclusive
    return {None: sorted(methods.items(), key=lambda method: -method[1]["exclusive"])}


# go tool pprof

EXAMPLE = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
ROW = re.compile(r"^ *(\d+)(?:ns)? +\S+% +\S+% +(\d+)(?:ns)? +\S+%  (.*?)(?: \(inline\))?$")


def go_rows(path, kind, thread):
    """{short name: (flat, cumulative)}"""
    told = subprocess.run(["go", "tool", "pprof", "-top", "-cum", "-unit=ns", "-nodecount=1000000", "-nodefraction=0",
                           "-sample_index=" + kind, "-tagfocus=thread=^%s$" % thread, path], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, text=True,
                          env=dict(os.environ, PPROF_TMPDIR=os.path.dirname(path))).stdout
    rows = [ROW.match(line) for line in told[told.index("cum%\n"):].splitlines()[1:]]
    return {row[3]: (int(row[1]), int(row[2])) for row in rows}


def top_rows(program, kind, thread):
    """The same of `top`. Overloads have one short name, and inclusive times that do not add up: None."""
    answer = json.loads(subprocess.run([program, "top", EXAMPLE, "--json", "-n", "0", "--thread", thread], check=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=240).stdout)
    rows = {}
    for row in answer["methods"]:
        name = row["method"].split(" ")[0]
        flat, cumulative = ((row["calls"] + row["recursive_calls"], None) if kind == "calls"
                            else (row["exclusive"][kind + "_ns"], row["inclusive"][kind + "_ns"]))
        rows[name] = (rows[name][0] + flat, None) if name in rows else (flat, cumulative)
    return rows


def check_go(program, report):
    """Every method of some threads, in all sample types."""
    if not shutil.which("go"):
        report.skip("go tool pprof", "go is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "example.pb.gz")
        subprocess.run([program, "export", EXAMPLE, "-o", path], check=True, timeout=240)
        for thread in ("main", "ImageWorker"):
            for kind in ("wall", "cpu", "calls"):
                with report.case("go tool pprof -top: %s of %s" % (kind, thread)) as checked:
                    found = go_rows(path, kind, thread)
                    wanted = top_rows(program, kind, thread)
                    for name, (flat, cumulative) in wanted.items():
                        if flat or cumulative:  # pprof leaves out rows of zeros
                            got = found.pop(name, (None, None))
                            checked.equal(name, got[0] if cumulative is None else got,
                                          flat if cumulative is None else (flat, cumulative))
                    checked.equal("other names", [name for name, row in found.items() if row[0]], [])
