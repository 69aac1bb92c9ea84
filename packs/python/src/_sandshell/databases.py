"""Places for the files of SQLite.

They are the only ones that a program holds as handles of the engine. A process with threads can have few of these, so
that it cannot take the stacks of other processes: each thread is such a handle, too. So there is a place for a
database as long as its connection lives, and the kernel is asked for more when they are used up.
"""

import gc
import sqlite3
import sqlite3.dbapi2

import _sqlite3
from componentize_py_types import Err

from . import threads
from .replacing import put

#: Handles for a database: its file, its journals, their directory, and what a call borrows.
HANDLES = 8
#: Databases for which there is room from the start, and for how many more the kernel is asked at once.
FREE, CHUNK = 1, 4
#: With places for so many, those of lost connections are looked for before the kernel is asked for more.
MANY = 16
_FACTORY = 5

_own_connect = _sqlite3.connect
_open, _room = 0, FREE


class _Place:
    """A place for a database, given back when its connection is freed."""

    def __init__(self):
        global _open
        # Counted first: it is given back also if there is no place.
        _open += 1
        if _open > _room >= MANY:
            # A connection that was not closed refers to itself.
            gc.collect()
        if _open > _room:
            _ask()

    def __del__(self):
        global _open
        _open -= 1


def _ask():
    """Asks the kernel for places for more databases."""
    global _room
    try:
        threads.reserve((_open + CHUNK - 1 - FREE) * HANDLES)
        _room = _open + CHUNK - 1
    except Err:
        gc.collect()
        if _open > _room:
            raise _sqlite3.OperationalError(
                "unable to open database file: the sandbox has no more places for processes and databases") from None


class Connection(_sqlite3.Connection):
    __doc__ = _sqlite3.Connection.__doc__
    __slots__ = ("_place",)


def connect(*arguments, **options):
    place = _Place()
    if len(arguments) <= _FACTORY:
        options.setdefault("factory", Connection)
    connection = _own_connect(*arguments, **options)
    try:
        connection._place = place
    except AttributeError:
        # A factory may make anything; what is no connection of this module is not counted.
        pass
    return connection


def install():
    """Replaces `connect` and `Connection`."""
    Connection.__module__, Connection.__qualname__ = "sqlite3", "Connection"
    connect.__doc__ = _own_connect.__doc__
    put(_sqlite3, "connect", connect)
    for module in (_sqlite3, sqlite3, sqlite3.dbapi2):
        module.connect, module.Connection = _sqlite3.connect, Connection
