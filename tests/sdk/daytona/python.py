"""The official Python SDK of Daytona."""

import asyncio
import os
import time
import uuid

from checks import check, eventually, main, raises
from daytona import (
    CreateSandboxFromSnapshotParams,
    Daytona,
    DaytonaError,
    FileDownloadRequest,
    FileUpload,
    ListSandboxesQuery,
    Resources,
    SessionExecuteRequest,
    VolumeMount,
)

daytona = Daytona()


class created:
    """A sandbox for the length of a block."""

    def __init__(self, **params):
        self.params = params

    def __enter__(self):
        self.sandbox = daytona.create(CreateSandboxFromSnapshotParams(**self.params))
        return self.sandbox

    def __exit__(self, *_):
        daytona.delete(self.sandbox)


@check
def commands():
    with created(env_vars={"A": "1"}) as sandbox:
        done = sandbox.process.exec("echo out; echo err >&2; echo $A$B; pwd", cwd="/tmp", env={"B": "2"})
        assert (done.exit_code, done.result) == (0, "out\nerr\n12\n/tmp\n"), done
        assert sandbox.process.exec("exit 3").exit_code == 3
        assert sandbox.process.exec("pwd").result == "/home/daytona\n"
        assert "timeout" in str(raises(DaytonaError, lambda: sandbox.process.exec("sleep 30", timeout=1)))
        assert sandbox.get_user_home_dir() == "/home/daytona"


@check
def sessions():
    with created() as sandbox:
        sandbox.process.create_session("s")
        run = lambda command, **options: sandbox.process.execute_session_command(
            "s", SessionExecuteRequest(command=command, **options)
        )
        done = run("cd /tmp; export X=kept; echo out; echo err >&2")
        assert (done.exit_code, done.stdout, done.stderr) == (0, "out\n", "err\n"), done
        assert run("pwd; echo $X").output == "/tmp\nkept\n"
        assert run("exit 4").exit_code == 4
        late = run("sleep 0.3; echo late; exit 7", run_async=True)
        assert sandbox.process.get_session_command("s", late.cmd_id).exit_code is None
        eventually(lambda: sandbox.process.get_session_command("s", late.cmd_id).exit_code == 7)
        assert sandbox.process.get_session_command_logs("s", late.cmd_id).stdout == "late\n"
        reader = run("read line; echo got $line", run_async=True)
        sandbox.process.send_session_command_input("s", reader.cmd_id, "input")
        eventually(lambda: sandbox.process.get_session_command("s", reader.cmd_id).exit_code == 0)
        assert sandbox.process.get_session_command_logs("s", reader.cmd_id).stdout == "got input\n"
        assert [session.session_id for session in sandbox.process.list_sessions()] == ["s"]
        assert len(sandbox.process.get_session("s").commands) == 5
        sandbox.process.delete_session("s")
        raises(DaytonaError, lambda: sandbox.process.get_session("s"))


@check
def logs_are_followed():
    with created() as sandbox:
        sandbox.process.create_session("s")
        request = SessionExecuteRequest(command="echo one; sleep 0.5; echo e >&2; sleep 0.1; echo two", run_async=True)
        command = sandbox.process.execute_session_command("s", request)
        seen = []
        follow = sandbox.process.get_session_command_logs_async(
            "s",
            command.cmd_id,
            lambda text: seen.append(("out", text, time.monotonic())),
            lambda text: seen.append(("err", text, time.monotonic())),
        )
        asyncio.run(asyncio.wait_for(follow, 20))
        of = lambda kind: "".join(text for stream, text, _ in seen if stream == kind)
        assert (of("out"), of("err")) == ("one\ntwo\n", "e\n"), seen
        assert seen[-1][2] - seen[0][2] > 0.3
        # Logs start at the beginning, even after the command's end.
        seen.clear()
        again = sandbox.process.get_session_command_logs_async(
            "s", command.cmd_id, lambda text: seen.append(text), lambda text: None
        )
        asyncio.run(asyncio.wait_for(again, 20))
        assert "".join(seen) == "one\ntwo\n"


@check
def searching_and_replacing():
    with created() as sandbox:
        for name, content in [("a/x.py", "import os\n# TODO: a.b\n"), ("a/b/y.py", "TODO\n"), ("a/z.txt", "axb\n")]:
            sandbox.fs.upload_file(content.encode(), name)
        sandbox.fs.upload_file(b"TODO\0", "a/binary")
        found = sandbox.fs.find_files("/home/daytona/a", "TODO")
        assert [(match.file, match.line, match.content) for match in found] == [
            ("/home/daytona/a/b/y.py", 1, "TODO"),
            ("/home/daytona/a/x.py", 2, "# TODO: a.b"),
        ], found
        # The pattern is literal text, not a regular expression.
        assert [match.line for match in sandbox.fs.find_files("a", "a.b")] == [2]
        assert sandbox.fs.find_files("a", "nothing") == []
        names = lambda pattern: sandbox.fs.search_files("/home/daytona/a", pattern).files
        assert names("*.py") == ["/home/daytona/a/x.py"]
        assert names("**/*.py") == ["/home/daytona/a/b/y.py", "/home/daytona/a/x.py"]
        assert names("**/*.{txt,md}") == ["/home/daytona/a/z.txt"]
        done = sandbox.fs.replace_in_files(["a/x.py", "/nope"], "TODO", "DONE $&")
        assert [(result.file, result.success) for result in done] == [("a/x.py", True), ("/nope", False)]
        assert sandbox.fs.download_file("a/x.py") == b"import os\n# DONE $&: a.b\n"


