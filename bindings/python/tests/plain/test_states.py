import shutil
import subprocess

import pytest
import sandshell


def test_snapshot_restore_and_fork():
    with sandshell.Sandbox(env={"A": "1"}) as box:
        box.write("f", "before")
        kept = box.snapshot()
        fork = box.fork()
        box.write("f", "after")
        assert fork.read("f").text == "before"
        with sandshell.Sandbox.from_snapshot(kept) as new:
            assert new.execute("cat f; echo $A").output == "before1\n"
        box.restore(kept)
        assert box.read("f").text == "before"
        with pytest.raises(ValueError):
            sandshell.Sandbox().restore(kept)


def test_an_overlay_leaves_the_host_alone_until_it_is_applied(tmp_path):
    (tmp_path / "f.txt").write_text("old\n")
    with sandshell.Sandbox(mounts={"/workspace": tmp_path}) as box:
        box.execute("echo new > f.txt; echo added > g.txt")
        assert (tmp_path / "f.txt").read_text() == "old\n"
        patch = box.diff()
        assert "-old\n+new\n" in patch and "+added\n" in patch
        assert box.apply() == 2
        assert (tmp_path / "f.txt").read_text() == "new\n"
        assert (tmp_path / "g.txt").read_text() == "added\n"
        assert box.diff() == ""


def test_git_applies_what_is_no_text(tmp_path):
    project, copy = tmp_path / "project", tmp_path / "copy"
    project.mkdir()
    (project / "latin.txt").write_bytes(b"caf\xe9\n")
    (project / "binary").write_bytes(bytes(range(256)) * 9)
    shutil.copytree(project, copy)
    with sandshell.Sandbox(mounts={"/workspace": project}) as box:
        box.execute("echo more >> latin.txt; printf '\\0\\1' >> binary; gzip -k binary; echo text > 'a \u00e9'")
        patch = box.diff()
        subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=copy, check=True)
        assert box.apply() == 4
    names = sorted(file.name for file in project.iterdir())
    assert names == ["a \u00e9", "binary", "binary.gz", "latin.txt"]
    assert all((project / name).read_bytes() == (copy / name).read_bytes() for name in names)


def test_a_conflict_writes_nothing(tmp_path):
    (tmp_path / "f.txt").write_text("old\n")
    with sandshell.Sandbox(mounts={"/workspace": tmp_path}) as box:
        box.execute("echo new > f.txt; echo added > g.txt")
        (tmp_path / "f.txt").write_text("changed meanwhile\n")
        with pytest.raises(sandshell.SandboxError) as caught:
            box.apply()
    assert caught.value.kind == "conflict"
    assert not (tmp_path / "g.txt").exists()


def test_modes_of_mounts(tmp_path):
    (tmp_path / "f").write_text("x")
    mounts = {"/ro": (tmp_path, "ro"), "/rw": (tmp_path, "rw"), "/mem": None}
    with sandshell.Sandbox(mounts=mounts) as box:
        assert "Read-only file system" in box.execute("echo y > /ro/f").output
        assert box.execute("echo y > /rw/f; echo z > /mem/f").exit_code == 0
        assert (tmp_path / "f").read_text() == "y\n"
        with pytest.raises(ValueError):
            sandshell.Sandbox(mounts={"/x": (tmp_path, "wrong")})


def test_relative_paths_start_where_the_program_is(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(name)
        monkeypatch.chdir(tmp_path / name)
        with sandshell.Sandbox(mounts={"/here": "."}) as box:
            assert box.execute("cat /here/f; echo new > /here/f").output == name
            monkeypatch.chdir(tmp_path)
            assert box.apply() == 1
        assert (tmp_path / name / "f").read_text() == "new\n"


def test_mounting_later(tmp_path):
    (tmp_path / "f").write_text("x")
    with sandshell.Sandbox() as box:
        box.mount("/mnt/host", tmp_path, "ro")
        box.mount("/mnt/memory")
        assert box.execute("cat /mnt/host/f; echo y > /mnt/memory/f; cat /mnt/memory/f").output == "xy\n"
        fork = box.fork()
        assert fork.execute("cat /mnt/host/f /mnt/memory/f").output == "xy\n"
