"""Runs the shortest program some times while the interpreter is made ready, with a kernel that is only played.

CPython adapts code to what it meets as it runs, and writes that into the code. What is adapted already is not written
again by each process, and pages that no process writes are shared by all.
"""

import sys

from componentize_py_types import Err
from wit_world.imports import files, processes

from . import processes as own_processes
from . import signals

#: After how many runs code does not change any more.
RUNS = 40


class _Exit(BaseException):
    """The played program has ended."""


def _exit(status):
    raise _Exit


def _no_entry(*arguments):
    raise Err(2)


def rehearse(main):
    """Plays the start and the end of `python3 -c pass` and leaves no trace of it but in the code."""
    import threading
    pipe = files.Attributes(dev=0, ino=1, nlink=1, size=0, blocks=0, rdev=0, mode=0o010600, uid=1000, gid=1000,
                            atime=0, mtime=0, ctime=0)
    invocation = processes.Invocation(
        argv=[b"python3", b"-c", b"pass"], exe=b"/usr/bin/python3", cwd=b"/",
        env=[b"PATH=/usr/bin:/bin", b"HOME=/home/user", b"USER=user", b"LANG=C.UTF-8", b"PWD=/"])
    played = {
        processes: {"invoked": lambda: invocation, "sigaction": lambda *arguments: None, "exit": _exit},
        files: {"fstat": lambda fd: pipe, "isatty": lambda fd: False, "stat": _no_entry, "lseek": _no_entry,
                "write": lambda fd, data: len(data), "getcwd": lambda: b"/"},
        # It would end the main thread for good.
        threading: {"_shutdown": lambda: None}, signals: {"stop": lambda: None},
    }
    kept = [(module, name, getattr(module, name)) for module, names in played.items() for name in names]
    names = ("argv", "orig_argv", "path", "stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
    state = {name: getattr(sys, name) for name in names if hasattr(sys, name)}
    path, modules = list(sys.path), dict(sys.modules)
    for module, functions in played.items():
        for name, function in functions.items():
            setattr(module, name, function)
    try:
        for _ in range(RUNS):
            try:
                main.run()
            except _Exit:
                pass
    finally:
        for module, name, function in kept:
            setattr(module, name, function)
        for name, value in state.items():
            setattr(sys, name, value)
        sys.path[:] = path
        sys.modules.update(modules)
        own_processes.begun = False
