"""Recognises interrupted calls by Linux's error number.

`_io` repeats a read or write when a raw stream raises an OSError with EINTR. It compares with the number of EINTR
in WASI's C library, which is that of EFBIG on Linux. So a write at the file size limit would be repeated for ever.
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
