#!/usr/bin/env python3
"""Runs `folding.rs` in a directory whose filesystem takes names for the same that differ in case only.

Needs FUSE: Debian's packages `fuse` and `libfuse2`, and the Python package `fusepy`.
"""

import errno
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from fuse import FUSE, FuseOSError, Operations

CRATE = Path(__file__).resolve().parents[2]


class Folding(Operations):
    """Passes everything on to a directory, after finding the name there that is spelled like the one asked for."""

    def __init__(self, below: str) -> None:
        self.below = below

    def real(self, path: str) -> str:
        at = self.below
        for name in path.strip("/").split("/"):
            known = [one for one in os.listdir(at) if one.lower() == name.lower()] if os.path.isdir(at) else []
            at = os.path.join(at, known[0] if known else name)
        return at

    def getattr(self, path, fh=None):
        found = os.lstat(self.real(path)) if fh is None else os.fstat(fh)
        names = "st_atime st_ctime st_gid st_mode st_mtime st_nlink st_size st_uid st_ino".split()
        return {name: getattr(found, name) for name in names}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.real(path))]

    def fresh(self, path: str) -> str:
        real = self.real(path)
        if os.path.lexists(real):
            raise FuseOSError(errno.EEXIST)
        return real

    def create(self, path, mode, info=None):
        return os.open(self.fresh(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path, flags):
        return os.open(self.real(path), flags & ~os.O_NOFOLLOW)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self.real(path), length)

    def release(self, path, fh):
        os.close(fh)

    def mkdir(self, path, mode):
        os.mkdir(self.fresh(path), mode)

    def rmdir(self, path):
        os.rmdir(self.real(path))

    def unlink(self, path):
        os.unlink(self.real(path))

    def symlink(self, path, target):
        os.symlink(target, self.fresh(path))

    def readlink(self, path):
        return os.readlink(self.real(path))

    def link(self, path, target):
        os.link(self.real(target), self.fresh(path))

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)

    def rename(self, old, new):
        source, target = self.real(old), self.real(new)
        spelled = os.path.join(os.path.dirname(target), os.path.basename(new))
        if os.path.lexists(target) and not os.path.samefile(source, target):
            os.rename(source, target)
        else:
            os.rename(source, spelled)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        below, top = os.path.join(place, "below"), os.path.join(place, "top")
        os.mkdir(below)
        os.mkdir(top)
        options = {"foreground": True, "nothreads": True, "use_ino": True, "attr_timeout": 0, "entry_timeout": 0}
        threading.Thread(target=lambda: FUSE(Folding(below), top, **options), daemon=True).start()
        while not os.path.ismount(top):
            time.sleep(0.05)
        test = ["cargo", "test", "--features", "portable-host", "--test", "folding"]
        try:
            environment = {**os.environ, "SANDSHELL_FOLDING": top}
            subprocess.run([*test, "--", "--ignored"], check=True, cwd=CRATE, env=environment)
        finally:
            subprocess.run(["fusermount", "-uz", top], check=True)


if __name__ == "__main__":
    main()
