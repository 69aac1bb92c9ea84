"""Fills the holes that the build leaves in the heap.

What a program allocates then lies together, behind everything that was there, and not in a hundred pages of which each
process would need a copy of its own.
"""

#: What fills them, as long as the interpreter lives.
_filling = []
#: No hole is as large as this, in which all is left free.
ROOM = 1 << 20
#: What the allocator and `bytes` need for themselves; what the smallest piece is for `bytes`.
_OVERHEAD, _SMALLEST = 21, 24
_ALIGNMENT = 8
_KIB = 1 << 10
#: From, to and by what the sizes of the pieces go.
_SIZES = ((768 * _KIB, 256 * _KIB, -256 * _KIB), (256 * _KIB, 32 * _KIB, -4 * _KIB), (32 * _KIB, _KIB, -64),
          (_KIB, _SMALLEST - 1, -_ALIGNMENT))


def fill():
    """Allocates until everything comes from behind what was there."""
    # Little is made here that would be given back, as that would leave holes.
    behind = id(bytes(ROOM))
    for sizes in _SIZES:
        for size in range(*sizes):
            while id(piece := bytes(size - _OVERHEAD)) < behind:
                _filling.append(piece)
    while id(piece := object()) < behind:
        _filling.append(piece)
