#!/usr/bin/env python3
"""Random traces of every layout, with every oddity, from a seed. The truth is what reference.py says.

    make_random.py SEED [FILE]      writes the trace of that seed to FILE or stdout

The same seed gives the same bytes. A trace is made in two steps: a program of a few threads is run and
gives records; then the records are written in some layout, and the bytes are damaged a little.
"""

import base64
import random
import struct
import sys

ENTER, EXIT, UNWIND, RESERVED = range(4)
MINUTE = 60_000_000  # us


class Step:
    """One record to be: times in us on both clocks."""

    def __init__(self, thread, method, action, cpu, wall):
        self.thread = thread
        self.method = method
        self.action = action
        self.cpu = cpu
        self.wall = wall


class Plan:
    """What is odd about this trace; each oddity occurs in some traces only."""

    def __init__(self, rng):
        chance = lambda p: rng.random() < p
        self.layout = rng.choice(
            ["v1", "v2", "v2", "v3", "v3", "v3", "v3", "v3", "f1", "f2", "f3", "f3", "D4", "D5", "C5", "E4", "E5"]
        )
        self.clock = rng.choice(["dual", "dual", "wall", "thread-cpu"])
        self.threads = rng.choice([1, 1, 2, 3, 6])
        self.methods = rng.choice([1, 3, 8, 30, 100])
        self.records = rng.choice([0, 1, 2, 10, 60, 60, 200, 400])
        self.enter_share = rng.choice([0.4, 0.5, 0.5, 0.55, 0.7])
        self.recursion = rng.choice([0, 0, 0.3, 0.8])
        self.late_start = chance(0.3)
        self.lost = rng.choice([0, 0, 0, 0.02, 0.2])
        self.wild_exits = rng.choice([0, 0, 0, 0.05])
        self.reserved = rng.choice([0, 0, 0, 0.02])
        self.empty = rng.choice([0, 0, 0, 0.03])
        self.unwinds = rng.choice([0, 0.05, 0.2])
        self.backwards = rng.choice([0, 0, 0, 0.02])
        self.set_backs = rng.choice([0, 0, 0, 0, 0.01])  # of up to 60 minutes, as by a user
        self.pauses = rng.choice([0, 0, 0, 0.01, 0.1])  # of up to 60 minutes
        self.same_time = rng.choice([0, 0.3, 0.8])
        self.sampled = chance(0.15)
        self.first_wall = rng.choice([0, 0, 1000, 2**32 - 5000, 65 * MINUTE])
        self.first_cpu = rng.choice([0, 0, 0, 2**32 - 700])
        self.per_thread_runs = chance(0.3)
        self.unknown_threads = chance(0.2)
        self.thread_zero = chance(0.1)
        self.unknown_methods = chance(0.3)
        self.wide_ids = chance(0.3)
        self.duplicates = chance(0.2)
        self.has_elapsed = chance(0.8)
        self.cut = chance(0.1)
        self.tail = rng.choice([b""] * 8 + [b"\n", b"\0\0\0"])


# The program


def run_program(plan, rng):
    thread_ids = list(range(1, plan.threads + 1))
    if plan.wide_ids and plan.layout != "v1":
        thread_ids = rng.sample(range(1, 65535), plan.threads)
    if plan.thread_zero and plan.layout[0] == "v":
        thread_ids[-1] = 0
    stacks = {thread: [] for thread in thread_ids}
    if plan.late_start:
        for stack in stacks.values():
            stack += [rng.randrange(plan.methods) for _ in range(rng.randrange(5))]
    wall = {thread: plan.first_wall + rng.randrange(50) for thread in thread_ids}
    cpu = {thread: plan.first_cpu for thread in thread_ids}
    steps = []
    thread = thread_ids[0]
    now = plan.first_wall
    while len(steps) < plan.records:
        if rng.random() < 0.1:
            thread = rng.choice(thread_ids)
        now = max(now, wall[thread])
        move_clocks(plan, rng, thread, now, wall, cpu)
        stack = stacks[thread]
        step = next_step(plan, rng, thread, stack)
        if step is None:
            continue
        step.cpu, step.wall = cpu[thread], wall[thread]
        if rng.random() >= plan.lost:
            steps.append(step)
    if plan.per_thread_runs:
        steps.sort(key=lambda step: step.thread or 0)
    return steps, thread_ids


