// Checks the functions of a module of WebAssembly and translates them, in one pass over their text. Nothing here calls itself: blocks and
// values are on lists.
//
// A value on the stack has a place of its own in the frame. That of a local or of a constant is not moved there before it must be:
// instructions name the local, or have the number in them.

#include "wasm.h"
#include <stdarg.h>
#include <stdio.h>

enum where { IN_PLACE, IN_LOCAL, IS_NUMBER };

struct value {
    uint8_t type, where;
    uint16_t local;
    /// The cell that is its place.
    uint32_t cell;
    uint64_t number;
    /// The instruction that it is of.
    const uint8_t *at;
    const char *name;
};

enum block_kind { BLOCK, LOOP, IF, ELSE, BODY };

struct block {
    uint8_t kind;
    /// Whether the rest cannot be reached, and whether the block could not; whether what it takes may be missing.
    bool dead, was_dead, lacks;
    /// How many values were there before.
    uint32_t height;
    /// Its types: from a signature, or one result, or none.
    struct signature *signature;
    uint8_t result;
    /// Where a loop begins; the last word that wants the block's end, which has the place of the one before; that of `if` for `else`.
    uint32_t start, ends, otherwise;
    const uint8_t *at;
};

enum { MOST_CELLS = 60000, NOTHING = 0, LAZY = 64 };

struct checker {
    struct reader reader;
    struct module *module;
    uint32_t function;
    struct signature *signature;
    /// The instruction that is checked.
    const uint8_t *at;
    const char *name;
    /// That of which an operand was said to be wrong.
    const uint8_t *told;
    /// How many operands it has taken.
    uint32_t popped;
    uint32_t *code;
    size_t size, room;
    /// Where the last instruction is whose result may go elsewhere; NOTHING if there is none.
    size_t last;
    struct value *values;
    uint32_t count, values_room, lazy;
    struct block *blocks;
    uint32_t depth, blocks_room;
    uint8_t *locals;
    uint16_t *places;
    uint32_t local_count, locals_room, local_cells, frame;
};

