// The machine: its names and its random numbers.

#include "kernel.h"
#include <stdio.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

int gethostname(char *buffer, size_t size)
{
    char name[256];
    size_t length = 0;
    int code = k_hostname(name, sizeof name - 1, &length);
    if (code == 0 && length >= size)
        code = ENAMETOOLONG;
    if (code == 0) {
        memcpy(buffer, name, length);
        buffer[length] = 0;
    }
    return done(code);
}

int uname(struct utsname *out)
{
    memset(out, 0, sizeof *out);
    strcpy(out->sysname, "Linux");
    gethostname(out->nodename, sizeof out->nodename);
    // As the command `uname` says.
    strcpy(out->release, "6.1.0-sandshell");
    strcpy(out->version, "#1 SMP sandshell");
    strcpy(out->machine, "x86_64");
    return 0;
}

ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    (void)flags;
    int code = __wasi_random_get(buffer, size);
    return code == 0 ? (ssize_t)size : done(code);
}
