// WebAssembly for JavaScript: modules, instances, memories, tables and globals as objects of their own classes. The library
// (`lib/internal/webassembly.js`) makes the interface of these.

#include "wasm.h"
#include <stdio.h>

static JSClassID module_class, instance_class, memory_class, table_class, global_class, function_class;

// Objects have what they need in plain values: a module's text and code, an instance's functions.

struct function_object {
    struct func *func;
    struct instance *instance;
    JSValue holder;
};

static void instance_release(struct instance *instance)
{
    if (--instance->count)
        return;
    module_release(instance->module);
    void *all[] = {instance->functions, instance->own, instance->tables, instance->globals, instance->no_data, instance->no_element,
                   instance->table_objects, instance->global_objects};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(instance);
}

static void end_module(JSRuntime *rt, JSValueConst value)
{
    UNUSED(rt);
    module_release(JS_GetOpaque(value, module_class));
}

/// Calls something with each value that an instance keeps.
static void each_kept(struct instance *instance, JSRuntime *rt, void (*with)(JSRuntime *, JSValue *, JS_MarkFunc *), JS_MarkFunc *mark)
{
    struct module *module = instance->module;
    for (uint32_t i = 0; instance->own && i < module->imported_functions; i++)
        with(rt, &instance->own[i].callee, mark);
    for (uint32_t i = 0; instance->table_objects && i < module->table_count; i++)
        with(rt, &instance->table_objects[i], mark);
    for (uint32_t i = 0; instance->global_objects && i < module->global_count; i++)
        with(rt, &instance->global_objects[i], mark);
    with(rt, &instance->memory_object, mark);
}

static void mark_one(JSRuntime *rt, JSValue *value, JS_MarkFunc *mark)
{
    JS_MarkValue(rt, *value, mark);
}

static void free_one(JSRuntime *rt, JSValue *value, JS_MarkFunc *mark)
{
    UNUSED(mark);
    JSValue old = *value;
    *value = JS_UNDEFINED;
    JS_FreeValueRT(rt, old);
}

static void end_instance(JSRuntime *rt, JSValueConst value)
{
    struct instance *instance = JS_GetOpaque(value, instance_class);
    if (!instance)
        return;
    each_kept(instance, rt, free_one, NULL);
    instance_release(instance);
}

static void mark_instance(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    struct instance *instance = JS_GetOpaque(value, instance_class);
    if (instance)
        each_kept(instance, rt, mark_one, mark);
}

static void bytes_release(struct bytes *bytes)
{
    if (!bytes || --bytes->count)
        return;
    free(bytes->data);
    free(bytes);
}

static void end_memory(JSRuntime *rt, JSValueConst value)
{
    struct memory *memory = JS_GetOpaque(value, memory_class);
    if (!memory)
        return;
    JS_FreeValueRT(rt, memory->buffer);
    bytes_release(memory->bytes);
    free(memory);
}

static void mark_memory(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    struct memory *memory = JS_GetOpaque(value, memory_class);
    if (memory)
        JS_MarkValue(rt, memory->buffer, mark);
}

static void end_table(JSRuntime *rt, JSValueConst value)
{
    struct table *table = JS_GetOpaque(value, table_class);
    if (!table)
        return;
    for (uint32_t i = 0; i < table->size; i++)
        JS_FreeValueRT(rt, table->items[i].holder);
    free(table->items);
    free(table);
}

static void mark_table(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    struct table *table = JS_GetOpaque(value, table_class);
    for (uint32_t i = 0; table && i < table->size; i++)
        JS_MarkValue(rt, table->items[i].holder, mark);
}

static void end_global(JSRuntime *rt, JSValueConst value)
{
    struct global *global = JS_GetOpaque(value, global_class);
    if (!global)
        return;
    JS_FreeValueRT(rt, global->reference.holder);
    free(global);
}

static void mark_global(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    struct global *global = JS_GetOpaque(value, global_class);
    if (global)
        JS_MarkValue(rt, global->reference.holder, mark);
}

static void end_function(JSRuntime *rt, JSValueConst value)
{
    struct function_object *object = JS_GetOpaque(value, function_class);
    if (!object)
        return;
    object->func->object = NULL;
    JS_FreeValueRT(rt, object->holder);
    instance_release(object->instance);
    free(object);
}

static void mark_function(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark)
{
    struct function_object *object = JS_GetOpaque(value, function_class);
    if (object)
        JS_MarkValue(rt, object->holder, mark);
}

/// The function that programs see.
static JSValue function_of(JSContext *ctx, struct func *func)
{
    if (func->object)
        return JS_DupValue(ctx, JS_MKPTR(JS_TAG_OBJECT, func->object));
    struct function_object *object = calloc(1, sizeof *object);
    JSValue value = object ? JS_NewObjectClass(ctx, function_class) : JS_ThrowOutOfMemory(ctx);
    if (JS_IsException(value)) {
        free(object);
        return value;
    }
    *object = (struct function_object){func, func->instance, JS_DupValue(ctx, JS_MKPTR(JS_TAG_OBJECT, func->instance->self))};
    func->instance->count++;
    func->object = JS_VALUE_GET_PTR(value);
    JS_SetOpaque(value, object);
    char name[12];
    snprintf(name, sizeof name, "%u", func->index);
    JS_DefinePropertyValueStr(ctx, value, "length", JS_NewInt32(ctx, func->signature->params), JS_PROP_CONFIGURABLE);
    JS_DefinePropertyValueStr(ctx, value, "name", JS_NewString(ctx, name), JS_PROP_CONFIGURABLE);
    return value;
}

