// The machine and its network, of which there is none.

#include "kernel.h"
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
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

int socket(int domain, int type, int protocol)
{
    (void)domain;
    (void)type;
    (void)protocol;
    return done(EAFNOSUPPORT);
}

/// Streams only, as the kernel makes them. `SOCK_CLOEXEC` and `SOCK_NONBLOCK` may be added to the type.
int socketpair(int domain, int type, int protocol, int ends[2])
{
    if (domain != AF_UNIX)
        return done(EAFNOSUPPORT);
    if ((type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) != SOCK_STREAM)
        return done(EPROTOTYPE);
    if (protocol != 0)
        return done(EPROTONOSUPPORT);
    int code = k_socketpair((uint32_t *)ends, type & SOCK_CLOEXEC ? K_CLOEXEC : 0);
    for (int i = 0; code == 0 && type & SOCK_NONBLOCK && i < 2; i++)
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    return done(code);
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    (void)fd;
    (void)address;
    (void)size;
    return done(ENOTSOCK);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
    return connect(fd, address, size);
}

int listen(int fd, int waiting)
{
    (void)waiting;
    return connect(fd, NULL, 0);
}

int getsockname(int fd, struct sockaddr *restrict address, socklen_t *restrict size)
{
    (void)size;
    return connect(fd, address, 0);
}

int getpeername(int fd, struct sockaddr *restrict address, socklen_t *restrict size)
{
    (void)size;
    return connect(fd, address, 0);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    (void)level;
    (void)name;
    (void)value;
    return connect(fd, NULL, size);
}

ssize_t sendto(int fd, const void *buffer, size_t size, int flags, const struct sockaddr *address, socklen_t length)
{
    (void)buffer;
    (void)size;
    (void)flags;
    return connect(fd, address, length);
}

ssize_t recvfrom(int fd, void *restrict buffer, size_t size, int flags, struct sockaddr *restrict address,
                 socklen_t *restrict length)
{
    (void)buffer;
    (void)size;
    (void)flags;
    (void)length;
    return connect(fd, address, 0);
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict result)
{
    (void)name;
    (void)service;
    (void)hints;
    *result = NULL;
    return EAI_FAIL;
}

void freeaddrinfo(struct addrinfo *list)
{
    (void)list;
}

int getnameinfo(const struct sockaddr *restrict address, socklen_t length, char *restrict name, socklen_t name_size,
                char *restrict service, socklen_t service_size, int flags)
{
    (void)address;
    (void)length;
    (void)name;
    (void)name_size;
    (void)service;
    (void)service_size;
    (void)flags;
    return EAI_FAIL;
}

const char *gai_strerror(int code)
{
    (void)code;
    return "There is no network";
}

int *__h_errno_location(void)
{
    static int code = NO_RECOVERY;
    return &code;
}

const char *hstrerror(int code)
{
    (void)code;
    return "There is no network";
}

struct hostent *gethostbyname(const char *name)
{
    (void)name;
    return NULL;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
    (void)name;
    (void)protocol;
    return NULL;
}

char *inet_ntoa(struct in_addr address)
{
    static char text[16];
    const unsigned char *part = (const unsigned char *)&address;
    snprintf(text, sizeof text, "%d.%d.%d.%d", part[0], part[1], part[2], part[3]);
    return text;
}
