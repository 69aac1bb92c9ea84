// Reads modules of WebAssembly. What is wrong is said in V8's words where programs meet them.

#include "wasm.h"
#include <stdarg.h>
#include <stdio.h>

bool module_wrong(struct module *module, const uint8_t *at, const char *format, ...)
{
    if (module->error[0])
        return false;
    va_list list;
    va_start(list, format);
    int size = vsnprintf(module->error, sizeof module->error - 20, format, list);
    va_end(list);
    if (size > (int)sizeof module->error - 21)
        size = sizeof module->error - 21;
    snprintf(module->error + size, 20, " @+%zu", (size_t)(at - module->bytes));
    return false;
}

static void stop(struct reader *reader)
{
    reader->wrong = true;
    reader->at = reader->end;
}

uint8_t read_byte(struct reader *reader, const char *what)
{
    if (reader->at < reader->end)
        return *reader->at++;
    if (!reader->wrong)
        module_wrong(reader->module, reader->at, "%s", what);
    stop(reader);
    return 0;
}

/// A number of as many bits, in pieces of 7.
static uint64_t read_number(struct reader *reader, int bits, bool is_signed, const char *what)
{
    const uint8_t *start = reader->at;
    uint64_t value = 0;
    for (int shift = 0; shift < bits; shift += 7) {
        if (reader->at == reader->end) {
            if (!reader->wrong)
                module_wrong(reader->module, start, "expected %s", what);
            stop(reader);
            return 0;
        }
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte & 128)
            continue;
        int left = bits - shift;
        if (left < 7) {
            // What is beyond must be the sign.
            int beyond = (int8_t)(byte << 1) >> (is_signed ? left : left + 1);
            if (is_signed ? beyond != 0 && beyond != -1 : byte >> left) {
                if (!reader->wrong)
                    module_wrong(reader->module, reader->at - 1, "extra bits in varint");
                stop(reader);
                return 0;
            }
        }
        if (is_signed && shift + 7 < 64 && byte & 64)
            value |= ~(uint64_t)0 << (shift + 7);
        return value;
    }
    if (!reader->wrong)
        module_wrong(reader->module, reader->at - 1, "expected %s", what);
    stop(reader);
    return 0;
}

uint32_t read_u32(struct reader *reader, const char *what)
{
    return read_number(reader, 32, false, what);
}

int32_t read_s32(struct reader *reader, const char *what)
{
    return read_number(reader, 32, true, what);
}

int64_t read_s33(struct reader *reader, const char *what)
{
    return read_number(reader, 33, true, what);
}

int64_t read_s64(struct reader *reader, const char *what)
{
    return read_number(reader, 64, true, what);
}

bool is_reference(uint8_t type)
{
    return type == FUNCREF || type == EXTERNREF;
}

bool read_type(struct reader *reader, uint8_t *type)
{
    const uint8_t *at = reader->at;
    *type = read_byte(reader, "value type opcode");
    if (reader->wrong || (*type >= V128 && *type <= I32) || is_reference(*type))
        return !reader->wrong;
    stop(reader);
    if (*type >= 0x63 && *type <= 0x74)
        return module_wrong(reader->module, at, "garbage collection and typed references are not supported (type 0x%x)", *type);
    return module_wrong(reader->module, at, "invalid value type 0x%x", *type);
}

static bool fail(struct reader *reader, const uint8_t *at, const char *words)
{
    stop(reader);
    return module_wrong(reader->module, at, "%s", words);
}

/// A count of things that each take a byte or more, and zeros for them.
static bool read_count(struct reader *reader, const char *what, uint32_t *count, void *list, size_t size)
{
    const uint8_t *at = reader->at;
    *count = read_u32(reader, what);
    if (reader->wrong)
        return false;
    if (*count > (size_t)(reader->end - reader->at) || *count > 10000000) {
        stop(reader);
        return module_wrong(reader->module, at, "%s of %u exceeds what the section can have", what, *count);
    }
    void **place = list;
    void *larger = realloc(*place, (size_t)(*count + 1) * size);
    if (!larger)
        return fail(reader, at, "out of memory");
    memset(larger, 0, (*count + 1) * size);
    *place = larger;
    return true;
}

