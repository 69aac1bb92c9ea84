// Directories: their entries, and the one that a process works in.

#include "path.h"
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct _DIR {
    int fd;
    // Where the next entry is: 0 is `.`, 1 is `..`, and from 2 on the kernel tells what comes next.
    uint64_t next;
    // What the kernel told: `used` bytes, read up to `at`.
    size_t used, at, size;
    char *buffer;
    // The last entry, with room for its name.
    struct dirent *entry;
    size_t room;
};

DIR *fdopendir(int fd)
{
    struct stat stat;
    if (fstat(fd, &stat) < 0)
        return NULL;
    if (!S_ISDIR(stat.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    DIR *directory = calloc(1, sizeof *directory);
    if (directory) {
        directory->fd = fd;
        k_setfd(fd, K_CLOEXEC);
    }
    return directory;
}

DIR *opendirat(int dir, const char *path)
{
    int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    DIR *directory = fdopendir(fd);
    if (!directory) {
        int error = errno;
        close(fd);
        errno = error;
    }
    return directory;
}

DIR *opendir(const char *path)
{
    return opendirat(AT_FDCWD, path);
}

int fdclosedir(DIR *directory)
{
    int fd = directory->fd;
    free(directory->buffer);
    free(directory->entry);
    free(directory);
    return fd;
}

int closedir(DIR *directory)
{
    return close(fdclosedir(directory));
}

int dirfd(DIR *directory)
{
    return directory->fd;
}

// The last entry, with this name.
static struct dirent *entry(DIR *directory, const char *name, size_t length, uint64_t inode, unsigned char type)
{
    size_t needed = offsetof(struct dirent, d_name) + length + 1;
    if (needed > directory->room) {
        struct dirent *larger = realloc(directory->entry, needed + 256);
        if (!larger)
            return NULL;
        directory->entry = larger;
        directory->room = needed + 256;
    }
    directory->entry->d_ino = inode;
    directory->entry->d_type = type;
    memcpy(directory->entry->d_name, name, length);
    directory->entry->d_name[length] = 0;
    return directory->entry;
}

// Has the kernel tell more. 0 at the end, and if that is all that can be said; otherwise an error.
static int fill(DIR *directory)
{
    size_t size = directory->size;
    // An entry that did not fit: it gets a larger buffer.
    if (size == 0 || (directory->at == 0 && directory->used == size)) {
        size = size == 0 ? 8192 : size * 2;
        char *larger = realloc(directory->buffer, size);
        if (!larger)
            return ENOMEM;
        directory->buffer = larger;
        directory->size = size;
    }
    __wasi_size_t used = 0;
    int code = __wasi_fd_readdir(directory->fd, (uint8_t *)directory->buffer, size, directory->next, &used);
    directory->used = used;
    directory->at = 0;
    return code;
}

struct dirent *readdir(DIR *directory)
{
    struct stat stat = {0};
    if (directory->next < 2) {
        const char *name = directory->next == 0 ? "." : "..";
        fstatat(directory->fd, name, &stat, 0);
        directory->next++;
        return entry(directory, name, directory->next, stat.st_ino, DT_DIR);
    }
    for (;;) {
        __wasi_dirent_t head;
        size_t left = directory->used - directory->at;
        if (left >= sizeof head) {
            memcpy(&head, directory->buffer + directory->at, sizeof head);
            if (left - sizeof head >= head.d_namlen) {
                const char *name = directory->buffer + directory->at + sizeof head;
                directory->at += sizeof head + head.d_namlen;
                directory->next = head.d_next;
                return entry(directory, name, head.d_namlen, head.d_ino, head.d_type);
            }
        }
        // The kernel fills the buffer unless there is no more.
        if (directory->size != 0 && directory->used < directory->size && directory->used > 0 && left == 0)
            return NULL;
        int code = fill(directory);
        if (code != 0) {
            errno = code;
            return NULL;
        }
        if (directory->used == 0)
            return NULL;
    }
}

void rewinddir(DIR *directory)
{
    directory->next = 0;
    directory->used = directory->at = 0;
}

void seekdir(DIR *directory, long place)
{
    directory->next = place;
    directory->used = directory->at = 0;
}

long telldir(DIR *directory)
{
    return directory->next;
}

int scandir(const char *path, struct dirent ***out, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    struct dirent **list = NULL, *entry;
    size_t count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        return -1;
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        if (wanted && !wanted(entry))
            continue;
        size_t size = offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1;
        struct dirent **longer = realloc(list, (count + 1) * sizeof *list);
        struct dirent *copy = malloc(size);
        if (longer)
            list = longer;
        if (!longer || !copy) {
            free(copy);
            errno = ENOMEM;
            break;
        }
        list[count++] = memcpy(copy, entry, size);
    }
    int error = errno;
    closedir(directory);
    if (error != 0) {
        while (count > 0)
            free(list[--count]);
        free(list);
        return done(error);
    }
    if (compare && count > 0)
        qsort(list, count, sizeof *list, (int (*)(const void *, const void *))compare);
    *out = list;
    return count;
}

int chdir(const char *path)
{
    CHECK(path);
    return done(k_chdir(K_CWD, PATH(path)));
}

int fchdir(int fd)
{
    return done(k_chdir(fd, "", 0));
}

char *getcwd(char *buffer, size_t size)
{
    char path[4096];
    size_t length = 0;
    if (buffer && size == 0) {
        errno = EINVAL;
        return NULL;
    }
    int code = k_getcwd(path, sizeof path, &length);
    if (code == 0 && buffer && length >= size)
        code = ERANGE;
    if (code == 0 && !buffer && size != 0 && length >= size)
        code = ERANGE;
    if (code != 0) {
        errno = code;
        return NULL;
    }
    if (!buffer && !(buffer = malloc(size > length ? size : length + 1)))
        return NULL;
    memcpy(buffer, path, length);
    buffer[length] = 0;
    return buffer;
}

char *get_current_dir_name(void)
{
    return getcwd(NULL, 0);
}
