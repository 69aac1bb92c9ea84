"""The parts of WebAssembly's binary format that are needed to change functions of a module in a component."""

TYPE, IMPORT, FUNCTION, GLOBAL, EXPORT, CODE, DATA, TAG, CUSTOM = 1, 2, 3, 6, 7, 10, 11, 13, 0
#: The kind of a component's section that is a module.
CORE_MODULE = 1
HEADER = 8
I32, I64 = 0x7f, 0x7e

# Operators.
BLOCK, LOOP, IF, ELSE, END, BR, RETURN, CALL, CALL_INDIRECT = 0x02, 0x03, 0x04, 0x05, 0x0b, 0x0c, 0x0f, 0x10, 0x11
THROW, THROW_REF, TRY_TABLE = 0x08, 0x0a, 0x1f
GLOBAL_GET, GLOBAL_SET, I32_CONST, I32_ADD, I32_SUB = 0x23, 0x24, 0x41, 0x6a, 0x6b
LOADS_AND_STORES = range(0x28, 0x3f)


def leb(number):
    """Encodes an unsigned number."""
    data = bytearray()
    while True:
        number, low = number >> 7, number & 0x7f
        data.append(low | (0x80 if number else 0))
        if not number:
            return bytes(data)


def signed(number):
    """Encodes a signed number."""
    data = bytearray()
    while True:
        low, number = number & 0x7f, number >> 7
        last = number == 0 and not low & 0x40 or number == -1 and low & 0x40
        data.append(low if last else low | 0x80)
        if last:
            return bytes(data)


def read(data, at):
    """The unsigned number at a position, and the position after it."""
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return number, at


def read_signed(data, at):
    """The signed number at a position."""
    number, end = read(data, at)
    bits = 7 * (end - at)
    return number - (1 << bits) if number >> (bits - 1) else number


def text(data, at):
    """The string at a position, and the position after it."""
    length, at = read(data, at)
    return data[at:at + length].decode(), at + length


def sections(data):
    """(kind, contents) of each section."""
    at, found = HEADER, []
    while at < len(data):
        kind = data[at]
        length, at = read(data, at + 1)
        found.append([kind, data[at:at + length]])
        at += length
    return found


def encode(header, parts):
    """The inverse of `sections`."""
    return header + b"".join(bytes([kind]) + leb(len(contents)) + contents for kind, contents in parts)


class Component:
    """A component, whose modules can be changed."""

    def __init__(self, data):
        self.header, self.parts = data[:HEADER], sections(data)
        self.modules = {}

    def module_that_exports(self, name):
        """The one module with this export: a function or a global."""
        for index, (kind, contents) in enumerate(self.parts):
            if kind == CORE_MODULE and name.encode() in contents:
                module = self.modules.get(index) or Module(contents)
                if name in module.exports or name in module.exported_globals:
                    self.modules[index] = module
                    return module
        raise LookupError(f"no module exports {name}")

    def modules_that_import(self, name):
        """The modules with this imported function."""
        found = []
        for index, (kind, contents) in enumerate(self.parts):
            if kind == CORE_MODULE and name.encode() in contents:
                module = self.modules.get(index) or Module(contents)
                if any(own == name for _, own in module.imported_functions):
                    self.modules[index] = module
                    found.append(module)
        return found

    def replace(self, module, data):
        """Puts another module in the place of one."""
        index = next(index for index, known in self.modules.items() if known is module)
        del self.modules[index]
        self.parts[index][1] = data

    def encode(self):
        """The component with the changed modules."""
        for index, module in self.modules.items():
            self.parts[index][1] = module.encode()
        return encode(self.header, self.parts)


