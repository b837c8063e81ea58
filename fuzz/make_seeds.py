#!/usr/bin/env python3
"""Writes the hand-made seeds into fuzz/seeds/, one folder per fuzzer.

Written from docs/formats/ alone, without the encoders of src/format, so that reader and writer are not both wrong
in the same way. Files named crash-* and the like are what fuzzers found; this script leaves them alone.
"""

import base64
import os
import struct

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")


def uleb(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def sleb(value):
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        if (value == 0 and not byte & 0x40) or (value == -1 and byte & 0x40):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def text(version, options, threads=("1\tmain",), methods=("0x4\ta.B\tfoo\t()V\tB.java", "0x8\ta.B\tbar\t()V\tB.java"),
         end="*end\n"):
    lines = ["*version", str(version), *options, "*threads", *threads, "*methods", *methods]
    return "".join(line + "\n" for line in lines).encode() + end.encode()


def header(version, record_len=0, skip=32, start=123456789):
    head = struct.pack("<4sHHQH", b"SLOW", version, skip, start, record_len)
    return head + bytes(max(0, skip - len(head)))


def v1(*records):
    return b"".join(struct.pack("<BII", *r) for r in records)


def one(*records):
    return b"".join(struct.pack("<HII", *r) for r in records)


def two(*records):
    return b"".join(struct.pack("<HIII", *r) for r in records)


CALLS_1 = [(1, 4, 0), (1, 8, 5), (1, 10, 9), (1, 5, 20)]
CALLS_2 = [(1, 4, 0, 0), (1, 8, 5, 6), (2, 8, 1, 7), (1, 9, 9, 12), (1, 5, 20, 30)]
DUAL = ["data-file-overflow=false", "clock=dual", "elapsed-time-usec=31", "num-method-calls=5", "vm=art", "pid=7"]
V3 = header(3, 14)

# What properties say of threads and of lost data, of which records know nothing.
PART = ("clock=dual", "elapsed-time-usec=100", "last-seen-nsec=1:90000:0;2:50000:40000", "cut-threads=1:1:95000:40000:30000;2:0:0:0:0",
        "source-findings=packed_cut:1;clock_backwards:3", "calls-left-out=4", "short-calls-left-out=1", "depth-limit=2", "classes-left-out=boot,chosen",
        "ring-is-full=true")
TEXT = {
    "v3-part": text(3, PART, threads=("1\tmain", "2\tb")) + header(3, 14) + two((1, 4, 0, 0), (2, 4, 1, 2), (1, 8, 5, 6), (1, 9, 9, 12), (2, 5, 9, 20)),
    "v3-part-fractions": text(3, ("clock=dual", "last-seen-nsec=1:90999:600;2:50001:40999", "cut-threads=1:1:95001:40999:30615;2:0:0:0:0"),
                              threads=("1\tmain", "2\tb")) + header(3, 14) + two((1, 4, 0, 0), (2, 4, 1, 2), (1, 8, 5, 6)),
    "v3-joined": (text(3, ("clock=dual", "num-method-calls=2")) + header(3, 14) + two((1, 4, 0, 0), (1, 5, 9, 12))) * 2,
    "v3-cut-ids": text(3, ("clock=dual",), threads=("70001\tmain", "70002\tb")) + header(3, 14) + two((4465, 4, 0, 0), (4465, 5, 9, 12)),
    "v1": text(1, ["clock=thread-cpu"]) + header(1) + v1(*CALLS_1),
    "v1-global": text(1, ["clock=global"]) + header(1) + v1(*CALLS_1),
    "v2-wall": text(2, ["clock=wall"]) + header(2) + one(*CALLS_1),
    "v2-no-clock-short-header": text(2, []) + header(2, skip=16)[:16] + one(*CALLS_1),
    "v3": text(3, DUAL) + V3 + two(*CALLS_2),
    "v3-allocated": text(3, DUAL + ["allocated-bytes=65536;0x4:1200:3400;0x77:1:1;0x8:18446744073709551615:18446744073709551615;0x4:;0x8:7"])
                    + V3 + two(*CALLS_2),
    "v3-wall": text(3, ["clock=wall"]) + header(3, 10) + one(*CALLS_1),
    "v3-wide": text(3, DUAL) + header(3, 16) + b"".join(two(r) + b"zz" for r in CALLS_2),
    "v3-offset-48": text(3, DUAL) + header(3, 14, 48) + two(*CALLS_2),
    "v3-no-end": text(3, DUAL, end="") + V3 + two(*CALLS_2),
    "v3-crlf": text(3, DUAL).replace(b"\n", b"\r\n") + V3 + two(*CALLS_2),
    "v3-cut": (text(3, DUAL) + V3 + two(*CALLS_2))[:-5],
    "v3-trailing": text(3, DUAL) + V3 + two(*CALLS_2) + b"\n",
    "v3-overflow": text(3, ["data-file-overflow=true"] + DUAL[1:3] + ["num-method-calls=9"]) + V3 + two(*CALLS_2),
    "v3-mismatch": text(2, DUAL) + V3 + two(*CALLS_2),
    "v3-never-written": text(3, DUAL) + V3 + two(*CALLS_2) + b"\xec\xee\xee\xee" * 7,
    "v3-never-written-word": text(3, DUAL) + V3 + two(*CALLS_2, (1, 0xEEEEEEEC, 0, 0), *CALLS_2),
    "v3-empty-record": text(3, DUAL) + V3 + two((0, 0, 0, 0), *CALLS_2),
    "v3-duplicates": text(3, DUAL, ["1\tmain", "1\tother", "1\tother", "2\ta", "2\ta"],
                          ["0x4\ta\tb\t()V", "0x4\ta\tc\t()V", "0x8\tx", "0x8\tx"]) + V3 + two(*CALLS_2),
    "v3-lines": text(3, DUAL + ["no equals", "=x", "clock=dual", "pid=x"],
                     ["stray", "1\ttwo", "lines", "", "99999999999\tbig", "2\ttab\there", "3\t"],
                     ["0", "zz\ta\tb", "(nil)\ta\tb\t()V\tF\t-2", "010\ta\tb", "0x4\ta\tF.java\t12",
                      "0x8\ta\tb\t()V\tF\tx", "0xc\ta\tb\t()V\tF\t3\tmore", "\t", ""]) + V3 + two(*CALLS_2),
    "v3-sections": b"*version\n3\n*methods\n0x4\ta\tb\n*threads\n1\tx\n*version\n3\nclock=dual\n*bad\n*end\n" + V3 +
                   two(*CALLS_2),
    "v3-no-records": text(3, DUAL) + V3,
    "v3-cut-header": text(3, DUAL) + V3[:12],
    "v3-record-0": text(3, DUAL) + header(3, 0) + two(*CALLS_2),
    "v3-wraps": text(3, ["clock=dual", "elapsed-time-usec=5000000000"]) + V3 +
                two((1, 4, 0xFFFFFFF0, 0xFFFFFFF0), (2, 4, 0, 5), (1, 8, 5, 6), (1, 9, 9, 2), (1, 5, 20, 0x80000000)),
    "v3-set-back": text(3, ["clock=dual", "elapsed-time-usec=201000000"]) + V3 +
                   two((1, 4, 0, 200000000), (2, 4, 0, 200000005), (1, 8, 5, 80000000), (1, 9, 9, 80000020), (1, 5, 20, 80000200)),
    "key": text(3, DUAL),
}


def special(opcode, payload):
    return b"\0\0" + bytes([opcode]) + payload


def method(line):
    data = line.encode() + b"\n"
    return special(1, struct.pack("<H", len(data)) + data)


def thread(ident, name):
    return special(2, struct.pack("<HH", ident, len(name)) + name.encode())


def summary(data):
    return special(3, struct.pack("<I", len(data)) + data)


TABLES = thread(1, "main") + method("0x4\ta.B\tfoo\t()V\tB.java") + method("0x8\ta.B\tbar\t()V\tB.java")
SUMMARY_3 = summary(text(3, DUAL))
SUMMARY_2 = summary(text(2, ["clock=wall"], methods=()))


def trap(*records):
    return b"".join(one(r) + b"\xab\xab\xab\xab" for r in records)


STREAM = {
    "f3": header(0xF3, 14) + TABLES + two(*CALLS_2) + SUMMARY_3,
    "f3-between": header(0xF3, 14) + thread(1, "main") + two(CALLS_2[0]) + TABLES + two(*CALLS_2[1:]) + SUMMARY_3,
    "f3-no-summary": header(0xF3, 14) + TABLES + two(*CALLS_2),
    "f3-cut": (header(0xF3, 14) + TABLES + two(*CALLS_2))[:-3],
    "f3-cut-summary": (header(0xF3, 14) + TABLES + two(*CALLS_2) + SUMMARY_3)[:-60],
    "f3-cut-header": header(0xF3, 14)[:17],
    "f3-after": header(0xF3, 14) + TABLES + two(*CALLS_2) + SUMMARY_3 + b"more",
    "f3-bad-opcode": header(0xF3, 14) + TABLES + two(*CALLS_2) + special(9, b"") + two(*CALLS_2),
    "f3-bad-summary": header(0xF3, 14) + TABLES + two(*CALLS_2) + summary(b"nonsense"),
    "f3-bad-method": header(0xF3, 14) + method("x") + method("") + two(*CALLS_2),
    "f3-single": header(0xF3, 10) + TABLES + one(*CALLS_1) + summary(text(3, ["clock=wall"])),
    "f2": header(0xF2, 10) + TABLES + one(*CALLS_1) + SUMMARY_2,
    "f2-trap": header(0xF2, 10) + TABLES + trap(*CALLS_1) + SUMMARY_2,
    "f2-said-14": header(0xF2, 14) + TABLES + one(*CALLS_1) + SUMMARY_2,
    "f2-wide": header(0xF2, 12) + TABLES + b"".join(one(r) + b"\1\1" for r in CALLS_1) + SUMMARY_2,
    "f2-cpu": header(0xF2, 10) + TABLES + one(*CALLS_1) + summary(text(2, ["clock=thread-cpu"])),
    "f1": header(0xF1, 10) + TABLES + one(*CALLS_1) + summary(text(1, ["clock=wall"])),
    "f1-mismatch": header(0xF1, 10) + TABLES + one(*CALLS_1) + SUMMARY_2,
}


def packets_header(version, start=5000000000, ticks=0, frequency=0):
    return struct.pack("<4sHQQQH", b"SLOW", version, start, ticks, frequency, 0)


def packet_thread(ident, name):
    return struct.pack("<BIH", 0, ident, len(name)) + name.encode()


def packet_method(ident, line):
    data = line.encode() + b"\n"
    return struct.pack("<BQH", 1, ident, len(data)) + data


def block(ident, count, payload):
    return struct.pack("<BI", 2, ident) + struct.pack("<I", count)[:3] + struct.pack("<I", len(payload)) + payload


def packet_summary(version, options):
    data = ("*version\n%d\n" % version + "".join(o + "\n" for o in options) + "*end\n").encode()
    return struct.pack("<BH", 3, len(data)) + data


FOO, BAR = 0x70001000, 0x70001028
PACKET_TABLES = packet_method(FOO, "a.B\tfoo\t()V\tB.java") + packet_method(BAR, "a.B\tbar\t()V\tB.java") + \
    packet_thread(4242, "main")


def words(records, start=(0, 0, 0)):
    """(word, wall, cpu) or (word, time) as deltas."""
    out = b""
    before = list(start)
    for record in records:
        out += sleb(record[0] - before[0])
        for i in range(1, len(record)):
            out += uleb(record[i] - before[i])
        before = list(record)
    return out


CALLS_D = [(FOO, 1000, 400), (BAR, 3000, 900), (BAR | 2, 3500, 1300), (FOO | 1, 5000, 1500)]
NSEC = ["clock=dual", "elapsed-time-nsec=5000"]


def ticks(records, with_cpu=False):
    """(time, action, method or None) in layout E."""
    out = b""
    time = ident = 0
    for when, action, named in records:
        out += sleb((when << 2 | action) - time)
        time = when << 2 | action
        if with_cpu:
            out += uleb(7)
        if action == 0:
            out += sleb(named - ident)
            ident = named
    return out


CALLS_E = [(100000, 0, FOO), (200000, 0, BAR), (300000, 1, None), (500000, 1, None), (600000, 1, None)]
BACK = [(FOO, 1000, 400), (BAR, 900, 300), (BAR | 1, 3500, 1300)]

PACKETS = {
    "5-d": packets_header(5) + PACKET_TABLES + block(4242, 4, words(CALLS_D)) + packet_summary(5, NSEC),
    "f5-d": packets_header(0xF5) + PACKET_TABLES + block(4242, 4, words(CALLS_D)) + packet_summary(5, NSEC),
    "5-d-split": packets_header(5) + PACKET_TABLES + block(4242, 2, words(CALLS_D[:2])) +
                 block(4242, 4, words(CALLS_D[2:], CALLS_D[1])) + packet_summary(5, NSEC),
    "5-d-back": packets_header(5) + PACKET_TABLES + block(4242, 3, words(BACK)) + packet_summary(5, NSEC),
    "5-d-action-3": packets_header(5) + PACKET_TABLES + block(4242, 1, words([(FOO | 3, 1, 1)])) +
                    packet_summary(5, NSEC),
    "5-c": packets_header(5) + PACKET_TABLES + block(4242, 4, words(CALLS_D)) +
           packet_summary(5, ["clock=dual", "elapsed-time-usec=5000"]),
    "4-d-wall": packets_header(4) + PACKET_TABLES + block(4242, 4, words([r[:2] for r in CALLS_D])) +
                packet_summary(4, ["clock=wall", "elapsed-time-nsec=5000"]),
    "4-d-cpu": packets_header(4) + PACKET_TABLES + block(4242, 4, words([r[:2] for r in CALLS_D])) +
               packet_summary(4, ["clock=thread-cpu", "elapsed-time-nsec=5000"]),
    "f4-e": packets_header(0xF4, frequency=10 ** 7) + PACKET_TABLES + block(4242, 5, ticks(CALLS_E)) +
            packet_summary(4, ["clock=wall"]),
    "5-e": packets_header(5, frequency=10 ** 9) + PACKET_TABLES + block(4242, 5, ticks(CALLS_E, True)) +
           packet_summary(5, NSEC),
    "e-negative": packets_header(4, frequency=1) + PACKET_TABLES + block(4242, 2, sleb(-400) + sleb(FOO) + sleb(5)),
    "e-fast": packets_header(4, frequency=2 ** 63) + PACKET_TABLES + block(4242, 5, ticks(CALLS_E)),
    "no-summary": packets_header(5) + PACKET_TABLES + block(4242, 4, words(CALLS_D)),
    "cut-block": (packets_header(5) + PACKET_TABLES + block(4242, 4, words(CALLS_D)))[:-3],
    "cut-summary": (packets_header(5) + PACKET_TABLES + packet_summary(5, NSEC))[:-20],
    "cut-header": packets_header(5)[:20],
    "derailed": packets_header(5) + PACKET_TABLES + block(4242, 4, words(CALLS_D)) + b"\x09rest",
    "broken-block": packets_header(5) + PACKET_TABLES + block(4242, 4, words(CALLS_D)[:-1]) +
                    block(4242, 4, words(CALLS_D)) + packet_summary(5, NSEC),
    "unknown-methods": packets_header(5) + block(1, 4, words(CALLS_D)) + packet_summary(5, NSEC),
    "a": packets_header(5) + struct.pack("<BIH", 1, 3, 4) + b"a\tb\n" +
         struct.pack("<BIIIIHH", 2, 1, 12, 1, 1, 1, 3) + b"\1\1\1" + packet_summary(5, ["clock=dual"]),
    "b": packets_header(4) + struct.pack("<BQH", 1, 12, 4) + b"a\tb\n" +
         struct.pack("<BIQIHH", 2, 1, 12, 1, 1, 2) + b"\1\1" + packet_summary(4, ["clock=wall"]),
}


def long_running(records):
    """(time, method to enter or None for an exit)."""
    out = b""
    when = ident = 0
    for time, named in records:
        word = time << 1 | (named is None)
        out += sleb(word - when)
        when = word
        if named is not None:
            out += sleb(named - ident)
            ident = named
    return out


LONG = [(1000000, FOO), (2000000, BAR), (400000000, None), (500000000, None), (600000000, None)]
METHOD_PACKETS = packet_method(FOO, "a.B\tfoo\t()V\tB.java") + packet_method(BAR, "a.B\tbar\t()V\tB.java")
LONG_DUMP = block(4242, 5, long_running(LONG)) + block(7, 0, b"") + METHOD_PACKETS


def bare_block(ident, records, exit_word):
    """Methods to enter, None for exits; exit_word(stack) is what the next entry counts from."""
    out = b""
    word = 0
    was_exit = False
    stack = []
    for named in records:
        if named is None:
            out += sleb(0 if was_exit else 1)
            word = exit_word(stack.pop() if stack else 0)
        else:
            out += sleb(named - word)
            word = named
            stack.append(named)
        was_exit = named is None
    return struct.pack("<BI", 2, ident) + struct.pack("<I", len(records))[:3] + b"\xaa\xbb\xcc\xdd" + out


BARE = [FOO, BAR, None, BAR, None, None, FOO, None]

LISTS = b"\n*threads\n4242\tmain\n*methods\n%d\ta.B\tfoo\t()V\tB.java\n0x%x\ta.B\tbar\t()V\tB.java\n*end" % (FOO, BAR)


def old_block(ident, records, exit_word):
    """As bare_block, with a header that ends with the count."""
    whole = bare_block(ident, records, exit_word)
    return whole[:8] + whole[12:]


OLD_BLOCKS = b"TMOL\1\0" + old_block(4242, BARE, lambda left: 1) + old_block(7, [None, FOO], lambda left: 1)
OLD_LINES = b"Thread:4242\n->0x%x 5000\n->0x%x 7000\nThread:7\n<-8000\nThread:4242\n<-9500\n" % (FOO, BAR)

LONG_HEADER = struct.pack("<4sHQ18x", b"SLOW", 0xF6, 1000000)
DUMP_SUMMARY = struct.pack("<BQQ", 3, 1000000, 600000000)

LOW_OVERHEAD = {
    "headed": LONG_HEADER + DUMP_SUMMARY + LONG_DUMP,
    "headed-twice": 2 * (LONG_HEADER + packet_thread(4242, "main") + LONG_DUMP),
    "headed-cut": LONG_HEADER + DUMP_SUMMARY[:-3],
    "summary-first": DUMP_SUMMARY + LONG_DUMP,
    "summary-all": DUMP_SUMMARY + bare_block(5, BARE, lambda left: 1) + METHOD_PACKETS,
    "long": LONG_DUMP,
    "long-cut": LONG_DUMP[:-5],
    "long-trailing": LONG_DUMP + b"\n",
    "long-base64": base64.encodebytes(LONG_DUMP),
    "all-one": bare_block(5, BARE, lambda left: 1) + packet_thread(5, "main") + METHOD_PACKETS,
    "all-left": bare_block(5, BARE, lambda left: left | 1) + packet_thread(5, "main") + METHOD_PACKETS,
    "all-base64": base64.b64encode(bare_block(5, BARE, lambda left: 1) + METHOD_PACKETS),
    "base64-of-nothing": b"Ag" * 10,
    "old-blocks": OLD_BLOCKS + LISTS,
    "old-blocks-cut": OLD_BLOCKS[:-2],
    "old-lines": OLD_LINES + LISTS,
    "old-lines-odd": OLD_LINES + b"<-x\nThread:99999999999\n" + LISTS + b"\n",
}

def with_side(trace, tables):
    """What fuzz_side.c takes apart: the trace, the tables beside it, and their length."""
    return trace + tables + struct.pack("<I", len(tables))


BARE_3 = header(0xF3, 14) + two(*CALLS_2)
BARE_PACKETS = packets_header(5) + block(4242, 4, words(CALLS_D))

SIDE = {
    "f3": with_side(BARE_3, text(3, DUAL, ["1\tmain", "2\tother"])),
    "f3-tables-twice": with_side(header(0xF3, 14) + TABLES + two(*CALLS_2), text(3, DUAL, ["1\tanother", "2\tb"])),
    "f3-summary-first": with_side(header(0xF3, 14) + two(*CALLS_2) + SUMMARY_3, text(3, ["clock=wall"])),
    "f3-cut-record": with_side(BARE_3[:-5], text(3, DUAL)),
    "f3-cut-tables": with_side(BARE_3, text(3, DUAL)[:-20]),
    "f3-odd-lines": with_side(BARE_3, text(3, DUAL + ["no equals"], ["stray", "99999999999\tbig"], ["zz\ta\tb", "\t"])),
    "f3-wall-only": with_side(BARE_3, text(3, ["clock=wall"])),
    "f3-no-tables": with_side(BARE_3, b"nothing of the kind"),
    "f3-a-trace": with_side(BARE_3, text(3, DUAL) + V3 + two(*CALLS_2)),
    "f2": with_side(header(0xF2, 10) + one(*CALLS_1), text(2, ["clock=wall"])),
    "f1": with_side(header(0xF1, 10) + one(*CALLS_1), text(1, ["clock=thread-cpu"])),
    "packets": with_side(BARE_PACKETS, text(5, NSEC, ["4242\tmain"], ["0x%x\ta.B\tfoo\t()V\tB.java" % FOO])),
    "text": with_side(text(3, DUAL) + V3 + two(*CALLS_2), text(3, DUAL)),
}



def field(number, value):
    """A field of a protobuf message: a number, or bytes."""
    if isinstance(value, int):
        return uleb(number << 3) + uleb(value)
    return uleb(number << 3 | 2) + uleb(len(value)) + value


def dump_packet(payload, pid=None, name=b"", number=129):
    """A packet of a Perfetto trace that carries a dump of long-running methods."""
    message = field(1, payload) + (field(2, name) if name else b"")
    return field(1, field(8, 5) + field(number, message) + (b"" if pid is None else field(79, pid)))


def trace_packet(number):
    """A packet of other data: a time, a message, a number."""
    return field(1, field(8, number) + field(1, field(1, number) + field(2, b"abc")) + field(79, 1))


DUMP_APP = LONG_HEADER + packet_thread(4242, "main") + LONG_DUMP
# The same addresses and a thread id of the first process, with other meanings.
DUMP_SERVER = LONG_HEADER + DUMP_SUMMARY + block(4242, 4, long_running(LONG[1:])) + \
    block(88, 2, long_running([(3000000, BAR), (9000000, None)])) + packet_thread(88, "Binder") + \
    packet_method(FOO, "a.B\tbar\t()V\tB.java") + packet_method(BAR, "c.D\tloop\t()V\tD.java")

PERFETTO = {
    "one": dump_packet(DUMP_APP, 4242, b"com.app\0-x"),
    "two": trace_packet(1) + dump_packet(DUMP_APP, 4242, b"com.app") + trace_packet(2) +
           dump_packet(DUMP_SERVER, 80, b"system_server"),
    "pieces": dump_packet(DUMP_APP[:40], 4242, b"com.app") + dump_packet(DUMP_SERVER[:70], 80) + trace_packet(3) +
              dump_packet(DUMP_APP[40:], 4242) + dump_packet(b"", 80, b"system_server") +
              dump_packet(DUMP_SERVER[70:], 80),
    "no-pid": dump_packet(DUMP_APP) + dump_packet(DUMP_SERVER),
    "other-number": dump_packet(DUMP_APP, 4242, number=123) + dump_packet(DUMP_SERVER, 80, number=129),
    "twice": dump_packet(DUMP_APP + DUMP_SERVER, 1) + dump_packet(DUMP_SERVER, 1),
    "cut": (dump_packet(DUMP_APP, 4242) + dump_packet(DUMP_SERVER, 80))[:-30],
    "damaged": dump_packet(DUMP_APP[:70] + b"?" + DUMP_APP[71:], 4242) + dump_packet(DUMP_SERVER, 80) + b"?",
    "header-alone": dump_packet(LONG_HEADER[:6], 1),
}

SNIFF = {
    "perfetto-compressed": field(1, field(8, 1)) + field(1, field(50, b"x\x9c\x03\0\0\0\0\1")),
    "empty": b"",
    "png": b"\x89PNG\r\n\x1a\n",
    "simpleperf": b"SIMPLEPERF\x01",
    "perf": b"PERFILE2\x68",
    "hprof": b"JAVA PROFILE 1.0.3\0",
    "perfetto": b"\x0a\x03\x12\x01a\x0a\x02\x08\x01",
    "html": b"\n<!DOCTYPE html><html>",
    "json": b'{"traceEvents":[]}',
    "speedscope": b'{"$schema":"https://www.speedscope.app/file-format-schema.json"}',
    "anr": b"\n\n----- pid 12 at 2020-01-01 -----\nCmd line: a\n",
    "plist": b"<?xml version=\"1.0\"?>\n<!DOCTYPE plist",
    "lfs": b"version https://git-lfs.github.com/spec/v1\n",
    "zip": b"PK\x03\x04",
    "data-file": header(1) + v1(*CALLS_1),
    "version-9": header(9),
    "cut-word": b"*vers",
    "cut-magic": b"SLOW",
    "text-stream": text(3, DUAL) + header(0xF3, 14),
    "text-damaged": text(3, DUAL) + b"nothing",
    "bom": b"\xef\xbb\xbf*version\n3\n",
}

SETTINGS = {
    "empty": b"",
    "object": b"{}",
    "page": b'{"theme":"dark","clock":"wall","columns":["name","calls"],"split":0.5,"hints":true,"last":null}',
    "blanks": b' \t\r\n{ "a" : [ ] , "b" : { } }\n',
    "numbers": b'{"a":[0,-0,1.5,-12e3,1E+2,1e-2,9007199254740993]}',
    "numbers-bad": b'{"a":[01]}',
    "escapes": b'{"\\u00e9\\n\\"":"\\ud834\\udd1e\\/"}',
    "nul": b'{"a":"\0"}',
    "levels-32": b'{"a":' * 31 + b"[]" + b"}" * 31,
    "levels-33": b'{"a":' * 32 + b"[]" + b"}" * 32,
    "array": b"[1]",
    "two": b"{}{}",
    "cut": b'{"a":"b',
    "comma": b'{"a":1,}',
    "latin": b'{"a":"\xe9"}',
}

# Files that are there on every machine.
THERE = [b"/proc/self/status", b"/proc/self/maps", b"/proc/version", b"/proc/self/stat"]
RECENT = {
    "empty": b"",
    "one": b"1700000000 /proc/version\n",
    "some": b"".join(b"%d %s\n" % (1700000000 - n, path) for n, path in enumerate(THERE)),
    "twice": b"5 /proc/version\n4 /proc/version\n",
    "thirty": b"".join(b"%d /proc/self/%s\n" % (n, b"./" * n + b"status") for n in range(30)),
    "gone": b"1 /nothing/is/here.trace\n2 /proc/version\n",
    "folder-and-pipe": b"1 /proc\n2 /dev/null\n3 /dev/stdin\n",
    "odd-lines": b"\n\nx /proc/version\n7 proc/version\n7\n99999999999999999999999 /proc/version\n7 ",
    "nul": b"7 /proc/version\0/x\n",
    "cut": b"7 /proc/ver",
    "latin": b"7 /\xe9\n8 /\xc2\x9b\n",
    "long": b"7 /proc/" + b"./" * 2040 + b"version\n",
    "too-long": b"7 /proc/" + b"./" * 2048 + b"version\n",
    "id": b"0x1\n7 /proc/version\n",
    "return": b"7 /proc/version\r\n",
}


# A line ROUTE?QUERY before a trace of a family whose index the line is asked of.
NAMED = text(3, DUAL, methods=["0x4\ta.B\tfoo\t()V\tB.java", "0x8\t\x9b\u202e\"\\\t\x01\x7f\t(I)V\t\ufeffB"]) + \
    V3 + two(*CALLS_2)
QUESTIONS = {
    "info": ["", "x=1"],
    "check": [""],
    "top": ["", "n=0&per_call=1", "match=/a.*b/i&threads=1", "group=package&from=1&to=9", "ranks=1&overhead=1&n=1",
            "sort=name&order=desc&by=wall", "group=class&parts=1", "hide=a.&clock=wait"],
    "methods": ["ranks=0,1", "ranks=0%2c0,0", "ranks=9"],
    "callers": ["method=0", "method=0x4&sort=calls", "method=a.B.foo&from=1&to=9"],
    "tree": ["depth=31", "depth=3&inverted=1&cut=1&n=1", "path=0.1&sort=exclusive&order=asc"],
    "calls": ["method=0&n=5", "method=1&sort=exclusive&min=1&max=9&offset=1"],
    "call": ["thread=1&depth=0&call=0&step=child", "at=7&thread=1", "method=0&ordinal=0&step=next"],
    "search": ["q=o", "q=/o|a/&n=1"],
    "window": ["from=0&to=99&width=10&rows=1:f,1:0-5,2:f", "width=9&rows=1:x,1:f&extents=0&cpu=1"],
    "overview": ["width=200&rows=8&cpu=1", ""],
    "flame": ["width=300", "width=9&inverted=1&match=o", "width=300&ops=focus:0;collapse:a;recursion:1&path=0"],
    "none": [""],
}
BEFORE = {"text": NAMED, "stream": STREAM["f3-between"], "packets": PACKETS["5-d"], "dump": LOW_OVERHEAD["long"]}
API = {"%s-%d-%s" % (route, number, family): ("%s?%s\n" % (route, query)).encode() + BEFORE[family]
       for route, queries in QUESTIONS.items() for number, query in enumerate(queries)
       for family in [sorted(BEFORE)[(number + len(route)) % len(BEFORE)], "text"]}

# The last two bytes choose how it is drawn.
FLAME = {
    "merged": b"main;a.B.foo;a.B.bar 12\nmain;a.B.foo 3\nmain;a.B.bar;a.B.foo 5\n",
    "decimals": b"a;b 0.5\na;c 1.23456\nb 2.\n",
    "comparison": b"a;b 1 2\na;c 3 0\na 0 7\n",
    "two-numbers-once": b"a;b 1 2\na;b 1\n",
    "comments": b"# thread 1\n\na;b 1\nno number\na -3\nc 99999999999999999999\n",
    "empty-frames": b"a;;b 1\n;;;; 2\na;b;;; 3\r\n",
    "markup": b"<svg>;&lt;a href=\"x\">;]]>;'<!-- 4\na;b\x01\x1b\t\xff\xc0\x80\xed\xa0\x80\xef\xbf\xbf\xe2\x80\xae 5\n@\xc3",
    "java": b"java/lang/Thread.run;com.example.App$Loader.<init>;com.example.App$Loader.load_[j] 900\nlibc.so;_[k] 5\n\x0f\x80",
    "root": b"main;a;b;a 4\nb;a 3\nmain;c 9\n\x6f\x92",
    "limit": b"".join(b"m;f%d;g%d %d\n" % (n % 7, n, n + 1) for n in range(40)) + b"\x31\xf0",
    "deep": b";".join([b"f", b"g"] * 150) + b" 1\nf;g 2\n",
    "total": b"a 999999999999999999\n" * 6,
    "nothing-spent": b"a;b 0\nc 0\n",
    "json": b'[{"ph": 1\n}]',
    "empty": b"",
}


def counters(*texts):
    """As HotSpot keeps them for each virtual machine."""
    entries = b""
    for name, value in texts:
        name, value = name.encode() + b"\0", value.encode() + b"\0"
        entries += struct.pack("<IIIBBBBI", 20 + len(name) + len(value), 20, len(value), ord("B"), 1, 5, 1, 20 + len(name)) + name + value
    return b"\xca\xfe\xc0\xc0\1\2\0\1" + struct.pack("<IIQII", 32 + len(entries), 0, 1, 32, len(texts)) + entries


JAVA = {
    "counters": counters(("java.property.java.version", "17.0.13"), ("sun.rt.javaCommand", "/opt/app.jar a b")),
    "no-counters": counters(),
    "words": b"/usr/bin/java\0-cp\0/a:/b\0-Xmx1g\0com.example.Main\0x\0",
    "module": b"java\0--module-path\0mods\0-m\0app/com.example.Main\0",
}


BUCKET = {
    "list": b"<?xml version='1.0' encoding='UTF-8'?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name>"
    b"<IsTruncated>true</IsTruncated>" + b"".join(b"<Contents><Key>p/%064x</Key><ETag>&quot;%x&quot;</ETag></Contents>" % (n, n) for n in range(3))
    + b"</ListBucketResult>",
    "error": b"<Error><Code>SlowDown</Code><Message>a &amp; b</Message></Error>",
    "cut": b"<ListBucketResult><Contents><Key>p/00</Key></Contents><Contents><Key>p",
    "nested": b"<Contents>" * 50 + b"<Key>a</Key>" + b"</Contents>" * 50,
    "entities": b"<Code>&&amp;&amp&#34;&lt;&unknown;\x01\x7f</Code>",
    "keys": b"[other]\naws_access_key_id = a\n[default]\naws_access_key_id = ID\r\naws_secret_access_key=S/+=\naws_session_token = T\n",
    "keys-bad": b"aws_access_key_id = a\naws_secret_access_key = b c\n",
    "place": b"s3://traces/a/b?endpoint=http%3A%2F%2F127.0.0.1:9000/&region=eu-1&style=host&keys=/etc/k%20y&profile=ci",
    "place-odd": b"s3://abc/..//x?endpoint=http://a@b/c?d&region=%00",
}


MAPPING_HEAD = b"# compiler: R8\n# compiler_version: 8.2.42\n# min_api: 24\n# pg_map_id: 7d4b2a1\n# pg_map_hash: SHA-256 7d4b2a1\n" \
    b'# {"id":"com.android.tools.r8.mapping","version":"2.2"}\n'
MAPPING = {
    "r8": MAPPING_HEAD + b'app.Store -> a.b:\n# {"id":"sourceFile","fileName":"Store.kt"}\n    int count -> a\n'
    b'      # {"id":"com.android.tools.r8.residualsignature","signature":"J"}\n    1:1:void save(app.Row):5:5 -> a\n'
    b'      # {"id":"com.android.tools.r8.residualsignature","signature":"(La/c;)V"}\n    1:2:void inner():9:10 -> b\n'
    b"    1:2:void outer(int):30 -> b\n    void app.Base.sync() -> c\napp.Row -> a.c:\n",
    "synthesized": MAPPING_HEAD + b'app.A$$ExternalSyntheticLambda0 -> a.a:\n# {"id":"com.android.tools.r8.synthesized"}\n'
    b'    void run() -> run\n      # {"id":"com.android.tools.r8.synthesized"}\n',
    "frames": b'app.A -> a:\n    4:4:void a():1:1 -> a\n      # {"id":"com.android.tools.r8.rewriteFrame","conditions":'
    b'["throws(Ljava/lang/NullPointerException;)"],"actions":["removeInnerFrames(1)"]}\n    5:5:void b():0:0 -> b\n'
    b'      # {"id":"com.android.tools.r8.outlineCallsite","positions":{"1":4,"2":5},"outline":"La;a()V"}\n',
    "proguard": b"app.A -> a:\n    int[] x -> a\n    7:7:int one(int) -> a\n    7:7:long two(int) -> a\n    9:12:void <init>() -> <init>\n",
    "crlf-and-bom": b"\xef\xbb\xbfapp.A -> a:\r\n    void b() -> c\r\n\r\napp.B -> b:\r\n",
    "utf-16": "app.A -> a:\n".encode("utf-16"),
    "cut-line": b"app.A -> a:\n    void b(int) -> a\n    void c(in",
    "cut-json": b'app.A -> a:\n    void b(int) -> a\n      # {"id":"com.android.tools.r8.residualsig',
    "deep-json": b"app.A -> a:\n# {\"id\":\"x\",\"a\":" + b"[" * 200 + b"]" * 200 + b"}\n    void b() -> a\n",
    "twice": b"app.A -> a:\n    void b() -> a\napp.B -> a:\n    void c() -> a\nb -> b:\na -> c:\nc -> d:\n",
    "names": b"../../etc/passwd -> <script>:\n    void \x1b[31m() -> \xc0\x80\n    void a | b() -> a\n    a -> b\n",
    "no-mapping": b"*version\n3\n",
}


def main():
    families = {"flame": FLAME, "api": API, "text": TEXT, "stream": STREAM, "packets": PACKETS, "low_overhead": LOW_OVERHEAD, "side": SIDE, "perfetto": PERFETTO,
                "sniff": SNIFF, "settings": SETTINGS, "recent": RECENT, "java": JAVA, "bucket": BUCKET,
                "mapping": MAPPING}
    for family, seeds in families.items():
        folder = os.path.join(HERE, family)
        os.makedirs(folder, exist_ok=True)
        for name, data in seeds.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    main()
