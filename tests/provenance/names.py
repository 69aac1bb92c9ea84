"""Names and functions that only an original has, too."""

from collections import Counter, defaultdict
from difflib import SequenceMatcher

from finding import Finding

# What chance brings: code that replaces nothing has less, but for a file or two.
LEAST_SCORE = 3.0
LEAST_SHAPE = 6
LEAST_ALIKE = 0.6
LEAST_RARE_CALLS = 3
CONTROL = {"if", "else", "loop", "switch", "return", "break", "continue", "goto"}


class Rarity:
    """How much a name tells: nothing if it is common, more the more words it has, less the more originals have it."""

    def __init__(self, originals, common):
        self.common = common
        self.where = defaultdict(set)
        for original, files in originals.items():
            for file in files:
                if file.facts:
                    for name in file.facts.names:
                        self.where[name].add(original)

    def of(self, name):
        count = len(self.where.get(name, ()))
        if count == 0 or name in self.common:
            return 0.0
        words = name.count("_") + 1
        if words == 1:
            return (0.5 if len(name) >= 7 else 0.0) / count
        if len(name) < 7:
            return 0.0
        return min(words - 1, 3) / count

    def rare_calls(self, shape):
        """A function's shape without the calls that tell nothing."""
        return tuple(word for word in shape if word in CONTROL or self.of(word))


def find(ours, originals, common):
    """Findings for shared names and for functions of like shape."""
    rarity = Rarity(originals, common)
    functions = Functions(originals, rarity)
    for name, file in ours.items():
        yield from names_of(name, file, rarity)
        yield from functions.like(name, file)


def names_of(name, file, rarity):
    """One finding for each original with which the file shares many names that are rare."""
    shared = defaultdict(list)
    for word, line in file.names.items():
        weight = rarity.of(word)
        if weight:
            for original in rarity.where[word]:
                shared[original].append((weight, word, line))
    for original, found in shared.items():
        score = sum(weight for weight, _, _ in found)
        if score >= LEAST_SCORE:
            found.sort(reverse=True)
            text = " ".join(word for _, word, _ in found)
            yield Finding("names", name, found[0][2], text, (original,), "", round(score, 1))


class Functions:
    """The functions of all originals, by name and by the rare names that they call."""

    def __init__(self, originals, rarity):
        self.rarity = rarity
        self.all, self.by_name, self.by_call = [], defaultdict(list), defaultdict(list)
        for original, files in originals.items():
            for file in files:
                for function in file.facts.functions if file.facts else ():
                    self.add(original, function._replace(shape=rarity.rare_calls(function.shape)))

    def add(self, original, function):
        if len(function.shape) < LEAST_SHAPE:
            return
        number = len(self.all)
        self.all.append((original, function))
        self.by_name[function.name].append(number)
        for call in set(function.shape) - CONTROL:
            if self.rarity.of(call) > 0.3:
                self.by_call[call].append(number)

    def like(self, name, file):
        for function in file.functions:
            function = function._replace(shape=self.rarity.rare_calls(function.shape))
            if len(function.shape) < LEAST_SHAPE:
                continue
            best = max(self.candidates(function), default=None)
            if best:
                score, text, original = best
                yield Finding("function", name, function.line, text, (original,), "", round(score, 1))

    def candidates(self, function):
        calls = Counter()
        for call in set(function.shape) - CONTROL:
            for number in set(self.by_call.get(call, ())):
                calls[number] += 1
        distinctive = self.rarity.of(function.name) > 0
        named = set(self.by_name[function.name]) if distinctive and function.name in self.by_name else set()
        for number in named | {n for n, count in calls.items() if count >= LEAST_RARE_CALLS}:
            original, other = self.all[number]
            alike = SequenceMatcher(None, function.shape, other.shape, autojunk=False).ratio()
            same = sorted((set(function.shape) & set(other.shape)) - CONTROL)
            if calls[number] >= LEAST_RARE_CALLS or alike >= LEAST_ALIKE or same:
                text = f"{function.name} like {other.name} ({alike:.2f}); both call {' '.join(same) or 'nothing'}"
                yield 2 + 4 * alike + calls[number], text, original
