"""`time.strftime` as on Linux: the C library of this build knows neither all conversions nor all flags, and makes
nothing of a format with another one.

Described in strftime(3). `datetime` and `calendar` use this function.
"""

import re
import time

from .replacing import put

#: What the C library does not know, so that most formats are its own.
_OTHER = re.compile(r"%(?![aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%]|-[deHIjmMSyUWVguw])")
_CONVERSION = re.compile(r"%([-_0^#]*)([1-9][0-9]*)?([EO]?)(.?)", re.DOTALL)
_KNOWN = frozenset("aAbBcCdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%")
_MODIFIED = {"": _KNOWN, "E": _KNOWN - set("aAbBdDeFgGhHIjklmMSUVwW"), "O": _KNOWN - set("aAcDFxXY")}
#: How many digits numbers have, and what is put before them.
_DIGITS = dict.fromkeys("dHImMSyUVWgC", (2, "0")) | dict.fromkeys("ekl", (2, " ")) | dict.fromkeys("GYsuw", (1, "0")) | {"j": (3, "0")}

_own = time.strftime


def strftime(format, *time_tuple):
    """strftime(format[, tuple]) -> string

    Convert a time tuple to a string according to a format specification.
    """
    if not isinstance(format, str) or not _OTHER.search(format):
        return _own(format, *time_tuple)
    moment, = time_tuple or (time.localtime(),)
    _own("", moment)
    return _CONVERSION.sub(lambda match: _converted(match, moment), format)


def _converted(match, moment):
    flags, width, modifier, letter = match.groups()
    is_known = letter in _MODIFIED[modifier]
    text = _text(letter, moment) if is_known else match[0]
    digits, before = _DIGITS.get(letter, (0, " ")) if is_known else (0, " ")
    if digits:
        text = text.lstrip(" 0") or "0"
    elif "#" in flags and letter in "pZ":
        text = text.lower()
    elif "^" in flags or "#" in flags and letter in "aAbBh":
        text = text.upper()
    for flag in flags:
        if flag in "-_0":
            digits, before = (0 if flag == "-" else digits), ("0" if flag == "0" else " ")
    return text.rjust(max(int(width or 0), digits), before) if text else ""


def _text(letter, moment):
    if letter == "P":
        return _own("%p", moment).lower()
    if letter == "k":
        return _own("%H", moment)
    return _own("%I" if letter == "l" else f"%{letter}", moment)


def install():
    """Replaces the function in `time`."""
    put(time, "strftime", strftime)
