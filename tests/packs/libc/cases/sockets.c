// Sockets within one machine: streams, datagrams, names in the file system, their errors and options.

#include "check.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

static struct sockaddr_in local(int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int listener(struct sockaddr_in *address)
{
    socklen_t size = sizeof *address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    *address = local(0);
    if (bind(fd, (void *)address, sizeof *address) || listen(fd, 5) || getsockname(fd, (void *)address, &size))
        printf("no listener: %s\n", why());
    printf("listens: size %d, family %d, %s, a port: %d\n", (int)size, address->sin_family, inet_ntoa(address->sin_addr),
           ntohs(address->sin_port) >= 1024);
    return fd;
}

static int connected(const struct sockaddr_in *address)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (void *)address, sizeof *address))
        printf("connect: %s\n", why());
    return fd;
}

static void streams(void)
{
    struct sockaddr_in address, mine, other;
    socklen_t size = sizeof other;
    char buffer[64] = "";
    int server = listener(&address), client = connected(&address);
    int end = accept(server, (void *)&other, &size);
    socklen_t own = sizeof mine;
    getsockname(client, (void *)&mine, &own);
    printf("accepted: size %d, the same port %d\n", (int)size, mine.sin_port == other.sin_port);
    size = sizeof other;
    SHOW(getpeername(client, (void *)&other, &size));
    printf("the peer is the listener: %d\n", other.sin_port == address.sin_port);
    size = 4;
    memset(&other, 255, sizeof other);
    SHOW(getpeername(client, (void *)&other, &size));
    printf("cut: %d, port %d, rest %x\n", (int)size, other.sin_port == address.sin_port, other.sin_addr.s_addr);
    SHOW(send(client, "hello", 5, 0));
    SHOW(recv(end, buffer, 3, MSG_PEEK));
    SHOW(recv(end, buffer, 3, 0));
    SHOW(read(end, buffer + 3, 60));
    printf("%s\n", buffer);
    SHOW(recv(end, buffer, 1, MSG_DONTWAIT));
    SHOW(write(end, "answer", 6));
    struct iovec parts[] = {{buffer, 2}, {buffer + 10, 20}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    SHOW(recvmsg(client, &message, 0));
    printf("%.2s %.4s %d\n", buffer, buffer + 10, message.msg_flags);
    SHOW(sendmsg(client, &message, 0));
    SHOW(recv(end, buffer, sizeof buffer, 0));
    SHOW(shutdown(client, SHUT_WR));
    SHOW(recv(end, buffer, sizeof buffer, 0));
    SHOW(send(client, "x", 1, MSG_NOSIGNAL));
    SHOW(send(end, "late", 4, 0));
    SHOW(recv(client, buffer, sizeof buffer, MSG_WAITALL | MSG_DONTWAIT));
    SHOW(connect(client, (void *)&address, sizeof address));
    SHOW(shutdown(client, 7));
    SHOW(close(end));
    SHOW(recv(client, buffer, sizeof buffer, 0));
    close(client);
    // Whoever closes with bytes unread resets.
    client = connected(&address);
    end = accept4(server, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    printf("flags %d %d\n", fcntl(end, F_GETFD), (fcntl(end, F_GETFL) & O_NONBLOCK) != 0);
    SHOW(recv(end, buffer, 1, 0));
    SHOW(send(client, "unread", 6, 0));
    struct pollfd ready = {.fd = end, .events = POLLIN};
    SHOW(poll(&ready, 1, 1000));
    SHOW(close(end));
    SHOW(recv(client, buffer, 1, 0));
    close(client);
    // Nobody accepts any more.
    close(server);
    int refused = socket(AF_INET, SOCK_STREAM, 0);
    SHOW(connect(refused, (void *)&address, sizeof address));
    SHOW(send(refused, "x", 1, MSG_NOSIGNAL));
    SHOW(recv(refused, buffer, 1, 0));
    size = sizeof other;
    SHOW(getpeername(refused, (void *)&other, &size));
    SHOW(shutdown(refused, SHUT_RDWR));
    SHOW(accept(1, NULL, NULL));
    close(refused);
    SHOW(accept(refused, NULL, NULL));
}

static void waiting(void)
{
    struct sockaddr_in address;
    int server = listener(&address);
    fcntl(server, F_SETFL, O_NONBLOCK);
    SHOW(accept(server, NULL, NULL));
    struct pollfd both[2] = {{.fd = server, .events = POLLIN}};
    SHOW(poll(both, 1, 0));
    int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    int code = connect(client, (void *)&address, sizeof address);
    printf("connect at once or soon: %d\n", code == 0 || errno == EINPROGRESS);
    both[1] = (struct pollfd){.fd = client, .events = POLLOUT};
    SHOW(poll(both + 1, 1, 1000));
    SHOW(poll(both, 1, 1000));
    printf("%d %d\n", both[0].revents == POLLIN, both[1].revents == POLLOUT);
    int error = 99;
    socklen_t size = sizeof error;
    SHOW(getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size));
    printf("error %d\n", error);
    int end = accept(server, NULL, NULL);
    both[0].fd = end;
    SHOW(poll(both, 1, 0));
    close(client);
    SHOW(poll(both, 1, 1000));
    printf("%d\n", (both[0].revents & POLLIN) != 0);
    close(end);
    close(server);
    // What is refused is known when one may write.
    client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    code = connect(client, (void *)&address, sizeof address);
    if (code < 0 && errno == EINPROGRESS) {
        both[0] = (struct pollfd){.fd = client, .events = POLLOUT};
        poll(both, 1, 1000);
        printf("told: %d\n", (both[0].revents & POLLERR) != 0);
        getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size);
        errno = error;
    }
    printf("%s\n", why());
    close(client);
}

