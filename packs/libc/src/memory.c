// Mappings: memory of a process's own, with what was in the file when it was mapped.
//
// What others write later does not appear, and nothing is written back: a writable mapping that others should see is refused.

#include "kernel.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 65536

struct mapping {
    struct mapping *next;
    char *start;
    size_t length;
};

static struct mapping *all;

static size_t rounded(size_t length)
{
    return (length + PAGE - 1) & ~(size_t)(PAGE - 1);
}

// Reads what the file has; the rest stays zero.
static int load(int fd, char *to, size_t length, off_t offset)
{
    size_t have = 0;
    while (have < length) {
        ssize_t count = pread(fd, to + have, length - have, offset + have);
        if (count < 0)
            return -1;
        if (count == 0)
            break;
        have += count;
    }
    return 0;
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    int shared = (flags & MAP_TYPE) != MAP_PRIVATE, anonymous = flags & MAP_ANON;
    (void)address;
    if (length == 0 || length > (size_t)1 << 31 || offset < 0 || offset % 4096 != 0)
        errno = EINVAL;
    else if (flags & MAP_FIXED || protection & PROT_EXEC)
        errno = ENOTSUP;
    else if (shared && (anonymous || protection & PROT_WRITE))
        errno = ENODEV;
    else {
        struct mapping *new = malloc(sizeof *new);
        char *start = aligned_alloc(PAGE, rounded(length));
        if (new && start) {
            memset(start, 0, rounded(length));
            if (anonymous || load(fd, start, length, offset) == 0) {
                *new = (struct mapping){all, start, length};
                all = new;
                return start;
            }
        } else {
            errno = ENOMEM;
        }
        free(start);
        free(new);
    }
    return MAP_FAILED;
}

// A part of a mapping stays as it is until all of it goes.
int munmap(void *start, size_t length)
{
    for (struct mapping **place = &all; *place; place = &(*place)->next) {
        struct mapping *found = *place;
        if (found->start != start || rounded(length) < rounded(found->length))
            continue;
        *place = found->next;
        free(found->start);
        free(found);
        return 0;
    }
    return length == 0 ? done(EINVAL) : 0;
}

// WebAssembly's memory can always be read and written.
int mprotect(void *start, size_t length, int protection)
{
    (void)start;
    (void)length;
    return protection & PROT_EXEC ? done(ENOTSUP) : 0;
}

int msync(void *start, size_t length, int flags)
{
    (void)start;
    (void)length;
    (void)flags;
    return 0;
}

int madvise(void *start, size_t length, int advice)
{
    (void)start;
    (void)length;
    (void)advice;
    return 0;
}

int posix_madvise(void *start, size_t length, int advice)
{
    (void)start;
    (void)length;
    (void)advice;
    return 0;
}
