"""sandshell for LangChain Deep Agents: a sandbox backend, and a provider for its terminal agent.

>>> from deepagents import create_deep_agent  # doctest: +SKIP
>>> agent = create_deep_agent(model=..., backend=SandshellSandbox())  # doctest: +SKIP

Works with deepagents 0.6 to 0.7; where their contracts differ, the installed version decides.
"""

from sandshell.deepagents._backend import SandshellSandbox

__all__ = ["SandshellProvider", "SandshellSandbox"]


def __getattr__(name: str) -> object:
    # The provider needs deepagents-code, but the backend alone does not.
    if name == "SandshellProvider":
        from sandshell.deepagents._provider import SandshellProvider

        return SandshellProvider
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
