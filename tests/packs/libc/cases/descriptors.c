#include "check.h"
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>

int main(void)
{
    int ends[2], other[2], available = 0;
    char buffer[100];
    struct termios modes;
    SHOW(pipe(ends));
    SHOW(pipe2(other, O_CLOEXEC | O_NONBLOCK));
    SHOW(fcntl(ends[0], F_GETFD));
    SHOW(fcntl(other[0], F_GETFD));
    printf("%d %d\n", (fcntl(other[0], F_GETFL) & O_NONBLOCK) != 0, (fcntl(ends[0], F_GETFL) & O_NONBLOCK) != 0);
    SHOW(read(other[0], buffer, 1));
    int copy = dup(ends[1]);
    SHOW(write(copy, "hello", 5));
    SHOW(ioctl(ends[0], FIONREAD, &available));
    printf("%d\n", available);
    SHOW(read(ends[0], buffer, sizeof buffer));
    SHOW(dup2(ends[1], 30));
    SHOW(dup2(30, 30));
    SHOW(dup2(98, 31));
    SHOW(dup3(30, 30, 0));
    SHOW(dup3(30, 31, O_CLOEXEC));
    SHOW(fcntl(31, F_GETFD));
    SHOW(fcntl(30, F_DUPFD, 40));
    SHOW(fcntl(30, F_DUPFD_CLOEXEC, 40));
    SHOW(fcntl(41, F_GETFD));
    SHOW(fcntl(41, F_SETFD, 0));
    SHOW(fcntl(41, F_GETFD));
    SHOW(fcntl(97, F_GETFD));
    int fd = open("/dev/null", O_RDONLY);
    printf("%d\n", (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
    fd = open("file", O_RDWR | O_CREAT | O_APPEND, 0600);
    printf("%d %d\n", (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR, (fcntl(fd, F_GETFL) & O_APPEND) != 0);
    write(fd, "0123456789", 10);
    SHOW(lseek(fd, 2, SEEK_SET));
    SHOW(fcntl(fd, F_SETFL, 0));
    SHOW(write(fd, "ab", 2));
    SHOW(lseek(fd, 0, SEEK_CUR));
    SHOW(pread(fd, buffer, 4, 1));
    printf("%.4s\n", buffer);
    SHOW(pwrite(fd, "X", 1, 9));
    struct iovec parts[2] = {{buffer, 3}, {buffer + 50, 20}};
    lseek(fd, 0, SEEK_SET);
    SHOW(readv(fd, parts, 2));
    printf("%.3s %.7s\n", buffer, buffer + 50);
    SHOW(lseek(ends[0], 0, SEEK_CUR));
    fd = open("file", O_WRONLY);
    printf("%d\n", (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY);
    SHOW(read(fd, buffer, 1));
    SHOW(close(96));

    struct pollfd list[3] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {95, POLLIN, 0}};
    SHOW(poll(list, 3, 0));
    printf("%d %d %d\n", list[0].revents, list[1].revents == POLLOUT, list[2].revents == POLLNVAL);
    SHOW(poll(list, 1, 20));
    write(ends[1], "x", 1);
    SHOW(poll(list, 1, -1));
    printf("%d\n", list[0].revents == POLLIN);
    fd_set reads, writes;
    FD_ZERO(&reads);
    FD_ZERO(&writes);
    FD_SET(ends[0], &reads);
    FD_SET(other[0], &reads);
    FD_SET(ends[1], &writes);
    SHOW(select(50, &reads, &writes, NULL, &(struct timeval){1, 0}));
    printf("%d %d %d\n", FD_ISSET(ends[0], &reads), FD_ISSET(other[0], &reads), FD_ISSET(ends[1], &writes));
    FD_ZERO(&reads);
    FD_SET(other[0], &reads);
    SHOW(select(50, &reads, NULL, NULL, &(struct timeval){0, 20000}));
    // A set as short as the count allows: a bit for each descriptor, and what comes after it is left alone.
    unsigned long few[2] = {1UL << ends[0] | 1UL << other[0], ~0UL};
    SHOW(select(8 * sizeof few[0], (fd_set *)few, NULL, NULL, &(struct timeval){1, 0}));
    printf("%d %d\n", few[0] == 1UL << ends[0], few[1] == ~0UL);
    SHOW(select(-1, NULL, NULL, NULL, NULL));
    read(ends[0], buffer, 1);
    for (int i = 0; i < 50; i++)
        if (i == ends[1] || (i > 2 && i != ends[0] && i != other[0]))
            close(i);
    SHOW(poll(list, 1, 1000));
    printf("hangup %d\n", (list[0].revents & POLLHUP) != 0);
    SHOW(read(ends[0], buffer, 1));

    SHOW(isatty(ends[0]));
    printf("%s\n", (errno = 0, isatty(ends[0]), why()));
    SHOW(tcgetattr(ends[0], &modes));
    SHOW(ioctl(ends[0], TIOCGWINSZ, buffer));
    SHOW(tcgetpgrp(ends[0]));
    return 0;
}
