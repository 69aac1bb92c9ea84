// Names of hosts and services: numbers, `localhost` and what /etc/hosts and /etc/services say. There is nobody to ask for
// others.

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { MOST = 32, LINE = 1024 };

struct found {
    int family;
    uint8_t address[16];
    char name[NI_MAXHOST + 1];
};

// The words of a line without its comment, one after the other.
static char *next_word(char **line)
{
    char *word;
    while ((word = strsep(line, " \t\n\r")) && !*word)
        ;
    return word;
}

static int address_size(int family)
{
    return family == AF_INET ? 4 : 16;
}

static int parse(const char *text, uint8_t out[16])
{
    return inet_pton(AF_INET, text, out) == 1 ? AF_INET : inet_pton(AF_INET6, text, out) == 1 ? AF_INET6 : AF_UNSPEC;
}

static int is_loopback(const struct found *host)
{
    static const uint8_t six[16] = {[15] = 1};
    return host->family == AF_INET ? host->address[0] == 127 : memcmp(host->address, six, 16) == 0;
}

static void keep(struct found *all, int *count, int family, const uint8_t *address, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (all[i].family == family && memcmp(all[i].address, address, address_size(family)) == 0)
            return;
    if (*count == MOST)
        return;
    struct found *one = &all[(*count)++];
    one->family = family;
    memcpy(one->address, address, address_size(family));
    snprintf(one->name, sizeof one->name, "%s", name);
}

// Looks for a name, or, if there is none, for the names of an address.
static int read_hosts(const char *name, const uint8_t *address, int family, struct found *all)
{
    char line[LINE];
    int count = 0;
    FILE *file = fopen("/etc/hosts", "re");
    while (file && fgets(line, sizeof line, file)) {
        uint8_t bytes[16];
        line[strcspn(line, "#")] = 0;
        char *rest = line, *text = next_word(&rest), *first = text ? next_word(&rest) : NULL;
        int kind = first ? parse(text, bytes) : AF_UNSPEC;
        if (kind == AF_UNSPEC)
            continue;
        if (!name) {
            if (kind == family && memcmp(bytes, address, address_size(kind)) == 0)
                keep(all, &count, kind, bytes, first);
            continue;
        }
        for (char *word = first; word; word = next_word(&rest))
            if (strcasecmp(word, name) == 0)
                keep(all, &count, kind, bytes, first);
    }
    if (file)
        fclose(file);
    return count;
}

static int is_localhost(const char *name)
{
    size_t length = strlen(name);
    if (length && name[length - 1] == '.')
        length--;
    const char *last = "localhost";
    return length >= 9 && strncasecmp(name + length - 9, last, 9) == 0 && (length == 9 || name[length - 10] == '.');
}

// Addresses of a name, those of a family only if one is asked for; 0 if nobody knows it.
static int look_up(const char *name, int family, struct found *all)
{
    static const uint8_t four[16] = {127, 0, 0, 1}, six[16] = {[15] = 1};
    int count = read_hosts(name, NULL, AF_UNSPEC, all);
    if (count == 0 && is_localhost(name))
        keep(all, &count, AF_INET, four, name);
    // A machine's own name has an address of each family.
    int loopback = count && is_loopback(&all[0]);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (family == AF_UNSPEC || all[i].family == family)
            all[kept++] = all[i];
    if (kept == 0 && loopback)
        keep(all, &kept, family, family == AF_INET6 ? six : four, name);
    return kept;
}

// A port of its name; -1 if there is none. `protocol` may be NULL for any.
static int service_port(const char *name, const char *protocol, struct servent *out)
{
    static char line[LINE];
    int port = -1;
    FILE *file = fopen("/etc/services", "re");
    while (file && port < 0 && fgets(line, sizeof line, file)) {
        line[strcspn(line, "#")] = 0;
        char *rest = line, *first = next_word(&rest), *place = first ? next_word(&rest) : NULL;
        char *kind = place ? strchr(place, '/') : NULL;
        if (!kind || (protocol && strcmp(kind + 1, protocol) != 0))
            continue;
        for (char *word = first; word && port < 0; word = next_word(&rest))
            if (strcmp(word, name) == 0)
                port = atoi(place);
        if (port >= 0 && out)
            *out = (struct servent){.s_name = first, .s_port = htons(port), .s_proto = kind + 1};
    }
    if (file)
        fclose(file);
    return port;
}

struct servent *getservbyname(const char *name, const char *protocol)
{
    static char *none[1];
    static struct servent service;
    if (service_port(name, protocol, &service) < 0)
        return NULL;
    service.s_aliases = none;
    return &service;
}

