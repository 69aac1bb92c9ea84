"""Replaces C functions with Python functions."""

import sys
import types


class builtin_function_or_method(staticmethod):
    """A Python function that stands for a C function: it looks like one, is pickled and copied like one, and a class body that
    keeps it does not make a method of it.
    """

    def __repr__(self):
        return f"<built-in function {self.__qualname__}>"

    def __reduce__(self):
        return self.__qualname__

    def __reduce_ex__(self, protocol):
        return self.__qualname__

    @property
    def __class__(self):
        return types.BuiltinFunctionType

    @property
    def __self__(self):
        return sys.modules[self.__module__]


def put(module, name, function):
    """Makes `function` the `name` of a C module."""
    if isinstance(function, type):
        setattr(module, name, function)
        return
    function.__module__ = module.__name__
    function.__name__ = function.__qualname__ = name
    setattr(module, name, builtin_function_or_method(function))