void reference_set(JSContext *ctx, struct reference *place, struct reference value)
{
    JSValue old = place->holder;
    *place = value;
    JS_FreeValue(ctx, old);
}

/// A value of a program's as a reference; whether it can be one.
static bool reference_from(JSContext *ctx, uint8_t type, JSValueConst value, struct reference *reference)
{
    *reference = (struct reference){NULL, JS_NULL};
    if (type == EXTERNREF) {
        reference->holder = JS_DupValue(ctx, value);
        return true;
    }
    if (JS_IsNull(value))
        return true;
    struct function_object *object = JS_GetOpaque(value, function_class);
    if (!object)
        return false;
    *reference = (struct reference){object->func, JS_DupValue(ctx, object->holder)};
    return true;
}

static JSValue value_of(JSContext *ctx, uint8_t type, struct reference reference)
{
    if (type == EXTERNREF)
        return JS_DupValue(ctx, reference.holder);
    return reference.func ? function_of(ctx, reference.func) : JS_NULL;
}

/// A value of a program's as cells.
static bool to_cells(JSContext *ctx, uint8_t type, JSValueConst value, union cell *cells)
{
    int32_t number;
    int64_t big;
    double real;
    cells->L = 0;
    switch (type) {
    case I32:
        if (JS_ToInt32(ctx, &number, value))
            return false;
        cells->I = number;
        return true;
    case I64:
        if (JS_ToBigInt64(ctx, &big, value))
            return false;
        cells->L = big;
        return true;
    case F32:
        if (JS_ToFloat64(ctx, &real, value))
            return false;
        cells->F = real;
        return true;
    case F64:
        return !JS_ToFloat64(ctx, &cells->D, value);
    case V128:
        JS_ThrowTypeError(ctx, "type incompatibility when transforming from/to JS");
        return false;
    }
    struct reference reference;
    if (!reference_from(ctx, type, value, &reference)) {
        JS_ThrowTypeError(ctx, "type incompatibility when transforming from/to JS");
        return false;
    }
    *cells = reference_cell(ctx, type, reference);
    JS_FreeValue(ctx, reference.holder);
    return true;
}

static JSValue from_cells(JSContext *ctx, uint8_t type, const union cell *cells)
{
    switch (type) {
    case I32: return JS_NewInt32(ctx, cells->I);
    case I64: return JS_NewBigInt64(ctx, cells->L);
    case F32: return JS_NewFloat64(ctx, cells->F);
    case F64: return JS_NewFloat64(ctx, cells->D);
    case V128: return JS_ThrowTypeError(ctx, "type incompatibility when transforming from/to JS");
    }
    struct reference reference = cell_reference(ctx, type, *cells);
    JSValue value = value_of(ctx, type, reference);
    JS_FreeValue(ctx, reference.holder);
    return value;
}

static bool has_vectors(const struct signature *signature)
{
    for (uint32_t i = 0; i < signature->params + signature->results; i++)
        if (signature->types[i] == V128)
            return true;
    return false;
}

/// A program calls a function of WebAssembly's.
static JSValue call_function(JSContext *ctx, JSValueConst function, JSValueConst self, int argc, JSValueConst *argv, int flags)
{
    UNUSED(self), UNUSED(flags);
    // As `deep` in `edits.py`: the program's values can call this again, and the machine's own stack cannot be asked.
    char deep[400];
    __asm__ volatile("" : : "r"(deep) : "memory");
    struct func *func = ((struct function_object *)JS_GetOpaque(function, function_class))->func;
    struct signature *signature = func->signature;
    if (has_vectors(signature))
        return JS_ThrowTypeError(ctx, "type incompatibility when transforming from/to JS");
    uint32_t room = signature->params > signature->results ? signature->params : signature->results;
    union cell *cells = run_enter(room);
    if (!cells)
        return JS_ThrowRangeError(ctx, "Maximum call stack size exceeded");
    JSValue result = JS_UNDEFINED;
    for (uint32_t i = 0; i < signature->params && !JS_IsException(result); i++)
        if (!to_cells(ctx, signature->types[i], i < (uint32_t)argc ? argv[i] : JS_UNDEFINED, &cells[i]))
            result = JS_EXCEPTION;
    if (!JS_IsException(result)) {
        enum trap trap = run(ctx, func, cells);
        const uint8_t *types = signature->types + signature->params;
        if (trap)
            result = run_throw(ctx, trap);
        else if (signature->results == 1)
            result = from_cells(ctx, types[0], cells);
        else if (signature->results > 1) {
            result = JS_NewArray(ctx);
            for (uint32_t i = 0; i < signature->results; i++)
                JS_SetPropertyUint32(ctx, result, i, from_cells(ctx, types[i], &cells[i]));
        }
    }
    run_leave(ctx, cells);
    return result;
}

/// Several results of a function of JavaScript's, which gives a list.
static bool results_from(JSContext *ctx, const struct signature *signature, JSValueConst result, union cell *cells)
{
    JSValue spread = JS_GetPropertyStr(ctx, native_object, "wasmList");
    JSValue list = JS_Call(ctx, spread, JS_UNDEFINED, 1, &result);
    JS_FreeValue(ctx, spread);
    if (JS_IsException(list))
        return false;
    int64_t length = 0;
    JS_GetLength(ctx, list, &length);
    bool right = length == signature->results;
    if (!right)
        JS_ThrowTypeError(ctx, "multi-return length mismatch");
    for (uint32_t i = 0; right && i < signature->results; i++) {
        JSValue item = JS_GetPropertyUint32(ctx, list, i);
        right = to_cells(ctx, signature->types[signature->params + i], item, &cells[i]);
        JS_FreeValue(ctx, item);
    }
    JS_FreeValue(ctx, list);
    return right;
}

