// The kernel's calls, as the module `sandshell` exports them. `guest-shell/sys` documents each but those of sockets.
// All that return int return 0 or an error number, which is WASI's.
#ifndef KERNEL_H
#define KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wasi/api.h>

#define CALL(name) __attribute__((import_module("sandshell"), import_name(#name))) k_##name

#define K_CWD (-100)
#define K_NOFOLLOW 1
#define K_CLOEXEC 1

enum { K_DEFAULT, K_IGNORE, K_CATCH, K_IGNORE_HERE };

enum { K_SETPGID = 1, K_RESET_SIGNALS = 2 };

struct k_request {
    const char *path;
    size_t path_len;
    const char *argv;
    size_t argv_len;
    const char *env;
    size_t env_len;
    const uint32_t (*fds)[2];
    size_t fds_len;
    const char *cwd;
    size_t cwd_len;
    uint32_t flags;
    uint32_t pgid;
};

struct k_waited {
    uint32_t pid;
    uint32_t kind;
    uint32_t value;
    uint32_t pad;
    uint64_t user;
    uint64_t system;
};

struct k_stat {
    uint64_t dev, ino, nlink, size, blocks, rdev;
    int64_t atime, mtime, ctime;
    uint32_t atime_nsec, mtime_nsec, ctime_nsec;
    uint32_t mode, uid, gid;
};

struct k_statfs {
    uint64_t bsize, blocks, bfree, bavail, files, ffree, kind, namelen;
};

struct k_lock {
    uint32_t kind, pid;
    uint64_t start, end;
};

