"""Compiles a package's C modules with its own build system, meson."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


class Meson:
    """Compiles packages below `work`, with a `compiler` for the interpreter. `program` is meson's own file."""

    def __init__(self, program, compiler, work):
        self.command = [sys.executable, program]
        self.site = compiler.SITE
        self.work = work
        self.cross = compiler.description()

    def install(self, tree, package, version, options=(), modules=None, licences=("LICENSE.txt",), tags=None):
        """Compiles the sources in `tree`. The directory with what they install, with the package's metadata.

        `modules` is a directory of Python modules and of Cython's declarations that the build finds first. `tags` are
        the parts that are installed, if not all are.
        """
        build, installed = self.work / f"{package}.build", self.work / f"{package}.installed"
        environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        # The modules of recipes have the names of packages.
        environment.pop("PYTHONPATH", None)
        if modules:
            environment["PYTHONPATH"] = str(modules)

        def run(*command):
            done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{done.stdout[-8000:]}\n{done.stderr[-8000:]}")

        options = [f"-D{option}" for option in options]
        run(*self.command, "setup", build, tree, "--prefix=/usr", f"--cross-file={self.cross}", *options)
        run(Path(sys.executable).with_name("ninja"), "-C", build)
        run(*self.command, "install", "-C", build, "--no-rebuild", f"--destdir={installed}", *([f"--tags={tags}"] if tags else []))
        packages = installed / "usr" / self.site
        metadata = packages / f"{package}-{version}.dist-info"
        metadata.mkdir()
        shutil.copyfile(tree / "PKG-INFO", metadata / "METADATA")
        for licence in licences:
            source, target = tree / licence, metadata / licence
            shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
        (metadata / "INSTALLER").write_text("sandshell\n")
        forget(packages, self.work)
        return packages


def forget(packages, work):
    """Removes what differs between builds: the place of the work, and bytecode, which is the build environment's."""
    for cache in list(packages.rglob("__pycache__")):
        shutil.rmtree(cache)
    for file in packages.glob("*/__config__.py"):
        file.write_text(file.read_text().replace(f"{work}/", ""))
