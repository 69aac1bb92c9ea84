"""Turns addresses into constants.

The interpreter's libraries are position-independent: they read the addresses of data and functions from variables
that the linker sets. In the built program these variables never change, so each can be replaced by its value, which
saves a memory access.
"""

from .wasm import GLOBAL_GET, GLOBAL_SET, I32_CONST, operators, read, signed

#: The libraries in which most time is spent, each with a function that only it has.
LIBRARIES = {"libpython3.14.so": "Py_EnterRecursiveCall", "libc.so": "memchr"}
#: Variables that have other names in the program.
BASES = {"__memory_base": "memory_base", "__table_base": "table_base"}


def fold(component):
    """Replaces the variables with their values in the libraries' functions."""
    program = component.module_that_exports("libpython3.14.so:memory_base")
    values = program.initial_values()
    for library, function in LIBRARIES.items():
        module = component.module_that_exports(function)
        known = {}
        for index, name in enumerate(module.imported_globals):
            name = f"{library}:{BASES.get(name, name)}"
            if name in values:
                known[index] = bytes([I32_CONST]) + signed(values[name])
        if len(known) < len(BASES):
            raise LookupError(f"the program has no addresses of {library}")
        for index, _, body in module.functions():
            module.replace(index, _folded(body, known))


def _folded(body, known):
    code, behind = bytearray(), 0
    for at, operator, end in operators(body):
        if operator == GLOBAL_GET and (constant := known.get(read(body, at + 1)[0])):
            code += body[behind:at] + constant
            behind = end
        elif operator == GLOBAL_SET and read(body, at + 1)[0] in known:
            raise ValueError("a library sets an address")
    return bytes(code + body[behind:])
