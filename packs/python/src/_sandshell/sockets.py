"""`_socket`: sockets between programs of this sandbox. What is elsewhere cannot be reached: there is no network."""

import _socket
import operator
import struct
import sys
import time


from wit_world.imports import files as calls
from wit_world.imports import sockets as net

from . import kernel, places
from .errors import fail
from .kernel import call, wait
from .replacing import put
from .waiting import POLLERR, POLLIN, POLLOUT, _poll

AF_UNIX, SOCK_STREAM = 1, 1
#: Bits of a socket's type.
SOCK_NONBLOCK, SOCK_CLOEXEC = 0o4000, 0o2000000
MSG_PEEK, MSG_TRUNC, MSG_DONTWAIT, MSG_WAITALL, MSG_NOSIGNAL = 2, 0x20, 0x40, 0x100, 0x4000
SOL_SOCKET, SO_TYPE, SO_ERROR, SO_SNDBUF, SO_RCVBUF, SO_DOMAIN, SO_PROTOCOL = 1, 3, 4, 7, 8, 39, 38
CONSTANTS = {name: value for name, value in globals().items() if name.startswith(("AF_", "SOCK_", "MSG_", "SOL_", "SO_"))}
#: `SOCK_STREAM` and others have other numbers in WASI's C library.
CONSTANTS |= {"SOCK_DGRAM": 2, "SOCK_RAW": 3, "SOCK_SEQPACKET": 5, "AF_INET": 2, "AF_INET6": 10, "AF_UNSPEC": 0,
              "SHUT_RD": 0, "SHUT_WR": 1, "SHUT_RDWR": 2}
#: What programs name when they are imported, or set on sockets that they cannot make here.
CONSTANTS |= {name: int(value) for name, _, value in (pair.partition("=") for pair in """
AF_APPLETALK=5 AF_ASH=18 AF_ATMPVC=8 AF_ATMSVC=20 AF_AX25=3 AF_BRIDGE=7 AF_DECnet=12 AF_ECONET=19 AF_IPX=4 AF_IRDA=23
AF_KEY=15 AF_LLC=26 AF_NETBEUI=13 AF_NETLINK=16 AF_NETROM=6 AF_PACKET=17 AF_PPPOX=24 AF_QIPCRTR=42 AF_RDS=21 AF_ROSE=11
AF_ROUTE=16 AF_SECURITY=14 AF_SNA=22 AF_VSOCK=40 AF_WANPIPE=25 AF_X25=9 INADDR_ALLHOSTS_GROUP=3758096385
INADDR_BROADCAST=4294967295 INADDR_MAX_LOCAL_GROUP=3758096639 INADDR_NONE=4294967295 INADDR_UNSPEC_GROUP=3758096384
IPPROTO_AH=51 IPPROTO_DSTOPTS=60 IPPROTO_EGP=8 IPPROTO_ESP=50 IPPROTO_FRAGMENT=44 IPPROTO_GRE=47 IPPROTO_HOPOPTS=0
IPPROTO_ICMPV6=58 IPPROTO_IDP=22 IPPROTO_IGMP=2 IPPROTO_IPIP=4 IPPROTO_MPTCP=262 IPPROTO_NONE=59 IPPROTO_PIM=103
IPPROTO_PUP=12 IPPROTO_ROUTING=43 IPPROTO_RSVP=46 IPPROTO_SCTP=132 IPPROTO_TP=29 MSG_CMSG_CLOEXEC=1073741824
MSG_CONFIRM=2048 MSG_CTRUNC=8 MSG_DONTROUTE=4 MSG_EOR=128 MSG_ERRQUEUE=8192 MSG_FASTOPEN=536870912 MSG_MORE=32768
MSG_OOB=1 NI_MAXHOST=1025 SOCK_RDM=4 SOL_RDS=276 SOMAXCONN=4096 SO_BINDTODEVICE=25 SO_BROADCAST=6 SO_DEBUG=1
SO_DONTROUTE=5 SO_INCOMING_CPU=49 SO_LINGER=13 SO_MARK=36 SO_OOBINLINE=10 SO_PASSCRED=16 SO_PASSSEC=34 SO_PEERCRED=17
SO_PEERSEC=31 SO_PRIORITY=12 SO_RCVLOWAT=18 SO_RCVTIMEO=20 SO_REUSEPORT=15 SO_SNDLOWAT=19 SO_SNDTIMEO=21
""".split())}
#: The numbers that the C library has for families of addresses.
_LIBRARY = {CONSTANTS["AF_INET"]: _socket.AF_INET, CONSTANTS["AF_INET6"]: _socket.AF_INET6}
_library_pton, _library_ntop = _socket.inet_pton, _socket.inet_ntop
EPERM, EAGAIN, EBADF, EINVAL, EISCONN, ENETUNREACH, ECONNRESET, ECONNREFUSED, EINPROGRESS = 1, 11, 9, 22, 106, 101, 104, 111, 115
EAFNOSUPPORT, EOPNOTSUPP, ESOCKTNOSUPPORT, EPROTONOSUPPORT, ENOTSOCK = 97, 95, 94, 93, 88
AF_INET, AF_INET6, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET = 2, 10, 2, 3, 5
O_NONBLOCK, _TYPE, _SOCKET = 0o4000, 0o170000, 0o140000
SO_LINGER = 13
#: What a family's sockets may have as protocol: 0, or that of the kind.
PROTOCOLS = {(AF_INET, SOCK_STREAM): 6, (AF_INET, SOCK_DGRAM): 17, (AF_INET6, SOCK_STREAM): 6, (AF_INET6, SOCK_DGRAM): 17}
#: Bytes that are written at once.
PIECE = 64 << 10
#: The pause before the next attempt when a queue of connections is full, in seconds.
PAUSE = 0.001


