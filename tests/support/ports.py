"""Ports that a test names before something listens at them, or closes and opens again."""

import random
import socket

# The kernel gives ports of its own choice from 32768 on (ip_local_port_range); of those below, each is asked for by number.
FIRST, END = 10000, 32000


class Port:
    """A port of 127.0.0.1 that is this test's until close(): a UDP socket of the same number, which nobody sends to, keeps
    it from other tests, and the kernel does not give it away. One of the kernel's own choice, closed to be told to
    another program, is sometimes another test's by the time that the program listens."""

    def __init__(self):
        while True:
            self.number = random.randrange(FIRST, END)
            self.held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                self.held.bind(("127.0.0.1", self.number))
                # Nobody listens there. It does not listen itself, not for a moment: a program that another thread starts
                # at that moment has the socket, too, until it is loaded, and the port would be in use that long.
                with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listens_nowhere:
                    listens_nowhere.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    listens_nowhere.bind(("127.0.0.1", self.number))
                return
            except OSError:
                self.held.close()

    def close(self):
        self.held.close()
