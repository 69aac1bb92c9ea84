"""A provider class of deepagents-code for each cloud: ``dcode --sandbox sandshell-e2b``.

A class has the cloud's name, in any case: ``clouds.E2B`` and ``clouds.e2b`` are the same.
"""

from functools import cache

from sandshell import providers
from sandshell.deepagents._provider import SandshellProvider


def __getattr__(name: str) -> type[SandshellProvider]:
    cloud = name.lower()
    if name.startswith("_") or cloud == "local" or not any(known.name == cloud for known in providers()):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _of(cloud)


@cache
def _of(cloud: str) -> type[SandshellProvider]:
    return type(cloud, (SandshellProvider,), {"__module__": __name__, "provider": cloud})
