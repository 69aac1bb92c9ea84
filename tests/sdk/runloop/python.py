"""The official Python SDK of Runloop."""

from checks import check, eventually, main, raises
from runloop_api_client import APIStatusError, NotFoundError, RunloopSDK

SDK = RunloopSDK()


def refused(call):
    """The status with which `call` is refused."""
    return raises(APIStatusError, call).status_code


@check
def commands():
    with SDK.devbox.create(name="one", environment_variables={"A": "1"}) as devbox:
        done = devbox.cmd.exec("echo out; echo err >&2; echo $A; pwd; exit 3")
        assert (done.stdout(), done.stderr(), done.exit_code) == ("out\n1\n/home/user\n", "err\n", 3)
        assert done.failed and not done.success
        assert devbox.cmd.exec("seq 5").stdout(num_lines=2) == "4\n5"
        info = devbox.get_info()
        assert (info.name, info.status) == ("one", "running")


@check
def output_is_streamed():
    with SDK.devbox.create() as devbox:
        seen = []
        done = devbox.cmd.exec(
            "printf 'f\\303'; sleep 0.3; printf '\\274r'; echo second >&2",
            stdout=lambda text: seen.append(("out", text)),
            stderr=lambda text: seen.append(("err", text)),
        )
        assert done.exit_code == 0
        assert "".join(text for kind, text in seen if kind == "out") == "für"
        assert "".join(text for kind, text in seen if kind == "err") == "second\n"


@check
def background_and_input():
    with SDK.devbox.create() as devbox:
        execution = devbox.cmd.exec_async("cat", attach_stdin=True)
        assert execution.get_state().status == "running"
        execution.send_std_in("one\n")
        execution.send_std_in("two\n")
        execution.close_std_in()
        assert execution.result().stdout() == "one\ntwo\n"
        sleeper = devbox.cmd.exec_async("echo begun; sleep 30")
        sleeper.kill()
        assert sleeper.result().exit_code == 137


@check
def a_command_id_runs_once():
    with SDK.devbox.create() as devbox:
        for _ in range(2):
            SDK.api.devboxes.execute(devbox.id, command="echo x >> /tmp/count", command_id="c1")
        assert devbox.cmd.exec("cat /tmp/count").stdout() == "x\n"


@check
def files():
    with SDK.devbox.create() as devbox:
        content = bytes(range(256)) * 40
        devbox.file.upload(path="/home/user/deep/a b.bin", file=content)
        assert devbox.file.download(path="/home/user/deep/a b.bin") == content
        devbox.file.write(file_path="t.txt", contents="für\n")
        assert devbox.file.read(file_path="/home/user/t.txt") == "für\n"
        raises(NotFoundError, lambda: devbox.file.download(path="/nope"))
        assert refused(lambda: devbox.file.download(path="/home")) == 400


@check
def lists_and_metadata():
    made = [SDK.devbox.create(metadata={"n": str(n)}) for n in range(3)]
    api = SDK.api.devboxes
    listed = [devbox for devbox in api.list(limit=2, status="running")]
    assert {devbox.id for devbox in made} <= {devbox.id for devbox in listed}
    again = SDK.devbox.from_id(made[1].id)
    assert again.get_info().metadata == {"n": "1"}
    api.update(again.id, metadata={"n": "9"}, name="renamed")
    assert (again.get_info().metadata, again.get_info().name) == ({"n": "9"}, "renamed")
    for devbox in made:
        devbox.shutdown()
    assert again.get_info().status == "shutdown"
    assert refused(lambda: again.cmd.exec("true")) == 400
    raises(NotFoundError, lambda: api.retrieve("dbx_none"))
    raises(NotFoundError, lambda: api.shutdown("dbx_none"))


@check
def suspend_and_resume():
    devbox = SDK.devbox.create()
    devbox.file.write(file_path="/home/user/kept", contents="kept")
    devbox.suspend()
    devbox.await_suspended()
    assert refused(lambda: devbox.cmd.exec("true")) == 400
    devbox.resume()
    assert devbox.file.read(file_path="/home/user/kept") == "kept"
    devbox.shutdown()


@check
def snapshots():
    with SDK.devbox.create() as devbox:
        devbox.file.write(file_path="/home/user/a", contents="1")
        snapshot = devbox.snapshot_disk(name="s", metadata={"k": "v"})
        devbox.file.write(file_path="/home/user/a", contents="2")
        assert snapshot.get_info().status == "complete"
        assert snapshot.id in [kept.id for kept in SDK.snapshot.list(devbox_id=devbox.id)]
        with snapshot.create_devbox() as copy:
            assert copy.file.read(file_path="/home/user/a") == "1"
        snapshot.delete()
        raises(NotFoundError, lambda: SDK.devbox.create_from_snapshot(snapshot.id))


@check
def time_to_live():
    devbox = SDK.devbox.create(launch_parameters={"keep_alive_time_seconds": 2})
    devbox.keep_alive()
    eventually(lambda: devbox.get_info().status == "shutdown")
    idle = SDK.devbox.create(launch_parameters={"after_idle": {"idle_time_seconds": 1, "on_idle": "suspend"}})
    eventually(lambda: idle.get_info().status == "suspended")
    idle.shutdown()


@check
def launching():
    commands = ["mkdir made", "sleep 0.3; echo launched > made/f"]
    with SDK.devbox.create(launch_parameters={"launch_commands": commands}) as devbox:
        assert devbox.cmd.exec("cat made/f").stdout() == "launched\n"
    with SDK.devbox.create(file_mounts={"/home/user/mounted": "content"}) as devbox:
        assert devbox.file.read(file_path="mounted") == "content"
    own = {"launch_parameters": {"user_parameters": {"username": "user", "uid": 1000}}}
    with SDK.devbox.create(**own) as devbox:
        assert devbox.cmd.exec("id -un").stdout() == "user\n"
    failed = SDK.api.devboxes.create(launch_parameters={"launch_commands": ["echo why >&2; exit 3", "touch x"]})
    eventually(lambda: SDK.api.devboxes.retrieve(failed.id).status == "failure")
    raises(Exception, lambda: SDK.devbox.create(launch_parameters={"launch_commands": ["false"]}))


@check
def the_end_of_the_output():
    with SDK.devbox.create() as devbox:
        done = SDK.api.devboxes.execute(devbox.id, command="seq 5", command_id="c", last_n="2")
        assert (done.stdout, done.stdout_truncated) == ("4\n5\n", True), done


@check
def what_is_not_emulated_says_so():
    for parameters, what in [
        ({"user_parameters": {"username": "root", "uid": 0}}, "users other than user"),
        ({"architecture": "arm64"}, "architectures"),
        ({"network_policy_id": "np"}, "network policies"),
        ({"available_ports": [80]}, "ports"),
        ({"required_services": ["x"]}, "services"),
    ]:
        told = raises(APIStatusError, lambda: SDK.devbox.create(launch_parameters=parameters))
        assert told.status_code == 400 and what in str(told), told
    assert "blueprints: not emulated" in str(raises(APIStatusError, lambda: SDK.api.blueprints.retrieve("x")))
    assert "tunnels" in str(raises(APIStatusError, lambda: SDK.api.devboxes.create(tunnel={"auth_mode": "open"})))
    assert refused(lambda: SDK.devbox.create(entrypoint="sleep 1")) == 400
    assert refused(lambda: SDK.devbox.create(tunnel={"auth_mode": "open"})) == 400
    assert refused(lambda: SDK.devbox.create(blueprint_name="none")) == 404


main()
