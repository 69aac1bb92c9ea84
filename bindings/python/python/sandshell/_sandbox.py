"""The sandbox. Each method that waits has an asynchronous variant with an ``a`` before its name."""

from __future__ import annotations

from sandshell import _options
from sandshell._native import DownloadResult, NativeSandbox, UploadResult
from sandshell._plan import Plan
from sandshell._session import Session, Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Any, Literal, Self

    from sandshell._native import (
        EditOutcome,
        ExecuteResult,
        FileInfo,
        GlobResult,
        GrepResult,
        NativeSnapshot,
        ReadResult,
    )
    from sandshell._options import Mode, Path, Source
    from sandshell._provider import Provider


class Snapshot:
    """A snapshot of a sandbox's files, for ``Sandbox.from_snapshot`` and ``restore``. A snapshot of a sandbox in memory
    exists as long as something refers to it. One at a cloud or on disk exists until it is deleted, and its ``id`` or
    name can be passed as ``snapshot=``."""

    __slots__ = ("_native",)

    def __init__(self, native: NativeSnapshot) -> None:
        self._native = native

    @property
    def id(self) -> str:
        """The provider's id for it."""
        return self._native.id

    def delete(self) -> None:
        """Deletes it."""
        self._native.delete()

    async def adelete(self) -> None:
        """As ``delete``."""
        await self._native.adelete()


