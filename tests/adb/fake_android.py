"""What an Android of a version answers to the commands that tools for traces send: for fake_device.py.

The texts of answers are in texts/: `NAME@8.txt` is what Android says from version 8 on. Each says where it is from, and of
which kind it is: `transcript`, what a real device said, or `source`, what the code of the platform writes. The rest is what the
documents of the platform say of its tools: which `am profile` options a version has, what `ps` prints,
where `am` ends with a status.
"""

import os
import re
import struct
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MADE = os.path.join(ROOT, "tests", "data", "made")
FOLDER, REGULAR = 0o040771, 0o100660
TMP = "/data/local/tmp"


class Persona:
    def __init__(self, version, sdk, name, model, board, protocol, max_payload, features):
        self.version, self.sdk, self.name, self.model, self.board = version, sdk, name, model, board
        self.protocol, self.max_payload, self.features = protocol, max_payload, features.split()


# Features as each adbd announces them, but for those that are of no use here: installing, rebooting, compression.
PERSONAS = {str(persona.version): persona for persona in (
    Persona(5, 22, "hammerhead", "Nexus 5", "hammerhead", 0x01000000, 4096, ""),
    Persona(8, 26, "sailfish", "Pixel", "sailfish", 0x01000000, 256 << 10, "shell_v2 cmd stat_v2"),
    Persona(11, 30, "redfin", "Pixel 5", "redfin", 0x01000001, 1 << 20, "shell_v2 cmd stat_v2 ls_v2 sendrecv_v2 fixed_push_mkdir"),
    Persona(14, 34, "shiba", "Pixel 8", "shiba", 0x01000001, 1 << 20, "shell_v2 cmd stat_v2 ls_v2 sendrecv_v2 track_app"),
    Persona(15, 35, "komodo", "Pixel 9 Pro XL", "komodo", 0x01000001, 1 << 20, "shell_v2 cmd stat_v2 ls_v2 sendrecv_v2 track_app"),
    Persona(16, 36, "frankel", "Pixel 10", "frankel", 0x01000001, 1 << 20, "shell_v2 cmd stat_v2 ls_v2 sendrecv_v2 track_app"),
)}

# Options of `am profile start` and of `am start`, with the version that brought them; the value says whether a word follows.
OPTIONS = {"--user": (4, True), "--wall": (4, False), "--sampling": (6, True), "--streaming": (8, False),
           "--clock-type": (14, True), "--profiler-output-version": (15, True)}
START_OPTIONS = dict(OPTIONS, **{"-n": (1, True), "-a": (1, True), "-c": (1, True), "-S": (4, False), "-W": (1, False),
                                 "-D": (1, False), "-P": (4, True), "--start-profiler": (1, True), "--sampling": (5, True)})


def made(name):
    with open(os.path.join(MADE, name), "rb") as file:
        return file.read()


def long_trace(records):
    """A plain trace of so many records, dual clock: one method calls another, again and again."""
    text = "*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=%d\nnum-method-calls=%d\nvm=art\n" \
           "*threads\n1\tmain\n*methods\n0x4\tcom.example.app.MainActivity\tonCreate\t()V\tMainActivity.java\n" \
           "0x8\tcom.example.app.Row\tbind\t(I)V\tRow.java\n*end\n" % (records * 3, records)
    body = bytearray(struct.pack("<IHHQHH", 0x574f4c53, 3, 32, 1700000000000000, 14, 0) + b"\0" * 12)
    for step in range(records):
        first, last = step == 0, step == records - 1
        method = 4 if first or last else 8
        is_exit = last or (not first and step % 2 == 0)
        body += struct.pack("<HIII", 1, method | is_exit, step * 2, step * 3)
    return text.encode() + bytes(body)


def text_of(answer, version, **words):
    """An answer as the version gives it; the lines before the first empty one say where it is from."""
    starts = sorted(int(found[1]) for found in (re.fullmatch(re.escape(answer) + r"@(\d+)\.txt", file)
                                                for file in os.listdir(os.path.join(HERE, "texts"))) if found)
    with open(os.path.join(HERE, "texts", "%s@%d.txt" % (answer, max(at for at in starts if at <= version))),
              encoding="utf-8") as file:
        text = file.read().split("\n\n", 1)[1]
    for word, value in words.items():
        text = text.replace("<%s>" % word, str(value))
    return text


