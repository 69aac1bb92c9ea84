"""The answers of sessions and terminals. This module is imported when one is there, as `typing` takes longer to import
than the rest of the package."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandshell._native import ExecuteResult


class SessionResult(NamedTuple):
    """The answer to a command in a session."""

    result: ExecuteResult
    """What the command did."""
    background: str
    """What jobs wrote between the last command and this one."""
    restarted: str | None
    """Why the shell had to be started anew for this command."""
    ended: bool
    """The shell ended with this command: the next one gets a new shell."""


class Screen(NamedTuple):
    """What a terminal shows."""

    text: str
    """Its lines, without the blanks at their ends and the empty lines at the end."""
    size: tuple[int, int]
    """Rows and columns."""
    cursor: tuple[int, int]
    """Row and column of the cursor, from 0."""
    title: str
    """The title that a program has set."""
    settled: bool
    """What was waited for came in time."""
    ended: int | None
    """The status, if the shell has ended: the next call gets a new one."""
    restarted: str | None
    """Why the shell had to be started anew for this call."""
