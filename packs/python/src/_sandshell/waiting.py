"""`select` and `time.sleep` on the kernel's poll."""

import select as module
import time

from componentize_py_types import Err
from wit_world.imports import files as calls

from . import kernel
from .arguments import number
from .errors import fail
from .replacing import put

POLLIN, POLLPRI, POLLOUT, POLLERR, POLLHUP, POLLNVAL = 1, 2, 4, 8, 16, 32
CONSTANTS = {"POLLIN": 1, "POLLPRI": 2, "POLLOUT": 4, "POLLERR": 8, "POLLHUP": 16, "POLLNVAL": 32,
             "POLLRDNORM": 64, "POLLRDBAND": 128, "POLLWRNORM": 256, "POLLWRBAND": 512, "POLLMSG": 1024,
             "POLLRDHUP": 8192, "PIPE_BUF": 4096}


def _poll(fds, seconds):
    """Polls until there are events or the time is over, even if signal handlers run meanwhile."""
    deadline = None if seconds is None else time.monotonic_ns() + max(round(seconds * 1e9), 0)
    while True:
        left = None if deadline is None else max(deadline - time.monotonic_ns(), 0)
        try:
            return calls.poll(fds, left)
        except Err as error:
            code = error.value
        if code != kernel.EINTR:
            raise fail(code)
        kernel.run_handlers()


def sleep(seconds, /):
    """Delay execution for a given number of seconds."""
    if isinstance(seconds, str) or not hasattr(seconds, "__float__") and not hasattr(seconds, "__index__"):
        raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer")
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    _poll([], seconds)


def select(rlist, wlist, xlist, timeout=None, /):
    """Wait until one or more file descriptors are ready for some kind of I/O."""
    if timeout is not None and timeout < 0:
        raise ValueError("timeout must be non-negative")
    lists = [_with_fds(objects) for objects in (rlist, wlist, xlist)]
    wanted = {}
    for objects, events in zip(lists, (POLLIN, POLLOUT, POLLPRI)):
        for _, fd in objects:
            wanted[fd] = wanted.get(fd, 0) | events
    fds = list(wanted.items())
    found = dict(zip(wanted, _poll(fds, timeout)))
    if any(events & POLLNVAL for events in found.values()):
        raise fail(9)
    masks = (POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI)
    return tuple([thing for thing, fd in objects if found[fd] & wanted_events & mask_of(mask, wanted_events)]
                 for objects, mask, wanted_events in zip(lists, masks, masks))


def mask_of(mask, events):
    """The requested events of a list."""
    return mask & events


def _fileno(thing):
    if isinstance(thing, int):
        fd = thing
    elif hasattr(thing, "fileno"):
        fd = thing.fileno()
        if not isinstance(fd, int):
            raise TypeError("fileno() returned a non-integer")
    else:
        raise TypeError("argument must be an int, or have a fileno() method.")
    if fd < 0:
        raise ValueError(f"file descriptor cannot be a negative integer ({fd})")
    return number(fd, 0, (1 << 31) - 1)


def _mask(events):
    if isinstance(events, int) and events < 0:
        raise ValueError("value must be positive")
    return number(events, 0, (1 << 16) - 1)


def _with_fds(objects):
    """(object, descriptor) of each object; calling `fileno` may change a list."""
    objects = objects if isinstance(objects, list) else list(objects)
    found, at = [], 0
    while at < len(objects):
        found.append((objects[at], _fileno(objects[at])))
        at += 1
    return found


class Poll:
    """The object of poll()."""

    def __new__(cls):
        raise TypeError("cannot create 'select.poll' instances")

    def register(self, fd, eventmask=POLLIN | POLLPRI | POLLOUT, /):
        """Register a file descriptor with the polling object."""
        self._events[_fileno(fd)] = _mask(eventmask)

    def modify(self, fd, eventmask, /):
        """Modify an already registered file descriptor."""
        if _fileno(fd) not in self._events:
            raise fail(2)
        self._events[_fileno(fd)] = _mask(eventmask)

    def unregister(self, fd, /):
        """Remove a file descriptor being tracked by the polling object."""
        del self._events[_fileno(fd)]

    def poll(self, timeout=None, /):
        """Polls the set of registered file descriptors: (fd, events) of those that are ready; milliseconds."""
        seconds = None if timeout is None or timeout < 0 else timeout / 1000
        fds = list(self._events.items())
        if self._is_polling:
            raise RuntimeError("concurrent poll() invocation")
        self._is_polling = True
        try:
            return [(fd, found) for (fd, _), found in zip(fds, _poll(fds, seconds)) if found]
        finally:
            self._is_polling = False


def poll():
    """Returns a polling object."""
    made = object.__new__(Poll)
    made._events, made._is_polling = {}, False
    return made


Poll.__name__ = Poll.__qualname__ = "poll"
Poll.__module__ = "select"


def install():
    """Replaces the functions of `select`, and `time.sleep`."""
    put(module, "select", select)
    put(module, "poll", poll)
    for name, value in CONSTANTS.items():
        setattr(module, name, value)
    put(time, "sleep", sleep)
