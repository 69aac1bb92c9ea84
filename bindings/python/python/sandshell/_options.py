"""Options as Python writes them, turned into what the native part reads."""

from __future__ import annotations

import os

from sandshell._native import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal, TypeAlias

    Path: TypeAlias = str | os.PathLike[str]
    Mode: TypeAlias = Literal["ro", "rw", "overlay"]
    Source: TypeAlias = Path | tuple[Path, Mode] | None


def mount(at: str, source: Source, mode: Mode | None = None) -> dict[str, Any]:
    """One mount: a path, a pair of path and mode, or None for an empty directory in memory."""
    at = text("mounts", at)
    if isinstance(source, (tuple, list)):
        source, mode = source
    if source is None:
        return {"at": at}
    if mode not in (None, "ro", "rw", "overlay"):
        raise ValueError(f"the mode of a mount is 'ro', 'rw' or 'overlay', not {mode!r}")
    return {"at": at, "source": os.fspath(source), "mode": mode or "overlay"}


def found_packs(chosen: Iterable[Path] | None) -> list[str]:
    """Directories of packs; without a choice those of this package and those the user has installed."""
    if chosen is not None:
        return [_pack(os.fspath(pack)) for pack in chosen]
    stamps = [_stamp(directory) for directory in _pack_directories()]
    if _listed is None or _listed[0] != stamps:
        _remember(stamps, _list_packs())
    assert _listed is not None
    return _listed[1]


_listed: tuple[list[tuple[str, int, int]], list[str]] | None = None
"""The packs that were found last, and what their directories looked like: making a sandbox is too quick to list them each time."""


def _remember(stamps: list[tuple[str, int, int]], packs: list[str]) -> None:
    global _listed
    _listed = (stamps, packs)


def _stamp(directory: str) -> tuple[str, int, int]:
    try:
        found = os.stat(directory)
    except OSError:
        return directory, 0, 0
    return directory, found.st_ino, found.st_mtime_ns


def _list_packs() -> list[str]:
    found: dict[str, str] = {}
    for directory in _pack_directories():
        try:
            names = sorted(os.listdir(directory))
        except OSError:
            continue
        for name in names:
            path = os.path.join(directory, name)
            if not name.startswith(".") and os.path.exists(os.path.join(path, "pack.toml")):
                found.setdefault(name, path)
    return list(found.values())


def _pack(pack: str) -> str:
    """A pack's directory: a path, or the name of one that is installed."""
    if os.sep in pack:
        return pack
    for directory in _pack_directories():
        path = os.path.join(directory, pack)
        if os.path.exists(os.path.join(path, "pack.toml")):
            return path
    raise ValueError(f"no pack {pack!r} is installed")


def _pack_directories() -> list[str]:
    """The user's packs come before those that this package brings."""
    user = _base("XDG_DATA_HOME", ".local/share")
    bundled = os.path.join(os.path.dirname(__file__), "_packs")
    return [os.path.join(user, "sandshell", "packs"), bundled] if user else [bundled]


def found_cache(chosen: Path | None) -> str | None:
    """Where compiled code is kept."""
    if chosen is not None:
        return os.fspath(chosen)
    base = _base("XDG_CACHE_HOME", ".cache")
    return os.path.join(base, "sandshell", "modules") if base else None


def _base(variable: str, below_home: str) -> str | None:
    """A directory of the XDG base directory specification, which has relative paths ignored."""
    value = os.environ.get(variable, "")
    if os.path.isabs(value):
        return value
    home = os.path.expanduser("~")
    return os.path.join(home, below_home) if os.path.isabs(home) else None


def local(
    *,
    mounts: Mapping[str, Source] | None = None,
    env: Mapping[str, str] | None = None,
    packs: Iterable[Path] | None = None,
    cache: Path | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The options of a local sandbox."""
    return given(
        mounts=[mount(at, source) for at, source in _mapping("mounts", mounts)] if mounts else None,
        env=env,
        packs=found_packs(packs),
        cache=found_cache(cache),
        **options,
    )


def given(**options: Any) -> dict[str, Any]:
    """The options that are not None, each of the type that it must have."""
    return {name: _CHECKS.get(name, _as_it_is)(name, value) for name, value in options.items() if value is not None}


def environment(env: Mapping[str, str] | None) -> dict[str, str] | None:
    """A copy of variables."""
    if env is None:
        return None
    return {_text("env", key): _text("env", value) for key, value in _mapping("env", env)}


def text(name: str, value: object) -> str:
    """A str as the native part's options have it."""
    value = _text(name, value)
    return value if value.isascii() else escaped(value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {_kind(value)}")
    return value


def count(name: str, value: Any) -> int:
    """A whole number that is not negative."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, not {_kind(value)}")
    whole = int(value.__index__())
    if not 0 <= whole < 2**64:
        raise ValueError(f"{name} must be from 0 to 2**64 - 1, not {whole}")
    return whole


def seconds(name: str, value: Any) -> float:
    """A number of seconds; zero lifts a limit."""
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"{name} must be a number of seconds, not {_kind(value)}")
    number = float(value)
    if not 0 <= number < 2**63:
        raise ValueError(f"{name} must be a number of seconds that is not negative, not {number}")
    return number


def _mapping(name: str, value: Any) -> Iterable[tuple[Any, Any]]:
    if not hasattr(value, "items"):
        raise TypeError(f"{name} must be a mapping, not {_kind(value)}")
    items: Iterable[tuple[Any, Any]] = value.items()
    return items


def _small(name: str, value: Any) -> int:
    whole = count(name, value)
    if whole >= 2**32:
        raise ValueError(f"{name} must be below 2**32, not {whole}")
    return whole


def _cpus(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be a number, not {_kind(value)}")
    return value


def _texts(name: str, value: Any) -> dict[str, str]:
    return {text(name, key): text(name, value) for key, value in _mapping(name, value)}


def _as_it_is(name: str, value: Any) -> Any:
    return value


def _kind(value: object) -> str:
    return type(value).__name__


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("workdir", "hostname", "clock", "id", "network"), text),
    **dict.fromkeys(("max_output", "memory", "process_memory", "disk", "fuel", "seed"), count),
    **dict.fromkeys(("processes", "background_processes", "descriptors"), _small),
    **dict.fromkeys(("timeout", "background_cpu", "ttl"), seconds),
    **dict.fromkeys(("env", "labels"), _texts),
    "cpus": _cpus,
}
