"""The module `_ssl`: what programs need to import `ssl` and to make contexts. There is no network, and no TLS.

Contexts keep their settings, and certificates are decoded (`certificates`). Wrapping a socket or a buffer says what
the sandbox lacks.
"""

import os
import sys
import types

from . import certificates

_REFUSED = "Operation not permitted: this sandbox has no network and no TLS"

#: The numbers of OpenSSL 3 and of TLS.
CONSTANTS = dict(
    SSL_ERROR_SSL=1, SSL_ERROR_WANT_READ=2, SSL_ERROR_WANT_WRITE=3, SSL_ERROR_WANT_X509_LOOKUP=4, SSL_ERROR_SYSCALL=5,
    SSL_ERROR_ZERO_RETURN=6, SSL_ERROR_WANT_CONNECT=7, SSL_ERROR_EOF=8, SSL_ERROR_INVALID_ERROR_CODE=10,
    CERT_NONE=0, CERT_OPTIONAL=1, CERT_REQUIRED=2,
    VERIFY_DEFAULT=0, VERIFY_CRL_CHECK_LEAF=4, VERIFY_CRL_CHECK_CHAIN=12, VERIFY_X509_STRICT=32,
    VERIFY_ALLOW_PROXY_CERTS=64, VERIFY_X509_TRUSTED_FIRST=0x8000, VERIFY_X509_PARTIAL_CHAIN=0x80000,
    PROTOCOL_SSLv23=2, PROTOCOL_TLS=2, PROTOCOL_TLS_CLIENT=16, PROTOCOL_TLS_SERVER=17, PROTOCOL_TLSv1=3,
    PROTOCOL_TLSv1_1=4, PROTOCOL_TLSv1_2=5,
    OP_ALL=0x80000050, OP_NO_SSLv2=0, OP_NO_SSLv3=1 << 25, OP_NO_TLSv1=1 << 26, OP_NO_TLSv1_1=1 << 28,
    OP_NO_TLSv1_2=1 << 27, OP_NO_TLSv1_3=1 << 29, OP_CIPHER_SERVER_PREFERENCE=1 << 22, OP_SINGLE_DH_USE=0,
    OP_NO_TICKET=1 << 14, OP_SINGLE_ECDH_USE=0, OP_NO_COMPRESSION=1 << 17, OP_ENABLE_MIDDLEBOX_COMPAT=1 << 20,
    OP_NO_RENEGOTIATION=1 << 30, OP_IGNORE_UNEXPECTED_EOF=1 << 7, OP_ENABLE_KTLS=1 << 3, OP_LEGACY_SERVER_CONNECT=1 << 2,
    HOSTFLAG_ALWAYS_CHECK_SUBJECT=1, HOSTFLAG_NO_WILDCARDS=2, HOSTFLAG_NO_PARTIAL_WILDCARDS=4,
    HOSTFLAG_MULTI_LABEL_WILDCARDS=8, HOSTFLAG_SINGLE_LABEL_SUBDOMAINS=16, HOSTFLAG_NEVER_CHECK_SUBJECT=32,
    ENCODING_PEM=1, ENCODING_DER=2, PROTO_MINIMUM_SUPPORTED=-2, PROTO_MAXIMUM_SUPPORTED=-1, PROTO_SSLv3=0x300,
    PROTO_TLSv1=0x301, PROTO_TLSv1_1=0x302, PROTO_TLSv1_2=0x303, PROTO_TLSv1_3=0x304,
    HAS_SNI=True, HAS_TLS_UNIQUE=True, HAS_ECDH=True, HAS_NPN=False, HAS_ALPN=True, HAS_SSLv2=False, HAS_SSLv3=False,
    HAS_TLSv1=True, HAS_TLSv1_1=True, HAS_TLSv1_2=True, HAS_TLSv1_3=True, HAS_PSK=False, HAS_PHA=True,
    HAS_PSK_TLS13=False,
    # The version whose numbers these are.
    OPENSSL_VERSION_NUMBER=0x30000000, OPENSSL_VERSION_INFO=(3, 0, 0, 0, 0), OPENSSL_VERSION="none (as OpenSSL 3.0.0)",
    _OPENSSL_API_VERSION=(3, 0, 0, 0, 0), _DEFAULT_CIPHERS="@SECLEVEL=2:ECDH+AESGCM:ECDH+CHACHA20:ECDH+AES:DHE+AES:!aNULL:!eNULL",
)
#: Alerts of TLS (RFC 8446, and older ones).
ALERTS = dict(
    CLOSE_NOTIFY=0, UNEXPECTED_MESSAGE=10, BAD_RECORD_MAC=20, RECORD_OVERFLOW=22, DECOMPRESSION_FAILURE=30,
    HANDSHAKE_FAILURE=40, BAD_CERTIFICATE=42, UNSUPPORTED_CERTIFICATE=43, CERTIFICATE_REVOKED=44, CERTIFICATE_EXPIRED=45,
    CERTIFICATE_UNKNOWN=46, ILLEGAL_PARAMETER=47, UNKNOWN_CA=48, ACCESS_DENIED=49, DECODE_ERROR=50, DECRYPT_ERROR=51,
    PROTOCOL_VERSION=70, INSUFFICIENT_SECURITY=71, INTERNAL_ERROR=80, USER_CANCELLED=90, NO_RENEGOTIATION=100,
    UNSUPPORTED_EXTENSION=110, CERTIFICATE_UNOBTAINABLE=111, UNRECOGNIZED_NAME=112, BAD_CERTIFICATE_STATUS_RESPONSE=113,
    BAD_CERTIFICATE_HASH_VALUE=114, UNKNOWN_PSK_IDENTITY=115)


