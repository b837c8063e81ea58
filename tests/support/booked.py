"""A sampled trace whose CPU time stands with what ran before a look, as Android's sampler books it."""
import struct


def booked_trace():
    """Sampled as Android does: looks each millisecond, of which the first thread has another stack at each third one."""
    text = (b"*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=30000\n*threads\n1\tmain\n2\tother\n"
            b"*methods\n0x4\ta.A\tone\t()V\tA.java\n0x8\ta.A\ttwo\t()V\tA.java\n0xc\tb.B\tthree\t()V\tB.java\n*end\n")
    head = struct.pack("<IHHQH", 0x574F4C53, 3, 32, 0, 14).ljust(32, b"\0")
    records = []
    for look in range(31):
        for thread, methods, step in ((1, (4, 8), 3), (2, (12, 4), 1)):
            if look % step == 0:
                at = look // step
                cpu = look * (900 if thread == 1 else 10)
                if at:
                    records.append((thread, methods[(at - 1) % 2] | 1, cpu, look * 1000))
                records.append((thread, methods[at % 2], cpu, look * 1000))
    return text + head + b"".join(struct.pack("<HIII", *record) for record in records)
