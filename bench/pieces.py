#!/usr/bin/env python3
"""Measures what it costs a site to take an upload in pieces, and to make one file of them.

    bench/pieces.py [--turns N] [--mb N] [--piece MIB] [--s3 [--cold]] PROGRAM...

The programs take turns, each with a site and a folder of its own, and with other bytes each time. Of the pieces and of the request that
completes the upload: seconds on the clock, seconds of a processor, and the bytes that the site read and wrote by its calls to the system
(rchar and wchar of /proc/PID/io; the pieces come by recv(2), which is not counted there). --s3: the files are in a bucket of
OpenStack Swift (scripts/install tests); --cold: its cache is removed before the upload is completed, as where other servers took the
pieces. Prints a table in Markdown.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time

import tools
from s3_upload import change, make, sum_of

sys.path.insert(0, os.path.join(tools.ROOT, "tests", "site"))
sys.path.insert(0, os.path.join(tools.ROOT, "tests", "support"))
import swift  # noqa: E402
from crowd import NO_LIMITS  # noqa: E402
from running import Site, bearer, equal  # noqa: E402

# The trace at the beginning of the file has fewer bytes.
EXAMPLE_MOST = 16 << 20


def fill(path):
    """Pieces of zeros would be one file, and be sent once."""
    with open(path, "r+b") as file:
        left = os.path.getsize(path) - file.seek(EXAMPLE_MOST)
        while left > 0:
            left -= file.write(os.urandom(min(left, 1 << 20)))


def cost_of(site):
    with open("/proc/%d/io" % site.process.pid, encoding="ascii") as file:
        io = dict(line.split(": ") for line in file)
    return time.monotonic(), site.cpu_s(), int(io["rchar"]) / 1e6, int(io["wchar"]) / 1e6


def upload(site, path, piece, cold):
    """The costs of the pieces and of completing."""
    upload_of = site.ask("/api/v1/uploads?name=a.trace&bytes=%d" % os.path.getsize(path), "POST").json
    address, costs = "/api/v1/uploads/" + upload_of["id"], [cost_of(site)]
    with open(path, "rb") as file:
        offset = 0
        while content := file.read(piece):
            head = dict(bearer(upload_of), **{"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"})
            equal(site.ask(address, "PATCH", head, content).status, 204)
            offset += len(content)
    if cold:
        shutil.rmtree(cold)
    costs.append(cost_of(site))
    done = site.ask(address + "/complete", "POST", bearer(upload_of))
    costs.append(cost_of(site))
    equal((done.status, done.json["sha256"]), (201, sum_of(path)))
    return [[after - before for before, after in zip(*pair)] for pair in zip(costs, costs[1:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--mb", type=int, default=233)
    parser.add_argument("--piece", type=int, default=8)
    parser.add_argument("--s3", action="store_true")
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="traceview-pieces-bench-")
    server, took, words = None, {program: [] for program in options.programs}, []
    try:
        if options.s3:
            server = swift.Swift()
            server.make("traces")
            os.environ.update(AWS_ACCESS_KEY_ID=swift.KEY, AWS_SECRET_ACCESS_KEY=swift.SECRET)
        make(folder + "/a.trace", options.mb)
        fill(folder + "/a.trace")
        for turn in range(options.turns):
            for place, program in enumerate(options.programs):
                change(folder + "/a.trace", 1 + turn * len(options.programs) + place)
                if server:
                    words = ["--files", "s3://traces/%d-%d?endpoint=%s" % (turn, place, server.endpoint), "--files-cache", folder + "/cache"]
                with Site(os.path.abspath(program), *words, *NO_LIMITS, "--role", "server", store=folder + "/store") as site:
                    took[program].append(upload(site, folder + "/a.trace", options.piece << 20,
                                                options.cold and folder + "/cache"))
                shutil.rmtree(folder + "/store")
                shutil.rmtree(folder + "/cache", ignore_errors=True)
        print("Load %.1f; %d turns; medians; %d MB in pieces of %d MiB.\n" % (os.getloadavg()[0], options.turns, options.mb, options.piece))
        print("| program | step | s | CPU s | MB read | MB written |\n| --- | --- | ---: | ---: | ---: | ---: |")
        for program, turns in took.items():
            for place, step in enumerate(("pieces", "complete")):
                told = [statistics.median(turn[place][what] for turn in turns) for what in range(4)]
                print("| %s | %s | %.2f | %.2f | %.0f | %.0f |" % (program, step, *told))
    finally:
        if server:
            server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
