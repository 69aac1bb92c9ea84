"""Runs tests of git's own in a sandbox: `python3 tests/packs/suite.py [NAME…]` (as `t3400-rebase`), by hand.

Needs the pack, installed for this user (`sandshell pack build git`), and SANDSHELL, the program (otherwise that of `target/debug`).
The sources with what the tests need are built once, in ~/.cache/sandshell-git-suite. git's tests stay there.
"""

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

#: Those tests lint themselves with perl, which the sandbox does not have.
RUN = """
export GIT_TEST_INSTALLED=/usr/bin GIT_TEST_EXEC_PATH=/usr/lib/git-core GIT_TEST_CHAIN_LINT=0 GIT_TEST_EXT_CHAIN_LINT=0
cp -r /suite /tmp/suite; cd /tmp/suite/t; chmod +x helper/test-*; bash ./{name}.sh --no-color 2>&1
"""


def main(names):
    """Prints how many cases of each test passed, and the numbers of those that did not."""
    tree = CACHE / "git"
    if not (tree / "t/helper/test-tool").exists():
        subprocess.run([PYTHON, "-c", BUILD, ROOT / "packs", ROOT / "packs/git", CACHE], check=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, said in zip(names, pool.map(lambda name: run(name, tree), names)):
            passed = len(re.findall(r"^ok \d+(?!.*# skip)", said, re.M))
            skipped = len(re.findall(r"^ok \d+.*# skip", said, re.M))
            known = len(re.findall(r"^not ok .*# TODO", said, re.M))
            failed = re.findall(r"^not ok (\d+)(?!.*# TODO)", said, re.M)
            ended = "" if re.search(r"^1\.\.\d+", said, re.M) else "  (did not end)"
            print(f"{name}: {passed} passed, {skipped} skipped, {known} known to fail, {len(failed)} failed{ended} {' '.join(failed)}", flush=True)
            (CACHE / f"{name}.log").write_text(said)


def run(name, tree):
    """What a test prints."""
    command = [SANDSHELL, "exec", "--timeout", "20m", "--mount", f"{tree}:/suite:ro", RUN.format(name=name)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL).stdout


if __name__ == "__main__":
    main(sys.argv[1:] or SOME)
