"""`posix` and `_posixsubprocess`: processes."""

import posix
import sys
import types
from collections import namedtuple

from componentize_py_types import Err
from wit_world.imports import files as file_calls
from wit_world.imports import processes as calls

from . import kernel, signals
from .arguments import descriptor, number
from .errors import fail, strerror
from .files import NANOS, set_inheritable
from .kernel import call, path_bytes, wait

ENOENT, EACCES, ENOEXEC, ENOTDIR = 2, 13, 8, 20
WNOHANG, WUNTRACED, WCONTINUED, WEXITED, WNOWAIT = 1, 2, 8, 4, 1 << 24
P_ALL, P_PID, P_PGID = 0, 1, 2
CLD_EXITED, CLD_KILLED, CLD_STOPPED, CLD_CONTINUED = 1, 2, 5, 6
SIGCHLD, SIGCONT = 17, 18


def _strings(values, function):
    return [path_bytes(value, function, "args") for value in values]


def _environment(env, function):
    if not hasattr(env, "keys"):
        raise TypeError(f"{function}: environment must be a mapping object")
    entries = []
    for name, value in zip(list(env.keys()), list(env.values())):
        name, value = path_bytes(name, function, "env"), path_bytes(value, function, "env")
        if not name or b"=" in name[1:]:
            raise ValueError("illegal environment variable name")
        entries.append(name + b"=" + value)
    return entries


def _program(path, argv, env, **options):
    if "fds" in options:
        options["fds"] = [(descriptor(child), None if own is None else descriptor(own)) for child, own in options["fds"]]
    for name in ("group", "umask"):
        if options.get(name) is not None:
            options[name] = number(options[name], 0, (1 << 32) - 1)
    defaults = dict(fds=[], cwd=None, group=None, session=False, reset_signals=False, umask=None)
    return calls.Program(path=path, argv=argv, env=env, **(defaults | options))


#: The environment of children that get none: `os.environ` writes through to it.
environment = {}
#: Whether the program has begun. Before that, the component's runtime sets each variable that it was given, even
#: with an invalid name.
begun = False


def putenv(name, value, /):
    """Change or add an environment variable."""
    if not begun:
        return
    name = path_bytes(name, "putenv", "name")
    if not name or b"=" in name:
        raise ValueError("illegal environment variable name")
    environment[name] = path_bytes(value, "putenv", "value")


def unsetenv(name, /):
    """Delete an environment variable."""
    name = path_bytes(name, "unsetenv", "name")
    if not name or b"=" in name:
        raise fail(22)
    environment.pop(name, None)


def _create_environ():
    """The process's environment, for `os.reload_environ`."""
    return dict(environment)


def _own_environment():
    return [name + b"=" + value for name, value in environment.items()]


# Ending the process.

def _exit(status):
    """Exit to the system with specified status, without normal exit processing."""
    calls.exit(status & 0xff)


def abort():
    """Abort the interpreter immediately."""
    calls.sigaction(6, calls.Disposition.DEFAULT)
    kill(getpid(), 6)


# Starting programs.

def execve(path, argv, env):
    """Execute an executable path with arguments, replacing current process."""
    argv = _arguments(argv, "execve")
    call(calls.exec, _program(path_bytes(path, "execve"), argv, _environment(env, "execve")), filename=path)


def _arguments(argv, function):
    argv = _strings(argv, function)
    if not argv or not argv[0]:
        raise ValueError(f"{function}() arg 2 must not be empty" if not argv else
                         f"{function}() arg 2 first element cannot be empty")
    return argv


def execv(path, argv, /):
    """Execute an executable path with arguments, replacing current process."""
    argv = _arguments(argv, "execv")
    call(calls.exec, _program(path_bytes(path, "execv"), argv, _own_environment()))


def spawn_program(program):
    """Starts a program. A file that is not a program and does not begin with `#!` is not run as a shell script."""
    return calls.spawn(program)


