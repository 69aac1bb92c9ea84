"""The provider for deepagents-code: ``dcode --sandbox sandshell``."""

from __future__ import annotations

import os
from threading import Lock
from typing import Any, ClassVar

import sandshell
from deepagents_code.integrations.sandbox_provider import (
    SandboxError,
    SandboxInstallHint,
    SandboxNotFoundError,
    SandboxProvider,
    SandboxProviderMetadata,
)

from sandshell.deepagents._backend import SandshellSandbox

_OF_COMMANDS = ("timeout", "max_output")
"""The options that a sandbox has which was there before."""


class SandshellProvider(SandboxProvider):
    """Sandboxes of this process, or of any provider of ``sandshell``.

    The parameters of ``get_or_create`` are the options of ``sandshell.Sandbox`` and the default ``timeout`` of a
    command. The provider is the parameter ``provider``, or that of the class, or the one that the variable
    ``SANDSHELL_SANDBOX`` names; by default it is this process.

    In ``~/.deepagents/config.toml``:

        [sandboxes.providers.sandshell]
        class_path = "sandshell.deepagents:SandshellProvider"
        supports_sandbox_id = false
        [sandboxes.providers.sandshell.params]
        mounts = { "/workspace" = "." }
        timeout = 600
    """

    provider: ClassVar[str | None] = None
    """The name of the provider, for those of an entry point of its own."""

    def __init__(self) -> None:
        self._sandboxes: dict[str, SandshellSandbox] = {}
        self._used: sandshell.Provider | None = None
        self._lock = Lock()

    @property
    def metadata(self) -> SandboxProviderMetadata:
        name = self._name()
        info = sandshell.Provider.describe(name)
        # Local sandboxes and their snapshots end with this process, so another process cannot find them.
        lasting = "ephemeral" not in info.capabilities
        return SandboxProviderMetadata(
            name="sandshell" if self.provider is None else f"sandshell-{self.provider}",
            working_dir=info.working_dir or "/workspace",
            install=SandboxInstallHint(kind="package", name="sandshell"),
            supports_sandbox_id=lasting and "reattach" in info.capabilities,
            supports_snapshot_name=lasting and "snapshot" in info.capabilities,
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
        return backend

    def delete(self, *, sandbox_id: str, **kwargs: Any) -> None:
        """Deletes a sandbox. It is no error if it does not exist."""
        with self._lock:
            backend = self._sandboxes.pop(sandbox_id, None)
        try:
            if backend is not None:
                backend.close()
            used = self._elsewhere(kwargs)
            if used is not None:
                used.delete(sandbox_id)
        except (ValueError, TypeError, sandshell.SandboxError) as error:
            raise SandboxError(str(error)) from error

    def _make(self, sandbox_id: str | None, params: dict[str, Any]) -> SandshellSandbox:
        used = self._elsewhere(params)
        options = {name: value for name, value in params.items() if name not in ("provider", "params")}
        if used is None:
            if sandbox_id is not None:
                raise SandboxNotFoundError(f"there is no sandbox {sandbox_id} in this process")
            return SandshellSandbox(**options)
        if sandbox_id is not None:
            options = {name: value for name, value in options.items() if name in _OF_COMMANDS}
            return SandshellSandbox(provider=used, id=sandbox_id, **options)
        backend = SandshellSandbox(provider=used, **options)
        # Only `delete` may end it, so that it can be found by its id later.
        backend.sandbox.keep()
        return backend

    def _elsewhere(self, params: dict[str, Any]) -> sandshell.Provider | None:
        """The provider; None for this process."""
        name = params.get("provider") or self._name()
        if name == "local":
            return None
        with self._lock:
            if self._used is None or self._used.name != name:
                self._used = sandshell.Provider(name, **params.get("params", {}))
            return self._used

    def _name(self) -> str:
        return self.provider or os.environ.get("SANDSHELL_SANDBOX") or "local"
