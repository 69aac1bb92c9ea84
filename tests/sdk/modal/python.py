"""The official Python SDK of Modal: both generations of sandboxes."""

import os
import time

import modal
from checks import check, eventually, main, raises
from modal.exception import (
    AlreadyExistsError,
    InvalidError,
    NotFoundError,
    SandboxFilesystemDirectoryNotEmptyError,
    SandboxFilesystemIsADirectoryError,
    SandboxFilesystemNotADirectoryError,
    SandboxFilesystemNotFoundError,
    SandboxFilesystemPathAlreadyExistsError,
    UnimplementedError,
)

APP = modal.App.lookup("checks", create_if_missing=True)


def create(*command, **options):
    return modal.Sandbox.create(*command, app=APP, **options)


@check
def commands():
    sandbox = create(workdir="/tmp", secrets=[modal.Secret.from_dict({"A": "1"})])
    process = sandbox.exec("bash", "-c", "echo out; echo err >&2; echo $A$B; pwd; exit 3", env={"B": "2"})
    assert process.wait() == 3
    assert (process.stdout.read(), process.stderr.read()) == ("out\n12\n/tmp\n", "err\n")
    assert sandbox.exec("pwd", workdir="/usr").stdout.read() == "/usr\n"
    assert sandbox.exec("printf", "\\377\\000", text=False).stdout.read() == b"\xff\x00"
    process = sandbox.exec("true")
    eventually(lambda: process.poll() == 0)
    sandbox.terminate()


@check
def input():
    sandbox = create()
    process = sandbox.exec("cat")
    process.stdin.write("one\n")
    process.stdin.drain()
    process.stdin.write("two\n")
    process.stdin.write_eof()
    process.stdin.drain()
    assert process.wait() == 0
    assert process.stdout.read() == "one\ntwo\n"
    sandbox.terminate()


@check
def output_is_streamed():
    sandbox = create()
    seen = []
    for line in sandbox.exec("bash", "-c", "echo first; sleep 0.3; echo second").stdout:
        seen.append((line, time.monotonic()))
    assert [line for line, _ in seen] == ["first\n", "second\n"]
    assert seen[1][1] - seen[0][1] > 0.2
    sandbox.terminate()


@check
def timeouts():
    sandbox = create()
    process = sandbox.exec("bash", "-c", "echo begun; sleep 30", timeout=1)
    # The service and the SDK both enforce the timeout, so either may end the process.
    assert process.wait() in (-1, 137)
    assert sandbox.exec("echo", "alive").stdout.read() == "alive\n"
    sandbox.terminate()


@check
def files():
    sandbox = create()
    files = sandbox.filesystem
    content = bytes(range(256)) * 1000
    files.write_bytes(content, "/tmp/deep/er/a b.bin")
    assert files.read_bytes("/tmp/deep/er/a b.bin") == content
    files.write_text("text ü\n", "/tmp/text")
    assert files.read_text("/tmp/text") == "text ü\n"
    (entry,) = files.list_files("/tmp/deep/er")
    assert (entry.name, entry.size, entry.is_file()) == ("a b.bin", len(content), True), entry
    assert abs(files.stat("/tmp/text").modified_time - time.time()) < 60
    files.make_directory("/tmp/new/er")
    raises(SandboxFilesystemPathAlreadyExistsError, lambda: files.make_directory("/tmp/new", create_parents=False))
    raises(SandboxFilesystemDirectoryNotEmptyError, lambda: files.remove("/tmp/new"))
    files.remove("/tmp/new", recursive=True)
    raises(SandboxFilesystemNotFoundError, lambda: files.stat("/tmp/new"))
    raises(SandboxFilesystemNotFoundError, lambda: files.read_bytes("/nope"))
    raises(SandboxFilesystemIsADirectoryError, lambda: files.read_bytes("/tmp"))
    raises(SandboxFilesystemNotADirectoryError, lambda: files.write_text("x", "/tmp/text/below"))
    sandbox.terminate()


@check
def large_files():
    sandbox = create()
    content = os.urandom(8 << 20)
    sandbox.filesystem.write_bytes(content, "/tmp/large")
    assert sandbox.filesystem.read_bytes("/tmp/large") == content
    sandbox.terminate()


@check
def lifecycle():
    sandbox = create(name="one", tags={"purpose": "a b"})
    assert len(sandbox.object_id) != len("sb-") + 22
    sandbox.filesystem.write_text("kept", "/tmp/kept")
    again = modal.Sandbox.from_id(sandbox.object_id)
    assert again.filesystem.read_text("/tmp/kept") == "kept"
    assert modal.Sandbox.from_name("checks", "one").object_id == sandbox.object_id
    raises(AlreadyExistsError, lambda: create(name="one"))
    assert again.get_tags() == {"purpose": "a b"}
    again.set_tags({"purpose": "other"})
    listed = list(modal.Sandbox.list(app_id=APP.app_id, tags={"purpose": "other"}))
    assert [entry.object_id for entry in listed] == [sandbox.object_id]
    assert sandbox.poll() is None
    sandbox.terminate()
    sandbox.wait(raise_on_termination=False)
    assert sandbox.returncode == 137
    raises(NotFoundError, lambda: modal.Sandbox.from_name("checks", "one"))
    raises(NotFoundError, lambda: modal.Sandbox.from_id("sb-01NOPENOPENOPENOPENOPENOPE"))


