"""Pointers to data of a type."""

from . import arrays, data, memory
from .data import INFO, Argument, Data, Info, as_parameter, info_of

#: The size of an address.
SIZE = 4


class Meta(data.Meta):
    """metatype for the Pointer Objects"""

    def _describe(cls, names):
        found = Info(SIZE, SIZE, 1, "&B")
        found.flags = data.IS_POINTER
        type.__setattr__(cls, INFO, found)
        kind = names.get("_type_")
        if kind is not None:
            _point(cls, found, kind)
            if info_of(kind).pointer is None:
                info_of(kind).pointer = cls

    def set_type(cls, type, /):
        """Sets what the type points to."""
        _point(cls, info_of(cls), type)
        super(Meta, cls).__setattr__("_type_", type)
        if info_of(type).pointer is None:
            info_of(type).pointer = cls

    def from_param(cls, value, /):
        """Convert a Python object into a function call parameter."""
        kind = data.known(cls).proto
        if kind is None:
            raise TypeError("abstract class")
        if value is None:
            return None
        if isinstance(value, kind):
            return data.byref(value)
        found = info_of(type(value))
        if isinstance(value, (Pointer, arrays.Array)) and found.proto is not None and issubclass(found.proto, kind):
            return value
        if type(value) is Argument and isinstance(value._obj, kind):
            return value
        return super().from_param(value)


def _point(cls, found, kind):
    if info_of(kind) is None:
        raise TypeError("_type_ must have storage info")
    inner = info_of(kind)
    found.proto = kind
    found.format = "&" + (f"({','.join(map(str, inner.shape))})" if inner.shape else "") + (inner.format or "B")


class Pointer(Data, metaclass=Meta):
    """A pointer to data of one type."""

    __slots__ = ()
    _abstract_ = True

    def __new__(cls, *arguments, **options):
        if data.known(cls).proto is None:
            raise TypeError("Cannot create instance: has no _type_")
        return super().__new__(cls)

    def __init__(self, value=None, /):
        if value is not None:
            self.contents = value

    def _target(self):
        place = int.from_bytes(self._view_, "little")
        if not place:
            raise ValueError("NULL pointer access")
        return place

    @property
    def contents(self):
        """the object this pointer points to (read-write)"""
        place, kind = self._target(), info_of(type(self)).proto
        info_of(kind).final = True
        # With this as its base, what it refers to is kept here.
        made = data.instance(kind, memory.view(place, info_of(kind).size), self, 0, place)
        return made

    @contents.setter
    def contents(self, value):
        kind = info_of(type(self)).proto
        if not isinstance(value, Data):
            raise TypeError(f"expected {kind.__name__} instead of {type(value).__name__}")
        self._view_[:] = data.address(value).to_bytes(SIZE, "little")
        # The target itself, so that it stays where it is, and what it refers to.
        data.keep(self, 1, value)
        data.keep(self, 0, data.kept(value))

    @contents.deleter
    def contents(self):
        raise TypeError("Pointer does not support item deletion")

    def __bool__(self):
        return any(self._view_)

    def __getitem__(self, key):
        kind = info_of(type(self)).proto
        size = info_of(kind).size
        if isinstance(key, slice):
            places = _places(key)
            low, high = (min(places), max(places)) if places else (0, -1)
            view = memory.view(self._target() + low * size, (high - low + 1) * size) if places else memoryview(b"")
            return arrays.items(kind, view, range(places.start - low, places.stop - low, places.step) if places else places,
                                lambda place: self[place + low])
        place = self._place(key, size)
        found = info_of(kind)
        if found.get is not None and found.plain:
            return found.get(memory.view(place, size), 0)
        found.final = True
        return data.instance(kind, memory.view(place, size), self, _number(key), place)

    def __setitem__(self, key, value):
        kind = info_of(type(self)).proto
        size = info_of(kind).size
        place = self._place(key, size)
        target = data.instance(kind, memory.view(place, size), self, _number(key), place)
        data.keep(self, _number(key), data._put(kind, target, value, 0, size))

    def __delitem__(self, key):
        raise TypeError("Pointer does not support item deletion")

    def _place(self, key, size):
        place = self._target()
        return place + _number(key) * size & 0xffffffff


def _number(key):
    if not hasattr(key, "__index__"):
        raise TypeError("Pointer indices must be integer")
    return key.__index__()


def _places(key):
    """The indices of a slice of a pointer, which has no end of its own."""
    step = 1 if key.step is None else key.step.__index__()
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if key.start is None:
        if step < 0:
            raise ValueError("slice start is required for step < 0")
        start = 0
    else:
        start = key.start.__index__()
    if key.stop is None:
        raise ValueError("slice stop is required")
    return range(start, key.stop.__index__(), step)


type.__delattr__(Pointer, "_abstract_")
#: Types that do not exist yet, by name.
cache = {}


def POINTER(type, /):
    """Create and return a new ctypes pointer type."""
    import ctypes
    return ctypes.POINTER(type)


def pointer(obj, /):
    """Create a new pointer instance, pointing to 'obj'."""
    import ctypes
    return ctypes.pointer(obj)
