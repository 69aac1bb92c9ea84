"""`_multiprocessing`: semaphores of several processes, and which parts of `multiprocessing` work.

A semaphore is a FIFO with as many bytes as it has units: whoever reads one has taken a unit. One that begins with more
units than fit has a byte for each unit that is taken instead. All processes that use it have it open, and open it by
its name when they start.
"""

import _thread
import os
import sys
import time
import types

from wit_world.imports import files as calls

from .errors import fail
from .kernel import call
from .waiting import POLLIN, _poll

RECURSIVE_MUTEX, SEMAPHORE = 0, 1
#: The most units, as natively.
MOST = 2147483647
#: The most bytes that a pipe holds: more units cannot be free, or be taken if a semaphore began with more.
ROOM = 65536
EINVAL, EOVERFLOW = 22, 75
#: The end of the name of a semaphore that counts taken units.
TAKEN = ".taken"
_UNIT = b"\0"


def _path(name):
    return f"/tmp/.sem.{name.removeprefix('/')}"


class SemLock:
    """Semaphore/Mutex type"""

    SEM_VALUE_MAX = MOST

    def __init__(self, kind, value, maxvalue, name, unlink):
        if kind not in (RECURSIVE_MUTEX, SEMAPHORE):
            raise ValueError("unrecognized kind")
        if not 0 <= value <= MOST:
            raise fail(EINVAL)
        if value > ROOM:
            if value != maxvalue:
                raise _too_many()
            name += TAKEN
        os.mkfifo(_path(name), 0o600)
        self._open(kind, maxvalue, name)
        if not self._counts_taken:
            os.write(self.handle, _UNIT * value)
        if unlink:
            sem_unlink(name)

    def _open(self, kind, maxvalue, name):
        self.kind, self.maxvalue, self.name = kind, maxvalue, name
        self._taken, self._owner = 0, None
        self._counts_taken = name.endswith(TAKEN)
        self.handle = os.open(_path(name), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    @classmethod
    def _rebuild(cls, handle, kind, maxvalue, name):
        made = cls.__new__(cls)
        made._open(kind, maxvalue, name)
        return made

    def __del__(self):
        if getattr(self, "handle", -1) >= 0:
            call(calls.close, self.handle)

    def acquire(self, block=True, timeout=None):
        """Acquire the semaphore/lock."""
        if self.kind == RECURSIVE_MUTEX and self._is_mine():
            self._taken += 1
            return True
        if self._counts_taken:
            self._write()
            self._taken += 1
            return True
        deadline = None if timeout is None else time.monotonic() + max(timeout, 0)
        while True:
            try:
                os.read(self.handle, 1)
                break
            except BlockingIOError:
                if not block:
                    return False
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            _poll([(self.handle, POLLIN)], left)
        self._taken += 1
        self._owner = _thread.get_ident()
        return True

    def release(self):
        """Release the semaphore/lock."""
        if self.kind == RECURSIVE_MUTEX:
            if not self._is_mine():
                raise AssertionError("attempt to release recursive lock not owned by thread")
            if self._taken > 1:
                self._taken -= 1
                return
        elif self._get_value() >= self.maxvalue:
            raise ValueError("semaphore or lock released too many times")
        if self._counts_taken:
            os.read(self.handle, 1)
        else:
            self._write()
        self._taken -= 1

    def _write(self):
        try:
            os.write(self.handle, _UNIT)
        except BlockingIOError:
            raise _too_many() from None

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *exception):
        self.release()

    def _count(self):
        return self._taken

    def _is_mine(self):
        return self._taken > 0 and self._owner == _thread.get_ident()

    def _get_value(self):
        count = call(calls.available, self.handle)
        return self.maxvalue - count if self._counts_taken else count

    def _is_zero(self):
        return self._get_value() == 0

    def _after_fork(self):
        self._taken = 0


def _too_many():
    return OSError(EOVERFLOW, f"Value too large: a semaphore or an unbounded queue of processes has at most {ROOM} units here")


def sem_unlink(name, /):
    """Removes the name of a semaphore."""
    os.unlink(_path(name))


def install():
    """Creates the module, and the one for shared memory, of which there is none."""
    memory = types.ModuleType("_posixshmem")
    memory.shm_open = memory.shm_unlink = _no_shared_memory
    sys.modules["_posixshmem"] = memory
    module = types.ModuleType("_multiprocessing")
    module.SemLock, module.sem_unlink, module.flags = SemLock, sem_unlink, {}
    SemLock.__module__ = "_multiprocessing"
    sys.modules["_multiprocessing"] = module


def _no_shared_memory(*arguments, **options):
    raise OSError(38, "Function not implemented: processes share no memory in this system, use a Queue or a Pipe")


class _Threads:
    """What a pool of threads needs of a context: one queue that can be waited for, for one process only."""

    class SimpleQueue:
        """Of one pipe."""

        def __init__(self):
            from multiprocessing import connection
            self._reader, self._writer = connection.Pipe(False)
            self.put, self.get = self._writer.send, self._reader.recv

        def empty(self):
            """Whether `get` would wait."""
            return not self._reader.poll()

        def close(self):
            """Closes the pipe."""
            self._reader.close()
            self._writer.close()


def limit():
    """Leaves the one way of starting processes that works, and refuses what needs shared memory."""
    import multiprocessing
    from multiprocessing import context, managers, pool
    # A module that asks for its process, which does not exist yet, and asks again later.
    own, os.getpid = os.getpid, lambda: 0
    try:
        from multiprocessing import heap
    finally:
        os.getpid = own

    def of_threads(self, processes=None, initializer=None, initargs=()):
        pool.Pool.__init__(self, processes, initializer, initargs, context=_Threads())

    pool.ThreadPool.__init__ = of_threads
    spawn = context._concrete_contexts["spawn"]
    context._concrete_contexts.clear()
    context._concrete_contexts["spawn"] = context._default_context._default_context = spawn
    heap.Arena.__init__ = _no_shared_memory
    for name, refuse in (("Value", _no_shared_memory), ("Array", _no_shared_memory), ("RawValue", _no_shared_memory),
                         ("RawArray", _no_shared_memory), ("Barrier", _no_shared_memory)):
        setattr(context.BaseContext, name, refuse)
        setattr(multiprocessing, name, refuse)
