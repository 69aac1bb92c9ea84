"""Finds packs and compiled code, following the XDG base directory specification.

Results are cached: creating a sandbox takes less time than listing a directory.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandshell._options import Path


def packs(chosen: Iterable[Path] | None) -> list[str]:
    """Directories of packs; by default those of this package and those that the user has installed."""
    if chosen is None:
        return _here().packs()
    return [_pack(os.fspath(pack)) for pack in chosen]


def cache(chosen: Path | None) -> str | None:
    """The directory for compiled code."""
    return _here().cache if chosen is None else os.fspath(chosen)


def data_dir() -> str:
    """The directory where sandboxes of this user are kept, the same as on the command line: the one that
    ``SANDSHELL_DATA_DIR`` names, or ``sandshell/sandboxes`` in the user's directory for data. The variable can also
    have the address of an object store.

    Raises:
        ValueError: The user has no such directory.
    """
    named = os.environ.get("SANDSHELL_DATA_DIR", "")
    if os.path.isabs(named) or "://" in named:
        return named
    user = _base(os.environ.get("XDG_DATA_HOME"), ".local/share")
    if user is None:
        raise ValueError("nothing says where sandboxes are kept: set HOME, or give a data_dir")
    return os.path.join(user, "sandshell", "sandboxes")


def kept_at(data_dir: str) -> str:
    """The same directory from wherever it is used; the address of an object store stays as it is."""
    return data_dir if "://" in data_dir else os.path.abspath(data_dir)


def _pack(pack: str) -> str:
    """A pack's directory, from a path or from the name of an installed pack."""
    if os.sep in pack:
        return pack
    for directory in _here().directories:
        path = os.path.join(directory, pack)
        if os.path.exists(os.path.join(path, "pack.toml")):
            return path
    raise ValueError(f"no pack {pack!r} is installed")


class _Places:
    """The directories for one set of environment variables."""

    __slots__ = ("_packs", "_stamps", "cache", "directories", "variables")

    def __init__(self, variables: tuple[str | None, ...]) -> None:
        self.variables = variables
        data, kept, _ = variables
        user, below = _base(data, ".local/share"), _base(kept, ".cache")
        self.cache = os.path.join(below, "sandshell", "modules") if below else None
        bundled = os.path.join(os.path.dirname(__file__), "_packs")
        # The user's packs take precedence over those of this package.
        self.directories = [os.path.join(user, "sandshell", "packs"), bundled] if user else [bundled]
        self._stamps: list[tuple[int, int] | None] = []
        self._packs: list[str] | None = None

    def packs(self) -> list[str]:
        stamps = [_stamp(directory) for directory in self.directories]
        if self._packs is None or self._stamps != stamps:
            self._stamps, self._packs = stamps, _listed(self.directories)
        return self._packs


_known: _Places | None = None


def _here() -> _Places:
    global _known
    get = os.environ.get
    variables = (get("XDG_DATA_HOME"), get("XDG_CACHE_HOME"), get("HOME"))
    if _known is None or _known.variables != variables:
        _known = _Places(variables)
    return _known


def _base(value: str | None, below_home: str) -> str | None:
    """A directory of the specification. Relative paths are ignored, as it requires."""
    if value is not None and os.path.isabs(value):
        return value
    home = os.path.expanduser("~")
    return os.path.join(home, below_home) if os.path.isabs(home) else None


def _stamp(directory: str) -> tuple[int, int] | None:
    """A value that changes when an entry is added to a directory or removed."""
    try:
        found = os.stat(directory)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _listed(directories: list[str]) -> list[str]:
    found: dict[str, str] = {}
    for directory in directories:
        try:
            names = sorted(os.listdir(directory))
        except OSError:
            continue
        for name in names:
            path = os.path.join(directory, name)
            if not name.startswith(".") and os.path.exists(os.path.join(path, "pack.toml")):
                found.setdefault(name, path)
    return list(found.values())
