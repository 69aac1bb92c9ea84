"""Providers by name: the clouds against `sandshell serve`, a command, recordings."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import sandshell
from servers import CLOUDS, emulators

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module", autouse=True)
def configuration(tmp_path_factory):
    with emulators(tmp_path_factory.mktemp("emulators")) as file:
        yield file


def test_all_are_known(monkeypatch):
    known = {info.name: info for info in sandshell.providers()}
    assert set(known) == {*CLOUDS, "local"}
    assert all(info.missing is None and info.working_dir for info in known.values())
    assert "ephemeral" in known["local"].capabilities and "reattach" in known["e2b"].capabilities
    monkeypatch.delenv("E2B_API_KEY")
    info = {info.name: info for info in sandshell.providers()}["e2b"]
    # The capabilities are known without credentials.
    assert "E2B_API_KEY" in info.missing and info.capabilities == known["e2b"].capabilities
    assert sandshell.Provider.describe("e2b").working_dir == info.working_dir
    with pytest.raises(sandshell.SandboxError) as caught:
        sandshell.Provider("e2b")
    assert caught.value.kind == "unauthenticated" and "E2B_API_KEY" in str(caught.value)


@pytest.mark.parametrize("name", CLOUDS)
def test_a_cloud(name):
    with sandshell.Sandbox(provider=name, timeout=20) as box:
        box.write("dir/names.txt", "b\na\n")
        assert box.execute("sort dir/names.txt").stdout == "a\nb\n"
        assert box.edit("dir/names.txt", "a\n", "c\n").occurrences == 1
        assert box.read("dir/names.txt").text == "b\nc"
        assert [found.line for found in box.grep("c").matches] == [2]
        assert [found.path for found in box.glob("*.txt").matches] == [f"{box.workdir}/dir/names.txt"]
        assert [entry.path for entry in box.ls("dir")] == [f"{box.workdir}/dir/names.txt"]
        assert box.execute("exit 3").exit_code == 3
        content = bytes(range(256))
        assert [one.error for one in box.upload_files({"b": content})] == [None]
        assert box.download_files(["b"])[0].content == content
        box.delete("dir")
        with pytest.raises(sandshell.FileOperationError):
            box.read("dir/names.txt")
        with pytest.raises(sandshell.SandboxError) as caught:
            box.diff()
        assert caught.value.kind == "unsupported"
    box.close()


@pytest.mark.parametrize("name", CLOUDS)
def test_capabilities_are_true(name):
    provider = sandshell.Provider(name)
    with provider.create() as box:
        box.write("f", "kept")
        if "reattach" in provider.capabilities:
            with sandshell.Sandbox(provider=name, id=box.id) as again:
                assert again.read("f").text == "kept"
            # A sandbox that was found by its id does not end.
            assert box.read("f").text == "kept"
            with pytest.raises((ValueError, sandshell.SandboxError)):
                provider.create(id="sandshell-no-such-sandbox")
        if "list" in provider.capabilities:
            assert box.id in [info.id for info in provider.list()]
        for capability, use in (("snapshot", box.snapshot), ("fork", box.fork)):
            if capability in provider.capabilities:
                made = use()
                if capability == "fork":
                    made.write("f", "of the fork")
                    made.close()
                else:
                    with provider.create(snapshot=made.id) as other, sandshell.Sandbox.from_snapshot(made) as third:
                        assert other.read("f").text == third.read("f").text == "kept"
                    made.delete()
            else:
                with pytest.raises(sandshell.SandboxError) as caught:
                    use()
                assert caught.value.kind == "unsupported"
        assert box.read("f").text == "kept"


def test_a_sandbox_may_be_kept():
    provider = sandshell.Provider("e2b")
    with provider.create(labels={"team": "blue"}) as box:
        box.keep()
    assert [info.id for info in provider.list({"team": "blue"})] == [box.id]
    with provider.create(id=box.id) as again:
        assert again.execute("echo there").stdout == "there\n"
    provider.delete(box.id)
    provider.delete(box.id)
    assert list(provider.list({"team": "blue"})) == []


def test_event_loops():
    async def main():
        async with await sandshell.Sandbox.acreate(provider="vercel", files={"f": "x"}) as box:
            snapshot = await box.asnapshot()
            async with await sandshell.Sandbox.acreate(snapshot=snapshot) as other:
                return (await other.aread("f")).text, (await box.aexecute("cat f")).stdout

    assert asyncio.run(main()) == ("x", "x")


def test_the_guides_example():
    guide = (ROOT / "docs" / "python.md").read_text()
    (code,) = [code for code in re.findall(r"```python\n(.*?)```", guide, re.DOTALL) if "e2b" in code]
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "e2b can be used" in done.stdout


def test_a_configuration_declares_names(configuration):
    configuration.write_text('[sandboxes.providers.work]\nkind = "e2b"\nworking_dir = "/tmp/project"\n')
    try:
        assert "work" in {info.name for info in sandshell.providers()}
        with sandshell.Sandbox(provider="work") as box:
            assert box.execute("pwd").stdout == "/tmp/project\n"
        configuration.write_text('[sandboxes.providers.work]\nkind = "no-such-kind"\n')
        with pytest.raises(ValueError, match="no-such-kind"):
            sandshell.Provider("work")
    finally:
        configuration.unlink()


def test_a_command_is_a_provider():
    program = str(ROOT / "examples/command-provider/provider.py")
    params = {"command": [sys.executable, program], "url": os.environ["RUNLOOP_BASE_URL"], "key": os.environ["RUNLOOP_API_KEY"]}
    with sandshell.Sandbox(provider="command", params=params) as box:
        box.write("f", "b\na\n")
        assert box.execute(f"sort {box.workdir}/f").stdout == "a\nb\n"


@pytest.mark.parametrize(
    "options",
    [
        {"provider": "no-such-provider"},
        {"provider": "e2b", "params": {"no_such_param": 1}},
        {"provider": "e2b", "seed": 1},
        {"provider": "e2b", "mounts": {"/x": None}},
        {"provider": "e2b", "network": "some"},
        {"provider": "e2b", "cpus": float("nan")},
        {"provider": "e2b", "ttl": -1},
        {"provider": "e2b", "id": "x", "labels": {"a": "b"}},
        {"provider": "command"},
        {"params": {"a": "b"}},
        {"cpus": 2},
    ],
)
def test_impossible_options(options):
    with pytest.raises(ValueError):
        sandshell.Sandbox(**options)


def test_what_a_provider_lacks_is_refused():
    with pytest.raises(sandshell.SandboxError) as caught:
        sandshell.Sandbox(provider="agentcore", cpus=2)
    assert caught.value.kind == "unsupported"


def work(provider):
    with provider.create(files={"names": "b\na\n"}) as box:
        first = box.execute("sort names; echo $TOKEN", env={"TOKEN": "s3cr3t"})
        return first.stdout, box.execute("echo oops >&2; exit 3").exit_code, box.read("names").text


@pytest.mark.parametrize("name", ["local", "e2b"])
def test_recordings(name, tmp_path):
    cassette = tmp_path / "cassette.jsonl"
    recorded = work(sandshell.record(name, cassette, secrets=["s3cr3t"]))
    assert recorded == ("a\nb\ns3cr3t\n", 3, "b\na")
    text = cassette.read_text()
    assert "s3cr3t" not in text
    replayed = work(sandshell.replay(cassette, in_order=True, secrets=["s3cr3t"]))
    assert replayed == ("a\nb\n[REDACTED]\n", 3, "b\na")
    with sandshell.replay(cassette).create() as box, pytest.raises(ValueError, match="rm -rf"):
        box.execute("rm -rf /")
    with pytest.raises(ValueError):
        sandshell.replay(tmp_path / "nothing")
    with pytest.raises(ValueError):
        sandshell.record("local", cassette, patterns=["("])
    # Recording the same calls again must not change the file.
    work(sandshell.record(name, cassette, secrets=["s3cr3t"]))
    if name == "local":
        assert cassette.read_text() == text


def test_a_local_provider_with_options():
    provider = sandshell.Provider("local", seed=7, clock="virtual:2026-01-01T00:00:00Z")
    with provider.create(env={"A": "1"}) as one, provider.create() as two:
        assert one.execute("echo $RANDOM").stdout == two.execute("echo $RANDOM").stdout
        assert one.execute("date +%Y; echo $A").stdout == "2026\n1\n"
        one.write("f", "x")
        assert one.diff() == ""
