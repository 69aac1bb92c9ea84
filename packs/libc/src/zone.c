// Time zones: what TZ says, as a rule (`CET-1CEST,M3.5.0,M10.5.0/3`) or as the name of a file in the form of RFC 8536. The sandbox
// has no such files of its own, so that a zone is known by its name only where they are mounted; otherwise it is UTC under that name.

#include "kernel.h"
#include <ctype.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// wasi-libc's gmtime gives it as the name of its zone.
const char __utc[] = "UTC";
long timezone;
int daylight;
char *tzname[2];

// When a year's summer time begins, or ends: on a day, by the clock that is right until then.
struct change {
    enum { JULIAN, DAY, WEEKDAY } kind;
    int month, week, day, seconds;
};

struct rule {
    int offset[2];
    char name[2][64];
    int summer;
    struct change change[2];
};

static struct rule rule;
static char *known;
// A file's parts, in its own form. Times before the first have the first ordinary kind.
static unsigned char *file;
static const unsigned char *times, *kinds, *infos, *names;
static uint32_t count, kind_count, name_count;

static const char *number(const char *text, int *out)
{
    int value = 0;
    if (!text || !isdigit((unsigned char)*text))
        return NULL;
    while (isdigit((unsigned char)*text) && value < 100000)
        value = value * 10 + (*text++ - '0');
    *out = value;
    return text;
}

static const char *clock_of(const char *text, int *out)
{
    int part, sign = 1, seconds = 0, unit = 3600;
    if (*text == '+' || *text == '-')
        sign = *text++ == '-' ? -1 : 1;
    for (;;) {
        if (!(text = number(text, &part)))
            return NULL;
        seconds += part * unit;
        unit /= 60;
        if (*text != ':' || unit == 0)
            break;
        text++;
    }
    *out = sign * seconds;
    return text;
}

static const char *name_of(const char *text, char out[64])
{
    int quoted = *text == '<';
    size_t length = 0;
    for (text += quoted; quoted ? *text && *text != '>' : isalpha((unsigned char)*text); text++)
        if (length < 63)
            out[length++] = *text;
    out[length] = 0;
    if (length < 3 || (quoted && *text++ != '>'))
        return NULL;
    return text;
}

static const char *change_of(const char *text, struct change *out)
{
    out->seconds = 7200;
    if (*text == 'M') {
        out->kind = WEEKDAY;
        text = number(text + 1, &out->month);
        text = text && *text == '.' ? number(text + 1, &out->week) : NULL;
        text = text && *text == '.' ? number(text + 1, &out->day) : NULL;
        if (!text || out->month < 1 || out->month > 12 || out->week < 1 || out->week > 5 || out->day > 6)
            return NULL;
    } else {
        out->kind = *text == 'J' ? JULIAN : DAY;
        text = number(text + (*text == 'J'), &out->day);
        if (!text || out->day > 365 || (out->kind == JULIAN && out->day == 0))
            return NULL;
    }
    return *text == '/' ? clock_of(text + 1, &out->seconds) : text;
}

static int parse(const char *text, struct rule *out)
{
    static const char usual[] = ",M3.2.0,M11.1.0";
    *out = (struct rule){0};
    text = name_of(text, out->name[0]);
    if (!text || !(text = clock_of(text, &out->offset[0])))
        return 0;
    out->offset[0] = -out->offset[0];
    if (*text == 0)
        return 1;
    if (!(text = name_of(text, out->name[1])))
        return 0;
    out->summer = 1;
    out->offset[1] = out->offset[0] + 3600;
    if (*text && *text != ',') {
        if (!(text = clock_of(text, &out->offset[1])))
            return 0;
        out->offset[1] = -out->offset[1];
    }
    if (*text == 0)
        text = usual;
    for (int i = 0; i < 2; i++)
        if (!text || *text != ',' || !(text = change_of(text + 1, &out->change[i])))
            return 0;
    return *text == 0;
}

