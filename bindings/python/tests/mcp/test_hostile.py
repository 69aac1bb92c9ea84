"""The server refuses nonsensical messages and continues."""

import itertools
import json
import os
import subprocess
import urllib.error
import urllib.request

import pytest
from servers import http_server

PROGRAM = os.environ["SANDSHELL"]

WRONG = [None, True, 7, -1, 1.5, 1e300, 2**70, "", "a\0b", "\ud800", "/" + "x" * 5000, [], {}, ["x"]]

TOOLS = {
    "execute": ["command", "timeout", "cwd", "background"],
    "read_file": ["path", "offset", "limit"],
    "write_file": ["path", "content"],
    "edit_file": ["path", "old_string", "new_string", "replace_all"],
    "ls": ["path"],
    "glob": ["pattern", "path"],
    "grep": ["pattern", "path", "glob", "max_count"],
    "upload": ["path", "content"],
    "download": ["path"],
    "read_files": ["paths", "limit"],
    "delete": ["path"],
    "move": ["from", "to", "overwrite"],
    "restore": ["snapshot"],
    "snapshot": ["nothing"],
    "diff": ["nothing"],
    "no_such_tool": ["x"],
}

SENSIBLE = {"command": "echo x", "path": "notes.txt", "pattern": "x", "content": "x", "old_string": "a", "new_string": "b"}

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Peer:
    """A client that sends arbitrary messages."""

    def __init__(self, directory):
        command = [PROGRAM, "mcp", "--no-packs"]
        self.process = subprocess.Popen(command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.numbers = itertools.count(1)
        assert "result" in self.ask("initialize", INITIALIZE)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        number = next(self.numbers)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == number:
                return answer
        raise AssertionError(f"the server ended: {self.process.wait(10)}")

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def works(self):
        content = self.call("execute", command="echo usable")["result"]["content"]
        return content[0]["text"] == "usable\n"


@pytest.fixture
def peer(tmp_path):
    (tmp_path / "notes.txt").write_text("x\n")
    peer = Peer(tmp_path)
    yield peer
    peer.process.communicate(timeout=60)
    assert peer.process.returncode == 0


@pytest.mark.parametrize("tool", TOOLS)
def test_arguments(peer, tool):
    for name in TOOLS[tool]:
        sensible = {other: SENSIBLE[other] for other in TOOLS[tool] if other in SENSIBLE}
        for value in WRONG:
            if value == "\ud800":
                # JSON can express half of a surrogate pair.
                continue
            answer = peer.call(tool, **{**sensible, name: value})
            assert "error" in answer or "content" in answer["result"]
    for arguments in (7, [], "x", None):
        peer.ask("tools/call", {"name": tool, "arguments": arguments})
    assert peer.works()


def test_messages(peer):
    lines = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"x"',
        b"\xff\xfe",
        b"[" * 10_000,
        b'{"jsonrpc": "1.0"}',
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1e300, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": "x", "method": 7}',
        b'{"jsonrpc": "2.0", "id": "y", "result": {}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 12345}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
        b'{"jsonrpc": "2.0", "id": 90001, "method": "tools/call", "params": {"name": "ls", "arguments": {"path": "\\ud800"}}}',
        json.dumps({"jsonrpc": "2.0", "id": 90002, "method": "x" * 100_000}).encode(),
    ]
    for line in lines:
        peer.send_bytes(line)
        assert peer.works(), line[:80]


def test_methods(peer):
    for method in ("resources/read", "resources/list", "resources/templates/list", "tools/list", "no/such/method"):
        for params in ({}, {"uri": "x"}, {"uri": "sandbox://../\0"}, {"uri": "sandbox:///%ff"}, {"cursor": "x"}):
            assert {"result", "error"} & peer.ask(method, params).keys()
        # A message that is not of the protocol need not be answered.
        for params in (None, 7, [], {"uri": 7}, {"cursor": -1}):
            peer.send({"jsonrpc": "2.0", "id": 70_000, "method": method, "params": params})
    assert peer.works()


def test_over_http(tmp_path):
    def post(url, body, **headers):
        asked = {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, asked), timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    with http_server(tmp_path) as url:
        for body in (b"", b"{", b"null", b"\xff", b"[" * 10_000, b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'):
            assert 400 <= post(url, body) < 500
        assert 400 <= post(url, json.dumps(hello).encode(), **{"content-type": "text/plain"}) < 500
        assert 400 <= post(url, json.dumps(hello).encode(), **{"mcp-session-id": "no-such-session"}) < 500
        # Requests from web pages are refused.
        assert post(url, json.dumps(hello).encode(), origin="https://example.com") == 403
        assert post(url, json.dumps(hello).encode(), host="example.com") == 403
        assert post(url, json.dumps(hello).encode()) == 200
