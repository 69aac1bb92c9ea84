"""What is found: a piece of ours that stands in an original, too."""

from typing import NamedTuple


class Finding(NamedTuple):
    kind: str
    """`names`, `string`, `numbers`, `function`, `comment` or `case`."""
    file: str
    """The file of ours, from the root of the repository."""
    line: int
    text: str
    """What is shared."""
    originals: tuple
    """In which originals it stands, the likeliest first."""
    caller: str
    """The function of the original that a string is an argument of, if it is of one."""
    score: float

    def place(self):
        return f"{self.file}:{self.line}"
