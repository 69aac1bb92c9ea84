"""Runs signal handlers while a program computes.

The interpreter checks a byte, `eval_breaker`, in each loop and at each start of a function. Nothing sets it here,
because there are no threads and no interrupts. So the check is replaced by a call of a function that counts calls.
Every few milliseconds it trips a signal whose handler (`_sandshell.signals.poll`) asks the kernel for signals that
have arrived.
"""

from .wasm import CALL, END, GLOBAL_GET, GLOBAL_SET, I32, I32_ADD, I32_CONST, I32_SUB, I64, leb, signed

#: `tstate->eval_breaker`, its low byte.
BREAKER = bytes([I32_CONST]) + signed(12) + bytes([I32_ADD, 0x2d, 0, 0])
#: The signal's number in WASI's C library: SIGINT.
TRIPPED = 2
#: Nanoseconds between two polls.
PAUSE = 5_000_000
#: How many calls pass between two checks of the clock: at the beginning, and at most.
FIRST, MOST = 512, 1 << 16
#: The most extra calls, chosen at random: in a loop that makes calls, polls must not always fall into the calls.
JITTER = 127

IF, ELSE, RETURN, LOCAL_GET, LOCAL_TEE, VOID = 0x04, 0x05, 0x0f, 0x20, 0x22, 0x40
I32_SHL, I32_SHR, I32_LT, I64_SUB, I64_LT, I64_CONST, DROP, I64_LOAD = 0x74, 0x76, 0x48, 0x7d, 0x53, 0x42, 0x1a, 0x29
I32_AND, I32_WRAP = 0x71, 0xa7


def look(module):
    """Makes the interpreter's loop poll for signals."""
    index = module.function("_PyEval_EvalFrameDefault")
    counter = _add_counter(module)
    body = next(body for number, _, body in module.functions() if number == index)
    if body.count(BREAKER) < 20:
        raise LookupError("the interpreter does not look at eval_breaker as expected")
    # The call must be as long as the code that it replaces.
    call = bytes([CALL]) + leb(counter)
    module.replace(index, body.replace(BREAKER, call))


def _add_counter(module):
    """Adds the function. It takes the thread's state and returns its `eval_breaker`."""
    left = module.add_global(I32, FIRST)
    period = module.add_global(I32, FIRST)
    last = module.add_global(I64, 0)
    clock = module.function("PyTime_MonotonicRaw")
    stack = module.imported_globals.index("__stack_pointer")
    trip = module.function("PyErr_SetInterruptEx")
    # In this program it lets other threads run (`functions/interpreter/threads.wat`).
    turn = module.function("PyThread_delete_key")

    def get(variable):
        return bytes([GLOBAL_GET]) + leb(variable)

    def put(variable):
        return bytes([GLOBAL_SET]) + leb(variable)

    def const(number):
        return bytes([I32_CONST]) + signed(number)

    def wide(number):
        return bytes([I64_CONST]) + signed(number)

    def op(*bytes_):
        return bytes(bytes_)

    # Variables: 0 is the thread's state, 1 the time, 2 the time since the last poll.
    seldom = (
        get(stack) + const(16) + op(I32_SUB) + put(stack) + get(stack) + op(CALL) + leb(clock) + op(DROP)
        + get(stack) + op(I64_LOAD, 3, 0) + get(stack) + const(16) + op(I32_ADD) + put(stack)
        + op(LOCAL_TEE, 1) + get(last) + op(I64_SUB, LOCAL_TEE, 2)
        + wide(PAUSE) + op(I64_LT, IF, VOID)
        # Too early: check the clock less often.
        + get(period) + const(MOST) + op(I32_LT, IF, VOID) + get(period) + const(1) + op(I32_SHL) + put(period) + op(END)
        + op(ELSE)
        + op(LOCAL_GET, 1) + put(last)
        # Late: check the clock more often.
        + op(LOCAL_GET, 2) + wide(4 * PAUSE) + op(I64_LT, IF, VOID, ELSE)
        + get(period) + const(2) + op(I32_SHR) + const(1) + op(I32_ADD) + put(period) + op(END)
        + const(TRIPPED) + op(CALL) + leb(trip) + op(DROP)
        + op(LOCAL_GET, 0, CALL) + leb(turn)
        + op(END)
        + get(period) + op(LOCAL_GET, 1, I32_WRAP) + const(JITTER) + op(I32_AND, I32_ADD) + put(left)
    )
    often = get(left) + const(1) + op(I32_SUB) + put(left) + const(0) + get(left) + op(I32_LT, IF, VOID, ELSE)
    answer = op(LOCAL_GET, 0) + BREAKER
    body = op(1, 2, I64) + often + seldom + op(END) + answer + op(END)
    return module.add_function([I32], [I32], body)
