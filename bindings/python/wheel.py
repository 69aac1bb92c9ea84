#!/usr/bin/env python3
"""Builds the wheel, with Python for the sandbox in it: `python3 bindings/python/wheel.py [--pack DIR] [--to DIR]`.

It needs pip and Rust; what builds the wheel comes from the package index. The pack `python` is built unless `--pack` names one
that is. The wheel is in `target/wheels` unless `--to` says otherwise.

The wheel carries the program of the pack compiled for a processor as this one, so that nothing is compiled where it is
installed. The package's native part knows the hash of that code, and executes no other.
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
    """Compiles the pack's program into a file of it; the hashes of both, as the native part is told them."""
    subprocess.run([*SANDSHELL, "pack", "compile", str(pack)], check=True, cwd=ROOT)
    return ":".join(hashlib.sha256((pack / f"python.{kind}").read_bytes()).hexdigest() for kind in ("wasm", "code"))


if __name__ == "__main__":
    main()
