// Waiting: for descriptors and for time.

#include "kernel.h"
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int64_t now(void)
{
    __wasi_timestamp_t time = 0;
    (void)__wasi_clock_time_get(__WASI_CLOCKID_MONOTONIC, 1, &time);
    return time;
}

static void subscribe(__wasi_subscription_t *to, size_t index, int fd, int kind)
{
    *to = (__wasi_subscription_t){.userdata = index};
    to->u.tag = kind;
    // Reading and writing have the same layout.
    to->u.u.fd_read.file_descriptor = fd;
}

static void note(struct pollfd *fd, const __wasi_event_t *event)
{
    if (event->error == EBADF) {
        // Also what a descriptor is not open for; that is never ready.
        uint32_t bits;
        fd->revents |= k_getfd(fd->fd, &bits) == 0 ? POLLERR : POLLNVAL;
    } else if (event->error != 0) {
        fd->revents |= POLLERR;
    } else {
        int hangup = event->fd_readwrite.flags & __WASI_EVENTRWFLAGS_FD_READWRITE_HANGUP;
        if (event->type == __WASI_EVENTTYPE_FD_READ)
            fd->revents |= POLLIN & fd->events;
        else
            fd->revents |= hangup ? POLLERR : POLLOUT & fd->events;
        if (hangup && event->type == __WASI_EVENTTYPE_FD_READ)
            fd->revents |= POLLHUP;
    }
}

// `poll` with nanoseconds; negative: for ever.
static int wait_ready(struct pollfd *fds, nfds_t count, int64_t nanos)
{
    int64_t end = nanos < 0 ? 0 : now() + nanos;
    size_t most = 2 * (size_t)count + 1;
    __wasi_subscription_t *wanted = malloc(most * sizeof *wanted);
    __wasi_event_t *events = malloc(most * sizeof *events);
    int ready = 0, code = wanted && events ? 0 : ENOMEM;
    while (code == 0) {
        __wasi_size_t asked = 0, answered = 0;
        for (nfds_t i = 0; i < count; i++) {
            fds[i].revents = 0;
            if (fds[i].fd < 0)
                continue;
            if (fds[i].events & POLLIN || !(fds[i].events & POLLOUT))
                subscribe(&wanted[asked++], i, fds[i].fd, __WASI_EVENTTYPE_FD_READ);
            if (fds[i].events & POLLOUT)
                subscribe(&wanted[asked++], i, fds[i].fd, __WASI_EVENTTYPE_FD_WRITE);
        }
        if (nanos >= 0 || asked == 0) {
            int64_t left = nanos < 0 ? INT64_MAX : nanos == 0 ? 0 : end - now();
            wanted[asked] = (__wasi_subscription_t){.userdata = count};
            wanted[asked].u.tag = __WASI_EVENTTYPE_CLOCK;
            wanted[asked].u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
            wanted[asked++].u.u.clock.timeout = left < 0 ? 0 : left;
        }
        code = __wasi_poll_oneoff(wanted, events, asked, &answered);
        int ran = signals_deliver();
        if (code == EINTR && !(ran & RAN)) {
            // Only signals that are blocked or ignored.
            code = 0;
            continue;
        }
        for (__wasi_size_t i = 0; code == 0 && i < answered; i++)
            if (events[i].userdata < count)
                note(&fds[events[i].userdata], &events[i]);
        for (nfds_t i = 0; code == 0 && i < count; i++)
            ready += fds[i].fd >= 0 && fds[i].revents != 0;
        break;
    }
    free(wanted);
    free(events);
    return code == 0 ? ready : done(code);
}

int poll(struct pollfd fds[], nfds_t count, int timeout)
{
    return wait_ready(fds, count, timeout < 0 ? -1 : timeout * 1000000LL);
}

