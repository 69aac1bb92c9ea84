"""Functions: those of Python that C could call, those of `ctypes` itself, and errors for all others."""

import sys

from . import data, memory
from .data import INFO, Argument, Data, Info, as_parameter, info_of

WHY = "this system cannot call foreign functions: WebAssembly programs have no shared libraries"


class ArgumentError(Exception):
    """A parameter has the wrong type."""


def dlopen(name, flag=0, /):
    """Open a shared library."""
    sys.audit("ctypes.dlopen", name)
    if name is None:
        # The interpreter's own library: its functions can be named.
        return _OWN
    if isinstance(name, bytes):
        name = name.decode("utf-8", "surrogateescape")
    if not isinstance(name, str):
        raise TypeError(f"expected str, bytes or os.PathLike object, not {type(name).__name__}")
    if "\0" in name:
        raise ValueError("embedded null character")
    raise OSError(f"{name}: cannot open shared object file: {WHY}")


def dlclose(handle, /):
    """dlclose a library"""


def dlsym(handle, name, /):
    """find symbol in shared library"""
    sys.audit("ctypes.dlsym/handle", handle, name)
    raise OSError(f"undefined symbol: {name}: {WHY}")


def no_symbol(library, name, kind):
    """The error for a name in a library."""
    if not isinstance(name, str):
        return TypeError(f"must be str, not {type(name).__name__}")
    if "\0" in name:
        return ValueError("embedded null character")
    return kind(f"undefined symbol: {name}: {WHY}")


_OWN = 1
#: Programs look these up to find out whether the system has GNU's C library.
_OF_GLIBC = {"gnu_get_libc_version", "gnu_get_libc_release"}


def get_errno():
    """The error number of foreign functions in this thread."""
    return _errno[0]


def set_errno(value, /):
    """Sets it; returns the old one."""
    old, _errno[0] = _errno[0], _c_int(value)
    return old


_errno = [0]


def _c_int(value):
    if not isinstance(value, int):
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
    return (int(value) + (1 << 31)) % (1 << 32) - (1 << 31)


def call_function(function, arguments, /):
    """Calls the function at an address."""
    return _special(function)(*(as_number(argument) for argument in arguments))


call_cdeclfunction = call_function



def PyObj_FromPtr(address, /):
    """The object at an address."""
    sys.audit("ctypes.PyObj_FromPtr", address)
    return memory.thing(address & 0xffffffff)


def Py_INCREF(obj, /):
    """Counts a reference that nobody has."""
    _count(obj, 1)
    return obj


def Py_DECREF(obj, /):
    """Forgets a reference."""
    _count(obj, -1)
    return obj


def _count(obj, change):
    count = memory.word(id(obj))
    # Immortal objects have so many references that the upper bits are set.
    if count < 1 << 29:
        memory.set_word(id(obj), count + change)


def _memmove(target, source, count):
    if count:
        memory.view(target, count)[:] = bytes(memory.view(source, count))
    return target


def _memset(target, byte, count):
    if count:
        memory.view(target, count)[:] = bytes([byte & 0xff]) * count
    return target


def _string_at(address, size=-1):
    sys.audit("ctypes.string_at", address, size)
    return memory.string(address, size)


def _wstring_at(address, size=-1):
    sys.audit("ctypes.wstring_at", address, size)
    return memory.wide_string(address, size)


def _memoryview_at(address, size, readonly):
    sys.audit("ctypes.memoryview_at", address, size, readonly)
    if size < 0:
        raise ValueError("memoryview_at: size is negative (or overflowed)")
    view = memory.view(address, size)
    return view.toreadonly() if readonly else view


def _cast(address, source, kind):
    """An object of a pointer's type that has this address."""
    from .pointers import Pointer
    found = info_of(kind)
    if found is None or not (issubclass(kind, (Pointer, Function)) or found.code in ("s", "P", "z", "U", "Z", "X", "O")):
        raise TypeError("cast() argument 2 must be a pointer type, not " + getattr(kind, "__name__", type(kind).__name__))
    made = kind()
    # Both refer to the same things from now on.
    if isinstance(source, Data):
        holder = data.container(source)
        if holder._kept_ is None:
            holder._kept_ = {}
        made._kept_ = holder._kept_
        if isinstance(made._kept_, dict):
            made._kept_[id(source)] = source
    made._view_[:] = address.to_bytes(4, "little")
    return made


#: Places outside of any memory that a program has, for `ctypes` to call: (function, indices of arguments that are
#: Python objects, whether the result is one).
_FUNCTIONS = {
    "_memmove_addr": (_memmove, (), False), "_memset_addr": (_memset, (), False),
    "_string_at_addr": (_string_at, (), True), "_cast_addr": (_cast, (1, 2), True),
    "_wstring_at_addr": (_wstring_at, (), True), "_memoryview_at_addr": (_memoryview_at, (), True),
}
ADDRESSES = {name: 0xfffffff0 + number for number, name in enumerate(_FUNCTIONS)}
_BY_ADDRESS = {ADDRESSES[name]: entry for name, entry in _FUNCTIONS.items()}


