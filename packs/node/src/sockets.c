// Sockets. An address is a text and a port: of an IP address, or the path of a socket in the file system with -1.

#include "node.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_un named;
} address;

/// The address that two arguments mean; its size, or 0 if there is none such.
static socklen_t read_address(JSContext *ctx, JSValueConst text, JSValueConst port, address *out)
{
    size_t size;
    const char *place = JS_ToCStringLen(ctx, &size, text);
    int number = int_of(ctx, port);
    socklen_t whole = 0;
    memset(out, 0, sizeof *out);
    if (!place)
        return 0;
    if (number < 0) {
        if (size > 0 && size < sizeof out->named.sun_path) {
            out->named.sun_family = AF_UNIX;
            memcpy(out->named.sun_path, place, size);
            whole = offsetof(struct sockaddr_un, sun_path) + size + (place[0] != 0);
        }
    } else if (inet_pton(AF_INET, place, &out->four.sin_addr) == 1) {
        out->four.sin_family = AF_INET;
        out->four.sin_port = htons(number);
        whole = sizeof out->four;
    } else {
        // A zone is of no use with one machine.
        char plain[INET6_ADDRSTRLEN] = "";
        size_t end = strcspn(place, "%");
        if (end < sizeof plain)
            memcpy(plain, place, end);
        if (inet_pton(AF_INET6, plain, &out->six.sin6_addr) == 1) {
            out->six.sin6_family = AF_INET6;
            out->six.sin6_port = htons(number);
            whole = sizeof out->six;
        }
    }
    JS_FreeCString(ctx, place);
    return whole;
}

/// [text, port, family: 4, 6 or 1 for a path]
static JSValue shown_address(JSContext *ctx, const address *from, socklen_t size)
{
    char text[INET6_ADDRSTRLEN] = "";
    int port = -1, family = 1;
    JSValue all = JS_NewArray(ctx);
    if (from->any.sa_family == AF_INET) {
        inet_ntop(AF_INET, &from->four.sin_addr, text, sizeof text);
        port = ntohs(from->four.sin_port);
        family = 4;
    } else if (from->any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &from->six.sin6_addr, text, sizeof text);
        port = ntohs(from->six.sin6_port);
        family = 6;
    }
    size_t head = offsetof(struct sockaddr_un, sun_path), length = 0;
    if (family == 1 && size > head)
        length = from->named.sun_path[0] ? strnlen(from->named.sun_path, size - head) : size - head;
    JS_SetPropertyUint32(ctx, all, 0, family == 1 ? JS_NewStringLen(ctx, from->named.sun_path, length) : JS_NewString(ctx, text));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewInt32(ctx, port));
    JS_SetPropertyUint32(ctx, all, 2, JS_NewInt32(ctx, family));
    return all;
}

/// (family: 4, 6 or 1, whether datagrams): a descriptor that does not wait and that children do not get.
static NATIVE(socket_make)
{
    UNUSED(self), UNUSED(argc);
    int family = int_of(ctx, argv[0]), type = JS_ToBool(ctx, argv[1]) ? SOCK_DGRAM : SOCK_STREAM;
    int domain = family == 4 ? AF_INET : family == 6 ? AF_INET6 : AF_UNIX;
    int fd = socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? failure(ctx) : JS_NewInt32(ctx, fd);
}

/// (fd, address, port)
static NATIVE(socket_bind)
{
    UNUSED(self), UNUSED(argc);
    address to;
    socklen_t size = read_address(ctx, argv[1], argv[2], &to);
    if (!size)
        return errno = EINVAL, failure(ctx);
    return outcome(ctx, bind(int_of(ctx, argv[0]), &to.any, size));
}

/// (fd, most that wait)
static NATIVE(socket_listen)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, listen(int_of(ctx, argv[0]), int_of(ctx, argv[1])));
}

