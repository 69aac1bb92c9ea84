"""The filters of xz: their names and encodings, and the filters that make machine code and tables easier to
compress."""

import operator
import re
from itertools import accumulate

LZMA1, LZMA2, DELTA = 0x4000000000000001, 0x21, 0x03
X86, POWERPC, IA64, ARM, ARMTHUMB, SPARC, ARM64 = range(0x04, 0x0B)
PRESET_DEFAULT, PRESET_EXTREME = 6, 1 << 31
#: The dictionary sizes of the presets.
DICTIONARIES = [1 << bits for bits in (18, 20, 21, 22, 22, 23, 23, 24, 25, 26)]
#: The code filters, and the alignment of their instructions in bytes.
ALIGNMENTS = {X86: 1, POWERPC: 4, IA64: 16, ARM: 4, ARMTHUMB: 2, SPARC: 4, ARM64: 4}
#: The filters that `_lzma` knows. ARM64 occurs only in files.
NAMED = {LZMA1, LZMA2, DELTA} | ALIGNMENTS.keys() - {ARM64}


class LZMAError(Exception):
    """Call to liblzma failed."""


def unsupported():
    return LZMAError("Invalid or unsupported options")


def uint32(value):
    """Checks that an argument is such a number."""
    value = operator.index(value)
    if value < 0:
        raise ValueError("value must be positive")
    if value >> 32:
        raise OverflowError("Python int too large for C uint32_t")
    return value


def uint64(value):
    """Checks that an argument is such a number."""
    if not isinstance(value, int):
        raise TypeError("an integer is required")
    if value < 0:
        raise OverflowError("can't convert negative int to unsigned")
    if value >> 64:
        raise OverflowError("int too big to convert")
    return value


def parsed(specs):
    """Parses the chain of filters that a program names: their ids and options."""
    if isinstance(specs, dict):
        raise TypeError("dict is not a sequence")
    if len(specs) > 4:
        raise ValueError("Too many filters - liblzma supports a maximum of 4")
    return [parsed_one(specs[place]) for place in range(len(specs))]


def parsed_one(spec):
    """Parses the id and the options of a filter that a program names."""
    if not hasattr(type(spec), "__getitem__"):
        raise TypeError("Filter specifier must be a dict or dict-like object")
    try:
        id = uint64(spec["id"])
    except KeyError:
        raise ValueError('Filter specifier must have an "id" entry') from None
    if id not in NAMED:
        raise ValueError(f"Invalid filter ID: {id}")
    if id in (LZMA1, LZMA2):
        kind, known = "LZMA", preset_options(uint32(spec["preset"]) if "preset" in spec else PRESET_DEFAULT)
    else:
        kind, known = ("delta", {"dist": 1}) if id == DELTA else ("BCJ", {"start_offset": 0})
    try:
        given = {name: uint32(spec[name]) for name in spec.keys() - {"id"}}
    except (TypeError, ValueError, OverflowError):
        given = {"": 0}
    if given.keys() - known.keys():
        raise ValueError(f"Invalid filter specifier for {kind} filter")
    known |= given
    return id, known


def preset_options(preset):
    """The options of a preset."""
    level = preset & 31
    if level > 9 or preset & ~31 & ~PRESET_EXTREME:
        raise LZMAError(f"Invalid compression preset: {preset}")
    return {"preset": preset, "dict_size": DICTIONARIES[level], "lc": 3, "lp": 0, "pb": 2,
            "mode": 2, "nice_len": 64, "mf": 0x14, "depth": 0}


def check_chain(chain, encoding=False):
    """Refuses invalid chains, as liblzma does."""
    if not chain:
        raise LZMAError("Internal error")
    for place, (id, options) in enumerate(chain):
        last = place == len(chain) - 1
        if last != (id in (LZMA1, LZMA2)):
            raise unsupported()
        if last and (encoding or id == LZMA1) and (options.get("lc", 0) + options.get("lp", 0) > 4 or options.get("pb", 0) > 4):
            raise unsupported()
        if last and encoding and not (4096 <= options["dict_size"] <= 3 << 29 and 2 <= options["nice_len"] <= 273
                                      and options["mode"] in (1, 2) and options["mf"] in (3, 4, 0x12, 0x13, 0x14)
                                      and options["mf"] & 15 <= options["nice_len"]):
            raise unsupported()
        if id == DELTA and not 1 <= options["dist"] <= 256 or options.get("start_offset", 0) % ALIGNMENTS.get(id, 1):
            raise unsupported()


