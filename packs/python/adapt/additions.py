"""Adds functions of the component itself to the interpreter, which its modules do not import.

A small module puts them into the table through which all modules call functions by number. All that is added comes
behind what the component has, so that no number changes.
"""

from wasmtime import wat2wasm

from .wasm import leb, read, text

#: Kinds of a component's sections.
MODULES, INSTANCES, TYPES, ALIASES, CANONICAL, IMPORTS = 1, 2, 3, 6, 8, 10
FUNCTION, TABLE, MEMORY, GLOBAL = 0, 1, 2, 3
INSTANCE = 5
TABLE_NAME = "__indirect_function_table"


def table_size(component):
    """How many functions the interpreter's table has."""
    tables = component.module_that_exports("libpython3.14.so:memory_base").section(4)
    count, at = read(tables, 0)
    if count != 1 or tables[at:at + 2] != b"\x70\0":
        raise LookupError("the program has not one table of functions without a maximum")
    return read(tables, at + 2)[0]


class Additions:
    """What is added to a component. Each method returns the index of what it adds."""

    def __init__(self, component):
        self.component = component
        self.counts = _Counts(component.parts)

    def _add(self, kind, data):
        self.component.parts.append([kind, leb(1) + data])

    def type(self, data):
        """A core type."""
        self._add(TYPES, data)
        self.counts.types += 1
        return self.counts.types - 1

    def export(self, sort, name, instance=None):
        """What a core instance exports; by default the one that has the memory and the table."""
        instance = self.counts.main if instance is None else instance
        self._add(ALIASES, bytes([0, sort, 1]) + leb(instance) + _name(name))
        return self.counts.core(sort)

    def function(self, canonical):
        """A canonical function."""
        self._add(CANONICAL, canonical)
        return self.counts.core(FUNCTION)

    def lowered(self, interface, name, memory, realloc):
        """A function of an imported interface, as modules can call it."""
        self._add(ALIASES, bytes([1, 0]) + leb(self.counts.imported[interface]) + _name(name))
        self.counts.component_functions += 1
        options = leb(2) + bytes([3]) + leb(memory) + bytes([4]) + leb(realloc)
        return self.function(bytes([1, 0]) + leb(self.counts.component_functions - 1) + options)

    def instance(self, module, **imports):
        """An instance of a module's text. What it imports from each name: {name: (sort, index)}."""
        self._add_module(wat2wasm(module))
        arguments = b""
        for origin, exports in imports.items():
            self._add(INSTANCES, bytes([1]) + leb(len(exports)) + b"".join(
                _name(name) + bytes([sort]) + leb(index) for name, (sort, index) in exports.items()))
            arguments += _name(origin) + bytes([0x12]) + leb(self.counts.instances)
            self.counts.instances += 1
        self._add(INSTANCES, bytes([0]) + leb(self.counts.modules - 1) + leb(len(imports)) + arguments)
        self.counts.instances += 1
        return self.counts.instances - 1

    def _add_module(self, data):
        self.component.parts.append([MODULES, data])
        self.counts.modules += 1


def _name(name):
    return leb(len(name)) + name.encode()


class _Counts:
    """How many there are of what is added to."""

    def __init__(self, parts):
        self.modules = self.instances = self.types = self.component_functions = 0
        self.sorts = {FUNCTION: 0, TABLE: 0, MEMORY: 0, GLOBAL: 0}
        self.imported = {}
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
            elif kind == IMPORTS:
                self._imports(data)
        if self.main is None:
            raise LookupError("no module's table has an alias")

    def core(self, sort):
        """Counts one more of a core sort; returns its index."""
        self.sorts[sort] += 1
        return self.sorts[sort] - 1

    def _imports(self, data):
        count, at = read(data, 0)
        for _ in range(count):
            name, at = text(data, at + 1)
            kind, at = data[at], at + 1
            if kind != INSTANCE:
                raise ValueError(f"the import {name} is no interface")
            self.imported[name] = len(self.imported)
            _, at = read(data, at)

    def _aliases(self, data):
        count, at = read(data, 0)
        for _ in range(count):
            core = data[at] == 0
            sort = data[at + 1] if core else data[at]
            at += 2 if core else 1
            target, (instance, at) = data[at], read(data, at + 1)
            if target == 2:
                name, at = None, read(data, at)[1]
            else:
                name, at = text(data, at)
            if not core:
                self.component_functions += sort == 1
                continue
            if sort in self.sorts:
                self.sorts[sort] += 1
            if sort == TABLE and name == TABLE_NAME:
                self.main = instance

    def _canonical(self, data):
        count, at = read(data, 0)
        for _ in range(count):
            kind, at = data[at], at + 1
            if kind not in (0, 1, 2, 3, 4):
                raise ValueError(f"canonical function {kind:#x} is not known")
            if kind == 0:
                self.component_functions += 1
            else:
                self.sorts[FUNCTION] += 1
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
