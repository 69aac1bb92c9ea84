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
---
import errno, io, os
def tried(f):
    try: return f()
    except Exception as e: return type(e).__name__, getattr(e, "errno", None), str(e)
open("a", "wb").write(b"hello\nworld\n"); os.mkdir("d")
for path, mode in (("missing", "r"), ("d", "r"), ("d", "w"), ("a", "x"), ("a/b", "r"), ("", "r"), ("x\0y", "r"), ("n" * 300, "w")):
    print(mode, tried(lambda: open(path, mode)))
for mode in ("r", "w+", "rr", "q", "", "r+b", "ab", "xb"): print(mode, tried(lambda: io.FileIO("b", mode).mode)); open("b", "w").close()
print(tried(lambda: io.FileIO(12345)), tried(lambda: io.FileIO(-1)), tried(lambda: io.FileIO(1.5)))
print(tried(lambda: open("a", opener=lambda p, flags: -1)), tried(lambda: open("a", opener=lambda p, flags: "x")))
def opener(path, flags): print(path, flags); return os.open(path, flags | os.O_CREAT)
for mode in ("r", "w", "a", "r+", "w+", "a+"): open("c", mode, opener=opener).close()
with open("c", opener=opener) as c: print(os.get_inheritable(c.fileno()))
f = io.FileIO("a", "a+"); print(f.tell(), f.read(), f.write(b"!!"), f.tell(), f.seek(-3, 2), f.readall(), f.seek(2), f.read(3), f.truncate(), f.tell(), f.seekable(), f.isatty())
print(tried(lambda: f.seek(-1)), tried(lambda: f.seek(0, 77)), tried(lambda: f.seek("x")), tried(lambda: f.truncate(-1)), f.closed); f.close()
for call in (f.read, f.tell, f.fileno, f.readable, f.isatty, f.readall): print(tried(call), f.closed)
print(tried(lambda: io.FileIO("a").write(b"x")), tried(lambda: io.FileIO("a", "w").read()), repr(f))
r, w = os.pipe(); p = io.FileIO(w, "w"); print(p.seekable(), tried(p.tell), tried(p.truncate)); q = io.FileIO(r); p.write(b"ab"); print(q.read(1), q.read(9)); p.close(); print(q.readall(), q.read(1))
os.close(r); print(tried(q.read), tried(q.close), q.closed)
print(tried(lambda: open("/dev/full", "wb", buffering=0).write(b"x")))
---
#py
import os, signal, subprocess, sys, time
# What waits is interrupted by handlers, which may raise.
signal.signal(signal.SIGALRM, lambda *_: print("handled"))
def slow(text): return subprocess.Popen(["sh", "-c", f"sleep 0.3; echo {text}"], stdout=subprocess.PIPE)
signal.setitimer(signal.ITIMER_REAL, 0.1); child = slow("one"); print(child.stdout.read()); child.wait()
class Stop(Exception): pass
def stop(*_): raise Stop
signal.signal(signal.SIGALRM, stop); signal.setitimer(signal.ITIMER_REAL, 0.1); child = slow("two")
try: child.stdout.read()
except Stop: print("stopped")
child.wait(); print(child.stdout.read())
os.mkfifo("fifo"); signal.setitimer(signal.ITIMER_REAL, 0.1)
try: open("fifo")
except Stop: print("stopped while opening")
---
import os, threading
r, w = os.pipe(); got = []
reader = threading.Thread(target=lambda: got.append(open(r, "rb").read())); reader.start()
with open(w, "wb") as f: f.write(b"x" * 1000000)
reader.join(); print(len(got[0]))
r, w = os.pipe(); ticks = []
def tick():
    for n in range(3): ticks.append(n)
    os.write(w, b"done"); os.close(w)
threading.Timer(0.05, tick).start(); print(open(r).read(), ticks)
---
import io, os
with open("big", "wb") as f: f.truncate(40 << 20)
raw = io.FileIO("big"); print(len(raw.read(35 << 20)), raw.tell(), len(raw.readall()), raw.readall()); buffer = bytearray(20 << 20); raw.seek(1); print(raw.readinto(buffer), raw.tell())
print(io.FileIO("other", "w").write(bytes(40 << 20)), os.path.getsize("other"), len(open("big", "rb").read()), len(open("big").read()))
print(os.SEEK_DATA, io.FileIO("other").seek(5, os.SEEK_DATA), io.FileIO("other").seek(5, os.SEEK_HOLE) == 40 << 20)
try: io.FileIO("other").seek(40 << 20, os.SEEK_DATA)
except OSError as e: print(e)
---
import os, stat
def t(f):
    try: return f()
    except Exception as e: return type(e).__name__, str(e)
