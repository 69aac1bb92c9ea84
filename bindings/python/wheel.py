#!/usr/bin/env python3
"""Builds the wheel, with Python for the sandbox in it: `python3 bindings/python/wheel.py [--pack DIR] [--to DIR]`.

It needs pip and Rust; build tools come from the package index. The pack `python` is built unless `--pack` names a
built one. The wheel is written to `target/wheels` or to the directory of `--to`.

The wheel contains the pack's program compiled for this machine's kind of processor, so that nothing is compiled
after installation. The native part contains the hash of that code and executes no other.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SANDSHELL = ["cargo", "run", "--release", "--bin", "sandshell", "--"]
PACKS = HERE / "python" / "sandshell" / "_packs"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--pack", type=Path)
    arguments.add_argument("--to", type=Path, default=ROOT / "target" / "wheels")
    arguments = arguments.parse_args()
    with tempfile.TemporaryDirectory() as place:
        pack = arguments.pack or built(Path(place))
        shutil.rmtree(PACKS, ignore_errors=True)
        shutil.copytree(pack, PACKS / "python")
    try:
        carried = compiled(PACKS / "python")
        pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(arguments.to)]
        subprocess.run([*pip, str(HERE)], check=True, env={**os.environ, "SANDSHELL_CARRIED_CODE": carried})
    finally:
        shutil.rmtree(PACKS)


def built(place: Path) -> Path:
    homes = {"XDG_DATA_HOME": str(place), "XDG_CACHE_HOME": str(place / "cache")}
    subprocess.run([*SANDSHELL, "pack", "build", "python"], check=True, cwd=ROOT, env={**os.environ, **homes})
    return place / "sandshell" / "packs" / "python"


def compiled(pack: Path) -> str:
    """Compiles the pack's program into a file; returns the hashes of both in the form that the native part
    expects."""
    subprocess.run([*SANDSHELL, "pack", "compile", str(pack)], check=True, cwd=ROOT)
    return ":".join(hashlib.sha256((pack / f"python.{kind}").read_bytes()).hexdigest() for kind in ("wasm", "code"))


if __name__ == "__main__":
    main()
