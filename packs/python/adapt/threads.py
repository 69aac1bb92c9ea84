"""Gives the interpreter the component model's cooperative threads.

Its functions to make a thread and to switch to one are functions of the component, which the interpreter's module does
not import. A small module puts them into the table through which all modules call functions by number; the
interpreter's own functions for threads and locks (`functions/interpreter/threads.wat`) call them there.
"""

from wasmtime import wat2wasm

from .wasm import leb, read, text

#: Kinds of a component's sections.
MODULES, INSTANCES, TYPES, ALIASES, CANONICAL = 1, 2, 3, 6, 8
#: The size of a thread's block of memory, most of which is its stack. The engine's stack for a thread is larger.
STACK = 512 << 10
#: How many threads there can be, with the main thread and the one that polls.
MOST = 130
#: Canonical functions: `thread.new-indirect` (of type 0 and table), `thread.suspend-then-resume`, `thread.resume-later`,
#: `thread.index`.
FUNCTIONS = ("new", "switch", "later", "index")
TABLE = "__indirect_function_table"
SORT_FUNCTION, SORT_TABLE = 0, 1

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
    size = _table_size(component)
    places = {f"{name}_thread": size + at for at, name in enumerate(FUNCTIONS)}
    return places | {"stack_size": STACK, "most_threads": MOST}


def add(component):
    """Adds the functions and the module."""
    counts = _Counts(component.parts)
    functions, instances = counts.functions, counts.instances
    table = counts.tables
    parts = [
        # A type of functions: one 32-bit number, no result.
        [TYPES, leb(1) + bytes([0x60, 1, 0x7f, 0])],
        [ALIASES, leb(1) + bytes([0, SORT_TABLE, 1]) + leb(counts.main) + _name(TABLE)],
        [CANONICAL, leb(4) + bytes([0x27]) + leb(counts.types) + leb(table) + bytes([0x2a, 0, 0x28, 0x26])],
        [MODULES, wat2wasm(MODULE.format(size=_table_size(component)))],
        [INSTANCES, leb(2) + bytes([1]) + leb(5) + _name("table") + bytes([SORT_TABLE]) + leb(table)
         + b"".join(_name(name) + bytes([SORT_FUNCTION]) + leb(functions + at) for at, name in enumerate(FUNCTIONS))
         + bytes([0]) + leb(counts.modules) + leb(1) + _name("") + bytes([0x12]) + leb(instances)],
    ]
    component.parts += parts


def _name(name):
    return leb(len(name)) + name.encode()


def _table_size(component):
    """How many functions the table has."""
    tables = component.module_that_exports("libpython3.14.so:memory_base").section(4)
    count, at = read(tables, 0)
    if count != 1 or tables[at:at + 2] != b"\x70\0":
        raise LookupError("the program has not one table of functions without a maximum")
    return read(tables, at + 2)[0]


class _Counts:
    """How many there are of what new sections add to."""

    def __init__(self, parts):
        self.modules = self.instances = self.types = self.tables = self.functions = 0
        self.main = None
        for kind, data in parts:
            if kind == MODULES:
                self.modules += 1
            elif kind == INSTANCES:
                self.instances += read(data, 0)[0]
            elif kind == TYPES:
                self.types += read(data, 0)[0]
            elif kind == ALIASES:
                self._aliases(data)
            elif kind == CANONICAL:
                self._canonical(data)
        if self.main is None:
            raise LookupError("no module's table has an alias")

    def _aliases(self, data):
        count, at = read(data, 0)
        for _ in range(count):
            core = data[at] == 0
            sort = data[at + 1] if core else None
            at += 2 if core else 1
            target, (instance, at) = data[at], read(data, at + 1)
            if target == 2:
                name, at = None, read(data, at)[1]
            else:
                name, at = text(data, at)
            if core and sort == SORT_FUNCTION:
                self.functions += 1
            elif core and sort == SORT_TABLE:
                self.tables += 1
                self.main = instance if name == TABLE else self.main

    def _canonical(self, data):
        count, at = read(data, 0)
        for _ in range(count):
            kind, at = data[at], at + 1
            if kind not in (0, 1, 2, 3, 4):
                raise ValueError(f"canonical function {kind:#x} is not known")
            self.functions += kind != 0
            if kind in (2, 3, 4):
                # Resources: their type.
                _, at = read(data, at)
                continue
            # `lift` and `lower`: a byte, the function, options, and the type of what is lifted.
            _, at = read(data, at + 1)
            options, at = read(data, at)
            for _ in range(options):
                option, at = data[at], at + 1
                if option in (3, 4, 5, 7):
                    _, at = read(data, at)
            if kind == 0:
                _, at = read(data, at)
