"""Clocks of a process's processor time, which WASI lacks. Also resets times that were recorded during the build."""

import operator
import sys
import time

from wit_world.imports import processes as calls

from .errors import fail
from .replacing import put

NANOS = 1_000_000_000
PROCESS, THREAD = 2, 3


def process_time_ns():
    """Process time for profiling as nanoseconds: sum of the kernel and user-space CPU time."""
    return calls.times()[0]


def process_time():
    """Process time for profiling: sum of the kernel and user-space CPU time."""
    return calls.times()[0] / NANOS


def thread_time_ns():
    """Thread time for profiling as nanoseconds: there is one thread."""
    return calls.times()[0]


def thread_time():
    """Thread time for profiling: there is one thread."""
    return calls.times()[0] / NANOS


_own = {name: getattr(time, name) for name in ("clock_gettime", "clock_gettime_ns", "clock_getres", "get_clock_info")}


#: Linux's clocks, and the C library's; nothing adjusts or suspends the sandbox's.
CLOCKS = {"CLOCK_REALTIME": (0, time.CLOCK_REALTIME), "CLOCK_MONOTONIC": (1, time.CLOCK_MONOTONIC),
          "CLOCK_MONOTONIC_RAW": (4, time.CLOCK_MONOTONIC), "CLOCK_BOOTTIME": (7, time.CLOCK_MONOTONIC)}
_LIBRARY = dict(CLOCKS.values())


def _library(clk_id):
    clk_id = operator.index(clk_id)
    if clk_id not in _LIBRARY:
        raise fail(22)
    return _LIBRARY[clk_id]


def clock_gettime(clk_id, /):
    """Return the time of the specified clock clk_id as a float."""
    return process_time() if clk_id in (PROCESS, THREAD) else _own["clock_gettime"](_library(clk_id))


def clock_gettime_ns(clk_id, /):
    """Return the time of the specified clock clk_id as nanoseconds (int)."""
    return process_time_ns() if clk_id in (PROCESS, THREAD) else _own["clock_gettime_ns"](_library(clk_id))


def clock_getres(clk_id, /):
    """Return the resolution (precision) of the specified clock clk_id."""
    return 1e-9 if clk_id in (PROCESS, THREAD) else _own["clock_getres"](_library(clk_id))


def clock_settime(clk_id, time, /):
    """Set the time of the specified clock clk_id: no process may."""
    clock_gettime(clk_id)
    raise fail(1)


def clock_settime_ns(clk_id, time, /):
    """Set the time of the specified clock clk_id: no process may."""
    clock_settime(clk_id, time)


def get_clock_info(name, /):
    """Get information of the specified clock."""
    if name not in ("process_time", "thread_time"):
        return _own["get_clock_info"](name)
    from types import SimpleNamespace
    clock = f"clock_gettime(CLOCK_{name.partition('_')[0].upper()}_CPUTIME_ID)"
    return SimpleNamespace(implementation=clock, monotonic=True, adjustable=False, resolution=1e-9)


def install():
    """Replaces the functions in `time`."""
    for function in (process_time, process_time_ns, thread_time, thread_time_ns, clock_gettime, clock_gettime_ns,
                     clock_getres, clock_settime, clock_settime_ns, get_clock_info):
        put(time, function.__name__, function)
    for name, (number, _) in CLOCKS.items():
        setattr(time, name, number)
    time.CLOCK_PROCESS_CPUTIME_ID, time.CLOCK_THREAD_CPUTIME_ID = PROCESS, THREAD


def start():
    """Sets the program's start to now instead of the time of the build."""
    sys.modules["logging"]._startTime = time.time_ns()
