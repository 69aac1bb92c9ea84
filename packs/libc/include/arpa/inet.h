#ifndef SANDSHELL_ARPA_INET_H
#define SANDSHELL_ARPA_INET_H

#include <netinet/in.h>
#define __wasilibc_unmodified_upstream
#include_next <arpa/inet.h>
#undef __wasilibc_unmodified_upstream

#endif
