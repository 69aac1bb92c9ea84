"""The last step of the build: moves the objects that each start needs close together, so that a start writes to few
pages."""

import _thread
import collections.abc
import concurrent.futures.thread
import gc
import os
import struct
import sys
import threading

from . import extract, heap, immortal, main, rehearsal

#: Modules whose names each program changes when it starts or ends.
_CHANGED = ("sys", "site", "threading", "logging", "concurrent.futures.process", "concurrent.futures.thread", "_sandshell.processes",
            "_sandshell.signals", "_sandshell.options", "_frozen_importlib_external")
#: Code that was replaced while it was running: without this reference it would be freed when it returns.
_callers = []


def arrange():
    """Moves objects so that a process writes to few, adjacent pages: each page that it writes to is copied for
    it."""
    _callers.extend(rehearsal.running(sys._getframe()))
    # The build asks the same later; asking now creates the cache of the answer in a known place.
    isinstance(os.environ, collections.abc.Mapping)
    codes = rehearsal.executed()
    heap.fill()
    start = id(bytes(64))
    rehearsal.gather(codes)
    _renew()
    extract.tell("together", struct.pack("<2I", start, id(bytes(64))))
    # Kept until here, because freeing it leaves holes.
    del codes
    rehearsal.rehearse(40)
    # The build's streams have another class than a program's streams.
    sys.stdin = sys.stdout = sys.stderr = sys.__stdin__ = sys.__stdout__ = sys.__stderr__ = None
    gc.collect()
    # The caches hold entries of the replaced code, so fill them again.
    rehearsal.rehearse(2)
    _tell_immortal(gc.get_objects())
    # This also empties CPython's free lists.
    gc.collect()
    gc.freeze()


def _tell_immortal(roots):
    for name, data in zip(("immortal", "counting"), immortal.listed(roots)):
        extract.tell(name, data)


def _renew():
    """Creates again, in one place, the objects that each program writes to."""
    changed = [sys.modules] + [sys.modules[name].__dict__ for name in _CHANGED]
    # From small to large, so that the memory that one frees is too small for the next.
    for names in sorted(changed, key=sys.getsizeof):
        _move(names)
    concurrent.futures.thread._global_shutdown_lock = threading.Lock()
    threading._main_thread._os_thread_handle = _thread._make_thread_handle(threading.get_ident())


def _move(names):
    """Makes a dictionary allocate a new table, by adding entries until it grows."""
    added, size = [], sys.getsizeof(names)
    while sys.getsizeof(names) == size:
        added.append(f" {len(added)}")
        names[added[-1]] = None
    for name in added:
        del names[name]
