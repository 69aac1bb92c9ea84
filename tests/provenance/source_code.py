"""Reading source code: its strings, comments, names, numbers and functions. Enough of C's and Rust's grammar for that."""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>b?r(?P<marks>\#*)".*?"(?P=marks))
      | (?P<string>b?c?"(?:\\.|[^"\\])*")
      | (?P<char>b?'(?:\\.[^']*|[^'\\])')
      | (?P<number>\b\d[\w.]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<mark>[^\s\w])""",
    re.S | re.X,
)
FLOW = {
    "if": "if", "else": "else", "for": "loop", "while": "loop", "loop": "loop", "do": "loop", "switch": "switch",
    "match": "switch", "return": "return", "break": "break", "continue": "continue", "goto": "goto",
}


@dataclass
class Code:
    strings: list = field(default_factory=list)
    comments: list = field(default_factory=list)
    names: set = field(default_factory=set)
    # Lists of numbers with nothing but commas and brackets between them.
    tables: list = field(default_factory=list)
    # Name to control flow: what of `FLOW` it has, in order.
    functions: dict = field(default_factory=dict)


def read(text):
    code = Code()
    table, previous, depth, function, flow = [], "", 0, None, []
    pending = None
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind == "marks":
            kind = "raw"
        if kind == "comment":
            code.comments.append(token)
            continue
        if kind in ("string", "raw"):
            body = token[token.index('"') + 1:token.rindex('"')]
            # C joins neighbours; Rust goes on after a backslash at a line's end.
            body = re.sub(r"\\\n\s*", "", body)
            if previous == "string" and code.strings:
                code.strings[-1] += body
            else:
                code.strings.append(body)
            previous = "string"
            continue
        previous = kind
        if kind == "number":
            table.append(value(token))
            continue
        if not (kind == "mark" and token in ",{}[]()-"):
            if len(table) >= 6:
                code.tables.append(table)
            table = []
        if kind == "name":
            code.names.add(token)
            if token in FLOW:
                flow.append(FLOW[token])
            elif depth == 0 or text[max(0, match.start() - 3):match.start()] == "fn ":
                # C's functions are at the top; Rust's may be inside of something.
                pending = token
        elif token == "{":
            depth += 1
            if function is None and pending:
                function, start_depth, flow = pending, depth, []
        elif token == "}":
            if function is not None and depth == start_depth:
                code.functions.setdefault(function, flow)
                function = None
            depth = max(0, depth - 1)
        elif token == ";" and function is None:
            pending = None
    if len(table) >= 6:
        code.tables.append(table)
    return code


def value(token):
    digits = token.replace("_", "").rstrip("uUlLf")
    digits = re.sub(r"(?<=\d)(?:[iu](?:8|16|32|64|128|size))$", "", digits)
    try:
        return int(digits, 0) if not re.fullmatch(r"0\d+", digits) else int(digits, 8)
    except ValueError:
        return token
