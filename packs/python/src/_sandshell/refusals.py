"""Makes functions that cannot work here fail at once with an error that names what is missing."""

import sys


def install_network():
    """Makes the machine's name the kernel's (`addresses` refuses names that need a network)."""
    import _socket
    import socket as module

    for where in (_socket, module):
        where.gethostname = _hostname


#: Modules of CPython that are missing, and why.
ABSENT = {
    "_curses": "there is no terminal library here",
    "_curses_panel": "there is no terminal library here",
    "readline": "there is no line editor here; input() works without",
    "_tkinter": "there is no display here",
    "numpy": "on the host, `sandshell pack build numpy` builds a Python that has it",
    "tkinter": "there is no display here",
    "_zstd": "there is no zstd here, use the command zstd, or gzip, bz2 or lzma",
    "_dbm": "use dbm.sqlite3 or dbm.dumb",
    "_gdbm": "use dbm.sqlite3 or dbm.dumb",
}


class _Absent:
    """The last finder: says why a module is missing."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Raises the error of a module that is known to be missing."""
        if name in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}: {ABSENT[name]}", name=name)


def install_absent():
    """Adds the finder."""
    sys.meta_path.append(_Absent)


def _hostname():
    """Return the current host name."""
    from wit_world.imports import processes
    return processes.hostname().decode("utf-8", "surrogateescape")
