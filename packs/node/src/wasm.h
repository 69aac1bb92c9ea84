// An interpreter of WebAssembly: what its parts share. `wasm_read.c` reads modules, `wasm_check.c` checks the functions and translates
// them, `wasm_run.c` runs them, `wasm.c` gives it all to JavaScript.
//
// A function becomes code of 32-bit words for a machine with registers: cells of 8 bytes, in a frame that has the function's parameters
// and locals first and after them the values of its stack, each at its place. A vector has two cells.
#ifndef NODE_WASM_H
#define NODE_WASM_H

#include "node.h"
#include <wasm_simd128.h>

typedef v128_t vector;

/// The types of values, as modules have them. ANY is that of a value which unreachable code does not have.
enum { ANY = 0, EXTERNREF = 0x6f, FUNCREF = 0x70, V128 = 0x7b, F64 = 0x7c, F32 = 0x7d, I64 = 0x7e, I32 = 0x7f };

/// What modules take and give.
enum { FUNCTION, TABLE, MEMORY, GLOBAL };

enum { PAGE = 65536, MOST_PAGES = 65536, MOST_ELEMENTS = 10000000, NO_LIMIT = -1 };

struct func;

union cell {
    uint32_t I;
    uint64_t L;
    float F;
    double D;
    struct func *func;
};

/// A type of functions. Equal ones are one, so that they can be compared.
struct signature {
    uint32_t params, results, param_cells, result_cells;
    uint8_t types[];
};

struct name {
    const uint8_t *text;
    uint32_t size;
};

struct limits {
    uint32_t least;
    int64_t most;
};

/// A function, table, memory or global of a module, its own or imported.
struct item {
    uint8_t kind, type;
    bool changes;
    struct signature *signature;
    struct limits limits;
};

struct import {
    struct name module, name;
    struct item item;
    uint32_t index;
};

struct export {
    struct name name;
    uint8_t kind;
    uint32_t index;
};

/// A constant expression: a value, a global's, or a function.
struct constant {
    enum { VALUE, OF_GLOBAL, OF_FUNCTION } kind;
    uint32_t index;
    union cell cells[2];
};

struct element {
    enum { ACTIVE, PASSIVE, DECLARED } mode;
    uint8_t type;
    uint32_t table, count;
    struct constant offset, *items;
};

struct data {
    bool active;
    struct constant offset;
    const uint8_t *bytes;
    uint32_t size;
};

/// A function's text, and its code once it was called.
struct body {
    const uint8_t *start, *end;
    uint32_t *code;
    uint32_t frame, local_cells;
};

struct module {
    uint32_t count;
    uint8_t *bytes;
    size_t size;
    struct signature **types;
    struct item *functions, *tables, *memories, *globals;
    struct constant *values;
    struct import *imports;
    struct export *exports;
    struct element *elements;
    struct data *datas;
    struct body *bodies;
    bool *declared;
    uint32_t type_count, function_count, table_count, memory_count, global_count, import_count, export_count, element_count, data_count;
    uint32_t body_count, imported_functions, imported_globals, value_count, told_datas;
    bool tells_datas;
    int64_t start;
    char error[300];
};

struct memory {
    struct bytes *bytes;
    uint64_t size, room;
    int64_t most;
    JSValue buffer;
};

/// What a memory's bytes are in: its buffers, which may outlive it, have it too.
struct bytes {
    uint32_t count;
    uint8_t *data;
};

/// `holder` is the value of an externref, or the instance that a function is of.
struct reference {
    struct func *func;
    JSValue holder;
};

struct table {
    uint8_t type;
    uint32_t size, room;
    int64_t most;
    struct reference *items;
};

struct global {
    uint8_t type;
    bool changes;
    union cell cells[2];
    struct reference reference;
};

struct func {
    struct signature *signature;
    struct instance *instance;
    /// NULL for a function of JavaScript's, which is `callee`.
    struct body *body;
    JSValue callee;
    /// The function that programs see, if they have it; it is not kept for this.
    void *object;
    uint32_t index;
};

struct instance {
    uint32_t count;
    struct module *module;
    /// All functions; `own` has those of this instance at the same indices, and the imported values.
    struct func **functions, *own;
    struct table **tables;
    struct memory *memory;
    struct global **globals;
    bool *no_data, *no_element, is_rooted;
    /// The objects that have them; `self`, the one that has this, is not kept for this.
    JSValue *table_objects, *global_objects, memory_object;
    void *self;
};

enum trap {
    FINE, THROWN, UNREACHABLE, DIVIDE_BY_ZERO, REMAINDER_BY_ZERO, UNREPRESENTABLE, NOT_IN_RANGE, OUT_OF_MEMORY, OUT_OF_TABLE, NO_FUNCTION,
    OUT_OF_ELEMENTS, OUT_OF_SEGMENT, TOO_DEEP, NO_ROOM,
};

