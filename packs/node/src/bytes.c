// Text and bytes: the encodings of Buffer, comparing and searching.

#include "node.h"

enum encoding { UTF8, LATIN1, UTF16, HEX, BASE64, BASE64URL, ASCII };

uint8_t *bytes_of(JSContext *ctx, JSValueConst value, size_t *size)
{
    static uint8_t none[1];
    uint8_t *data = JS_GetUint8Array(ctx, size, value);
    if (!data && JS_GetTypedArrayType(value) == JS_TYPED_ARRAY_UINT8 && !JS_HasException(ctx)) {
        *size = 0;
        return none;
    }
    return data;
}

static void *resize(JSRuntime *rt, void *opaque, void *data, size_t size)
{
    UNUSED(rt), UNUSED(opaque);
    if (size)
        return realloc(data, size);
    free(data);
    return NULL;
}

JSValue own_bytes(JSContext *ctx, uint8_t *data, size_t size)
{
    return JS_NewArrayBuffer(ctx, data, size, 0, resize, NULL, false);
}

/// One character of UTF-8 that begins at `*at`, which is moved; U+FFFD for each longest part that could not be one.
static uint32_t next_character(const uint8_t *data, size_t size, size_t *at)
{
    uint8_t first = data[(*at)++];
    int more;
    uint32_t value;
    uint8_t low = 0x80, high = 0xbf;
    if (first < 0x80)
        return first;
    if (first >= 0xc2 && first <= 0xdf)
        more = 1, value = first & 0x1f;
    else if (first >= 0xe0 && first <= 0xef) {
        more = 2, value = first & 0xf;
        low = first == 0xe0 ? 0xa0 : 0x80;
        high = first == 0xed ? 0x9f : 0xbf;
    } else if (first >= 0xf0 && first <= 0xf4) {
        more = 3, value = first & 7;
        low = first == 0xf0 ? 0x90 : 0x80;
        high = first == 0xf4 ? 0x8f : 0xbf;
    } else
        return 0xfffd;
    for (; more > 0; more--) {
        if (*at >= size || data[*at] < low || data[*at] > high)
            return 0xfffd;
        value = value << 6 | (data[(*at)++] & 0x3f);
        low = 0x80, high = 0xbf;
    }
    return value;
}

JSValue utf8_text(JSContext *ctx, const uint8_t *data, size_t size)
{
    size_t plain = 0;
    while (plain < size && data[plain] < 0x80)
        plain++;
    if (plain == size)
        return JS_NewStringLen(ctx, (const char *)data, size);
    if (size > SIZE_MAX / 4)
        return JS_ThrowOutOfMemory(ctx);
    uint16_t *text = malloc(size * 2), *end = text;
    if (!text)
        return JS_ThrowOutOfMemory(ctx);
    bool wide = false;
    for (size_t at = 0; at < size;) {
        uint32_t value = next_character(data, size, &at);
        wide |= value > 0xff;
        if (value > 0xffff) {
            value -= 0x10000;
            *end++ = 0xd800 | value >> 10;
            *end++ = 0xdc00 | (value & 0x3ff);
        } else
            *end++ = value;
    }
    // Text within Latin-1 has half the size in the engine, which compares strings by how they are stored.
    JSValue made = wide ? JS_NewStringUTF16(ctx, text, end - text) : JS_UNDEFINED;
    if (!wide) {
        uint8_t *utf8 = malloc((end - text) * 2), *last = utf8;
        for (uint16_t *unit = text; utf8 && unit < end; unit++) {
            if (*unit < 0x80)
                *last++ = *unit;
            else {
                *last++ = 0xc0 | *unit >> 6;
                *last++ = 0x80 | (*unit & 0x3f);
            }
        }
        made = utf8 ? JS_NewStringLen(ctx, (char *)utf8, last - utf8) : JS_ThrowOutOfMemory(ctx);
        free(utf8);
    }
    free(text);
    return made;
}

