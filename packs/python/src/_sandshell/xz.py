"""`_lzma`: the xz formats, which the interpreter was built without.

The sandbox's own `xz` compresses, and its output is put into the requested container. For decompression, containers
are read here, because they may end anywhere in the input; blocks that are not small are passed to `xz` when they
are complete.
"""

import functools
import operator
import sys
from types import ModuleType

from . import chains, container, unlzma
from .container import CHECK_CRC64, CHECK_ID_MAX, CHECK_NONE, CHECKS
from .chains import LZMA1, LZMA2, PRESET_DEFAULT, LZMAError
from .replacing import put

FORMAT_AUTO, FORMAT_XZ, FORMAT_ALONE, FORMAT_RAW = range(4)
CHECK_UNKNOWN = 16
PROGRAM = "/usr/bin/xz"
#: How much of a block is decoded here before the rest is passed to the sandbox's `xz`, and the largest dictionary
#: for which `xz` is used.
SMALL, LARGEST = 4096, 128 << 20
#: How much is compressed at a time into one block, to limit the memory.
PIECE = 16 << 20
#: A size for which the levels of `xz` differ little.
LITTLE = 1 << 14
#: How much is decoded between two checks of how much output is wanted.
STEP = 1 << 16
#: The memory that liblzma needs in addition to the dictionary.
DECODER = 1 << 16
#: No memory limit; also an unknown size.
NO_LIMIT = (1 << 64) - 1


def is_check_supported(check_id, /):
    """Test whether the given integrity check is supported."""
    return operator.index(check_id) in CHECKS


def _encode_filter_properties(filter, /):
    """Return a bytes object encoding the options (properties) of the filter specified by *filter* (a dict)."""
    return chains.encoded(*chains.parsed_one(filter))


def _decode_filter_properties(filter_id, encoded_props, /):
    """Return a dict with the options of the filter *filter_id* that *encoded_props* has."""
    id = chains.uint64(filter_id)
    return {"id": id} | chains.decoded(id, bytes(memoryview(encoded_props)))


class LZMACompressor:
    """Create a compressor object for compressing data incrementally."""

    def __new__(cls, format=FORMAT_XZ, check=-1, preset=None, filters=None):
        self = super().__new__(cls)
        self._format, check = operator.index(format), operator.index(check)
        if format != FORMAT_XZ and check not in (-1, CHECK_NONE):
            raise ValueError("Integrity checks are only supported by FORMAT_XZ")
        if preset is not None and filters is not None:
            raise ValueError("Cannot specify both preset and filter chain")
        preset = PRESET_DEFAULT if preset is None else chains.uint32(preset)
        if format not in (FORMAT_XZ, FORMAT_ALONE, FORMAT_RAW):
            raise ValueError(f"Invalid container format: {format}")
        if filters is not None:
            self._chain = chains.parsed(filters)
        elif format == FORMAT_RAW:
            raise ValueError("Must specify filters for FORMAT_RAW")
        else:
            self._chain = [(LZMA1 if format == FORMAT_ALONE else LZMA2, _preset(preset, format))]
        if format == FORMAT_ALONE and [id for id, _ in self._chain] != [LZMA1]:
            raise ValueError("Invalid filter chain for FORMAT_ALONE - must be a single LZMA1 filter")
        chains.check_chain(self._chain, encoding=True)
        self._last, self._options = self._chain[-1]
        if format == FORMAT_XZ and self._last == LZMA1:
            raise LZMAError("Internal error")
        self._check = CHECK_CRC64 if check == -1 and format == FORMAT_XZ else max(check, 0)
        if not 0 <= check + 1 <= CHECK_ID_MAX + 1:
            raise LZMAError("Internal error")
        if self._check not in CHECKS:
            raise LZMAError("Unsupported integrity check")
        self._data, self._records, self._flushed = bytearray(), [], False
        return self

    def compress(self, data, /):
        """Provide data to the compressor object. Returns a chunk of compressed data if possible, or b'' otherwise."""
        if self._flushed:
            raise ValueError("Compressor has been flushed")
        self._data += memoryview(data).cast("B")
        found = b""
        while self._format == FORMAT_XZ and len(self._data) >= PIECE:
            found += self._block(PIECE)
        return found

    def flush(self):
        """Finish the compression process. Returns the compressed data left in internal buffers."""
        if self._flushed:
            raise ValueError("Repeated call to flush()")
        self._flushed = True
        if self._format == FORMAT_XZ:
            last = self._block(len(self._data)) if self._data else b""
            return last + (b"" if self._records else container.header(self._check)) + container.end(self._check, self._records)
        data, self._data = _filtered(self._data, self._chain, encoding=True), None
        if self._last == LZMA2:
            return b"".join(payload for payload, _ in _runs(data, self._options)) + b"\0"
        return self._lzma1(data)

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle '_lzma.LZMACompressor' object")

    def _block(self, length):
        """Compresses the next bytes to a block; the first comes after the stream's header."""
        data = self._data[:length]
        del self._data[:length]
        filtered = _filtered(data, self._chain, encoding=True)
        runs = _runs(filtered, self._options)
        payload = b"".join(payload for payload, _ in runs) + b"\0"
        if self._check == CHECK_CRC64 and len(self._chain) == len(runs) == 1:
            check = runs[0][1]
        else:
            check = CHECKS[self._check](data).digest()
        head = b"" if self._records else container.header(self._check)
        block = container.block_header(self._chain) + payload
        self._records.append((len(block) + len(check), len(data)))
        return head + block + bytes(-len(block) % 4) + check

    def _lzma1(self, data):
        options = self._options
        level = _level(options, len(data))
        if self._format == FORMAT_RAW and (chains.DICTIONARIES[level] > options["dict_size"] < len(data)
                                           or (options["lc"], options["lp"], options["pb"]) != (3, 0, 2)):
            raise LZMAError("Invalid or unsupported options: raw LZMA1 has lc=3, lp=0, pb=2 and dict_size=262144 at least here")
        made = _made([f"-c{level}", "--format=lzma"], data)
        if self._format == FORMAT_RAW:
            return made[13:]
        # Decoders that guess the format expect a dictionary size that LZMA2 could have.
        size = max(options["dict_size"], int.from_bytes(made[1:5], "little"))
        size = chains.dictionary(*chains.encoded(LZMA2, {"dict_size": size}))
        return made[:1] + size.to_bytes(4, "little") + made[5:]


