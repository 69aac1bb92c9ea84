// See status.h.

#include "status.h"

#include <stdint.h>
#include <string.h>

#define NPY_NO_DEPRECATED_API NPY_API_VERSION
#define _MULTIARRAYMODULE
#define _UMATHMODULE
#include <Python.h>
#include "npy_config.h"
#include "numpy/arrayobject.h"
#include "numpy/ufuncobject.h"
#include "array_method.h"

int sandshell_status;

// What a number is.
enum { FINITE = 0, INFINITE = 1, NOT_A_NUMBER = 2 };

static int kind_of_double(double value)
{
    return value - value == 0 ? FINITE : value != value ? NOT_A_NUMBER : INFINITE;
}

static int kind_of_half(uint16_t bits)
{
    return (bits & 0x7c00) != 0x7c00 ? FINITE : bits & 0x3ff ? NOT_A_NUMBER : INFINITE;
}

static int kind_of_long(long double value)
{
    return value - value == 0 ? FINITE : value != value ? NOT_A_NUMBER : INFINITE;
}

// The kinds of a number's parts together. What is no floating-point number is finite.
static int kind(int type, const char *at)
{
    float single[2];
    double twice[2];
    long double longer[2];
    uint16_t half;
    switch (type) {
        case NPY_HALF: memcpy(&half, at, sizeof half); return kind_of_half(half);
        case NPY_FLOAT: memcpy(single, at, sizeof(float)); return kind_of_double(single[0]);
        case NPY_DOUBLE: memcpy(twice, at, sizeof(double)); return kind_of_double(twice[0]);
        case NPY_LONGDOUBLE: memcpy(longer, at, sizeof(long double)); return kind_of_long(longer[0]);
        case NPY_CFLOAT: memcpy(single, at, sizeof single); return kind_of_double(single[0]) | kind_of_double(single[1]);
        case NPY_CDOUBLE: memcpy(twice, at, sizeof twice); return kind_of_double(twice[0]) | kind_of_double(twice[1]);
        case NPY_CLONGDOUBLE: memcpy(longer, at, sizeof longer); return kind_of_long(longer[0]) | kind_of_long(longer[1]);
        default: return FINITE;
    }
}

static int has_kinds(int type)
{
    return type == NPY_HALF || (type >= NPY_FLOAT && type <= NPY_CLONGDOUBLE);
}

static size_t size_of(int type)
{
    switch (type) {
        case NPY_BOOL: case NPY_BYTE: case NPY_UBYTE: return 1;
        case NPY_SHORT: case NPY_USHORT: case NPY_HALF: return 2;
        case NPY_INT: case NPY_UINT: case NPY_LONG: case NPY_ULONG: case NPY_FLOAT: return 4;
        case NPY_LONGLONG: case NPY_ULONGLONG: case NPY_DOUBLE: case NPY_CFLOAT: return 8;
        case NPY_LONGDOUBLE: case NPY_CDOUBLE: return 16;
        case NPY_CLONGDOUBLE: return 32;
        default: return 0;
    }
}

// Whether a number is zero, of either sign.
static int is_zero(int type, const char *at)
{
    static const char zeros[32];
    size_t size = size_of(type);
    char value[32];
    if (size == 0) {
        return 0;
    }
    memcpy(value, at, size);
    if (has_kinds(type)) {
        // The signs are in the last byte of each part.
        size_t part = type >= NPY_CFLOAT && type <= NPY_CLONGDOUBLE ? size / 2 : size;
        for (size_t end = part; end <= size; end += part) {
            value[end - 1] &= 0x7f;
        }
    }
    return memcmp(value, zeros, size) == 0;
}

// Notes what a result that is not finite tells, if what it was made of was finite.
static void note(int result, int operands, int from_zero)
{
    if (result & NOT_A_NUMBER && !(operands & NOT_A_NUMBER)) {
        sandshell_status |= FE_INVALID;
    }
    if (result & INFINITE && operands == FINITE) {
        sandshell_status |= from_zero ? FE_DIVBYZERO : FE_OVERFLOW;
    }
}

// Whether a run of numbers without gaps is finite: fast, for the usual case.
static int all_finite(int type, const char *at, npy_intp count, npy_intp stride)
{
    if (type == NPY_CDOUBLE && stride == 16) {
        type = NPY_DOUBLE, stride = 8, count *= 2;
    }
    if (type == NPY_CFLOAT && stride == 8) {
        type = NPY_FLOAT, stride = 4, count *= 2;
    }
    if (type == NPY_DOUBLE && stride == 8) {
        uint64_t found = 0;
        for (npy_intp i = 0; i < count; i++) {
            uint64_t bits;
            memcpy(&bits, at + 8 * i, 8);
            // An exponent of ones carries into the sign's place.
            found |= (bits & 0x7fffffffffffffff) + 0x0010000000000000;
        }
        return found >> 63 == 0;
    }
    if (type == NPY_FLOAT && stride == 4) {
        uint32_t found = 0;
        for (npy_intp i = 0; i < count; i++) {
            uint32_t bits;
            memcpy(&bits, at + 4 * i, 4);
            found |= (bits & 0x7fffffff) + 0x00800000;
        }
        return found >> 31 == 0;
    }
    for (npy_intp i = 0; i < count; i++) {
        if (kind(type, at + i * stride) != FINITE) {
            return 0;
        }
    }
    return 1;
}

// How an infinite result of finite operands comes about.
enum cause { OVERFLOW_ONLY, ALWAYS_ZERO, LEFT_IS_ZERO, RIGHT_IS_ZERO };

