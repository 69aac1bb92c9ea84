"""The provider for deepagents-code: ``dcode --sandbox sandshell``."""

from __future__ import annotations

from threading import Lock
from typing import Any

import sandshell
from deepagents_code.integrations.sandbox_provider import (
    SandboxError,
    SandboxInstallHint,
    SandboxNotFoundError,
    SandboxProvider,
    SandboxProviderMetadata,
)

from sandshell.deepagents._backend import SandshellSandbox

WORKING_DIR = "/workspace"


class SandshellProvider(SandboxProvider):
    """Sandboxes of this process.

    Parameters of ``get_or_create`` are the options of ``sandshell.Sandbox`` and the default ``timeout`` of a command;
    in ``~/.deepagents/config.toml``:

        [sandboxes.providers.sandshell]
        class_path = "sandshell.deepagents:SandshellProvider"
        supports_sandbox_id = false
        [sandboxes.providers.sandshell.params]
        mounts = { "/workspace" = "." }
        timeout = 600
    """

    def __init__(self) -> None:
        self._sandboxes: dict[str, SandshellSandbox] = {}
        self._lock = Lock()

    @property
    def metadata(self) -> SandboxProviderMetadata:
        return SandboxProviderMetadata(
            name="sandshell",
            working_dir=WORKING_DIR,
            install=SandboxInstallHint(kind="package", name="sandshell"),
            # A sandbox and its snapshots live as long as this process: another one cannot ask for them.
            supports_sandbox_id=False,
            supports_snapshot_name=False,
            backend_module="sandshell",
        )

    def get_or_create(
        self, *, sandbox_id: str | None = None, snapshot: Any = None, **params: Any
    ) -> SandshellSandbox:
        """The sandbox with this id, or a new one: with the files of a ``sandshell.Snapshot``, or with these options."""
        if sandbox_id is not None:
            with self._lock:
                backend = self._sandboxes.get(sandbox_id)
            if backend is None:
                raise SandboxNotFoundError(f"there is no sandbox {sandbox_id} in this process")
            return backend
        try:
            backend = _create(snapshot, params)
        except (ValueError, TypeError, sandshell.SandboxError) as error:
            raise SandboxError(str(error)) from error
        with self._lock:
            self._sandboxes[backend.id] = backend
        return backend

    def delete(self, *, sandbox_id: str, **kwargs: Any) -> None:
        """Ends a sandbox. One that is not there counts as deleted."""
        with self._lock:
            backend = self._sandboxes.pop(sandbox_id, None)
        if backend is not None:
            backend.close()


def _create(snapshot: Any, params: dict[str, Any]) -> SandshellSandbox:
    if snapshot is None:
        return SandshellSandbox(**params)
    if not isinstance(snapshot, sandshell.Snapshot):
        raise TypeError("a snapshot is a sandshell.Snapshot of this process; it has no name")
    timeout = {"timeout": params.pop("timeout")} if "timeout" in params else {}
    if params:
        raise TypeError(f"a snapshot brings its own options: {', '.join(sorted(params))}")
    return SandshellSandbox(sandshell.Sandbox.from_snapshot(snapshot), **timeout)
