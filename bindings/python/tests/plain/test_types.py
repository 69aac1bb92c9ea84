"""The declarations of the native part say what is there, and the package keeps to them."""

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python"


def run(*command, **options):
    environment = {**os.environ, "MYPY_CACHE_DIR": os.devnull}
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, env=environment, **options)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_declarations_are_the_modules():
    run("mypy.stubtest", "sandshell._native", cwd=PACKAGE)


def test_the_package_has_the_types_that_it_says():
    files = [str(file) for file in sorted((PACKAGE / "sandshell").glob("*.py")) if file.name != "pytest_plugin.py"]
    run("mypy", "--strict", *files, cwd=PACKAGE)
