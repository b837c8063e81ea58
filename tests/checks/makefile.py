#!/usr/bin/env python3
"""Checks what make says and does beside building: where something is missing, where a place cannot be written to, and
what install and uninstall do. Ends with "N passed, N failed".

    makefile.py        Needs a release build in build/release (make build), which it installs into temporary folders.
"""

import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE = shutil.which("make")
NOBODY = 65534
sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("install_below", os.path.join(ROOT, "scripts", "install_below"))
install_below = importlib.util.module_from_spec(importlib.util.spec_from_loader("install_below", LOADER))
LOADER.exec_module(install_below)

# Words, programs that are not there, the packages that make asks for.
MISSING = [
    (["build"], ["meson"], "meson"),
    (["install"], ["meson"], "meson"),
    (["uninstall"], ["meson"], "meson"),
    (["bench"], ["meson"], "meson"),
    (["build"], ["ninja"], "ninja-build"),
    (["build"], ["gcc"], "gcc"),
    (["build"], ["node", "npm"], "nodejs npm"),
    (["build", "PAGE=disabled"], ["meson", "node", "npm"], "meson"),
    (["bench"], ["meson", "node", "npm"], "meson nodejs npm"),
]
LIBRARIES = "libcurl4-openssl-dev libdw-dev libinih-dev libmicrohttpd-dev libpcre2-dev libpq-dev libseccomp-dev libsqlite3-dev libzstd-dev nettle-dev zlib1g-dev"


class Failed(Exception):
    pass


def expect(is_true, what):
    if not is_true:
        raise Failed(what)


def programs_without(folder, left_out):
    """A folder of links to every program that is there, but some."""
    os.makedirs(folder, exist_ok=True)
    for place in os.environ["PATH"].split(":"):
        for name in os.listdir(place) if os.path.isdir(place) else []:
            path, program = os.path.join(folder, name), os.path.join(place, name)
            # What stands for a compiler by ccache looks for it in another folder.
            if os.path.basename(os.path.realpath(program)) == "ccache" != name:
                continue
            if name not in left_out and not os.path.lexists(path):
                os.symlink(program, path)
    return folder


def make(words, environment=None):
    """Status of make and all that it printed."""
    run = subprocess.run([MAKE, "--no-print-directory", *words], cwd=ROOT, env=dict(os.environ, **(environment or {})),
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         check=False)
    return run.returncode, run.stdout


def check_missing(words, environment, wanted, folder):
    """One line names the packages and the line that installs them, with sudo where the user needs it."""
    status, told = make([*words, "RELEASE=" + os.path.join(folder, "release")], environment)
    sudo = "sudo " if os.geteuid() and shutil.which("sudo") else ""
    line = "something is missing: run %sapt-get update && %sapt-get install -y --no-install-recommends %s.  Stop." % (
        sudo, sudo, wanted)
    expect(status != 0 and line in told and told.count("\n") == 1, "status %d\n%s" % (status, told))


# Says as much as packages do, and how far it is on the file that it was told.
APT_GET = """#!/bin/sh
case "$*" in *update*) exit 0 ;; esac
fd=${*##*Status-Fd=}
fd=${fd%% *}
i=0
while [ $i -lt 3000 ]; do echo "debconf: a line of a package's script"; i=$((i + 1)); done
for line in dlstatus:1:50.0:Fetching pmstatus:libc6:amd64:40.5:Unpacking pmstatus:gcc:30.0:Late pmstatus:gcc:99.0:Done; do
    eval "echo $line >&$fd"
done
"""


