"""`_signal`: handlers run when a waiting call is interrupted, and every few milliseconds during computation."""

import _signal
import _thread
import operator
import sys

from componentize_py_types import Err
from wit_world.imports import files as file_calls
from wit_world.imports import processes as calls

from . import arguments, kernel, threads
from .arguments import descriptor
from .errors import fail
from .frames import hide, is_call
from .kernel import EINTR, call, wait
from .replacing import put

SIG_DFL, SIG_IGN = 0, 1
SIGINT, SIGKILL, SIGPIPE, SIGALRM, SIGCHLD, SIGSTOP, SIGXFSZ = 2, 9, 13, 14, 17, 19, 25
MAX = 64
O_NONBLOCK = 0o4000
#: Linux's numbers.
NUMBERS = {
    "SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGIOT": 6, "SIGBUS": 7,
    "SIGFPE": 8, "SIGKILL": 9, "SIGUSR1": 10, "SIGSEGV": 11, "SIGUSR2": 12, "SIGPIPE": 13, "SIGALRM": 14,
    "SIGTERM": 15, "SIGSTKFLT": 16, "SIGCHLD": 17, "SIGCLD": 17, "SIGCONT": 18, "SIGSTOP": 19, "SIGTSTP": 20,
    "SIGTTIN": 21, "SIGTTOU": 22, "SIGURG": 23, "SIGXCPU": 24, "SIGXFSZ": 25, "SIGVTALRM": 26, "SIGPROF": 27,
    "SIGWINCH": 28, "SIGIO": 29, "SIGPOLL": 29, "SIGPWR": 30, "SIGSYS": 31, "SIGRTMIN": 34, "SIGRTMAX": 64,
}
SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK = 0, 1, 2
ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF = 0, 1, 2

_handlers = {}
_blocked = set()
_pending = []
_wakeup_fd = -1
_interval = 0
#: The signals for which `faults` writes tracebacks, and its function that does.
traced, arrived = {}, None
#: Whether the program has ended and its names are about to be cleared.
_over = False


def default_int_handler(signalnum, frame, /):
    """The default handler for SIGINT installed by Python.  It raises KeyboardInterrupt."""
    raise KeyboardInterrupt


def start():
    """Sets the signal actions of a starting interpreter: SIGPIPE and SIGXFSZ are ignored, and SIGINT raises
    KeyboardInterrupt unless it was ignored."""
    calls.sigaction(SIGPIPE, calls.Disposition.IGNORE)
    calls.sigaction(SIGXFSZ, calls.Disposition.IGNORE)
    if calls.sigaction(SIGINT, calls.Disposition.CATCH) == calls.Disposition.IGNORE:
        calls.sigaction(SIGINT, calls.Disposition.IGNORE)
        _handlers[SIGINT] = SIG_IGN


def stop():
    """Stops running handlers."""
    global _over
    _over = True


def poll(signalnum, frame):
    """Called by the interpreter every few milliseconds while it computes (the recipe's `adapt.signals`).

    If a handler raised an exception during a call, the call's result would be lost or the process would end. So
    handlers wait for the end of the call, except for key derivations, which take long.
    """
    global _looks
    if frame.f_code is threads._acquire.__code__:
        # It waits in place of a call of the kernel, so it is interrupted as one.
        take_arrived()
        if any(number not in _blocked for number in _pending):
            raise Err(EINTR)
    elif not is_call(frame) or frame.f_globals.get("__name__") == _KEYS:
        _looks = 0
        run_handlers(frame)
    elif _looks < _MOST_LOOKS:
        _looks += 1
        # The interpreter polls after each call, but not after a step of this loop, so the next poll is not in this
        # function.
        for _ in iter(_poll_again, None):
            pass
    else:
        _looks = 0


_KEYS = f"{__package__}.hashes"
#: How often the end of a call was polled for, and the most times: polling on would slow down long calls.
_looks, _MOST_LOOKS = 0, 64
#: Makes the interpreter call `poll` at its next check: after a call, at the end of a loop's round, or at the start
#: of a function.
_poll_again = _thread.interrupt_main


def interrupt_main(signum=SIGINT, /):
    """Simulate the arrival of the given signal in the main thread, where the corresponding signal handler will be executed."""
    number = _number(signum)
    if callable(getsignal(number)):
        _pending.append(number)
        run_handlers()


def take_arrived():
    """Asks the kernel for the signals that have arrived."""
    while number := calls.sigtake():
        _pending.append(number)
        if _wakeup_fd >= 0:
            import os
            try:
                os.write(_wakeup_fd, bytes([number]))
            except OSError:
                pass
        if number == SIGALRM and _interval:
            calls.alarm(_interval)


