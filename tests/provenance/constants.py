"""Single numbers that only one or two originals have: each may be chance, several from the same file are not."""

from collections import defaultdict

from finding import Finding

LEAST = 3
# More originals than these: a number that is known.
MOST_ORIGINALS = 3
ROUND = {2**power + more for power in range(7, 130) for more in (-1, 0, 1)}
ROUND |= {step * 10**power + more for power in range(2, 40) for step in (*range(1, 10), 12, 15, 25) for more in (-1, 0)}


def find(ours, originals, common):
    """One finding for each file of an original with which a file of ours shares several numbers."""
    wanted = set().union(*(file.constants for file in ours.values())) - common - ROUND
    where = defaultdict(set)
    for original, files in originals.items():
        for file in files:
            if file.facts:
                for number in wanted & file.facts.constants.keys():
                    where[number].add((original, file.path))
    for name, file in ours.items():
        shared = defaultdict(list)
        for number in wanted & file.constants.keys():
            if 0 < len({original for original, _ in where[number]}) <= MOST_ORIGINALS:
                for place in where[number]:
                    shared[place].append(number)
        if shared:
            (original, path), numbers = max(shared.items(), key=lambda item: (len(item[1]), item[0]))
            if len(numbers) >= LEAST:
                text = " ".join(map(str, sorted(numbers)))
                line = min(file.constants[number] for number in numbers)
                yield Finding("constants", name, line, text, (original,), path, float(len(numbers)))
