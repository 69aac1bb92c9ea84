"""The kernel computes SHA-2 of longer data: the interpreter's C functions call it (the recipe's
`adapt/functions/interpreter/digests.wat`)."""

import struct

import componentize_py_runtime
from wit_world.imports import digests

_call = componentize_py_runtime.call_import


def addresses():
    """The address of the function that calls the kernel, and the addresses of its arguments for SHA-256 and
    SHA-512; 32 bits each."""
    numbers = []
    before = componentize_py_runtime.call_import
    componentize_py_runtime.call_import = lambda number, arguments: numbers.append(number) or b""
    try:
        digests.sha256(b"", b"")
        digests.sha512(b"", b"")
    finally:
        componentize_py_runtime.call_import = before
    return struct.pack("<3I", id(_call), *numbers)
