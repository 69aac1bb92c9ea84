#ifndef SANDSHELL_STDIO_H
#define SANDSHELL_STDIO_H

#include <sandshell/base.h>
#define __wasilibc_unmodified_upstream
#include_next <stdio.h>
#undef __wasilibc_unmodified_upstream

#endif
