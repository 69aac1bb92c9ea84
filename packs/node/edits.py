"""What is changed in quickjs-ng: exceptions say what V8's say (their stacks are in `stacks.py`).

Programs print messages and stacks, and their tests compare them. Each edit names text that must be there exactly once.
"""

import matches
import messages
import receivers
import stacks
from libc.sources import edit


def apply(tree):
    """Edits the engine in `tree`, which is also the value."""
    engine = tree / "quickjs.c"
    throws(engine)
    positions(engine)
    stacks.apply(engine)
    deep(engine)
    lines(engine)
    names(engine)
    syntax(engine)
    contexts(engine)
    collections(engine)
    values(engine)
    text = engine.read_text()
    for setter in ("pr->u.getset.setter", "setter"):
        text = text.replace(f"call_setter(ctx, {setter}, this_obj, val, flags)", f"call_setter(ctx, {setter}, this_obj, val, flags, prop)")
    for old, new in WORDS.items():
        if old not in text:
            raise SystemExit(f"quickjs.c has nowhere: {old}")
        text = text.replace(old, new)
    engine.write_text(text)
    matches.apply(engine)
    messages.apply(engine)
    return tree


def values(engine):
    """Messages name what they are about, as V8's do."""
    for old, new in NAMING:
        edit(engine, old, new)


