"""Which frames are of these modules and of the component's runtime: a program would not have them were they C functions."""

#: Modules whose functions stand for C functions, or that make the answers of the kernel's calls.
_MODULES = (__package__ + ".", "wit_world", "componentize_py")


def is_call(frame):
    """Whether a frame is of a call of the kernel's, or makes its answer."""
    name = frame.f_globals.get("__name__")
    while name == "enum" and frame.f_back is not None:
        frame = frame.f_back
        name = frame.f_globals.get("__name__")
    return isinstance(name, str) and name.startswith(_MODULES)


def hide(*functions):
    """Keeps functions out of profiles, traces and stacks, as if they were C functions.

    A function is seen from its instruction RESUME on: there the interpreter adds what watches it, and a frame that has not
    come to one is skipped by all that walks the stack.
    """
    from opcode import opmap
    for function in functions:
        code = bytearray(function.__code__.co_code)
        for at in range(0, len(code), 2):
            if code[at] == opmap["RESUME"]:
                code[at:at + 2] = opmap["NOP"], 0
        function.__code__ = function.__code__.replace(co_code=bytes(code))
