import hashlib
data = bytes(range(256)) * 1200
whole = hashlib.sha256()
for name in ("sha224", "sha256", "sha384", "sha512"):
    for length in (0, 1, 63, 64, 127, 128, 2047, 2048, 2049, 2175, 2176, 4095, 65535, 65536, 65537, 67583, 67584, 131072, 300000):
        one = hashlib.new(name, data[:length])
        two = hashlib.new(name)
        for at in range(0, length, 7001): two.update(data[at:min(at + 7001, length)])
        assert one.digest() == two.digest()
        whole.update(one.digest())
print(whole.hexdigest())
---
import hashlib, hmac
for name in ("sha224", "sha256", "sha384", "sha512"):
    h = hashlib.new(name, b"a" * 5000)
    kept = h.copy()
    h.update(memoryview(bytearray(b"b" * 70000))[1:])
    print(name, h.hexdigest()[:16], kept.hexdigest()[:16], hmac.new(b"k" * 200, b"c" * 9000, name).hexdigest()[:16])
open("big", "wb").write(b"z" * 1_000_001)
with open("big", "rb") as file: print(hashlib.file_digest(file, "sha256").hexdigest())
---
import gc, os, pickle, warnings
os.makedirs("d/sub"); open("d/one", "w").close(); os.symlink("one", "d/link"); os.symlink("sub", "d/into"); os.symlink("none", "d/bad")
def told(entry):
    return (entry.name, entry.path, entry.is_dir(), entry.is_file(), entry.is_symlink(), entry.is_dir(follow_symlinks=False),
            entry.is_file(follow_symlinks=False), entry.inode() == os.lstat(entry).st_ino,
            entry.stat(follow_symlinks=False).st_mode == os.lstat(entry).st_mode)
for where in ("d", "d/", b"d"): print(sorted(told(entry) for entry in os.scandir(where)))
entry = next(entry for entry in os.scandir("d") if entry.name == "bad")
try: entry.stat()
except FileNotFoundError as error: print(error.errno, error.filename)
fd = os.open("d", os.O_RDONLY)
print(sorted((entry.name, entry.path, entry.is_dir(), entry.stat().st_size >= 0) for entry in os.scandir(fd) if entry.name != "bad"))
print(sorted(os.listdir(fd)), sorted(os.listdir(b"d")))
with os.scandir("d") as found:
    next(found)
print(list(found))
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    found = os.scandir("d"); next(found); del found; gc.collect()
    found = os.scandir("d"); list(found); del found; gc.collect()
    print(len(warned), str(warned[0].message)[:24])
for bad in ("none", "d/one", "d/bad"):
    for function in (os.scandir, os.listdir):
        try: function(bad)
        except OSError as error: print(type(error).__name__, error.errno, error.filename)
try: pickle.dumps(os.scandir("d"))
except TypeError as error: print(error)
---
import os
name = b"caf\xe9\xff"
os.mkdir(b"d"); open(b"d/" + name, "w").write("x")
print(os.listdir("d"), os.listdir(b"d"), [entry.path for entry in os.scandir("d")], os.stat("d/" + os.fsdecode(name)).st_size)
os.mkdir("empty"); print(os.listdir("empty"), list(os.scandir("empty")))
os.utime("d", ns=(1, 1_500_000_000_123_456_789)); found = os.stat("d")
print(found.st_mtime_ns, found.st_mtime, found.st_mtime.__class__, found.st_atime_ns, int(found.st_mtime), found[8])
os.utime("d", ns=(-1_500_000_001, 5)); found = os.stat("d"); print(found.st_atime_ns, found.st_atime, found[7])
---
with open("f", "w") as file: print(file.write("one\ntwo\r\nthree"), file.tell(), file.mode, file.encoding)
for mode, options in (("r", {}), ("rb", {}), ("rt", {"newline": ""}), ("r", {"encoding": "latin-1"}), ("rb", {"buffering": 0})):
    with open("f", mode, **options) as file:
        raw = file if options.get("buffering") == 0 else file.raw if "b" in mode else file.buffer.raw
        print(file.tell(), file.seekable(), file.readable(), file.writable(), file.isatty(), repr(file.read()), repr(file.read()), file.tell())
        print(raw.name, raw.mode, raw.closefd, raw.seekable(), file.fileno() == raw.fileno())
    print(file.closed, raw.closed)
    for use in (file.read, file.tell, file.fileno, raw.read, raw.tell, raw.flush):
        try: print(use())
        except ValueError as error: print(error)
---
import io, os
for arguments in (("f", "rb", -1, "utf-8"), ("f", "rb", -1, None, "strict"), ("f", "rb", -1, None, None, "\n"), ("none",), (".",), (".", "w"),
                  ("f", "x"), ("f", "rw"), ("f", "U"), ("", "r"), ("f", "r", 0), ("f", "r", -1, "no such")):
    open("f", "w").close()
    try: open(*arguments)
    except Exception as error: print(arguments, type(error).__name__, error, getattr(error, "filename", None))
class Named:
    def __fspath__(self): return "f"
print(open(Named(), "wb").write(b"abc"), open(Named()).read(), open("f", "ab").tell(), open("f", "r+").read(), os.open("f", 0) > 2)
file = open("f", "r")
with open("f", "a") as more: more.write("d" * 3000)
print(len(file.read()), file.read(), io.open("f", "rb").read1(5), len(list(open("f"))))
