"""`posix`: files by name and by descriptor."""

import itertools
import operator
import posix
import stat as modes

from wit_world.imports import files

from . import kernel
from .arguments import descriptor, number
from .errors import fail
from .kernel import AT_FDCWD, call, make_room, path_bytes, take, wait

#: Flags of open(2).
FLAGS = {
    "O_RDONLY": 0, "O_WRONLY": 1, "O_RDWR": 2, "O_ACCMODE": 3, "O_CREAT": 0o100, "O_EXCL": 0o200, "O_NOCTTY": 0o400,
    "O_TRUNC": 0o1000, "O_APPEND": 0o2000, "O_NONBLOCK": 0o4000, "O_NDELAY": 0o4000, "O_DSYNC": 0o10000,
    "O_DIRECTORY": 0o200000, "O_NOFOLLOW": 0o400000, "O_CLOEXEC": 0o2000000, "O_SYNC": 0o4010000,
    "O_RSYNC": 0o4010000,
}
SEEK_CUR, SEEK_DATA, SEEK_HOLE = 1, 3, 4
NANOS = 1_000_000_000
MAX_READ = 16 << 20
EINVAL, EOPNOTSUPP = 22, 95
#: The number of no device.
NODEV = -1


def _at(dir_fd):
    return AT_FDCWD if dir_fd is None else _fd(dir_fd)


def _fd(fd):
    """A descriptor number from an integer or something with `fileno`."""
    if type(fd) is not int and not hasattr(fd, "__index__") and hasattr(fd, "fileno"):
        fd = fd.fileno()
    return descriptor(fd)


def warn_of_bool(level):
    """Warns of True and False, which are hardly meant as descriptors."""
    import warnings
    warnings.warn("bool is used as a file descriptor", RuntimeWarning, stacklevel=level)


def _stream(fd):
    """A descriptor for functions that also accept an object with `fileno`; they warn of True and False."""
    if isinstance(fd, bool):
        warn_of_bool(4)
    return _fd(fd)


def _is_fd(path):
    return type(path) is int or (hasattr(type(path), "__index__") and not isinstance(path, (str, bytes)))


#: The interpreter's own functions ask the kernel (the recipe's `adapt/system.py`).
stat, lstat, fstat = posix.stat, posix.lstat, posix.fstat


def open(path, flags, mode=0o777, *, dir_fd=None):
    """Open a file for low level IO.  Returns a file descriptor (integer)."""
    return wait(files.open, _at(dir_fd), path_bytes(path, "open"), flags | 0o2000000, mode, filename=path)


def close(fd):
    """Close a file descriptor."""
    code = files.close_file(fd if type(fd) is int and 0 <= fd < 1 << 31 else _fd(fd))
    if code:
        raise fail(code)


def closerange(fd_low, fd_high, /):
    """Closes all file descriptors in [fd_low, fd_high), ignoring errors."""
    for fd in range(max(fd_low, 0), min(fd_high, 65536)):
        try:
            close(fd)
        except OSError:
            pass


def read(fd, length, /):
    """Read from a file descriptor.  Returns a bytes object."""
    if length < 0:
        raise fail(EINVAL)
    fd = _fd(fd)
    data = kernel.read(fd, min(length, MAX_READ))
    return data if len(data) < MAX_READ or length == MAX_READ else _read_on(fd, length, data)


def _read_on(fd, length, first):
    """Reads the rest of data that does not fit into one call."""
    pieces, left = [first], length - len(first)
    while left:
        want = min(left, MAX_READ)
        try:
            piece = kernel.read(fd, want)
        except OSError:
            break
        pieces.append(piece)
        left -= len(piece)
        if len(piece) < want:
            break
    return b"".join(pieces)


def readinto(fd, buffer, /):
    """Read into a buffer object from a file descriptor."""
    try:
        with memoryview(buffer) as whole, whole.cast("B") as view:
            if view.readonly:
                raise TypeError("readinto() argument 2 must be read-write bytes-like object, not " + type(buffer).__name__)
            data = read(fd, len(view))
            view[:len(data)] = data
        return len(data)
    finally:
        # If an exception's frame kept this view, its object could not be resized.
        del buffer


