#!/usr/bin/env python3
"""A slow, plain reading of a trace, written from the documents: the oracle of the tests.

Bytes become records (docs/formats/README.md, families A to G), records become calls, and
calls become numbers (docs/numbers.md). Nothing here is shared with the program.
It walks Python lists and thinks of one call at a time; use it on small traces only.

    reference.py FILE        prints what the rules give, as JSON
"""

import functools
import json
import re
import struct
import sys

import low_overhead

MAGIC = b"SLOW"
WRAP = 1 << 32
FALL_STEP = WRAP - 60_000_000  # a larger step of a 32-bit clock is a step back
END_ID = 0xEEEEEEEC  # Dalvik's fill pattern: the records end here
ENTER, EXIT, UNWIND, RESERVED = range(4)


class Refused(Exception):
    """The bytes are not a trace that can be read."""


class Record:
    __slots__ = ("thread", "method", "action", "time", "offset", "is_empty")

    def __init__(self, thread, method, action, time, offset):
        self.thread = thread
        self.method = method
        self.action = action
        self.time = time  # {"wall": value, "cpu": value} as in the file
        self.offset = offset
        self.is_empty = False  # all bytes are zero: reserved, but never written


class Trace:
    def __init__(self):
        self.format = ""
        self.version = 0
        self.properties = {}
        self.threads = {}  # id -> name
        self.methods = {}  # id -> [class, name, signature, file, line]
        self.records = []
        self.clocks = ()
        self.bits = 32
        self.unit_ns = 1000
        self.elapsed_ns = None
        self.findings = {}  # kind -> [count, first offset or None]
        self.odd = set()  # threads whose clocks fell, wrapped or were lowered
        self.has_wall_end = set()  # threads whose open calls end at a wall time of their own

    def note(self, kind, offset=None, count=1):
        entry = self.findings.setdefault(kind, [0, offset])
        entry[0] += count
        if offset is not None:
            entry[1] = offset if entry[1] is None else min(entry[1], offset)

    def add_thread(self, thread, name, offset):
        if self.threads.get(thread, name) != name:
            self.twice.setdefault("duplicate_thread", {}).setdefault(thread, offset)
        self.threads[thread] = name

    def add_method(self, method, parts, offset):
        if self.methods.get(method, parts) != parts:
            self.twice.setdefault("duplicate_method", {}).setdefault(method, offset)
        self.methods[method] = parts

    def text(self, raw):
        return raw.decode("utf-8", "replace")


def u16(data, at):
    return int.from_bytes(data[at : at + 2], "little")


def u32(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at : at + 8], "little")


# The text section (2)


def read_number(text):
    """A method id or version: 0x hex, leading 0 octal, else decimal; None when it is none."""
    if text == b"(nil)":
        return 0
    if re.fullmatch(rb"0[xX][0-9a-fA-F]+", text):
        return int(text, 16)
    if re.fullmatch(rb"0[0-7]+", text):
        return int(text, 8)
    return int(text) if re.fullmatch(rb"[0-9]+", text) else None


def method_parts(fields):
    """class, method, signature, file, line from the columns after the id (docs/formats/text.md, "Methods")."""
    if len(fields) == 1:
        return [fields[0], b"", b"", b"", 0]
    if len(fields) == 3 and not fields[2].startswith(b"("):
        return [fields[0], b"", b"", fields[1], read_line_number(fields[2])]
    padded = (fields + [b"", b"", b"", b""])[:5]
    return padded[:4] + [read_line_number(padded[4])]


def read_line_number(text):
    return int(text) if re.fullmatch(rb"-?[0-9]+", text) else 0


def read_text(trace, data, start=0):
    """Reads the text section and returns the offset behind *end, or None when there is none.

    Adds to trace.version, properties, threads and methods.
    """
    section = None
    at = start
    last_thread = None
    named = {}
    while at < len(data):
        end = data.find(b"\n", at)
        if end < 0:
            end = len(data)
        line, offset = data[at:end], at
        line = line[:-1] if line.endswith(b"\r") else line
        if section is not None and line == b"" and end >= len(data):
            break
        at = end + 1
        if line in (b"*version", b"*threads", b"*methods"):
            section = line
            want_version = line == b"*version"
            continue
        if line == b"*end":
            finish_threads(trace, named)
            return min(at, len(data))
        if section == b"*version":
            if want_version:
                trace.text_version = read_number(line)
                want_version = False
            elif line.count(b"=") >= 1:
                key, value = line.split(b"=", 1)
                trace.properties[trace.text(key)] = trace.text(value)
            else:
                trace.note("bad_line", offset)
        elif section == b"*threads":
            match = re.match(rb"([0-9]+)\t(.*)\Z", line, re.S)
            if match and int(match.group(1)) < 1 << 32:
                last_thread = len(named)
                named[last_thread] = [int(match.group(1)), match.group(2), offset]
            else:
                trace.note("bad_line", offset)
                if last_thread is not None:
                    named[last_thread][1] += b"\n" + line
        elif section == b"*methods":
            fields = line.split(b"\t")
            number = read_number(fields[0])
            if len(fields) < 2 or number is None:
                trace.note("bad_line", offset)
            else:
                trace.add_method(number, method_parts(fields[1:]), offset)
    finish_threads(trace, named)
    return None


