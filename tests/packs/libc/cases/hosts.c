// Addresses as text, and names that need nobody to ask.

#include "check.h"
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

static void six(const char *text)
{
    unsigned char bytes[16];
    char again[INET6_ADDRSTRLEN];
    int code = inet_pton(AF_INET6, text, bytes);
    printf("%s: %d", text, code);
    if (code == 1)
        printf(" %s", inet_ntop(AF_INET6, bytes, again, sizeof again));
    printf("\n");
}

static void four(const char *text)
{
    struct in_addr strict = {0}, loose = {0};
    int code = inet_pton(AF_INET, text, &strict), other = inet_aton(text, &loose);
    printf("%s: %d %s, %d", text, code, inet_ntoa(strict), other);
    printf(" %s %x\n", inet_ntoa(loose), inet_addr(text));
}

static void show(const char *name, const char *service, int flags, int family, int type)
{
    struct addrinfo hints = {.ai_flags = flags, .ai_family = family, .ai_socktype = type}, *list = NULL;
    int code = getaddrinfo(name, service, &hints, &list);
    printf("%s %s %d %d %d: %s\n", name ? name : "-", service ? service : "-", flags, family, type, code ? gai_strerror(code) : "ok");
    for (struct addrinfo *one = list; one; one = one->ai_next) {
        char text[INET6_ADDRSTRLEN], host[64], port[16];
        const void *bytes = one->ai_family == AF_INET ? (void *)&((struct sockaddr_in *)one->ai_addr)->sin_addr
                                                      : (void *)&((struct sockaddr_in6 *)one->ai_addr)->sin6_addr;
        getnameinfo(one->ai_addr, one->ai_addrlen, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
        printf("  %d %d %d %d %s %s %s %s\n", one->ai_family, one->ai_socktype, one->ai_protocol, (int)one->ai_addrlen,
               inet_ntop(one->ai_family, bytes, text, sizeof text), host, port, one->ai_canonname ? one->ai_canonname : "-");
    }
    if (list)
        freeaddrinfo(list);
}

int main(void)
{
    const char *sixes[] = {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::8", "1::2::3", "::ffff:1.2.3.4",
        "::1.2.3.4", "::1.2.3.256", "::1.2.3", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", ":1", "1:", ":::", "12345::", "g::", "",
        "fe80::1%lo", "1:0:0:2:0:0:0:3", "1:0:2:0:3:0:4:0", "0:0:0:0:0:0:1:2", "0:0:0:0:0:1:0:0", "::ffff:0:1", "1:2:3:4:5:6:7::",
        "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "ABCD:EF01::", "::00001", "0::0", "1::1.2.3.4:5", "::1.2.3.4.5"};
    for (size_t i = 0; i < sizeof sixes / sizeof *sixes; i++)
        six(sixes[i]);
    const char *fours[] = {"127.0.0.1", "0.0.0.0", "255.255.255.255", "256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.04", "0x7f.1",
        "127.1", "2130706433", "0177.0.0.1", "1.2.3.4 x", "", " 1.2.3.4", "1..2.3", "1.2.3.", "4294967296", "1.16777216", "1.2.65536", "a"};
    for (size_t i = 0; i < sizeof fours / sizeof *fours; i++)
        four(fours[i]);
    char small[8];
    SHOW(inet_pton(99, "::1", small));
    printf("%s\n", inet_ntop(AF_INET, "\177\0\0\1", small, sizeof small) ? "fits" : why());

    show("127.0.0.1", "80", 0, AF_UNSPEC, 0);
    show("127.0.0.1", NULL, 0, AF_INET, SOCK_STREAM);
    show("::1", "8080", 0, AF_UNSPEC, SOCK_DGRAM);
    show("::1", "8080", AI_NUMERICHOST | AI_NUMERICSERV, AF_INET6, SOCK_STREAM);
    show("127.0.0.1", "1", 0, AF_INET6, SOCK_STREAM);
    show("127.1", "1", AI_CANONNAME, AF_INET, SOCK_STREAM);
    show("localhost", "3000", 0, AF_INET, SOCK_STREAM);
    show("localhost", "3000", AI_NUMERICHOST, AF_INET, SOCK_STREAM);
    show(NULL, "3000", AI_PASSIVE, AF_UNSPEC, SOCK_STREAM);
    show(NULL, "3000", 0, AF_INET6, SOCK_STREAM);
    show(NULL, NULL, 0, AF_UNSPEC, 0);
    show("127.0.0.1", "nosuchservice", 0, AF_INET, SOCK_STREAM);
    show("127.0.0.1", "nosuchservice", AI_NUMERICSERV, AF_INET, SOCK_STREAM);
    show("127.0.0.1", "1", 0, 77, SOCK_STREAM);
    show("127.0.0.1", "1", 0, AF_INET, 77);
    show("127.0.0.1", "1", 0x8000000, AF_INET, 0);
    show(NULL, "1", AI_CANONNAME, AF_INET, 0);
    struct hostent *host = gethostbyname("127.0.0.1");
    printf("%s %d %d %s\n", host->h_name, host->h_addrtype, host->h_length, inet_ntoa(*(struct in_addr *)host->h_addr_list[0]));
    host = gethostbyname("localhost");
    printf("%s %d %d %s\n", host->h_name, host->h_addrtype, host->h_length, inet_ntoa(*(struct in_addr *)host->h_addr_list[0]));
    for (int code = -12; code <= 0; code++)
        printf("%d %s\n", code, gai_strerror(code));
    for (int code = -1; code <= 5; code++)
        printf("%d %s\n", code, hstrerror(code));
    printf("%d %d %d %d %d\n", AF_UNIX, AF_INET, AF_INET6, SOCK_STREAM, SOCK_DGRAM);
    return 0;
}
