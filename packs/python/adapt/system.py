"""Makes system calls of C code calls of the kernel: those of the interpreter's own files (`_io.FileIO`) and of its
functions for attributes (`os.stat`), and of SQLite.

In this program such code would otherwise use the C library's files, which know no pipes, modes and locks of the
sandbox. The functions that it calls instead (`functions/system.wat`) are in a module of their own: they call the kernel
as it is, without objects of Python. They set the C library's error numbers, which C code compares with; an exception
that is made of one has Linux's (`functions/interpreter/files.wat`).
"""

import re
from pathlib import Path

from wasmtime import wat2wasm

from . import threads
from .additions import FUNCTION, GLOBAL, MEMORY, TABLE, TABLE_NAME, table_size
from .wasm import CALL, CALL_INDIRECT, I32_CONST, Module, leb, operators, read, read_signed, signed

SOURCE = Path(__file__).parent / "functions" / "system.wat"
INTERFACE = "sandshell:kernel/files@0.1.0"
#: The functions of `system.wat`, in their order in the table: those in SQLite's own table, and those that are called
#: directly.
FUNCTIONS = ["sqlite_open", "close", "access", "getcwd", "stat", "fstat", "ftruncate", "fcntl", "read", "write", "fchmod",
             "unlink", "readlink", "lstat", "lseek", "fsync", "open", "isatty", "__wasilibc_tell", "strerror", "fstatat", "fstat_opened"]
#: The functions that make such calls, which calls, and how often: of `fstat_opened` those of `fstat` by who has just
#: opened a file.
CALLERS = {
    "_io_FileIO___init__": {"open": 1, "close": 2},
    "_io_FileIO_close": {"close": 1},
    "_io_FileIO_isatty": {"isatty": 1},
    "_io_FileIO_isatty_open_only": {"isatty": 1},
    "_io_FileIO_readall_impl": {"__wasilibc_tell": 1},
    "_io_FileIO_tell": {"__wasilibc_tell": 1},
    "_io_FileIO_seekable": {"__wasilibc_tell": 1},
    "_io_FileIO_truncate": {"ftruncate": 1, "__wasilibc_tell": 1},
    "portable_lseek": {"lseek": 1},
    "_Py_fstat_noraise": {"fstat_opened": 1},
    "posix_do_stat": {"stat": 1, "lstat": 1, "fstat": 1, "fstatat": 1},
    "os_fstat": {"fstat": 2},
    "DirEntry_fetch_stat": {"stat": 1, "lstat": 1, "fstatat": 1},
    "_Py_set_inheritable": {"fcntl": 3},
    "display_source_line": {"lseek": 1},
    "_PyErr_ProgramDecodedTextObject": {"lseek": 1},
    "PyErr_SetFromErrnoWithFilenameObjects": {"strerror": 1},
    "unixRead": {"lseek": 2},
    "unixWrite": {"lseek": 1},
    "unixFileControl": {"lseek": 1},
    "unixDelete": {"fsync": 1},
    "unixSync": {"fsync": 2},
}
#: Numbers of the C library that would reach programs, and what Linux has: the flags with which `FileIO` opens files
#: (writing and reading, reading, writing, with `O_CLOEXEC`; `O_CREAT` with `O_TRUNC`, `O_EXCL` and `O_APPEND`), and
#: `EINTR`.
NUMBERS = {
    "_io_FileIO___init__": {335544320: 0o2000002, 67108864: 0o2000000, 268435456: 0o2000001, 0x9000: 0o1100, 0x5000: 0o300,
                            0x1001: 0o2100},
    "PyErr_SetFromErrnoWithFilenameObjects": {27: 4},
    "_PyIO_trap_eintr": {27: 4},
}
#: Where the room for answers has Linux's error number for each of the C library's.
LINUX = 128 + 256

ANSWERS = """
(module
  (import "env" "memory" (memory 0))
  (global $to (export "to") (mut i32) (i32.const 0))
  (global $limit (export "limit") (mut i32) (i32.const 0))
  (func (export "realloc") (param $old i32) (param $size i32) (param $align i32) (param $new i32) (result i32)
    (local $page i32)
    (if (i32.le_u (local.get $new) (global.get $limit)) (then (return (global.get $to))))
    ;; A name that is longer than SQLite has room for, which is refused then.
    (local.set $page (memory.grow (i32.add (i32.shr_u (local.get $new) (i32.const 16)) (i32.const 1))))
    (if (i32.eq (local.get $page) (i32.const -1)) (then (unreachable)))
    (i32.shl (local.get $page) (i32.const 16))))
"""


def place(component, name):
    """The number in the table that a function of `system.wat` will have: they come behind those for threads."""
    return table_size(component) + len(threads.FUNCTIONS) + FUNCTIONS.index(name)


def redirect(component, module):
    """Makes the calls those of functions in the table."""
    # The addresses do not matter for the types.
    new = Module(wat2wasm(_text(component, 0, 0)))

    def call(name):
        kind = module.types.index(new.type(new.exports[name]))
        return bytes([I32_CONST]) + signed(place(component, name)) + bytes([CALL_INDIRECT]) + leb(kind) + leb(0)

    for caller, counts in CALLERS.items():
        instead = {module.any_function(name.removesuffix("_opened")): call(name) for name in counts}
        _replace(module, caller, CALL, instead, sum(counts.values()))
    for function, numbers in NUMBERS.items():
        put = {number: bytes([I32_CONST]) + signed(linux) for number, linux in numbers.items()}
        _replace(module, function, I32_CONST, put, len(numbers))
    # Handlers run if a call that opens a file was interrupted (`functions/interpreter/files.wat`).
    instead = {module.function("PyErr_CheckSignals"): bytes([CALL]) + leb(module.function("PyOS_InterruptOccurred"))}
    _replace(module, "_io_FileIO___init__", CALL, instead, 1)


def add(added, room, errno):
    """Adds the functions' module. `room` and `errno` are addresses: of memory for answers, and of the error number."""
    component = added.component
    memory, table = added.export(MEMORY, "memory"), added.export(TABLE, TABLE_NAME)
    answers = added.instance(ANSWERS, env={"memory": (MEMORY, memory)})
    realloc = added.export(FUNCTION, "realloc", answers)
    room_for = {name: (GLOBAL, added.export(GLOBAL, name, answers)) for name in ("to", "limit")}
    source = _text(component, room, errno)
    wanted = re.findall(r'import "kernel" "([a-z-]+)"', source)
    kernel = {name: (FUNCTION, added.lowered(INTERFACE, name, memory, realloc)) for name in wanted}
    added.instance(source, env={"memory": (MEMORY, memory), "table": (TABLE, table)}, answers=room_for, kernel=kernel)


def _text(component, room, errno):
    exports = "\n".join(f'(export "{name}" (func ${name}))' for name in FUNCTIONS)
    return SOURCE.read_text().format(size=table_size(component), first=place(component, FUNCTIONS[0]), count=len(FUNCTIONS),
                                     all=" ".join(f"${name}" for name in FUNCTIONS), exports=exports, room=room, errno=errno)


def _replace(module, name, wanted, instead, count):
    """Puts other code in the place of operators of one kind, by their number."""
    function = module.function(name)
    body, code, behind, found = module.body(function), bytearray(), 0, 0
    for at, operator, end in operators(body):
        if operator == wanted:
            number = read(body, at + 1)[0] if wanted == CALL else read_signed(body, at + 1)
            if number in instead:
                code += body[behind:at] + instead[number]
                behind, found = end, found + 1
    if found != count:
        raise LookupError(f"{name} has {found} such places instead of {count}")
    module.replace(function, bytes(code + body[behind:]))
