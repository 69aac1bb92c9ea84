// What the kernel can do and POSIX has no function for.
#ifndef SANDSHELL_H
#define SANDSHELL_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs `function` in a child that is a copy of this process: of its memory, its descriptors and its handlers of signals. The
/// child never returns from this call; it ends by `exit` with the function's value. Where a program forks and the
/// child does not execute another program, this is what to call: `fork` would have to copy the machine's own stack, which
/// WebAssembly does not show. Pointers into the stack are good in the child, too. Flush streams first: their buffers are copied.
pid_t sandshell_clone(int (*function)(void *), void *argument);

/// Whether a caught signal arrived since the last call of the kernel; its handler has run. Handlers run only when a program calls
/// the kernel: a long computation can call this.
int sandshell_signals(void);

#ifdef __cplusplus
}
#endif

#endif