// The service's number, or -1.
static int port_of(const char *service, int type, int flags)
{
    if (!service)
        return 0;
    char *end;
    unsigned long number = strtoul(service, &end, 10);
    if (*service && !*end)
        return number & 0xffff;
    return flags & AI_NUMERICSERV ? -1 : service_port(service, type == SOCK_DGRAM ? "udp" : "tcp", NULL);
}

static const struct kind {
    int type, protocol;
} kinds[] = {{SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, IPPROTO_UDP}, {SOCK_RAW, 0}};

static struct addrinfo *entry(const struct found *host, const struct kind *kind, int protocol, int port)
{
    struct {
        struct addrinfo info;
        struct sockaddr_storage address;
    } *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    struct sockaddr_in *four = (struct sockaddr_in *)&made->address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&made->address;
    made->info = (struct addrinfo){
        .ai_family = host->family, .ai_socktype = kind->type, .ai_protocol = protocol ? protocol : kind->protocol,
        .ai_addr = (struct sockaddr *)&made->address, .ai_addrlen = host->family == AF_INET ? sizeof *four : sizeof *six,
    };
    made->address.ss_family = host->family;
    if (host->family == AF_INET) {
        four->sin_port = htons(port);
        memcpy(&four->sin_addr, host->address, 4);
    } else {
        six->sin6_port = htons(port);
        memcpy(&six->sin6_addr, host->address, 16);
    }
    return &made->info;
}

// Addresses for no name: one's own, or those that a server listens at.
static int nameless(int family, int passive, struct found *all)
{
    static const uint8_t any[16], four[16] = {127, 0, 0, 1}, six[16] = {[15] = 1};
    int count = 0;
    if (family != AF_INET && !passive)
        keep(all, &count, AF_INET6, six, "");
    if (family != AF_INET6)
        keep(all, &count, AF_INET, passive ? any : four, "");
    if (family != AF_INET && passive)
        keep(all, &count, AF_INET6, any, "");
    return count;
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict result)
{
    static const struct addrinfo none;
    struct found *all, literal = {0};
    struct addrinfo **next = result;
    int count = 0, added = 0;
    if (!hints)
        hints = &none;
    int flags = hints->ai_flags, family = hints->ai_family;
    *result = NULL;
    if (!name && !service)
        return EAI_NONAME;
    if (flags & ~0x7ff || (flags & AI_CANONNAME && !name))
        return EAI_BADFLAGS;
    if (family != AF_UNSPEC && family != AF_INET && family != AF_INET6)
        return EAI_FAMILY;
    if (hints->ai_socktype < 0 || hints->ai_socktype > SOCK_RAW)
        return EAI_SOCKTYPE;
    all = calloc(MOST, sizeof *all);
    if (!all)
        return EAI_MEMORY;
    struct in_addr short_form;
    if (!name) {
        count = nameless(family, flags & AI_PASSIVE, all);
    } else if ((literal.family = parse(name, literal.address)) != AF_UNSPEC || inet_aton(name, &short_form)) {
        if (literal.family == AF_UNSPEC) {
            literal.family = AF_INET;
            memcpy(literal.address, &short_form, 4);
        }
        if (family != AF_UNSPEC && literal.family != family) {
            free(all);
            return EAI_ADDRFAMILY;
        }
        keep(all, &count, literal.family, literal.address, name);
    } else if (flags & AI_NUMERICHOST || !*name) {
        free(all);
        return EAI_NONAME;
    } else {
        count = look_up(name, family, all);
    }
    int code = count ? 0 : EAI_AGAIN;
    for (int i = 0; i < count && code == 0; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds && code == 0; k++) {
            if (hints->ai_socktype && hints->ai_socktype != kinds[k].type)
                continue;
            if (hints->ai_protocol && kinds[k].protocol && hints->ai_protocol != kinds[k].protocol)
                continue;
            if (kinds[k].type == SOCK_RAW && service && !isdigit((unsigned char)*service))
                continue;
            int port = port_of(service, kinds[k].type, flags);
            if (port < 0)
                continue;
            *next = entry(&all[i], &kinds[k], hints->ai_protocol, port);
            if (!*next) {
                code = EAI_MEMORY;
                break;
            }
            if (!added++ && flags & AI_CANONNAME)
                (*next)->ai_canonname = strdup(all[0].name);
            next = &(*next)->ai_next;
        }
    free(all);
    if (code == 0 && !added)
        code = service && !isdigit((unsigned char)*service) ? (flags & AI_NUMERICSERV ? EAI_NONAME : EAI_SERVICE) : EAI_SOCKTYPE;
    if (code != 0) {
        freeaddrinfo(*result);
        *result = NULL;
    }
    return code;
}

