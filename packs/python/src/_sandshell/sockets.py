"""`_socket`: sockets that are joined with each other. Any other is refused, because there is no network."""

import _socket
import operator
import sys
import time

from wit_world.imports import files as calls

from . import kernel
from .errors import fail
from .kernel import call, wait
from .replacing import put
from .waiting import POLLERR, POLLIN, POLLOUT, _poll

AF_UNIX, SOCK_STREAM = 1, 1
#: Bits of a socket's type.
SOCK_NONBLOCK, SOCK_CLOEXEC = 0o4000, 0o2000000
MSG_PEEK, MSG_DONTWAIT, MSG_WAITALL, MSG_NOSIGNAL = 2, 0x40, 0x100, 0x4000
SOL_SOCKET, SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_DOMAIN, SO_PROTOCOL = 1, 3, 4, 7, 8, 39, 38
CONSTANTS = {name: value for name, value in globals().items() if name.startswith(("AF_", "SOCK_", "MSG_", "SOL_", "SO_"))}
#: `SOCK_STREAM` and others have other numbers in WASI's C library.
CONSTANTS |= {"SOCK_DGRAM": 2, "SOCK_RAW": 3, "SOCK_SEQPACKET": 5, "AF_INET": 2, "AF_INET6": 10, "AF_UNSPEC": 0,
              "SHUT_RD": 0, "SHUT_WR": 1, "SHUT_RDWR": 2}
#: The numbers that the C library has for families of addresses.
_LIBRARY = {CONSTANTS["AF_INET"]: _socket.AF_INET, CONSTANTS["AF_INET6"]: _socket.AF_INET6}
_library_pton, _library_ntop = _socket.inet_pton, _socket.inet_ntop
EAFNOSUPPORT, EAGAIN, EBADF, ECONNRESET, EOPNOTSUPP, EPROTONOSUPPORT, ENOTSOCK = 97, 11, 9, 104, 95, 93, 88
O_NONBLOCK, _TYPE, _SOCKET = 0o4000, 0o170000, 0o140000
#: Bytes that are written at once.
PIECE = 64 << 10


def no_network(*arguments, **options):
    """Refuses what needs a network."""
    raise PermissionError(1, "Operation not permitted: this sandbox has no network")


