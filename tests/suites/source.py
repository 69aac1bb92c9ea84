"""Fetches Debian source packages."""

import shutil
import subprocess
import sys


def unpack(package, packages, tree):
    """Makes `tree` the unpacked source of `package`, whose files are kept in `packages`."""
    packages.mkdir(parents=True, exist_ok=True)
    dsc = newest(package, packages)
    if dsc is None:
        done = subprocess.run(["apt-get", "source", "--download-only", package], cwd=packages, stdout=subprocess.DEVNULL)
        dsc = newest(package, packages)
        if done.returncode != 0 or dsc is None:
            sys.exit(f"cannot fetch the source of {package}: do apt's sources have lines for deb-src?")
    shutil.rmtree(tree, ignore_errors=True)
    tree.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["dpkg-source", "--no-check", "-x", dsc, tree], check=True, stdout=subprocess.DEVNULL)


def newest(package, packages):
    return max(packages.glob(f"{package}_*.dsc"), default=None)