def posix_spawn(path, argv, env, /, *, file_actions=None, setpgroup=None, resetids=False, setsid=False,
                setsigmask=(), setsigdef=(), scheduler=None):
    """Execute the program specified by path in a new process."""
    if scheduler is not None:
        if not isinstance(scheduler, tuple) or len(scheduler) != 2:
            raise TypeError("A scheduler must be a tuple of 2 elements")
        raise NotImplementedError("posix_spawn: scheduler unavailable on this platform")
    if any(True for _ in setsigmask):
        raise NotImplementedError("posix_spawn: setsigmask unavailable on this platform")
    setsigdef = list(setsigdef)
    fds, opened = [], []
    import os
    try:
        for action in file_actions or ():
            match tuple(action):
                case (posix.POSIX_SPAWN_OPEN, fd, name, flags, mode):
                    opened.append(os.open(name, flags, mode))
                    fds.append((fd, opened[-1]))
                case (posix.POSIX_SPAWN_CLOSE, fd):
                    fds.append((fd, None))
                case (posix.POSIX_SPAWN_DUP2, fd, target):
                    # An action may refer to a descriptor that an earlier one made.
                    fds.append((target, dict(fds).get(fd, fd)))
                case _:
                    raise TypeError("Unknown file_actions identifier")
        env = _own_environment() if env is None else _environment(env, "posix_spawn")
        program = _program(path_bytes(path, "posix_spawn"), _strings(argv, "posix_spawn"), env, fds=fds,
                           group=setpgroup, session=setsid, reset_signals=bool(setsigdef))
        return call(calls.spawn, program, filename=path)
    finally:
        for fd in opened:
            os.close(fd)


def posix_spawnp(path, argv, env, /, **options):
    """Execute the program specified by path in a new process, searching PATH."""
    import os
    for candidate in _candidates(os.fsencode(path)):
        try:
            return posix_spawn(candidate, argv, env, **options)
        except (FileNotFoundError, NotADirectoryError):
            pass
    raise fail(ENOENT, path)


def _candidates(name):
    import os
    if b"/" in name:
        return [name]
    return [os.path.join(os.fsencode(directory), name) for directory in os.get_exec_path()]


def fork_exec(args, executables, close_fds, pass_fds, cwd, env, p2cread, p2cwrite, c2pread, c2pwrite, errread,
              errwrite, errpipe_read, errpipe_write, restore_signals, start_new_session, process_group, gid,
              extra_groups, uid, umask, preexec_fn, /):
    """`_posixsubprocess.fork_exec`: starts a program. Errors are written to `errpipe_write`."""
    # What else a function does in a child needs a fork.
    if preexec_fn is posix.setsid:
        start_new_session, preexec_fn = True, None
    elif preexec_fn is posix.setpgrp:
        process_group, preexec_fn = 0, None
    if preexec_fn is not None:
        return _not_started(errpipe_write, RuntimeError, 0, "preexec_fn is not supported: there is no fork")
    ids = calls.ids()
    if (uid is not None and uid != ids.uid) or (gid is not None and gid != ids.gid) or extra_groups is not None:
        return _not_started(errpipe_write, OSError, 1, "noexec")
    fds = [(number, fd) for number, fd in ((0, p2cread), (1, c2pwrite), (2, errwrite)) if fd != -1]
    # subprocess also lists the error pipe, but the child must not get it, because it starts directly as the other
    # program.
    passed = [fd for fd in pass_fds if fd != errpipe_write]
    fds += [(fd, fd) for fd in passed]
    if close_fds:
        kept = {0, 1, 2, *passed}
        # Children do not inherit close-on-exec descriptors, and all of Python's own descriptors are close-on-exec.
        fds = [(fd, None) for fd in _inheritable() if fd not in kept] + fds
    env = _own_environment() if env is None else list(env)
    import os
    argv = [arg if type(arg) is bytes else os.fsencode(arg) for arg in args]
    if any(b"\0" in text for text in [*env, *argv, *executables]):
        raise ValueError("embedded null byte")
    program = dict(argv=argv, env=env, fds=fds, cwd=None if cwd is None else path_bytes(cwd),
                   group=None if process_group < 0 else process_group, session=bool(start_new_session),
                   reset_signals=bool(restore_signals), umask=None if umask < 0 else umask)
    if cwd is not None and (problem := _cannot_enter(program["cwd"])):
        return _not_started(errpipe_write, OSError, problem, "noexec:chdir")
    problem = ENOENT
    for executable in executables:
        try:
            return calls.spawn(_program(executable, **program))
        except Err as error:
            if error.value not in (ENOENT, ENOTDIR):
                problem = error.value
            if error.value == EACCES or error.value in (ENOENT, ENOTDIR):
                continue
            break
    return _not_started(errpipe_write, OSError, problem, "")


