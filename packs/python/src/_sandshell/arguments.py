"""The kernel's calls take only what the interface's types hold.

The component's runtime ends the process where an argument has another type than the interface says. Programs pass any object
as a descriptor, so each call is wrapped: what does not fit raises what a C function raises. It also ends the process where an
answer's object cannot be made because the recursion is too deep; so each call begins by going a little deeper than that.
"""

import operator

from componentize_py_types import Err
from wit_world.imports import files, processes

from .errors import fail

EBADF = 9

#: The parameters of each call: `i` and `u` for 32 bits, `I` and `U` for 64, with or without sign, `b` bytes, `f`
#: a descriptor, `-` for what
#: the callers have made themselves; `?` before one that may be None.
FILES = dict(open="ibuu", close="f", read="fu", write="fb", pread="fuU", pwrite="fbU", lseek="fIu", ftruncate="fU", fsync="f",
             stat="ib-", fstat="f", chmod="ibu-", fchmod="fu", chown="ib?u?u-", fchown="f?u?u", utime="ib?I?I-",
             futime="f?I?I", access="ibu-", mkdir="ibu", mknod="ibu", unlink="ib", rmdir="ib", rename="ibib", link="ibib-",
             symlink="bib", readlink="ib", names="ib", statvfs="ib", chdir="ib", pipe="-", dup="fu-", dup2="ff-",
             get_cloexec="f", set_cloexec="f-", get_flags="f", set_flags="fu", isatty="u", terminal_size="f", poll="-?U",
             getcwd="")
PROCESSES = dict(exit="u", wait="iu", kill="iu", sigaction="u-", alarm="U", getpgid="u", setpgid="uu", umask="u",
                 getrlimit="u", setrlimit="uUU", invoked="", spawn="-", exec="-", sigtake="", ids="", setsid="", times="",
                 hostname="", processors="")
RANGES = {"i": (-1 << 31, (1 << 31) - 1), "u": (0, (1 << 32) - 1), "I": (-1 << 63, (1 << 63) - 1), "U": (0, (1 << 64) - 1)}


def number(value, low, high):
    """The number that a value stands for."""
    value = operator.index(value)
    if value > high:
        raise OverflowError("Python int too large to convert to C int")
    if value < low:
        raise OverflowError("can't convert negative int to unsigned" if not low else
                            "Python int too large to convert to C int")
    return value


def descriptor(value):
    """The number of a descriptor, which is not open if it is negative."""
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
    """Raises RecursionError if the stack does not reach for what the component's runtime does with an answer."""
    max((0,), key=_deeper)


#: What looks whether the stack is enough.
STACK = enough_stack, _deeper, _deepest


def install():
    """Wraps the calls."""
    for module, table in ((files, FILES), (processes, PROCESSES)):
        for name, kinds in table.items():
            setattr(module, name, _wrapped(getattr(module, name), kinds))


def _wrapped(function, kinds):
    """A function that checks and calls; written out, as it is called often."""
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
            lines.append(f"    if type({name}) is not bytes:\n        {name} = data({name})\n")
        optional = False
    arguments = ", ".join(names)
    # The binding's frame keeps the error, and the error would keep the frame and all that are above it.
    source = (f"def call({arguments}):\n    enough()\n{''.join(lines)}"
              f"    try:\n        return function({arguments})\n"
              f"    except Err as error:\n        raise error.with_traceback(None)\n")
    place = {"__name__": __name__, "Err": Err, "function": function, "enough": enough_stack, "number": number, "data": data, "descriptor": descriptor}
    exec(compile(source, __file__, "exec"), place)
    return place["call"]
