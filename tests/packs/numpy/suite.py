"""Runs numpy's own tests natively and in a sandbox, by hand: `python3 tests/packs/numpy/suite.py [PART…]`, as `numpy.fft`.

Needs the pack, installed for this user (`sandshell pack build numpy`), and SANDSHELL, the program (otherwise that of `target/release`).
What it installs and what the tests print is kept in ~/.cache/sandshell-numpy-suite. `suite.txt` is written anew; the reasons in it stay.
"""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SANDSHELL = os.environ.get("SANDSHELL", str(ROOT / "target/release/sandshell"))
CACHE = Path.home() / ".cache/sandshell-numpy-suite"
LIST = Path(__file__).with_name("suite.txt")
HEAD = "# numpy's own tests: how many of those that pass natively pass in the sandbox, and why the others do not. Written by suite.py.\n"
PARTS = "numpy.fft numpy.linalg numpy.polynomial numpy.matrixlib numpy.testing numpy.ma numpy.random numpy.lib numpy._core".split()
#: pytest writes what became of each test; a plugin for both.
PLUGIN = '''
def pytest_addoption(parser):
    parser.addoption("--outcomes")

def pytest_configure(config):
    global told
    told = open(config.getoption("--outcomes"), "w")

def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcome = "expected" if hasattr(report, "wasxfail") else report.outcome
        # The folder before it depends on where pytest starts.
        told.write(f"{outcome} {report.nodeid.split('tests/', 1)[-1]}\\n")
        told.flush()
'''


def main(parts):
    """Runs the parts, writes the list, and says how many there are."""
    CACHE.mkdir(parents=True, exist_ok=True)
    native, tools = CACHE / "native", CACHE / "tools"
    if not tools.exists():
        subprocess.run([sys.executable, "-m", "venv", native], check=True)
        pip = [native / "bin/pip", "install", "--quiet"]
        subprocess.run([*pip, "numpy==2.3.5", "pytest==9.2.0", "hypothesis==6.149.1", "typing_extensions"], check=True)
        subprocess.run([*pip, "--target", tools, "pytest==9.2.0", "hypothesis==6.149.1", "typing_extensions"], check=True)
        (tools / "outcomes.py").write_text(PLUGIN)
    reasons = dict(line.split(" # ", 1) for line in LIST.read_text().splitlines() if " # " in line[1:]) if LIST.exists() else {}
    counts, missed = [], []
    for part in parts:
        before = run_native(part, native, tools)
        after = run_in_sandbox(part, tools)
        passed = [name for name, outcome in before.items() if outcome == "passed"]
        same = Counter(after.get(name, "missing") for name in passed)
        counts.append(f"{part}: {same['passed']} of {len(passed)}")
        print(counts[-1], flush=True)
        missed += [f"{after.get(name, 'missing')} {part} {name}" for name in passed if after.get(name) != "passed"]
    lines = [f"{name} # {reasons.get(name, '')}".rstrip() for name in sorted(missed)]
    LIST.write_text(HEAD + "".join(f"# {line}\n" for line in counts) + "".join(f"{line}\n" for line in lines))


def words(part, outcomes):
    """What pytest is told."""
    return ["-m", "pytest", "-q", "-p", "outcomes", "-p", "no:cacheprovider", "--outcomes", str(outcomes), "--pyargs", part]


def run_native(part, native, tools):
    """Runs a part natively, once: what became of each test."""
    file = CACHE / f"{part}.native"
    if not file.exists():
        new = file.with_suffix(".new")
        environment = {**os.environ, "PYTHONPATH": str(tools)}
        with open(CACHE / f"{part}.native.log", "w") as log:
            subprocess.run([native / "bin/python", *words(part, new)], stdout=log, stderr=log, env=environment, cwd=CACHE)
        new.rename(file)
    return read(file)


def run_in_sandbox(part, tools):
    """Runs a part in a sandbox."""
    folder = CACHE / "sandbox"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o777)
    script = " ".join(["PYTHONPATH=/tools", "python3", *words(part, f"/told/{part}")])
    mounts = ["--mount", f"{tools}:/tools:ro", "--mount", f"{folder}:/told:rw"]
    with open(CACHE / f"{part}.log", "w") as log:
        subprocess.run([SANDSHELL, "exec", "--timeout", "60m", "--memory", "3G", *mounts, script], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    return read(folder / part)


def read(file):
    """The outcome of each test, by its name."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {name: outcome for outcome, name in (line.split(" ", 1) for line in lines)}


if __name__ == "__main__":
    main(sys.argv[1:] or PARTS)
