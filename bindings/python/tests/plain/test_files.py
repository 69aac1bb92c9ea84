import pytest
import sandshell


@pytest.fixture
def box():
    with sandshell.Sandbox(files={"a.txt": "one\ntwo\nthree\n", "/tmp/b.bin": b"\0\xff"}) as box:
        yield box


def test_read(box):
    page = box.read("a.txt", offset=1, limit=1)
    assert (page.kind, page.text, page.start_line, page.end_line) == ("text", "two", 2, 2)
    assert (page.total_lines, page.next_offset) == (3, 2)
    assert box.read("/tmp/b.bin").content == b"\0\xff"
    assert box.read("a.txt", limit=0).kind == "no_lines"
    box.write("empty", "")
    assert box.read("empty").kind == "empty"


def test_write_edit_delete(box):
    box.write("deep/down/c.txt", "x y x")
    assert box.execute("cat deep/down/c.txt").output == "x y x"
    with pytest.raises(sandshell.FileOperationError) as caught:
        box.write("a.txt", "new", new=True)
    assert caught.value.reason == "already_exists"
    with pytest.raises(sandshell.FileOperationError) as caught:
        box.edit("deep/down/c.txt", "x", "z")
    assert caught.value.reason == "text_not_unique"
    assert box.edit("deep/down/c.txt", "x", "z", replace_all=True).occurrences == 2
    box.delete("deep")
    with pytest.raises(sandshell.FileOperationError) as caught:
        box.read("deep/down/c.txt")
    assert caught.value.reason == "file_not_found"
    assert isinstance(caught.value, sandshell.SandboxError)


def test_searching(box):
    box.upload_files({"src/m.py": "import os\n", "src/sub/n.py": "import sys\n"})
    assert [entry.path for entry in box.ls()] == ["/workspace/a.txt", "/workspace/src"]
    assert [entry.is_dir for entry in box.ls()] == [False, True]
    found = box.grep("import", glob="*.py")
    assert [(line.path, line.line, line.text) for line in found.matches] == [
        ("/workspace/src/m.py", 1, "import os"),
        ("/workspace/src/sub/n.py", 1, "import sys"),
    ]
    assert box.grep("import", max_count=1).truncated
    assert [entry.path for entry in box.glob("*.py", "src").matches] == [
        "/workspace/src/m.py",
        "/workspace/src/sub/n.py",
    ]
    assert [entry.path for entry in box.glob("/*", directories=True).matches] == [
        "/workspace/a.txt",
        "/workspace/src",
    ]


def test_transfers_answer_for_each_file(box):
    up = box.upload_files([("/tmp/x", b"1"), ("/tmp", b"2"), ("y", "3")])
    assert [(one.path, one.error) for one in up] == [("/tmp/x", None), ("/tmp", "is_directory"), ("y", None)]
    down = box.download_files(["y", "nothing", "/tmp"])
    assert [(one.content, one.error) for one in down] == [
        (b"3", None),
        (None, "file_not_found"),
        (None, "is_directory"),
    ]
    big = bytes(range(256)) * 40_000
    box.upload_files({"big": big})
    assert box.download_files(["big"])[0].content == big