static void datagrams(void)
{
    struct sockaddr_in first = local(0), second = local(0), from;
    socklen_t size = sizeof first;
    char buffer[64] = "";
    int one = socket(AF_INET, SOCK_DGRAM, 0), two = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    bind(one, (void *)&first, sizeof first);
    getsockname(one, (void *)&first, &size);
    SHOW(sendto(two, "first", 5, 0, (void *)&first, sizeof first));
    SHOW(sendto(two, "", 0, 0, (void *)&first, sizeof first));
    SHOW(sendto(two, "longer than that", 16, 0, (void *)&first, sizeof first));
    size = sizeof from;
    SHOW(recvfrom(one, buffer, sizeof buffer, 0, (void *)&from, &size));
    socklen_t own = sizeof second;
    getsockname(two, (void *)&second, &own);
    printf("%.5s %d %s %d\n", buffer, (int)size, inet_ntoa(from.sin_addr), from.sin_port == second.sin_port);
    SHOW(recv(one, buffer, sizeof buffer, 0));
    struct iovec part = {buffer, 6};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_name = &from, .msg_namelen = sizeof from};
    SHOW(recvmsg(one, &message, 0));
    printf("%.6s %d %d\n", buffer, (message.msg_flags & MSG_TRUNC) != 0, (int)message.msg_namelen);
    SHOW(sendto(two, "again", 5, 0, (void *)&first, sizeof first));
    SHOW(recv(one, buffer, 2, MSG_TRUNC));
    SHOW(recv(one, buffer, 2, MSG_DONTWAIT));
    SHOW(connect(two, (void *)&first, sizeof first));
    SHOW(send(two, "joined", 6, 0));
    SHOW(recv(one, buffer, sizeof buffer, 0));
    SHOW(send(one, "x", 1, 0));
    SHOW(listen(one, 1));
    SHOW(accept(one, NULL, NULL));
    close(one);
    close(two);
}

static struct sockaddr_un named(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    return address;
}

static void names(void)
{
    struct sockaddr_un address = named("place"), other;
    socklen_t size = sizeof other;
    struct stat stat_of;
    int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
    SHOW(connect(client, (void *)&address, sizeof address));
    SHOW(bind(server, (void *)&address, sizeof address));
    SHOW(connect(client, (void *)&address, sizeof address));
    SHOW(listen(server, 5));
    SHOW(connect(client, (void *)&address, sizeof address));
    int end = accept(server, (void *)&other, &size);
    printf("a client without a name: %d\n", (int)size);
    size = sizeof other;
    SHOW(getpeername(client, (void *)&other, &size));
    printf("%d %s\n", (int)size, other.sun_path);
    SHOW(stat("place", &stat_of));
    printf("%o\n", stat_of.st_mode & S_IFMT);
    SHOW(write(client, "abc", 3));
    char buffer[8] = "";
    SHOW(read(end, buffer, 8));
    close(end);
    close(client);
    int again = socket(AF_UNIX, SOCK_STREAM, 0);
    SHOW(bind(again, (void *)&address, offsetof(struct sockaddr_un, sun_path) + 5));
    close(server);
    SHOW(connect(again, (void *)&address, sizeof address));
    SHOW(unlink("place"));
    SHOW(connect(again, (void *)&address, sizeof address));
    close(again);
}

