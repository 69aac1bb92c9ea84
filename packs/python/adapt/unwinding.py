"""Lets modules of packages throw exceptions of C++, which are WebAssembly's.

componentize-py's engine, which imports the packages during the build, does not know them. So it gets modules in which
nothing is thrown and nothing is caught, and which are the same otherwise: in the program that comes out, each function
gets its own body back. A package that throws while it is imported would end the build.
"""

from .wasm import BLOCK, CORE_MODULE, GLOBAL, IF, LOOP, TAG, THROW, THROW_REF, TRY_TABLE, TYPE, Module, code_at, leb, operators, read

UNREACHABLE, SELECT, REF_NULL = 0x00, 0x1c, 0xd0
#: The type of an exception, and one that the other engine knows in its place.
EXCEPTION, EXTERNAL = 0x69, 0x6f
#: The section of tags comes before the first of these.
LATER = (GLOBAL, *range(7, 13))


def throws(data):
    """Whether a module has exceptions."""
    return any(kind == TAG for kind, _ in Module(data).parts)


def without(data):
    """The module with nothing thrown and caught."""
    module = Module(data)
    module.bodies = [_quiet(body) for body in module.bodies]
    module.set_section(TYPE, _types(module))
    module.parts = [part for part in module.parts if part[0] != TAG]
    return module.encode()


def restore(component, originals):
    """Gives the component's modules what `without` took from these."""
    for original in originals:
        quiet, own = Module(without(original)), Module(original)
        [index] = [index for index, (kind, contents) in enumerate(component.parts) if kind == CORE_MODULE and _same(contents, quiet)]
        module = Module(component.parts[index][1])
        module.bodies = own.bodies
        module.set_section(TYPE, own.section(TYPE))
        place = next(at for at, (kind, _) in enumerate(module.parts) if kind in LATER)
        module.parts.insert(place, [TAG, own.section(TAG)])
        component.parts[index][1] = module.encode()


def _same(contents, quiet):
    """Whether a module of the program is this one: it has the same functions and types."""
    if len(contents) < sum(map(len, quiet.bodies)):
        return False
    module = Module(contents)
    return module.bodies == quiet.bodies and module.section(TYPE) == quiet.section(TYPE)


def _types(module):
    def known(kinds):
        return leb(len(kinds)) + kinds.replace(bytes([EXCEPTION]), bytes([EXTERNAL]))

    return leb(len(module.types)) + b"".join(b"\x60" + known(parameters) + known(results) for parameters, results in module.types)


def _quiet(body):
    """A function without exceptions. Where something would be thrown, it ends the program."""
    code, at = bytearray(leb(read(body, 0)[0])), read(body, 0)[1]
    start = code_at(body)
    while at < start:
        _, end = read(body, at)
        code += body[at:end] + bytes([EXTERNAL if body[end] == EXCEPTION else body[end]])
        at = end + 1
    for at, operator, end in operators(body):
        if operator in (THROW, THROW_REF):
            code.append(UNREACHABLE)
        elif operator == TRY_TABLE:
            kind = _external(body[at + 1:read(body, at + 1)[1]])
            code += bytes([BLOCK]) + kind
        elif operator in (BLOCK, LOOP, IF, REF_NULL, SELECT):
            code += bytes([operator]) + _external(body[at + 1:end])
        else:
            code += body[at:end]
    return bytes(code)


def _external(kind):
    """A type of a block or a reference, or several."""
    if kind == bytes([EXCEPTION]):
        return bytes([EXTERNAL])
    if len(kind) == 2 and kind[0] == 1 and kind[1] == EXCEPTION:
        return bytes([1, EXTERNAL])
    return kind
