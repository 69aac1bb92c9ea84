"""The official Python SDK of Vercel Sandbox. Its address is an option, not a variable."""

import os

from checks import check, eventually, main, raises
from vercel.sandbox.sync import (
    SandboxApiError,
    SandboxPathNotFoundError,
    SandboxServiceOptions,
    SnapshotSource,
    SyncSandboxClient,
)

CLIENT = SyncSandboxClient.create(options=SandboxServiceOptions(base_url=os.environ["VERCEL_SANDBOX_URL"]))


def sandbox(**options):
    return CLIENT.create_sandbox(execution_time_limit=300, **options)


@check
def commands():
    with sandbox(env={"A": "1 2"}) as box:
        script = "echo out; echo err >&2; echo $A $B; pwd; exit 3"
        done = box.run_process("bash", ["-c", script], cwd="/tmp", env={"B": "3"}, capture_output=True)
        assert (done.stdout, done.stderr, done.returncode) == ("out\n1 2 3\n/tmp\n", "err\n", 3)
        # A program and its arguments, not a shell command line.
        assert box.run_process("echo", ["$A;", "b"], capture_output=True).stdout == "$A; b\n"
        assert box.run_process("pwd", capture_output=True).stdout == "/vercel/sandbox\n"
        late = box.run_process("sleep", ["30"], kill_after=0.5, capture_output=True)
        assert late.returncode == 137


@check
def processes():
    with sandbox() as box:
        process = box.create_process("bash", ["-c", "echo one; sleep 0.2; echo two"])
        assert process.communicate()[0] == "one\ntwo\n"
        assert process.returncode == 0
        sleeper = box.create_process("sleep", ["30"])
        assert sleeper.id in [known.id for known in box.query_processes()]
        sleeper.kill()
        assert sleeper.wait() == 137
        assert box.get_process(sleeper.id).returncode == 137


@check
def standard_input():
    with sandbox() as box:
        done = box.run_process("wc", ["-c"], input=b"\x00\xff" * 1000, capture_output=True)
        assert done.stdout.strip() == "2000"


@check
def files():
    content = bytes(range(256)) * 40
    with sandbox() as box:
        box.fs.write_bytes("/vercel/sandbox/deep/a b.bin", content)
        assert box.fs.read_bytes("/vercel/sandbox/deep/a b.bin") == content
        assert box.fs.read_bytes("deep/a b.bin") == content
        with box.fs.batch() as batch:
            batch.write_text("one", "1")
            batch.write_text("two", "ü")
        assert box.fs.read_text("two") == "ü"
        box.fs.mkdir("d/e")
        assert sorted(entry.path.rsplit("/")[-1] for entry in box.fs.listdir(".")) == ["d", "deep", "one", "two"]
        assert box.fs.is_dir("d/e") and box.fs.is_file("one") and not box.fs.exists("three")
        box.fs.remove("one")
        raises(SandboxPathNotFoundError, lambda: box.fs.read_bytes("one"))
        raises(SandboxPathNotFoundError, lambda: box.fs.read_bytes("/nope"))


@check
def finding():
    with sandbox(name="py-found", tags={"k": "a b"}) as box:
        again = CLIENT.get_sandbox(name="py-found")
        assert (again.name, again.tags) == ("py-found", {"k": "a b"})
        assert "py-found" in [listed.name for listed in CLIENT.query_sandboxes()]
        box.update(tags={"k": "w"})
        assert CLIENT.get_sandbox(name="py-found").tags == {"k": "w"}
        assert raises(SandboxApiError, lambda: sandbox(name="py-found").__enter__()).status_code == 409
        before = box.session().execution_time_limit
        assert box.extend_execution_time_limit(60).execution_time_limit > before
    assert raises(SandboxApiError, lambda: CLIENT.get_sandbox(name="py-found")).status_code == 404


@check
def stopping_and_resuming():
    with sandbox(name="py-stopped") as box:
        first = box.session().id
        box.fs.write_text("kept", "kept")
        box.stop()
        assert CLIENT.get_sandbox(name="py-stopped").status == "stopped"
        # The sandbox resumes by itself, in a new session.
        assert box.run_process("cat", ["kept"], capture_output=True).stdout == "kept"
        assert box.session().id != first
        assert len(list(CLIENT.query_sessions(name="py-stopped"))) == 2


@check
def snapshots():
    with sandbox(name="py-source") as box:
        box.fs.write_text("kept", "before")
        snapshot = box.snapshot()
        assert snapshot.id in [listed.id for listed in CLIENT.query_snapshots()]
        # Taking the snapshot has stopped the session; the sandbox resumes when it is used.
        box.fs.write_text("kept", "after")
        with sandbox(source=SnapshotSource(snapshot_id=snapshot.id)) as copy:
            assert copy.fs.read_text("kept") == "before"
        with CLIENT.fork_sandbox(source_sandbox="py-source", name="py-fork") as fork:
            assert fork.fs.read_text("kept") == "after"
        snapshot.delete()
        gone = lambda: sandbox(source=SnapshotSource(snapshot_id=snapshot.id)).__enter__()
        assert raises(SandboxApiError, gone).status_code == 404


@check
def time_to_live():
    with CLIENT.create_sandbox(name="py-short", execution_time_limit=1) as box:
        eventually(lambda: CLIENT.get_sandbox(name="py-short").status == "stopped")
        assert box.name == "py-short"


@check
def what_is_not_emulated_says_so():
    for asked in ({"ports": [3000]}, {"persistent": False}):
        refused = raises(SandboxApiError, lambda: sandbox(**asked).__enter__())
        assert (refused.status_code, "not emulated" in str(refused)) == (400, True), asked
    refused = raises(SandboxApiError, lambda: sandbox(image="node:22").__enter__())
    assert (refused.status_code, "not emulated" in str(refused)) == (400, True)
    with sandbox() as box:
        assert "not emulated" in str(raises(SandboxApiError, lambda: box.run_process("id", sudo=True)))


main()
