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
    from sandshell._sandbox import Sandbox, Snapshot


class Provider:
    """A provider by its name, as ``sandshell providers`` lists them.

    ``params`` are the provider's parameters. Those of ``"local"`` are the options of ``Sandbox``; with a ``data_dir``
    its sandboxes are kept there, and outlive the process if ``keep`` is called. Those of a cloud have the names of its
    variables, in lower case and without the cloud's name (``Provider("e2b", api_key=...)`` is ``E2B_API_KEY``); they
    take precedence over the environment and the user's ``config.toml``. ``Provider("command", command=["python3",
    "p.py"])`` is a provider in any language.

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

    def snapshot(self, id: str, name: str | None = None) -> Snapshot:  # noqa: A002
        """Takes a snapshot of a sandbox. Not every provider supports a ``name``."""
        from sandshell._sandbox import Snapshot

        return Snapshot(self._native.snapshot(id, name))

    async def asnapshot(self, id: str, name: str | None = None) -> Snapshot:  # noqa: A002
        """As ``snapshot``."""
        from sandshell._sandbox import Snapshot

        return Snapshot(await self._native.asnapshot(id, name))

    def restore(self, id: str, snapshot: str) -> None:  # noqa: A002
        """Puts a sandbox back to a snapshot, by its id or name."""
        self._native.restore(id, snapshot)

    async def arestore(self, id: str, snapshot: str) -> None:  # noqa: A002
        """As ``restore``."""
        await self._native.arestore(id, snapshot)

    def fork(self, id: str) -> str:  # noqa: A002
        """Creates a sandbox with a copy of the files of another one; returns its id. Nothing but ``delete`` and its time
        limits end it."""
        return self._native.fork(id)

    async def afork(self, id: str) -> str:  # noqa: A002
        """As ``fork``."""
        return await self._native.afork(id)

    def pause(self, id: str) -> None:  # noqa: A002
        """Stops a sandbox and keeps its files, until ``resume``."""
        self._native.pause(id)

    async def apause(self, id: str) -> None:  # noqa: A002
        """As ``pause``."""
        await self._native.apause(id)

    def resume(self, id: str) -> None:  # noqa: A002
        """Lets a paused sandbox run again. It is no error if it does."""
        self._native.resume(id)

    async def aresume(self, id: str) -> None:  # noqa: A002
        """As ``resume``."""
        await self._native.aresume(id)

    def set_ttl(self, id: str, ttl: float | None) -> None:  # noqa: A002
        """Sets the seconds after which a sandbox ends by itself, or is only on disk; ``None``: never."""
        self._native.set_ttl(id, None if ttl is None else _options.seconds("ttl", ttl))

    async def aset_ttl(self, id: str, ttl: float | None) -> None:  # noqa: A002
        """As ``set_ttl``."""
        await self._native.aset_ttl(id, None if ttl is None else _options.seconds("ttl", ttl))

    def export(self, id: str, file: Path, *, state: str | int | None = None) -> None:  # noqa: A002
        """Writes a local sandbox that is kept on disk to a file, all or nothing: its newest files, or those of a ``state``
        or snapshot. ``FILE.tar`` and ``FILE.tar.gz`` are archives of the files; ``FILE.sandbox`` also has labels,
        variables and limits. The sandbox may be in use."""
        self._native.export(id, os.fspath(file), None if state is None else str(state))

    async def aexport(self, id: str, file: Path, *, state: str | int | None = None) -> None:  # noqa: A002
        """As ``export``."""
        await self._native.aexport(id, os.fspath(file), None if state is None else str(state))

    def import_(self, file: Path, labels: Mapping[str, str] | None = None) -> str:
        """Creates a local sandbox that is kept on disk with the files of a tar archive; returns its id."""
        return self._native.import_(os.fspath(file), dict(labels or {}))

    async def aimport_(self, file: Path, labels: Mapping[str, str] | None = None) -> str:
        """As ``import_``."""
        return await self._native.aimport(os.fspath(file), dict(labels or {}))


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
