"""Copies the interpreter's standard library to where the build finds it.

While a component is built the library is at /python, and the directory of this module can be written to.
"""

import os

_HERE = os.path.dirname(os.path.dirname(__file__))
#: What it is now: later it is the kernel's.
_open = open


def copy_library():
    """Writes everything below /python to the directory `lib` beside this package."""
    _copy("/python", _HERE + "/lib")


def tell(name, data):
    """Tells the build something, behind what it was told before, in a file beside this package."""
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
