"""The last that is done while the program is built: what each start needs is put together, and a start writes little."""

import _thread
import collections.abc
import concurrent.futures.thread
import gc
import os
import struct
import sys
import threading

from . import extract, heap, immortal, main, rehearsal

#: Modules whose names each program changes, as it starts or ends.
_CHANGED = ("sys", "site", "threading", "logging", "concurrent.futures.process", "concurrent.futures.thread", "_sandshell.processes",
            "_sandshell.signals", "_sandshell.options", "_frozen_importlib_external")
#: Code that was replaced while it ran: it would be given up when it ends.
_callers = []


def arrange():
    """Each page of the interpreter's memory that a process writes is copied for it: there shall be few, side by side."""
    _callers.extend(rehearsal.running(sys._getframe()))
    # The build asks the same afterwards, and what the answer is kept in would lie anywhere.
    isinstance(os.environ, collections.abc.Mapping)
    codes = rehearsal.executed()
    heap.fill()
    start = id(bytes(64))
    rehearsal.gather(codes)
    _renew()
    extract.tell("together", struct.pack("<2I", start, id(bytes(64))))
    # Until here, as what is given up leaves holes.
    del codes
    rehearsal.rehearse(40)
    # Those of the build are not of the class that the streams of a program have.
    sys.stdin = sys.stdout = sys.stderr = sys.__stdin__ = sys.__stdout__ = sys.__stderr__ = None
    gc.collect()
    # What caches hold by now is of other code.
    rehearsal.rehearse(2)
    _tell_immortal(gc.get_objects())
    # CPython keeps nothing of what was given up for the next of its kind.
    gc.collect()
    gc.freeze()


def _tell_immortal(roots):
    for name, data in zip(("immortal", "counting"), immortal.listed(roots)):
        extract.tell(name, data)


def _renew():
    """Makes anew, in one place, what each program writes to."""
    changed = [sys.modules] + [sys.modules[name].__dict__ for name in _CHANGED]
    # The place that one leaves is too small for the next.
    for names in sorted(changed, key=sys.getsizeof):
        _move(names)
    concurrent.futures.thread._global_shutdown_lock = threading.Lock()
    threading._main_thread._os_thread_handle = _thread._make_thread_handle(threading.get_ident())


def _move(names):
    """Has a dictionary make its table anew, by adding to it for a while."""
    added, size = [], sys.getsizeof(names)
    while sys.getsizeof(names) == size:
        added.append(f" {len(added)}")
        names[added[-1]] = None
    for name in added:
        del names[name]
