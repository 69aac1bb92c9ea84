"""Recorded scripts that stand in a test suite of an original, whole or in a long piece."""

import re

from finding import Finding
from runs import Runs

LEAST_PIECE = 40
# A script that is shorter than a piece counts if a suite has it whole.
LEAST_WHOLE = 25
BETWEEN = re.compile(r"[\s;]+")
ESCAPED = re.compile(r"\\(n|t|'|\\)")
MEANING = {"n": "\n", "t": "\t", "'": "'", "\\": "\\"}


def recorded(folder, root):
    """(file, line, script) of every script of the `.lines` and `.cases` below a folder."""
    for path in sorted([*folder.rglob("*.lines"), *folder.rglob("*.cases")]):
        name = str(path.relative_to(root))
        numbered = list(enumerate(path.read_text().splitlines(), 1))
        if path.suffix == ".lines":
            yield from ((name, number, line) for number, line in numbered if line and not line.startswith("#"))
        else:
            yield from ((name, number, script) for number, script in scripts_of_blocks(numbered))


def scripts_of_blocks(numbered):
    start, lines, inside = 0, [], False
    for number, line in [*numbered, (0, "=== ")]:
        if line.startswith("=== "):
            if lines:
                yield start, "\n".join(lines)
            start, lines, inside = number + 1, [], True
        elif line.startswith("--- "):
            inside = False
        elif inside:
            lines.append(line)


def plain(script):
    """Where a script has spaces, newlines or semicolons it has one space."""
    return BETWEEN.sub(" ", script).strip()


def find(folder, root, originals):
    """One finding for each script that is shared."""
    runs = Runs(LEAST_WHOLE)
    for name, line, script in recorded(folder, root):
        texts = {plain(script), plain(ESCAPED.sub(lambda m: MEANING[m[1]], script))}
        for text in texts:
            runs.add((name, line, text), text)
    best = {}
    for original, files in originals.items():
        for file in files:
            if file.kind != "source":
                for (name, line, text), run in runs.shared(plain(file.text)):
                    if len(run) >= LEAST_PIECE or run == text:
                        best.setdefault((name, line), []).append((len(run), original, file.path, run))
    for (name, line), found in best.items():
        found.sort(key=lambda entry: (-entry[0], entry[1:]))
        length, _, path, run = found[0]
        whole = tuple(dict.fromkeys(original for _, original, _, _ in found))
        yield Finding("case", name, line, run, whole, path, round(length / 20, 1))
