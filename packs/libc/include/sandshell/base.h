// Types as wasi-libc has them, before a header is read in its original form: that form would define its own.
#ifndef SANDSHELL_BASE_H
#define SANDSHELL_BASE_H

#include <__struct_iovec.h>
#include <__struct_timespec.h>
#include <__struct_timeval.h>
#include <__typedef_sigset_t.h>
#include <__typedef_suseconds_t.h>
#include <__typedef_time_t.h>

#define __DEFINED_suseconds_t
#define __DEFINED_time_t
#define __DEFINED_struct_iovec
#define __DEFINED_struct_timespec
#define __DEFINED_struct_timeval

#endif