os.makedirs('d/e'); open('d/f','w').write('x'*5000); os.symlink('f','d/l'); os.symlink('none','d/b')
os.utime('d/f', ns=(-1500000001, 1700000000123456789))
fd=os.open('d', os.O_RDONLY)
def show(s): return s.st_size, oct(s.st_mode), s.st_nlink, s.st_atime_ns, s.st_mtime_ns, s.st_atime, s.st_mtime, s.st_blksize, s[7], len(s)
for f in (lambda: os.stat('d/f'), lambda: os.stat(b'd/l'), lambda: os.lstat('d/l').st_size, lambda: os.stat('f', dir_fd=fd), lambda: os.stat('l', dir_fd=fd, follow_symlinks=False).st_size):
    r=t(f); print(show(r) if isinstance(r, os.stat_result) else r)
for f in (lambda: os.stat('nope'), lambda: os.stat('d/b'), lambda: os.lstat('d/b').st_size, lambda: os.stat('d/f/x'), lambda: os.stat(99), lambda: os.fstat(99), lambda: os.stat(1.5), lambda: os.stat(fd, dir_fd=fd), lambda: os.stat(fd, follow_symlinks=False), lambda: os.stat('x'*5000), lambda: os.stat('n'*256), lambda: os.fstat('x'), lambda: stat.S_ISDIR(os.stat(fd).st_mode), lambda: stat.S_ISDIR(os.fstat(fd).st_mode), lambda: os.lstat(1)):
    print(t(f))
for e in sorted(os.scandir('d'), key=lambda e: e.name): print(e.name, e.is_dir(), e.is_file(), e.is_symlink(), t(lambda: e.stat().st_size), e.stat(follow_symlinks=False).st_size > 0, e.inode()==e.stat(follow_symlinks=False).st_ino)
for e in sorted(os.scandir(fd), key=lambda e: e.name): print(e.name, e.path, e.is_dir(), t(lambda: e.stat().st_size), e.stat(follow_symlinks=False).st_nlink)
print(os.stat in os.supports_fd, os.stat in os.supports_dir_fd, os.stat in os.supports_follow_symlinks, os.path.exists('d'), os.path.isfile('d/f'), os.path.samefile('d/f','d/l'), os.path.getsize('d/f'))
s=os.stat('/dev/null'); print(stat.S_ISCHR(s.st_mode), os.major(s.st_rdev), os.minor(s.st_rdev)); r,w=os.pipe(); print(stat.S_ISFIFO(os.fstat(r).st_mode))
print(repr(os.stat('d/f'))[:20], [(os.major(n), os.minor(n), os.makedev(os.major(n), os.minor(n)) == n) for n in (0, 259, 0x12345678, 1 << 40)])
---
import io, os
# The library's numbers of errors that several of Linux's share.
r, w = os.pipe(); os.close(r)
for write in (lambda: io.FileIO(w, "w", closefd=False).write(b"x"), lambda: os.write(w, b"x"), lambda: print("x", file=open(w, "w", closefd=False), flush=True)):
    try: write()
    except OSError as error: print(repr(error))
---
import io, os, pathlib
# What exceptions say of files that are given as paths, and of what cannot wait.
P = pathlib.Path; P("a").write_text("x"); P("d").mkdir(); P("d/f").write_text("y")
def tried(work):
    try: work()
    except OSError as error: print(error, repr(error.filename), repr(error.filename2))
a, z, d = P("a"), P("zz"), P("d")
for work in (d.mkdir, d.rmdir, z.unlink, lambda: z.rename(a), lambda: a.rename(d), lambda: z.chmod(0o600), a.readlink,
             lambda: a.symlink_to("x"), lambda: a.hardlink_to(z), lambda: a.touch(exist_ok=False), lambda: os.open(z, 0), lambda: os.utime(z),
             lambda: os.truncate(z, 0), lambda: os.chdir(a), lambda: os.chown(z, 0, 0), lambda: os.mkfifo(a), lambda: os.mknod(a),
             lambda: os.statvfs(z), lambda: os.scandir(z), lambda: os.listdir(a), lambda: os.makedirs(d), lambda: os.mkdir(b"d"),
             lambda: os.pathconf(z, "PC_NAME_MAX")): tried(work)
r, w = os.pipe(); os.set_blocking(w, False)
raw = open(w, "wb", buffering=0); print(raw.write(b"x" * 200_000) < 200_000, raw.write(b"x"))
buffered = io.BufferedWriter(raw, 100)
for _ in range(3): tried(lambda: buffered.write(b"y" * 1000)); tried(lambda: buffered.write(b"y")); tried(buffered.flush)
os._exit(0 if print(flush=True) is None else 1)