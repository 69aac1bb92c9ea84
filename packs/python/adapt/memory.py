"""The program's initial memory."""

import re
import struct

from .wasm import DATA, END, I32_CONST, leb, read, read_signed, signed

#: A run of zeros that is long enough to split the data into two segments.
GAP = re.compile(rb"\0{32,}")

#: A name, as tables of the interpreter and its libraries have them.
NAME = re.compile(rb"[A-Za-z_0-9-]+\0")


class Memory:
    """The data segments of a module, which are written when the module is instantiated."""

    def __init__(self, module):
        self.module = module
        data = module.section(DATA)
        pieces = []
        count, at = read(data, 0)
        for _ in range(count):
            if data[at] != 0 or data[at + 1] != I32_CONST:
                raise ValueError("a piece of the memory has no place")
            address = read_signed(data, at + 2)
            _, at = read(data, at + 2)
            length, at = read(data, at + 1)
            pieces.append((address, data[at:at + length]))
            at += length
        self.bytes = bytearray(max(address + len(piece) for address, piece in pieces))
        for address, piece in pieces:
            self.bytes[address:address + len(piece)] = piece

    def word(self, address):
        """The 32 bits at an address."""
        return struct.unpack_from("<I", self.bytes, address)[0]

    def set_word(self, address, value):
        """Changes the 32 bits at an address."""
        struct.pack_into("<I", self.bytes, address, value)

    def pointer_to(self, text, step):
        """Where the only pointer to such a string is in a table that has pointers to names `step` bytes before and after. The
        memory of a program that has run can have the same number elsewhere."""
        data, found, at = b"\0" + text.encode() + b"\0", [], -1
        while (at := self.bytes.find(data, at + 1)) >= 0:
            found += [place for place in self._words(at + 1) if all(self._is_named(place + side) for side in (-step, step))]
        if len(found) != 1:
            raise LookupError(f"{len(found)} pointers to {text}")
        return found[0]

    def _is_named(self, address):
        """Whether there is a pointer to a name."""
        if not 0 <= address <= len(self.bytes) - 4:
            return False
        text = self.word(address)
        return text > 0 and NAME.match(self.bytes, text) is not None

    def _words(self, value):
        """Where the words with this value are."""
        wanted, at = struct.pack("<I", value), -1
        while (at := self.bytes.find(wanted, at + 1)) >= 0:
            if at % 4 == 0:
                yield at

    def text(self, address):
        """The string at an address."""
        return self.bytes[address:self.bytes.index(0, address)].decode("latin-1")

    def write_back(self):
        """Writes the changes back to the module."""
        pieces, behind = [], 0
        for gap in GAP.finditer(self.bytes):
            pieces.append((behind, gap.start()))
            behind = gap.end()
        pieces.append((behind, len(self.bytes)))
        pieces = [(start, end) for start, end in pieces if start < end]
        self.module.set_section(DATA, leb(len(pieces)) + b"".join(
            bytes([0, I32_CONST]) + signed(start) + bytes([END]) + leb(end - start) + self.bytes[start:end]
            for start, end in pieces))
