"""The module `_ctypes`: C's data types over the program's own memory.

WebAssembly has no way to load a library or to call a function that was not linked, so those two fail with an error
that says so. Everything else of `ctypes` works: the interpreter's memory is an array of bytes (`memory`), and data
types are descriptions of bytes in it.
"""

import sys
import types

from . import arrays, data, fields, functions, pointers, simple, structures

#: What `_ctypes` and the names in it are.
CONTENT = {
    "__version__": "1.1.0", "SIZEOF_TIME_T": 8, "RTLD_LOCAL": 0, "RTLD_GLOBAL": 256, "CTYPES_MAX_ARGCOUNT": functions.MOST_ARGUMENTS,
    "FUNCFLAG_STDCALL": 0, "FUNCFLAG_CDECL": 1, "FUNCFLAG_HRESULT": 2, "FUNCFLAG_PYTHONAPI": 4, "FUNCFLAG_USE_ERRNO": 8,
    "FUNCFLAG_USE_LASTERROR": 16, "TYPEFLAG_ISPOINTER": data.IS_POINTER, "TYPEFLAG_HASPOINTER": data.HAS_POINTER,
    "_CData": data.Data, "CType_Type": data.Meta, "CArgObject": data.Argument, "CField": fields.Field,
    "_SimpleCData": simple.Simple, "PyCSimpleType": simple.Meta,
    "Structure": structures.Structure, "Union": structures.Union, "PyCStructType": structures.StructMeta,
    "UnionType": structures.UnionMeta, "Array": arrays.Array, "PyCArrayType": arrays.Meta,
    "_Pointer": pointers.Pointer, "PyCPointerType": pointers.Meta,
    "CFuncPtr": functions.Function, "PyCFuncPtrType": functions.Meta,
    "ArgumentError": functions.ArgumentError, **functions.ADDRESSES,
}
#: Names of classes that differ from those in this package.
NAMES = {
    data.Data: "_CData", data.Meta: "CType_Type", data.Argument: "CArgObject", fields.Field: "CField",
    simple.Simple: "_SimpleCData", simple.Meta: "PyCSimpleType", structures.StructMeta: "PyCStructType",
    structures.UnionMeta: "UnionType", arrays.Meta: "PyCArrayType", pointers.Pointer: "_Pointer",
    pointers.Meta: "PyCPointerType", functions.Function: "CFuncPtr", functions.Meta: "PyCFuncPtrType",
}


def install(put):
    """Creates the module. `put` makes a function look like C's."""
    module = types.ModuleType("_ctypes", "Create and manipulate C compatible data types in Python.")
    for name, value in CONTENT.items():
        if isinstance(value, type):
            value.__module__ = "ctypes" if value in (functions.ArgumentError, fields.Field) else "_ctypes"
            value.__name__ = value.__qualname__ = NAMES.get(value, value.__name__)
        setattr(module, name, value)
    for function in (data.sizeof, data.alignment, data.addressof, data.byref, data.resize, data.buffer_info, data._unpickle,
                     pointers.POINTER, pointers.pointer, *functions.FUNCTIONS):
        put(module, function.__name__, function)
    module._pointer_type_cache = pointers.cache
    sys.modules["_ctypes"] = module
