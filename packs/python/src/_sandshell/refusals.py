"""Makes functions that cannot work here fail at once with an error that names what is missing."""

import sys


def _no_network(*arguments, **options):
    raise PermissionError(1, "Operation not permitted: this sandbox has no network")


def install_network():
    """Makes sockets fail with a clear error."""
    import _socket
    import socket as module

    class Socket(_socket.socket):
        """A socket that cannot be made."""

        def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
            _no_network()

    for where in (_socket, module):
        for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "getnameinfo"):
            setattr(where, name, _no_resolver(module.gaierror))
        where.gethostname = _hostname
    module.socket.__init__ = Socket.__init__
    module.socketpair = _no_network


def _no_multiprocessing(*arguments, **options):
    raise OSError(38, "Function not implemented: there is no multiprocessing in this system, use subprocess")


class _Threads:
    """What a pool of threads needs of `multiprocessing`'s context: one queue that can be waited for."""

    class SimpleQueue:
        """Of one pipe, for threads only."""

        def __init__(self):
            from multiprocessing import connection
            self._reader, self._writer = connection.Pipe(False)
            self.put, self.get = self._writer.send, self._reader.recv

        def empty(self):
            """Whether `get` would wait."""
            return not self._reader.poll()

        def close(self):
            """Closes the pipe."""
            self._reader.close()
            self._writer.close()


#: Modules of CPython that are missing, and why.
ABSENT = {
    "_curses": "there is no terminal library here",
    "_curses_panel": "there is no terminal library here",
    "readline": "there is no line editor here; input() works without",
    "_tkinter": "there is no display here",
    "tkinter": "there is no display here",
    "_zstd": "there is no zstd here, use the command zstd, or gzip, bz2 or lzma",
    "_dbm": "use dbm.sqlite3 or dbm.dumb",
    "_gdbm": "use dbm.sqlite3 or dbm.dumb",
    "_multiprocessing": "there is no multiprocessing in this system, use subprocess",
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


def install_processes():
    """Makes `multiprocessing` fail as soon as it is used for processes."""
    import multiprocessing
    from multiprocessing import context, pool, process

    def of_threads(self, processes=None, initializer=None, initargs=()):
        pool.Pool.__init__(self, processes, initializer, initargs, context=_Threads())

    pool.ThreadPool.__init__ = of_threads
    for name in ("Barrier", "BoundedSemaphore", "Condition", "Event", "JoinableQueue", "Lock", "Manager", "Pipe", "Pool",
                 "Queue", "RLock", "Semaphore", "SimpleQueue"):
        setattr(context.BaseContext, name, _no_multiprocessing)
        setattr(multiprocessing, name, _no_multiprocessing)
    process.BaseProcess.start = _no_multiprocessing


def _no_resolver(gaierror):
    def refuse(*arguments, **options):
        raise gaierror(-3, "Temporary failure in name resolution: this sandbox has no network")
    return refuse


def _hostname():
    """Return the current host name."""
    from wit_world.imports import processes
    return processes.hostname().decode("utf-8", "surrogateescape")
