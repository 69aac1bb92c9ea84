"""`sandshell mcp` with the official client, over standard input and output and over HTTP."""

import asyncio
import base64
import contextlib
import os
import re
import subprocess

import pytest
from mcp import Client
from mcp_client import OVER, call, data, over_stdio
from servers import http_server

PROGRAM = os.environ["SANDSHELL"]

TOOLS = {
    "delete",
    "diff",
    "download",
    "edit_file",
    "execute",
    "session_output",
    "list_sessions",
    "end_session",
    "terminal",
    "glob",
    "grep",
    "ls",
    "move",
    "read_file",
    "read_files",
    "restore",
    "snapshot",
    "upload",
    "write_file",
}


@pytest.fixture
def directory(tmp_path):
    place = tmp_path / "project"
    place.mkdir()
    (place / "notes.txt").write_text("old\n")
    return place


@OVER
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_agents_work(connect, mode, directory):
    async with connect(directory, mode=mode) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        assert await call(client, "execute", command="cat notes.txt; pwd") == ("old\n/workspace\n", False)
        assert await call(client, "execute", command="echo a >&2; exit 3") == ("a\n[status 3]", False)
        assert await call(client, "write_file", path="src/a.py", content="import os\n") == (
            "/workspace/src/a.py is written",
            False,
        )
        assert await call(client, "edit_file", path="notes.txt", old_string="old", new_string="new") == (
            "/workspace/notes.txt: 1 replacement(s)",
            False,
        )
        text, failed = await call(client, "edit_file", path="notes.txt", old_string="old", new_string="x")
        assert failed and "String not found" in text
        assert (await call(client, "read_file", path="notes.txt"))[0] == "new"
        assert (await call(client, "ls"))[0] == "/workspace/notes.txt\n/workspace/src/\n"
        assert (await call(client, "glob", pattern="*.py"))[0] == "/workspace/src/a.py\n"
        assert (await call(client, "grep", pattern="import"))[0] == "/workspace/src/a.py:1:import os\n"
        diff = (await call(client, "diff"))[0]
        assert "-old\n+new\n" in diff and "+import os\n" in diff
    assert (directory / "notes.txt").read_text() == "old\n"
    assert not (directory / "src").exists()


@OVER
async def test_both_forms_say_the_same(connect, directory):
    async with connect(directory) as client:
        for tool in (await client.list_tools()).tools:
            assert tool.output_schema and tool.output_schema["type"] == "object", tool.name
            assert tool.input_schema["additionalProperties"] is False, tool.name
        ran = await data(client, "execute", command="echo out; echo err >&2; exit 3")
        assert (ran["output"], ran["exit_code"], ran["truncated"], ran["timed_out"]) == ("out\nerr\n", 3, False, False)
        assert await data(client, "write_file", path="a.txt", content="1\n2\n3\n") == {"path": "/workspace/a.txt", "size": 6}
        read = await data(client, "read_file", path="a.txt", limit=2)
        assert (read["content"], read["next_offset"], read["truncated"]) == ("1\n2", 2, True)
        both = await data(client, "read_files", paths=["a.txt", "none", "notes.txt"])
        assert [one.get("content") for one in both["files"]] == ["1\n2\n3", None, "old"]
        assert "error" in both["files"][1] and both["truncated"] is False
        text = (await call(client, "read_files", paths=["a.txt", "none"]))[0]
        assert text.startswith("==> /workspace/a.txt <==\n1\n2\n3\n==> /workspace/none <==\n[")
        assert (await data(client, "edit_file", path="a.txt", old_string="2", new_string="x"))["replacements"] == 1
        entries = (await data(client, "ls"))["entries"]
        assert [(one["path"], one["is_dir"], one["size"]) for one in entries] == [
            ("/workspace/a.txt", False, 6),
            ("/workspace/notes.txt", False, 4),
        ]
        assert [one["path"] for one in (await data(client, "glob", pattern="n*"))["entries"]] == ["/workspace/notes.txt"]
        assert (await data(client, "grep", pattern="x"))["matches"] == [{"path": "/workspace/a.txt", "line": 2, "text": "x"}]
        assert await data(client, "move", **{"from": "a.txt", "to": "sub/dir/b.txt"}) == {
            "from": "/workspace/a.txt",
            "to": "/workspace/sub/dir/b.txt",
        }
        assert "already" in (await call(client, "move", **{"from": "notes.txt", "to": "sub/dir/b.txt"}))[0]
        await data(client, "move", **{"from": "sub/dir/b.txt", "to": "notes.txt", "overwrite": True})
        assert (await data(client, "download", path="notes.txt"))["text"] == "1\nx\n3\n"
        assert await data(client, "upload", path="b", content="/w==") == {"path": "/workspace/b", "size": 1}
        assert (await data(client, "download", path="b")) == {"path": "/workspace/b", "size": 1, "base64": "/w=="}
        snapshot = (await data(client, "snapshot"))["snapshot"]
        assert await data(client, "delete", path="sub") == {"path": "/workspace/sub"}
        assert "No such" in (await call(client, "execute", command="ls sub"))[0]
        assert (await call(client, "delete", path="sub"))[1]
        assert await data(client, "restore", snapshot=snapshot) == {"snapshot": snapshot}
        assert "+1\n+x\n+3\n" in (await data(client, "diff"))["patch"]


