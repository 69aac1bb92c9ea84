"""What all C data types have in common."""

import sys

from . import memory

IS_POINTER, HAS_POINTER = 0x100, 0x200


class Info:
    """What is known of a type."""

    __slots__ = ("size", "align", "length", "format", "shape", "proto", "get", "set", "code", "flags", "final", "pointer",
                 "swapped", "plain")

    def __init__(self, size=0, align=1, length=0, form="B", proto=None):
        self.size, self.align, self.length, self.format, self.proto = size, align, length, form, proto
        self.get = self.set = self.code = self.pointer = None
        self.shape, self.flags, self.final, self.swapped, self.plain = (), 0, False, False, False

    def copy(self):
        """The same for a subclass."""
        new = Info()
        for name in Info.__slots__:
            setattr(new, name, getattr(self, name))
        new.pointer, new.final = None, False
        return new


#: The attribute of a class that has its `Info`.
INFO = "__ctypes_info__"


def info_of(kind):
    """The `Info` of a type, or None."""
    return kind.__dict__.get(INFO) if isinstance(kind, Meta) else None


def known(kind):
    """The `Info` of a type that can have instances."""
    found = info_of(kind)
    if found is None:
        raise TypeError("abstract class")
    return found


class Meta(type):
    """The type of all C data types."""

    def __init__(cls, name, bases, names, **options):
        if INFO in cls.__dict__:
            raise SystemError(f"class {cls.__name__!r} is already initialized")
        type.__init__(cls, name, bases, names)
        # The classes that only have subclasses.
        if "_abstract_" not in names:
            cls._describe(names)

    def _describe(cls, names):
        """Computes the type's `Info`."""

    @property
    def __pointer_type__(cls):
        found = info_of(cls)
        if found is None or found.pointer is None:
            raise AttributeError(f"type {cls!r} has no attribute '__pointer_type__'")
        return found.pointer

    @__pointer_type__.setter
    def __pointer_type__(cls, value):
        found = info_of(cls)
        if found is None:
            raise TypeError("abstract class")
        found.pointer = value

    @__pointer_type__.deleter
    def __pointer_type__(cls):
        known(cls).pointer = None

    def __mul__(cls, length):
        return array_of(cls, length)

    __rmul__ = __mul__

    def from_address(cls, value, /):
        """C.from_address(integer) -> C instance"""
        if not isinstance(value, int):
            raise TypeError("integer expected")
        size = known(cls).size
        return instance(cls, memory.view(value & 0xffffffff, size), address=value & 0xffffffff)

    def from_buffer(cls, obj, offset=0, /):
        """C.from_buffer(object, offset=0, /) -> C instance"""
        size = known(cls).size
        seen = memoryview(obj)
        if seen.readonly:
            raise TypeError("underlying buffer is not writable")
        data = _piece(seen, offset, size)
        made = instance(cls, data)
        keep(made, -1, seen)
        return made

    def from_buffer_copy(cls, obj, offset=0, /):
        """C.from_buffer_copy(object, offset=0, /) -> C instance"""
        size = known(cls).size
        data = _piece(memoryview(obj), offset, size)
        made = cls.__new__(cls)
        made._view_[:] = data
        return made

    def in_dll(cls, library, name, /):
        """C.in_dll(dll, name) -> C instance"""
        known(cls)
        from .functions import no_symbol
        raise no_symbol(library, name, ValueError)

    def from_param(cls, value, /):
        """Convert a Python object into a function call parameter."""
        known(cls)
        if isinstance(value, cls):
            return value
        if type(value) is Argument:
            if isinstance(value._obj, cls):
                return value
            raise TypeError(f"expected {cls.__name__} instance instead of pointer to {type(value._obj).__name__}")
        other = as_parameter(value)
        if other is not None:
            return cls.from_param(other)
        raise TypeError(f"expected {cls.__name__} instance instead of {type(value).__name__}")



def _piece(seen, offset, size):
    if not seen.c_contiguous:
        raise TypeError("underlying buffer is not C contiguous")
    if offset < 0:
        raise ValueError("offset cannot be negative")
    if size > seen.nbytes - offset:
        raise ValueError(f"Buffer size too small ({seen.nbytes} instead of at least {size + offset} bytes)")
    return seen.cast("B")[offset:offset + size] if seen.nbytes else seen


