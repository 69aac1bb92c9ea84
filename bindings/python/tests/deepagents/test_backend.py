"""Tests of behaviour that the standard tests leave out."""

import asyncio

import pytest
from deepagents.backends.protocol import ExecuteResponse
from deepagents.backends.sandbox import BaseSandbox

import sandshell
from sandshell.deepagents import SandshellSandbox, _contract


@pytest.fixture
def backend():
    with SandshellSandbox() as backend:
        yield backend


def both(backend, name, *arguments, **options):
    """The answer of an operation, which must be the same for its asynchronous variant."""
    answer = getattr(backend, name)(*arguments, **options)
    assert asyncio.run(getattr(backend, f"a{name}")(*arguments, **options)) == answer
    return answer


def test_it_is_a_base_sandbox(backend):
    assert isinstance(backend, BaseSandbox)
    assert backend.id


def test_timeouts_and_limits_are_told(backend):
    answer = backend.execute("echo begun; sleep 60", timeout=1)
    assert answer == ExecuteResponse(output="begun\nCommand timed out after 1 seconds", exit_code=124)
    with SandshellSandbox(timeout=0.2) as quick:
        assert quick.execute("sleep 60").output == "Command timed out after 0.2 seconds"
        assert quick.execute("sleep 0.3; echo done", timeout=0).output == "done\n"
    with SandshellSandbox(max_output=4) as small:
        assert small.execute("echo 123456") == ExecuteResponse(output="1234", exit_code=0, truncated=True)


def test_an_ended_sandbox_is_an_answer(backend):
    backend.close()
    assert both(backend, "execute", "true").exit_code == 1
    assert "has been deleted" in both(backend, "read", "/x").error
    assert "has been deleted" in both(backend, "ls", "/").error


def test_reading(backend):
    backend.upload_files([("/a.txt", b"1\r\n2\r\n3"), ("/empty", b""), ("/x.png", b"\x89PNG")])
    page = both(backend, "read", "/a.txt", 1, 1)
    assert page.file_data["content"] == "2"
    if _contract.READ_HAS_PAGES:
        assert (page.start_line, page.end_line, page.total_lines, page.next_offset) == (2, 2, 3, 2)
        assert both(backend, "read", "/a.txt", 0, 0).no_lines_requested
    assert both(backend, "read", "/a.txt", -5, 1).file_data["content"] == "1"
    assert both(backend, "read", "/empty").file_data["content"].startswith("System reminder")
    assert both(backend, "read", "/x.png").file_data == {"content": "iVBORw==", "encoding": "base64"}
    assert both(backend, "read", "/nothing").error == "File '/nothing': file_not_found"
    assert both(backend, "read", "/tmp").error == "File '/tmp': not_a_file"
    assert "Line offset 9 exceeds file length (3 lines)" in both(backend, "read", "/a.txt", 9).error


def test_writing_editing_and_listing(backend):
    assert backend.write("/w/a.txt", "x\nx\n").path == "/w/a.txt"
    assert backend.edit("/w/a.txt", "x", "y").error == (
        "Error: String 'x' appears multiple times. Use replace_all=True to replace all occurrences."
    )
    assert backend.edit("/w/a.txt", "x", "y", replace_all=True).occurrences == 2
    assert backend.edit("/w/a.txt", "x", "y").error == "Error: String not found in file: 'x'"
    assert backend.edit("/no", "x", "y").error == "Error: File '/no' not found"
    assert "Failed to write file '/tmp'" in backend.write("/tmp", "x").error or not _contract.WRITE_OVERWRITES
    assert backend.write("/w/\ud800", "x").error
    backend.execute("mkdir /w/d; ln -s d /w/link")
    entries = {entry["path"]: entry["is_dir"] for entry in both(backend, "ls", "/w/").entries}
    assert entries == {"/w/a.txt": False, "/w/d": True, "/w/link": False}
    assert both(backend, "ls", "/no").error == "Path '/no': path_not_found"
    assert both(backend, "ls", "/w/a.txt").error == "Path '/w/a.txt': not_a_directory"


@pytest.mark.skipif(_contract.DeleteResult is None, reason="this deepagents deletes no files")
def test_deleting(backend):
    backend.write("/w/d/a.txt", "x")
    assert backend.delete("/w").path == "/w"
    assert both(backend, "delete", "/w").error == "Error: '/w' not found"


def test_searching(backend):
    backend.write("/w/a.py", "one\ntwo\n")
    backend.write("/w/sub/b.py", "two\n")
    found = both(backend, "grep", "two", "/w", "*.py")
    assert [(line["path"], line["line"]) for line in found.matches] == [("/w/a.py", 2), ("/w/sub/b.py", 1)]
    if _contract.GREP_SAYS_TRUNCATED:
        assert both(backend, "grep", "two", "/w", max_count=1).truncated
    names = [match["path"] for match in both(backend, "glob", "*.py", "/w").matches]
    deep = [match["path"] for match in both(backend, "glob", "**/*.py", "/w").matches]
    if _contract.GLOB_IS_PRECISE:
        assert names == deep == ["/w/a.py", "/w/sub/b.py"]
    else:
        assert names == ["a.py"]
        assert deep == ["a.py", "sub/b.py"]
        assert [match["path"] for match in backend.glob("/w/*.py").matches] == ["/w/a.py"]
        assert [match["is_dir"] for match in backend.glob("*", "/w").matches] == [False, True]
    assert both(backend, "glob", "*", "/no").error == "Path '/no': path_not_found"


LONG = "seq 100000"
WIDE = "head -c 300000 /dev/zero | tr '\\0' x"


@pytest.mark.skipif(not _contract.OFFLOAD_SAYS_MARKER, reason="the wrapper of this deepagents words it otherwise")
@pytest.mark.parametrize(
    "command",
    [
        "echo short",
        "exit 3",
        LONG,
        f"{LONG}; exit 4",
        WIDE,
        f"{WIDE}; {LONG}; {WIDE}",
        f"echo a; {WIDE}; echo; echo b",
        "for i in 1 2 3 4 5 6 7 8 9 10 11; do head -c 3000 /dev/zero | tr '\\0' x; echo; done",
        f"{LONG}; {LONG}; {LONG}; {LONG}",
        f"{WIDE}; {WIDE}; {WIDE}; {WIDE}; {WIDE}; {WIDE}; {WIDE}",
    ],
)
def test_offloading_is_what_the_wrapper_does(backend, command):
    """deepagents' own wrapper, run in the sandbox's shell, is the reference."""
    limits = {"max_inline_bytes": 1000, "max_capture_bytes": 2_000_000}
    ours = backend.execute_with_offload(command, "/large/ours", **limits)
    theirs = BaseSandbox.execute_with_offload(backend, command, "/large/theirs", **limits)
    assert ours == theirs
    kept, reference = backend.download_files(["/large/ours", "/large/theirs"])
    assert (kept.content, kept.error) == (reference.content, reference.error)
    again = asyncio.run(backend.aexecute_with_offload(command, "/large/again", **limits))
    assert again == ours


def test_a_sandbox_that_exists():
    with sandshell.Sandbox(files={"f": "x"}) as box:
        assert SandshellSandbox(box).read("/workspace/f").file_data["content"] == "x"
        with pytest.raises(TypeError):
            SandshellSandbox(box, seed=1)
