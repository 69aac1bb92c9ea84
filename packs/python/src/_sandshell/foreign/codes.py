"""How the basic types are stored: for each letter of `struct`'s kind, how it is read, and how it is written.

A writer returns what the written value needs to live on, or None.
"""

import struct
from operator import index

from . import longdouble, memory

#: The sizes of the types here; their alignments are the same.
SIZES = dict(c=1, b=1, B=1, h=2, H=2, i=4, I=4, l=4, L=4, q=8, Q=8, f=4, d=8, g=16, u=4, z=4, Z=4, P=4, O=4, v=2) | {"?": 1}
#: In the order of CPython's message.
LETTERS = "cbBhHiIlLdfuzZqQPOv?g"
#: Those that exist in the other byte order, too.
SWAPPED = "hHiIlLqQfd"
_SIGNED, _UNSIGNED = "bhilq", "BHILQ"


def reader_and_writer(letter, order="<"):
    """The functions for a type: `reader(view, offset)` and `writer(view, offset, value)`."""
    if letter in _SIGNED + _UNSIGNED:
        return _integer(letter, order)
    if letter in "fd":
        return _real(letter, order)
    return {"c": (_char, _set_char), "?": (_bool, _set_bool), "g": (_long_double, _set_long_double), "u": (_wide, _set_wide),
            "z": (_string, _set_string), "Z": (_wide_string, _set_wide_string), "P": (_pointer, _set_pointer),
            "O": (_object, _set_object), "v": (_variant, _set_variant)}[letter]


def _integer(letter, order):
    form = struct.Struct(order + letter)
    unpack, size = form.unpack_from, form.size
    mask, half = (1 << 8 * size) - 1, 1 << 8 * size - 1
    signed = letter in _SIGNED
    pack = form.pack_into

    def reader(view, offset):
        return unpack(view, offset)[0]

    def writer(view, offset, value):
        value = index(value) & mask
        pack(view, offset, value - mask - 1 if signed and value >= half else value)

    return reader, writer


def _real(letter, order):
    form = struct.Struct(order + letter)
    unpack, pack = form.unpack_from, form.pack_into

    def reader(view, offset):
        return unpack(view, offset)[0]

    def writer(view, offset, value):
        value = _number(value)
        try:
            pack(view, offset, value)
        except OverflowError:
            pack(view, offset, float("-inf") if value < 0 else float("inf"))

    return reader, writer


def _number(value):
    kind = type(value)
    if not isinstance(value, float) and not hasattr(kind, "__float__") and not hasattr(kind, "__index__"):
        raise TypeError(f"must be real number, not {kind.__name__}")
    return float(value)


def _long_double(view, offset):
    return longdouble.decoded(bytes(view[offset:offset + 16]))


def _set_long_double(view, offset, value):
    view[offset:offset + 16] = longdouble.encoded(_number(value))


def _char(view, offset):
    return bytes(view[offset:offset + 1])


def char(value):
    """The byte that a value is as a character."""
    expected = "one character bytes, bytearray, or an integer in range(256) expected, not "
    if isinstance(value, (bytes, bytearray)):
        if len(value) != 1:
            kind = "bytes" if isinstance(value, bytes) else "bytearray"
            raise TypeError(f"{expected}{kind} of length {len(value)}")
        return value[0]
    if not isinstance(value, int):
        raise TypeError(expected + type(value).__name__)
    if not 0 <= value < 256:
        raise TypeError("integer not in range(256)")
    return int(value)


def _set_char(view, offset, value):
    view[offset] = char(value)


def _bool(view, offset):
    return view[offset] != 0


def _set_bool(view, offset, value):
    view[offset] = 1 if value else 0


def _variant(view, offset):
    return bytes(view[offset:offset + 2]) != b"\0\0"


def _set_variant(view, offset, value):
    view[offset:offset + 2] = b"\xff\xff" if value else b"\0\0"


def _word(view, offset):
    return int.from_bytes(view[offset:offset + 4], "little")


def _set_word(view, offset, value):
    view[offset:offset + 4] = (int(value) & 0xffffffff).to_bytes(4, "little")


def _wide(view, offset):
    return memory.decoded(view[offset:offset + 4])


def _set_wide(view, offset, value):
    if not isinstance(value, str):
        raise TypeError(f"a unicode character expected, not instance of {type(value).__name__}")
    if len(value) != 1:
        raise TypeError(f"a unicode character expected, not a string of length {len(value)}")
    _set_word(view, offset, ord(value))


def _string(view, offset):
    place = _word(view, offset)
    return memory.string(place) if place else None


def _set_string(view, offset, value):
    if value is None:
        _set_word(view, offset, 0)
    elif isinstance(value, bytes):
        _set_word(view, offset, memory.address_of(memoryview(value)))
        return value
    elif isinstance(value, int):
        _set_word(view, offset, value)
    else:
        raise TypeError(f"bytes or integer address expected instead of {type(value).__name__} instance")


def _wide_string(view, offset):
    place = _word(view, offset)
    return memory.wide_string(place) if place else None


def wide(value):
    """The 32-bit characters of a string, and a NUL."""
    return (value + "\0").encode("utf-32-le", "surrogatepass")


def _set_wide_string(view, offset, value):
    if value is None:
        _set_word(view, offset, 0)
    elif isinstance(value, str):
        copy = memoryview(wide(value))
        _set_word(view, offset, memory.address_of(copy))
        return copy
    elif isinstance(value, int):
        _set_word(view, offset, value)
    else:
        raise TypeError(f"unicode string or integer address expected instead of {type(value).__name__} instance")


def _pointer(view, offset):
    return _word(view, offset) or None


def _set_pointer(view, offset, value):
    if value is None:
        _set_word(view, offset, 0)
    elif isinstance(value, int):
        _set_word(view, offset, value)
    else:
        raise TypeError("cannot be converted to pointer")


def _object(view, offset):
    place = _word(view, offset)
    if not place:
        raise ValueError("PyObject is NULL")
    return memory.thing(place)


def _set_object(view, offset, value):
    _set_word(view, offset, id(value))
    return value