class Sandbox:
    """A sandbox, in this process or of another provider. Many threads and tasks may use one at the same time.

    Each ``execute`` starts a new shell: the next one sees its files, but not its working directory and variables.
    Relative paths start at ``workdir``. Names that are not UTF-8 are decoded as by ``os.fsdecode``. In a local
    sandbox, one command for each eight of its ``processes`` runs at a time (32 by default); the others wait for
    their turn. The sandbox ends when it is closed or nothing refers to it; a sandbox that was found by its ``id``
    does not.

    A local sandbox with a ``data_dir``, an ``id``, ``labels``, a ``ttl``, a ``hard_ttl`` or a snapshot's name is kept
    on disk: what a call did is stored when the call returns, and ``keep`` lets it outlive the process. It is this
    process's until its last object is closed.
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        *,
        provider: str | Provider = "local",
        params: Mapping[str, Any] | None = None,
        id: str | None = None,  # noqa: A002
        snapshot: str | Snapshot | None = None,
        workdir: str | None = None,
        env: Mapping[str, str] | None = None,
        mounts: Mapping[str, Source] | None = None,
        files: Mapping[str, str | bytes] | None = None,
        timeout: float | None = None,
        max_output: int | None = None,
        memory: int | None = None,
        processes: int | None = None,
        disk: int | None = None,
        hostname: str | None = None,
        process_memory: int | None = None,
        background_processes: int | None = None,
        background_cpu: float | None = None,
        descriptors: int | None = None,
        inodes: int | None = None,
        host_disk: int | None = None,
        fuel: int | None = None,
        seed: int | None = None,
        clock: str | None = None,
        packs: Iterable[Path] | None = None,
        cache: Path | None = None,
        labels: Mapping[str, str] | None = None,
        ttl: float | None = None,
        hard_ttl: float | None = None,
        data_dir: Path | None = None,
        network: Literal["blocked", "open"] | None = None,
        cpus: float | None = None,
    ) -> None:
        """Creates a sandbox, or finds the existing one with the ``id``.

        Args:
            provider: ``"local"``, the name of a cloud (see ``providers``), or a ``Provider``.
            params: Parameters of the provider, if it is given by name (see ``Provider``).
            id: The existing sandbox with this id, if the provider can find it. Excludes options of a new sandbox.
            snapshot: The ``Snapshot``, or the provider's name of a snapshot or template, to start from.
            workdir: The working directory of commands. Default: the provider's; ``/workspace`` for local sandboxes.
            env: Environment variables of every command.
            mounts: Path in the sandbox -> directory of the host: a path, mounted as an overlay whose changes stay in
                the sandbox, or a pair ``(path, mode)`` with mode ``"ro"``, ``"rw"`` or ``"overlay"``; ``None`` is an
                empty directory in memory. Local sandboxes only.
            files: Initial files: path -> content.
            timeout: The default timeout of a command, in seconds. Local sandboxes have no limit by default; their
                timeout also ends processes that the command left in the background.
            max_output: How many bytes of a command's output are kept; 10 MiB by default.
            memory: Memory of all processes together, in bytes.
            processes: The most processes at a time.
            disk: Space for files, in bytes.
            hostname: The name of the machine. Local sandboxes only, as all that follow up to ``cache``.
            process_memory: Memory of one process, in bytes.
            background_processes: The most background processes of all commands together; 64 by default.
            background_cpu: Seconds of processor time that the background processes of one command may use; 600 by
                default, 0 means no limit.
            descriptors: The most open files of one process.
            inodes: The most files, directories and links in memory at a time; 200,000 by default.
            host_disk: How many bytes may be written to mounts with mode ``"rw"`` in the sandbox's whole life; 16 GiB
                by default.
            fuel: The most instructions of one command; no limit by default.
            seed: Makes random numbers and the order of processes repeatable.
            clock: ``"real"``, ``"virtual"``, ``"virtual:TIME"`` or a fixed time such as ``"2026-01-01T00:00:00Z"``.
            packs: Packs by name or directory; by default all that are installed.
            cache: The directory for compiled code of packs and of the user's own modules.
            labels: Names and values to find it by.
            ttl: The time in seconds after which it ends by itself. A local one is then only on disk, until it is used
                again, and the time counts from its last use; an hour by default.
            hard_ttl: How many seconds it exists at most; 30 days by default for a local one.
            data_dir: Keeps a local sandbox in this directory, so that it can outlive the process. By default
                ``sandshell.data_dir()``, if another option needs it.
            network: ``"blocked"`` or ``"open"``. Local sandboxes have no network, so they accept only ``"blocked"``.
            cpus: Processors. Other providers only.

        Raises:
            ValueError: An option is not possible.
            SandboxError: The provider cannot be used, or lacks what an option asks for.
        """
        plan = Plan(
            provider=provider,
            params=params,
            snapshot=snapshot,
            workdir=workdir,
            env=env,
            mounts=mounts,
            timeout=timeout,
            max_output=max_output,
            memory=memory,
            processes=processes,
            disk=disk,
            hostname=hostname,
            process_memory=process_memory,
            background_processes=background_processes,
            background_cpu=background_cpu,
            descriptors=descriptors,
            inodes=inodes,
            host_disk=host_disk,
            fuel=fuel,
            seed=seed,
            clock=clock,
            packs=packs,
            cache=cache,
            id=id,
            labels=labels,
            ttl=ttl,
            hard_ttl=hard_ttl,
            data_dir=data_dir,
            network=network,
            cpus=cpus,
        )
        self._native = plan.create()
        if files:
            self._begin_with(self.upload_files(files))

    @classmethod
    async def acreate(
        cls, *, files: Mapping[str, str | bytes] | None = None, **options: Any
    ) -> Self:
        """The asynchronous constructor."""
        sandbox = cls._from_native(await Plan(**options).acreate())
        if files:
            sandbox._begin_with(await sandbox.aupload_files(files))
        return sandbox

    def _begin_with(self, results: list[UploadResult]) -> None:
        for result in results:
            if result.error is not None:
                self.close()
                raise ValueError(f"{result.path}: {result.error}")

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """Creates a sandbox with the files of a snapshot and the options of the original sandbox."""
        return cls._from_native(NativeSandbox.from_snapshot(_kept(snapshot)))

    @classmethod
    async def afrom_snapshot(cls, snapshot: Snapshot) -> Self:
        """As ``from_snapshot``."""
        return cls._from_native(await NativeSandbox.afrom_snapshot(_kept(snapshot)))

    @classmethod
    def _from_native(cls, native: NativeSandbox) -> Self:
        sandbox = cls.__new__(cls)
        sandbox._native = native
        return sandbox

    @property
    def id(self) -> str:
        """An id that no other sandbox of this process has. One that is not only in memory can be found by it."""
        return self._native.id

    @property
    def workdir(self) -> str:
        """The working directory of commands."""
        return self._native.workdir

    def __repr__(self) -> str:
        return f"<sandshell.Sandbox {self.id}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def execute(
        self,
        command: str,
        *,
        timeout: float | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | bytes | None = None,
        max_output: int | None = None,
    ) -> ExecuteResult:
        """Runs a bash command line and waits for its end.

        A command that fails or times out is an answer, not an exception. ``timeout`` is in seconds; 0 means no
        limit. Waiting for other commands of the sandbox counts. A relative ``cwd`` starts at ``workdir``. If
        ``max_output`` is reached, each of the two streams keeps at least up to half of it.

        Raises:
            ValueError: An argument is not valid.
            SandboxError: The sandbox is closed.
        """
        if timeout is not None:
            timeout = _options.seconds("timeout", timeout)
        if max_output is not None:
            max_output = _options.count("max_output", max_output)
        return self._native.execute(command, timeout, cwd, _options.environment(env), _bytes("stdin", stdin), max_output)

    async def aexecute(
        self,
        command: str,
        *,
        timeout: float | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | bytes | None = None,
        max_output: int | None = None,
    ) -> ExecuteResult:
        """As ``execute``. Cancelling it stops the command."""
        if timeout is not None:
            timeout = _options.seconds("timeout", timeout)
        if max_output is not None:
            max_output = _options.count("max_output", max_output)
        return await self._native.aexecute(
            command, timeout, cwd, _options.environment(env), _bytes("stdin", stdin), max_output
        )

    def session(self, name: str = "default") -> Session:
        """The session of this name: a shell that lives, with the variables, functions, directory, jobs and history of
        the commands before. Local sandboxes have 16 at a time."""
        return Session(self._native, name)

    def terminal(self, name: str = "terminal", *, rows: int = 24, columns: int = 80) -> Terminal:
        """The session of this name on a terminal: an interactive shell whose screen is text."""
        return Terminal(self._native, name, rows, columns)

    def sessions(self) -> list[str]:
        """The names of the sessions that were begun and not ended."""
        return self._native.sessions()

    async def asessions(self) -> list[str]:
        """As ``sessions``."""
        return await self._native.asessions()

    def read(self, path: str, *, offset: int = 0, limit: int = 2000) -> ReadResult:
        """Reads lines of a text file, or all of a binary one."""
        return self._native.read(self._path(path), _options.count("offset", offset), _options.count("limit", limit))

    async def aread(self, path: str, *, offset: int = 0, limit: int = 2000) -> ReadResult:
        """As ``read``."""
        return await self._native.aread(self._path(path), _options.count("offset", offset), _options.count("limit", limit))

    def write(self, path: str, content: str | bytes, *, new: bool = False) -> None:
        """Writes a whole file and creates missing parent directories. With ``new``, an existing file is an
        error."""
        self._native.write(self._path(path), _content("content", content), bool(new))

    async def awrite(self, path: str, content: str | bytes, *, new: bool = False) -> None:
        """As ``write``."""
        await self._native.awrite(self._path(path), _content("content", content), bool(new))

    def edit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> EditOutcome:
        """Replaces literal text: either the only occurrence or all."""
        return self._native.edit(self._path(path), old, new, bool(replace_all))

    async def aedit(self, path: str, old: str, new: str, *, replace_all: bool = False) -> EditOutcome:
        """As ``edit``."""
        return await self._native.aedit(self._path(path), old, new, bool(replace_all))

    def ls(self, path: str = ".") -> list[FileInfo]:
        """The entries of a directory, sorted by name."""
        return self._native.ls(self._path(path))

    async def als(self, path: str = ".") -> list[FileInfo]:
        """As ``ls``."""
        return await self._native.als(self._path(path))

    def grep(
        self, pattern: str, path: str = ".", *, glob: str | None = None, max_count: int | None = None
    ) -> GrepResult:
        """Finds literal text in files, recursively."""
        if max_count is not None:
            max_count = _options.count("max_count", max_count)
        return self._native.grep(pattern, self._path(path), glob, max_count)

    async def agrep(
        self, pattern: str, path: str = ".", *, glob: str | None = None, max_count: int | None = None
    ) -> GrepResult:
        """As ``grep``."""
        if max_count is not None:
            max_count = _options.count("max_count", max_count)
        return await self._native.agrep(pattern, self._path(path), glob, max_count)

    def glob(self, pattern: str, path: str = ".", *, directories: bool = False) -> GlobResult:
        """Finds files by name: ``*.py`` at any depth, ``src/**/*.py`` below ``path``."""
        return self._native.glob(pattern, self._path(path), bool(directories))

    async def aglob(self, pattern: str, path: str = ".", *, directories: bool = False) -> GlobResult:
        """As ``glob``."""
        return await self._native.aglob(pattern, self._path(path), bool(directories))

    def delete(self, path: str) -> None:
        """Removes a file, or a directory with everything in it."""
        self._native.delete(self._path(path))

    async def adelete(self, path: str) -> None:
        """As ``delete``."""
        await self._native.adelete(self._path(path))

    def upload_files(
        self, files: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]]
    ) -> list[UploadResult]:
        """Writes whole files. There is one answer for each, in the same order."""
        pairs = _pairs(files)
        errors = self._native.upload([(self._path(path), content) for path, content in pairs])
        return [UploadResult(path, error) for (path, _), error in zip(pairs, errors, strict=True)]

    async def aupload_files(
        self, files: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]]
    ) -> list[UploadResult]:
        """As ``upload_files``."""
        pairs = _pairs(files)
        errors = await self._native.aupload([(self._path(path), content) for path, content in pairs])
        return [UploadResult(path, error) for (path, _), error in zip(pairs, errors, strict=True)]

    def download_files(self, paths: Iterable[str]) -> list[DownloadResult]:
        """Reads whole files. There is one answer for each, in the same order."""
        paths = _paths(paths)
        found = self._native.download([self._path(path) for path in paths])
        return [DownloadResult(path, *answer) for path, answer in zip(paths, found, strict=True)]

    async def adownload_files(self, paths: Iterable[str]) -> list[DownloadResult]:
        """As ``download_files``."""
        paths = _paths(paths)
        found = await self._native.adownload([self._path(path) for path in paths])
        return [DownloadResult(path, *answer) for path, answer in zip(paths, found, strict=True)]

    def mount(self, at: str, source: Source = None, mode: Mode | None = None) -> None:
        """Mounts a directory of the host, or an empty directory in memory if ``source`` is None."""
        self._native.mount(_options.mount(at, source, mode))

    async def amount(self, at: str, source: Source = None, mode: Mode | None = None) -> None:
        """As ``mount``."""
        await self._native.amount(_options.mount(at, source, mode))

    def snapshot(self, name: str | None = None) -> Snapshot:
        """Takes a snapshot of the files; for local sandboxes this copies nothing. Not every provider supports a
        ``name``."""
        return Snapshot(self._native.snapshot(name))

    async def asnapshot(self, name: str | None = None) -> Snapshot:
        """As ``snapshot``."""
        return Snapshot(await self._native.asnapshot(name))

    def restore(self, snapshot: Snapshot | str | int) -> None:
        """Restores a snapshot of this sandbox, or of one that it was forked from, and ends all processes. A snapshot's
        id or name is enough for those that outlive this process; a sandbox on disk can also go back to one of its own
        states, which is a number."""
        if isinstance(snapshot, Snapshot):
            self._native.restore(snapshot._native)
        else:
            self._native.restore_named(_named(snapshot))

    async def arestore(self, snapshot: Snapshot | str | int) -> None:
        """As ``restore``."""
        if isinstance(snapshot, Snapshot):
            await self._native.arestore(snapshot._native)
        else:
            await self._native.arestore_named(_named(snapshot))

    def pause(self) -> None:
        """Stops the sandbox and keeps its files, until ``resume``. One on disk is also resumed by its next call."""
        self._native.pause()

    async def apause(self) -> None:
        """As ``pause``."""
        await self._native.apause()

    def resume(self) -> None:
        """Lets it run again. It is no error if it does."""
        self._native.resume()

    async def aresume(self) -> None:
        """As ``resume``."""
        await self._native.aresume()

    def set_ttl(self, ttl: float | None) -> None:
        """Sets the time in seconds after which it ends by itself, or is only on disk; ``None``: never."""
        self._native.set_ttl(None if ttl is None else _options.seconds("ttl", ttl))

    async def aset_ttl(self, ttl: float | None) -> None:
        """As ``set_ttl``."""
        await self._native.aset_ttl(None if ttl is None else _options.seconds("ttl", ttl))

    def fork(self) -> Self:
        """Creates a sandbox with the same files. Later changes to either do not affect the other. Locally this
        copies nothing."""
        return self._from_native(self._native.fork())

    async def afork(self) -> Self:
        """As ``fork``."""
        return self._from_native(await self._native.afork())

    def diff(self) -> str:
        """The changes in overlays, as a patch for ``git apply``, including binary files."""
        return self._native.diff().decode()

    async def adiff(self) -> str:
        """As ``diff``."""
        return (await self._native.adiff()).decode()

    def apply(self) -> int:
        """Applies the changes in overlays to the host's directories; returns how many there were. If a directory is
        no longer as it was when the overlay first changed it, nothing is written. Changes that cannot be completed
        are undone; if the process was killed, the next one that mounts such a directory undoes them. Set-user-ID
        and set-group-ID bits are not applied.

        Raises:
            SandboxError: With ``kind`` ``"conflict"`` for such a directory.
        """
        return self._native.apply()

    async def aapply(self) -> int:
        """As ``apply``."""
        return await self._native.aapply()

    def keep(self) -> None:
        """Lets the sandbox outlive this object: it no longer ends when it is closed, and can be found by its ``id``
        if the provider supports that."""
        self._native.keep()

    def close(self) -> None:
        """Ends the sandbox, unless it was found by its ``id`` or ``keep`` was called: its processes are killed and
        its files are deleted. One on disk that does not end can then be used by other processes; what still runs in it
        ends."""
        self._native.close()

    async def aclose(self) -> None:
        """As ``close``."""
        await self._native.aclose()

    def _path(self, path: str) -> str:
        if not isinstance(path, str):
            raise TypeError(f"a path is a str, not {type(path).__name__}")
        return path if path.startswith("/") else f"{self._native.workdir}/{path}"


def _kept(snapshot: Snapshot) -> NativeSnapshot:
    if not isinstance(snapshot, Snapshot):
        raise TypeError(f"a snapshot is a sandshell.Snapshot, not {type(snapshot).__name__}")
    return snapshot._native


def _named(snapshot: str | int) -> str:
    if isinstance(snapshot, bool) or not isinstance(snapshot, (str, int)):
        raise TypeError(f"a snapshot is a sandshell.Snapshot, a name or a number, not {type(snapshot).__name__}")
    return str(snapshot)


def _paths(paths: Iterable[str]) -> list[str]:
    if isinstance(paths, str):
        raise TypeError("paths must be several paths, not one str")
    return list(paths)


def _content(name: str, content: str | bytes) -> bytes:
    if isinstance(content, str):
        return content.encode("utf-8", "surrogateescape")
    if isinstance(content, (bytes, bytearray)):
        return bytes(content)
    raise TypeError(f"{name} must be str or bytes, not {type(content).__name__}")


def _bytes(name: str, content: str | bytes | None) -> bytes | None:
    return None if content is None else _content(name, content)


def _pairs(files: Mapping[str, str | bytes] | Iterable[tuple[str, str | bytes]]) -> list[tuple[str, bytes]]:
    items = files.items() if hasattr(files, "items") else files
    return [(path, _content(f"files[{path!r}]", content)) for path, content in items]
