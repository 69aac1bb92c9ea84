// Products of matrices. Each element is the sum of its products in their order, from zero, rounded after each step, as in numpy's own
// loop: the results are the same. Here, tiles of the result are in registers, and parts of both matrices are copied to where they are
// read one after the other.

#include "product.h"

#include <stdlib.h>
#include <wasm_simd128.h>

// A tile has 4 rows, and two vectors in each. The parts that are copied have so many rows, steps and columns.
enum { TILE_ROWS = 4, ROWS = 64, STEPS = 256, COLUMNS = 512 };

#define ADD_TO(V, sum, a, b) sum = wasm_##V##_add(sum, wasm_##V##_mul(a, b))
#define ROW(V, SPLAT, i, j, first, second) \
    a = SPLAT(left + 4 * (j) + (i)), ADD_TO(V, first, a, low), ADD_TO(V, second, a, high)
#define STEP(V, SPLAT, j) { \
        v128_t low = wasm_v128_load(right + 32 * (j)), high = wasm_v128_load(right + 32 * (j) + 16), a; \
        ROW(V, SPLAT, 0, j, r00, r01), ROW(V, SPLAT, 1, j, r10, r11); \
        ROW(V, SPLAT, 2, j, r20, r21), ROW(V, SPLAT, 3, j, r30, r31); \
    }

#define FEW_STEP(T) { \
        T value = *(const T *)a; \
        sum0 += value * *(const T *)b0, sum1 += value * *(const T *)b1, sum2 += value * *(const T *)b2, sum3 += value * *(const T *)b3; \
        a += left_column, b0 += right_row, b1 += right_row, b2 += right_row, b3 += right_row; \
    }

