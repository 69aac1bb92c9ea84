"""Decodes X.509 certificates (RFC 5280) to what `ssl` returns for them."""

import base64
import re

_BEGIN, _END = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"
#: The names of parts of a subject.
NAMES = {
    "2.5.4.3": "commonName", "2.5.4.4": "surname", "2.5.4.5": "serialNumber", "2.5.4.6": "countryName",
    "2.5.4.7": "localityName", "2.5.4.8": "stateOrProvinceName", "2.5.4.9": "streetAddress", "2.5.4.10": "organizationName",
    "2.5.4.11": "organizationalUnitName", "2.5.4.12": "title", "2.5.4.17": "postalCode", "2.5.4.42": "givenName",
    "2.5.4.97": "organizationIdentifier", "1.2.840.113549.1.9.1": "emailAddress", "0.9.2342.19200300.100.1.25": "domainComponent",
}
ALTERNATIVES, CONSTRAINTS = "2.5.29.17", "2.5.29.19"
INTEGER, IDENTIFIER, SEQUENCE, SET, BOOLEAN, OCTETS = 0x02, 0x06, 0x30, 0x31, 0x01, 0x04
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def from_pem(text):
    """The certificates in a text, in binary."""
    found = []
    for piece in text.split(_BEGIN)[1:]:
        body, end, _ = piece.partition(_END)
        if end:
            data = base64.b64decode(re.sub(rb"\s", b"", body))
            parts(data)
            found.append(data)
    return found


def from_der(data):
    """The certificates in bytes, one behind the other."""
    found = []
    while data:
        _, _, end = _element(data, 0)
        found.append(data[:end])
        data = data[end:]
    return found


def _element(data, at):
    """(tag, where the contents begin, where they end) of the element at a position."""
    if at + 2 > len(data):
        raise ValueError("not enough data")
    tag, size, start = data[at], data[at + 1], at + 2
    if size & 0x80:
        count = size & 0x7f
        if not 0 < count <= 4:
            raise ValueError("bad length of an element")
        size, start = int.from_bytes(data[start:start + count], "big"), start + count
    if start + size > len(data):
        raise ValueError("not enough data")
    return tag, start, start + size


def _elements(data):
    """(tag, contents) of the elements one behind the other."""
    at, found = 0, []
    while at < len(data):
        tag, start, at = _element(data, at)
        found.append((tag, data[start:at]))
    return found


def parts(data):
    """The elements of a certificate that is signed: version, number, algorithm, issuer, times, subject, key, extensions."""
    tag, start, end = _element(data, 0)
    if tag != SEQUENCE:
        raise ValueError("not a certificate")
    signed = _elements(data[start:end])[0][1]
    found = _elements(signed)
    # The version is left out if it is 1.
    if found[0][0] != 0xa0:
        found.insert(0, (0xa0, b"\2\1\0"))
    if len(found) < 7:
        raise ValueError("not a certificate")
    return found


def decoded(data):
    """What `ssl` returns for a certificate."""
    found = parts(data)
    answer = {"subject": _names(found[5][1]), "issuer": _names(found[3][1]),
              "version": _elements(found[0][1])[0][1][0] + 1, "serialNumber": _number(found[1][1])}
    for name, (tag, text) in zip(("notBefore", "notAfter"), _elements(found[4][1])):
        answer[name] = _time(tag, text.decode("ascii"))
    alternatives = _extensions(found).get(ALTERNATIVES)
    if alternatives is not None:
        answer["subjectAltName"] = tuple(_alternative(tag, value) for tag, value in _elements(_elements(alternatives)[0][1]))
    return answer


def is_authority(data):
    """Whether a certificate may sign others."""
    constraints = _extensions(parts(data)).get(CONSTRAINTS)
    if constraints is None:
        return False
    return any(tag == BOOLEAN and value != b"\0" for tag, value in _elements(_elements(constraints)[0][1]))


def _extensions(found):
    """The contents of the extensions, by their identifiers."""
    known = {}
    for tag, body in found[7:]:
        if tag == 0xa3:
            for _, extension in _elements(_elements(body)[0][1]):
                fields = _elements(extension)
                known[_identifier(fields[0][1])] = fields[-1][1]
    return known


def _number(data):
    text = f"{int.from_bytes(data, 'big'):X}"
    return text if len(text) % 2 == 0 else f"0{text}"


def _identifier(data):
    """The dotted form."""
    numbers, number = [], 0
    for byte in data:
        number = number << 7 | byte & 0x7f
        if not byte & 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def _names(data):
    answer = []
    for _, group in _elements(data):
        pairs = []
        for _, pair in _elements(group):
            (_, kind), (tag, value) = _elements(pair)
            kind = _identifier(kind)
            pairs.append((NAMES.get(kind, kind), _text(tag, value)))
        answer.append(tuple(pairs))
    return tuple(answer)


def _text(tag, value):
    return value.decode({0x1e: "utf-16-be", 0x14: "latin-1", 0x1c: "utf-32-be"}.get(tag, "utf-8"), "replace")


def _time(tag, text):
    """A time as `ssl` shows it."""
    if tag == 0x17:
        text = ("19" if int(text[:2]) >= 50 else "20") + text
    return (f"{_MONTHS[int(text[4:6]) - 1]} {int(text[6:8]):2} {text[8:10]}:{text[10:12]}:{text[12:14]} "
            f"{text[:4]} GMT")


def _alternative(tag, value):
    kind = tag & 0x1f
    if kind in (1, 2, 6):
        return {1: "email", 2: "DNS", 6: "URI"}[kind], value.decode("utf-8", "replace")
    if kind == 7:
        return "IP Address", _address(value)
    if kind == 4:
        return "DirName", _names(_elements(value)[0][1])
    if kind == 8:
        return "Registered ID", _identifier(value)
    return "othername", "<unsupported>"


def _address(value):
    if len(value) == 4:
        return ".".join(map(str, value))
    if len(value) == 16:
        return ":".join(f"{int.from_bytes(value[at:at + 2], 'big'):X}" for at in range(0, 16, 2))
    return "<invalid>"
