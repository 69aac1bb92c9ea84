"""Lists the objects that the build makes immortal: those of modules, which live as long as the interpreter."""

import array
import gc
import opcode
import re
import sys
import types
import weakref

KINDS = {
    str, bytes, int, float, complex, slice, tuple, frozenset, list, dict, set, property, classmethod, staticmethod, re.Pattern,
    weakref.ref, types.BuiltinFunctionType, types.CellType, types.ClassMethodDescriptorType, types.CodeType,
    types.FunctionType, types.GetSetDescriptorType, types.MappingProxyType, types.MemberDescriptorType,
    types.MethodDescriptorType, types.MethodType, types.ModuleType, types.SimpleNamespace, types.WrapperDescriptorType,
    type(sys.flags),
}


#: References of code objects that the garbage collector does not report.
CODE = ("co_consts", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_filename", "co_name", "co_qualname",
        "co_linetable", "co_exceptiontable")
#: Addresses of objects are multiples of this.
_ALIGNMENT = 8
_MORE = 512 << 10
#: `Py_TPFLAGS_HEAPTYPE`.
_HEAP_TYPE = 1 << 9


#: The instruction that counts references to a constant, and its form before it is specialised.
_COUNTING, _LOAD = opcode._specialized_opmap["LOAD_CONST_MORTAL"], opcode.opmap["LOAD_CONST"]
_CACHES = {opcode.opmap[name]: count for name, count in opcode._inline_cache_entries.items() if name in opcode.opmap}
_EXTENDED = opcode.opmap["EXTENDED_ARG"]
#: `offsetof(PyCodeObject, co_code_adaptive)`.
_CODE_AT = 128


def listed(roots):
    """The objects that are reachable from some roots: the address of each object and of its type; and the address
    of each instruction that counts references to a constant, with the constant's address. All addresses have 32
    bits.
    """
    # A bit for each address: a set of numbers would be larger than the objects themselves.
    seen = bytearray(_MORE)
    found, counting, pending = array.array("I"), array.array("I"), [thing for thing in roots if thing is not roots]
    while pending:
        thing = pending.pop()
        place, bit = divmod(id(thing) // _ALIGNMENT, 8)
        if place >= len(seen):
            seen.extend(bytes(place + _MORE - len(seen)))
        if seen[place] >> bit & 1:
            continue
        seen[place] |= 1 << bit
        kind = type(thing)
        if kind in KINDS or isinstance(thing, type) or _lives_on(kind):
            found.extend((id(thing), id(kind)))
        if kind is types.CodeType:
            pending.extend(getattr(thing, name) for name in CODE)
            _add_counting(thing, counting)
        elif kind is not types.FrameType:
            pending.extend(gc.get_referents(thing))
    return found.tobytes(), counting.tobytes()


def _lives_on(kind):
    """Whether objects of a class may live for ever: nothing depends on their deallocation."""
    return kind.__flags__ & _HEAP_TYPE and not hasattr(kind, "__del__")


def _add_counting(code, found):
    adapted, plain = code._co_code_adaptive, code.co_code
    if _COUNTING not in adapted:
        return
    at = argument = 0
    while at < len(plain):
        argument = argument << 8 | plain[at + 1]
        if adapted[at] == _COUNTING and plain[at] == _LOAD:
            found.extend((id(code) + _CODE_AT + at, id(code.co_consts[argument])))
        if plain[at] != _EXTENDED:
            argument = 0
        at += 2 + 2 * _CACHES.get(plain[at], 0)
