"""The basic types: numbers, characters, pointers without a type, strings, objects."""

from . import codes, data
from .data import INFO, Argument, Data, Info, as_parameter, info_of


class Meta(data.Meta):
    """metatype for the simple types"""

    def _describe(cls, names):
        letter = getattr(cls, "_type_", None)
        if letter is None:
            raise AttributeError("class must define a '_type_' attribute")
        if not isinstance(letter, str):
            raise TypeError("class must define a '_type_' string attribute")
        if len(letter) != 1 or letter not in codes.SIZES:
            error = ValueError if len(letter) != 1 else AttributeError
            raise error("class must define a '_type_' attribute which must be "
                        + ("a string of length 1" if len(letter) != 1 else
                           f"\na single character string containing one of {codes.LETTERS!r}."))
        _describe(cls, letter, "<")
        if type(cls) is Meta and letter in codes.SWAPPED:
            _add_swapped(cls, letter, names)

    def from_param(cls, value, /):
        """Convert a Python object into a function call parameter."""
        found = info_of(cls)
        if found is None:
            raise TypeError("abstract class")
        special = {"z": _from_bytes, "Z": _from_string, "P": _from_pointer}.get(found.code) if found.plain else None
        if special is not None:
            return special(cls, value)
        if isinstance(value, cls):
            return value
        place = memoryview(bytearray(found.size))
        try:
            kept = found.set(place, 0, value)
        except Exception:
            other = as_parameter(value)
            if other is None:
                raise
            return cls.from_param(other)
        return Argument(found.code, place[0] if found.code == "c" else _raw(found, place), kept)


def _raw(found, place):
    return int.from_bytes(place, "little") if found.code in "zZPO?uv" else found.get(place, 0)


def _describe(cls, letter, order):
    size = codes.SIZES[letter]
    found = Info(size, size, 0, {"<": "<", ">": ">"}[order] + letter)
    found.code, found.proto = letter, letter
    found.get, found.set = codes.reader_and_writer(letter, order)
    found.plain = cls.__base__ is Simple
    if letter in "PzZ":
        found.flags = data.IS_POINTER
    elif letter == "O":
        found.flags = data.HAS_POINTER
    type.__setattr__(cls, INFO, found)


def _add_swapped(cls, letter, names):
    names = {name: value for name, value in names.items() if name not in ("__dict__", "__weakref__", "__classcell__")}
    other = type.__new__(Meta, f"{cls.__name__}_be", cls.__bases__, names)
    _describe(other, letter, ">")
    info_of(other).swapped = True
    for kind in (cls, other):
        type.__setattr__(kind, "__ctype_le__", cls)
        type.__setattr__(kind, "__ctype_be__", other)


def _from_bytes(cls, value):
    if value is None or isinstance(value, bytes):
        return None if value is None else _string(value)
    if isinstance(value, cls):
        return value
    if _points_to(value, "c"):
        return value
    return _other(cls, value, f"'{type(value).__name__}' object cannot be interpreted as ctypes.c_char_p")


def _from_string(cls, value):
    if value is None or isinstance(value, str):
        return None if value is None else _wide_string(value)
    if isinstance(value, cls):
        return value
    if _points_to(value, "u"):
        return value
    return _other(cls, value, f"'{type(value).__name__}' object cannot be interpreted as ctypes.c_wchar_p")


def _from_pointer(cls, value):
    from .functions import Function
    if value is None or isinstance(value, cls):
        return value
    if isinstance(value, int):
        return Argument("P", value & 0xffffffff, None)
    if isinstance(value, bytes):
        return _string(value)
    if isinstance(value, str):
        return _wide_string(value)
    found = info_of(type(value))
    if type(value) is Argument and value._code == "P":
        return value
    if isinstance(value, Function):
        return Argument("P", int.from_bytes(value._view_, "little"), value)
    if found is not None:
        from .arrays import Array
        from .pointers import Pointer
        if isinstance(value, (Array, Pointer)):
            return value
        if found.code in ("z", "Z"):
            return Argument("Z", int.from_bytes(value._view_, "little"), value)
    return _other(cls, value, f"'{type(value).__name__}' object cannot be interpreted as ctypes.c_void_p")


def _string(value):
    place = memoryview(bytearray(4))
    codes.reader_and_writer("z")[1](place, 0, value)
    return Argument("z", int.from_bytes(place, "little"), value)


def _wide_string(value):
    place = memoryview(bytearray(4))
    kept = codes.reader_and_writer("Z")[1](place, 0, value)
    return Argument("Z", int.from_bytes(place, "little"), kept)


def _points_to(value, letter):
    """Whether it is an array of or a pointer to these characters, or an argument that is."""
    from .arrays import Array
    from .pointers import Pointer
    if type(value) is Argument:
        value = value._obj
        found = info_of(type(value))
        return found is not None and (found.code == letter or _points_to(value, letter))
    found = info_of(type(value))
    if isinstance(value, (Array, Pointer)) and found is not None and found.proto is not None:
        inner = info_of(found.proto)
        return inner is not None and inner.code == letter
    return False


def _other(cls, value, message):
    other = as_parameter(value)
    if other is None:
        raise TypeError(message)
    return cls.from_param(other)


class Simple(Data, metaclass=Meta):
    """One number, character or address of C."""

    __slots__ = ()
    _abstract_ = True

    def __init__(self, *value):
        if value:
            self.value, = value

    @property
    def value(self):
        """current value"""
        return info_of(type(self)).get(self._view_, 0)

    @value.setter
    def value(self, value):
        data.keep(self, 0, info_of(type(self)).set(self._view_, 0, value))

    @value.deleter
    def value(self):
        raise TypeError("can't delete attribute")

    def __bool__(self):
        return any(self._view_)

    def __repr__(self):
        if type(self).__base__ is not Simple:
            return f"<{type(self).__name__} object at {id(self):#x}>"
        return f"{type(self).__name__}({self.value!r})"

    def __ctypes_from_outparam__(self, /):
        """default __ctypes_from_outparam__ method returns self."""
        return self.value if info_of(type(self)).plain else self


type.__delattr__(Simple, "_abstract_")
