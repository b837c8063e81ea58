"""The real adb server of this machine, on a port and with a home of its own, so that no test sees another's devices."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))
from ports import Port

PATIENCE_S = 240  # on a busy machine; only a failure takes that long


class Server:
    """The adb server of this machine, on a port and with a home of its own; ends with the block."""

    def __init__(self, adb="adb"):
        self.adb = adb
        self.home = tempfile.mkdtemp(prefix="traceview-adb-")
        self.held = Port()
        self.port = self.held.number
        self.environment = dict(os.environ, HOME=self.home, ADB_MDNS="0", ANDROID_ADB_SERVER_PORT=str(self.port))
        for name in ("ANDROID_SERIAL", "ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS"):
            self.environment.pop(name, None)

    def __enter__(self):
        self.run("start-server")
        return self

    def __exit__(self, *_):
        self.stop()
        self.held.close()
        shutil.rmtree(self.home, ignore_errors=True)

    def stop(self):
        try:
            self.run("kill-server")
        except (OSError, subprocess.TimeoutExpired):
            pass

    def run(self, *words, seconds=PATIENCE_S):
        """The output of an adb command, standard error behind it."""
        done = subprocess.run([self.adb, *words], env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds)
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def ask(self, service):
        """An answer of the server itself: "host:devices" and the like. Raises OSError where it says no."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE_S) as connection:
            connection.sendall(b"%04x" % len(service) + service.encode())
            data = b""
            while part := connection.recv(65536):
                data += part
        if data[:4] != b"OKAY":
            raise OSError(data[8:].decode())
        return data[8:].decode()

    def state_of(self, device):
        for line in self.ask("host:devices").splitlines():
            serial, _, state = line.partition("\t")
            if serial == device.serial:
                return state
        return None

    def connect(self, device, state="device"):
        """Connects a device, and waits until the server sees it so."""
        self.run("connect", device.serial)
        end = time.monotonic() + PATIENCE_S
        while self.state_of(device) != state:
            assert time.monotonic() < end, "%s is %s" % (device.serial, self.state_of(device))
            time.sleep(0.02)
        return device