static JSValue narrow_text(JSContext *ctx, const uint8_t *data, size_t size, uint8_t mask)
{
    uint8_t *utf8 = malloc(size * 2 + 1), *end = utf8;
    if (!utf8)
        return JS_ThrowOutOfMemory(ctx);
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = data[i] & mask;
        if (byte < 0x80)
            *end++ = byte;
        else {
            *end++ = 0xc0 | byte >> 6;
            *end++ = 0x80 | (byte & 0x3f);
        }
    }
    JSValue text = JS_NewStringLen(ctx, (char *)utf8, end - utf8);
    free(utf8);
    return text;
}

static JSValue wide_text(JSContext *ctx, const uint8_t *data, size_t size)
{
    uint16_t *units = malloc(size + 2);
    if (!units)
        return JS_ThrowOutOfMemory(ctx);
    bool wide = false;
    for (size_t i = 0; i < size / 2; i++) {
        units[i] = data[2 * i] | data[2 * i + 1] << 8;
        wide |= units[i] > 0xff;
    }
    JSValue text;
    if (wide)
        text = JS_NewStringUTF16(ctx, units, size / 2);
    else {
        uint8_t *bytes = (uint8_t *)units;
        for (size_t i = 0; i < size / 2; i++)
            bytes[i] = units[i];
        text = narrow_text(ctx, bytes, size / 2, 0xff);
    }
    free(units);
    return text;
}

static const char DIGITS[] = "0123456789abcdef";
static const char LETTERS[2][65] = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
};

static JSValue hex_text(JSContext *ctx, const uint8_t *data, size_t size)
{
    char *text = malloc(size * 2 + 1);
    if (!text)
        return JS_ThrowOutOfMemory(ctx);
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = DIGITS[data[i] >> 4];
        text[2 * i + 1] = DIGITS[data[i] & 15];
    }
    JSValue made = JS_NewStringLen(ctx, text, size * 2);
    free(text);
    return made;
}

static JSValue base64_text(JSContext *ctx, const uint8_t *data, size_t size, bool url)
{
    const char *letters = LETTERS[url];
    char *text = malloc(size / 3 * 4 + 8), *end = text;
    if (!text)
        return JS_ThrowOutOfMemory(ctx);
    for (size_t i = 0; i < size; i += 3) {
        uint32_t left = size - i, three = data[i] << 16 | (left > 1 ? data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0);
        *end++ = letters[three >> 18];
        *end++ = letters[three >> 12 & 63];
        if (left > 1)
            *end++ = letters[three >> 6 & 63];
        else if (!url)
            *end++ = '=';
        if (left > 2)
            *end++ = letters[three & 63];
        else if (!url)
            *end++ = '=';
    }
    JSValue made = JS_NewStringLen(ctx, text, end - text);
    free(text);
    return made;
}

/// (bytes, start, end, encoding): text.
static NATIVE(bytes_decode)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[0], &size);
    if (!data)
        return JS_EXCEPTION;
    int64_t start = long_of(ctx, argv[1]), end = long_of(ctx, argv[2]);
    if (start < 0)
        start = 0;
    if (end > (int64_t)size)
        end = size;
    if (start >= end)
        return JS_NewString(ctx, "");
    data += start;
    size = end - start;
    switch (int_of(ctx, argv[3])) {
    case UTF8:
        return utf8_text(ctx, data, size);
    case LATIN1:
        return narrow_text(ctx, data, size, 0xff);
    case ASCII:
        return narrow_text(ctx, data, size, 0x7f);
    case UTF16:
        return wide_text(ctx, data, size);
    case HEX:
        return hex_text(ctx, data, size);
    case BASE64:
        return base64_text(ctx, data, size, false);
    default:
        return base64_text(ctx, data, size, true);
    }
}

/// How many bytes a unit, or the pair that begins at it, has in UTF-8; half of a pair alone is U+FFFD.
static int utf8_size(const uint16_t *units, size_t count, size_t i, uint32_t *value)
{
    uint32_t unit = units[i];
    if (unit >= 0xd800 && unit <= 0xdfff) {
        if (unit < 0xdc00 && i + 1 < count && units[i + 1] >= 0xdc00 && units[i + 1] <= 0xdfff) {
            *value = 0x10000 + ((unit & 0x3ff) << 10) + (units[i + 1] & 0x3ff);
            return 4;
        }
        unit = 0xfffd;
    }
    *value = unit;
    return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
}

