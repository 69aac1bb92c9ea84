// What JavaScript cannot see of its own values, for `util.inspect` and `util.types`; compiling functions; the queue of microtasks.

#include "node.h"
#include <time.h>

/// The name of a value's internal class: "Map", "Promise", "RegExp"; undefined for what is no object.
static NATIVE(class_of)
{
    UNUSED(self), UNUSED(argc);
    if (!JS_IsObject(argv[0]))
        return JS_UNDEFINED;
    JSAtom name = JS_GetClassName(JS_GetRuntime(ctx), JS_GetClassID(argv[0]));
    JSValue text = JS_AtomToString(ctx, name);
    JS_FreeAtom(ctx, name);
    return text;
}

/// What `AsyncLocalStorage` holds for the code that runs. The engine keeps it with what waits for promises (`edits.py`).
extern JSValue node_context;

static NATIVE(get_context)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    return JS_DupValue(ctx, node_context);
}

static NATIVE(set_context)
{
    UNUSED(self), UNUSED(argc);
    JSValue before = node_context;
    node_context = JS_DupValue(ctx, argv[0]);
    JS_FreeValue(ctx, before);
    return JS_UNDEFINED;
}

/// [target, handler] of a proxy, otherwise undefined.
static NATIVE(proxy_parts)
{
    UNUSED(self), UNUSED(argc);
    if (!JS_IsProxy(argv[0]))
        return JS_UNDEFINED;
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_GetProxyTarget(ctx, argv[0]));
    JS_SetPropertyUint32(ctx, all, 1, JS_GetProxyHandler(ctx, argv[0]));
    return all;
}

/// [0 pending, 1 fulfilled, 2 rejected; the result] of a promise, otherwise undefined.
static NATIVE(promise_parts)
{
    UNUSED(self), UNUSED(argc);
    if (!JS_IsPromise(argv[0]))
        return JS_UNDEFINED;
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_NewInt32(ctx, JS_PromiseState(ctx, argv[0])));
    JS_SetPropertyUint32(ctx, all, 1, JS_PromiseResult(ctx, argv[0]));
    return all;
}

/// Runs what waits in the queue of promises. An exception is thrown on; the rest stays.
static NATIVE(run_jobs)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    JSContext *other;
    int ran;
    while ((ran = JS_ExecutePendingJob(JS_GetRuntime(ctx), &other)) > 0)
        ;
    return ran < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/// What the engine knows (`edits.py`).
extern JSValue node_items(JSContext *, JSValueConst);
extern JSValue node_site_maker;
extern JSValue node_wrong(JSContext *, JSValueConst);

/// (iterator of a map or set, or weak collection): [whether there are pairs, items...].
static NATIVE(items_of)
{
    UNUSED(self), UNUSED(argc);
    return node_items(ctx, argv[0]);
}

static NATIVE(detach)
{
    UNUSED(self), UNUSED(argc);
    JS_DetachArrayBuffer(ctx, argv[0]);
    return JS_UNDEFINED;
}

/// When a script that has a limit of time is to stop, by the clock that only rises; 0 if there is none.
static double deadline;

static double milliseconds(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/// The engine asks from time to time whether to go on.
static int is_late(JSRuntime *runtime, void *opaque)
{
    UNUSED(runtime), UNUSED(opaque);
    return milliseconds() >= deadline;
}

/// (function, milliseconds): [value], or nothing if it took longer.
static NATIVE(call_in_time)
{
    UNUSED(self), UNUSED(argc);
    double before = deadline, end = milliseconds() + double_of(ctx, argv[1]);
    deadline = before && before < end ? before : end;
    JS_SetInterruptHandler(JS_GetRuntime(ctx), is_late, NULL);
    JSValue value = JS_Call(ctx, argv[0], JS_UNDEFINED, 0, NULL);
    bool late = JS_IsException(value) && milliseconds() >= end && JS_HasException(ctx);
    deadline = before;
    if (!before)
        JS_SetInterruptHandler(JS_GetRuntime(ctx), NULL, NULL);
    if (late) {
        JSValue error = JS_GetException(ctx);
        late = JS_IsUncatchableError(error);
        if (!late)
            return JS_Throw(ctx, error);
        JS_FreeValue(ctx, error);
        return JS_UNDEFINED;
    }
    if (JS_IsException(value))
        return value;
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, value);
    return all;
}

