"""The device's sh, and the programs that it runs: for fake_android.py.

Words, quotes, `;`, `&&`, `||`, `|`, `$?`, and output that goes to /dev/null or to the other output: no more of the
language than commands over adb need. What a version of Android does not have is not found.
"""

import fnmatch
import re
import time

from fake_am import ActivityManager
from fake_android import FOLDER, TMP, text_of

TOKEN = re.compile(r"""\s*(?:(?P<op>;|&&|\|\||\||\d?>&\d|\d?>>?)|(?P<word>(?:[^\s;&|<>'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+))""")
# Programs that came with toybox: Android 6, and more of it with 8.
SINCE = {"pidof": 6, "stat": 6, "tail": 6, "head": 6, "wc": 6, "find": 6, "du": 4, "dd": 1}


def unquote(word, status):
    out, at = "", 0
    while at < len(word):
        sign = word[at]
        if sign == "'":
            end = word.index("'", at + 1)
            out, at = out + word[at + 1: end], end + 1
        elif sign == '"':
            end = at + 1
            while word[end] != '"':
                end += 2 if word[end] == "\\" else 1
            inner = word[at + 1: end].replace("$?", str(status))
            out, at = out + re.sub(r'\\(["\\$`])', r"\1", inner), end + 1
        elif sign == "\\":
            out, at = out + word[at + 1], at + 2
        elif word.startswith("$?", at):
            out, at = out + str(status), at + 2
        else:
            out, at = out + sign, at + 1
    return out


