"""The index and its answers on inputs that are made to be dear: what the acceptance tests survive, and worse.

The promise: on any input of n bytes at most 64 n + 64 MiB for the index, and again for an answer, which has at most
16 MiB; and ids that were chosen to collide take about as long as any others.
"""

import os
import random
import statistics
import struct
import subprocess
import sys

import judge
import tools

sys.path.insert(0, os.path.join(tools.ROOT, "tests", "acceptance"))

MIB = 1 << 20


def packets(blocks, tick_frequency=0):
    """A file of packets whose one method is at 0x1000: (thread, records, their bytes) of each block. With a frequency,
    records are of ticks, and exits name no method."""
    line = b"a\tb\t()V\tA.java\n"
    options = b"*version\n4\nclock=wall\n*end\n"
    return b"".join(
        [b"SLOW", struct.pack("<HQQQH", 4, 5, 0, tick_frequency, 0), b"\1", struct.pack("<QH", 0x1000, len(line)), line]
        + [b"\2" + struct.pack("<IHBI", thread, count & 0xffff, 0, len(records)) + records
           for thread, count, records in blocks]
        + [b"\3", struct.pack("<H", len(options)), options])


ENTER = b"\x80\x20"  # of the method, behind no word: how far its address is
AGAIN = b"\0"  # behind an enter of it
LATER = b"\1"  # by a nanosecond
MUCH_LATER = b"\x80\x80\x80\x80\x40"  # by 2^34 of them: times of 64 bits
OTHER = b"\4"  # behind an enter: of a method that nothing describes
OTHER_EXIT = b"\5"


