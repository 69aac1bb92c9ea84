import os, stat
os.makedirs("x/sub/deep"); open("x/f", "w").write("hi"); os.mkfifo("x/p")
for target, link in ("f", "l"), ("sub", "ld"), ("nope", "dang"), ("ring", "ring"): os.symlink(target, "x/" + link)
def show(entries, fd=None):
    for e in sorted(entries, key=lambda e: e.name):
        same = e.inode() == os.lstat(e.path, dir_fd=fd).st_ino
        print(repr(e), e.name, e.path, os.fspath(e), e.is_symlink(), e.is_dir(follow_symlinks=False), e.is_file(follow_symlinks=False), same)
        for f in e.is_dir, e.is_file, lambda: stat.filemode(e.stat().st_mode), lambda: e.stat() is e.stat():
            try: print(f())
            except OSError as error: print(error)
        print(stat.filemode(e.stat(follow_symlinks=False).st_mode))
for path in "x", "x/", b"x", "./x//": show(os.scandir(path))
fd = os.open("x", os.O_RDONLY); show(os.scandir(fd), fd)
for base, directories, files in os.walk("x"): print(base, sorted(directories), sorted(files))
---
import os, pickle
os.mkdir("d"); open("d/f", "w").close(); e = next(os.scandir("d"))
for f in (os.DirEntry, lambda: pickle.dumps(e), lambda: e.is_dir(True), lambda: e.stat(1), lambda: os.scandir("nope"), lambda: os.scandir(""),
          lambda: os.scandir("d/f"), lambda: setattr(e, "name", "x"), lambda: os.scandir(1.5)):
    try: print(f())
    except Exception as error: print(type(error).__name__, error)
print(os.DirEntry[str], type(e), os.DirEntry.__module__, e == next(os.scandir("d")), len({e, e}))
---
import os
os.mkdir("d"); open("d/f", "w").close()
class Text(str):
    def __add__(self, other): raise ValueError
    def endswith(self, *_): raise ValueError
class Raw(bytes):
    def __add__(self, other): raise ValueError
    def endswith(self, *_): raise ValueError
class Place:
    def __fspath__(self): return Text("d")
for path in Text("d"), Text("d/"), Raw(b"d"), Place():
    for e in os.scandir(path): print(e.path, type(e.path).__name__, type(e.name).__name__, e.is_file())
---
import os
os.mkdir("d"); os.mkdir("d/gone"); os.symlink("gone", "d/l"); open("d/f", "w").close()
entries = {e.name: e for e in os.scandir("d")}
os.rmdir("d/gone"); os.unlink("d/f")
print([(n, e.is_dir(), e.is_file(), e.is_symlink()) for n, e in sorted(entries.items())])
for n in "f", "gone", "l":
    try: entries[n].stat()
    except OSError as error: print(error)
