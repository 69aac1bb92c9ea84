#include "check.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static int global = 1;

static int child(void *argument)
{
    int *local = argument;
    global += 10;
    *local += 10;
    printf("child: %d %d\n", global, *local);
    return 42;
}

static int dies(void *argument)
{
    (void)argument;
    abort();
}

static int becomes(void *argument)
{
    char *words[] = {"echo", "became", argument, NULL};
    execvp("echo", words);
    return 1;
}

static int executes(void *argument)
{
    (void)argument;
    execlp("script", "script", "a", "b", NULL);
    return 1;
}

static int sleeps(void *argument)
{
    (void)argument;
    pause();
    return 0;
}

int main(void)
{
    int local = 1, status;
    setvbuf(stdout, NULL, _IOLBF, 0);
    ended(sandshell_clone(child, &local));
    printf("parent: %d %d\n", global, local);
    ended(sandshell_clone(dies, NULL));
    ended(sandshell_clone(becomes, "echo"));
    SHOW(waitpid(-1, &status, 0));
    SHOW(waitpid(-1, &status, WNOHANG));

    pid_t pid = sandshell_clone(sleeps, NULL);
    SHOW(waitpid(pid, &status, WNOHANG));
    SHOW(kill(pid, 0));
    kill(pid, SIGSTOP);
    printf("%d ", waitpid(pid, &status, WUNTRACED) == pid);
    printf("stopped %d by %d\n", WIFSTOPPED(status), WSTOPSIG(status));
    kill(pid, SIGCONT);
    printf("%d ", waitpid(pid, &status, WCONTINUED) == pid);
    printf("continued %d\n", WIFCONTINUED(status));
    SHOW(setpgid(pid, pid));
    SHOW(getpgid(pid) == pid);
    SHOW(killpg(pid, SIGTERM));
    ended(pid);
    SHOW(kill(pid, 0));

    siginfo_t info = {0};
    pid = sandshell_clone(child, &local);
    SHOW(waitid(P_PID, pid, &info, WEXITED));
    printf("%d %d %d\n", info.si_pid == pid, info.si_code == CLD_EXITED, info.si_status);

    printf("system %d %d\n", WEXITSTATUS(system("exit 5")), system(NULL) != 0);
    fflush(stdout);
    FILE *pipe = popen("read x; echo got $x >&2; exit 6", "w");
    fputs("this\n", pipe);
    printf("pclose %d\n", WEXITSTATUS(pclose(pipe)));
    pipe = popen("echo out; exit 7", "r");
    char line[100] = "";
    fgets(line, sizeof line, pipe);
    printf("%s", line);
    printf("pclose %d\n", WEXITSTATUS(pclose(pipe)));
    printf("%d %d\n", getppid() > 0, getpgrp() == getpgid(0));
    struct rlimit limit;
    SHOW(getrlimit(RLIMIT_NOFILE, &limit));
    struct rusage usage;
    SHOW(getrusage(RUSAGE_CHILDREN, &usage));
    SHOW(execl("/no/such", "such", NULL));
    SHOW(execl("/etc", "etc", NULL));
    FILE *file = fopen("script", "w");
    fputs("echo script $#: $1\n", file);
    fclose(file);
    chmod("script", 0755);
    setenv("PATH", ".:/usr/bin:/bin", 1);
    ended(sandshell_clone(executes, NULL));
    fflush(stdout);
    setenv("VARIABLE", "value", 1);
    execlp("sh", "sh", "-c", "echo $VARIABLE $0 $1; exit 9", "zero", "one", NULL);
    return 1;
}
