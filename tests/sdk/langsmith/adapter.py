"""LangChain's adapter of LangSmith sandboxes, which is part of deepagents."""

from adapters import ABSOLUTE, Suite, main
from deepagents.backends.langsmith import LangSmithSandbox
from langsmith.sandbox import SandboxClient


class TestAdapter(Suite):
    def make(self):
        with SandboxClient().sandbox() as sandbox:
            yield LangSmithSandbox(sandbox=sandbox)


EXCEPTIONS = ABSOLUTE

if __name__ == "__main__":
    main(__file__)
