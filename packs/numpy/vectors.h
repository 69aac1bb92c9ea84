// Loops over numbers without gaps, with WebAssembly's vectors: numpy's own are for other processors. Each function has the arguments of
// one of numpy's loops. It computes what that loop would, bit by bit, and returns 1; or it does nothing and returns 0, because the
// numbers have gaps, are few, or partly overlap what they become.

#ifndef SANDSHELL_VECTORS_H
#define SANDSHELL_VECTORS_H

#include "numpy/npy_common.h"

#define SANDSHELL_LOOP(NAME) int sandshell_##NAME(char **args, npy_intp const *dimensions, npy_intp const *steps)
#define SANDSHELL_NO_LOOP(...) 0

#define SANDSHELL_EACH_INTEGER(DO, KIND) \
    DO(BYTE_##KIND) DO(UBYTE_##KIND) DO(SHORT_##KIND) DO(USHORT_##KIND) DO(INT_##KIND) DO(UINT_##KIND) DO(LONG_##KIND) DO(ULONG_##KIND) \
    DO(LONGLONG_##KIND) DO(ULONGLONG_##KIND)
#define SANDSHELL_EACH_FLOAT(DO, KIND) DO(FLOAT_##KIND) DO(DOUBLE_##KIND)
#define SANDSHELL_EACH_COMPLEX(DO, KIND) DO(CFLOAT_##KIND) DO(CDOUBLE_##KIND)
#define SANDSHELL_DECLARE(NAME) SANDSHELL_LOOP(NAME);

#ifdef __cplusplus
extern "C" {
#endif

// Whether the loops below whose results need not be finite would compute this, for numbers of `size` bytes. They note the status of
// floating-point arithmetic themselves (`status.h`), and set `sandshell_told`.
int sandshell_tells(int operands, int size, char **args, npy_intp count, npy_intp const *steps);
extern int sandshell_told;

SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, add)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, subtract)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, multiply)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, divide)
SANDSHELL_EACH_COMPLEX(SANDSHELL_DECLARE, add)
SANDSHELL_EACH_COMPLEX(SANDSHELL_DECLARE, subtract)
SANDSHELL_EACH_COMPLEX(SANDSHELL_DECLARE, multiply)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, rint)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, floor)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, ceil)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, trunc)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, sqrt)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, absolute)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, square)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, reciprocal)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, negative)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, isnan)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, isinf)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, isfinite)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, signbit)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, fmax)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, fmin)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, maximum)
SANDSHELL_EACH_FLOAT(SANDSHELL_DECLARE, minimum)
SANDSHELL_EACH_INTEGER(SANDSHELL_DECLARE, maximum)
SANDSHELL_EACH_INTEGER(SANDSHELL_DECLARE, minimum)
SANDSHELL_EACH_INTEGER(SANDSHELL_DECLARE, negative)
// These compute all numbers, those with gaps too.
#define SANDSHELL_ALL(NAME) void sandshell_##NAME(char **args, npy_intp const *dimensions, npy_intp const *steps);
SANDSHELL_EACH_FLOAT(SANDSHELL_ALL, exp)
SANDSHELL_EACH_FLOAT(SANDSHELL_ALL, log)

#define SANDSHELL_SAME(TYPE) SANDSHELL_DECLARE(TYPE##_equal) SANDSHELL_DECLARE(TYPE##_not_equal)
#define SANDSHELL_ORDER(TYPE) SANDSHELL_DECLARE(TYPE##_less) SANDSHELL_DECLARE(TYPE##_less_equal)
SANDSHELL_SAME(u8) SANDSHELL_SAME(u16) SANDSHELL_SAME(u32) SANDSHELL_SAME(u64) SANDSHELL_SAME(f32) SANDSHELL_SAME(f64)
SANDSHELL_ORDER(u8) SANDSHELL_ORDER(u16) SANDSHELL_ORDER(u32) SANDSHELL_ORDER(u64) SANDSHELL_ORDER(f32) SANDSHELL_ORDER(f64)
SANDSHELL_ORDER(s8) SANDSHELL_ORDER(s16) SANDSHELL_ORDER(s32) SANDSHELL_ORDER(s64)

#define sandshell_LONGDOUBLE_maximum SANDSHELL_NO_LOOP
#define sandshell_LONGDOUBLE_minimum SANDSHELL_NO_LOOP
#define sandshell_LONGDOUBLE_fmax SANDSHELL_NO_LOOP
#define sandshell_LONGDOUBLE_fmin SANDSHELL_NO_LOOP
#define sandshell_LONGDOUBLE_negative SANDSHELL_NO_LOOP
#define sandshell_b8_equal SANDSHELL_NO_LOOP
#define sandshell_b8_not_equal SANDSHELL_NO_LOOP
#define sandshell_b8_less SANDSHELL_NO_LOOP
#define sandshell_b8_less_equal SANDSHELL_NO_LOOP

// The sum of 8 to 128 numbers without gaps: eight sums side by side, then those, as in numpy's pairwise sums.
#define SANDSHELL_ADDS_LONGDOUBLE 0
#define SANDSHELL_ADDS_HALF 0
#define SANDSHELL_ADDS_FLOAT 1
#define SANDSHELL_ADDS_DOUBLE 1
float sandshell_FLOAT_sum(const char *at, npy_intp count);
double sandshell_DOUBLE_sum(const char *at, npy_intp count);
#define sandshell_LONGDOUBLE_sum SANDSHELL_NO_LOOP
#define sandshell_HALF_sum SANDSHELL_NO_LOOP

#ifdef __cplusplus
}
#endif

#endif
