// Local time by the rules of TZ.

#include "check.h"
#include <time.h>

static void show(const char *zone)
{
    static const time_t moments[] = {0,          951782400,  1111888799, 1111888800, 1130633999, 1130634000, 1700000000,
                                     1710053999, 1710054000, 1711846799, 1711846800, 1729990799, 1729990800, 4102444800};
    if (zone)
        setenv("TZ", zone, 1);
    else
        unsetenv("TZ");
    tzset();
    printf("TZ=%s: %s %s %ld %d\n", zone ? zone : "(unset)", tzname[0], tzname[1], timezone, daylight);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        char text[100];
        struct tm local;
        localtime_r(&moments[i], &local);
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z %Z %j %u", &local);
        printf("%s dst %d gmtoff %ld", text, local.tm_isdst, (long)local.tm_gmtoff);
        time_t back = mktime(&local);
        printf(" back %lld\n", (long long)(back - moments[i]));
    }
}

int main(void)
{
    show("UTC0");
    show("CET-1CEST,M3.5.0,M10.5.0/3");
    show("EST5EDT,M3.2.0,M11.1.0");
    show("JST-9");
    show("<+0530>-5:30");
    show("NZST-12NZDT,M9.5.0,M4.1.0/3");
    show("AAA3BBB,J60,J300/1:30");
    show("AAA3BBB2:30,59/0,300");
    show("");
    show(NULL);

    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    for (int hour = 0; hour < 5; hour++)
        for (int summer = -1; summer < 2; summer++) {
            struct tm local = {.tm_year = 124, .tm_mon = 6, .tm_mday = 32, .tm_hour = hour, .tm_isdst = summer};
            time_t made = mktime(&local);
            printf("%lld %d %d\n", (long long)made, local.tm_mday, local.tm_hour);
        }
    struct timespec now;
    printf("%d %d %d\n", clock_gettime(CLOCK_MONOTONIC, &now), clock_getres(CLOCK_REALTIME, &now), clock_gettime(77, &now));
    return 0;
}
