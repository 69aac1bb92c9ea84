// Products of matrices, with WebAssembly's vectors. See product.c.

#ifndef SANDSHELL_PRODUCT_H
#define SANDSHELL_PRODUCT_H

#include "numpy/npy_common.h"

// Small ones are not worth the copies that it makes.
#define SANDSHELL_PRODUCT_IS_WORTH(rows, inner, columns) \
    ((rows) > 2 && (columns) > 2 && (inner) > 2 && (double)(rows) * (inner) * (columns) >= 512)

// Stores the product of two matrices, of which the distances of rows and columns are given in bytes, and returns 1; or does nothing and
// returns 0, because memory is exhausted. The result is apart from both.
#define SANDSHELL_DECLARE_PRODUCT(TYPE) \
    int sandshell_##TYPE##_product(const char *left, npy_intp left_row, npy_intp left_column, const char *right, npy_intp right_row, \
                                   npy_intp right_column, char *out, npy_intp out_row, npy_intp out_column, npy_intp rows, \
                                   npy_intp inner, npy_intp columns);

// The same, always, without copies.
#define SANDSHELL_DECLARE_FEW(TYPE) \
    void sandshell_##TYPE##_few(const char *left, npy_intp left_row, npy_intp left_column, const char *right, npy_intp right_row, \
                                npy_intp right_column, char *out, npy_intp out_row, npy_intp out_column, npy_intp rows, \
                                npy_intp inner, npy_intp columns);

SANDSHELL_DECLARE_FEW(FLOAT)
SANDSHELL_DECLARE_FEW(DOUBLE)
SANDSHELL_DECLARE_PRODUCT(FLOAT)
SANDSHELL_DECLARE_PRODUCT(DOUBLE)

#endif
