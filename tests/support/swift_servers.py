"""Starts the servers of Swift in a folder that swift.py has made, by the files of settings there, and prints their process ids.

    swift_servers.py FOLDER PORT...    the ports of those who keep accounts, containers and objects

It runs in the Python that has Swift's packages. Each command of Swift imports them anew, for 0.8 s of the processor's time and
more: nine that make the rings and four servers. Here they are imported once.
"""

import importlib
import os
import sys

del sys.path[0]  # swift.py in this folder is not the package
from swift.common import utils
from swift.common.ring import RingBuilder

KINDS = ("account", "container", "object")
MODULES = ("swift.account.server", "swift.container.server", "swift.obj.server", "swift.proxy.server",
           "swift.common.middleware.s3api.s3api", "swift.common.middleware.slo", "swift.common.middleware.dlo")


def make_ring(path, port):
    builder = RingBuilder(part_power=6, replicas=1, min_part_hours=1)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port,
                     "device": "d1", "weight": 1, "meta": ""})
    builder.rebalance()
    builder.get_ring().save(path)


def start(folder, name):
    """The process id of a server, which leads a group of its own."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        log = os.open("%s/%s.log" % (folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        from swift.common.wsgi import run_wsgi
        sys.exit(run_wsgi("%s/%s.conf" % (folder, name), name + "-server"))
    return pid


def main():
    folder, *ports = sys.argv[1:]
    for kind, port in zip(KINDS, ports):
        path = "%s/%s.ring.gz" % (folder, kind)
        if not os.path.exists(path):
            make_ring(path, int(port))
    utils.eventlet_monkey_patch()  # as run_wsgi does, before it imports a server
    for module in MODULES:
        importlib.import_module(module)
    print(*[start(folder, name) for name in (*KINDS, "proxy")])


main()
