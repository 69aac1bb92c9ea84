"""Allows the parser's rules to nest as deeply as on other systems.

On WASI, CPython is built with two thirds of the usual depth, so that sources that work elsewhere are "too complex
to parse". Our stack is large enough for the usual depth.
"""

from .wasm import I32_CONST, signed

#: The comparison of the depth with `MAXSTACK`: `i32.const`, `i32.eq`.
OWN, USUAL = (bytes([I32_CONST]) + signed(depth) + b"\x46" for depth in (4000, 6000))


def deepen(module):
    """Gives each rule the usual limit."""
    rules = [(index, body) for index, name, body in module.functions() if name.endswith("_rule")]
    if not rules or not all(OWN in body for _, body in rules):
        raise LookupError("the parser's rules do not compare their depth")
    for index, body in rules:
        module.replace(index, body.replace(OWN, USUAL, 1))
