"""`mmap`: keeps a file's contents in memory, and writes shared ones back if they have changed."""

import operator
import os
import sys
import types

from .arguments import RANGES, number

ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY = 0, 1, 2, 3
MAP_SHARED, MAP_PRIVATE, MAP_ANON = 1, 2, 0x20
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
PAGESIZE = 4096
CONSTANTS = dict(
    MADV_NORMAL=0, MADV_RANDOM=1, MADV_SEQUENTIAL=2, MADV_WILLNEED=3, MADV_DONTNEED=4, MADV_FREE=8, MADV_REMOVE=9,
    MADV_DONTFORK=10, MADV_DOFORK=11, MADV_MERGEABLE=12, MADV_UNMERGEABLE=13, MADV_HUGEPAGE=14, MADV_NOHUGEPAGE=15,
    MADV_DONTDUMP=16, MADV_DODUMP=17, MADV_HWPOISON=100, MAP_DENYWRITE=2048, MAP_EXECUTABLE=4096, MAP_POPULATE=32768,
    MAP_STACK=131072, MAP_NORESERVE=16384)
_ADVICE = {value for name, value in CONSTANTS.items() if name.startswith("MADV_")}
MADV_DONTNEED, MADV_FREE, MADV_REMOVE = 4, 8, 9


class mmap:
    """Maps length bytes of the file specified by the file descriptor fileno.

    Other programs' later changes are not seen, and they see this one's after `flush` or `close`.
    """

    def __init__(self, fileno, length, flags=MAP_SHARED, prot=PROT_READ | PROT_WRITE, access=ACCESS_DEFAULT, *,
                 offset=0, trackfd=True):
        self.closed = True
        fileno = number(fileno, *RANGES["i"])
        length, offset = (number(value, *RANGES["i"]) for value in (length, offset))
        if length < 0:
            raise OverflowError("memory mapped length must be positive")
        if offset < 0:
            raise OverflowError("memory mapped offset must be positive")
        if access != ACCESS_DEFAULT and (flags != MAP_SHARED or prot != PROT_READ | PROT_WRITE):
            raise ValueError("mmap can't specify both access and flags, prot.")
        if access not in (ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY):
            raise ValueError("mmap invalid access parameter.")
        if offset % PAGESIZE:
            raise OSError(22, "Invalid argument")
        self._writable = access in (ACCESS_WRITE, ACCESS_COPY) or access == ACCESS_DEFAULT and bool(prot & PROT_WRITE)
        self._shared = access == ACCESS_WRITE or access == ACCESS_DEFAULT and bool(flags & MAP_SHARED) and self._writable
        self._fd, self._offset, self._position = -1, offset, 0
        if fileno == -1:
            self._data = bytearray(length)
            self.closed = False
            return
        size = os.fstat(fileno).st_size
        if length == 0:
            if size == 0:
                raise ValueError("cannot mmap an empty file")
            if offset >= size:
                raise ValueError("mmap offset is greater than file size")
            length = size - offset
        elif offset > size or size - offset < length:
            raise ValueError("mmap length is greater than file size")
        self._fd = os.dup(fileno)
        self._data, self.closed = bytearray(), False
        while len(self._data) < length:
            piece = os.pread(self._fd, length - len(self._data), offset + len(self._data))
            if not piece:
                break
            self._data += piece
        self._clean = bytes(self._data) if self._shared else b""

    def _open(self):
        if self.closed:
            raise ValueError("mmap closed or invalid")
        return self._data

    def _change(self):
        if not self._writable:
            raise TypeError("mmap can't modify a readonly memory map.")
        return self._open()

    def __buffer__(self, flags):
        view = memoryview(self._open())
        return view if self._writable else view.toreadonly()

    def __len__(self):
        return len(self._open())

    def __getitem__(self, index):
        found = self._open()[index]
        return bytes(found) if isinstance(index, slice) else found

    def __setitem__(self, index, value):
        data = self._change()
        if isinstance(index, slice) and len(data[index]) != len(value):
            raise IndexError("mmap slice assignment is wrong size")
        data[index] = value

    def __iter__(self):
        return (bytes([byte]) for byte in self._open())

    def __contains__(self, value):
        return value in self._open()

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        if not getattr(self, "closed", True):
            self.close()

    def __repr__(self):
        if self.closed:
            return "<mmap.mmap closed=True>"
        return (f"<mmap.mmap closed=False, access=ACCESS_{'DEFAULT' if self._writable else 'READ'}, "
                f"length={len(self._data)}, pos={self._position}, offset={self._offset}>")

    def close(self):
        """Close the map."""
        if not self.closed:
            self.flush()
            self.closed = True
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def flush(self, offset=0, size=None, /):
        """Write changes back."""
        data = self._open()
        if self._shared and self._fd >= 0 and data != self._clean:
            os.pwrite(self._fd, bytes(data), self._offset)
            self._clean = bytes(data)

    def read(self, n=None, /):
        """Return up to n bytes from the current position."""
        end = None if n is None or n < 0 else self._position + n
        found = bytes(self._open()[self._position:end])
        self._position += len(found)
        return found

    def read_byte(self):
        """Return a byte at the current position as an integer."""
        if self._position >= len(self._open()):
            raise ValueError("read byte out of range")
        self._position += 1
        return self._data[self._position - 1]

    def readline(self):
        """Return a line from the current position."""
        end = self._open().find(b"\n", self._position)
        return self.read(-1 if end < 0 else end + 1 - self._position)

    def write(self, bytes, /):
        """Write bytes at the current position."""
        data, view = self._change(), memoryview(bytes).cast("B")
        if self._position + len(view) > len(data):
            raise ValueError("data out of range")
        data[self._position:self._position + len(view)] = view
        self._position += len(view)
        return len(view)

    def write_byte(self, byte, /):
        """Write an integer as a byte at the current position."""
        self.write(b"%c" % byte)

    def seek(self, pos, whence=0, /):
        """Set the current position."""
        base = {0: 0, 1: self._position, 2: len(self._open())}.get(whence)
        if base is None:
            raise ValueError("unknown seek type")
        if not 0 <= base + pos <= len(self._data):
            raise ValueError("seek out of range")
        self._position = base + pos
        return self._position

    def seekable(self):
        """Always."""
        return True

    def tell(self):
        """Return the current position."""
        self._open()
        return self._position

    def size(self):
        """Return the length of the file."""
        return len(self._open()) if self._fd < 0 else os.fstat(self._fd).st_size

    def find(self, sub, start=None, end=None, /):
        """Return the lowest index where the subsequence is found."""
        return self._open().find(sub, self._position if start is None else start, end)

    def rfind(self, sub, start=None, end=None, /):
        """Return the highest index where the subsequence is found."""
        return self._open().rfind(sub, self._position if start is None else start, end)

    def move(self, dest, src, count, /):
        """Copy count bytes from src to dest."""
        data = self._change()
        if min(dest, src, count) < 0 or max(dest, src) + count > len(data):
            raise ValueError("source, destination, or count out of range")
        data[dest:dest + count] = data[src:src + count]

    def resize(self, newsize, /):
        """Maps are not resized."""
        raise SystemError("mmap: resizing not available--no mremap()")

    def madvise(self, option, start=0, length=None, /):
        """Advise the system how the map will be used: ignored, but for the advice that drops contents, which is refused."""
        data = self._open()
        option, start = operator.index(option), operator.index(start)
        length = None if length is None else operator.index(length)
        if not 0 <= start < max(len(data), 1):
            raise ValueError("madvise start out of bounds")
        if length is not None and length < 0:
            raise ValueError("madvise length invalid")
        if length is not None and start + length > sys.maxsize:
            raise OverflowError("madvise length too large")
        drops = option in (MADV_FREE, MADV_REMOVE) or option == MADV_DONTNEED and self._writable and (
            self._fd < 0 or not self._shared)
        if start % PAGESIZE or option not in _ADVICE or drops:
            raise OSError(22, "Invalid argument")


def install():
    """Creates the module `mmap`."""
    module = types.ModuleType("mmap", "Memory-mapped files.")
    mmap.__module__ = "mmap"
    for name, value in (globals() | CONSTANTS).items():
        if name == "PAGESIZE" or name.startswith(("ACCESS_", "MADV_", "MAP_", "PROT_")):
            setattr(module, name, value)
    module.MAP_ANONYMOUS, module.ALLOCATIONGRANULARITY, module.error = MAP_ANON, PAGESIZE, OSError
    module.mmap = mmap
    sys.modules["mmap"] = module