def write(fd, data, /):
    """Write a bytes object to a file descriptor."""
    if isinstance(data, str):
        raise TypeError("a bytes-like object is required, not 'str'")
    if type(data) is not bytes:
        data = bytes(memoryview(data).cast("B")) if not isinstance(data, (bytearray,)) else bytes(data)
    return write_bytes(_fd(fd), data)


def write_bytes(fd, data):
    """Writes bytes, in pieces if there are many; returns how many were written."""
    if len(data) <= MAX_READ:
        make_room(len(data))
        return wait(files.write, fd, data)
    done = 0
    while done < len(data):
        piece = data[done:done + MAX_READ]
        make_room(len(piece))
        try:
            count = wait(files.write, fd, piece)
        except OSError:
            if done:
                break
            raise
        done += count
        if count < len(piece):
            break
    return done


def pread(fd, length, offset, /):
    """Read a number of bytes from a file descriptor starting at a particular offset."""
    return take(files.pread, _fd(fd), min(length, MAX_READ), offset)


def pwrite(fd, buffer, offset, /):
    """Write bytes to a file descriptor starting at a particular offset."""
    return call(files.pwrite, _fd(fd), bytes(buffer), offset)


def readv(fd, buffers, /):
    """Read from a file descriptor fd into an iterable of buffers."""
    return _scatter(read(fd, _size(buffers)), buffers)


def preadv(fd, buffers, offset, flags=0, /):
    """Reads from a file descriptor into a number of mutable bytes-like objects."""
    return _scatter(pread(fd, _size(buffers), offset), buffers)


def _size(buffers):
    size = sum(memoryview(buffer).nbytes for buffer in buffers)
    if size > 0x7fff_ffff:
        raise fail(EINVAL)
    return size


def _scatter(data, buffers):
    at = 0
    for buffer in buffers:
        view = memoryview(buffer).cast("B")
        piece = data[at:at + len(view)]
        view[:len(piece)] = piece
        at += len(piece)
    return len(data)


def writev(fd, buffers, /):
    """Iterate over buffers, and write the contents of each to a file descriptor."""
    _size(buffers)
    return write(fd, b"".join(bytes(buffer) for buffer in buffers))


def pwritev(fd, buffers, offset, flags=0, /):
    """Writes the contents of bytes-like objects to a file descriptor at a given offset."""
    _size(buffers)
    return pwrite(fd, b"".join(bytes(buffer) for buffer in buffers), offset)


#: The most bytes that `sendfile` takes into memory at once.
SENT = 1 << 20


def sendfile(out_fd, in_fd, offset, count):
    """Copy count bytes from file descriptor in_fd to file descriptor out_fd."""
    count = min(count, SENT)
    data = read(in_fd, count) if offset is None else pread(in_fd, count, offset)
    # As natively, a descriptor that does not wait may take a part.
    done = write(out_fd, data)
    if offset is None and done < len(data):
        lseek(in_fd, done - len(data), SEEK_CUR)
    return done


def copy_file_range(src, dst, count, offset_src=None, offset_dst=None):
    """Copy count bytes from one file descriptor to another."""
    if count < 0:
        raise ValueError("negative value for 'count' not allowed")
    data = read(src, count) if offset_src is None else pread(src, count, offset_src)
    return write(dst, data) if offset_dst is None else pwrite(dst, data, offset_dst)


def lseek(fd, position, whence, /):
    """Set the position of a file descriptor.  Return the new position."""
    fd = _fd(fd)
    if whence in (SEEK_DATA, SEEK_HOLE):
        # The kernel does not report holes: everything up to the end is data.
        size = fstat(fd).st_size
        if not 0 <= position < size:
            raise fail(6)
        return call(files.lseek, fd, position if whence == SEEK_DATA else size, 0)
    if not 0 <= whence <= 2:
        raise fail(EINVAL)
    return call(files.lseek, fd, position, whence)


