"""Stacks of exceptions as V8 has them.

An exception keeps its frames: functions, receivers and places in the code. They become text, or what a program's
`Error.prepareStackTrace` makes of them, when `stack` is first read; it begins with what the exception says then.
"""

from libc.sources import edit


def apply(engine):
    """Edits the engine's file."""
    frames(engine)
    places(engine)
    inferred(engine)
    texts(engine)


def frames(engine):
    """What is kept, and where."""
    edit(engine, "#define JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL (1 << 0)\n", KEPT + "#define JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL (1 << 0)\n")
    edit(engine, ("    JSStackFrame *sf, *sf_start;\n    JSValue stack, prepare, saved_exception, error_obj;",
                  "    JS_FreeValue(ctx, error_obj);\n    rt->in_build_stack_trace = false;\n}\n"), BUILD)
    edit(engine, "    if (needs_backtrace(rt->current_exception)\n    || JS_IsUndefined(ctx->error_back_trace)) {",
         "    if (needs_backtrace(rt->current_exception)) {")
    edit(engine, "    if (!JS_IsUndefined(p->u.object_data))\n        return false;\n    if (find_own_property1(p, JS_ATOM_stack))\n        return false;\n    return true;",
         "    if (!JS_IsUndefined(p->u.object_data))\n        return false;\n    return !node_has_own_stack(p);")
    edit(engine, "static bool can_store_error_stack(JSValueConst obj)\n{", HAS_OWN + "static bool can_store_error_stack(JSValueConst obj)\n{")
    edit(engine, "    build_backtrace(ctx, obj, JS_UNDEFINED, NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL);",
         "    build_backtrace(ctx, obj, new_target, NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL | JS_BACKTRACE_FLAG_FILTER_FUNC);")
    edit(engine, "    build_backtrace(ctx, v, argv[1], NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL|JS_BACKTRACE_FLAG_FILTER_FUNC);\n    return JS_UNDEFINED;",
         "    if (!JS_VALUE_GET_OBJ(v)->extensible)\n"
         '        return JS_ThrowTypeError(ctx, "Cannot define property stack, object is not extensible");\n'
         "    build_backtrace(ctx, v, argv[1], NULL, 0, 0, JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL | JS_BACKTRACE_FLAG_FILTER_FUNC | NODE_CAPTURES);\n"
         "    return JS_UNDEFINED;")
    edit(engine, "    JSValueConst v = argv[0];\n    if (JS_VALUE_GET_TAG(v) != JS_TAG_OBJECT)\n        return JS_ThrowTypeErrorNotAnObject(ctx);\n    if (!JS_VALUE_GET_OBJ(v)->extensible",
         "    JSValueConst v = argv[0];\n    if (JS_VALUE_GET_TAG(v) != JS_TAG_OBJECT || JS_VALUE_GET_OBJ(v)->class_id == JS_CLASS_PROXY)\n"
         '        return JS_ThrowTypeError(ctx, "invalid_argument");\n    if (!JS_VALUE_GET_OBJ(v)->extensible')
    edit(engine, "    if (JS_IsException(obj))\n        return obj;\n    switch (magic) {\n    case JS_AGGREGATE_ERROR:",
         "    if (JS_IsException(obj))\n        return obj;\n    node_declare_stack(ctx, obj);\n    switch (magic) {\n    case JS_AGGREGATE_ERROR:")
    edit(engine, '    msg = JS_NewString(ctx, message);\n    if (JS_IsException(msg))\n        msg = JS_NewString(ctx, "Invalid error message");',
         '    node_declare_stack(ctx, obj);\n    msg = JS_NewString(ctx, message);\n    if (JS_IsException(msg))\n        msg = JS_NewString(ctx, "Invalid error message");')
    edit(engine, "    realm = js_autoinit_get_realm(pr);\n    func = js_autoinit_func_table[js_autoinit_get_id(pr)];\n",
         "    if (js_autoinit_get_id(pr) == JS_AUTOINIT_ID_PROP && pr->u.init.opaque == &node_stack_mark)\n"
         "        return node_read_stack(ctx, p, pr, prs);\n"
         "    realm = js_autoinit_get_realm(pr);\n    func = js_autoinit_func_table[js_autoinit_get_id(pr)];\n")
    edit(engine, "/* warning: 'prs' is reallocated after it */\nstatic int JS_AutoInitProperty(", READ + "/* warning: 'prs' is reallocated after it */\nstatic int JS_AutoInitProperty(")
    # Both are plain properties.
    edit(engine, '    JS_CGETSET_DEF("stackTraceLimit", js_error_get_stackTraceLimit, js_error_set_stackTraceLimit ),\n'
         '    JS_CGETSET_DEF("prepareStackTrace", js_error_get_prepareStackTrace, js_error_set_prepareStackTrace ),\n',
         '    JS_PROP_INT32_DEF("stackTraceLimit", 10, JS_PROP_C_W_E ),\n'
         '    JS_PROP_UNDEFINED_DEF("prepareStackTrace", JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE ),\n')


