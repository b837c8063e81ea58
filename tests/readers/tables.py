"""Reading exported tables: rows as Python has them, what they add up to, and whether all forms have the same rows."""

import csv
import json
import os
import sqlite3
import struct
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLES = ("calls", "nodes", "methods", "threads")
TEXTS = ("thread", "class", "method", "id", "name", "signature", "file")
TRUTHS = ("recursive", "adopted", "open_at_end", "cut")

# Traces, and options that make a small part of them, whose rows are compared one by one.
SAME = [
    ("tests/data/recipes.trace.zst", "--from", "300ms", "--to", "310ms"),
    ("tests/data/recipes.trace.zst", "--to", "150ms", "--depth", "4", "--hide", "java.lang.,java.util."),
    ("tests/data/made/v3-deep-exits.trace",),
    ("tests/data/made/v2-wall.trace",),
    ("tests/data/made/v2-thread-cpu.trace",),
    ("tests/data/made/perfetto-two-processes.trace",),
    ("tests/data/made/odd-thread-name-with-newline.trace",),
]


def csv_value(column, text):
    """A cell of CSV as JSON has it: an empty number is absent."""
    if column in TEXTS:
        return text
    if column in TRUTHS:
        return {"true": True, "false": False}[text]
    return int(text) if text else None


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        return [{column: csv_value(column, text) for column, text in row.items()} for row in rows]