/// The codes of the interpreter. Those of comparisons are four: of cells, with a number, and before a branch.
enum {
    OP_NONE,
#define UNARY(code, name, text, in, out, value) OP_##name,
#define BINARY(code, name, text, in, other, out, value) OP_##name,
#define WHOLE(code, name, text, type, value) OP_##name, OP_##name##_number,
#define COMPARE(code, name, text, type, value) OP_##name, OP_##name##_number, OP_##name##_branch, OP_##name##_number_branch,
#define TERNARY(code, name, text, value) OP_##name,
#define EXTRACT(code, name, text, lanes, type, lane) OP_##name,
#define REPLACE(code, name, text, lanes, type, lane) OP_##name,
#define LOAD(code, name, text, alignment, type, kind, value) OP_##name,
#define STORE(code, name, text, alignment, type, kind) OP_##name,
#define LOAD_LANE(code, name, text, alignment, kind) OP_##name,
#define STORE_LANE(code, name, text, alignment, kind) OP_##name,
#include "wasm_ops.h"
    OP_unreachable, OP_jump, OP_jump_if, OP_jump_unless, OP_jump_table, OP_return_none, OP_return_one, OP_return_vector, OP_return_many,
    OP_call, OP_call_indirect, OP_tail_call, OP_tail_call_indirect, OP_number, OP_number64, OP_copy, OP_copy_vector, OP_select,
    OP_select_vector, OP_get_global, OP_set_global, OP_get_global_vector, OP_set_global_vector, OP_get_global_ref, OP_set_global_ref,
    OP_memory_size, OP_memory_grow, OP_memory_init, OP_data_drop, OP_memory_copy, OP_memory_fill, OP_ref_func, OP_table_get, OP_table_set,
    OP_table_size, OP_table_grow, OP_table_fill, OP_table_copy, OP_table_init, OP_elem_drop, OP_vector, OP_shuffle,
};

static inline int cells_of(uint8_t type)
{
    return type == V128 ? 2 : 1;
}

/// Reads a module, whose text stays in use; what is wrong with it is in `error`, with its place. NULL without memory.
struct module *module_read(uint8_t *bytes, size_t size);
void module_release(struct module *module);
/// Checks a function, and translates it if `body->code` is to be there. Whether it is right.
bool body_translate(struct module *module, uint32_t function, bool keep);
/// Says what is wrong with a module at a place in it.
__attribute__((format(printf, 3, 4))) bool module_wrong(struct module *module, const uint8_t *at, const char *format, ...);

struct reader {
    struct module *module;
    const uint8_t *at, *end;
    bool wrong;
};

uint32_t read_u32(struct reader *reader, const char *what);
int32_t read_s32(struct reader *reader, const char *what);
int64_t read_s33(struct reader *reader, const char *what);
int64_t read_s64(struct reader *reader, const char *what);
uint8_t read_byte(struct reader *reader, const char *what);
bool read_type(struct reader *reader, uint8_t *type);
bool is_reference(uint8_t type);
/// How messages name types and the instructions that have one byte.
const char *type_name(uint8_t type);
const char *instruction_name(uint8_t code);

/// Runs a function whose parameters are in the first cells; its results will be there.
enum trap run(JSContext *ctx, struct func *func, union cell *cells);
/// Where so many cells of a call from JavaScript can be; NULL if there is no room. They are given back.
union cell *run_enter(uint32_t cells);
void run_leave(JSContext *ctx, union cell *cells);
/// Throws what a trap is.
JSValue run_throw(JSContext *ctx, enum trap trap);

enum trap call_host(JSContext *ctx, struct func *func, union cell *cells);
int64_t memory_grow(JSContext *ctx, struct memory *memory, uint64_t pages);
int64_t table_grow(JSContext *ctx, struct table *table, uint64_t more, struct reference value);
/// A reference as a cell of the interpreter's, which lives as long as it runs, and back.
union cell reference_cell(JSContext *ctx, uint8_t type, struct reference reference);
struct reference cell_reference(JSContext *ctx, uint8_t type, union cell cell);
/// Puts a reference at a place, whose old one it frees.
void reference_set(JSContext *ctx, struct reference *place, struct reference value);
enum trap table_init(JSContext *ctx, struct instance *instance, uint32_t index, uint32_t segment, uint32_t to, uint32_t from,
                     uint32_t count);
struct reference constant_reference(JSContext *ctx, struct instance *instance, uint8_t type, const struct constant *constant);
void constant_cells(struct instance *instance, const struct constant *constant, union cell *cells);
/// Keeps an instance for as long as the interpreter runs.
void root(JSContext *ctx, struct instance *instance);

#endif
