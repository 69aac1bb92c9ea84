// Locks of files. The kernel has none yet: they are refused rather than pretended.

#include "kernel.h"
#include <sys/file.h>
#include <unistd.h>

int lock_control(int fd, int command, struct flock *lock)
{
    (void)fd;
    (void)command;
    (void)lock;
    return done(ENOLCK);
}

int flock(int fd, int operation)
{
    (void)fd;
    (void)operation;
    return done(ENOLCK);
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
