#ifndef SANDSHELL_SYS_STAT_H
#define SANDSHELL_SYS_STAT_H

#include_next <sys/stat.h>

#define S_IREAD S_IRUSR
#define S_IWRITE S_IWUSR
#define S_IEXEC S_IXUSR

#ifdef __cplusplus
extern "C" {
#endif
int chmod(const char *, mode_t);
int fchmod(int, mode_t);
int fchmodat(int, const char *, mode_t, int);
int lchmod(const char *, mode_t);
int mkfifo(const char *, mode_t);
int mkfifoat(int, const char *, mode_t);
int mknod(const char *, mode_t, dev_t);
int mknodat(int, const char *, mode_t, dev_t);
mode_t umask(mode_t);
#ifdef __cplusplus
}
#endif

#endif
