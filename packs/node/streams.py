"""Node's streams: the npm package `readable-stream`, which has them as a work of its own.

The files that make it run elsewhere are left out: `internal/stream_surroundings` of `lib/` stands in for them.
"""

import posixpath
import re
import tarfile

from libc import npm, sources
from libc.sources import Edit

PACKAGE = ("readable-stream", "4.8.0", "2jhTTU3Eilp/2DMT71gbcoqC35eQHasMJH0RHkYxwlxIv3+FR6Y5xAFZIwEGLxKkjZYEFlsiMNIdwUqjK2lLHQ==")
TAKEN = re.compile(r"stream|stream/promises|internal/streams/(?!lazy_transform).*|ours/primordials")
SURROUNDINGS = {"ours/errors", "ours/util", "internal/validators"}
REQUIRE = re.compile(r"require\('(\.[^']*)'\)")
#: The package's own name for the global variable.
PROCESS = "const process = require('../shims/process')\n"
#: What Node 20 does otherwise.
NEWER = [
    Edit("lib/stream.js", "Stream._isUint8Array = ", "Stream._isArrayBufferView = ArrayBuffer.isView\nStream._isUint8Array = "),
    *(
        Edit(f"lib/internal/streams/{module}.js", old, new)
        for module in ("readable", "writable")
        for old, new in {
            "Stream._isUint8Array(chunk)": "Stream._isArrayBufferView(chunk)",
            "'chunk', ['string', 'Buffer', 'Uint8Array']": "'chunk', ['string', 'Buffer', 'TypedArray', 'DataView']",
        }.items()
    ),
]


def files(work):
    """Its modules, by the names that they have in the library."""
    archive = npm.fetch(*PACKAGE)
    with tarfile.open(archive) as opened:
        sources.extract(opened, work, 1)
    sources.notice(PACKAGE[0], [archive], work)
    sources.apply(work, NEWER)
    library = work / "lib"
    modules = {str(path.relative_to(library).with_suffix("")): path.read_text() for path in sorted(library.rglob("*.js"))}
    return {f"{PACKAGE[0]}/{name}": adapted(name, text) for name, text in modules.items() if TAKEN.fullmatch(name)}


def adapted(name, text):
    """A module whose imports are modules of the library."""
    folder = posixpath.dirname(name)

    def absolute(found):
        # One import names the package's folder `lib`, too.
        wanted = posixpath.normpath(posixpath.join("lib", folder, found[1].removesuffix(".js"))).removeprefix("lib/")
        known = wanted in SURROUNDINGS
        return "require('internal/stream_surroundings')" if known else f"require('{PACKAGE[0]}/{wanted}')"

    text = text.replace(PROCESS, "").replace("string_decoder/", "string_decoder")
    return REQUIRE.sub(absolute, text)
