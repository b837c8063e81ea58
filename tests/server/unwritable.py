#!/usr/bin/env python3
"""A user who may write nothing, anywhere: unwritable.py PROGRAM.

Every verb and the viewer run as an ordinary user where all disks are read only, with and without a home. They answer,
and say in one line what they cannot keep. Needs root, and a root folder that is a mount (not a chroot), to make it so;
skipped aloud otherwise. Ends with "N passed, N
failed".
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from changing import end, info, put, trace_of, wait_for
from served import ROOT, Viewer, equal

DATA = os.path.join(ROOT, "tests", "data")

# A name space of its own in which every disk is read only; then no rights at all.
WRAPPER = """#!/bin/sh
exec unshare -m sh -c '
    mount --make-rprivate / && mount --bind / / && mount -o remount,ro,bind / || exit 90
    for folder in /tmp /var/tmp /dev/shm /run; do
        ! mountpoint -q $folder || mount -o remount,ro,bind $folder || exit 91
    done
    exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh %s "$@"
"""


class World:
    """The program as that user runs it, and traces that the user may read."""

    def __init__(self, folder, program):
        os.chmod(folder, 0o755)
        copy = os.path.join(folder, "traceview.copy")
        shutil.copy(program, copy)
        self.program = os.path.join(folder, "traceview")
        with open(self.program, "w") as file:
            file.write(WRAPPER % copy)
        os.chmod(self.program, 0o755)
        self.home = os.path.join(folder, "home")
        os.mkdir(self.home, 0o755)
        self.trace = os.path.join(folder, "a.trace")
        self.pair = [os.path.join(folder, name) for name in ("p.key", "p.data")]
        for source, path in (("v3-dual.trace", self.trace), ("pair-v1.key", self.pair[0]),
                             ("pair-v1.data", self.pair[1])):
            shutil.copyfile(os.path.join(DATA, "made", source), path)
        self.folder = folder

    def run(self, *words, **variables):
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "ASAN_OPTIONS": "detect_leaks=0", **variables}
        return subprocess.run([self.program, *words], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=240, check=False)


def homes_of(world):
    return ({"HOME": world.home}, {}, {"HOME": "/nowhere"}, {"HOME": world.home, "TMPDIR": "/nowhere"})


def it_is_so(world):
    """Otherwise the tests below would prove nothing."""
    result = subprocess.run(["sh", world.program, "--version"], capture_output=True, text=True, check=False, timeout=240,
                            env={"PATH": os.environ["PATH"]})
    assert result.returncode not in (90, 91), result.stderr
    script = world.program + ".id"
    with open(script, "w") as file:
        file.write(WRAPPER % "sh")
    os.chmod(script, 0o755)
    result = subprocess.run([script, "-c", "id -u; touch /tmp/traceview-test; touch %s/x" % world.home],
                            capture_output=True, text=True, check=False, timeout=240)
    equal((result.stdout, result.returncode), ("65534\n", 1))
    equal(result.stderr.count("Read-only file system"), 2)


def verbs_answer_as_ever(world):
    for verb in (("info",), ("top",), ("tree",), ("check",), ("callers", "0"), ("-r",), ("convert", "-")):
        words = (verb[0], world.trace, *verb[1:])
        expected = subprocess.run([world.program + ".copy", *words], capture_output=True, text=True, check=False,
                                  env=dict(os.environ, LC_ALL="C.UTF-8"), errors="surrogateescape")
        for home in homes_of(world):
            result = subprocess.run([world.program, *words], capture_output=True, text=True, check=False,
                                    errors="surrogateescape",
                                    env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **home})
            equal((verb, home, result.returncode, result.stdout == expected.stdout, result.stderr),
                  (verb, home, expected.returncode, True, expected.stderr))


def what_cannot_be_written_is_told_in_a_line(world):
    for home in homes_of(world):
        for words in (("convert", world.trace, "out"), ("join", *world.pair, "-o", "out"), ("index", world.trace)):
            result = world.run(*words, **home)
            equal((words, result.returncode, result.stdout), (words, 1, ""))
            equal(len(result.stderr.splitlines()), 1)
            equal(result.stderr.count(" out cannot be written"), 0 if words[0] == "index" else 1)
            equal(result.stderr.count("out: out"), 0)
            assert any(reason in result.stderr for reason in ("Read-only file system", "set HOME", "Permission denied",
                                                              "No such file")), result.stderr


def the_viewer_shows_what_it_cannot_keep(world):
    for home in homes_of(world):
        environment = {name: "" for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HOME")}
        with Viewer(world.program, "--no-browser", file=world.trace, variables={**environment, **home}) as viewer:
            viewer.wait_until_ready()
            equal(info(viewer)["file"], "a.trace")
            equal(viewer.ask("api/top?n=5")[0].status, 200)
            equal(viewer.ask("api/settings")[1], b"{}\n")
            equal(json.loads(viewer.ask("api/recent")[1])["recent"], [])
            response, body = viewer.ask("api/settings", "PUT", body=b'{"a":1}')
            equal(response.status, 500)
            assert "set HOME" in body.decode() or "cannot be" in body.decode(), body
            status, answer = put(viewer, "open?name=dropped", trace_of(3))
            equal(status, 500)
            assert "no temporary file" in answer["error"], answer
            equal(put(viewer, "reload")[0], 202)
            wait_for(viewer, lambda now: now.get("file") == "a.trace")
            equal(end(viewer.process)[0], 0)


def a_full_disk_is_told_and_nothing_is_left(world):
    large = os.path.join(world.folder, "large.trace")
    with open(large, "wb") as file:
        file.write(trace_of(3, 100000))
    disk = os.path.join(world.folder, "disk")
    os.mkdir(disk)
    program = world.program + ".copy"
    for words, reason in ((("convert", large, disk + "/out"), "out cannot be written: No space left on device"),
                          (("index", large), "the cache holds at most")):
        script = 'mount -t tmpfs -o size=128k none %s || exit 9; "$@"; echo $?; find %s -type f' % (disk, disk)
        result = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", program, *words], capture_output=True,
                                text=True, check=False, timeout=240, env=dict(os.environ, XDG_CACHE_HOME=disk))
        equal((words, result.stdout), (words, "1\n"))
        equal(len(result.stderr.splitlines()), 1)
        assert re.search(reason, result.stderr), result.stderr
    script = 'mount -t tmpfs -o size=16k none %s && exec "$@"' % disk
    wrapper = world.program + ".full"
    with open(wrapper, "w") as file:
        file.write("#!/bin/sh\nexec unshare -m sh -c '%s' sh %s \"$@\"\n" % (script, program))
    os.chmod(wrapper, 0o755)
    with Viewer(wrapper, "--no-browser", file=world.trace,
                variables=dict.fromkeys(("TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), disk)) as viewer:
        viewer.wait_until_ready()
        with open(large, "rb") as file:
            status, answer = put(viewer, "open?name=large", file.read())
        equal(status, 507)
        assert "no room" in answer["error"], answer
        response, body = viewer.ask("api/settings", "PUT", body=b'{"a":"%s"}' % (b"x" * 40000))
        equal(response.status, 500)
        assert b"No space left on device" in body, body
        equal(viewer.ask("api/settings")[1], b"{}\n")
        equal(info(viewer)["file"], "a.trace")
        equal(end(viewer.process)[0], 0)


TESTS = (it_is_so, verbs_answer_as_ever, what_cannot_be_written_is_told_in_a_line, the_viewer_shows_what_it_cannot_keep,
         a_full_disk_is_told_and_nothing_is_left)


def main():
    program = os.path.abspath(sys.argv[1])
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("setpriv"):
        print("skipped: only root can make every disk read only, with unshare and setpriv\n0 passed, 0 failed")
        return 0
    private = subprocess.run(["unshare", "-m", "true"], stderr=subprocess.PIPE, text=True, check=False)
    if private.returncode:
        print("skipped: a user who may write nothing: unshare may not make the root folder private, which in a chroot is no mount: %s"
              "\n0 passed, 0 failed" % private.stderr.strip())
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder, program)
        for test in TESTS:
            try:
                test(world)
            except Exception as problem:  # a test must not take the others with it
                failed += 1
                print("FAILED: %s: %s %s" % (test.__name__, type(problem).__name__, problem), flush=True)
    print("%d passed, %d failed" % (len(TESTS) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
