// Numbers in text. wasi-libc says that a text without one is an invalid argument, which other systems do not.

#include <errno.h>

#define QUIET(name, type)                                                                                              \
    type __real_##name(const char *restrict, char **restrict);                                                         \
    type __wrap_##name(const char *restrict text, char **restrict end)                                                 \
    {                                                                                                                  \
        int before = errno;                                                                                            \
        type value = __real_##name(text, end);                                                                         \
        if (errno == EINVAL)                                                                                           \
            errno = before;                                                                                            \
        return value;                                                                                                  \
    }

QUIET(strtof, float)
QUIET(strtod, double)
QUIET(strtold, long double)
