"""The official Python SDK of E2B."""

import os
import time
import urllib.error
import urllib.request

from checks import check, eventually, main, raises
from e2b import (
    AuthenticationException,
    CommandExitException,
    InvalidArgumentException,
    NotFoundException,
    PtySize,
    Sandbox,
    SandboxException,
    SandboxQuery,
    TimeoutException,
)


@check
def commands():
    with Sandbox.create(timeout=120, envs={"A": "1"}, metadata={"k": "v"}) as sandbox:
        done = sandbox.commands.run("echo out; echo err >&2; echo $A$B; pwd", envs={"B": "2"}, cwd="/tmp")
        assert (done.stdout, done.stderr, done.exit_code) == ("out\n12\n/tmp\n", "err\n", 0)
        assert sandbox.commands.run("pwd").stdout == "/home/user\n"
        failed = raises(CommandExitException, lambda: sandbox.commands.run("echo partial; exit 3"))
        assert (failed.exit_code, failed.stdout) == (3, "partial\n")
        raises(InvalidArgumentException, lambda: sandbox.commands.run("true", cwd="/nonexistent"))


@check
def output_is_streamed():
    with Sandbox.create() as sandbox:
        seen = []
        sandbox.commands.run(
            "echo first; sleep 0.3; echo second >&2",
            on_stdout=lambda text: seen.append(("out", text, time.monotonic())),
            on_stderr=lambda text: seen.append(("err", text, time.monotonic())),
        )
        assert [entry[:2] for entry in seen] == [("out", "first\n"), ("err", "second\n")]
        assert seen[1][2] - seen[0][2] > 0.2


@check
def timeouts():
    with Sandbox.create() as sandbox:
        raises(TimeoutException, lambda: sandbox.commands.run("sleep 30", timeout=1))
        assert sandbox.commands.run("echo alive").stdout == "alive\n"
        eventually(lambda: not sandbox.commands.list())


@check
def background_and_input():
    with Sandbox.create() as sandbox:
        handle = sandbox.commands.run("cat", background=True, stdin=True)
        assert [process.pid for process in sandbox.commands.list()] == [handle.pid]
        sandbox.commands.send_stdin(handle.pid, "one\n")
        sandbox.commands.send_stdin(handle.pid, "two\n")
        sandbox.commands.close_stdin(handle.pid)
        assert handle.wait().stdout == "one\ntwo\n"
        handle = sandbox.commands.run("sleep 30", background=True)
        assert handle.kill()
        # Sending a signal does not wait for its effect.
        eventually(lambda: not sandbox.commands.kill(handle.pid))
        raises(CommandExitException, handle.wait)
        handle = sandbox.commands.run("echo a; sleep 0.5; echo b", background=True)
        handle.disconnect()
        assert sandbox.commands.connect(handle.pid).wait().stdout == "a\nb\n"
        raises(NotFoundException, lambda: sandbox.commands.connect(999999).wait())


@check
def files():
    with Sandbox.create() as sandbox:
        content = bytes(range(256)) * 100
        sandbox.files.write("/home/user/deep/er/a b.bin", content)
        assert bytes(sandbox.files.read("/home/user/deep/er/a b.bin", format="bytes")) == content
        sandbox.files.write("relative.txt", "text ü\n")
        assert sandbox.files.read("/home/user/relative.txt") == "text ü\n"
        written = sandbox.files.write_files(
            [{"path": "/tmp/1", "data": "1"}, {"path": "/tmp/2", "data": b"\xff"}]
        )
        assert [entry.path for entry in written] == ["/tmp/1", "/tmp/2"]
        info = sandbox.files.get_info("relative.txt")
        assert (info.name, info.size, info.type.value, info.owner) == ("relative.txt", 8, "file", "user")
        names = [entry.name for entry in sandbox.files.list("/home/user")]
        assert names == ["deep", "relative.txt"], names
        deeper = [entry.path for entry in sandbox.files.list("/home/user/deep", depth=3)]
        assert deeper == ["/home/user/deep/er", "/home/user/deep/er/a b.bin"], deeper
        assert sandbox.files.make_dir("/home/user/new/dir")
        assert not sandbox.files.make_dir("/home/user/new/dir")
        assert sandbox.files.rename("relative.txt", "/home/user/new/name").path == "/home/user/new/name"
        assert sandbox.files.exists("new/name") and not sandbox.files.exists("relative.txt")
        sandbox.files.remove("/home/user/new")
        assert not sandbox.files.exists("/home/user/new")
        raises(NotFoundException, lambda: sandbox.files.read("/nope"))
        raises(NotFoundException, lambda: sandbox.files.list("/nope"))
        raises(InvalidArgumentException, lambda: sandbox.files.read("/home/user/deep"))
        raises(SandboxException, lambda: sandbox.files.write("/tmp/1/below", "x"))


