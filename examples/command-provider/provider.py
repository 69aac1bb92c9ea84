#!/usr/bin/env python3
"""A provider for sandshell in Python: the devboxes of a service that has a REST API.

sandshell starts this program and exchanges JSON lines with it: see docs/command-providers.md. In config.toml:

    [sandboxes.providers.devboxes]
    kind = "command"
    params = { command = ["python3", "provider.py"], url = "http://127.0.0.1:4280", key = "..." }

The service speaks the protocol of `sandshell serve --emulate runloop`. Only the standard library is used.
"""

import base64
import itertools
import json
import shlex
import sys
import threading
import traceback
import urllib.error
import urllib.parse
import urllib.request
import uuid

KEPT = 10 << 20  # Bytes of output kept of a command whose request names no limit.


class Refused(Exception):
    """An error in the protocol's own terms."""

    def __init__(self, kind, message, retry=None):
        super().__init__(message)
        self.answer = {"kind": kind, "message": message}
        if retry is not None:
            self.answer["retry"] = retry


# -- the protocol -----------------------------------------------------------------------------------------------------

WRITING = threading.Lock()
CURRENT = threading.local()  # The request that a thread answers.
RUNNING = {}  # The paths of executions, by request.


def write(message):
    line = json.dumps(message) + "\n"
    with WRITING:
        sys.stdout.write(line)
        sys.stdout.flush()


def decode(value):
    """Bytes are a string, or base64."""
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])


