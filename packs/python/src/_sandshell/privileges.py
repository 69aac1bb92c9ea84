"""`posix`: what a process may be. It has one user and one group, and no privilege to be others."""

import operator
import os

from . import processes
from .errors import fail
from .kernel import path_bytes

EPERM, ESRCH, EACCES, ENOTDIR, EINVAL, ENOTTY = 1, 3, 13, 20, 22, 25
PRIO_PROCESS, PRIO_PGRP, PRIO_USER = 0, 1, 2
CONSTANTS = {"PRIO_PROCESS": PRIO_PROCESS, "PRIO_PGRP": PRIO_PGRP, "PRIO_USER": PRIO_USER}
#: The lowest priority.
_LOWEST = 19
_nice = 0


def _identity(value, what):
    if not hasattr(value, "__index__"):
        raise TypeError(f"{what} should be integer, not {type(value).__name__}")
    value = operator.index(value)
    if not -1 <= value < 1 << 32:
        raise OverflowError(f"{what} is {'less than minimum' if value < 0 else 'greater than maximum'}")
    return value


def _become(own, what, *wanted):
    """Changes nothing if each is the process's own, or -1, and is refused otherwise."""
    if not {_identity(value, what) for value in wanted} <= {own, -1}:
        raise fail(EPERM)


def _only(value):
    """For functions whose -1 is no user and no group."""
    if hasattr(value, "__index__") and operator.index(value) == -1:
        raise fail(EINVAL)
    return value


def setuid(uid, /):
    """Set the current process's user id."""
    _become(processes.getuid(), "uid", _only(uid))


def seteuid(euid, /):
    """Set the current process's effective user id."""
    _become(processes.getuid(), "uid", _only(euid))


def setreuid(ruid, euid, /):
    """Set the current process's real and effective user ids."""
    _become(processes.getuid(), "uid", ruid, euid)


def setresuid(ruid, euid, suid, /):
    """Set the current process's real, effective, and saved user ids."""
    _become(processes.getuid(), "uid", ruid, euid, suid)


def setgid(gid, /):
    """Set the current process's group id."""
    _become(processes.getgid(), "gid", _only(gid))


def setegid(egid, /):
    """Set the current process's effective group id."""
    _become(processes.getgid(), "gid", _only(egid))


def setregid(rgid, egid, /):
    """Set the current process's real and effective group ids."""
    _become(processes.getgid(), "gid", rgid, egid)


def setresgid(rgid, egid, sgid, /):
    """Set the current process's real, effective, and saved group ids."""
    _become(processes.getgid(), "gid", rgid, egid, sgid)


def setgroups(groups, /):
    """Set the groups of the current process to list: no process may."""
    if not hasattr(groups, "__getitem__"):
        raise TypeError("setgroups argument must be a sequence")
    for group in groups:
        _identity(group, "gid")
    raise fail(EPERM)


def initgroups(username, gid, /):
    """Initialize the group access list: no process may."""
    path_bytes(username, "initgroups", "username")
    _identity(gid, "gid")
    raise fail(EPERM)


def getgrouplist(user, group, /):
    """Returns a list of groups to which a user belongs."""
    import grp
    found = [group, *(entry.gr_gid for entry in grp.getgrall() if user in entry.gr_mem)]
    return list(dict.fromkeys(found))


def chroot(path):
    """Change root directory to path: no process may."""
    if not os.path.isdir(path):
        os.stat(path)
        raise fail(ENOTDIR, path)
    raise fail(EPERM, path)


def nice(increment, /):
    """Add increment to the priority of process and return the new priority, which has no effect."""
    global _nice
    if increment < 0:
        raise fail(EPERM)
    _nice = min(_nice + increment, _LOWEST)
    return _nice


def getpriority(which, who):
    """Return program scheduling priority."""
    return _nice if _is_own(which, who) else 0


def setpriority(which, who, priority):
    """Set program scheduling priority, which has no effect. Only the process's own can be set, and not be raised."""
    global _nice
    if not _is_own(which, who):
        raise fail(EPERM)
    if priority < _nice:
        raise fail(EACCES)
    _nice = min(priority, _LOWEST)


def _is_own(which, who):
    match which:
        case 0:
            if who not in (0, processes.getpid()):
                processes.getpgid(who)
                return False
            return True
        case 1:
            return who in (0, processes.getpgrp())
        case 2:
            return who in (0, processes.getuid())
    raise fail(EINVAL)


def tcgetpgrp(fd, /):
    """Return the process group associated with the terminal specified by fd: no terminal has one."""
    os.fstat(fd)
    raise fail(ENOTTY)


def tcsetpgrp(fd, pgid, /):
    """Set the process group associated with the terminal specified by fd: no terminal has one."""
    os.fstat(fd)
    raise fail(ENOTTY)


#: The functions that `posix` gets, by name.
FUNCTIONS = {function.__name__: function for function in (
    setuid, seteuid, setreuid, setresuid, setgid, setegid, setregid, setresgid, setgroups, initgroups, getgrouplist,
    chroot, nice, getpriority, setpriority, tcgetpgrp, tcsetpgrp)}
