// Runs the code that `wasm_check.c` makes. Calls between functions of WebAssembly are frames on a list of its own.

#include "wasm.h"

/// Cells for all frames, and how many frames there can be.
enum { CELLS = 512 << 10, FRAMES = 24000, ENTRIES = 1500 };

struct frame {
    const uint32_t *at;
    union cell *cells;
    struct func *func;
};

static union cell *all_cells;
static struct frame *frames;
static uint32_t frame_count, entries;
/// Where the next call from JavaScript may have its cells.
static union cell *free_cells;

// What is kept while the interpreter runs: values of externref, and instances.
static JSValue *roots;
static uint32_t root_count, root_room;
static struct instance **rooted;
static uint32_t rooted_count, rooted_room;

union cell *run_enter(uint32_t cells)
{
    if (!all_cells) {
        all_cells = malloc(CELLS * sizeof *all_cells);
        frames = malloc(FRAMES * sizeof *frames);
        free_cells = all_cells;
        if (!all_cells || !frames) {
            free(all_cells);
            free(frames);
            all_cells = NULL;
            return NULL;
        }
    }
    if (entries >= ENTRIES || free_cells + cells + 16 > all_cells + CELLS)
        return NULL;
    entries++;
    free_cells += cells;
    return free_cells - cells;
}

void run_leave(JSContext *ctx, union cell *cells)
{
    free_cells = cells;
    if (--entries)
        return;
    while (root_count)
        JS_FreeValue(ctx, roots[--root_count]);
    while (rooted_count) {
        struct instance *instance = rooted[--rooted_count];
        instance->is_rooted = false;
        JS_FreeValue(ctx, JS_MKPTR(JS_TAG_OBJECT, instance->self));
    }
}

void root(JSContext *ctx, struct instance *instance)
{
    if (instance->is_rooted || !entries)
        return;
    if (rooted_count == rooted_room) {
        uint32_t room = rooted_room ? rooted_room * 2 : 16;
        struct instance **larger = realloc(rooted, room * sizeof *larger);
        if (!larger)
            abort();
        rooted = larger;
        rooted_room = room;
    }
    instance->is_rooted = true;
    rooted[rooted_count++] = instance;
    JS_DupValue(ctx, JS_MKPTR(JS_TAG_OBJECT, instance->self));
}

union cell reference_cell(JSContext *ctx, uint8_t type, struct reference reference)
{
    union cell cell = {.L = 0};
    if (type == FUNCREF) {
        if (reference.func)
            root(ctx, reference.func->instance);
        cell.func = reference.func;
        return cell;
    }
    if (JS_IsNull(reference.holder))
        return cell;
    if (root_count == root_room) {
        uint32_t room = root_room ? root_room * 2 : 64;
        JSValue *larger = realloc(roots, room * sizeof *larger);
        if (!larger)
            abort();
        roots = larger;
        root_room = room;
    }
    roots[root_count++] = JS_DupValue(ctx, reference.holder);
    cell.L = root_count;
    return cell;
}

struct reference cell_reference(JSContext *ctx, uint8_t type, union cell cell)
{
    if (type == FUNCREF)
        return (struct reference){cell.func, cell.func ? JS_DupValue(ctx, JS_MKPTR(JS_TAG_OBJECT, cell.func->instance->self)) : JS_NULL};
    return (struct reference){NULL, cell.I ? JS_DupValue(ctx, roots[cell.I - 1]) : JS_NULL};
}

