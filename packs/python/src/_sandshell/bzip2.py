"""`_bz2`: the bzip2 format, which the interpreter was built without.

The sandbox's own `bzip2` compresses. Decompression is implemented here, because a stream may end anywhere in the
input.
"""

import re
import sys
import zlib
from types import ModuleType

#: The magic numbers of a block and of the end of a stream: the digits of pi, and of its square root.
BLOCK, END = 0x314159265359, 0x177245385090
#: How many symbols use a table before the next one is selected.
GROUP = 50
REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
#: Four equal bytes, and the number of further ones.
RUN = re.compile(rb"(.)\1\1\1(.)", re.DOTALL)


class BZ2Compressor:
    """Create a compressor object for compressing data incrementally."""

    def __init__(self, compresslevel=9, /):
        if not 1 <= compresslevel <= 9:
            raise ValueError("compresslevel must be between 1 and 9")
        self._level, self._data, self._flushed = compresslevel, bytearray(), False

    def compress(self, data, /):
        """Provide data to the compressor object. What becomes of it is returned by `flush`."""
        if self._flushed:
            raise ValueError("Compressor has been flushed")
        self._data += memoryview(data).cast("B")
        return b""

    def flush(self):
        """Finish the compression process. Returns the compressed data."""
        if self._flushed:
            raise ValueError("Repeated call to flush()")
        import subprocess
        self._flushed = True
        done = subprocess.run(["/usr/bin/bzip2", f"-c{self._level}"], input=self._data, stdout=subprocess.PIPE, check=True)
        self._data = None
        return done.stdout

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle '_bz2.BZ2Compressor' object")


