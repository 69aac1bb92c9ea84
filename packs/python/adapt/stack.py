"""Deep recursion of C functions is RecursionError.

CPython compares the stack pointer with a limit where recursion may become deep. A WebAssembly program has two stacks: the
one in its memory, which that pointer is of, and the engine's own, which it cannot see. A function whose variables all are in
the latter takes nothing of the former, so that a list in a list in a list ... never comes to the limit but overflows the
engine's stack, which ends the process. So the functions that compare take some of the stack in memory.
"""

from .wasm import (BLOCK, BR, CALL, END, GLOBAL_GET, GLOBAL_SET, I32_ADD, I32_CONST, I32_SUB, IF, LOOP, RETURN, code_at,
                   leb, operators, read, signed)

#: What such a function takes. The engine's stack is four times the one in memory.
FRAME = 192
#: `tstate + offsetof(_PyThreadStateImpl, c_stack_soft_limit)`, loaded.
LIMIT = bytes([I32_CONST]) + signed(712) + bytes([I32_ADD, 0x28, 2, 0])
#: Functions that compare for their callers.
FOR_CALLERS = ["_Py_ReachedRecursionLimitWithMargin", "Py_EnterRecursiveCall", "_Py_EnterRecursiveCall"]
#: Such as are known: if they are not found, this is another interpreter than the one that this was written for.
KNOWN = {"_Py_Dealloc", "PyObject_Repr", "_PyEval_EvalFrameDefault", "PyObject_RichCompare", "encoder_listencode_obj"}


def measure(module):
    """Gives each function that compares a frame of at least this size."""
    for_callers = {module.function(name) for name in FOR_CALLERS}
    calls = [bytes([CALL]) + _padded(index) for index in for_callers]
    pointer = module.imported_globals.index("__stack_pointer")
    found = set()
    for index, name, body in module.functions():
        # The parser counts how deep its rules are.
        if index in for_callers or name.endswith("_rule"):
            continue
        if LIMIT in body or any(call in body for call in calls):
            found.add(name)
            module.replace(index, with_frame(body, module.type(index)[1], pointer))
    if not KNOWN <= found:
        raise LookupError(f"{KNOWN - found} do not compare the stack pointer")


def _padded(index):
    """A function's index as linkers write it."""
    data = leb(index)
    return bytes(byte | 0x80 for byte in data) + bytes([0x80] * (4 - len(data))) + b"\0"


def with_frame(body, results, pointer):
    """The function with its code in a block, before which the stack pointer is moved, and behind which it is moved back."""
    start = code_at(body)
    kind = bytes(results) or b"\x40"
    code, depth = bytearray(), 0
    for at, operator, end in operators(body):
        if operator == RETURN:
            code += bytes([BR]) + leb(depth)
            continue
        depth += (operator in (BLOCK, LOOP, IF)) - (operator == END)
        code += body[at:end]

    def move(operator):
        return (bytes([GLOBAL_GET]) + leb(pointer) + bytes([I32_CONST]) + signed(FRAME) + bytes([operator, GLOBAL_SET])
                + leb(pointer))

    # The body's own end closes the block.
    return body[:start] + move(I32_SUB) + bytes([BLOCK]) + kind + code + move(I32_ADD) + bytes([END])
