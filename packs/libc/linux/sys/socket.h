// Also the error that waits for a socket has Linux's number.
#ifndef SANDSHELL_LINUX_SYS_SOCKET_H
#define SANDSHELL_LINUX_SYS_SOCKET_H

#include_next <sys/socket.h>

int sandshell_linux_getsockopt(int, int, int, void *__restrict, socklen_t *__restrict);
#define getsockopt(fd, level, name, value, size) sandshell_linux_getsockopt(fd, level, name, value, size)

#endif
