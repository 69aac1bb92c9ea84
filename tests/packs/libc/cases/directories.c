// Entries of directories: all of them, `.` and `..`, many, long names, places.

#include "check.h"
#include <dirent.h>
#include <sys/stat.h>

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int list(const char *path, int show)
{
    static char *names[5000];
    size_t count = 0;
    DIR *directory = opendir(path);
    struct dirent *entry;
    if (!directory) {
        printf("%s: %s\n", path, why());
        return -1;
    }
    while (errno = 0, (entry = readdir(directory)) != NULL) {
        struct stat stat;
        if (fstatat(dirfd(directory), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) < 0 || stat.st_ino != entry->d_ino)
            printf("%s: not as stat says\n", entry->d_name);
        names[count++] = strdup(entry->d_name);
    }
    if (errno != 0)
        printf("%s\n", why());
    rewinddir(directory);
    entry = readdir(directory);
    printf("again %d\n", entry != NULL);
    closedir(directory);
    qsort(names, count, sizeof *names, by_name);
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += strlen(names[i]);
        if (show)
            printf("%s\n", names[i]);
        free(names[i]);
    }
    printf("%zu entries, %zu bytes\n", count, bytes);
    return count;
}

int main(void)
{
    char name[300];
    mkdir("empty", 0755);
    mkdir("few", 0755);
    mkdir("few/dir", 0755);
    symlink("nowhere", "few/link");
    close(creat("few/file", 0644));
    mkdir("many", 0755);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "many/%0*d", i % 250 + 1, i);
        close(creat(name, 0644));
    }
    list("empty", 1);
    list("few", 1);
    list("many", 0);
    list("missing", 0);
    list("few/file", 0);

    DIR *directory = opendir("many");
    long places[3];
    char seen[3][300];
    for (int i = 0; i < 1000; i++) {
        if (i % 400 == 10)
            places[i / 400] = telldir(directory);
        struct dirent *entry = readdir(directory);
        if (i % 400 == 10)
            strcpy(seen[i / 400], entry->d_name);
    }
    for (int i = 2; i >= 0; i--) {
        seekdir(directory, places[i]);
        struct dirent *entry = readdir(directory);
        printf("same place %d\n", entry && strcmp(entry->d_name, seen[i]) == 0);
    }
    closedir(directory);

    // Entries that go while they are listed: each that stays is told once.
    directory = opendir("many");
    int stay = 0;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (entry->d_name[strlen(entry->d_name) - 1] == '7')
            stay++;
        else
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
    printf("stay %d\n", stay);
    list("many", 0);

    struct dirent **found;
    int count = scandir("few", &found, NULL, alphasort);
    for (int i = 0; i < count; i++)
        printf("%s\n", found[i]->d_name);
    return 0;
}
