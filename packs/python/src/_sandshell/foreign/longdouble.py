"""C's `long double`, which has 128 bits here (IEEE 754's binary128), as Python's numbers."""

import math

_BIAS, _FRACTION, _LARGEST = 16383, 112, 0x7fff


def encoded(value):
    """The sixteen bytes of a number."""
    negative = math.copysign(1.0, value) < 0
    if value != value:
        bits = _LARGEST << _FRACTION | 1 << _FRACTION - 1
    elif value in (math.inf, -math.inf):
        bits = _LARGEST << _FRACTION
    elif value == 0:
        bits = 0
    else:
        # Half to one; each float is a normal number in the larger format.
        fraction, exponent = math.frexp(abs(value))
        whole = int(math.ldexp(fraction, 53)) << _FRACTION - 52
        bits = exponent - 1 + _BIAS << _FRACTION | whole & (1 << _FRACTION) - 1
    return (negative << 127 | bits).to_bytes(16, "little")


def decoded(data):
    """The nearest number of a float."""
    bits = int.from_bytes(data, "little")
    sign = -1.0 if bits >> 127 else 1.0
    exponent, fraction = bits >> _FRACTION & _LARGEST, bits & (1 << _FRACTION) - 1
    if exponent == _LARGEST:
        return math.copysign(math.nan if fraction else math.inf, sign)
    whole = fraction | (1 << _FRACTION if exponent else 0)
    power = max(exponent, 1) - _BIAS - _FRACTION
    try:
        # Division of integers rounds correctly.
        return sign * (float(whole << power) if power >= 0 else whole / (1 << -power) if whole else 0.0)
    except OverflowError:
        return math.copysign(math.inf, sign)