def places(engine):
    """Frames know their receivers; a function that waits knows where; texts that are evaluated have names."""
    edit(engine, "    JSValue cur_func; /* current function, JS_UNDEFINED if the frame is detached */\n",
         "    JSValue cur_func; /* current function, JS_UNDEFINED if the frame is detached */\n    JSValue node_this; /* borrowed */\n")
    text = engine.read_text()
    for old, new in [
        ("    sf->cur_func = unsafe_unconst(func_obj);\n    sf->arg_count = argc;\n    ret = s->func(", "this_val"),
        ("    sf->cur_func = unsafe_unconst(func_obj);\n    sf->arg_count = argc;\n    arg_buf = argv;", "this_obj"),
        ("    sf->cur_func = unsafe_unconst(func_obj);\n    var_refs = p->u.func.var_refs;", "this_obj"),
        ("    sf->cur_func = js_dup(func_obj);\n    s->this_val = js_dup(this_obj);", "this_obj"),
    ]:
        if old not in text:
            raise SystemExit(f"quickjs.c has nowhere: {old}")
        text = text.replace(old, f"    sf->node_this = unsafe_unconst({new});\n{old}")
    engine.write_text(text)
    edit(engine, '            return js_parse_error(s, "await in default expression");\n        if (next_token(s))\n            return -1;\n'
         "        if (js_parse_unary(s, PF_POW_FORBIDDEN))\n            return -1;\n        emit_op(s, OP_await);",
         '            return js_parse_error(s, "await in default expression");\n        int await_line = s->token.line_num, await_column = node_column(s);\n'
         "        if (next_token(s))\n            return -1;\n        if (js_parse_unary(s, PF_POW_FORBIDDEN))\n            return -1;\n"
         "        emit_source_loc_at(s, await_line, await_column);\n        emit_op(s, OP_await);")
    # An iteration waits at its variable.
    edit(engine, "    tok = s->token.val;\n    switch (is_let(s, DECL_MASK_OTHER)) {",
         "    tok = s->token.val;\n    int each_line = s->token.line_num, each_column = node_column(s);\n"
         "    if (tok == TOK_VAR || tok == TOK_CONST || tok == TOK_LET) {\n        const uint8_t *end = s->token.ptr;\n"
         "        while (*end >= 'a' && *end <= 'z')\n            end++;\n        while (*end == ' ')\n            end++;\n"
         "        each_column += end - s->token.ptr;\n    }\n    switch (is_let(s, DECL_MASK_OTHER)) {")
    edit(engine, "            /* call the next method */\n            /* stack: iter_obj next catch_offset */\n            emit_op(s, OP_dup3);",
         "            /* call the next method */\n            /* stack: iter_obj next catch_offset */\n            emit_source_loc_at(s, each_line, each_column);\n"
         "            emit_op(s, OP_dup3);")
    edit(engine, '    ret = JS_EvalInternal(ctx, this_obj, str, len, "<input>", 1, flags, scope_idx);\n    JS_FreeCString(ctx, str);',
         "    DynBuf name;\n    js_dbuf_init(ctx, &name);\n    node_put_eval(ctx, &name, str);\n"
         '    ret = JS_EvalInternal(ctx, this_obj, str, len, dbuf_error(&name) ? "<input>" : (char *)name.buf, node_evaluates, flags, scope_idx);\n'
         "    if (JS_IsException(ret))\n        node_note_text(ctx, val);\n"
         "    dbuf_free(&name);\n    JS_FreeCString(ctx, str);")
    edit(engine, "    fd->func_name = JS_DupAtom(ctx, JS_ATOM__eval_);\n", "    fd->func_name = JS_DupAtom(ctx, JS_ATOM__eval_);\n"
         "    if (node_evaluates && (eval_type == JS_EVAL_TYPE_DIRECT || eval_type == JS_EVAL_TYPE_INDIRECT))\n        fd->node_inferred = JS_NewAtom(ctx, \"eval\");\n")
    edit(engine, "    err = js_parse_program(s);\n    if (err) {\n    fail:", "    err = js_parse_program(s);\n    node_evaluates = false;\n    if (err) {\n    fail:")
    edit(engine, "static JSValue js_promise_all(JSContext *ctx, JSValueConst this_val,\n                              int argc, JSValueConst *argv, int magic)\n{",
         WAITING + "static JSValue js_promise_all(JSContext *ctx, JSValueConst this_val,\n                              int argc, JSValueConst *argv, int magic)\n{")


def inferred(engine):
    """A function without a name is called after what it is assigned to."""
    edit(engine, "    JSAtom func_name;\n    JSVarDef *vardefs;", "    JSAtom func_name;\n    JSAtom node_inferred; /* what a stack calls it that has no name */\n    JSVarDef *vardefs;")
    edit(engine, "    JSAtom func_name; /* JS_ATOM_NULL if no name */", "    JSAtom func_name; /* JS_ATOM_NULL if no name */\n    JSAtom node_inferred;")
    edit(engine, "    b->func_name = fd->func_name;\n    if (fd->arg_count", "    b->func_name = fd->func_name;\n    b->node_inferred = fd->node_inferred;\n    if (fd->arg_count")
    edit(engine, "    JS_FreeAtomRT(rt, b->func_name);\n    JS_FreeAtomRT(rt, b->filename);", "    JS_FreeAtomRT(rt, b->func_name);\n    JS_FreeAtomRT(rt, b->node_inferred);\n    JS_FreeAtomRT(rt, b->filename);")
    edit(engine, "    JS_FreeAtom(ctx, fd->func_name);\n\n    for(i = 0; i < fd->var_count; i++) {", "    JS_FreeAtom(ctx, fd->func_name);\n    JS_FreeAtom(ctx, fd->node_inferred);\n\n    for(i = 0; i < fd->var_count; i++) {")
    edit(engine, "    s->cur_func = fd;\n    fd->func_name = func_name;\n    /* XXX: test",
         "    s->cur_func = fd;\n    fd->func_name = func_name;\n"
         "    if (func_type == JS_PARSE_FUNC_CLASS_STATIC_INIT)\n        fd->node_inferred = JS_NewAtom(ctx, NODE_STATIC);\n"
         "    else if (func_name == JS_ATOM_NULL && (func_type == JS_PARSE_FUNC_EXPR || func_type == JS_PARSE_FUNC_ARROW))\n"
         "        fd->node_inferred = node_infer(s, ptr);\n    /* XXX: test")
    edit(engine, "    cf->fields_init_fd = js_parse_function_class_fields_init(s);\n    if (!cf->fields_init_fd)\n        return -1;\n",
         "    cf->fields_init_fd = js_parse_function_class_fields_init(s);\n    if (!cf->fields_init_fd)\n        return -1;\n"
         "    cf->fields_init_fd->node_inferred = JS_NewAtom(s->ctx, cf->is_static ? NODE_STATIC : NODE_MEMBERS);\n")
    edit(engine, "        if (js_parse_class_default_ctor(s, class_flags & JS_DEFINE_CLASS_HAS_HERITAGE, &ctor_fd))\n            goto fail;\n    }\n",
         "        if (js_parse_class_default_ctor(s, class_flags & JS_DEFINE_CLASS_HAS_HERITAGE, &ctor_fd))\n            goto fail;\n    }\n"
         "    if (class_name == JS_ATOM_NULL && is_class_expr && !ctor_fd->node_inferred)\n        ctor_fd->node_inferred = node_infer(s, class_start_ptr);\n")
    edit(engine, "static __exception int emit_class_init_start(JSParseState *s,", INFER + "static __exception int emit_class_init_start(JSParseState *s,")


def texts(engine):
    """What a frame is called, and the text of a stack."""
    edit(engine, "JSValue JS_NewError(JSContext *ctx)\n{", TEXT + "JSValue JS_NewError(JSContext *ctx)\n{")


HAS_OWN = r"""static bool node_has_own_stack(JSObject *p)
{
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, p, JS_ATOM_stack);
    return prs && (prs->flags & JS_PROP_TMASK) != JS_PROP_AUTOINIT;
}

"""

