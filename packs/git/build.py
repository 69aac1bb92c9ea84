"""Builds the pack: `build.py RECIPE OUT`.

Debian's source of git with Debian's patches, and with the few edits of `edits.py`: where git forks, it asks the kernel
for a process. Instead of the helpers for the web there is `remote-http`.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import edits
from libc import sources, zlib
from libc.toolchain import Toolchain

VERSION = "1:2.39.5-0+deb12u3"
GIT = {
    "git_2.39.5.orig.tar.xz": "c58da92c378df4a986ca33266897a7397e86c22ee266a284d8c2432c39066b59",
    "git_2.39.5-0+deb12u3.debian.tar.xz": "b19cbf9a483a6625d924119ebe99f997acfe83616906d33d2079ca3d7d668d22",
}

#: What git asks its Makefile about a system. `uname_S` is one that it has no list for. The rest is as in Debian's
#: package, but for what the sandbox lacks: a network, threads, perl, python, tcl, translations.
MAKE = """
uname_S=WASI uname_M=wasm32 uname_R=1 uname_O=WASI
prefix=/usr gitexecdir=/usr/lib/git-core sysconfdir=/etc htmldir=/usr/share/doc/git/html
NO_CURL=1 NO_EXPAT=1 NO_OPENSSL=1 NO_UNIX_SOCKETS=1 NO_PTHREADS=1 NO_MMAP=1 ICONV_OMITS_BOM=1
NO_PERL=1 NO_PYTHON=1 NO_TCLTK=1 NO_GETTEXT=1 NO_POSIX_GOODIES=1
NO_REGEX=NeedsStartEnd CSPRNG_METHOD=getentropy HAVE_PATHS_H= HAVE_DEV_TTY=1 HAVE_CLOCK_GETTIME=1 HAVE_CLOCK_MONOTONIC=1 HAVE_GETDELIM=1
SKIP_DASHED_BUILT_INS=1 NO_INSTALL_HARDLINKS=1 SANE_TOOL_PATH=
CFLAGS=-O2 DEFAULT_PAGER=less DEFAULT_EDITOR=editor GIT_VERSION=2.39.5 HOST_CPU=wasm32
""".split()

#: Scripts that are commands of git's, and what they read.
SCRIPTS = """
git-bisect git-filter-branch git-merge-octopus git-merge-one-file git-merge-resolve git-mergetool git-mergetool--lib
git-difftool--helper git-quiltimport git-request-pull git-sh-i18n git-sh-setup git-submodule
""".split()


#: Addresses that git has a helper for. There is no network: `remote-http` says so for all.
REMOTES = "http https ftp ftps".split()


def main(recipe, out):
    """Builds `out/git.wasm`, `out/core` and `out/share`."""
    with tempfile.TemporaryDirectory() as work:
        tools, tree, words = prepare(Path(work))
        tools.run("make", *words, "git", *SCRIPTS, "git-sh-i18n--envsubst", cwd=tree)
        tools.run("make", *words, "-C", "templates", cwd=tree)
        shutil.copyfile(tree / "git", out / "git.wasm")
        core = out / "core"
        for script in [*SCRIPTS, "git-sh-i18n--envsubst"]:
            install(tree / script, core / script, 0o755)
        install(tree / "contrib/subtree/git-subtree.sh", core / "git-subtree", 0o755)
        for scheme in REMOTES:
            install(recipe / "remote-http", core / f"git-remote-{scheme}", 0o755)
        for tool in (tree / "mergetools").iterdir():
            install(tool, core / "mergetools" / tool.name, 0o644)
        templates = tree / "templates/blt"
        for file in templates.rglob("*"):
            place = out / "share/templates" / file.relative_to(templates)
            if file.is_dir():
                place.mkdir(parents=True, exist_ok=True)
            else:
                install(file, place, 0o755 if os.access(file, os.X_OK) else 0o644)


def prepare(work):
    """The compiler, the sources as they are built, and what to tell `make`."""
    tools = Toolchain(work / "tools")
    compression = zlib.build(tools, work)
    tree = sources.unpack("git", VERSION, GIT, work)
    sources.apply(tree, edits.ALL)
    words = [*MAKE, f"CC={tools.cc}", f"AR={tools.ar}", f"ZLIB_PATH={compression}", f"-j{os.cpu_count()}"]
    return tools, tree, words


def install(source, target, mode):
    """Copies a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
