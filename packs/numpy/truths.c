// Loops whose results are true or false. See vectors.h.

#include "vectors.h"

#include <math.h>
#include <wasm_simd128.h>

#define LOAD(at, j) wasm_v128_load((const char *)(at) + 16 * (j))

// Masks of vectors become bytes: 16 numbers at a time. `A(j)` and `B(j)` are the operands.
#define PACK8(F, A, B) F(A(0), B(0))
#define PACK16(F, A, B) wasm_i8x16_narrow_i16x8(F(A(0), B(0)), F(A(1), B(1)))
#define PACK32_HALF(F, A, B, j) wasm_i16x8_narrow_i32x4(F(A(j), B(j)), F(A(j + 1), B(j + 1)))
#define PACK32(F, A, B) wasm_i8x16_narrow_i16x8(PACK32_HALF(F, A, B, 0), PACK32_HALF(F, A, B, 2))
// Each half of a mask of 64 bits is one of 32.
#define PACK64_HALF(F, A, B, j) wasm_i16x8_narrow_i32x4(PACK32_HALF(F, A, B, j), PACK32_HALF(F, A, B, j + 2))
#define PACK64(F, A, B) wasm_i8x16_narrow_i16x8(PACK64_HALF(F, A, B, 0), PACK64_HALF(F, A, B, 4))

#define LEFT_ARRAY(j) LOAD(left, j)
#define RIGHT_ARRAY(j) LOAD(right, j)
#define LEFT_ONE(j) left_one
#define RIGHT_ONE(j) right_one

static int apart(const char *in, npy_intp in_bytes, const char *out, npy_intp out_bytes)
{
    return in + in_bytes <= out || out + out_bytes <= in;
}

// Whether two operands, one of them maybe a single number, can be compared 16 at a time.
static int comparable(char **args, npy_intp count, npy_intp const *steps, npy_intp size)
{
    int left = steps[0] == size, right = steps[1] == size;
    return count >= 16 && steps[2] == 1 && (left || steps[0] == 0) && (right || steps[1] == 0) && (left || right) &&
        apart(args[0], left ? size * count : size, args[2], count) && apart(args[1], right ? size * count : size, args[2], count);
}

