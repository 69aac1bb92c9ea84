"""Archives whose bytes depend only on what is in them."""

import gzip
import io
import tarfile
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A file of an archive; a directory if there are no contents."""

    path: str
    contents: bytes | None = None
    mode: int = 0o644


def with_directories(entries: list[Entry]) -> list[Entry]:
    """The entries with every directory above them, sorted."""
    above = {
        "/".join(parts[:end]) for entry in entries for parts in [entry.path.split("/")] for end in range(1, len(parts))
    }
    known = {entry.path for entry in entries}
    return sorted([*entries, *(Entry(path, None, 0o755) for path in above - known)], key=lambda entry: entry.path)


def tar(entries: list[Entry], prefix: str = "") -> bytes:
    """A tar archive: owned by root, dated 1970."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry in with_directories(entries):
            info = tarfile.TarInfo(prefix + entry.path)
            info.mode, info.uname, info.gname = entry.mode, "root", "root"
            if entry.contents is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(entry.contents)
                archive.addfile(info, io.BytesIO(entry.contents))
    return out.getvalue()


def entries(archive: bytes) -> list[Entry]:
    """The files of a tar archive."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return [Entry(file.name, opened.extractfile(file).read(), file.mode) for file in opened if file.isfile()]


def compressed(data: bytes) -> bytes:
    """gzip without a name and a time."""
    return gzip.compress(data, compresslevel=9, mtime=0)
