// exp and log, with WebAssembly's vectors. The results are less than one unit of the last place away from the exact ones.
//
// exp(x) is 2^(k/128) * exp(r), for a whole number k and a small r. log(2^e * (1 + f)) is e * log(2) + log(1 + f), which is a series in
// s = f / (2 + f): table-driven methods, as in P. T. P. Tang, ACM Transactions on Mathematical Software 15 (1989) and 16 (1990). What is
// left of each series is a polynomial, with the coefficients of Chebyshev's approximation.
//
// Numbers without gaps and others give the same. Numbers whose result is not an ordinary one are computed by the C library.

#include "exponents.h"
#include "status.h"
#include "vectors.h"

#include <math.h>
#include <string.h>
#include <wasm_simd128.h>

#define D(value) wasm_f64x2_const_splat(value)
#define F(value) wasm_f32x4_const_splat(value)
#define ADD wasm_f64x2_add
#define SUB wasm_f64x2_sub
#define MUL wasm_f64x2_mul
#define ADDF wasm_f32x4_add
#define SUBF wasm_f32x4_sub
#define MULF wasm_f32x4_mul

// Added to a number and subtracted again, these round it to a whole one, which is in the last bits in between.
#define WHOLE 0x1.8p52
#define WHOLE_FLOAT 0x1.8p23f

// Whether all results are ordinary, and fast to compute.
#define ORDINARY_DOUBLE_exp(x) wasm_f64x2_lt(wasm_f64x2_abs(x), D(704))
#define ORDINARY_FLOAT_exp(x) wasm_f32x4_lt(wasm_f32x4_abs(x), F(86))
#define ORDINARY_DOUBLE_log(x) (wasm_f64x2_ge(x, D(0x1p-1022)) & wasm_f64x2_lt(x, D(INFINITY)))
#define ORDINARY_FLOAT_log(x) (wasm_f32x4_ge(x, F(0x1p-126f)) & wasm_f32x4_lt(x, F(INFINITY)))

static inline v128_t DOUBLE_exp(v128_t x)
{
    v128_t shifted = ADD(MUL(x, D(0x1.71547652b82fep+7)), D(WHOLE)), k = SUB(shifted, D(WHOLE));
    v128_t r = SUB(SUB(x, MUL(k, D(0x1.62e42fef80000p-8))), MUL(k, D(0x1.1cf79abc9e3b4p-43)));
    v128_t at = wasm_i64x2_shl(shifted & wasm_i64x2_const_splat(127), 4);
    v128_t first = wasm_v128_load((const char *)sandshell_exponents + wasm_i32x4_extract_lane(at, 0));
    v128_t second = wasm_v128_load((const char *)sandshell_exponents + wasm_i32x4_extract_lane(at, 2));
    // 2^(k/128), and the part of it that its rounding lost.
    v128_t power = wasm_i64x2_shuffle(first, second, 0, 2), lost = wasm_i64x2_shuffle(first, second, 1, 3);
    power = wasm_i64x2_add(power, wasm_i64x2_shl(wasm_v128_andnot(shifted, wasm_i64x2_const_splat(127)), 45));
    v128_t square = MUL(r, r);
    v128_t low = ADD(D(0x1.fffffffffff57p-2), MUL(r, D(0x1.5555555555525p-3)));
    v128_t high = ADD(D(0x1.55555acf8df82p-5), MUL(r, D(0x1.1111143255ff1p-7)));
    v128_t rest = ADD(ADD(lost, r), MUL(square, ADD(low, MUL(square, high))));
    return ADD(power, MUL(power, rest));
}

