"""Arrays."""

import sys
import types

from . import codes, data, memory
from .data import INFO, Data, Info, info_of


class Meta(data.Meta):
    """metatype for the Array Objects"""

    def _describe(cls, names):
        length = _length(cls)
        kind = getattr(cls, "_type_", None)
        if kind is None:
            raise AttributeError("class must define a '_type_' attribute")
        item = info_of(kind)
        if item is None:
            raise TypeError("_type_ must have storage info")
        if item.size * length > sys.maxsize:
            raise OverflowError("array too large")
        item.final = True
        found = Info(item.size * length, item.align, length, item.format, kind)
        found.shape = (length, *item.shape)
        if item.flags & (data.IS_POINTER | data.HAS_POINTER):
            found.flags = data.HAS_POINTER
        type.__setattr__(cls, INFO, found)
        if item.code == "c" and item.plain:
            type.__setattr__(cls, "value", _CHARS)
            type.__setattr__(cls, "raw", _RAW)
        elif item.code == "u" and item.plain:
            type.__setattr__(cls, "value", _WIDE)


def _length(cls):
    length = getattr(cls, "_length_", None)
    if length is None:
        raise AttributeError("class must define a '_length_' attribute")
    if not isinstance(length, int):
        raise TypeError("The '_length_' attribute must be an integer")
    if length < 0:
        raise ValueError("The '_length_' attribute must not be negative")
    if length > sys.maxsize:
        raise OverflowError("The '_length_' attribute is too large")
    return int(length)


def is_text(kind):
    """The letter of an array type's characters, or None."""
    found = info_of(kind)
    if found is None or not issubclass(kind, Array):
        return None
    item = info_of(found.proto)
    return item.code if item.code in ("c", "u") and item.plain else None


def text(view, letter):
    """The value of characters up to a NUL."""
    if letter == "c":
        return bytes(view).partition(b"\0")[0]
    end = 0
    while end < len(view) and any(view[end:end + 4]):
        end += 4
    return memory.decoded(view[:end])


def set_text(view, letter, value):
    """Sets characters, and a NUL if there is room for it."""
    if letter == "c":
        if not isinstance(value, bytes):
            raise TypeError(f"bytes expected instead of {type(value).__name__} instance")
        if len(value) > len(view):
            raise ValueError("byte string too long")
        encoded, end = value, 1
    else:
        if not isinstance(value, str):
            raise TypeError(f"unicode string expected instead of {type(value).__name__} instance")
        if 4 * len(value) > len(view):
            raise ValueError("string too long")
        encoded, end = codes.wide(value)[:-4], 4
    view[:len(encoded)] = encoded
    if len(encoded) < len(view):
        view[len(encoded):len(encoded) + end] = bytes(end)


def _no_deletion(self):
    raise TypeError("cannot delete attribute")


def _set_raw(self, value):
    new = memoryview(value)
    if new.nbytes > len(self._view_):
        raise ValueError("byte string too long")
    self._view_[:new.nbytes] = bytes(new)


_CHARS = property(lambda self: text(self._view_, "c"), lambda self, value: set_text(self._view_, "c", value), _no_deletion,
                  "string value")
_RAW = property(lambda self: bytes(self._view_), _set_raw, None, "value")
_WIDE = property(lambda self: text(self._view_, "u"), lambda self, value: set_text(self._view_, "u", value), _no_deletion,
                 "string value")


class Array(Data, metaclass=Meta):
    """Abstract base class for arrays.

    The recommended way to create concrete array types is by multiplying any ctypes data type with a non-negative
    integer. Alternatively, you can subclass this type and define _length_ and _type_ class variables. Array elements
    can be read and written using standard subscript and slice accesses for slice reads, the resulting object is not
    itself an Array.
    """

    __slots__ = ()
    _abstract_ = True
    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, *items):
        for index, item in enumerate(items):
            self[index] = item

    def __len__(self):
        return info_of(type(self)).length

    def __getitem__(self, key):
        found = info_of(type(self))
        if isinstance(key, slice):
            return items(found.proto, self._view_, range(*key.indices(found.length)), self.__getitem__)
        index = self._index(key, found)
        size = info_of(found.proto).size
        return data.get(found.proto, self, index, index * size, size)

    def __setitem__(self, key, value):
        found = info_of(type(self))
        if isinstance(key, slice):
            places = range(*key.indices(found.length))
            if len(value) != len(places):
                raise ValueError("Can only assign sequence of same size")
            for place, item in zip(places, value):
                self[place] = item
            return
        index = self._index(key, found)
        size = info_of(found.proto).size
        data.put(found.proto, self, index, value, index * size, size)

    def __delitem__(self, key):
        raise TypeError("Array does not support item deletion")

    @staticmethod
    def _index(key, found):
        if not hasattr(key, "__index__"):
            raise TypeError("indices must be integers")
        index = key.__index__()
        if index < 0:
            index += found.length
        if not 0 <= index < found.length:
            raise IndexError("invalid index")
        return index


def items(kind, view, places, get):
    """A slice: bytes or a string for characters, else a list. `view` begins with item 0."""
    letter = info_of(kind).code if info_of(kind).plain else None
    if letter == "c":
        return bytes(view[place] for place in places)
    if letter == "u":
        return "".join(memory.decoded(view[4 * place:4 * place + 4]) for place in places)
    return [get(place) for place in places]


type.__delattr__(Array, "_abstract_")
