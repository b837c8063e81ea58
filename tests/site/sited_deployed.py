"""Tests of sited.py: what packaging/site has besides the proxies: container, Kubernetes, rules and pictures of metrics."""

import json
import os
import re
import shutil
import subprocess
import sys

from running import PATIENCE_S, ROOT, Site, equal, read

FOLDER = os.path.join(ROOT, "packaging", "site")


def packaged(name):
    return read(os.path.join(FOLDER, name)).decode("utf-8")


def settings_of(program):
    """Names of variables of all settings."""
    shown = subprocess.run([program, "serve", "--check-config"], capture_output=True, text=True, check=True).stdout
    return {"TRACEVIEW_SITE_" + line.split(" ")[0].upper().replace("-", "_") for line in shown.splitlines()}


def health_check_of_the_container_asks_the_site(program):
    """The command of HEALTHCHECK as it stands, with the variables of the image."""
    words = json.loads(re.search(r"^HEALTHCHECK .*\\\n CMD (.*)$", packaged("Containerfile"), re.M)[1])

    def check(port, base):
        variables = dict(os.environ, TRACEVIEW_SITE_LISTEN="0.0.0.0:%d" % port)
        variables.pop("TRACEVIEW_SITE_BASE_PATH", None)
        if base:
            variables["TRACEVIEW_SITE_BASE_PATH"] = base
        return subprocess.run(words, env=variables, timeout=PATIENCE_S, check=False, stderr=subprocess.DEVNULL).returncode
    for base in ("", "/traces"):
        with Site(program, *(("--base-path", base) if base else ()), "--public-url", "https://traces.example.org") as site:
            port = site.port
            equal(check(port, base), 0)
            assert check(port, base + "/nowhere") != 0
        assert check(port, base) != 0


def image_gets_all_that_it_is_built_from(_):
    ignored = [line for line in read(os.path.join(ROOT, ".dockerignore")).decode("utf-8").splitlines() if line and line[0] != "#"]
    tracked = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    for pattern in ignored:
        inside = [path for path in tracked if path == pattern or path.startswith(pattern.lstrip("*/") + "/")]
        equal((pattern, inside), (pattern, []))


def variables_of_recipes_are_settings(program):
    known = settings_of(program)
    for name in ("Containerfile", "kubernetes.yaml", "kubernetes-cluster.yaml", "compose.yaml", "traceview-site.service",
                 "traceview-site-cluster.conf"):
        used = set(re.findall(r"TRACEVIEW_SITE_[A-Z_]+", packaged(name)))
        assert used, name
        equal((name, used - known), (name, set()))


def manifests_name_each_other(_):
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("skipped: the manifests of Kubernetes: python3-yaml is missing", file=sys.stderr)
        return
    all_of = {document["kind"]: document for document in yaml.safe_load_all(packaged("kubernetes.yaml"))}
    pod = all_of["Deployment"]["spec"]["template"]["spec"]
    container = pod["containers"][0]
    equal(all_of["Deployment"]["spec"]["replicas"], 1)
    equal(all_of["Deployment"]["spec"]["selector"]["matchLabels"], all_of["Deployment"]["spec"]["template"]["metadata"]["labels"])
    equal(all_of["Service"]["spec"]["selector"], all_of["Deployment"]["spec"]["selector"]["matchLabels"])
    equal(all_of["Service"]["spec"]["ports"][0]["targetPort"], container["ports"][0]["name"])
    equal(pod["volumes"][0]["persistentVolumeClaim"]["claimName"], all_of["PersistentVolumeClaim"]["metadata"]["name"])
    equal(container["envFrom"][0]["configMapRef"]["name"], all_of["ConfigMap"]["metadata"]["name"])
    equal({mount["name"] for mount in container["volumeMounts"]}, {volume["name"] for volume in pod["volumes"]})


def rules_and_pictures_ask_for_metrics_that_are_there(program):
    with Site(program) as site:
        there = set(re.findall(r"^# TYPE (\S+)", site.ask("/metrics").text, re.M))
    there |= {"traceview_http_request_duration_seconds_bucket"}
    dashboard = json.loads(packaged("grafana.json"))
    asked = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    rules = packaged("alerts.yaml")
    for text in (asked, rules):
        used = set(re.findall(r"\b((?:traceview|process)_[a-z_]+)\b", text))
        assert len(used) > 5
        equal(used - there, set())
    # What an operator is told of in docs/site.md has a picture, but for the version.
    unseen = {name for name in there if name not in asked and name + "_bucket" not in asked}
    equal(unseen, {"traceview_build_info"})
    if shutil.which("promtool"):
        checked = subprocess.run(["promtool", "check", "rules", os.path.join(FOLDER, "alerts.yaml")], capture_output=True, check=False)
        equal((checked.returncode, checked.stderr), (0, b""))
    else:
        print("skipped: promtool, of Debian's prometheus, is not there to check the rules", file=sys.stderr)


TESTS = [health_check_of_the_container_asks_the_site, image_gets_all_that_it_is_built_from, variables_of_recipes_are_settings,
         manifests_name_each_other, rules_and_pictures_ask_for_metrics_that_are_there]
