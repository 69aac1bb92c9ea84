// See vectors.h.

#include "status.h"
#include "vectors.h"

#include <math.h>
#include <wasm_simd128.h>

#define FEWEST 16

// Which operands of a loop of two are arrays.
enum shape { NEITHER, BOTH, LEFT, RIGHT };

// Whether an operand is apart from the result, or is exactly in its place.
static int apart(const char *in, npy_intp in_size, const char *out, npy_intp out_size, npy_intp count)
{
    return (in == out && in_size == out_size) || in + count * in_size <= out || out + count * out_size <= in;
}

static enum shape shape_of(char **args, npy_intp count, npy_intp const *steps, npy_intp size, npy_intp out_size)
{
    if (count < FEWEST || steps[2] != out_size) {
        return NEITHER;
    }
    int left = steps[0] == size, right = steps[1] == size;
    if ((!left && steps[0] != 0) || (!right && steps[1] != 0) || (!left && !right)) {
        return NEITHER;
    }
    // One number must stay what it is.
    int safe = left ? apart(args[0], size, args[2], out_size, count)
                    : args[0] + size <= args[2] || args[2] + count * out_size <= args[0];
    safe &= right ? apart(args[1], size, args[2], out_size, count)
                  : args[1] + size <= args[2] || args[2] + count * out_size <= args[1];
    return !safe ? NEITHER : left && right ? BOTH : left ? LEFT : RIGHT;
}

static int plain(char **args, npy_intp count, npy_intp const *steps, npy_intp size, npy_intp out_size)
{
    return count >= FEWEST && steps[0] == size && steps[1] == out_size && apart(args[0], size, args[1], out_size, count);
}

int sandshell_told;

int sandshell_tells(int operands, int size, char **args, npy_intp count, npy_intp const *steps)
{
    return operands == 2 ? shape_of(args, count, steps, size, size) != NEITHER : plain(args, count, steps, size, size);
}

#define LOAD(at, i) wasm_v128_load((const char *)(at) + 16 * (i))
#define STORE(at, i, value) wasm_v128_store((char *)(at) + 16 * (i), value)

// Notes what results tell that are not finite: `divided` is true if an infinite one comes from a division by zero.
#define NOTE(NAME, V) \
    static __attribute__((noinline)) void NAME(v128_t left, v128_t right, v128_t result, int divided) \
    { \
        v128_t infinity = wasm_##V##_splat(INFINITY), zero = wasm_##V##_splat(0); \
        v128_t invalid = wasm_##V##_ne(result, result) & wasm_##V##_eq(left, left) & wasm_##V##_eq(right, right); \
        v128_t infinite = wasm_##V##_eq(wasm_##V##_abs(result), infinity) & wasm_##V##_lt(wasm_##V##_abs(left), infinity) & \
            wasm_##V##_lt(wasm_##V##_abs(right), infinity); \
        v128_t by_zero = divided ? wasm_##V##_eq(right, zero) : wasm_i64x2_const(0, 0); \
        if (wasm_v128_any_true(invalid)) { \
            sandshell_status |= FE_INVALID; \
        } \
        if (wasm_v128_any_true(infinite & by_zero)) { \
            sandshell_status |= FE_DIVBYZERO; \
        } \
        if (wasm_v128_any_true(wasm_v128_andnot(infinite, by_zero))) { \
            sandshell_status |= FE_OVERFLOW; \
        } \
    }
NOTE(note_FLOAT, f32x4)
NOTE(note_DOUBLE, f64x2)

// What an operation's results give if all are finite: zero, without a sign.
#define STRANGE_FLOAT(r) wasm_f32x4_sub(r, r)
#define STRANGE_DOUBLE(r) wasm_f64x2_sub(r, r)
#define SPLAT_FLOAT wasm_f32x4_splat
#define SPLAT_DOUBLE wasm_f64x2_splat
#define T_FLOAT float
#define T_DOUBLE double

