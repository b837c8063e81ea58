"""python3 -m traceview [-o FILE] [OPTION...] (FILE.py | -m MODULE | -c CODE) [ARGUMENT...]

Runs a Python program and records its calls as an Android method trace, for `traceview FILE`.

  -o FILE          the trace (dmtrace.trace)
  --clock CLOCK    dual (wall and CPU time, the default), or wall
  --depth LEVELS   leave out calls that are deeper
  --no-builtins    leave out functions that are written in C
"""

import builtins
import importlib.util
import os
import sys
import types

import traceview


def fail(text):
    sys.stderr.write("traceview: %s\n" % text)
    sys.exit(2)


def options_of(words):
    """The options of the recorder, and the words of the program."""
    options = {"path": "dmtrace.trace"}
    while words and words[0].startswith("-") and words[0] not in ("-m", "-c"):
        word = words.pop(0)
        if word in ("-h", "--help"):
            sys.stdout.write(__doc__)
            sys.exit(0)
        if word == "--no-builtins":
            options["builtins"] = False
            continue
        if word not in ("-o", "--clock", "--depth"):
            fail("there is no option: '%s'" % word)
        if not words:
            fail("%s needs a value" % word)
        value = words.pop(0)
        if word == "-o":
            options["path"] = value
        elif word == "--clock":
            options["clock"] = value
        elif value.isdigit():
            options["depth"] = int(value)
        else:
            fail("--depth needs a number: '%s'" % value)
    return options, words


def code_of_module(name):
    """The code of a module that is run as a program, its file, and its package."""
    try:
        spec = importlib.util.find_spec(name)
        if spec and spec.submodule_search_locations is not None:
            name += ".__main__"
            spec = importlib.util.find_spec(name)
    except (ImportError, ValueError) as error:
        fail("-m %s: %s" % (name, error))
    code = spec.loader.get_code(name) if spec and spec.loader and hasattr(spec.loader, "get_code") else None
    if not code:
        fail("-m %s: there is no such module, or none that has code" % name)
    return code, spec


def code_of_file(path):
    try:
        with open(path, "rb") as file:
            return compile(file.read(), path, "exec", dont_inherit=True)
    except OSError as error:
        fail("%s: %s" % (path, error.strerror))


def main():
    options, words = options_of(sys.argv[1:])
    if not words or (words[0] in ("-m", "-c") and len(words) < 2):
        fail("a program is missing: python3 -m traceview --help")
    module = types.ModuleType("__main__")
    namespace = module.__dict__
    namespace["__builtins__"] = builtins
    if words[0] == "-c":
        sys.argv = ["-c"] + words[2:]
        code = compile(words[1], "<string>", "exec", dont_inherit=True)
    elif words[0] == "-m":
        code, spec = code_of_module(words[1])
        sys.argv = [spec.origin or words[1]] + words[2:]
        namespace.update(__spec__=spec, __package__=spec.parent, __file__=spec.origin, __loader__=spec.loader)
    else:
        code = code_of_file(words[0])
        sys.argv = words
        # The folder of the program is where its modules are looked for first, in place of the current one.
        sys.path[0] = os.path.dirname(os.path.realpath(words[0]))
        namespace["__file__"] = words[0]
    sys.modules["__main__"] = module
    try:
        traceview.start(waits=True, **options)
    except traceview.Error as error:
        fail(str(error))
    traceview.run(code, namespace)


main()
