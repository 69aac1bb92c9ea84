"""LangChain's adapter of Runloop."""

from adapters import ABSOLUTE, Suite, main
from langchain_runloop import RunloopSandbox
from runloop_api_client import RunloopSDK


class TestAdapter(Suite):
    def make(self):
        devbox = RunloopSDK().devbox.create()
        yield RunloopSandbox(devbox=devbox)
        devbox.shutdown()


EXCEPTIONS = ABSOLUTE | dict.fromkeys(
    [
        "test_download_error_file_not_found",
        "test_download_error_is_directory",
        "test_download_error_permission_denied",
        "test_download_error_invalid_path_relative",
        "test_upload_relative_path_returns_invalid_path",
    ],
    "the adapter answers no errors of files: it raises the SDK's, and takes relative paths",
)

if __name__ == "__main__":
    main(__file__)
