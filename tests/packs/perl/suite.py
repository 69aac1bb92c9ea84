"""Runs perl's own tests in a sandbox, by hand: `python3 tests/packs/perl/suite.py [--write] [--jobs N] TREE [NAME…]` (as `op/sprintf`).

TREE is a source tree of perl in which it was built natively: what its own perl does there is what is compared. Without names: all of
`t/base`, `t/cmd`, `t/io`, `t/op` and `t/re`. Compares with `suite.txt`, which `--write` brings up to date; the reasons in it stay.
Needs the pack, installed for this user (`sandshell pack build perl`), and SANDSHELL, the program (otherwise that of `target/debug`).
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SANDSHELL = os.environ.get("SANDSHELL", str(ROOT / "target/debug/sandshell"))
LIST = Path(__file__).parent / "suite.txt"
HEAD = "# perl's own tests: what the sandbox passes of what the same perl passes natively, and why not all; by suite.py.\n"
#: What the native build has made for its own machine.
OURS = "cd /usr/share/perl/5.36; cp Config.pm Config_heavy.pl Errno.pm /suite/lib; "
RUN = "cd /suite/t; ln -sf /usr/bin/perl perl; export PERL_CORE=1 LC_ALL=C; ./perl -I../lib {switches} {name}.t 2>&1"


def main():
    """Prints what differs from the list; 1 if something does."""
    words = argparse.ArgumentParser()
    words.add_argument("tree", type=Path)
    words.add_argument("names", nargs="*")
    words.add_argument("--write", action="store_true")
    words.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = words.parse_args()
    tests = asked.tree / "t"
    every = [str(path.relative_to(tests))[:-2] for part in ("base", "cmd", "io", "op", "re") for path in sorted((tests / part).glob("*.t"))]
    names = asked.names or every
    known, different = read(), False
    with ThreadPoolExecutor(asked.jobs) as pool:
        for name, result in zip(names, pool.map(lambda name: compare(asked.tree, name), names)):
            before, reason = known.get(name, (None, ""))
            if result != before:
                different = True
                print(f"{name}: {result}, not {before}", flush=True)
            known[name] = (result, reason)
            if asked.write:
                LIST.write_text(HEAD + "".join(f"{name}: {result}{why and f' ({why})'}\n" for name, (result, why) in sorted(known.items())))
    sys.exit(different and not asked.write)


def compare(tree, name):
    """How many of the cases that pass natively pass in the sandbox, and the numbers of those that do not."""
    first = (tree / "t" / f"{name}.t").read_text(errors="replace").splitlines()[0]
    switches = re.search(r"^#!.*perl\S*\s+(-\S+)", first)
    script = RUN.format(name=name, switches=switches[1] if switches else "")
    native = subprocess.run(
        ["timeout", "300", "bash", "-c", script.replace("/suite", str(tree)).replace("ln -sf /usr/bin/perl perl", "ln -sf ../perl perl")],
        capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
    ).stdout
    ours = subprocess.run(
        [SANDSHELL, "exec", "--timeout", "10m", "--mount", f"{tree}:/suite:overlay", OURS + script],
        capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
    ).stdout
    wanted, got = passed(native), passed(ours)
    missing = sorted(wanted - got)
    numbers = " ".join(map(str, missing[:40])) + (" …" if len(missing) > 40 else "")
    return f"{len(wanted & got)} of {len(wanted)}" + (f", not {numbers}" if missing else "")


def passed(said):
    """The numbers of the cases that passed."""
    return {int(number) for number in re.findall(r"^\s*ok (\d+)", said, re.M)}


def read():
    """The list: results and reasons by name."""
    lines = LIST.read_text().splitlines() if LIST.exists() else []
    found = (re.fullmatch(r"(\w+/\S+): ([^(]*?)(?: \((.*)\))?", line) for line in lines if not line.startswith("#"))
    return {match[1]: (match[2], match[3] or "") for match in found}


if __name__ == "__main__":
    main()
