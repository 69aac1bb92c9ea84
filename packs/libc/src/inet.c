// Addresses as text.

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// Four decimal numbers, without zeros before them.
static int parse_four(const char *text, uint8_t out[4])
{
    uint8_t parts[4];
    for (int part = 0; part < 4; part++) {
        int value = 0, digits = 0;
        while (*text >= '0' && *text <= '9' && digits < 4) {
            value = value * 10 + *text++ - '0';
            digits++;
        }
        if (digits == 0 || value > 255 || (digits > 1 && text[-digits] == '0'))
            return 0;
        parts[part] = value;
        if (*text++ != (part < 3 ? '.' : 0))
            return 0;
    }
    memcpy(out, parts, sizeof parts);
    return 1;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static int parse_sixteen(const char *text, uint8_t out[16])
{
    uint8_t parts[16] = {0};
    int count = 0, gap = -1;
    if (text[0] == ':' && *++text != ':')
        return 0;
    while (*text) {
        if (*text == ':') {
            // Two in a row: zeros, as many as are missing.
            if (gap >= 0)
                return 0;
            gap = count;
            text++;
            continue;
        }
        const char *start = text;
        int value = 0, digits = 0;
        for (; hex_digit(*text) >= 0 && digits < 5; digits++)
            value = value * 16 + hex_digit(*text++);
        if (*text == '.' && count <= 12 && parse_four(start, parts + count)) {
            count += 4;
            break;
        }
        if (digits == 0 || digits > 4 || count > 14)
            return 0;
        parts[count++] = value >> 8;
        parts[count++] = value;
        if (*text == ':') {
            if (*++text == 0)
                return 0;
        } else if (*text) {
            return 0;
        }
    }
    if (gap < 0 ? count != 16 : count > 14)
        return 0;
    if (gap >= 0) {
        memmove(parts + 16 - (count - gap), parts + gap, count - gap);
        memset(parts + gap, 0, 16 - count);
    }
    memcpy(out, parts, 16);
    return 1;
}

int inet_pton(int family, const char *restrict text, void *restrict out)
{
    if (family == AF_INET)
        return parse_four(text, out);
    if (family == AF_INET6)
        return parse_sixteen(text, out);
    errno = EAFNOSUPPORT;
    return -1;
}

static void write_sixteen(const uint8_t *from, char text[INET6_ADDRSTRLEN])
{
    // The longest row of zeros, of at least two parts, is left out.
    int first = -1, most = 1;
    for (int i = 0, run = 0; i < 8; i++) {
        run = from[2 * i] || from[2 * i + 1] ? 0 : run + 1;
        if (run > most) {
            most = run;
            first = i - run + 1;
        }
    }
    // What stands for an address of four bytes ends with that.
    int with_four = first == 0 && (most == 6 || (most == 5 && from[10] == 0xff && from[11] == 0xff));
    char *at = text;
    for (int i = 0; i < (with_four ? 6 : 8); i++) {
        if (i == first) {
            at += sprintf(at, i + most == 8 ? "::" : ":");
            i += most - 1;
            continue;
        }
        at += sprintf(at, "%s%x", i ? ":" : "", from[2 * i] << 8 | from[2 * i + 1]);
    }
    if (with_four)
        sprintf(at, ":%d.%d.%d.%d", from[12], from[13], from[14], from[15]);
}

const char *inet_ntop(int family, const void *restrict from, char *restrict out, socklen_t size)
{
    char text[INET6_ADDRSTRLEN];
    const uint8_t *part = from;
    if (family == AF_INET) {
        sprintf(text, "%d.%d.%d.%d", part[0], part[1], part[2], part[3]);
    } else if (family == AF_INET6) {
        write_sixteen(part, text);
    } else {
        errno = EAFNOSUPPORT;
        return NULL;
    }
    if (strlen(text) >= size) {
        errno = ENOSPC;
        return NULL;
    }
    return strcpy(out, text);
}

char *inet_ntoa(struct in_addr address)
{
    static char text[INET_ADDRSTRLEN];
    return (char *)inet_ntop(AF_INET, &address, text, sizeof text);
}

// The older form: one to four numbers, also octal and hexadecimal; the last one fills what is left.
int inet_aton(const char *text, struct in_addr *out)
{
    uint32_t address = 0;
    for (int part = 0; part < 4; part++) {
        char *end;
        if (!(*text >= '0' && *text <= '9'))
            return 0;
        errno = 0;
        unsigned long value = strtoul(text, &end, 0);
        int is_last = *end != '.';
        unsigned long most = is_last ? 0xffffffffUL >> 8 * part : 255;
        if (errno || value > most || (is_last && *end && !strchr(" \t\n\v\f\r", *end)))
            return 0;
        address |= is_last ? value : value << (24 - 8 * part);
        if (is_last) {
            if (out)
                out->s_addr = htonl(address);
            return 1;
        }
        text = end + 1;
    }
    return 0;
}

in_addr_t inet_addr(const char *text)
{
    struct in_addr address;
    return inet_aton(text, &address) ? address.s_addr : INADDR_NONE;
}