class SSLError(OSError):
    """An error occurred in the SSL implementation."""

    library = reason = None

    def __str__(self):
        return self.strerror if isinstance(self.strerror, str) else str(self.args)


class SSLZeroReturnError(SSLError):
    """SSL/TLS session closed cleanly."""


class SSLWantReadError(SSLError):
    """Non-blocking SSL socket needs to read more data before the requested operation can be completed."""


class SSLWantWriteError(SSLError):
    """Non-blocking SSL socket needs to write more data before the requested operation can be completed."""


class SSLSyscallError(SSLError):
    """System error when attempting SSL operation."""


class SSLEOFError(SSLError):
    """SSL/TLS connection terminated abruptly."""


class SSLCertVerificationError(SSLError, ValueError):
    """A certificate could not be verified."""


def _setting(name, check=None, doc=None):
    """A property of a context that is only kept."""
    place = f"_{name}"

    def put(self, value):
        setattr(self, place, value if check is None else check(self, value))

    return property(lambda self: getattr(self, place), put, None, doc)


def _verify_mode(self, value):
    value = _number(value)
    if value not in (0, 1, 2):
        raise ValueError("invalid value for verify_mode")
    if value == 0 and self._check_hostname:
        raise ValueError("Cannot set verify_mode to CERT_NONE when check_hostname is enabled.")
    return value


def _check_hostname(self, value):
    if value and self._verify_mode == 0:
        self._verify_mode = 2
    return bool(value)


def _version(self, value):
    value = _number(value)
    if value not in (-2, -1, 0x300, 0x301, 0x302, 0x303, 0x304):
        raise ValueError(f"Unsupported TLS/SSL version {value:#x}")
    return value


def _number(value, *_):
    if not isinstance(value, int):
        raise TypeError(f"an integer is required (got type {type(value).__name__})")
    return int(value)


