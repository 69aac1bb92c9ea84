// Digests, from their standards: MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4). The tables of constants are computed as the standards
// define them: fractional parts of sines and of roots of primes.

#include "node.h"
#include <math.h>

static JSClassID hash_class;

enum kind { MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_224, SHA512_256, KINDS };

static const uint8_t DIGEST_SIZE[KINDS] = {16, 20, 28, 32, 48, 64, 28, 32};

struct hash {
    int kind;
    size_t filled;
    uint64_t total;
    uint32_t words[8];
    uint64_t longs[8];
    uint8_t block[128];
};

static const uint32_t START_SHA1[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
static const uint64_t START_384[8] = {
    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
};

static uint32_t sines[64];
static uint64_t square_roots[8], cube_roots[80];
/// What SHA-512/224 and SHA-512/256 begin with.
static uint64_t start_truncated[2][8];

/// The first 64 bits of the fraction of the `power`-th root of `number`, by halving: the largest x with x^power <= number.
static uint64_t root_fraction(uint32_t number, int power)
{
    // x has 4 bits before and 64 bits after the point; powers of it need up to 204 bits, in words of 32.
    unsigned __int128 root = 0;
    for (int bit = 67; bit >= 0; bit--) {
        unsigned __int128 attempt = root | (unsigned __int128)1 << bit;
        uint32_t factor[3] = {attempt, attempt >> 32, attempt >> 64}, product[10] = {factor[0], factor[1], factor[2]};
        for (int times = 1; times < power; times++) {
            uint32_t next[10] = {0};
            for (int i = 0; i < 7; i++) {
                uint64_t carry = 0;
                for (int j = 0; j < 3; j++) {
                    carry += (uint64_t)product[i] * factor[j] + next[i + j];
                    next[i + j] = carry;
                    carry >>= 32;
                }
                next[i + 3] += carry;
            }
            memcpy(product, next, sizeof product);
        }
        // The whole part begins at bit 64 * power; exact roots do not occur, as the numbers are primes.
        if (product[2 * power] < number && !product[2 * power + 1])
            root = attempt;
    }
    return root;
}

static void make_tables(void)
{
    for (int i = 0; i < 64; i++)
        sines[i] = (uint32_t)(fabs(sin(i + 1.0)) * 4294967296.0);
    int found = 0;
    for (uint32_t number = 2; found < 80; number++) {
        bool prime = true;
        for (uint32_t other = 2; other * other <= number; other++)
            prime &= number % other != 0;
        if (!prime)
            continue;
        cube_roots[found] = root_fraction(number, 3);
        if (found < 8)
            square_roots[found] = root_fraction(number, 2);
        found++;
    }
}

static uint32_t left(uint32_t value, int by) { return value << by | value >> (32 - by); }
static uint32_t right(uint32_t value, int by) { return value >> by | value << (32 - by); }
static uint64_t right64(uint64_t value, int by) { return value >> by | value << (64 - by); }

static uint64_t big(const uint8_t *at, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | at[i];
    return value;
}

static void md5_block(uint32_t *state, const uint8_t *block)
{
    static const uint8_t TURNS[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
    uint32_t words[16], a = state[0], b = state[1], c = state[2], d = state[3];
    memcpy(words, block, 64);
    for (int i = 0; i < 64; i++) {
        uint32_t mixed;
        int which;
        switch (i / 16) {
        case 0: mixed = (b & c) | (~b & d), which = i; break;
        case 1: mixed = (d & b) | (~d & c), which = (5 * i + 1) & 15; break;
        case 2: mixed = b ^ c ^ d, which = (3 * i + 5) & 15; break;
        default: mixed = c ^ (b | ~d), which = (7 * i) & 15;
        }
        uint32_t turned = b + left(a + mixed + sines[i] + words[which], TURNS[i / 16 * 4 + i % 4]);
        a = d, d = c, c = b, b = turned;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

static void sha1_block(uint32_t *state, const uint8_t *block)
{
    static const uint32_t CONSTANTS[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t words[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 80; i++)
        words[i] = i < 16 ? (uint32_t)big(block + 4 * i, 4) : left(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        uint32_t mixed = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
        uint32_t next = left(a, 5) + mixed + e + words[i] + CONSTANTS[i / 20];
        e = d, d = c, c = left(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

static void sha256_block(uint32_t *state, const uint8_t *block)
{
    uint32_t words[64], s[8];
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        if (i < 16) {
            words[i] = big(block + 4 * i, 4);
            continue;
        }
        uint32_t early = words[i - 15], late = words[i - 2];
        words[i] = words[i - 16] + (right(early, 7) ^ right(early, 18) ^ early >> 3) + words[i - 7]
            + (right(late, 17) ^ right(late, 19) ^ late >> 10);
    }
    for (int i = 0; i < 64; i++) {
        uint32_t one = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6]))
            + (uint32_t)(cube_roots[i] >> 32) + words[i];
        uint32_t two = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static void sha512_block(uint64_t *state, const uint8_t *block)
{
    uint64_t words[80], s[8];
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 80; i++) {
        if (i < 16) {
            words[i] = big(block + 8 * i, 8);
            continue;
        }
        uint64_t early = words[i - 15], late = words[i - 2];
        words[i] = words[i - 16] + (right64(early, 1) ^ right64(early, 8) ^ early >> 7) + words[i - 7]
            + (right64(late, 19) ^ right64(late, 61) ^ late >> 6);
    }
    for (int i = 0; i < 80; i++) {
        uint64_t one = s[7] + (right64(s[4], 14) ^ right64(s[4], 18) ^ right64(s[4], 41)) + ((s[4] & s[5]) ^ (~s[4] & s[6]))
            + cube_roots[i] + words[i];
        uint64_t two = (right64(s[0], 28) ^ right64(s[0], 34) ^ right64(s[0], 39)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static bool is_long(int kind) { return kind >= SHA384; }

static void begin(struct hash *hash, int kind)
{
    memset(hash, 0, sizeof *hash);
    hash->kind = kind;
    for (int i = 0; i < 8; i++) {
        // SHA-224 begins with the second halves of what SHA-384 begins with.
        hash->words[i] = kind == SHA256 ? (uint32_t)(square_roots[i] >> 32) : kind == SHA224 ? (uint32_t)START_384[i] : 0;
        hash->longs[i] = kind == SHA384 ? START_384[i] : kind > SHA512 ? start_truncated[kind - SHA512_224][i] : square_roots[i];
    }
    if (kind == MD5 || kind == SHA1)
        memcpy(hash->words, START_SHA1, kind == MD5 ? 16 : 20);
}

static void work(struct hash *hash, const uint8_t *block)
{
    switch (hash->kind) {
    case MD5: md5_block(hash->words, block); break;
    case SHA1: sha1_block(hash->words, block); break;
    case SHA224:
    case SHA256: sha256_block(hash->words, block); break;
    default: sha512_block(hash->longs, block);
    }
}

static void add(struct hash *hash, const uint8_t *data, size_t size)
{
    size_t block = is_long(hash->kind) ? 128 : 64;
    hash->total += size;
    while (size) {
        size_t part = block - hash->filled < size ? block - hash->filled : size;
        if (part == block)
            work(hash, data);
        else {
            memcpy(hash->block + hash->filled, data, part);
            hash->filled += part;
            if (hash->filled == block) {
                work(hash, hash->block);
                hash->filled = 0;
            }
        }
        data += part, size -= part;
    }
}

static void finish(struct hash *hash, uint8_t *digest)
{
    static const uint8_t PADDING[129] = {0x80};
    size_t block = is_long(hash->kind) ? 128 : 64, tail = is_long(hash->kind) ? 16 : 8;
    uint64_t bits = hash->total * 8;
    size_t used = (hash->filled + 1 + tail) % block;
    add(hash, PADDING, 1 + (used ? block - used : 0));
    uint8_t size[16] = {0};
    for (int i = 0; i < 8; i++)
        size[hash->kind == MD5 ? (size_t)i : tail - 1 - i] = bits >> 8 * i;
    add(hash, size, tail);
    for (int i = 0; i < DIGEST_SIZE[hash->kind]; i++)
        digest[i] = hash->kind == MD5 ? hash->words[i / 4] >> 8 * (i % 4)
            : is_long(hash->kind) ? hash->longs[i / 8] >> (56 - 8 * (i % 8)) : hash->words[i / 4] >> (24 - 8 * (i % 4));
}

/// FIPS 180-4, 5.3.6: it is the digest of the name by SHA-512 that begins with other words.
static void make_truncated(void)
{
    static const char *const NAMES[2] = {"SHA-512/224", "SHA-512/256"};
    for (int which = 0; which < 2; which++) {
        struct hash hash;
        uint8_t digest[64];
        begin(&hash, SHA512);
        for (int i = 0; i < 8; i++)
            hash.longs[i] ^= 0xa5a5a5a5a5a5a5a5;
        add(&hash, (const uint8_t *)NAMES[which], strlen(NAMES[which]));
        finish(&hash, digest);
        for (int i = 0; i < 8; i++)
            start_truncated[which][i] = big(digest + 8 * i, 8);
    }
}

static void end(JSRuntime *rt, JSValueConst value)
{
    UNUSED(rt);
    free(JS_GetOpaque(value, hash_class));
}

static const JSClassDef CLASS = {.class_name = "NativeHash", .finalizer = end};

static JSValue wrap(JSContext *ctx, const struct hash *state)
{
    struct hash *copy = malloc(sizeof *copy);
    JSValue object = copy ? JS_NewObjectClass(ctx, hash_class) : JS_ThrowOutOfMemory(ctx);
    if (JS_IsException(object)) {
        free(copy);
        return object;
    }
    *copy = *state;
    JS_SetOpaque(object, copy);
    return object;
}

/// (kind): a new digest.
static NATIVE(hash_begin)
{
    UNUSED(self), UNUSED(argc);
    struct hash state;
    int kind = int_of(ctx, argv[0]);
    if (kind < 0 || kind >= KINDS)
        return JS_ThrowRangeError(ctx, "no such digest");
    begin(&state, kind);
    return wrap(ctx, &state);
}

static NATIVE(hash_copy)
{
    UNUSED(self), UNUSED(argc);
    struct hash *hash = JS_GetOpaque2(ctx, argv[0], hash_class);
    return hash ? wrap(ctx, hash) : JS_EXCEPTION;
}

static NATIVE(hash_add)
{
    UNUSED(self), UNUSED(argc);
    struct hash *hash = JS_GetOpaque2(ctx, argv[0], hash_class);
    size_t size;
    uint8_t *data = hash ? bytes_of(ctx, argv[1], &size) : NULL;
    if (!data)
        return JS_EXCEPTION;
    add(hash, data, size);
    return JS_UNDEFINED;
}

static NATIVE(hash_finish)
{
    UNUSED(self), UNUSED(argc);
    struct hash *hash = JS_GetOpaque2(ctx, argv[0], hash_class);
    if (!hash)
        return JS_EXCEPTION;
    uint8_t digest[64];
    finish(hash, digest);
    return JS_NewArrayBufferCopy(ctx, digest, DIGEST_SIZE[hash->kind]);
}

/// PBKDF2 (RFC 8018): (kind, password, salt, rounds, size).
static NATIVE(derive_key)
{
    UNUSED(self), UNUSED(argc);
    size_t password_size, salt_size;
    int kind = int_of(ctx, argv[0]);
    uint8_t *password = bytes_of(ctx, argv[1], &password_size), *salt = password ? bytes_of(ctx, argv[2], &salt_size) : NULL;
    if (!salt || kind < 0 || kind >= KINDS)
        return JS_EXCEPTION;
    int64_t rounds = long_of(ctx, argv[3]), size = long_of(ctx, argv[4]);
    size_t block = is_long(kind) ? 128 : 64, length = DIGEST_SIZE[kind];
    uint8_t key[128] = {0}, mixed[128], digest[64], sum[64];
    struct hash inner, outer, state;
    begin(&state, kind);
    if (password_size > block) {
        add(&state, password, password_size);
        finish(&state, key);
    } else
        memcpy(key, password, password_size);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < block; i++)
            mixed[i] = key[i] ^ (side ? 0x5c : 0x36);
        begin(side ? &outer : &inner, kind);
        add(side ? &outer : &inner, mixed, block);
    }
    uint8_t *out = malloc(size + 64);
    if (!out)
        return JS_ThrowOutOfMemory(ctx);
    for (int64_t at = 0, number = 1; at < size; at += length, number++) {
        uint8_t counter[4] = {number >> 24, number >> 16, number >> 8, number};
        for (int64_t round = 0; round < rounds; round++) {
            state = inner;
            if (round == 0) {
                add(&state, salt, salt_size);
                add(&state, counter, 4);
            } else
                add(&state, digest, length);
            finish(&state, digest);
            state = outer;
            add(&state, digest, length);
            finish(&state, digest);
            for (size_t i = 0; i < length; i++)
                sum[i] = round ? sum[i] ^ digest[i] : digest[i];
        }
        memcpy(out + at, sum, size - at < (int64_t)length ? (size_t)(size - at) : length);
    }
    return own_bytes(ctx, out, size);
}

static const JSCFunctionListEntry LIST[] = {
    JS_CFUNC_DEF("hashBegin", 1, hash_begin),
    JS_CFUNC_DEF("hashCopy", 1, hash_copy),
    JS_CFUNC_DEF("hashAdd", 2, hash_add),
    JS_CFUNC_DEF("hashFinish", 1, hash_finish),
    JS_CFUNC_DEF("pbkdf2", 5, derive_key),
};

void hashes_init(JSContext *ctx, JSValueConst native)
{
    make_tables();
    make_truncated();
    JS_NewClassID(JS_GetRuntime(ctx), &hash_class);
    JS_NewClass(JS_GetRuntime(ctx), hash_class, &CLASS);
    FUNCTIONS(LIST);
}
