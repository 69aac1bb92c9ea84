"""Runs tests of git's own in a sandbox, by hand: `python3 tests/packs/suite.py [--all] [--write] [--jobs N] [NAME…]` (as `t3400-rebase`).

Compares with `git/suite.txt`, which `--write` brings up to date; the reasons in it stay. `--all` takes every test but those of programs
that the pack does not have. Needs the pack, installed for this user (`sandshell pack build git`), and SANDSHELL, the program
(otherwise that of `target/debug`). The sources with what the tests need are built once, in ~/.cache/sandshell-git-suite. git's
tests stay there, and what they print.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SANDSHELL = os.environ.get("SANDSHELL", str(ROOT / "target/debug/sandshell"))
CACHE = Path.home() / ".cache/sandshell-git-suite"
PYTHON = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "sandshell/builds/git/bin/python"
LIST = ROOT / "tests/packs/git/suite.txt"
HEAD = "# What git's own tests do in the sandbox, and why those fail that do: written by suite.py.\n"
SOME = """
t0001-init t0021-conversion t1007-hash-object t1400-update-ref t2200-add-update t3200-branch t3400-rebase t3404-rebase-interactive
t3501-revert-cherry-pick t3903-stash t4001-diff-rename t4150-am t5500-fetch-pack t5510-fetch t5516-fetch-push t5601-clone t6030-bisect-porcelain
t7400-submodule-basic t7502-commit-porcelain t7508-status
""".split()

BUILD = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import build
tools, tree, words = build.prepare(Path(sys.argv[3]))
tools.run("make", *words, "GIT-BUILD-OPTIONS", "t/helper/test-tool", "t/helper/test-fake-ssh", cwd=tree)
tools.run("make", *words, "-C", "templates", cwd=tree)
"""

#: Of programs that the pack does not have: http, daemons, translations, scalar, p4, CVS, subversion, gitweb, and what perl runs.
NOT_THERE = re.compile(r".*(http|daemon|gettext|builtin-fsmonitor|svn|svk|cvs|send-email|gitweb|perl|trace2-(normal|perf|event))|t92|t98[0-4]|t983")

#: Those tests lint themselves with perl, which the sandbox does not have.
RUN = """
export GIT_TEST_INSTALLED=/usr/bin GIT_TEST_EXEC_PATH=/usr/lib/git-core GIT_TEST_CHAIN_LINT=0 GIT_TEST_EXT_CHAIN_LINT=0
cp -r /suite /tmp/suite; cd /tmp/suite/t; chmod +x helper/test-*; bash ./{name}.sh --no-color 2>&1
"""


def main():
    """Prints what each test did that the list does not say; 1 if there is such."""
    words = argparse.ArgumentParser()
    words.add_argument("names", nargs="*")
    words.add_argument("--all", action="store_true")
    words.add_argument("--write", action="store_true")
    words.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = words.parse_args()
    tree = CACHE / "git"
    if not (tree / "t/helper/test-tool").exists():
        subprocess.run([PYTHON, "-c", BUILD, ROOT / "packs", ROOT / "packs/git", CACHE], check=True)
    every = sorted(path.stem for path in tree.glob("t/t[0-9]*.sh") if not NOT_THERE.match(path.stem))
    names = asked.names or (every if asked.all else SOME)
    known, different = read(), False
    with ThreadPoolExecutor(asked.jobs) as pool:
        for name, said in zip(names, pool.map(lambda name: run(name, tree), names)):
            (CACHE / f"{name}.log").write_text(said)
            result = counts(said)
            before, reason = known.get(name, (None, ""))
            if result != before:
                different = True
                print(f"{name}: {result}, not {before}", flush=True)
            if asked.write:
                known[name] = (result, reason)
                LIST.write_text(HEAD + "".join(f"{name}: {result}{why and f' ({why})'}\n" for name, (result, why) in sorted(known.items())))
    sys.exit(different and not asked.write)


def counts(said):
    """How many cases passed, were skipped, failed as git's makers expect, failed; and the numbers of the last."""
    failed = re.findall(r"^not ok (\d+)(?!.*# TODO)", said, re.M)
    skipped, known = (len(re.findall(what, said, re.M)) for what in (r"^ok \d+.*# skip", r"^not ok .*# TODO"))
    parts = [f"{len(re.findall(r'^ok ', said, re.M)) - skipped} passed"]
    parts += [f"{number} {word}" for number, word in ((skipped, "skipped"), (known, "known")) if number]
    if not re.search(r"^1\.\.\d+", said, re.M):
        parts.append("did not end")
    if failed:
        parts.append(f"{len(failed)} failed: {' '.join(failed)}")
    return ", ".join(parts)


def read():
    """The list: results and reasons by name."""
    lines = LIST.read_text().splitlines() if LIST.exists() else []
    found = (re.fullmatch(r"(t\S+): ([^(]*?)(?: \((.*)\))?", line) for line in lines if not line.startswith("#"))
    return {match[1]: (match[2], match[3] or "") for match in found}


def run(name, tree):
    """What a test prints."""
    command = [SANDSHELL, "exec", "--timeout", "10m", "--mount", f"{tree}:/suite:ro", RUN.format(name=name)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL).stdout


if __name__ == "__main__":
    main()
