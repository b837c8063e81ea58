"""The exports that are read back, and how: one line a format."""

import os

HERE = os.path.dirname(os.path.abspath(__file__))


class Format:
    """options: what `export` is given. totals(file): see run.py. missing(): why it cannot be read here, or None."""

    def __init__(self, options, totals, missing=lambda: None, is_long=False):
        self.options = options
        self.totals = totals
        self.missing = missing
        self.is_long = is_long


def node_packages():
    """For formats whose reader is an npm package."""
    there = os.path.exists(os.path.join(HERE, "node_modules", ".package-lock.json"))
    return None if there else "the readers' npm packages are not installed"


FORMATS = {}