// Eight vectors at a time: the engine's own check in each turn of a loop costs as much as several vectors, and what a loop carries from
// one turn to the next leaves the registers there. `A(i)` and `B(i)` are operands, `LOOK` is done before the results are stored.
#define VECTORS_OF(TYPE, A, B, F, LOOK) \
    for (; i + 8 <= vectors; i += 8) { \
        v128_t r0 = F(A(i), B(i)), r1 = F(A(i + 1), B(i + 1)), r2 = F(A(i + 2), B(i + 2)), r3 = F(A(i + 3), B(i + 3)); \
        v128_t r4 = F(A(i + 4), B(i + 4)), r5 = F(A(i + 5), B(i + 5)), r6 = F(A(i + 6), B(i + 6)), r7 = F(A(i + 7), B(i + 7)); \
        LOOK(TYPE, A, B) \
        STORE(out, i, r0), STORE(out, i + 1, r1), STORE(out, i + 2, r2), STORE(out, i + 3, r3); \
        STORE(out, i + 4, r4), STORE(out, i + 5, r5), STORE(out, i + 6, r6), STORE(out, i + 7, r7); \
    } \
    for (; i < vectors; i++) { \
        v128_t r = F(A(i), B(i)); \
        LOOK##_AT_ONE(TYPE, A(i), B(i)) \
        STORE(out, i, r); \
    }

#define NO_LOOK(TYPE, A, B)
#define NO_LOOK_AT_ONE(TYPE, A, B)
#define LOOK_WITH(TYPE, A, B, DIVIDED) \
    v128_t strange = STRANGE_##TYPE(r0) | STRANGE_##TYPE(r1) | STRANGE_##TYPE(r2) | STRANGE_##TYPE(r3) | \
        STRANGE_##TYPE(r4) | STRANGE_##TYPE(r5) | STRANGE_##TYPE(r6) | STRANGE_##TYPE(r7); \
    if (wasm_v128_any_true(strange)) { \
        note_##TYPE(A(i), B(i), r0, DIVIDED), note_##TYPE(A(i + 1), B(i + 1), r1, DIVIDED); \
        note_##TYPE(A(i + 2), B(i + 2), r2, DIVIDED), note_##TYPE(A(i + 3), B(i + 3), r3, DIVIDED); \
        note_##TYPE(A(i + 4), B(i + 4), r4, DIVIDED), note_##TYPE(A(i + 5), B(i + 5), r5, DIVIDED); \
        note_##TYPE(A(i + 6), B(i + 6), r6, DIVIDED), note_##TYPE(A(i + 7), B(i + 7), r7, DIVIDED); \
    }
#define LOOK(TYPE, A, B) LOOK_WITH(TYPE, A, B, 0)
#define LOOK_AT_ONE(TYPE, a, b) note_##TYPE(a, b, r, 0);
#define DIVISION(TYPE, A, B) LOOK_WITH(TYPE, A, B, 1)
#define DIVISION_AT_ONE(TYPE, a, b) note_##TYPE(a, b, r, 1);

#define LEFT_ARRAY(i) LOAD(left, i)
#define RIGHT_ARRAY(i) LOAD(right, i)
#define ONE(i) one

