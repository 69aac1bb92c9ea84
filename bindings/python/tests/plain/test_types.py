"""The declarations of the native part are complete, and the package and the guides pass type checks against
them."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "python"
ROOT = Path(__file__).resolve().parents[4]
GUIDES = ["docs/python.md", "docs/migration.md", "bindings/python/README.md"]


def run(*command, **options):
    environment = {**os.environ, "MYPY_CACHE_DIR": os.devnull}
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, env=environment, **options)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_declarations_are_the_modules():
    run("mypy.stubtest", "sandshell._native", cwd=PACKAGE)


def test_the_package_has_the_types_that_it_says():
    files = [str(file) for file in sorted((PACKAGE / "sandshell").glob("*.py")) if file.name != "pytest_plugin.py"]
    run("mypy", "--strict", *files, cwd=PACKAGE)


@pytest.mark.parametrize("guide", GUIDES)
def test_the_guides_examples_have_types(guide, tmp_path):
    examples = re.findall(r"```python\n(.*?)```", (ROOT / guide).read_text(), re.DOTALL)
    # Deep Agents is not installed in this environment.
    examples = [code for code in examples if "deepagents" not in code]
    assert examples
    for number, code in enumerate(examples):
        (tmp_path / f"example_{number}.py").write_text(code)
        run("mypy", "--strict", f"example_{number}.py", cwd=tmp_path)


def test_every_public_type_is_known_and_a_pack_is_no_module(tmp_path):
    """Runs `pyright --verifytypes` on the installed package, with a pack whose library has no types."""
    venv.create(tmp_path / "env", with_pip=False)
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    shutil.copytree(PACKAGE / "sandshell", site / "sandshell")
    library = site / "sandshell" / "_packs" / "python" / "lib"
    library.mkdir(parents=True)
    (library / "untyped.py").write_text("def f(x): return x\n")
    environment = {**os.environ, "VIRTUAL_ENV": str(tmp_path / "env")}
    environment["PATH"] = f"{tmp_path / 'env' / 'bin'}{os.pathsep}{environment['PATH']}"
    command = [sys.executable, "-m", "pyright", "--ignoreexternal", "--outputjson", "--verifytypes", "sandshell"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    report = json.loads(done.stdout)["typeCompleteness"]
    # Modules that use pytest and Deep Agents have types only if these are installed.
    others = ("sandshell.deepagents", "sandshell.pytest_plugin")
    symbols = [symbol for symbol in report["symbols"] if not symbol["name"].startswith(others)]
    unknown = [symbol["name"] for symbol in symbols if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]]
    assert len(symbols) > 100 and unknown == []
    assert not any("untyped" in module["name"] for module in report["modules"])
