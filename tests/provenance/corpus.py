"""All originals at once. What several of them carry along, such as the files of gnulib, counts as one original."""

from collections import Counter
from pathlib import PurePath

import tree

SHARED_FOLDERS = {"lib", "gl", "gnulib", "gnulib-lib", "libiberty", "sys"}
SHARED_BY = 3


def load(trees, only, cache):
    """A list of files for each original's name."""
    found = {name: tree.read(name, place, only.get(name, []), cache) for name, place in trees.items()}
    return merge_shared(found)


def merge_shared(found):
    """Moves sources that at least three originals have in a folder of libraries to an original `gnulib`."""
    carriers = Counter()
    for files in found.values():
        carriers.update({PurePath(f.path).name for f in files if is_library(f)})
    shared, seen, result = [], set(), {}
    for name, files in found.items():
        result[name] = []
        for file in files:
            base = PurePath(file.path).name
            if not is_library(file) or carriers[base] < SHARED_BY:
                result[name].append(file)
            elif base not in seen:
                seen.add(base)
                shared.append(file)
    return {**result, "gnulib": shared} if shared else result


def is_library(file):
    return file.kind == "source" and bool(set(PurePath(file.path).parts[:-1]) & SHARED_FOLDERS)