static int leap(long long year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static long long floor_div(long long a, long long b)
{
    return a / b - (a % b < 0);
}

// Days from 1970 to the first of January.
static long long year_start(long long year)
{
    long long past = year - 1;
    return 365 * (year - 1970) + floor_div(past, 4) - floor_div(past, 100) + floor_div(past, 400) - 477;
}

static long long moment(const struct change *change, long long year)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    long long day = year_start(year);
    if (change->kind == DAY) {
        day += change->day;
    } else if (change->kind == JULIAN) {
        day += change->day - 1 + (leap(year) && change->day > 59);
    } else {
        int length = lengths[change->month - 1] + (change->month == 2 && leap(year));
        for (int month = 1; month < change->month; month++)
            day += lengths[month - 1] + (month == 2 && leap(year));
        int first = (int)((day + 4) % 7 + 7) % 7;
        int in_month = (change->day - first + 7) % 7 + 7 * (change->week - 1);
        day += in_month >= length ? in_month - 7 : in_month;
    }
    return day * 86400 + change->seconds;
}

// 1 in summer time. `local`: seconds are by the clock on the wall.
static int is_summer(long long seconds, int local)
{
    if (!rule.summer)
        return 0;
    long long ordinary = local ? seconds : seconds + rule.offset[0];
    long long year = 1970 + floor_div(ordinary, 31556952);
    while (year_start(year) * 86400 > ordinary)
        year--;
    while (year_start(year + 1) * 86400 <= ordinary)
        year++;
    long long begin = moment(&rule.change[0], year), end = moment(&rule.change[1], year);
    if (!local) {
        begin -= rule.offset[0];
        end -= rule.offset[1];
    }
    return begin < end ? seconds >= begin && seconds < end : seconds >= begin || seconds < end;
}

static int32_t word(const unsigned char *from)
{
    return (int32_t)((uint32_t)from[0] << 24 | from[1] << 16 | from[2] << 8 | from[3]);
}

static int64_t wide(const unsigned char *from)
{
    return (int64_t)((uint64_t)(uint32_t)word(from) << 32 | (uint32_t)word(from + 4));
}

// Takes the second, 64-bit part of a file; its last line is the rule for later times.
static int take(unsigned char *data, size_t size)
{
    if (size < 88 || memcmp(data, "TZif", 4) != 0 || data[4] < '2')
        return 0;
    uint64_t skip = 44 + (uint64_t)(uint32_t)word(data + 32) * 5 + (uint64_t)(uint32_t)word(data + 36) * 6 +
                    (uint32_t)word(data + 40) + (uint64_t)(uint32_t)word(data + 28) * 8 + (uint32_t)word(data + 24) +
                    (uint32_t)word(data + 20);
    if (skip > size - 44)
        return 0;
    const unsigned char *head = data + skip;
    uint64_t t = (uint32_t)word(head + 32), k = (uint32_t)word(head + 36), n = (uint32_t)word(head + 40);
    uint64_t need = t * 9 + k * 6 + n + (uint64_t)(uint32_t)word(head + 28) * 12 + (uint32_t)word(head + 24) +
                    (uint32_t)word(head + 20);
    if (memcmp(head, "TZif", 4) != 0 || k == 0 || n == 0 || need > size - skip - 44 || head[44 + t * 9 + k * 6 + n - 1] != 0)
        return 0;
    count = t;
    kind_count = k;
    name_count = n;
    times = head + 44;
    kinds = times + t * 8;
    infos = kinds + t;
    names = infos + k * 6;
    for (uint32_t i = 0; i < count; i++)
        if (kinds[i] >= k)
            return 0;
    for (uint32_t i = 0; i < kind_count; i++)
        if (infos[i * 6 + 5] >= n)
            return 0;
    const char *last = (const char *)head + 44 + need, *end = memchr(last + 1, '\n', data + size - (const unsigned char *)last - 1);
    if (last < (const char *)data + size && *last == '\n' && end) {
        char text[128] = "";
        if ((size_t)(end - last) < sizeof text)
            memcpy(text, last + 1, end - last - 1);
        if (!parse(text, &rule))
            rule = (struct rule){0};
    }
    return 1;
}

