/* For tests: a library that lets some calls of the system fail. FAULT_CALL names the call, FAULT_EVERY how often it fails, and
   FAULT_ERROR with what. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int fails(const char *call) {
    static unsigned count;
    const char *wanted = getenv("FAULT_CALL");
    if (!wanted || strcmp(wanted, call) != 0) return 0;
    unsigned every = atoi(getenv("FAULT_EVERY"));
    if (__sync_add_and_fetch(&count, 1) % every != 0) return 0;
    errno = atoi(getenv("FAULT_ERROR"));
    return 1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
    if (fails("write")) return -1;
    if (fails("short")) return real(fd, bytes, size / 2, at);
    return real(fd, bytes, size, at);
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) { return pwrite64(fd, bytes, size, at); }

int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    return fails("fsync") ? -1 : real(fd);
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    return fails("fsync") ? -1 : real(fd);
}

int ftruncate64(int fd, off_t size) {
    static int (*real)(int, off_t);
    if (!real) real = dlsym(RTLD_NEXT, "ftruncate64");
    return fails("truncate") ? -1 : real(fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }
