// Sockets, as the kernel joins them inside of the sandbox. Numbers and addresses are Linux's on both sides.

#include "kernel.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

int sandshell_errno_of(int linux_number);
int sandshell_linux_getsockopt(int fd, int level, int name, void *restrict value, socklen_t *restrict size);

// An address as the kernel takes it: the path of a socket has no end, and programs give what is behind it, too.
static size_t given_size(const struct sockaddr *address, socklen_t size)
{
    size_t head = offsetof(struct sockaddr_un, sun_path);
    if (size <= head || address->sa_family != AF_UNIX)
        return size;
    const char *path = ((const struct sockaddr_un *)address)->sun_path;
    return path[0] ? head + strnlen(path, size - head) : size;
}

// Gives a program what fits of an address. The path of a socket ends with a zero byte.
static void give_address(struct sockaddr *to, socklen_t *room, struct sockaddr_storage *from, uint32_t size)
{
    if (!room)
        return;
    struct sockaddr_un *named = (struct sockaddr_un *)from;
    if (size > offsetof(struct sockaddr_un, sun_path) && size < sizeof *from && from->ss_family == AF_UNIX && named->sun_path[0]
        && ((char *)from)[size - 1])
        ((char *)from)[size++] = 0;
    if (to)
        memcpy(to, from, size < *room ? size : *room);
    *room = size;
}

static uint32_t socket_flags(int type)
{
    return (type & SOCK_CLOEXEC ? K_SOCKET_CLOEXEC : 0) | (type & SOCK_NONBLOCK ? K_SOCKET_NONBLOCK : 0);
}

// Which protocol there is for a type: none for other ones.
static int protocol_fits(int domain, int type, int protocol)
{
    int expected = type == SOCK_STREAM ? 6 : 17;
    return protocol == 0 || (domain == AF_UNIX ? protocol == AF_UNIX : protocol == expected);
}

int socket(int domain, int type, int protocol)
{
    int kind = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
    uint32_t fd = 0;
    if (domain != AF_UNIX && domain != AF_INET && domain != AF_INET6)
        return done(EAFNOSUPPORT);
    if (kind == SOCK_RAW && domain != AF_UNIX)
        return done(protocol ? EPERM : EPROTONOSUPPORT);
    if (kind != SOCK_STREAM && kind != SOCK_DGRAM)
        return done(kind < 0 || kind > SOCK_PACKET ? EINVAL : domain == AF_UNIX ? EPROTOTYPE : EPROTONOSUPPORT);
    if (!protocol_fits(domain, kind, protocol))
        return done(EPROTONOSUPPORT);
    int code = k_socket(domain, kind, socket_flags(type), &fd);
    return code == 0 ? (int)fd : done(code);
}

/// Streams only, as the kernel makes them. `SOCK_CLOEXEC` and `SOCK_NONBLOCK` may be added to the type.
int socketpair(int domain, int type, int protocol, int ends[2])
{
    if (domain != AF_UNIX)
        return done(domain == AF_INET || domain == AF_INET6 ? ENOTSUP : EAFNOSUPPORT);
    if ((type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) != SOCK_STREAM)
        return done(EPROTOTYPE);
    if (protocol != 0 && protocol != AF_UNIX)
        return done(EPROTONOSUPPORT);
    int code = k_socketpair((uint32_t *)ends, type & SOCK_CLOEXEC ? K_CLOEXEC : 0);
    for (int i = 0; code == 0 && type & SOCK_NONBLOCK && i < 2; i++)
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    return done(code);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
    return done(k_bind(fd, address, given_size(address, size)));
}

int listen(int fd, int backlog)
{
    return done(k_listen(fd, backlog < 0 ? SOMAXCONN : backlog));
}

int connect(int fd, const struct sockaddr *address, socklen_t size)
{
    int code;
    do
        code = k_connect(fd, address, given_size(address, size));
    while (signals_again(code));
    return done(code);
}

static int name_of(int fd, int peer, struct sockaddr *address, socklen_t *size)
{
    struct sockaddr_storage full;
    uint32_t whole = 0;
    int code = k_getname(fd, peer, &full, sizeof full, &whole);
    if (code == 0)
        give_address(address, size, &full, whole);
    return code;
}

int getsockname(int fd, struct sockaddr *restrict address, socklen_t *restrict size)
{
    return done(name_of(fd, 0, address, size));
}

int getpeername(int fd, struct sockaddr *restrict address, socklen_t *restrict size)
{
    return done(name_of(fd, 1, address, size));
}

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags)
{
    uint32_t out = 0;
    int code;
    if (flags & ~(SOCK_CLOEXEC | SOCK_NONBLOCK))
        return done(EINVAL);
    do
        code = k_accept(fd, socket_flags(flags), &out);
    while (signals_again(code));
    if (code != 0)
        return done(code);
    // Who is gone already has no name any more.
    if (address && size && name_of(out, 1, address, size) != 0)
        *size = 0;
    return out;
}

int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict size)
{
    return accept4(fd, address, size, 0);
}

int shutdown(int fd, int how)
{
    return done(how < 0 || how > SHUT_RDWR ? EINVAL : k_shutdown(fd, how));
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t length)
{
    uint32_t sent = 0;
    int code;
    do
        code = k_send(fd, data, size, flags, address, address ? given_size(address, length) : 0, &sent);
    while (signals_again(code));
    return code == 0 ? (ssize_t)sent : done(code);
}

ssize_t send(int fd, const void *data, size_t size, int flags)
{
    return sendto(fd, data, size, flags, NULL, 0);
}

ssize_t recvfrom(int fd, void *restrict data, size_t size, int flags, struct sockaddr *restrict address,
                 socklen_t *restrict length)
{
    struct sockaddr_storage from;
    uint32_t got = 0, whole = 0;
    int code;
    do
        code = k_recv(fd, data, size, flags, &got, &from, sizeof from, &whole);
    while (signals_again(code));
    if (code != 0)
        return done(code);
    if (address)
        give_address(address, length, &from, whole);
    return got;
}

ssize_t recv(int fd, void *data, size_t size, int flags)
{
    return recvfrom(fd, data, size, flags, NULL, NULL);
}

// How many bytes a list of pieces has; -1 if there are too many.
static ssize_t total(const struct msghdr *message)
{
    size_t all = 0;
    if (message->msg_iovlen < 0 || message->msg_iovlen > 1024)
        return done(EMSGSIZE);
    for (int i = 0; i < message->msg_iovlen; i++)
        if (__builtin_add_overflow(all, message->msg_iov[i].iov_len, &all) || all > INT32_MAX)
            return done(EINVAL);
    return all;
}

// Descriptors and other things beside the bytes cannot be sent.
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t all = total(message);
    if (all < 0)
        return -1;
    if (message->msg_controllen)
        return done(ENOTSUP);
    char *joined = malloc(all ? all : 1), *at = joined;
    if (!joined)
        return -1;
    for (int i = 0; i < message->msg_iovlen; i++)
        at = mempcpy(at, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
    ssize_t sent = sendto(fd, joined, all, flags, message->msg_name, message->msg_namelen);
    free(joined);
    return sent;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t room = total(message);
    uint32_t type = 0;
    if (room < 0)
        return -1;
    int code = k_getsockopt(fd, SOL_SOCKET, SO_TYPE, &type);
    if (code != 0)
        return done(code);
    char *data = malloc(room ? room : 1);
    if (!data)
        return -1;
    // The whole size of a datagram tells whether some of it was lost.
    int wanted = type == SOCK_DGRAM ? flags | MSG_TRUNC : flags;
    ssize_t got = recvfrom(fd, data, room, wanted, message->msg_name, &message->msg_namelen);
    if (got >= 0) {
        size_t left = got < room ? got : room;
        const char *at = data;
        for (int i = 0; i < message->msg_iovlen && left; i++) {
            size_t part = message->msg_iov[i].iov_len < left ? message->msg_iov[i].iov_len : left;
            memcpy(message->msg_iov[i].iov_base, at, part);
            at += part;
            left -= part;
        }
        message->msg_flags = got > room && type == SOCK_DGRAM ? MSG_TRUNC : 0;
        message->msg_controllen = 0;
        if (got > room && !(flags & MSG_TRUNC))
            got = room;
    }
    free(data);
    return got;
}

// As the kernel has it: an error is Linux's number.
int sandshell_linux_getsockopt(int fd, int level, int name, void *restrict value, socklen_t *restrict size)
{
    uint32_t number = 0;
    if ((int)*size < 0)
        return done(EINVAL);
    int code = k_getsockopt(fd, level, name, &number);
    if (code != 0)
        return done(code);
    // The kernel keeps the seconds and one, so that 0 is none.
    struct linger linger = {.l_onoff = number != 0, .l_linger = number ? number - 1 : 0};
    int is_linger = level == SOL_SOCKET && name == SO_LINGER;
    size_t whole = is_linger ? sizeof linger : sizeof number;
    if (*size > whole)
        *size = whole;
    memcpy(value, is_linger ? (void *)&linger : (void *)&number, *size);
    return 0;
}

int getsockopt(int fd, int level, int name, void *restrict value, socklen_t *restrict size)
{
    int code = sandshell_linux_getsockopt(fd, level, name, value, size), number;
    if (code == 0 && level == SOL_SOCKET && name == SO_ERROR && *size == sizeof number) {
        memcpy(&number, value, sizeof number);
        number = sandshell_errno_of(number);
        memcpy(value, &number, sizeof number);
    }
    return code;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    uint32_t number = 0;
    if (level == SOL_SOCKET && name == SO_LINGER) {
        const struct linger *linger = value;
        if (size < sizeof *linger)
            return done(EINVAL);
        number = linger->l_onoff ? linger->l_linger + 1 : 0;
    } else if (size >= sizeof number) {
        memcpy(&number, value, sizeof number);
    } else if (size >= 1 && level == 0) {
        // Options of IP may be a single byte.
        number = *(const uint8_t *)value;
    } else {
        return done(EINVAL);
    }
    return done(k_setsockopt(fd, level, name, number));
}
