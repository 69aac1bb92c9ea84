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
