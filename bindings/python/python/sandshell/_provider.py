"""Providers of sandboxes: this process, a cloud, a command in any language, a recording."""

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

    ``params`` are the provider's parameters. Those of ``"local"`` are the options of ``Sandbox``. Those of a cloud
    have the names of its variables, in lower case and without the cloud's name (``Provider("e2b", api_key=...)`` is
    ``E2B_API_KEY``); they take precedence over the environment and the user's ``config.toml``.
    ``Provider("command", command=["python3", "p.py"])`` is a provider in any language.

    Raises:
        ValueError: There is no such provider, or parameter. SandboxError: Credentials are missing (``kind``
        ``"unauthenticated"``), or this build lacks the provider.
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
        """Information about the provider of this name. Unlike the constructor, this needs no credentials."""
        return NativeProvider.describe(name, params, dict(os.environ))

    @property
    def name(self) -> str:
        """The name by which it was chosen."""
        return self._native.name

    @property
    def working_dir(self) -> str:
        """The default working directory of its sandboxes."""
        return self._native.working_dir

    @property
    def capabilities(self) -> frozenset[str]:
        """Its capabilities: ``reattach``, ``list``, ``snapshot``, ``restore``, ``fork``, ``ttl``, …"""
        return frozenset(self._native.capabilities)

    def __repr__(self) -> str:
        return f"<sandshell.Provider {self.name}>"

    def create(self, **options: Any) -> Sandbox:
        """Creates a sandbox: ``Sandbox(provider=self, **options)``."""
        from sandshell._sandbox import Sandbox

        return Sandbox(provider=self, **options)

    async def acreate(self, **options: Any) -> Sandbox:
        """As ``create``."""
        from sandshell._sandbox import Sandbox

        return await Sandbox.acreate(provider=self, **options)

    def list(self, labels: Mapping[str, str] | None = None) -> Iterator[SandboxInfo]:
        """The existing sandboxes that have all of these labels."""
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
        """Deletes a sandbox. It is no error if it does not exist."""
        self._native.delete(id)

    async def adelete(self, id: str) -> None:  # noqa: A002
        """As ``delete``."""
        await self._native.adelete(id)

    def delete_snapshot(self, id: str) -> None:  # noqa: A002
        """Deletes a snapshot. It is no error if it does not exist."""
        self._native.delete_snapshot(id)

    async def adelete_snapshot(self, id: str) -> None:  # noqa: A002
        """As ``delete_snapshot``."""
        await self._native.adelete_snapshot(id)


def providers() -> list[ProviderInfo]:
    """All providers, with what must be done before each can be used."""
    return NativeProvider.known(dict(os.environ))


def record(
    provider: str | Provider, cassette: Path, *, secrets: Iterable[str] = (), patterns: Iterable[str] = ()
) -> Provider:
    """A provider that behaves as ``provider`` and writes each call and its answer to the file ``cassette``.

    ``secrets`` and everything that matches the regular expressions ``patterns`` are redacted in the file, and so
    are the values of variables whose names suggest a secret.
    """
    provider = Provider(provider) if isinstance(provider, str) else provider
    kept = {"values": list(secrets), "patterns": list(patterns)}
    return Provider._from_native(provider._native.record(os.fspath(cassette), kept))


def replay(
    cassette: Path, *, in_order: bool = False, secrets: Iterable[str] = (), patterns: Iterable[str] = ()
) -> Provider:
    """A provider that answers from a recording of ``record``, without any other provider: offline, and the same
    each time.

    A call that was not recorded is a ``ValueError`` that says what was expected; with ``in_order``, so is a call in
    another order. ``secrets`` and ``patterns`` must be those of the recording, so that calls that contain them are
    recognised.
    """
    kept = {"values": list(secrets), "patterns": list(patterns)}
    return Provider._from_native(NativeProvider.replay(os.fspath(cassette), in_order, kept))
