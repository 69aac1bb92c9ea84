#!/usr/bin/env python3
"""Tests the Python package and `sandshell mcp`: `bindings/python/test.py [ENVIRONMENT...] [-- PYTEST-ARGUMENTS]`.

Builds the workspace in the same way as `cargo test --workspace`, so that both share compiled code. Creates a
virtual environment for each set of packages below the target directory, and runs its tests. Installs only from the
package index.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYTEST = ["pytest==9.2.0", "pytest-asyncio==1.5.0"]
STANDARD = ["langchain-tests==1.1.9"]

# The packages of each environment, and the folders of tests that run in it.
ENVIRONMENTS = {
    "plain": ([*PYTEST, "mypy==2.4.1", "pyright==1.1.414"], ["plain"]),
    "mcp": ([*PYTEST, "mcp==2.3.0"], ["mcp"]),
    "deepagents-0.6": ([*PYTEST, *STANDARD, "deepagents==0.6.12"], ["deepagents"]),
    "deepagents-0.7": ([*PYTEST, *STANDARD, "deepagents==0.7.32"], ["deepagents"]),
    "dcode": ([*PYTEST, "deepagents-code==0.1.57", "deepagents==0.7.6"], ["dcode", "deepagents/test_backend.py"]),
}


def main(arguments: list[str]) -> int:
    split = arguments.index("--") if "--" in arguments else len(arguments)
    chosen, options = arguments[:split] or list(ENVIRONMENTS), arguments[split + 1 :]
    target = target_directory()
    run(["cargo", "build", "--workspace"], cwd=ROOT)
    debug = target / "debug"
    shutil.copy2(debug / "libsandshell_native.so", HERE / "python" / "sandshell" / "_native.abi3.so")
    pack, cache = python_pack(target, debug / "sandshell")
    variables = {
        **os.environ,
        "SANDSHELL": str(debug / "sandshell"),
        "SANDSHELL_TEST_PACKS": str(pack),
        "XDG_CACHE_HOME": str(cache),
    }
    failed = []
    # The next environments are made while the tests of the first one run.
    pool = ThreadPoolExecutor(2)
    made = {name: pool.submit(environment, target / "python-tests" / name, ENVIRONMENTS[name][0]) for name in chosen}
    for name in chosen:
        packages, folders = ENVIRONMENTS[name]
        python = made[name].result()
        print(f"== {name}: {', '.join(packages)}", flush=True)
        paths = [str(HERE / "tests" / folder) for folder in folders]
        command = [str(python), "-m", "pytest", "-q", *paths, *options]
        if subprocess.run(command, cwd=HERE / "tests", env=variables).returncode:
            failed.append(name)
    print("failed: " + ", ".join(failed) if failed else "all passed", flush=True)
    return bool(failed)


def target_directory() -> Path:
    text = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--format-version", "1"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return Path(json.loads(text)["target_directory"])


def python_pack(target: Path, sandshell: Path) -> tuple[Path, Path]:
    """The Python pack, built once, and its compiled code: two of LangChain's tests run `python` in the sandbox."""
    # `cargo test` keeps one that was built from the current recipe in a home directory.
    for built in (target / "tmp" / "python").glob("*/built"):
        return built.parent / ".local/share/sandshell/packs/python", built.parent / ".cache"
    data, cache = target / "python-tests" / "data", target / "python-tests" / "cache"
    pack = data / "sandshell" / "packs" / "python"
    if not pack.exists():
        homes = {"XDG_DATA_HOME": str(data), "XDG_CACHE_HOME": str(cache)}
        run([str(sandshell), "pack", "build", "python"], cwd=ROOT, env={**os.environ, **homes})
    return pack, cache


def environment(directory: Path, packages: list[str]) -> Path:
    """An environment with these packages and with this one, as `pip install --editable` would install it."""
    python = directory / "bin" / "python"
    stamp = directory / "packages"
    if not stamp.exists() or stamp.read_text().split() != packages:
        venv.create(directory, with_pip=True, clear=True)
        run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages])
        stamp.write_text("\n".join(packages))
    install(Path(sysconfig.get_path("purelib", "venv", {"base": str(directory)})))
    return python


def install(site: Path) -> None:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    (site / "sandshell.pth").write_text(f"{HERE / 'python'}\n")
    information = site / "sandshell-0.0.0.dist-info"
    information.mkdir(exist_ok=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: sandshell\nVersion: 0.0.0\n")
    lines = []
    for group, entries in project["entry-points"].items():
        lines.append(f"[{group}]")
        lines += [f"{name} = {value}" for name, value in entries.items()]
    (information / "entry_points.txt").write_text("\n".join(lines) + "\n")


def run(command: list[str], **options: object) -> None:
    subprocess.run(command, check=True, **options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
