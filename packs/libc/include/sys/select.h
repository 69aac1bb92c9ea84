#ifndef SANDSHELL_SYS_SELECT_H
#define SANDSHELL_SYS_SELECT_H

#include <sandshell/base.h>
/* A set is an array of bits, as programs know it from Linux. */
#define __wasilibc_unmodified_upstream
#include_next <sys/select.h>
#undef __wasilibc_unmodified_upstream

#endif
