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
        # Some see errors with Linux's numbers.
        linux = [source for source in sources if source.stem.startswith("linux_")]
        plain = [source for source in sources if source not in linux]
        for group, words in ((plain, []), (linux, LINUX)):
            for source, compiled in zip(group, tools.objects(group, ["-std=gnu17", *words])):
                tools.link([compiled], cases / source.stem).chmod(0o755)
    (out / "other.wasm").write_bytes((cases / "other").read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