def encoded(id, options):
    """Encodes the properties of a filter for a file."""
    if id == LZMA1:
        if options["lc"] + options["lp"] > 4 or options["pb"] > 4:
            raise LZMAError("Internal error")
        return bytes([(options["pb"] * 5 + options["lp"]) * 9 + options["lc"]]) + options["dict_size"].to_bytes(4, "little")
    if id == LZMA2:
        return bytes([next((code for code in range(40) if dictionary(code) >= options["dict_size"]), 40)])
    if id == DELTA:
        if not 1 <= options["dist"] <= 256:
            raise LZMAError("Internal error")
        return bytes([options["dist"] - 1])
    return options["start_offset"].to_bytes(4, "little") if options.get("start_offset") else b""


def dictionary(code):
    """Decodes LZMA2's property to the dictionary size."""
    return 0xFFFFFFFF if code == 40 else (2 | code & 1) << code // 2 + 11


def decoded(id, properties):
    """Decodes the options of a filter from a file."""
    if id == LZMA1 and len(properties) == 5 and properties[0] < 225:
        rest, lc = divmod(properties[0], 9)
        pb, lp = divmod(rest, 5)
        if lc + lp <= 4:
            return {"lc": lc, "lp": lp, "pb": pb, "dict_size": int.from_bytes(properties[1:], "little")}
    elif id == LZMA2 and len(properties) == 1 and properties[0] <= 40:
        return {"dict_size": dictionary(properties[0])}
    elif id == DELTA and len(properties) == 1:
        return {"dist": properties[0] + 1}
    elif id in ALIGNMENTS and len(properties) in (0, 4):
        return {"start_offset": int.from_bytes(properties, "little")} if properties else {}
    raise unsupported()


class Delta:
    """The delta filter: each byte is a difference to an earlier one."""

    def __init__(self, distance, encoding):
        self.before, self.encoding = bytes(distance), encoding

    def push(self, data, last):
        """The next bytes, filtered."""
        distance, before = len(self.before), self.before
        out = bytearray(len(data))
        if self.encoding:
            shifted = before + data
            out[:] = ((now - then) & 255 for now, then in zip(data, shifted))
            self.before = shifted[len(data):]
            return out
        for lane in range(min(distance, len(data))):
            sums = accumulate(data[lane::distance], initial=before[lane])
            next(sums)
            out[lane::distance] = bytes(value & 255 for value in sums)
        self.before = bytes((before + out)[len(data):])
        return out


class Code:
    """The filters for machine code: relative addresses of jumps become absolute."""

    def __init__(self, id, start, encoding):
        self.convert, self.position, self.sign = CONVERTERS[id], start, 1 if encoding else -1
        self.held, self.state = bytearray(), [0, 0]

    def push(self, data, last):
        """Filters the next bytes. Bytes at the end that may be the start of an instruction are held back, unless
        these are the last."""
        self.held += data
        count = self.convert(self.held, self.position, self.sign, self.state)
        if last:
            count = len(self.held)
        done = self.held[:count]
        del self.held[:count]
        self.position += count
        return done


def made(chain, encoding):
    """The filters of a chain without the last, in the order in which data passes through them."""
    found = [Delta(options["dist"], encoding) if id == DELTA else Code(id, options.get("start_offset", 0), encoding)
             for id, options in chain[:-1]]
    return found if encoding else found[::-1]


def _x86(data, position, sign, state):
    """Converts the operands of CALL and JMP. The state is how many bytes ago the last such opcode was (0: none),
    and which of the last three bytes are such opcodes with unconverted operands.
    """
    at, mask = 0, state[1]
    last = -state[0] if state[0] else -9
    find = re.compile(b"[\xe8\xe9]").search
    while (found := find(data, at, max(len(data) - 4, 0))):
        at = found.start()
        gone = at - last
        mask = mask << gone - 1 & 7 if gone <= 3 else 0
        last = at
        # The index of the operand's byte at the nearest such opcode.
        byte = mask.bit_length()
        if mask and (mask not in (1, 2, 4) or data[at + 4 - byte] in (0, 255)) or data[at + 4] not in (0, 255):
            mask = mask << 1 & 7 | 1
            at += 1
            continue
        operand = int.from_bytes(data[at + 1:at + 5], "little")
        while True:
            operand = operand + sign * (position + at + 5) & 0xFFFFFFFF
            if not mask or operand >> 24 - 8 * byte & 255 not in (0, 255):
                break
            operand ^= (1 << 32 - 8 * byte) - 1
        data[at + 1:at + 5] = (operand & 0x1FFFFFF | 0xFE000000 * (operand >> 24 & 1)).to_bytes(4, "little")
        at += 5
        mask = 0
    at = max(at, len(data) - 4)
    state[:] = at - last, mask
    return at