def _opened(path):
    """A file; an error does not name it, as OpenSSL's do not."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise type(error)(error.errno, error.strerror) from None


class _SSLContext:
    """The settings of connections."""

    def __new__(cls, protocol, /):
        if protocol not in (2, 3, 4, 5, 16, 17):
            raise ValueError(f"invalid or unsupported protocol version {protocol}")
        self = object.__new__(cls)
        self._protocol = int(protocol)
        client = protocol == 16
        self._verify_mode, self._check_hostname = (2, True) if client else (0, False)
        self._options = 0x80000050 | 1 << 17 | 1 << 20 | 1 << 22 | 1 << 25 | 1 << 7
        self._verify_flags, self._host_flags_ = 0x8000, 4
        self._minimum_version, self._maximum_version = {3: (0x301,) * 2, 4: (0x302,) * 2, 5: (0x303,) * 2}.get(
            protocol, (0x303, -1))
        self._post_handshake_auth, self._sni, self._messages, self._num_tickets = False, None, None, 2
        self._trusted, self._keylog = {}, None
        return self

    protocol = property(lambda self: self._protocol)
    verify_mode = _setting("verify_mode", _verify_mode)
    check_hostname = _setting("check_hostname", _check_hostname)
    options = _setting("options", lambda self, value: _number(value) & (1 << 64) - 1)
    verify_flags = _setting("verify_flags", lambda self, value: _number(value))
    _host_flags = _setting("host_flags_", lambda self, value: _number(value))
    minimum_version = _setting("minimum_version", _version)
    maximum_version = _setting("maximum_version", _version)
    post_handshake_auth = _setting("post_handshake_auth", lambda self, value: bool(value))
    num_tickets = _setting("num_tickets", lambda self, value: _number(value))
    sni_callback = _setting("sni")
    _msg_callback = _setting("messages")
    keylog_filename = _setting("keylog")
    security_level = property(lambda self: 2)

    def set_ciphers(self, cipherlist, /):
        """Set the ciphers."""
        if not isinstance(cipherlist, str):
            raise TypeError(f"argument must be str, not {type(cipherlist).__name__}")
        if not cipherlist.strip(": ,"):
            raise SSLError("No cipher can be selected.")

    def get_ciphers(self):
        """None can be used."""
        return []

    def _set_alpn_protocols(self, protocols, /):
        """Keep the protocols' names."""

    def set_ecdh_curve(self, name, /):
        """Keep the curve."""

    def load_dh_params(self, filepath, /):
        """Read parameters."""
        with _opened(filepath):
            pass

    def load_cert_chain(self, certfile, keyfile=None, password=None):
        """Read a certificate and its key."""
        with _opened(certfile) as file:
            if not certificates.from_pem(file.read()):
                raise SSLError(9, "[SSL] PEM lib")
        if keyfile is not None:
            with _opened(keyfile):
                pass

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        """Read the certificates that are trusted."""
        if cafile is None and capath is None and cadata is None:
            raise TypeError("cafile, capath and cadata cannot be all omitted")
        if cafile is not None:
            with _opened(cafile) as file:
                self._trust(certificates.from_pem(file.read()), "[X509: NO_CERTIFICATE_OR_CRL_FOUND] no certificate or crl found")
        if isinstance(cadata, str):
            self._trust(certificates.from_pem(cadata.encode("ascii")), "no start line: cadata does not contain a certificate")
        elif cadata is not None:
            self._trust(certificates.from_der(bytes(cadata)), "not enough data: cadata does not contain a certificate")

    def _trust(self, found, message):
        if not found:
            raise SSLError(136, message)
        for data in found:
            self._trusted[data] = certificates.decoded(data)

    def set_default_verify_paths(self):
        """There are no certificates of the system."""

    def cert_store_stats(self):
        """Returns quantities of loaded X.509 certificates."""
        return {"x509": len(self._trusted), "crl": 0, "x509_ca": len(self.get_ca_certs())}

    def get_ca_certs(self, binary_form=False):
        """Returns the loaded certificates of authorities."""
        chosen = [(data, found) for data, found in self._trusted.items() if certificates.is_authority(data)]
        return [data if binary_form else found for data, found in chosen]

    def session_stats(self):
        """No sessions."""
        return dict.fromkeys(("number", "connect", "connect_good", "connect_renegotiate", "accept", "accept_good",
                              "accept_renegotiate", "hits", "misses", "timeouts", "cache_full"), 0)

    def _wrap_socket(self, *arguments, **options):
        raise PermissionError(1, _REFUSED)

    _wrap_bio = _wrap_socket


