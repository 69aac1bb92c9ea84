"""dcode's own factory finds the provider by its entry point and drives it."""

import pytest
from deepagents_code.integrations import sandbox_factory
from deepagents_code.integrations.sandbox_provider import SandboxError, SandboxNotFoundError

from sandshell.deepagents import SandshellProvider, SandshellSandbox


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Hides the configuration of the machine's user."""
    monkeypatch.setenv("HOME", str(tmp_path))


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
    with pytest.raises(ValueError), sandbox_factory.create_sandbox("sandshell", snapshot_name="x"):
        pass
    provider = SandshellProvider()
    assert not provider.metadata.supports_sandbox_id
    with pytest.raises(SandboxNotFoundError):
        provider.get_or_create(sandbox_id="sandshell-0")
    for wrong in ({"clock": "noon"}, {"unknown": 1}, {"snapshot": "name"}):
        with pytest.raises(SandboxError):
            provider.get_or_create(**wrong)


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
