// Streams of zlib's. A stream is an object of its own class, whose end frees what zlib holds.

#include "node.h"
#include <zlib.h>

static JSClassID stream_class;

struct stream {
    z_stream z;
    bool inflates;
};

static void end(JSRuntime *rt, JSValueConst value)
{
    UNUSED(rt);
    struct stream *stream = JS_GetOpaque(value, stream_class);
    if (!stream)
        return;
    stream->inflates ? inflateEnd(&stream->z) : deflateEnd(&stream->z);
    free(stream);
}

static const JSClassDef CLASS = {.class_name = "ZlibStream", .finalizer = end};

/// (whether it inflates, level, window bits as zlib counts them, memory level, strategy, dictionary or undefined): a stream, or zlib's
/// error.
static NATIVE(open_stream)
{
    UNUSED(self), UNUSED(argc);
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return JS_ThrowOutOfMemory(ctx);
    stream->inflates = JS_ToBool(ctx, argv[0]);
    int bits = int_of(ctx, argv[2]);
    int code = stream->inflates
        ? inflateInit2(&stream->z, bits)
        : deflateInit2(&stream->z, int_of(ctx, argv[1]), Z_DEFLATED, bits, int_of(ctx, argv[3]), int_of(ctx, argv[4]));
    if (code == Z_OK && !JS_IsUndefined(argv[5]) && (!stream->inflates || bits < 0)) {
        size_t size;
        uint8_t *words = bytes_of(ctx, argv[5], &size);
        if (words)
            code = stream->inflates ? inflateSetDictionary(&stream->z, words, size) : deflateSetDictionary(&stream->z, words, size);
    }
    JSValue object = code == Z_OK ? JS_NewObjectClass(ctx, stream_class) : JS_NewInt32(ctx, code);
    if (code != Z_OK) {
        free(stream);
        return object;
    }
    JS_SetOpaque(object, stream);
    return object;
}

/// (stream, input, its offset, output, its offset, flush, dictionary): [code, input left, room left, zlib's words].
static NATIVE(work_stream)
{
    UNUSED(self), UNUSED(argc);
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    size_t in_size, out_size;
    uint8_t *in = stream ? bytes_of(ctx, argv[1], &in_size) : NULL, *out = in ? bytes_of(ctx, argv[3], &out_size) : NULL;
    if (!out)
        return JS_EXCEPTION;
    int64_t in_at = long_of(ctx, argv[2]), out_at = long_of(ctx, argv[4]);
    if (in_at < 0 || out_at < 0 || (uint64_t)in_at > in_size || (uint64_t)out_at > out_size)
        return JS_ThrowRangeError(ctx, "outside of the buffer");
    z_stream *z = &stream->z;
    z->next_in = in + in_at;
    z->avail_in = in_size - in_at;
    z->next_out = out + out_at;
    z->avail_out = out_size - out_at;
    z->msg = NULL;
    int flush = int_of(ctx, argv[5]);
    int code = stream->inflates ? inflate(z, flush) : deflate(z, flush);
    if (code == Z_NEED_DICT && !JS_IsUndefined(argv[6])) {
        size_t size;
        uint8_t *words = bytes_of(ctx, argv[6], &size);
        if (words)
            code = inflateSetDictionary(z, words, size);
        if (code == Z_OK)
            code = inflate(z, flush);
    }
    JSValue all = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, all, 0, JS_NewInt32(ctx, code));
    JS_SetPropertyUint32(ctx, all, 1, JS_NewInt64(ctx, z->avail_in));
    JS_SetPropertyUint32(ctx, all, 2, JS_NewInt64(ctx, z->avail_out));
    JS_SetPropertyUint32(ctx, all, 3, z->msg ? JS_NewString(ctx, z->msg) : JS_UNDEFINED);
    return all;
}

static NATIVE(reset_stream)
{
    UNUSED(self), UNUSED(argc);
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    if (!stream)
        return JS_EXCEPTION;
    return JS_NewInt32(ctx, stream->inflates ? inflateReset(&stream->z) : deflateReset(&stream->z));
}

static NATIVE(checksum)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[0], &size);
    return data ? JS_NewUint32(ctx, crc32(long_of(ctx, argv[1]), data, size)) : JS_EXCEPTION;
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("zlibOpen", 6, open_stream),
    JS_CFUNC_DEF("zlibWork", 7, work_stream),
    JS_CFUNC_DEF("zlibReset", 1, reset_stream),
    JS_CFUNC_DEF("crc32", 2, checksum),
};

void compress_init(JSContext *ctx, JSValueConst native)
{
    JS_NewClassID(JS_GetRuntime(ctx), &stream_class);
    JS_NewClass(JS_GetRuntime(ctx), stream_class, &CLASS);
    FUNCTIONS(LIST);
}
