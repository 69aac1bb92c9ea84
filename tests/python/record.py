"""Compares Python in a sandbox with a CPython of the host: `compare.py SANDSHELL PYTHON [FILE...]`.

A file holds snippets, separated by lines `---`. A snippet is a program that is read from standard input, or from a file if
its first line is `#py`, or a bash script if that is `#sh`. Standard output and the exit status must be equal; the directory
that a snippet ran in is not told.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

#: Runs every script in a directory of its own and keeps what it printed.
RUN = r"""
for script in $(ls /cases | sort -n); do
  number=${script%.sh}; mkdir -p /tmp/w/$number; cd /tmp/w/$number
  timeout 60 bash /cases/$script </dev/null >/out/$number.out 2>/out/$number.err; echo $? >/out/$number.status
done
"""


def main(sandshell, python, *names):
    """Prints each difference and a closing line; the status is 1 if there is any."""
    files = names or sorted(Path(__file__).parent.glob("cases/*.txt"))
    snippets = [text for name in files for text in Path(name).read_text().split("\n---\n") if text.strip()]
    with tempfile.TemporaryDirectory() as work:
        cases, out = Path(work, "cases"), Path(work, "out")
        cases.mkdir()
        out.mkdir()
        for number, snippet in enumerate(snippets):
            (cases / f"{number}.sh").write_text(script(snippet))
        subprocess.run([sandshell, "exec", "--env", "TZ=UTC", "--mount", f"{cases}:/cases:ro",
                        "--mount", f"{out}:/out:rw", RUN], check=True)
        different = 0
        for number, snippet in enumerate(snippets):
            expected, stderr = native(python, cases / f"{number}.sh")
            found = result(out, number)
            if found != expected:
                different += 1
                show(snippet, expected, found, stderr, (out / f"{number}.err").read_bytes())
    print(f"{len(snippets) - different} of {len(snippets)} are equal")
    return int(different > 0)


def script(snippet):
    """The bash script that runs a snippet."""
    if snippet.startswith("#sh"):
        return snippet
    if snippet.startswith("#py"):
        return f"cat > t.py <<'END_OF_SNIPPET'\n{snippet}\nEND_OF_SNIPPET\npython3 t.py a1 'a 2'\n"
    return f"python3 - a1 'a 2' <<'END_OF_SNIPPET'\n{snippet}\nEND_OF_SNIPPET\n"


def native(python, path):
    """Status and standard output of a script with the host's Python, and its standard error."""
    environment = {"PATH": f"{Path(python).absolute().parent}:/usr/bin:/bin", "HOME": "/home/user", "USER": "user",
                   "LANG": "C.UTF-8", "TZ": "UTC"}
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(["bash", path], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60)
        return (done.returncode, done.stdout.replace(os.fsencode(directory), b"HERE")), done.stderr


def result(out, number):
    """Status and standard output of a script in the sandbox."""
    stdout = (out / f"{number}.out").read_bytes().replace(f"/tmp/w/{number}".encode(), b"HERE")
    return int((out / f"{number}.status").read_text()), stdout


def show(snippet, expected, found, native_error, own_error):
    """Prints a difference."""
    print(f"===== {snippet}\n----- host: status {expected[0]}")
    for text in (expected[1], native_error[-2000:]):
        print(text.decode(errors="replace"))
    print(f"----- sandbox: status {found[0]}")
    for text in (found[1], own_error[-2000:]):
        print(text.decode(errors="replace"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
