"""Fills the holes that the build leaves in the heap, so that what is made next lies together.

Each page that a process writes is copied for it, and what each writes to could lie in a hundred of them. The holes are closed
when the program is built (the recipe's `adapt.heap`).
"""

import gc

#: What fills them: a chain, as a list would leave holes where it grows.
_filling = None
#: No hole is as large as this.
ROOM = 1 << 20
#: What the allocator and `bytes` need for themselves; what the smallest piece is for `bytes`.
_OVERHEAD, _SMALLEST = 21, 24
_ALIGNMENT = 8
_KIB = 1 << 10
_LARGE = [size - _OVERHEAD for sizes in (range(768 * _KIB, 256 * _KIB, -256 * _KIB), range(256 * _KIB, 32 * _KIB, -4 * _KIB),
                                         range(32 * _KIB, 4 * _KIB, -64)) for size in sizes]
_SMALL = [size - _OVERHEAD for sizes in (range(4 * _KIB, _KIB, -32), range(_KIB, _SMALLEST - 1, -_ALIGNMENT)) for size in sizes]
#: Of the small ones so many may come from behind before the next size: what was given back lies there, too.
_MISSES = 20


def fill():
    """Allocates until everything comes from behind what was there."""
    global _filling
    gc.collect()
    behind, missed, number = id(bytes(ROOM)), [None] * len(_SMALL) * _MISSES, 0
    for size in _LARGE:
        while id(piece := bytes(size)) < behind:
            _filling = piece, _filling
    for size in _SMALL:
        misses = _MISSES
        while misses:
            if id(piece := bytes(size)) < behind:
                _filling = piece, _filling
            else:
                missed[number] = piece
                number += 1
                misses -= 1
    # It is kept itself: where it lies would be a hole.
    missed[:] = [None] * len(missed)
    _filling = missed, _filling
