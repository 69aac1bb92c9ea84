"""Compares the Python package with bashkit, and with deepagents' own file operations over `sh -c`. Prints rows as
JSON."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CALLS = 1000
SLOW_CALLS = 10
COMMANDS = {
    "echo hi": "execute `echo hi`, warm",
    "echo hi | cat": "execute `echo hi | cat`, warm",
    "printf 'b\\na\\n' | sort": None,
}
"""With the name that Rust's bench has for it."""

"""Of what starts a process of the host's for each call."""


def median(work, calls):
    for _ in range(max(2, calls // 10)):
        work()
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def imported(module):
    """How many seconds an import takes in a new interpreter whose files are cached."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    run = lambda: float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
    run()
    return statistics.median(run() for _ in range(11))


def commands():
    import bashkit
    import sandshell

    def created():
        with sandshell.Sandbox():
            pass

    ours, theirs = median(created, CALLS), median(bashkit.Bash, CALLS)
    yield {"what": "Python: create a sandbox, bashkit", "ours": ours, "other": theirs, "rust": "create a sandbox"}
    with sandshell.Sandbox(packs=[]) as box:
        bash = bashkit.Bash()
        for command, rust in COMMANDS.items():
            ours = median(lambda: box.execute(command), CALLS)
            theirs = median(lambda: bash.execute_sync(command), CALLS)
            yield {"what": f"Python: execute {command!r}, bashkit", "ours": ours, "other": theirs, "rust": rust}


def files():
    from deepagents.backends.protocol import ExecuteResponse, FileDownloadResponse, FileUploadResponse
    from deepagents.backends.sandbox import BaseSandbox

    from sandshell.deepagents import SandshellSandbox

    class Shell(BaseSandbox):
        """deepagents' own operations, with the host's shell."""

        id = "shell"

        def execute(self, command, *, timeout=None):
            done = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return ExecuteResponse(output=done.stdout.decode(), exit_code=done.returncode)

        def upload_files(self, files):
            for path, content in files:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(content)
            return [FileUploadResponse(path=path) for path, _ in files]

        def download_files(self, paths):
            return [FileDownloadResponse(path=path, content=Path(path).read_bytes()) for path in paths]

    with tempfile.TemporaryDirectory() as root, SandshellSandbox(packs=[]) as ours:
        shell = Shell()
        tree = [
            (f"{root}/d{directory}/f{file}.txt", b"one\ntwo\nneedle %d\n" % file * 5)
            for directory in range(20)
            for file in range(100)
        ]
        ours.upload_files(tree)
        shell.upload_files(tree)
        calls = {
            "read": lambda backend: backend.read(f"{root}/d7/f42.txt").file_data,
            "ls": lambda backend: len(backend.ls(f"{root}/d7").entries),
            "grep": lambda backend: len(backend.grep("needle 42", root).matches),
            "glob": lambda backend: len(backend.glob("**/f4*.txt", root).matches),
        }
        with SandshellSandbox(packs=[], mounts={root: root}) as overlay:
            for name, call in calls.items():
                assert call(ours) == call(overlay) == call(shell), name
                other = median(lambda: call(shell), SLOW_CALLS)
                what = f"Python: {name} of 2,000 files"
                yield {
                    "what": f"{what}, BaseSandbox",
                    "ours": median(lambda: call(ours), CALLS // 10),
                    "other": other,
                    "times": 50,
                }
                # Reads the host's files through an overlay.
                mounted = median(lambda: call(overlay), CALLS // 10)
                yield {"what": f"{what}, overlay", "ours": mounted, "other": other}


def main():
    # The scripts of BaseSandbox run `python3`; make that this interpreter itself, and not a wrapper.
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    rows = [
        {
            "what": "Python: import, bashkit",
            "ours": imported("sandshell"),
            "other": imported("bashkit"),
            "at_most": 15e-3,
        }
    ]
    print(json.dumps([*rows, *commands(), *files()]))


main()
