// Files by name: open, attributes, names.

#include "path.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

enum { READ = 1, WRITE = 2, APPEND = 4, CREATE = 8, EXCL = 0x10, TRUNC = 0x20, DIRECTORY = 0x40, NOFOLLOW = 0x80 };
enum { CLOEXEC = 0x100, NONBLOCK = 0x200 };

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
    static const int pairs[][2] = {
        {O_APPEND, APPEND},       {O_CREAT, CREATE},     {O_EXCL, EXCL},       {O_TRUNC, TRUNC},
        {O_DIRECTORY, DIRECTORY}, {O_NOFOLLOW, NOFOLLOW}, {O_CLOEXEC, CLOEXEC}, {O_NONBLOCK, NONBLOCK},
    };
    uint32_t asked = 0, out = 0;
    int code;
    CHECK(path);
    // O_RDONLY is a bit here and 0 elsewhere: programs write plain 0 for it.
    if (flags & O_RDONLY || !(flags & O_ACCMODE))
        asked |= READ;
    if (flags & O_WRONLY)
        asked |= WRITE;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (flags & pairs[i][0])
            asked |= pairs[i][1];
    do
        code = k_open(at(dir), PATH(path), asked, mode, &out);
    while (signals_again(code));
    return code == 0 ? (int)out : done(code);
}

static mode_t mode_of(int flags, va_list list)
{
    return flags & O_CREAT ? va_arg(list, int) & 07777 : 0;
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    return open_at(dir, path, flags, mode);
}

// What wasi-libc's `fopen` calls.
int __wasilibc_open_nomode(const char *path, int flags)
{
    return open_at(AT_FDCWD, path, flags, 0666);
}

static int fill(int code, const struct k_stat *from, struct stat *to)
{
    if (code != 0)
        return done(code);
    *to = (struct stat){
        .st_dev = from->dev,
        .st_ino = from->ino,
        .st_nlink = from->nlink,
        .st_mode = from->mode,
        .st_uid = from->uid,
        .st_gid = from->gid,
        .st_rdev = from->rdev,
        .st_size = from->size,
        .st_blksize = 4096,
        .st_blocks = from->blocks,
        .st_atim = {.tv_sec = from->atime, .tv_nsec = from->atime_nsec},
        .st_mtim = {.tv_sec = from->mtime, .tv_nsec = from->mtime_nsec},
        .st_ctim = {.tv_sec = from->ctime, .tv_nsec = from->ctime_nsec},
    };
    return 0;
}

int fstatat(int dir, const char *restrict path, struct stat *restrict out, int flags)
{
    struct k_stat stat;
    if (!(flags & AT_EMPTY_PATH))
        CHECK(path);
    return fill(k_stat(at(dir), PATH(path), flags & AT_SYMLINK_NOFOLLOW ? K_NOFOLLOW : 0, &stat), &stat, out);
}

int stat(const char *restrict path, struct stat *restrict out)
{
    return fstatat(AT_FDCWD, path, out, 0);
}

int lstat(const char *restrict path, struct stat *restrict out)
{
    return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *out)
{
    struct k_stat stat;
    return fill(k_fstat(fd, &stat), &stat, out);
}

int fchmodat(int dir, const char *path, mode_t mode, int flags)
{
    CHECK(path);
    // As on Linux: the mode of a symbolic link cannot be changed.
    if (flags & AT_SYMLINK_NOFOLLOW) {
        struct stat known;
        if (fstatat(dir, path, &known, flags) < 0)
            return -1;
        if (S_ISLNK(known.st_mode))
            return done(ENOTSUP);
    }
    return done(k_chmod(at(dir), PATH(path), mode, 0));
}

int chmod(const char *path, mode_t mode)
{
    return fchmodat(AT_FDCWD, path, mode, 0);
}

int lchmod(const char *path, mode_t mode)
{
    return fchmodat(AT_FDCWD, path, mode, AT_SYMLINK_NOFOLLOW);
}

int fchmod(int fd, mode_t mode)
{
    return done(k_fchmod(fd, mode));
}

int fchownat(int dir, const char *path, uid_t user, gid_t group, int flags)
{
    if (!(flags & AT_EMPTY_PATH))
        CHECK(path);
    return done(k_chown(at(dir), PATH(path), user, group, flags & AT_SYMLINK_NOFOLLOW ? K_NOFOLLOW : 0));
}

int chown(const char *path, uid_t user, gid_t group)
{
    return fchownat(AT_FDCWD, path, user, group, 0);
}

int lchown(const char *path, uid_t user, gid_t group)
{
    return fchownat(AT_FDCWD, path, user, group, AT_SYMLINK_NOFOLLOW);
}

int fchown(int fd, uid_t user, gid_t group)
{
    return done(k_chown(fd, "", 0, user, group, 0));
}

mode_t umask(mode_t mask)
{
    return k_umask(mask);
}

int faccessat(int dir, const char *path, int mask, int flags)
{
    CHECK(path);
    return done(k_access(at(dir), PATH(path), mask, flags & AT_SYMLINK_NOFOLLOW ? K_NOFOLLOW : 0));
}

int access(const char *path, int mask)
{
    return faccessat(AT_FDCWD, path, mask, 0);
}

int euidaccess(const char *path, int mask)
{
    return access(path, mask);
}

