"""What exceptions of the engine say, in V8's words: which value, which property, which expression.

Each edit names text that must be there exactly once; the words of `WORDS` are replaced wherever they are.
"""

from libc.sources import edit


def apply(engine):
    """Edits the engine's main file, after `edits.py`."""
    for old, new in EDITS:
        edit(engine, old, new)
    text = engine.read_text()
    for old, new in WORDS.items():
        if old not in text:
            raise SystemExit(f"quickjs.c has nowhere: {old}")
        text = text.replace(old, new)
    engine.write_text(text)


#: Describes a value without calling any code: its constructor's name is read only if it lies there as plain data.
DESCRIBE = r"""/* The own data property of an object, or of the prototypes behind it; undefined if code would have to run. A borrowed value. */
static JSValueConst node_plain_property(JSContext *ctx, JSValueConst value, JSAtom name)
{
    JSObject *p = JS_VALUE_GET_OBJ(value);
    for (int depth = 0; p && depth < 1000 && !p->is_exotic; depth++, p = p->shape->proto) {
        JSProperty *pr;
        JSShapeProperty *prs = find_own_property(&pr, p, name);
        if (prs)
            return (prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? pr->u.value : JS_UNDEFINED;
    }
    return JS_UNDEFINED;
}

/* Writes what V8 shows of a value: `5`, `#<Foo>`, `[object Array]`, `Symbol(x)`. */
static void node_describe(JSContext *ctx, char *buf, size_t size, JSValueConst value)
{
    const char *text = NULL;
    if (JS_IsSymbol(value)) {
        JSValue description = js_symbol_get_description(ctx, value);
        text = JS_IsString(description) ? JS_ToCString(ctx, description) : NULL;
        snprintf(buf, size, "Symbol(%s)", text ? text : "");
        JS_FreeValue(ctx, description);
    } else if (!JS_IsObject(value)) {
        text = JS_ToCString(ctx, value);
        snprintf(buf, size, "%s", text ? text : "");
    } else if (JS_VALUE_GET_OBJ(value)->class_id == JS_CLASS_ARRAY)
        snprintf(buf, size, "[object Array]");
    else if (js_class_has_bytecode(JS_VALUE_GET_OBJ(value)->class_id)) {
        const char *source = JS_VALUE_GET_OBJ(value)->u.func.function_bytecode->source;
        snprintf(buf, size, "%s", source ? source : "function () { [native code] }");
    } else {
        JSValueConst maker = node_plain_property(ctx, value, JS_ATOM_constructor);
        JSValueConst name = JS_IsObject(maker) ? node_plain_property(ctx, maker, JS_ATOM_name) : JS_UNDEFINED;
        if (JS_IsString(name))
            text = JS_ToCString(ctx, name);
        snprintf(buf, size, "#<%s>", text && *text ? text : "Object");
    }
    if (text)
        JS_FreeCString(ctx, text);
}

#define NODE_DESCRIBED 300

/* Throws with what a value is in place of the `%s`. */
static JSValue node_throw_described(JSContext *ctx, JSValue (*throw)(JSContext *, const char *, ...), const char *format, JSValueConst value)
{
    char buf[NODE_DESCRIBED];
    node_describe(ctx, buf, sizeof buf, value);
    throw(ctx, format, buf);
    return JS_EXCEPTION;
}

/* Throws about a property of a value: the `%s` are both, in this order. */
static JSValue node_throw_property(JSContext *ctx, const char *format, JSAtom name, JSValueConst value)
{
    char buf[NODE_DESCRIBED], atom[ATOM_GET_STR_BUF_SIZE];
    node_describe(ctx, buf, sizeof buf, value);
    JS_ThrowTypeError(ctx, format, JS_AtomGetStr(ctx, atom, sizeof atom, name), buf);
    return JS_EXCEPTION;
}

/* What a built-in function says that was given something else than what can be gone through. */
static JSValue node_throw_not_iterable(JSContext *ctx, JSValueConst value)
{
    char buf[NODE_DESCRIBED] = "";
    const char *kind = JS_IsUndefined(value) ? "undefined" : JS_IsNull(value) ? "object null" : JS_IsBool(value) ? "boolean "
        : JS_IsNumber(value) ? "number " : JS_IsSymbol(value) ? "symbol " : JS_IsFunction(ctx, value) ? "function"
        : JS_IsObject(value) ? "object" : "bigint ";
    if (kind[strlen(kind) - 1] == ' ')
        node_describe(ctx, buf, sizeof buf, value);
    return JS_ThrowTypeError(ctx, "%s%s is not iterable (cannot read property Symbol(Symbol.iterator))", kind, buf);
}

"""