@check
def own_commands():
    sandbox = create("bash", "-c", "echo main; exit 4")
    sandbox.wait(raise_on_termination=False)
    assert sandbox.returncode == 4
    assert sandbox.stdout.read() == "main\n"
    sandbox = create("cat")
    for text in ("one\n", "two\n"):
        sandbox.stdin.write(text)
        sandbox.stdin.drain()
    sandbox.stdin.write_eof()
    sandbox.stdin.drain()
    sandbox.wait()
    assert sandbox.stdout.read() == "one\ntwo\n"


@check
def expiry():
    sandbox = create(timeout=1)
    eventually(lambda: sandbox.poll() == 124)


@check
def snapshots():
    sandbox = create()
    sandbox.filesystem.write_text("before", "/tmp/state")
    image = sandbox.snapshot_filesystem()
    sandbox.filesystem.write_text("after", "/tmp/state")
    copy = create(image=modal.Image.from_id(image.object_id))
    assert copy.filesystem.read_text("/tmp/state") == "before"
    copy.terminate()
    sandbox.terminate()


@check
def first_generation():
    os.environ["MODAL_SANDBOX_V2"] = "0"
    try:
        sandbox = create(secrets=[modal.Secret.from_dict({"A": "1"})])
        assert len(sandbox.object_id) == len("sb-") + 22, sandbox.object_id
        assert sandbox.exec("bash", "-c", "echo $A").stdout.read() == "1\n"
        sandbox.set_tags({"generation": "first"})
        listed = list(modal.Sandbox.list(app_id=APP.app_id, tags={"generation": "first"}))
        assert [entry.object_id for entry in listed] == [sandbox.object_id]
        sandbox.terminate()
    finally:
        del os.environ["MODAL_SANDBOX_V2"]


@check
def layers_of_images():
    image = modal.Image.debian_slim().env({"A": "it's $B", "B": "2"}).workdir("/tmp/work dir")
    sandbox = create(image=image, env={"B": "own"})
    assert sandbox.exec("bash", "-c", 'echo "$A $B"; pwd').stdout.read() == "it's $B own\n/tmp/work dir\n"
    assert sandbox.exec("pwd", workdir="/usr").stdout.read() == "/usr\n"
    sandbox.filesystem.write_text("kept", "/tmp/state")
    snapshot = modal.Image.from_id(sandbox.snapshot_filesystem().object_id)
    copy = create(image=snapshot.env({"C": "3"}))
    assert copy.filesystem.read_text("/tmp/state") == "kept"
    assert copy.exec("bash", "-c", 'echo "$A $C"; pwd').stdout.read() == "it's $B 3\n/tmp/work dir\n"
    copy.terminate()
    sandbox.terminate()
    slim = modal.Image.debian_slim()
    for layer, what in [
        (slim.pip_install("requests"), "pip install requests"),
        (slim.run_commands("echo built > /built"), "RUN echo built"),
        (slim.apt_install("git"), "RUN apt-get update"),
        (slim.dockerfile_commands("USER nobody"), "USER nobody"),
        (slim.env({"A": "1"}).run_commands("true", gpu="T4"), "GPUs"),
    ]:
        told = str(raises(modal.exception.Error, lambda: create(image=layer)))
        assert "not emulated" in told and what in told, told


@check
def refusals():
    for options, what in [
        ({"gpu": "T4"}, "GPUs"),
        ({"encrypted_ports": [80]}, "ports"),
        ({"outbound_cidr_allowlist": ["1.1.1.1/32"]}, "rules of the network"),
        ({"memory": (64, 128)}, "limits of memory"),
        ({"pty": True}, "terminals"),
    ]:
        told = str(raises(modal.exception.Error, lambda: create(**options)))
        assert "not emulated" in told and what in told, (options, told)
    raises(UnimplementedError, lambda: modal.Volume.from_name("v", create_if_missing=True).hydrate())
    raises(Exception, lambda: create(encrypted_ports=[8080]))
    raises(UnimplementedError, lambda: create("true", readiness_probe=modal.Probe.with_exec("true")))
    sandbox = create()
    raises(InvalidError, lambda: sandbox.exec())
    sandbox.terminate()
    raises(NotFoundError, lambda: modal.App.lookup("no-such-app"))


main()
