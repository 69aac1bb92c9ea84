"""Builds the pack: `build.py RECIPE OUT`.

quickjs-ng, whose source is in a package of the Python package index, with the native layer of `src/`, whose ciphers are
Mbed TLS's; zlib and Brotli. Streams and some digests are npm packages. Then the engine is started, here, and runs the
library's files of `lib/`; its memory becomes the program's. So a program that starts has the library loaded.
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import brotli
import digests
import edits
import mbedtls
import snapshot
import streams
from libc import sources, zlib
from libc.toolchain import Toolchain

ENGINE = ("quickjs-ng", "0.17.0.2", "quickjs_ng-0.17.0.2.tar.gz", "43d2e48272208721a7aaea8e3f02d4b9318f12ef20cc4f5421b59d9a470706ef")
PARTS = ["quickjs.c", "libregexp.c", "libunicode.c", "dtoa.c"]


def main(recipe, out):
    """Builds `out/node.wasm`."""
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        tools = Toolchain(work / "tools")
        compression = zlib.build(tools, work)
        engine = edits.apply(unpack(work))
        ciphers, with_ciphers = mbedtls.build(tools, work)
        brotlis, with_brotli = brotli.build(tools, work, fetch)
        flags = [f"-I{engine}", f"-I{compression / 'include'}", "-DNDEBUG", "-Wno-everything"]
        objects = tools.objects([engine / part for part in PARTS], flags, "engine")
        ours = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-isystem", str(engine), f"-I{compression / 'include'}"]
        ours += [*with_ciphers, *with_brotli]
        objects += tools.objects(sorted((recipe / "src").glob("*.c")), ours, "native")
        program = work / "node.wasm"
        tools.link([*objects, *ciphers, *brotlis, compression / "lib/libz.a"], program)
        library = recipe / "lib"
        files = {str(path.relative_to(library).with_suffix("")): path.read_text() for path in sorted(library.rglob("*.js"))}
        files |= streams.files(work / "streams") | digests.files(work / "digests")
        (out / "node.wasm").write_bytes(snapshot.take(program.read_bytes(), files))


def unpack(work):
    """The engine's sources."""
    archive = fetch(*ENGINE)
    tree = work / "quickjs"
    tree.mkdir()
    with tarfile.open(archive) as opened:
        sources.extract(opened, tree, 1)
    sources.notice("quickjs-ng", [archive], tree, ["upstream-quickjs/quickjs.c"])
    return tree / "upstream-quickjs"


def fetch(package, version, name, digest):
    """A source archive of the Python package index, verified."""
    cache = Path(sys.prefix) / "sources"
    cache.mkdir(exist_ok=True)
    archive = cache / name
    if not archive.exists() or hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*command, "--dest", cache, f"{package}=={version}"], check=True)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != digest:
            sys.exit(f"{name} is not what this recipe knows")
    return archive


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
