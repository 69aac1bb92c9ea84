"""Recognises frames of these modules and of the component's runtime, which a program would not see if they were C
functions."""

#: Modules whose functions replace C functions, or that create the answers of the kernel's calls.
_MODULES = (__package__ + ".", "wit_world", "componentize_py")


def is_call(frame):
    """Whether a frame belongs to a call of the kernel or to the creation of its answer."""
    name = frame.f_globals.get("__name__")
    while name == "enum" and frame.f_back is not None:
        frame = frame.f_back
        name = frame.f_globals.get("__name__")
    return isinstance(name, str) and name.startswith(_MODULES)


def hide(*functions):
    """Hides functions from profiles, traces and stacks, as if they were C functions.

    A function becomes visible at its instruction RESUME: the interpreter instruments that instruction, and code
    that walks the stack skips frames that have not reached one.
    """
    from opcode import opmap
    for function in functions:
        code = bytearray(function.__code__.co_code)
        for at in range(0, len(code), 2):
            if code[at] == opmap["RESUME"]:
                code[at:at + 2] = opmap["NOP"], 0
        function.__code__ = function.__code__.replace(co_code=bytes(code))
