#!/usr/bin/env python3
"""Runs a sample of the recorded scripts with a program that is there, for instance one for Windows under Wine.

    python3 tests/wine/recorded.py --with wine target/x86_64-pc-windows-gnu/debug/sandshell.exe text awk shell/arrays

Each script runs in a sandbox of its own, made by `sandshell exec`, in which `setup.sh` of its folder ran before. The
answer is compared with `.expected`. The sample is every n-th script of the chosen groups, so it is the same each time.
Ends with 1 if an answer differs.
"""

import argparse
import base64
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "differential"

# More than a script is given: starting a program takes long where it is emulated.
PATIENCE = 300


def escaped(data):
    """Bytes as `.expected` has them."""
    named = {0x5C: "\\\\", 0x0A: "\\n", 0x09: "\\t"}
    return "".join(named.get(byte) or (chr(byte) if 0x20 <= byte <= 0x7E else f"\\x{byte:02x}") for byte in data)


def scripts(path):
    """The scripts of a file with their answers, but for those with a known gap and those without an answer."""
    answers = {}
    for line in path.with_suffix(".expected").read_text(encoding="utf-8").split("\n"):
        status, _, rest = line.partition("\t")
        stdout, _, rest = rest.partition("\t")
        stderr, tab, script = rest.partition("\t")
        if tab:
            answers[script] = (status, stdout, stderr)
    gap = False
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("#"):
            gap = gap or line.startswith("#gap ")
        elif line:
            if not gap and line in answers:
                yield path, line, answers[line]
            gap = False


def chosen(groups):
    """All scripts of groups such as `text` and `shell/arrays`; of every group if none is named."""
    found = []
    for group in groups or ["."]:
        place = FOLDER / group
        files = sorted(place.rglob("*.lines")) if place.is_dir() else [place.with_suffix(".lines")]
        for path in files:
            found.extend(scripts(path))
    return found


def stream(answer, name):
    """The bytes of one stream in the answer of `exec --json`."""
    encoded = answer.get(f"{name}_base64")
    return base64.b64decode(encoded) if encoded is not None else answer[name].encode()


def run(command, path, script):
    """What the program answers, as in `.expected`."""
    line = [*command, "exec", "--json", "--timeout", "60s"]
    if path.with_name("setup.sh").exists():
        line += ["--sandbox-setup", "setup.sh"]
    # The working directory is the folder of the setup, so that its name is the same on every host.
    try:
        done = subprocess.run(
            [*line, "--", script], cwd=path.parent, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return ("no answer", "", "")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return ("no answer", escaped(done.stdout), escaped(done.stderr))
    status = answer["status"] if answer["status"] is not None else -1
    return (str(status), escaped(stream(answer, "stdout")), escaped(stream(answer, "stderr")))


def compare(command, case):
    path, script, expected = case
    got = run(command, path, script)
    # The order of output from background processes depends on the machine's load, in bash as well.
    for _ in range(2):
        if got == expected or "&" not in script:
            break
        got = run(command, path, script)
    return got


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", dest="runner", default="", help="what starts the program, such as `wine`")
    parser.add_argument("--sample", type=int, default=500, metavar="NUMBER", help="how many scripts; 0 for all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at a time")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("group", nargs="*", help="a folder of tests/differential, or FOLDER/NAME")
    options = parser.parse_args()

    command = [*options.runner.split(), str(options.program.resolve())]
    every = chosen(options.group)
    count = min(options.sample or len(every), len(every))
    sample = [every[number * len(every) // count] for number in range(count)]
    equal = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, got in zip(sample, pool.map(lambda case: compare(command, case), sample)):
            path, script, expected = case
            if got == expected:
                equal += 1
                continue
            name = path.relative_to(FOLDER).with_suffix("")
            print(name, script, "  recorded  " + "\t".join(expected), "  answered  " + "\t".join(got), sep="\n", flush=True)
    print(f"{equal} of {len(sample)} scripts are answered as recorded; there are {len(every)} in these groups")
    return 0 if sample and equal == len(sample) else 1


if __name__ == "__main__":
    sys.exit(main())
