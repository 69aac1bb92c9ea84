"""Cuts C and Rust into tokens. It is forgiving: what is no token of the language is skipped."""

import re

C = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<char>'(?:\\.[^'\n]*|[^'\\\n])')
    |(?P<number>\b(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[uUlLfF]*\b)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>[(){};,=\[\]<>!:#-])""",
    re.S | re.X,
)
RUST = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
    |(?P<raw>\b(?:b|c)?r(?P<hashes>\#*)".*?"(?P=hashes))
    |(?P<string>\b[bc]?"(?:\\.|[^"\\])*"|"(?:\\.|[^"\\])*")
    |(?P<char>\bb?'(?:\\[^\n]+?|[^'\\\n])'|'(?:\\[^\n]+?|[^'\\\n])')
    |(?P<lifetime>'[a-z_]\w*)
    |(?P<number>\b(?:0[xX][0-9a-fA-F_]+|0b[01_]+|0o[0-7_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)
        (?:[iuf]\d+|usize|isize)?\b)
    |(?P<name>(?:r\#)?[A-Za-z_]\w*)
    |(?P<sign>[(){};,=\[\]<>!:#-])""",
    re.S | re.X,
)


def tokens(text, language):
    """(kind, text, offset) of each token; `language` is `C` or `RUST`."""
    for match in language.finditer(text):
        kind = match.lastgroup
        if kind == "hashes":
            kind = "raw"
        yield kind, match.group(), match.start()


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "0": "\0"}
ESCAPE = re.compile(r"\\(?:\r?\n\s*|u\{[0-9a-fA-F]+\}|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)", re.S)


def content(literal, kind):
    """The text that a string of the source stands for."""
    start = literal.index('"')
    if kind == "raw":
        hashes = literal[:start].count("#")
        return literal[start + 1 : len(literal) - 1 - hashes]
    return ESCAPE.sub(unescape, literal[start + 1 : -1])


def unescape(match):
    text = match.group()[1:]
    if text[0] in "\r\n":
        return ""
    if text[0] == "u" and len(text) > 1:
        return chr(min(int(text[2:-1], 16), 0x10FFFF))
    if text[0] == "x" and len(text) == 3:
        return chr(int(text[1:], 16))
    if text.isdigit() and text != "0":
        return chr(int(text, 8)) if not set(text) & set("89") else text
    return ESCAPES.get(text, text)
