"""Shells that live from one command to the next."""

from __future__ import annotations

from sandshell import _options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self, TypeAlias

    from sandshell._native import ExecuteResult, NativeSandbox
    from sandshell._session_answers import Screen, SessionResult

    # A method of `Terminal` is called `type`, too.
    Kind: TypeAlias = type[BaseException] | None


class _Shell:
    """What both kinds of sessions are: a name in a sandbox, which ends at the end of a `with` block."""

    __slots__ = ("_name", "_native")

    def __init__(self, native: NativeSandbox, name: str) -> None:
        self._native = native
        self._name = _options.text("name", name)

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def close(self) -> None:
        """Ends the shell with all that it started."""
        self._native.end_session(self._name)

    async def aclose(self) -> None:
        """As ``close``."""
        await self._native.aend_session(self._name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: Kind, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: Kind, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


class Session(_Shell):
    """A shell that lives: each command finds the variables, functions, directory, jobs and history of those before.

    A session is its name; its shell is started by its first command. One command of a session runs at a time.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<sandshell.Session {self._name}>"

    def execute(
        self,
        command: str,
        *,
        timeout: float | None = None,
        stdin: str | bytes | None = None,
        max_output: int | None = None,
    ) -> SessionResult:
        """Runs a command and waits for its end, or until ``timeout`` seconds are over: then it is interrupted, as by
        Ctrl-C, and its shell is killed if it goes on.

        Raises:
            SandboxError: The sandbox is closed, or its provider has no sessions.
        """
        return _result(self._native.execute_in_session(*self._call(command, timeout, stdin, max_output)))

    async def aexecute(
        self,
        command: str,
        *,
        timeout: float | None = None,
        stdin: str | bytes | None = None,
        max_output: int | None = None,
    ) -> SessionResult:
        """As ``execute``. Cancelling it interrupts the command."""
        return _result(await self._native.aexecute_in_session(*self._call(command, timeout, stdin, max_output)))

    def output(self) -> str:
        """What jobs wrote since the last answer."""
        return self._native.session_output(self._name).decode(errors="replace")

    async def aoutput(self) -> str:
        """As ``output``."""
        return (await self._native.asession_output(self._name)).decode(errors="replace")

    def _call(
        self, command: str, timeout: float | None, stdin: str | bytes | None, max_output: int | None
    ) -> tuple[str, str, float | None, bytes | None, int | None]:
        if timeout is not None:
            timeout = _options.seconds("timeout", timeout)
        if max_output is not None:
            max_output = _options.count("max_output", max_output)
        if isinstance(stdin, str):
            stdin = stdin.encode("utf-8", "surrogateescape")
        return self._name, command, timeout, stdin, max_output


def _result(answer: tuple[ExecuteResult, bytes, str | None, bool]) -> SessionResult:
    result, background, restarted, ended = answer
    from sandshell._session_answers import SessionResult

    return SessionResult(result, background.decode(errors="replace"), restarted, ended)


class Terminal(_Shell):
    """A session on a terminal: an interactive shell with prompts, a line editor and job control, whose screen is text.

    A terminal is its name; its shell is started by the first call. One call of a terminal goes on at a time.
    """

    __slots__ = ("_size",)

    def __init__(self, native: NativeSandbox, name: str, rows: int, columns: int) -> None:
        super().__init__(native, name)
        self._size: tuple[int, int] | None = _size(rows, columns)

    def __repr__(self) -> str:
        return f"<sandshell.Terminal {self._name}>"

    def type(self, keys: str | bytes = "", *, wait: float = 5, until: str | None = None) -> Screen:
        """Types keys (``"\\r"`` is Enter, ``"\\x03"`` Ctrl-C, ``"\\x1b[A"`` the up arrow), and waits up to ``wait``
        seconds until the screen shows ``until``, or until nothing was written for a moment.

        Raises:
            SandboxError: The sandbox is closed, or its provider has no sessions.
        """
        from sandshell._session_answers import Screen

        return Screen(*self._native.use_terminal(*self._call(keys, wait, until)))

    async def atype(self, keys: str | bytes = "", *, wait: float = 5, until: str | None = None) -> Screen:
        """As ``type``. Cancelling it stops the waiting."""
        from sandshell._session_answers import Screen

        return Screen(*await self._native.ause_terminal(*self._call(keys, wait, until)))

    def screen(self) -> Screen:
        """What it shows now."""
        return self.type(wait=0)

    async def ascreen(self) -> Screen:
        """As ``screen``."""
        return await self.atype(wait=0)

    def resize(self, rows: int, columns: int) -> Screen:
        """Gives it another size, which its programs are told."""
        self._size = _size(rows, columns)
        return self.type()

    async def aresize(self, rows: int, columns: int) -> Screen:
        """As ``resize``."""
        self._size = _size(rows, columns)
        return await self.atype()

    def _call(
        self, keys: str | bytes, wait: float, until: str | None
    ) -> tuple[str, bytes, tuple[int, int] | None, float, str | None]:
        if isinstance(keys, str):
            keys = keys.encode("utf-8", "surrogateescape")
        # Only once: another terminal of this name may have resized it since.
        size, self._size = self._size, None
        return self._name, keys, size, _options.seconds("wait", wait), until


def _size(rows: int, columns: int) -> tuple[int, int]:
    rows, columns = _options.count("rows", rows), _options.count("columns", columns)
    if not (0 < rows < 1 << 16 and 0 < columns < 1 << 16):
        raise ValueError(f"a terminal cannot have {rows} rows and {columns} columns")
    return rows, columns