/// Writes what fits without cutting a character; the number of bytes.
static size_t utf8_write(const uint16_t *units, size_t count, uint8_t *out, size_t room, size_t *taken)
{
    size_t at = 0, i = 0;
    while (i < count) {
        uint32_t value;
        int size = utf8_size(units, count, i, &value);
        if (size > (int64_t)room - (int64_t)at)
            break;
        static const uint8_t LEAD[] = {0, 0, 0xc0, 0xe0, 0xf0};
        if (size == 1)
            out[at] = value;
        else
            for (int part = size - 1; part >= 0; part--, value >>= 6)
                out[at + part] = part ? 0x80 | (value & 0x3f) : LEAD[size] | value;
        at += size;
        i += size == 4 ? 2 : 1;
    }
    *taken = i;
    return at;
}

static size_t utf8_total(const uint16_t *units, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count;) {
        uint32_t value;
        int size = utf8_size(units, count, i, &value);
        total += size;
        i += size == 4 ? 2 : 1;
    }
    return total;
}

static int digit(uint16_t unit)
{
    if (unit >= '0' && unit <= '9')
        return unit - '0';
    unit |= 32;
    return unit >= 'a' && unit <= 'f' ? unit - 'a' + 10 : -1;
}

static int letter(uint16_t unit)
{
    if (unit >= 'A' && unit <= 'Z')
        return unit - 'A';
    if (unit >= 'a' && unit <= 'z')
        return unit - 'a' + 26;
    if (unit >= '0' && unit <= '9')
        return unit - '0' + 52;
    return unit == '+' || unit == '-' ? 62 : unit == '/' || unit == '_' ? 63 : -1;
}

static size_t encode(const uint16_t *units, size_t count, int encoding, uint8_t *out, size_t room, size_t *taken)
{
    size_t at = 0, i = 0;
    uint32_t bits = 0;
    int have = 0;
    switch (encoding) {
    case UTF8:
        return utf8_write(units, count, out, room, taken);
    case LATIN1:
    case ASCII:
        while (i < count && at < room)
            out[at++] = units[i++];
        break;
    case UTF16:
        for (; i < count && at + 2 <= room; i++) {
            out[at++] = units[i];
            out[at++] = units[i] >> 8;
        }
        break;
    case HEX:
        for (; i + 2 <= count && at < room && digit(units[i]) >= 0 && digit(units[i + 1]) >= 0; i += 2)
            out[at++] = digit(units[i]) << 4 | digit(units[i + 1]);
        break;
    default:
        for (; i < count && at < room; i++) {
            int value = letter(units[i]);
            if (units[i] == '=')
                break;
            if (value < 0)
                continue;
            bits = bits << 6 | value;
            have += 6;
            if (have >= 8)
                out[at++] = bits >> (have -= 8);
        }
    }
    *taken = i;
    return at;
}

static size_t most(size_t count, int encoding, const uint16_t *units)
{
    switch (encoding) {
    case UTF8:
        return utf8_total(units, count);
    case UTF16:
        return count * 2;
    case HEX:
        return count / 2;
    case BASE64:
    case BASE64URL:
        return count / 4 * 3 + 3;
    default:
        return count;
    }
}

/// (text, encoding): an ArrayBuffer.
static NATIVE(bytes_encode)
{
    UNUSED(self), UNUSED(argc);
    size_t count, taken;
    const uint16_t *units = JS_ToCStringLenUTF16(ctx, &count, argv[0]);
    if (!units)
        return JS_EXCEPTION;
    int encoding = int_of(ctx, argv[1]);
    size_t room = most(count, encoding, units);
    uint8_t *data = malloc(room + 1);
    JSValue made = JS_EXCEPTION;
    if (data)
        made = own_bytes(ctx, data, encode(units, count, encoding, data, room, &taken));
    else
        JS_ThrowOutOfMemory(ctx);
    JS_FreeCStringUTF16(ctx, units);
    return made;
}

