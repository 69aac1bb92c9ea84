"""Builds the pack: `build.py RECIPE OUT`, run in an environment that has the recipe's requirements.

During the build, the interpreter is started and imports the modules that programs commonly use. Then its state is
saved, and every program starts from that state.
"""

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from python.adapt import adapt, unwinding
from python.adapt.wasm import Component
from python.optimise import optimise

#: Parts of the library that are left out: their C parts are missing, or they are tests and documents.
LEFT_OUT = ["idlelib", "turtledemo", "tkinter", "turtle.py", "test", "lib-dynload"]
#: Files that an installation adds to a package, and files that each start of the interpreter would read.
NOT_COPIED = ["INSTALLER", "REQUESTED", "direct_url.json", "distutils-precedence.pth"]


def main(recipe, out, packages=None, modules=(), starts=()):
    """Builds `out/python.wasm` and `out/lib`.

    Packages are a directory with them, as an installation makes it: their C modules become parts of the program. The
    modules are those that are imported during the build.
    """
    app = out / "app"
    shutil.copytree(recipe / "src", app, ignore=shutil.ignore_patterns("__pycache__"))
    if packages:
        shutil.copytree(packages, app / "site-packages")
        lists = {"MODULES": modules, "STARTS": starts}
        text = "".join(f"{name} = {' '.join(words)!r}\n" for name, words in lists.items())
        (app / "_sandshell" / "additional.py").write_text(text)
    throwing = without_exceptions(app)
    build_component(recipe, app, out / "python.wasm")
    with_exceptions(out / "python.wasm", throwing)
    adapt(out / "python.wasm", app)
    optimise(out / "python.wasm")
    library = out / "lib"
    shutil.move(app / "lib", library)
    shutil.rmtree(app)
    for name in LEFT_OUT:
        remove(library / name)
    # The modules of this pack are in the program; their sources are only for tracebacks and readers.
    shutil.copytree(recipe / "src" / "_sandshell", library / "_sandshell",
                    ignore=shutil.ignore_patterns("__pycache__"))
    site = library / "site-packages"
    for name in ("tzdata", "pip", "setuptools"):
        copy_distribution(name, site)
    if packages:
        shutil.copytree(packages, site, dirs_exist_ok=True)
        for module in site.rglob("*.so"):
            # It is in the program; the file is there so that it is found.
            module.write_bytes(b"")


def without_exceptions(app):
    """Takes exceptions from the packages' modules, in place. The modules as they were."""
    found = []
    for file in sorted(app.rglob("*.so")):
        module = file.read_bytes()
        if unwinding.throws(module):
            found.append(module)
            file.write_bytes(unwinding.without(module))
    return found


def with_exceptions(program, modules):
    """Gives these modules of a program their exceptions back."""
    if modules:
        component = Component(program.read_bytes())
        unwinding.restore(component, modules)
        program.write_bytes(component.encode())


def build_component(recipe, app, program):
    """Runs componentize-py."""
    tool = Path(sysconfig.get_path("scripts")) / "componentize-py"
    command = [tool, "-q", "-d", recipe / "wit", "-w", "python", "componentize", "-p", app, "_sandshell_entry", "-o", program]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment.pop("VIRTUAL_ENV", None)
    subprocess.run(command, check=True, cwd=app, env=environment)


def copy_distribution(name, target):
    """Copies an installed package in the layout of its wheel."""
    for file in importlib.metadata.files(name):
        if ".." in file.parts or "__pycache__" in file.parts or file.name in NOT_COPIED or "tests" in file.parts:
            continue
        place = target / file
        place.parent.mkdir(parents=True, exist_ok=True)
        if file.name == "RECORD":
            # An environment's programs contain its path, so their hashes would differ between builds.
            lines = file.locate().read_bytes().splitlines(keepends=True)
            place.write_bytes(b"".join(line for line in lines if not line.startswith(b"../../../")))
        else:
            shutil.copyfile(file.locate(), place)


def remove(path):
    """Removes a file or a directory, if it exists."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
