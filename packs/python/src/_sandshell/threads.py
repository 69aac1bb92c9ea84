"""Threads, which take turns: one runs until it waits, ends, or has computed for some milliseconds.

The interpreter's own functions do the work (`adapt.threads`). What is left for here is that a thread which waits in a
call of the kernel must not hold up the others. So when a program starts its first thread, the calls that wait are
replaced: a thread waits for a lock instead, and one more thread waits in the kernel for all of them, when no other is
ready.
"""

import _thread
import posix

from componentize_py_types import Err
from wit_world.imports import files, processes
from wit_world.imports import threads as calls

from . import errors, kernel
from .replacing import put

#: CPython's function of that name is another one in this program (`functions/interpreter/threads.wat`).
_do = posix.get_inheritable
_YIELD, _NEXT, _POLLING, _SIGNALS, _MORE, _LESS, _COUNT = range(7)
#: The scheduler's memory: a state of 64 bytes, and the main thread's block.
STATE = bytes(128)
#: Where a bytes object has its bytes.
_BYTES = 16
#: Threads of a program, besides the main one (`adapt.threads` counts that, and the one that polls).
MOST = 128
POLLIN, POLLOUT = 1, 4
#: Writes of more may wait although there is some room.
PIECE = 4096
WNOHANG = 1
#: The pauses between two looks whether a child has ended, in seconds.
SHORTEST, LONGEST = 0.0005, 0.02
_FIFO, _SOCKET, _TYPE = 0o010000, 0o140000, 0o170000
_NONBLOCK = 0o4000

_own_joinable, _own_new, _own_count = _thread.start_joinable_thread, _thread.start_new_thread, _thread._count
_own_poll, _own_read, _own_read_file, _own_write, _own_wait = (
    files.poll, files.read, files.read_file, files.write, processes.wait)

#: How many threads the kernel is asked for at once.
CHUNK = 8
_allowed = 0

active = False
_main = None
#: (descriptors and events, lock) of each thread that waits for descriptors.
_waiting = []


def address():
    """Where the scheduler's state is."""
    return id(STATE) + _BYTES


def is_main():
    """Whether this is the thread that runs the handlers of signals."""
    return not active or _thread.get_ident() == _main


def look_for_signals():
    """Makes the main thread run the handlers of signals that have arrived."""
    _do(_SIGNALS)


def start_new_thread(function, args, kwargs={}, /):
    """Start a new thread and return its identifier."""
    _activate()
    return _started(_own_new, function, args, kwargs)


def start_joinable_thread(function, handle=None, daemon=True):
    """*For internal use only*: start a new thread."""
    _activate()
    return _started(_own_joinable, function, handle=handle, daemon=daemon)


def _started(start, *arguments, **options):
    global _allowed
    count = _do(_COUNT)
    if _allowed < count <= MOST + 1:
        # For some at once, if there are so many.
        for more in (CHUNK, 1):
            try:
                calls.allow(count + more - 1, 0)
                _allowed = count + more - 1
                break
            except Err:
                pass
        else:
            raise RuntimeError("can't start new thread: the sandbox has no more places for processes and threads")
    try:
        return start(*arguments, **options)
    except RuntimeError as error:
        if str(error) != "can't start new thread":
            raise
    if _do(_COUNT) >= MOST + 2:
        raise RuntimeError(f"can't start new thread: a process can have {MOST}")
    raise RuntimeError("can't start new thread: there is no memory for its stack")


def _count():
    """Return the number of currently running Python threads, excluding the main thread."""
    return _own_count() - active


def get_native_id():
    """Return a non-negative integer identifying the thread as reported by the OS (kernel)."""
    # The kernel knows only processes; a program's first thread has the process's number, as on Linux.
    return posix.getpid() if is_main() else posix.getpid() << 32 | _thread.get_ident()


def _number_of_main(thread):
    """Native integral thread ID of this thread, or None if it has not been started."""
    return posix.getpid()


def _activate():
    global active, _main
    if active:
        return
    _main = _thread.get_ident()
    _started(_own_new, _poll_for_all, ())
    active = True
    # It runs once, to become the thread that polls.
    _do(_YIELD)
    files.poll, files.read, files.read_file, files.write = poll, read, read_file, write
    processes.wait = wait


def _poll_for_all():
    """Waits in the kernel while no other thread is ready, and now and then looks while some are."""
    _do(_POLLING)
    while True:
        left = _do(_NEXT)
        entries = list(_waiting)
        if left or entries:
            wanted = [pair for pairs, _ in entries for pair in pairs]
            try:
                found = iter(_own_poll(wanted, None if left < 0 else left))
                for pairs, lock in entries:
                    # All events of the entry are taken, so that the next one's follow.
                    if any([next(found) for _ in pairs]) and lock.locked():
                        lock.release()
            except Err:
                _do(_SIGNALS)
        _do(_YIELD)


