"""The official Python SDKs of Amazon Bedrock AgentCore: boto3's client, and bedrock-agentcore on top of it."""

import os
import time

import boto3
from bedrock_agentcore.tools.code_interpreter_client import CodeInterpreter, code_session
from botocore.config import Config
from botocore.exceptions import ClientError
from checks import check, eventually, main, raises

REGION = "us-west-2"
INTERPRETER = "aws.codeinterpreter.v1"


def client(**options):
    return boto3.client("bedrock-agentcore", region_name=REGION, config=Config(retries={"max_attempts": 1}), **options)


def code(call):
    return raises(ClientError, call).response["Error"]["Code"]


def result(response):
    (event,) = response["stream"]
    return event["result"]


def structured(interpreter, tool, **arguments):
    return result(interpreter.invoke(tool, arguments))["structuredContent"]


@check
def commands():
    with code_session(REGION) as interpreter:
        answer = result(interpreter.execute_command("echo out; echo err >&2; pwd; exit 3"))
        assert answer["structuredContent"]["stdout"] == "out\n/tmp\n", answer
        assert answer["structuredContent"]["stderr"] == "err\n", answer
        assert answer["structuredContent"]["exitCode"] == 3 and answer["isError"], answer
        assert answer["content"] == [{"type": "text", "text": "out\n/tmp\nerr\n"}], answer
        assert not result(interpreter.execute_command("true"))["isError"]


@check
def tasks():
    with code_session(REGION) as interpreter:
        task = structured(interpreter, "startCommandExecution", command="echo begun; sleep 0.3; exit 4")["taskId"]
        eventually(lambda: structured(interpreter, "getTask", taskId=task)["stdout"] == "begun\n")
        eventually(lambda: structured(interpreter, "getTask", taskId=task)["taskStatus"] == "completed")
        assert structured(interpreter, "getTask", taskId=task)["exitCode"] == 4
        task = structured(interpreter, "startCommandExecution", command="echo begun; sleep 30")["taskId"]
        eventually(lambda: structured(interpreter, "getTask", taskId=task)["stdout"])
        assert structured(interpreter, "getTask", taskId=task)["taskStatus"] == "working"
        stopped = structured(interpreter, "stopTask", taskId=task)
        assert (stopped["taskStatus"], stopped["stdout"]) == ("canceled", "begun\n"), stopped
        assert code(lambda: interpreter.invoke("getTask", {"taskId": "task-1"})) == "ResourceNotFoundException"


@check
def files():
    with code_session(REGION) as interpreter:
        content = bytes(range(256)) * 100
        interpreter.upload_file("deep/er/a b.bin", content)
        assert interpreter.download_file("deep/er/a b.bin") == content
        interpreter.upload_files([{"path": "one", "content": "text ü\n"}, {"path": "two", "content": b"\xff"}])
        # The SDK's keys are the paths of the URIs, which are absolute.
        assert interpreter.download_files(["one", "two"]) == {"/one": "text ü\n", "/two": b"\xff"}
        listed = result(interpreter.invoke("listFiles", {"directoryPath": "."}))["content"]
        names = {(entry["name"], entry["description"]) for entry in listed}
        assert {("deep", "Directory"), ("one", "File"), ("two", "File")} <= names, names
        assert not result(interpreter.invoke("removeFiles", {"paths": ["one", "deep"]}))["isError"]
        assert result(interpreter.invoke("removeFiles", {"paths": ["one"]}))["isError"]
        assert result(interpreter.invoke("readFiles", {"paths": ["one"]}))["isError"]
        raises(FileNotFoundError, lambda: interpreter.download_file("one"))
        assert code(lambda: interpreter.invoke("readFiles", {"paths": ["/etc/passwd"]})) == "ValidationException"


@check
def large_files():
    with code_session(REGION) as interpreter:
        content = os.urandom(4 << 20)
        interpreter.upload_file("large", content)
        assert interpreter.download_file("large") == content