@check
def large_files():
    with Sandbox.create() as sandbox:
        content = os.urandom(8 << 20)
        sandbox.files.write("/tmp/large", content)
        assert bytes(sandbox.files.read("/tmp/large", format="bytes")) == content


@check
def lifecycle():
    sandbox = Sandbox.create(timeout=60, metadata={"purpose": "a b&c=d"})
    try:
        info = sandbox.get_info()
        assert info.metadata == {"purpose": "a b&c=d"} and info.state.value == "running"
        assert 50 < (info.end_at - info.started_at).total_seconds() <= 61
        sandbox.set_timeout(600)
        assert (sandbox.get_info().end_at - info.started_at).total_seconds() > 500
        sandbox.files.write("/tmp/kept", "kept")
        again = Sandbox.connect(sandbox.sandbox_id)
        assert again.files.read("/tmp/kept") == "kept"
        listed = Sandbox.list(query=SandboxQuery(metadata={"purpose": "a b&c=d"})).next_items()
        assert [entry.sandbox_id for entry in listed] == [sandbox.sandbox_id]
        assert sandbox.is_running()
    finally:
        assert sandbox.kill()
    assert not sandbox.kill()
    assert not sandbox.is_running()
    raises(NotFoundException, lambda: Sandbox.connect(sandbox.sandbox_id))
    raises(SandboxException, lambda: sandbox.commands.run("true"))


@check
def listing_in_pages():
    sandboxes = [Sandbox.create(metadata={"page": "yes"}) for _ in range(5)]
    pages, seen = Sandbox.list(query=SandboxQuery(metadata={"page": "yes"}), limit=2), []
    while pages.has_next:
        page = pages.next_items()
        assert len(page) <= 2
        seen += [entry.sandbox_id for entry in page]
    assert sorted(seen) == sorted(sandbox.sandbox_id for sandbox in sandboxes)
    for sandbox in sandboxes:
        sandbox.kill()


@check
def expiry():
    sandbox = Sandbox.create(timeout=1)
    assert sandbox.is_running()
    eventually(lambda: not sandbox.is_running())
    raises(NotFoundException, sandbox.get_info)


@check
def pause_and_resume():
    sandbox = Sandbox.create()
    sandbox.files.write("/tmp/kept", "kept")
    sandbox.pause()
    assert sandbox.get_info().state.value == "paused"
    assert not sandbox.pause()
    assert Sandbox.connect(sandbox.sandbox_id).files.read("/tmp/kept") == "kept"
    assert sandbox.get_info().state.value == "running"
    sandbox.kill()


