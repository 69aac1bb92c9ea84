"""What a program for Linux needs of its system."""

import re
import subprocess
from pathlib import Path


def glibc(program: Path) -> str | None:
    """The oldest glibc that it runs with; `None` for a static program."""
    symbols = subprocess.run(["objdump", "-T", program], capture_output=True, text=True).stdout
    versions = [tuple(map(int, found.split("."))) for found in re.findall(r"\(?GLIBC_([0-9.]+)\)?", symbols)]
    return ".".join(map(str, max(versions))) if versions else None


def libraries(program: Path) -> list[Path]:
    """The shared libraries and the loader that it starts with."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    return sorted({Path(found) for found in re.findall(r"(/\S+) \(0x", listed)})