def ftruncate(fd, length, /):
    """Truncate a file, specified by file descriptor, to a specific length."""
    if length < 0:
        raise fail(EINVAL)
    call(files.ftruncate, _fd(fd), length)


def truncate(path, length):
    """Truncate a file, specified by path, to a specific length."""
    if _is_fd(path):
        return ftruncate(_stream(path), length)
    fd = open(path, 1)
    try:
        ftruncate(fd, length)
    finally:
        close(fd)


def fsync(fd):
    """Force write of fd to disk."""
    call(files.fsync, _stream(fd))


def sync():
    """Force write of everything to disk."""


def posix_fadvise(fd, offset, length, advice, /):
    """Announce an intention to access data in a specific pattern."""
    fstat(fd)


def posix_fallocate(fd, offset, length, /):
    """Ensure a file has allocated at least a particular number of bytes on disk."""
    if fstat(fd).st_size < offset + length:
        ftruncate(fd, offset + length)


def access(path, mode, *, dir_fd=None, effective_ids=False, follow_symlinks=True):
    """Use the real uid/gid to test for access to a path."""
    try:
        call(files.access, _at(dir_fd), path_bytes(path, "access"), mode, bool(follow_symlinks))
        return True
    except OSError:
        return False


def chmod(path, mode, *, dir_fd=None, follow_symlinks=True):
    """Change the access permissions of a file."""
    if _is_fd(path):
        return fchmod(path, mode)
    try:
        call(files.chmod, _at(dir_fd), path_bytes(path, "chmod"), mode, bool(follow_symlinks), filename=path)
    except OSError as error:
        if follow_symlinks or error.errno != EOPNOTSUPP:
            raise
        raise NotImplementedError("chmod: follow_symlinks unavailable on this platform") from None


def fchmod(fd, mode):
    """Change the access permissions of the file given by file descriptor fd."""
    call(files.fchmod, _fd(fd), mode)


def _keep(value):
    value = operator.index(value)
    return None if value == -1 else value


def chown(path, uid, gid, *, dir_fd=None, follow_symlinks=True):
    """Change the owner and group id of path to the numeric uid and gid."""
    if _is_fd(path):
        return fchown(path, uid, gid)
    call(files.chown, _at(dir_fd), path_bytes(path, "chown"), _keep(uid), _keep(gid), bool(follow_symlinks),
         filename=path)


def lchown(path, uid, gid):
    """Change the owner and group id of path, without following symbolic links."""
    chown(path, uid, gid, follow_symlinks=False)


def fchown(fd, uid, gid):
    """Change the owner and group id of the file specified by file descriptor."""
    call(files.fchown, _fd(fd), _keep(uid), _keep(gid))


def utime(path, times=None, *, ns=None, dir_fd=None, follow_symlinks=True):
    """Set the access and modified time of path."""
    if times is not None and ns is not None:
        raise ValueError("utime: you may specify either 'times' or 'ns' but not both")
    if times is not None:
        if not isinstance(times, tuple) or len(times) != 2:
            raise TypeError("utime: 'times' must be either a tuple of two ints or None")
        ns = tuple(time * NANOS if isinstance(time, int) else int(time * 1e9) for time in times)
    elif ns is not None and (not isinstance(ns, tuple) or len(ns) != 2):
        raise TypeError("utime: 'ns' must be a tuple of two ints")
    atime, mtime = ns or (None, None)
    if _is_fd(path):
        call(files.futime, _fd(path), atime, mtime)
    else:
        # What is wrong may also be a time.
        call(files.utime, _at(dir_fd), path_bytes(path, "utime"), atime, mtime, bool(follow_symlinks))


def mkdir(path, mode=0o777, *, dir_fd=None):
    """Create a directory."""
    call(files.mkdir, _at(dir_fd), path_bytes(path, "mkdir"), mode, filename=path)


