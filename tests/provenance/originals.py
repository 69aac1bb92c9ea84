"""The originals: the programs whose behaviour this project has, as source packages of Debian 12."""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "suites"))
from source import unpack  # noqa: E402

PACKAGES = [
    "bash", "bc", "bsdmainutils", "busybox", "bzip2", "coreutils", "dash", "debianutils", "diffutils", "file", "findutils",
    "gawk", "grep", "gzip", "hostname", "jq", "less", "make-dfsg", "mawk", "mksh", "ncurses", "original-awk", "patch",
    "procps", "psmisc", "sed", "tar", "tree", "unzip", "util-linux", "xz-utils", "zip",
]
CODE = {".c", ".h", ".y", ".l", ".awk", ".jq", ".def"}
MANUALS = {".texi", ".1", ".txi", ".adoc", ".yml"}
# Where a package keeps what it is tested with, or shows how it is used.
TESTS = re.compile(r"(^|/)(tests?|testsuite|examples|check\.t|t)(/|$)")
LARGEST = 1 << 20
# What tests answer, not what they do.
ANSWERS = {".right", ".ok", ".out", ".good", ".exp", ".expected"}


def fetch(cache):
    """Makes each package's tree in `cache`; those that cannot be fetched are named."""
    missing = []
    for package in PACKAGES:
        tree = cache / "trees" / package
        if tree.exists():
            continue
        print(f"fetching {package}", file=sys.stderr, flush=True)
        try:
            unpack(package, cache / "packages", tree)
        except (SystemExit, subprocess.CalledProcessError):
            missing.append(package)
    return missing


def files(cache):
    """Each file of the originals that can be read as text: package, path in it, kind (`code`, `manual`, `test`), text."""
    for tree in sorted((cache / "trees").iterdir()):
        for path in sorted(tree.rglob("*")):
            name = str(path.relative_to(tree))
            if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST or name.startswith("debian/"):
                continue
            if path.suffix in ANSWERS:
                continue
            if TESTS.search(name):
                kind = "test"
            elif path.suffix in CODE:
                kind = "code"
            elif path.suffix in MANUALS:
                kind = "manual"
            else:
                continue
            data = path.read_bytes()
            if b"\0" not in data[:4096]:
                yield tree.name, name, kind, data.decode("utf-8", "replace")
