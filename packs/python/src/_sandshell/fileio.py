"""`io.FileIO` and `open` on the kernel's descriptors. The interpreter's own buffers and text streams are kept."""

import _io
import operator
import stat as modes
import struct
import sys

from wit_world.imports import files as calls

from . import files, kernel
from .errors import fail
from .kernel import AT_FDCWD, EINTR, call, path_bytes
from .replacing import put

BUFFER_SIZE = 128 * 1024
#: The offset at which the compiled program expects the first slot of FileIO.
_SLOTS_AT = 16
#: The block size that `os.stat` reports.
BLOCK_SIZE = 4096
ESPIPE = 29
S_IFREG = modes.S_IFREG
_CHUNK = 1 << 20
_O_CLOEXEC = files.FLAGS["O_CLOEXEC"]


def _flags(mode):
    """The access and the flags of a mode."""
    if not isinstance(mode, str):
        raise TypeError(f"FileIO() argument 'mode' must be str, not {type(mode).__name__}")
    if not set(mode) <= set("xrwab+"):
        raise ValueError(f"invalid mode: {mode}")
    if sum(letter in "rwax" for letter in mode) != 1 or mode.count("+") > 1:
        raise ValueError("Must have exactly one of create/read/write/append mode and at most one plus")
    plus = "+" in mode
    readable, writable = plus or "r" in mode, plus or "r" not in mode
    flags = 2 if readable and writable else 1 if writable else 0
    if "w" in mode:
        flags |= 0o1100
    elif "x" in mode:
        flags |= 0o300
    elif "a" in mode:
        flags |= 0o2100
    return readable, writable, flags | _O_CLOEXEC


#: The most common modes: whether one reads and writes, its flags, the stream around the file, and whether that is
#: the result.
_PLAIN = {
    mode: (*_flags(mode[0]), stream, "b" in mode)
    for stream, names in ((_io.BufferedReader, ("r", "rb", "rt")), (_io.BufferedWriter, ("w", "wb", "wt"))) for mode in names
}
_NAMES = {str, bytes}


def _opened(file, flags):
    """Opens a file that is not a directory; returns its descriptor, type and size."""
    path = path_bytes(file, "open")
    fd, kind, size = calls.open_file(AT_FDCWD, path, flags, 0o666)
    while fd < 0:
        if fd != -EINTR:
            raise fail(-fd, file)
        kernel.run_handlers()
        fd, kind, size = calls.open_file(AT_FDCWD, path, flags, 0o666)
    return fd, kind, size


_close_base = _io._RawIOBase.close


