"""The exports that are read back, and how: one line a format."""

import tables


class Format:
    """options: what `export` is given. totals(file): see run.py. missing: why it cannot be read here, or None."""

    def __init__(self, options, totals, missing=None, is_long=False):
        self.options = options
        self.totals = totals
        self.missing = missing
        self.is_long = is_long


def table_format(form, table, totals):
    return Format(["--to", form, "--table", table], totals, tables.missing(form))


FORMATS = {
    "csv": table_format("csv", "calls", tables.totals_by(tables.read_csv)),
    "csv, nodes": table_format("csv", "nodes", tables.totals_by(tables.read_csv)),
    "csv, methods": table_format("csv", "methods", tables.profile_by(tables.read_csv)),
    "jsonl": table_format("jsonl", "nodes", tables.totals_by(tables.read_jsonl)),
    "parquet": table_format("parquet", "calls", tables.totals_by_node("parquet")),
    "parquet, methods": table_format("parquet", "methods", tables.profile_by(tables.read_parquet)),
    "arrow": table_format("arrow", "calls", tables.totals_by_node("arrow")),
    "arrow, nodes": table_format("arrow", "nodes", tables.totals_by_node("arrow")),
}
