#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile int count, last;
static int ends[2];

static void handler(int signal)
{
    count++;
    last = signal;
}

static void with_info(int signal, siginfo_t *info, void *context)
{
    (void)context;
    printf("info %d %d\n", signal == info->si_signo, signal);
}

static void install(int signal, void (*function)(int), int flags)
{
    struct sigaction action = {.sa_flags = flags};
    action.sa_handler = function;
    sigaction(signal, &action, NULL);
}

static int tell(void *argument)
{
    int signal = *(int *)argument;
    usleep(200000);
    kill(getppid(), signal);
    usleep(200000);
    write(ends[1], "x", 1);
    return 0;
}

int main(void)
{
    char byte;
    sigset_t set, old;
    struct sigaction action;
    int signal_number = SIGUSR1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    pipe(ends);

    install(SIGUSR1, handler, 0);
    raise(SIGUSR1);
    printf("raised %d %d\n", count, last == SIGUSR1);
    sigaction(SIGUSR1, NULL, &action);
    printf("installed %d\n", action.sa_handler == handler);

    pid_t pid = sandshell_clone(tell, &signal_number);
    SHOW(read(ends[0], &byte, 1));
    printf("interrupted %d\n", count);
    SHOW(read(ends[0], &byte, 1));
    ended(pid);

    install(SIGUSR1, handler, SA_RESTART);
    pid = sandshell_clone(tell, &signal_number);
    SHOW(read(ends[0], &byte, 1));
    printf("restarted %d\n", count);
    ended(pid);

    pid = sandshell_clone(tell, &signal_number);
    struct pollfd wanted = {.fd = ends[0], .events = POLLIN};
    SHOW(poll(&wanted, 1, 2000));
    SHOW(poll(&wanted, 1, 2000));
    printf("%x\n", wanted.revents & POLLIN);
    read(ends[0], &byte, 1);
    ended(pid);

    pid = sandshell_clone(tell, &signal_number);
    struct timespec time = {.tv_sec = 2}, left = {0};
    SHOW(nanosleep(&time, &left));
    printf("left %ld\n", (long)left.tv_sec);
    read(ends[0], &byte, 1);
    ended(pid);

    // Blocked signals wait.
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    count = 0;
    SHOW(sigprocmask(SIG_BLOCK, &set, &old));
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR1);
    printf("blocked %d\n", count);
    sigset_t waiting;
    sigpending(&waiting);
    printf("pending %d %d\n", sigismember(&waiting, SIGUSR1), sigismember(&waiting, SIGUSR2));
    pid = sandshell_clone(tell, &signal_number);
    SHOW(read(ends[0], &byte, 1));
    ended(pid);
    SHOW(sigprocmask(SIG_SETMASK, &old, NULL));
    printf("unblocked %d\n", count);

    // One with the default action waits, too.
    pid = sandshell_clone(tell, &signal_number);
    sigprocmask(SIG_BLOCK, &set, NULL);
    install(SIGUSR1, SIG_DFL, 0);
    SHOW(read(ends[0], &byte, 1));
    int got = 0;
    SHOW(sigwait(&set, &got));
    printf("%d\n", got == SIGUSR1);
    sigprocmask(SIG_SETMASK, &old, NULL);
    ended(pid);

    install(SIGUSR1, handler, SA_RESETHAND);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &action);
    printf("once %d\n", action.sa_handler == SIG_DFL);

    struct sigaction informed = {.sa_flags = SA_SIGINFO};
    informed.sa_sigaction = with_info;
    sigaction(SIGUSR2, &informed, NULL);
    raise(SIGUSR2);

    install(SIGUSR1, SIG_IGN, 0);
    raise(SIGUSR1);
    printf("%d\n", signal(SIGUSR1, handler) == SIG_IGN);
    SHOW(sigaction(SIGKILL, &action, NULL));
    SHOW(kill(getpid(), 1000));

    count = 0;
    install(SIGALRM, handler, 0);
    struct itimerval timer = {.it_value = {.tv_usec = 30000}, .it_interval = {.tv_usec = 30000}};
    SHOW(setitimer(ITIMER_REAL, &timer, NULL));
    while (count < 3)
        pause();
    timer = (struct itimerval){0};
    SHOW(setitimer(ITIMER_REAL, &timer, NULL));
    printf("rang %d\n", count);
    alarm(100);
    SHOW(alarm(0));

    sigfillset(&set);
    sigdelset(&set, SIGALRM);
    timer.it_value.tv_usec = 30000;
    setitimer(ITIMER_REAL, &timer, NULL);
    SHOW(sigsuspend(&set));

    install(SIGPIPE, SIG_IGN, 0);
    close(ends[0]);
    SHOW(write(ends[1], "x", 1));
    install(SIGCHLD, handler, 0);
    last = 0;
    pid = sandshell_clone(tell, &(int){0});
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    printf("child told %d\n", last == SIGCHLD);
    fflush(stdout);
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
    return 0;
}