enum trap call_host(JSContext *ctx, struct func *func, union cell *cells)
{
    struct signature *signature = func->signature;
    if (has_vectors(signature)) {
        JS_ThrowTypeError(ctx, "type incompatibility when transforming from/to JS");
        return THROWN;
    }
    JSValue few[8], *arguments = signature->params <= 8 ? few : malloc(signature->params * sizeof *arguments);
    if (!arguments)
        return NO_ROOM;
    for (uint32_t i = 0; i < signature->params; i++)
        arguments[i] = from_cells(ctx, signature->types[i], &cells[i]);
    JSValue result = JS_Call(ctx, func->callee, JS_UNDEFINED, signature->params, (JSValueConst *)arguments);
    for (uint32_t i = 0; i < signature->params; i++)
        JS_FreeValue(ctx, arguments[i]);
    if (arguments != few)
        free(arguments);
    bool right = !JS_IsException(result);
    if (right && signature->results == 1)
        right = to_cells(ctx, signature->types[signature->params], result, cells);
    else if (right && signature->results > 1)
        right = results_from(ctx, signature, result, cells);
    JS_FreeValue(ctx, result);
    return right ? FINE : THROWN;
}

/// (bytes): a module, or what is wrong with it.
static NATIVE(compile)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *bytes = bytes_of(ctx, argv[0], &size), *own = bytes ? malloc(size + 1) : NULL;
    if (!own)
        return bytes ? JS_ThrowOutOfMemory(ctx) : JS_EXCEPTION;
    memcpy(own, bytes, size);
    struct module *module = module_read(own, size);
    if (!module)
        return JS_ThrowOutOfMemory(ctx);
    JSValue value = module->error[0] ? utf8_text(ctx, (uint8_t *)module->error, strlen(module->error))
                                     : JS_NewObjectClass(ctx, module_class);
    if (module->error[0] || JS_IsException(value))
        module_release(module);
    else
        JS_SetOpaque(value, module);
    return value;
}

static JSValue text_of(JSContext *ctx, struct name name)
{
    return utf8_text(ctx, name.text, name.size);
}

/// (module): [names and kinds of what it wants, and of what it gives], flat.
static NATIVE(parts)
{
    UNUSED(self), UNUSED(argc);
    struct module *module = JS_GetOpaque2(ctx, argv[0], module_class);
    if (!module)
        return JS_EXCEPTION;
    JSValue all = JS_NewArray(ctx), wanted = JS_NewArray(ctx), given = JS_NewArray(ctx);
    for (uint32_t i = 0; i < module->import_count; i++) {
        JS_SetPropertyUint32(ctx, wanted, 3 * i, text_of(ctx, module->imports[i].module));
        JS_SetPropertyUint32(ctx, wanted, 3 * i + 1, text_of(ctx, module->imports[i].name));
        JS_SetPropertyUint32(ctx, wanted, 3 * i + 2, JS_NewInt32(ctx, module->imports[i].item.kind));
    }
    for (uint32_t i = 0; i < module->export_count; i++) {
        JS_SetPropertyUint32(ctx, given, 2 * i, text_of(ctx, module->exports[i].name));
        JS_SetPropertyUint32(ctx, given, 2 * i + 1, JS_NewInt32(ctx, module->exports[i].kind));
    }
    JS_SetPropertyUint32(ctx, all, 0, wanted);
    JS_SetPropertyUint32(ctx, all, 1, given);
    return all;
}

/// (module, name): the contents of its sections of that name.
static NATIVE(custom_sections)
{
    UNUSED(self), UNUSED(argc);
    struct module *module = JS_GetOpaque2(ctx, argv[0], module_class);
    size_t size;
    const char *name = module ? JS_ToCStringLen(ctx, &size, argv[1]) : NULL;
    if (!name)
        return JS_EXCEPTION;
    JSValue all = JS_NewArray(ctx);
    uint32_t count = 0;
    struct reader reader = {module, module->bytes + 8, module->bytes + module->size, false};
    while (reader.at < reader.end) {
        uint8_t code = *reader.at++;
        uint32_t length = read_u32(&reader, "");
        const uint8_t *next = reader.at + length;
        if (code == 0) {
            uint32_t name_size = read_u32(&reader, "");
            if (name_size == size && !memcmp(reader.at, name, size)) {
                const uint8_t *start = reader.at + size;
                JS_SetPropertyUint32(ctx, all, count++, JS_NewArrayBufferCopy(ctx, start, next - start));
            }
        }
        reader.at = next;
    }
    JS_FreeCString(ctx, name);
    return all;
}

// Memories.

static JSValue new_memory(JSContext *ctx, uint64_t pages, int64_t most)
{
    struct memory *memory = calloc(1, sizeof *memory);
    struct bytes *bytes = calloc(1, sizeof *bytes);
    uint64_t size = pages * PAGE;
    if (memory && bytes && size < 0x7ff00000)
        bytes->data = calloc(1, size ? size : 1);
    JSValue value = bytes && bytes->data ? JS_NewObjectClass(ctx, memory_class) : JS_NULL;
    if (!JS_IsObject(value)) {
        if (bytes)
            free(bytes->data);
        free(bytes);
        free(memory);
        return value;
    }
    bytes->count = 1;
    *memory = (struct memory){bytes, size, size, most, JS_UNDEFINED};
    JS_SetOpaque(value, memory);
    return value;
}

