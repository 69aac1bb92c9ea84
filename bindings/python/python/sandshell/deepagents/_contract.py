"""What the installed deepagents expects, for each difference between its versions."""

from __future__ import annotations

from dataclasses import fields
from importlib.metadata import version

from deepagents.backends import protocol


def _version() -> tuple[int, ...]:
    numbers = []
    for part in version("deepagents").split(".")[:3]:
        digits = "".join(character for character in part if character.isdigit())
        numbers.append(int(digits or 0))
    return tuple(numbers)


def _has(name: str, field: str) -> bool:
    return field in {known.name for known in fields(getattr(protocol, name))}


VERSION = _version()

WRITE_OVERWRITES = VERSION >= (0, 7)
"""``write`` replaces a file that is there; before 0.7 it refuses."""

GLOB_IS_PRECISE = _has("GlobResult", "truncation_reason")
"""``glob`` answers absolute paths of files, and a pattern without a slash matches at any depth; before, it does what
Python's ``glob.glob`` does in the directory: relative paths, directories too, only the top without ``**``."""

GLOB_SAYS_TRUNCATED = _has("GlobResult", "truncated")

GREP_SAYS_TRUNCATED = _has("GrepResult", "truncated")

READ_HAS_PAGES = _has("ReadResult", "next_offset")
"""``ReadResult`` carries line numbers."""

ExecuteOffloadResult = getattr(protocol, "ExecuteOffloadResult", None)

OFFLOAD_SAYS_MARKER = ExecuteOffloadResult is not None and _has(
    "ExecuteOffloadResult", "preview_has_truncation_marker"
)

DeleteResult = getattr(protocol, "DeleteResult", None)
