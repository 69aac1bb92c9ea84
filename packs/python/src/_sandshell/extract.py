"""Copies the interpreter's standard library to a place where the build finds it.

While a component is built, the library is at /python, and the directory of this module is writable.
"""

import os

_HERE = os.path.dirname(os.path.dirname(__file__))
#: The interpreter's own function; it is replaced later.
_open = open


def copy_library():
    """Writes everything below /python to the directory `lib` beside this package."""
    _copy("/python", _HERE + "/lib")


def beside(name):
    """The path during the build of what is beside this package."""
    return f"{_HERE}/{name}"


def tell(name, data):
    """Appends data for the build to a file beside this package."""
    with _open(f"{_HERE}/{name}", "ab") as file:
        file.write(data)


def _copy(source, target):
    os.mkdir(target)
    for entry in os.scandir(source):
        name = f"{target}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                _copy(entry.path, name)
        else:
            with open(entry.path, "rb") as file, open(name, "wb") as copy:
                copy.write(file.read())
