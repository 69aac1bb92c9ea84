"""A WebAssembly sandbox that runs bash, in this process.

>>> import sandshell
>>> with sandshell.Sandbox() as sandbox:
...     sandbox.write("names.txt", "b\\na\\n")
...     sandbox.execute("sort names.txt").output
'a\\nb\\n'

A sandbox sees nothing of the host except what is mounted or passed to it. It has no network.
"""

from sandshell._native import (
    DownloadResult,
    EditOutcome,
    ExecuteResult,
    FileInfo,
    FileOperationError,
    GlobResult,
    GrepMatch,
    GrepResult,
    ProviderInfo,
    ReadResult,
    SandboxError,
    SandboxInfo,
    UploadResult,
)
from sandshell._places import data_dir
from sandshell._provider import Provider, providers, record, replay
from sandshell._sandbox import Sandbox, Snapshot
from sandshell._session import Session, Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandshell._session_answers import Screen, SessionResult
else:

    def __getattr__(name: str) -> object:
        if name in ("Screen", "SessionResult"):
            from sandshell import _session_answers

            return getattr(_session_answers, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "DownloadResult",
    "EditOutcome",
    "ExecuteResult",
    "FileInfo",
    "FileOperationError",
    "GlobResult",
    "GrepMatch",
    "GrepResult",
    "Provider",
    "ProviderInfo",
    "ReadResult",
    "Sandbox",
    "SandboxError",
    "SandboxInfo",
    "Screen",
    "Session",
    "SessionResult",
    "Snapshot",
    "Terminal",
    "UploadResult",
    "data_dir",
    "providers",
    "record",
    "replay",
]
