"""Builds the pack: `build.py RECIPE OUT`. As the recipe `numpy`, with pandas' C modules too."""

import shutil
import sys
import tempfile
from pathlib import Path

import python
from extensions.index import unpack
from numpy import build as base
from pandas import edits
from python import build as interpreter

PANDAS = ("pandas", "3.0.6", "66b07ef7315a31bfe1089cd3d71a7de781c9dca986762d0b4fe7c0ef17465d10")

#: What is imported during the build, besides numpy's.
MODULES = [
    *"dateutil.easter dateutil.parser dateutil.relativedelta dateutil.rrule dateutil.tz".split(),
    *"pandas pandas.testing pandas.api.typing pandas.core.computation.eval pandas.core.computation.expr".split(),
]

#: In place of numpy during pandas' build: it asks for the headers, which are those of the interpreter's numpy.
NUMPY = """\
def get_include():
    return {include!r}
"""


def main(recipe, out):
    """Builds `out/python.wasm` and `out/lib`."""
    with tempfile.TemporaryDirectory() as work:
        packages = compile_all(Path(work))
        interpreter.main(Path(python.__path__[0]), out, packages, [*base.MODULES, *MODULES])


def compile_all(work):
    """Compiles numpy and pandas. The directory with what they install, and with what they need."""
    meson, packages = base.compile_all(work)
    tree = unpack(*PANDAS, work)
    edits.edit(tree)
    modules = declarations(packages / "numpy", work / "modules")
    found = meson.install(tree, *PANDAS[:2], modules=modules, licences=["LICENSE", "LICENSES"])
    shutil.copytree(found, packages, dirs_exist_ok=True)
    interpreter.copy_distribution("python-dateutil", packages)
    return packages


def declarations(numpy, into):
    """A directory with what pandas' build looks for: numpy's headers and Cython declarations. And a module for versions that it
    imports, although the version is written down in the sources."""
    (into / "numpy").mkdir(parents=True)
    for file in numpy.glob("*.pxd"):
        shutil.copy(file, into / "numpy")
    include = numpy / "_core" / "include"
    (into / "numpy" / "__init__.py").write_text(NUMPY.format(include=str(include)))
    (into / "versioneer.py").touch()
    return into


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
