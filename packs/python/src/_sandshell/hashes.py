"""`hashlib.pbkdf2_hmac` and `scrypt`, which CPython takes from OpenSSL."""

import hashlib
import hmac
import operator
import struct


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function (RFC 8018)."""
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    keyed = hmac.new(password, digestmod=hash_name)
    length = keyed.digest_size if dklen is None else dklen
    if length < 1:
        raise ValueError("key length must be greater than 0.")

    def authenticated(data):
        code = keyed.copy()
        code.update(data)
        return code.digest()

    key, block = b"", 0
    while len(key) < length:
        block += 1
        last = authenticated(bytes(salt) + block.to_bytes(4, "big"))
        total = int.from_bytes(last, "big")
        for _ in range(iterations - 1):
            last = authenticated(last)
            total ^= int.from_bytes(last, "big")
        key += total.to_bytes(keyed.digest_size, "big")
    return key[:length]


#: The largest `int` of C.
_MOST = 2**31 - 1


def scrypt(password, *, salt, n, r, p, maxmem=0, dklen=64):
    """scrypt password-based key derivation function (RFC 7914)."""
    for name, value, least, what in (("maxmem", maxmem, 0, "positive"), ("dklen", dklen, 1, "greater than 0")):
        if not least <= operator.index(value) <= _MOST:
            raise ValueError(f"{name} must be {what} and smaller than {_MOST}")
    if n < 2 or n & n - 1:
        raise ValueError("n must be a power of 2.")
    if r < 1 or p < 1 or r * p >= 1 << 30:
        raise ValueError("Invalid parameter combination for n, r, p, maxmem.")
    if 128 * r * (n + p + 2) > (maxmem or 32 << 20):
        raise ValueError("memory limit exceeded")
    size = 128 * r
    blocks = pbkdf2_hmac("sha256", password, salt, 1, p * size)
    mixed = b"".join(_mixed(blocks[at:at + size], n, r) for at in range(0, p * size, size))
    return pbkdf2_hmac("sha256", password, mixed, 1, dklen)


def _mixed(block, n, r):
    words = list(struct.unpack(f"<{32 * r}I", block))
    seen = []
    for _ in range(n):
        seen.append(words)
        words = _shuffled(words, r)
    for _ in range(n):
        other = seen[words[16 * (2 * r - 1)] & n - 1]
        words = _shuffled([a ^ b for a, b in zip(words, other)], r)
    return struct.pack(f"<{32 * r}I", *words)


def _shuffled(words, r):
    """BlockMix with Salsa20/8: the even blocks before the odd ones."""
    x, made = words[-16:], []
    for at in range(0, 32 * r, 16):
        x = _salsa([a ^ b for a, b in zip(x, words[at:at + 16])])
        made.append(x)
    return [word for first in (0, 1) for block in made[first::2] for word in block]


#: The quarter rounds of Salsa20's double round: columns, then rows.
_QUARTERS = ((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11), (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14))


def _salsa(start):
    x = start[:]
    for _ in range(4):
        for a, b, c, d in _QUARTERS:
            t = x[a] + x[d] & 0xffffffff
            x[b] ^= t << 7 & 0xffffffff | t >> 25
            t = x[b] + x[a] & 0xffffffff
            x[c] ^= t << 9 & 0xffffffff | t >> 23
            t = x[c] + x[b] & 0xffffffff
            x[d] ^= t << 13 & 0xffffffff | t >> 19
            t = x[d] + x[c] & 0xffffffff
            x[a] ^= t << 18 & 0xffffffff | t >> 14
    return [a + b & 0xffffffff for a, b in zip(x, start)]


def install():
    """Adds them to `hashlib`."""
    if not hasattr(hashlib, "scrypt"):
        scrypt.__module__ = "hashlib"
        hashlib.scrypt = scrypt
    if not hasattr(hashlib, "pbkdf2_hmac"):
        pbkdf2_hmac.__module__ = "hashlib"
        hashlib.pbkdf2_hmac = pbkdf2_hmac
