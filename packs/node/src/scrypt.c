// The part of scrypt (RFC 7914) that takes long: mixing a block with a table of many.

#include "node.h"

static uint32_t turn(uint32_t value, int by)
{
    return value << by | value >> (32 - by);
}

/// Salsa20/8.
static void salsa(uint32_t x[16])
{
    static const uint8_t QUARTERS[8][4] = {
        {0, 4, 8, 12}, {5, 9, 13, 1}, {10, 14, 2, 6}, {15, 3, 7, 11}, {0, 1, 2, 3}, {5, 6, 7, 4}, {10, 11, 8, 9}, {15, 12, 13, 14},
    };
    uint32_t w[16];
    memcpy(w, x, sizeof w);
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < 8; i++) {
            const uint8_t *q = QUARTERS[i];
            w[q[1]] ^= turn(w[q[0]] + w[q[3]], 7);
            w[q[2]] ^= turn(w[q[1]] + w[q[0]], 9);
            w[q[3]] ^= turn(w[q[2]] + w[q[1]], 13);
            w[q[0]] ^= turn(w[q[3]] + w[q[2]], 18);
        }
    for (int i = 0; i < 16; i++)
        x[i] += w[i];
}

/// The RFC's scryptBlockMix: `block` has 2r parts of 16 words, and so has `out`.
static void shuffle(const uint32_t *block, uint32_t *out, uint32_t r)
{
    uint32_t x[16];
    memcpy(x, block + (2 * r - 1) * 16, sizeof x);
    for (uint32_t i = 0; i < 2 * r; i++) {
        for (int k = 0; k < 16; k++)
            x[k] ^= block[i * 16 + k];
        salsa(x);
        memcpy(out + ((i >> 1) + (i & 1) * r) * 16, x, sizeof x);
    }
}

/// (bytes, N, r): mixes each part of 128 r bytes; false if there is no memory. The library has looked at the numbers.
static NATIVE(scrypt_mix)
{
    UNUSED(self), UNUSED(argc);
    size_t size;
    uint8_t *data = bytes_of(ctx, argv[0], &size);
    if (!data)
        return JS_EXCEPTION;
    uint64_t N = long_of(ctx, argv[1]), r = long_of(ctx, argv[2]), words = 32 * r;
    if (N < 2 || N & (N - 1) || r < 1 || r > 1 << 24 || N > (UINT32_MAX >> 9) / r || size % (4 * words))
        return JS_FALSE;
    uint32_t *table = malloc(4 * words * N), *block = malloc(4 * words), *other = malloc(4 * words);
    for (size_t at = 0; table && block && other && at < size; at += 4 * words) {
        memcpy(block, data + at, 4 * words);
        for (uint64_t i = 0; i < N; i++) {
            memcpy(table + i * words, block, 4 * words);
            shuffle(block, other, r);
            memcpy(block, other, 4 * words);
        }
        for (uint64_t i = 0; i < N; i++) {
            const uint32_t *with = table + (block[(2 * r - 1) * 16] & (N - 1)) * words;
            for (uint64_t k = 0; k < words; k++)
                block[k] ^= with[k];
            shuffle(block, other, r);
            memcpy(block, other, 4 * words);
        }
        memcpy(data + at, block, 4 * words);
    }
    bool done = table && block && other;
    free(table);
    free(block);
    free(other);
    return JS_NewBool(ctx, done);
}

static const JSCFunctionListEntry LIST[] = {JS_CFUNC_DEF("scryptMix", 3, scrypt_mix)};

void scrypt_init(JSContext *ctx, JSValueConst native)
{
    FUNCTIONS(LIST);
}