class Shell(ActivityManager):
    def __init__(self, android, out, err, is_closed):
        self.android, self.version, self.is_closed = android, android.version, is_closed
        self.streams, self.input = {1: out, 2: err}, b""
        self.status, self.home = 0, ""

    # language

    def run(self, line):
        tokens, at = [], 0
        while at < len(line.rstrip()):
            found = TOKEN.match(line, at)
            assert found, "the fake shell cannot read %r" % line[at:]
            tokens.append(("op", found["op"]) if found["op"] else ("word", found["word"]))
            at = found.end()
        pipeline, joined = [], ";"
        for kind, token in tokens + [("op", ";")]:
            if kind == "op" and token in (";", "&&", "||"):
                is_due = joined == ";" or (joined == "&&") == (self.status == 0)
                if pipeline and is_due:
                    self.run_pipeline(pipeline)
                pipeline, joined = [], token
            else:
                pipeline.append((kind, token))
        return self.status

    def run_pipeline(self, tokens):
        parts, data = [[]], b""
        for token in tokens:
            if token == ("op", "|"):
                parts.append([])
            else:
                parts[-1].append(token)
        for i, part in enumerate(parts):
            caught = []
            streams = dict(self.streams)
            if i + 1 < len(parts):
                streams[1] = caught.append
            self.input = data
            self.run_command(part, streams)
            data = b"".join(caught)

    def run_command(self, tokens, streams):
        words, into = [], None
        for kind, token in tokens:
            if into is not None:
                streams[into] = lambda data: None  # /dev/null is all that commands over adb write to
                into = None
            elif kind == "op" and "&" in token:
                streams[int(token[0]) if token[0].isdigit() else 1] = streams[int(token[-1])]
            elif kind == "op":
                into = int(token[0]) if token[0].isdigit() else 1
            else:
                words.append(unquote(token, self.status))
        if not words:
            return
        self.out = lambda text: streams[1](text if isinstance(text, bytes) else text.encode())
        self.err = lambda text: streams[2](text if isinstance(text, bytes) else text.encode())
        name = words[0].split("/")[-1]
        program = getattr(self, "do_" + {"[": "test"}.get(name, name).replace("-", "_"), None)
        if not program or self.version < SINCE.get(name, 0):
            self.err(text_of("not-found", self.version, command=words[0]))
            self.status = 127
            return
        self.status = program(words[1:]) or 0

    # processes and packages

    def do_pidof(self, words):
        app = self.android.find(words[0]) if words else None
        if app:
            self.out("%d\n" % app.pid)
        return 0 if app else 1

    def do_ps(self, words):
        user = lambda uid: "u%d_a%d" % (uid // 100000, uid % 10000)
        if self.version < 8:
            self.out("USER     PID   PPID  VSIZE  RSS     WCHAN    PC         NAME\n")
            for app in self.android.alive():
                if not words or words[0] in (app.package, str(app.pid)):
                    self.out("%-8s %-5d 190   1542364 61104 ffffffff b6efc9a0 S %s\n" % (user(app.uid), app.pid, app.package))
            return 0
        columns = "PID,USER,ETIME,NAME"
        for word in words:
            columns = word if "," in word else columns
        titles = {"PID": "  PID", "USER": "USER        ", "ETIME": "    ELAPSED", "NAME": "NAME"}
        self.out(" ".join(titles.get(column, column) for column in columns.split(",")) + "\n")
        for app in self.android.alive():
            seconds = int(time.monotonic() - app.begun)
            values = {"PID": "%5d" % app.pid, "USER": "%-12s" % user(app.uid), "NAME": app.package,
                      "ETIME": "%8d:%02d" % (seconds // 60, seconds % 60)}
            self.out(" ".join(values.get(column, "-") for column in columns.split(",")) + "\n")
        return 0

    def do_pm(self, words):
        if words[:2] == ["list", "packages"]:
            for app in self.android.installed:
                if app.is_system and "-3" in words:
                    continue  # only what the user installed is wanted
                if all(word.startswith("-") or word in app.package for word in words[2:]):
                    self.out("package:%s\n" % app.package)
            return 0
        return 1

    def do_cmd(self, words):
        return self.do_am(words[1:]) if words[:1] == ["activity"] else self.do_pm(words[1:]) if words[:1] == ["package"] else 1

    def do_dumpsys(self, words):
        if words[:1] == ["package"] and len(words) == 2:
            for app in self.android.installed:
                if app.package == words[1]:
                    flags = "%sHAS_CODE ALLOW_CLEAR_USER_DATA ALLOW_BACKUP" % ("DEBUGGABLE " if app.is_debuggable else "")
                    private = "[ PRIVATE_FLAG_ACTIVITIES_RESIZE_MODE_RESIZEABLE%s ]" % (
                        " PROFILEABLE_BY_SHELL" if app.is_profileable and self.version >= 10 else "")
                    self.out("Packages:\n  Package [%s] (3f9b2c1):\n    userId=%d\n    versionName=1.4\n    flags=[ %s ]\n"
                             "    privateFlags=%s\n" % (app.package, app.uid, flags, private))
                    return 0
            self.out("Unable to find package: %s\n" % words[1])
            return 0
        if words[:1] == ["activity"]:
            recording = self.android.recording
            self.out("ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)\n")
            if self.android.busy == "am":
                self.out(text_of("being-profiled", self.version, package="com.example.app", pid=4711,
                                 file=TMP + "/studio.trace"))
            elif recording and recording.ended is None and self.android.busy != "app":
                self.out(text_of("being-profiled", self.version, package=recording.app.package, pid=recording.app.pid,
                                 file=recording.path))
            return 0
        return 1

    def do_logcat(self, _words):
        self.out("".join(line + "\n" for line in self.android.logged))

    def do_run_as(self, words):
        found = [app for app in self.android.installed if words and app.package == words[0]]
        if not found:
            self.err(text_of("run-as-unknown", self.version, package=words[0] if words else ""))
            return 1
        if not found[0].is_debuggable:
            self.err(text_of("run-as-not-debuggable", self.version, package=words[0]))
            return 1
        home = "/data/data/" + words[0] + "/"
        hidden = {path: file for path, file in self.android.files.items() if file.is_private and path.startswith(home)}
        for file in hidden.values():
            file.is_private = False
        self.home = home
        status = self.run_inner(words[1:])
        self.home = ""
        for file in hidden.values():
            file.is_private = True
        return status

    # files

    def run_inner(self, words):
        """A command of run-as, whose folder is the app's own; or `sh -c` with one."""
        if words[:2] == ["sh", "-c"]:
            inner = Shell(self.android, lambda data: self.out(data), lambda data: self.err(data), self.is_closed)
            inner.home = self.home
            return inner.run(words[2])
        program = getattr(self, "do_" + words[0], None) if words else None
        return (program(words[1:]) or 0) if program and self.version >= SINCE.get(words[0], 0) else 127

    def whole(self, path):
        return path if path.startswith("/") else self.home + path

    def do_ls(self, words):
        is_long, is_plain = "-l" in words or "-la" in words, "-1" in words
        status = 0
        for path in [word for word in words if not word.startswith("-")]:
            if self.android.stat(path)[0] == 0:
                self.err("ls: %s: %s\n" % (path, self.android.why_not_read(path)) if self.version >= 6 else
                         "%s: %s\n" % (path, self.android.why_not_read(path)))
                status = 1
                continue
            is_folder = self.android.stat(path)[0] == FOLDER
            for entry in self.android.entries(path) if is_folder else [path]:
                mode, size, _ = self.android.stat(path.rstrip("/") + "/" + entry if is_folder else path)
                kind = "d" if mode == FOLDER else "-"
                self.out("%srw-rw---- 1 shell shell %8d 2026-11-22 22:00 %s\n" % (kind, size, entry)
                         if is_long and not is_plain else entry + "\n")
        return status

    def do_stat(self, words):
        form = words[words.index("-c") + 1] if "-c" in words else "%s"
        status = 0
        for word in words[words.index("-c") + 2 if "-c" in words else 0:]:
            folder, _, name = word.rpartition("/")
            names = [folder + "/" + entry for entry in self.android.entries(self.whole(folder))
                     if fnmatch.fnmatchcase(entry, name)] if "*" in name else [word]
            for path in names or [word]:
                mode, size, changed = self.android.stat(self.whole(path))
                if not mode:
                    self.err("stat: '%s': %s\n" % (path, self.android.why_not_read(self.whole(path))))
                    status = 1
                else:
                    self.out(form.replace("%s", str(size)).replace("%Y", str(changed)).replace("%n", path) + "\n")
        return status

    def do_cat(self, words):
        content = self.android.read(self.whole(words[-1])) if words else self.input
        if content is None:
            self.err("cat: %s: %s\n" % (words[-1], self.android.why_not_read(words[-1])))
            return 1
        self.send(content)
        return 0

    def send(self, content):
        for at in range(0, len(content), 65536):
            if self.is_closed():
                return
            self.out(content[at: at + 65536])

    def do_tail(self, words):
        count = next((word.lstrip("-cn") or words[i + 1] for i, word in enumerate(words) if word[:2] in ("-c", "-n")), "10")
        content = self.android.read(words[-1])
        if content is None:
            self.err("tail: %s: %s\n" % (words[-1], self.android.why_not_read(words[-1])))
            return 1
        self.send(content[int(count[1:]) - 1:] if count.startswith("+") else content[-int(count):] if int(count) else b"")
        return 0

    def do_rm(self, words):
        for path in [word for word in words if not word.startswith("-")]:
            if self.android.files.pop(path, None) is None and "-f" not in words:
                self.err("rm: %s: No such file or directory\n" % path)
                return 1
        return 0

    def do_df(self, _words):
        left = 8 << 30 if self.android.disk_bytes is None else self.android.disk_bytes
        if self.version < 8:
            self.out("Filesystem               Size     Used     Free   Blksize\n/data                   12.0G     3.5G     %s   4096\n"
                     % ("%.1fG" % (left / (1 << 30)) if left >= 1 << 30 else "%.1fK" % (left / 1024)))
        else:
            self.out("Filesystem     1K-blocks    Used Available Use%% Mounted on\n/dev/block/dm-5  12582912 4194304 %9d  34%% /data\n"
                     % (left // 1024))

    # the rest

    def do_getprop(self, words):
        if words:
            self.out(self.android.properties.get(words[0], "") + "\n")
        else:
            self.out("".join("[%s]: [%s]\n" % pair for pair in sorted(self.android.properties.items())))

    def do_setprop(self, words):
        if not words[0].startswith("debug."):
            self.err("setprop: failed to set property '%s' to '%s'\n" % (words[0], words[1]))
            return 1
        self.android.properties[words[0]] = words[1]
        return 0

    def do_echo(self, words):
        self.out(" ".join(words) + "\n")

    def do_grep(self, words):
        patterns = [word for word in words if not word.startswith("-")]
        found = [line for line in self.input.decode().splitlines() if re.search(patterns[0], line)]
        self.out("".join(line + "\n" for line in found))
        return 0 if found else 1

    def do_test(self, words):
        return 0 if len(words) > 1 and self.android.stat(words[1])[0] else 1

    def do_sleep(self, words):
        end = time.monotonic() + float(words[0])
        while time.monotonic() < end and not self.is_closed():
            time.sleep(0.01)

    def do_id(self, _words):
        self.out("uid=2000(shell) gid=2000(shell) context=u:r:shell:s0\n")

    def do_true(self, _words):
        return 0

    def do_exit(self, words):
        return int(words[0]) if words else 0
