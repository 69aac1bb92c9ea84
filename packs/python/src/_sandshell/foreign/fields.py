"""The fields of structures and unions."""

import operator

from . import arrays, data
from .data import Data, info_of

_INTEGERS = "bBhHiIlLqQ?"


class Field:
    """Structure/Union member"""

    __slots__ = ("name", "type", "byte_size", "byte_offset", "bit_size", "bit_offset", "is_bitfield", "is_anonymous",
                 "_index", "_text", "__dict__")

    def __init__(self, *, name, type, byte_size, byte_offset, index, _internal_use=False, bit_size=None, bit_offset=None):
        if not _internal_use:
            raise TypeError("CField is not intended to be used directly")
        if not isinstance(name, str):
            raise TypeError(f"field {name!r}: name must be a string, not {name.__class__.__name__}")
        found = info_of(type)
        if found is None:
            raise TypeError(f"type of field {name!r} must be a C type")
        if byte_size != found.size:
            raise ValueError(f"byte size of field {name!r} does not match type size; got {byte_size}, expected {found.size}")
        self.is_bitfield = bit_size is not None
        if self.is_bitfield:
            if found.code not in tuple(_INTEGERS):
                raise TypeError(f"bit fields not allowed for type {type.__name__}")
            if not 0 < bit_size <= 8 * byte_size:
                raise ValueError(f"number of bits invalid for bit field {name!r}")
            if bit_offset + bit_size > 8 * byte_size:
                raise ValueError(f"bit field {name!r} overflows its type ({bit_offset} + {bit_size} > {8 * byte_size})")
        self.name, self.type, self.byte_size, self.byte_offset, self._index = name, type, byte_size, byte_offset, index
        self.bit_size, self.bit_offset = (bit_size, bit_offset) if self.is_bitfield else (8 * byte_size, 0)
        self.is_anonymous, self._text = False, arrays.is_text(type)

    @property
    def offset(self):
        """offset in bytes of this field (same as byte_offset)"""
        return self.byte_offset

    @property
    def size(self):
        """size in bytes of this field. For bitfields, this is a legacy packed value; use byte_size instead"""
        return self.bit_size << 16 | self.bit_offset if self.is_bitfield else self.byte_size

    def moved(self, offset, index):
        """The same field as one of a structure that contains its own."""
        new = Field(name=self.name, type=self.type, byte_size=self.byte_size, byte_offset=self.byte_offset + offset,
                    index=self._index + index, _internal_use=True, bit_size=self.bit_size if self.is_bitfield else None,
                    bit_offset=self.bit_offset if self.is_bitfield else None)
        new.is_anonymous = self.is_anonymous
        return new

    def __repr__(self):
        if self.is_bitfield:
            return (f"<ctypes.CField {self.name!r} type={self.type.__name__}, ofs={self.byte_offset}, "
                    f"bit_size={self.bit_size}, bit_offset={self.bit_offset}>")
        return f"<ctypes.CField {self.name!r} type={self.type.__name__}, ofs={self.byte_offset}, size={self.byte_size}>"

    def __get__(self, thing, owner=None):
        if thing is None:
            return self
        if not isinstance(thing, Data):
            raise TypeError("not a ctype instance")
        if self.is_bitfield:
            return self._bits(thing)
        place = self.byte_offset
        if self._text is not None:
            return arrays.text(thing._view_[place:place + self.byte_size], self._text)
        return data.get(self.type, thing, self._index, place, self.byte_size)

    def __set__(self, thing, value):
        if not isinstance(thing, Data):
            raise TypeError("not a ctype instance")
        place = self.byte_offset
        if self.is_bitfield:
            self._set_bits(thing, value)
        elif self._text is not None:
            if not isinstance(value, self.type):
                _set_text(thing._view_[place:place + self.byte_size], self._text, value)
            else:
                thing._view_[place:place + self.byte_size] = bytes(value._view_)
        else:
            data.put(self.type, thing, self._index, value, place, self.byte_size)

    def __delete__(self, thing):
        raise TypeError("can't delete attribute")

    def _unit(self, thing):
        return thing._view_[self.byte_offset:self.byte_offset + self.byte_size]

    def _bits(self, thing):
        order = "big" if info_of(self.type).swapped else "little"
        value = int.from_bytes(self._unit(thing), order) >> self.bit_offset & (1 << self.bit_size) - 1
        code = info_of(self.type).code
        if code == "?":
            return bool(value)
        return value - (1 << self.bit_size) if code in "bhilq" and value >> self.bit_size - 1 else value

    def _set_bits(self, thing, value):
        value = bool(value) if info_of(self.type).code == "?" else operator.index(value)
        order = "big" if info_of(self.type).swapped else "little"
        unit = self._unit(thing)
        mask = (1 << self.bit_size) - 1 << self.bit_offset
        old = int.from_bytes(unit, order)
        unit[:] = (old & ~mask | value << self.bit_offset & mask).to_bytes(self.byte_size, order)


def _set_text(view, letter, value):
    """Sets a field of characters: too many are refused, and a NUL follows if there is room."""
    unit = 1 if letter == "c" else 4
    if letter == "c" and not isinstance(value, bytes):
        raise TypeError(f"expected bytes, {type(value).__name__} found")
    room = len(view) // unit
    if letter == "c":
        value = value.partition(b"\0")[0]
    if isinstance(value, (bytes, str)) and len(value) > room:
        raise ValueError(f"{'bytes' if unit == 1 else 'string'} too long ({len(value)}, maximum length {room})")
    arrays.set_text(view, letter, value)
