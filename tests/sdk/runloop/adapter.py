"""LangChain's adapter of Runloop."""

from adapters import ABSOLUTE, Suite, main
from langchain_runloop import RunloopSandbox
from runloop_api_client import RunloopSDK


class TestAdapter(Suite):
    def make(self):
        devbox = RunloopSDK().devbox.create()
        yield RunloopSandbox(devbox=devbox)
        devbox.shutdown()


EXCEPTIONS = ABSOLUTE

if __name__ == "__main__":
    main(__file__)
