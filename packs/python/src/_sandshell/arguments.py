"""Checks the arguments of the kernel's calls.

The component's runtime ends the process if an argument has another type than in the interface. Programs may pass
any object as a descriptor, so each call is wrapped: a wrong argument raises the same exception as in a C function.
The runtime also ends the process if it cannot create the answer's object because the recursion is too deep, so each
call first tests that there is enough stack for that.
"""

import operator

from componentize_py_types import Err
from wit_world.imports import files, processes, sockets

from .errors import fail

EBADF = 9

#: The parameters of each call: `i` and `u` for signed and unsigned 32 bits, `I` and `U` for 64, `b` for bytes, `f`
#: a descriptor, `-` for what the callers have made themselves; `?` before one that may be None.
FILES = dict(open="ibuu", close="f", read="fu", write="fb", pread="fuU", pwrite="fbU", lseek="fIu", ftruncate="fU", fsync="f",
             stat="ib-", fstat="f", chmod="ibu-", fchmod="fu", chown="ib?u?u-", fchown="f?u?u", utime="ib?I?I-",
             futime="f?I?I", access="ibu-", mkdir="ibu", mknod="ibu", unlink="ib", rmdir="ib", rename="ibib", link="ibib-",
             symlink="bib", readlink="ib", names="ib", statvfs="ib", chdir="ib", pipe="-", dup="fu-", dup2="ff-",
             get_cloexec="f", set_cloexec="f-", get_flags="f", set_flags="fu", isatty="u", terminal_size="f", poll="-?U",
             getcwd="", flock="fu", lock="fuUU-", find_lock="fuUU", socketpair="-", shutdown="fu", available="f")
SOCKETS = dict(socket="uu-", bind="fb", listen="fu", accept="f--", connect="fb-", name="f-", send="fbu?b", receive="fuu",
               get_option="fuu", set_option="fuuu")
PROCESSES = dict(exit="u", wait="iu", kill="iu", sigaction="u-", alarm="U", getpgid="u", setpgid="uu", umask="u",
                 getrlimit="u", setrlimit="uUU", invoked="", spawn="-", exec="-", sigtake="", ids="", setsid="", times="",
                 hostname="", processors="")
RANGES = {"i": (-1 << 31, (1 << 31) - 1), "u": (0, (1 << 32) - 1), "I": (-1 << 63, (1 << 63) - 1), "U": (0, (1 << 64) - 1)}


def number(value, low, high):
    """Converts a value to a number in this range."""
    value = operator.index(value)
    if value > high:
        raise OverflowError("Python int too large to convert to C int")
    if value < low:
        raise OverflowError("can't convert negative int to unsigned" if not low else
                            "Python int too large to convert to C int")
    return value


def descriptor(value):
    """The number of a descriptor; a negative one is not open."""
    value = number(value, *RANGES["i"])
    if value < 0:
        raise fail(EBADF)
    return value


def data(value):
    """The bytes of a value."""
    if isinstance(value, int):
        raise TypeError("a bytes-like object is required, not 'int'")
    return bytes(value)


def _deeper(_):
    return max((0,), key=_deepest)


def _deepest(_):
    return 0


def enough_stack():
    """Raises RecursionError if there is not enough stack for the component's runtime to create an answer."""
    max((0,), key=_deeper)


#: The functions that check the stack.
STACK = enough_stack, _deeper, _deepest


def install():
    """Wraps the calls."""
    for module, table in ((files, FILES), (sockets, SOCKETS), (processes, PROCESSES)):
        for name, kinds in table.items():
            setattr(module, name, _wrapped(getattr(module, name), kinds))


def _wrapped(function, kinds):
    """A function that checks the arguments and makes the call. Its source is generated, because it is called
    often."""
    names, lines, optional = [], [], False
    for kind in kinds:
        if kind == "?":
            optional = True
            continue
        name = f"a{len(names)}"
        names.append(name)
        unless_none = f"{name} is not None and " if optional else ""
        if kind == "f":
            lines.append(f"    if not (type({name}) is int and 0 <= {name} <= {RANGES['i'][1]}):\n"
                         f"        {name} = descriptor({name})\n")
        elif kind in RANGES:
            low, high = RANGES[kind]
            lines.append(f"    if {unless_none}not (type({name}) is int and {low} <= {name} <= {high}):\n"
                         f"        {name} = number({name}, {low}, {high})\n")
        elif kind == "b":
            lines.append(f"    if {unless_none}type({name}) is not bytes:\n        {name} = data({name})\n")
        optional = False
    arguments = ", ".join(names)
    # The binding's frame refers to the error, and the error would refer to the frame and all its callers.
    source = (f"def call({arguments}):\n    enough()\n{''.join(lines)}"
              f"    try:\n        return function({arguments})\n"
              f"    except Err as error:\n        raise error.with_traceback(None)\n")
    place = {"__name__": __name__, "Err": Err, "function": function, "enough": enough_stack, "number": number, "data": data, "descriptor": descriptor}
    exec(compile(source, __file__, "exec"), place)
    return place["call"]
