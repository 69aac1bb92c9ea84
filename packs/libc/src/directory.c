// Directories: their entries, and the one that a process works in.

#include "path.h"
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

DIR *opendir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