@check
def snapshots_and_forks():
    sandbox = Sandbox.create()
    sandbox.files.write("/tmp/state", "before")
    snapshot = sandbox.create_snapshot()
    sandbox.files.write("/tmp/state", "after")
    copy = Sandbox.create(snapshot.snapshot_id)
    assert copy.files.read("/tmp/state") == "before"
    kept = [entry.snapshot_id for entry in Sandbox.list_snapshots().next_items()]
    assert kept == [snapshot.snapshot_id]
    assert Sandbox.delete_snapshot(snapshot.snapshot_id)
    assert not Sandbox.delete_snapshot(snapshot.snapshot_id)
    assert "404" in str(raises(SandboxException, lambda: Sandbox.create(snapshot.snapshot_id)))
    copy.kill()
    sandbox.kill()


@check
def what_a_sandbox_knows_of_itself():
    with Sandbox.create("some-template", envs={"E2B_TEAM_ID": "mine"}) as sandbox:
        show = "echo $E2B_SANDBOX $E2B_SANDBOX_ID $E2B_TEMPLATE_ID"
        assert sandbox.commands.run(show).stdout == f"true {sandbox.sandbox_id} some-template\n"


@check
def compressed_files():
    with Sandbox.create() as sandbox:
        content = "text ü\n" * 100_000
        sandbox.files.write("/tmp/zipped", content, gzip=True)
        assert sandbox.commands.run("wc -c </tmp/zipped").stdout.strip() == str(len(content.encode()))
        assert sandbox.files.read("/tmp/zipped", gzip=True) == content
        assert sandbox.files.read("/tmp/zipped") == content


@check
def signed_addresses():
    with Sandbox.create() as sandbox, Sandbox.create() as other:
        sandbox.files.write("/tmp/a b", "signed")
        url = sandbox.download_url("/tmp/a b", use_signature_expiration=60)
        assert urllib.request.urlopen(url).read() == b"signed"
        assert urllib.request.urlopen(sandbox.download_url("/tmp/a b")).read() == b"signed"
        late = sandbox.download_url("/tmp/a b", use_signature_expiration=-5)
        foreign = other.download_url("/tmp/a b").replace("a%20b", "c")
        for bad in (late, foreign, url.replace("read", "x") + "0", url.split("&signature=")[0]):
            assert raises(urllib.error.HTTPError, lambda: urllib.request.urlopen(bad)).code in (401, 502)
        form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nsent\r\n--x--\r\n'
        request = urllib.request.Request(sandbox.upload_url("/tmp/sent"), form)
        request.add_header("content-type", "multipart/form-data; boundary=x")
        urllib.request.urlopen(request)
        assert sandbox.files.read("/tmp/sent") == "sent"
        wrong = urllib.request.Request(sandbox.download_url("/tmp/sent"), form)
        assert raises(urllib.error.HTTPError, lambda: urllib.request.urlopen(wrong)).code == 401


@check
def lists_are_ordered_and_chosen():
    first, second = Sandbox.create("one"), Sandbox.create("two")
    ids = lambda **query: [entry.sandbox_id for entry in Sandbox.list(query=SandboxQuery(**query)).next_items()]
    try:
        assert ids(template="two") == [second.sandbox_id]
    finally:
        first.kill()
        second.kill()


@check
def refusals():
    told = lambda **options: str(raises(SandboxException, lambda: Sandbox.create(**options)))
    assert "volumes" in told(volume_mounts={"/mnt": "v"}), told(volume_mounts={"/mnt": "v"})
    assert "network" in told(network={"allow_out": ["1.1.1.1"]})
    assert "MCP" in told(mcp={"x": {}})
    assert "resuming" in told(lifecycle={"on_timeout": "pause", "auto_resume": True})
    with Sandbox.create() as sandbox:
        assert "snapshots of memory" in str(
            raises(SandboxException, lambda: sandbox.create_snapshot(mode="full"))
        )
        raises(AuthenticationException, lambda: sandbox.commands.run("true", user="root"))
        raises(SandboxException, lambda: sandbox.pty.create(size=PtySize(24, 80)))
        raises(SandboxException, lambda: sandbox.files.watch_dir("/tmp"))
        assert "metrics: not emulated" in str(raises(SandboxException, sandbox.get_metrics))


main()