#: The engine's code, and what takes its place.
NAMING = [
    ("static int call_setter(JSContext *ctx, JSObject *setter,\n                       JSValueConst this_obj, JSValue val, int flags)\n{",
     "static int call_setter(JSContext *ctx, JSObject *setter,\n                       JSValueConst this_obj, JSValue val, int flags, JSAtom prop)\n{"),
    ('            JS_ThrowTypeError(ctx, "no setter for property");',
     '            node_throw_property(ctx, "Cannot set property %s of %s which has only a getter", prop, this_obj);'),
    ('        JS_ThrowTypeError(ctx, "invalid \'instanceof\' right operand");\n        return -1;\n    }\n    return JS_OrdinaryIsInstanceOf',
     '        JS_ThrowTypeError(ctx, JS_IsObject(obj) ? "Right-hand side of \'instanceof\' is not callable" : "Right-hand side of \'instanceof\' is not an object");\n'
     "        return -1;\n    }\n    return JS_OrdinaryIsInstanceOf"),
    ("            JS_ThrowTypeError(ctx, \"operand 'prototype' property is not an object\");",
     "            node_throw_about(ctx, JS_ThrowTypeError, \"Function has non-object prototype '%s' in instanceof check\", obj_proto);"),
    ("    return JS_ThrowTypeErrorAtom(ctx, \"private class field '%s' does not exist\",",
     "    return JS_ThrowTypeErrorAtom(ctx, \"Cannot write private member %s to an object whose class did not declare it\","),
    ("                ret = JS_CallConstructor2(ctx, super, new_target, argc, argv);",
     "                if (!JS_IsConstructor(ctx, super)) {\n                    node_throw_super(ctx, super, sf->cur_func);\n"
     "                    JS_FreeValue(ctx, super);\n                    goto exception;\n                }\n"
     "                ret = JS_CallConstructor2(ctx, super, new_target, argc, argv);"),
    ("                                          JSModuleDef *m, JSAtom export_name)\n{\n    char buf1[ATOM_GET_STR_BUF_SIZE];",
     "                                          JSModuleDef *m, JSAtom export_name, JSAtom requested)\n{\n    char buf1[ATOM_GET_STR_BUF_SIZE];"),
    ('        JS_ThrowSyntaxError(ctx, "Could not find export \'%s\' in module \'%s\'",\n'
     "                            JS_AtomGetStr(ctx, buf1, sizeof(buf1), export_name),\n"
     "                            JS_AtomGetStr(ctx, buf2, sizeof(buf2), m->module_name));",
     '        JS_ThrowSyntaxError(ctx, "The requested module \'%s\' does not provide an export named \'%s\'",\n'
     "                            JS_AtomGetStr(ctx, buf2, sizeof(buf2), requested),\n"
     "                            JS_AtomGetStr(ctx, buf1, sizeof(buf1), export_name));"),
    ("                                                  m, en->export_name);", "                                                  m, en->export_name, m->module_name);"),
    ("js_resolve_export_throw_error(ctx, res, m1, me->local_name);",
     "js_resolve_export_throw_error(ctx, res, m1, me->local_name, m->req_module_entries[me->u.req_module_idx].module_name);"),
    ("js_resolve_export_throw_error(ctx, res, m, en->export_name);",
     "js_resolve_export_throw_error(ctx, res, m, en->export_name, m->module_name);"),
    ("js_resolve_export_throw_error(ctx, ret, m1, me->local_name);",
     "js_resolve_export_throw_error(ctx, ret, m1, me->local_name, m->req_module_entries[me->u.req_module_idx].module_name);"),
    ("js_resolve_export_throw_error(ctx, ret, m1, mi->import_name);",
     "js_resolve_export_throw_error(ctx, ret, m1, mi->import_name, m->req_module_entries[mi->req_module_idx].module_name);"),
    ("                return JS_ThrowTypeErrorReadOnly(ctx, JS_PROP_THROW, prop);",
     '                return JS_ThrowTypeError(ctx, "Assignment to constant variable."), -1;'),
    ("    tag2 = JS_VALUE_GET_NORM_TAG(op2);\n\n    if (tag1 == JS_TAG_INT && tag2 == JS_TAG_INT) {\n        int32_t v1, v2;\n"
     "        int64_t v;\n        v1 = JS_VALUE_GET_INT(op1);\n        v2 = JS_VALUE_GET_INT(op2);\n        switch(op) {\n        case OP_sub:",
     "    tag2 = JS_VALUE_GET_NORM_TAG(op2);\n    if (node_mixes(ctx, op1, op2))\n        goto exception;\n\n"
     "    if (tag1 == JS_TAG_INT && tag2 == JS_TAG_INT) {\n        int32_t v1, v2;\n        int64_t v;\n"
     "        v1 = JS_VALUE_GET_INT(op1);\n        v2 = JS_VALUE_GET_INT(op2);\n        switch(op) {\n        case OP_sub:"),
    ("    tag2 = JS_VALUE_GET_NORM_TAG(op2);\n\n    if (tag1 == JS_TAG_INT && tag2 == JS_TAG_INT) {\n        int32_t v1, v2;\n"
     "        int64_t v;\n        v1 = JS_VALUE_GET_INT(op1);\n        v2 = JS_VALUE_GET_INT(op2);\n        v = (int64_t)v1 + (int64_t)v2;",
     "    tag2 = JS_VALUE_GET_NORM_TAG(op2);\n    if (node_mixes(ctx, op1, op2))\n        goto exception;\n\n"
     "    if (tag1 == JS_TAG_INT && tag2 == JS_TAG_INT) {\n        int32_t v1, v2;\n        int64_t v;\n"
     "        v1 = JS_VALUE_GET_INT(op1);\n        v2 = JS_VALUE_GET_INT(op2);\n        v = (int64_t)v1 + (int64_t)v2;"),
    ('                JS_FreeCString(ctx, str);\n                return JS_ThrowSyntaxError(ctx, "invalid regular expression flags");',
     '                JS_ThrowSyntaxError(ctx, "Invalid flags supplied to RegExp constructor \'%s\'", str);\n'
     "                JS_FreeCString(ctx, str);\n                return JS_EXCEPTION;"),
    ("                                  sizeof(error_msg), str, len, re_flags, ctx);\n    JS_FreeCString(ctx, str);\n    if (!re_bytecode_buf) {\n"
     '        JS_ThrowSyntaxError(ctx, "%s", error_msg);\n        return JS_EXCEPTION;\n    }\n',
     "                                  sizeof(error_msg), str, len, re_flags, ctx);\n    if (!re_bytecode_buf) {\n"
     "        const char *letters = JS_IsUndefined(flags) ? NULL : JS_ToCString(ctx, flags);\n"
     '        JS_ThrowSyntaxError(ctx, "Invalid regular expression: /%.150s/%s: %s", str, letters ? letters : "", node_of_pattern(error_msg));\n'
     "        if (letters)\n            JS_FreeCString(ctx, letters);\n        JS_FreeCString(ctx, str);\n        return JS_EXCEPTION;\n    }\n"
     "    JS_FreeCString(ctx, str);\n"),
    ("static int JS_ThrowTypeErrorReadOnly(JSContext *ctx, int flags, JSAtom atom)\n{", r"""static const char *get_func_name(JSContext *ctx, JSValueConst func);

/* An object is not converted: that would call its functions. */
static JSValue node_throw_about(JSContext *ctx, JSValue (*throw)(JSContext *, const char *, ...), const char *format, JSValueConst value)
{
    const char *text = JS_IsObject(value) || JS_IsSymbol(value) ? NULL : JS_ToCString(ctx, value);
    throw(ctx, format, text ? text : JS_IsSymbol(value) ? "Symbol()" : "#<Object>");
    if (text)
        JS_FreeCString(ctx, text);
    return JS_EXCEPTION;
}

static JSValue node_throw_named(JSContext *ctx, const char *format, JSValueConst function)
{
    const char *name = get_func_name(ctx, function);
    JS_ThrowTypeError(ctx, format, name ? name : "");
    if (name)
        JS_FreeCString(ctx, name);
    return JS_EXCEPTION;
}

static bool node_is_big(JSValueConst value)
{
    return JS_VALUE_GET_NORM_TAG(value) == JS_TAG_SHORT_BIG_INT || JS_VALUE_GET_NORM_TAG(value) == JS_TAG_BIG_INT;
}

/* Throws for two numbers of different kinds, and frees them. */
static bool node_mixes(JSContext *ctx, JSValue one, JSValue other)
{
    if (node_is_big(one) == node_is_big(other))
        return false;
    JS_FreeValue(ctx, one);
    JS_FreeValue(ctx, other);
    JS_ThrowTypeError(ctx, "Cannot mix BigInt and other types, use explicit conversions");
    return true;
}

/* What V8 says of a pattern that is wrong. */
static const char *node_of_pattern(const char *message)
{
    static const char *const words[][2] = {
        {"expecting ')'", "Unterminated group"}, {"unexpected end", "Unterminated character class"},
        {"nothing to repeat", "Nothing to repeat"}, {"extraneous characters at the end", "Unmatched ')'"},
        {"invalid group name", "Invalid capture group name"}, {"expecting group name", "Invalid named reference"},
        {"duplicate group name", "Duplicate capture group name"}, {"invalid group", "Invalid group"},
        {"invalid repetition count", "numbers out of order in {} quantifier"},
        {"invalid class range", "Range out of order in character class"},
        {"group name not defined", "Invalid named capture referenced"}, {"malformed unicode char", "Invalid Unicode escape"},
        {"unknown unicode property name", "Invalid property name"}, {"unknown unicode property value", "Invalid property name"},
        {"unknown unicode general category", "Invalid property name"}, {"unknown unicode script", "Invalid property name"},
        {"invalid escape sequence in regular expression", "Invalid escape"},
        {"back reference out of range in regular expression", "Invalid escape"},
        {"invalid character in class in regular expression", "Invalid character in character class"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(message, words[i][0]))
            return words[i][1];
    return message;
}

static void node_describe(JSContext *ctx, char *buf, size_t size, JSValueConst value);

static void node_throw_super(JSContext *ctx, JSValueConst super, JSValueConst function)
{
    char what[100];
    const char *name = get_func_name(ctx, function);
    // What extends null has the prototype of functions.
    node_describe(ctx, what, sizeof what, js_same_value(ctx, super, ctx->function_proto) ? JS_NULL : super);
    JS_ThrowTypeError(ctx, "Super constructor %s of %s is not a constructor", what, name && name[0] ? name : "anonymous class");
    JS_FreeCString(ctx, name);
}

static int node_not_extensible(JSContext *ctx, int flags, const char *verb, JSAtom prop)
{
    char name[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(ctx, name, sizeof(name), prop);
    return JS_ThrowTypeErrorOrFalse(ctx, flags, "Cannot %s property %s, object is not extensible", verb, name);
}

static int JS_ThrowTypeErrorReadOnly(JSContext *ctx, int flags, JSAtom atom)
{"""),
    ('    return JS_ThrowReferenceError(ctx, "%s is not initialized",',
     '    if (name == JS_ATOM_this)\n        return JS_ThrowReferenceError(ctx, "Must call super constructor in derived class before accessing '
     "'this' or returning from derived constructor\");\n"
     '    return JS_ThrowReferenceError(ctx, "%s is not initialized",'),
    ('    if (p == JS_VALUE_GET_OBJ(obj)) {\n        if (unlikely(!p->extensible)) {\n'
     '            ret = JS_ThrowTypeErrorOrFalse(ctx, flags, "object is not extensible");',
     '    if (p == JS_VALUE_GET_OBJ(obj)) {\n        if (unlikely(!p->extensible)) {\n'
     '            ret = node_not_extensible(ctx, flags, "add", prop);'),
    ('    } else {\n        if (unlikely(!p->extensible)) {\n            ret = JS_ThrowTypeErrorOrFalse(ctx, flags, "object is not extensible");',
     '    } else {\n        if (unlikely(!p->extensible)) {\n            ret = node_not_extensible(ctx, flags, "add", prop);'),
    ('    not_extensible:\n        return JS_ThrowTypeErrorOrFalse(ctx, flags, "object is not extensible");',
     '    not_extensible:\n        return node_not_extensible(ctx, flags, "define", prop);'),
    ('        if (throw_flag) {\n            JS_ThrowTypeError(ctx, "object is not extensible");',
     '        if (throw_flag) {\n            JS_ThrowTypeError(ctx, "#<Object> is not extensible");'),
    ("    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {\n        JS_ThrowTypeError(ctx, \"invalid 'in' operand\");", r"""    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {
        const char *key = JS_IsObject(op1) || JS_IsSymbol(op1) ? NULL : JS_ToCString(ctx, op1);
        const char *place = JS_IsSymbol(op2) ? NULL : JS_ToCString(ctx, op2);
        JS_ThrowTypeError(ctx, "Cannot use 'in' operator to search for '%s' in %s", key ? key : "#<Object>", place ? place : "Symbol()");
        if (key)
            JS_FreeCString(ctx, key);
        if (place)
            JS_FreeCString(ctx, place);"""),
    ("static JSValue JS_GetIterator(JSContext *ctx, JSValueConst obj, bool is_async)\n{\n    JSValue method, ret, sync_iter;\n",
     "static JSValue JS_GetIterator(JSContext *ctx, JSValueConst obj, bool is_async)\n{\n    JSValue method, ret, sync_iter;\n\n"
     '    if (JS_IsUndefined(obj) || JS_IsNull(obj))\n        return node_throw_about(ctx, JS_ThrowTypeError, "%s is not iterable", obj);\n'),
    ('"invalid number of digits");\n    if (fabs(d) >= 1e21)', '"toFixed() digits argument must be between 0 and 100");\n    if (fabs(d) >= 1e21)'),
    ('"invalid number of digits");\n        f++;', '"toExponential() argument must be between 0 and 100");\n        f++;'),
    ('    if (p < 1 || p > 100)\n        return JS_ThrowRangeError(ctx, "invalid number of digits");',
     '    if (p < 1 || p > 100)\n        return JS_ThrowRangeError(ctx, "toPrecision() argument must be between 1 and 100");'),
    ('JS_ThrowRangeError(ctx, "cannot convert to BigInt: not an integer")',
     'node_throw_about(ctx, JS_ThrowRangeError, "The number %s cannot be converted to a BigInt because it is not an integer", __JS_NewFloat64(d))'),
    ('JS_ThrowRangeError(ctx, "cannot convert NaN or Infinity to BigInt")',
     'node_throw_about(ctx, JS_ThrowRangeError, "The number %s cannot be converted to a BigInt because it is not an integer", __JS_NewFloat64(d))'),
    ("                JS_ThrowTypeError(ctx, \"class constructors must be invoked with 'new'\");",
     "                // It is the caller's mistake: the constructor has no line.\n"
     "                rt->current_stack_frame = sf->prev_frame;\n"
     "                node_throw_named(ctx, \"Class constructor %s cannot be invoked without 'new'\", sf->cur_func);\n"
     "                if (needs_backtrace(rt->current_exception))\n"
     "                    build_backtrace(ctx, rt->current_exception, JS_UNDEFINED, NULL, 0, 0, 0);\n"
     "                rt->current_stack_frame = sf;"),
    ('                ret_val = JS_ThrowTypeError(ctx, "must be called with new");',
     "                ret_val = node_throw_named(ctx, JS_VALUE_GET_OBJ(func_obj) == JS_VALUE_GET_OBJ(ctx->promise_ctor) ?\n"
     "                    \"%s constructor cannot be invoked without 'new'\" : \"Constructor %s requires 'new'\", func_obj);"),
    ("                ret_val = JS_ToObject(ctx, sp[-1]);\n                if (JS_IsException(ret_val))\n                    goto exception;\n"
     "                JS_FreeValue(ctx, sp[-1]);\n                sp[-1] = ret_val;\n            }\n            BREAK;\n\n        CASE(OP_to_propkey):",
     "                if (JS_IsUndefined(sp[-1]) || JS_IsNull(sp[-1])) {\n"
     "                    const char *what = JS_IsNull(sp[-1]) ? \"null\" : \"undefined\";\n"
     "                    JS_ThrowTypeError(ctx, \"Cannot destructure '%s' as it is %s.\", what, what);\n                    goto exception;\n"
     "                }\n"
     "                ret_val = JS_ToObject(ctx, sp[-1]);\n                if (JS_IsException(ret_val))\n                    goto exception;\n"
     "                JS_FreeValue(ctx, sp[-1]);\n                sp[-1] = ret_val;\n            }\n            BREAK;\n\n        CASE(OP_to_propkey):"),
    ("    executor = argv[0];\n    if (check_function(ctx, executor))\n        return JS_EXCEPTION;",
     "    executor = argv[0];\n    if (!JS_IsFunction(ctx, executor))\n"
     '        return node_throw_about(ctx, JS_ThrowTypeError, "Promise resolver %s is not a function", executor);'),
    ('        JS_ThrowRangeError(ctx, "invalid repeat count");',
     '        node_throw_about(ctx, JS_ThrowRangeError, "Invalid count value: %s", argv[0]);'),
    ('JS_ThrowTypeError(ctx, "invalid value used as %s key", is_set ? "WeakSet" : "WeakMap")',
     'JS_ThrowTypeError(ctx, is_set ? "Invalid value used in weak set" : "Invalid value used as weak map key")'),
    ('        JS_FreeValue(ctx, val);\n        return JS_ThrowTypeError(ctx, "cannot convert to bigint");',
     '        node_throw_about(ctx, JS_ThrowTypeError, "Cannot convert %s to a BigInt", val);\n        JS_FreeValue(ctx, val);\n'
     "        return JS_EXCEPTION;"),
]


