"""What is remembered of a source file: names, functions, strings, numbers and comments, in a form that is comparable
between languages."""

import re
from typing import NamedTuple

import lexer

CONTROL = {
    "if": "if", "else": "else", "while": "loop", "for": "loop", "loop": "loop", "do": "loop", "switch": "switch",
    "match": "switch", "return": "return", "break": "break", "continue": "continue", "goto": "goto",
}  # fmt: skip
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Before a parenthesis these call nothing.
NO_CALLS = {"let", "in", "sizeof", "move", "mut", "ref", "as", "some", "ok", "err", "none", "defined", "include"}
PLACEHOLDER = re.compile(r"%[-+ #0']*(?:\d+\$)?(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|\{[^{}\s]*\}")
SPACE = re.compile(r"\s+")
QUOTES = str.maketrans("‘’“”`", "''\"\"'")
# What a string may be wrapped in before it is an argument.
WRAPPERS = {"_", "N_", "gettext", "ngettext", "P_", "G_", "T_", "dgettext", "format", "B"}


class Function(NamedTuple):
    name: str
    shape: tuple
    """Words of control and the names of what is called, in order."""
    line: int


class Literal(NamedTuple):
    text: str
    line: int
    caller: str
    """The function whose argument it is, if it is one."""


class Numbers(NamedTuple):
    values: tuple
    line: int


class Comment(NamedTuple):
    text: str
    line: int


class Facts(NamedTuple):
    names: dict
    """Names in the form of `plain_name`, each with the line it is first on."""
    functions: list
    literals: list
    numbers: list
    comments: list
    constants: dict
    """Whole numbers of four digits and more, each with the line it is first on."""


def plain_name(name):
    """The words of a name in small letters, joined by `_`, however the language spells names."""
    return "_".join(w.lower() for w in WORDS.findall(name))


def plain_text(text):
    """Text with one space for any run of them, one mark for any placeholder, and one kind of quotes."""
    return SPACE.sub(" ", PLACEHOLDER.sub("\x01", text.translate(QUOTES))).strip()


def read(text, language):
    """The facts of a source text."""
    return Reader(text, language).read()


class Reader:
    def __init__(self, text, language):
        self.rust = language is lexer.RUST
        self.tokens = [t for t in lexer.tokens(text, language)]
        self.lines = Lines(text)
        self.facts = Facts({}, [], [], [], [], {})
        # The calls that are open: the name before each parenthesis.
        self.calls = []
        self.run, self.run_line, self.gap = [], 0, 0
        self.depth = 0
        # Functions that are open, each with the depth of braces it ends at.
        self.bodies = []
        self.candidate = None

    def read(self):
        before = ""
        words = self.tokens
        for i, (kind, text, offset) in enumerate(words):
            if kind == "comment":
                self.comment(text, offset)
                continue
            if kind in ("string", "raw"):
                self.literal(kind, text, offset, before)
            elif kind == "name":
                self.name(text, offset, before, words[i + 1 : i + 3])
            elif kind == "sign":
                self.sign(text, offset, before)
            if kind == "number":
                self.number(text, offset)
            else:
                self.between(text, kind)
            before = text if kind in ("name", "sign") else kind
        self.end_run()
        return self.facts

    def comment(self, text, offset):
        line = self.lines.of(offset)
        words = re.sub(r"^[\s/*!#]+", " ", text, flags=re.M)
        last = self.facts.comments[-1] if self.facts.comments else None
        if last and text.startswith("//") and last.line + last.text.count("\n") + 1 == line:
            self.facts.comments[-1] = Comment(f"{last.text}\n{words}", last.line)
        else:
            self.facts.comments.append(Comment(words, line))

    def literal(self, kind, text, offset, before):
        text = lexer.content(text, kind)
        if before == "string" and not self.rust and self.facts.literals:
            last = self.facts.literals[-1]
            self.facts.literals[-1] = last._replace(text=last.text + text)
            return
        caller = next((c for c in reversed(self.calls) if c and c not in WRAPPERS), "")
        self.facts.literals.append(Literal(text, self.lines.of(offset), caller))

    def name(self, text, offset, before, after):
        if text in CONTROL:
            if self.bodies:
                self.bodies[-1][2].append(CONTROL[text])
            return
        plain = plain_name(text)
        if plain and plain not in self.facts.names:
            self.facts.names[plain] = self.lines.of(offset)
        signs = [t[1] for t in after]
        called = signs[:1] == ["("] or self.rust and signs == ["!", "("]
        if self.rust and before == "fn":
            self.candidate = (text, offset)
        elif called and self.bodies and plain not in NO_CALLS:
            self.bodies[-1][2].append(plain)
        elif called and not self.rust and self.depth == 0:
            self.candidate = (text, offset)

    def sign(self, text, offset, before):
        if text == "(":
            self.calls.append(before if before[:1].isalpha() or before[:1] == "_" else "")
        elif text == ")" and self.calls:
            self.calls.pop()
        elif text == "{":
            if self.candidate and (self.rust or self.depth == 0):
                name, start = self.candidate
                self.bodies.append((name, self.depth, [], self.lines.of(start)))
                self.candidate = None
            self.depth += 1
        elif text == "}":
            self.depth = max(0, self.depth - 1)
            if self.bodies and self.bodies[-1][1] == self.depth:
                name, _, shape, line = self.bodies.pop()
                self.facts.functions.append(Function(plain_name(name), tuple(shape), line))
            # A new start after what unbalanced parentheses did.
            if not self.rust and self.depth == 0:
                self.calls = []
        elif text == ";" and self.rust and not self.calls:
            self.candidate = None
        elif text == "=" and not self.rust and self.depth == 0:
            self.candidate = None

    def number(self, text, offset):
        value = number_of(text)
        if value is None:
            return
        if isinstance(value, int) and value > 999:
            self.facts.constants.setdefault(value, self.lines.of(offset))
        if not self.run:
            self.run_line = self.lines.of(offset)
        self.run.append(value)
        self.gap = 0

    def between(self, text, kind):
        """A run of numbers ends at a statement's end, and where more than a few words stand between two."""
        if not self.run:
            return
        if kind in ("name", "string", "raw", "char"):
            self.gap += 1
        if self.gap > 3 or text == ";":
            self.end_run()

    def end_run(self):
        if len(self.run) >= 6:
            self.facts.numbers.append(Numbers(tuple(self.run), self.run_line))
        self.run, self.gap = [], 0


class Lines:
    """Which line an offset is on; offsets are asked for in order."""

    def __init__(self, text):
        self.text, self.at, self.line = text, 0, 1

    def of(self, offset):
        if offset < self.at:
            return self.text.count("\n", 0, offset) + 1
        self.line += self.text.count("\n", self.at, offset)
        self.at = offset
        return self.line


def number_of(text):
    text = text.replace("_", "")
    match = re.match(r"0[xX][0-9a-fA-F]+|0b[01]+|0o[0-7]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", text)
    digits = match.group()
    try:
        if digits[:2].lower() in ("0x", "0b", "0o"):
            return int(digits, 0)
        if re.search(r"[.eE]", digits):
            return float(digits)
        return int(digits)
    except ValueError:
        return None