#define PRODUCT(TYPE, T, V, SPLAT) \
    /* Adds products to a tile. Eight steps at a time: what a loop carries leaves the registers in each turn (`vectors.c`). */ \
    static void TYPE##_add_to_tile(const T *left, const char *right, npy_intp steps, char *tile) \
    { \
        v128_t r00 = wasm_v128_load(tile), r01 = wasm_v128_load(tile + 16), r10 = wasm_v128_load(tile + 32); \
        v128_t r11 = wasm_v128_load(tile + 48), r20 = wasm_v128_load(tile + 64), r21 = wasm_v128_load(tile + 80); \
        v128_t r30 = wasm_v128_load(tile + 96), r31 = wasm_v128_load(tile + 112); \
        for (; steps >= 8; steps -= 8, left += 8 * TILE_ROWS, right += 8 * 32) { \
            STEP(V, SPLAT, 0) STEP(V, SPLAT, 1) STEP(V, SPLAT, 2) STEP(V, SPLAT, 3) \
            STEP(V, SPLAT, 4) STEP(V, SPLAT, 5) STEP(V, SPLAT, 6) STEP(V, SPLAT, 7) \
        } \
        for (; steps > 0; steps--, left += TILE_ROWS, right += 32) { \
            STEP(V, SPLAT, 0) \
        } \
        wasm_v128_store(tile, r00), wasm_v128_store(tile + 16, r01), wasm_v128_store(tile + 32, r10); \
        wasm_v128_store(tile + 48, r11), wasm_v128_store(tile + 64, r20), wasm_v128_store(tile + 80, r21); \
        wasm_v128_store(tile + 96, r30), wasm_v128_store(tile + 112, r31); \
    } \
    \
    /* Copies `lines` lines of `steps` numbers, `width` lines side by side; what is missing there is 0. */ \
    static void TYPE##_copy(const char *from, npy_intp line, npy_intp step, npy_intp lines, npy_intp steps, npy_intp width, T *to) \
    { \
        for (npy_intp start = 0; start < lines; start += width, from += width * line, to += width * steps) { \
            npy_intp there = lines - start < width ? lines - start : width; \
            if (there == width && line == sizeof(T)) { \
                for (npy_intp j = 0; j < steps; j++) { \
                    __builtin_memcpy(to + j * width, from + j * step, width == TILE_ROWS ? TILE_ROWS * sizeof(T) : 32); \
                } \
                continue; \
            } \
            for (npy_intp i = 0; i < width; i++) { \
                for (npy_intp j = 0; j < steps; j++) { \
                    to[j * width + i] = i < there ? *(const T *)(from + i * line + j * step) : 0; \
                } \
            } \
        } \
    } \
    \
    /* Without tiles, for a matrix and a vector, and small ones: four sums side by side. */ \
    static void TYPE##_few(const char *left, npy_intp left_row, npy_intp left_column, const char *right, npy_intp right_row, \
                           npy_intp right_column, char *out, npy_intp out_row, npy_intp out_column, npy_intp rows, npy_intp inner, \
                           npy_intp columns) \
    { \
        for (npy_intp row = 0; row < rows; row++) { \
            for (npy_intp column = 0; column < columns; column += 4) { \
                npy_intp there = columns - column < 4 ? columns - column : 4; \
                const char *a = left + row * left_row, *b0 = right + column * right_column; \
                /* What is missing is computed from the last column there is. */ \
                const char *b1 = there > 1 ? b0 + right_column : b0, *b2 = there > 2 ? b1 + right_column : b1; \
                const char *b3 = there > 3 ? b2 + right_column : b2; \
                T sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0; \
                npy_intp k = inner; \
                for (; k >= 4; k -= 4) { \
                    FEW_STEP(T) FEW_STEP(T) FEW_STEP(T) FEW_STEP(T) \
                } \
                for (; k > 0; k--) { \
                    FEW_STEP(T) \
                } \
                char *to = out + row * out_row + column * out_column; \
                *(T *)to = sum0; \
                if (there > 1) *(T *)(to + out_column) = sum1; \
                if (there > 2) *(T *)(to + 2 * out_column) = sum2; \
                if (there > 3) *(T *)(to + 3 * out_column) = sum3; \
            } \
        } \
    } \
    \
    void sandshell_##TYPE##_few(const char *left, npy_intp left_row, npy_intp left_column, const char *right, npy_intp right_row, \
                                npy_intp right_column, char *out, npy_intp out_row, npy_intp out_column, npy_intp rows, \
                                npy_intp inner, npy_intp columns) \
    { \
        if (rows <= columns) { \
            TYPE##_few(left, left_row, left_column, right, right_row, right_column, out, out_row, out_column, rows, inner, columns); \
        } else { \
            TYPE##_few(right, right_column, right_row, left, left_column, left_row, out, out_column, out_row, columns, inner, rows); \
        } \
    } \
    \
    int sandshell_##TYPE##_product(const char *left, npy_intp left_row, npy_intp left_column, const char *right, npy_intp right_row, \
                                   npy_intp right_column, char *out, npy_intp out_row, npy_intp out_column, npy_intp rows, \
                                   npy_intp inner, npy_intp columns) \
    { \
        enum { WIDTH = 32 / sizeof(T) }; \
        T *lefts, *rights; \
        npy_intp some_rows = rows < ROWS ? rows + TILE_ROWS : ROWS, some_columns = columns < COLUMNS ? columns + WIDTH : COLUMNS; \
        npy_intp some_steps = inner < STEPS ? inner : STEPS; \
        if ((lefts = malloc((some_rows + some_columns) * some_steps * sizeof(T))) == NULL) { \
            return 0; \
        } \
        rights = lefts + some_rows * some_steps; \
        for (npy_intp column = 0; column < columns; column += COLUMNS) { \
            npy_intp wide = columns - column < COLUMNS ? columns - column : COLUMNS; \
            for (npy_intp step = 0; step < inner; step += STEPS) { \
                npy_intp deep = inner - step < STEPS ? inner - step : STEPS; \
                TYPE##_copy(right + step * right_row + column * right_column, right_column, right_row, wide, deep, WIDTH, rights); \
                for (npy_intp row = 0; row < rows; row += ROWS) { \
                    npy_intp high = rows - row < ROWS ? rows - row : ROWS; \
                    TYPE##_copy(left + row * left_row + step * left_column, left_row, left_column, high, deep, TILE_ROWS, lefts); \
                    for (npy_intp x = 0; x < wide; x += WIDTH) { \
                        for (npy_intp y = 0; y < high; y += TILE_ROWS) { \
                            char *place = out + (row + y) * out_row + (column + x) * out_column; \
                            npy_intp across = wide - x < WIDTH ? wide - x : WIDTH, down = high - y < TILE_ROWS ? high - y : TILE_ROWS; \
                            T tile[TILE_ROWS][WIDTH] = {{0}}; \
                            for (npy_intp i = 0; step > 0 && i < down; i++) { \
                                for (npy_intp j = 0; j < across; j++) { \
                                    tile[i][j] = *(T *)(place + i * out_row + j * out_column); \
                                } \
                            } \
                            TYPE##_add_to_tile(lefts + y * deep, (const char *)(rights + x * deep), deep, (char *)tile); \
                            for (npy_intp i = 0; i < down; i++) { \
                                for (npy_intp j = 0; j < across; j++) { \
                                    *(T *)(place + i * out_row + j * out_column) = tile[i][j]; \
                                } \
                            } \
                        } \
                    } \
                } \
            } \
        } \
        free(lefts); \
        return 1; \
    }

PRODUCT(FLOAT, float, f32x4, wasm_v128_load32_splat)
PRODUCT(DOUBLE, double, f64x2, wasm_v128_load64_splat)
