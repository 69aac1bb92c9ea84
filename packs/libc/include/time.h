#ifndef SANDSHELL_TIME_H
#define SANDSHELL_TIME_H

#include_next <time.h>

// Numbers, as elsewhere: wasi-libc has addresses.
#undef CLOCK_REALTIME
#undef CLOCK_MONOTONIC
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_PROCESS_CPUTIME_ID 2
#define CLOCK_THREAD_CPUTIME_ID 3

#ifdef __cplusplus
extern "C" {
#endif
extern long timezone;
extern int daylight;
extern char *tzname[2];
void tzset(void);
#ifdef __cplusplus
}
#endif

#endif
