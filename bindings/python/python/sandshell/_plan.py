"""Decides how a sandbox is created: by which provider and with which options."""

from __future__ import annotations

from sandshell import _options, _places
from sandshell._native import NativeSandbox, NativeSnapshot
from sandshell._provider import Provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandshell._sandbox import Snapshot

_EVERYWHERE = frozenset({"workdir", "env", "timeout", "max_output", "memory", "processes", "disk"})
LOCAL = frozenset(
    {
        "mounts",
        "hostname",
        "process_memory",
        "background_processes",
        "background_cpu",
        "descriptors",
        "inodes",
        "host_disk",
        "fuel",
        "seed",
        "clock",
        "packs",
        "cache",
        "data_dir",
    }
)
"""Options of the local provider, not of a sandbox."""
_KEPT = frozenset({"id", "labels", "ttl", "hard_ttl"})
"""What a local sandbox has only if it is kept on disk."""
_ELSEWHERE = _KEPT | {"network", "cpus"}
_OPTIONS = _EVERYWHERE | LOCAL | _ELSEWHERE


class Plan:
    """The options of a sandbox that is not created yet."""

    def __init__(
        self,
        *,
        provider: str | Provider = "local",
        params: Mapping[str, Any] | None = None,
        snapshot: str | Snapshot | None = None,
        **options: Any,
    ) -> None:
        if not options.keys() <= _OPTIONS:
            raise TypeError(f"a sandbox has no option {min(options.keys() - _OPTIONS)!r}")
        self._provider = provider
        self._params = dict(params or {})
        self._snapshot = snapshot
        self._options = {name: value for name, value in options.items() if value is not None}
        if not isinstance(provider, (str, Provider)):
            raise TypeError(f"a provider is a name or a sandshell.Provider, not {type(provider).__name__}")
        if params is not None and (isinstance(provider, Provider) or provider == "local"):
            raise ValueError("params are for a provider that is given by name, and no local one")

    def create(self) -> NativeSandbox:
        kept = self._kept()
        if kept is not None:
            return NativeSandbox.from_snapshot(kept)
        if self._is_in_memory():
            return NativeSandbox.create(self._here())
        return self._asked()._native.create(self._elsewhere())

    async def acreate(self) -> NativeSandbox:
        kept = self._kept()
        if kept is not None:
            return await NativeSandbox.afrom_snapshot(kept)
        if self._is_in_memory():
            return NativeSandbox.create(self._here())
        return await self._asked()._native.acreate(self._elsewhere())

    def _kept(self) -> NativeSnapshot | None:
        """The snapshot, if it is a ``Snapshot``, which knows its provider, and not a name."""
        snapshot = self._snapshot
        if snapshot is None or isinstance(snapshot, str):
            return None
        native = getattr(snapshot, "_native", None)
        if not isinstance(native, NativeSnapshot):
            raise TypeError(f"a snapshot is a name or a sandshell.Snapshot, not {type(snapshot).__name__}")
        if self._options or self._provider != "local":
            raise ValueError("a snapshot brings its own options: give one or the other")
        return native

    def _is_in_memory(self) -> bool:
        """Whether it ends with this process in any case."""
        kept = self._snapshot is not None or self._options.keys() & (_KEPT | {"data_dir"})
        return self._provider == "local" and not kept

    def _asked(self) -> Provider:
        if isinstance(self._provider, Provider):
            return self._provider
        if self._provider == "local":
            # What is stored with the sandbox is not an option of the provider.
            options = {name: value for name, value in self._options.items() if name in LOCAL}
            options.setdefault("data_dir", _places.data_dir())
            return Provider("local", **options)
        return Provider(self._provider, **self._params)

    def _here(self) -> dict[str, Any]:
        options = self._options
        if options.get("network") == "blocked":
            # Local sandboxes never have a network.
            options = {name: value for name, value in options.items() if name != "network"}
        names = options.keys() & _ELSEWHERE
        if names:
            raise ValueError(f"a local sandbox has no {min(names)}: that is for other providers")
        return _options.local(**options)

    def _elsewhere(self) -> dict[str, Any]:
        options = self._options
        if self._provider == "local":
            options = {name: value for name, value in options.items() if name not in LOCAL}
        names = options.keys() & LOCAL
        if names:
            raise ValueError(f"{min(names)} is an option of local sandboxes only")
        return _options.given(**options, snapshot=self._snapshot)