JSValue run_throw(JSContext *ctx, enum trap trap)
{
    static const char *const WORDS[] = {
        [UNREACHABLE] = "unreachable", [DIVIDE_BY_ZERO] = "divide by zero", [REMAINDER_BY_ZERO] = "remainder by zero",
        [UNREPRESENTABLE] = "divide result unrepresentable", [NOT_IN_RANGE] = "float unrepresentable in integer range",
        [OUT_OF_MEMORY] = "memory access out of bounds", [OUT_OF_TABLE] = "table index is out of bounds",
        [NO_FUNCTION] = "null function or function signature mismatch", [OUT_OF_ELEMENTS] = "table index is out of bounds",
        [OUT_OF_SEGMENT] = "element segment out of bounds",
    };
    if (trap == THROWN)
        return JS_EXCEPTION;
    if (trap == TOO_DEEP)
        return JS_ThrowRangeError(ctx, "Maximum call stack size exceeded");
    if (trap == NO_ROOM)
        return JS_ThrowOutOfMemory(ctx);
    JSValue make = JS_GetPropertyStr(ctx, native_object, "wasmRuntimeError"), words = JS_NewString(ctx, WORDS[trap]);
    JSValue error = JS_CallConstructor(ctx, make, 1, (JSValueConst *)&words);
    JS_FreeValue(ctx, make);
    JS_FreeValue(ctx, words);
    return JS_IsException(error) ? error : JS_Throw(ctx, error);
}

static inline vector get_vector(const union cell *cells)
{
    return wasm_v128_load(cells);
}

static inline void put_vector(union cell *cells, vector value)
{
    wasm_v128_store(cells, value);
}

static bool in_table(struct table *table, uint32_t at, uint32_t count)
{
    return (uint64_t)at + count <= table->size;
}

static enum trap table_fill(JSContext *ctx, struct table *table, uint32_t at, union cell value, uint32_t count)
{
    if (!in_table(table, at, count))
        return OUT_OF_ELEMENTS;
    for (uint32_t i = 0; i < count; i++)
        reference_set(ctx, &table->items[at + i], cell_reference(ctx, table->type, value));
    return FINE;
}

static enum trap table_copy(JSContext *ctx, struct table *to, uint32_t at, struct table *from, uint32_t start, uint32_t count)
{
    if (!in_table(to, at, count) || !in_table(from, start, count))
        return OUT_OF_ELEMENTS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = at <= start ? i : count - 1 - i;
        struct reference item = from->items[start + n];
        JS_DupValue(ctx, item.holder);
        reference_set(ctx, &to->items[at + n], item);
    }
    return FINE;
}

/// Bytes of a segment into memory.
static enum trap memory_init(struct instance *instance, uint32_t index, uint32_t to, uint32_t from, uint32_t count)
{
    const struct data *data = &instance->module->datas[index];
    uint32_t size = instance->no_data[index] ? 0 : data->size;
    if ((uint64_t)to + count > instance->memory->size || (uint64_t)from + count > size)
        return OUT_OF_MEMORY;
    if (count)
        memcpy(instance->memory->bytes->data + to, data->bytes + from, count);
    return FINE;
}

#define TRAP_IF(is, which, value) ({ if (is) { trap = which; goto trapped; } (value); })
#define IN_RANGE(is, value) TRAP_IF(!(is), NOT_IN_RANGE, value)
/// Division of numbers with signs; `least` is the least of them.
#define DIVIDE(type, least) TRAP_IF(b == 0, DIVIDE_BY_ZERO, TRAP_IF((type)a == least && (type)b == -1, UNREPRESENTABLE, (type)a / (type)b))

// The types of values in C, and how cells have them.
#define C_I uint32_t
#define C_L uint64_t
#define C_F float
#define C_D double
#define C_V vector
#define GET_I(cells) (cells)->I
#define GET_L(cells) (cells)->L
#define GET_F(cells) (cells)->F
#define GET_D(cells) (cells)->D
#define GET_V(cells) get_vector(cells)
#define PUT_I(cells, value) ((cells)->I = (value))
#define PUT_L(cells, value) ((cells)->L = (value))
#define PUT_F(cells, value) ((cells)->F = (value))
#define PUT_D(cells, value) ((cells)->D = (value))
#define PUT_V(cells, value) put_vector(cells, value)
// The operands of the instruction at `at`: its first word has where the result goes, the second two cells.
#define TO (cells + (at[0] >> 16))
#define A (cells + (at[1] & 0xffff))
#define B (cells + (at[1] >> 16))
#define NEXT(words) { at += (words); continue; }
/// The bytes in memory that an instruction is on.
#define PLACE(kind, offset) ({ \
    uint64_t place = (uint64_t)A->I + (offset); \
    if (place + sizeof(kind) > size) { trap = OUT_OF_MEMORY; goto trapped; } \
    memory + place; })
