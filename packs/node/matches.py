"""`RegExp.$1` and its relatives: what the last match of a program was, in each context.

The standard's proposal for them: https://github.com/tc39/proposal-regexp-legacy-features
"""

from libc.sources import edit


def apply(engine):
    """Keeps the last match, and gives RegExp its properties."""
    edit(engine, "    JSShape *regexp_result_shape;  /* shape for regexp result objects */\n",
         "    JSShape *regexp_result_shape;  /* shape for regexp result objects */\n"
         "    /* The text of the last match, what RegExp.input says, and the places of the match and of its groups. */\n"
         "    JSValue node_matched, node_input;\n    int node_groups, node_match[2 * NODE_GROUPS];\n")
    edit(engine, "struct JSContext {\n", "/* The match and nine groups, and then the last group. */\n#define NODE_GROUPS 11\n\nstruct JSContext {\n")
    edit(engine, "    JS_FreeValue(ctx, ctx->regexp_ctor);\n",
         "    JS_FreeValue(ctx, ctx->regexp_ctor);\n    JS_FreeValue(ctx, ctx->node_matched);\n    JS_FreeValue(ctx, ctx->node_input);\n")
    edit(engine, "static JSValue js_regexp_exec(JSContext *ctx, JSValueConst this_val,\n                              int argc, JSValueConst *argv)\n{",
         KEEP + "static JSValue js_regexp_exec(JSContext *ctx, JSValueConst this_val,\n                              int argc, JSValueConst *argv)\n{")
    edit(engine, "        index = (capture[0] - str_buf) >> shift;\n        props[0].u.value",
         "        node_keep_match(ctx, str_val, capture, capture_count);\n"
         "        index = (capture[0] - str_buf) >> shift;\n        props[0].u.value")
    edit(engine, "        end = (capture[1] - str_buf) >> shift;\n        last_index = end;\n",
         "        end = (capture[1] - str_buf) >> shift;\n        last_index = end;\n"
         "        node_keep_match(ctx, str_val, capture, lre_get_capture_count(re_bytecode));\n")
    edit(engine, "static const JSCFunctionListEntry js_regexp_funcs[] = {\n",
         GIVE + "static const JSCFunctionListEntry js_regexp_funcs[] = {\n")
    edit(engine, '    JS_CFUNC_DEF("escape", 1, js_regexp_escape ),\n',
         '    JS_CFUNC_DEF("escape", 1, js_regexp_escape ),\n' + "".join(
             f'    JS_CGETSET_MAGIC_DEF("{name}", node_get_match, node_set_match, {kind} ),\n' for name, kind in NAMES))


#: The properties, in V8's order. A number is that of a group.
NAMES = [
    ("input", "NODE_INPUT"), ("$_", "NODE_INPUT"), ("lastMatch", "0"), ("$&", "0"), ("lastParen", "NODE_GROUPS - 1"),
    ("$+", "NODE_GROUPS - 1"), ("leftContext", "NODE_BEFORE"), ("$`", "NODE_BEFORE"), ("rightContext", "NODE_AFTER"),
    ("$'", "NODE_AFTER"), *((f"${group}", str(group)) for group in range(1, 10)),
]

KEEP = r"""/* Matches of the library are none of a program's. */
static void node_keep_match(JSContext *ctx, JSValueConst text, uint8_t **capture, int count)
{
    JSString *str = JS_VALUE_GET_STRING(text);
    if (node_is_library(ctx, ctx->rt->current_stack_frame))
        return;
    JS_FreeValue(ctx, ctx->node_matched);
    JS_FreeValue(ctx, ctx->node_input);
    ctx->node_matched = js_dup(text);
    ctx->node_input = js_dup(text);
    ctx->node_groups = count - 1;
    for (int i = 0; i < NODE_GROUPS; i++) {
        int group = i == NODE_GROUPS - 1 ? count - 1 : i;
        uint8_t **ends = &capture[2 * group];
        bool is_there = group < count && ends[0] && ends[1];
        for (int k = 0; k < 2; k++)
            ctx->node_match[2 * i + k] = is_there ? (ends[k] - str8(str)) >> str->is_wide_char : 0;
    }
}

"""

GIVE = r"""enum { NODE_INPUT = NODE_GROUPS, NODE_BEFORE, NODE_AFTER };

static JSValue node_get_match(JSContext *ctx, JSValueConst this_val, int magic)
{
    if (magic == NODE_INPUT)
        return JS_IsString(ctx->node_input) ? js_dup(ctx->node_input) : js_empty_string(ctx->rt);
    if (!JS_IsString(ctx->node_matched) || (magic == NODE_GROUPS - 1 && ctx->node_groups == 0))
        return js_empty_string(ctx->rt);
    JSString *str = JS_VALUE_GET_STRING(ctx->node_matched);
    const int *match = ctx->node_match;
    if (magic == NODE_BEFORE)
        return js_sub_string(ctx, str, 0, match[0]);
    if (magic == NODE_AFTER)
        return js_sub_string(ctx, str, match[1], str->len);
    return js_sub_string(ctx, str, match[2 * magic], match[2 * magic + 1]);
}

/* Only the input can be set. */
static JSValue node_set_match(JSContext *ctx, JSValueConst this_val, JSValueConst value, int magic)
{
    if (magic == NODE_INPUT) {
        JSValue text = JS_ToString(ctx, value);
        if (JS_IsException(text))
            return text;
        JS_FreeValue(ctx, ctx->node_input);
        ctx->node_input = text;
    }
    return JS_UNDEFINED;
}

"""
