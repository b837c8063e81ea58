# Begins a recording in each Python that `traceview record` or a program of it starts: that puts this folder into
# PYTHONPATH. Another sitecustomize that stands behind it in the path is imported as ever. Python 2 reads this, too.
import os
import sys


def begin():
    folder = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != folder]
    if sys.version_info >= (3, 9):
        sys.path.insert(0, os.path.dirname(folder))
        import traceview
        sys.path.pop(0)
        traceview.start_by_environment()


begin()
own = sys.modules.pop("sitecustomize")
try:
    import sitecustomize
except ImportError:
    sys.modules["sitecustomize"] = own