def as_parameter(value):
    """What an object wants to be converted as."""
    return getattr(value, "_as_parameter_", None)


class Argument:
    """A converted argument of a function."""

    __slots__ = ("_code", "_value", "_obj")

    def __init__(self, code, value, obj):
        self._code, self._value, self._obj = code, value, obj

    def __repr__(self):
        if self._code in "bBhHiIlLqQdf":
            return f"<cparam '{self._code}' ({self._value})>"
        if self._code == "c":
            shown = bytes([self._value])
            return f"<cparam 'c' ({repr(shown)[1:]})>"
        if self._code in "zZP":
            return f"<cparam '{self._code}' ({pointer_text(self._value)})>"
        return f"<cparam '{self._code}' at {id(self):#x}>"


def pointer_text(address):
    """An address as C's `%p` shows it."""
    return f"{address:#x}" if address else "(nil)"


class Data(metaclass=Meta):
    """Some bytes of memory that are of a C type."""

    __slots__ = ("_view_", "_b_base_", "_index_", "_kept_", "_address_", "__weakref__")

    def __new__(cls, *arguments, **options):
        found = known(cls)
        found.final = True
        return instance(cls, memoryview(bytearray(found.size)))

    @property
    def _objects(self):
        """internal objects tree (NEVER CHANGE THIS OBJECT!)"""
        return self._kept_

    @property
    def _b_needsfree_(self):
        """whether the object owns the memory or not"""
        return int(self._b_base_ is None and self._address_ is None)

    def __hash__(self):
        raise TypeError("unhashable type")

    def __buffer__(self, flags):
        found = info_of(type(self))
        data = self._view_
        if len(data) != found.size:
            data = data[:found.size]
        # An own view, so that the object's is not released with it.
        return memory.described(data, found.format, _item_size(found), found.shape)

    def __reduce__(self):
        found = info_of(type(self))
        if found.flags & (IS_POINTER | HAS_POINTER):
            raise ValueError("ctypes objects containing pointers cannot be pickled")
        return sys.modules["_ctypes"]._unpickle, (type(self), (getattr(self, "__dict__", {}), bytes(self._view_)))

    def __setstate__(self, names, data, /):
        size = min(len(data), len(self._view_))
        self._view_[:size] = data[:size]
        own = getattr(self, "__dict__", {})
        if not isinstance(own, dict):
            raise TypeError(f"{type(self).__name__}.__dict__ must be a dictionary, not {type(own).__name__}")
        own.update(names)

    def __ctypes_from_outparam__(self, /):
        """default __ctypes_from_outparam__ method returns self."""
        return self


def _item_size(found):
    while found.shape:
        found = info_of(found.proto)
    return found.size


def instance(cls, data, base=None, index=0, address=None):
    """An object of this type over a view."""
    made = object.__new__(cls)
    made._view_, made._b_base_, made._index_, made._kept_, made._address_ = data, base, index, None, address
    return made


def part(cls, base, index, offset, size):
    """An object of this type that is a part of another."""
    info_of(cls).final = True
    return instance(cls, base._view_[offset:offset + size], base, index)


def address(thing):
    """Where the bytes of an object are."""
    return memory.address_of(thing._view_)


def container(thing):
    """The object that has what this one and its parts refer to."""
    while thing._b_base_ is not None:
        thing = thing._b_base_
    if thing._kept_ is None and info_of(type(thing)).length:
        thing._kept_ = {}
    return thing


def kept(thing):
    """What an object refers to."""
    return container(thing)._kept_


def keep(target, index, value):
    """Makes an object live as long as the one that points to it."""
    if value is None:
        return
    holder = container(target)
    if not isinstance(holder._kept_, dict):
        if index != -1:
            holder._kept_ = value
            return
        holder._kept_ = {}
    key = f"{index & 0xffffffff:x}"
    while target._b_base_ is not None:
        key += f":{target._index_:x}"
        target = target._b_base_
    holder._kept_[key] = value


