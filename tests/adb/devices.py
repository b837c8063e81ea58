#!/usr/bin/env python3
"""Devices: the real adb server of this machine, with devices of ours behind it (fake_device.py).

    devices.py PROGRAM [TEST...]

Ends with "N passed, N failed".
"""

import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import fake_android
import fake_device

VERSIONS = tuple(fake_android.PERSONAS)
FILE = "/data/local/tmp/a.trace"


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
        self.program, self.server, self.devices = program, server, []
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

    def close(self):
        for device in self.devices:
            self.server.run("disconnect", device.serial)
            device.close()
        shutil.rmtree(self.folder, ignore_errors=True)


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


TESTS = [
    fake_device_answers_the_real_adb,
    fake_device_knows_the_options_of_its_version,
    fake_device_grows_a_streamed_file,
    fake_device_is_pulled_out_and_comes_back,
]


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not shutil.which("adb"):
        print("skipped: devices: adb is missing")
        print("0 passed, 0 failed")
        return 0
    failed = 0
    tests = [test for test in TESTS if not names or test.__name__ in names]
    with fake_device.Server() as server:
        for test in tests:
            place = Place(program, server)
            try:
                test(place)
            except (AssertionError, OSError) as error:
                failed += 1
                print("%s: %s" % (test.__name__, error))
            finally:
                place.close()
    print("%d passed, %d failed" % (len(tests) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