#define LOADED(kind, offset) ({ kind m; memcpy(&m, PLACE(kind, offset), sizeof m); m; })
#define MEMORY() { \
    struct memory *whole = func->instance->memory; \
    memory = whole ? whole->bytes->data : NULL; \
    size = whole ? whole->size : 0; }

enum trap run(JSContext *ctx, struct func *func, union cell *cells)
{
    const uint32_t first_frame = frame_count;
    union cell *const end = all_cells + CELLS, *const free_before = free_cells;
    const uint32_t *at = NULL;
    uint8_t *memory;
    uint64_t size;
    enum trap trap = FINE;
    struct func *called = func;
    // The first call is as the others, but that there is no caller.
    goto call;
    for (;;) {
        switch (at[0] & 0xffff) {
#define UNARY(byte, name, text, in, out, value) \
        case OP_##name: { C_##in a = GET_##in(A); PUT_##out(TO, value); NEXT(2) }
#define BINARY(byte, name, text, in, other, out, value) \
        case OP_##name: { C_##in a = GET_##in(A); C_##other b = GET_##other(B); PUT_##out(TO, value); NEXT(2) }
#define WHOLE(byte, name, text, type, value) \
        case OP_##name: { C_##type a = GET_##type(A), b = GET_##type(B); PUT_##type(TO, value); NEXT(2) } \
        case OP_##name##_number: { C_##type a = GET_##type(A), b = (int32_t)at[2]; PUT_##type(TO, value); NEXT(3) }
#define COMPARE(byte, name, text, type, value) \
        case OP_##name: { C_##type a = GET_##type(A), b = GET_##type(B); TO->I = value; NEXT(2) } \
        case OP_##name##_number: { C_##type a = GET_##type(A), b = (int32_t)at[2]; TO->I = value; NEXT(3) } \
        case OP_##name##_branch: { \
            C_##type a = GET_##type(A), b = GET_##type(B); \
            at += (value) ? 2 + (int32_t)at[2] : 3; \
            continue; \
        } \
        case OP_##name##_number_branch: { \
            C_##type a = GET_##type(A), b = (int32_t)at[2]; \
            at += (value) ? 3 + (int32_t)at[3] : 4; \
            continue; \
        }
#define TERNARY(byte, name, text, value) \
        case OP_##name: { vector a = GET_V(A), b = GET_V(B), c = GET_V(cells + at[2]); PUT_V(TO, value); NEXT(3) }
#define EXTRACT(byte, name, text, lanes, type, lane) \
        case OP_##name: { lane all[lanes]; memcpy(all, A, 16); PUT_##type(TO, all[at[2]]); NEXT(3) }
#define REPLACE(byte, name, text, lanes, type, lane) \
        case OP_##name: { \
            lane all[lanes], b = GET_##type(B); \
            memcpy(all, A, 16); \
            all[at[2]] = b; \
            memcpy(TO, all, 16); \
            NEXT(3) \
        }
#define LOAD(byte, name, text, alignment, type, kind, value) \
        case OP_##name: { kind m = LOADED(kind, at[2]); PUT_##type(TO, value); NEXT(3) }
#define STORE(byte, name, text, alignment, type, kind) \
        case OP_##name: { kind value = GET_##type(B); memcpy(PLACE(kind, at[2]), &value, sizeof value); NEXT(3) }
#define LOAD_LANE(byte, name, text, alignment, kind) \
        case OP_##name: { \
            kind all[16 / sizeof(kind)], m = LOADED(kind, at[2]); \
            memcpy(all, B, 16); \
            all[at[3]] = m; \
            memcpy(TO, all, 16); \
            NEXT(4) \
        }
#define STORE_LANE(byte, name, text, alignment, kind) \
        case OP_##name: { \
            kind all[16 / sizeof(kind)]; \
            memcpy(all, B, 16); \
            memcpy(PLACE(kind, at[2]), &all[at[3]], sizeof(kind)); \
            NEXT(4) \
        }
