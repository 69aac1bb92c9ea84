"""Builds each case as a program of its own: `build.py RECIPE OUT`."""

import sys
import tempfile
from pathlib import Path

from libc.toolchain import LINUX, Toolchain


def main(recipe, out):
    """Builds `out/cases` and, as a pack has one, `out/other.wasm`."""
    cases = out / "cases"
    cases.mkdir()
    with tempfile.TemporaryDirectory() as work:
        tools = Toolchain(work)
        sources = sorted((recipe / "cases").glob("*.c"))
        for source in sources:
            # Some see errors with Linux's numbers.
            words = LINUX if source.stem.startswith("linux_") else []
            tools.link(tools.objects([source], ["-std=gnu17", *words]), cases / source.stem).chmod(0o755)
    (out / "other.wasm").write_bytes((cases / "other").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