def dear_files(bad):
    """name -> what makes the bytes: much of everything that an index keeps something for."""
    threads = 65535
    deep = 200_000
    lines = b"".join(b"0x%x\ta\tb\n" % (4 * i) for i in range(400_000))
    return {
        "every-thread-three-records": lambda: bad.text() + bad.header()
        + bad.records((i % threads + 1, 4, i) for i in range(3 * threads)),
        "every-call-a-node": lambda: bad.text() + bad.header()
        + bad.records((1, 4 * (i // 2 + 1) | i % 2, i) for i in range(600_000)),
        "every-call-a-row": lambda: bad.text() + bad.header()
        + bad.records((1, 4 * (i + 1), i) for i in range(deep)),
        "up-and-down-once": lambda: bad.text() + bad.header()
        + bad.records((1, 4 * (i + 1), i) for i in range(deep))
        + bad.records((1, 4 * (deep - i) | 1, deep + i) for i in range(deep)),
        "threads-deep": lambda: bad.text() + bad.header()
        + bad.records((i % 1000 + 1, 4 * (i + 1), i) for i in range(deep)),
        "exits-without-enters": lambda: bad.text() + bad.header()
        + bad.records((1, 4 * (i + 1) | 1, i) for i in range(1_600_000)),
        "every-packet-a-thread": lambda: packets((i + 1, 1, ENTER + LATER) for i in range(1_000_000)),
        "two-bytes-a-row": lambda: packets([(1, 8_000_000, ENTER + LATER + (AGAIN + LATER) * 7_999_999)]),
        "two-bytes-a-row, wide": lambda: packets(
            [(1, 8_000_000, ENTER + LATER + (AGAIN + LATER) * 7_999_999 + AGAIN + MUCH_LATER)]),
        "two-bytes-a-method": lambda: packets([(1, 4_000_000, ENTER + LATER + (OTHER + LATER) * 3_999_999)]),
        "two-bytes-a-method, wide": lambda: packets(
            [(1, 4_000_000, ENTER + LATER + (OTHER + LATER) * 3_999_999 + OTHER + MUCH_LATER)]),
        "exits-of-no-open-method": lambda: packets(
            [(1, 4_000_000, ENTER + LATER + OTHER_EXIT + LATER + (OTHER + LATER) * 3_999_998)]),
        "two-records-a-thread, wide": lambda: packets(
            (i + 1, 2, ENTER + LATER + AGAIN + MUCH_LATER) for i in range(1_000_000)),
        "one-byte-exits": lambda: packets([(1, 8_000_000, b"\1" + bytes(7_999_999))], tick_frequency=10**9),
        "one-byte-exits, a dump": lambda: b"\2" + struct.pack("<II", 1, 8_000_000)[:7] + struct.pack("<I", 8_000_000)
        + b"\1" + bytes(7_999_999),
        "nine-bytes-a-thread": lambda: b"TMOL\1\0" + b"".join(
            b"\2" + struct.pack("<I", i + 1) + b"\1\0\0\1" for i in range(1_000_000))
        + b"\n*threads\n*methods\n*end\n",
        "long-names-in-many-nodes": lambda: many_nodes_of_long_names(bad),
        "methods-alone": lambda: bad.text(methods=lines) + bad.header() + bad.records([(1, 4, 0)]),
    }


# The hash of src/base/memory/map.c is no secret, and has an inverse: keys are made from the hashes that they are to have.
FACTORS = (0xbf58476d1ce4e5b9, 0x94d049bb133111eb)
INVERSES = tuple(pow(factor, -1, 1 << 64) for factor in FACTORS)
WORD = (1 << 64) - 1


def mixed(key):
    for shift, factor in zip((30, 27), FACTORS):
        key = ((key ^ key >> shift) * factor) & WORD
    return key ^ key >> 31


def unmixed(key):
    def undo_shift(word, shift):
        key = word
        for _ in range(64 // shift):
            key = word ^ key >> shift
        return key

    key = undo_shift(key, 31) * INVERSES[1] & WORD
    key = undo_shift(key, 27) * INVERSES[0] & WORD
    return undo_shift(key, 30)


def chosen_ids(count, seeds=lambda number: 0):
    """Ids that all have 32 low bits of 0 in their hash: one bucket. Ids of methods are multiples of 4."""
    ids = []
    number = 0
    while len(ids) < count:
        key = unmixed(number << 32) ^ seeds(len(ids))
        if key % 4 == 0:
            ids.append(key)
        number += 1
    return ids


def ids_for_seeds(count):
    """What undid a map that hashed anew with the next of a fixed row of seeds when 256 keys had piled up."""
    row = [0]
    while len(row) <= count // 258:
        row.append(mixed((row[-1] + 0x9e3779b97f4a7c15) & WORD))
    return chosen_ids(count, lambda place: row[place // 258])


def random_ids(count):
    rng = random.Random(1)
    return [rng.getrandbits(62) * 4 for _ in range(count)]


def named(ids):
    """Packets that name a method with each id, and have no records."""
    options = b"*version\n4\nclock=wall\n*end\n"
    return b"".join([b"SLOW", struct.pack("<HQQQH", 4, 5, 0, 0, 0)]
                    + [b"\1" + struct.pack("<QH", number, 4) + b"a\tb\n" for number in ids]
                    + [b"\3", struct.pack("<H", len(options)), options])


def many_nodes_of_long_names(bad):
    """What once made an answer of 361 MB of a file of 180 kB: few methods, their names long, in very many nodes."""
    count, deep = 40, 3000
    lines = b"".join(b"0x%x\t%s\tm%d\t()V\n" % (4 * (i + 1), b"n" * 3000, i) for i in range(count))
    return bad.text(methods=lines) + bad.header() + bad.records(
        (1, 4 * (i % count + 1 if place == 0 else i // count % count + 1) | closes, 2 * i)
        for i in range(deep) for place, closes in ((0, 0), (1, 0), (1, 1), (0, 1)))


FLOODS = {"one bucket": chosen_ids, "the former seeds": ids_for_seeds}
FLOOD_IDS = 480_000


def flood_ratios(bench, count=FLOOD_IDS, rounds=3):
    """How many times as long chosen ids take as random ones, the median of rounds in turns; CPU time."""
    paths = {}
    for name, make in {"random": random_ids, **FLOODS}.items():
        paths[name] = os.path.join(bench.work, "flood-%s.trace" % name.replace(" ", "-"))
        with open(paths[name], "wb") as file:
            file.write(named(make(count)))
    taken = {name: [] for name in paths}
    for _ in range(rounds):
        for name, path in paths.items():
            taken[name].append(bench.ask("index", path, 1)["cpu_ns"])
    for path in paths.values():
        os.unlink(path)
    return {name: round(statistics.median(a / b for a, b in zip(taken[name], taken["random"])), 2) for name in FLOODS}


def answers_about(bench, path):
    """What each answer took, as bench/answers.c tells it."""
    done = subprocess.run([bench.program("answers"), path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=600)
    return [tools.json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []


def peak_of(bench, path):
    """(bytes of the input, peak of memory, the most that was resident); where the input is refused, what is said."""
    done = subprocess.run([bench.program("index"), path, "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=120)
    if done.returncode != 0:
        return done.stderr.decode("utf-8", "replace").strip().rpartition(path + ": ")[2]
    told = tools.json.loads(done.stdout)
    return told["bytes"], told["peak_bytes"], told["resident_bytes"]


def packed_twin(bench, path):
    """The same records where each takes fewest bytes; None where they cannot be written so."""
    twin = path + ".packets"
    done = subprocess.run([bench.traceview, "convert", "--as", "packets", "--layout", "d", "--clock", "wall", path, twin],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, timeout=120)
    return twin if done.returncode == 0 and os.path.exists(twin) else None


def measure_hostile(bench):
    import bad  # needs the acceptance tests, which an installed copy lacks

    bench.compile(["answers"])
    peaks = {}
    refused = {}
    answers = {}
    files = {**bad.survived_files(), **dear_files(bad)}
    for name, make in files.items():
        path = os.path.join(bench.work, "hostile.trace")
        with open(path, "wb") as file:
            file.write(make())
        for what, input_path in ((name, path), (name + ", as packets", packed_twin(bench, path))):
            told = peak_of(bench, input_path) if input_path else None
            if isinstance(told, str):
                refused[what] = told
            elif told is not None:
                peaks[what] = {"bytes": told[0], "peak_bytes": told[1], "resident_bytes": told[2],
                               "share": round(told[1] / (64 * told[0] + 64 * MIB), 4)}
                for answer in answers_about(bench, input_path):
                    share = round(answer["peak_bytes"] / (64 * told[0] + 64 * MIB), 4)
                    answers[what + ": " + answer["question"]] = {**answer, "share": share}
            if input_path:
                os.unlink(input_path)
    worst = max(peaks, key=lambda what: peaks[what]["share"])
    dearest_answer = max(answers, key=lambda what: answers[what]["share"])
    longest_answer = max(answers, key=lambda what: answers[what]["bytes"])
    slowest_answer = max(answers, key=lambda what: answers[what]["cpu_ns"])
    big = [what for what in peaks if peaks[what]["bytes"] > MIB]
    dearest = max(big, key=lambda what: peaks[what]["peak_bytes"] / peaks[what]["bytes"])
    return ({"hostile: peak / allowed": judge.measure([peaks[worst]["share"]], "size")},
            {"worst": worst, "inputs": len(peaks), "refused": refused, "dearest of over 1 MiB": dearest,
             "its bytes a byte": round(peaks[dearest]["peak_bytes"] / peaks[dearest]["bytes"], 1), "peaks": peaks,
             "answers": {"asked": len(answers),
                         "refused": sorted(what for what in answers if answers[what]["status"] == 400),
                         "dearest": [dearest_answer, answers[dearest_answer]["share"]],
                         "longest": [longest_answer, answers[longest_answer]["bytes"]],
                         "slowest": [slowest_answer, answers[slowest_answer]["cpu_ns"]]},
             "chosen ids / random ids": flood_ratios(bench)})