def finish_threads(trace, named):
    for thread, name, offset in named.values():
        trace.add_thread(thread, name, offset)


def take_properties(trace):
    properties = trace.properties
    if "elapsed-time-nsec" in properties and properties["elapsed-time-nsec"].isdigit():
        trace.elapsed_ns = int(properties["elapsed-time-nsec"])
    if "elapsed-time-usec" in properties and properties["elapsed-time-usec"].isdigit():
        trace.elapsed_ns = int(properties["elapsed-time-usec"]) * 1000
    if properties.get("data-file-overflow") == "true":
        limit = properties.get("file-limit", "")
        trace.note("recording_cut" if properties.get("recording-cut") == "true" else "size_limit" if limit.isdigit() and int(limit) else "overflow")
    if properties.get("records-lost", "").isdigit() and int(properties["records-lost"]):
        trace.note("records_lost", count=int(properties["records-lost"]))


# Text and records in one file: families A, B, C (3)


def read_regular(data):
    trace = Trace()
    trace.twice = {}
    start = read_text(trace, data)
    if start is None:
        start = find_data_header(data)
        if start is None:
            raise Refused("no *end and no data header")
        trace = Trace()  # once more, and this time the text ends where the records begin
        trace.twice = {}
        read_text(trace, data[:start])
        trace.note("missing_end")
    if data[start : start + 4] != MAGIC or start + 6 > len(data):
        raise Refused("no data header")
    trace.version = u16(data, start + 4)
    if trace.version not in (1, 2, 3):
        raise Refused("version %d" % trace.version)
    if trace.text_version != trace.version:
        trace.note("version_mismatch")
    trace.format = "v%d" % trace.version
    take_properties(trace)
    clock = trace.properties.get("clock", "thread-cpu")
    clocks = {"wall": ("wall",), "global": ("wall",), "dual": ("cpu", "wall")}.get(clock, ("cpu",))
    if trace.version < 3 and clock == "dual":
        clocks = ("cpu",)
    trace.clocks = clocks
    id_size = 1 if trace.version == 1 else 2
    fields = id_size + 4 + 4 * len(clocks)
    size = fields
    header = 16
    if trace.version == 3:
        size, header = u16(data, start + 16), 18
        if size < fields and start + header <= len(data):
            raise Refused("record size %d" % size)
    at = start + max(u16(data, start + 6), header)
    count = trace.properties.get("num-method-calls", "")
    counted = at + int(count) * size if count.isdigit() else len(data)
    if begins_trace(data, counted):
        trace.note("another_trace", counted)
        data = data[:counted]
    held = read_records(trace, data, start, at, size, id_size)
    if count.isdigit() and int(count) > held:
        trace.note("missing_records", count=int(count) - held)
    name_cut_threads(trace, 256**id_size)
    return trace


def name_cut_threads(trace, end):
    """Ids that are too large for records are there without their high bits."""
    fits = {}
    for thread in trace.threads:
        if thread >= end:
            fits.setdefault(thread % end, []).append(thread)
    found = {}
    for record in trace.records:
        if record.thread and record.thread not in trace.threads and len(fits.get(record.thread, ())) == 1:
            found.setdefault(fits[record.thread][0], record.offset)
            record.thread = fits[record.thread][0]
    if found:
        trace.note("cut_thread_id", min(found.values()), len(found))


def find_data_header(data):
    """The first SLOW at a line start that has version 1-3, for a text without *end."""
    for match in re.finditer(rb"^SLOW", data, re.M):
        if u16(data, match.start() + 4) in (1, 2, 3):
            return match.start()
    return None


def read_records(trace, data, start, at, size, id_size):
    held = 0
    unpack = struct.Struct("<%sI%dI" % ("xBH"[id_size], len(trace.clocks))).unpack_from
    while at + size <= len(data):
        thread, word, *times = unpack(data, at)
        if word & ~3 == END_ID:
            note_after_all(trace, data, at)
            return held
        held += 1
        record = Record(thread, word & ~3, word & 3, dict(zip(trace.clocks, times)), at)
        record.is_empty = not (thread or word or any(times))
        trace.records.append(record)
        at += size
    if at > len(data):
        trace.note("truncated_record", start)  # inside the data header
    note_rest(trace, data, at)
    return held


