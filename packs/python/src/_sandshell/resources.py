"""Small modules that WASI's interpreter lacks: `pwd`, `grp`, `resource`, and what `fcntl` consists of."""

import operator
import sys
import types
from collections import namedtuple

from wit_world.imports import processes as calls

from . import control
from .files import NANOS
from .kernel import call
from .replacing import put


def module(name, doc, **content):
    """Creates a module from functions and constants."""
    made = types.ModuleType(name, doc)
    for key, value in content.items():
        if isinstance(value, types.FunctionType):
            put(made, key, value)
            continue
        if (getattr(value, "__module__", None) or "").startswith(__package__):
            value.__module__ = name
        setattr(made, key, value)
    sys.modules[name] = made


struct_passwd = namedtuple("struct_passwd", "pw_name pw_passwd pw_uid pw_gid pw_gecos pw_dir pw_shell")
struct_group = namedtuple("struct_group", "gr_name gr_passwd gr_gid gr_mem")


def _lines(path):
    try:
        with open(path) as file:
            return [line.rstrip("\n").split(":") for line in file if line.strip() and not line.startswith("#")]
    except OSError:
        return []


def _identity(number, what):
    if not hasattr(number, "__index__"):
        raise TypeError(f"{what} should be integer, not {type(number).__name__}")
    return operator.index(number)


def _name(name, function):
    if not isinstance(name, str):
        raise TypeError(f"{function}() argument must be str, not {type(name).__name__}")
    if "\0" in name:
        raise ValueError("embedded null character")
    name.encode("utf-8", "surrogateescape")


def getpwall():
    """Return a list of all available password database entries."""
    return [struct_passwd(name, password, int(uid), int(gid), *rest[:3])
            for name, password, uid, gid, *rest in _lines("/etc/passwd") if len(rest) >= 3]


def getpwuid(uid, /):
    """Return the password database entry for the given numeric user ID."""
    uid = _identity(uid, "uid")
    for entry in getpwall():
        if entry.pw_uid == uid:
            return entry
    raise KeyError(f"getpwuid(): uid not found: {uid}")


def getpwnam(name, /):
    """Return the password database entry for the given user name."""
    _name(name, "getpwnam")
    for entry in getpwall():
        if entry.pw_name == name:
            return entry
    raise KeyError(f"getpwnam(): name not found: {name!r}")


def getgrall():
    """Return a list of all available group entries."""
    return [struct_group(name, password, int(gid), members.split(",") if members else [])
            for name, password, gid, members in _lines("/etc/group")]


def getgrgid(id):
    """Return the group database entry for the given numeric group ID."""
    id = _identity(id, "gid")
    if not -1 <= id < 1 << 32:
        raise OverflowError(f"gid is {'less than minimum' if id < 0 else 'greater than maximum'}")
    for entry in getgrall():
        if entry.gr_gid == id:
            return entry
    raise KeyError(f"getgrgid(): gid not found: {id}")


def getgrnam(name):
    """Return the group database entry for the given group name."""
    _name(name, "getgrnam")
    for entry in getgrall():
        if entry.gr_name == name:
            return entry
    raise KeyError(f"getgrnam(): name not found: {name!r}")


struct_rusage = namedtuple("struct_rusage", "ru_utime ru_stime ru_maxrss ru_ixrss ru_idrss ru_isrss ru_minflt "
                                            "ru_majflt ru_nswap ru_inblock ru_oublock ru_msgsnd ru_msgrcv "
                                            "ru_nsignals ru_nvcsw ru_nivcsw")
LIMITS = {"RLIMIT_CPU": 0, "RLIMIT_FSIZE": 1, "RLIMIT_DATA": 2, "RLIMIT_STACK": 3, "RLIMIT_CORE": 4, "RLIMIT_RSS": 5,
          "RLIMIT_NPROC": 6, "RLIMIT_NOFILE": 7, "RLIMIT_OFILE": 7, "RLIMIT_MEMLOCK": 8, "RLIMIT_AS": 9,
          "RLIMIT_SIGPENDING": 11, "RLIMIT_MSGQUEUE": 12, "RLIMIT_NICE": 13, "RLIMIT_RTPRIO": 14, "RLIMIT_RTTIME": 15}
INFINITY = (1 << 64) - 1


def usage(cpu):
    """An rusage with this many nanoseconds of processor time."""
    return struct_rusage(cpu / NANOS, *[0.0], *[0] * 14)


def getrusage(who, /):
    """Return the processor time that was used; nothing else is counted."""
    if who not in (0, -1):
        raise ValueError("invalid who parameter")
    own, children = calls.times()
    return usage(own if who == 0 else children)


def getrlimit(resource, /):
    """Return the soft and the hard limit."""
    return tuple(-1 if limit == INFINITY else limit for limit in call(calls.getrlimit, resource))


def setrlimit(resource, limits, /):
    """Set the soft and the hard limit."""
    soft, hard = (INFINITY if limit == -1 else limit for limit in limits)
    call(calls.setrlimit, resource, soft, hard)


def install():
    """Creates the modules."""
    module("pwd", "This module provides access to the Unix password database.", struct_passwd=struct_passwd,
            getpwall=getpwall, getpwuid=getpwuid, getpwnam=getpwnam)
    module("grp", "Access to the Unix group database.", struct_group=struct_group, getgrall=getgrall,
            getgrgid=getgrgid, getgrnam=getgrnam)
    module("resource", "Limits and use of the system's resources.", struct_rusage=struct_rusage, error=OSError,
            getrusage=getrusage, getrlimit=getrlimit, setrlimit=setrlimit, RUSAGE_SELF=0, RUSAGE_CHILDREN=-1,
            RLIM_INFINITY=-1, getpagesize=lambda: 4096, **LIMITS)
    module("fcntl", "This module performs file control on file descriptors.", fcntl=control.fcntl, ioctl=control.ioctl,
            flock=control.flock, lockf=control.lockf, **control.CONSTANTS)