class Module:
    """A module, to which functions and globals can be added, and whose functions can be changed."""

    def __init__(self, data):
        self.header, self.parts = data[:HEADER], sections(data)
        self._imports()
        self._exports()
        self._names()
        self.types = self._types()
        count, at = read(self.section(FUNCTION), 0)
        self.type_of = []
        for _ in range(count):
            kind, at = read(self.section(FUNCTION), at)
            self.type_of.append(kind)
        self.bodies = self._bodies()
        self.globals = []
        self.global_count, self._globals_at = read(self.section(GLOBAL), 0)

    def section(self, wanted):
        """The contents of the section of a kind; those of an empty one if there is none."""
        return next((contents for kind, contents in self.parts if kind == wanted), b"\0")

    def set_section(self, wanted, contents):
        """Replaces the contents of a section."""
        next(part for part in self.parts if part[0] == wanted)[1] = contents

    def _imports(self):
        data = self.section(IMPORT)
        count, at = read(data, 0)
        self.imported_functions, self.imported_globals = [], []
        for _ in range(count):
            origin, at = text(data, at)
            name, at = text(data, at)
            kind, at = data[at], at + 1
            if kind == 0:
                self.imported_functions.append((origin, name))
                _, at = read(data, at)
            elif kind == 3:
                self.imported_globals.append(name)
                at += 2
            else:
                at += kind == 1
                flags, at = read(data, at)
                _, at = read(data, at)
                if flags & 1:
                    _, at = read(data, at)

    def _exports(self):
        data = self.section(EXPORT)
        count, at = read(data, 0)
        self.exports, self.exported_globals = {}, {}
        for _ in range(count):
            name, at = text(data, at)
            kind, (index, at) = data[at], read(data, at + 1)
            if kind == 0:
                self.exports[name] = index
            elif kind == 3:
                self.exported_globals[name] = index

    def _names(self):
        self.names = {}
        for kind, contents in self.parts:
            if kind != CUSTOM or not contents.startswith(b"\x04name"):
                continue
            at = 5
            while at < len(contents):
                part, (length, at) = contents[at], read(contents, at + 1)
                end = at + length
                if part == 1:
                    count, at = read(contents, at)
                    for _ in range(count):
                        index, at = read(contents, at)
                        self.names[index], at = text(contents, at)
                at = end

    def _types(self):
        """(parameters, results) of each type."""
        data = self.section(TYPE)
        count, at = read(data, 0)
        found = []
        for _ in range(count):
            assert data[at] == 0x60, "only types of functions"
            length, at = read(data, at + 1)
            parameters, at = data[at:at + length], at + length
            length, at = read(data, at)
            found.append((parameters, data[at:at + length]))
            at += length
        return found

    def _bodies(self):
        data = self.section(CODE)
        count, at = read(data, 0)
        found = []
        for _ in range(count):
            length, at = read(data, at)
            found.append(data[at:at + length])
            at += length
        return found

    def functions(self):
        """(index, name, body) of the functions that the module defines."""
        first = len(self.imported_functions)
        return [(first + at, self.names.get(first + at, ""), body) for at, body in enumerate(self.bodies)]

    def function(self, name):
        """The index of a function that the module defines."""
        found = [index for index, own, _ in self.functions() if own == name]
        if len(found) != 1:
            raise LookupError(f"{len(found)} functions have the name {name}")
        return found[0]

    def any_function(self, name):
        """The index of an imported or defined function."""
        imported = [index for index, (_, own) in enumerate(self.imported_functions) if own == name]
        return imported[0] if imported else self.function(name)

    def type(self, index):
        """The types of a function's parameters, and those of its results."""
        return self.types[self.type_of[index - len(self.imported_functions)]]

    def body(self, index):
        """A function's local variables and code."""
        return self.bodies[index - len(self.imported_functions)]

    def replace(self, index, body):
        """Gives a function another body."""
        self.bodies[index - len(self.imported_functions)] = body

    def copy(self, index):
        """Adds a copy of a function in its current form; returns its index."""
        self.type_of.append(self.type_of[index - len(self.imported_functions)])
        self.bodies.append(self.body(index))
        return len(self.imported_functions) + len(self.bodies) - 1

    def initial_values(self):
        """The initial values of the exported 32-bit globals."""
        data, at = self.section(GLOBAL), self._globals_at
        first, values = len(self.imported_globals), {}
        for index in range(first, first + self.global_count):
            kind, at = data[at], at + 2
            for start, operator, end in operators(data[at:], 0):
                if operator == END:
                    break
                if kind == I32 and operator == I32_CONST:
                    values[index] = read_signed(data, at + start + 1)
            at += end
        return {name: values[index] for name, index in self.exported_globals.items() if index in values}

    def add_global(self, kind, value):
        """Adds a global variable; returns its index."""
        self.globals.append(bytes([kind, 1, I32_CONST if kind == I32 else 0x42]) + signed(value) + bytes([END]))
        return len(self.imported_globals) + self.global_count + len(self.globals) - 1

    def add_function(self, parameters, results, body):
        """Adds a function of a type that the module already has; returns its index."""
        self.type_of.append(self.types.index((bytes(parameters), bytes(results))))
        self.bodies.append(body)
        return len(self.imported_functions) + len(self.bodies) - 1

    def encode(self):
        """The changed module."""
        new = {
            FUNCTION: leb(len(self.type_of)) + b"".join(map(leb, self.type_of)),
            CODE: leb(len(self.bodies)) + b"".join(leb(len(body)) + body for body in self.bodies),
            GLOBAL: leb(self.global_count + len(self.globals)) + self.section(GLOBAL)[self._globals_at:]
            + b"".join(self.globals),
        }
        return encode(self.header, [(kind, new.get(kind, contents)) for kind, contents in self.parts])


