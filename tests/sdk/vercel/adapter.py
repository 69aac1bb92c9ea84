"""LangChain's adapter of Vercel Sandbox, which uses the SDK of the first generation.

That SDK knows one address, which is the default of a parameter.
"""

import os

from adapters import ABSOLUTE, Suite, main
from langchain_vercel_sandbox import VercelSandbox
from vercel._internal.sandbox.core import SyncSandboxOpsClient
from vercel.sandbox import Sandbox

SyncSandboxOpsClient.__init__.__kwdefaults__["host"] = os.environ["VERCEL_SANDBOX_URL"].removesuffix("/api")


class TestAdapter(Suite):
    def make(self):
        with Sandbox.create(timeout=300_000) as sandbox:
            sandbox.wait_for_status("running")
            yield VercelSandbox(sandbox=sandbox)
            sandbox.stop()


EXCEPTIONS = ABSOLUTE

if __name__ == "__main__":
    main(__file__)
