// Errors with Linux's numbers.

#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void show(const char *what)
{
    printf("%s: %d %s\n", what, errno, strerror(errno));
}

int main(void)
{
    errno = 0;
    open("missing", O_RDONLY);
    show("open");
    // A success leaves it alone, and the same failure again is a new one.
    close(open("made", O_CREAT | O_RDWR, 0600));
    show("after a success");
    errno = 0;
    show("none");
    open("missing", O_RDONLY);
    show("again");
    mkdir("directory", 0700);
    mkdir("directory", 0700);
    show("mkdir");
    unlink("directory/none/x");
    show("unlink");
    rmdir("made");
    show("rmdir");
    open("directory", O_WRONLY);
    show("a directory");
    read(99, NULL, 0);
    show("read");
    waitpid(-1, NULL, 0);
    show("waitpid");
    kill(9999, SIGTERM);
    show("kill");
    errno = 0;
    strtol("99999999999999999999", NULL, 10);
    show("strtol");
    if (errno == ERANGE)
        printf("ERANGE\n");
    errno = EINVAL;
    int kept = errno;
    open("missing", O_RDONLY);
    errno = kept;
    show("kept");
    for (int number = -1; number < 140; number++)
        printf("%d %s\n", number, strerror(number));
    char text[10];
    int code = __builtin_strcmp(strerror(EAGAIN), "Resource temporarily unavailable");
    printf("%d %d %d %d\n", code, EWOULDBLOCK == EAGAIN, ENOTSUP == EOPNOTSUPP, (int)sizeof text);
    fflush(stdout);
    errno = ENOTEMPTY;
    perror("perror");
    return 0;
}
