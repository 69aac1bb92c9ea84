// Signals. The kernel notes those that are caught; their handlers run after the next call of the kernel. A mask of blocked
// signals is kept here: those are noted, too, and wait.

#include "kernel.h"
#include <sandshell.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define LAST 64
#define BIT(signal) (1ULL << ((signal) - 1))

static struct sigaction actions[LAST + 1];
// Signals whose action is known: before that it is what the parent left, which only the kernel knows.
static uint64_t known;
// Signals that the kernel notes for us.
static uint64_t noted;
static uint64_t blocked;
static uint64_t pending;
static uint64_t interval;

void __SIG_ERR(int signal)
{
    (void)signal;
}

void __SIG_IGN(int signal)
{
    (void)signal;
}

static uint64_t bits(const sigset_t *set)
{
    return set->__bits[0] | (uint64_t)set->__bits[1] << 32;
}

static void store(sigset_t *set, uint64_t bits)
{
    memset(set, 0, sizeof *set);
    set->__bits[0] = (uint32_t)bits;
    set->__bits[1] = (uint32_t)(bits >> 32);
}

static int valid(int signal)
{
    return signal >= 1 && signal <= LAST;
}

static void learn(int signal)
{
    uint32_t old = K_DEFAULT, ignored;
    if (known & BIT(signal))
        return;
    known |= BIT(signal);
    if (k_sigaction(signal, K_IGNORE, &old) != 0)
        return;
    if (old == K_IGNORE || old == K_IGNORE_HERE)
        actions[signal].sa_handler = SIG_IGN;
    if (old != K_IGNORE)
        k_sigaction(signal, old, &ignored);
}

// Tells the kernel what to do about a signal.
static int apply(int signal)
{
    int disposition = K_CATCH;
    if (actions[signal].sa_handler == SIG_IGN)
        disposition = K_IGNORE;
    else if (actions[signal].sa_handler == SIG_DFL && !(blocked & BIT(signal)))
        disposition = K_DEFAULT;
    int code = k_sigaction(signal, disposition, NULL);
    if (code == 0 && disposition == K_CATCH)
        noted |= BIT(signal);
    else
        noted &= ~BIT(signal);
    return code;
}

static void collect(void)
{
    uint32_t signal;
    while ((signal = k_sigtake()) != 0) {
        pending |= BIT(signal);
        if (signal == SIGALRM && interval != 0)
            k_alarm(interval, NULL);
    }
}

static int run(int signal)
{
    struct sigaction action = actions[signal];
    if (action.sa_handler == SIG_IGN)
        return 0;
    if (action.sa_handler == SIG_DFL) {
        // It was noted while it was blocked; now it does what it would have done.
        apply(signal);
        k_kill(getpid(), signal);
        return 0;
    }
    uint64_t before = blocked;
    int error = errno;
    blocked |= bits(&action.sa_mask);
    if (!(action.sa_flags & SA_NODEFER))
        blocked |= BIT(signal);
    if (action.sa_flags & SA_RESETHAND) {
        actions[signal].sa_handler = SIG_DFL;
        apply(signal);
    }
    if (action.sa_flags & SA_SIGINFO) {
        siginfo_t info = {.si_signo = signal, .si_code = SI_USER};
        action.sa_sigaction(signal, &info, NULL);
    } else {
        action.sa_handler(signal);
    }
    blocked = before;
    errno = error;
    return RAN | (action.sa_flags & SA_RESTART ? 0 : STOPS);
}

int signals_deliver(void)
{
    int ran = 0;
    if (noted == 0 && pending == 0)
        return 0;
    collect();
    while (pending & ~blocked) {
        int signal = __builtin_ctzll(pending & ~blocked) + 1;
        pending &= ~BIT(signal);
        ran |= run(signal);
        collect();
    }
    return ran;
}

int signals_again(int code)
{
    int ran = signals_deliver();
    return code == EINTR && !(ran & STOPS);
}

int sandshell_signals(void)
{
    return (signals_deliver() & RAN) != 0;
}

// For a copy of the process, which gets no signals of its parent's.
void signals_forget(void)
{
    pending = 0;
    interval = 0;
}

