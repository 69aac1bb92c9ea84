#!/usr/bin/env python3
"""What Node's interface (`packs/node/lib`) has in common with Node's own library, as Debian has its source.

    python3 tests/provenance/node.py            runs of tokens, and names that only Node's own code has
    python3 tests/provenance/node.py FILE...    of some files of packs/node/lib

It ends with 1 if there is a place that `node.toml` does not explain. Names that a program sees on a running Node
(`observed.js`), and those in its documentation, are given.
"""

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import fetch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OURS = ROOT / "packs/node/lib"
CACHE = Path.home() / ".cache/sandshell-provenance"

#: So many tokens in a row, names and all, are no chance.
RUN = 22
#: A name is rare if no more files of Node's have it.
RARE = 3
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`
    |[A-Za-z_$\#][\w$]*|\d[\w.]*|[^\s\w]""",
    re.S | re.X,
)
WORD = re.compile(r"[A-Za-z_$][\w$]*")


def main(wanted):
    tree = fetch.sources(CACHE, ["nodejs"]).get("nodejs")
    if not tree:
        sys.exit("the source of nodejs cannot be had")
    pages = [page.read_text(errors="replace") for page in (tree / "doc/api").glob("*.md")]
    public = {word for page in pages for word in WORD.findall(page)}
    public |= set(subprocess.run(["node", HERE / "observed.js"], check=True, capture_output=True, text=True).stdout.split())
    runs, files_with = read(tree)
    rules = tomllib.loads((HERE / "node.toml").read_text()).get("accept", [])
    needed, found, explained = set(), 0, 0
    for path in sorted(OURS.rglob("*.js")):
        name = str(path.relative_to(OURS))
        if wanted and name not in wanted:
            continue
        text = path.read_text()
        for first, last, count, other in shared(text, runs):
            lines = "\n".join(text.splitlines()[first - 1 : last])
            rule = next((rule for rule in rules if rule["file"] == name and rule["has"] in lines), None)
            if rule:
                needed.add(rule["file"] + rule["has"])
                explained += 1
                continue
            print(f"{name}:{first}-{last}  {count} tokens as in {other}")
            found += 1
        words = {word for token, _ in tokens(text) for word in [token.lstrip("#")] if WORD.fullmatch(word)}
        own = [word for word in sorted(words) if tells(word) and word not in public]
        rare = [word for word in own if 0 < len(files_with[word]) <= RARE]
        if len(rare) >= 3:
            print(f"{name}  names: {' '.join(rare)}")
            found += 1
    for rule in rules:
        if not wanted and rule["file"] + rule["has"] not in needed:
            print(f"node.toml: not needed: {rule['file']}: {rule['has']}")
            found += 1
    print(f"{found} places to look at, {explained} explained", file=sys.stderr)
    return 1 if found else 0


def read(tree):
    """The file that each run of tokens is in, and the files that each name is in."""
    runs, files_with = {}, defaultdict(set)
    for path in (tree / "lib").rglob("*.js"):
        name = str(path.relative_to(tree))
        all_tokens = [token for token, _ in tokens(path.read_text(errors="replace"))]
        for token in all_tokens:
            files_with[token.lstrip("#")].add(name)
        for at in range(len(all_tokens) - RUN + 1):
            runs.setdefault(hash(tuple(all_tokens[at : at + RUN])), name)
    return runs, files_with


def tokens(text):
    """Each token but comments, and where it is."""
    return [(m.group(), m.start()) for m in TOKEN.finditer(text) if not m.group().startswith(("//", "/*"))]


def shared(text, runs):
    """(first line, last line, tokens, file) of each run that Node's library has, too."""
    ours = tokens(text)
    line = lambda at: text.count("\n", 0, ours[at][1]) + 1
    place = lambda at: runs.get(hash(tuple(token for token, _ in ours[at : at + RUN])))
    at = 0
    while at <= len(ours) - RUN:
        other, end = place(at), at
        while end <= len(ours) - RUN and place(end):
            end += 1
        if other:
            yield line(at), line(end + RUN - 2), end + RUN - 1 - at, other
        at = end + RUN - 1 if other else at + 1


def tells(word):
    """Whether a name has two words at least."""
    return len(word) > 8 and re.search(r"[a-z][A-Z]", word)


if __name__ == "__main__":
    sys.exit(main(set(sys.argv[1:])))
