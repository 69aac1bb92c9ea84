// `errno` with Linux's numbers: see `linux/errno.h`.

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Linux's number of each of wasi-libc's.
static const unsigned char linux_numbers[] = {
    [EPERM] = 1,
    [ENOENT] = 2,
    [ESRCH] = 3,
    [EINTR] = 4,
    [EIO] = 5,
    [ENXIO] = 6,
    [E2BIG] = 7,
    [ENOEXEC] = 8,
    [EBADF] = 9,
    [ECHILD] = 10,
    [EAGAIN] = 11,
    [ENOMEM] = 12,
    [EACCES] = 13,
    [EFAULT] = 14,
    [EBUSY] = 16,
    [EEXIST] = 17,
    [EXDEV] = 18,
    [ENODEV] = 19,
    [ENOTDIR] = 20,
    [EISDIR] = 21,
    [EINVAL] = 22,
    [ENFILE] = 23,
    [EMFILE] = 24,
    [ENOTTY] = 25,
    [ETXTBSY] = 26,
    [EFBIG] = 27,
    [ENOSPC] = 28,
    [ESPIPE] = 29,
    [EROFS] = 30,
    [EMLINK] = 31,
    [EPIPE] = 32,
    [EDOM] = 33,
    [ERANGE] = 34,
    [EDEADLK] = 35,
    [ENAMETOOLONG] = 36,
    [ENOLCK] = 37,
    [ENOSYS] = 38,
    [ENOTEMPTY] = 39,
    [ELOOP] = 40,
    [ENOMSG] = 42,
    [EIDRM] = 43,
    [ENOLINK] = 67,
    [EPROTO] = 71,
    [EMULTIHOP] = 72,
    [EBADMSG] = 74,
    [EOVERFLOW] = 75,
    [EILSEQ] = 84,
    [ENOTSOCK] = 88,
    [EDESTADDRREQ] = 89,
    [EMSGSIZE] = 90,
    [EPROTOTYPE] = 91,
    [ENOPROTOOPT] = 92,
    [EPROTONOSUPPORT] = 93,
    [ENOTSUP] = 95,
    [EAFNOSUPPORT] = 97,
    [EADDRINUSE] = 98,
    [EADDRNOTAVAIL] = 99,
    [ENETDOWN] = 100,
    [ENETUNREACH] = 101,
    [ENETRESET] = 102,
    [ECONNABORTED] = 103,
    [ECONNRESET] = 104,
    [ENOBUFS] = 105,
    [EISCONN] = 106,
    [ENOTCONN] = 107,
    [ETIMEDOUT] = 110,
    [ECONNREFUSED] = 111,
    [EHOSTUNREACH] = 113,
    [EALREADY] = 114,
    [EINPROGRESS] = 115,
    [ESTALE] = 116,
    [EDQUOT] = 122,
    [ECANCELED] = 125,
    [EOWNERDEAD] = 130,
    [ENOTRECOVERABLE] = 131,
    // WASI alone has it: a descriptor without the right that is needed.
    [ENOTCAPABLE] = 1,
};

// The other way: what wasi-libc calls Linux's number, which the kernel tells of a socket.
int sandshell_errno_of(int linux_number)
{
    for (size_t i = 0; i < sizeof linux_numbers; i++)
        if (linux_numbers[i] == linux_number)
            return i;
    return linux_number ? EIO : 0;
}

// What those are called that wasi-libc has no number for.
static const struct {
    int number;
    const char *text;
} others[] = {
    {15, "Block device required"},
    {44, "Channel number out of range"},
    {45, "Level 2 not synchronized"},
    {46, "Level 3 halted"},
    {47, "Level 3 reset"},
    {48, "Link number out of range"},
    {49, "Protocol driver not attached"},
    {50, "No CSI structure available"},
    {51, "Level 2 halted"},
    {52, "Invalid exchange"},
    {53, "Invalid request descriptor"},
    {54, "Exchange full"},
    {55, "No anode"},
    {56, "Invalid request code"},
    {57, "Invalid slot"},
    {59, "Bad font file format"},
    {60, "Device not a stream"},
    {61, "No data available"},
    {62, "Timer expired"},
    {63, "Out of streams resources"},
    {64, "Machine is not on the network"},
    {65, "Package not installed"},
    {66, "Object is remote"},
    {68, "Advertise error"},
    {69, "Srmount error"},
    {70, "Communication error on send"},
    {73, "RFS specific error"},
    {76, "Name not unique on network"},
    {77, "File descriptor in bad state"},
    {78, "Remote address changed"},
    {79, "Can not access a needed shared library"},
    {80, "Accessing a corrupted shared library"},
    {81, ".lib section in a.out corrupted"},
    {82, "Attempting to link in too many shared libraries"},
    {83, "Cannot exec a shared library directly"},
    {85, "Interrupted system call should be restarted"},
    {86, "Streams pipe error"},
    {87, "Too many users"},
    {94, "Socket type not supported"},
    {96, "Protocol family not supported"},
    {108, "Cannot send after transport endpoint shutdown"},
    {109, "Too many references: cannot splice"},
    {112, "Host is down"},
    {117, "Structure needs cleaning"},
    {118, "Not a XENIX named type file"},
    {119, "No XENIX semaphores available"},
    {120, "Is a named type file"},
    {121, "Remote I/O error"},
    {123, "No medium found"},
    {124, "Wrong medium type"},
    {126, "Required key not available"},
    {127, "Key has expired"},
    {128, "Key has been revoked"},
    {129, "Key was rejected by service"},
    {132, "Operation not possible due to RF-kill"},
    {133, "Memory page has hardware error"},
};

static const char *known(int number)
{
    for (size_t i = 0; i < sizeof linux_numbers; i++)
        if (number != 0 && linux_numbers[i] == number && i != ENOTCAPABLE)
            return strerror((int)i);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].number == number)
            return others[i].text;
    return number == 0 ? strerror(0) : NULL;
}

/// Where the number is: what the program has put there, or what a function has set since. No function sets zero, so
/// that zero means that nothing was set since.
int *sandshell_linux_errno(void)
{
    static int number;
    if (errno != 0) {
        size_t own = (size_t)errno;
        number = own < sizeof linux_numbers && linux_numbers[own] ? linux_numbers[own] : 255;
        errno = 0;
    }
    return &number;
}

char *sandshell_linux_strerror(int number)
{
    static char unknown[40];
    const char *text = known(number);
    if (text)
        return (char *)text;
    snprintf(unknown, sizeof unknown, "Unknown error %d", number);
    return unknown;
}

int sandshell_linux_strerror_r(int number, char *buffer, size_t size)
{
    if (strlcpy(buffer, sandshell_linux_strerror(number), size) >= size)
        return 34; // ERANGE
    return known(number) ? 0 : 22; // EINVAL
}

void sandshell_linux_perror(const char *before)
{
    const char *text = sandshell_linux_strerror(*sandshell_linux_errno());
    if (before && *before)
        fprintf(stderr, "%s: %s\n", before, text);
    else
        fprintf(stderr, "%s\n", text);
}
