#!/usr/bin/env python3
"""The real adb server with devices of ours, for tests that are not in Python.

Prints an object with the variables of the program under test; then takes a command a line, and answers each with a line:

    plug 14 {"is_unauthorised": true} unauthorized     connects a device; the answer is its serial number
    set {"cut_pull_at": 0.5}                           changes the device that was plugged in last
    unplug                                             takes it away
    stop                                               ends the server

Ends with its input.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import adb_server
import fake_android
import fake_device

NAMES = ("ANDROID_ADB_SERVER_PORT", "ADB_MDNS", "HOME")


def settings_of(text):
    settings = json.loads(text)
    if "records" in settings:
        settings["trace"] = fake_android.long_trace(settings.pop("records"))
    return settings


def obey(server, devices, words):
    if words[0] == "plug":
        devices.append(fake_device.Device(words[1], **settings_of(words[2])))
        server.connect(devices[-1], words[3] if len(words) > 3 else "device")
        return devices[-1].serial
    if words[0] == "set":
        for name, value in settings_of(words[1]).items():
            setattr(devices[-1] if hasattr(devices[-1], name) else devices[-1].android, name, value)
    elif words[0] == "unplug":
        device = devices.pop()
        server.run("disconnect", device.serial)
        device.close()
    elif words[0] == "stop":
        server.stop()
    return "done"


def main():
    devices = []
    with adb_server.Server() as server:
        print(json.dumps({name: server.environment[name] for name in NAMES}), flush=True)
        for line in sys.stdin:
            words = line.split(" ", 2 if line.startswith("plug") else 1)
            if words[0] == "plug":
                words[2:] = words[2].rsplit("} ", 1) if "} " in words[2] else [words[2]]
                words[2] += "" if words[2].rstrip().endswith("}") else "}"
            print(obey(server, devices, [word.strip() for word in words]), flush=True)
        for device in devices:
            device.close()


if __name__ == "__main__":
    main()
