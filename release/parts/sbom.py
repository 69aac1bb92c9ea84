"""What the program is made of: a CycloneDX list of components."""

import json
import subprocess
from pathlib import Path

FEATURES = "all-providers,object-store"


def sbom(root: Path, version: str, target: str) -> tuple[str, bytes]:
    """The list's name and contents: every crate that is compiled into the program, the guests' crates included."""
    components: dict[str, dict] = {}
    depends: dict[str, list[str]] = {}
    for manifest, triple, features in [
        ("Cargo.toml", target, ["--features", FEATURES]),
        ("guest-shell/Cargo.toml", "wasm32-wasip1", []),
    ]:
        command = ["cargo", "metadata", "--format-version", "1", "--locked", "--manifest-path", str(root / manifest)]
        command += ["--filter-platform", triple, *features]
        described = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        roots = ["sandshell"] if manifest == "Cargo.toml" else ["sh", "util"]
        for package, needs in reached(described, roots).items():
            components[purl(package)] = component(package)
            depends[purl(package)] = sorted(purl(need) for need in needs)
    own = f"pkg:cargo/sandshell@{version}"
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": components.pop(own) | {"type": "application"}},
        "components": [components[name] for name in sorted(components)],
        "dependencies": [{"ref": name, "dependsOn": depends[name]} for name in sorted(depends)],
    }
    return f"sandshell-{version}-{target}.cdx.json", json.dumps(bill, indent=1, sort_keys=True).encode() + b"\n"


class Package(dict):
    """A package of `cargo metadata`, by its identity."""

    def __hash__(self) -> int:
        return hash(self["id"])


def reached(metadata: dict, roots: list[str]) -> dict[Package, list[Package]]:
    """The packages that are linked into these, with what each needs."""
    packages = {package["id"]: Package(package) for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    pending = [name for name, package in packages.items() if package["name"] in roots and package["source"] is None]
    found: dict[Package, list[Package]] = {}
    while pending:
        name = pending.pop()
        if packages[name] in found:
            continue
        linked = [
            dependency["pkg"]
            for dependency in nodes[name]["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        ]
        found[packages[name]] = [packages[one] for one in linked]
        pending += linked
    return found


def purl(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package: dict) -> dict:
    entry = {
        "type": "library",
        "bom-ref": purl(package),
        "name": package["name"],
        "version": package["version"],
        "purl": purl(package),
    }
    if package.get("license"):
        entry["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return entry