@OVER
async def test_what_is_cut_says_so(connect, directory):
    async with connect(directory, "--max-output", "1K") as client:
        ran = await data(client, "execute", command="seq 1000")
        assert ran["truncated"] and len(ran["output"]) <= 1024
        assert any(ran["output_file"] in note for note in ran["notes"])
        await data(client, "execute", command="mkdir many; touch many/{1000..1999}")
        for tool, arguments in [("ls", {"path": "many"}), ("glob", {"pattern": "1*"})]:
            listed = await data(client, tool, **arguments)
            assert listed["truncated"] and 0 < len(listed["entries"]) < 1000 and "read_file" in listed["note"]
        found = await data(client, "grep", pattern="1", path=ran["output_file"], max_count=3)
        assert found["truncated"] and len(found["matches"]) == 3
        diff = await data(client, "diff")
        assert diff["truncated"] and len(diff["patch"]) <= 1024


async def refusal(client, name, arguments):
    """The message of an error of the protocol or of the tool."""
    try:
        result = await client.call_tool(name, arguments)
    except Exception as error:
        return str(error)
    return result.content[0].text if result.is_error else ""


@OVER
async def test_what_no_tool_takes_is_an_error(connect, directory):
    async with connect(directory) as client:
        for name, arguments in [
            ("execute", {"command": "true", "timeout_ms": 5}),
            ("ls", {"directory": "."}),
            ("diff", {"name": "x"}),
        ]:
            assert "unknown field" in await refusal(client, name, arguments), name
        for pattern in ["[a", "{a,b", "a}", "/etc/*", "../*", ""]:
            assert (await call(client, "glob", pattern=pattern))[1], pattern
            assert (await call(client, "grep", pattern="x", glob=pattern))[1], pattern


@OVER
async def test_listings_leave_a_repositorys_own_files_out(connect, directory):
    (directory / ".git").mkdir()
    (directory / ".git" / "HEAD").write_text("ref: old\n")
    (directory / ".gitignore").write_text("old\n")
    async with connect(directory) as client:
        paths = lambda found: [one["path"] for one in found["entries"]]  # noqa: E731
        assert paths(await data(client, "ls")) == ["/workspace/.gitignore", "/workspace/notes.txt"]
        assert paths(await data(client, "glob", pattern="HEAD")) == []
        assert paths(await data(client, "glob", pattern=".git/*")) == ["/workspace/.git/HEAD"]
        assert paths(await data(client, "ls", path=".git")) == ["/workspace/.git/HEAD"]
        found = await data(client, "grep", pattern="old")
        assert [one["path"] for one in found["matches"]] == ["/workspace/.gitignore", "/workspace/notes.txt"]
        assert ".git/" not in str([one.uri for one in (await client.list_resources()).resources])


@OVER
async def test_large_files(connect, directory):
    content = base64.b64encode(os.urandom(64 << 20)).decode()
    async with connect(directory) as client:
        assert (await data(client, "upload", path="/tmp/large", content=content))["size"] == 64 << 20
        assert (await data(client, "execute", command="wc -c < /tmp/large"))["output"] == f"{64 << 20}\n"


async def test_a_message_that_is_too_long_is_answered(directory):
    async with over_stdio(directory) as client:
        with pytest.raises(Exception, match="134217728 bytes, which is the limit"):
            await client.call_tool("upload", {"path": "/tmp/large", "content": "A" * (128 << 20)})
        assert (await data(client, "execute", command="echo on"))["output"] == "on\n"


async def test_a_session_ends_as_clients_expect(directory, caplog):
    with http_server(directory) as url:
        async with Client(url, mode="legacy") as client:
            await call(client, "execute", command="true")
    assert [record.message for record in caplog.records if "terminat" in record.message.lower()] == []


