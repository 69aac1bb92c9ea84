"""pytest fixtures. ``sandbox`` is a new sandbox for each test.

Random numbers and the clock are the same in every run: the seed is 0, and time begins on 2000-01-01 and passes only
while all processes wait. The mark ``sandbox`` or an override of the fixture ``sandbox_options`` sets options of
``sandshell.Sandbox``; relative directories start at the directory of the test's file. Override the fixture
``sandbox_snapshot`` to start all sandboxes from a snapshot, and ``sandbox_provider`` to create them with another
provider, such as that of ``sandshell.replay``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    import sandshell


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "sandbox(**options): options of the fixture `sandbox`, as for sandshell.Sandbox"
    )


@pytest.fixture
def sandbox_options() -> dict[str, Any]:
    """Options of every sandbox; override it in a module or a conftest.py."""
    return {}


@pytest.fixture(scope="session")
def sandbox_snapshot() -> sandshell.Snapshot | None:
    """The snapshot from which every sandbox starts; override it."""
    return None


@pytest.fixture
def sandbox_provider() -> sandshell.Provider | None:
    """The provider of every sandbox; override it."""
    return None


@pytest.fixture
def sandbox(
    request: pytest.FixtureRequest,
    sandbox_options: dict[str, Any],
    sandbox_snapshot: sandshell.Snapshot | None,
    sandbox_provider: sandshell.Provider | None,
) -> Iterator[sandshell.Sandbox]:
    """A new sandbox that ends with the test."""
    import sandshell

    options = dict(sandbox_options)
    mark = request.node.get_closest_marker("sandbox")
    if mark is not None:
        options.update(mark.kwargs)
    if sandbox_provider is not None or options.get("provider", "local") != "local":
        provider = {} if sandbox_provider is None else {"provider": sandbox_provider}
        with sandshell.Sandbox(**options, **provider) as made:
            yield made
        return
    if sandbox_snapshot is not None:
        if options:
            raise pytest.UsageError("a snapshot brings its own options: give one or the other")
        with sandshell.Sandbox.from_snapshot(sandbox_snapshot) as made:
            yield made
        return
    options = {"seed": 0, "clock": "virtual", **options}
    options["mounts"] = {
        at: _beside(request, source) for at, source in (options.get("mounts") or {}).items()
    }
    with sandshell.Sandbox(**options) as made:
        yield made


def _beside(request: pytest.FixtureRequest, source: Any) -> Any:
    if source is None:
        return None
    if isinstance(source, (tuple, list)):
        return (_beside(request, source[0]), *source[1:])
    return os.path.join(request.path.parent, source)
