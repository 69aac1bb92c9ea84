// Users and groups: who the process is, and what /etc/passwd and /etc/group say.

#include "kernel.h"
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uid_t getuid(void)
{
    uint32_t ids[2] = {0, 0};
    k_getids(ids);
    return ids[0];
}

gid_t getgid(void)
{
    uint32_t ids[2] = {0, 0};
    k_getids(ids);
    return ids[1];
}

uid_t geteuid(void)
{
    return getuid();
}

gid_t getegid(void)
{
    return getgid();
}

int getresuid(uid_t *real, uid_t *effective, uid_t *saved)
{
    *real = *effective = *saved = getuid();
    return 0;
}

int getresgid(gid_t *real, gid_t *effective, gid_t *saved)
{
    *real = *effective = *saved = getgid();
    return 0;
}

// A process keeps its user: it can become only who it is.
static int same(uint32_t asked, uint32_t own)
{
    return asked == own || asked == UINT32_MAX ? 0 : done(EPERM);
}

int setuid(uid_t user)
{
    return same(user, getuid());
}

int seteuid(uid_t user)
{
    return same(user, getuid());
}

int setgid(gid_t group)
{
    return same(group, getgid());
}

int setegid(gid_t group)
{
    return same(group, getgid());
}

int setreuid(uid_t real, uid_t effective)
{
    return same(real, getuid()) == 0 ? same(effective, getuid()) : -1;
}

int setregid(gid_t real, gid_t effective)
{
    return same(real, getgid()) == 0 ? same(effective, getgid()) : -1;
}

int issetugid(void)
{
    return 0;
}

int getgroups(int size, gid_t list[])
{
    if (size == 0)
        return 1;
    list[0] = getgid();
    return 1;
}

int setgroups(size_t count, const gid_t *list)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] != getgid())
            return done(EPERM);
    return 0;
}

int initgroups(const char *user, gid_t group)
{
    (void)user;
    return same(group, getgid());
}

// A line and what points into it.
static FILE *users, *groups;
static char *line;
static size_t line_size;
static char **members;

// The next field of a line; its end is cut.
static char *field(char **rest)
{
    char *start = *rest;
    if (!start)
        return NULL;
    char *end = strchr(start, ':');
    if (end)
        *end++ = 0;
    *rest = end;
    return start;
}

static int number(const char *text, uint32_t *out)
{
    char *end;
    if (!text || !*text)
        return 0;
    *out = strtoul(text, &end, 10);
    return *end == 0;
}

static struct passwd *next_user(FILE *file)
{
    static struct passwd user;
    ssize_t length;
    while ((length = getline(&line, &line_size, file)) > 0) {
        char *rest = line;
        line[strcspn(line, "\n")] = 0;
        user.pw_name = field(&rest);
        user.pw_passwd = field(&rest);
        if (!number(field(&rest), &user.pw_uid) || !number(field(&rest), &user.pw_gid))
            continue;
        user.pw_gecos = field(&rest);
        user.pw_dir = field(&rest);
        user.pw_shell = field(&rest);
        if (user.pw_shell)
            return &user;
    }
    return NULL;
}

static struct group *next_group(FILE *file)
{
    static struct group group;
    while (getline(&line, &line_size, file) > 0) {
        char *rest = line, *names;
        size_t count = 0;
        line[strcspn(line, "\n")] = 0;
        group.gr_name = field(&rest);
        group.gr_passwd = field(&rest);
        if (!number(field(&rest), &group.gr_gid) || !(names = field(&rest)))
            continue;
        for (const char *at = names; *at; at++)
            count += *at == ',';
        char **list = realloc(members, (count + 2) * sizeof *list);
        if (!list)
            return NULL;
        members = group.gr_mem = list;
        for (char *name; (name = strsep(&names, ",")) != NULL;)
            if (*name)
                *list++ = name;
        *list = NULL;
        return &group;
    }
    return NULL;
}

static FILE *start(FILE **file, const char *path)
{
    if (!*file)
        *file = fopen(path, "re");
    return *file;
}

static void end(FILE **file)
{
    if (*file)
        fclose(*file);
    *file = NULL;
}

void setpwent(void)
{
    end(&users);
}

void endpwent(void)
{
    end(&users);
}

struct passwd *getpwent(void)
{
    return start(&users, "/etc/passwd") ? next_user(users) : NULL;
}

void setgrent(void)
{
    end(&groups);
}

void endgrent(void)
{
    end(&groups);
}

struct group *getgrent(void)
{
    return start(&groups, "/etc/group") ? next_group(groups) : NULL;
}