class FileIO(_io._RawIOBase):
    """Open a file: raw, unbuffered."""

    __slots__ = ("_is_closed",)
    # The interpreter's own streams read this for each line, so it must not be a Python function.
    closed = property(operator.attrgetter("_is_closed"), doc="True if the file is closed")
    _fd = -1
    _closefd = True
    _finalizing = False
    # Whether `open` has just opened the file: then its position is known to be the beginning.
    _fresh = False
    _created = _appending = False
    _stat_size = _seekable = None

    def __init__(self, file, mode="r", closefd=True, opener=None):
        if self._fd >= 0 and self._closefd:
            files.close(self._fd)
        self._fd, self._is_closed = -1, True
        self._readable, self._writable, flags = _flags(mode)
        self._created = "x" in mode
        self._appending = "a" in mode
        self._seekable = None
        self._closefd = bool(closefd)
        self._stat_size = None
        if isinstance(file, float):
            raise TypeError("integer argument expected, got float")
        if isinstance(file, int) and not isinstance(file, (str, bytes)):
            if file < 0:
                raise ValueError("negative file descriptor")
            if isinstance(file, bool):
                files.warn_of_bool(3)
            self._use(int(file), file)
            self._fd, self._is_closed = int(file), False
        elif not closefd:
            raise ValueError("Cannot use closefd=False with file name")
        else:
            self._open(file, flags, opener)
        try:
            self.name = file
        except BaseException:
            if self._fd == file:
                # The descriptor was not opened here, so it is not closed.
                self._fd, self._is_closed = -1, True
            raise
        if self._appending:
            self._go_to_end(file)

    def _go_to_end(self, file):
        try:
            files.lseek(self._fd, 0, 2)
        except OSError as error:
            # A pipe has no end.
            if error.errno == ESPIPE:
                return
            if self._fd == file:
                # The descriptor was not opened here, so it is not closed.
                self._fd, self._is_closed = -1, True
            raise

    def _open(self, file, flags, opener):
        if opener is None:
            self._fd, kind, size = _opened(file, flags)
            self._is_closed = False
            self._look(kind, size)
            return
        fd = opener(file, flags)
        if not isinstance(fd, int):
            raise TypeError("expected integer from opener")
        if fd < 0:
            raise ValueError(f"opener returned {fd}")
        files.set_inheritable(fd, False)
        try:
            self._use(fd, file)
        except BaseException:
            files.close(fd)
            raise
        self._fd, self._is_closed = fd, False

    def _use(self, fd, name):
        """Refuses directories, and stores the size."""
        found = call(calls.fstat, fd)
        kind = modes.S_IFMT(found.mode)
        if kind == modes.S_IFDIR:
            raise fail(21, name)
        self._look(kind, found.size)

    def _look(self, kind, size):
        if kind == S_IFREG:
            self._stat_size, self._seekable = size, True
        else:
            self._stat_size = None

    def __del__(self, _warn=None):
        if self._fd >= 0 and self._closefd and not self.closed:
            import warnings
            warnings.warn(f"unclosed file {self!r}", ResourceWarning, stacklevel=2, source=self)
            self.close()

    def _dealloc_warn(self, source):
        """Called by a stream over this file that is freed without having been closed."""
        if self._fd < 0 or not self._closefd:
            return
        import warnings
        try:
            warnings.warn(f"unclosed file {source!r}", ResourceWarning, stacklevel=2, source=source)
        except Warning as error:
            message = f"Exception ignored while finalizing file {source!r}"
            sys.unraisablehook(_unraisable_arguments((type(error), error, error.__traceback__, message, None)))

    def __getstate__(self):
        raise TypeError(f"cannot pickle {self.__class__.__name__!r} object")

    def __repr__(self):
        kind = f"{self.__class__.__module__}.{self.__class__.__qualname__}"
        if self._fd < 0:
            return f"<{kind} [closed]>"
        try:
            name = f"name={self.name!r}"
        except AttributeError:
            name = f"fd={self._fd}"
        return f"<{kind} {name} mode={self.mode!r} closefd={self._closefd}>"

    def _check(self):
        if self._fd < 0:
            raise ValueError("I/O operation on closed file")
        return self._fd

    def _check_readable(self):
        fd = self._check()
        if not self._readable:
            raise _io.UnsupportedOperation("File not open for reading")
        return fd

    def _check_writable(self):
        fd = self._check()
        if not self._writable:
            raise _io.UnsupportedOperation("File not open for writing")
        return fd

    def read(self, size=-1, /):
        """Read at most size bytes, returned as bytes; None if nothing is there yet in non-blocking mode."""
        fd = self._check_readable()
        if size is None or size < 0:
            return self.readall()
        try:
            return files.read(fd, size)
        except BlockingIOError:
            return None

    def readall(self):
        """Read all data from the file, returned as bytes."""
        fd = self._check_readable()
        pieces = []
        size = self._stat_size
        want = _CHUNK if size is None else max(min(size + 1, files.MAX_READ), 1024)
        while True:
            try:
                piece = kernel.read(fd, want)
            except BlockingIOError:
                if pieces:
                    break
                return None
            if not piece:
                break
            pieces.append(piece)
            # A regular file returns less only at its end.
            if size and len(piece) < want:
                break
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def readinto(self, buffer, /):
        """Same as RawIOBase.readinto()."""
        fd = self._check_readable()
        if type(buffer) is not memoryview or buffer.format != "B" or buffer.ndim != 1:
            buffer = memoryview(buffer).cast("B")
        size, want = self._stat_size, min(len(buffer), files.MAX_READ)
        if size is not None and size < want:
            # There is hardly more data, and the kernel would have to allocate the buffer.
            want = min(want, max(size + 1, 1024))
        try:
            data = kernel.read(fd, want)
        except BlockingIOError:
            return None
        count = len(data)
        buffer[:count] = data
        return count

    def write(self, data, /):
        """Write buffer b to file, return number of bytes written."""
        fd = self._check_writable()
        if type(data) is not bytes:
            if isinstance(data, str):
                raise TypeError("a bytes-like object is required, not 'str'")
            view = data if type(data) is memoryview else memoryview(data)
            data = bytes(view if view.nbytes <= files.MAX_READ else view.cast("B")[:files.MAX_READ])
        try:
            return files.write_bytes(fd, data)
        except BlockingIOError:
            return None

    def seek(self, offset, whence=0, /):
        """Move to new file position and return it."""
        fd = self._check()
        if isinstance(offset, float):
            raise TypeError("'float' object cannot be interpreted as an integer")
        return files.lseek(fd, offset, whence)

    def tell(self):
        """Current file position."""
        return 0 if self._fresh else call(calls.lseek, self._check(), 0, 1)

    def truncate(self, size=None, /):
        """Truncate the file to at most size bytes and return the truncated size."""
        fd = self._check_writable()
        if size is None:
            size = self.tell()
        files.ftruncate(fd, size)
        self._stat_size = None
        return size

    def close(self):
        """Close the file."""
        if self._fd < 0:
            _close_base(self)
            return
        fd, closing = self._fd, self._closefd
        try:
            _close_base(self)
        finally:
            self._fd, self._is_closed = -1, True
            if closing and (code := calls.close_file(fd)):
                raise fail(code)

    def seekable(self):
        """True if file supports random-access."""
        self._check()
        if self._seekable is None:
            try:
                self.tell()
                self._seekable = True
            except OSError:
                self._seekable = False
        return self._seekable

    def readable(self):
        """True if file was opened in a read mode."""
        self._check()
        return self._readable

    def writable(self):
        """True if file was opened in a write mode."""
        self._check()
        return self._writable

    def fileno(self):
        """Return the underlying file descriptor (an integer)."""
        return self._check()

    def isatty(self):
        """True if the file is connected to a TTY device."""
        return calls.isatty(self._check())

    _isatty_open_only = isatty

    @property
    def _blksize(self):
        return BLOCK_SIZE

    @property
    def closefd(self):
        """True if the file descriptor will be closed by close()."""
        return self._closefd

    @property
    def mode(self):
        """String giving the file mode."""
        if self._created:
            return "xb+" if self._readable else "xb"
        if self._appending:
            return "ab+" if self._readable else "ab"
        if self._readable:
            return "rb+" if self._writable else "rb"
        return "wb"


