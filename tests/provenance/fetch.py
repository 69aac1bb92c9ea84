"""Fetches the sources of the originals into a cache: by an apt configuration of its own, crates by cargo.

Which mirror is asked is read from the machine's own apt when it runs. The machine's apt is not changed.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ORIGINALS = Path(__file__).with_name("originals.toml")

#: Releases that are asked too: a mirror may lack a source in the machine's own release, and have it in another.
OTHER_RELEASES = ["trixie", "sid"]


def originals():
    """Every original's name, with the folders that are read of it (none: all)."""
    table = tomllib.loads(ORIGINALS.read_text())
    return {name: entry.get("only", []) for name, entry in table.items()}


def crates():
    """The entry of each original that is a crate."""
    table = tomllib.loads(ORIGINALS.read_text())
    return {name: entry for name, entry in table.items() if "crate" in entry}


def sources(cache, names, offline=False):
    """The unpacked source of each original by its name; what the cache lacks is fetched first."""
    trees = {name: cache / "unpacked" / name for name in names}
    missing = [name for name, tree in trees.items() if not tree.is_dir()]
    if missing and not offline:
        environment = apt(cache)
        for name in missing:
            if name in crates():
                fetch_crate(crates()[name], cache, trees[name])
            elif not fetch(name, cache, trees[name], environment):
                print(f"provenance: the source of {name} cannot be had; nothing is compared with it", file=sys.stderr)
    return {name: tree for name, tree in trees.items() if tree.is_dir()}


def apt(cache):
    """Makes the apt configuration; the environment that uses it."""
    root = cache / "apt"
    for folder in ["lists/partial", "cache/archives/partial"]:
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "sources.list").write_text("".join(f"{line}\n" for line in mirrors()))
    (root / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{root}/sources.list";\n'
        'Dir::Etc::sourceparts "/dev/null";\n'
        f'Dir::State::lists "{root}/lists";\n'
        f'Dir::Cache "{root}/cache";\n'
        'APT::Sandbox::User "root";\n'
    )
    environment = {**os.environ, "APT_CONFIG": str(root / "apt.conf")}
    subprocess.run(["apt-get", "-qq", "update"], env=environment, check=True)
    return environment


def mirrors():
    """Lines of `deb-src` for each of Debian's own places that the machine's apt has, and for other releases there."""
    asked = ["apt-get", "indextargets", "--format", "$(ORIGIN)\t$(REPO_URI)\t$(RELEASE)\t$(COMPONENT)"]
    answer = subprocess.run([*asked, "Created-By: Packages"], capture_output=True, text=True, check=True).stdout
    lines = set()
    for line in answer.splitlines():
        origin, uri, release, component = line.split("\t")
        if origin == "Debian":
            lines.add(f"deb-src {uri} {release} {component}")
            # Updates have places and names of their own.
            if release.isalpha():
                lines.update(f"deb-src {uri} {other} {component}" for other in OTHER_RELEASES)
    if not lines:
        sys.exit("provenance: the machine's apt has no place of Debian's (apt-get update?)")
    return sorted(lines)


def fetch(name, cache, tree, environment):
    """Fetches and unpacks one source package, the newest version that can be had; whether there is one."""
    packages = cache / "packages" / name
    if not list(packages.glob("*.dsc")):
        print(f"provenance: fetching {name}", file=sys.stderr)
        if not any(download(f"{name}={version}", packages, environment) for version in versions(name, environment)):
            return False
    description = max(packages.glob("*.dsc"))
    # In two steps: a tree that is there is whole.
    unfinished = tree.with_name(f"{tree.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    unpack = ["dpkg-source", "--no-check", "--no-copy", "-x", description, unfinished]
    subprocess.run(unpack, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    unfinished.rename(tree)
    return True


def versions(name, environment):
    """The versions that apt knows, the newest first."""
    asked = ["apt-cache", "showsrc", "--only-source", name]
    answer = subprocess.run(asked, env=environment, capture_output=True, text=True).stdout
    found = {line.split()[1] for line in answer.splitlines() if line.startswith("Version: ")}
    return sorted(found, key=functools.cmp_to_key(compare_versions), reverse=True)


def compare_versions(a, b):
    return 1 if subprocess.run(["dpkg", "--compare-versions", a, "gt", b]).returncode == 0 else -1


def download(package, packages, environment):
    """Fetches the files of a version; whether all came."""
    shutil.rmtree(packages, ignore_errors=True)
    packages.mkdir(parents=True)
    asked = ["apt-get", "-qq", "source", "--only-source", "--download-only", package]
    if subprocess.run(asked, cwd=packages, env=environment, stderr=subprocess.DEVNULL).returncode == 0:
        return True
    shutil.rmtree(packages)
    return False


def fetch_crate(entry, cache, tree):
    """Fetches a crate and the named part of its dependencies; cargo unpacks them."""
    crate, version = entry["crate"].split()
    project = cache / "packages" / f"crate-{crate}"
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src/lib.rs").touch()
    features = f'default-features = false, features = {json.dumps(entry.get("features", []))}'
    (project / "Cargo.toml").write_text(
        '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n'
        f'{crate} = {{ version = "={version}", {features} }}\n'
    )
    print(f"provenance: fetching {crate} {version}", file=sys.stderr)
    asked = ["cargo", "metadata", "--quiet", "--format-version", "1"]
    listing = json.loads(subprocess.run(asked, cwd=project, check=True, stdout=subprocess.PIPE).stdout)
    unfinished = tree.with_name(f"{tree.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for package in listing["packages"]:
        if package["name"] == crate or package["name"].startswith(entry.get("with", "\0")):
            shutil.copytree(Path(package["manifest_path"]).parent, unfinished / package["name"])
    unfinished.rename(tree)
