#!/usr/bin/env python3
"""Looks for what the project has in common with the programs that it replaces, whose licences are not its own.

    python3 tests/provenance/check.py                             everything
    python3 tests/provenance/check.py guest-shell/coreutils       files below a directory
    python3 tests/provenance/check.py --all tests/differential    also what is accepted

It fetches the originals' sources (apt's sources must have lines for deb-src), and compares: strings, sentences of comments
and help texts, tables of numbers, names, functions, and recorded scripts with the originals' tests. What `accepted.toml`
gives a reason for is not told of. The exit status is 1 if anything is left.
"""

import argparse
import json
import re
import sys
import tomllib
from collections import Counter
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import originals  # noqa: E402
from overlap import Originals, names_of  # noqa: E402

# Code with the behaviour of some original, and code without.
DERIVABLE = ["guest-shell"]
OWN = ["runtime", "vfs", "providers", "emulator", "src", "bindings"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="files or directories; all of the project's without any")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/sandshell-provenance", help="where sources are kept")
    parser.add_argument("--all", action="store_true", help="also tell of what is accepted, with the reason")
    parser.add_argument("--json", action="store_true", help="findings as JSON, one on a line")
    options = parser.parse_args()
    missing = originals.fetch(options.cache)
    if missing:
        print(f"not compared, as they cannot be fetched: {' '.join(missing)}", file=sys.stderr)
    print("reading the originals", file=sys.stderr, flush=True)
    index = Originals(originals.files(options.cache))
    accepted = Accepted(tomllib.loads((HERE / "accepted.toml").read_text()))
    left = 0
    for finding in findings(index, [Path(path).resolve() for path in options.paths]):
        reason = accepted.reason(finding)
        left += reason is None
        if reason is not None and not options.all:
            continue
        if options.json:
            print(json.dumps(asdict(finding) | {"reason": reason}))
        else:
            print(f"{finding.file}: {finding.kind}: {finding.text[:200]}\n    {finding.original}" + (f"\n    accepted: {reason}" if reason else ""))
    accepted.complain_of_unused(whole=not options.paths)
    print(f"{left} left to explain", file=sys.stderr)
    return 1 if left else 0


def findings(index, chosen):
    """All findings, those of a file together."""
    wanted = lambda path: not chosen or any(path.is_relative_to(choice) for choice in chosen)  # noqa: E731
    common = names_of(path.read_text() for path in sources(OWN))
    for path in sources(DERIVABLE + OWN):
        if wanted(path):
            yield from index.of_source(str(path.relative_to(ROOT)), path.read_text(), common)
    cases = ROOT / "tests/differential"
    for path in sorted([*cases.rglob("*.lines"), *cases.rglob("*.cases")]):
        if wanted(path):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                yield from index.of_case(str(path.relative_to(ROOT)), number, line)


def sources(folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.rs")):
            if "target" not in path.parts:
                yield path


class Accepted:
    """What has a reason: entries with `kind`, a pattern for the shared `text`, and perhaps one for the `file`."""

    def __init__(self, entries):
        self.entries = entries.get("accepted", [])
        self.used = Counter()

    def reason(self, finding):
        for number, entry in enumerate(self.entries):
            fits = finding.kind in entry["kinds"] and re.search(entry.get("text", ""), finding.text)
            if fits and re.search(entry.get("file", ""), finding.file):
                self.used[number] += 1
                return entry["reason"]
        return None

    def complain_of_unused(self, whole):
        for number, entry in enumerate(self.entries):
            if whole and not self.used[number]:
                print(f"accepted.toml: nothing is accepted by: {entry['reason']}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
