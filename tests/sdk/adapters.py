"""Tests LangChain's adapters of sandboxes with the suite of `langchain-tests`.

A vendor's `adapter.py` creates the adapter and lists the tests that cannot pass, each with the reason. The suite
and the adapters run `python` in the sandbox, so `sandshell serve` needs the pack `python`.
"""

import sys

import pytest
from checks import end
from langchain_tests.integration_tests import SandboxIntegrationTests


# A behaviour of deepagents that langchain-tests 1.1.9 does not expect: from 0.7 on it overwrites existing files.
OVERWRITES = {"test_write_existing_file_fails": "deepagents writes over a file that is there"}

# Later versions return absolute paths too.
ABSOLUTE = OVERWRITES | dict.fromkeys(
    [
        "test_glob",
        "test_glob_basic_pattern",
        "test_glob_with_directories",
        "test_glob_hidden_files_explicitly",
        "test_glob_with_character_class",
        "test_glob_with_question_mark",
    ],
    "deepagents' glob answers absolute paths",
)


class Suite(SandboxIntegrationTests):
    """The suite for the adapter that `make` yields."""

    @pytest.fixture(scope="class")
    def sandbox(self):
        yield from self.make()

    def make(self):
        """Yields the adapter of a new sandbox, and ends the sandbox."""
        raise NotImplementedError


class Exceptions:
    """Tests in a module's `EXCEPTIONS` are expected to fail; if one passes, that is a failure."""

    def pytest_collection_modifyitems(self, items):
        for item in items:
            reason = getattr(item.module, "EXCEPTIONS", {}).get(item.name)
            if reason:
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def main(file):
    """Runs the suite of a module; the exit status says whether all passed."""
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "-c", "/dev/null", "-W", "ignore", "-o", "asyncio_mode=auto"]
    end(pytest.main([*options, "--rootdir", "/", "--tb", "short", "-rx", *sys.argv[1:], file], plugins=[Exceptions()]))