class socket:
    """One of two sockets that `socketpair` has made."""

    __slots__ = ("_fd", "_family", "_type", "_proto", "_timeout")
    family, type, proto = (property(operator.attrgetter(f"_{name}")) for name in ("family", "type", "proto"))
    timeout = property(operator.attrgetter("_timeout"), doc="the socket timeout")

    def __new__(cls, *arguments, **options):
        made = object.__new__(cls)
        made._fd, made._family, made._type, made._proto, made._timeout = -1, -1, -1, -1, _default[0]
        return made

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        family, type, proto = map(operator.index, (family, type, proto))
        if fileno is None:
            no_network()
        fd = operator.index(fileno)
        if fd < 0:
            raise ValueError("negative file descriptor")
        if call(calls.fstat, fd).mode & _TYPE != _SOCKET:
            raise fail(ENOTSOCK)
        self._family = AF_UNIX if family == -1 else family
        self._type = SOCK_STREAM if type == -1 else type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)
        self._proto = 0 if proto == -1 else proto
        self._fd = fd
        if type != -1 and type & SOCK_NONBLOCK:
            self._timeout = 0.0
        if self._timeout is not None:
            self.settimeout(self._timeout)

    def __del__(self):
        if self._fd >= 0:
            import warnings
            warnings.warn(f"unclosed {self!r}", ResourceWarning, stacklevel=2, source=self)
            self.close()

    def __repr__(self):
        return f"<socket object, fd={self._fd}, family={self._family}, type={self._type}, proto={self._proto}>"

    def fileno(self):
        """Return the integer file descriptor of the socket."""
        return self._fd

    def detach(self):
        """Close the socket object without closing the underlying file descriptor."""
        fd, self._fd = self._fd, -1
        return fd

    def close(self):
        """Close the socket. It cannot be used after this call."""
        fd = self.detach()
        if fd >= 0:
            call(calls.close, fd)

    def settimeout(self, timeout, /):
        """Set a timeout on socket operations: None, or seconds."""
        timeout = _seconds(timeout)
        flags = call(calls.get_flags, self._fd) & ~O_NONBLOCK
        call(calls.set_flags, self._fd, flags | (0 if timeout is None else O_NONBLOCK))
        self._timeout = timeout

    def gettimeout(self):
        """Returns the timeout in seconds (float) associated with socket operations."""
        return self._timeout

    def setblocking(self, flag, /):
        """Set the socket to blocking (flag is true) or non-blocking (false)."""
        self.settimeout(None if flag else 0.0)

    def getblocking(self):
        """Returns True if socket is in blocking mode, or False if it is in non-blocking mode."""
        return self._timeout != 0

    def _until_done(self, events, attempt, flags):
        """Makes an attempt until it does not fail because it would have to wait, or until the time is over."""
        if self._fd < 0:
            raise fail(EBADF)
        deadline = self._timeout and time.monotonic() + self._timeout
        while True:
            if flags & MSG_DONTWAIT and not _poll([(self._fd, events)], 0)[0]:
                raise fail(EAGAIN)
            try:
                return attempt()
            except BlockingIOError:
                if not self._timeout:
                    raise
            left = deadline - time.monotonic()
            if left <= 0 or not _poll([(self._fd, events)], left)[0]:
                raise TimeoutError("timed out")

    def recv(self, bufsize, flags=0, /):
        """Receive up to bufsize bytes from the socket."""
        if bufsize < 0:
            raise ValueError("negative buffersize in recv")
        _check(flags, MSG_DONTWAIT | MSG_WAITALL)
        data = self._until_done(POLLIN, lambda: kernel.read(self._fd, min(bufsize, 16 << 20)), flags)
        while flags & MSG_WAITALL and len(data) < bufsize and (more := self.recv(bufsize - len(data))):
            data += more
        return data

    def recv_into(self, buffer, nbytes=0, flags=0):
        """A version of recv() that stores its data into a buffer rather than creating a new string."""
        with memoryview(buffer) as view, view.cast("B") as room:
            if room.readonly:
                raise TypeError(f"recv_into() argument 1 must be read-write bytes-like object, not {type(buffer).__name__}")
            if nbytes < 0:
                raise ValueError("negative buffersize in recv_into")
            if nbytes > len(room):
                raise ValueError("buffer too small for requested bytes")
            data = self.recv(nbytes or len(room), flags)
            room[:len(data)] = data
            return len(data)

    def recvfrom(self, bufsize, flags=0, /):
        """Like recv(buffersize, flags) but also return the sender's address info."""
        return self.recv(bufsize, flags), None

    def recvfrom_into(self, buffer, nbytes=0, flags=0):
        """Like recv_into(buffer[, nbytes[, flags]]) but also return the sender's address info."""
        return self.recv_into(buffer, nbytes, flags), None

    def recvmsg(self, bufsize, ancbufsize=0, flags=0, /):
        """Receive normal data; there is no ancillary data."""
        return self.recv(bufsize, flags), [], 0, None

    def send(self, data, flags=0, /):
        """Send a data string to the socket; returns the number of bytes sent."""
        _check(flags, MSG_DONTWAIT | MSG_NOSIGNAL)
        with memoryview(data) as view, view.cast("B") as given:
            # One that waits, waits until everything is sent.
            if self._timeout is None and not flags & MSG_DONTWAIT and len(given) > PIECE:
                self._send_all(given, flags)
                return len(given)
            return self._send_piece(given, flags)

    def sendall(self, data, flags=0, /):
        """Send a data string to the socket, all of it."""
        _check(flags, MSG_DONTWAIT | MSG_NOSIGNAL)
        with memoryview(data) as view, view.cast("B") as given:
            self._send_all(given, flags)

    def _send_all(self, given, flags):
        sent = 0
        while sent < len(given):
            sent += self._send_piece(given[sent:], flags)

    def _send_piece(self, given, flags):
        piece = bytes(given[:PIECE])
        return self._until_done(POLLOUT, lambda: wait(calls.write, self._fd, piece), flags)

    def sendmsg(self, buffers, ancdata=(), flags=0, address=None, /):
        """Send normal data. Ancillary data, such as descriptors, is refused."""
        if list(ancdata):
            raise OSError(EOPNOTSUPP, "Operation not supported: this system passes no descriptors to other processes")
        return self.send(b"".join(buffers), flags)

    def shutdown(self, how, /):
        """Shut down the reading side of the socket (0), the writing side (1), or both (2)."""
        call(calls.shutdown, self._fd, how)

    def getsockname(self):
        """Return the address of the local endpoint, which has none."""
        call(calls.fstat, self._fd)
        return ""

    getpeername = getsockname

    def getsockopt(self, level, option, buflen=0, /):
        """Get a socket option: its type, and what programs ask for before they use a socket."""
        call(calls.fstat, self._fd)
        error = ECONNRESET if _poll([(self._fd, 0)], 0)[0] & POLLERR else 0
        values = {SO_TYPE: self._type, SO_ERROR: error, SO_SNDBUF: PIECE, SO_RCVBUF: PIECE, SO_DOMAIN: self._family, SO_PROTOCOL: 0}
        if level != SOL_SOCKET or option not in values:
            raise OSError(EOPNOTSUPP, "Operation not supported")
        return values[option].to_bytes(4, "little")[:buflen] if buflen else values[option]

    def setsockopt(self, level, option, value, optlen=0, /):
        """Set a socket option: sizes of buffers, which have no effect."""
        call(calls.fstat, self._fd)
        if level != SOL_SOCKET or option not in (SO_SNDBUF, SO_RCVBUF):
            raise OSError(EOPNOTSUPP, "Operation not supported")

    bind = connect = connect_ex = listen = _accept = sendto = no_network


