"""Fetches source packages of Debian's, verified by the hashes that a recipe knows, and unpacks them with Debian's
patches.

The machine's own apt says where Debian's archive is; its configuration is not changed.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from functools import cmp_to_key
from pathlib import Path
from typing import NamedTuple


#: What projects call the files that have their licences.
NOTICES = re.compile(r"(?i)(copying|copyright|licen[cs]e|notice|artistic)([.-].*)?")


class Edit(NamedTuple):
    """Text of a file that is replaced, or (a pair) all from one text to another. It must be there once."""

    file: str
    old: str | tuple[str, str]
    new: str


def between(file, first, last, new):
    """An edit of all from one text to another, both included."""
    return Edit(file, (first, last), new)


def unpack(package, version, hashes, into):
    """Unpacks a source package in `into`; `hashes` has the SHA-256 of its files by name. The tree."""
    files = fetch(package, version, hashes)
    tree = Path(into) / package
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    original = next(file for file in files if ".orig.tar." in file.name)
    changes = next(file for file in files if ".debian.tar." in file.name)
    with tarfile.open(original) as archive:
        extract(archive, tree, 1)
    for file in files:
        # A part of the source that has an archive, and a folder, of its own.
        part = re.search(r"\.orig-([^.]+)\.tar\.", file.name)
        if part:
            with tarfile.open(file) as archive:
                extract(archive, tree / part[1], 1)
    with tarfile.open(changes) as archive:
        extract(archive, tree, 0)
    series = (tree / "debian/patches/series").read_text() if (tree / "debian/patches/series").exists() else ""
    for line in series.splitlines():
        name = line.split("#")[0].strip()
        if name:
            patch(tree, tree / "debian/patches" / name)
    notice(package, files, tree)
    return tree


def extract(archive, tree, strip):
    """Unpacks an archive without the first `strip` folders of its names. What would be outside of the tree is refused."""
    for member in archive:
        parts = Path(member.name).parts[strip:]
        if not parts:
            continue
        if ".." in parts or member.name.startswith("/") or not (member.isfile() or member.isdir() or member.issym()):
            sys.exit(f"{archive.name}: a strange member: {member.name}")
        member.name = str(Path(*parts))
        if member.isfile() or member.isdir() or ".." not in Path(member.linkname).parts:
            archive.extract(member, tree)


def patch(tree, file):
    """Applies a patch, exactly as it was made."""
    command = ["patch", "-p1", "--fuzz=0", "--silent", "--force", "-i", str(file)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{file.name} does not apply\n{done.stdout}{done.stderr}")


def apply(tree, edits):
    """Makes each edit."""
    for change in edits:
        edit(Path(tree) / change.file, change.old, change.new)


def edit(file, old, new):
    """Replaces text of a source file, or what is from one text to another (a pair). The text, or the first of the pair, must be
    there exactly once: with another version somebody has to look again."""
    text = file.read_text()
    first, last = old if isinstance(old, tuple) else (old, "")
    start = text.find(first)
    end = text.find(last, start + len(first))
    if text.count(first) != 1 or end < 0:
        sys.exit(f"{file}: not there, or not once:\n{first}\n{last}")
    file.write_text(text[:start] + new + text[end + len(last):])


def fetch(package, version, hashes):
    """The files of a source package, from the cache or from the archive.

    Debian's archive has the newest version of a package only. If that replaced the one that a recipe knows, but has the
    same original source, it is taken: apt has verified it by the archive's signature. Debian's patches are then others
    than the recipe's makers saw; what they say when they do not fit is where to look.
    """
    cache = Path(sys.prefix) / "sources"
    cache.mkdir(exist_ok=True)
    files = [cache / name for name in hashes]
    if all(whole(file, hashes) for file in files):
        note(package, version)
        return files
    offered = []
    for environment in archives(cache / "apt"):
        download(package, version, cache, environment)
        if all(whole(file, hashes) for file in files):
            note(package, version)
            return files
        offered += [(*found, environment) for found in listed(package, environment)]
    return successor(package, version, hashes, offered, cache)


def successor(package, version, hashes, offered, cache):
    """The files of the newest version that is offered of the same original source."""
    originals = {name: digest for name, digest in hashes.items() if ".orig" in name}
    fitting = [found for found in offered if originals.items() <= found[1].items()]
    for newer, known, environment in sorted(fitting, key=cmp_to_key(lambda a, b: compare(a[0], b[0])), reverse=True):
        files = [cache / name for name in known]
        download(package, newer, cache, environment)
        if all(whole(file, known) for file in files):
            print(f"Debian has replaced {package} {version} by {newer}, of the same original source: taken instead", file=sys.stderr)
            note(package, newer)
            return files
    there = "".join(f"\n{newer}\n" + "".join(f'    "{name}": "{digest}",\n' for name, digest in known.items()) for newer, known, _ in offered)
    sys.exit(
        f"Debian's archive does not have the source of {package} {version}, nor another version of the same original source.\n"
        "A copy of the recipe (`sandshell pack build ./DIR`) can be tried with the version and the hashes of what is there, in its build.py:"
        f"{there or ' nothing'}"
    )


def download(package, version, into, environment):
    """Lets apt fetch a source package, if it is there."""
    command = ["apt-get", "-qq", "source", "--only-source", "--download-only", f"{package}={version}"]
    subprocess.run(command, cwd=into, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def listed(package, environment):
    """The versions of a source package that a place has: (version, hashes of its archives by name)."""
    command = ["apt-cache", "showsrc", "--only-source", package]
    for text in subprocess.run(command, env=environment, capture_output=True, text=True).stdout.split("\n\n"):
        version = re.search(r"^Version: (\S+)", text, re.M)
        sums = re.search(r"^Checksums-Sha256:\n((?: .*\n?)*)", text, re.M)
        if version and sums:
            rows = (line.split() for line in sums[1].splitlines())
            yield version[1], {name: digest for digest, _, name in rows if ".tar." in name and not name.endswith(".asc")}


def compare(left, right):
    """Which version is the newer one, by dpkg's order."""
    if left == right:
        return 0
    return -1 if subprocess.run(["dpkg", "--compare-versions", left, "lt", right]).returncode == 0 else 1


