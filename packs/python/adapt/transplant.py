"""Replaces functions of the interpreter with ones written in WebAssembly's text format.

An export replaces the function of that name. An import from the module `before` is the replaced function; from
`env`, another function; from `GOT.mem`, an address in the interpreter; from `told`, a number from `values`. The
functions depend on the interpreter's layout of structures, so they replace only exactly the functions that they
were written for.
"""

import hashlib

from wasmtime import wat2wasm

from .wasm import CALL, CALL_INDIRECT, GLOBAL_GET, GLOBAL_SET, I32_CONST, LOADS_AND_STORES, Module, leb, operators, read, read_signed, signed

#: The `_shape` of the functions that each text replaces.
KNOWN = {
    "allocation": "8f6cdf91b09592a4", "conditions": "78b205bb584b4b84", "deallocation": "096430873528f035",
    "digests": "69d646e994b15bb6", "directories": "9e8d8312b2a05af1", "files": "86ad3c853e6c576a",
    "lists": "43ed779c324e67dd", "lookups": "4676aaf85d06aa4c", "memory": "f353bd79762dba44",
    "runtime": "08567c9f9ca689f1", "threads": "0d7522b5a16c3850", "tracebacks": "11576b7a6974c4c3",
    "zones": "55f8e6a287c97bc1",
}
#: A number from here on may be an address, which differs between builds.
ADDRESSES = 4096


def transplant(module, path, values):
    """Inserts the functions of a text into the module, with the given numbers."""
    new = Module(wat2wasm(path.read_text()))
    found = _shape(module.body(module.function(name)) for name in sorted(new.exports))
    if found != KNOWN.get(path.stem):
        raise LookupError(f"{path.name} was written for other functions than these: {found}")
    variables = [bytes([I32_CONST]) + signed(values[name]) if name in values
                 else bytes([GLOBAL_GET]) + leb(module.imported_globals.index(name)) for name in new.imported_globals]
    places = []
    for origin, name in new.imported_functions:
        places.append(module.copy(module.function(name)) if origin == "before" else module.any_function(name))
    kinds = [module.types.index(kind) if kind in module.types else 0 for kind in new.types]
    exported = {index: name for name, index in new.exports.items()}
    for index, _, _ in new.functions():
        parameters, results = new.type(index)
        places.append(module.function(exported[index]) if index in exported
                      else module.add_function(parameters, results, b""))
    for index, _, body in new.functions():
        if module.type(places[index]) != new.type(index):
            raise TypeError(f"{exported[index]} is of another type")
        module.replace(places[index], _moved(body, {
            CALL: [bytes([CALL]) + leb(place) for place in places], GLOBAL_GET: variables,
            GLOBAL_SET: [bytes([GLOBAL_SET]) + variable[1:] for variable in variables],
            CALL_INDIRECT: [bytes([CALL_INDIRECT]) + leb(kind) for kind in kinds]}))


def _shape(bodies):
    """A hash of the code of functions that does not depend on the build's addresses and indices."""
    shape = hashlib.sha256()
    for body in bodies:
        for at, operator, end in operators(body):
            shape.update(bytes([operator]))
            if operator in LOADS_AND_STORES or operator == I32_CONST and abs(read_signed(body, at + 1)) < ADDRESSES:
                shape.update(body[at + 1:end])
    return shape.hexdigest()[:16]


def _moved(body, places):
    """The code with other numbers of functions, variables and types."""
    code, behind = bytearray(), 0
    for at, operator, end in operators(body):
        if operator in places:
            number, after = read(body, at + 1)
            # The number of a table stays: there is one.
            code += body[behind:at] + places[operator][number] + body[after:end]
            behind = end
    return bytes(code + body[behind:])