static void forget_buffer(JSContext *ctx, struct memory *memory)
{
    JSValue buffer = memory->buffer;
    memory->buffer = JS_UNDEFINED;
    if (JS_IsObject(buffer))
        JS_DetachArrayBuffer(ctx, buffer);
    JS_FreeValue(ctx, buffer);
}

int64_t memory_grow(JSContext *ctx, struct memory *memory, uint64_t pages)
{
    uint64_t before = memory->size / PAGE, now = (before + pages) * PAGE;
    int64_t most = memory->most == NO_LIMIT ? MOST_PAGES : memory->most;
    if (before + pages > (uint64_t)most || now >= 0x7ff00000)
        return -1;
    forget_buffer(ctx, memory);
    if (memory->bytes->count > 1)
        return -1; // A buffer that a program has moved elsewhere is still of this memory.
    if (now > memory->room) {
        // Programs often ask for page after page; room for more spares copies.
        uint64_t room = memory->room + memory->room / 4 > now ? memory->room + memory->room / 4 : now;
        uint8_t *larger = realloc(memory->bytes->data, room);
        if (!larger && room > now)
            larger = realloc(memory->bytes->data, room = now);
        if (!larger)
            return -1;
        memset(larger + memory->room, 0, room - memory->room);
        memory->bytes->data = larger;
        memory->room = room;
    }
    memory->size = now;
    return before;
}

/// The engine is done with a buffer; with another size than 0 it would have a larger one, which it cannot.
static void *buffer_ends(JSRuntime *rt, void *opaque, void *data, size_t size)
{
    UNUSED(rt), UNUSED(data);
    if (!size)
        bytes_release(opaque);
    return NULL;
}

static NATIVE(memory_new)
{
    UNUSED(self), UNUSED(argc);
    return new_memory(ctx, long_of(ctx, argv[0]), long_of(ctx, argv[1]));
}

static NATIVE(memory_buffer)
{
    UNUSED(self), UNUSED(argc);
    struct memory *memory = JS_GetOpaque2(ctx, argv[0], memory_class);
    if (!memory)
        return JS_EXCEPTION;
    size_t size;
    if (JS_IsObject(memory->buffer) && !JS_GetArrayBuffer(ctx, &size, memory->buffer)) {
        // A program has detached it.
        JS_FreeValue(ctx, JS_GetException(ctx));
        forget_buffer(ctx, memory);
    }
    if (!JS_IsObject(memory->buffer)) {
        memory->bytes->count++;
        memory->buffer = JS_NewArrayBuffer(ctx, memory->bytes->data, memory->size, 0, buffer_ends, memory->bytes, false);
    }
    return JS_DupValue(ctx, memory->buffer);
}

/// (memory, pages): how many there were, or -1.
static NATIVE(memory_more)
{
    UNUSED(self), UNUSED(argc);
    struct memory *memory = JS_GetOpaque2(ctx, argv[0], memory_class);
    return memory ? JS_NewInt64(ctx, memory_grow(ctx, memory, long_of(ctx, argv[1]))) : JS_EXCEPTION;
}

// Tables.

int64_t table_grow(JSContext *ctx, struct table *table, uint64_t more, struct reference value)
{
    uint64_t now = table->size + more;
    if (now > (table->most == NO_LIMIT || table->most > MOST_ELEMENTS ? MOST_ELEMENTS : (uint64_t)table->most))
        now = 0, more = UINT64_MAX;
    if (more != UINT64_MAX && now > table->room) {
        uint64_t room = now > 2 * (uint64_t)table->room ? now : 2 * (uint64_t)table->room;
        struct reference *larger = realloc(table->items, room * sizeof *larger);
        if (larger)
            table->items = larger, table->room = room;
        else
            more = UINT64_MAX;
    }
    int64_t before = more == UINT64_MAX ? -1 : (int64_t)table->size;
    for (; before >= 0 && table->size < now; table->size++) {
        JS_DupValue(ctx, value.holder);
        table->items[table->size] = value;
    }
    JS_FreeValue(ctx, value.holder);
    return before;
}

static JSValue new_table(JSContext *ctx, uint8_t type, uint32_t size, int64_t most, struct reference value)
{
    struct table *table = calloc(1, sizeof *table);
    JSValue object = table ? JS_NewObjectClass(ctx, table_class) : JS_NULL;
    if (!JS_IsObject(object)) {
        free(table);
        JS_FreeValue(ctx, value.holder);
        return object;
    }
    *table = (struct table){.type = type, .most = most};
    JS_SetOpaque(object, table);
    if (table_grow(ctx, table, size, value) < 0) {
        JS_FreeValue(ctx, object);
        return JS_NULL;
    }
    return object;
}

/// (type, size, largest size, value): a table, null without memory, undefined if the value cannot be in it.
static NATIVE(table_new)
{
    UNUSED(self), UNUSED(argc);
    struct reference value;
    uint8_t type = int_of(ctx, argv[0]);
    if (!reference_from(ctx, type, argv[3], &value))
        return JS_UNDEFINED;
    return new_table(ctx, type, long_of(ctx, argv[1]), long_of(ctx, argv[2]), value);
}

static NATIVE(table_size)
{
    UNUSED(self), UNUSED(argc);
    struct table *table = JS_GetOpaque2(ctx, argv[0], table_class);
    return table ? JS_NewUint32(ctx, table->size) : JS_EXCEPTION;
}