static inline v128_t FLOAT_exp(v128_t x)
{
    v128_t shifted = ADDF(MULF(x, F(0x1.715476p+0f)), F(WHOLE_FLOAT)), k = SUBF(shifted, F(WHOLE_FLOAT));
    v128_t r = SUBF(SUBF(x, MULF(k, F(0x1.62e4p-1f))), MULF(k, F(0x1.7f7d1cp-20f))), square = MULF(r, r);
    v128_t low = ADDF(F(0x1p-1f), MULF(r, F(0x1.555556p-3f)));
    v128_t middle = ADDF(F(0x1.5554e8p-5f), MULF(r, F(0x1.1110e0p-7f)));
    v128_t high = ADDF(F(0x1.6d43b0p-10f), MULF(r, F(0x1.a1256cp-13f)));
    v128_t rest = ADDF(r, MULF(square, ADDF(low, MULF(square, ADDF(middle, MULF(square, high))))));
    return wasm_i32x4_add(ADDF(F(1), rest), wasm_i32x4_shl(shifted, 23));
}

static inline v128_t DOUBLE_log(v128_t x)
{
    // The exponent, with its bias, of x / sqrt(1/2): 1 + f is from sqrt(1/2) to sqrt(2).
    v128_t from = wasm_i64x2_add(wasm_i64x2_sub(x, wasm_i64x2_const_splat(0x3fe6a09e667f3bcd)), wasm_i64x2_const_splat(0x4000000000000000));
    v128_t biased = wasm_u64x2_shr(from, 52);
    v128_t e = SUB(biased | D(0x1p52), D(0x1p52 + 1024));
    v128_t fraction = wasm_i64x2_sub(x, wasm_i64x2_shl(wasm_i64x2_sub(biased, wasm_i64x2_const_splat(1024)), 52));
    v128_t f = SUB(fraction, D(1)), half = MUL(D(0.5), MUL(f, f)), s = wasm_f64x2_div(f, ADD(D(2), f));
    v128_t z = MUL(s, s), w = MUL(z, z);
    v128_t odd = ADD(D(0x1.99999999952e2p-2), MUL(w, ADD(D(0x1.c71c62e5800a1p-3), MUL(w, D(0x1.39fe606542ddep-3)))));
    v128_t even = ADD(D(0x1.2492492df148dp-2), MUL(w, ADD(D(0x1.7462b4ab2ef6bp-3), MUL(w, D(0x1.2b584aae78a57p-3)))));
    v128_t rest = MUL(z, ADD(D(0x1.5555555555558p-1), ADD(MUL(z, odd), MUL(w, even))));
    v128_t small = ADD(MUL(s, ADD(half, rest)), MUL(e, D(0x1.473de6af278edp-34)));
    return SUB(MUL(e, D(0x1.62e42fef00000p-1)), SUB(SUB(half, small), f));
}

static inline v128_t FLOAT_log(v128_t x)
{
    v128_t from = wasm_i32x4_sub(x, wasm_i32x4_const_splat(0x3f3504f3)), bits = wasm_i32x4_shr(from, 23);
    v128_t e = wasm_f32x4_convert_i32x4(bits);
    v128_t f = SUBF(wasm_i32x4_sub(x, wasm_i32x4_shl(bits, 23)), F(1)), half = MULF(F(0.5f), MULF(f, f));
    v128_t s = wasm_f32x4_div(f, ADDF(F(2), f)), z = MULF(s, s), w = MULF(z, z);
    v128_t rest = ADDF(F(0x1.555556p-1f), MULF(z, F(0x1.9999ecp-2f)));
    rest = MULF(z, ADDF(rest, MULF(w, ADDF(F(0x1.245c44p-2f), MULF(z, F(0x1.ddced8p-3f))))));
    v128_t small = ADDF(MULF(s, ADDF(half, rest)), MULF(e, F(0x1.7f7d1cp-20f)));
    return SUBF(MULF(e, F(0x1.62e4p-1f)), SUBF(SUBF(half, small), f));
}

#define T_FLOAT float
#define T_DOUBLE double
#define C_FLOAT_exp expf
#define C_DOUBLE_exp exp
#define C_FLOAT_log logf
#define C_DOUBLE_log log

