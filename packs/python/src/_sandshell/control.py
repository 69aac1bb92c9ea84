"""`fcntl`: what descriptors can be told, and locks of files."""

import operator
import struct

from componentize_py_types import Err
from wit_world.imports import files as calls

from . import threads
from .kernel import call, wait
from .waiting import _fileno

F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 5, 6, 7, 1030
FD_CLOEXEC = 1
LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8
F_RDLCK, F_WRLCK, F_UNLCK = 0, 1, 2
CONSTANTS = {name: value for name, value in globals().items() if name.startswith(("F_", "FD_", "LOCK_"))}
CONSTANTS |= {"F_GETLK64": F_GETLK, "F_SETLK64": F_SETLK, "F_SETLKW64": F_SETLKW}
#: `struct flock` with offsets of 64 bits, and of 32, as `long` has here.
WIDE, NARROW = struct.Struct("<hh4xqqi"), struct.Struct("<hhlli")
FIONREAD = 0x541b
#: No end, for the kernel: after every byte.
END = (1 << 64) - 1
EAGAIN, EACCES, EFAULT, EINVAL, EOVERFLOW = 11, 13, 14, 22, 75


def fcntl(fd, cmd, arg=0, /):
    """Perform the operation `cmd` on file descriptor fd."""
    fd, cmd = _fileno(fd), operator.index(cmd)
    if isinstance(arg, str):
        arg = arg.encode()
    if not hasattr(arg, "__index__"):
        return _with_data(fd, cmd, bytes(memoryview(arg)))
    arg = operator.index(arg)
    match cmd:
        case 0:
            return call(calls.dup, fd, arg, False)
        case 1030:
            return call(calls.dup, fd, arg, True)
        case 1:
            return int(call(calls.get_cloexec, fd))
        case 2:
            call(calls.set_cloexec, fd, bool(arg & FD_CLOEXEC))
            return 0
        case 3:
            return call(calls.get_flags, fd)
        case 4:
            call(calls.set_flags, fd, arg)
            return 0
        case 5 | 6 | 7:
            raise OSError(EFAULT, "Bad address")
    raise OSError(EINVAL, "Invalid argument")


def _with_data(fd, cmd, data):
    """A command whose argument is a `struct flock`."""
    form = WIDE if len(data) >= WIDE.size - 4 else NARROW
    if cmd not in (F_GETLK, F_SETLK, F_SETLKW) or len(data) < NARROW.size:
        raise OSError(EINVAL, "Invalid argument")
    kind, whence, start, length, pid = form.unpack(data[:form.size].ljust(form.size, b"\0"))
    first, end = _span(fd, start, length, whence)
    if cmd != F_GETLK:
        _lock(fd, kind, first, end, cmd == F_SETLKW)
        return data
    found = call(calls.find_lock, fd, kind & 0xffff, first, end)
    if found is None:
        kind = F_UNLCK
    else:
        kind, whence, pid = F_WRLCK if found.exclusive else F_RDLCK, 0, found.pid
        start, length = found.start, 0 if found.end == END else found.end - found.start
    try:
        packed = form.pack(kind, whence, start, length, pid)
    except struct.error:
        raise OSError(EOVERFLOW, "Value too large for defined data type") from None
    return packed[:len(data)] + data[len(packed):]


def ioctl(fd, request, arg=0, mutate_flag=True, /):
    """How many bytes can be read, as a `FIONREAD`; no device has controls."""
    fd = _fileno(fd)
    if request == FIONREAD:
        found = (call(calls.available, fd) & 0xffff_ffff).to_bytes(4, "little")
        if hasattr(arg, "__index__"):
            raise OSError(EFAULT, "Bad address")
        if mutate_flag and not memoryview(arg).readonly:
            memoryview(arg).cast("B")[:4] = found
            return 0
        return found + bytes(arg)[4:]
    raise OSError(25, "Inappropriate ioctl for device")


def flock(fd, operation, /):
    """Perform the lock operation on file descriptor fd."""
    fd, operation = _fileno(fd), operator.index(operation)
    if threads.active and not operation & LOCK_NB:
        _with_threads(calls.flock, fd, operation & 0xffff_ffff | LOCK_NB)
    else:
        wait(calls.flock, fd, operation & 0xffff_ffff)


def lockf(fd, cmd, len=0, start=0, whence=0, /):
    """Lock or unlock a range of bytes of a file, with `fcntl`."""
    fd, cmd = _fileno(fd), operator.index(cmd)
    if cmd == LOCK_UN:
        kind = F_UNLCK
    elif cmd & LOCK_SH:
        kind = F_RDLCK
    elif cmd & LOCK_EX:
        kind = F_WRLCK
    else:
        raise ValueError("unrecognized lockf argument")
    _lock(fd, kind, *_span(fd, operator.index(start), operator.index(len), whence), not cmd & LOCK_NB)


def lock_part(fd, command, length, /):
    """`os.lockf`: apply, test or remove a lock on a part of an open file, from its position on."""
    fd, command = _fileno(fd), operator.index(command)
    first, end = _span(fd, 0, operator.index(length), 1)
    match command:
        case 0:
            _lock(fd, F_UNLCK, first, end, False)
        case 1 | 2:
            _lock(fd, F_WRLCK, first, end, command == 1)
        case 3:
            if call(calls.find_lock, fd, F_WRLCK, first, end):
                raise OSError(EACCES, "Permission denied")
        case _:
            raise OSError(EINVAL, "Invalid argument")


def _lock(fd, kind, first, end, waits):
    kind &= 0xffff
    if threads.active and waits:
        _with_threads(calls.lock, fd, kind, first, end, False)
    else:
        wait(calls.lock, fd, kind, first, end, waits)


def _with_threads(function, *arguments):
    """A call that fails if it would have to wait, until it does not: other threads run meanwhile."""
    def attempt():
        try:
            function(*arguments)
        except Err as error:
            if error.value != EAGAIN:
                raise
            return False
        return True
    wait(threads.until, attempt)


def _span(fd, start, length, whence):
    """The bytes that a range means, from the start of the file: the first, and the first after them."""
    match operator.index(whence):
        case 0:
            pass
        case 1:
            start += call(calls.lseek, fd, 0, 1)
        case 2:
            start += call(calls.fstat, fd).size
        case _:
            raise OSError(EINVAL, "Invalid argument")
    end = start + length
    if length < 0:
        start, end = end, start
    if start < 0:
        raise OSError(EINVAL, "Invalid argument")
    if max(start, end) > 1 << 63:
        raise OSError(EOVERFLOW, "Value too large for defined data type")
    return start, end if length else END
