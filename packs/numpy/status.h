// The status of floating-point arithmetic, which WebAssembly's processor does not keep. numpy asks for it after each loop, to warn of
// divisions by zero, overflows and invalid operations. Here it is found out from what went into a loop and what came out of it.
// Underflows are not found out.

#ifndef SANDSHELL_STATUS_H
#define SANDSHELL_STATUS_H

#include <fenv.h>

#ifndef FE_INVALID
#define FE_INVALID 1
#define FE_DIVBYZERO 4
#define FE_OVERFLOW 8
#define FE_UNDERFLOW 16
#endif

#ifdef __cplusplus
extern "C" {
#endif

// One for all modules: numpy's linear algebra sets what its main module reads.
extern __attribute__((visibility("default"))) int sandshell_status;

// Looks at an operation of two scalars of one of numpy's types, which has the name of the universal function.
void sandshell_look_at_scalars(const char *name, int type, const void *left, const void *right, const void *result);

#ifdef __cplusplus
}
#endif

#define fetestexcept(which) (sandshell_status & (which))
#define feclearexcept(which) (sandshell_status &= ~(which), 0)
#define feraiseexcept(which) (sandshell_status |= (which), 0)

// A conversion as (type)value, of a number to a narrower number or an integer. Integers come out as from the instructions of 64-bit
// processors: what they cannot convert is invalid, and the smallest number. They convert to 32 or 64 bits, of which smaller types have
// the lowest.
#define SANDSHELL_CONVERTED(type, value) __extension__({ \
    __typeof__(value) from = (value); \
    type to; \
    if ((__typeof__(value))0.5 == 0) { \
        to = (type)from; \
    } else if ((type)0.5 != 0) { \
        to = (type)from; \
        if (sizeof(type) < sizeof(from) && to - to != 0 && from - from == 0) sandshell_status |= FE_OVERFLOW; \
    } else if (sizeof(type) < 4 || (sizeof(type) == 4 && (type)-1 < (type)1)) { \
        int fits = from > -0x1p31 - 1 && from < 0x1p31; \
        if (!fits) sandshell_status |= FE_INVALID; \
        to = (type)(fits ? (int)from : -0x7fffffff - 1); \
    } else { \
        int high = sizeof(type) == 8 && (type)-1 > (type)1 && from >= 0x1p63; \
        __typeof__(value) low = high ? from - (__typeof__(value))0x1p63 : from; \
        int fits = low >= -0x1p63 && low < 0x1p63; \
        if (!fits) sandshell_status |= FE_INVALID; \
        long long whole = fits ? (long long)low : -0x7fffffffffffffff - 1; \
        to = (type)((unsigned long long)whole ^ (unsigned long long)high << 63); \
    } \
    to; \
})

#endif
