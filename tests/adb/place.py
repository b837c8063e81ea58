"""A place for a test of devices: a folder, an adb server, and devices that are gone after it; and how tests are run in one."""

import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import adb_server
import fake_device

APP = "com.example.app"


def equal(got, expected):
    assert got == expected, "got %.500r, expected %.500r" % (got, expected)


def has(text, part):
    assert part in text, "no %r in %.2000r" % (part, text)


def wait_until(holds):
    end = time.monotonic() + adb_server.PATIENCE_S
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

    @staticmethod
    def hear(process, words):
        """Waits until it has said these words; end() gives them with the rest."""
        process.heard = getattr(process, "heard", b"")
        while words.encode() not in process.heard:
            part = os.read(process.stdout.fileno(), 4096)
            assert part, "it ended without %r: %r" % (words, process.heard)
            process.heard += part

    def end(self, process):
        """(status, what it said)."""
        try:
            said, _ = process.communicate(timeout=adb_server.PATIENCE_S * 2)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            raise AssertionError("it did not end: %.1000s" % said)
        said = getattr(process, "heard", b"").decode("utf-8", "replace") + said
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


def problem_of(test, program, kind, check):
    """What went wrong in a test, "" for nothing. Its adb server is its own, so its devices are the only ones there."""
    with adb_server.Server() as server:
        place = kind(program, server)
        try:
            test(place)
            check(test, place.said)
        except (AssertionError, OSError, IndexError, subprocess.SubprocessError) as error:
            return "%s: %s\n%s" % (test.__name__, error, place.said[-2000:])
        finally:
            place.close()
    return ""


def run_tests(what, tests, kind=Place, check=lambda _test, _said: None, at_once=6):
    """Runs `PROGRAM [TEST...]` of the command line, and returns a status. Most of a test is waiting, so that several run
    at once, unless they must not."""
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not shutil.which("adb"):
        print("skipped: %s: adb is missing\n0 passed, 0 failed" % what)
        return 0
    chosen = [test for test in tests if not names or test.__name__ in names]
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        problems = list(filter(None, pool.map(lambda test: problem_of(test, program, kind, check), chosen)))
    print("".join(problem + "\n" for problem in problems) +
          "%d passed, %d failed" % (len(chosen) - len(problems), len(problems)))
    return 1 if problems else 0


def left_on(device):
    """Traces that are on the device, and settings of it."""
    return [name for name in device.android.files if name.endswith(".trace")], \
        device.android.properties.get("debug.traceview-buffer-size-mb", "")
