#!/usr/bin/env python3
"""Does anything in this repository derive from the programs that it replaces?

Fetches the originals' sources (Debian's source packages, see originals.toml) into a cache, and compares with them:
names, functions of like shape, strings, numbers and comments of our Rust files, and the recorded scripts with the test
suites of the originals. What is shared for a good reason is listed in accepted.toml. Ends with 1 if anything else is
shared, or if an entry of that list is no longer needed.

    check.py                              everything; the first time it fetches some 250 MB
    check.py --file guest-shell/make      only what is below a folder, or one file
    check.py --kind case                  only the recorded scripts
    check.py --all --file guest-shell/jq  also what is accepted, with its reason
    check.py --json > found.json          for a program
    check.py --offline                    with what the cache has; fetches nothing
"""

import argparse
import sys
from pathlib import Path

import accepted
import cases
import constants
import corpus
import facts
import fetch
import lexer
import manuals
import names
import report
import strings

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDERS = ("guest-shell", "runtime", "vfs", "src", "providers", "emulator")
# Folders that replace no program: what is called so there is an ordinary name.
ORDINARY = FOLDERS[1:]
# Interfaces that programs use: their names are ordinary.
INTERFACES = ("glibc", "rust-ripgrep")
# In the same language, so that names of its libraries would be shared with all that we write.
NO_NAMES = (*INTERFACES, "uutils")
KINDS = ("names", "function", "string", "numbers", "constants", "comment", "case")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", metavar="PATH", action="append", default=[], help="only this file or folder of ours")
    parser.add_argument("--kind", choices=KINDS, action="append", default=[], help="only findings of this kind")
    parser.add_argument("--all", action="store_true", help="show accepted findings, too")
    parser.add_argument("--json", action="store_true", help="write findings as JSON")
    parser.add_argument("--offline", action="store_true", help="fetch nothing")
    cache = Path("~/.cache/sandshell-provenance").expanduser()
    parser.add_argument("--cache", type=Path, metavar="DIR", default=cache, help=f"default: {cache.name} in ~/.cache")
    options = parser.parse_args()
    only = fetch.originals()
    trees = fetch.sources(options.cache.resolve(), only, options.offline)
    originals = corpus.load(trees, only, options.cache.resolve())
    answers = accepted.answers(ROOT / "tests/differential")
    rules = accepted.Accepted((HERE / "accepted.toml").read_text(), answers)
    findings = find(ROOT, originals, rules, options.kind or KINDS)
    return judge(findings, rules, options)


def find(root, originals, rules, kinds=KINDS):
    """All findings in the repository at `root`, before they are judged."""
    ours = dict(our_files(root))
    findings = []
    if {"names", "function"} & set(kinds):
        known = {name: files for name, files in originals.items() if name not in NO_NAMES}
        every = set().union(*(file.names for file in ours.values()))
        common = ordinary_names(ours, originals) | manuals.terms(every, originals) | rules.names(every)
        findings += names.find({n: f for n, f in ours.items() if n.startswith("guest-shell/")}, known, common)
    if {"string", "numbers", "comment"} & set(kinds):
        findings += strings.find(ours, originals)
    if "constants" in kinds:
        known = set().union(*(file.constants for name, file in ours.items() if name.split("/")[0] in ORDINARY))
        guests = {n: f for n, f in ours.items() if n.startswith("guest-shell/")}
        findings += constants.find(guests, originals, known)
    if "case" in kinds:
        findings += cases.find(root / "tests/differential", root, originals)
    return [finding for finding in findings if finding.kind in kinds]


def our_files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.rs")):
            name = path.relative_to(root)
            if "target" not in name.parts:
                yield str(name), facts.read(path.read_text(), lexer.RUST)


def ordinary_names(ours, originals):
    found = set()
    for name, file in ours.items():
        if name.split("/")[0] in ORDINARY:
            found |= set(file.names)
    for original in INTERFACES:
        for file in originals.get(original, ()):
            found |= set(file.facts.names if file.facts else ())
    return found


def judge(findings, rules, options):
    """Prints what is to be said; the exit status."""
    reasons = {finding: rules.reason(finding) for finding in findings}
    if options.file:
        places = [str(Path(path).resolve().relative_to(ROOT)) for path in options.file]
        findings = [f for f in findings if any(f.file == p or f.file.startswith(f"{p}/") for p in places)]
    open_ones = [finding for finding in findings if not reasons[finding]]
    shown = findings if options.all else open_ones
    # A part of the findings cannot tell that an entry is not needed.
    unused = [] if options.file or options.kind else rules.unused()
    if options.json:
        print(report.as_json(shown, reasons))
    else:
        print("".join(f"{line}\n" for line in report.text(shown, reasons)), end="")
    for rule in unused:
        print(f"accepted.toml: not needed any more: {rule}", file=sys.stderr)
    print(f"{len(open_ones)} unexplained, {len(findings) - len(open_ones)} accepted", file=sys.stderr)
    return 1 if open_ones or unused else 0


if __name__ == "__main__":
    sys.exit(main())