def poll(fds, timeout):
    """The kernel's call, while which other threads run."""
    found = _own_poll(fds, 0)
    if any(found) or timeout == 0:
        _do(_YIELD) if timeout == 0 else None
        return found
    _wait(fds, -1 if timeout is None else min(timeout / 1e9, _thread.TIMEOUT_MAX))
    return _own_poll(fds, 0)


def _wait(pairs, seconds):
    """Waits until one of the descriptors is ready, or the time is over."""
    lock = _thread.allocate_lock()
    lock.acquire()
    if not pairs:
        _acquire(lock, seconds)
        return
    entry = pairs, lock
    _waiting.append(entry)
    _do(_MORE)
    try:
        _acquire(lock, seconds)
    finally:
        _do(_LESS)
        _waiting.remove(entry)


def _acquire(lock, seconds):
    """Acquires a lock for as long as no signal with a handler has arrived for the main thread: only here that is an `Err`
    (`signals.poll`), so that the count above is right."""
    lock.acquire(timeout=seconds)


def _ready(fd, events):
    """Waits until a descriptor is ready; at once for one that never waits or does not exist."""
    if not _own_poll([(fd, events)], 0)[0]:
        try:
            if files.get_flags(fd) & _NONBLOCK:
                return
        except Err:
            return
        _wait([(fd, events)], -1)


def ready(fd, events, count):
    """Waits until a descriptor is ready; returns how many bytes can be transferred without waiting again. The interpreter's own files
    call it (the recipe's `adapt/functions/interpreter/files.wat`). Without events it only lets handlers of signals
    run."""
    if not events:
        # It was interrupted: the main thread runs the handlers.
        if not is_main():
            look_for_signals()
            _do(_YIELD)
        return count
    while True:
        try:
            _ready(fd, events)
            return _at_once(fd, count) if events == POLLOUT else count
        except Err as error:
            if error.value != kernel.EINTR:
                raise errors.fail(error.value)
        kernel.run_handlers()


def _at_once(fd, count):
    """How many bytes can be written without waiting again; all to what does not wait, which takes what it has room for."""
    if count <= PIECE or files.get_flags(fd) & _NONBLOCK or files.fstat(fd).mode & _TYPE not in (_FIFO, _SOCKET):
        return count
    return PIECE


def read(fd, count):
    """The kernel's call, while which other threads run."""
    _ready(fd, POLLIN)
    return _own_read(fd, count)


def read_file(fd, count):
    """The kernel's call, while which other threads run."""
    try:
        _ready(fd, POLLIN)
    except Err as error:
        return error.value, b""
    return _own_read_file(fd, count)


def write(fd, data):
    """The kernel's call, while which other threads run. As the kernel's own, it writes all to what waits, unless an error or a
    signal comes after a part."""
    done = 0
    while True:
        try:
            _ready(fd, POLLOUT)
            piece = _at_once(fd, len(data) - done)
            written = _own_write(fd, data[done:done + piece])
        except Err:
            if not done:
                raise
            return done
        done += written
        if written < piece or done == len(data):
            return done


def wait(pid, options):
    """The kernel's call, while which other threads run."""
    report = None

    def attempt():
        nonlocal report
        report = _own_wait(pid, options | WNOHANG)
        return report is not None or options & WNOHANG

    until(attempt)
    return report


def until(attempt):
    """Makes an attempt until it succeeds. Other threads run between two."""
    pause = SHORTEST
    while not attempt():
        _wait([], pause)
        pause = min(2 * pause, LONGEST)


def stop():
    """The program has ended: nobody can wait any more for threads that go on, as when the interpreter finalizes."""
    if not active:
        return
    import threading
    own = threading.Thread.join

    def join(self, timeout=None):
        if self.is_alive() and self is not threading.current_thread():
            raise PythonFinalizationError("cannot join thread at Python shutdown")
        own(self, timeout)

    threading.Thread.join = join


def install():
    """Replaces the functions of `_thread`."""
    put(_thread, "start_new_thread", start_new_thread)
    put(_thread, "start_joinable_thread", start_joinable_thread)
    put(_thread, "_count", _count)
    # `threading` asks when it is imported, when there is no kernel.
    put(_thread, "get_native_id", lambda: 0)
    import threading
    put(_thread, "get_native_id", get_native_id)
    threading.get_native_id = _thread.get_native_id
    threading._MainThread.native_id = property(_number_of_main)
    _thread.start_new = _thread.start_new_thread
