"""dcode's own factory finds the provider by its entry point and drives it."""

import pytest
import sandshell
from deepagents_code.integrations import sandbox_factory
from deepagents_code.integrations.sandbox_provider import SandboxError, SandboxNotFoundError

from sandshell.deepagents import SandshellProvider, SandshellSandbox


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Hides the configuration of the machine's user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)


def test_the_entry_point_is_found():
    assert sandbox_factory.get_default_working_dir("sandshell") == "/workspace"
    sandbox_factory.verify_sandbox_deps("sandshell")


def test_a_sandbox_lives_as_long_as_the_context(tmp_path):
    script = tmp_path / "setup.sh"
    script.write_text("set -e\nmkdir -p /workspace/made\ncat > /workspace/made/f <<'EOF'\nready\nEOF\n")
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "g").write_text("from the host")
    params = {"mounts": {"/data": [str(tmp_path / "host"), "ro"]}, "env": {"A": "1"}}
    with sandbox_factory.create_sandbox("sandshell", setup_script_path=str(script), params=params) as backend:
        assert isinstance(backend, SandshellSandbox)
        assert backend.execute("cat made/f /data/g; echo $A").output == "ready\nfrom the host1\n"
    assert backend.execute("true").exit_code == 1


def test_what_it_cannot_do_is_refused():
    provider = SandshellProvider()
    for wrong in ({"sandbox_id": "sandbox-0"}, {"snapshot": "no such snapshot"}):
        with pytest.raises(SandboxNotFoundError):
            provider.get_or_create(**wrong)
    for wrong in ({"clock": "noon"}, {"unknown": 1}):
        with pytest.raises(SandboxError):
            provider.get_or_create(**wrong)


def test_a_sandbox_that_is_kept(tmp_path):
    # What `dcode --sandbox sandshell --sandbox-id ID` does.
    with sandshell.Sandbox(labels={"thread_id": "1"}, files={"f": "one\n"}) as box:
        box.keep()
        snapshot = box.snapshot("prepared")
    with sandbox_factory.create_sandbox("sandshell", sandbox_id=box.id) as backend:
        assert backend.id == box.id
        assert backend.execute("cat f; echo two >> f").output == "one\n"
    # It is another one's when nothing refers to it.
    del backend
    with sandbox_factory.create_sandbox("sandshell", sandbox_id=box.id, params={"timeout": 5}) as backend:
        assert backend.execute("cat f").output == "one\ntwo\n"
    del backend
    with sandbox_factory.create_sandbox("sandshell", snapshot_name="prepared") as backend:
        assert backend.execute("cat f").output == "one\n"
        ended = backend.id
    provider = SandshellProvider()
    listed = sandshell.Provider("local", data_dir=sandshell.data_dir())
    assert [info.id for info in listed.list()] == [box.id] and ended != box.id
    made = provider.get_or_create(labels={"thread_id": "2"}, data_dir=tmp_path / "elsewhere")
    there = sandshell.Provider("local", data_dir=tmp_path / "elsewhere")
    assert [info.id for info in there.list({"thread_id": "2"})] == [made.id]
    provider.delete(sandbox_id=made.id)
    assert list(there.list()) == []
    provider.delete(sandbox_id=box.id)
    provider.delete(sandbox_id=box.id)
    assert list(listed.list()) == []
    listed.delete_snapshot(snapshot.id)


def test_a_provider_keeps_its_sandboxes():
    provider = SandshellProvider()
    backend = provider.get_or_create()
    backend.write("/workspace/f", "kept")
    assert provider.get_or_create(sandbox_id=backend.id) is backend
    copy = provider.get_or_create(snapshot=backend.sandbox.snapshot())
    assert copy.read("/workspace/f").file_data["content"] == "kept"
    provider.delete(sandbox_id=backend.id)
    provider.delete(sandbox_id=backend.id)
    provider.delete(sandbox_id=copy.id)
    with pytest.raises(SandboxNotFoundError):
        provider.get_or_create(sandbox_id=backend.id)
