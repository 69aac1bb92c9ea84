#ifndef SANDSHELL_SIGNAL_H
#define SANDSHELL_SIGNAL_H

#include <sandshell/base.h>
#define __wasilibc_unmodified_upstream
#include_next <signal.h>
#undef __wasilibc_unmodified_upstream

// In WebAssembly 1 is a function like any other, so that these are functions of their own.
#ifdef __cplusplus
extern "C" {
#endif
void __SIG_ERR(int);
void __SIG_IGN(int);
#ifdef __cplusplus
}
#endif
#undef SIG_ERR
#undef SIG_IGN
#define SIG_ERR (__SIG_ERR)
#define SIG_IGN (__SIG_IGN)

#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000

struct sigaltstack {
    void *ss_sp;
    int ss_flags;
    size_t ss_size;
};

#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192
#endif
