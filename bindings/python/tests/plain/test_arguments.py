"""Errors name the wrong argument with Python's types; answers can be pickled."""

import copy
import pickle
import re

import pytest
import sandshell

BINDING = re.compile(r"Py[A-Z]|u64|u32|i64|f64|String|invalid type|usize|Vec|dict2|NoneType object")


@pytest.fixture(scope="module")
def box():
    with sandshell.Sandbox(packs=[]) as box:
        yield box


WRONG = [
    (lambda box: box.execute(5), TypeError, "command"),
    (lambda box: box.execute(b"x"), TypeError, "command"),
    (lambda box: box.execute("x", timeout="a"), TypeError, "timeout"),
    (lambda box: box.execute("x", timeout=-1), ValueError, "timeout"),
    (lambda box: box.execute("x", timeout=float("nan")), ValueError, "timeout"),
    (lambda box: box.execute("x", timeout=1e300), ValueError, "timeout"),
    (lambda box: box.execute("x", cwd=5), TypeError, "cwd"),
    (lambda box: box.execute("x", env={"A": 1}), TypeError, "env"),
    (lambda box: box.execute("x", env={1: "A"}), TypeError, "env"),
    (lambda box: box.execute("x", env=["A"]), TypeError, "env"),
    (lambda box: box.execute("x", stdin=5), TypeError, "stdin"),
    (lambda box: box.execute("x", max_output=1.5), TypeError, "max_output"),
    (lambda box: box.execute("x", max_output=-1), ValueError, "max_output"),
    (lambda box: box.execute("x", max_output=2**64), ValueError, "max_output"),
    (lambda box: box.read(5), TypeError, "path"),
    (lambda box: box.read("f", offset=-1), ValueError, "offset"),
    (lambda box: box.read("f", limit="all"), TypeError, "limit"),
    (lambda box: box.write("f", 5), TypeError, "content"),
    (lambda box: box.edit("f", 1, "b"), TypeError, "old"),
    (lambda box: box.edit("f", "a", None), TypeError, "new"),
    (lambda box: box.grep(5), TypeError, "pattern"),
    (lambda box: box.grep("x", glob=5), TypeError, "glob"),
    (lambda box: box.grep("x", max_count=-5), ValueError, "max_count"),
    (lambda box: box.glob(None), TypeError, "pattern"),
    (lambda box: box.upload_files({"f": 5}), TypeError, "files"),
    (lambda box: box.upload_files([(5, "x")]), TypeError, "path"),
    (lambda box: box.download_files("f"), TypeError, "paths"),
    (lambda box: box.restore(1.5), TypeError, "snapshot"),
    (lambda box: box.mount(5), TypeError, "mount"),
    (lambda box: box.mount("/m", "/tmp", "wr"), ValueError, "mode"),
]
OPTIONS = [
    ({"workdir": 5}, TypeError, "workdir"),
    ({"env": {"A": 5}}, TypeError, "env"),
    ({"env": "A=5"}, TypeError, "env"),
    ({"mounts": ["/tmp"]}, TypeError, "mounts"),
    ({"timeout": "5s"}, TypeError, "timeout"),
    ({"timeout": -5}, ValueError, "timeout"),
    ({"max_output": "1M"}, TypeError, "max_output"),
    ({"memory": -1}, ValueError, "memory"),
    ({"memory": 1.5}, TypeError, "memory"),
    ({"processes": 2**32}, ValueError, "processes"),
    ({"seed": "x"}, TypeError, "seed"),
    ({"fuel": True}, TypeError, "fuel"),
    ({"clock": 5}, TypeError, "clock"),
    ({"network": "open"}, ValueError, "network"),
]


@pytest.mark.parametrize(("call", "kind", "name"), WRONG, ids=range(len(WRONG)))
def test_wrong_arguments(box, call, kind, name):
    with pytest.raises(kind, match=name) as raised:
        call(box)
    assert not BINDING.search(str(raised.value)), raised.value


@pytest.mark.parametrize(("options", "kind", "name"), OPTIONS, ids=range(len(OPTIONS)))
def test_wrong_options(options, kind, name):
    with pytest.raises(kind, match=name) as raised:
        sandshell.Sandbox(packs=[], **options)
    assert not BINDING.search(str(raised.value)), raised.value


def test_failures_say_their_kind(box):
    with pytest.raises(sandshell.FileOperationError) as raised:
        box.read("missing")
    assert (raised.value.kind, raised.value.reason) == ("file_operation", "file_not_found")
    again = pickle.loads(pickle.dumps(raised.value))
    assert (type(again), str(again), again.kind) == (type(raised.value), str(raised.value), "file_operation")


def test_answers_go_through_pickle(box):
    box.write("p/f", "one\ntwo\n")
    box.write("p/b", b"\xff\x00")
    answers = [
        box.execute("echo out; echo err >&2; exit 3"),
        box.execute("yes", timeout=0.1, max_output=100),
        box.execute("printf '\\377'"),
        box.read("p/f"),
        box.read("p/b"),
        box.ls("p")[0],
        box.grep("two", "p").matches[0],
        box.edit("p/f", "one", "1"),
        box.upload_files({"p/g": "x"})[0],
    ]
    for answer in answers:
        assert pickle.loads(pickle.dumps(answer)) == answer == copy.deepcopy(answer)
    for answer in (box.grep("two", "p"), box.glob("*", "p")):
        again = pickle.loads(pickle.dumps(answer))
        assert again.matches == answer.matches and again.matches
    downloaded = pickle.loads(pickle.dumps(box.download_files(["p/b"])[0]))
    assert (downloaded.path, downloaded.content, downloaded.error) == ("p/b", b"\xff\x00", None)


def test_a_relative_directory_begins_in_the_working_directory(box):
    box.execute("mkdir -p sub/deeper")
    assert box.execute("pwd", cwd="sub/deeper").stdout == "/workspace/sub/deeper\n"
    with sandshell.Sandbox(packs=[], workdir="/tmp/w", files={"s/f": ""}) as other:
        assert other.execute("pwd; ls", cwd="s").stdout == "/tmp/w/s\nf\n"


def test_no_network_is_what_a_local_sandbox_has():
    with sandshell.Sandbox(packs=[], network="blocked") as box:
        assert box.execute("echo hi").stdout == "hi\n"


def test_a_flood_leaves_the_other_output_its_room(box):
    result = box.execute("yes | head -c 1000000; echo why >&2; exit 3", max_output=1000)
    assert (result.stderr, result.truncated, result.exit_code) == ("why\n", True, 3)
    assert len(result.output_bytes) == 1000 and len(result.stdout_bytes) == 996
    result = box.execute("yes | head -c 1000000 >&2; echo answer", max_output=1000)
    assert result.stdout == "answer\n" and len(result.stderr_bytes) == 993
