#ifndef SANDSHELL_SYS_RESOURCE_H
#define SANDSHELL_SYS_RESOURCE_H

#include <sandshell/base.h>
#include <sys/time.h>
#define __wasilibc_unmodified_upstream
#include_next <sys/resource.h>
#undef __wasilibc_unmodified_upstream

#endif
