"""Changes the compiled interpreter where it cannot be reached from Python: `stack`, `guards`, `signals`, `parser`, `errnos` and
`constants`.
"""

from pathlib import Path

from . import constants, errnos, guards, parser, signals, stack
from .wasm import Component


def adapt(program):
    """Changes the component in the file `program`."""
    path = Path(program)
    component = Component(path.read_bytes())
    module = component.module_that_exports("Py_EnterRecursiveCall")
    stack.measure(module)
    guards.guard(module)
    signals.look(module)
    parser.deepen(module)
    errnos.interrupted(module)
    constants.fold(component)
    path.write_bytes(component.encode())
