"""The exports that are read back, and how: one line a format."""

import callgrind
import duck
import events
import protobuf
import tables


class Format:
    """options: what `export` is given. totals(file): see run.py. missing: why it cannot be read here, or None.
    as_held(wanted, names of threads): what is wanted where the format holds less. takes(case): whether the case is for
    the reader."""

    def __init__(self, options, totals, missing=None, is_long=False, as_held=None, takes=lambda case: True):
        self.options = options
        self.totals = totals
        self.missing = missing
        self.is_long = is_long
        self.as_held = as_held
        self.takes = takes


def table_format(form, table, totals, takes=lambda case: True):
    return Format(["--to", form, "--table", table], totals, tables.missing(form), takes=takes)


def is_part(case):
    """Not the example as a whole, of which every call is a row."""
    return "recipes" not in case.path or case.options


def is_small(case):
    """Not all of the example: some readers take a minute for it."""
    return "recipes" not in case.path or "--thread" in case.options


def is_plain(case):
    """speedscope matches enters and exits of trace events of one moment by name, and takes some calls of length zero
    for long ones: these two have none of those, and one has times that are cut."""
    return is_small(case) and ("recipes" in case.path or "deep-exits" in case.path)


def is_part(case):
    """Not all of the example, which is millions of lines as protoc prints it."""
    return "recipes" not in case.path or case.options


def is_folded(case):
    return "--thread" not in case.options and ("recipes" in case.path or "deep-exits" in case.path)


FORMATS = {
    "callgrind": Format(["--to", "callgrind"], callgrind.totals, callgrind.missing()),
    "csv": table_format("csv", "calls", tables.totals_by(tables.read_csv), takes=is_part),
    "csv, nodes": table_format("csv", "nodes", tables.totals_by(tables.read_csv)),
    "csv, methods": table_format("csv", "methods", tables.profile_by(tables.read_csv)),
    "jsonl": table_format("jsonl", "nodes", tables.totals_by(tables.read_jsonl)),
    "parquet": table_format("parquet", "calls", tables.totals_by_node("parquet")),
    "parquet in DuckDB": Format(["--to", "parquet", "--table", "calls"], duck.totals, duck.missing(), is_long=True),
    "parquet, methods": table_format("parquet", "methods", tables.profile_by(tables.read_parquet)),
    "arrow": table_format("arrow", "calls", tables.totals_by_node("arrow")),
    "arrow, nodes": table_format("arrow", "nodes", tables.totals_by_node("arrow")),
    "sqlite": Format(["--to", "sqlite"], tables.totals_by_sql),
    "sqlite, calls": Format(["--to", "sqlite"], tables.totals_of_calls_by_sql, takes=is_part),
    "chrome": Format(["--to", "chrome"], events.chrome_totals, takes=is_small),
    "firefox": Format(["--to", "firefox"], events.firefox_totals, takes=is_small),
    "firefox, all of it": Format(["--to", "firefox"], events.firefox_totals, is_long=True,
                                 takes=lambda case: not is_small(case)),
    "speedscope": Format(["--to", "speedscope"], events.speedscope_totals, events.without_speedscope(), takes=is_small),
    "speedscope, all of it": Format(["--to", "speedscope"], events.speedscope_totals, events.without_speedscope(),
                                    is_long=True, takes=lambda case: not is_small(case)),
    "chrome in speedscope": Format(["--to", "chrome"], events.chrome_in_speedscope, events.without_speedscope(),
                                   takes=is_plain),
    "perfetto": Format(["--to", "perfetto"], protobuf.perfetto_totals, protobuf.no_protoc(), takes=is_part),
    "perfetto, all of it": Format(["--to", "perfetto"], protobuf.perfetto_totals, protobuf.no_protoc(), is_long=True,
                                  takes=lambda case: not is_part(case)),
    "pprof": Format(["--to", "pprof"], protobuf.pprof_totals, protobuf.no_protoc(), takes=is_part),
    "pprof, all of it": Format(["--to", "pprof"], protobuf.pprof_totals, protobuf.no_protoc(), is_long=True,
                               takes=lambda case: not is_part(case)),
    "pprof in pprof-format": Format(["--to", "pprof"], protobuf.pprof_format_totals, protobuf.no_pprof_format()),
    "pprof in speedscope": Format(["--to", "pprof"], protobuf.pprof_in_speedscope, events.without_speedscope(),
                                  as_held=protobuf.as_speedscope, takes=is_folded),
    "folded in speedscope": Format(["--to", "folded"], events.folded_in_speedscope, events.without_speedscope(),
                                   as_held=events.as_folded, takes=is_folded),
}
