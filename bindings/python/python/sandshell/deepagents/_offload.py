"""The preview of a long output that was saved to a file.

The wording and the sizes are those of deepagents' own wrapper, so that its middleware describes the preview
correctly.
"""

from __future__ import annotations

MAX_CAPTURE_BYTES = 10 * 1024 * 1024
"""What is kept at most, unless the caller says otherwise."""

_LINES = 5
_BYTES = 2000


def preview(output: bytes, *, capped: bool) -> tuple[bytes, bool]:
    """The text to show, and whether a marker replaces lines in its middle."""
    omitted = output.count(b"\n") - 2 * _LINES
    if omitted > 0:
        return _ends(output, omitted), True
    return _beginning(output, capped=capped), False


def _ends(output: bytes, omitted: int) -> bytes:
    *whole, rest = output.split(b"\n")
    lines = [line + b"\n" for line in whole] + ([rest] if rest else [])
    head, tail = b"".join(lines[:_LINES]), b"".join(lines[-_LINES:])
    shown = head[:_BYTES]
    if len(head) > _BYTES or len(tail) > _BYTES:
        shown += (
            b"\n... [the excerpts above and below are byte-capped, so the lines bordering this marker may be cut"
            b" mid-line] ...\n"
        )
    return shown + b"... [%d lines truncated] ...\n" % omitted + tail[-_BYTES:]


def _beginning(output: bytes, *, capped: bool) -> bytes:
    shown = output[: 2 * _BYTES]
    if len(output) > 2 * _BYTES and capped:
        shown += (
            b"\n... [output clipped here; capture stopped at its %d-byte limit, so the file at the path above is also"
            b" incomplete] ...\n" % len(output)
        )
    elif len(output) > 2 * _BYTES:
        shown += (
            b"\n... [output clipped here; %d bytes total, full output at the path above] ...\n" % len(output)
        )
    return shown
