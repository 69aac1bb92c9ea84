"""LangChain's own tests of sandboxes, against the deepagents that is installed.

The suite is older than the contract of deepagents 0.7. Tests that contradict it are marked with the sentence of the
contract.
"""

import os

import pytest
from langchain_tests.integration_tests import SandboxIntegrationTests

from sandshell.deepagents import SandshellSandbox, _contract

OVERWRITES = "since 0.7 the contract of `write` is to create or overwrite"
ABSOLUTE = "the contract of `glob` is to answer absolute paths"
FILES = "the contract of `glob` is to answer regular files only"


class _Suite(SandboxIntegrationTests):
    @pytest.fixture(scope="class")
    def sandbox(self):
        packs = os.environ.get("SANDSHELL_TEST_PACKS")
        with SandshellSandbox(packs=packs.split(os.pathsep) if packs else None) as backend:
            yield backend


if _contract.GLOB_IS_PRECISE:

    class TestStandard(_Suite):
        @pytest.mark.xfail(reason=OVERWRITES, strict=True)
        def test_write_existing_file_fails(self, sandbox_backend, sandbox_test_root):
            super().test_write_existing_file_fails(sandbox_backend, sandbox_test_root)

        @pytest.mark.xfail(reason=ABSOLUTE, strict=True)
        def test_glob(self, sandbox_backend, sandbox_test_root):
            super().test_glob(sandbox_backend, sandbox_test_root)

        @pytest.mark.xfail(reason=ABSOLUTE, strict=True)
        def test_glob_basic_pattern(self, sandbox_backend, sandbox_test_root):
            super().test_glob_basic_pattern(sandbox_backend, sandbox_test_root)

        @pytest.mark.xfail(reason=ABSOLUTE, strict=True)
        def test_glob_hidden_files_explicitly(self, sandbox_backend, sandbox_test_root):
            super().test_glob_hidden_files_explicitly(sandbox_backend, sandbox_test_root)

        @pytest.mark.xfail(reason=ABSOLUTE, strict=True)
        def test_glob_with_character_class(self, sandbox_backend, sandbox_test_root):
            super().test_glob_with_character_class(sandbox_backend, sandbox_test_root)

        @pytest.mark.xfail(reason=ABSOLUTE, strict=True)
        def test_glob_with_question_mark(self, sandbox_backend, sandbox_test_root):
            super().test_glob_with_question_mark(sandbox_backend, sandbox_test_root)

        @pytest.mark.xfail(reason=FILES, strict=True)
        def test_glob_with_directories(self, sandbox_backend, sandbox_test_root):
            super().test_glob_with_directories(sandbox_backend, sandbox_test_root)

elif _contract.WRITE_OVERWRITES:

    class TestStandard(_Suite):
        @pytest.mark.xfail(reason=OVERWRITES, strict=True)
        def test_write_existing_file_fails(self, sandbox_backend, sandbox_test_root):
            super().test_write_existing_file_fails(sandbox_backend, sandbox_test_root)

else:

    class TestStandard(_Suite):
        pass
