#!/usr/bin/env python3
"""What the old viewer prints with -r, in plain Python, from docs/formats/regression.md.

    old_viewer.py FILE       prints the dump; status 1 when the old viewer refuses the trace

A mismatched exit or the reserved action is refused by the old viewer. `dump` then goes on by our
rules (an exit deeper in the stack closes the calls above it, one that is nowhere is left out)
and says so in its second result.
"""

import sys

import reference

TOPLEVEL, SWITCH = 0, -1
MIN_SLEEP = 100


def signed(value, bits):
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


def half(value):
    """Java's division by two: toward zero."""
    return -(-value // 2) if value < 0 else value // 2


class Method:
    def __init__(self, name):
        self.name = name
        self.exclusive = [0, 0]
        self.inclusive = [0, 0]
        self.calls = [0, 0]


class Call:
    def __init__(self, thread, method, caller):
        self.thread = thread
        self.method = method
        self.caller = caller
        self.is_recursive = False
        self.cpu = [0, 0]
        self.wall = [0, 0]
        self.exclusive = [0, 0]  # cpu, wall
        self.inclusive = [0, 0]


class Thread:
    def __init__(self, number, name, toplevel):
        self.id = number
        self.name = "[%d] %s" % (number, name)
        self.root = Call(self, toplevel, None)
        self.stack = [self.root]
        self.is_empty = True
        self.cpu = None
        self.wall = None


class HashMap:
    """java.util.HashMap of Java 8 with Integer keys, as far as its order goes."""

    def __init__(self):
        self.values = {}

    def order(self):
        size = 16
        while len(self.values) > size * 3 // 4:
            size *= 2
        spread = lambda key: ((key ^ ((key % (1 << 32)) >> 16)) % (1 << 32)) & (size - 1)
        return [self.values[key] for key in sorted(self.values, key=spread)]


def ascii_name(raw):
    return "".join(chr(byte) if byte < 128 else "\ufffd" for byte in raw)


def old_clocks(trace):
    """The old viewer knows three words; anything else is thread-cpu, in text files."""
    if trace.format in ("v1", "v2", "v3") and trace.clocks == ("wall",):
        if trace.properties.get("clock") != "wall":
            return ("cpu",)
    return trace.clocks


def read_methods(trace, methods):
    for number, (class_name, name, signature, _, _) in trace.methods.items():
        text = class_name
        if name or signature:
            text += b"." + name + b" " + signature
        methods.values[signed(number, 32)] = Method(ascii_name(text))


class Viewer:
    def __init__(self, trace):
        self.trace = trace
        self.clocks = old_clocks(trace)
        self.toplevel, self.switch = Method("(toplevel)"), Method("(context switch)")
        self.methods, self.threads = HashMap(), HashMap()
        self.methods.values = {TOPLEVEL: self.toplevel, SWITCH: self.switch}
        read_methods(trace, self.methods)
        for number, name in trace.threads.items():
            number = signed(number, 32)
            name = ascii_name(name.split(b"\n")[0])
            self.threads.values[number] = Thread(number, name, self.toplevel)
        self.calls, self.log = [], []
        self.refused = False
        self.previous = None

    def enter(self, thread, method):
        if thread.is_empty:
            thread.is_empty = False
            self.log.append(("enter", thread.root))
        call = Call(thread, method, thread.stack[-1])
        call.is_recursive = any(open_call.method is method for open_call in thread.stack[1:])
        thread.stack.append(call)
        self.calls.append(call)
        self.log.append(("enter", call))
        return call

    def leave(self, thread):
        call = thread.stack.pop()
        self.log.append(("exit", call))
        return call

    def exit(self, thread, method, cpu, wall):
        if len(thread.stack) == 1:
            return
        if thread.stack[-1].method is not method:
            self.refused = True
            if all(call.method is not method for call in thread.stack[1:]):
                return
        while True:
            call = self.leave(thread)
            call.cpu[1], call.wall[1] = cpu, wall
            if call.method is method:
                return

    def take(self, record):
        id_bits = {"v1": 8}.get(self.trace.format, 16 if self.trace.bits == 32 else 32)
        number = signed(record.thread, id_bits)
        thread = self.threads.values.get(number)
        if thread is None:
            thread = Thread(number, "[%d]" % number, self.toplevel)
            self.threads.values[number] = thread
        number = signed(record.method, 32)
        method = self.methods.values.setdefault(number, Method("(0x%x)" % (number % (1 << 32))))
        times = [signed(value, self.trace.bits) for value in record.time.values()]
        times = [value * self.trace.unit_ns // 1000 for value in times]
        raw = dict(zip(record.time, times))
        cpu, wall = raw.get("cpu", 0), raw.get("wall", 0)
        if self.clocks == ("cpu",) and "cpu" not in raw:
            cpu, wall = wall, 0
        slept_from = slept = 0
        if "wall" in self.clocks:
            slept_from = thread.wall[1] if thread.wall else wall
            slept = wall - slept_from
            thread.wall = [thread.wall[0] if thread.wall else wall, wall]
        if "cpu" in self.clocks:
            elapsed = cpu - thread.cpu[1] if thread.cpu else 0
            thread.cpu = [thread.cpu[0] if thread.cpu else cpu, cpu]
            if "wall" not in self.clocks:
                self.switch_threads(thread, elapsed)
            elif slept - elapsed > MIN_SLEEP:
                self.sleep(thread, cpu, wall, slept, elapsed)
            thread.stack[-1].exclusive[0] += elapsed
            thread.stack[-1].inclusive[0] += elapsed
        if record.action == reference.ENTER:
            call = self.enter(thread, method)
            call.cpu[0], call.wall[0] = cpu, wall
        elif record.action == reference.RESERVED:
            self.refused = True
        else:
            self.exit(thread, method, cpu, wall)

    def switch_threads(self, thread, elapsed):
        if self.previous is not None and self.previous is not thread:
            call = self.enter(self.previous, self.switch)
            call.cpu[0] = self.previous.cpu[1]
            if thread.stack[-1].method is self.switch:
                call = self.leave(thread)
                call.cpu[0] += half(elapsed)
                call.cpu[1] = call.cpu[0]
        self.previous = thread

    def sleep(self, thread, cpu, wall, slept, elapsed):
        call = self.enter(thread, self.switch)
        before = half(elapsed)
        after = elapsed - before
        call.wall = [wall - slept + before, wall - after]
        call.cpu = [cpu - after, cpu - after]
        self.leave(thread)

    def close_all(self):
        for thread in self.threads.values.values():
            for call in reversed(thread.stack[1:]):
                call.cpu[1] = thread.cpu[1] if thread.cpu else 0
                call.wall[1] = thread.wall[1] if thread.wall else 0

    def rebuild_wall(self):
        """Thread-cpu only: a global time line from pushes and pops."""
        now = {thread: thread.cpu[0] for thread in self.threads.values.values() if thread.cpu}
        wall = 0
        for action, call in self.log:
            side = 0 if action == "enter" else 1
            wall += call.cpu[side] - now[call.thread]
            now[call.thread] = call.cpu[side]
            call.wall[side] = wall
            if call.thread.wall is None:
                call.thread.wall = [wall, 0]
            if side:
                call.thread.wall[1] = wall

    def finish(self, call):
        for i in range(2):
            if call.caller:
                call.caller.inclusive[i] += call.inclusive[i]
            call.method.exclusive[i] += call.exclusive[i]
            if not call.is_recursive:
                call.method.inclusive[i] += call.inclusive[i]
        call.method.calls[call.is_recursive] += 1

    def finish_all(self):
        for call in reversed(self.calls):
            wall = call.wall[1] - call.wall[0]
            call.exclusive[1] = max(wall - call.inclusive[1], 0)
            call.inclusive[1] = wall
            self.finish(call)
        for thread in self.threads.values.values():
            root = thread.root
            if not thread.is_empty:
                root.cpu, root.wall = thread.cpu or [0, 0], thread.wall or [0, 0]
            self.finish(root)

    def lines(self):
        main = 1 if self.clocks == ("wall",) else 0
        threads = self.threads.order()
        totals = [sum(thread.root.inclusive[i] for thread in threads) for i in range(2)]
        yield "totalCpuTime %dus" % totals[0]
        yield "totalRealTime %dus" % totals[1]
        yield ""
        yield "Thread Times"
        yield "id  t-start    t-end  g-start    g-end     name"
        for thread in threads:
            times = (thread.cpu or [0, 0]) + (thread.wall or [0, 0])
            yield "%2d %8d %8d %8d %8d  %s" % (thread.id, *times, thread.name)
        yield ""
        yield "Call Times"
        yield "id  t-start    t-end  g-start    g-end    excl.    incl.  method"
        for call in self.calls:
            times = call.cpu + call.wall + [call.exclusive[0], call.inclusive[0]]
            yield "%2d %8d %8d %8d %8d %8d %8d  %s" % (call.thread.id, *times, call.method.name)
        yield ""
        yield "Method Stats"
        yield "Excl Cpu  Incl Cpu  Excl Real Incl Real    Calls  Method"
        ranked = sorted(self.methods.order(), key=lambda m: m.name)
        ranked.sort(key=lambda m: -m.inclusive[main])
        for rank, method in enumerate(ranked):
            if method.inclusive[main] == 0:
                break
            times = (method.exclusive[0], method.inclusive[0], method.exclusive[1], method.inclusive[1])
            yield "%9d %9d %9d %9d %9s  %d %s" % (*times, "%d+%d" % tuple(method.calls), rank, method.name)
        yield ""
        yield "Time Records"
        yield "id  t-start    t-end  g-start    g-end  method"
        by_time = sorted(threads, key=lambda t: t.name, reverse=True)
        by_time.sort(key=lambda t: -t.root.inclusive[main])
        roots = [thread.root for thread in by_time if not thread.is_empty and thread.id != 0]
        for call in roots + self.calls:
            times = call.cpu + call.wall
            yield "%2d %8d %8d %8d %8d  %s" % (call.thread.id, *times, call.method.name)


def dump(data):
    """The output as bytes, and whether the old viewer would have refused the trace."""
    viewer = Viewer(reference.read(data))
    for record in viewer.trace.records:
        viewer.take(record)
    viewer.close_all()
    if viewer.clocks == ("cpu",):
        viewer.rebuild_wall()
    viewer.finish_all()
    text = "".join(line + "\n" for line in viewer.lines())
    return text.encode("utf-8"), viewer.refused


def main():
    with open(sys.argv[1], "rb") as file:
        text, refused = dump(file.read())
    sys.stdout.buffer.write(text)
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