def mkfifo(path, mode=0o666, *, dir_fd=None):
    """Create a "fifo" (a POSIX named pipe)."""
    call(files.mknod, _at(dir_fd), path_bytes(path, "mkfifo"), mode & 0o7777 | modes.S_IFIFO)


def mknod(path, mode=0o600, device=0, *, dir_fd=None):
    """Create a node in the file system."""
    mode = mode if modes.S_IFMT(mode) else mode | modes.S_IFREG
    call(files.mknod, _at(dir_fd), path_bytes(path, "mknod"), mode)


def unlink(path, *, dir_fd=None):
    """Remove a file (same as remove())."""
    call(files.unlink, _at(dir_fd), path_bytes(path, "unlink"), filename=path)


def remove(path, *, dir_fd=None):
    """Remove a file (same as unlink())."""
    call(files.unlink, _at(dir_fd), path_bytes(path, "remove"), filename=path)


def rmdir(path, *, dir_fd=None):
    """Remove a directory."""
    call(files.rmdir, _at(dir_fd), path_bytes(path, "rmdir"), filename=path)


def rename(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    """Rename a file or directory."""
    call(files.rename, _at(src_dir_fd), path_bytes(src, "rename", "src"), _at(dst_dir_fd),
         path_bytes(dst, "rename", "dst"), filename=src, other=dst)


def replace(src, dst, *, src_dir_fd=None, dst_dir_fd=None):
    """Rename a file or directory, overwriting the destination."""
    call(files.rename, _at(src_dir_fd), path_bytes(src, "replace", "src"), _at(dst_dir_fd),
         path_bytes(dst, "replace", "dst"), filename=src, other=dst)


def link(src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True):
    """Create a hard link to a file."""
    # As on Linux, this makes a link to a symbolic link itself, unless the call with descriptors asks otherwise.
    call(files.link, _at(src_dir_fd), path_bytes(src, "link", "src"), _at(dst_dir_fd),
         path_bytes(dst, "link", "dst"), False, filename=src, other=dst)


def symlink(src, dst, target_is_directory=False, *, dir_fd=None):
    """Create a symbolic link pointing to src named dst."""
    call(files.symlink, path_bytes(src, "symlink", "src"), _at(dir_fd), path_bytes(dst, "symlink", "dst"),
         filename=src, other=dst)


def readlink(path, *, dir_fd=None):
    """Return a string representing the path to which the symbolic link points."""
    found = call(files.readlink, _at(dir_fd), path_bytes(path, "readlink"), filename=path)
    return found if _is_bytes(path) else found.decode("utf-8", "surrogateescape")


def _is_bytes(path):
    """Whether the names in results for this path are bytes."""
    return isinstance(path, bytes) or hasattr(path, "__fspath__") and isinstance(path.__fspath__(), bytes)


def _entries(path, function):
    """The names, types and inodes of a directory's entries. The directory is given by name or descriptor; the
    default is the current one."""
    if path is None:
        path = "."
    if _is_fd(path):
        code, names, kinds, inodes = files.entries(_fd(path), b".")
    else:
        code, names, kinds, inodes = files.entries(AT_FDCWD, path_bytes(path, function))
    if code:
        raise fail(code, None if _is_fd(path) else path)
    # The part after the last NUL is not a name.
    names = names.split(b"\0") if _is_bytes(path) else names.decode("utf-8", "surrogateescape").split("\0")
    names.pop()
    return names, kinds, inodes


def listdir(path=None):
    """Return a list containing the names of the files in the directory."""
    return _entries(path, "listdir")[0]


#: The interpreter's own type, and the function that makes a list of entries (the recipe's
#: `adapt/functions/interpreter/directories.wat`).
_DirEntry, _made = posix.DirEntry, posix.scandir
#: The types in the answer of `entries` as the C library has them: those of files, directories and links. The others
#: only have to differ from these, and from zero, which is unknown.
_KINDS = bytes(
    {0: 0, modes.S_IFDIR >> 12: 3, modes.S_IFREG >> 12: 4, modes.S_IFLNK >> 12: 7}.get(kind, 1) for kind in range(256))
#: What an entry has instead of a directory's descriptor.
_NO_DIRECTORY = -2


def _directory_entries(path):
    """The entries of a directory as objects."""
    names, kinds, inodes = _entries(path, "scandir")
    directory, base = _NO_DIRECTORY, path.__fspath__() if hasattr(path, "__fspath__") else path
    if _is_fd(path):
        directory, base = _fd(path), ""
    elif base:
        kind, slash = (bytes, b"/") if isinstance(base, bytes) else (str, "/")
        # The same without what a class of the caller's makes of it.
        base = kind.__add__(kind(), base)
        base = base if base.endswith(slash) else base + slash
    return _made(_DirEntry, names, base, kinds.translate(_KINDS), inodes, directory)


class ScandirIterator(itertools.chain):
    """The iterator of scandir()."""

    def __new__(cls, path):
        left = iter(_directory_entries("." if path is None else path))
        self = super().__new__(cls, left)
        self._left = left
        return self

    def __init__(self, path):
        pass

    def close(self):
        """Ends the iteration."""
        for _ in self._left:
            pass

    def __del__(self):
        # This is the only way to tell that the iterator is not at its end.
        if len(self._left.__reduce__()) > 2:
            import warnings
            warnings.warn(f"unclosed scandir iterator {self!r}", ResourceWarning, stacklevel=1, source=self)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __reduce_ex__(self, protocol):
        raise TypeError("cannot pickle 'posix.ScandirIterator' object")


def scandir(path=None):
    """Return an iterator of DirEntry objects for given path."""
    return ScandirIterator(path)


#: The C library's own function: C modules that open files by name use the library's working directory.
_library_chdir = posix.chdir


def chdir(path):
    """Change the current working directory to the specified path."""
    if _is_fd(path):
        call(files.chdir, _fd(path), b".")
    else:
        call(files.chdir, AT_FDCWD, path_bytes(path, "chdir"), filename=path)
    follow_directory()


def fchdir(fd):
    """Change to the directory of the given file descriptor."""
    call(files.chdir, _stream(fd), b".")
    follow_directory()


def follow_directory():
    """Sets the C library's working directory."""
    try:
        _library_chdir(getcwdb())
    except OSError:
        pass


def getcwdb():
    """Return a bytes string representing the current working directory."""
    return call(files.getcwd)


def getcwd():
    """Return a unicode string representing the current working directory."""
    return call(files.getcwd).decode("utf-8", "surrogateescape")


def _statvfs(at, path, filename=None):
    space = call(files.statvfs, at, path, filename=filename)
    return posix.statvfs_result((
        space.block_size, space.block_size, space.blocks, space.blocks_free, space.blocks_available, space.files,
        space.files_free, space.files_free, 0, space.name_length, 0))


def statvfs(path):
    """Perform a statvfs system call on the given path."""
    if _is_fd(path):
        return fstatvfs(path)
    return _statvfs(AT_FDCWD, path_bytes(path, "statvfs"), path)


def fstatvfs(fd, /):
    """Perform an fstatvfs system call on the given fd."""
    return _statvfs(_fd(fd), b".")


#: The C library's own functions: their answers do not depend on the file.
_library_pathconf, _library_fpathconf = posix.pathconf, posix.fpathconf


def fpathconf(fd, name, /):
    """Return the configuration limit name for the file descriptor fd."""
    call(files.fstat, _stream(fd))
    return _library_fpathconf(0, name)


def pathconf(path, name):
    """Return the configuration limit name for the file or directory path."""
    if _is_fd(path):
        return fpathconf(path, name)
    call(files.stat, AT_FDCWD, path_bytes(path, "pathconf"), True, filename=path)
    return _library_pathconf("/", name)


def pipe():
    """Create a pipe.  Returns a tuple of two file descriptors."""
    return tuple(call(files.pipe, True))


def pipe2(flags, /):
    """Create a pipe with flags set atomically."""
    ends = tuple(call(files.pipe, bool(flags & FLAGS["O_CLOEXEC"])))
    if flags & FLAGS["O_NONBLOCK"]:
        for end in ends:
            set_blocking(end, False)
    return ends


def dup(fd, /):
    """Return a duplicate of a file descriptor."""
    return call(files.dup, _fd(fd), 0, True)


def dup2(fd, fd2, inheritable=True):
    """Duplicate file descriptor."""
    call(files.dup2, _fd(fd), _fd(fd2), not inheritable)
    return fd2


def get_inheritable(fd, /):
    """Get the close-on-exe flag of the specified file descriptor."""
    return not call(files.get_cloexec, _fd(fd))


def set_inheritable(fd, inheritable, /):
    """Set the inheritable flag of the specified file descriptor."""
    call(files.set_cloexec, _fd(fd), not inheritable)


def get_blocking(fd, /):
    """Get the blocking mode of the file descriptor."""
    return not call(files.get_flags, _fd(fd)) & FLAGS["O_NONBLOCK"]


def set_blocking(fd, blocking, /):
    """Set the blocking mode of the specified file descriptor."""
    flags = call(files.get_flags, _fd(fd)) & ~FLAGS["O_NONBLOCK"]
    call(files.set_flags, fd, flags if blocking else flags | FLAGS["O_NONBLOCK"])


def isatty(fd, /):
    """Return True if the fd is connected to a terminal."""
    return fd >= 0 and files.isatty(fd)


def ttyname(fd, /):
    """Return the name of the terminal device connected to 'fd'."""
    if not isatty(fd):
        call(files.fstat, _fd(fd))
        raise fail(25)
    return "/dev/tty"


def ctermid():
    """Return the name of the controlling terminal for this process."""
    return "/dev/tty"


def get_terminal_size(fd=1, /):
    """Return the size of the terminal window as (columns, lines)."""
    rows, columns = call(files.terminal_size, _fd(fd))
    return posix.terminal_size((columns, rows))


def device_encoding(fd):
    """Return a string describing the encoding of a terminal's file descriptor."""
    return "UTF-8" if isatty(fd) else None


def major(device, /):
    """Extracts a device major number from a raw device number."""
    device = number(device, NODEV, (1 << 64) - 1)
    return NODEV if device == NODEV else device >> 32 & 0xfffff000 | device >> 8 & 0xfff


def minor(device, /):
    """Extracts a device minor number from a raw device number."""
    device = number(device, NODEV, (1 << 64) - 1)
    return NODEV if device == NODEV else device >> 12 & 0xffffff00 | device & 0xff


def makedev(major, minor, /):
    """Composes a raw device number from the major and minor device numbers."""
    major, minor = (number(part, NODEV, (1 << 32) - 1) for part in (major, minor))
    return NODEV if major == minor == NODEV else (major & ~0xfff) << 32 | (major & 0xfff) << 8 | (minor & ~0xff) << 12 | minor & 0xff


#: The functions that replace those in `posix`, and those that WASI's C library has no equivalent of.
FUNCTIONS = [
    open, close, closerange, read, readinto, write, pread, pwrite, readv, preadv, writev, pwritev, sendfile,
    copy_file_range, lseek, ftruncate, truncate, fsync, sync, posix_fadvise, posix_fallocate,
    access, chmod, fchmod, chown, lchown, fchown, utime, mkdir, mkfifo, mknod, unlink, remove, rmdir, rename,
    replace, link, symlink, readlink, listdir, scandir, chdir, fchdir, getcwdb, getcwd, statvfs, fstatvfs, pathconf, fpathconf, pipe,
    pipe2, dup, dup2, get_inheritable, set_inheritable, get_blocking, set_blocking, isatty, ttyname, ctermid,
    get_terminal_size, device_encoding, major, minor, makedev,
]
