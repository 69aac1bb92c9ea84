"""Structures and unions. Their layout is computed by CPython's own `ctypes._layout`."""

from . import data
from .data import INFO, Data, Info, info_of


class _Meta(data.Meta):
    """What both have in common."""

    def _describe(cls, names):
        inherited = info_of(cls.__base__)
        if inherited is None:
            found = Info(form="B")
            found.length = 0
        else:
            inherited.final = True
            found = inherited.copy()
        type.__setattr__(cls, INFO, found)
        if "_fields_" in names:
            cls._fields_ = names["_fields_"]

    def __setattr__(cls, name, value):
        if name == "_fields_":
            _lay_out(cls, value)
            type.__setattr__(cls, name, value)
            return
        type.__setattr__(cls, name, value)

    def __delattr__(cls, name):
        if name == "_fields_":
            raise AttributeError("_fields_")
        type.__delattr__(cls, name)


class StructMeta(_Meta):
    """metatype for the CData Objects"""


class UnionMeta(_Meta):
    """metatype for the Union Objects"""


def _lay_out(cls, fields):
    found = info_of(cls)
    if found is None:
        raise TypeError("ctypes state is not initialized")
    if found.final:
        raise AttributeError("_fields_ is final")
    base = cls.__base__ if info_of(cls.__base__) is not None else None
    if not isinstance(fields, (list, tuple)) and not hasattr(fields, "__getitem__"):
        raise TypeError("_fields_ must be a sequence of pairs")
    from ctypes._layout import get_layout
    layout = get_layout(cls, fields, isinstance(cls, StructMeta), base)
    made = list(layout.fields)
    inherited = info_of(base).length if base is not None else 0
    found.flags = info_of(base).flags if base is not None else 0
    for number, field in enumerate(made):
        inner = info_of(field.type)
        inner.final = True
        field._index = inherited + number
        if inner.flags & (data.IS_POINTER | data.HAS_POINTER):
            found.flags |= data.HAS_POINTER
        type.__setattr__(cls, field.name, field)
    if found.final:
        raise AttributeError("Structure or union cannot contain itself")
    found.size, found.align, found.format = layout.size, layout.align, layout.format_spec
    found.length = inherited + len(made)
    found.final = True
    _add_anonymous(cls)


def _add_anonymous(cls):
    names = getattr(cls, "_anonymous_", None)
    if names is None:
        return
    if not isinstance(names, (list, tuple)):
        names = list(names) if hasattr(names, "__iter__") else _not_a_sequence()
    for name in names:
        field = getattr(cls, name)
        if not hasattr(field, "is_anonymous"):
            raise AttributeError(f"'{name}' is specified in _anonymous_ but not in _fields_")
        field.is_anonymous = True
        for inner_name in _names(field.type):
            inner = getattr(field.type, inner_name)
            if hasattr(inner, "moved"):
                type.__setattr__(cls, inner_name, inner.moved(field.byte_offset, field._index))


def _not_a_sequence():
    raise TypeError("_anonymous_ must be a sequence")


def _names(kind):
    """The names of a type's fields, with those of anonymous ones."""
    anonymous = tuple(getattr(kind, "_anonymous_", ()))
    found = [entry[0] for entry in getattr(kind, "_fields_", ()) if entry[0] not in anonymous]
    for name in anonymous:
        found.extend(_names(getattr(kind, name).type))
    return found


def _all_fields(cls):
    """The names in the order of initializers: those of the base first."""
    chain = []
    while info_of(cls) is not None:
        chain.append(cls.__dict__.get("_fields_", ()))
        cls = cls.__base__
    return [entry[0] for fields in reversed(chain) for entry in fields]


def _initialize(self, *values, **named):
    if values:
        names = _all_fields(type(self))
        if len(values) > len(names):
            raise TypeError("too many initializers")
        for name, value in zip(names, values):
            if name in named:
                raise TypeError(f"duplicate values for field {name!r}")
            setattr(self, name, value)
    for name, value in named.items():
        setattr(self, name, value)


class Structure(Data, metaclass=StructMeta):
    """Structure base class"""

    __slots__ = ()
    _abstract_ = 0
    __init__ = _initialize


class Union(Data, metaclass=UnionMeta):
    """Union base class"""

    __slots__ = ()
    _abstract_ = 0
    __init__ = _initialize