def ask(function, *arguments):
    """A call that does not wait. That there is no network is said."""
    try:
        return call(function, *arguments)
    except OSError as error:
        if error.errno != ENETUNREACH:
            raise
    raise OSError(ENETUNREACH, "Network is unreachable: this sandbox has no network")


class socket:
    """A socket, as the operating system has it; `socket.socket` adds to it. As natively, no method calls one that a
    subclass has replaced."""

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
            self._make(AF_INET if family == -1 else family, SOCK_STREAM if type == -1 else type, 0 if proto == -1 else proto)
        else:
            self._take(operator.index(fileno), family, type, proto)
        if type != -1 and type & SOCK_NONBLOCK:
            self._timeout = 0.0
        if self._timeout is not None:
            socket.settimeout(self, self._timeout)

    def _make(self, family, type, proto):
        kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)
        if kind == SOCK_RAW and family in (AF_INET, AF_INET6):
            raise fail(EPERM)
        if not 1 <= kind <= SOCK_SEQPACKET:
            raise fail(ESOCKTNOSUPPORT)
        if proto not in (0, PROTOCOLS.get((family, kind), 0)):
            raise fail(EPROTONOSUPPORT)
        # CPython's own sockets are closed on exec.
        self._fd = ask(net.socket, family & 0xffffffff, kind & 0xffffffff, True)
        self._family, self._type, self._proto = family, kind, proto

    def _take(self, fd, family, type, proto):
        if fd < 0:
            raise ValueError("negative file descriptor")
        if call(calls.fstat, fd).mode & _TYPE != _SOCKET:
            raise fail(ENOTSOCK)
        def known(option, given):
            return call(net.get_option, fd, SOL_SOCKET, option) if given == -1 else given
        self._family = known(SO_DOMAIN, family)
        self._type = known(SO_TYPE, type) & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)
        self._proto = known(SO_PROTOCOL, proto)
        self._fd = fd

    def __del__(self):
        if self._fd >= 0:
            import warnings
            warnings.warn(f"unclosed {self!r}", ResourceWarning, stacklevel=2, source=self)
            socket.close(self)

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
        fd = socket.detach(self)
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
        socket.settimeout(self, None if flag else 0.0)

    def getblocking(self):
        """Returns True if socket is in blocking mode, or False if it is in non-blocking mode."""
        return self._timeout != 0

    def _until_done(self, events, attempt, flags=0):
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
                if self._timeout == 0 or flags & MSG_DONTWAIT:
                    raise
            self._ready(events, deadline)

    def _ready(self, events, deadline):
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0 or not _poll([(self._fd, events)], left)[0]:
            raise TimeoutError("timed out")

    def bind(self, address, /):
        """Bind the socket to a local address."""
        ask(net.bind, self._fd, places.packed(self._family, address, "bind"))

    def listen(self, backlog=128, /):
        """Enable a server to accept connections."""
        call(net.listen, self._fd, max(operator.index(backlog), 0))

    def _accept(self):
        """Wait for an incoming connection: its descriptor, and the address of the client."""
        fd = self._until_done(POLLIN, lambda: ask(net.accept, self._fd, True, False))
        try:
            return fd, places.unpacked(call(net.name, fd, True))
        except OSError:
            # The client has gone already.
            return fd, places.unpacked(b"")

    def connect(self, address, /):
        """Connect the socket to a remote address."""
        self._connect(places.packed(self._family, address, "connect"))

    def connect_ex(self, address, /):
        """This is like connect(address), but returns an error code (the errno value) instead of raising."""
        packed = places.packed(self._family, address, "connect_ex")
        try:
            self._connect(packed)
        except TimeoutError as error:
            return error.errno or EAGAIN
        except OSError as error:
            return error.errno
        return 0

    def _connect(self, packed):
        deadline = self._timeout and time.monotonic() + self._timeout
        while True:
            try:
                return ask(net.connect, self._fd, packed, False)
            except BlockingIOError as error:
                if self._timeout == 0:
                    raise
                begun = error.errno != EAGAIN
            if begun:
                self._ready(POLLOUT, deadline)
                code = call(net.get_option, self._fd, SOL_SOCKET, SO_ERROR)
                if code:
                    raise fail(code)
                return
            if deadline is not None and deadline <= time.monotonic():
                raise TimeoutError("timed out")
            _poll([], PAUSE)

    def recv(self, bufsize, flags=0, /):
        """Receive up to bufsize bytes from the socket."""
        if bufsize < 0:
            raise ValueError("negative buffersize in recv")
        if self._type != SOCK_STREAM or flags & MSG_PEEK:
            return self._receive(bufsize, flags)[0]
        _check(flags, MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL)
        data = self._until_done(POLLIN, lambda: kernel.read(self._fd, min(bufsize, 16 << 20)), flags)
        while flags & MSG_WAITALL and len(data) < bufsize and (more := socket.recv(self, bufsize - len(data))):
            data += more
        return data

    def _receive(self, size, flags):
        """Receives a datagram, or looks at what is to come: the bytes, how many there are, and the sender's address."""
        size = min(size, 16 << 20)
        kernel.make_room(size)
        data, count, sender = self._until_done(
            POLLIN, lambda: ask(net.receive, self._fd, size, flags & ~MSG_WAITALL | MSG_DONTWAIT), flags)
        return data, count, places.unpacked(sender) if sender else None

    def recv_into(self, buffer, nbytes=0, flags=0):
        """A version of recv() that stores its data into a buffer rather than creating a new string."""
        with memoryview(buffer) as view, view.cast("B") as room:
            if room.readonly:
                raise TypeError(f"recv_into() argument 1 must be read-write bytes-like object, not {type(buffer).__name__}")
            if nbytes < 0:
                raise ValueError("negative buffersize in recv_into")
            if nbytes > len(room):
                raise ValueError("buffer too small for requested bytes")
            return self._into(room, nbytes or len(room), flags)[0]

    def _into(self, room, size, flags):
        data, sender = socket.recvfrom(self, size, flags)
        room[:len(data)] = data
        return len(data), sender

    def recvfrom(self, bufsize, flags=0, /):
        """Like recv(buffersize, flags) but also return the sender's address info."""
        if bufsize < 0:
            raise ValueError("negative buffersize in recvfrom")
        if self._type == SOCK_STREAM:
            return socket.recv(self, bufsize, flags), None
        data, _, sender = self._receive(bufsize, flags)
        return data, sender

    def recvfrom_into(self, buffer, nbytes=0, flags=0):
        """Like recv_into(buffer[, nbytes[, flags]]) but also return the sender's address info."""
        with memoryview(buffer) as view, view.cast("B") as room:
            if room.readonly:
                raise TypeError(f"recvfrom_into() argument 1 must be read-write bytes-like object, not {type(buffer).__name__}")
            if nbytes < 0:
                raise ValueError("negative buffersize in recvfrom_into")
            if nbytes > len(room):
                raise ValueError("nbytes is greater than the length of the buffer")
            return self._into(room, nbytes or len(room), flags)

    def recvmsg(self, bufsize, ancbufsize=0, flags=0, /):
        """Receive normal data; there is no ancillary data."""
        if ancbufsize < 0:
            raise ValueError("invalid ancillary data buffer length")
        data, found, sender = self._message(bufsize, flags)
        return data, [], found, sender

    def _message(self, size, flags):
        """Receives with the flags of what was received: whether a datagram was longer than there was room."""
        if size < 0:
            raise ValueError("negative buffer size in recvmsg()")
        if self._type == SOCK_STREAM:
            return socket.recv(self, size, flags), 0, None
        data, count, sender = self._receive(size, flags | MSG_TRUNC)
        return data, MSG_TRUNC if count > len(data) else 0, sender

    def recvmsg_into(self, buffers, ancbufsize=0, flags=0, /):
        """Receive normal data, scattering it into a series of buffers; there is no ancillary data."""
        rooms = [memoryview(buffer).cast("B") for buffer in buffers]
        if any(room.readonly for room in rooms):
            raise TypeError("recvmsg_into() argument 1 must be an iterable of single-segment read-write buffers")
        if ancbufsize < 0:
            raise ValueError("invalid ancillary data buffer length")
        data, found, sender = self._message(sum(map(len, rooms)), flags)
        at = 0
        for room in rooms:
            piece = data[at:at + len(room)]
            room[:len(piece)] = piece
            at += len(piece)
        return at, [], found, sender

    def send(self, data, flags=0, /):
        """Send a data string to the socket; returns the number of bytes sent."""
        _check(flags, MSG_DONTWAIT | MSG_NOSIGNAL)
        with memoryview(data) as view, view.cast("B") as given:
            # One that waits, waits until everything is sent.
            if self._type == SOCK_STREAM and self._timeout is None and not flags & MSG_DONTWAIT and len(given) > PIECE:
                self._send_all(given, flags)
                return len(given)
            return self._send_piece(given, flags)

    def sendall(self, data, flags=0, /):
        """Send a data string to the socket, all of it."""
        _check(flags, MSG_DONTWAIT | MSG_NOSIGNAL)
        with memoryview(data) as view, view.cast("B") as given:
            self._send_all(given, flags)

    def _send_all(self, given, flags):
        sent = self._send_piece(given, flags)
        while sent < len(given):
            sent += self._send_piece(given[sent:], flags)

    def _send_piece(self, given, flags, address=None):
        if self._type == SOCK_STREAM:
            piece = bytes(given[:PIECE])
            return self._until_done(POLLOUT, lambda: wait(calls.write, self._fd, piece), flags)
        piece, options = bytes(given), flags | MSG_DONTWAIT
        return self._until_done(POLLOUT, lambda: ask(net.send, self._fd, piece, options, address), flags)

    def sendto(self, data, *flags_and_address):
        """Like send(data, flags) but allows specifying the destination address."""
        if len(flags_and_address) not in (1, 2):
            raise TypeError(f"sendto() takes 2 or 3 arguments ({len(flags_and_address) + 1} given)")
        *flags, address = flags_and_address
        flags = operator.index(flags[0]) if flags else 0
        _check(flags, MSG_DONTWAIT | MSG_NOSIGNAL)
        packed = places.packed(self._family, address, "sendto")
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        with memoryview(data) as view, view.cast("B") as given:
            return self._send_piece(given, flags, packed)

    def sendmsg(self, buffers, ancdata=(), flags=0, address=None, /):
        """Send normal data. Ancillary data, such as descriptors, is refused."""
        if list(ancdata):
            raise OSError(EOPNOTSUPP, "Operation not supported: this system passes no descriptors to other processes")
        data = b"".join(buffers)
        return socket.send(self, data, flags) if address is None else socket.sendto(self, data, flags, address)

    def shutdown(self, how, /):
        """Shut down the reading side of the socket (0), the writing side (1), or both (2)."""
        call(calls.shutdown, self._fd, how)

    def getsockname(self):
        """Return the address of the local endpoint."""
        return places.unpacked(call(net.name, self._fd, False))

    def getpeername(self):
        """Return the address of the remote endpoint."""
        return places.unpacked(call(net.name, self._fd, True))

    def getsockopt(self, level, option, buflen=0, /):
        """Get a socket option."""
        value = call(net.get_option, self._fd, operator.index(level) & 0xffffffff, operator.index(option) & 0xffffffff)
        if (level, option) == (SOL_SOCKET, SO_LINGER):
            # As it is without a length, the first number of the two is the answer.
            pair = struct.pack("<ii", bool(value), max(value - 1, 0))
            return pair[:buflen] if buflen else int(bool(value))
        return value.to_bytes(4, "little")[:buflen] if buflen else value

    def setsockopt(self, level, option, value, optlen=0, /):
        """Set a socket option: an integer, or the bytes of one."""
        level, option = operator.index(level) & 0xffffffff, operator.index(option) & 0xffffffff
        if value is None:
            raise fail(EINVAL)
        if not hasattr(value, "__index__"):
            data = bytes(memoryview(value))
            linger = (level, option) == (SOL_SOCKET, SO_LINGER)
            if len(data) < (8 if linger else 4):
                raise fail(EINVAL)
            value = int.from_bytes(data[:4], "little")
            if linger:
                value = bool(value) and 1 + min(int.from_bytes(data[4:8], "little"), 1 << 16)
        call(net.set_option, self._fd, level, option, operator.index(value) & 0xffffffff)


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


def if_nameindex():
    """Returns a list of network interface information (index, name) tuples."""
    return [(1, "lo")]


def if_nametoindex(oname, /):
    """Returns the interface index corresponding to the interface name if_name."""
    if oname in ("lo", b"lo"):
        return 1
    raise OSError("no interface with this name")


def if_indextoname(if_index, /):
    """Returns the interface name corresponding to the interface index if_index."""
    if operator.index(if_index) == 1:
        return "lo"
    raise fail(6)


def install():
    """Replaces the class and the functions of `_socket`, before `socket` is imported."""
    if "socket" in sys.modules:
        raise ImportError("socket was imported too early")
    for name, value in CONSTANTS.items():
        setattr(_socket, name, value)
    _socket.socket = _socket.SocketType = socket
    for function in (socketpair, close, dup, getdefaulttimeout, setdefaulttimeout, inet_pton, inet_ntop,
                     if_nameindex, if_nametoindex, if_indextoname):
        put(_socket, function.__name__, function)
