// In the place of wasi-libc's, whose set of signals has room for eight.
#ifndef __wasilibc___typedef_sigset_t_h
#define __wasilibc___typedef_sigset_t_h

typedef struct {
    unsigned long __bits[2];
} sigset_t;

#endif
