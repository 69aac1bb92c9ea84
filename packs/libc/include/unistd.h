#ifndef SANDSHELL_UNISTD_H
#define SANDSHELL_UNISTD_H

#include <sandshell/base.h>
#define __wasilibc_unmodified_upstream
#include_next <unistd.h>
#undef __wasilibc_unmodified_upstream

#endif
