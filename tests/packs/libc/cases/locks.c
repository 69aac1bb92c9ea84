#include "check.h"
#include <signal.h>
#include <sys/file.h>
#include <sys/time.h>
#include <time.h>

static int fd, to_child[2], to_parent[2];

static int set(int command, int type, off_t start, off_t length)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    return fcntl(fd, command, &lock);
}

static void ask(const char *title, int type, off_t start, off_t length)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
    int code = fcntl(fd, F_GETLK, &lock);
    printf("%s: %d type %d", title, code, lock.l_type);
    if (lock.l_type != F_UNLCK)
        printf(" from %ld length %ld %d", (long)lock.l_start, (long)lock.l_len, lock.l_pid == getppid());
    printf("\n");
}

static void step(int *channel)
{
    fflush(stdout);
    write(channel[1], "x", 1);
}

static void wait_step(int *channel)
{
    char byte;
    while (read(channel[0], &byte, 1) < 0 && errno == EINTR)
        ;
}

static int other(void *argument)
{
    (void)argument;
    wait_step(to_child);
    SHOW(set(F_SETLK, F_WRLCK, 5, 1));
    SHOW(set(F_SETLK, F_RDLCK, 5, 1));
    SHOW(set(F_SETLK, F_RDLCK, 25, 5));
    SHOW(set(F_SETLK, F_WRLCK, 25, 5));
    SHOW(set(F_SETLK, F_WRLCK, 100, 0));
    ask("first", F_WRLCK, 0, 0);
    ask("shared", F_RDLCK, 20, 10);
    ask("free", F_WRLCK, 50, 10);
    step(to_parent);
    wait_step(to_child);
    ask("middle", F_RDLCK, 0, 10);
    SHOW(set(F_SETLK, F_WRLCK, 4, 2));
    step(to_parent);
    // Waits until the parent closes another descriptor of the file, which gives up its locks.
    SHOW(set(F_SETLKW, F_WRLCK, 0, 10));
    printf("waited\n");
    step(to_parent);
    wait_step(to_child);
    SHOW(set(F_SETLKW, F_WRLCK, 60, 1));
    return 0;
}

static int holds_flock(void *argument)
{
    int own = open("file", O_RDWR);
    (void)argument;
    SHOW(flock(own, LOCK_EX | LOCK_NB));
    SHOW(flock(fd, LOCK_UN));
    SHOW(flock(own, LOCK_EX | LOCK_NB));
    SHOW(flock(fd, LOCK_SH | LOCK_NB));
    step(to_parent);
    wait_step(to_child);
    return 0;
}

static int waits_flock(void *argument)
{
    int own = open("file", O_RDONLY);
    (void)argument;
    flock(own, LOCK_SH);
    printf("got it\n");
    return 0;
}

static void handler(int signal)
{
    (void)signal;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    pipe(to_child);
    pipe(to_parent);
    fd = open("file", O_RDWR | O_CREAT, 0600);
    write(fd, "0123456789", 10);
    SHOW(set(F_SETLK, F_WRLCK, 0, 10));
    SHOW(set(F_SETLK, F_RDLCK, 20, 10));
    SHOW(set(F_SETLK, F_WRLCK, 5, 1));
    pid_t pid = sandshell_clone(other, NULL);
    step(to_child);
    wait_step(to_parent);
    SHOW(set(F_SETLK, F_UNLCK, 4, 2));
    step(to_child);
    wait_step(to_parent);
    int again = open("file", O_RDONLY);
    usleep(200000);
    close(again);
    wait_step(to_parent);
    // The child waits for what the parent has, and the parent for what the child has.
    SHOW(set(F_SETLK, F_WRLCK, 60, 1));
    step(to_child);
    usleep(200000);
    SHOW(set(F_SETLKW, F_WRLCK, 0, 1));
    set(F_SETLK, F_UNLCK, 0, 0);
    ended(pid);
    SHOW(set(F_SETLK, F_WRLCK, 0, 0));
    SHOW(set(F_SETLK, F_UNLCK, 0, 0));
    int reader = open("file", O_RDONLY), kept = fd;
    fd = reader;
    SHOW(set(F_SETLK, F_WRLCK, 0, 1));
    SHOW(set(F_SETLK, F_RDLCK, 0, 1));
    fd = kept;

    // Locks of an open file: shared by copies of the descriptor, not by other openings.
    SHOW(flock(fd, LOCK_EX));
    SHOW(flock(reader, LOCK_SH | LOCK_NB));
    pid = sandshell_clone(holds_flock, NULL);
    wait_step(to_parent);
    SHOW(flock(fd, LOCK_EX | LOCK_NB));
    step(to_child);
    ended(pid);
    SHOW(flock(fd, LOCK_EX | LOCK_NB));
    int copy = dup(fd);
    pid = sandshell_clone(waits_flock, NULL);
    usleep(200000);
    printf("closing\n");
    fflush(stdout);
    close(fd);
    usleep(200000);
    close(copy);
    // The child has a copy, too, and ends only when it has the lock: give it up through another copy.
    kill(pid, SIGKILL);
    ended(pid);

    fd = open("file", O_RDWR);
    SHOW(flock(fd, LOCK_EX | LOCK_NB));
    signal(SIGALRM, handler);
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 50000}}, NULL);
    SHOW(flock(reader, LOCK_EX));
    SHOW(flock(94, LOCK_EX));
    SHOW(lockf(fd, F_TLOCK, 0));
    SHOW(lockf(fd, F_ULOCK, 0));
    return 0;
}
