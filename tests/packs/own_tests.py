"""Runs a Python package's own tests natively and in a sandbox, by hand: what `numpy/suite.py` and `pandas/suite.py` share.

Needs the pack, installed for this user, and SANDSHELL, the program (otherwise that of `target/release`). PYTHON is the native Python
(otherwise this one). What is installed and what the tests print is kept in ~/.cache/sandshell-NAME-suite. `suite.txt` is written anew
for the parts that run; the reasons in it stay.
"""

import os
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SANDSHELL = os.environ.get("SANDSHELL", str(ROOT / "target/release/sandshell"))
PYTHON = os.environ.get("PYTHON", sys.executable)
TOOLS = ["pytest==9.2.0", "hypothesis==6.149.1", "typing_extensions"]
#: Where packages are in a sandbox.
PLACE = "/usr/lib/python3.14/site-packages"
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
        name = report.nodeid.split("tests/", 1)[-1].replace("\\n", " ")
        told.write(f"{outcome} {name}\\n")
        told.flush()
'''


class Suite:
    """The tests of a package: `name` and its `requirements`. `words(part, place)` is what pytest is told of a part, where packages
    are in the directory `place`; `file` is the list of results."""

    def __init__(self, name, requirements, words, file):
        self.cache = Path.home() / f".cache/sandshell-{name}-suite"
        self.name, self.requirements, self.words, self.file = name, requirements, words, file
        self.native, self.tools = self.cache / "native", self.cache / "tools"

    def run(self, parts):
        """Runs the parts, writes the list, and says how many tests there are."""
        self.install()
        counts, listed, reasons = self._read_list()
        for part in parts:
            before, after = self._run_native(part), self._run_in_sandbox(part)
            after = paired(before, after)
            passed = {name: after[name] for name, outcome in before.items() if outcome == "passed"}
            others = {f"{outcome} {part} {name}" for name, outcome in passed.items() if outcome != "passed"}
            counts[part] = f"{len(passed) - len(others)} of {len(passed)}"
            print(f"{part}: {counts[part]}", flush=True)
            listed = {line for line in listed if line.split(" ")[1] != part} | others
            self._write_list(counts, listed, reasons)

    def install(self):
        """Installs the package natively and what the tests need, once."""
        if self.tools.exists():
            return
        self.cache.mkdir(parents=True, exist_ok=True)
        subprocess.run([PYTHON, "-m", "venv", self.native], check=True)
        pip = [self.native / "bin/pip", "install", "--quiet"]
        subprocess.run([*pip, *self.requirements, *TOOLS], check=True)
        subprocess.run([*pip, "--target", self.tools, *TOOLS], check=True)
        (self.tools / "outcomes.py").write_text(PLUGIN)

    def _read_list(self):
        """The counts by part, the tests that differ, and their reasons."""
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        counts = dict(line[2:].rsplit(": ", 1) for line in lines[1:] if line.startswith("# "))
        rows = [line.partition(" # ") for line in lines if not line.startswith("#")]
        return counts, {row[0] for row in rows}, {row[0]: row[2] for row in rows}

    def _write_list(self, counts, listed, reasons):
        head = (f"# The own tests of {self.name}: how many of those that pass natively pass in the sandbox, and why the others do not. "
                "Written by suite.py.\n")
        lines = [f"{name} # {reasons[name]}" if reasons.get(name) else name for name in sorted(listed)]
        self.file.write_text(head + "".join(f"# {part}: {count}\n" for part, count in counts.items()) + "".join(f"{line}\n" for line in lines))

    def _run_native(self, part):
        """Runs a part natively, once: what became of each test."""
        file = self.cache / f"{part.replace('/', '.')}.native"
        if not file.exists():
            new = file.with_suffix(".new")
            [place] = (self.native / "lib").glob("python3.*/site-packages")
            environment = {**os.environ, "PYTHONPATH": str(self.tools)}
            with open(f"{file}.log", "w") as log:
                command = [self.native / "bin/python", *self._pytest(part, place, new)]
                subprocess.run(command, stdout=log, stderr=log, env=environment, cwd=self.cache)
            new.rename(file)
        return outcomes(file)

    def _run_in_sandbox(self, part):
        folder = self.cache / "sandbox"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        name = part.replace("/", ".")
        (folder / name).unlink(missing_ok=True)
        script = shlex.join(["env", "PYTHONPATH=/tools", "python3", *self._pytest(part, PLACE, f"/told/{name}")])
        mounts = ["--mount", f"{self.tools}:/tools:ro", "--mount", f"{folder}:/told:rw"]
        with open(self.cache / f"{name}.log", "w") as log:
            command = [SANDSHELL, "exec", "--timeout", "60m", *mounts, script]
            subprocess.run(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        return outcomes(folder / name)

    def _pytest(self, part, place, file):
        return ["-m", "pytest", "-q", "-p", "outcomes", "-p", "no:cacheprovider", "--outcomes", str(file), *self.words(part, place)]


def paired(before, after):
    """The outcomes in the sandbox by the native names. Where the default type of integers is in the names, they differ: those of one
    function go in their order."""
    others = defaultdict(list)
    for name, outcome in after.items():
        if name not in before:
            others[name.partition("[")[0]].append(outcome)
    result = {}
    for name in before:
        same = others[name.partition("[")[0]]
        result[name] = after.get(name) or (same.pop(0) if same else "missing")
    return result


def outcomes(file):
    """The outcome of each test, by its name."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {name: outcome for outcome, name in (line.split(" ", 1) for line in lines)}
