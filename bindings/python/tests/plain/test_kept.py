"""Local sandboxes that are kept on disk."""

import asyncio
import os
import subprocess
import sys
import time

import pytest
import sandshell


@pytest.fixture
def data_dir(tmp_path):
    return tmp_path / "data"


def kept(data_dir, **options):
    """The id of a sandbox that nothing in this process uses."""
    with sandshell.Sandbox(data_dir=data_dir, **options) as box:
        box.keep()
        return box.id


def elsewhere(code, *arguments):
    """What another process says."""
    program = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_done_is_there_in_another_process(data_dir):
    id = kept(data_dir, env={"WHO": "me"}, files={"f": "text"}, labels={"thread_id": "7"})
    code = """
import sys, sandshell
with sandshell.Sandbox(id=sys.argv[1], data_dir=sys.argv[2]) as box:
    print(box.execute("echo $WHO >> f; cat f").stdout)
"""
    assert elsewhere(code, id, data_dir) == "textme\n\n"
    provider = sandshell.Provider("local", data_dir=data_dir)
    assert [(info.id, info.labels) for info in provider.list({"thread_id": "7"})] == [(id, {"thread_id": "7"})]
    assert list(provider.list({"thread_id": "8"})) == []
    with provider.create(id=id) as box:
        assert box.read("f").text == "textme"
    provider.delete(id)
    provider.delete(id)
    assert list(provider.list()) == []
    with pytest.raises(sandshell.SandboxError) as caught:
        provider.create(id=id)
    assert caught.value.kind == "not_found"


def test_it_ends_unless_it_is_kept(data_dir):
    with sandshell.Sandbox(data_dir=data_dir):
        pass
    assert list(sandshell.Provider("local", data_dir=data_dir).list()) == []


def test_it_belongs_to_one_process_at_a_time(data_dir):
    id = kept(data_dir)
    code = """
import sys, sandshell
try:
    sandshell.Sandbox(id=sys.argv[1], data_dir=sys.argv[2]).execute("echo there >> f")
    print("done")
except sandshell.SandboxError as error:
    print(error.kind, error)
"""
    with sandshell.Sandbox(id=id, data_dir=data_dir) as box:
        assert f"conflict the sandbox {id} is in use by process {os.getpid()}" in elsewhere(code, id, data_dir)
        box.write("f", "here\n")
    assert elsewhere(code, id, data_dir) == "done\n"
    # It is woken, with what the other process did.
    assert box.execute("cat f").stdout == "here\nthere\n"
    box.close()
    assert elsewhere(code, id, data_dir) == "done\n"


def test_a_provider_gives_it_to_several(data_dir):
    provider = sandshell.Provider("local", data_dir=data_dir)
    id = kept(data_dir)
    first, second = provider.create(id=id), provider.create(id=id)
    assert first.id == second.id == id
    sleeping = "ps -e | grep -c '[s]leep'"
    # A process has its program's name once it executes that.
    first.execute("sleep 1000 & until ps -e | grep -q '[s]leep'; do :; done")
    second.close()
    assert first.execute(sleeping).stdout == "1\n"
    first.close()
    assert first.execute(sleeping).stdout == "0\n"


def test_snapshots_forks_and_states(data_dir):
    provider = sandshell.Provider("local", data_dir=data_dir)
    id = kept(data_dir, files={"f": "one"})
    with provider.create(id=id) as box:
        snapshot = box.snapshot("prepared")
        box.write("f", "two")
        box.restore(snapshot)
        assert box.read("f").text == "one"
        box.write("f", "three")
        box.restore("prepared")
        assert box.read("f").text == "one"
        fork = box.fork()
        fork.write("f", "of the fork")
        fork.close()
        box.restore(1)
        assert box.ls() == []
    with provider.create(snapshot="prepared") as other, sandshell.Sandbox.from_snapshot(snapshot) as third:
        assert other.read("f").text == third.read("f").text == "one"
    provider.restore(id, "prepared")
    copy = provider.fork(id)
    with sandshell.Sandbox(id=copy, data_dir=data_dir) as box:
        assert box.read("f").text == "one"
    assert sorted(info.id for info in provider.list()) == sorted([id, copy])
    with pytest.raises(sandshell.SandboxError) as caught:
        provider.snapshot(id, "prepared")
    assert caught.value.kind == "conflict"
    provider.delete_snapshot("prepared")
    with pytest.raises(sandshell.SandboxError) as caught:
        provider.create(snapshot="prepared")
    assert caught.value.kind == "not_found"
    with pytest.raises(TypeError):
        box.restore(1.5)