/// Whether bytes are text in UTF-8.
static bool is_text(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        uint32_t first = *at++, more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : (first & 0xf0) == 0xe0 ? 2 : 3;
        if (more == 3 && (first < 0xf0 || first > 0xf4))
            return false;
        if ((size_t)(end - at) < more)
            return false;
        if (more > 1) {
            uint8_t least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80, most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
            if (*at < least || *at > most)
                return false;
        }
        for (; more; more--)
            if ((*at++ & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static struct name read_name(struct reader *reader, const char *what)
{
    struct name name = {0};
    uint32_t size = read_u32(reader, "string length");
    if (!reader->wrong && size > (size_t)(reader->end - reader->at)) {
        module_wrong(reader->module, reader->at, "expected %u bytes, fell off end", size);
        stop(reader);
    }
    if (reader->wrong)
        return name;
    name = (struct name){reader->at, size};
    reader->at += size;
    if (!is_text(name.text, reader->at)) {
        module_wrong(reader->module, name.text, "%s: no valid UTF-8 string", what);
        stop(reader);
    }
    return name;
}

// Types of functions, of all modules. They stay.
static struct signature **signatures;
static uint32_t signature_count, signature_room;

static uint32_t hash_of(const struct signature *signature)
{
    uint32_t hash = signature->params * 31 + signature->results;
    for (uint32_t i = 0; i < signature->params + signature->results; i++)
        hash = (hash ^ signature->types[i]) * 16777619;
    return hash;
}

static bool same(const struct signature *a, const struct signature *b)
{
    return a->params == b->params && a->results == b->results && !memcmp(a->types, b->types, a->params + a->results);
}

static struct signature *intern(struct signature *signature)
{
    if (signature_count * 2 >= signature_room) {
        uint32_t room = signature_room ? signature_room * 2 : 64;
        struct signature **larger = calloc(room, sizeof *larger);
        if (!larger) {
            free(signature);
            return NULL;
        }
        for (uint32_t i = 0; i < signature_room; i++)
            if (signatures[i]) {
                uint32_t at = hash_of(signatures[i]) & (room - 1);
                while (larger[at])
                    at = (at + 1) & (room - 1);
                larger[at] = signatures[i];
            }
        free(signatures);
        signatures = larger;
        signature_room = room;
    }
    uint32_t at = hash_of(signature) & (signature_room - 1);
    for (; signatures[at]; at = (at + 1) & (signature_room - 1))
        if (same(signatures[at], signature)) {
            free(signature);
            return signatures[at];
        }
    signature_count++;
    return signatures[at] = signature;
}

static bool read_signature(struct reader *reader, struct signature **place)
{
    const uint8_t *at = reader->at;
    uint8_t form = read_byte(reader, "type kind");
    if (reader->wrong)
        return false;
    if (form != 0x60) {
        stop(reader);
        if (form >= 0x4d && form <= 0x5f)
            return module_wrong(reader->module, at, "garbage collection is not supported (type form 0x%x)", form);
        return module_wrong(reader->module, at, "Expected signature definition 0x60, got 0x%02x", form);
    }
    uint32_t params = read_u32(reader, "param count");
    const uint8_t *types = reader->at;
    if (params > 1000)
        return fail(reader, types - 1, "param count of more than the internal limit 1000");
    struct signature *signature = calloc(1, sizeof *signature + 2001);
    if (!signature)
        return fail(reader, at, "out of memory");
    signature->params = params;
    for (uint32_t i = 0; i < params && read_type(reader, &signature->types[i]); i++)
        signature->param_cells += cells_of(signature->types[i]);
    signature->results = reader->wrong ? 0 : read_u32(reader, "return count");
    if (signature->results > 1000) {
        free(signature);
        return fail(reader, types - 1, "return count of more than the internal limit 1000");
    }
    for (uint32_t i = 0; i < signature->results && read_type(reader, &signature->types[params + i]); i++)
        signature->result_cells += cells_of(signature->types[params + i]);
    if (reader->wrong) {
        free(signature);
        return false;
    }
    struct signature *smaller = realloc(signature, sizeof *signature + params + signature->results);
    *place = intern(smaller ? smaller : signature);
    return *place || fail(reader, at, "out of memory");
}

static bool read_limits(struct reader *reader, struct limits *limits, bool of_memory)
{
    const uint8_t *at = reader->at;
    uint8_t flags = read_byte(reader, "flags");
    if (reader->wrong)
        return false;
    if (of_memory && (flags == 2 || flags == 3))
        return fail(reader, at, "threads (shared memory) are not supported");
    if (flags >= 4 && flags <= 7)
        return fail(reader, at, "memory64 is not supported");
    if (flags > 1) {
        stop(reader);
        return of_memory ? module_wrong(reader->module, at, "invalid memory limits flags 0x%x", flags)
                         : module_wrong(reader->module, at, "invalid table elements limits flags");
    }
    const char *what = of_memory ? "memory" : "table", *units = of_memory ? "pages" : "elements";
    uint32_t top = of_memory ? MOST_PAGES : MOST_ELEMENTS;
    at = reader->at;
    limits->least = read_u32(reader, "initial size");
    if (limits->least > top) {
        stop(reader);
        return module_wrong(reader->module, at, "initial %s size (%u %s) is larger than implementation limit (%u %s)", what, limits->least,
                            units, top, units);
    }
    limits->most = NO_LIMIT;
    if (flags) {
        at = reader->at;
        limits->most = read_u32(reader, "maximum size");
        if (of_memory && limits->most > top) {
            stop(reader);
            return module_wrong(reader->module, at, "maximum memory size (%lld pages) is larger than implementation limit (%u pages)",
                                limits->most, top);
        }
        if (!reader->wrong && limits->most < limits->least) {
            stop(reader);
            return module_wrong(reader->module, at, "maximum %s size (%lld %s) is less than initial (%u %s)", what, limits->most, units,
                                limits->least, units);
        }
    }
    return !reader->wrong;
}

static bool read_table(struct reader *reader, struct item *item)
{
    const uint8_t *at = reader->at;
    item->kind = TABLE;
    if (!read_type(reader, &item->type))
        return false;
    if (!is_reference(item->type))
        return fail(reader, at, "Only reference types can be used as table types");
    return read_limits(reader, &item->limits, false);
}

static bool read_global(struct reader *reader, struct item *item)
{
    item->kind = GLOBAL;
    if (!read_type(reader, &item->type))
        return false;
    const uint8_t *at = reader->at;
    uint8_t changes = read_byte(reader, "mutability");
    if (changes > 1)
        return fail(reader, at, "invalid mutability");
    item->changes = changes;
    return !reader->wrong;
}

static bool read_function(struct reader *reader, struct item *item)
{
    const uint8_t *at = reader->at;
    uint32_t type = read_u32(reader, "signature index");
    if (reader->wrong)
        return false;
    if (type >= reader->module->type_count) {
        stop(reader);
        return module_wrong(reader->module, at, "no signature at index %u (%u signatures)", type, reader->module->type_count);
    }
    *item = (struct item){.kind = FUNCTION, .signature = reader->module->types[type]};
    return true;
}

static bool read_constant(struct reader *reader, uint8_t type, struct constant *constant)
{
    struct module *module = reader->module;
    const uint8_t *at = reader->at;
    uint8_t code = read_byte(reader, "opcode"), is = ANY;
    constant->kind = VALUE;
    switch (reader->wrong ? 0 : code) {
    case 0x41:
        is = I32, constant->cells[0].L = (uint32_t)read_s32(reader, "immi32");
        break;
    case 0x42:
        is = I64, constant->cells[0].L = read_s64(reader, "immi64");
        break;
    case 0x43:
    case 0x44:
    case 0xfd: {
        size_t size = code == 0x43 ? 4 : code == 0x44 ? 8 : 16;
        if (code == 0xfd && read_u32(reader, "prefixed opcode index") != 12)
            return fail(reader, at, "opcode is not allowed in constant expressions");
        if ((size_t)(reader->end - reader->at) < size)
            return fail(reader, reader->at, "expected more bytes, fell off end");
        is = code == 0x43 ? F32 : code == 0x44 ? F64 : V128;
        memcpy(constant->cells, reader->at, size);
        reader->at += size;
        break;
    }
    case 0x23: {
        const uint8_t *place = reader->at;
        constant->kind = OF_GLOBAL;
        constant->index = read_u32(reader, "global index");
        if (!reader->wrong && constant->index >= module->global_count) {
            stop(reader);
            return module_wrong(module, place, "Invalid global index: %u", constant->index);
        }
        if (!reader->wrong && module->globals[constant->index].changes)
            return fail(reader, place, "mutable globals cannot be used in constant expressions");
        if (!reader->wrong && constant->index >= module->imported_globals)
            return fail(reader, place, "non-imported globals cannot be used in constant expressions");
        is = reader->wrong ? ANY : module->globals[constant->index].type;
        break;
    }
    case 0xd0:
        if (read_type(reader, &is) && !is_reference(is))
            return fail(reader, at + 1, "invalid heap type");
        break;
    case 0xd2: {
        const uint8_t *place = reader->at;
        constant->kind = OF_FUNCTION;
        constant->index = read_u32(reader, "function index");
        if (!reader->wrong && constant->index >= module->function_count) {
            stop(reader);
            return module_wrong(module, place, "function index #%u is out of bounds", constant->index);
        }
        if (!reader->wrong)
            module->declared[constant->index] = true;
        is = FUNCREF;
        break;
    }
    case 0x0b:
        return fail(reader, at, "expected 1 elements on the stack for constant expression, found 0");
    default:
        if (!reader->wrong) {
            stop(reader);
            return module_wrong(module, at, "opcode %s is not allowed in constant expressions", instruction_name(code));
        }
    }
    if (reader->wrong)
        return false;
    const uint8_t *end = reader->at;
    uint8_t last = read_byte(reader, "opcode");
    if (reader->wrong)
        return false;
    if (last != 0x0b) {
        stop(reader);
        if ((last >= 0x41 && last <= 0x44) || last == 0x23 || last == 0xd0 || last == 0xd2)
            return module_wrong(module, end, "expected 1 elements on the stack for constant expression, found 2");
        return module_wrong(module, end, "opcode %s is not allowed in constant expressions", instruction_name(last));
    }
    if (is != type) {
        stop(reader);
        return module_wrong(module, at, "type error in constant expression[0] (expected %s, got %s)", type_name(type), type_name(is));
    }
    return true;
}

static bool read_types(struct reader *reader)
{
    struct module *module = reader->module;
    uint32_t count;
    if (!read_count(reader, "types count", &count, &module->types, sizeof *module->types))
        return false;
    for (uint32_t i = 0; i < count; i++, module->type_count++)
        if (!read_signature(reader, &module->types[i]))
            return false;
    return true;
}

/// The list of items of a kind, and how many there are.
static struct item **items_of(struct module *module, uint8_t kind, uint32_t **count)
{
    switch (kind) {
    case FUNCTION: return *count = &module->function_count, &module->functions;
    case TABLE: return *count = &module->table_count, &module->tables;
    case MEMORY: return *count = &module->memory_count, &module->memories;
    }
    return *count = &module->global_count, &module->globals;
}

static bool add(struct reader *reader, const struct item *item, uint32_t *index)
{
    uint32_t *count;
    struct item **list = items_of(reader->module, item->kind, &count);
    // Lists grow by doubling: there is room up to the next power of two.
    if (!(*count & (*count - 1))) {
        struct item *larger = realloc(*list, (*count ? *count * 2 : 1) * sizeof *larger);
        if (!larger)
            return fail(reader, reader->at, "out of memory");
        *list = larger;
    }
    *index = *count;
    (*list)[(*count)++] = *item;
    return true;
}

static bool one_memory(struct reader *reader, const uint8_t *at)
{
    return reader->module->memory_count < 1 || fail(reader, at, "At most one memory is supported");
}

static bool read_item(struct reader *reader, uint8_t kind, struct item *item)
{
    const uint8_t *at = reader->at;
    item->kind = kind;
    switch (kind) {
    case FUNCTION: return read_function(reader, item);
    case TABLE: return read_table(reader, item);
    case MEMORY: return one_memory(reader, at) && read_limits(reader, &item->limits, true);
    case GLOBAL: return read_global(reader, item);
    case 4: return fail(reader, at - 1, "exception handling is not supported (tag)");
    }
    stop(reader);
    return module_wrong(reader->module, at - 1, "unknown import kind 0x%02x", kind);
}

static bool read_imports(struct reader *reader)
{
    struct module *module = reader->module;
    uint32_t count;
    if (!read_count(reader, "imports count", &count, &module->imports, sizeof *module->imports))
        return false;
    for (uint32_t i = 0; i < count; i++, module->import_count++) {
        struct import *import = &module->imports[i];
        import->module = read_name(reader, "module name");
        import->name = read_name(reader, "field name");
        uint8_t kind = read_byte(reader, "kind");
        if (reader->wrong || !read_item(reader, kind, &import->item) || !add(reader, &import->item, &import->index))
            return false;
    }
    module->imported_functions = module->function_count;
    module->imported_globals = module->global_count;
    return true;
}

static bool read_items(struct reader *reader, uint8_t kind, const char *what)
{
    uint32_t count = read_u32(reader, what);
    if (!reader->wrong && count > (size_t)(reader->end - reader->at)) {
        stop(reader);
        return module_wrong(reader->module, reader->at, "%s of %u exceeds what the section can have", what, count);
    }
    for (uint32_t i = 0, index; i < count; i++) {
        struct item item = {0};
        if (reader->wrong || !read_item(reader, kind, &item) || !add(reader, &item, &index))
            return false;
    }
    return !reader->wrong;
}

static bool read_globals(struct reader *reader)
{
    struct module *module = reader->module;
    uint32_t count;
    if (!read_count(reader, "globals count", &count, &module->values, sizeof *module->values))
        return false;
    for (uint32_t i = 0, index; i < count; i++) {
        struct item item = {0};
        if (!read_global(reader, &item) || !read_constant(reader, item.type, &module->values[i]) || !add(reader, &item, &index))
            return false;
        module->value_count++;
    }
    return true;
}

static const char *const KINDS[] = {"function", "table", "memory", "global"};

static uint32_t hash_name(const struct name *name)
{
    uint32_t hash = 2166136261;
    for (uint32_t i = 0; i < name->size; i++)
        hash = (hash ^ name->text[i]) * 16777619;
    return hash;
}

/// Whether no two exports have the same name.
static bool names_differ(struct reader *reader, const uint8_t *start)
{
    struct module *module = reader->module;
    uint32_t room = 16;
    while (room < module->export_count * 2)
        room *= 2;
    uint32_t *places = calloc(room, sizeof *places);
    if (!places)
        return fail(reader, start, "out of memory");
    for (uint32_t i = 0; i < module->export_count; i++) {
        struct export *export = &module->exports[i];
        uint32_t at = hash_name(&export->name) & (room - 1);
        for (; places[at]; at = (at + 1) & (room - 1)) {
            struct export *other = &module->exports[places[at] - 1];
            if (other->name.size != export->name.size || memcmp(other->name.text, export->name.text, export->name.size))
                continue;
            free(places);
            stop(reader);
            return module_wrong(module, export->name.text, "Duplicate export name '%.*s' for %s %u and %s %u", (int)export->name.size,
                                export->name.text, KINDS[other->kind], other->index, KINDS[export->kind], export->index);
        }
        places[at] = i + 1;
    }
    free(places);
    return true;
}

static bool read_exports(struct reader *reader)
{
    struct module *module = reader->module;
    uint32_t count;
    const uint8_t *start = reader->at;
    if (!read_count(reader, "exports count", &count, &module->exports, sizeof *module->exports))
        return false;
    for (uint32_t i = 0; i < count; i++, module->export_count++) {
        struct export *export = &module->exports[i];
        export->name = read_name(reader, "field name");
        const uint8_t *at = reader->at;
        export->kind = read_byte(reader, "kind");
        if (!reader->wrong && export->kind == 4)
            return fail(reader, at, "exception handling is not supported (tag)");
        if (!reader->wrong && export->kind > GLOBAL) {
            stop(reader);
            return module_wrong(module, at, "invalid export kind 0x%02x", export->kind);
        }
        at = reader->at;
        export->index = read_u32(reader, "item index");
        if (reader->wrong)
            return false;
        uint32_t *known;
        items_of(module, export->kind, &known);
        if (export->index >= *known) {
            stop(reader);
            if (export->kind == MEMORY)
                return module_wrong(module, at, "invalid memory index != 0");
            return module_wrong(module, at, "%s index %u out of bounds (%u entr%s)", KINDS[export->kind], export->index, *known,
                                *known == 1 ? "y" : "ies");
        }
        if (export->kind == FUNCTION)
            module->declared[export->index] = true;
    }
    return names_differ(reader, start);
}

static bool read_start(struct reader *reader)
{
    struct module *module = reader->module;
    const uint8_t *at = reader->at;
    uint32_t index = read_u32(reader, "start index");
    if (reader->wrong)
        return false;
    if (index >= module->function_count) {
        stop(reader);
        return module_wrong(module, at, "function index %u out of bounds (%u entr%s)", index, module->function_count,
                            module->function_count == 1 ? "y" : "ies");
    }
    if (module->functions[index].signature->params || module->functions[index].signature->results)
        return fail(reader, at, "invalid start function: non-zero parameter or return count");
    module->start = index;
    return true;
}

static bool read_element(struct reader *reader, struct element *element)
{
    struct module *module = reader->module;
    const uint8_t *at = reader->at;
    uint32_t flags = read_u32(reader, "flag");
    if (flags > 7) {
        stop(reader);
        return module_wrong(module, at, "illegal flag value %u", flags);
    }
    bool has_expressions = flags & 4;
    element->mode = !(flags & 1) ? ACTIVE : flags & 2 ? DECLARED : PASSIVE;
    element->type = FUNCREF;
    at = reader->at;
    if (element->mode == ACTIVE) {
        if (flags & 2)
            element->table = read_u32(reader, "table index");
        if (!reader->wrong && element->table >= module->table_count) {
            stop(reader);
            return module_wrong(module, at, "out of bounds table index %u", element->table);
        }
        if (reader->wrong || !read_constant(reader, I32, &element->offset))
            return false;
    }
    if (flags & 3) {
        at = reader->at;
        if (has_expressions) {
            if (!read_type(reader, &element->type))
                return false;
            if (!is_reference(element->type))
                return fail(reader, at, "expected reference type");
        } else if (read_byte(reader, "element type: function") != 0)
            return fail(reader, at, "illegal element kind, must be 0x00");
    }
    if (!reader->wrong && element->mode == ACTIVE && element->type != module->tables[element->table].type) {
        stop(reader);
        return module_wrong(module, at, "Element segment of type %s is not a subtype of referenced table %u (type %s)",
                            type_name(element->type), element->table, type_name(module->tables[element->table].type));
    }
    uint32_t count;
    if (!read_count(reader, "number of elements", &count, &element->items, sizeof *element->items))
        return false;
    for (; element->count < count; element->count++) {
        struct constant *item = &element->items[element->count];
        if (has_expressions) {
            if (!read_constant(reader, element->type, item))
                return false;
            continue;
        }
        at = reader->at;
        item->kind = OF_FUNCTION;
        item->index = read_u32(reader, "index");
        if (!reader->wrong && item->index >= module->function_count) {
            stop(reader);
            return module_wrong(module, at, "function index %u out of bounds (%u entr%s)", item->index, module->function_count,
                                module->function_count == 1 ? "y" : "ies");
        }
        if (reader->wrong)
            return false;
        module->declared[item->index] = true;
    }
    return true;
}

static bool read_elements(struct reader *reader)
{
    struct module *module = reader->module;
    uint32_t count;
    if (!read_count(reader, "segment count", &count, &module->elements, sizeof *module->elements))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        module->element_count++;
        if (!read_element(reader, &module->elements[i]))
            return false;
    }
    return true;
}

static bool read_bodies(struct reader *reader)
{
    struct module *module = reader->module;
    const uint8_t *at = reader->at;
    uint32_t count, wanted = module->function_count - module->imported_functions;
    if (!read_count(reader, "body count", &count, &module->bodies, sizeof *module->bodies))
        return false;
    if (count != wanted) {
        stop(reader);
        return module_wrong(module, at, "function body count %u mismatch (%u expected)", count, wanted);
    }
    for (; module->body_count < count; module->body_count++) {
        at = reader->at;
        uint32_t size = read_u32(reader, "body size");
        if (reader->wrong)
            return false;
        if (size > 7654321) {
            stop(reader);
            return module_wrong(module, at, "size %u > maximum function size 7654321", size);
        }
        if (size > (size_t)(reader->end - reader->at)) {
            stop(reader);
            return module_wrong(module, reader->at, "expected %u bytes, fell off end", size);
        }
        module->bodies[module->body_count].start = reader->at;
        module->bodies[module->body_count].end = reader->at += size;
    }
    return true;
}

static bool read_datas(struct reader *reader)
{
    struct module *module = reader->module;
    uint32_t count;
    if (!read_count(reader, "data segments count", &count, &module->datas, sizeof *module->datas))
        return false;
    if (module->tells_datas && count != module->told_datas) {
        stop(reader);
        return module_wrong(module, reader->at, "data segments count %u mismatch (%u expected)", count, module->told_datas);
    }
    for (; module->data_count < count; module->data_count++) {
        struct data *data = &module->datas[module->data_count];
        const uint8_t *at = reader->at;
        uint32_t flags = read_u32(reader, "flag"), memory = 0;
        if (flags > 2) {
            stop(reader);
            return module_wrong(module, at, "illegal flag value %u", flags);
        }
        data->active = flags != 1;
        if (flags == 2)
            memory = read_u32(reader, "memory index");
        if (!reader->wrong && data->active && !module->memory_count)
            return fail(reader, at, "cannot load data without memory");
        if (!reader->wrong && data->active && memory) {
            stop(reader);
            return module_wrong(module, at, "illegal memory index %u != 0", memory);
        }
        if (reader->wrong || (data->active && !read_constant(reader, I32, &data->offset)))
            return false;
        data->size = read_u32(reader, "source size");
        if (reader->wrong)
            return false;
        if (data->size > (size_t)(reader->end - reader->at)) {
            stop(reader);
            return module_wrong(module, reader->at, "expected %u bytes, fell off end", data->size);
        }
        data->bytes = reader->at;
        reader->at += data->size;
    }
    return true;
}

static const char *const SECTIONS[] = {"Custom", "Type", "Import", "Function", "Table", "Memory", "Global", "Export", "Start", "Element",
                                       "Code", "Data", "DataCount"};

static bool read_section(struct reader *reader, uint8_t code)
{
    switch (code) {
    case 1: return read_types(reader);
    case 2: return read_imports(reader);
    case 3: return read_items(reader, FUNCTION, "functions count");
    case 4: return read_items(reader, TABLE, "table count");
    case 5: return read_items(reader, MEMORY, "memory count");
    case 6: return read_globals(reader);
    case 7: return read_exports(reader);
    case 8: return read_start(reader);
    case 9: return read_elements(reader);
    case 10: return read_bodies(reader);
    case 11: return read_datas(reader);
    }
    reader->module->tells_datas = true;
    reader->module->told_datas = read_u32(reader, "data segments count");
    return !reader->wrong;
}

/// Where a section has its place among the others: the count of data is before the code.
static int order_of(uint8_t code)
{
    return code == 12 ? 19 : code * 2;
}

/// Reads the first bytes of a module.
static bool read_head(struct reader *reader)
{
    static const uint8_t HEADS[2][4] = {{0, 'a', 's', 'm'}, {1, 0, 0, 0}};
    for (int i = 0; i < 2; i++) {
        const uint8_t *at = reader->at, *head = HEADS[i];
        if (reader->end - at < 4)
            return module_wrong(reader->module, at, "expected 4 bytes, fell off end");
        if (memcmp(at, head, 4))
            return module_wrong(reader->module, at, "expected %s %02x %02x %02x %02x, found %02x %02x %02x %02x",
                                i ? "version" : "magic word", head[0], head[1], head[2], head[3], at[0], at[1], at[2], at[3]);
        reader->at += 4;
    }
    return true;
}

static bool read_all(struct module *module)
{
    struct reader reader = {module, module->bytes, module->bytes + module->size, false};
    int last = 0;
    if (!read_head(&reader))
        return false;
    while (reader.at < reader.end) {
        const uint8_t *head = reader.at;
        uint8_t code = *reader.at++;
        const uint8_t *place = reader.at;
        if (place == reader.end)
            return module_wrong(module, place, "expected section length");
        uint32_t size = read_u32(&reader, "section length");
        if (reader.wrong)
            return false;
        const uint8_t *start = reader.at;
        if (code == 13)
            return module_wrong(module, head, "exception handling is not supported (tag section)");
        if (size > (size_t)(reader.end - start))
            return module_wrong(module, head, "section (code %u, \"%s\") extends past end of the module (length %u, remaining bytes %zu)",
                                code, code > 12 ? "Unknown" : SECTIONS[code], size, (size_t)(reader.end - start));
        if (code > 13)
            return module_wrong(module, start, "unknown section code #0x%02x", code);
        struct reader part = {module, start, start + size, false};
        reader.at += size;
        if (code == 0) {
            read_name(&part, "section name");
            if (part.wrong)
                return false;
            continue;
        }
        if (order_of(code) <= last)
            return module_wrong(module, start, "unexpected section <%s>", SECTIONS[code]);
        last = order_of(code);
        // Functions are known before anything names them: what is named is declared.
        if (code > 3 && !module->declared && !(module->declared = calloc(module->function_count + 1, 1)))
            return module_wrong(module, start, "out of memory");
        if (!read_section(&part, code))
            return false;
        if (part.at != part.end)
            return module_wrong(module, part.at, "section was shorter than expected size (%u bytes expected, %zu decoded)", size,
                                (size_t)(part.at - start));
    }
    uint32_t own = module->function_count - module->imported_functions;
    if (module->body_count != own)
        return module_wrong(module, reader.end, "function count is %u, but code section is absent", own);
    if (module->tells_datas && module->told_datas != module->data_count)
        return module_wrong(module, reader.end, "data segments count %u mismatch (%u expected)", module->data_count, module->told_datas);
    if (!module->declared && !(module->declared = calloc(1, 1)))
        return module_wrong(module, reader.end, "out of memory");
    for (uint32_t i = 0; i < module->body_count; i++)
        if (!body_translate(module, i, false))
            return false;
    return true;
}

struct module *module_read(uint8_t *bytes, size_t size)
{
    struct module *module = calloc(1, sizeof *module);
    if (!module) {
        free(bytes);
        return NULL;
    }
    *module = (struct module){.count = 1, .bytes = bytes, .size = size, .start = -1};
    read_all(module);
    return module;
}

void module_release(struct module *module)
{
    if (!module || --module->count)
        return;
    for (uint32_t i = 0; i < module->body_count; i++)
        free(module->bodies[i].code);
    for (uint32_t i = 0; i < module->element_count; i++)
        free(module->elements[i].items);
    void *all[] = {module->bytes, module->types, module->functions, module->tables, module->memories, module->globals, module->values,
                   module->imports, module->exports, module->elements, module->datas, module->bodies, module->declared};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(module);
}
