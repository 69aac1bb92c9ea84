"""The kernel's calls as Python functions. Errors are OSErrors, and interrupted calls are repeated (PEP 475)."""

import _io as io

from componentize_py_types import Err
from wit_world.imports import files, processes

from . import errors

EINTR = 4
AT_FDCWD = -100

#: Called when a signal has arrived; replaced by `signals`.
run_handlers = lambda: None


def call(function, *arguments, filename=None, other=None):
    """A call that does not wait."""
    try:
        return function(*arguments)
    except Err as error:
        code = error.value
    raise errors.fail(code, filename, other)


def wait(function, *arguments, filename=None):
    """A call that may wait; it is repeated after a signal handler has returned."""
    while True:
        try:
            return function(*arguments)
        except Err as error:
            code = error.value
        if code != EINTR:
            raise errors.fail(code, filename)
        run_handlers()


_SMALL = 4096
#: A reserve of memory, freed when memory is exhausted so that an error can be reported.
_reserve = bytearray(128 << 10)
_over = False
_nothing = io.BytesIO()
_room = io.BufferedReader(_nothing, 1)


def make_room(size):
    """Raises MemoryError if there is not enough memory for a call with this many bytes.

    The component's own code copies the bytes and would end the process. A buffer is the only object that Python
    allocates without filling it.
    """
    try:
        if size <= _SMALL:
            # For small sizes, filling memory is faster than creating a buffer.
            bytes(2 * size + _SMALL)
        else:
            _room.__init__(_nothing, 2 * size + _SMALL)
            _room.__init__(_nothing, 1)
    except MemoryError:
        if size > _SMALL or not _reserve:
            raise
        _reserve.clear()
    if not _reserve and not _over:
        try:
            _reserve.extend(bytes(128 << 10))
        except MemoryError:
            # There is memory for this call, but not for a new reserve.
            pass


def end():
    """The program has ended: frees the reserve, so that the result can be reported."""
    global _over
    _over = True
    _reserve.clear()


def take(function, fd, size, *offset):
    """`read` or `pread` of at most `size` bytes."""
    make_room(size)
    return wait(function, fd, size, *offset)


def read(fd, size):
    """`read` of at most `size` bytes."""
    make_room(size)
    code, data = files.read_file(fd, size)
    while code:
        if code != EINTR:
            raise errors.fail(code)
        run_handlers()
        code, data = files.read_file(fd, size)
    return data


def path_bytes(path, function="path", argument="path"):
    """Converts a path for the kernel."""
    if type(path) is str:
        data = path.encode("utf-8", "surrogateescape")
    elif type(path) is bytes:
        data = path
    else:
        data = _other_path(path, function, argument)
    if 0 in data:
        raise ValueError(f"{function}: embedded null {'byte' if isinstance(path, bytes) else 'character'} in {argument}")
    return data


def _other_path(path, function, argument):
    if isinstance(path, str):
        return str.encode(path, "utf-8", "surrogateescape")
    if isinstance(path, bytes):
        return bytes(path)
    kind = type(path)
    if getattr(kind, "__fspath__", None) is not None:
        found = kind.__fspath__(path)
        if not isinstance(found, (str, bytes)):
            raise TypeError(
                f"expected {kind.__name__}.__fspath__() to return str or bytes, not {type(found).__name__}")
        return path_bytes(found, function, argument)
    kinds = ("string, bytes, os.PathLike, integer or None" if function in _OR_NOTHING else
             "string, bytes, os.PathLike or integer" if function in _OR_DESCRIPTOR else "string, bytes or os.PathLike")
    raise TypeError(f"{function}: {argument} should be {kinds}, not {kind.__name__}")


_OR_NOTHING = {"listdir", "scandir"}
_OR_DESCRIPTOR = {"stat", "chmod", "chown", "utime", "chdir", "truncate", "statvfs", "pathconf", "execve"}