def get(kind, base, index, offset, size):
    """The value of a part of an object: a Python value for the basic types."""
    found = info_of(kind)
    if found.get is not None and found.plain:
        return found.get(base._view_, offset)
    return part(kind, base, index, offset, size)


def put(kind, target, index, value, offset, size):
    """Sets a part of an object."""
    keep(target, index, _put(kind, target, value, offset, size))


def _put(kind, target, value, offset, size):
    found = info_of(kind)
    if not isinstance(value, Data):
        if found.set is not None:
            return found.set(target._view_, offset, value)
        if isinstance(value, tuple):
            try:
                made = kind(*value)
            except Exception as error:
                raise RuntimeError(f"({kind.__name__}) {type(error).__name__}: {error}") from None
            return _put(kind, target, made, offset, size)
        if found.flags & IS_POINTER and value is None:
            target._view_[offset:offset + 4] = bytes(4)
            return None
        raise TypeError(f"expected {kind.__name__} instance, got {type(value).__name__}")
    if isinstance(value, kind):
        target._view_[offset:offset + size] = bytes(value._view_[:size])
        return kept(value)
    other = info_of(type(value))
    if found.flags & IS_POINTER and other.shape and found.proto is not None and found.code is None:
        if other.proto is not found.proto:
            raise TypeError(f"incompatible types, {type(value).__name__} instance instead of {kind.__name__} instance")
        target._view_[offset:offset + 4] = address(value).to_bytes(4, "little")
        return kept(value), value
    raise TypeError(f"incompatible types, {type(value).__name__} instance instead of {kind.__name__} instance")


_arrays = {}


def array_of(kind, length):
    """The type of arrays of this type."""
    if not hasattr(length, "__index__"):
        raise TypeError(f"can't multiply sequence by non-int of type {type(length).__name__!r}")
    length = length.__index__()
    if length < 0:
        raise ValueError(f"Array length must be >= 0, not {length}")
    if length > sys.maxsize:
        raise OverflowError("cannot fit 'int' into an index-sized integer")
    key = kind, length
    if key not in _arrays:
        from .arrays import Array
        _arrays[key] = type(Array)(f"{kind.__name__}_Array_{length}", (Array,), {"_length_": length, "_type_": kind})
    return _arrays[key]


def _described(thing):
    found = info_of(thing) if isinstance(thing, type) else info_of(type(thing))
    if found is None:
        raise TypeError("this type has no size")
    return found


def sizeof(obj, /):
    """Return the size in bytes of a C instance."""
    if isinstance(obj, Data):
        return len(obj._view_)
    return _described(obj).size


def alignment(obj, /):
    """Return the alignment requirements of a C instance."""
    try:
        return _described(obj).align
    except TypeError:
        raise TypeError("no alignment info") from None


def buffer_info(o, /):
    """Return buffer interface information"""
    try:
        found = _described(o)
    except TypeError:
        raise TypeError("not a ctypes type or object") from None
    return found.format, len(found.shape), found.shape


def addressof(obj, /):
    """Return the address of the C instance internal buffer"""
    if not isinstance(obj, Data):
        raise TypeError("invalid type")
    sys.audit("ctypes.addressof", obj)
    return address(obj)


def byref(obj, offset=0, /):
    """Return a pointer lookalike to a C instance, only usable as function argument."""
    if not isinstance(obj, Data):
        raise TypeError(f"byref() argument must be a ctypes instance, not {type(obj).__name__!r}")
    return Argument("P", address(obj) + offset, obj)


def resize(obj, size, /):
    """Resize the memory of a C instance."""
    found = info_of(type(obj)) if isinstance(obj, Data) else None
    if found is None:
        raise TypeError("excepted ctypes instance")
    if size < found.size:
        raise ValueError(f"minimum size is {found.size}")
    if not obj._b_needsfree_:
        raise ValueError("Memory cannot be resized because this object doesn't own it")
    old = bytes(obj._view_)[:size]
    grown = bytearray(size)
    grown[:len(old)] = old
    obj._view_ = memoryview(grown)


def _unpickle(kind, state, /):
    """Creates an object again."""
    made = kind.__new__(kind)
    made.__setstate__(*state)
    return made