class BZ2Decompressor:
    """Create a decompressor object for decompressing data incrementally."""

    def __new__(cls):
        self = super().__new__(cls)
        self.eof, self.needs_input, self.unused_data = False, True, b""
        self._input, self._at, self._bits, self._count = bytearray(), 0, 0, 0
        self._output = bytearray()
        self._work = self._stream()
        return self

    def decompress(self, data, max_length=-1):
        """Decompress *data*, returning uncompressed data as bytes, at most *max_length* unless it is negative."""
        if self.eof:
            raise EOFError("End of stream already reached")
        if self._work is None:
            raise ValueError("Decompressor is unusable after a previous error")
        self._input += memoryview(data).cast("B")
        waits = False
        while not self.eof and not waits and (max_length < 0 or len(self._output) < max_length):
            try:
                waits = next(self._work)
            except OSError:
                self._work, self.needs_input = None, False
                raise
        length = len(self._output) if max_length < 0 else min(max_length, len(self._output))
        found = bytes(memoryview(self._output)[:length])
        del self._output[:length]
        if self.eof and self._output:
            # There is more output to be requested.
            self.eof, self._work = False, self._ended()
        self.needs_input = waits and not self.eof
        return found

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle '_bz2.BZ2Decompressor' object")

    def _ended(self):
        self.eof = True
        yield False

    def _stream(self):
        """The decompression as a generator, which yields whether it needs more input."""
        if (yield from self._take(24)) != int.from_bytes(b"BZh"):
            raise OSError("Invalid data stream")
        level = (yield from self._take(8)) - ord("0")
        if not 1 <= level <= 9:
            raise OSError("Invalid data stream")
        total = 0
        while (magic := (yield from self._take(48))) == BLOCK:
            wanted = yield from self._take(32)
            block = yield from self._block(level * 100_000)
            crc = int(f"{zlib.crc32(block.translate(REVERSED)):032b}"[::-1], 2)
            if crc != wanted:
                raise OSError("Invalid data stream")
            total = (total << 1 & 0xFFFFFFFF | total >> 31) ^ crc
            self._output += block
            del self._input[:self._at]
            self._at = 0
            yield False
        if magic != END or (yield from self._take(32)) != total:
            raise OSError("Invalid data stream")
        self.eof, self.unused_data = True, bytes(memoryview(self._input)[self._at - self._count // 8:])
        yield False

    def _take(self, count):
        """The next bits."""
        while self._count < count:
            while self._at >= len(self._input):
                yield True
            self._bits = self._bits << 8 | self._input[self._at]
            self._at += 1
            self._count += 8
        self._count -= count
        found = self._bits >> self._count
        self._bits &= (1 << self._count) - 1
        return found

    def _block(self, size):
        take = self._take
        if (yield from take(1)):
            # Randomised blocks have been obsolete since 1997.
            raise OSError("Invalid data stream")
        origin = yield from take(24)
        rows = yield from take(16)
        used = []
        for row in range(16):
            if rows >> 15 - row & 1:
                columns = yield from take(16)
                used += [16 * row + column for column in range(16) if columns >> 15 - column & 1]
        tables = yield from take(3)
        selectors = yield from take(15)
        if not used or not 2 <= tables <= 6 or not selectors:
            raise OSError("Invalid data stream")
        order, chosen = list(range(tables)), []
        for _ in range(selectors):
            place = 0
            while (yield from take(1)):
                place += 1
                if place >= tables:
                    raise OSError("Invalid data stream")
            order.insert(0, order.pop(place))
            chosen.append(order[0])
        codes = []
        for _ in range(tables):
            codes.append((yield from self._code(len(used) + 2)))
        moved = yield from self._symbols(used, chosen, codes, size)
        return _unsorted(moved, origin)

    def _code(self, symbols):
        """Reads a table: for each length, the symbols by their codes."""
        length = yield from self._take(5)
        lengths = []
        for _ in range(symbols):
            while True:
                if not 1 <= length <= 20:
                    raise OSError("Invalid data stream")
                if not (yield from self._take(1)):
                    break
                length += -1 if (yield from self._take(1)) else 1
            lengths.append(length)
        code, last, table = 0, 0, {}
        for length, symbol in sorted((length, symbol) for symbol, length in enumerate(lengths)):
            code <<= length - last
            # A code is stored with a leading one, which marks its length. A table with too many codes is valid if
            # it is not used.
            if not code >> length:
                table[1 << length | code] = symbol
            code, last = code + 1, length
        return table

    def _symbols(self, used, chosen, codes, size):
        """The bytes of a block in sorted order."""
        end, order, out, run, weight = len(used) + 1, bytearray(used), bytearray(), 0, 1
        data, at, bits, count = self._input, self._at, self._bits, self._count
        for table in chosen:
            table = codes[table]
            for _ in range(GROUP):
                code = 1
                while True:
                    if not count:
                        if at >= len(data):
                            self._at, self._bits, self._count = at, 0, 0
                            while at >= len(data):
                                yield True
                        taken = data[at:at + 4]
                        bits, count = int.from_bytes(taken), 8 * len(taken)
                        at += len(taken)
                    count -= 1
                    code = code << 1 | bits >> count & 1
                    if (symbol := table.get(code)) is not None:
                        break
                    if code >> 21:
                        raise OSError("Invalid data stream")
                if symbol < 2:
                    run += weight << symbol
                    weight <<= 1
                    if run > size:
                        raise OSError("Invalid data stream")
                    continue
                if run:
                    out += order[:1] * run
                    run, weight = 0, 1
                if symbol == end:
                    if len(out) > size:
                        raise OSError("Invalid data stream")
                    self._at, self._bits, self._count = at, bits & (1 << count) - 1, count
                    return out
                byte = order.pop(symbol - 1)
                order.insert(0, byte)
                out.append(byte)
            if len(out) > size:
                raise OSError("Invalid data stream")
        raise OSError("Invalid data stream")


def _unsorted(last, origin):
    """Inverts the Burrows-Wheeler transform and the run-length encoding before it."""
    if origin >= len(last):
        raise OSError("Invalid data stream")
    following = sorted(range(len(last)), key=last.__getitem__)
    out, place = bytearray(), origin
    for _ in last:
        place = following[place]
        out.append(last[place])
    return RUN.sub(lambda run: run[1] * (4 + run[2][0]), out)


def install():
    """Creates the module `_bz2`."""
    made = ModuleType("_bz2")
    for kind in (BZ2Compressor, BZ2Decompressor):
        kind.__module__ = "_bz2"
        setattr(made, kind.__name__, kind)
    sys.modules["_bz2"] = made
