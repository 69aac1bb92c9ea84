"""Which expression an exception is about: it is read from the text of the function that runs, at the place that the
running call has. V8 knows the expression itself; the words are the same for all that programs usually write.
"""

#: The text of the running function, and the place in it.
PLACE = r"""extern JSValue native_object;

/* Where the running function is in its text, which the caller frees; NULL if that is not known. */
static const char *node_place(JSContext *ctx, char **source)
{
    JSStackFrame *sf = ctx->rt->current_stack_frame;
    JSObject *p = sf ? JS_VALUE_GET_OBJ(sf->cur_func) : NULL;
    if (!p || !js_class_has_bytecode(p->class_id) || !sf->cur_pc)
        return NULL;
    JSFunctionBytecode *b = p->u.func.function_bytecode;
    int line, column, first = 1, from = 1;
    line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, &column);
    JSValue all = JS_GetPropertyStr(ctx, native_object, "sources"), text = JS_GetProperty(ctx, all, b->filename);
    const char *known = JS_IsString(text) ? JS_ToCString(ctx, text) : NULL;
    if (known)
        *source = js_strdup(ctx, known);
    else if (b->source) {
        *source = js_strdup(ctx, b->source);
        first = b->line_num;
        from = b->col_num;
    }
    if (known)
        JS_FreeCString(ctx, known);
    JS_FreeValue(ctx, text);
    JS_FreeValue(ctx, all);
    const char *at = *source;
    if (line == first)
        column -= from - 1;
    for (int i = first; at && i < line; i++)
        if ((at = strchr(at, '\n')))
            at++;
    return at && line >= first && column >= 1 && column <= (int)strcspn(at, "\n") ? at + column - 1 : NULL;
}
"""