/// (bytes, text, offset, most, encoding): how many were written. With a sixth argument [bytes, units of the text].
static NATIVE(bytes_write)
{
    UNUSED(self);
    size_t size, count, taken;
    uint8_t *data = bytes_of(ctx, argv[0], &size);
    if (!data)
        return JS_EXCEPTION;
    const uint16_t *units = JS_ToCStringLenUTF16(ctx, &count, argv[1]);
    if (!units)
        return JS_EXCEPTION;
    int64_t offset = long_of(ctx, argv[2]), room = long_of(ctx, argv[3]);
    size_t written = 0;
    taken = 0;
    if (offset >= 0 && offset <= (int64_t)size && room >= 0) {
        if (room > (int64_t)size - offset)
            room = size - offset;
        written = encode(units, count, int_of(ctx, argv[4]), data + offset, room, &taken);
    }
    JS_FreeCStringUTF16(ctx, units);
    if (argc < 6)
        return JS_NewInt64(ctx, written);
    JSValue both = JS_NewArray(ctx);
    JS_SetPropertyUint32(ctx, both, 0, JS_NewInt64(ctx, taken));
    JS_SetPropertyUint32(ctx, both, 1, JS_NewInt64(ctx, written));
    return both;
}

/// (text): its bytes in UTF-8.
static NATIVE(bytes_length)
{
    UNUSED(self), UNUSED(argc);
    size_t count;
    const uint16_t *units = JS_ToCStringLenUTF16(ctx, &count, argv[0]);
    if (!units)
        return JS_EXCEPTION;
    size_t total = utf8_total(units, count);
    JS_FreeCStringUTF16(ctx, units);
    return JS_NewInt64(ctx, total);
}

/// Whether bytes are well-formed UTF-8.
static NATIVE(bytes_valid)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[0], &size);
    if (!data)
        return JS_EXCEPTION;
    for (size_t at = 0; at < size;) {
        size_t begin = at;
        if (next_character(data, size, &at) == 0xfffd && !(at - begin == 3 && data[begin] == 0xef && data[begin + 1] == 0xbf))
            return JS_FALSE;
    }
    return JS_TRUE;
}

static NATIVE(bytes_compare)
{
    UNUSED(self), UNUSED(argc);
    size_t one_size, two_size;
    uint8_t *one = bytes_of(ctx, argv[0], &one_size), *two = one ? bytes_of(ctx, argv[1], &two_size) : NULL;
    if (!two)
        return JS_EXCEPTION;
    int order = memcmp(one, two, one_size < two_size ? one_size : two_size);
    return JS_NewInt32(ctx, order ? (order < 0 ? -1 : 1) : one_size < two_size ? -1 : one_size > two_size);
}

/// (bytes, what, from, step, whether backwards): where it is, or -1.
static NATIVE(bytes_find)
{
    UNUSED(self), UNUSED(argc);
    size_t size, wanted_size;
    uint8_t *data = bytes_of(ctx, argv[0], &size), *wanted = data ? bytes_of(ctx, argv[1], &wanted_size) : NULL;
    if (!wanted)
        return JS_EXCEPTION;
    int64_t at = long_of(ctx, argv[2]), step = long_of(ctx, argv[3]), last = (int64_t)size - (int64_t)wanted_size;
    bool back = JS_ToBool(ctx, argv[4]);
    if (step < 1)
        step = 1;
    if (back && at > last)
        at = last;
    for (; back ? at >= 0 : at <= last; at += back ? -1 : 1) {
        if (!back && step == 1 && wanted_size) {
            uint8_t *found = memchr(data + at, wanted[0], last - at + 1);
            if (!found)
                break;
            at = found - data;
        }
        if (at % step == 0 && at <= last && !memcmp(data + at, wanted, wanted_size))
            return JS_NewInt64(ctx, at);
    }
    return JS_NewInt32(ctx, -1);
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("decode", 4, bytes_decode),
    JS_CFUNC_DEF("encode", 2, bytes_encode),
    JS_CFUNC_DEF("writeText", 6, bytes_write),
    JS_CFUNC_DEF("utf8Length", 1, bytes_length),
    JS_CFUNC_DEF("utf8Valid", 1, bytes_valid),
    JS_CFUNC_DEF("compare", 2, bytes_compare),
    JS_CFUNC_DEF("find", 5, bytes_find),
};

void bytes_init(JSContext *ctx, JSValueConst native)
{
    FUNCTIONS(LIST);
}