int eaccess(const char *path, int mask)
{
    return access(path, mask);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
    CHECK(path);
    return done(k_mkdir(at(dir), PATH(path), mode));
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int mknodat(int dir, const char *path, mode_t mode, dev_t device)
{
    (void)device;
    CHECK(path);
    return done(k_mknod(at(dir), PATH(path), mode & S_IFMT ? mode : S_IFREG | mode));
}

int mknod(const char *path, mode_t mode, dev_t device)
{
    return mknodat(AT_FDCWD, path, mode, device);
}

int mkfifoat(int dir, const char *path, mode_t mode)
{
    return mknodat(dir, path, S_IFIFO | (mode & 07777), 0);
}

int mkfifo(const char *path, mode_t mode)
{
    return mkfifoat(AT_FDCWD, path, mode);
}

int unlinkat(int dir, const char *path, int flags)
{
    CHECK(path);
    return done(k_unlink(at(dir), PATH(path), flags & AT_REMOVEDIR ? 1 : 0));
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int remove(const char *path)
{
    if (unlink(path) == 0)
        return 0;
    return errno == EISDIR || errno == EPERM ? rmdir(path) : -1;
}

int renameat(int old_dir, const char *old, int new_dir, const char *new)
{
    CHECK(old);
    CHECK(new);
    return done(k_rename(at(old_dir), PATH(old), at(new_dir), PATH(new)));
}

int rename(const char *old, const char *new)
{
    return renameat(AT_FDCWD, old, AT_FDCWD, new);
}

int linkat(int old_dir, const char *old, int new_dir, const char *new, int flags)
{
    CHECK(old);
    CHECK(new);
    return done(k_link(at(old_dir), PATH(old), at(new_dir), PATH(new), flags & AT_SYMLINK_FOLLOW ? 1 : 0));
}

int link(const char *old, const char *new)
{
    return linkat(AT_FDCWD, old, AT_FDCWD, new, 0);
}

int symlinkat(const char *target, int dir, const char *path)
{
    CHECK(target);
    CHECK(path);
    return done(k_symlink(PATH(target), at(dir), PATH(path)));
}

int symlink(const char *target, const char *path)
{
    return symlinkat(target, AT_FDCWD, path);
}

ssize_t readlinkat(int dir, const char *restrict path, char *restrict buffer, size_t size)
{
    size_t out = 0;
    CHECK(path);
    int code = k_readlink(at(dir), PATH(path), buffer, size, &out);
    return code == 0 ? (ssize_t)(out < size ? out : size) : done(code);
}

ssize_t readlink(const char *restrict path, char *restrict buffer, size_t size)
{
    return readlinkat(AT_FDCWD, path, buffer, size);
}

int truncate(const char *path, off_t size)
{
    CHECK(path);
    return size < 0 ? done(EINVAL) : done(k_truncate(K_CWD, PATH(path), size));
}

static int set_times(int dir, const char *path, const struct timespec times[2], int flags)
{
    int64_t seconds[2] = {0, 0};
    uint32_t nanos[2] = {0x3fffffff, 0x3fffffff};
    for (int i = 0; times && i < 2; i++) {
        seconds[i] = times[i].tv_sec;
        nanos[i] = times[i].tv_nsec;
        if (times[i].tv_nsec == UTIME_OMIT)
            nanos[i] = 0x3ffffffe;
        else if (times[i].tv_nsec == UTIME_NOW)
            nanos[i] = 0x3fffffff;
        else if (times[i].tv_nsec < 0 || times[i].tv_nsec > 999999999)
            return done(EINVAL);
    }
    uint32_t follow = flags & AT_SYMLINK_NOFOLLOW ? K_NOFOLLOW : 0;
    return done(k_utimens(dir, PATH(path), follow, seconds[0], nanos[0], seconds[1], nanos[1]));
}

int utimensat(int dir, const char *path, const struct timespec times[2], int flags)
{
    if (!path)
        return set_times(dir, "", times, 0);
    CHECK(path);
    return set_times(at(dir), path, times, flags);
}

int futimens(int fd, const struct timespec times[2])
{
    return set_times(fd, "", times, 0);
}

static const struct timespec *from_micros(const struct timeval times[2], struct timespec out[2])
{
    if (!times)
        return NULL;
    for (int i = 0; i < 2; i++)
        out[i] = (struct timespec){.tv_sec = times[i].tv_sec, .tv_nsec = times[i].tv_usec * 1000};
    return out;
}

int utimes(const char *path, const struct timeval times[2])
{
    struct timespec precise[2];
    return utimensat(AT_FDCWD, path, from_micros(times, precise), 0);
}

int lutimes(const char *path, const struct timeval times[2])
{
    struct timespec precise[2];
    return utimensat(AT_FDCWD, path, from_micros(times, precise), AT_SYMLINK_NOFOLLOW);
}

int futimes(int fd, const struct timeval times[2])
{
    struct timespec precise[2];
    return futimens(fd, from_micros(times, precise));
}

int utime(const char *path, const struct utimbuf *times)
{
    if (!times)
        return utimensat(AT_FDCWD, path, NULL, 0);
    struct timespec precise[2] = {{.tv_sec = times->actime}, {.tv_sec = times->modtime}};
    return utimensat(AT_FDCWD, path, precise, 0);
}

int statvfs(const char *restrict path, struct statvfs *restrict out)
{
    struct k_statfs stat;
    CHECK(path);
    int code = k_statfs(PATH(path), &stat);
    if (code != 0)
        return done(code);
    *out = (struct statvfs){
        .f_bsize = stat.bsize,
        .f_frsize = stat.bsize,
        .f_blocks = stat.blocks,
        .f_bfree = stat.bfree,
        .f_bavail = stat.bavail,
        .f_files = stat.files,
        .f_ffree = stat.ffree,
        .f_favail = stat.ffree,
        .f_namemax = stat.namelen,
        .f_type = stat.kind,
    };
    return 0;
}

int fstatvfs(int fd, struct statvfs *out)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return statvfs(path, out);
}

void sync(void)
{
}
