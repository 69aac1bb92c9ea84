"""Builds the pack: `build.py RECIPE OUT`.

Debian's source of SQLite with Debian's patches. Its amalgamation is made as its own build makes it: with tclsh and a C
compiler of the host's.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from libc import sources, zlib
from libc.toolchain import LINUX, Toolchain

SQLITE = {
    "sqlite3_3.40.1.orig.tar.xz": "aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655",
    "sqlite3_3.40.1-2+deb12u2.debian.tar.xz": "0843bc12e4364076477935ce313a6d0796fd899a989ff18ebb6545540e10e4ca",
}

#: What Debian's package switches on, but for what needs threads or modules that are loaded.
FEATURES = """
SECURE_DELETE ENABLE_COLUMN_METADATA ENABLE_FTS3 ENABLE_FTS3_PARENTHESIS ENABLE_FTS4 ENABLE_FTS5 ENABLE_RTREE=1 SOUNDEX=1
OMIT_LOOKASIDE=1 ENABLE_DBSTAT_VTAB ALLOW_ROWID_IN_VIEW ENABLE_UPDATE_DELETE_LIMIT=1 ENABLE_JSON1
LIKE_DOESNT_MATCH_BLOBS ENABLE_FTS3_TOKENIZER=1 USE_URI=1 MAX_SCHEMA_RETRY=25 ENABLE_PREUPDATE_HOOK ENABLE_SESSION
ENABLE_STMTVTAB MAX_VARIABLE_NUMBER=250000 ENABLE_MATH_FUNCTIONS
""".split()

#: What only the shell has. Debian's library lacks the table that `.recover` and `.dbinfo` read, and they say so.
SHELL = ["-DSQLITE_ENABLE_DBPAGE_VTAB"]

#: What differs from Debian's package, as the sandbox does: no threads, no modules, no memory that processes share.
SYSTEM = "THREADSAFE=0 OMIT_LOAD_EXTENSION MAX_MMAP_SIZE=0 HAVE_ZLIB BYTEORDER=1234".split()


def main(out):
    """Builds `out/sqlite3.wasm`."""
    for needed in ("tclsh", "cc", "make"):
        if not shutil.which(needed):
            sys.exit(f"The amalgamation of SQLite is made with {needed}, which this machine does not have")
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        tools = Toolchain(work / "tools")
        compression = zlib.build(tools, work)
        tree = sources.unpack("sqlite3", "3.40.1-2+deb12u2", SQLITE, work)
        features = [f"-DSQLITE_{name}" for name in FEATURES]
        made = work / "made"
        made.mkdir()
        words = [f"TOP={tree}", "BCC=cc -g", "TCC=cc", "NAWK=awk", f"OPTS={' '.join(features)}", "SHELL_OPT="]
        tools.run("make", "-f", tree / "main.mk", *words, "sqlite3.c", "shell.c", cwd=made)
        without_shared_memory(made / "sqlite3.c")
        system = (f"-DSQLITE_{name}" for name in SYSTEM)
        flags = [*LINUX, *features, *system, f"-I{made}", f"-I{compression / 'include'}", "-DHAVE_READLINE=0"]
        flags += [f"-DHAVE_{name}=1" for name in ("FDATASYNC", "USLEEP", "LOCALTIME_R", "GMTIME_R", "UTIME", "STRCHRNUL", "ISNAN")]
        objects = tools.objects([made / "sqlite3.c"], flags) + tools.objects([made / "shell.c"], [*flags, *SHELL])
        tools.link([*objects, compression / "lib/libz.a"], out / "sqlite3.wasm")


def without_shared_memory(amalgamation):
    """A write-ahead log needs memory that processes share. Without such, SQLite keeps one only for a connection that has the
    database alone (`PRAGMA locking_mode=exclusive`), as its documentation says."""
    sources.edit(
        amalgamation,
        "  unixCheckReservedLock,    /* xCheckReservedLock method */\n  unixShmMap                /* xShmMap method */\n",
        "  unixCheckReservedLock,\n  0\n",
    )


if __name__ == "__main__":
    main(Path(sys.argv[2]).absolute())
