"""Functions written in WebAssembly's text format take the place of the interpreter's.

An export replaces the function of that name. An import of the module `before` is the function that was replaced; of `env`,
another function; of `GOT.mem`, an address of the interpreter's; of `told`, a number that is given. The functions know where
the interpreter keeps things, so they take the place of none but those that they were written for.
"""

import hashlib

from wasmtime import wat2wasm

from .wasm import CALL, GLOBAL_GET, I32_CONST, LOADS_AND_STORES, Module, leb, operators, read, read_signed, signed

#: What `_shape` says of the functions that each text replaces.
KNOWN = {
    "allocation": "8f6cdf91b09592a4", "deallocation": "096430873528f035", "digests": "69d646e994b15bb6", "files": "a76ce9816367d82b",
    "lookups": "4676aaf85d06aa4c", "runtime": "08567c9f9ca689f1", "zones": "55f8e6a287c97bc1",
}
#: A number from here on may be an address, which another build has elsewhere.
ADDRESSES = 4096


def transplant(module, path, values):
    """Puts the functions of a text into the module, with the numbers that are told."""
    new = Module(wat2wasm(path.read_text()))
    found = _shape(module.body(module.function(name)) for name in sorted(new.exports))
    if found != KNOWN.get(path.stem):
        raise LookupError(f"{path.name} was written for other functions than these: {found}")
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


def _shape(bodies):
    """A hash of what functions do and where in structures they look, whatever addresses and indices the build has."""
    shape = hashlib.sha256()
    for body in bodies:
        for at, operator, end in operators(body):
            shape.update(bytes([operator]))
            if operator in LOADS_AND_STORES or operator == I32_CONST and abs(read_signed(body, at + 1)) < ADDRESSES:
                shape.update(body[at + 1:end])
    return shape.hexdigest()[:16]


def _moved(body, calls, variables):
    code, behind = bytearray(), 0
    for at, operator, end in operators(body):
        if operator in (CALL, GLOBAL_GET):
            code += body[behind:at] + (calls if operator == CALL else variables)[read(body, at + 1)[0]]
            behind = end
    return bytes(code + body[behind:])
