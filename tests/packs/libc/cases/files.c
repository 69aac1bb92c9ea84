#include "check.h"
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <utime.h>

static void show(const char *path)
{
    struct stat stat;
    if (lstat(path, &stat) < 0)
        printf("%s: %s\n", path, why());
    else
        printf("%s: %o %ld %ld %d\n", path, (unsigned)stat.st_mode, (long)(S_ISDIR(stat.st_mode) ? 0 : stat.st_size),
               (long)(S_ISDIR(stat.st_mode) ? 0 : stat.st_nlink), stat.st_uid == getuid());
}

static void touch(const char *path)
{
    close(open(path, O_WRONLY | O_CREAT, 0666));
    utime(path, &(struct utimbuf){8, 8});
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(void)
{
    struct stat stat_;
    char buffer[PATH_MAX];
    printf("%o ", umask(027));
    printf("%o\n", umask(027));
    touch("file");
    show("file");
    SHOW(open("file", O_CREAT | O_EXCL | O_WRONLY, 0666));
    SHOW(open("none", O_RDONLY));
    SHOW(open("", O_RDONLY));
    SHOW(open("file/x", O_RDONLY));
    SHOW(open(".", O_WRONLY));
    SHOW(open("file", O_DIRECTORY | O_RDONLY));
    SHOW(chmod("file", 04751));
    show("file");
    int fd = open("file", O_RDWR);
    SHOW(fchmod(fd, 0600));
    SHOW(ftruncate(fd, 100));
    show("file");
    SHOW(truncate("file", 7));
    SHOW(fchown(fd, -1, -1));
    SHOW(chown("file", getuid(), getgid()));
    SHOW(fstat(fd, &stat_));
    printf("%o %ld\n", (unsigned)stat_.st_mode, (long)stat_.st_size);
    SHOW(fstat(99, &stat_));
    SHOW(futimes(fd, (struct timeval[2]){{8, 0}, {16, 0}}));
    fstat(fd, &stat_);
    printf("%ld %ld\n", (long)stat_.st_atime, (long)stat_.st_mtime);
    SHOW(utimensat(AT_FDCWD, "file", (struct timespec[2]){{5, UTIME_OMIT}, {24, 500}}, 0));
    fstat(fd, &stat_);
    printf("%ld %ld %ld\n", (long)stat_.st_atime, (long)stat_.st_mtime, (long)stat_.st_mtim.tv_nsec);

    SHOW(symlink("file", "link"));
    SHOW(symlink("loop", "loop"));
    SHOW(open("loop", O_RDONLY));
    SHOW(open("link", O_RDONLY | O_NOFOLLOW));
    SHOW(readlink("link", buffer, sizeof buffer));
    printf("%.4s\n", buffer);
    SHOW(readlink("link", buffer, 2));
    SHOW(readlink("file", buffer, sizeof buffer));
    SHOW(link("file", "hard"));
    show("hard");
    SHOW(rename("hard", "renamed"));
    SHOW(rename("nothing", "x"));
    SHOW(access("file", R_OK | W_OK));
    SHOW(access("none", F_OK));
    SHOW(unlink("renamed"));
    SHOW(unlink("renamed"));
    SHOW(mkdir("dir", 0777));
    show("dir");
    SHOW(mkdir("dir", 0777));
    touch("dir/b");
    touch("dir/a");
    touch("dir/.hidden");
    SHOW(rmdir("dir"));
    SHOW(rmdir("file"));
    SHOW(mkfifo("fifo", 0666));
    show("fifo");
    SHOW(open("fifo", O_WRONLY | O_NONBLOCK));

    struct dirent **list;
    int count = scandir("dir", &list, visible, alphasort);
    printf("%d:", count);
    for (int i = 0; i < count; i++)
        printf(" %s", list[i]->d_name);
    printf("\n");
    SHOW(scandir("none", &list, NULL, NULL));
    DIR *directory = opendir("dir");
    int seen = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        seen += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    printf("%d entries\n", seen);
    SHOW(fstatat(dirfd(directory), "a", &stat_, 0));
    SHOW(unlinkat(dirfd(directory), "a", 0));
    SHOW(openat(dirfd(directory), "a", O_RDONLY));
    SHOW(faccessat(dirfd(directory), "b", R_OK, 0));
    SHOW(renameat(dirfd(directory), "b", AT_FDCWD, "moved"));
    show("moved");
    closedir(directory);

    SHOW(chdir("dir"));
    printf("%s\n", strrchr(getcwd(buffer, sizeof buffer), '/'));
    SHOW(chdir("none"));
    SHOW(chdir("../file"));
    SHOW(getcwd(buffer, 3) != NULL);
    int back = open("..", O_RDONLY | O_DIRECTORY);
    SHOW(fchdir(back));
    show("file");
    printf("%s\n", strrchr(realpath("./dir/../link", buffer), '/'));
    SHOW(realpath("none/x", buffer) != NULL);
    struct statvfs filesystem;
    SHOW(statvfs(".", &filesystem));
    printf("%d\n", filesystem.f_bsize > 0 && filesystem.f_blocks > 0);
    SHOW(fstatvfs(fd, &filesystem));

    char name[] = "temporary-XXXXXX", place[] = "place-XXXXXX";
    int temporary = mkstemp(name);
    printf("%d %d\n", temporary >= 0, strncmp(name, "temporary-", 10) == 0 && strcmp(name + 10, "XXXXXX") != 0);
    show(name + strlen(name));
    fstat(temporary, &stat_);
    printf("%o\n", (unsigned)stat_.st_mode);
    SHOW(mkdtemp(place) == place);
    stat(place, &stat_);
    printf("%o\n", (unsigned)stat_.st_mode);
    char bad[] = "bad";
    SHOW(mkstemp(bad));
    FILE *scratch = tmpfile();
    fputs("scratch", scratch);
    rewind(scratch);
    printf("%s\n", fgets(buffer, sizeof buffer, scratch));

    // Streams with modes.
    FILE *file = fopen("stream", "wx");
    fprintf(file, "one\ntwo\n");
    fclose(file);
    show("stream");
    SHOW(fopen("stream", "wx") != NULL);
    file = fopen("stream", "a+");
    fprintf(file, "three\n");
    rewind(file);
    while (fgets(buffer, sizeof buffer, file))
        printf("%s", buffer);
    file = freopen("stream", "r", file);
    printf("%s", fgets(buffer, sizeof buffer, file));
    SHOW(remove("stream"));
    SHOW(remove("dir/.hidden"));
    SHOW(remove("dir"));
    return 0;
}
