"""A Debian package."""

import hashlib

from . import elf
from .archive import Entry, compressed, tar
from .program import Program

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def package(program: Program, files: list[Entry], summary: str) -> tuple[str, bytes]:
    """The package's name and contents."""
    architecture = ARCHITECTURES[program.target.split("-")[0]]
    inside = [Entry(f"usr/{entry.path}", entry.contents, entry.mode) for entry in files]
    needed = elf.glibc(program.path)
    size = sum(len(entry.contents or b"") for entry in files)
    fields = {
        "Package": "sandshell",
        "Version": program.version,
        "Architecture": architecture,
        "Maintainer": "The sandshell developers <sandshell@localhost>",
        "Installed-Size": str(-(-size // 1024)),
        "Depends": f"libc6 (>= {needed}), libgcc-s1" if needed else "",
        "Section": "utils",
        "Priority": "optional",
        "Description": summary,
    }
    control = "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
    sums = "".join(f"{hashlib.md5(entry.contents).hexdigest()}  {entry.path}\n" for entry in inside if entry.contents)
    members = [
        ("debian-binary", b"2.0\n"),
        (
            "control.tar.gz",
            compressed(tar([Entry("control", control.encode()), Entry("md5sums", sums.encode())], "./")),
        ),
        ("data.tar.gz", compressed(tar(inside, "./"))),
    ]
    return f"sandshell_{program.version}_{architecture}.deb", ar(members)


def ar(members: list[tuple[str, bytes]]) -> bytes:
    """The archive format that packages have."""
    out = b"!<arch>\n"
    for name, contents in members:
        out += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(contents):<10}`\n".encode()
        out += contents + b"\n" * (len(contents) % 2)
    return out