def contexts(engine):
    """What `AsyncLocalStorage` holds (`node_context`) is kept with what waits for a promise, and is there again while that runs."""
    edit(engine, "typedef struct JSPromiseReactionData {", "/* node_context is a value of the library's. */\n"
         "JSValue node_context = JS_UNDEFINED;\n\ntypedef struct JSPromiseReactionData {\n    JSValue node_context;")
    edit(engine, "    JS_FreeValueRT(rt, rd->handler);\n    js_free_rt(rt, rd);",
         "    JS_FreeValueRT(rt, rd->handler);\n    JS_FreeValueRT(rt, rd->node_context);\n    js_free_rt(rt, rd);")
    edit(engine, "            JS_MarkValue(rt, rd->handler, mark_func);\n",
         "            JS_MarkValue(rt, rd->handler, mark_func);\n            JS_MarkValue(rt, rd->node_context, mark_func);\n")
    edit(engine, "        rd->handler = js_dup(handler);\n", "        rd->handler = js_dup(handler);\n        rd->node_context = js_dup(node_context);\n")
    edit(engine, "    JSPromiseReactionData *rd;\n    JSValueConst args[5];", "    JSPromiseReactionData *rd;\n    JSValueConst args[6];")
    edit(engine, "        args[4] = value;\n        JS_EnqueueJob(ctx, promise_reaction_job, 5, args);",
         "        args[4] = value;\n        args[5] = rd->node_context;\n        JS_EnqueueJob(ctx, node_reaction_job, 6, args);")
    edit(engine, "        JSValueConst args[5];\n        call_promise_rejection_tracker(ctx, promise, true);",
         "        JSValueConst args[6];\n        call_promise_rejection_tracker(ctx, promise, true);")
    edit(engine, "        args[4] = s->promise_result;\n        JS_EnqueueJob(ctx, promise_reaction_job, 5, args);",
         "        args[4] = s->promise_result;\n        args[5] = rd->node_context;\n        JS_EnqueueJob(ctx, node_reaction_job, 6, args);")
    edit(engine, "        args[2] = then;\n        JS_EnqueueJob(ctx, js_promise_resolve_thenable_job, 3, args);",
         "        args[2] = then;\n        args[3] = node_context;\n        JS_EnqueueJob(ctx, node_thenable_job, 4, args);")
    edit(engine, "void JS_SetPromiseHook(JSRuntime *rt, JSPromiseHook promise_hook, void *opaque)\n{", JOBS +
         "void JS_SetPromiseHook(JSRuntime *rt, JSPromiseHook promise_hook, void *opaque)\n{")


