"""LangChain's adapter of Vercel Sandbox, which uses the SDK of the first generation.

That SDK has a single address, which is the default of a parameter.
"""

import os

from adapters import ABSOLUTE, Suite, main
from langchain_vercel_sandbox import VercelSandbox
from vercel._internal.sandbox.core import SyncSandboxOpsClient
from vercel.sandbox import Sandbox

SyncSandboxOpsClient.__init__.__kwdefaults__["host"] = os.environ["VERCEL_SANDBOX_URL"].removesuffix("/api")


class TestAdapter(Suite):
    def make(self):
        with Sandbox.create(timeout=1_800_000) as sandbox:
            sandbox.wait_for_status("running")
            yield VercelSandbox(sandbox=sandbox)
            sandbox.stop()


CUTS = "the adapter cuts output at 100,000 bytes"
MISSING = "the adapter takes the service's 404 for a sandbox that is missing"
EXCEPTIONS = ABSOLUTE | {
    "test_read_binary_file_100_kib": CUTS,
    "test_aread_binary_file_100_kib": CUTS,
    "test_execute_large_stdout_payload": CUTS,
    "test_aexecute_large_stdout_payload": CUTS,
    "test_awrite_aread_large_text_payload": CUTS,
    "test_download_error_file_not_found": MISSING,
    "test_download_error_permission_denied": MISSING,
}

if __name__ == "__main__":
    main(__file__)