class App:
    def __init__(self, package, pid, is_debuggable=True, is_profileable=True, uid=10123, activity=".MainActivity",
                 is_system=False):
        self.package, self.pid, self.uid, self.activity = package, pid, uid, activity
        self.is_debuggable, self.is_profileable, self.is_system = is_debuggable, is_profileable, is_system
        self.begun = time.monotonic()


class File:
    """A file of the device, which may still be written: bytes by the seconds since then."""

    def __init__(self, content=b"", mode=REGULAR, is_private=False):
        self.content, self.mode, self.is_private, self.recording = content, mode, is_private, None
        self.changed = int(time.time())

    def visible(self):
        return self.recording.visible() if self.recording else self.content


class Recording:
    """`am profile`: the file stays empty until the end where the trace is kept in memory, and grows where it is streamed."""

    def __init__(self, android, app, path, options):
        self.android, self.app, self.path, self.options = android, app, path, options
        self.is_streamed = "--streaming" in options
        self.begun, self.ended, self.died = time.monotonic(), None, None
        self.content = android.trace if android.trace is not None else self.choose()

    def choose(self):
        clock = self.options.get("--clock-type", "dual")
        if self.options.get("--profiler-output-version") == "2":
            return made("packets-5-E.trace" if self.is_streamed else "packets-5-D.trace")
        if self.is_streamed:
            return made("stream-f2-wall.trace" if clock == "wall" else "stream-f3.trace")
        if self.android.overflows_below_mb > self.android.buffer_mb():
            return made("v3-dual.trace").replace(b"data-file-overflow=false", b"data-file-overflow=true")
        return made({"wall": "v2-wall.trace", "thread-cpu": "v2-thread-cpu.trace", "dual": "v3-dual.trace"}[clock])

    def streamed_until(self, moment):
        share = min(0.8, (moment - self.begun) * self.android.grows_per_s)
        return int(len(self.content) * share)

    def visible(self):
        android, now = self.android, time.monotonic()
        if self.died is not None:
            count = self.streamed_until(self.died) if self.is_streamed else 0
        elif self.ended is None:
            count = self.streamed_until(now) if self.is_streamed else 0
        else:
            first = self.streamed_until(self.ended) if self.is_streamed else 0
            share = min(1.0, (now - self.ended) / android.finishes_in_s) if android.finishes_in_s else 1.0
            count = first + int((len(self.content) - first) * share)
        if android.never_whole:
            count = min(count, int(len(self.content) * 0.9))
        if self.android.busy == "app":
            count = 0
        if android.disk_bytes is not None and count > android.disk_bytes:
            count = android.disk_bytes
            android.log("E", self.app.package, text_of("log-no-room", android.version).strip())
        return self.content[:count]


