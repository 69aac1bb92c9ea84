"""`sandshell mcp` with sandboxes that are kept on disk."""

import os
import subprocess

import pytest
from mcp_client import OVER, call, data, over_stdio

PROGRAM = os.environ["SANDSHELL"]


def program(home, *arguments):
    env = {"HOME": str(home)}
    done = subprocess.run([PROGRAM, *arguments], env=env, check=True, capture_output=True, text=True)
    return done.stdout


async def test_a_session_goes_on_in_a_sandbox(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    id = program(tmp_path, "create").strip()
    for number in range(2):
        async with over_stdio(project, "--sandbox-id", id) as client:
            assert "create_sandbox" not in {tool.name for tool in (await client.list_tools()).tools}
            assert await call(client, "execute", command="echo x >> f; wc -l < f") == (f"{number + 1}\n", False)
            # Nothing is mounted over the files that are kept.
            assert (await call(client, "diff"))[0] == "nothing is changed"
            name, failed = await call(client, "snapshot", name=f"s{number}")
            assert not failed and name.startswith("snapshot-")
    # The sandbox stays, and is nobody's now.
    assert program(tmp_path, "exec", "--sandbox-id", id, "cat f") == "x\nx\n"
    assert program(tmp_path, "create", "--snapshot", "s0").startswith("sandbox-")


@OVER
async def test_agents_keep_sandboxes(connect, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    async with connect(project, "--keep", "--data-dir", str(tmp_path / "data")) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"create_sandbox", "use_sandbox", "list_sandboxes", "fork_sandbox", "delete_sandbox"} <= tools.keys()
        for tool in tools.values():
            assert tool.output_schema["type"] == "object" and tool.input_schema["additionalProperties"] is False
        first = (await data(client, "create_sandbox", labels={"job": "1"}))["sandbox"]
        await call(client, "write_file", path="f", content="one\n")
        assert (await call(client, "snapshot", name="prepared"))[1] is False
        fork = (await data(client, "fork_sandbox"))["sandbox"]
        second = (await data(client, "create_sandbox", snapshot="prepared", ttl=60, hard_ttl=3600))["sandbox"]
        await call(client, "execute", command="echo two >> f")
        assert (await data(client, "use_sandbox", id=first)) == {"sandbox": first, "workdir": "/workspace"}
        assert (await call(client, "execute", command="cat f"))[0] == "one\n"
        listed = (await data(client, "list_sandboxes", labels={"job": "1"}))["sandboxes"]
        assert [(one["id"], one["state"], one["labels"]) for one in listed] == [(first, "running", {"job": "1"})]
        assert (await data(client, "pause_sandbox", id=fork))["sandbox"] == fork
        text = (await call(client, "list_sandboxes"))[0]
        assert f"{fork} paused\n" in text and f"{second} running\n" in text
        await call(client, "resume_sandbox", id=fork)
        await call(client, "set_sandbox_ttl", id=fork, seconds=1000)
        await call(client, "set_sandbox_ttl")
        assert (await call(client, "delete_sandbox", id=fork))[1] is False
        assert (await call(client, "delete_sandbox", id=fork))[1] is False
        text, failed = await call(client, "use_sandbox", id=fork)
        assert failed and "there is no sandbox" in text
        text, failed = await call(client, "create_sandbox", snapshot="nothing")
        assert failed and "there is no snapshot" in text
        # The one in use is still the same.
        assert (await call(client, "execute", command="cat f"))[0] == "one\n"


async def test_what_is_kept_is_stored_at_the_end(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    async with over_stdio(project, "--keep") as client:
        id = (await data(client, "create_sandbox"))["sandbox"]
        await call(client, "execute", command="(sleep 0.3; echo late > f; sleep 1000) & true")
        await call(client, "execute", command="sleep 0.6")
    assert program(tmp_path, "exec", "--sandbox-id", id, "cat f") == "late\n"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--sandbox", "e2b"], "local sandboxes only"),
        (["--sandbox-id", "sandbox-none"], "there is no sandbox"),
        (["--sandbox-snapshot-name", "x"], "--sandbox-snapshot-name"),
        (["--sandbox-id", "x", "--state", "y"], "--state"),
        (["--sandbox-id", "x", "--http=127.0.0.1:0"], "cannot be used with"),
    ],
)
def test_what_is_refused(arguments, why, tmp_path):
    command = [PROGRAM, "mcp", "--no-packs", *arguments]
    done = subprocess.run(command, env={"HOME": str(tmp_path)}, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2 and why in done.stderr, done.stderr
