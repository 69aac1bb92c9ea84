#include "check.h"
#include <sys/mman.h>

int main(void)
{
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    write(fd, "mapped file", 11);
    char *text = mmap(NULL, 11, PROT_READ, MAP_PRIVATE, fd, 0);
    printf("%.11s\n", text);
    SHOW(munmap(text, 11));
    text = mmap(NULL, 11, PROT_READ, MAP_SHARED, fd, 0);
    printf("%.11s %d\n", text, text[11]);
    SHOW(munmap(text, 11));
    text = mmap(NULL, 100, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    text[0] = 'M';
    printf("%.11s %d\n", text, text[99]);
    char on_disk[1];
    pread(fd, on_disk, 1, 0);
    printf("%.1s\n", on_disk);
    SHOW(munmap(text, 100));
    text = mmap(NULL, 1000000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(text, 1, 1000000);
    SHOW(msync(text, 1000000, MS_SYNC));
    SHOW(munmap(text, 1000000));
    SHOW(mmap(NULL, 0, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
    SHOW(mmap(NULL, 10, PROT_READ, MAP_PRIVATE, 99, 0) == MAP_FAILED);
    printf("%s\n", why());
    void *block;
    SHOW(posix_memalign(&block, 4096, 10000));
    printf("%d\n", (int)((unsigned long)block % 4096));
    return 0;
}
