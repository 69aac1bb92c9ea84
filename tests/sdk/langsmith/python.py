"""The official Python SDK of LangSmith sandboxes."""

from checks import check, eventually, main, raises
from langsmith.sandbox import (
    CommandTimeoutError,
    ResourceNotFoundError,
    RunConfig,
    SandboxClient,
    SandboxClientError,
    SandboxOperationError,
    ValidationError,
)

CLIENT = SandboxClient()


@check
def commands():
    with CLIENT.sandbox() as box:
        done = box.run("echo out; echo err >&2; echo $A; pwd; exit 3", env={"A": "1 2"}, cwd="/tmp")
        assert (done.stdout, done.stderr, done.exit_code) == ("out\n1 2\n/tmp\n", "err\n", 3)
        assert box.run("pwd").stdout == "/root\n"
        # Standard input is at its end.
        assert box.run("cat").exit_code == 0
        raises(CommandTimeoutError, lambda: box.run("sleep 30", timeout=1))


@check
def streams():
    with CLIENT.sandbox() as box:
        handle = box.run("echo one; sleep 0.3; echo two", wait=False)
        first = next(iter(handle))
        assert (first.stream, first.data) == ("stdout", "one\n")
        # A client can disconnect from a command and reconnect.
        again = box.reconnect(handle.command_id)
        assert again.result.stdout == "one\ntwo\n"
        later = box.reconnect(handle.command_id, stdout_offset=len("one\n"))
        assert later.result.stdout == "two\n"
        seen = []
        box.run("printf ü; echo x >&2", on_stdout=seen.append, on_stderr=seen.append)
        assert sorted(seen) == ["x\n", "ü"]
        talk = box.run("read x; echo got $x", wait=False, close_input=False)
        talk.send_input("hello\n")
        assert talk.result.stdout == "got hello\n"
        raises(SandboxOperationError, lambda: box.reconnect("nothing").result)


@check
def killing():
    with CLIENT.sandbox() as box:
        handle = box.run("echo begun; sleep 30", wait=False)
        next(iter(handle))
        handle.kill()
        assert box.reconnect(handle.command_id).result.exit_code == 137
        # More input than fits into a pipe, which nobody reads.
        handle = box.run("echo begun; sleep 30", wait=False, close_input=False)
        handle.send_input("x" * 300_000)
        assert next(iter(handle)).data == "begun\n"
        handle.kill()
        assert box.reconnect(handle.command_id).result.exit_code == 137


@check
def configurations():
    snapshot = CLIENT.create_snapshot("py-run", "python", 1 << 30, run_config=RunConfig(env_vars={"A": "1", "B": "1"}))
    box = CLIENT.create_sandbox(snapshot="py-run", run_config=RunConfig(work_dir="/tmp", env_vars={"B": "2"}))
    assert box.run("echo $A$B$C; pwd").stdout == "12\n/tmp\n"
    updated = CLIENT.update_sandbox(box.name, run_config=RunConfig(work_dir="/usr", env_vars={"C": "3"}))
    assert updated.run_config.env_vars == {"A": "1", "B": "2", "C": "3"}
    assert box.run("echo $A$B$C; pwd").stdout == "123\n/usr\n"
    assert box.run("echo $A$B$C; pwd", run_config=RunConfig(work_dir="/", env_vars={"C": "4"})).stdout == "124\n/\n"
    for other in (RunConfig(user="nobody"), RunConfig(work_dir="relative")):
        raises(ValidationError, lambda: CLIENT.create_sandbox(run_config=other))
        raises(SandboxOperationError, lambda: box.run("true", run_config=other))
    CLIENT.delete_sandbox(box.name)
    CLIENT.delete_snapshot(snapshot.id)