KEPT = r"""/* A stack is an array: whether the library made it, then four values for each frame: the function, the receiver, the place in its
   code or -1, and flags. A place in a text that could not be parsed has the text's name as receiver and the column in its flags. */
#define NODE_CONSTRUCTS 1
#define NODE_STRICT 2
#define NODE_WAITS 4
#define NODE_COMBINES 8
#define NODE_PARSES 16
#define NODE_PLACE_SHIFT 8

/* Error.captureStackTrace: nothing is left of a stack in which the function is not that it begins after. */
#define NODE_CAPTURES (1 << 3)

#define NODE_STATIC "<static_initializer>"
#define NODE_MEMBERS "<instance_members_initializer>"

/* Marks the property `stack` of what has frames. */
static char node_stack_mark;
/* The frames of an object that is no exception are its property of this name, which no program sees. */
static JSAtom node_frames_atom, node_limit_atom;

static JSValue js_function_call(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
static JSValue js_reflect_apply(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
static JSValue js_reflect_construct(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
static int JS_DefineAutoInitProperty(JSContext *ctx, JSValueConst this_obj, JSAtom prop, JSAutoInitIDEnum id, void *opaque, int flags);
static JSValue js_error_toString(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
static void node_keep_waiting(JSContext *ctx, DynBuf *out, int limit);
static JSValue node_stack_of(JSContext *ctx, JSValueConst object, JSValueConst kept, bool *prepares);
static JSValueConst node_generator_code(JSObject *p);

/* Stacks that are being read: names and messages can be getters that read others. */
static int node_reads;
/* A program's function makes a stack now; stacks that it reads are plain. */
static bool node_preparing;

/* Whether code is the library's. */
static bool node_is_internal(JSContext *ctx, JSFunctionBytecode *b)
{
    JSString *name = b->filename && !__JS_AtomIsTaggedInt(b->filename) ? ctx->rt->atom_array[b->filename] : NULL;
    return name && !name->is_wide_char && name->len > 5 && !memcmp(str8(name), "node:", 5);
}

static JSFunctionBytecode *node_code(JSValueConst func)
{
    JSObject *p = JS_IsObject(func) ? JS_VALUE_GET_OBJ(func) : NULL;
    return p && js_class_has_bytecode(p->class_id) ? p->u.func.function_bytecode : NULL;
}

/* Whether a frame is the library's, or a native function that the library called. Programs did not write these lines. */
static bool node_is_library(JSContext *ctx, JSStackFrame *sf)
{
    for (; sf; sf = sf->prev_frame) {
        JSFunctionBytecode *b = node_code(sf->cur_func);
        if (b)
            return node_is_internal(ctx, b);
    }
    return true;
}

/* Whether a native function only calls another one, or is called by a native one on behalf of it: V8 has no frames of these. */
static bool node_only_calls(JSContext *ctx, JSStackFrame *sf)
{
    JSObject *p = JS_VALUE_GET_OBJ(sf->cur_func);
    if (p->class_id != JS_CLASS_C_FUNCTION)
        return false;
    if (sf->prev_frame && !node_code(sf->prev_frame->cur_func)) {
        const char *name = get_func_name(ctx, sf->cur_func);
        bool is_symbol = name && name[0] == '[';
        JS_FreeCString(ctx, name);
        if (is_symbol)
            return true;
    }
    JSCFunctionType function = p->u.cfunc.c_function;
    return function.generic == js_function_call || function.generic_magic == js_function_apply ||
        function.generic == js_reflect_apply || function.generic == js_reflect_construct;
}

static void node_keep(DynBuf *out, JSValueConst func, JSValueConst self, int place, int flags)
{
    JSValueConst parts[4] = {func, self, js_int32(place), js_int32(flags)};
    dbuf_put(out, (uint8_t *)parts, sizeof parts);
}

static int node_kept(DynBuf *out)
{
    return (out->size - sizeof(JSValue)) / sizeof(JSValue) / 4;
}

static bool node_has_inferred(JSContext *ctx, JSFunctionBytecode *b, const char *name)
{
    JSString *inferred = b && b->node_inferred ? ctx->rt->atom_array[b->node_inferred] : NULL;
    size_t size = strlen(name);
    return inferred && !inferred->is_wide_char && inferred->len == size && !memcmp(str8(inferred), name, size);
}

/* How many lines a stack has; -1 for no stack at all. */
static int node_limit(JSContext *ctx)
{
    if (!JS_IsObject(ctx->error_ctor))
        return 10;
    if (!node_limit_atom)
        node_limit_atom = JS_NewAtom(ctx, "stackTraceLimit");
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, JS_VALUE_GET_OBJ(ctx->error_ctor), node_limit_atom);
    double limit;
    if (!prs || (prs->flags & JS_PROP_TMASK) != JS_PROP_NORMAL || !JS_IsNumber(pr->u.value) || JS_ToFloat64(ctx, &limit, pr->u.value))
        return -1;
    return limit > 0 ? limit < 10000 ? (int)limit : 10000 : 0;
}

/* Makes `stack` a property that is read from the frames. */
static void node_declare_stack(JSContext *ctx, JSValueConst object)
{
    JSObject *p = JS_VALUE_GET_OBJ(object);
    if (node_has_own_stack(p))
        JS_DeleteProperty(ctx, object, JS_ATOM_stack, 0);
    if (p->extensible && !find_own_property1(p, JS_ATOM_stack))
        JS_DefineAutoInitProperty(ctx, object, JS_ATOM_stack, JS_AUTOINIT_ID_PROP, &node_stack_mark, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

/* Gives an object its frames, which it takes. */
static void node_set_frames(JSContext *ctx, JSValueConst object, JSValue kept)
{
    JSObject *p = JS_VALUE_GET_OBJ(object);
    if (p->class_id == JS_CLASS_ERROR) {
        set_value(ctx, &p->u.object_data, kept);
    } else {
        if (!node_frames_atom)
            node_frames_atom = js_symbol_to_atom(ctx, JS_NewSymbolFromAtom(ctx, JS_ATOM_stack, JS_ATOM_TYPE_PRIVATE));
        JS_DefinePropertyValue(ctx, object, node_frames_atom, kept, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    }
    node_declare_stack(ctx, object);
}

/* Whether a program's text is parsed for `eval` or `Function`; the last one that failed, where it could not be parsed, the exception. */
static bool node_evaluates;
static int node_wrong_line, node_wrong_column, node_noted_line;
static JSValue node_wrong_error = JS_UNDEFINED, node_wrong_text = JS_UNDEFINED;

/* Where the last throw statement was, for the report of an exception that nobody catches. */
static JSAtom node_throw_file;
static int node_throw_line, node_throw_column;

static void node_note_throw(JSContext *ctx, JSFunctionBytecode *b, const uint8_t *pc)
{
    if (!b->filename || node_is_internal(ctx, b))
        return;
    JS_FreeAtom(ctx, node_throw_file);
    node_throw_file = JS_DupAtom(ctx, b->filename);
    node_throw_line = find_line_num(ctx, b, pc - b->byte_code_buf - 1, &node_throw_column);
}

bool node_last_throw(JSContext *ctx, JSAtom *file, int *line, int *column)
{
    *file = node_throw_file, *line = node_throw_line, *column = node_throw_column;
    return node_throw_file != JS_ATOM_NULL;
}

bool node_made_by_library(JSContext *ctx, JSValueConst error)
{
    JSObject *p = JS_IsObject(error) ? JS_VALUE_GET_OBJ(error) : NULL;
    if (!p || p->class_id != JS_CLASS_ERROR || !JS_IsObject(p->u.object_data))
        return false;
    JSValue made = JS_GetPropertyUint32(ctx, p->u.object_data, 0);
    return JS_VALUE_GET_TAG(made) == JS_TAG_BOOL && JS_VALUE_GET_BOOL(made);
}

"""