def only_our_lines_are_told_while_packages_are_installed(folder):
    programs_without(folder, ["meson", "apt-get", "sudo"])
    for name, text in (("apt-get", APT_GET), ("sudo", '#!/bin/sh\nexec 3>&- "$@"\n')):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
    run = subprocess.run([os.path.join(ROOT, "scripts", "install"), "build"], env=dict(os.environ, PATH=folder), text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    lines = run.stdout.splitlines()
    expect(run.returncode == 0 and lines[0].startswith("$ ") and lines[0].endswith("--no-install-recommends meson"), lines)
    expect(lines[1:-1] == ["Installing:  25 %", "Installing:  70 %", "Installing:  99 %"], lines)
    expect(lines[-1].startswith("Installed in "), lines)
    with open(os.path.join(ROOT, "build", "install.log"), encoding="utf-8") as file:
        expect(file.read().count("debconf: ") == 3000, "build/install.log has not all that was said")


# Says nothing for longer than a log may be silent.
SLOW_APT_GET = """#!/bin/sh
case "$*" in *update*) sleep 11 ;; esac
"""


def a_log_is_never_silent_for_long(folder):
    """A line every ten seconds, where output goes to no terminal; whoever reads it has its end with the script's."""
    programs_without(folder, ["meson", "apt-get", "sudo"])
    for name, text in (("apt-get", SLOW_APT_GET), ("sudo", '#!/bin/sh\nexec "$@"\n')):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(folder, name), 0o755)
    begun = time.monotonic()
    run = subprocess.run([os.path.join(ROOT, "scripts", "install"), "build"], env=dict(os.environ, PATH=folder), text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    seconds = time.monotonic() - begun
    lines = run.stdout.splitlines()
    expect(run.returncode == 0 and len(lines) >= 3, lines)
    expect(re.fullmatch(r"Installing: (\d+ %, )?\d+ s", lines[1]), lines)
    took = int(re.fullmatch(r"Installed in (\d+) s", lines[-1]).group(1))
    expect(seconds < took + 5, "the output ended after %.1f s, the script after %d" % (seconds, took))


def installed_files(place):
    return sorted(os.path.relpath(os.path.join(at, name), place) for at, _, names in os.walk(place) for name in names)


RECORDED = """
#include <traceview/record.h>
int main(int argc, char **argv)
{
    TV_TRACE_SCOPE("main");
    return argc != 2 || tv_start_method_tracing(argv[1], 0, 0) || tv_stop_method_tracing();
}
"""


def expect_recorder(prefix, folder):
    """A program is compiled by what pkg-config says, linked with either library, and records itself."""
    program, trace = os.path.join(folder, "recorded"), os.path.join(folder, "recorded.trace")
    library = glob.glob(os.path.join(prefix, "lib", "**", "libtraceview-record.so"), recursive=True)
    expect(len(library) == 1, library)
    library = os.path.dirname(library[0])
    environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(library, "pkgconfig"))
    for how in ([], ["--static"]):
        told = subprocess.run(["pkg-config", "--cflags", "--libs", *how, "traceview-record"], env=environment,
                              stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        if how:
            told = [word if word != "-ltraceview-record" else "-l:libtraceview-record.a" for word in told]
        subprocess.run(["gcc", "-x", "c", "-", "-o", program, *told], input=RECORDED, text=True, check=True)
        subprocess.run([program, trace], env=dict(os.environ, LD_LIBRARY_PATH=library), check=True)
        expect(os.path.getsize(trace) > 0, "the trace is empty")
        os.unlink(trace)


def installs_below_prefix_and_destdir(folder):
    """Each PREFIX and DESTDIR counts, also after others, and so does DMTRACEDUMP; uninstall removes what is there, and
    nothing else."""
    alone, staged = os.path.join(folder, "alone"), os.path.join(folder, "staged")
    with_link = ["PREFIX=/usr", "DESTDIR=" + staged, "DMTRACEDUMP=true"]
    other = os.path.join(alone, "bin", "other")
    status, told = make(["install", "PREFIX=" + alone])
    expect(status == 0, told)
    status, told = make(["install", *with_link])
    expect(status == 0, told)
    files = installed_files(alone)
    linked = sorted(files + ["bin/dmtracedump"])
    expect("bin/traceview" in files and "share/man/man1/traceview.1" in files, files)
    expect(installed_files(os.path.join(staged, "usr")) == linked, installed_files(staged))
    expect(os.readlink(os.path.join(staged, "usr", "bin", "dmtracedump")) == "traceview", "the link leads elsewhere")
    version = subprocess.run([os.path.join(alone, "bin", "traceview"), "--version"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    expect(version.startswith("traceview "), version)
    expect_recorder(alone, folder)
    # Tried in place: the libraries are found below DESTDIR, where no prefix leads.
    told = subprocess.run([os.path.join(staged, "usr", "bin", "traceview"), "record", "-o",
                           os.path.join(folder, "sampled.trace"), "--", "true"], capture_output=True, text=True, check=False)
    expect("neither beside traceview" not in told.stderr, told.stderr)
    with open(other, "w", encoding="utf-8"):
        pass
    status, told = make(["uninstall", "PREFIX=" + alone])
    expect(status == 0 and "Removed %d files" % len(files) in told, told)
    expect(installed_files(alone) == ["bin/other"], installed_files(alone))
    expect(not os.path.exists(os.path.join(alone, "share", "traceview")), "share/traceview is left")
    expect(not os.path.exists(os.path.join(alone, "include", "traceview")), "include/traceview is left")
    expect(installed_files(os.path.join(staged, "usr")) == linked, "the other place was touched")
    status, told = make(["uninstall", *with_link])
    expect(status == 0 and installed_files(staged) == [], told)


def loader_folders():
    """Where the loader looks by itself, also for folders that are not there yet."""
    told = subprocess.run([shutil.which("ldconfig", path="/sbin:/usr/sbin"), "-N", "-X", "-v"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False).stdout
    return {os.path.realpath(path) for path in re.findall(r"(?:^|Can't stat |Path `)(/[^:']+)", told, re.M)}


def libraries_are_put_where_loader_and_pkg_config_look(folder):
    """Also where dpkg-dev is missing, which would tell Meson of the folder."""
    path = programs_without(os.path.join(folder, "programs"), ["dpkg-architecture"])
    for prefix in ("/usr", "/usr/local"):
        build = os.path.join(folder, "build" + prefix.replace("/", "-"))
        run = subprocess.run([os.path.join(ROOT, "scripts", "build"), "--only-configure", build, prefix, "disabled", "disabled",
                              "false"], env=dict(os.environ, PATH=path), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, check=False)
        expect(run.returncode == 0, run.stdout)
        told = subprocess.run(["meson", "introspect", "--buildoptions", build], stdout=subprocess.PIPE, text=True, check=True)
        library = os.path.join(prefix, next(one["value"] for one in json.loads(told.stdout) if one["name"] == "libdir"))
        packages = subprocess.run(["pkg-config", "--variable", "pc_path", "pkg-config"], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.strip().split(":")
        expect(os.path.realpath(library) in loader_folders(), "%s is not one of %s" % (library, sorted(loader_folders())))
        expect(os.path.join(library, "pkgconfig") in packages, "%s/pkgconfig is not one of %s" % (library, packages))


def a_library_that_came_later_is_noticed(folder):
    """And one that went."""
    packages = subprocess.run(["pkg-config", "--variable", "pc_path", "pkg-config"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.strip()
    without = os.path.join(folder, "packages")
    os.mkdir(without)
    for place in packages.split(":"):
        for name in os.listdir(place) if os.path.isdir(place) else []:
            if name != "libdw.pc" and not os.path.lexists(os.path.join(without, name)):
                os.symlink(os.path.join(place, name), os.path.join(without, name))
    build = os.path.join(folder, "build")
    for libraries, is_there in ((without, False), (packages, True), (without, False)):
        run = subprocess.run([os.path.join(ROOT, "scripts", "build"), "--only-configure", build, "/usr/local", "disabled", "disabled",
                              "false"], env=dict(os.environ, PKG_CONFIG_LIBDIR=libraries), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
        expect(run.returncode == 0, run.stdout)
        with open(os.path.join(build, "build.ninja"), encoding="utf-8") as file:
            expect(("TV_HAS_DW" in file.read()) == is_there, "libdw there: %s, and built otherwise" % is_there)


def a_prefix_that_is_no_path_is_refused(folder):
    status, told = make(["install", "PREFIX=here"])
    expect(status != 0 and "build: PREFIX 'here': must be an absolute path" in told, told)


def a_place_of_others_is_refused(folder):
    """In one line, before anything is copied. Root may write everywhere, so a child asks as another user."""
    place = os.path.join(folder, "locked")
    os.mkdir(place, 0o555)
    os.chmod(folder, 0o755)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        told = "not refused"
        try:
            if os.geteuid() == 0:
                os.setuid(NOBODY)
            install_below.refuse_unless_writable(place + "/usr/local", "install")
        except SystemExit as refusal:
            told = str(refusal)
        os.write(writer, told.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    expect("install: %s cannot be written by this user: sudo make install, or" % place in told, told)


def a_word_that_is_none_is_refused(folder):
    status, told = make(["instal"])
    expect(status != 0 and "there is no 'instal' to make: see make help" in told and told.count("\n") == 1, told)


def help_names_every_word(folder):
    _, told = make(["help"])
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        words = next(line for line in file if line.startswith(".PHONY:")).split()[1:]
    missing = [word for word in words if word not in ("all", "help") and "make " + word not in told]
    expect(not missing, "not in help: %s" % missing)


CASES = [only_our_lines_are_told_while_packages_are_installed, a_log_is_never_silent_for_long, installs_below_prefix_and_destdir,
         libraries_are_put_where_loader_and_pkg_config_look, a_library_that_came_later_is_noticed,
         a_prefix_that_is_no_path_is_refused, a_place_of_others_is_refused, a_word_that_is_none_is_refused, help_names_every_word]


def passes(name, case, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        try:
            case(*arguments, folder)
        except Failed as failure:
            print("FAILED: %s: %s" % (name, failure))
            return False
    return True


def main():
    results = []
    for words, left_out, wanted in MISSING:
        with tempfile.TemporaryDirectory() as programs:
            environment = {"PATH": programs_without(programs, left_out)}
            name = "make %s without %s" % (" ".join(words), " ".join(left_out))
            results.append(passes(name, check_missing, words, environment, wanted))
    results.append(passes("make build without libraries", check_missing, ["build"], {"PKG_CONFIG_LIBDIR": "/nowhere"},
                          LIBRARIES))
    results += [passes(case.__name__, case) for case in CASES]
    print("%d passed, %d failed" % (sum(results), len(results) - sum(results)))
    sys.exit(not all(results))


main()
