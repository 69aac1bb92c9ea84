"""The official Python SDK of Deno Sandbox."""

import os
import time

import httpx
from checks import check, eventually, main, raises
from deno_sandbox import DenoDeploy
from deno_sandbox.errors import HTTPStatusError

# A client has its own thread and event loop.
DENO = DenoDeploy()


def run(sandbox, command, **options):
    """Standard output, standard error and the status of a bash command."""
    child = sandbox.spawn("bash", args=["-c", command], stdout="piped", stderr="piped", **options)
    output = (child.stdout.read(-1), child.stderr.read(-1))
    return (*output, child.wait())


@check
def commands():
    with DENO.sandbox.create(env={"A": "1"}) as sandbox:
        out, err, status = run(sandbox, "echo out; echo err >&2; echo $A$B; pwd; exit 3", env={"B": "2"}, cwd="/tmp")
        assert (out, err) == (b"out\n12\n/tmp\n", b"err\n"), (out, err)
        assert (status["code"], status["success"], status["signal"]) == (3, False, None), status
        out, _, status = run(sandbox, "pwd; printf '\\377'")
        assert (out, status["success"]) == (b"/home/app\n\xff", True)
        sandbox.env.set("C", "3")
        assert run(sandbox, "echo $C")[0] == b"3\n"
        assert sandbox.env.get("C") == "3"
        sandbox.env.delete("C")
        assert run(sandbox, "echo $C")[0] == b"\n"
        assert "No such file" in str(raises(Exception, lambda: sandbox.spawn("no-such-command")))
        # Programs are looked up in their working directory and with their own variables.
        sandbox.fs.write_text_file("/tmp/own.sh", "#!/bin/bash\necho own $1\n", mode=0o755)
        for command, options in (("./own.sh", {"cwd": "/tmp"}), ("own.sh", {"env": {"PATH": "/tmp:/usr/bin:/bin"}})):
            child = sandbox.spawn(command, args=["a b"], stdout="piped", stderr="piped", **options)
            assert (child.stdout.read(-1), child.wait()["code"]) == (b"own a b\n", 0)


@check
def input():
    with DENO.sandbox.create() as sandbox:
        child = sandbox.spawn("cat", stdin="piped", stdout="piped", stderr="piped", stdin_data=[b"one\n", b"two\n"])
        assert child.stdout.read(-1) == b"one\ntwo\n"
        assert child.wait()["success"]


@check
def killing():
    with DENO.sandbox.create() as sandbox:
        # The end of the block kills the process, which would otherwise never end.
        with sandbox.spawn("sleep", args=["inf"], stdout="piped", stderr="piped"):
            pass
        child = sandbox.spawn("true", stdout="piped", stderr="piped")
        child.wait()
        # Killing a process that has ended is no error.
        child.__exit__(None, None, None)


