"""Nonsensical arguments raise Python's own exceptions, never a panic, and the sandbox stays usable."""

import asyncio
import itertools
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
import sandshell

REFUSED = (TypeError, ValueError, OverflowError, sandshell.SandboxError)

WRONG = [None, 3, -1, 1.5, float("nan"), b"\xff", "\ud800", "a\0b", "", object(), [], {}, ["\0"], {"\ud800": 1}, 2**70]

CALLS = {
    "execute": ["command"],
    "read": ["path"],
    "write": ["path", "content"],
    "edit": ["path", "old", "new"],
    "ls": ["path"],
    "grep": ["pattern", "path"],
    "glob": ["pattern", "path"],
    "delete": ["path"],
    "upload_files": ["files"],
    "download_files": ["paths"],
    "mount": ["at"],
    "restore": ["snapshot"],
}

NUMBERS = [0, 1, -1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 1e300, -1e300, float("inf"), float("nan")]


@pytest.fixture(scope="module")
def box():
    with sandshell.Sandbox(packs=[]) as box:
        yield box


def attempt(work, *arguments, **options):
    """Runs work that may fail but must end without a panic: a panic is not an `Exception`."""
    try:
        return work(*arguments, **options)
    except REFUSED:
        return None


@pytest.mark.parametrize("name", CALLS)
def test_wrong_values(box, name):
    count = len(CALLS[name])
    for arguments in itertools.product(WRONG, repeat=count):
        if name in ("delete", "mount") and arguments[0] == "":
            continue
        attempt(getattr(box, name), *arguments)
        twin = getattr(box, f"a{name}", None)
        if twin is not None and count == 1:
            asyncio.run(_attempt(twin, *arguments))
    assert box.execute("echo usable").output == "usable\n"


async def _attempt(work, *arguments):
    try:
        await work(*arguments)
    except REFUSED:
        pass


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_of_calls(box, number):
    attempt(box.execute, "echo x", timeout=number)
    attempt(box.execute, "echo x", max_output=number)
    box.write("/tmp/lines", "1\n2\n3\n")
    attempt(box.read, "/tmp/lines", offset=number)
    attempt(box.read, "/tmp/lines", limit=number)
    attempt(box.read, "/tmp/lines", offset=number, limit=number)
    attempt(box.grep, "x", "/tmp", max_count=number)
    assert box.execute("echo usable").output == "usable\n"


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "option",
    ["timeout", "max_output", "memory", "process_memory", "processes", "descriptors", "fuel", "disk", "seed", "cpus", "ttl"],
)
def test_numbers_of_sandboxes(option, number):
    box = attempt(sandshell.Sandbox, packs=[], **{option: number})
    if box is not None:
        attempt(box.execute, "echo x | cat", timeout=5)
        box.close()


@pytest.mark.parametrize(
    "options",
    [
        {"env": {"A=B": "c"}},
        {"env": {"": "c"}},
        {"env": {"A": "b\0c"}},
        {"env": {"A": 1}},
        {"env": {1: "a"}},
        {"env": ["A"]},
        {"env": {"\ud800": "x"}},
        {"workdir": "/a\0b"},
        {"workdir": ""},
        {"workdir": "/dev/null"},
        {"workdir": "/" + "x" * 5000},
        {"hostname": "a\0b"},
        {"hostname": "x" * 100_000},
        {"hostname": "a\nb"},
        {"clock": "9999-12-31T23:59:59Z"},
        {"clock": "virtual:0000-00-00T00:00:00Z"},
        {"clock": ""},
        {"clock": 7},
        {"mounts": {"/": None}},
        {"mounts": {"": None}},
        {"mounts": {"/x\0": None}},
        {"mounts": {"/x": "/dev/null"}},
        {"mounts": {"/x": ("/tmp",)}},
        {"mounts": {"/x": ("/tmp", "ro", "more")}},
        {"mounts": {"/x": 7}},
        {"mounts": {"/../..": None}},
        {"mounts": [1]},
        {"files": {"": "x"}},
        {"files": {"/": "x"}},
        {"files": {"a\0": "x"}},
        {"files": {"a": 7}},
        {"files": [1, 2]},
        {"packs": [""]},
        {"packs": ["\0/"]},
        {"packs": [7]},
        {"packs": ["/dev"]},
        {"cache": "/dev/null/x"},
        {"cache": "\0"},
        {"params": 7},
        {"provider": None},
        {"provider": 7},
        {"provider": ""},
        {"provider": "\0"},
        {"provider": "command", "params": {"command": []}},
        {"provider": "command", "params": {"command": ["/no/such/program"]}},
        {"provider": "command", "params": {"command": ["\0"]}},
        {"provider": "command", "params": {"command": ["true"], "env": 7}},
        {"provider": "command", "params": {"command": [["x"]]}},
        {"snapshot": 7},
        {"snapshot": object()},
        {"unknown": 1},
    ],
)
def test_odd_options(options):
    try:
        box = sandshell.Sandbox(**options)
    except (*REFUSED, AttributeError):
        return
    with box:
        attempt(box.execute, "pwd; hostname; date", timeout=5)