#define BINARY(TYPE, NAME, F, LOOK) \
    SANDSHELL_LOOP(NAME) \
    { \
        enum { LANES = 16 / sizeof(T_##TYPE) }; \
        npy_intp count = dimensions[0], vectors = count / LANES, i = 0; \
        const char *left = args[0], *right = args[1]; \
        char *out = args[2]; \
        enum shape shape = shape_of(args, count, steps, sizeof(T_##TYPE), sizeof(T_##TYPE)); \
        if (shape == NEITHER) { \
            return 0; \
        } else if (shape == BOTH) { \
            VECTORS_OF(TYPE, LEFT_ARRAY, RIGHT_ARRAY, F, LOOK) \
        } else if (shape == LEFT) { \
            v128_t one = SPLAT_##TYPE(*(const T_##TYPE *)right); \
            VECTORS_OF(TYPE, LEFT_ARRAY, ONE, F, LOOK) \
        } else { \
            v128_t one = SPLAT_##TYPE(*(const T_##TYPE *)left); \
            VECTORS_OF(TYPE, ONE, RIGHT_ARRAY, F, LOOK) \
        } \
        for (i *= LANES; i < count; i++) { \
            v128_t a = SPLAT_##TYPE(((const T_##TYPE *)left)[shape == RIGHT ? 0 : i]); \
            v128_t b = SPLAT_##TYPE(((const T_##TYPE *)right)[shape == LEFT ? 0 : i]), r = F(a, b); \
            LOOK##_AT_ONE(TYPE, a, b) \
            ((T_##TYPE *)out)[i] = *(T_##TYPE *)&r; \
        } \
        sandshell_told = 1; \
        return 1; \
    }

BINARY(FLOAT, FLOAT_add, wasm_f32x4_add, LOOK)
BINARY(FLOAT, FLOAT_subtract, wasm_f32x4_sub, LOOK)
BINARY(FLOAT, FLOAT_multiply, wasm_f32x4_mul, LOOK)
BINARY(FLOAT, FLOAT_divide, wasm_f32x4_div, DIVISION)
BINARY(DOUBLE, DOUBLE_add, wasm_f64x2_add, LOOK)
BINARY(DOUBLE, DOUBLE_subtract, wasm_f64x2_sub, LOOK)
BINARY(DOUBLE, DOUBLE_multiply, wasm_f64x2_mul, LOOK)
BINARY(DOUBLE, DOUBLE_divide, wasm_f64x2_div, DIVISION)

// Complex numbers: two parts each. A sum's parts are sums.
#define T_CFLOAT npy_cfloat
#define T_CDOUBLE npy_cdouble
#define SPLAT_CFLOAT(value) wasm_i64x2_splat(*(const long long *)&(value))
#define SPLAT_CDOUBLE(value) wasm_v128_load(&(value))
#define STRANGE_CFLOAT STRANGE_FLOAT
#define STRANGE_CDOUBLE STRANGE_DOUBLE
#define note_CFLOAT note_FLOAT
#define note_CDOUBLE note_DOUBLE

BINARY(CFLOAT, CFLOAT_add, wasm_f32x4_add, LOOK)
BINARY(CFLOAT, CFLOAT_subtract, wasm_f32x4_sub, LOOK)
BINARY(CDOUBLE, CDOUBLE_add, wasm_f64x2_add, LOOK)
BINARY(CDOUBLE, CDOUBLE_subtract, wasm_f64x2_sub, LOOK)

// A product's parts are of all four. Of a number's parts, the greater says whether both are finite, and numbers.
#define SWAPPED_DOUBLE(a) wasm_i64x2_shuffle(a, a, 1, 0)
#define SWAPPED_FLOAT(a) wasm_i32x4_shuffle(a, a, 1, 0, 3, 2)
#define GREATER_DOUBLE(a) wasm_f64x2_max(wasm_f64x2_abs(a), wasm_f64x2_abs(SWAPPED_DOUBLE(a)))
#define GREATER_FLOAT(a) wasm_f32x4_max(wasm_f32x4_abs(a), wasm_f32x4_abs(SWAPPED_FLOAT(a)))
#undef note_CFLOAT
#undef note_CDOUBLE
#define note_CFLOAT(a, b, r, divided) note_FLOAT(GREATER_FLOAT(a), GREATER_FLOAT(b), r, divided)
#define note_CDOUBLE(a, b, r, divided) note_DOUBLE(GREATER_DOUBLE(a), GREATER_DOUBLE(b), r, divided)

static inline v128_t product_of_doubles(v128_t a, v128_t b)
{
    v128_t x = wasm_f64x2_mul(wasm_i64x2_shuffle(a, a, 0, 0), b);
    v128_t y = wasm_f64x2_mul(wasm_i64x2_shuffle(a, a, 1, 1), SWAPPED_DOUBLE(b));
    return wasm_i64x2_shuffle(wasm_f64x2_sub(x, y), wasm_f64x2_add(x, y), 0, 3);
}

static inline v128_t product_of_floats(v128_t a, v128_t b)
{
    v128_t x = wasm_f32x4_mul(wasm_i32x4_shuffle(a, a, 0, 0, 2, 2), b);
    v128_t y = wasm_f32x4_mul(wasm_i32x4_shuffle(a, a, 1, 1, 3, 3), SWAPPED_FLOAT(b));
    return wasm_i32x4_shuffle(wasm_f32x4_sub(x, y), wasm_f32x4_add(x, y), 0, 5, 2, 7);
}

BINARY(CFLOAT, CFLOAT_multiply, product_of_floats, LOOK)
BINARY(CDOUBLE, CDOUBLE_multiply, product_of_doubles, LOOK)

// The left one if it is not the smaller, or is not a number.
#define MAX_DOUBLE(a, b) wasm_v128_bitselect(a, b, wasm_v128_or(wasm_f64x2_ge(a, b), wasm_f64x2_ne(a, a)))
#define MIN_DOUBLE(a, b) wasm_v128_bitselect(a, b, wasm_v128_or(wasm_f64x2_le(a, b), wasm_f64x2_ne(a, a)))
#define MAX_FLOAT(a, b) wasm_v128_bitselect(a, b, wasm_v128_or(wasm_f32x4_ge(a, b), wasm_f32x4_ne(a, a)))
#define MIN_FLOAT(a, b) wasm_v128_bitselect(a, b, wasm_v128_or(wasm_f32x4_le(a, b), wasm_f32x4_ne(a, a)))
// The other one if one is not a number, and the zero with that sign, as `fmax` of the C library.
#define NUMBER_DOUBLE(a, b, r) wasm_v128_bitselect(b, wasm_v128_bitselect(a, r, wasm_f64x2_ne(b, b)), wasm_f64x2_ne(a, a))
#define NUMBER_FLOAT(a, b, r) wasm_v128_bitselect(b, wasm_v128_bitselect(a, r, wasm_f32x4_ne(b, b)), wasm_f32x4_ne(a, a))
#define FMAX_DOUBLE(a, b) NUMBER_DOUBLE(a, b, wasm_f64x2_max(a, b))
#define FMIN_DOUBLE(a, b) NUMBER_DOUBLE(a, b, wasm_f64x2_min(a, b))
#define FMAX_FLOAT(a, b) NUMBER_FLOAT(a, b, wasm_f32x4_max(a, b))
#define FMIN_FLOAT(a, b) NUMBER_FLOAT(a, b, wasm_f32x4_min(a, b))

// A loop that reduces an array to its greatest or least number: the first of those that are equal, or the first that is not a number.
// `PICK(a, b)` is any of two numbers if they are equal. A sum tells whether one is not a number, or infinities of both signs are there.
#define EXTREME(TYPE, NAME, V, PICK, F) \
    static BINARY(TYPE, NAME##_of_two, F, NO_LOOK) \
    SANDSHELL_LOOP(NAME) \
    { \
        typedef T_##TYPE T; \
        enum { LANES = 16 / sizeof(T) }; \
        npy_intp count = dimensions[0], vectors = count / LANES, i = 0, at = 0; \
        const T *from = (const T *)args[1]; \
        if (args[0] != args[2] || steps[0] != 0 || steps[2] != 0 || steps[1] != sizeof(T) || count < FEWEST) { \
            return sandshell_##NAME##_of_two(args, dimensions, steps); \
        } \
        T first = *(T *)args[0], result = first; \
        v128_t best = wasm_##V##_splat(first); \
        int strange = first != first; \
        for (; i + 8 <= vectors && !strange; i += 8) { \
            v128_t a = LOAD(from, i), b = LOAD(from, i + 1), c = LOAD(from, i + 2), d = LOAD(from, i + 3); \
            v128_t sum = wasm_##V##_add(wasm_##V##_add(a, b), wasm_##V##_add(c, d)), most = PICK(PICK(a, b), PICK(c, d)); \
            a = LOAD(from, i + 4), b = LOAD(from, i + 5), c = LOAD(from, i + 6), d = LOAD(from, i + 7); \
            sum = wasm_##V##_add(sum, wasm_##V##_add(wasm_##V##_add(a, b), wasm_##V##_add(c, d))); \
            best = PICK(best, PICK(most, PICK(PICK(a, b), PICK(c, d)))); \
            if (wasm_v128_any_true(wasm_##V##_ne(sum, sum))) { \
                for (npy_intp j = 0; j < 8; j++) { \
                    a = LOAD(from, i + j); \
                    strange |= wasm_v128_any_true(wasm_##V##_ne(a, a)); \
                } \
            } \
        } \
        T parts[LANES]; \
        wasm_v128_store(parts, best); \
        for (npy_intp j = 0; j < LANES; j++) { \
            result = PICK##_ONE(result, parts[j]); \
        } \
        for (i *= LANES; i < count && !strange; i++) { \
            result = PICK##_ONE(result, from[i]), strange |= from[i] != from[i]; \
        } \
        if (strange || result == 0) { \
            /* Which of them is the first? */ \
            for (result = first; at < count && (strange ? result == result : result != 0); at++) { \
                result = from[at]; \
            } \
        } \
        *(T *)args[0] = result; \
        return 1; \
    }
#define wasm_f64x2_pmax_ONE(a, b) ((a) < (b) ? (b) : (a))
#define wasm_f64x2_pmin_ONE(a, b) ((b) < (a) ? (b) : (a))
#define wasm_f32x4_pmax_ONE(a, b) ((a) < (b) ? (b) : (a))
#define wasm_f32x4_pmin_ONE(a, b) ((b) < (a) ? (b) : (a))

EXTREME(DOUBLE, DOUBLE_maximum, f64x2, wasm_f64x2_pmax, MAX_DOUBLE)
EXTREME(DOUBLE, DOUBLE_minimum, f64x2, wasm_f64x2_pmin, MIN_DOUBLE)
EXTREME(FLOAT, FLOAT_maximum, f32x4, wasm_f32x4_pmax, MAX_FLOAT)
EXTREME(FLOAT, FLOAT_minimum, f32x4, wasm_f32x4_pmin, MIN_FLOAT)
BINARY(DOUBLE, DOUBLE_fmax, FMAX_DOUBLE, NO_LOOK)
BINARY(DOUBLE, DOUBLE_fmin, FMIN_DOUBLE, NO_LOOK)
BINARY(FLOAT, FLOAT_fmax, FMAX_FLOAT, NO_LOOK)
BINARY(FLOAT, FLOAT_fmin, FMIN_FLOAT, NO_LOOK)

// A loop of one operand, which stands for both.
#define UNARY(TYPE, NAME, F, LOOK) \
    SANDSHELL_LOOP(NAME) \
    { \
        enum { LANES = 16 / sizeof(T_##TYPE) }; \
        npy_intp count = dimensions[0], vectors = count / LANES, i = 0; \
        const char *left = args[0]; \
        char *out = args[1]; \
        if (!plain(args, count, steps, sizeof(T_##TYPE), sizeof(T_##TYPE))) { \
            return 0; \
        } \
        VECTORS_OF(TYPE, LEFT_ARRAY, LEFT_ARRAY, F, LOOK) \
        for (i *= LANES; i < count; i++) { \
            v128_t a = SPLAT_##TYPE(((const T_##TYPE *)left)[i]), r = F(a, a); \
            LOOK##_AT_ONE(TYPE, a, a) \
            ((T_##TYPE *)out)[i] = *(T_##TYPE *)&r; \
        } \
        sandshell_told = 1; \
        return 1; \
    }

#define RINT_FLOAT(a, b) wasm_f32x4_nearest(a)
#define RINT_DOUBLE(a, b) wasm_f64x2_nearest(a)
#define FLOOR_FLOAT(a, b) wasm_f32x4_floor(a)
#define FLOOR_DOUBLE(a, b) wasm_f64x2_floor(a)
#define CEIL_FLOAT(a, b) wasm_f32x4_ceil(a)
#define CEIL_DOUBLE(a, b) wasm_f64x2_ceil(a)
#define TRUNC_FLOAT(a, b) wasm_f32x4_trunc(a)
#define TRUNC_DOUBLE(a, b) wasm_f64x2_trunc(a)
#define SQRT_FLOAT(a, b) wasm_f32x4_sqrt(a)
#define SQRT_DOUBLE(a, b) wasm_f64x2_sqrt(a)
#define NEGATIVE_FLOAT(a, b) wasm_f32x4_neg(a)
#define NEGATIVE_DOUBLE(a, b) wasm_f64x2_neg(a)
#define RECIPROCAL_FLOAT(a, b) wasm_f32x4_div(wasm_f32x4_const_splat(1), a)
#define RECIPROCAL_DOUBLE(a, b) wasm_f64x2_div(wasm_f64x2_const_splat(1), a)
#define ABSOLUTE_FLOAT(a, b) wasm_f32x4_abs(a)
#define ABSOLUTE_DOUBLE(a, b) wasm_f64x2_abs(a)

#define UNARY_FLOATS(KIND, F, LOOK) UNARY(FLOAT, FLOAT_##KIND, F##_FLOAT, LOOK) UNARY(DOUBLE, DOUBLE_##KIND, F##_DOUBLE, LOOK)

UNARY_FLOATS(rint, RINT, NO_LOOK)
UNARY_FLOATS(floor, FLOOR, NO_LOOK)
UNARY_FLOATS(ceil, CEIL, NO_LOOK)
UNARY_FLOATS(trunc, TRUNC, NO_LOOK)
UNARY_FLOATS(sqrt, SQRT, LOOK)
UNARY_FLOATS(absolute, ABSOLUTE, NO_LOOK)
UNARY_FLOATS(reciprocal, RECIPROCAL, DIVISION)
UNARY_FLOATS(negative, NEGATIVE, NO_LOOK)
UNARY(FLOAT, FLOAT_square, wasm_f32x4_mul, LOOK)
UNARY(DOUBLE, DOUBLE_square, wasm_f64x2_mul, LOOK)

// The compiler makes the vectors of integers.
#define VECTORS _Pragma("clang loop vectorize(assume_safety) interleave_count(8)")

#define INTEGERS(NAME, T, OP) \
    static int NAME##_of_two(char **args, npy_intp const *dimensions, npy_intp const *steps) \
    { \
        npy_intp count = dimensions[0]; \
        const T *left = (const T *)args[0], *right = (const T *)args[1]; \
        T *out = (T *)args[2]; \
        switch (shape_of(args, count, steps, sizeof(T), sizeof(T))) { \
            case NEITHER: \
                return 0; \
            case BOTH: \
                VECTORS for (npy_intp i = 0; i < count; i++) out[i] = left[i] OP right[i] ? left[i] : right[i]; \
                return 1; \
            case LEFT: { \
                T one = *right; \
                VECTORS for (npy_intp i = 0; i < count; i++) out[i] = left[i] OP one ? left[i] : one; \
                return 1; \
            } \
            default: { \
                T one = *left; \
                VECTORS for (npy_intp i = 0; i < count; i++) out[i] = one OP right[i] ? one : right[i]; \
                return 1; \
            } \
        } \
    } \
    SANDSHELL_LOOP(NAME) \
    { \
        if (args[0] != args[2] || steps[0] != 0 || steps[2] != 0 || steps[1] != sizeof(T) || dimensions[0] < FEWEST) { \
            return NAME##_of_two(args, dimensions, steps); \
        } \
        npy_intp count = dimensions[0]; \
        const T *from = (const T *)args[1]; \
        T result = *(T *)args[0]; \
        VECTORS for (npy_intp i = 0; i < count; i++) result = from[i] OP result ? from[i] : result; \
        *(T *)args[0] = result; \
        return 1; \
    }

#define NEGATE(NAME, T) \
    SANDSHELL_LOOP(NAME) \
    { \
        npy_intp count = dimensions[0]; \
        const T *from = (const T *)args[0]; \
        T *out = (T *)args[1]; \
        if (!plain(args, count, steps, sizeof(T), sizeof(T))) { \
            return 0; \
        } \
        VECTORS for (npy_intp i = 0; i < count; i++) out[i] = (T)-from[i]; \
        return 1; \
    }

// The unsigned type computes the same bits, and wraps around.
#define INTEGER(TYPE, T, UNSIGNED) INTEGERS(TYPE##_maximum, T, >) INTEGERS(TYPE##_minimum, T, <) NEGATE(TYPE##_negative, UNSIGNED)

INTEGER(BYTE, npy_byte, npy_ubyte)
INTEGER(UBYTE, npy_ubyte, npy_ubyte)
INTEGER(SHORT, npy_short, npy_ushort)
INTEGER(USHORT, npy_ushort, npy_ushort)
INTEGER(INT, npy_int, npy_uint)
INTEGER(UINT, npy_uint, npy_uint)
INTEGER(LONG, npy_long, npy_ulong)
INTEGER(ULONG, npy_ulong, npy_ulong)
INTEGER(LONGLONG, npy_longlong, npy_ulonglong)
INTEGER(ULONGLONG, npy_ulonglong, npy_ulonglong)
// Eight sums side by side, in vectors.
#define ADD(a, at) a = wasm_f64x2_add(a, LOAD(from, at))
#define ADD_FOUR(at) ADD(a, at), ADD(b, (at) + 1), ADD(c, (at) + 2), ADD(d, (at) + 3)

double sandshell_DOUBLE_sum(const char *from, npy_intp count)
{
    v128_t a = LOAD(from, 0), b = LOAD(from, 1), c = LOAD(from, 2), d = LOAD(from, 3);
    npy_intp vectors = count / 8 * 4, i = 4;
    for (; i + 16 <= vectors; i += 16) {
        ADD_FOUR(i), ADD_FOUR(i + 4), ADD_FOUR(i + 8), ADD_FOUR(i + 12);
    }
    for (; i < vectors; i += 4) {
        ADD_FOUR(i);
    }
    double r[8];
    wasm_v128_store(r, a), wasm_v128_store(r + 2, b), wasm_v128_store(r + 4, c), wasm_v128_store(r + 6, d);
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (i *= 2; i < count; i++) {
        sum += ((const double *)from)[i];
    }
    return sum;
}

#undef ADD
#define ADD(a, at) a = wasm_f32x4_add(a, LOAD(from, at))
#define ADD_TWO(at) ADD(a, at), ADD(b, (at) + 1)

float sandshell_FLOAT_sum(const char *from, npy_intp count)
{
    v128_t a = LOAD(from, 0), b = LOAD(from, 1);
    npy_intp vectors = count / 8 * 2, i = 2;
    for (; i + 8 <= vectors; i += 8) {
        ADD_TWO(i), ADD_TWO(i + 2), ADD_TWO(i + 4), ADD_TWO(i + 6);
    }
    for (; i < vectors; i += 2) {
        ADD_TWO(i);
    }
    float r[8];
    wasm_v128_store(r, a), wasm_v128_store(r + 4, b);
    float sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (i *= 4; i < count; i++) {
        sum += ((const float *)from)[i];
    }
    return sum;
}