def run_handlers(frame=None):
    """Calls the handlers of the signals that have arrived; `frame` is the program's."""
    if _over:
        return
    if not threads.is_main():
        threads.look_for_signals()
        return
    take_arrived()
    # A handler that is itself interrupted may run the other handlers.
    while ready := [number for number in _pending if number not in _blocked]:
        try:
            _pending.remove(ready[0])
        except ValueError:
            # The handlers ran during this loop's condition.
            continue
        handler = getsignal(ready[0])
        if ready[0] in traced:
            if not arrived(ready[0], frame or sys._getframe()):
                continue
            if handler == SIG_DFL:
                calls.sigaction(ready[0], calls.Disposition.DEFAULT)
                call(calls.kill, calls.ids().pid, ready[0])
                calls.sigaction(ready[0], calls.Disposition.CATCH)
        if callable(handler):
            # This function's own frame is not counted.
            handler(ready[0], frame or sys._getframe())


def _number(signalnum):
    number = int(signalnum)
    if not 0 < number <= MAX:
        raise ValueError("signal number out of range")
    return number


def signal(signalnum, handler, /):
    """Set the action for the given signal."""
    number = _number(signalnum)
    if handler == SIG_IGN:
        wanted, handler = calls.Disposition.IGNORE, SIG_IGN
    elif not callable(handler) and handler == SIG_DFL:
        wanted, handler = calls.Disposition.DEFAULT, SIG_DFL
    elif callable(handler):
        wanted = calls.Disposition.CATCH
    else:
        raise TypeError("signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a callable object")
    if not threads.is_main():
        raise ValueError("signal only works in main thread of the main interpreter")
    old = getsignal(number)
    call(calls.sigaction, number, wanted)
    _handlers[number] = handler
    traced.pop(number, None)
    return old


def restore(number):
    """Sets the action of a signal that was only caught for its traceback."""
    handler = getsignal(number)
    if callable(handler) or number in _blocked:
        return
    calls.sigaction(number, calls.Disposition.IGNORE if handler == SIG_IGN else calls.Disposition.DEFAULT)


def getsignal(signalnum, /):
    """Return the current action for the given signal."""
    number = _number(signalnum)
    if number in _handlers:
        return _handlers[number]
    return {SIGINT: default_int_handler, SIGPIPE: SIG_IGN, SIGXFSZ: SIG_IGN}.get(number, SIG_DFL)


def raise_signal(signalnum, /):
    """Send a signal to the executing process."""
    call(calls.kill, calls.ids().pid, _number(signalnum))
    run_handlers()


def pthread_kill(thread_id, signalnum, /):
    """Send a signal to a thread: the process's signals go to all of its threads together."""
    number = operator.index(signalnum)
    if operator.index(thread_id) not in sys._current_frames():
        raise fail(3)
    if not 0 <= number <= MAX:
        raise fail(22)
    call(calls.kill, calls.ids().pid, number)
    run_handlers()


def strsignal(signalnum, /):
    """Return the system description of the given signal."""
    return TEXTS.get(_number(signalnum), f"Real-time signal {signalnum - 34}" if 34 <= signalnum <= 64 else None)


TEXTS = dict(enumerate((
    "Hangup", "Interrupt", "Quit", "Illegal instruction", "Trace/breakpoint trap", "Aborted", "Bus error",
    "Floating point exception", "Killed", "User defined signal 1", "Segmentation fault", "User defined signal 2",
    "Broken pipe", "Alarm clock", "Terminated", "Stack fault", "Child exited", "Continued", "Stopped (signal)",
    "Stopped", "Stopped (tty input)", "Stopped (tty output)", "Urgent I/O condition", "CPU time limit exceeded",
    "File size limit exceeded", "Virtual timer expired", "Profiling timer expired", "Window changed", "I/O possible",
    "Power failure", "Bad system call"), 1))


def valid_signals():
    """Return a set of valid signal numbers on this platform."""
    return set(range(1, 32)) | set(range(34, 65))