@check
def files():
    content = bytes(range(256)) * 40
    with CLIENT.sandbox() as box:
        box.write("/root/deep/a b.bin", content)
        assert box.read("/root/deep/a b.bin") == content
        info = box.stat("/root/deep/a b.bin")
        assert info.size_bytes == len(content)
        part = box.read_range("/root/deep/a b.bin", start=10, end=19)
        assert (part.content, part.start, part.total_bytes) == (content[10:20], 10, len(content))
        assert box.read_range("/root/deep/a b.bin", suffix_bytes=3).content == content[-3:]
        raises(ResourceNotFoundError, lambda: box.read("/nope"))
        raises(SandboxOperationError, lambda: box.write("/root", b"x"))


@check
def searches():
    with CLIENT.sandbox() as box:
        box.write("/root/w/a.txt", b"one\ntwo\n")
        box.write("/root/w/b.md", b"two\n")
        assert [info.path for info in box.glob("*.txt", "/root/w")] == ["/root/w/a.txt"]
        hits = sorted((hit.path, hit.line) for hit in box.grep("two", "/root/w"))
        assert hits == [("/root/w/a.txt", 2), ("/root/w/b.md", 1)]


@check
def finding():
    box = CLIENT.create_sandbox(name="py-found", idle_ttl_seconds=1200)
    again = CLIENT.get_sandbox("py-found")
    assert (again.id, again.idle_ttl_seconds, again.status) == (box.id, 1200, "ready")
    assert "py-found" in [listed.name for listed in CLIENT.list_sandboxes()]
    raises(SandboxClientError, lambda: CLIENT.create_sandbox(name="py-found"))
    CLIENT.update_sandbox("py-found", new_name="py-renamed")
    assert CLIENT.get_sandbox_status("py-renamed").status == "ready"
    raises(ResourceNotFoundError, lambda: CLIENT.get_sandbox("py-found"))
    CLIENT.delete_sandbox("py-renamed")
    raises(ResourceNotFoundError, lambda: CLIENT.delete_sandbox("py-renamed"))


@check
def stopping_and_starting():
    box = CLIENT.create_sandbox()
    box.write("/root/kept", b"kept")
    CLIENT.stop_sandbox(box.name)
    eventually(lambda: CLIENT.get_sandbox_status(box.name).status == "stopped")
    CLIENT.start_sandbox(box.name)
    assert box.read("/root/kept") == b"kept"
    CLIENT.stop_sandbox(box.name)
    # The sandbox resumes when it is used.
    assert box.run("cat /root/kept").stdout == "kept"
    CLIENT.delete_sandbox(box.name)


@check
def snapshots():
    box = CLIENT.create_sandbox()
    box.write("/root/kept", b"before")
    snapshot = CLIENT.capture_snapshot(box.name, "py-snapshot")
    box.write("/root/kept", b"after")
    assert CLIENT.get_snapshot(snapshot.id).status == "ready"
    assert snapshot.id in [listed.id for listed in CLIENT.list_snapshots()]
    with CLIENT.sandbox(snapshot_id=snapshot.id) as copy:
        assert copy.read("/root/kept") == b"before"
    CLIENT.delete_snapshot(snapshot.id)
    raises(ResourceNotFoundError, lambda: CLIENT.get_snapshot(snapshot.id))
    built = CLIENT.create_snapshot("py-built", "python:3", 1 << 30)
    # The snapshot has the tag of its image.
    with CLIENT.sandbox(snapshot="py-built:3") as copy:
        assert copy.run("echo fresh").stdout == "fresh\n"
    raises(ResourceNotFoundError, lambda: CLIENT.create_sandbox(snapshot="py-built"))
    # The tag moves; the snapshot that had it still exists.
    again = CLIENT.capture_snapshot(box.name, "py-built", tag="3")
    assert [(tag.tag, tag.snapshot_id) for tag in CLIENT.list_snapshot_tags("py-built")] == [("3", again.id)]
    for id in (built.id, again.id):
        CLIENT.delete_snapshot(id)
    CLIENT.delete_sandbox(box.name)


@check
def what_is_not_emulated_says_so():
    raises(ValidationError, lambda: CLIENT.create_sandbox(persistent=False))
    with CLIENT.sandbox() as box:
        for call in (lambda: box.service(8000), lambda: box.generate_download_url("/root/x")):
            assert "not emulated" in str(raises(SandboxClientError, call))


main()
