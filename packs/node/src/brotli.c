// Streams of Brotli's. A stream is an object of its own class, whose end frees what Brotli holds.

#include "node.h"
#include <brotli/decode.h>
#include <brotli/encode.h>

static JSClassID stream_class;

/// One of the two.
struct stream {
    BrotliEncoderState *encoder;
    BrotliDecoderState *decoder;
};

static void end(JSRuntime *rt, JSValueConst value)
{
    UNUSED(rt);
    struct stream *stream = JS_GetOpaque(value, stream_class);
    if (!stream)
        return;
    if (stream->encoder)
        BrotliEncoderDestroyInstance(stream->encoder);
    if (stream->decoder)
        BrotliDecoderDestroyInstance(stream->decoder);
    free(stream);
}

static const JSClassDef CLASS = {.class_name = "BrotliStream", .finalizer = end};

/// (whether it decompresses, [parameter, value...]): a stream, or undefined if a parameter is none of its.
static NATIVE(open_stream)
{
    UNUSED(self), UNUSED(argc);
    struct stream *stream = calloc(1, sizeof *stream);
    bool decompresses = JS_ToBool(ctx, argv[0]);
    if (stream && decompresses)
        stream->decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    else if (stream)
        stream->encoder = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    JSValue object = stream && (stream->encoder || stream->decoder) ? JS_NewObjectClass(ctx, stream_class) : JS_ThrowOutOfMemory(ctx);
    if (JS_IsException(object)) {
        free(stream);
        return object;
    }
    JS_SetOpaque(object, stream);
    int64_t count = 0;
    JS_GetLength(ctx, argv[1], &count);
    for (int64_t i = 0; i + 1 < count; i += 2) {
        JSValue which = JS_GetPropertyInt64(ctx, argv[1], i), value = JS_GetPropertyInt64(ctx, argv[1], i + 1);
        bool taken = decompresses ? BrotliDecoderSetParameter(stream->decoder, int_of(ctx, which), long_of(ctx, value))
                                  : BrotliEncoderSetParameter(stream->encoder, int_of(ctx, which), long_of(ctx, value));
        if (!taken) {
            JS_FreeValue(ctx, object);
            return JS_UNDEFINED;
        }
    }
    return object;
}

/// What a decoder says: 0 for an error, whose number is negative, 1 at the end, 2 for more input, 3 for more room. An encoder says the
/// same.
static int work(struct stream *stream, int operation, size_t *in_left, const uint8_t **in, size_t *room, uint8_t **out)
{
    if (stream->decoder) {
        int result = BrotliDecoderDecompressStream(stream->decoder, in_left, in, room, out, NULL);
        return result ? result : (int)BrotliDecoderGetErrorCode(stream->decoder);
    }
    if (!BrotliEncoderCompressStream(stream->encoder, operation, in_left, in, room, out, NULL))
        return 0;
    if (BrotliEncoderHasMoreOutput(stream->encoder) || *in_left)
        return 3;
    return BrotliEncoderIsFinished(stream->encoder) ? 1 : 2;
}

/// (stream, input, its offset, output, operation): [what it says, input left, room left].
static NATIVE(work_stream)
{
    UNUSED(self), UNUSED(argc);
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    size_t in_size, out_size;
    uint8_t *in = stream ? bytes_of(ctx, argv[1], &in_size) : NULL, *out = in ? bytes_of(ctx, argv[3], &out_size) : NULL;
    if (!out)
        return JS_EXCEPTION;
    int64_t at = long_of(ctx, argv[2]);
    if (at < 0 || (uint64_t)at > in_size)
        return JS_ThrowRangeError(ctx, "outside of the buffer");
    const uint8_t *next_in = in + at;
    size_t in_left = in_size - at, room = out_size;
    int says = work(stream, int_of(ctx, argv[4]), &in_left, &next_in, &room, &out);
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_NewInt32(ctx, says));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewInt64(ctx, in_left));
    JS_SetPropertyUint32(ctx, all, 2, JS_NewInt64(ctx, room));
    return all;
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("brotliOpen", 2, open_stream),
    JS_CFUNC_DEF("brotliWork", 5, work_stream),
};

void brotli_init(JSContext *ctx, JSValueConst native)
{
    JS_NewClassID(JS_GetRuntime(ctx), &stream_class);
    JS_NewClass(JS_GetRuntime(ctx), stream_class, &CLASS);
    FUNCTIONS(LIST);
}
