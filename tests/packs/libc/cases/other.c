#include "check.h"
#include <glob.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>

int main(void)
{
    char buffer[100];
    struct utsname machine;
    SHOW(uname(&machine));
    printf("%s\n", machine.sysname);
    SHOW(gethostname(buffer, sizeof buffer));
    printf("%d\n", strcmp(buffer, machine.nodename));
    SHOW(getrandom(buffer, 16, 0));
    struct timespec before, after, pause = {.tv_nsec = 30000000};
    clock_gettime(CLOCK_MONOTONIC, &before);
    SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL));
    clock_gettime(CLOCK_MONOTONIC, &after);
    long passed = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
    printf("%d\n", passed >= 29);
    SHOW(usleep(1000));
    SHOW(sleep(0));
    struct tms times_;
    printf("%d %d\n", times(&times_) != (clock_t)-1, clock() >= 0);
    close(open("one.c", O_CREAT | O_WRONLY, 0600));
    close(open("two.c", O_CREAT | O_WRONLY, 0600));
    glob_t found;
    SHOW(glob("*.c", 0, NULL, &found));
    for (size_t i = 0; i < found.gl_pathc; i++)
        printf("%s\n", found.gl_pathv[i]);
    putenv("NAME=value");
    printf("%s\n", getenv("NAME"));
    unsetenv("NAME");
    printf("%d\n", getenv("NAME") == NULL);
    setenv("TZ", "UTC", 1);
    time_t moment = 1700000000;
    strftime(buffer, sizeof buffer, "%F %T", localtime(&moment));
    printf("%s\n", buffer);
    exit(200);
}
