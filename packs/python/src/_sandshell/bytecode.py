"""Compiled code of modules in directories that the program may not write to, such as the library's and read-only
mounts.

It is kept in the user's own cache, so that the next process does not compile them again. Everything else is as the
interpreter does it: code is used if the source's time and size are those of its header.
"""

import os
import sys
from importlib import _bootstrap_external as external

_Loader = external.SourceFileLoader
_own_get, _own_set = external.FileLoader.get_data, _Loader.set_data


def _kept(path):
    """Where the code is kept that has no place at `path`; None if it is not kept."""
    home = os.environ.get("HOME", "")
    cache = os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache"
    if sys.pycache_prefix is not None or not path.startswith("/") or not cache.startswith("/") or cache == "/.cache":
        return None
    return f"{cache}/python{path}"


def get_data(self, path):
    """Return the data from path as raw bytes."""
    try:
        return _own_get(self, path)
    except OSError:
        if not path.endswith(".pyc") or (kept := _kept(path)) is None:
            raise
    return _own_get(self, kept)


def set_data(self, path, data, *, _mode=0o666):
    """Write bytes data to a file."""
    if path.endswith(".pyc") and not _is_writable(os.path.dirname(path)):
        path = _kept(path) or path
    _own_set(self, path, data, _mode=_mode)


def _is_writable(directory):
    """Whether files can be made there; if it does not exist, whether it can be made."""
    for place in (directory, os.path.dirname(directory)):
        try:
            os.stat(place)
        except OSError:
            continue
        return os.access(place, os.W_OK)
    return False


def install():
    """Replaces the loader's methods."""
    for own, new in ((_own_get, get_data), (_own_set, set_data)):
        new.__qualname__ = f"SourceFileLoader.{own.__name__}"
        new.__module__ = own.__module__
    _Loader.get_data, _Loader.set_data = get_data, set_data