def move_clocks(plan, rng, thread, now, wall, cpu):
    if rng.random() < plan.same_time:
        return
    spent = rng.choice([0, 1, 3, rng.randrange(200), rng.randrange(5000)])
    if plan.sampled:
        spent = 1000 + rng.randrange(10)
    waited = rng.choice([0, 0, rng.randrange(300)])
    if rng.random() < plan.pauses:
        waited += rng.randrange(60 * MINUTE)
    if rng.random() < plan.backwards:
        spent = -rng.randrange(1, 20000)
        waited = 0
    # Another thread may have run in between: then this one waited for it.
    wall[thread] = max(wall[thread], now) + spent + waited
    if rng.random() < plan.set_backs:
        wall[thread] = max(0, wall[thread] - rng.randrange(60 * MINUTE))
    cpu[thread] += spent


def next_step(plan, rng, thread, stack):
    if rng.random() < plan.empty and plan.layout[0] == "v":
        return Step(None, 0, ENTER, 0, 0)
    if rng.random() < plan.reserved and plan.layout[0] in "vf":
        return Step(thread, rng.randrange(plan.methods), RESERVED, 0, 0)
    if rng.random() < plan.wild_exits:
        return Step(thread, rng.randrange(plan.methods), EXIT, 0, 0)
    if rng.random() < plan.enter_share:
        method = rng.choice(stack) if stack and rng.random() < plan.recursion else rng.randrange(plan.methods)
        stack.append(method)
        return Step(thread, method, ENTER, 0, 0)
    if not stack:
        return None
    action = UNWIND if rng.random() < plan.unwinds and not plan.sampled else EXIT
    return Step(thread, stack.pop(), action, 0, 0)


# What stands around the records


def method_ids(plan, rng):
    if plan.layout[0] in "DCEG":
        return [0x70001000 + 0x28 * i for i in range(plan.methods)]
    first = rng.choice([0, 4, 4, 0x41000010, 0xB6D06010])
    return [first + 4 * i for i in range(plan.methods)]


def method_line(plan, rng, i):
    """The columns after the id."""
    package = rng.choice([b"a", b"com.example.app", b"B\xc3\xbccher", b"x\xffy"])
    name = rng.choice([b"run", b"<init>", b"lambda$0"]) + b"%d" % i
    signature = rng.choice([b"()V", b"(ILjava/lang/String;)V"])
    kind = rng.choice(["whole", "whole", "whole", "line", "4", "file", "2", "3"])
    if plan.layout not in ("v1", "v2", "v3"):
        kind = "whole"
    columns = {
        "whole": [package, name, signature, b"A.java"],
        "line": [package, name, signature, b"A.java", rng.choice([b"7", b"-1", b"-2"])],
        "4": [package, name, signature],
        "file": [package, b"A.java", b"12"],
        "2": [package + b"." + name],
        "3": [package, name],
    }[kind]
    return b"\t".join(columns)


def thread_name(rng, i):
    names = [b"main", b"worker-%d" % i, b"", b"tab\tinside", b"B\xc3\xbccher", b"<b>&\"", b"x\x80y"]
    return rng.choice(names)


class Tables:
    def __init__(self, plan, rng, thread_ids):
        self.ids = method_ids(plan, rng)
        lines = [(self.ids[i], method_line(plan, rng, i)) for i in range(plan.methods)]
        if plan.unknown_methods:
            lines = [line for line in lines if rng.random() < 0.7]
        threads = [(thread, thread_name(rng, i)) for i, thread in enumerate(thread_ids)]
        if plan.unknown_threads:
            threads = [line for line in threads if rng.random() < 0.6]
        if plan.duplicates:
            lines += [(number, rng.choice([line, b"other.Class\tm\t()V\tX.java"])) for number, line in lines[:3]]
            threads += [(number, rng.choice([name, b"renamed"])) for number, name in threads[:2]]
        threads.append((200, b"idle"))
        self.methods = lines
        self.threads = threads


