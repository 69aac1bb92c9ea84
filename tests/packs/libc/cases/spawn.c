#include "check.h"
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>

extern char **environ;

static void run(const char *title, posix_spawn_file_actions_t *actions, const char *script)
{
    pid_t pid;
    char *argv[] = {"sh", "-c", (char *)script, NULL};
    printf("-- %s\n", title);
    fflush(stdout);
    int code = posix_spawn(&pid, "/bin/sh", actions, NULL, argv, environ);
    if (code) {
        errno = code;
        printf("not started: %s\n", why());
    } else {
        ended(pid);
    }
}

int main(void)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    char *words[] = {"spawned", "a", "b", NULL};
    setvbuf(stdout, NULL, _IOLBF, 0);

    run("plain", NULL, "echo hello; exit 3");
    run("signal", NULL, "kill -9 $$");

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 5, "made", O_WRONLY | O_CREAT | O_TRUNC, 0640);
    posix_spawn_file_actions_adddup2(&actions, 5, 1);
    posix_spawn_file_actions_addclose(&actions, 5);
    run("open, dup2, close", &actions, "echo into; (: >&5) 2>/dev/null || echo closed");
    posix_spawn_file_actions_destroy(&actions);
    run("made", NULL, "cat made; stat -c %a made");

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, 1, 7);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
    posix_spawn_file_actions_adddup2(&actions, 7, 2);
    run("swap", &actions, "echo on two >&2");
    posix_spawn_file_actions_destroy(&actions);

    mkdir("sub", 0755);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, "sub");
    posix_spawn_file_actions_addopen(&actions, 6, "inside", O_WRONLY | O_CREAT, 0600);
    run("chdir", &actions, "basename \"$PWD\"; ls");
    posix_spawn_file_actions_destroy(&actions);

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, 99, 1);
    run("bad descriptor", &actions, "echo never");
    posix_spawn_file_actions_destroy(&actions);

    int kept = dup(1), closed = fcntl(1, F_DUPFD_CLOEXEC, 8);
    char script[100];
    snprintf(script, sizeof script, "(: >&%d) 2>/dev/null && echo kept; (: >&%d) 2>/dev/null || echo closed", kept, closed);
    run("inherited", NULL, script);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, closed, closed);
    run("dup2 to itself keeps", &actions, "(: >&8) 2>/dev/null && echo kept");
    posix_spawn_file_actions_destroy(&actions);

    errno = posix_spawn(&pid, "/no/such", NULL, NULL, words, environ);
    printf("missing: %s\n", why());
    errno = posix_spawnp(&pid, "no-such-command", NULL, NULL, words, environ);
    printf("missing in PATH: %s\n", why());
    errno = posix_spawn(&pid, "/etc/passwd", NULL, NULL, words, environ);
    printf("not executable: %s\n", why());
    FILE *file = fopen("script", "w");
    fputs("echo script $#: $1\n", file);
    fclose(file);
    chmod("script", 0755);
    errno = posix_spawn(&pid, "./script", NULL, NULL, words, environ);
    printf("no format: %s\n", why());
    char path[200], directory[100];
    snprintf(path, sizeof path, "PATH=%s:/usr/bin:/bin", getcwd(directory, sizeof directory));
    putenv(path);
    errno = posix_spawnp(&pid, "script", NULL, NULL, words, environ);
    printf("no format in PATH: %s\n", why());

    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    posix_spawnattr_setsigdefault(&attributes, &set);
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    char *kill[] = {"sh", "-c", "kill -USR1 $$; echo lives; kill -TERM $$; echo never", NULL};
    posix_spawn(&pid, "/bin/sh", NULL, &attributes, kill, environ);
    int alone = getpgid(pid) == pid || errno == ESRCH;
    ended(pid);
    printf("group: %d\n", alone);
    signal(SIGTERM, SIG_DFL);
    return 0;
}
