"""SHA-2 of data in pieces of many lengths: short ones by the interpreter, long ones by the kernel."""
import hashlib, random
random.seed(7)
out=hashlib.md5()
for name in ("sha224","sha256","sha384","sha512"):
    for _ in range(300):
        h=hashlib.new(name)
        for _ in range(random.randrange(1,6)):
            n=random.choice([0,1,63,64,65,127,128,129,2047,2048,2559,2560,2561,4096,65535,65536,65537,random.randrange(0,9000),random.randrange(0,200000)])
            h.update(random.randbytes(n))
            if random.random()<.3: out.update(h.copy().digest())
        out.update(h.digest())
print(out.hexdigest())
---
# Keys derived from passwords.
import hashlib
whole = hashlib.sha256()
for name in "sha1", "sha224", "sha256", "sha384", "sha512", "md5", "SHA256", "sha3_256", "blake2b":
    for password in b"", b"x", b"y" * 64, b"z" * 65, b"w" * 128, b"v" * 129, bytearray(b"u" * 300), memoryview(b"t" * 200):
        for salt, rounds, size in (b"", 1, 7), (b"salt", 2, 64), (b"s" * 90, 5, 130):
            whole.update(hashlib.pbkdf2_hmac(name, password, salt, rounds, size))
    print(name, whole.hexdigest())
for name in "sha256", "sha512":
    for rounds in 4096, 4097, 4098, 8192, 8193, 8194, 20000:
        print(rounds, hashlib.pbkdf2_hmac(name, bytearray(b"p"), memoryview(b"s"), rounds, 33).hex())
for n, r, p, size in (2, 1, 1, 1), (16, 1, 1, 64), (1024, 8, 16, 64), (64, 3, 2, 33), (16384, 8, 1, 64), (2, 9, 5, 100), (8, 1100, 1, 20):
    print(n, r, p, hashlib.scrypt(b"password", salt=b"NaCl", n=n, r=r, p=p, maxmem=1 << 26, dklen=size).hex())
for how in dict(n=3, r=8, p=1), dict(n=1, r=8, p=1), dict(n=32768, r=8, p=1), dict(n=16, r=0, p=1), dict(n=16, r=1, p=1, dklen=0), dict(n=16, r=1, p=1, maxmem=-1):
    try: print(hashlib.scrypt(b"", salt=b"", **how).hex())
    except Exception as error: print(type(error).__name__, error)
for how in ("sha256", "p", b"s", 1), ("sha256", b"p", b"s", 0), ("sha256", b"p", b"s", 1, 0):
    try: print(hashlib.pbkdf2_hmac(*how).hex())
    except Exception as error: print(type(error).__name__, error)
