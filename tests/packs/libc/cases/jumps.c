// setjmp and longjmp: from deep calls, again and again, with signals.

#include "check.h"
#include <setjmp.h>
#include <signal.h>

static jmp_buf outer, inner;
static sigjmp_buf handled;

static void deep(int depth, int value)
{
    char room[100];
    memset(room, depth, sizeof room);
    if (depth == 0)
        longjmp(outer, value);
    deep(depth - 1, value);
    printf("not reached %d\n", room[3]);
}

static int nested(int value)
{
    volatile int seen = value;
    int got = setjmp(inner);
    if (got == 0)
        longjmp(value % 2 ? inner : outer, value);
    return seen * 1000 + got;
}

static int protected(int (*function)(int), int value)
{
    jmp_buf saved;
    int result;
    memcpy(saved, outer, sizeof saved);
    int got = setjmp(outer);
    if (got == 0)
        result = function(value);
    else
        result = -got;
    memcpy(outer, saved, sizeof saved);
    return result;
}

static int chain(int depth)
{
    return depth == 0 ? protected(nested, 4) : protected(chain, depth - 1) + 1;
}

static void arrived(int signal)
{
    siglongjmp(handled, signal);
}

static sigset_t mask(void)
{
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    return now;
}

int main(void)
{
    volatile int count = 0;
    int got = setjmp(outer);
    printf("got %d, count %d\n", got, count);
    if (count++ < 4)
        deep(count * 10, count == 3 ? 0 : count);
    printf("odd %d, even %d\n", protected(nested, 3), protected(nested, 2));
    printf("chain %d\n", chain(50));

    long sum = 0;
    for (volatile int turn = 0; turn < 100000; turn++)
        sum += protected(nested, turn | 1) & 7;
    printf("sum %ld\n", sum);

    struct sigaction action = {.sa_handler = arrived};
    sigaction(SIGUSR1, &action, NULL);
    for (volatile int turn = 0; turn < 3; turn++) {
        got = sigsetjmp(handled, turn != 2);
        if (got == 0)
            raise(SIGUSR1);
        sigset_t now = mask();
        printf("signal %s, blocked %d\n", got == SIGUSR1 ? "USR1" : "?", sigismember(&now, SIGUSR1));
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);

    if (_setjmp(inner) == 0)
        _longjmp(inner, 2);
    else
        printf("_longjmp\n");

    return 0;
}
