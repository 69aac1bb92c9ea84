#ifndef SANDSHELL_FCNTL_H
#define SANDSHELL_FCNTL_H

#include_next <fcntl.h>

// wasi-libc has 0 here, which `open` could not see. A bit that none of its own flags uses.
#undef O_CLOEXEC
#define O_CLOEXEC 0x20000000
#define O_NDELAY O_NONBLOCK
#define O_LARGEFILE 0

#define F_DUPFD 0
#define F_SETOWN 8
#define F_GETOWN 9
#define F_GETLK 12
#define F_SETLK 13
#define F_SETLKW 14
#define F_DUPFD_CLOEXEC 1030

#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2

#define F_GETLK64 F_GETLK
#define F_SETLK64 F_SETLK
#define F_SETLKW64 F_SETLKW
#define flock64 flock

#define AT_EMPTY_PATH 0x1000

#ifdef __cplusplus
extern "C" {
#endif
int lockf(int, int, off_t);
#ifdef __cplusplus
}
#endif

#endif
