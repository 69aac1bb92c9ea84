"""Gives the interpreter the component model's cooperative threads.

Its functions to make a thread and to switch to one are functions of the component (`additions`); the interpreter's own
functions for threads and locks (`functions/interpreter/threads.wat`) call them.
"""

from .additions import FUNCTION, TABLE, TABLE_NAME, table_size
from .wasm import leb

#: The size of a thread's block of memory, most of which is its stack. The engine's stack for a thread is larger.
STACK = 512 << 10
#: How many threads there can be, with the main thread and the one that polls.
MOST = 130
#: Canonical functions: `thread.new-indirect` (of type 0 and table), `thread.suspend-then-resume`,
#: `thread.resume-later`, `thread.index`.
FUNCTIONS = ("new", "switch", "later", "index")

MODULE = """
(module
  (import "" "table" (table {size} funcref))
  (import "" "new" (func $new (param i32 i32) (result i32)))
  (import "" "switch" (func $switch (param i32) (result i32)))
  (import "" "later" (func $later (param i32)))
  (import "" "index" (func $index (result i32)))
  (elem $all func $new $switch $later $index)
  (func $start
    (drop (table.grow (ref.null func) (i32.const 4)))
    (table.init $all (i32.const {size}) (i32.const 0) (i32.const 4)))
  (start $start))
"""


def numbers(component):
    """The numbers in the table that the functions will have, and other values for the interpreter's functions."""
    size = table_size(component)
    places = {f"{name}_thread": size + at for at, name in enumerate(FUNCTIONS)}
    return places | {"stack_size": STACK, "most_threads": MOST}


def add(added):
    """Adds the functions, as the first in the table behind the interpreter's own."""
    # A type of functions: one 32-bit number, no result.
    kind = added.type(bytes([0x60, 1, 0x7f, 0]))
    table = added.export(TABLE, TABLE_NAME)
    canonical = bytes([0x27]) + leb(kind) + leb(table), bytes([0x2a, 0]), bytes([0x28]), bytes([0x26])
    functions = {name: (FUNCTION, added.function(code)) for name, code in zip(FUNCTIONS, canonical)}
    added.instance(MODULE.format(size=table_size(added.component)), **{"": {"table": (TABLE, table)} | functions})
