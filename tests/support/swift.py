#!/usr/bin/env python3
"""A store of files that speaks S3, for tests: OpenStack Swift with its S3 interface, in a folder of its own.

    swift.py start        makes and starts one with the bucket `traces`; prints its folder and address, or nothing where
                          Swift is not installed
    swift.py stop FOLDER  stops it, and removes the folder

It checks signatures. The key is test:tester, the secret `testing`. Its disks must know extended attributes.
"""

import getpass
import glob
import hashlib
import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ports

KEY, SECRET, REGION = "test:tester", "testing", "us-east-1"
KINDS = ("account", "container", "object")
NO_BYTES = hashlib.sha256(b"").hexdigest()
PYTHON = "/usr/bin/python3"    # Debian's, which has Swift's packages
SERVERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "swift_servers.py")
START_S = 60

PROXY = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = %(port)d
workers = %(workers)d
user = %(user)s
swift_dir = %(folder)s
log_name = proxy
[pipeline:main]
pipeline = catch_errors proxy-logging cache listing_formats s3api tempauth bulk slo dlo proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:%(memcached)d
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""

STORAGE = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = %(port)d
workers = %(workers)d
user = %(user)s
swift_dir = %(folder)s
devices = %(folder)s/disks
mount_check = false
log_name = %(kind)s
[pipeline:main]
pipeline = %(kind)s-server
[app:%(kind)s-server]
use = egg:swift#%(kind)s
"""


def is_installed():
    return all(shutil.which(program) for program in
               ("swift-proxy-server", "memcached", *("swift-%s-server" % kind for kind in KINDS)))


class Swift:
    """`endpoint` is its address; it has no bucket at first. With `workers` it uses more processors."""

    def __init__(self, workers=0):
        self.folder = tempfile.mkdtemp(prefix="traceview-swift-")
        self.ports = {name: ports.Port() for name in ("proxy", "memcached", *KINDS)}
        self.workers = workers
        os.makedirs(self.folder + "/disks/d1")
        self.write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = tests\nswift_hash_path_prefix = of\n")
        for kind in KINDS:
            self.write("%s.conf" % kind, STORAGE % dict(self.values(), port=self.port(kind), kind=kind))
        self.write("proxy.conf", PROXY % dict(self.values(), port=self.port("proxy"), memcached=self.port("memcached")))
        self.endpoint = "http://127.0.0.1:%d" % self.port("proxy")
        try:
            self.start()
        except BaseException:
            self.end()
            raise

    def port(self, name):
        return self.ports[name].number

    def values(self):
        return {"folder": self.folder, "user": getpass.getuser(), "workers": self.workers}

    def write(self, name, text):
        with open(self.folder + "/" + name, "w", encoding="utf-8") as file:
            file.write(text)

    def start(self):
        """Starts all that it consists of, and waits until it answers."""
        with open(self.folder + "/memcached.log", "ab") as log:
            memcached = subprocess.Popen(["memcached", "-l", "127.0.0.1", "-p", str(self.port("memcached")), "-U", "0",
                                          *(["-u", "root"] if os.geteuid() == 0 else [])],
                                         stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self.write("pids", "%d" % memcached.pid)
        with open(self.folder + "/servers.log", "ab") as log:
            started = subprocess.run([PYTHON, SERVERS, self.folder, *(str(self.port(kind)) for kind in KINDS)],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, check=False,
                                     env=dict(os.environ, SWIFT_CONF_FILE=self.folder + "/swift.conf", PYTHONWARNINGS="ignore"))
        assert started.returncode == 0, "Swift does not start: " + self.logs()
        self.write("pids", "%d %s" % (memcached.pid, started.stdout))
        until = time.monotonic() + START_S
        while not all(self.answers(name) for name in ("proxy", *KINDS)):
            assert time.monotonic() < until, "Swift does not answer: " + self.logs()
            time.sleep(0.1)

    def answers(self, name):
        connection = http.client.HTTPConnection("127.0.0.1", self.port(name), timeout=5)
        try:
            connection.request("GET", "/healthcheck")
            return connection.getresponse().status > 0
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def logs(self):
        text = ""
        for path in glob.glob(self.folder + "/*.log"):
            with open(path, encoding="utf-8", errors="replace") as file:
                text += "\n%s: %s" % (os.path.basename(path), file.read()[-1000:])
        return text

    def stop(self):
        stop_in(self.folder)

    def end(self):
        end_in(self.folder)
        for port in self.ports.values():
            port.close()

    def make(self, bucket):
        """Makes a bucket, by another client than ours."""
        self.curl("/" + bucket, "-X", "PUT", "-H", "x-amz-content-sha256: " + NO_BYTES)

    def curl(self, path, *words):
        """Asks by the command curl; gives what it printed. The key does not stand among its words."""
        address = self.endpoint.replace("://", "://%s:%s@" % (KEY.replace(":", "%3A"), SECRET)) + path
        done = subprocess.run(["curl", "-sS", "--fail-with-body", "--aws-sigv4", "aws:amz:%s:s3" % REGION, "--config", "-",
                               *words], input=b'url = "%s"\n' % address.encode(), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, "%s: %s %s" % (path, done.stderr.decode(), done.stdout.decode()[:500])
        return done.stdout


def stop_in(folder):
    """Stops what runs in the folder: each process is the leader of a group of its own."""
    try:
        with open(folder + "/pids", encoding="ascii") as file:
            pids = [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return
    for pid in pids:
        try:
            os.killpg(pid, signal.SIGKILL)
        except OSError:
            pass
    for pid in pids:
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            while os.path.exists("/proc/%d" % pid):
                time.sleep(0.01)


def end_in(folder):
    stop_in(folder)
    shutil.rmtree(folder, ignore_errors=True)


def main():
    if sys.argv[1:] == ["start"]:
        if is_installed():
            swift = Swift()
            swift.make("traces")
            print(swift.folder, swift.endpoint)
    elif len(sys.argv) == 3 and sys.argv[1] == "stop":
        end_in(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
