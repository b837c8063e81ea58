"""What can go wrong with a device, each by name: docs/devices.md has what is said then."""

import os
import re
import resource
import signal
import socket
import threading
import time

import fake_android
from place import APP, equal, has, left_on, wait_until

VERSIONS = tuple(fake_android.PERSONAS)
OTHER = "/data/local/tmp/com.example.app-old.trace"


def no_adb(place):
    os.mkdir(place.path("empty"))
    place.fails(APP, environment={"PATH": place.path("empty"), "ANDROID_ADB_SERVER_PORT": "1",
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


def several_processes_have_the_name(place):
    device = place.device("14")
    device.android.apps.append(fake_android.App(APP, 4999, uid=1010123))
    place.fails(APP)
    place.gives("--duration", "200ms", "4999")
    has("\n".join(device.android.commands), "am profile start 4999 ")
    has(place.run("processes")[1], "4999  debuggable    10 ")


def another_device_takes_its_serial_number(place):
    device = place.device("14")
    process = place.begin("record", "--no-view", APP)
    wait_until(lambda: device.android.recording)
    device.pull_out()
    device.android = fake_android.Android(device.persona)
    device.plug_in()
    place.server.connect(device)
    process.send_signal(signal.SIGINT)
    equal((place.end(process)[0], place.traces()), (1, []))


def app_is_not_installed(place):
    place.device("14")
    place.fails("com.example.nothing")


def another_process_of_the_app_runs(place):
    """Work in the background is no substitute: it is recorded where its process is named, and nowhere else."""
    device = place.device("14", is_running=False, comes_after_s=0.5)
    android = device.android
    android.apps = [fake_android.App(APP + ":push", 6001), fake_android.App(APP + "2", 6002)] + android.apps
    place.fails(APP)
    assert not any(line.startswith("am profile") for line in android.commands), android.commands
    for words, pid in (([APP + ":push"], 6001), (["--start-activity", APP], 5001), (["--app-startup", APP], 5002)):
        said, name = place.gives("--duration", "200ms", *words)
        has(said, "all calls of process %d " % pid)
        has(android.commands, "am profile stop %d" % pid)
        equal(left_on(device), ([], ""))
        os.remove(place.path(name))


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
    place.device("11")
    said = place.fails("-s", device.serial, "--duration", "200ms", "-o", "my own.trace", APP, preexec_fn=limit)
    remote = left_on(device)[0][0]
    has(said, "`traceview pull -s %s -o 'my own.trace' %s` goes on" % (device.serial, remote))
    part = [name for name in os.listdir(place.folder) if name.endswith(".part")]
    equal([place.read(name) for name in part], [whole[:100000]])
    before = len(device.services)
    status, said = place.run("pull", "-s", device.serial, "-o", "my own.trace", remote)  # there is room now
    equal((status, place.read("my own.trace")), (0, whole))
    equal([name for name in os.listdir(place.folder) if name.endswith(".part")], [])
    has(" ".join(device.services[before:]), "tail -c +100001 ")


def cable_is_pulled_and_comes_back(place):
    whole = fake_android.long_trace(300000)
    device = place.device("14", trace=whole, finishes_in_s=0, cut_pull_at=0.6, back_after_s=0.5)
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
    place.hear(process, "it is gone at")
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
    process = place.begin("record", "--no-view", APP)
    wait_until(lambda: device.android.recording)
    device.pull_out()
    place.hear(process, "it does not answer: connect it again")
    device.plug_in()
    place.reconnect_until(is_over.is_set, device)
    place.hear(process, "it is back")
    process.send_signal(signal.SIGINT)
    status, said = place.end(process)
    is_over.set()
    equal((status, place.read(place.traces()[0])), (0, whole))
    has(said, "it does not answer: connect it again")


def end_of_the_file_never_comes(place):
    """Of a recording it is waited for; a file that is pulled is what it is."""
    whole = fake_android.long_trace(20000)
    cut = whole[:int(len(whole) * 0.9)]
    device = place.device("14", trace=whole, never_whole=True)
    status, said = place.record("--duration", "200ms", APP)
    equal(status, 1)
    equal([place.read(name) for name in place.traces()], [cut])
    device.android.put(OTHER, cut)
    status, said = place.run("pull", OTHER)
    equal((status, place.read(os.path.basename(OTHER))), (0, cut))
    has(said, "missing_records, 2002")


def end_of_a_file_is_waited_for(place):
    """It pauses in the middle, as a device does that writes a full buffer."""
    whole = fake_android.long_trace(20000)
    device = place.device("14", trace=whole, never_whole=True)
    process = place.begin("record", "--no-view", "--duration", "200ms", APP)
    wait_until(lambda: device.services.count("sync:") > 3)  # the file was pulled, and is looked at again
    device.android.never_whole = False
    status, said = place.end(process)
    equal((status, place.read(place.traces()[0])), (0, whole))


def ctrl_c_while_the_end_is_waited_for(place):
    device = place.device("14", trace=fake_android.long_trace(20000), never_whole=True)
    process = place.begin("record", "--no-view", "--duration", "200ms", APP)
    comes = int(len(device.android.trace) * 0.9)
    wait_until(lambda: comes in [os.path.getsize(place.path(name)) for name in os.listdir(place.folder) if ".part" in name])
    process.send_signal(signal.SIGINT)
    status, said = place.end(process)
    equal((status, place.traces(), len(left_on(device)[0])), (1, [], 1))


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


def device_claims_a_length(place):
    whole = fake_android.long_trace(20000)
    device = place.device("14", claims_bytes=1 << 62)
    device.android.put(OTHER, whole)
    status, said = place.run("pull", OTHER)
    equal(status, 1)
    has(said, "4611686018.4 GB")
    equal(os.listdir(place.folder), [])


def device_sends_less_than_it_says(place):
    whole = fake_android.long_trace(20000)
    device = place.device("14", claims_bytes=len(whole) + 5)
    device.android.put(OTHER, whole)
    equal(place.run("pull", OTHER)[0], 1)
    equal(place.traces(), [])
    device.android.claims_bytes = None
    status, _ = place.run("pull", OTHER)
    equal((status, place.read(place.traces()[0])), (0, whole))


def names_are_hostile(place):
    """The rest of a pull is asked of the device's shell, by the name that the device told."""
    whole = fake_android.long_trace(20000)
    device = place.device("14", cut_pull_at=0.6)
    name = "-com.example.app $(reboot) `id` 'a' \"b\"; rm -rf ~ | \x1b[2J\n&.trace"
    device.android.put("/data/local/tmp/" + name, whole)
    process = place.begin("pull", APP)
    wait_until(lambda: device.is_out)
    process.send_signal(signal.SIGINT)
    equal(place.end(process)[0], 1)
    device.plug_in()
    place.server.connect(device)
    equal(place.run("pull", APP)[0], 0)
    here = "_" + name[1:].replace("\x1b", "_").replace("\n", "_")
    equal((place.traces(), place.read(here)), ([here], whole))
    line = [line for line in device.android.commands if line.startswith("tail")][-1]
    equal(line.split(" ", 3)[3], "'/data/local/tmp/%s'" % name.replace("'", "'\\''"))


def ctrl_c_before_it_records(place):
    device = place.device("14", is_silent=True)
    process = place.begin("record", "--no-view", APP)
    wait_until(lambda: device.services)
    process.send_signal(signal.SIGINT)
    status, said = place.end(process)
    equal((status, place.traces()), (1, []))
    assert "took longer" not in said, said


def terminal_is_closed_while_it_records(place):
    device = place.device("14")
    process = place.begin("record", "--no-view", APP)
    wait_until(lambda: device.android.recording)
    process.send_signal(signal.SIGHUP)
    status, said = place.end(process)
    equal((status, place.read(place.traces()[0])), (0, fake_android.made("v3-dual.trace")))
    equal(left_on(device), ([], ""))


def recorded_twice_at_once(place):
    device = place.device("14")
    first = place.begin("record", "--no-view", APP)
    wait_until(lambda: device.android.recording)
    place.fails(APP)
    first.send_signal(signal.SIGINT)
    equal((place.end(first)[0], len(place.traces())), (0, 1))


def clock_of_the_device_is_far_off(place):
    whole = fake_android.made("v3-dual.trace")
    device = place.device("14")
    for changed in (-(1 << 62), -1, 1 << 33, (1 << 63) - 1):
        device.android.put(OTHER, whole)
        device.android.files[OTHER].changed = changed
        equal(place.run("pull", "--list", APP)[0], 0)
        equal(place.run("pull", APP)[0], 0)
        equal(place.read(os.path.basename(OTHER)), whole)


def folder_here_cannot_be_written(place):
    device = place.device("14")
    device.android.put(OTHER, fake_android.made("v3-dual.trace"))
    has(place.fails("-o", "none/a.trace", APP), "so nothing is recorded")
    equal(place.run("pull", "-o", "none/a.trace", OTHER)[0], 1)
    os.mkfifo(place.path("pipe"))
    for name, why in ((".", ". is a folder here: name a file in it"), ("pipe", "pipe is no plain file")):
        has(place.fails("-o", name, APP), why)
        has(place.run("pull", "-o", name, OTHER)[1], why)
    equal(sorted(os.listdir(place.folder)), ["pipe"])


def nobody_reads_what_is_said(place):
    """Standard output is closed, so that its number is free for files."""
    device = place.device("14")
    whole = fake_android.made("v3-dual.trace")
    device.android.put(OTHER, whole)
    status, _ = place.run("pull", "-o", "a.trace", OTHER, preexec_fn=lambda: (os.close(0), os.close(1)))
    equal((status, place.read("a.trace")), (0, whole))
