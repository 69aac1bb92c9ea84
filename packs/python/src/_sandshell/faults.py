"""`faulthandler`: tracebacks after a time and on signals. The interpreter's own functions need a thread of the system,
and signals that reach C code.
"""

import _thread
import faulthandler
import operator
import os
import sys
import time

from wit_world.imports import processes as calls

from . import signals, threads
from .frames import is_call
from .kernel import call
from .replacing import put

#: The most frames of a thread, and the most characters of a name, that are shown.
DEEPEST, LONGEST = 100, 500
#: (descriptor, all threads, whether the signal's action follows) by number.
_registered = {}


class _Watch:
    """When a traceback is due, and how the thread that waits for that is woken."""

    def __init__(self):
        self.due, self.until, self.request, self.thread = None, None, None, None
        self.wake = _thread.allocate_lock()


_watch = _Watch()


def dump_traceback(file=None, all_threads=True):
    """Dump the traceback of the current thread, or of all threads if all_threads is True, into file."""
    frame = sys._getframe()
    _write(_descriptor(file), _all(frame) if all_threads else _stack(frame, "Stack"))


def dump_traceback_later(timeout, repeat=False, file=None, exit=False):
    """Dump the traceback of all threads in timeout seconds."""
    seconds = timeout if isinstance(timeout, float) else float(operator.index(timeout))
    if seconds <= 0:
        raise ValueError("timeout must be greater than 0")
    micros = round(seconds * 1e6)
    text = f"Timeout ({micros // 3_600_000_000}:{micros // 60_000_000 % 60:02}:{micros // 1_000_000 % 60:02}"
    text += f".{micros % 1_000_000:06})!\n" if micros % 1_000_000 else ")!\n"
    _watch.request = seconds, bool(repeat), _descriptor(file), bool(exit), text
    _watch.due = time.monotonic() + seconds
    if _watch.thread is None:
        _watch.wake.acquire()
        _watch.thread = threads.start_new_thread(_wait_and_dump, ())
    elif (_watch.until is None or _watch.due < _watch.until) and _watch.wake.locked():
        _watch.wake.release()


def cancel_dump_traceback_later():
    """Cancel the previous call to dump_traceback_later()."""
    _watch.due = None


def _wait_and_dump():
    while True:
        due = _watch.until = _watch.due
        if _watch.wake.acquire(timeout=-1 if due is None else max(due - time.monotonic(), 0)) or due != _watch.due:
            continue
        seconds, repeats, fd, exits, text = _watch.request
        _watch.due = time.monotonic() + seconds if repeats else None
        _write(fd, text + _all(None))
        if exits:
            calls.exit(1)


def register(signum, file=None, all_threads=True, chain=False):
    """Register a handler for the signal 'signum'."""
    number = _checked(signum)
    fd = _descriptor(file)
    call(calls.sigaction, number, calls.Disposition.CATCH)
    _registered[number] = fd, bool(all_threads), bool(chain)


def unregister(signum, /):
    """Unregister the handler of the signal 'signum' registered by register()."""
    number = _checked(signum)
    if _registered.pop(number, None) is None:
        return False
    signals.restore(number)
    return True


def _checked(signum):
    number = operator.index(signum)
    if number in (4, 7, 8, 11, 6):
        raise RuntimeError(f"signal {number} cannot be registered, use enable() instead")
    if not 0 < number <= signals.MAX:
        raise ValueError("signal number out of range")
    return number


def arrived(number, frame):
    """Writes the traceback for a signal; whether its action follows."""
    fd, all_threads, chain = _registered[number]
    _write(fd, _all(frame) if all_threads else _stack(frame, "Stack"))
    return chain


def _descriptor(file):
    if file is None:
        file = sys.stderr
        if file is None:
            raise RuntimeError("sys.stderr is None")
    if isinstance(file, int):
        if file < 0:
            raise ValueError("file is not a valid file descripter")
        return file
    fd = file.fileno()
    if not isinstance(fd, int) or fd < 0:
        raise RuntimeError("file.fileno() is not a valid file descriptor")
    file.flush()
    return fd


def _write(fd, text):
    data = text.encode("ascii", "backslashreplace")
    try:
        while data:
            data = data[os.write(fd, data):]
    except OSError:
        # As natively: nobody could be told.
        pass


def _all(current):
    """All threads of the program, the last one first; `current` is the running one's frame."""
    parts, own = [], _thread.get_ident()
    for thread, frame in sys._current_frames().items():
        if thread == own and current is not None:
            parts.append(_stack(current, f"Current thread 0x{thread:08x}"))
        elif _program(frame):
            parts.append(_stack(frame, f"Thread 0x{thread:08x}"))
    return "\n".join(parts)


def _program(frame):
    """The first frame of the program; None if this pack's modules run in a thread of their own."""
    while frame is not None and (is_call(frame) or frame.f_code.co_filename.endswith("/_sandshell_entry.py")):
        frame = frame.f_back
    return frame


def _stack(frame, title):
    lines = [f"{title} (most recent call first):\n"]
    while (frame := _program(frame)) is not None:
        if len(lines) > DEEPEST:
            lines.append("  ...\n")
            break
        code = frame.f_code
        lines.append(f'  File "{_short(code.co_filename)}", line {frame.f_lineno or "???"} in {_short(code.co_name)}\n')
        frame = frame.f_back
    return "".join(lines)


def _short(name):
    return name if len(name) <= LONGEST else name[:LONGEST] + "..."


def install():
    """Replaces the functions of `faulthandler`."""
    for function in (dump_traceback, dump_traceback_later, cancel_dump_traceback_later, register, unregister):
        put(faulthandler, function.__name__, function)
    signals.traced, signals.arrived = _registered, arrived
