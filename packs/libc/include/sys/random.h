#ifndef SANDSHELL_SYS_RANDOM_H
#define SANDSHELL_SYS_RANDOM_H

#include <sandshell/base.h>
#define __wasilibc_unmodified_upstream
#include_next <sys/random.h>
#undef __wasilibc_unmodified_upstream

#endif
