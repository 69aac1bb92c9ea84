"""What a program allocates lies together, behind everything that was there when the interpreter was made ready.

The build leaves holes in a thousand pages, and each page that a process writes is copied for it. So what was free is not
any more: the allocator (dlmalloc, as WASI's C library has it) begins with nothing but its top.
"""

#: `struct malloc_state`: where its fields are.
SMALL_MAP, TREE_MAP, VICTIM_SIZE, TOP_SIZE, VICTIM, TOP, SMALL_BINS, TREE_BINS, SEGMENT = 0, 4, 8, 12, 20, 24, 40, 304, 448
BINS = 32
#: From one bin to the next.
BIN = 8
#: `struct malloc_chunk`. What a program gets lies at multiples of this, and so sizes are; flags are in the bits below.
ALIGNMENT = 16
USED_BEFORE, USED = 1, 2
HEAD, NEXT = 4, 8


def close(memory):
    """Makes what is free used, for ever, and empty."""
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
    """Where the allocator's state is: bins that are empty point to themselves, as the first always does."""
    words = memoryview(memory.bytes)[:len(memory.bytes) & -4].cast("I")
    bins = (4 * at - NEXT for at, word in enumerate(words) if word == 4 * at - NEXT)
    found = [place - SMALL_BINS for place in bins if _is_state(memory, place - SMALL_BINS)]
    if len(found) != 1:
        raise LookupError(f"the allocator's state is at {found}")
    return found[0]


def _is_state(memory, state):
    """Whether its top ends where its only segment does, but for what the allocator keeps there."""
    top, size = memory.word(state + TOP), memory.word(state + TOP_SIZE)
    start, length, next_segment = (memory.word(state + SEGMENT + field) for field in (0, 4, 8))
    return start < top < len(memory.bytes) - NEXT and memory.word(top + HEAD) == size | USED_BEFORE and (
        0 < start + length - top - size < 256 and not next_segment)
