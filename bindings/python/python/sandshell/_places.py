"""Where sandboxes are kept, following the XDG base directory specification."""

from __future__ import annotations

import os

BUNDLED_PACKS = os.path.join(os.path.dirname(__file__), "_packs")
"""The packs that this package brings, and those of the packages ``sandshell-pack-NAME``."""


def data_dir() -> str:
    """The directory where sandboxes of this user are kept, the same as on the command line: the one that
    ``SANDSHELL_DATA_DIR`` names, or ``sandshell/sandboxes`` in the user's directory for data. The variable can also
    have the address of an object store.

    Raises:
        ValueError: The user has no such directory.
    """
    named = os.environ.get("SANDSHELL_DATA_DIR", "")
    if os.path.isabs(named) or "://" in named:
        return named
    user = _base(os.environ.get("XDG_DATA_HOME"), ".local/share")
    if user is None:
        raise ValueError("nothing says where sandboxes are kept: set HOME, or give a data_dir")
    return os.path.join(user, "sandshell", "sandboxes")


def kept_at(data_dir: str) -> str:
    """The same directory from wherever it is used; the address of an object store stays as it is."""
    return data_dir if "://" in data_dir else os.path.abspath(data_dir)


def _base(value: str | None, below_home: str) -> str | None:
    """A directory of the specification. Relative paths are ignored, as it requires."""
    if value is not None and os.path.isabs(value):
        return value
    home = os.path.expanduser("~")
    return os.path.join(home, below_home) if os.path.isabs(home) else None
