"""A program on a terminal of its own, which a test types to while it runs."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

PATIENCE_S = 240  # on a busy machine; only a failure takes that long


class OnTerminal:
    """80 columns wide; Ctrl-C, typed as b"\\x03", reaches the program as from a person."""

    def __init__(self, words, cwd, environment):
        self.leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("<HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(words, cwd=cwd, env=dict(environment, TERM="xterm"), stdin=follower, stdout=follower,
                                        stderr=follower, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(follower)
        self.said, self.is_open = b"", True

    def read(self, until):
        """Reads until a pattern has come, or the program has ended."""
        end = time.monotonic() + PATIENCE_S
        while self.is_open and not re.search(until, self.said):
            if time.monotonic() > end:
                self.process.kill()
                raise AssertionError("no %r in %.2000r" % (until, self.said))
            if select.select([self.leader], [], [], 0.1)[0]:
                try:
                    self.said += os.read(self.leader, 65536)
                except OSError:  # what Linux says at the end of a terminal
                    self.is_open = False

    def type(self, keys):
        os.write(self.leader, keys)

    def end(self):
        """(status, all that was shown)."""
        self.read(b"(?!)")
        os.close(self.leader)
        return self.process.wait(PATIENCE_S), self.said.decode()

    @staticmethod
    def live_lines(text):
        """The lines that were written over one another; each has to leave the terminal's last column free."""
        lines = re.findall(r"\r(traceview: [^\r\n]*?)\x1b\[K", text)
        assert lines and max(map(len, lines)) < 80, lines
        return lines
