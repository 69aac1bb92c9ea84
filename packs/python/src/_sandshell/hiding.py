"""Hides the frames of these modules in tracebacks and stacks, because CPython has C functions instead."""

import sys
import traceback
import types

from .frames import is_call
from .replacing import put


def install(library):
    """Changes how `traceback` walks the stack. The frames below the program's own are hidden too."""
    own = f"{library}/_sandshell/"
    walk_tb, walk_positions = traceback.walk_tb, traceback._walk_tb_with_full_positions

    def is_own(frame):
        return frame.f_code.co_filename.startswith(own)

    def hidden_tb(tb):
        """Walk a traceback yielding the frame and line number for each frame."""
        return ((frame, line) for frame, line in walk_tb(tb) if not is_own(frame))

    def hidden_positions(tb):
        return ((frame, positions) for frame, positions in walk_positions(tb) if not is_own(frame))

    def hidden_stack(frame):
        """Walk a stack yielding the frame and line number for each frame."""
        if frame is None:
            frame = sys._getframe(1).f_back
        while frame is not None:
            if not is_own(frame) and not frame.f_code.co_filename.endswith("/_sandshell_entry.py"):
                yield frame, frame.f_lineno
            frame = frame.f_back

    for hidden, shown in ((hidden_tb, walk_tb), (hidden_positions, walk_positions), (hidden_stack, traceback.walk_stack)):
        hidden.__module__, hidden.__name__, hidden.__qualname__ = shown.__module__, shown.__name__, shown.__qualname__
    traceback.walk_tb = hidden_tb
    traceback._walk_tb_with_full_positions = hidden_positions
    traceback.walk_stack = hidden_stack
    _unraisable(is_own)
    _tracing()
    _recursion()


def _unraisable(is_own):
    """The interpreter's own hook reports exceptions that nobody can catch, and walks the stack itself."""
    own_hook = sys.unraisablehook

    def without_own(tb):
        shown = []
        while tb is not None:
            if not is_own(tb.tb_frame):
                shown.append(tb)
            tb = tb.tb_next
        for own in reversed(shown):
            tb = types.TracebackType(tb, own.tb_frame, own.tb_lasti, own.tb_lineno)
        return tb

    def unraisablehook(unraisable, /):
        if type(unraisable).__name__ == "UnraisableHookArgs" and (tb := unraisable.exc_traceback) is not None:
            kind, value, _, message, thing = unraisable
            unraisable = type(unraisable)((kind, value, without_own(tb), message, thing))
        own_hook(unraisable)

    unraisablehook.__doc__ = own_hook.__doc__
    put(sys, "unraisablehook", unraisablehook)
    sys.__unraisablehook__ = sys.unraisablehook


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
