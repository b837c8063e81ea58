#!/usr/bin/env python3
"""Devices: the real adb server of this machine, with devices of ours behind it (fake_device.py).

    devices.py PROGRAM [TEST...]

Ends with "N passed, N failed".
"""

import concurrent.futures
import fcntl
import inspect
import os
import pty
import re
import resource
import shlex
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake_android
import fake_device

ROOT = os.path.dirname(os.path.dirname(HERE))
AT_ONCE = 6  # most of a test is waiting
PAGE = os.path.join(ROOT, "docs", "devices.md")
VERSIONS = tuple(fake_android.PERSONAS)
FILE = "/data/local/tmp/a.trace"
APP = "com.example.app"
# A row of the page's table of states: what it is, what is said, the test.
ROW = re.compile(r"^\| ([^|]+) \| `(.+?)`[^|]* \| `(\w+)` \|$", re.M)


def equal(got, expected):
    assert got == expected, "got %.500r, expected %.500r" % (got, expected)


def has(text, part):
    assert part in text, "no %r in %.2000r" % (part, text)


def wait_until(holds):
    end = time.monotonic() + fake_device.PATIENCE_S
    while not holds():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


class Place:
    """A folder for files of one test, with devices that are gone after it."""

    def __init__(self, program, server):
        self.program, self.server, self.devices, self.said = program, server, [], ""
        self.folder = tempfile.mkdtemp(prefix="traceview-devices-")

    def device(self, android="14", state="device", **settings):
        device = fake_device.Device(android, **settings)
        self.devices.append(device)
        return self.server.connect(device, state)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def traces(self):
        return sorted(name for name in os.listdir(self.folder) if name.endswith(".trace"))

    def begin(self, *words, **otherwise):
        environment = dict(self.server.environment, XDG_STATE_HOME=self.path("state"), TRACEVIEW_CACHE_SIZE="0",
                           TZ="UTC0", **otherwise.pop("environment", {}))
        return subprocess.Popen([self.program, *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                **otherwise)

    def end(self, process):
        """(status, what it said)."""
        try:
            said, _ = process.communicate(timeout=fake_device.PATIENCE_S * 2)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            raise AssertionError("it did not end: %.1000s" % said)
        self.said += said
        return process.returncode, said

    def run(self, *words, **otherwise):
        return self.end(self.begin(*words, **otherwise))

    def record(self, *words, **otherwise):
        return self.run("record", "--no-view", *words, **otherwise)

    def fails(self, *words, status=1, **otherwise):
        """What a recording says that does not come to be; it leaves no trace here."""
        code, said = self.record(*words, **otherwise)
        assert code == status, "status %d: %s" % (code, said)
        equal(self.traces(), [])
        return said

    def gives(self, *words, **otherwise):
        """What a recording says, and the trace that it leaves."""
        before = self.traces()
        code, said = self.record(*words, **otherwise)
        assert code == 0, "status %d: %s" % (code, said)
        new = [name for name in self.traces() if name not in before]
        assert len(new) == 1, "%r: %s" % (new, said)
        return said, new[0]

    def reconnect_until(self, is_over, device):
        """As USB does by itself: the server sees the device again."""
        def run():
            while not is_over():
                if not device.is_out and self.server.state_of(device) != "device":
                    self.server.run("connect", device.serial)
                time.sleep(0.1)
        threading.Thread(target=run, daemon=True).start()

    def close(self):
        for device in self.devices:
            self.server.run("disconnect", device.serial)
            device.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def left_on(device):
    """Traces that are on the device, and settings of it."""
    return [name for name in device.android.files if name.endswith(".trace")], \
        device.android.properties.get("debug.traceview-buffer-size-mb", "")


# The device of ours itself, as Debian's adb finds it.

def fake_device_answers_the_real_adb(place):
    for version in VERSIONS:
        device = place.device(version)
        adb = lambda *words: place.server.run("-s", device.serial, *words).replace("\r\n", "\n")
        equal(adb("shell", "echo a 'b  c'; ls /none 2>/dev/null; echo $?"), "a b  c\n1\n")
        equal(adb("shell", "am profile start com.example.app " + FILE), "")
        equal(adb("shell", "am profile stop com.example.app"), "")
        whole = fake_android.made("v3-dual.trace")
        wait_until(lambda: device.android.stat(FILE)[1] == len(whole))
        adb("pull", FILE, place.path("pulled"))
        equal(place.read("pulled"), whole)
        adb("shell", "rm " + FILE)
        has(adb("pull", FILE, place.path("pulled")), "does not exist" if version == "5" else "No such file")


def fake_device_knows_the_options_of_its_version(place):
    for version in VERSIONS:
        device = place.device(version)
        known = [option for option in ("--sampling 1000", "--streaming", "--clock-type wall", "--profiler-output-version 2")
                 if "Unknown option" not in place.server.run("-s", device.serial, "shell",
                                                             "am profile start %s com.example.app %s" % (option, FILE))]
        equal(len(known), {"5": 0, "8": 2, "11": 2, "14": 3, "15": 4, "16": 4}[version])


def fake_device_grows_a_streamed_file(place):
    whole = fake_android.long_trace(20000)
    device = place.device("14", trace=whole, finishes_in_s=0.2)
    shell = lambda line: place.server.run("-s", device.serial, "shell", line)
    equal(shell("am profile start --streaming com.example.app " + FILE), "")
    wait_until(lambda: device.android.stat(FILE)[1] > 0)
    first = device.android.stat(FILE)[1]
    wait_until(lambda: first < device.android.stat(FILE)[1] < len(whole))
    shell("am profile stop com.example.app")
    wait_until(lambda: device.android.read(FILE) == whole)


def fake_device_is_pulled_out_and_comes_back(place):
    device = place.device("14", trace=fake_android.long_trace(200000), finishes_in_s=0, cut_pull_at=0.6, back_after_s=0.2)
    shell = lambda line: place.server.run("-s", device.serial, "shell", line)
    shell("am profile start com.example.app " + FILE)
    shell("am profile stop com.example.app")
    assert "1 file pulled" not in place.server.run("-s", device.serial, "pull", FILE, place.path("cut"))
    wait_until(lambda: place.server.state_of(device) == "device" or place.server.run("connect", device.serial) is None)
    has(place.server.run("-s", device.serial, "pull", FILE, place.path("whole")), "1 file pulled")


# Recording.

def recording_comes_whole_and_leaves_nothing(place):
    for version in VERSIONS:
        device = place.device(version)
        said, name = place.gives("-s", device.serial, "--duration", "300ms", APP)
        equal(place.read(name), fake_android.made("v3-dual.trace"))
        assert re.fullmatch(re.escape(APP) + r"-\d{4}-\d\d-\d\d-\d{6}\.trace", name), name
        has(said, "recording all calls of process 4711 on %s, Android %s" % (device.persona.model, version))
        has(said, name + ": 5.3 kB, 200 records")
        equal(left_on(device), ([], ""))
        os.remove(place.path(name))


def options_reach_am(place):
    device = place.device("16")
    for words, option in ((["--sampling", "500us"], "--sampling 500 "), (["--streaming"], "--streaming "),
                          (["--clock-type", "wall"], "--clock-type wall "),
                          (["--output-version", "2"], "--profiler-output-version 2 ")):
        said, name = place.gives("--duration", "200ms", *words, "4711")
        line = [line for line in device.android.commands if line.startswith("am profile start")][-1]
        has(line, "am profile start " + option + "4711 /data/local/tmp/" + APP)
        os.remove(place.path(name))
    whole = fake_android.made("packets-5-E.trace")
    _, name = place.gives("--duration", "200ms", "--output-version", "2", "--streaming", "-o", "mine.trace", APP)
    equal((name, place.read(name)), ("mine.trace", whole))


def buffer_is_set_and_put_back(place):
    device = place.device("14")
    device.android.properties["debug.traceview-buffer-size-mb"] = "16"
    place.gives("--duration", "200ms", "--buffer", "63m", APP)
    has("\n".join(device.android.commands), "setprop debug.traceview-buffer-size-mb 63")
    equal(left_on(device), ([], "16"))


def start_is_recorded_from_its_first_moment(place):
    device = place.device("11", is_running=False)
    said, _ = place.gives("--duration", "200ms", "--app-startup", APP)
    has("\n".join(device.android.commands), "am start -S --start-profiler /data/local/tmp/" + APP)
    has(said, "all calls of process 5001")


def activity_is_started_first(place):
    device = place.device("14", is_running=False)
    place.gives("--duration", "200ms", "--start-activity=.MainActivity", APP)
    has("\n".join(device.android.commands), "am start -n com.example.app/.MainActivity")
    os.remove(place.path(place.traces()[0]))
    has(place.fails("--start-activity=.Nothing", APP), "cannot be started on Pixel 8")


def key_ends_a_recording(place):
    device = place.device("14")
    leader, follower = pty.openpty()
    process = subprocess.Popen([place.program, "record", "--no-view", "-s", device.serial, APP], cwd=place.folder,
                               env=dict(place.server.environment, XDG_STATE_HOME=place.path("state"), TERM="xterm"),
                               stdin=follower, stdout=follower, stderr=follower, start_new_session=True,
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(follower)
    said, end, is_told = b"", time.monotonic() + fake_device.PATIENCE_S, False
    while time.monotonic() < end:
        if select.select([leader], [], [], 0.1)[0]:
            try:
                said += os.read(leader, 65536)
            except OSError:  # the other side is closed
                break
        if not is_told and b"in a buffer of 8 MiB; any key ends it" in said:
            os.write(leader, b"q")
            is_told = True
    os.close(leader)
    equal(process.wait(fake_device.PATIENCE_S), 0)
    equal(len(place.traces()), 1)


def ctrl_c_ends_a_recording(place):
    place.device("14")
    process = place.begin("record", "--no-view", APP)
    wait_until(lambda: any(device.android.recording for device in place.devices))
    process.send_signal(signal.SIGINT)
    status, said = place.end(process)
    equal(status, 0)
    has(said, "Ctrl-C ends it")
    equal(len(place.traces()), 1)


def words_are_told_from_programs(place):
    place.device("14")
    folder = place.path("bin")
    os.mkdir(folder)
    with open(os.path.join(folder, "com.example.app"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho it ran\n")
    os.chmod(os.path.join(folder, "com.example.app"), 0o755)
    path = {"PATH": folder + ":" + os.environ["PATH"]}
    has(place.run("record", "com.example.app", environment=path)[1], "it ran")
    has(place.run("record", "--", "com.example.app", environment=path)[1], "it ran")
    status, said = place.run("record", "--streaming", "--", "./app")
    equal(status, 2)
    has(said, "--streaming is for apps on Android devices")
    status, said = place.run("record", "--depth", "3", APP)
    equal(status, 2)
    has(said, "--depth is for programs on this machine")


# States that have a name.

def no_adb(place):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    os.mkdir(place.path("empty"))
    place.fails(APP, environment={"PATH": place.path("empty"), "ANDROID_ADB_SERVER_PORT": str(port),
                                  "HOME": place.path("empty"), "ANDROID_HOME": "", "ANDROID_SDK_ROOT": ""})


def no_device(place):
    place.fails(APP)


def unauthorised(place):
    place.device("14", state="unauthorized", is_unauthorised=True)
    place.fails(APP)


def offline(place):
    place.device("14", state="offline", is_offline=True)
    place.fails(APP)


def several_devices(place):
    place.device("14")
    place.device("11")
    place.fails(APP)


def named_device_is_not_there(place):
    place.device("14")
    place.fails("-s", "emulator-5554", APP)


def process_does_not_run(place):
    place.device("14", is_running=False)
    place.fails(APP)


def app_is_not_installed(place):
    place.device("14")
    place.fails("com.example.nothing")


def process_is_gone_before_the_start(place):
    for version in VERSIONS:
        device = place.device(version, ends_at_start=True)
        place.fails("-s", device.serial, APP)
        equal(left_on(device), ([], ""))


def process_ends_while_streamed(place):
    device = place.device("14", dies_after_s=2, grows_per_s=0.4, trace=fake_android.made("stream-f3.trace"))
    said, name = place.gives("--streaming", APP)
    whole = fake_android.made("stream-f3.trace")
    assert whole.startswith(place.read(name)) and len(place.read(name)) > len(whole) // 2
    equal(left_on(device), ([], ""))


def process_ends_with_its_buffer(place):
    device = place.device("14", dies_after_s=0.5)
    place.fails(APP)
    equal(left_on(device), ([], ""))


def not_debuggable(place):
    for version in VERSIONS:
        device = place.device(version, is_debuggable=False, is_profileable=False)
        has(place.fails("-s", device.serial, APP), "android:debuggable" if int(version) < 10 else "<profileable")
        equal(left_on(device), ([], ""))


def profileable_only(place):
    new, old = place.device("14", is_debuggable=False), place.device("8", is_debuggable=False)
    place.gives("-s", new.serial, "--duration", "200ms", APP)
    os.remove(place.path(place.traces()[0]))
    has(place.fails("-s", old.serial, APP), "it is not debuggable")
    status, said = place.run("pull", "-s", new.serial, "--list", APP)
    equal((status, said), (0, ""))


def profiled_by_am_already(place):
    device = place.device("14", busy="am")
    place.fails(APP)
    assert not any(line.startswith("am profile") for line in device.android.commands), device.android.commands


def app_traces_itself_already(place):
    place.device("14", busy="app")
    place.fails("--duration", "200ms", APP)


def android_is_too_old(place):
    device = place.device("5")
    for words, text in ((["--sampling", "1ms"], "--sampling needs Android 6, the device has Android 5.1"),
                        (["--clock-type", "wall"], "--clock-type needs Android 14"),
                        (["--output-version", "2"], "--output-version 2 needs Android 15"),
                        (["--buffer", "64m"], "--buffer needs Android 7")):
        has(place.fails(*words, APP), text)
    said, _ = place.gives("--duration", "200ms", "--streaming", "--clock-type", "dual", "--output-version", "1",
                          "--buffer", "8m", APP)
    for option in ("--streaming", "--clock-type", "--output-version", "--buffer"):
        assert re.search("Android 5.1: %s .*left out" % option, said), said
    equal(left_on(device), ([], ""))


def selinux_refuses(place):
    for version in ("5", "14"):
        device = place.device(version, refuses_files=True)
        place.fails("-s", device.serial, APP)


def disk_of_the_device_is_full(place):
    whole = fake_android.long_trace(20000)
    device = place.device("14", trace=whole, disk_bytes=100000)
    status, said = place.record("--duration", "200ms", APP)
    equal(status, 1)
    equal([place.read(name) for name in place.traces()], [whole[:100000]])
    equal(left_on(device), ([], ""))


def disk_here_is_full(place):
    whole = fake_android.long_trace(20000)
    device = place.device("14", trace=whole)
    limit = lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))
    said = place.fails("--duration", "200ms", APP, preexec_fn=limit)
    equal(len(left_on(device)[0]), 1)
    part = [name for name in os.listdir(place.folder) if name.endswith(".part")]
    equal([place.read(name) for name in part], [whole[:100000]])
    status, said = place.run("pull", APP)  # there is room now
    equal((status, place.read(place.traces()[0])), (0, whole))
    equal([name for name in os.listdir(place.folder) if name.endswith(".part")], [])
    has(device.services[-1] + " ".join(device.services[-4:]), "tail -c +100001 ")


def cable_is_pulled_and_comes_back(place):
    whole = fake_android.long_trace(300000)
    device = place.device("14", trace=whole, cut_pull_at=0.6, back_after_s=0.5)
    is_over = threading.Event()
    place.reconnect_until(is_over.is_set, device)
    said, name = place.gives("--duration", "200ms", APP)
    is_over.set()
    equal(place.read(name), whole)
    has(" ".join(device.services), "tail -c +")
    equal(left_on(device), ([], ""))


def cable_is_pulled_and_stays_so(place):
    whole = fake_android.long_trace(300000)
    device = place.device("14", trace=whole, cut_pull_at=0.6)
    process = place.begin("record", "--no-view", "--duration", "200ms", APP)
    wait_until(lambda: device.is_out)
    time.sleep(1)  # it waits for the device
    process.send_signal(signal.SIGINT)
    status, said = place.end(process)
    equal((status, place.traces()), (1, []))
    device.plug_in()
    place.server.connect(device)
    status, said = place.run("pull", APP)
    equal((status, place.read(place.traces()[0])), (0, whole))
    has(" ".join(device.services), "tail -c +")


def cable_is_pulled_while_it_records(place):
    whole = fake_android.long_trace(20000)
    device = place.device("14", trace=whole)
    is_over = threading.Event()
    process = place.begin("record", "--no-view", "--duration", "4s", APP)
    wait_until(lambda: device.android.recording)
    device.pull_out()
    time.sleep(1.5)
    device.plug_in()
    place.reconnect_until(is_over.is_set, device)
    status, said = place.end(process)
    is_over.set()
    equal((status, place.read(place.traces()[0])), (0, whole))
    has(said, "it does not answer: connect it again")


def end_of_the_file_never_comes(place):
    whole = fake_android.long_trace(20000)
    device = place.device("14", trace=whole, never_whole=True)
    status, said = place.record("--duration", "200ms", APP)
    equal(status, 1)
    equal([place.read(name) for name in place.traces()], [whole[:int(len(whole) * 0.9)]])


class OldServer:
    """What answers at the port of an adb server, and is none that can be talked to."""

    def __init__(self, answer):
        self.listener, self.answer = socket.create_server(("127.0.0.1", 0)), answer
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(4096)
                connection.sendall(self.answer)


def server_of_another_version(place):
    server = OldServer(b"OKAY0004001a")  # 26, of 2011
    place.fails(APP, environment={"ANDROID_ADB_SERVER_PORT": str(server.port)})
    server.listener.close()


def no_adb_server_at_its_port(place):
    server = OldServer(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    place.fails(APP, environment={"ANDROID_ADB_SERVER_PORT": str(server.port)})
    server.listener.close()


def device_answers_garbage(place):
    for garbles in ("shell", "packets"):
        device = place.device("14", garbles=garbles)
        place.fails("-s", device.serial, APP)


def device_sends_garbage_for_a_file(place):
    device = place.device("14")
    process = place.begin("record", "--no-view", "--duration", "500ms", APP)
    wait_until(lambda: device.android.recording)
    device.garbles = "sync"
    status, said = place.end(process)
    equal((status, place.traces()), (1, []))
    device.garbles = ""
    status, said = place.run("pull", APP)  # the recording is still there
    equal((status, place.read(place.traces()[0])), (0, fake_android.made("v3-dual.trace")))


def device_is_silent(place):
    place.device("14", is_silent=True)
    place.fails(APP)


# Advice.

def overflow_tells_the_command_that_has_room(place):
    device = place.device("14", overflows_below_mb=64)
    place.gives("--duration", "200ms", APP)
    has(place.said, "the buffer was full: `traceview record --buffer")
    buffer = re.search(r"--buffer (\d+m)", place.said)[1]
    said, _ = place.gives("--duration", "200ms", "--buffer", "64m", APP)
    assert "the buffer was full" not in said and int(buffer[:-1]) >= 16, said


def buffer_for_a_duration_is_told(place):
    device = place.device("14", trace=fake_android.long_trace(50000))
    process = place.begin("record", "--no-view", "--duration", "30s", APP)
    wait_until(lambda: device.android.recording)
    process.send_signal(signal.SIGINT)
    _, said = place.end(process)
    has(said, "as busy apps do, 30 s need a buffer of 256 MiB, and it has 8: give --buffer 256m, or --streaming")
    process = place.begin("record", "--no-view", "--duration", "30s", APP)  # 700 kB in 150 ms by now
    wait_until(lambda: device.android.recording and device.android.recording.ended is None)
    process.send_signal(signal.SIGINT)
    has(place.end(process)[1], "MB a second, as it did the last time, 30 s need")


# Traces that are there.

def traces_are_listed_and_pulled(place):
    device = place.device("14")
    whole = fake_android.made("v3-dual.trace")
    android = device.android
    android.put("/data/local/tmp/com.example.app-old.trace", b"x" * 10)
    android.put("/sdcard/Android/data/com.example.app/files/dmtrace.trace", whole)
    android.put("/data/data/com.example.app/files/own.trace", whole, is_private=True)
    for age, path in enumerate(("/data/data/com.example.app/files/own.trace",
                                "/sdcard/Android/data/com.example.app/files/dmtrace.trace",
                                "/data/local/tmp/com.example.app-old.trace")):
        android.files[path].changed = 1700000000 - 60 * age
    status, said = place.run("pull", "--list", APP)
    equal((status, said), (0, "2023-11-14 22:13          5267  com.example.app: files/own.trace\n"
                              "2023-11-14 22:12          5267  /sdcard/Android/data/com.example.app/files/dmtrace.trace\n"
                              "2023-11-14 22:11            10  /data/local/tmp/com.example.app-old.trace\n"))
    status, said = place.run("pull", APP)
    equal((status, place.read("own.trace")), (0, whole))
    status, said = place.run("pull", "-o", "here.trace", "/sdcard/Android/data/com.example.app/files/dmtrace.trace")
    equal((status, place.read("here.trace")), (0, whole))
    status, said = place.run("pull", "/data/local/tmp/com.example.app-old.trace")
    equal(status, 1)
    has(place.run("pull", "com.example.nothing")[1], "Pixel 8 has no trace of com.example.nothing")


def own_trace_of_an_app_is_waited_for(place):
    device = place.device("14")
    device.android.put("/data/local/tmp/com.example.app-old.trace", b"old")
    process = place.begin("record", "--no-view", "--method", "Debug", APP)
    wait_until(lambda: sum("files" in line for line in device.android.commands) > 0)
    whole = fake_android.made("v3-dual.trace")
    device.android.put("/sdcard/Android/data/com.example.app/files/dmtrace.trace", whole)
    status, said = place.end(process)
    equal((status, place.traces(), place.read("dmtrace.trace")), (0, ["dmtrace.trace"], whole))
    has(said, "it writes /sdcard/Android/data/com.example.app/files/dmtrace.trace")
    status, said = place.record("--method", "Debug", "--duration", "200ms", APP)
    equal(status, 1)
    has(said, "com.example.app wrote no trace")


def page_rows():
    """The rows of the page's table: (state, what is said, test)."""
    with open(PAGE, encoding="utf-8") as file:
        return ROW.findall(file.read())


def check_page(test, said):
    """What the page promises of a test's state was said, where ... stands for anything."""
    for state, text, name in page_rows():
        if name == test.__name__:
            pattern = ".*".join(re.escape(part) for part in text.split("…"))
            assert re.search(pattern, said, re.S), "docs/devices.md says of %s: %r, but it said %.1500s" % (state, text, said)


# What is another one in each session: dates, ports, and what a measured time is.
CHANGES = ((re.compile(r"\d{4}-\d\d-\d\d-\d{6}"), "DATE"), (re.compile(r"127\.0\.0\.1:\d+"), "SERIAL"),
           (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d"), "TIME"), (re.compile(r"\d+m \d\ds"), "UP"), (re.compile(r"  +"), "  "))
SESSION = re.compile(r"^```device\n(.*?)^```$", re.M | re.S)


def settled(text):
    for pattern, word in CHANGES:
        text = pattern.sub(word, text)
    return text


def sessions_of_the_page_are_what_is_said(place):
    """Each line "$ traceview ..." of a session is run, where the ones before it were; what follows is what it says."""
    place.device("14", trace=fake_android.long_trace(20000))
    with open(PAGE, encoding="utf-8") as file:
        sessions = SESSION.findall(file.read())
    assert sessions, "docs/devices.md shows no session"
    for session in sessions:
        said = ""
        for line in session.splitlines():
            if line.startswith("$ traceview "):
                words = shlex.split(line[len("$ traceview "):])
                words = [place.traces()[-1] if re.fullmatch(APP + r"-[\d-]+\.trace", word) else word for word in words]
                said += line + "\n" + place.run(*words)[1]
        if settled(said) != settled(session):
            raise AssertionError("a session of docs/devices.md is now:\n" + said)


def problem_of(test, program):
    """Runs a test with a server of its own: its devices are the only ones there."""
    with fake_device.Server() as server:
        place = Place(program, server)
        try:
            test(place)
            check_page(test, place.said)
        except (AssertionError, OSError, IndexError, subprocess.SubprocessError) as error:
            return "%s: %s\n%s" % (test.__name__, error, place.said[-2000:])
        finally:
            place.close()
    return ""


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not shutil.which("adb"):
        print("skipped: devices: adb is missing")
        print("0 passed, 0 failed")
        return 0
    known = {name: test for name, test in globals().items()
             if inspect.isfunction(test) and list(inspect.signature(test).parameters) == ["place"]}
    tests = [globals()[name] for name in names] or list(known.values())
    failed = 0
    for state, _, name in page_rows():
        if name not in known:
            failed += 1
            print("docs/devices.md: %s: there is no test %s" % (state, name))
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for problem in pool.map(lambda test: problem_of(test, program), tests):
            if problem:
                failed += 1
                print(problem)
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