JOBS = r"""static JSValue node_job(JSContext *ctx, JSJobFunc *job, int argc, JSValueConst *argv)
{
    JSValue before = node_context, result;
    node_context = js_dup(argv[argc]);
    result = job(ctx, argc, argv);
    JS_FreeValue(ctx, node_context);
    node_context = before;
    return result;
}

/* What the job that runs got: functions of the promise that it settles, the function that it calls. */
static JSValueConst *node_reaction;

static JSValue node_reaction_job(JSContext *ctx, int argc, JSValueConst *argv)
{
    JSValueConst *before = node_reaction;
    node_reaction = argv;
    JSValue result = node_job(ctx, promise_reaction_job, argc - 1, argv);
    node_reaction = before;
    return result;
}

static JSValue node_thenable_job(JSContext *ctx, int argc, JSValueConst *argv)
{
    return node_job(ctx, js_promise_resolve_thenable_job, argc - 1, argv);
}

"""


def collections(engine):
    """`util.inspect` shows what iterators still have, and what weak collections hold."""
    edit(engine, "static JSValue js_map_iterator_next(JSContext *ctx, JSValueConst this_val,", ITEMS +
         "static JSValue js_map_iterator_next(JSContext *ctx, JSValueConst this_val,")


ITEMS = r"""/* What an iterator of a map or a set still has, or what a weak collection holds: [whether there are pairs, items...]. */
JSValue node_items(JSContext *ctx, JSValueConst value)
{
    JSClassID class_id = JS_GetClassID(value);
    JSMapState *s = NULL;
    JSMapRecord *from = NULL, *mr;
    bool keys = true, values = false, pairs = false;
    struct list_head *el;
    uint32_t count = 0;
    JSValue all = JS_NewArray(ctx);

    if (class_id == JS_CLASS_MAP_ITERATOR || class_id == JS_CLASS_SET_ITERATOR) {
        JSMapIteratorData *it = JS_GetOpaque(value, class_id);
        if (it && !JS_IsUndefined(it->obj)) {
            s = JS_GetOpaque(it->obj, class_id == JS_CLASS_MAP_ITERATOR ? JS_CLASS_MAP : JS_CLASS_SET);
            pairs = it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
            keys = class_id == JS_CLASS_SET_ITERATOR || it->kind != JS_ITERATOR_KIND_VALUE;
            values = pairs || !keys;
            from = it->cur_record;
        }
    } else if (class_id == JS_CLASS_WEAKMAP || class_id == JS_CLASS_WEAKSET) {
        s = JS_GetOpaque(value, class_id);
        pairs = values = class_id == JS_CLASS_WEAKMAP;
    }
    JS_SetPropertyUint32(ctx, all, count++, js_bool(pairs));
    for (el = !s ? NULL : from ? from->link.next : s->records.next; s && el != &s->records; el = el->next) {
        mr = list_entry(el, JSMapRecord, link);
        if (mr->empty)
            continue;
        if (keys)
            JS_SetPropertyUint32(ctx, all, count++, js_dup(mr->key));
        if (values)
            JS_SetPropertyUint32(ctx, all, count++, js_dup(class_id == JS_CLASS_SET_ITERATOR ? mr->key : mr->value));
    }
    return all;
}

"""


def names(engine):
    """A module's namespace is told from other objects."""
    edit(engine, "{ JS_ATOM_Object, NULL, NULL },                             /* JS_CLASS_MODULE_NS */",
         "{ JS_ATOM_Module, NULL, NULL }, /* JS_CLASS_MODULE_NS */")