/// (table, index): [value], or undefined.
static NATIVE(table_get)
{
    UNUSED(self), UNUSED(argc);
    struct table *table = JS_GetOpaque2(ctx, argv[0], table_class);
    if (!table)
        return JS_EXCEPTION;
    int64_t at = long_of(ctx, argv[1]);
    if (at >= table->size)
        return JS_UNDEFINED;
    JSValue list = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, list, 0, value_of(ctx, table->type, table->items[at]));
    return list;
}

/// (table, index, value): 0, 1 if there is no such index, 2 if it cannot be the value.
static NATIVE(table_set)
{
    UNUSED(self), UNUSED(argc);
    struct table *table = JS_GetOpaque2(ctx, argv[0], table_class);
    struct reference value;
    if (!table)
        return JS_EXCEPTION;
    int64_t at = long_of(ctx, argv[1]);
    if (at >= table->size)
        return JS_NewInt32(ctx, 1);
    if (!reference_from(ctx, table->type, argv[2], &value))
        return JS_NewInt32(ctx, 2);
    reference_set(ctx, &table->items[at], value);
    return JS_NewInt32(ctx, 0);
}

/// (table, how many, value): the size before, -1 if it cannot grow, -2 if it cannot be the value.
static NATIVE(table_more)
{
    UNUSED(self), UNUSED(argc);
    struct table *table = JS_GetOpaque2(ctx, argv[0], table_class);
    struct reference value;
    if (!table)
        return JS_EXCEPTION;
    if (!reference_from(ctx, table->type, argv[2], &value))
        return JS_NewInt32(ctx, -2);
    return JS_NewInt64(ctx, table_grow(ctx, table, long_of(ctx, argv[1]), value));
}

static NATIVE(table_type)
{
    UNUSED(self), UNUSED(argc);
    struct table *table = JS_GetOpaque2(ctx, argv[0], table_class);
    return table ? JS_NewInt32(ctx, table->type) : JS_EXCEPTION;
}

// Globals.

static JSValue new_global(JSContext *ctx, uint8_t type, bool changes, struct global **place)
{
    struct global *global = calloc(1, sizeof *global);
    JSValue object = global ? JS_NewObjectClass(ctx, global_class) : JS_ThrowOutOfMemory(ctx);
    if (!JS_IsObject(object)) {
        free(global);
        return object;
    }
    *global = (struct global){.type = type, .changes = changes, .reference = {NULL, JS_NULL}};
    JS_SetOpaque(object, global);
    *place = global;
    return object;
}

/// Whether a program's value could be a global's.
static bool global_put(JSContext *ctx, struct global *global, JSValueConst value)
{
    if (!is_reference(global->type))
        return to_cells(ctx, global->type, value, global->cells);
    struct reference reference;
    if (!reference_from(ctx, global->type, value, &reference))
        return false;
    reference_set(ctx, &global->reference, reference);
    return true;
}

/// (type, whether it changes, value): a global, or undefined if it cannot be the value.
static NATIVE(global_new)
{
    UNUSED(self), UNUSED(argc);
    struct global *global;
    JSValue object = new_global(ctx, int_of(ctx, argv[0]), JS_ToBool(ctx, argv[1]), &global);
    if (JS_IsException(object) || global_put(ctx, global, argv[2]))
        return object;
    JS_FreeValue(ctx, object);
    return JS_HasException(ctx) ? JS_EXCEPTION : JS_UNDEFINED;
}

static NATIVE(global_get)
{
    UNUSED(self), UNUSED(argc);
    struct global *global = JS_GetOpaque2(ctx, argv[0], global_class);
    if (!global)
        return JS_EXCEPTION;
    return is_reference(global->type) ? value_of(ctx, global->type, global->reference) : from_cells(ctx, global->type, global->cells);
}

/// (global, value): 0, 1 if it does not change, 2 if it cannot be the value.
static NATIVE(global_set)
{
    UNUSED(self), UNUSED(argc);
    struct global *global = JS_GetOpaque2(ctx, argv[0], global_class);
    if (!global)
        return JS_EXCEPTION;
    if (!global->changes)
        return JS_NewInt32(ctx, 1);
    if (global_put(ctx, global, argv[1]))
        return JS_NewInt32(ctx, 0);
    return JS_HasException(ctx) ? JS_EXCEPTION : JS_NewInt32(ctx, 2);
}

// Instances.

void constant_cells(struct instance *instance, const struct constant *constant, union cell *cells)
{
    memcpy(cells, constant->kind == OF_GLOBAL ? instance->globals[constant->index]->cells : constant->cells, sizeof constant->cells);
}

struct reference constant_reference(JSContext *ctx, struct instance *instance, uint8_t type, const struct constant *constant)
{
    UNUSED(type);
    struct reference reference = {NULL, JS_NULL};
    if (constant->kind == OF_GLOBAL) {
        reference = instance->globals[constant->index]->reference;
        JS_DupValue(ctx, reference.holder);
    } else if (constant->kind == OF_FUNCTION) {
        reference.func = instance->functions[constant->index];
        reference.holder = JS_DupValue(ctx, JS_MKPTR(JS_TAG_OBJECT, reference.func->instance->self));
    }
    return reference;
}

enum trap table_init(JSContext *ctx, struct instance *instance, uint32_t index, uint32_t segment, uint32_t to, uint32_t from,
                     uint32_t count)
{
    struct table *table = instance->tables[index];
    const struct element *element = &instance->module->elements[segment];
    uint32_t there = instance->no_element[segment] ? 0 : element->count;
    if ((uint64_t)to + count > table->size)
        return OUT_OF_ELEMENTS;
    if ((uint64_t)from + count > there)
        return OUT_OF_SEGMENT;
    for (uint32_t i = 0; i < count; i++)
        reference_set(ctx, &table->items[to + i], constant_reference(ctx, instance, element->type, &element->items[from + i]));
    return FINE;
}

