// Commands of the shell's: system, popen.

#include "kernel.h"
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int shell(pid_t *pid, const char *command, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes)
{
    char *const words[] = {"sh", "-c", (char *)command, NULL};
    return posix_spawn(pid, "/bin/sh", actions, attributes, words, environ);
}

int system(const char *command)
{
    struct sigaction ignore = {0}, interrupt, quit;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t pid;
    int status = -1;
    if (!command)
        return access("/bin/sh", X_OK) == 0;
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    sigemptyset(&defaults);
    if (interrupt.sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGINT);
    if (quit.sa_handler != SIG_IGN)
        sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    int code = shell(&pid, command, NULL, &attributes);
    if (code == 0) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    } else {
        errno = code;
    }
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return status;
}

struct opened {
    struct opened *next;
    FILE *stream;
    pid_t pid;
};

static struct opened *all;

FILE *popen(const char *command, const char *mode)
{
    int reads = mode[0] == 'r', ends[2];
    posix_spawn_file_actions_t actions;
    if (!reads && mode[0] != 'w') {
        errno = EINVAL;
        return NULL;
    }
    struct opened *new = malloc(sizeof *new);
    if (!new || pipe2(ends, O_CLOEXEC) < 0) {
        free(new);
        return NULL;
    }
    int ours = reads ? ends[0] : ends[1], theirs = reads ? ends[1] : ends[0];
    posix_spawn_file_actions_init(&actions);
    int code = posix_spawn_file_actions_adddup2(&actions, theirs, reads ? 1 : 0);
    // A child must not keep others' pipes open, or they never end; that ours are closed on exec sees to it.
    if (code == 0)
        code = shell(&new->pid, command, &actions, NULL);
    posix_spawn_file_actions_destroy(&actions);
    close(theirs);
    if (code == 0 && (new->stream = fdopen(ours, reads ? "r" : "w")) != NULL) {
        if (!strchr(mode, 'e'))
            fcntl(ours, F_SETFD, FD_CLOEXEC);
        new->next = all;
        all = new;
        return new->stream;
    }
    close(ours);
    free(new);
    if (code != 0)
        errno = code;
    return NULL;
}

int pclose(FILE *stream)
{
    struct opened **place = &all;
    int status;
    while (*place && (*place)->stream != stream)
        place = &(*place)->next;
    if (!*place)
        return done(ECHILD);
    struct opened *found = *place;
    pid_t pid = found->pid;
    *place = found->next;
    free(found);
    fclose(stream);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}
