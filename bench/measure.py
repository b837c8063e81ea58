"""Takes times and sizes of the full index and of the limit that it is held against, in turns."""

import os
import shutil
import subprocess
import time

import judge
import tools


def time_command(command, timeout=600, environment=None):
    """Wall time, CPU time and the peak of resident memory of one run; None when it failed."""
    tools.warm_memory()
    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=environment) as process:
        deadline = begin + timeout
        pid = 0
        try:
            while not pid:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if not pid and time.monotonic() > deadline:
                    process.kill()
                time.sleep(0 if pid else 0.001)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return None
    return {"wall_s": time.monotonic() - begin, "cpu_s": usage.ru_utime + usage.ru_stime,
            "resident_bytes": usage.ru_maxrss * 1024}


def take_round(bench, path, with_peer):
    """One value of each, one after the other."""
    index = bench.ask("index", path, 1)
    one_core = bench.ask("index", path, 1, 1)
    limit = bench.ask("limit", path, 2)
    taken = {
        "limit": limit["ns"][-1] / 1e9,
        "limit, cpu": limit["cpu_ns"] / 1e9,
        "index": index["ns"][-1] / 1e9,
        "one core": one_core["ns"][-1] / 1e9,
        "one core, cpu": one_core["cpu_ns"] / 1e9,
    }
    if with_peer:
        peer = time_command(["dmtracedump", "-h", path])
        if peer is not None:
            taken["dmtracedump"] = peer["wall_s"]
            taken["dmtracedump, cpu"] = peer["cpu_s"]
            taken["dmtracedump, resident"] = peer["resident_bytes"]
    return taken, index, one_core


def sizes(name, index, one_core):
    """What the same bytes give in every run."""
    peak = max(index["peak_bytes"], one_core["peak_bytes"])
    return {
        "%s: peak / file" % name: judge.measure([peak / index["bytes"]], "size"),
        "%s: saved / file" % name: judge.measure([index["index_bytes"] / index["bytes"]], "size"),
    }


def measure_index(bench, name, path, rounds):
    """(measures, facts). A first round, which is not counted, warms caches. dmtracedump takes its time: it gets three."""
    has_peer = shutil.which("dmtracedump") is not None
    times = {}
    for round_ix in range(rounds + 1):
        taken, index, one_core = take_round(bench, path, has_peer and 0 < round_ix <= 3)
        if round_ix > 0:
            for what, value in taken.items():
                times.setdefault(what, []).append(value)
    measures = {
        "%s: index / limit" % name: judge.ratio(times["index"], times["limit"]),
        "%s: one core / limit" % name: judge.ratio(times["one core"], times["limit"]),
        "%s: one core, cpu / limit, cpu" % name: judge.ratio(times["one core, cpu"], times["limit, cpu"]),
        "%s: one core / index" % name: judge.ratio(times["one core"], times["index"], higher=True),
        **sizes(name, index, one_core),
    }
    if "dmtracedump" in times:
        measures["%s: dmtracedump / index" % name] = judge.ratio(times["dmtracedump"], times["index"], higher=True)
        measures["%s: dmtracedump, cpu / one core, cpu" % name] = judge.ratio(
            times["dmtracedump, cpu"], times["one core, cpu"], higher=True)
    facts = {key: index[key] for key in ("bytes", "records", "calls", "nodes", "threads")}
    facts["times"] = {what: [round(value, 5) for value in values] for what, values in times.items()}
    return measures, facts


def measure_binary(bench):
    needed = subprocess.run(["readelf", "-d", bench.traceview], stdout=subprocess.PIPE, check=False).stdout.decode()
    libraries = [line.split("[")[1].rstrip("]") for line in needed.splitlines() if "(NEEDED)" in line]
    return {"binary: bytes": judge.measure([os.path.getsize(bench.traceview)], "size")}, {"needs": libraries}
