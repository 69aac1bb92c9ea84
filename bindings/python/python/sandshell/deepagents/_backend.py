"""The backend. Every operation is one call into the sandbox, and none is a script run by ``execute``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sandshell
from deepagents.backends.sandbox import BaseSandbox

from sandshell.deepagents import _answers, _contract, _offload

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from deepagents.backends.protocol import (
        EditResult,
        ExecuteResponse,
        FileDownloadResponse,
        FileUploadResponse,
        GlobResult,
        GrepResult,
        LsResult,
        ReadResult,
        WriteResult,
    )

DEFAULT_TIMEOUT = 1800
"""Seconds a command may take that names no timeout."""

_FAILURES = (sandshell.SandboxError, ValueError)
"""What an operation answers as an error: an exception would end the agent's run."""


class SandshellSandbox(BaseSandbox):
    """A sandbox of this process as a Deep Agents backend.

    Takes a ``sandshell.Sandbox`` or the options of one. Threads, tasks and subagents may share it. It ends when it
    is closed, at the end of its context manager, or when nothing refers to it any more.
    """

    enable_capture_offload = True

    def __init__(
        self, sandbox: sandshell.Sandbox | None = None, *, timeout: float = DEFAULT_TIMEOUT, **options: Any
    ) -> None:
        if sandbox is not None and options:
            raise TypeError("a sandbox that exists takes no options")
        self.sandbox: sandshell.Sandbox = sandbox if sandbox is not None else sandshell.Sandbox(**options)
        self._native = self.sandbox._native
        self._timeout = timeout

    @property
    def id(self) -> str:
        return self._native.id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the sandbox."""
        self.sandbox.close()

    def execute(self, command: str, *, timeout: int | None = None) -> ExecuteResponse:
        limit = self._limit(timeout)
        try:
            result = self._native.execute(command, limit, None, None, None, None)
        except sandshell.SandboxError as error:
            return _answers.unusable(error)
        return _answers.execute(result, limit)

    async def aexecute(
        self,
        command: str,
        *,
        timeout: int | None = None,  # noqa: ASYNC109
    ) -> ExecuteResponse:
        limit = self._limit(timeout)
        try:
            result = await self._native.aexecute(command, limit, None, None, None, None)
        except sandshell.SandboxError as error:
            return _answers.unusable(error)
        return _answers.execute(result, limit)

    def execute_with_offload(
        self,
        command: str,
        capture_path: str,
        *,
        max_inline_bytes: int,
        max_capture_bytes: int | None = None,
        timeout: int | None = None,
    ) -> Any:
        limit, capture = self._limit(timeout), max_capture_bytes or _offload.MAX_CAPTURE_BYTES
        try:
            result = self._native.execute(command, limit, None, None, None, capture)
        except sandshell.SandboxError as error:
            return _offload_result(_answers.unusable(error))
        response, output, capped = _captured(result, limit)
        if len(output) <= max_inline_bytes or self._native.upload([(capture_path, output)])[0]:
            return _offload_result(response)
        return _offloaded(response, output, capped)

    async def aexecute_with_offload(
        self,
        command: str,
        capture_path: str,
        *,
        max_inline_bytes: int,
        max_capture_bytes: int | None = None,
        timeout: int | None = None,  # noqa: ASYNC109
    ) -> Any:
        limit, capture = self._limit(timeout), max_capture_bytes or _offload.MAX_CAPTURE_BYTES
        try:
            result = await self._native.aexecute(command, limit, None, None, None, capture)
        except sandshell.SandboxError as error:
            return _offload_result(_answers.unusable(error))
        response, output, capped = _captured(result, limit)
        if len(output) <= max_inline_bytes or (await self._native.aupload([(capture_path, output)]))[0]:
            return _offload_result(response)
        return _offloaded(response, output, capped)

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        try:
            return _answers.read(self._native.read(file_path, _lines(offset), _lines(limit)))
        except _FAILURES as error:
            return _answers.read_error(error)

    async def aread(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        try:
            return _answers.read(await self._native.aread(file_path, _lines(offset), _lines(limit)))
        except _FAILURES as error:
            return _answers.read_error(error)

    def write(self, file_path: str, content: str) -> WriteResult:
        try:
            self._native.write(file_path, content.encode(), not _contract.WRITE_OVERWRITES)
        except _FAILURES as error:
            return _answers.write_error(file_path, error)
        return _answers.write(file_path)

    async def awrite(self, file_path: str, content: str) -> WriteResult:
        try:
            await self._native.awrite(file_path, content.encode(), not _contract.WRITE_OVERWRITES)
        except _FAILURES as error:
            return _answers.write_error(file_path, error)
        return _answers.write(file_path)

    def edit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,  # noqa: FBT001, FBT002
    ) -> EditResult:
        try:
            return _answers.edit(
                file_path, self._native.edit(file_path, old_string, new_string, replace_all)
            )
        except _FAILURES as error:
            return _answers.edit_error(error)

    async def aedit(
        self,
        file_path: str,
        old_string: str,
        new_string: str,
        replace_all: bool = False,  # noqa: FBT001, FBT002
    ) -> EditResult:
        try:
            return _answers.edit(
                file_path, await self._native.aedit(file_path, old_string, new_string, replace_all)
            )
        except _FAILURES as error:
            return _answers.edit_error(error)

    def delete(self, file_path: str) -> Any:
        try:
            self._native.delete(file_path)
        except _FAILURES as error:
            return _answers.delete_error(error)
        return _answers.delete(file_path)

    async def adelete(self, file_path: str) -> Any:
        try:
            await self._native.adelete(file_path)
        except _FAILURES as error:
            return _answers.delete_error(error)
        return _answers.delete(file_path)

    def ls(self, path: str) -> LsResult:
        try:
            return _answers.ls(self._native.ls(path))
        except _FAILURES as error:
            return _answers.ls_error(error)

    async def als(self, path: str) -> LsResult:
        try:
            return _answers.ls(await self._native.als(path))
        except _FAILURES as error:
            return _answers.ls_error(error)

    def grep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        try:
            return _answers.grep(self._native.grep(pattern, self._root(path), glob, max_count))
        except _FAILURES as error:
            return _answers.grep_error(error)

    async def agrep(
        self,
        pattern: str,
        path: str | None = None,
        glob: str | None = None,
        *,
        max_count: int | None = None,
    ) -> GrepResult:
        try:
            return _answers.grep(await self._native.agrep(pattern, self._root(path), glob, max_count))
        except _FAILURES as error:
            return _answers.grep_error(error)

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        search = _Search(pattern, path)
        try:
            found = self._native.glob(search.pattern, search.root, search.directories)
        except _FAILURES as error:
            return _answers.glob_error(error)
        return _answers.glob(found, search.root, relative=search.relative)

    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        search = _Search(pattern, path)
        try:
            found = await self._native.aglob(search.pattern, search.root, search.directories)
        except _FAILURES as error:
            return _answers.glob_error(error)
        return _answers.glob(found, search.root, relative=search.relative)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return _answers.uploads([path for path, _ in files], self._native.upload(files))

    async def aupload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return _answers.uploads([path for path, _ in files], await self._native.aupload(files))

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return _answers.downloads(paths, self._native.download(paths))

    async def adownload_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return _answers.downloads(paths, await self._native.adownload(paths))

    def _limit(self, timeout: float | None) -> float:
        return self._timeout if timeout is None else timeout

    def _root(self, path: str | None) -> str:
        """The directory where a search begins. Relative paths start at the working directory."""
        if not path or path == ".":
            return self._native.workdir
        return path if path.startswith("/") else f"{self._native.workdir}/{path}"


class _Search:
    """A search by name with the meaning of the installed deepagents."""

    def __init__(self, pattern: str, path: str | None) -> None:
        self.pattern = pattern
        self.root = path if path and path.startswith("/") else f"/{path or ''}"
        self.directories = not _contract.GLOB_IS_PRECISE
        self.relative = not _contract.GLOB_IS_PRECISE
        if _contract.GLOB_IS_PRECISE:
            return
        if pattern.startswith("/"):
            # An absolute pattern does not depend on the directory.
            self.root, self.relative = "/", False
        elif "/" not in pattern:
            # A leading slash makes the pattern a path, so only names in the directory itself match.
            self.pattern = f"/{pattern}"


def _lines(number: int) -> int:
    return max(0, int(number))


def _captured(
    result: sandshell.ExecuteResult, limit: float
) -> tuple[ExecuteResponse, bytes, bool]:
    """The answer, the bytes to keep of it, and whether the command wrote more than was captured."""
    response = _answers.execute(result, limit)
    notes = response.output[len(result.output) :]
    return response, result.output_bytes + notes.encode(), result.truncated


def _offload_result(response: ExecuteResponse) -> Any:
    if _contract.ExecuteOffloadResult is None:
        raise NotImplementedError("this version of deepagents keeps no output in files")
    return _contract.ExecuteOffloadResult(offloaded=False, response=response)


def _offloaded(response: ExecuteResponse, output: bytes, capped: bool) -> Any:
    shown, marker = _offload.preview(output, capped=capped)
    response.output = shown.decode("utf-8", "replace")
    extra = {"preview_has_truncation_marker": marker} if _contract.OFFLOAD_SAYS_MARKER else {}
    return _contract.ExecuteOffloadResult(offloaded=True, response=response, **extra)
