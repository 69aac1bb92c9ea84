"""Fetches an archive of a package's sources from the Python package index, verified by the hash that a recipe knows."""

import hashlib
import os
import subprocess
import sys
import tarfile
from pathlib import Path

from libc import sources


def unpack(package, version, digest, work):
    """Unpacks the sources of a package below `work`. The tree."""
    cache = Path(sys.prefix) / "sources"
    cache.mkdir(exist_ok=True)
    archive = cache / f"{package}-{version}.tar.gz"
    if not archive.exists() or hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
        fetch(package, version, cache, work / f"{package}.backend")
        if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
            sys.exit(f"{archive.name} is not what this recipe knows")
    tree = work / package
    tree.mkdir()
    with tarfile.open(archive) as opened:
        sources.extract(opened, tree, 1)
    sources.notice(package, [archive], tree)
    return tree


def fetch(package, version, into, backend):
    """Lets pip fetch an archive of sources. pip asks the package's build system (meson-python or setuptools) for its name and version,
    which may compile for minutes before it answers; so these answer."""
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
    (backend / "setuptools").mkdir()
    (backend / "setuptools/__init__.py").touch()
    (backend / "setuptools/build_meta.py").write_text("""
from mesonpy import prepare_metadata_for_build_wheel
class Backend:
    def build_wheel(self, *_):
        raise NotImplementedError
build_wheel = Backend().build_wheel
""")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"]
    environment = {**os.environ, "PYTHONPATH": str(backend)}
    subprocess.run([*command, "--no-build-isolation", "--dest", into, f"{package}=={version}"], check=True, env=environment)