BUILD = r"""    JSRuntime *rt = ctx->rt;
    JSStackFrame *sf = rt->current_stack_frame, *from = sf;
    bool captures = backtrace_flags & NODE_CAPTURES, is_found = false;

    if (rt->in_build_stack_trace || (!captures && !can_store_error_stack(error_val) && !can_add_backtrace(error_val)))
        return;
    rt->in_build_stack_trace = true;
    int limit = node_limit(ctx);
    JSValue kept = JS_NULL;
    if (limit >= 0) {
        DynBuf out;
        js_dbuf_init(ctx, &out);
        JSValue by_library = js_bool(node_is_library(ctx, sf)), file = JS_UNDEFINED;
        dbuf_put(&out, (uint8_t *)&by_library, sizeof by_library);
        if (filename && node_evaluates)
            node_wrong_line = line_num, node_wrong_column = col_num;
        else if (filename && limit) {
            file = JS_NewString(ctx, filename);
            node_keep(&out, JS_UNDEFINED, file, line_num, NODE_PARSES | col_num << NODE_PLACE_SHIFT);
        }
        if (backtrace_flags & JS_BACKTRACE_FLAG_FILTER_FUNC && JS_IsObject(filter_func)) {
            while (from && !js_same_value(ctx, from->cur_func, filter_func))
                from = from->prev_frame;
            is_found = from != NULL;
            if (!is_found && !captures)
                from = sf;
        }
        if (filename && (backtrace_flags & JS_BACKTRACE_FLAG_SINGLE_LEVEL))
            from = NULL;
        if (from && (backtrace_flags & JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL))
            from = from->prev_frame;
        for (; from && node_kept(&out) < limit; from = from->prev_frame) {
            JSFunctionBytecode *b = node_code(from->cur_func);
            if (node_is_library(ctx, from) || node_only_calls(ctx, from))
                continue;
            // The code of a static block is called by that of all static members.
            if (node_kept(&out) && node_has_inferred(ctx, b, NODE_STATIC) && from->prev_frame) {
                JSValue last = ((JSValue *)(out.buf + out.size))[-4];
                if (node_has_inferred(ctx, node_code(last), NODE_STATIC))
                    continue;
            }
            node_keep(&out, from->cur_func, from->node_this, b && from->cur_pc ? from->cur_pc - b->byte_code_buf - 1 : -1,
                      (from->is_constructor ? NODE_CONSTRUCTS : 0) | (from->is_strict_mode ? NODE_STRICT : 0));
            if (b && b->backtrace_barrier)
                break;
        }
        if (!from && !(backtrace_flags & JS_BACKTRACE_FLAG_SINGLE_LEVEL))
            node_keep_waiting(ctx, &out, limit);
        kept = dbuf_error(&out) ? JS_NULL : js_create_array(ctx, out.size / sizeof(JSValue), (JSValueConst *)out.buf);
        if (JS_IsException(kept))
            kept = JS_NULL;
        dbuf_free(&out);
        JS_FreeValue(ctx, file);
    }
    node_set_frames(ctx, error_val, kept);
    rt->in_build_stack_trace = false;
}
"""

#: What `stack` is when it is first read.
READ = r"""/* Whether a program's function makes stacks. */
static bool node_prepares(JSContext *ctx)
{
    JSValue prepare = JS_IsObject(ctx->error_ctor) ? JS_GetPropertyStr(ctx, ctx->error_ctor, "prepareStackTrace") : JS_UNDEFINED;
    bool is = JS_IsFunction(ctx, prepare) && !node_preparing;
    if (JS_IsException(prepare))
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, prepare);
    return is;
}

/* Makes the value of a stack, if a program has not made something else of the property. */
static void node_put_stack(JSContext *ctx, JSObject *p, JSValueConst stack)
{
    JSProperty *pr;
    JSShapeProperty *prs = find_own_property(&pr, p, JS_ATOM_stack);
    if (prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL)
        set_value(ctx, &pr->u.value, js_dup(stack));
}

static int node_read_stack(JSContext *ctx, JSObject *p, JSProperty *pr, JSShapeProperty *prs)
{
    node_reads++;
    JSValue object = js_dup(JS_MKPTR(JS_TAG_OBJECT, p)), kept = JS_UNDEFINED;
    js_autoinit_free(ctx->rt, pr);
    prs->flags &= ~JS_PROP_TMASK;
    pr->u.value = JS_UNDEFINED;
    if (p->class_id == JS_CLASS_ERROR)
        kept = js_dup(p->u.object_data);
    else if (node_frames_atom)
        kept = JS_GetProperty(ctx, object, node_frames_atom);
    // This may run a program's code, which may change the object. It finds the plain text there.
    bool prepares = true, plain = false;
    JSValue stack = JS_UNDEFINED;
    if (node_prepares(ctx)) {
        stack = node_stack_of(ctx, object, kept, &plain);
        if (!JS_IsException(stack))
            node_put_stack(ctx, p, stack);
        JS_FreeValue(ctx, stack);
    }
    if (!JS_IsException(stack))
        stack = node_stack_of(ctx, object, kept, &prepares);
    JS_FreeValue(ctx, kept);
    if (!JS_IsException(stack))
        node_put_stack(ctx, p, stack);
    int result = JS_IsException(stack) ? -1 : 0;
    JS_FreeValue(ctx, stack);
    JS_FreeValue(ctx, object);
    node_reads--;
    return result;
}

"""

