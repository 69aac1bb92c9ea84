"""What the project's files have in common with the originals."""

import difflib
from collections import Counter, defaultdict
from dataclasses import dataclass

import source_code as code
import words

STRING = 35
SENTENCE = 8
SCRIPT = 40
NUMBERS = 6
# A pair of files is told of when its shared names weigh as much as so many that no third file has.
NAMES = 4.0
# Functions of the same name are told of when their control flow is as long and as similar as this.
FLOW = (12, 0.8)


@dataclass(frozen=True)
class Finding:
    file: str
    kind: str
    # What is shared, and with what.
    text: str
    original: str
    weight: float = 1.0


class Originals:
    """An index of the originals' files."""

    def __init__(self, files):
        self.strings, self.sentences, self.scripts, self.numbers = {}, {}, {}, {}
        self.names = defaultdict(set)
        self.functions = defaultdict(dict)
        for package, name, kind, text in files:
            place = f"{package}: {name}"
            if kind == "test":
                for _, run in words.runs(script(text), SCRIPT):
                    self.scripts.setdefault(hash(run), place)
                continue
            if kind == "manual":
                self.add_sentences(text, place)
                continue
            read = code.read(text)
            for comment in read.comments:
                self.add_sentences(comment, place)
            for string in read.strings:
                self.add_sentences(string, place)
                for _, run in words.runs(words.plain(string), STRING):
                    self.strings.setdefault(hash(run), place)
            for table in read.tables:
                for run in number_runs(table):
                    self.numbers.setdefault(run, place)
            for identifier in read.names:
                if is_telling(parts := words.parts(identifier)):
                    self.names[parts].add(place)
            for function, flow in read.functions.items():
                self.functions[words.parts(function)][place] = flow

    def add_sentences(self, text, place):
        for _, run in words.sentences(text, SENTENCE):
            self.sentences.setdefault(hash(run), place)

    def of_source(self, file, text, common):
        """Findings in a source file. Names in `common` are those that the project has in code with no original."""
        read = code.read(text)
        for string in read.strings:
            plain = words.plain(string)
            yield from merge(file, "string", plain, STRING, ((i, self.strings.get(hash(r))) for i, r in words.runs(plain, STRING)))
        for text in [*read.comments, *help_texts(read.strings)]:
            seen = [(i, run, self.sentences.get(hash(run))) for i, run in words.sentences(text, SENTENCE)]
            yield from runs_of_words(file, seen)
        for table in read.tables:
            found = next((self.numbers[run] for run in number_runs(table) if run in self.numbers), None)
            if found:
                yield Finding(file, "numbers", " ".join(map(str, table[:12])), found)
        yield from self.shared_names(file, read, common)

    def shared_names(self, file, read, common):
        shared = defaultdict(set)
        ours = {words.parts(name) for name in read.names}
        for name in ours - common:
            for place in self.names.get(name, ()):
                shared[place].add(name)
        for place, names in shared.items():
            weight = sum(1 / len(self.names[name]) for name in names)
            if weight >= NAMES:
                yield Finding(file, "names", " ".join(sorted(names)), place, weight)
        least, similar = FLOW
        for function, flow in read.functions.items():
            for place, other in self.functions.get(words.parts(function), {}).items():
                if min(len(flow), len(other)) < least:
                    continue
                ratio = difflib.SequenceMatcher(None, flow, other, autojunk=False).ratio()
                if ratio >= similar:
                    yield Finding(file, "structure", f"{function} ({len(flow)} branches, {ratio:.0%} equal)", place)

    def of_case(self, file, number, line):
        """The finding in a recorded case, if there is one."""
        plain = script(line)
        hits = ((i, self.scripts.get(hash(run))) for i, run in words.runs(plain, SCRIPT))
        yield from merge(f"{file}:{number}", "case", plain, SCRIPT, hits)


def merge(file, kind, text, length, hits):
    """Neighbouring hits as one finding."""
    start = end = None
    place = ""
    for at, found in hits:
        if found is None:
            continue
        if start is not None and at <= end:
            end = at + length
            continue
        if start is not None:
            yield Finding(file, kind, text[start:end], place)
        start, end, place = at, at + length, found
    if start is not None:
        yield Finding(file, kind, text[start:end], place)


def runs_of_words(file, seen):
    text, last, place = [], None, ""
    for at, run, found in seen:
        if found is None:
            continue
        if last is not None and at == last + 1:
            text.append(run.split()[-1])
        else:
            if text:
                yield Finding(file, "sentence", " ".join(text), place)
            text, place = run.split(), found
        last = at
    if text:
        yield Finding(file, "sentence", " ".join(text), place)


def help_texts(strings):
    """Strings of several lines explain something; others are messages, which must be equal."""
    return [string for string in strings if string.count("\n") + string.count("\\n") >= 3]


def number_runs(table):
    for start in range(len(table) - NUMBERS + 1):
        run = tuple(table[start:start + NUMBERS])
        steps = {b - a for a, b in zip(run, run[1:]) if isinstance(a, int) and isinstance(b, int)}
        if len(set(run)) >= 5 and len(steps) > 2 and any(not isinstance(n, int) or n > 32 for n in run):
            yield run


def is_telling(parts):
    """Whether a name says something: one of several words, or a long one."""
    return "_" in parts and len(parts) >= 8 or len(parts) >= 12


def script(text):
    """A script as it is compared: on one line, without what only separates commands."""
    return " ".join(text.replace("\\n", " ").replace(";", " ").replace("\\", "").split())


def names_of(texts):
    """The names in these texts."""
    counted = Counter()
    for text in texts:
        counted.update({words.parts(name) for name in code.read(text).names})
    return set(counted)
