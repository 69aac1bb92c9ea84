"""An interrupted call is known by Linux's number.

`_io` reads and writes again when a raw stream raises an OSError that says EINTR. It compares with the number that WASI's C
library has for it, which on Linux is EFBIG's: a stream at a limit of files' sizes would be written to for ever.
"""

from .wasm import I32_CONST, signed

WASI, LINUX = 27, 4


def interrupted(module):
    """Makes `_PyIO_trap_eintr` compare with Linux's number."""
    index = module.function("_PyIO_trap_eintr")
    body = next(body for number, _, body in module.functions() if number == index)
    known = bytes([I32_CONST]) + signed(WASI)
    if body.count(known) != 1:
        raise LookupError("EINTR is not compared as expected")
    module.replace(index, body.replace(known, bytes([I32_CONST]) + signed(LINUX)))
