// ECMAScript modules. How names are resolved and where texts come from is the library's business, in JavaScript:
// `native.resolveImport(base, name, type)` gives a URL, `native.loadModule(url)` gives what is there.

#include "node.h"

static JSValue ask(JSContext *ctx, const char *question, int argc, JSValueConst *argv)
{
    JSValue function = JS_GetPropertyStr(ctx, native_object, question);
    JSValue answer = JS_Call(ctx, function, JS_UNDEFINED, argc, argv);
    JS_FreeValue(ctx, function);
    return answer;
}

static char *normalize(JSContext *ctx, const char *base, const char *name, JSValueConst attributes, void *opaque)
{
    UNUSED(opaque);
    JSValue base_text = JS_NewString(ctx, base), name_text = JS_NewString(ctx, name);
    JSValue type = JS_IsObject(attributes) ? JS_GetPropertyStr(ctx, attributes, "type") : JS_UNDEFINED;
    JSValueConst arguments[] = {base_text, name_text, type};
    JSValue answer = ask(ctx, "resolveImport", 3, arguments);
    const char *url = JS_IsException(answer) ? NULL : JS_ToCString(ctx, answer);
    char *copy = url ? js_strdup(ctx, url) : NULL;
    if (url)
        JS_FreeCString(ctx, url);
    JS_FreeValue(ctx, answer);
    JS_FreeValue(ctx, base_text);
    JS_FreeValue(ctx, name_text);
    JS_FreeValue(ctx, type);
    return copy;
}

/// A module of values: calls its function, which gives an object, and exports that object's properties.
static int fill(JSContext *ctx, JSModuleDef *module)
{
    JSValue source = JS_GetModulePrivateValue(ctx, module);
    JSValue names = JS_GetPropertyStr(ctx, source, "names"), evaluate = JS_GetPropertyStr(ctx, source, "evaluate");
    JSValue values = JS_Call(ctx, evaluate, JS_UNDEFINED, 0, NULL);
    int code = JS_IsException(values) ? -1 : 0;
    int64_t count = 0;
    if (code == 0)
        code = JS_GetLength(ctx, names, &count);
    for (int64_t i = 0; code == 0 && i < count; i++) {
        JSValue name = JS_GetPropertyInt64(ctx, names, i);
        JSAtom atom = JS_ValueToAtom(ctx, name);
        const char *text = JS_ToCString(ctx, name);
        JSValue value = JS_GetProperty(ctx, values, atom);
        code = !text || JS_IsException(value) ? -1 : JS_SetModuleExport(ctx, module, text, value);
        if (text)
            JS_FreeCString(ctx, text);
        JS_FreeAtom(ctx, atom);
        JS_FreeValue(ctx, name);
    }
    JS_FreeValue(ctx, values);
    JS_FreeValue(ctx, evaluate);
    JS_FreeValue(ctx, names);
    JS_FreeValue(ctx, source);
    return code < 0 ? -1 : 0;
}

static JSModuleDef *of_values(JSContext *ctx, const char *url, JSValueConst source, JSValueConst names)
{
    JSModuleDef *module = JS_NewCModule(ctx, url, fill);
    int64_t count = 0;
    if (!module || JS_GetLength(ctx, names, &count) < 0)
        return NULL;
    for (int64_t i = 0; i < count; i++) {
        JSValue name = JS_GetPropertyInt64(ctx, names, i);
        const char *text = JS_ToCString(ctx, name);
        int code = text ? JS_AddModuleExport(ctx, module, text) : -1;
        if (text)
            JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, name);
        if (code < 0)
            return NULL;
    }
    JS_SetModulePrivateValue(ctx, module, JS_DupValue(ctx, source));
    return module;
}

static JSModuleDef *of_text(JSContext *ctx, const char *url, JSValueConst url_text, JSValueConst text)
{
    size_t size;
    const char *code = JS_ToCStringLen(ctx, &size, text);
    if (!code)
        return NULL;
    JSValue made = JS_Eval(ctx, code, size, url, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    JS_FreeCString(ctx, code);
    if (JS_IsException(made))
        return NULL;
    JSModuleDef *module = JS_VALUE_GET_PTR(made);
    JS_FreeValue(ctx, made);
    JSValue meta = JS_GetImportMeta(ctx, module);
    JSValueConst arguments[] = {meta, url_text};
    JSValue done = ask(ctx, "fillMeta", 2, arguments);
    JS_FreeValue(ctx, meta);
    if (JS_IsException(done))
        return NULL;
    JS_FreeValue(ctx, done);
    return module;
}

static JSModuleDef *load(JSContext *ctx, const char *url, void *opaque, JSValueConst attributes)
{
    UNUSED(opaque), UNUSED(attributes);
    JSValue url_text = JS_NewString(ctx, url);
    JSValue source = ask(ctx, "loadModule", 1, (JSValueConst *)&url_text);
    JSModuleDef *module = NULL;
    if (!JS_IsException(source)) {
        JSValue text = JS_GetPropertyStr(ctx, source, "text"), names = JS_GetPropertyStr(ctx, source, "names");
        module = JS_IsString(text) ? of_text(ctx, url, url_text, text) : of_values(ctx, url, source, names);
        JS_FreeValue(ctx, text);
        JS_FreeValue(ctx, names);
    }
    JS_FreeValue(ctx, source);
    JS_FreeValue(ctx, url_text);
    return module;
}

/// (base, name): a promise of the module's namespace.
static NATIVE(import_module)
{
    UNUSED(self), UNUSED(argc);
    const char *base = JS_ToCString(ctx, argv[0]), *name = base ? JS_ToCString(ctx, argv[1]) : NULL;
    JSValue promise = name ? JS_LoadModule(ctx, base, name) : JS_EXCEPTION;
    if (name)
        JS_FreeCString(ctx, name);
    if (base)
        JS_FreeCString(ctx, base);
    return promise;
}

static const JSCFunctionListEntry LIST[] = {JS_CFUNC_DEF("importModule", 2, import_module)};

void modules_init(JSContext *ctx, JSValueConst native)
{
    JS_SetModuleLoaderFunc2(JS_GetRuntime(ctx), NULL, load, NULL, NULL);
    JS_SetModuleNormalizeFunc2(JS_GetRuntime(ctx), normalize);
    FUNCTIONS(LIST);
}
