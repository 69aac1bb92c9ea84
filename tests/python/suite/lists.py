"""Writes `passing.txt` and `others.txt` from what `run.py` wrote: `lists.py OUT...`; later lines of a module replace earlier."""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: What a message says of the reason, beside itself.
REASONS = [
    ("can't start new thread", "needs threads"),
    ("no network", "needs the network"),
    ("no fork", "needs fork"),
    ("no multiprocessing", "needs multiprocessing"),
    ("wall time limit", "takes longer than 100 s"),
    ("_testcapi|_testinternalcapi|_testmultiphase", "needs CPython's C modules for tests"),
    ("__annotations__", "3.14 has no annotations of modules before they are asked for"),
    ("subTests|force_not_colorized", "needs a newer test.support"),
    ("no file locks", "needs file locks"),
    ("No module named '(termios|_multiprocessing|_ctypes|_curses|_gdbm|_dbm|tkinter|_bz2|_lzma|_ssl|_hashlib|readline)'",
     "needs a C module that is not there"),
    ("No module named '(aifc|asynchat|asyncore|audioop|cgi|cgitb|chunk|crypt|distutils|imghdr|imp|lib2to3|mailcap|msilib|nis|"
     "nntplib|ossaudiodev|pipes|smtpd|sndhdr|spwd|sunau|telnetlib|uu|xdrlib|_compression|_xxsubinterpreters|typing.io)'",
     "3.14 has not the module"),
]


def main(files):
    """Reads the lines and writes the lists."""
    found = {}
    for file in files:
        for line in Path(file).read_text().splitlines():
            result = json.loads(line)
            found[result["module"]] = result
    passing, others = [], []
    for name, result in sorted(found.items()):
        if result.get("failed") == {} and result["ran"] and "error" not in result and "skip" not in result:
            passing.append(f"{name} {result['ran']} {result['skipped']}\n")
        else:
            others.append(f"{name}: {reason(result)}\n")
    write("passing.txt", "# module, tests that ran, tests of these that were skipped\n", passing)
    write("others.txt", "# module: reason\n", others)


def reason(result):
    """Why a module does not pass, in a line."""
    if "skip" in result:
        return f"skipped: {result['skip']}"
    if "died" in result:
        return explained([result["said"].strip().split("\n")[-1]], f"ended with status {result['died']}")
    if "error" in result:
        return explained([result["error"]], "")
    if not result["failed"]:
        return "has no tests for this system"
    return explained(list(result["failed"].values()), f"{len(result['failed'])} of {result['ran']} tests")


def explained(messages, what):
    """The known reasons of messages, or else the first message."""
    known = [text for pattern, text in REASONS if any(re.search(pattern, message) for message in messages)]
    rest = [message for message in messages if not any(re.search(pattern, message) for pattern, _ in REASONS)]
    shown = [re.sub(r"\s+", " ", rest[0])[:110]] if rest else []
    return "; ".join(([what] if what else []) + known + shown)


def write(name, head, lines):
    """Writes a list."""
    HERE.joinpath(name).write_text(head + "".join(lines))
    print(name, len(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
