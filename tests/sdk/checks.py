"""Helpers for a script of checks: named functions with assertions, each run separately."""

import os
import sys
import time
import traceback

CHECKS = []


def check(function):
    """Registers a check."""
    CHECKS.append(function)
    return function


def raises(kind, call):
    """Returns the exception of this kind, which `call` must raise."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def eventually(condition, seconds=10):
    """Waits until `condition` holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.05)


def main():
    """Runs all checks; the exit status says whether all passed."""
    passed = failed = 0
    for function in CHECKS:
        if len(sys.argv) > 1 and sys.argv[1] not in function.__name__:
            continue
        began = time.monotonic()
        try:
            function()
            passed += 1
        except Exception:
            failed += 1
            print(f"  FAILED {function.__name__}\n{traceback.format_exc()}", file=sys.stderr)
        print(f"  {function.__name__}: {time.monotonic() - began:.1f} s")
    print(f"checks: {passed} passed, {failed} failed", flush=True)
    end(failed != 0)


def end(status):
    """Ends the process without taking the interpreter down.

    Before Python 3.14, a thread of native code that comes back to an interpreter that ends is ended in the middle, which
    aborts the process if the thread is Rust's. The HTTP client of E2B's SDK (pyqwest) leaves such threads.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
