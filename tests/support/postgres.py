#!/usr/bin/env python3
"""A cluster of PostgreSQL for tests: made in a folder of its own, reached by a socket in it, and of no other use.

    postgres.py start        makes and starts one; prints its folder, or nothing where PostgreSQL is not installed
    postgres.py stop FOLDER  stops it, and removes the folder

The server does not run as root, so it runs as the user postgres where the tests do; it keeps nothing on the disk that
a loss of power would spare (fsync=off).
"""

import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

USER = "postgres"


def folder_of_programs():
    """Of the newest PostgreSQL from 15 on; None: there is none."""
    found = [folder for folder in glob.glob("/usr/lib/postgresql/*/bin")
             if folder.split("/")[4].isdigit() and int(folder.split("/")[4]) >= 15
             and os.path.exists(folder + "/initdb")]
    return max(found, key=lambda folder: int(folder.split("/")[4]), default=None)


class Cluster:
    """With a port it is reached by TCP, too, with TLS. `options` are lines of postgresql.conf."""

    def __init__(self, *options, port=None):
        self.programs = folder_of_programs()
        self.folder = tempfile.mkdtemp(prefix="traceview-pg-")
        self.data = self.folder + "/data"
        self.as_user = ["runuser", "-u", USER, "--"] if os.geteuid() == 0 else []
        os.chmod(self.folder, 0o711)    # whoever a site runs as reaches the socket
        if self.as_user:
            shutil.chown(self.folder, USER)
        self.run("initdb", "-D", self.data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        self.port = port or 5432
        self.set("listen_addresses = '%s'" % ("127.0.0.1" if port else ""), "port = %d" % self.port)
        self.set("unix_socket_directories = '%s'" % self.folder, "fsync = off",
                 "max_connections = 200", *options)
        if port and shutil.which("openssl"):
            self.make_certificate()
        self.start()

    def run(self, program, *words):
        done = subprocess.run([*self.as_user, self.programs + "/" + program, *words], cwd="/", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, "%s: %s" % (program, done.stdout.decode()[-2000:])
        return done.stdout.decode()

    def need_password(self, user, password):
        """Makes a user who may make a store, and who comes in by a password alone."""
        self.ask("CREATE ROLE %s LOGIN SUPERUSER PASSWORD '%s'" % (user, password))
        path = self.data + "/pg_hba.conf"
        with open(path, "r+", encoding="utf-8") as file:
            rest = file.read()
            file.seek(0)
            file.write("local all %s scram-sha-256\n" % user + rest)
        self.run("pg_ctl", "-D", self.data, "reload")

    def make_certificate(self):
        """TLS, for those who come by TCP."""
        key, certificate = self.data + "/server.key", self.data + "/server.crt"
        subprocess.run([*self.as_user, "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], cwd="/",
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.set("ssl = on")

    def set(self, *lines):
        with open(self.data + "/postgresql.conf", "a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.folder + "/log", "start")

    def stop(self, how="fast"):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", how, "stop")

    def is_up(self):
        return subprocess.run([self.programs + "/pg_isready", "-q", "-h", self.folder, "-p", str(self.port)], check=False).returncode == 0

    def restart(self, how="immediate"):
        self.stop(how)
        self.start()

    def ask(self, statement, database=USER):
        """What psql prints of the rows, without headers."""
        return self.run("psql", "-h", self.folder, "-p", str(self.port), "-U", USER, "-d", database, "-qAtX",
                        "-v", "ON_ERROR_STOP=1", "-c", statement)

    def make(self, database):
        self.ask('CREATE DATABASE "%s"' % database)
        return self.url(database)

    def url(self, database):
        return "postgres://%s@/%s?host=%s&port=%d" % (USER, database, self.folder, self.port)

    def end(self):
        end_in(self.folder)


def end_in(folder):
    """Stops whatever runs in a cluster's folder, however it is, and removes it."""
    try:
        with open(folder + "/data/postmaster.pid", encoding="ascii") as file:
            pid = int(file.readline())
        os.kill(pid, signal.SIGQUIT)
        while os.path.exists("/proc/%d" % pid):
            time.sleep(0.01)
    except (OSError, ValueError):
        pass
    shutil.rmtree(folder, ignore_errors=True)


def main():
    if sys.argv[1:] == ["start"]:
        if folder_of_programs():
            print(Cluster().folder)
    elif len(sys.argv) == 3 and sys.argv[1] == "stop":
        end_in(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