int sigaction(int signal, const struct sigaction *restrict new, struct sigaction *restrict old)
{
    if (!valid(signal) || (new && (signal == SIGKILL || signal == SIGSTOP)))
        return done(EINVAL);
    learn(signal);
    struct sigaction before = actions[signal];
    if (new) {
        actions[signal] = *new;
        int code = apply(signal);
        if (code != 0) {
            actions[signal] = before;
            return done(code);
        }
        if (new->sa_handler == SIG_IGN)
            pending &= ~BIT(signal);
    }
    if (old)
        *old = before;
    return 0;
}

void (*signal(int number, void (*handler)(int)))(int)
{
    struct sigaction new = {.sa_flags = SA_RESTART}, old;
    new.sa_handler = handler;
    if (sigaction(number, &new, &old) != 0)
        return SIG_ERR;
    return old.sa_handler;
}

void (*bsd_signal(int number, void (*handler)(int)))(int)
{
    return signal(number, handler);
}

int siginterrupt(int signal, int interrupts)
{
    struct sigaction action;
    if (sigaction(signal, NULL, &action) != 0)
        return -1;
    if (interrupts)
        action.sa_flags &= ~SA_RESTART;
    else
        action.sa_flags |= SA_RESTART;
    return sigaction(signal, &action, NULL);
}

static void block(uint64_t set)
{
    set &= ~(BIT(SIGKILL) | BIT(SIGSTOP));
    uint64_t changed = set ^ blocked;
    if (noted != 0)
        collect();
    blocked = set;
    while (changed != 0) {
        int signal = __builtin_ctzll(changed) + 1;
        changed &= changed - 1;
        learn(signal);
        // One that waits is delivered first, by its number: the kernel forgets what it noted when it no longer notes.
        if (!(pending & BIT(signal)))
            apply(signal);
    }
    signals_deliver();
}

int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    uint64_t before = blocked;
    if (set) {
        switch (how) {
        case SIG_BLOCK:
            block(blocked | bits(set));
            break;
        case SIG_UNBLOCK:
            block(blocked & ~bits(set));
            break;
        case SIG_SETMASK:
            block(bits(set));
            break;
        default:
            return done(EINVAL);
        }
    }
    if (old)
        store(old, before);
    return 0;
}

int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    return sigprocmask(how, set, old) == 0 ? 0 : errno;
}

int sigpending(sigset_t *set)
{
    if (noted != 0)
        collect();
    store(set, pending);
    return 0;
}

// Waits until a signal is noted, or until the time is over (negative: for ever).
static void wait_signal(int64_t nanos)
{
    __wasi_subscription_t clock = {0};
    __wasi_event_t event;
    __wasi_size_t count;
    clock.u.tag = __WASI_EVENTTYPE_CLOCK;
    clock.u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
    clock.u.u.clock.timeout = nanos < 0 ? INT64_MAX : nanos;
    (void)__wasi_poll_oneoff(&clock, &event, 1, &count);
}

int sigsuspend(const sigset_t *set)
{
    uint64_t before = blocked;
    int ran = 0;
    // Not `block`: a signal that becomes free must be counted as the one that was waited for.
    collect();
    for (int signal = 1; signal <= LAST; signal++) {
        uint64_t was = blocked & BIT(signal), is = bits(set) & BIT(signal);
        if (was == is || signal == SIGKILL || signal == SIGSTOP)
            continue;
        learn(signal);
        blocked ^= BIT(signal);
        if (!(pending & BIT(signal)))
            apply(signal);
    }
    while (!((ran = signals_deliver()) & RAN))
        wait_signal(-1);
    block(before);
    return done(EINTR);
}

int pause(void)
{
    while (!(signals_deliver() & RAN))
        wait_signal(-1);
    return done(EINTR);
}

int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict timeout)
{
    struct timespec now, end = {0};
    if (timeout) {
        clock_gettime(CLOCK_MONOTONIC, &end);
        end.tv_sec += timeout->tv_sec;
        end.tv_nsec += timeout->tv_nsec;
    }
    for (;;) {
        collect();
        uint64_t ready = pending & bits(set);
        if (ready != 0) {
            int signal = __builtin_ctzll(ready) + 1;
            pending &= ~BIT(signal);
            if (info)
                *info = (siginfo_t){.si_signo = signal, .si_code = SI_USER};
            return signal;
        }
        if (signals_deliver() & RAN)
            return done(EINTR);
        int64_t left = -1;
        if (timeout) {
            clock_gettime(CLOCK_MONOTONIC, &now);
            left = (end.tv_sec - now.tv_sec) * 1000000000LL + end.tv_nsec - now.tv_nsec;
            if (left <= 0)
                return done(EAGAIN);
        }
        wait_signal(left);
    }
}

