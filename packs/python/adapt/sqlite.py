"""Gives SQLite the kernel's descriptors instead of the C library's files, so that its locks are those of other programs.

SQLite makes most system calls through a table (`aSyscall`), which is in the program's initial memory, and two directly.
The functions to call instead (`functions/sqlite.wat`) are in a module of their own: they call the kernel as it is,
without objects of Python. And the default way of locking becomes that of Unix: this build's would make a directory
beside the database, which a program that is killed leaves behind.
"""

import re
from pathlib import Path

from . import threads
from .additions import FUNCTION, GLOBAL, MEMORY, TABLE, TABLE_NAME, table_size
from .wasm import CALL, CALL_INDIRECT, I32, I32_CONST, I64, leb, operators, read, signed

SOURCE = Path(__file__).parent / "functions" / "sqlite.wat"
INTERFACE = "sandshell:kernel/files@0.1.0"
#: Names in SQLite's table, in the order of the functions in `sqlite.wat`; then those that it calls directly.
IN_TABLE = ["open", "close", "access", "getcwd", "stat", "fstat", "ftruncate", "fcntl", "read", "write", "fchmod", "unlink", "readlink",
            "lstat"]
DIRECT = {"lseek": ([I32, I64, I32], [I64]), "fsync": ([I32], [I32])}
#: The functions of SQLite that make those calls.
CALLERS = {"unixRead": 2, "unixWrite": 1, "unixFileControl": 1, "unixDelete": 1, "unixSync": 2}
#: An entry of the table: a name, the function, and the one that was replaced.
ENTRY = 12
#: The size of `sqlite3_vfs`; where its name and the way of locking are.
SYSTEM, NAME, LOCKING = 88, 16, 20

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


def redirect(component, module):
    """Makes SQLite's direct calls those of functions in the table."""
    first = _first(component) + len(IN_TABLE)
    instead = {}
    for at, (name, (parameters, results)) in enumerate(DIRECT.items()):
        kind = module.types.index((bytes(parameters), bytes(results)))
        instead[module.any_function(name)] = (bytes([I32_CONST]) + signed(first + at) + bytes([CALL_INDIRECT]) + leb(kind) + leb(0))
    for name, count in CALLERS.items():
        function = module.function(name)
        body, code, behind, found = module.body(function), bytearray(), 0, 0
        for at, operator, end in operators(body):
            if operator == CALL and (call := instead.get(read(body, at + 1)[0])):
                code += body[behind:at] + call
                behind, found = end, found + 1
        if found != count:
            raise LookupError(f"{name} makes {found} such calls instead of {count}")
        module.replace(function, bytes(code + body[behind:]))


def use(component, memory):
    """Puts the functions into SQLite's table, and makes the locks of Unix the default."""
    first = _first(component)
    start = memory.pointer_to("openDirectory", ENTRY)
    while memory.text(memory.word(start)) != "open":
        start -= ENTRY
    names = {}
    while (name := memory.text(memory.word(start))) and len(names) < 29:
        names[name] = start
        start += ENTRY
    for at, name in enumerate(IN_TABLE):
        memory.set_word(names[name] + 4, first + at)
    own = memory.pointer_to("unix-dotfile", SYSTEM) - NAME
    around = [own + SYSTEM * at for at in range(-3, 4)]
    unix = [system for system in around if memory.text(memory.word(system + NAME)) == "unix"]
    if len(unix) != 1:
        raise LookupError("SQLite has not one way of locking with the name unix")
    memory.set_word(own + LOCKING, memory.word(unix[0] + LOCKING))


def add(added, room, errno):
    """Adds the functions' module. `room` and `errno` are addresses: of memory for answers, and of the error number."""
    component = added.component
    memory, table = added.export(MEMORY, "memory"), added.export(TABLE, TABLE_NAME)
    answers = added.instance(ANSWERS, env={"memory": (MEMORY, memory)})
    realloc = added.export(FUNCTION, "realloc", answers)
    room_for = {name: (GLOBAL, added.export(GLOBAL, name, answers)) for name in ("to", "limit")}
    source = SOURCE.read_text().format(size=table_size(component), first=_first(component), room=room, errno=errno)
    wanted = re.findall(r'import "kernel" "([a-z-]+)"', source)
    kernel = {name: (FUNCTION, added.lowered(INTERFACE, name, memory, realloc)) for name in wanted}
    added.instance(source, env={"memory": (MEMORY, memory), "table": (TABLE, table)}, answers=room_for, kernel=kernel)


def _first(component):
    """The number of the first function: behind those for threads."""
    return table_size(component) + len(threads.FUNCTIONS)
