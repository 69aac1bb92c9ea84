"""Fills the holes that the build leaves in the heap, so that later objects are contiguous.

Each page that a process writes to is copied for it, and the objects that it writes to could be in a hundred pages.
The build later closes the holes for ever (the recipe's `adapt.heap`).
"""

import gc

#: The objects that fill the holes, as a linked chain: a list would leave holes when it grows.
_filling = None
#: Larger than any hole.
ROOM = 1 << 20
#: The overhead of the allocator and of `bytes`, and the smallest chunk for `bytes`.
_OVERHEAD, _SMALLEST = 21, 24
_ALIGNMENT = 8
_KIB = 1 << 10
_LARGE = [size - _OVERHEAD for sizes in (range(768 * _KIB, 256 * _KIB, -256 * _KIB), range(256 * _KIB, 32 * _KIB, -4 * _KIB),
                                         range(32 * _KIB, 4 * _KIB, -64)) for size in sizes]
_SMALL = [size - _OVERHEAD for sizes in (range(4 * _KIB, _KIB, -32), range(_KIB, _SMALLEST - 1, -_ALIGNMENT)) for size in sizes]
#: How many small chunks may come from the end of the heap before the next size is tried: freed memory may be there
#: too.
_MISSES = 20


def fill():
    """Allocates until all memory comes from the end of the heap."""
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
    # The list itself is kept, because freeing it would leave a hole.
    missed[:] = [None] * len(missed)
    _filling = missed, _filling
