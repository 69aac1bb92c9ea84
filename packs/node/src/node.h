// What the parts of the native layer share. Each part adds functions to the object `native`, which the library in JavaScript calls.
#ifndef NODE_H
#define NODE_H

#include "quickjs.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// The arguments that every native function gets.
#define NATIVE(name) JSValue name(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
#define UNUSED(name) (void)name

/// Adds the functions of one part.
void brotli_init(JSContext *, JSValueConst native);
void bytes_init(JSContext *, JSValueConst native);
void ciphers_init(JSContext *, JSValueConst native);
void compress_init(JSContext *, JSValueConst native);
void files_init(JSContext *, JSValueConst native);
void hashes_init(JSContext *, JSValueConst native);
void modules_init(JSContext *, JSValueConst native);
void processes_init(JSContext *, JSValueConst native);
void scrypt_init(JSContext *, JSValueConst native);
void sockets_init(JSContext *, JSValueConst native);
void system_init(JSContext *, JSValueConst native);
void values_init(JSContext *, JSValueConst native);
void wasm_init(JSContext *, JSValueConst native);

/// The object `native`; a borrowed value.
extern JSValue native_object;

/// The last error as a negative number, as Linux counts errors. The library makes an exception of it, with its words.
JSValue failure(JSContext *ctx);
/// 0, or the failure if `code` is negative.
JSValue outcome(JSContext *ctx, int code);

/// An argument as a number; 0 if it is none.
int32_t int_of(JSContext *ctx, JSValueConst value);
int64_t long_of(JSContext *ctx, JSValueConst value);
double double_of(JSContext *ctx, JSValueConst value);

/// The bytes of a Uint8Array; an exception and NULL if it is none.
uint8_t *bytes_of(JSContext *ctx, JSValueConst value, size_t *size);

/// A new ArrayBuffer that owns `data`, which malloc gave.
JSValue own_bytes(JSContext *ctx, uint8_t *data, size_t size);

/// Text of bytes in UTF-8: what is malformed becomes U+FFFD.
JSValue utf8_text(JSContext *ctx, const uint8_t *data, size_t size);

/// Whether the library made an exception, and not the program or the engine.
bool node_made_by_library(JSContext *ctx, JSValueConst error);
/// Where the last `throw` was, if there was one; the engine is changed to remember it.
bool node_last_throw(JSContext *ctx, JSAtom *file, int *line, int *column);

#define FUNCTIONS(list) JS_SetPropertyFunctionList(ctx, native, list, sizeof list / sizeof *list)

#endif
