"""`syslog`, as on a system where nothing listens at `/dev/log`: only LOG_PERROR writes messages anywhere."""

import operator
import os
import sys

from .resources import module

LOG_PID, LOG_CONS, LOG_ODELAY, LOG_NDELAY, LOG_NOWAIT, LOG_PERROR = 1, 2, 4, 8, 16, 32
CONSTANTS = dict(
    LOG_EMERG=0, LOG_ALERT=1, LOG_CRIT=2, LOG_ERR=3, LOG_WARNING=4, LOG_NOTICE=5, LOG_INFO=6, LOG_DEBUG=7,
    LOG_KERN=0 << 3, LOG_USER=1 << 3, LOG_MAIL=2 << 3, LOG_DAEMON=3 << 3, LOG_AUTH=4 << 3, LOG_SYSLOG=5 << 3,
    LOG_LPR=6 << 3, LOG_NEWS=7 << 3, LOG_UUCP=8 << 3, LOG_CRON=9 << 3, LOG_AUTHPRIV=10 << 3,
    **{f"LOG_LOCAL{number}": 16 + number << 3 for number in range(8)},
    **{name: value for name, value in globals().items() if name.startswith("LOG_")})
LOG_INFO = CONSTANTS["LOG_INFO"]
#: Every priority.
_ALL = 0xff
_ident, _options, _wanted = None, 0, _ALL


def syslog(*arguments):
    """Send the string message to the system logger."""
    priority, message = (LOG_INFO, *arguments)[-2:] if arguments else (LOG_INFO, None)
    if len(arguments) > 2 or not isinstance(message, str) or not hasattr(priority, "__index__"):
        raise TypeError("[priority,] message string")
    priority, text = operator.index(priority), _text(message)
    if _ident is None:
        openlog()
    if _options & LOG_PERROR and _wanted & 1 << (priority & 7):
        number = f"[{os.getpid()}]" if _options & LOG_PID else ""
        prefix = f"{_ident}{number}: " if _ident or number else ""
        os.write(2, os.fsencode(prefix) + text.removesuffix(b"\n") + b"\n")


def _text(text):
    if "\0" in text:
        raise ValueError("embedded null character")
    return text.encode()


def openlog(ident=None, logoption=0, facility=CONSTANTS["LOG_USER"]):
    """Set logging options of subsequent syslog() calls."""
    global _ident, _options
    if ident is None:
        ident = os.path.basename(sys.argv[0]) if getattr(sys, "argv", None) and sys.argv[0] else "python"
    elif not isinstance(ident, str):
        raise TypeError(f"openlog() argument 1 must be str, not {type(ident).__name__}")
    else:
        _text(ident)
    operator.index(facility)
    _ident, _options = ident, operator.index(logoption)


def closelog():
    """Reset the syslog module values and call the system library closelog()."""
    global _ident, _options
    _ident, _options = None, 0


def setlogmask(maskpri, /):
    """Set the priority mask to maskpri and return the previous mask value."""
    global _wanted
    old, maskpri = _wanted, operator.index(maskpri)
    if maskpri:
        _wanted = maskpri
    return old


def LOG_MASK(pri, /):
    """Calculates the mask for the individual priority pri."""
    return 1 << pri


def LOG_UPTO(pri, /):
    """Calculates the mask for all priorities up to and including pri."""
    return (1 << pri + 1) - 1


def install():
    """Creates the module."""
    module("syslog", "Messages for the system's log.", syslog=syslog, openlog=openlog, closelog=closelog,
           setlogmask=setlogmask, LOG_MASK=LOG_MASK, LOG_UPTO=LOG_UPTO, **CONSTANTS)
