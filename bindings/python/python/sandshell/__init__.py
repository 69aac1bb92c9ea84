"""A WebAssembly sandbox that runs bash, in this process.

>>> import sandshell
>>> with sandshell.Sandbox() as sandbox:
...     sandbox.write("names.txt", "b\\na\\n")
...     sandbox.execute("sort names.txt").output
'a\\nb\\n'

Nothing of the host is visible in a sandbox but what is mounted or given to it; there is no network.
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
    ReadResult,
    SandboxError,
    UploadResult,
)
from sandshell._sandbox import Sandbox, Snapshot

__all__ = [
    "DownloadResult",
    "EditOutcome",
    "ExecuteResult",
    "FileInfo",
    "FileOperationError",
    "GlobResult",
    "GrepMatch",
    "GrepResult",
    "ReadResult",
    "Sandbox",
    "SandboxError",
    "Snapshot",
    "UploadResult",
]
