#!/usr/bin/env python3
"""Devices: the real adb server of this machine, with devices of ours behind it (fake_device.py).

    devices.py PROGRAM [TEST...]

What can go wrong is in states.py, which docs/devices.md has a table of. Ends with "N passed, N failed".
"""

import inspect
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "support"))
import adb_server
import fake_android
import states
from on_terminal import OnTerminal
from place import APP, equal, has, left_on, run_tests, wait_until

ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "devices.md")
VERSIONS = tuple(fake_android.PERSONAS)
FILE = "/data/local/tmp/a.trace"
TEXTS = os.path.join(HERE, "texts")
# A row of the page's table of states: what it is, what is said, the test.
ROW = re.compile(r"^\| ([^|]+) \| `(.+?)`[^|]* \| `(\w+)` \|$", re.M)


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


def texts_say_where_they_are_from(place):
    for name in os.listdir(TEXTS):
        with open(os.path.join(TEXTS, name), encoding="utf-8") as file:
            kind, origin = file.read().split("\n\n", 1)[0].split("\n")
        assert re.fullmatch(r"[a-z-]+@\d+\.txt", name) and re.fullmatch("kind: (transcript|source)", kind), name
        assert origin.startswith("origin: ") and len(origin) > 30, name


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


def recordings_of_one_second_have_names_of_their_own(place):
    """One app on three devices, in one folder, twice each: whatever begins in the same second replaces no other."""
    devices = [place.device("14") for _ in range(3)]
    for _ in range(2):
        running = [place.begin("record", "--no-view", "-s", device.serial, "--duration", "200ms", APP) for device in devices]
        equal([place.end(process)[0] for process in running], [0, 0, 0])
    equal(len(place.traces()), 6)
    for name in place.traces():
        assert re.fullmatch(re.escape(APP) + r"-\d{4}-\d\d-\d\d-\d{6}(-\d)?\.trace", name), name
        equal(place.read(name), fake_android.made("v3-dual.trace"))
    equal([name for name in os.listdir(place.folder) if "part" in name], [])
    assert any(re.search(r"-\d\.trace", name) for name in place.traces()), place.traces()


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


