"""What the interpreter starts with is never given back, so that nobody counts who uses it.

Counting writes to each object that a program merely looks at, and every page that is written costs a process a copy of its
own. CPython does not count for objects whose count is `IMMORTAL`.
"""

import struct

IMMORTAL = 5 << 28
#: A count beyond this is none: what was given back keeps addresses there.
PLAUSIBLE = 1 << 18
TYPE_AT = 4


def keep(memory, listed):
    """Makes the objects immortal that are listed, by their address and their type's, and are still there."""
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
    """Changes the listed instructions, which count the uses of a constant without a look at its count, if it is immortal.

    Left as they are they would count it on until the count overflows, and the constant be given back.
    """
    there = 0
    for address, constant in struct.iter_unpack("<II", listed):
        if memory.bytes[address] == COUNTING:
            there += 1
            if memory.word(constant) >= IMMORTAL:
                memory.bytes[address] = NOT_COUNTING
    if there <= len(listed) // 16:
        raise LookupError(f"only {there} of the listed instructions are there")
