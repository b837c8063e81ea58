#!/usr/bin/env python3
"""traceview devices and traceview processes, by the real adb server of this machine, with devices of ours behind it.

    listed.py PROGRAM [TEST...]

Ends with "N passed, N failed".
"""

import json
import os
import queue
import socket
import subprocess
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import adb_server
import fake_android
from place import equal, has, run_tests

VERSIONS = tuple(fake_android.PERSONAS)
NO_DEVICE = ("traceview: no device is connected: plug one in and switch on USB debugging in its developer options, or "
             "start an emulator\n")


def run(place, *words, **environment):
    done = subprocess.run([place.program, *words], env=dict(place.server.environment, **environment), capture_output=True,
                          text=True, timeout=adb_server.PATIENCE_S, check=False)
    return done.returncode, done.stdout, done.stderr


def a_device_has_state_model_and_serial(place):
    device = place.device("14")
    equal(run(place, "devices"), (0, "STATE  MODEL    SERIAL\nready  Pixel_8  %s\n" % device.serial, ""))
    status, out, _ = run(place, "devices", "--json")
    equal(status, 0)
    equal(json.loads(out), {"devices": [{"serial": device.serial, "ready": True, "state": "ready", "model": "Pixel_8",
                                         "product": "shiba", "device": "shiba", "advice": None}]})


def without_a_device_it_says_how_to_get_one(place):
    equal(run(place, "devices"), (0, "", NO_DEVICE))
    equal(run(place, "devices", "--json"), (0, '{"devices":[]}\n', ""))
    equal(run(place, "processes"), (1, "", NO_DEVICE))


def a_device_that_cannot_be_used_has_advice(place):
    unauthorised = place.device("14", "unauthorized", is_unauthorised=True)
    advice = '%s is unauthorised: unlock it, and say yes to "Allow USB debugging" on its screen' % unauthorised.serial
    status, out, err = run(place, "devices")
    equal((status, err), (0, "traceview: %s\n" % advice))
    has(out, "unauthorised  -      " + unauthorised.serial)
    equal(json.loads(run(place, "devices", "--json")[1])["devices"][0]["advice"], advice)
    equal(run(place, "processes"), (1, "", "traceview: %s\n" % advice))
    ready = place.device("11")
    status, out, _ = run(place, "processes")
    equal(status, 0)  # the only one that can be used
    has(out, "com.example.app")
    equal(run(place, "processes", "-s", unauthorised.serial)[0], 1)
    equal(run(place, "processes", ANDROID_SERIAL=ready.serial)[0], 0)


def one_of_several_is_named(place):
    first, second = place.device("8"), place.device("16")
    status, _, err = run(place, "processes")
    equal(status, 1)
    has(err, "2 devices are connected: say which one by -s SERIAL or ANDROID_SERIAL (")
    for device in (first, second):
        equal(json.loads(run(place, "processes", "--json", "-s", device.serial)[1])["serial"], device.serial)
    status, _, err = run(place, "processes", "-s", "nobody")
    equal((status, err), (1, "traceview: no device has the serial number nobody: `traceview devices` lists those that are "
                             "there\n"))


def processes_of_each_android(place):
    for version in VERSIONS:
        device = place.device(version)
        status, out, _ = run(place, "processes", "--json", "-s", device.serial)
        equal(status, 0)
        answer = json.loads(out)
        equal(answer["lists_profileable"], int(version) >= 12)
        app = next(each for each in answer["processes"] if each["name"] == "com.example.app")
        equal((app["pid"], app["package"], app["debuggable"], app["user"], app["unix_user"]),
              (4711, "com.example.app", True, 0, "u0_a123"))
        equal(app["uptime_s"] is None, int(version) < 8)


# What each version has of recordings: docs/devices.md, "Which Android knows what".
SINCE = {"sampling": 6, "startup-sampling": 5, "buffer": 7, "streaming": 8, "profileable": 10, "clock-type": 14,
         "output-version": 15}


def abilities_of_each_android_are_told(place):
    for version in VERSIONS:
        device = place.device(version)
        for words in ((), ("--installed",)):
            answer = json.loads(run(place, "processes", "--json", "-s", device.serial, *words)[1])
            equal(answer["android"], "Android 5.1" if version == "5" else "Android " + version)
            equal(answer["abilities"], [{"name": name, "since": "Android %d" % since, "has": int(version) >= since}
                                        for name, since in SINCE.items()])
    device.android.apps.clear()  # nothing that can be recorded: the dialog may be to start something
    equal(len(json.loads(run(place, "processes", "--json", "-s", device.serial)[1])["abilities"]), len(SINCE))