@OVER
async def test_files_of_any_bytes(connect, directory):
    content = bytes(range(256))
    async with connect(directory) as client:
        encoded = base64.b64encode(content).decode()
        assert await call(client, "upload", path="/tmp/b", content=encoded) == ("/tmp/b: 256 bytes", False)
        resource = (await client.call_tool("download", {"path": "/tmp/b"})).content[0].resource
        assert base64.b64decode(resource.blob) == content
        assert (await call(client, "upload", path="/tmp/b", content="?"))[1]
        assert (await call(client, "read_file", path="/tmp/b"))[1]
        assert (await client.call_tool("download", {"path": "/no"})).is_error


@OVER
async def test_resources_are_the_files(connect, directory):
    async with connect(directory) as client:
        await call(client, "write_file", path="a b/ü.txt", content="text")
        listed = (await client.list_resources()).resources
        assert [(one.name, str(one.uri)) for one in listed] == [
            ("a b/ü.txt", "sandbox:///workspace/a%20b/%C3%BC.txt"),
            ("notes.txt", "sandbox:///workspace/notes.txt"),
        ]
        assert (await client.read_resource(listed[0].uri)).contents[0].text == "text"
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "sandbox://{+path}"
        with pytest.raises(Exception, match="file_not_found"):
            await client.read_resource("sandbox:///no")


@OVER
async def test_long_resource_lists_have_pages(connect, directory):
    async with connect(directory) as client:
        await call(client, "execute", command="rm notes.txt; for i in {1000..1599}; do echo > $i; done")
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        names = [one.name for one in [*first.resources, *second.resources]]
        assert len(first.resources) == 500 and second.next_cursor is None
        assert names == [str(number) for number in range(1000, 1600)]


@OVER
async def test_snapshots(connect, directory):
    async with connect(directory) as client:
        name = (await call(client, "snapshot"))[0]
        await call(client, "execute", command="rm notes.txt")
        assert (await call(client, "restore", snapshot=name))[1] is False
        assert (await call(client, "execute", command="cat notes.txt"))[0] == "old\n"
        assert (await call(client, "restore", snapshot="snapshot-99"))[1]


@OVER
async def test_long_outputs_have_pages(connect, directory):
    async with connect(directory, "--max-output", "1K") as client:
        text = (await call(client, "execute", command="seq 1000"))[0]
        lines, note = text.rsplit("\n", 1)
        file, offset = re.search(r"path (\S+) and offset (\d+)", note).groups()
        seen = lines.split("\n")
        while offset:
            page = (await call(client, "read_file", path=file, offset=int(offset)))[0]
            page, _, note = page.partition("\n[")
            seen += page.rstrip("\n").split("\n")
            match = re.search(r"offset (\d+) goes on", note)
            offset = match and match.group(1)
        assert seen == [str(number) for number in range(1, 1001)]
        text = (await call(client, "execute", command="head -c 3000 /dev/zero | tr '\\0' x"))[0]
        assert text.startswith("x" * 1024 + "\n[3000 bytes in all") and "tail -c +1025" in text


@OVER
async def test_background_commands(connect, directory):
    async with connect(directory) as client:
        command = "echo 'it'\\''s begun'; sleep 100"
        result = await client.call_tool("execute", {"command": command, "background": True})
        pid, file = result.structured_content["pid"], result.structured_content["output_file"]
        for _ in range(100):
            if (await call(client, "read_file", path=file))[0] == "it's begun":
                break
            await asyncio.sleep(0.05)
        else:
            raise AssertionError("no output")
        assert (await call(client, "execute", command=f"kill {pid}")) == ("", False)


@OVER
async def test_sessions(connect, directory):
    async with connect(directory, "--env", "A=given") as client:
        assert await call(client, "execute", command="cd /tmp; x=1; f() { echo $x $A $PWD; }", session="build") == ("", False)
        assert await call(client, "execute", command="f", session="build") == ("1 given /tmp\n", False)
        assert await call(client, "execute", command="echo [$x]; pwd") == ("[]\n/workspace\n", False)
        assert await call(client, "list_sessions") == ("build\n", False)
        await call(client, "execute", command="(sleep 0.3; echo one) & (sleep 0.3; echo two >&2) &", session="build")
        read = ""
        for _ in range(100):
            read += (await call(client, "session_output", session="build"))[0]
            if len(read) >= 8:
                break
            await asyncio.sleep(0.05)
        assert sorted(read.split()) == ["one", "two"]
        await call(client, "execute", command="(sleep 0.2; echo later) & true", session="build")
        await call(client, "execute", command="sleep 0.8")
        ran = (await client.call_tool("execute", {"command": "echo now", "session": "build"})).structured_content
        assert "now\n" in ran["output"] and ran["background_output"] == "later\n"
        text, _ = await call(client, "execute", command="echo begun; sleep 100\necho not", session="build", timeout=0.3)
        assert text == "begun\n[stopped: its time was up; status 124]"
        assert (await call(client, "execute", command="f", session="build"))[0] == "1 given /tmp\n"
        text, _ = await call(client, "execute", command="exit 3", session="build")
        assert text == "[status 3][the session's shell has ended: the next command gets a new one]"
        assert (await call(client, "execute", command="echo [$x]", session="build"))[0] == "[]\n"
        await call(client, "execute", command="kill -9 $(ps -e -o pid,args | sed -n 's/ bash$//p')")
        text, _ = await call(client, "execute", command="echo [$x]", session="build")
        assert text.startswith("[]\n[the session's shell had ended (killed by signal 9)")
        for wrong in ({"cwd": "/tmp"}, {"background": True}):
            _, failed = await call(client, "execute", command="true", session="build", **wrong)
            assert failed
        _, failed = await call(client, "execute", command="true", session="")
        assert failed
        running = asyncio.create_task(client.call_tool("execute", {"command": "sleep 1234", "session": "build"}))
        await asyncio.sleep(0.5)
        assert await call(client, "list_sessions") == ("build (a command runs)\n", False)
        assert await call(client, "end_session", session="build") == ("build has ended", False)
        await running
        assert await call(client, "list_sessions") == ("", False)