class LZMADecompressor:
    """Create a decompressor object for decompressing data incrementally."""

    def __new__(cls, format=FORMAT_AUTO, memlimit=None, filters=None):
        self = super().__new__(cls)
        format = operator.index(format)
        if memlimit is not None and format == FORMAT_RAW:
            raise ValueError("Cannot specify memory limit with FORMAT_RAW")
        limit = NO_LIMIT if memlimit is None else chains.uint64(memlimit)
        if format == FORMAT_RAW and filters is None:
            raise ValueError("Must specify filters for FORMAT_RAW")
        if format != FORMAT_RAW and filters is not None:
            raise ValueError("Cannot specify filters except with FORMAT_RAW")
        if format not in (FORMAT_AUTO, FORMAT_XZ, FORMAT_ALONE, FORMAT_RAW):
            raise ValueError(f"Invalid container format: {format}")
        self._reader = _Reader(limit, CHECK_NONE)
        if format == FORMAT_RAW:
            chain = chains.parsed(filters)
            chains.check_chain(chain)
            work = self._reader.raw(chain)
        elif format == FORMAT_ALONE:
            work = self._reader.alone()
        else:
            self._reader.check = CHECK_UNKNOWN
            work = self._reader.stream() if format == FORMAT_XZ else self._reader.auto()
        self.eof, self.needs_input, self.unused_data = False, True, b""
        self._work = self._reader.whole(work)
        return self

    @property
    def check(self):
        """ID of the integrity check used by the input stream."""
        return self._reader.check

    def decompress(self, data, max_length=-1):
        """Decompress *data*, returning uncompressed data as bytes, at most *max_length* unless it is negative."""
        if self.eof:
            raise EOFError("Already at end of stream")
        max_length, reader, waits = operator.index(max_length), self._reader, False
        reader.input += memoryview(data).cast("B")
        while not waits and not reader.ended and (max_length < 0 or len(reader.output) < max_length):
            waits = next(self._work, None)
            if waits is None and not reader.ended:
                # The decompressor had an error before.
                raise LZMAError("Internal error")
        length = len(reader.output) if max_length < 0 else min(max_length, len(reader.output))
        found = bytes(memoryview(reader.output)[:length])
        del reader.output[:length]
        reader.forget()
        if reader.ended and not reader.output:
            self.eof, self.unused_data = True, bytes(reader.input)
            reader.input.clear()
        self.needs_input = bool(waits) and length != max_length
        return found

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle '_lzma.LZMADecompressor' object")


