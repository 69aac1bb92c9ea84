// Ciphers of Mbed TLS, with the pieces in which OpenSSL gives out their results.

#include "node.h"
#include <mbedtls/aes.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/gcm.h>

static JSClassID cipher_class;

enum mode { CBC, ECB, CTR, CFB, CFB8, OFB, GCM, CHACHA, MODES };

#define BLOCK 16
#define TAG 16

struct cipher {
    enum mode mode;
    bool encrypts, began, ended;
    size_t filled;              // bytes of `block` that wait for the rest of their block
    size_t place;               // in the keystream's block
    uint8_t block[BLOCK], iv[BLOCK], stream[BLOCK], tag[TAG];
    uint8_t *nonce, *aad;       // of GCM until it begins
    size_t nonce_size, aad_size;
    mbedtls_aes_context aes;
    mbedtls_gcm_context gcm;
    mbedtls_chachapoly_context chacha;
};

static void end(JSRuntime *rt, JSValueConst value)
{
    UNUSED(rt);
    struct cipher *cipher = JS_GetOpaque(value, cipher_class);
    if (!cipher)
        return;
    mbedtls_aes_free(&cipher->aes);
    mbedtls_gcm_free(&cipher->gcm);
    mbedtls_chachapoly_free(&cipher->chacha);
    free(cipher->nonce);
    free(cipher->aad);
    free(cipher);
}

static const JSClassDef CLASS = {.class_name = "NativeCipher", .finalizer = end};

static struct cipher *cipher_of(JSContext *ctx, JSValueConst value)
{
    return JS_GetOpaque2(ctx, value, cipher_class);
}

static bool keep(uint8_t **to, size_t *size, const uint8_t *data, size_t more)
{
    uint8_t *grown = realloc(*to, *size + more + 1);
    if (!grown)
        return false;
    memcpy(grown + *size, data, more);
    *to = grown;
    *size += more;
    return true;
}

/// (mode, whether to encrypt, key, vector): the sizes of both fit, as the library has looked.
static NATIVE(cipher_begin)
{
    UNUSED(self), UNUSED(argc);
    size_t key_size, iv_size;
    int mode = int_of(ctx, argv[0]);
    const uint8_t *key = bytes_of(ctx, argv[2], &key_size), *iv = key ? bytes_of(ctx, argv[3], &iv_size) : NULL;
    if (!iv)
        return JS_EXCEPTION;
    bool fits = mode >= 0 && mode < MODES && (key_size == 16 || key_size == 24 || key_size == 32) &&
        (mode == GCM ? iv_size > 0 : mode == CHACHA ? iv_size == 12 && key_size == 32 : mode == ECB || iv_size == BLOCK);
    if (!fits)
        return JS_ThrowRangeError(ctx, "sizes of a cipher");
    struct cipher *cipher = calloc(1, sizeof *cipher);
    JSValue object = cipher ? JS_NewObjectClass(ctx, cipher_class) : JS_ThrowOutOfMemory(ctx);
    if (JS_IsException(object)) {
        free(cipher);
        return object;
    }
    JS_SetOpaque(object, cipher);
    cipher->mode = mode;
    cipher->encrypts = JS_ToBool(ctx, argv[1]);
    mbedtls_aes_init(&cipher->aes);
    mbedtls_gcm_init(&cipher->gcm);
    mbedtls_chachapoly_init(&cipher->chacha);
    int failed = 0;
    if (mode == GCM) {
        failed = mbedtls_gcm_setkey(&cipher->gcm, MBEDTLS_CIPHER_ID_AES, key, key_size * 8);
        if (!failed && !keep(&cipher->nonce, &cipher->nonce_size, iv, iv_size))
            failed = 1;
    } else if (mode == CHACHA) {
        failed = mbedtls_chachapoly_setkey(&cipher->chacha, key);
        if (!failed)
            failed = mbedtls_chachapoly_starts(&cipher->chacha, iv,
                cipher->encrypts ? MBEDTLS_CHACHAPOLY_ENCRYPT : MBEDTLS_CHACHAPOLY_DECRYPT);
    } else {
        memcpy(cipher->iv, iv, mode == ECB ? 0 : BLOCK);
        // The other modes only ever encrypt.
        failed = cipher->encrypts || mode > ECB ? mbedtls_aes_setkey_enc(&cipher->aes, key, key_size * 8)
                                                : mbedtls_aes_setkey_dec(&cipher->aes, key, key_size * 8);
    }
    if (failed) {
        JS_FreeValue(ctx, object);
        return JS_ThrowOutOfMemory(ctx);
    }
    return object;
}