def a_process_may_be_profileable_alone(place):
    place.device("14", is_debuggable=False)
    has(run(place, "processes")[1], "4711  profileable     0")
    place.close()
    place.devices.clear()
    place.device("11", is_debuggable=False)
    status, out, err = run(place, "processes")
    equal(status, 0)
    assert "com.example.app" not in out, out
    has(err, "before Android 12 a device lists debuggable processes only")


def installed_apps_are_listed_running_or_not(place):
    device = place.device("14", is_running=False)
    device.android.installed.append(fake_android.App("not a package; rm -rf /", 1))
    device.android.installed.append(fake_android.App("x" * 300 + ".y", 2))
    equal(run(place, "processes", "--installed")[:2], (0, "com.example.app\ncom.example.other\n"))
    status, out, _ = run(place, "processes", "--installed", "--json")
    answer = json.loads(out)
    equal((status, answer["serial"]), (0, device.serial))
    app = answer["apps"][0]
    equal((app["name"], [rate["sampled"] for rate in app["rates"]]), ("com.example.app", [False, True]))
    equal(app["rates"][0], {"sampled": False, "bytes_per_s": 4700000, "of_app": False,
                            "buffers": [[1, 8], [5, 32], [10, 64], [30, 256], [60, 512]]})
    equal(json.loads(run(place, "processes", "--json")[1])["processes"][0]["rates"], app["rates"])
    equal(run(place, "processes", "--installed", "--jvm")[0], 2)


def a_device_that_talks_garbage_is_named(place):
    device = place.device("14")
    device.garbles = "shell"
    status, out, err = run(place, "processes")
    equal((status, out), (1, ""))
    assert err.startswith("traceview: ") and err.count("\n") == 1, err


class Watching:
    """traceview devices --watch, line after line."""

    def __init__(self, place, *words):
        self.child = subprocess.Popen([place.program, "devices", "--watch", *words], env=place.server.environment,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.child.stdout], daemon=True).start()

    def next(self):
        return self.lines.get(timeout=adb_server.PATIENCE_S)

    def close(self):
        self.child.kill()
        self.child.wait()


def a_watch_tells_of_each_change(place):
    watching = Watching(place, "--json")
    try:
        equal(json.loads(watching.next()), {"devices": []})
        device = place.device("14")
        while not (listed := json.loads(watching.next())["devices"]) or not listed[0]["ready"]:
            pass
        equal([(each["serial"], each["model"]) for each in listed], [(device.serial, "Pixel_8")])
        place.server.run("disconnect", device.serial)
        while json.loads(watching.next())["devices"]:
            pass
    finally:
        watching.close()


def a_server_that_does_not_run_is_started(place):
    place.server.stop()
    equal(run(place, "devices"), (0, "", NO_DEVICE))
    place.device("14")  # the server that was started is a real one


def without_adb_it_says_where_to_get_it(place):
    place.server.stop()
    try:
        equal(run(place, "devices", PATH="/nowhere", ANDROID_HOME="", ANDROID_SDK_ROOT=""),
              (1, "", "traceview: adb is not installed: it comes with the Android SDK platform tools, and as the package adb "
                      "of Debian and Ubuntu\n"))
    finally:
        place.server.run("start-server")


def another_server_on_its_port_is_named(place):
    with socket.create_server(("127.0.0.1", 0)) as other:
        def answer():
            connection, _ = other.accept()
            connection.recv(100)
            connection.sendall(b"220 mail.example.com ESMTP\r\n")
            connection.close()
        threading.Thread(target=answer, daemon=True).start()
        port = str(other.getsockname()[1])
        equal(run(place, "devices", ANDROID_ADB_SERVER_PORT=port),
              (1, "", "traceview: what listens at 127.0.0.1:%s is no adb server: end it, or set ANDROID_ADB_SERVER_PORT to "
                      "the port of yours\n" % port))


TESTS = [
    a_device_has_state_model_and_serial,
    without_a_device_it_says_how_to_get_one,
    a_device_that_cannot_be_used_has_advice,
    one_of_several_is_named,
    processes_of_each_android,
    abilities_of_each_android_are_told,
    a_process_may_be_profileable_alone,
    installed_apps_are_listed_running_or_not,
    a_device_that_talks_garbage_is_named,
    a_watch_tells_of_each_change,
    a_server_that_does_not_run_is_started,
    without_adb_it_says_where_to_get_it,
    another_server_on_its_port_is_named,
]


if __name__ == "__main__":
    sys.exit(run_tests("devices that are listed", TESTS))
