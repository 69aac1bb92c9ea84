"""Addresses of sockets: Python's objects, and the bytes of Linux's `struct sockaddr` for the kernel."""

import os

AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10
#: The most bytes of a Unix socket's path, with NUL; of an abstract name.
LONGEST = 108


def packed(family, address, function):
    """The bytes of an address. Names of hosts are looked up."""
    if family == AF_UNIX:
        return _unix(address)
    if family not in (AF_INET, AF_INET6):
        raise OSError(f"{function}(): bad family")
    kind = "AF_INET" if family == AF_INET else "AF_INET6"
    if not isinstance(address, tuple):
        raise TypeError(f"{function}(): {kind} address must be tuple, not {type(address).__name__}")
    if family == AF_INET and len(address) != 2:
        raise TypeError("AF_INET address must be a pair (host, port)")
    if family == AF_INET6 and len(address) not in (2, 3, 4):
        raise TypeError("AF_INET6 address must be a tuple (host, port[, flowinfo[, scopeid]])")
    host, port, *more = address
    if not hasattr(port, "__index__"):
        raise TypeError(f"'{type(port).__name__}' object cannot be interpreted as an integer")
    number = _host(host, family)
    port = port.__index__()
    if not 0 <= port <= 0xffff:
        raise OverflowError(f"{function}(): port must be 0-65535.")
    start = family.to_bytes(2, "little") + port.to_bytes(2, "big")
    if family == AF_INET:
        return start + number + bytes(8)
    flow, scope = (more + [0, 0])[:2]
    if not 0 <= flow <= 0xfffff:
        raise OverflowError(f"{function}(): flowinfo must be 0-1048575.")
    return start + flow.to_bytes(4, "big") + number + (scope & 0xffffffff).to_bytes(4, "little")


def _unix(address):
    if isinstance(address, str):
        path = os.fsencode(address)
    elif isinstance(address, (bytes, bytearray, memoryview)):
        path = bytes(address)
    else:
        raise TypeError(f"a bytes-like object is required, not '{type(address).__name__}'")
    if len(path) > LONGEST or len(path) == LONGEST and path[:1] != b"\0":
        raise OSError("AF_UNIX path too long")
    return AF_UNIX.to_bytes(2, "little") + path


def _host(host, family):
    """The number of a host, as bytes."""
    from . import addresses, sockets
    name = addresses.host_name(host)
    if name == "":
        return bytes(4 if family == AF_INET else 16)
    if name == "<broadcast>" and family == AF_INET:
        return b"\xff" * 4
    for found, text, _ in addresses.of_family(name, family):
        return sockets.inet_pton(found, text)


def unpacked(data):
    """The address in these bytes as Python has it: a tuple, a path, or the bytes of an abstract name."""
    from . import sockets
    family = int.from_bytes(data[:2], "little")
    if family == AF_INET:
        return sockets.inet_ntop(AF_INET, data[4:8]), int.from_bytes(data[2:4], "big")
    if family == AF_INET6:
        return (sockets.inet_ntop(AF_INET6, data[8:24]), int.from_bytes(data[2:4], "big"), int.from_bytes(data[4:8], "big"),
                int.from_bytes(data[24:28], "little"))
    name = data[2:]
    return name if name[:1] == b"\0" else os.fsdecode(name.rstrip(b"\0"))
