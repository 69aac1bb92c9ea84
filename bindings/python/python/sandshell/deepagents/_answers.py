"""Translates the sandbox's answers to deepagents' types."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sandshell
from deepagents.backends.protocol import (
    EditResult,
    ExecuteResponse,
    FileData,
    FileDownloadResponse,
    FileInfo,
    FileUploadResponse,
    GlobResult,
    GrepMatch,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)

from sandshell.deepagents import _contract


def execute(result: sandshell.ExecuteResult, timeout: float | None) -> ExecuteResponse:
    output = result.output
    notes = [message for kind, message in result.limits if kind not in ("wall_time", "output")]
    if result.timed_out:
        notes.append(f"Command timed out after {timeout:g} seconds" if timeout else "Command timed out")
    for note in notes:
        separator = "\n" if output and not output.endswith("\n") else ""
        output = f"{output}{separator}{note}"
    return ExecuteResponse(output=output, exit_code=result.exit_code, truncated=result.truncated)


def unusable(error: Exception) -> ExecuteResponse:
    """The answer of a sandbox that has ended. An exception would also end the agent's run."""
    return ExecuteResponse(output=f"Error: {error}", exit_code=1, truncated=False)


def read(result: sandshell.ReadResult) -> ReadResult:
    if result.kind == "binary":
        content = base64.b64encode(result.content or b"").decode("ascii")
        return ReadResult(file_data=FileData(content=content, encoding="base64"))
    pages: dict[str, Any] = {}
    if _contract.READ_HAS_PAGES:
        if result.kind == "no_lines":
            pages["no_lines_requested"] = True
        elif result.kind == "text":
            pages = {
                "start_line": result.start_line,
                "end_line": result.end_line,
                "total_lines": result.total_lines,
                "next_offset": result.next_offset,
            }
    return ReadResult(file_data=FileData(content=result.text or "", encoding="utf-8"), **pages)


def read_error(error: Exception) -> ReadResult:
    return ReadResult(error=str(error))


def write(path: str) -> WriteResult:
    return WriteResult(path=path)


def write_error(path: str, error: Exception) -> WriteResult:
    if getattr(error, "reason", None) == "already_exists":
        return WriteResult(error=f"Error: File already exists: {path!r}")
    return WriteResult(error=str(error))


def edit(path: str, outcome: sandshell.EditOutcome) -> EditResult:
    return EditResult(path=path, occurrences=outcome.occurrences)


def edit_error(error: Exception) -> EditResult:
    return EditResult(error=str(error))


def delete(path: str) -> Any:
    return _delete_result(path=path)


def delete_error(error: Exception) -> Any:
    return _delete_result(error=str(error))


def _delete_result(**fields: str) -> Any:
    if _contract.DeleteResult is None:
        raise NotImplementedError("this version of deepagents deletes no files")
    return _contract.DeleteResult(**fields)


def ls(entries: Sequence[sandshell.FileInfo]) -> LsResult:
    # A link to a directory does not count as a directory here, as in deepagents' own script.
    return LsResult(entries=[_info(entry, entry.is_dir and not entry.is_symlink) for entry in entries])


def ls_error(error: Exception) -> LsResult:
    return LsResult(error=str(error))


def grep(result: sandshell.GrepResult) -> GrepResult:
    matches = [GrepMatch(path=found.path, line=found.line, text=found.text) for found in result.matches]
    extra = {"truncated": result.truncated} if _contract.GREP_SAYS_TRUNCATED else {}
    return GrepResult(matches=matches, **extra)


def grep_error(error: Exception) -> GrepResult:
    return GrepResult(error=str(error))


def glob(result: sandshell.GlobResult, root: str, *, relative: bool) -> GlobResult:
    matches = [_info(found, found.is_dir) for found in result.matches]
    if relative:
        below = "/" if root == "/" else f"{root.rstrip('/')}/"
        for match in matches:
            match["path"] = match["path"].removeprefix(below)
    extra: dict[str, Any] = {}
    if _contract.GLOB_SAYS_TRUNCATED:
        extra["truncated"] = result.truncation is not None
    if _contract.GLOB_IS_PRECISE:
        extra["truncation_reason"] = result.truncation
    return GlobResult(matches=matches, **extra)


def glob_error(error: Exception) -> GlobResult:
    return GlobResult(error=str(error))


def uploads(paths: Sequence[str], errors: Sequence[str | None]) -> list[FileUploadResponse]:
    return [FileUploadResponse(path=path, error=error) for path, error in zip(paths, errors, strict=True)]


def downloads(
    paths: Sequence[str], answers: Sequence[tuple[bytes | None, str | None]]
) -> list[FileDownloadResponse]:
    return [
        FileDownloadResponse(path=path, content=content, error=error)
        for path, (content, error) in zip(paths, answers, strict=True)
    ]


def _info(entry: sandshell.FileInfo, is_dir: bool) -> FileInfo:
    info = FileInfo(path=entry.path, is_dir=is_dir, size=entry.size)
    if entry.modified_at is not None:
        info["modified_at"] = datetime.fromtimestamp(entry.modified_at, UTC).isoformat()
    return info
