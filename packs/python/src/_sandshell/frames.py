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