def note(package, version):
    """Tells `sandshell pack build` what was taken."""
    place = os.environ.get("SANDSHELL_SOURCES")
    if place:
        with open(place, "a") as file:
            file.write(f"{package} {version}\n")


def notice(package, files, tree, headers=()):
    """Adds the licences of a source to the pack, with the names and hashes of the files that it came in: who gives a pack
    to others gives them both. `headers` are sources whose first comment is a licence."""
    place = os.environ.get("SANDSHELL_LICENCES")
    if not place:
        return
    told = [f"{package}, built from these files (SHA-256):\n" if files else f"{package}\n"]
    told += [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files)]
    for text in [tree / "debian/copyright", *sorted(path for path in tree.iterdir() if NOTICES.fullmatch(path.name))]:
        if text.is_file():
            told.append(f"\n{'=' * 40} {text.relative_to(tree)}\n\n{text.read_text(errors='replace')}")
    for header in headers:
        comment = re.search(r"/\*.*?\*/", (tree / header).read_text(), re.S)
        told.append(f"\n{'=' * 40} {header}\n\n{comment[0]}\n")
    Path(place).mkdir(exist_ok=True)
    Path(place, f"{package}.txt").write_text("".join(told))


def whole(file, hashes):
    """Whether a file is there as it should be."""
    return file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == hashes[file.name]


def archives(root):
    """An environment of apt for each place that has Debian's sources, the stable ones first. Each alone: a place may list what it
    does not have."""
    if not shutil.which("apt-get"):
        sys.exit("The sources come from Debian's archive: this recipe needs a machine with apt")
    asked = ["apt-get", "indextargets", "--format", "$(ORIGIN)\t$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)", "Created-By: Packages"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    places = {tuple(line.split("\t")[1:]) for line in answer.splitlines() if line.startswith("Debian\t")}
    if not places:
        sys.exit("The machine's apt knows no place of Debian's (has apt-get update run?)")
    for uri, release, component in sorted(places, key=lambda place: (len(place[1]), place)):
        place = root / release.replace("/", "-")
        for folder in ["lists/partial", "cache/archives/partial"]:
            (place / folder).mkdir(parents=True, exist_ok=True)
        (place / "sources.list").write_text(f"deb-src {uri} {release} {component}\n")
        (place / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "{place}/sources.list";\n'
            'Dir::Etc::sourceparts "/dev/null";\n'
            f'Dir::State::lists "{place}/lists";\n'
            f'Dir::Cache "{place}/cache";\n'
            'APT::Sandbox::User "root";\n'
        )
        environment = {**os.environ, "APT_CONFIG": str(place / "apt.conf")}
        if subprocess.run(["apt-get", "-qq", "update"], env=environment, stderr=subprocess.DEVNULL).returncode == 0:
            yield environment
