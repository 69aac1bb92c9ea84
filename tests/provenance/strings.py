"""Strings, comments and tables of numbers that an original has too."""

import re

import facts
from finding import Finding
from runs import Runs

STRING_RUN = 35
COMMENT_RUN = 8
NUMBER_RUN = 6
WORD = re.compile(r"[A-Za-z0-9]+")
# The best known reporters of errors; a string that is an argument of one is what a user reads.
REPORTERS = re.compile(
    r"(?i)^(v?f?error(_at_line)?|die|fatal\w*|x?v?warnx?|v?errx?|warning\w*|lint\w*|.*_(error|warning|err|fatal|msg|die"
    r"|warn|err_msg|error_msg\w*)|builtin_\w*|internal_\w*|parser_\w*|sys_error|report_\w*|complain\w*|yyerror|bad_\w+"
    r"|paxfatal\w*|xalloc_die|jv_invalid_with_msg|type_error2?|ret_error2?|locfile_locate|argmatch_\w+|o|ons|oss"
    r"|usage_error|badarg|badmsg|dfaerror|dfawarn|try_help|shellerrorf?|errorf|warningf|bi_errorf|yyerrorf?|sh_error|synerror"
    r"|inform|say|evalerror|info|error_exit|warnf|msg|fail|jv_string_fmt)$"
)


def find(ours, originals):
    """Findings of all three kinds; `ours` has the facts of each of our files by its name."""
    strings, comments, numbers = Runs(STRING_RUN), Runs(COMMENT_RUN), Runs(NUMBER_RUN)
    for name, file in ours.items():
        for literal in file.literals:
            text = facts.plain_text(literal.text)
            strings.add(("string", name, literal.line), text)
            comments.add(("string", name, literal.line), words(text))
        for comment in file.comments:
            comments.add(("comment", name, comment.line), words(comment.text))
        for run in file.numbers:
            numbers.add(("numbers", name, run.line), run.values)
    best = Best()
    for original, files in originals.items():
        for file in files:
            search(file, original, strings, comments, numbers, best)
    return best.findings()


def search(file, original, strings, comments, numbers, best):
    if file.kind != "source" or file.text:
        text = facts.plain_text(file.text)
        best.add(strings.shared(text), original, file.kind)
        best.add(comments.shared(words(text)), original, file.kind)
    if not file.facts:
        return
    for literal in file.facts.literals:
        if len(literal.text) >= STRING_RUN - 5:
            text = facts.plain_text(literal.text)
            best.add(strings.shared(text), original, literal.caller)
            best.add(comments.shared(words(text)), original, literal.caller)
    for comment in file.facts.comments:
        best.add(comments.shared(words(comment.text)), original, "comment")
    for run in file.facts.numbers:
        best.add([(k, r) for k, r in numbers.shared(run.values) if tells(r)], original, "")


def words(text):
    return tuple(w.lower() for w in WORD.findall(text))


def tells(values):
    """Whether a run of numbers is more than counting, doubling or small numbers."""
    steps = {b - a for a, b in zip(values, values[1:])}
    factors = {b / a for a, b in zip(values, values[1:]) if a}
    large = [v for v in values if v > 9]
    return len(steps) > 2 and len(factors) > 2 and len(set(large)) >= 3


def is_language(run):
    """Whether a run of words has words enough that are no single letters or numbers."""
    return isinstance(run, str) or isinstance(run[0], int | float) or len({w for w in run if len(w) > 2}) >= 5


def plain(run):
    return run if isinstance(run, str) else " ".join(map(str, run))


class Best:
    """The longest shared run for each piece of ours, and all originals that have one."""

    def __init__(self):
        self.found = {}

    def add(self, shared, original, caller):
        for key, run in shared:
            if not is_language(run):
                continue
            length = len(plain(run))
            entry = self.found.setdefault(key, {})
            if length > entry.get(original, (0,))[0] or REPORTERS.match(caller) and length == entry[original][0]:
                entry[original] = (length, run, caller)

    def findings(self):
        """All of them; the first of a finding's originals is the one that shares the longest run."""
        for (kind, name, line), entry in self.found.items():
            ranked = sorted(entry.items(), key=lambda item: (-item[1][0], item[0]))
            length, run, caller = ranked[0][1]
            callers = [c for _, (n, _, c) in ranked if n == length and REPORTERS.match(c)]
            originals = tuple(original for original, _ in ranked)
            score = round(length / 20 * (2 if kind == "numbers" else 1), 1)
            yield Finding(kind, name, line, plain(run), originals, (callers or [caller])[0], score)