static enum cause cause_of(const char *name)
{
    static const struct { const char *name; enum cause cause; } causes[] = {
        {"divide", RIGHT_IS_ZERO}, {"true_divide", RIGHT_IS_ZERO}, {"floor_divide", RIGHT_IS_ZERO}, {"remainder", RIGHT_IS_ZERO},
        {"fmod", RIGHT_IS_ZERO}, {"divmod", RIGHT_IS_ZERO}, {"reciprocal", LEFT_IS_ZERO}, {"power", LEFT_IS_ZERO},
        {"float_power", LEFT_IS_ZERO}, {"log", ALWAYS_ZERO}, {"log2", ALWAYS_ZERO}, {"log10", ALWAYS_ZERO}, {"log1p", ALWAYS_ZERO},
        {"arctanh", ALWAYS_ZERO},
    };
    for (size_t i = 0; name != NULL && i < sizeof causes / sizeof causes[0]; i++) {
        if (strcmp(name, causes[i].name) == 0) {
            return causes[i].cause;
        }
    }
    return OVERFLOW_ONLY;
}

static int from_zero(enum cause cause, int nin, const int *types, char *const *at)
{
    switch (cause) {
        case ALWAYS_ZERO: return 1;
        case LEFT_IS_ZERO: return is_zero(types[0], at[0]);
        case RIGHT_IS_ZERO: return nin > 1 && is_zero(types[1], at[1]);
        default: return 0;
    }
}

// Calls a loop of a universal function, and looks at what came out of it. With a mask, as the last operand, only what it lets through
// is computed.
int sandshell_look(PyArrayMethod_StridedLoop *loop, int masked, PyArrayMethod_Context *context, char *const *data,
                   const npy_intp *count, const npy_intp *strides, NpyAuxData *auxiliary)
{
    int nin = context->method->nin, nout = context->method->nout, looks = 0, types[NPY_MAXARGS];
    for (int op = 0; op < nin + nout; op++) {
        types[op] = context->descriptors[op]->type_num;
        looks |= op >= nin && has_kinds(types[op]);
    }
    if (!looks) {
        return loop(context, data, count, strides, auxiliary);
    }
    // An operand that the loop writes over: how many of its numbers were of each kind before. The numbers of a loop that adds to one
    // place are that one.
    npy_intp length = *count, before[NPY_MAXARGS][2], numbers[NPY_MAXARGS];
    int over[NPY_MAXARGS];
    for (int out = nin; out < nin + nout; out++) {
        over[out] = -1;
        numbers[out] = strides[out] == 0 && length > 0 ? 1 : length;
        for (int in = 0; in < nin; in++) {
            if (data[in] == data[out] && has_kinds(types[in])) {
                over[out] = in;
            }
        }
        before[out][0] = before[out][1] = 0;
        if (over[out] >= 0 && has_kinds(types[out]) && !all_finite(types[out], data[out], numbers[out], strides[out])) {
            for (npy_intp i = 0; i < numbers[out]; i++) {
                int found = kind(types[out], data[out] + i * strides[out]);
                before[out][0] += (found & INFINITE) != 0;
                before[out][1] += (found & NOT_A_NUMBER) != 0;
            }
        }
    }
    int result = loop(context, data, count, strides, auxiliary);
    if (result < 0) {
        return result;
    }
    PyUFuncObject *function = (PyUFuncObject *)context->caller;
    enum cause cause = cause_of(function != NULL ? function->name : NULL);
    for (int out = nin; out < nin + nout; out++) {
        if (!has_kinds(types[out]) || all_finite(types[out], data[out], numbers[out], strides[out])) {
            continue;
        }
        npy_intp after[2] = {0, 0};
        int others = FINITE, zero = cause == ALWAYS_ZERO;
        for (npy_intp i = 0; i < length; i++) {
            char *at[NPY_MAXARGS];
            if (masked && !data[nin + nout][i * strides[nin + nout]] && over[out] < 0) {
                continue;
            }
            int found = i < numbers[out] ? kind(types[out], data[out] + i * strides[out]) : FINITE;
            after[0] += (found & INFINITE) != 0;
            after[1] += (found & NOT_A_NUMBER) != 0;
            if (found == FINITE && over[out] < 0) {
                continue;
            }
            int operands = FINITE;
            for (int in = 0; in < nin; in++) {
                at[in] = data[in] + i * strides[in];
                operands |= in == over[out] ? FINITE : kind(types[in], at[in]);
            }
            if (over[out] < 0) {
                note(found, operands, from_zero(cause, nin, types, at));
            } else {
                others |= operands;
                // The left operand is gone. Only a reciprocal is infinite for one reason.
                zero |= cause == RIGHT_IS_ZERO ? from_zero(cause, nin, types, at) : cause == LEFT_IS_ZERO && nin == 1;
            }
        }
        if (over[out] >= 0) {
            note((after[0] > before[out][0] ? INFINITE : 0) | (after[1] > before[out][1] ? NOT_A_NUMBER : 0),
                 others | (numbers[out] == 1 && before[out][0] ? INFINITE : 0), zero);
        }
    }
    return result;
}

void sandshell_look_at_scalars(const char *name, int type, const void *left, const void *right, const void *result)
{
    int found = kind(type, result);
    if (found != FINITE) {
        char *at[] = {(char *)left, (char *)right};
        note(found, kind(type, left) | kind(type, right), from_zero(cause_of(name), 2, (int[]){type, type}, at));
    }
}
