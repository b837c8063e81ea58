#!/usr/bin/env python3
"""The story of two builds in docs/compare.md, from its source to what it says in the end: story.py PROGRAM.

Ends with "N passed, N failed".
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def expect(is_true, what):
    if not is_true:
        raise AssertionError(what)


def masked(line):
    """A line without its times, threads and places, which another run has otherwise."""
    line = re.sub(r"\d[\d,]*\.\d+", "T", line.strip())
    return re.sub(r" on \S+?(, called|$)", r" on THREAD\1", line)


def main():
    program = os.path.abspath(sys.argv[1])
    with open(os.path.join(ROOT, "docs", "compare.md"), encoding="utf-8") as file:
        story = re.search(r"^## A story: two builds\n(.*?)^## ", file.read(), re.M | re.S)[1]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in re.findall(r"^```file (\S+)\n(.*?)^```$", story, re.M | re.S):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        for name in ("bin",):
            os.mkdir(os.path.join(folder, name))
        os.symlink(program, os.path.join(folder, "bin", "traceview"))
        library = os.path.join(os.path.dirname(program), "include")
        environment = {**os.environ, "PATH": os.path.join(folder, "bin") + ":" + os.environ["PATH"], "NO_COLOR": "1",
                       "XDG_CACHE_HOME": folder, "LIBRARY_PATH": library, "LD_LIBRARY_PATH": library}
        environment.pop("GITHUB_STEP_SUMMARY", None)
        lines = re.search(r"^```sh\n(.*?)^```$", story, re.M | re.S)[1]
        done = subprocess.run(["sh", "-ec", lines], cwd=folder, env=environment, capture_output=True, text=True, check=False)
        try:
            expect(done.returncode == 3, (done.returncode, done.stdout, done.stderr))
            said = [masked(line) for line in done.stdout.splitlines()]
            for line in re.search(r"^```\n(Rules:.*?)^```$", story, re.M | re.S)[1].splitlines():
                expect(masked(line) in said, "%r is not in %s" % (masked(line), done.stdout))
            expect(any(re.fullmatch(r"12 +14 .* shop\.load_item \(\)", line.strip()) for line in done.stdout.splitlines()), done.stdout)
            expect(re.search(r"\+\d+\.\d % .* shop\.draw_item \(\)$", done.stdout, re.M), done.stdout)
            with open(os.path.join(folder, "summary.text"), encoding="utf-8") as file:
                summary = file.read()
            expect(re.search("<td>broken</td><td><code>calls of shop.load_item in 12</code></td><td>14 calls in new recording 1: <code>shop.load_item \(\)</code>",
                             summary), summary)
            expect("<code>time of shop.draw_item grows &lt;= 20 % and 5 ms</code>" in summary and "became" in summary, summary)
        except AssertionError as failure:
            print("FAILED: %s" % failure)
            print("0 passed, 1 failed")
            sys.exit(1)
    print("1 passed, 0 failed")


main()
