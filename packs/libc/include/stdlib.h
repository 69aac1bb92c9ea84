#ifndef SANDSHELL_STDLIB_H
#define SANDSHELL_STDLIB_H

#include <sandshell/base.h>
#include <alloca.h>
#define __wasilibc_unmodified_upstream
#include_next <stdlib.h>
#undef __wasilibc_unmodified_upstream

#endif