def read_jsonl(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Node:
    """tables.mjs, which is started once: loading its packages takes longer than reading most files."""

    process = None

    @classmethod
    def ask(cls, form, what, path):
        if not cls.process:
            cls.process = subprocess.Popen(["node", os.path.join(HERE, "tables.mjs")], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True)
        cls.process.stdin.write(json.dumps([form, what, path]) + "\n")
        cls.process.stdin.flush()
        answer = json.loads(cls.process.stdout.readline())
        if isinstance(answer, dict):
            raise ValueError("%s: %s" % (form, answer["error"]))
        return answer


def read_parquet(path):
    return Node.ask("parquet", "rows", path)


def read_arrow(path):
    return Node.ask("arrow", "rows", path)


def ask_sqlite(path, sql):
    """Rows of a query as objects. The file is checked first."""
    database = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    database.row_factory = lambda cursor, row: dict(zip([column[0] for column in cursor.description], row))
    try:
        told = database.execute("PRAGMA integrity_check").fetchall()
        if told != [{"integrity_check": "ok"}]:
            raise ValueError("integrity_check: %s" % told)
        return database.execute(sql).fetchall()
    finally:
        database.close()


def totals_by_sql(path):
    """The view thread_profile."""
    told = {}
    for row in ask_sqlite(path, "SELECT * FROM thread_profile"):
        numbers = {key: value for key, value in row.items() if key.endswith("calls") or key.endswith("_ns")}
        told.setdefault(row["thread_id"], {})[row["method"]] = numbers
    return told


def totals_of_calls_by_sql(path):
    """The view named_calls, with the ids of threads, which it does not have."""
    return totals_of(ask_sqlite(path, "SELECT n.*, c.thread_id FROM named_calls n JOIN calls c USING (call)"))


FORMS = {"csv": read_csv, "jsonl": read_jsonl, "parquet": read_parquet, "arrow": read_arrow}


def totals_of(rows):
    """What rows of calls or nodes add up to (run.py): inclusive times count calls that are not recursive."""
    totals = {}
    for row in rows:
        sums = totals.setdefault(row["thread_id"], {}).setdefault(row["method"], {"calls": 0, "recursive_calls": 0})
        sums["recursive_calls" if row["recursive"] else "calls"] += row.get("calls", 1)
        for clock in ("wall_ns", "cpu_ns"):
            inclusive = row.get(clock, row.get("inclusive_" + clock))
            if inclusive is None:
                continue
            key = "inclusive_" + clock
            sums[key] = sums.get(key, 0) + (0 if row["recursive"] else inclusive)
            key = "exclusive_" + clock
            sums[key] = sums.get(key, 0) + row[key]
    return totals


def totals_by(read):
    return lambda path: totals_of(read(path))


def totals_by_node(form):
    def totals(path):
        told = {}
        for thread, method, sums in Node.ask(form, "totals", path):
            told.setdefault(thread, {})[method] = sums
        return told
    return totals


def profile_by(read):
    """The rows of a table of methods, of all threads together."""
    keys = ["calls", "recursive_calls"] + [kind + clock for kind in ("inclusive_", "exclusive_")
                                           for clock in ("wall_ns", "cpu_ns")]
    return lambda path: {None: {row["method"]: {key: row[key] for key in keys if key in row} for row in read(path)}}


def missing(form):
    there = form in ("csv", "jsonl") or os.path.exists(os.path.join(HERE, "node_modules", ".package-lock.json"))
    return None if there else "the readers' npm packages are not installed"


def export(program, path, form, table, options, out):
    subprocess.run([program, "export", os.path.join(ROOT, path), *options, "--to", form, "--table", table, "-o", out],
                   check=True, stderr=subprocess.DEVNULL, timeout=240)


def write_many_calls(path, count):
    """A trace of version 3 with so many calls of one method, each a microsecond long, on one thread."""
    head = ("*version\n3\ndata-file-overflow=false\nclock=dual\nelapsed-time-usec=%d\nvm=art\n*threads\n1\tmain\n"
            "*methods\n0x4\tcom.app.Main\trun\t()V\tMain.java\n*end\n" % (2 * count))
    with open(path, "wb") as file:
        file.write(head.encode() + struct.pack("<IHHQH14x", 0x574f4c53, 3, 32, 0, 14))
        for first in range(0, count, 65536):
            file.write(b"".join(struct.pack("<HIII", 1, 4, 2 * i, i) + struct.pack("<HIII", 1, 5, 2 * i + 1, i)
                                for i in range(first, min(first + 65536, count))))


def check_many_groups(program, report):
    """A Parquet file of more than 14 groups of rows, from which on the list of groups has another head."""
    count = 15 * 131072 + 7
    if missing("parquet"):
        return
    with tempfile.TemporaryDirectory() as folder, report.case("16 groups of rows in parquet") as checked:
        trace, out = os.path.join(folder, "many.trace"), os.path.join(folder, "out")
        write_many_calls(trace, count)
        subprocess.run([program, "export", trace, "--to", "parquet", "-o", out], check=True, timeout=120)
        checked.equal("groups", Node.ask("parquet", "groups", out),
                      [[min(131072, count - first), first, min(first + 131072, count) - 1]
                       for first in range(0, count, 131072)])
        checked.equal("the last calls", Node.ask("parquet", "tail", out), [count - 3, count - 2, count - 1])


def check(program, report):
    """Each table of each trace has the same rows in every form."""
    check_many_groups(program, report)
    for path, *options in SAME:
        for table in TABLES:
            with tempfile.TemporaryDirectory() as folder, \
                    report.case("%s of %s in all forms" % (table, " ".join([path, *options]))) as checked:
                rows = {}
                for form, read in FORMS.items():
                    if missing(form):
                        continue
                    out = os.path.join(folder, form)
                    export(program, path, form, table, options, out)
                    rows[form] = read(out)
                    checked.true("%s has rows" % form, rows[form])
                    checked.equal("rows of %s and jsonl" % form, rows[form], rows.get("jsonl", rows[form]))
        with tempfile.TemporaryDirectory() as folder, \
                report.case("sqlite has the rows of %s" % " ".join([path, *options])) as checked:
            out = os.path.join(folder, "out.sqlite")
            subprocess.run([program, "export", os.path.join(ROOT, path), *options, "-o", out], check=True,
                           stderr=subprocess.DEVNULL, timeout=240)
            for table in TABLES:
                form = os.path.join(folder, table)
                export(program, path, "jsonl", table, options, form)
                rows = ask_sqlite(out, "SELECT * FROM %s" % table)
                wanted = [{key: int(value) if isinstance(value, bool) else value for key, value in row.items()
                           if key in rows[0]} for row in read_jsonl(form)]
                key = next(iter(rows[0]))
                checked.equal(table, rows, sorted(wanted, key=lambda row, key=key: row[key]))
    check_relations(program, report)


def check_relations(program, report):
    """The views callers and callees say what `callers --json` says."""
    path = os.path.join(ROOT, "tests", "data", "recipes.trace.zst")
    method = "java.util.HashMap.putVal"
    with tempfile.TemporaryDirectory() as folder, report.case("views callers and callees") as checked:
        out = os.path.join(folder, "out.sqlite")
        subprocess.run([program, "export", path, "--to", "sqlite", "-o", out], check=True, timeout=240)
        answer = json.loads(subprocess.run([program, "callers", path, method, "--json"], check=True,
                                           stdout=subprocess.PIPE, timeout=240).stdout)
        name_of = {row["rank"]: row["method"] for row in answer["methods"]}
        for view, other in (("callers", "caller"), ("callees", "callee")):
            rows = ask_sqlite(out, "SELECT * FROM %s WHERE method = (SELECT method FROM methods WHERE rank = %d)"
                              % (view, answer["method"]["rank"]))
            for recursive, group in ((0, view), (1, view + "_recursive")):
                got = {row[other]: (row["calls"], row["inclusive_wall_ns"], row["inclusive_cpu_ns"])
                       for row in rows if row["recursive"] == recursive}
                wanted = {name_of[row["rank"]]: (row["calls"], row["inclusive"]["wall_ns"], row["inclusive"]["cpu_ns"])
                          for row in answer[group]}
                checked.equal(group, got, wanted)
                checked.true("there are " + view, got or recursive)
