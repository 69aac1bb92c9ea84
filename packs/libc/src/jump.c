// setjmp and longjmp, as clang compiles them for WebAssembly: a jump is an exception with one tag. A function that calls setjmp
// catches what its own calls throw, and asks which of its places it was for.

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

struct place {
    // What tells this run of the function from others.
    void *run;
    uint32_t label;
    // What is thrown. The compiler knows this part.
    struct {
        void *place;
        int value;
    } thrown;
};

_Static_assert(sizeof(struct place) <= sizeof(__jmp_buf), "a place fits");

__asm__(".globl __c_longjmp\n"
        ".tagtype __c_longjmp i32\n"
        "__c_longjmp:\n");

enum { JUMPS = 1 };

void __wasm_setjmp(void *to, uint32_t label, void *run)
{
    struct place *place = to;
    place->run = run;
    place->label = label;
}

uint32_t __wasm_setjmp_test(void *to, void *run)
{
    struct place *place = to;
    return place->run == run ? place->label : 0;
}

_Noreturn void __wasm_longjmp(void *to, int value)
{
    struct place *place = to;
    place->thrown.place = to;
    place->thrown.value = value ? value : 1;
    __builtin_wasm_throw(JUMPS, &place->thrown);
}

// What sigsetjmp does before it is setjmp.
struct __jmp_buf_tag *__sandshell_sigsetjmp(struct __jmp_buf_tag *to, int mask)
{
    to->__fl = mask != 0;
    if (mask)
        sigprocmask(SIG_SETMASK, NULL, (sigset_t *)to->__ss);
    return to;
}

_Noreturn void siglongjmp(sigjmp_buf to, int value)
{
    if (to->__fl)
        sigprocmask(SIG_SETMASK, (sigset_t *)to->__ss, NULL);
    __wasm_longjmp(to, value);
}

_Noreturn void _longjmp(jmp_buf to, int value)
{
    __wasm_longjmp(to, value);
}
