"""LangChain's adapter of E2B."""

from adapters import Suite, main
from e2b import Sandbox
from langchain_e2b import E2BSandbox


class TestAdapter(Suite):
    def make(self):
        sandbox = Sandbox.create(timeout=1800)
        yield E2BSandbox(sandbox=sandbox)
        sandbox.kill()


EXCEPTIONS = {}

if __name__ == "__main__":
    main(__file__)
