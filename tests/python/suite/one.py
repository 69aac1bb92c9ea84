"""Runs one module of CPython's tests in a sandbox: `one.py MODULE`. The last line is JSON: how many tests ran, and
which had problems."""

import concurrent.futures
import importlib
import io
import json
import os
import re
import sys
import tempfile
import types
import unittest

from test import support
from test.support import import_helper, socket_helper

failed, refused, counts = {}, {}, {"ran": 0, "skipped": 0}
#: Errors with which the system clearly refuses something, and what a test with such an error needs. It would be
#: skipped if it checked first.
REFUSALS = {
    r"(PermissionError|socket\.gaierror|urllib\.error\.URLError): .*this sandbox has no network": "the network",
    r"there is no fork": "fork",
    r"processes share no memory in this system": "memory that processes share",
    r"a manager needs sockets that others can connect to": "sockets that listen",
    r"pairs of sockets are streams here": "pairs of datagram sockets",
    r"cannot find context for 'fork": "fork",
    r"OSError: \[Errno 37\] No locks available: this system has no file locks": "file locks",
    r"there are no virtual environments here": "virtual environments",
    r"OSError: out of pty devices": "pseudo-terminals",
    r"an epoll object has no descriptor here": "descriptors of epoll objects",
    r"this system cannot call foreign functions": "foreign functions",
    r"ModuleNotFoundError: No module named '_test\w+'": "CPython's C modules for tests",
    r"there are no interpreters beside the main one": "several interpreters",
}


def run(suite):
    """The runner that `test.support` uses for suites, and this program for modules without a `test_main`."""
    result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
    counts["ran"] += result.testsRun
    counts["skipped"] += len(result.skipped)
    for case, trace in result.failures + result.errors:
        message = trace.strip().split("\n")[-1]
        needs = next((what for said, what in REFUSALS.items() if re.search(said, message)), None)
        if needs:
            refused[str(case.id())] = needs
        else:
            failed[str(case.id())] = message[:160]
    for case in result.unexpectedSuccesses:
        failed[str(case.id())] = "unexpected success"
    return result


def modules_are_there(*arguments, **options):
    """For tests of when modules are imported: the interpreter imported most of the library during its build."""
    raise unittest.SkipTest("modules are imported before the program starts")


class NoInterpreters(concurrent.futures.ThreadPoolExecutor):
    """For modules about executors, which name this one for some of their tests."""

    def __init__(self, *arguments, **options):
        raise OSError("there are no interpreters beside the main one")


def main(name):
    """Runs the module."""
    os.chdir(tempfile.mkdtemp())
    # Some tests write modules there.
    sys.path.insert(0, os.getcwd())
    sys.argv = [name]
    support._run_suite = run
    # The same as `python3 -m test` without `-u`.
    support.use_resources = ()
    # Tests use these flags to skip what a system cannot do. By default they depend only on the system's name.
    support.has_fork_support = support.has_socket_support = False
    needs_sockets = support.requires_working_socket
    # Whole modules require sockets only because they use asyncio, which needs none here.
    support.requires_working_socket = lambda *, module=False: None if module else needs_sockets()
    import_helper.ensure_lazy_imports = modules_are_there
    socket_helper.skip_unless_bind_unix_socket = unittest.skip("no socket can be connected to")
    concurrent.futures.InterpreterPoolExecutor = NoInterpreters
    # Most modules about ctypes load this library when they are imported, and have tests that do not use it.
    sys.modules["_ctypes_test"] = types.ModuleType("_ctypes_test")
    sys.modules["_ctypes_test"].__file__ = None
    answer = {"module": name}
    try:
        module = importlib.import_module(f"test.{name}")
        if hasattr(module, "test_main"):
            module.test_main()
        else:
            loader = unittest.TestLoader()
            suite = loader.loadTestsFromModule(module)
            for error in loader.errors:
                raise ImportError(error.strip().split("\n")[-1])
            run(suite)
    except unittest.SkipTest as reason:
        answer["skip"] = str(reason)
    except BaseException as error:
        answer["error"] = f"{type(error).__name__}: {error}"[:160]
    os.write(1, b"\nRESULT " + json.dumps(answer | counts | {"failed": failed, "refused": refused}).encode() + b"\n")
    os._exit(0)


# Processes of `multiprocessing` import this module, too.
if __name__ == "__main__":
    main(sys.argv[1])
