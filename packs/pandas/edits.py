"""What is changed in pandas' sources: where sizes have 32 bits, and where memory is exhausted or no longer there. Most
of these would write to wrong places: an address of nothing is like any other here, and a product of sizes that is too
large is a small number."""

import sys

from libc.sources import Edit, apply

HASH = "pandas/_libs/include/pandas/vendored/klib/khash_python.h"
ENCODER = "pandas/_libs/src/vendored/ujson/lib/ultrajsonenc.c"
TABLES = "pandas/_libs/hashtable_class_helper.pxi.in"
JOIN = "pandas/_libs/join.pyx"

EDITS = [
    # A hash table without memory ends the process. Sizes of tables are powers of two: one that is too large is nothing.
    Edit(HASH, "static void *traced_malloc(size_t size) {\n  void *ptr = malloc(size);\n",
         "static void *there(void *ptr) {\n  if (ptr == NULL)\n    abort();\n  return ptr;\n}\n\n"
         "static void *traced_malloc(size_t size) {\n  void *ptr = there(size ? malloc(size) : NULL);\n"),
    Edit(HASH, "  void *ptr = calloc(num, size);\n", "  void *ptr = there(calloc(num, size));\n"),
    Edit(HASH, "  void *ptr = realloc(old_ptr, size);\n", "  void *ptr = there(size ? realloc(old_ptr, size) : NULL);\n"),
    # The buffers of `read_csv`.
    Edit("pandas/_libs/src/parser/tokenizer.c", "    newbuffer = realloc(newbuffer, elsize * cap);\n",
         "    errno = ENOMEM;\n    newbuffer = cap <= SIZE_MAX / elsize ? realloc(newbuffer, elsize * cap) : NULL;\n"),
    # The buffer of `to_json`.
    Edit(ENCODER, "#define RESERVE_STRING(_len) (2 + ((_len) * 6))\n",
         "#define RESERVE_STRING(_len) ((size_t)(_len) < SIZE_MAX / 16 ? 2 + (size_t)(_len) * 6 : SIZE_MAX / 2)\n"),
    Edit(ENCODER, "  size_t newSize = curSize * 2;\n",
         "  if (curSize > SIZE_MAX / 4 || cbNeeded >= SIZE_MAX / 2) {\n"
         "    SetError(NULL, enc, \"Could not reserve memory block\");\n    return;\n  }\n  size_t newSize = curSize * 2;\n"),
    Edit(ENCODER, "    Buffer_Reserve(enc, RESERVE_STRING(szlen));\n    Buffer_AppendCharUnchecked(enc, '\\\"');\n",
         "    Buffer_Reserve(enc, RESERVE_STRING(szlen));\n    if (enc->errorMsg) {\n      enc->endTypeContext(obj, &tc);\n"
         "      enc->level--;\n      return;\n    }\n    Buffer_AppendCharUnchecked(enc, '\\\"');\n"),
    # Text that is not valid is told apart by its `repr`, which was freed before it was looked at.
    Edit(TABLES, "        # assign pointers and pre-filter out missing (if ignore_na)\n",
         "        kept = []\n        # assign pointers and pre-filter out missing (if ignore_na)\n"),
    Edit(TABLES, "                    v = PyUnicode_AsUTF8(<str>repr(val))\n",
         "                    text = repr(val)\n                    kept.append(text)\n                    v = PyUnicode_AsUTF8(<str>text)\n"),
    # How many cells a table has.
    Edit("pandas/core/generic.py", "return int(np.prod(self.shape))", "return int(np.prod(self.shape, dtype=\"i8\"))"),
    Edit("pandas/core/reshape/reshape.py", "mask = np.zeros(np.prod(self.full_shape), dtype=bool)\n",
         "mask = np.zeros(np.prod(self.full_shape, dtype=\"i8\"), dtype=bool)\n"),
]

#: The rows of a join, which are counted before there is memory for them.
ROWS = {"        Py_ssize_t i, j, k, count = 0\n": "        Py_ssize_t i, j, k\n        int64_t count = 0\n",
        "                count += lc * rc\n": "                count += <int64_t>lc * rc\n"}


def edit(tree):
    """Makes all changes."""
    apply(tree, EDITS)
    file = tree / JOIN
    text = file.read_text()
    for old, new in ROWS.items():
        if text.count(old) != 3:
            sys.exit(f"{file}: {text.count(old)} times instead of three:\n{old}")
        text = text.replace(old, new)
    file.write_text(text)
