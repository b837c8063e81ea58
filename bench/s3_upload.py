#!/usr/bin/env python3
"""Measures uploads to a site whose files are in S3 beside a PUT to the same S3 server by another client.

    bench/s3_upload.py [--program PATH] [--turns N] [--mb N]

OpenStack Swift is started for it (scripts/install tests). In turns, with other bytes each time: the command curl puts a file into a
bucket, signed with its SHA-256 as aws and s3cmd sign it; and curl uploads one to the site, which receives, hashes and sends it to the same server before it
answers. A window of a trace is asked for with its index in the cache, after the cache was removed, and from a store in a folder.
Prints tables in Markdown; meant for a quiet machine with two processors.
"""

import argparse
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import tools

sys.path.insert(0, os.path.join(tools.ROOT, "tests", "site"))
sys.path.insert(0, os.path.join(tools.ROOT, "tests", "support"))
import swift  # noqa: E402
from crowd import NO_LIMITS  # noqa: E402
from running import Site  # noqa: E402

EXAMPLE = os.path.join(tools.ROOT, "tests", "data", "recipes.trace.zst")


def make(path, megabytes):
    """A trace with zeros behind its records, which readers leave out: the example, unpacked."""
    with open(path, "wb") as out:
        subprocess.run(["zstd", "-dqc", EXAMPLE], stdout=out, check=True)
    os.truncate(path, megabytes * 1000000)


def change(path, number):
    """Other bytes at the end, so that the file is not there yet."""
    with open(path, "r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"\0" * 7 + bytes([number]))


def timed(function, *words):
    begun = time.monotonic()
    function(*words)
    return time.monotonic() - begun


def put_to_s3(server, path, number):
    hashed = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout.split()[0]
    server.curl("/traces/by-curl-%d" % number, "-T", path, "-H", "x-amz-content-sha256: " + hashed)


def put_to_site(site, path, wants):
    done = subprocess.run(["curl", "-sS", "-T", path, "http://127.0.0.1:%d/api/v1/traces?name=a.trace" % site.port],
                          capture_output=True, text=True, check=True)
    assert wants in done.stdout, done.stdout


def sum_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else \
            hashlib.sha256(file.read()).hexdigest()


def measure_uploads(server, site, path, turns):
    took = {"s3": [], "site": []}
    for turn in range(turns):
        change(path, turn + 1)
        took["s3"].append(timed(put_to_s3, server, path, turn))
        took["site"].append(timed(put_to_site, site, path, sum_of(path)))
    return took


def measure_windows(sites, cache, turns):
    """Of a trace that is ready on each site; the second time of those over S3 without the cache."""
    with open(EXAMPLE, "rb") as file:
        content = file.read()
    took = {"folder": [], "cached": [], "uncached": []}
    traces = {name: site.ready(site.put(content, name="recipes.trace.zst")) for name, site in sites.items()}
    for turn in range(turns):
        for name, site in sites.items():
            path = "/api/v1/traces/%s/view/info?turn=%d" % (traces[name]["id"], turn)
            took["cached" if name == "s3" else name].append(timed(site.ask, path))
    for turn in range(min(turns, 5)):
        # Another server of the same store has no index open, and no copy.
        shutil.rmtree(cache)
        with sites["s3"].another() as other:
            took["uncached"].append(timed(other.ask, "/api/v1/traces/%s/view/info" % traces["s3"]["id"]))
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=os.path.join(tools.ROOT, "build", "release", "traceview"))
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--mb", type=int, default=233)
    options = parser.parse_args()
    if not swift.is_installed() or not shutil.which("curl"):
        sys.exit("s3_upload: needs Swift and curl: scripts/install tests")
    folder = tempfile.mkdtemp(prefix="traceview-s3-bench-")
    server = swift.Swift()
    try:
        server.make("traces")
        os.environ.update(AWS_ACCESS_KEY_ID=swift.KEY, AWS_SECRET_ACCESS_KEY=swift.SECRET)
        path, cache = folder + "/a.trace", folder + "/cache"
        words = ["--files", "s3://traces/uploads?endpoint=" + server.endpoint, "--files-cache", cache, *NO_LIMITS]
        program = os.path.abspath(options.program)
        make(path, options.mb)
        with Site(program, *words, "--role", "server", store=folder + "/rows") as site:
            uploads = measure_uploads(server, site, path, options.turns)
        words[1] = words[1].replace("uploads", "windows")
        with Site(program, *words, store=folder + "/rows2") as over_s3, Site(program, *NO_LIMITS) as local:
            over_s3.another = lambda: Site(program, *words, store=folder + "/rows2")
            windows = measure_windows({"s3": over_s3, "folder": local}, cache, options.turns * 4)
        base = statistics.median(uploads["s3"])
        print("Load %.1f; %d turns; medians.\n" % (os.getloadavg()[0], options.turns))
        print("| upload of %d MB | s | beside S3 |\n| --- | ---: | ---: |" % options.mb)
        for name, told in (("s3", "PUT to S3 by curl, signed with its hash"), ("site", "PUT to the site over S3")):
            print("| %s | %.2f | %.2f |" % (told, statistics.median(uploads[name]), statistics.median(uploads[name]) / base))
        print("\n| answer `info` | ms |\n| --- | ---: |")
        for name, told in (("folder", "store in a folder"), ("cached", "files in S3, index open"),
                            ("uncached", "files in S3, another server without a copy")):
            print("| %s | %.1f |" % (told, 1000 * statistics.median(windows[name])))
    finally:
        server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
