"""Memory for the system calls of SQLite (the recipe's `adapt/sqlite.py`)."""

import errno

from . import errors


def _numbers():
    """For each of Linux's error numbers the C library's. `errno` still has those when this module is imported."""
    names = {number: name for name, (number, _) in errors.LINUX.items()}
    return bytes(getattr(errno, names.get(number, "EIO"), errno.EIO) for number in range(256))


#: 128 bytes for the kernel's answers, and the error numbers.
ROOM = bytes(128) + _numbers()


def address():
    """Where this memory is."""
    return id(ROOM) + 16
