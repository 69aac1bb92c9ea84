// Searching and comparing bytes, sixteen at a time. Zig's own functions take them one by one.
//
// An aligned piece of sixteen bytes is in memory as a whole if one of its bytes is: so may be read before and behind a string.

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#define PIECE 16

static inline const char *aligned(const void *from)
{
    return (const char *)((uintptr_t)from & ~(uintptr_t)(PIECE - 1));
}

// One bit for each byte of a piece that equals `byte`.
static inline uint32_t equal(const char *piece, v128_t byte)
{
    return wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(piece), byte));
}

// The first place from `from` on that has `byte`, which must be there.
static inline const char *find(const char *from, char byte)
{
    const char *piece = aligned(from);
    v128_t wanted = wasm_i8x16_splat(byte);
    uint32_t found = equal(piece, wanted) & (~0U << (from - piece));
    while (found == 0)
        found = equal(piece += PIECE, wanted);
    return piece + __builtin_ctz(found);
}

// The same for `byte` or the string's end.
static inline const char *find_or_end(const char *from, char byte)
{
    const char *piece = aligned(from);
    v128_t wanted = wasm_i8x16_splat(byte), end = wasm_i8x16_splat(0);
    uint32_t found = (equal(piece, wanted) | equal(piece, end)) & (~0U << (from - piece));
    while (found == 0) {
        v128_t bytes = wasm_v128_load(piece += PIECE);
        found = wasm_i8x16_bitmask(wasm_v128_or(wasm_i8x16_eq(bytes, wanted), wasm_i8x16_eq(bytes, end)));
    }
    return piece + __builtin_ctz(found);
}

size_t strlen(const char *string)
{
    return find(string, 0) - string;
}

char *strchrnul(const char *string, int byte)
{
    return (char *)find_or_end(string, byte);
}

char *__strchrnul(const char *string, int byte)
{
    return (char *)find_or_end(string, byte);
}

char *strchr(const char *string, int byte)
{
    const char *found = find_or_end(string, byte);
    return *found == (char)byte ? (char *)found : NULL;
}

char *index(const char *string, int byte)
{
    return strchr(string, byte);
}

void *memchr(const void *from, int byte, size_t size)
{
    const char *start = from, *piece = aligned(from);
    if (size == 0)
        return NULL;
    v128_t wanted = wasm_i8x16_splat(byte);
    // What is left from the start of the piece on; as large as the memory if the end is not in it.
    size_t left = size + (start - piece) < size ? SIZE_MAX : size + (start - piece);
    uint32_t found = equal(piece, wanted) & (~0U << (start - piece));
    while (found == 0 && left > PIECE) {
        left -= PIECE;
        found = equal(piece += PIECE, wanted);
    }
    size_t place = found == 0 ? PIECE : __builtin_ctz(found);
    return place < PIECE && place < left ? (void *)(piece + place) : NULL;
}

size_t strnlen(const char *string, size_t most)
{
    const char *end = memchr(string, 0, most);
    return end ? (size_t)(end - string) : most;
}

void *memrchr(const void *from, int byte, size_t size)
{
    const char *start = from;
    v128_t wanted = wasm_i8x16_splat(byte);
    while (size >= PIECE) {
        uint32_t found = equal(start + size - PIECE, wanted);
        if (found != 0)
            return (void *)(start + size - PIECE + 31 - __builtin_clz(found));
        size -= PIECE;
    }
    while (size-- > 0)
        if (start[size] == (char)byte)
            return (void *)(start + size);
    return NULL;
}

char *strrchr(const char *string, int byte)
{
    return memrchr(string, byte, strlen(string) + 1);
}

char *rindex(const char *string, int byte)
{
    return strrchr(string, byte);
}

int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;
    while (size >= PIECE) {
        uint32_t same = wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(a), wasm_v128_load(b)));
        if (same != 0xffff) {
            int place = __builtin_ctz(~same);
            return a[place] - b[place];
        }
        a += PIECE;
        b += PIECE;
        size -= PIECE;
    }
    for (; size > 0; size--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}

int bcmp(const void *left, const void *right, size_t size)
{
    return memcmp(left, right, size);
}

// Whether sixteen bytes from `string` on lie in memory that the first of them is in.
static inline int within(const void *string)
{
    return ((uintptr_t)string & 4095) <= 4096 - PIECE;
}

int strncmp(const char *left, const char *right, size_t most)
{
    const unsigned char *a = (const unsigned char *)left, *b = (const unsigned char *)right;
    v128_t end = wasm_i8x16_splat(0);
    while (most > 0) {
        if (most >= PIECE && within(a) && within(b)) {
            v128_t bytes = wasm_v128_load(a);
            v128_t stops = wasm_v128_or(wasm_i8x16_ne(bytes, wasm_v128_load(b)), wasm_i8x16_eq(bytes, end));
            uint32_t place = wasm_i8x16_bitmask(stops);
            if (place != 0) {
                place = __builtin_ctz(place);
                return a[place] - b[place];
            }
            a += PIECE;
            b += PIECE;
            most -= PIECE;
            continue;
        }
        if (*a != *b || *a == 0)
            return *a - *b;
        a++;
        b++;
        most--;
    }
    return 0;
}

int strcmp(const char *left, const char *right)
{
    return strncmp(left, right, SIZE_MAX);
}
