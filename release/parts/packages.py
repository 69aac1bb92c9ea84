"""A pack as a package for pip and for npm, for those who have sandshell from there.

`pip install sandshell[git]` puts the pack beside those of the package `sandshell`; npm's package `sandshell-pack-git`
is found by the package `sandshell`. Both hold what `sandshell pack install` would: no compiled code. A pack is compiled
when a sandbox first uses it, once for each user and machine.
"""

import base64
import hashlib
import io
import json
import tomllib
import zipfile
from dataclasses import dataclass

from .archive import Entry, compressed, tar

OLDEST = (1980, 1, 1, 0, 0, 0)
"""The first time that a zip archive can say."""


@dataclass(frozen=True)
class Pack:
    """A built pack, and the version of sandshell that it was built for."""

    files: list[Entry]
    version: str

    @property
    def manifest(self) -> dict:
        (manifest,) = (entry.contents for entry in self.files if entry.path == "pack.toml")
        return tomllib.loads(manifest.decode())

    @property
    def name(self) -> str:
        return self.manifest["name"]

    @property
    def package(self) -> str:
        return f"sandshell-pack-{self.name}"

    @property
    def summary(self) -> str:
        return f"{self.name} {self.manifest['version']} for sandshell's sandboxes: {self.manifest['summary']}"

    @property
    def sources(self) -> str:
        """Who made what, with licences and where the sources are."""
        kinds = ("name", "version", "licence", "source")
        told = [[part[kind] for kind in kinds] for part in self.manifest.get("component", [])]
        return "".join(f"* {', '.join(map(str, part))}\n" for part in told)

    @property
    def licences(self) -> str:
        """Those of all parts together, as an SPDX expression; empty if no part is named."""
        parts = self.manifest.get("component", [])
        return " AND ".join(f"({each})" for each in sorted({part["licence"] for part in parts}))

    def about(self) -> str:
        whole = (
            f"{self.summary}\n\nThis package is a work of its own. It contains, compiled to WebAssembly from the sources "
            f"named here with the recipe `packs/{self.name}` of sandshell {self.version}:\n\n{self.sources}"
        )
        if any(entry.path.startswith("licences/") for entry in self.files):
            whole += "\nThe directory `licences` has the licences, and the names and hashes of the source files.\n"
        return whole


def wheel(pack: Pack) -> tuple[str, bytes]:
    name = pack.package.replace("-", "_")
    info = f"{name}-{pack.version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {pack.package}\nVersion: {pack.version}\nSummary: {pack.summary}\n"
        f"License: {pack.licences or 'see the description'}\n"
        f"Requires-Dist: sandshell\nDescription-Content-Type: text/markdown\n\n{pack.about()}"
    )
    files = [Entry(f"sandshell/_packs/{pack.name}/{entry.path}", entry.contents, entry.mode) for entry in pack.files]
    files.append(Entry(f"{info}/METADATA", metadata.encode()))
    kind = b"Wheel-Version: 1.0\nGenerator: sandshell\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files.append(Entry(f"{info}/WHEEL", kind))
    record = "".join(f"{entry.path},sha256={digest(entry.contents)},{len(entry.contents)}\n" for entry in files)
    files.append(Entry(f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode()))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in files:
            member = zipfile.ZipInfo(entry.path, OLDEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(member, entry.contents)
    return f"{name}-{pack.version}-py3-none-any.whl", out.getvalue()


def npm(pack: Pack) -> tuple[str, bytes]:
    description = {
        "name": pack.package,
        "version": pack.version,
        "description": pack.summary,
        "license": pack.licences or "SEE LICENSE IN README.md",
        "peerDependencies": {"sandshell": f"^{pack.version}"},
        "files": ["packs"],
    }
    files = [Entry(f"packs/{pack.name}/{entry.path}", entry.contents, entry.mode) for entry in pack.files]
    files.append(Entry("package.json", f"{json.dumps(description, indent=2)}\n".encode()))
    files.append(Entry("README.md", f"# {pack.package}\n\n{pack.about()}".encode()))
    return f"{pack.package}-{pack.version}.tgz", compressed(tar(files, "package/"))


def digest(contents: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
