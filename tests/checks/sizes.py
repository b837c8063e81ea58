#!/usr/bin/env python3
"""Measures what is as long in every run, and holds it against its limit and against what docs/performance.md says of it.

    sizes.py BUILD [--update]      --update writes the sizes of this build into the page and into bench/recorded.json

Those are the program, as it is shipped, and the two engines of pages by gzip; the limits are those of bench/size_limits.json. The page may differ from
the build by 2 %: not each change has to write it anew. Ends with "N passed, N failed".
"""

import gzip
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import judge  # noqa: E402  pylint: disable=wrong-import-position

PAGE = os.path.join(ROOT, "docs", "performance.md")
RECORDED = os.path.join(ROOT, "bench", "recorded.json")
MOST_OFF = 0.02


def measured(build):
    sizes = {"binary: bytes": os.path.getsize(os.path.join(build, "traceview"))}
    for key, name in (("engine: bytes", "engine.wasm"), ("engine of files: bytes", "engine-exports.wasm")):
        path = os.path.join(build, "src", "engine", name)
        if not os.path.exists(path):
            print("skipped: the size of %s: built without the engine of pages (scripts/install engine)" % name)
            continue
        with open(path, "rb") as file:
            sizes[key] = len(gzip.compress(file.read(), 9))
    return {key: judge.measure([size], "size") for key, size in sizes.items()}


def update(page, row_of, measures):
    begins = {row.split(" | ")[0] + " | ": row for row in row_of.values()}
    lines = [next((row for begin, row in begins.items() if line.startswith(begin)), line) for line in page.split("\n")]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    with open(RECORDED, encoding="utf-8") as file:
        recorded = json.load(file)
    recorded["measures"].update(measures)
    with open(RECORDED, "w", encoding="utf-8") as file:
        file.write(json.dumps(recorded, indent=1) + "\n")


def fault_of(key, one, page, row, recorded):
    if one["value"] > judge.SIZE_LIMITS[key]:
        return "%d bytes, and %d are allowed (bench/size_limits.json)" % (one["value"], judge.SIZE_LIMITS[key])
    if abs(one["value"] / recorded["measures"].get(key, one)["value"] - 1) > MOST_OFF:
        return "%d bytes, and bench/recorded.json has %d: sizes.py BUILD --update" % (one["value"], recorded["measures"][key]["value"])
    if row not in page.split("\n"):
        return "docs/performance.md has no line \"%s\": sizes.py BUILD --update" % row
    return None


def main():
    words = [word for word in sys.argv[1:] if word != "--update"]
    if len(words) != 1:
        sys.exit(__doc__)
    measures = measured(words[0])
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    table = lambda of: {key: judge.table({key: of[key]}, {other: "" for other, *_ in judge.BUDGETS}).split("\n")[2] for key in measures if key in of}
    if "--update" in sys.argv:
        update(page, table(measures), measures)
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
    with open(RECORDED, encoding="utf-8") as file:
        recorded = json.load(file)
    rows = table(recorded["measures"])
    failed = 0
    for key, one in measures.items():
        fault = fault_of(key, one, page, rows.get(key, ""), recorded)
        if fault:
            failed += 1
            print("FAILED: %s: %s" % (key, fault))
    print("%d passed, %d failed" % (len(measures) - failed, failed))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
