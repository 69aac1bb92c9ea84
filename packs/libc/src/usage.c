// What a process has used, and what it may.

#include "kernel.h"
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define TICK (1000000000 / 100)

static struct timeval timeval(uint64_t nanos)
{
    return (struct timeval){.tv_sec = nanos / 1000000000, .tv_usec = nanos / 1000 % 1000000};
}

int getrusage(int who, struct rusage *out)
{
    uint64_t times[4] = {0};
    if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN)
        return done(EINVAL);
    int code = k_times(times);
    int from = who == RUSAGE_SELF ? 0 : 2;
    memset(out, 0, sizeof *out);
    out->ru_utime = timeval(times[from]);
    out->ru_stime = timeval(times[from + 1]);
    return done(code);
}

clock_t times(struct tms *out)
{
    uint64_t times[4] = {0};
    __wasi_timestamp_t now = 0;
    k_times(times);
    *out = (struct tms){times[0] / TICK, times[1] / TICK, times[2] / TICK, times[3] / TICK};
    (void)__wasi_clock_time_get(__WASI_CLOCKID_MONOTONIC, 1, &now);
    return now / TICK;
}

clock_t __clock(void)
{
    uint64_t times[4] = {0};
    k_times(times);
    return (times[0] + times[1]) / (1000000000 / CLOCKS_PER_SEC);
}

clock_t clock(void)
{
    return __clock();
}

int getrlimit(int resource, struct rlimit *out)
{
    uint64_t values[2] = {0};
    int code = k_getrlimit(resource, values);
    if (code == 0)
        *out = (struct rlimit){values[0], values[1]};
    return done(code);
}

int setrlimit(int resource, const struct rlimit *new)
{
    return done(k_setrlimit(resource, new->rlim_cur, new->rlim_max));
}

int getdtablesize(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (int)limit.rlim_cur : 256;
}

// Every process has the same priority.
int getpriority(int which, id_t who)
{
    (void)which;
    (void)who;
    return 0;
}

int setpriority(int which, id_t who, int priority)
{
    (void)which;
    (void)who;
    return priority == 0 ? 0 : done(EPERM);
}

int nice(int change)
{
    return change == 0 ? 0 : done(EPERM);
}
