"""Builds the pack: `build.py RECIPE OUT`. CPython as in the recipe `python`, with numpy's C modules as parts of the program."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import edits
import python
from compiler import Compiler
from libc import sources
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
        work = Path(work)
        compiler = Compiler(work / "compiler")
        tree = unpack(*NUMPY, work)
        edits.edit(tree)
        packages = compile_all(compiler, tree, work)
        interpreter.main(Path(python.__path__[0]), out, packages, MODULES)


def compile_all(compiler, tree, work):
    """Compiles numpy with its own build system. The directory with what it installs."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    meson = [sys.executable, tree / "vendored-meson/meson/meson.py"]
    options = [f"-D{option}" for option in OPTIONS]
    build = work / "build"

    def run(*command):
        done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout[-8000:]}\n{done.stderr[-8000:]}")

    run(*meson, "setup", build, tree, "--prefix=/usr", f"--cross-file={compiler.description()}", *options)
    run(Path(sys.executable).with_name("ninja"), "-C", build)
    run(*meson, "install", "-C", build, "--no-rebuild", f"--destdir={work / 'installed'}")
    packages = work / "installed" / "usr" / compiler.SITE
    metadata = packages / f"numpy-{NUMPY[1]}.dist-info"
    metadata.mkdir()
    shutil.copyfile(tree / "PKG-INFO", metadata / "METADATA")
    shutil.copyfile(tree / "LICENSE.txt", metadata / "LICENSE.txt")
    (metadata / "INSTALLER").write_text("sandshell\n")
    return packages


def unpack(package, version, digest, work):
    """The sources of the Python package index, verified."""
    cache = Path(sys.prefix) / "sources"
    cache.mkdir(exist_ok=True)
    archive = cache / f"{package}-{version}.tar.gz"
    if not archive.exists() or hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
        fetch(package, version, cache, work / "backend")
        if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
            sys.exit(f"{archive.name} is not what this recipe knows")
    tree = work / package
    tree.mkdir()
    with tarfile.open(archive) as opened:
        sources.extract(opened, tree, 1)
    return tree


def fetch(package, version, into, backend):
    """Lets pip fetch an archive of sources. pip asks the package's build system for its name and version, and numpy's would compile
    for minutes before it answers; so this one answers."""
    name = f"{package}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
    backend.mkdir()
    (backend / "mesonpy.py").write_text(f"""
import pathlib
def prepare_metadata_for_build_wheel(directory, settings=None):
    place = pathlib.Path(directory, {name!r})
    place.mkdir()
    (place / "METADATA").write_text({metadata!r})
    return {name!r}
""")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"]
    environment = {**os.environ, "PYTHONPATH": str(backend)}
    subprocess.run([*command, "--no-build-isolation", "--dest", into, f"{package}=={version}"], check=True, env=environment)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
