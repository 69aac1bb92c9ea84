"""Makes a program's allocations contiguous, after everything that was allocated while the interpreter was prepared.

The build leaves holes in a thousand pages, and each page that a process writes to must be copied. So this marks all
free memory as used: the allocator (dlmalloc in WASI's C library) starts with only its top chunk.
"""

#: The offsets of the fields in `struct malloc_state`.
SMALL_MAP, TREE_MAP, VICTIM_SIZE, TOP_SIZE, VICTIM, TOP, SMALL_BINS, TREE_BINS, SEGMENT = 0, 4, 8, 12, 20, 24, 40, 304, 448
BINS = 32
#: The distance between two bins.
BIN = 8
#: `struct malloc_chunk`: addresses and sizes are multiples of this; the bits below hold flags.
ALIGNMENT = 16
USED_BEFORE, USED = 1, 2
HEAD, NEXT = 4, 8


def close(memory):
    """Marks all free memory as used for ever, and clears it."""
    state = _state(memory)
    top = memory.word(state + TOP)
    start, closed = memory.word(state + SEGMENT), 0
    chunk = start + -(start + NEXT) % ALIGNMENT
    while chunk < top:
        head = memory.word(chunk + HEAD)
        size = head & -ALIGNMENT
        behind = chunk + size
        if size < ALIGNMENT or behind > top:
            raise LookupError(f"the heap is not as expected at {chunk:#x}")
        if not head & USED:
            memory.set_word(chunk + HEAD, head | USED)
            memory.set_word(behind + HEAD, memory.word(behind + HEAD) | USED_BEFORE)
            memory.bytes[chunk + NEXT:behind] = bytes(size - NEXT)
            closed += 1
        chunk = behind
    if chunk != top or not closed:
        raise LookupError("the heap does not end with its top")
    end = top + memory.word(state + TOP_SIZE)
    memory.bytes[top + NEXT:end] = bytes(end - top - NEXT)
    for field in (SMALL_MAP, TREE_MAP, VICTIM_SIZE, VICTIM, *range(TREE_BINS, TREE_BINS + 4 * BINS, 4)):
        memory.set_word(state + field, 0)
    for number in range(BINS):
        place = _bin(state, number)
        memory.set_word(place + NEXT, place)
        memory.set_word(place + NEXT + 4, place)


def _bin(state, number):
    return state + SMALL_BINS + BIN * number


def _state(memory):
    """Finds the allocator's state: empty bins point to themselves, and the first bin is always empty."""
    words = memoryview(memory.bytes)[:len(memory.bytes) & -4].cast("I")
    bins = (4 * at - NEXT for at, word in enumerate(words) if word == 4 * at - NEXT)
    found = [place - SMALL_BINS for place in bins if _is_state(memory, place - SMALL_BINS)]
    if len(found) != 1:
        raise LookupError(f"the allocator's state is at {found}")
    return found[0]


def _is_state(memory, state):
    """Whether the top chunk ends at the end of the only segment, except for the allocator's own reserve there."""
    top, size = memory.word(state + TOP), memory.word(state + TOP_SIZE)
    start, length, next_segment = (memory.word(state + SEGMENT + field) for field in (0, 4, 8))
    return start < top < len(memory.bytes) - NEXT and memory.word(top + HEAD) == size | USED_BEFORE and (
        0 < start + length - top - size < 256 and not next_segment)
