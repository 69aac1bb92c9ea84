"""Builds the pack: `build.py RECIPE OUT`. CPython as in the recipe `python`, with numpy's C modules as parts of the
program."""

import sys
import tempfile
from pathlib import Path

import python
from extensions.compiler import Compiler
from extensions.index import unpack
from extensions.meson import Meson
from numpy import edits
from python import build as interpreter

NUMPY = ("numpy", "2.3.5", "784db1dcdab56bf0517743e746dfb0f885fc68d948aba86eeec2cba234bdf1c0")

#: No BLAS, no threads, and no code for several kinds of one processor.
OPTIONS = ["allow-noblas=true", "blas=none", "lapack=none", "disable-optimization=true", "disable-threading=true", "buildtype=release"]

#: What is imported during the build, so that importing it later costs nothing.
MODULES = """
numpy numpy.ctypeslib numpy.exceptions numpy.fft numpy.lib.mixins numpy.lib.recfunctions numpy.lib.scimath numpy.lib.stride_tricks
numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.testing numpy.typing
""".split()


def main(recipe, out):
    """Builds `out/python.wasm` and `out/lib`."""
    with tempfile.TemporaryDirectory() as work:
        _, packages = compile_all(Path(work))
        interpreter.main(Path(python.__path__[0]), out, packages, MODULES)


def compile_all(work):
    """Compiles numpy. Its build system, which can compile others, and the directory with what it installs."""
    tree = unpack(*NUMPY, work)
    edits.edit(tree)
    meson = Meson(tree / "vendored-meson/meson/meson.py", Compiler(work / "compiler"), work)
    return meson, meson.install(tree, *NUMPY[:2], OPTIONS)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