def text_section(plan, rng, tables, version, clock, count, elapsed_us, with_tables=True):
    out = [b"*version", b"%d" % version]
    out.append(b"data-file-overflow=" + rng.choice([b"false"] * 5 + [b"true"]))
    if clock:
        out.append(b"clock=" + clock.encode())
    if plan.has_elapsed:
        if plan.layout in ("D4", "D5", "E4", "E5"):
            out.append(b"elapsed-time-nsec=%d" % (elapsed_us * 1000))
        else:
            out.append(b"elapsed-time-usec=%d" % elapsed_us)
    if count is not None:
        out.append(b"num-method-calls=%d" % count)
    out += [b"vm=art", b"pid=77"]
    if with_tables is not None:
        out.append(b"*threads")
        if with_tables:
            out += [b"%d\t%s" % line for line in tables.threads]
        out.append(b"*methods")
        if with_tables:
            style = rng.choice([b"0x%x", b"0x%08x", b"%#x"])
            out += [style % number + b"\t" + line for number, line in tables.methods]
    out.append(b"*end")
    return b"\n".join(out) + b"\n"


def elapsed_us(plan, steps):
    last = max([step.wall for step in steps if step.thread is not None], default=0)
    return max(last, 0) + 100


# Families A to C


def write_regular(plan, rng, steps, tables):
    version = int(plan.layout[1])
    clock = plan.clock
    if version < 3 and clock == "dual":
        clock = rng.choice(["wall", "thread-cpu", "global"])
    has_both = clock == "dual"
    count = rng.choice([len(steps), len(steps), len(steps) + 5, None])
    option = None if clock == "thread-cpu" and rng.random() < 0.3 else clock
    text_version = version if rng.random() < 0.95 else rng.choice([1, 2, 3])
    text = text_section(plan, rng, tables, text_version, option, count, elapsed_us(plan, steps))
    if rng.random() < 0.03:
        text = text[: -len(b"*end\n")]
    offset = rng.choice([32, 32, 32, 48, 16 if version < 3 else 18, 0])
    fields = 14 if has_both else 10
    size = rng.choice([fields, fields, fields + 4]) if version == 3 else fields
    header = b"SLOW" + struct.pack("<HHQ", version, offset, 123456789)
    header += struct.pack("<H", size) if version == 3 else b""
    header += bytes(max(0, offset - len(header)))
    records = []
    for step in steps:
        thread = 0 if step.thread is None else step.thread
        word = 0 if step.thread is None else tables.ids[step.method] | step.action
        times = [step.cpu, step.wall] if has_both else [step.cpu if clock == "thread-cpu" else step.wall]
        record = struct.pack("<B" if version == 1 else "<H", thread) + struct.pack("<I", word)
        record += b"".join(struct.pack("<I", time % 2**32) for time in times)
        records.append(record + bytes(size - fields if version == 3 else 0))
    return text + header + b"".join(records)


# Family E


def write_stream(plan, rng, steps, tables):
    low = int(plan.layout[1])
    version = 0xF0 | low
    has_both = low == 3
    clock = "dual" if has_both else rng.choice(["wall", "wall", "thread-cpu"])
    size = 14 if has_both else 10
    packets = []
    methods_early = rng.random() < 0.8
    for number, name in tables.threads:
        packets.append(struct.pack("<HBHH", 0, 2, number, len(name)) + name)
    if methods_early:
        for number, line in tables.methods:
            body = b"0x%x\t%s\n" % (number, line)
            packets.append(struct.pack("<HBH", 0, 1, len(body)) + body)
    rng.shuffle(packets)
    for step in steps:
        times = [step.cpu, step.wall] if has_both else [step.cpu if clock == "thread-cpu" else step.wall]
        word = tables.ids[step.method] | step.action
        record = struct.pack("<HI", step.thread, word)
        packets.append(record + b"".join(struct.pack("<I", time % 2**32) for time in times))
    if rng.random() < 0.8 or not methods_early or clock == "thread-cpu":
        tables_again = not methods_early or rng.random() < 0.5
        summary = text_section(plan, rng, tables, low, clock, None, elapsed_us(plan, steps), tables_again)
        packets.append(struct.pack("<HBI", 0, 3, len(summary)) + summary)
    header = b"SLOW" + struct.pack("<HHQH", version, 32, 5, size) + bytes(14)
    return header + b"".join(packets)