/// What is wrong with an import, which the library says with its names; with `whole`, the words are all.
static JSValue unlinked(JSContext *ctx, uint32_t index, const char *words, bool whole)
{
    JSValue list = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, list, 0, JS_NewUint32(ctx, index));
    JS_SetPropertyUint32(ctx, list, 1, JS_NewString(ctx, words));
    JS_SetPropertyUint32(ctx, list, 2, JS_NewBool(ctx, whole));
    return list;
}

static JSValue link_function(JSContext *ctx, struct instance *instance, uint32_t number, JSValueConst value)
{
    const struct import *import = &instance->module->imports[number];
    struct func *own = &instance->own[import->index];
    if (!JS_IsFunction(ctx, value))
        return unlinked(ctx, number, "function import requires a callable", false);
    own->callee = JS_DupValue(ctx, value);
    struct function_object *object = JS_GetOpaque(value, function_class);
    if (!object)
        return JS_UNDEFINED;
    if (object->func->signature != import->item.signature)
        return unlinked(ctx, number, "imported function does not match the expected type", false);
    instance->functions[import->index] = object->func;
    return JS_UNDEFINED;
}

/// Whether sizes are within those that are wanted.
static JSValue link_limits(JSContext *ctx, uint32_t number, const struct import *import, uint64_t size, int64_t most, const char *what)
{
    const struct limits *limits = &import->item.limits;
    char words[160];
    if (size < limits->least) {
        snprintf(words, sizeof words, "%s import %u is smaller than initial %u, got %llu", what, number, limits->least, size);
        return unlinked(ctx, number, words, true);
    }
    if (limits->most != NO_LIMIT && most == NO_LIMIT) {
        snprintf(words, sizeof words, import->item.kind == MEMORY ? "%s import %u has no maximum limit, expected at most 4294967295" :
                 "%s import %u has no maximum length, expected %lld", what, number, limits->most);
        return unlinked(ctx, number, words, true);
    }
    if (limits->most != NO_LIMIT && most > limits->most) {
        snprintf(words, sizeof words, import->item.kind == MEMORY ?
                 "%s import %u has a larger maximum size %lld than the module's declared maximum %lld" :
                 "%s import %u has a larger maximum size %llx than the module's declared maximum %lld", what, number, most, limits->most);
        return unlinked(ctx, number, words, true);
    }
    return JS_UNDEFINED;
}

static JSValue link_table(JSContext *ctx, struct instance *instance, uint32_t number, JSValueConst value)
{
    const struct import *import = &instance->module->imports[number];
    struct table *table = JS_GetOpaque(value, table_class);
    if (!table)
        return unlinked(ctx, number, "table import requires a WebAssembly.Table", false);
    instance->tables[import->index] = table;
    instance->table_objects[import->index] = JS_DupValue(ctx, value);
    JSValue wrong = link_limits(ctx, number, import, table->size, table->most, "table");
    if (JS_IsUndefined(wrong) && table->type != import->item.type)
        return unlinked(ctx, number, "imported table does not match the expected type", false);
    return wrong;
}

static JSValue link_memory(JSContext *ctx, struct instance *instance, uint32_t number, JSValueConst value)
{
    const struct import *import = &instance->module->imports[number];
    struct memory *memory = JS_GetOpaque(value, memory_class);
    if (!memory)
        return unlinked(ctx, number, "memory import must be a WebAssembly.Memory object", false);
    instance->memory = memory;
    instance->memory_object = JS_DupValue(ctx, value);
    return link_limits(ctx, number, import, memory->size / PAGE, memory->most, "memory");
}

static JSValue link_global(JSContext *ctx, struct instance *instance, uint32_t number, JSValueConst value)
{
    const struct import *import = &instance->module->imports[number];
    const struct item *item = &import->item;
    struct global *global = JS_GetOpaque(value, global_class);
    JSValue object = JS_UNDEFINED;
    if (global) {
        if (global->changes != item->changes)
            return unlinked(ctx, number, "imported global does not match the expected mutability", false);
        if (global->type != item->type)
            return unlinked(ctx, number, "imported global does not match the expected type", false);
        object = JS_DupValue(ctx, value);
    } else {
        bool fits = item->type == I64 ? JS_IsBigInt(value) : item->type == FUNCREF || item->type == EXTERNREF || JS_IsNumber(value);
        if (item->changes)
            return unlinked(ctx, number, "imported mutable global must be a WebAssembly.Global object", false);
        if (item->type == V128)
            return unlinked(ctx, number, "global import of type v128 must be a WebAssembly.Global", false);
        if (fits) {
            object = new_global(ctx, item->type, false, &global);
            if (JS_IsException(object))
                return object;
            fits = global_put(ctx, global, value);
        }
        if (!fits) {
            JS_FreeValue(ctx, object);
            if (item->type == FUNCREF)
                return unlinked(ctx, number, "function-typed object must be null (if nullable) or a Wasm function object", false);
            return unlinked(ctx, number, "global import must be a number, valid Wasm reference, or WebAssembly.Global object", false);
        }
    }
    instance->globals[import->index] = global;
    instance->global_objects[import->index] = object;
    return JS_UNDEFINED;
}

static JSValue link_import(JSContext *ctx, struct instance *instance, uint32_t number, JSValueConst value)
{
    switch (instance->module->imports[number].item.kind) {
    case FUNCTION: return link_function(ctx, instance, number, value);
    case TABLE: return link_table(ctx, instance, number, value);
    case MEMORY: return link_memory(ctx, instance, number, value);
    }
    return link_global(ctx, instance, number, value);
}

