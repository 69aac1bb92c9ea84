"""Finds runs that sequences share: of characters, words or numbers."""


class Runs:
    """Sequences of ours, and every run of at least `least` items that they share with a sequence of others.

    Only blocks of ours that stand side by side are kept, half as long as a run: any run contains one of them whole.
    """

    def __init__(self, least):
        self.least = least
        self.block = (least + 1) // 2
        self.sequences = []
        self.blocks = {}

    def add(self, key, sequence):
        """Adds a sequence (a string or a tuple) under a key."""
        if len(sequence) < self.least:
            return
        number = len(self.sequences)
        self.sequences.append((key, sequence))
        for at in range(0, len(sequence) - self.block + 1, self.block):
            self.blocks.setdefault(sequence[at : at + self.block], []).append((number, at))

    def shared(self, other):
        """(key, run) for the longest run that each sequence of ours shares with this one."""
        best, seen = {}, {}
        blocks, size = self.blocks, self.block
        for at in range(len(other) - size + 1):
            found = blocks.get(other[at : at + size])
            if found is None:
                continue
            for number, ours_at in found:
                diagonal = (number, at - ours_at)
                if seen.get(diagonal, -1) > at:
                    continue
                start, end = self.extend(number, ours_at, other, at)
                seen[diagonal] = at - ours_at + end
                if end - start >= self.least and end - start > len(best.get(number, ())):
                    best[number] = self.sequences[number][1][start:end]
        return [(self.sequences[number][0], run) for number, run in best.items()]

    def extend(self, number, ours_at, other, at):
        """Start and end, in our sequence, of the longest run around a place that both have."""
        ours = self.sequences[number][1]
        start, end = ours_at, ours_at + self.block
        shift = at - ours_at
        while start > 0 and start + shift > 0 and ours[start - 1] == other[start + shift - 1]:
            start -= 1
        while end < len(ours) and end + shift < len(other) and ours[end] == other[end + shift]:
            end += 1
        return start, end