TEXT = r"""/* A function's name, or what it was assigned to. */
static JSValue node_name_of(JSContext *ctx, JSValueConst func)
{
    JSProperty *pr;
    JSShapeProperty *prs = JS_IsObject(func) ? find_own_property(&pr, JS_VALUE_GET_OBJ(func), JS_ATOM_name) : NULL;
    JSFunctionBytecode *b = node_code(func);
    const char *file = b ? JS_AtomToCString(ctx, b->filename) : NULL, *text = NULL;
    bool evaluated = file && !strncmp(file, "eval at ", 8);
    JSValue name = JS_UNDEFINED;
    if (prs && (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL && JS_IsString(pr->u.value)) {
        text = JS_ToCString(ctx, pr->u.value);
        if (text && evaluated && !strcmp(text, "anonymous"))
            name = JS_NewString(ctx, "eval");
        else if (text && text[0] && text[0] != '<')
            name = js_dup(pr->u.value);
    }
    if (JS_IsUndefined(name) && evaluated && !b->node_inferred)
        name = JS_NewString(ctx, "eval");
    if (JS_IsUndefined(name))
        name = b && b->node_inferred ? JS_AtomToString(ctx, b->node_inferred) : JS_NewString(ctx, "");
    JS_FreeCString(ctx, text);
    JS_FreeCString(ctx, file);
    return name;
}

/* A property that is plain data, here or in a prototype; no code runs. */
static JSValue node_plain(JSObject *p, JSAtom atom)
{
    for (int depth = 0; p && depth < 1000 && p->class_id != JS_CLASS_PROXY; p = p->shape->proto, depth++) {
        JSProperty *pr;
        JSShapeProperty *prs = find_own_property(&pr, p, atom);
        if (prs)
            return (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? js_dup(pr->u.value) : JS_UNDEFINED;
    }
    return JS_UNDEFINED;
}

static bool node_is_text(JSContext *ctx, JSValueConst value, const char *wanted)
{
    const char *text = JS_IsString(value) ? JS_ToCString(ctx, value) : NULL;
    bool is = text && !strcmp(text, wanted);
    JS_FreeCString(ctx, text);
    return is;
}

static JSAtom node_world_atom(JSContext *ctx)
{
    static JSAtom atom;
    if (!atom)
        atom = JS_NewAtom(ctx, "isWorld");
    return atom;
}

static bool node_is_identifier_part(int byte)
{
    return byte == '_' || byte == '$' || (uint8_t)byte >= 0x80 || (byte >= '0' && byte <= '9') || ((byte | 32) >= 'a' && (byte | 32) <= 'z');
}

static bool node_is_identifier(const char *text)
{
    if (!*text || (*text >= '0' && *text <= '9'))
        return false;
    while (*text && node_is_identifier_part(*text))
        text++;
    return !*text;
}

/* The class of a receiver; null for none. */
static JSValue node_type_of(JSContext *ctx, JSValueConst self)
{
    switch (JS_VALUE_GET_NORM_TAG(self)) {
    case JS_TAG_INT:
    case JS_TAG_FLOAT64:
        return JS_NewString(ctx, "Number");
    case JS_TAG_BOOL:
        return JS_NewString(ctx, "Boolean");
    case JS_TAG_STRING:
    case JS_TAG_STRING_ROPE:
        return JS_NewString(ctx, "String");
    case JS_TAG_SYMBOL:
        return JS_NewString(ctx, "Symbol");
    case JS_TAG_BIG_INT:
    case JS_TAG_SHORT_BIG_INT:
        return JS_NewString(ctx, "BigInt");
    case JS_TAG_OBJECT:
        break;
    default:
        return JS_NULL;
    }
    JSObject *p = JS_VALUE_GET_OBJ(self);
    if (p == JS_VALUE_GET_OBJ(ctx->global_obj))
        return JS_NULL;
    if (p->class_id == JS_CLASS_PROXY) {
        // What the names of a context of the library's `vm` belong to is no receiver.
        JSValue handler = JS_GetProxyHandler(ctx, self), world = JS_IsObject(handler) ? node_plain(JS_VALUE_GET_OBJ(handler), node_world_atom(ctx)) : JS_UNDEFINED;
        bool is_world = JS_VALUE_GET_TAG(world) == JS_TAG_BOOL;
        JS_FreeValue(ctx, world);
        JS_FreeValue(ctx, handler);
        return is_world ? JS_NULL : JS_NewString(ctx, "Proxy");
    }
    JSFunctionBytecode *b = node_code(self);
    if (b && b->source && !strncmp(b->source, "class", 5) && !node_is_identifier_part(b->source[5])) {
        JSValue name = node_name_of(ctx, self);
        if (!JS_IsEmptyString(name))
            return name;
        JS_FreeValue(ctx, name);
    }
    if (JS_IsFunction(ctx, self))
        return JS_NewString(ctx, "Function");
    if ((p->class_id == JS_CLASS_GENERATOR || p->class_id == JS_CLASS_ASYNC_GENERATOR) && JS_IsObject(node_generator_code(p)))
        return node_name_of(ctx, node_generator_code(p));
    if (p->class_id == JS_CLASS_ARGUMENTS || p->class_id == JS_CLASS_MAPPED_ARGUMENTS)
        return JS_NewString(ctx, "Arguments");
    JSValue maker = node_plain(p->shape->proto, JS_ATOM_constructor), name = JS_UNDEFINED;
    if (JS_IsFunction(ctx, maker))
        name = node_name_of(ctx, maker);
    JS_FreeValue(ctx, maker);
    if (JS_IsString(name) && !JS_IsEmptyString(name) && !node_is_text(ctx, name, "Object"))
        return name;
    JS_FreeValue(ctx, name);
    name = node_plain(p, JS_ATOM_Symbol_toStringTag);
    if (JS_IsString(name))
        return name;
    JS_FreeValue(ctx, name);
    return JS_NewString(ctx, "Object");
}

/* The one name under which a receiver has a function; null for none. */
static JSValue node_method_of(JSContext *ctx, JSValueConst self, JSValueConst func)
{
    if (!JS_IsObject(self) || !JS_IsObject(func))
        return JS_NULL;
    JSObject *wanted = JS_VALUE_GET_OBJ(func), *p = JS_VALUE_GET_OBJ(self);
    JSValue own = node_name_of(ctx, func);
    const char *text = JS_ToCString(ctx, own);
    JSAtom named = text ? JS_NewAtom(ctx, !strncmp(text, "get ", 4) || !strncmp(text, "set ", 4) ? text + 4 : text) : JS_ATOM_NULL;
    JSAtom found = JS_ATOM_NULL;
    bool is_one = true;
    for (int depth = 0; p && depth < 1000 && p->class_id != JS_CLASS_PROXY; p = p->shape->proto, depth++) {
        JSShapeProperty *prs = get_shape_prop(p->shape);
        for (int i = 0; i < p->shape->prop_count; i++, prs++) {
            if (prs->atom == JS_ATOM_NULL || __JS_AtomIsTaggedInt(prs->atom) || JS_AtomGetKind(ctx, prs->atom) != JS_ATOM_KIND_STRING)
                continue;
            JSProperty *pr = &p->prop[i];
            int kind = prs->flags & JS_PROP_TMASK;
            bool is = kind == JS_PROP_NORMAL ? JS_IsObject(pr->u.value) && JS_VALUE_GET_OBJ(pr->u.value) == wanted
                : kind == JS_PROP_GETSET && (pr->u.getset.getter == wanted || pr->u.getset.setter == wanted);
            if (!is)
                continue;
            if (prs->atom == named) {
                found = named;
                is_one = true;
                goto done;
            }
            if (!(prs->flags & JS_PROP_ENUMERABLE))
                continue;
            is_one = is_one && (found == JS_ATOM_NULL || found == prs->atom);
            found = prs->atom;
        }
    }
done:;
    JSValue name = found && is_one ? JS_AtomToString(ctx, found) : JS_NULL;
    JS_FreeAtom(ctx, named);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, own);
    return name;
}

/* "Type.name [as method]" */
static void node_put_method(JSContext *ctx, DynBuf *out, const char *type, const char *name, JSValueConst self, JSValueConst func)
{
    JSValue value = node_method_of(ctx, self, func);
    const char *method = JS_IsString(value) ? JS_ToCString(ctx, value) : NULL;
    if (!name[0])
        dbuf_printf(out, "%s.%s", type, method ? method : "<anonymous>");
    else {
        if (node_is_identifier(name) && strncmp(name, type, strlen(type)))
            dbuf_printf(out, "%s.", type);
        dbuf_putstr(out, name);
        size_t size = strlen(name), end = method ? strlen(method) : 0;
        bool is_end = method && size >= end && !strcmp(name + size - end, method) && (size == end || name[size - end - 1] == '.');
        if (method && !is_end)
            dbuf_printf(out, " [as %s]", method);
    }
    JS_FreeCString(ctx, method);
    JS_FreeValue(ctx, value);
}

/* "file:line:column" */
static void node_put_place(JSContext *ctx, DynBuf *out, JSFunctionBytecode *b, int place)
{
    int line, column;
    const char *file = b && b->filename ? JS_AtomToCString(ctx, b->filename) : NULL;
    if (b && place >= 0) {
        line = find_line_num(ctx, b, place, &column);
        dbuf_printf(out, "%s%s:%d:%d", file ? file : "<anonymous>", file && !strncmp(file, "eval at ", 8) ? ", <anonymous>" : "", line, column);
    } else
        dbuf_putstr(out, "<anonymous>");
    JS_FreeCString(ctx, file);
}

/* What a line says after "at ". */
static void node_put_frame(JSContext *ctx, DynBuf *out, JSValueConst func, JSValueConst self, int place, int flags)
{
    if (flags & NODE_PARSES) {
        const char *file = JS_ToCString(ctx, self);
        dbuf_printf(out, "%s:%d:%d", file ? file : "<anonymous>", place, flags >> NODE_PLACE_SHIFT);
        JS_FreeCString(ctx, file);
        return;
    }
    if (flags & NODE_COMBINES) {
        static const char *const NAMES[] = {"all", "allSettled", "any", "all"};
        dbuf_printf(out, "async Promise.%s (index %d)", NAMES[JS_VALUE_GET_INT(self) & 3], place);
        return;
    }
    JSValue name_value = node_name_of(ctx, func), type_value = node_type_of(ctx, self);
    const char *name = JS_ToCString(ctx, name_value), *type = JS_IsString(type_value) ? JS_ToCString(ctx, type_value) : NULL;
    if (flags & NODE_WAITS)
        dbuf_putstr(out, "async ");
    size_t start = out->size;
    if (flags & NODE_CONSTRUCTS)
        dbuf_printf(out, "new %s", name && name[0] ? name : "<anonymous>");
    else if (type)
        node_put_method(ctx, out, type, name ? name : "", self, func);
    else if (name)
        dbuf_putstr(out, name);
    bool is_named = out->size > start;
    dbuf_putstr(out, is_named ? " (" : "");
    node_put_place(ctx, out, node_code(func), place);
    dbuf_putstr(out, is_named ? ")" : "");
    JS_FreeCString(ctx, type);
    JS_FreeCString(ctx, name);
    JS_FreeValue(ctx, type_value);
    JS_FreeValue(ctx, name_value);
}

/* The name of a text that is evaluated: the one that it gives itself, or where that is done, as in "eval at name (place)". A text of the
   library begins with line 0, where it has put something. */
static void node_put_eval(JSContext *ctx, DynBuf *out, const char *text)
{
    static const char MARK[] = "\n//# sourceURL=";
    const char *last = NULL;
    for (const char *at = text; (at = strstr(at, MARK)); at += sizeof MARK - 1)
        last = at + sizeof MARK - 1;
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    while (sf && !node_code(sf->cur_func))
        sf = sf->prev_frame;
    JSFunctionBytecode *b = sf ? node_code(sf->cur_func) : NULL;
    size_t length = last ? strcspn(last, b && node_is_internal(ctx, b) ? "\n" : " \t\r\n\"'") : 0;
    if (length)
        dbuf_put(out, (const uint8_t *)last, length);
    else if (!b || node_is_internal(ctx, b))
        dbuf_putstr(out, "<input>");
    else {
        JSValue value = node_name_of(ctx, sf->cur_func);
        const char *name = JS_ToCString(ctx, value), *file = JS_AtomToCString(ctx, b->filename);
        bool is_inner = file && !strncmp(file, "eval at ", 8);
        dbuf_printf(out, "eval at %s (", name && name[0] && !(is_inner && !strcmp(name, "eval")) ? name : "<anonymous>");
        if (is_inner)
            dbuf_putstr(out, file);
        else
            node_put_place(ctx, out, b, sf->cur_pc ? sf->cur_pc - b->byte_code_buf - 1 : -1);
        dbuf_putc(out, ')');
        JS_FreeCString(ctx, file);
        JS_FreeCString(ctx, name);
        JS_FreeValue(ctx, value);
    }
    dbuf_putc(out, '\0');
    node_evaluates = b && !node_is_internal(ctx, b);
    node_wrong_line = 0;
}

/* Remembers what an exception comes from. */
static void node_note_text(JSContext *ctx, JSValueConst text)
{
    JSValueConst error = ctx->rt->current_exception;
    if (!JS_IsObject(error) || js_same_value(ctx, error, node_wrong_error))
        return;
    node_noted_line = node_wrong_line;
    set_value(ctx, &node_wrong_error, js_dup(ctx->rt->current_exception));
    set_value(ctx, &node_wrong_text, js_dup(text));
}

/* [text, line, column] of what was evaluated when an exception was thrown, otherwise undefined. The line is 0 if it could be parsed. */
JSValue node_wrong(JSContext *ctx, JSValueConst error)
{
    if (!JS_IsObject(error) || !js_same_value(ctx, error, node_wrong_error))
        return JS_UNDEFINED;
    JSValueConst parts[] = {node_wrong_text, js_int32(node_noted_line), js_int32(node_wrong_column)};
    return js_create_array(ctx, 3, parts);
}

static JSValue node_text_of(JSContext *ctx, DynBuf *out)
{
    JSValue text = dbuf_error(out) ? JS_ThrowOutOfMemory(ctx) : JS_NewStringLen(ctx, (char *)out->buf, out->size);
    dbuf_free(out);
    return text;
}

/* The library's function that makes what `Error.prepareStackTrace` gets. */
JSValue node_site_maker = JS_UNDEFINED;

/* For each frame: function, receiver, flags, file, line, column, type, name, method, the line's text, where the function begins. */
static JSValue node_sites(JSContext *ctx, JSValueConst *frames, int count)
{
    JSValue all = JS_NewArray(ctx);
    for (int i = 0; i + 3 < count; i += 4) {
        JSValueConst func = frames[i], self = frames[i + 1];
        int place = JS_VALUE_GET_INT(frames[i + 2]), flags = JS_VALUE_GET_INT(frames[i + 3]), line = -1, column = -1;
        JSFunctionBytecode *b = node_code(func);
        DynBuf text;
        js_dbuf_init(ctx, &text);
        node_put_frame(ctx, &text, func, self, place, flags);
        bool is_function = !(flags & (NODE_PARSES | NODE_COMBINES));
        if (flags & NODE_PARSES)
            line = place, column = flags >> NODE_PLACE_SHIFT;
        else if (b && place >= 0)
            line = find_line_num(ctx, b, place, &column);
        else if (flags & NODE_COMBINES)
            line = place;
        JSValue parts[] = {
            js_dup(func), is_function ? js_dup(self) : JS_UNDEFINED, js_int32(flags),
            flags & NODE_PARSES ? js_dup(self) : b ? JS_AtomToString(ctx, b->filename) : JS_NULL, js_int32(line), js_int32(column),
            is_function ? node_type_of(ctx, self) : JS_NULL, is_function ? node_name_of(ctx, func) : JS_NULL,
            is_function ? node_method_of(ctx, self, func) : JS_NULL, node_text_of(ctx, &text),
            js_int32(b ? b->line_num : -1), js_int32(b ? b->col_num : -1),
        };
        JS_SetPropertyUint32(ctx, all, i / 4, js_create_array(ctx, countof(parts), (JSValueConst *)parts));
        for (size_t k = 0; k < countof(parts); k++)
            JS_FreeValue(ctx, parts[k]);
    }
    JSValue sites = JS_Call(ctx, node_site_maker, JS_UNDEFINED, 1, (JSValueConst *)&all);
    JS_FreeValue(ctx, all);
    return sites;
}

/* What an object says, then its lines; or what the program's function makes of them, if it may: whether it did is left there. */
static JSValue node_stack_of(JSContext *ctx, JSValueConst object, JSValueConst kept, bool *prepares)
{
    JSValue *values = NULL, prepare = JS_UNDEFINED;
    uint32_t count = 0;
    if (JS_IsNull(kept))
        return JS_UNDEFINED;
    if (js_check_stack_overflow(ctx->rt, 0))
        return JS_ThrowStackOverflow(ctx);
    if (JS_IsObject(kept) && !js_get_fast_array(ctx, kept, &values, &count))
        count = 0;
    JSValueConst *frames = (JSValueConst *)values + 1;
    count -= count > 0;
    if (JS_IsObject(ctx->error_ctor) && JS_IsObject(kept)) {
        prepare = JS_GetPropertyStr(ctx, ctx->error_ctor, "prepareStackTrace");
        if (JS_IsException(prepare))
            return prepare;
    }
    if (*prepares && !node_preparing && JS_IsFunction(ctx, prepare)) {
        JSValue sites = node_sites(ctx, frames, count), stack = JS_EXCEPTION;
        JSValueConst arguments[] = {object, sites};
        node_preparing = true;
        if (!JS_IsException(sites))
            stack = JS_Call(ctx, prepare, ctx->error_ctor, 2, arguments);
        node_preparing = false;
        JS_FreeValue(ctx, sites);
        JS_FreeValue(ctx, prepare);
        return stack;
    }
    *prepares = false;
    JS_FreeValue(ctx, prepare);
    DynBuf out;
    js_dbuf_init(ctx, &out);
    // A heading whose getters read stacks whose getters read stacks, and so on, is not asked any more.
    JSValue said = node_reads > 20 ? JS_NewString(ctx, "Error") : js_error_toString(ctx, object, 0, NULL);
    if (JS_IsException(said)) {
        dbuf_free(&out);
        return said;
    }
    size_t size;
    const char *text = JS_ToCStringLen(ctx, &size, said);
    if (text)
        dbuf_put(&out, (const uint8_t *)text, size);
    JS_FreeCString(ctx, text);
    JS_FreeValue(ctx, said);
    for (uint32_t i = 0; i + 3 < count; i += 4) {
        dbuf_putstr(&out, "\n    at ");
        node_put_frame(ctx, &out, frames[i], frames[i + 1], JS_VALUE_GET_INT(frames[i + 2]), JS_VALUE_GET_INT(frames[i + 3]));
    }
    return node_text_of(ctx, &out);
}

"""

