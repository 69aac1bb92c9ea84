#ifndef SANDSHELL_NETINET_IN_H
#define SANDSHELL_NETINET_IN_H

#include <sys/socket.h>
#define __wasilibc_unmodified_upstream
#include_next <netinet/in.h>
#undef __wasilibc_unmodified_upstream

#endif
