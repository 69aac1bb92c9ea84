"""Sandbox0's own adapter for LangChain, which is in its SDK's wheel.

The package `sandbox0_deepagents` imports its provider, which needs deepagents-code; so this imports only the module
with the adapter.
"""

import importlib.util
import os
import pathlib

import sandbox0
from adapters import OVERWRITES, Suite, main
from sandbox0 import Client

PLACE = pathlib.Path(sandbox0.__file__).parent.parent / "sandbox0_deepagents" / "backend.py"
SPEC = importlib.util.spec_from_file_location("sandbox0_deepagents_backend", PLACE)
BACKEND = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(BACKEND)


class TestAdapter(Suite):
    def make(self):
        client = Client(token=os.environ["SANDBOX0_TOKEN"], base_url=os.environ["SANDBOX0_BASE_URL"], timeout=60)
        sandbox = client.claim_sandbox("default")
        yield BACKEND.Sandbox0DeepAgentsSandbox(sandbox=sandbox)
        client.delete_sandbox(sandbox.id)


EXCEPTIONS = OVERWRITES

if __name__ == "__main__":
    main(__file__)
