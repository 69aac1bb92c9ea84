#ifndef SANDSHELL_ARPA_INET_H
#define SANDSHELL_ARPA_INET_H

#include_next <arpa/inet.h>

#ifdef __cplusplus
extern "C" {
#endif
char *inet_ntoa(struct in_addr);
#ifdef __cplusplus
}
#endif

#endif
