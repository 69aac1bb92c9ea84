"""Records the answers of the machine's own CPython to the cases: `record.py [NAME...]`.

A file in `cases` holds snippets, separated by lines `---`. They are Python code that is read from standard input
(`.py`) or bash scripts (`.sh`). A first line `#py` or `#sh` makes a snippet a Python file or a bash script. The
output and status of each are stored in `NAME.expected`, where HERE replaces the snippet's directory.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/home/user", "USER": "user", "LANG": "C.UTF-8", "TZ": "UTC"}


def main(names):
    """Writes the expectations of these files, or of all files."""
    for path in sorted(HERE.glob("cases/*.py")) + sorted(HERE.glob("cases/*.sh")):
        if names and path.name not in names:
            continue
        snippets = path.read_text().split("\n---\n")
        answers = [answer(script(snippet, path.suffix)) for snippet in snippets]
        path.with_name(path.name + ".expected").write_bytes(b"".join(answers))
        print(path.name, len(snippets))


def script(snippet, kind):
    """The bash script that runs a snippet."""
    if snippet.startswith("#sh") or kind == ".sh" and not snippet.startswith("#py"):
        return snippet
    if snippet.startswith("#py"):
        return f"cat > t.py <<'END_OF_SNIPPET'\n{snippet}\nEND_OF_SNIPPET\npython3 t.py a1 'a 2'\n"
    return f"python3 - a1 'a 2' <<'END_OF_SNIPPET'\n{snippet}\nEND_OF_SNIPPET\n"


def answer(text):
    """A script's output, after a line with its status and length."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as directory:
        path = Path(home, "script")
        path.write_text(text)
        done = subprocess.run(["bash", path], cwd=directory, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60)
    output = done.stdout.replace(os.fsencode(directory), b"HERE")
    return f"=== {done.returncode} {len(output)}\n".encode() + output + b"\n"


if __name__ == "__main__":
    main(sys.argv[1:])