#: Patterns that do not fit, and what cannot be gone through.
PATTERNS = r"""static const char *node_skip(const char *at)
{
    while (*at && strchr(" \t\r\n", *at))
        at++;
    return at;
}

static const char *node_skip_back(const char *start, const char *at)
{
    while (at > start && strchr(" \t\r\n", at[-1]))
        at--;
    return at;
}

/* The end of a text in quotes that begins at `at`, or of one character. */
static const char *node_after(const char *at)
{
    char quote = *at;
    if (quote != '"' && quote != '\'' && quote != '`')
        return at + 1;
    for (at++; *at && *at != quote; at++)
        at += *at == '\\' && at[1];
    return at + (*at != 0);
}

/* Where the bracket closes that opens at `at`, or NULL. */
static const char *node_closing(const char *at)
{
    int depth = 0;
    for (; *at; at = node_after(at)) {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* The expression from `at` on, if it is a chain of names and calls; false if it is something else. `is_call` tells whether the last
   part is a call, which is left out then. */
static bool node_put_chain(DynBuf *out, const char *at, bool *is_call)
{
    size_t call = 0;
    *is_call = false;
    if (!node_is_name((uint8_t)*at) || !strncmp(at, "new ", 4))
        return false;
    for (;;) {
        const char *end = at;
        while (node_is_name((uint8_t)*end))
            end++;
        dbuf_put(out, (const uint8_t *)at, end - at);
        *is_call = false;
        while (*end == '(' || *end == '[') {
            const char *close = node_closing(end);
            if (!close)
                return false;
            call = out->size;
            *is_call = *end == '(';
            if (*is_call)
                dbuf_putstr(out, "(...)");
            else
                dbuf_put(out, (const uint8_t *)end, close + 1 - end);
            end = close + 1;
        }
        const char *next = node_skip(end);
        if (next[0] == '.' && node_is_name((uint8_t)next[1])) {
            dbuf_putc(out, '.');
            at = next + 1;
            continue;
        }
        if (*is_call)
            out->size = call;
        // Nothing but the end of the expression may follow.
        return !*next || strchr(";,)]}", *next) || next > end + strcspn(end, "\n");
    }
}

/* A value that is null or undefined was to be taken apart; the place is the first name of the pattern. */
static void node_throw_pattern(JSContext *ctx, JSValueConst value)
{
    char *source = NULL;
    const char *at = node_place(ctx, &source), *what = JS_IsNull(value) ? "null" : "undefined";
    const char *open = at ? node_skip_back(source, at) : NULL, *close = NULL;
    char name[100] = "";
    bool is_nested = false, has_name = false, has_default = false, is_call = false;
    DynBuf out;
    js_dbuf_init(ctx, &out);
    if (open && open > source && open[-1] == '{') {
        const char *end = at;
        open--;
        if (*at == '"' || *at == '\'')
            end = node_after(at++);
        else
            while (node_is_name((uint8_t)*end))
                end++;
        int size = end - at - (at > source && (at[-1] == '"' || at[-1] == '\''));
        snprintf(name, sizeof name, "%.*s", size > 0 && size < 99 ? size : 0, at);
        const char *next = node_skip(end), *before = node_skip_back(source, open);
        has_default = next[0] == '=' || (next[0] == ':' && (next = node_skip(next + 1), *next == '{' || *next == '['));
        is_nested = before > source && (before[-1] == ':' || before[-1] == '[');
        close = node_closing(open);
        if (close && (next = node_skip(close + 1), *next == '=') && next[1] != '=' && next[1] != '>')
            has_name = node_put_chain(&out, node_skip(next + 1), &is_call);
    }
    if (has_name && is_call)
        dbuf_putstr(&out, "(...)");
    dbuf_putc(&out, '\0');
    const char *about = has_name ? (char *)out.buf : JS_IsNull(value) && *name ? "object null" : what;
    if (is_nested && *name)
        JS_ThrowTypeError(ctx, "Cannot read properties of %s (reading '%s')", what, name);
    else if (has_default && has_name && *name)
        JS_ThrowTypeError(ctx, "Cannot read properties of %s (reading '%s')", what, name);
    else if (*name)
        JS_ThrowTypeError(ctx, "Cannot destructure property '%s' of '%s' as it is %s.", name, about, what);
    else
        JS_ThrowTypeError(ctx, "Cannot destructure '%s' as it is %s.", about, what);
    dbuf_free(&out);
    js_free(ctx, source);
}

/* A value cannot be gone through; the place is the value itself, or the bracket of a pattern. */
static JSValue node_throw_source(JSContext *ctx, JSValueConst value, bool is_async)
{
    char *source = NULL;
    const char *at = node_place(ctx, &source), *before, *close, *next;
    const char *what = is_async ? "is not async iterable" : "is not iterable";
    bool is_call = false, is_known = false, is_literal = true, is_pattern = false;
    DynBuf out;
    js_dbuf_init(ctx, &out);
    if (!at)
        is_pattern = true;
    else if (*at == '[') {
        is_literal = false;
        close = node_closing(at);
        next = close ? node_skip(close + 1) : "";
        if (*next == '=' && next[1] != '=' && next[1] != '>') {
            // Of nothing, V8 tells what it is; but a literal is always told as it is.
            const char *first = node_skip(next + 1);
            is_literal = !strncmp(first, "null", 4) || (*first >= '0' && *first <= '9') || !strncmp(first, "{}", 2);
            is_known = node_put_chain(&out, first, &is_call);
            if (!is_known && !strncmp(first, "{}", 2)) {
                dbuf_putstr(&out, "{}");
                is_known = true;
            }
            if (JS_IsUndefined(value) || JS_IsNull(value))
                is_known = false;
        } else
            is_pattern = true;
    } else if (at) {
        // The first token of it, or its last name: back to where it begins.
        const char *first = at;
        while (first > source && (node_is_name((uint8_t)first[-1]) || first[-1] == '.' || first[-1] == ')' || first[-1] == ']') &&
               strncmp(first - 3 < source ? source : first - 3, "...", 3)) {
            const char *bracket = first[-1] == ')' || first[-1] == ']' ? node_opening(source, first - 1) : first - 1;
            if (!bracket)
                break;
            first = bracket;
        }
        before = node_skip_back(source, first);
        bool is_of = before - source >= 2 && !strncmp(before - 2, "of", 2), is_spread = before - source >= 3 && !strncmp(before - 3, "...", 3);
        const char *rest = is_spread ? node_skip_back(source, before - 3) : before;
        if (is_spread && rest > source && rest[-1] == '(') {
            is_known = node_put_chain(&out, first, &is_call) && (JS_IsUndefined(value) || JS_IsNull(value));
            dbuf_putc(&out, '\0');
            if (is_known)
                JS_ThrowTypeError(ctx, "%s is not iterable (cannot read property %s)", (char *)out.buf, JS_IsNull(value) ? "null" : "undefined");
            else
                JS_ThrowTypeError(ctx, "Spread syntax requires ...iterable[Symbol.iterator] to be a function");
            dbuf_free(&out);
            js_free(ctx, source);
            return JS_EXCEPTION;
        }
        if (is_of || is_spread)
            is_known = node_put_chain(&out, first, &is_call);
        if (!is_known && (is_of || is_spread) && first[0] == '{' && first[1] == '}') {
            is_known = true;
            dbuf_putstr(&out, "{}");
        }
    }
    dbuf_putc(&out, '\0');
    if (!is_known && (!is_literal || is_pattern))
        node_throw_not_iterable(ctx, value);
    else if (!is_known && (JS_IsUndefined(value) || JS_IsNull(value)))
        JS_ThrowTypeError(ctx, "%s %s", JS_IsNull(value) ? "null" : "undefined", what);
    else if (!is_known && JS_IsObject(value))
        JS_ThrowTypeError(ctx, "%s %s", *(is_literal && at ? at : "") == '{' ? "{}" : "object", what);
    else if (!is_known)
        node_throw_value(ctx, value, what);
    else if (is_call)
        JS_ThrowTypeError(ctx, "%s is not a function or its return value %s", (char *)out.buf, what);
    else
        JS_ThrowTypeError(ctx, "%s %s", (char *)out.buf, what);
    dbuf_free(&out);
    js_free(ctx, source);
    return JS_EXCEPTION;
}

"""
