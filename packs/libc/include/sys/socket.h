#ifndef SANDSHELL_SYS_SOCKET_H
#define SANDSHELL_SYS_SOCKET_H

#include <sandshell/base.h>
/* Numbers and structs as Linux has them: the kernel takes these. */
#define __wasilibc_unmodified_upstream
#include_next <sys/socket.h>
#undef __wasilibc_unmodified_upstream

#endif