# Family F


def uleb(value):
    value %= 2**64
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def sleb(value):
    value = (value + 2**63) % 2**64 - 2**63
    out = b""
    while not -64 <= value < 64:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value & 0x7F])


def encode_block(plan, tables, block):
    unit = 1 if plan.layout == "C5" else 1000
    clock = plan.packet_clock
    out = b""
    word = wall = cpu = method = 0
    for step in block:
        number = tables.ids[step.method]
        new_wall, new_cpu = step.wall * unit, step.cpu * unit
        if plan.layout[0] == "E":
            new_word = new_wall << 2 | step.action
            out += sleb(new_word - word)
            if plan.layout == "E5":
                out += sleb(new_cpu - cpu)
            if step.action == ENTER:
                out += sleb(number - method)
                method = number
            word, cpu = new_word, new_cpu
            continue
        if plan.layout == "C5":
            new_wall, new_cpu = new_wall % 2**32, new_cpu % 2**32
        new_word = number | step.action
        out += sleb(new_word - word)
        wall_delta, cpu_delta = new_wall - wall, new_cpu - cpu
        if plan.layout == "C5":
            wall_delta, cpu_delta = wall_delta % 2**32, cpu_delta % 2**32
        if clock != "thread-cpu":
            out += uleb(wall_delta)
        if clock != "wall":
            out += uleb(cpu_delta)
        word, wall, cpu = new_word, new_wall, new_cpu
    return out


def write_packets(plan, rng, steps, tables):
    version = int(plan.layout[1])
    plan.packet_clock = "dual" if version == 5 else rng.choice(["wall", "thread-cpu"])
    if plan.layout[0] == "E" and version == 4:
        plan.packet_clock = "wall"
    is_streaming = rng.random() < 0.5
    out = b"SLOW" + struct.pack("<HQ", version | (0xF0 if is_streaming else 0), 5_000_000_000) + bytes(8)
    out += struct.pack("<Q", 1_000_000_000 if plan.layout[0] == "E" and rng.random() < 0.8 else 0) + bytes(2)
    for number, name in tables.threads:
        out += struct.pack("<BIH", 0, number, len(name)) + name
    for number, line in tables.methods:
        out += struct.pack("<BQH", 1, number, len(line) + 1) + line + b"\n"
    pending = {}
    blocks = []
    for step in steps:
        pending.setdefault(step.thread, []).append(step)
        if rng.random() < 0.03:
            blocks.append(pending.pop(step.thread))
    blocks += pending.values()
    for block in blocks:
        payload = encode_block(plan, tables, block)
        count = len(block) % 65536
        out += struct.pack("<BI", 2, block[0].thread) + struct.pack("<I", count)[:3]
        out += struct.pack("<I", len(payload)) + payload
    if rng.random() < 0.8 or plan.layout == "C5" or plan.packet_clock == "thread-cpu":
        elapsed = elapsed_us(plan, steps)
        has_elapsed, plan.has_elapsed = plan.has_elapsed, plan.has_elapsed or plan.layout == "C5"
        text = text_section(plan, rng, tables, version, plan.packet_clock, None, elapsed, None)
        plan.has_elapsed = has_elapsed
        out += struct.pack("<BH", 3, len(text)) + text
    return out


# Family G


LOW_OVERHEAD = ("G-long", "G-long-base64", "G-all-one", "G-all-left", "G-old-blocks", "G-old-lines")


def encode_long_running(tables, block):
    out = b""
    time = method = 0
    for step in block:
        new_time = max(step.wall, 0) << 1 | (step.action != ENTER)
        out += sleb(new_time - time)
        time = new_time
        if step.action == ENTER:
            out += sleb(tables.ids[step.method] - method)
            method = tables.ids[step.method]
    return out


