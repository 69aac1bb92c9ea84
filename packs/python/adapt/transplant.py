"""Functions written in WebAssembly's text format take the place of the interpreter's.

An export replaces the function of that name. An import of the module `before` is the function that was replaced; of `env`,
another function; of `GOT.mem`, an address of the interpreter's; of `told`, a number that is given.
"""

from wasmtime import wat2wasm

from .wasm import CALL, GLOBAL_GET, I32_CONST, Module, leb, operators, read, signed


def transplant(module, source, values):
    """Puts the functions of the text into the module, with the numbers that are told."""
    new = Module(wat2wasm(source))
    variables = [bytes([I32_CONST]) + signed(values[name]) if name in values
                 else bytes([GLOBAL_GET]) + leb(module.imported_globals.index(name)) for name in new.imported_globals]
    places = []
    for origin, name in new.imported_functions:
        places.append(module.copy(module.function(name)) if origin == "before" else module.any_function(name))
    exported = {index: name for name, index in new.exports.items()}
    for index, _, _ in new.functions():
        parameters, results = new.type(index)
        places.append(module.function(exported[index]) if index in exported
                      else module.add_function(parameters, results, b""))
    for index, _, body in new.functions():
        if module.type(places[index]) != new.type(index):
            raise TypeError(f"{exported[index]} is of another type")
        module.replace(places[index], _moved(body, [bytes([CALL]) + leb(place) for place in places], variables))


def _moved(body, calls, variables):
    code, behind = bytearray(), 0
    for at, operator, end in operators(body):
        if operator in (CALL, GLOBAL_GET):
            code += body[behind:at] + (calls if operator == CALL else variables)[read(body, at + 1)[0]]
            behind = end
    return bytes(code + body[behind:])
