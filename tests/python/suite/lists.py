"""Writes the lists from the output of `run.py`: `lists.py OUT... [-- VERSION OUT...]...`; later lines replace
earlier ones.

After `--` come results with the tests of an older CPython: tests of the newest 3.14 fail or crash for fixes that
were made after 3.14.0. A module that passes only older tests is listed with the newest version whose tests it
passes.

`passing.txt` has the modules that pass, and `others.txt` the others with the reason. `refused.txt` has each test of
a passing module that used something that the system refuses, and so counts as skipped.
"""

import json
import re
import sys
from pathlib import Path

from run import SPLIT

HERE = Path(__file__).resolve().parent

#: The reasons that correspond to messages.
REASONS = [
    ("can't start new thread", "needs threads"),
    ("no network", "needs the network"),
    ("no fork", "needs fork"),
    ("no multiprocessing", "needs multiprocessing"),
    ("wall time limit", "takes longer than 100 s"),
    ("_testcapi|_testinternalcapi|_testmultiphase", "needs CPython's C modules for tests"),
    ("no file locks", "needs file locks"),
    ("Read-only file system: '/(usr/lib|run)", "writes beside the library, which is read-only"),
    ("no virtual environments", "needs virtual environments"),
    ("out of pty devices", "needs pseudo-terminals"),
    ("No module named '(termios|_multiprocessing|_ctypes|_curses|_gdbm|_dbm|tkinter|_ssl|_hashlib|readline)'",
     "needs a C module that is not there"),
    ("No module named '(aifc|asynchat|asyncore|audioop|cgi|cgitb|chunk|crypt|distutils|imghdr|imp|lib2to3|mailcap|msilib|nis|"
     "nntplib|ossaudiodev|pipes|smtpd|sndhdr|spwd|sunau|telnetlib|uu|xdrlib|_compression|typing.io)'",
     "3.14 has not the module"),
]


def main(arguments):
    """Reads the lines and writes the lists."""
    groups = [[]]
    for argument in arguments:
        groups.append([]) if argument == "--" else groups[-1].append(argument)
    newest = results(groups[0])
    older = [(version, results(files)) for version, *files in groups[1:]]
    passing, others, refused = [], [], []
    for name in sorted(set(newest).union(*(found for _, found in older)) - SPLIT):
        tried = [("", newest)] + older
        version, result = next(((version, found[name]) for version, found in tried if passes(found.get(name, {}))), (None, None))
        if result:
            skipped = result["skipped"] + len(result["refused"])
            passing.append(f"{name} {result['ran']} {skipped} {version}".rstrip() + "\n")
            refused += [f"{name}: {test}: needs {what}\n" for test, what in sorted(result["refused"].items())]
        if name in newest and version != "":
            others.append(f"{name}{f' (passes {version}' + chr(39) + 's)' if result else ''}: {reason(newest[name])}\n")
    write("passing.txt", "# module, tests that ran, tests of these that were skipped, the version whose tests they are if not 3.14.8\n",
          passing)
    write("others.txt", "# module: reason\n", others)
    write("refused.txt", "# module: test: what it needs; it counts as skipped\n", refused)


def results(files):
    """The result of each module."""
    lines = (line for file in files for line in Path(file).read_text().splitlines())
    return {result["module"]: result for result in map(json.loads, lines)}


def passes(result):
    """Whether any tests ran that were neither skipped nor refused, and none failed."""
    return (result.get("failed") == {} and result["ran"] > result["skipped"] + len(result.setdefault("refused", {}))
            and not {"error", "skip"} & result.keys())


def reason(result):
    """Why a module does not pass, in one line."""
    if "skip" in result:
        return f"skipped: {result['skip']}"
    if "died" in result:
        crashed = "ended by SIGSEGV" if result["died"] == 139 else f"ended with status {result['died']}"
        return explained([result["said"].strip().split("\n")[-1]], crashed)
    if "error" in result:
        return explained([result["error"]], "")
    if not result["failed"]:
        if result.get("refused"):
            return "needs " + ", ".join(sorted(set(result["refused"].values())))
        return f"skips all of its {result['ran']} tests" if result["ran"] else "has no tests for this system"
    return explained(list(result["failed"].values()), f"{len(result['failed'])} of {result['ran']} tests")


def explained(messages, what):
    """The known reasons for messages, or the first message if there are none."""
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
