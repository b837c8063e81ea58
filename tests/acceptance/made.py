"""The made traces: the truth stands beside each as JSON (docs/numbers.md)."""

import glob
import json
import os

import harness
import laws

METHOD_KEYS = ("method", "calls", "recursive_calls", "inclusive", "exclusive")


def folder():
    for place in (
        os.path.join(harness.ROOT, "tests", "data", "made"),
        os.path.join(harness.shared_folder(), "traces", "made"),
    ):
        if os.path.isdir(place):
            return place
    return None


def check(case, info, top, truth):
    for key in ("calls", "clocks", "total"):
        case.equal(key, info[key], truth[key])
    case.equal("total of top", top["total"], truth["total"])
    case.equal("findings", harness.finding_counts(info), truth["findings"])
    keys = ["id", "name", "calls", "max_depth"] + [clock + "_ns" for clock in truth["clocks"]]
    got = harness.pick(harness.active(info["threads"]), keys)
    case.equal("threads", harness.by_name(got), harness.by_name(harness.pick(truth["threads"], keys)))
    check_methods(case, top["methods"], truth["methods"])


def check_methods(case, got, wanted):
    got = harness.by_name(harness.pick(got, METHOD_KEYS))
    wanted = harness.by_name(harness.pick(wanted, METHOD_KEYS))
    case.equal("number of methods", len(got), len(wanted))
    for row, truth in zip(got, wanted):
        if not case.equal("method %s" % truth["method"], row, truth):
            return


def run(report, tool, options):
    place = folder()
    if place is None:
        report.skip("made traces", "no tests/data/made and no %s" % harness.shared_folder())
        return
    for truth_path in sorted(glob.glob(os.path.join(place, "*.json"))):
        name = os.path.basename(truth_path)[: -len(".json")]
        # NAME finds NAME.trace as well as NAME.key + NAME.data.
        path = truth_path[: -len(".json")]
        with open(truth_path, encoding="utf-8") as file:
            truth = json.load(file)
        with report.case("made " + name) as case:
            info = tool.run("info", "--json", path).json()
            top = tool.run("top", "--json", "-n", "0", path).json()
            check(case, info, top, truth)
            laws.check(case, tool, path, info, top)
