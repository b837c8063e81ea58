"""Laws that hold for the answers about any trace at all."""


def check(case, tool, path, info, top):
    clocks = info["clocks"]
    threads, methods = info["threads"], top["methods"]
    case.equal("clocks of top", top["clocks"], clocks)
    case.equal("calls of threads", sum(t["calls"] for t in threads), info["calls"])
    case.equal("records of threads", sum(t["records"] for t in threads), info["records"])
    case.equal("calls of methods", sum(m["calls"] + m["recursive_calls"] for m in methods), info["calls"])
    case.true("no more nodes than calls", info["nodes"] <= info["calls"], info["nodes"])
    case.true("calls need records", info["calls"] <= info["records"], info["calls"])
    for clock in clocks:
        key = clock + "_ns"
        total = info["total"][key]
        case.equal("roots of threads, " + key, sum(t[key] for t in threads), total)
        case.equal("exclusive times, " + key, sum(m["exclusive"][key] for m in methods), total)
        for method in methods:
            inclusive, exclusive = method["inclusive"][key], method["exclusive"][key]
            what = "0 <= exclusive <= inclusive <= total, %s of %s" % (key, method["method"])
            if not case.true(what, 0 <= exclusive <= inclusive <= total, (exclusive, inclusive, total)):
                break
    for wait in (method["wait"] for method in methods if "wait" in method):
        case.true("0 <= exclusive <= inclusive wait", 0 <= wait["exclusive_ns"] <= wait["inclusive_ns"], wait)
    check_ranks(case, info, methods)


def check_ranks(case, info, methods):
    if not info["clocks"]:
        return
    key = info["default_clock"] + "_ns"
    by_rank = sorted(methods, key=lambda m: m["rank"])
    case.equal("ranks", [m["rank"] for m in by_rank], list(range(len(methods))))
    for above, below in zip(by_rank, by_rank[1:]):
        times = (above["inclusive"][key], below["inclusive"][key])
        if not case.true("rank falls with inclusive time", times[0] >= times[1], times):
            return
        if times[0] == times[1]:
            names = (above["method"], below["method"])
            if not case.true("ties by name", names[0].encode() <= names[1].encode(), names):
                return


def add_rows(tops, clocks):
    """Method id -> the sums over several profiles."""
    sums = {}
    for top in tops:
        for method in top["methods"]:
            row = sums.setdefault(method["id"], {})
            for clock in clocks:
                for kind in ("inclusive", "exclusive"):
                    key = (kind, clock)
                    row[key] = row.get(key, 0) + method[kind][clock + "_ns"]
    return {number: row for number, row in sums.items() if any(row.values())}


def check_parts(case, tool, path, info, top):
    """Threads add up to the whole, and so do adjacent time ranges."""
    clocks = info["clocks"]
    whole = add_rows([top], clocks)
    ids = [t["id"] for t in info["threads"] if t["records"]]
    if len(ids) <= 40:
        parts = [top_of(tool, path, "--thread", str(number)) for number in ids]
        case.equal("sum over threads", add_rows(parts, clocks), whole)
    if info["axis"] != "wall" or not info["common_axis"]:
        return
    end = info["span_ns"]
    edges = [0, end // 3, end // 3 + 1, end // 2, end]
    parts = [
        top_of(tool, path, "--from", "%dns" % low, "--to", "%dns" % high)
        for low, high in zip(edges, edges[1:])
        if low < high
    ]
    if parts:
        case.equal("sum over time ranges", add_rows(parts, clocks), whole)


def top_of(tool, path, *args):
    return tool.run("top", "--json", "-n", "0", *args, path).json()