static void *zeros(size_t count, size_t size)
{
    return calloc(count + 1, size);
}

static JSValue new_instance(JSContext *ctx, struct module *module, struct instance **place)
{
    struct instance *instance = calloc(1, sizeof *instance);
    if (!instance)
        return JS_ThrowOutOfMemory(ctx);
    *instance = (struct instance){
        .count = 1, .module = module, .memory_object = JS_UNDEFINED,
        .functions = zeros(module->function_count, sizeof *instance->functions),
        .own = zeros(module->function_count, sizeof *instance->own),
        .tables = zeros(module->table_count, sizeof *instance->tables), .globals = zeros(module->global_count, sizeof *instance->globals),
        .no_data = zeros(module->data_count, 1), .no_element = zeros(module->element_count, 1),
        .table_objects = zeros(module->table_count, sizeof(JSValue)), .global_objects = zeros(module->global_count, sizeof(JSValue)),
    };
    module->count++;
    bool there = instance->functions && instance->own && instance->tables && instance->globals && instance->no_data &&
                 instance->no_element && instance->table_objects && instance->global_objects;
    for (uint32_t i = 0; there && i < module->function_count; i++) {
        instance->functions[i] = &instance->own[i];
        instance->own[i] = (struct func){
            .signature = module->functions[i].signature, .instance = instance, .index = i, .callee = JS_UNDEFINED,
            .body = i < module->imported_functions ? NULL : &module->bodies[i - module->imported_functions],
        };
    }
    for (uint32_t i = 0; there && i < module->table_count; i++)
        instance->table_objects[i] = JS_UNDEFINED;
    for (uint32_t i = 0; there && i < module->global_count; i++)
        instance->global_objects[i] = JS_UNDEFINED;
    JSValue state = there ? JS_NewObjectClass(ctx, instance_class) : JS_ThrowOutOfMemory(ctx);
    if (JS_IsException(state)) {
        instance_release(instance);
        return state;
    }
    instance->self = JS_VALUE_GET_PTR(state);
    JS_SetOpaque(state, instance);
    *place = instance;
    return state;
}

/// Makes what a module has itself.
static bool make_own(JSContext *ctx, struct instance *instance)
{
    struct module *module = instance->module;
    for (uint32_t i = 0; i < module->table_count; i++) {
        if (instance->tables[i])
            continue;
        struct item *item = &module->tables[i];
        JSValue object = new_table(ctx, item->type, item->limits.least, item->limits.most, (struct reference){NULL, JS_NULL});
        if (!JS_IsObject(object))
            return false;
        instance->table_objects[i] = object;
        instance->tables[i] = JS_GetOpaque(object, table_class);
    }
    if (module->memory_count && !instance->memory) {
        instance->memory_object = new_memory(ctx, module->memories[0].limits.least, module->memories[0].limits.most);
        if (!JS_IsObject(instance->memory_object))
            return false;
        instance->memory = JS_GetOpaque(instance->memory_object, memory_class);
    }
    for (uint32_t i = module->imported_globals; i < module->global_count; i++) {
        struct item *item = &module->globals[i];
        const struct constant *value = &module->values[i - module->imported_globals];
        instance->global_objects[i] = new_global(ctx, item->type, item->changes, &instance->globals[i]);
        if (!JS_IsObject(instance->global_objects[i]))
            return false;
        if (is_reference(item->type))
            instance->globals[i]->reference = constant_reference(ctx, instance, item->type, value);
        else
            constant_cells(instance, value, instance->globals[i]->cells);
    }
    return true;
}

static JSValue exported(JSContext *ctx, struct instance *instance, const struct export *export)
{
    switch (export->kind) {
    case FUNCTION: return function_of(ctx, instance->functions[export->index]);
    case TABLE: return JS_DupValue(ctx, instance->table_objects[export->index]);
    case MEMORY: return JS_DupValue(ctx, instance->memory_object);
    }
    return JS_DupValue(ctx, instance->global_objects[export->index]);
}

/// (module, values that it wants): {state, exports}, or [index, words, whether they are all] of an import that does not fit, or null
/// without memory.
static NATIVE(instantiate)
{
    UNUSED(self), UNUSED(argc);
    struct module *module = JS_GetOpaque2(ctx, argv[0], module_class);
    struct instance *instance;
    if (!module)
        return JS_EXCEPTION;
    JSValue state = new_instance(ctx, module, &instance), wrong = JS_UNDEFINED;
    if (JS_IsException(state))
        return state;
    for (uint32_t i = 0; i < module->import_count && JS_IsUndefined(wrong); i++) {
        JSValue value = JS_GetPropertyUint32(ctx, argv[1], i);
        wrong = link_import(ctx, instance, i, value);
        JS_FreeValue(ctx, value);
    }
    if (JS_IsUndefined(wrong) && !make_own(ctx, instance))
        wrong = JS_HasException(ctx) ? JS_EXCEPTION : JS_NULL;
    if (!JS_IsUndefined(wrong)) {
        JS_FreeValue(ctx, state);
        return wrong;
    }
    JSValue values = JS_NewArray(ctx), both = JS_NewObject(ctx);
    for (uint32_t i = 0; i < module->export_count; i++)
        JS_SetPropertyUint32(ctx, values, i, exported(ctx, instance, &module->exports[i]));
    JS_SetPropertyStr(ctx, both, "state", state);
    JS_SetPropertyStr(ctx, both, "exports", values);
    return both;
}