EDITS = [
    # Where describing can begin: after the functions that it calls are declared.
    ("static const char *get_func_name(JSContext *ctx, JSValueConst func);\n",
     "static const char *get_func_name(JSContext *ctx, JSValueConst func);\n"
     "static JSValue js_symbol_get_description(JSContext *ctx, JSValueConst this_val);\n"
     "static JSValue node_throw_source(JSContext *ctx, JSValueConst value, bool is_async);\n"
     "static void node_throw_pattern(JSContext *ctx, JSValueConst value);\n" + DESCRIBE),
    # Properties that cannot be deleted, set or defined again.
    ("    JS_FreeValue(ctx, obj1);\n    if (res != false)\n        return res;",
     "    if (res != false) {\n        JS_FreeValue(ctx, obj1);\n        return res;\n    }"),
    ('        JS_ThrowTypeError(ctx, "could not delete property");\n        return -1;\n    }\n    return false;',
     '        node_throw_property(ctx, "Cannot delete property \'%s\' of %s", prop, obj1);\n        JS_FreeValue(ctx, obj1);\n'
     "        return -1;\n    }\n    JS_FreeValue(ctx, obj1);\n    return false;"),
    ('            return JS_ThrowTypeErrorOrFalse(ctx, flags, "property is not configurable");\n        }\n\n',
     "            return JS_ThrowTypeErrorOrFalse(ctx, flags, \"Cannot redefine property: %s\", JS_AtomGetStr(ctx, (char[ATOM_GET_STR_BUF_SIZE]){0}, "
     "ATOM_GET_STR_BUF_SIZE, prop));\n        }\n\n"),
    # Classes.
    ('                JS_ThrowTypeError(ctx, "parent class must be constructor");',
     '                node_throw_described(ctx, JS_ThrowTypeError, "Class extends value %s is not a constructor or null", parent_class);'),
    ("    if (!prs) {\n        JS_ThrowTypeErrorPrivateNotFound(ctx, prop);\n        return JS_EXCEPTION;\n    }\n    return js_dup(pr->u.value);",
     "    if (!prs)\n        return JS_ThrowTypeErrorAtom(ctx, \"Cannot read private member %s from an object whose class did not declare it\", prop);\n"
     "    return js_dup(pr->u.value);"),
    # Numbers.
    ('        JS_FreeValue(ctx, val);\n        return JS_ThrowTypeError(ctx, "cannot convert to BigInt");',
     '        node_throw_described(ctx, JS_ThrowTypeError, "Cannot convert %s to a BigInt", val);\n'
     "        JS_FreeValue(ctx, val);\n        return JS_EXCEPTION;"),
    ("    val = JS_StringToBigInt(ctx, val);\n    if (JS_VALUE_IS_NAN(val))\n        return JS_ThrowSyntaxError(ctx, \"invalid BigInt literal\");\n    return val;",
     "    JSValue text = js_dup(val);\n    val = JS_StringToBigInt(ctx, val);\n    if (JS_VALUE_IS_NAN(val))\n"
     "        val = node_throw_described(ctx, JS_ThrowSyntaxError, \"Cannot convert %s to a BigInt\", text);\n"
     "    JS_FreeValue(ctx, text);\n    return val;"),
    # Prototypes.
    ('        return JS_ThrowTypeError(ctx, "object prototype may only be an Object or null");',
     '        return node_throw_described(ctx, JS_ThrowTypeError, "Object prototype may only be an Object or null: %s", proto);'),
    ('        JS_ThrowTypeError(ctx, "Property description must be an object");',
     '        node_throw_described(ctx, JS_ThrowTypeError, "Property description must be an object: %s", desc);'),
    # What is gone through.
    ('        return node_throw_about(ctx, JS_ThrowTypeError, "%s is not iterable", obj);\n\n    if (is_async) {',
     "        return node_throw_source(ctx, obj, is_async);\n\n    if (is_async) {"),
    ('        return node_throw_value(ctx, obj, "is not iterable");\n    }\n    ret = JS_GetIterator2(ctx, obj, method);',
     "        return node_throw_source(ctx, obj, is_async);\n    }\n    ret = JS_GetIterator2(ctx, obj, method);"),
    ("    iterator = JS_GetProperty(ctx, sp[-1], JS_ATOM_Symbol_iterator);\n    if (JS_IsException(iterator))\n        return -1;\n    /* Used to squelch",
     "    if (JS_IsUndefined(sp[-1]) || JS_IsNull(sp[-1])) {\n        node_throw_source(ctx, sp[-1], false);\n        return -1;\n    }\n"
     "    iterator = JS_GetProperty(ctx, sp[-1], JS_ATOM_Symbol_iterator);\n    if (JS_IsException(iterator))\n        return -1;\n    /* Used to squelch"),
    ("        if (JS_IsUndefined(method) || JS_IsNull(method)) {\n            method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);\n"
     "            if (JS_IsException(method))\n                return method;\n            sync_iter",
     "        if (JS_IsUndefined(method) || JS_IsNull(method)) {\n            method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);\n"
     "            if (JS_IsException(method))\n                return method;\n            if (!JS_IsFunction(ctx, method)) {\n"
     "                JS_FreeValue(ctx, method);\n                return node_throw_source(ctx, obj, true);\n            }\n            sync_iter"),
    # Where it is in the text: the first token of what is gone through, and of a pattern.
    ("                    const char *what = JS_IsNull(sp[-1]) ? \"null\" : \"undefined\";\n"
     "                    JS_ThrowTypeError(ctx, \"Cannot destructure '%s' as it is %s.\", what, what);\n",
     "                    node_throw_pattern(ctx, sp[-1]);\n"),
    ("        /* throw an exception if the value cannot be converted to an object */\n        emit_op(s, OP_to_object);",
     "        /* throw an exception if the value cannot be converted to an object */\n        emit_source_loc(s);\n        emit_op(s, OP_to_object);"),
    ("    pos_expr = s->cur_func->byte_code.size;\n    emit_label(s, label_expr);",
     "    pos_expr = s->cur_func->byte_code.size;\n    emit_label(s, label_expr);\n    emit_source_loc(s);"),
    ("        block_env.has_iterator = true;\n        emit_op(s, OP_for_of_start);\n        has_spread = false;",
     "        block_env.has_iterator = true;\n        emit_source_loc_at(s, source_line_num, source_col_num);\n        emit_op(s, OP_for_of_start);\n"
     "        has_spread = false;"),
    ("            if (js_parse_assign_expr(s))\n                return -1;\n            emit_op(s, OP_append);",
     "            int spread_line = s->token.line_num, spread_column = node_column(s);\n"
     "            if (js_parse_assign_expr(s))\n                return -1;\n"
     "            emit_source_loc_at(s, spread_line, spread_column);\n            emit_op(s, OP_append);"),
    ("                        if (js_parse_assign_expr(s))\n                            return -1;\n"
     "                        /* XXX: could pass is_last indicator? */\n                        emit_op(s, OP_append);",
     "                        int spread_line = s->token.line_num, spread_column = node_column(s);\n"
     "                        if (js_parse_assign_expr(s))\n                            return -1;\n"
     "                        emit_source_loc_at(s, spread_line, spread_column);\n                        emit_op(s, OP_append);"),
]

