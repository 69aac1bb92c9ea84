"""`select.epoll` on the kernel's poll: the process itself keeps what is registered."""

import operator
import select as module
import time

from wit_world.imports import files as calls

from .errors import fail
from .kernel import call
from .waiting import _fileno, _poll, POLLERR, POLLHUP, POLLIN, POLLNVAL, POLLOUT, POLLPRI

EPOLLERR, EPOLLHUP, EPOLLONESHOT, EPOLLET, EPOLLEXCLUSIVE, EPOLL_CLOEXEC = POLLERR, POLLHUP, 1 << 30, 1 << 31, 1 << 28, 0o2000000
CONSTANTS = {"EPOLLIN": POLLIN, "EPOLLPRI": POLLPRI, "EPOLLOUT": POLLOUT, "EPOLLERR": EPOLLERR, "EPOLLHUP": EPOLLHUP,
             "EPOLLRDNORM": 64, "EPOLLRDBAND": 128, "EPOLLWRNORM": 256, "EPOLLWRBAND": 512, "EPOLLMSG": 1024,
             "EPOLLRDHUP": 8192, "EPOLLEXCLUSIVE": EPOLLEXCLUSIVE, "EPOLLONESHOT": EPOLLONESHOT, "EPOLLET": EPOLLET,
             "EPOLL_CLOEXEC": EPOLL_CLOEXEC}
#: Bits that are no events.
_EVENTS = (1 << 16) - 1
#: The most answers of one call, if it says no number.
_MOST = 1023
EPERM, ENOENT, EEXIST, EINVAL, EOPNOTSUPP = 1, 2, 17, 22, 95
_TYPE, _WITHOUT_EVENTS = 0o170000, (0o100000, 0o040000)


class epoll:
    """An object that waits for events of the descriptors that are registered with it. It has no descriptor itself."""

    def __init__(self, sizehint=-1, flags=0):
        if (sizehint := operator.index(sizehint)) != -1 and sizehint <= 0:
            raise ValueError("negative sizehint")
        if operator.index(flags) & ~EPOLL_CLOEXEC:
            raise OSError("invalid flags")
        #: Of each descriptor: the wanted events, or None after the only one, and which file it was.
        self._files = {}

    @classmethod
    def fromfd(cls, fd, /):
        """Refused: no descriptor is that of an epoll object."""
        raise fail(EINVAL)

    @property
    def closed(self):
        """True if the epoll handler is closed"""
        return self._files is None

    def _open(self):
        if self._files is None:
            raise ValueError("I/O operation on closed epoll object")
        return self._files

    def fileno(self):
        """Refused: the process keeps what is registered, without a descriptor."""
        self._open()
        raise OSError(EOPNOTSUPP, "Operation not supported: an epoll object has no descriptor here")

    def close(self):
        """Close the epoll control file descriptor."""
        self._files = None

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *exception):
        self.close()

    def register(self, fd, eventmask=POLLIN | POLLOUT | POLLPRI):
        """Registers a new fd or raises an OSError if the fd is already registered."""
        self._open()
        fd, wanted = _fileno(fd), _mask(eventmask)
        file = _file(fd)
        # A descriptor that was closed is not registered any more, and another file may have its number.
        if fd in self._files and self._files[fd][1] == file:
            raise fail(EEXIST)
        self._files[fd] = wanted, file

    def modify(self, fd, eventmask):
        """Modify event mask for a registered file descriptor."""
        self._open()
        fd, wanted = _fileno(fd), _mask(eventmask)
        self._files[fd] = wanted, self._registered(fd)
        if wanted & EPOLLEXCLUSIVE:
            raise fail(EINVAL)

    def unregister(self, fd):
        """Remove a registered file descriptor from the epoll object."""
        self._open()
        fd = _fileno(fd)
        self._registered(fd)
        del self._files[fd]

    def _registered(self, fd):
        file = _file(fd)
        if fd not in self._files:
            raise fail(ENOENT)
        return file

    def poll(self, timeout=None, maxevents=-1):
        """Wait for events on the epoll file descriptor: (fd, events) of those that are ready; seconds."""
        self._open()
        if timeout is not None and not isinstance(timeout, float):
            if not hasattr(timeout, "__index__"):
                raise TypeError("timeout must be an integer or None")
            timeout = operator.index(timeout)
        if maxevents == -1:
            maxevents = _MOST
        elif maxevents < 1:
            raise ValueError(f"maxevents must be greater than 0, got {maxevents}")
        deadline = None if timeout is None or timeout < 0 else time.monotonic() + timeout
        answers, closed = [], True
        while closed and not answers:
            # A descriptor that was closed meanwhile is not registered any more.
            closed, left = False, None if deadline is None else max(deadline - time.monotonic(), 0)
            fds = [(fd, wanted & _EVENTS) for fd, (wanted, _) in self._files.items() if wanted is not None]
            for (fd, _), found in zip(fds, _poll(fds, left)):
                if found & POLLNVAL:
                    closed = True
                    self._files.pop(fd, None)
                elif found and len(answers) < maxevents:
                    answers.append((fd, found))
        for fd, _ in answers:
            if fd in self._files:
                # The next answer begins with others.
                wanted, file = self._files.pop(fd)
                self._files[fd] = None if wanted is None or wanted & EPOLLONESHOT else wanted, file
        return answers


def _mask(events):
    events = operator.index(events) & 0xffff_ffff
    if events & EPOLLET:
        raise OSError(EOPNOTSUPP, "Operation not supported: there are no edge-triggered events here")
    return events


def _file(fd):
    """Which file a descriptor is open for; files and directories have no events."""
    found = call(calls.fstat, fd)
    if found.mode & _TYPE in _WITHOUT_EVENTS:
        raise fail(EPERM)
    return found.dev, found.ino


epoll.__module__ = "select"


def install():
    """Adds the class to `select`."""
    module.epoll = epoll
    for name, value in CONSTANTS.items():
        setattr(module, name, value)