def positions(engine):
    """Code has the places that V8 names: `new` of a constructor, the property that is read, the statement that throws."""
    edit(engine, "    case TOK_NEW:\n        if (next_token(s))\n            return -1;\n        if (s->token.val == '.') {",
         "    case TOK_NEW:\n        new_line = s->token.line_num, new_column = s->token.ptr - s->token.line_start + 1;\n        if (next_token(s))\n            return -1;\n"
         "        if (s->token.val == '.') {")
    edit(engine, "                emit_op(s, OP_dup);\n                emit_op(s, OP_call_constructor);\n                emit_u16(s, 0);",
         "                emit_op(s, OP_dup);\n                emit_source_loc_at(s, new_line, new_column);\n                emit_op(s, OP_call_constructor);\n"
         "                emit_u16(s, 0);")
    edit(engine, "                    } else if (call_type == FUNC_CALL_NEW) {\n                        emit_op(s, OP_call_constructor);",
         "                    } else if (call_type == FUNC_CALL_NEW) {\n                        emit_source_loc_at(s, new_line, new_column);\n"
         "                        emit_op(s, OP_call_constructor);")
    edit(engine, "static __exception int js_parse_postfix_expr(JSParseState *s, int parse_flags)\n{",
         "static __exception int js_parse_postfix_expr(JSParseState *s, int parse_flags)\n{\n    int new_line = 0, new_column = 0;\n"
         "    int call_line = node_names_call(s) ? s->token.line_num : 0, call_column = node_column(s);")
    edit(engine, "        } else if (s->token.val == '(' && accept_lparen) {\n            int opcode, arg_count, drop_count;\n",
         "        } else if (s->token.val == '(' && accept_lparen) {\n            int opcode, arg_count, drop_count;\n\n"
         "            if (!call_line)\n                call_line = s->token.line_num, call_column = node_column(s);")
    edit(engine, "            parse_func_call2:\n                emit_source_loc(s);", "            parse_func_call2:\n                emit_source_loc_at(s, call_line ? call_line : s->token.line_num, call_line ? call_column : node_column(s));")
    edit(engine, "            call_type = FUNC_CALL_NORMAL;\n        } else if (s->token.val == '.') {\n            if (next_token(s))\n                return -1;\n        parse_property:\n",
         "            call_type = FUNC_CALL_NORMAL;\n            call_line = 0;\n        } else if (s->token.val == '.') {\n            if (next_token(s))\n                return -1;\n"
         "        parse_property:\n            call_line = node_names_call(s) ? s->token.line_num : 0, call_column = node_column(s);\n")
    edit(engine, "            emit_func_call:\n                switch(opcode) {", "            emit_func_call:\n                if (call_line && call_type != FUNC_CALL_NEW)\n"
         "                    emit_source_loc_at(s, call_line, call_column);\n                switch(opcode) {")
    edit(engine, "        parse_array_access:\n            prev_op = get_prev_opcode(fd);", "        parse_array_access:\n            call_line = 0;\n            prev_op = get_prev_opcode(fd);")
    edit(engine, "                    emit_op(s, OP_get_field);\n                    emit_atom(s, s->token.u.ident.atom);\n                }\n            }\n            if (next_token(s))",
         "                    emit_source_loc(s);\n                    emit_op(s, OP_get_field);\n                    emit_atom(s, s->token.u.ident.atom);\n"
         "                }\n            }\n            if (next_token(s))")
    edit(engine, "    case TOK_THROW:\n        if (next_token(s))\n            goto fail;", "    case TOK_THROW: {\n        int throw_line = s->token.line_num, throw_column = s->token.ptr - s->token.line_start + 1;\n"
         "        if (next_token(s))\n            goto fail;")
    edit(engine, "            goto fail;\n        emit_op(s, OP_throw);\n        if (js_parse_expect_semi(s))\n            goto fail;\n        break;",
         "            goto fail;\n        emit_source_loc_at(s, throw_line, throw_column);\n        emit_op(s, OP_throw);\n"
         "        if (js_parse_expect_semi(s))\n            goto fail;\n        break;\n    }")
    operators(engine)


#: Columns begin with 1. A call is at its name, if it has one, or at its parenthesis.
COLUMN = r"""static int node_column(JSParseState *s)
{
    return s->token.ptr >= s->token.line_start ? (int)(s->token.ptr - s->token.line_start) + 1 : 1;
}

static bool node_names_call(JSParseState *s)
{
    int token = s->token.val;
    return (token == TOK_IDENT && !s->token.u.ident.is_reserved) || token == TOK_SUPER || token == TOK_YIELD ||
        token == TOK_AWAIT || token == TOK_LET || token == TOK_STATIC;
}

"""


def operators(engine):
    """What an operator does is at the operator; an index is at its bracket; a property of what a call returned is at its dot."""
    edit(engine, "static __exception int js_parse_template(JSParseState *s, int call, int *argc)\n{",
         COLUMN + "static __exception int js_parse_template(JSParseState *s, int call, int *argc)\n{")
    edit(engine, "        if (next_token(s))\n            return -1;\n        emit_source_loc(s);\n        if (js_parse_expr_binary(s, level - 1, parse_flags))\n"
         "            return -1;\n        emit_op(s, opcode);",
         "        int op_line = s->token.line_num, op_column = node_column(s);\n        if (next_token(s))\n            return -1;\n"
         "        if (js_parse_expr_binary(s, level - 1, parse_flags))\n            return -1;\n"
         "        emit_source_loc_at(s, op_line, op_column);\n        emit_op(s, opcode);")
    edit(engine, "        op = s->token.val;\n        if (next_token(s))\n            return -1;\n        if (js_parse_unary(s, PF_POW_FORBIDDEN))\n            return -1;\n        switch(op) {",
         "        op = s->token.val;\n        int op_line = s->token.line_num, op_column = node_column(s);\n        if (next_token(s))\n            return -1;\n"
         "        if (js_parse_unary(s, PF_POW_FORBIDDEN))\n            return -1;\n        emit_source_loc_at(s, op_line, op_column);\n        switch(op) {")
    edit(engine, "    if (op == '=' || (op >= TOK_MUL_ASSIGN && op <= TOK_POW_ASSIGN)) {\n        int label;\n",
         "    int op_line = s->token.line_num, op_column = node_column(s);\n    if (op == '=' || (op >= TOK_MUL_ASSIGN && op <= TOK_POW_ASSIGN)) {\n        int label;\n")
    edit(engine, "        } else {\n            emit_op(s, op - TOK_MUL_ASSIGN + OP_mul);\n        }\n        put_lvalue(",
         "            emit_source_loc_at(s, op_line, op_column);\n        } else {\n            emit_source_loc_at(s, op_line, op_column);\n"
         "            emit_op(s, op - TOK_MUL_ASSIGN + OP_mul);\n        }\n        put_lvalue(")
    edit(engine, "            call_line = 0;\n            prev_op = get_prev_opcode(fd);", "            call_line = 0;\n            int bracket_line = s->token.line_num, bracket_column = node_column(s);\n"
         "            prev_op = get_prev_opcode(fd);")
    edit(engine, "            } else {\n                emit_op(s, OP_get_array_el);\n            }\n        } else {\n            break;",
         "            } else {\n                emit_source_loc_at(s, bracket_line, bracket_column);\n                emit_op(s, OP_get_array_el);\n            }\n        } else {\n            break;")
    edit(engine, "            call_type = FUNC_CALL_NORMAL;\n            call_line = 0;\n        } else if (s->token.val == '.') {\n            if (next_token(s))",
         "            has_called |= call_type != FUNC_CALL_NEW;\n            call_type = FUNC_CALL_NORMAL;\n            call_line = 0;\n        } else if (s->token.val == '.') {\n"
         "            dot_line = s->token.line_num, dot_column = node_column(s);\n            if (next_token(s))")
    edit(engine, "    int new_line = 0, new_column = 0;\n", "    int new_line = 0, new_column = 0, dot_line = 0, dot_column = 0;\n    bool has_called = false;\n")
    edit(engine, "                    emit_source_loc(s);\n                    emit_op(s, OP_get_field);\n                    emit_atom(s, s->token.u.ident.atom);\n                }\n            }\n            if (next_token(s))",
         "                    if (has_called && dot_line)\n                        emit_source_loc_at(s, dot_line, dot_column);\n                    else\n                        emit_source_loc(s);\n"
         "                    emit_op(s, OP_get_field);\n                    emit_atom(s, s->token.u.ident.atom);\n                }\n            }\n            if (next_token(s))")
    edit(engine, "                emit_op(s, OP_scope_get_private_field);\n                emit_atom(s, s->token.u.ident.atom);\n                emit_u16(s, s->cur_func->scope_level);\n            } else {\n                if (!token_is_ident",
         "                emit_source_loc(s);\n                emit_op(s, OP_scope_get_private_field);\n                emit_atom(s, s->token.u.ident.atom);\n                emit_u16(s, s->cur_func->scope_level);\n            } else {\n                if (!token_is_ident")
    edit(engine, "                /* apply function call */\n                switch(opcode) {",
         "                /* apply function call */\n                if (call_type == FUNC_CALL_NEW)\n                    emit_source_loc_at(s, new_line, new_column);\n"
         "                else if (call_line)\n                    emit_source_loc_at(s, call_line, call_column);\n                switch(opcode) {")
    edit(engine, "    if (is_for_of) {\n        if (js_parse_assign_expr(s))\n            return -1;\n    } else {",
         "    int items_line = s->token.line_num, items_column = node_column(s);\n    if (is_for_of) {\n        if (js_parse_assign_expr(s))\n            return -1;\n    } else {")
    edit(engine, "        break_entry.has_iterator = true;\n", "        break_entry.has_iterator = true;\n        emit_source_loc_at(s, items_line, items_column);\n")
    edit(engine, "            call_type = FUNC_CALL_TEMPLATE;\n", "            call_type = FUNC_CALL_TEMPLATE;\n            call_line = s->token.line_num, call_column = node_column(s);\n")