static struct passwd *find_user(const char *name, uid_t number)
{
    struct passwd *user = NULL;
    FILE *file = fopen("/etc/passwd", "re");
    if (!file)
        return NULL;
    while ((user = next_user(file)) && (name ? strcmp(user->pw_name, name) != 0 : user->pw_uid != number))
        ;
    fclose(file);
    return user;
}

static struct group *find_group(const char *name, gid_t number)
{
    struct group *group = NULL;
    FILE *file = fopen("/etc/group", "re");
    if (!file)
        return NULL;
    while ((group = next_group(file)) && (name ? strcmp(group->gr_name, name) != 0 : group->gr_gid != number))
        ;
    fclose(file);
    return group;
}

struct passwd *getpwnam(const char *name)
{
    return find_user(name, 0);
}

struct passwd *getpwuid(uid_t number)
{
    return find_user(NULL, number);
}

struct group *getgrnam(const char *name)
{
    return find_group(name, 0);
}

struct group *getgrgid(gid_t number)
{
    return find_group(NULL, number);
}

// Room in the caller's buffer.
struct room {
    char *at;
    size_t left;
};

static char *copy(struct room *room, const char *text)
{
    size_t size = strlen(text) + 1;
    if (size > room->left)
        return NULL;
    char *copied = memcpy(room->at, text, size);
    room->at += size;
    room->left -= size;
    return copied;
}

static int give_user(const struct passwd *found, struct passwd *user, char *buffer, size_t size, struct passwd **result)
{
    struct room room = {buffer, size};
    *result = NULL;
    if (!found)
        return 0;
    *user = *found;
    if (!(user->pw_name = copy(&room, found->pw_name)) || !(user->pw_passwd = copy(&room, found->pw_passwd)) ||
        !(user->pw_gecos = copy(&room, found->pw_gecos)) || !(user->pw_dir = copy(&room, found->pw_dir)) ||
        !(user->pw_shell = copy(&room, found->pw_shell)))
        return ERANGE;
    *result = user;
    return 0;
}

int getpwnam_r(const char *name, struct passwd *user, char *buffer, size_t size, struct passwd **result)
{
    return give_user(find_user(name, 0), user, buffer, size, result);
}

int getpwuid_r(uid_t number, struct passwd *user, char *buffer, size_t size, struct passwd **result)
{
    return give_user(find_user(NULL, number), user, buffer, size, result);
}

static int give_group(const struct group *found, struct group *group, char *buffer, size_t size, struct group **result)
{
    *result = NULL;
    if (!found)
        return 0;
    size_t count = 0, skip = -(uintptr_t)buffer % sizeof(char *);
    while (found->gr_mem[count])
        count++;
    size_t table = skip + (count + 1) * sizeof(char *);
    if (table > size)
        return ERANGE;
    struct room room = {buffer + table, size - table};
    *group = *found;
    group->gr_mem = (char **)(buffer + skip);
    if (!(group->gr_name = copy(&room, found->gr_name)) || !(group->gr_passwd = copy(&room, found->gr_passwd)))
        return ERANGE;
    for (size_t i = 0; i < count; i++)
        if (!(group->gr_mem[i] = copy(&room, found->gr_mem[i])))
            return ERANGE;
    group->gr_mem[count] = NULL;
    *result = group;
    return 0;
}

int getgrnam_r(const char *name, struct group *group, char *buffer, size_t size, struct group **result)
{
    return give_group(find_group(name, 0), group, buffer, size, result);
}

int getgrgid_r(gid_t number, struct group *group, char *buffer, size_t size, struct group **result)
{
    return give_group(find_group(NULL, number), group, buffer, size, result);
}

int getgrouplist(const char *user, gid_t group, gid_t *list, int *size)
{
    int count = 0;
    struct group *entry;
    FILE *file = fopen("/etc/group", "re");
    if (count < *size)
        list[count] = group;
    count++;
    while (file && (entry = next_group(file)) != NULL) {
        for (char **name = entry->gr_mem; *name; name++) {
            if (strcmp(*name, user) != 0 || entry->gr_gid == group)
                continue;
            if (count < *size)
                list[count] = entry->gr_gid;
            count++;
        }
    }
    if (file)
        fclose(file);
    int fits = count <= *size;
    *size = count;
    return fits ? count : -1;
}

char *getlogin(void)
{
    struct passwd *user = getpwuid(getuid());
    return user ? user->pw_name : NULL;
}

int getlogin_r(char *buffer, size_t size)
{
    const char *name = getlogin();
    if (!name)
        return ENXIO;
    if (strlen(name) >= size)
        return ERANGE;
    strcpy(buffer, name);
    return 0;
}
