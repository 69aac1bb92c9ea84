"""dcode's own factory with the clouds, each against its emulator."""

from importlib.metadata import entry_points

import pytest
import sandshell
from deepagents_code.integrations import sandbox_factory
from deepagents_code.integrations.sandbox_provider import SandboxError, SandboxNotFoundError
from servers import CLOUDS, emulators

from sandshell.deepagents import SandshellProvider, clouds

create_sandbox = sandbox_factory.create_sandbox


@pytest.fixture(scope="module", autouse=True)
def emulated(tmp_path_factory):
    with emulators(tmp_path_factory.mktemp("emulators")):
        yield


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Hides the configuration of the machine's user."""
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.parametrize("name", CLOUDS)
def test_the_factory_drives_a_cloud(name):
    provider = f"sandshell-{name}"
    sandbox_factory.verify_sandbox_deps(provider)
    with create_sandbox(provider) as backend:
        assert backend.execute("pwd").output.strip() == sandbox_factory.get_default_working_dir(provider)
        assert backend.write("/tmp/f.txt", "text\n").error is None
        assert backend.read("/tmp/f.txt").file_data["content"].strip() == "text"
        ended = backend.id
    if "reattach" in sandshell.Provider(name).capabilities:
        with pytest.raises((SandboxError, SandboxNotFoundError)), create_sandbox(provider, sandbox_id=ended):
            pass


def metadata():
    """That of each class that the package offers to deepagents-code."""
    offered = entry_points(group="deepagents_code.sandbox_providers", module="sandshell.deepagents.clouds")
    return {kind.provider: kind().metadata for kind in (entry.load() for entry in offered)}


def test_a_class_is_found_by_the_name_of_its_cloud():
    assert clouds.E2B is clouds.e2b
    assert issubclass(clouds.E2B, SandshellProvider)
    for name in ("local", "Nobody", "__wrapped__"):
        assert not hasattr(clouds, name)


def test_metadata_needs_no_credentials_and_is_true(monkeypatch):
    there = metadata()
    assert set(there) == set(CLOUDS)
    for name, told in there.items():
        can = sandshell.Provider(name).capabilities
        assert told.name == f"sandshell-{name}"
        assert told.supports_sandbox_id == ("reattach" in can)
        assert told.supports_snapshot_name == ("snapshot" in can)
    for variable in ("E2B_API_KEY", "VERCEL_TOKEN", "AWS_ACCESS_KEY_ID", "MODAL_TOKEN_ID", "DAYTONA_API_KEY"):
        monkeypatch.delenv(variable)
    assert metadata() == there


def test_a_sandbox_that_is_there():
    with sandshell.Sandbox(provider="e2b", files={"/tmp/f": "kept"}) as box:
        with create_sandbox("sandshell-e2b", sandbox_id=box.id) as backend:
            assert backend.execute("cat /tmp/f").output == "kept"
        # The factory ends only sandboxes that it created.
        assert box.execute("cat /tmp/f").output == "kept"


def test_a_snapshot_by_its_name():
    with sandshell.Sandbox(provider="e2b", files={"/tmp/f": "kept"}) as box:
        snapshot = box.snapshot()
    with create_sandbox("sandshell-e2b", snapshot_name=snapshot.id) as backend:
        assert backend.execute("cat /tmp/f").output == "kept"


def test_a_variable_chooses(monkeypatch):
    monkeypatch.setenv("SANDSHELL_SANDBOX", "daytona")
    assert SandshellProvider().metadata.supports_sandbox_id
    with create_sandbox("sandshell") as backend:
        assert backend.sandbox.workdir == sandshell.Provider("daytona").working_dir
        with create_sandbox("sandshell", sandbox_id=backend.id) as again:
            assert again.id == backend.id


def test_a_parameter_chooses(monkeypatch):
    monkeypatch.delenv("E2B_API_KEY")
    with pytest.raises(SandboxError, match="E2B_API_KEY"), create_sandbox("sandshell", params={"provider": "e2b"}):
        pass
    params = {"provider": "e2b", "params": {"api_key": "e2b_" + "0" * 40}, "labels": {"a": "b"}, "timeout": 5}
    with create_sandbox("sandshell", params=params) as backend:
        assert backend.execute("echo hi").output == "hi\n"


def test_a_configuration_of_the_users(tmp_path, monkeypatch):
    # The path is computed when the package is imported.
    config = tmp_path / "config.toml"
    monkeypatch.setattr("deepagents_code.integrations.sandbox_config.DEFAULT_CONFIG_PATH", config)
    config.write_text(
        """
[sandboxes.providers.mine]
class_path = "sandshell.deepagents:SandshellProvider"
working_dir = "/home/user"
supports_sandbox_id = true
[sandboxes.providers.mine.params]
provider = "e2b"
timeout = 60
"""
    )
    with create_sandbox("mine") as backend:
        assert backend.execute("echo hi").output == "hi\n"
