"""Records the calls of Python programs as Android method traces.

`python3 -m traceview app.py` records a program; start() and stop() record a part of one. Needs CPython 3.9 or later on
Linux, with its global lock. libtraceview-python.so does the work; it lies in a folder above this one.
"""

import atexit
import ctypes
import os
import sys
import threading
import time

_LIBRARY = "libtraceview-python.so"
_WALL, _RING, _C_CALLS, _WAITS = 1, 2, 4, 8
_MEASURE_ROUNDS, _MEASURE_CALLS = 7, 1000
_OWN_FILES_MOST = 100000

_library = None
_options = None    # of the recording under way, for the children of a fork
_is_over = True
_is_patched = False
_set_thread_profile = threading.setprofile
_thread_profile = None    # what the program gives new threads


class Error(Exception):
    """Why nothing is recorded, in one line."""


def _find_library():
    folder = os.path.dirname(os.path.realpath(__file__))
    for _ in range(3):
        folder = os.path.dirname(folder)
        path = os.path.join(folder, _LIBRARY)
        if os.path.exists(path):
            return path
    raise Error("%s is in no folder above %s" % (_LIBRARY, os.path.dirname(os.path.realpath(__file__))))


def _load():
    global _library
    if _library:
        return _library
    if sys.implementation.name != "cpython" or sys.version_info < (3, 9):
        raise Error("only CPython 3.9 and later is recorded")
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise Error("Python without its global lock is not recorded")
    try:
        library = ctypes.PyDLL(_find_library())
    except OSError as error:
        raise Error(str(error)) from None
    library.tv_python_start.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64,
                                        ctypes.c_uint64, ctypes.c_char_p, ctypes.c_uint]
    library.tv_python_measure.argtypes = [ctypes.c_int, ctypes.c_uint]
    library.tv_python_measure.restype = None
    library.tv_python_begin_thread.argtypes = [ctypes.c_char_p, ctypes.py_object]
    library.tv_python_begin_thread.restype = None
    library.tv_python_know.argtypes = [ctypes.py_object, ctypes.py_object]
    library.tv_python_know.restype = None
    library.tv_python_set_profile.argtypes = [ctypes.py_object]
    library.tv_python_set_profile.restype = ctypes.py_object
    library.tv_python_run.argtypes = [ctypes.py_object, ctypes.py_object]
    library.tv_python_run.restype = ctypes.py_object
    library.tv_python_status_text.argtypes = [ctypes.c_int]
    library.tv_python_status_text.restype = ctypes.c_char_p
    library.tv_python_stop.argtypes = []    # ctypes looks a function up by calls of its own, which would be in the end of the trace
    _library = library
    _measure()
    return library


def _measured():
    pass