def _special(address):
    if address not in _BY_ADDRESS:
        raise OSError(38, f"Function not implemented: {WHY}")
    return _BY_ADDRESS[address][0]


def as_number(argument):
    """What C gets for an argument without a type."""
    if argument is None:
        return 0
    if type(argument) is Argument:
        return argument._value
    if isinstance(argument, Data):
        return _passed(argument)
    if isinstance(argument, int):
        return int(argument) & 0xffffffff
    if isinstance(argument, bytes):
        return memory.address_of(memoryview(argument))
    if isinstance(argument, str):
        from .simple import _wide_string
        return _wide_string(argument)._value
    other = as_parameter(argument)
    if other is not None:
        return as_number(other)
    raise TypeError("Don't know how to convert parameter")


def _passed(thing):
    from .arrays import Array
    found = info_of(type(thing))
    if isinstance(thing, Array):
        return data.address(thing)
    if found.flags & data.IS_POINTER or found.code == "O":
        return int.from_bytes(thing._view_, "little")
    if found.get is not None:
        return found.get(thing._view_, 0)
    return thing


class Meta(data.Meta):
    """metatype for C function pointers"""

    def _describe(cls, names):
        found = Info(4, 4, 0, "X{}")
        found.flags = data.IS_POINTER
        type.__setattr__(cls, INFO, found)
        flags = getattr(cls, "_flags_", None)
        if not isinstance(flags, int):
            raise TypeError("class must define _flags_ which must be an integer")
        arguments = getattr(cls, "_argtypes_", None)
        if arguments is not None:
            _check_arguments(arguments, "_argtypes_")
        result = getattr(cls, "_restype_", None)
        if result is not None and info_of(result) is None and not callable(result):
            raise TypeError("_restype_ must be a type, a callable, or None")


def _check_arguments(arguments, name):
    if not isinstance(arguments, (tuple, list)):
        raise TypeError(f"{name} must be a sequence of types")
    for number, kind in enumerate(arguments, 1):
        if not hasattr(kind, "from_param"):
            raise TypeError(f"item {number} in {name} has no from_param method")


_DEFAULT = object()
MOST_ARGUMENTS = 1024


class Function(Data, metaclass=Meta):
    """Function Pointer"""

    __slots__ = ("__dict__",)
    _callable = _errcheck = _name = None
    _argtypes = _restype = _DEFAULT
    _abstract_ = True

    def __new__(cls, *arguments, **options):
        if getattr(cls, "_flags_", None) is None:
            raise TypeError("cannot construct instance of this class: no argtypes slot" if cls is not Function
                            else "abstract class")
        made = super().__new__(cls)
        if not arguments:
            return made
        first = arguments[0]
        if isinstance(first, tuple):
            made._find(*first)
        elif isinstance(first, int):
            made._view_[:] = (int(first) & 0xffffffff).to_bytes(4, "little")
        elif callable(first):
            result = made.restype
            if result is not None and (info_of(result) is None or info_of(result).set is None):
                raise TypeError("invalid result type for callback function")
            made._callable = first
            # Its own address is one that C cannot call.
            made._view_[:] = id(first).to_bytes(4, "little")
            made._kept_ = {"0": first}
            if getattr(cls, "_argtypes_", None) is None:
                raise TypeError("cannot construct instance of this class: no argtypes slot")
        else:
            raise TypeError("argument must be callable or integer function address")
        return made

    def __init__(self, *arguments, **options):
        pass

    def _find(self, name, library, *more):
        if isinstance(name, int):
            raise no_symbol(library, str(name), AttributeError)
        if isinstance(name, str) and name in _OF_GLIBC:
            raise no_symbol(library, name, AttributeError)
        handle = getattr(library, "_handle", None)
        if not isinstance(handle, int):
            raise TypeError("the _handle attribute of the second argument must be an integer")
        if not isinstance(name, (str, bytes)):
            raise TypeError("function name must be string, bytes object or integer")
        if "\0" in (name if isinstance(name, str) else name.decode("latin-1")):
            raise ValueError("embedded null character")
        self._name = name
        self._kept_ = {"0": library}

    @property
    def argtypes(self):
        """specify the argument types"""
        return getattr(type(self), "_argtypes_", None) if self._argtypes is _DEFAULT else self._argtypes

    @argtypes.setter
    def argtypes(self, kinds):
        if kinds is not None:
            _check_arguments(kinds, "_argtypes_")
        self._argtypes = kinds

    @argtypes.deleter
    def argtypes(self):
        self._argtypes = _DEFAULT

    @property
    def restype(self):
        """specify the result type"""
        return getattr(type(self), "_restype_", None) if self._restype is _DEFAULT else self._restype

    @restype.setter
    def restype(self, kind):
        if kind is not None and info_of(kind) is None and not callable(kind):
            raise TypeError("restype must be a type, a callable, or None")
        self._restype = kind

    @restype.deleter
    def restype(self):
        self._restype = _DEFAULT

    @property
    def errcheck(self):
        """a function to check for errors"""
        return self._errcheck

    @errcheck.setter
    def errcheck(self, function):
        if not callable(function):
            raise TypeError("the errcheck attribute must be callable")
        self._errcheck = function

    @errcheck.deleter
    def errcheck(self):
        self._errcheck = None

    def __bool__(self):
        return any(self._view_) or self._name is not None

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __call__(self, *arguments, **options):
        place = int.from_bytes(self._view_, "little")
        if self._callable is None and place not in _BY_ADDRESS:
            name = f"{self._name}: " if isinstance(self._name, str) else ""
            if not place and not name:
                raise ValueError("NULL function pointer") from None
            raise OSError(38, f"Function not implemented: {name}{WHY}")
        kinds = self.argtypes
        if len(arguments) > MOST_ARGUMENTS:
            raise ArgumentError(f"too many arguments ({len(arguments)}), maximum is {MOST_ARGUMENTS}")
        if kinds is not None and len(arguments) < len(kinds):
            raise TypeError(f"this function takes at least {len(kinds)} argument{'s'[:len(kinds) != 1]} "
                            f"({len(arguments)} given)")
        converted = [_converted(kinds[at] if kinds and at < len(kinds) else None, argument, at + 1)
                     for at, argument in enumerate(arguments)]
        if self._callable is not None:
            result = _call_back(self._callable, kinds or (), converted, self.restype)
        else:
            function, objects, gives_object = _BY_ADDRESS[place]
            numbers = [argument._obj if at in objects and type(argument) is Argument else as_number(argument)
                       for at, argument in enumerate(converted)]
            result = function(*numbers)
            if not gives_object:
                result = _result(self.restype, result)
        if self._errcheck is not None:
            return self._errcheck(result, self, arguments)
        return result


