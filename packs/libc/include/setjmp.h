#ifndef SANDSHELL_SETJMP_H
#define SANDSHELL_SETJMP_H

#include <sandshell/base.h>
#include_next <setjmp.h>

#ifdef __cplusplus
extern "C" {
#endif
struct __jmp_buf_tag *__sandshell_sigsetjmp(struct __jmp_buf_tag *, int);
#ifdef __cplusplus
}
#endif

// The compiler knows one function by its name.
#undef sigsetjmp
#define sigsetjmp(place, mask) setjmp(__sandshell_sigsetjmp(place, mask))
#define _setjmp(place) setjmp(place)

#endif
