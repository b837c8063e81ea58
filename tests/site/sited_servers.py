"""Tests of sited.py: what packaging/site has for several servers and workers: proxies before them, a compose file, manifests, a drop-in."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from crowd import Crowd, content
from ports import Port
from running import PATIENCE_S, ROOT, equal, has, read, sha256, wait_until
from sited_deployed import FOLDER, packaged, settings_of
from sited_proxied import NGINX, BASE, Proxied

# For `several_servers_behind_nginx`, which the recipe has addresses of machines for.
ADDRESSES = ("10.0.0.11:8192", "10.0.0.12:8192", "10.0.0.13:8192")


class Front(Proxied):
    """nginx before a crowd, by the recipe."""

    def __init__(self, crowd, held):    # pylint: disable=super-init-not-called
        self.folder = tempfile.TemporaryDirectory(prefix="traceview-nginx-")
        self.held, self.port, self.host, self.site = held, held.number, "127.0.0.1:%d" % held.number, crowd
        self.log = self.folder.name + "/nginx.log"
        text = packaged("nginx-servers.conf")
        for of, server in zip(ADDRESSES, crowd.servers):
            equal(text.count(of), 1)
            text = text.replace(of, "127.0.0.1:%d" % server.port)
        for pattern, by in (("listen 443 ssl http2;", "listen 127.0.0.1:%d;" % self.port), (" *ssl_certificate(_key)? .*\n", ""),
                            ("/var/log/nginx/traceview.log", self.log)):
            text, count = re.subn(pattern, by, text)
            assert count, pattern
        paths = "".join("%s_temp_path %s/%s;\n" % (kind, self.folder.name, kind)
                        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        conf = self.folder.name + "/nginx.conf"
        with open(conf, "w", encoding="utf-8") as file:
            file.write("daemon off;\nmaster_process off;\npid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n%s%s}\n"
                       % (self.folder.name, paths, text))
        self.nginx = subprocess.Popen([NGINX, "-c", conf, "-p", self.folder.name], stderr=subprocess.DEVNULL)
        wait_until(self.is_up)

    def __exit__(self, *_):
        self.nginx.terminate()
        self.nginx.communicate()
        self.folder.cleanup()


def several_servers_behind_nginx(program):
    """Each answers its part; one that is killed is missed by nobody who reads."""
    if not NGINX:
        print("skipped: several servers behind nginx: nginx is not installed (Debian: nginx-light)", file=sys.stderr)
        return
    held = Port()
    options = ("--base-path", BASE, "--trusted-proxies", "127.0.0.1", "--public-url", "http://127.0.0.1:%d" % held.number)
    with Crowd(program, 3, 1, *options) as crowd, Front(crowd, held) as front:
        kept = []
        for number in range(6):
            answer = front.ask(BASE + "/api/v1/traces?name=a.trace", method="PUT", body=content(number))
            has(answer, b"HTTP/1.1 201 ")
            kept.append((number, json.loads(answer.partition(b"\r\n\r\n")[2])))

        def read_all():
            for number, trace in kept:
                answer = front.ask("%s/api/v1/traces/%s/raw" % (BASE, trace["id"]), "Authorization: Bearer " + trace["owner_token"])
                has(answer[:20], b"HTTP/1.1 200 ")
                equal(sha256(answer.partition(b"\r\n\r\n")[2]), sha256(content(number)))
        read_all()
        used = {line.split()[-1] for line in read(front.log).decode().splitlines()}
        equal(used, {"127.0.0.1:%d" % server.port for server in crowd.servers})
        assert not re.search(r"[0-9a-f]{32}", read(front.log).decode()), "an id is whole in the log"
        gone = crowd.servers[0]
        gone.is_killed = True
        gone.process.kill()
        for _ in range(3):
            read_all()
        has(front.ask(BASE + "/readyz"), b"HTTP/1.1 200 ")
    held.close()


def _stopped_while_asked(crowd, failures, until):
    while time.monotonic() < until[0]:
        try:
            answer = crowd.any_server().ask("/readyz")
            assert answer.status == 200 or (answer.status == 503 and int(answer.headers["Retry-After"]) > 0), answer.status
        except OSError:
            pass
        except AssertionError as failure:
            failures.append(failure)


def a_stop_ends_what_is_under_way_and_no_answer_is_cut(program):
    """SIGTERM: a connection that is taken is answered whole, by 503 where it came late, for a proxy that asks another server then."""
    with Crowd(program, 2, 1) as crowd:
        until, failures = [time.monotonic() + PATIENCE_S], []
        threads = [threading.Thread(target=_stopped_while_asked, args=(crowd, failures, until)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(4):
            crowd.kill_server(15)
        until[0] = 0
        for thread in threads:
            thread.join()
        assert not failures, failures[0]


def caddy_understands_its_recipes(_):
    if not shutil.which("caddy"):
        print("skipped: Caddy's recipes: caddy is not installed (Debian: caddy)", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as home:
        for name in ("Caddyfile", "Caddyfile-servers", "Caddyfile-compose"):
            run = subprocess.run(["caddy", "validate", "--adapter", "caddyfile", "--config", os.path.join(FOLDER, name)], text=True,
                                 capture_output=True, env=dict(os.environ, HOME=home, XDG_DATA_HOME=home), check=False)
            equal((name, run.returncode, run.stdout.strip()[-19:]), (name, 0, "Valid configuration"))


def compose_understands_its_file(program):
    if not shutil.which("docker-compose"):
        print("skipped: the compose file: docker-compose is not installed (Debian: docker-compose)", file=sys.stderr)
        return
    run = subprocess.run(["docker-compose", "-f", os.path.join(FOLDER, "compose.yaml"), "config"], capture_output=True, text=True, check=False)
    equal((run.returncode, run.stderr), (0, ""))
    import yaml  # pylint: disable=import-outside-toplevel
    services = yaml.safe_load(run.stdout)["services"]
    equal(set(services), {"database", "objects", "bucket", "store", "server", "worker", "proxy"})
    known = settings_of(program)
    for name in ("server", "worker"):
        variables = services[name]["environment"]
        equal((name, set(variables) - known), (name, set()))
        taken = subprocess.run([program, "serve", "--check-config"], env=dict(os.environ, **variables), capture_output=True, text=True,
                               check=True).stdout
        for line in ("postgres://traceview@database/traceview", "/run/secrets/database-password"):
            has(taken, line)
        equal((services[name]["read_only"], services[name]["cap_drop"]), (True, ["ALL"]))
    place = services["server"]["environment"]["TRACEVIEW_SITE_FILES"]
    equal(services["worker"]["environment"]["TRACEVIEW_SITE_FILES"], place)
    assert place in services["store"]["entrypoint"], services["store"]
    assert any(secret["source"] == "s3-keys" for secret in services["server"]["secrets"]) and place.endswith("keys=/run/secrets/s3-keys")
    equal(services["database"]["environment"]["POSTGRES_PASSWORD_FILE"], "/run/secrets/database-password")


def manifests():
    import yaml  # pylint: disable=import-outside-toplevel
    for name in ("kubernetes.yaml", "kubernetes-cluster.yaml"):
        yield name, list(yaml.safe_load_all(packaged(name)))


def manifests_are_what_kubernetes_publishes(_):
    script = os.path.join(ROOT, "tests", "readers", "manifests.mjs")
    if not os.path.isdir(os.path.join(os.path.dirname(script), "node_modules", "kubernetes-models")):
        print("skipped: schemas of Kubernetes: tests/readers/node_modules is missing (npm)", file=sys.stderr)
        return

    def faults(documents):
        return subprocess.run(["node", script], input=json.dumps(documents), capture_output=True, text=True, check=True).stdout
    for name, documents in manifests():
        equal((name, faults(documents)), (name, ""))
        pod = next(one for one in documents if one["kind"] == "Deployment")["spec"]["template"]["spec"]
        pod["containers"][0]["readynessProbe"] = {}    # a check that finds nothing wrong is none
        pod["automountServiceAccountToken"] = "no"
        found = faults(documents)
        has(found, "readynessProbe: no such key")
        has(found, 'automountServiceAccountToken: type {"type":"boolean"}')


def pods_of(documents):
    return [(one, one["spec"]["template"]) for one in documents if one["kind"] in ("Job", "Deployment")]


def manifests_of_a_cluster_name_each_other(program):
    documents = dict(manifests())["kubernetes-cluster.yaml"]
    names = {(one["kind"], one["metadata"]["name"]) for one in documents}
    equal(len(names), len(documents))
    settings = next(one for one in documents if one["kind"] == "ConfigMap")["data"]
    equal(set(settings) - settings_of(program), set())
    for owner, pod in pods_of(documents):
        container = pod["spec"]["containers"][0]
        equal({mount["name"] for mount in container["volumeMounts"]}, {volume["name"] for volume in pod["spec"]["volumes"]})
        equal((container["securityContext"]["readOnlyRootFilesystem"], pod["spec"]["securityContext"]["runAsNonRoot"]), (True, True))
        equal(container["envFrom"], [{"configMapRef": {"name": "traceview-site"}}])
        for volume in pod["spec"]["volumes"]:
            if "persistentVolumeClaim" in volume:
                assert ("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]) in names
        password = settings["TRACEVIEW_SITE_STORE_PASSWORD_FILE"]
        assert any(password.startswith(mount["mountPath"] + "/") for mount in container["volumeMounts"]), password
        if owner["kind"] == "Deployment":
            equal(owner["spec"]["selector"]["matchLabels"], pod["metadata"]["labels"])
        # What each setting says, taken together, is a configuration.
        variables = dict(settings, **{one["name"]: one["value"] for one in container.get("env", ())})
        subprocess.run([program, "serve", "--check-config"], env=dict(os.environ, **variables), stdout=subprocess.DEVNULL, check=True)
    labels = [pod["metadata"]["labels"] for _, pod in pods_of(documents)]
    for one in documents:
        selector = {"Service": lambda spec: spec["selector"], "PodDisruptionBudget": lambda spec: spec["selector"]["matchLabels"],
                    "NetworkPolicy": lambda spec: spec["podSelector"]["matchLabels"]}.get(one["kind"])
        if selector:
            wanted = selector(one["spec"])
            assert any(wanted.items() <= of.items() for of in labels), (one["kind"], wanted)
        if one["kind"] == "HorizontalPodAutoscaler":
            assert (one["spec"]["scaleTargetRef"]["kind"], one["spec"]["scaleTargetRef"]["name"]) in names


def the_command_of_the_job_makes_a_store(program):
    """As it stands, with the variables of the settings put in as Kubernetes does it; in a folder, since a database is not at hand."""
    documents = dict(manifests())["kubernetes-cluster.yaml"]
    command = next(pod for owner, pod in pods_of(documents) if owner["kind"] == "Job")["spec"]["containers"][0]["command"]
    equal(command[:3] + command[4:], ["traceview", "store", "make", "--files", "$(TRACEVIEW_SITE_FILES)", "--password-file",
                                      "$(TRACEVIEW_SITE_STORE_PASSWORD_FILE)"])
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, *command[1:3], folder + "/store"], capture_output=True, text=True, check=False)
        equal((run.returncode, os.path.exists(folder + "/store/store.sqlite")), (0, True))


def the_service_takes_the_drop_in_of_a_cluster(program):
    text = packaged("traceview-site-cluster.conf")
    variables = dict(re.findall(r"^Environment=(TRACEVIEW_SITE_[A-Z_]+)=(\S+)", text, re.M))
    equal(set(variables) - settings_of(program), set())
    subprocess.run([program, "serve", "--check-config"], env=dict(os.environ, **variables), stdout=subprocess.DEVNULL, check=True)
    # What the database, the proxy and the files are is let through.
    allowed = re.search(r"^IPAddressAllow=(.*)$", text, re.M)[1].split()
    assert re.search(r"@([^/]+)/", variables["TRACEVIEW_SITE_STORE"])[1] in allowed
    assert variables["TRACEVIEW_SITE_TRUSTED_PROXIES"] in allowed
    has(text, "\nReadWritePaths=%s\n" % variables["TRACEVIEW_SITE_FILES"])
    has(packaged("traceview-site.service"), "\nRestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX\n")
    if not shutil.which("systemd-analyze"):
        print("skipped: systemd-analyze is not there to read the drop-in", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "traceview-site.service")
        os.mkdir(name + ".d")
        for path, content_of in ((name, packaged("traceview-site.service").replace("@bindir@/traceview", program)),
                                 (name + ".d/cluster.conf", text)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(content_of)
        run = subprocess.run(["systemd-analyze", "verify", "--man=no", name], capture_output=True, text=True, check=False)
        ours = [line for line in run.stderr.splitlines() if "traceview" in line or "cluster.conf" in line]
        equal(ours, [])


TESTS = [several_servers_behind_nginx, a_stop_ends_what_is_under_way_and_no_answer_is_cut, caddy_understands_its_recipes,
         compose_understands_its_file, manifests_are_what_kubernetes_publishes, manifests_of_a_cluster_name_each_other,
         the_command_of_the_job_makes_a_store, the_service_takes_the_drop_in_of_a_cluster]
