"""`_socket`: addresses that need no network, which are numbers, and the names in `/etc/hosts`."""

import _socket
import operator

from . import sockets
from .replacing import put

AF_INET, AF_INET6 = 2, 10
STREAM, DATAGRAM, RAW, TCP, UDP = 1, 2, 3, 6, 17
AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST, AI_NUMERICSERV = 1, 2, 4, 0x400
NI_NUMERICHOST, NI_NUMERICSERV, NI_DGRAM = 1, 2, 16
#: Errors with glibc's numbers and texts.
FAMILY, KIND, SERVICE, NONAME, AGAIN, OTHER = (
    (-6, "ai_family not supported"), (-7, "ai_socktype not supported"), (-8, "Servname not supported for ai_socktype"),
    (-2, "Name or service not known"), (-3, "Temporary failure in name resolution: this sandbox has no network"),
    (-9, "Address family for hostname not supported"))
_own = {name: getattr(_socket, name) for name in ("inet_aton", "inet_ntoa", "getservbyname", "getservbyport")}


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    """Resolve host and port into list of address info entries."""
    family, type, proto, flags = map(operator.index, (family, type, proto, flags))
    name = _name(host, "getaddrinfo() argument 1 must be string or None") if host is not None else None
    if family not in (0, AF_INET, AF_INET6):
        raise _socket.gaierror(*FAMILY)
    kinds = [(kind, protocol or proto) for kind, protocol in ((STREAM, TCP), (DATAGRAM, UDP), (RAW, 0))
             if type in (0, kind) and (proto in (0, protocol) or kind == type == RAW)]
    if not kinds:
        raise _socket.gaierror(*KIND)
    kinds = _with_ports(kinds, port, flags)
    if name is None and port is None:
        raise _socket.gaierror(*NONAME)
    found = _addresses(name, flags)
    fitting = [entry for entry in found if family in (0, entry[0])]
    if not fitting:
        raise _socket.gaierror(*OTHER)
    canonical = name if name and flags & AI_CANONNAME else ""
    answers = []
    for kind, address, scope in fitting:
        for type, proto, number in kinds:
            place = (address, number) if kind == AF_INET else (address, number, 0, scope)
            answers.append((kind, type, proto, "" if answers else canonical, place))
    return answers


def _name(host, message):
    if isinstance(host, str):
        return host.encode("idna").decode("ascii")
    if isinstance(host, (bytes, bytearray)):
        return host.decode("utf-8", "surrogateescape")
    raise TypeError(message)


def _with_ports(kinds, port, flags):
    """The kinds of sockets and their protocols, with the port's number."""
    if port is None:
        port = 0
    elif not hasattr(port, "__index__"):
        if not isinstance(port, (str, bytes)):
            raise OSError("Int or String expected")
        text = port if isinstance(port, str) else port.decode("utf-8", "surrogateescape")
        if not (text.isascii() and text.isdigit()):
            return _of_service(kinds, text, flags)
        port = int(text)
    return [(type, proto, operator.index(port) & 0xffff) for type, proto in kinds]


def _of_service(kinds, name, flags):
    if flags & AI_NUMERICSERV:
        raise _socket.gaierror(*NONAME)
    found = []
    for type, proto in kinds:
        try:
            if type != RAW:
                found.append((type, proto, _own["getservbyname"](name, "tcp" if proto == TCP else "udp")))
        except OSError:
            pass
    if not found:
        raise _socket.gaierror(*SERVICE)
    return found


def _addresses(name, flags):
    """(family, address, scope) of a host."""
    if name is None:
        if flags & AI_PASSIVE:
            return [(AF_INET, "0.0.0.0", 0), (AF_INET6, "::", 0)]
        return [(AF_INET6, "::1", 0), (AF_INET, "127.0.0.1", 0)]
    if number := _number(name):
        return [number]
    found = [] if flags & AI_NUMERICHOST else [entry for address, names in _hosts() if name.lower() in names
                                               if (entry := _number(address))]
    if not found:
        raise _socket.gaierror(*(NONAME if flags & AI_NUMERICHOST or not name else AGAIN))
    return found


def _number(text):
    """(family, address, scope) of an address as a number, or None."""
    try:
        if ":" in text:
            address, percent, scope = text.partition("%")
            if percent and not (scope.isascii() and scope.isdigit()):
                return None
            return AF_INET6, sockets.inet_ntop(AF_INET6, sockets.inet_pton(AF_INET6, address)), int(scope or "0")
        if text[:1].isdigit() and not text[-1:].isspace():
            return AF_INET, _own["inet_ntoa"](_own["inet_aton"](text)), 0
    except OSError:
        pass
    return None


def _hosts():
    """The addresses in `/etc/hosts` with their names."""
    try:
        with open("/etc/hosts") as file:
            lines = [line.partition("#")[0].split() for line in file]
    except OSError:
        return []
    return [(line[0], [name.lower() for name in line[1:]]) for line in lines if len(line) > 1]


def host_name(host):
    """The name of a host in an address of a socket."""
    return _name(host, f"str, bytes or bytearray expected, not {type(host).__name__}")


def of_family(name, family):
    """(family, address, scope) of a host, in one family."""
    if fitting := [entry for entry in _addresses(name, 0) if entry[0] == family]:
        return fitting
    raise _socket.gaierror(*OTHER)


def gethostbyname_ex(host, /):
    """Return the true host name, a list of aliases, and a list of IP addresses, for a host."""
    name = _name(host, f"gethostbyname_ex() argument 1 must be str, bytes or bytearray, not {type(host).__name__}")
    return name, [], [address for _, address, _ in of_family(name, AF_INET)]


def gethostbyaddr(ip_address, /):
    """Return the true host name, a list of aliases, and a list of IP addresses, for an address."""
    name = _name(ip_address, f"gethostbyaddr() argument 1 must be str, bytes or bytearray, not {type(ip_address).__name__}")
    entry = _number(name) or _addresses(name, 0)[0]
    names = [names for address, names in _hosts() if _number(address) == entry]
    if not names:
        raise _socket.herror(1, "Unknown host")
    return names[0][0], [other for found in names for other in found][1:], [entry[1]]


def gethostbyname(name, /):
    """Return the IP address (a string of the form '255.255.255.255') for a host."""
    name = _name(name, f"gethostbyname() argument 1 must be str, bytes or bytearray, not {type(name).__name__}")
    if not name:
        return "0.0.0.0"
    for family, address, _ in _addresses(name, 0):
        if family == AF_INET:
            return address
    raise _socket.gaierror(*OTHER)


def getnameinfo(sockaddr, flags, /):
    """Get host and port for a sockaddr."""
    if not isinstance(sockaddr, tuple):
        raise TypeError("getnameinfo() argument 1 must be a tuple")
    host, port = sockaddr[:2]
    number = _number(host)
    if number is None:
        raise _socket.gaierror(*NONAME)
    name = next((names[0] for address, names in _hosts() if _number(address) == number), None)
    if flags & NI_NUMERICHOST:
        name = number[1]
    if name is None:
        raise _socket.gaierror(*AGAIN)
    service = str(port)
    if not flags & NI_NUMERICSERV:
        try:
            service = _own["getservbyport"](port, "udp" if flags & NI_DGRAM else "tcp")
        except OSError:
            pass
    return name, service


def install():
    """Replaces the functions of `_socket`."""
    for function in (getaddrinfo, gethostbyname, gethostbyname_ex, gethostbyaddr, getnameinfo):
        put(_socket, function.__name__, function)
