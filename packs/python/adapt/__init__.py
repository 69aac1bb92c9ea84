"""Changes the compiled interpreter in places that Python code cannot change: `stack`, `guards`, `signals`, `parser`,
`constants`, `threads`, `system`, `sqlite`, the functions that `transplant` inserts (`functions`), and its initial
memory: `immortal`, `heap`, `options`.
"""

import struct
from pathlib import Path

from . import constants, guards, heap, immortal, options, parser, signals, sqlite, stack, system, threads
from .additions import Additions
from .memory import Memory
from .transplant import transplant
from .wasm import Component


def adapt(program, told):
    """Changes the component in the file `program`. The files in the directory `told` have data that the program
    wrote during the build."""
    path = Path(program)
    component = Component(path.read_bytes())
    module = component.module_that_exports("Py_EnterRecursiveCall")
    stack.measure(module)
    stack.measure_others(component)
    guards.guard(module)
    signals.look(module)
    parser.deepen(module)
    system.redirect(component, module)
    together, end = struct.unpack("<2I", (told / "together").read_bytes())
    call_import, sha256, sha512 = struct.unpack("<3I", (told / "digests").read_bytes())
    places = {"threads": int.from_bytes((told / "threads").read_bytes(), "little")}
    room, ready = struct.unpack("<2I", (told / "system").read_bytes())
    _put_in(module, "interpreter", together=together, together_end=end, call_import=call_import, sha256=sha256, sha512=sha512,
            linux=room + system.LINUX, ready=ready, read=system.place(component, "read"),
            write=system.place(component, "write"), **places, **threads.numbers(component))
    _put_in(component.module_that_exports("memchr"), "libc", threads=places["threads"], zones=int.from_bytes((told / "zones").read_bytes(), "little"))
    _put_in(component.module_that_exports("wit_dylib_pop_list"), "calls")
    errno = component.module_that_exports("libpython3.14.so:memory_base").initial_values()["libpython3.14.so:errno"]
    constants.fold(component)
    memory = Memory(component.module_that_exports("libpython3.14.so:memory_base"))
    heap.close(memory)
    immortal.keep(memory, (told / "immortal").read_bytes())
    immortal.count_no_more(memory, (told / "counting").read_bytes())
    sqlite.use(component, memory)
    options.tell(memory, (told / "options").read_bytes())
    memory.write_back()
    added = Additions(component)
    threads.add(added)
    system.add(added, room, errno)
    path.write_bytes(component.encode())


def _put_in(module, folder, **values):
    for source in sorted((Path(__file__).parent / "functions" / folder).iterdir()):
        transplant(module, source, values)
