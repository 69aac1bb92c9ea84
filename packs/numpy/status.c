// See status.h.

#include "status.h"

#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#define NPY_NO_DEPRECATED_API NPY_API_VERSION
#define _MULTIARRAYMODULE
#define _UMATHMODULE
#include <Python.h>
#include "npy_config.h"
#include "numpy/arrayobject.h"
#include "numpy/ufuncobject.h"
#include "array_method.h"
#include "vectors.h"

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

// Whether numbers are finite: fast for the usual case, those without gaps.
static int all_finite(int type, const char *at, npy_intp count, npy_intp stride)
{
    if (type == NPY_CDOUBLE && stride == 16) {
        type = NPY_DOUBLE, stride = 8, count *= 2;
    }
    if (type == NPY_CFLOAT && stride == 8) {
        type = NPY_FLOAT, stride = 4, count *= 2;
    }
    npy_intp i = 0;
    // What is finite gives a zero without a sign.
    if (type == NPY_DOUBLE && stride == 8) {
        v128_t found = wasm_i64x2_const(0, 0);
        for (; i + 8 <= count; i += 8) {
            const char *from = at + 8 * i;
            v128_t a = wasm_v128_load(from), b = wasm_v128_load(from + 16), c = wasm_v128_load(from + 32), d = wasm_v128_load(from + 48);
            found |= wasm_f64x2_sub(a, a) | wasm_f64x2_sub(b, b) | wasm_f64x2_sub(c, c) | wasm_f64x2_sub(d, d);
        }
        if (wasm_v128_any_true(found)) {
            return 0;
        }
    } else if (type == NPY_FLOAT && stride == 4) {
        v128_t found = wasm_i64x2_const(0, 0);
        for (; i + 16 <= count; i += 16) {
            const char *from = at + 4 * i;
            v128_t a = wasm_v128_load(from), b = wasm_v128_load(from + 16), c = wasm_v128_load(from + 32), d = wasm_v128_load(from + 48);
            found |= wasm_f32x4_sub(a, a) | wasm_f32x4_sub(b, b) | wasm_f32x4_sub(c, c) | wasm_f32x4_sub(d, d);
        }
        if (wasm_v128_any_true(found)) {
            return 0;
        }
    }
    // Others, and the last of those.
    if (type == NPY_DOUBLE || type == NPY_CDOUBLE) {
        double found = 0;
        for (; i < count; i++) {
            const double *from = (const double *)(at + i * stride);
            found += (from[0] - from[0]) + (type == NPY_DOUBLE ? 0 : from[1] - from[1]);
        }
        return found == 0;
    }
    if (type == NPY_FLOAT || type == NPY_CFLOAT) {
        float found = 0;
        for (; i < count; i++) {
            const float *from = (const float *)(at + i * stride);
            found += (from[0] - from[0]) + (type == NPY_FLOAT ? 0 : from[1] - from[1]);
        }
        return found == 0;
    }
    for (; i < count; i++) {
        if (kind(type, at + i * stride) != FINITE) {
            return 0;
        }
    }
    return 1;
}

// How an infinite result of finite operands comes about.
enum cause { OVERFLOW_ONLY, ALWAYS_ZERO, LEFT_IS_ZERO, RIGHT_IS_ZERO, NONE };

// What is known of a function: where infinite results come from, and whether its loops with vectors tell it themselves: those
// of numbers (1), those of complex numbers too (2).
struct known {
    const char *name;
    enum cause cause;
    int tells;
};