#define NOTE(TYPE) \
    static void note_##TYPE(T_##TYPE value, T_##TYPE result) \
    { \
        if (result != result && value == value) { \
            sandshell_status |= FE_INVALID; \
        } else if (result == result && result - result != 0 && value - value == 0) { \
            sandshell_status |= value == 0 ? FE_DIVBYZERO : FE_OVERFLOW; \
        } \
    }
NOTE(FLOAT)
NOTE(DOUBLE)

// Four vectors at a time, from `in` to `out`.
#define FUNCTION(TYPE, NAME) \
    /* As below, but some of the numbers are not ordinary. Each number's result is the same wherever it is. */ \
    static __attribute__((noinline)) void TYPE##_##NAME##_mixed(const char *in, char *out) \
    { \
        for (int i = 0; i < 64; i += 16) { \
            v128_t x = wasm_v128_load(in + i), ordinary = ORDINARY_##TYPE##_##NAME(x), results = TYPE##_##NAME(x); \
            T_##TYPE values[16 / sizeof(T_##TYPE)], result[16 / sizeof(T_##TYPE)]; \
            char fast[16]; \
            wasm_v128_store(values, x), wasm_v128_store(result, results), wasm_v128_store(fast, ordinary); \
            for (size_t j = 0; j < 16 / sizeof(T_##TYPE); j++) { \
                if (!fast[j * sizeof(T_##TYPE)]) { \
                    result[j] = C_##TYPE##_##NAME(values[j]); \
                    note_##TYPE(values[j], result[j]); \
                } \
            } \
            memcpy(out + i, result, 16); \
        } \
    } \
    \
    static inline void TYPE##_##NAME##_of_four(const char *in, char *out) \
    { \
        v128_t a = wasm_v128_load(in), b = wasm_v128_load(in + 16), c = wasm_v128_load(in + 32), d = wasm_v128_load(in + 48); \
        v128_t ordinary = ORDINARY_##TYPE##_##NAME(a) & ORDINARY_##TYPE##_##NAME(b) & ORDINARY_##TYPE##_##NAME(c) & \
            ORDINARY_##TYPE##_##NAME(d); \
        if (!wasm_i32x4_all_true(ordinary)) { \
            TYPE##_##NAME##_mixed(in, out); \
            return; \
        } \
        wasm_v128_store(out, TYPE##_##NAME(a)), wasm_v128_store(out + 16, TYPE##_##NAME(b)); \
        wasm_v128_store(out + 32, TYPE##_##NAME(c)), wasm_v128_store(out + 48, TYPE##_##NAME(d)); \
    } \
    \
    void sandshell_##TYPE##_##NAME(char **args, npy_intp const *dimensions, npy_intp const *steps) \
    { \
        enum { SIZE = sizeof(T_##TYPE), MANY = 64 / SIZE }; \
        const char *in = args[0]; \
        char *out = args[1]; \
        npy_intp count = dimensions[0]; \
        sandshell_told = 1; \
        if (steps[0] == SIZE && steps[1] == SIZE && (in == out || in + count * SIZE <= out || out + count * SIZE <= in)) { \
            for (; count >= MANY; count -= MANY, in += 64, out += 64) { \
                TYPE##_##NAME##_of_four(in, out); \
            } \
        } \
        while (count > 0) { \
            npy_intp some = count < MANY ? count : MANY; \
            T_##TYPE values[MANY], results[MANY]; \
            for (npy_intp i = 0; i < MANY; i++) { \
                values[i] = i < some ? *(const T_##TYPE *)(in + i * steps[0]) : 1; \
            } \
            TYPE##_##NAME##_of_four((const char *)values, (char *)results); \
            for (npy_intp i = 0; i < some; i++) { \
                *(T_##TYPE *)(out + i * steps[1]) = results[i]; \
            } \
            count -= some, in += some * steps[0], out += some * steps[1]; \
        } \
    }

FUNCTION(FLOAT, exp)
FUNCTION(DOUBLE, exp)
FUNCTION(FLOAT, log)
FUNCTION(DOUBLE, log)
