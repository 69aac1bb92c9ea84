"""Places that sandboxes come from: this process, a cloud, a command in any language, a recording."""

from __future__ import annotations

import os

from sandshell import _options
from sandshell._native import NativeProvider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
    from typing import Any, Self

    from sandshell._native import ProviderInfo, SandboxInfo
    from sandshell._options import Path
    from sandshell._sandbox import Sandbox


class Provider:
    """A provider by its name, as ``sandshell providers`` lists them.

    ``params`` are what the provider is told: those of ``"local"`` are the options of ``Sandbox``; those of a cloud are its
    variables, in small letters and without its name (``Provider("e2b", api_key=...)`` is ``E2B_API_KEY``), and win over the
    environment and the user's ``config.toml``. ``Provider("command", command=["python3", "p.py"])`` is a provider in any
    language.

    Raises:
        ValueError: There is no such provider, or parameter.
        SandboxError: Credentials are missing (``kind`` ``"unauthenticated"``), or the provider is not part of this build.
    """

    __slots__ = ("_native",)

    def __init__(self, name: str = "local", /, **params: Any) -> None:
        if name == "local":
            self._native = NativeProvider.local(_options.local(**params))
        else:
            self._native = NativeProvider.named(name, params, dict(os.environ))

    @classmethod
    def _from_native(cls, native: NativeProvider) -> Self:
        provider = cls.__new__(cls)
        provider._native = native
        return provider

    @staticmethod
    def describe(name: str, /, **params: Any) -> ProviderInfo:
        """What the provider of this name can do. Unlike making one, this needs no credentials."""
        return NativeProvider.describe(name, params, dict(os.environ))

    @property
    def name(self) -> str:
        """The name that it was asked for by."""
        return self._native.name

    @property
    def working_dir(self) -> str:
        """The working directory of a sandbox that is created without one."""
        return self._native.working_dir

    @property
    def capabilities(self) -> frozenset[str]:
        """What it can do: ``reattach``, ``list``, ``snapshot``, ``restore``, ``fork``, ``ttl``, …"""
        return frozenset(self._native.capabilities)

    def __repr__(self) -> str:
        return f"<sandshell.Provider {self.name}>"

    def create(self, **options: Any) -> Sandbox:
        """A sandbox: ``Sandbox(provider=self, **options)``."""
        from sandshell._sandbox import Sandbox

        return Sandbox(provider=self, **options)

    async def acreate(self, **options: Any) -> Sandbox:
        """As ``create``."""
        from sandshell._sandbox import Sandbox

        return await Sandbox.acreate(provider=self, **options)

    def list(self, labels: Mapping[str, str] | None = None) -> Iterator[SandboxInfo]:
        """The sandboxes there are: those that have all of these labels."""
        cursor = None
        while True:
            page, cursor = self._native.page(dict(labels or {}), cursor)
            yield from page
            if cursor is None:
                return

    async def alist(self, labels: Mapping[str, str] | None = None) -> AsyncIterator[SandboxInfo]:
        """As ``list``."""
        cursor = None
        while True:
            page, cursor = await self._native.apage(dict(labels or {}), cursor)
            for info in page:
                yield info
            if cursor is None:
                return

    def delete(self, id: str) -> None:  # noqa: A002
        """Ends a sandbox. One that is not there counts as deleted."""
        self._native.delete(id)

    async def adelete(self, id: str) -> None:  # noqa: A002
        """As ``delete``."""
        await self._native.adelete(id)

    def delete_snapshot(self, id: str) -> None:  # noqa: A002
        """Removes a snapshot. One that is not there counts as removed."""
        self._native.delete_snapshot(id)

    async def adelete_snapshot(self, id: str) -> None:  # noqa: A002
        """As ``delete_snapshot``."""
        await self._native.adelete_snapshot(id)


def providers() -> list[ProviderInfo]:
    """Every provider, with what has to be done before it can be used."""
    return NativeProvider.known(dict(os.environ))


def record(
    provider: str | Provider, cassette: Path, *, secrets: Iterable[str] = (), patterns: Iterable[str] = ()
) -> Provider:
    """A provider that does what ``provider`` does and writes each call and its answer to the file ``cassette``.

    ``secrets`` and what matches the regular expressions ``patterns`` is kept out of the file, and so are the values of
    variables whose names say that they are secret.
    """
    provider = Provider(provider) if isinstance(provider, str) else provider
    kept = {"values": list(secrets), "patterns": list(patterns)}
    return Provider._from_native(provider._native.record(os.fspath(cassette), kept))


def replay(
    cassette: Path, *, in_order: bool = False, secrets: Iterable[str] = (), patterns: Iterable[str] = ()
) -> Provider:
    """A provider that answers from what ``record`` wrote, with nothing behind it: offline, and the same each time.

    A call that was not recorded is a ``ValueError`` that says what was expected; with ``in_order`` also one that comes in
    another order. ``secrets`` and ``patterns`` are those of the recording: a call that holds one is recognised.
    """
    kept = {"values": list(secrets), "patterns": list(patterns)}
    return Provider._from_native(NativeProvider.replay(os.fspath(cassette), in_order, kept))
