"""The device's `am`, as far as it starts apps and records them: for fake_shell.py."""

import time

from fake_android import OPTIONS, START_OPTIONS, TMP, App, Recording, text_of


class ActivityManager:
    """What a shell has of it: `android`, `version`, and `out` and `err` of the command that runs."""

    def do_am(self, words):
        if words[:1] == ["profile"]:
            return self.profile(words[1:])
        if words[:1] == ["force-stop"] and len(words) == 2:
            self.kill(words[1])
            return 0
        if words[:1] in (["start"], ["start-activity"]):
            return self.start_activity(words[1:])
        self.err("Error: unknown command '%s'\n" % " ".join(words[:1]))
        return self.failed(255)

    def failed(self, status):
        """Before Android 8 `am` was a program of its own that returned 0 after its own errors."""
        return status if self.version >= 8 else 0

    def options_of(self, words, table):
        """The options that a line begins with, and the words behind them; None where one is unknown."""
        given = {}
        while words and words[0].startswith("-"):
            name = words.pop(0)
            since, has_value = table.get(name, (99, False))
            if self.version < since:
                self.err(text_of("unknown-option", self.version, option=name))
                return None, words
            given[name] = words.pop(0) if has_value and words else ""
        return given, words

    def profile(self, words):
        command = words.pop(0) if words else ""
        given, words = self.options_of(words, OPTIONS)
        if given is None:
            return self.failed(255)
        if command == "stop":
            return self.stop_profile(words)
        if command != "start" or len(words) < 2:
            self.err("Error: Argument expected after \"%s\"\n" % (words[-1] if words else command))
            return self.failed(255)
        if self.android.ends_at_start:
            self.kill("com.example.app")
        app = self.android.find(words[0])
        if self.android.refuses_files or not words[1].startswith(TMP + "/"):
            self.err(text_of("no-file", self.version, file=words[1], context="u:object_r:shell_data_file:s0"))
            return self.failed(255)
        self.android.put(words[1], b"")  # it is opened before the process is looked for
        if not app:
            self.err(text_of("unknown-process", self.version, process=words[0]))
            return self.failed(255)
        if not self.may_profile(app):
            self.err(text_of("not-debuggable", self.version, package=app.package))
            return 255 if self.version >= 8 else 1
        self.begin(app, words[1], given)
        return 0

    def may_profile(self, app):
        return app.is_debuggable or (app.is_profileable and self.version >= 10)

    def begin(self, app, path, given):
        android = self.android
        if android.buffer_mb() < 0:
            android.log("W", "ActivityThread", "Profiling failed on path " + path)
            return
        if android.busy == "app":
            android.log("E", app.package, text_of("log-traced-already", self.version).strip())
        elif android.recording and android.recording.ended is None:
            android.recording.ended = time.monotonic()  # `am` ends the one before without a word
        android.recording = Recording(android, app, path, given)
        android.put(path, b"")
        android.files[path].recording = android.recording

    def stop_profile(self, words):
        recording = self.android.recording
        self.android.alive()
        if self.version >= 16 and not words:
            self.err("\nException occurred while executing 'profile':\njava.lang.IllegalArgumentException: "
                     "Argument expected after \"stop\"\n")
            return 255
        if recording and recording.ended is None and (not words or words[0] in (recording.app.package, str(recording.app.pid))):
            recording.ended = time.monotonic()
        if self.android.busy == "am":
            self.android.busy = ""
        return 0

    def kill(self, package):
        self.android.apps = [app for app in self.android.alive() if app.package != package]

    def start_activity(self, words):
        given, words = self.options_of(words, START_OPTIONS)
        if given is None:
            return self.failed(1)
        component = given.get("-n") or (words[0] if words else "")
        package, _, name = component.partition("/")
        installed = [app for app in self.android.installed if app.package == package]
        what = "cmp=%s/%s" % (package, name) if name else "pkg=" + package
        self.out(text_of("starting", self.version, what=what))
        if not installed:
            self.err(text_of("no-activity", self.version, package=package))
            return self.failed(1)
        if name and name not in (installed[0].activity, package + installed[0].activity):
            self.err(text_of("no-class", self.version, package=package, name=package + name if name[0] == "." else name))
            return self.failed(1)
        if "-S" in given:
            self.kill(package)
        app = self.android.find(package)
        if not app:
            self.android.next_pid += 1
            app = App(package, self.android.next_pid, installed[0].is_debuggable, installed[0].is_profileable,
                      installed[0].uid)
            app.begun += self.android.comes_after_s
            self.android.apps = self.android.apps + [app]
        if given.get("--start-profiler"):
            self.android.put(given["--start-profiler"], b"")
            if self.may_profile(app):
                self.begin(app, given["--start-profiler"], given)
        return 0
