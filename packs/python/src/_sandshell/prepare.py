"""Prepares the interpreter during the build. Everything here is done once and saved in the program."""

import os
import posix
import struct
import sys
import types

import componentize_py_runtime

from . import (addresses, arguments, bzip2, clocks, control, dates, digests, epoll, errors, extract, faults, files,
               foreign, hiding, locales, mapping, privileges, processes, refusals, relocate, resources,
               semaphores, signals, sockets, syslog, system, terminals, threads, tls, waiting, xz, zones)
from .replacing import put

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
PREFIX = "/usr"
LIBRARY = f"{PREFIX}/lib/python{VERSION}"
EXECUTABLE = f"{PREFIX}/bin/python3"

#: The names that `os` looks up in `posix` to find out which functions accept descriptors and directories.
HAVE = [
    "HAVE_FACCESSAT", "HAVE_FCHMODAT", "HAVE_FCHOWNAT", "HAVE_FSTATAT", "HAVE_LINKAT", "HAVE_MKDIRAT", "HAVE_MKFIFOAT",
    "HAVE_MKNODAT", "HAVE_OPENAT", "HAVE_READLINKAT", "HAVE_RENAMEAT", "HAVE_SYMLINKAT", "HAVE_UNLINKAT",
    "HAVE_UTIMENSAT", "HAVE_FCHDIR", "HAVE_FCHMOD", "HAVE_FCHOWN", "HAVE_FDOPENDIR", "HAVE_FSTATVFS",
    "HAVE_FTRUNCATE", "HAVE_FUTIMENS", "HAVE_FUTIMES", "HAVE_LCHOWN", "HAVE_LSTAT", "HAVE_LUTIMES",
]


def prepare():
    """Replaces functions with the kernel's, then imports the modules that programs commonly use."""
    sys.platform = "linux"
    _paths()
    imports = _imports_of_the_build()
    errors.install()
    arguments.install()
    _posix()
    signals.install()
    waiting.install()
    epoll.install()
    threads.install()
    faults.install()
    sockets.install()
    addresses.install()
    semaphores.install()
    resources.install()
    syslog.install()
    terminals.install()
    locales.install()
    clocks.install()
    dates.install()
    mapping.install()
    processes.install_subprocess()
    foreign.install(put)
    tls.install(put)
    bzip2.install()
    xz.install()
    zones.install(LIBRARY)
    extract.tell("zones", id(zones.TABLE).to_bytes(4, "little"))
    extract.tell("digests", digests.addresses())
    extract.tell("threads", threads.address().to_bytes(4, "little"))
    extract.tell("system", struct.pack("<2I", system.address(), id(threads.ready)))
    _reload()
    os.environ["HOME"] = "/home/user"
    from . import arrange, options, packages, preload
    extract.tell("options", options.place())
    preload.load()
    packages.install(LIBRARY)
    processes.add_spawns(os)
    hiding.install(LIBRARY)
    relocate.relocate("/python", LIBRARY)
    sys.path_importer_cache.clear()
    imports.give_back()
    del imports
    arrange.arrange()


class _imports_of_the_build:
    """There is no kernel during the build, so imports use the interpreter's own functions until its end."""

    def __init__(self):
        from importlib import _bootstrap_external
        self.place = _bootstrap_external
        self.own = _bootstrap_external._os
        _bootstrap_external._os = types.ModuleType(self.own.__name__)
        _bootstrap_external._os.__dict__.update(self.own.__dict__)
        self.call = componentize_py_runtime.call_import
        componentize_py_runtime.call_import = _no_kernel

    def give_back(self):
        """Makes imports use the replaced functions from now on."""
        self.place._os = self.own
        componentize_py_runtime.call_import = self.call


def _no_kernel(*arguments):
    """Modules that use the kernel when they are imported get the error of a missing call."""
    raise OSError(38, "Function not implemented: there is no kernel while the program is built")


def _paths():
    """Sets the interpreter's paths, which differ from those of the build."""
    sys.prefix = sys.exec_prefix = sys.base_prefix = sys.base_exec_prefix = PREFIX
    sys.executable = sys._base_executable = EXECUTABLE
    sys.platlibdir = "lib"
    sys._framework = ""


def _posix():
    for function in files.FUNCTIONS:
        put(posix, function.__name__, function)
    for name, function in (processes.FUNCTIONS | privileges.FUNCTIONS).items():
        put(posix, name, function)
    posix.fdatasync = posix.fsync
    put(posix, "strerror", errors.strerror)
    put(posix, "lockf", control.lock_part)
    posix.F_ULOCK, posix.F_LOCK, posix.F_TLOCK, posix.F_TEST = range(4)
    for name, value in (files.FLAGS | processes.CONSTANTS | privileges.CONSTANTS).items():
        setattr(posix, name, value)
    for name in ("O_EXEC", "O_SEARCH", "O_TTY_INIT"):
        if hasattr(posix, name):
            delattr(posix, name)
    posix.SEEK_DATA, posix.SEEK_HOLE = files.SEEK_DATA, files.SEEK_HOLE
    posix._have_functions = HAVE


def _reload():
    """Makes `stat` and `os` use the replaced functions."""
    import importlib
    import stat
    sys.modules["_stat"] = None
    importlib.reload(stat)
    del sys.modules["_stat"]
    importlib.reload(os)
    os.supports_bytes_environ = True