#: The process id that represents a child that was never started.
_NEVER = 0x7fffffff


def _not_started(errpipe_write, kind, code, detail):
    message = f"{kind.__name__}:{code:x}:{detail}".encode()
    file_calls.write(errpipe_write, message)
    return _NEVER


def _cannot_enter(cwd):
    try:
        found = file_calls.stat(kernel.AT_FDCWD, cwd, True)
        if found.mode & 0o170000 != 0o040000:
            return ENOTDIR
        file_calls.access(kernel.AT_FDCWD, cwd, 1, True)
    except Err as error:
        return error.value
    return 0


def _inheritable():
    """The open descriptors that are not close-on-exec."""
    found = []
    for entry in call(file_calls.names, kernel.AT_FDCWD, b"/proc/self/fd"):
        fd = int(entry.name)
        try:
            if not file_calls.get_cloexec(fd):
                found.append(fd)
        except Err:
            pass
    return found


def system(command):
    """Execute the command in a subshell."""
    import os
    data = os.fsencode(command)
    if b"\0" in data:
        raise ValueError("embedded null byte")
    program = _program(b"/bin/sh", [b"sh", b"-c", data], _own_environment())
    pid = call(calls.spawn, program)
    return waitpid(pid, 0)[1]


def fork():
    """Not there: a process cannot be copied."""
    raise OSError(38, "Function not implemented: there is no fork in this system, use subprocess")


def register_at_fork(*, before=None, after_in_child=None, after_in_parent=None):
    """Register callables to be called when forking a new process: that never happens."""


# Children.

def _status(report):
    match report.change:
        case calls.Change.EXITED:
            return report.value << 8
        case calls.Change.SIGNALED:
            return report.value
        case calls.Change.STOPPED:
            return report.value << 8 | 0x7f
    return 0xffff


#: Reports of children that `waitid` has asked for and left to be waited for, with their groups.
_left = {}


def _wait(pid, options):
    if pid == _NEVER:
        raise fail(10)
    if _left and (report := _take_left(pid)):
        return report
    try:
        return wait(calls.wait, pid, options)
    except ChildProcessError:
        # Another thread may have asked meanwhile.
        if report := _take_left(pid):
            return report
        raise


def _take_left(pid):
    for child, (report, group) in _left.items():
        if pid in (child, -1) or group is not None and (getpgrp() if pid == 0 else -pid) == group:
            del _left[child]
            return report
    return None


def _group_of(pid):
    if pid in _left:
        return _left[pid][1]
    try:
        return getpgid(pid)
    except ProcessLookupError:
        return None


class waitid_result(namedtuple("waitid_result", "si_pid si_uid si_signo si_status si_code")):
    """waitid_result: Result from waitid."""

    __slots__ = ()

    def __repr__(self):
        return f"posix.{super().__repr__()}"


waitid_result.__module__ = "posix"


