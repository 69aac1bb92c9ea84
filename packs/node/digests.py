"""Digests that `src/hashes.c` has not: the npm package `@noble/hashes`, without its random numbers."""

import re
import tarfile

from libc import npm, sources

PACKAGE = ("@noble/hashes", "1.8.0", "jCs9ldd7NwzpgXDIf6P3+NrHh9/sD6CQdxHyjQI+h/6rDNo88ypBxxz45UDuZHz9r3tNz7N/VInSVoVdtXEI4A==")
TAKEN = ["_blake", "_md", "_u64", "blake2", "legacy", "sha3", "utils"]
REQUIRE = re.compile(r'require\("\./([^"]*)\.js"\)')


def files(work):
    """Its modules, by the names that they have in the library."""
    archive = npm.fetch(*PACKAGE)
    with tarfile.open(archive) as opened:
        sources.extract(opened, work, 1)
    sources.notice("noble-hashes", [archive], work)
    return {f"{PACKAGE[0]}/{name}": adapted((work / f"{name}.js").read_text()) for name in TAKEN}


def adapted(text):
    """A module whose imports are modules of the library."""
    text = text.replace(f'require("{PACKAGE[0]}/crypto")', "{}")
    return REQUIRE.sub(lambda found: f"require('{PACKAGE[0]}/{found[1]}')", text)