/// (fd): a descriptor
static NATIVE(socket_accept)
{
    UNUSED(self), UNUSED(argc);
    int fd = accept4(int_of(ctx, argv[0]), NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return fd < 0 ? failure(ctx) : JS_NewInt32(ctx, fd);
}

/// (fd, address, port)
static NATIVE(socket_connect)
{
    UNUSED(self), UNUSED(argc);
    address to;
    socklen_t size = read_address(ctx, argv[1], argv[2], &to);
    if (!size)
        return errno = EINVAL, failure(ctx);
    return outcome(ctx, connect(int_of(ctx, argv[0]), &to.any, size));
}

/// (fd, whether the other end): an address
static NATIVE(socket_name)
{
    UNUSED(self), UNUSED(argc);
    address from = {0};
    socklen_t size = sizeof from;
    int fd = int_of(ctx, argv[0]);
    int code = JS_ToBool(ctx, argv[1]) ? getpeername(fd, &from.any, &size) : getsockname(fd, &from.any, &size);
    return code < 0 ? failure(ctx) : shown_address(ctx, &from, size);
}

/// (fd, how: 0 reading, 1 writing, 2 both)
static NATIVE(socket_shutdown)
{
    UNUSED(self), UNUSED(argc);
    return outcome(ctx, shutdown(int_of(ctx, argv[0]), int_of(ctx, argv[1])));
}

/// (fd): the error that waits for the socket, which is forgotten then.
static NATIVE(socket_error)
{
    UNUSED(self), UNUSED(argc);
    int code = 0;
    socklen_t size = sizeof code;
    if (getsockopt(int_of(ctx, argv[0]), SOL_SOCKET, SO_ERROR, &code, &size) < 0 || code == 0)
        return JS_NewInt32(ctx, 0);
    return errno = code, failure(ctx);
}

static const struct { const char *name; int level, number; } OPTIONS[] = {
    {"reuseAddress", SOL_SOCKET, SO_REUSEADDR}, {"keepAlive", SOL_SOCKET, SO_KEEPALIVE}, {"broadcast", SOL_SOCKET, SO_BROADCAST},
    {"receiveBuffer", SOL_SOCKET, SO_RCVBUF}, {"sendBuffer", SOL_SOCKET, SO_SNDBUF}, {"noDelay", IPPROTO_TCP, TCP_NODELAY},
    {"keepIdle", IPPROTO_TCP, TCP_KEEPIDLE}, {"only6", IPPROTO_IPV6, IPV6_V6ONLY}, {"ttl", IPPROTO_IP, IP_TTL},
};

/// (fd, name, value): sets an option; without a value, tells it.
static NATIVE(socket_option)
{
    UNUSED(self);
    const char *name = JS_ToCString(ctx, argv[1]);
    int fd = int_of(ctx, argv[0]), code = -1, value = argc > 2 ? int_of(ctx, argv[2]) : 0;
    bool gives = argc > 2 && !JS_IsUndefined(argv[2]);
    socklen_t size = sizeof value;
    errno = EINVAL;
    for (size_t i = 0; name && i < sizeof OPTIONS / sizeof *OPTIONS; i++)
        if (strcmp(OPTIONS[i].name, name) == 0)
            code = gives ? setsockopt(fd, OPTIONS[i].level, OPTIONS[i].number, &value, sizeof value)
                         : getsockopt(fd, OPTIONS[i].level, OPTIONS[i].number, &value, &size);
    if (name)
        JS_FreeCString(ctx, name);
    return code < 0 ? failure(ctx) : JS_NewInt32(ctx, gives ? 0 : value);
}

/// (fd): the other end is told of a reset when the socket is closed.
static NATIVE(socket_reset)
{
    UNUSED(self), UNUSED(argc);
    struct linger linger = {1, 0};
    return outcome(ctx, setsockopt(int_of(ctx, argv[0]), SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
}

/// (fd, bytes, address, port): sends a datagram; without an address, to where the socket is connected.
static NATIVE(socket_send)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[1], &size);
    address to;
    socklen_t length = 0;
    if (!data)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[2]) && !(length = read_address(ctx, argv[2], argv[3], &to)))
        return errno = EINVAL, failure(ctx);
    ssize_t sent = sendto(int_of(ctx, argv[0]), data, size, MSG_NOSIGNAL, length ? &to.any : NULL, length);
    return sent < 0 ? failure(ctx) : JS_NewInt64(ctx, sent);
}

/// (fd, room): [bytes, address of the sender…]
static NATIVE(socket_receive)
{
    UNUSED(self), UNUSED(argc);
    size_t room;
    uint8_t *data = bytes_of(ctx, argv[1], &room);
    address from = {0};
    socklen_t size = sizeof from;
    if (!data)
        return JS_EXCEPTION;
    ssize_t got = recvfrom(int_of(ctx, argv[0]), data, room, 0, &from.any, &size);
    if (got < 0)
        return failure(ctx);
    JSValue all = shown_address(ctx, &from, size);
    JS_SetPropertyUint32(ctx, all, 3, JS_NewInt64(ctx, got));
    return all;
}

/// (text): the bytes of an IP address as an array, or undefined.
static NATIVE(address_bytes)
{
    UNUSED(self), UNUSED(argc);
    uint8_t bytes[16];
    const char *text = JS_ToCString(ctx, argv[0]);
    if (!text)
        return JS_EXCEPTION;
    int count = inet_pton(AF_INET, text, bytes) == 1 ? 4 : inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
    JS_FreeCString(ctx, text);
    if (!count)
        return JS_UNDEFINED;
    JSValue all = JS_NewArray(ctx);
    for (int i = 0; i < count; i++)
        JS_SetPropertyUint32(ctx, all, i, JS_NewInt32(ctx, bytes[i]));
    return all;
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("socket", 2, socket_make),
    JS_CFUNC_DEF("bind", 3, socket_bind),
    JS_CFUNC_DEF("listen", 2, socket_listen),
    JS_CFUNC_DEF("accept", 1, socket_accept),
    JS_CFUNC_DEF("connect", 3, socket_connect),
    JS_CFUNC_DEF("socketName", 2, socket_name),
    JS_CFUNC_DEF("shutdown", 2, socket_shutdown),
    JS_CFUNC_DEF("socketError", 1, socket_error),
    JS_CFUNC_DEF("socketOption", 3, socket_option),
    JS_CFUNC_DEF("resetSocket", 1, socket_reset),
    JS_CFUNC_DEF("send", 4, socket_send),
    JS_CFUNC_DEF("receive", 2, socket_receive),
    JS_CFUNC_DEF("addressBytes", 1, address_bytes),
};

void sockets_init(JSContext *ctx, JSValueConst native)
{
    FUNCTIONS(LIST);
}
