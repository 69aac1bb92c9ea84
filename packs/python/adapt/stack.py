"""Makes deep recursion of C functions raise RecursionError.

CPython compares the stack pointer with a limit where recursion may become deep. A WebAssembly program has two
stacks: one in its memory, which that pointer belongs to, and the engine's own, which it cannot see. A function
whose variables are all on the engine's stack uses nothing of the stack in memory. So a deeply nested list never
reaches the limit but overflows the engine's stack, which ends the process. Therefore the functions that compare get
a frame on the stack in memory.
"""

from .wasm import (BLOCK, BR, CALL, END, GLOBAL_GET, GLOBAL_SET, I32_ADD, I32_CONST, I32_SUB, IF, LOOP, RETURN, code_at,
                   TRY_TABLE, leb, operators, read, signed)

#: The size of such a frame. The engine's stack is four times as large as the one in memory.
FRAME = 192
#: Loads `tstate + offsetof(_PyThreadStateImpl, c_stack_soft_limit)`.
LIMIT = bytes([I32_CONST]) + signed(712) + bytes([I32_ADD, 0x28, 2, 0])
#: Functions that compare on behalf of their callers.
FOR_CALLERS = ["_Py_ReachedRecursionLimitWithMargin", "Py_EnterRecursiveCall", "_Py_EnterRecursiveCall"]
#: Functions that must be found; otherwise this is not the interpreter that this code was written for.
KNOWN = {"_Py_Dealloc", "PyObject_Repr", "_PyEval_EvalFrameDefault", "PyObject_RichCompare", "encoder_listencode_obj"}


def measure(module):
    """Gives each function that compares a frame of this size."""
    for_callers = {module.function(name) for name in FOR_CALLERS}
    calls = [bytes([CALL]) + _padded(index) for index in for_callers]
    pointer = module.imported_globals.index("__stack_pointer")
    found = set()
    for index, name, body in module.functions():
        # The parser counts the depth of its rules itself.
        if index in for_callers or name.endswith("_rule"):
            continue
        if LIMIT in body or any(call in body for call in calls):
            found.add(name)
            module.replace(index, with_frame(body, module.type(index)[1], pointer))
    if not KNOWN <= found:
        raise LookupError(f"{KNOWN - found} do not compare the stack pointer")


def measure_others(component):
    """Does the same in the modules of packages: their functions compare by calling the interpreter's."""
    for module in component.modules_that_import("Py_EnterRecursiveCall"):
        call = bytes([CALL]) + _padded(module.any_function("Py_EnterRecursiveCall"))
        pointer = module.imported_globals.index("__stack_pointer")
        for index, _, body in module.functions():
            if call in body:
                module.replace(index, with_frame(body, module.type(index)[1], pointer))


def _padded(index):
    """A function's index in the padded form that linkers write."""
    data = leb(index)
    return bytes(byte | 0x80 for byte in data) + bytes([0x80] * (4 - len(data))) + b"\0"


def with_frame(body, results, pointer):
    """The function with its code in a block. The stack pointer is moved before the block and restored after it."""
    start = code_at(body)
    kind = bytes(results) or b"\x40"
    code, depth = bytearray(), 0
    for at, operator, end in operators(body):
        if operator == RETURN:
            code += bytes([BR]) + leb(depth)
            continue
        depth += (operator in (BLOCK, LOOP, IF, TRY_TABLE)) - (operator == END)
        code += body[at:end]

    def move(operator):
        return (bytes([GLOBAL_GET]) + leb(pointer) + bytes([I32_CONST]) + signed(FRAME) + bytes([operator, GLOBAL_SET])
                + leb(pointer))

    # The body's own end closes the block.
    return body[:start] + move(I32_SUB) + bytes([BLOCK]) + kind + code + move(I32_ADD) + bytes([END])