def waitid(idtype, id, options, /):
    """Returns the result of waiting for a process or processes, or None if WNOHANG is given and there is none."""
    if options & ~(WNOHANG | WUNTRACED | WCONTINUED | WEXITED | WNOWAIT) or not options & (WEXITED | WUNTRACED | WCONTINUED):
        raise fail(22)
    pid = {P_ALL: lambda: -1, P_PID: lambda: id, P_PGID: lambda: -id if id else 0}.get(idtype, lambda: None)()
    if pid is None or idtype != P_ALL and id < (idtype == P_PID):
        raise fail(22)
    if not options & WEXITED:
        raise OSError(22, "Invalid argument: this system waits for ended children in any case (WEXITED)")
    leaves = options & WNOWAIT
    if leaves and (idtype != P_PID or options & (WUNTRACED | WCONTINUED)):
        raise OSError(22, "Invalid argument: WNOWAIT is only for the end of a certain child here (P_PID)")
    group = _group_of(pid) if leaves else None
    report = _wait(pid, options & (WNOHANG | WUNTRACED | WCONTINUED))
    if report is None:
        return None
    if leaves:
        _left[pid] = report, group
    match report.change:
        case calls.Change.EXITED:
            code, status = CLD_EXITED, report.value
        case calls.Change.SIGNALED:
            code, status = CLD_KILLED, report.value
        case calls.Change.STOPPED:
            code, status = CLD_STOPPED, report.value
        case _:
            code, status = CLD_CONTINUED, SIGCONT
    return waitid_result(report.pid, getuid(), SIGCHLD, status, code)


def waitpid(pid, options, /):
    """Wait for completion of a given child process.  Returns (pid, status)."""
    if pid == _NEVER:
        # As a forked child that could not execute its program.
        return pid, 255 << 8
    report = _wait(pid, options)
    return (0, 0) if report is None else (report.pid, _status(report))


def wait_any():
    """Wait for completion of a child process.  Returns (pid, status)."""
    return waitpid(-1, 0)


def wait4(pid, options):
    """Wait for completion of a specific child process.  Returns (pid, status, rusage)."""
    report = _wait(pid, options)
    if report is None:
        return 0, 0, _usage(0)
    return report.pid, _status(report), _usage(report.cpu)


def wait3(options):
    """Wait for completion of a child process.  Returns (pid, status, rusage)."""
    return wait4(-1, options)


def _usage(cpu):
    from . import resources
    return resources.usage(cpu)


def WIFEXITED(status):
    """Return True if the process returning status exited via the exit() system call."""
    return status & 0x7f == 0


def WEXITSTATUS(status):
    """Return the process return code from status."""
    return status >> 8 & 0xff


def WIFSIGNALED(status):
    """Return True if the process returning status was terminated by a signal."""
    return 0 < status & 0x7f < 0x7f


def WTERMSIG(status):
    """Return the signal that terminated the process that provided the status value."""
    return status & 0x7f


def WIFSTOPPED(status):
    """Return True if the process returning status was stopped."""
    return status & 0xff == 0x7f


def WSTOPSIG(status):
    """Return the signal that stopped the process that provided the status value."""
    return status >> 8 & 0xff


def WIFCONTINUED(status):
    """Return True if a particular process was continued from a job control stop."""
    return status == 0xffff


def WCOREDUMP(status, /):
    """Return True if the process returning status was dumped to a core file."""
    return False


def waitstatus_to_exitcode(status):
    """Convert a wait status to an exit code."""
    if WIFEXITED(status):
        return WEXITSTATUS(status)
    if WIFSIGNALED(status):
        return -WTERMSIG(status)
    if WIFSTOPPED(status):
        raise ValueError(f"process stopped by delivery of signal {WSTOPSIG(status)}")
    raise ValueError(f"invalid wait status: {status}")


def kill(pid, signal, /):
    """Kill a process with a signal."""
    if pid in _left:
        # It has ended but was not waited for, so that signals do nothing.
        if not 0 <= signal <= signals.MAX:
            raise fail(22)
        return
    call(calls.kill, pid, signal)
    signals.run_handlers()


def killpg(pgid, signal, /):
    """Kill a process group with a signal."""
    kill(-pgid if pgid > 1 else 0, signal)


# Attributes of the process.

def getpid():
    """Return the current process id."""
    return calls.ids().pid


def getppid():
    """Return the parent's process id."""
    return calls.ids().ppid


