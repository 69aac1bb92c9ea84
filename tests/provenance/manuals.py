"""Which names are terms of the manuals: options, variables and phrases that everybody may use."""

import re
from pathlib import PurePath

SUFFIXES = {".texi", ".texinfo", ".txi", ".man", ".rst", ".adoc", ".mdoc", ".1", ".3", ".5", ".7", ".8", ".in", ".d"}
FOLDERS = {"doc", "docs", "man", "cmdline-opts"}
WORD = re.compile(r"[a-z]+|\d+")
LONGEST = 4


def terms(names, originals):
    """Those of `names` whose words stand side by side in a manual of an original."""
    wanted = {tuple(name.split("_")) for name in names}
    found = set()
    for files in originals.values():
        for file in files:
            if file.kind == "text" and is_manual(file.path):
                words = WORD.findall(file.text.lower())
                for length in range(1, LONGEST + 1):
                    found |= wanted.intersection(zip(*(words[i:] for i in range(length))))
    return {"_".join(words) for words in found}


def is_manual(path):
    path = PurePath(path)
    return path.suffix in SUFFIXES or bool(FOLDERS & set(path.parts[:-1]))
