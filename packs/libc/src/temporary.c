// Files and directories with names that nobody else has.

#include "kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 100

// Where the six characters are that become the name; NULL if they are not there.
static char *place(char *template, int suffix)
{
    size_t length = strlen(template);
    if (suffix < 0 || length < 6 + (size_t)suffix)
        return NULL;
    char *found = template + length - suffix - 6;
    return memcmp(found, "XXXXXX", 6) == 0 ? found : NULL;
}

static void choose(char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[6];
    getentropy(random, sizeof random);
    for (int i = 0; i < 6; i++)
        name[i] = letters[random[i] % (sizeof letters - 1)];
}

int mkostemps(char *template, int suffix, int flags)
{
    char *name = place(template, suffix);
    if (!name)
        return done(EINVAL);
    for (int i = 0; i < TRIES; i++) {
        choose(name);
        int fd = open(template, O_RDWR | O_CREAT | O_EXCL | (flags & (O_CLOEXEC | O_APPEND)), 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

int mkostemp(char *template, int flags)
{
    return mkostemps(template, 0, flags);
}

int mkstemps(char *template, int suffix)
{
    return mkostemps(template, suffix, 0);
}

int mkstemp(char *template)
{
    return mkostemps(template, 0, 0);
}

char *mkdtemp(char *template)
{
    char *name = place(template, 0);
    if (!name) {
        errno = EINVAL;
        return NULL;
    }
    for (int i = 0; i < TRIES; i++) {
        choose(name);
        if (mkdir(template, 0700) == 0)
            return template;
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

char *mktemp(char *template)
{
    char *name = place(template, 0);
    struct stat known;
    for (int i = 0; name && i < TRIES; i++) {
        choose(name);
        if (lstat(template, &known) < 0)
            return template;
    }
    *template = 0;
    return template;
}

FILE *tmpfile(void)
{
    char name[] = "/tmp/tmpfile.XXXXXX";
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return NULL;
    unlink(name);
    FILE *stream = fdopen(fd, "w+");
    if (!stream)
        close(fd);
    return stream;
}

char *tmpnam(char *buffer)
{
    static char own[L_tmpnam];
    char name[] = "/tmp/tmp.XXXXXX";
    if (!*mktemp(name))
        return NULL;
    return strcpy(buffer ? buffer : own, name);
}

char *tempnam(const char *directory, const char *prefix)
{
    char *name = malloc(strlen(directory ? directory : "/tmp") + strlen(prefix ? prefix : "") + 8);
    if (!name)
        return NULL;
    sprintf(name, "%s/%sXXXXXX", directory ? directory : "/tmp", prefix ? prefix : "");
    return mktemp(name);
}
