"""The official Python SDK of Sandbox0, which reads no variables itself."""

import os

from checks import check, eventually, main, raises
from sandbox0 import APIError, Client, CmdOptions
from sandbox0.apispec.api.sandbox_rootfs import post_api_v1_sandboxes_id_fork
from sandbox0.apispec.models.fork_sandbox_config import ForkSandboxConfig
from sandbox0.apispec.models.fork_sandbox_request import ForkSandboxRequest
from sandbox0.apispec.models.sandbox_config import SandboxConfig
from sandbox0.apispec.models.webhook_config import WebhookConfig

CLIENT = Client(token=os.environ["SANDBOX0_TOKEN"], base_url=os.environ["SANDBOX0_BASE_URL"], timeout=30)


def refused(call):
    """The status with which `call` is refused."""
    return raises(APIError, call).status_code


@check
def commands():
    sandbox = CLIENT.claim_sandbox("default")
    assert sandbox.status == "running"
    options = CmdOptions(command=["bash", "-c", "echo out; echo err >&2; echo $A; pwd; exit 3"], env_vars={"A": "1 2"})
    done = sandbox.cmd("x", options)
    assert (done.stdout, done.stderr, done.exit_code) == ("out\n1 2\n/workspace\n", "err\n", 3)
    assert sorted(done.output_raw.split()) == ["/workspace", "1", "2", "err", "out"]
    # A program and its arguments, not a shell command line.
    assert sandbox.cmd("echo '$A;' b", CmdOptions(cwd="/tmp")).stdout == "$A; b\n"
    late = sandbox.cmd("sleep 20", CmdOptions(ttl_sec=1))
    assert (late.exit_code, late.state) == (137, "killed")
    CLIENT.delete_sandbox(sandbox.id)


@check
def contexts():
    sandbox = CLIENT.claim_sandbox("default")
    begun = sandbox.cmd("cat", CmdOptions(wait=False))
    assert [context.id for context in sandbox.list_contexts()] == [begun.context_id]
    assert sandbox.get_context(begun.context_id).running
    sandbox.delete_context(begun.context_id)
    assert sandbox.list_contexts() == []
    CLIENT.delete_sandbox(sandbox.id)


@check
def streams():
    sandbox = CLIENT.claim_sandbox("default")
    # As in the vendor's quickstart.
    options = CmdOptions(command=["sh", "-c", "echo hello && echo warn >&2"])
    stream = sandbox.cmd_stream("sh -c 'echo hello && echo warn >&2'", options)
    seen = sorted((output.source, output.data) for output in stream.iter_outputs())
    assert seen == [("stderr", "warn\n"), ("stdout", "hello\n")], seen
    assert (stream.wait().exit_code, stream.wait().state) == (0, "stopped")
    stream = sandbox.cmd_stream("bash", CmdOptions(command=["bash", "-c", "read a; echo got $a; exit 4"]))
    stream.send_input("ü\n")
    assert [output.data for output in stream.iter_outputs()] == ["got ü\n"]
    assert stream.wait().exit_code == 4
    stream = sandbox.cmd_stream("sleep 30")
    stream.send_signal("SIGKILL")
    assert (stream.wait().exit_code, stream.wait().state) == (137, "killed")
    CLIENT.delete_sandbox(sandbox.id)


@check
def files():
    sandbox = CLIENT.claim_sandbox("default")
    content = bytes(range(256)) * 40
    sandbox.write_file("/workspace/deep/a b.bin", content)
    assert sandbox.read_file("/workspace/deep/a b.bin") == content
    info = sandbox.stat_file("/workspace/deep/a b.bin")
    assert (info.name, info.size, info.type_) == ("a b.bin", len(content), "file")
    sandbox.mkdir("/workspace/one/two", recursive=True)
    assert [entry.name for entry in sandbox.list_files("/workspace")] == ["deep", "one"]
    sandbox.move_file("/workspace/deep/a b.bin", "/workspace/one/c")
    sandbox.delete_file("/workspace/deep")
    assert [entry.name for entry in sandbox.list_files("/workspace/one")] == ["c", "two"]
    assert refused(lambda: sandbox.read_file("/nope")) == 404
    assert refused(lambda: sandbox.stat_file("/nope")) == 404
    CLIENT.delete_sandbox(sandbox.id)


@check
def lifecycle():
    sandbox = CLIENT.claim_sandbox("default")
    sandbox.write_file("/workspace/kept", b"kept")
    CLIENT.pause_sandbox(sandbox.id)
    assert CLIENT.get_sandbox(sandbox.id).status == "paused"
    CLIENT.resume_sandbox(sandbox.id)
    assert CLIENT.status_sandbox(sandbox.id).status == "running"
    assert CLIENT.get_sandbox(sandbox.id).runtime_generation == 2
    CLIENT.pause_sandbox(sandbox.id)
    # The sandbox resumes by itself.
    assert sandbox.read_file("/workspace/kept") == b"kept"
    assert sandbox.id in [listed.id for listed in CLIENT.list_sandboxes(status="running")]
    CLIENT.refresh_sandbox(sandbox.id)
    CLIENT.delete_sandbox(sandbox.id)
    assert refused(lambda: CLIENT.delete_sandbox(sandbox.id)) == 404
    assert refused(lambda: CLIENT.get_sandbox(sandbox.id)) == 404


@check
def forks():
    sandbox = CLIENT.claim_sandbox("default", SandboxConfig(hard_ttl=600))
    sandbox.write_file("/workspace/kept", b"kept")
    fork = lambda **asked: post_api_v1_sandboxes_id_fork.sync_detailed(
        id=sandbox.id, client=CLIENT.api, body=ForkSandboxRequest(**asked)
    )
    assert fork(memory=True).status_code == 400
    child = fork(config=ForkSandboxConfig(hard_ttl=1200)).parsed.data.sandbox
    assert (child.status, child.runtime_id) == ("paused", ""), child
    assert child.hard_expires_at > CLIENT.get_sandbox(sandbox.id).hard_expires_at
    assert CLIENT.sandbox(child.id).read_file("/workspace/kept") == b"kept"
    for id in (sandbox.id, child.id):
        CLIENT.delete_sandbox(id)


@check
def time_to_live():
    sandbox = CLIENT.claim_sandbox("default", SandboxConfig(ttl=1))
    eventually(lambda: CLIENT.get_sandbox(sandbox.id).status == "paused")
    CLIENT.delete_sandbox(sandbox.id)
    sandbox = CLIENT.claim_sandbox("default", SandboxConfig(hard_ttl=1))
    listed = lambda: [listed.id for listed in CLIENT.list_sandboxes()]
    eventually(lambda: sandbox.id not in listed())


@check
def what_is_not_emulated_says_so():
    sandbox = CLIENT.claim_sandbox("default")
    # Without the pack there is no Python, and other interpreters never exist.
    for language in ("python", "node"):
        assert refused(lambda: sandbox.run(language, "1")) == 400
    # A pause that keeps the memory is not emulated.
    assert refused(lambda: CLIENT.pause_sandbox(sandbox.id, memory=True)) == 400
    assert CLIENT.get_sandbox(sandbox.id).status == "running"
    webhook = SandboxConfig(webhook=WebhookConfig(url="http://localhost"))
    assert refused(lambda: CLIENT.claim_sandbox("default", webhook)) == 400
    CLIENT.delete_sandbox(sandbox.id)


main()
