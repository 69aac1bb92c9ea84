// What a module that throws needs besides the libraries of C++.

#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((visibility("hidden")))

OWN void __wasm_call_ctors(void);

// The constructors of the module's variables, once: what it begins with.
OWN void sandshell_constructors(void)
{
    static int constructed;
    if (constructed)
        return;
    constructed = 1;
    __wasm_call_ctors();
}

// setjmp and longjmp, as clang compiles them: a jump is an exception with a tag of its own. A function that calls setjmp
// catches what its own calls throw, and asks which of its places it was for.
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

enum { JUMPS = 1 };

OWN void __wasm_setjmp(void *to, uint32_t label, void *run)
{
    struct place *place = to;
    place->run = run;
    place->label = label;
}

OWN uint32_t __wasm_setjmp_test(void *to, void *run)
{
    struct place *place = to;
    return place->run == run ? place->label : 0;
}

OWN _Noreturn void __wasm_longjmp(void *to, int value)
{
    struct place *place = to;
    place->thrown.place = to;
    place->thrown.value = value ? value : 1;
    __builtin_wasm_throw(JUMPS, &place->thrown);
}

// The exceptions that a thread is handling: two words. Threads take turns, also while one handles an exception.
struct handled {
    struct handled *next;
    unsigned long thread;
    void *words[2];
};

OWN void *__cxa_get_globals(void)
{
    static struct handled *all;
    unsigned long thread = PyThread_get_thread_ident();
    struct handled *unused = NULL;
    for (struct handled *one = all; one; one = one->next) {
        if (one->thread == thread)
            return one->words;
        if (!one->words[0] && !one->words[1])
            unused = one;
    }
    if (!unused) {
        unused = calloc(1, sizeof *unused);
        if (!unused)
            abort();
        unused->next = all;
        all = unused;
    }
    unused->thread = thread;
    return unused->words;
}

OWN void *__cxa_get_globals_fast(void)
{
    return __cxa_get_globals();
}
