"""Translates Python's options to those of the native part."""

from __future__ import annotations

import os

from sandshell import _places
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


def local(
    *,
    mounts: Mapping[str, Source] | None = None,
    env: Mapping[str, str] | None = None,
    packs: Iterable[Path] | None = None,
    cache: Path | None = None,
    data_dir: Path | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The options of a local sandbox."""
    return given(
        mounts=[mount(at, source) for at, source in _mapping("mounts", mounts)] if mounts else None,
        env=env,
        packs=None if packs is None else [os.fspath(pack) for pack in packs],
        bundled_packs=[_places.BUNDLED_PACKS],
        cache=None if cache is None else os.fspath(cache),
        data_dir=None if data_dir is None else _places.kept_at(os.fspath(data_dir)),
        **options,
    )


def given(**options: Any) -> dict[str, Any]:
    """The options that are not None, after their types were checked."""
    found = {}
    for name, value in options.items():
        if value is not None:
            check = _CHECKS.get(name)
            found[name] = value if check is None else check(name, value)
    return found


def environment(env: Mapping[str, str] | None) -> dict[str, str] | None:
    """A copy of environment variables."""
    if env is None:
        return None
    return {_text("env", key): _text("env", value) for key, value in _mapping("env", env)}


def text(name: str, value: object) -> str:
    """A str in the encoding of the native part's options."""
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
    """A number of seconds; zero means no limit."""
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


def _kind(value: object) -> str:
    return type(value).__name__


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("workdir", "hostname", "clock", "id", "network"), text),
    **dict.fromkeys(("max_output", "memory", "process_memory", "disk", "fuel", "seed"), count),
    **dict.fromkeys(("processes", "background_processes", "descriptors"), _small),
    **dict.fromkeys(("timeout", "background_cpu", "ttl", "hard_ttl"), seconds),
    **dict.fromkeys(("env", "labels"), _texts),
    "cpus": _cpus,
}
