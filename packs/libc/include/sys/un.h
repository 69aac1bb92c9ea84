#ifndef SANDSHELL_SYS_UN_H
#define SANDSHELL_SYS_UN_H

#include <sandshell/base.h>
#include <string.h>
#define __wasilibc_unmodified_upstream
#include_next <sys/un.h>
#undef __wasilibc_unmodified_upstream

#endif
