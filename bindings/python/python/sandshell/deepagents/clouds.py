"""The clouds for deepagents-code, each by a name of its own: ``dcode --sandbox sandshell-e2b``."""

from sandshell.deepagents._provider import SandshellProvider


class AgentCore(SandshellProvider):
    provider = "agentcore"


class Daytona(SandshellProvider):
    provider = "daytona"


class Deno(SandshellProvider):
    provider = "deno"


class E2B(SandshellProvider):
    provider = "e2b"


class LangSmith(SandshellProvider):
    provider = "langsmith"


class Modal(SandshellProvider):
    provider = "modal"


class Runloop(SandshellProvider):
    provider = "runloop"


class Sandbox0(SandshellProvider):
    provider = "sandbox0"


class Vercel(SandshellProvider):
    provider = "vercel"
