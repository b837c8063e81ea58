"""Low-overhead dumps (family G) for reference.py: plain readings of docs/formats/low-overhead.md.

Long-running methods and all methods as packets, raw or as base64, and the forms of 2024: blocks behind a
magic, and lines of text. Exits name no method; per thread they leave the one on top.
"""

import base64
import re

MAGIC = b"TMOL\1\0"
RING = 2048
BLANK = b"\r\n\0"


def matches(data):
    return (
        data.startswith(MAGIC)
        or re.match(rb"Thread:[0-9]{1,10}(\n|\Z)", data) is not None
        or bool(packets_of(data))
        or bool(packets_of(decode_base64(data)))
    )


def read(data, reference):
    """`reference` is the module, for its types and its other readers."""
    trace = reference.Trace()
    trace.twice = {}
    trace.format, trace.version, trace.bits, trace.unit_ns = "low-overhead", 0, 64, 1
    reader = Reader(trace, reference)
    if data.startswith(MAGIC):
        reader.read_old_blocks(data)
    elif data.startswith(b"Thread:"):
        reader.read_old_lines(data)
    else:
        kind = packets_of(data)
        if not kind:
            data = decode_base64(data)
            kind = packets_of(data)
        if kind == "long":
            reader.read_long_running(data)
        else:
            reader.read_all_methods(data)
    return trace


# Telling them apart


def decode_base64(data):
    text = re.sub(rb"[\n\r \t]", b"", data)
    if not re.fullmatch(rb"[A-Za-z0-9+/]+={0,2}", text) or not text.startswith(b"A"):
        return b""
    digits = text.rstrip(b"=")
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    decoded = base64.b64decode(digits + b"=" * (-len(digits) % 4))
    return decoded if decoded.startswith(b"\2") else b""


def packets_of(data):
    """"long", "all", or None."""
    if not data or data[0] > 2:
        return None
    if is_long_running(data):
        return "long"
    return "all" if is_all_methods(data) else None


def take(data, at):
    """(kind, fields..., body, next) of the packet at `at`; None where it is cut, False where there is none."""
    if data[at] > 3:
        return False
    head = {0: 7, 1: 11, 2: 12, 3: 3}[data[at]]
    if len(data) - at < head:
        return None
    length = number(data, at + 8, 4) if data[at] == 2 else number(data, at + head - 2, 2)
    body = data[at + head : at + head + length]
    if len(body) < length and data[at] in (0, 1):
        return None
    return data[at], body, at + head + length


