"""sandshell for LangChain Deep Agents: a sandbox backend, and a provider for its terminal agent.

>>> from deepagents import create_deep_agent  # doctest: +SKIP
>>> agent = create_deep_agent(model=..., backend=SandshellSandbox())  # doctest: +SKIP

Works with deepagents 0.6 to 0.7; where their contracts differ, the one of the installed version is met.
"""

from sandshell.deepagents._backend import SandshellSandbox

__all__ = ["SandshellProvider", "SandshellSandbox"]


def __getattr__(name: str) -> object:
    # The provider needs deepagents-code, which those who only want the backend need not have.
    if name == "SandshellProvider":
        from sandshell.deepagents._provider import SandshellProvider

        return SandshellProvider
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
