#!/usr/bin/env python3
"""Runs the vendors' official SDKs, unmodified, against `sandshell serve`.

    python3 tests/sdk/run.py [--sandshell PROGRAM] [--dir DIR] [VENDOR[/SCRIPT] ...]

Each folder beside this file belongs to a vendor. `requirements.txt` and `package.json` pin its SDKs, which are
installed from PyPI and npm below DIR (default: `sdk` in cargo's target directory), once for each version of the
pins. Each `*.py` and `*.mjs` is a script of checks (see `checks.py` and `checks.mjs`) that runs with the variables
that the emulator prints. An `adapter.py` tests LangChain's adapter (see `adapters.py`) with pins of its own in
`adapter.txt`. For it, and for a `run_code.*`, which runs code, the pack `python` is built once for each recipe,
unless `cargo test` has built it. A `fields.py` compares what the SDK can send with the emulator's table (see
`known.py`). If packages cannot be fetched, that is a failure, with the reason.
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


# Held while the pack is built.
PACKS = threading.Lock()


class Unreachable(Exception):
    """The packages cannot be fetched."""


def python(script, cache):
    """The interpreter of an environment with the script's Python packages."""
    own = script.with_suffix(".txt")
    pins = own if own.exists() else script.parent / "requirements.txt"
    place = cache / f"{script.parent.name}-py-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"
    program = place / "bin" / "python"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        install([program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", pins])
        (place / "complete").touch()
    return program


def node(vendor, cache):
    """The directory with the vendor's JavaScript packages."""
    pins = vendor / "package.json"
    place = cache / f"{vendor.name}-js-{hashlib.sha256(pins.read_bytes()).hexdigest()[:12]}"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        shutil.copy(pins, place)
        install(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=place)
        (place / "complete").touch()
    return place


def install(command, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, **options)
    except FileNotFoundError as error:
        raise Unreachable(str(error)) from error
    except subprocess.TimeoutExpired as error:
        raise Unreachable("the registry did not answer in time") from error
    if done.returncode != 0:
        raise Unreachable(" ".join((done.stdout + done.stderr).split())[-300:])


def packs(program, cache):
    """A data directory in which the pack `python` is installed."""
    recipe = hashlib.sha256()
    for file in sorted(file for part in ("packs/python", "runtime/wit") for file in (ROOT / part).rglob("*")):
        if file.is_file():
            recipe.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    home = cache / f"data-{recipe.hexdigest()[:12]}"
    # Built by `tests/python/built.rs`.
    built = [stamp.parent / ".local" / "share" for stamp in TARGET.glob("tmp/python/*/built")]
    if not built and not (home / "complete").exists():
        shutil.rmtree(home, ignore_errors=True)
        install([program, "pack", "build", "python"], cwd=ROOT, env=os.environ | {"XDG_DATA_HOME": str(home)})
        (home / "complete").touch()
    return {"XDG_DATA_HOME": str(built[0] if built else home)}


def command(script, cache):
    if script.suffix == ".py":
        return [python(script, cache), script], {"PYTHONPATH": str(HERE)}
    place = node(script.parent, cache)
    # Node looks for packages beside the script that imports them.
    for file in (script, HERE / "checks.mjs"):
        shutil.copy(file, place)
    return ["node", place / script.name], {}


class Served:
    """`sandshell serve` for one vendor, and the variables that it prints."""

    def __init__(self, program, vendor, variables):
        self.directory = tempfile.TemporaryDirectory()
        self.file = pathlib.Path(self.directory.name) / "variables"
        self.process = subprocess.Popen(
            [program, "serve", "--emulate", vendor, "--port", "0", "--env-file", self.file],
            env=os.environ | variables,
        )

    def __enter__(self):
        # A pack may need to be compiled first.
        deadline = time.monotonic() + 300
        while not (self.file.exists() and self.file.read_text().endswith("\n")):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise SystemExit("sandshell serve did not start")
            time.sleep(0.02)
        lines = self.file.read_text().splitlines()
        return {name: value.strip("'") for name, value in (line.split("=", 1) for line in lines)}

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=10)
        self.directory.cleanup()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sandshell", default=TARGET / "debug" / "sandshell")
    arguments.add_argument("--dir", default=TARGET / "sdk", type=pathlib.Path)
    arguments.add_argument("only", nargs="*")
    arguments = arguments.parse_args()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    vendors = {}
    for script in sorted(HERE.glob("*/*")):
        name = f"{script.parent.name}/{script.name}"
        chosen = not arguments.only or any(name.startswith(only) for only in arguments.only)
        if script.suffix in (".py", ".mjs") and chosen:
            vendors.setdefault(script.parent, []).append(script)
    # The scripts of a vendor share packages. Installing and most of the scripts wait for others, so vendors run side by side.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda scripts: [checked(script, arguments) for script in scripts], vendors.values())
        passed, failed = [], []
        for name, good in itertools.chain.from_iterable(results):
            (passed if good else failed).append(name)
    print("".join(f"failed: {name}\n" for name in failed), end="")
    print(f"scripts: {len(passed)} passed, {len(failed)} failed")
    sys.exit(bool(failed) or not passed)


def checked(script, arguments):
    """Runs a script, and prints what it says at its end. The name of the script, and whether it passed."""
    name = f"{script.parent.name}/{script.name}"
    try:
        run, variables = command(script, arguments.dir)
        # What the user of this machine has installed is not seen: some scripts expect that there is no Python.
        data = {"XDG_DATA_HOME": str(arguments.dir / "no-packs")}
        # These scripts run Python in the sandbox.
        if script.stem in ("adapter", "run_code"):
            with PACKS:
                data = packs(arguments.sandshell, arguments.dir)
    except Unreachable as reason:
        print(f"{name}: its packages cannot be fetched: {reason}\n", flush=True)
        return name, False
    began = time.monotonic()
    with Served(arguments.sandshell, script.parent.name, data) as served:
        clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        code, said = finished(run, clean | variables | served)
    how = f"failed with status {code}" if code else "passed"
    print(f"{name}:\n{said}{name} {how} in {time.monotonic() - began:.0f} s\n", flush=True)
    return name, not code


def finished(command, environment):
    """The status of a script and what it said."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    try:
        done = subprocess.run(command, env=environment, timeout=600, **streams)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired as error:
        return str(error), (error.stdout or b"").decode(errors="replace")


if __name__ == "__main__":
    main()
