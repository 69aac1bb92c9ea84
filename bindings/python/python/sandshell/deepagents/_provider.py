"""The provider for deepagents-code: ``dcode --sandbox sandshell``."""

from __future__ import annotations

import os
from threading import Lock
from time import monotonic, sleep
from typing import Any, ClassVar

import sandshell
from deepagents_code.integrations.sandbox_provider import (
    SandboxError,
    SandboxInstallHint,
    SandboxNotFoundError,
    SandboxProvider,
    SandboxProviderMetadata,
)

from sandshell._plan import LOCAL as _HERE
from sandshell.deepagents._backend import SandshellSandbox

_OF_COMMANDS = frozenset({"timeout", "max_output"})
"""The options that a sandbox has which was there before."""

_PATIENCE = 2
"""Seconds to wait for a sandbox that somebody else has."""


class SandshellProvider(SandboxProvider):
    """Local sandboxes, or those of any provider of ``sandshell``.

    A local sandbox that is created without further options ends with this process. One with ``labels``, a ``ttl`` or a
    ``data_dir`` is kept on disk until it is deleted, and found again by its id from any process.

    The parameters of ``get_or_create`` are the options of ``sandshell.Sandbox`` and the default ``timeout`` of a
    command. The provider is the parameter ``provider``, or that of the class, or the one that the variable
    ``SANDSHELL_SANDBOX`` names; by default it is this process.

    In ``~/.deepagents/config.toml``:

        [sandboxes.providers.sandshell]
        class_path = "sandshell.deepagents:SandshellProvider"
        supports_sandbox_id = true
        [sandboxes.providers.sandshell.params]
        mounts = { "/workspace" = "." }
        timeout = 600
    """

    provider: ClassVar[str | None] = None
    """The name of the provider, for those of an entry point of its own."""

    def __init__(self) -> None:
        self._sandboxes: dict[str, SandshellSandbox] = {}
        self._directories: dict[str, str] = {}
        self._used: sandshell.Provider | None = None
        self._lock = Lock()

    @property
    def metadata(self) -> SandboxProviderMetadata:
        name = self._name()
        info = sandshell.Provider.describe(name)
        return SandboxProviderMetadata(
            name="sandshell" if self.provider is None else f"sandshell-{self.provider}",
            working_dir=info.working_dir or "/workspace",
            install=SandboxInstallHint(kind="package", name="sandshell"),
            supports_sandbox_id="reattach" in info.capabilities,
            supports_snapshot_name="snapshot" in info.capabilities,
            backend_module="sandshell",
        )

    def get_or_create(self, *, sandbox_id: str | None = None, **params: Any) -> SandshellSandbox:
        """The sandbox with this id, or a new one with these options. ``snapshot`` is the provider's name of a
        snapshot or a ``sandshell.Snapshot``."""
        if sandbox_id is not None:
            with self._lock:
                backend = self._sandboxes.get(sandbox_id)
            if backend is not None:
                return backend
        try:
            backend = self._make(sandbox_id, params)
        except (ValueError, TypeError, sandshell.SandboxError) as error:
            kind = SandboxNotFoundError if getattr(error, "kind", None) == "not_found" else SandboxError
            raise kind(str(error)) from error
        with self._lock:
            self._sandboxes[backend.id] = backend
            if "data_dir" in params:
                self._directories[backend.id] = os.fspath(params["data_dir"])
        return backend

    def delete(self, *, sandbox_id: str, **kwargs: Any) -> None:
        """Deletes a sandbox. It is no error if it does not exist."""
        with self._lock:
            backend = self._sandboxes.pop(sandbox_id, None)
        try:
            if backend is not None:
                backend.close()
            self._delete(sandbox_id, kwargs)
        except (ValueError, TypeError, sandshell.SandboxError) as error:
            raise SandboxError(str(error)) from error

    def _make(self, sandbox_id: str | None, params: dict[str, Any]) -> SandshellSandbox:
        used = self._elsewhere(params)
        options = {name: value for name, value in params.items() if name not in ("provider", "params")}
        if sandbox_id is not None:
            wanted = _OF_COMMANDS if used is not None else _OF_COMMANDS | _HERE
            options = {name: value for name, value in options.items() if name in wanted}
            return _found(sandbox_id, {"provider": used or "local", **options})
        backend = SandshellSandbox(provider=used or "local", **options)
        if used is not None or backend.sandbox._native.is_kept:
            # Only `delete` may end it, so that it can be found by its id later.
            backend.sandbox.keep()
        return backend

    def _delete(self, sandbox_id: str, params: dict[str, Any]) -> None:
        """Deletes a sandbox that may be known to another process alone."""
        used = self._elsewhere(params)
        if used is None:
            directory = params.get("data_dir") or self._directories.pop(sandbox_id, None) or sandshell.data_dir()
            if not os.path.isdir(directory):
                return
            used = sandshell.Provider("local", data_dir=directory)
        used.delete(sandbox_id)

    def _elsewhere(self, params: dict[str, Any]) -> sandshell.Provider | None:
        """The provider; None for the local one."""
        name = params.get("provider") or self._name()
        if name == "local":
            return None
        with self._lock:
            if self._used is None or self._used.name != name:
                self._used = sandshell.Provider(name, **params.get("params", {}))
            return self._used

    def _name(self) -> str:
        return self.provider or os.environ.get("SANDSHELL_SANDBOX") or "local"


def _found(sandbox_id: str, options: dict[str, Any]) -> SandshellSandbox:
    """The sandbox with this id, as soon as nobody else has it: who has just let it go may still be storing its files."""
    until = monotonic() + _PATIENCE
    while True:
        try:
            return SandshellSandbox(id=sandbox_id, **options)
        except sandshell.SandboxError as error:
            if error.kind != "conflict" or monotonic() > until:
                raise
            sleep(0.02)
