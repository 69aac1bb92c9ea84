"""LangChain's adapter of Modal."""

import modal
from adapters import ABSOLUTE, Suite, main
from langchain_modal import ModalSandbox


class TestAdapter(Suite):
    def make(self):
        app = modal.App.lookup("adapter", create_if_missing=True)
        sandbox = modal.Sandbox.create(app=app, timeout=1800)
        yield ModalSandbox(sandbox=sandbox)
        sandbox.terminate()


EXCEPTIONS = ABSOLUTE

if __name__ == "__main__":
    main(__file__)