/// (text, file, first line): the value of a script.
static NATIVE(evaluate)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    const char *text = JS_ToCStringLen(ctx, &size, argv[0]), *file = text ? JS_ToCString(ctx, argv[1]) : NULL;
    JSValue value = JS_EXCEPTION;
    if (file) {
        JSEvalOptions options = {
            .version = JS_EVAL_OPTIONS_VERSION, .eval_flags = JS_EVAL_TYPE_GLOBAL, .filename = file, .line_num = int_of(ctx, argv[2]),
        };
        value = JS_Eval2(ctx, text, size, &options);
        JS_FreeCString(ctx, file);
    }
    if (text)
        JS_FreeCString(ctx, text);
    return value;
}

/// (text, file, whether a module): throws if it has an error of syntax.
static NATIVE(check_syntax)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    const char *text = JS_ToCStringLen(ctx, &size, argv[0]), *file = text ? JS_ToCString(ctx, argv[1]) : NULL;
    JSValue value = JS_EXCEPTION;
    if (file) {
        JSEvalOptions options = {
            .version = JS_EVAL_OPTIONS_VERSION, .filename = file, .line_num = int_of(ctx, argv[3]),
            .eval_flags = JS_EVAL_FLAG_COMPILE_ONLY | (JS_ToBool(ctx, argv[2]) ? JS_EVAL_TYPE_MODULE : JS_EVAL_TYPE_GLOBAL),
        };
        value = JS_Eval2(ctx, text, size, &options);
        JS_FreeCString(ctx, file);
    }
    if (text)
        JS_FreeCString(ctx, text);
    if (JS_IsException(value))
        return value;
    JS_FreeValue(ctx, value);
    return JS_UNDEFINED;
}

static void on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool handled, void *opaque)
{
    UNUSED(opaque);
    JSValue told = JS_GetPropertyStr(ctx, native_object, "onRejection");
    JSValueConst arguments[] = {promise, reason, JS_NewBool(ctx, handled)};
    if (JS_IsFunction(ctx, told))
        JS_FreeValue(ctx, JS_Call(ctx, told, JS_UNDEFINED, 3, arguments));
    JS_FreeValue(ctx, told);
}

/// Where the last `throw` was: [file, line, column].
static NATIVE(last_throw)
{
    UNUSED(self), UNUSED(argc), UNUSED(argv);
    JSAtom file;
    int line, column;
    if (!node_last_throw(ctx, &file, &line, &column))
        return JS_UNDEFINED;
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_AtomToString(ctx, file));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewInt32(ctx, line));
    JS_SetPropertyUint32(ctx, all, 2, JS_NewInt32(ctx, column));
    return all;
}

/// (function of an array of frames): it makes what programs get of them (`stacks.py`).
static NATIVE(on_sites)
{
    UNUSED(self), UNUSED(argc);
    JSValue before = node_site_maker;
    node_site_maker = JS_DupValue(ctx, argv[0]);
    JS_FreeValue(ctx, before);
    return JS_UNDEFINED;
}

/// (exception): [text, line, column] of what was evaluated and could not be parsed, or undefined.
static NATIVE(wrong_text)
{
    UNUSED(self), UNUSED(argc);
    return node_wrong(ctx, argv[0]);
}

static NATIVE(made_by_library)
{
    UNUSED(self), UNUSED(argc);
    return JS_NewBool(ctx, node_made_by_library(ctx, argv[0]));
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("madeByLibrary", 1, made_by_library),
    JS_CFUNC_DEF("onSites", 1, on_sites),
    JS_CFUNC_DEF("wrongText", 1, wrong_text),
    JS_CFUNC_DEF("classOf", 1, class_of),
    JS_CFUNC_DEF("proxyParts", 1, proxy_parts),
    JS_CFUNC_DEF("promiseParts", 1, promise_parts),
    JS_CFUNC_DEF("itemsOf", 1, items_of),
    JS_CFUNC_DEF("context", 0, get_context),
    JS_CFUNC_DEF("setContext", 1, set_context),
    JS_CFUNC_DEF("runJobs", 0, run_jobs),
    JS_CFUNC_DEF("detach", 1, detach),
    JS_CFUNC_DEF("callInTime", 2, call_in_time),
    JS_CFUNC_DEF("evaluate", 3, evaluate),
    JS_CFUNC_DEF("checkSyntax", 4, check_syntax),
    JS_CFUNC_DEF("lastThrow", 0, last_throw),
};

void values_init(JSContext *ctx, JSValueConst native)
{
    JS_SetHostPromiseRejectionTracker(JS_GetRuntime(ctx), on_rejection, NULL);
    FUNCTIONS(LIST);
}