void freeaddrinfo(struct addrinfo *list)
{
    while (list) {
        struct addrinfo *next = list->ai_next;
        free(list->ai_canonname);
        free(list);
        list = next;
    }
}

int getnameinfo(const struct sockaddr *restrict address, socklen_t length, char *restrict name, socklen_t name_size,
                char *restrict service, socklen_t service_size, int flags)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    char text[INET6_ADDRSTRLEN];
    int family = length >= sizeof(sa_family_t) ? address->sa_family : AF_UNSPEC;
    if ((family != AF_INET || length < sizeof *four) && (family != AF_INET6 || length < sizeof *six))
        return EAI_FAMILY;
    if (!(name && name_size) && !(service && service_size))
        return EAI_NONAME;
    const void *bytes = family == AF_INET ? (const void *)&four->sin_addr : (const void *)&six->sin6_addr;
    if (name && name_size) {
        struct found *all = flags & NI_NUMERICHOST ? NULL : calloc(MOST, sizeof *all);
        int known = all && read_hosts(NULL, bytes, family, all) > 0;
        if (!known && flags & NI_NAMEREQD) {
            free(all);
            return EAI_NONAME;
        }
        inet_ntop(family, bytes, text, sizeof text);
        int size = snprintf(name, name_size, "%s", known ? all[0].name : text);
        free(all);
        if (size >= (int)name_size)
            return EAI_OVERFLOW;
    }
    if (service && service_size) {
        int port = ntohs(family == AF_INET ? four->sin_port : six->sin6_port);
        if (snprintf(service, service_size, "%d", port) >= (int)service_size)
            return EAI_OVERFLOW;
    }
    return 0;
}

const char *gai_strerror(int code)
{
    switch (code) {
    case EAI_ADDRFAMILY:
        return "Address family for hostname not supported";
    case EAI_AGAIN:
        return "Temporary failure in name resolution";
    case EAI_BADFLAGS:
        return "Bad value for ai_flags";
    case EAI_FAIL:
        return "Non-recoverable failure in name resolution";
    case EAI_FAMILY:
        return "ai_family not supported";
    case EAI_MEMORY:
        return "Memory allocation failure";
    case EAI_NODATA:
        return "No address associated with hostname";
    case EAI_NONAME:
        return "Name or service not known";
    case EAI_SERVICE:
        return "Servname not supported for ai_socktype";
    case EAI_SOCKTYPE:
        return "ai_socktype not supported";
    case EAI_SYSTEM:
        return "System error";
    default:
        return "Unknown error";
    }
}

static int lookup_error;

int *__h_errno_location(void)
{
    return &lookup_error;
}

const char *hstrerror(int code)
{
    switch (code) {
    case 0:
        return "Resolver Error 0 (no error)";
    case HOST_NOT_FOUND:
        return "Unknown host";
    case TRY_AGAIN:
        return "Host name lookup failure";
    case NO_RECOVERY:
        return "Unknown server error";
    case NO_DATA:
        return "No address associated with name";
    default:
        return code < 0 ? "Resolver internal error" : "Unknown resolver error";
    }
}

struct hostent *gethostbyname2(const char *name, int family)
{
    static struct found all[MOST];
    static char *addresses[MOST + 1], *none[1];
    static struct hostent host;
    int count = 0;
    if (family != AF_INET && family != AF_INET6) {
        errno = EAFNOSUPPORT;
        return NULL;
    }
    uint8_t bytes[16];
    int literal = parse(name, bytes);
    if (literal == family)
        keep(all, &count, family, bytes, name);
    else if (literal == AF_UNSPEC)
        count = look_up(name, family, all);
    if (count == 0) {
        lookup_error = literal == AF_UNSPEC ? TRY_AGAIN : HOST_NOT_FOUND;
        return NULL;
    }
    for (int i = 0; i <= count; i++)
        addresses[i] = i < count ? (char *)all[i].address : NULL;
    host = (struct hostent){
        .h_name = all[0].name, .h_aliases = none, .h_addrtype = family, .h_length = address_size(family), .h_addr_list = addresses,
    };
    return &host;
}

struct hostent *gethostbyname(const char *name)
{
    return gethostbyname2(name, AF_INET);
}