static bool fail(struct checker *c, const uint8_t *at, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(struct checker *c, const uint8_t *at, const char *format, ...)
{
    char words[200];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    c->reader.wrong = true;
    return module_wrong(c->module, at, "Compiling function #%u failed: %s", c->function, words);
}

/// The same of an operand of the instruction, in place of what was said of another one.
#define tell(c, ...) ((c)->module->error[0] = '\0', (c)->told = (c)->at, fail(c, __VA_ARGS__))

/// What a reader found wrong is of this function.
static bool failed_read(struct checker *c)
{
    char words[sizeof c->module->error];
    memcpy(words, c->module->error, sizeof words);
    if (strncmp(words, "Compiling", 9))
        snprintf(c->module->error, sizeof c->module->error, "Compiling function #%u failed: %.200s", c->function, words);
    return false;
}

/// Room for one more of a list.
static bool more(struct checker *c, void *list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return true;
    void **place = list, *larger = realloc(*place, (size_t)(*room ? *room * 2 : 32) * size);
    if (!larger)
        return fail(c, c->at, "out of memory");
    *place = larger;
    *room = *room ? *room * 2 : 32;
    return true;
}

static struct block *top(struct checker *c)
{
    return &c->blocks[c->depth - 1];
}

static bool live(struct checker *c)
{
    return !top(c)->dead;
}

static void word(struct checker *c, uint32_t value)
{
    if (!live(c))
        return;
    if (c->size == c->room) {
        size_t room = c->room ? c->room * 2 : 256;
        uint32_t *larger = realloc(c->code, room * sizeof *larger);
        if (!larger) {
            fail(c, c->at, "out of memory");
            return;
        }
        c->code = larger;
        c->room = room;
    }
    c->code[c->size++] = value;
}

static void instruction(struct checker *c, uint32_t op, uint32_t to)
{
    word(c, op | to << 16);
    c->last = NOTHING;
}

/// An instruction with one result, which may go elsewhere.
static void computes(struct checker *c, uint32_t op, uint32_t to)
{
    size_t at = c->size;
    word(c, op | to << 16);
    c->last = at;
}

static void pair(struct checker *c, uint32_t a, uint32_t b)
{
    word(c, a | b << 16);
}

static void put_number(struct checker *c, uint32_t to, uint64_t number)
{
    computes(c, number >> 32 ? OP_number64 : OP_number, to);
    word(c, number);
    if (number >> 32)
        word(c, number >> 32);
}

static void copy(struct checker *c, uint32_t to, uint32_t from, uint8_t type)
{
    if (to == from)
        return;
    computes(c, type == V128 ? OP_copy_vector : OP_copy, to);
    word(c, from);
}

/// Where the next value has its place.
static uint32_t next_cell(struct checker *c)
{
    if (!c->count)
        return c->local_cells;
    struct value *last = &c->values[c->count - 1];
    return last->cell + cells_of(last->type);
}

/// Moves a value to its place.
static void settle(struct checker *c, struct value *value)
{
    if (value->where == IN_LOCAL)
        copy(c, value->cell, value->local, value->type);
    else if (value->where == IS_NUMBER)
        put_number(c, value->cell, value->number);
    value->where = IN_PLACE;
}

static void settle_all(struct checker *c)
{
    for (; c->lazy < c->count; c->lazy++)
        settle(c, &c->values[c->lazy]);
}

static struct value *push(struct checker *c, uint8_t type)
{
    static struct value none;
    if (!more(c, &c->values, c->count, &c->values_room, sizeof *c->values))
        return &none;
    uint32_t cell = next_cell(c);
    if (cell + 2 > c->frame)
        c->frame = cell + 2;
    if (c->frame > MOST_CELLS) {
        fail(c, c->at, "too many locals and values: %u cells are supported", MOST_CELLS);
        return &none;
    }
    if (c->lazy > c->count)
        c->lazy = c->count;
    if (c->count - c->lazy > LAZY)
        settle_all(c);
    struct value *value = &c->values[c->count++];
    *value = (struct value){.type = type, .cell = cell, .at = c->at, .name = c->name};
    return value;
}

const char *type_name(uint8_t type)
{
    switch (type) {
    case I32: return "i32";
    case I64: return "i64";
    case F32: return "f32";
    case F64: return "f64";
    case V128: return "v128";
    case FUNCREF: return "funcref";
    case EXTERNREF: return "externref";
    }
    return "<bot>";
}

/// Takes a value of a type, or of any; `index` of how many operands it is.
static struct value pop(struct checker *c, uint8_t type, uint32_t index)
{
    struct block *block = top(c);
    // Of several that are wrong, the first is told.
    bool may_tell = !c->reader.wrong || c->told == c->at;
    if (c->count == block->height) {
        if (!block->lacks && may_tell)
            tell(c, c->at, "not enough arguments on the stack for %s (need %u, got %u)", c->name, c->popped + 1, c->popped);
        return (struct value){.type = type, .cell = next_cell(c)};
    }
    struct value value = c->values[--c->count];
    c->popped++;
    if (type != ANY && value.type != ANY && value.type != type && may_tell)
        tell(c, value.at, "%s[%u] expected type %s, found %s of type %s", c->name, index, type_name(type), value.name,
             type_name(value.type));
    return value;
}

/// The cell that has a value.
static uint32_t cell_of(struct checker *c, struct value *value)
{
    if (value->where == IN_LOCAL)
        return value->local;
    settle(c, value);
    return value->cell;
}

/// As many values from the top must be there, of types; they stay.
static bool check_top(struct checker *c, const uint8_t *types, uint32_t count, const char *what)
{
    struct block *block = top(c);
    uint32_t there = c->count - block->height;
    if (there < count) {
        if (!block->lacks)
            return fail(c, c->at, "expected %u elements on the stack for %s, found %u", count, what, there);
        // What unreachable code lacks is below what it has.
        uint32_t missing = count - there;
        for (uint32_t i = 0; i < missing; i++)
            push(c, ANY);
        if (c->reader.wrong)
            return false;
        for (uint32_t i = c->count; i-- > block->height + missing;)
            c->values[i].type = c->values[i - missing].type;
        for (uint32_t i = 0; i < missing; i++)
            c->values[block->height + i].type = ANY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t type = c->values[c->count - count + i].type;
        if (type != types[i] && type != ANY)
            return fail(c, c->at, "type error in %s[%u] (expected %s, got %s)", what, i, type_name(types[i]), type_name(type));
    }
    return true;
}

static uint32_t params_of(struct block *block, const uint8_t **types)
{
    *types = block->signature ? block->signature->types : NULL;
    return block->signature ? block->signature->params : 0;
}

static uint32_t results_of(struct block *block, const uint8_t **types)
{
    *types = block->signature ? block->signature->types + block->signature->params : &block->result;
    return block->signature ? block->signature->results : block->result != ANY;
}

/// The values on top have these types from here on: unreachable code may not have said which.
static void retype(struct checker *c, const uint8_t *types, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        c->values[c->count - count + i].type = types[i];
}

/// What a branch to a block takes.
static uint32_t branch_types(struct block *block, const uint8_t **types)
{
    return block->kind == LOOP ? params_of(block, types) : results_of(block, types);
}

static void open_block(struct checker *c, uint8_t kind, struct signature *signature, uint8_t result, uint32_t params)
{
    bool dead = c->depth && top(c)->dead;
    if (!more(c, &c->blocks, c->depth, &c->blocks_room, sizeof *c->blocks))
        return;
    c->blocks[c->depth++] = (struct block){
        .kind = kind, .dead = dead, .was_dead = dead, .height = c->count - params, .signature = signature, .result = result,
        .start = c->size, .at = c->at,
    };
    c->last = NOTHING;
}

/// The block that a branch is to, counted from the inside.
static struct block *target(struct checker *c, uint32_t depth, const uint8_t *at)
{
    if (c->reader.wrong)
        return NULL;
    if (depth >= c->depth) {
        fail(c, at, "invalid branch depth: %u", depth);
        return NULL;
    }
    return &c->blocks[c->depth - 1 - depth];
}

/// The word of a branch that has where it goes, counted from itself.
static void destination(struct checker *c, struct block *block)
{
    if (block->kind == LOOP)
        word(c, block->start - c->size);
    else if (live(c)) {
        uint32_t before = block->ends;
        block->ends = c->size;
        word(c, before);
    }
}

/// Fills the words that are chained from one with the place that comes next.
static void arrive(struct checker *c, uint32_t at)
{
    while (at) {
        uint32_t before = c->code[at];
        c->code[at] = c->size - at;
        at = before;
    }
    c->last = NOTHING;
}

/// The cell where a block's first value is.
static uint32_t base_cell(struct checker *c, struct block *block)
{
    if (!block->height)
        return c->local_cells;
    struct value *below = &c->values[block->height - 1];
    return below->cell + cells_of(below->type);
}

/// Whether the values on top are already where a branch to the block takes them.
static bool in_position(struct checker *c, struct block *block, uint32_t count)
{
    if (!count)
        return true;
    for (uint32_t i = c->count - count; i < c->count; i++)
        if (c->values[i].where != IN_PLACE)
            return false;
    return c->values[c->count - count].cell == base_cell(c, block);
}

/// Copies the values on top to where a branch to the block takes them; they stay what they are.
static void carry(struct checker *c, struct block *block, uint32_t count)
{
    uint32_t to = count ? base_cell(c, block) : 0;
    for (uint32_t i = c->count - count; i < c->count; i++) {
        struct value *value = &c->values[i];
        if (value->where == IS_NUMBER)
            put_number(c, to, value->number);
        else
            copy(c, to, value->where == IN_LOCAL ? value->local : value->cell, value->type);
        to += cells_of(value->type);
    }
    c->last = NOTHING;
}

static void put_return(struct checker *c)
{
    uint32_t count = c->signature->results;
    if (!count) {
        instruction(c, OP_return_none, 0);
        return;
    }
    if (count == 1) {
        struct value *value = &c->values[c->count - 1];
        uint32_t cell = live(c) ? cell_of(c, value) : 0;
        instruction(c, value->type == V128 ? OP_return_vector : OP_return_one, cell);
        return;
    }
    if (!live(c))
        return;
    for (uint32_t i = c->count - count; i < c->count; i++)
        settle(c, &c->values[i]);
    instruction(c, OP_return_many, c->values[c->count - count].cell);
    word(c, c->signature->result_cells);
}

/// A branch that is always taken.
static void put_jump(struct checker *c, struct block *block, uint32_t count)
{
    if (!live(c))
        return;
    if (block->kind == BODY) {
        put_return(c);
        return;
    }
    carry(c, block, count);
    instruction(c, OP_jump, 0);
    destination(c, block);
}

/// The comparison that is true when another is not.
static const uint16_t OPPOSITE[] = {
    [OP_i32_eq] = OP_i32_ne, [OP_i32_ne] = OP_i32_eq, [OP_i32_lt_s] = OP_i32_ge_s, [OP_i32_lt_u] = OP_i32_ge_u,
    [OP_i32_gt_s] = OP_i32_le_s, [OP_i32_gt_u] = OP_i32_le_u, [OP_i32_le_s] = OP_i32_gt_s, [OP_i32_le_u] = OP_i32_gt_u,
    [OP_i32_ge_s] = OP_i32_lt_s, [OP_i32_ge_u] = OP_i32_lt_u,
    [OP_i64_eq] = OP_i64_ne, [OP_i64_ne] = OP_i64_eq, [OP_i64_lt_s] = OP_i64_ge_s, [OP_i64_lt_u] = OP_i64_ge_u,
    [OP_i64_gt_s] = OP_i64_le_s, [OP_i64_gt_u] = OP_i64_le_u, [OP_i64_le_s] = OP_i64_gt_s, [OP_i64_le_u] = OP_i64_gt_u,
    [OP_i64_ge_s] = OP_i64_lt_s, [OP_i64_ge_u] = OP_i64_lt_u,
};

/// A condition: a comparison that goes into the branch, or a cell.
struct condition {
    uint32_t op, operands, number;
    bool has_number, opposite;
};

/// Takes the condition from the code, if it is there as its last instruction.
static struct condition take_condition(struct checker *c, struct value value)
{
    struct condition condition = {0};
    if (!live(c))
        return condition;
    if (value.where != IN_PLACE || !c->last || c->code[c->last] >> 16 != value.cell) {
        condition.operands = cell_of(c, &value);
        return condition;
    }
    uint32_t op = c->code[c->last] & 0xffff, plain = op;
    if (op == OP_i32_eqz) {
        condition.operands = c->code[c->last + 1];
        condition.opposite = true;
        c->size = c->last;
        c->last = NOTHING;
        return condition;
    }
    if (op < sizeof OPPOSITE / sizeof *OPPOSITE && OPPOSITE[op])
        condition.has_number = false;
    else if (op - 1 < sizeof OPPOSITE / sizeof *OPPOSITE && OPPOSITE[op - 1])
        condition.has_number = true, plain = op - 1;
    else {
        condition.operands = value.cell;
        return condition;
    }
    condition.op = plain;
    condition.operands = c->code[c->last + 1];
    condition.number = condition.has_number ? c->code[c->last + 2] : 0;
    c->size = c->last;
    c->last = NOTHING;
    return condition;
}

/// A branch if the condition is as said; its destination comes next.
static void put_condition(struct checker *c, struct condition condition, bool wanted)
{
    if (!condition.op) {
        instruction(c, wanted != condition.opposite ? OP_jump_if : OP_jump_unless, 0);
        word(c, condition.operands);
        return;
    }
    uint32_t op = wanted ? condition.op : OPPOSITE[condition.op];
    instruction(c, condition.has_number ? op + 3 : op + 2, 0);
    word(c, condition.operands);
    if (condition.has_number)
        word(c, condition.number);
}

static void die(struct checker *c)
{
    struct block *block = top(c);
    c->count = block->height;
    if (c->lazy > c->count)
        c->lazy = c->count;
    block->dead = block->lacks = true;
    c->last = NOTHING;
}

static bool read_block_type(struct checker *c, struct signature **signature, uint8_t *result)
{
    const uint8_t *at = c->reader.at;
    int64_t type = read_s33(&c->reader, "block type index");
    *signature = NULL;
    *result = ANY;
    if (c->reader.wrong)
        return failed_read(c);
    if (type >= 0) {
        if (type >= c->module->type_count)
            return fail(c, at, "block type index %lld is not a signature definition", type);
        *signature = c->module->types[type];
        return true;
    }
    if (type == -64)
        return true;
    *result = type & 0x7f;
    if (type < -64 || !((*result >= V128 && *result <= I32) || is_reference(*result)))
        return fail(c, at, "invalid block type %lld", type);
    return true;
}

/// Values that are in their places.
static void push_types(struct checker *c, const uint8_t *types, uint32_t count)
{
    for (uint32_t i = 0; i < count && !c->reader.wrong; i++)
        push(c, types[i]);
}

static bool check_block(struct checker *c, uint8_t kind)
{
    struct signature *signature;
    uint8_t result;
    struct condition condition = {0};
    if (!read_block_type(c, &signature, &result))
        return false;
    if (kind == IF)
        condition = take_condition(c, pop(c, I32, 0));
    uint32_t params = signature ? signature->params : 0;
    if (c->reader.wrong || !check_top(c, signature ? signature->types : NULL, params, c->name))
        return false;
    if (params)
        retype(c, signature->types, params);
    settle_all(c);
    open_block(c, kind, signature, result, params);
    if (c->reader.wrong)
        return false;
    if (kind == IF) {
        put_condition(c, condition, false);
        top(c)->otherwise = c->size;
        word(c, 0);
    }
    return true;
}

/// The block's results must be there, and nothing else.
static bool check_results(struct checker *c)
{
    struct block *block = top(c);
    const uint8_t *types;
    uint32_t count = results_of(block, &types), there = c->count - block->height;
    if (there > count || (there < count && !block->lacks))
        return fail(c, c->at, "expected %u elements on the stack for fallthru, found %u", count, there);
    return check_top(c, types, count, "fallthru");
}

static bool check_else(struct checker *c)
{
    struct block *block = top(c);
    if (block->kind != IF)
        return fail(c, c->at, block->kind == ELSE ? "else already present for if" : "else does not match an if");
    if (!check_results(c))
        return false;
    const uint8_t *types;
    put_jump(c, block, results_of(block, &types));
    block->kind = ELSE;
    block->dead = block->was_dead;
    block->lacks = false;
    c->count = block->height;
    c->lazy = c->count;
    if (live(c))
        c->code[block->otherwise] = c->size - block->otherwise;
    block->otherwise = 0;
    uint32_t params = params_of(block, &types);
    push_types(c, types, params);
    c->last = NOTHING;
    return !c->reader.wrong;
}

static bool check_end(struct checker *c)
{
    struct block *block = top(c);
    const uint8_t *types, *params;
    uint32_t count = results_of(block, &types);
    if (!check_results(c))
        return false;
    if (block->kind == IF && (params_of(block, &params) != count || (count && memcmp(params, types, count))))
        return fail(c, c->at, "type error in fallthru[0] (if without else must have the same types)");
    if (block->kind == BODY) {
        if (live(c))
            put_return(c);
        c->depth--;
        return true;
    }
    if (live(c))
        carry(c, block, count);
    block->dead = block->was_dead;
    c->count = block->height;
    c->lazy = c->count;
    if (live(c) && block->otherwise)
        c->code[block->otherwise] = c->size - block->otherwise;
    arrive(c, block->ends);
    uint8_t result = block->result;
    if (!block->signature)
        types = &result;
    c->depth--;
    push_types(c, types, count);
    return !c->reader.wrong;
}

static bool check_branch(struct checker *c)
{
    const uint8_t *at = c->reader.at, *types;
    struct block *block = target(c, read_u32(&c->reader, "branch depth"), at);
    if (!block)
        return c->module->error[0] ? failed_read(c) : false;
    uint32_t count = branch_types(block, &types);
    if (!check_top(c, types, count, "branch"))
        return false;
    put_jump(c, block, count);
    die(c);
    return true;
}

static bool check_branch_if(struct checker *c)
{
    const uint8_t *at = c->reader.at, *types;
    struct block *block = target(c, read_u32(&c->reader, "branch depth"), at);
    if (!block)
        return failed_read(c);
    struct condition condition = take_condition(c, pop(c, I32, 0));
    uint32_t count = branch_types(block, &types);
    if (c->reader.wrong || !check_top(c, types, count, "branch"))
        return false;
    retype(c, types, count);
    if (!live(c))
        return true;
    if (block->kind != BODY && in_position(c, block, count)) {
        put_condition(c, condition, true);
        destination(c, block);
        return true;
    }
    // What is copied for the branch is not for what follows, which goes around it.
    if (block->kind == BODY)
        settle_all(c);
    put_condition(c, condition, false);
    uint32_t around = c->size;
    word(c, 0);
    put_jump(c, block, count);
    if (c->reader.wrong)
        return false;
    c->code[around] = c->size - around;
    c->last = NOTHING;
    return true;
}

static bool check_branch_table(struct checker *c)
{
    const uint8_t *at = c->reader.at, *types = NULL;
    uint32_t count = read_u32(&c->reader, "table count");
    if (c->reader.wrong)
        return failed_read(c);
    if (count > 65520)
        return fail(c, at, "invalid table count (> max br_table size): %u", count);
    struct value index = pop(c, I32, 0);
    uint32_t cell = live(c) ? cell_of(c, &index) : 0;
    settle_all(c);
    instruction(c, OP_jump_table, 0);
    word(c, cell);
    word(c, count);
    size_t words = c->size;
    for (uint32_t i = 0; i <= count; i++)
        word(c, 0);
    int64_t arity = -1;
    uint32_t *depths = malloc((count + 1) * sizeof *depths);
    if (!depths)
        return fail(c, at, "out of memory");
    for (uint32_t i = 0; i <= count && !c->reader.wrong; i++) {
        at = c->reader.at;
        depths[i] = read_u32(&c->reader, "branch depth");
        struct block *block = target(c, depths[i], at);
        if (!block)
            break;
        uint32_t taken = branch_types(block, &types);
        if (arity >= 0 && taken != arity)
            fail(c, at, "br_table: label arity inconsistent with previous arity %lld", arity);
        else if (check_top(c, types, taken, "branch"))
            arity = taken;
    }
    // Where values must be moved, or the function ends, the way is over some code of its own.
    for (uint32_t i = 0; i <= count && !c->reader.wrong && live(c); i++) {
        struct block *block = &c->blocks[c->depth - 1 - depths[i]];
        if (block->kind != BODY && in_position(c, block, arity)) {
            c->code[words + i] = block->kind == LOOP ? block->start - (words + i) : block->ends;
            if (block->kind != LOOP)
                block->ends = words + i;
            continue;
        }
        // The same way serves the next one, too.
        if (i && depths[i - 1] == depths[i]) {
            c->code[words + i] = c->code[words + i - 1] - 1;
            continue;
        }
        c->code[words + i] = c->size - (words + i);
        put_jump(c, block, arity);
    }
    free(depths);
    if (c->reader.wrong)
        return failed_read(c);
    die(c);
    return true;
}

/// Takes the arguments of a call: they are in their places, where the function's frame begins. The cell of that.
static bool take_arguments(struct checker *c, struct signature *signature, uint32_t *base)
{
    struct block *block = top(c);
    uint32_t there = c->count - block->height;
    if (there < signature->params && !block->lacks)
        return fail(c, c->at, "not enough arguments on the stack for %s (need %u, got %u)", c->name, signature->params, there);
    for (uint32_t i = signature->params; i-- > 0;) {
        if (c->count == block->height)
            continue;
        uint8_t type = c->values[c->count - 1].type;
        if (type != signature->types[i] && type != ANY)
            return fail(c, c->values[c->count - 1].at, "%s[%u] expected type %s, found %s of type %s", c->name, i,
                        type_name(signature->types[i]), c->values[c->count - 1].name, type_name(type));
        settle(c, &c->values[--c->count]);
    }
    if (c->lazy > c->count)
        c->lazy = c->count;
    *base = next_cell(c);
    return !c->reader.wrong;
}

static bool check_call(struct checker *c, bool is_tail)
{
    const uint8_t *at = c->reader.at;
    uint32_t index = read_u32(&c->reader, "function index"), base;
    if (c->reader.wrong)
        return failed_read(c);
    if (index >= c->module->function_count)
        return fail(c, at, "function index #%u is out of bounds", index);
    struct signature *signature = c->module->functions[index].signature;
    if (is_tail && (signature->results != c->signature->results ||
                    memcmp(signature->types + signature->params, c->signature->types + c->signature->params, signature->results)))
        return fail(c, c->at, "%s: tail call type error", c->name);
    if (!take_arguments(c, signature, &base))
        return false;
    instruction(c, is_tail ? OP_tail_call : OP_call, base);
    word(c, index);
    if (is_tail)
        die(c);
    else
        push_types(c, signature->types + signature->params, signature->results);
    return !c->reader.wrong;
}

static bool check_call_indirect(struct checker *c, bool is_tail)
{
    const uint8_t *at = c->reader.at;
    uint32_t type = read_u32(&c->reader, "signature index"), base;
    const uint8_t *table_at = c->reader.at;
    uint32_t table = read_u32(&c->reader, "table index");
    if (c->reader.wrong)
        return failed_read(c);
    if (table >= c->module->table_count)
        return fail(c, table_at, "table index %u out of range", table);
    if (c->module->tables[table].type != FUNCREF)
        return fail(c, c->at, "%s: immediate table %u is not of function type", c->name, table);
    if (type >= c->module->type_count)
        return fail(c, at, "invalid signature index: %u", type);
    struct signature *signature = c->module->types[type];
    if (is_tail && (signature->results != c->signature->results ||
                    memcmp(signature->types + signature->params, c->signature->types + c->signature->params, signature->results)))
        return fail(c, c->at, "%s: tail call return type mismatch", c->name);
    struct value index = pop(c, I32, 0);
    // The number is in its own place, which is behind the arguments, so that they do not lie over it.
    uint32_t cell = live(c) ? cell_of(c, &index) : 0;
    if (c->reader.wrong || !take_arguments(c, signature, &base))
        return false;
    instruction(c, is_tail ? OP_tail_call_indirect : OP_call_indirect, base);
    word(c, cell);
    word(c, table);
    word(c, type);
    if (is_tail)
        die(c);
    else
        push_types(c, signature->types + signature->params, signature->results);
    return !c->reader.wrong;
}

static bool local_index(struct checker *c, uint32_t *index)
{
    const uint8_t *at = c->reader.at;
    *index = read_u32(&c->reader, "local index");
    if (c->reader.wrong)
        return failed_read(c);
    return *index < c->local_count || fail(c, at, "invalid local index: %u", *index);
}

static bool check_local_get(struct checker *c)
{
    uint32_t index;
    if (!local_index(c, &index))
        return false;
    struct value *value = push(c, c->locals[index]);
    value->where = IN_LOCAL;
    value->local = c->places[index];
    return !c->reader.wrong;
}

/// Puts a value into a local. Values that are still that local's old one are moved first.
static void put_local(struct checker *c, struct value value, uint32_t place)
{
    bool moved = false;
    if (!live(c))
        return;
    for (uint32_t i = c->lazy; i < c->count; i++)
        if (c->values[i].where == IN_LOCAL && c->values[i].local == place) {
            settle(c, &c->values[i]);
            moved = true;
        }
    if (value.where == IN_PLACE && !moved && c->last && c->code[c->last] >> 16 == value.cell)
        c->code[c->last] = (c->code[c->last] & 0xffff) | place << 16;
    else if (value.where == IS_NUMBER)
        put_number(c, place, value.number);
    else
        copy(c, place, value.where == IN_LOCAL ? value.local : value.cell, value.type);
    c->last = NOTHING;
}

static bool check_local_set(struct checker *c, bool stays)
{
    uint32_t index;
    if (!local_index(c, &index))
        return false;
    struct value value = pop(c, c->locals[index], 0);
    if (c->reader.wrong)
        return false;
    put_local(c, value, c->places[index]);
    if (stays) {
        struct value *now = push(c, c->locals[index]);
        now->where = IN_LOCAL;
        now->local = c->places[index];
    }
    return !c->reader.wrong;
}

static bool check_global(struct checker *c, bool sets)
{
    const uint8_t *at = c->reader.at;
    uint32_t index = read_u32(&c->reader, "global index");
    if (c->reader.wrong)
        return failed_read(c);
    if (index >= c->module->global_count)
        return fail(c, at, "Invalid global index: %u", index);
    struct item *global = &c->module->globals[index];
    int kind = global->type == V128 ? OP_get_global_vector : is_reference(global->type) ? OP_get_global_ref : OP_get_global;
    if (!sets) {
        computes(c, kind, push(c, global->type)->cell);
        word(c, index);
        return !c->reader.wrong;
    }
    if (!global->changes)
        return fail(c, c->at, "immutable global #%u cannot be assigned", index);
    struct value value = pop(c, global->type, 0);
    uint32_t cell = live(c) ? cell_of(c, &value) : 0;
    instruction(c, kind + 1, cell);
    word(c, index);
    return !c->reader.wrong;
}

static bool check_select(struct checker *c, bool is_typed)
{
    uint8_t type = ANY;
    if (is_typed) {
        const uint8_t *at = c->reader.at;
        uint32_t count = read_u32(&c->reader, "number of select types");
        if (!c->reader.wrong && count != 1)
            return fail(c, at, "Invalid number of types. Select accepts exactly one type");
        if (!read_type(&c->reader, &type))
            return failed_read(c);
    }
    struct value condition = pop(c, I32, 2), no = pop(c, type, 1), yes = pop(c, type, 0);
    if (c->reader.wrong)
        return false;
    if (!is_typed) {
        type = yes.type != ANY ? yes.type : no.type;
        if (is_reference(type) || is_reference(no.type))
            return fail(c, c->at, "select without type is restricted to number and simd types");
        if (no.type != ANY && no.type != type)
            return fail(c, no.at, "select[1] expected type %s, found %s of type %s", type_name(type), no.name, type_name(no.type));
    }
    uint32_t a = 0, b = 0, cell = 0;
    if (live(c))
        a = cell_of(c, &yes), b = cell_of(c, &no), cell = cell_of(c, &condition);
    computes(c, type == V128 ? OP_select_vector : OP_select, push(c, type)->cell);
    pair(c, a, b);
    word(c, cell);
    return !c->reader.wrong;
}

static bool needs_memory(struct checker *c, const uint8_t *at)
{
    return c->module->memory_count || fail(c, at, "memory instruction with no memory");
}

static bool read_address(struct checker *c, uint32_t most, uint32_t *offset)
{
    const uint8_t *at = c->reader.at;
    uint32_t alignment = read_u32(&c->reader, "alignment");
    if (!c->reader.wrong && alignment & 0x40)
        return fail(c, at, "multi-memory is not supported");
    if (!c->reader.wrong && alignment > most)
        return fail(c, at, "invalid alignment; expected maximum alignment is %u, actual alignment is %u", most, alignment);
    *offset = read_u32(&c->reader, "offset");
    if (c->reader.wrong)
        return failed_read(c);
    return needs_memory(c, at);
}

/// The index of a memory, which can only be 0.
static bool memory_zero(struct checker *c)
{
    const uint8_t *at = c->reader.at;
    uint8_t index = read_byte(&c->reader, "memory index");
    if (c->reader.wrong)
        return failed_read(c);
    if (!needs_memory(c, at))
        return false;
    return !index || fail(c, at, "expected memory index 0, found %u", index);
}

static bool table_index(struct checker *c, uint32_t *index)
{
    const uint8_t *at = c->reader.at;
    *index = read_u32(&c->reader, "table index");
    if (c->reader.wrong)
        return failed_read(c);
    return *index < c->module->table_count || fail(c, at, "table index %u out of range", *index);
}

static bool data_index(struct checker *c, uint32_t *index)
{
    const uint8_t *at = c->reader.at;
    *index = read_u32(&c->reader, "data segment index");
    if (c->reader.wrong)
        return failed_read(c);
    return *index < c->module->told_datas || fail(c, at, "invalid data segment index: %u", *index);
}

static bool element_index(struct checker *c, uint32_t *index)
{
    const uint8_t *at = c->reader.at;
    *index = read_u32(&c->reader, "element segment index");
    if (c->reader.wrong)
        return failed_read(c);
    return *index < c->module->element_count || fail(c, at, "invalid element segment index: %u", *index);
}

/// An instruction on three operands without a result, of types from the first to the last.
static bool take_three(struct checker *c, uint32_t op, uint8_t first, uint8_t second, uint8_t third)
{
    struct value z = pop(c, third, 2), y = pop(c, second, 1), x = pop(c, first, 0);
    if (c->reader.wrong)
        return false;
    uint32_t a = 0, b = 0, d = 0;
    if (live(c))
        a = cell_of(c, &x), b = cell_of(c, &y), d = cell_of(c, &z);
    instruction(c, op, a);
    pair(c, b, d);
    return true;
}

static bool check_bulk(struct checker *c, uint32_t code)
{
    uint32_t index, other;
    switch (code) {
    case 8:
        c->name = "memory.init";
        if (!data_index(c, &index) || !memory_zero(c) || !take_three(c, OP_memory_init, I32, I32, I32))
            return false;
        word(c, index);
        return true;
    case 9:
        c->name = "data.drop";
        if (!data_index(c, &index))
            return false;
        instruction(c, OP_data_drop, 0);
        word(c, index);
        return true;
    case 10:
        c->name = "memory.copy";
        return memory_zero(c) && memory_zero(c) && take_three(c, OP_memory_copy, I32, I32, I32);
    case 11:
        c->name = "memory.fill";
        return memory_zero(c) && take_three(c, OP_memory_fill, I32, I32, I32);
    case 12:
        c->name = "table.init";
        if (!element_index(c, &index) || !table_index(c, &other))
            return false;
        if (c->module->tables[other].type != c->module->elements[index].type)
            return fail(c, c->at, "table.init: element segment %u is not a subtype of table %u", index, other);
        if (!take_three(c, OP_table_init, I32, I32, I32))
            return false;
        word(c, index);
        word(c, other);
        return true;
    case 13:
        c->name = "elem.drop";
        if (!element_index(c, &index))
            return false;
        instruction(c, OP_elem_drop, 0);
        word(c, index);
        return true;
    case 14:
        c->name = "table.copy";
        if (!table_index(c, &index) || !table_index(c, &other))
            return false;
        if (c->module->tables[index].type != c->module->tables[other].type)
            return fail(c, c->at, "table.copy: table %u is not a super-type of %u", index, other);
        if (!take_three(c, OP_table_copy, I32, I32, I32))
            return false;
        word(c, index);
        word(c, other);
        return true;
    case 15: {
        c->name = "table.grow";
        if (!table_index(c, &index))
            return false;
        struct value count = pop(c, I32, 1), value = pop(c, c->module->tables[index].type, 0);
        if (c->reader.wrong)
            return false;
        uint32_t a = live(c) ? cell_of(c, &value) : 0, b = live(c) ? cell_of(c, &count) : 0;
        computes(c, OP_table_grow, push(c, I32)->cell);
        pair(c, a, b);
        word(c, index);
        return !c->reader.wrong;
    }
    case 16:
        c->name = "table.size";
        if (!table_index(c, &index))
            return false;
        computes(c, OP_table_size, push(c, I32)->cell);
        word(c, index);
        return !c->reader.wrong;
    case 17:
        c->name = "table.fill";
        if (!table_index(c, &index) || !take_three(c, OP_table_fill, I32, c->module->tables[index].type, I32))
            return false;
        word(c, index);
        return true;
    }
    return fail(c, c->at, "invalid numeric opcode 0xfc%02x", code);
}

static bool check_table_access(struct checker *c, bool sets)
{
    uint32_t index;
    if (!table_index(c, &index))
        return false;
    uint8_t type = c->module->tables[index].type;
    if (!sets) {
        struct value at = pop(c, I32, 0);
        if (c->reader.wrong)
            return false;
        uint32_t cell = live(c) ? cell_of(c, &at) : 0;
        computes(c, OP_table_get, push(c, type)->cell);
        pair(c, cell, 0);
        word(c, index);
        return !c->reader.wrong;
    }
    struct value value = pop(c, type, 1), at = pop(c, I32, 0);
    if (c->reader.wrong)
        return false;
    uint32_t cell = live(c) ? cell_of(c, &at) : 0, from = live(c) ? cell_of(c, &value) : 0;
    instruction(c, OP_table_set, 0);
    pair(c, cell, from);
    word(c, index);
    return true;
}

static bool check_reference(struct checker *c, uint8_t code)
{
    const uint8_t *at = c->reader.at;
    if (code == 0xd0) {
        uint8_t type;
        if (!read_type(&c->reader, &type))
            return failed_read(c);
        if (!is_reference(type))
            return fail(c, at, "invalid heap type 0x%x", type);
        push(c, type)->where = IS_NUMBER;
        return !c->reader.wrong;
    }
    if (code == 0xd1) {
        struct value value = pop(c, ANY, 0);
        if (!c->reader.wrong && value.type != ANY && !is_reference(value.type))
            return fail(c, value.at, "ref.is_null[0] expected reference type, found %s of type %s", value.name, type_name(value.type));
        uint32_t cell = live(c) ? cell_of(c, &value) : 0;
        computes(c, OP_i32_eqz, push(c, I32)->cell);
        pair(c, cell, 0);
        return !c->reader.wrong;
    }
    uint32_t index = read_u32(&c->reader, "function index");
    if (c->reader.wrong)
        return failed_read(c);
    if (index >= c->module->function_count)
        return fail(c, at, "function index #%u is out of bounds", index);
    if (!c->module->declared[index])
        return fail(c, at, "undeclared reference to function #%u", index);
    computes(c, OP_ref_func, push(c, FUNCREF)->cell);
    word(c, index);
    return !c->reader.wrong;
}

enum shape { NO_SHAPE, S_UNARY, S_BINARY, S_WHOLE, S_TERNARY, S_EXTRACT, S_REPLACE, S_LOAD, S_STORE, S_LOAD_LANE, S_STORE_LANE };

enum { T_I = I32, T_L = I64, T_F = F32, T_D = F64, T_V = V128 };

struct kind {
    uint8_t shape, in, other, out, extra;
    uint16_t op;
    const char *text;
};

/// What is known of the instructions that only compute, by their code: plain ones, those behind 0xfc, those behind 0xfd.
static const struct kind KINDS[3][256] = {
#define AT(code) [(code) >> 8 == 0xfc ? 1 : (code) >> 8 == 0xfd ? 2 : 0][(code) & 0xff]
#define UNARY(code, name, text, in, out, value) AT(code) = {S_UNARY, T_##in, 0, T_##out, 0, OP_##name, text},
#define BINARY(code, name, text, in, other, out, value) AT(code) = {S_BINARY, T_##in, T_##other, T_##out, 0, OP_##name, text},
#define WHOLE(code, name, text, type, value) AT(code) = {S_WHOLE, T_##type, T_##type, T_##type, 0, OP_##name, text},
#define COMPARE(code, name, text, type, value) AT(code) = {S_WHOLE, T_##type, T_##type, I32, 0, OP_##name, text},
#define TERNARY(code, name, text, value) AT(code) = {S_TERNARY, V128, V128, V128, 0, OP_##name, text},
#define EXTRACT(code, name, text, lanes, type, lane) AT(code) = {S_EXTRACT, V128, 0, T_##type, lanes, OP_##name, text},
#define REPLACE(code, name, text, lanes, type, lane) AT(code) = {S_REPLACE, V128, T_##type, V128, lanes, OP_##name, text},
#define LOAD(code, name, text, alignment, type, kind, value) AT(code) = {S_LOAD, I32, 0, T_##type, alignment, OP_##name, text},
#define STORE(code, name, text, alignment, type, kind) AT(code) = {S_STORE, I32, T_##type, 0, alignment, OP_##name, text},
#define LOAD_LANE(code, name, text, alignment, kind) AT(code) = {S_LOAD_LANE, I32, V128, V128, alignment, OP_##name, text},
#define STORE_LANE(code, name, text, alignment, kind) AT(code) = {S_STORE_LANE, I32, V128, 0, alignment, OP_##name, text},
#include "wasm_ops.h"
};

const char *instruction_name(uint8_t code)
{
    static const char *const OTHERS[] = {
        [0x00] = "unreachable", [0x01] = "nop", [0x02] = "block", [0x03] = "loop", [0x04] = "if", [0x05] = "else", [0x0b] = "end",
        [0x0c] = "br", [0x0d] = "br_if", [0x0e] = "br_table", [0x0f] = "return", [0x10] = "call", [0x11] = "call_indirect",
        [0x1a] = "drop", [0x1b] = "select", [0x1c] = "select", [0x20] = "local.get", [0x21] = "local.set", [0x22] = "local.tee",
        [0x23] = "global.get", [0x24] = "global.set", [0x25] = "table.get", [0x26] = "table.set", [0x3f] = "memory.size",
        [0x40] = "memory.grow",
    };
    if (KINDS[0][code].text)
        return KINDS[0][code].text;
    return code < sizeof OTHERS / sizeof *OTHERS && OTHERS[code] ? OTHERS[code] : "<unknown>";
}

static bool is_small(const struct value *value)
{
    return value->where == IS_NUMBER &&
           (value->type == I32 || (int64_t)value->number == (int64_t)(int32_t)value->number);
}

/// Whether the operands of an instruction may change their places.
static bool commutes(uint16_t op)
{
    switch (op) {
    case OP_i32_add: case OP_i32_mul: case OP_i32_and: case OP_i32_or: case OP_i32_xor: case OP_i32_eq: case OP_i32_ne:
    case OP_i64_add: case OP_i64_mul: case OP_i64_and: case OP_i64_or: case OP_i64_xor: case OP_i64_eq: case OP_i64_ne:
        return true;
    }
    return false;
}

static bool read_lane(struct checker *c, uint32_t lanes, uint8_t *lane)
{
    const uint8_t *at = c->reader.at;
    *lane = read_byte(&c->reader, "lane");
    if (c->reader.wrong)
        return failed_read(c);
    return *lane < lanes || fail(c, at, "invalid lane index");
}

static bool check_computing(struct checker *c, const struct kind *kind)
{
    uint32_t offset = 0, a = 0, b = 0, d = 0;
    uint8_t lane = 0;
    c->name = kind->text;
    bool of_memory = kind->shape >= S_LOAD;
    if (of_memory && !read_address(c, kind->extra, &offset))
        return false;
    if ((kind->shape == S_EXTRACT || kind->shape == S_REPLACE) && !read_lane(c, kind->extra, &lane))
        return false;
    if ((kind->shape == S_LOAD_LANE || kind->shape == S_STORE_LANE) && !read_lane(c, 16 >> kind->extra, &lane))
        return false;
    struct value third = {0}, second = {0}, first;
    if (kind->shape == S_TERNARY)
        third = pop(c, V128, 2);
    if (kind->other)
        second = pop(c, kind->other, 1);
    first = pop(c, kind->in, 0);
    if (c->reader.wrong)
        return false;
    if (kind->shape == S_WHOLE && commutes(kind->op) && is_small(&first) && !is_small(&second)) {
        struct value swap = first;
        first = second;
        second = swap;
        // A number that is not moved needs no place; the other one may be where the first was meant to be.
    }
    bool has_number = kind->shape == S_WHOLE && live(c) && is_small(&second);
    if (live(c)) {
        a = cell_of(c, &first);
        b = kind->other && !has_number ? cell_of(c, &second) : 0;
        d = kind->shape == S_TERNARY ? cell_of(c, &third) : 0;
    }
    if (kind->out)
        computes(c, kind->op + has_number, push(c, kind->out)->cell);
    else
        instruction(c, kind->op, 0);
    pair(c, a, b);
    if (has_number)
        word(c, second.number);
    if (kind->shape == S_TERNARY)
        word(c, d);
    if (of_memory)
        word(c, offset);
    if (kind->shape == S_EXTRACT || kind->shape == S_REPLACE || kind->shape == S_LOAD_LANE || kind->shape == S_STORE_LANE)
        word(c, lane);
    return !c->reader.wrong;
}

static bool check_vector(struct checker *c, uint32_t code)
{
    if (code != 12 && code != 13) {
        const struct kind *kind = code < 256 ? &KINDS[2][code] : NULL;
        if (kind && kind->shape)
            return check_computing(c, kind);
        if (code >= 256)
            return fail(c, c->at, "relaxed SIMD is not supported (opcode 0xfd%x)", code);
        return fail(c, c->at, "invalid simd opcode: 0xfd%02x", code);
    }
    uint32_t words[4];
    if (c->reader.end - c->reader.at < 16)
        return fail(c, c->reader.at, "expected 16 bytes, fell off end");
    memcpy(words, c->reader.at, 16);
    uint32_t a = 0, b = 0;
    if (code == 13) {
        c->name = "i8x16.shuffle";
        for (int i = 0; i < 16; i++)
            if (c->reader.at[i] > 31)
                return fail(c, c->reader.at, "invalid shuffle mask");
        struct value y = pop(c, V128, 1), x = pop(c, V128, 0);
        if (c->reader.wrong)
            return false;
        if (live(c))
            a = cell_of(c, &x), b = cell_of(c, &y);
    }
    c->reader.at += 16;
    computes(c, code == 12 ? OP_vector : OP_shuffle, push(c, V128)->cell);
    if (code == 13)
        pair(c, a, b);
    for (int i = 0; i < 4; i++)
        word(c, words[i]);
    return !c->reader.wrong;
}

static bool check_number(struct checker *c, uint8_t code)
{
    uint64_t number = 0;
    uint8_t type = code == 0x41 ? I32 : code == 0x42 ? I64 : code == 0x43 ? F32 : F64;
    if (code == 0x41)
        number = (uint32_t)read_s32(&c->reader, "immi32");
    else if (code == 0x42)
        number = read_s64(&c->reader, "immi64");
    else {
        size_t size = type == F32 ? 4 : 8;
        if ((size_t)(c->reader.end - c->reader.at) < size)
            return fail(c, c->reader.at, "expected %zu bytes, fell off end", size);
        memcpy(&number, c->reader.at, size);
        c->reader.at += size;
    }
    if (c->reader.wrong)
        return failed_read(c);
    struct value *value = push(c, type);
    value->where = IS_NUMBER;
    value->number = number;
    return !c->reader.wrong;
}

static bool check_memory_size(struct checker *c, bool grows)
{
    if (!memory_zero(c))
        return false;
    uint32_t cell = 0;
    if (grows) {
        struct value pages = pop(c, I32, 0);
        if (c->reader.wrong)
            return false;
        cell = live(c) ? cell_of(c, &pages) : 0;
    }
    computes(c, grows ? OP_memory_grow : OP_memory_size, push(c, I32)->cell);
    word(c, cell);
    return !c->reader.wrong;
}

static bool named(struct checker *c, const char *name)
{
    c->name = name;
    return true;
}

static bool check_return(struct checker *c)
{
    if (!check_top(c, c->signature->types + c->signature->params, c->signature->results, "return"))
        return false;
    if (live(c))
        put_return(c);
    die(c);
    return true;
}

static bool check_one(struct checker *c)
{
    c->at = c->reader.at;
    c->popped = 0;
    uint8_t code = *c->reader.at++;
    switch (code) {
    case 0x00:
        instruction(c, OP_unreachable, 0);
        die(c);
        return true;
    case 0x01: return true;
    case 0x02: return named(c, "block") && check_block(c, BLOCK);
    case 0x03: return named(c, "loop") && check_block(c, LOOP);
    case 0x04: return named(c, "if") && check_block(c, IF);
    case 0x05: return named(c, "else") && check_else(c);
    case 0x0b: return named(c, "end") && check_end(c);
    case 0x0c: return named(c, "br") && check_branch(c);
    case 0x0d: return named(c, "br_if") && check_branch_if(c);
    case 0x0e: return named(c, "br_table") && check_branch_table(c);
    case 0x0f: return named(c, "return") && check_return(c);
    case 0x10: return named(c, "call") && check_call(c, false);
    case 0x11: return named(c, "call_indirect") && check_call_indirect(c, false);
    case 0x12: return named(c, "return_call") && check_call(c, true);
    case 0x13: return named(c, "return_call_indirect") && check_call_indirect(c, true);
    case 0x1a:
        c->name = "drop";
        pop(c, ANY, 0);
        return !c->reader.wrong;
    case 0x1b: return named(c, "select") && check_select(c, false);
    case 0x1c: return named(c, "select") && check_select(c, true);
    case 0x20: return named(c, "local.get") && check_local_get(c);
    case 0x21: return named(c, "local.set") && check_local_set(c, false);
    case 0x22: return named(c, "local.tee") && check_local_set(c, true);
    case 0x23: return named(c, "global.get") && check_global(c, false);
    case 0x24: return named(c, "global.set") && check_global(c, true);
    case 0x25: return named(c, "table.get") && check_table_access(c, false);
    case 0x26: return named(c, "table.set") && check_table_access(c, true);
    case 0x3f: return named(c, "memory.size") && check_memory_size(c, false);
    case 0x40: return named(c, "memory.grow") && check_memory_size(c, true);
    case 0x41: return named(c, "i32.const") && check_number(c, code);
    case 0x42: return named(c, "i64.const") && check_number(c, code);
    case 0x43: return named(c, "f32.const") && check_number(c, code);
    case 0x44: return named(c, "f64.const") && check_number(c, code);
    case 0xd0: return named(c, "ref.null") && check_reference(c, code);
    case 0xd1: return named(c, "ref.is_null") && check_reference(c, code);
    case 0xd2: return named(c, "ref.func") && check_reference(c, code);
    case 0x06: case 0x07: case 0x08: case 0x09: case 0x0a: case 0x18: case 0x19: case 0x1f:
        return fail(c, c->at, "exception handling is not supported (opcode 0x%02x)", code);
    case 0x14: case 0x15: case 0xd3: case 0xd4: case 0xd5: case 0xd6:
        return fail(c, c->at, "typed function references are not supported (opcode 0x%02x)", code);
    case 0xfb: return fail(c, c->at, "garbage collection is not supported (opcode 0xfb)");
    case 0xfe: return fail(c, c->at, "threads (atomic instructions) are not supported (opcode 0xfe)");
    case 0xfc: case 0xfd: {
        uint32_t second = read_u32(&c->reader, "prefixed opcode index");
        if (c->reader.wrong)
            return failed_read(c);
        if (code == 0xfd)
            return check_vector(c, second);
        return second < 8 ? check_computing(c, &KINDS[1][second]) : check_bulk(c, second);
    }
    }
    if (KINDS[0][code].shape)
        return check_computing(c, &KINDS[0][code]);
    return fail(c, c->at, "Invalid opcode 0x%x", code);
}

static bool add_locals(struct checker *c, uint8_t type, uint32_t count, const uint8_t *at)
{
    if (count > 50000 || c->local_count + count > 50000)
        return fail(c, at, "local count too large");
    for (; count; count--) {
        if (c->local_count == c->locals_room) {
            uint32_t room = c->locals_room ? c->locals_room * 2 : 32;
            uint8_t *types = realloc(c->locals, room);
            if (types)
                c->locals = types;
            uint16_t *places = types ? realloc(c->places, room * sizeof *places) : NULL;
            if (!places)
                return fail(c, at, "out of memory");
            c->places = places;
            c->locals_room = room;
        }
        if (c->local_cells + 2 > MOST_CELLS)
            return fail(c, at, "too many locals and values: %u cells are supported", MOST_CELLS);
        c->locals[c->local_count] = type;
        c->places[c->local_count++] = c->local_cells;
        c->local_cells += cells_of(type);
    }
    return true;
}

static bool check_body(struct checker *c)
{
    for (uint32_t i = 0; i < c->signature->params; i++)
        if (!add_locals(c, c->signature->types[i], 1, c->reader.at))
            return false;
    c->at = c->reader.at;
    uint32_t groups = read_u32(&c->reader, "local decls count");
    for (uint32_t i = 0; i < groups && !c->reader.wrong; i++) {
        const uint8_t *at = c->reader.at;
        uint32_t count = read_u32(&c->reader, "local count");
        uint8_t type;
        if (!read_type(&c->reader, &type))
            break;
        if (!add_locals(c, type, count, at))
            return false;
    }
    if (c->reader.wrong)
        return failed_read(c);
    uint32_t cells = c->signature->result_cells > c->local_cells ? c->signature->result_cells : c->local_cells;
    c->frame = cells + 2;
    open_block(c, BODY, c->signature, ANY, 0);
    // No place in the code is 0, which means none.
    word(c, OP_NONE);
    while (c->depth && !c->reader.wrong && c->reader.at < c->reader.end)
        if (!check_one(c))
            return false;
    if (c->reader.wrong)
        return failed_read(c);
    if (c->depth)
        return fail(c, c->reader.end, "function body must end with \"end\" opcode");
    if (c->reader.at != c->reader.end)
        return fail(c, c->reader.at, "operators remaining after end of function");
    return true;
}

bool body_translate(struct module *module, uint32_t function, bool keep)
{
    struct body *body = &module->bodies[function];
    // What one function needed while it was checked serves the next.
    static struct checker kept;
    struct checker *c = &kept;
    struct checker fresh = {
        .reader = {module, body->start, body->end, false}, .module = module, .function = module->imported_functions + function,
        .signature = module->functions[module->imported_functions + function].signature, .name = "",
        .code = c->code, .room = c->room, .values = c->values, .values_room = c->values_room, .blocks = c->blocks,
        .blocks_room = c->blocks_room, .locals = c->locals, .places = c->places, .locals_room = c->locals_room,
    };
    *c = fresh;
    bool right = check_body(c);
    if (right && keep) {
        body->code = malloc(c->size * sizeof *body->code);
        if (!body->code)
            return false;
        memcpy(body->code, c->code, c->size * sizeof *body->code);
        body->frame = c->frame;
        body->local_cells = c->local_cells;
    }
    return right;
}
