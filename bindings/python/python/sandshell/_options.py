"""Options as Python writes them, turned into what the native part reads."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal, TypeAlias

    Path: TypeAlias = str | os.PathLike[str]
    Mode: TypeAlias = Literal["ro", "rw", "overlay"]
    Source: TypeAlias = Path | tuple[Path, Mode] | None


def mount(at: str, source: Source, mode: Mode | None = None) -> dict[str, Any]:
    """One mount: a path, a pair of path and mode, or None for an empty directory in memory."""
    if isinstance(source, (tuple, list)):
        source, mode = source
    if source is None:
        return {"at": at}
    return {"at": at, "source": os.fspath(source), "mode": mode or "overlay"}


def found_packs(chosen: Iterable[Path] | None) -> list[str]:
    """Directories of packs; without a choice those of this package and those the user has installed."""
    if chosen is not None:
        return [_pack(os.fspath(pack)) for pack in chosen]
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
    bundled = os.path.join(os.path.dirname(__file__), "packs")
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
        mounts=[mount(at, source) for at, source in (mounts or {}).items()],
        env=environment(env),
        packs=found_packs(packs),
        cache=found_cache(cache),
        **options,
    )


def given(**options: Any) -> dict[str, Any]:
    """The options that are not None."""
    return {name: value for name, value in options.items() if value is not None}


def environment(env: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if env is None else dict(env)