def code_at(body):
    """The position where a body's operators begin, after the declaration of variables."""
    count, at = read(body, 0)
    for _ in range(count):
        _, at = read(body, at)
        at += 1
    return at


def operators(body, at=None):
    """(start, operator, end) of all operators in a body, or in other code from a position on."""
    at = code_at(body) if at is None else at
    while at < len(body):
        start, operator = at, body[at]
        at = _behind(body, operator, at + 1)
        yield start, operator, at


#: How many numbers follow each operator; other operators up to `LAST` have none.
NUMBERS = {0x02: 1, 0x03: 1, 0x04: 1, THROW: 1, 0x0c: 1, 0x0d: 1, 0x10: 1, 0x11: 2, 0x12: 1, 0x13: 2, 0x20: 1, 0x21: 1, 0x22: 1,
           0x23: 1, 0x24: 1, 0x25: 1, 0x26: 1, 0x3f: 1, 0x40: 1, 0x41: 1, 0x42: 1, 0xd0: 1, 0xd2: 1,
           **{load: 2 for load in LOADS_AND_STORES}}
BYTES = {0x43: 4, 0x44: 8}
BULK = {8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1}
LAST = 0xd2


def _behind(body, operator, at):
    numbers = NUMBERS.get(operator, 0)
    if operator == 0x0e:
        numbers, at = read(body, at)
        numbers += 1
    elif operator == 0x1c:
        length, at = read(body, at)
        return at + length
    elif operator == 0xfc:
        kind, at = read(body, at)
        numbers = BULK.get(kind, 0)
    elif operator == 0xfd:
        return _behind_vector(body, at)
    elif operator == TRY_TABLE:
        _, at = read(body, at)
        handlers, at = read(body, at)
        for _ in range(handlers):
            # Those for any exception have no tag.
            tagged, at = body[at] < 2, at + 1
            for _ in range(1 + tagged):
                _, at = read(body, at)
        return at
    elif operator in BYTES:
        return at + BYTES[operator]
    elif operator > LAST or operator in (0x06, 0x07, 0x09, 0x18, 0x19):
        raise ValueError(f"operator {operator:#x} is not known")
    for _ in range(numbers):
        _, at = read(body, at)
    return at


def _behind_vector(body, at):
    """The position after an operator of vectors, whose number is at `at`."""
    kind, at = read(body, at)
    if kind <= 11 or 84 <= kind <= 93:
        # Loads and stores: alignment and offset.
        _, at = read(body, at)
        _, at = read(body, at)
    if kind in (12, 13):
        return at + 16
    # Operators of one lane have its number.
    return at + (21 <= kind <= 34 or 84 <= kind <= 91)
