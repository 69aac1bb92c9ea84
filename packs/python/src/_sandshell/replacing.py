"""Replaces C functions with Python functions."""

import sys
import types


class builtin_function_or_method(staticmethod):
    """A Python function that replaces a C function. It looks like one, is pickled and copied like one, and does not
    become a method in a class body.
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
