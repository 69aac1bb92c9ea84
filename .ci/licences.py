#!/usr/bin/env python3
"""Checks the licences and sources of all dependencies against `deny.toml`, as `cargo deny check licenses sources bans`
does.

Needs nothing but cargo and Python: cargo-deny takes longer to compile than the rest of the lints together. Advisories
are not looked at, as their database is fetched from elsewhere: `cargo deny check advisories` does that by hand.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKSPACES = [ROOT, ROOT / "guest-shell"]


def main():
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    allowed = set(rules["licenses"]["allow"])
    clarified = {one["crate"]: one["expression"] for one in rules["licenses"].get("clarify", [])}
    registries = {f"registry+{one}" for one in rules["sources"]["allow-registry"]}
    banned = {one["name"] for one in rules["bans"]["deny"]}
    wrong, seen = [], set()
    for workspace in WORKSPACES:
        for package in packages(workspace):
            name = f"{package['name']} {package['version']}"
            seen.add(name)
            licence = clarified.get(package["name"], package["license"])
            if not licence or not satisfied(licence, allowed):
                wrong.append(f"{name}: the licence {licence} is not in deny.toml")
            if package["source"] and package["source"] not in registries:
                wrong.append(f"{name}: comes from {package['source']}")
            if package["name"] in banned:
                wrong.append(f"{name}: is not to be used")
    print("\n".join([*wrong, f"licences: {len(seen)} packages, {len(wrong)} not allowed"]))
    return bool(wrong) or not seen


def packages(workspace):
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    return json.loads(subprocess.run(command, cwd=workspace, check=True, stdout=subprocess.PIPE).stdout)["packages"]


def satisfied(expression, allowed):
    """Whether an SPDX expression can be met with these licences; a slash is an old form of OR."""
    words = re.findall(r"\(|\)|[^\s()/]+|/", expression)
    at = 0

    def either():
        nonlocal at
        met = both()
        while at < len(words) and words[at] in ("OR", "/"):
            at += 1
            met = both() or met
        return met

    def both():
        nonlocal at
        met = one()
        while at < len(words) and words[at] == "AND":
            at += 1
            met = one() and met
        return met

    def one():
        nonlocal at
        word = words[at]
        at += 1
        if word == "(":
            met = either()
            at += 1
            return met
        if at < len(words) and words[at] == "WITH":
            word = f"{word} WITH {words[at + 1]}"
            at += 2
        return word in allowed

    return either()


if __name__ == "__main__":
    sys.exit(main())