def deep(engine):
    """Functions that call themselves for what a program nests. The machine's own stack cannot be asked; each takes so much of the
    stack that can that its end comes first, which is a RangeError."""
    for head, size in {
        "static __exception int js_parse_assign_expr2(JSParseState *s, int parse_flags)\n{": 2400,
        "static __exception int js_parse_unary(JSParseState *s, int parse_flags)\n{": 160,
        "static __exception int js_parse_statement_or_decl(JSParseState *s,\n                                                  int decl_mask)\n{": 400,
        "static JSValue json_parse_value(JSParseState *s, JSONParseRecord *pr)\n{": 200,
        "static int js_json_to_str(JSContext *ctx, JSONStringifyContext *jsc,\n                          JSValueConst holder, JSValue val,\n"
        "                          JSValueConst indent)\n{": 240,
        "                                   JSValueConst mapperFunction,\n                                   JSValueConst thisArg)\n{": 240,
        "static JSValue js_call_bound_function(JSContext *ctx, JSValueConst func_obj,\n                                      JSValueConst this_obj,\n"
        "                                      int argc, JSValueConst *argv, int flags)\n{": 400,
        "static JSValue node_stack_of(JSContext *ctx, JSValueConst object, JSValueConst kept, bool *prepares)\n{": 1000,
        "static JSValue js_proxy_get(JSContext *ctx, JSValueConst obj, JSAtom atom,\n                            JSValueConst receiver)\n{": 300,
    }.items():
        edit(engine, head, f'{head}\n    char node_room[{size}];\n    __asm__ volatile("" : : "r"(node_room) : "memory");')


def lines(engine):
    """A text may begin with line 0, which has what the library puts around it; columns of its first line begin with 1, too."""
    edit(engine, "    s->eol = s->buf_ptr;", "    s->eol = s->buf_ptr - 1;")
    edit(engine, "        if (options->line_num != 0)\n            line = options->line_num;", "        line = options->line_num;")


def syntax(engine):
    """Errors of syntax in V8's words."""
    edit(engine, "        return js_parse_error(s, \"expecting '%c'\", ';');", "        return js_parse_expect(s, ';');")
    edit(engine, ("        return js_parse_error(s, \"unexpected token in expression: '%.*s'\",", ";\n"), "        return js_parse_expect(s, -1000);\n")
    edit(engine, "        js_parse_error(s, \"expecting '%c'\", '}');", "        js_parse_expect(s, '}');")
    text = engine.read_text().replace('js_parse_error(s, "variable name expected")', "js_parse_expect(s, -1000)")
    engine.write_text(text)
    for what in ("lexical identifier", "a variable", "global identifier", "parameter name"):
        text = engine.read_text()
        text = text.replace(f'js_parse_error(s, "invalid redefinition of {what}")', "node_redefined(s, name)", 1)
        engine.write_text(text)
    edit(engine, "static __exception int next_token(JSParseState *s);\n\nstatic int js_parse_expect(",
         REDEFINED + "static __exception int next_token(JSParseState *s);\n\nstatic int js_parse_expect(")


REDEFINED = r"""static int node_redefined(JSParseState *s, JSAtom name)
{
    char buf[ATOM_GET_STR_BUF_SIZE];
    return js_parse_error(s, "Identifier '%s' has already been declared", JS_AtomGetStr(s->ctx, buf, sizeof(buf), name));
}

"""


