#!/usr/bin/env python3
"""What the page asks of the viewer to record: devices, processes, recording. The device is a fake one behind the real adb,
the Java program a real one, where there is no adb.

    recorded_by_page.py PROGRAM [TEST...]

Ends with "N passed, N failed".
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "adb"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "record"))
import adb_server
import fake_android
import fake_device
import served
import traces
from served import equal, wait_until

WAITS = os.path.join(os.path.dirname(HERE), "record", "programs", "java", "Waits.java")


class Page:
    """A viewer without a trace, in a folder of its own, and what the page sends to it."""

    def __init__(self, program, server):
        self.folder = tempfile.mkdtemp(prefix="traceview-recorded-")
        self.program = os.path.realpath(program)
        self.reports = tempfile.mkdtemp(prefix="traceview-reports-")
        # What a sanitizer finds, in the viewer or in a helper.
        variables = {name: "log_path=" + os.path.join(self.reports, name)
                     for name in ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")}
        variables["UBSAN_OPTIONS"] += ":print_stacktrace=1:halt_on_error=1"
        before = os.getcwd()
        os.chdir(self.folder)  # where recordings are put
        try:
            self.viewer = served.Viewer(program, "view", "--no-browser", file=None,
                                        variables=dict(server.environment, **variables))
        finally:
            os.chdir(before)

    def get(self, path):
        response, body = self.viewer.ask("api/" + path)
        return response.status, json.loads(body)

    def put(self, path):
        response, body = self.viewer.ask("api/" + path, "PUT", {"Content-Length": "0"})
        return response.status, json.loads(body)

    def state(self):
        return self.get("recording")[1]

    def wait_for(self, state):
        wait_until(lambda: self.state()["state"] == state)
        return self.state()

    def end(self):
        """Ends the viewer as Ctrl-C does; it and its helpers leave no report of a sanitizer."""
        self.viewer.process.send_signal(signal.SIGINT)
        equal(self.viewer.process.wait(timeout=served.PATIENCE_S), 0)
        wait_until(lambda: not self.helpers())
        for name in os.listdir(self.reports):
            with open(os.path.join(self.reports, name), encoding="utf-8", errors="replace") as file:
                raise AssertionError("%s: %.4000s" % (name, file.read()))

    def helpers(self):
        """Those that were started here and still run: a recording ends after the viewer."""
        running = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink("/proc/%s/exe" % pid) == self.program:
                    with open("/proc/%s/environ" % pid, "rb") as file:
                        running += [pid] if self.reports.encode() in file.read() else []
            except OSError:
                pass  # it has ended, or is another's
        return running

    def close(self):
        self.viewer.__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.reports, ignore_errors=True)


class NoServer:
    """No adb, and nothing where its server would be."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="traceview-no-adb-")
        self.environment = dict(PATH=self.folder.name, HOME=self.folder.name, ANDROID_HOME=self.folder.name,
                                ANDROID_SDK_ROOT=self.folder.name, ANDROID_ADB_SERVER_PORT="1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


class Place:
    def __init__(self, program, server):
        self.program, self.server, self.devices, self.pages = program, server, [], []
        self.programs = []

    def page(self):
        self.pages.append(Page(self.program, self.server))
        return self.pages[-1]

    def device(self, android="14", **settings):
        device = fake_device.Device(android, **settings)
        self.devices.append(device)
        return self.server.connect(device)

    def java(self, page):
        """Waits, which runs until the test is over, or something comes in."""
        subprocess.run(["javac", "-d", page.folder, WAITS], check=True)
        self.programs.append(traces.begin_waits(page.folder, "-cp", page.folder, "Waits"))
        return self.programs[-1]

    def close(self):
        for program in self.programs:
            program.kill()
            program.communicate()
        for page in self.pages:
            page.close()
        for device in self.devices:
            self.server.run("disconnect", device.serial)
            device.close()


def devices_and_processes_are_those_of_the_verbs(place):
    page, device = place.page(), place.device()
    status, listed = page.get("devices")
    equal((status, [each["serial"] for each in listed["devices"]]), (200, [device.serial]))
    status, listed = page.get("processes?serial=" + device.serial)
    equal((status, [each["pid"] for each in listed["processes"]]), (200, [4711, 4720]))


def a_server_is_started_only_when_that_is_asked_for(place):
    page = place.page()
    place.server.stop()
    status, answer = page.get("devices")
    equal(status, 200)
    assert "Connection refused" in answer["problem"], answer
    equal(page.get("devices?start=1"), (200, {"devices": []}))


def what_is_wrong_is_told(place):
    page = place.page()
    status, answer = page.get("processes?serial=nobody")
    equal((status, answer["problem"]), (200, "no device has the serial number nobody: `traceview devices` lists those that "
                                             "are there"))
    for query in ("serial=--version", "serial=%2d%2dhelp"):
        assert "no device has" in page.get("processes?" + query)[1]["problem"]  # a serial number, and no option
    equal(page.get("processes?serial=a%20b")[0], 400)
    equal(page.get("processes?other=1")[0], 400)
    equal(page.put("recording?serial=x&name=a")[0], 400)
    equal(page.put("recording?open=1")[0], 409)
    equal(page.viewer.ask("api/devices", "PUT")[0].status, 405)
    equal(page.viewer.ask("api/recording", "POST")[0].status, 405)
    equal(page.state()["state"], "idle")


def nobody_else_may_record(place):
    page = place.page()
    equal(page.viewer.ask("api/devices", token="0" * 32)[0].status, 404)
    equal(page.viewer.ask("api/recording?stop=1", "PUT", {"Origin": "http://evil.example"})[0].status, 403)
    equal(page.viewer.ask("api/recording?stop=1", "PUT", {"Host": "evil.example"})[0].status, 403)


def start(page, device, **more):
    query = "".join("&%s=%s" % pair for pair in more.items())
    return page.put("recording?serial=%s&pid=4711&name=com.example.app%s" % (device.serial, query))


def a_recording_is_stopped_and_shown(place):
    page, device = place.page(), place.device()
    status, state = start(page, device)
    equal((status, state["state"]), (200, "running"))
    wait_until(lambda: device.android.recording)
    wait_until(lambda: page.state().get("progress", {}).get("phase") == "recording")
    equal(start(page, device)[0], 409)
    equal(page.put("recording?stop=1")[1]["stopped"], True)
    state = page.wait_for("done")
    assert state["file"].startswith("com.example.app-") and state["file"].endswith(".trace"), state
    with open(os.path.join(page.folder, state["file"]), "rb") as file:
        equal(file.read(), fake_android.made("v3-dual.trace"))
    wait_until(lambda: page.get("info")[0] == 200)
    equal(page.get("info")[1]["file"], state["file"])


def a_recording_ends_by_its_duration(place):
    page, device = place.page(), place.device()
    equal(start(page, device, duration_s=1)[0], 200)
    equal(page.wait_for("done")["stopped"], False)


def a_recording_outlives_its_viewer(place, number):
    page, device = place.page(), place.device()
    start(page, device)
    wait_until(lambda: page.state().get("progress", {}).get("phase") == "recording")
    page.viewer.process.send_signal(number)
    page.viewer.process.wait(timeout=served.PATIENCE_S)
    wait_until(lambda: not page.helpers())
    names = [name for name in os.listdir(page.folder) if name.endswith(".trace")]
    equal(len(names), 1)
    with open(os.path.join(page.folder, names[0]), "rb") as file:
        equal(file.read(), fake_android.made("v3-dual.trace"))
    equal([name for name in device.android.files if name.endswith(".trace")], [])
    place.pages.remove(page)  # it has ended
    page.close()


def a_viewer_that_ends_has_its_recording_pulled(place):
    a_recording_outlives_its_viewer(place, signal.SIGINT)


def a_viewer_that_is_killed_has_its_recording_pulled(place):
    a_recording_outlives_its_viewer(place, signal.SIGKILL)


def why_a_recording_failed_is_told(place):
    page, device = place.page(), place.device(is_debuggable=False, is_profileable=False)
    start(page, device)
    state = page.wait_for("failed")
    assert "debuggable" in state["text"] + json.dumps(state.get("progress")), state
    equal(state["file"], "")
    equal(page.put("recording?open=1")[0], 409)


def without_adb_the_java_programs_are_listed(place):
    page = place.page()
    program = place.java(page)
    status, answer = page.get("devices?start=1")
    equal((status, answer), (200, {"problem": "adb is not installed: it comes with the Android SDK platform tools, and as "
                                              "the package adb of Debian and Ubuntu"}))
    status, answer = page.get("processes")
    equal((status, answer["recorder"]), (200, True))
    rows = [row for row in answer["processes"] if row["pid"] == program.pid]
    equal([(row["name"], row["ready"], row["advice"]) for row in rows], [("Waits", True, "")])


def record_java(page, pid, **more):
    return page.put("recording?pid=%d&name=Waits%s" % (pid, "".join("&%s=%s" % pair for pair in more.items())))


def a_java_program_is_recorded_and_shown(place):
    page = place.page()
    program = place.java(page)
    equal(record_java(page, program.pid)[1]["state"], "running")
    wait_until(lambda: page.state().get("progress", {}).get("bytes", 0) > 1000)
    equal(page.state()["progress"]["phase"], "recording")
    equal(page.put("recording?stop=1")[1]["stopped"], True)
    state = page.wait_for("done")
    assert state["file"].startswith("Waits-") and "none lost" in state["text"], state
    wait_until(lambda: page.get("info")[0] == 200)
    equal(page.get("info")[1]["file"], state["file"])
    methods = {row["class"] + "." + row["name"]: row["calls"] for row in page.get("top?n=0")[1]["methods"]}
    assert methods["Waits.step"] > 100 and abs(methods["Waits.half"] - 2 * methods["Waits.step"]) <= 2, methods
    equal([name for name in os.listdir(page.folder) if name.endswith(".recording")], [])
    equal(program.poll(), None)  # it goes on, and can be looked at again
    equal(record_java(page, program.pid, mode="sample", duration_s=1)[0], 200)
    state = page.wait_for("done")
    assert "sampled every 1000 us" in state["text"], state


def a_java_program_that_ends_leaves_its_trace(place):
    page = place.page()
    program = place.java(page)
    record_java(page, program.pid)
    wait_until(lambda: page.state().get("progress", {}).get("phase") == "recording")
    program.communicate("\n")
    equal(page.wait_for("done")["stopped"], False)


def a_viewer_that_is_killed_leaves_a_trace_of_java(place):
    page = place.page()
    program = place.java(page)
    record_java(page, program.pid)
    wait_until(lambda: page.state().get("progress", {}).get("bytes", 0) > 1000)
    page.viewer.process.kill()
    page.viewer.process.wait(timeout=served.PATIENCE_S)
    wait_until(lambda: not page.helpers())
    kept = [name for name in os.listdir(page.folder) if name.startswith("Waits-")]
    equal(len(kept), 1)
    assert kept[0].endswith(".trace") and program.poll() is None, kept
    place.pages.remove(page)
    page.close()


def what_is_no_java_program_is_told(place):
    page = place.page()
    record_java(page, os.getpid())
    state = page.wait_for("failed")
    equal((state["text"], state["file"]), ("process %d is no Java virtual machine" % os.getpid(), ""))
    equal(record_java(page, os.getpid(), mode="stream")[0], 400)
    equal(record_java(page, os.getpid(), buffer_mb=8)[0], 400)


TESTS = [
    devices_and_processes_are_those_of_the_verbs,
    a_server_is_started_only_when_that_is_asked_for,
    what_is_wrong_is_told,
    nobody_else_may_record,
    a_recording_is_stopped_and_shown,
    a_recording_ends_by_its_duration,
    a_viewer_that_ends_has_its_recording_pulled,
    a_viewer_that_is_killed_has_its_recording_pulled,
    why_a_recording_failed_is_told,
]
JAVA_TESTS = [
    without_adb_the_java_programs_are_listed,
    a_java_program_is_recorded_and_shown,
    a_java_program_that_ends_leaves_its_trace,
    a_viewer_that_is_killed_leaves_a_trace_of_java,
    what_is_no_java_program_is_told,
]


def why_no_java(program):
    """Why no Java program can be recorded by this build; empty: it can."""
    with open(program, "rb") as file:
        if b"san_init" in file.read():
            return "a virtual machine loads no agent that is built under a sanitizer"
    if not shutil.which("javac") or not os.path.exists(os.path.join(os.path.dirname(program), "include", "libtraceview-jvm.so")):
        return "a JDK is missing (openjdk-17-jdk-headless), or the build has no recorder for Java"
    return ""


def run(tests, program, make_server):
    """How many of the tests fail."""
    failed = 0
    for test in tests:
        with make_server() as server:
            place = Place(program, server)
            try:
                test(place)
                for page in place.pages:
                    page.end()
            except (AssertionError, OSError, LookupError, traces.Failed, subprocess.SubprocessError) as error:
                failed += 1
                print("%s: %s" % (test.__name__, error))
            finally:
                place.close()
    return failed


def main():
    program, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    failed = count = 0
    why_skipped = (("recordings of devices", "" if shutil.which("adb") else "adb is missing", TESTS, adb_server.Server),
                   ("recordings of Java programs", why_no_java(program), JAVA_TESTS, NoServer))
    for what, why, all_tests, make_server in why_skipped:
        tests = [test for test in all_tests if not names or test.__name__ in names]
        if why and tests:
            print("skipped: %s: %s" % (what, why))
            continue
        failed += run(tests, program, make_server)
        count += len(tests)
    print("%d passed, %d failed" % (count - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