def test_numbers_that_are_refused(box):
    for number in (-1, float("nan"), float("inf"), 1e300):
        with pytest.raises(ValueError):
            box.execute("true", timeout=number)
    with pytest.raises(ValueError):
        sandshell.Sandbox(timeout=1e300)
    # A timeout of some 30,000 years is valid.
    assert box.execute("echo x", timeout=1e12).output == "x\n"


def test_texts_that_are_refused(box):
    for text in ("\ud800", "a\0b"):
        for work in (box.execute, box.read, box.ls, box.delete):
            with pytest.raises((ValueError, sandshell.FileOperationError)):
                work(text)
        with pytest.raises((ValueError, sandshell.FileOperationError)):
            box.write(text, "x")
    with pytest.raises(ValueError):
        box.write("f", "\ud800")
    assert [one.error for one in box.upload_files({"a\0b": b""})] == ["invalid_path"]
    assert [one.error for one in box.download_files(["a\0b"])] == ["invalid_path"]


def test_after_its_end():
    box = sandshell.Sandbox(packs=[])
    snapshot = box.snapshot()
    box.close()
    work = [
        lambda: box.execute("true"),
        lambda: box.read("/x"),
        lambda: box.write("/x", ""),
        lambda: box.edit("/x", "a", "b"),
        lambda: box.ls("/"),
        lambda: box.grep("x"),
        lambda: box.glob("*"),
        lambda: box.delete("/x"),
        lambda: box.upload_files({"/x": b""}),
        lambda: box.download_files(["/x"]),
        lambda: box.snapshot(),
        lambda: box.restore(snapshot),
        lambda: box.fork(),
        lambda: box.mount("/x"),
        lambda: box.diff(),
        lambda: box.apply(),
    ]
    for call in work:
        with pytest.raises(sandshell.SandboxError):
            call()
    with sandshell.Sandbox.from_snapshot(snapshot) as other:
        assert other.execute("echo lives").output == "lives\n"
    snapshot.delete()
    with pytest.raises(sandshell.SandboxError):
        sandshell.Sandbox.from_snapshot(snapshot)


def test_many_threads_while_it_is_closed():
    """Each call gets an answer or an error; none hangs."""
    for _ in range(3):
        box = sandshell.Sandbox(packs=[])
        done = []

        def work(box=box, done=done):
            for number in range(5):
                attempt(box.write, f"/tmp/{number}", "x")
                attempt(box.execute, "cat /tmp/*; sleep 0.02")
                attempt(box.snapshot)
                attempt(box.fork)
            done.append(1)

        threads = [threading.Thread(target=work) for _ in range(12)]
        for thread in threads:
            thread.start()
        time.sleep(0.05)
        box.close()
        for thread in threads:
            thread.join(60)
        assert len(done) == len(threads)


def test_control_c_ends_a_command():
    code = """
import sandshell, signal, sys
# The process that starts the tests may have SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
box = sandshell.Sandbox(packs=[])
print("begun", flush=True)
try:
    box.execute("sleep 1000")
except KeyboardInterrupt:
    print(box.execute("echo usable").output, end="")
"""
    for work in (code, code.replace("sleep 1000", "while :; do :; done")):
        child = subprocess.Popen([sys.executable, "-c", work], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "begun\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=60)[0] == "usable\n"


def test_the_interpreter_may_end_meanwhile():
    code = """
import sandshell, threading, time
box = sandshell.Sandbox(packs=[])
threading.Thread(target=lambda: box.execute("sleep 1000"), daemon=True).start()
time.sleep(0.2)
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=60, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_cancelling_a_task_stops_its_command(box):
    async def main():
        task = asyncio.create_task(box.aexecute("sleep 4321"))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(100):
            if "4321" not in (await box.aexecute("ps -ef")).output:
                return True
            await asyncio.sleep(0.05)

    assert asyncio.run(main())


def own_directories():
    """The program's own directories, with what holds them and what lies in them."""
    home = pathlib.Path.home()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return [pathlib.Path("/"), home, cache, cache / "sandshell"]


def test_the_programs_own_directories_are_not_given_away(tmp_path):
    (own_directories()[-1] / "modules").mkdir(parents=True, exist_ok=True)
    (tmp_path / "alias").symlink_to(own_directories()[-1])
    for directory in [*own_directories(), own_directories()[-1] / "modules", tmp_path / "alias"]:
        with pytest.raises(ValueError, match="which this program trusts"):
            sandshell.Sandbox(packs=[], mounts={"/m": (str(directory), "rw")})
    with sandshell.Sandbox(packs=[]) as box:
        with pytest.raises(ValueError, match="which this program trusts"):
            box.mount("/m", str(own_directories()[-1]), "rw")
        assert box.execute("ls /m 2>/dev/null").output == ""
        box.mount("/n", str(tmp_path), "rw")
        assert box.execute("echo x > /n/f").exit_code == 0