FileIO.__module__ = "_io"


class _Unraisable:
    def __del__(self):
        raise Warning


def _arguments_of_hook():
    """The type of what `sys.unraisablehook` gets, which has no name anywhere."""
    hook, found = sys.unraisablehook, []
    sys.unraisablehook = lambda arguments: found.append(type(arguments))
    try:
        _Unraisable()
    finally:
        sys.unraisablehook = hook
    return found[0]


_unraisable_arguments = _arguments_of_hook()


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """Open file and return a stream.  Raise OSError upon failure."""
    if type(mode) is str and mode in _PLAIN and type(file) in _NAMES and buffering == -1 and opener is None and closefd is True:
        plain = _PLAIN[mode]
        if not plain[4] or encoding is None and errors is None and newline is None:
            return _open_plain(file, mode, plain, encoding, errors, newline)
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    if not isinstance(buffering, int):
        raise TypeError(f"'{type(buffering).__name__}' object cannot be interpreted as an integer")
    if not isinstance(file, int) and not isinstance(file, (str, bytes)):
        file = _fspath(file)
    letters = set(mode)
    if letters - set("axrwb+t") or len(mode) > len(letters):
        raise ValueError(f"invalid mode: {mode!r}")
    binary = "b" in letters
    if binary and "t" in letters:
        raise ValueError("can't have text and binary mode at once")
    if sum(letter in letters for letter in "xrwa") > 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if binary:
        for value, what in ((encoding, "an encoding"), (errors, "an errors"), (newline, "a newline")):
            if value is not None:
                raise ValueError(f"binary mode doesn't take {what} argument")
        if buffering == 1:
            import warnings
            warnings.warn("line buffering (buffering=1) isn't supported in binary mode, the default buffer size "
                          "will be used", RuntimeWarning, 2)
    raw = FileIO(file, mode.replace("b", "").replace("t", ""), closefd, opener)
    result = raw
    try:
        line_buffering = buffering == 1 and not binary or buffering < 0 and raw._isatty_open_only()
        if buffering < 0 or buffering == 1:
            buffering = BUFFER_SIZE
        if buffering == 0:
            if binary:
                return raw
            raise ValueError("can't have unbuffered text I/O")
        if "+" in letters:
            result = _io.BufferedRandom(raw, buffering)
        elif "r" in letters:
            result = _io.BufferedReader(raw, buffering)
        else:
            result = _io.BufferedWriter(raw, buffering)
        if binary:
            return result
        result = _io.TextIOWrapper(result, _io.text_encoding(encoding) if encoding is None else encoding, errors,
                                   newline, line_buffering)
        result.mode = mode
        return result
    except BaseException:
        result.close()
        raise