def add_record(trace, data, at, thread, word, times_at):
    times = dict(zip(trace.clocks, struct.unpack_from("<%dI" % len(trace.clocks), data, times_at)))
    trace.records.append(Record(thread, word & ~3, word & 3, times, at))


def begins_trace(data, at):
    return data.startswith((b"*version\n", b"*version\r\n", b"SLOW"), at)


def note_after_all(trace, data, at):
    trace.note("another_trace" if begins_trace(data, at) else "trailing_bytes", at)


def note_rest(trace, data, at):
    if begins_trace(data, at):
        trace.note("another_trace", at)
    elif at < len(data):
        only_filler = not data[at:].strip(b"\r\n\0")
        trace.note("trailing_bytes" if only_filler else "truncated_record", at)


# Streams: family E (5)


def read_stream(data):
    low = u16(data, 4) & 0x0F
    fields = 14 if low == 3 else 10
    header_size = u16(data, 16)
    if len(data) < max(u16(data, 6), 18):  # cut inside the header: there are no records
        trace = walk_stream(data[:6], low, 14)
        trace.note("truncated_record", 0)
        trace.findings["no_summary"][1] = len(data)
        return trace
    if header_size < fields:
        raise Refused("record size %d" % header_size)
    sizes = [header_size]
    if low < 3:
        sizes += [size for size in (10, 14) if size != header_size]
    walks = [walk_stream(data, low, size) for size in sizes]
    # min keeps the first among equals, and the header's own size comes first.
    trace = min(walks, key=lambda walk: (walk.has_bad_opcode, walk.unknown_threads))
    if trace.has_bad_opcode and len(walks) == 1:
        trace.note("truncated_record", trace.stopped_at)
    return trace


def walk_stream(data, low, size):
    trace = Trace()
    trace.twice = {}
    trace.version, trace.format = low, "stream%d" % low
    trace.clocks = ("cpu", "wall") if low == 3 else ("wall",)
    trace.has_bad_opcode = False
    at = max(u16(data, 6), 18)
    has_summary = False
    while at < len(data) and not has_summary:
        trace.stopped_at = at
        left = len(data) - at
        if left >= 2 and u16(data, at) != 0:
            if left < size:
                break
            add_record(trace, data, at, u16(data, at), u32(data, at + 2), at + 6)
            at += size
            continue
        if left < 3:
            break
        opcode = data[at + 2]
        head = {1: 5, 2: 7, 3: 7}.get(opcode)
        if head is None:
            trace.has_bad_opcode = True
            break
        if left < head:
            break
        length = u32(data, at + 3) if opcode == 3 else u16(data, at + head - 2)
        body = data[at + head : at + head + length]
        if left < head + length:
            if opcode == 3 and body.startswith(b"*version\n%d\n" % low):
                # What is whole of a cut summary counts.
                read_text(trace, data[: data.rindex(b"\n") + 1], at + head)
                trace.note("truncated_record", at)
                has_summary = True
                at = len(data)
            break
        if opcode == 1:
            fields = body.rstrip(b"\n").split(b"\t")
            number = read_number(fields[0])
            if len(fields) < 2 or number is None:
                trace.note("bad_line", at)
            else:
                trace.add_method(number, method_parts(fields[1:]), at)
        elif opcode == 2:
            trace.add_thread(u16(data, at + 3), body, at)
        elif not body.startswith(b"*version"):
            trace.has_bad_opcode = True
            break
        else:
            read_text(trace, data[: at + head + length], at + head)
            has_summary = True
        at += head + length
    finish_stream(trace, data, at, has_summary)
    return trace


def finish_stream(trace, data, at, has_summary):
    if not has_summary:
        trace.note("no_summary")
        if at < len(data):
            note_rest(trace, data, at)
    else:
        take_properties(trace)
        if trace.text_version != trace.version:
            trace.note("version_mismatch")
        if at < len(data):
            note_after_all(trace, data, at)
        clock = trace.properties.get("clock", "")
        if trace.version < 3 and clock == "thread-cpu":
            trace.clocks = ("cpu",)
            for record in trace.records:
                record.time = {"cpu": record.time["wall"]}
    seen = {record.thread for record in trace.records}
    trace.unknown_threads = len(seen - set(trace.threads))


# Packets: family F, layouts C, D and E (6)


class BadBlock(Exception):
    pass


def take_leb(data, at, end, is_signed):
    value, shift = 0, 0
    while True:
        if at >= end or shift > 63:
            raise BadBlock
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    if is_signed and byte & 0x40:
        value -= 1 << shift
    return value % (1 << 64), at