def throws(engine):
    """Remembers where a statement threw; says what was called that is no function."""
    edit(engine, "            JS_Throw(ctx, *--sp);\n            goto exception;\n\n        CASE(OP_throw_error):",
         "            node_note_throw(ctx, b, pc);\n            JS_Throw(ctx, *--sp);\n            goto exception;\n\n        CASE(OP_throw_error):")
    edit(engine, "                if (type == JS_THROW_VAR_RO)\n                    JS_ThrowTypeErrorReadOnly(ctx, JS_PROP_THROW, atom);",
         '                if (type == JS_THROW_VAR_RO)\n                    JS_ThrowTypeError(ctx, "Assignment to constant variable.");')
    edit(engine, 'return JS_ThrowTypeErrorAtom(ctx, "%s is not a constructor", name);\nfini:\n    return JS_ThrowTypeError(ctx, "not a constructor");',
         'return JS_ThrowTypeErrorAtom(ctx, "%s is not a constructor", name);\nfini:\n    return node_throw_callee(ctx, "is not a constructor");')
    edit(engine, 'return JS_ThrowTypeError(ctx, "not a function");\n}\n\nstatic JSValue JS_ThrowTypeErrorNotAnObject',
         'return node_throw_callee(ctx, "is not a function");\n}\n\nstatic JSValue JS_ThrowTypeErrorNotAnObject')
    edit(engine, "        return 0;\n    JS_ThrowTypeErrorNotAFunction(ctx);", '        return 0;\n    node_throw_value(ctx, obj, "is not a function");')
    edit(engine, '        JS_FreeValue(ctx, method);\n        return JS_ThrowTypeError(ctx, "value is not iterable");',
         '        JS_FreeValue(ctx, method);\n        return node_throw_value(ctx, obj, "is not iterable");')
    edit(engine, "static JSValue JS_ThrowTypeErrorNotAConstructor(JSContext *ctx,\n                                                JSValueConst func_obj)\n{",
         CALLEE + receivers.PATTERNS + "static JSValue JS_ThrowTypeErrorNotAConstructor(JSContext *ctx,\n"
         "                                                JSValueConst func_obj)\n{")


#: The expression that is called, from the function's own text at the place that the running call has.
CALLEE = receivers.PLACE + r"""
static bool node_is_name(int byte)
{
    return byte == '_' || byte == '$' || byte == '#' || byte >= 0x80 || (byte >= '0' && byte <= '9') ||
        ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

/* Where the bracket opens that closes at `at`, or NULL. */
static const char *node_opening(const char *start, const char *at)
{
    int depth = 0;
    for (; at >= start; at--) {
        depth += *at == ')' || *at == ']' || *at == '}';
        depth -= *at == '(' || *at == '[' || *at == '{';
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* The name that a key in quotes is, or the key as it is. Parts are in reverse order. */
static int node_put_key(const char **parts, int *sizes, const char *open, const char *end)
{
    if (end - open > 3 && strchr("\"'`", open[1]) && end[-2] == open[1]) {
        parts[0] = open + 2, sizes[0] = end - open - 4;
        parts[1] = ".", sizes[1] = 1;
        return 2;
    }
    parts[0] = open, sizes[0] = end - open;
    return 1;
}

/* Whether what comes before a bracket is no name of a function: `return (`. */
static bool node_is_keyword(const char *start, const char *open)
{
    static const char *const words[] = {"return", "typeof", "await", "void", "delete", "throw", "yield", "in", "of", "case", "else", "function"};
    const char *at = open;
    while (at > start && node_is_name((uint8_t)at[-1]))
        at--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (open - at == (int)strlen(words[i]) && !strncmp(at, words[i], open - at))
            return true;
    return false;
}

/* Whether a call before a bracket is of a constructor: `new Foo(`. */
static bool node_is_new(const char *start, const char *open)
{
    while (open > start && (node_is_name((uint8_t)open[-1]) || open[-1] == '.'))
        open--;
    return open - start >= 4 && !strncmp(open - 4, "new ", 4);
}

/* Writes the expression whose last part begins at `at`: `a.b[0].c`; what is called on the way is `(...)`. */
static void node_put_callee(DynBuf *out, const char *start, const char *at, bool is_new)
{
    const char *end = at, *parts[68];
    int sizes[68], count = 0;
    if (is_new) {
        if (!strncmp(at, "new", 3))
            for (at += 3; *at == ' '; at++)
                ;
        bool is_inner = *at == '(';
        if (is_inner)
            at++;
        for (end = at; node_is_name((uint8_t)*end) || *end == '.'; end++)
            ;
        if (end > at && (*end != '[' || !strchr("\"'`", end[1])) && (!is_inner || *end == ')'))
            dbuf_put(out, (const uint8_t *)at, end - at);
        else if (end > at && *end == '[') {
            dbuf_put(out, (const uint8_t *)at, end - at);
            dbuf_putc(out, '.');
            dbuf_put(out, (const uint8_t *)end + 2, strcspn(end + 2, "\"'`"));
        } else if (end > at && is_inner && *end == '(') {
            dbuf_put(out, (const uint8_t *)at, end - at);
            dbuf_putstr(out, "(...)");
        } else
            dbuf_putstr(out, "(intermediate value)");
        return;
    }
    while (node_is_name((uint8_t)*end))
        end++;
    if (end == at && *at == '[') {
        while (*end && *end != ']' && *end != '\n')
            end++;
        end += *end == ']';
    }
    for (; count < 60;) {
        if (end > at && *at == '[')
            count += node_put_key(parts + count, sizes + count, at, end);
        else if (end > at)
            parts[count] = at, sizes[count++] = end - at;
        if (at <= start)
            break;
        const char *before = at - 1;
        while (end > at && before > start && strchr(" \t\r\n", *before))
            before--;
        if (*before != '.')
            before = at - 1;
        else
            at = before + 1;
        if (*before == '.') {
            int size = before > start && before[-1] == '?' ? 2 : 1;
            at = before - size + 1;
            parts[count] = ".", sizes[count++] = 1;
        } else if (*before == ')' || *before == ']') {
            const char *open = node_opening(start, before);
            if (!open)
                break;
            if (*before == ']')
                count += node_put_key(parts + count, sizes + count, open, at);
            else if (open > start && (node_is_name((uint8_t)open[-1]) || open[-1] == ')') && !node_is_keyword(start, open)) {
                if (node_is_new(start, open)) {
                    parts[count] = "(intermediate value)", sizes[count++] = 20;
                    break;
                }
                parts[count] = "(...)", sizes[count++] = 5;
            }
            else {
                parts[count] = "(intermediate value)", sizes[count++] = 20;
                break;
            }
            at = open;
        } else if (!node_is_name((uint8_t)*before) || (count && node_is_name((uint8_t)parts[count - 1][0])))
            break;
        // A chain may go on from one line to the next.
        while (count && parts[count - 1][0] == '.' && at > start && strchr(" \t\r\n", at[-1]))
            at--;
        end = at;
        while (at > start && node_is_name((uint8_t)at[-1]))
            at--;
        if (at == end && count && parts[count - 1][0] == '.' && !(at > start && (at[-1] == ')' || at[-1] == ']'))) {
            const char *quote = at > start && strchr("\"'`", at[-1]) ? at - 2 : NULL;
            while (quote && quote > start && *quote != at[-1] && *quote != '\n')
                quote--;
            if (quote && *quote == at[-1]) {
                parts[count] = "\"", sizes[count++] = 1;
                parts[count] = quote + 1, sizes[count++] = at - quote - 2;
                parts[count] = "\"", sizes[count++] = 1;
            } else
                parts[count] = at > start + 1 && !strncmp(at - 2, "{}", 2) ? "{}" : "(intermediate value)", sizes[count] = strlen(parts[count]), count++;
            break;
        }
    }
    if (!count)
        dbuf_putstr(out, "(intermediate value)");
    while (count-- > 0)
        dbuf_put(out, (const uint8_t *)parts[count], sizes[count]);
}

/* Says of a value that it is not something. */
static JSValue node_throw_value(JSContext *ctx, JSValueConst value, const char *what)
{
    const char *text = NULL, *before = "", *after = "";
    JSValue name = JS_UNDEFINED;
    if (JS_IsObject(value) && !JS_IsFunction(ctx, value)) {
        JSValue constructor = JS_GetPropertyStr(ctx, value, "constructor");
        name = JS_IsObject(constructor) ? JS_GetPropertyStr(ctx, constructor, "name") : JS_UNDEFINED;
        JS_FreeValue(ctx, constructor);
        text = JS_IsString(name) ? JS_ToCString(ctx, name) : NULL;
        before = "#<", after = ">";
    } else if (!JS_IsSymbol(value)) {
        text = JS_ToCString(ctx, value);
        if (JS_IsString(value))
            before = after = "\"";
    }
    JS_FreeValue(ctx, JS_GetException(ctx));
    JS_ThrowTypeError(ctx, "%s%s%s %s", text ? before : "", text ? text : "object", text ? after : "", what);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, name);
    return JS_EXCEPTION;
}

static JSValue node_throw_callee(JSContext *ctx, const char *what)
{
    char *source = NULL;
    const char *at = node_place(ctx, &source);
    DynBuf out;
    js_dbuf_init(ctx, &out);
    bool is_new = at && !strncmp(at, "new", 3) && !node_is_name((uint8_t)at[3]);
    if (at)
        node_put_callee(&out, source, at, is_new || strstr(what, "constructor") != NULL);
    else
        dbuf_putstr(&out, "object");
    dbuf_putc(&out, '\0');
    js_free(ctx, source);
    JS_ThrowTypeError(ctx, "%s %s", out.buf ? (char *)out.buf : "object", is_new ? "is not a constructor" : what);
    dbuf_free(&out);
    return JS_EXCEPTION;
}

"""