int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
    sigset_t before;
    if (mask)
        sigprocmask(SIG_SETMASK, mask, &before);
    int ready = wait_ready(fds, count, timeout ? timeout->tv_sec * 1000000000LL + timeout->tv_nsec : -1);
    if (mask) {
        int error = errno;
        sigprocmask(SIG_SETMASK, &before, NULL);
        errno = error;
    }
    return ready;
}

// Programs with few descriptors may have a shorter set (perl has): only as many bits as were given, in whole words.
static void clear(int count, fd_set *set)
{
    if (set)
        memset(set, 0, (count + NFDBITS - 1) / NFDBITS * sizeof(long));
}

int pselect(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict excepts,
            const struct timespec *restrict timeout, const sigset_t *restrict mask)
{
    if (count < 0)
        return done(EINVAL);
    struct pollfd *fds = calloc(count ? count : 1, sizeof *fds);
    nfds_t asked = 0;
    if (!fds)
        return -1;
    for (int fd = 0; fd < count; fd++) {
        short events = (reads && FD_ISSET(fd, reads) ? POLLIN : 0) | (writes && FD_ISSET(fd, writes) ? POLLOUT : 0);
        if (events)
            fds[asked++] = (struct pollfd){.fd = fd, .events = events};
    }
    int ready = ppoll(fds, asked, timeout, mask);
    if (ready >= 0) {
        clear(count, reads);
        clear(count, writes);
        clear(count, excepts);
        ready = 0;
    }
    for (nfds_t i = 0; ready >= 0 && i < asked; i++) {
        if (fds[i].revents & POLLNVAL) {
            ready = done(EBADF);
            break;
        }
        if (fds[i].events & POLLIN && fds[i].revents & (POLLIN | POLLHUP | POLLERR)) {
            FD_SET(fds[i].fd, reads);
            ready++;
        }
        if (fds[i].events & POLLOUT && fds[i].revents & (POLLOUT | POLLERR)) {
            FD_SET(fds[i].fd, writes);
            ready++;
        }
    }
    free(fds);
    return ready;
}

int select(int count, fd_set *restrict reads, fd_set *restrict writes, fd_set *restrict excepts,
           struct timeval *restrict timeout)
{
    struct timespec precise;
    if (timeout)
        precise = (struct timespec){.tv_sec = timeout->tv_sec, .tv_nsec = timeout->tv_usec * 1000};
    return pselect(count, reads, writes, excepts, timeout ? &precise : NULL, NULL);
}

// Sleeps; 0 or EINTR, with what is left.
static int rest(int64_t nanos, int64_t *left)
{
    int64_t end = now() + nanos;
    int ready = wait_ready(NULL, 0, nanos < 0 ? 0 : nanos);
    *left = end - now();
    if (*left < 0)
        *left = 0;
    return ready < 0 ? errno : 0;
}

int nanosleep(const struct timespec *time, struct timespec *remaining)
{
    int64_t left;
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec > 999999999)
        return done(EINVAL);
    int code = rest(time->tv_sec * 1000000000LL + time->tv_nsec, &left);
    if (code != 0 && remaining)
        *remaining = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    return done(code);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *remaining)
{
    struct timespec relative = *time, present;
    if (time->tv_nsec < 0 || time->tv_nsec > 999999999)
        return EINVAL;
    if (flags & TIMER_ABSTIME) {
        if (clock_gettime(clock, &present) < 0)
            return errno;
        int64_t left = (time->tv_sec - present.tv_sec) * 1000000000LL + time->tv_nsec - present.tv_nsec;
        if (left <= 0)
            return 0;
        relative = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        remaining = NULL;
    }
    return nanosleep(&relative, remaining) == 0 ? 0 : errno;
}

unsigned sleep(unsigned seconds)
{
    int64_t left;
    return rest(seconds * 1000000000LL, &left) == 0 ? 0 : (left + 500000000) / 1000000000;
}

int usleep(unsigned micros)
{
    int64_t left;
    return done(rest(micros * 1000LL, &left));
}
