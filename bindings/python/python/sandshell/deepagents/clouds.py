"""A provider class of deepagents-code for each cloud: ``dcode --sandbox sandshell-e2b``."""

from typing import ClassVar

from sandshell.deepagents._provider import SandshellProvider


class AgentCore(SandshellProvider):
    provider: ClassVar[str | None] = "agentcore"


class Daytona(SandshellProvider):
    provider: ClassVar[str | None] = "daytona"


class Deno(SandshellProvider):
    provider: ClassVar[str | None] = "deno"


class E2B(SandshellProvider):
    provider: ClassVar[str | None] = "e2b"


class LangSmith(SandshellProvider):
    provider: ClassVar[str | None] = "langsmith"


class Modal(SandshellProvider):
    provider: ClassVar[str | None] = "modal"


class Runloop(SandshellProvider):
    provider: ClassVar[str | None] = "runloop"


class Sandbox0(SandshellProvider):
    provider: ClassVar[str | None] = "sandbox0"


class Vercel(SandshellProvider):
    provider: ClassVar[str | None] = "vercel"
