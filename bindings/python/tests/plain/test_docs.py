"""Runs the guide's examples exactly as they are written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
PLAIN = [code for code in EXAMPLES if not any(word in code for word in ("deepagents", "pytest", "e2b"))]
TESTS = [code for code in EXAMPLES if "pytest" in code]


def test_there_are_examples():
    assert len(PLAIN) == 9 and len(TESTS) == 1


@pytest.mark.parametrize("code", PLAIN)
def test_examples(code, tmp_path):
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_the_page_on_migration(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "migration.md").read_text(), re.DOTALL)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)


def test_the_readme():
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "bindings/python/README.md").read_text(), re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "A\nB\n\n"


def test_examples_of_tests(pytester):
    pytester.mkdir("data").joinpath("kept").write_text("x")
    pytester.makepyfile(TESTS[0])
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=2)
    assert pytester.path.joinpath("data/kept").exists()