class Android:
    """One Android. Settings, which may be changed while it runs:

    trace               bytes that every recording gives; None: one of tests/data/made, by its options
    ends_at_start       its process is gone in the moment that recording starts
    dies_after_s        so long after a recording has begun its process is gone
    is_debuggable, is_profileable    of com.example.app
    is_running          whether com.example.app runs from the beginning
    comes_after_s       so long after `am start` has answered the app's process has its name
    busy                "am": another recording of `am profile` is under way; "app": the app traces itself
    refuses_files       the system may not write where it is told to: SELinux
    claims_bytes        what it says of the length of every file, whatever comes; None: the truth
    disk_bytes          a file gets no longer than this: the disk is full then
    finishes_in_s       so long after the stop the file is whole; grows_per_s: the share of it that a stream gets each second
    never_whole         the end of the file never comes
    overflows_below_mb  with a smaller buffer than this the trace has an overflow
    """

    def __init__(self, persona, **settings):
        self.persona, self.version = persona, persona.version
        self.trace, self.dies_after_s, self.busy = None, None, ""
        self.is_debuggable = self.is_profileable = self.is_running = True
        self.refuses_files = self.never_whole = self.ends_at_start = False
        self.claims_bytes, self.comes_after_s = None, 0
        self.disk_bytes, self.finishes_in_s, self.grows_per_s, self.overflows_below_mb = None, 0.3, 0.2, 0
        for name, value in settings.items():
            assert hasattr(self, name), "no setting %s" % name
            setattr(self, name, value)
        self.files = {TMP: File(mode=FOLDER), "/sdcard": File(mode=FOLDER)}
        self.properties = {"ro.build.version.sdk": str(persona.sdk), "ro.build.version.release": str(persona.version),
                           "ro.product.model": persona.model, "ro.debuggable": "0", "ro.build.type": "user"}
        self.installed = [App("com.example.app", 4711, self.is_debuggable, self.is_profileable),
                          App("com.example.other", 4720, uid=10124),
                          App("com.android.systemui", 1532, False, False, 10040, is_system=True)]
        self.apps = [app for app in self.installed if self.is_running or app.package != "com.example.app"]
        self.recording, self.logged, self.next_pid, self.commands = None, [], 5000, []

    def buffer_mb(self):
        """As the process reads the property: bufferSize * 1024 * 1024 in a Java int, of which 0 is the usual 8 MiB, and what is
        below 0 is refused in the log."""
        size = int(self.properties.get("debug.traceview-buffer-size-mb") or "8") * 1024 * 1024
        size = (size + (1 << 31)) % (1 << 32) - (1 << 31)
        return size / (1 << 20) or 8

    # processes

    def alive(self):
        recording = self.recording
        if recording and self.dies_after_s is not None and recording.died is None and recording.ended is None \
                and time.monotonic() >= recording.begun + self.dies_after_s:
            recording.died = recording.begun + self.dies_after_s
            self.apps = [app for app in self.apps if app is not recording.app]
        return [app for app in self.apps if app.begun <= time.monotonic()]

    def find(self, process):
        for app in self.alive():
            if process in (app.package, str(app.pid)):
                return app
        return None

    def debuggable_list(self):
        return "".join("%d\n" % app.pid for app in self.alive() if app.is_debuggable).encode()

    def app_list(self):
        """As adbd's app_processes.proto has it: pid, debuggable, profileable, architecture."""
        out = b""
        for app in self.alive():
            if app.is_debuggable or app.is_profileable:
                entry = b"\x08" + varint(app.pid)
                entry += b"\x10\x01" if app.is_debuggable else b""
                entry += b"\x18\x01" if app.is_profileable else b""
                entry += b"\x22\x05arm64"
                out += b"\x0a" + varint(len(entry)) + entry
        return out

    def log(self, level, tag, text):
        line = "%s/%-8s( 4711): %s" % (level, tag, text)
        if line not in self.logged:
            self.logged.append(line)

    # files

    def stat(self, path):
        self.alive()
        file = self.files.get(path)
        if not file or file.is_private:
            return 0, 0, 0
        size = len(file.visible()) if self.claims_bytes is None else self.claims_bytes
        return file.mode, 0 if file.mode == FOLDER else size, file.changed

    def entries(self, path):
        whole = path.rstrip("/") + "/"
        return sorted({name[len(whole):].split("/")[0] for name, file in self.files.items()
                       if name.startswith(whole) and not file.is_private})

    def read(self, path):
        self.alive()
        file = self.files.get(path)
        return file.visible() if file and file.mode != FOLDER and not file.is_private else None

    def why_not_read(self, path):
        return "Permission denied" if path in self.files else "No such file or directory"

    def put(self, path, content, is_private=False):
        parts = path.split("/")
        for count in range(2, len(parts)):
            self.files.setdefault("/".join(parts[:count]), File(mode=FOLDER, is_private=is_private))
        self.files[path] = File(content, is_private=is_private)

    # commands

    def run(self, line, out, err, is_closed=lambda: False):
        self.commands.append(line)
        import fake_shell
        return fake_shell.Shell(self, out, err, is_closed).run(line)


def varint(number):
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])
