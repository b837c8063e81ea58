"""Parquet read by DuckDB, through its C API: the package is large, so only the long tests install it."""

import ctypes
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "duckdb", "node_modules", "@duckdb", "node-bindings-linux-x64", "libduckdb.so")


def missing():
    return None if os.path.exists(LIBRARY) else "DuckDB is not installed (make check-all does)"


class Result(ctypes.Structure):
    """duckdb_result: five members that are not for users, and one that is."""

    _fields_ = [("rows", ctypes.c_uint64 * 2), ("pointers", ctypes.c_void_p * 4)]


def ask(sql):
    """The one value that a query gives, as text."""
    duckdb = ctypes.CDLL(LIBRARY)
    duckdb.duckdb_value_varchar.restype = ctypes.c_void_p
    duckdb.duckdb_value_varchar.argtypes = [ctypes.POINTER(Result), ctypes.c_uint64, ctypes.c_uint64]
    duckdb.duckdb_result_error.restype = ctypes.c_char_p
    database, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), Result()
    if duckdb.duckdb_open(None, ctypes.byref(database)) or duckdb.duckdb_connect(database, ctypes.byref(connection)):
        raise ValueError("DuckDB does not start")
    try:
        if duckdb.duckdb_query(connection, sql.encode(), ctypes.byref(result)):
            raise ValueError(duckdb.duckdb_result_error(ctypes.byref(result)).decode())
        return ctypes.string_at(duckdb.duckdb_value_varchar(ctypes.byref(result), 0, 0)).decode()
    finally:
        duckdb.duckdb_destroy_result(ctypes.byref(result))
        duckdb.duckdb_disconnect(ctypes.byref(connection))
        duckdb.duckdb_close(ctypes.byref(database))


def totals(path):
    """See run.py. A trace without a clock has no columns of it."""
    columns = set(json.loads(ask("SELECT to_json(list(name)) FROM parquet_schema('%s')" % path)))
    sums = ["'calls', count(*) FILTER (NOT recursive)", "'recursive_calls', count(*) FILTER (recursive)"]
    for clock in ("wall_ns", "cpu_ns"):
        if clock in columns:
            sums.append("'inclusive_%s', coalesce(sum(%s) FILTER (NOT recursive), 0)" % (clock, clock))
            sums.append("'exclusive_%s', sum(exclusive_%s)" % (clock, clock))
    groups = "SELECT thread_id, method, json_object(%s) AS numbers FROM read_parquet('%s') GROUP BY ALL" % (
        ", ".join(sums), path)
    rows = json.loads(ask("SELECT to_json(list([to_json(thread_id), to_json(method), numbers])) FROM (%s)" % groups))
    told = {}
    for thread, method, numbers in rows:
        told.setdefault(thread, {})[method] = {key: int(value) for key, value in numbers.items()}
    return told