def getuid():
    """Return the current process's user id."""
    return calls.ids().uid


def getgid():
    """Return the current process's group id."""
    return calls.ids().gid


def geteuid():
    """Return the current process's effective user id."""
    return calls.ids().uid


def getegid():
    """Return the current process's effective group id."""
    return calls.ids().gid


def getresuid():
    """Return a tuple of the current process's real, effective, and saved user ids."""
    return (getuid(),) * 3


def getresgid():
    """Return a tuple of the current process's real, effective, and saved group ids."""
    return (getgid(),) * 3


def getgroups():
    """Return list of supplemental group IDs for the process."""
    return [getgid()]


def getlogin():
    """Return the actual login name."""
    import os
    return os.environ.get("LOGNAME", "user")


def getpgid(pid):
    """Call the system call getpgid(), and return the result."""
    return call(calls.getpgid, pid)


def getpgrp():
    """Return the current process group id."""
    return calls.ids().group


def setpgid(pid, pgrp, /):
    """Call the system call setpgid(pid, pgrp)."""
    call(calls.setpgid, pid, pgrp)


def setpgrp():
    """Make the current process the leader of its process group."""
    call(calls.setpgid, 0, 0)


def getsid(pid, /):
    """Call the system call getsid(pid) and return the result."""
    if pid not in (0, getpid()):
        raise fail(1)
    return calls.ids().session


def setsid():
    """Call the system call setsid()."""
    call(calls.setsid)


def umask(mask, /):
    """Set the current numeric umask and return the previous umask."""
    return calls.umask(mask)


def times():
    """Return a collection containing process timing information."""
    import time
    own, children = calls.times()
    return posix.times_result((own / NANOS, 0.0, children / NANOS, 0.0, time.monotonic()))


def cpu_count():
    """Return the number of logical CPUs in the system."""
    configured = sys._get_cpu_count_config()
    return calls.processors() if configured < 0 else configured


def sched_getaffinity(pid, /):
    """Return the affinity of the process identified by pid."""
    return set(range(calls.processors()))


def sched_yield():
    """Voluntarily relinquish the CPU."""
    file_calls.poll([], 0)


def getloadavg():
    """Return average recent system load information."""
    with open("/proc/loadavg") as file:
        return tuple(float(word) for word in file.read().split()[:3])


def uname():
    """Return an object identifying the current operating system."""
    name = calls.hostname().decode("utf-8", "surrogateescape")
    return posix.uname_result(("Linux", name, _proc("osrelease"), _proc("version"), MACHINE))


#: The output of `uname -m` in a sandbox.
MACHINE = "x86_64"


def _proc(name):
    with open(f"/proc/sys/kernel/{name}") as file:
        return file.read().strip()