#: What an anonymous function is assigned to, from the text before it.
INFER = r"""static const char *node_before(const char *start, const char *at)
{
    while (at > start && strchr(" \t\r\n", at[-1]))
        at--;
    return at;
}

/* Whether an assignment's "=" is before `at`; then `*end` is where its target ends. */
static bool node_is_assigned(const char *start, const char *at, const char **end)
{
    at = node_before(start, at);
    if (at - start < 2 || at[-1] != '=' || strchr("=!<>+-*/%&|^?", at[-2]))
        return false;
    *end = node_before(start, at - 1);
    return true;
}

static bool node_is_part(int byte)
{
    return byte == '#' || node_is_identifier_part(byte);
}

/* "a.b.c" for a function at `at` whose text begins "a.b.c = "; nothing for what has a name anyway. */
static JSAtom node_infer(JSParseState *s, const uint8_t *where)
{
    const char *start = (const char *)s->buf_start, *at = (const char *)where, *end;
    const char *parts[32];
    int sizes[32], count = 0, members = 0;
    if (!node_is_assigned(start, at, &end)) {
        // a.b = c.d || function () {}, a.b = c ? function () {} : d, a.b = [function () {}]
        at = node_before(start, at);
        const char *open = at > start && (at[-1] == '(' || at[-1] == '[') ? node_before(start, at - 1) : at;
        if (open != at && at[-1] == '[')
            at = open;
        else if (open - start > 4 && (strchr("?:", open[-1]) || !strncmp(open - 2, "||", 2) || !strncmp(open - 2, "&&", 2)))
            for (at = open - 1 - (open[-1] == open[-2]); at > start && (node_is_part((uint8_t)at[-1]) || strchr(" .!'\"", at[-1])); at--)
                ;
        else
            return JS_ATOM_NULL;
        if (!node_is_assigned(start, at, &end))
            return JS_ATOM_NULL;
        members++;
    }
    // From the end to the beginning; one target may follow another.
    for (at = end; count < 30;) {
        if (at > start && at[-1] == ']') {
            const char *open = at - 1;
            while (open > start && *open != '[' && *open != '\n')
                open--;
            if (*open != '[')
                return JS_ATOM_NULL;
            if (strchr("'\"", open[1]) && at - open > 3 && at[-2] == open[1])
                parts[count] = open + 2, sizes[count++] = at - open - 4;
            else
                parts[count] = "<computed>", sizes[count++] = 10;
            members++;
            at = open;
            if (at > start && node_is_part((uint8_t)at[-1]))
                goto name;
            continue;
        }
        if (at > start && at[-1] == ')') {
            int depth = 0;
            do {
                at--;
                depth += (*at == ')') - (*at == '(');
            } while (at > start && depth && *at != '\n');
            if (depth)
                return JS_ATOM_NULL;
        }
    name:
        end = at;
        while (at > start && node_is_part((uint8_t)at[-1]))
            at--;
        if (at == end)
            break;
        if (!(end - at == 4 && !strncmp(at, "this", 4)) && !(end - at == 9 && !strncmp(at, "prototype", 9)))
            parts[count] = at, sizes[count++] = end - at;
        if (at > start && at[-1] == '.') {
            at -= at - start > 1 && at[-2] == '?' ? 2 : 1;
            members++;
            continue;
        }
        if (!node_is_assigned(start, at, &end))
            break;
        at = end;
    }
    if (!count || !members)
        return JS_ATOM_NULL;
    DynBuf out;
    js_dbuf_init(s->ctx, &out);
    while (count-- > 0) {
        dbuf_put(&out, (const uint8_t *)parts[count], sizes[count]);
        if (count)
            dbuf_putc(&out, '.');
    }
    JSAtom name = dbuf_error(&out) ? JS_ATOM_NULL : JS_NewAtomLen(s->ctx, (char *)out.buf, out.size);
    dbuf_free(&out);
    return name;
}

"""

