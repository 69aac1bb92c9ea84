"""`hashlib.pbkdf2_hmac` and `scrypt`, which CPython takes from OpenSSL."""

import hashlib
import hmac
import math
import operator

from wit_world.imports import digests


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function (RFC 8018)."""
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    try:
        password = bytes(memoryview(password))
    except TypeError:
        raise TypeError(f"a bytes-like object is required, not {type(password).__name__!r}") from None
    keyed = hmac.new(password, digestmod=hash_name)
    length = keyed.digest_size if dklen is None else dklen
    if length < 1:
        raise ValueError("key length must be greater than 0.")
    more = _FAST.get(keyed.name, _slow)(keyed, password)
    key, block = b"", 0
    while len(key) < length:
        block += 1
        key += more(_authenticated(keyed, bytes(salt) + block.to_bytes(4, "big")), iterations - 1)
    return key[:length]


def _authenticated(keyed, data):
    code = keyed.copy()
    code.update(data)
    return code.digest()


def _slow(keyed, password):
    """What makes the sum of a first digest and those of so many rounds after it."""
    def more(last, rounds):
        total = int.from_bytes(last, "big")
        for _ in range(rounds):
            last = _authenticated(keyed, last)
            total ^= int.from_bytes(last, "big")
        return total.to_bytes(keyed.digest_size, "big")
    return more


def _fast(name, most):
    """The same with the kernel's calls for `name`, of at most so many rounds."""
    bits = int(name[3:])
    compress, stretch = getattr(digests, name), getattr(digests, f"stretch{bits}")

    def begin(keyed, password):
        key = password if len(password) <= keyed.block_size else hashlib.new(name, password).digest()
        key = key.ljust(keyed.block_size, b"\0")
        # FIPS 180-4: the fractions of square roots of primes.
        primes, size = (2, 3, 5, 7, 11, 13, 17, 19), bits // 8
        start = b"".join((math.isqrt(prime << 2 * size) & (1 << size) - 1).to_bytes(size // 8, "little") for prime in primes)
        inner, outer = (compress(start, bytes(byte ^ fill for byte in key)) for fill in (0x36, 0x5c))

        def more(last, rounds):
            total = last
            while rounds:
                now = min(rounds, most)
                both = stretch(inner, outer, last, total, now)
                last, total = both[:bits // 8], both[bits // 8:]
                rounds -= now
            return total
        return more
    return begin


_FAST = {"hmac-sha256": _fast("sha256", 8192), "hmac-sha512": _fast("sha512", 4096)}


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
        raise ValueError("[digital envelope routines] memory limit exceeded")
    size = 128 * r
    blocks = pbkdf2_hmac("sha256", password, salt, 1, p * size)
    mixed = b"".join(_mixed(blocks[at:at + size], n, r) for at in range(0, p * size, size))
    return pbkdf2_hmac("sha256", password, mixed, 1, dklen)


#: The most bytes that the kernel mixes in one call.
_MIXED = 1 << 20


def _mixed(block, n, r):
    """scryptROMix: a table of `n` blocks, and then as many steps that each add one of them."""
    size, done = 128 * r, 1
    if size > _MIXED:
        raise NotImplementedError(f"scrypt with r above {_MIXED // 128} is not supported in the sandbox")
    table = bytearray(n * size)
    table[:size] = block
    while done < n:
        times = min(n - done, max(1, (64 << 10) // size))
        made = digests.scrypt_mix(block, b"", times)
        table[done * size:(done + times) * size] = made
        done, block = done + times, made[-size:]
    block = digests.scrypt_mix(block, b"", 1)
    for _ in range(n):
        at = (int.from_bytes(block[-64:-60], "little") & n - 1) * size
        block = digests.scrypt_mix(block, bytes(table[at:at + size]), 1)
    return block


def install():
    """Adds them to `hashlib`."""
    if not hasattr(hashlib, "scrypt"):
        scrypt.__module__ = "hashlib"
        hashlib.scrypt = scrypt
    if not hasattr(hashlib, "pbkdf2_hmac"):
        pbkdf2_hmac.__module__ = "hashlib"
        hashlib.pbkdf2_hmac = pbkdf2_hmac