def test_pausing_and_time_limits(data_dir):
    provider = sandshell.Provider("local", data_dir=data_dir)
    id = kept(data_dir, hard_ttl=3600)

    def state():
        (info,) = provider.list()
        return info.state

    provider.pause(id)
    assert state() == "paused"
    provider.resume(id)
    assert state() == "running"
    with provider.create(id=id) as box:
        box.pause()
        assert state() == "paused"
        assert box.execute("echo woken").stdout == "woken\n"
        box.pause()
        box.resume()
        box.set_ttl(0.05)
        box.execute("sleep 0.1")
    assert state() == "paused"
    provider.set_ttl(id, None)
    assert state() == "running"
    with pytest.raises(ValueError, match="ttl"):
        provider.set_ttl(id, -1)
    gone = kept(data_dir, hard_ttl=0.5)
    time.sleep(0.6)
    assert gone not in [info.id for info in provider.list()]


def test_export_and_import(data_dir, tmp_path):
    provider = sandshell.Provider("local", data_dir=data_dir)
    id = kept(data_dir, files={"f": "one"})
    archive = tmp_path / "box.tar"
    with provider.create(id=id) as box:
        box.execute("truncate -s 1G hole; ln f g")
        provider.export(id, archive)
    listed = subprocess.run(["tar", "-tf", archive], check=True, capture_output=True, text=True).stdout
    assert {"workspace/f", "workspace/g", "workspace/hole"} <= set(listed.split())
    copy = provider.import_(archive, {"copy": "yes"})
    assert [info.id for info in provider.list({"copy": "yes"})] == [copy]
    with provider.create(id=copy) as box:
        assert box.execute("stat -c '%s %b %h' hole f").stdout == "1073741824 0 1\n3 8 2\n"
    provider.export(id, archive, state=2)
    assert "hole" not in subprocess.run(["tar", "-tf", archive], check=True, capture_output=True, text=True).stdout
    (tmp_path / "wrong").write_bytes(b"no archive" * 100)
    for file, kind in ((tmp_path / "none", "not_found"), (tmp_path / "wrong", "invalid_request")):
        with pytest.raises((ValueError, sandshell.SandboxError)) as caught:
            provider.import_(file)
        assert getattr(caught.value, "kind", "invalid_request") == kind
    assert len(list(provider.list())) == 2
    with pytest.raises(sandshell.SandboxError) as caught:
        sandshell.Provider("local").export(id, archive)
    assert caught.value.kind == "unsupported"


def test_event_loops(data_dir, tmp_path):
    async def main():
        provider = sandshell.Provider("local", data_dir=data_dir)
        async with await sandshell.Sandbox.acreate(data_dir=data_dir, labels={"a": "b"}) as box:
            box.keep()
            await box.awrite("f", "x")
            snapshot = await box.asnapshot("named")
            await box.awrite("f", "y")
            await box.arestore("named")
            await box.apause()
            await box.aresume()
            await box.aset_ttl(60)
        await provider.apause(box.id)
        await provider.aresume(box.id)
        await provider.aset_ttl(box.id, None)
        await provider.arestore(box.id, snapshot.id)
        await provider.aexport(box.id, tmp_path / "a.tar")
        copy = await provider.aimport_(tmp_path / "a.tar")
        fork = await provider.afork(box.id)
        found = []
        for id in (copy, fork):
            async with await provider.acreate(id=id) as other:
                found.append((await other.aread("f")).text)
        return found

    assert asyncio.run(main()) == ["x", "x"]


def test_the_directory_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("SANDSHELL_DATA_DIR", raising=False)
    assert sandshell.data_dir() == str(tmp_path / "sandshell" / "sandboxes")
    monkeypatch.setenv("SANDSHELL_DATA_DIR", str(tmp_path / "there"))
    with sandshell.Sandbox(labels={"a": "b"}) as box:
        box.keep()
    listed = subprocess.run([os.environ["SANDSHELL"], "list"], check=True, capture_output=True, text=True).stdout
    assert box.id in listed and "a=b" in listed
    # Without any of these options nothing is stored.
    with sandshell.Sandbox() as box:
        box.keep()
    assert len(list(sandshell.Provider("local", data_dir=sandshell.data_dir()).list())) == 1
    for options, kind in (({"id": "x"}, "not_found"), ({"snapshot": "x"}, "not_found"), ({"labels": {}, "cpus": 2}, "unsupported")):
        with pytest.raises(sandshell.SandboxError) as caught:
            sandshell.Sandbox(**options)
        assert caught.value.kind == kind
    with pytest.raises(ValueError, match="excludes"):
        sandshell.Sandbox(id=box.id, labels={"a": "b"})
