// The terminal. The kernel knows two modes, cooked and raw; the flags of a program's `struct termios` are kept here.

#include "kernel.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int __isatty(int fd)
{
    if (k_isatty(fd))
        return 1;
    uint32_t bits;
    int code = k_getfd(fd, &bits);
    errno = code ? code : ENOTTY;
    return 0;
}

int isatty(int fd)
{
    return __isatty(fd);
}

static struct termios current = {
    .c_iflag = ICRNL | IXON,
    .c_oflag = OPOST | ONLCR,
    .c_cflag = CS8 | CREAD | B38400,
    .c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | IEXTEN,
    .c_cc = {[VINTR] = 3, [VQUIT] = 28, [VERASE] = 127, [VKILL] = 21, [VEOF] = 4, [VMIN] = 1, [VSUSP] = 26},
};

int tcgetattr(int fd, struct termios *out)
{
    if (!isatty(fd))
        return -1;
    *out = current;
    return 0;
}

int tcsetattr(int fd, int when, const struct termios *new)
{
    (void)when;
    if (!isatty(fd))
        return -1;
    int code = k_tty_mode(fd, !(new->c_lflag & ICANON));
    if (code == 0)
        current = *new;
    return done(code);
}

void cfmakeraw(struct termios *modes)
{
    modes->c_iflag &= ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON);
    modes->c_oflag &= ~OPOST;
    modes->c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    modes->c_cflag = (modes->c_cflag & ~(CSIZE | PARENB)) | CS8;
    modes->c_cc[VMIN] = 1;
    modes->c_cc[VTIME] = 0;
}

speed_t cfgetispeed(const struct termios *modes)
{
    return modes->c_cflag & CBAUD;
}

speed_t cfgetospeed(const struct termios *modes)
{
    return modes->c_cflag & CBAUD;
}

int cfsetispeed(struct termios *modes, speed_t speed)
{
    modes->c_cflag = (modes->c_cflag & ~CBAUD) | (speed & CBAUD);
    return 0;
}

int cfsetospeed(struct termios *modes, speed_t speed)
{
    return cfsetispeed(modes, speed);
}

// Nothing waits between a program and the terminal.
static int nothing(int fd)
{
    return isatty(fd) ? 0 : -1;
}

int tcdrain(int fd)
{
    return nothing(fd);
}

int tcflush(int fd, int which)
{
    (void)which;
    return nothing(fd);
}

int tcflow(int fd, int action)
{
    (void)action;
    return nothing(fd);
}

int tcsendbreak(int fd, int duration)
{
    (void)duration;
    return nothing(fd);
}

pid_t tcgetpgrp(int fd)
{
    uint32_t group = 0;
    int code = k_tcgetpgrp(fd, &group);
    return code == 0 ? (pid_t)group : done(code);
}

int tcsetpgrp(int fd, pid_t group)
{
    return done(k_tcsetpgrp(fd, group));
}

int tcgetwinsize(int fd, struct winsize *out)
{
    uint32_t size[2] = {0, 0};
    int code = k_tty_size(fd, size);
    if (code == 0)
        *out = (struct winsize){.ws_row = size[0], .ws_col = size[1]};
    return done(code);
}

// How many bytes can be read.
static int available(int fd, int *count)
{
    __wasi_subscription_t wanted[2] = {0};
    __wasi_event_t events[2];
    __wasi_size_t ready = 0;
    wanted[0].userdata = 1;
    wanted[0].u.tag = __WASI_EVENTTYPE_FD_READ;
    wanted[0].u.u.fd_read.file_descriptor = fd;
    wanted[1].u.tag = __WASI_EVENTTYPE_CLOCK;
    wanted[1].u.u.clock.id = __WASI_CLOCKID_MONOTONIC;
    int code = __wasi_poll_oneoff(wanted, events, 2, &ready);
    *count = 0;
    for (__wasi_size_t i = 0; code == 0 && i < ready; i++) {
        if (events[i].userdata != 1)
            continue;
        code = events[i].error;
        *count = events[i].fd_readwrite.nbytes;
    }
    return done(code);
}

int ioctl(int fd, int request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    switch (request) {
    case TIOCGWINSZ:
        return tcgetwinsize(fd, argument);
    case TIOCGPGRP:
        *(pid_t *)argument = tcgetpgrp(fd);
        return *(pid_t *)argument < 0 ? -1 : 0;
    case TIOCSPGRP:
        return tcsetpgrp(fd, *(pid_t *)argument);
    case FIONREAD:
        return available(fd, argument);
    case FIONBIO: {
        int flags = fcntl(fd, F_GETFL);
        return flags < 0 ? -1 : fcntl(fd, F_SETFL, *(int *)argument ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
    }
    case FIOCLEX:
        return fcntl(fd, F_SETFD, FD_CLOEXEC);
    case FIONCLEX:
        return fcntl(fd, F_SETFD, 0);
    default:
        return done(ENOTTY);
    }
}

char *ctermid(char *buffer)
{
    static char own[L_ctermid];
    return strcpy(buffer ? buffer : own, "/dev/tty");
}

int ttyname_r(int fd, char *buffer, size_t size)
{
    if (!isatty(fd))
        return errno;
    if (size < sizeof "/dev/tty")
        return ERANGE;
    strcpy(buffer, "/dev/tty");
    return 0;
}

char *ttyname(int fd)
{
    static char name[16];
    int code = ttyname_r(fd, name, sizeof name);
    if (code == 0)
        return name;
    errno = code;
    return NULL;
}

char *getpass(const char *prompt)
{
    static char answer[128];
    struct termios before, quiet;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    tcgetattr(fd, &before);
    quiet = before;
    quiet.c_lflag &= ~(ECHO | ICANON);
    tcsetattr(fd, TCSAFLUSH, &quiet);
    write(fd, prompt, strlen(prompt));
    size_t length = 0;
    char byte;
    while (read(fd, &byte, 1) == 1 && byte != '\n' && byte != '\r')
        if (length < sizeof answer - 1)
            answer[length++] = byte;
    answer[length] = 0;
    write(fd, "\r\n", 2);
    tcsetattr(fd, TCSAFLUSH, &before);
    close(fd);
    return answer;
}
