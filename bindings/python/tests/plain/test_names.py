"""Names that are not UTF-8, as `str` from `os.fsdecode`."""

import os
import pickle

import pytest
import sandshell

NAMES = [os.fsdecode(b"caf\xe9"), os.fsdecode(b"\xff\xfe"), "\U0010ffe9", os.fsdecode(b"\xc3"), "größe"]


@pytest.fixture
def box():
    with sandshell.Sandbox(packs=[]) as box:
        yield box


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_every_operation_takes_and_gives_them(box, name):
    path = f"/workspace/d/{name}"
    box.write(path, "one needle\n")
    assert [entry.path for entry in box.ls("d")] == [path]
    assert pickle.loads(pickle.dumps(box.ls("d"))) == box.ls("d")
    assert [entry.path for entry in box.glob("*", "d").matches] == [path]
    assert [found.path for found in box.grep("needle", "d").matches] == [path]
    assert box.read(path).text == "one needle"
    assert box.edit(path, "one", "1").occurrences == 1
    assert box.download_files([path])[0].content == b"1 needle\n"
    assert box.execute(f"cat 'd/{name}'").stdout == "1 needle\n"
    # The shell sees the bytes themselves.
    shown = box.execute("printf '%s' d/* | od -An -tx1").stdout.replace(" ", "").strip()
    assert bytes.fromhex(shown) == os.fsencode(f"d/{name}")
    box.execute("mv d/* d/moved")
    assert box.upload_files({path: b"again"})[0].error is None
    box.delete(path)
    assert [entry.path for entry in box.ls("d")] == ["/workspace/d/moved"]


def test_what_a_command_wrote_is_a_name(box):
    box.execute("mkdir d; printf x > d/$'a\\xe9'")
    name = os.fsdecode(box.execute("printf %s d/*").stdout_bytes)
    assert box.read(name).text == "x"
    script = f"d/{os.fsdecode(bytes([0xf0, 0x9f]))}.sh"
    box.write(script, "#!/bin/bash\necho ran\n")
    assert box.execute(f"chmod +x '{script}' && './{script}'").stdout == "ran\n"


def test_variables_and_directories(box):
    odd = os.fsdecode(b"v\xe9")
    box.write(f"{odd}/f", "")
    assert box.execute('printf %s "$V"; ls', env={"V": odd}, cwd=odd).stdout_bytes == b"v\xe9f\n"
    with sandshell.Sandbox(packs=[], env={"V": odd}, workdir=f"/w/{odd}") as other:
        assert other.execute('printf %s "$V"; pwd').stdout_bytes == b"v\xe9/w/v\xe9\n"


def test_what_no_byte_stands_for_is_refused(box):
    for name in ("\ud800", "a\udc7f"):
        with pytest.raises(ValueError):
            box.write(name, "x")
    with pytest.raises(ValueError):
        box.edit("f", "\udce9", "x")


def test_elsewhere_they_are_refused(tmp_path):
    recorded = sandshell.record("local", tmp_path / "cassette")
    with recorded.create() as box, pytest.raises(ValueError, match="UTF-8"):
        box.read(os.fsdecode(b"caf\xe9"))