socket.__module__ = "_socket"
#: The timeout of new sockets.
_default = [None]


def _seconds(timeout):
    if timeout is None:
        return None
    seconds = timeout if isinstance(timeout, float) else float(operator.index(timeout))
    if seconds != seconds:
        raise ValueError("Invalid value NaN (not a number)")
    if seconds < 0:
        raise ValueError("Timeout value out of range")
    return seconds


def _check(flags, known):
    if flags & ~known:
        raise OSError(EOPNOTSUPP, f"Operation not supported: flags {flags & ~known:#x}")


def socketpair(family=AF_UNIX, type=SOCK_STREAM, proto=0, /):
    """Create a pair of socket objects, which are streams."""
    if int(family) != AF_UNIX:
        raise fail(EOPNOTSUPP if int(family) in (CONSTANTS["AF_INET"], CONSTANTS["AF_INET6"]) else EAFNOSUPPORT)
    kind = int(type) & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)
    if kind != SOCK_STREAM:
        raise OSError(EPROTONOSUPPORT, "Protocol not supported: pairs of sockets are streams here")
    return tuple(socket(family, type, proto, fd) for fd in call(calls.socketpair, True))


def close(fd, /):
    """Close an integer socket file descriptor."""
    call(calls.close, operator.index(fd))


def dup(fd, /):
    """Duplicate an integer socket file descriptor."""
    return call(calls.dup, operator.index(fd), 0, True)


def getdefaulttimeout():
    """Returns the default timeout in seconds (float) for new socket objects."""
    return _default[0]


def setdefaulttimeout(timeout, /):
    """Set the default timeout in seconds (float) for new socket objects."""
    _default[0] = _seconds(timeout)


def inet_pton(address_family, ip_string, /):
    """Convert an IP address from string format to a packed string suitable for use with low-level network functions."""
    if operator.index(address_family) not in _LIBRARY:
        raise fail(EAFNOSUPPORT)
    return _library_pton(_LIBRARY[address_family], ip_string)


def inet_ntop(address_family, packed_ip, /):
    """Convert a packed IP address of the given family to string format."""
    if operator.index(address_family) not in _LIBRARY:
        raise ValueError(f"unknown address family {address_family}")
    return _library_ntop(_LIBRARY[address_family], packed_ip)


def install():
    """Replaces the class and the functions of `_socket`, before `socket` is imported."""
    if "socket" in sys.modules:
        raise ImportError("socket was imported too early")
    for name, value in CONSTANTS.items():
        setattr(_socket, name, value)
    _socket.socket = _socket.SocketType = socket
    for function in (socketpair, close, dup, getdefaulttimeout, setdefaulttimeout, inet_pton, inet_ntop):
        put(_socket, function.__name__, function)
