"""What texts are compared by: runs of words and of characters, in which case, layout and places of values do not count."""

import re

VALUES = re.compile(r"%[-+ #0']*[\d*]*(?:\.[\d*]+)?[hlLzjt]*[a-zA-Z]|\{[^{}\s]*\}|\\[abfnrtve0]|\\x[0-9a-fA-F]{2}|\\[0-7]{3}")
# Marks of manuals' own languages: @code{x}, \fBx\fP.
MARKS = re.compile(r"@\w+\{|\\f[A-Z]|\\[-&]|[{}]|^\.\w+ ?", re.M)
WORD = re.compile(r"[a-z0-9]+")


def plain(text):
    """Lower case, one space between words, no values and no escapes."""
    return " ".join(VALUES.sub(" ", text).lower().split())


def runs(text, length):
    """Each run of so many characters that begins at the beginning of a word, with where it begins."""
    starts = [0] + [match.end() for match in re.finditer(r"\s+", text)]
    for start in starts:
        run = text[start:start + length]
        if len(run) == length:
            yield start, run


def sentences(text, length):
    """Each run of so many words, with which word it begins with."""
    words = WORD.findall(MARKS.sub(" ", text.lower()))
    for start in range(len(words) - length + 1):
        run = words[start:start + length]
        # Numbers and single letters in a row are tables, not sentences.
        if sum(len(word) > 2 for word in run) >= length // 2 + 1:
            yield start, " ".join(run)


def parts(identifier):
    """The words of a name, whatever the way they are joined: `lineNumber`, `line_number` and `LINE_NUMBER` are the same."""
    return "_".join(word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", identifier))