def encode(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def answer(request):
    CURRENT.id = request["id"]
    try:
        method = METHODS.get(request["method"])
        if method is None:
            raise Refused("unsupported", f"devboxes do not support {request['method']}")
        write({"id": request["id"], "result": method(request.get("params", {}))})
    except Refused as refused:
        write({"id": request["id"], "error": refused.answer})
    except Exception as error:  # Whatever it is, somebody waits for an answer. What only a programmer wants goes to stderr.
        traceback.print_exc()
        message = f"{request['method']} failed in the provider: {error or type(error).__name__}"
        write({"id": request["id"], "error": {"kind": "unexpected", "message": message}})


def main():
    for line in sys.stdin:
        request = json.loads(line)
        if "cancel" in request:
            cancel(request["cancel"])
        else:
            threading.Thread(target=answer, args=[request], daemon=True).start()


# -- the service ------------------------------------------------------------------------------------------------------

SERVICE = {}
KINDS = {400: "invalid_request", 401: "unauthenticated", 403: "permission_denied", 404: "not_found", 429: "rate_limited"}


def call(method, path, body=None, headers=None):
    """The answer's bytes."""
    if body is not None and not isinstance(body, bytes):
        body, headers = json.dumps(body).encode(), {"content-type": "application/json"}
    request = urllib.request.Request(f"{SERVICE['url']}{path}", data=body, headers=headers or {}, method=method)
    request.add_header("authorization", f"Bearer {SERVICE['key']}")
    try:
        with urllib.request.urlopen(request) as response:
            return response.read()
    except urllib.error.HTTPError as error:
        text = error.read().decode(errors="replace")
        kind = KINDS.get(error.code, "unavailable" if error.code >= 500 else "unexpected")
        raise Refused("sandbox_ended" if "Devbox is shut down" in text else kind, said(text, error)) from error
    except urllib.error.URLError as error:
        raise Refused("unavailable", str(error.reason), retry=True) from error


def said(text, error):
    """The service's error message: errors are JSON objects with a message."""
    try:
        return json.loads(text)["message"]
    except (ValueError, KeyError, TypeError):
        return f"the service answered {error.code} {error.reason}"


def devbox(identifier, action=""):
    return f"/v1/devboxes/{urllib.parse.quote(identifier, safe='')}{action}"


# -- the methods ------------------------------------------------------------------------------------------------------


def hello(params):
    given = params.get("params", {})
    for name in ("url", "key"):
        if not isinstance(given.get(name), str):
            raise Refused("invalid_request", f"params.{name} is missing in the configuration of this provider")
    SERVICE.update(url=given["url"].rstrip("/"), key=given["key"])
    return {
        "protocol": 1,
        "name": "devboxes",
        "working_dir": "/home/user",
        "capabilities": ["reattach", "list", "env"],
        "sandbox_capabilities": [
            "separate_streams", "stdin", "cwd", "env", "timeout", "partial_output", "max_output",
            "concurrent_execute", "bash",
        ],
    }  # fmt: skip


def create(params):
    if "sandbox" in params:
        found = json.loads(call("GET", devbox(params["sandbox"])))
        if found["status"] in ("shutdown", "failure"):
            raise Refused("not_found", f"the devbox {params['sandbox']} has ended")
        return {"id": found["id"]}
    unknown = set(params) - {"env"}
    if unknown:
        raise Refused("unsupported", f"devboxes do not support {', '.join(sorted(unknown))}")
    made = json.loads(call("POST", "/v1/devboxes", {"environment_variables": params.get("env", {})}))
    while made["status"] != "running":
        made = json.loads(call("GET", devbox(made["id"])))
    return {"id": made["id"]}


def list_(params):
    query = {"status": "running"}
    if "limit" in params:
        query["limit"] = params["limit"]
    if "cursor" in params:
        query["starting_after"] = params["cursor"]
    page = json.loads(call("GET", f"/v1/devboxes?{urllib.parse.urlencode(query)}"))
    boxes = [{"id": box["id"], "state": "running", "created_at": box["create_time_ms"] / 1000} for box in page["devboxes"]]
    return {"sandboxes": boxes, "next_cursor": boxes[-1]["id"] if page.get("has_more") and boxes else None}


def delete(params):
    try:
        call("POST", devbox(params["sandbox"], "/shutdown"), {})
    except Refused as refused:
        if refused.answer["kind"] not in ("not_found", "sandbox_ended"):
            raise
    return None


def execute(params):
    box, timeout = params["sandbox"], params.get("timeout", 0)
    line = wrapped(box, params)
    command = str(uuid.uuid4())
    started = call("POST", devbox(box, "/execute"), {"command": line, "command_id": command, "optimistic_timeout": 0})
    ended = json.loads(started)
    path = RUNNING[CURRENT.id] = devbox(box, f"/executions/{ended['execution_id']}")
    timed_out = False
    for left in itertools.chain([timeout] if timeout else itertools.repeat(25), itertools.repeat(25)):
        if ended["status"] == "completed":
            break
        try:
            ended = json.loads(call("POST", f"{path}/wait_for_status", {"statuses": ["completed"], "timeout_seconds": left}))
        except Refused as refused:
            if refused.__cause__ is None or refused.__cause__.code != 408:
                raise
        if ended["status"] != "completed" and timeout and not timed_out:
            timed_out = True
            kill(path)
    RUNNING.pop(CURRENT.id, None)
    return response(path, ended, params.get("max_output", KEPT), timeout if timed_out else None)


def kill(path):
    call("POST", f"{path}/kill", {"kill_process_group": True})


def wrapped(box, params):
    """The command as one line, for a service that accepts no standard input, directory or variables."""
    source = "/dev/null"
    if "stdin" in params:
        source = f"/tmp/.stdin-{uuid.uuid4()}"
        put(box, source, decode(params["stdin"]))
    line = f"(exec < {source}"
    if source != "/dev/null":
        line += f" && rm -f {source}"
    if "cwd" in params:
        line += f" && cd -- {shlex.quote(params['cwd'])}"
    env = " ".join(shlex.quote(f"{name}={value}") for name, value in params.get("env", {}).items())
    return f"{line} && exec env {env} bash -c {shlex.quote(params.get('command', ''))})"


def response(path, ended, kept, timeout):
    stdout, stderr = (stream(path, ended, name) for name in ("stdout", "stderr"))
    result = {"exit_code": ended["exit_status"], "limits": []}
    if timeout is not None:
        result.update(exit_code=124, timed_out=True)
        result["limits"].append({"kind": "wall_time", "message": f"Command timed out after {timeout:g} seconds"})
    if len(stdout) + len(stderr) > kept:
        result["truncated"] = True
        result["limits"].append({"kind": "output", "message": f"... Output truncated at {kept} bytes."})
    stdout = stdout[:kept]
    return {**result, "stdout": encode(stdout), "stderr": encode(stderr[: kept - len(stdout)])}


def stream(path, ended, name):
    """All of a stream; the service's answer holds only a part of a long one."""
    if not ended.get(f"{name}_truncated"):
        return (ended.get(name) or "").encode()
    events = call("GET", f"{path}/stream_{name}_updates", headers={"accept": "text/event-stream"})
    pieces = [json.loads(line[5:])["output"] for line in events.decode().split("\n") if line.startswith("data:")]
    return "".join(pieces).encode()


def upload(params):
    box = params["sandbox"]
    return [
        moved(box, file["path"], "invalid_path", lambda file=file: put(box, file["path"], decode(file["content"])))
        for file in params["files"]
    ]


def download(params):
    box = params["sandbox"]
    return [
        moved(box, path, "file_not_found", lambda path=path: {"content": encode(get(box, path))})
        for path in params["paths"]
    ]


def moved(box, path, through_a_file, move):
    """The answer for one file: a file that fails does not stop the others."""
    if not path.startswith("/") or "\0" in path:
        return {"path": path, "error": "invalid_path"}
    try:
        return {"path": path, **(move() or {})}
    except Refused as refused:
        if "Devbox" in str(refused) or "retry" in refused.answer or refused.answer["kind"] == "unauthenticated":
            raise  # It is not the file that is wrong.
        return {"path": path, "error": reason(box, path, through_a_file) or str(refused)}


def put(box, path, content):
    edge = uuid.uuid4().hex
    head = f'--{edge}\r\nContent-Disposition: form-data; name="path"\r\n\r\n{path}\r\n--{edge}\r\nContent-Disposition: form-data; name="file"; filename="file"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
    call("POST", devbox(box, "/upload_file"), body, {"content-type": f"multipart/form-data; boundary={edge}"})


def get(box, path):
    return call("POST", devbox(box, "/download_file"), {"path": path})


def reason(box, path, through_a_file):
    """Why a file could not be transferred, in the protocol's terms, because the service does not say."""
    script = """[ -d "$0" ] && exit 21; [ -e "$0" ] && exit 24
d=$0; while d=${d%/*}; [ -n "$d" ] && [ ! -e "$d" ]; do :; done; [ -d "${d:-/}" ] || exit 22; exit 23"""
    looked = execute({"sandbox": box, "command": f"bash -c {shlex.quote(script)} {shlex.quote(path)}"})
    reasons = {21: "is_directory", 22: through_a_file, 23: "file_not_found", 24: "permission_denied"}
    return reasons.get(looked["exit_code"])


def cancel(request):
    """Nobody waits for the command any more."""
    path = RUNNING.pop(request, None)
    if path is not None:
        threading.Thread(target=kill, args=[path], daemon=True).start()


METHODS = {
    "hello": hello, "create": create, "list": list_, "delete": delete,
    "execute": execute, "upload": upload, "download": download,
}  # fmt: skip

if __name__ == "__main__":
    main()