def _open_plain(file, mode, plain, encoding, errors, newline):
    """Like `open`, for a file by name in one of the most common modes."""
    readable, writable, flags, stream, binary = plain
    fd, kind, size = _opened(file, flags)
    raw = _new(FileIO)
    raw._fd, raw._is_closed, raw._readable, raw._writable, raw.name = fd, False, readable, writable, file
    result = raw
    try:
        if regular := kind == S_IFREG:
            raw._stat_size, raw._seekable, raw._fresh = size, True, True
        result = stream(raw, BUFFER_SIZE)
        if not binary:
            result = _io.TextIOWrapper(result, _io.text_encoding(None, 3) if encoding is None else encoding, errors, newline,
                                       not regular and raw.isatty())
            result.mode = mode
        raw._fresh = False
        return result
    except BaseException:
        result.close()
        raise


_new = object.__new__


def _fspath(file):
    import os
    try:
        return os.fspath(file)
    except TypeError:
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(file).__name__}") from None


def open_code(path):
    """Opens the provided file with the intent to import the contents."""
    return open(path, "rb")


def install():
    """Replaces the interpreter's own `open` and FileIO.

    Returns the addresses of the module and of both classes, 32 bits each, which the build needs to replace the
    class for C code too.
    """
    import builtins
    import io
    if _io._RawIOBase.__basicsize__ != _SLOTS_AT:
        raise TypeError("the slots of FileIO are in another place")
    addresses = struct.pack("<3I", id(_io), id(_io.FileIO), id(FileIO))
    put(_io, "open", open)
    put(_io, "open_code", open_code)
    _io.FileIO, _io.DEFAULT_BUFFER_SIZE = FileIO, BUFFER_SIZE
    io.open, io.open_code, io.FileIO, io.DEFAULT_BUFFER_SIZE = _io.open, _io.open_code, FileIO, BUFFER_SIZE
    builtins.open = _io.open
    io.RawIOBase.register(FileIO)
    return addresses
