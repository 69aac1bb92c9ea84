"""Adds a stack check to functions that recurse without one, so that they raise RecursionError too.

CPython assumes that nobody nests a hundred thousand iterators; if somebody does, the stack overflows and the
process ends. The same is true of hashes of nested tuples, views of views, and expat's content models.
"""

from .stack import with_frame
from .wasm import CALL, END, I32_CONST, IF, RETURN, code_at, leb, signed

#: The functions, grouped by what they return after an exception was set.
UNGUARDED = {
    0: """
        map_next filter_next zip_next enum_next reversed_next calliter_iternext iter_iternext chain_next accumulate_next
        compress_next cycle_next dropwhile_next takewhile_next islice_next starmap_next filterfalse_next zip_longest_next
        groupby_next batched_next pairwise_next tee_next _grouper_next
        mappingproxy_getitem mappingproxy_getiter mappingproxy_or
        partial_vectorcall partial_call method_vectorcall method_getattro ga_getattro
        conv_content_model _elementtree_Element___deepcopy___impl
    """,
    -1: """
        PyObject_Hash tuple_hash slice_hash mappingproxy_hash mappingproxy_len mappingproxy_contains _PyObject_IsAbstract
    """,
}
VOID = 0x40


def guard(module):
    """Makes each of these functions begin with CPython's own check."""
    check = module.function("Py_EnterRecursiveCall")
    pointer = module.imported_globals.index("__stack_pointer")
    bodies = {index: body for index, _, body in module.functions()}
    for failed, names in UNGUARDED.items():
        # The message's second part is an empty string: the byte at address 0 is one.
        start = (bytes([I32_CONST]) + signed(0) + bytes([CALL]) + leb(check) + bytes([IF, VOID, I32_CONST]) + signed(failed)
                 + bytes([RETURN, END]))
        for name in names.split():
            index = module.function(name)
            body = bodies[index]
            at = code_at(body)
            module.replace(index, with_frame(body[:at] + start + body[at:], module.type(index)[1], pointer))
