"""Runs the shortest program some times while the interpreter is made ready, with a kernel that is only played.

CPython adapts code to what it meets as it runs, and writes that into the code. What is adapted already is not written
again by each process, and pages that no process writes are shared by all. What runs at each start lies together, so that
few pages are looked at.
"""

import contextlib
import gc
import sys
import types

import componentize_py_runtime
from componentize_py_types import Err, Ok
from wit_world.imports import files, processes

from . import processes as own_processes
from . import signals


class _Exit(BaseException):
    """The played program has ended."""


def rehearse(main, times):
    """Plays the start and the end of `python3 -c pass` and leaves no trace of it but in the code, which does not change any
    more after some tens of times.
    """
    with _played():
        for _ in range(times):
            _run(main)


def gather(main):
    """Puts the code that such a program runs side by side, and returns it. All code must be as it was made: running changes it."""
    functions = [thing for thing in gc.get_objects() if type(thing) is types.FunctionType]
    # Code of two files can be equal: it is told apart by where it is.
    made = {id(code): hash(code._co_code_adaptive) for function in functions for code in _with_inner(function.__code__)}
    with _played():
        _run(main)
    moved = {}

    def beside(code):
        if made.get(id(code)) in (None, hash(code._co_code_adaptive)):
            return code
        if id(code) not in moved:
            constants = tuple(beside(value) if type(value) is types.CodeType else value for value in code.co_consts)
            moved[id(code)] = code, code.replace(co_consts=constants)
        return moved[id(code)][1]

    for function in functions:
        if (code := beside(function.__code__)) is not function.__code__:
            function.__code__ = code
    return [code for _, code in moved.values()]


def _with_inner(code):
    yield code
    for value in code.co_consts:
        if type(value) is types.CodeType:
            yield from _with_inner(value)


def _run(main):
    try:
        main.run()
    except _Exit:
        pass


@contextlib.contextmanager
def _played():
    """The kernel is played meanwhile; everything is as it was afterwards."""
    import threading
    call, shutdown = componentize_py_runtime.call_import, threading._shutdown
    names = ("argv", "orig_argv", "path", "stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
    state = {name: getattr(sys, name) for name in names if hasattr(sys, name)}
    path, modules = list(sys.path), dict(sys.modules)
    componentize_py_runtime.call_import = _call
    # It would end the main thread for good.
    threading._shutdown = lambda: None
    try:
        yield
    finally:
        componentize_py_runtime.call_import, threading._shutdown = call, shutdown
        for name, value in state.items():
            setattr(sys, name, value)
        sys.path[:] = path
        sys.modules.update(modules)
        own_processes.begun = signals._over = False


def _call(number, arguments):
    return _ANSWERS[sys._getframe(1).f_code.co_name](*arguments)


def _exit(status):
    if status:
        raise RuntimeError(f"the played program fails: {b''.join(_written)}")
    raise _Exit


def _attributes(mode):
    return Ok(files.Attributes(dev=0, ino=1, nlink=1, size=0, blocks=0, rdev=0, mode=mode, uid=1000, gid=1000, atime=0,
                               mtime=0, ctime=0))


_PIPE, _DIRECTORY, _NO_ENTRY = _attributes(0o010600), _attributes(0o040755), Err(2)
_INVOCATION = processes.Invocation(
    argv=[b"python3", b"-c", b"pass"], exe=b"/usr/bin/python3", cwd=b"/workspace",
    env=[b"PATH=/usr/bin:/bin", b"HOME=/home/user", b"USER=user", b"LANG=C.UTF-8", b"PWD=/workspace"])
_written = []
#: What the kernel's calls answer, by their names.
_ANSWERS = {
    "invoked": lambda: _INVOCATION, "exit": _exit,
    "sigaction": lambda signal, disposition: Ok(processes.Disposition.DEFAULT),
    "fstat": lambda fd: _PIPE, "isatty": lambda fd: False, "getcwd": lambda: Ok(b"/workspace"),
    "stat": lambda directory, path, follow: _DIRECTORY if path.startswith(b"/usr/lib") else _NO_ENTRY,
    "names": lambda directory, path: Ok([files.Name(name=b"pip", ino=2, kind=0o040000)]), "lseek": lambda fd, offset, whence: Err(29),
    "write": lambda fd, data: _written.append(data) or Ok(len(data)), "umask": lambda mask: 0o022,
}
