"""Memory for the system calls that C code makes (the recipe's `adapt/system.py`)."""

import errno
import struct

from . import errors

#: How many error numbers there are in the tables.
_COUNT = 256


def _tables():
    """Two tables: the C library's error number for each of Linux's, and the other way round.

    `errno` still has the C library's when this module is imported.
    """
    names = {number: name for name, (number, _) in errors.LINUX.items()}
    own = {number: getattr(errno, name, errno.EIO) for number, name in names.items()}
    # The library has one number for some of Linux's (`EPIPE`, `ESHUTDOWN`): the smaller one of Linux's is the usual
    # one.
    linux = {own[number]: number for number in sorted(own, reverse=True)} | {errno.EIO: errors.LINUX["EIO"][0]}
    other = errors.LINUX["EPERM"][0]
    return (bytes(own.get(number, errno.EIO) for number in range(_COUNT)),
            bytes(linux.get(code, other if code else 0) for code in range(_COUNT)))


def _texts(start):
    """Where the text of each of Linux's error numbers is, in 16 bits each, and the texts. `start` is where this begins."""
    places, texts = [], bytearray()
    for number in range(_COUNT):
        places.append(start + 2 * _COUNT + len(texts))
        texts += errors.strerror(number).encode() + b"\0"
    return struct.pack(f"<{_COUNT}H", *places) + texts


_OWN, _LINUX = _tables()
#: 128 bytes for the kernel's answers, the tables, and the texts.
ROOM = bytes(128) + _OWN + _LINUX + _texts(128 + 2 * _COUNT)


def address():
    """Where this memory is."""
    return id(ROOM) + 16