int CALL(spawn)(const struct k_request *, uint32_t *pid);
int CALL(clone)(uint32_t entry, uint32_t argument, uint32_t flags, uint32_t *pid);
int CALL(exec)(const struct k_request *);
int CALL(wait)(int32_t pid, uint32_t flags, struct k_waited *);
int CALL(kill)(int32_t pid, uint32_t signal);
uint32_t CALL(getpid)(void);
uint32_t CALL(getppid)(void);
int CALL(getpgid)(int32_t pid, uint32_t *);
int CALL(setpgid)(int32_t pid, int32_t pgid);
int CALL(setsid)(uint32_t *);
int CALL(getids)(uint32_t[2]);
uint32_t CALL(umask)(uint32_t);
int CALL(times)(uint64_t[4]);
int CALL(getrlimit)(uint32_t resource, uint64_t[2]);
int CALL(setrlimit)(uint32_t resource, uint64_t soft, uint64_t hard);
int CALL(sigaction)(uint32_t signal, uint32_t disposition, uint32_t *old);
uint32_t CALL(sigtake)(void);
int CALL(alarm)(uint64_t nanos, uint64_t *old);
int CALL(pipe)(uint32_t[2], uint32_t flags);
// Two sockets that are joined with each other: streams of bytes in both directions. K_CLOEXEC is the only flag.
int CALL(socketpair)(uint32_t[2], uint32_t flags);
// Sockets. Families, types, levels, options and flags have Linux's numbers; an address is Linux's struct, but that of a
// socket with a name in the file system has no byte for its end.
enum { K_SOCKET_CLOEXEC = 1, K_SOCKET_NONBLOCK = 0x200 };
int CALL(socket)(uint32_t domain, uint32_t type, uint32_t flags, uint32_t *fd);
int CALL(bind)(uint32_t fd, const void *address, size_t);
int CALL(listen)(uint32_t fd, uint32_t backlog);
int CALL(accept)(uint32_t fd, uint32_t flags, uint32_t *out);
int CALL(connect)(uint32_t fd, const void *address, size_t);
// The size that is told is that of the whole address, also if there is no room for it.
int CALL(getname)(uint32_t fd, uint32_t peer, void *address, size_t room, uint32_t *size);
int CALL(send)(uint32_t fd, const void *, size_t, uint32_t flags, const void *address, size_t, uint32_t *sent);
int CALL(recv)(uint32_t fd, void *, size_t, uint32_t flags, uint32_t *got, void *address, size_t room, uint32_t *size);
int CALL(shutdown)(uint32_t fd, uint32_t how);
int CALL(getsockopt)(uint32_t fd, uint32_t level, uint32_t name, uint32_t *value);
int CALL(setsockopt)(uint32_t fd, uint32_t level, uint32_t name, uint32_t value);
int CALL(dup)(uint32_t fd, uint32_t min, uint32_t flags, uint32_t *);
int CALL(dup2)(uint32_t from, uint32_t to, uint32_t flags);
int CALL(getfd)(uint32_t fd, uint32_t *);
int CALL(setfd)(uint32_t fd, uint32_t bits);
int CALL(open)(int32_t dir, const char *, size_t, uint32_t flags, uint32_t mode, uint32_t *);
int CALL(stat)(int32_t dir, const char *, size_t, uint32_t flags, struct k_stat *);
int CALL(fstat)(uint32_t fd, struct k_stat *);
int CALL(chmod)(int32_t dir, const char *, size_t, uint32_t mode, uint32_t flags);
int CALL(fchmod)(uint32_t fd, uint32_t mode);
int CALL(chown)(int32_t dir, const char *, size_t, uint32_t uid, uint32_t gid, uint32_t flags);
int CALL(access)(int32_t dir, const char *, size_t, uint32_t mask, uint32_t flags);
int CALL(mkdir)(int32_t dir, const char *, size_t, uint32_t mode);
int CALL(mknod)(int32_t dir, const char *, size_t, uint32_t mode);
int CALL(statfs)(const char *, size_t, struct k_statfs *);
int CALL(truncate)(int32_t dir, const char *, size_t, uint64_t size);
int CALL(unlink)(int32_t dir, const char *, size_t, uint32_t flags);
int CALL(rename)(int32_t, const char *, size_t, int32_t, const char *, size_t);
int CALL(link)(int32_t, const char *, size_t, int32_t, const char *, size_t, uint32_t flags);
int CALL(symlink)(const char *, size_t, int32_t, const char *, size_t);
int CALL(readlink)(int32_t dir, const char *, size_t, char *, size_t, size_t *);
int CALL(utimens)(int32_t dir, const char *, size_t, uint32_t flags, int64_t, uint32_t, int64_t, uint32_t);
int CALL(chdir)(int32_t dir, const char *, size_t);
int CALL(getcwd)(char *, size_t, size_t *);
uint32_t CALL(isatty)(uint32_t fd);
int CALL(tty_size)(uint32_t fd, uint32_t[2]);
int CALL(tty_mode)(uint32_t fd, uint32_t raw);
int CALL(tcgetpgrp)(uint32_t fd, uint32_t *);
int CALL(tcsetpgrp)(uint32_t fd, uint32_t pgid);
int CALL(flock)(uint32_t fd, uint32_t operation);
int CALL(lock)(uint32_t fd, uint32_t command, uint32_t kind, uint64_t start, uint64_t end, struct k_lock *);
uint32_t CALL(nproc)(void);
int CALL(hostname)(char *, size_t, size_t *);

// For a caught signal: whether its handler ran, and whether a call that it interrupted is to be made again.
enum { RAN = 1, STOPS = 2 };
int signals_deliver(void);
// Whether a call that returned `code` is to be made again. Handlers of signals that arrived have run.
int signals_again(int code);

// The result of a call: 0, or -1 with errno.
static inline int done(int code)
{
    if (code == 0)
        return 0;
    errno = code;
    return -1;
}

// The kernel's descriptor for a directory of the *at functions; wasi-libc's number for the working directory is its own.
static inline int at(int dir)
{
    return dir == AT_FDCWD ? K_CWD : dir;
}

// A path and its length, as two arguments. An empty path would mean the descriptor itself.
#define PATH(path) (path), strlen(path)

#endif
