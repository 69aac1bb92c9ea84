"""Servers for tests: `sandshell mcp` over HTTP, and the emulators of the clouds."""

import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

PROGRAM = os.environ.get("SANDSHELL", "sandshell")

# The features of the crate that has their clients.
FEATURES = (Path(__file__).resolve().parents[4] / "providers/Cargo.toml").read_text()
CLOUDS = re.findall(r'"(\w+)"', re.search(r"^all-providers = \[(.*?)\]", FEATURES, re.M | re.S)[1])


@contextlib.contextmanager
def http_server(directory, *arguments):
    command = [PROGRAM, "mcp", "--no-packs", "--http=127.0.0.1:0", *arguments]
    server = subprocess.Popen(command, cwd=directory, stderr=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http://\S+", server.stderr.readline()).group()
    finally:
        server.terminate()
        server.wait(30)
        server.stderr.close()


@contextlib.contextmanager
def emulators(directory):
    """Sets this process's variables so that they point to emulators of all clouds and to a configuration for
    tests."""
    file = directory / "variables"
    command = [PROGRAM, "serve", "--emulate", ",".join(CLOUDS), "--port=0", "--no-packs"]
    server = subprocess.Popen([*command, "--env-file", str(file)], stdout=subprocess.DEVNULL)
    try:
        while server.poll() is None and not (file.exists() and file.read_text().endswith("\n")):
            time.sleep(0.02)
        with pytest.MonkeyPatch.context() as patch:
            for line in file.read_text().splitlines():
                name, value = line.split("=", 1)
                patch.setenv(name, value.strip("'"))
            patch.setenv("SANDSHELL_CONFIG", str(directory / "config.toml"))
            yield directory / "config.toml"
    finally:
        server.terminate()
        server.wait(30)