/// (cipher, bytes): what is to be authenticated and not encrypted; false if it is too late.
static NATIVE(cipher_aad)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    const uint8_t *data = cipher ? bytes_of(ctx, argv[1], &size) : NULL;
    if (!data)
        return JS_EXCEPTION;
    if (cipher->began || cipher->ended)
        return JS_FALSE;
    if (cipher->mode == CHACHA)
        return JS_NewBool(ctx, mbedtls_chachapoly_update_aad(&cipher->chacha, data, size) == 0);
    if (!keep(&cipher->aad, &cipher->aad_size, data, size))
        return JS_ThrowOutOfMemory(ctx);
    return JS_TRUE;
}

static void begin_gcm(struct cipher *cipher)
{
    if (!cipher->began)
        mbedtls_gcm_starts(&cipher->gcm, cipher->encrypts ? MBEDTLS_GCM_ENCRYPT : MBEDTLS_GCM_DECRYPT, cipher->nonce, cipher->nonce_size,
                           cipher->aad, cipher->aad_size);
    cipher->began = true;
}

/// GCM takes whole blocks until its end, and gives out each byte at once. So a part of a block is worked on in a copy, and again when
/// the block is whole.
static void add_gcm(struct cipher *cipher, const uint8_t *data, size_t size, uint8_t *out)
{
    begin_gcm(cipher);
    while (size > 0) {
        if (cipher->filled == 0 && size >= BLOCK) {
            size_t whole = size - size % BLOCK;
            mbedtls_gcm_update(&cipher->gcm, whole, data, out);
            data += whole, out += whole, size -= whole;
            continue;
        }
        uint8_t result[BLOCK];
        size_t part = size < BLOCK - cipher->filled ? size : BLOCK - cipher->filled;
        memcpy(cipher->block + cipher->filled, data, part);
        if (cipher->filled + part == BLOCK)
            mbedtls_gcm_update(&cipher->gcm, BLOCK, cipher->block, result);
        else {
            mbedtls_gcm_context copy = cipher->gcm;
            mbedtls_gcm_update(&copy, cipher->filled + part, cipher->block, result);
        }
        memcpy(out, result + cipher->filled, part);
        cipher->filled = (cipher->filled + part) % BLOCK;
        data += part, out += part, size -= part;
    }
}

/// Blocks of CBC and ECB.
static void crypt_blocks(struct cipher *cipher, const uint8_t *data, size_t size, uint8_t *out)
{
    int how = cipher->encrypts ? MBEDTLS_AES_ENCRYPT : MBEDTLS_AES_DECRYPT;
    if (cipher->mode == CBC)
        mbedtls_aes_crypt_cbc(&cipher->aes, how, size, cipher->iv, data, out);
    else
        for (size_t at = 0; at < size; at += BLOCK)
            mbedtls_aes_crypt_ecb(&cipher->aes, how, data + at, out + at);
}

/// How many bytes come out. The last block may be padding, and waits, if `holds`.
static size_t add_blocks(struct cipher *cipher, const uint8_t *data, size_t size, uint8_t *out, bool holds)
{
    size_t made = 0;
    while (size > 0) {
        if (cipher->filled == BLOCK) {
            crypt_blocks(cipher, cipher->block, BLOCK, out + made);
            made += BLOCK, cipher->filled = 0;
        }
        if (cipher->filled == 0 && size > BLOCK) {
            size_t whole = size - size % BLOCK;
            if (whole == size && holds)
                whole -= BLOCK;
            crypt_blocks(cipher, data, whole, out + made);
            made += whole, data += whole, size -= whole;
            continue;
        }
        size_t part = size < BLOCK - cipher->filled ? size : BLOCK - cipher->filled;
        memcpy(cipher->block + cipher->filled, data, part);
        cipher->filled += part, data += part, size -= part;
    }
    if (cipher->filled == BLOCK && !holds) {
        crypt_blocks(cipher, cipher->block, BLOCK, out + made);
        made += BLOCK, cipher->filled = 0;
    }
    return made;
}