def number(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


def sleb(data, at):
    """(value, next), or None where the bytes end first."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        shift += 7
        at += 1
        if byte < 0x80:
            if byte & 0x40:
                value -= 1 << shift
            return (value + (1 << 63)) % (1 << 64) - (1 << 63), at
    return None


def is_long_running(data):
    at = proofs = 0
    while at < len(data):
        packet = take(data, at)
        if packet is False:
            return proofs > 0 and not data[at:].strip(BLANK)
        if packet is None:
            break
        kind, body, end = packet
        if end > len(data):
            return proofs > 0 or (kind == 2 and is_like_a_block(data, at, body))
        if kind == 3:
            return False
        if kind == 2:
            records, is_whole = long_records(body, 0)
            if not is_whole or len(records) != number(data, at + 5, 3):
                return False
            proofs += len(records) > 0
        elif kind == 1:
            proofs += b"\t" in body.rstrip(b"\n")
        at = end
    return proofs > 0


def is_like_a_block(data, at, body):
    thread, count, size = number(data, at + 1, 4), number(data, at + 5, 3), number(data, at + 8, 4)
    records, _ = long_records(body, 0)
    records = records[:256]
    times = [time for time, _, _ in records]
    return (
        1 <= thread <= 1 << 22
        and 0 < count <= size <= 20 * count
        and len(records) > 0
        and times == sorted(times)
        and all(method is None or (method >= 4096 and method % 4 == 0) for _, method, _ in records)
    )


def long_records(body, base):
    """[(time, method or None for an exit, offset)] and whether the bytes end with a record."""
    time = method = at = 0
    records = []
    while at < len(body):
        first = sleb(body, at)
        if first is None:
            return records, False
        new_time = (time + first[0]) % (1 << 64)
        end = first[1]
        if new_time % 2 == 0:
            second = sleb(body, end)
            if second is None:
                return records, False
            method = (method + second[0]) % (1 << 64)
            end = second[1]
        time = new_time
        records.append((time >> 1, None if time % 2 else method, base + at))
        at = end
    return records, True


def all_blocks(data, at, header):
    """[(thread, [(delta, offset)], offset)], where they end, and whether the last is cut."""
    blocks = []
    while at < len(data) and data[at] == 2 and len(data) - at >= header:
        thread, count, begin = number(data, at + 1, 4), number(data, at + 5, 3), at
        deltas, at = [], at + header
        for _ in range(count):
            taken = sleb(data, at)
            if taken is None:
                return blocks + [(thread, deltas, begin)], begin, True
            deltas.append((taken[0], at))
            at = taken[1]
        blocks.append((thread, deltas, begin))
    return blocks, at, False


def is_all_methods(data):
    blocks, end, is_cut = all_blocks(data, 0, 12)
    if not blocks:
        return False
    thread, deltas, _ = blocks[0]
    first = deltas[0][0] if deltas else 0
    is_like = 1 <= thread <= 1 << 22 and 0 < number(data, 5, 3) <= RING
    is_like = is_like and (first == 1 or (first >= 4096 and first % 4 == 0))
    if is_cut:
        return is_like
    methods = 0
    while end < len(data):
        packet = take(data, end)
        if packet is None:
            break
        if packet is False or packet[0] > 1:
            return False
        methods += packet[0] == 1
        end = packet[2]
    return methods > 0 or is_like


# Reading


class Reader:
    def __init__(self, trace, reference):
        self.trace = trace
        self.reference = reference
        self.stacks = {}

    def add(self, thread, method, time, offset):
        """method None: an exit."""
        stack = self.stacks.setdefault(thread, [])
        if method is not None:
            action = self.reference.ENTER
            stack.append(method)
        else:
            action = self.reference.EXIT
            method = stack.pop() if stack else "unknown"
        times = {} if time is None else {"wall": time}
        self.trace.records.append(self.reference.Record(thread, method, action, times, offset))

    def read_descriptions(self, data, at):
        while at < len(data):
            packet = take(data, at)
            if not packet:
                is_blank = not data[at:].strip(BLANK)
                self.trace.note("trailing_bytes" if is_blank else "truncated_record", at)
                return
            kind, body, end = packet
            if end > len(data):
                self.trace.note("truncated_record", at)
            if kind == 0:
                self.trace.add_thread(number(data, at + 1, 4), body, at)
            elif kind == 1:
                body = body[:-1] if body.endswith(b"\n") else body
                parts = self.reference.method_parts(body.split(b"\t"))
                self.trace.add_method(number(data, at + 1, 8), parts, at)
            at = end

    def read_long_running(self, data):
        self.trace.clocks = ("wall",)
        records, at = [], 0
        while at < len(data):
            packet = take(data, at)
            if not packet:
                break
            if packet[0] == 2:
                thread = number(data, at + 1, 4)
                records += [(thread, *record) for record in long_records(packet[1], at + 12)[0]]
            at = packet[2]
        self.read_descriptions(data, 0)
        first = min((record[1] for record in records), default=0)
        for thread, time, method, offset in records:
            self.add(thread, method, time - first, offset)

    def read_all_methods(self, data, start=0, header=12):
        self.trace.clocks = ()
        blocks, end, is_cut = all_blocks(data, start, header)
        if header == 8:
            self.read_lists(data, end)
        elif is_cut:
            self.trace.note("truncated_record", end)
        else:
            self.read_descriptions(data, end)
        from_one = [(thread, decode_all(deltas, lambda left: 1)) for thread, deltas, _ in blocks]
        from_left = [(thread, decode_all(deltas, lambda left: left | 1)) for thread, deltas, _ in blocks]
        chosen = from_left if self.count_known(from_left) > self.count_known(from_one) else from_one
        for thread, records in chosen:
            for method, offset in records:
                self.add(thread, method, None, offset)

    def count_known(self, blocks):
        return sum(method in self.trace.methods for _, records in blocks for method, _ in records)

    def read_old_blocks(self, data):
        self.read_all_methods(data, len(MAGIC), 8)

    def read_old_lines(self, data):
        self.trace.clocks, self.trace.unit_ns = ("wall",), 1000
        at, thread, records = 0, 0, []
        while at < len(data):
            end = data.find(b"\n", at)
            line = data[at:end].removesuffix(b"\r")
            if end < 0 or not line:
                break
            match = re.fullmatch(rb"->0x([0-9a-fA-F]+) ([0-9]+)|<-([0-9]+)|Thread:([0-9]+)", line)
            method, entered, left, new_thread = match.groups() if match else (None,) * 4
            time = int(entered or left or 0)
            if not match or time * 1000 >= 1 << 63 or int(method or b"0", 16) >= 1 << 64 or int(new_thread or 0) >= 1 << 32:
                self.trace.note("bad_line", at)
            elif new_thread:
                thread = int(new_thread)
            else:
                records.append((thread, time, int(method, 16) if method else None, at))
            at = end + 1
        self.read_lists(data, at)
        first = min((record[1] for record in records), default=0)
        for thread, time, method, offset in records:
            self.add(thread, method, time - first, offset)

    def read_lists(self, data, at):
        """The lists of text that end the forms of 2024."""
        end = None
        if data[at:].startswith(b"\n*threads\n"):
            # A last line that the file cuts is none, save that *end has no line end.
            whole = data if data.endswith(b"\n*end") else data[: data.rindex(b"\n") + 1]
            end = self.reference.read_text(self.trace, whole, at + 1)
        if end is None:
            self.trace.note("truncated_record", at)
        elif end < len(data):
            self.trace.note("trailing_bytes", end)


def decode_all(deltas, after_exit):
    """[(method or None, offset)]"""
    word, was_exit, stack, records = 0, False, [], []
    for delta, offset in deltas:
        is_exit = delta == (0 if was_exit else 1)
        if is_exit:
            word = after_exit(stack.pop() if stack else 0)
            records.append((None, offset))
        else:
            word = (word + delta) % (1 << 64)
            stack.append(word)
            records.append((word, offset))
        was_exit = is_exit
    return records