static const struct known *known_of(const char *name)
{
    static const struct known functions[] = {
        {"add", OVERFLOW_ONLY, 2}, {"subtract", OVERFLOW_ONLY, 2}, {"multiply", OVERFLOW_ONLY, 2},
        {"divide", RIGHT_IS_ZERO, 1}, {"exp", OVERFLOW_ONLY, 1}, {"log", ALWAYS_ZERO, 1},
        {"sqrt", OVERFLOW_ONLY, 1}, {"absolute", OVERFLOW_ONLY, 1}, {"square", OVERFLOW_ONLY, 1}, {"reciprocal", LEFT_IS_ZERO, 1},
        {"true_divide", RIGHT_IS_ZERO}, {"floor_divide", RIGHT_IS_ZERO}, {"remainder", RIGHT_IS_ZERO}, {"fmod", RIGHT_IS_ZERO},
        {"divmod", RIGHT_IS_ZERO}, {"power", LEFT_IS_ZERO}, {"float_power", LEFT_IS_ZERO}, {"log2", ALWAYS_ZERO},
        {"log10", ALWAYS_ZERO}, {"log1p", ALWAYS_ZERO}, {"arctanh", ALWAYS_ZERO},
        // Their results are not finite only where an operand is not.
        {"maximum", NONE}, {"minimum", NONE}, {"fmax", NONE}, {"fmin", NONE}, {"negative", NONE}, {"positive", NONE},
        {"fabs", NONE}, {"copysign", NONE}, {"rint", NONE}, {"floor", NONE}, {"ceil", NONE}, {"trunc", NONE}, {"conjugate", NONE},
    };
    static const struct known other = {NULL, OVERFLOW_ONLY, 0};
    for (size_t i = 0; name != NULL && i < sizeof functions / sizeof functions[0]; i++) {
        const char *left = name, *right = functions[i].name;
        while (*left == *right && *left != 0) {
            left++, right++;
        }
        if (*left == *right) {
            return &functions[i];
        }
    }
    return &other;
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

// How many numbers are computed at once: they are looked at while they are in the processor's nearest cache. Of those that a loop
// writes over, so many bytes are kept. The stack may have little left.
enum { BLOCK = 1024, KEPT = 4096 };

// A call of a loop for some numbers.
struct call {
    int nin, nout, masked, types[NPY_MAXARGS];
    // The operand that each output takes the place of, or -1.
    int over[NPY_MAXARGS];
    char *data[NPY_MAXARGS + 1];
    const npy_intp *strides;
    enum cause cause;
};

// Looks at `count` results of an output. `former` is what was in its place, if that was an operand.
static void look(const struct call *call, int out, npy_intp count, char *former, npy_intp former_stride)
{
    const int *types = call->types;
    const npy_intp *strides = call->strides;
    int over = call->over[out], mask = call->nin + call->nout;
    for (npy_intp i = 0; i < count; i++) {
        int found = kind(types[out], call->data[out] + i * strides[out]);
        if (found == FINITE || (call->masked && !call->data[mask][i * strides[mask]])) {
            continue;
        }
        char *at[NPY_MAXARGS];
        int operands = FINITE;
        for (int in = 0; in < call->nin; in++) {
            at[in] = in == over ? former + i * former_stride : call->data[in] + i * strides[in];
            operands |= kind(types[in], at[in]);
        }
        note(found, operands, from_zero(call->cause, call->nin, types, at));
    }
}

// Looks at the one result of a loop that adds `count` numbers to one place. `former` was in that place.
static void look_at_sum(const struct call *call, int out, npy_intp count, char *former)
{
    int found = kind(call->types[out], call->data[out]), over = call->over[out], operands = FINITE, zero = call->cause == ALWAYS_ZERO;
    if (found == FINITE) {
        return;
    }
    for (int in = 0; in < call->nin; in++) {
        operands |= in == over ? kind(call->types[in], former) : FINITE;
    }
    for (npy_intp i = 0; i < count; i++) {
        char *at[NPY_MAXARGS];
        for (int in = 0; in < call->nin; in++) {
            at[in] = in == over ? former : call->data[in] + i * call->strides[in];
            operands |= in == over ? FINITE : kind(call->types[in], at[in]);
        }
        zero |= call->cause == RIGHT_IS_ZERO && from_zero(call->cause, call->nin, call->types, at);
    }
    note(found, operands, zero);
}

// Whether an exception is there. Without the interpreter's lock there is none.
static int raised(void)
{
    return PyThreadState_GetUnchecked() != NULL && PyErr_Occurred() != NULL;
}

// Looks at what came out of a loop. After an exception, that is nothing.
static void look_at_all(const struct call *call, npy_intp count, char **former, const npy_intp *former_stride)
{
    for (int out = call->nin; out < call->nin + call->nout; out++) {
        npy_intp stride = call->strides[out], numbers = stride == 0 ? 1 : count;
        if (!has_kinds(call->types[out]) || all_finite(call->types[out], call->data[out], numbers, stride) || raised()) {
            continue;
        }
        if (stride == 0 && count > 1) {
            look_at_sum(call, out, count, former[out]);
        } else {
            look(call, out, count, former[out], former_stride[out]);
        }
    }
}

// Calls a loop for one block, and looks at what came out.
static int run(struct call *call, PyArrayMethod_StridedLoop *loop, PyArrayMethod_Context *context, npy_intp count, NpyAuxData *auxiliary)
{
    // A loop may write over an operand, which is kept for the question where a result comes from.
    char kept[KEPT];
    char *former[NPY_MAXARGS] = {NULL};
    npy_intp former_stride[NPY_MAXARGS] = {0}, used = 0;
    int nin = call->nin, end = nin + call->nout;
    for (int out = nin; out < end; out++) {
        npy_intp stride = call->strides[out], numbers = stride == 0 ? 1 : count, size = size_of(call->types[out]);
        if (call->over[out] < 0 || used + numbers * size > (npy_intp)sizeof kept) {
            call->over[out] = -1;
            continue;
        }
        former[out] = kept + used;
        former_stride[out] = stride == 0 ? 0 : size;
        used += numbers * size;
        if (stride == size) {
            memcpy(former[out], call->data[out], numbers * size);
        } else {
            for (npy_intp i = 0; i < numbers; i++) {
                memcpy(former[out] + i * size, call->data[out] + i * stride, size);
            }
        }
    }
    int result = loop(context, call->data, &count, call->strides, auxiliary);
    if (result >= 0) {
        look_at_all(call, count, former, former_stride);
    }
    return result;
}

// Calls a loop of a universal function, and looks at what came out of it. With a mask, as the last operand, only what it lets through
// is computed.
int sandshell_look(PyArrayMethod_StridedLoop *loop, int masked, PyArrayMethod_Context *context, char *const *data,
                   const npy_intp *count, const npy_intp *strides, NpyAuxData *auxiliary)
{
    PyArray_Descr *const *types = context->descriptors;
    int nin = context->method->nin, nout = context->method->nout, looks = 0, one_place = 0;
    for (int op = nin; op < nin + nout; op++) {
        looks |= has_kinds(types[op]->type_num);
        one_place |= strides[op] == 0;
    }
    if (!looks || *count <= 0) {
        return loop(context, data, count, strides, auxiliary);
    }
    PyUFuncObject *function = (PyUFuncObject *)context->caller;
    const struct known *known = known_of(function != NULL ? function->name : NULL);
    if (known->cause == NONE) {
        return loop(context, data, count, strides, auxiliary);
    }
    struct call call;
    call.nin = nin, call.nout = nout, call.masked = masked, call.strides = strides, call.cause = known->cause;
    int arguments = nin + nout + (masked != 0);
    memcpy(call.data, data, arguments * sizeof data[0]);
    for (int op = 0; op < nin + nout; op++) {
        call.types[op] = context->descriptors[op]->type_num;
        call.over[op] = -1;
        for (int in = 0; op >= nin && in < nin; in++) {
            if (data[in] == data[op] && call.types[in] == call.types[op] && has_kinds(call.types[in])) {
                call.over[op] = in;
            }
        }
    }
    int type = call.types[0], complex_numbers = type == NPY_CDOUBLE || type == NPY_CFLOAT;
    int tells = type == NPY_DOUBLE || type == NPY_FLOAT ? known->tells : complex_numbers && known->tells == 2;
    if (tells && !masked && nout == 1 && type == call.types[1] && type == call.types[nin] &&
        sandshell_tells(nin, size_of(type), call.data, *count, strides)) {
        sandshell_told = 0;
        int result = loop(context, data, count, strides, auxiliary);
        if (!sandshell_told && result >= 0) {
            // It was another loop, of a function with the same name. What it wrote over is not known.
            char *former[NPY_MAXARGS] = {NULL};
            call.over[nin] = -1;
            look_at_all(&call, *count, former, strides);
        }
        return result;
    }
    // Sums are not added in blocks: their rounding would be another.
    npy_intp left = *count, most = one_place ? left : BLOCK, over = 0;
    for (int out = nin; out < nin + nout && !one_place; out++) {
        over += call.over[out] >= 0 ? size_of(call.types[out]) : 0;
    }
    if (over > 0 && most > KEPT / over) {
        most = KEPT / over;
    }
    for (;;) {
        npy_intp block = left < most ? left : most;
        int result = run(&call, loop, context, block, auxiliary);
        left -= block;
        if (result < 0 || left == 0) {
            return result;
        }
        for (int op = 0; op < arguments; op++) {
            call.data[op] += block * strides[op];
        }
    }
}

void sandshell_look_at_scalars(const char *name, int type, const void *left, const void *right, const void *result)
{
    int found = kind(type, result);
    if (found != FINITE) {
        char *at[] = {(char *)left, (char *)right};
        note(found, kind(type, left) | kind(type, right), from_zero(known_of(name)->cause, 2, (int[]){type, type}, at));
    }
}

// The kinds of an array's numbers together.
static int kinds(PyArrayObject *array)
{
    int found = FINITE, type = PyArray_TYPE(array);
    PyArrayIterObject *numbers = (PyArrayIterObject *)PyArray_IterNew((PyObject *)array);
    while (numbers != NULL && numbers->index < numbers->size) {
        found |= kind(type, numbers->dataptr);
        PyArray_ITER_NEXT(numbers);
    }
    Py_XDECREF(numbers);
    PyErr_Clear();
    return found;
}

// Looks at a product that `dot` computed.
void sandshell_look_at_product(PyArrayObject *left, PyArrayObject *right, PyArrayObject *result)
{
    int type = PyArray_TYPE(result);
    int gaps = !PyArray_IS_C_CONTIGUOUS(result);
    if (!has_kinds(type) || (!gaps && all_finite(type, PyArray_DATA(result), PyArray_SIZE(result), size_of(type)))) {
        return;
    }
    int found = kinds(result);
    if (found != FINITE) {
        note(found, kinds(left) | kinds(right), 0);
    }
}