@OVER
async def test_terminals(connect, directory):
    async with connect(directory) as client:
        await call(client, "terminal", session="t", keys="PS1='> '; clear() { printf '\\e[H\\e[2J'; }\r", rows=10, columns=40)
        text, _ = await call(client, "terminal", session="t", keys="clear; stty size; cat\r")
        assert text.startswith("10 40\n[cursor in row 1, column 0]")
        shown = (await client.call_tool("terminal", {"session": "t", "keys": "\x03"})).structured_content
        assert shown["screen"].endswith(">") and shown["settled"] and shown["columns"] == 40
        assert await call(client, "list_sessions") == ("t (a terminal)\n", False)
        text, _ = await call(client, "terminal", session="t", keys="exit 3\r", until="never")
        assert "[the shell has ended with status 3]" in text
        for wrong in ({"rows": 5}, {"wait": -1}, {"rows": 0, "columns": 5}, {"rows": 1, "columns": 9999}):
            assert (await call(client, "terminal", session="t", **wrong))[1]
        assert (await call(client, "execute", command="true", session="t"))[1]


@OVER
async def test_timeout_progress_and_cancellation(connect, directory):
    async with connect(directory) as client:
        text, _ = await call(client, "execute", command="echo begun; sleep 100", timeout=0.3)
        assert text == "begun\n[stopped: its time was up; status 124]"
        told = []

        async def progress(progress, total, message):
            told.append(message)

        await client.call_tool("execute", {"command": "sleep 2.5"}, progress_callback=progress)
        assert told[:1] == ["running for 1 s"]
        running = asyncio.create_task(client.call_tool("execute", {"command": "sleep 1234"}))
        await asyncio.sleep(0.5)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        for _ in range(100):
            if "1234" not in (await call(client, "execute", command="ps -ef"))[0]:
                return
            await asyncio.sleep(0.05)
        raise AssertionError("the command still runs")


async def test_a_sandbox_for_each_session(directory):
    with http_server(directory) as url:
        async with Client(url) as one, Client(url) as two:
            await call(one, "execute", command="echo 1 > mine")
            assert (await call(one, "execute", command="cat mine"))[0] == "1\n"
            assert "No such file" in (await call(two, "execute", command="cat mine"))[0]


async def test_the_diff_is_left_for_the_person(directory, tmp_path):
    patch = tmp_path / "changes.patch"
    async with over_stdio(directory, "--diff", str(patch)) as client:
        await call(client, "execute", command="echo new > notes.txt")
    for _ in range(100):
        if patch.exists() and patch.read_text():
            break
        await asyncio.sleep(0.05)
    assert "-old\n+new\n" in patch.read_text()


def test_what_is_refused(directory):
    def run(*arguments):
        return subprocess.run([PROGRAM, "mcp", *arguments], cwd=directory, capture_output=True, text=True)

    assert "--public" in run("--http=0.0.0.0:0").stderr
    assert run("--http=0.0.0.0:0").returncode == 2
    assert "no such directory" in run("--mount", "nowhere:/x:overlay").stderr
    assert run("--http=127.0.0.1:0", "--state", "x.tar").returncode == 2


async def test_an_empty_workspace(directory):
    async with over_stdio(directory, "--no-mount", "--env", "A=1") as client:
        assert await call(client, "execute", command="ls; echo $A") == ("1\n", False)
        assert await call(client, "diff") == ("nothing is changed", False)