/// (state): fills tables and memory, and calls the module's first function. What is wrong with a segment is the value.
static NATIVE(begin)
{
    UNUSED(self), UNUSED(argc);
    struct instance *instance = JS_GetOpaque2(ctx, argv[0], instance_class);
    if (!instance)
        return JS_EXCEPTION;
    struct module *module = instance->module;
    union cell offset[2];
    for (uint32_t i = 0; i < module->element_count; i++) {
        const struct element *element = &module->elements[i];
        if (element->mode == ACTIVE) {
            constant_cells(instance, &element->offset, offset);
            if (table_init(ctx, instance, element->table, i, offset->I, 0, element->count))
                return JS_NewString(ctx, "table index is out of bounds");
        }
        if (element->mode != PASSIVE)
            instance->no_element[i] = true;
    }
    for (uint32_t i = 0; i < module->data_count; i++) {
        const struct data *data = &module->datas[i];
        if (!data->active)
            continue;
        constant_cells(instance, &data->offset, offset);
        if ((uint64_t)offset->I + data->size > instance->memory->size)
            return JS_NewString(ctx, "data segment is out of bounds");
        if (data->size)
            memcpy(instance->memory->bytes->data + offset->I, data->bytes, data->size);
        instance->no_data[i] = true;
    }
    if (module->start < 0)
        return JS_UNDEFINED;
    union cell *cells = run_enter(0);
    if (!cells)
        return JS_ThrowRangeError(ctx, "Maximum call stack size exceeded");
    enum trap trap = run(ctx, instance->functions[module->start], cells);
    JSValue result = trap ? run_throw(ctx, trap) : JS_UNDEFINED;
    run_leave(ctx, cells);
    return result;
}

/// (value): "Module", "Memory", "Table", "Global" or "function" of these; undefined for all else.
static NATIVE(kind_of)
{
    UNUSED(self), UNUSED(argc);
    static const char *const NAMES[] = {"Module", "Memory", "Table", "Global", "function"};
    const JSClassID classes[] = {module_class, memory_class, table_class, global_class, function_class};
    for (int i = 0; i < 5; i++)
        if (JS_GetOpaque(argv[0], classes[i]))
            return JS_NewString(ctx, NAMES[i]);
    return JS_UNDEFINED;
}

/// (prototypes of modules, memories, tables, globals, functions): what objects of these have from now on.
static NATIVE(prototypes)
{
    UNUSED(self), UNUSED(argc);
    const JSClassID classes[] = {module_class, memory_class, table_class, global_class, function_class};
    for (int i = 0; i < 5; i++)
        JS_SetClassProto(ctx, classes[i], JS_DupValue(ctx, argv[i]));
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("wasmCompile", 1, compile),
    JS_CFUNC_DEF("wasmParts", 1, parts),
    JS_CFUNC_DEF("wasmCustomSections", 2, custom_sections),
    JS_CFUNC_DEF("wasmInstantiate", 2, instantiate),
    JS_CFUNC_DEF("wasmBegin", 1, begin),
    JS_CFUNC_DEF("wasmKind", 1, kind_of),
    JS_CFUNC_DEF("wasmPrototypes", 5, prototypes),
    JS_CFUNC_DEF("wasmMemory", 2, memory_new),
    JS_CFUNC_DEF("wasmMemoryBuffer", 1, memory_buffer),
    JS_CFUNC_DEF("wasmMemoryGrow", 2, memory_more),
    JS_CFUNC_DEF("wasmTable", 4, table_new),
    JS_CFUNC_DEF("wasmTableType", 1, table_type),
    JS_CFUNC_DEF("wasmTableSize", 1, table_size),
    JS_CFUNC_DEF("wasmTableGet", 2, table_get),
    JS_CFUNC_DEF("wasmTableSet", 3, table_set),
    JS_CFUNC_DEF("wasmTableGrow", 3, table_more),
    JS_CFUNC_DEF("wasmGlobal", 3, global_new),
    JS_CFUNC_DEF("wasmGlobalGet", 1, global_get),
    JS_CFUNC_DEF("wasmGlobalSet", 2, global_set),
};

void wasm_init(JSContext *ctx, JSValueConst native)
{
    static const JSClassDef MODULE = {.class_name = "WebAssembly.Module", .finalizer = end_module};
    static const JSClassDef INSTANCE = {.class_name = "WebAssembly.Instance", .finalizer = end_instance, .gc_mark = mark_instance};
    static const JSClassDef MEMORY_OF = {.class_name = "WebAssembly.Memory", .finalizer = end_memory, .gc_mark = mark_memory};
    static const JSClassDef TABLE_OF = {.class_name = "WebAssembly.Table", .finalizer = end_table, .gc_mark = mark_table};
    static const JSClassDef GLOBAL_OF = {.class_name = "WebAssembly.Global", .finalizer = end_global, .gc_mark = mark_global};
    static const JSClassDef FUNCTION_OF = {
        .class_name = "Function", .finalizer = end_function, .gc_mark = mark_function, .call = call_function,
    };
    JSClassID *const ids[] = {&module_class, &instance_class, &memory_class, &table_class, &global_class, &function_class};
    const JSClassDef *const classes[] = {&MODULE, &INSTANCE, &MEMORY_OF, &TABLE_OF, &GLOBAL_OF, &FUNCTION_OF};
    for (int i = 0; i < 6; i++) {
        JS_NewClassID(JS_GetRuntime(ctx), ids[i]);
        JS_NewClass(JS_GetRuntime(ctx), *ids[i], classes[i]);
    }
    FUNCTIONS(LIST);
}