def alarm(seconds, /):
    """Arrange for SIGALRM to arrive after the given number of seconds."""
    global _interval
    _interval = 0
    left = calls.alarm(int(seconds) * 1_000_000_000)
    return -(-left // 1_000_000_000)


def setitimer(which, seconds, interval=0.0, /):
    """Sets given itimer (only ITIMER_REAL is there) to fire after value seconds."""
    global _interval
    if which != ITIMER_REAL:
        raise ItimerError(22, "Invalid argument: only ITIMER_REAL is supported")
    if seconds < 0 or interval < 0:
        raise ItimerError(22, "Invalid argument")
    old = _interval
    _interval = int(interval * 1e9)
    return calls.alarm(int(seconds * 1e9)) / 1e9, old / 1e9


def getitimer(which, /):
    """Returns current value of given itimer."""
    left = calls.alarm(0)
    if left:
        calls.alarm(left)
    return left / 1e9, _interval / 1e9


class ItimerError(OSError):
    """Something is wrong with a timer."""


def pause():
    """Wait until a signal arrives."""
    try:
        file_calls.poll([], None)
    except Err:
        run_handlers()


def set_wakeup_fd(fd, /, *, warn_on_full_buffer=True):
    """Sets the fd to be written to when a signal comes in."""
    global _wakeup_fd
    fd = operator.index(fd)
    if fd != -1:
        call(file_calls.fstat, descriptor(fd))
        if not call(file_calls.get_flags, fd) & O_NONBLOCK:
            raise ValueError(f"the fd {fd} must be in non-blocking mode")
    old, _wakeup_fd = _wakeup_fd, fd
    return old


def siginterrupt(signalnum, flag, /):
    """Change system call restart behaviour: calls are always made again."""
    _number(signalnum)


def pthread_sigmask(how, mask, /):
    """Fetch and/or change the signal mask: what is blocked is handled later."""
    global _blocked
    old, mask = set(_blocked), {_in_set(number) for number in mask}
    if how == SIG_BLOCK:
        _blocked |= mask
    elif how == SIG_UNBLOCK:
        _blocked -= mask
    elif how == SIG_SETMASK:
        _blocked = mask
    else:
        raise fail(22)
    _blocked -= {SIGKILL, SIGSTOP}
    for number in _blocked - old:
        if getsignal(number) == SIG_DFL:
            calls.sigaction(number, calls.Disposition.CATCH)
    for number in old - _blocked:
        if getsignal(number) == SIG_DFL and number not in traced:
            calls.sigaction(number, calls.Disposition.DEFAULT)
            if number in _pending:
                _pending.remove(number)
                call(calls.kill, calls.ids().pid, number)
    run_handlers()
    return old


def _in_set(number):
    number = operator.index(number)
    if not 0 < number <= MAX:
        raise ValueError(f"signal number {number} out of range [1; {MAX}]")
    return number


def sigpending():
    """Examine pending signals."""
    run_handlers()
    return set(_pending)


def sigwait(sigset, /):
    """Wait for a signal."""
    wanted, found = {_in_set(number) for number in sigset}, []

    def attempt():
        take_arrived()
        found.extend([number for number in _pending if number in wanted][:1])
        if not found:
            run_handlers()
        return found

    if threads.active:
        wait(threads.until, attempt)
    while not attempt():
        pause()
    _pending.remove(found[0])
    return found[0]


def install():
    """Replaces the functions of `_signal`. The interpreter's own table of handlers has only one entry: `poll`."""
    _signal.signal(_signal.SIGINT, poll)
    # Hides the polling from programs.
    hide(poll, is_call, run_handlers, take_arrived, calls.sigtake, calls.sigtake.__globals__["function"], *arguments.STACK)
    for name in [name for name in vars(_signal) if name.startswith("SIG") or name.startswith("ITIMER")]:
        delattr(_signal, name)
    for name, number in NUMBERS.items():
        setattr(_signal, name, number)
    for name in ("SIG_DFL", "SIG_IGN", "SIG_BLOCK", "SIG_UNBLOCK", "SIG_SETMASK", "ITIMER_REAL", "ITIMER_VIRTUAL",
                 "ITIMER_PROF"):
        setattr(_signal, name, globals()[name])
    for function in (default_int_handler, signal, getsignal, raise_signal, strsignal, valid_signals, alarm,
                     setitimer, getitimer, pause, set_wakeup_fd, siginterrupt, pthread_kill, pthread_sigmask, sigpending, sigwait):
        put(_signal, function.__name__, function)
    put(_thread, "interrupt_main", interrupt_main)
    # Programs compare handlers with this function.
    globals()["default_int_handler"] = _signal.default_int_handler
    ItimerError.__module__, ItimerError.__name__, ItimerError.__qualname__ = "signal", "itimer_error", "itimer_error"
    _signal.ItimerError = ItimerError
    _signal.NSIG = MAX + 1
    kernel.run_handlers = run_handlers