def _converted(kind, argument, number):
    try:
        return argument if kind is None else kind.from_param(argument)
    except Exception as error:
        raise ArgumentError(f"argument {number}: {type(error).__name__}: {error}") from None


def _call_back(function, kinds, arguments, result):
    values = [_seen(kind, argument) for kind, argument in zip(kinds, arguments)]
    place = None if result is None else result.__new__(result)
    what = "calling"
    try:
        found = function(*values)
        what = "converting result of"
        if place is not None:
            data.put(result, place, 0, found, 0, info_of(result).size)
    except Exception as error:
        sys.unraisablehook(_Unraisable(error, f"Exception ignored while {what} ctypes callback function {function!r}"))
    return None if place is None else _value(place)


class _Unraisable:
    """What a hook for exceptions that nobody catches gets."""

    def __init__(self, error, message):
        self.exc_type, self.exc_value, self.exc_traceback = type(error), error, error.__traceback__
        self.err_msg, self.object = message, None


def _seen(kind, argument):
    """What a Python function gets for an argument."""
    found = info_of(kind)
    place = kind.__new__(kind)
    if isinstance(argument, kind):
        place._view_[:] = bytes(argument._view_[:found.size])
        place._kept_ = argument._kept_
    elif found.code in ("f", "d", "g"):
        found.set(place._view_, 0, argument._value)
    elif found.flags & data.IS_POINTER or found.code == "O":
        place._view_[:] = as_number(argument).to_bytes(4, "little")
    else:
        place._view_[:] = (argument._value & (1 << 8 * found.size) - 1).to_bytes(found.size, "little")
    place._kept_ = place._kept_ or (argument if isinstance(argument, Argument) else None)
    return _value(place)


def _value(place):
    found = info_of(type(place))
    return found.get(place._view_, 0) if found.get is not None and found.plain else place


def _result(kind, number):
    """The result of a function that returns this."""
    if kind is None:
        return None
    if info_of(kind) is None:
        return kind(_c_int(number))
    place = kind.__new__(kind)
    place._view_[:] = (number & (1 << 8 * len(place._view_)) - 1).to_bytes(len(place._view_), "little")
    checked = getattr(kind, "_check_retval_", None)
    return checked(_value(place)) if checked is not None else _value(place)


type.__delattr__(Function, "_abstract_")
FUNCTIONS = (dlopen, dlclose, dlsym, get_errno, set_errno, call_function, call_cdeclfunction, PyObj_FromPtr, Py_INCREF, Py_DECREF)
