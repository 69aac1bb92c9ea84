"""Makes functions that cannot work here fail at once with an error that names what is missing."""

from .replacing import put


def start_new_thread(function, args, kwargs={}, /):
    """Start a new thread: there is none."""
    raise RuntimeError("can't start new thread: this system has no threads, use asyncio or subprocess")


def start_joinable_thread(function, handle=None, daemon=True):
    """Start a new thread: there is none."""
    start_new_thread(function, ())


def _no_network(*arguments, **options):
    raise PermissionError(1, "Operation not permitted: this sandbox has no network")


def install():
    """Replaces functions that would hang or fail without a clear error."""
    import _thread
    put(_thread, "start_new_thread", start_new_thread)
    put(_thread, "start_joinable_thread", start_joinable_thread)
    _thread.start_new = _thread.start_new_thread


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


def install_processes():
    """Makes `multiprocessing` fail as soon as it is used."""
    import multiprocessing
    from multiprocessing import context, process
    for name in ("Barrier", "BoundedSemaphore", "Condition", "Event", "JoinableQueue", "Lock", "Manager", "Pipe", "Pool",
                 "Queue", "RLock", "Semaphore", "SimpleQueue"):
        setattr(context.BaseContext, name, _no_multiprocessing)
        setattr(multiprocessing, name, _no_multiprocessing)
    process.BaseProcess.start = _no_multiprocessing


def install_environments():
    """Makes `venv` fail with advice on what to do instead."""
    import venv

    def create(self, env_dir):
        """Create a virtual environment: there are none."""
        raise OSError(95, "Operation not supported: there are no virtual environments here; "
                          "`pip install` puts packages into the user's own site directory")

    venv.EnvBuilder.create = create

    import ensurepip

    def bootstrap(**options):
        """Bootstrap pip into the current Python installation: it is there."""
        import importlib.metadata
        print(f"Requirement already satisfied: pip ({importlib.metadata.version('pip')})")
        return 0

    ensurepip.bootstrap = ensurepip._bootstrap = bootstrap


def _no_resolver(gaierror):
    def refuse(*arguments, **options):
        raise gaierror(-3, "Temporary failure in name resolution: this sandbox has no network")
    return refuse


def _hostname():
    """Return the current host name."""
    from wit_world.imports import processes
    return processes.hostname().decode("utf-8", "surrogateescape")
