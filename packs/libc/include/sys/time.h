#ifndef SANDSHELL_SYS_TIME_H
#define SANDSHELL_SYS_TIME_H

#include <sandshell/base.h>
#include <sys/select.h>
#define __wasilibc_unmodified_upstream
#include_next <sys/time.h>
#undef __wasilibc_unmodified_upstream

#endif
