"""The parts of a file `.xz` around the data of its blocks."""

import hashlib
import zlib

from . import chains
from .unlzma import Corrupt

MAGIC, END_MAGIC = b"\xfd7zXZ\0", b"YZ"
CHECK_NONE, CHECK_CRC32, CHECK_CRC64, CHECK_SHA256, CHECK_ID_MAX = 0, 1, 4, 10, 15
#: The length of the check of each id, including unknown ids.
CHECK_SIZES = [0] + [4 << place // 3 for place in range(15)]


def compare(found, wanted):
    if found != wanted:
        raise Corrupt


def crc(data):
    return zlib.crc32(data).to_bytes(4, "little")


def padding(length):
    return bytes(-length % 4)


def header(check):
    """The header of a file."""
    flags = bytes([0, check])
    return MAGIC + flags + crc(flags)


def end(check, records):
    """The end of a file: the index with the sizes of its blocks, and the index's length."""
    index = b"\0" + number(len(records)) + b"".join(number(size) for record in records for size in record)
    index += padding(len(index))
    index += crc(index)
    footer = (len(index) // 4 - 1).to_bytes(4, "little") + bytes([0, check])
    return index + crc(footer) + footer + END_MAGIC


def block_header(chain):
    """The header of a block."""
    head = bytes([0, len(chain) - 1])
    for id, options in chain:
        properties = chains.encoded(id, options)
        head += number(id) + number(len(properties)) + properties
    head += padding(len(head))
    head = bytes([len(head) // 4]) + head[1:]
    return head + crc(head)


def parsed_block_header(head):
    """Parses the chain of filters, and the sizes of the chunks and of the data if they are known."""
    compare(head[-4:], crc(head[:-4]))
    fields, flags = Fields(head[2:-4]), head[1]
    if flags & 0x3C:
        raise chains.unsupported()
    packed = fields.number() if flags & 0x40 else None
    plain = fields.number() if flags & 0x80 else None
    if packed == 0:
        raise Corrupt
    chain = []
    for _ in range((flags & 3) + 1):
        id = fields.number()
        if id >> 62:
            raise Corrupt
        chain.append((id, chains.decoded(id, fields.take(fields.number()))))
    if any(fields.data):
        raise chains.unsupported()
    chains.check_chain(chain)
    return chain, packed, plain


def number(value):
    """Encodes a number with seven bits in each byte."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


class Fields:
    """Reads numbers and bytes one after another."""

    def __init__(self, data):
        self.data = data

    def take(self, count):
        if len(self.data) < count:
            raise Corrupt
        found, self.data = self.data[:count], self.data[count:]
        return found

    def number(self):
        value = shift = 0
        while (byte := self.take(1)[0]) > 127:
            value |= (byte & 127) << shift
            shift += 7
        # A number has at most 63 bits and no superfluous bytes.
        if shift > 56 or shift and not byte:
            raise Corrupt
        return value | byte << shift


class NoCheck:
    """No check, or an unknown one."""

    def __init__(self, data=b""):
        self.update(data)

    def update(self, data):
        pass

    def digest(self):
        return b""


class Crc32(NoCheck):
    """The CRC of Ethernet."""

    value = 0

    def update(self, data):
        self.value = zlib.crc32(data, self.value)

    def digest(self):
        return self.value.to_bytes(4, "little")


class Crc64(NoCheck):
    """The CRC of ECMA-182."""

    value = (1 << 64) - 1

    def update(self, data):
        value, table = self.value, TABLE
        for byte in data:
            value = table[value & 255 ^ byte] ^ value >> 8
        self.value = value

    def digest(self):
        return (self.value ^ (1 << 64) - 1).to_bytes(8, "little")


def _remainder(value):
    for _ in range(8):
        value = value >> 1 ^ (0xC96C5795D7870F42 if value & 1 else 0)
    return value


TABLE = [_remainder(value) for value in range(256)]
CHECKS = {CHECK_NONE: NoCheck, CHECK_CRC32: Crc32, CHECK_CRC64: Crc64, CHECK_SHA256: hashlib.sha256}