#define COMPARE(NAME, T, BITS, OP, SPLAT, F) \
    SANDSHELL_LOOP(NAME) \
    { \
        npy_intp count = dimensions[0], i = 0; \
        if (!comparable(args, count, steps, sizeof(T))) { \
            return 0; \
        } \
        const char *left = args[0], *right = args[1]; \
        char *out = args[2]; \
        const v128_t ones = wasm_i8x16_const_splat(1), left_one = SPLAT(*(const T *)left), right_one = SPLAT(*(const T *)right); \
        if (steps[0] == 0) { \
            for (; i + 16 <= count; i += 16, right += 16 * sizeof(T)) { \
                wasm_v128_store(out + i, ones & PACK##BITS(F, LEFT_ONE, RIGHT_ARRAY)); \
            } \
        } else if (steps[1] == 0) { \
            for (; i + 16 <= count; i += 16, left += 16 * sizeof(T)) { \
                wasm_v128_store(out + i, ones & PACK##BITS(F, LEFT_ARRAY, RIGHT_ONE)); \
            } \
        } else { \
            for (; i + 16 <= count; i += 16, left += 16 * sizeof(T), right += 16 * sizeof(T)) { \
                wasm_v128_store(out + i, ones & PACK##BITS(F, LEFT_ARRAY, RIGHT_ARRAY)); \
            } \
        } \
        for (; i < count; i++, left += steps[0], right += steps[1]) { \
            out[i] = *(const T *)left OP *(const T *)right; \
        } \
        return 1; \
    }

#define SAME(TYPE, T, BITS, SPLAT, V) \
    COMPARE(TYPE##_equal, T, BITS, ==, SPLAT, wasm_##V##_eq) COMPARE(TYPE##_not_equal, T, BITS, !=, SPLAT, wasm_##V##_ne)
#define ORDER(TYPE, T, BITS, SPLAT, LESS, LESS_EQUAL) \
    COMPARE(TYPE##_less, T, BITS, <, SPLAT, LESS) COMPARE(TYPE##_less_equal, T, BITS, <=, SPLAT, LESS_EQUAL)

// There is no comparison of 64 bits without a sign.
static inline v128_t less64(v128_t a, v128_t b)
{
    v128_t sign = wasm_i64x2_const_splat(INT64_MIN);
    return wasm_i64x2_lt(a ^ sign, b ^ sign);
}

static inline v128_t less_equal64(v128_t a, v128_t b)
{
    v128_t sign = wasm_i64x2_const_splat(INT64_MIN);
    return wasm_i64x2_le(a ^ sign, b ^ sign);
}

SAME(u8, npy_uint8, 8, wasm_u8x16_splat, i8x16)
SAME(u16, npy_uint16, 16, wasm_u16x8_splat, i16x8)
SAME(u32, npy_uint32, 32, wasm_u32x4_splat, i32x4)
SAME(u64, npy_uint64, 64, wasm_u64x2_splat, i64x2)
SAME(f32, float, 32, wasm_f32x4_splat, f32x4)
SAME(f64, double, 64, wasm_f64x2_splat, f64x2)
ORDER(u8, npy_uint8, 8, wasm_u8x16_splat, wasm_u8x16_lt, wasm_u8x16_le)
ORDER(s8, npy_int8, 8, wasm_i8x16_splat, wasm_i8x16_lt, wasm_i8x16_le)
ORDER(u16, npy_uint16, 16, wasm_u16x8_splat, wasm_u16x8_lt, wasm_u16x8_le)
ORDER(s16, npy_int16, 16, wasm_i16x8_splat, wasm_i16x8_lt, wasm_i16x8_le)
ORDER(u32, npy_uint32, 32, wasm_u32x4_splat, wasm_u32x4_lt, wasm_u32x4_le)
ORDER(s32, npy_int32, 32, wasm_i32x4_splat, wasm_i32x4_lt, wasm_i32x4_le)
ORDER(u64, npy_uint64, 64, wasm_u64x2_splat, less64, less_equal64)
ORDER(s64, npy_int64, 64, wasm_i64x2_splat, wasm_i64x2_lt, wasm_i64x2_le)
ORDER(f32, float, 32, wasm_f32x4_splat, wasm_f32x4_lt, wasm_f32x4_le)
ORDER(f64, double, 64, wasm_f64x2_splat, wasm_f64x2_lt, wasm_f64x2_le)

// What a number is. The second operand is not used.
#define ASK(NAME, T, BITS, F, ALONE) \
    SANDSHELL_LOOP(NAME) \
    { \
        npy_intp count = dimensions[0], i = 0; \
        if (count < 16 || steps[0] != sizeof(T) || steps[1] != 1 || !apart(args[0], sizeof(T) * count, args[1], count)) { \
            return 0; \
        } \
        const char *left = args[0]; \
        char *out = args[1]; \
        const v128_t ones = wasm_i8x16_const_splat(1); \
        for (; i + 16 <= count; i += 16, left += 16 * sizeof(T)) { \
            wasm_v128_store(out + i, ones & PACK##BITS(F, LEFT_ARRAY, LEFT_ARRAY)); \
        } \
        for (; i < count; i++, left += sizeof(T)) { \
            T value = *(const T *)left; \
            out[i] = ALONE; \
        } \
        return 1; \
    }
#define ISINF32(a, b) wasm_f32x4_eq(wasm_f32x4_abs(a), wasm_f32x4_const_splat(INFINITY))
#define ISINF64(a, b) wasm_f64x2_eq(wasm_f64x2_abs(a), wasm_f64x2_const_splat(INFINITY))
#define ISFINITE32(a, b) wasm_f32x4_lt(wasm_f32x4_abs(a), wasm_f32x4_const_splat(INFINITY))
#define ISFINITE64(a, b) wasm_f64x2_lt(wasm_f64x2_abs(a), wasm_f64x2_const_splat(INFINITY))
#define SIGNBIT32(a, b) wasm_i32x4_shr(a, 31)
#define SIGNBIT64(a, b) wasm_i64x2_lt(a, wasm_i64x2_const_splat(0))

ASK(FLOAT_isnan, float, 32, wasm_f32x4_ne, value != value)
ASK(DOUBLE_isnan, double, 64, wasm_f64x2_ne, value != value)
ASK(FLOAT_isinf, float, 32, ISINF32, __builtin_isinf(value) != 0)
ASK(DOUBLE_isinf, double, 64, ISINF64, __builtin_isinf(value) != 0)
ASK(FLOAT_isfinite, float, 32, ISFINITE32, value - value == 0)
ASK(DOUBLE_isfinite, double, 64, ISFINITE64, value - value == 0)
ASK(FLOAT_signbit, float, 32, SIGNBIT32, __builtin_signbitf(value) != 0)
ASK(DOUBLE_signbit, double, 64, SIGNBIT64, __builtin_signbit(value) != 0)
