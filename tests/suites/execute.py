"""Runs one test of a suite."""

import os
import resource
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

USER = 1000
SECONDS = 120
FILE_SIZE = 5 << 30
LOG_SIZE = 1 << 20


@dataclass
class Test:
    """A command whose status is 0 (passed), 77 (skipped) or another (failed), unless `judge` reads it from the log."""

    name: str
    command: list
    folder: Path
    environment: dict = field(default_factory=dict)
    judge: object = None


def place(suite):
    """Where a suite is unpacked and run: not below a home directory, which the tests' user could not enter."""
    return Path(tempfile.gettempdir()) / f"sandshell-suite-{suite}"


def give_away(folder):
    """Lets the tests' user write to `folder`."""
    subprocess.run(["chmod", "-R", "u+rwX,a+rX", folder], check=True)
    if os.geteuid() == 0:
        subprocess.run(["chown", "-hR", f"{USER}:{USER}", folder], check=True)


def clean(suite):
    # Not `rmtree`: tests make trees deeper than it goes.
    subprocess.run(["chmod", "-R", "u+rwX", place(suite)], stderr=subprocess.DEVNULL)
    subprocess.run(["rm", "-rf", place(suite)], stderr=subprocess.DEVNULL)


def run(test, logs, bin_dir):
    """`pass`, `fail` or `skip`; what the test wrote is in `logs`."""
    environment = {
        "PATH": f"{bin_dir}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LC_ALL": "C",
        "SHELL": "/bin/bash",
        **test.environment,
    }
    # The scripts of gnulib write their summary to descriptor 9.
    command = ["bash", "-c", 'exec 9>&2; exec "$@"', "test", *map(str, test.command)]
    if os.geteuid() == 0:
        command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", *command]
    path = logs / (test.name.replace("/", "-") + ".log")
    with open(path, "wb") as log:
        process = subprocess.Popen(
            command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, preexec_fn=limit,
        )
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        end(process)
    if path.stat().st_size > LOG_SIZE:
        os.truncate(path, LOG_SIZE)
    if status is None:
        with open(path, "ab") as log:
            log.write(f"\nnot done after {SECONDS} s\n".encode())
        return test.name, "fail"
    if test.judge is not None:
        return test.name, test.judge(status, path.read_bytes())
    return test.name, {0: "pass", 77: "skip"}.get(status, "fail")


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end(process):
    """Ends what the test left in its process group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
