"""Brotli (MIT): the library's C sources, which its package for Python has; the version that Node 20 has, so that what is compressed has
the same bytes."""

import tarfile

from libc import sources

PACKAGE = ("Brotli", "1.1.0", "Brotli-1.1.0.tar.gz", "81de08ac11bcb85841e440c13611c00b67d3bf82698314928d0b676362546724")


def build(tools, work, fetch):
    """The objects, and the flags that a program needs that uses them; `fetch` gets an archive of the Python package index."""
    archive = fetch(*PACKAGE)
    tree = work / "brotli"
    tree.mkdir()
    with tarfile.open(archive) as opened:
        sources.extract(opened, tree, 1)
    sources.notice("brotli", [archive], tree)
    flags = ["-isystem", str(tree / "c/include")]
    parts = [part for folder in ("common", "dec", "enc") for part in sorted((tree / "c" / folder).glob("*.c"))]
    return tools.objects(parts, [*flags, "-Wno-everything"], "brotli"), flags
