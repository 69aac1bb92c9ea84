"""Putting Python functions in the places of C functions."""


def put(module, name, function):
    """Makes `function` the `name` of a C module.

    A C function that a class body keeps does not become a method; a static method, which can be called as it is, neither.
    """
    if isinstance(function, type):
        setattr(module, name, function)
        return
    function.__module__ = module.__name__
    function.__name__ = function.__qualname__ = name
    setattr(module, name, staticmethod(function))
