#ifndef SANDSHELL_POLL_H
#define SANDSHELL_POLL_H

#include_next <poll.h>

// Never reported: nothing here has priority data.
#define POLLPRI 0x8

#include <sandshell/base.h>
#ifdef __cplusplus
extern "C" {
#endif
int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
#ifdef __cplusplus
}
#endif

#endif
