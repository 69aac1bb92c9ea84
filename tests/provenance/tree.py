"""Which files of an original are read, and as what; the facts of each are kept in the cache."""

import hashlib
import pickle
from pathlib import Path
from typing import NamedTuple

import facts
import lexer

SOURCES = {".c": lexer.C, ".h": lexer.C, ".y": lexer.C, ".l": lexer.C, ".def": lexer.C, ".rs": lexer.RUST}
# Neither written for people nor run.
LEFT_OUT = {".po", ".pot", ".gmo", ".m4", ".html", ".svg", ".eps", ".ps", ".pdf", ".info", ".vim", ".spl", ".ru", ".de"}
LEFT_OUT_FOLDERS = {"po", "po-man", "m4", ".pc", "build-aux", "debian", "gnulib-m4", ".git", "locale-data"}
LEFT_OUT_NAMES = ("ChangeLog", "configure", "Makefile", "aclocal", "config.", "COPYING", "LICENSE", "texinfo.tex", "fdl.")
TEST_FOLDERS = {"test", "tests", "testsuite", "testsuites", "Test", "testdir", "bugs-fixed", "gnulib-tests", "jit"}
TEST_NAMES = {"check.t"}
LARGEST = 2 << 20
VERSION = "".join(hashlib.sha256(Path(m.__file__).read_bytes()).hexdigest()[:8] for m in (facts, lexer))


class Read(NamedTuple):
    """A file of an original."""

    path: str
    kind: str
    """`source`, `text` or `test`."""
    text: str
    """Empty for a source."""
    facts: object


def read(name, tree, only, cache):
    """The files of an original; they are read again when this program's way of reading has changed."""
    own = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    kept = cache / "facts" / f"{name}-{VERSION}-{own}.pickle"
    if kept.exists():
        with kept.open("rb") as file:
            return pickle.load(file)
    found = [read_file(tree, path) for path in sorted(files(tree, only))]
    found = [file for file in found if file]
    kept.parent.mkdir(parents=True, exist_ok=True)
    for old in kept.parent.glob(f"{name}-????????????????-????????.pickle"):
        old.unlink()
    with kept.open("wb") as file:
        pickle.dump(found, file)
    return found


def files(tree, only):
    for top in [tree / folder for folder in only] or [tree]:
        for path in [top] if top.is_file() else top.rglob("*"):
            folders = path.relative_to(tree).parts[:-1]
            if set(folders) & LEFT_OUT_FOLDERS or path.suffix in LEFT_OUT or path.name.startswith(LEFT_OUT_NAMES):
                continue
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
                yield path


def read_file(tree, path):
    data = path.read_bytes()
    if b"\0" in data[:4096]:
        return None
    text = data.decode("utf-8", "replace")
    relative = path.relative_to(tree)
    name = str(relative)
    if path.name in TEST_NAMES or set(relative.parts[:-1]) & TEST_FOLDERS:
        return Read(name, "test", text, None)
    language = SOURCES.get(path.suffix)
    if language is None:
        return Read(name, "text", text, None)
    # The help of bash's builtins stands in its sources.
    return Read(name, "source", text if path.suffix == ".def" else "", facts.read(text, language))
