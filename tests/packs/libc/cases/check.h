// What the cases have in common. Natively, the kernel's own calls are what they are made of on Linux.
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// Numbers of errors differ, names do not.
static inline const char *why(void)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {
        {0, "ok"},           {EACCES, "EACCES"},   {EAGAIN, "EAGAIN"},   {EBADF, "EBADF"},     {ECHILD, "ECHILD"},
        {EDEADLK, "EDEADLK"}, {EEXIST, "EEXIST"},  {EINTR, "EINTR"},     {EINVAL, "EINVAL"},   {EISDIR, "EISDIR"},
        {ELOOP, "ELOOP"},    {ENODEV, "ENODEV"},   {ENOENT, "ENOENT"},   {ENOEXEC, "ENOEXEC"}, {ENOLCK, "ENOLCK"},
        {ENOSYS, "ENOSYS"},  {ENOTDIR, "ENOTDIR"}, {ENOTEMPTY, "ENOTEMPTY"}, {ENOTTY, "ENOTTY"}, {ENXIO, "ENXIO"},
        {EPERM, "EPERM"},    {EPIPE, "EPIPE"},     {ERANGE, "ERANGE"},   {ESPIPE, "ESPIPE"},   {ESRCH, "ESRCH"},
        {ETIMEDOUT, "ETIMEDOUT"}, {EAFNOSUPPORT, "EAFNOSUPPORT"}, {ENOTSUP, "ENOTSUP"}, {EFAULT, "EFAULT"},
        {EADDRINUSE, "EADDRINUSE"}, {EADDRNOTAVAIL, "EADDRNOTAVAIL"}, {EALREADY, "EALREADY"}, {ECONNREFUSED, "ECONNREFUSED"},
        {ECONNRESET, "ECONNRESET"}, {EDESTADDRREQ, "EDESTADDRREQ"}, {EINPROGRESS, "EINPROGRESS"}, {EISCONN, "EISCONN"},
        {EMSGSIZE, "EMSGSIZE"}, {ENETUNREACH, "ENETUNREACH"}, {ENOPROTOOPT, "ENOPROTOOPT"}, {ENOTCONN, "ENOTCONN"},
        {ENOTSOCK, "ENOTSOCK"}, {EPROTONOSUPPORT, "EPROTONOSUPPORT"}, {EPROTOTYPE, "EPROTOTYPE"}, {ENOSPC, "ENOSPC"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == errno)
            return names[i].name;
    return "another error";
}

#define SHOW(call)                                                                                                     \
    do {                                                                                                               \
        errno = 0;                                                                                                     \
        long value_ = (long)(call);                                                                                    \
        printf("%s = %ld %s\n", #call, value_, value_ == -1 ? why() : "");                                             \
    } while (0)

#ifdef __wasi__
#include <sandshell.h>
#else
static inline pid_t sandshell_clone(int (*function)(void *), void *argument)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        exit(function(argument));
    return pid;
}
static inline int sandshell_signals(void)
{
    return 0;
}
#endif

static inline void ended(pid_t pid)
{
    int status = 0;
    fflush(stdout);
    if (waitpid(pid, &status, 0) != pid)
        printf("no child: %s\n", why());
    else if (WIFEXITED(status))
        printf("exited %d\n", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        printf("killed by %d\n", WTERMSIG(status));
}

#endif
