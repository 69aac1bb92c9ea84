// Locks of files.

#include "kernel.h"
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GET, SET, SET_WAITING };

// The bytes that a `struct flock` means, from the start of the file; the end is the first that it does not.
static int span(int fd, const struct flock *lock, uint64_t *start, uint64_t *end)
{
    off_t from = lock->l_start;
    struct stat stat;
    switch (lock->l_whence) {
    case SEEK_SET:
        break;
    case SEEK_CUR: {
        off_t at = lseek(fd, 0, SEEK_CUR);
        if (at < 0)
            return errno;
        from += at;
        break;
    }
    case SEEK_END:
        if (fstat(fd, &stat) < 0)
            return errno;
        from += stat.st_size;
        break;
    default:
        return EINVAL;
    }
    off_t to = from + lock->l_len;
    if (lock->l_len < 0) {
        to = from;
        from += lock->l_len;
    }
    if (from < 0)
        return EINVAL;
    if (to < from)
        return EOVERFLOW;
    *start = from;
    *end = lock->l_len == 0 ? UINT64_MAX : (uint64_t)to;
    return 0;
}

int lock_control(int fd, int command, struct flock *lock)
{
    uint64_t start, end;
    struct k_lock found;
    int code = span(fd, lock, &start, &end);
    if (code != 0)
        return done(code);
    if (command == F_GETLK) {
        code = k_lock(fd, GET, lock->l_type, start, end, &found);
        if (code == 0)
            lock->l_type = found.kind;
        if (code == 0 && found.kind != F_UNLCK) {
            lock->l_whence = SEEK_SET;
            lock->l_start = found.start;
            lock->l_len = found.end == UINT64_MAX ? 0 : found.end - found.start;
            lock->l_pid = found.pid;
        }
        return done(code);
    }
    do
        code = k_lock(fd, command == F_SETLKW ? SET_WAITING : SET, lock->l_type, start, end, NULL);
    while (signals_again(code));
    return done(code);
}

int flock(int fd, int operation)
{
    int code;
    do
        code = k_flock(fd, operation);
    while (signals_again(code));
    return done(code);
}

int lockf(int fd, int command, off_t length)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = length};
    switch (command) {
    case F_LOCK:
        return fcntl(fd, F_SETLKW, &lock);
    case F_TLOCK:
        return fcntl(fd, F_SETLK, &lock);
    case F_ULOCK:
        lock.l_type = F_UNLCK;
        return fcntl(fd, F_SETLK, &lock);
    case F_TEST:
        if (fcntl(fd, F_GETLK, &lock) < 0)
            return -1;
        return lock.l_type == F_UNLCK || lock.l_pid == getpid() ? 0 : done(EACCES);
    default:
        return done(EINVAL);
    }
}