#include "wasm_ops.h"
        case OP_unreachable:
            trap = UNREACHABLE;
            goto trapped;
        case OP_jump:
            at += 1 + (int32_t)at[1];
            continue;
        case OP_jump_if:
            at += cells[at[1]].I ? 2 + (int32_t)at[2] : 3;
            continue;
        case OP_jump_unless:
            at += cells[at[1]].I ? 3 : 2 + (int32_t)at[2];
            continue;
        case OP_jump_table: {
            uint32_t index = cells[at[1]].I, count = at[2];
            at += 3 + (index < count ? index : count);
            at += (int32_t)at[0];
            continue;
        }
        case OP_number:
            TO->L = at[1];
            NEXT(2)
        case OP_number64:
            TO->L = at[1] | (uint64_t)at[2] << 32;
            NEXT(3)
        case OP_vector:
            memcpy(TO, at + 1, 16);
            NEXT(5)
        case OP_shuffle: {
            vector which = wasm_v128_load(at + 2);
            vector one = wasm_i8x16_swizzle(GET_V(A), which);
            vector other = wasm_i8x16_swizzle(GET_V(B), wasm_i8x16_sub(which, wasm_i8x16_splat(16)));
            PUT_V(TO, wasm_v128_or(one, other));
            NEXT(6)
        }
        case OP_copy:
            *TO = cells[at[1]];
            NEXT(2)
        case OP_copy_vector:
            PUT_V(TO, GET_V(cells + at[1]));
            NEXT(2)
        case OP_select:
            *TO = cells[at[2]].I ? *A : *B;
            NEXT(3)
        case OP_select_vector:
            PUT_V(TO, cells[at[2]].I ? GET_V(A) : GET_V(B));
            NEXT(3)
        case OP_get_global:
            *TO = func->instance->globals[at[1]]->cells[0];
            NEXT(2)
        case OP_set_global:
            func->instance->globals[at[1]]->cells[0] = *TO;
            NEXT(2)
        case OP_get_global_vector:
            PUT_V(TO, GET_V(func->instance->globals[at[1]]->cells));
            NEXT(2)
        case OP_set_global_vector:
            PUT_V(func->instance->globals[at[1]]->cells, GET_V(TO));
            NEXT(2)
        case OP_get_global_ref: {
            struct global *global = func->instance->globals[at[1]];
            *TO = reference_cell(ctx, global->type, global->reference);
            NEXT(2)
        }
        case OP_set_global_ref: {
            struct global *global = func->instance->globals[at[1]];
            reference_set(ctx, &global->reference, cell_reference(ctx, global->type, *TO));
            NEXT(2)
        }
        case OP_memory_size:
            TO->I = size / PAGE;
            NEXT(2)
        case OP_memory_grow:
            TO->I = memory_grow(ctx, func->instance->memory, cells[at[1]].I);
            MEMORY()
            NEXT(2)
        case OP_memory_init:
            trap = memory_init(func->instance, at[2], TO->I, A->I, B->I);
            if (trap)
                goto trapped;
            NEXT(3)
        case OP_data_drop:
            func->instance->no_data[at[1]] = true;
            NEXT(2)
        case OP_memory_copy: {
            uint64_t to = TO->I, from = A->I, count = B->I;
            if (to + count > size || from + count > size) {
                trap = OUT_OF_MEMORY;
                goto trapped;
            }
            if (count)
                memmove(memory + to, memory + from, count);
            NEXT(2)
        }
        case OP_memory_fill: {
            uint64_t to = TO->I, count = B->I;
            if (to + count > size) {
                trap = OUT_OF_MEMORY;
                goto trapped;
            }
            if (count)
                memset(memory + to, A->I, count);
            NEXT(2)
        }
        case OP_ref_func:
            TO->L = 0;
            TO->func = func->instance->functions[at[1]];
            root(ctx, TO->func->instance);
            NEXT(2)
        case OP_table_get: {
            struct table *table = func->instance->tables[at[2]];
            if (A->I >= table->size) {
                trap = OUT_OF_TABLE;
                goto trapped;
            }
            *TO = reference_cell(ctx, table->type, table->items[A->I]);
            NEXT(3)
        }
        case OP_table_set: {
            struct table *table = func->instance->tables[at[2]];
            if (A->I >= table->size) {
                trap = OUT_OF_TABLE;
                goto trapped;
            }
            reference_set(ctx, &table->items[A->I], cell_reference(ctx, table->type, *B));
            NEXT(3)
        }
        case OP_table_size:
            TO->I = func->instance->tables[at[1]]->size;
            NEXT(2)
        case OP_table_grow: {
            struct table *table = func->instance->tables[at[2]];
            TO->I = table_grow(ctx, table, B->I, cell_reference(ctx, table->type, *A));
            NEXT(3)
        }
        case OP_table_fill:
            trap = table_fill(ctx, func->instance->tables[at[2]], TO->I, *A, B->I);
            if (trap)
                goto trapped;
            NEXT(3)
        case OP_table_copy: {
            struct table **tables = func->instance->tables;
            trap = table_copy(ctx, tables[at[2]], TO->I, tables[at[3]], A->I, B->I);
            if (trap)
                goto trapped;
            NEXT(4)
        }
        case OP_table_init:
            trap = table_init(ctx, func->instance, at[3], at[2], TO->I, A->I, B->I);
            if (trap)
                goto trapped;
            NEXT(4)
        case OP_elem_drop:
            func->instance->no_element[at[1]] = true;
            NEXT(2)
        case OP_tail_call:
        case OP_tail_call_indirect:
        case OP_call:
        case OP_call_indirect: {
            uint32_t op = at[0] & 0xffff;
            union cell *base = TO;
            const uint32_t *after;
            if (op == OP_call || op == OP_tail_call) {
                called = func->instance->functions[at[1]];
                after = at + 2;
            } else {
                struct table *table = func->instance->tables[at[2]];
                uint32_t index = cells[at[1]].I;
                if (index >= table->size) {
                    trap = OUT_OF_TABLE;
                    goto trapped;
                }
                called = table->items[index].func;
                if (!called || called->signature != func->instance->module->types[at[3]]) {
                    trap = NO_FUNCTION;
                    goto trapped;
                }
                after = at + 4;
            }
            if (op == OP_tail_call || op == OP_tail_call_indirect) {
                memmove(cells, base, called->signature->param_cells * sizeof *cells);
                goto call;
            }
            if (frame_count == FRAMES) {
                trap = TOO_DEEP;
                goto trapped;
            }
            frames[frame_count++] = (struct frame){after, cells, func};
            cells = base;
            goto call;
        }
        case OP_return_one:
            cells[0] = *TO;
            goto leave;
        case OP_return_vector:
            PUT_V(cells, GET_V(TO));
            goto leave;
        case OP_return_many:
            memmove(cells, TO, at[1] * sizeof *cells);
            goto leave;
        case OP_return_none:
            goto leave;
        default:
            __builtin_unreachable();
        }
    call:
        if (!called->body) {
            uint32_t room = called->signature->param_cells + called->signature->result_cells;
            if (cells + room + 2 > end) {
                trap = TOO_DEEP;
                goto trapped;
            }
            free_cells = cells + room;
            root(ctx, called->instance);
            trap = call_host(ctx, called, cells);
            free_cells = free_before;
            if (trap)
                goto trapped;
            goto leave;
        }
        func = called;
        root(ctx, func->instance);
        if (!func->body->code && !body_translate(func->instance->module, func->body - func->instance->module->bodies, true)) {
            trap = NO_ROOM;
            goto trapped;
        }
        if (cells + func->body->frame > end) {
            trap = TOO_DEEP;
            goto trapped;
        }
        memset(cells + func->signature->param_cells, 0, (func->body->local_cells - func->signature->param_cells) * sizeof *cells);
        at = func->body->code + 1;
        MEMORY()
        continue;
    leave:
        if (frame_count == first_frame)
            return FINE;
        {
            struct frame *frame = &frames[--frame_count];
            at = frame->at;
            cells = frame->cells;
            func = frame->func;
        }
        MEMORY()
    }
trapped:
    frame_count = first_frame;
    free_cells = free_before;
    return trap;
}
