"""The program, and what it says of itself."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .archive import Entry, compressed

SHELLS = {
    "bash": "share/bash-completion/completions/sandshell",
    "zsh": "share/zsh/site-functions/_sandshell",
    "fish": "share/fish/vendor_completions.d/sandshell.fish",
}


@dataclass(frozen=True)
class Program:
    """A built program."""

    path: Path
    version: str
    target: str

    @staticmethod
    def at(path: Path) -> "Program":
        lines = subprocess.run([path, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")
        words = dict(line.split(": ", 1) for line in lines if ": " in line)
        return Program(path, lines[0].split()[1], words["target"])

    def says(self, *arguments: str) -> bytes:
        return subprocess.run([self.path, *arguments], check=True, capture_output=True).stdout

    def commands(self) -> list[str]:
        """The names of its commands."""
        listed = self.says("--help").decode().split("Commands:\n")[1].split("\n\n")[0]
        return [name for name in re.findall(r"^  (\S+)", listed, re.MULTILINE) if name != "help"]

    def files(self, root: Path) -> list[Entry]:
        """The program with completions, manual pages and licences, below a prefix such as `/usr`."""
        entries = [Entry("bin/sandshell", self.path.read_bytes(), 0o755)]
        entries += [Entry(path, self.says("completions", shell)) for shell, path in SHELLS.items()]
        pages = {"sandshell.1": self.says("man")}
        pages |= {f"sandshell-{name}.1": self.says("man", name) for name in self.commands()}
        entries += [Entry(f"share/man/man1/{name}.gz", compressed(page)) for name, page in pages.items()]
        for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.md"]:
            entries.append(Entry(f"share/doc/sandshell/{name}", (root / name).read_bytes()))
        return entries