@check
def sessions():
    service = client()
    started = service.start_code_interpreter_session(
        codeInterpreterIdentifier=INTERPRETER, name="one", sessionTimeoutSeconds=60
    )
    session = {"codeInterpreterIdentifier": INTERPRETER, "sessionId": started["sessionId"]}
    got = service.get_code_interpreter_session(**session)
    assert (got["name"], got["status"], got["sessionTimeoutSeconds"]) == ("one", "READY", 60), got
    assert abs(got["createdAt"].timestamp() - time.time()) < 60
    token = "t" * 40
    twice = [
        service.start_code_interpreter_session(codeInterpreterIdentifier=INTERPRETER, clientToken=token)["sessionId"]
        for _ in range(2)
    ]
    assert twice[0] == twice[1] != session["sessionId"], twice
    seen, more = [], {}
    while True:
        page = service.list_code_interpreter_sessions(
            codeInterpreterIdentifier=INTERPRETER, status="READY", maxResults=1, **more
        )
        assert len(page["items"]) == 1
        seen += [item["sessionId"] for item in page["items"]]
        if "nextToken" not in page:
            break
        more = {"nextToken": page["nextToken"]}
    assert seen[-2:] == [session["sessionId"], twice[0]], seen
    # Another client finds the session by its id.
    again = CodeInterpreter(REGION)
    again.identifier, again.session_id = INTERPRETER, session["sessionId"]
    assert not result(again.execute_command("true"))["isError"]
    for id in (session["sessionId"], twice[0]):
        service.stop_code_interpreter_session(codeInterpreterIdentifier=INTERPRETER, sessionId=id)
    assert service.get_code_interpreter_session(**session)["status"] == "TERMINATED"
    page = lambda **more: service.list_code_interpreter_sessions(codeInterpreterIdentifier=INTERPRETER, **more)
    ids = lambda page: [item["sessionId"] for item in page["items"]]
    stopped = [session["sessionId"], twice[0]]
    # Stopped sessions have pages too, and are included in the full list.
    first = page(status="TERMINATED", maxResults=1)
    seen = ids(first)
    while "nextToken" in first:
        first = page(status="TERMINATED", maxResults=1, nextToken=first["nextToken"])
        seen += ids(first)
    assert seen[-2:] == stopped, seen
    assert ids(page(maxResults=100))[-2:] == stopped
    assert not set(stopped) & set(ids(page(status="READY", maxResults=100)))
    assert code(lambda: again.execute_command("true")) == "ResourceNotFoundException"
    assert code(lambda: service.stop_code_interpreter_session(**session)) == "ResourceNotFoundException"


@check
def expiry():
    interpreter = CodeInterpreter(REGION)
    interpreter.start(session_timeout_seconds=1)

    def gone():
        try:
            interpreter.execute_command("true")
        except ClientError as error:
            return error.response["Error"]["Code"] == "ResourceNotFoundException"
        return False

    eventually(gone)


@check
def signatures():
    page = {"codeInterpreterIdentifier": INTERPRETER, "maxResults": 1}
    client().list_code_interpreter_sessions(**page)
    # An identifier that must be encoded; for the signature it is encoded once more.
    name = "arn:aws:bedrock-agentcore:us-west-2:1:code-interpreter/a b"
    assert client().list_code_interpreter_sessions(codeInterpreterIdentifier=name)["items"] == []
    wrong = client(aws_access_key_id="AKIAEXAMPLE", aws_secret_access_key="wrong")
    assert code(lambda: wrong.list_code_interpreter_sessions(**page)) == "InvalidSignatureException"
    temporary = client(
        aws_access_key_id="ASIAEXAMPLE",
        aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"],
        aws_session_token="token",
    )
    temporary.list_code_interpreter_sessions(**page)


@check
def refusals():
    with code_session(REGION) as interpreter:
        assert code(lambda: interpreter.execute_code("1")) == "ValidationException"
        assert code(lambda: interpreter.invoke("executeCommand", {})) == "ValidationException"
    start = client().start_code_interpreter_session
    bad = {"codeInterpreterIdentifier": INTERPRETER, "certificates": [{"location": {"secretsManager": {"secretArn": "x"}}}]}
    assert code(lambda: start(**bad)) == "ValidationException"


main()
