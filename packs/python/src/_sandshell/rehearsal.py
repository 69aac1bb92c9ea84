"""Runs the shortest program several times during the build, with a simulated kernel.

CPython specialises code as it runs and writes that into the code. Code that is already specialised is not written
again by each process, and all processes share pages that none writes to. Code that runs at each start is moved
together, so that a start reads few pages.
"""

import _thread
import atexit
import concurrent.futures.process
import concurrent.futures.thread
import contextlib
import gc
import logging
import multiprocessing.util
import os
import posix
import random
import sys
import threading
import types

import componentize_py_runtime
from componentize_py_types import Ok
from wit_world.imports import processes

from . import main, signals
from . import processes as own_processes


class _Exit(BaseException):
    """The simulated program has ended."""


def rehearse(times):
    """Simulates the start and the end of `python3 -c "print()"`. Only the specialised code remains changed; after
    some tens of runs it no longer changes.
    """
    with _played():
        for _ in range(times):
            _run()


def executed():
    """The code objects that such a program runs. All code must be unspecialised, because running changes it."""
    now = set(running(sys._getframe()))
    codes = [code for function in _functions() if function.__code__ not in now for code in _with_inner(function.__code__)]
    made = [hash(code._co_code_adaptive) for code in codes]
    with _played():
        _run()
    return [code for code, before in zip(codes, made) if hash(code._co_code_adaptive) != before]


def gather(codes):
    """Moves code objects together."""
    # Code objects of two files can be equal, so they are identified by address.
    chosen, moved = {id(code) for code in codes}, {}

    def beside(code):
        if id(code) not in chosen:
            return code
        if id(code) not in moved:
            constants = tuple(beside(value) if type(value) is types.CodeType else value for value in code.co_consts)
            moved[id(code)] = code.replace(co_consts=constants)
        return moved[id(code)]

    for function in _functions():
        if (code := beside(function.__code__)) is not function.__code__:
            function.__code__ = code


def _functions():
    return [thing for thing in gc.get_objects() if type(thing) is types.FunctionType]


def running(frame):
    """The code of a frame and of its callers."""
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def _with_inner(code):
    yield code
    for value in code.co_consts:
        if type(value) is types.CodeType:
            yield from _with_inner(value)


def _run():
    # The component's runtime does this first.
    for name, value in _ENVIRONMENT.items():
        os.environ[name] = value
    random.seed()
    _register()
    try:
        main.Run().run()
    except _Exit:
        pass
    threading._main_thread._os_thread_handle = _thread._make_thread_handle(threading.get_ident())


def _end_logging():
    """`logging.shutdown` where it is used. It would write what is in standard error's buffer before standard output's."""
    if any(handler() is not logging._defaultLastResort for handler in logging._handlerList):
        logging.shutdown()


def _register():
    """Registers what modules do at the end of a program, as they do when they are imported: each end forgets it."""
    atexit._clear()
    atexit.register(_end_logging)
    atexit.register(multiprocessing.util._exit_function)
    multiprocessing.util._exiting = False


@contextlib.contextmanager
def _played():
    """Simulates the kernel for the duration of a block, and restores everything afterwards."""
    call, handle = componentize_py_runtime.call_import, threading._main_thread._os_thread_handle
    futures = concurrent.futures
    names = ("argv", "orig_argv", "path", "stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
    state = {name: getattr(sys, name) for name in names if hasattr(sys, name)}
    path, modules = list(sys.path), dict(sys.modules)
    componentize_py_runtime.call_import = _call
    own = posix.stat
    posix.stat = os.stat = _stat
    threading._main_thread._os_thread_handle = _thread._make_thread_handle(threading.get_ident())
    try:
        yield
    finally:
        posix.stat = os.stat = own
        componentize_py_runtime.call_import, threading._main_thread._os_thread_handle = call, handle
        threading._SHUTTING_DOWN = futures.process._global_shutdown = futures.thread._shutdown = False
        for name, value in state.items():
            setattr(sys, name, value)
        sys.path[:] = path
        # The component's runtime does this after the preparation.
        os.environ._data.clear()
        sys.modules.update(modules)
        own_processes.begun = signals._over = False
        _register()


def _call(number, arguments):
    return _ANSWERS[sys._getframe(1).f_code.co_name](*arguments)


def _exit(status):
    if status:
        raise RuntimeError("the played program fails")
    raise _Exit


def _stat(path, *, dir_fd=None, follow_symlinks=True):
    """The interpreter's own function finds the files of the machine that builds."""
    if not path.startswith("/usr/lib"):
        raise FileNotFoundError(2, "No such file or directory", path)
    return posix.stat_result((0o040755, 1, 0, 1, 1000, 1000, *[0] * 13))


def _invocation():
    return processes.Invocation(argv=[b"python3", b"-c", b"print()"], exe=b"/usr/bin/python3", cwd=b"/workspace",
                                env=[f"{name}={value}".encode() for name, value in _ENVIRONMENT.items()])


#: The environment of the sandbox's shell.
_ENVIRONMENT = {
    "SHELL": "/bin/bash", "PWD": "/workspace", "LOGNAME": "user", "HOME": "/home/user", "LANG": "C.UTF-8", "USER": "user",
    "SHLVL": "0", "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "_": "/usr/bin/python3",
}
#: The answers of the kernel's calls, by name.
_ANSWERS = {
    "invoked": _invocation, "exit": _exit,
    "sigaction": lambda signal, disposition: Ok(processes.Disposition(disposition.value * 0)),
    "isatty": lambda fd: False, "getcwd": lambda: Ok(b"/workspace"),
    "entries": lambda directory, path: (0, b"pip\0", b"\4", bytes(8)), "umask": lambda mask: 0o022,
}
