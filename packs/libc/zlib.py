"""zlib of Debian's source, for programs that are linked with it."""

import shutil

from . import sources

VERSION = "1:1.2.13.dfsg-1"
HASHES = {
    "zlib_1.2.13.dfsg.orig.tar.bz2": "71feb7947e3c00ef125f83b79a4e529bde31171e5babe48b391f06758d1ab0a1",
    "zlib_1.2.13.dfsg-1.debian.tar.xz": "f66cf3d4f2d7defcd4d1fd1fb0a11ee39f1e01b42ec7d059c9dc5c1695133c44",
}
PARTS = "adler32 compress crc32 deflate inflate inftrees inffast trees zutil uncompr infback".split()


def build(tools, work):
    """A directory with `include` and `lib`."""
    tree = sources.unpack("zlib", VERSION, HASHES, work)
    place = work / "zlib-built"
    (place / "include").mkdir(parents=True)
    (place / "lib").mkdir()
    tools.archive(tools.objects([tree / f"{part}.c" for part in PARTS], ["-DHAVE_UNISTD_H"], "zlib"), place / "lib/libz.a")
    for header in ("zlib.h", "zconf.h"):
        shutil.copyfile(tree / header, place / "include" / header)
    return place