static int read_file(const char *name)
{
    char path[256];
    if (*name == '/')
        strlcpy(path, name, sizeof path);
    else if (strstr(name, "..") || strlen(name) > 200)
        return 0;
    else
        strcat(strcpy(path, "/usr/share/zoneinfo/"), name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    unsigned char *data = malloc(1 << 18);
    ssize_t size = 0, more;
    while (data && (more = read(fd, data + size, (1 << 18) - size)) > 0)
        size += more;
    close(fd);
    if (data && take(data, size)) {
        file = data;
        return 1;
    }
    free(data);
    return 0;
}

static const unsigned char *info(uint32_t kind)
{
    return infos + kind * 6;
}

void tzset(void)
{
    const char *tz = getenv("TZ");
    if (known && tz && strcmp(known, tz) == 0)
        return;
    free(known);
    free(file);
    known = tz ? strdup(tz) : NULL;
    file = NULL;
    rule = (struct rule){.name = {"UTC", "UTC"}};
    const char *name = tz ? tz + (*tz == ':') : "/etc/localtime";
    if (*name && !read_file(name) && !parse(name, &rule)) {
        rule = (struct rule){.name = {"UTC", "UTC"}};
        if (tz && isalpha((unsigned char)*name))
            for (size_t i = 0; i < 63 && (rule.name[0][i] = isalpha((unsigned char)name[i]) ? name[i] : 0); i++)
                continue;
    }
    timezone = -rule.offset[0];
    daylight = rule.summer;
    tzname[0] = rule.name[0];
    tzname[1] = rule.summer ? rule.name[1] : rule.name[0];
    for (uint32_t i = 0; file && rule.name[0][0] == 0 && i < kind_count; i++) {
        tzname[info(i)[4] != 0] = (char *)names + info(i)[5];
        if (info(i)[4])
            daylight = 1;
        else
            timezone = -word(info(i));
    }
}

void __tzset(void)
{
    tzset();
}

// The kind of time of a moment in a file; negative: the rule's.
static int kind_at(long long seconds, int local)
{
    if (!file)
        return -1;
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        // By the clock on the wall, the time before the change decides.
        long long at = wide(times + middle * 8) + (local ? word(info(middle ? kinds[middle - 1] : 0)) : 0);
        if (at <= seconds)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count && rule.name[0][0])
        return -1;
    if (low > 0)
        return kinds[low - 1];
    for (uint32_t i = 0; i < kind_count; i++)
        if (!info(i)[4])
            return i;
    return 0;
}

// What wasi-libc's localtime and mktime ask: the kind of time at a moment (`local`: by the clock on the wall), its offset, that of
// the other kind, its name.
void __secs_to_zone(long long seconds, int local, int *isdst, int *offset, int *other, const char **name)
{
    tzset();
    int kind = kind_at(seconds, local);
    if (kind >= 0) {
        *isdst = info(kind)[4] != 0;
        *offset = word(info(kind));
        *name = (const char *)names + info(kind)[5];
        if (other) {
            *other = *offset;
            for (uint32_t i = 0; i < kind_count; i++)
                if ((info(i)[4] != 0) != *isdst)
                    *other = word(info(i));
        }
        return;
    }
    *isdst = is_summer(seconds, local);
    *offset = rule.offset[*isdst];
    *name = rule.name[*isdst];
    if (other)
        *other = rule.summer ? rule.offset[!*isdst] : *offset;
}

const char *__tm_to_tzname(const struct tm *tm)
{
    return tm->tm_zone ? tm->tm_zone : "";
}
