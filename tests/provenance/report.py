"""Says what was found: the files with the highest score first."""

import json
from collections import defaultdict

WIDTH = 150


def by_file(findings):
    """(file, score, findings), the highest score first."""
    files = defaultdict(list)
    for finding in findings:
        files[finding.file].append(finding)
    ranked = [(name, sum(f.score for f in found), found) for name, found in files.items()]
    return sorted(ranked, key=lambda entry: (-entry[1], entry[0]))


def text(findings, reasons):
    """Lines for people; `reasons` has why a finding is accepted, if it is."""
    for name, score, found in by_file(findings):
        yield f"{name}  score {score:.1f}"
        for finding in sorted(found, key=lambda f: (-f.score, f.line)):
            shared = printable(finding.text)
            of = ", ".join(finding.originals[:3])
            caller = f" ({finding.caller})" if finding.caller else ""
            yield f"  {finding.line}: {finding.kind} {finding.score}, {of}{caller}: {shared}"
            if reasons.get(finding):
                yield f"    accepted: {reasons[finding]}"


def printable(shared):
    shared = shared.replace("\x01", "{}")
    shared = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shared)
    return shared if len(shared) <= WIDTH else f"{shared[:WIDTH]}…"


def as_json(findings, reasons):
    """The same for programs: a list of objects."""
    ordered = [finding for _, _, found in by_file(findings) for finding in found]
    return json.dumps([{**f._asdict(), "accepted": reasons.get(f)} for f in ordered], indent=1, ensure_ascii=False)
