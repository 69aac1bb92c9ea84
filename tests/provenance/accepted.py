"""Overlaps that are accepted, each for a reason: `accepted.toml`.

An entry is a rule. All of its conditions must hold for a finding:

    kind      the kind of the finding; of `names`, the entry takes single names away
    file      our file, with `*` and `?`
    original  the original that shares most, with `*` and `?`
    pattern   a regular expression that is found in what is shared
    reporter  true: in the original it is an argument of a function that reports errors
    recorded  true: the real program printed it when a recorded script ran that did not ask for help
    reason    why it is no copy of what may not be copied
"""

import re
import tomllib
from fnmatch import fnmatchcase

import facts
import strings

CONDITIONS = {"kind", "file", "original", "pattern", "reporter", "recorded", "reason"}
HELP = re.compile(r"--help|--usage|-\?|\bhelp\b|-h\b")
SHORTEST_PIECE = 6


class Accepted:
    """The rules, and which of them have not been needed."""

    def __init__(self, text, answers=""):
        self.rules = tomllib.loads(text).get("accept", [])
        self.answers = answers
        self.used = [False] * len(self.rules)
        for rule in self.rules:
            unknown = set(rule) - CONDITIONS
            if unknown or not rule.get("reason") or "kind" not in rule:
                raise ValueError(f"accepted.toml: kind and reason are needed, {sorted(unknown)} unknown: {rule}")

    def reason(self, finding):
        """The reason for which a finding is accepted, or None."""
        reasons = [rule["reason"] for i, rule in enumerate(self.rules) if self.takes(i, finding)]
        return reasons[0] if reasons else None

    def takes(self, number, finding):
        rule = self.rules[number]
        held = rule["kind"] == finding.kind
        held = held and fnmatchcase(finding.file, rule.get("file", "*"))
        held = held and fnmatchcase(finding.originals[0], rule.get("original", "*"))
        held = held and re.search(rule.get("pattern", ""), finding.text)
        held = held and (not rule.get("reporter") or strings.REPORTERS.match(finding.caller))
        held = held and (not rule.get("recorded") or self.was_answered(finding.text))
        if finding.kind == "names" and "pattern" in rule:
            return False
        if held:
            self.used[number] = True
        return bool(held)

    def names(self, found):
        """Those of the names that are accepted one by one."""
        taken = set()
        for number, rule in enumerate(self.rules):
            if rule["kind"] == "names" and "pattern" in rule:
                matched = {name for name in found if re.fullmatch(rule["pattern"], name)}
                self.used[number] |= bool(matched)
                taken |= matched
        return taken

    def was_answered(self, text):
        pieces = [piece.strip() for piece in text.split("\x01")]
        long = [piece for piece in pieces if len(piece) >= SHORTEST_PIECE]
        return bool(long) and all(piece in self.answers for piece in long)

    def unused(self):
        return [rule for rule, used in zip(self.rules, self.used) if not used]


def answers(folder):
    """All that the real programs printed in recorded scripts, but for those that ask for help."""
    printed = []
    for path in sorted(folder.rglob("*.expected")):
        for line in path.read_text().splitlines():
            _, out, err, script = line.split("\t", 3)
            if not HELP.search(script):
                printed += [out, err]
    for path in sorted(folder.rglob("*.cases")):
        for section in re.split(r"^(?:---|===) ", path.read_text(), flags=re.M):
            if section.startswith(("stdout", "stderr")):
                printed.append(section)
    return "\n".join(facts.plain_text(re.sub(r"\\[nt]", " ", text)) for text in printed)