#: The engine's words and V8's.
WORDS = {
    '"BigInt are forbidden in JSON.stringify"': '"Do not know how to serialize a BigInt"',
    "\"'this' can be initialized only once\"": '"Super constructor may only be called once"',
    '"BigInt operands are forbidden for >>>"': '"BigInts have no unsigned right shift, use >> instead"',
    '"BigInt negative exponent"': '"Exponent must be non-negative"',
    '"not a object"': '"CreateListFromArrayLike called on non-object"',
    '"not a Date object"': '"this is not a Date object."',
    '"cannot invoke a running generator"': '"Generator is already running"',
    '"bad normalization form"': '"The normalization form should be one of NFC, NFD, NFKC, NFKD."',
    '"out of bound"': '"Offset is outside the bounds of the DataView"',
    '"class statement requires a name"': "\"Unexpected token '{'\"",
    '"property constructor appears more than once"': '"A class may only have one constructor"',
    '"invalid keyword: with"': '"Strict mode code may not include a with statement"',
    "\"'let' is not a valid lexical identifier\"": '"let is disallowed as a lexically bound name"',
    '"cannot delete a direct reference in strict mode"': '"Delete of an unqualified identifier in strict mode."',
    "\"unparenthesized unary expression can't appear on the left-hand side of '**'\"":
        '"Unary operator used immediately before exponentiation expression. Parenthesis must be used to disambiguate operator precedence"',
    '"duplicate __proto__ property name"': '"Duplicate __proto__ fields are not allowed in object literals"',
    '"duplicate default"': '"More than one default clause in switch statement"',
    '"line terminator not allowed after throw"': '"Illegal newline after throw"',
    '"invalid number literal"': '"Invalid or unexpected token"',
    '"unexpected character"': '"Invalid or unexpected token"',
    "\"undefined private field '%s'\"": "\"Private field '%s' must be declared in an enclosing class\"",
    '"import.meta only valid in module code"': "\"Cannot use 'import.meta' outside a module\"",
    '"lexical declarations can\'t appear in single-statement context"': '"Lexical declaration cannot appear in a single-statement context"',
    '"unexpected end of regexp"': '"Invalid regular expression: missing /"',
    '"Octal literals are not allowed in strict mode"': '"Octal literals are not allowed in strict mode."',
    '"cannot be called"': '"Abstract class TypedArray not directly constructable"',
    "\"'Immutable prototype object \\'Object.prototype\\' cannot have their prototype set'\"":
        "\"Immutable prototype object 'Object.prototype' cannot have their prototype set\"",
    '"null or undefined are forbidden"': '"String.prototype method called on null or undefined"',
}
