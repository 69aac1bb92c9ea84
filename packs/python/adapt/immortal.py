"""Makes the interpreter's initial objects immortal, so that their references are not counted.

Reference counting writes to every object that a program only reads, and every written page must be copied for the
process. CPython does not count references to objects whose count is `IMMORTAL`.
"""

import struct

IMMORTAL = 5 << 28
#: A larger value is not a count: freed memory has addresses there.
PLAUSIBLE = 1 << 18
TYPE_AT = 4


def keep(memory, listed):
    """Makes the listed objects immortal if they still exist. Each is listed by its address and that of its type."""
    kept = 0
    for address, kind in struct.iter_unpack("<II", listed):
        if memory.word(address + TYPE_AT) == kind and 0 < memory.word(address) < PLAUSIBLE:
            memory.set_word(address, IMMORTAL)
            kept += 1
    if kept < len(listed) // 16:
        raise LookupError(f"only {kept} of the listed objects are there")


#: `LOAD_CONST_MORTAL` and `LOAD_CONST_IMMORTAL`.
COUNTING, NOT_COUNTING = 191, 190


def count_no_more(memory, listed):
    """Changes the listed instructions if their constant is immortal. They count references to the constant without
    checking whether it is immortal.

    Otherwise they would increase the count until it overflows and the constant is freed.
    """
    there = 0
    for address, constant in struct.iter_unpack("<II", listed):
        if memory.bytes[address] == COUNTING:
            there += 1
            if memory.word(constant) >= IMMORTAL:
                memory.bytes[address] = NOT_COUNTING
    if there <= len(listed) // 16:
        raise LookupError(f"only {there} of the listed instructions are there")
