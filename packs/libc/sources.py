"""Fetches source packages of Debian's, verified by the hashes that a recipe knows, and unpacks them with Debian's patches.

The machine's own apt says where Debian's archive is; its configuration is not changed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path


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
    with tarfile.open(changes) as archive:
        extract(archive, tree, 0)
    series = (tree / "debian/patches/series").read_text() if (tree / "debian/patches/series").exists() else ""
    for line in series.splitlines():
        name = line.split("#")[0].strip()
        if name:
            patch(tree, tree / "debian/patches" / name)
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
    """The files of a source package, from the cache or from the archive."""
    cache = Path(sys.prefix) / "sources"
    cache.mkdir(exist_ok=True)
    files = [cache / name for name in hashes]
    if not all(whole(file, hashes) for file in files):
        for environment in archives(cache / "apt"):
            command = ["apt-get", "-qq", "source", "--only-source", "--download-only", f"{package}={version}"]
            subprocess.run(command, cwd=cache, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if all(whole(file, hashes) for file in files):
                break
        else:
            sys.exit(f"Debian's archive does not have the source of {package} {version}, or not as this recipe knows it")
    return files


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