def read_packets(data):
    trace = Trace()
    trace.twice = {}
    trace.version = u16(data, 4) & 0x0F
    trace.format = "packets%d" % trace.version
    blocks = []
    at, has_summary = 32, False
    if len(data) < at:
        trace.note("truncated_record", 0)
    while at < len(data) and not has_summary:
        left = len(data) - at
        head = {0: 7, 1: 11, 2: 12, 3: 3}.get(data[at])
        if head is None:
            raise Refused("packet %d at %d" % (data[at], at))
        if left < head:
            break
        length = u32(data, at + 8) if data[at] == 2 else u16(data, at + head - 2)
        body_at = at + head
        if data[at] == 2:
            blocks.append((u32(data, at + 1), body_at, min(body_at + length, len(data)), at))
        if left < head + length:
            if data[at] == 3 and data[body_at:].startswith(b"*version\n%d\n" % trace.version):
                # What is whole of a cut summary counts.
                read_text(trace, data[: data.rindex(b"\n") + 1], body_at)
                trace.note("truncated_record", at)
                has_summary, at = True, len(data)
            break
        body = data[body_at : body_at + length]
        if data[at] == 0:
            trace.add_thread(u32(data, at + 1), body, at)
        elif data[at] == 1:
            trace.add_method(u64(data, at + 1), method_parts(body.rstrip(b"\n").split(b"\t")), at)
        elif data[at] == 3:
            read_text(trace, data[: body_at + length], body_at)
            has_summary = True
        at = body_at + length
    if has_summary:
        take_properties(trace)
        if at < len(data):
            note_after_all(trace, data, at)
    else:
        trace.note("no_summary")
        if at < len(data):
            note_rest(trace, data, at)
    decode_blocks(trace, data, blocks)
    return trace


def decode_blocks(trace, data, blocks):
    frequency = u64(data, 22) if len(data) >= 32 else 0
    has_counter = len(data) >= 32 and (frequency > 0 or u64(data, 14) > 0)
    tries = []
    for layout in ("D", "E"):
        records, is_clean, known = decode_as(trace, data, blocks, layout, frequency)
        tries.append((is_clean, layout == "E" and has_counter, known, layout, records))
    best = max(tries, key=lambda t: t[:3])
    layout, trace.records = best[3], best[4]
    trace.layout = layout
    trace.bits, trace.unit_ns = 64, 1
    if trace.version == 5:
        trace.clocks = ("wall", "cpu")
    else:
        trace.clocks = ("cpu",) if trace.properties.get("clock") == "thread-cpu" else ("wall",)
    if layout == "D" and "elapsed-time-usec" in trace.properties:
        trace.layout, trace.bits, trace.unit_ns = "C", 32, 1000
    for record in trace.records:
        first, second = record.time
        values = {"wall": first, "cpu": second} if trace.version == 5 else {trace.clocks[0]: first}
        record.time = {clock: value % (1 << trace.bits) for clock, value in values.items()}


def decode_as(trace, data, blocks, layout, frequency):
    records, is_clean, known = [], True, 0
    stacks = {}
    last_state, last_tid = None, None
    for tid, at, end, offset in blocks:
        is_cut = end == len(data) and at + u32(data, offset + 8) > end
        decoder = decode_d if layout == "D" else decode_e
        state = last_state if tid == last_tid else None
        got, state, is_whole = decoder(trace, data, at, end, tid, state, stacks, frequency)
        is_clean = is_clean and (is_whole or is_cut)
        is_clean = is_clean and all(record.action != RESERVED for record in got)
        known += sum(record.method in trace.methods for record in got)
        records += got
        last_state, last_tid = state, tid
    return records, is_clean, known


def decode_d(trace, data, at, end, tid, previous, stacks, frequency):
    word = wall = cpu = 0
    records = []
    is_first = True
    while at < end:
        offset = at
        try:
            delta, at = take_leb(data, at, end, True)
            wall_delta, at = take_leb(data, at, end, False)
            cpu_delta = 0
            if trace.version == 5:
                cpu_delta, at = take_leb(data, at, end, False)
        except BadBlock:
            return records, (word, wall, cpu), False
        if is_first and previous and delta & ~3 not in trace.methods:
            if (previous[0] + delta) % (1 << 64) & ~3 in trace.methods:
                word, wall, cpu = previous
        is_first = False
        word = (word + delta) % (1 << 64)
        wall = (wall + wall_delta) % (1 << 64)
        cpu = (cpu + cpu_delta) % (1 << 64)
        records.append(Record(tid, word & ~3, word & 3, (wall, cpu), offset))
    return records, (word, wall, cpu), True


