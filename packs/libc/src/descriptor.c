// Descriptors: pipes, copies, flags, and reading and writing with signals.

#include "kernel.h"
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

int lock_control(int fd, int command, struct flock *lock);

static int number(int code, uint32_t out)
{
    return code == 0 ? (int)out : done(code);
}

static uint32_t cloexec(int flags)
{
    return flags & O_CLOEXEC ? K_CLOEXEC : 0;
}

static int nonblock(int fd)
{
    return done(__wasi_fd_fdstat_set_flags(fd, __WASI_FDFLAGS_NONBLOCK));
}

int pipe2(int ends[2], int flags)
{
    uint32_t out[2];
    int code = k_pipe(out, cloexec(flags));
    if (code != 0)
        return done(code);
    ends[0] = out[0];
    ends[1] = out[1];
    return flags & O_NONBLOCK && (nonblock(ends[0]) || nonblock(ends[1])) ? -1 : 0;
}

int pipe(int ends[2])
{
    return pipe2(ends, 0);
}

int dup(int fd)
{
    uint32_t out = 0;
    return number(k_dup(fd, 0, 0, &out), out);
}

int dup3(int from, int to, int flags)
{
    if (from == to)
        return done(EINVAL);
    return number(k_dup2(from, to, cloexec(flags)), to);
}

int dup2(int from, int to)
{
    uint32_t bits;
    // The kernel would clear close-on-exec.
    if (from == to)
        return number(k_getfd(from, &bits), to);
    return number(k_dup2(from, to, 0), to);
}

// For `freopen`.
int __wasilibc_fd_renumber(int from, int to)
{
    if (dup2(from, to) < 0)
        return -1;
    return from == to ? 0 : close(from);
}

int close(int fd)
{
    int code = __wasi_fd_close(fd);
    signals_deliver();
    return done(code);
}

static int flags(int fd)
{
    __wasi_fdstat_t stat;
    int code = __wasi_fd_fdstat_get(fd, &stat);
    if (code != 0)
        return done(code);
    int flags = stat.fs_flags;
    if (stat.fs_rights_base & (__WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_READDIR))
        flags |= O_RDONLY;
    if (stat.fs_rights_base & __WASI_RIGHTS_FD_WRITE)
        flags |= O_WRONLY;
    return flags;
}

int fcntl(int fd, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *pointer = va_arg(list, void *);
    va_end(list);
    int value = (int)(intptr_t)pointer;
    uint32_t out = 0;
    switch (command) {
    case F_DUPFD:
        return number(k_dup(fd, value, 0, &out), out);
    case F_DUPFD_CLOEXEC:
        return number(k_dup(fd, value, K_CLOEXEC, &out), out);
    case F_GETFD: {
        int code = k_getfd(fd, &out);
        return number(code, out & 1);
    }
    case F_SETFD:
        return done(k_setfd(fd, value & FD_CLOEXEC));
    case F_GETFL:
        return flags(fd);
    case F_SETFL:
        return done(__wasi_fd_fdstat_set_flags(fd, value & (__WASI_FDFLAGS_APPEND | __WASI_FDFLAGS_NONBLOCK)));
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
        return lock_control(fd, command, pointer);
    default:
        return done(EINVAL);
    }
}

ssize_t readv(int fd, const struct iovec *list, int count)
{
    __wasi_size_t out = 0;
    int code;
    if (count < 0)
        return done(EINVAL);
    do
        code = __wasi_fd_read(fd, (const __wasi_iovec_t *)list, count, &out);
    while (signals_again(code));
    return code == 0 ? (ssize_t)out : done(code);
}

ssize_t writev(int fd, const struct iovec *list, int count)
{
    __wasi_size_t out = 0;
    int code;
    if (count < 0)
        return done(EINVAL);
    do
        code = __wasi_fd_write(fd, (const __wasi_ciovec_t *)list, count, &out);
    while (signals_again(code));
    return code == 0 ? (ssize_t)out : done(code);
}

ssize_t read(int fd, void *buffer, size_t size)
{
    struct iovec one = {.iov_base = buffer, .iov_len = size};
    return readv(fd, &one, 1);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
    struct iovec one = {.iov_base = (void *)buffer, .iov_len = size};
    return writev(fd, &one, 1);
}