@check
def variables_are_changed():
    with created(env_vars={"A": "1", "B": "2"}) as sandbox:
        sandbox.update_env({"C": "3 4"}, unset=["A"])
        show = lambda: sandbox.process.exec('echo "${A-none} ${B-none} ${C-none}"').result
        assert show() == "none 2 3 4\n"
        sandbox.update_env({"A": "new"}, unset=["C"])
        assert show() == "new 2 none\n"
        assert sandbox.process.exec("echo $A", env={"A": "own"}).result == "own\n"


@check
def refusals():
    told = lambda **options: str(
        raises(DaytonaError, lambda: daytona.create(CreateSandboxFromSnapshotParams(**options)))
    )
    assert "volumes" in told(volumes=[VolumeMount(volume_id="v", mount_path="/mnt")])
    assert "users other than daytona" in told(os_user="root")
    assert "secrets" in told(secrets={"A": "s"})
    with created(os_user="daytona") as sandbox:
        assert sandbox.process.exec("true").exit_code == 0
        told = lambda call: str(raises(DaytonaError, call))
        assert "resizing: not emulated" in told(lambda: sandbox.resize(Resources(cpu=2)))
        assert "git" in told(lambda: sandbox.git.status("."))
        assert "terminals" in told(lambda: sandbox.process.list_pty_sessions())
        assert "previews" in told(lambda: sandbox.get_preview_link(3000))
        assert "language servers" in told(lambda: sandbox.create_lsp_server("python", ".").start())
        assert "volumes" in told(lambda: daytona.volume.list())


@check
def files():
    with created() as sandbox:
        content = bytes(range(256)) * 100
        sandbox.fs.upload_file(content, "deep/er/a b.bin")
        assert sandbox.fs.download_file("/home/daytona/deep/er/a b.bin") == content
        sandbox.fs.upload_files([FileUpload(b"1", "/tmp/1"), FileUpload(b"\xff", "/tmp/2")])
        got = sandbox.fs.download_files(
            [FileDownloadRequest(source=path) for path in ("/tmp/1", "/tmp/2", "/nope")]
        )
        assert [(file.result, bool(file.error)) for file in got] == [(b"1", False), (b"\xff", False), (None, True)]
        info = sandbox.fs.get_file_info("/tmp/1")
        assert (info.name, info.size, info.is_dir, info.permissions) == ("1", 1, False, "0644"), info
        sandbox.fs.create_folder("/tmp/folder", "750")
        assert sandbox.fs.get_file_info("/tmp/folder").permissions == "0750"
        sandbox.fs.move_files("/tmp/1", "/tmp/folder/moved")
        assert [entry.name for entry in sandbox.fs.list_files("/tmp/folder")] == ["moved"]
        sandbox.fs.set_file_permissions("/tmp/folder/moved", mode="600")
        assert sandbox.fs.get_file_info("/tmp/folder/moved").permissions == "0600"
        raises(DaytonaError, lambda: sandbox.fs.delete_file("/tmp/folder"))
        sandbox.fs.delete_file("/tmp/folder", recursive=True)
        raises(DaytonaError, lambda: sandbox.fs.get_file_info("/tmp/folder"))
        raises(DaytonaError, lambda: sandbox.fs.download_file("/nope"))
        raises(DaytonaError, lambda: sandbox.fs.upload_file(b"x", "/tmp/2/below"))
        content = os.urandom(8 << 20)
        sandbox.fs.upload_file(content, "/tmp/large")
        assert sandbox.fs.download_file("/tmp/large") == content


@check
def lifecycle():
    with created(labels={"thread": "t 1"}, name="named") as sandbox:
        sandbox.fs.upload_file(b"kept", "/tmp/kept")
        assert daytona.get(sandbox.id).name == "named" and daytona.get("named").id == sandbox.id
        listed = list(daytona.list(ListSandboxesQuery(labels={"thread": "t 1"})))
        assert [entry.id for entry in listed] == [sandbox.id]
        sandbox.set_labels({"thread": "t 2"})
        assert not list(daytona.list(ListSandboxesQuery(labels={"thread": "t 1"})))
        sandbox.set_autostop_interval(30)
        assert daytona.get(sandbox.id).auto_stop_interval == 30
        raises(DaytonaError, lambda: daytona.create(CreateSandboxFromSnapshotParams(name="named")))
        sandbox.stop()
        assert sandbox.state == "stopped"
        raises(DaytonaError, lambda: sandbox.process.exec("true"))
        sandbox.start()
        assert sandbox.fs.download_file("/tmp/kept") == b"kept"
    raises(DaytonaError, lambda: daytona.get("named"))


@check
def listing_in_pages():
    sandboxes = [daytona.create(CreateSandboxFromSnapshotParams(labels={"page": "yes"})) for _ in range(3)]
    seen = [entry.id for entry in daytona.list(ListSandboxesQuery(labels={"page": "yes"}, limit=2))]
    assert sorted(seen) == sorted(sandbox.id for sandbox in sandboxes)
    for sandbox in sandboxes:
        daytona.delete(sandbox)


@check
def snapshots_and_forks():
    name = f"snapshot-{uuid.uuid4()}"
    with created() as sandbox:
        sandbox.fs.upload_file(b"before", "/tmp/state")
        sandbox.create_snapshot(name)
        sandbox.fs.upload_file(b"after", "/tmp/state")
        with created(snapshot=name) as copy:
            assert copy.fs.download_file("/tmp/state") == b"before"
        fork = sandbox.fork("fork")
        assert fork.fs.download_file("/tmp/state") == b"after" and fork.name == "fork"
        daytona.delete(fork)
    assert daytona.snapshot.get(name).state == "active"
    daytona.snapshot.delete(daytona.snapshot.get(name))
    raises(DaytonaError, lambda: daytona.snapshot.get(name))
    raises(DaytonaError, lambda: daytona.create(CreateSandboxFromSnapshotParams(snapshot=name)))


main()