def _time_calls():
    least = None
    for _ in range(_MEASURE_ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(_MEASURE_CALLS):
            _measured()
        took = time.perf_counter_ns() - begin
        least = took if least is None else min(least, took)
    return least


def _measure():
    """What the interpreter and the library take for a call beside the records of it."""
    without = _time_calls()
    _library.tv_python_measure(1, 0)
    with_events = _time_calls()
    _library.tv_python_measure(0, max(0, with_events - without) // _MEASURE_CALLS)


def _begin_thread(frame, event, argument):
    """The first event of a thread: from here on the library gets them."""
    _library.tv_python_begin_thread(threading.current_thread().name.encode("utf-8", "replace"), frame)


def _setprofile(func):
    """In place of threading.setprofile(): without one of the program's, new threads are recorded."""
    global _thread_profile
    _thread_profile = None if func is _begin_thread else func    # which threading.getprofile() told
    _set_thread_profile(_thread_profile if _thread_profile or _is_over else _begin_thread)


def _own_path(parts):
    """Makes a file of this process alone: it may be several programs one after another, and those of several PID
    namespaces have the same number."""
    for i in range(_OWN_FILES_MOST):
        path = "%s.%d%s" % (parts, os.getpid(), "-%d" % i if i else "")
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            return path
        except FileExistsError:
            continue
        except OSError as error:
            raise Error("%s: %s" % (path, error.strerror)) from None
    raise Error("%s.%d: there are too many of these files" % (parts, os.getpid()))


def start(path="dmtrace.trace", *, clock="dual", buffer=0, max_size=0, depth=0, ring=False, slower_than=0, slow_method="", builtins=True,
          parts=None, waits=False):
    """Records all threads from here on, and those that begin, into a file.

    buffer is memory for records in bytes, 8 MiB without; max_size stops the recording when the file is so long; deeper
    calls than depth are left out; a ring keeps what came last in the buffer and writes the file at the end, and one more
    when a call of a method whose name ends with slow_method takes longer than slower_than, in nanoseconds; without
    builtins, functions that are written in C are left out. With parts, the children of a fork record, too, each into a
    file of that name with its number. Raises Error when it cannot be done.
    """
    global _options, _is_over
    library = _load()
    if clock not in ("dual", "wall"):
        raise Error("clock is dual or wall")
    if not _is_over:
        raise Error("a recording is under way")
    flags = (_WALL if clock == "wall" else 0) | (_RING if ring else 0) | (_C_CALLS if builtins else 0) | (_WAITS if waits else 0)
    program = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) and sys.argv[0] else "python"
    _options = {"clock": clock, "buffer": buffer, "max_size": max_size, "depth": depth, "ring": ring,
                "slower_than": slower_than, "slow_method": slow_method, "builtins": builtins, "parts": parts}
    _patch()
    _set_thread_profile(_begin_thread)
    status = library.tv_python_start(os.fsencode(path), os.fsencode(program if parts else ""), buffer, max_size, depth,
                                     slower_than, slow_method.encode(), flags)
    if status:
        _set_thread_profile(_thread_profile)
        raise Error("%s: %s" % (path, library.tv_python_status_text(status).decode()))
    _is_over = False
    if not waits:
        library.tv_python_begin_thread(b"", sys._getframe(1))


def stop():
    """Ends the recording, and writes what is left of the file. Does nothing when none is under way."""
    global _is_over
    if _is_over:
        return
    _is_over = True
    status = _library.tv_python_stop()
    _set_thread_profile(_thread_profile)
    if status:
        raise Error(_library.tv_python_status_text(status).decode())


def _before(function):
    """Ends the recording before what ends the program without its ends."""
    def ending(*arguments, **named):
        stop()
        return function(*arguments, **named)
    ending.__name__ = function.__name__
    return ending


def _after_fork():
    global _is_over
    was_over, _is_over = _is_over, True
    if was_over or not _options["parts"] or not _library.tv_python_is_awaited():
        return
    try:
        start(_own_path(_options["parts"]), **_options)
    except Error as error:
        _tell(error)


def _patch():
    global _is_patched
    if _is_patched:
        return
    _is_patched = True
    atexit.register(stop)
    os.register_at_fork(after_in_child=_after_fork)
    _library.tv_python_know(sys.setprofile, _begin_thread)
    sys.setprofile = _library.tv_python_set_profile
    threading.setprofile = _setprofile
    for name in ("_exit", "execv", "execve"):
        setattr(os, name, _before(getattr(os, name)))


def _tell(error):
    sys.stderr.write("traceview: %s: the program runs without being recorded\n" % error)


def run(code, namespace):
    """Runs code as the program; its calls begin with it."""
    _library.tv_python_run(code, namespace)


def start_by_environment():
    """What `traceview record` asked for. A failure is told, and the program runs on."""
    def number(name):
        return int(os.environ.get("TRACEVIEW_RECORD_" + name) or 0)
    parts = os.environ.get("TRACEVIEW_RECORD_PARTS")
    if not parts:
        return
    try:
        if not _load().tv_python_is_awaited():
            return
        start(_own_path(parts), clock="wall" if os.environ.get("TRACEVIEW_RECORD_CLOCK") == "wall" else "dual",
              buffer=number("BUFFER"), max_size=number("MOST"), depth=number("DEPTH"), ring="TRACEVIEW_RECORD_RING" in os.environ,
              slower_than=number("SLOW"), slow_method=os.environ.get("TRACEVIEW_RECORD_SLOW_NAME", ""), parts=parts, waits=True)
    except (Error, ValueError) as error:
        _tell(error)