def sysconf(name, /):
    """Return an integer-valued system configuration variable."""
    if isinstance(name, str):
        if name not in posix.sysconf_names:
            raise ValueError("unrecognized configuration name")
    answers = {"SC_NPROCESSORS_ONLN": calls.processors, "SC_NPROCESSORS_CONF": calls.processors,
               "SC_PAGESIZE": lambda: 4096, "SC_PAGE_SIZE": lambda: 4096, "SC_CLK_TCK": lambda: 100,
               "SC_ARG_MAX": lambda: 2 << 20, "SC_OPEN_MAX": lambda: calls.getrlimit(7)[0],
               "SC_IOV_MAX": lambda: 1024, "SC_PHYS_PAGES": lambda: _memory("MemTotal") // 4,
               "SC_AVPHYS_PAGES": lambda: _memory("MemAvailable") // 4}
    by_number = {number: name for name, number in posix.sysconf_names.items()}
    answer = answers.get(by_number.get(name, name) if isinstance(name, int) else name)
    if answer is None:
        return -1
    return answer()


def _memory(field):
    with open("/proc/meminfo") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name == field:
                return int(value.split()[0])
    return 0


def getrandom(size, flags=0):
    """Obtain a series of random bytes."""
    return posix.urandom(size)


#: The functions that replace those in `posix`, by name.
FUNCTIONS = {function.__name__: function for function in (
    _exit, abort, execve, execv, posix_spawn, posix_spawnp, system, waitpid, waitid, wait4, wait3, WIFEXITED, WEXITSTATUS,
    WIFSIGNALED, WTERMSIG, WIFSTOPPED, WSTOPSIG, WIFCONTINUED, WCOREDUMP, waitstatus_to_exitcode, kill, killpg,
    getpid, getppid, getuid, getgid, geteuid, getegid, getresuid, getresgid, getgroups, getlogin, getpgid, getpgrp,
    setpgid, setpgrp, getsid, setsid, umask, times, cpu_count, sched_getaffinity, sched_yield, getloadavg,
    uname, sysconf, getrandom, putenv, unsetenv, _create_environ)} | {"wait": wait_any, "waitid_result": waitid_result}

CONSTANTS = {
    "WNOHANG": WNOHANG, "WUNTRACED": WUNTRACED, "WCONTINUED": WCONTINUED,
    "POSIX_SPAWN_OPEN": 0, "POSIX_SPAWN_CLOSE": 1, "POSIX_SPAWN_DUP2": 2,
    "P_PID": P_PID, "P_PGID": P_PGID, "P_ALL": P_ALL, "GRND_RANDOM": 2, "GRND_NONBLOCK": 1,
    "SCHED_OTHER": 0, "NGROUPS_MAX": 65536, "RTLD_LOCAL": 0, "POSIX_FADV_RANDOM": 1, "POSIX_FADV_SEQUENTIAL": 2,
    "WEXITED": WEXITED, "WSTOPPED": WUNTRACED, "WNOWAIT": WNOWAIT, "CLD_EXITED": CLD_EXITED,
    "CLD_KILLED": CLD_KILLED, "CLD_DUMPED": 3, "CLD_TRAPPED": 4, "CLD_STOPPED": CLD_STOPPED, "CLD_CONTINUED": CLD_CONTINUED,
}

P_WAIT, P_NOWAIT = 0, 1


def spawn_like_os(mode, file, args, env, search):
    """`os.spawnv` and its relatives."""
    import os
    if not args or not args[0]:
        raise ValueError("spawnv() arg 2 must not be empty")
    start = posix_spawnp if search else posix_spawn
    try:
        pid = start(file, args, os.environ if env is None else env)
    except OSError:
        # A forked child would have ended with this status.
        return 127 if mode == P_WAIT else _NEVER
    return pid if mode == P_NOWAIT else waitstatus_to_exitcode(waitpid(pid, 0)[1])


def add_spawns(os):
    """Defines the functions that `os` builds on fork, after the library's modules have seen that there is no
    fork."""
    os.P_WAIT, os.P_NOWAIT, os.P_NOWAITO = P_WAIT, P_NOWAIT, P_NOWAIT
    os.fork = fork
    os.register_at_fork = register_at_fork
    os.spawnv = lambda mode, file, args: spawn_like_os(mode, file, args, None, False)
    os.spawnve = lambda mode, file, args, env: spawn_like_os(mode, file, args, env, False)
    os.spawnvp = lambda mode, file, args: spawn_like_os(mode, file, args, None, True)
    os.spawnvpe = lambda mode, file, args, env: spawn_like_os(mode, file, args, env, True)
    os.spawnl = lambda mode, file, *args: os.spawnv(mode, file, args)
    os.spawnle = lambda mode, file, *args: os.spawnve(mode, file, args[:-1], args[-1])
    os.spawnlp = lambda mode, file, *args: os.spawnvp(mode, file, args)
    os.spawnlpe = lambda mode, file, *args: os.spawnvpe(mode, file, args[:-1], args[-1])


def install_subprocess():
    """Creates the module `_posixsubprocess`, with which the unmodified `subprocess` works."""
    module = types.ModuleType("_posixsubprocess", "A POSIX helper for the subprocess module.")
    module.fork_exec = fork_exec
    sys.modules["_posixsubprocess"] = module
