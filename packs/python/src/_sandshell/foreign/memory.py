"""The program's own memory, by address."""

import posix

#: CPython's function of that name is another one in this program: it takes a size (the upper 32 bits) and an address,
#: and returns a view of that memory (`functions/interpreter/memory.wat`).
_viewed = posix.get_blocking
#: Where `PyMemoryViewObject` has its `Py_buffer`, and the fields of that.
_BUFFER, _ITEM, _FORMAT = 28, 12, 24
#: Where a list has the address of its items.
_ITEMS = 12
#: The memory's size cannot be larger.
LIMIT = 1 << 32
_formats = {}


def view(address, size):
    """A writable view of the bytes at an address."""
    if address + size > LIMIT:
        raise MemoryError
    return _viewed(size << 32 | address)


def configuration():
    """The address of the interpreter's configuration (`PyConfig`)."""
    return _viewed(LIMIT - 1)


def word(address):
    """The unsigned 32 bits at an address."""
    return int.from_bytes(view(address, 4), "little")


def set_word(address, value):
    """Changes the 32 bits at an address."""
    view(address, 4)[:] = value.to_bytes(4, "little")


def address_of(seen):
    """The address of the first byte of a memoryview."""
    return word(id(seen) + _BUFFER)


def string(address, size=-1):
    """The bytes at an address, up to a NUL if no size is given."""
    if size >= 0:
        return bytes(view(address, size))
    parts = []
    while True:
        # Not beyond a page's end, where the memory may end.
        piece = bytes(view(address, 4096 - address % 4096))
        end = piece.find(0)
        parts.append(piece if end < 0 else piece[:end])
        if end >= 0:
            return b"".join(parts)
        address += len(piece)


def wide_string(address, size=-1):
    """The string of 32-bit characters at an address, up to a NUL if no size is given."""
    if size >= 0:
        return decoded(view(address, 4 * size))
    end = address
    while word(end):
        end += 4
    return decoded(view(address, end - address))


def decoded(characters):
    """The string that these 32-bit characters are."""
    try:
        return bytes(characters).decode("utf-32-le", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError("character is not in range [U+0000; U+10ffff]") from None


def thing(address):
    """The object at an address."""
    holder = [None]
    place = word(id(holder) + _ITEMS)
    nothing = word(place)
    set_word(place, address)
    try:
        return holder[0]
    finally:
        set_word(place, nothing)


def described(seen, form, size, shape):
    """A view of the same bytes that says it consists of items of this format and size. `shape` is empty for one item."""
    if shape == (0,):
        own = seen.cast("B")
    elif 0 in shape or not size:
        return seen
    else:
        own = seen.cast("B").cast("B", (*(shape or (1,)), size))
    fields = id(own) + _BUFFER
    dimensions = len(shape) if shape else 0
    set_word(fields + _ITEM, size)
    set_word(fields + 20, dimensions)
    if form not in _formats:
        # Views can live longer than types, so formats are never freed.
        text = memoryview(bytearray(form.encode() + b"\0"))
        _formats[form] = text, address_of(text)
    set_word(fields + _FORMAT, _formats[form][1])
    # The strides of the outer dimensions are right already; the inner one, of single bytes, is not counted any more.
    return own