int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return sigtimedwait(set, info, NULL);
}

int sigwait(const sigset_t *restrict set, int *restrict signal)
{
    int got;
    while ((got = sigwaitinfo(set, NULL)) < 0)
        if (errno != EINTR)
            return errno;
    *signal = got;
    return 0;
}

int kill(pid_t pid, int signal)
{
    int code = k_kill(pid, signal);
    signals_deliver();
    return done(code);
}

int killpg(pid_t group, int signal)
{
    return group < 0 ? done(EINVAL) : kill(-group, signal);
}

int raise(int signal)
{
    return kill(getpid(), signal);
}

_Noreturn void abort(void)
{
    raise(SIGABRT);
    actions[SIGABRT].sa_handler = SIG_DFL;
    blocked &= ~BIT(SIGABRT);
    apply(SIGABRT);
    k_kill(getpid(), SIGABRT);
    __builtin_trap();
}

int sigemptyset(sigset_t *set)
{
    store(set, 0);
    return 0;
}

int sigfillset(sigset_t *set)
{
    store(set, ~0ULL);
    return 0;
}

int sigaddset(sigset_t *set, int signal)
{
    if (!valid(signal))
        return done(EINVAL);
    store(set, bits(set) | BIT(signal));
    return 0;
}

int sigdelset(sigset_t *set, int signal)
{
    if (!valid(signal))
        return done(EINVAL);
    store(set, bits(set) & ~BIT(signal));
    return 0;
}

int sigismember(const sigset_t *set, int signal)
{
    return valid(signal) ? (bits(set) & BIT(signal)) != 0 : done(EINVAL);
}

int sigisemptyset(const sigset_t *set)
{
    return bits(set) == 0;
}

int sigorset(sigset_t *out, const sigset_t *a, const sigset_t *b)
{
    store(out, bits(a) | bits(b));
    return 0;
}

int sigandset(sigset_t *out, const sigset_t *a, const sigset_t *b)
{
    store(out, bits(a) & bits(b));
    return 0;
}

// Handlers run on the program's own stack.
int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
    (void)new;
    if (old)
        *old = (stack_t){.ss_flags = SS_DISABLE};
    return 0;
}

int __libc_current_sigrtmin(void)
{
    return 34;
}

int __libc_current_sigrtmax(void)
{
    return LAST;
}

static uint64_t nanos(const struct timeval *time)
{
    return time->tv_sec * 1000000000ULL + time->tv_usec * 1000ULL;
}

static struct timeval timeval(uint64_t nanos)
{
    return (struct timeval){.tv_sec = nanos / 1000000000, .tv_usec = nanos / 1000 % 1000000};
}

unsigned alarm(unsigned seconds)
{
    uint64_t old = 0;
    interval = 0;
    k_alarm(seconds * 1000000000ULL, &old);
    signals_deliver();
    return (old + 999999999) / 1000000000;
}

int setitimer(int which, const struct itimerval *restrict new, struct itimerval *restrict old)
{
    uint64_t left = 0, before = interval;
    // The kernel has one clock to ring; processor time rings none.
    if (which != ITIMER_REAL)
        return done(EINVAL);
    uint64_t value = nanos(&new->it_value);
    interval = value ? nanos(&new->it_interval) : 0;
    int code = k_alarm(value, &left);
    if (code == 0 && old)
        *old = (struct itimerval){.it_interval = timeval(before), .it_value = timeval(left)};
    signals_deliver();
    return done(code);
}

int getitimer(int which, struct itimerval *value)
{
    uint64_t left = 0;
    if (which != ITIMER_REAL)
        return done(EINVAL);
    k_alarm(0, &left);
    if (left != 0)
        k_alarm(left, NULL);
    *value = (struct itimerval){.it_interval = timeval(interval), .it_value = timeval(left)};
    return 0;
}

unsigned ualarm(unsigned first, unsigned every)
{
    struct itimerval old, new = {.it_interval = timeval(every * 1000ULL), .it_value = timeval(first * 1000ULL)};
    setitimer(ITIMER_REAL, &new, &old);
    return old.it_value.tv_sec * 1000000 + old.it_value.tv_usec;
}
