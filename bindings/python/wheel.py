#!/usr/bin/env python3
"""Builds the wheel, the Python pack in it: `python3 bindings/python/wheel.py [MATURIN-ARGUMENTS]`. It needs maturin."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKS = HERE / "python" / "sandshell" / "packs"


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as data:
        command = ["cargo", "run", "--release", "--bin", "sandshell", "--", "pack", "build", "python"]
        homes = {"XDG_DATA_HOME": data, "XDG_CACHE_HOME": str(Path(data) / "cache")}
        subprocess.run(command, check=True, cwd=HERE.parent.parent, env={**os.environ, **homes})
        shutil.rmtree(PACKS, ignore_errors=True)
        shutil.copytree(Path(data) / "sandshell" / "packs", PACKS)
    subprocess.run(["maturin", "build", "--release", *arguments], check=True, cwd=HERE)


if __name__ == "__main__":
    main(sys.argv[1:])