def encode_all_methods(plan, tables, block):
    """Exits say nothing; what the next enter counts from is 1, or the method that was left."""
    out = b""
    word, was_exit, stack = 0, False, []
    for step in block:
        is_exit = step.action != ENTER
        if is_exit:
            out += sleb(0 if was_exit else 1)
            left = stack.pop() if stack else 0
            word = left | 1 if plan.layout == "G-all-left" else 1
        else:
            out += sleb(tables.ids[step.method] - word)
            word = tables.ids[step.method]
            stack.append(word)
        was_exit = is_exit
    return out


def write_low_overhead(plan, rng, steps, tables):
    blocks = {}
    for step in steps:
        blocks.setdefault(step.thread, []).append(step)
    head = lambda thread, block: struct.pack("<BI", 2, thread) + struct.pack("<I", len(block))[:3]
    if plan.layout == "G-old-lines":
        return write_lines(rng, steps, tables) + text_lists(tables)
    if plan.layout == "G-old-blocks":
        bodies = [head(thread, block) + encode_all_methods(plan, tables, block) for thread, block in blocks.items()]
        return b"TMOL\1\0" + b"".join(bodies) + text_lists(tables)
    out = b""
    for thread, block in blocks.items():
        if plan.layout.startswith("G-all"):
            out += head(thread, block) + rng.randbytes(4) + encode_all_methods(plan, tables, block)
            continue
        while block:
            count = rng.choice([1, 50, len(block)])
            payload = encode_long_running(tables, block[:count])
            out += head(thread, block[:count]) + struct.pack("<I", len(payload)) + payload
            block = block[count:]
    if plan.layout.startswith("G-all"):
        out += b"".join(struct.pack("<BIH", 0, number, len(name)) + name for number, name in tables.threads)
    for number, line in tables.methods:
        out += struct.pack("<BQH", 1, number, len(line) + 1) + line + b"\n"
    # As text it is told by the block at its start.
    return base64.encodebytes(out) if plan.layout == "G-long-base64" and blocks else out


def write_lines(rng, steps, tables):
    out = b""
    thread = None
    for step in steps:
        if step.thread != thread or rng.random() < 0.1:
            out += b"Thread:%d\n" % step.thread
            thread = step.thread
        if rng.random() < 0.02:
            out += b"nothing\n"
        wall = max(step.wall, 0)
        out += b"->0x%x %d\n" % (tables.ids[step.method], wall) if step.action == ENTER else b"<-%d\n" % wall
    return out or b"Thread:1\n"


def text_lists(tables):
    threads = b"".join(b"%d\t%s\n" % line for line in tables.threads)
    methods = b"".join(b"%d\t%s\n" % line for line in tables.methods)
    return b"\n*threads\n" + threads + b"*methods\n" + methods + b"*end"


def make(seed, layout=None):
    rng = random.Random(seed)
    plan = Plan(rng)
    if seed % 8 == 7:
        plan.layout = LOW_OVERHEAD[seed // 8 % len(LOW_OVERHEAD)]
    if layout:
        plan.layout = layout
    if plan.layout in ("f1", "f2"):
        plan.unknown_threads = False  # whether records have 10 or 14 bytes is told by known threads
    if plan.layout[0] in "DCEG":
        plan.thread_zero = False
        plan.unknown_methods = plan.unknown_methods and plan.layout[0] != "E"
    steps, thread_ids = run_program(plan, rng)
    tables = Tables(plan, rng, thread_ids)
    if plan.layout[0] == "v":
        data = write_regular(plan, rng, steps, tables)
    elif plan.layout[0] == "f":
        data = write_stream(plan, rng, steps, tables)
    elif plan.layout[0] == "G":
        data = write_low_overhead(plan, rng, steps, tables)
    else:
        data = write_packets(plan, rng, steps, tables)
    if plan.layout[0] == "v":
        data += plan.tail
    if plan.cut and steps and plan.layout[0] in "vf":
        data = data[: len(data) - rng.randrange(1, 14)]
    return data


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: make_random.py SEED [FILE]")
    data = make(int(sys.argv[1]))
    if len(sys.argv) == 3:
        with open(sys.argv[2], "wb") as file:
            file.write(data)
    else:
        sys.stdout.buffer.write(data)


if __name__ == "__main__":
    main()
