// Clocks, whose numbers are WASI's and Linux's.

#include "kernel.h"
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *out)
{
    __wasi_timestamp_t now = 0;
    if (clock < 0 || clock > CLOCK_THREAD_CPUTIME_ID)
        return done(EINVAL);
    int code = __wasi_clock_time_get(clock, 1, &now);
    if (code == 0)
        *out = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    return done(code);
}

int __clock_gettime(clockid_t clock, struct timespec *out)
{
    return clock_gettime(clock, out);
}

int clock_getres(clockid_t clock, struct timespec *out)
{
    __wasi_timestamp_t step = 0;
    if (clock < 0 || clock > CLOCK_THREAD_CPUTIME_ID)
        return done(EINVAL);
    int code = __wasi_clock_res_get(clock, &step);
    if (code == 0 && out)
        *out = (struct timespec){.tv_sec = step / 1000000000, .tv_nsec = step % 1000000000};
    return done(code);
}