def decode_e(trace, data, at, end, tid, previous, stacks, frequency):
    time = method = cpu = 0
    records = []
    stack = stacks.setdefault(tid, [])
    while at < end:
        offset = at
        try:
            delta, at = take_leb(data, at, end, True)
            time = (time + delta) % (1 << 64)
            if trace.version == 5:
                delta, at = take_leb(data, at, end, False)
                cpu = (cpu + delta) % (1 << 64)
            action = time & 3
            if action == ENTER:
                delta, at = take_leb(data, at, end, True)
                method = (method + delta) % (1 << 64)
        except BadBlock:
            return records, None, False
        if action == ENTER:
            stack.append(method)
            of = method
        else:
            of = stack.pop() if stack else "unknown"
        ticks = signed64(time) >> 2
        ns = ticks
        if frequency:
            ns = min(abs(ticks) * 1_000_000_000 // frequency, (1 << 63) - 1)
            ns = ns if ticks >= 0 else -ns
        records.append(Record(tid, of, action, (ns, cpu), offset))
    return records, None, True


def read(data):
    """The trace in `data`; raises Refused."""
    if data[:4] == MAGIC:
        if len(data) < 6:
            raise Refused("cut before its version")
        version = u16(data, 4)
        if version in (0xF1, 0xF2, 0xF3):
            trace = read_stream(data)
        elif version in (4, 5, 0xF4, 0xF5):
            trace = read_packets(data)
        else:
            raise Refused("version %#x" % version)
    elif data.startswith((b"*version\n", b"*version\r\n")):
        trace = read_regular(data)
    elif low_overhead.matches(data):
        trace = low_overhead.read(data, sys.modules[__name__])
    else:
        raise Refused("not a trace")
    for kind, places in trace.twice.items():
        trace.note(kind, min(places.values()), len(places))
    return trace


# Clocks (docs/numbers.md, "Clocks")


def repair_clocks(trace):
    """Replaces each record's times by monotonic values in the file's unit, wraps counted in."""
    wrapped, far = {}, {}
    fallen = {clock: {} for clock in trace.clocks}
    for clock in trace.clocks:
        repair_clock(trace, clock, wrapped, fallen[clock], far)
    for kind, places in (("clock_wrapped", wrapped), ("clock_backwards", fallen.get("wall")),
                         ("cpu_clock_backwards", fallen.get("cpu")), ("clock_too_far", far)):
        if places:
            trace.note(kind, min(places.values()), len(places))
            trace.odd.update(places)


def repair_clock(trace, clock, wrapped, fallen, far):
    per_thread = {}
    for record in trace.records:
        per_thread.setdefault(record.thread, []).append(record)
    last = float("inf")  # where a wrap may lead: a minute behind the elapsed time; a CPU clock's from its first time on
    if (trace.elapsed_ns or 0) >= trace.unit_ns:
        last = trace.elapsed_ns // trace.unit_ns + 60_000_000
    for thread, records in per_thread.items():
        previous = records[0].time[clock]
        raw = previous if trace.bits == 32 else signed64(previous)
        highest = max(raw, 0)  # nothing is before the start
        most = last + (highest if clock == "cpu" else 0)
        for record in records:
            value = record.time[clock]
            if trace.bits == 32:
                step = (value - previous) % WRAP
                is_too_late = value < previous and raw + step > most
                if step > FALL_STEP or is_too_late:
                    step -= WRAP
            else:
                step = signed64(value) - signed64(previous)
            previous = value
            raw += step
            if raw < highest:
                fallen[thread] = min(record.offset, fallen.get(thread, record.offset))
            highest = max(highest, raw)
            record.time[clock] = highest
    latest = (2**63 - 1) // trace.unit_ns // max(1, len(per_thread))
    for thread, records in per_thread.items():
        for record in records:
            if record.time[clock] > latest:
                far[thread] = min(record.offset, far.get(thread, record.offset))
                record.time[clock] = latest
    if trace.bits == 32 and clock == "wall" and trace.format != "v1" and trace.elapsed_ns is not None:
        place_threads(trace, per_thread, latest, far)
    if trace.bits == 32:
        for thread, records in per_thread.items():
            first_turn = records[0].time[clock] // WRAP
            for record in records:
                if record.time[clock] // WRAP != first_turn:
                    wrapped[thread] = min(record.offset, wrapped.get(thread, record.offset))
                    break


def place_threads(trace, per_thread, latest, far):
    """Gives each thread's first wall value its multiple of 2^32."""
    elapsed = trace.elapsed_ns // trace.unit_ns
    seen = set()
    before = None
    for record in trace.records:
        if record.thread not in seen:
            seen.add(record.thread)
            records = per_thread[record.thread]
            first, last = records[0].time["wall"], records[-1].time["wall"]
            turns = [0]
            if before is not None:
                turns = [k for k in range((elapsed - last) // WRAP + 1)] or [0]
            turn = min(turns, key=lambda k: (abs(first + k * WRAP - (before or 0)), k))
            if turn > (latest - last) // WRAP:
                turn = (latest - last) // WRAP
                far[record.thread] = min(record.offset, far.get(record.thread, record.offset))
            for other in records:
                other.time["wall"] += turn * WRAP
        before = record.time["wall"]


def signed64(value):
    return value - (1 << 64) if value >= 1 << 63 else value


# Calls (docs/numbers.md, "Calls")


class Call:
    __slots__ = ("method", "start", "end", "callees", "is_open", "offset")

    def __init__(self, method, start, offset):
        self.method = method
        self.start = start
        self.end = None
        self.callees = []
        self.offset = offset


def build_calls(trace):
    """thread -> its root calls, in file order."""
    roots, stacks, firsts, lasts = {}, {}, {}, {}
    for record in trace.records:
        thread = record.thread
        lasts[thread] = record
        if thread not in roots:
            roots[thread], stacks[thread], firsts[thread] = [], [], record
        tree, stack = roots[thread], stacks[thread]
        if record.action == RESERVED:
            trace.note("reserved_action", record.offset)
        elif record.action == ENTER:
            call = Call(record.method, record.time, record.offset)
            (stack[-1].callees if stack else tree).append(call)
            stack.append(call)
        elif not stack:
            trace.note("exit_without_enter", record.offset)
            call = Call(record.method, firsts[thread].time, record.offset)
            call.end = record.time
            call.callees = tree[:]
            tree[:] = [call]
        elif stack[-1].method != record.method and all(call.method != record.method for call in stack):
            trace.note("exit_not_on_stack", record.offset)
        else:
            if stack[-1].method != record.method:
                trace.note("exit_closed_others", record.offset)
            while True:
                call = stack.pop()
                call.end = record.time
                if call.method == record.method:
                    break
    close_open_calls(trace, stacks, lasts)
    return roots


def close_open_calls(trace, stacks, lasts):
    seen = last_seen(trace, stacks, lasts)
    latest = max((record.time.get("wall", 0) for record in trace.records), default=0)
    latest = max([latest] + [time.get("wall", 0) for time in seen.values()])
    for thread, stack in stacks.items():
        for call in stack:
            trace.note("open_at_end", call.offset)
            call.end = dict(seen.get(thread, lasts[thread].time))
            if "wall" in trace.clocks and trace.format != "v1" and thread not in trace.has_wall_end:
                call.end["wall"] = latest


def last_seen(trace, stacks, lasts):
    """thread -> times of when it was last seen in a call, as the property says."""
    seen = {}
    elapsed = (trace.elapsed_ns or 0) // trace.unit_ns
    margin = 60 * 10**9 // trace.unit_ns
    latest = (2**63 - 1) // trace.unit_ns // max(1, len(lasts))
    for part in trace.properties.get("last-seen-nsec", "").split(";") if trace.format != "v1" else []:
        if not re.fullmatch(r"[0-9]+:[0-9]+:[0-9]+", part):
            break
        thread, *told = map(int, part.split(":"))
        if not stacks.get(thread):
            continue
        last = seen.get(thread, lasts[thread].time)
        told = {clock: time // trace.unit_ns for clock, time in zip(("wall", "cpu"), told) if clock in last}
        known = told.get("wall", 0) > 0
        if elapsed and (told.get("wall", 0) > elapsed + margin or told.get("cpu", 0) - last.get("cpu", 0) > elapsed + margin):
            continue
        if max(told.values()) > latest:
            continue
        seen[thread] = {clock: max(time, told[clock]) for clock, time in last.items()}
        if known:
            trace.has_wall_end.add(thread)
    return seen


# Numbers (docs/numbers.md, "The profile")


PRIMITIVES = dict(Z="boolean", B="byte", C="char", S="short", I="int", J="long", F="float", D="double")


@functools.lru_cache(None)
def java_class(name):
    """java.lang.String[] for [Ljava/lang/String;, and java.lang.String for java/lang/String."""
    match = re.fullmatch(r"(\[*)L(.+);|(\[+)([ZBCSIJFD])", name, re.S)
    if match and match[3]:
        return PRIMITIVES[match[4]] + "[]" * len(match[3])
    element, dimensions = (match[2], len(match[1])) if match else (name, 0)
    if all(re.fullmatch(r"[0-9A-Za-z$_.\-\x80-\U0010ffff]+", part) for part in element.split("/")):
        element = re.sub(r"/(?!0x)", ".", element)
    return element + "[]" * dimensions


def method_name(trace, method):
    if method not in trace.methods:
        return "(unknown)" if method == "unknown" else "(0x%x)" % method
    class_name, name, signature = (trace.text(part) for part in trace.methods[method][:3])
    text = java_class(class_name) + ("." + name if name else "")
    return text + (" " + signature if signature else "")


def span(trace, call, clock):
    return (call.end[clock] - call.start[clock]) * trace.unit_ns


def profile(trace, roots):
    """Method -> numbers; every call is visited with the methods that are on its stack."""
    rows = {}
    clocks, unit_ns = trace.clocks, trace.unit_ns
    for tree in roots.values():
        todo = [(call, 1) for call in tree]
        on_stack = {}
        while todo:
            call, depth = todo.pop()
            if depth == 0:  # marks the way back up
                on_stack[call.method] -= 1
                continue
            row = rows.get(call.method)
            if row is None:
                row = rows[call.method] = {
                    "calls": 0,
                    "recursive_calls": 0,
                    "inclusive": dict.fromkeys(clocks, 0),
                    "exclusive": dict.fromkeys(clocks, 0),
                }
            is_recursive = on_stack.get(call.method, 0) > 0
            row["recursive_calls" if is_recursive else "calls"] += 1
            for clock in clocks:
                duration = call.end[clock] - call.start[clock]
                if not is_recursive:
                    row["inclusive"][clock] += duration * unit_ns
                for callee in call.callees:
                    duration -= callee.end[clock] - callee.start[clock]
                row["exclusive"][clock] += duration * unit_ns
            on_stack[call.method] = on_stack.get(call.method, 0) + 1
            todo.append((call, 0))
            todo.extend((callee, depth + 1) for callee in call.callees)
    return rows


def walk_paths(roots):
    """Each call with its caller (or None) and whether it and its caller are recursive."""
    for tree in roots.values():
        on_stack = {}
        todo = [(call, None, False, False) for call in tree]
        while todo:
            call, caller, caller_is_recursive, is_leaving = todo.pop()
            if is_leaving:
                on_stack[call.method] -= 1
                continue
            is_recursive = on_stack.get(call.method, 0) > 0
            yield call, caller, is_recursive, caller_is_recursive
            on_stack[call.method] = on_stack.get(call.method, 0) + 1
            todo.append((call, None, False, True))
            todo.extend((callee, call, is_recursive, False) for callee in call.callees)


GROUPS = ("callers", "callees", "callers_recursive", "callees_recursive")


def relations(trace, roots):
    """Method -> its four groups (method -> row), and `self`: exclusive time of its outermost calls."""
    tables = {}
    empty_row = lambda: {"calls": 0, "inclusive": in_ns(zero), "exclusive": in_ns(zero)}
    zero = dict.fromkeys(trace.clocks, 0)

    def add(row, call):
        row["calls"] += 1
        for clock in trace.clocks:
            duration = span(trace, call, clock)
            inner = sum(span(trace, callee, clock) for callee in call.callees)
            row["inclusive"][clock + "_ns"] += duration
            row["exclusive"][clock + "_ns"] += duration - inner

    def table(method):
        return tables.setdefault(method, {"self": empty_row(), **{group: {} for group in GROUPS}})

    for call, caller, is_recursive, caller_is_recursive in walk_paths(roots):
        if not is_recursive:
            add(table(call.method)["self"], call)
        if caller is None:
            continue
        group = "callers_recursive" if is_recursive else "callers"
        add(table(call.method)[group].setdefault(caller.method, empty_row()), call)
        group = "callees_recursive" if caller_is_recursive else "callees"
        add(table(caller.method)[group].setdefault(call.method, empty_row()), call)
    return tables


def merged_tree(trace, roots):
    """The calling contexts of all threads in one tree: method -> node with `children`."""
    tree = {}
    todo = [(tree, [call for calls in roots.values() for call in calls])]
    while todo:
        level, calls = todo.pop()
        groups = {}
        for call in calls:
            groups.setdefault(call.method, []).append(call)
        for method, group in groups.items():
            callees = [callee for call in group for callee in call.callees]
            inclusive, exclusive = {}, {}
            for clock in trace.clocks:
                inclusive[clock] = sum(span(trace, call, clock) for call in group)
                exclusive[clock] = inclusive[clock] - sum(span(trace, callee, clock) for callee in callees)
            level[method] = {
                "calls": len(group),
                "inclusive": in_ns(inclusive),
                "exclusive": in_ns(exclusive),
                "children": {},
            }
            todo.append((level[method]["children"], callees))
    return tree


def thread_numbers(trace, roots, thread, records):
    calls = deepest = 0
    todo = [(call, 1) for call in roots[thread]]
    while todo:
        call, depth = todo.pop()
        calls += 1
        deepest = max(deepest, depth)
        todo.extend((callee, depth + 1) for callee in call.callees)
    axis = "wall" if "wall" in trace.clocks else "cpu"
    times = [record.time.get(axis, 0) * trace.unit_ns for record in records]
    row = {
        "id": thread,
        "name": trace.text(trace.threads.get(thread, b"")),
        "records": len(times),
        "calls": calls,
        "max_depth": deepest,
        "first_ns": times[0],
        "last_ns": times[-1],
    }
    for clock in trace.clocks:
        row[clock + "_ns"] = sum(span(trace, call, clock) for call in roots[thread])
    return row


def count_nodes(roots):
    """Distinct paths of methods, over all threads."""
    count = 0
    for tree in roots.values():
        todo = [tree]
        while todo:
            groups = {}
            for call in todo.pop():
                groups.setdefault(call.method, []).extend(call.callees)
            count += len(groups)
            todo.extend(groups.values())
    return count


def is_sampled(trace):
    if not trace.clocks or any(record.action == UNWIND for record in trace.records):
        return False
    axis = "wall" if "wall" in trace.clocks else "cpu"
    last, gaps = {}, []
    for record in trace.records:
        if record.thread in last:
            steps = {clock: record.time[clock] - last[record.thread][clock] for clock in trace.clocks}
            gaps.append(max(steps["wall"] * 1000, steps["cpu"]) if "unit_suspect" in trace.findings else steps[axis])
        last[record.thread] = record.time
    others = sorted(gap for gap in gaps if gap)
    if not others or 2 * len(others) > len(gaps):
        return False
    return others[(len(others) + 99) // 100 - 1] * trace.unit_ns >= 100_000


def drop_empty(trace):
    for record in trace.records:
        if record.is_empty:
            trace.note("empty_record", record.offset)
    trace.records = [record for record in trace.records if not record.is_empty]


def note_unknown(trace):
    """What records name and no line describes."""
    threads, methods = {}, {}
    for record in trace.records:
        if record.thread not in trace.threads:
            threads.setdefault(record.thread, record.offset)
        if record.method not in trace.methods:
            methods.setdefault(record.method, record.offset)
        if record.thread == 0:
            trace.note("thread_zero", record.offset)
    for kind, places in (("unknown_thread", threads), ("unknown_method", methods)):
        if places:
            trace.note(kind, min(places.values()), len(places))


def note_unit(trace):
    if len(trace.clocks) < 2:
        return
    ends = {}
    for record in trace.records:
        ends.setdefault(record.thread, [record.time, record.time])[1] = record.time
    elapsed = (trace.elapsed_ns or 0) // trace.unit_ns
    for thread, (first, last) in ends.items():
        wall, cpu = last["wall"] - first["wall"], last["cpu"] - first["cpu"]
        may_wrap = trace.bits == 32 and elapsed - last["wall"] >= WRAP
        if cpu // 2 > wall and (cpu - wall) * trace.unit_ns > 20_000_000 and thread not in trace.odd and not may_wrap:
            trace.note("unit_suspect")
            return


def in_ns(row):
    return {clock + "_ns": value for clock, value in row.items()}


def reckon(data):
    """The trace and, thread by thread, its root calls."""
    trace = read(data)
    drop_empty(trace)
    note_unknown(trace)
    repair_clocks(trace)
    roots = build_calls(trace)
    note_unit(trace)
    return trace, roots


def answer(data):
    """What `info` and `top` must say of these bytes, as one object."""
    return answer_of(*reckon(data))


def answer_of(trace, roots):
    records = {thread: [] for thread in roots}
    for record in trace.records:
        records[record.thread].append(record)
    threads = [thread_numbers(trace, roots, thread, records[thread]) for thread in sorted(roots)]
    methods = []
    for method, row in profile(trace, roots).items():
        methods.append(
            {
                "id": method if isinstance(method, str) else "0x%x" % method,
                "method": method_name(trace, method),
                "calls": row["calls"],
                "recursive_calls": row["recursive_calls"],
                "inclusive": in_ns(row["inclusive"]),
                "exclusive": in_ns(row["exclusive"]),
            }
        )
    total = {clock + "_ns": sum(thread[clock + "_ns"] for thread in threads) for clock in trace.clocks}
    if total.get("wall_ns") and total.get("cpu_ns") == 0:
        trace.note("cpu_clock_idle")
    return {
        "format": trace.format,
        "version": trace.version,
        "clocks": [clock for clock in ("wall", "cpu") if clock in trace.clocks],
        "records": len(trace.records),
        "calls": sum(thread["calls"] for thread in threads),
        "nodes": count_nodes(roots),
        "sampled": is_sampled(trace),
        "total": total,
        "threads": threads,
        "methods": sorted(methods, key=lambda row: (row["method"], row["id"])),
        "findings": {kind: count for kind, (count, _) in sorted(trace.findings.items())},
        "offsets": {
            kind: offset
            for kind, (_, offset) in sorted(trace.findings.items())
            if offset is not None
        },
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: reference.py FILE")
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    try:
        print(json.dumps(answer(data), indent=1, sort_keys=True))
    except Refused as refused:
        sys.exit("reference.py: %s: %s" % (sys.argv[1], refused))


if __name__ == "__main__":
    main()