@check
def files():
    with DENO.sandbox.create() as sandbox:
        content = bytes(range(256)) * 1000
        sandbox.fs.mkdir("/tmp/deep/er", recursive=True)
        sandbox.fs.write_file("/tmp/deep/er/a b.bin", content)
        assert sandbox.fs.read_file("/tmp/deep/er/a b.bin") == content
        sandbox.fs.write_text_file("relative.txt", "text ü\n")
        sandbox.fs.write_text_file("relative.txt", "more\n", append=True)
        assert sandbox.fs.read_text_file("/home/app/relative.txt") == "text ü\nmore\n"
        (entry,) = sandbox.fs.read_dir("/tmp/deep/er")
        assert (entry["name"], entry["is_file"], entry["is_directory"]) == ("a b.bin", True, False), entry
        info = sandbox.fs.stat("relative.txt")
        assert (info["size"], info["is_file"], info["mode"] & 0o777) == (13, True, 0o644), info
        sandbox.fs.symlink("relative.txt", "/home/app/link")
        assert sandbox.fs.lstat("link")["is_symlink"] and not sandbox.fs.stat("link")["is_symlink"]
        assert sandbox.fs.read_link("link") == "relative.txt"
        assert sandbox.fs.real_path("link") == "/home/app/relative.txt"
        sandbox.fs.rename("relative.txt", "/tmp/renamed")
        sandbox.fs.copy_file("/tmp/renamed", "/tmp/copied")
        assert sandbox.fs.read_text_file("/tmp/copied") == "text ü\nmore\n"
        sandbox.fs.remove("/tmp/deep", recursive=True)
        assert sandbox.fs.make_temp_dir().startswith("/tmp/")
        sandbox.fs.utime("/tmp/copied", "2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z")
        info = sandbox.fs.stat("/tmp/copied")
        assert (info["atime"][:10], info["mtime"][:10]) == ("2020-01-01", "2020-01-02"), info
        sandbox.fs.truncate("/tmp/copied", 4)
        assert sandbox.fs.read_text_file("/tmp/copied") == "text"
        for failing in (
            lambda: sandbox.fs.read_file("/nope"),
            lambda: sandbox.fs.read_dir("/tmp/deep"),
            lambda: sandbox.fs.write_text_file("/tmp/deep/file", "no parent"),
            lambda: sandbox.fs.stat("/nope"),
            lambda: sandbox.fs.remove("/nope"),
            lambda: sandbox.fs.truncate("/tmp/nope", 1),
            lambda: sandbox.fs.utime("/tmp/nope", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ):
            assert "'ENOENT'" in str(raises(Exception, failing))
        assert "'EEXIST'" in str(raises(Exception, lambda: sandbox.fs.mkdir("/tmp")))
        assert "'EISDIR'" in str(raises(Exception, lambda: sandbox.fs.read_file("/tmp")))
        create_new = lambda: sandbox.fs.write_text_file("/tmp/copied", "", create_new=True)
        assert "'EEXIST'" in str(raises(Exception, create_new))


@check
def walks():
    with DENO.sandbox.create() as sandbox:
        sandbox.fs.mkdir("/home/app/d/e", recursive=True)
        for name in ("d/a.json", "d/e/b.json", "d/e/c.txt"):
            sandbox.fs.write_text_file(name, name)
        sandbox.fs.symlink("a.json", "/home/app/d/link")
        below = lambda **options: [entry["path"].removeprefix("/home/app/") for entry in sandbox.fs.walk("/home/app/d", **options)]
        assert below() == ["d", "d/a.json", "d/e", "d/e/b.json", "d/e/c.txt", "d/link"], below()
        assert below(max_depth=1, include_symlinks=False) == ["d", "d/a.json", "d/e"]
        assert below(exts=[".json"], include_dirs=False) == ["d/a.json", "d/e/b.json"]
        entry = sandbox.fs.walk("/home/app/d")[0]
        assert (entry["name"], entry["is_directory"], entry["is_file"]) == ("d", True, False), entry
        expanded = lambda glob, **options: sorted(sandbox.fs.expand_glob(glob, root="/home/app", **options))
        assert expanded("**/*.json") == ["/home/app/d/a.json", "/home/app/d/e/b.json"]
        assert expanded("d/*", include_dirs=False, exclude=["d/link"]) == ["/home/app/d/a.json"]
        assert "'ENOENT'" in str(raises(Exception, lambda: sandbox.fs.walk("/nope")))
        sandbox.fs.chown("/home/app/d/a.json")


@check
def large_files():
    with DENO.sandbox.create() as sandbox:
        content = os.urandom(512 << 10)
        sandbox.fs.write_file("/tmp/large", iter([content[:1000], content[1000:]]))
        assert sandbox.fs.read_file("/tmp/large") == content


@check
def lifecycle():
    with DENO.sandbox.create(timeout="5m", labels={"purpose": "a b"}) as sandbox:
        sandbox.fs.write_text_file("kept", "kept")
        # A sandbox with its own lifetime outlives its socket.
        id = sandbox.id
    with DENO.sandbox.connect(id) as again:
        assert again.fs.read_text_file("kept") == "kept"
    (listed,) = DENO.sandbox.list(labels={"purpose": "a b"}).items
    assert (listed["id"], listed["region"], listed["status"]) == (id, "ord", "running"), listed
    with DENO.sandbox.connect(id) as again:
        end = again.extend_timeout(600)
        assert 500 < end.timestamp() - time.time() < 700
        again.kill()
    assert not DENO.sandbox.list(labels={"purpose": "a b"}).items
    assert "404" in str(raises(Exception, lambda: DENO.sandbox.connect(id).__enter__()))


@check
def sessions_end_with_their_socket():
    with DENO.sandbox.create() as sandbox:
        id = sandbox.id
        assert id in [entry["id"] for entry in DENO.sandbox.list().items]
    eventually(lambda: id not in [entry["id"] for entry in DENO.sandbox.list().items])


@check
def expiry():
    with DENO.sandbox.create(timeout="1s", labels={"short": "yes"}):
        eventually(lambda: not DENO.sandbox.list(labels={"short": "yes"}).items)


@check
def refusals():
    with DENO.sandbox.create() as sandbox:
        for refused in (
            lambda: sandbox.deno.eval("1"),
            lambda: sandbox.fs.open("/tmp/x"),
            lambda: sandbox.fs.umask(0o22),
            lambda: list(sandbox.fs.walk("/tmp", follow_symlinks=True)),
            lambda: sandbox.fs.expand_glob("*", case_insensitive=True),
        ):
            assert "not emulated by sandshell" in str(raises(Exception, refused))
    raises(HTTPStatusError, lambda: DENO.volumes.list())
    anonymous = httpx.get(f"{os.environ['DENO_DEPLOY_ENDPOINT']}/api/v2/sandboxes")
    assert (anonymous.status_code, anonymous.json()["code"]) == (401, "INVALID_TOKEN")
    raises(Exception, lambda: DENO.sandbox.create(timeout="soon").__enter__())
    raises(Exception, lambda: DENO.sandbox.create(root="volume").__enter__())


main()
