// The program: an engine that was started when the pack was built, with the library loaded, and goes on from there.
//
// The build calls the functions `build_*`, in a machine without a kernel: they make the engine and run the library's files. The memory
// that they leave is the program's. `main` finds the engine there.

#include "node.h"
#include <unistd.h>

/// Bytes of the stack that calls may use. The machine's own stack, which nobody sees, is 4 MB; a call of the interpreter takes
/// about as much of it as of this one.
#define STACK (1600 << 10)

static JSRuntime *runtime;
static JSContext *context;
static JSValue library;
JSValue native_object;

static char *space;

__attribute__((export_name("build_space"))) char *build_space(size_t size)
{
    free(space);
    return space = calloc(size + 1, 1);
}

__attribute__((export_name("build_begin"))) int build_begin(void)
{
    runtime = JS_NewRuntime();
    if (!runtime)
        return -1;
    JS_SetMaxStackSize(runtime, STACK);
    // Nothing of the library is ever garbage; counting it again and again would only write to its pages.
    JS_SetGCThreshold(runtime, -1);
    context = JS_NewContext(runtime);
    if (!context)
        return -1;
    JSContext *ctx = context;
    JSValue native = native_object = JS_NewObject(ctx);
    library = JS_NewObject(ctx);
    brotli_init(ctx, native);
    bytes_init(ctx, native);
    ciphers_init(ctx, native);
    compress_init(ctx, native);
    files_init(ctx, native);
    hashes_init(ctx, native);
    modules_init(ctx, native);
    processes_init(ctx, native);
    scrypt_init(ctx, native);
    sockets_init(ctx, native);
    system_init(ctx, native);
    values_init(ctx, native);
    wasm_init(ctx, native);
    JS_SetPropertyStr(ctx, native, "library", JS_DupValue(ctx, library));
    return 0;
}

/// What the exception says is left in `space`.
static int failed(void)
{
    JSValue error = JS_GetException(context);
    const char *text = JS_ToCString(context, error);
    JSValue stack = JS_GetPropertyStr(context, error, "stack");
    const char *where = JS_ToCString(context, stack);
    size_t size = strlen(text ? text : "") + strlen(where ? where : "") + 2;
    char *said = build_space(size);
    if (said && text && where) {
        strcpy(said, text);
        strcat(said, "\n");
        strcat(said, where);
    }
    return -1;
}

/// What the exception was, after a function of these has failed.
__attribute__((export_name("build_error"))) const char *build_error(void)
{
    return space;
}

/// Runs a file of the library; `space` has its name and its text, each with a zero at its end. The value is its function.
__attribute__((export_name("build_load"))) int build_load(size_t name_size, size_t text_size)
{
    char *name = space, *text = space + name_size + 1;
    char file[200] = "node:";
    if (name_size + 6 > sizeof file)
        return -1;
    memcpy(file + 5, name, name_size + 1);
    JSEvalOptions options = {.version = JS_EVAL_OPTIONS_VERSION, .eval_flags = JS_EVAL_TYPE_GLOBAL, .filename = file, .line_num = 0};
    JSValue value = JS_Eval2(context, text, text_size, &options);
    if (JS_IsException(value))
        return failed();
    JS_SetPropertyStr(context, library, name, value);
    return 0;
}

__attribute__((export_name("build_end"))) int build_end(void)
{
    JSValue start = JS_GetPropertyStr(context, library, "internal/start");
    JSValueConst arguments[] = {native_object, JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED};
    JSValue done = JS_Call(context, start, JS_UNDEFINED, 4, arguments);
    if (JS_IsException(done))
        return failed();
    JS_FreeValue(context, done);
    JS_FreeValue(context, start);
    JSContext *other;
    while (JS_ExecutePendingJob(runtime, &other) > 0)
        ;
    free(space);
    space = NULL;
    JS_RunGC(runtime);
    return 0;
}

int main(int argc, char **argv)
{
    JS_UpdateStackTop(runtime);
    JS_SetGCThreshold(runtime, 8 << 20);
    JSValue arguments = JS_NewArray(context);
    for (int i = 0; i < argc; i++)
        JS_SetPropertyUint32(context, arguments, i, utf8_text(context, (uint8_t *)argv[i], strlen(argv[i])));
    JSValue run = JS_GetPropertyStr(context, native_object, "main");
    JSValue code = JS_Call(context, run, JS_UNDEFINED, 1, (JSValueConst *)&arguments);
    if (JS_IsException(code)) {
        // Even the code that reports exceptions could not run: memory or the stack is at its end.
        static const char said[] = "node: out of memory or of stack\n";
        (void)!write(2, said, sizeof said - 1);
        _exit(134);
    }
    // Nothing is taken down: the process ends.
    _exit(int_of(context, code));
}
