#!/usr/bin/env python3
"""Checks that the command for npm has each function that its sources call, without building it.

    wasi.py BUILD

That command is WebAssembly (src/cli/wasi), which takes a minute to compile, so it is built by `make check-all` alone. Its sources
are the program's but for some: what one of them asks of those that are left out is told here, by the objects of BUILD, which
has the same sources, and by the functions and constants that src/cli/wasi and src/os/wasi have in place of what is left out. A source
that asks the compiler whether it is for WASI, or what the build has, knows of itself what it lacks there: it is not looked at. Sources
that include headers of the system are read by the compiler with those of WASI, which lack some of it. Ends with "N passed, N failed".
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

from symbols import symbols_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# At the beginning of a line: a type, and a name of ours that is a function or a constant.
DEFINED = re.compile(r"^(?!static|extern)\w[\w *]*?\b(tv_\w+)(?:\(|\[| = )", re.M)

# Calls of WASI by which its C library does what these functions do.
CALLS = {"fsync": "fd_sync", "fdatasync": "fd_datasync", "ftruncate": "fd_filestat_set_size", "link": "path_link",
         "mkdir": "path_create_directory", "pread": "fd_pread", "pwrite": "fd_pwrite", "readlink": "path_readlink", "rename": "path_rename",
         "rmdir": "path_remove_directory", "symlink": "path_symlink", "unlink": "path_unlink_file",
         "utimensat": "path_filestat_set_times"}


def words_of(text, name):
    """The words of a list of a meson.build."""
    return re.findall(r"'([^']+)'", re.search(r"^ *%s(?: = \[|: files\()(.*?)[\])]" % name, text, re.M | re.S)[1])


def objects_of(paths):
    """How Meson calls the objects of these sources, which are named from src/cli/wasi on: ../../os/clock.c is os_clock.c.o."""
    return {os.path.normpath(os.path.join("cli/wasi", path)).replace("/", "_") + ".o" for path in paths}
# Headers of C itself, which each system has whole.
OF_C = {"assert.h", "errno.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h",
        "stdio.h", "stdlib.h", "string.h", "time.h"}
# The headers of libraries of which the command has the sources.
LIBRARIES = ("zlib.h", "zconf.h", "zstd.h", "zstd_errors.h", "pcre2.h")
COMPILER = ["clang-14", "--target=wasm32-wasi", "-std=c17", "-fsyntax-only", "-w", "-nostdlibinc", "-isystem", "/usr/include/wasm32-wasi",
            "-D_GNU_SOURCE", "-DPCRE2_STATIC", "-DTV_HAS_PAGE", "-DTV_VERSION=\"1\""]
BUILT = ("PAGE", "ENGINE", "DW", "CURL", "SQLITE", "POSTGRES", "SECCOMP", "JVM", "ASM")


def includes_system(path):
    return not OF_C.issuperset(re.findall(r"^#include <([^>]+)>", open(path, encoding="utf-8").read(), re.M))


def syntax_errors(build, sources):
    """What the compiler says of these sources with the headers of WASI; of all in one run, since most of its time is its start."""
    with tempfile.TemporaryDirectory() as headers:
        for name in LIBRARIES:
            found = glob.glob("/usr/include/" + name) + glob.glob("/usr/include/*/" + name)
            if found:
                os.symlink(found[0], os.path.join(headers, name))
        said = subprocess.run(COMPILER + ["-DTV_BUILT_%s=%d" % (part, part in ("PAGE", "ENGINE")) for part in BUILT] +
                              ["-I", "src", "-I", "include", "-I", os.path.join(build, "src"), "-I", headers] + sources,
                              cwd=ROOT, capture_output=True, text=True, check=False)
    errors = [line for line in said.stderr.splitlines() if "error: " in line]
    return errors or ([said.stderr.strip()[:300] or "the compiler failed"] if said.returncode else [])


def main():
    build = os.path.abspath(sys.argv[1])
    text = open(os.path.join(ROOT, "src", "cli", "wasi", "meson.build"), encoding="utf-8").read()
    whole = re.findall(r"'(\w+)'", re.search(r"^foreach folder : \[(.*?)\]", text, re.M)[1])
    lacks = {"cli_" + path.replace("/", "_") + ".o" for path in words_of(text, "wasi_lacks")}
    singly = {folder: objects_of(words_of(text, "'%s'" % folder)) for folder in ("os", "served")}
    asking = {os.path.relpath(path, os.path.join(ROOT, "src")).replace("/", "_") + ".o"
              for path in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True)
              if re.search(r"__wasi__|\bTV_HAS_", open(path, encoding="utf-8").read())}
    defined = set()
    for path in glob.glob(os.path.join(ROOT, "src", "*", "wasi", "*.c")) + [os.path.join(ROOT, "src", "engine", "wasm_alloc.c")]:
        defined.update(DEFINED.findall(open(path, encoding="utf-8").read()))
    wanted, of_system = [], []
    for folder in whole + sorted(singly):
        undefined, has = symbols_of(os.path.join(build, "src", "libtv-%s.a" % folder))
        is_kept = (lambda name, kept=singly.get(folder): name in kept if kept is not None
                   else not re.match(r"cli_(device|record|site)_", name) and name not in lacks)
        defined.update(symbol for name, symbol in has if is_kept(name))
        asked = [(name, symbol) for name, symbol in undefined if is_kept(name) and name not in asking]
        wanted += [one for one in asked if one[1].startswith("tv_")]
        of_system += [(name, CALLS[symbol]) for name, symbol in asked if symbol in CALLS]
    missing = sorted({"%s asks for %s" % one for one in wanted if one[1] not in defined})
    for problem in missing:
        print("FAILED: the command for npm: %s, which it has not: see wasi_lacks of src/cli/wasi/meson.build" % problem)
    host = open(os.path.join(ROOT, "packaging", "npm", "wasi.mjs"), encoding="utf-8").read()
    lacking = sorted({one for one in of_system if not re.search(r"^    %s\b" % one[1], host, re.M)})
    for where, call in lacking:
        print("FAILED: the command for npm: %s asks the system for %s, which packaging/npm/wasi.mjs has not" % (where, call))
    missing += lacking
    named = {name for files in singly.values() for name in files}
    of_here = ["src/cli/wasi/*.c", "src/os/wasi/*.c", "src/cli/*.c", "src/cli/[!w]*/*.c", "src/os/*.c", "src/os/*/*.c", "src/served/*.c"]
    sources = sorted({os.path.relpath(path, ROOT) for pattern in of_here for path in glob.glob(os.path.join(ROOT, pattern))
                      if includes_system(path)})
    object_of = lambda path: os.path.relpath(path, "src").replace("/", "_") + ".o"
    is_taken = lambda path: "/wasi/" in path or object_of(path) in named or (
        path.startswith("src/cli/") and not re.match(r"cli_(device|record|site)_", object_of(path)) and object_of(path) not in lacks)
    sources = [path for path in sources if is_taken(path)]
    errors = syntax_errors(build, sources)
    for error in errors:
        print("FAILED: the command for npm: %s" % error)
    missing += errors
    print("%d passed, %d failed" % (len({symbol for _, symbol in wanted + of_system}) + len(sources) - len(missing), len(missing)))
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
