"""Functions written in WebAssembly's text format take the place of the interpreter's.

An export replaces the function of that name. An import of the module `before` is the function that was replaced; of `env`,
another function; of `GOT.mem`, an address of the interpreter's.
"""

from wasmtime import wat2wasm

from .wasm import CALL, GLOBAL_GET, Module, leb, operators, read


def transplant(module, source):
    """Puts the functions of the text into the module."""
    new = Module(wat2wasm(source))
    globals_ = [module.imported_globals.index(name) for name in new.imported_globals]
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
        module.replace(places[index], _moved(body, places, globals_))


def _moved(body, functions, globals_):
    code, behind = bytearray(), 0
    for at, operator, end in operators(body):
        table = {CALL: functions, GLOBAL_GET: globals_}.get(operator)
        if table:
            code += body[behind:at + 1] + leb(table[read(body, at + 1)[0]])
            behind = end
    return bytes(code + body[behind:])