def _words(select, convert, order):
    """A converter of four-byte words, for words in which the byte at one position has certain values."""
    place, pattern = select
    find = re.compile(pattern, re.DOTALL).search

    def converter(data, position, sign, state):
        at, end = 0, len(data) & ~3
        while (found := find(data, at + place, end)):
            at = found.start() - place
            if at & 3 == 0:
                word = convert(int.from_bytes(data[at:at + 4], order), position + at, sign)
                data[at:at + 4] = word.to_bytes(4, order)
                at += 4
            else:
                at += 1
        return end

    return converter


def _powerpc(word, position, sign):
    return 0x48000001 | word + sign * position & 0x03FFFFFC if word & 0xFC000003 == 0x48000001 else word


def _arm(word, position, sign):
    return word & 0xFF000000 | word + sign * (position + 8 >> 2) & 0xFFFFFF


def _sparc(word, position, sign):
    if word >> 22 not in (0x100, 0x1FF):
        return word
    word = word + sign * (position >> 2)
    return 0x40000000 | (0x3FC00000 if word & 0x400000 else 0) | word & 0x3FFFFF


def _arm64(word, position, sign):
    if word >> 26 == 0x25:
        return 0x94000000 | word + sign * (position >> 2) & 0x03FFFFFF
    page = word >> 29 & 3 | word >> 3 & 0x1FFFFC
    if word & 0x9F000000 != 0x90000000 or page + 0x020000 & 0x1C0000:
        return word
    page = page + sign * (position >> 12)
    return word & 0x9000001F | (page & 3) << 29 | (page & 0x03FFFC) << 3 | (0xE00000 if page & 0x020000 else 0)


def _armthumb(data, position, sign, state):
    at = 0
    while at + 4 <= len(data):
        if data[at + 1] & 0xF8 == 0xF0 and data[at + 3] & 0xF8 == 0xF8:
            value = (data[at + 1] & 7) << 19 | data[at] << 11 | (data[at + 3] & 7) << 8 | data[at + 2]
            value += sign * (position + at + 4 >> 1)
            data[at:at + 4] = value >> 11 & 255, 0xF0 | value >> 19 & 7, value & 255, 0xF8 | value >> 8 & 7
            at += 2
        at += 2
    return at


def _ia64(data, position, sign, state):
    end = len(data) & ~15
    for at in range(0, end, 16):
        # Which of the three instructions of a bundle are branches.
        slots = b"\4\4\6\6\0\0\7\7\4\4\0\0\4\4\0\0"[data[at] & 15] if data[at] & 16 else 0
        if not slots:
            continue
        bundle = int.from_bytes(data[at:at + 16], "little")
        for slot in range(3):
            shift = 5 + 41 * slot
            branch = bundle >> shift
            if slots >> slot & 1 and branch >> 37 & 15 == 5 and branch >> 9 & 7 == 0:
                value = (branch >> 13 & 0xFFFFF | branch >> 16 & 0x100000) + sign * (position + at >> 4)
                bundle &= ~(0x8FFFFF << 13 + shift)
                bundle |= (value & 0xFFFFF | (value & 0x100000) << 3) << 13 + shift
        data[at:at + 16] = bundle.to_bytes(16, "little")
    return end


CONVERTERS = {
    X86: _x86, IA64: _ia64, ARMTHUMB: _armthumb,
    POWERPC: _words((0, b"[\x48-\x4b]"), _powerpc, "big"),
    ARM: _words((3, b"\xeb"), _arm, "little"),
    SPARC: _words((0, b"[\x40\x7f]"), _sparc, "big"),
    ARM64: _words((3, b"[\x90\xb0\xd0\xf0\x94-\x97]"), _arm64, "little"),
}