static void errors(void)
{
    struct sockaddr_in address, far = local(htons(8080)), low = local(0);
    int server = listener(&address), fd;
    far.sin_addr.s_addr = htonl(0x08080808);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    SHOW(bind(fd, (void *)&address, sizeof address));
    SHOW(bind(fd, (void *)&far, sizeof far));
    SHOW(bind(fd, (void *)&low, 4));
    SHOW(bind(fd, (void *)&low, sizeof low));
    SHOW(bind(fd, (void *)&low, sizeof low));
    close(fd);
    SHOW(socket(77, SOCK_STREAM, 0));
    SHOW(socket(AF_INET, 77, 0));
    SHOW(socket(AF_INET, SOCK_STREAM, IPPROTO_UDP));
    SHOW(socket(AF_UNIX, SOCK_STREAM, IPPROTO_TCP));
    SHOW(bind(1, (void *)&low, sizeof low));
    SHOW(listen(99, 1));
    int flag = 1;
    socklen_t size = sizeof flag;
    SHOW(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &flag, sizeof flag));
    SHOW(setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &flag, sizeof flag));
    flag = 0;
    SHOW(getsockopt(server, IPPROTO_TCP, TCP_NODELAY, &flag, &size));
    printf("%d %d\n", flag != 0, (int)size);
    SHOW(getsockopt(server, SOL_SOCKET, SO_TYPE, &flag, &size));
    printf("%d\n", flag);
    SHOW(getsockopt(server, SOL_SOCKET, SO_ACCEPTCONN, &flag, &size));
    printf("%d\n", flag);
    SHOW(getsockopt(server, SOL_SOCKET, SO_DOMAIN, &flag, &size));
    printf("%d\n", flag);
    SHOW(getsockopt(server, SOL_SOCKET, SO_KEEPALIVE, &flag, &size));
    printf("%d\n", flag);
    struct linger linger = {1, 5}, got = {0};
    size = sizeof got;
    SHOW(setsockopt(server, SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
    SHOW(getsockopt(server, SOL_SOCKET, SO_LINGER, &got, &size));
    printf("%d %d %d\n", got.l_onoff, got.l_linger, (int)size);
    SHOW(setsockopt(server, SOL_SOCKET, 9999, &flag, sizeof flag));
    SHOW(setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &flag, 2));
    SHOW(setsockopt(1, SOL_SOCKET, SO_REUSEADDR, &flag, sizeof flag));
    close(server);
}

static struct sockaddr_in shared;

static int child(void *nothing)
{
    (void)nothing;
    int fd = connected(&shared);
    char buffer[16];
    ssize_t got = read(fd, buffer, sizeof buffer);
    write(fd, buffer, got);
    return got;
}

static void processes(void)
{
    int server = listener(&shared);
    char buffer[16] = "";
    fflush(stdout);
    pid_t pid = sandshell_clone(child, NULL);
    int end = accept(server, NULL, NULL);
    write(end, "ping", 4);
    SHOW(read(end, buffer, sizeof buffer));
    printf("%s\n", buffer);
    ended(pid);
    close(end);
    close(server);
}

static void six(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT};
    socklen_t size = sizeof address;
    int server = socket(AF_INET6, SOCK_STREAM, 0);
    bind(server, (void *)&address, sizeof address);
    listen(server, 5);
    getsockname(server, (void *)&address, &size);
    printf("%d\n", (int)size);
    struct sockaddr_in four = local(address.sin6_port);
    int client = connected(&four);
    char text[INET6_ADDRSTRLEN];
    size = sizeof address;
    int end = accept(server, (void *)&address, &size);
    printf("%s\n", inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text));
    close(client);
    close(end);
    close(server);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    streams();
    waiting();
    datagrams();
    names();
    errors();
    processes();
    six();
    return 0;
}