#: The engine's words and V8's.
WORDS = {
    "\"cannot read property '%s' of null\"": "\"Cannot read properties of null (reading '%s')\"",
    "\"cannot read property '%s' of undefined\"": "\"Cannot read properties of undefined (reading '%s')\"",
    "\"cannot set property '%s' of null\"": "\"Cannot set properties of null (setting '%s')\"",
    "\"cannot set property '%s' of undefined\"": "\"Cannot set properties of undefined (setting '%s')\"",
    "\"Unexpected string template\"": "\"Unexpected template string\"",
    "\"unsupported keyword: %s\"": "\"Unexpected token '%s'\"",
    "\"%s is not initialized\"": "\"Cannot access '%s' before initialization\"",
    "\"'%s' is read-only\"": "\"Cannot assign to read only property '%s' of object '#<Object>'\"",
    '"invalid string length"': '"Invalid string length"',
    '"invalid array length"': '"Invalid array length"',
    '"object is not extensible"': '"Cannot add property, object is not extensible"',
    '"BigInt division by zero"': '"Division by zero"',
    '"cannot convert BigInt to number"': '"Cannot convert a BigInt value to a number"',
    '"() {\\n    [native code]\\n}"': '"() { [native code] }"',
    '"cannot convert symbol to number"': '"Cannot convert a Symbol value to a number"',
    '"cannot convert symbol to string"': '"Cannot convert a Symbol value to a string"',
    '"invalid code point"': '"Invalid code point"',
    '"circular prototype chain"': '"Cyclic __proto__ value"',
    '"circular reference"': '"Converting circular structure to JSON"',
    '"Date value is NaN"': '"Invalid time value"',
    '"break must be inside loop or switch"': '"Illegal break statement"',
    '"continue must be inside loop"': '"Illegal continue statement: no surrounding iteration statement"',
    '"return not in a function"': '"Illegal return statement"',
    '"missing initializer for variable"': '"Missing initializer in const declaration"',
    '"unexpected end of string"': '"Invalid or unexpected token"',
    '"invalid assignment left-hand side"': '"Invalid left-hand side in assignment"',
    '"not an object"': '"Object expected"',
    '"invalid lvalue in strict mode"': '"Unexpected eval or arguments in strict mode"',
    '"expecting catch or finally"': '"Missing catch or finally after try"',
    'JS_ThrowInternalError(ctx, "string too long")': 'JS_ThrowRangeError(ctx, "Invalid string length")',
    'JS_ThrowInternalError(s->ctx, "string too long")': 'JS_ThrowRangeError(s->ctx, "Invalid string length")',
    'js_throw_URIError(ctx, "expecting %%")': 'js_throw_URIError(ctx, "URI malformed")',
    'js_throw_URIError(ctx, "expecting hex digit")': 'js_throw_URIError(ctx, "URI malformed")',
    'js_throw_URIError(ctx, "malformed UTF-8")': 'js_throw_URIError(ctx, "URI malformed")',
    'js_throw_URIError(ctx, "invalid character")': 'js_throw_URIError(ctx, "URI malformed")',
    'js_throw_URIError(ctx, "expecting surrogate pair")': 'js_throw_URIError(ctx, "URI malformed")',
    '"invalid increment/decrement operand"': '"Invalid left-hand side expression in postfix operation"',
    '"function name expected"': '"Function statements require a function name"',
    "\"'super' is only valid in a method\"": "\"'super' keyword unexpected here\"",
    '"new.target only allowed within functions"': '"new.target expression is not allowed here"',
    '"bigint argument with unary +"': '"Cannot convert a BigInt value to a number"',
    '"empty array"': '"Reduce of empty array with no initial value"',
    '"toString() radix argument must be between 2 and 36"': '"toString() radix must be between 2 and 36"',
}