class _Reader:
    """The work of a decompressor as generators, which yield whether they need more input. It has no reference to
    the decompressor, so that both, and a running `xz`, end when the program drops the decompressor.
    """

    def __init__(self, limit, check):
        self.limit, self.check, self.ended = limit, check, False
        # Input before `at` was used; it is kept from the mark on if there is one.
        self.input, self.at, self.mark, self.output = bytearray(), 0, None, bytearray()

    def forget(self):
        count = self.at if self.mark is None else self.mark
        del self.input[:count]
        self.at -= count
        if self.mark is not None:
            self.mark = 0

    def whole(self, work):
        """All of the work."""
        try:
            yield from work
        except unlzma.Corrupt:
            raise LZMAError("Corrupt input data") from None
        self.ended = True

    def take(self, count):
        """The next bytes."""
        while len(self.input) - self.at < count:
            yield True
        self.at += count
        return bytes(memoryview(self.input)[self.at - count:self.at])

    def number(self):
        """Reads a number with seven bits in each byte."""
        data = yield from self.take(1)
        while data[-1] > 127 and len(data) < 9:
            data += yield from self.take(1)
        return container.Fields(data).number()

    def auto(self):
        magic = yield from self.take(1)
        self.at -= 1
        if container.MAGIC.startswith(magic):
            yield from self.stream()
        else:
            self.check = CHECK_NONE
            yield from self.alone(guessed=True)

    def raw(self, chain):
        if chain[-1][0] == LZMA1:
            yield from self.lzma1(chain, NO_LIMIT)
        else:
            _, _, rest = yield from self.lzma2(chain, CHECK_NONE)
            yield from rest(b"")

    def alone(self, guessed=False):
        """An `.lzma` file. The format has no magic number; a guessed one must have the usual values."""
        properties = yield from self.take(1)
        try:
            options = chains.decoded(LZMA1, properties + bytes(4))
        except LZMAError:
            raise _not_supported() from None
        size = options["dict_size"] = int.from_bytes((yield from self.take(4)), "little")
        if guessed and size != 0xFFFFFFFF and bin(size).rstrip("0") not in ("0b", "0b1", "0b11"):
            raise _not_supported()
        size = int.from_bytes((yield from self.take(8)), "little")
        if guessed and size != NO_LIMIT and size >> 38:
            raise _not_supported()
        self.check_limit(options)
        yield from self.lzma1([(LZMA1, options)], size)

    def stream(self):
        """An `.xz` file."""
        head = yield from self.take(12)
        if not head.startswith(container.MAGIC):
            raise _not_supported()
        container.compare(head[8:], container.crc(head[6:8]))
        if head[6] or head[7] > CHECK_ID_MAX:
            raise chains.unsupported()
        self.check, records = head[7], []
        while size := (yield from self.take(1))[0]:
            rest = yield from self.take(4 * size + 3)
            records.append((yield from self.block(bytes([size]) + rest)))
        self.mark = self.at - 1
        container.compare((yield from self.number()), len(records))
        for record in records:
            for number in record:
                container.compare((yield from self.number()), number)
        container.compare(any((yield from self.take((self.mark - self.at) % 4))), False)
        crc = container.crc(memoryview(self.input)[self.mark:self.at])
        container.compare((yield from self.take(4)), crc)
        container.compare((yield from self.take(12)), container.end(self.check, records)[-12:])
        self.mark = None

    def block(self, head):
        """A block after its header. Returns its size without padding, and the size of its data."""
        chain, packed, plain = container.parsed_block_header(head)
        self.check_limit(chain[-1][1])
        length, count, rest = yield from self.lzma2(chain, self.check)
        if packed not in (None, length) or plain not in (None, count):
            raise unlzma.Corrupt
        container.compare(any((yield from self.take(-length % 4))), False)
        stored = yield from self.take(container.CHECK_SIZES[self.check])
        yield from rest(stored)
        return len(head) + length + len(stored), count

    def check_limit(self, options):
        if options["dict_size"] + DECODER > self.limit:
            raise LZMAError("Memory usage limit exceeded")

    def lzma1(self, chain, size):
        """Decodes data up to an end marker or of a known size."""
        options, output = chain[-1][1], _Output(self.output, chain, CHECK_NONE)
        decoder = unlzma.Decoder(options["dict_size"])
        decoder.set_properties(*chains.encoded(LZMA1, options)[:1])
        yield from self.begin(decoder)
        left = yield from self.symbols(decoder, output, size)
        if decoder.code and not left:
            # There may be an end marker although the size is known.
            left = (yield from self.symbols(decoder, output, 1)) - 1
        if decoder.code or left and size != NO_LIMIT:
            raise unlzma.Corrupt
        output.end()

    def lzma2(self, chain, check):
        """Decodes all chunks. Returns their length, the length of their data, and a function to call with the check
        after them.
        """
        self.mark, output = self.at, _Output(self.output, chain, check)
        decoder = unlzma.Decoder(chain[-1][1]["dict_size"])
        total, begun, known = 0, False, False
        while control := (yield from self.take(1))[0]:
            if control == 1 or control >= 0xE0:
                decoder.forget_all()
                begun, known = True, False
            if not begun or 2 < control < (0x80 if known else 0xC0):
                raise unlzma.Corrupt
            sizes = yield from self.take(2 if control < 3 else 4)
            length = ((control & 31) << 16 if control > 2 else 0) + int.from_bytes(sizes[:2]) + 1
            packed = int.from_bytes(sizes[-2:]) + 1
            if control >= 0xC0:
                known = decoder.set_properties(*(yield from self.take(1)))
                container.compare(known, True)
            elif control >= 0xA0:
                decoder.reset()
            end = self.at + packed - self.mark
            if total >= SMALL:
                yield from self.take(packed)
            elif control < 3:
                data = yield from self.take(length)
                decoder.out += data
                output.add(data)
            else:
                left = packed - (yield from self.begin(decoder))
                if total + length > SMALL:
                    yield from self.symbols(decoder, output, SMALL - total, whole=False)
                    yield from self.take(end + self.mark - self.at)
                elif (yield from self.symbols(decoder, output, length, left)) or decoder.code or decoder.ended:
                    raise unlzma.Corrupt
            total += length
            yield False
        length = self.at - self.mark
        if total > SMALL:
            return length, total, functools.partial(self.by_xz, chain, check, length, output.length, total)
        output.end()
        return length, total, functools.partial(self.checked, output)

    def begin(self, decoder):
        """Begins a sequence of symbols. Returns how many bytes come before the first."""
        container.compare((yield from self.take(1)), b"\0")
        decoder.start((yield from self.take(4)))
        return 5

    def symbols(self, decoder, output, size, packed=None, whole=True):
        """Decodes LZMA symbols until `size` bytes of output, or somewhat more if `whole` is false, or until an end
        marker. `packed` is the size of the compressed data, if known. Returns how much output is missing.
        """
        while size > 0 and not decoder.ended:
            before, at, stop = len(decoder.out), self.at, len(self.input) - unlzma.SYMBOL
            limit, short = before + min(size, STEP), False
            if at < stop:
                self.at = decoder.run(self.input, at, stop, limit)
            else:
                self.at, short = decoder.try_run(self.input, at, limit)
            output.add(decoder.out[before:])
            size -= len(decoder.out) - before
            if size < 0 and whole:
                raise unlzma.Corrupt
            if packed is not None:
                packed -= self.at - at
                if packed < 0 or short and packed < len(self.input) - self.at:
                    raise unlzma.Corrupt
            decoder.drop()
            yield short
        if decoder.wants_byte():
            decoder.add(*(yield from self.take(1)))
            packed = packed and packed - 1
        if packed:
            raise unlzma.Corrupt
        return size

    def checked(self, output, stored):
        self.mark = None
        container.compare(stored[:len(output.check.digest())], output.check.digest())
        yield False

    def by_xz(self, chain, check, packed, given, total, stored):
        """The data of a block from the sandbox's `xz`, without the part that was already returned."""
        import subprocess
        import tempfile
        # `xz` allocates a dictionary of the size in the header.
        size = min(chain[-1][1]["dict_size"], total)
        if size > LARGEST:
            raise MemoryError(f"a dictionary of {size} bytes is too large")
        if check not in CHECKS:
            check, stored = CHECK_NONE, b""
        head = container.block_header(chain[:-1] + [(LZMA2, {"dict_size": size})])
        length = len(head) + packed
        end = container.padding(length) + stored + container.end(check, [(length + len(stored), total)])
        with tempfile.TemporaryFile() as file:
            file.write(container.header(check) + head)
            file.write(memoryview(self.input)[self.mark:self.mark + packed])
            file.write(end)
            file.seek(0)
            process = subprocess.Popen([PROGRAM, "-dc"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.mark = None
        self.forget()
        try:
            while data := process.stdout.read(STEP):
                total -= len(data)
                self.output += data[given:]
                given -= min(given, len(data))
                yield False
            status = process.wait()
        finally:
            process.stdout.close()
            process.kill()
            process.wait()
        if status < 0:
            raise MemoryError(f"xz was ended by signal {-status}")
        if status or total:
            raise unlzma.Corrupt


class _Output:
    """Processes a block's data after the decoder."""

    def __init__(self, out, chain, check):
        self.out, self.stages, self.length = out, chains.made(chain, encoding=False), 0
        self.check = CHECKS.get(check, container.NoCheck)()

    def add(self, data, last=False):
        for stage in self.stages:
            data = stage.push(data, last)
        self.check.update(data)
        self.out += data
        self.length += len(data)

    def end(self):
        self.add(b"", last=True)


def _preset(preset, format):
    try:
        return chains.preset_options(preset)
    except LZMAError:
        if format == FORMAT_XZ:
            raise chains.unsupported() from None
        raise


def _level(options, length):
    """The level of `xz` that is nearest to these options; if it matters, without a larger dictionary than
    theirs."""
    level, sizes = options["preset"] & 31, chains.DICTIONARIES
    # A dictionary takes memory and time even if there is less data. Then levels above 6 give the same result, and
    # for little data so do, nearly, those above 4.
    while sizes[level - 1] >= length and level > (4 if length <= LITTLE else 6):
        level -= 1
    while level and sizes[level] > options["dict_size"] < length:
        level -= 1
    return level


def _filtered(data, chain, encoding):
    for stage in chains.made(chain, encoding):
        data = stage.push(data, last=True)
    return data


def _runs(data, options):
    """LZMA2 chunks of the data, each with the CRC64 of its data. Each begins with an empty dictionary."""
    level = _level(options, len(data))
    step = max(len(data), 1)
    if chains.DICTIONARIES[level] > options["dict_size"]:
        step = min(step, options["dict_size"])
    return [_run_of(_made([f"-c{level}"], data[start:start + step])) for start in range(0, len(data), step)]


def _run_of(made):
    """The chunks of the only block of an `.xz` file, and the block's check."""
    start = at = 16 + 4 * made[12]
    while control := made[at]:
        if control > 2:
            at += 6 + (control >= 0xC0) + int.from_bytes(made[at + 3:at + 5])
        else:
            at += 4 + int.from_bytes(made[at + 1:at + 3])
    check = at + 1 + -(at + 1) % 4
    return made[start:at], made[check:check + 8]


def _made(arguments, data):
    """The output of the sandbox's `xz`."""
    import subprocess
    done = subprocess.run([PROGRAM, *arguments], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode:
        raise MemoryError(f"xz ended with status {done.returncode}")
    return done.stdout


def _not_supported():
    return LZMAError("Input format not supported by decoder")


CONSTANTS = {
    "FORMAT_AUTO": FORMAT_AUTO, "FORMAT_XZ": FORMAT_XZ, "FORMAT_ALONE": FORMAT_ALONE, "FORMAT_RAW": FORMAT_RAW,
    "CHECK_NONE": CHECK_NONE, "CHECK_CRC32": container.CHECK_CRC32, "CHECK_CRC64": CHECK_CRC64,
    "CHECK_SHA256": container.CHECK_SHA256, "CHECK_ID_MAX": CHECK_ID_MAX, "CHECK_UNKNOWN": CHECK_UNKNOWN,
    "FILTER_LZMA1": LZMA1, "FILTER_LZMA2": LZMA2, "FILTER_DELTA": chains.DELTA, "FILTER_X86": chains.X86,
    "FILTER_IA64": chains.IA64, "FILTER_ARM": chains.ARM, "FILTER_ARMTHUMB": chains.ARMTHUMB, "FILTER_SPARC": chains.SPARC,
    "FILTER_POWERPC": chains.POWERPC, "MF_HC3": 0x03, "MF_HC4": 0x04, "MF_BT2": 0x12, "MF_BT3": 0x13, "MF_BT4": 0x14,
    "MODE_FAST": 1, "MODE_NORMAL": 2, "PRESET_DEFAULT": PRESET_DEFAULT, "PRESET_EXTREME": chains.PRESET_EXTREME,
}


def install():
    """Creates the module `_lzma`."""
    made = ModuleType("_lzma")
    for kind in (LZMACompressor, LZMADecompressor, LZMAError):
        kind.__module__ = "_lzma"
        setattr(made, kind.__name__, kind)
    for function in (is_check_supported, _encode_filter_properties, _decode_filter_properties):
        put(made, function.__name__, function)
    vars(made).update(CONSTANTS)
    sys.modules["_lzma"] = made
