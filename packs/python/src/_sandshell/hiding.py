"""Hides the frames of these modules in stacks, because CPython has C functions instead. Tracebacks do not have them
(`relocate`)."""

import sys
import traceback

from .frames import is_call
from .replacing import put


def install(library):
    """Changes how `traceback` walks the stack. The frames below the program's own are hidden too."""
    own = f"{library}/_sandshell/"

    def hidden_stack(frame):
        """Walk a stack yielding the frame and line number for each frame."""
        if frame is None:
            frame = sys._getframe(1).f_back
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith(own) and not name.endswith("/_sandshell_entry.py"):
                yield frame, frame.f_lineno
            frame = frame.f_back

    shown = traceback.walk_stack
    hidden_stack.__module__, hidden_stack.__name__, hidden_stack.__qualname__ = shown.__module__, shown.__name__, shown.__qualname__
    traceback.walk_stack = hidden_stack
    _tracing()
    _recursion()


def _tracing():
    """Trace functions do not see these modules' frames either."""
    set, get = sys.settrace, sys.gettrace

    def settrace(function, /):
        if function is None:
            set(None)
            return

        def outside(frame, event, arg):
            return None if is_call(frame) else function(frame, event, arg)

        outside.of_program = function
        set(outside)

    def gettrace():
        current = get()
        return getattr(current, "of_program", current)

    settrace.__doc__, gettrace.__doc__ = set.__doc__, get.__doc__
    put(sys, "settrace", settrace)
    put(sys, "gettrace", gettrace)


#: The depth of the program's first frame.
DEPTH = 6


def _recursion():
    """Makes the recursion limit count from the program's first frame."""
    get, set = sys.getrecursionlimit, sys.setrecursionlimit
    set(get() + DEPTH)

    def getrecursionlimit():
        """Return the current value of the recursion limit."""
        return get() - DEPTH

    def setrecursionlimit(limit, /):
        """Set the maximum depth of the Python interpreter stack to n."""
        if limit < 1:
            raise ValueError("recursion limit must be greater or equal than 1")
        set(limit + DEPTH)

    put(sys, "getrecursionlimit", getrecursionlimit)
    put(sys, "setrecursionlimit", setrecursionlimit)