#: The functions that wait for the job that runs.
WAITING = r"""/* The function of a generator that is not at its end. */
static JSValueConst node_generator_code(JSObject *p)
{
    if (p->class_id == JS_CLASS_ASYNC_GENERATOR)
        return p->u.async_generator_data && p->u.async_generator_data->state != JS_ASYNC_GENERATOR_STATE_COMPLETED
            ? p->u.async_generator_data->func_state.frame.cur_func : JS_UNDEFINED;
    JSGeneratorData *s = p->u.generator_data;
    return s && s->state != JS_GENERATOR_STATE_COMPLETED ? s->func_state.frame.cur_func : JS_UNDEFINED;
}

/* The promise that a function settles, or NULL. */
static JSPromiseData *node_settled_by(JSValueConst func)
{
    JSObject *p = JS_IsObject(func) ? JS_VALUE_GET_OBJ(func) : NULL;
    if (!p || (p->class_id != JS_CLASS_PROMISE_RESOLVE_FUNCTION && p->class_id != JS_CLASS_PROMISE_RESOLVE_FUNCTION + 1) || !p->u.promise_function_data)
        return NULL;
    return JS_GetOpaque(p->u.promise_function_data->promise, JS_CLASS_PROMISE);
}

/* Keeps the frame that goes on when a function of a promise is called, if there is one; the promise that is settled after that. */
static JSPromiseData *node_keep_next(JSContext *ctx, DynBuf *out, JSValueConst handler, JSValueConst resolve)
{
    JSObject *p = JS_IsObject(handler) ? JS_VALUE_GET_OBJ(handler) : NULL;
    JSAsyncFunctionState *state = NULL;
    JSPromiseData *next = NULL;
    if (!p)
        return node_settled_by(resolve);
    if (p->class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE || p->class_id == JS_CLASS_ASYNC_FUNCTION_RESOLVE + 1) {
        JSAsyncFunctionData *s = p->u.async_function_data;
        if (!s || !s->is_active)
            return NULL;
        state = &s->func_state;
        next = node_settled_by(s->resolving_funcs[0]);
    } else if (p->class_id == JS_CLASS_C_FUNCTION_DATA) {
        JSCFunctionDataRecord *record = JS_GetOpaque(handler, JS_CLASS_C_FUNCTION_DATA);
        if (record->func == js_promise_all_resolve_element) {
            if (out)
                node_keep(out, JS_UNDEFINED, js_int32(record->magic & 3), JS_VALUE_GET_INT(record->data[1]), NODE_COMBINES | NODE_WAITS);
            return node_settled_by(record->data[3]);
        }
        if (record->func != js_async_generator_resolve_function)
            return node_settled_by(resolve);
        JSAsyncGeneratorData *s = JS_GetOpaque(record->data[0], JS_CLASS_ASYNC_GENERATOR);
        if (!s || list_empty(&s->queue))
            return NULL;
        state = &s->func_state;
        next = node_settled_by(list_entry(s->queue.next, JSAsyncGeneratorRequest, link)->resolving_funcs[0]);
    } else {
        next = node_settled_by(handler);
        return next ? next : node_settled_by(resolve);
    }
    JSStackFrame *sf = &state->frame;
    JSFunctionBytecode *b = out ? node_code(sf->cur_func) : NULL;
    if (b && !node_is_internal(ctx, b))
        node_keep(out, sf->cur_func, state->this_val, sf->cur_pc ? sf->cur_pc - b->byte_code_buf - 1 : -1,
                  NODE_WAITS | (sf->is_strict_mode ? NODE_STRICT : 0));
    return next;
}

static void node_keep_waiting(JSContext *ctx, DynBuf *out, int limit)
{
    if (!node_reaction)
        return;
    JSPromiseData *promise = node_keep_next(ctx, NULL, node_reaction[2], node_reaction[0]);
    for (int steps = 0; promise && steps < 1000 && node_kept(out) < limit; steps++) {
        struct list_head *list = &promise->promise_reactions[0], *other = &promise->promise_reactions[1];
        // Who waits is only known if it is one.
        if (promise->promise_state != JS_PROMISE_PENDING || list_empty(list) || list->next != list->prev)
            return;
        JSPromiseReactionData *rd = list_entry(list->next, JSPromiseReactionData, link);
        JSPromiseReactionData *failed = list_entry(other->next, JSPromiseReactionData, link);
        JSCFunctionDataRecord *record = JS_GetOpaque(failed->handler, JS_CLASS_C_FUNCTION_DATA);
        JSValueConst handler = record && record->func == js_promise_all_resolve_element ? failed->handler : rd->handler;
        promise = node_keep_next(ctx, out, handler, rd->resolving_funcs[0]);
    }
}

"""