/// (cipher, bytes, whether there is padding): what comes out.
static NATIVE(cipher_add)
{
    UNUSED(self), UNUSED(argc);
    size_t size, made;
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    const uint8_t *data = cipher ? bytes_of(ctx, argv[1], &size) : NULL;
    if (!data)
        return JS_EXCEPTION;
    if (cipher->ended)
        return JS_ThrowTypeError(ctx, "the cipher has ended");
    uint8_t *out = malloc(size + 2 * BLOCK);
    if (!out)
        return JS_ThrowOutOfMemory(ctx);
    made = size;
    int how = cipher->encrypts ? MBEDTLS_AES_ENCRYPT : MBEDTLS_AES_DECRYPT;
    switch (cipher->mode) {
    case GCM:
        add_gcm(cipher, data, size, out);
        break;
    case CHACHA:
        cipher->began = true;
        mbedtls_chachapoly_update(&cipher->chacha, size, data, out);
        break;
    case CTR:
        mbedtls_aes_crypt_ctr(&cipher->aes, size, &cipher->place, cipher->iv, cipher->stream, data, out);
        break;
    case CFB:
        mbedtls_aes_crypt_cfb128(&cipher->aes, how, size, &cipher->place, cipher->iv, data, out);
        break;
    case CFB8:
        mbedtls_aes_crypt_cfb8(&cipher->aes, how, size, cipher->iv, data, out);
        break;
    case OFB:
        mbedtls_aes_crypt_ofb(&cipher->aes, size, &cipher->place, cipher->iv, data, out);
        break;
    default:
        made = add_blocks(cipher, data, size, out, !cipher->encrypts && JS_ToBool(ctx, argv[2]));
    }
    return own_bytes(ctx, out, made);
}

/// The end of padding (PKCS #7): how many bytes of the block are data; negative if it is none. Each byte is looked at.
static int unpadded(const uint8_t *block)
{
    unsigned count = block[BLOCK - 1], bad = count == 0 || count > BLOCK;
    for (unsigned i = 0; i < BLOCK; i++)
        bad |= (i < count) & (block[BLOCK - 1 - i] != count);
    return bad ? -1 : (int)(BLOCK - count);
}

/// (cipher, whether there is padding): the rest; a number if there is something wrong: 1 the size, 2 the padding.
static NATIVE(cipher_finish)
{
    UNUSED(self), UNUSED(argc);
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    if (!cipher)
        return JS_EXCEPTION;
    bool pads = JS_ToBool(ctx, argv[1]);
    cipher->ended = true;
    uint8_t rest[BLOCK];
    if (cipher->mode == GCM) {
        begin_gcm(cipher);
        if (cipher->filled)
            mbedtls_gcm_update(&cipher->gcm, cipher->filled, cipher->block, rest);
        mbedtls_gcm_finish(&cipher->gcm, cipher->tag, TAG);
        return JS_NewArrayBufferCopy(ctx, rest, 0);
    }
    if (cipher->mode == CHACHA) {
        mbedtls_chachapoly_finish(&cipher->chacha, cipher->tag);
        return JS_NewArrayBufferCopy(ctx, rest, 0);
    }
    if (cipher->mode > ECB || (!pads && cipher->filled == 0))
        return JS_NewArrayBufferCopy(ctx, rest, 0);
    if (!pads || (!cipher->encrypts && cipher->filled != BLOCK))
        return JS_NewInt32(ctx, 1);
    if (cipher->encrypts)
        memset(cipher->block + cipher->filled, (int)(BLOCK - cipher->filled), BLOCK - cipher->filled);
    crypt_blocks(cipher, cipher->block, BLOCK, rest);
    int size = cipher->encrypts ? BLOCK : unpadded(rest);
    return size < 0 ? JS_NewInt32(ctx, 2) : JS_NewArrayBufferCopy(ctx, rest, size);
}

/// (cipher): the tag, after the end.
static NATIVE(cipher_tag)
{
    UNUSED(self), UNUSED(argc);
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    return cipher ? JS_NewArrayBufferCopy(ctx, cipher->tag, TAG) : JS_EXCEPTION;
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("cipherBegin", 4, cipher_begin), JS_CFUNC_DEF("cipherAad", 2, cipher_aad), JS_CFUNC_DEF("cipherAdd", 3, cipher_add),
    JS_CFUNC_DEF("cipherFinish", 2, cipher_finish), JS_CFUNC_DEF("cipherTag", 1, cipher_tag),
};

void ciphers_init(JSContext *ctx, JSValueConst native)
{
    JS_NewClassID(JS_GetRuntime(ctx), &cipher_class);
    JS_NewClass(JS_GetRuntime(ctx), cipher_class, &CLASS);
    FUNCTIONS(LIST);
}