class MemoryBIO:
    """Bytes between a program and a connection."""

    def __init__(self):
        self._data, self._ended = bytearray(), False

    pending = property(lambda self: len(self._data))
    eof = property(lambda self: self._ended and not self._data)

    def read(self, size=-1, /):
        """Read up to size bytes."""
        count = len(self._data) if size < 0 else size
        data = bytes(self._data[:count])
        del self._data[:count]
        return data

    def write(self, b, /):
        """Writes the bytes."""
        if self._ended:
            raise SSLError("cannot write() after write_eof()")
        data = memoryview(b).tobytes()
        self._data += data
        return len(data)

    def write_eof(self):
        """Write an EOF marker."""
        self._ended = True


class SSLSession:
    """A session: there are none."""

    def __new__(cls, *arguments):
        raise TypeError("cannot create '_ssl.SSLSession' instances")


class Certificate:
    """A certificate of a connection: there are none."""

    def __new__(cls, *arguments):
        raise TypeError("cannot create '_ssl.Certificate' instances")


#: Names that programs look up: (number, short name, long name, dotted name).
OBJECTS = [(129, "serverAuth", "TLS Web Server Authentication", "1.3.6.1.5.5.7.3.1"),
           (130, "clientAuth", "TLS Web Client Authentication", "1.3.6.1.5.5.7.3.2"),
           (13, "CN", "commonName", "2.5.4.3"), (85, "subjectAltName", "X509v3 Subject Alternative Name", "2.5.29.17")]


def txt2obj(txt, name=False):
    """Lookup NID, short name, long name and OID of an ASN1_OBJECT."""
    for entry in OBJECTS:
        if txt == entry[3] or name and txt in entry[1:3]:
            return entry
    raise ValueError(f"unknown object {txt[:100]!r}")


def nid2obj(nid, /):
    """Lookup NID, short name, long name and OID of an ASN1_OBJECT by NID."""
    for entry in OBJECTS:
        if nid == entry[0]:
            return entry
    raise ValueError(f"unknown NID {nid}" if nid >= 0 else "NID must be positive")


def RAND_bytes(n, /):
    """Generate n cryptographically strong pseudo-random bytes."""
    if n < 0:
        raise ValueError("num must be positive")
    return os.urandom(n)


def RAND_status():
    """The kernel's random bytes are always there."""
    return True


def RAND_add(string, entropy, /):
    """The kernel's random bytes need none."""


def get_default_verify_paths():
    """Return search paths and environment vars that are used by SSLContext's set_default_verify_paths()."""
    return "SSL_CERT_FILE", "/usr/lib/ssl/cert.pem", "SSL_CERT_DIR", "/usr/lib/ssl/certs"


def _test_decode_cert(path, /):
    """The contents of the certificate in a file."""
    with open(path, "rb") as file:
        return certificates.decoded(certificates.from_pem(file.read())[0])


def install(put):
    """Creates the module."""
    module = types.ModuleType("_ssl", "Implementation module for SSL socket operations.")
    for name, value in CONSTANTS.items():
        setattr(module, name, value)
    for name, value in ALERTS.items():
        setattr(module, f"ALERT_DESCRIPTION_{name}", value)
    for kind in (SSLError, SSLZeroReturnError, SSLWantReadError, SSLWantWriteError, SSLSyscallError, SSLEOFError,
                 SSLCertVerificationError):
        kind.__module__ = "ssl"
        setattr(module, kind.__name__, kind)
    for kind in (_SSLContext, MemoryBIO, SSLSession, Certificate):
        kind.__module__ = "_ssl"
        setattr(module, kind.__name__, kind)
    for function in (txt2obj, nid2obj, RAND_bytes, RAND_status, RAND_add, get_default_verify_paths, _test_decode_cert):
        put(module, function.__name__, function)
    module.err_codes_to_names, module.lib_codes_to_names = {}, {}
    sys.modules["_ssl"] = module
