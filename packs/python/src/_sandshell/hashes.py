"""`hashlib.pbkdf2_hmac`, which CPython takes from OpenSSL."""

import hashlib
import hmac


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


def install():
    """Adds it to `hashlib`."""
    if not hasattr(hashlib, "pbkdf2_hmac"):
        pbkdf2_hmac.__module__ = "hashlib"
        hashlib.pbkdf2_hmac = pbkdf2_hmac