def name_longer_than_any_package_is_cut(place):
    """A device may call a process what it likes; of the name the first 255 bytes are in paths."""
    device = place.device("14")
    device.android.apps.append(fake_android.App("c" * 300, 4712))
    place.gives("--duration", "200ms", "-o", "long.trace", "4712")
    line = [line for line in device.android.commands if line.startswith("am profile start")][-1]
    has(line, "am profile start 4712 /data/local/tmp/" + "c" * 255 + "-2")


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
    """On a terminal of 80 columns, of an app whose name has what a terminal would obey."""
    device = place.device("14")
    device.android.apps[0].package = "com.a.b\x1b]0;x"
    terminal = OnTerminal([place.program, "record", "--no-view", "-s", device.serial, "4711"], place.folder,
                          dict(place.server.environment, XDG_STATE_HOME=place.path("state")))
    terminal.read(b"in a buffer of 8 MiB; any key ends it")
    terminal.type(b"q")
    status, text = terminal.end()
    equal((status, len(place.traces())), (0, 1))
    assert re.search(r"com\.a\.b__0_x  \d+\.\d s", text), text
    assert not re.search(r"\x1b(?!\[K)", text), text
    OnTerminal.live_lines(text)


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
    device = place.device("14")
    folder = place.path("bin")
    os.mkdir(folder)
    with open(os.path.join(folder, "com.example.app"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho it ran\n")
    os.chmod(os.path.join(folder, "com.example.app"), 0o755)
    path = {"PATH": folder + ":" + os.environ["PATH"]}
    for words in ([APP], ["--", APP]):
        place.run("record", *words, environment=path)
        equal(device.services, [])  # a program needs no device
    status, said = place.run("record", "--streaming", "--", "./app")
    equal(status, 2)
    has(said, "--streaming is for apps on Android devices")
    status, said = place.run("record", "--depth", "3", APP)
    equal(status, 2)
    has(said, "--depth is for programs on this machine")


# Advice.

def overflow_tells_the_command_that_has_room(place):
    device = place.device("14", overflows_below_mb=64)
    place.gives("--duration", "200ms", APP)
    has(place.said, "the buffer was full: `traceview record --duration 200ms --no-view --buffer 16m com.example.app` may have room")
    # With all that was asked for, in words for a shell: it runs, where several devices are and names have blanks.
    place.device("11")
    os.mkdir(place.path("my dir"))
    status, said = place.record("-s", device.serial, "--duration", "1500us", "--app-startup", "--clock-type=wall", "--start-activity=.MainActivity",
                                "--buffer", "32m", "-o", "my dir/a b.trace", APP)
    equal(status, 0)
    words = shlex.split(re.search(r"the buffer was full: `traceview (.*)` may have room", said)[1])
    equal(words, ["record", "-s", device.serial, "--duration", "1500us", "--clock-type", "wall", "--app-startup", "--start-activity=.MainActivity",
                  "--no-view", "--buffer", "64m", "-o", "my dir/a b.trace", APP])
    status, said = place.run(*words)
    assert status == 0 and "the buffer was full" not in said, said
    device.android.apps.append(fake_android.App(APP + ":web", 6001))
    has(place.gives("-s", device.serial, "--duration", "200ms", APP + ":web")[0], "--buffer 16m com.example.app:web` may have room")
    device.android.overflows_below_mb = 4096
    said, _ = place.gives("-s", device.serial, "--duration", "200ms", "--buffer", "2047m", APP)
    has(said, "the buffer was full, and Android has no larger one: give --streaming, or record less, or give --sampling 1ms")


def buffer_for_a_duration_is_told(place):
    device = place.device("14", trace=fake_android.long_trace(300000))
    process = place.begin("record", "--no-view", "--duration", "30s", APP)
    wait_until(lambda: device.android.recording)
    process.send_signal(signal.SIGINT)
    _, said = place.end(process)
    has(said, "as busy apps do, 30 s need a buffer of 256 MiB, and it has 8: give --buffer 256m, or --streaming")
    process = place.begin("record", "--no-view", "--duration", "30s", APP)  # 4.2 MB in 150 ms by now
    wait_until(lambda: device.android.recording and device.android.recording.ended is None)
    process.send_signal(signal.SIGINT)
    has(place.end(process)[1], "MB a second, as it did the last time, 30 s need")
    # Android has less than 2 GiB, and takes what is more for another size, or for none.
    for options, advice in (([], "give --streaming, or record less, or give --sampling 1ms"), (["--buffer", "2047m"], "give --streaming")):
        process = place.begin("record", "--no-view", "--duration", "1h", *options, APP)
        wait_until(lambda: device.android.recording and device.android.recording.ended is None)
        process.send_signal(signal.SIGINT)
        _, said = place.end(process)
        has(said, "3600 s have no room in any buffer of Android: " + advice)
        assert "--buffer" not in said, said
    status, said = place.record("--buffer", "2048m", APP)
    equal(status, 2)
    has(said, "--buffer takes up to 2047m: Android has no larger one")


def steps_of(place, *words):
    """What --progress=json tells, in order, and what people are told."""
    process = subprocess.Popen([place.program, "record", "--no-view", "--progress=json", *words], cwd=place.folder,
                               env=dict(place.server.environment, XDG_STATE_HOME=place.path("state")),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = process.communicate(timeout=adb_server.PATIENCE_S * 2)
    equal(process.returncode, 0)
    return [json.loads(line) for line in out.splitlines()], err


def programs_are_told_how_far_it_is(place):
    device = place.device("14", trace=fake_android.long_trace(20000), cut_pull_at=0.6, back_after_s=1)
    place.reconnect_until(lambda: not device.android.recording and not place.devices, device)
    steps, said = steps_of(place, "--duration", "1s", "--streaming", APP)
    phases = [step["phase"] for step in steps]
    equal(sorted(set(phases), key=phases.index), ["starting", "recording", "finishing", "pulling"])
    recorded = [step for step in steps if step["phase"] == "recording"]
    equal([step["ms"] for step in recorded], sorted(step["ms"] for step in recorded))
    assert all(step["buffer"] == 0 for step in recorded), recorded  # it is streamed
    pulled = [step for step in steps if step["phase"] == "pulling"]
    equal({step["of"] for step in pulled[-1:]}, {pulled[-1]["done"]})
    assert any(step["waiting"] for step in pulled) and not pulled[-1]["waiting"], pulled
    assert re.search(r"it is gone at \d+ % of the file", said), said


def programs_are_told_what_buffer_has_room(place):
    place.device("14", overflows_below_mb=64)
    steps, said = steps_of(place, "--duration", "200ms", APP)
    equal([step["buffer"] for step in steps if step["phase"] == "recording"][-1:], [8 << 20])
    equal(steps[-1]["phase"], "full")
    has(said, "--buffer %um " % steps[-1]["needed_mb"])
    steps, _ = steps_of(place, "--duration", "200ms", "--buffer", "64m", APP)
    equal([step for step in steps if step["phase"] == "full"], [])


def distortion_is_told(place):
    """Records that are 3 us apart, of which the file says that each takes 2."""
    trace = fake_android.long_trace(20000).replace(b"vm=art\n", b"clock-call-overhead-nsec=2000\nvm=art\n")
    place.device("14", trace=trace)
    has(place.gives("--duration", "200ms", APP)[0], "% of the time is recording itself")


def duration_is_told_as_it_was_read(place):
    """A number without a unit is milliseconds, which is seen."""
    place.device("14")
    for given, told in (("5", "5 ms"), ("1500ms", "1500 ms"), ("2s", "2 s")):
        said, name = place.gives("--duration", given, APP)
        has(said, "Android 14: for %s\n" % told)
        os.remove(place.path(name))


def place_is_looked_at_first(place):
    device = place.device("14")
    has(place.fails("-o", "no/folder/a.trace", APP), "cannot be written here, so nothing is recorded")
    assert not any(line.startswith("am profile") for line in device.android.commands), device.android.commands
    has(place.fails("-o", "-", APP, status=2), "goes to a file")


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
    has(place.run("pull", "/data/local/tmp")[1], "/data/local/tmp is a folder on Pixel 8: name a file in it")
    has(place.run("pull", "/data/local/none.trace")[1], "/data/local/none.trace is not on Pixel 8")
    equal([name for name in os.listdir(place.folder) if "part" in name], [])


def traces_of_an_app_are_those_of_its_name(place):
    """Other apps have names that begin like it, or end like it."""
    device = place.device("14")
    whole = fake_android.made("v3-dual.trace")
    mine = ["com.example.app-2026-11-29-100000.trace", "com.example.app.trace", "my com.example.app's.trace"]
    for name in mine + ["com.example.app%s-2026.trace" % rest for rest in ("2", "lication", ".debug", "_a")] + ["org.com.example.app-1.trace"]:
        device.android.put("/data/local/tmp/" + name, whole)
        device.android.files["/data/local/tmp/" + name].changed += 0 if name in mine else 60
    status, said = place.run("pull", "--list", APP)
    equal((status, sorted(line.split("/")[-1] for line in said.splitlines())), (0, sorted(mine)))
    device.android.put("/sdcard/Android/data/com.example.app/files/dmtrace.trace", whole)
    has(place.run("pull", "--list", APP + ":web")[1], "files/dmtrace.trace")  # each of its processes writes there


def names_from_a_device_stay_in_the_folder(place):
    """A device lists what it likes; a file here has the last part of its name, and no other."""
    device = place.device("14")
    device.android.apps[0].package = "com.example/../../x\x1b[31m;y"
    said, name = place.gives("--duration", "200ms", "4711")
    assert re.fullmatch(r"com.example_.._.._x__31m_y-[\d-]+\.trace", name), name
    assert "\x1b" not in said, said


def parts_of_others_are_left_alone(place):
    """Two recordings into one file, beside a part that was there: each has a part of its own, and the trace is whole."""
    devices = [place.device("14"), place.device("11")]
    with open(place.path("x.trace.part"), "w", encoding="utf-8") as file:
        file.write("mine")
    running = [place.begin("record", "--no-view", "-s", device.serial, "-o", "x.trace", "--duration", "500ms", APP) for device in devices]
    for process in running:
        status, said = place.end(process)
        equal((status, "kept here" in said), (0, False))
    equal((place.read("x.trace.part"), place.read("x.trace")), (b"mine", fake_android.made("v3-dual.trace")))
    equal(sorted(name for name in os.listdir(place.folder) if name.startswith("x.")), ["x.trace", "x.trace.part"])


def part_is_of_one_file(place):
    """A pull goes on with the part of the same file of the same device alone, however alike others are."""
    devices = [place.device("14"), place.device("14")]
    first, second, third = [fake_android.long_trace(count) for count in (40000, 60000, 50000)]
    for device, path, content in ((devices[0], "/data/local/tmp/m.trace", first), (devices[0], "/sdcard/m.trace", second),
                                  (devices[1], "/data/local/tmp/m.trace", third)):
        device.android.put(path, content)
        device.android.files[path].changed = 1700000000
    devices[0].cut_pull_at = 0.5
    process = place.begin("pull", "-s", devices[0].serial, "/data/local/tmp/m.trace")
    place.hear(process, "it is gone at")
    process.send_signal(signal.SIGINT)
    equal(place.end(process)[0], 1)
    devices[0].plug_in()
    place.server.connect(devices[0])
    for device, path, content in ((devices[0], "/sdcard/m.trace", second), (devices[1], "/data/local/tmp/m.trace", third),
                                  (devices[0], "/data/local/tmp/m.trace", first)):
        equal(place.run("pull", "-s", device.serial, path)[0], 0)
        equal(place.read("m.trace"), content)
    equal([name for name in os.listdir(place.folder) if "part" in name], [])


def own_trace_of_an_app_is_waited_for(place):
    device = place.device("14")
    device.android.put("/data/local/tmp/com.example.app-old.trace", b"old")
    process = place.begin("record", "--no-view", "--method", "Debug", APP)
    wait_until(lambda: sum("files" in line for line in device.android.commands) > 0)
    whole = fake_android.made("v3-dual.trace")
    device.android.put("/sdcard/Android/data/com.example.app/files/dmtrace.trace", whole)
    device.android.put("/data/local/tmp/com.example.app2-x.trace", whole)
    status, said = place.end(process)
    has(said, "it writes /sdcard/Android/data/com.example.app/files/dmtrace.trace")
    first = place.traces()[0]
    assert re.fullmatch(re.escape(APP) + r"-[\d-]+\.trace", first), first
    equal((status, place.read(first)), (0, whole))
    # The next one has the same name on the device, and is another file here; whichever process of the app writes it.
    device.android.apps.append(fake_android.App(APP + ":web", 6001))
    process = place.begin("record", "--no-view", "--method", "Debug", APP + ":web")
    place.hear(process, "waiting on")
    time.sleep(0.5)
    other = fake_android.made("v2-wall.trace")
    device.android.put("/sdcard/Android/data/com.example.app/files/dmtrace.trace", other)
    equal(place.end(process)[0], 0)
    equal((len(place.traces()), place.read(first)), (2, whole))
    equal(sorted(place.read(name) for name in place.traces()), sorted([whole, other]))
    equal([name for name in os.listdir(place.folder) if "part" in name], [])
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


def every_state_of_the_page_has_a_test(place):
    """And every test of a state has a row there."""
    del place
    equal(sorted(set(name for _, _, name in page_rows())), sorted(tests_of(vars(states))))


def tests_of(names):
    return {name: test for name, test in names.items()
            if inspect.isfunction(test) and list(inspect.signature(test).parameters) == ["place"]}


if __name__ == "__main__":
    sys.exit(run_tests("devices", [*tests_of(globals()).values(), *tests_of(vars(states)).values()], check=check_page))
