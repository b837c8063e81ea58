"""Random traces, whole and cut short, against the slow reading in tests/reference."""

import os
import random
import tempfile

import harness
import laws

import make_random
import old_viewer
import reference

TREE_DEPTH = 28  # the most that `tree` shows
ROW_KEYS = ("calls", "inclusive", "exclusive")
METHOD_KEYS = ("id", "method", "calls", "recursive_calls", "inclusive", "exclusive")


def check(case, info, top, truth):
    check_info(case, info, truth)
    check_methods(case, top["methods"], truth["methods"])


def check_info(case, info, truth):
    for key in ("format", "version", "clocks", "sampled", "records", "calls", "nodes", "total"):
        case.equal(key, info[key], truth[key])
    keys = ["id", "name", "records", "calls", "max_depth", "first_ns", "last_ns"]
    keys += [clock + "_ns" for clock in truth["clocks"]]
    got = harness.pick(harness.active(info["threads"]), keys)
    for row, wanted in zip(harness.by_name(got), harness.by_name(harness.pick(truth["threads"], keys))):
        case.equal("thread", row, wanted)
    case.equal("number of threads", len(got), len(truth["threads"]))
    case.equal("findings", harness.finding_counts(info), truth["findings"])
    offsets = {f["kind"]: f["offset"] for f in info["findings"] if f["kind"] in truth["offsets"]}
    case.equal("offsets of findings", offsets, truth["offsets"])


def check_methods(case, got, wanted):
    wanted = {row["method"] if row["id"] == "unknown" else row["id"]: row for row in wanted}
    got = {row["method"] if row["method"] == "(unknown)" else row["id"]: row for row in got}
    case.equal("methods", sorted(got), sorted(wanted))
    for number in set(got) & set(wanted):
        for key in METHOD_KEYS[1:]:
            case.equal("%s of %s" % (key, number), got[number][key], wanted[number][key])


def check_tree(case, tool, path, ids, trace, roots):
    """`tree` with nothing cut off, as deep as it goes."""
    wanted = reference.merged_tree(trace, roots)
    got = tool.run("tree", "--json", "--cut", "0", "-n", "0", "--depth", str(TREE_DEPTH), path).json()["nodes"]
    todo = [(got, wanted, 1)]
    while todo:
        nodes, level, depth = todo.pop()
        if not case.equal("tree, level %d" % depth, sorted(ids[n["rank"]] for n in nodes), sorted(map(name_of, level))):
            return
        by_id = {name_of(method): node for method, node in level.items()}
        for node in nodes:
            truth = by_id[ids[node["rank"]]]
            for key in ("calls", "inclusive", "exclusive"):
                case.equal("tree, level %d, %s of %s" % (depth, key, ids[node["rank"]]), node[key], truth[key])
            case.equal("has children", node["has_children"], bool(truth["children"]))
            if depth < TREE_DEPTH:
                todo.append((node.get("children", []), truth["children"], depth + 1))


def check_callers(case, tool, path, ids, trace, roots):
    tables = reference.relations(trace, roots)
    rng = random.Random(len(ids))
    for method in rng.sample(sorted(tables, key=name_of), min(2, len(tables))):
        table = tables[method]
        rank = next(rank for rank, number in ids.items() if number == name_of(method))
        got = tool.run("callers", "--json", path, str(rank)).json()
        case.equal("self of %s" % name_of(method), got["self"], table["self"]["exclusive"])
        for group in reference.GROUPS:
            rows = {ids[row["rank"]]: harness.pick([row], ROW_KEYS)[0] for row in got[group]}
            wanted = {name_of(other): row for other, row in table[group].items()}
            case.equal("%s of %s" % (group, name_of(method)), rows, wanted)


def name_of(method):
    return "(unknown)" if method == "unknown" else "0x%x" % method


def check_bytes(case, tool, path, data, is_whole):
    with open(path, "wb") as file:
        file.write(data)
    try:
        trace, roots = reference.reckon(data)
        truth = reference.answer_of(trace, roots)
    except reference.Refused as refused:
        done = tool.run("info", "--json", path)
        case.equal("status of what the reference refuses (%s)" % refused, done.status, 1)
        return
    info = tool.run("info", "--json", path).json()
    top = tool.run("top", "--json", "-n", "0", path).json()
    check(case, info, top, truth)
    laws.check(case, tool, path, info, top)
    ids = {m["rank"]: "(unknown)" if m["method"] == "(unknown)" else m["id"] for m in top["methods"]}
    if is_whole:
        check_tree(case, tool, path, ids, trace, roots)
        check_callers(case, tool, path, ids, trace, roots)
    if is_whole and not truth["format"].startswith(("packets", "low-overhead")):
        check_dump(case, tool, path, data)


def check_dump(case, tool, path, data):
    wanted, refused = old_viewer.dump(data)
    done = tool.run("-r", path)
    case.equal("status of -r", done.status, 0)
    case.equal("output of -r", done.out, wanted)
    case.equal("-r has a note", bool(done.err), refused)


def run(report, tool, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "seed.trace")
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            data = make_random.make(seed)
            with report.case("seed %d" % seed) as case:
                check_bytes(case, tool, path, data, True)
            cut = random.Random(seed).randrange(len(data) + 1)
            if data[:4] == b"SLOW" and data[4] & 0x0F in (4, 5):
                continue  # of a cut block any whole record may or may not be taken
            with report.case("seed %d, the first %d bytes" % (seed, cut)) as case:
                check_bytes(case, tool, path, data[:cut], False)
