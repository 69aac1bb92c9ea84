"""Tells the interpreter's options where its configuration has what they change.

CPython has a table of the configuration's members (`PYCONFIG_SPEC`) with a name and an offset for each.
"""

import re

#: The size of an entry: a name, an offset, the type and other things.
ENTRY = 28
NAME = re.compile("[a-z_0-9]+")


def tell(memory, told):
    """Writes the offsets where `told` says: an address, then the names of the members."""
    address, names = int.from_bytes(told[:4], "little"), told[4:].decode().split()
    entry = memory.pointer_to("pythonpath_env", ENTRY)
    while NAME.fullmatch(memory.text(memory.word(entry - ENTRY))):
        entry -= ENTRY
    offsets = {}
    while name := memory.text(memory.word(entry)):
        if not NAME.fullmatch(name):
            break
        offsets[name] = memory.word(entry + 4)
        entry += ENTRY
    for at, name in enumerate(names):
        memory.set_word(address + 4 * at, offsets[name])
